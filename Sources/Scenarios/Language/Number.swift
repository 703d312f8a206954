import RollcallPrimitives

/// What a text says in a form that has a bound.
enum Reading<Value> {
  case value(Value)
  /// In this form, and farther than it goes.
  case tooLarge
  /// Not in this form.
  case malformed

  /// The reading of another type; what `change` has no value for is malformed.
  func map<Other>(_ change: (Value) -> Other?) -> Reading<Other> {
    switch self {
    case .value(let value): change(value).map { Reading<Other>.value($0) } ?? .malformed
    case .tooLarge: .tooLarge
    case .malformed: .malformed
    }
  }
}

/// Numbers and quantities as scenarios write them: decimal, exact, each with its unit; no floating point anywhere.
enum Number {
  /// `0` or a decimal without leading zero, without sign, up to 2⁶⁴−1.
  static func natural(_ text: some StringProtocol) -> UInt64? { isNatural(text) ? UInt64(text) : nil }

  /// Digits and nothing else, the first of several no zero.
  private static func isNatural(_ text: some StringProtocol) -> Bool {
    let digits = text.utf8
    guard let first = digits.first, first != 0x30 || digits.count == 1 else { return false }
    return digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// A number without a unit, up to `maximum`.
  static func whole(_ text: some StringProtocol, upTo maximum: UInt64) -> Reading<UInt64> {
    guard isNatural(text) else { return .malformed }
    guard let value = natural(text), value <= maximum else { return .tooLarge }
    return .value(value)
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

  /// A text that ends in one of `units`, with up to nine decimals: the whole number of smallest units that it names, up
  /// to `maximum`. What is no whole number of smallest units is malformed.
  static func quantity(_ text: String, units: [(name: String, size: UInt64)], upTo maximum: UInt64) -> Reading<UInt64> {
    let unit = text.drop { $0 == "." || $0.isASCII && $0.isWholeNumber }
    let parts = text[..<unit.startIndex].split(separator: ".", omittingEmptySubsequences: false)
    let decimals = parts.count == 2 ? Array(parts[1].utf8) : []
    guard let size = units.first(where: { $0.name == unit })?.size, isNatural(parts[0]),
      parts.count == 1 || (1...9).contains(decimals.count)
    else { return .malformed }
    let scale = decimals.reduce(UInt64(1)) { scale, _ in scale * 10 }
    let fraction = decimals.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - 0x30) }
    // A fraction of a unit is less than the unit, so the quotient fits.
    let (part, rest) = scale.dividingFullWidth(fraction.multipliedFullWidth(by: size))
    guard let whole = natural(parts[0]) else { return .tooLarge }
    let (product, overflow) = whole.multipliedReportingOverflow(by: size)
    let (sum, carry) = product.addingReportingOverflow(part)
    if overflow || carry || sum > maximum || sum == maximum && rest > 0 { return .tooLarge }
    return rest == 0 ? .value(sum) : .malformed
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

  static func interval(_ text: String) -> Reading<Interval> {
    quantity(text, units: durations, upTo: UInt64(Int64.max)).map { Interval(nanoseconds: Int64($0)) }
  }
  /// The longest interval, as `interval` reads it.
  static let longestInterval = "\(Int64.max)ns"

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

  /// `a..b`, or one value for both ends; ends that stand the wrong way round are malformed.
  static func range<Value: Comparable>(
    _ text: String, _ read: (String) -> Reading<Value>
  ) -> Reading<ClosedRange<Value>> {
    guard let dots = ends(text) else { return read(text).map { $0...$0 } }
    switch (read(dots.low), read(dots.high)) {
    case (.value(let low), .value(let high)): return low <= high ? .value(low...high) : .malformed
    case (.malformed, _), (_, .malformed): return .malformed
    case (.tooLarge, _), (_, .tooLarge): return .tooLarge
    }
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

  /// The largest count that can be written.
  static let countMaximum = 1_000_000_000

  /// Reads what `description` writes.
  static func read(_ text: String) -> Reading<CountRange> {
    func number(_ text: String) -> Reading<Int> { Number.whole(text, upTo: UInt64(countMaximum)).map { Int($0) } }
    if let (low, high) = Number.ends(text), high.isEmpty { return number(low).map { CountRange.atLeast($0) } }
    return Number.range(text, number).map { CountRange($0.lowerBound, $0.upperBound) }
  }
}
