import ArgumentParser
import Capture
import Conformance
import Foundation
import Harness

struct JudgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "judge", abstract: "Judge who is heard in captures and traces, clause by clause.",
    discussion: """
      Takes pcap and pcapng files, and traces that run --trace wrote. Exit code 1 where a must was broken, or where \
      the findings are not those of --expect. What a capture may have dropped is at most inconclusive.
      """)

  enum JudgeFormat: String, ExpressibleByArgument, CaseIterable { case text, json, junit, sarif }

  @Argument(help: "pcap and pcapng files, also packed with gzip, and traces.", completion: .file())
  var inputs: [String]

  @Option(help: "How to print: text, json (lines), junit or sarif.")
  var format: JudgeFormat = .text

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
    help: "Compare the breaches with this reviewed file; exit code 1 for one more, and for one less.",
    completion: .file())
  var expect: String?

  @Option(help: "Write the breaches to this file, for review.", completion: .file())
  var record: String?

  func run() throws {
    for prefix in clauses where !Clause.catalogue.contains(where: { $0.id.hasPrefix(prefix.uppercased()) }) {
      throw Complaint(
        "--clauses \(prefix): no clause begins like this; the nearest are "
          + Clause.nearest(to: prefix).joined(separator: ", "))
    }
    if inputs.count > 1, expect != nil || record != nil {
      throw Complaint("--expect and --record are for one input, and these are \(inputs.count)")
    }
    try OutputClash.check(
      inputs: inputs + (expect.map { [$0] } ?? []), outputs: [("--output", output), ("--record", record)])
    let expected = try expect.map(reviewed)
    let out = try Output(path: output)
    var judged: [JudgedInput] = []
    for path in inputs {
      var input = try self.judged(path)
      input.differences = expected?.differences(input.judgement)
      if format == .text || format == .json { show(input, out) }
      if let record { try write(input.judgement, to: record) }
      judged.append(input)
    }
    if format == .junit { out.document(JudgementJUnit.document(judged, isStrict: strict)) }
    if format == .sarif {
      out.line(
        JudgementSARIF.document(judged, isStrict: strict, version: Rollcall.configuration.version))
    }
    out.flush()
    if judged.contains(where: { $0.isBroken(isStrict: strict) }) { throw Exit.expectationFailed }
  }

  private func judged(_ path: String) throws -> JudgedInput {
    do {
      let heard = try JudgeInput.judge(path, filter: ReplayCommand.filter(filter), wanted: isWanted)
      if let damage = heard.damage { Output.complain("\(path): \(damage); everything before it was judged") }
      return JudgedInput(path: path, judgement: heard.judgement, isTrace: heard.isTrace)
    } catch let failure as JudgeInput.Failure { throw Complaint(failure.description) }
  }

  private func isWanted(_ clause: Clause) -> Bool {
    clauses.isEmpty || clauses.contains { clause.id.hasPrefix($0.uppercased()) }
  }

  private func reviewed(_ path: String) throws -> ExpectedFindings {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Complaint("\(path): cannot be read")
    }
    do { return try ExpectedFindings(text) } catch {
      throw Complaint("\(path):\(error.line): expected \(error.expected)")
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
      out.line(JudgementLines.summary(input.judgement, input: input.path))
    default:
      let lines = JudgementText(input.judgement, isTrace: input.isTrace, isStrict: strict).lines
      out.line(input.path)
      (quiet ? lines.suffix(1) : lines[...]).forEach { out.line($0) }
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
