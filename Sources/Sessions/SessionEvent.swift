package import RollcallPrimitives
package import RollcallWire

/// What an application asks wrongly, or what ends its wishes (MP-47).
package enum SessionError: Error, Hashable, Sendable, CaseIterable {
  case notConnected, invalidParameter, timedOut, cancelled, unavailable
}

/// Why a packet was dropped.
package enum SessionRejection: Error, Hashable, Sendable {
  case malformed(SessionFault)
  case badSignature, badSeal, notSealedAsAgreed, packetAgain, unknownConnection, wrongSource, notExpected
  case tooManyOpenings, wrongOrder
}

/// Where a peer stands (MP-24).
package enum PeerState: UInt8, Hashable, Sendable, CaseIterable { case notConnected = 0, connecting, connected }

/// What a session tells its owner, in order.
package enum SessionEvent: Hashable, Sendable {
  case invited(number: Int, SessionCard, context: [UInt8]?)
  /// An invitation ended without an answer: withdrawn, timed out or its sender gone.
  case invitationEnded(number: Int)
  case state(SessionPeerID, PeerState)
  /// To be answered with `decide`; `nil`: the peer has no identity.
  case certificate(SessionPeerID, chain: [[UInt8]]?)
  case message(SessionPeerID, [UInt8], isReliable: Bool)
  case rejected(SessionRejection, from: Endpoint)
}
