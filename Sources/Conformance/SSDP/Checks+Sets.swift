import RollcallPrimitives
import RollcallWire

/// Sets of announcements: what is in them, how often they are sent, when they are renewed (1c, UUIDs of 1b).
package struct SetChecks: CheckFamily {
  package static let clauses: [ClauseID] = [
    .rootThree, .embeddedTwo, .serviceOne, .highestOnly, .noPartial, .startJitter, .repeatSet, .repeatMaximum, .renew,
    .renewHalf, .uuidStable, .uuidUnique,
  ]
  /// The clause of the messages of one device of a set.
  static func clause(ofParts isRoot: Bool) -> ClauseID { isRoot ? .rootThree : .embeddedTwo }

  let isComplete: Bool
  /// By number of the lane, the UUID, the host, the party.
  var lanes: [SetLane] = []
  var devices: [SetDevice] = []
  var hosts: [SetHost] = []
  var parties: [SetParty] = []

  package init(_ circumstances: Circumstances) { isComplete = circumstances.isComplete }

  package mutating func hear(_ context: MessageContext, _ collector: inout FindingCollector) {
    guard context.lane >= 0, context.advert >= 0, context.isMulticast else { return }
    switch context.kind {
    case .notifyAlive: hearAlive(context, &collector)
    case .notifyByebye: hearByebye(context, &collector)
    default: break
    }
  }

  // MARK: - Alive

  private mutating func hearAlive(_ context: MessageContext, _ collector: inout FindingCollector) {
    let number = Int(context.lane)
    let now = context.time
    let lease = context.message.index.pointee.maxAgeSeconds
    while lanes.count <= number { lanes.append(SetLane()) }
    if !lanes[number].isKnown { open(number, context, &collector) }
    let gap = SetLane.burstGap(lease)
    if lanes[number].isInBurst, now - lanes[number].lastAlive > gap { closeBurst(number, at: now, &collector) }
    if lanes[number].byebyeAt != .never { judgeByebyes(number, &collector) }
    lanes[number].scene = FindingCollector.Scene(context)
    identify(context, &collector)

    let before = lanes[number].cursor
    var place = lanes[number].find(context.advert)
    let isNew = place < 0
    if isNew { place = lanes[number].add(context.advert, context.target, at: now, leaseSeconds: lease) }
    guard place >= 0 else { return }
    let wasAlive = lanes[number].slots[place].isAlive
    let pause = now - lanes[number].slots[place].last
    let identification = context.observation.identification
    if !isComplete, wasAlive,
      NetworkCopy.isCopy(identification, of: lanes[number].slots[place].identification, after: pause)
    {
      return
    }
    if wasAlive { judgeRenewal(number, place, now, gap, &collector) }
    if !wasAlive || pause > gap {
      lanes[number].slots[place].cycleBefore = wasAlive ? lanes[number].slots[place].cycle : .zero
      lanes[number].slots[place].cycle = now
      if wasAlive { judgePartial(number, place, context, &collector) }
    }
    judgeVersions(number, place, context, &collector)
    countRepeats(number, place, context, pause: isNew ? nil : pause, &collector)

    if lanes[number].isInBurst, before == place { lanes[number].adjacentCount += 1 }
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
    _ number: Int, _ place: Int, _ now: Instant, _ gap: Interval, _ collector: inout FindingCollector
  ) {
    let slot = lanes[number].slots[place]
    guard slot.leaseSeconds > 0 else { return }
    if now > slot.expiry {
      lapse(number, slot, at: now, &collector)
    } else if now - slot.last > gap {
      collector.held(.renew, at: lanes[number].scene)
    }
    guard place == 0, now - slot.last > gap, lanes[number].intervals.count < Distribution.sampleCountMaximum else {
      return
    }
    lanes[number].intervals.append((now - slot.cycle).nanoseconds / (Int64(slot.leaseSeconds) * 100_000))
  }

  /// A lease ran out, and the message had not come again.
  func lapse(_ number: Int, _ slot: SetLane.Slot, at now: Instant, _ collector: inout FindingCollector) {
    let scene = lanes[number].scene
    if isComplete {
      collector.violated(
        .renew, at: scene, expected: "each message again before its max-age runs out",
        found: .text("max-age of \(slot.leaseSeconds) seconds ran out"))
    } else {
      collector.inconclusive(.renew, at: scene, why: "a lease ran out; renewals may be lost, or the device away")
    }
  }

  /// A message that comes for the second time while another of the set has not come at all.
  private func judgePartial(_ number: Int, _ place: Int, _ context: MessageContext, _ collector: inout FindingCollector)
  {
    let slots = lanes[number].slots
    let since = slots[place].cycleBefore
    guard slots.count > 1, since != .zero else { return }
    if slots.contains(where: { $0.isAlive && $0.last < since && $0.expiry > since }) {
      partial(collector: &collector, lanes[number].scene, "messages of the set are renewed while others are not")
    } else {
      collector.held(.noPartial, context)
    }
  }

  private func partial(collector: inout FindingCollector, _ scene: FindingCollector.Scene, _ what: String) {
    if isComplete {
      collector.violated(.noPartial, at: scene, expected: "the whole set, or nothing", found: .text(what))
    } else {
      collector.inconclusive(.noPartial, at: scene, why: what + ", or the others were lost")
    }
  }

  private func judgeVersions(
    _ number: Int, _ place: Int, _ context: MessageContext, _ collector: inout FindingCollector
  ) {
    let slot = lanes[number].slots[place]
    guard slot.target.stem >= 0 else { return }
    guard slot.rival >= 0, lanes[number].slots[slot.rival].isAlive,
      context.time - lanes[number].slots[slot.rival].last < .seconds(15)
    else { return collector.held(.highestOnly, context) }
    let versions = [slot.target.version, lanes[number].slots[slot.rival].target.version].sorted()
    collector.violated(
      .highestOnly, context, expected: "the highest version of a type alone",
      found: .text("versions \(versions[0]) and \(versions[1])"))
  }

  private mutating func countRepeats(
    _ number: Int, _ place: Int, _ context: MessageContext, pause: Interval?, _ collector: inout FindingCollector
  ) {
    let limit = SetLane.repeatGap(context.message.index.pointee.maxAgeSeconds)
    let host = Int(lanes[number].host)
    let isBusy = hosts.indices.contains(host) && hosts[host].busyUntil > context.time
    guard let pause, pause <= limit, !isBusy else {
      lanes[number].slots[place].runCount = 1
      return collector.held(.repeatMaximum, context)
    }
    lanes[number].slots[place].runCount += 1
    if lanes[number].slots[place].runCount == 4 {
      collector.violated(
        .repeatMaximum, context, expected: "each message three times at most", found: .text("a fourth time"))
    }
  }

  // MARK: - Byebye

  private mutating func hearByebye(_ context: MessageContext, _ collector: inout FindingCollector) {
    let number = Int(context.lane)
    guard number < lanes.count, lanes[number].isKnown else { return }
    let place = lanes[number].find(context.advert)
    guard place >= 0 else { return }
    if lanes[number].isInBurst { closeBurst(number, at: context.time, &collector) }
    if lanes[number].slots[place].isAlive, context.time > lanes[number].slots[place].expiry {
      lapse(number, lanes[number].slots[place], at: context.time, &collector)
    }
    lanes[number].slots[place].isAlive = false
    lanes[number].byebyeAt = context.time
    lanes[number].isInitial = true
    if context.target.form == .rootDevice { devices[Int(context.uuid)].hasLeft = true }
  }

  /// Byebyes are over: whether some messages of the set were left out.
  mutating func judgeByebyes(_ number: Int, _ collector: inout FindingCollector) {
    let moment = lanes[number].byebyeAt
    lanes[number].byebyeAt = .never
    guard lanes[number].slots.count > 1 else { return }
    if lanes[number].slots.contains(where: { $0.isAlive && $0.last < moment && $0.expiry > moment }) {
      partial(collector: &collector, lanes[number].scene, "messages of the set are revoked while others are not")
    } else {
      collector.held(.noPartial, at: lanes[number].scene)
    }
  }
}
