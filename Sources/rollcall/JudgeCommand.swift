import ArgumentParser
import RollcallCapture
import RollcallConformance
import Foundation
import RollcallJudging
import RollcallPicturing
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting

struct JudgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "judge", abstract: "Judge who is heard in captures and traces, clause by clause.",
    discussion: """
      Takes pcap and pcapng files, and traces that run --trace wrote. Exit code 1 where a must was broken, where \
      nothing was judged, or where the findings are not those of --expect; 2 where a capture is damaged before its end. What a capture may have dropped is at most inconclusive. A folder stands \
      for every capture and every .trace below it, - for standard input. One input that cannot be read is an error in \
      the report, the others are judged, and the exit code is 2.

      rollcall judge capture.pcapng --strict
      rollcall judge capture.pcapng --clauses UDA-1.3 --format sarif --output findings.sarif
      rollcall judge - --time local <capture.pcapng
      rollcall judge capture.pcapng --html findings.html
      """)

  @Argument(help: "pcap and pcapng files, also packed with gzip, and traces.", completion: .file())
  var inputs: [String]

  @Option(help: "How to print: text, json (lines), junit, tap, sarif or github (annotations).")
  var format: Format = .text

  @Option(help: "Write to this file instead of standard output.", completion: .file())
  var output: String?

  @Flag(name: .shortAndLong, help: "Print only the last line of each input.")
  var quiet = false

  @Flag(help: "A broken should fails as a broken must does.")
  var strict = false

  @Option(help: "Judge only clauses whose id begins like this; may be repeated.")
  var clauses: [String] = []

  @Option(help: "Take only frames that this filter of libpcap lets through, as in 'host 192.168.1.20'.")
  var filter: String?

  @Option(
    help: """
      Compare the breaches with this reviewed file; exit code 1 for one more, and for one less. With --clauses, lines \
      about other clauses are left out.
      """,
    completion: .file())
  var expect: String?

  @Option(help: "Write the breaches to this file, for review.", completion: .file())
  var record: String?

  @OptionGroup var pictures: PictureOptions

  @Option(help: "Times of captures in text: local, utc, relative (to the first frame) or epoch.")
  var time: TimeStyle = .epoch

  func run() throws {
    for prefix in clauses where !Clause.catalogue.contains(where: { $0.begins(withOneOf: [prefix]) }) {
      throw Complaint(
        "--clauses \(prefix): no clause begins like this; the nearest are "
          + Clause.nearest(to: prefix).joined(separator: ", "))
    }
    let inputs = inputs.flatMap { InputFiles.paths(at: $0, endings: InputFiles.judged) ?? [$0] }
    if inputs.isEmpty { throw Complaint("no capture and no trace below \(self.inputs.joined(separator: " "))") }
    if inputs.count > 1, expect != nil || record != nil || pictures.areWanted {
      throw Complaint(
        "--expect, --record, --html and --perfetto are for one input, and these are \(inputs.count)")
    }
    try pictures.check(inputs)
    try OutputClash.check(
      inputs: inputs + (expect.map { [$0] } ?? []),
      outputs: pictures.outputs(beside: [("--output", output), ("--record", record)]))
    let expected = try expect.map(reviewed)
    let out = try Output(path: output)
    let progress = Progress("judging", inputs: inputs.count, isQuiet: quiet)
    defer { progress.end() }
    var judged: [JudgedInput] = []
    var failures: [UnreadableInput] = []
    for path in inputs {
      var input: JudgedInput
      progress.begin(path)
      do { input = try self.judged(path, progress) } catch let failure as UnreadableInput {
        Output.complain(failure.text)
        if format == .json { out.line(InputFailureLines.json(input: path, message: failure.message)) }
        failures.append(failure)
        continue
      }
      input.differences = expected?.differences(input.judgement, wanted: isWanted)
      if format == .text || format == .json { show(input, out) }
      if let record {
        if input.problems.isIncomplete {
          Output.complain(
            "\(record): not written: breaches of a capture that was not read whole are nothing to hold to")
        } else {
          try write(input.judgement, to: record)
        }
      }
      judged.append(input)
    }
    if let document = format.document {
      let suites = JudgementResults.suites(judged, isStrict: strict, others: failures.map(\.suite))
      out.document(document.text(suites, version: Rollcall.configuration.version))
    }
    progress.end()
    out.flush()
    if let input = judged.first { try pictures.write { try picture(of: input) } }
    if !failures.isEmpty || judged.contains(where: { $0.problems.isIncomplete }) { throw Exit.usage }
    if judged.contains(where: { $0.isBroken(isStrict: strict) }) { throw Exit.expectationFailed }
  }

  private func judged(_ path: String, _ progress: Progress) throws -> JudgedInput {
    let (began, started) = (Date(), ContinuousClock.now)
    do {
      let heard = try JudgeInput.judge(path, filter: ReplayCommand.filter(filter), wanted: isWanted) {
        try progress.open($0)
      }
      for line in heard.problems.complaints(path: path, "judged") { Output.complain(line) }
      var input = JudgedInput(
        path: path, judgement: heard.judgement, isTrace: heard.isTrace, problems: heard.problems)
      input.timestamp = JUnitDocument.timestamp(of: began)
      input.duration = Interval(measuredSeconds: (ContinuousClock.now - started).seconds)
      return input
    } catch let failure as JudgeInput.Failure {
      throw UnreadableInput(path, failure.description.without(prefix: path + ": "))
    }
  }

  /// A page of what was judged, which is read once more for it.
  private func picture(of input: JudgedInput) throws -> Picture {
    var picture: Picture
    if let trace = try JudgeInput.readTrace(at: input.path) {
      picture = StationPicture.picture(of: trace, judgement: input.judgement, path: input.path)
    } else {
      var options = ReplayOptions(filter: try ReplayCommand.filter(filter))
      options.wantsServices = true
      let file = CapturePicture.Input.File(path: input.path) { try CaptureReader(path: input.path) }
      picture = try CapturePicture.picture(
        of: CapturePicture.Input([file]), verb: "rollcall judge", options: options, judgement: input.judgement)
    }
    picture.conclude(isBroken: input.isBroken(isStrict: strict), judgement: input.judgement)
    return picture
  }

  private func isWanted(_ clause: Clause) -> Bool { clause.begins(withOneOf: clauses) }

  private func reviewed(_ path: String) throws -> ExpectedFindings {
    let text: String
    do { text = try InputFiles.text(at: path) } catch { throw Complaint("\(path): \(error)") }
    do { return try ExpectedFindings(text) } catch {
      throw Complaint("\(path):\(error.line):\(error.column): expected \(error.expected)")
    }
  }

  private func write(_ judgement: Judgement, to path: String) throws {
    let lines = ExpectedFindings.lines(judgement)
    let file = try Output(path: path)
    for line in lines { file.line(line) }
    try file.finish()
    Output.complain("\(path): \(lines.count) breaches written; read them before you commit them")
  }

  private func show(_ input: JudgedInput, _ out: Output) {
    switch format {
    case .json:
      if !quiet {
        for row in input.judgement.rows {
          out.line(JudgementLines.json(row, input: input.path, isTrace: input.isTrace))
        }
      }
      out.line(
        JudgementLines.summary(
          input.judgement, input: input.path, outcome: input.outcome(isStrict: strict), problems: input.problems))
    default:
      let lines = JudgementText(
        input.judgement, isTrace: input.isTrace, times: time,
        start: time == .relative ? InputFiles.start(of: input.path) : nil
      ).lines
      out.line(input.path)
      for line in quiet ? lines.suffix(1) : lines[...] {
        Terminal.fitted(line, to: output).forEach { out.line($0) }
      }
      if let vacuity = input.vacuity { out.line(vacuity) }
      for one in input.problems.damaged { out.line("  problem: \(one.damage.sentence("judged"))") }
    }
    guard let differences = input.differences, let expect else { return }
    var lines = differences.map { "\(expect): \($0.text)" }
    if differences.isEmpty {
      lines = format == .text ? ["\(expect): as expected"] : []
    } else {
      lines.append("again: rollcall judge \(input.path) --expect \(expect)")
    }
    if format == .text { lines.forEach { out.line($0) } } else { lines.forEach { Output.complain($0) } }
  }
}

extension String {
  fileprivate func without(prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }
}
