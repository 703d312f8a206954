package import RollcallPrimitives

/// Times, durations and counts as people are told them.
package enum PlainWords {
  /// `+6.465` seconds since the capture began.
  package static func since(_ start: Instant, _ time: Instant) -> String { "+" + (time - start).seconds(decimals: 3) }

  /// `14.3 s`, `0.783 s`, `43 us`.
  package static func duration(_ interval: Interval) -> String {
    let magnitude = Interval(nanoseconds: Int64(clamping: interval.nanoseconds.magnitude))
    let sign = interval < .zero ? "-" : ""
    if magnitude < .milliseconds(1) { return sign + "\(magnitude.nanoseconds / 1_000) us" }
    // Cut off, so that a time never seems to be later than it is.
    return sign + magnitude.secondsText(decimals: magnitude < .seconds(100) ? 3 : 1)
  }

  package static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  package static func lateness(_ range: ClosedRange<Interval>?) -> String {
    guard let range else { return "" }
    let (least, most) = (duration(range.lowerBound), duration(range.upperBound))
    return least == most ? least : least + " to " + most
  }
}
