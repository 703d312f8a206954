package import RollcallPrimitives

/// Who a peer is, whatever its name: 16 bytes that it chose once.
@frozen package struct SessionPeerID: Hashable, Comparable, Sendable, BitwiseCopyable {
  package var high: UInt64
  package var low: UInt64
  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
  package static func < (left: SessionPeerID, right: SessionPeerID) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// What a peer says of itself: its ID, its name and the public key that it signs with.
package struct SessionCard: Hashable, Sendable {
  package static let nameBytesMaximum = 63
  package static let keyBytes = 32

  package var id: SessionPeerID
  /// 1 ... 63 bytes of UTF-8.
  package var name: String
  /// Ed25519, 32 bytes.
  package var key: [UInt8]
  package init(id: SessionPeerID, name: String, key: [UInt8]) { (self.id, self.name, self.key) = (id, name, key) }
}

extension SessionCursor {
  mutating func peerID() throws(SessionFault) -> SessionPeerID {
    SessionPeerID(high: try number(UInt64.self), low: try number(UInt64.self))
  }
  mutating func card() throws(SessionFault) -> SessionCard {
    let id = try peerID()
    let key = try array(SessionCard.keyBytes)
    return SessionCard(id: id, name: try name(1, maximum: SessionCard.nameBytesMaximum), key: key)
  }
  /// Family (4 or 6), address, port; port 0 is no place.
  mutating func endpoint() throws(SessionFault) -> Endpoint {
    let place = offset
    let family = try byte()
    guard family == 4 || family == 6 else { throw SessionFault(.badValue, at: place) }
    let address =
      family == 4
      ? IPAddress(v4: try number(UInt32.self))
      : IPAddress(v6High: try number(UInt64.self), low: try number(UInt64.self))
    let portPlace = offset
    let port = try number(UInt16.self)
    guard port != 0 else { throw SessionFault(.badValue, at: portPlace) }
    return Endpoint(address, port: port)
  }
}

extension [UInt8] {
  mutating func append(_ id: SessionPeerID) {
    append(number: id.high)
    append(number: id.low)
  }
  mutating func append(_ card: SessionCard) {
    append(card.id)
    append(contentsOf: card.key)
    append(UInt8(truncatingIfNeeded: card.name.utf8.count))
    append(contentsOf: card.name.utf8)
  }
  mutating func append(_ endpoint: Endpoint) {
    append(endpoint.address.family.rawValue)
    if endpoint.address.family == .v6 {
      append(number: endpoint.address.high)
      append(number: endpoint.address.low)
    } else {
      append(number: UInt32(truncatingIfNeeded: endpoint.address.low))
    }
    append(number: endpoint.port)
  }
}

/// What a peer hands out so that one other peer can connect to it without discovery.
package struct ConnectionData: Hashable, Sendable {
  package static let tokenBytes = 16
  package static let signatureBytes = 64

  package var maker: SessionCard
  /// Who it was made for.
  package var reader: SessionPeerID
  package var endpoint: Endpoint
  /// 16 bytes that only the two know; connecting needs them.
  package var token: [UInt8]
  /// Of everything before it, by the maker's key.
  package var signature: [UInt8]

  package init(maker: SessionCard, reader: SessionPeerID, endpoint: Endpoint, token: [UInt8], signature: [UInt8] = []) {
    (self.maker, self.reader, self.endpoint, self.token, self.signature) = (maker, reader, endpoint, token, signature)
  }

  /// The bytes that are signed.
  package var signedBytes: [UInt8] {
    var bytes: [UInt8] = [SessionOpening.version]
    bytes.append(maker)
    bytes.append(reader)
    bytes.append(endpoint)
    bytes.append(contentsOf: token)
    return bytes
  }
  package var bytes: [UInt8] { signedBytes + signature }

  package init(_ bytes: UnsafeRawBufferPointer) throws(SessionFault) {
    var cursor = SessionCursor(bytes)
    guard try cursor.byte() == SessionOpening.version else { throw SessionFault(.wrongVersion, at: 0) }
    maker = try cursor.card()
    reader = try cursor.peerID()
    endpoint = try cursor.endpoint()
    token = try cursor.array(ConnectionData.tokenBytes)
    signature = try cursor.array(ConnectionData.signatureBytes)
    try cursor.end()
  }
}
