import Foundation
package import RollcallPrimitives

/// How times of captures are told to people.
package enum TimeStyle: String, Hashable, Sendable, CaseIterable {
  /// The date and time of day where this machine stands.
  case local
  /// The date and time of day in UTC.
  case utc
  /// Seconds since the first frame.
  case relative
  /// Seconds since 1970, as the file has them.
  case epoch

  /// - Parameter start: the first frame; `nil`: nobody knows, and seconds since 1970 are told instead.
  package func text(_ time: Instant, since start: Instant?) -> String { text(time, since: start, in: .current) }

  /// - Parameter zone: the time zone of this machine.
  func text(_ time: Instant, since start: Instant?, in zone: TimeZone) -> String {
    switch self {
    case .epoch: return time.description
    case .relative: return start.map { PlainWords.since($0, time) } ?? time.description
    case .utc: return TimeStyle.day(time, in: TimeZone(secondsFromGMT: 0) ?? zone) + "Z"
    case .local:
      let seconds = zone.secondsFromGMT(for: TimeStyle.date(time))
      let (hours, minutes) = (abs(seconds) / 3_600, abs(seconds) % 3_600 / 60)
      return TimeStyle.day(time, in: zone) + (seconds < 0 ? "-" : "+") + TimeStyle.digits(hours, 2) + ":"
        + TimeStyle.digits(minutes, 2)
    }
  }

  private static func date(_ time: Instant) -> Date {
    Date(timeIntervalSince1970: TimeInterval(time.nanoseconds.dividedDown(by: 1_000_000_000)))
  }

  /// `2026-11-21 10:14:17.431`, rounded down.
  private static func day(_ time: Instant, in zone: TimeZone) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date(time))
    let seconds = time.nanoseconds.dividedDown(by: 1_000_000_000)
    let milliseconds = Int((time.nanoseconds - seconds * 1_000_000_000) / 1_000_000)
    return digits(parts.year ?? 0, 4) + "-" + digits(parts.month ?? 0, 2) + "-" + digits(parts.day ?? 0, 2) + " "
      + digits(parts.hour ?? 0, 2) + ":" + digits(parts.minute ?? 0, 2) + ":" + digits(parts.second ?? 0, 2) + "."
      + digits(milliseconds, 3)
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}

extension Int64 {
  fileprivate func dividedDown(by divisor: Int64) -> Int64 {
    let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? quotient - 1 : quotient
  }
}
