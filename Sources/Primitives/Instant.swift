/// A moment on the clock of a run, in nanoseconds.
///
/// In a simulation a run starts at zero; in a replay an instant counts from the Unix epoch, as the capture does.
/// It is never read off a wall clock: the driver of a machine says what time it is. Arithmetic saturates, so a
/// hostile lease cannot wrap around.
@frozen public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable public static var zero: Instant { Instant(nanoseconds: 0) }
  /// Later than anything that can happen.
  @inlinable public static var never: Instant { Instant(nanoseconds: .max) }
  /// What wall clocks of a virtual world show at instant zero, in seconds since 1970.
  package static let worldEpochUnixSeconds: Int64 = 1_704_067_200

  @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  @inlinable public static func + (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
  }
  @inlinable public static func - (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds == .min ? .max : -right.nanoseconds))
  }
  @inlinable public static func - (left: Instant, right: Instant) -> Interval {
    let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return Interval(nanoseconds: overflow ? (left.nanoseconds < 0 ? .min : .max) : difference)
  }
  @inlinable public static func += (left: inout Instant, right: Interval) { left = left + right }
}

extension Instant: CustomStringConvertible {
  /// Seconds with nine decimals, as the JSON lines have it: `12.500000000`.
  public var description: String { decimalSeconds(nanoseconds) }

  /// Reads what `description` writes of an instant that is not before zero, and nothing else.
  public init?(_ text: some StringProtocol) {
    self.init(seconds: text)
    if description != text { return nil }
  }

  /// Reads seconds, not before zero, with at most nine decimals.
  public init?(seconds text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard let seconds = Int64(digits: parts[0]), parts.count <= 2, seconds < 9_000_000_000 else { return nil }
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      guard parts[1].utf8.count <= 9, let fraction = Int64(digits: parts[1]) else { return nil }
      nanoseconds = (0..<(9 - parts[1].utf8.count)).reduce(fraction) { value, _ in value * 10 }
    }
    self.init(nanoseconds: seconds * 1_000_000_000 + nanoseconds)
  }
}

/// A length of time in nanoseconds; may be negative.
@frozen public struct Interval: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable public static var zero: Interval { Interval(nanoseconds: 0) }
  @inlinable public static func nanoseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count) }
  @inlinable public static func microseconds(_ count: Int64) -> Interval { .zero.adding(count, unit: 1_000) }
  @inlinable public static func milliseconds(_ count: Int64) -> Interval { .zero.adding(count, unit: 1_000_000) }
  @inlinable public static func seconds(_ count: Int64) -> Interval { .zero.adding(count, unit: 1_000_000_000) }
  @inlinable public static func minutes(_ count: Int64) -> Interval { .zero.adding(count, unit: 60_000_000_000) }
  @inlinable public static func hours(_ count: Int64) -> Interval { .zero.adding(count, unit: 3_600_000_000_000) }

  @inlinable func adding(_ count: Int64, unit: Int64) -> Interval {
    let (product, overflow) = count.multipliedReportingOverflow(by: unit)
    return Interval(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
  }

  @inlinable public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
  @inlinable public static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
  }
  @inlinable public static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds == .min ? .max : -right.nanoseconds))
  }
  @inlinable public static func * (left: Interval, right: Int64) -> Interval {
    .zero.adding(right, unit: left.nanoseconds)
  }
  @inlinable public static func / (left: Interval, right: Int64) -> Interval {
    Interval(nanoseconds: left.nanoseconds / right)
  }
}

extension Interval: CustomStringConvertible {
  private static let units: [(size: Int64, name: String)] = [
    (3_600_000_000_000, "h"), (60_000_000_000, "m"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns"),
  ]

  /// The largest unit that keeps the number whole: `3s`, `250ms`, `1500us`, `7ns`.
  public var description: String {
    if nanoseconds == 0 { return "0s" }
    for (size, name) in Interval.units.dropLast() where nanoseconds % size == 0 {
      return "\(nanoseconds / size)\(name)"
    }
    return "\(nanoseconds)ns"
  }

  /// Reads what `description` writes.
  public init?(_ text: some StringProtocol) {
    let digits = text.prefix { $0 == "-" || $0.isNumber }
    guard let unit = Interval.units.first(where: { $0.name == text[digits.endIndex...] }), let count = Int64(digits)
    else { return nil }
    let (nanoseconds, overflow) = count.multipliedReportingOverflow(by: unit.size)
    self.init(nanoseconds: nanoseconds)
    if overflow || description != text { return nil }
  }

  /// Seconds with nine decimals: `0.000000007`.
  public var decimal: String { decimalSeconds(nanoseconds) }

  /// Seconds with fewer decimals, 1 ... 9, cut off and not rounded: `0.120`.
  public func seconds(decimals: Int) -> String { String(decimal.dropLast(9 - decimals)) }

  /// Seconds with at most three decimals, for people: `0.12 s`.
  public var secondsText: String { secondsText(decimals: 3) }

  /// Seconds with at most so many decimals, 1 ... 9, cut off and without zeros at the end.
  public func secondsText(decimals: Int) -> String {
    var text = seconds(decimals: decimals)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return (text == "-0" ? "0" : text) + " s"
  }
}

@inlinable func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
  let (sum, overflow) = left.addingReportingOverflow(right)
  return overflow ? (left < 0 ? .min : .max) : sum
}

func decimalSeconds(_ nanoseconds: Int64) -> String {
  let magnitude = nanoseconds.magnitude
  let fraction = String(magnitude % 1_000_000_000)
  let zeros = String(repeating: "0", count: 9 - fraction.utf8.count)
  return (nanoseconds < 0 ? "-" : "") + String(magnitude / 1_000_000_000) + "." + zeros + fraction
}
