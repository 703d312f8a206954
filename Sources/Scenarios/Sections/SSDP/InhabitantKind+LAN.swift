import RollcallDevices

// What others need to know of a root device among the kinds.
extension InhabitantKind {
  /// What an entry is that names no kind.
  package static var standard: InhabitantKind { .rootDevice(RootDeviceSection()) }

  /// The root device that it is; `nil`: it is something else.
  var lanDevice: RootDeviceSection? { if case .rootDevice(let section) = self { section } else { nil } }

  /// Gives a quirk to a root device.
  /// - Returns: whether it is one.
  mutating func plant(_ quirk: Quirk) -> Bool {
    guard var section = lanDevice else { return false }
    section.quirks.append(quirk)
    self = .rootDevice(section)
    return true
  }
}
