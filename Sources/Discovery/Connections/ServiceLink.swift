import RollcallPrimitives
import RollcallWire

/// The connection to a webOS service of one device, over which it is controlled.
struct ServiceLink {
  enum Stage: Hashable {
    /// Until the WebSocket stands.
    case opening
    /// Until the television lets the application in.
    case registering
    /// The screen asks the user.
    case asking
    case ready
  }

  struct Request {
    /// Of the message.
    var id: String
    var request: AppRequest
    var limit: Instant
  }

  /// A web app that was joined, and is heard.
  struct Channel {
    var session: LaunchSession
    /// What the television calls the web app.
    var app: String
    /// Of the message by which it was joined: a later answer to that is about it, too.
    var messageID: String
  }

  /// The id of the device.
  let id: String
  let service: ReachableService
  var socket: WebSocketClient
  var stage = Stage.opening
  /// When the stage has to be over.
  var limit: Instant
  /// What it was given in an earlier launch of the application.
  let remembered: String?
  var requests: [Request] = []
  /// One for each web app, in the order in which they were joined.
  var channels: [Channel] = []
  private(set) var messageTotal = 0

  init(
    id: String, _ service: ReachableService, _ socket: WebSocketClient, limit: Instant, remembered: String?
  ) {
    (self.id, self.service, self.socket, self.limit, self.remembered) = (id, service, socket, limit, remembered)
  }

  var deadline: Instant { requests.reduce(limit) { min($0, $1.limit) } }

  /// The id of the next message.
  mutating func nextID() -> String {
    messageTotal &+= 1
    return String(messageTotal)
  }

  /// Of the registration, which is the first message.
  static let registrationID = "1"
}
