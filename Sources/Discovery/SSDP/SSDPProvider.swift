import RollcallPrimitives
import RollcallWire

/// Finds UPnP root devices: a control point that hears and searches, and a table of what it heard, as long as it holds.
struct SSDPProvider: Provider {
  private(set) var table: LeaseTable
  private(set) var controlPoint: ControlPoint

  static var id: ProviderID { .ssdp }

  init(_ configuration: EngineConfiguration) {
    let intake = SSDPIntake(
      configuration.mode == .strict ? .strict : .lenient, messagesMaximum: configuration.messagesRememberedMaximum)
    table = LeaseTable(configuration, intake)
    controlPoint = ControlPoint(configuration, intake)
  }

  /// Notes which devices announce something else than before, from now on.
  mutating func noteTypes() { table.notesTypes = true }
  var hasOtherTypes: Bool { !table.otherTypes.isEmpty }
  /// Notes all devices as if each announced something else than before.
  mutating func noteAllTypes() { table.noteAllTypes() }
  /// See `LeaseTable`.
  mutating func takeOtherTypes(
    next: (_ device: String, _ type: String, _ owner: String) -> Bool,
    all: (_ device: String, [(owner: String, type: String)]) -> Void
  ) {
    table.takeOtherTypes(next: next, all: all)
  }

  /// See `ControlPoint`.
  mutating func searchesByHand(answeredBy datagram: Datagram, in payloads: PayloadStore) -> [SearchID] {
    controlPoint.searchesByHand(answeredBy: datagram, &table, in: payloads)
  }

  var deadline: Instant { min(table.leaseDeadlines.firstKey, controlPoint.nextTimer) }

  /// At one instant leases end before searches.
  @inline(__always)
  mutating func advance(to now: Instant, _ directory: inout Directory, into outbox: inout Outbox) {
    table.forgetEnded(upTo: now)
    while deadline <= now {
      let (lease, search) = (table.leaseDeadlines.firstKey, controlPoint.nextTimer)
      if lease == .never, search == .never { return }
      if lease <= search {
        table.expire(upTo: lease, into: &directory)
        directory.report(into: &outbox)
      } else {
        controlPoint.fire(upTo: search, &table, into: &outbox)
      }
    }
  }

  @inline(__always)
  mutating func receive(
    _ datagram: Datagram, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    table.counters.datagrams += 1
    let rejection =
      controlPoint.isOn(.readsOneKilobyte)
      ? receiveCut(datagram, at: now, &directory, into: &outbox)
      : controlPoint.receive(datagram, into: &table, &directory, at: now, reporting: &outbox)
    directory.report(into: &outbox)
    if let rejection {
      table.counters.count(rejection.reason)
      outbox.report(.rejected(rejection))
    }
  }

  /// A planted fault: there is room for so many bytes of a datagram, and the rest is gone.
  private mutating func receiveCut(
    _ datagram: Datagram, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) -> Rejection? {
    let payloads = outbox.payloads
    var cut = datagram
    cut.payload = payloads.store(
      UnsafeRawBufferPointer(rebasing: payloads.bytes(of: datagram.payload).prefix(1_024)))
    let rejection = controlPoint.receive(cut, into: &table, &directory, at: now, reporting: &outbox)
    payloads.release(cut.payload)
    return rejection
  }

  mutating func receive(
    _ value: SignalValue, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    switch value {
    case .host(.interface(let change)): take(change, at: now, &directory, into: &outbox)
    case .host(.refused(let refusal)): take(refusal, at: now, into: &outbox)
    case .application(let command): take(command, at: now, &directory, into: &outbox)
    default: break
    }
  }

  // MARK: The host

  private mutating func take(
    _ change: InterfaceChange, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    guard let slot = table.interfaces.add(change.interface) else { return }
    let before = table.interfaces.all[slot]
    table.interfaces.update(slot, isUp: change.isUp, addresses: change.isUp ? change.addresses : [])
    for family in [IPAddress.Family.v4, .v6] {
      let group = Endpoint.ssdp(family)
      let hasJoined = table.interfaces.hasJoined(slot, family)
      let isThere = table.interfaces.all[slot].addresses.source(family) != nil
      if isThere, !hasJoined { outbox.join(group, on: change.interface) }
      // An interface that is gone takes its memberships with it.
      if !isThere, hasJoined, change.isUp { outbox.leave(group, on: change.interface) }
      table.interfaces.setJoined(slot, family, isThere)
      let isGone = !change.isUp || !isThere && before.addresses.source(family) != nil
      // On another network nobody is reached who was heard on the one before, though the link was never down.
      let hasMoved = before.addresses.haveMoved(to: table.interfaces.all[slot].addresses, family)
      if isGone || hasMoved, !controlPoint.isOn(.interfaceDownIgnored) {
        table.endPath(InterfaceTable.path(slot, family), at: now, into: &directory)
        directory.report(into: &outbox)
      }
    }
  }

  private mutating func take(_ refusal: Refusal, at now: Instant, into outbox: inout Outbox) {
    switch refusal.deed {
    case .send: controlPoint.refused(refusal, table, at: now, into: &outbox)
    case .join:
      if controlPoint.isOn(.joinFailureSilent) { return }
      // Other providers join groups, too, and leave it to this one to tell of them.
      let isOwn = refusal.address == Endpoint.ssdp(refusal.address.family).address
      let heard =
        isOwn
        ? "devices there are heard only while a search runs"
        : "services there are heard only where they answer this program alone"
      let explanation =
        "Joining \(refusal.address) on this interface was refused, so \(heard): see whether this program may use "
        + "multicast (Apple systems ask for an entitlement), whether a firewall forbids it, and whether the interface "
        + "can multicast."
      outbox.report(
        .failed(Failure(reason: .cannotJoin, interface: refusal.interface, explanation: explanation)))
    }
  }

  // MARK: The application

  private mutating func take(
    _ command: Command, at now: Instant, _ directory: inout Directory, into outbox: inout Outbox
  ) {
    switch command {
    case .search(let search): controlPoint.search(search, &table, at: now, into: &outbox)
    case .adopt(let search, let socket): controlPoint.adopt(search, copyAt: socket, at: now, into: &outbox)
    case .stopSearch(let id): controlPoint.stopSearch(id, into: &outbox)
    case .hold(let name):
      let device = table.device(named: name)
      if device != none { table.hold(device) }
    case .release(let name):
      let device = table.device(named: name)
      if device != none { table.release(device) }
    case .stop: stop(at: now, &directory, into: &outbox)
    case .reconfirm, .stopDescriptions, .peripheral, .browse, .stopBrowsing, .manager, .act: break
    }
  }

  /// Searches end as stopped, devices are lost, groups are left.
  private mutating func stop(at now: Instant, _ directory: inout Directory, into outbox: inout Outbox) {
    controlPoint.stop(into: &outbox)
    table.stop(at: now, into: &directory)
    directory.report(into: &outbox)
    for slot in table.interfaces.all.indices {
      for family in [IPAddress.Family.v4, .v6] where table.interfaces.hasJoined(slot, family) {
        outbox.leave(.ssdp(family), on: table.interfaces.all[slot].id)
      }
    }
  }

  func brokenInvariants(devicesInDirectory: Int) -> [String] {
    var broken = table.brokenInvariants()
    let present = table.counters.devicesPresent
    if devicesInDirectory != present {
      broken.append("\(present) devices are present, \(devicesInDirectory) in the directory")
    }
    return broken
  }
}
