package import RollcallPrimitives
package import RollcallWire

/// Finds services by multicast DNS (RFC 6762, RFC 6763): asks for their types, keeps what is said as long as it holds,
/// asks for what is missing, and tells what came, changed and went.
///
/// A service is there while some interface has its PTR, SRV and TXT records and an address of its host. Only records
/// that lead to a service of a browsed type are kept, so that a stranger's names take no memory; bounds hold for the
/// rest. `takeEvents` hands over what there is to tell.
package struct ServiceBrowser: Machine, Sendable {
  /// More interfaces are ignored.
  static let linkCountMaximum = 16

  struct Link: Sendable {
    var interface: InterfaceID
    var addresses: [InterfaceAddress] = []
  }

  /// What is asked for, and the type that its instances have: `_color._sub._http._tcp.local`, `_http._tcp.local`.
  struct Browse: Sendable {
    var name: DNSName
    var type: DNSName
  }

  package let policy: BrowserPolicy
  private(set) var browses: [Browse] = []
  var links: [Link] = []
  var cache = RecordCache()
  var series = SeriesTable()
  var services = ServiceTable()
  var draws: RandomStream
  var events: [ServiceEvent] = []

  package init(_ types: [ServiceType] = [], policy: BrowserPolicy = BrowserPolicy(), seed: Seed, name: String) {
    self.policy = policy
    draws = seed.stream(name + "/queries")
    for type in types { browses.append(Browse(name: type.domainName, type: type.domainName)) }
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
      case .application(.stop): stop(at: now, into: &outbox)
      default: return
      }
    }
  }

  /// At one instant what ends is gone before anything is asked.
  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let next = deadline, next <= now {
      var questions: [[Asked]] = Array(repeating: [], count: links.count)
      while let slot = cache.next, cache.deadline <= next { age(slot, at: next, &questions) }
      while let slot = series.next, series.deadline <= next { ask(slot, at: next, &questions) }
      for link in links.indices { send(questions[link], on: link, at: next, into: &outbox) }
    }
  }

  // MARK: - What is browsed

  package mutating func browse(_ type: ServiceType, subtype: String? = nil, at now: Instant) {
    let name = subtype.flatMap { try? type.name(ofSubtype: Array($0.utf8)) } ?? type.domainName
    guard !browses.contains(where: { $0.name == name }) else { return }
    browses.append(Browse(name: name, type: type.domainName))
    for link in links.indices where !links[link].addresses.isEmpty { begin(name, on: link, at: now) }
  }

  package mutating func stopBrowsing(_ type: ServiceType, subtype: String? = nil, at now: Instant) {
    let name = subtype.flatMap { try? type.name(ofSubtype: Array($0.utf8)) } ?? type.domainName
    browses.removeAll { $0.name == name }
    for link in links.indices {
      let key = RecordCache.Key(link: link, name: name, type: .ptr)
      series.remove(key)
      for slot in cache.slots(key) { drop(slot, .stopped, at: now) }
    }
  }

  private mutating func begin(_ name: DNSName, on link: Int, at now: Instant) {
    series.insert(
      QuerySeries(
        key: RecordCache.Key(link: link, name: name, type: .ptr), due: now + draws.interval(in: policy.queryDelay),
        interval: policy.queryInterval, wantsUnicast: true))
  }

  private mutating func stop(at now: Instant, into outbox: inout Outbox) {
    for link in links.indices {
      clear(link, .stopped, at: now)
      for family in [IPAddress.Family.v4, .v6] where links[link].addresses.source(family) != nil {
        outbox.leave(.mdns(family), on: links[link].interface)
      }
    }
    (browses, links) = ([], [])
  }

  // MARK: - Interfaces

  private mutating func take(_ change: InterfaceChange, at now: Instant, into outbox: inout Outbox) {
    var place = links.firstIndex { $0.interface == change.interface }
    if place == nil, links.count < ServiceBrowser.linkCountMaximum {
      links.append(Link(interface: change.interface))
      place = links.count - 1
    }
    guard let link = place else { return }
    let before = links[link].addresses
    links[link].addresses = change.isUp ? change.addresses.filter { !$0.address.isMulticast } : []
    for family in [IPAddress.Family.v4, .v6] where links[link].addresses.source(family) != nil {
      if !before.contains(where: { $0.address.family == family }) {
        outbox.join(.mdns(family), on: change.interface)
      }
    }
    if links[link].addresses.isEmpty {
      clear(link, .interface, at: now)
    } else if before.isEmpty {
      for browse in browses { begin(browse.name, on: link, at: now) }
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
  package var brokenInvariants: [String] { cache.brokenInvariants + services.brokenInvariants }
}
