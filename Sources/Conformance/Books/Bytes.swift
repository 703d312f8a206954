/// Small comparisons over bytes in place.
package enum Bytes {
  @inline(__always) package static func isExactly(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count == count else { return false }
    for offset in 0..<count where bytes[offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// Whether bytes begin with the small letters and signs of `text`, case of letters aside.
  package static func hasPrefix(_ bytes: UnsafeRawBufferPointer, ignoringCase text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count >= count else { return false }
    for offset in 0..<count where lower(bytes[offset]) != text.utf8Start[offset] { return false }
    return true
  }

  package static func isEqual(_ bytes: UnsafeRawBufferPointer, ignoringCase text: StaticString) -> Bool {
    bytes.count == text.utf8CodeUnitCount && hasPrefix(bytes, ignoringCase: text)
  }

  package static func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let count = left.count
    guard count == right.count else { return false }
    guard count >= 8 else {
      for offset in 0..<count where left[offset] != right[offset] { return false }
      return true
    }
    // Names are compared at every message: eight bytes a step, the last step over bytes of the one before.
    var offset = 0
    while offset &+ 8 <= count {
      if word(left, offset) != word(right, offset) { return false }
      offset &+= 8
    }
    return word(left, count &- 8) == word(right, count &- 8)
  }

  @inline(__always) private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  @inline(__always) package static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }
  @inline(__always) package static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

  /// Whether the bytes are a decimal number without sign and leading zeros, at most `maximum`.
  static func isPlainNumber(_ bytes: UnsafeRawBufferPointer, maximum: UInt64) -> Bool {
    guard !bytes.isEmpty, bytes.count <= 19, !(bytes.count > 1 && bytes[0] == 48) else { return false }
    var value: UInt64 = 0
    for byte in bytes {
      guard isDigit(byte) else { return false }
      value = value &* 10 &+ UInt64(byte &- 48)
    }
    return value <= maximum
  }

  /// The first place of `text` in the bytes, case of letters regarded.
  package static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
    let count = text.utf8CodeUnitCount
    let first = text.utf8Start[0]
    var place = start
    while place &+ count <= bytes.count {
      if bytes[place] == first {
        var same = 1
        while same < count, bytes[place &+ same] == text.utf8Start[same] { same &+= 1 }
        if same == count { return place }
      }
      place &+= 1
    }
    return nil
  }
}
