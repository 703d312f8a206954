// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// An application as it is written for Apple's systems: it knows Foundation, Dispatch and CoreBluetooth, and nothing of
// a virtual phone.
import CoreBluetooth
import Dispatch
import Foundation

/// Finds a heart rate sensor, shows its rate, and ends the connection after three values.
final class HeartRateMonitor: NSObject {
  private static let service = "180D"
  private static let rate = "2A37"
  private static let location = "2A38"

  private var central: CBCentralManager!
  private var sensor: CBPeripheral?
  private(set) var log: [String] = []
  private(set) var rates: [UInt8] = []

  init(queue: DispatchQueue) {
    super.init()
    central = CBCentralManager(
      delegate: self, queue: queue, options: [CBCentralManagerOptionRestoreIdentifierKey: "heart rate monitor"])
  }

  private func look() {
    central.scanForPeripherals(
      withServices: [CBUUID(string: Self.service)], options: [CBCentralManagerScanOptionAllowDuplicatesKey: false])
    log.append("looking")
  }
}

extension HeartRateMonitor: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn:
      if let sensor, sensor.state == .connected {
        sensor.discoverServices([CBUUID(string: Self.service)])
      } else {
        look()
      }
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff:
      log.append("not now")
    @unknown default:
      log.append("new state")
    }
  }

  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral]
    sensor = peripherals?.first
    sensor?.delegate = self
    log.append("restored \(peripherals?.count ?? 0)")
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? "nameless"
    let isConnectable = (advertisementData[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue ?? false
    log.append("found \(name) at \(RSSI.intValue)")
    guard isConnectable, RSSI.intValue > -80 else { return }
    central.stopScan()
    sensor = peripheral
    peripheral.delegate = self
    central.connect(peripheral, options: nil)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    log.append("connected")
    peripheral.discoverServices([CBUUID(string: Self.service)])
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    log.append("failed")
    sensor = nil
    look()
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    sensor = nil
    if let error = error as? CBError, error.code == .connectionTimeout {
      log.append("lost")
      look()
    } else {
      log.append("ended")
    }
  }
}

extension HeartRateMonitor: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard error == nil, let service = peripheral.services?.first(where: { $0.uuid == CBUUID(string: Self.service) })
    else { return }
    peripheral.discoverCharacteristics(nil, for: service)
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    let found = service.characteristics ?? []
    for characteristic in found where characteristic.properties.contains(.read) {
      peripheral.readValue(for: characteristic)
    }
    for characteristic in found where characteristic.properties.contains(.notify) {
      peripheral.setNotifyValue(true, for: characteristic)
    }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    guard let data = characteristic.value, error == nil else { return }
    switch characteristic.uuid.uuidString {
    case Self.location: log.append("worn at \(data.first ?? 0)")
    case Self.rate:
      rates.append(data.count > 1 ? data[1] : 0)
      if rates.count == 3 { central.cancelPeripheralConnection(peripheral) }
    default: break
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    log.append("notifying \(characteristic.isNotifying)")
  }
}
