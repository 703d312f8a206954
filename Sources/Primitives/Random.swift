/// A chance as a ratio of two integers: no floating point, so every processor draws alike.
@frozen public struct Ratio: Hashable, Sendable, BitwiseCopyable {
  public var numerator: UInt64
  public var denominator: UInt64

  /// - Precondition: `denominator` is not zero and `numerator` is at most `denominator`.
  @inlinable public init(_ numerator: UInt64, in denominator: UInt64) {
    precondition(denominator > 0 && numerator <= denominator, "a ratio lies between 0 and 1")
    (self.numerator, self.denominator) = (numerator, denominator)
  }
  @inlinable public static var never: Ratio { Ratio(0, in: 1) }
  @inlinable public static var always: Ratio { Ratio(1, in: 1) }
  @inlinable public static func percent(_ count: UInt64) -> Ratio { Ratio(count, in: 100) }
  @inlinable public var isZero: Bool { numerator == 0 }
}

extension Ratio: CustomStringConvertible {
  /// Percent, with as many decimals as the number has: `10%`, `0.25%`; else the fraction itself: `1/3`.
  public var description: String {
    var scale: UInt64 = 1
    for decimals in 0...6 {
      let (scaled, overflow) = numerator.multipliedReportingOverflow(by: 100 * scale)
      if overflow { break }
      if scaled % denominator == 0 {
        let value = scaled / denominator
        if decimals == 0 { return "\(value)%" }
        let fraction = String(value % scale)
        return "\(value / scale)." + String(repeating: "0", count: decimals - fraction.utf8.count) + fraction + "%"
      }
      scale *= 10
    }
    return "\(numerator)/\(denominator)"
  }
}

/// The one seed of a run. Every inhabitant, link and purpose draws from a stream of its own, named after it: one
/// more inhabitant changes no draw of the others, and a shrinker can take one away.
@frozen public struct Seed: Hashable, Sendable, BitwiseCopyable {
  public var value: UInt64
  @inlinable public init(_ value: UInt64) { self.value = value }

  /// The stream with this name: the same seed and name give the same draws, for ever.
  public func stream(_ name: String) -> RandomStream {
    var digest = Digest()
    digest.combine(value, 0x5EED)
    digest.combine(name)
    return RandomStream(state: digest.state)
  }
}

/// A stream of random words, eight bytes of state.
@frozen public struct RandomStream: Hashable, Sendable, BitwiseCopyable {
  @usableFromInline var state: UInt64

  @inlinable init(state: UInt64) { self.state = state }

  /// A stream of its own for each pair of words: for one draw on one occasion, whatever else was drawn before.
  @inlinable public init(mixing first: UInt64, _ second: UInt64) {
    state = Digest.fold(first ^ 0x589965CC75374CC3, second ^ 0x1D8E_4E27_C47D_124F)
  }

  @inlinable public mutating func next() -> UInt64 {
    state = state &+ 0xA076_1D64_78BD_642F
    return Digest.fold(state, state ^ 0xE703_7ED1_A0B4_28DB)
  }

  /// A number in `0 ..< bound`; 0 when the bound is 0. The bias is below 2⁻³² for any bound under 2³².
  @inlinable public mutating func below(_ bound: UInt64) -> UInt64 { next().multipliedFullWidth(by: bound).high }

  /// Whether a thing of this chance happens. Chances 0 and 1 draw nothing.
  @inlinable public mutating func happens(_ chance: Ratio) -> Bool {
    if chance.numerator == 0 { return false }
    if chance.numerator == chance.denominator { return true }
    return below(chance.denominator) < chance.numerator
  }

  /// A length of time in `range`, both ends included; an empty range draws nothing.
  @inlinable public mutating func interval(in range: ClosedRange<Interval>) -> Interval {
    let width = range.upperBound.nanoseconds &- range.lowerBound.nanoseconds
    if width == 0 { return range.lowerBound }
    return Interval(nanoseconds: range.lowerBound.nanoseconds &+ Int64(below(UInt64(width) &+ 1)))
  }

  /// An exponential deviate with this mean, by table logarithm; at most 44 times the mean.
  public mutating func exponential(mean: Interval) -> Interval {
    // -ln(u) in units of 2⁻³², u uniform in (0, 1].
    let negative = FixedPoint.negativeLogarithm(next() | 1)
    let product = UInt64(max(0, mean.nanoseconds)).multipliedFullWidth(by: negative)
    return Interval(nanoseconds: Int64(clamping: product.high &<< 32 | product.low &>> 32))
  }

  /// A normal deviate: the sum of twelve uniforms, so at most six deviations from the mean, and never below zero.
  public mutating func normal(mean: Interval, deviation: Interval) -> Interval {
    var sum: Int64 = -6 &<< 32
    for _ in 0..<12 { sum &+= Int64(next() &>> 32) }
    let offset = deviation.nanoseconds.multipliedFullWidth(by: sum)
    let scaled = Int64(truncatingIfNeeded: Int64(offset.high) &<< 32) | Int64(offset.low &>> 32)
    return Interval(nanoseconds: max(0, (mean + Interval(nanoseconds: scaled)).nanoseconds))
  }
}

/// Logarithms by integer table: libm differs between processors, and a digest must not.
package enum FixedPoint {
  /// ln(1 + i/64) in units of 2⁻³², for i in 0 ... 64.
  static let logarithms: [UInt64] = (0...64).map { index in
    // ln((64 + i) / 64) = 2 · artanh(i / (128 + i)); the series in 2⁻⁶⁰ fixed point, integers only.
    let one: UInt64 = 1 << 60
    let ratio = one / UInt64(128 + index) * UInt64(index)
    let square = ratio.multipliedFullWidth(by: ratio).high << 4
    var power = ratio
    var sum: UInt64 = 0
    var odd: UInt64 = 1
    while power > 0 {
      sum += power / odd
      power = power.multipliedFullWidth(by: square).high << 4
      odd += 2
    }
    return (sum * 2) >> 28
  }

  /// ln(value) in units of 2⁻³², rounded by the table; error below 2⁻¹⁴.
  /// - Precondition: `value` is not zero.
  package static func logarithm(_ value: UInt64) -> UInt64 {
    // 64 · ln 2 − (−ln(value / 2⁶⁴)).
    190_530_846_208 - negativeLogarithm(value)
  }

  /// -ln(u / 2⁶⁴) in units of 2⁻³² for u in 1 ..< 2⁶⁴, by table and linear interpolation; error below 2⁻¹⁴.
  static func negativeLogarithm(_ u: UInt64) -> UInt64 {
    let ln2: UInt64 = 2_977_044_472  // ln 2 · 2³²
    let shift = UInt64(u.leadingZeroBitCount)
    let mantissa = u &<< shift  // 1.xxx · 2⁶³
    let index = Int(mantissa &>> 57) & 63
    let rest = mantissa &<< 7  // the position between two table points, in 2⁻⁶⁴
    let low = logarithms[index]
    let between = rest.multipliedFullWidth(by: logarithms[index + 1] - low).high
    return (shift + 1) * ln2 - low - between
  }
}
