import CoreBluetooth
import Dispatch
import Foundation
import RollcallConnect
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Testing

@testable import RollcallPhones

/// A `DiscoveryManager` that looks for services over Bluetooth, on a phone of a virtual world.
@Suite("An application that registers services of Bluetooth") struct BluetoothRegistrationTests {
  /// - Parameter crashes: when the Bluetooth of the phone goes off; it is on again within two seconds.
  private static func world(crashes: [Interval] = []) throws -> PhoneWorld {
    let text = """
      scenario: A speaker that is set up over Bluetooth, and a watch that has nothing to do with it
      duration: 5m
      engine: {descriptions: fetch}
      inhabitants:
        speaker: {kind: root-device, profile: tv, friendly-name: Kitchen, address: 192.168.1.50}
        radio:
          kind: peripheral
          name: Kitchen setup
          services: ["FE9F"]
          manufacturer-data: [ffff01c0a80132]
          radio: {position: {east: 1m}}
        watch: {kind: peripheral, name: Watch, services: ["180D"], radio: {position: {north: 1m}}}
      expect: []
      """
    return PhoneWorld(try Scenario(yaml: text, file: "speaker.yaml").resolved(), seed: Seed(1), crashes: crashes)
  }

  private static let setup = ServiceRegistration("Setup", .bluetooth, filter: "FE9F", capabilities: ["Setup.Network"])
  private static let scan = "scan 30ms of 30ms active"

  private final class App: DiscoveryManagerDelegate, @unchecked Sendable {
    let manager: DiscoveryManager
    let queue = DispatchQueue(label: "app")
    private let told = Guarded<[String]>([])

    init(_ registrations: [ServiceRegistration], rules: [IdentityRule] = []) {
      manager = DiscoveryManager(queue: queue)
      (manager.registrations, manager.identityRules) = (registrations, rules)
      manager.delegate = self
      manager.startDiscovery()
    }

    var lines: [String] { told.takeAll() }
    func register(_ change: (inout [ServiceRegistration]) -> Void) { queue.sync { change(&manager.registrations) } }

    private func note(_ word: String, _ device: ConnectableDevice) {
      told.withLock { $0.append("\(word) \(device.serviceNames.sorted())") }
    }
    func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { note("found", device) }
    func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) { note("lost", device) }
    func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { note("updated", device) }
    func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {
      told.withLock { $0.append("failed \(error.reason)") }
    }
  }

  /// Scans for everybody, in the words of CoreBluetooth.
  private final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    let queue = DispatchQueue(label: "scanner")
    let heard = Guarded<[String]>([])
    private var central: CBCentralManager?

    override init() {
      super.init()
      central = CBCentralManager(delegate: self, queue: queue)
    }

    func stop() { queue.sync { central?.stopScan() } }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      guard central.state == .poweredOn else { return }
      central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }
    func centralManager(
      _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
      rssi strength: NSNumber
    ) {
      heard.withLock { $0.append(peripheral.name ?? "-") }
    }
  }

  /// What the radio of the phone is asked for.
  private final class RadioTrace {
    private let recorder = Recorder(stations: [0])
    private var seenCount = 0

    init(_ world: PhoneWorld) {
      recorder.keepsEntry = { entry in if case .effect(.radio) = entry.content { true } else { false } }
      world.world.gate.recorder = recorder
    }

    /// Since the last call.
    var lines: [String] {
      defer { seenCount = recorder.entries.count }
      return recorder.entries.dropFirst(seenCount).compactMap { entry -> String? in
        if case .effect(let effect) = entry.content { effect.value?.text } else { nil }
      }
    }
  }

  @Test("registers, finds a peripheral, merges it with its other half, unregisters, and its phone scans no more")
  func whole() throws {
    let world = try Self.world()
    let radio = RadioTrace(world)
    let rule = IdentityRule(.manufacturerData(company: 0xFFFF), .ipv4, at: 1)
    let app = world.enter { App([.dlna], rules: [rule]) }
    world.run(for: .seconds(20))
    expectEqual(app.lines, [#"found ["DLNA"]"#])
    expectEqual(radio.lines, [])
    app.register { $0.append(Self.setup) }
    world.run(for: .seconds(10))
    expectEqual(app.lines, [#"updated ["DLNA", "Setup"]"#])
    expectEqual(radio.lines, [Self.scan])
    let speaker = try #require(app.manager.devices.first)
    expectEqual(speaker.address, "192.168.1.50")
    expectEqual(speaker.evidence, ["address 192.168.1.50, as a device says"])
    #expect(speaker.hasCapability(Capability("Setup.Network")))
    // The same UUID once more, spelled out: the radio does that already.
    app.register {
      $0.append(ServiceRegistration("Again", .bluetooth, filter: "0000fe9f-0000-1000-8000-00805f9b34fb"))
    }
    world.run(for: .seconds(1))
    app.register { list in list.removeAll { $0.id == "Setup" } }
    world.run(for: .seconds(10))
    expectEqual(app.lines, [#"updated ["Again", "DLNA", "Setup"]"#, #"updated ["Again", "DLNA"]"#])
    expectEqual(radio.lines, [])
    app.register { list in list.removeAll { $0.id == "Again" } }
    world.run(for: .seconds(60))
    expectEqual(app.lines, [#"updated ["DLNA"]"#])
    expectEqual(radio.lines, ["stop-scan"])
    #expect(world.isReproducible)
  }

  @Test("a radio that is off, and a person who allows nothing, are told, and everything else goes on")
  func obstacles() throws {
    let world = try Self.world(crashes: [.seconds(60)])
    let radio = RadioTrace(world)
    let app = world.enter { App([.dlna, Self.setup]) }
    world.run(for: .seconds(30))
    expectEqual(app.lines.sorted(), [#"found ["DLNA"]"#, #"found ["Setup"]"#])
    expectEqual(radio.lines, [Self.scan])
    world.run(for: .milliseconds(30_100))
    expectEqual(app.lines, ["failed bluetoothOff", #"lost ["Setup"]"#])
    world.run(for: .seconds(5))
    expectEqual(app.lines, [#"found ["Setup"]"#])
    expectEqual(radio.lines, [Self.scan])
    world.authorize(.denied)
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["failed bluetoothNotAllowed", #"lost ["Setup"]"#])
    expectEqual(app.manager.devices.map(\.serviceNames), [["DLNA"]])
    expectEqual(radio.lines, ["stop-scan"])
    world.authorize(.allowedAlways)
    world.run(for: .seconds(5))
    expectEqual(app.lines, [#"found ["Setup"]"#])
    expectEqual(radio.lines, [Self.scan])
    // What needs no radio is found without a word, whatever is off.
    world.authorize(.denied)
    world.run(for: .seconds(1))
    _ = app.lines
    app.register { $0 = [.dlna] }
    world.authorize(.allowedAlways)
    world.run(for: .seconds(1))
    world.authorize(.denied)
    world.run(for: .seconds(1))
    expectEqual(app.lines, [])
  }

  @Test("that a person has allowed nothing before is told first of all")
  func notAllowed() throws {
    let scenario = try Scenario(yaml: "scenario: Nobody\nduration: 1m", file: "nobody.yaml")
    let world = PhoneWorld(try scenario.resolved(), seed: Seed(1))
    world.authorize(.denied)
    let app = world.enter { App([Self.setup]) }
    world.run(for: .seconds(1))
    expectEqual(app.lines, ["failed bluetoothNotAllowed"])
  }

  @Test("a manager and an application written for CoreBluetooth scan with one radio, and neither ends the other's scan")
  func sharedRadio() throws {
    let world = try Self.world()
    let radio = RadioTrace(world)
    let app = world.enter { App([.dlna, Self.setup]) }
    world.run(for: .seconds(10))
    expectEqual(radio.lines, [Self.scan])
    _ = app.lines
    let scanner = world.enter { Scanner() }
    world.run(for: .seconds(10))
    expectEqual(radio.lines, [Self.scan])
    expectEqual(Set(scanner.heard.takeAll()), ["Kitchen setup", "Watch"])
    app.register { $0 = [.dlna] }
    world.run(for: .seconds(10))
    expectEqual(radio.lines, ["stop-scan", Self.scan])
    expectEqual(app.lines, [#"lost ["Setup"]"#])
    #expect(!scanner.heard.takeAll().isEmpty)
    app.register { $0.append(Self.setup) }
    world.run(for: .seconds(10))
    expectEqual(radio.lines, [Self.scan, Self.scan])
    expectEqual(app.lines, [#"found ["Setup"]"#])
    scanner.stop()
    world.run(for: .seconds(60))
    // The engine needs it still.
    expectEqual(radio.lines, [Self.scan])
    expectEqual(app.lines, [])
  }
}
