import RollcallPrimitives

// What devices announce or answer, for those who ask which services they have.
extension LeaseTable {
  /// A device that has other leases than at the last call.
  struct OtherTypes {
    var device: UInt32
    /// The one that came; `none`: more happened than that.
    var lease: UInt32
  }

  /// Notes that a device has other leases than before, if anybody asks.
  /// - Parameter lease: the one that came; `none`: more happened than that.
  mutating func noteTypes(of device: UInt32, lease: UInt32) {
    if !notesTypes { return }
    if let last = otherTypes.last, last.device == device {
      otherTypes[otherTypes.count - 1].lease = none
    } else {
      otherTypes.append(OtherTypes(device: device, lease: lease))
    }
  }

  /// Calls for each present device that has other leases than at the last call: its name, and the UUID (`uuid:` in front)
  /// and type of each lease, in the order in which they came, each pair once.
  ///
  /// - Parameter next: is called where one lease came that stands behind all others; it says whether that suffices, and
  ///   `all` is called where it does not.
  mutating func takeOtherTypes(
    next: (_ device: String, _ type: String, _ owner: String) -> Bool,
    all: (_ device: String, [(owner: String, type: String)]) -> Void
  ) {
    guard !otherTypes.isEmpty else { return }
    // Mostly there is one.
    let isOne = otherTypes.count == 1
    var done: Set<UInt32> = []
    for entry in otherTypes where isOne || done.insert(entry.device).inserted {
      let device = entry.device
      guard devices[Int(device)].isLive, devices[Int(device)].isPresent else { continue }
      if isOne, entry.lease != none, isLast(entry.lease) {
        let lease = leases[Int(entry.lease)]
        if hasEarlier(than: entry.lease, target: lease.target) { continue }
        let owner = uuids.sharedText(lease.part, prefix: "uuid:")
        if next(name(device), targets.sharedText(lease.target), owner) { continue }
      }
      all(name(device), types(of: device))
    }
    otherTypes.removeAll(keepingCapacity: true)
  }

  /// Whether a lease stands behind all others of its device.
  private func isLast(_ lease: UInt32) -> Bool {
    leases[Int(lease)].next == none && parts[Int(leases[Int(lease)].part)].next == none
  }

  /// Whether its part has another lease with this target, of another interface or family.
  private func hasEarlier(than lease: UInt32, target: UInt32) -> Bool {
    var other = leases[Int(lease)].previous
    while other != none {
      if leases[Int(other)].target == target { return true }
      other = leases[Int(other)].previous
    }
    return false
  }

  /// All devices count as if they had other leases than at the last call.
  mutating func noteAllTypes() {
    otherTypes = devices.indices.filter { devices[$0].isLive }.map { OtherTypes(device: UInt32($0), lease: none) }
  }

  private mutating func types(of device: UInt32) -> [(owner: String, type: String)] {
    var types: [(owner: String, type: String)] = []
    var part = devices[Int(device)].firstPart
    var seen: [UInt32] = []
    while part != none {
      seen.removeAll(keepingCapacity: true)
      let owner = uuids.sharedText(part, prefix: "uuid:")
      var lease = parts[Int(part)].firstLease
      while lease != none {
        let target = leases[Int(lease)].target
        // One for each interface and family.
        if !seen.contains(target) {
          seen.append(target)
          types.append((owner, targets.sharedText(target)))
        }
        lease = leases[Int(lease)].next
      }
      part = parts[Int(part)].next
    }
    return types
  }
}
