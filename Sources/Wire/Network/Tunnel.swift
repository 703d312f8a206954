/// A GRE header (RFC 2784, RFC 2890), or that of PPTP (RFC 2637 section 4.1).
@frozen public struct GREHeader: Hashable, Sendable, BitwiseCopyable {
  /// What is carried, by EtherType; 0x880B for PPP.
  public var protocolType: EtherType
  public var headerBytes: Int

  /// Reads the header at the start of `packet`; `nil` where the packet ends inside it, for an unknown version, and
  /// for the source routes of RFC 1701, which nobody writes any more.
  public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count >= 4, let base = packet.baseAddress else { return nil }
    let flags = NetworkBytes.word16(base, 0)
    guard flags & 7 <= 1, flags & 0x4000 == 0 else { return nil }
    protocolType = EtherType(rawValue: NetworkBytes.word16(base, 2))
    headerBytes = 4
    // Checksum, key and sequence number; of PPTP the acknowledgement too.
    if flags & 0x8000 != 0 { headerBytes += 4 }
    if flags & 0x2000 != 0 { headerBytes += 4 }
    if flags & 0x1000 != 0 { headerBytes += 4 }
    if flags & 7 == 1, flags & 0x80 != 0 { headerBytes += 4 }
    guard headerBytes <= packet.count else { return nil }
  }
}

/// What stands before the network layer on a point-to-point link (RFC 1661, RFC 1662).
@frozen public struct PPPHeader: Hashable, Sendable, BitwiseCopyable {
  /// 0x21 for IPv4, 0x57 for IPv6; 0 behind the header of Cisco HDLC, which has an EtherType instead.
  public var protocolNumber: UInt16
  /// Of Cisco HDLC.
  public var etherType: EtherType?
  public var headerBytes: Int

  /// Reads the header at the start of `packet`: with or without address and control, with the protocol number in two
  /// bytes or compressed to one, and that of Cisco HDLC, which shares link types with PPP. `nil` where the packet ends.
  public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count >= 2, let base = packet.baseAddress else { return nil }
    var offset = 0
    protocolNumber = 0
    etherType = nil
    let start = NetworkBytes.word16(base, 0)
    if start == 0xFF03 { offset = 2 }
    // Unicast and broadcast of Cisco HDLC; no protocol of PPP has such a number.
    if start == 0x0F00 || start == 0x8F00 {
      guard packet.count >= 4 else { return nil }
      etherType = EtherType(rawValue: NetworkBytes.word16(base, 2))
      headerBytes = 4
      return
    }
    guard offset < packet.count else { return nil }
    // The last byte of a protocol number is odd and the ones before it are even.
    let first = NetworkBytes.byte(base, offset)
    if first & 1 != 0 {
      protocolNumber = UInt16(first)
      headerBytes = offset + 1
    } else {
      guard offset + 2 <= packet.count else { return nil }
      protocolNumber = NetworkBytes.word16(base, offset)
      headerBytes = offset + 2
    }
  }
}

/// The header of a PPPoE session packet (RFC 2516 section 4).
@frozen public struct PPPoEHeader: Hashable, Sendable, BitwiseCopyable {
  @inlinable public static var headerBytes: Int { 6 }
  /// Bytes behind the header, as it claims them.
  public var payloadBytes: Int

  /// Reads the header at the start of `packet`; `nil` for discovery packets, other versions, and a packet that ends.
  public init?(_ packet: UnsafeRawBufferPointer) {
    guard packet.count >= PPPoEHeader.headerBytes, let base = packet.baseAddress,
      NetworkBytes.word16(base, 0) == 0x1100
    else { return nil }
    payloadBytes = Int(NetworkBytes.word16(base, 4))
  }

  /// Where the session's packet ends among `count` captured bytes.
  public func end(within count: Int) -> Int { min(count, PPPoEHeader.headerBytes + payloadBytes) }
}

/// A stack of MPLS labels (RFC 3032 section 2.1).
public enum MPLSLabels {
  /// More labels than this are refused.
  public static let countMaximum = 16

  /// The bytes that the stack at the start of `packet` takes; `nil` where it does not end.
  public static func byteCount(_ packet: UnsafeRawBufferPointer) -> Int? {
    guard let base = packet.baseAddress else { return nil }
    for index in 0..<countMaximum {
      guard index * 4 + 4 <= packet.count else { return nil }
      if NetworkBytes.byte(base, index * 4 + 2) & 1 != 0 { return index * 4 + 4 }
    }
    return nil
  }
}
