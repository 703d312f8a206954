// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Applications as they are written for Apple's systems.
import CoreBluetooth.CBPeripheralManager
import Dispatch
import Foundation

/// Publishes a thermometer: a fixed place of measurement, a temperature that is asked for, and a limit that is written.
final class ThermometerApp: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
  private(set) var manager: CBPeripheralManager!
  private(set) var log: [String] = []
  let temperature: CBMutableCharacteristic
  let limit: CBMutableCharacteristic
  let service = CBMutableService(type: CBUUID(string: "1809"), primary: true)
  /// Values that are still to be sent to who subscribes.
  var toSend: [Data] = []
  var wantsToRefuse = false
  private(set) var limits: [Data] = []

  private var isRestored = false

  init(restoreIdentifier: String? = nil) {
    temperature = CBMutableCharacteristic(
      type: CBUUID(string: "2A1C"), properties: [.read, .notify], value: nil, permissions: .readable)
    limit = CBMutableCharacteristic(
      type: CBUUID(string: "2A1E"), properties: [.write, .writeWithoutResponse], value: nil, permissions: .writeable)
    super.init()
    let place = CBMutableCharacteristic(
      type: CBUUID(string: "2A1D"), properties: .read, value: Data([2]), permissions: .readable)
    place.descriptors = [
      CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "place")
    ]
    service.characteristics = [place, temperature, limit]
    let options = restoreIdentifier.map { [CBPeripheralManagerOptionRestoreIdentifierKey: $0] }
    manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "thermometer"), options: options)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    log.append("state \(peripheral.state.rawValue)")
    guard peripheral.state == .poweredOn else { return }
    if !isRestored { peripheral.add(service) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    isRestored = true
    let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
    let data = dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] as? [String: Any]
    let name = data?[CBAdvertisementDataLocalNameKey] as? String ?? "-"
    log.append("restored \(services.map(\.uuid.uuidString).joined(separator: " ")), \(name)")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    log.append("added \(service.uuid)")
    peripheral.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Thermo", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    log.append("advertising \(peripheral.isAdvertising)")
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    log.append(
      "subscribed \(characteristic.uuid), \(central.maximumUpdateValueLength), \(temperature.subscribedCentrals?.count ?? -1)"
    )
    send()
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    log.append("unsubscribed \(characteristic.uuid), \(temperature.subscribedCentrals?.count ?? -1)")
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    log.append("read \(request.characteristic.uuid) from \(request.offset)")
    request.value = Data((0..<200).map { UInt8($0) }).dropFirst(request.offset)
    peripheral.respond(to: request, withResult: wantsToRefuse ? .insufficientAuthorization : .success)
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    log.append(
      "write "
        + requests.map { "\($0.characteristic.uuid) \($0.value?.count ?? 0) at \($0.offset)" }.joined(separator: ", "))
    limits += requests.compactMap(\.value)
    peripheral.respond(to: requests[0], withResult: .success)
  }

  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
    log.append("ready")
    send()
  }

  /// Sends until there is no room.
  func send() {
    while let next = toSend.first {
      guard manager.updateValue(next, for: temperature, onSubscribedCentrals: nil) else {
        log.append("no room, \(toSend.count) left")
        return
      }
      toSend.removeFirst()
    }
  }
}

/// Looks for a service, connects, discovers all of it, and writes a line for each answer.
final class ExplorerApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private(set) var central: CBCentralManager!
  private(set) var peripheral: CBPeripheral?
  private(set) var log: [String] = []
  private(set) var values: [[UInt8]] = []
  private let service: CBUUID

  init(_ service: String) {
    self.service = CBUUID(string: service)
    super.init()
    central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "explorer"))
  }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    peripheral?.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
  }

  func clear() { (log, values) = ([], []) }

  private func words(_ error: (any Error)?) -> String {
    (error as? CBATTError).map { " att \($0.code.rawValue)" } ?? (error as? CBError).map { " \($0.code.rawValue)" }
      ?? ""
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    log.append("found \(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "-")")
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log.append("connected")
    peripheral.discoverServices(nil)
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    log.append("disconnected\(words(error))")
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { log.append("name \(peripheral.name ?? "-")") }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    log.append("services \((peripheral.services ?? []).map(\.uuid.uuidString))\(words(error))")
    for one in peripheral.services ?? [] where one.characteristics == nil {
      peripheral.discoverCharacteristics(nil, for: one)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    log.append("\(service.uuid) has \((service.characteristics ?? []).map(\.uuid.uuidString))\(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    let bytes = characteristic.value.map { [UInt8]($0) } ?? []
    if error == nil { values.append(bytes) }
    log.append("value \(characteristic.uuid) \(bytes.count)\(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    log.append("written \(characteristic.uuid)\(words(error))")
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    log.append("notifying \(characteristic.isNotifying)\(words(error))")
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    log.append("modified \(invalidatedServices.map(\.uuid.uuidString))")
  }
}
