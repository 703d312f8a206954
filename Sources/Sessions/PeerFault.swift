/// A fault that can be planted into simulated peers and their sessions. The raw value stands behind `peers.` in scenarios.
package enum PeerFault: String, Hashable, Sendable, CaseIterable {
  // Finding peers.
  case infoDropped = "info-dropped"
  case lossNotTold = "loss-not-told"
  case identityKept = "identity-kept"
  case repeatsHidden = "repeats-hidden"
  case withdrawnAtOnce = "withdrawn-at-once"
  case backgroundIgnored = "background-ignored"
  case firstInterfaceOnly = "first-interface-only"
  // Invitations and members.
  case declineIgnored = "decline-ignored"
  case invitationNeverEnds = "invitation-never-ends"
  case helloOnce = "hello-once"
  case encryptionIgnored = "encryption-ignored"
  case mutualBothGoOn = "mutual-both-go-on"
  case membersNotIntroduced = "members-not-introduced"
  case ninthAdmitted = "ninth-admitted"
  case connectionsUncounted = "connections-uncounted"
  case mutualInTurn = "mutual-in-turn"
  case secondRefused = "second-refused"
  case leftWorks = "left-works"
  case optionalSealed = "optional-sealed"
  case silenceNeverEnds = "silence-never-ends"
  // What members send each other.
  case deliveredTwice = "delivered-twice"
  case lossForgotten = "loss-forgotten"
  case streamCut = "stream-cut"

  /// What it does, for people.
  package var explanation: String {
    switch self {
    case .infoDropped: "A peer is found without its discovery information."
    case .lossNotTold: "Applications are not told of peers that are lost."
    case .identityKept: "Who goes on as another peer has the ID of the old one."
    case .repeatsHidden: "A device that tells of peers repeatedly after the background does not (MX-4)."
    case .withdrawnAtOnce: "An advertiser that stops is withdrawn at once, whatever its device is like (MX-10)."
    case .backgroundIgnored: "A device in the background advertises, and keeps its sessions (MX-12)."
    case .firstInterfaceOnly: "Sessions use the first interface of a device, wherever the peer is."
    case .declineIgnored: "An inviter does not take a decline, and waits for the end of its time."
    case .invitationNeverEnds: "An invitation that nobody answers never ends."
    case .encryptionIgnored: "Sessions that do not agree about encryption are connected without it."
    case .helloOnce: "A connection is asked for once, and not again where nobody answers."
    case .mutualBothGoOn: "Of two invitations at the same time both go on, and end each other (MX-1)."
    case .membersNotIntroduced: "Members of a session are not introduced to a new one."
    case .ninthAdmitted: "A session takes more than eight members."
    case .connectionsUncounted: "A device that fails after so many connections does not (MX-13)."
    case .mutualInTurn: "A device on which invitations at the same time fail takes them in turn (MX-1)."
    case .secondRefused:
      "A member that has lost its connection and invites anew is refused while the old one lasts (MX-5)."
    case .optionalSealed: "Sessions with optional encryption are sealed, whatever their devices are like (MX-11)."
    case .leftWorks: "A session that sticks in connecting after it was left is used again (MX-8)."
    case .silenceNeverEnds: "A peer that fell silent stays connected for ever."
    case .deliveredTwice: "What comes twice is handed over twice."
    case .lossForgotten: "What was lost is not sent again."
    case .streamCut: "A stream that is closed drops what still waits."
    }
  }
}

/// A set of planted faults. They are built in by the trait `PlantedFaults`; without it no fault is ever on, which the
/// compiler knows.
package struct PeerFaults: Hashable, Sendable {
  private var bits: UInt32 = 0

  package init(_ faults: [PeerFault] = []) { for one in faults { insert(one) } }

  #if PlantedFaults
    package static let areBuiltIn = true
    package func contains(_ one: PeerFault) -> Bool { bits & PeerFaults.bit(one) != 0 }
  #else
    package static let areBuiltIn = false
    @inline(__always) package func contains(_ one: PeerFault) -> Bool { false }
  #endif

  package mutating func insert(_ one: PeerFault) { bits |= PeerFaults.bit(one) }

  // An enum without payloads counts its cases in one byte; a test holds it to that.
  private static func bit(_ one: PeerFault) -> UInt32 { 1 &<< UInt32(unsafeBitCast(one, to: UInt8.self)) }
}
