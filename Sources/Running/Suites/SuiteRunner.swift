import Foundation
import RollcallPrimitives
import RollcallScenarios

/// Performs the tasks of a suite on several threads and hands over what came of them in their order.
final class SuiteRunner: @unchecked Sendable {
  private let suite: Suite
  private let each: @Sendable (SuiteRun) -> Void
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

  init(suite: Suite, each: @escaping @Sendable (SuiteRun) -> Void) { (self.suite, self.each) = (suite, each) }

  func run() {
    OrderedTasks<Done>.run(
      suite.taskCount, jobs: suite.options.jobs, isOver: suite.options.isOver,
      worker: { [self] in
        var prepared: (file: Int, point: Int, resolved: Result<Resolved, ScenarioErrors>)?
        return { [self] number in
          let task = suite.task(number)
          if let prepared, (prepared.file, prepared.point) == (task.file, task.point) {
            return perform(task, prepared.resolved)
          }
          let resolved = resolve(task)
          prepared = (task.file, task.point, resolved)
          return perform(task, resolved)
        }
      },
      each: { [self] in each(finished($0)) })
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

  private func resolve(_ task: SuiteTask) -> Result<Resolved, ScenarioErrors> {
    let scenario = suite.points[task.file][task.point].scenario
    let engine = suite.options.engine
    return Result { () throws(ScenarioErrors) -> Resolved in try scenario.resolved().asked(of: engine) }
  }

  private func perform(_ task: SuiteTask, _ prepared: Result<Resolved, ScenarioErrors>) -> Done {
    let point = suite.points[task.file][task.point]
    let file = suite.files[task.file]
    var run = SuiteRun(
      path: file.path, title: point.scenario.title, point: point.values, seed: task.seed, outcome: .error,
      digest: Digest(), entries: 0, virtualTime: .zero, verdicts: [])
    run.engine = suite.options.engine?.command
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
    run.message = result.reachedBudget
    if let failure = result.engineFailure {
      // What a run came to in which the engine fell silent says nothing of what was expected.
      (run.message, run.notes) = (failure, result.engineNotes)
    } else {
      run.verdicts = result.verdicts
    }
    if resolved.expectations.isEmpty, run.outcome == .vacuous {
      run.message = "nothing is expected, so nothing was checked; to record it all the same: --no-expectations"
    }
    if suite.options.bites { run.planted = file.scenario.bites.map { BiteText.name($0) } }
    let isBad = run.outcome != .passed
    if suite.options.reports == .all || suite.options.reports == .failed && isBad {
      run.reports = SuiteReports(result.evidence)
    }
    // A planted fault is meant to fail: nobody asks why.
    if isBad, run.outcome != .error, !suite.options.bites, result.entries <= NearbyReports.entriesMaximum,
      result.verdicts.contains(where: \.isBad)
    {
      let story = NearbyReports(resolved, seed: seed, options: options)
      run.nearby = result.verdicts.filter(\.isBad).map { ($0.id, story.around($0)) }
    }
    run.seconds = Double(DispatchTime.now().uptimeNanoseconds - started) / 1_000_000_000
    return Done(
      run: run, isLastOfPoint: task.isLastOfPoint,
      contribution: run.outcome == .error ? nil : result.contribution,
      expectations: resolved.expectations)
  }
}
