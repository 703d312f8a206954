public import RollcallPrimitives

/// What a record holds, or what a question asks for: an assigned number.
@frozen public struct DNSType: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
  public var rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
  @inlinable public static func < (left: DNSType, right: DNSType) -> Bool { left.rawValue < right.rawValue }

  @inlinable public static var a: DNSType { DNSType(rawValue: 1) }
  @inlinable public static var cname: DNSType { DNSType(rawValue: 5) }
  @inlinable public static var ptr: DNSType { DNSType(rawValue: 12) }
  @inlinable public static var hinfo: DNSType { DNSType(rawValue: 13) }
  @inlinable public static var txt: DNSType { DNSType(rawValue: 16) }
  @inlinable public static var aaaa: DNSType { DNSType(rawValue: 28) }
  @inlinable public static var srv: DNSType { DNSType(rawValue: 33) }
  @inlinable public static var opt: DNSType { DNSType(rawValue: 41) }
  @inlinable public static var nsec: DNSType { DNSType(rawValue: 47) }
  /// Only in questions: every type.
  @inlinable public static var any: DNSType { DNSType(rawValue: 255) }
}

extension DNSType: CustomStringConvertible {
  /// The mnemonic, or `TYPE` and the number (RFC 3597 §5).
  public var description: String {
    switch self {
    case .a: "A"
    case .cname: "CNAME"
    case .ptr: "PTR"
    case .hinfo: "HINFO"
    case .txt: "TXT"
    case .aaaa: "AAAA"
    case .srv: "SRV"
    case .opt: "OPT"
    case .nsec: "NSEC"
    case .any: "ANY"
    default: "TYPE\(rawValue)"
    }
  }
}

/// A class, without the top bit, which multicast DNS took for itself (RFC 6762 §18.12, §18.13).
@frozen public struct DNSClass: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
  public var rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
  @inlinable public static func < (left: DNSClass, right: DNSClass) -> Bool { left.rawValue < right.rawValue }

  @inlinable public static var internet: DNSClass { DNSClass(rawValue: 1) }
  /// Only in questions: every class.
  @inlinable public static var any: DNSClass { DNSClass(rawValue: 255) }
  /// QU in a question, cache-flush in a record.
  @usableFromInline static var topBit: UInt16 { 0x8000 }
}

public struct DNSQuestion: Hashable, Sendable {
  public var name: DNSName
  public var type: DNSType
  /// 15 bits.
  public var questionClass: DNSClass
  /// The QU bit: an answer by unicast is welcome (RFC 6762 §5.4).
  public var wantsUnicast: Bool

  public init(_ name: DNSName, _ type: DNSType, questionClass: DNSClass = .internet, wantsUnicast: Bool = false) {
    (self.name, self.type, self.questionClass, self.wantsUnicast) = (name, type, questionClass, wantsUnicast)
  }
}

public struct DNSRecord: Hashable, Sendable {
  public var name: DNSName
  /// 15 bits; all 16 of an OPT record, where they are a size in bytes (RFC 6891 §6.1.2).
  public var recordClass: DNSClass
  /// This is the whole set of such records (RFC 6762 §10.2). Never of an OPT record.
  public var isCacheFlush: Bool
  /// 32 bits as they stand there; the flags of an OPT record.
  public var ttlSeconds: UInt32
  public var data: DNSData

  public init(
    _ name: DNSName, _ data: DNSData, ttlSeconds: UInt32, isCacheFlush: Bool = false, recordClass: DNSClass = .internet
  ) {
    (self.name, self.data, self.ttlSeconds) = (name, data, ttlSeconds)
    (self.isCacheFlush, self.recordClass) = (isCacheFlush, recordClass)
  }

  public var type: DNSType { data.type }

  /// Whether it comes before `other` where two hosts probe for one name: class, type, then the bytes of the data
  /// without compression, as numbers without a sign; the shorter one first where they are the same so far. The host
  /// with the later record has the name (RFC 6762 §8.2).
  public func precedesInTieBreak(_ other: DNSRecord) -> Bool {
    if recordClass != other.recordClass { return recordClass < other.recordClass }
    if type != other.type { return type < other.type }
    return data.bytes.lexicographicallyPrecedes(other.data.bytes)
  }

  /// Whether neither comes before the other where two hosts probe for one name: it is no conflict.
  public func isTied(with other: DNSRecord) -> Bool {
    recordClass == other.recordClass && type == other.type && data.bytes == other.data.bytes
  }
}

/// What a record says, by its type.
public enum DNSData: Hashable, Sendable {
  /// A for IPv4, AAAA for IPv6.
  case address(IPAddress)
  case ptr(DNSName)
  case cname(DNSName)
  /// RFC 2782.
  case srv(priority: UInt16, weight: UInt16, port: UInt16, target: DNSName)
  /// The strings, each behind its length: see `TXTRecord`.
  case txt([UInt8])
  /// The types that there are of this name (RFC 4034 §4.1, RFC 6762 §6.1).
  case nsec(next: DNSName, types: DNSTypeSet)
  /// Options, each behind its code and length (RFC 6891 §6.1.2), as they stand there.
  case opt([UInt8])
  /// The bytes of any other type, as they stand there: names in them are not looked at.
  case other(DNSType, [UInt8])

  public var type: DNSType {
    switch self {
    case .address(let address): address.family == .v4 ? .a : .aaaa
    case .ptr: .ptr
    case .cname: .cname
    case .srv: .srv
    case .txt: .txt
    case .nsec: .nsec
    case .opt: .opt
    case .other(let type, _): type
    }
  }

  /// The bytes without compression.
  public var bytes: [UInt8] {
    switch self {
    case .address(let address): address.bytes
    case .ptr(let name), .cname(let name): name.wire
    case .srv(let priority, let weight, let port, let target):
      [priority, weight, port].flatMap { [UInt8($0 &>> 8), UInt8(truncatingIfNeeded: $0)] } + target.wire
    case .txt(let bytes), .opt(let bytes), .other(_, let bytes): bytes
    case .nsec(let next, let types): next.wire + DNSData.bitmaps(of: types)
    }
  }

  /// The windows of an NSEC record, each with its number, its length and 1 to 32 bytes (RFC 4034 §4.1.2).
  static func bitmaps(of types: DNSTypeSet) -> [UInt8] {
    var (written, window, bitmap): ([UInt8], UInt8, [UInt8]) = ([], 0, [])
    func finished() -> [UInt8] { bitmap.isEmpty ? [] : [window, UInt8(bitmap.count)] + bitmap }
    for type in types {
      let (high, low) = (UInt8(type.rawValue &>> 8), Int(type.rawValue & 0xFF))
      if high != window {
        written += finished()
        (window, bitmap) = (high, [])
      }
      while bitmap.count <= low / 8 { bitmap.append(0) }
      bitmap[low / 8] |= 0x80 &>> UInt8(low % 8)
    }
    return written + finished()
  }
}
