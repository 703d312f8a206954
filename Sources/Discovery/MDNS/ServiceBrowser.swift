package import RollcallPrimitives
package import RollcallWire

/// Finds services by multicast DNS (RFC 6762, RFC 6763): asks for their types, keeps what is said as long as it holds,
/// asks for what is missing, and tells what came, changed and went.
///
/// A service is there while some interface has its PTR, SRV and TXT records and an address of its host. Only records
/// that lead to a service of a browsed type are kept, so that a stranger's names take no memory; bounds hold for the
/// rest. `takeEvents` hands over what there is to tell. An interface that nobody told of but that carries datagrams
/// counts as up, without an address to ask from.
package struct ServiceBrowser: Machine, Sendable {
  /// More interfaces are ignored.
  static let linkCountMaximum = 16

  struct Link: Sendable {
    var interface: InterfaceID
    var isUp = true
    var addresses: [InterfaceAddress] = []
    /// The families of the groups that were joined.
    var joined: [IPAddress.Family] = []
    /// Queries of others that came just now.
    var queries: [RecentQuery] = []
  }

  /// A query of somebody else, by what its bytes are: a host of both families sends each of its own by both.
  struct RecentQuery: Sendable {
    static let countMaximum = 16
    /// From one copy to that of the other family, less than that.
    static let copyTime = Interval.milliseconds(10)

    var hash: UInt64
    var family: IPAddress.Family
    var at: Instant
  }

  package private(set) var policy: BrowserPolicy
  let faults: ServiceFaults
  private(set) var browses = BrowseTable()
  var links: [Link] = []
  var cache = RecordCache()
  var series = SeriesTable()
  var services = ServiceTable()
  var draws: RandomStream
  var events: [ServiceEvent] = []

  package init(
    _ types: [ServiceType] = [], policy: BrowserPolicy = BrowserPolicy(), seed: Seed, name: String,
    faults: ServiceFaults = []
  ) {
    (self.policy, self.faults) = (policy, faults)
    draws = seed.stream(name + "/queries")
    for type in types { _ = browses.insert(BrowsedType(type)) }
  }

  /// Records in the cache.
  package var recordCount: Int { cache.count }
  /// Questions that are asked until they are answered, or as long as somebody browses.
  package var questionCount: Int { series.count }
  /// The services that are there now, in the order of the wire forms of their names.
  package var present: [FoundService] { services.present }

  package mutating func takeEvents() -> [ServiceEvent] {
    defer { events = [] }
    return events
  }

  package var deadline: Instant? {
    let next = min(cache.deadline, series.deadline)
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    wake(at: now, into: &outbox)
    switch signal {
    case .datagram(let datagram):
      if let reason = hear(datagram, at: now, outbox.payloads) { outbox.report(.rejected(reason)) }
    case .value(let id):
      switch outbox.values[id] {
      case .host(.interface(let change)): take(change, at: now, into: &outbox)
      case .application(.browse(let browse)): take(browse, at: now, into: &outbox)
      case .application(.stopBrowsing(let browse)): end(browse, at: now, into: &outbox)
      case .application(.stop): stop(at: now, into: &outbox)
      default: return
      }
    }
  }

  /// At one instant everything that ends is gone before it is looked at what that makes of a service, and before anything
  /// is asked: a host whose addresses end together does not move from one to the other first.
  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let next = deadline, next <= now {
      var questions: [[Asked]] = Array(repeating: [], count: links.count)
      var touched = TouchedServices()
      while let slot = cache.next, cache.deadline <= next { age(slot, at: next, &questions, &touched) }
      evaluate(touched, at: next)
      while let slot = series.next, series.deadline <= next { ask(slot, at: next, &questions) }
      for link in links.indices { send(questions[link], on: link, at: next, into: &outbox) }
    }
  }

  /// Asks nothing from now on: it only listens. Before the first signal.
  package mutating func onlyListen() { policy.asks = false }

  // MARK: - What is browsed

  /// Browses for these from the start; before the first signal.
  package mutating func begin(with list: [ServiceBrowse]) {
    for one in list {
      switch one {
      case .everything: browses.includesEverything = true
      case .type(let text): if let type = browsed(text) { _ = browses.insert(type) }
      }
    }
  }

  private func browsed(_ text: String) -> BrowsedType? {
    guard let browse = BrowsedType(text), faults.contains(.subtypesIgnored) else { return BrowsedType(text) }
    return (try? ServiceType(browse.type)).map { BrowsedType($0) }
  }

  private mutating func take(_ browse: ServiceBrowse, at now: Instant, into outbox: inout Outbox) {
    switch browse {
    case .type(let text):
      guard let type = browsed(text) else {
        return outbox.report(
          .failed(
            Failure(
              reason: .invalidBrowse,
              explanation: "\(text) is no type of service: it looks like _http._tcp, or _printer._sub._http._tcp.")))
      }
      self.browse(type, at: now)
    case .everything:
      guard !browses.includesEverything else { return }
      browses.includesEverything = true
      for link in links.indices { begin(ServiceType.enumerationName, on: link, at: now) }
    }
    updateMemberships(into: &outbox)
  }

  private mutating func browse(_ type: BrowsedType, at now: Instant) {
    guard browses.insert(type) else { return }
    for link in links.indices { begin(type.name, on: link, at: now) }
  }

  private mutating func end(_ browse: ServiceBrowse, at now: Instant, into outbox: inout Outbox) {
    switch browse {
    case .type(let text):
      guard let type = browsed(text), browses[type.name] != nil else { return }
      browses.setFound(type.name)
      if !browses.includesEverything || type.name != type.type { forget(type.name, at: now) } else { retire(type.name) }
    case .everything:
      guard browses.includesEverything else { return }
      browses.includesEverything = false
      forgetPointers(ServiceType.enumerationName, at: now)
      for found in browses.all where found.isFound { forget(found.name, at: now) }
    }
    updateMemberships(into: &outbox)
  }

  private mutating func forget(_ name: DNSName, at now: Instant) {
    browses.remove(name)
    forgetPointers(name, at: now)
  }

  private mutating func forgetPointers(_ name: DNSName, at now: Instant) {
    for link in links.indices {
      let key = RecordCache.Key(link: link, name: name, type: .ptr)
      series.remove(key)
      for slot in cache.slots(key) { drop(slot, .stopped, at: now) }
    }
  }

  /// A type is listed, or somebody has an instance of it, while every type is browsed.
  /// - Returns: whether it is browsed; not where there are too many types.
  mutating func discover(_ type: ServiceType, at now: Instant) -> Bool {
    if browses[type.domainName] != nil { return true }
    guard browses.foundCount < policy.typesMaximum else { return false }
    var found = BrowsedType(type)
    found.isFound = true
    browse(found, at: now)
    return true
  }

  /// A type that was heard of is not browsed once nobody says that there is one.
  mutating func retire(_ name: DNSName) {
    guard let browse = browses[name], browse.isFound else { return }
    let listing = DNSRecord(ServiceType.enumerationName, .ptr(name), ttlSeconds: 0)
    for link in links.indices {
      if cache.slot(link, listing) != nil { return }
      if !cache.slots(RecordCache.Key(link: link, name: name, type: .ptr)).isEmpty { return }
    }
    browses.remove(name)
    for link in links.indices { series.remove(RecordCache.Key(link: link, name: name, type: .ptr)) }
  }

  private mutating func begin(_ name: DNSName, on link: Int, at now: Instant) {
    guard policy.asks, !links[link].addresses.isEmpty else { return }
    series.insert(
      QuerySeries(
        key: RecordCache.Key(link: link, name: name, type: .ptr), due: now + draws.interval(in: policy.queryDelay),
        interval: policy.queryInterval, wantsUnicast: true))
  }

  private mutating func stop(at now: Instant, into outbox: inout Outbox) {
    for link in links.indices { clear(link, .stopped, at: now) }
    browses = BrowseTable()
    updateMemberships(into: &outbox)
    links = []
  }

  // MARK: - Interfaces

  /// The place of an interface, new if need be; `nil`: there is no room for one more.
  mutating func place(of interface: InterfaceID) -> Int? {
    if let place = links.firstIndex(where: { $0.interface == interface }) { return place }
    guard links.count < ServiceBrowser.linkCountMaximum else { return nil }
    links.append(Link(interface: interface))
    return links.count - 1
  }

  private mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    guard let link = place(of: change.interface) else { return }
    let before = links[link].addresses
    links[link].addresses = change.isUp ? change.addresses.filter { !$0.address.isMulticast } : []
    links[link].isUp = !links[link].addresses.isEmpty
    // An interface that is gone takes its memberships with it.
    if !change.isUp { links[link].joined = [] }
    updateMemberships(into: &outbox)
    let addresses = links[link].addresses
    // A record says of no family that it was heard by it, so what is known goes when one of the families has moved.
    let hasMoved = before.haveMoved(to: addresses, .v4) || before.haveMoved(to: addresses, .v6)
    if !links[link].isUp || hasMoved {
      if faults.contains(.interfaceDownIgnored) { return }
      clear(link, .interface, at: now)
    }
    guard links[link].isUp, before.isEmpty || hasMoved else { return }
    if browses.includesEverything { begin(ServiceType.enumerationName, on: link, at: now) }
    for browse in browses.all { begin(browse.name, on: link, at: now) }
  }

  /// The groups of every family that has an address, on each interface, while anything is browsed.
  private mutating func updateMemberships(into outbox: inout Outbox) {
    for link in links.indices {
      for family in [IPAddress.Family.v4, .v6] {
        let isWanted = !browses.isEmpty && links[link].addresses.source(family) != nil
        let place = links[link].joined.firstIndex(of: family)
        if isWanted, place == nil {
          links[link].joined.append(family)
          outbox.join(.mdns(family), on: links[link].interface)
        } else if !isWanted, let place {
          links[link].joined.remove(at: place)
          outbox.leave(.mdns(family), on: links[link].interface)
        }
      }
    }
  }

  /// Nothing of a link that is lost holds any more (RFC 6762 §10.3).
  private mutating func clear(_ link: Int, _ cause: LossCause, at now: Instant) {
    series.removeAll(onLink: link)
    // Those that lead to others first, so that nothing is asked for in between.
    let slots = cache.slots(onLink: link)
    for slot in slots where cache[slot]?.record.type == .ptr { drop(slot, cause, at: now) }
    for slot in slots { drop(slot, cause, at: now) }
    series.removeAll(onLink: link)
  }

  /// What should hold between two calls and does not, for tests.
  package var brokenInvariants: [String] {
    var broken = cache.brokenInvariants + services.brokenInvariants
    if browses.foundCount != browses.all.count(where: \.isFound) { broken.append("types that were found, miscounted") }
    if !policy.asks, series.count > 0 { broken.append("\(series.count) questions of a browser that only listens") }
    return broken
  }
}
