public import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
public import RollcallSimulation

/// A scenario file against which any engine can be run: a `Machine` of your own, or Rollcall's.
///
///     let result = try ScenarioTest("quick-return.yaml").run(seeds: 1...200) { MyEngine() }
///     #expect(result.passed, "\(result)")
///
/// The engine takes the place of Rollcall's in the virtual network: it is given datagrams, commands and changes of its
/// interfaces, and its reports are compared with what the scenario expects.
public struct ScenarioTest: Sendable {
  /// As it was given.
  public let path: String
  private let file: ScenarioFile

  /// Reads and checks a scenario file.
  /// - Throws: `ScenarioTestError` with the place of each mistake, or why the file cannot be read.
  public init(_ path: String) throws(ScenarioTestError) {
    self.path = path
    do { file = try ScenarioFile.read(path) } catch { throw ScenarioTestError(description: "\(error)") }
  }

  /// What the scenario is called.
  public var title: String { file.scenario.title }

  /// Runs each point of the scenario under each seed.
  /// - Parameters:
  ///   - seeds: `nil`: those of the scenario.
  ///   - jobs: runs at a time. Results do not depend on it.
  ///   - engine: makes an engine as it is before a run; called once for each run.
  /// - Throws: `ScenarioTestError` where the points of its sweep cannot be worked out.
  @inlinable public func run<Engine: Machine & SendableMetatype>(
    seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1, engine: @escaping @Sendable () -> Engine
  ) throws(ScenarioTestError) -> ScenarioResult {
    try run(seeds, jobs) { $0.append(engine()) }
  }

  /// The same with Rollcall's own engine, as the scenario configures it.
  public func run(seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1) throws(ScenarioTestError) -> ScenarioResult {
    try run(seeds, jobs, nil)
  }

  @usableFromInline func run(
    _ seeds: ClosedRange<UInt64>?, _ jobs: Int, _ engine: (@Sendable (inout Machines) -> Void)?
  ) throws(ScenarioTestError) -> ScenarioResult {
    var options = Suite.Options(seeds: seeds, jobs: jobs)
    options.engine = engine
    let runs = Runs()
    do {
      try Suite(files: [file], options: options).run { runs.list.append(ScenarioRun($0)) }
    } catch { throw ScenarioTestError(description: "\(error)") }
    return ScenarioResult(path: path, runs: runs.list)
  }

  /// A suite hands its runs over one at a time.
  private final class Runs: @unchecked Sendable {
    var list: [ScenarioRun] = []
  }
}

/// Why a scenario could not be run.
public struct ScenarioTestError: Error, CustomStringConvertible {
  public let description: String
}

/// What came of a scenario: a run for each point and seed, in that order.
public struct ScenarioResult: Sendable, CustomStringConvertible {
  public let path: String
  public let runs: [ScenarioRun]

  /// Of all runs, in their order; of one run, that run's own: what `rollcall run` shows.
  public var digest: Digest {
    var digest = ScenarioDigest()
    for run in runs { digest.add(run.digest) }
    return digest.digest
  }

  /// Whether there was a run, and all of them passed.
  public var passed: Bool { !runs.isEmpty && runs.allSatisfy { $0.outcome == .passed } }

  /// The first failed run in words, and how many there are.
  public var description: String {
    let bad = runs.filter { $0.outcome != .passed }
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
  public let seed: UInt64
  public let outcome: Outcome
  /// Sum over everything that happened: the same engine gives the same.
  public let digest: Digest
  /// Why, for `budget` and `error`, and for `vacuous` where nothing is expected at all.
  public let message: String?
  /// Expectations that do not hold, or that nothing could break.
  public let findings: [ScenarioFinding]

  init(_ run: SuiteRun) {
    (seed, digest, message) = (run.seed, run.digest, run.message)
    outcome = Outcome(rawValue: run.outcome.rawValue) ?? .error
    findings = run.verdicts.filter(\.isBad).map { ScenarioFinding($0, in: run) }
  }

  public var description: String {
    let lines = [message.map { "  \($0)" }].compactMap { $0 } + findings.map { "  \($0)" }
    return (["seed \(seed): \(outcome.rawValue)"] + lines).joined(separator: "\n")
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

  public var description: String { "\(path):\(line):\(column): expected \(expected), found \(found)" }
}
