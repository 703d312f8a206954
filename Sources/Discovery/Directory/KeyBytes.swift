import RollcallPrimitives

/// Hash and comparison of byte keys, by words of eight bytes; with `folding`, `A`...`Z` count as `a`...`z`.
///
/// Nothing outside the buffers is read. The hash is the same in every process for one seed, and stays inside tables.
enum KeyBytes {
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64, folding: Bool) -> UInt32 {
    let count = bytes.count
    if count < 8 { return hashShort(bytes, seed: seed, folding: folding) }
    @inline(__always) func word(_ offset: Int) -> UInt64 {
      folding ? fold(load(bytes, offset)) : load(bytes, offset)
    }
    // The seed is in both factors: nobody who does not know it can make one of them 0. It is turned in one of them:
    // were it the same in both, two words could change places, each altered by the length and this constant.
    let other = (seed &<< 32 | seed &>> 32) ^ 0x8EBC_6AF0_9C88_C6E3
    var state = seed ^ UInt64(truncatingIfNeeded: count)
    var offset = 0
    while offset &+ 16 < count {
      state = Digest.fold(word(offset) ^ state, word(offset &+ 8) ^ other)
      offset &+= 16
    }
    // The last sixteen bytes, or all; some of them again.
    state = Digest.fold(word(max(0, count &- 16)) ^ state, word(count &- 8) ^ other)
    return UInt32(truncatingIfNeeded: state ^ state &>> 32)
  }

  // Names of less than eight bytes are rare: what is done with them stays out of the code of all others.
  @inline(never)
  private static func hashShort(_ bytes: UnsafeRawBufferPointer, seed: UInt64, folding: Bool) -> UInt32 {
    var last: UInt64 = 0
    for byte in bytes { last = last &<< 8 | UInt64(byte) }
    let start = seed ^ UInt64(truncatingIfNeeded: bytes.count)
    let state = Digest.fold(start ^ (folding ? fold(last) : last), 0xE703_7ED1_A0B4_28DB)
    return UInt32(truncatingIfNeeded: state ^ state &>> 32)
  }

  static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, folding: Bool) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    if count < 8 { return equalShort(left, right, folding: folding) }
    var offset = 0
    while offset &+ 8 <= count {
      guard isSame(load(left, offset), load(right, offset), folding) else { return false }
      offset &+= 8
    }
    // The last word overlaps the one before, so that no byte past the end is read.
    return isSame(load(left, count &- 8), load(right, count &- 8), folding)
  }

  /// The same of two of one length.
  @inline(never)
  private static func equalShort(
    _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, folding: Bool
  ) -> Bool {
    for offset in 0..<left.count {
      guard isSame(UInt64(left[offset]), UInt64(right[offset]), folding) else { return false }
    }
    return true
  }

  /// Where the first `::` at or after `start` stands; `nil` if there is none.
  static func firstDoubleColon(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    let colon = UInt8(ascii: ":")
    var offset = start
    while offset &+ 8 <= bytes.count {
      // A byte of `other` is zero where a colon stands; the lowest such byte is marked exactly.
      let other = load(bytes, offset) ^ 0x3A3A_3A3A_3A3A_3A3A
      let marks = (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
      if marks == 0 {
        offset &+= 8
        continue
      }
      let place = offset &+ marks.trailingZeroBitCount / 8
      if place &+ 1 < bytes.count, bytes[place &+ 1] == colon { return place }
      offset = place &+ 1
    }
    while offset &+ 1 < bytes.count {
      if bytes[offset] == colon, bytes[offset &+ 1] == colon { return offset }
      offset &+= 1
    }
    return nil
  }

  /// A hash of two words.
  @inline(__always) static func hash(_ first: UInt64, _ second: UInt64, seed: UInt64) -> UInt32 {
    let state = Digest.fold(first ^ seed ^ 0xA076_1D64_78BD_642F, second ^ 0xE703_7ED1_A0B4_28DB)
    return UInt32(truncatingIfNeeded: state ^ state &>> 32)
  }

  @inline(__always) private static func isSame(_ left: UInt64, _ right: UInt64, _ folding: Bool) -> Bool {
    left == right || folding && isSameFolded(left, right)
  }

  /// Nearly all that is compared is spelled the same.
  @inline(never) private static func isSameFolded(_ left: UInt64, _ right: UInt64) -> Bool { fold(left) == fold(right) }

  /// The eight bytes with letters made small; bytes from 0x80 up stay as they are.
  @inline(__always) private static func fold(_ word: UInt64) -> UInt64 {
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    let atLeastA = low &+ 0x3F3F_3F3F_3F3F_3F3F
    let beyondZ = low &+ 0x2525_2525_2525_2525
    let capital = (atLeastA ^ beyondZ) & ~word & 0x8080_8080_8080_8080
    return word | capital &>> 2
  }

  @inline(__always) private static func load(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
