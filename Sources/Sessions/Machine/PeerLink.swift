import RollcallPrimitives
import RollcallWire

/// One attempt to connect to a peer, and the connection that comes of it.
struct PeerLink: Sendable {
  enum Stage: Sendable {
    /// Our hello waits for a welcome.
    case opening
    /// The other side is asked, or asks us; nothing is agreed yet.
    case asking
    /// Certificates are looked at.
    case deciding
    case connected
    /// It says that it ends; the session knows it no longer.
    case closing
  }

  let number: UInt64
  let isAsker: Bool
  let purpose: SessionOpening.Purpose
  var peer: SessionPeerID
  var card: SessionCard?
  var endpoint: Endpoint
  /// Where we are reached over it.
  var here: SessionPlace
  var stage: Stage
  /// The hello of an asker, or the welcome of an answerer: sent again as it is.
  var opening: [UInt8]
  var askedLink: UInt64 = 0
  let agreement: UInt64
  var nextHello = Instant.never
  var helloWait = Interval.milliseconds(200)
  /// Not connected by then: the attempt has failed.
  var deadline: Instant
  var transport: LinkTransport?
  /// What an asker has to say when the connection is open.
  var context: [UInt8]?
  /// The number of the invitation that the owner has to answer.
  var invitation: Int?
  /// What the inviter showed, until the invitation is answered.
  var pendingCertificates: [[UInt8]] = []
  var incoming: [IncomingChannel] = []
  var highestIncoming: UInt32 = 0
  /// The number of the last channel that we opened.
  var lastChannel: UInt32 = 0
  var isReady = false
  var isOtherReady = false

  func next() -> Instant {
    var next = transport?.deadline() ?? .never
    if stage == .opening { next = min(next, nextHello) }
    if stage != .connected, stage != .closing { next = min(next, deadline) }
    return next
  }
}
