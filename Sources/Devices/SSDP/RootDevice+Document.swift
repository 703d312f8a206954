import RollcallPrimitives
package import RollcallWire

extension RootDevice {
  /// The description document of the device, from what it announces.
  /// - Parameter name: the friendly name; `nil`: one made of its UUID.
  package func document(named name: String? = nil) -> DescriptionDocument {
    let description = blueprint.description
    let style = description.uuidStyle
    let habits = blueprint.descriptionHabits
    func udn(_ uuid: DeviceUUID) -> String {
      // Far from the numbers of embedded devices.
      "uuid:" + (habits.hasOtherUDN ? uuid.derived(1_000) : uuid).text(style)
    }
    let name = name ?? description.friendlyName ?? "\(description.product) \(uuid.text(style).suffix(4))"
    let prefix = RootDevice.servicesPath(of: description.path)
    var count = 0
    func part(_ part: DevicePart, _ owner: Int, _ uuid: DeviceUUID) -> DescriptionDocument.Device {
      let services = part.services.map { type in
        count += 1
        return DescriptionDocument.Service(type: type, number: count, below: prefix)
      }
      return DescriptionDocument.Device(
        type: part.type, friendlyName: owner == 0 ? name : "\(name) part \(owner)",
        manufacturer: description.manufacturer ?? "Rollcall", modelName: description.modelName ?? description.product,
        udn: udn(uuid), services: services)
    }
    var root = part(description.root, 0, uuid)
    root.embedded = description.embedded.enumerated().map { index, embedded in
      part(embedded, index + 1, embedded.uuid ?? uuid.derived(UInt64(index + 1)))
    }
    if habits.hasOtherType { root.type = "urn:rollcall-example:device:Other:1" }
    let version = description.uda.rawValue.split(separator: ".").compactMap { Int($0) }
    let configID = habits.keepsConfigID ? description.configID : configID
    return DescriptionDocument(
      major: version.first ?? 1, minor: version.last ?? 0, configID: description.uda.hasBootID ? configID : nil,
      root: root)
  }

  /// What the paths of the services begin with: relative to the description, so that two devices behind one address do
  /// not share paths.
  /// - Parameter path: of the description, with a query or without.
  package static func servicesPath(of path: String) -> String {
    let path = path.prefix { $0 != "?" }
    let slash = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return (slash.hasPrefix("/") ? "" : "/") + slash + "service/"
  }
}
