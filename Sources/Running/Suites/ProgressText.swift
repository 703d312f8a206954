/// How far a suite is, in a line for a terminal.
package enum ProgressText {
  static let barWidth = 24

  /// `███░ 120/1000  34/s, 26 s left  Scenarios/a.yaml`, no wider than `width`.
  /// - Parameter seconds: since the start.
  package static func line(done: Int, of total: Int, seconds: Double, what: String, width: Int) -> String {
    let filled = total > 0 ? min(barWidth, done * barWidth / total) : barWidth
    var line = String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
    line += " \(done)/\(total)"
    if done > 0, seconds > 0 {
      let rate = Double(done) / seconds
      line += "  \(text(rate))/s"
      if done < total { line += ", \(duration(Double(total - done) / rate)) left" }
    }
    line += "  \(what)"
    return line.count <= width ? line : String(line.prefix(max(0, width)))
  }

  private static func text(_ rate: Double) -> String {
    if rate >= 10 { return "\(Int(min(rate, 1e15)))" }
    let tenths = Int(rate * 10)
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// `26 s`, `4 min 10 s`, `2 h 5 min`; rounded up, since what is nearly over is not.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e12).rounded(.up))
    if whole < 60 { return "\(whole) s" }
    if whole < 3_600 { return "\(whole / 60) min \(whole % 60) s" }
    return "\(whole / 3_600) h \(whole % 3_600 / 60) min"
  }
}
