public import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallSimulation

/// What came of a scenario: a run for each point and seed, in that order.
public struct ScenarioResult: Sendable, CustomStringConvertible {
  let file: ScenarioFile
  public let runs: [ScenarioRun]
  /// What ran in the place of Rollcall's engine; `nil`: Rollcall's did.
  let engine: (@Sendable (inout Machines) -> Void)?

  init(file: ScenarioFile, runs: [ScenarioRun], engine: (@Sendable (inout Machines) -> Void)?) {
    (self.file, self.runs, self.engine) = (file, runs, engine)
  }

  /// The file of the scenario as it was given, or what its text is called.
  public var path: String { file.path }

  /// Of all runs, in their order; of one run, that run's own: what `rollcall run` shows.
  public var digest: Digest {
    var digest = ScenarioDigest()
    for run in runs { digest.add(run.digest) }
    return digest.digest
  }

  /// Whether there was a run, and all of them passed.
  public var passed: Bool { !runs.isEmpty && failures.isEmpty }
  /// The runs that did not pass.
  public var failures: [ScenarioRun] { runs.filter { $0.outcome != .passed } }

  /// The first failed run in words, and how many there are.
  public var description: String {
    let bad = failures
    guard let first = bad.first else { return "\(path): all of \(PlainWords.count(runs.count, "run")) passed" }
    return "\(path): \(bad.count) of \(PlainWords.count(runs.count, "run")) did not pass\n\(first)"
  }
}

/// One run.
public struct ScenarioRun: Sendable, CustomStringConvertible {
  public enum Outcome: String, Sendable, CaseIterable {
    case passed, failed
    /// Nothing was checked.
    case vacuous
    /// The run reached a bound of events or of entries of its trace.
    case budget
    case error
  }
  let run: SuiteRun

  init(_ run: SuiteRun) { self.run = run }

  public var seed: UInt64 { run.seed }
  /// Where the scenario has a sweep: what was chosen for the run, as in `network.link.loss=10%`.
  public var settings: [String] { run.point.map { "\($0.path)=\($0.text)" } }
  public var outcome: Outcome { Outcome(rawValue: run.outcome.rawValue) ?? .error }
  /// Sum over everything that happened: the same engine gives the same.
  public var digest: Digest { run.digest }
  /// Why, for `budget` and `error`, and for `vacuous` where nothing is expected at all.
  public var message: String? { run.message }
  /// Expectations that do not hold, or that nothing could break.
  public var findings: [ScenarioFinding] { run.verdicts.filter(\.isBad).map { ScenarioFinding($0, in: run) } }

  public var description: String {
    let lines = [message.map { "  \($0)" }].compactMap { $0 } + findings.map { "  \($0)" }
    return (["\((["seed \(seed)"] + settings).joined(separator: " ")): \(outcome.rawValue)"] + lines)
      .joined(separator: "\n")
  }
}

/// An expectation that did not hold.
public struct ScenarioFinding: Sendable, CustomStringConvertible {
  /// Where it stands: line and column in the scenario file, from 1.
  public let path: String
  public let line: Int
  public let column: Int
  /// The expectation as the scenario has it.
  public let text: String
  public let expected: String
  public let found: String
  /// Whether it held only because nothing could break it.
  public let isVacuous: Bool

  init(_ verdict: Verdict, in run: SuiteRun) {
    (path, line, column) = (run.path, verdict.place.line, verdict.place.column)
    (text, expected, found) = (verdict.text, verdict.expected, verdict.found)
    isVacuous = verdict.outcome == .vacuous
  }

  public var description: String {
    PlainText.shown("\(path):\(line):\(column): expected \(expected), found \(found)")
  }
}
