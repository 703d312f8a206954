import Primitives

/// Numbers and quantities as scenarios write them: decimal, exact, each with its unit; no floating point anywhere.
enum Number {
  /// `0` or a decimal without leading zero, without sign, up to 2⁶⁴−1.
  static func natural(_ text: some StringProtocol) -> UInt64? {
    let digits = text.utf8
    guard let first = digits.first, digits.count <= 20, first != 0x30 || digits.count == 1 else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit - 0x30))
      if overflow || carry { return nil }
      value = sum
    }
    return value
  }

  /// A decimal number with up to nine decimals as `(mantissa, decimals)`: `0.25` is `(25, 2)`.
  static func decimal(_ text: some StringProtocol) -> (mantissa: UInt64, decimals: Int)? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = natural(parts[0]) else { return nil }
    guard parts.count == 2 else { return (whole, 0) }
    let digits = Array(parts[1].utf8)
    guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    var mantissa = whole
    for digit in digits {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit - 0x30))
      if overflow || carry { return nil }
      mantissa = sum
    }
    return (mantissa, digits.count)
  }

  /// A text that ends in one of `units`, and what a unit is worth: the whole number of smallest units that it names.
  /// `nil` where it is none, is too large, or is no whole number of smallest units.
  static func quantity(_ text: String, units: [(name: String, size: UInt64)]) -> UInt64? {
    let unit = text.drop { $0 == "." || $0.isASCII && $0.isWholeNumber }
    guard let size = units.first(where: { $0.name == unit })?.size,
      let (mantissa, decimals) = decimal(text[..<unit.startIndex])
    else { return nil }
    let (product, overflow) = mantissa.multipliedReportingOverflow(by: size)
    if overflow { return nil }
    let scale = (0..<decimals).reduce(UInt64(1)) { scale, _ in scale * 10 }
    return product % scale == 0 ? product / scale : nil
  }

  /// The largest unit that keeps the number whole.
  static func text(_ value: UInt64, units: [(name: String, size: UInt64)]) -> String {
    let fitting = units.filter { value % $0.size == 0 && (value != 0 || $0.size == 1) }
    guard let unit = fitting.max(by: { $0.size < $1.size }) else { return String(value) }
    return "\(value / unit.size)\(unit.name)"
  }

  static let durations: [(name: String, size: UInt64)] = [
    ("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
  ]
  static let sizes: [(name: String, size: UInt64)] = [
    ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1_000), ("MB", 1_000_000),
  ]
  static let rates: [(name: String, size: UInt64)] = [
    ("bit/s", 1), ("kbit/s", 1_000), ("Mbit/s", 1_000_000), ("Gbit/s", 1_000_000_000),
  ]

  static func interval(_ text: String) -> Interval? {
    quantity(text, units: durations).flatMap { Int64(exactly: $0) }.map { Interval(nanoseconds: $0) }
  }

  /// `10%`, `0.5%`, `1/3`; the ratio keeps the denominator that it was written with, so that it prints alike.
  static func ratio(_ text: String) -> Ratio? {
    if text.utf8.last == 0x25 {
      guard let (mantissa, decimals) = decimal(text.dropLast()), decimals <= 6 else { return nil }
      let denominator = (0..<decimals).reduce(UInt64(100)) { scale, _ in scale * 10 }
      if mantissa > denominator { return nil }
      if mantissa == 0 { return .never }
      return mantissa == denominator ? .always : Ratio(mantissa, in: denominator)
    }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let over = natural(parts[0]), let under = natural(parts[1]), under > 0, over <= under else {
      return nil
    }
    return Ratio(over, in: under)
  }

  /// What `ratio` reads back as the same pair of integers.
  static func text(_ ratio: Ratio) -> String {
    let percent = ratio.description
    return self.ratio(percent) == ratio ? percent : "\(ratio.numerator)/\(ratio.denominator)"
  }

  /// `a..b`, or one value for both ends; `nil` for anything else, and where the ends stand the wrong way round.
  static func range<Value: Comparable>(_ text: String, _ read: (String) -> Value?) -> ClosedRange<Value>? {
    guard let dots = ends(text) else { return read(text).map { $0...$0 } }
    guard let low = read(dots.low), let high = read(dots.high), low <= high else { return nil }
    return low...high
  }

  /// Both sides of `..`.
  static func ends(_ text: String) -> (low: String, high: String)? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 2,
      let position = (0..<(bytes.count - 1)).first(where: { bytes[$0] == 0x2E && bytes[$0 + 1] == 0x2E })
    else { return nil }
    return (
      String(decoding: bytes[..<position], as: UTF8.self), String(decoding: bytes[(position + 2)...], as: UTF8.self)
    )
  }
}

/// A count that an expectation allows: `12`, `10..12`, `3..`.
package struct CountRange: Hashable, Sendable, CustomStringConvertible {
  package var minimum: Int
  /// `nil`: no upper end.
  package var maximum: Int?

  package init(_ minimum: Int, _ maximum: Int?) { (self.minimum, self.maximum) = (minimum, maximum) }
  package static func exactly(_ count: Int) -> CountRange { CountRange(count, count) }
  package static func atLeast(_ count: Int) -> CountRange { CountRange(count, nil) }

  package func contains(_ count: Int) -> Bool { count >= minimum && count <= maximum ?? .max }

  package var description: String {
    guard let maximum else { return "\(minimum).." }
    return minimum == maximum ? "\(minimum)" : "\(minimum)..\(maximum)"
  }

  /// Reads what `description` writes.
  init?(_ text: String) {
    func number(_ text: String) -> Int? { Number.natural(text).flatMap { $0 <= 1_000_000_000 ? Int($0) : nil } }
    if let (low, high) = Number.ends(text) {
      guard let minimum = number(low) else { return nil }
      if high.isEmpty {
        self.init(minimum, nil)
      } else {
        guard let maximum = number(high), minimum <= maximum else { return nil }
        self.init(minimum, maximum)
      }
    } else {
      guard let count = number(text) else { return nil }
      self.init(count, count)
    }
  }
}
