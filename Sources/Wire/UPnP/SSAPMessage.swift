/// What an application and a webOS television say to each other: text messages of a WebSocket on port 3000, each one
/// object of JSON.
///
/// There is no public standard; the form is that of the Connect SDK's service for webOS.
public struct SSAPMessage: Hashable, Sendable {
  public static let port: UInt16 = 3_000
  public static let path = "/"
  public static let byteCountMaximum = 65_536
  /// A longer key of a client, or id of a session, is none.
  public static let idByteCountMaximum = 255

  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The application asks to be let in; the user may have to agree.
    case register
    /// It is in: the payload has its `client-key`.
    case registered
    case request, response, error
    /// A request that is answered again whenever the answer is another one, and its end.
    case subscribe, unsubscribe
    /// What an application and a web app say to each other: the payload is any value.
    case peer = "p2p"
    /// Each side says what it is; an application may leave it out.
    case hello
    /// Something else, which is left alone.
    case other
  }

  public var kind: Kind
  /// Chosen by the application; it comes back with each answer.
  public var id: String
  /// Of a request: `ssap://system.launcher/launch`.
  public var uri: String?
  /// Of an error: a status and a word for people, `404 no such service`.
  public var error: String?
  /// Of what is said by a web app, or to one: its id as the television has it. One of the two stands in a message.
  public var from: String?
  public var to: String?
  /// An object; of a message of the kind `peer` any value.
  public var payload: JSONValue

  public init(
    _ kind: Kind, id: String, uri: String? = nil, error: String? = nil, payload: JSONValue = .object([])
  ) {
    (self.kind, self.id, self.uri, self.error, self.payload) = (kind, id, uri, error, payload)
  }

  /// What is said to a web app, or by one.
  public static func peer(from: String? = nil, to: String? = nil, _ payload: JSONValue) -> SSAPMessage {
    var message = SSAPMessage(.peer, id: "", payload: payload)
    (message.from, message.to) = (from, to)
    return message
  }

  public var text: String {
    var members: [JSONValue.Member] = [.init("type", .string(kind.rawValue))]
    if kind != .peer { members.append(.init("id", .string(id))) }
    if let uri { members.append(.init("uri", .string(uri))) }
    if let error { members.append(.init("error", .string(error))) }
    if let from { members.append(.init("from", .string(from))) }
    if let to { members.append(.init("to", .string(to))) }
    return JSONValue.object(members + [.init("payload", payload)]).line
  }

  /// - Returns: `nil` where it is no such message. An id may be a number, too; other members are left alone, and so is all of a
  ///   message of another kind, and one between others.
  public static func read(_ text: String) -> SSAPMessage? {
    guard let value = try? JSONReader.read(Array(text.utf8)), let type = value["type"]?.string else { return nil }
    let kind = Kind(rawValue: type) ?? .other
    switch kind {
    case .other: return SSAPMessage(.other, id: "")
    case .peer:
      let names = [value["from"]?.string, value["to"]?.string]
      guard let payload = value["payload"], names.allSatisfy({ ($0?.utf8.count ?? 0) <= idByteCountMaximum }),
        names.contains(where: { $0 != nil })
      else { return SSAPMessage(.other, id: "") }
      return .peer(from: names[0], to: names[1], payload)
    case .register, .registered, .request, .response, .error, .subscribe, .unsubscribe, .hello: break
    }
    guard let id = value["id"]?.string ?? value["id"]?.integer.map({ String($0) }), id.utf8.count <= idByteCountMaximum
    else { return nil }
    let payload = value["payload"] ?? .object([])
    guard case .object = payload else { return nil }
    return SSAPMessage(kind, id: id, uri: value["uri"]?.string, error: value["error"]?.string, payload: payload)
  }

  /// The number at the beginning of `error`, 100 … 599; `nil`: there is none.
  public var status: Int? {
    guard let digits = error?.utf8.prefix(while: { (48...57).contains($0) }), digits.count == 3,
      let status = error.flatMap({ Int($0.prefix(3)) }), status >= 100, status < 600
    else { return nil }
    return status
  }

  // MARK: - Registering

  /// What may be asked without the agreement of the user, and what only with it.
  public enum Access: Hashable, Sendable {
    case open, full
    /// Names of permissions in the manifest.
    var permissions: [String] {
      let open = ["LAUNCH", "LAUNCH_WEBAPP", "APP_TO_APP", "CONTROL_AUDIO", "CONTROL_INPUT_MEDIA_PLAYBACK"]
      let full = ["CONTROL_POWER", "CONTROL_INPUT_TEXT", "CONTROL_MOUSE_AND_KEYBOARD", "READ_INSTALLED_APPS"]
      return self == .open ? open : open + full
    }
  }

  /// - Parameter key: what an earlier registration gave; `nil`: there was none.
  public static func register(id: String, key: String?, _ access: Access) -> SSAPMessage {
    var members: [JSONValue.Member] = [.init("pairingType", .string("PROMPT"))]
    if let key { members.append(.init("client-key", .string(key))) }
    members.append(
      .init(
        "manifest",
        .members(
          ("manifestVersion", .integer(1)),
          ("permissions", .array(access.permissions.map { .string($0) })))))
    return SSAPMessage(.register, id: id, payload: .object(members))
  }

  /// What a registration asks for; more than the open permissions needs the user.
  public var access: Access {
    guard case .array(let permissions)? = payload["manifest"]?["permissions"] else { return .open }
    return permissions.allSatisfy { $0.string.map(Access.open.permissions.contains) ?? false } ? .open : .full
  }

  /// The key of a client in it.
  public var clientKey: String? {
    payload["client-key"]?.string.flatMap { (1...SSAPMessage.idByteCountMaximum).contains($0.utf8.count) ? $0 : nil }
  }

  /// Whether it says that the user is asked.
  public var asksUser: Bool { kind == .response && payload["pairingType"]?.string == "PROMPT" }
}

/// What an application asks of a webOS television once it is registered.
public enum SSAPRequest: Hashable, Sendable {
  case launch(app: String, content: String?)
  /// How an app is; with the id of a session, of that session.
  case appState(app: String, session: String?)
  case close(app: String, session: String)
  case launchWebApp(String, content: String?)
  /// To talk to a web app that runs; with the id of a session, to that session.
  case connectToApp(String, session: String?)
  case closeWebApp(String, session: String)

  /// What follows upon `ssap://`.
  private enum Service: String {
    case launch = "system.launcher/launch"
    case appState = "system.launcher/getAppState"
    case close = "system.launcher/close"
    case launchWebApp = "webapp/launchWebApp"
    case connectToApp = "webapp/connectToApp"
    case closeWebApp = "webapp/closeWebApp"

    /// The members that name the app, and hold what it is to show.
    var names: (app: String, content: String) {
      switch self {
      case .launch, .appState, .close: ("id", "contentId")
      case .launchWebApp, .connectToApp, .closeWebApp: ("webAppId", "urlParams")
      }
    }
  }

  private var parts: (service: Service, app: String, content: String?, session: String?) {
    switch self {
    case .launch(let app, let content): (.launch, app, content, nil)
    case .appState(let app, let session): (.appState, app, nil, session)
    case .close(let app, let session): (.close, app, nil, session)
    case .launchWebApp(let app, let content): (.launchWebApp, app, content, nil)
    case .connectToApp(let app, let session): (.connectToApp, app, nil, session)
    case .closeWebApp(let app, let session): (.closeWebApp, app, nil, session)
    }
  }

  /// The member that names the app, here and in an answer.
  public var nameOfApp: String { parts.service.names.app }

  /// Whether the answer that changes later is wanted as well: that of a web app which ends.
  private var isSubscription: Bool { if case .connectToApp = self { true } else { false } }

  public func message(id: String) -> SSAPMessage {
    let (service, app, content, session) = parts
    let members = [(service.names.app, app), (service.names.content, content), ("sessionId", session)]
    return SSAPMessage(
      isSubscription ? .subscribe : .request, id: id, uri: "ssap://\(service.rawValue)",
      payload: .object(members.compactMap { name, value in value.map { .init(name, .string($0)) } }))
  }

  /// - Returns: `nil` where it asks for something else, or lacks what that needs.
  public init?(_ message: SSAPMessage) {
    guard message.kind == .request || message.kind == .subscribe, let uri = message.uri, uri.hasPrefix("ssap://"),
      let service = Service(rawValue: String(uri.dropFirst(7))),
      let app = message.payload[service.names.app]?.string
    else { return nil }
    let content = message.payload[service.names.content]?.string
    let session = message.payload["sessionId"]?.string
    switch service {
    case .launch: self = .launch(app: app, content: content)
    case .appState: self = .appState(app: app, session: session)
    case .launchWebApp: self = .launchWebApp(app, content: content)
    case .connectToApp: self = .connectToApp(app, session: session)
    case .close, .closeWebApp:
      guard let session else { return nil }
      self = service == .close ? .close(app: app, session: session) : .closeWebApp(app, session: session)
    }
  }
}
