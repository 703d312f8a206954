/// What is being done, and how far it is.
package enum ProgressWork: Hashable, Sendable {
  /// The number that is done, of all; `what`: the current one.
  case counted(done: Int, of: Int, what: String)
  /// A file is read; 0 bytes of all where nobody knows how many there are.
  case reading(String, bytes: Int, of: Int)
  /// Things are tried one after the other, nobody knows how many, and no longer than so many seconds in all.
  /// - `things`: what they are called, as in `replays`; `left`: what is left so far.
  case trying(String, count: Int, things: String, left: String, secondsMaximum: Double)
  /// Nobody knows how far it is.
  case busy(String)

  /// Seconds until it is over, at the rate until now; `nil`: nobody knows.
  package func rest(after seconds: Double) -> Double? {
    switch self {
    case .counted(let done, let all, _), .reading(_, let done, let all):
      guard seconds > 0, done > 0, all > 0 else { return nil }
      return seconds / Double(done) * Double(max(0, all - done))
    case .trying, .busy: return nil
    }
  }
}

/// How far something long is, in a line for a terminal.
package enum ProgressText {
  static let barWidth = 24

  /// `███░ 120/1000  34/s, 26 s left  Scenarios/a.yaml`, no wider than `width`.
  /// - Parameter seconds: since the work began.
  package static func line(_ work: ProgressWork, seconds: Double, width: Int) -> String {
    let rest = work.rest(after: seconds).map { ", \(duration($0)) left" }
    let line: String
    switch work {
    case .counted(let done, let all, let what):
      let filled = all > 0 ? max(0, min(barWidth, done * barWidth / all)) : barWidth
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
      let rate = done > 0 && seconds > 0 ? "  \(text(Double(done) / seconds))/s" : ""
      line = "\(bar) \(done)/\(all)\(rate)\(done < all ? rest ?? "" : "")  \(what)"
    case .reading(let what, let bytes, let all):
      let megabytes = Double(bytes) / 1_000_000
      let part = all > 0 ? "\(bytes * 100 / all) % of \(all / 1_000_000) MB" : "\(text(megabytes)) MB"
      let rate = seconds > 0 ? ", \(text(megabytes / seconds)) MB/s" : ""
      line = "\(what): \(part)\(rate)\(rest ?? "")"
    case .trying(let what, let count, let things, let left, let secondsMaximum):
      let rate = seconds > 0 ? ", \(text(Double(count) / seconds))/s" : ""
      let end = duration(secondsMaximum - seconds)
      line = "\(what): \(count) \(things)\(rate), at most \(end) left; \(left)"
    case .busy(let what): line = "\(what): \(duration(seconds.rounded(.down)))"
    }
    return line.count <= width ? line : String(line.prefix(max(0, width)))
  }

  private static func text(_ rate: Double) -> String {
    if rate >= 10 { return "\(Int(min(rate, 1e15)))" }
    let tenths = rate > 0 ? Int(rate * 10) : 0
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// `26 s`, `4 min 10 s`, `2 h 5 min`; rounded up, since what is nearly over is not.
  static func duration(_ seconds: Double) -> String {
    // What is no number is nothing, too.
    let whole = seconds > 0 ? Int(min(seconds, 1e12).rounded(.up)) : 0
    if whole < 60 { return "\(whole) s" }
    if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
  }
}

/// When a line of progress is drawn: for what takes longer than two seconds, as soon as that shows, and ten times a
/// second at most.
package struct ProgressPace: Hashable, Sendable {
  /// What is over sooner has no line.
  static let worthSeconds = 2.0
  /// Before that no rate can be trusted.
  static let patienceSeconds = 0.5
  static let paceSeconds = 0.1

  private var drawn: Double?

  package init() {}

  /// Whether a line is to be drawn now.
  /// - Parameters:
  ///   - seconds: since the beginning.
  ///   - rest: seconds until the end; `nil`: nobody knows.
  package mutating func isDue(at seconds: Double, rest: Double?) -> Bool {
    if let drawn {
      if seconds - drawn < ProgressPace.paceSeconds { return false }
    } else if seconds < ProgressPace.patienceSeconds || seconds + (rest ?? 0) < ProgressPace.worthSeconds {
      return false
    }
    drawn = seconds
    return true
  }
}
