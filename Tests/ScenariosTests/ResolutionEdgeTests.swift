import RollcallDevices
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// What is worked out of a scenario where there are two of everything, and where several things are due at one instant.
@Suite("Resolved scenarios at their edges") struct ResolutionEdgeTests {
  private func resolved(_ yaml: String) throws -> Resolved {
    try Scenario(yaml: "scenario: a\nduration: 60s\n" + yaml, file: "x.yaml").resolved()
  }
  @Test("two interfaces of one segment have addresses of their own, those of members successive on each")
  func interfaces() throws {
    let world = try resolved(
      """
      engine: {interfaces: [{}, {}]}
      inhabitants:
        pair: {kind: reflector, count: 2, ipv6: true, interfaces: [{}, {}]}
        named: {kind: reflector, count: 2, interfaces: [{address: 192.168.1.9}, {address: 192.168.1.200}]}
      """)
    let hosts = world.plan.hosts.map { host in host.interfaces.map { $0.addresses.map(\.address) } }
    let all = hosts.flatMap { $0 }.flatMap { $0 }
    expectEqual(hosts.map(\.count), [2, 2, 2, 2, 2])
    expectEqual(Set(all).count, all.count)
    for number in 0..<2 {
      // Behind the address of IPv4 stands the one of the link, which each host and interface has for itself.
      expectEqual(hosts[1][number].map(\.family), [.v4, .v6])
      expectEqual(hosts[1][number][0].low + 1, hosts[2][number][0].low)
    }
    expectEqual(hosts[3].map { $0.map(\.description) }, [["192.168.1.9"], ["192.168.1.200"]])
    expectEqual(hosts[4].map { $0.map(\.description) }, [["192.168.1.10"], ["192.168.1.201"]])
  }

  @Test("another program of a host has its links and clock, and a fault of the links of either is one of both")
  func programs() throws {
    let world = try resolved(
      """
      inhabitants:
        tv: {kind: reflector, clock-drift: 100ppm, ipv6: true, link: {mtu: 1000}}
        lamp: {kind: reflector}
        app: {kind: reflector, beside: tv}
      faults:
        - {at: 1s, interface-down: {who: tv}}
        - {at: 2s, refuse-joins: app}
        - {at: 3s, refuse-joins: lamp}
        - {at: 4s, partition: {from: [tv], to: [engine], both: false}}
      """)
    var program = world.plan.hosts[1]
    (program.name, program.beside) = ("app", 1)
    expectEqual(world.plan.hosts[3], program)
    let link = InterfaceID(0)
    let faults: [Fault] = [
      .interfaceDown(host: 1, interface: link), .interfaceDown(host: 3, interface: link),
      .refuseJoins(host: 3, true), .refuseJoins(host: 2, true),
      .partition(number: 6, from: [1, 3], to: [0]),
    ]
    expectEqual(world.faults.map(\.fault), faults)
  }

  /// Of links of one host: when each change comes, of which fault, and the MTU that is in force then.
  private func links(_ faults: [String], _ rest: String = "") throws -> [String] {
    let lines = faults.map { "  - {\($0)}\n" }.joined()
    let world = try resolved("inhabitants: {tv: {kind: reflector}, lamp: {kind: reflector}}\nfaults:\n\(lines)\(rest)")
    return world.faults.map { fault in
      let what: String
      switch fault.fault {
      case .link(let host, _, let isOutbound, let rule):
        what = "\(host)\(isOutbound ? "out" : "in") " + (rule.map { "\($0.mtu)" } ?? "plan")
      case .healEverything: what = "all"
      default: what = "?"
      }
      return "\((fault.at - Instant.zero).description) \(fault.id) \(what)"
    }
  }
  private static func link(_ at: String, _ until: String?, _ mtu: Int, _ who: String, _ way: String) -> String {
    "at: \(at)" + (until.map { ", until: \($0)" } ?? "") + ", link: {who: \(who), direction: \(way), mtu: \(mtu)}"
  }

  @Test("where a fault ends the latest that still stands is in force, and what ends comes before what begins")
  func faults() throws {
    let link = Self.link
    try expectEqual(
      links([
        link("1s", "10s", 100, "tv", "inbound"), link("2s", "5s", 200, "tv", "inbound"),
        link("3s", "4s", 300, "tv", "inbound"), link("5s", "6s", 400, "tv", "inbound"),
      ]),
      [
        "1s f1 1in 100", "2s f2 1in 200", "3s f3 1in 300", "4s f3 1in 200", "5s f2 1in 400", "5s f4 1in 400",
        "6s f4 1in 100", "10s f1 1in plan",
      ])
    // Of two that begin together the later one of the document counts; what ends at that instant stands no more.
    try expectEqual(
      links([link("1s", "3s", 100, "tv", "inbound"), link("1s", "3s", 200, "tv", "inbound")]),
      ["1s f1 1in 100", "1s f2 1in 200", "3s f1 1in plan", "3s f2 1in plan"])
    try expectEqual(
      links([
        link("1s", "2s", 100, "tv", "inbound"), link("1s", "4s", 200, "tv", "inbound"),
        link("1s", "3s", 300, "tv", "inbound"),
      ]),
      [
        "1s f1 1in 100", "1s f2 1in 200", "1s f3 1in 300", "2s f1 1in 300", "3s f3 1in 200", "4s f2 1in plan",
      ])
    // The other direction and another host are other places.
    try expectEqual(
      links([
        link("1s", "3s", 100, "tv", "inbound"), link("2s", "9s", 200, "tv", "outbound"),
        link("2s", "9s", 300, "lamp", "inbound"),
      ]),
      [
        "1s f1 1in 100", "2s f2 1out 200", "2s f3 2in 300", "3s f1 1in plan", "9s f2 1out plan", "9s f3 2in plan",
      ])
  }

  @Test("healing is the last of its instant, and a fault may begin or end there")
  func healing() throws {
    let link = Self.link
    try expectEqual(
      links(
        [
          link("9s", nil, 100, "tv", "inbound"), link("1s", "9s", 200, "tv", "inbound"),
          link("2s", nil, 300, "lamp", "inbound"),
        ], "heal: 9s\n"),
      ["1s f2 1in 200", "2s f3 2in 300", "9s f2 1in plan", "9s f1 1in 100", "9s heal all"])
  }

  @Test("an expectation counts from the end of a fault, which is healing where it has none of its own")
  func anchors() throws {
    let world = try resolved(
      """
      inhabitants: {tv: {kind: root-device, count: 2}}
      timeline: [{at: 4s, leave: tv}, {at: 5s, id: back, appear: tv}]
      faults:
        - {at: 1s, refuse-joins: engine}
        - {at: 2s, until: 3s, id: jam, refuse-joins: engine}
      heal: 30s
      expect:
        - {never: {failed: any}, after: {mended: f1, within: 2s}}
        - {never: {failed: any}, after: {mended: jam, within: 1s..2s}}
        - {never: {failed: any}, after: {fault: jam, within: 2s}}
        - {never: {failed: any}, after: {timeline: t1, within: 0s}}
        - {never: {failed: any}, after: {timeline: back, within: 55s}}
        - {found: {each-of: [tv-2, tv]}}
        - {found: {any-of: [tv, tv-1]}}
        - {present: {at: 1s, devices: [tv-2, tv, tv-2]}}
        - {found: each, after: {lost: tv-2, within: 1s}}
      """)
    func stretch(_ place: Int) -> EventCheck.Stretch? {
      if case .never(let checks) = world.expectations[place].kind { checks.first?.when } else { nil }
    }
    expectEqual(stretch(0), .within(at(30)...at(32)))
    expectEqual(stretch(1), .within(at(4)...at(5)))
    expectEqual(stretch(2), .within(at(2)...at(4)))
    expectEqual(stretch(3), .within(at(4)...at(4)))
    expectEqual(stretch(4), .within(at(5)...at(60)))
    // A name that stands for all and the name of one of them: each is meant once.
    let names = world.devices.map(\.identity)
    guard case .happens(let each, _) = world.expectations[5].kind,
      case .happens(let pooled, _) = world.expectations[6].kind,
      case .presentDevices(_, let present) = world.expectations[7].kind,
      case .happens(let anchored, _) = world.expectations[8].kind
    else {
      Issue.record("other kinds")
      return
    }
    expectEqual(each.map(\.label), ["tv-1", "tv-2"])
    expectEqual(each.map(\.event.devices), names.map { EventMatch.Devices.these([$0]) })
    expectEqual(pooled.map(\.event.devices), [.these(names)])
    expectEqual(present, names)
    // What another one is counted from is told of that one, whoever is judged.
    expectEqual(
      anchored.map(\.when),
      Array(repeating: .after(EventMatch(.lost(nil), .these([names[1]])), .zero ... .seconds(1)), count: 2))
  }

  @Test("who appears at one instant appears in the order of the document, and who never does is not among them")
  func appearances() throws {
    let world = try resolved(
      """
      inhabitants:
        b: {kind: reflector, appear: 2s}
        a: {kind: reflector, appear: 1s, count: 2}
        never: {kind: reflector, appear: never}
        c: {kind: reflector, appear: 2s..2s}
        z: {kind: reflector}
      """)
    let commands = world.appearances(under: Seed(1))
    expectEqual(commands.map { world.hosts[$0.host].name }, ["z", "a-1", "a-2", "b", "c"])
    expectEqual(commands.map(\.at), [at(0), at(1), at(1), at(2), at(2)])
    expectEqual(Set(commands.map(\.command)), [.act(.appear)])
  }

  @Test("a bite is planted where it says: in each nearby peer, in one responder, in a device with all its members")
  func bites() throws {
    let inhabitants = """
      inhabitants:
        ann: {kind: nearby-peer}
        tv: {kind: root-device, count: 2, quirks: [noExt]}
        ben: {kind: nearby-peer, count: 2}
        nas: {kind: mdns-responder}
        box: {kind: mdns-responder}
      """
    let fault = PeerFault.allCases[0]
    func bitten(_ bite: String) throws -> Scenario {
      let scenario = try Scenario(yaml: "scenario: a\nbites: \(bite)\n" + inhabitants, file: "x.yaml")
      return try #require(scenario.bitten)
    }
    let peers = try bitten("peers.\(fault.rawValue)").inhabitants.map { entry -> Bool in
      if case .nearbyPeer(let plan) = entry.kind { plan.sessions.faults.contains(fault) } else { false }
    }
    expectEqual(peers, [true, false, true, false, false])
    guard case .rootDevice(let device) = try bitten("tv-2.noRenewal").inhabitants[1].kind else {
      Issue.record("no device")
      return
    }
    expectEqual(device.quirks, [.noExt, .noRenewal])
    let quirk = MDNSQuirk.allCases[0]
    let responders = try bitten("box.\(quirk.rawValue)").inhabitants.map { entry -> [MDNSQuirk] in
      if case .mdnsResponder(let section) = entry.kind { section.quirks } else { [] }
    }
    expectEqual(responders, [[], [], [], [], [quirk]])
    expectEqual(Scenario("none").bitten, nil)
  }

  @Test("holes of a recorded message are filled once, and what is no hole stays")
  func wording() {
    func filled(_ line: String, _ nt: String = "N", _ usn: String = "U") -> String {
      let wording = RecordedSection.Wording(lines: [line, "end"], lineEnd: "|", tail: "!")
      return String(decoding: wording.bytes(RecordedSection.Advert(nt: nt, usn: usn)), as: UTF8.self)
    }
    expectEqual(filled("{nt}{usn}{nt}"), "NUN|end!")
    // What is filled in is not read again.
    expectEqual(filled("a{nt}b{usn}", "{usn}", "{nt}"), "a{usn}b{nt}|end!")
    expectEqual(filled("{{nt}} {n} {NT} {usn {"), "{N} {n} {NT} {usn {|end!")
    expectEqual(filled("", "x", "y"), "|end!")
  }

  @Test("a host to send to is a name or an address, each with or without a port that there is")
  func targets() {
    let good: [(text: String, target: Target)] = [
      ("tv", Target(.name("tv"))), ("tv:0", Target(.name("tv"), port: 0)),
      ("tv-2:65535", Target(.name("tv-2"), port: 65_535)),
      ("10.0.0.1", Target(.address(IPAddress(10, 0, 0, 1)))),
      ("10.0.0.1:80", Target(.address(IPAddress(10, 0, 0, 1)), port: 80)),
    ]
    for (text, target) in good {
      expectEqual(Target(text), target, "\(text)")
      expectEqual(target.description, text)
    }
    let bad = [
      "", ":80", "tv:", "tv:65536", "tv:080", "tv:-1", "tv:80:80", "2tv", "t v", "10.0.0.1:65536", "10.0.0.256",
    ]
    for text in bad { expectEqual(Target(text), nil, "\(text)") }
  }
}
