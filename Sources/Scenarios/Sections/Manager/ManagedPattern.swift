package import RollcallPrimitives

/// Which reports of the manager are meant.
package struct ManagedPattern: ReportPattern {
  /// The raw value is the key in scenarios.
  package enum Kind: String, ReportKind {
    case found = "device-found"
    case updated = "device-updated"
    case lost = "device-lost"
    case capabilities = "capabilities-changed"

    /// What it is, for people.
    package var about: String {
      switch self {
      case .found: "The application is told of a device that these are, or are a part of."
      case .updated: "The application is told that such a device is not as it was."
      case .lost: "The application is told that such a device is gone."
      case .capabilities: "The application is told that such a device can do something else than before."
      }
    }
  }
  package var kind: Kind
  package var of: Who
  /// The services that it has, whatever their order; `nil`: whatever it has.
  package var offers: [String]?
  /// Some of what it can do.
  package var can: [Capability]?
  package var called: String?
  /// How many devices of the directory it is.
  package var parts: CountRange?
  /// Whether its id is one that was told before; `nil`: either.
  package var isAgain: Bool?

  package init(_ kind: Kind, of who: Who) { (self.kind, of) = (kind, who) }

  func matches(_ report: ManagerReport) -> Bool {
    let state = report.state
    switch (kind, report.event) {
    case (.found, .found(let isKnown)): if let isAgain, isAgain != isKnown { return false }
    case (.updated, .updated), (.lost, .lost), (.capabilities, .capabilities): break
    default: return false
    }
    return (offers.map { $0.sorted() == state.services.map(\.id).sorted() } ?? true)
      && (can.map { wanted in CapabilityFilter(wanted).isMet(by: state.capabilities) } ?? true)
      && (called == nil || called == state.name) && (parts?.contains(state.members.count) ?? true)
  }

  /// What people read of it.
  var text: String {
    let details = [
      called.map { "called \($0)" }, offers.map { "offers \($0.joined(separator: " "))" },
      can.map { "can \($0.map(\.name).joined(separator: " "))" }, parts.map { "\($0) parts" },
      isAgain.map { $0 ? "with an id of before" : "with a new id" },
    ].compactMap { $0 }
    return kind.rawValue + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
  }
}

/// What an entry says more of a report of the manager.
struct ManagedDetails: Hashable, Sendable {
  var offers: [String]?
  var can: [Capability]?
  var called: String?
  var parts: CountRange?
  var isAgain: Bool?

  static let fields: [Field<ManagedDetails>] = [
    .optional(
      "offers", \.offers, .list(of: .line("the id of a service", example: "DLNA"), countMaximum: 64),
      "The ids of all services that the device has then, in any order."),
    .optional("can", \.can, .capabilities, "Some of what the device can do then."),
    .optional("called", \.called, .line("a name", example: "Living Room"), "What people call the device then."),
    .optional("parts", \.parts, .count, "How many devices that were found it stands for."),
    .optional("again", \.isAgain, .bool, "Whether its id was told before; either by default."),
  ]

  init() {}

  init(_ pattern: ManagedPattern) {
    (offers, can, called) = (pattern.offers, pattern.can, pattern.called)
    (parts, isAgain) = (pattern.parts, pattern.isAgain)
  }

  func applied(to pattern: ManagedPattern) -> ManagedPattern {
    var pattern = pattern
    (pattern.offers, pattern.can, pattern.called) = (offers, can, called)
    (pattern.parts, pattern.isAgain) = (parts, isAgain)
    return pattern
  }

  /// The keys that say something, and beside which events they do.
  func strays(beside kind: ManagedPattern.Kind?) -> [(key: String, isStray: Bool, partner: String)] {
    [
      ("offers", offers != nil && kind == nil, "device-found"), ("can", can != nil && kind == nil, "device-found"),
      ("called", called != nil && kind == nil, "device-found"), ("parts", parts != nil && kind == nil, "device-found"),
      ("again", isAgain != nil && kind != .found, "device-found"),
    ]
  }
}
