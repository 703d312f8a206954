import RollcallPrimitives

/// What a manager tells its application. All methods are called on the queue of the manager, one after the other; each has
/// a default that does nothing.
///
/// Where filters are set, only devices are told that meet one of them.
public protocol DiscoveryManagerDelegate: AnyObject {
  func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice)
  /// The device is gone, or can no longer do what the filters ask for.
  func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice)
  /// Its name, its address, its services or what it can do is different.
  func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice)
  /// Something cannot be done, as on a system that does not allow multicast; the error says what a person can do.
  func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError)
}

extension DiscoveryManagerDelegate {
  public func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {}
  public func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) {}
  public func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) {}
  public func discoveryManager(_ manager: DiscoveryManager, didFailWith error: DiscoveryError) {}
}

/// The same as values, in the order of the calls: `for await event in manager.events()`.
public enum DiscoveryEvent: Sendable {
  case found(ConnectableDevice)
  case lost(ConnectableDevice)
  case updated(ConnectableDevice)
  /// It can do something else than before: what `ConnectableDeviceDelegate` is told beside this; `updated` follows.
  case capabilitiesChanged(ConnectableDevice, added: [Capability], removed: [Capability])
  /// Its connection: what `ConnectableDeviceDelegate` is told beside this.
  case ready(ConnectableDevice)
  case disconnected(ConnectableDevice, ConnectionFailure?)
  case connectionFailed(ConnectableDevice, ConnectionFailure)
  case pairingRequired(ConnectableDevice, DeviceService, PairingKind)
  /// A web app: what `WebAppSessionDelegate` is told beside this.
  case webAppMessage(WebAppSession, WebAppMessage)
  case webAppDisconnected(WebAppSession)
  case failed(DiscoveryError)
}

/// Why a manager cannot discover.
public struct DiscoveryError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// There is no network that the manager could run on: `LiveNetwork.attach` was not called, and there is no world.
    case noNetwork
    /// Groups cannot be joined, so devices are heard only when they answer.
    case cannotJoin
    case cannotSend
    case noInterface
    /// Services are looked for over Bluetooth, which is switched off: what is there is found when it is switched on.
    case bluetoothOff
    /// The same, and this application may not use it, or its user was not asked yet.
    case bluetoothNotAllowed
    /// The same, and there is no radio for it here: no discovery on the network of this machine has one.
    case noBluetooth
    /// Devices cannot be loaded from the store, or not be saved in it; discovery goes on without it.
    case store
    /// A provider of the application reported something that cannot be, or that it cannot go on.
    case provider
    case other
  }
  public var reason: Reason
  /// What was found, and what a person can do.
  public var description: String

  public init(_ reason: Reason, _ description: String) { (self.reason, self.description) = (reason, description) }

  init(_ failure: Failure) {
    description = failure.explanation
    reason =
      switch failure.reason {
      case .cannotJoin: .cannotJoin
      case .cannotSend: .cannotSend
      case .noInterface: .noInterface
      case .store: .store
      case .bluetoothOff: .bluetoothOff
      case .bluetoothNotAllowed: .bluetoothNotAllowed
      case .noBluetooth: .noBluetooth
      case .invalidSearch, .searchIdUsed, .invalidBrowse, .invalidScan: .other
      }
  }
}
