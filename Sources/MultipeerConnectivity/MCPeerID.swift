// The names are those of Apple's declarations.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import RollcallDoors

/// An application on a device, as others know it. Two of one name are different peers; a copy and an archive of one are
/// the same peer, in every process.
open class MCPeerID: NSObject, NSCopying, NSSecureCoding {
  package let key: PeerKey

  /// The local peer. The name has 1 to 63 bytes of UTF-8; another one ends the program, as an exception of Apple's does.
  /// `PeerRules.fault(displayName:)` asks without that.
  public init(displayName myDisplayName: String) {
    PeerRules.require(PeerRules.fault(displayName: myDisplayName), in: "MCPeerID.init(displayName:)")
    key = PeerKey(identity: NearbyLink.device?.makeIdentity() ?? Self.randomIdentity(), name: myDisplayName)
    super.init()
  }

  /// Of a peer that a device tells of.
  package init(key: PeerKey) {
    self.key = key
    super.init()
  }

  deinit { _ = Self.held.withLock { $0.removeGone(key) } }

  open var displayName: String { key.name }

  // MARK: Identity

  /// Where no device says another: 122 random bits.
  private static func randomIdentity() -> [UInt8] { withUnsafeBytes(of: UUID().uuid) { Array($0) } }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MCPeerID else { return false }
    return other.key.identity == key.identity
  }

  /// Of the identity alone (FNV-1a), so that every process has the same number: applications compare them to agree who
  /// invites whom.
  open override var hash: Int {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in key.identity { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return Int(truncatingIfNeeded: sum)
  }

  open override var description: String {
    "<MCPeerID: \(key.identity.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()) "
      + "DisplayName = \(key.name)>"
  }

  /// Nothing of a peer changes, so it is its own copy.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  // MARK: Archives

  private static let identityKey = "identity"
  private static let nameKey = "displayName"
  /// The most that an archive may say; our own identities have 16.
  static let identityBytes = 1...64

  open class var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(Data(key.identity) as NSData, forKey: Self.identityKey)
    coder.encode(key.name as NSString, forKey: Self.nameKey)
  }

  /// Nil if the archive holds no peer.
  public required init?(coder: NSCoder) {
    guard let identity = coder.decodeObject(of: NSData.self, forKey: Self.identityKey),
      let name = coder.decodeObject(of: NSString.self, forKey: Self.nameKey)
    else { return nil }
    key = PeerKey(identity: Array(Data(referencing: identity)), name: String(describing: name))
    guard Self.identityBytes.contains(key.identity.count), PeerRules.fault(displayName: key.name) == nil else {
      return nil
    }
    super.init()
  }

  // MARK: Objects of other peers

  private static let held = Guarded<[PeerKey: Weakly<MCPeerID>]>([:])

  /// The one object for a peer that devices tell of, as long as anybody holds it.
  package static func of(_ key: PeerKey) -> MCPeerID {
    held.withLock { held in
      if let object = held[key]?.object { return object }
      let object = MCPeerID(key: key)
      held[key] = Weakly(object)
      return object
    }
  }
}
