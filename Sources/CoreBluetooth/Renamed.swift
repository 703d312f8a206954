// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import RollcallDoors

// Spellings of before Swift 3, and calls that have gone. A name that Apple's SDK refuses is refused here with the same
// hint. The two calls whose answers were callbacks work, since the reference of 2014 has those callbacks.

extension CBCentralManager {
  /// The delegate is told of the peripherals that `retrievePeripherals(withIdentifiers:)` returns.
  @available(*, deprecated, renamed: "retrievePeripherals(withIdentifiers:)")
  public func retrievePeripherals(_ peripheralUUIDs: [UUID]) {
    let found = Carried(retrievePeripherals(withIdentifiers: peripheralUUIDs))
    guard state == .poweredOn else { return }
    core.later { manager in
      manager.delegate?.centralManager(manager, didRetrievePeripherals: found.value)
    }
  }

  /// The delegate is told of all peripherals that are connected to this phone.
  @available(*, deprecated, renamed: "retrieveConnectedPeripherals(withServices:)")
  public func retrieveConnectedPeripherals() {
    let found = Carried(connectedPeripherals("retrieveConnectedPeripherals()", services: nil))
    guard state == .poweredOn else { return }
    core.later { manager in
      manager.delegate?.centralManager(manager, didRetrieveConnectedPeripherals: found.value)
    }
  }

  @available(*, unavailable, renamed: "connect(_:options:)")
  public func connectPeripheral(_ peripheral: CBPeripheral, options: [String: Any]?) {}

  @available(*, unavailable, renamed: "scanForPeripherals(withServices:options:)")
  public func scanForPeripheralsWithServices(_ serviceUUIDs: [CBUUID]?, options: [String: Any]?) {}

  @available(*, unavailable, renamed: "retrievePeripherals(withIdentifiers:)")
  public func retrievePeripheralsWithIdentifiers(_ identifiers: [UUID]) -> [CBPeripheral] { [] }

  @available(*, unavailable, renamed: "retrieveConnectedPeripherals(withServices:)")
  public func retrieveConnectedPeripheralsWithServices(_ serviceUUIDs: [CBUUID]) -> [CBPeripheral] { [] }
}

extension CBPeripheral {
  @available(*, unavailable, renamed: "discoverIncludedServices(_:for:)")
  public func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, forService service: CBService) {}

  @available(*, unavailable, renamed: "discoverCharacteristics(_:for:)")
  public func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, forService service: CBService) {}

  @available(*, unavailable, renamed: "discoverDescriptors(for:)")
  public func discoverDescriptorsForCharacteristic(_ characteristic: CBCharacteristic) {}

  @available(*, unavailable, renamed: "readValue(for:)")
  public func readValueForCharacteristic(_ characteristic: CBCharacteristic) {}

  @available(*, unavailable, renamed: "readValue(for:)")
  public func readValueForDescriptor(_ descriptor: CBDescriptor) {}

  @available(*, unavailable, renamed: "writeValue(_:for:type:)")
  public func writeValue(
    _ data: Data, forCharacteristic characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {}

  @available(*, unavailable, renamed: "writeValue(_:for:)")
  public func writeValue(_ data: Data, forDescriptor descriptor: CBDescriptor) {}

  @available(*, unavailable, renamed: "setNotifyValue(_:for:)")
  public func setNotifyValue(_ enabled: Bool, forCharacteristic characteristic: CBCharacteristic) {}

  @available(*, unavailable, renamed: "maximumWriteValueLength(for:)")
  public func maximumWriteValueLengthForType(_ type: CBCharacteristicWriteType) -> Int { 0 }
}

extension CBPeripheralManager {
  @available(*, unavailable, renamed: "add(_:)")
  public func addService(_ service: CBMutableService) {}

  @available(*, unavailable, renamed: "remove(_:)")
  public func removeService(_ service: CBMutableService) {}

  @available(*, unavailable, renamed: "respond(to:withResult:)")
  public func respondToRequest(_ request: CBATTRequest, withResult result: CBATTError.Code) {}

  @available(*, unavailable, renamed: "updateValue(_:for:onSubscribedCentrals:)")
  public func updateValue(
    _ value: Data, forCharacteristic characteristic: CBMutableCharacteristic,
    onSubscribedCentrals centrals: [CBCentral]?
  ) -> Bool { false }
}

extension CBUUID {
  @available(*, unavailable, renamed: "uuidString")
  public var UUIDString: String { uuidString }

  @available(*, unavailable, renamed: "init(nsuuid:)")
  public convenience init(NSUUID theUUID: UUID) { self.init(nsuuid: theUUID) }
}
