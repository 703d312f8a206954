package import RollcallPrimitives
package import RollcallSessions

/// What a device is made from.
package struct PeerPlan: Sendable {
  /// Of sessions, where nobody says another one.
  package static let usualPort: UInt16 = 49_400
  /// The label of its host name, 1 ... 63 bytes.
  package var host: String
  /// The one port of all its sessions.
  package var port = PeerPlan.usualPort
  package var sessions = SessionPolicy()
  package var quirks = PeerQuirks()
  /// The cryptography of a peer, made from bytes that are the same for the same peer of the same run only.
  package var cipher: @Sendable ([UInt8]) -> any SessionCipher

  package init(host: String, cipher: @escaping @Sendable ([UInt8]) -> any SessionCipher) {
    (self.host, self.cipher) = (host, cipher)
  }
}

/// What devices were seen to do in the field (MX rows of the contract). None by default.
package struct PeerQuirks: Hashable, Sendable {
  /// How often each peer is told again when applications come back from the background (MX-4).
  package var repeatedFoundCount = 0
  /// Two sessions of one peer of this device with the same other peer: the second connection ends the first (MX-5).
  package var endsEarlierSession = false
  /// Nothing of a session comes through, though discovery works (MX-6).
  package var hasNoDataPath = false
  /// How long a connection is tried at most, whatever time the invitation has (MX-6); `nil`: as long as that.
  package var attemptMaximum: Interval?
  /// Nothing of a session comes through for so long after the device has come to the network (MX-7).
  package var dataPathDelay = Interval.zero
  /// An advertiser that stops is withdrawn only after so long, so that one that starts again soon was never lost (MX-10).
  /// A long one makes ghosts: peers of this device that nobody answers for any more, found by this device too (MX-2).
  package var withdrawalDelay = Interval.zero
  /// After so many connections of this device no other one comes to be, in whichever session (MX-13); `nil`: never.
  package var connectionsMaximum: Int?
  package init() {}
}
