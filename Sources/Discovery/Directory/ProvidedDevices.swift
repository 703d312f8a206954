import RollcallPrimitives

/// Devices that the application found itself: it says what comes, changes and goes, and the directory holds them beside
/// all others.
struct ProvidedDevices: Sendable {
  /// More are not taken.
  static let countMaximum = 1_024

  /// In the order in which they came.
  private(set) var devices: [ProvidedDevice] = []

  /// A device is there, or is as it says now. What breaks the bounds of `ProvidedDevice` is not taken.
  mutating func provide(_ device: ProvidedDevice, _ directory: inout Directory) {
    if device.complaint != nil { return }
    let sighting = device.sighting
    guard let index = index(of: device.id) else {
      if devices.count >= ProvidedDevices.countMaximum { return }
      devices.append(device)
      directory.found(sighting)
      return
    }
    let before = devices[index].sighting
    devices[index] = device
    if before.locator != sighting.locator { directory.changed(sighting, .address(from: before.locator.address)) }
    for name in [DeviceAttribute.Name.name, .services, .txt] where before[name] != sighting[name] {
      directory.changed(sighting, .attribute(name, from: before[name]))
    }
  }

  mutating func withdraw(_ id: String, _ directory: inout Directory) {
    guard let index = index(of: id) else { return }
    directory.lost(ProvidedDevice.deviceName(devices.remove(at: index).id), .goodbye)
  }

  /// As the directory tells names apart.
  private func index(of id: String) -> Int? { devices.firstIndex { isSameDevice($0.id, id) } }
}
