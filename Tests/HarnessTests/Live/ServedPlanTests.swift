import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallWire
import Testing

@testable import RollcallServing

/// Who is reached where: two interfaces, two devices with one port, two families, and nobody.
@Suite("Plans of served scenarios") struct ServedPlanTests {
  private static let own = IPAddress(10, 77, 1, 10)
  private static let second = IPAddress(10, 77, 2, 10)

  private func plan(
    _ yaml: String, _ interfaces: [[InterfaceAddress]], ownAddresses: Bool = false
  ) throws -> ServedPlan {
    let resolved = try Scenario(yaml: "scenario: S\nduration: 60s\n" + yaml, file: "test.yaml").resolved()
    return ServedPlan(resolved, interfaces: interfaces, hasOwnAddresses: ownAddresses)
  }

  private func interface(_ address: IPAddress, _ prefixBits: Int = 24) -> [InterfaceAddress] {
    [InterfaceAddress(address, prefixBits: prefixBits)]
  }

  private func twoSegments(_ count: Int) -> String {
    """
    network: {segments: {lan: {}, attic: {subnet: 192.168.2.0/24}}}
    engine: {interfaces: [{segment: lan}, {segment: attic}]}
    inhabitants:
      tv: {kind: root-device, profile: tv, segment: lan}
      lamp: {kind: root-device, profile: smart-plug, segment: attic, count: \(count)}
    """
  }

  @Test("each segment has its own interface; who has none is not reachable, and of more than eight the rest is counted")
  func segments() throws {
    let both = try plan(twoSegments(2), [interface(Self.own), interface(Self.second), interface(Self.own)])
    expectEqual(
      both.devices.map(\.endpoints),
      [
        [Endpoint(Self.own, port: 7_676)], [Endpoint(Self.second, port: 49_153)],
        [Endpoint(Self.second, port: 49_153)],
      ])
    expectEqual(both.groups.map(\.group), [.ssdp(.v4), .ssdp(.v4)])
    expectEqual(both.groups.map(\.interface.number), [0, 1])
    expectEqual(both.interfaces, [InterfaceID(0), InterfaceID(1)])
    expectEqual(both.notes, ["the scenario's engine has 2 interfaces; further -i are idle"])
    expectEqual(both.pageListeners.map(\.endpoint.port), [7_676, 49_153])
    expectEqual(both.pageListeners.map(\.interface.number), [0, 1])
    expectEqual(both.served(on: InterfaceID(1)), [Self.second])
    expectEqual([2, 3].map { both.served(on: InterfaceID($0)) }, [[], []])
    expectEqual(
      [0, 1, 2, 3].map { both.aliases(on: InterfaceID($0), .v4) },
      [[IPAddress(240, 0, 0, 8)], [IPAddress(240, 0, 0, 16), IPAddress(240, 0, 0, 24)], [], []])
    expectEqual(try plan(twoSegments(1), [interface(Self.own), interface(Self.second)]).notes, [])
    let text = "not reachable, since no -i stands for their segment or has an address of their family: "
    for (count, rest) in [(8, ""), (9, " and 1 more"), (10, " and 2 more")] {
      let one = try plan(twoSegments(count), [interface(Self.own)])
      let names = (1...8).map { "lamp-\($0)" }.joined(separator: ", ")
      expectEqual(one.notes, [text + names + rest])
      expectEqual(one.devices.count { $0.endpoints.isEmpty }, count)
      expectEqual(one.pageListeners.count, 1)
    }
  }

  @Test("behind one address devices of one port have paths of their own, and one alone keeps its path")
  func paths() throws {
    let yaml = """
      inhabitants:
        tv: {kind: root-device, profile: tv, count: 2}
        plug: {kind: root-device, profile: smart-plug, quirks: [twoLocations]}
      timeline:
        - {at: 5s, relocate: {who: plug, port: 49154}}
        - {at: 6s, relocate: {who: plug, port: 50000}}
      """
    let shared = try plan(yaml, [interface(Self.own)])
    expectEqual(shared.devices.map(\.path), ["/tv-1/smp_18_", "/tv-2/smp_18_", "/setup.xml"])
    expectEqual(shared.devices.map(\.ports), [[7_676], [7_676], [49_153, 49_154, 50_000]])
    expectEqual(shared.pageListeners.map(\.endpoint.port), [7_676, 49_153, 49_154, 50_000])
    func name(_ port: UInt16, _ path: String?) -> String? {
      shared.device(at: Endpoint(Self.own, port: port), path: path)?.name
    }
    expectEqual(name(7_676, "/tv-1/smp_18_"), "tv-1")
    expectEqual(name(7_676, "/tv-2/smp_18_"), "tv-2")
    expectEqual(name(7_676, "/tv-2/service/1/event"), "tv-2")
    // What nobody has goes to the first of them, and what is asked of no port of theirs to nobody.
    expectEqual(name(7_676, "/setup.xml"), "tv-1")
    expectEqual(name(7_676, nil), "tv-1")
    expectEqual([49_153, 49_154, 50_000].map { name($0, "/setup.xml") }, ["plug", "plug", "plug"])
    expectEqual(name(49_155, "/setup.xml"), nil)
    expectEqual(shared.device(at: Endpoint(Self.second, port: 7_676), path: nil)?.name, nil)
    expectEqual(shared.inhabitantCount, 3)
    // Inside each has a name of its own, and the sockets outside are there once.
    let way = shared.wayIn(to: shared.devices[1], at: Endpoint(Self.own, port: 7_676))
    expectEqual(way?.endpoint, Endpoint(IPAddress(240, 0, 0, 16), port: 7_676))
    expectEqual(way?.interface, InterfaceID(0))
    expectEqual(
      shared.searchListeners,
      [ServedPlan.Listener(endpoint: Endpoint(Self.own, port: 1_900), interface: InterfaceID(0))])
  }

  @Test("a second location has a port of its own; where a device comes to the port of another one, the first answers")
  func sharedPorts() throws {
    let twice = "inhabitants: {plug: {kind: root-device, profile: smart-plug, quirks: [twoLocations]}}"
    expectEqual(try plan(twice, [interface(Self.own)]).devices.map(\.ports), [[49_153, 49_154]])
    let yaml = """
      inhabitants:
        plug: {kind: root-device, profile: smart-plug}
        other: {kind: root-device, profile: smart-plug, port: 50000, path: /b.xml, searchport: 50001}
      timeline:
        - {at: 5s, relocate: {who: plug, port: 50000}}
      """
    let served = try plan(yaml, [interface(Self.own)])
    expectEqual(served.devices.map(\.path), ["/setup.xml", "/b.xml"])
    expectEqual(served.devices.map(\.ports), [[49_153, 50_000], [50_000]])
    let there = Endpoint(Self.own, port: 50_000)
    expectEqual(
      ["/setup.xml", "/b.xml", "/service/1/event", "/c.xml"].map { served.device(at: there, path: $0)?.name },
      ["plug", "other", "plug", "plug"])
    expectEqual(
      served.searchListeners.map(\.endpoint), [Endpoint(Self.own, port: 50_001), Endpoint(Self.own, port: 1_900)])
  }

  @Test("an address that the interface has need not be added, and its subnet is the interface's")
  func ownAddresses() throws {
    let yaml = """
      inhabitants:
        tv: {kind: root-device, profile: tv, address: 192.168.1.50}
        plug: {kind: root-device, profile: smart-plug, address: 192.168.1.51}
      """
    let there = IPAddress(192, 168, 1, 50)
    let other = IPAddress(192, 168, 1, 51)
    let plan = try plan(yaml, [interface(there)], ownAddresses: true)
    expectEqual(
      plan.wantedAddresses,
      [ServedPlan.Listener(endpoint: Endpoint(other, port: 0), interface: InterfaceID(0))])
    expectEqual(plan.served(on: InterfaceID(0)), [there, other])
    expectEqual(plan.prefixBits(ofServed: there, on: InterfaceID(0)), 24)
    expectEqual(plan.prefixBits(ofServed: other, on: InterfaceID(0)), 32)
    expectEqual(plan.prefixBits(ofServed: Self.own, on: InterfaceID(0)), nil)
    expectEqual(plan.prefixBits(ofServed: there, on: InterfaceID(1)), nil)
    // With one port each its own: whose page it is the address says.
    expectEqual(plan.device(at: Endpoint(other, port: 49_153), path: "/setup.xml")?.name, "plug")
    expectEqual(plan.device(at: Endpoint(there, port: 49_153), path: "/setup.xml")?.name, nil)
    let plug = plan.devices[1]
    expectEqual(
      [other, there, Self.own].map { plan.wayIn(to: plug, at: Endpoint($0, port: 49_153))?.endpoint },
      [Endpoint(other, port: 49_153), nil, nil])
  }

  @Test("of the addresses of IPv6 the link-local one is taken, else the first; a family that is not there has no group")
  func families() throws {
    let yaml = """
      network: {segments: {lan: {ipv6: true}}}
      inhabitants: {tv: {kind: root-device, profile: tv}}
      """
    let global = InterfaceAddress(IPAddress(v6High: 0xFD00_0000_0000_0000, low: 1), prefixBits: 64)
    let local = InterfaceAddress(IPAddress(v6High: 0xFE80_0000_0000_0000, low: 1), prefixBits: 64)
    let v4 = InterfaceAddress(Self.own, prefixBits: 24)
    let next = InterfaceAddress(IPAddress(v6High: 0xFD00_0000_0000_0001, low: 1), prefixBits: 64)
    let neighbour = InterfaceAddress(IPAddress(v6High: 0xFE80_0000_0000_0000, low: 2), prefixBits: 64)
    for (addresses, served) in [
      ([global, v4, local], [v4, local]), ([global, v4], [v4, global]), ([v4], [v4]), ([local, global], [local]),
      ([global, next, v4], [v4, global]), ([local, neighbour], [local]),
    ] as [([InterfaceAddress], [InterfaceAddress])] {
      let plan = try plan(yaml, [addresses])
      expectEqual(
        plan.devices.flatMap(\.endpoints).map(\.address).sorted(), served.map(\.address).sorted(), "\(addresses)")
      expectEqual(plan.groups.map(\.group), served.map { .ssdp($0.address.family) }, "\(addresses)")
      // Each that is served has a name inside that nobody else has.
      let families = served.map(\.address.family)
      expectEqual(families.map { plan.aliases(on: InterfaceID(0), $0).count }, families.map { _ in 1 })
    }
    expectEqual(try plan(yaml, [[]]).devices.map(\.endpoints), [[]])
  }

  @Test("what the timeline asks of nobody outside is left out, each with one word of it")
  func notes() throws {
    let yaml = """
      inhabitants: {tv: {kind: root-device, profile: tv}}
      timeline:
        - {at: 5s, move: {who: tv, to: 192.168.1.77}}
        - {at: 6s, search: {}}
      """
    let engine = "what the timeline asks of the engine is left out: the programs that search here are outside"
    let moves = "nobody moves to another address: all have the interface's (--add-addresses gives each his own)"
    expectEqual(try plan(yaml, [interface(Self.own)]).notes, [engine, moves])
    let apart = try plan(yaml, [interface(Self.own)], ownAddresses: true)
    expectEqual(apart.notes, [engine])
    #expect(apart.wantedAddresses.contains { $0.endpoint.address == IPAddress(192, 168, 1, 77) })
    // Of who is left out nothing is asked, so nothing more is said of it.
    let peer = """
      inhabitants: {lamp: {kind: nearby-peer}}
      timeline: [{at: 5s, move: {who: lamp, to: 192.168.1.78}}]
      """
    expectEqual(
      try plan(peer, [interface(Self.own)]).notes,
      ["nearby peers are left out: each needs an address of its own (--add-addresses)"])
  }

  @Test("radios, pages under https and refusals of the engine's system are not served, those of others are")
  func unserved() throws {
    let yaml = """
      engine: {scan: {mode: active}}
      inhabitants:
        tv: {kind: root-device, profile: tv, quirks: [locationHttps]}
        lamp: {kind: peripheral, name: Lamp}
      faults:
      """
    let refusals = "refusals of the engine's own system are left out: the system of a real control point is its own"
    let rest = [
      "peripherals are left out: no Bluetooth radio is served", "descriptions under https are not served",
    ]
    for (who, notes) in [("engine", [refusals] + rest), ("tv", rest)] {
      let served = try plan(yaml + "\n  - {at: 5s, until: 6s, refuse-joins: \(who)}", [interface(Self.own)])
      expectEqual(served.notes, notes, "\(who)")
    }
  }

  @Test("nobody inside listens to the group where all are devices of usual habits, and no link has a memory")
  func quiet() throws {
    let burst = "{gilbert-elliott: {good-to-bad: 5%, bad-to-good: 30%, loss-in-bad: 90%}}"
    for (more, isQuiet) in [
      ("", true), (", quirks: [twoLocations]", true), (", quirks: [answersNotify]", false),
      (", quirks: [reanswersOwnMulticast]", false), (", link: {inbound: {loss: 5%}}", true),
      (", link: {inbound: {loss: \(burst)}}", false), (", link: {inbound: {multicast-loss: \(burst)}}", false),
      (", link: {inbound: {bandwidth: 1Mbit/s}}", false), (", link: {outbound: {bandwidth: 1Mbit/s}}", true),
      (", receive-buffer: {bytes: 16KiB, per-datagram: 5ms}", false),
    ] {
      let yaml = "inhabitants: {plug: {kind: root-device, profile: smart-plug}, tv: {kind: root-device\(more)}}"
      expectEqual(try plan(yaml, [interface(Self.own)]).isQuietInside, isQuiet, "\(more)")
    }
    let other = "inhabitants: {plug: {kind: root-device}, pen: {kind: script, lines: [{at: 1s, text: \"a\"}]}}"
    expectEqual(try plan(other, [interface(Self.own)]).isQuietInside, false)
  }

  @Test("an address of IPv6 that the interface does not have is a subnet of its own")
  func ownAddressOfIPv6() throws {
    let yaml = """
      network: {segments: {lan: {ipv6: true}}}
      inhabitants: {tv: {kind: root-device, profile: tv}}
      """
    let served = try plan(yaml, [interface(Self.own)], ownAddresses: true)
    let addresses = served.devices.flatMap(\.endpoints).map(\.address).filter { $0.family == .v6 }
    #expect(!addresses.isEmpty)
    expectEqual(
      addresses.map { served.prefixBits(ofServed: $0, on: InterfaceID(0)) }, addresses.map { _ in 128 })
  }

  // MARK: - Programs on the host that serves

  @Test("a program of the serving host has its subnet's address of zeros inside, or a reserved one where that is taken")
  func ownHost() {
    var host = OwnHost()
    let (first, next) = (InterfaceID(0), InterfaceID(1))
    expectEqual(host.alias(of: Self.own, prefixBits: 24, on: first), IPAddress(10, 77, 1, 0))
    expectEqual(host.alias(of: Self.own, prefixBits: 24, on: first), IPAddress(10, 77, 1, 0))
    // The same address on another interface is another program's.
    let other = host.alias(of: Self.own, prefixBits: 24, on: next)
    // No host has the address of zeros itself, nor does a subnet of one address have one.
    let whole = host.alias(of: IPAddress(10, 9, 9, 9), prefixBits: 32, on: first)
    let even = host.alias(of: IPAddress(10, 9, 9, 10), prefixBits: 31, on: first)
    let reserved = [other, whole, even]
    // Numbered downwards below the address of all ones, which is everybody's.
    expectEqual(reserved, [253, 252, 251].map { IPAddress(255, 255, 255, $0) })
    expectEqual(host.alias(of: IPAddress(10, 9, 9, 11), prefixBits: 31, on: first), IPAddress(10, 9, 9, 10))
    expectEqual(host.alias(of: IPAddress(10, 9, 9, 12), prefixBits: 0, on: first), IPAddress(0, 0, 0, 0))
    expectEqual(host.address(of: other), Self.own)
    expectEqual(host.address(of: whole), IPAddress(10, 9, 9, 9))
    expectEqual(host.address(of: Self.own), nil)
    // The bounds of the two words of an address of IPv6.
    let high: UInt64 = 0xFD00_0000_0000_0003
    let low: UInt64 = 0xC000_0000_0000_0005
    func alias(_ bits: Int) -> IPAddress {
      var host = OwnHost()
      return host.alias(of: IPAddress(v6High: high, low: low), prefixBits: bits, on: first)
    }
    expectEqual(alias(63), IPAddress(v6High: 0xFD00_0000_0000_0002, low: 0))
    expectEqual(alias(64), IPAddress(v6High: high, low: 0))
    expectEqual(alias(65), IPAddress(v6High: high, low: 0x8000_0000_0000_0000))
    var six = OwnHost()
    for number in 0..<2 as Range<UInt64> {
      expectEqual(
        six.alias(of: IPAddress(v6High: high, low: number), prefixBits: 128, on: first),
        IPAddress(v6High: 0x0100_0000_0000_0000, low: .max - number))
    }
  }

  // MARK: - Streams

  private static let page = Endpoint(own, port: 7_676)
  private static let outer = StreamID(900)

  private func inside(_ wants: [ServedStreams.Want]) -> [StreamEffect] {
    wants.compactMap { if case .inside(let effect) = $0 { effect } else { nil } }
  }
  private func outside(_ wants: [ServedStreams.Want]) -> [StreamEffect] {
    wants.compactMap { if case .outside(let effect) = $0 { effect } else { nil } }
  }

  @Test("a device that says more than the outside takes is asked to wait above the bound, and to go on at it")
  func flow() throws {
    let plan = try plan("inhabitants: {tv: {kind: root-device, profile: tv}}", [interface(Self.own)])
    var streams = ServedStreams()
    let begun = streams.begin(plan)
    expectEqual(outside(begun), [.listen(StreamID(1), at: Self.page, InterfaceID(0))])
    let anywhere = Endpoint(IPAddress(0, 0, 0, 0), port: 0)
    expectEqual(inside(begun), [.listen(StreamID(1), at: anywhere, InterfaceID(0))])
    let remote = Endpoint(IPAddress(10, 77, 1, 20), port: 40_000)
    let accepted = StreamSignal.accepted(Self.outer, listener: StreamID(1), local: Self.page, remote: remote)
    expectEqual(streams.outside(accepted, plan: plan, at: .zero).count, 0)
    expectEqual(streams.deadline, .zero + .seconds(30))
    // The head comes in two pieces.
    let request = Array("GET /smp_18_ HTTP/1.1\r\nHOST: x\r\n\r\n".utf8)
    let pieces = [Array(request.prefix(9)), Array(request.dropFirst(9))]
    expectEqual(streams.outside(.bytes(Self.outer, pieces[0]), plan: plan, at: .zero).count, 0)
    let opened = inside(streams.outside(.bytes(Self.outer, pieces[1]), plan: plan, at: .zero))
    let connection = try #require(opened.first)
    guard case .connect(let inner, let place, let gateway) = connection else {
      Issue.record("\(opened)")
      return
    }
    expectEqual(place.port, 7_676)
    expectEqual(gateway, InterfaceID(0))
    expectEqual(streams.deadline, .never)
    // As far as there is room, and the rest with the next.
    let part = streams.inside(.room(inner, byteCount: 9), at: .zero)
    expectEqual(inside(part), [.write(inner, pieces[0])])
    expectEqual(inside(streams.inside(.room(inner, byteCount: 500), at: .zero)), [.write(inner, pieces[1])])
    let bound = ServedStreams.pendingBytesMaximum
    func say(_ count: Int) -> [StreamEffect] {
      inside(streams.inside(.bytes(inner, [UInt8](repeating: 65, count: count)), at: .zero))
    }
    func takes(_ count: UInt32) -> [ServedStreams.Want] {
      streams.outside(.room(Self.outer, byteCount: count), plan: plan, at: .zero + .seconds(5))
    }
    expectEqual(say(bound), [])
    expectEqual(say(1), [.pause(inner)])
    expectEqual(say(1), [])
    expectEqual([streams.servedCount, streams.refusedCount], [0, 1])
    let first = takes(1)
    expectEqual(outside(first), [.write(Self.outer, [65])])
    expectEqual(inside(first), [])
    expectEqual(inside(takes(1)), [.resume(inner)])
    // The end comes behind all that was said, and from then on the outside has its time.
    expectEqual(streams.inside(.ended(inner, .finished), at: .zero + .seconds(5)).count, 0)
    expectEqual(outside(takes(UInt32(bound) - 1)).count, 1)
    let last = takes(1)
    expectEqual(outside(last), [.write(Self.outer, [65]), .finish(Self.outer)])
    expectEqual(inside(last), [.finish(inner)])
    expectEqual(streams.deadline, .zero + .seconds(35))
    expectEqual(streams.advance(to: .zero + .milliseconds(34_999)).count, 0)
    let late = streams.advance(to: .zero + .seconds(35))
    expectEqual(outside(late), [.reset(Self.outer)])
    expectEqual(inside(late), [])
    expectEqual(streams.deadline, .never)
  }
}
