package import RollcallPrimitives
package import RollcallWire

/// What an application asks wrongly, or what ends its wishes (MP-47).
package enum SessionError: Error, Hashable, Sendable, CaseIterable {
  case notConnected, invalidParameter, timedOut, cancelled, unavailable
  /// The source of a resource, or what takes it, failed: none of MultipeerConnectivity's own errors.
  case failed
}

/// Why a packet was dropped.
package enum SessionRejection: Error, Hashable, Sendable {
  case malformed(SessionFault)
  case badSignature, badSeal, notSealedAsAgreed, packetAgain, unknownConnection, wrongSource, notExpected
  case tooManyOpenings, wrongOrder
}

/// Where a peer stands (MP-24).
package enum PeerState: UInt8, Hashable, Sendable, CaseIterable { case notConnected = 0, connecting, connected }

/// A stream or resource between us and a peer.
package struct SessionChannelID: Hashable, Sendable {
  package var peer: SessionPeerID
  package var number: UInt32
  /// Whether the peer sends and we receive.
  package var isIncoming: Bool
  package init(peer: SessionPeerID, number: UInt32, isIncoming: Bool) {
    (self.peer, self.number, self.isIncoming) = (peer, number, isIncoming)
  }
}

/// What a session tells its owner, in order.
package enum SessionEvent: Hashable, Sendable {
  case invited(number: Int, SessionCard, context: [UInt8]?)
  /// An invitation ended without an answer: withdrawn, timed out or its sender gone.
  case invitationEnded(number: Int)
  case state(SessionPeerID, PeerState)
  /// To be answered with `decide`; `nil`: the peer has no identity.
  case certificate(SessionPeerID, chain: [[UInt8]]?)
  /// A member told us of another one, whose address does not say on which of our interfaces it is. To be answered with
  /// `introduce`: there, or where the owner sees it.
  case introduced(SessionCard, at: Endpoint)
  case message(SessionPeerID, [UInt8], isReliable: Bool)
  case streamOpened(SessionChannelID, name: String)
  /// To be answered with `consumed` when the reader has taken them.
  case streamBytes(SessionChannelID, [UInt8])
  case streamRoom(SessionChannelID, bytes: Int)
  case resourceStarted(SessionChannelID, name: String, fileName: String, byteCount: Int?)
  /// The source is to give so many bytes, or fewer, by `supply`.
  case resourceWanted(SessionChannelID, bytes: Int)
  case resourceBytes(SessionChannelID, [UInt8])
  /// Never falls; the size of the resource is told only when it was delivered.
  case progress(SessionChannelID, bytes: Int)
  /// A stream or resource is over, told once; `nil`: whole.
  case ended(SessionChannelID, SessionError?)
  case rejected(SessionRejection, from: Endpoint)
}
