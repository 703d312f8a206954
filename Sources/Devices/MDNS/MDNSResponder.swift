package import RollcallPrimitives
package import RollcallWire

/// A host that has a name and offers services by multicast DNS (RFC 6762, RFC 6763): probes for its names, announces
/// what comes with them, answers, defends them, and says goodbye.
///
/// It knows each interface for itself and speaks there in every family that has an address. Its records are its own:
/// nothing that it hears is ever passed on. `appear`, `leave`, `vanish`, `crash`, `reboot` and `move` are what they
/// are for every inhabitant; `reconfigure` makes the next change of its plan.
package struct MDNSResponder: Machine, Sendable {
  /// More interfaces are ignored.
  static let linkCountMaximum = 16
  /// Sums of the messages that it sent last, by which it knows them where they come back over a bridge.
  static let ownSumCountMaximum = 8

  package let plan: MDNSPlan
  /// The host is the first one.
  var entities: [MDNSEntity] { didSet { interest = MDNSInterest(entities) } }
  private(set) var interest: MDNSInterest
  var links: [MDNSLink] = []
  /// Whether it is on the network.
  package private(set) var isOn = false
  private var restartDue = Instant.never
  private var changeCount = 0
  var probeDraws: RandomStream
  var answerDraws: RandomStream
  /// When the last conflicts were, at most as many as count.
  var conflicts: [Instant] = []
  /// Since too many conflicts, until a name is owned.
  var isLimited = false
  var ownSums: [UInt64] = []
  private var nextDeadline = Instant.never

  package init(_ plan: MDNSPlan, seed: Seed, name: String) {
    let plan = plan.quirky
    self.plan = plan
    let host = MDNSEntity(host: plan.host)
    entities = [host] + plan.services.map { MDNSEntity($0, host: host.name, plan.timing) }
    interest = MDNSInterest(entities)
    probeDraws = seed.stream(name + "/probes")
    answerDraws = seed.stream(name + "/answers")
  }

  /// What the host calls itself now.
  package var hostName: String { entities[0].name.description }

  /// The names of the services that somebody can find now, as an engine reports them.
  package var presentDevices: [String] {
    entities.indices.dropFirst().compactMap { index in
      guard isOn, !entities[index].isRemoved, links.contains(where: { $0.claims[index].phase == .owned }) else {
        return nil
      }
      return "peer:" + entities[index].name.description
    }
  }

  package var deadline: Instant? { nextDeadline == .never ? nil : nextDeadline }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram):
      guard isOn else { return }
      let isNews = hear(datagram, at: now, into: &outbox)
      // A thousand hosts hear what concerns one of them.
      if !isNews, now < nextDeadline { return }
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)): take(change, at: now, into: &outbox)
      case .application(.act(let act)): perform(act, at: now, into: &outbox)
      default: return
      }
    }
    settle(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard now >= nextDeadline else { return }
    settle(at: now, into: &outbox)
  }

  /// Does everything that is due, and finds out when the next thing is.
  private mutating func settle(at now: Instant, into outbox: inout Outbox) {
    if restartDue <= now { start(at: now, into: &outbox) }
    nextDeadline = restartDue
    for index in links.indices {
      while links[index].deadline <= now {
        probe(on: index, at: now, into: &outbox)
        answerAsked(on: index, at: now, into: &outbox)
        flush(index, at: now, into: &outbox)
      }
      nextDeadline = min(nextDeadline, links[index].deadline)
    }
  }

  // MARK: - The timeline

  /// Does what a timeline asks for, for an owner that has no timeline.
  package mutating func act(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    perform(act, at: now, into: &outbox)
    settle(at: now, into: &outbox)
  }

  /// Offers a service that is not in the plan.
  package mutating func offer(_ service: MDNSService, at now: Instant, into outbox: inout Outbox) {
    apply(.add(service), at: now, into: &outbox)
    settle(at: now, into: &outbox)
  }

  /// Says goodbye to a service, named as it was offered.
  package mutating func withdraw(
    _ instance: String, _ type: ServiceType, at now: Instant, into outbox: inout Outbox
  ) {
    if let entity = entity(instance, type) { remove(entity, into: &outbox) }
    settle(at: now, into: &outbox)
  }

  /// Gives a service another TXT record.
  package mutating func retext(
    _ instance: String, _ type: ServiceType, _ bytes: [UInt8], at now: Instant, into outbox: inout Outbox
  ) {
    if let entity = entity(instance, type) { setTXT(entity, bytes, at: now) }
    settle(at: now, into: &outbox)
  }

  private mutating func perform(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .appear: if !isOn { start(at: now, into: &outbox) }
    case .leave:
      leave(into: &outbox)
      restartDue = .never
    case .reboot:
      guard isOn else { return }
      leave(into: &outbox)
      restartDue = now + plan.timing.rebootPause
    case .vanish:
      silence()
      restartDue = .never
    case .crash(let downFor, _):
      silence()
      restartDue = now + max(downFor, .zero)
    case .reconfigure:
      guard changeCount < plan.changes.count else { return }
      changeCount += 1
      apply(plan.changes[changeCount - 1], at: now, into: &outbox)
    case .move(let interface, let address): move(interface, to: address, at: now, into: &outbox)
    case .relocate, .update, .rename, .send, .peer: break
    }
  }

  private mutating func start(at now: Instant, into outbox: inout Outbox) {
    (isOn, restartDue) = (true, .never)
    for index in links.indices { begin(index, at: now, into: &outbox) }
  }

  /// Joins the groups and probes for every name (RFC 6762 §8).
  private mutating func begin(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    guard isOn, !links[index].addresses.isEmpty else { return }
    join(index, into: &outbox)
    let due = nextAttempt(at: now)
    for entity in entities.indices where !entities[entity].isRemoved {
      links[index].claims[entity].phase = claim(from: due)
    }
  }

  private func join(_ index: Int, into outbox: inout Outbox) {
    for family in [IPAddress.Family.v4, .v6] where links[index].source(family) != nil {
      outbox.join(.mdns(family), on: links[index].interface)
    }
  }

  /// Says goodbye to everything that was announced, and is gone.
  private mutating func leave(into outbox: inout Outbox) {
    guard isOn else { return }
    for index in links.indices {
      sayGoodbye(Array(entities.indices), on: index, into: &outbox)
      for family in [IPAddress.Family.v4, .v6] where links[index].source(family) != nil {
        outbox.leave(.mdns(family), on: links[index].interface)
      }
    }
    silence()
  }

  private mutating func silence() {
    isOn = false
    for index in links.indices { links[index].forget(entities.count) }
  }

  // MARK: - Changes

  private mutating func apply(_ change: MDNSChange, at now: Instant, into outbox: inout Outbox) {
    switch change {
    case .add(let service):
      let entity = MDNSEntity(service, host: entities[0].name, plan.timing)
      let free = entities.firstIndex { $0.isRemoved } ?? entities.count
      if free == entities.count { entities.append(entity) } else { entities[free] = entity }
      let due = nextAttempt(at: now)
      for index in links.indices {
        if free == links[index].claims.count { links[index].claims.append(MDNSClaim()) }
        if isOn, !links[index].addresses.isEmpty { links[index].claims[free].phase = claim(from: due) }
      }
    case .remove(let instance):
      if let entity = entity(instance) { remove(entity, into: &outbox) }
    case .setTXT(let instance, let bytes):
      if let entity = entity(instance) { setTXT(entity, bytes, at: now) }
    }
  }

  private mutating func remove(_ entity: Int, into outbox: inout Outbox) {
    for index in links.indices {
      sayGoodbye([entity], on: index, into: &outbox)
      links[index].claims[entity] = MDNSClaim()
      links[index].pending.removeAll { $0.place.entity == entity }
    }
    entities[entity].isRemoved = true
    entities[entity].records = []
  }

  /// The same bytes are no news (RFC 6762 §8.4).
  private mutating func setTXT(_ entity: Int, _ bytes: [UInt8], at now: Instant) {
    guard entities[entity].service?.txt != bytes else { return }
    entities[entity].service?.txt = bytes.isEmpty ? [0] : bytes
    entities[entity].makeRecords(host: entities[0].name, plan.timing)
    for index in links.indices {
      announce(entity, [MDNSEntity.Place.text], times: plan.has(.changesOnce) ? 1 : nil, on: index, at: now)
    }
  }

  /// - Parameter type: `nil`: any type.
  private func entity(_ instance: String, _ type: ServiceType? = nil) -> Int? {
    entities.indices.first {
      !entities[$0].isRemoved && !entities[$0].isHost && entities[$0].label == Array(instance.utf8)
        && (type == nil || entities[$0].service?.type == type)
    }
  }

  private mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    var place = links.firstIndex { $0.interface == change.interface }
    if place == nil, links.count < MDNSResponder.linkCountMaximum {
      links.append(MDNSLink(change.interface))
      links[links.count - 1].forget(entities.count)
      place = links.count - 1
    }
    guard let index = place else { return }
    let before = links[index].addresses
    let addresses = (change.isUp ? change.addresses : []).filter { entry in
      !entry.address.isMulticast && plan.announcedAddresses.map { $0.contains(entry.address) } != false
    }
    guard before != addresses else { return }
    links[index].addresses = addresses
    makeHostRecords(index)
    if before.isEmpty {
      begin(index, at: now, into: &outbox)
    } else if addresses.isEmpty {
      links[index].forget(entities.count)
    } else if isOn {
      join(index, into: &outbox)
      announce(0, Array(links[index].hostRecords.indices.dropLast()), on: index, at: now)
    }
  }

  /// The new address is announced from itself; with its flush bit that ends the old one (RFC 6762 §8.4, §10.2).
  private mutating func move(
    _ interface: InterfaceID, to address: IPAddress, at now: Instant, into outbox: inout Outbox
  ) {
    guard let index = links.firstIndex(where: { $0.interface == interface }), !address.isMulticast else { return }
    outbox.readdress(address, on: interface)
    // While the interface is down there is nothing to announce; its system says the new address when it comes up.
    if links[index].addresses.isEmpty || links[index].addresses.contains(where: { $0.address == address }) { return }
    let isV6 = address.family == .v6
    if let old = links[index].addresses.firstIndex(where: { $0.address.family == address.family }) {
      links[index].addresses[old].address = address
    } else {
      links[index].addresses.append(InterfaceAddress(address, prefixBits: isV6 ? 64 : 24))
      if isOn { outbox.join(.mdns(address.family), on: interface) }
    }
    makeHostRecords(index)
    announce(0, Array(links[index].hostRecords.indices.dropLast()), on: index, at: now)
  }

  mutating func makeHostRecords(_ index: Int) {
    links[index].hostRecords = entities[0].hostRecords(links[index].addresses.map(\.address), plan.timing)
    // What is said of a place in the list holds for the addresses that stood there.
    links[index].claims[0].sentAt = []
  }
}

extension MDNSLink {
  /// Owns nothing, and has nothing to say.
  mutating func forget(_ count: Int) {
    claims = Array(repeating: MDNSClaim(), count: count)
    (pending, asked) = ([], [])
  }
}
