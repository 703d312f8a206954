import RollcallDoors

/// Who a peer is below this module: bytes that no other peer has, and the name that people read.
package struct PeerKey: Hashable, Sendable {
  /// The same in every process and on every device; 16 bytes for peers of ours.
  package var identity: [UInt8]
  /// 1 to 63 bytes of UTF-8.
  package var name: String

  package init(identity: [UInt8], name: String) {
    self.identity = identity
    self.name = name
  }
}

/// One pair of discovery information. A list of them is in the order of their keys.
package struct InfoPair: Hashable, Sendable {
  package var key: String
  package var value: String

  package init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  package static func list(_ info: [String: String]?) -> [InfoPair]? {
    guard let info else { return nil }
    return info.sorted { $0.key < $1.key }.map { InfoPair(key: $0.key, value: $0.value) }
  }

  package static func dictionary(_ list: [InfoPair]?) -> [String: String]? {
    list.map { list in Dictionary(list.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }) }
  }
}

/// An error that a device gives, with the number that the application sees.
package enum PeerError: Error, Hashable, Sendable {
  case multipeer(MCError.Code)
  /// Of a layer below, which keeps its own domain.
  case lower(domain: String, code: Int)

  package var asError: any Error {
    switch self {
    case .multipeer(let code): MCError(code)
    case .lower(let domain, let code): NSError(domain: domain, code: code)
    }
  }
}
