/// Comparison and hashing of bytes in which `A`…`Z` count as `a`…`z` and every other byte counts as itself.
///
/// Eight bytes a step, nothing allocated, nothing read outside the buffer; the same hash on every processor.
enum ASCIICase {
  /// The eight bytes of `word` with the letters `A`…`Z` made small; bytes from 0x80 up stay as they are.
  @inline(__always) static func fold(_ word: UInt64) -> UInt64 {
    let low = word & 0x7F7F_7F7F_7F7F_7F7F
    // The top bit of each byte says: at least `A`, and beyond `Z`.
    let atLeastA = low &+ 0x3F3F_3F3F_3F3F_3F3F
    let beyondZ = low &+ 0x2525_2525_2525_2525
    let capital = (atLeastA ^ beyondZ) & ~word & 0x8080_8080_8080_8080
    return word | capital &>> 2
  }

  @inline(__always) static func fold(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

  @inline(__always) static func isHexDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 || fold(byte) &- 97 < 6 }

  /// Whether both buffers hold the same bytes but for the case of letters.
  static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    if count < 8 {
      for offset in 0..<count where fold(left[offset]) != fold(right[offset]) { return false }
      return true
    }
    var offset = 0
    while offset &+ 8 <= count {
      guard fold(word(left, offset)) == fold(word(right, offset)) else { return false }
      offset &+= 8
    }
    // The last word overlaps the one before it, so that no byte past the end is read.
    return fold(word(left, count &- 8)) == fold(word(right, count &- 8))
  }

  /// Whether `bytes` begin with the small letters and signs of `prefix`, case of letters aside.
  @inline(__always) static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
    let count = prefix.utf8CodeUnitCount
    guard bytes.count >= count else { return false }
    for offset in 0..<count where fold(bytes[offset]) != prefix.utf8Start[offset] { return false }
    return true
  }

  /// Whether `bytes` are `text`, byte for byte.
  @inline(__always) static func isExactly(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count == count else { return false }
    for offset in 0..<count where bytes[offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// A hash that buffers which are `equal` share.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    var state: UInt64 = 0xA076_1D64_78BD_642F ^ UInt64(truncatingIfNeeded: count)
    if count < 8 {
      var last: UInt64 = 0
      for offset in 0..<count { last = last &<< 8 | UInt64(fold(bytes[offset])) }
      return mix(state ^ last, 0xE703_7ED1_A0B4_28DB)
    }
    var offset = 0
    while offset &+ 8 <= count {
      state = mix(state ^ fold(word(bytes, offset)), 0xE703_7ED1_A0B4_28DB)
      offset &+= 8
    }
    return mix(state ^ fold(word(bytes, count &- 8)), 0x8EBC_6AF0_9C88_C6E3)
  }

  @inline(__always) private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }

  @inline(__always) private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension UnsafeRawBufferPointer {
  /// Whether no byte is odd, looked at in words of eight bytes.
  ///
  /// - Parameter odd: sets the highest bit of each byte of a word that is odd; those of other bytes only where one of
  ///   these is lower in the word.
  @inline(__always) func isFree(of odd: (UInt64) -> UInt64) -> Bool {
    let highest: UInt64 = 0x8080_8080_8080_8080
    guard count >= 8, let base = baseAddress else {
      return allSatisfy { odd(UInt64($0) &* 0x0101_0101_0101_0101) & highest == 0 }
    }
    func word(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    // The last bytes, some of them again.
    var found = odd(word(count &- 8))
    var offset = 0
    while offset &+ 8 <= count {
      found |= odd(word(offset))
      offset &+= 8
    }
    return found & highest == 0
  }
}
