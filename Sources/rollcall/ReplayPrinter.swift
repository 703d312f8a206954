import ArgumentParser
import RollcallCapture
import Foundation
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallServing
import RollcallTrace

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
  /// Captures that were not read whole.
  private(set) var damagedCount = 0
  private(set) var unreadableCount = 0
  private var messages = 0

  /// Whether the story is told instead of the reports.
  private let explains: Bool

  private let showsDatagrams: Bool
  /// Whether devices for an application are shown in place of everything else.
  private let showsDevices: Bool
  private var table = ManagedTable()
  /// When the last of them was reported.
  private var lastTime = Instant.zero
  private let times: TimeStyle?
  /// The first frame of the capture; `nil` until it is known, where it is asked for.
  private var start: Instant?
  private var suites: [ResultSuite] = []
  private var began = Date()

  init(
    options: OutputOptions, isSuite: Bool, explains: Bool = false, showsDatagrams: Bool = false,
    showsDevices: Bool = false, times: TimeStyle? = nil
  ) throws {
    (self.showsDatagrams, self.showsDevices, self.times) = (showsDatagrams, showsDevices, times)
    self.options = options
    self.isSuite = isSuite
    self.explains = explains
    output = try Output(path: options.output)
  }

  /// - Parameter start: the first frame; `nil`: not known beforehand.
  func begin(_ path: String, names: FrameNames = FrameNames(), start: Instant? = nil) {
    self.path = path
    self.names = names
    self.start = start
    (table, lastTime) = (ManagedTable(), .zero)
    began = Date()
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
    if options.format.document != nil || isSuite || options.quiet { return }
    if showsDatagrams, case .datagram(let frame, let datagram) = event { return show(datagram, of: frame) }
    guard case .report(let report, let time, let frame) = event else { return }
    if showsDevices {
      guard case .managed(let managed) = report else { return }
      table.take(managed, at: time)
      lastTime = time
    }
    let place = frame.map { "frame \(names.text($0))" } ?? "time"
    let width = max(names.labels.isEmpty ? 12 : 20, place.count)
    let line =
      "  \(text(time))  \(place.padding(toLength: width, withPad: " ", startingAt: 0))  \(ReportText.line(report))"
    Terminal.fitted(line, to: options.output).forEach { output.line($0) }
  }

  private func show(_ datagram: ExtractedDatagram, of frame: CaptureFrame) {
    let number = "frame \(names.text(frame.number))"
    let width = max(names.labels.isEmpty ? 12 : 20, number.count)
    let when = frame.hasTime ? text(frame.time) : frame.timeText
    output.line(
      "  \(when)  \(number.padding(toLength: width, withPad: " ", startingAt: 0))  datagram \(datagram.source) -> "
        + "\(datagram.destination)  \(datagram.payload.count) bytes  sha256 \(SHA256.hex(of: datagram.payload))")
  }

  private func text(_ time: Instant) -> String {
    if start == nil { start = time }
    return (times ?? .epoch).text(time, since: start)
  }

  /// Tells of an input that could not be read, in the place of all else about it.
  func failed(_ failure: UnreadableInput) {
    unreadableCount += 1
    Output.complain(failure.text)
    switch options.format {
    case .json: output.line(InputFailureLines.json(input: failure.path, message: failure.message))
    case .junit, .tap, .sarif, .github: suites.append(failure.suite)
    case .text:
      if isSuite {
        let path = failure.path.padding(toLength: max(54, failure.path.count), withPad: " ", startingAt: 0)
        output.line("\(Output.paint("UNREADABLE", .red))   \(path) \(failure.message)")
      }
    }
    output.flush()
  }

  func tell(_ story: Story) {
    if options.format == .json {
      for line in StoryLines.json(story, capture: path) { output.line(line) }
    } else {
      for line in StoryText.lines(story, width: Output.width, times: times ?? .relative) { output.line(line) }
      output.line("")
    }
  }

  func end(_ summary: ReplaySummary, reviewed: String?, difference: ExpectedReports.Difference?) {
    count += 1
    messages += summary.messageCount
    if reviewed != nil, !summary.captureProblems.isIncomplete { reviewedCount += 1 }
    // Of a capture that was not read whole nothing is as expected, and nothing differs: nobody knows.
    if summary.captureProblems.isIncomplete { damagedCount += 1 } else if difference != nil { differences += 1 }
    switch options.format {
    case .json: output.line(ReplayLines.json(summary, capture: path))
    case .junit, .tap, .sarif, .github: note(summary, reviewed: reviewed, difference: difference)
    case .text: showText(summary, reviewed: reviewed, difference: difference)
    }
    if let difference, let reviewed, !summary.captureProblems.isIncomplete {
      let lines = [
        "\(reviewed):\(difference.line): the replay of \(path) differs",
        "  expected  \(difference.expected ?? "(the end)")", "  found     \(difference.found ?? "(the end)")",
        "again: rollcall replay \(path) --expect \(reviewed)",
      ]
      if options.format != .text {
        Output.complain(lines.joined(separator: "\n"))
      } else {
        lines.forEach { output.line("        " + $0) }
      }
    }
    output.flush()
  }

  /// A suite for the capture, with one case: what came of its reports.
  private func note(_ summary: ReplaySummary, reviewed: String?, difference: ExpectedReports.Difference?) {
    var one = ResultCase(
      reviewed == nil ? "replayed" : "every report is as expected", file: reviewed,
      duration: Interval(measuredSeconds: Date().timeIntervalSince(began)),
      output: "\(summary.frames) frames, \(summary.messageCount) messages, \(summary.reports) reports, "
        + "\(summary.devicesEver) devices, \(summary.devicesPresent) present")
    if let damaged = summary.captureProblems.damaged.first(where: { $0.damage.isBeforeEnd }) {
      one.outcome = .error(message: damaged.damage.sentence("replayed"), type: "damaged capture")
    } else if let difference {
      let (expected, found) = (difference.expected ?? "(the end)", difference.found ?? "(the end)")
      one.line = difference.line
      one.outcome = .failed(
        message: "the replay differs", type: "differs", text: "expected  \(expected)\nfound     \(found)")
      one.findings = [
        ResultFinding(
          .differs, at: ResultPlace(reviewed ?? path, line: difference.line),
          "the replay of \(path) differs: expected \(expected), found \(found)", identity: [path])
      ]
    }
    suites.append(
      ResultSuite(path, file: path, timestamp: JUnitDocument.timestamp(of: began), cases: [one]))
  }

  private func showText(_ summary: ReplaySummary, reviewed: String?, difference: ExpectedReports.Difference?) {
    if options.quiet, difference == nil, !summary.captureProblems.isIncomplete { return }
    let devices = "\(summary.devicesEver) devices, \(summary.devicesPresent) present"
    if isSuite {
      let isDamaged = summary.captureProblems.isIncomplete
      let word = isDamaged ? "DAMAGED" : reviewed == nil ? "replayed" : difference == nil ? "as expected" : "DIFFERS"
      let colour: Output.Colour =
        isDamaged ? .red : reviewed == nil ? .yellow : difference == nil ? .green : .red
      let width = max(54, path.count)
      output.line(
        painted: "\(Output.paint(word.padding(toLength: 11, withPad: " ", startingAt: 0), colour))  "
          + "\(path.padding(toLength: width, withPad: " ", startingAt: 0)) "
          + "\(summary.frames) frames, \(summary.messageCount) messages, \(summary.reports) reports, \(devices)")
      return
    }
    if showsDevices, !options.quiet {
      if table.presentCount > 0 {
        table.table(at: lastTime, columns: Output.width - 2).forEach { output.line("  " + $0) }
      }
      output.line("  \(table.everCount) devices for an application, \(table.presentCount) present")
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
    for one in summary.captureProblems.damaged where one.damage.isBeforeEnd { output.line("  \(one.damage.extent)") }
    if reviewed != nil, difference == nil, !summary.captureProblems.isIncomplete {
      output.line("  every report is as expected")
    }
  }

  func finish() {
    if let document = options.format.document {
      output.document(document.text(suites, version: Rollcall.configuration.version))
    }
    if isSuite, options.format == .text {
      let others = count - reviewedCount - damagedCount
      let unreviewed =
        (others > 0 ? ", \(others) without a reviewed file" : "")
        + (damagedCount > 0 ? ", \(damagedCount) damaged" : "")
        + (unreadableCount > 0 ? ", \(unreadableCount) unreadable" : "")
      output.line(
        "\(count) captures, \(messages) messages: \(reviewedCount - differences) as expected, \(differences) differ"
          + unreviewed)
    }
    output.flush()
  }
}

extension ResultRule {
  fileprivate static let differs = ResultRule(
    "replay-differs", title: "A replay is not as it was reviewed",
    explanation: "The engine reports something else of a capture than the reviewed file beside it has.",
    help: "Compare the two with rollcall diff; write the file anew with rollcall replay --record where it is right.")
}
