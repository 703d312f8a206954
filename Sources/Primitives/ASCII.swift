/// An ASCII letter in small, every other byte as it is.
@inlinable package func small(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

extension String {
  /// With ASCII letters in small, everything else as it is.
  package var inSmallASCII: String { String(decoding: utf8.map(small), as: UTF8.self) }
}

extension UInt64 {
  /// Sixteen hexadecimal digits.
  package var hexadecimal: String {
    let text = String(self, radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }
}
