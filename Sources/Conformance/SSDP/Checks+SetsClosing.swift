package import RollcallPrimitives

extension SetChecks {
  // MARK: - The end of a burst

  /// What a burst of announcements shows once it is over.
  mutating func closeBurst(_ number: Int, at now: Instant, _ docket: inout Docket) {
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
      docket.held(.serviceOne, at: lane.scene)
    } else if isComplete {
      docket.violated(
        .serviceOne, at: lane.scene, expected: "each message of the set once in each set",
        found: .text("one message \(most) times, another \(least) times"))
    } else {
      docket.inconclusive(
        .serviceOne, at: lane.scene, why: "some messages of a set came more often than others; the others may be lost")
    }
    if lane.isInitial { judgeRepeats(lane, counts.count, least, &docket) }
  }

  private func judgeRepeats(_ lane: SetLane, _ distinct: Int, _ least: Int, _ docket: inout Docket) {
    let extra = lane.sentCount - distinct
    if distinct > 1, extra >= distinct, lane.adjacentCount == extra {
      docket.violated(
        .repeatSet, at: lane.scene, expected: "the whole set again after a pause",
        found: .text("each message again right behind itself"))
    } else if least > 1 {
      docket.held(.repeatSet, at: lane.scene)
    } else if isComplete {
      docket.violated(
        .repeatSet, at: lane.scene, expected: "the whole set again after a pause", found: .text("once"))
    } else {
      docket.inconclusive(.repeatSet, at: lane.scene, why: "messages came once; their repetition may be lost")
    }
  }

  // MARK: - Away

  /// The device is gone from an address, or begins anew there: leases up to now are judged, then forgotten.
  mutating func reset(_ number: Int, at now: Instant, _ docket: inout Docket) {
    closeBurst(number, at: now, &docket)
    for slot in lanes[number].slots where slot.isAlive && now > slot.expiry { lapse(number, slot, at: now, &docket) }
    for place in lanes[number].slots.indices {
      lanes[number].slots[place].isAlive = false
      lanes[number].slots[place].runCount = 0
    }
    lanes[number].isInitial = true
    lanes[number].byebyeAt = .never
  }

  package mutating func note(_ occurrence: Occurrence, _ docket: inout Docket) {
    guard occurrence.host >= 0, occurrence.host < 1 << 20 else { return }
    let host = Int(occurrence.host)
    while hosts.count <= host { hosts.append(SetHost()) }
    switch occurrence.content {
    case .deed(let deed): note(deed, host, occurrence.time, &docket)
    case .interface(let change):
      for number in hosts[host].lanes where lanes[number].interface == change.interface {
        if change.isUp, change.addresses.contains(where: { $0.address == lanes[number].address }) { continue }
        reset(number, at: occurrence.time, &docket)
      }
      hosts[host].busyUntil = occurrence.time + .seconds(10)
    default: break
    }
  }

  private mutating func note(_ deed: Occurrence.Deed, _ host: Int, _ now: Instant, _ docket: inout Docket) {
    switch deed {
    case .appear:
      if hosts[host].isAway { hosts[host].startedAt = now }
      if hosts[host].wasThere { hosts[host].isRestarted = true }
      (hosts[host].isAway, hosts[host].wasThere) = (false, true)
    case .leave, .vanish, .crash, .reboot:
      for number in hosts[host].lanes { reset(number, at: now, &docket) }
      hosts[host].isAway = deed == .leave || deed == .vanish
      hosts[host].isRestarted = true
      hosts[host].startedAt = .never
    case .move, .relocate, .reconfigure, .update:
      hosts[host].busyUntil = now + .seconds(10)
      if deed == .move { hosts[host].isRestarted = true }
    case .send: break
    }
  }

  // MARK: - The end

  package mutating func close(at end: Instant, _ docket: inout Docket) {
    for number in lanes.indices where lanes[number].isKnown {
      closeBurst(number, at: end, &docket)
      if lanes[number].byebyeAt != .never, end - lanes[number].byebyeAt > .seconds(15) {
        judgeByebyes(number, &docket)
      }
      if let slot = lanes[number].slots.first(where: { $0.isAlive && end > $0.expiry }) {
        lapse(number, slot, at: end, &docket)
      }
      judgeIntervals(lanes[number], &docket)
    }
    for uuid in devices.indices where devices[uuid].scene.party.number >= 0 {
      judgeParts(devices[uuid], &docket)
      if !devices[uuid].isShared { docket.held(.uuidUnique, at: devices[uuid].scene) }
    }
    for host in hosts { judgeJitter(host, &docket) }
  }

  /// Renewals before half of max-age: the sign test lets a capture lose every second one. Spread: the test of
  /// Kolmogorov and Smirnov over the range that was seen.
  private func judgeIntervals(_ lane: SetLane, _ docket: inout Docket) {
    let sample = Array(lane.intervals.prefix(60))
    guard !sample.isEmpty else { return }
    guard sample.count >= Distribution.intervalCountMinimum else {
      return docket.inconclusive(
        .renewHalf, at: lane.scene,
        why: "fewer than \(Distribution.intervalCountMinimum) renewals: too few for a test")
    }
    let late = sample.count { $0 >= 5_000 }
    if Distribution.isTooOften(late, of: sample.count) {
      return docket.violated(
        .renewHalf, at: lane.scene, expected: "renewals before half of max-age (sign test, alpha 0.001)",
        found: .text("\(late) of \(sample.count) later"))
    }
    let early = sample.filter { $0 < 5_000 }
    guard early.count >= Distribution.intervalCountMinimum, let low = early.min(), let high = early.max() else {
      return docket.inconclusive(
        .renewHalf, at: lane.scene,
        why: "fewer than \(Distribution.intervalCountMinimum) renewals before half of max-age: too few for a test")
    }
    let margin = (high - low) / Int64(early.count - 1) + 1
    if high - low < 100 || Distribution.isUneven(early, from: low - margin, to: high + margin) {
      docket.violated(
        .renewHalf, at: lane.scene, expected: "renewals at random (Kolmogorov-Smirnov, alpha 0.001)",
        found: .text("\(early.count) from \(low / 100) % to \(high / 100) % of max-age"))
    } else {
      docket.held(.renewHalf, at: lane.scene)
    }
  }

  private func judgeParts(_ device: SetDevice, _ docket: inout Docket) {
    let party = parties[Int(device.scene.party.number)]
    // Whose party never named a root may be the root itself.
    let isRoot = device.hasRoot || !party.hasRoot
    let clause: ClauseID = isRoot ? .rootThree : .embeddedTwo
    if device.hasUUID, device.hasType, !isRoot || device.hasRoot { return docket.held(clause, at: device.scene) }
    guard device.hasWholeSet else { return }
    var missing = isRoot && !device.hasRoot ? ["message of upnp:rootdevice"] : []
    if !device.hasUUID { missing.append("message of the UUID") }
    if !device.hasType { missing.append("message of a device type") }
    if isComplete {
      docket.violated(
        clause, at: device.scene,
        expected: isRoot ? "upnp:rootdevice, the uuid and the device type" : "the uuid and the device type",
        found: .text("no " + missing.joined(separator: ", no ")))
    } else {
      docket.inconclusive(
        clause, at: device.scene,
        why: "no " + missing.joined(separator: ", no ") + "; what was sent may be lost or come before the capture")
    }
  }

  private func judgeJitter(_ host: SetHost, _ docket: inout Docket) {
    guard let largest = host.waits.max(), let scene = host.scene else { return }
    guard host.waits.count >= Distribution.delayCountMinimum else {
      return docket.inconclusive(
        .startJitter, at: scene, why: "fewer than \(Distribution.delayCountMinimum) starts: too few for a test")
    }
    let count = Int64(host.waits.count)
    if Distribution.isUneven(host.waits, from: 0, to: largest / count * (count + 1)) {
      docket.violated(
        .startJitter, at: scene, expected: "a random wait before the first set (Kolmogorov-Smirnov, alpha 0.001)",
        found: .text("\(count) waits of at most \(Interval.nanoseconds(largest).decimal) seconds"))
    } else {
      docket.held(.startJitter, at: scene)
    }
  }
}
