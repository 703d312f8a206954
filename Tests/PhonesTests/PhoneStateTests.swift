import CoreBluetooth
import Foundation
import RollcallDoors
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import Synchronization
import Testing

@testable import RollcallPhones

/// What happens to a phone and its applications from outside.
@Suite(.serialized) struct PhoneStateTests {
  /// An application that is connected, subscribes and scans for others.
  private func busy(_ world: PhoneWorld) throws -> LinkApp {
    let app = world.enter { LinkApp(restoreIdentifier: "mine") }
    world.run(for: .seconds(2))
    app.connect()
    world.run(for: .seconds(2))
    app.peripheral?.discoverServices([CBUUID(string: "180D")])
    world.run(for: .seconds(2))
    app.peripheral?.setNotifyValue(true, for: try #require(app.characteristic("2A37")))
    app.central.scanForPeripherals(
      withServices: [CBUUID(string: "180F")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    world.run(for: .seconds(2))
    app.clear()
    return app
  }

  @Test func `a crash of Bluetooth is resetting, and passes by itself (CB-09)`() throws {
    let world = try LinkTests.world(crashes: [.seconds(10)])
    let app = world.enter { LinkApp() }
    world.run(for: .seconds(2))
    app.connect()
    world.run(for: .milliseconds(8_100))
    expectEqual(app.log, ["state 5", "found Strap", "connected", "state 1"])
    expectEqual(app.peripheral?.state, .disconnected)
    world.run(for: .seconds(5))
    expectEqual(app.log.dropFirst(4), ["state 5", "found Strap"])
  }

  @Test func `Bluetooth is away after a crash for as long as the seed says`() throws {
    let scenario = try Scenario(yaml: "scenario: A phone\nduration: 1m", file: "phone.yaml")
    let world = PhoneWorld(try scenario.resolved(), seed: Seed(1), crashes: [.seconds(1)])
    let door = StateDoor()
    _ = world.phone.attach(door, as: ManagerSetup())
    var times = Seed(1).stream("engine/crash")
    let away = times.interval(in: Interval.milliseconds(200)...Interval.seconds(2))
    world.run(for: .seconds(1))
    expectEqual(door.take(), [5, 1])
    world.run(for: away + .nanoseconds(-1))
    expectEqual(door.take(), [])
    world.run(for: .nanoseconds(1))
    expectEqual(door.take(), [5])
  }

  @Test func `authorisation is read before any manager, and the state follows it (CB-10)`() throws {
    let world = try LinkTests.world()
    for (authorization, state) in [(CBManagerAuthorization.notDetermined, 3), (.restricted, 3), (.denied, 3)] {
      world.authorize(authorization)
      expectEqual(world.enter { CBManager.authorization }, authorization)
      let app = world.enter { LinkApp() }
      world.run(for: .seconds(1))
      expectEqual(app.log, ["state \(state)"])
    }
    let app = world.enter { LinkApp() }
    world.run(for: .seconds(1))
    world.authorize(.allowedAlways)
    world.run(for: .seconds(2))
    expectEqual(app.log, ["state 3", "state 5", "found Strap"])
    app.connect()
    world.run(for: .seconds(2))
    world.authorize(.denied)
    world.run(for: .seconds(2))
    expectEqual(app.log.dropFirst(3), ["connected", "state 3"])
    expectEqual(app.peripheral?.state, .disconnected)
  }

  @Test func `what is restored comes first, and only under the identifier of before (CB-51)`() throws {
    let world = try LinkTests.world()
    let before = try busy(world)
    world.endApplications()
    world.run(for: .seconds(2))
    expectEqual(before.log, [])
    let stranger = world.enter { LinkApp(restoreIdentifier: "yours") }
    let nameless = world.enter { LinkApp() }
    let after = world.enter { LinkApp(restoreIdentifier: "mine") }
    let second = world.enter { LinkApp(restoreIdentifier: "mine") }
    world.run(for: .milliseconds(1))
    expectEqual(after.log.prefix(2), ["restored 3", "state 5"])
    for app in [stranger, nameless, second] { expectEqual(app.log.first, "state 5") }
    world.run(for: .seconds(3))
    expectEqual(after.log.dropFirst(2), ["value 2A37", "value 2A37", "value 2A37"])
    after.cancel()
    world.run(for: .seconds(2))
    expectEqual(after.log.last, "disconnected")
  }

  @Test func `peripherals, services, subscriptions and the scan are restored, and nothing else (CB-52)`() throws {
    let world = try LinkTests.world()
    let before = try busy(world)
    world.endApplications()
    let after = world.enter { LinkApp(restoreIdentifier: "mine") }
    world.run(for: .milliseconds(1))
    let peripherals = try #require(after.restored[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
    #expect(peripherals.map(\.name) == ["Strap"] && peripherals.map(\.state) == [.connected])
    let characteristics = peripherals.flatMap { $0.services ?? [] }.flatMap { $0.characteristics ?? [] }
    expectEqual(characteristics.map(\.uuid.uuidString), ["2A37", "2A38"])
    expectEqual(characteristics.map(\.isNotifying), [true, false])
    #expect(
      after.restored[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [CBUUID(string: "180F")])
    let options = after.restored[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
    #expect(options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true && options?.count == 1)
    #expect(after.central.isScanning)
    after.central.stopScan()
    after.cancel()
    world.run(for: .seconds(2))
    // Neither connections nor a scan: no key is there.
    world.endApplications()
    let last = world.enter { LinkApp(restoreIdentifier: "mine") }
    world.run(for: .milliseconds(1))
    #expect(last.log.first == "restored 0" && last.restored.isEmpty)
    expectEqual(before.log, [])
  }

  @Test func `a phone in the background advertises no name, and its services to who names them`() throws {
    let world = try LinkTests.world("scenario: Phones\nduration: 60s", others: [OtherPhone("friend")])
    world.setBackground(true, on: "friend")
    let thermometer = world.enter("friend") { ThermometerApp() }
    world.run(for: .seconds(1))
    #expect(thermometer.manager.isAdvertising)
    let app = world.enter { LinkApp() }
    world.run(for: .seconds(10))
    expectEqual(app.log, ["state 5", "found - 1809"])
    world.setBackground(false, on: "friend")
    let later = world.enter { LinkApp() }
    world.run(for: .seconds(5))
    expectEqual(later.log.dropFirst().first, "found Thermo")
  }

  @Test func `services and advertising of an application that was ended go on, and are given back`() throws {
    let world = try LinkTests.world("scenario: Phones\nduration: 60s", others: [OtherPhone("friend")])
    let before = world.enter("friend") { ThermometerApp(restoreIdentifier: "mine") }
    world.run(for: .seconds(2))
    world.endApplications(on: "friend")
    let app = world.enter { LinkApp() }
    world.run(for: .seconds(2))
    expectEqual(app.log, ["state 5", "found Thermo"])
    let after = world.enter("friend") { ThermometerApp(restoreIdentifier: "mine") }
    world.run(for: .seconds(2))
    expectEqual(after.log, ["restored 1809, Thermo", "state 5"])
    expectEqual(before.log, ["state 5", "added 1809", "advertising true"])
  }

  /// Keeps what a peripheral manager is told.
  private final class RoleDoor: PeripheralRoleDoor {
    let lines = Guarded<[String]>([])

    func push(_ event: PeripheralRoleEvent) {
      switch event {
      case .state(let state): lines.withLock { $0.append("state \(state.rawValue)") }
      case .published(let handle, let error): lines.withLock { $0.append("published \(handle) \(error == nil)") }
      case .advertising(let error): lines.withLock { $0.append("advertising \(error == nil)") }
      default: break
      }
    }
  }

  @Test func `a radio that is off keeps what is published, below that it is gone, and each state is told once`() {
    let crash: Instant = .zero + .seconds(7)
    let phone = SimulatedPhone(name: "phone", resets: [crash])
    let doors = [RoleDoor(), RoleDoor()]
    func told() -> [[String]] { doors.map { $0.lines.takeAll() } }
    func kept() -> [Int] { phone.state.withLock { [$0.side.published.count, $0.side.adverts.count] } }
    func publish(_ managers: ManagerNumber...) {
      for manager in managers {
        phone.perform(.publish(PublishedService(handles: 1...1, uuid: AttributeUUID(0x180D))), for: manager)
        phone.perform(.advertise(AdvertisedIdentity(localName: "x")), for: manager)
      }
      #expect(phone.takeRoleRequests().isBusy)
    }
    let first = phone.attach(doors[0], as: ManagerSetup())
    for _ in 0..<2 { phone.tellState(isOn: true, since: .zero) }
    expectEqual(told(), [["state 5"], []])
    // One that comes later is told alone.
    let second = phone.attach(doors[1], as: ManagerSetup())
    phone.tellState(isOn: true, since: .zero)
    expectEqual(told(), [[], ["state 5"]])
    publish(first, second)
    expectEqual(told(), [["published 1 true", "advertising true"], ["published 1 true", "advertising true"]])
    expectEqual(kept(), [2, 2])
    phone.tellState(isOn: false, since: crash - .nanoseconds(1))
    expectEqual(told(), [["state 4"], ["state 4"]])
    expectEqual(kept(), [2, 0])
    for _ in 0..<2 { phone.authorize(.denied) }
    expectEqual(told(), [["state 3"], ["state 3"]])
    expectEqual(kept(), [0, 0])
    phone.authorize(.allowedAlways)
    phone.tellState(isOn: true, since: .zero)
    expectEqual(told(), [["state 4", "state 5"], ["state 4", "state 5"]])
    publish(second)
    _ = told()
    phone.tellState(isOn: false, since: crash)
    expectEqual(told(), [["state 1"], ["state 1"]])
    expectEqual(kept(), [0, 0])
  }
}
