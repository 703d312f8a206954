package import RollcallPrimitives
package import RollcallSessions
package import RollcallWire

/// A peer of this device: 16 bytes that no other peer has, and the name that people read.
package struct PeerName: Hashable, Sendable {
  package var id: SessionPeerID
  /// 1 ... 63 bytes of UTF-8.
  package var name: String
  package init(_ id: SessionPeerID, _ name: String) { (self.id, self.name) = (id, name) }
}

/// One pair of discovery information.
package struct PeerInfo: Hashable, Sendable {
  package var key: String
  package var value: String
  package init(_ key: String, _ value: String) { (self.key, self.value) = (key, value) }
}

/// What the applications of a device ask of it. Advertisers, browsers and sessions have numbers that the caller gives,
/// apart for each of the three.
package enum PeerCommand: Hashable, Sendable {
  /// Answered with `advertisingFailed` where it cannot be.
  case advertise(Int, PeerName, type: String, info: [PeerInfo]?)
  case stopAdvertising(Int)
  /// Answers `invited`; with a session the inviter is accepted into it, without one it is declined.
  case answer(invitation: Int, session: Int?)
  /// Tells of every peer that is there, or answers with `browsingFailed`.
  case browse(Int, PeerName, type: String)
  case stopBrowsing(Int)
  /// Invites a peer that was found; it ends in states of the session.
  /// - Parameter time: `nil`: without an end.
  case invite(SessionPeerID, session: Int, context: [UInt8]?, time: Interval?)
  case openSession(Int, PeerSessionSetup)
  /// The session is gone: it leaves, and tells nothing more.
  case closeSession(Int)
  case session(Int, PeerSessionCommand)
  /// Applications are in the background: they neither advertise nor browse, and their sessions leave.
  case background(Bool)
}

package struct PeerSessionSetup: Hashable, Sendable {
  package var peer: PeerName
  package var certificates: [[UInt8]]
  package var preference: EncryptionPreference
  /// Whether `certificate` is to be told and answered; else every peer is accepted.
  package var asksForCertificates: Bool

  package init(
    _ peer: PeerName, certificates: [[UInt8]] = [], preference: EncryptionPreference = .optional,
    asksForCertificates: Bool = false
  ) {
    (self.peer, self.certificates, self.preference) = (peer, certificates, preference)
    self.asksForCertificates = asksForCertificates
  }
}

/// What an application asks of one of its sessions. Streams and resources of this side have numbers that the caller
/// gives, apart for each session; those of the other side are named as the session tells of them.
package enum PeerSessionCommand: Hashable, Sendable {
  case disconnect
  case send([UInt8], to: [SessionPeerID], isReliable: Bool)
  case decide(SessionPeerID, accepts: Bool)

  case openStream(Int, name: String, to: SessionPeerID)
  /// Answered with `taken`.
  case write(Int, [UInt8])
  case close(Int)
  case consumed(SessionChannelID, byteCount: Int)

  case openResource(Int, name: String, fileName: String, byteCount: Int, to: SessionPeerID)
  /// Bytes that `resourceWanted` asked for, or fewer.
  case supply(Int, [UInt8])
  /// Ends a stream or resource of this side early.
  case cancel(Int)
  case cancelIncoming(SessionChannelID)

  /// Answered with `connectionData`.
  case connectionData(Int, for: SessionPeerID)
  case connect(SessionPeerID, [UInt8])
  case cancelConnect(SessionPeerID)
}

/// What a device tells its applications, in order.
package enum PeerEvent: Hashable, Sendable {
  case advertisingFailed(Int, SessionError)
  /// To be answered with `answer`, late, or never.
  case invited(advertiser: Int, invitation: Int, from: PeerName, context: [UInt8]?)
  /// It was withdrawn, its time is over, or its sender is gone.
  case invitationEnded(advertiser: Int, invitation: Int)
  case browsingFailed(Int, SessionError)
  /// Found, or found again with other information.
  case found(browser: Int, PeerName, [PeerInfo]?)
  case lost(browser: Int, SessionPeerID)
  /// What a session tells, but for invitations.
  case session(Int, SessionEvent)
  /// A stream or resource of this side is open, by this name.
  case opened(session: Int, Int, SessionChannelID)
  /// It could not be opened.
  case notOpened(session: Int, Int, SessionError)
  /// So many bytes that were written to a stream of this side are on their way.
  case taken(session: Int, Int, byteCount: Int)
  case connectionData(session: Int, Int, Result<[UInt8], SessionError>)
  /// A session could not do what it was asked for.
  case failed(session: Int, SessionError)
}
