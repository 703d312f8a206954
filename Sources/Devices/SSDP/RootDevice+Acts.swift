import RollcallPrimitives
import RollcallWire

// What the timeline asks, and what interfaces do.

extension RootDevice {
  mutating func perform(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .appear:
      guard phase != .on else { return }
      silence()
      start(at: now, into: &outbox)
    case .leave:
      if phase == .on {
        leave(at: now, restarts: false, into: &outbox)
      } else {
        (willRestart, restartDue) = (false, .never)
      }
    case .reboot: if phase == .on { leave(at: now, restarts: true, into: &outbox) }
    case .vanish:
      if !descriptionHosts.isEmpty { descriptionHosts[0].isMute = true }
      silence()
    case .crash(let downFor, let keepsState):
      silence()
      lostState = !keepsState
      restartDue = now + max(downFor, .zero)
    case .move(let interface, let address): move(interface, to: address, at: now, into: &outbox)
    case .relocate(let port):
      self.port = port
      announceAnew(at: now)
    case .rename(let name):
      setFriendlyName(name)
      perform(.reconfigure, at: now, into: &outbox)
    case .reconfigure:
      // UDA-1.2.2-CFG-RANGE: the device's own numbers have 24 bits.
      if !habits.contains(.configIDKept) { configID = configID >= 0xFF_FFFF ? 0 : configID + 1 }
      announceAnew(at: now)
    case .update:
      guard phase == .on else { return }
      if blueprint.sendsUpdates {
        update(attachments.lanes, thenGreet: attachments.lanes, at: now)
      } else {
        announceAnew(at: now)
      }
    case .send, .peer: break
    }
  }

  private mutating func announceAnew(at now: Instant) {
    guard phase == .on else { return }
    add(
      burst(
        .alive, at: now + jitter.interval(in: timing.startJitter), lanes: attachments.lanes, sets: timing.repeats))
  }

  /// Revokes what the old address announced, takes the new one, and announces everything from there
  /// (UDA-1-IPCHANGE-REVOKE, UDA-1-IPCHANGE-ANNOUNCE).
  private mutating func move(
    _ interface: InterfaceID, to address: IPAddress, at now: Instant, into outbox: inout Outbox
  ) {
    guard let index = attachments.index(of: interface), !address.isMulticast else { return }
    let isV6 = address.family == .v6
    let lane = Lanes(index, isV6: isV6)
    let old = attachments[index].address(isV6)
    guard phase == .on, attachments[index].isUp, old != address else {
      if old != address { attachments[index].setAddress(address) }
      outbox.readdress(address, on: interface)
      return
    }
    for burst in bursts.indices { bursts[burst].lanes.remove(lane) }
    let abandons = habits.contains(.abandonsOldAddress)
    if old != nil, !abandons, !habits.contains(.neverByebye) {
      // All at once: the address is about to be gone.
      var byebye = burst(.byebye, at: now, lanes: lane)
      bursts.append(byebye)
      while byebye.position < byebye.limit {
        _ = advanceBurst(bursts.count - 1, at: now, into: &outbox)
        byebye.position += 1
      }
      bursts.removeLast()
    }
    outbox.readdress(address, on: interface)
    let wasAnnounced = hasAnnounced
    attachments[index].setAddress(address)
    attachments[index].setAnnounced(0, isV6)
    if old == nil { outbox.join(.ssdp(isV6: isV6), on: interface) }
    if abandons, wasAnnounced { add(burst(.byebye, at: now + .milliseconds(10), lanes: lane, isForced: true)) }
    greet(lane, at: abandons ? now + .seconds(1) : now)
  }

  mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    var next = Attachment(change)
    guard let index = attachments.index(of: change.interface) else {
      guard attachments.count < Lanes.attachmentCountMaximum else { return }
      attachments.append(next)
      appear(on: [next].lanes.isEmpty ? Lanes() : attachments.lanes(of: attachments.count - 1), at: now, into: &outbox)
      return
    }
    let old = attachments[index]
    var (gained, changed, lost) = (Lanes(), Lanes(), Lanes())
    for isV6 in [false, true] {
      let lane = Lanes(index, isV6: isV6)
      switch (old.address(isV6), next.address(isV6)) {
      case (.none, .none): break
      case (.none, .some): gained.insert(lane)
      case (.some, .none):
        lost.insert(lane)
        answers.removeAll(attachment: index, isV6: isV6)
      case (.some(let before), .some(let after)):
        if before == after { next.setAnnounced(old.announced(isV6), isV6) } else { changed.insert(lane) }
      }
    }
    attachments[index] = next
    for burst in bursts.indices { bursts[burst].lanes.subtract(lost) }
    guard phase == .on else { return }
    if !lost.isEmpty, habits.contains(.crossByebye) { add(burst(.byebye, at: now, lanes: attachments.lanes)) }
    if !changed.isEmpty {
      for burst in bursts.indices { bursts[burst].lanes.subtract(changed) }
      // The old address is gone already; what it announced can only be revoked from the new one.
      if hasAnnounced, !habits.contains(.neverByebye) {
        add(burst(.byebye, at: now, lanes: changed, isForced: true))
        greet(changed, at: now + timing.messageSpacing.upperBound * Int64(blueprint.order.count) + .milliseconds(20))
      } else {
        greet(changed, at: now)
      }
    }
    appear(on: gained, at: now, into: &outbox)
  }

  /// Joins the groups on new lanes and announces there.
  private mutating func appear(on lanes: Lanes, at now: Instant, into outbox: inout Outbox) {
    guard phase == .on, !lanes.isEmpty else { return }
    for index in attachments.indices {
      let interface = attachments[index].interface
      if lanes.contains(Lanes(index, isV6: false)) { outbox.join(.ssdp(.v4), on: interface) }
      if lanes.contains(Lanes(index, isV6: true)) { outbox.join(.ssdp(.v6), on: interface) }
    }
    greet(lanes, at: now)
  }

  /// A full set on new lanes, under a new BOOTID if the device was announced before; the other lanes hear of that
  /// BOOTID first (UDA-1.2.2-BOOT-GROW, UDA-1.2.4-UPD-WHEN, UDA-1.2.4-UPD-BEFORE).
  private mutating func greet(_ lanes: Lanes, at moment: Instant) {
    let others = attachments.announcedLanes.subtracting(lanes)
    if hasAnnounced, blueprint.sendsUpdates, !habits.contains(.noUpdate) {
      if !others.isEmpty {
        update(others, thenGreet: lanes, at: moment)
        return
      }
      if !habits.contains(.bootIDNotIncreased) { bootID = RootDevice.bootID(after: bootID) }
    }
    add(
      burst(
        .alive, at: moment + jitter.interval(in: timing.startJitter), lanes: lanes, sets: timing.repeats))
  }

  private mutating func update(_ lanes: Lanes, thenGreet nextLanes: Lanes, at moment: Instant) {
    if let running = bursts.firstIndex(where: { $0.end == .adoptNextBootID }) {
      // One new BOOTID is enough for everything that comes until it is in force.
      bursts[running].nextLanes.formUnion(nextLanes)
      return
    }
    let next = RootDevice.bootID(after: bootID)
    let announced = habits.contains(.nextBootIDLies) ? RootDevice.bootID(after: next) : next
    var update = burst(.update, at: moment, lanes: lanes, end: .adoptNextBootID)
    update.nextBootID = announced
    update.nextLanes = nextLanes
    if habits.contains(.updateAfterAlive) {
      update.end = .nothing
      update.due = moment + timing.startJitter.upperBound + .seconds(1)
      bootID = next
      add(
        burst(
          .alive, at: moment + jitter.interval(in: timing.startJitter), lanes: nextLanes, sets: timing.repeats))
    }
    add(update)
  }
}

extension [Attachment] {
  func lanes(of index: Int) -> Lanes {
    var lanes = Lanes()
    if self[index].address(false) != nil { lanes.insert(Lanes(index, isV6: false)) }
    if self[index].address(true) != nil { lanes.insert(Lanes(index, isV6: true)) }
    return lanes
  }

  /// Where something was announced that still stands.
  var announcedLanes: Lanes {
    var lanes = lanes
    for index in indices {
      if self[index].announced4 == 0 { lanes.remove(Lanes(index, isV6: false)) }
      if self[index].announced6 == 0 { lanes.remove(Lanes(index, isV6: true)) }
    }
    return lanes
  }
}
