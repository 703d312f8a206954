package import RollcallPrimitives
import RollcallWire

/// Limits of a session, and what it does where MultipeerConnectivity's documentation leaves it open.
package struct SessionPolicy: Hashable, Sendable {
  // MARK: Limits

  /// The largest packet, the bytes of one UDP datagram: 1 452 fit an Ethernet frame below IPv6. 300 ... 65 507.
  package var packetBytesMaximum = 1_452
  /// Members of a session with oneself (kMCSessionMaximumNumberOfPeers); the ninth is refused.
  package var peersMaximum = 8
  /// The longest message that is taken from a peer, and that can be sent.
  package var messageBytesMaximum = 16 &<< 20
  /// What may wait to be sent reliably to one peer; more is refused as `unavailable`.
  package var queueBytesMaximum = 64 &<< 20
  /// What a stream may have under way before its reader has taken it.
  package var streamBytesMaximum = 256 &<< 10
  /// What is asked of the source of a resource at once.
  package var resourceChunkBytes = 64 &<< 10
  /// Streams and resources that are open at once, in each direction with each peer.
  package var channelsMaximum = 64
  /// Connections and invitations that others asked for and that are not decided yet.
  package var openingsMaximum = 16
  /// Connection data that was handed out and not used.
  package var tokensMaximum = 64
  /// Rejections that wait for the owner; what is beyond is counted and not told.
  package var rejectionsMaximum = 64
  /// For invitations without a time of their own, for members that are introduced, and for manual connections.
  package var openingTimeout = Interval.seconds(30)
  /// A peer of which nothing was heard for so long is gone.
  package var silenceMaximum = Interval.seconds(20)
  /// A peer is asked for an acknowledgement when nothing was sent to it for so long.
  package var keepAliveInterval = Interval.seconds(2)
  /// How long an end is said again to a peer that does not acknowledge it.
  package var lingerTime = Interval.seconds(5)

  // MARK: Open questions

  /// Two peers invite each other at the same time (MX-1).
  package enum MutualInvitations: String, Hashable, Sendable, CaseIterable {
    /// The invitation of the peer with the lower ID stands; the other one is given up without a report.
    case lowerStands
    /// Both go on. The second one that is accepted ends the connection of the first, and both, as seen in the field.
    case bothFail
  }
  package var mutualInvitations = MutualInvitations.lowerStands

  /// A peer that is connected, or that has an invitation under way, is invited again.
  package enum SecondInvitation: String, Hashable, Sendable, CaseIterable {
    /// The second one is an error (`invalidParameter`) and changes nothing.
    case refused
    /// It changes nothing, and is no error.
    case ignored
  }
  package var secondInvitation = SecondInvitation.refused

  /// A peer that is connected invites us from another place or after a fresh start (MX-5).
  package enum SecondConnection: String, Hashable, Sendable, CaseIterable {
    /// With the same key the new one takes the place of the old one, which is reported as ended.
    case replaces
    /// It is refused while the old one lasts.
    case refused
  }
  package var secondConnection = SecondConnection.replaces

  /// The delegate has no method for certificates, or has one (MP-42).
  package enum CertificateDecision: String, Hashable, Sendable, CaseIterable {
    case accepted, asked
  }
  package var certificateDecision = CertificateDecision.accepted

  /// An invitation is answered a second time.
  package enum SecondAnswer: String, Hashable, Sendable, CaseIterable { case ignored, refused }
  package var secondAnswer = SecondAnswer.ignored

  /// Whether a declined inviter is told, or waits for its timeout (MX-9).
  package enum Declining: String, Hashable, Sendable, CaseIterable { case told, silent }
  package var declining = Declining.told

  /// Both sides of a connection leave encryption open (MP-43).
  package enum OptionalEncryption: String, Hashable, Sendable, CaseIterable {
    case sealed
    /// It is plain, as somebody on the way could make it before iOS 9 (MX-11). Both sides have to have this choice.
    case plain
  }
  package var optionalEncryption = OptionalEncryption.sealed

  /// A message without a byte.
  package enum EmptyMessage: String, Hashable, Sendable, CaseIterable { case sent, refused }
  package var emptyMessage = EmptyMessage.sent

  /// A message for nobody.
  package enum EmptyTargets: String, Hashable, Sendable, CaseIterable { case refused, ignored }
  package var emptyTargets = EmptyTargets.refused

  /// One of several receivers is not connected (MP-29).
  package enum MissingTarget: String, Hashable, Sendable, CaseIterable {
    /// The call is an error and nobody gets anything.
    case nothingSent
    /// The call is an error and the others get it.
    case othersServed
  }
  package var missingTarget = MissingTarget.nothingSent

  /// An unreliable message that does not fit one packet.
  package enum LargeUnreliable: String, Hashable, Sendable, CaseIterable { case sentReliably, refused }
  package var largeUnreliable = LargeUnreliable.sentReliably

  /// Whether one's own disconnect is reported peer by peer.
  package enum OwnDisconnect: String, Hashable, Sendable, CaseIterable { case reported, silent }
  package var ownDisconnect = OwnDisconnect.reported

  /// A session is used again after its disconnect (MX-8).
  package enum Reuse: String, Hashable, Sendable, CaseIterable {
    case works
    /// Attempts stay in `connecting` until they time out, as seen in the field.
    case stuckInConnecting
  }
  package var reuse = Reuse.works

  /// After so many connections the next attempts fail (MX-13); `nil`: never.
  package var connectionsMaximum: Int?

  /// What is planted into it.
  package var faults = PeerFaults()

  package init() {}

  /// Bytes of a piece in a packet that has no other frame.
  var pieceBytesMaximum: Int {
    packetBytesMaximum - SessionHeader.byteCount - SessionHeader.tagBytes - SessionFrame.Piece.headerBytes
  }
  package var takesMutualInvitationsInTurn: Bool {
    (mutualInvitations == .lowerStands || faults.contains(.mutualInTurn)) && !faults.contains(.mutualBothGoOn)
  }
  var replacesConnections: Bool { secondConnection == .replaces && !faults.contains(.secondRefused) }
  var unreliableBytesMaximum: Int {
    packetBytesMaximum - SessionHeader.byteCount - SessionHeader.tagBytes - SessionFrame.unreliableHeaderBytes
  }
}
