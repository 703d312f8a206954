import RollcallPrimitives
import RollcallWire

/// A set of messages on its way out, one message at a time.
struct Burst: Hashable, Sendable {
  enum End: UInt8 { case nothing, adoptNextBootID, depart, off }

  var kind: DeviceMessageKind
  /// When the next message goes out.
  var due: Instant
  /// Where the set stands.
  var position = 0
  /// The set ends here.
  var limit: Int
  /// How often the whole set is still to be sent.
  var setsLeft: Int
  var lanes: Lanes
  /// Byebyes go out for messages that were never announced, too.
  var isForced: Bool
  var bootID: UInt32
  var nextBootID: UInt32 = 0
  var end = End.nothing
  /// Who is greeted with the next BOOTID after the last update.
  var nextLanes = Lanes()
}

extension RootDevice {
  var timing: DeviceTiming { blueprint.timing }
  var habits: DeviceBehaviour.Habits { blueprint.behaviour.habits }

  func burst(
    _ kind: DeviceMessageKind, at due: Instant, lanes: Lanes, sets: Int = 1, limit: Int? = nil, isForced: Bool = false,
    end: Burst.End = .nothing
  ) -> Burst {
    Burst(
      kind: kind, due: due, limit: limit ?? blueprint.order.count, setsLeft: sets, lanes: lanes, isForced: isForced,
      bootID: bootID, end: end)
  }

  mutating func add(_ burst: Burst) {
    guard bursts.count < RootDevice.burstCountMaximum, !burst.lanes.isEmpty || burst.end != .nothing else { return }
    bursts.append(burst)
  }

  // MARK: Starting

  mutating func start(at now: Instant, into outbox: inout Outbox) {
    restartDue = .never
    if lostState {
      (bootID, configID) = (blueprint.description.initialBootID, blueprint.description.configID)
    } else if starts > 0, !habits.contains(.bootIDNotIncreased) {
      bootID = RootDevice.bootID(after: bootID)
    }
    if starts > 0, habits.contains(.portChangesOnReboot) { port = port == .max ? 49_152 : port + 1 }
    if starts > 0, habits.contains(.uuidChangesOnReboot) { uuid = uuid.derived(UInt64(starts)) }
    starts &+= 1
    if !descriptionHosts.isEmpty { descriptionHosts[0].start(hasForgotten: lostState, into: &outbox) }
    lostState = false
    phase = .on
    hasAnnounced = false
    for index in attachments.indices { (attachments[index].announced4, attachments[index].announced6) = (0, 0) }
    attachments.join(into: &outbox)
    let lanes = attachments.lanes
    let first = now + jitter.interval(in: timing.startJitter)
    if habits.contains(.byebyeAliveByebye) {
      add(burst(.byebye, at: first, lanes: lanes, isForced: true))
      add(burst(.alive, at: first + .seconds(1), lanes: lanes))
      add(burst(.byebye, at: first + .seconds(31), lanes: lanes))
      add(burst(.alive, at: first + .seconds(62), lanes: lanes, sets: timing.repeats))
    } else if habits.contains(.byebyeBeforeFirstAlive) {
      add(burst(.byebye, at: first, lanes: lanes, isForced: true))
      let pause = timing.messageSpacing.upperBound * Int64(blueprint.order.count) + .milliseconds(100)
      add(burst(.alive, at: first + pause, lanes: lanes, sets: timing.repeats))
    } else {
      add(burst(.alive, at: first, lanes: lanes, sets: timing.repeats))
    }
    scheduleRenewal(after: first)
    if let interval = blueprint.behaviour.spuriousByebyeInterval { spuriousDue = first + interval }
  }

  // MARK: Renewing

  /// At random, below half of max-age (UDA-1.2.2-RENEW-HALF); none where the device renews nothing.
  mutating func scheduleRenewal(after moment: Instant) {
    if let interval = timing.renewalInterval {
      renewalDue = moment + renewalDraws.interval(in: interval)
    } else if let permille = timing.renewalPermille {
      let lease = blueprint.leaseSeconds
      renewalDue =
        moment
        + renewalDraws.interval(
          in: .nanoseconds(lease * permille.lowerBound * 1_000_000)
            ... .nanoseconds(
              lease * permille.upperBound * 1_000_000))
    }
  }

  mutating func renew(at now: Instant) {
    scheduleRenewal(after: now)
    let isPartial = habits.contains(.partialRenewal)
    add(
      burst(
        .alive, at: now, lanes: attachments.lanes, sets: timing.renewalRepeats,
        limit: isPartial ? 1 : nil))
  }

  mutating func sayByebyeForNothing(at now: Instant) {
    spuriousDue = blueprint.behaviour.spuriousByebyeInterval.map { now + $0 } ?? .never
    add(burst(.byebye, at: now, lanes: attachments.lanes))
  }

  // MARK: Leaving

  /// Byebye for everything that was announced (UDA-1.2.3-BB-SEND), then silence.
  mutating func leave(at now: Instant, restarts: Bool, into outbox: inout Outbox) {
    silence()
    phase = .leaving
    willRestart = restarts
    let lanes = attachments.lanes
    guard hasAnnounced, !lanes.isEmpty, !habits.contains(.neverByebye) else {
      depart(at: now, into: &outbox)
      return
    }
    add(burst(.byebye, at: now, lanes: lanes, sets: timing.byebyeRepeats, end: .depart))
  }

  /// Forgets everything that was to be sent.
  mutating func silence() {
    bursts = []
    answers.removeAll()
    (renewalDue, restartDue, spuriousDue) = (.never, .never, .never)
    phase = .off
  }

  private mutating func depart(at now: Instant, into outbox: inout Outbox) {
    if habits.contains(.lateAliveAfterByebye), hasAnnounced {
      add(burst(.alive, at: now + .milliseconds(300), lanes: attachments.lanes, limit: 1, end: .off))
    } else {
      turnOff(at: now, into: &outbox)
    }
  }

  private mutating func turnOff(at now: Instant, into outbox: inout Outbox) {
    phase = .off
    if willRestart {
      restartDue = now + timing.rebootPause
      return
    }
    for attachment in attachments {
      if attachment.address(false) != nil { outbox.leave(.ssdp(.v4), on: attachment.interface) }
      if attachment.address(true) != nil { outbox.leave(.ssdp(.v6), on: attachment.interface) }
    }
  }

  mutating func end(_ burst: Burst, at now: Instant, into outbox: inout Outbox) {
    switch burst.end {
    case .nothing: break
    case .adoptNextBootID:
      bootID = RootDevice.bootID(after: burst.bootID)
      add(
        self.burst(
          .alive, at: now + jitter.interval(in: timing.startJitter), lanes: burst.nextLanes, sets: timing.repeats))
    case .depart: depart(at: now, into: &outbox)
    case .off: turnOff(at: now, into: &outbox)
    }
  }

  // MARK: Sending

  /// Sends the next message of a burst; whether that was the last one.
  mutating func advanceBurst(_ index: Int, at now: Instant, into outbox: inout Outbox) -> Bool {
    if bursts[index].position == 0 { alternates.toggle() }
    let burst = bursts[index]
    for attachment in attachments.indices {
      if burst.lanes.contains(Lanes(attachment, isV6: false)) {
        announce(burst, attachment, isV6: false, at: now, into: &outbox)
      }
      if burst.lanes.contains(Lanes(attachment, isV6: true)) {
        announce(burst, attachment, isV6: true, at: now, into: &outbox)
      }
    }
    bursts[index].position += 1
    if bursts[index].position < bursts[index].limit {
      bursts[index].due = now + jitter.interval(in: timing.messageSpacing)
      return false
    }
    bursts[index].setsLeft -= 1
    bursts[index].position = 0
    bursts[index].due = now + jitter.interval(in: timing.setGap)
    return bursts[index].setsLeft <= 0
  }

  private mutating func announce(
    _ burst: Burst, _ index: Int, isV6: Bool, at now: Instant, into outbox: inout Outbox
  ) {
    let attachment = attachments[index]
    let count = attachment.announced(isV6)
    if burst.kind == .byebye, !burst.isForced, burst.position >= count { return }
    let advert = Int(blueprint.order[burst.position])
    guard let source = attachment.address(isV6) else { return }
    var fill = self.fill(Int(blueprint.owners[advert]), attachment, source, isV6: isV6, at: now)
    if burst.kind == .update { (fill.bootID, fill.nextBootID) = (burst.bootID, burst.nextBootID) }
    let payload = blueprint.write(blueprint.form(burst.kind, advert), to: outbox.payloads, fill)
    let from = Endpoint(source, port: blueprint.description.notifySourcePort)
    outbox.transmit(
      Datagram(
        source: from, destination: .ssdp(isV6: isV6),
        interface: attachment.interface, hopLimit: blueprint.description.multicastHopLimit, payload: payload))
    if let target = blueprint.behaviour.unicastTo, target.family == source.family {
      outbox.payloads.retain(payload)
      outbox.transmit(
        Datagram(
          source: from, destination: Endpoint(target, port: RootDevice.ssdpPort), interface: attachment.interface,
          hopLimit: 64, payload: payload))
    }
    guard burst.kind == .alive else { return }
    hasAnnounced = true
    if Int(count) <= burst.position { attachments[index].setAnnounced(UInt8(clamping: burst.position + 1), isV6) }
  }
}
