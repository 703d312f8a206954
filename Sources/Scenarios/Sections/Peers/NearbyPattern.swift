package import RollcallPrimitives

/// Which reports of nearby peers are meant.
package struct NearbyPattern: ReportPattern {
  /// The raw value is the key in scenarios.
  package enum Kind: String, ReportKind {
    case found = "peer-found"
    case lost = "peer-lost"
    case invited = "peer-invited"
    case invitationEnded = "invitation-ended"
    case connecting = "peer-connecting"
    case connected = "peer-connected"
    case notConnected = "peer-not-connected"
    case message = "message"
    case disorder = "message-disorder"
    case streamEnded = "stream-ended"
    case fileEnded = "file-ended"
    case refused = "peer-refused"

    /// What it is, for people.
    package var about: String {
      switch self {
      case .found: "This nearby peer finds another one."
      case .lost: "This nearby peer loses another one."
      case .invited: "This nearby peer is invited."
      case .invitationEnded: "An invitation to this nearby peer ended before it was answered."
      case .connecting: "The session of this nearby peer is being connected with another one."
      case .connected: "The session of this nearby peer is connected with another one."
      case .notConnected: "An attempt or a connection of this nearby peer's session ended."
      case .message: "A message came to this nearby peer."
      case .disorder: "A reliable message came to this nearby peer twice, or out of its order."
      case .streamEnded: "A stream from or to this nearby peer ended."
      case .fileEnded: "A file from or to this nearby peer ended."
      case .refused: "What this nearby peer asked for cannot be done."
      }
    }
  }
  package var kind: Kind
  /// Who was told.
  package var of: Who
  /// Whom it is about; `nil`: anybody.
  package var peer: Who?
  /// A pair of its discovery information; empty: there is none.
  package var info: String?
  package var ending: PeerReport.Ending?
  /// Of the message, stream, file or context.
  package var bytes: CountRange?
  /// With this one so many messages have come.
  package var number: CountRange?
  /// With this one so many bytes have come in messages.
  package var total: CountRange?

  package init(_ kind: Kind, of who: Who) { (self.kind, of) = (kind, who) }

  func matches(_ event: PeerReport.Event) -> Bool {
    func holds(_ range: CountRange?, _ count: Int?) -> Bool {
      range.map { range in count.map { range.contains($0) } ?? false } ?? true
    }
    switch (kind, event) {
    case (.found, .found(let pairs)): return info.map { $0.isEmpty ? pairs.isEmpty : pairs.contains($0) } ?? true
    case (.invited, .invited(let count)): return holds(bytes, count)
    case (.message, .message(let byteCount, let count, let sum, _)):
      return holds(bytes, byteCount) && holds(number, count) && holds(total, sum)
    case (.streamEnded, .streamEnded(_, let byteCount, let end)), (.fileEnded, .fileEnded(_, let byteCount, let end)):
      return holds(bytes, byteCount) && (ending == nil || ending == end)
    case (.lost, .lost), (.invitationEnded, .invitationEnded), (.connecting, .connecting), (.connected, .connected),
      (.notConnected, .notConnected), (.disorder, .disorder), (.refused, .refused):
      return true
    default: return false
    }
  }

  /// What people read of it.
  var text: String {
    let details = [
      info.map { $0.isEmpty ? "without information" : $0 }, ending.map { kebabCase($0.rawValue) },
      bytes.map { "\($0) bytes" }, number.map { "number \($0)" }, total.map { "\($0) bytes in all" },
    ].compactMap { $0 }
    return kind.rawValue + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
  }
}

/// What an entry says more of a report of a nearby peer.
struct NearbyDetails: Hashable, Sendable {
  var peer: Who?
  var info: String?
  var ending: PeerReport.Ending?
  var bytes: CountRange?
  var number: CountRange?
  var total: CountRange?

  static let fields: [Field<NearbyDetails>] = [
    .optional("peer", \.peer, .who, "Which other nearby peer it is about; any by default."),
    .optional(
      "info", \.info, .text("a pair of discovery information", countMaximum: 255),
      "A pair that it is found with, as room=12; '' where there is none."),
    .optional("ending", \.ending, .kebab("an ending"), "How a stream or file ended."),
    .optional("bytes", \.bytes, .count, "The bytes of the message, stream, file or context."),
    .optional("number", \.number, .count, "So many messages have come of this peer with this one."),
    .optional("total", \.total, .count, "So many bytes have come of this peer in messages with this one."),
  ]

  init() {}

  init(_ pattern: NearbyPattern) {
    (peer, info, ending) = (pattern.peer, pattern.info, pattern.ending)
    (bytes, number, total) = (pattern.bytes, pattern.number, pattern.total)
  }

  func applied(to pattern: NearbyPattern) -> NearbyPattern {
    var pattern = pattern
    (pattern.peer, pattern.info, pattern.ending) = (peer, info, ending)
    (pattern.bytes, pattern.number, pattern.total) = (bytes, number, total)
    return pattern
  }

  /// The keys that say something, and beside which events they do.
  func strays(beside kind: NearbyPattern.Kind?) -> [(key: String, isStray: Bool, partner: String)] {
    let sized: [NearbyPattern.Kind] = [.message, .streamEnded, .fileEnded, .invited]
    return [
      ("peer", peer != nil && kind == nil, "peer-connected"), ("info", info != nil && kind != .found, "peer-found"),
      ("ending", ending != nil && kind != .streamEnded && kind != .fileEnded, "stream-ended' or 'file-ended"),
      ("bytes", bytes != nil && !(kind.map { sized.contains($0) } ?? false), "message' or 'file-ended"),
      ("number", number != nil && kind != .message, "message"), ("total", total != nil && kind != .message, "message"),
    ]
  }
}
