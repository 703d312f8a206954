import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

@testable import RollcallScenarios

/// What is planned for the radios of a scenario that was made in Swift.
@Suite("Plans of radios") struct RadioPlanTests {
  private static let section = RadioSection(
    position: Position(x: 1_000, z: 2_000), transmitPower: 4, sensitivity: -80, loss: .uniform(.percent(5)))

  /// A tag with a radio of its own, another one, a recorded one and a host without a radio, with what is done to them.
  private var busy: Scenario {
    func off(_ who: String, _ begin: Int64, _ end: Int64?) -> FaultEntry {
      FaultEntry(at: at(begin), until: end.map { at($0) }, .radioOff(who))
    }
    func walk(_ who: String, _ begin: Int64, _ north: Int64) -> TimelineEntry {
      TimelineEntry(
        at: at(begin), .walk(WalkDeed(who: who, to: Position(y: north), duration: .seconds(1))))
    }
    return Scenario(
      "a", engine: EngineSection(host: HostSection(radio: RadioSection(position: Position(x: 5)))),
      inhabitants: [
        InhabitantEntry("tag", host: HostSection(radio: Self.section), .peripheral(PeripheralSection())),
        InhabitantEntry("other", .peripheral(PeripheralSection())),
        InhabitantEntry("echo", .reflector(Reflector.Plan())),
        InhabitantEntry("past", .recordedPeripheral(RecordedPeripheral.Plan())),
      ],
      timeline: [
        walk("tag", 5, 1), walk("tag", 2, 2), walk("other", 3, 3),
        TimelineEntry(at: at(1), .peripheral(PeripheralDeed(who: "tag", .connect))),
      ],
      faults: [
        off("tag", 1, 5), off("tag", 2, 3), off("tag", 5, 6), off("other", 4, nil), off("tag", 10, nil),
      ], heal: at(20))
  }

  @Test("each host on the air has the radio of its section, with its own walks and switches in the order of time")
  func radios() {
    var tag = RadioHostPlan(
      name: "tag", position: Position(x: 1_000, z: 2_000), transmitPower: 4, sensitivity: -80,
      loss: .uniform(.percent(5)))
    tag.walks = [
      Walk(start: at(2), duration: .seconds(1), to: Position(y: 2)),
      Walk(start: at(5), duration: .seconds(1), to: Position(y: 1)),
    ]
    // One that ends at 5 s leaves another one that begins then.
    tag.switches = [
      RadioSwitch(at: at(1), isOn: false), RadioSwitch(at: at(6), isOn: true), RadioSwitch(at: at(10), isOn: false),
      RadioSwitch(at: at(20), isOn: true),
    ]
    var other = RadioHostPlan(name: "other")
    other.walks = [Walk(start: at(3), duration: .seconds(1), to: Position(y: 3))]
    other.switches = [RadioSwitch(at: at(4), isOn: false), RadioSwitch(at: at(20), isOn: true)]
    let engine = RadioHostPlan(name: "engine", position: Position(x: 5))
    expectEqual(
      built(busy).radio,
      RadioPlan(radios: [engine, tag, other, nil, RadioHostPlan(name: "past")], heal: at(20)))
    expectEqual(built(Scenario("a", inhabitants: [InhabitantEntry("tv")])).radio, nil)
  }

  @Test("a radio is shown with all of its section, and with walks and switches where it has any")
  func shown() {
    let world = built(Scenario("a"))
    let place = Form<Position>.position
    let head = [
      ("position", place.write(Position(x: 1_000, z: 2_000), true)), ("transmit-power", Tree.scalar("4dBm")),
      ("sensitivity", .scalar("-80dBm")), ("loss", Form<Loss>.loss.write(.uniform(.percent(5)), true)),
    ]
    var radio = RadioHostPlan(
      name: "tag", position: Position(x: 1_000, z: 2_000), transmitPower: 4, sensitivity: -80,
      loss: .uniform(.percent(5)))
    expectEqual(world.radioTree(radio), .mapping(head))
    radio.walks = [Walk(start: at(2), duration: .seconds(1), to: Position(y: 2_000))]
    let to = Tree.mapping([("east", .scalar("0m")), ("north", .scalar("2m")), ("up", .scalar("0m"))])
    let walk = Tree.mapping([("at", .scalar("2s")), ("to", to), ("over", .scalar("1s"))])
    expectEqual(world.radioTree(radio), .mapping(head + [("walks", .list([walk]))]))
    radio.walks = []
    radio.switches = [RadioSwitch(at: at(1), isOn: false), RadioSwitch(at: at(3), isOn: true)]
    expectEqual(
      world.radioTree(radio),
      .mapping(head + [("switches", .list([.scalar("off at 1s"), .scalar("on at 3s")]))]))
  }

  @Test("an engine has a radio where it scans, connects, registers a service of Bluetooth, or is among phones")
  func engine() {
    let (bluetooth, dial) = (
      ServiceRegistration("Lamp", .bluetooth, filter: "180f"), ServiceRegistration("DIAL", .ssdp, filter: "a")
    )
    func scenario(_ change: (inout Scenario) -> Void) -> Bool {
      var scenario = Scenario("a", inhabitants: [InhabitantEntry("tag", .peripheral(PeripheralSection()))])
      change(&scenario)
      return scenario.engineHasRadio
    }
    func managed(_ registrations: [ServiceRegistration]) -> Bool {
      scenario { scenario in
        var manager = ManagerConfiguration()
        manager.setup.registrations = registrations
        scenario.engine.configuration.manager = manager
      }
    }
    func asked(_ deed: TimelineEntry.Deed) -> Bool { scenario { $0.timeline = [TimelineEntry(at: at(1), deed)] } }
    let found: [Bool] = [
      scenario { _ in }, scenario { $0.engine.configuration.scan = ScanPolicy() },
      managed([]), managed([dial]), managed([dial, bluetooth]),
      scenario { $0.inhabitants.append(InhabitantEntry("ann", .phone(PhoneSection()))) },
      asked(.act(who: "tag", .leave)), asked(.peripheral(PeripheralDeed(who: "tag", .connect))),
      asked(.manager(.register([dial]))), asked(.manager(.register([bluetooth]))),
    ]
    expectEqual(found, [false, true, false, false, true, true, false, true, false, true])
  }

  @Test("a peripheral has a private address for each interval of the run and for each entry that may start it anew")
  func addresses() {
    let world = built(
      Scenario(
        "a", duration: .seconds(10),
        inhabitants: [InhabitantEntry("tag", .peripheral(PeripheralSection(rotation: .seconds(3))))],
        timeline: [TimelineEntry(at: at(1), .stopEngine), TimelineEntry(at: at(2), .stopEngine)],
        faults: [FaultEntry(at: at(1), .radioOff("tag"))]))
    // Three intervals end within the run, and three entries may do something to it.
    let names = (0...6).map { Peripheral.privateAddress($0, of: "tag").deviceName }
    expectEqual(world.devices.map(\.identities), [names])
    expectEqual(world.devices.map(\.host), [1])
  }
}
