/// What an application asks of a device that it was told of.
public enum DeviceCommand: Hashable, Sendable {
  /// To be ready for use: a service that wants the user to agree asks for that first.
  case connect
  case disconnect
  /// What the user typed, as the device asked for it.
  case pair(key: String)
  /// The user does not agree.
  case cancelPairing
  /// Something about an app that runs on the device, or could.
  case app(AppRequest)
}

/// What an application wants of an app on a device.
public struct AppRequest: Hashable, Sendable {
  public enum Deed: Hashable, Sendable {
    /// - Parameters:
    ///   - app: the name under which the device knows it: `YouTube`.
    ///   - content: what the app is to show, in its own words; `nil`: nothing.
    case launch(app: String, content: String?)
    /// The same of a web app, which the device loads from the network.
    case launchWebApp(app: String, content: String?)
    /// Whether it runs.
    case state(app: String)
    /// To go on with a web app that runs, also one that another application launched.
    case joinWebApp(app: String)
    /// To go on with a session that was begun before, also in an earlier launch of the application, if it is still there.
    case join(Session)
    case close(Session)
    /// To say something to a web app that was joined, and to hear nothing more of it.
    case send(Session, WebAppMessage)
    case leave(Session)
  }
  /// Which session of an app is meant.
  public enum Session: Hashable, Sendable {
    case known(LaunchSession)
    /// The one that was launched or joined last on this device since the manager began.
    case latest(app: String)
  }
  /// Chosen by the application; it comes back with the answer.
  public var number: UInt32
  public var deed: Deed
  public init(_ number: UInt32, _ deed: Deed) { (self.number, self.deed) = (number, deed) }
}

/// An app that was launched on a device: enough to close it, also after the application was started anew.
public struct LaunchSession: Hashable, Sendable {
  /// The name under which the device knows the app.
  public var appID: String
  /// Of the running app, as the device gave it: with DIAL the absolute URL of the instance.
  public var sessionID: String
  /// The service by which it was launched: `DIAL`.
  public var serviceID: String
  public var kind: SessionKind
  public init(appID: String, sessionID: String, serviceID: String, kind: SessionKind = .app) {
    (self.appID, self.sessionID, self.serviceID, self.kind) = (appID, sessionID, serviceID, kind)
  }
}

/// What was launched. The raw value is what stands in JSON.
public enum SessionKind: String, Hashable, Sendable, CaseIterable {
  case app
  case webApp = "webapp"
}

/// How an app on a device is.
public enum AppState: String, Hashable, Sendable, CaseIterable {
  case running, stopped
  /// It runs, and something else is on the screen.
  case hidden
  /// The device could fetch it.
  case installable
  /// The device says something else.
  case other
}

// Their text.
extension DeviceCommand {
  func write(to words: inout WordWriter) {
    switch self {
    case .connect: words.add("connect")
    case .disconnect: words.add("disconnect")
    case .cancelPairing: words.add("cancel-pairing")
    case .pair(let key):
      words.add("pair")
      words.name(key)
    case .app(let request):
      words.add("app")
      words.add(request.number)
      switch request.deed {
      case .launch(let app, let content):
        words.add("launch")
        words.name(app)
        words.name(content)
      case .launchWebApp(let app, let content):
        words.add("launch-web-app")
        words.name(app)
        words.name(content)
      case .joinWebApp(let app):
        words.add("join-web-app")
        words.name(app)
      case .state(let app):
        words.add("state")
        words.name(app)
      case .join(let session):
        words.add("join")
        session.write(to: &words)
      case .close(let session):
        words.add("close")
        session.write(to: &words)
      case .send(let session, let message):
        words.add("send")
        session.write(to: &words)
        message.write(to: &words)
      case .leave(let session):
        words.add("leave")
        session.write(to: &words)
      }
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    let expected = "connect, disconnect, pair, cancel-pairing or app"
    switch try words.next(expected) {
    case "connect": self = .connect
    case "disconnect": self = .disconnect
    case "cancel-pairing": self = .cancelPairing
    case "pair": self = .pair(key: try words.name("what the user typed"))
    case "app":
      let number: UInt32 = try words.number("the number of a request")
      let deed: AppRequest.Deed
      let deeds = "launch, launch-web-app, state, join, join-web-app, close, send or leave"
      switch try words.next(deeds) {
      case "launch":
        let app = try words.name("the name of an app")
        deed = .launch(app: app, content: try words.optionalName("what the app is to show"))
      case "launch-web-app":
        let app = try words.name("the id of a web app")
        deed = .launchWebApp(app: app, content: try words.optionalName("what the app is to show"))
      case "join-web-app": deed = .joinWebApp(app: try words.name("the id of a web app"))
      case "state": deed = .state(app: try words.name("the name of an app"))
      case "join": deed = .join(try AppRequest.Session(from: &words))
      case "close": deed = .close(try AppRequest.Session(from: &words))
      case "send":
        let session = try AppRequest.Session(from: &words)
        deed = .send(session, try WebAppMessage(from: &words))
      case "leave": deed = .leave(try AppRequest.Session(from: &words))
      default: throw words.error(deeds)
      }
      self = .app(AppRequest(number, deed))
    default: throw words.error(expected)
    }
  }

  /// What people read. A key that was typed stays out of it.
  public var text: String {
    switch self {
    case .connect: "connect"
    case .disconnect: "disconnect"
    case .pair: "pair with what the user typed"
    case .cancelPairing: "cancel the pairing"
    case .app(let request):
      switch request.deed {
      case .launch(let app, _): "launch \(app)"
      case .launchWebApp(let app, _): "launch the web app \(app)"
      case .joinWebApp(let app): "join the web app \(app)"
      case .state(let app): "ask how \(app) is"
      case .join(let session): "join \(session.app)"
      case .close(let session): "close \(session.app)"
      case .send(let session, _): "say something to \(session.app)"
      case .leave(let session): "leave \(session.app)"
      }
    }
  }
}

extension AppRequest.Session {
  /// The name of the app.
  public var app: String {
    switch self {
    case .known(let session): session.appID
    case .latest(let app): app
    }
  }

  func write(to words: inout WordWriter) {
    switch self {
    case .known(let session):
      words.add("known")
      session.write(to: &words)
    case .latest(let app):
      words.add("latest")
      words.name(app)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    switch try words.next("known or latest") {
    case "known": self = .known(try LaunchSession(from: &words))
    case "latest": self = .latest(app: try words.name("the name of an app"))
    default: throw words.error("known or latest")
    }
  }
}

extension LaunchSession {
  func write(to words: inout WordWriter) {
    words.name(appID)
    words.name(sessionID)
    words.name(serviceID)
    words.add(kind.rawValue)
  }

  init(from words: inout WordReader) throws(WordError) {
    appID = try words.name("the name of an app")
    sessionID = try words.name("the id of a session")
    serviceID = try words.name("the id of a service")
    kind = try words.value(SessionKind.self, "app or webapp")
  }
}
