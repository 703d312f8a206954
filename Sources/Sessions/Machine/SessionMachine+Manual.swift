package import RollcallPrimitives
package import RollcallWire

// Connections by hand: both sides hand out data and both connect with it (MP-44 ... MP-46).
extension SessionMachine {
  /// Data with which `peer`, and nobody else, can connect to us; it takes the place of earlier data for that peer.
  package mutating func connectionData(for peer: SessionPeerID) throws(SessionError) -> [UInt8] {
    guard peer != card.id else { throw .invalidParameter }
    tokens.removeAll { $0.peer == peer }
    guard tokens.count < policy.tokensMaximum else { throw .unavailable }
    let token = [UInt8](littleEndian: draws.next(), count: 8) + [UInt8](littleEndian: draws.next(), count: 8)
    tokens.append((peer, token))
    var data = ConnectionData(maker: card, reader: peer, endpoint: endpoint, token: token)
    data.signature = cipher.signature(of: data.signedBytes)
    return data.bytes
  }

  /// Connects by hand; connected when the other side does the same with data of ours.
  package mutating func connect(
    _ peer: SessionPeerID, with bytes: [UInt8], at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    let data: ConnectionData
    do { data = try bytes.withUnsafeBytes { bytes throws(SessionFault) in try ConnectionData(bytes) } } catch {
      throw .invalidParameter
    }
    guard data.maker.id == peer, data.reader == card.id, peer != card.id, state(of: peer) == .notConnected,
      cipher.isSignature(data.signature, of: data.signedBytes, by: data.maker.key),
      let own = tokens.first(where: { $0.peer == peer })
    else { throw .invalidParameter }
    guard !isFull else { throw .unavailable }
    set(peer, .connecting)
    if card.id < peer {
      open(
        peer, at: data.endpoint, from: here(toward: data.endpoint, on: nil), .manual, card: data.maker,
        token: data.token, timeout: policy.openingTimeout, at: now, into: &outbox)
      tokens.removeAll { $0.peer == peer }
    } else {
      expected.removeAll { $0.card.id == peer }
      expected.append(ExpectedPeer(card: data.maker, token: own.token, until: now + policy.openingTimeout))
    }
  }

  /// Gives up an attempt by hand, and takes back the data that was handed out to the peer.
  package mutating func cancelConnect(_ peer: SessionPeerID, at now: Instant, into outbox: inout Outbox) {
    tokens.removeAll { $0.peer == peer }
    if expected.contains(where: { $0.card.id == peer && $0.token != nil }) {
      expected.removeAll { $0.card.id == peer }
      set(peer, .notConnected)
    }
    let attempt = links.firstIndex {
      $0.peer == peer && $0.purpose == .manual && $0.stage != .connected && $0.stage != .closing
    }
    if let attempt { end(attempt, .cancelled, at: now, into: &outbox) }
  }
}
