/// What the documentation leaves open, one named choice for each case. A device has one value of it for all its
/// objects; the defaults are those of `PeerPolicies()`.
package struct PeerPolicies: Hashable, Sendable {
  /// An invitation handler that is called with `true` and no session.
  package enum AcceptWithoutSession: String, CaseIterable, Sendable {
    /// The inviter is told at once.
    case declines
    /// As if the handler had not been called: the inviter's time runs out.
    case isNoAnswer
  }

  /// An invitation handler that is called again.
  package enum SecondAnswer: String, CaseIterable, Sendable {
    case isIgnored
    /// The device is told again, and decides.
    case isGiven
  }

  /// An answer to an invitation that came before the advertiser stopped.
  package enum AnswerAfterStop: String, CaseIterable, Sendable {
    case isGiven
    case isIgnored
  }

  /// A second invitation of a peer into one session, while the first is under way.
  package enum RepeatedInvitation: String, CaseIterable, Sendable {
    case isIgnored
    case isSent
  }

  /// A message or a list of receivers without anything in it.
  package enum Emptiness: String, CaseIterable, Sendable {
    case isAllowed
    /// `send` throws `MCError.invalidParameter`.
    case isInvalid
  }

  /// A message to several peers, of which one is not connected. `send` throws in both cases.
  package enum UnknownReceiver: String, CaseIterable, Sendable {
    case stopsTheMessage
    /// The others are sent the message.
    case isLeftOut
  }

  /// One peer more than a session holds.
  package enum NinthPeer: String, CaseIterable, Sendable {
    /// It is not invited, or its invitation is declined.
    case isRefused
    /// The device decides.
    case isLeftToTheDevice
  }

  /// An advertiser that was found, and is found again with other discovery information.
  package enum ChangedInfo: String, CaseIterable, Sendable {
    case isFoundAgain
    case isSilent
  }

  /// The certificate of a peer, for a delegate without the method that decides.
  package enum CertificateWithoutCallback: String, CaseIterable, Sendable {
    case isAccepted
    /// As if a handler were never called: the attempt stays until its time runs out.
    case isNoAnswer
  }

  package var acceptWithoutSession = AcceptWithoutSession.declines
  package var secondAnswer = SecondAnswer.isIgnored
  package var answerAfterStop = AnswerAfterStop.isGiven
  package var repeatedInvitation = RepeatedInvitation.isIgnored
  package var emptyMessage = Emptiness.isAllowed
  package var emptyReceivers = Emptiness.isInvalid
  package var unknownReceiver = UnknownReceiver.stopsTheMessage
  package var ninthPeer = NinthPeer.isRefused
  package var changedInfo = ChangedInfo.isFoundAgain
  package var certificateWithoutCallback = CertificateWithoutCallback.isAccepted
  /// Whether a delegate is told of each peer that its own `disconnect()` parted it from.
  package var tellsOfOwnDisconnect = true
  /// Whether a browser is told of the advertisement of its own peer.
  package var findsOwnAdvertisement = false
  /// The most bytes of one message; `send` throws `MCError.invalidParameter` above. Nil: no limit.
  package var messageBytesMaximum: Int?
  /// How many bytes a stream holds for a writer until the device has taken them.
  package var streamBytesMaximum = 65_536

  package init() {}
}
