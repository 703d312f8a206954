import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallScenarios

/// Timelines and faults of scenarios that are made in Swift: every command and every change, with its host and instant.
@Suite("Resolved timelines and faults") struct ResolvedDeedTests {
  private static let link = InterfaceID(0)
  private static func v6(_ low: UInt64) -> IPAddress { IPAddress(v6High: 0xFE80_0000_0000_0000, low: low) }

  private static func inhabitants() throws -> [InhabitantEntry] {
    let box = MDNSService(try ServiceType(Array("http".utf8), .tcp), "Box", port: 80)
    return [
      InhabitantEntry("tv", count: 2, .rootDevice(RootDeviceSection(quirks: [.upperCaseUUID]))),
      InhabitantEntry("ann", .nearbyPeer(NearbyPeerPlan())),
      InhabitantEntry("nas", .mdnsResponder(MDNSResponderSection(services: [box]))),
      InhabitantEntry("lamp", .peripheral(PeripheralSection())),
      InhabitantEntry(
        "fork",
        host: HostSection(interfaces: [
          InterfaceSection(address: v6(9)), InterfaceSection(address: IPAddress(192, 168, 1, 9)),
        ]), .reflector(Reflector.Plan())),
      InhabitantEntry(
        "six",
        host: HostSection(interfaces: [InterfaceSection(address: v6(10)), InterfaceSection(address: v6(11))]),
        .reflector(Reflector.Plan())),
    ]
  }

  @Test("every deed becomes a command of the host that does it, with the device that its name stands for")
  func commands() throws {
    var engine = EngineSection()
    engine.configuration.manager = ManagerConfiguration()
    let (address, moved) = (IPAddress(10, 0, 0, 1), IPAddress(192, 168, 1, 77))
    let deeds: [(seconds: Int64, id: String?, deed: TimelineEntry.Deed)] = [
      (2, nil, .hold("tv-2")), (2, "let", .release("tv-2")), (1, nil, .reconfirm("nas")), (1, nil, .stopSearch(7)),
      (1, nil, .search(SearchDeed(id: 7, host: Target(.name("fork"))))),
      (1, nil, .search(SearchDeed(target: "a", host: Target(.name("six")), interface: 0))),
      (1, nil, .search(SearchDeed(host: Target(.address(address), port: 5)))),
      (1, nil, .device(DeviceDeed(who: "ann", .app(AppRequest(0, .state(app: "x")))))),
      (1, nil, .peripheral(PeripheralDeed(who: "lamp", .discover, times: 2))),
      (1, nil, .act(who: "tv", .leave)), (1, nil, .act(who: "tv-1", .move(interface: Self.link, to: moved))),
      (1, nil, .act(who: "engine", .move(interface: Self.link, to: moved))), (1, nil, .manager(.start)),
      (1, nil, .browse(.type("_http._tcp"))), (1, nil, .stopBrowsing(.everything)), (1, nil, .stopEngine),
    ]
    let world = try Scenario(
      "a", engine: engine, inhabitants: Self.inhabitants(),
      timeline: deeds.map { TimelineEntry(id: $0.id, at: at($0.seconds), $0.deed) }
    ).resolved()
    let second = "uuid:" + DeviceUUID(seed: Seed(0), name: "tv-2").text(.capitals)
    let ann = NearbyPeerPlan().deviceName(of: NearbyPeerPlan.id(ofHost: "ann", 0))
    let discover = Command.peripheral(CentralCommand(PeripheralSection.address(named: "lamp"), .discover))
    let wanted: [(id: String, seconds: Int64, host: Int, command: Command)] = [
      ("t3", 1, 0, .reconfirm(device: "peer:Box._http._tcp.local")), ("t4", 1, 0, .stopSearch(SearchID(7))),
      (
        "t5", 1, 0,
        .search(
          Search(id: SearchID(7), target: "ssdp:all", host: Endpoint(IPAddress(192, 168, 1, 9), port: 0)))
      ),
      (
        "t6", 1, 0,
        .search(Search(id: SearchID(1), target: "a", host: Endpoint(Self.v6(10), port: 0), interface: Self.link))
      ),
      ("t7", 1, 0, .search(Search(id: SearchID(2), target: "ssdp:all", host: Endpoint(address, port: 5)))),
      ("t8", 1, 0, .manager(.device(ann, .app(AppRequest(8, .state(app: "x")))))),
      ("t9", 1, 0, discover), ("t9", 1, 0, discover),
      ("t10", 1, 1, .act(.leave)), ("t10", 1, 2, .act(.leave)),
      ("t11", 1, 1, .act(.move(interface: Self.link, to: moved))), ("t13", 1, 0, .manager(.start)),
      ("t14", 1, 0, .browse(.type("_http._tcp"))), ("t15", 1, 0, .stopBrowsing(.everything)), ("t16", 1, 0, .stop),
      ("t1", 2, 0, .hold(device: second)), ("let", 2, 0, .release(device: second)),
    ]
    expectEqual(
      world.commands,
      wanted.map { ResolvedCommand(id: $0.id, at: at($0.seconds), host: $0.host, command: $0.command) })
  }

  @Test("every fault breaks and mends what it names, under a number of its own, for each program of a host")
  func faults() throws {
    var beside = HostSection()
    beside.beside = "tv"
    let (left, right) = (IPAddress(192, 168, 1, 77), IPAddress(192, 168, 1, 78))
    func fault(_ begin: Int64, _ end: Int64, _ kind: FaultEntry.Kind, id: String? = nil) -> FaultEntry {
      FaultEntry(id: id, at: at(begin), until: at(end), kind)
    }
    func move(_ seconds: Int64, _ who: String, _ address: IPAddress, id: String? = nil) -> TimelineEntry {
      TimelineEntry(id: id, at: at(seconds), .act(who: who, .move(interface: Self.link, to: address)))
    }
    let world = try Scenario(
      "a", network: NetworkSection(segments: [SegmentSection(querier: .seconds(5))]),
      inhabitants: [
        InhabitantEntry("tv"), InhabitantEntry("lamp", .reflector(Reflector.Plan())),
        InhabitantEntry("app", host: beside, .reflector(Reflector.Plan())),
      ],
      timeline: [move(20, "engine", left), move(21, "tv", right), move(30, "engine", right, id: "far")],
      faults: [
        fault(1, 2, .querierGone(segment: "lan")),
        fault(1, 2, .link(who: "tv", interface: 0, direction: .both, rule: LinkPatch(mtu: 1_000)), id: "jam"),
        fault(3, 4, .partition(from: ["app"], to: ["engine"], isBoth: true)),
        fault(5, 6, .refuseJoins("lamp")), fault(5, 6, .refuseMulticastSends("app")),
        fault(7, 8, .interfaceDown(who: "app", interface: 0)),
        fault(9, 10, .partition(from: ["lamp"], to: ["app"], isBoth: false)),
      ]
    ).resolved()
    func links(_ rule: LinkRule?) -> [Fault] {
      [1, 3].flatMap { host in
        [true, false].map { Fault.link(host: host, interface: Self.link, outbound: $0, rule: rule) }
      }
    }
    let wanted: [(id: String, seconds: Int64, faults: [Fault])] = [
      ("f1", 1, [.querier(segment: 0, interval: nil)]), ("jam", 1, links(LinkRule(mtu: 1_000))),
      ("f1", 2, [.querier(segment: 0, interval: .seconds(5))]), ("jam", 2, links(nil)),
      ("f3", 3, [.partition(number: 4, from: [1, 3], to: [0]), .partition(number: 5, from: [0], to: [1, 3])]),
      ("f3", 4, [.healPartition(number: 4), .healPartition(number: 5)]),
      ("f4", 5, [.refuseJoins(host: 2, true)]), ("f5", 5, [.refuseMulticastSends(host: 3, true)]),
      ("f4", 6, [.refuseJoins(host: 2, false)]), ("f5", 6, [.refuseMulticastSends(host: 3, false)]),
      ("f6", 7, [1, 3].map { Fault.interfaceDown(host: $0, interface: Self.link) }),
      ("f6", 8, [1, 3].map { Fault.interfaceUp(host: $0, interface: Self.link) }),
      ("f7", 9, [.partition(number: 12, from: [2], to: [1, 3])]), ("f7", 10, [.healPartition(number: 12)]),
      ("t1", 20, [.readdress(host: 0, interface: Self.link, address: left)]),
      ("far", 30, [.readdress(host: 0, interface: Self.link, address: right)]),
    ]
    expectEqual(
      world.faults,
      wanted.flatMap { entry in
        entry.faults.map { ResolvedFault(id: entry.id, at: at(entry.seconds), fault: $0) }
      })
  }
}
