package import RollcallPrimitives
package import RollcallScenarios

/// What the runs came to: counted as they come, scenario by scenario.
package struct RunAccount: Sendable {
  /// The runs of one scenario so far.
  package struct Group: Sendable {
    package var path: String
    package var runCount = 0
    package var outcomes: [RunOutcome: Int] = [:]
    /// Those of runs that are not good.
    var badOutcomes: [RunOutcome: Int] = [:]
    /// Runs that fail as they are known to.
    package var knownCount = 0
    package var checkCount = 0
    package var virtualTime = Interval.zero
    package var digest = ScenarioDigest()
    /// What was planted in its runs.
    package var planted: String?
    /// The first runs that are not good, for a person to read.
    package var shown: [SuiteRun] = []
    /// Seeds whose runs are not good, point by point.
    package var failures: [Failure] = []
    /// Whether nothing was to be checked, and the caller said so.
    package var isRecordedOnly = false

    static let shownMaximum = 3

    package func count(_ outcome: RunOutcome) -> Int { outcomes[outcome, default: 0] }
    package var failureCount: Int { failures.reduce(0) { $0 + $1.seeds.count } }
    /// Whether some runs are not good, and each of them is merely vacuous.
    package var isOnlyVacuous: Bool { badOutcomes[.vacuous] == failureCount }
    /// With planted faults one seed that fails is a bite.
    package var hasBitten: Bool { count(.failed) > 0 && count(.error) == 0 }
  }

  /// Seeds of a point whose runs are not good.
  package struct Failure: Sendable {
    package var path: String
    package var point: [Point.Value]
    package var seeds = SeedRanges()
  }

  package private(set) var runCount = 0
  package private(set) var goodCount = 0
  /// Of the good ones, those that fail as they are known to.
  package private(set) var knownCount = 0
  package private(set) var scenarioCount = 0
  /// Scenarios that are not good: with planted faults, those that bite nothing.
  package private(set) var badScenarioCount = 0
  package private(set) var vacuousCount = 0
  /// Of all scenarios, in the order of the runs.
  package private(set) var failures: [Failure] = []
  /// How many runs there would have been, where somebody ended them early.
  package var interruptedOf: Int?
  package private(set) var current: Group?
  private var worst = RunOutcome.passed
  private let bites: Bool
  private let allowsNoExpectations: Bool

  /// - Parameters:
  ///   - bites: whether faults are planted, so that a run has to fail.
  ///   - allowsNoExpectations: whether a run without expectations is good.
  package init(bites: Bool = false, allowsNoExpectations: Bool = false) {
    (self.bites, self.allowsNoExpectations) = (bites, allowsNoExpectations)
  }

  /// Counts a run; the group before it, if that is complete.
  @discardableResult
  package mutating func add(_ run: SuiteRun) -> Group? {
    let complete = current?.path == run.path ? nil : close()
    var group = current ?? Group(path: run.path)
    runCount += 1
    group.runCount += 1
    group.outcomes[run.outcome, default: 0] += 1
    group.checkCount += run.verdicts.count
    group.virtualTime = group.virtualTime + run.virtualTime
    group.digest.add(run.digest)
    group.planted = run.planted
    let isRecordedOnly = allowsNoExpectations && run.outcome == .vacuous && run.verdicts.isEmpty
    group.isRecordedOnly = group.isRecordedOnly || isRecordedOnly
    let isGood: Bool
    switch run.standing?.kind {
    case .known: isGood = true
    case .unexpectedPass, .otherFailure, .unexpectedFailure: isGood = false
    case nil: isGood = bites ? run.outcome == .failed : run.outcome == .passed || isRecordedOnly
    }
    if isGood {
      goodCount += 1
      if run.standing != nil {
        knownCount += 1
        group.knownCount += 1
      }
    } else {
      group.badOutcomes[run.outcome, default: 0] += 1
      if run.outcome == .vacuous { vacuousCount += 1 }
      if group.shown.count < Group.shownMaximum { group.shown.append(run) }
      if group.failures.last?.point != run.point {
        group.failures.append(Failure(path: run.path, point: run.point))
      }
      group.failures[group.failures.count - 1].seeds.add(run.seed)
    }
    current = group
    return complete
  }

  /// Ends the group that is being counted; `nil`: there is none.
  package mutating func close() -> Group? {
    guard let group = current else { return nil }
    current = nil
    scenarioCount += 1
    if !isGood(group) {
      badScenarioCount += 1
      failures += group.failures
      for outcome in RunOutcome.allCases where group.badOutcomes[outcome, default: 0] > 0 {
        if RunAccount.rank(outcome) > RunAccount.rank(worst) { worst = outcome }
      }
      // It passes where it should not.
      if worst == .passed { worst = .failed }
    }
    return group
  }

  package func isGood(_ group: Group) -> Bool { bites ? group.hasBitten : group.failures.isEmpty }

  /// The worst that came of any scenario that is not good; `passed`: all are good.
  package var outcome: RunOutcome { worst }

  private static func rank(_ outcome: RunOutcome) -> Int {
    switch outcome {
    case .passed: 0
    case .vacuous: 1
    case .failed: 2
    case .error: 3
    case .budget: 4
    }
  }
}
