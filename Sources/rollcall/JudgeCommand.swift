import ArgumentParser
import Capture
import Conformance
import Harness

struct JudgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "judge", abstract: "Judge who is heard in captures and traces, clause by clause.",
    discussion: """
      Takes pcap and pcapng files, and traces that run --trace wrote. Exit code 1 where a must was broken. \
      What a capture may have dropped is at most inconclusive.
      """)

  enum JudgeFormat: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Argument(help: "pcap and pcapng files, also packed with gzip, and traces.", completion: .file())
  var inputs: [String]

  @Option(help: "How to print: text or json (lines).")
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

  func run() throws {
    for prefix in clauses where !Clause.catalogue.contains(where: { $0.id.hasPrefix(prefix.uppercased()) }) {
      throw Complaint(
        "--clauses \(prefix): no clause begins like this; the nearest are "
          + Clause.nearest(to: prefix).joined(separator: ", "))
    }
    let out = try Output(path: output)
    var isBroken = false
    for input in inputs {
      let heard = try judged(input)
      if let damage = heard.damage { Output.complain("\(input): \(damage); everything before it was judged") }
      show(heard, input, out)
      let judgement = heard.judgement
      isBroken = isBroken || judgement.violations(.must) > 0 || strict && judgement.violations(.should) > 0
    }
    out.flush()
    if isBroken { throw Exit.expectationFailed }
  }

  private func judged(_ input: String) throws -> JudgeInput.Heard {
    do {
      return try JudgeInput.judge(input, filter: ReplayCommand.filter(filter), wanted: isWanted)
    } catch let failure as JudgeInput.Failure { throw Complaint(failure.description) }
  }

  private func isWanted(_ clause: Clause) -> Bool {
    clauses.isEmpty || clauses.contains { clause.id.hasPrefix($0.uppercased()) }
  }

  private func show(_ heard: JudgeInput.Heard, _ input: String, _ out: Output) {
    switch format {
    case .json:
      if !quiet {
        for row in heard.judgement.rows { out.line(JudgementLines.json(row, input: input, isTrace: heard.isTrace)) }
      }
      out.line(JudgementLines.summary(heard.judgement, input: input))
    case .text:
      let lines = JudgementText(heard.judgement, isTrace: heard.isTrace, isStrict: strict).lines
      out.line(input)
      (quiet ? lines.suffix(1) : lines[...]).forEach { out.line($0) }
    }
  }
}
