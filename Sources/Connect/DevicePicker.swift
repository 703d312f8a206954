import RollcallDoors

/// A list of devices for a person to pick one from: what a view shows, without the view.
///
/// It is a delegate of its manager, beside that of the application or in its place; the list is sorted by name, without regard
/// to the case of letters, and devices without a name come last, by address.
public final class DevicePicker: DiscoveryManagerDelegate, @unchecked Sendable {
  private struct Memory {
    var list: PickerList<ConnectableDevice>
    var onChange: (@Sendable (DevicePicker) -> Void)?
  }
  /// It stays in memory as long as the picker does.
  private let manager: DiscoveryManager
  private let memory: Guarded<Memory>

  init(_ manager: DiscoveryManager, showing devices: [ConnectableDevice]) {
    self.manager = manager
    memory = Guarded(Memory(list: PickerList(devices)))
  }

  /// Called on the queue of the manager when the list, the selection or a connection is different.
  public var onChange: (@Sendable (DevicePicker) -> Void)? {
    get { memory.withLock { $0.onChange } }
    set { memory.withLock { $0.onChange = newValue } }
  }

  /// The devices that meet the filters of the manager.
  public var devices: [ConnectableDevice] { memory.withLock { $0.list.devices } }

  /// The device that was picked; `nil`: none was, or it is gone.
  public var selectedDevice: ConnectableDevice? { memory.withLock { $0.list.selected } }

  /// Whether the device that was picked is being connected, and whether it is ready.
  public var isConnecting: Bool { memory.withLock { $0.list.isConnecting } }
  public var isConnected: Bool { memory.withLock { $0.list.isConnected } }

  /// Picks a device of the list; `nil`: none. One that is not in the list is not picked.
  /// - Returns: whether the selection is now this one.
  @discardableResult public func select(_ device: ConnectableDevice?) -> Bool {
    let isTaken = memory.withLock { memory in
      if let device, memory.list.device(withID: device.id) != device { return false }
      return memory.list.select(id: device?.id)
    }
    if isTaken { onChange?(self) }
    return isTaken
  }

  // MARK: - On the queue of the manager

  public func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) { put(device) }
  public func discoveryManager(_ manager: DiscoveryManager, didUpdate device: ConnectableDevice) { put(device) }
  public func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) {
    memory.withLock { $0.list.remove(id: device.id) }
    noteChange()
  }

  private func put(_ device: ConnectableDevice) {
    memory.withLock { $0.list.put(device) }
    noteChange()
  }

  /// The list is another one, or the connection to a device is not as it was.
  func noteChange() { onChange?(self) }
}
