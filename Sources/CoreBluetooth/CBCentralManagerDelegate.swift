// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Told of what happens to a central manager. Only the state is required.
///
/// On Apple's systems it is an Objective-C protocol with optional methods; here each of them has a body to fall back
/// on, so a delegate has those that it needs.
public protocol CBCentralManagerDelegate: AnyObject {
  func centralManagerDidUpdateState(_ central: CBCentralManager)
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any])
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber)
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral)
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?)
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?)
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?)
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral)
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral)

  /// The answer to `retrievePeripherals(_:)`, which has gone from Apple's SDK.
  @available(*, deprecated, message: "retrievePeripherals(withIdentifiers:) returns them")
  func centralManager(_ central: CBCentralManager, didRetrievePeripherals peripherals: [CBPeripheral])
  /// The answer to `retrieveConnectedPeripherals()`, which has gone from Apple's SDK.
  @available(*, deprecated, message: "retrieveConnectedPeripherals(withServices:) returns them")
  func centralManager(_ central: CBCentralManager, didRetrieveConnectedPeripherals peripherals: [CBPeripheral])
}

extension CBCentralManagerDelegate {
  /// Reached only if there is something to restore, and the delegate has no way to take it.
  public func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
    central.link.misused(
      .restoration, in: "centralManager(_:willRestoreState:)",
      "the manager has a restore identifier, and its delegate takes no restored state")
  }

  public func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}
  public func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
  public func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {}

  /// The manager calls this form only. A delegate that has it is not called in the older form; for one that has not,
  /// this body makes the older call. So nobody needs to know which of them a delegate has.
  public func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {
    centralManager(central, didDisconnectPeripheral: peripheral, error: error)
  }

  public func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent, for peripheral: CBPeripheral
  ) {}
  public func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}
  public func centralManager(_ central: CBCentralManager, didRetrievePeripherals peripherals: [CBPeripheral]) {}
  public func centralManager(
    _ central: CBCentralManager, didRetrieveConnectedPeripherals peripherals: [CBPeripheral]
  ) {}
}
