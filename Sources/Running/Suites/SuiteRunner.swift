import Foundation
import RollcallPrimitives
import RollcallScenarios

/// Performs the tasks of a suite on several threads and hands over what came of them in their order.
final class SuiteRunner: @unchecked Sendable {
  /// Runs that may be done and wait for an earlier one: so much memory, however many are to come.
  private static let aheadMaximum = 64

  private let suite: Suite
  private let each: @Sendable (SuiteRun) -> Void
  private let condition = NSCondition()
  private let jobs: Int
  /// The next task to begin, and the next to hand over.
  private var begun = 0
  private var next = 0
  /// What is done and waits, by its distance from `next`.
  private var waiting: [Done?]
  /// What is judged over the seeds of the point that is being handed over.
  private var tally: SeedTally?

  /// A task that was performed.
  private struct Done {
    var run: SuiteRun
    var isLastOfPoint: Bool
    /// `nil` where it could not be performed at all.
    var contribution: SeedContribution?
    var expectations: [ResolvedExpectation]
  }

  init(suite: Suite, each: @escaping @Sendable (SuiteRun) -> Void) {
    (self.suite, self.each) = (suite, each)
    jobs = max(1, min(suite.options.jobs, suite.taskCount))
    waiting = Array(repeating: nil, count: SuiteRunner.aheadMaximum * jobs)
  }

  func run() {
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      var prepared: (file: Int, point: Int, Result<Resolved, ScenarioErrors>)?
      while let number = take() {
        let task = suite.task(number)
        if prepared.map({ ($0.file, $0.point) != (task.file, task.point) }) ?? true {
          prepared = (task.file, task.point, resolve(task))
        }
        if let prepared { pass(number, perform(task, prepared.2)) }
      }
    }
  }

  // MARK: - Order

  /// The next task to perform; waits while too many are done and not handed over. `nil`: there is none.
  private func take() -> Int? {
    condition.lock()
    defer { condition.unlock() }
    while begun < suite.taskCount, begun - next >= waiting.count { condition.wait() }
    guard begun < suite.taskCount, !suite.options.isOver() else { return nil }
    begun += 1
    return begun - 1
  }

  private func pass(_ number: Int, _ done: Done) {
    condition.lock()
    defer { condition.unlock() }
    waiting[number % waiting.count] = done
    while let ready = waiting[next % waiting.count] {
      waiting[next % waiting.count] = nil
      next += 1
      each(finished(ready))
    }
    condition.broadcast()
  }

  /// The run with what its point came to, if it is the last of it.
  private func finished(_ done: Done) -> SuiteRun {
    var run = done.run
    if let contribution = done.contribution {
      if tally == nil { tally = SeedTally(done.expectations) }
      tally?.add(contribution)
    }
    guard done.isLastOfPoint else { return run }
    run.verdicts += tally?.verdicts ?? []
    tally = nil
    if run.outcome == .passed || run.outcome == .failed || run.outcome == .vacuous {
      run.outcome = Run.outcome(run.verdicts, hasExpectations: !done.expectations.isEmpty, reachedBudget: false)
    }
    return run
  }

  // MARK: - Runs

  private func resolve(_ task: SuiteTask) -> Result<Resolved, ScenarioErrors> {
    let scenario = suite.points[task.file][task.point].scenario
    return Result { () throws(ScenarioErrors) -> Resolved in try scenario.resolved() }
  }

  private func perform(_ task: SuiteTask, _ prepared: Result<Resolved, ScenarioErrors>) -> Done {
    let point = suite.points[task.file][task.point]
    let file = suite.files[task.file]
    var run = SuiteRun(
      path: file.path, title: point.scenario.title, point: point.values, seed: task.seed, outcome: .error,
      digest: Digest(), entries: 0, virtualTime: .zero, verdicts: [])
    let resolved: Resolved
    switch prepared {
    case .success(let value): resolved = value
    case .failure(let errors):
      run.message = errors.description
      return Done(run: run, isLastOfPoint: task.isLastOfPoint, contribution: nil, expectations: [])
    }
    let started = DispatchTime.now().uptimeNanoseconds
    let seed = Seed(task.seed ^ suite.options.seedNoise)
    let options = RunOptions(engine: suite.options.engine)
    let result = Run.perform(resolved, seed: seed, options: options)
    run.outcome = result.outcome
    run.digest = result.digest
    run.entries = result.entries
    run.virtualTime = result.virtualTime
    run.verdicts = result.verdicts
    run.message = result.reachedBudget
    if resolved.expectations.isEmpty, run.outcome == .vacuous {
      run.message = "nothing is expected, so nothing was checked; to record it all the same: --no-expectations"
    }
    if suite.options.bites { run.planted = file.scenario.bites.map { BiteText.name($0) } }
    let isBad = run.outcome != .passed
    if suite.options.reports == .all || suite.options.reports == .failed && isBad {
      run.reports = SuiteReports(result.evidence)
    }
    // A planted fault is meant to fail: nobody asks why.
    if isBad, !suite.options.bites, result.entries <= NearbyReports.entriesMaximum,
      result.verdicts.contains(where: \.isBad)
    {
      let story = NearbyReports(resolved, seed: seed, options: options)
      run.nearby = result.verdicts.filter(\.isBad).map { ($0.id, story.around($0)) }
    }
    run.seconds = Double(DispatchTime.now().uptimeNanoseconds - started) / 1_000_000_000
    return Done(
      run: run, isLastOfPoint: task.isLastOfPoint, contribution: result.contribution,
      expectations: resolved.expectations)
  }
}
