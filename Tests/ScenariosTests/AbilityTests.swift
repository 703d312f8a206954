import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// Which inhabitant can do what, and what an entry of the timeline needs besides.
@Suite("Abilities of inhabitants") struct AbilityTests {
  private static let kinds: [InhabitantKind] = {
    let spoken: [InhabitantKind] = [
      .rootDevice(RootDeviceSection()), .controlPoint(ControlPointSection()), .reflector(Reflector.Plan()),
      .flooder(FlooderSection()), .byebyeSpoofer(ByebyeSpooferSection()), .responder(ResponderSection()),
      .script(ScriptSection()), .recorded(RecordedSection()),
    ]
    let others: [InhabitantKind] = [
      .peripheral(PeripheralSection()), .hciHost(HCIHostSection()), .recordedPeripheral(RecordedPeripheral.Plan()),
      .mdnsResponder(MDNSResponderSection()), .mdnsTester(MDNSTesterSection()), .nearbyPeer(NearbyPeerPlan()),
      .phone(PhoneSection()),
    ]
    return spoken + others
  }()

  /// What is said against an act that each of the kinds is asked for; each is called as its kind.
  private func refused(_ act: Act) -> [String] {
    let inhabitants = Self.kinds.map { InhabitantEntry($0.name, $0) }
    let timeline = Self.kinds.map { TimelineEntry(at: at(1), .act(who: $0.name, act)) }
    return complaints(Scenario("a", inhabitants: inhabitants, timeline: timeline))
      .filter { $0.hasPrefix("timeline") }
  }

  @Test("each act is for some kinds of inhabitants, and all others are refused it where they are named")
  func acts() {
    let all = Set(Self.kinds.map(\.name)).subtracting(["hci-host", "phone"])
    let devices: Set<String> = ["root-device"]
    let talkers: Set<String> = [
      "control-point", "flooder", "byebye-spoofer", "responder", "script", "recorded", "recorded-peripheral",
      "nearby-peer",
    ]
    let movers: Set<String> = ["root-device", "mdns-responder", "nearby-peer"]
    let rebooting: Set<String> = ["root-device", "mdns-responder", "nearby-peer", "peripheral"]
    let crashing: Set<String> = rebooting.union(["control-point"])
    let changing: Set<String> = ["root-device", "mdns-responder", "peripheral"]
    let move = Act.move(interface: InterfaceID(0), to: IPAddress(192, 168, 1, 9))
    let rows: [(act: Act, place: String, can: Set<String>)] = [
      (.appear, "appear", all), (.leave, "leave", all), (.vanish, "vanish", all),
      (.peer(.invite), "invite", ["nearby-peer"]), (.send(script: 0), "send.who", talkers),
      (.crash(downFor: .seconds(1), keepsState: true), "crash.who", crashing), (.reboot, "reboot", rebooting),
      (.reconfigure, "reconfigure", changing), (move, "move.who", movers),
      (.relocate(port: 80), "relocate.who", devices), (.update, "update", devices),
      (.rename(to: "N"), "rename.who", devices),
    ]
    for (act, place, can) in rows {
      var wanted: [String] = []
      for (number, kind) in Self.kinds.enumerated() where !can.contains(kind.name) {
        wanted.append("timeline[\(number)].\(place): '\(kind.name)' is a \(kind.name): it cannot \(act.name)")
      }
      expectEqual(refused(act), wanted)
    }
  }

  @Test("one host at a time moves, on an interface that it has, and a program moves with its host")
  func moves() {
    func move(_ who: String, _ interface: UInt16) -> TimelineEntry {
      let act = Act.move(interface: InterfaceID(interface), to: IPAddress(192, 168, 1, 9))
      return TimelineEntry(at: at(1), .act(who: who, act))
    }
    var beside = HostSection()
    beside.beside = "tv"
    let two = HostSection(interfaces: [InterfaceSection(), InterfaceSection()])
    let inhabitants = [
      InhabitantEntry("tv", host: two), InhabitantEntry("bulb", count: 2), InhabitantEntry("app", host: beside),
    ]
    let timeline = [
      move("tv", 1), move("tv", 2), move("bulb", 0), move("bulb-1", 0), move("bulb-2", 1), move("bulb", 1),
      move("app", 0), move("engine", 0), move("engine", 1), move("nobody", 0),
    ]
    expectEqual(
      complaints(Scenario("a", inhabitants: inhabitants, timeline: timeline)),
      [
        "timeline[1].move.interface: 'tv' has no interface 2",
        "timeline[2].move.who: 'bulb' is 2 hosts: name one, such as bulb-1",
        "timeline[4].move.interface: 'bulb-2' has no interface 1",
        "timeline[5].move.interface: 'bulb' has no interface 1",
        "timeline[5].move.who: 'bulb' is 2 hosts: name one, such as bulb-1",
        "timeline[6].move.who: 'app' is a program of the host of 'tv': move that one",
        "timeline[8].move.interface: 'engine' has no interface 1",
        "timeline[9].move.who: unknown inhabitant 'nobody'; known are tv, bulb, app",
      ])
  }

  @Test("searches have numbers of their own and name one host, and a search that is stopped is there")
  func searches() {
    let deeds: [TimelineEntry.Deed] = [
      .search(SearchDeed(id: 7)), .search(SearchDeed(id: 7)), .search(SearchDeed()), .stopSearch(1), .stopSearch(2),
      .search(SearchDeed(host: Target(.name("bulb")))), .search(SearchDeed(host: Target(.name("bulb-2")))),
      .search(SearchDeed(interface: 0)), .search(SearchDeed(interface: 1)), .reconfirm("bulb"), .reconfirm("nas"),
    ]
    let inhabitants = [
      InhabitantEntry("bulb", count: 2), InhabitantEntry("nas", .mdnsResponder(MDNSResponderSection())),
    ]
    // The five searches without a number have the numbers 1 to 5.
    let timeline = deeds.map { TimelineEntry(at: at(1), $0) } + [TimelineEntry(at: at(1), .stopSearch(6))]
    expectEqual(
      complaints(Scenario("a", inhabitants: inhabitants, timeline: timeline)),
      [
        "timeline[1].search.id: search 7 twice: a search is single-use",
        "timeline[5].search.host: 'bulb' is 2 hosts: name one, such as bulb-1",
        "timeline[8].search.interface: 'engine' has no interface 1",
        "timeline[9].reconfirm: 'bulb' is a root-device: it has no services of multicast DNS",
        "timeline[11].stop-search: there is no search 6",
      ])
  }

  @Test("what the application does needs a manager, and what it forgets needs a store")
  func manager() {
    let connect = DeviceDeed(who: "echo", .connect)
    let ask = DeviceDeed(who: "echo", .app(AppRequest(0, .state(app: "x"))))
    let timeline = [
      TimelineEntry(at: at(1), .manager(.start)), TimelineEntry(at: at(1), .manager(.removeAll)),
      TimelineEntry(at: at(1), .device(connect)), TimelineEntry(at: at(1), .device(ask)),
      TimelineEntry(at: at(1), .device(DeviceDeed(who: "tv", .connect))),
    ]
    var scenario = Scenario(
      "a", inhabitants: [InhabitantEntry("tv"), InhabitantEntry("echo", .reflector(Reflector.Plan()))],
      timeline: timeline, faults: [FaultEntry(at: at(1), .store(.full))])
    let none = "the engine has no manager: 'engine' needs the key 'manager'"
    let store = "the application keeps no devices: 'manager' of 'engine' needs the key 'store'"
    let nothing = "'echo' is no root device, no peripheral and no host with services"
    let (first, second) = ("timeline[2].\(connect.key)", "timeline[3].\(ask.key)")
    let who = ["\(first): \(nothing)", "\(second).who: \(nothing)"]
    expectEqual(
      complaints(scenario),
      [
        "timeline[0]: \(none)", "timeline[1]: \(none)", "\(first): \(none)", who[0], "\(second): \(none)", who[1],
        "timeline[4].\(connect.key): \(none)", "faults[0].store: \(store)",
      ])
    scenario.engine.configuration.manager = ManagerConfiguration()
    expectEqual(
      complaints(scenario), ["timeline[1].manager: \(store)"] + who + ["faults[0].store: \(store)"])
    scenario.engine.configuration.manager?.store = .connectedOnly
    expectEqual(complaints(scenario), who)
  }
}
