// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import RollcallExpectations
import Testing

/// An application that publishes: it answers reads with 9, accepts writes, and writes a line for each call.
private final class Server: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  var lines: [String] = []
  var restored: [String: Any] = [:]

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { lines.append("state \(peripheral.state)") }
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    restored = dict
    lines.append("restore")
  }
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    lines.append("advertising \((error as? CBError).map { "\($0.code)" } ?? "nil")")
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    lines.append("added \(service.uuid)\((error as? CBError).map { " \($0.code)" } ?? "")")
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    lines.append("subscribed \(characteristic.uuid) \(central.maximumUpdateValueLength)")
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    lines.append("unsubscribed \(characteristic.uuid)")
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    lines.append("read \(request.characteristic.uuid) \(request.offset)")
    request.value = Data([9])
    peripheral.respond(to: request, withResult: .success)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    lines.append("write \(requests.map { $0.value.map { Array($0) } ?? [] })")
    for request in requests { peripheral.respond(to: request, withResult: .success) }
  }
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { lines.append("ready") }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    lines.append("channel \((error as? CBError).map { "\($0.code)" } ?? "nil")")
  }
}

@Suite struct PeripheralManagerTests {
  private let phone: ScriptedPhone
  private let server = Server()
  private let manager: CBPeripheralManager
  private let central = ConnectedCentral(identifier: Bench.identifier(1), maximumUpdateLength: 20)

  init() {
    phone = ScriptedPhone(firstRoleEvents: [.state(.poweredOn)])
    let (phone, server) = (phone, server)
    manager = on(phone) { CBPeripheralManager(delegate: server, queue: DispatchQueue(label: "server")) }
    phone.settle()
    server.lines = []
  }

  private func published() -> CBMutableCharacteristic {
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A37"), properties: [.read, .write, .notify], value: nil,
      permissions: [.readable, .writeable])
    characteristic.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "rate")
    ]
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [characteristic]
    manager.add(service)
    phone.pushRole(.published(1, nil))
    return characteristic
  }

  @Test func `a published service has handles, and its objects are asked and told`() throws {
    let characteristic = published()
    guard case .publish(let service) = phone.roleRequests.first else {
      Issue.record("nothing was published")
      return
    }
    expectEqual(service.handles, 1...5)
    expectEqual(service.characteristics.map(\.handle), [3])
    expectEqual(service.characteristics.first?.subscription, 4)
    expectEqual(service.characteristics.first?.descriptors.map(\.value), [Array("rate".utf8)])
    expectEqual(characteristic.subscribedCentrals, [])
    phone.pushRole(
      .subscribed(central, characteristic: 3), .read(1, central, characteristic: 3, offset: 0),
      .write(2, central, [WrittenPart(characteristic: 3, bytes: [1]), WrittenPart(characteristic: 3, bytes: [2])]),
      .readyToUpdate)
    expectEqual(
      server.lines, ["added 180D", "subscribed 2A37 20", "read 2A37 0", "write [[1], [2]]", "ready"])
    expectEqual(characteristic.subscribedCentrals?.map(\.identifier), [central.identifier])
    let answers = phone.roleRequests.compactMap { request -> String? in
      guard case .respond(let number, let code, let bytes) = request else { return nil }
      return "\(number) \(code) \(bytes ?? [])"
    }
    expectEqual(answers, ["1 0 [9]", "2 0 [1]"])
    phone.pushRole(.unsubscribed(central, characteristic: 3))
    expectEqual(characteristic.subscribedCentrals, [])
  }

  @Test func `an update goes to the phone, and without room it says no`() {
    let characteristic = published()
    #expect(manager.updateValue(Data([7]), for: characteristic, onSubscribedCentrals: nil))
    phone.hasRoom = false
    #expect(!manager.updateValue(Data([8]), for: characteristic, onSubscribedCentrals: nil))
    expectEqual(phone.updates, [[7]])
    manager.removeAllServices()
    expectEqual(characteristic.subscribedCentrals, nil)
    #expect(!manager.updateValue(Data([9]), for: characteristic, onSubscribedCentrals: nil))
    expectEqual(phone.misuses, [.invalidAttribute])
  }

  @Test func `only a name and services are advertised, once at a time`() {
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "lamp", CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")],
      CBAdvertisementDataTxPowerLevelKey: 4,
    ])
    guard case .advertise(let identity) = phone.roleRequests.first else {
      Issue.record("nothing was advertised")
      return
    }
    expectEqual(identity, AdvertisedIdentity(localName: "lamp", services: [AttributeUUID(0x180D)]))
    expectEqual(phone.misuses, [.notPublishable])
    #expect(!manager.isAdvertising)
    phone.pushRole(.advertising(nil))
    #expect(manager.isAdvertising)
    manager.startAdvertising(nil)
    phone.settle()
    expectEqual(server.lines, ["advertising nil", "advertising alreadyAdvertising"])
    manager.stopAdvertising()
    #expect(!manager.isAdvertising)
  }

  @Test func `a value that is fixed can only be read, and a service is published once`() {
    let fixed = CBMutableCharacteristic(
      type: CBUUID(string: "2A38"), properties: [.read, .write], value: Data([1]), permissions: .readable)
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [fixed]
    manager.add(service)
    expectEqual(phone.misuses, [.notPublishable])
    fixed.properties = .read
    manager.add(service)
    manager.add(service)
    expectEqual(phone.misuses, [.notPublishable, .notPublishable])
    expectEqual(phone.roleRequests.count, 1)
    manager.remove(service)
    manager.remove(service)
    expectEqual(phone.misuses.last, .invalidAttribute)
    manager.publishL2CAPChannel(withEncryption: false)
    phone.settle()
    expectEqual(server.lines, ["channel operationNotSupported"])
  }

  @Test func `when there are no handles left, a service is answered with an error`() {
    func large() -> CBMutableService {
      let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
      service.characteristics = (0..<20_000).map { _ in
        CBMutableCharacteristic(type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: .readable)
      }
      return service
    }
    manager.add(large())
    manager.add(large())
    phone.settle()
    expectEqual(phone.roleRequests.count, 1)
    expectEqual(server.lines, ["added 180D outOfSpace"])
  }

  @Test func `while the radio is off nothing is published or advertised`() {
    phone.pushRole(.advertising(nil), .state(.poweredOff))
    manager.startAdvertising(nil)
    manager.add(CBMutableService(type: CBUUID(string: "180D"), primary: true))
    #expect(!manager.isAdvertising)
    #expect(phone.roleRequests.isEmpty)
    expectEqual(phone.misuses, [.notPoweredOn, .notPoweredOn])
  }

  @Test func `what was published and advertised is restored before the first state`() throws {
    let saved = PublishedService(handles: 1...1, uuid: AttributeUUID(0x180D))
    let phone = ScriptedPhone(firstRoleEvents: [
      .willRestore(services: [saved], advertised: AdvertisedIdentity(localName: "lamp")), .state(.poweredOn),
    ])
    let server = Server()
    let manager = on(phone) {
      CBPeripheralManager(
        delegate: server, queue: DispatchQueue(label: "restored"),
        options: [CBPeripheralManagerOptionRestoreIdentifierKey: "mine"])
    }
    phone.settle()
    expectEqual(server.lines, ["restore", "state poweredOn"])
    let services = server.restored[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
    expectEqual(services?.map(\.uuid), [CBUUID(string: "180D")])
    let data = server.restored[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
    #expect(data?[CBAdvertisementDataLocalNameKey] as? String == "lamp")
    #expect(manager.isAdvertising)
    let service = try #require(services?.first)
    manager.remove(service)
    #expect(phone.misuses.isEmpty)
  }
}
