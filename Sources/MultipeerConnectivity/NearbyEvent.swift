/// What a device tells one object. Events of one object are handled in the order in which they are pushed; those that
/// are not for its role are dropped.
package enum NearbyEvent: Hashable, Sendable {
  case advertiser(AdvertiserEvent)
  case browser(BrowserEvent)
  case session(SessionEvent)
  case assistant(AssistantEvent)
  case browserView(BrowserViewEvent)
}

package enum AdvertiserEvent: Hashable, Sendable {
  /// The run is over.
  case failed(run: Int, PeerError)
  /// Answered with `.answer`, late, or never.
  case invited(run: Int, invitation: Int, from: PeerKey, context: [UInt8]?)
}

package enum BrowserEvent: Hashable, Sendable {
  /// The run is over.
  case failed(run: Int, PeerError)
  case found(run: Int, PeerKey, [InfoPair]?)
  case lost(run: Int, PeerKey)
}

package enum SessionEvent: Hashable, Sendable {
  case state(PeerKey, MCSessionState)
  /// One message.
  case data([UInt8], from: PeerKey)
  /// Before a peer is connected; nil: it has no identity. Answered with `.answerCertificate`, late, or never.
  case certificate(Int, chain: [[UInt8]]?, from: PeerKey)

  // MARK: Streams of this side

  case streamTaken(Int, byteCount: Int)
  /// The reader has closed it, without an error, or it broke.
  case streamEnded(Int, PeerError?)

  // MARK: Streams of the other side

  case streamOffered(Int, name: String, from: PeerKey)
  case streamBytes(Int, [UInt8])
  case incomingStreamEnded(Int, PeerError?)

  // MARK: Resources of this side

  /// The device has room for this many bytes more.
  case resourceWanted(Int, byteCount: Int)
  /// How many bytes the receiver has, in all.
  case resourceTaken(Int, byteCount: Int)
  case resourceSent(Int, PeerError?)

  // MARK: Resources of the other side

  /// With the device's number.
  case resourceOffered(ResourceOffer, from: PeerKey)
  case resourceBytes(Int, [UInt8])
  case resourceReceived(Int, PeerError?)

  case connectionData(Int, Result<[UInt8], PeerError>)
}

package enum AssistantEvent: Hashable, Sendable {
  case answered(Int, accepts: Bool)
  /// The invitation is void: its time has run out, or the inviter is gone.
  case withdrawn(Int)
}

package enum BrowserViewEvent: Hashable, Sendable {
  case selected(PeerKey)
  case done
  case cancelled
}
