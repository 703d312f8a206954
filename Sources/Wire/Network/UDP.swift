public import RollcallPrimitives

/// What a UDP checksum says about its datagram.
public enum UDPChecksum: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  case good
  /// Wrong. A sender whose network card computes it leaves it so in its own capture.
  case bad
  /// Zero: the sender computed none. IPv6 forbids that outside tunnels (RFC 8200 section 8.1, RFC 6935).
  case absent
  /// Bytes are missing, or a source route hides the last stop.
  case unverifiable
}

/// A UDP header, decoded (RFC 768).
@frozen public struct UDPHeader: Hashable, Sendable, BitwiseCopyable {
  /// Bytes of the header.
  @inlinable public static var headerBytes: Int { 8 }

  public var sourcePort: UInt16
  public var destinationPort: UInt16
  /// Bytes of header and payload as the header claims them.
  public var totalBytes: Int
  public var checksum: UInt16

  /// Reads the header at the start of `segment`; `nil` where it ends inside the header.
  @inlinable public init?(_ segment: UnsafeRawBufferPointer) {
    guard segment.count >= 8, let base = segment.baseAddress else { return nil }
    sourcePort = NetworkBytes.word16(base, 0)
    destinationPort = NetworkBytes.word16(base, 2)
    totalBytes = Int(NetworkBytes.word16(base, 4))
    checksum = NetworkBytes.word16(base, 6)
  }

  /// Checks the checksum over `segment`, which is header and payload as far as they are there.
  public static func verify(
    _ segment: UnsafeRawBufferPointer, source: IPAddress, destination: IPAddress
  ) -> UDPChecksum {
    guard let header = UDPHeader(segment) else { return .unverifiable }
    if header.checksum == 0 { return .absent }
    // A length of zero is a jumbogram's: then the segment is all there is.
    let byteCount = header.totalBytes == 0 ? segment.count : header.totalBytes
    guard byteCount >= 8, byteCount <= segment.count else { return .unverifiable }
    var sum = InternetChecksum()
    sum.addPseudoHeader(source: source, destination: destination, protocolNumber: 17, byteCount: byteCount)
    sum.add(UnsafeRawBufferPointer(rebasing: segment[..<byteCount]))
    return sum.value == 0 ? .good : .bad
  }

  /// A header and its payload in one run of bytes, checksum in place; `nil` where they do not fit a 16-bit length.
  public static func segment(
    from source: Endpoint, to destination: Endpoint, payload: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    let byteCount = headerBytes + payload.count
    guard byteCount <= 65_535 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount)
    for word in [source.port, destination.port, UInt16(byteCount), 0] { bytes.appendBigEndian(word) }
    bytes.append(contentsOf: payload)
    var sum = InternetChecksum()
    sum.addPseudoHeader(
      source: source.address, destination: destination.address, protocolNumber: 17, byteCount: byteCount)
    bytes.withUnsafeBytes { sum.add($0) }
    // Zero would say that there is none, so the other zero of one's complement goes out (RFC 768).
    bytes.setBigEndian(sum.value == 0 ? 0xFFFF : sum.value, at: 6)
    return bytes
  }
}
