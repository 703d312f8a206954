/// Text that may stand between quotation marks as it is, in JSON and elsewhere.
public enum PlainText {
  /// Whether no byte is a control below 0x20, a quotation mark or a backslash; eight bytes a step.
  public static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    let count = text.count
    guard count >= 8, let base = text.baseAddress else {
      return text.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
    }
    // The highest bit of a byte that is one of these.
    @inline(__always) func odd(_ offset: Int) -> UInt64 {
      let word = base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let mark = word ^ 0x2222_2222_2222_2222
      let slash = word ^ 0x5C5C_5C5C_5C5C_5C5C
      let one: UInt64 = 0x0101_0101_0101_0101
      return (word &- 0x2020_2020_2020_2020) & ~word | (mark &- one) & ~mark | (slash &- one) & ~slash
    }
    // The last bytes, some of them again.
    var found = odd(count &- 8)
    var offset = 0
    while offset &+ 8 <= count {
      found |= odd(offset)
      offset &+= 8
    }
    return found & 0x8080_8080_8080_8080 == 0
  }

  /// What JSON has in place of a byte that may not stand between quotation marks; `nil`: it may.
  public static func jsonEscape(of byte: UInt8) -> String? {
    switch byte {
    case 0x22: "\\\""
    case 0x5C: "\\\\"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    case 0x09: "\\t"
    case 0..<0x20: (byte < 16 ? "\\u000" : "\\u001") + String(byte & 15, radix: 16)
    default: nil
    }
  }
}
