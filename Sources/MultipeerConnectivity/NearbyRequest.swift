/// What an object asks its device to do. Runs, transfers and streams have numbers that the door gives out, apart for
/// each object; those that begin with the other side have the device's numbers.
package enum NearbyRequest: Hashable, Sendable {
  case advertiser(AdvertiserRequest)
  case browser(BrowserRequest)
  case session(SessionRequest)
  case assistant(AssistantRequest)
  case browserView(BrowserViewRequest)
}

package enum AdvertiserRequest: Hashable, Sendable {
  case start(run: Int)
  case stop(run: Int)
  /// The answer to an invitation. With a session the inviter is accepted into it; without one it is declined.
  case answer(invitation: Int, session: NearbyNumber?)
}

package enum BrowserRequest: Hashable, Sendable {
  /// Tells of every peer that is there, those that an earlier run told of as well.
  case start(run: Int)
  case stop(run: Int)
  case invite(Invitation)
}

/// An invitation into a session of the same device. It ends in `.state` events of that session: `notConnected` if it is
/// declined, or not answered in time; an answer that comes later changes nothing.
package struct Invitation: Hashable, Sendable {
  package var peer: PeerKey
  package var session: NearbyNumber
  package var context: [UInt8]?
  /// Nil: without an end.
  package var timeoutNanoseconds: Int64?

  package init(peer: PeerKey, session: NearbyNumber, context: [UInt8]?, timeoutNanoseconds: Int64?) {
    self.peer = peer
    self.session = session
    self.context = context
    self.timeoutNanoseconds = timeoutNanoseconds
  }
}

package enum SessionRequest: Hashable, Sendable {
  /// Leaves: every other member sees this peer as not connected. Transfers and streams are over.
  case disconnect

  /// One message to peers that are connected.
  case send([UInt8], to: [PeerKey], MCSessionSendDataMode)

  // MARK: Streams of this side

  case openStream(Int, name: String, to: PeerKey)
  /// At most `PeerPolicies.streamBytesMaximum` bytes that were not taken are under way; answered with `.streamTaken`.
  case write(stream: Int, [UInt8])
  case closeStream(Int)

  // MARK: Streams of the other side

  /// The application has read this many bytes more.
  case read(stream: Int, byteCount: Int)
  case closeIncomingStream(Int)

  // MARK: Resources

  /// Answered with `.resourceWanted` for its bytes, and in the end with `.resourceSent`.
  case startResource(ResourceOffer, to: PeerKey)
  case resourceBytes(Int, [UInt8])
  /// No other answer comes.
  case cancelResource(Int)
  /// The receiver does not want the rest.
  case cancelIncomingResource(Int)

  // MARK: Connecting without an invitation

  /// Answered with `.connectionData`.
  case connectionData(Int, for: PeerKey)
  case connect(PeerKey, connectionData: [UInt8])
  /// Ends an attempt, and forgets connection data that was given for the peer.
  case cancelConnect(PeerKey)

  case answerCertificate(Int, accepts: Bool)
}

/// A resource, as its receiver hears of it.
package struct ResourceOffer: Hashable, Sendable {
  package var number: Int
  /// The application's name for it.
  package var name: String
  /// The last component of the sender's URL.
  package var fileName: String
  package var byteCount: Int

  package init(number: Int, name: String, fileName: String, byteCount: Int) {
    self.number = number
    self.name = name
    self.fileName = fileName
    self.byteCount = byteCount
  }
}

package enum AssistantRequest: Hashable, Sendable {
  /// Asks the person; answered with `.answered`, or never.
  case present(Int, from: PeerKey, context: [UInt8]?)
  case dismiss(Int)
}

package enum BrowserViewRequest: Hashable, Sendable {
  /// Shown, or changed.
  case present(BrowserScreen)
  case dismiss
}

/// What the person sees of a browser.
package struct BrowserScreen: Hashable, Sendable {
  package enum RowState: String, Hashable, Sendable {
    case found, invited, connected, declined
  }

  package struct Row: Hashable, Sendable {
    package var peer: PeerKey
    package var info: [InfoPair]?
    package var state: RowState

    package init(peer: PeerKey, info: [InfoPair]?, state: RowState) {
      self.peer = peer
      self.info = info
      self.state = state
    }
  }

  /// In the order in which they were found.
  package var rows: [Row]
  /// Whether Done can be pressed.
  package var isDoneEnabled: Bool
  /// Whether a peer can be selected.
  package var canInvite: Bool

  package init(rows: [Row], isDoneEnabled: Bool, canInvite: Bool) {
    self.rows = rows
    self.isDoneEnabled = isDoneEnabled
    self.canInvite = canInvite
  }
}
