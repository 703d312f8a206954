import RollcallPrimitives
import RollcallWire

// Sightings: the refresh that is nearly every message, and all that is not.
extension LeaseTable {
  /// Takes one alive or response; what it refuses changes nothing.
  mutating func sight(_ sighting: Sighting, at now: Instant, into directory: inout Directory) -> Rejection? {
    sighted = none
    let known = sighting.hint.number
    let isKnown = isMarked(sighting.hint) && leases[Int(known)].path == sighting.path
    if isKnown || isRenewed(known, by: sighting) {
      return sight(leases[Int(known)].part, known, isKnown: isKnown, sighting, at: now, into: &directory)
    }
    let part = uuids.find(sighting.uuid)
    guard part != none else { return admit(sighting, at: now, into: &directory) }
    return sight(part, none, isKnown: false, sighting, at: now, into: &directory)
  }

  /// Whether this is the lease that `findLease` would find: same path, UUID, target and suffix.
  @inline(__always) private func isRenewed(_ number: UInt32, by sighting: Sighting) -> Bool {
    guard Int(number) < leases.count else { return false }
    let index = Int(number)
    guard leases[index].isLive, uuids.isEqual(leases[index].part, sighting.uuid) else { return false }
    return isNamed(number, by: sighting)
  }

  /// The same of a lease of the part that the sighting is of.
  @inline(__always) private func isNamed(_ number: UInt32, by sighting: Sighting) -> Bool {
    let index = Int(number)
    guard leases[index].path == sighting.path, targets.isEqual(leases[index].target, sighting.target) else {
      return false
    }
    let suffix = leases[index].suffix
    if suffix == LeaseRecord.bareUSN || !sighting.hasSuffix {
      return suffix == LeaseRecord.bareUSN && !sighting.hasSuffix
    }
    return suffix == LeaseRecord.suffixIsTarget
      ? KeyBytes.equal(sighting.suffix, sighting.target, folding: false) : targets.isEqual(suffix, sighting.suffix)
  }

  /// - Parameters:
  ///   - known: the lease that the message renews; `none` where nobody looked yet.
  ///   - isKnown: the message is one that was heard before, and names and LOCATION of the lease are those of it.
  @inline(__always)
  private mutating func sight(
    _ part: UInt32, _ known: UInt32, isKnown: Bool, _ sighting: Sighting, at now: Instant,
    into directory: inout Directory
  ) -> Rejection? {
    let device = parts[Int(part)].device
    let index = Int(device)
    let isOtherBoot = sighting.bootID >= 0 && sighting.bootID != devices[index].bootID
    if isOtherBoot || devices[index].wasEnded {
      if let rejection = refuseStraggler(sighting, device, at: now) { return rejection }
      // What a part says as a root of its own is no reboot, and no return, of the device that it was a part of.
      if devices[index].root != part, isRootMessage(sighting), !isOn(.rootByAddress) {
        return extend(part, sighting, at: now, into: &directory)
      }
      if !devices[index].isPresent { return reappear(part, sighting, at: now, into: &directory) }
      if isOtherBoot, devices[index].bootID >= 0 { return reboot(part, sighting, at: now, into: &directory) }
      if isOtherBoot { devices[index].bootID = sighting.bootID }
      if devices[index].wasEnded { forgetTombstone(device, at: now) }
    }
    let lease = known != none ? known : findLease(part, sighting)
    guard lease != none else { return extend(part, sighting, at: now, into: &directory) }
    return refresh(lease, device, isKnown: isKnown, sighting, at: now, into: &directory)
  }

  /// The lease that this message renews.
  @inline(__always) func findLease(_ part: UInt32, _ sighting: Sighting) -> UInt32 {
    // Devices repeat themselves, and go on in order.
    let latest = parts[Int(part)].cursor
    if latest != none, isNamed(latest, by: sighting) { return latest }
    let guess = nextLease(of: part)
    if guess != none, isNamed(guess, by: sighting) { return guess }
    let target = targets.find(sighting.target)
    guard target != none else { return none }
    var suffix = LeaseRecord.bareUSN
    if sighting.hasSuffix {
      if KeyBytes.equal(sighting.suffix, sighting.target, folding: false) {
        suffix = LeaseRecord.suffixIsTarget
      } else {
        suffix = targets.find(sighting.suffix)
        if suffix == none { return none }
      }
    }
    return findLease(part: part, target: target, suffix: suffix, path: sighting.path)
  }

  /// A known lease again: two stores, unless it says something new.
  @inline(__always)
  private mutating func refresh(
    _ number: UInt32, _ device: UInt32, isKnown: Bool, _ sighting: Sighting, at now: Instant,
    into directory: inout Directory
  ) -> Rejection? {
    let (lease, index) = (Int(number), Int(device))
    let isKept = isOn(.expiryOnFirstMessage) || isOn(.partKeepsNothing) && !leases[lease].isRootMessage
    let deadline = isKept ? leases[lease].deadline : isOn(.neverExpires) ? .never : now + sighting.lease
    let isAsInForce =
      leases[lease].location == devices[index].location && leases[lease].source == devices[index].source
    let saysTheSame =
      (isKnown || isSameLocation(leases[lease].location, sighting.location))
      && sources.address(leases[lease].source) == sighting.source
    if saysTheSame, isAsInForce {
      devices[index].locationDeadline = deadline
      devices[index].sourceDeadline = deadline
    } else if !saysTheSame || leases[lease].path == devices[index].path && isInForceOver(index, now) {
      let rejection = update(number, device, sighting, deadline: deadline, at: now, into: &directory)
      if rejection != nil { return rejection }
      if join(device, leases[lease].location, leases[lease].isRootMessage, into: &directory) {
        return finish(number, parts[Int(leases[lease].part)].device, sighting, deadline, at: now, into: &directory)
      }
    }
    return finish(number, device, sighting, deadline, at: now, into: &directory)
  }

  @inline(__always)
  private mutating func finish(
    _ number: UInt32, _ device: UInt32, _ sighting: Sighting, _ deadline: Instant, at now: Instant,
    into directory: inout Directory
  ) -> Rejection? {
    let lease = Int(number)
    // The heap finds out about a later deadline by itself, about an earlier one it must be told.
    let isEarlier = deadline < leases[lease].deadline
    leases[lease].deadline = deadline
    sighted = number
    if !sighting.isAnswer { leases[lease].wasAnnounced = true }
    if isEarlier { leaseDeadlines.set(number, deadline) }
    devices[Int(device)].lastHeard = now
    parts[Int(leases[lease].part)].cursor = number
    if sighting.searchPort >= 0 { sources.setSearchPort(leases[lease].source, sighting.searchPort) }
    if sighting.configID >= 0, sighting.configID != devices[Int(device)].configID {
      reconfigure(device, leases[lease].part, sighting, at: now, into: &directory)
    }
    if isUnclaimed(by: lease) { claim(leases[lease].location, for: device, into: &directory) }
    return nil
  }

  /// Whether a root message has a LOCATION of which the root is gone: two roots shared it, and the first one left.
  @inline(__always) private func isUnclaimed(by lease: Int) -> Bool {
    guard leases[lease].isRootMessage, leases[lease].location != none else { return false }
    let claim = claims[Int(leases[lease].location)]
    return claim.root == none && claim.joins
  }

  /// A LOCATION that is missing or cannot be used says nothing new about one that could.
  @inline(__always) private func isSameLocation(_ location: UInt32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    if bytes.isEmpty { return true }
    return location != none && locations.isEqual(location, bytes)
  }

  @inline(__always) private func isInForceOver(_ device: Int, _ now: Instant) -> Bool {
    devices[device].locationDeadline <= now || devices[device].sourceDeadline <= now
  }

  // MARK: The same once more

  /// The lease of the latest sighting, with its mark if the message says all that the lease says. Mutating: it would be
  /// called on a copy of the table.
  ///
  /// - Parameter location: the message's LOCATION.
  mutating func hint(saying location: UnsafeRawBufferPointer) -> SSDPHint {
    guard sighted != none, leases[Int(sighted)].isLive else { return SSDPHint() }
    let saysTheSame = isSameLocation(leases[Int(sighted)].location, location)
    return SSDPHint(number: sighted, mark: saysTheSame ? leases[Int(sighted)].mark : 0)
  }

  /// Whether the lease that the hint speaks of is as it was then: the same names, the same LOCATION.
  @inline(__always) func isMarked(_ hint: SSDPHint) -> Bool {
    hint.mark != 0 && Int(hint.number) < leases.count && leases[Int(hint.number)].mark == hint.mark
  }

  // MARK: What is not a refresh

  /// A UUID that nobody knows.
  private mutating func admit(_ sighting: Sighting, at now: Instant, into directory: inout Directory) -> Rejection? {
    if let rejection = makeRoom(for: sighting, device: none, at: now, into: &directory) { return rejection }
    let isRoot = isRootMessage(sighting)
    let location = internLocation(sighting)
    let owner = isOn(.rootByAddress) ? firstDevice(at: sighting.source) : isRoot ? none : root(at: location)
    if owner != none {
      defer { if location != none { locations.release(location) } }
      if let rejection = refuseStraggler(sighting, owner, at: now) { return rejection }
      if Int(devices[Int(owner)].partCount) >= partsMaximum { removeIdleParts(of: owner) }
      guard Int(devices[Int(owner)].partCount) < partsMaximum else { return sighting.refused(.overDevice) }
      let part = uuids.intern(sighting.uuid)
      insertPart(part, into: owner)
      let rejection = sight(part, none, isKnown: false, sighting, at: now, into: &directory)
      if parts[Int(part)].isIdle { removePart(part) }
      return rejection
    }
    let part = uuids.intern(sighting.uuid)
    let device = insertDevice(root: part, at: now)
    devices[Int(device)].isRoot = isRoot
    insertPart(part, into: device)
    addLease(part, sighting, location, at: now, into: &directory)
    appear(device, into: &directory)
    if isRoot { claim(location, for: device, into: &directory) }
    return nil
  }

  /// A planted fault: the device that was first heard from an address.
  private func firstDevice(at address: IPAddress) -> UInt32 {
    let source = sources.find(address)
    let device = source == none ? none : sources.records[Int(source)].device
    return device != none && devices[Int(device)].isPresent ? device : none
  }

  /// A known UUID says something that it did not say before.
  private mutating func extend(
    _ part: UInt32, _ sighting: Sighting, at now: Instant, into directory: inout Directory
  ) -> Rejection? {
    var device = parts[Int(part)].device
    if let rejection = makeRoom(for: sighting, device: device, at: now, into: &directory) { return rejection }
    let location = internLocation(sighting, guess: devices[Int(device)].location)
    let isRoot = isRootMessage(sighting)
    var isNew = false
    if isRoot, !isOn(.rootByAddress) {
      if devices[Int(device)].root != part {
        device = split(part, bootID: sighting.bootID, at: now, into: &directory)
        isNew = true
      }
      unlinkSolo(device)
      devices[Int(device)].isRoot = true
    }
    if !isNew { reportAnew(device, sighting.path, into: &directory) }
    addLease(part, sighting, location, at: now, into: &directory)
    if isNew { appear(device, into: &directory) }
    if isRoot {
      claim(location, for: device, into: &directory)
    } else {
      _ = join(device, location, false, into: &directory)
    }
    return nil
  }

  /// A UUID that stands for itself joins the root at `location`, or a root claims it; whether it joined.
  private mutating func join(
    _ device: UInt32, _ location: UInt32, _ isRootMessage: Bool, into directory: inout Directory
  ) -> Bool {
    if isRootMessage {
      claim(location, for: device, into: &directory)
      return false
    }
    let root = root(at: location)
    guard root != none, root != device, !devices[Int(device)].isRoot else { return false }
    return unite(device, into: root, into: &directory)
  }

  /// A different BOOTID, higher or lower: the device that was known is gone (UDA-1.2.4-BOOT-DIFF).
  ///
  /// Which UUIDs belong together stays known; everything that was cached is dropped.
  private mutating func reboot(
    _ part: UInt32, _ sighting: Sighting, at now: Instant, into directory: inout Directory
  ) -> Rejection? {
    let device = parts[Int(part)].device
    // The leases that the device itself has at the address are removed below, which makes room.
    guard hasRoom(at: sighting.source) || hasLease(device, from: sources.find(sighting.source)) else {
      return sighting.refused(.overSource)
    }
    directory.lost(name(device), .rebooted)
    counters.devicesPresent -= 1
    removeLeases(of: device)
    devices[Int(device)].isPresent = false
    let rejection = reappear(part, sighting, at: now, into: &directory)
    removeIdleParts(of: device, isBounded: true)
    // Where a part spoke, the root has to say anew that it is one.
    if devices[Int(device)].isPresent { _ = resign(device, into: &directory) }
    return rejection
  }

  /// A device that is remembered but not present is found again.
  private mutating func reappear(
    _ part: UInt32, _ sighting: Sighting, at now: Instant, into directory: inout Directory
  ) -> Rejection? {
    let device = parts[Int(part)].device
    if let rejection = makeRoom(for: sighting, device: device, at: now, into: &directory) { return rejection }
    forgetState(device)
    if sighting.bootID >= 0, devices[Int(device)].bootID >= 0, sighting.bootID != devices[Int(device)].bootID {
      let history = history(of: device)
      histories[history].previousBootID = devices[Int(device)].bootID
      histories[history].bootChangedAt = now
    }
    // Under the BOOTID that it had, or none, the device moved: stragglers from where it was may still come.
    if sighting.bootID >= 0, sighting.bootID != devices[Int(device)].bootID { devices[Int(device)].wasEnded = false }
    devices[Int(device)].bootID = sighting.bootID
    let isRoot = isRootMessage(sighting) && devices[Int(device)].root == part
    if isRoot { devices[Int(device)].isRoot = true }
    let location = internLocation(sighting)
    addLease(part, sighting, location, at: now, into: &directory)
    appear(device, into: &directory)
    if isRoot { claim(location, for: device, into: &directory) }
    return nil
  }

  private mutating func appear(_ device: UInt32, into directory: inout Directory) {
    devices[Int(device)].isPresent = true
    devices[Int(device)].mayEnd = false
    if !devices[Int(device)].isHeld || isOn(.evictsHeld) { evictionOrder.set(device, devices[Int(device)].lastHeard) }
    counters.devicesPresent += 1
    counters.devicesEver += 1
    directory.found(sighting(device))
  }

  /// Notes a lease and what it says of the device; `location` is held already, and the lease takes the hold over.
  private mutating func addLease(
    _ part: UInt32, _ sighting: Sighting, _ location: UInt32, at now: Instant, into directory: inout Directory
  ) {
    let device = parts[Int(part)].device
    var lease = LeaseRecord()
    lease.deadline = isOn(.neverExpires) ? .never : now + sighting.lease
    lease.part = part
    lease.path = sighting.path
    lease.target = targets.intern(sighting.target)
    if sighting.hasSuffix {
      let isTarget = KeyBytes.equal(sighting.suffix, sighting.target, folding: false)
      lease.suffix = isTarget ? LeaseRecord.suffixIsTarget : targets.intern(sighting.suffix)
    }
    lease.source = sources.intern(sighting.source, guess: devices[Int(device)].source)
    lease.location = location
    lease.wasAnnounced = !sighting.isAnswer
    lease.isRootMessage = part == devices[Int(device)].root && isRootMessage(sighting)
    sighted = insertLease(lease)
    if isOn(.rootByAddress), firstDevice(at: sighting.source) == none { sources.setDevice(lease.source, device) }
    if sighting.searchPort >= 0 { sources.setSearchPort(lease.source, sighting.searchPort) }

    let index = Int(device)
    devices[index].lastHeard = now
    if devices[index].bootID < 0 { devices[index].bootID = sighting.bootID }
    let isFirst = devices[index].source == none
    if isFirst || devices[index].location == none && location != none {
      setLocation(device, location)
      setSource(device, lease.source)
      devices[index].path = sighting.path
      if !isFirst, devices[index].isPresent {
        directory.changed(self.sighting(device), .location(from: nil))
      }
    }
    if devices[index].location == location { devices[index].locationDeadline = lease.deadline }
    if devices[index].source == lease.source { devices[index].sourceDeadline = lease.deadline }
    if sighting.configID >= 0, sighting.configID != devices[index].configID {
      reconfigure(device, part, sighting, at: now, into: &directory)
    }
  }

  /// Another CONFIGID of the root, told once when it changes; its value before that is a straggler for as long as a
  /// tombstone. It counts where NT names a device and not one of its services (D42).
  private mutating func reconfigure(
    _ device: UInt32, _ part: UInt32, _ sighting: Sighting, at now: Instant, into directory: inout Directory
  ) {
    guard part == devices[Int(device)].root else { return }
    switch SearchTarget.parse(sighting.target).form {
    case .rootDevice, .uuid, .device: break
    case .all, .service, .opaque: return
    }
    let (old, configID) = (devices[Int(device)].configID, sighting.configID)
    if old >= 0 {
      let history = history(of: device)
      if histories[history].previousConfigID == configID,
        now < histories[history].configChangedAt + configuration.tombstone
      {
        return
      }
      histories[history].previousConfigID = old
      histories[history].configChangedAt = now
    }
    devices[Int(device)].configID = configID
    if old >= 0, devices[Int(device)].isPresent {
      directory.changed(self.sighting(device), .configID(from: UInt32(clamping: old)))
    }
  }

  private func isRootMessage(_ sighting: Sighting) -> Bool {
    let name: StaticString = "upnp:rootdevice"
    return KeyBytes.equal(
      sighting.target, UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), folding: false)
  }

  /// Two planted faults: a device that is heard on another interface, or over the other family, is told again.
  private mutating func reportAnew(_ device: UInt32, _ path: UInt16, into directory: inout Directory) {
    guard isOn(.perInterfaceDedupMissing) || isOn(.familyIsTwoDevices) else { return }
    let isNewInterface = !hasLease(device) { $0.path / 2 == path / 2 }
    let isNewFamily = !hasLease(device) { $0.path & 1 == path & 1 }
    if isNewInterface && isOn(.perInterfaceDedupMissing) || isNewFamily && isOn(.familyIsTwoDevices) {
      directory.found(sighting(device))
    }
  }
}
