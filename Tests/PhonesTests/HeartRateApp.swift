// swift-format-ignore-file: AlwaysUseLowerCamelCase

// An application as it is written for Apple's systems.
import CoreBluetooth
import Dispatch
import Foundation

/// Connects to the first heart rate sensor, shows three rates, and ends the connection.
final class HeartRateApp: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  private var central: CBCentralManager!
  private var sensor: CBPeripheral?
  private(set) var log: [String] = []
  /// How many rates it wants; the connection stays after that if it wants none.
  private let rateCount: Int

  init(rateCount: Int = 3, queue: DispatchQueue? = DispatchQueue(label: "heart rate")) {
    self.rateCount = rateCount
    super.init()
    central = CBCentralManager(delegate: self, queue: queue)
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    log.append("state \(central.state.rawValue)")
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180D")]) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    log.append("found \(advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "-") at \(RSSI)")
    guard sensor == nil else { return }
    central.stopScan()
    sensor = peripheral
    peripheral.delegate = self
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log.append("connected, writes of \(peripheral.maximumWriteValueLength(for: .withoutResponse)) bytes")
    peripheral.discoverServices([CBUUID(string: "180D")])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    log.append("failed \((error as? CBError)?.code.rawValue ?? -1)")
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    log.append("disconnected" + ((error as? CBError).map { " \($0.code.rawValue)" } ?? ""))
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    let services = peripheral.services ?? []
    log.append("services \(services.map(\.uuid.uuidString))")
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    let all = service.characteristics ?? []
    log.append("characteristics \(all.map(\.uuid.uuidString))")
    for one in all where one.properties.contains(.read) { peripheral.readValue(for: one) }
    for one in all where one.properties.contains(.notify) { peripheral.setNotifyValue(true, for: one) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    let bytes = characteristic.value.map { [UInt8]($0) } ?? []
    log.append("\(characteristic.uuid.uuidString) \(bytes)")
    let rates = log.count { $0.hasPrefix("2A37") }
    if rateCount > 0, rates == rateCount { central.cancelPeripheralConnection(peripheral) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    log.append("notifying \(characteristic.isNotifying)")
  }
}
