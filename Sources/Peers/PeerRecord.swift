import RollcallPrimitives
import RollcallSessions
package import RollcallWire

/// A peer as multicast DNS shows it: a service whose instance is the ID of the peer in 32 hexadecimal digits, and whose
/// TXT record has the name of the peer under the key `_d`, then its discovery information.
///
/// A key of an application that is `_d` behind any number of underscores has one more of them on the wire.
package struct PeerRecord: Hashable, Sendable {
  package var peer: PeerName
  /// `nil`: none was given, which on the wire is the same as an empty one.
  package var info: [PeerInfo]?

  package init(_ peer: PeerName, _ info: [PeerInfo]?) { (self.peer, self.info) = (peer, info) }

  static let nameKey = "_d"

  /// The type that peers of a service type are browsed by; `nil`: it is none (RFC 6335 §5.1).
  package static func serviceType(_ name: String) -> ServiceType? { try? ServiceType(name, .udp) }

  package var instance: String { PeerRecord.instance(of: peer.id) }

  package static func instance(of id: SessionPeerID) -> String {
    id.high.hexadecimal + id.low.hexadecimal
  }

  /// The ID behind an instance name; `nil`: it is none.
  package static func id(ofInstance instance: String) -> SessionPeerID? {
    guard let high = UInt64(instance.prefix(16), radix: 16), let low = UInt64(instance.dropFirst(16), radix: 16) else {
      return nil
    }
    let id = SessionPeerID(high: high, low: low)
    // Signs, capital letters and other counts of digits are none.
    return PeerRecord.instance(of: id) == instance ? id : nil
  }

  /// The data of the TXT record; `nil`: name or information do not fit one.
  package var txt: [UInt8]? {
    guard (1...SessionCard.nameBytesMaximum).contains(peer.name.utf8.count) else { return nil }
    var record = TXTRecord()
    guard record.add(PeerRecord.nameKey, peer.name) else { return nil }
    for pair in info ?? [] {
      guard record.add(PeerRecord.isEscaped(pair.key) ? "_" + pair.key : pair.key, pair.value) else { return nil }
    }
    return record.bytes
  }

  /// Reads what was found; `nil`: it is no peer.
  package init?(_ service: ServiceInstanceName, txt: [UInt8]) {
    guard let id = PeerRecord.id(ofInstance: service.instance), let record = try? TXTRecord(txt),
      case .bytes(let bytes)? = record[PeerRecord.nameKey], let name = String(validating: bytes, as: UTF8.self),
      (1...SessionCard.nameBytesMaximum).contains(bytes.count)
    else { return nil }
    peer = PeerName(id, name)
    var found: [PeerInfo] = []
    for pair in record.pairs {
      let isEscaped = PeerRecord.isEscaped(pair.key)
      if isEscaped, pair.key.utf8.count == PeerRecord.nameKey.utf8.count { continue }
      guard case .bytes(let value) = pair.value, let text = String(validating: value, as: UTF8.self) else { continue }
      found.append(PeerInfo(isEscaped ? String(pair.key.dropFirst()) : pair.key, text))
    }
    info = found.isEmpty ? nil : found
  }

  /// Whether a key is `_d` behind any number of underscores; letters are compared as TXT records compare them.
  private static func isEscaped(_ key: String) -> Bool {
    let bytes = Array(key.utf8)
    guard bytes.count >= 2, bytes[bytes.count - 1] | 0x20 == UInt8(ascii: "d") else { return false }
    return bytes.dropLast().allSatisfy { $0 == UInt8(ascii: "_") }
  }
}
