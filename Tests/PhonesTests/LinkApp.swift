// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreBluetooth
import Dispatch
import Foundation

/// An application that looks for heart rate sensors, does what a test asks, and writes a line for each call.
final class LinkApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
  private(set) var central: CBCentralManager!
  private(set) var log: [String] = []
  private(set) var restored: [String: Any] = [:]
  var peripheral: CBPeripheral?
  /// What it writes without response as soon as there is room.
  var toWrite: [Data] = []

  init(restoreIdentifier: String? = nil) {
    super.init()
    let options = restoreIdentifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] }
    central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "link"), options: options)
  }

  func clear() { log = [] }

  func connect(_ options: [String: Any]? = nil) {
    if let peripheral { central.connect(peripheral, options: options) }
  }

  func cancel() { if let peripheral { central.cancelPeripheralConnection(peripheral) } }

  func characteristic(_ uuid: String) -> CBCharacteristic? {
    peripheral?.services?.lazy.flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
  }

  /// Writes until there is no room.
  func write(to characteristic: CBCharacteristic) {
    while let next = toWrite.first, peripheral?.canSendWriteWithoutResponse == true {
      toWrite.removeFirst()
      peripheral?.writeValue(next, for: characteristic, type: .withoutResponse)
    }
    if !toWrite.isEmpty { log.append("no room") }
  }

  private func words(_ error: (any Error)?) -> String { (error as? CBError).map { " \($0.code.rawValue)" } ?? "" }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    log.append("state \(central.state.rawValue)")
    guard central.state == .poweredOn, restored.isEmpty else { return }
    central.scanForPeripherals(withServices: [CBUUID(string: "180D"), CBUUID(string: "1809")])
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    restored = dict
    peripheral = (dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral])?.first
    peripheral?.delegate = self
    log.append("restored \(dict.keys.sorted().count)")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let overflowing = advertisementData[CBAdvertisementDataOverflowServiceUUIDsKey] as? [CBUUID] ?? []
    log.append(
      "found \(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "-")"
        + overflowing.map { " \($0)" }.joined())
    guard self.peripheral == nil else { return }
    self.peripheral = peripheral
    peripheral.delegate = self
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { log.append("connected") }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    log.append("failed\(words(error))")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    log.append("disconnected\(words(error))\(isReconnecting ? " reconnecting" : "")")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    log.append("older form")
  }

  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {
    log.append("event \(event.rawValue) \(peripheral.name ?? "-")")
  }

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) { log.append("name \(peripheral.name ?? "-")") }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for one in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: one) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    log.append("value \(characteristic.uuid)\(words(error))")
  }

  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
    log.append("ready")
    if let limit = characteristic("2A1E") { write(to: limit) }
  }
}
