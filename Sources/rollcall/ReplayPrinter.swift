import Foundation
import Harness
import Primitives

/// Prints replays: reports and a summary for people, every line for machines, a verdict for each capture of a folder.
final class ReplayPrinter {
  private let output: Output
  private let options: OutputOptions
  /// Whether captures of a folder are being judged: then each has one line.
  private let isSuite: Bool
  private var path = ""
  /// What frames are called.
  private var names = FrameNames()
  private var count = 0
  private var reviewedCount = 0
  private(set) var differences = 0
  private var reports: [String: Int] = [:]
  private var messages = 0

  /// Whether the story is told instead of the reports.
  private let explains: Bool

  init(options: OutputOptions, isSuite: Bool, explains: Bool = false) throws {
    self.options = options
    self.isSuite = isSuite
    self.explains = explains
    output = try Output(path: options.output)
  }

  func begin(_ path: String, names: FrameNames = FrameNames()) {
    self.path = path
    self.names = names
    reports = [:]
    count += 1
    if options.format == .text, !isSuite, !options.quiet { output.line(path) }
  }

  /// Takes reports straight, where all that is wanted of them is their line; `nil`: they come with everything else.
  func reportLines() -> ((Report, Instant, Int?) -> Void)? {
    guard options.format == .json, !options.quiet, !explains, names.labels.isEmpty else { return nil }
    return { [output] report, time, frame in output.line(report, time: time, frame: frame) }
  }

  func show(_ event: ReplayEvent) {
    if explains { return }
    if options.format == .json {
      if options.quiet { return }
      output.line { ReplayLines.write(event, capture: path, names: names, to: &$0) }
      return
    }
    guard case .report(let report, let time, let frame) = event else { return }
    reports[name(report), default: 0] += 1
    if isSuite || options.quiet { return }
    let place = frame.map { "frame \(names.text($0))" } ?? "time"
    let width = max(names.labels.isEmpty ? 12 : 20, place.count)
    output.line("  \(time)  \(place.padding(toLength: width, withPad: " ", startingAt: 0))  \(ReportText.line(report))")
  }

  func tell(_ story: Story) {
    if options.format == .json {
      for line in StoryLines.json(story, capture: path) { output.line(line) }
    } else {
      for line in StoryText.lines(story, width: Output.width) { output.line(line) }
      output.line("")
    }
  }

  func end(_ summary: ReplaySummary, reviewed: String?, difference: ExpectedReports.Difference?) {
    messages += summary.messageCount
    if reviewed != nil { reviewedCount += 1 }
    if difference != nil { differences += 1 }
    switch options.format {
    case .json: output.line(ReplayLines.json(summary, capture: path))
    default: showText(summary, reviewed: reviewed, difference: difference)
    }
    if let difference, let reviewed {
      let lines = [
        "\(reviewed):\(difference.line): the replay of \(path) differs",
        "  expected  \(difference.expected ?? "(the end)")", "  found     \(difference.found ?? "(the end)")",
        "again: rollcall replay \(path) --expect \(reviewed)",
      ]
      if options.format == .json {
        Output.complain(lines.joined(separator: "\n"))
      } else {
        lines.forEach { output.line("        " + $0) }
      }
    }
    output.flush()
  }

  private func showText(_ summary: ReplaySummary, reviewed: String?, difference: ExpectedReports.Difference?) {
    if options.quiet, difference == nil { return }
    let devices = "\(summary.devicesEver) devices, \(summary.devicesPresent) present"
    if isSuite {
      let word = reviewed == nil ? "replayed" : difference == nil ? "as expected" : "DIFFERS"
      let colour: Output.Colour = reviewed == nil ? .yellow : difference == nil ? .green : .red
      let width = max(54, path.count)
      output.line(
        painted: "\(Output.paint(word.padding(toLength: 11, withPad: " ", startingAt: 0), colour))  "
          + "\(path.padding(toLength: width, withPad: " ", startingAt: 0)) "
          + "\(summary.frames) frames, \(summary.messageCount) messages, \(summary.reports) reports, \(devices)")
      return
    }
    let kinds = summary.messages.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    output.line("  \(summary.frames) frames; messages: \(kinds.isEmpty ? "none" : kinds)")
    let refused = summary.rejections.byReason.map { "\($0.count) \($0.reason.rawValue)" }.joined(separator: ", ")
    if !refused.isEmpty { output.line("  refused: \(refused)") }
    output.line("  \(devices), \(summary.openLeases) open leases")
    for problem in summary.problems {
      let place = problem.frame.map { " (first at frame \($0))" } ?? ""
      output.line("  problem: \(problem.what), \(problem.count)×\(place)")
    }
    if reviewed != nil, difference == nil { output.line("  every report is as expected") }
  }

  private func name(_ report: Report) -> String {
    switch report {
    case .found: "found"
    case .changed: "changed"
    case .lost: "lost"
    case .service: "service"
    case .searchEnded: "searchEnded"
    case .failed: "failed"
    case .rejected: "rejected"
    }
  }

  func finish() {
    if isSuite, options.format == .text {
      let unreviewed = count > reviewedCount ? ", \(count - reviewedCount) without a reviewed file" : ""
      output.line(
        "\(count) captures, \(messages) messages: \(reviewedCount - differences) as expected, \(differences) differ"
          + unreviewed)
    }
    output.flush()
  }
}
