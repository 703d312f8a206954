public import RollcallPrimitives
import RollcallReplaying
import RollcallReporting

/// What an engine made of a capture.
public struct ReplayResult: Sendable, CustomStringConvertible {
  public let path: String
  /// In the order in which they were made.
  public let reports: [ReplayReport]
  /// Devices that are there at the end.
  public let deviceCount: Int
  /// Discovery messages that the engine was given.
  public let messageCount: Int
  /// Sum over everything that happened: the same engine gives the same.
  public let digest: Digest
  /// What is wrong with the file, where it was not read to its end.
  public let complaints: [String]

  init(path: String, reports: [ReplayReport], _ summary: ReplaySummary) {
    (self.path, self.reports, digest) = (path, reports, summary.digest)
    (deviceCount, messageCount) = (summary.devicesPresent, summary.messageCount)
    complaints = summary.captureProblems.complaints(path: path, "replayed")
  }

  /// Compares the reports with reviewed ones, as `rollcall replay --record` writes them.
  /// - Parameter reviewed: the text of the file, a line for each report; empty lines and those that begin with `#` are
  ///   nothing.
  /// - Returns: the first difference in words; `nil`: there is none.
  public func difference(from reviewed: String) -> String? {
    let lines = reports.map(\.line)
    guard let difference = ExpectedReports.difference(reviewed: reviewed, found: lines) else { return nil }
    return "line \(difference.line): expected \(difference.expected ?? "no more reports"), "
      + "found \(difference.found ?? "no more reports")"
  }

  public var description: String {
    var lines = [path + ": " + PlainWords.count(reports.count, "report")]
    lines += complaints
    return (lines.map(PlainText.shown) + reports.map { "  \($0)" }).joined(separator: "\n")
  }
}

/// A report of an engine, with the frame that caused it.
public struct ReplayReport: Sendable, CustomStringConvertible {
  public let report: Report
  /// By the clock of the capture: since 1970.
  public let time: Instant
  /// The number of the frame, from 1; `nil`: time caused it.
  public let frame: Int?

  init(_ report: Report, at time: Instant, frame: Int?) { (self.report, self.time, self.frame) = (report, time, frame) }

  /// As a line of JSON, in the form of `rollcall replay --format json`.
  public var line: String { ReportLine.json(report, time: time.description, frame: frame) }

  public var description: String {
    "\(time)" + (frame.map { " frame \($0)" } ?? "") + " " + PlainText.shown(ReportText.line(report))
  }
}
