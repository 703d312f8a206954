import RollcallPrimitives

// How devices go: expiry, byebye, interfaces, stop; and what remains of one that goes in part.
extension LeaseTable {
  // MARK: Expiry

  /// Ends every lease that is due at or before `now`, in order of time; what ends at one instant counts as one.
  mutating func expire(upTo now: Instant, into directory: inout Directory) {
    while let (key, _) = leaseDeadlines.first, key <= now { expire(at: key, into: &directory) }
  }

  private mutating func expire(at instant: Instant, into directory: inout Directory) {
    directory.now = instant
    var affected: [UInt32] = []
    var heardAgain: [UInt32] = []
    while let (key, lease) = leaseDeadlines.first, key <= instant {
      let device = parts[Int(leases[Int(lease)].part)].device
      if leases[Int(lease)].deadline > instant {
        leaseDeadlines.set(lease, leases[Int(lease)].deadline)
        // It was heard again, so the device stays.
        if devices[Int(device)].mayEnd {
          devices[Int(device)].mayEnd = false
          heardAgain.append(device)
        }
        continue
      }
      removeLease(lease)
      if affected.last != device { affected.append(device) }
    }
    settleAll(affected, .expired, at: instant, into: &directory)
    for device in heardAgain where devices[Int(device)].isPresent {
      devices[Int(device)].mayEnd = false
      settle(device, isExpiry: true, at: instant, into: &directory)
    }
  }

  /// Devices lost leases: those without any are lost, the others may have another location in force.
  ///
  /// What ends one after the other within a second is one end: a device that falls silent had announced itself by each
  /// address in turn. So nothing is told of another location while all leases that are left end that soon; if one of
  /// them is heard again after all, it is told when that lease would have ended.
  private mutating func settleAll(
    _ affected: [UInt32], _ cause: LossCause, at now: Instant, into directory: inout Directory
  ) {
    for device in affected where devices[Int(device)].isPresent {
      if isOn(.familyEndsDevice), hasLostItsPath(device) { removeLeases(of: device) }
      if devices[Int(device)].leaseCount == 0 {
        end(device, cause, at: now, into: &directory)
      } else {
        // A part that comes back shares the root's LOCATION again.
        removeIdleParts(of: device)
        devices[Int(device)].mayEnd = cause == .expired && endsSoon(device, at: now)
        if devices[Int(device)].mayEnd { continue }
        settle(device, isExpiry: cause == .expired, at: now, into: &directory)
      }
    }
  }

  /// A root whose own UUID is heard no more is a root no longer. One that was garbled or forged would else have the
  /// parts of the true root, and be kept by them, for as long as those speak. It keeps its name until another root has
  /// its LOCATION; whether one has, and it is a part of that now.
  mutating func resign(_ device: UInt32, into directory: inout Directory) -> Bool {
    let record = devices[Int(device)]
    guard record.isRoot, parts[Int(record.root)].firstLease == none else { return false }
    devices[Int(device)].isRoot = false
    linkSolo(device)
    let other = root(at: record.location)
    guard other != none else { return false }
    return unite(device, into: other, into: &directory)
  }

  /// A planted fault: whether nothing is left of what was heard by the family, on the interface, that a device is told by.
  private func hasLostItsPath(_ device: UInt32) -> Bool {
    let path = devices[Int(device)].path
    return !hasLease(device) { $0.path == path }
  }

  /// Leases that end within this time of each other end together: as long as stragglers take.
  private static let endingTogether = Interval.seconds(1)

  /// Whether every lease of a device ends within a second.
  private func endsSoon(_ device: UInt32, at now: Instant) -> Bool {
    !hasLease(device) { $0.deadline > now + LeaseTable.endingTogether }
  }

  // MARK: The end of a device

  /// A device without leases is lost; after a byebye it is remembered for the tombstone.
  mutating func end(_ device: UInt32, _ cause: LossCause, at now: Instant, into directory: inout Directory) {
    directory.lost(name(device), cause)
    counters.devicesPresent -= 1
    devices[Int(device)].isPresent = false
    let length = isOn(.quickReturnIgnored) ? .seconds(10) : configuration.tombstone
    guard cause == .byebye, length > .zero, !isOn(.tombstoneMissing), configuration.limits.tombstones > 0 else {
      return removeDevice(device)
    }
    while ended.count >= configuration.limits.tombstones { forgetFirstEnded() }
    forgetState(device)
    removeIdleParts(of: device, isBounded: true)
    evictionOrder.remove(device)
    devices[Int(device)].isHeld = false
    mark(device, path: DeviceHistory.everyPath, until: now + length)
    ended.append(device, until: now + length)
  }

  private mutating func mark(_ device: UInt32, path: UInt16, until: Instant) {
    let history = history(of: device)
    histories[history].endedPath = path
    histories[history].endedUntil = until
    devices[Int(device)].wasEnded = true
  }

  /// A device that goes on has no stragglers to fear once the tombstone is over.
  mutating func forgetTombstone(_ device: UInt32, at now: Instant) {
    if now >= histories[history(of: device)].endedUntil { devices[Int(device)].wasEnded = false }
  }

  /// Forgets the devices whose tombstone is over; nothing outside can tell when that happens.
  @inline(__always) mutating func forgetEnded(upTo now: Instant) {
    while let first = ended.first, first.until <= now { forgetFirstEnded() }
  }

  private mutating func forgetFirstEnded() {
    guard let first = ended.first else { return }
    ended.removeFirst()
    // One that came back, or left anew, has another entry or none.
    let record = devices[Int(first.device)]
    if record.isLive, !record.isPresent, record.wasEnded,
      histories[Int(record.history)].endedUntil == first.until
    {
      removeDevice(first.device)
    }
  }

  // MARK: byebye

  /// Whether anything of the device that came by this path was announced, or nothing came by it.
  private func isAnnounced(_ device: UInt32, on path: UInt16) -> Bool {
    hasLease(device) { $0.path == path && $0.wasAnnounced } || !hasLease(device) { $0.path == path }
  }

  /// Takes a byebye; it never renews (D38), and before any alive it says nothing (D54).
  mutating func byebye(_ sighting: Sighting, at now: Instant, into directory: inout Directory) -> Rejection? {
    let part = uuids.find(sighting.uuid)
    guard part != none else { return nil }
    let device = parts[Int(part)].device
    guard devices[Int(device)].isPresent else { return nil }
    if isOfPreviousBoot(sighting.bootID, device, at: now) { return sighting.refused(.staleBootID) }
    if configuration.byebyeSource == .sameAddress, !isOn(.foreignByebyeAccepted),
      !hasAnnounced(device, from: sighting.source), !hasEnded(device, from: sighting.source, on: sighting.path)
    {
      return sighting.refused(.foreignByebye)
    }
    if isOvertaken(sighting, device, at: now) { return nil }
    // A byebye revokes what was announced (UDA-1.2.3-BB-PAIR). One for a (USN, NT) of which no lease stands is no event:
    // stacks that say byebye and alive in turn, message by message, when they start would end themselves (D54). Of a
    // device that is known by answers alone, nobody heard what was announced: any of its byebyes counts.
    let lease = findLease(part, sighting)
    guard
      lease != none
        || configuration.byebyePolicy == .anyPart && !isAnnounced(device, on: sighting.path)
    else { return nil }
    noteEndedSources(device, at: now)
    switch configuration.byebyePolicy {
    case .anyPart: removeLeases(of: device, path: sighting.path)
    case .eachPart: removeLease(lease)
    }
    if devices[Int(device)].leaseCount == 0 {
      end(device, .byebye, at: now, into: &directory)
    } else {
      if configuration.byebyePolicy == .anyPart, !isOn(.tombstoneMissing) {
        mark(device, path: sighting.path, until: now + configuration.tombstone)
      }
      removeIdleParts(of: device, isBounded: true)
      settle(device, isExpiry: false, at: now, into: &directory)
    }
    if isOn(.byebyeEndsNeighbour) { endNeighbours(at: sighting.source, at: now, into: &directory) }
    return nil
  }

  private func hasAnnounced(_ device: UInt32, from address: IPAddress) -> Bool {
    let source = sources.find(address)
    guard source != none else { return false }
    return devices[Int(device)].source == source || formerSource(device, source) != nil
      || hasLease(device, from: source)
  }

  /// Whether the device had this address when it said byebye, and nothing of it is left on that path: a device with two
  /// families that leaves says one byebye for each message, and the first one took all leases of its path.
  private func hasEnded(_ device: UInt32, from address: IPAddress, on path: UInt16) -> Bool {
    let record = devices[Int(device)]
    guard record.history != none, !hasLease(device, where: { $0.path == path }) else { return false }
    let sources = histories[Int(record.history)].endedSources
    return (0..<DeviceHistory.endedSourcesMaximum).contains { sources[$0] == address }
  }

  /// A planted fault: every other device at the address goes as well.
  private mutating func endNeighbours(at address: IPAddress, at now: Instant, into directory: inout Directory) {
    let source = sources.find(address)
    guard source != none else { return }
    for number in devices.indices where devices[number].isPresent && devices[number].source == source {
      removeLeases(of: UInt32(number))
      end(UInt32(number), .byebye, at: now, into: &directory)
    }
  }

  // MARK: update

  /// ssdp:update: the device goes on under NEXTBOOTID and is continuously present (UDA-1.2.4-UPD-CP).
  ///
  /// It has no max-age, so it neither makes nor renews a lease. BOOTID in it is the one that ends: where that is not
  /// the one on record, the device rebooted unheard, which is told; its leases stay, since it has just spoken.
  mutating func update(
    _ sighting: Sighting, nextBootID: Int64, at now: Instant, into directory: inout Directory
  ) -> Rejection? {
    let part = uuids.find(sighting.uuid)
    guard part != none else { return nil }
    let device = parts[Int(part)].device
    guard devices[Int(device)].isPresent, nextBootID >= 0, nextBootID != devices[Int(device)].bootID else { return nil }
    if isOfPreviousBoot(nextBootID, device, at: now) { return sighting.refused(.staleBootID) }
    // Updates go out on the interfaces that stay, so they come from an address that is known (UDA-1.2.4-UPD-WHEN,
    // UDA-1.2.4-UPD-LOC). Who moved says so with alives from where it is now.
    if configuration.updateSource == .sameAddress, !isOn(.foreignUpdateAccepted),
      !hasAnnounced(device, from: sighting.source)
    {
      return sighting.refused(.foreignUpdate)
    }
    let old = devices[Int(device)].bootID
    let history = history(of: device)
    histories[history].previousBootID = old
    histories[history].bootChangedAt = now
    if old >= 0, sighting.bootID >= 0, sighting.bootID != old {
      directory.lost(name(device), .rebooted)
      devices[Int(device)].bootID = nextBootID
      devices[Int(device)].configID = sighting.configID
      counters.devicesEver += 1
      directory.found(self.sighting(device))
      return nil
    }
    devices[Int(device)].bootID = nextBootID
    directory.changed(self.sighting(device), .bootID(from: old < 0 ? nil : UInt32(clamping: old)))
    return nil
  }

  // MARK: Interfaces and stop

  /// An interface, or one family on it, is gone: so is what was heard there.
  mutating func endPath(_ path: UInt16, at now: Instant, into directory: inout Directory) {
    var affected: [UInt32] = []
    for device in devices.indices where devices[device].isPresent {
      if removeLeases(of: UInt32(device), path: path) > 0 { affected.append(UInt32(device)) }
    }
    settleAll(affected, .interface, at: now, into: &directory)
  }

  /// Every device is lost, in the order of their numbers.
  mutating func stop(at now: Instant, into directory: inout Directory) {
    for device in devices.indices where devices[device].isPresent {
      removeLeases(of: UInt32(device))
      end(UInt32(device), .stopped, at: now, into: &directory)
    }
    while ended.first != nil { forgetFirstEnded() }
  }

  // MARK: What remains

  /// A device lost some of its leases: puts another location in force if the one that was has nobody left to vouch for
  /// it, or its path is gone. The root's oldest messages come first.
  mutating func settle(_ device: UInt32, isExpiry: Bool, at now: Instant, into directory: inout Directory) {
    if isExpiry, resign(device, into: &directory) { return }
    let record = devices[Int(device)]
    // The best that is left: on the same path with a location, elsewhere with a location, anything.
    var best = (none, none, none)
    var isCarried = false
    var part = record.firstPart
    while part != none {
      var number = parts[Int(part)].firstLease
      while number != none {
        let lease = leases[Int(number)]
        let isOnPath = lease.path == record.path
        if isOnPath, lease.location == record.location { isCarried = true }
        if isOnPath, lease.location != none, best.0 == none { best.0 = number }
        if lease.location != none, best.1 == none { best.1 = number }
        if best.2 == none || isOnPath && leases[Int(best.2)].path != record.path { best.2 = number }
        number = lease.next
      }
      part = parts[Int(part)].next
    }
    let pathLives = best.0 != none || leases[Int(best.2)].path == record.path
    if isCarried || pathLives && isExpiry && record.locationDeadline > now { return }
    let heir = leases[Int(best.0 != none ? best.0 : best.1 != none ? best.1 : best.2)]
    let (oldLocation, oldAddress) = (locationText(record.location), sources.address(record.source))
    setLocation(device, heir.location)
    setSource(device, heir.source)
    devices[Int(device)].path = heir.path
    devices[Int(device)].locationDeadline = heir.deadline
    devices[Int(device)].sourceDeadline = heir.deadline
    if record.location != heir.location {
      directory.changed(sighting(device), .location(from: oldLocation))
    } else if sources.address(heir.source) != oldAddress {
      directory.changed(sighting(device), .address(from: oldAddress))
    }
  }
}
