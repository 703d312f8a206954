import RollcallDevices
import RollcallPrimitives
import RollcallWire

/// The description document of a virtual device, from what it announces.
enum ServedDescription {
  static func document(of device: RootDevice, name: String) -> DescriptionDocument {
    let description = device.blueprint.description
    let style = description.uuidStyle
    // Relative to the description, so that two devices behind one address do not share paths.
    let prefix = folder(of: description.path) + "service/"
    var count = 0
    func part(_ part: DevicePart, _ owner: Int, _ uuid: DeviceUUID) -> DescriptionDocument.Device {
      let services = part.services.map { type in
        count += 1
        return DescriptionDocument.Service(type: type, number: count, below: prefix)
      }
      return DescriptionDocument.Device(
        type: part.type, friendlyName: owner == 0 ? name : "\(name) part \(owner)", manufacturer: "Rollcall",
        modelName: description.product, udn: "uuid:" + uuid.text(style), services: services)
    }
    var root = part(description.root, 0, device.uuid)
    root.embedded = description.embedded.enumerated().map { index, embedded in
      part(embedded, index + 1, embedded.uuid ?? device.uuid.derived(UInt64(index + 1)))
    }
    let version = description.uda.rawValue.split(separator: ".").compactMap { Int($0) }
    return DescriptionDocument(
      major: version.first ?? 1, minor: version.last ?? 0, configID: description.uda.hasBootID ? device.configID : nil,
      root: root)
  }

  private static func folder(of path: String) -> String {
    let slash = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return slash.hasPrefix("/") ? String(slash) : "/" + slash
  }
}
