import RollcallPrimitives

extension DeviceManager {
  /// What should hold between two calls and does not: for tests and fuzzing, since it looks at everything.
  package var brokenInvariants: [String] {
    var broken: [String] = []
    var known: Set<MergeKey> = []
    for (place, member) in members.enumerated() {
      if member.isGone { continue }
      known.formUnion(member.keys)
      for key in member.keys where sharers[key]?.filter({ $0 == Int32(place) }).count != 1 {
        broken.append("\(member.name) is not once among those with \(key.evidence)")
      }
      for key in member.keys {
        for other in sharers[key] ?? [] where !members[Int(other)].keys.contains(key) {
          broken.append("somebody without it is among those with \(key.evidence)")
        }
      }
      if member.services.isEmpty != (member.group == none) {
        broken.append("\(member.name) is of use and no device, or is one and of no use")
      }
      guard member.group != none else { continue }
      let device = devices[Int(member.group)]
      if device?.members.contains(Int32(place)) != true { broken.append("\(member.name) is no part of its device") }
    }
    if known.count != sharers.count { broken.append("members have \(known.count) keys, \(sharers.count) are kept") }
    var ids: Set<String> = []
    for (number, device) in devices.enumerated() {
      guard let device else { continue }
      if device.members.isEmpty { broken.append("device \(device.id) has no member") }
      for place in device.members where members[Int(place)].group != UInt32(number) {
        broken.append("device \(device.id) has a member that is no part of it")
      }
      if !ids.insert(device.id).inserted { broken.append("two devices have the id \(device.id)") }
      if !idsInUse.contains(device.id) { broken.append("the id \(device.id) is in use and not noted") }
      if device.isTold, !isRunning { broken.append("device \(device.id) is told while nothing is to be told") }
    }
    if idsInUse.count != ids.count { broken.append("\(ids.count) ids are in use, \(idsInUse.count) are noted") }
    return broken
  }
}
