public import Foundation
import RollcallDoors

/// The other end of a connection.
open class CBPeer: NSObject, NSCopying {
  private let peerIdentifier: UUID

  init(identifier: UUID) {
    peerIdentifier = identifier
    super.init()
  }

  /// The same for one device on one phone, and another on each phone.
  open var identifier: UUID { peerIdentifier }

  /// There is one object for each peer of a manager, so it is its own copy.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A central that is connected to this application's peripheral manager.
open class CBCentral: CBPeer {
  private let longestUpdate: Guarded<Int>

  init(identifier: UUID, maximumUpdateValueLength: Int) {
    longestUpdate = Guarded(maximumUpdateValueLength)
    super.init(identifier: identifier)
  }

  /// How many bytes one notification or indication takes.
  open var maximumUpdateValueLength: Int { longestUpdate.current }

  func grow(to length: Int) { longestUpdate.withLock { $0 = length } }
}

/// A channel of L2CAP. The virtual phone has none, so no application of it is ever given one.
open class CBL2CAPChannel: NSObject {
  private let other: CBPeer?
  private let number: CBL2CAPPSM

  init(peer: CBPeer?, psm: CBL2CAPPSM) {
    other = peer
    number = psm
    super.init()
  }

  open var peer: CBPeer! { other }
  open var inputStream: InputStream! { nil }
  open var outputStream: OutputStream! { nil }
  open var psm: CBL2CAPPSM { number }
}
