/// What text may stand as it is: between quotation marks, and before a person's eyes.
///
/// Names, addresses and file names come from others. Some characters move a terminal's cursor, ring its bell or set
/// its title; others turn the direction of writing, end a comment of YAML or cannot be seen at all. All of them are
/// called hidden here. Text for people shows them as `\x1b` or `\u{202e}`; JSON, XML and YAML have their own escapes.
public enum PlainText {
  /// Lines without their ends, LF or CR LF.
  package static func lines(of text: String) -> [Substring] {
    text.utf8.split(separator: 10, omittingEmptySubsequences: false).map { line in
      Substring(line.last == 13 ? line.dropLast() : line)
    }
  }

  /// Whether every byte is printable ASCII and none is a quotation mark or a backslash; sixteen bytes a step.
  public static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    let count = text.count
    guard count >= 8, let base = text.baseAddress else {
      return text.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }
    // All bits of each byte that is one of these. What is not ASCII is below zero.
    @inline(__always) func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD2<UInt64> {
      unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    }
    @inline(__always) func odd(_ words: SIMD2<UInt64>) -> SIMD2<UInt64> {
      let bytes = unsafeBitCast(words, to: SIMD16<Int8>.self)
      let space = SIMD16<Int8>(repeating: 0x20)
      let delete = SIMD16<Int8>(repeating: 0x7F)
      let mark = SIMD16<Int8>(repeating: 0x22)
      let slash = SIMD16<Int8>(repeating: 0x5C)
      var odd: SIMD2<UInt64> = bits(bytes .< space)
      odd |= bits(bytes .== delete)
      odd |= bits(bytes .== mark)
      odd |= bits(bytes .== slash)
      return odd
    }
    @inline(__always) func word(_ offset: Int) -> UInt64 { base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    var found = SIMD2<UInt64>.zero
    var offset = 0
    while offset &+ 16 <= count {
      found |= odd(base.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self))
      offset &+= 16
    }
    // The last bytes, some of them again. They come last: where they came first, the compiler made the loop of words.
    found |= odd(SIMD2<UInt64>(word(max(0, count &- 16)), word(count &- 8)))
    return found[0] | found[1] == 0
  }

  /// Whether a character has no picture of its own but an effect: controls, what turns the direction of writing, line
  /// and paragraph separators, and what Unicode lets a program leave out.
  public static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20..<0x7F: false
    case 0x00..<0x20, 0x7F...0x9F: true
    case 0xA0..<0xAD: false
    case 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x1BCA0...0x1BCA3,
      0x1D173...0x1D17A, 0xE0000...0xE0FFF:
      true
    default: false
    }
  }

  /// Text for people: each hidden character as `\xNN` below 0x80, else as `\u{NNNN}`, both in lower-case hexadecimal.
  ///
  /// All that is printed for a person goes through here, once. Text without hidden characters stays as it is, what was
  /// shown already included.
  public static func shown(_ text: String) -> String {
    if !text.utf8.contains(where: { $0 < 0x20 || $0 > 0x7E }) { return text }
    if !text.unicodeScalars.contains(where: isHidden) { return text }
    var shown = ""
    for scalar in text.unicodeScalars {
      if !isHidden(scalar) {
        shown.unicodeScalars.append(scalar)
      } else if scalar.value < 0x80 {
        shown += (scalar.value < 16 ? "\\x0" : "\\x") + String(scalar.value, radix: 16)
      } else {
        shown += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return shown
  }

  /// What JSON has in place of a character that may not stand between quotation marks, or is hidden; `nil`: it may.
  public static func jsonEscape(of scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x22: "\\\""
    case 0x5C: "\\\\"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    case 0x09: "\\t"
    default:
      isHidden(scalar) ? UTF16.encode(scalar).map { $0.map { "\\u" + padded(UInt32($0), 4) }.joined() } : nil
    }
  }

  /// Lower-case hexadecimal of at least so many digits.
  public static func padded(_ value: UInt32, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
