public import RollcallPrimitives

/// A 48-bit link-layer address.
@frozen public struct MACAddress: Hashable, Sendable, BitwiseCopyable {
  /// The six bytes in the low 48 bits, first byte highest.
  public var bits: UInt64

  @inlinable public init(bits: UInt64) { self.bits = bits & 0xFFFF_FFFF_FFFF }
  @inlinable public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8) {
    bits = UInt64(a) << 40 | UInt64(b) << 32 | UInt64(c) << 24 | UInt64(d) << 16 | UInt64(e) << 8 | UInt64(f)
  }

  @inlinable public static var broadcast: MACAddress { MACAddress(bits: .max) }

  /// Where datagrams to this group go on Ethernet: 01:00:5e and the low 23 bits (RFC 1112 section 6.4), 33:33 and the
  /// low 32 bits (RFC 2464 section 7), or broadcast; `nil` for a unicast address.
  @inlinable public init?(group: IPAddress) {
    if group.isBroadcast {
      self = .broadcast
    } else if !group.isMulticast {
      return nil
    } else if group.family == .v4 {
      self.init(bits: 0x0100_5E00_0000 | group.low & 0x7F_FFFF)
    } else {
      self.init(bits: 0x3333_0000_0000 | group.low & 0xFFFF_FFFF)
    }
  }

  /// Whether the group bit is set: multicast or broadcast.
  @inlinable public var isGroup: Bool { bits >> 40 & 1 != 0 }

  /// The six bytes in the order of the wire.
  public var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> UInt64(40 - 8 * $0)) } }
}

extension MACAddress: CustomStringConvertible {
  /// `02:00:5e:10:00:01`.
  public var description: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }
}

/// What an Ethernet frame carries, by the number in its header.
@frozen public struct EtherType: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  @inlinable public static var ipv4: EtherType { EtherType(rawValue: 0x0800) }
  @inlinable public static var arp: EtherType { EtherType(rawValue: 0x0806) }
  @inlinable public static var ipv6: EtherType { EtherType(rawValue: 0x86DD) }
  /// IEEE 802.1Q.
  @inlinable public static var vlan: EtherType { EtherType(rawValue: 0x8100) }

  /// Whether a VLAN tag follows: 802.1Q, 802.1ad, and the numbers that stacked tags had before the standard.
  @inlinable public var isTag: Bool {
    rawValue == 0x8100 || rawValue == 0x88A8 || rawValue == 0x9100 || rawValue == 0x9200
  }
}

/// What an EtherType field and the tags behind it lead to; Linux cooked captures have the field without the rest of
/// an Ethernet header.
@frozen public struct EtherPayload: Hashable, Sendable, BitwiseCopyable {
  public var etherType: EtherType
  /// Where the network layer begins.
  public var offset: Int
  /// The VLAN of the innermost tag, 0 ... 4095; −1 without a tag.
  public var vlan: Int32

  /// Follows the tags from the EtherType field at `typeOffset`; `nil` where the bytes end first.
  @inlinable public init?(_ base: UnsafeRawPointer, count: Int, typeOffset: Int) {
    guard typeOffset &+ 2 <= count else { return nil }
    self.init(base, count: count, type: NetworkBytes.word16(base, typeOffset), offset: typeOffset &+ 2)
  }

  /// Follows the tags of a frame whose EtherType was `type` and whose next byte stands at `offset`.
  @inlinable public init?(_ base: UnsafeRawPointer, count: Int, type: UInt16, offset start: Int) {
    etherType = EtherType(rawValue: type)
    offset = start
    vlan = -1
    while etherType.isTag {
      guard offset &+ 4 <= count else { return nil }
      vlan = Int32(NetworkBytes.word16(base, offset) & 0xFFF)
      etherType = EtherType(rawValue: NetworkBytes.word16(base, offset &+ 2))
      offset &+= 4
    }
    // 802.3: a length, then LLC; only SNAP with an EtherType (RFC 1042) carries IP.
    if etherType.rawValue <= 1_500, offset &+ 8 <= count, NetworkBytes.word32(base, offset) == 0xAAAA_0300,
      NetworkBytes.word16(base, offset &+ 4) == 0
    {
      etherType = EtherType(rawValue: NetworkBytes.word16(base, offset &+ 6))
      offset &+= 8
    }
  }
}
