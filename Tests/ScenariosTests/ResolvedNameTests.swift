import RollcallDevices
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Scenarios that are made in Swift: the addresses, devices and windows that names and defaults of theirs stand for.
@Suite("Names of resolved scenarios") struct ResolvedNameTests {
  private static let bulbs = InhabitantEntry("bulb", count: 2, host: HostSection(address: IPAddress(192, 168, 1, 20)))
  private static let reflector = InhabitantKind.reflector(Reflector.Plan())

  @Test("messages go to the first host of a name and to port 1900, or to the port that is given")
  func destinations() throws {
    let (all, second) = (Target(.name("bulb")), Target(.name("bulb-2")))
    var plan = Responder.Plan()
    plan.quirks = [.noExt]
    var flood = Flooder.Plan()
    flood.message = .response
    let world = try Scenario(
      "a", engine: EngineSection(host: HostSection(address: IPAddress(192, 168, 1, 19))),
      inhabitants: [
        Self.bulbs,
        InhabitantEntry("p", .controlPoint(ControlPointSection(host: all))),
        InhabitantEntry(
          "q", .controlPoint(ControlPointSection(host: Target(.address(IPAddress(10, 0, 0, 1)), port: 80)))),
        InhabitantEntry("f", .flooder(FlooderSection(flood, profile: .camera, to: second))),
        InhabitantEntry(
          "r",
          .responder(
            ResponderSection(
              plan, profile: .lightBridge,
              unsolicited: [ResponderSection.Unsolicited(to: second, target: "a", every: .seconds(2))]))),
        InhabitantEntry(
          "s", .script(ScriptSection([ScriptSection.Line(payload: [0]), ScriptSection.Line(payload: [1], to: all)]))),
      ]
    ).resolved()
    expectEqual(
      world.plan.hosts.prefix(3).map { $0.interfaces.flatMap(\.addresses).map(\.address) },
      [[IPAddress(192, 168, 1, 19)], [IPAddress(192, 168, 1, 20)], [IPAddress(192, 168, 1, 21)]])
    let first = Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
    let other = Endpoint(IPAddress(192, 168, 1, 21), port: 1_900)
    var (near, far) = (ControlPointDecoy.Plan(), ControlPointDecoy.Plan())
    near.unicastTo = first
    far.unicastTo = Endpoint(IPAddress(10, 0, 0, 1), port: 80)
    (flood.responsesTo, flood.description) = (other, Profile.camera.description)
    plan.description = Profile.lightBridge.description
    plan.quirks = Profile.lightBridge.quirks + [.noExt]
    plan.unsolicited = [Responder.Unsolicited(to: other, target: "a", interval: .seconds(2))]
    let kinds: [ResolvedInhabitant] = [
      .controlPoint(near), .controlPoint(far), .flooder(flood), .responder(plan),
      .script([
        Script.Line(payload: [0], to: Endpoint(.ssdpGroup4, port: 1_900)), Script.Line(payload: [1], to: first),
      ]),
    ]
    expectEqual(world.hosts.dropFirst(3).map(\.role), kinds.map { ResolvedHost.Role.other($0) })
  }

  @Test("an address that another host has is refused where it is written, and so is a place beside the engine")
  func refusals() {
    func complaint(_ inhabitants: [InhabitantEntry]) -> String? {
      var world = WorldBuilder(Scenario("a", inhabitants: inhabitants))
      return world.build().map { "\($0.path): \($0.message)" }
    }
    let address = IPAddress(192, 168, 1, 9)
    let first = InhabitantEntry("a", host: HostSection(address: address), Self.reflector)
    let several = HostSection(interfaces: [InterfaceSection(), InterfaceSection(address: address)])
    var beside = HostSection()
    beside.beside = "engine"
    expectEqual(complaint([first]), nil)
    expectEqual(
      complaint([first, InhabitantEntry("b", host: HostSection(address: address), Self.reflector)]),
      "inhabitants.b.address: 192.168.1.9 is already somebody's")
    expectEqual(
      complaint([first, InhabitantEntry("b", host: several, Self.reflector)]),
      "inhabitants.b.interfaces[1].address: 192.168.1.9 is already somebody's")
    expectEqual(
      complaint([InhabitantEntry("b", host: beside, Self.reflector)]),
      "inhabitants.b.beside: expected an inhabitant that stands before it, found 'engine'")
  }

  @Test("addresses are counted on in the last 32 bits of IPv4 and in the last 64 of IPv6")
  func successors() {
    expectEqual(IPAddress(255, 255, 255, 255).advanced(by: 1), IPAddress(0, 0, 0, 0))
    expectEqual(
      IPAddress(v6High: 1, low: 0xFFFF_FFFF).advanced(by: 1), IPAddress(v6High: 1, low: 0x1_0000_0000))
    expectEqual(IPAddress(v6High: 1, low: .max).advanced(by: 2), IPAddress(v6High: 1, low: 1))
  }

  @Test("windows begin at the entry, fault or end of a fault that they name, and devices are those of their names")
  func expectations() throws {
    let soon: ClosedRange<Interval> = .seconds(1) ... .seconds(2)
    let anchors: [Anchor] = [
      .timeline("t1"), .timeline("go"), .fault("f1"), .fault("jam"), .mended("f1"), .mended("jam"),
    ]
    var port = AttributePattern()
    port.port = 80
    var nearby = NearbyPattern(.connected, of: .each(["ann"]))
    nearby.peer = .each(["ben"])
    var kinds = anchors.map { Expectation.Kind.never(Never(.failed(nil), .after($0, soon))) }
    kinds += [
      .present(Present(at: at(1), count: .exactly(3))), .present(Present(at: at(1))), .converged,
      .conforms(Conforms(who: "bulb")),
      .happens(Happens(.found(.each(["bulb"]), has: port), .after(.event(.lost(.each(["bulb"]))), soon))),
      .happens(Happens(.nearby(nearby))),
    ]
    let world = try Scenario(
      "a",
      inhabitants: [
        Self.bulbs, InhabitantEntry("ann", .nearbyPeer(NearbyPeerPlan())),
        InhabitantEntry("ben", .nearbyPeer(NearbyPeerPlan())),
      ],
      timeline: [
        TimelineEntry(at: at(1), .act(who: "bulb", .leave)),
        TimelineEntry(id: "go", at: at(2), .act(who: "bulb", .appear)),
      ],
      faults: [
        FaultEntry(at: at(3), until: at(5), .refuseJoins("engine")),
        FaultEntry(id: "jam", at: at(4), until: at(6), .refuseJoins("engine")),
      ], heal: at(30), converge: .seconds(10), expectations: kinds.map { Expectation($0) }
    ).resolved()
    let bulbs = (1...2).map { "uuid:" + DeviceUUID(seed: Seed(0), name: "bulb-\($0)").text(.standard) }
    func names(_ host: String) -> [String] {
      (0..<16).map { NearbyPeerPlan().deviceName(of: NearbyPeerPlan.id(ofHost: host, $0)) }
    }
    var pair = EventMatch(.nearby(nearby), .these(names("ann")))
    pair.others = .these(names("ben"))
    // The anchors follow each other by a second, from the first one on.
    let starts: [Int64] = [2, 3, 4, 5, 6, 7]
    var wanted = starts.map { start in
      let window = EventCheck.Stretch.within(at(start)...at(start + 1))
      return ResolvedExpectation.Kind.never([EventCheck(label: "", event: EventMatch(.failed(nil)), when: window)])
    }
    let found = bulbs.enumerated().map { number, bulb in
      EventCheck(
        label: "bulb-\(number + 1)", event: EventMatch(.found, .these([bulb]), has: port),
        when: .after(EventMatch(.lost(nil), .these([bulb])), soon))
    }
    wanted += [
      .presentCount(at: at(1), .exactly(3)), .presentCount(at: at(1), .atLeast(0)), .converged(from: at(40)),
      .conforms(hosts: [1, 2], keeps: [], ignores: []), .happens(found, times: .atLeast(1)),
      .happens([EventCheck(label: "ann", event: pair, when: .within(at(0)...at(60)))], times: .atLeast(1)),
    ]
    expectEqual(world.expectations.map(\.kind), wanted)
    // Defaults are left out of what a report shows.
    expectEqual(world.expectations[9].text, "{conforms: {who: bulb}}")
  }
}
