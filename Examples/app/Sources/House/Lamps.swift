// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The names are those of the delegate that an application implements.
import CoreBluetooth
import Dispatch
import Foundation

/// The lamps in reach, by name: things with a battery service.
public final class Lamps: NSObject, CBCentralManagerDelegate {
  public private(set) var names: [String] = []
  private var central: CBCentralManager?

  public override init() {
    super.init()
    central = CBCentralManager(delegate: self, queue: DispatchQueue(label: "lamps"))
  }

  public func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: [CBUUID(string: "180F")]) }
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String, !names.contains(name) else {
      return
    }
    names.append(name)
  }
}
