// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import RollcallExpectations
import Testing

@Suite struct DiscoveryTests {
  @Test func `nothing is discovered after stopScan, not even what was queued`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: nil)
    let scan = bench.phone.scan ?? 0
    bench.recorder.react { [manager = bench.manager] line in
      if line.hasPrefix("discover") { manager.stopScan() }
    }
    bench.phone.push(
      .discovered(Discovery(scan: scan, identifier: Bench.identifier(1), name: "one")),
      .discovered(Discovery(scan: scan, identifier: Bench.identifier(2), name: "two")))
    expectEqual(bench.recorder.lines, ["discover one -50"])
    #expect(!bench.manager.isScanning)
    expectEqual(bench.phone.requests.last, .stopScan(scan))
  }

  @Test func `a list without services is the same as none`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: [])
    expectEqual(bench.phone.requests, [.startScan(ScanRequest(number: 1))])
  }

  @Test func `a scan hands over its services and options`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(
      withServices: [CBUUID(string: "180D")],
      options: [
        CBCentralManagerScanOptionAllowDuplicatesKey: true,
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180F")],
      ])
    let wanted = ScanRequest(
      number: 1, services: [AttributeUUID(0x180D)], solicited: [AttributeUUID(0x180F)], allowsDuplicates: true)
    expectEqual(bench.phone.requests, [.startScan(wanted)])
  }

  @Test func `another scan takes the place of the first, and events of the first are dropped`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: nil)
    let first = bench.phone.scan ?? 0
    bench.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
    let second = bench.phone.scan ?? 0
    #expect(first != second)
    bench.phone.push(
      .discovered(Discovery(scan: first, identifier: Bench.identifier(1), name: "one")),
      .discovered(Discovery(scan: second, identifier: Bench.identifier(2), name: "two")))
    expectEqual(bench.recorder.lines, ["discover two -50"])
  }

  @Test func `the dictionary has a key for what was on the air, and no other`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: nil)
    let scan = bench.phone.scan ?? 0
    bench.phone.push(.discovered(Discovery(scan: scan, identifier: Bench.identifier)))
    #expect(bench.recorder.advertisement.isEmpty)
    var fields = AdvertisedFields()
    fields.isConnectable = false
    bench.phone.push(.discovered(Discovery(scan: scan, identifier: Bench.identifier, advertisement: fields)))
    expectEqual(Array(bench.recorder.advertisement.keys), [CBAdvertisementDataIsConnectable])
    #expect(bench.recorder.advertisement[CBAdvertisementDataIsConnectable] as? Bool == false)
  }

  @Test func `every field of an advertisement has the type that is documented`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: nil)
    var fields = AdvertisedFields()
    fields.localName = "lamp"
    fields.manufacturerData = [0x4C, 0, 2]
    fields.serviceData = [AttributeUUID(0x180D): [7]]
    fields.services = [AttributeUUID(0x180D)]
    fields.overflowServices = [AttributeUUID(0x180E)]
    fields.solicitedServices = [AttributeUUID(0x180F)]
    fields.transmitPower = -4
    fields.isConnectable = true
    bench.phone.push(
      .discovered(Discovery(scan: bench.phone.scan ?? 0, identifier: Bench.identifier, advertisement: fields)))
    let said = bench.recorder.advertisement
    #expect(said[CBAdvertisementDataLocalNameKey] as? String == "lamp")
    #expect(said[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0, 2]))
    #expect(said[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "180D"): Data([7])])
    #expect(said[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180D")])
    #expect(said[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180E")])
    #expect(said[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180F")])
    #expect(said[CBAdvertisementDataTxPowerLevelKey] as? Int == -4)
    #expect(said[CBAdvertisementDataTxPowerLevelKey] is NSNumber)
    #expect(said[CBAdvertisementDataIsConnectable] as? Bool == true)
    #expect(said[CBAdvertisementDataIsConnectable] is NSNumber)
    expectEqual(said.count, 8)
  }

  @Test func `a strength that is not known is 127, as the phone says it`() {
    let bench = Bench()
    bench.manager.scanForPeripherals(withServices: nil)
    bench.phone.push(
      .discovered(Discovery(scan: bench.phone.scan ?? 0, identifier: Bench.identifier, name: "lamp", strength: 127)))
    expectEqual(bench.recorder.lines, ["discover lamp 127"])
  }

  @Test func `a peripheral is one object as long as the application holds it`() {
    let bench = Bench(recorder: Recorder(holds: true))
    bench.manager.scanForPeripherals(withServices: nil)
    let discovery = PhoneEvent.discovered(
      Discovery(scan: bench.phone.scan ?? 0, identifier: Bench.identifier, name: "lamp"))
    bench.phone.push(discovery, discovery)
    expectEqual(bench.recorder.lines.count, 2)
    expectEqual(bench.recorder.peripherals.count, 1)
  }

  @Test func `the manager holds no peripheral for the application`() {
    let bench = Bench(recorder: Recorder(holds: false))
    bench.manager.scanForPeripherals(withServices: nil)
    weak var seen: CBPeripheral?
    bench.phone.known = [KnownPeripheral(identifier: Bench.identifier)]
    seen = bench.manager.retrievePeripherals(withIdentifiers: [Bench.identifier]).first
    expectEqual(seen, nil)
    #expect(bench.phone.misuses.isEmpty)
  }

  @Test func `dropping the last reference cancels a pending connection`() throws {
    let bench = Bench()
    var peripheral: CBPeripheral? = try bench.discovered()
    let identifier = try #require(peripheral?.identifier)
    if let peripheral { bench.manager.connect(peripheral) }
    let link = bench.phone.link
    bench.recorder.forget()
    peripheral = nil
    expectEqual(bench.phone.requests.last, .cancelConnection(identifier, link: link))
    expectEqual(bench.phone.misuses, [.unusedPeripheral])
    bench.phone.push(
      .connected(identifier, link: link),
      .disconnected(identifier, link: link, nil, timestamp: 0, isReconnecting: false))
    #expect(bench.recorder.lines.isEmpty)
  }

  @Test func `events come in the order in which they are pushed, on the manager's queue`() {
    final class OnQueue: CBCentralManagerDelegate, @unchecked Sendable {
      static let key = DispatchSpecificKey<String>()
      let lock = NSLock()
      var seen: [String] = []
      func centralManagerDidUpdateState(_ central: CBCentralManager) { note("state") }
      func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
      ) { note("\(RSSI)") }
      func note(_ what: String) {
        lock.withLock { seen.append("\(DispatchQueue.getSpecific(key: Self.key) ?? "-") \(what)") }
      }
    }
    let phone = ScriptedPhone()
    let managers = ["a", "b"].map { name in
      let queue = DispatchQueue(label: name)
      queue.setSpecific(key: OnQueue.key, value: name)
      let delegate = OnQueue()
      return (name, delegate, on(phone) { CBCentralManager(delegate: delegate, queue: queue) })
    }
    phone.settle()
    for (_, _, manager) in managers { manager.scanForPeripherals(withServices: nil) }
    expectEqual(phone.requesters, [ManagerNumber(1), ManagerNumber(2)])
    for strength in -60 ..< -40 {
      for index in managers.indices {
        phone.pushOnly(
          .discovered(Discovery(scan: 1, identifier: Bench.identifier, strength: strength)), to: index)
      }
    }
    phone.settle()
    for (name, delegate, _) in managers {
      expectEqual(delegate.seen, ["\(name) state"] + (-60 ..< -40).map { "\(name) \($0)" })
    }
  }
}
