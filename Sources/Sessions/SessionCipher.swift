/// What a session needs of cryptography, given to it from outside so that this room has none.
///
/// All of it is deterministic: the same seed and the same calls give the same bytes.
package protocol SessionCipher: Sendable {
  /// The public key of the identity, 32 bytes (Ed25519).
  var identityKey: [UInt8] { get }
  /// 64 bytes, by the identity's private key.
  func signature(of bytes: [UInt8]) -> [UInt8]
  func isSignature(_ signature: [UInt8], of bytes: [UInt8], by key: [UInt8]) -> Bool
  /// The public key of the agreement with this number, 32 bytes (X25519). A number is used for one connection.
  func agreementKey(_ number: UInt64) -> [UInt8]
  /// The keys of one connection, or `nil` where `remote` is no key.
  /// - Parameter transcript: the hello and the welcome, as both sides have them.
  func channel(_ number: UInt64, with remote: [UInt8], transcript: [UInt8], isAsker: Bool) -> (any SealedChannel)?
}

/// Seals and opens the packets of one connection, a key for each direction.
package protocol SealedChannel: Sendable {
  /// Replaces the `count` bytes behind the first `headerBytes` with sealed ones and writes the 16 bytes of the tag behind
  /// them; header and number are protected too.
  func seal(_ packet: UnsafeMutableRawBufferPointer, headerBytes: Int, count: Int, number: Int)
  /// The packet as it was before it was sealed, header included and without its tag, written to `room`; `false` where it
  /// was not sealed like this.
  func open(
    _ packet: UnsafeRawBufferPointer, headerBytes: Int, number: Int, into room: UnsafeMutableRawBufferPointer
  ) -> Bool
}
