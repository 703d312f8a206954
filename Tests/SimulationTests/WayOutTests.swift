import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@testable import RollcallSimulation

/// Notes what reaches it, and joins a group where it is told to.
private struct Ear: Machine {
  var joins: Endpoint?
  /// Sends this at 1 s.
  var sends: (text: String, to: Endpoint)?
  private(set) var heard: [String] = []
  var deadline: Instant? { sends == nil ? nil : .zero + .seconds(1) }

  init(joins: Endpoint? = nil, sends: (text: String, to: Endpoint)? = nil) { (self.joins, self.sends) = (joins, sends) }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      let text = String(decoding: outbox.payloads.bytes(of: datagram.payload), as: UTF8.self)
      heard.append("\(now) \(text) from \(datagram.source) hops \(datagram.hopLimit)")
    case .value(let id):
      guard case .host(.interface(let change)) = outbox.values[id], let joins else { return }
      outbox.join(joins, on: change.interface)
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard let sends, now >= .zero + .seconds(1) else { return }
    self.sends = nil
    outbox.transmit(
      Datagram(
        source: Endpoint(WayOutTests.address(1), port: 50_000), destination: sends.to, interface: InterfaceID(0),
        hopLimit: 2, payload: outbox.payloads.store(Array(sends.text.utf8))))
  }
}

@Suite("A world with a way out")
struct WayOutTests {
  static func address(_ host: Int) -> IPAddress { IPAddress(10, 0, 0, UInt8(host + 1)) }
  private static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1_900)
  private static let outside = Endpoint(IPAddress(203, 0, 113, 9), port: 4_000)

  private func plan() -> WorldPlan {
    let hosts = (0..<3).map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(segment: 0, addresses: [InterfaceAddress(WayOutTests.address(number), prefixBits: 24)])
        ])
    }
    return WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(5), seed: Seed(1))
  }

  /// The hosts are the gateway, one who speaks, and one who listens.
  private func world(_ sends: (text: String, to: Endpoint)?, takesAllMulticast: Bool = false) -> World {
    var plan = plan()
    plan.machines.append(Ear(joins: WayOutTests.group))
    plan.machines.append(Ear(sends: sends))
    plan.machines.append(Ear(joins: WayOutTests.group))
    var world = World(plan: plan, recorder: Recorder())
    world.setWayOut(host: 0, takesAllMulticast: takesAllMulticast)
    world.start()
    return world
  }

  private func heard(_ world: borrowing World) -> [[String]] {
    var heard: [[String]] = []
    for host in 0..<3 { heard.append(world.machine(ofHost: host, as: Ear.self)?.heard ?? []) }
    return heard
  }

  @Test("what goes to an address that nobody has goes to the way out, with its own address and hop limit")
  func leaves() {
    var world = world(("out", WayOutTests.outside))
    world.run(until: .zero + .seconds(5))
    expectEqual(heard(world), [["1.000000000 out from 10.0.0.2:50000 hops 2"], [], []])
  }

  @Test("what enters is an entry of the gateway, with hop limit 1, and reaches who it is for")
  func enters() {
    var world = world(nil)
    let before = world.gate.entryCount
    Array("in".utf8).withUnsafeBytes {
      world.enter($0, from: WayOutTests.outside, to: WayOutTests.group, gateway: 0, interface: InterfaceID(0))
    }
    expectEqual(world.gate.entryCount, before + 1)
    world.run(until: .zero + .seconds(5))
    expectEqual(heard(world), [[], [], ["0.000000000 in from 203.0.113.9:4000 hops 1"]])
  }

  @Test("a way out that takes all multicast hears it alone, and its own reaches the others")
  func takesAll() {
    var world = world(("all", WayOutTests.group), takesAllMulticast: true)
    Array("in".utf8).withUnsafeBytes {
      world.enter($0, from: WayOutTests.outside, to: WayOutTests.group, gateway: 0, interface: InterfaceID(0))
    }
    world.run(until: .zero + .seconds(5))
    expectEqual(
      heard(world),
      [
        ["1.000000000 all from 10.0.0.2:50000 hops 2"], [], ["0.000000000 in from 203.0.113.9:4000 hops 1"],
      ])
  }

  @Test("a budget ends the run with the first entry or event beyond it")
  func budget() {
    for (entries, isReached) in [(UInt64(4), true), (5, false)] {
      var plan = plan()
      for number in 0..<3 { plan.machines.append(Ear(sends: number == 1 ? ("x", WayOutTests.outside) : nil)) }
      plan.entriesMaximum = entries
      var world = World(plan: plan)
      world.runAll()
      // Three interfaces, a wake, and what it sends.
      expectEqual(world.gate.entryCount, 5)
      expectEqual((world.reachedBudget != nil), isReached)
    }
  }
}
