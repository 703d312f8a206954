import Crypto
import Foundation
import SwiftASN1
import X509

/// The identity of a simulated peer, made from seeded bytes: its certificate and that of who signed it.
///
/// It stands for `SecIdentity` and `SecCertificate`, which only Apple's systems have: an application puts the elements of
/// `chain`, as `Data`, into the `securityIdentity` of its session, and its delegate is given them so on the other side.
/// The same names and seeds give the same bytes. It is for simulated peers: who knows the seed knows the keys.
package struct PeerIdentity: Sendable {
  /// In DER: the peer's certificate, then that of the authority.
  package let chain: [[UInt8]]

  /// - Parameters:
  ///   - name: the common name of the peer.
  ///   - authority: the common name and the seed of who signs; peers of one authority have the same.
  ///   - start: where the ten years of both certificates begin, in seconds since 1970.
  /// - Throws: an error of the library where a name does not fit a certificate.
  package init(
    name: String, seed: [UInt8], authority: (name: String, seed: [UInt8]), start: Int64 = 1_700_000_000
  ) throws {
    let (key, authorityKey) = (PeerIdentity.key(seed), PeerIdentity.key(authority.seed))
    let issuer = try DistinguishedName { CommonName(authority.name) }
    let begin = Date(timeIntervalSince1970: TimeInterval(start))
    let end = Date(timeIntervalSince1970: TimeInterval(start + 10 * 365 * 86_400))
    func certificate(_ subject: DistinguishedName, _ key: Certificate.PrivateKey, isAuthority: Bool) throws -> [UInt8] {
      // A number that is the same for the same key, positive and of at most 16 bytes (RFC 5280, section 4.1.2.2).
      let digest = SHA256.hash(data: Data(key.publicKey.subjectPublicKeyInfoBytes))
      let number = [UInt8](digest.prefix(16))
      let made = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(bytes: [number[0] & 0x7F | 0x40] + number.dropFirst()),
        publicKey: key.publicKey, notValidBefore: begin, notValidAfter: end, issuer: issuer, subject: subject,
        extensions: Certificate.Extensions {
          Critical(isAuthority ? BasicConstraints.isCertificateAuthority(maxPathLength: 0) : .notCertificateAuthority)
        }, issuerPrivateKey: authorityKey)
      var serializer = DER.Serializer()
      try serializer.serialize(made)
      return serializer.serializedBytes
    }
    chain = [
      try certificate(DistinguishedName { CommonName(name) }, key, isAuthority: false),
      try certificate(issuer, authorityKey, isAuthority: true),
    ]
  }

  private static func key(_ seed: [UInt8]) -> Certificate.PrivateKey {
    let bytes = Array(SHA256.hash(data: Array("certificate".utf8) + [0] + seed))
    guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
      preconditionFailure("32 bytes are a private key")
    }
    return Certificate.PrivateKey(key)
  }

  /// What the decision about a peer needs: the common name in its certificate; `nil`: it is none, or `authority` did not
  /// sign it. Dates are not looked at: simulated time has its own.
  package static func name(in certificate: [UInt8], signedBy authority: [UInt8]) -> String? {
    guard let peer = try? Certificate(derEncoded: certificate), let signer = try? Certificate(derEncoded: authority),
      peer.issuer == signer.subject, signer.publicKey.isValidSignature(peer.signature, for: peer)
    else { return nil }
    for part in peer.subject {
      for attribute in part where attribute.type == .RDNAttributeType.commonName {
        return String(describing: attribute.value)
      }
    }
    return nil
  }
}
