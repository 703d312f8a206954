// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import RollcallDoors

/// A central's request to read or write. Requests that were made together are answered by the first of them.
open class CBATTRequest: NSObject {
  /// The phone's number of the request; nil for one that an earlier one answers.
  let number: Int?
  private let asking: CBCentral
  private let asked: CBCharacteristic
  private let start: Int
  private let held: Guarded<Data?>

  init(number: Int?, central: CBCentral, characteristic: CBCharacteristic, offset: Int, value: Data?) {
    self.number = number
    asking = central
    asked = characteristic
    start = offset
    held = Guarded(value)
    super.init()
  }

  open var central: CBCentral { asking }
  open var characteristic: CBCharacteristic { asked }
  open var offset: Int { start }
  /// What is written, or what is to be the answer to a read.
  open var value: Data? {
    get { held.current }
    set { held.withLock { $0 = newValue } }
  }
}

/// Told of what happens to a peripheral manager. Only the state is required.
public protocol CBPeripheralManagerDelegate: AnyObject {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager)
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any])
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic)
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest)
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest])
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?)
  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?)
}

extension CBPeripheralManagerDelegate {
  /// Reached only if there is something to restore, and the delegate has no way to take it.
  public func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
    peripheral.link.misused(
      .restoration, in: "peripheralManager(_:willRestoreState:)",
      "the manager has a restore identifier, and its delegate takes no restored state")
  }

  public func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {}
  public func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {}
  public func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  public func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}
