package import RollcallPrimitives

/// Devices that are made of numbers, and what is done to them, step by step: two processes agree on all of it.
package enum SampleDevices {
  /// How many ids there are.
  package static let ids = 40

  package static func device(_ number: Int, at step: Int, services: Int = 6) -> StoredDevice {
    StoredDevice(
      id: "device-\(number)", friendlyName: "Television \(number)", modelName: "OLED55C\(step % 10)",
      manufacturer: "LG Electronics", addresses: ["192.168.1.\(step % 200)"],
      lastSeenUnixSeconds: 1_700_000_000 + Int64(step), lastConnectedUnixSeconds: step % 3 == 0 ? Int64(step) : nil,
      services: (0..<services).map { place in
        StoredService(
          uuid: "2fac1234-31f8-11b4-a222-\(padded(number))\(padded(place))", serviceID: "service \(place)",
          serviceType: "urn:schemas-upnp-org:device:MediaRenderer:\(place)",
          description: [
            "friendlyName": "Television \(number)", "modelName": "OLED55C\(step % 10)", "modelNumber": "1.\(place)",
            "manufacturer": "LG Electronics", "version": "3.1",
            "location": "http://192.168.1.\(step % 200):\(1_900 + place)/description.xml",
          ],
          config: ["class": "DLNAService", "lastDetection": "\(step)"],
          pairingKey: place == 0 ? Array("key of \(number) at \(step / 50)".utf8) : nil)
      })
  }

  private static func padded(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// What a step does. Most of them merge; some replace a device by one with fewer services, some remove one.
  package enum Step {
    case merge(StoredDevice)
    case replace(StoredDevice)
    case remove(id: String)

    package init(_ step: Int) {
      let number = (step &* 7 &+ step / 11) % SampleDevices.ids
      switch step % 10 {
      case 4: self = .replace(SampleDevices.device(number, at: step, services: 3))
      case 7: self = .remove(id: "device-\(number)")
      default: self = .merge(SampleDevices.device(number, at: step))
      }
    }

    /// The same on values, without a database.
    package func apply(to devices: inout [StoredDevice]) {
      func place(_ id: String) -> Int? { devices.firstIndex { $0.id == id } }
      switch self {
      case .merge(let device):
        if let place = place(device.id) {
          devices[place] = devices[place].merging(device)
        } else {
          devices.append(device)
        }
      case .replace(let device):
        if let place = place(device.id) { devices[place] = device } else { devices.append(device) }
      case .remove(let id): devices.removeAll { $0.id == id }
      }
    }
  }
}
