/// The fields of a message as text, the way JSON lines show them.
public enum SSDPText {
  /// Upper-cased names with their values: in order, the first of duplicates, an empty value as `""`.
  ///
  /// A byte that is not part of valid UTF-8 becomes `\xNN` in lower-case hexadecimal. Control bytes stay as they are:
  /// the writer of JSON escapes them.
  public static func headers(_ message: SSDPMessage) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for position in 0..<Int(message.index.pointee.fieldCount) {
      let packed = message.index.field(at: position)
      let number = SSDPIndex.field(packed)
      let name: String
      if number == .other {
        name = text(message.bytes[SSDPIndex.nameRange(packed)].map { $0 &- 97 < 26 ? $0 & 0xDF : $0 })
        if headers.contains(where: { $0.name == name }) { continue }
      } else {
        name = number.name
        if message.index.position(of: number) != position { continue }
      }
      headers.append((name, text(UnsafeRawBufferPointer(rebasing: message.bytes[SSDPIndex.valueRange(packed)]))))
    }
    return headers
  }

  /// Bytes as text; a byte that is not part of valid UTF-8 becomes `\xNN`, and so does a backslash that would be read as
  /// the beginning of that: other bytes are another text.
  public static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    // Plain ASCII without a backslash, which nearly all is, needs no judgement. The difference has the highest bit
    // where the byte is a backslash, or had it before.
    let isPlain = bytes.isFree { word in word | ((word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101) }
    return isPlain ? String(decoding: bytes, as: UTF8.self) : text(Array(bytes))
  }

  private static var backslash: UInt8 { UInt8(ascii: "\\") }

  /// The same.
  public static func text(_ bytes: [UInt8]) -> String {
    func looksEscaped(_ place: Int) -> Bool {
      // Capitals as well: names of devices are compared without regard to case.
      bytes[place] == backslash && place + 3 < bytes.count && ASCIICase.fold(bytes[place + 1]) == UInt8(ascii: "x")
        && ASCIICase.isHexDigit(bytes[place + 2]) && ASCIICase.isHexDigit(bytes[place + 3])
    }
    if !bytes.indices.contains(where: looksEscaped), let text = String(validating: bytes, as: UTF8.self) { return text }
    let digits = Array("0123456789abcdef".utf8)
    var escaped: [UInt8] = []
    escaped.reserveCapacity(bytes.count + 16)
    bytes.withUnsafeBytes { buffer in
      let span = buffer.bytes
      var offset = 0
      while offset < bytes.count {
        let count = SSDPReader.sequenceCount(span, offset, bytes.count)
        if count == 0 || looksEscaped(offset) {
          let byte = bytes[offset]
          escaped += [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
          offset += 1
        } else {
          escaped += bytes[offset..<(offset + count)]
          offset += count
        }
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}
