import Crypto
import Foundation
package import RollcallSessions

/// Keys of a session made from seeded bytes: Ed25519 for who one is, X25519 for each connection, AES-GCM for packets.
///
/// The same seed gives the same keys and the same bytes on the wire, so that runs can be repeated. It is for simulated
/// peers: who knows the seed knows the keys.
package struct SeededCipher: SessionCipher {
  private let seed: [UInt8]
  private let identity: Curve25519.Signing.PrivateKey
  package let identityKey: [UInt8]

  /// - Parameter seed: any bytes; the same for the same peer of the same run only.
  package init(seed: [UInt8]) {
    self.seed = seed
    identity = SeededCipher.key(seed, "identity") { try? Curve25519.Signing.PrivateKey(rawRepresentation: $0) }
    identityKey = Array(identity.publicKey.rawRepresentation)
  }

  /// Any 32 bytes are a private key of both curves.
  private static func key<K>(_ seed: [UInt8], _ purpose: String, _ make: ([UInt8]) -> K?) -> K {
    guard let key = make(Array(SHA256.hash(data: Array(purpose.utf8) + [0] + seed))) else {
      preconditionFailure("32 bytes are a private key")
    }
    return key
  }

  private func agreement(_ number: UInt64) -> Curve25519.KeyAgreement.PrivateKey {
    SeededCipher.key(seed, "agreement \(number)") { try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
  }

  package func signature(of bytes: [UInt8]) -> [UInt8] {
    guard let signature = try? identity.signature(for: bytes) else { return Array(repeating: 0, count: 64) }
    return Array(signature)
  }

  package func isSignature(_ signature: [UInt8], of bytes: [UInt8], by key: [UInt8]) -> Bool {
    guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
    return key.isValidSignature(signature, for: bytes)
  }

  package func agreementKey(_ number: UInt64) -> [UInt8] { Array(agreement(number).publicKey.rawRepresentation) }

  package func channel(_ number: UInt64, with remote: [UInt8], transcript: [UInt8], isAsker: Bool)
    -> (any SealedChannel)?
  {
    guard let remote = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: remote),
      let secret = try? agreement(number).sharedSecretFromKeyAgreement(with: remote),
      // A point of small order makes this secret of every key, and the library takes it (RFC 7748, section 6.1).
      secret.withUnsafeBytes({ $0.contains { $0 != 0 } })
    else { return nil }
    let salt = Array(SHA256.hash(data: transcript))
    func key(_ direction: String) -> SymmetricKey {
      secret.hkdfDerivedSymmetricKey(
        using: SHA256.self, salt: salt, sharedInfo: Array(direction.utf8), outputByteCount: 32)
    }
    let (asker, answerer) = (key("asker"), key("answerer"))
    return AESChannel(outgoing: isAsker ? asker : answerer, incoming: isAsker ? answerer : asker)
  }
}

/// The packets of one connection: AES-GCM with 256 bits, the number of the packet as nonce, the header protected too.
struct AESChannel: SealedChannel {
  let outgoing: SymmetricKey
  let incoming: SymmetricKey

  private static func nonce(_ number: Int) -> AES.GCM.Nonce? {
    withUnsafeTemporaryAllocation(byteCount: 12, alignment: 8) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      bytes.storeBytes(of: UInt64(number).bigEndian, toByteOffset: 4, as: UInt64.self)
      return try? AES.GCM.Nonce(data: UnsafeRawBufferPointer(bytes))
    }
  }

  func seal(_ packet: UnsafeMutableRawBufferPointer, headerBytes: Int, count: Int, number: Int) {
    let plain = UnsafeRawBufferPointer(rebasing: packet[headerBytes..<headerBytes + count])
    let header = UnsafeRawBufferPointer(rebasing: packet[..<headerBytes])
    guard let nonce = AESChannel.nonce(number),
      let box = try? AES.GCM.seal(plain, using: outgoing, nonce: nonce, authenticating: header)
    else { preconditionFailure("a packet is short enough to be sealed") }
    box.ciphertext.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: packet[headerBytes...]))
    box.tag.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: packet[(headerBytes + count)...]))
  }

  func open(
    _ packet: UnsafeRawBufferPointer, headerBytes: Int, number: Int, into room: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let end = packet.count - 16
    guard end >= headerBytes, let nonce = AESChannel.nonce(number),
      let box = try? AES.GCM.SealedBox(
        nonce: nonce, ciphertext: UnsafeRawBufferPointer(rebasing: packet[headerBytes..<end]),
        tag: UnsafeRawBufferPointer(rebasing: packet[end...])),
      let plain = try? AES.GCM.open(
        box, using: incoming, authenticating: UnsafeRawBufferPointer(rebasing: packet[..<headerBytes]))
    else { return false }
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: packet[..<headerBytes]))
    plain.copyBytes(to: UnsafeMutableRawBufferPointer(rebasing: room[headerBytes...]))
    return true
  }
}
