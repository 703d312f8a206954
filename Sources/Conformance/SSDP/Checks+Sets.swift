import RollcallPrimitives
import RollcallWire

/// Sets of announcements: what is in them, how often they are sent, when they are renewed (1c, UUIDs of 1b).
package struct SetChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .rootThree, .embeddedTwo, .serviceOne, .highestOnly, .noPartial, .startJitter, .repeatSet, .repeatMaximum, .renew,
    .renewHalf, .uuidStable, .uuidUnique,
  ]
  let isComplete: Bool
  /// By number of the lane, the UUID, the host, the party.
  var lanes: [SetLane] = []
  var devices: [SetDevice] = []
  var hosts: [SetHost] = []
  var parties: [SetParty] = []

  package init(_ circumstances: Circumstances) { isComplete = circumstances.isComplete }

  package mutating func hear(_ witness: Witness, _ docket: inout Docket) {
    guard witness.lane >= 0, witness.advert >= 0, witness.isMulticast else { return }
    switch witness.kind {
    case .notifyAlive: hearAlive(witness, &docket)
    case .notifyByebye: hearByebye(witness, &docket)
    default: break
    }
  }

  // MARK: - Alive

  private mutating func hearAlive(_ witness: Witness, _ docket: inout Docket) {
    let number = Int(witness.lane)
    let now = witness.time
    let lease = witness.message.index.pointee.maxAgeSeconds
    while lanes.count <= number { lanes.append(SetLane()) }
    if !lanes[number].isKnown { open(number, witness, &docket) }
    let gap = SetLane.burstGap(lease)
    if lanes[number].isInBurst, now - lanes[number].lastAlive > gap { closeBurst(number, at: now, &docket) }
    if lanes[number].byebyeAt != .never { judgeByebyes(number, &docket) }
    lanes[number].scene = Docket.Scene(witness)
    identify(witness, &docket)

    let before = lanes[number].cursor
    var place = lanes[number].find(witness.advert)
    let isNew = place < 0
    if isNew { place = lanes[number].add(witness.advert, witness.target, at: now, leaseSeconds: lease) }
    guard place >= 0 else { return }
    let wasAlive = lanes[number].slots[place].isAlive
    let pause = now - lanes[number].slots[place].last
    let identification = witness.observation.identification
    if !isComplete, wasAlive,
      NetworkCopy.isCopy(identification, of: lanes[number].slots[place].identification, after: pause)
    {
      return
    }
    if wasAlive { judgeRenewal(number, place, now, gap, &docket) }
    if !wasAlive || pause > gap {
      lanes[number].slots[place].cycleBefore = wasAlive ? lanes[number].slots[place].cycle : .zero
      lanes[number].slots[place].cycle = now
      if wasAlive { judgePartial(number, place, witness, &docket) }
    }
    judgeVersions(number, place, witness, &docket)
    countRepeats(number, place, witness, pause: isNew ? nil : pause, &docket)

    let isRepeated = lanes[number].isInBurst && lanes[number].sentCount > 0 && !isNew && before == place
    if isRepeated { lanes[number].adjacentCount += 1 }
    lanes[number].isInBurst = true
    lanes[number].sentCount += 1
    lanes[number].lastAlive = now
    lanes[number].slots[place].sentCount += 1
    lanes[number].slots[place].isAlive = true
    lanes[number].slots[place].last = now
    lanes[number].slots[place].identification = identification
    lanes[number].slots[place].leaseSeconds = lease
  }

  private mutating func judgeRenewal(
    _ number: Int, _ place: Int, _ now: Instant, _ gap: Interval, _ docket: inout Docket
  ) {
    let slot = lanes[number].slots[place]
    guard slot.leaseSeconds > 0 else { return }
    if now > slot.expiry {
      lapse(number, slot, at: now, &docket)
    } else if now - slot.last > gap {
      docket.held(.renew, at: lanes[number].scene)
    }
    guard place == 0, now - slot.last > gap, lanes[number].intervals.count < Distribution.sampleCountMaximum else {
      return
    }
    lanes[number].intervals.append((now - slot.cycle).nanoseconds / (Int64(slot.leaseSeconds) * 100_000))
  }

  /// A lease ran out, and the message had not come again.
  func lapse(_ number: Int, _ slot: SetLane.Slot, at now: Instant, _ docket: inout Docket) {
    let scene = lanes[number].scene
    if isComplete {
      docket.violated(
        .renew, at: scene, expected: "each message again before its max-age runs out",
        found: .text("max-age of \(slot.leaseSeconds) seconds ran out"))
    } else {
      docket.inconclusive(.renew, at: scene, why: "a lease ran out; renewals may be lost, or the device away")
    }
  }

  /// A message that comes for the second time while another of the set has not come at all.
  private func judgePartial(_ number: Int, _ place: Int, _ witness: Witness, _ docket: inout Docket) {
    let slots = lanes[number].slots
    let since = slots[place].cycleBefore
    guard slots.count > 1, since != .zero else { return }
    if slots.contains(where: { $0.isAlive && $0.last < since && $0.expiry > since }) {
      partial(docket: &docket, lanes[number].scene, "messages of the set are renewed while others are not")
    } else {
      docket.held(.noPartial, witness)
    }
  }

  private func partial(docket: inout Docket, _ scene: Docket.Scene, _ what: String) {
    if isComplete {
      docket.violated(.noPartial, at: scene, expected: "the whole set, or nothing", found: .text(what))
    } else {
      docket.inconclusive(.noPartial, at: scene, why: what + ", or the others were lost")
    }
  }

  private func judgeVersions(_ number: Int, _ place: Int, _ witness: Witness, _ docket: inout Docket) {
    let slot = lanes[number].slots[place]
    guard slot.target.stem >= 0 else { return }
    guard slot.rival >= 0, lanes[number].slots[slot.rival].isAlive,
      witness.time - lanes[number].slots[slot.rival].last < .seconds(15)
    else { return docket.held(.highestOnly, witness) }
    let versions = [slot.target.version, lanes[number].slots[slot.rival].target.version].sorted()
    docket.violated(
      .highestOnly, witness, expected: "the highest version of a type alone",
      found: .text("versions \(versions[0]) and \(versions[1])"))
  }

  private mutating func countRepeats(
    _ number: Int, _ place: Int, _ witness: Witness, pause: Interval?, _ docket: inout Docket
  ) {
    let limit = SetLane.repeatGap(witness.message.index.pointee.maxAgeSeconds)
    let host = Int(lanes[number].host)
    let isBusy = host >= 0 && hosts[host].busyUntil > witness.time
    guard let pause, pause <= limit, !isBusy else {
      lanes[number].slots[place].runCount = 1
      return docket.held(.repeatMaximum, witness)
    }
    lanes[number].slots[place].runCount += 1
    if lanes[number].slots[place].runCount == 4 {
      docket.violated(
        .repeatMaximum, witness, expected: "each message three times at most", found: .text("a fourth time"))
    }
  }

  // MARK: - Byebye

  private mutating func hearByebye(_ witness: Witness, _ docket: inout Docket) {
    let number = Int(witness.lane)
    guard number < lanes.count, lanes[number].isKnown else { return }
    let place = lanes[number].find(witness.advert)
    guard place >= 0 else { return }
    if lanes[number].isInBurst { closeBurst(number, at: witness.time, &docket) }
    if lanes[number].slots[place].isAlive, witness.time > lanes[number].slots[place].expiry {
      lapse(number, lanes[number].slots[place], at: witness.time, &docket)
    }
    lanes[number].slots[place].isAlive = false
    lanes[number].byebyeAt = witness.time
    lanes[number].isInitial = true
    if witness.target.form == .rootDevice { devices[Int(witness.uuid)].hasLeft = true }
  }

  /// Byebyes are over: whether some messages of the set were left out.
  mutating func judgeByebyes(_ number: Int, _ docket: inout Docket) {
    let moment = lanes[number].byebyeAt
    lanes[number].byebyeAt = .never
    guard lanes[number].slots.count > 1 else { return }
    if lanes[number].slots.contains(where: { $0.isAlive && $0.last < moment && $0.expiry > moment }) {
      partial(docket: &docket, lanes[number].scene, "messages of the set are revoked while others are not")
    } else {
      docket.held(.noPartial, at: lanes[number].scene)
    }
  }
}
