// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Told of what a connected peripheral has and says. Nothing of it is required.
///
/// On Apple's systems it is an Objective-C protocol with optional methods; here each of them has an empty body to fall
/// back on, so a delegate has those that it needs.
public protocol CBPeripheralDelegate: AnyObject {
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])
  @available(*, deprecated, renamed: "peripheral(_:didReadRSSI:error:)")
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  )
  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)
}

extension CBPeripheralDelegate {
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}

  /// A delegate of before 2013 has the older form only.
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    let older: any OlderStrength = OlderStrengthCall(delegate: self)
    older.call(peripheral, error)
  }

  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}
  public func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) {}
  public func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {}
}

/// The way to a deprecated requirement that is not deprecated itself: this module calls it for applications that have
/// nothing else.
private protocol OlderStrength {
  func call(_ peripheral: CBPeripheral, _ error: (any Error)?)
}

private struct OlderStrengthCall: OlderStrength {
  let delegate: any CBPeripheralDelegate

  @available(*, deprecated)
  func call(_ peripheral: CBPeripheral, _ error: (any Error)?) {
    delegate.peripheralDidUpdateRSSI(peripheral, error: error)
  }
}
