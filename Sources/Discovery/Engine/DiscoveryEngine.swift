package import RollcallPrimitives
package import RollcallWire

/// The engine that finds and loses devices.
///
/// Providers turn signals into sightings, the registry turns sightings into devices and reports; today the one
/// provider is SSDP. A value: same configuration, same signals, same instants, same effects, in every process.
/// Everything that is due at or before `now` happens before a signal is looked at, so effects come in order of time
/// and a message at the very end of a lease finds the device gone.
package struct DiscoveryEngine: Machine {
  private(set) var registry: Registry
  private var controlPoint: ControlPoint
  private var isStopped = false

  package init(_ configuration: EngineConfiguration = EngineConfiguration()) {
    let intake = SSDPIntake(
      configuration.mode == .strict ? .strict : .lenient, messagesMaximum: configuration.messagesRememberedMaximum)
    registry = Registry(configuration, intake)
    controlPoint = ControlPoint(configuration, intake)
  }

  package var configuration: EngineConfiguration { registry.configuration }
  package var counters: EngineCounters { registry.counters }
  /// Where the engine's messages are read; a driver that wants to know them as well need not read them again.
  package var intake: SSDPIntake { controlPoint.intake }
  /// Searches that are open, adopted ones included.
  package var openSearchCount: Int { controlPoint.sessions.count }

  package var deadline: Instant? {
    let next = min(registry.leaseDeadlines.firstKey, controlPoint.nextTimer)
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    advance(to: now, into: &outbox)
    guard !isStopped else { return }
    switch signal {
    case .datagram(let datagram):
      registry.counters.datagrams += 1
      let rejection = controlPoint.receive(datagram, into: &registry, at: now, reporting: &outbox)
      if let rejection {
        registry.counters.count(rejection.reason)
        outbox.report(.rejected(rejection))
      }
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)): take(change, at: now, into: &outbox)
      case .host(.refused(let refusal)): take(refusal, at: now, into: &outbox)
      case .application(let command): take(command, at: now, into: &outbox)
      default: break
      }
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) { advance(to: now, into: &outbox) }

  /// Does what is due, in order of time; at one instant leases end before searches.
  @inline(__always) private mutating func advance(to now: Instant, into outbox: inout Outbox) {
    registry.forgetEnded(upTo: now)
    while min(registry.leaseDeadlines.firstKey, controlPoint.nextTimer) <= now {
      let (lease, search) = (registry.leaseDeadlines.firstKey, controlPoint.nextTimer)
      if lease == .never, search == .never { return }
      if lease <= search {
        registry.expire(upTo: lease, into: &outbox)
      } else {
        controlPoint.fire(upTo: search, &registry, into: &outbox)
      }
    }
  }

  // MARK: The host

  private mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    guard let slot = registry.interfaces.add(change.interface) else { return }
    let before = registry.interfaces.all[slot]
    registry.interfaces.update(slot, isUp: change.isUp, addresses: change.isUp ? change.addresses : [])
    for family in [IPAddress.Family.v4, .v6] {
      let group = Endpoint.ssdp(family)
      let hasJoined = registry.interfaces.hasJoined(slot, family)
      let isThere = registry.interfaces.all[slot].address(family) != nil
      if isThere, !hasJoined { outbox.join(group, on: change.interface) }
      // An interface that is gone takes its memberships with it.
      if !isThere, hasJoined, change.isUp { outbox.leave(group, on: change.interface) }
      registry.interfaces.setJoined(slot, family, isThere)
      if !change.isUp || !isThere && before.address(family) != nil, !controlPoint.isOn(.interfaceDownIgnored) {
        registry.endPath(InterfaceTable.path(slot, family), at: now, into: &outbox)
      }
    }
  }

  private mutating func take(_ refusal: Refusal, at now: Instant, into outbox: inout Outbox) {
    switch refusal.deed {
    case .send: controlPoint.refused(refusal, registry, at: now, into: &outbox)
    case .join:
      if controlPoint.isOn(.joinFailureSilent) { return }
      let explanation =
        "Joining \(refusal.address) on interface \(refusal.interface.number) was refused, so devices there are heard "
        + "only while a search runs: see whether this program may use multicast (Apple systems ask for an "
        + "entitlement), whether a firewall forbids it, and whether the interface can multicast."
      outbox.report(
        .failed(Failure(reason: .cannotJoin, interface: refusal.interface, explanation: explanation)))
    }
  }

  // MARK: The application

  private mutating func take(_ command: Command, at now: Instant, into outbox: inout Outbox) {
    switch command {
    case .search(let search): controlPoint.search(search, &registry, at: now, into: &outbox)
    case .adopt(let search, let socket): controlPoint.adopt(search, copyAt: socket, at: now, into: &outbox)
    case .stopSearch(let id): controlPoint.stopSearch(id, into: &outbox)
    case .hold(let name):
      let device = registry.device(named: name)
      if device != none { registry.hold(device) }
    case .release(let name):
      let device = registry.device(named: name)
      if device != none { registry.release(device) }
    case .stop: stop(at: now, into: &outbox)
    case .act: break
    }
  }

  /// Searches end as stopped, devices are lost, groups are left; after that the engine hears nothing any more.
  private mutating func stop(at now: Instant, into outbox: inout Outbox) {
    controlPoint.stop(into: &outbox)
    registry.stop(at: now, into: &outbox)
    for slot in registry.interfaces.all.indices {
      for family in [IPAddress.Family.v4, .v6] where registry.interfaces.hasJoined(slot, family) {
        outbox.leave(.ssdp(family), on: registry.interfaces.all[slot].id)
      }
    }
    isStopped = true
  }
}

extension DiscoveryEngine {
  /// What should hold between two calls and does not: for tests and fuzzing, since it looks at everything.
  package var brokenInvariants: [String] { registry.brokenInvariants() }

  /// How many places each kind of record takes, used or waiting to be used again: for tests of what is kept.
  package var recordCounts: [Int] {
    [
      registry.leases.count, registry.devices.count, registry.parts.count, registry.histories.count,
      registry.uuids.capacity, registry.targets.capacity, registry.locations.capacity, registry.sources.records.count,
    ]
  }
}
