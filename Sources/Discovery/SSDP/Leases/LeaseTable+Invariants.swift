import RollcallPrimitives

// What must hold between two calls, whatever was sent: looked at by tests and fuzzing, never by the engine.
extension LeaseTable {
  /// Every rule that is broken, in words; empty if all is well.
  func brokenInvariants() -> [String] {
    var broken: [String] = []
    func expect(_ condition: Bool, _ rule: @autoclosure () -> String) { if !condition { broken.append(rule()) } }
    var uuidHolds = [Int](repeating: 0, count: uuids.capacity)
    var targetHolds = [Int](repeating: 0, count: targets.capacity)
    var locationHolds = [Int](repeating: 0, count: locations.capacity)
    var sourceHolds = [Int](repeating: 0, count: sources.records.count)
    var sourceLeases = sourceHolds
    var leaseTotal = 0
    var presentTotal = 0
    var idleTotal = 0

    for number in devices.indices where devices[number].isLive {
      let device = devices[number]
      var leaseCount = 0
      var partCount = 0
      var part = device.firstPart
      expect(part == device.root, "device \(number) is not named after a part of its own")
      while part != none {
        partCount += 1
        uuidHolds[Int(part)] += 1
        expect(parts[Int(part)].device == UInt32(number), "part \(part) does not know its device \(number)")
        var previous = none
        var lease = parts[Int(part)].firstLease
        expect(
          parts[Int(part)].isIdle == (lease == none && part != device.root), "part \(part) is idle, or the reverse")
        idleTotal += parts[Int(part)].isIdle ? 1 : 0
        while lease != none {
          let record = leases[Int(lease)]
          leaseCount += 1
          expect(record.isLive && record.part == part, "lease \(lease) is in the list of part \(part) and not its own")
          expect(record.previous == previous, "lease \(lease) does not know who stands before it")
          expect(leaseDeadlines.contains(lease), "lease \(lease) never ends")
          expect(
            findLease(part: part, target: record.target, suffix: record.suffix, path: record.path) == lease,
            "lease \(lease) cannot be found")
          targetHolds[Int(record.target)] += 1
          if record.suffix < LeaseRecord.suffixIsTarget { targetHolds[Int(record.suffix)] += 1 }
          if record.location != none { locationHolds[Int(record.location)] += 1 }
          sourceHolds[Int(record.source)] += 1
          sourceLeases[Int(record.source)] += 1
          previous = lease
          lease = record.next
        }
        expect(parts[Int(part)].lastLease == previous, "part \(part) does not know its last lease")
        part = parts[Int(part)].next
      }
      expect(leaseCount == Int(device.leaseCount), "device \(number) counts its leases wrong")
      expect(partCount == Int(device.partCount), "device \(number) counts its parts wrong")
      expect(device.isPresent == (leaseCount > 0), "device \(number) is present without a lease, or the reverse")
      expect(
        evictionOrder.contains(UInt32(number)) == (device.isPresent && !device.isHeld),
        "device \(number) is held and can be evicted, or the reverse")
      expect(device.isPresent || device.wasEnded, "device \(number) is neither present nor remembered")
      if device.location != none { locationHolds[Int(device.location)] += 1 }
      if device.source != none { sourceHolds[Int(device.source)] += 1 }
      if device.history != none {
        for place in 0..<3 {
          let history = histories[Int(device.history)]
          if history.locations[place].name != none { locationHolds[Int(history.locations[place].name)] += 1 }
          if history.sources[place].name != none { sourceHolds[Int(history.sources[place].name)] += 1 }
        }
      }
      leaseTotal += leaseCount
      presentTotal += device.isPresent ? 1 : 0
    }
    for location in claims.indices {
      let claim = claims[location]
      if claim.root != none {
        expect(devices[Int(claim.root)].isPresent, "location \(location) belongs to a root that is gone")
        expect(devices[Int(claim.root)].isRoot, "location \(location) belongs to no root")
      }
      var solo = claim.firstSolo
      var previous = none
      while solo != none {
        expect(Int(devices[Int(solo)].location) == location, "device \(solo) is listed at location \(location)")
        expect(!devices[Int(solo)].isRoot, "root \(solo) is listed among those that stand for themselves")
        expect(devices[Int(solo)].previousSolo == previous, "device \(solo) does not know who stands before it")
        previous = solo
        solo = devices[Int(solo)].nextSolo
      }
    }
    expect(uuidHolds == uuids.holds, "UUIDs are held otherwise than counted")
    expect(targetHolds == targets.holds, "targets are held otherwise than counted")
    expect(locationHolds == locations.holds, "locations are held otherwise than counted")
    expect(sourceHolds == sources.records.map { Int($0.references) }, "addresses are held otherwise than counted")
    expect(sourceLeases == sources.records.map { Int($0.leases) }, "leases of addresses are counted wrong")
    expect(leaseTotal == counters.openLeases, "\(leaseTotal) leases are there, \(counters.openLeases) counted")
    expect(leaseTotal == leaseDeadlines.count, "\(leaseTotal) leases are there, \(leaseDeadlines.count) end")
    expect(idleTotal == idlePartCount, "\(idleTotal) parts are idle, \(idlePartCount) counted")
    expect(presentTotal == counters.devicesPresent, "devices are counted wrong")
    return broken
  }
}
