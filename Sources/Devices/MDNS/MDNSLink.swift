import RollcallPrimitives
import RollcallWire

/// A record that is to be multicast on an interface.
struct MDNSPending: Hashable, Sendable {
  enum Cause: Hashable, Sendable {
    case answer
    /// Somebody probes for a name that is taken.
    case defence
    /// So many are still to come after this one, the next one after the gap.
    case announcement(left: Int, gap: Interval)
  }
  var place: MDNSPlace
  var due: Instant
  var cause: Cause

  var isAnnouncement: Bool { if case .announcement = cause { true } else { false } }
}

/// A query that is answered later: by unicast, or when its known answers are complete.
struct MDNSAsked: Hashable, Sendable {
  var asker: Endpoint
  var questions: [DNSQuestion]
  var known: [DNSRecord]
  /// Every question counts as one that wants an answer by unicast (RFC 6762 §5.5).
  var isDirect: Bool
  /// Somebody probes: what is ours is defended.
  var isProbe: Bool
  var isTruncated: Bool
  var due: Instant
}

/// All that a responder knows of one interface (RFC 6762 §14).
struct MDNSLink: Hashable, Sendable {
  /// More than that are not waited for: a flood of queries takes no more memory.
  static let askedCountMaximum = 32
  static let knownCountMaximum = 1_024

  var interface: InterfaceID
  var addresses: [InterfaceAddress] = []
  var hostRecords: [DNSRecord] = []
  /// One for each entity.
  var claims: [MDNSClaim] = []
  var pending: [MDNSPending] = []
  var asked: [MDNSAsked] = []

  init(_ interface: InterfaceID) { self.interface = interface }

  /// From where a family sends; IPv6 from its link-local address, where it has one.
  func source(_ family: IPAddress.Family) -> IPAddress? {
    let own = addresses.map(\.address).filter { $0.family == family }
    return own.first { family == .v6 && $0.isLinkLocal } ?? own.first
  }

  func isOnLink(_ address: IPAddress) -> Bool {
    addresses.contains { $0.address.sharesPrefix($0.prefixBits, with: address) }
  }

  /// What a driver has to come back for.
  var deadline: Instant {
    var next = Instant.never
    for claim in claims { next = min(next, claim.due) }
    for entry in pending { next = min(next, entry.due) }
    for query in asked { next = min(next, query.due) }
    return next
  }

  /// Adds an answer, or brings forward the one that waits already.
  mutating func add(_ entry: MDNSPending) {
    let twin = pending.firstIndex { $0.place == entry.place && $0.isAnnouncement == entry.isAnnouncement }
    guard let twin else { return pending.append(entry) }
    if entry.isAnnouncement {
      pending[twin] = entry
    } else {
      pending[twin].due = min(pending[twin].due, entry.due)
      if entry.cause == .defence { pending[twin].cause = .defence }
    }
  }
}
