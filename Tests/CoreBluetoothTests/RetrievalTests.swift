import CoreBluetooth
import RollcallExpectations
import Testing

/// The two calls that have gone from Apple's SDK, and properties that are deprecated there, behind a protocol: a test is not
/// deprecated itself.
private protocol OldCalls {
  func retrieve(_ identifiers: [UUID], _ manager: CBCentralManager)
  func retrieveConnected(_ manager: CBCentralManager)
  func isBroadcasted(_ characteristic: CBCharacteristic) -> Bool
  func strength(_ peripheral: CBPeripheral) -> Int?
  /// The number of what a manager says, and of what the class of peripheral managers says.
  func authorizations(_ manager: CBManager) -> [Int]
}

private struct OldCaller: OldCalls {
  @available(*, deprecated)
  func retrieve(_ identifiers: [UUID], _ manager: CBCentralManager) { manager.retrievePeripherals(identifiers) }

  @available(*, deprecated)
  func retrieveConnected(_ manager: CBCentralManager) { manager.retrieveConnectedPeripherals() }

  @available(*, deprecated)
  func isBroadcasted(_ characteristic: CBCharacteristic) -> Bool { characteristic.isBroadcasted }

  @available(*, deprecated)
  func strength(_ peripheral: CBPeripheral) -> Int? { peripheral.rssi?.intValue }

  @available(*, deprecated)
  func authorizations(_ manager: CBManager) -> [Int] {
    [manager.authorization.rawValue, CBPeripheralManager.authorizationStatus().rawValue]
  }
}

@Suite struct RetrievalTests {
  let one = KnownPeripheral(identifier: Bench.identifier(1), name: "one")
  let two = KnownPeripheral(identifier: Bench.identifier(2), name: "two")

  @Test func `the retrieve callbacks of old say what the calls of today return`() {
    let bench = Bench()
    bench.phone.known = [one, two]
    bench.phone.connected = [two]
    let old: any OldCalls = OldCaller()
    old.retrieve([one.identifier, two.identifier], bench.manager)
    bench.phone.settle()
    let today = bench.manager.retrievePeripherals(withIdentifiers: [one.identifier, two.identifier])
    expectEqual(bench.recorder.lines, ["retrieved \(today.map { $0.name ?? "-" })"])
    bench.recorder.clear()
    old.retrieveConnected(bench.manager)
    bench.phone.settle()
    let connected = bench.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
    expectEqual(bench.recorder.lines, ["retrieved connected \(connected.map { $0.name ?? "-" })"])
    bench.phone.push(.state(.poweredOff))
    bench.recorder.clear()
    old.retrieve([one.identifier], bench.manager)
    bench.phone.settle()
    #expect(bench.recorder.lines.isEmpty)
  }

  @Test func `properties of old say what is told today`() throws {
    let bench = Bench()
    let characteristic = try bench.explored()
    let peripheral = try #require(characteristic.service?.peripheral)
    let old: any OldCalls = OldCaller()
    expectEqual(old.isBroadcasted(characteristic), false)
    expectEqual(old.strength(peripheral), nil)
    bench.phone.push(.strength(peripheral.identifier, .success(-63)))
    expectEqual(old.strength(peripheral), -63)
    for authorization in CBManagerAuthorization.allCases {
      bench.phone.authorization = authorization
      let number = authorization.rawValue
      expectEqual(on(bench.phone) { old.authorizations(bench.manager) }, [number, number])
    }
  }

  @Test func `identifiers that are not known are left out, and a known one is the object of before`() throws {
    let bench = Bench()
    let held = try bench.discovered(1)
    bench.phone.known = [one, two]
    let found = bench.manager.retrievePeripherals(withIdentifiers: [one.identifier, Bench.identifier(3)])
    expectEqual(found.map(\.identifier), [one.identifier])
    #expect(found.first === held)
  }

  @Test func `peripherals that other applications hold come back disconnected`() {
    let bench = Bench()
    bench.phone.connected = [one]
    let found = bench.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
    expectEqual(found.map(\.name), ["one"])
    expectEqual(found.map(\.state), [.disconnected])
  }

  @Test func `nothing is retrieved unless the radio is on`() {
    let bench = Bench()
    bench.phone.known = [one]
    bench.phone.connected = [one]
    bench.phone.push(.state(.poweredOff))
    #expect(bench.manager.retrievePeripherals(withIdentifiers: [one.identifier]).isEmpty)
    #expect(bench.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
    expectEqual(bench.phone.misuses, [.notPoweredOn, .notPoweredOn])
  }
}

@Suite struct RestorationTests {
  static var options: [String: Any] {
    [CBCentralManagerOptionRestoreIdentifierKey: "mine", CBCentralManagerOptionShowPowerAlertKey: false]
  }

  private func restored(scan: ScanRequest? = nil, peripherals: [RestoredPeripheral] = []) -> ScriptedPhone {
    // At once, so that the order of what is pushed before the manager has its number counts too.
    ScriptedPhone(
      firstEvents: [.willRestore(RestoredCentral(peripherals: peripherals, scan: scan)), .state(.poweredOn)],
      startsAtOnce: true)
  }

  @Test func `restoring is the first callback, and every key has its content`() throws {
    let link = -1
    let connected = RestoredPeripheral(
      known: KnownPeripheral(identifier: Bench.identifier(1), name: "one"), link: link, isConnected: true,
      services: [
        RestoredService(
          service: .heartRate,
          characteristics: [FoundCharacteristic(handle: 3, uuid: AttributeUUID(0x2A37), properties: .notify)],
          notifying: [3])
      ])
    let pending = RestoredPeripheral(
      known: KnownPeripheral(identifier: Bench.identifier(2)), link: -2, isConnected: false)
    let scan = ScanRequest(
      number: 0, services: [AttributeUUID(0x180D)], solicited: [AttributeUUID(0x180F)], allowsDuplicates: true)
    let bench = Bench(phone: restored(scan: scan, peripherals: [connected, pending]), options: Self.options)
    expectEqual(bench.recorder.all, ["restore", "state poweredOn"])
    expectEqual(bench.phone.setups, [ManagerSetup(restoreIdentifier: "mine", showsPowerAlert: false)])
    let dict = bench.recorder.restored
    let peripherals = try #require(dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])
    expectEqual(peripherals.map(\.state), [.connected, .connecting])
    let characteristic = try #require(peripherals[0].services?.first?.characteristics?.first)
    #expect(characteristic.isNotifying)
    #expect(dict[CBCentralManagerRestoredStateScanServicesKey] as? [CBUUID] == [CBUUID(string: "180D")])
    let options = dict[CBCentralManagerRestoredStateScanOptionsKey] as? [String: Any]
    expectEqual(options?.count, 2)
    #expect(options?[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID]
    expectEqual(solicited, [CBUUID(string: "180F")])
    #expect(bench.manager.isScanning)
    bench.phone.push(
      .value(Bench.identifier(1), 3, .success([7])), .connected(Bench.identifier(2), link: -2),
      .discovered(Discovery(scan: 0, identifier: Bench.identifier(3), name: "three")))
    expectEqual(bench.recorder.lines.dropFirst(), ["value [7] nil", "connect connected", "discover three -50"])
  }

  @Test func `keys that do not apply are absent`() {
    let bench = Bench(phone: restored(), options: Self.options)
    expectEqual(bench.recorder.all, ["restore", "state poweredOn"])
    #expect(bench.recorder.restored.isEmpty)
    #expect(!bench.manager.isScanning)
    let scanning = Bench(phone: restored(scan: ScanRequest(number: 0)), options: Self.options)
    #expect(scanning.recorder.restored.isEmpty)
    #expect(scanning.manager.isScanning)
  }

  @Test func `nothing is restored without an identifier, or after the first state`() {
    let without = Bench(phone: restored(scan: ScanRequest(number: 0)))
    expectEqual(without.recorder.all, ["state poweredOn"])
    expectEqual(without.phone.misuses, [.restoration])
    #expect(!without.manager.isScanning)
    let late = Bench(options: Self.options)
    late.phone.push(.willRestore(RestoredCentral()))
    expectEqual(late.recorder.all, ["state poweredOn"])
    expectEqual(late.phone.misuses, [.restoration])
  }

  @Test func `an identifier whose delegate takes no restored state is a misuse`() {
    final class Without: CBCentralManagerDelegate {
      func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    }
    let phone = restored()
    let delegate = Without()
    let manager = on(phone) {
      CBCentralManager(delegate: delegate, queue: DispatchQueue(label: "without"), options: Self.options)
    }
    phone.settle()
    expectEqual(manager.state, .poweredOn)
    expectEqual(phone.misuses, [.restoration])
  }
}
