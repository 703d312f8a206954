import RollcallConnect

/// The screens that can show a film, by name.
public final class Screens: DiscoveryManagerDelegate {
  public private(set) var names: [String] = []
  private let manager = DiscoveryManager()

  public init() {
    manager.capabilityFilters = [CapabilityFilter([.any("MediaPlayer")])]
    manager.delegate = self
    manager.startDiscovery()
  }

  public func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
    names.append(device.friendlyName ?? "a screen")
  }

  public func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) {
    names.removeAll { $0 == device.friendlyName ?? "a screen" }
  }
}
