import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// What the engine listens for by radio because its manager looks for it, and what stands in the way.
@Suite("Peripherals that a manager looks for") struct SoughtPeripheralTests {
  private struct Rig {
    var engine: DiscoveryEngine
    var outbox = Outbox(payloads: PayloadStore())

    init(_ switches: EngineSwitches = [], scan: ScanPolicy? = nil, manager: ManagerConfiguration? = nil) {
      var configuration = EngineConfiguration()
      (configuration.switches, configuration.scan, configuration.manager) = (switches, scan, manager)
      engine = DiscoveryEngine(configuration)
    }

    /// All that comes of a signal, a line each: `1` is the peripheral with that number.
    mutating func give(_ value: SignalValue) -> [String] {
      engine.receive(value, at: .zero + .seconds(1), into: &outbox)
      defer { outbox.removeAll() }
      expectEqual(engine.brokenInvariants, [])
      return outbox.effects.map { effect in
        switch effect {
        case .radio(let value): value.text
        case .application(.found(let device)): "found \(Rig.number(device.device))"
        case .application(.lost(let name, let cause)): "lost \(Rig.number(name)) \(cause)"
        case .application(.failed(let failure)): "failed \(failure.reason)"
        case .application(.managed(let report)): "device \(report.event.name) \(report.state.services.map(\.id))"
        default: "\(effect)"
        }
      }
    }

    mutating func ask(_ command: ManagerCommand) -> [String] { give(.application(.manager(command))) }

    mutating func power(_ state: PowerState) -> [String] { give(.host(.power(state))) }

    /// Peripheral number `last` advertises these services, or says them in a scan response.
    mutating func hear(
      _ last: UInt8, _ services: [UInt32], _ kind: AdvertisingPDU.Kind = .connectable
    ) -> [String] {
      let address = RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(last), isRandom: true)
      var fields = AdvertisedFields()
      fields.services = services.map { BluetoothUUID(short: $0) }
      let bytes = AdvertisingPDU.bytes(kind, from: address, data: fields.bytes)
      return give(
        .radio(
          .heard(RadioPDU(channel: 38, strength: -50, accessAddress: AirFrame.advertisingAddress, bytes: bytes))))
    }

    private static func number(_ name: String) -> String { String(name.dropLast(7).suffix(1)) }
  }

  private static func services(_ list: [(String, String)]) -> [ServiceRegistration] {
    list.map { ServiceRegistration($0.0, .bluetooth, filter: $0.1) }
  }

  private static func setup(_ list: [(String, String)]) -> DiscoverySetup {
    var setup = DiscoverySetup()
    setup.registrations = services(list)
    return setup
  }

  private static let full = "scan 30ms of 30ms active"

  @Test("it listens from the first such service to the end of the last; more and fewer ask nothing of the radio")
  func registrations() {
    var rig = Rig()
    expectEqual(rig.power(.on), [])
    expectEqual(rig.ask(.begin(Self.setup([("A", "180F")]))), [Self.full])
    expectEqual(rig.hear(1, [0x180F]), ["found 1", #"device found ["A"]"#])
    // What is not looked for is nothing.
    expectEqual(rig.hear(2, [0x180D]), [])
    expectEqual(rig.ask(.register(Self.services([("A", "180F"), ("B", "180D")]))), [])
    expectEqual(rig.hear(2, [0x180D]), ["found 2", #"device found ["B"]"#])
    expectEqual(
      rig.ask(.register(Self.services([("B", "180D")]))), [#"device lost ["A"]"#, "lost 1 stopped"])
    expectEqual(rig.hear(1, [0x180F]), [])
    expectEqual(rig.ask(.register([])), [#"device lost ["B"]"#, "stop-scan", "lost 2 stopped"])
    expectEqual(rig.power(.off), [])
    expectEqual(rig.power(.on), [])
    expectEqual(rig.ask(.register(Self.services([("A", "180F")]))), [Self.full])
  }

  @Test("two services with one UUID, however it is spelled, are listened for once, until both are gone")
  func twice() {
    var rig = Rig()
    _ = rig.power(.on)
    let (short, long) = (("A", "180f"), ("B", "0000180F-0000-1000-8000-00805F9B34FB"))
    expectEqual(rig.ask(.begin(Self.setup([short, long]))), [Self.full])
    expectEqual(rig.hear(1, [0x180F]), ["found 1", #"device found ["A", "B"]"#])
    expectEqual(rig.ask(.register(Self.services([long]))), [#"device updated ["B"]"#])
    expectEqual(rig.ask(.register([])), [#"device lost ["B"]"#, "stop-scan", "lost 1 stopped"])
  }

  @Test("a manager that is stopped listens to nobody, and one that starts again listens anew")
  func stops() {
    var rig = Rig()
    _ = rig.power(.on)
    _ = rig.ask(.begin(Self.setup([("A", "180F")])))
    _ = rig.hear(1, [0x180F])
    expectEqual(rig.ask(.stop), [#"device lost ["A"]"#, "stop-scan", "lost 1 stopped"])
    expectEqual(rig.ask(.start), [Self.full])
    expectEqual(rig.hear(1, [0x180F]), ["found 1", #"device found ["A"]"#])
    // The engine itself stops: its radio is at rest.
    expectEqual(rig.give(.application(.stop)), ["stop-scan", "lost 1 stopped", #"device lost ["A"]"#])
  }

  @Test("an application that is started anew listens again: at once, or when its store has answered")
  func launches() {
    for policy in [nil, .keepsDiscovered] as [DeviceStorePolicy?] {
      var own = ManagerConfiguration(Self.setup([("A", "180F")]))
      own.store = policy
      var rig = Rig(manager: own)
      func isListening(_ lines: [String]) -> Bool { lines.contains(Self.full) }
      expectEqual(isListening(rig.power(.on)), true)
      _ = rig.give(.store(.value(key: "devices", nil)))
      expectEqual(rig.ask(.stop), ["stop-scan"])
      expectEqual(isListening(rig.ask(.relaunch)), policy == nil)
      _ = rig.ask(.start)
      expectEqual(isListening(rig.give(.store(.value(key: "devices", nil)))), policy != nil)
    }
  }

  @Test("a manager that only listens asks no peripheral for more")
  func passive() {
    var rig = Rig()
    _ = rig.power(.on)
    var setup = Self.setup([("A", "180F")])
    setup.searches = false
    expectEqual(rig.ask(.begin(setup)), ["scan 30ms of 30ms passive"])
  }

  @Test("a service in the scan response alone is found by that")
  func response() {
    var rig = Rig()
    _ = rig.power(.on)
    _ = rig.ask(.begin(Self.setup([("A", "180F")])))
    expectEqual(rig.hear(1, []), [])
    expectEqual(rig.hear(1, [0x180F], .scanResponse), ["found 1", #"device found ["A"]"#])
  }

  @Test("an engine that listens for its owner goes on as that wants, whatever the manager looks for")
  func owner() {
    var rig = Rig(scan: ScanPolicy(.passive))
    expectEqual(rig.power(.on), ["scan 30ms of 30ms passive"])
    expectEqual(rig.ask(.begin(Self.setup([("A", "180F")]))), [])
    expectEqual(rig.hear(1, [0x180D]), ["found 1"])
    expectEqual(rig.ask(.register([])), [])
    expectEqual(rig.hear(2, [0x180D]), ["found 2"])
  }

  @Test("what stands in the way is told once for each time that it does, and takes nothing from the rest")
  func obstacles() {
    var rig = Rig()
    expectEqual(rig.power(.off), [])
    expectEqual(rig.ask(.begin(Self.setup([("A", "180F")]))), ["failed bluetoothOff"])
    expectEqual(rig.power(.off), [])
    expectEqual(rig.power(.on), [Self.full])
    _ = rig.hear(1, [0x180F])
    func allow(_ state: PermissionState) -> [String] { rig.give(.host(.permission(.bluetooth, state))) }
    expectEqual(
      allow(.denied), ["lost 1 interface", "stop-scan", "failed bluetoothNotAllowed", #"device lost ["A"]"#])
    expectEqual(allow(.restricted), [])
    expectEqual(rig.power(.off), [])
    expectEqual(allow(.allowed), ["failed bluetoothOff"])
    expectEqual(rig.power(.unsupported), ["failed noBluetooth"])
    // Nothing is looked for: nothing stands in the way of that.
    expectEqual(rig.ask(.register([])), [])
    expectEqual(rig.ask(.register(Self.services([("A", "180F")]))), ["failed noBluetooth"])
    expectEqual(rig.power(.unknown), [])
    expectEqual(rig.power(.on), [Self.full])
    expectEqual(allow(.undetermined), ["stop-scan", "failed bluetoothNotAllowed"])
    // The network is another matter.
    expectEqual(rig.give(.host(.permission(.localNetwork, .denied))), [])
  }

  @Test("each of these says what was looked for, and what a person can do")
  func words() {
    func explanation(_ signals: [HostSignal]) -> String {
      var rig = Rig()
      for signal in signals { _ = rig.give(.host(signal)) }
      rig.engine.receive(
        SignalValue.application(.manager(.begin(Self.setup([("A", "180F")])))), at: .zero + .seconds(1),
        into: &rig.outbox)
      let failures = rig.outbox.effects.compactMap { effect -> Failure? in
        if case .application(.failed(let failure)) = effect { failure } else { nil }
      }
      return failures.map(\.explanation).joined(separator: "; ")
    }
    expectEqual(
      explanation([.power(.off)]),
      "services are looked for over Bluetooth, and it is switched off: peripherals are found when it is switched on")
    #expect(explanation([.permission(.bluetooth, .denied)]).contains("its user can allow that"))
    #expect(explanation([.permission(.bluetooth, .undetermined)]).contains("was not asked yet"))
    #expect(explanation([.power(.unsupported)]).contains("no radio"))
    expectEqual(explanation([.power(.on)]), "")
  }

  @Test("a filter that is no UUID is refused with its text, and the others are looked for")
  func noUUID() {
    var rig = Rig()
    _ = rig.power(.on)
    expectEqual(
      rig.ask(.begin(Self.setup([("A", "heart rate"), ("B", "180D")]))), ["failed invalidScan", Self.full])
  }

  @Test("with the faults everybody is found, and nobody hears why nothing is")
  func faults() {
    var rig = Rig([.unsoughtPeripheralsFound])
    _ = rig.power(.on)
    _ = rig.ask(.begin(Self.setup([("A", "180F")])))
    expectEqual(rig.hear(2, [0x180D]), ["found 2"])
    rig = Rig([.bluetoothFailureSilent])
    _ = rig.power(.off)
    expectEqual(rig.ask(.begin(Self.setup([("A", "180F")]))), [])
  }
}
