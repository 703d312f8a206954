// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import Testing

/// A delegate that has every method and writes a line for each call. A plain class: nothing of it is NSObject.
final class Recorder: CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private let lock = NSRecursiveLock()
  private var written: [String] = []
  private var values: [String: [String: Any]] = [:]
  private var held: [CBPeripheral] = []
  private var reaction: (String) -> Void = { _ in }
  /// Whether it holds the peripherals that it is told of, as an application has to.
  let holds: Bool

  init(holds: Bool = true) { self.holds = holds }

  private func locked<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// What was called, without the states.
  var lines: [String] { locked { written.filter { !$0.hasPrefix("state") } } }
  var all: [String] { locked { written } }
  var peripherals: [CBPeripheral] { locked { held } }
  var advertisement: [String: Any] { locked { values["advertisement"] ?? [:] } }
  var restored: [String: Any] { locked { values["restored"] ?? [:] } }

  /// What the application does within a callback.
  func react(_ body: @escaping (String) -> Void) { locked { reaction = body } }
  func forget() { locked { held = [] } }
  func clear() { locked { written = [] } }

  private func write(_ line: String) {
    let reaction = locked {
      written.append(line)
      return self.reaction
    }
    reaction(line)
  }

  private func hold(_ peripheral: CBPeripheral) {
    guard holds else { return }
    locked { if !held.contains(where: { $0 === peripheral }) { held.append(peripheral) } }
    peripheral.delegate = self
  }

  /// The kind and number of an error, as an application looks at it.
  private func words(_ error: (any Error)?) -> String {
    guard let error else { return "nil" }
    if let error = error as? CBError { return "\(error.code)" }
    if let error = error as? CBATTError { return "att \(error.code)" }
    return "\((error as NSError).domain) \((error as NSError).code)"
  }

  // MARK: CBCentralManagerDelegate

  func centralManagerDidUpdateState(_ central: CBCentralManager) { write("state \(central.state)") }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    locked { values["restored"] = dict }
    for peripheral in dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? [] { hold(peripheral) }
    write("restore")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    hold(peripheral)
    locked { values["advertisement"] = advertisementData }
    write("discover \(peripheral.name ?? "-") \(RSSI)")
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    write("connect \(peripheral.state)")
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    write("fail \(words(error)) \(peripheral.state)")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    write("disconnect \(words(error)) \(peripheral.state)\(isReconnecting ? " reconnecting" : "")")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    write("older disconnect")
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    write("event \(event)")
  }

  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {
    write("ancs \(peripheral.ancsAuthorized)")
  }

  func centralManager(_ central: CBCentralManager, didRetrievePeripherals peripherals: [CBPeripheral]) {
    write("retrieved \(peripherals.map { $0.name ?? "-" })")
  }

  func centralManager(_ central: CBCentralManager, didRetrieveConnectedPeripherals peripherals: [CBPeripheral]) {
    write("retrieved connected \(peripherals.map { $0.name ?? "-" })")
  }

  // MARK: CBPeripheralDelegate

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { write("name \(peripheral.name ?? "-")") }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    write("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }

  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    write("rssi \(RSSI) \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    write("services \((peripheral.services ?? []).map(\.uuid.uuidString)) \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?) {
    write("included \((service.includedServices ?? []).map(\.uuid.uuidString)) \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    write("characteristics \((service.characteristics ?? []).map(\.uuid.uuidString)) \(words(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    write("descriptors \((characteristic.descriptors ?? []).map(\.uuid.uuidString)) \(words(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    write("value \(characteristic.value.map { Array($0) } ?? []) \(words(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    write("written \(words(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    write("notifying \(characteristic.isNotifying) \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
    write("descriptor \(descriptor.value ?? "-") \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
    write("descriptor written \(words(error))")
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { write("ready") }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    write("channel \(channel == nil ? "nil" : "open") \(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
    write("sounding \(words(error))")
  }
}

/// An application with one manager, on a phone that a test scripts.
struct Bench {
  let phone: ScriptedPhone
  let recorder: Recorder
  let queue = DispatchQueue(label: "the application's queue")
  let manager: CBCentralManager

  static let identifier = identifier(1)

  static func identifier(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
  }

  init(
    phone: ScriptedPhone = ScriptedPhone(), recorder: Recorder = Recorder(), options: [String: Any]? = nil
  ) {
    self.phone = phone
    self.recorder = recorder
    let queue = queue
    manager = on(phone) { CBCentralManager(delegate: recorder, queue: queue, options: options) }
    phone.settle()
  }

  /// The application has found the peripheral and holds it.
  func discovered(_ number: UInt8 = 1, name: String? = "lamp") throws -> CBPeripheral {
    manager.scanForPeripherals(withServices: nil)
    let scan = phone.scan ?? 0
    phone.push(.discovered(Discovery(scan: scan, identifier: Self.identifier(number), name: name)))
    manager.stopScan()
    recorder.clear()
    return try #require(recorder.peripherals.last)
  }

  func connected() throws -> CBPeripheral {
    let peripheral = try discovered()
    manager.connect(peripheral)
    phone.push(.connected(peripheral.identifier, link: phone.link))
    recorder.clear()
    return peripheral
  }

  /// With one service of two characteristics: 2A37 at 3, and 2A39 at 6.
  func explored(properties: CBCharacteristicProperties = [.read, .write, .notify]) throws -> CBCharacteristic {
    let peripheral = try connected()
    let identifier = peripheral.identifier
    phone.push(
      .services(identifier, .success([.heartRate])),
      .characteristics(
        identifier, service: 1,
        .success([
          FoundCharacteristic(handle: 3, uuid: AttributeUUID(0x2A37), properties: properties),
          FoundCharacteristic(handle: 6, uuid: AttributeUUID(0x2A39), properties: [.write]),
        ])))
    recorder.clear()
    return try #require(peripheral.services?.first?.characteristics?.first)
  }
}

extension FoundService {
  static let heartRate = FoundService(handles: 1...10, uuid: AttributeUUID(0x180D))
  static let battery = FoundService(handles: 11...20, uuid: AttributeUUID(0x180F))
}
