public import RollcallPrimitives

/// An IPv6 header, decoded (RFC 8200 section 3).
@frozen public struct IPv6Header: Hashable, Sendable, BitwiseCopyable {
  /// Bytes of the fixed header.
  @inlinable public static var headerBytes: Int { 40 }

  public var source: IPAddress
  public var destination: IPAddress
  /// Payload length as the header claims it; 0 for a jumbogram, or where a network card fills it in later.
  public var payloadBytes: Int
  public var nextHeader: UInt8
  public var hopLimit: UInt8

  /// Reads the header at the start of `packet`; `nil` for another version or a packet that ends inside it.
  @inlinable public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count >= 40, let base = packet.baseAddress, NetworkBytes.byte(base, 0) &>> 4 == 6 else { return nil }
    payloadBytes = Int(NetworkBytes.word16(base, 4))
    nextHeader = NetworkBytes.byte(base, 6)
    hopLimit = NetworkBytes.byte(base, 7)
    source = IPAddress(v6High: NetworkBytes.word64(base, 8), low: NetworkBytes.word64(base, 16))
    destination = IPAddress(v6High: NetworkBytes.word64(base, 24), low: NetworkBytes.word64(base, 32))
  }

  /// Where the packet ends among `count` captured bytes.
  @inlinable public func end(within count: Int) -> Int {
    payloadBytes == 0 ? count : min(IPv6Header.headerBytes &+ payloadBytes, count)
  }
}

/// A fragment header (RFC 8200 section 4.5).
@frozen public struct IPv6Fragment: Hashable, Sendable, BitwiseCopyable {
  public var identification: UInt32
  /// Where this fragment stands in the part that was cut up.
  public var offsetBytes: Int
  public var hasMoreFragments: Bool
  @inlinable public init(identification: UInt32, offsetBytes: Int, hasMoreFragments: Bool) {
    (self.identification, self.offsetBytes, self.hasMoreFragments) = (identification, offsetBytes, hasMoreFragments)
  }
}

/// Where a chain of extension headers leads to.
@frozen public struct IPv6Chain: Hashable, Sendable, BitwiseCopyable {
  /// More extension headers than this in one packet are refused.
  @inlinable public static var headerCountMaximum: Int { 32 }

  /// The protocol behind the chain; behind a fragment header, the type of whatever was cut up.
  public var protocolNumber: IPProtocol
  /// Where it begins.
  public var offset: Int
  /// The fragment header at which the walk stopped. A whole datagram under a fragment header (RFC 6946) has none.
  public var fragment: IPv6Fragment?
  /// Whether a routing header has segments left: then the header's destination is not the last stop.
  public var isSourceRouted: Bool

  @inlinable public static func isExtension(_ number: UInt8) -> Bool {
    switch number {
    case 0, 43, 44, 51, 60, 135, 139, 140: true
    default: false
    }
  }

  /// Follows hop-by-hop, routing, destination, fragment and authentication headers (and mobility, HIP and shim6, whose
  /// shape is the same); `nil` where the packet ends inside one.
  /// - Parameters:
  ///   - packet: bytes up to the end of the packet.
  ///   - number: the next header that stands at `start`.
  @inlinable public init?(_ packet: UnsafeRawBufferPointer, next number: UInt8, at start: Int) {
    var (number, offset) = (number, start)
    fragment = nil
    isSourceRouted = false
    if IPv6Chain.isExtension(number) {
      guard
        let end = IPv6Chain.walk(
          packet, next: &number, at: offset, fragment: &fragment, isSourceRouted: &isSourceRouted)
      else { return nil }
      offset = end
    }
    protocolNumber = IPProtocol(rawValue: number)
    self.offset = offset
  }

  @usableFromInline static func walk(
    _ packet: UnsafeRawBufferPointer, next number: inout UInt8, at start: Int, fragment: inout IPv6Fragment?,
    isSourceRouted: inout Bool
  ) -> Int? {
    guard let base = packet.baseAddress else { return nil }
    var offset = start
    for _ in 0..<headerCountMaximum {
      guard isExtension(number) else { return offset }
      guard offset + 8 <= packet.count else { return nil }
      let length = Int(packet[offset + 1])
      switch number {
      case 44:
        let word = NetworkBytes.word16(base, offset + 2)
        let found = IPv6Fragment(
          identification: NetworkBytes.word32(base, offset + 4), offsetBytes: Int(word & 0xFFF8),
          hasMoreFragments: word & 1 != 0)
        number = packet[offset]
        offset += 8
        if found.hasMoreFragments || found.offsetBytes != 0 {
          fragment = found
          return offset
        }
      case 51:
        number = packet[offset]
        offset += (length + 2) * 4
      default:
        if number == 43, packet[offset + 3] != 0 { isSourceRouted = true }
        number = packet[offset]
        offset += (length + 1) * 8
      }
      guard offset <= packet.count else { return nil }
    }
    return isExtension(number) ? nil : offset
  }
}
