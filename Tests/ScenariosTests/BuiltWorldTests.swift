import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Worlds that are built without the checks of a document: segments, links, programs and windows.
@Suite("Worlds that are built") struct BuiltWorldTests {
  private static let echo = InhabitantKind.reflector(Reflector.Plan())
  private static func v6(_ low: UInt64) -> IPAddress { IPAddress(v6High: 0xFE80_0000_0000_0000, low: low) }

  @Test("a host is in the segment that it names, with the prefix and the addresses of that one")
  func segments() {
    let lan = SegmentSection(snooping: true, querier: .seconds(5), membershipTimeout: .seconds(9))
    let far = SegmentSection(
      name: "far", subnet: InterfaceAddress(IPAddress(10, 1, 0, 0), prefixBits: 16), ipv6: true)
    let near = IPAddress(192, 168, 1, 9)
    let several = HostSection(interfaces: [
      InterfaceSection(segment: "far", isUpAtStart: false), InterfaceSection(segment: "lan", address: near),
    ])
    let hosts = [
      HostSection(segment: "far", address: IPAddress(10, 1, 0, 9)), several,
      HostSection(segment: "far", address: IPAddress(10, 1, 0, 7), ipv6: false),
      HostSection(address: IPAddress(192, 168, 1, 7), ipv6: true), HostSection(segment: "far", address: Self.v6(9)),
    ]
    let inhabitants = hosts.enumerated().map { number, host in
      InhabitantEntry("h\(number)", count: number == 4 ? 2 : 1, host: host, Self.echo)
    }
    let world = built(Scenario("a", network: NetworkSection(segments: [lan, far]), inhabitants: inhabitants))
    expectEqual(
      world.plan.segments,
      [
        SegmentPlan(name: "lan", snooping: true, querierInterval: .seconds(5), membershipTimeout: .seconds(9)),
        SegmentPlan(name: "far"),
      ])
    let places = world.plan.hosts.map { host in host.interfaces.map(\.segment) }
    expectEqual(places, [[0], [1], [1, 0], [1], [0], [1], [1]])
    let bits = world.plan.hosts.map { host in host.interfaces.map { $0.addresses.map(\.prefixBits) } }
    expectEqual(bits, [[[24]], [[16, 64]], [[16, 64], [24]], [[16]], [[24, 64]], [[64]], [[64]]])
    expectEqual(world.plan.hosts[2].interfaces.map(\.isUpAtStart), [false, true])
    expectEqual(world.plan.hosts[1].interfaces[0].addresses[0].address, IPAddress(10, 1, 0, 9))
    expectEqual(world.plan.hosts[5].interfaces[0].addresses.map(\.address), [Self.v6(9)])
    expectEqual(world.plan.hosts[6].interfaces[0].addresses.map(\.address), [Self.v6(10)])
    // The address of the link is made of the name and of the number of the interface.
    let plan = AddressPlan([], [])
    expectEqual(
      world.plan.hosts[2].interfaces[0].addresses.last?.address, plan.linkLocal(name: "h1", interface: 0))
    expectEqual(
      world.plan.hosts[4].interfaces[0].addresses.last?.address, plan.linkLocal(name: "h3", interface: 0))
  }

  @Test("a link does what the network says, then what its host says, then what its interface says, each way")
  func links() {
    let network = NetworkSection(
      link: LinkSection(LinkPatch(corrupt: .percent(1), mtu: 1_000), inbound: LinkPatch(mtu: 900)))
    let own = LinkSection(outbound: LinkPatch(mtu: 800))
    let last = InterfaceSection(link: LinkSection(inbound: LinkPatch(corrupt: .percent(2), mtu: 700)))
    let host = HostSection(interfaces: [InterfaceSection(), last], link: own)
    let world = built(Scenario("a", network: network, inhabitants: [InhabitantEntry("h", host: host, Self.echo)]))
    func rule(_ corrupt: UInt64, _ mtu: Int) -> LinkRule {
      LinkPatch(corrupt: .percent(corrupt), mtu: mtu).applied(to: LinkRule())
    }
    let interfaces = world.plan.hosts.flatMap(\.interfaces)
    expectEqual(interfaces.map(\.outbound), [rule(1, 1_000), rule(1, 800), rule(1, 800)])
    expectEqual(interfaces.map(\.inbound), [rule(1, 900), rule(1, 900), rule(2, 700)])
  }

  @Test("one program is beside one other that stands before it and has a host of its own, and addresses have to fit")
  func refusals() {
    func said(_ inhabitants: [InhabitantEntry]) -> String? {
      var world = WorldBuilder(Scenario("a", inhabitants: inhabitants))
      return world.build().map { "\($0.path): \($0.message)" }
    }
    func app(
      _ name: String, beside owner: String, count: Int = 1, interfaces: Int = 0, _ kind: InhabitantKind? = nil
    ) -> InhabitantEntry {
      var host = HostSection(interfaces: (0..<interfaces).map { _ in InterfaceSection() })
      host.beside = owner
      return InhabitantEntry(name, count: count, host: host, kind ?? Self.echo)
    }
    let tv = InhabitantEntry("tv")
    expectEqual(said([tv, app("app", beside: "tv")]), nil)
    expectEqual(said([tv, app("app", beside: "tv"), app("b", beside: "tv")]), nil)
    expectEqual(
      said([app("app", beside: "tv"), tv]),
      "inhabitants.app.beside: expected an inhabitant that stands before it, found 'tv'")
    let single = "inhabitants.app.beside: only one inhabitant can be beside one other"
    expectEqual(said([InhabitantEntry("tv", count: 2), app("app", beside: "tv")]), single)
    expectEqual(said([tv, app("app", beside: "tv", count: 2)]), single)
    expectEqual(said([tv, app("app", beside: "tv", interfaces: 2)]), single)
    expectEqual(said([tv, app("app", beside: "tv", .peripheral(PeripheralSection()))]), single)
    expectEqual(
      said([tv, app("app", beside: "tv"), app("b", beside: "app")]),
      "inhabitants.b.beside: 'app' is a program of the host of 'tv': name that one")
    let crowd = InhabitantEntry("crowd", count: 254, Self.echo)
    expectEqual(said([crowd]), "inhabitants.crowd: no room for 254 successive addresses in 192.168.1.0/24")
  }

  @Test("a window is cut at the end of the run, and is empty there where nothing is known of its beginning")
  func windows() {
    func after(_ anchor: Anchor, _ first: Int64, _ last: Int64) -> Expectation {
      Expectation(.never(Never(.failed(nil), .after(anchor, .seconds(first) ... .seconds(last)))))
    }
    let expectations = [
      after(.timeline("t1"), 1, 2), after(.timeline("t1"), 5, 15), after(.timeline("t1"), 20, 30),
      after(.timeline("x"), 1, 2), after(.fault("x"), 1, 2), after(.fault("f1"), 1, 2), after(.mended("f1"), 1, 2),
      Expectation(.never(Never(.failed(nil)))), Expectation(.converged),
    ]
    let world = built(
      Scenario(
        "a", timeline: [TimelineEntry(at: at(50), .stopEngine)],
        faults: [FaultEntry(at: at(40), .refuseJoins("engine"))], expectations: expectations))
    let windows: [ClosedRange<Instant>] = [
      at(51)...at(52), at(55)...at(60), at(60)...at(60), at(60)...at(60), at(60)...at(60), at(41)...at(42),
      at(60)...at(60), at(0)...at(60),
    ]
    var wanted = windows.map { window in
      ResolvedExpectation.Kind.never([
        EventCheck(label: "", event: EventMatch(.failed(nil)), when: .within(window))
      ])
    }
    wanted.append(.converged(from: at(60)))
    expectEqual(world.expectations.map(\.kind), wanted)
  }

  @Test("several names of one device count once, and an anchor keeps its own devices")
  func names() {
    let soon: ClosedRange<Interval> = .zero ... .seconds(1)
    let given = DeviceUUID(seed: Seed(7), name: "given")
    var section = RootDeviceSection()
    section.uuid = given
    let kinds: [Expectation.Kind] = [
      .happens(Happens(.found(.everyone), .after(.event(.lost(.each(["tv-2"]))), soon))),
      .happens(Happens(.found(.anyOf(["tv", "tv-1"])))), .happens(Happens(.found(.each(["tv-2", "tv"])))),
      .present(Present(at: at(1), devices: ["tv-2", "tv", "tv-2"])),
    ]
    let world = built(
      Scenario(
        "a", inhabitants: [InhabitantEntry("tv", count: 2), InhabitantEntry("box", .rootDevice(section))],
        expectations: kinds.map { Expectation($0) }))
    let own = (1...2).map { DeviceUUID(seed: Seed(0), name: "tv-\($0)") }
    let ids = (own + [given]).map { "uuid:" + $0.text(.standard) }
    expectEqual(world.devices.map(\.identity), ids)
    expectEqual(world.deviceKinds.map(\.inhabitant), [0, 1])
    expectEqual(world.deviceKinds.map(\.description.root.uuid), [own[0], given])
    expectEqual(world.devices.map(\.kind), [.root(0, own[0]), .root(0, own[1]), .root(1, given)])
    let labels = ["tv-1", "tv-2", "box"]
    let whole = EventCheck.Stretch.within(at(0)...at(60))
    let anchored = zip(labels, ids).map { label, id in
      EventCheck(
        label: label, event: EventMatch(.found, .these([id])),
        when: .after(EventMatch(.lost(nil), .these([ids[1]])), soon))
    }
    let pair = [ids[0], ids[1]]
    let pooled = EventCheck(label: "", event: EventMatch(.found, .these(pair)), when: whole)
    let each = (0..<2).map { number in
      EventCheck(label: labels[number], event: EventMatch(.found, .these([ids[number]])), when: whole)
    }
    let wanted: [ResolvedExpectation.Kind] = [
      .happens(anchored, times: .atLeast(1)), .happens([pooled], times: .atLeast(1)),
      .happens(each, times: .atLeast(1)), .presentDevices(at: at(1), pair),
    ]
    expectEqual(world.expectations.map(\.kind), wanted)
  }

  @Test("an inhabitant appears in its range at an instant drawn from its own stream, and all in the order of time")
  func appearances() {
    let world = built(
      Scenario(
        "a",
        inhabitants: [
          InhabitantEntry("late", appear: .at(at(30)), Self.echo),
          InhabitantEntry("tv", appear: .within(at(10)...at(15)), Self.echo),
          InhabitantEntry("never", appear: .never, Self.echo), InhabitantEntry("first", Self.echo),
          InhabitantEntry("same", appear: .at(at(30)), Self.echo),
        ]))
    var stream = Seed(3).stream("tv/appear")
    let moment = at(10) + stream.interval(in: .zero ... .seconds(5))
    let wanted: [(host: Int, at: Instant)] = [(4, at(0)), (2, moment), (1, at(30)), (5, at(30))]
    expectEqual(
      world.appearances(under: Seed(3)),
      wanted.map { ResolvedCommand(id: "appear", at: $0.at, host: $0.host, command: .act(.appear)) })
    expectEqual(["engine", "late", "same", "x"].map { world.host(named: $0) }, [0, 1, 5, nil])
  }

  @Test("a failure of the store ends where it says, else where all heals, else never")
  func store() {
    let faults = [
      FaultEntry(at: at(1), until: at(2), .store(.full)), FaultEntry(at: at(3), .store(.denied)),
      FaultEntry(at: at(4), .refuseJoins("engine")),
    ]
    var scenario = Scenario("a", faults: faults)
    expectEqual(built(scenario).store, nil)
    var manager = ManagerConfiguration()
    scenario.engine.configuration.manager = manager
    expectEqual(built(scenario).store, nil)
    manager.store = .connectedOnly
    scenario.engine.configuration.manager = manager
    func trouble(_ begin: Int64, _ end: Instant, _ failure: StoreFailure) -> StorePlan.Trouble {
      StorePlan.Trouble(host: 0, at: at(begin), until: end, failure)
    }
    expectEqual(built(scenario).store?.troubles, [trouble(1, at(2), .full), trouble(3, .never, .denied)])
    scenario.heal = at(9)
    expectEqual(built(scenario).store?.troubles, [trouble(1, at(2), .full), trouble(3, at(9), .denied)])
  }
}
