/// A 64-bit digest of a run, folded entry by entry: equal runs have equal digests on every processor.
///
/// Not cryptographic: it tells two honest runs apart, nothing more. Multiply-and-fold over 64-bit words, seedless, so
/// the value may be committed to a file and compared years later.
@frozen public struct Digest: Hashable, Sendable, BitwiseCopyable {
  public var state: UInt64

  @inlinable public init() { state = 0xA076_1D64_78BD_642F }

  @inlinable public mutating func combine(_ word: UInt64) {
    state = Digest.fold(state ^ word, 0xE703_7ED1_A0B4_28DB)
  }

  @inlinable public mutating func combine(_ first: UInt64, _ second: UInt64) {
    state = Digest.fold(state ^ first, second ^ 0x8EBC_6AF0_9C88_C6E3)
  }

  public mutating func combine(_ text: String) {
    let hash = text.utf8.withContiguousStorageIfAvailable { Digest.hash(UnsafeRawBufferPointer($0)) }
    if let hash { return combine(hash) }
    var text = text
    text.withUTF8 { combine(Digest.hash(UnsafeRawBufferPointer($0))) }
  }

  @inlinable public static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  /// The hash of a run of bytes; 16 bytes a multiplication.
  public static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    var first: UInt64 = 0xA076_1D64_78BD_642F ^ UInt64(truncatingIfNeeded: count)
    var second: UInt64 = 0x589965CC75374CC3
    var offset = 0
    while offset &+ 32 <= count {
      first = fold(word(bytes, offset) ^ 0xE703_7ED1_A0B4_28DB, word(bytes, offset &+ 8) ^ first)
      second = fold(word(bytes, offset &+ 16) ^ 0x8EBC_6AF0_9C88_C6E3, word(bytes, offset &+ 24) ^ second)
      offset &+= 32
    }
    while offset &+ 8 <= count {
      first = fold(word(bytes, offset) ^ 0xE703_7ED1_A0B4_28DB, first)
      offset &+= 8
    }
    var last: UInt64 = 0
    if offset < count, count >= 8 {
      // The last bytes, the first of them highest: the end of the eight bytes that end with them.
      let mask = (1 as UInt64) &<< UInt64(8 &* (count &- offset)) &- 1
      last = word(bytes, count &- 8).byteSwapped & mask
    } else {
      while offset < count {
        last = last &<< 8 | UInt64(bytes[offset])
        offset &+= 1
      }
    }
    return fold(first ^ last ^ 0x1D8E_4E27_C47D_124F, second)
  }

  /// A sum of a run of bytes, at a third of the cost of `hash` for a datagram: sums of words, and sums of those sums.
  ///
  /// An attacker can make two runs with the same sum; by chance there are none.
  static func sum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    guard bytes.count >= laneBytes, let base = bytes.baseAddress else { return hash(bytes) }
    return sum(base, bytes.count, mask: ~0)
  }

  /// The same of at least one lane, of which the bits of `mask` count.
  package static func sum(_ bytes: UnsafeRawBufferPointer, mask: UInt64) -> UInt64 {
    precondition(bytes.count >= laneBytes, "a sum is made of whole lanes")
    return bytes.baseAddress.map { sum($0, bytes.count, mask: mask) } ?? 0
  }

  @inline(__always) static func sum(_ base: UnsafeRawPointer, _ count: Int, mask: UInt64) -> UInt64 {
    @inline(__always) func lane(_ offset: Int) -> SIMD2<UInt64> { Digest.lane(base, offset) & SIMD2(repeating: mask) }
    var sum = SIMD2<UInt64>(UInt64(truncatingIfNeeded: count), 0)
    var sums = sum
    var offset = 0
    let lastFour = count &- 4 &* laneBytes
    while offset <= lastFour {
      sum &+= lane(offset)
      sums &+= sum
      sum &+= lane(offset &+ laneBytes)
      sums &+= sum
      sum &+= lane(offset &+ 2 &* laneBytes)
      sums &+= sum
      sum &+= lane(offset &+ 3 &* laneBytes)
      sums &+= sum
      offset &+= 4 &* laneBytes
    }
    while offset &+ laneBytes <= count {
      sum &+= lane(offset)
      sums &+= sum
      offset &+= laneBytes
    }
    // The last bytes, some of them again.
    sum &+= lane(count &- laneBytes)
    sums &+= sum
    return fold(
      fold(sum[0] ^ 0xA076_1D64_78BD_642F, sums[1] ^ 0xE703_7ED1_A0B4_28DB) ^ sum[1], sums[0] ^ 0x589965CC75374CC3)
  }

  /// Bytes that are read at once.
  @inlinable package static var laneBytes: Int { 16 }

  /// Two words, the first of them lowest, on every processor.
  @inline(__always) private static func lane(_ bytes: UnsafeRawPointer, _ offset: Int) -> SIMD2<UInt64> {
    let lane = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
    #if _endian(big)
      return SIMD2(lane[0].byteSwapped, lane[1].byteSwapped)
    #else
      return lane
    #endif
  }

  @inline(__always) static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension Digest: CustomStringConvertible {
  /// Sixteen hexadecimal digits.
  public var description: String { state.hexadecimal }
}
