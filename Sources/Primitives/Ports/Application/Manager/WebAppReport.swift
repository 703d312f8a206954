/// What an application and a web app say to each other.
public enum WebAppMessage: Hashable, Sendable {
  case text(String)
  /// Any other value of JSON, mostly an object, as its text.
  case json(String)

  /// The text of either.
  public var text: String {
    switch self {
    case .text(let text), .json(let text): text
    }
  }
}

/// What a web app does by itself to an application that is connected to it.
public struct WebAppReport: Hashable, Sendable {
  public enum Event: Hashable, Sendable {
    case said(WebAppMessage)
    /// It runs no more, the application left it, or the connection to its device has ended: it says nothing after that.
    case ended
  }
  /// The session that the application is connected to.
  public var session: LaunchSession
  public var event: Event
  public init(_ session: LaunchSession, _ event: Event) { (self.session, self.event) = (session, event) }
}

// Their text.
extension WebAppMessage {
  func write(to words: inout WordWriter) {
    switch self {
    case .text(let text):
      words.add("text")
      words.name(text)
    case .json(let text):
      words.add("json")
      words.name(text)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    switch try words.next("text or json") {
    case "text": self = .text(try words.name("what is said"))
    case "json": self = .json(try words.name("what is said"))
    default: throw words.error("text or json")
    }
  }
}

extension WebAppReport {
  func write(to words: inout WordWriter) {
    session.write(to: &words)
    switch event {
    case .said(let message):
      words.add("said")
      message.write(to: &words)
    case .ended: words.add("ended")
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    session = try LaunchSession(from: &words)
    switch try words.next("said or ended") {
    case "said": event = .said(try WebAppMessage(from: &words))
    case "ended": event = .ended
    default: throw words.error("said or ended")
    }
  }

  /// What people read: of what is said the beginning.
  var text: String {
    switch event {
    case .said(let message):
      let shown = message.text.prefix(WebAppReport.shownMaximum)
      return "the web app \(session.appID) says \(shown)\(shown.count < message.text.count ? "…" : "")"
    case .ended: return "the web app \(session.appID) says no more"
    }
  }
  private static let shownMaximum = 60
}
