/// The classes of characters that XML 1.0 (fifth edition) has.
enum XMLCharacters {
  /// Space, tab, LF, CR.
  @inline(__always) static func isBlank(_ byte: UInt8) -> Bool {
    byte <= 0x20 && (1 &<< UInt64(byte & 63)) & 0x1_0000_2600 != 0
  }

  /// Letters, digits, `-`, `.` and `_`: what stands in a name besides the colon, of ASCII.
  @inline(__always) static func isNameByte(_ byte: UInt8) -> Bool {
    let mask: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return byte < 0x80 && mask &>> UInt64(byte & 63) & 1 != 0
  }

  /// Letters and `_`: what a name begins with, of ASCII.
  @inline(__always) static func isNameStartByte(_ byte: UInt8) -> Bool {
    byte | 0x20 &- 97 < 26 || byte == UInt8(ascii: "_")
  }

  /// Whether text stops being plain at this byte: `<`, `&`, `]`, CR, what XML does not allow, what is no ASCII.
  @inline(__always) static func isSpecialInText(_ byte: UInt8) -> Bool {
    let mask: UInt64 = byte < 64 ? 0x1000_0040_FFFF_F9FF : 0x0000_0000_2000_0000
    return byte >= 0x80 || mask &>> UInt64(byte & 63) & 1 != 0
  }

  /// Whether a value of an attribute stops being plain at this byte: quotation marks, `<`, `&`, blanks other than a
  /// space, what XML does not allow, what is no ASCII.
  @inline(__always) static func isSpecialInValue(_ byte: UInt8) -> Bool {
    let mask: UInt64 = byte < 64 ? 0x1000_00C4_FFFF_FFFF : 0
    return byte >= 0x80 || mask &>> UInt64(byte & 63) & 1 != 0
  }

  /// `Char` of section 2.2.
  static func isAllowed(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x20...0xD7FF, 0x09, 0x0A, 0x0D, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
    default: false
    }
  }

  /// `NameStartChar` of section 2.3 without the colon.
  static func isNameStart(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x41...0x5A, 0x61...0x7A, 0x5F, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF,
      0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
      0x1_0000...0xE_FFFF:
      true
    default: false
    }
  }

  /// `NameChar` of section 2.3 without the colon.
  static func isName(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isNameStart(scalar)
    }
  }

  /// Whether a text is a name without a colon.
  static func isLocalName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, isNameStart(first.value) else { return false }
    return text.unicodeScalars.allSatisfy { isName($0.value) }
  }

  /// The character that begins at `offset`, which is in the buffer, and its bytes; `nil` where there is none in UTF-8.
  static func scalar(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> (value: UInt32, count: Int)? {
    let first = UInt32(bytes[offset])
    if first < 0x80 { return (first, 1) }
    let (count, least): (Int, UInt32)
    switch first {
    case 0xC2...0xDF: (count, least) = (2, 0x80)
    case 0xE0...0xEF: (count, least) = (3, 0x800)
    case 0xF0...0xF4: (count, least) = (4, 0x1_0000)
    default: return nil
    }
    guard bytes.count &- offset >= count else { return nil }
    var value = first & (0x7F &>> UInt32(count))
    for place in 1..<count {
      let byte = UInt32(bytes[offset &+ place])
      guard byte & 0xC0 == 0x80 else { return nil }
      value = value &<< 6 | byte & 0x3F
    }
    guard value >= least, value <= 0x10_FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
    return (value, count)
  }

  /// Adds a character, which is one, as UTF-8.
  static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: scalar &>> shift & 0x3F | 0x80) }
    switch scalar {
    case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800: bytes += [UInt8(truncatingIfNeeded: scalar &>> 6 | 0xC0), tail(0)]
    case ..<0x1_0000: bytes += [UInt8(truncatingIfNeeded: scalar &>> 12 | 0xE0), tail(6), tail(0)]
    default: bytes += [UInt8(truncatingIfNeeded: scalar &>> 18 | 0xF0), tail(12), tail(6), tail(0)]
    }
  }
}
