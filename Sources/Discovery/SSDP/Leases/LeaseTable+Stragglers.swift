import RollcallPrimitives
import RollcallWire

// Stragglers: what was sent before something that the engine knows already.
extension LeaseTable {
  /// Whether a message was sent before something that the engine knows already: a byebye, or a reboot (D58, A5).
  func refuseStraggler(_ sighting: Sighting, _ device: UInt32, at now: Instant) -> Rejection? {
    let record = devices[Int(device)]
    guard record.history != none else { return nil }
    let history = histories[Int(record.history)]
    if record.wasEnded, now < history.endedUntil,
      history.endedPath == DeviceHistory.everyPath || history.endedPath == sighting.path
    {
      // Another BOOTID is another life; none at all proves nothing.
      let isNewLife = sighting.bootID >= 0 && sighting.bootID != record.bootID
      if !isNewLife && !isFromNewAddress(sighting, record) || isOn(.tombstoneBlocksNewBootID)
        || isOn(.quickReturnIgnored)
      {
        return sighting.refused(.staleAfterByebye)
      }
    }
    return isOfPreviousBoot(sighting.bootID, device, at: now) ? sighting.refused(.staleBootID) : nil
  }

  func isOfPreviousBoot(_ bootID: Int64, _ device: UInt32, at now: Instant) -> Bool {
    let record = devices[Int(device)]
    guard bootID >= 0, bootID != record.bootID, record.history != none, !isOn(.staleBootIDAccepted) else {
      return false
    }
    let history = histories[Int(record.history)]
    return bootID == history.previousBootID && now < history.bootChangedAt + configuration.tombstone
  }

  /// Whether a byebye comes from the address that the device left a moment ago: what it says at the new address has
  /// overtaken its byebye from the old one, and it is there all the same (D58, D59).
  func isOvertaken(_ byebye: Sighting, _ device: UInt32, at now: Instant) -> Bool {
    let record = devices[Int(device)]
    guard record.history != none, record.source != none, !isOn(.tombstoneMissing),
      sources.address(record.source) != byebye.source
    else { return false }
    let history = histories[Int(record.history)]
    guard history.sources[0].name != none, now < history.movedAt + configuration.tombstone else { return false }
    return sources.address(history.sources[0].name) == byebye.source
  }

  /// Whether a message comes from an address that the device took after its byebye: it moved, and what it says there
  /// is no straggler (UDA-1-IPCHANGE-REVOKE, UDA-1-IPCHANGE-ANNOUNCE).
  ///
  /// Until it is found there its LOCATION has to name that address: an echo of its last words does not (D68).
  private func isFromNewAddress(_ sighting: Sighting, _ record: DeviceRecord) -> Bool {
    let history = histories[Int(record.history)]
    guard history.endedPath == DeviceHistory.everyPath else { return false }
    for place in 0..<DeviceHistory.endedSourcesMaximum {
      // Where every place is taken nobody knows what else was there.
      if history.endedSources[place] == sighting.source { return false }
      if place == DeviceHistory.endedSourcesMaximum - 1, history.endedSources[place] != nil { return false }
    }
    if record.isPresent { return true }
    guard case .url(let url) = LocationURL.check(sighting.location) else { return false }
    return url.address == sighting.source
  }

  /// Notes every address of a device that is about to lose leases to a byebye; those of a tombstone that still stands
  /// stay noted, since a device with two families says byebye twice.
  mutating func noteEndedSources(_ device: UInt32, at now: Instant) {
    let history = history(of: device)
    if !devices[Int(device)].wasEnded || histories[history].endedUntil <= now {
      histories[history].endedSources = Four(repeating: nil)
    }
    noteEndedSource(devices[Int(device)].source, history)
    for place in 0..<3 { noteEndedSource(histories[history].sources[place].name, history) }
    var part = devices[Int(device)].firstPart
    while part != none {
      var lease = parts[Int(part)].firstLease
      while lease != none {
        noteEndedSource(leases[Int(lease)].source, history)
        lease = leases[Int(lease)].next
      }
      part = parts[Int(part)].next
    }
  }

  private mutating func noteEndedSource(_ source: UInt32, _ history: Int) {
    guard source != none else { return }
    let address = sources.address(source)
    for place in 0..<DeviceHistory.endedSourcesMaximum {
      if histories[history].endedSources[place] == address { return }
      if histories[history].endedSources[place] == nil {
        histories[history].endedSources[place] = address
        return
      }
    }
  }
}
