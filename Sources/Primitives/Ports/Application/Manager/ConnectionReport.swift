/// What becomes of the connection to a device that an application asked for.
public enum ConnectionReport: Hashable, Sendable {
  /// All of its services can be used.
  case ready
  case disconnected(ConnectionEnd)
  /// It did not come about.
  case failed(ConnectionFailure)
  /// The user has to agree first: to type the number that the device shows, or to answer its question there.
  case pairingRequired(service: String, PairingKind)
  /// The user has agreed: with this key the service need not ask again, also after the application was started anew.
  case paired(RememberedKey)
}

/// Why a connection ended.
public enum ConnectionEnd: String, Hashable, Sendable, CaseIterable {
  /// The application wanted it.
  case asked
  /// The device is gone, or suits the application no more.
  case deviceLost
  /// The device ended the connection to one of its services, or the network did.
  case linkLost
}

/// The answer to a request about an app.
public struct AppReport: Hashable, Sendable {
  public enum Outcome: Hashable, Sendable {
    case launched(LaunchSession)
    case joined(LaunchSession)
    case state(AppState)
    case closed
    /// A message was sent to the web app; its arrival is not confirmed.
    case sent
    /// The application is connected to the web app no more, which may go on.
    case left
    case failed(ConnectionFailure)
  }
  /// The number of the request.
  public var request: UInt32
  public var outcome: Outcome
  public init(request: UInt32, _ outcome: Outcome) { (self.request, self.outcome) = (request, outcome) }
}

/// Why something could not be done with a device.
public struct ConnectionFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The raw value is what stands in JSON lines.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The application was told of no such device, or it is gone.
    case noDevice
    /// The device is not ready: it has to be connected first.
    case notConnected
    /// None of its services can do that, or the one that could does not say where.
    case unsupported
    /// What was asked for is too long, or empty.
    case badRequest
    /// Too much was asked at once.
    case busy
    /// Its server does not answer.
    case unreachable
    case timedOut
    /// What it answered is none of the answers that there are.
    case badResponse
    /// It answered with another status than those that mean something here.
    case status
    // Pairing.
    /// What the user typed is not what the device shows.
    case wrongKey
    case pairingCancelled
    /// The user typed nothing in time.
    case pairingTimedOut
    /// The device was lost in the middle.
    case deviceLost
    // Apps.
    /// The device does not know it.
    case noSuchApp
    /// It was closed meanwhile, or launched anew.
    case sessionGone
  }
  public var reason: Reason
  /// The status that was answered, where it tells something.
  public var status: Int?
  /// For people: what was expected and what was found.
  public var explanation: String
  public init(_ reason: Reason, status: Int? = nil, _ explanation: String) {
    (self.reason, self.status, self.explanation) = (reason, status, explanation)
  }
  public var description: String { explanation }
}

// Their text.
extension ConnectionReport {
  /// What it is called in lines.
  public var name: String {
    switch self {
    case .ready: "ready"
    case .disconnected: "disconnected"
    case .failed: "connection-failed"
    case .pairingRequired: "pairing-required"
    case .paired: "paired"
    }
  }

  func write(to words: inout WordWriter) {
    switch self {
    case .ready: break
    case .disconnected(let end): words.add(end.rawValue)
    case .failed(let failure): failure.write(to: &words)
    case .pairingRequired(let service, let kind):
      words.name(service)
      words.add(kind.rawValue)
    case .paired(let key): key.write(to: &words)
    }
  }

  /// `nil`: it has another name.
  init?(named name: Substring, from words: inout WordReader) throws(WordError) {
    switch name {
    case "ready": self = .ready
    case "disconnected": self = .disconnected(try words.value(ConnectionEnd.self, "asked, deviceLost or linkLost"))
    case "connection-failed": self = .failed(try ConnectionFailure(from: &words))
    case "pairing-required":
      let service = try words.name("the id of a service")
      self = .pairingRequired(service: service, try words.value(PairingKind.self, "pin or prompt"))
    case "paired": self = .paired(try RememberedKey(from: &words))
    default: return nil
    }
  }

  /// What people read. A key that was typed stays out of it.
  var text: String {
    switch self {
    case .ready: "ready"
    case .disconnected(.asked): "disconnected, as the application wanted"
    case .disconnected(.deviceLost): "disconnected: it is gone"
    case .disconnected(.linkLost): "disconnected: the connection to it has ended"
    case .failed(let failure): "not connected: \(failure.explanation)"
    case .pairingRequired(let service, .pin): "\(service) shows a number for the user to type"
    case .pairingRequired(let service, _): "\(service) asks the user to agree"
    case .paired(let key): "paired for \(key.service)"
    }
  }
}

extension AppReport {
  func write(to words: inout WordWriter) {
    words.add(request)
    words.add(outcome.name)
    switch outcome {
    case .launched(let session), .joined(let session): session.write(to: &words)
    case .state(let state): words.add(state.rawValue)
    case .closed, .sent, .left: break
    case .failed(let failure): failure.write(to: &words)
    }
  }

  init(from words: inout WordReader) throws(WordError) {
    request = try words.number("the number of a request")
    let expected = "launched, joined, state, closed, sent, left or failed"
    switch try words.next(expected) {
    case "launched": outcome = .launched(try LaunchSession(from: &words))
    case "joined": outcome = .joined(try LaunchSession(from: &words))
    case "state": outcome = .state(try words.value(AppState.self, "how an app is"))
    case "closed": outcome = .closed
    case "sent": outcome = .sent
    case "left": outcome = .left
    case "failed": outcome = .failed(try ConnectionFailure(from: &words))
    default: throw words.error(expected)
    }
  }

  /// What people read.
  var text: String {
    switch outcome {
    case .launched(let session): "launched \(session.appID)"
    case .joined(let session): "joined \(session.appID)"
    case .state(let state): "the app is \(state.rawValue)"
    case .closed: "closed the app"
    case .sent: "sent a message to the web app"
    case .left: "left the web app"
    case .failed(let failure): "did nothing with the app: \(failure.explanation)"
    }
  }
}

extension AppReport.Outcome {
  /// What it is called in lines.
  public var name: String {
    switch self {
    case .launched: "launched"
    case .joined: "joined"
    case .state: "state"
    case .closed: "closed"
    case .sent: "sent"
    case .left: "left"
    case .failed: "failed"
    }
  }
}

extension ConnectionFailure {
  func write(to words: inout WordWriter) {
    words.add(reason.rawValue)
    if let status {
      words.add("status")
      words.add(status)
    }
    words.name(explanation)
  }

  init(from words: inout WordReader) throws(WordError) {
    reason = try words.value(Reason.self, "why something could not be done")
    status = words.take("status") ? try words.number("a status") : nil
    explanation = try words.name("an explanation")
  }
}
