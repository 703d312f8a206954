import RollcallPrimitives
import RollcallReporting

/// Results with one case of every outcome, and with names that try to be something else.
enum ResultSamples {
  static let rule = ResultRule(
    "expectation-violated", title: "An expectation does not hold", explanation: "Not as it is expected.",
    help: "Look at it.", facts: [ResultFact("weight", 3)])

  static func finding(_ message: String, line: Int, knownBy: String? = nil) -> ResultFinding {
    ResultFinding(
      rule, at: ResultPlace("Scenarios/a.yaml", line: line, column: 5), message, identity: ["a", "\(line)"],
      facts: [ResultFact("seed", "2")], knownBy: knownBy)
  }

  static let plain: [ResultSuite] = [
    ResultSuite(
      "Scenarios/a.yaml", file: "Scenarios/a.yaml", timestamp: "2026-11-22T08:00:00", duration: .seconds(2),
      cases: [
        ResultCase("seed 1", duration: .milliseconds(1_250)),
        ResultCase(
          "seed 2 network.link.loss=10%", line: 7, duration: .milliseconds(250),
          outcome: .failed(message: "e1: expected \"lost\"", type: "failed", text: "one\ntwo"),
          findings: [finding("e1 {lost: tv}: expected it, found nothing", line: 7)]),
        ResultCase(
          "seed 3", outcome: .failed(message: "e1: again", type: "failed"), findings: [finding("e1: again", line: 7)]),
        ResultCase(
          "seed 4", outcome: .known("known by expected.jsonl:2: failed by e2"),
          findings: [finding("e2 {found: tv}: not found", line: 8, knownBy: "expected.jsonl:2")]),
      ]),
    ResultSuite(
      "b.yaml", file: "b.yaml",
      cases: [ResultCase("read", outcome: .error(message: "no such file", type: "unreadable"))]),
    ResultSuite("c.yaml", cases: [ResultCase("all runs", outcome: .skipped("no bites"))]),
  ]

  /// What ends a line, a field, a command or a directive in one of the formats, or cannot be seen.
  static let odd =
    "a#TODO b\\#SKIP \"q\" \t\u{1B}[2J\u{7F}\u{85}\u{202E}\u{2028}\u{E0041} : , % ::error::x\ny\r<&>']]> \u{1F4FA}"

  static let hostile: [ResultSuite] = [
    ResultSuite(
      odd, file: odd,
      cases: [
        ResultCase(odd),
        ResultCase(
          odd, outcome: .failed(message: odd, type: odd, text: odd),
          findings: [
            ResultFinding(
              ResultRule(odd, title: odd, explanation: odd, help: odd, facts: [ResultFact(odd, odd)]), .warning,
              at: ResultPlace(odd, line: 1), odd, identity: [odd], facts: [ResultFact(odd, odd)])
          ]),
        ResultCase(odd, outcome: .error(message: odd, type: odd, text: odd)),
        ResultCase(odd, outcome: .skipped(odd)), ResultCase(odd, outcome: .known(odd), output: odd),
      ])
  ]
}
