package import RollcallDoors

/// Something that the documentation of MultipeerConnectivity forbids, or says nothing of. It has no effect, or the one
/// that a policy names.
package typealias PeerMisuse = Misuse<PeerMisuseKind>

package enum PeerMisuseKind: String, CaseIterable, MisuseKind {
  /// An object without a device: nothing is near it.
  case noDevice
  /// A session of another device than the object that uses it.
  case foreignSession
  /// An invitation handler that is called a second time.
  case repeatedAnswer
  /// An invitation that is accepted without a session to put the inviter into.
  case acceptedWithoutSession
  /// A peer that is invited into the same session while an invitation is under way.
  case repeatedInvitation
  /// The local peer as its own partner.
  case ownPeer
  /// A session that is full.
  case fullSession
  /// Discovery information that no TXT record takes.
  case discoveryInfo
  /// A read or write of a stream that would wait, on the queue of callbacks.
  case waitingCallback

  package static let framework = "MultipeerConnectivity"
  package static let handler = Guarded<@Sendable (PeerMisuse) -> Void>(PeerMisuse.print)
}
