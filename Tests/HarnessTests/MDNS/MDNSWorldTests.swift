import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallDiscovery

@Suite("Hosts and browsers of multicast DNS on a virtual LAN")
struct MDNSWorldTests {
  private static let web = try! ServiceType("http", .tcp)

  private struct Setting {
    var responders: [MDNSPlan]
    var browserCount = 1
    var seed: UInt64 = 1
    var loss = Ratio.never
    var families: [IPAddress.Family] = [.v4]
    /// When each responder appears, in milliseconds.
    var appearances: [Int64] = []
  }

  private static func address(_ host: Int, _ family: IPAddress.Family) -> InterfaceAddress {
    family == .v4
      ? InterfaceAddress(IPAddress(10, 0, UInt8(host / 200), UInt8(host % 200 + 1)), prefixBits: 16)
      : InterfaceAddress(IPAddress(v6High: 0xFE80 << 48, low: UInt64(host) + 1), prefixBits: 64)
  }

  /// Responders first, then browsers; every responder appears at its time.
  private func plan(_ setting: Setting) -> WorldPlan {
    let count = setting.responders.count + setting.browserCount
    var rule = LinkRule()
    if setting.loss != .never { rule.loss = .uniform(setting.loss) }
    let hosts = (0..<count).map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(
            segment: 0, addresses: setting.families.map { MDNSWorldTests.address(number, $0) }, inbound: rule)
        ])
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(600),
      seed: Seed(setting.seed))
    for (number, responder) in setting.responders.enumerated() {
      plan.machines.append(MDNSResponder(responder, seed: plan.seed, name: "h\(number)"))
      let at = number < setting.appearances.count ? setting.appearances[number] : 0
      plan.commands.append((.zero + .milliseconds(at), number, .act(.appear)))
    }
    for number in 0..<setting.browserCount {
      plan.machines.append(ServiceBrowser([MDNSWorldTests.web], seed: plan.seed, name: "b\(number)"))
    }
    return plan
  }

  private func responder(_ host: String, _ instance: String, port: UInt16 = 80) -> MDNSPlan {
    MDNSPlan(host: host, services: [MDNSService(MDNSWorldTests.web, instance, port: port)])
  }

  private func present(_ world: borrowing World, _ host: Int) -> [String] {
    let browser = world.machine(ofHost: host, as: ServiceBrowser.self)
    return (browser?.present ?? []).map { "peer:\($0.name.domainName)" }.sorted()
  }

  @Test("all find all, over both families, in messages that can be read and have TTL 255 (MD-01) (MD-02)")
  func everybody() {
    for families in [[IPAddress.Family.v4], [.v6], [.v4, .v6]] {
      var setting = Setting(responders: (0..<12).map { responder("host\($0)", "Service \($0)") })
      (setting.browserCount, setting.families) = (3, families)
      var world = World(plan: plan(setting))
      let seen = Seen()
      world.tap = { datagram, bytes, _ in seen.note(datagram, bytes) }
      world.start()
      world.run(until: .zero + .seconds(5))
      let names = (0..<12).map { "peer:Service \($0)._http._tcp.local" }
      for host in 12..<15 { expectEqual(present(world, host), names.sorted()) }
      expectEqual(world.presentDevices, names)
      expectEqual(seen.wrong, [])
      #expect(seen.count > 12 * 5)
      let first = world.machine(ofHost: 12, as: ServiceBrowser.self)?.present.first
      expectEqual(
        first?.locators, families.map { Locator(.ip(MDNSWorldTests.address(0, $0).address), on: InterfaceID(0)) })
    }
  }

  @Test("who leaves is lost after 1 s, who vanishes when the TTL is over, who comes back is found (MD-42) (MD-41)")
  func leaving() {
    let setting = Setting(responders: [responder("one", "One"), responder("two", "Two"), responder("three", "Three")])
    var plan = plan(setting)
    plan.commands.append((.zero + .seconds(20), 0, .act(.leave)))
    plan.commands.append((.zero + .seconds(20), 1, .act(.vanish)))
    plan.commands.append((.zero + .seconds(300), 0, .act(.appear)))
    var world = World(plan: plan)
    world.start()
    func names(at seconds: Int64, _ extra: Interval = .zero) -> [String] {
      world.run(until: .zero + .seconds(seconds) + extra)
      return present(world, 3).map { String($0.dropFirst(5).prefix { $0 != "." }) }
    }
    expectEqual(names(at: 20), ["One", "Three", "Two"])
    expectEqual(names(at: 20, .milliseconds(900)), ["One", "Three", "Two"])
    expectEqual(names(at: 21, .milliseconds(100)), ["Three", "Two"])
    expectEqual(names(at: 110), ["Three", "Two"])
    expectEqual(names(at: 142), ["Three"])
    expectEqual(names(at: 303), ["One", "Three"])
    expectEqual(world.machine(ofHost: 3, as: ServiceBrowser.self)?.brokenInvariants, [])
  }

  @Test("two hosts with one name: one of them calls itself otherwise, and both are found (MD-31) (MD-33) (MD-39)")
  func oneName() {
    for (appearances, seeds) in [([0, 0], 0..<20), ([0, 300], 0..<10), ([0, 5_000], 0..<5)] as [([Int64], Range<Int>)] {
      for seed in seeds {
        var setting = Setting(responders: [responder("box", "Box", port: 80), responder("box", "Box", port: 81)])
        (setting.seed, setting.appearances) = (UInt64(seed), appearances)
        var world = World(plan: plan(setting))
        world.start()
        world.run(until: .zero + .seconds(20))
        let responders = (0..<2).compactMap { world.machine(ofHost: $0, as: MDNSResponder.self) }
        let what = "seed \(seed), \(appearances)"
        expectEqual(responders.map(\.hostName).sorted(), ["box-2.local", "box.local"], "\(what)")
        let names = ["peer:Box (2)._http._tcp.local", "peer:Box._http._tcp.local"]
        expectEqual(responders.flatMap(\.presentDevices).sorted(), names, "\(what)")
        expectEqual(present(world, 2), names, "\(what)")
        // Who was there first stays who it is.
        if appearances[1] == 5_000 { expectEqual(responders[0].hostName, "box.local", "\(what)") }
      }
    }
  }

  @Test("nine hosts with one name end with nine names (MD-31)")
  func manyOfOneName() {
    var setting = Setting(responders: (0..<9).map { responder("box", "Box", port: UInt16($0)) })
    setting.seed = 7
    var world = World(plan: plan(setting))
    world.start()
    world.run(until: .zero + .seconds(60))
    let names = (0..<9).compactMap { world.machine(ofHost: $0, as: MDNSResponder.self)?.hostName }.sorted()
    expectEqual(names, (["box"] + (2...9).map { "box-\($0)" }).map { $0 + ".local" }.sorted())
    expectEqual(present(world, 9).count, 9)
  }

  @Test("over a network that loses a tenth of all datagrams everybody is found and stays")
  func loss() {
    for seed in 0..<10 {
      var setting = Setting(responders: (0..<6).map { responder("host\($0)", "Service \($0)") })
      (setting.seed, setting.loss) = (UInt64(seed), .percent(10))
      var world = World(plan: plan(setting))
      world.start()
      for second in [60, 180, 400] as [Int64] {
        world.run(until: .zero + .seconds(second))
        expectEqual(present(world, 6).count, 6, "seed \(seed) after \(second) s")
      }
    }
  }

  @Test("the same seed gives the same run, another one does not")
  func repeatable() {
    func digest(_ seed: UInt64) -> Digest {
      var setting = Setting(responders: (0..<5).map { responder("host", "Service \($0)") })
      setting.seed = seed
      var world = World(plan: plan(setting))
      world.start()
      world.run(until: .zero + .seconds(200))
      return world.gate.digest
    }
    expectEqual(digest(3), digest(3))
    #expect(digest(3) != digest(4))
  }
}

/// What went over the network and should not have.
private final class Seen {
  var wrong: [String] = []
  var count = 0

  func note(_ datagram: Datagram, _ bytes: UnsafeRawBufferPointer) {
    // Membership reports go another way.
    guard datagram.destination.port == Endpoint.mdnsPort else { return }
    count += 1
    if datagram.hopLimit != 255 || datagram.source.port != Endpoint.mdnsPort { wrong.append("\(datagram)") }
    do {
      let reading = try DNSReader.read(bytes)
      let message = reading.message
      if !reading.faults.isEmpty { wrong.append("\(reading.faults)") }
      if message.id != 0 || ![0x0000, 0x0200, 0x8400].contains(message.flags.rawValue) {
        wrong.append("id \(message.id) flags \(message.flags.rawValue)")
      }
      if message.flags.isResponse, !message.questions.isEmpty { wrong.append("a response with questions") }
      let records = message.answers + message.authorities + message.additionals
      if Set(records).count != records.count { wrong.append("a record twice") }
    } catch {
      wrong.append("\(error)")
    }
  }
}
