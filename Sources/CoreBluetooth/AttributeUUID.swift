/// A Bluetooth UUID as a plain value: what the phone is told and tells. All spellings of one UUID are one value.
package struct AttributeUUID: Hashable, Sendable, CustomStringConvertible {
  /// All sixteen bytes, most significant first.
  package let bytes: [UInt8]

  /// What a UUID of two or four bytes is short for, from its fifth byte on.
  private static let base: [UInt8] = [0, 0, 0x10, 0, 0x80, 0, 0, 0x80, 0x5F, 0x9B, 0x34, 0xFB]

  /// From two, four or sixteen bytes, most significant first. No other number of bytes is a UUID.
  package init?(bytes: [UInt8]) {
    switch bytes.count {
    case 2: self.bytes = [0, 0] + bytes + Self.base
    case 4: self.bytes = bytes + Self.base
    case 16: self.bytes = bytes
    default: return nil
    }
  }

  package init(_ short: UInt16) {
    bytes = [0, 0, UInt8(short >> 8), UInt8(short & 0xFF)] + Self.base
  }

  /// From four or eight digits, or the form with hyphens.
  package init?(_ text: String) {
    guard let bytes = Self.bytes(of: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The bytes as they are spelled, or nil if the text is no spelling of a UUID.
  static func bytes(of text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    let digits: [UInt8]
    switch characters.count {
    case 4, 8: digits = characters
    case 36:
      let hyphens = [8, 13, 18, 23]
      guard hyphens.allSatisfy({ characters[$0] == UInt8(ascii: "-") }) else { return nil }
      digits = characters.indices.filter { !hyphens.contains($0) }.map { characters[$0] }
    default: return nil
    }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func nibble(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The fewest bytes that mean this UUID: two, four or sixteen.
  package var shortest: [UInt8] {
    guard Array(bytes[4...]) == Self.base else { return bytes }
    return bytes[0] == 0 && bytes[1] == 0 ? Array(bytes[2..<4]) : Array(bytes[0..<4])
  }

  /// The shortest spelling, in capitals.
  package var description: String {
    let text = shortest.map(Self.digits).joined()
    guard text.count == 32 else { return text }
    let characters = Array(text)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(characters[$0]) }.joined(separator: "-")
  }

  private static func digits(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return byte < 16 ? "0" + text : text
  }
}
