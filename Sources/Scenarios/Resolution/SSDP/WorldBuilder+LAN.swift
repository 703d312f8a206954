import RollcallDevices
import RollcallPrimitives

// Root devices: what the members of an entry share, and each of them.
extension WorldBuilder {
  /// What the members of an entry of root devices share; `nil`: it is no such entry.
  /// - Parameter number: its place among the inhabitants.
  func deviceKind(of entry: InhabitantEntry, number: Int) -> DeviceKind? {
    guard let section = entry.kind.lanDevice else { return nil }
    let uuid = DeviceUUID(seed: Seed(0), name: entry.memberNames[0])
    return DeviceKind(
      inhabitant: number, description: section.description(uuid: uuid),
      quirks: section.profile.quirks + section.quirks)
  }

  /// A member of an entry of root devices, of the newest of `deviceKinds`, on the host that is added next; `nil`: it is
  /// no such entry.
  func lanDevice(of entry: InhabitantEntry, named name: String, _ style: DeviceUUID.Style) -> ResolvedDevice? {
    guard let section = entry.kind.lanDevice else { return nil }
    let uuid = section.uuid ?? DeviceUUID(seed: Seed(0), name: name)
    return ResolvedDevice(
      name: name, host: resolved.hosts.count, kind: .root(resolved.deviceKinds.count - 1, uuid),
      identity: "uuid:" + uuid.text(style))
  }
}
