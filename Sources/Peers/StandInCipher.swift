import RollcallPrimitives
package import RollcallSessions

/// Keyed sums in the place of cryptography, for simulated peers where the room `Sealing` is not built.
///
/// It protects nothing. Whoever knows a public key can sign in its name, and whoever hears a hello and its welcome can
/// open every packet. It gives sessions what their rules need and no more: the same seed gives the same bytes, another
/// peer has another key, and a signature or a packet that was changed on its way does not pass.
package struct StandInCipher: SessionCipher {
  private let seed: [UInt8]
  package let identityKey: [UInt8]

  /// - Parameter seed: any bytes; the same for the same peer of the same run only.
  package init(seed: [UInt8]) {
    self.seed = seed
    identityKey = StandInCipher.sum([seed], 1, byteCount: 32)
  }

  package func signature(of bytes: [UInt8]) -> [UInt8] { StandInCipher.sum([identityKey, bytes], 2, byteCount: 64) }

  package func isSignature(_ signature: [UInt8], of bytes: [UInt8], by key: [UInt8]) -> Bool {
    signature == StandInCipher.sum([key, bytes], 2, byteCount: 64)
  }

  package func agreementKey(_ number: UInt64) -> [UInt8] {
    StandInCipher.sum([seed], 3 ^ number &<< 8, byteCount: 32)
  }

  package func channel(_ number: UInt64, with remote: [UInt8], transcript: [UInt8], isAsker: Bool)
    -> (any SealedChannel)?
  {
    // A key of zeros is none, as with X25519.
    guard remote.count == 32, remote.contains(where: { $0 != 0 }) else { return nil }
    let own = agreementKey(number)
    let keys = isAsker ? [own, remote, transcript] : [remote, own, transcript]
    let (asker, answerer) = (StandInCipher.word(keys, 4), StandInCipher.word(keys, 5))
    return StandInChannel(outgoing: isAsker ? asker : answerer, incoming: isAsker ? answerer : asker)
  }

  /// A word of everything in `parts`, in their order; another one for each purpose.
  private static func word(_ parts: [[UInt8]], _ purpose: UInt64) -> UInt64 {
    var digest = Digest()
    digest.combine(purpose, UInt64(parts.count))
    for part in parts { part.withUnsafeBytes { digest.combine(Digest.hash($0), UInt64($0.count)) } }
    return digest.state
  }

  private static func sum(_ parts: [[UInt8]], _ purpose: UInt64, byteCount: Int) -> [UInt8] {
    let word = word(parts, purpose)
    return (0..<byteCount).map { place in
      var stream = RandomStream(mixing: word, UInt64(place / 8))
      return UInt8(truncatingIfNeeded: stream.next() &>> UInt64(place % 8 * 8))
    }
  }
}

/// The packets of one connection, a word for each direction.
struct StandInChannel: SealedChannel {
  let outgoing: UInt64
  let incoming: UInt64
  private static let tagBytes = 16

  func seal(_ packet: UnsafeMutableRawBufferPointer, headerBytes: Int, count: Int, number: Int) {
    let end = headerBytes + count
    let tag = StandInChannel.tag(UnsafeRawBufferPointer(packet), end, outgoing, number)
    StandInChannel.mask(UnsafeMutableRawBufferPointer(rebasing: packet[headerBytes..<end]), outgoing, number)
    packet.storeBytes(of: tag.0.littleEndian, toByteOffset: end, as: UInt64.self)
    packet.storeBytes(of: tag.1.littleEndian, toByteOffset: end + 8, as: UInt64.self)
  }

  func open(
    _ packet: UnsafeRawBufferPointer, headerBytes: Int, number: Int, into room: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let end = packet.count - StandInChannel.tagBytes
    guard end >= headerBytes else { return false }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<end]))
    StandInChannel.mask(UnsafeMutableRawBufferPointer(rebasing: room[headerBytes..<end]), incoming, number)
    let tag = StandInChannel.tag(UnsafeRawBufferPointer(room), end, incoming, number)
    return packet.loadUnaligned(fromByteOffset: end, as: UInt64.self) == tag.0.littleEndian
      && packet.loadUnaligned(fromByteOffset: end + 8, as: UInt64.self) == tag.1.littleEndian
  }

  /// Sums of the first `end` bytes, header included.
  private static func tag(_ bytes: UnsafeRawBufferPointer, _ end: Int, _ key: UInt64, _ number: Int) -> (UInt64, UInt64)
  {
    var digest = Digest()
    digest.combine(key, UInt64(number))
    digest.combine(Digest.hash(UnsafeRawBufferPointer(rebasing: bytes[..<end])))
    let first = digest.state
    digest.combine(key)
    return (first, digest.state)
  }

  /// Done twice it leaves the bytes as they were.
  private static func mask(_ bytes: UnsafeMutableRawBufferPointer, _ key: UInt64, _ number: Int) {
    var stream = RandomStream(mixing: key, UInt64(number))
    var word: UInt64 = 0
    for place in bytes.indices {
      let shift = UInt64(place % 8 * 8)
      if shift == 0 { word = stream.next() }
      bytes[place] ^= UInt8(truncatingIfNeeded: word &>> shift)
    }
  }
}
