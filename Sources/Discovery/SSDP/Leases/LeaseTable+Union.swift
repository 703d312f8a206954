import RollcallPrimitives

// A UUID without upnp:rootdevice belongs to the root that shares its LOCATION; until that root is known it stands for
// itself, and so does a root that is heard no more.
extension LeaseTable {
  /// The root that announced a location; `none` if there is none.
  func root(at location: UInt32) -> UInt32 {
    location != none && claims[Int(location)].joins ? claims[Int(location)].root : none
  }

  /// A root announced a location: devices that stand for themselves there turn out to be parts of it.
  mutating func claim(_ location: UInt32, for device: UInt32, into directory: inout Directory) {
    guard location != none, claims[Int(location)].joins else { return }
    if claims[Int(location)].root == none { claims[Int(location)].root = device }
    guard claims[Int(location)].root == device else { return }
    while claims[Int(location)].firstSolo != none {
      guard unite(claims[Int(location)].firstSolo, into: device, into: &directory) else { return }
    }
  }

  /// A root message left a location: the claim ends unless another root message of the device still has it.
  mutating func relinquish(_ location: UInt32, _ device: UInt32) {
    guard claims[Int(location)].root == device else { return }
    claims[Int(location)].root = none
    var lease = parts[Int(devices[Int(device)].root)].firstLease
    while lease != none {
      if leases[Int(lease)].isRootMessage, leases[Int(lease)].location == location {
        claims[Int(location)].root = device
        return
      }
      lease = leases[Int(lease)].next
    }
  }

  /// Makes a device that stands for itself a part of a root; whether there was room.
  @discardableResult
  mutating func unite(_ solo: UInt32, into root: UInt32, into directory: inout Directory) -> Bool {
    let partCount = Int(devices[Int(root)].partCount) + Int(devices[Int(solo)].partCount)
    guard solo != root, partCount <= partsMaximum else { return false }
    let name = name(solo)
    forgetState(solo)
    var part = devices[Int(solo)].firstPart
    while part != none {
      let next = parts[Int(part)].next
      appendPart(part, to: root)
      // Of a root that is heard no more nothing is remembered but its parts.
      if part == devices[Int(solo)].root, parts[Int(part)].firstLease == none { removePart(part) }
      part = next
    }
    let old = devices[Int(solo)]
    devices[Int(root)].leaseCount += old.leaseCount
    devices[Int(root)].lastHeard = max(devices[Int(root)].lastHeard, old.lastHeard)
    if devices[Int(root)].bootID < 0 { devices[Int(root)].bootID = old.bootID }
    if old.isHeld { hold(root) }
    freeDevice(solo)
    counters.devicesPresent -= 1
    // What its parts announce is the root's now, though no lease came.
    noteTypes(of: root, lease: none)
    directory.changed(sighting(root), .united(part: name))
    return true
  }

  /// A part of another root announced upnp:rootdevice: it is a root of its own, new and not yet present.
  ///
  /// Under another BOOTID it is another life, too: nothing of the one before is kept, and its stragglers are refused.
  mutating func split(_ part: UInt32, bootID: Int64, at now: Instant, into directory: inout Directory) -> UInt32 {
    let old = parts[Int(part)].device
    let oldBootID = devices[Int(old)].bootID
    let isReborn = bootID >= 0 && oldBootID >= 0 && bootID != oldBootID
    while isReborn, parts[Int(part)].firstLease != none { removeLease(parts[Int(part)].firstLease) }
    detachPart(part, from: old)
    let device = insertDevice(root: part, at: now)
    devices[Int(device)].bootID = isReborn ? bootID : oldBootID
    if isReborn {
      let history = history(of: device)
      histories[history].previousBootID = oldBootID
      histories[history].bootChangedAt = now
    }
    appendPart(part, to: device)
    var lease = parts[Int(part)].firstLease
    while lease != none {
      devices[Int(old)].leaseCount -= 1
      devices[Int(device)].leaseCount += 1
      lease = leases[Int(lease)].next
    }
    noteTypes(of: old, lease: none)
    if devices[Int(old)].isPresent {
      if devices[Int(old)].leaseCount == 0 {
        end(old, .expired, at: now, into: &directory)
      } else {
        settle(old, isExpiry: false, at: now, into: &directory)
      }
    }
    return device
  }

  /// Lists a device among those that stand for themselves at their location.
  mutating func linkSolo(_ device: UInt32) {
    let location = devices[Int(device)].location
    guard location != none, !devices[Int(device)].isRoot, claims[Int(location)].joins else { return }
    let next = claims[Int(location)].firstSolo
    devices[Int(device)].nextSolo = next
    devices[Int(device)].previousSolo = none
    if next != none { devices[Int(next)].previousSolo = device }
    claims[Int(location)].firstSolo = device
  }

  mutating func unlinkSolo(_ device: UInt32) {
    let record = devices[Int(device)]
    guard record.location != none else { return }
    if record.previousSolo != none {
      devices[Int(record.previousSolo)].nextSolo = record.nextSolo
    } else if claims[Int(record.location)].firstSolo == device {
      claims[Int(record.location)].firstSolo = record.nextSolo
    }
    if record.nextSolo != none { devices[Int(record.nextSolo)].previousSolo = record.previousSolo }
    devices[Int(device)].nextSolo = none
    devices[Int(device)].previousSolo = none
  }
}
