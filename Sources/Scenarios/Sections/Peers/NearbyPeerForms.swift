import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire

// `kind: nearby-peer` — a host with one peer that others find, invite and talk to.
extension NearbyPeerPlan {
  private static let plain = NearbyPeerPlan()

  static let fields: [Field<NearbyPeerPlan>] = discovery + invitations + contents + behaviour

  private static let discovery: [Field<NearbyPeerPlan>] = [
    .optional("name", \.name, .dnsLabel, "What people call it; the name of the inhabitant by default."),
    .key("service-type", \.type, .peerType, default: plain.type, "What it is browsed by, without '_' and '._udp'."),
    .key("info", \.info, .list(of: .peerInfo, countMaximum: 64), default: [], "Its discovery information."),
    .key("advertises", \.advertises, .bool, default: true, "Whether it shows itself to others."),
    .key("browses", \.browses, .bool, default: true, "Whether it looks for others of its type."),
  ]

  private static let invitations: [Field<NearbyPeerPlan>] = [
    .key("answers", \.answer, .word("an answer"), default: plain.answer, "What becomes of invitations to it."),
    .key("answers-after", \.answerDelay, .duration, default: .zero, "How long its answer takes."),
    .optional(
      "invites", \.invites, .peerInvites,
      "Whom it invites as soon as it finds them: each, elected (those with a higher ID), or names; nobody by default."),
    .key("invites-after", \.inviteDelay, .duration, default: .zero, "How long after it has found them."),
    .optional(
      "invites-again", \.inviteAgain, .duration,
      "So long after an attempt or a connection ended it invites the peer again; never by default."),
    .key(
      "invites-members", \.invitesMembers, .bool, default: false,
      "Whether it invites who is a member already, as an application does that does not look."),
    .optional("context", \.context, .text("a context", countMaximum: 65_536), "Text that goes with its invitations."),
    .key(
      "invitation-time-out", \.inviteTimeout, .duration, default: .zero,
      "How long it waits for an answer; 0s is that of a session, 30s."),
    .key(
      "encryption", \.encryption, .word("a preference", EncryptionPreference.words), default: plain.encryption,
      "Whether its session is encrypted: by a stand-in that protects nothing, with the rules of real encryption."),
  ]

  private static let contents: [Field<NearbyPeerPlan>] = [
    .key("sends", \.messages, .list(of: .peerMessage, countMaximum: 100), default: [], "Its messages."),
    .optional("sends-file", \.fileByteCount, .bytes, "The size of a file for each peer that is connected."),
    .optional("opens-stream", \.streamByteCount, .bytes, "What it writes to a stream for each peer that is connected."),
  ]

  private static let behaviour: [Field<NearbyPeerPlan>] = [
    .key("peers-maximum", \.sessions.peersMaximum, .integer(2...8), default: 8, "Members of its session with itself."),
    .key(
      "data-path", \.quirks.path, .dataPath, default: .zero,
      "When packets of sessions come through: so long after it joined the network (MX-7), or never (MX-6)."),
    .key(
      "found-again", \.quirks.repeatedFoundCount, .integer(0...10), default: 0,
      "How often it tells of each peer again when it comes back from the background (MX-4)."),
    .key(
      "withdrawn-after", \.quirks.withdrawalDelay, .duration, default: .zero,
      "How long others can still find it after it has stopped advertising (MX-10)."),
    .key(
      "mutual-invitations", \.sessions.mutualInvitations, .kebab("a rule"), default: .lowerStands,
      "Of two peers that invite each other the lower ID stands, or both fail (MX-1)."),
    .key(
      "second-connection", \.sessions.secondConnection, .kebab("a rule"), default: .replaces,
      "What a new connection of a member does to the old one (MX-5)."),
    .key(
      "reuse", \.sessions.reuse, .kebab("a rule"), default: .works,
      "What becomes of a session that was left and is used again (MX-8)."),
    .key(
      "optional-encryption", \.sessions.optionalEncryption, .kebab("a rule"), default: .sealed,
      "What optional encryption with optional encryption is: sealed, or plain where both sides say so (MX-11)."),
    .key(
      "declining", \.sessions.declining, .kebab("a rule"), default: .told,
      "Whether an inviter is told of a decline, or waits (MX-9)."),
    .optional(
      "connections-maximum", \.sessions.connectionsMaximum, .integer(0...1_000_000),
      "After so many connections the next ones fail (MX-13); never by default."),
  ]
}

extension PeerQuirks {
  /// The delay of the data path; `nil`: there is none.
  fileprivate var path: Interval? {
    get { hasNoDataPath ? nil : dataPathDelay }
    set { (hasNoDataPath, dataPathDelay) = (newValue == nil, newValue ?? .zero) }
  }
}

extension Form<Interval?> {
  fileprivate static let dataPath = Form.scalar(
    "a duration or none", example: "10s or none", hasUnit: true, upTo: Number.longestInterval,
    schema: Schema(.members(("type", .string("string")))), print: { $0?.description ?? "none" },
    parse: { text -> Reading<Interval?> in
      if text == "none" { return .value(nil) }
      return Number.interval(text).map { value -> Interval?? in .some(value) }
    })
}

extension EncryptionPreference {
  fileprivate static let words: [(name: String, value: EncryptionPreference)] =
    [("optional", .optional), ("required", .required), ("none", .none)]
}

extension Form<String> {
  /// The name of a service (RFC 6335 §5.1).
  fileprivate static let peerType = Form.scalar(
    "a service type", example: "chat", schema: Schema(.members(("type", .string("string")))), print: { $0 },
    parse: { PeerRecord.serviceType($0) == nil ? nil : $0 })
}

extension Form<PeerInfo> {
  fileprivate static let peerInfo = Form.scalar(
    "a pair of discovery information", example: "room=12", upTo: "255 bytes",
    schema: Schema(.members(("type", .string("string")), ("pattern", .string("^[^=]+=.*$")))),
    print: { "\($0.key)=\($0.value)" },
    parse: { text -> Reading<PeerInfo> in
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else { return .malformed }
      return text.utf8.count > 255 ? .tooLarge : .value(PeerInfo(String(parts[0]), String(parts[1])))
    })
}

extension Form<NearbyPeerPlan.Invites> {
  fileprivate static let peerInvites = Form.either(
    .scalar(
      "each, elected or names of peers", example: "each",
      schema: Schema(.members(("enum", .array([.string("each"), .string("elected")])))),
      print: { if case .elected = $0 { "elected" } else { "each" } },
      parse: { $0 == "each" ? .everybody : $0 == "elected" ? .elected : nil }),
    or: Form<[String]>.list(of: .dnsLabel, countMaximum: 1_000).map(
      { names, _, _ in .named(names) }, back: { if case .named(let names) = $0 { names } else { [] } }),
    isSecond: { $0.items != nil }, writesSecond: { if case .named = $0 { true } else { false } })
}

extension Form<NearbyPeerPlan.Message> {
  private static let plain = NearbyPeerPlan.Message()

  fileprivate static let peerMessage = Form.record(
    NearbyPeerPlan.Message(),
    [
      .optional("text", \.text, .text("a message"), "What it says; else it is made of bytes with its number in front."),
      .key("size", \.byteCount, .bytes, default: plain.byteCount, "Bytes of a message without text."),
      .key(
        "after", \.after, .afterConnecting, default: .zero,
        "How long after a peer was connected; asked: only when the timeline says 'send'."),
      .key("times", \.times, .integer(1...1_000_000), default: 1, "How often."),
      .key("every", \.interval, .duration, default: .zero, "From one to the next."),
      .key("reliable", \.isReliable, .bool, default: true, "Whether it comes in any case, and in order."),
      .key("to", \.to, .list(of: .dnsLabel, countMaximum: 100), default: [], "For whom, by name; for all by default."),
    ])
}

extension Form<Interval?> {
  fileprivate static let afterConnecting = Form.scalar(
    "a duration or asked", example: "2s or asked", hasUnit: true, upTo: Number.longestInterval,
    schema: Schema(.members(("type", .string("string")))), print: { $0?.description ?? "asked" },
    parse: { text -> Reading<Interval?> in
      if text == "asked" { return .value(nil) }
      return Number.interval(text).map { value -> Interval?? in .some(value) }
    })
}
