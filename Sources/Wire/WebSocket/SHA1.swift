/// The hash that the handshake of a WebSocket names (RFC 3174). It shows that a server speaks the protocol, and protects
/// nothing.
enum SHA1 {
  /// - Returns: 20 bytes.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var message = bytes + [0x80]
    message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
    let bitCount = UInt64(bytes.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: bitCount >> shift)) }

    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: message.count, by: 64) { mix(message[start..<start + 64], into: &state) }
    return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    var words: [UInt32] = []
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<80 {
      words.append(turned(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (f, k): (UInt32, UInt32)
      switch index {
      case 0..<20: (f, k) = (b & c | ~b & d, 0x5A82_7999)
      case 20..<40: (f, k) = (b ^ c ^ d, 0x6ED9_EBA1)
      case 40..<60: (f, k) = (b & c | b & d | c & d, 0x8F1B_BCDC)
      default: (f, k) = (b ^ c ^ d, 0xCA62_C1D6)
      }
      let next = turned(a, by: 5) &+ f &+ e &+ k &+ word
      (a, b, c, d, e) = (next, a, turned(b, by: 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  private static func turned(_ word: UInt32, by bits: UInt32) -> UInt32 { word << bits | word >> (32 - bits) }
}

/// Bytes as text (RFC 4648, section 4).
public enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// With `=` up to a multiple of four characters.
  public static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for place in 0..<4 { text.append(place > part.count ? UInt8(ascii: "=") : digits[bits >> (18 - 6 * place) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Exactly what `text` writes; `nil` where it is anything else.
  public static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for character in text.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      bits = (bits << 6 | digit) & 0xFFFF
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    // Bits that are left over, or a wrong number of `=`, would make two texts of the same bytes.
    return self.text(bytes) == text ? bytes : nil
  }
}
