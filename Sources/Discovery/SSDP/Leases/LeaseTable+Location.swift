import RollcallPrimitives
import RollcallWire

// Which LOCATION and address are in force, and whom a LOCATION makes one device.
extension LeaseTable {
  /// Puts a location in force without a word, and keeps the list of devices that share it.
  mutating func setLocation(_ device: UInt32, _ location: UInt32) {
    let old = devices[Int(device)].location
    guard old != location else { return }
    unlinkSolo(device)
    if location != none { locations.retain(location) }
    devices[Int(device)].location = location
    if old != none { locations.release(old) }
    linkSolo(device)
  }

  mutating func setSource(_ device: UInt32, _ source: UInt32) {
    let old = devices[Int(device)].source
    guard old != source else { return }
    if source != none { sources.retain(source) }
    devices[Int(device)].source = source
    if old != none { sources.release(old) }
  }

  /// The number of a LOCATION that may be reported, held once more; `none` for one that may not, or for none at all.
  ///
  /// - Parameter guess: one that is held, and is looked at first.
  mutating func internLocation(_ sighting: Sighting, guess: UInt32 = none) -> UInt32 {
    let bytes = sighting.location
    guard !bytes.isEmpty, bytes.count <= configuration.limits.locationBytes else { return none }
    let known = locations.find(bytes, guess: guess)
    if known != none {
      let claim = claims[Int(known)]
      if claim.path == sighting.path, claim.version == interfaces.version, claim.sender == sighting.source {
        locations.retain(known)
        return known
      }
    }
    let reading = LocationURL.check(bytes)
    if configuration.locationPolicy == .scope {
      guard case .url(let url) = reading else { return none }
      // A host name is judged by the code that resolves it.
      if let host = url.address {
        let subnets = interfaces.all[Int(sighting.path) / 2].addresses
        // A loopback sender is this machine: programs under test announce themselves so.
        if LocationScope.judge(host: host, sender: sighting.source, subnets: subnets, allowsLoopback: true) != nil {
          return none
        }
      }
    }
    let location = locations.intern(bytes)
    while claims.count <= Int(location) { claims.append(LocationClaim()) }
    if case .url = reading { claims[Int(location)].joins = true } else { claims[Int(location)].joins = false }
    claims[Int(location)].sender = sighting.source
    claims[Int(location)].path = sighting.path
    claims[Int(location)].version = interfaces.version
    return location
  }

  // MARK: A known lease says something else

  /// Looks at what a known lease says of LOCATION and address now, and reports what changed.
  mutating func update(
    _ number: UInt32, _ device: UInt32, _ sighting: Sighting, deadline: Instant, at now: Instant,
    into directory: inout Directory
  ) -> Rejection? {
    if sources.address(leases[Int(number)].source) != sighting.source {
      guard hasRoom(at: sighting.source) else { return sighting.refused(.overSource) }
      let old = leases[Int(number)].source
      let new = sources.intern(sighting.source)
      leases[Int(number)].source = new
      sources.countLease(new, 1)
      sources.countLease(old, -1)
      sources.release(old)
    }
    let before = leases[Int(number)].location
    let location = internLocation(sighting)
    var wasOfLineage = false
    if location != none {
      wasOfLineage = before != none && isOfLineage(device, before)
      if location != before { relocate(number, device, to: location) } else { locations.release(location) }
    }
    guard devices[Int(device)].path == leases[Int(number)].path || devices[Int(device)].location == none else {
      return nil
    }
    let current = leases[Int(number)].location
    if current != none, current != devices[Int(device)].location {
      // D25: a lease that always had a LOCATION of its own says nothing about the device.
      let isOver = devices[Int(device)].locationDeadline <= now
      if wasOfLineage || isOver || devices[Int(device)].location == none {
        considerLocation(current, of: number, device, deadline: deadline, isOver: isOver, at: now, into: &directory)
      }
    }
    if leases[Int(number)].source != devices[Int(device)].source,
      leases[Int(number)].location == devices[Int(device)].location,
      leases[Int(number)].path == devices[Int(device)].path
    {
      considerSource(number, device, sighting, deadline: deadline, at: now, into: &directory)
    }
    if leases[Int(number)].location == devices[Int(device)].location {
      devices[Int(device)].locationDeadline = deadline
    }
    if leases[Int(number)].source == devices[Int(device)].source { devices[Int(device)].sourceDeadline = deadline }
    return nil
  }

  /// Gives a lease another location, already held, and moves the root's claim with it.
  private mutating func relocate(_ number: UInt32, _ device: UInt32, to location: UInt32) {
    let before = leases[Int(number)].location
    leases[Int(number)].location = location
    leases[Int(number)].mark = nextMark()
    if before != none {
      if leases[Int(number)].isRootMessage { relinquish(before, device) }
      locations.release(before)
    }
  }

  /// A lease of the path in force left the location in force, or one before it, for `location`.
  ///
  /// Two LOCATIONs that take turns are no change while both promises hold (D50): the one that came last stays. This
  /// holds with the same BOOTID too: a device that took another address seldom tells, and a device with two addresses
  /// on one link costs one report.
  private mutating func considerLocation(
    _ location: UInt32, of number: UInt32, _ device: UInt32, deadline: Instant, isOver: Bool, at now: Instant,
    into directory: inout Directory
  ) {
    if isOn(.locationChangeIgnored), devices[Int(device)].location != none { return }
    if !isOver, let place = formerLocation(device, location) {
      let history = Int(devices[Int(device)].history)
      if histories[history].locations[place].deadline > now {
        histories[history].locations[place].deadline = deadline
        return
      }
    }
    let old = locationText(devices[Int(device)].location)
    pushFormerLocation(device, dropping: location)
    setLocation(device, location)
    pushFormerSource(device, dropping: leases[Int(number)].source, at: now)
    setSource(device, leases[Int(number)].source)
    devices[Int(device)].path = leases[Int(number)].path
    if isOn(.locationChangeIsLostFound) {
      directory.lost(name(device), .expired)
      directory.found(sighting(device))
    } else {
      directory.changed(sighting(device), .location(from: old))
    }
  }

  /// The same LOCATION came from another address.
  ///
  /// With the BOOTID that is known the device merely has two addresses (UDA-1.2-BOOT-MULTIHOME); so it does where the
  /// other address was heard before and its promise holds.
  private mutating func considerSource(
    _ number: UInt32, _ device: UInt32, _ sighting: Sighting, deadline: Instant, at now: Instant,
    into directory: inout Directory
  ) {
    let source = leases[Int(number)].source
    if devices[Int(device)].sourceDeadline > now {
      if sighting.bootID >= 0, sighting.bootID == devices[Int(device)].bootID {
        rememberSource(device, source, deadline)
        return
      }
      if let place = formerSource(device, source) {
        let history = Int(devices[Int(device)].history)
        if histories[history].sources[place].deadline > now {
          histories[history].sources[place].deadline = deadline
          return
        }
      }
    }
    let old = sources.address(devices[Int(device)].source)
    pushFormerSource(device, dropping: source, at: now)
    setSource(device, source)
    directory.changed(self.sighting(device), .address(from: old))
  }

  // MARK: What was in force before

  private func isOfLineage(_ device: UInt32, _ location: UInt32) -> Bool {
    location == devices[Int(device)].location || formerLocation(device, location) != nil
  }

  private func formerLocation(_ device: UInt32, _ location: UInt32) -> Int? {
    guard devices[Int(device)].history != none else { return nil }
    let history = Int(devices[Int(device)].history)
    for place in 0..<3 where histories[history].locations[place].name == location { return place }
    return nil
  }

  func formerSource(_ device: UInt32, _ source: UInt32) -> Int? {
    guard devices[Int(device)].history != none else { return nil }
    let history = Int(devices[Int(device)].history)
    for place in 0..<3 where histories[history].sources[place].name == source { return place }
    return nil
  }

  /// Moves the location in force to the front of what was; `returning` leaves the list, as it comes in force.
  private mutating func pushFormerLocation(_ device: UInt32, dropping returning: UInt32) {
    let old = devices[Int(device)].location
    guard old != none else { return }
    locations.retain(old)
    let former = DeviceHistory.Former(name: old, deadline: devices[Int(device)].locationDeadline)
    let history = history(of: device)
    let gone = DeviceHistory.push(former, dropping: returning, into: &histories[history].locations)
    if gone != none { locations.release(gone) }
  }

  private mutating func pushFormerSource(_ device: UInt32, dropping returning: UInt32, at now: Instant) {
    let old = devices[Int(device)].source
    guard old != none, old != returning else { return }
    sources.retain(old)
    let former = DeviceHistory.Former(name: old, deadline: devices[Int(device)].sourceDeadline)
    let history = history(of: device)
    let gone = DeviceHistory.push(former, dropping: returning, into: &histories[history].sources)
    if gone != none { sources.release(gone) }
    histories[history].movedAt = now
  }

  /// Notes an address that the device has beside the one in force.
  private mutating func rememberSource(_ device: UInt32, _ source: UInt32, _ deadline: Instant) {
    let history = history(of: device)
    if let place = formerSource(device, source) {
      histories[history].sources[place].deadline = deadline
      return
    }
    sources.retain(source)
    let former = DeviceHistory.Former(name: source, deadline: deadline)
    let gone = DeviceHistory.push(former, dropping: none, into: &histories[history].sources)
    if gone != none { sources.release(gone) }
  }
}

extension DeviceHistory {
  /// Puts one in front, in the place of `returning` or of the oldest; returns the name that fell out, or `none`.
  static func push(_ former: Former, dropping returning: UInt32, into list: inout Four<Former>) -> UInt32 {
    var place = 2
    for index in 0..<3 where returning != none && list[index].name == returning { place = index }
    let gone = list[place].name
    while place > 0 {
      list[place] = list[place - 1]
      place -= 1
    }
    list[0] = former
    return gone
  }
}
