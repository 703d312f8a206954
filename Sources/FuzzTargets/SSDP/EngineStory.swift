import RollcallDiscovery
import RollcallPrimitives

/// What an engine has told so far, and whether one report may follow upon the other.
///
/// A device is found before anything else is said of it, is not found twice, and is lost once; a search is heard of
/// from its beginning to its one end, and its end repeats what it heard; only a datagram is rejected, and once.
struct EngineStory {
  private(set) var present: [String] = []
  private(set) var foundCount = 0
  private(set) var rejectedCount = 0
  /// Searches under way, each with what it heard.
  private(set) var searches: [SearchID: [ServiceSighting]] = [:]
  /// Searches of which a copy could not be sent: they may be over without an end.
  private var doubtful: Set<SearchID> = []
  private var endedSearches: Set<SearchID> = []
  private var isStopped = false

  /// Takes note of a search that began.
  mutating func began(_ id: SearchID) throws(FuzzFinding) {
    try expect(searches[id] == nil && !endedSearches.contains(id), "search \(id.number) began twice")
    searches[id] = []
  }

  mutating func stopped() { isStopped = true }

  mutating func tell(_ report: Report, isDatagram: Bool) throws(FuzzFinding) {
    try expect(!isStopped, "told after it stopped: \(report)")
    switch report {
    case .found(let sighting):
      try expect(!present.contains(sighting.device), "found twice: \(sighting.device)")
      present.append(sighting.device)
      foundCount += 1
    case .changed(let sighting, let change):
      if case .united(let part) = change {
        try expect(part != sighting.device, "\(part) is a part of itself")
        guard let index = present.firstIndex(of: part) else { throw FuzzFinding("united, but never found: \(part)") }
        present.remove(at: index)
      }
      try expect(present.contains(sighting.device), "changed, but not there: \(report)")
      try checkDifference(sighting, change)
    case .lost(let device, _):
      guard let index = present.firstIndex(of: device) else { throw FuzzFinding("lost, but not there: \(device)") }
      present.remove(at: index)
    case .service(let service):
      try expect(isDatagram, "a service was heard, but nothing came")
      guard let heard = searches[service.search] else { throw FuzzFinding("a service of no search: \(service)") }
      let isRepeated = heard.contains { $0.usn == service.usn && $0.target == service.target }
      try expect(!isRepeated, "heard twice")
      searches[service.search, default: []].append(service)
    case .searchEnded(let outcome):
      guard let heard = searches.removeValue(forKey: outcome.search) else {
        throw FuzzFinding("a search ended that was not there: \(outcome)")
      }
      endedSearches.insert(outcome.search)
      try expect(heard == outcome.services, "a search ended with other services than it told")
    case .rejected:
      try expect(isDatagram, "rejected, but nothing came")
      rejectedCount += 1
    default:
      guard case .failed(let failure) = report else { return }
      try expect(!failure.explanation.isEmpty, "a failure without a word")
      if failure.reason == .cannotSend, let search = failure.search { doubtful.insert(search) }
    }
  }

  private func checkDifference(_ sighting: DeviceSighting, _ change: Change) throws(FuzzFinding) {
    let isSame: Bool
    switch change {
    case .address(let from): isSame = from == sighting.locator.address
    // What a sighting does not tell cannot be compared.
    case .attribute(.configID, _), .united: isSame = false
    case .attribute(let name, let from): isSame = from == sighting[name]
    }
    try expect(!isSame, "changed to what it was: \(change)")
  }

  /// Whether every search has come to its end, or could not be sent.
  var isQuiet: Bool { searches.keys.allSatisfy { doubtful.contains($0) } }

  /// Compares the story with what the engine counts.
  func check(_ engine: DiscoveryEngine) throws(FuzzFinding) {
    let counters = engine.counters
    try expect(counters.devicesPresent == present.count, "\(counters.devicesPresent) present, told \(present.count)")
    try expect(counters.devicesEver == foundCount, "\(counters.devicesEver) ever, told \(foundCount)")
    try expect(counters.rejectedTotal == rejectedCount, "\(counters.rejectedTotal) refused, told \(rejectedCount)")
    try expect(counters.openLeases >= present.count, "a device is present without a lease")
    let doubts = searches.keys.reduce(0) { $0 + (doubtful.contains($1) ? 1 : 0) }  // ordered: a count has no order
    try expect(
      (searches.count - doubts...searches.count).contains(engine.openSearchCount),
      "\(engine.openSearchCount) searches are open, \(searches.count) were told, \(doubts) of them in doubt")
    let broken = engine.brokenInvariants
    try expect(broken.isEmpty, broken.joined(separator: "; "))
  }
}

/// A machine on its own: what it wants is taken down, payloads are given back, and time goes by its deadlines.
struct MachineBench<Subject: Machine> {
  var machine: Subject
  let store = PayloadStore()
  private(set) var now: Instant
  private var outbox: Outbox

  init(_ machine: Subject, at now: Instant) {
    self.machine = machine
    self.now = now
    outbox = Outbox(payloads: store)
  }

  /// What a machine wanted, with the bytes of what it sent.
  struct Wish: Equatable {
    var effect: Effect
    var bytes: [UInt8]

    /// Tickets of payloads differ between two stores.
    static func == (left: Wish, right: Wish) -> Bool {
      switch (left.effect, right.effect) {
      case (.transmit(var first), .transmit(let second)):
        first.payload = second.payload
        return first == second && left.bytes == right.bytes
      default: return left.effect == right.effect
      }
    }
  }

  mutating func receive(_ signal: SignalValue) -> [Wish] {
    machine.receive(signal, at: now, into: &outbox)
    return collect()
  }

  mutating func receive(_ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, on interface: InterfaceID)
    -> [Wish]
  {
    let payload = store.store(bytes)
    defer { store.release(payload) }
    let datagram = Datagram(
      source: source, destination: destination, interface: interface, hopLimit: 2, payload: payload)
    machine.receive(.datagram(datagram), at: now, into: &outbox)
    return collect()
  }

  mutating func wake() -> [Wish] {
    machine.wake(at: now, into: &outbox)
    return collect()
  }

  /// The next deadline up to `end`, to which time then moves; `nil`: time moved to `end`.
  mutating func step(until end: Instant) -> [Wish]? {
    guard let deadline = machine.deadline, deadline <= end else {
      now = max(now, end)
      return nil
    }
    now = max(now, deadline)
    return wake()
  }

  /// Time goes on without a wake, as with a driver that comes late.
  mutating func skip(to end: Instant) { now = max(now, end) }

  private mutating func collect() -> [Wish] {
    let wishes = outbox.effects.map { effect -> Wish in
      guard case .transmit(let datagram) = effect else { return Wish(effect: effect, bytes: []) }
      defer { store.release(datagram.payload) }
      return Wish(effect: effect, bytes: store.array(of: datagram.payload))
    }
    outbox.removeAll()
    return wishes
  }
}
