package import RollcallPrimitives
package import RollcallSessions
package import RollcallWire

/// What a nearby peer of a virtual network is like, and what it does.
package struct NearbyPeerPlan: Hashable, Sendable {
  package enum Answer: String, Hashable, Sendable, CaseIterable {
    case accepts, declines, ignores
  }
  package enum Invites: Hashable, Sendable {
    case everybody
    /// Those whose ID is higher: of two that would invite each other one does (MX-1).
    case elected
    /// By the names that people read.
    case named([String])
  }
  package struct Message: Hashable, Sendable {
    /// `nil`: bytes that begin with the number of the message, where it is reliable and has ten of them.
    package var text: String?
    package var byteCount = 100
    /// After a peer was connected; `nil`: when the timeline says so.
    package var after: Interval? = .zero
    package var times = 1
    package var interval = Interval.zero
    package var isReliable = true
    /// By the names that people read; none: to all members.
    package var to: [String] = []
    package init() {}
  }

  /// What people read; `nil`: the name of its host.
  package var name: String?
  package var type = "nearby"
  package var info: [PeerInfo] = []
  package var advertises = true
  package var browses = true
  package var answer = Answer.accepts
  package var answerDelay = Interval.zero
  package var invites: Invites?
  package var inviteDelay = Interval.zero
  /// Text that goes with each invitation.
  package var context: String?
  /// Zero: that of a session, 30 s.
  package var inviteTimeout = Interval.zero
  /// After an attempt or a connection ended, the peer is invited again so much later.
  package var inviteAgain: Interval?
  /// Whether members are invited as well, as by an application that does not look who is there.
  package var invitesMembers = false
  package var messages: [Message] = []
  /// A file of so many bytes for each peer that is connected.
  package var fileByteCount: Int?
  package var streamByteCount: Int?
  package var encryption = EncryptionPreference.optional
  package var sessions = SessionPolicy()
  package var quirks = PeerQuirks()
  package init() {}

  package var faults: PeerFaults { sessions.faults }

  /// What everything but numbered messages is made of.
  static let filler: UInt8 = 0x5A

  func device(named host: String) -> PeerPlan {
    var plan = PeerPlan(host: host) { StandInCipher(seed: $0) }
    (plan.sessions, plan.quirks) = (sessions, quirks)
    return plan
  }

  /// The ID of a peer of a host: neither the seed nor a new neighbour changes it.
  package static func id(ofHost host: String, _ identity: Int) -> SessionPeerID {
    var stream = Seed(UInt64(identity)).stream("peer/" + host)
    return SessionPeerID(high: stream.next(), low: stream.next())
  }

  /// How an engine that browses names a peer of this type.
  package func deviceName(of id: SessionPeerID) -> String { "peer:\(PeerRecord.instance(of: id))._\(type)._udp.local" }
}
