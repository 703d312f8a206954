package import RollcallPrimitives

/// Which reports of the manager are meant.
package struct ManagedPattern: ReportPattern {
  /// The raw value is the key in scenarios.
  package enum Kind: String, ReportKind {
    case found = "device-found"
    case updated = "device-updated"
    case lost = "device-lost"
    case capabilities = "capabilities-changed"
    case remembered = "device-remembered"
    case ready = "device-ready"
    case disconnected = "device-disconnected"
    case notConnected = "device-not-connected"
    case pairingRequired = "pairing-required"
    case paired = "device-paired"
    case launched = "app-launched"
    case joined = "app-joined"
    case appState = "app-state"
    case closed = "app-closed"
    case appFailed = "app-failed"
    case webAppTold = "web-app-told"
    case webAppSaid = "web-app-said"
    case webAppLeft = "web-app-left"
    case webAppEnded = "web-app-ended"

    /// What it is, for people.
    package var about: String {
      switch self {
      case .found: "The application is told of a device that these are, or are a part of."
      case .updated: "The application is told that such a device is not as it was."
      case .lost: "The application is told that such a device is gone."
      case .capabilities: "The application is told that such a device can do something else than before."
      case .remembered: "The application is started, and its store knows such a device, whether it is there or not."
      case .ready: "Such a device is connected, and all its services can be used."
      case .disconnected: "Such a device was ready, and is no more."
      case .notConnected: "A connection to such a device did not come about."
      case .pairingRequired: "Such a device wants its user to agree."
      case .paired: "The user of such a device has agreed."
      case .launched: "An app was launched on such a device."
      case .joined: "The application goes on with the session of an app on such a device."
      case .appState: "Such a device says how an app is."
      case .closed: "An app was closed on such a device."
      case .appFailed: "Something that was asked about an app on such a device could not be done."
      case .webAppTold: "A message is on its way to a web app on such a device."
      case .webAppSaid: "A web app on such a device says something to the application, which has joined it."
      case .webAppLeft: "The application has left a web app on such a device."
      case .webAppEnded: "The application is connected to a web app on such a device no more, for whatever reason."
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
  /// Why something could not be done, and how a connection ended; `nil`: however.
  package var why: ConnectionFailure.Reason?
  package var end: ConnectionEnd?
  /// The app that was launched or joined, or says something, and how an app is.
  package var app: String?
  package var state: AppState?
  /// What a web app says.
  package var message: WebAppMessage?

  package init(_ kind: Kind, of who: Who) { (self.kind, of) = (kind, who) }

  func matches(_ report: ManagerReport) -> Bool {
    let state = report.state
    switch (kind, report.event) {
    case (.found, .found(let isKnown)): if let isAgain, isAgain != isKnown { return false }
    case (.updated, .updated), (.lost, .lost), (.capabilities, .capabilities), (.remembered, .remembered): break
    case (_, .connection(let report)): if !matches(report) { return false }
    case (_, .app(let report)): if !matches(report.outcome) { return false }
    case (_, .webApp(let report)): if !matches(report) { return false }
    default: return false
    }
    return (offers.map { $0.sorted() == state.services.map(\.id).sorted() } ?? true)
      && (can.map { wanted in CapabilityFilter(wanted).isMet(by: state.capabilities) } ?? true)
      && (called == nil || called == state.name) && (parts?.contains(state.members.count) ?? true)
  }

  private func matches(_ report: ConnectionReport) -> Bool {
    switch (kind, report) {
    case (.ready, .ready), (.pairingRequired, .pairingRequired), (.paired, .paired): true
    case (.disconnected, .disconnected(let found)): end == nil || end == found
    case (.notConnected, .failed(let failure)): why == nil || why == failure.reason
    default: false
    }
  }

  private func matches(_ outcome: AppReport.Outcome) -> Bool {
    switch (kind, outcome) {
    case (.launched, .launched(let session)), (.joined, .joined(let session)): app == nil || app == session.appID
    case (.appState, .state(let found)): state == nil || state == found
    case (.closed, .closed), (.webAppTold, .sent), (.webAppLeft, .left): true
    case (.appFailed, .failed(let failure)): why == nil || why == failure.reason
    default: false
    }
  }

  private func matches(_ report: WebAppReport) -> Bool {
    let isOfApp = app == nil || app == report.session.appID
    return switch (kind, report.event) {
    case (.webAppSaid, .said(let said)): isOfApp && (message == nil || message == said)
    case (.webAppEnded, .ended): isOfApp
    default: false
    }
  }

  /// What people read of it.
  var text: String {
    let details = [
      why?.rawValue, end?.rawValue, app, state?.rawValue, message.map { "says \($0.text)" },
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
  var why: ConnectionFailure.Reason?
  var end: ConnectionEnd?
  var app: String?
  var state: AppState?
  var text: String?
  var json: String?

  static let fields: [Field<ManagedDetails>] = [
    .optional(
      "offers", \.offers, .list(of: .line("the id of a service", example: "DLNA"), countMaximum: 64),
      "The ids of all services that the device has then, in any order."),
    .optional("can", \.can, .capabilities, "Some of what the device can do then."),
    .optional("called", \.called, .line("a name", example: "Living Room"), "What people call the device then."),
    .optional("parts", \.parts, .count, "How many devices that were found it stands for."),
    .optional(
      "again", \.isAgain, .bool,
      "Whether its id was told before, also in an earlier launch of the application; either by default."),
    .optional("why", \.why, .kebab("a reason"), "Why it could not be done."),
    .optional("ended", \.end, .kebab("an end"), "Why the connection ended."),
    .optional("app", \.app, .line("the name of an app", example: "YouTube"), "Which app it is."),
    .optional("is", \.state, .kebab("a state"), "How the app is."),
    .optional("says", \.text, .text("a text", countMaximum: 8_192), "The text that it says."),
    .optional(
      "says-json", \.json, .line("a value of JSON", example: "{\"room\":7}"),
      "The value of JSON that it says, without blanks."),
  ]

  init() {}

  init(_ pattern: ManagedPattern) {
    (offers, can, called) = (pattern.offers, pattern.can, pattern.called)
    (parts, isAgain) = (pattern.parts, pattern.isAgain)
    (why, end, app, state) = (pattern.why, pattern.end, pattern.app, pattern.state)
    switch pattern.message {
    case .text(let said): text = said
    case .json(let said): json = said
    case nil: break
    }
  }

  func applied(to pattern: ManagedPattern) -> ManagedPattern {
    var pattern = pattern
    (pattern.offers, pattern.can, pattern.called) = (offers, can, called)
    (pattern.parts, pattern.isAgain) = (parts, isAgain)
    (pattern.why, pattern.end, pattern.app, pattern.state) = (why, end, app, state)
    pattern.message = text.map { .text($0) } ?? json.map { .json($0) }
    return pattern
  }

  /// The keys that say something, and beside which events they do.
  func strays(beside kind: ManagedPattern.Kind?) -> [(key: String, isStray: Bool, partner: String)] {
    let ofApps: [ManagedPattern.Kind] = [.launched, .joined, .webAppSaid, .webAppEnded]
    let isOfApp = kind.map { ofApps.contains($0) } ?? false
    return [
      ("offers", offers != nil && kind == nil, "device-found"), ("can", can != nil && kind == nil, "device-found"),
      ("called", called != nil && kind == nil, "device-found"), ("parts", parts != nil && kind == nil, "device-found"),
      ("again", isAgain != nil && kind != .found, "device-found"),
      ("why", why != nil && kind != .notConnected && kind != .appFailed, "device-not-connected' or 'app-failed"),
      ("ended", end != nil && kind != .disconnected, "device-disconnected"),
      ("app", app != nil && !isOfApp, "app-launched', 'app-joined', 'web-app-said' or 'web-app-ended"),
      ("says", text != nil && (kind != .webAppSaid || json != nil), "web-app-said' and without 'says-json"),
      ("says-json", json != nil && kind != .webAppSaid, "web-app-said"),
      ("is", state != nil && kind != .appState, "app-state"),
    ]
  }
}
