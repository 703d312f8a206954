import CoreBluetooth
import RollcallExpectations
import Testing

/// A delegate with the one method that is required, and a plain class.
private final class Minimal: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

/// The same as an heir of NSObject, as most applications have it.
private final class MinimalObject: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {}
}

/// Notes the state that it sees, and what a subclass made.
private final class Notes: CBCentralManagerDelegate, @unchecked Sendable {
  let states = DispatchQueue(label: "notes")
  private var noted: [CBManagerState] = []
  var all: [CBManagerState] { states.sync { noted } }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    let state = central.state
    states.sync { noted.append(state) }
  }
}

@Suite struct StateTests {
  static let allEvents: [PhoneEvent] = {
    let id = Bench.identifier
    let fault = PhoneError.bluetooth(.unknown)
    return [
      .discovered(Discovery(scan: 1, identifier: id)), .connected(id, link: 1), .failedToConnect(id, link: 1, fault),
      .ancsAuthorization(id, true), .nameChanged(id, "n"), .services(id, .success([.heartRate])),
      .includedServices(id, service: 1, .success([.battery])),
      .characteristics(
        id, service: 1, .success([FoundCharacteristic(handle: 3, uuid: AttributeUUID(0x2A37), properties: .read)])),
      .descriptors(id, characteristic: 3, .success([FoundDescriptor(handle: 4, uuid: AttributeUUID(0x2901))])),
      .value(id, 3, .success([1])), .value(id, 4, .failure(fault)), .written(id, 3, nil), .written(id, 4, fault),
      .notifying(id, characteristic: 3, isOn: true, nil), .strength(id, .success(-40)), .strength(id, .failure(fault)),
      .servicesModified(id, [1]), .readyToWrite(id),
      .connectionEvent(KnownPeripheral(identifier: id), isConnected: true),
      .disconnected(id, link: 1, fault, timestamp: 1, isReconnecting: false), .state(.poweredOff),
    ]
  }()

  @Test func `a delegate with the required method alone bears every event`() {
    for delegate in [Minimal(), MinimalObject()] as [any CBCentralManagerDelegate] {
      let phone = ScriptedPhone()
      let queue = DispatchQueue(label: "minimal")
      let manager = on(phone) { CBCentralManager(delegate: delegate, queue: queue) }
      phone.settle()
      manager.scanForPeripherals(withServices: nil)
      phone.known = [KnownPeripheral(identifier: Bench.identifier)]
      let peripheral = manager.retrievePeripherals(withIdentifiers: [Bench.identifier]).first
      peripheral?.delegate = delegate as? any CBPeripheralDelegate
      if let peripheral { manager.connect(peripheral) }
      for event in Self.allEvents { phone.push(event) }
      expectEqual(manager.state, .poweredOff)
      expectEqual(peripheral?.state, .disconnected)
    }
  }

  @Test func `the state is unknown until the first callback, and the initialiser makes none`() {
    let phone = ScriptedPhone(startsAtOnce: true)
    let notes = Notes()
    let queue = DispatchQueue(label: "held")
    queue.suspend()
    let manager = on(phone) { CBCentralManager(delegate: notes, queue: queue) }
    expectEqual(manager.state, .unknown)
    #expect(notes.all.isEmpty)
    queue.resume()
    phone.settle()
    expectEqual(manager.state, .poweredOn)
    expectEqual(notes.all, [.poweredOn])
  }

  @Test func `without a queue the callbacks are made on the main queue`() {
    final class OnMain: CBCentralManagerDelegate, @unchecked Sendable {
      static let key = DispatchSpecificKey<Bool>()
      var isMain = false
      func centralManagerDidUpdateState(_ central: CBCentralManager) {
        isMain = DispatchQueue.getSpecific(key: Self.key) ?? false
      }
    }
    DispatchQueue.main.setSpecific(key: OnMain.key, value: true)
    let phone = ScriptedPhone()
    let delegate = OnMain()
    let manager = on(phone) { CBCentralManager(delegate: delegate, queue: nil) }
    phone.settle()
    expectEqual(manager.state, .poweredOn)
    #expect(delegate.isMain)
  }

  @Test(arguments: CBManagerState.allCases)
  func `a command takes effect in the state poweredOn alone, and is a misuse in others`(state: CBManagerState) throws {
    let bench = Bench()
    let peripheral = try bench.discovered()
    let before = bench.phone.requests.count
    let isOn = state == .poweredOn
    bench.phone.push(.state(state))
    bench.phone.known = [KnownPeripheral(identifier: Bench.identifier(2))]
    bench.manager.scanForPeripherals(withServices: nil)
    expectEqual(bench.manager.isScanning, isOn)
    bench.manager.connect(peripheral)
    expectEqual(peripheral.state, (isOn ? .connecting : .disconnected))
    bench.manager.cancelPeripheralConnection(peripheral)
    bench.manager.registerForConnectionEvents()
    bench.manager.stopScan()
    expectEqual(bench.manager.retrievePeripherals(withIdentifiers: [Bench.identifier(2)]).isEmpty, !isOn)
    #expect(bench.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    expectEqual(bench.phone.requests.count, (isOn ? before + 5 : before))
    expectEqual(bench.phone.misuses, (isOn ? [] : Array(repeating: .notPoweredOn, count: 7)))
  }

  @Test func `a radio that goes off ends the scan, which does not begin again by itself`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: nil)
    let scan = bench.phone.scan ?? 0
    #expect(bench.manager.isScanning)
    bench.phone.push(.state(.poweredOff))
    #expect(!bench.manager.isScanning)
    bench.phone.push(.state(.poweredOn), .discovered(Discovery(scan: scan, identifier: Bench.identifier)))
    #expect(!bench.manager.isScanning)
    #expect(bench.recorder.lines.isEmpty)
    expectEqual(bench.phone.requests.count, 1)
  }

  @Test(arguments: [false, true])
  func `a radio that goes off drops connections, and tells of them if that is the policy`(tells: Bool) throws {
    let bench = Bench()
    bench.phone.tellsOfLinksLostWithPower = tells
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    bench.phone.push(.state(.poweredOff))
    expectEqual(peripheral.state, .disconnected)
    expectEqual(peripheral.services, nil)
    expectEqual(bench.recorder.lines, (tells ? ["disconnect peripheralDisconnected disconnected"] : []))
  }

  @Test func `connections that end with the radio are told in the order of the identifiers`() throws {
    final class Ends: CBCentralManagerDelegate, @unchecked Sendable {
      var lines: [String] = []
      func centralManagerDidUpdateState(_ central: CBCentralManager) {}
      func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
      ) {
        let word = (error as? CBError).map { "\($0.code)" } ?? "nil"
        lines.append("\(peripheral.name ?? "-") \(timestamp) \(isReconnecting) \(word)")
      }
    }
    let bench = Bench()
    bench.phone.tellsOfLinksLostWithPower = true
    for (number, name) in [(3, "c"), (1, "a"), (4, "d"), (2, "b")] as [(UInt8, String)] {
      let peripheral = try bench.discovered(number, name: name)
      bench.manager.connect(peripheral)
      bench.phone.push(.connected(peripheral.identifier, link: bench.phone.link))
    }
    let ends = Ends()
    bench.manager.delegate = ends
    bench.phone.push(.state(.poweredOff))
    expectEqual(ends.lines, ["a", "b", "c", "d"].map { "\($0) 0.0 false peripheralDisconnected" })
  }

  @Test func `peripherals of before are good again when the radio is on`() throws {
    let bench = Bench()
    let peripheral = try bench.connected()
    let first = bench.phone.link
    bench.manager.cancelPeripheralConnection(peripheral)
    bench.phone.push(.state(.poweredOff), .state(.poweredOn))
    bench.manager.connect(peripheral)
    // The end of a connection that was over with the radio is nothing new.
    bench.phone.push(
      .disconnected(peripheral.identifier, link: first, nil, timestamp: 0, isReconnecting: false),
      .connected(peripheral.identifier, link: bench.phone.link))
    expectEqual(bench.recorder.lines, ["connect connected"])
    #expect(bench.phone.misuses.isEmpty)
  }

  @Test(arguments: [CBManagerState.resetting, .unauthorized, .unsupported, .unknown])
  func `a state below poweredOff makes every peripheral invalid, and its identifier stays`(state: CBManagerState) throws
  {
    let bench = Bench()
    let old = try bench.discovered()
    bench.phone.push(.state(state), .state(.poweredOn))
    let requests = bench.phone.requests.count
    bench.manager.connect(old)
    old.discoverServices(nil)
    bench.manager.cancelPeripheralConnection(old)
    expectEqual(bench.phone.misuses, [.invalidPeripheral, .invalidPeripheral, .invalidPeripheral])
    expectEqual(bench.phone.requests.count, requests)
    let new = try bench.discovered()
    #expect(new !== old)
    expectEqual(new.identifier, old.identifier)
    bench.manager.connect(new)
    expectEqual(new.state, .connecting)
  }

  @Test func `resetting passes to the states that the phone says, in order`() {
    let bench = Bench()
    bench.phone.push(.state(.resetting), .state(.unknown), .state(.poweredOn))
    expectEqual(bench.recorder.all, ["state poweredOn", "state resetting", "state unknown", "state poweredOn"])
  }

  @Test(arguments: CBManagerAuthorization.allCases)
  func `authorisation is readable before there is a manager`(authorization: CBManagerAuthorization) {
    let phone = ScriptedPhone()
    phone.authorization = authorization
    on(phone) {
      expectEqual(CBManager.authorization, authorization)
      expectEqual(CBCentralManager.authorization, authorization)
      expectEqual(CBPeripheralManager.authorization, authorization)
    }
  }

  @Test func `the phone says whether extended scanning is supported`() {
    let phone = ScriptedPhone()
    #expect(!on(phone) { CBCentralManager.supports(.extendedScanAndConnect) })
    phone.supportsExtendedScanAndConnect = true
    #expect(on(phone) { CBCentralManager.supports(.extendedScanAndConnect) })
    #expect(on(phone) { CBCentralManager.supports([]) })
  }

  @Test func `a manager that is gone is detached, and nobody is called any more`() {
    let phone = ScriptedPhone()
    let recorder = Recorder()
    var manager: CBCentralManager? = on(phone) {
      CBCentralManager(delegate: recorder, queue: DispatchQueue(label: "short"))
    }
    phone.settle()
    expectEqual(manager?.state, .poweredOn)
    manager = nil
    phone.push(.state(.poweredOff))
    expectEqual(phone.detached, [ManagerNumber(1)])
    expectEqual(recorder.all, ["state poweredOn"])
  }

  @Test func `a subclass of a manager is one`() {
    final class Mine: CBCentralManager {
      override var isScanning: Bool { !super.isScanning }
    }
    let phone = ScriptedPhone()
    let manager = on(phone) { Mine(delegate: nil, queue: DispatchQueue(label: "mine")) }
    phone.settle()
    expectEqual(manager.state, .poweredOn)
    #expect(manager.isScanning)
  }

  @Test func `a state is told where it is another one than before, and the first one always`() {
    let bench = Bench(
      phone: ScriptedPhone(firstEvents: [
        .state(.unknown), .state(.unknown), .state(.poweredOn), .state(.poweredOn),
      ]))
    expectEqual(bench.recorder.all, ["state unknown", "state poweredOn"])
    let known = KnownPeripheral(identifier: Bench.identifier(9))
    bench.phone.push(.state(.poweredOff), .state(.poweredOff), .connectionEvent(known, isConnected: true))
    expectEqual(bench.recorder.all, ["state unknown", "state poweredOn", "state poweredOff"])
    bench.phone.push(.state(.poweredOn), .connectionEvent(known, isConnected: true))
    expectEqual(bench.recorder.lines, ["event peerConnected"])
    expectEqual(bench.phone.setups, [ManagerSetup(restoreIdentifier: nil, showsPowerAlert: true)])
  }
}
