// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import RollcallDoors
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
    lines.append("channel \(PSM) \((error as? CBError).map { "\($0.code)" } ?? "nil")")
  }
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    lines.append("withdrawn \(PSM) \((error as? CBError).map { "\($0.code)" } ?? "nil")")
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
    guard case .withdrawAll? = phone.roleRequests.last else {
      Issue.record("nothing was withdrawn")
      return
    }
    expectEqual(characteristic.subscribedCentrals, nil)
    // Nothing is told of it any more.
    phone.pushRole(.published(1, nil), .subscribed(central, characteristic: 3))
    expectEqual(server.lines, ["added 180D"])
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
    // What the door answers itself is a call, too.
    let calls = Guarded(0)
    let watch = CallWatch { _ in calls.withLock { $0 += 1 } }
    phone.queues.watch(watch)
    watch.begin(.running)
    manager.publishL2CAPChannel(withEncryption: false)
    manager.unpublishL2CAPChannel(129)
    expectEqual(calls.current, 2)
    phone.settle()
    expectEqual(server.lines, ["channel 0 operationNotSupported", "withdrawn 129 operationNotSupported"])
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
    let characteristic = published()
    phone.pushRole(.advertising(nil), .state(.poweredOff))
    #expect(!manager.updateValue(Data([7]), for: characteristic, onSubscribedCentrals: nil))
    expectEqual(phone.updates, [])
    manager.startAdvertising(nil)
    manager.add(CBMutableService(type: CBUUID(string: "180D"), primary: true))
    #expect(!manager.isAdvertising)
    expectEqual(phone.roleRequests.count, 1)
    expectEqual(phone.misuses, [.notPoweredOn, .notPoweredOn, .notPoweredOn])
    // What was advertised is not when it is on again.
    phone.pushRole(.state(.poweredOff), .state(.poweredOn))
    manager.startAdvertising(nil)
    phone.pushRole(.advertising(nil))
    #expect(manager.isAdvertising)
    phone.pushRole(.state(.poweredOff))
    #expect(!manager.isAdvertising)
    phone.pushRole(.state(.poweredOn))
    manager.startAdvertising(nil)
    phone.settle()
    expectEqual(phone.roleRequests.count, 3)
    expectEqual(
      server.lines,
      [
        "added 180D", "advertising nil", "state poweredOff", "state poweredOn", "advertising nil", "state poweredOff",
        "state poweredOn",
      ])
  }

  @Test func `a state is told where it is another one than before, and the first one always`() {
    let phone = ScriptedPhone(firstRoleEvents: [
      .state(.unknown), .state(.unknown), .state(.poweredOn), .state(.poweredOn),
    ])
    let server = Server()
    let manager = on(phone) { CBPeripheralManager(delegate: server, queue: DispatchQueue(label: "states")) }
    phone.settle()
    expectEqual(server.lines, ["state unknown", "state poweredOn"])
    // Nothing is restored now, and nothing without an identifier.
    phone.pushRole(.willRestore(services: [], advertised: AdvertisedIdentity(localName: "lamp")))
    expectEqual(server.lines, ["state unknown", "state poweredOn"])
    expectEqual(phone.misuses, [.restoration])
    #expect(!manager.isAdvertising)
  }

  /// A manager that is made with what its phone kept for it.
  private func restored(on phone: ScriptedPhone, _ server: Server) -> CBPeripheralManager {
    let manager = on(phone) {
      CBPeripheralManager(
        delegate: server, queue: DispatchQueue(label: "restored"),
        options: [CBPeripheralManagerOptionRestoreIdentifierKey: "mine"])
    }
    phone.settle()
    return manager
  }

  @Test func `what was published and advertised is restored before the first state`() throws {
    let words = PublishedDescriptor(handle: 4, uuid: AttributeUUID(0x2901), value: Array("rate".utf8))
    let saved = PublishedService(
      handles: 1...6, uuid: AttributeUUID(0x180D),
      characteristics: [
        PublishedCharacteristic(
          handle: 3, uuid: AttributeUUID(0x2A37), properties: .read, permissions: .readable, descriptors: [words]),
        PublishedCharacteristic(handle: 6, uuid: AttributeUUID(0x2A39), properties: .write, permissions: .writeable),
      ])
    let phone = ScriptedPhone(firstRoleEvents: [
      .willRestore(services: [saved], advertised: AdvertisedIdentity(localName: "lamp")), .state(.poweredOn),
    ])
    let server = Server()
    let manager = restored(on: phone, server)
    expectEqual(server.lines, ["restore", "state poweredOn"])
    let services = server.restored[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService]
    expectEqual(services?.map(\.uuid), [CBUUID(string: "180D")])
    let data = server.restored[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
    #expect(data?[CBAdvertisementDataLocalNameKey] as? String == "lamp")
    expectEqual(data?.count, 1)
    #expect(manager.isAdvertising)
    manager.startAdvertising(nil)
    phone.settle()
    expectEqual(server.lines, ["restore", "state poweredOn", "advertising alreadyAdvertising"])
    let service = try #require(services?.first)
    let values = (service.characteristics ?? []).map { $0.descriptors?.map { $0.value as? String } }
    expectEqual(values, [["rate"], nil])
    manager.remove(service)
    #expect(phone.misuses.isEmpty)
    // A delegate has to take it.
    final class Without: CBPeripheralManagerDelegate {
      func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    }
    let delegate = Without()
    let other = on(phone) {
      CBPeripheralManager(
        delegate: delegate, queue: DispatchQueue(label: "without"),
        options: [CBPeripheralManagerOptionRestoreIdentifierKey: "other"])
    }
    phone.settle()
    expectEqual(other.state, .poweredOn)
    expectEqual(phone.misuses, [.restoration])
  }

  @Test func `a manager says how it was made, and is detached from its phone when it is gone`() {
    expectEqual(phone.setups, [ManagerSetup(restoreIdentifier: nil, showsPowerAlert: true)])
    let server = Server()
    var other: CBPeripheralManager? = on(phone) {
      CBPeripheralManager(
        delegate: server, queue: DispatchQueue(label: "other"),
        options: [
          CBPeripheralManagerOptionRestoreIdentifierKey: "mine", CBPeripheralManagerOptionShowPowerAlertKey: false,
        ])
    }
    phone.settle()
    expectEqual(phone.setups.last, ManagerSetup(restoreIdentifier: "mine", showsPowerAlert: false))
    expectEqual(other?.state, .poweredOn)
    expectEqual(phone.queues.count, 2)
    other = nil
    phone.settle()
    expectEqual(phone.detached, [ManagerNumber(102)])
    expectEqual(phone.queues.count, 1)
  }

  // MARK: Bounds, and two of everything

  /// The handles of what was published, in order.
  private func handles(_ phone: ScriptedPhone) -> [ClosedRange<UInt16>] {
    phone.roleRequests.compactMap { request in
      if case .publish(let service) = request { service.handles } else { nil }
    }
  }

  @Test func `services are published up to the last handle, behind those that were restored`() {
    let saved = PublishedService(handles: 1...65_530, uuid: AttributeUUID(0x180D))
    let identity = AdvertisedIdentity(services: [AttributeUUID(0x180D)])
    let phone = ScriptedPhone(firstRoleEvents: [
      .willRestore(services: [saved], advertised: identity), .state(.poweredOn),
    ])
    let server = Server()
    let manager = restored(on: phone, server)
    let data = server.restored[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: [CBUUID]]
    expectEqual(data, [CBAdvertisementDataServiceUUIDsKey: [CBUUID(string: "180D")]])
    /// One handle for the service, three for its characteristic, and one for each descriptor.
    func service(_ descriptorCount: Int) -> CBMutableService {
      let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "2A19"), properties: .notify, value: nil, permissions: .readable)
      characteristic.descriptors = (0..<descriptorCount).map { _ in
        CBMutableDescriptor(type: CBUUID(string: "2901"), value: "d")
      }
      let service = CBMutableService(type: CBUUID(string: "180F"), primary: true)
      service.characteristics = [characteristic]
      return service
    }
    manager.add(service(2))
    manager.add(service(1))
    manager.add(CBMutableService(type: CBUUID(string: "180A"), primary: true))
    phone.settle()
    expectEqual(handles(phone), [65_531...65_535])
    expectEqual(
      server.lines, ["restore", "state poweredOn", "added 180F outOfSpace", "added 180A outOfSpace"])
  }

  @Test func `a radio that is off ends subscriptions and keeps services; below that these are gone, too`() throws {
    let characteristic = published()
    let service = try #require(characteristic.service as? CBMutableService)
    phone.pushRole(.subscribed(central, characteristic: 3))
    let subscriber = try #require(characteristic.subscribedCentrals?.first)
    phone.pushRole(.state(.poweredOff))
    expectEqual(characteristic.subscribedCentrals, [])
    phone.pushRole(.state(.poweredOn), .subscribed(central, characteristic: 3))
    let again = try #require(characteristic.subscribedCentrals?.first)
    #expect(again !== subscriber)
    #expect(manager.updateValue(Data([7]), for: characteristic, onSubscribedCentrals: nil))
    expectEqual(phone.updates, [[7]])
    phone.pushRole(.state(.resetting), .state(.poweredOn))
    expectEqual(characteristic.subscribedCentrals, nil)
    #expect(!manager.updateValue(Data([8]), for: characteristic, onSubscribedCentrals: nil))
    expectEqual(phone.misuses, [.invalidAttribute])
    // It can be added again, under handles that nothing had.
    manager.add(service)
    expectEqual(handles(phone), [1...5, 6...10])
    expectEqual(characteristic.subscribedCentrals, [])
    expectEqual(phone.misuses, [.invalidAttribute])
  }

  @Test func `a central is one object with the latest length, and subscribes once; two are in the order of theirs`() {
    let characteristic = published()
    let second = ConnectedCentral(identifier: Bench.identifier(2), maximumUpdateLength: 30)
    let longer = ConnectedCentral(identifier: central.identifier, maximumUpdateLength: 182)
    phone.pushRole(
      .subscribed(central, characteristic: 3), .subscribed(second, characteristic: 3),
      .subscribed(longer, characteristic: 3))
    expectEqual(
      Array(server.lines.dropFirst()), ["subscribed 2A37 20", "subscribed 2A37 30", "subscribed 2A37 182"])
    expectEqual(characteristic.subscribedCentrals?.map(\.maximumUpdateValueLength), [182, 30])
    phone.pushRole(.unsubscribed(longer, characteristic: 3))
    expectEqual(characteristic.subscribedCentrals?.map(\.identifier), [second.identifier])
  }

  @Test func `advertising that failed, or was stopped before it began, is not under way`() {
    manager.startAdvertising(nil)
    manager.startAdvertising(nil)
    phone.pushRole(.advertising(.bluetooth(.connectionFailed)))
    expectEqual(server.lines, ["advertising alreadyAdvertising", "advertising connectionFailed"])
    #expect(!manager.isAdvertising)
    manager.startAdvertising(nil)
    manager.stopAdvertising()
    phone.pushRole(.advertising(nil))
    #expect(!manager.isAdvertising)
    manager.startAdvertising(nil)
    phone.pushRole(.advertising(nil))
    #expect(manager.isAdvertising)
    // Three that began, and the stop.
    expectEqual(phone.roleRequests.count, 4)
  }

  @Test func `what is not published is neither written nor read, and the first part that is has the answer`() {
    _ = published()
    let nowhere = WrittenPart(characteristic: 99, bytes: [1])
    phone.pushRole(
      .write(
        7, central,
        [nowhere, WrittenPart(characteristic: 3, bytes: [2]), WrittenPart(characteristic: 3, offset: 1, bytes: [3])]),
      .write(8, central, [nowhere]), .read(9, central, characteristic: 99, offset: 0))
    expectEqual(server.lines, ["added 180D", "write [[2], [3]]"])
    let answers = phone.roleRequests.compactMap { request -> String? in
      guard case .respond(let number, let code, let bytes) = request else { return nil }
      return "\(number) \(code) \(bytes ?? [])"
    }
    expectEqual(answers, ["7 0 [2]"])
  }

  @Test func `descriptors go out as text, as numbers of two bytes with the lowest first, or as data`() {
    let values: [Any?] = ["rate", NSNumber(value: 0x1234 as UInt16), Data([1, 2, 3]), nil]
    let characteristic = CBMutableCharacteristic(
      type: CBUUID(string: "2A37"), properties: .read, value: nil, permissions: .readable)
    characteristic.descriptors = values.map { CBMutableDescriptor(type: CBUUID(string: "2901"), value: $0) }
    let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
    service.characteristics = [characteristic]
    manager.add(service)
    guard case .publish(let published) = phone.roleRequests.first else {
      Issue.record("nothing was published")
      return
    }
    expectEqual(published.handles, 1...7)
    expectEqual(published.characteristics.first?.subscription, nil)
    let descriptors = published.characteristics.first?.descriptors ?? []
    expectEqual(descriptors.map(\.handle), [4, 5, 6, 7])
    expectEqual(descriptors.map(\.value), [Array("rate".utf8), [0x34, 0x12], [1, 2, 3], []])
    #expect(characteristic.descriptors?.last?.characteristic === characteristic)
    // What was set last is what is published.
    let late = CBMutableCharacteristic(
      type: CBUUID(string: "2A19"), properties: .notify, value: nil, permissions: .writeable)
    late.properties = .read
    late.value = Data([5])
    late.permissions = [.readable, .readEncryptionRequired]
    let including = CBMutableService(type: CBUUID(string: "180F"), primary: false)
    including.characteristics = [late]
    including.includedServices = [service]
    manager.add(including)
    guard case .publish(let second) = phone.roleRequests.last else {
      Issue.record("nothing was published")
      return
    }
    expectEqual(second.handles, 8...11)
    expectEqual(second.included, [1])
    expectEqual(second.characteristics.map(\.value), [[5]])
    expectEqual(second.characteristics.map(\.permissions), [[.readable, .readEncryptionRequired]])
    // One that is removed leaves the others, and is held no longer.
    var third: CBMutableService? = CBMutableService(type: CBUUID(string: "180A"), primary: true)
    weak var held: CBMutableService?
    held = third
    if let third {
      manager.add(third)
      manager.remove(third)
    }
    expectEqual(handles(phone), [1...7, 8...11, 12...12])
    third = nil
    #expect(held == nil)
    phone.pushRole(.published(8, nil), .published(12, nil))
    expectEqual(server.lines, ["added 180F"])
  }
}
