import RollcallConnect

final class Player: DiscoveryManagerDelegate {
  let manager = DiscoveryManager()
  var found: [String] = []

  init() {
    manager.capabilityFilters = [CapabilityFilter([.any("MediaPlayer"), Capability("VolumeControl.Set")])]
    manager.delegate = self
    manager.startDiscovery()
  }

  func discoveryManager(_ manager: DiscoveryManager, didFind device: ConnectableDevice) {
    found.append("\(device.friendlyName ?? "?") at \(device.address ?? "?"): \(device.serviceNames)")
  }

  func discoveryManager(_ manager: DiscoveryManager, didLose device: ConnectableDevice) {
    found.removeAll { $0.hasPrefix(device.friendlyName ?? "?") }
  }
}
