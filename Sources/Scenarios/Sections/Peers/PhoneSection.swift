package import RollcallPrimitives
import RollcallWire

/// `kind: phone` — a phone that applications of a test run on. Nobody is there in a run without them.
package struct PhoneSection: Hashable, Sendable {
  package var user: PhoneUser
  package init(user: PhoneUser = PhoneUser()) { self.user = user }

  static let fields: [Field<PhoneSection>] = [PhoneUser.field(\.user)]
}

/// `user:` — the person who uses a phone: what they do with what applications show them.
package struct PhoneUser: Hashable, Sendable {
  package enum Answer: String, Hashable, Sendable, CaseIterable {
    case accept, decline, ignore
  }
  package enum Peers: Hashable, Sendable {
    case each
    /// By the names that people read.
    case named([String])
  }

  /// What becomes of each invitation that an assistant shows.
  package var answer = Answer.ignore
  package var answerDelay = Interval.zero
  /// Whom they select on each screen of a browser; `nil`: nobody.
  package var selects: Peers?
  /// After the peer can be selected.
  package var selectDelay = Interval.zero
  /// After Done can be pressed; `nil`: they do not press it.
  package var doneDelay: Interval?
  /// After the screen came up; `nil`: they do not press Cancel.
  package var cancelDelay: Interval?
  /// What they type when a device shows a number; `nil`: nothing.
  package var typed: String?
  /// After they were asked.
  package var typeDelay = Interval.zero
  package init() {}
}

extension PhoneUser {
  private static let plain = PhoneUser()

  /// The key `user` of a phone, or of the engine in its place.
  static func field<Root>(_ path: any WritableKeyPath<Root, PhoneUser> & Sendable) -> Field<Root> {
    .key(
      "user", path, .phoneUser, default: plain,
      "The person who uses it: what they do with what applications show them.")
  }

  fileprivate static let fields: [Field<PhoneUser>] = [
    .key(
      "invitations", \.answer, .word("an answer"), default: plain.answer,
      "What they do with each invitation that an MCAdvertiserAssistant shows."),
    .key(
      "invitations-after", \.answerDelay, .duration, default: plain.answerDelay,
      "How long after it was shown they answer."
    ),
    .optional(
      "selects", \.selects, .userPeers,
      "Whom they select on the screen of an MCBrowserViewController: each, or a list of names; nobody by default."),
    .key(
      "selects-after", \.selectDelay, .duration, default: plain.selectDelay,
      "How long after the peer could be selected."),
    .optional(
      "done-after", \.doneDelay, .duration, "So long after Done can be pressed they press it; never by default."),
    .optional(
      "cancel-after", \.cancelDelay, .duration, "So long after the screen came up they press Cancel; never by default."),
    .optional(
      "types", \.typed, .line("a key", example: "'314159'"),
      "What they type when a device that is paired shows a number; nothing by default."),
    .key("types-after", \.typeDelay, .duration, default: plain.typeDelay, "How long after they were asked."),
  ]
}

extension Form<PhoneUser> {
  fileprivate static let phoneUser = Form.record(PhoneUser(), PhoneUser.fields).named("user")
}

extension Form<PhoneUser.Peers> {
  fileprivate static let userPeers = Form.either(
    .scalar(
      "each or a list of names", example: "[Ben, Cem]",
      schema: Schema(.members(("const", .string("each")))), print: { _ in "each" },
      parse: { $0 == "each" ? .each : nil }),
    or: Form<[String]>.list(of: .dnsLabel, countMaximum: 1_000).map(
      { names, _, _ in .named(names) }, back: { if case .named(let names) = $0 { names } else { [] } }),
    isSecond: { $0.items != nil }, writesSecond: { if case .named = $0 { true } else { false } })
}
