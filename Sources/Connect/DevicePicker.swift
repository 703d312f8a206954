import RollcallDoors

/// A list of devices for a person to pick one from: what a view shows, without the view.
///
/// It is a delegate of its manager, beside that of the application or in its place; the list is sorted by name, without regard
/// to the case of letters, and devices without a name come last.
public final class DevicePicker: DiscoveryManagerDelegate, @unchecked Sendable {
  private struct Memory {
    var selected: ConnectableDevice?
    var onChange: (@Sendable (DevicePicker) -> Void)?
  }
  private let manager: DiscoveryManager
  private let memory = Guarded(Memory())

  init(_ manager: DiscoveryManager) { self.manager = manager }

  /// Called on the queue of the manager when the list, the selection or a connection is different.
  public var onChange: (@Sendable (DevicePicker) -> Void)? {
    get { memory.withLock { $0.onChange } }
    set { memory.withLock { $0.onChange = newValue } }
  }

  /// The devices that meet the filters of the manager.
  public var devices: [ConnectableDevice] {
    let keyed = manager.devices.map { device in (device, DevicePicker.key(device)) }
    return keyed.sorted { ($0.1.0, $0.1.1, $0.0.id) < ($1.1.0, $1.1.1, $1.0.id) }.map(\.0)
  }

  /// Devices without a name behind all others.
  private static func key(_ device: ConnectableDevice) -> (Int, String) {
    device.friendlyName.map { (0, $0.lowercased()) } ?? (1, device.address ?? "")
  }

  /// The device that was picked; `nil`: none was, or it is gone.
  public var selectedDevice: ConnectableDevice? { memory.withLock { $0.selected } }

  /// Whether the device that was picked is being connected, and whether it is ready.
  public var isConnecting: Bool { selectedDevice?.isConnecting == true }
  public var isConnected: Bool { selectedDevice?.isConnected == true }

  /// Picks a device of the list; `nil`: none. One that is not in the list is not picked.
  /// - Returns: whether the selection is now this one.
  @discardableResult public func select(_ device: ConnectableDevice?) -> Bool {
    if let device, manager.device(withID: device.id) != device { return false }
    memory.withLock { $0.selected = device }
    onChange?(self)
    return true
  }

  // MARK: - On the queue of the manager

  public func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { noteChange() }
  public func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { noteChange() }
  public func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) {
    memory.withLock { memory in if memory.selected == device { memory.selected = nil } }
    noteChange()
  }

  /// The list is another one, or the connection to a device is not as it was.
  func noteChange() { onChange?(self) }
}
