import Foundation
import RollcallDoors

/// Something that the documentation forbids, or says nothing of. It has no effect, or the one that a policy names.
package struct PeerMisuse: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Sendable {
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
  }

  package var kind: Kind
  /// The call, by its Swift name.
  package var call: String
  package var detail: String

  package init(_ kind: Kind, in call: String, _ detail: String) {
    self.kind = kind
    self.call = call
    self.detail = detail
  }

  package var description: String { "MultipeerConnectivity: \(kind.rawValue) in \(call): \(detail)" }

  private static let standing = Guarded<@Sendable (PeerMisuse) -> Void>(Self.print)

  /// What is done with a misuse that no device takes: a line on standard error, unless a test puts something else here.
  package static var handler: @Sendable (PeerMisuse) -> Void {
    get { standing.current }
    set { standing.withLock { $0 = newValue } }
  }

  package static func report(_ misuse: PeerMisuse) { handler(misuse) }

  @Sendable private static func print(_ misuse: PeerMisuse) {
    FileHandle.standardError.write(Data((misuse.description + "\n").utf8))
  }
}
