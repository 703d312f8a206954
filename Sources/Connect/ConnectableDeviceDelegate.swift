public import RollcallPrimitives

/// What a device tells that an application connects to. All methods are called on the queue of the manager, one after the
/// other; each has a default that does nothing.
public protocol ConnectableDeviceDelegate: AnyObject {
  /// All of its services can be used.
  func connectableDeviceReady(_ device: ConnectableDevice)
  /// It was ready and is no more; without an error the application wanted that.
  func connectableDeviceDisconnected(_ device: ConnectableDevice, withError error: ConnectionFailure?)
  /// It can do something else than before.
  func connectableDevice(_ device: ConnectableDevice, capabilitiesAdded added: [Capability], removed: [Capability])
  /// It did not become ready; the error says what a person can do.
  func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure)
  /// The user has to agree: with `pin` they type the number that the device shows, and the application hands it to
  /// `sendPairingKey`, or calls `cancelPairing`.
  func connectableDevice(
    _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind)
}

extension ConnectableDeviceDelegate {
  public func connectableDeviceReady(_ device: ConnectableDevice) {}
  public func connectableDeviceDisconnected(_ device: ConnectableDevice, withError error: ConnectionFailure?) {}
  public func connectableDevice(
    _ device: ConnectableDevice, capabilitiesAdded added: [Capability], removed: [Capability]
  ) {}
  public func connectableDevice(_ device: ConnectableDevice, connectionFailedWithError error: ConnectionFailure) {}
  public func connectableDevice(
    _ device: ConnectableDevice, service: DeviceService, pairingRequiredOfType type: PairingKind
  ) {}
}
