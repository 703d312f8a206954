import MultipeerConnectivity
import RollcallSessions

/// A choice where the documentation of MultipeerConnectivity leaves it open, other than the usual one: the table of
/// policies in docs/multipeerconnectivity.md.
public enum NearbyPolicy: Hashable, Sendable {
  /// An invitation handler that is called with `true` and no session gives no answer: the inviter's time runs out.
  case acceptWithoutSessionIsNoAnswer
  /// An invitation handler that is called again answers again.
  case secondAnswerIsGiven
  /// An answer to an invitation is nothing after the advertiser has stopped.
  case answerAfterStopIsIgnored
  /// A peer that is invited into a session while an invitation is under way is invited again.
  case repeatedInvitationIsSent
  /// `send` of no byte throws `MCError.invalidParameter`.
  case emptyMessageIsInvalid
  /// `send` to nobody does nothing.
  case emptyReceiversAreAllowed
  /// A message to several peers, of which one is not connected, goes to the others; `send` throws.
  case unknownReceiverIsLeftOut
  /// One peer more than a session holds is invited, and the session decides.
  case ninthPeerIsLeftToTheSession
  /// An advertiser that was found is not found again with other discovery information.
  case changedInfoIsSilent
  /// A browser finds the advertisement of its own peer.
  case ownAdvertisementIsFound
  /// A delegate is not told of the peers that its own `disconnect()` parted it from.
  case ownDisconnectIsSilent
  /// For a delegate without the method that decides, no certificate is accepted: the attempt's time runs out.
  case certificateWithoutCallbackIsNoAnswer
  /// The most bytes of one message; `send` throws `MCError.invalidParameter` above.
  case messageBytesMaximum(Int)
  /// How many bytes a stream holds for a writer until the phone has taken them.
  case streamBytesMaximum(Int)

  func apply(to door: inout PeerPolicies, _ sessions: inout SessionPolicy) {
    switch self {
    case .acceptWithoutSessionIsNoAnswer: door.acceptWithoutSession = .isNoAnswer
    case .secondAnswerIsGiven: door.secondAnswer = .isGiven
    case .answerAfterStopIsIgnored: door.answerAfterStop = .isIgnored
    case .repeatedInvitationIsSent: door.repeatedInvitation = .isSent
    case .emptyMessageIsInvalid: door.emptyMessage = .isInvalid
    case .emptyReceiversAreAllowed: door.emptyReceivers = .isAllowed
    case .unknownReceiverIsLeftOut: door.unknownReceiver = .isLeftOut
    case .ninthPeerIsLeftToTheSession: door.ninthPeer = .isLeftToTheDevice
    case .changedInfoIsSilent: door.changedInfo = .isSilent
    case .ownAdvertisementIsFound: door.findsOwnAdvertisement = true
    case .ownDisconnectIsSilent: door.tellsOfOwnDisconnect = false
    case .certificateWithoutCallbackIsNoAnswer: door.certificateWithoutCallback = .isNoAnswer
    case .messageBytesMaximum(let count):
      door.messageBytesMaximum = count
      sessions.messageBytesMaximum = count
    case .streamBytesMaximum(let count): door.streamBytesMaximum = count
    }
  }
}
