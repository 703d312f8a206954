public import RollcallPrimitives

/// The one's complement sum of RFC 1071, under way: add runs of bytes, then read `value`.
///
/// Runs are taken as 16-bit big-endian words; only the last run may have an odd number of bytes.
@frozen public struct InternetChecksum: Hashable, Sendable, BitwiseCopyable {
  // Kept in memory order, not network order: the sum does not care, and the swap happens once, at the end.
  @usableFromInline var sum: UInt64

  @inlinable public init() { sum = 0 }

  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    let count = bytes.count
    var offset = 0
    // A 64-bit sum holds 2³² words of 32 bits; a frame has some 16 000.
    while offset &+ 8 <= count {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      sum &+= word & 0xFFFF_FFFF
      sum &+= word &>> 32
      offset &+= 8
    }
    while offset &+ 2 <= count {
      sum &+= UInt64(base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
      offset &+= 2
    }
    if offset < count { sum &+= UInt64((UInt16(base.load(fromByteOffset: offset, as: UInt8.self)) &<< 8).bigEndian) }
  }

  /// Adds one 16-bit word.
  @inlinable public mutating func add(word: UInt16) { sum &+= UInt64(word.bigEndian) }

  /// Adds an address as it stands in a header: 4 or 16 bytes.
  @inlinable public mutating func add(_ address: IPAddress) {
    if address.family == .v4 {
      sum &+= UInt64(UInt32(truncatingIfNeeded: address.low).bigEndian)
    } else {
      let (high, low) = (address.high.bigEndian, address.low.bigEndian)
      sum &+= (high & 0xFFFF_FFFF) &+ (high &>> 32) &+ (low & 0xFFFF_FFFF) &+ (low &>> 32)
    }
  }

  /// Adds the pseudo-header that TCP, UDP and ICMPv6 share (RFC 768, RFC 8200 section 8.1).
  @inlinable public mutating func addPseudoHeader(
    source: IPAddress, destination: IPAddress, protocolNumber: UInt8, byteCount: Int
  ) {
    add(source)
    add(destination)
    add(word: UInt16(protocolNumber))
    add(word: UInt16(truncatingIfNeeded: byteCount &>> 16))
    add(word: UInt16(truncatingIfNeeded: byteCount))
  }

  /// The complement of the sum so far: what stands in a header; 0 when a header with its checksum in place is sound.
  @inlinable public var value: UInt16 {
    var folded = (sum & 0xFFFF_FFFF) &+ (sum &>> 32)
    folded = (folded & 0xFFFF) &+ (folded &>> 16)
    folded = (folded & 0xFFFF) &+ (folded &>> 16)
    folded = (folded & 0xFFFF) &+ (folded &>> 16)
    return ~UInt16(truncatingIfNeeded: folded).bigEndian
  }
}

/// Big-endian loads from a buffer whose bounds the caller has checked.
@usableFromInline enum NetworkBytes {
  @inlinable static func byte(_ base: UnsafeRawPointer, _ offset: Int) -> UInt8 {
    base.load(fromByteOffset: offset, as: UInt8.self)
  }
  @inlinable static func word16(_ base: UnsafeRawPointer, _ offset: Int) -> UInt16 {
    UInt16(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
  @inlinable static func word32(_ base: UnsafeRawPointer, _ offset: Int) -> UInt32 {
    UInt32(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
  @inlinable static func word64(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(bigEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
