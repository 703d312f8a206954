import RollcallPrimitives
package import RollcallReporting
import RollcallScenarios

/// Runs as results: a suite for each scenario, a case for each run; with planted faults a case for each scenario, which
/// fails if no run of it did.
package struct RunResults {
  /// When it began, as `JUnitDocument.timestamp(of:)` writes it; `nil`: not told.
  private let timestamp: String?
  private let bites: Bool
  private var suites: [ResultSuite] = []
  private var current: ResultSuite?
  /// Of the runs of the suite that is open.
  private var seconds = 0.0

  package init(timestamp: String? = nil, bites: Bool = false) { (self.timestamp, self.bites) = (timestamp, bites) }

  package mutating func add(_ run: SuiteRun) {
    open(run.path)
    seconds += run.seconds
    if bites, run.outcome != .error, run.outcome != .budget { return }
    let findings = run.findings
    let placed = findings.first { $0.place.file == run.path && $0.place.line != nil }
    current?.cases.append(
      ResultCase(
        "seed \(run.seed)" + run.pointText, line: placed?.place.line, duration: Interval(measuredSeconds: run.seconds),
        outcome: run.resultOutcome, findings: findings))
  }

  /// Whether a scenario noticed the fault that was planted: one case for all of its runs.
  package mutating func addBite(_ path: String, planted: String, isNoticed: Bool, again: String) {
    open(path)
    var one = ResultCase("bites \(planted)", duration: Interval(measuredSeconds: seconds))
    if !isNoticed {
      let message = "passes with \(planted) planted: it proves nothing"
      one.outcome = .failed(message: message, type: "toothless", text: "again: \(again)")
      one.findings = [
        ResultFinding(
          .toothless, at: ResultPlace(path), message, identity: [path, planted], facts: [ResultFact("again", again)])
      ]
    }
    current?.cases.append(one)
  }

  /// A scenario that was not run.
  package mutating func skip(_ path: String, why: String) {
    open(path)
    current?.cases.append(ResultCase("all runs", outcome: .skipped(why)))
  }

  /// Somebody ended it when so many runs were done: what is told of them is not all.
  package mutating func interrupt(done: Int, of total: Int) {
    let message = "interrupted: \(done) of \(total) runs were done"
    add(
      ResultSuite(
        "rollcall run", timestamp: timestamp,
        cases: [ResultCase("every run is done", outcome: .error(message: message, type: "interrupted"))]))
  }

  /// A suite of something else, such as a file that cannot be read.
  package mutating func add(_ suite: ResultSuite) {
    closeSuite()
    suites.append(suite)
  }

  private mutating func open(_ path: String) {
    if current?.name == path { return }
    closeSuite()
    current = ResultSuite(path, file: path, timestamp: timestamp)
    seconds = 0
  }

  private mutating func closeSuite() {
    guard var suite = current, !suite.cases.isEmpty else { return }
    suite.duration = Interval(measuredSeconds: seconds)
    suites.append(suite)
    current = nil
  }

  /// Everything that was added.
  package var all: [ResultSuite] {
    var copy = self
    copy.closeSuite()
    return copy.suites
  }
}

extension ResultRule {
  fileprivate static let violated = ResultRule(
    "expectation-violated", title: "An expectation does not hold",
    explanation: "What the engine reported in a run is not what the scenario expects of it.",
    help: "Repeat the run with the command that stands beside it and --explain, which tells what happened.")
  fileprivate static let vacuous = ResultRule(
    "expectation-vacuous", title: "An expectation was not tested",
    explanation: "Nothing in the run could break it, so that it says nothing.",
    help: "Let the run last longer, or say in vacuous-ok that this is all right.")
  fileprivate static let unexpectedPass = ResultRule(
    "unexpected-pass", title: "A run that is expected to fail passes",
    explanation: "The file of expected results has a failure that does not occur.",
    help: "Take the line out of the file, or write the file anew with --write-expected.")
  fileprivate static let toothless = ResultRule(
    "toothless", title: "A scenario does not notice its fault",
    explanation: "With the fault of bites planted no run fails, so that a pass without it proves nothing.",
    help: "Expect what the fault breaks, or name another fault.")
}

extension SuiteRun {
  /// The point in the words of `--set`, each behind a blank.
  package var pointText: String { point.map { " \($0.path)=\($0.text)" }.joined() }

  fileprivate var resultOutcome: ResultCase.Outcome {
    func text() -> String { FailureText.lines(self).joined(separator: "\n") }
    let said = standing?.text.map { $0 + ". " } ?? ""
    switch standing?.kind {
    case .known: return .known(standing?.text ?? "known")
    case .unexpectedPass:
      return .failed(message: standing?.text ?? "passes", type: ResultRule.unexpectedPass.id, text: text())
    case .otherFailure, .unexpectedFailure, nil: break
    }
    switch outcome {
    case .passed: return .passed
    case .failed, .vacuous:
      let first = verdicts.first { $0.isBad }
      let why = first.map { "\($0.id): expected \($0.expected), found \($0.found)" } ?? message ?? ""
      return .failed(message: said + why, type: outcome.rawValue, text: text())
    case .error, .budget: return .error(message: said + (message ?? outcome.rawValue), type: outcome.rawValue)
    }
  }

  /// Each expectation that does not hold, or was not tested, with its place in the scenario; an unexpected pass with its
  /// place in the file of expected results.
  package var findings: [ResultFinding] {
    let identity = [path] + point.map { "\($0.path)=\($0.text)" }
    let facts = [ResultFact("seed", "\(seed)"), ResultFact("again", FailureText.command(self))]
    if let standing, standing.kind == .unexpectedPass {
      return [
        ResultFinding(
          .unexpectedPass, at: standing.place ?? ResultPlace(path), "\(path): \(standing.text ?? "passes")",
          identity: identity, facts: facts)
      ]
    }
    let knownBy = standing?.kind == .known ? standing?.text : nil
    if verdicts.isEmpty, outcome == .vacuous, let message {
      return [
        ResultFinding(.vacuous, at: ResultPlace(path), message, identity: identity, facts: facts, knownBy: knownBy)
      ]
    }
    return verdicts.filter(\.isBad).map { verdict in
      let isVacuous = verdict.outcome == .vacuous
      let found =
        isVacuous ? "not tested: \(verdict.found)" : "expected \(verdict.expected), found \(verdict.found)"
      let hasPlace = verdict.place.line > 0
      let when = verdict.time.map { [ResultFact("time", $0.description)] } ?? []
      return ResultFinding(
        isVacuous ? .vacuous : .violated,
        at: ResultPlace(
          path, line: hasPlace ? verdict.place.line : nil, column: hasPlace ? verdict.place.column : nil),
        "\(verdict.id) \(verdict.text): \(found)", identity: identity + [verdict.id], facts: facts + when,
        knownBy: knownBy)
    }
  }
}
