/// The second word of a header (RFC 1035 §4.1.1, RFC 4035 §3.2), as it stands there.
@frozen public struct DNSFlags: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  public var rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A query of multicast DNS: all bits are zero (RFC 6762 §18).
  @inlinable public static var query: DNSFlags { DNSFlags(rawValue: 0) }
  /// A response of multicast DNS: QR and AA (RFC 6762 §18.2, §18.4).
  @inlinable public static var response: DNSFlags { DNSFlags(rawValue: 0x8400) }

  @inlinable func bit(_ mask: UInt16) -> Bool { rawValue & mask != 0 }
  @inlinable mutating func set(_ mask: UInt16, _ isSet: Bool) { rawValue = rawValue & ~mask | (isSet ? mask : 0) }

  /// QR.
  @inlinable public var isResponse: Bool {
    get { bit(0x8000) }
    set { set(0x8000, newValue) }
  }
  /// 4 bits.
  @inlinable public var opcode: UInt8 {
    get { UInt8(rawValue &>> 11 & 15) }
    set { rawValue = rawValue & ~0x7800 | UInt16(newValue & 15) &<< 11 }
  }
  /// AA.
  @inlinable public var isAuthoritative: Bool {
    get { bit(0x0400) }
    set { set(0x0400, newValue) }
  }
  /// TC: in a query, known answers follow in another message (RFC 6762 §18.5).
  @inlinable public var isTruncated: Bool {
    get { bit(0x0200) }
    set { set(0x0200, newValue) }
  }
  /// RD.
  @inlinable public var recursionDesired: Bool {
    get { bit(0x0100) }
    set { set(0x0100, newValue) }
  }
  /// RA.
  @inlinable public var recursionAvailable: Bool {
    get { bit(0x0080) }
    set { set(0x0080, newValue) }
  }
  /// Z.
  @inlinable public var isReservedBitSet: Bool {
    get { bit(0x0040) }
    set { set(0x0040, newValue) }
  }
  /// AD.
  @inlinable public var isAuthenticData: Bool {
    get { bit(0x0020) }
    set { set(0x0020, newValue) }
  }
  /// CD.
  @inlinable public var isCheckingDisabled: Bool {
    get { bit(0x0010) }
    set { set(0x0010, newValue) }
  }
  /// RCODE: 4 bits.
  @inlinable public var responseCode: UInt8 {
    get { UInt8(rawValue & 15) }
    set { rawValue = rawValue & ~15 | UInt16(newValue & 15) }
  }
}

/// The part of a message that a record stands in, in the order in which they stand.
public enum DNSSection: UInt8, Hashable, Sendable, BitwiseCopyable {
  case answers = 1
  case authorities = 2
  case additionals = 3
}

public struct DNSMessage: Hashable, Sendable {
  public var id: UInt16
  public var flags: DNSFlags
  public var questions: [DNSQuestion]
  public var answers: [DNSRecord]
  public var authorities: [DNSRecord]
  public var additionals: [DNSRecord]

  public init(
    id: UInt16 = 0, flags: DNSFlags, questions: [DNSQuestion] = [], answers: [DNSRecord] = [],
    authorities: [DNSRecord] = [], additionals: [DNSRecord] = []
  ) {
    (self.id, self.flags, self.questions) = (id, flags, questions)
    (self.answers, self.authorities, self.additionals) = (answers, authorities, additionals)
  }

  public static let headerBytes = 12
}
