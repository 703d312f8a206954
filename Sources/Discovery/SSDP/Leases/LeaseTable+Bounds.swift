import RollcallPrimitives

// Bounds: how much is kept, and who makes room.
extension LeaseTable {
  var partsMaximum: Int { isOn(.noBounds) ? Int(UInt16.max) : min(configuration.limits.parts, Int(UInt16.max)) }

  /// Whether an address may have one more lease. Mutating: it would be called on a copy of the table.
  ///
  /// - Parameter device: one that may have this address in force.
  mutating func hasRoom(at address: IPAddress, of device: UInt32 = none) -> Bool {
    if isOn(.noBounds) { return true }
    let source = sources.find(address, guess: device == none ? none : devices[Int(device)].source)
    let count = source == none ? 0 : Int(sources.records[Int(source)].leases)
    return count < configuration.limits.entriesPerSource
  }

  /// Whether a device has a lease that was heard from a source.
  func hasLease(_ device: UInt32, from source: UInt32) -> Bool { hasLease(device) { $0.source == source } }

  /// Whether a device has a lease of this kind.
  func hasLease(_ device: UInt32, where isMeant: (LeaseRecord) -> Bool) -> Bool {
    var part = devices[Int(device)].firstPart
    while part != none {
      var lease = parts[Int(part)].firstLease
      while lease != none {
        if isMeant(leases[Int(lease)]) { return true }
        lease = leases[Int(lease)].next
      }
      part = parts[Int(part)].next
    }
    return false
  }

  /// Sees to it that one more lease fits, or says why it does not.
  ///
  /// A device has its limit and so has an address: a flood fills only the share of its own address and is counted. Where
  /// all is full, the least recently heard device that the application does not hold goes.
  mutating func makeRoom(
    for sighting: Sighting, device: UInt32, at now: Instant, into directory: inout Directory
  ) -> Rejection? {
    if isOn(.noBounds) { return nil }
    if device != none, Int(devices[Int(device)].leaseCount) >= configuration.limits.entriesPerDevice {
      return sighting.refused(.overDevice)
    }
    guard hasRoom(at: sighting.source, of: device) else { return sighting.refused(.overSource) }
    while counters.openLeases >= configuration.limits.entriesTotal {
      let victim = leastRecentlyHeard(except: device)
      guard victim != none else { return sighting.refused(.overTotal) }
      counters.evictions += 1
      removeLeases(of: victim)
      end(victim, .evicted, at: now, into: &directory)
    }
    return nil
  }

  private mutating func leastRecentlyHeard(except device: UInt32) -> UInt32 {
    var victim = none
    var isAside = false
    while let (key, candidate) = evictionOrder.first {
      if devices[Int(candidate)].lastHeard > key {
        evictionOrder.set(candidate, devices[Int(candidate)].lastHeard)
      } else if candidate == device {
        evictionOrder.remove(candidate)
        isAside = true
      } else {
        victim = candidate
        break
      }
    }
    if isAside { evictionOrder.set(device, devices[Int(device)].lastHeard) }
    return victim
  }

  /// No eviction takes this device until it is released or lost.
  mutating func hold(_ device: UInt32) {
    devices[Int(device)].isHeld = true
    if !isOn(.evictsHeld) { evictionOrder.remove(device) }
  }

  mutating func release(_ device: UInt32) {
    devices[Int(device)].isHeld = false
    if devices[Int(device)].isPresent { evictionOrder.set(device, devices[Int(device)].lastHeard) }
  }
}
