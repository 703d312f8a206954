package import MultipeerConnectivity
package import RollcallPeers
public import RollcallPrimitives
package import RollcallSessions

/// Something that devices were seen to do in the field, to be reproduced: the MX rows of docs/multipeerconnectivity.md.
public enum NearbyFault: Hashable, Sendable {
  /// Of two invitations at the same time each ends the other; without this fault the one of the lower identity stands (MX-1).
  case mutualInvitationsFail
  /// An advertisement stays for so long after its advertiser has stopped, and nobody answers for it: found by everybody,
  /// the phone itself included (MX-2), and not lost where the advertiser starts again meanwhile (MX-10).
  case lateWithdrawal(Interval)
  /// Every peer is told so often again when applications come back from the background (MX-4).
  case foundAgain(Int)
  /// Two sessions with one pair of peers: the later connection ends the earlier one (MX-5).
  case sharedPeersCollide
  /// Peers are found, and no session comes through; attempts end after ten seconds (MX-6).
  case noDataPath
  /// Peers are found at once, and sessions come through only so long after the phone has come to the network (MX-7).
  case lateDataPath(Interval)
  /// A session that was disconnected stays in `connecting` when it is used again, until the time runs out (MX-8).
  case stuckAfterDisconnect
  /// Who declines says nothing, so that its inviter sees what it sees of a loss (MX-9).
  case silentDecline
  /// Two sessions with optional encryption talk in plain bytes (MX-11).
  case plainIfOptional
  /// After so many connections of the phone no other one comes to be (MX-13).
  case fewConnections(Int)
}

/// How the nearby side of a phone behaves.
public struct NearbySettings: Sendable {
  public var faults: [NearbyFault]
  public var policies: [NearbyPolicy]

  public init(faults: [NearbyFault] = [], policies: [NearbyPolicy] = []) {
    (self.faults, self.policies) = (faults, policies)
  }

  /// At the door of the phone, and for its sessions.
  private var choices: (door: PeerPolicies, sessions: SessionPolicy) {
    var (door, sessions) = (PeerPolicies(), SessionPolicy())
    // The door tells of that itself.
    sessions.ownDisconnect = .silent
    door.messageBytesMaximum = sessions.messageBytesMaximum
    for policy in policies { policy.apply(to: &door, &sessions) }
    return (door, sessions)
  }

  package var doorPolicies: PeerPolicies { choices.door }

  /// - Parameter host: the label of the phone's host name.
  package func plan(host: String, _ cipher: @escaping @Sendable ([UInt8]) -> any SessionCipher) -> PeerPlan {
    var plan = PeerPlan(host: host, cipher: cipher)
    plan.sessions = choices.sessions
    for fault in faults {
      switch fault {
      case .mutualInvitationsFail: plan.sessions.mutualInvitations = .bothFail
      case .lateWithdrawal(let delay): plan.quirks.withdrawalDelay = delay
      case .foundAgain(let count): plan.quirks.repeatedFoundCount = count
      case .sharedPeersCollide: plan.quirks.endsEarlierSession = true
      case .noDataPath: (plan.quirks.hasNoDataPath, plan.quirks.attemptMaximum) = (true, .seconds(10))
      case .lateDataPath(let delay): plan.quirks.dataPathDelay = delay
      case .stuckAfterDisconnect: plan.sessions.reuse = .stuckInConnecting
      case .silentDecline: plan.sessions.declining = .silent
      case .plainIfOptional: plan.sessions.optionalEncryption = .plain
      case .fewConnections(let count): plan.quirks.connectionsMaximum = count
      }
    }
    return plan
  }
}
