public import RollcallPrimitives

/// The numbers of the protocols above IP that this harness speaks.
@frozen public struct IPProtocol: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable public static var icmp: IPProtocol { IPProtocol(rawValue: 1) }
  @inlinable public static var igmp: IPProtocol { IPProtocol(rawValue: 2) }
  @inlinable public static var tcp: IPProtocol { IPProtocol(rawValue: 6) }
  @inlinable public static var udp: IPProtocol { IPProtocol(rawValue: 17) }
  @inlinable public static var icmpV6: IPProtocol { IPProtocol(rawValue: 58) }
}

/// An IPv4 header, decoded (RFC 791 section 3.1).
@frozen public struct IPv4Header: Hashable, Sendable, BitwiseCopyable {
  public var source: IPAddress
  public var destination: IPAddress
  /// Bytes of the header with its options, 20 ... 60.
  public var headerBytes: Int
  /// Total length as the header claims it; 0 where a network card fills it in later.
  public var totalBytes: Int
  public var identification: UInt16
  /// Where this fragment stands in its datagram.
  public var fragmentOffsetBytes: Int
  public var hasMoreFragments: Bool
  public var mayNotFragment: Bool
  public var hopLimit: UInt8
  public var protocolNumber: IPProtocol

  @inlinable public var isFragment: Bool { hasMoreFragments || fragmentOffsetBytes != 0 }

  /// Reads the header at the start of `packet`; `nil` for another version, a header length below 20 bytes, or a packet
  /// that ends inside its header.
  @inlinable public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count >= 20, let base = packet.baseAddress else { return nil }
    let first = NetworkBytes.byte(base, 0)
    headerBytes = Int(first & 15) &* 4
    guard first &>> 4 == 4, headerBytes >= 20, headerBytes <= packet.count else { return nil }
    totalBytes = Int(NetworkBytes.word16(base, 2))
    identification = NetworkBytes.word16(base, 4)
    let fragment = NetworkBytes.word16(base, 6)
    fragmentOffsetBytes = Int(fragment & 0x1FFF) &* 8
    hasMoreFragments = fragment & 0x2000 != 0
    mayNotFragment = fragment & 0x4000 != 0
    hopLimit = NetworkBytes.byte(base, 8)
    protocolNumber = IPProtocol(rawValue: NetworkBytes.byte(base, 9))
    source = IPAddress(v4: NetworkBytes.word32(base, 12))
    destination = IPAddress(v4: NetworkBytes.word32(base, 16))
  }

  /// Where the packet ends among `count` captured bytes: padding behind the total length is cut off. `nil` where the
  /// total length does not even cover the header.
  @inlinable public func end(within count: Int) -> Int? {
    if totalBytes == 0 { return count }
    return totalBytes < headerBytes ? nil : min(totalBytes, count)
  }

  /// Whether a source route with hops still to go stands in the header: then `destination` is not the last stop.
  public func isSourceRouted(_ packet: UnsafeRawBufferPointer) -> Bool {
    let end = min(headerBytes, packet.count)
    var offset = 20
    while offset < end {
      let option = packet[offset]
      if option == 0 { return false }
      if option == 1 {
        offset += 1
        continue
      }
      guard offset + 2 <= end else { return false }
      let length = Int(packet[offset + 1])
      guard length >= 2, offset + length <= end else { return false }
      if option == 131 || option == 137, length > 2, Int(packet[offset + 2]) <= length { return true }
      offset += length
    }
    return false
  }
}
