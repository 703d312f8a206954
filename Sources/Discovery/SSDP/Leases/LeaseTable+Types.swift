import RollcallPrimitives

// What devices announce or answer, for those who ask which services they have.
extension LeaseTable {
  /// Calls for each present device that has other leases than at the last call: its name, and the UUID (`uuid:` in front)
  /// and type of each lease, in the order in which they came, each pair once.
  mutating func takeOtherTypes(_ tell: (String, [(owner: String, type: String)]) -> Void) {
    guard !devicesWithOtherTypes.isEmpty else { return }
    // Mostly there is one.
    let isOne = devicesWithOtherTypes.count == 1
    var done: Set<UInt32> = []
    for device in devicesWithOtherTypes where isOne || done.insert(device).inserted {
      guard devices[Int(device)].isLive, devices[Int(device)].isPresent else { continue }
      let types = types(of: device)
      tell(name(device), types)
    }
    devicesWithOtherTypes.removeAll(keepingCapacity: true)
  }

  /// All devices count as if they had other leases than at the last call.
  mutating func noteAllTypes() {
    devicesWithOtherTypes = devices.indices.filter { devices[$0].isLive }.map { UInt32($0) }
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
