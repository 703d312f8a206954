package import RollcallPrimitives

extension SetChecks {
  // MARK: - The end of a burst

  /// What a burst of announcements shows once it is over.
  mutating func closeBurst(_ number: Int, at now: Instant, _ collector: inout FindingCollector) {
    guard lanes[number].isInBurst else { return }
    let lane = lanes[number]
    lanes[number].isInBurst = false
    lanes[number].isInitial = false
    (lanes[number].sentCount, lanes[number].adjacentCount) = (0, 0)
    for place in lane.slots.indices { lanes[number].slots[place].sentCount = 0 }
    // One that was broken off, or may go on, says nothing.
    guard now - lane.lastAlive >= SetLane.burstGap(lane.slots.first?.leaseSeconds ?? -1) else { return }
    devices[Int(lane.scene.device)].hasWholeSet = true
    let counts = lane.slots.map(\.sentCount).filter { $0 > 0 }
    guard let least = counts.min(), let most = counts.max() else { return }
    if least == most {
      collector.held(.serviceOne, at: lane.scene)
    } else if isComplete {
      collector.violated(
        .serviceOne, at: lane.scene, expected: "each message of the set once in each set",
        found: .text("one message \(most) times, another \(least) times"))
    } else {
      collector.inconclusive(
        .serviceOne, at: lane.scene, why: "some messages of a set came more often than others; the others may be lost")
    }
    if lane.isInitial { judgeRepeats(lane, counts.count, least, &collector) }
  }

  private func judgeRepeats(_ lane: SetLane, _ distinct: Int, _ least: Int, _ collector: inout FindingCollector) {
    let extra = lane.sentCount - distinct
    if distinct > 1, extra >= distinct, lane.adjacentCount == extra {
      collector.violated(
        .repeatSet, at: lane.scene, expected: "the whole set again after a pause",
        found: .text("each message again right behind itself"))
    } else if least > 1 {
      collector.held(.repeatSet, at: lane.scene)
    } else if isComplete {
      collector.violated(
        .repeatSet, at: lane.scene, expected: "the whole set again after a pause", found: .text("once"))
    } else {
      collector.inconclusive(.repeatSet, at: lane.scene, why: "messages came once; their repetition may be lost")
    }
  }

  // MARK: - Away

  /// The device is gone from an address, or begins anew there: leases up to now are judged, then forgotten.
  mutating func reset(_ number: Int, at now: Instant, _ collector: inout FindingCollector) {
    closeBurst(number, at: now, &collector)
    for slot in lanes[number].slots where slot.isAlive && now > slot.expiry { lapse(number, slot, at: now, &collector) }
    for place in lanes[number].slots.indices {
      lanes[number].slots[place].isAlive = false
      lanes[number].slots[place].runCount = 0
    }
    lanes[number].isInitial = true
    lanes[number].byebyeAt = .never
  }

  package mutating func note(_ event: TraceEvent, _ collector: inout FindingCollector) {
    guard event.host >= 0, event.host < 1 << 20 else { return }
    let host = Int(event.host)
    while hosts.count <= host { hosts.append(SetHost()) }
    switch event.content {
    case .deed(let deed): note(deed, host, event.time, &collector)
    case .interface(let change):
      for number in hosts[host].lanes where lanes[number].interface == change.interface {
        if change.hasAddress(lanes[number].address) { continue }
        reset(number, at: event.time, &collector)
      }
      hosts[host].busyUntil = event.time + .seconds(10)
    default: break
    }
  }

  private mutating func note(_ deed: TraceEvent.Deed, _ host: Int, _ now: Instant, _ collector: inout FindingCollector)
  {
    switch deed {
    case .appear:
      if hosts[host].isAway { hosts[host].startedAt = now }
      if hosts[host].wasThere { hosts[host].isRestarted = true }
      (hosts[host].isAway, hosts[host].wasThere) = (false, true)
    case .leave, .vanish, .crash, .reboot:
      for number in hosts[host].lanes { reset(number, at: now, &collector) }
      hosts[host].isAway = deed == .leave || deed == .vanish
      hosts[host].isRestarted = true
      hosts[host].startedAt = .never
    case .move, .relocate, .reconfigure, .rename, .update:
      hosts[host].busyUntil = now + .seconds(10)
      if deed == .move { hosts[host].isRestarted = true }
    case .send: break
    }
  }

  // MARK: - The end

  package mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for number in lanes.indices where lanes[number].isKnown {
      closeBurst(number, at: end, &collector)
      if lanes[number].byebyeAt != .never, end - lanes[number].byebyeAt > .seconds(15) {
        judgeByebyes(number, &collector)
      }
      if let slot = lanes[number].slots.first(where: { $0.isAlive && end > $0.expiry }) {
        lapse(number, slot, at: end, &collector)
      }
      judgeIntervals(lanes[number], &collector)
    }
    for uuid in devices.indices where devices[uuid].scene.party.number >= 0 {
      judgeParts(devices[uuid], &collector)
      if !devices[uuid].isShared { collector.held(.uuidUnique, at: devices[uuid].scene) }
    }
    for host in hosts { judgeJitter(host, &collector) }
  }

  /// Renewals before half of max-age: the sign test lets a capture lose every second one. Spread: the test of
  /// Kolmogorov and Smirnov over the range that was seen.
  private func judgeIntervals(_ lane: SetLane, _ collector: inout FindingCollector) {
    let sample = Array(lane.intervals.prefix(60))
    guard !sample.isEmpty else { return }
    guard sample.count >= Distribution.intervalCountMinimum else {
      return collector.inconclusive(
        .renewHalf, at: lane.scene,
        why: "fewer than \(Distribution.intervalCountMinimum) renewals: too few for a test")
    }
    let late = sample.count { $0 >= 5_000 }
    if Distribution.isTooOften(late, of: sample.count) {
      return collector.violated(
        .renewHalf, at: lane.scene, expected: "renewals before half of max-age (sign test, alpha 0.001)",
        found: .text("\(late) of \(sample.count) later"))
    }
    let early = sample.filter { $0 < 5_000 }
    guard early.count >= Distribution.intervalCountMinimum, let low = early.min(), let high = early.max() else {
      return collector.inconclusive(
        .renewHalf, at: lane.scene,
        why: "fewer than \(Distribution.intervalCountMinimum) renewals before half of max-age: too few for a test")
    }
    let margin = (high - low) / Int64(early.count - 1) + 1
    if high - low < 100 || Distribution.isUneven(early, from: low - margin, to: high + margin) {
      collector.violated(
        .renewHalf, at: lane.scene, expected: "renewals at random (Kolmogorov-Smirnov, alpha 0.001)",
        found: .text("\(early.count) from \(low / 100) % to \(high / 100) % of max-age"))
    } else {
      collector.held(.renewHalf, at: lane.scene)
    }
  }

  private func judgeParts(_ device: SetDevice, _ collector: inout FindingCollector) {
    let party = parties[Int(device.scene.party.number)]
    // Whose party never named a root may be the root itself.
    let isRoot = device.hasRoot || !party.hasRoot
    let clause = SetChecks.clause(ofParts: isRoot)
    if device.hasUUID, device.hasType, !isRoot || device.hasRoot { return collector.held(clause, at: device.scene) }
    guard device.hasWholeSet else { return }
    var missing = isRoot && !device.hasRoot ? ["message of upnp:rootdevice"] : []
    if !device.hasUUID { missing.append("message of the UUID") }
    if !device.hasType { missing.append("message of a device type") }
    if isComplete {
      collector.violated(
        clause, at: device.scene,
        expected: isRoot ? "upnp:rootdevice, the uuid and the device type" : "the uuid and the device type",
        found: .text("no " + missing.joined(separator: ", no ")))
    } else {
      collector.inconclusive(
        clause, at: device.scene,
        why: "no " + missing.joined(separator: ", no ") + "; what was sent may be lost or come before the capture")
    }
  }

  private func judgeJitter(_ host: SetHost, _ collector: inout FindingCollector) {
    guard let largest = host.waits.max(), let scene = host.scene else { return }
    guard host.waits.count >= Distribution.delayCountMinimum else {
      return collector.inconclusive(
        .startJitter, at: scene, why: "fewer than \(Distribution.delayCountMinimum) starts: too few for a test")
    }
    let count = Int64(host.waits.count)
    if Distribution.isUneven(host.waits, from: 0, to: largest / count * (count + 1)) {
      collector.violated(
        .startJitter, at: scene, expected: "a random wait before the first set (Kolmogorov-Smirnov, alpha 0.001)",
        found: .text("\(count) waits of at most \(Interval.nanoseconds(largest).decimal) seconds"))
    } else {
      collector.held(.startJitter, at: scene)
    }
  }
}
