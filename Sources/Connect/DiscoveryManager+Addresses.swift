// Devices by where they are.
extension DiscoveryManager {
  /// `devices` by their present address. Of two devices at one address the one that was found first has the address for its
  /// key, every other one the address, a blank and its id: nothing is hidden. One without an address has its id.
  public var compatibleDevices: [String: ConnectableDevice] { DiscoveryManager.byAddress(devices) }

  /// Everything that is there, by keys of the same form: devices that meet the filters, and behind them those that meet none.
  /// Of these the delegate is not told, and they cannot be connected. On a real network the others are those of the last second.
  public var allDevices: [String: ConnectableDevice] { DiscoveryManager.byAddress(devicesAndOthers) }

  private static func byAddress(_ list: [ConnectableDevice]) -> [String: ConnectableDevice] {
    var keyed: [String: ConnectableDevice] = [:]
    for device in list {
      guard let address = device.address else {
        keyed[device.id] = device
        continue
      }
      keyed[keyed[address] == nil ? address : "\(address) \(device.id)"] = device
    }
    return keyed
  }
}
