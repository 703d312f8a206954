extension FixedWidthInteger {
  /// Reads digits and nothing else; `nil` for anything else, and for a number that is too large.
  ///
  /// For text that comes from elsewhere: Swift's own reader takes a sign, too.
  package init?(digits text: some StringProtocol, radix: Int = 10) {
    guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
      let value = Self(text, radix: radix)
    else { return nil }
    self = value
  }
}
