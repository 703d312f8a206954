import ArgumentParser
import Foundation
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios

/// Prints runs as they come in: a line a scenario for people, lines of JSON or a document of results for machines.
final class RunPrinter: @unchecked Sendable {
  private let output: Output
  private let options: OutputOptions
  private let progress: Progress
  private let bites: Bool
  private let suite: Suite
  private var total: Int { suite.taskCount }
  private var account: RunAccount
  private var results: RunResults
  private var unreadableCount = 0
  /// The failures that are known; `nil`: none is.
  private var expected: ExpectedRuns?
  /// Whether everything is run that the scenarios have.
  private let isWhole: Bool
  private var allFailures = RunFailures()

  /// - Parameters:
  ///   - expected: the failures that are known; `nil`: none is.
  ///   - isWhole: whether everything is run that the scenarios have.
  init(
    options: OutputOptions, suite: Suite, bites: Bool, allowsNoExpectations: Bool, expected: ExpectedRuns?,
    isWhole: Bool
  ) throws {
    (self.options, self.suite, self.bites, self.expected) = (options, suite, bites, expected)
    self.isWhole = isWhole
    account = RunAccount(bites: bites, allowsNoExpectations: allowsNoExpectations)
    results = RunResults(timestamp: JUnitDocument.timestamp(of: Date()), bites: bites)
    output = try Output(path: options.output)
    progress = Progress("running", isQuiet: options.quiet)
    progress.show(.counted(done: 0, of: suite.taskCount, what: ""))
  }

  func show(_ run: SuiteRun) {
    var run = run
    run.standing = expected?.standing(of: run)
    allFailures.add(run)
    if let group = account.add(run) { show(group) }
    switch options.format {
    case .json: output.line(RunLines.json(run))
    case .junit, .tap, .sarif, .github: results.add(run)
    case .text: break
    }
    progress.show(.counted(done: account.runCount, of: total, what: run.path))
  }

  /// A scenario that cannot be read: the others are run, and the exit code is 2.
  func failed(_ failure: UnreadableInput) {
    unreadableCount += 1
    Output.complain(failure.text)
    switch options.format {
    case .json: output.line(InputFailureLines.json(input: failure.path, message: failure.message))
    case .junit, .tap, .sarif, .github: results.add(failure.suite)
    case .text: break
    }
  }

  /// A scenario that is left out, and why.
  func skip(_ file: ScenarioFile, _ word: String, since reason: String? = nil) {
    let why = word + (reason.map { ": \($0)" } ?? "")
    switch options.format {
    case .json: output.line(RunLines.skipped(file.path, why: why))
    case .junit, .tap, .sarif, .github: results.skip(file.path, why: why)
    case .text:
      if options.quiet, reason != nil { return }
      let rest = reason.map { "  (\($0))" } ?? ""
      output.line(painted: "\(Output.paint(word, .yellow))  \(file.path)\(rest)")
    }
  }

  private func show(_ group: RunAccount.Group) {
    let isGood = account.isGood(group)
    if options.format == .json { output.line(RunLines.scenario(group.path, digest: group.digest)) }
    if bites, options.format.document != nil, group.hasBitten || group.count(.error) + group.count(.budget) == 0 {
      results.addBite(
        group.path, planted: group.planted ?? "nothing", isNoticed: group.hasBitten,
        again: group.shown.first.map { FailureText.command($0) } ?? "")
    }
    guard options.format == .text, !options.quiet || !isGood else { return }
    let seeds = "\(group.runCount) run\(group.runCount == 1 ? " " : "s")"
    let path = group.path.padding(toLength: max(54, group.path.count), withPad: " ", startingAt: 0)
    let seconds = "\(group.virtualTime.nanoseconds / 1_000_000_000) s virtual"
    output.line(
      painted: "\(Output.paint(word(group, isGood), colour(group, isGood)))  \(path) \(seeds.rightAligned(to: 8)) "
        + "\(("\(group.checkCount) checked").rightAligned(to: 12)) \(Output.paint(seconds.rightAligned(to: 16), .dim)) \(group.digest.digest)"
    )
    if group.knownCount > 0 { showIndented("\(group.knownCount) of \(group.runCount) runs fail as they are known to") }
    if !isGood {
      for run in group.shown {
        for line in bites ? toothless(run) : FailureText.lines(run) { showIndented(line) }
      }
      if !bites { failures(group).forEach(showIndented) }
    }
    output.flush()
  }

  private func showIndented(_ line: String) {
    Terminal.fitted("        " + line, to: options.output).forEach { output.line($0) }
  }

  private func word(_ group: RunAccount.Group, _ isGood: Bool) -> String {
    if bites { return isGood ? "bites " : "TOOTHLESS" }
    if isGood { return group.knownCount > 0 ? "known " : group.isRecordedOnly ? "recorded" : "passed" }
    return group.isOnlyVacuous ? "VACUOUS" : "FAILED"
  }

  private func colour(_ group: RunAccount.Group, _ isGood: Bool) -> Output.Colour {
    isGood ? group.knownCount > 0 ? .yellow : .green : .red
  }

  private func toothless(_ run: SuiteRun) -> [String] {
    if let message = run.message { return [message] }
    return ["with \(run.planted ?? "nothing planted") it still passes; again: \(FailureText.command(run))"]
  }

  /// All seeds that failed, where more did than are shown.
  private func failures(_ group: RunAccount.Group) -> [String] {
    if group.failureCount <= 1 { return [] }
    return group.failures.map { failure in
      let point = failure.point.map { " with \($0.path)=\($0.text)" }.joined()
      return "\(failure.seeds.count) of its seeds\(point): \(failure.seeds)"
    }
  }

  /// - Parameters:
  ///   - isInterrupted: whether somebody ended it before all runs were done.
  ///   - story: what happened in the one run that there was.
  func finish(seconds: Double, isInterrupted: Bool, story: RunStory?) throws {
    if isInterrupted { account.interruptedOf = total }
    if let group = account.close() { show(group) }
    if isInterrupted { results.interrupt(done: account.runCount, of: total) }
    progress.end()
    if let story {
      let lines = options.format == .json ? story.jsonLines : story.textLines(width: Output.width)
      lines.forEach { output.line($0) }
    }
    switch options.format {
    case .json: output.line(RunLines.summary(account, expected: expected, suite: suite))
    case .junit, .tap, .sarif, .github:
      let text = options.format.document?.text(results.all, version: Rollcall.configuration.version)
      output.document(text ?? "")
    case .text:
      let took = String(format: "%.1f", seconds)
      let scenarios = account.scenarioCount
      var line: String
      if bites {
        line = "\(scenarios) scenarios with their fault planted: \(scenarios - account.badScenarioCount) bite, "
        line += "\(account.badScenarioCount) do not, in \(took) s"
      } else {
        line = "\(scenarios) scenarios, \(account.runCount) runs: \(account.goodCount - account.knownCount) passed, "
        line += "\(account.runCount - account.goodCount) failed"
        if account.vacuousCount > 0 { line += " (\(account.vacuousCount) of them vacuous)" }
        if account.knownCount > 0 { line += ", \(account.knownCount) known to fail" }
        if suite.options.engine?.isForeign == true {
          line += "; \(suite.unfit.count) scenarios are not for this engine, "
          line += "\(suite.unaskedCount) expectations of the others were not asked"
        }
        line += ", in \(took) s"
      }
      if unreadableCount > 0 { line += "; \(unreadableCount) unreadable" }
      if isInterrupted { line += "; interrupted: \(account.runCount) of \(total) runs were done" }
      output.line(line)
    }
    try output.finish()
    if !isInterrupted { tellUnmet() }
  }

  /// Lines of the file of expected results of which no run was.
  private func tellUnmet() {
    guard let expected, !expected.unmet.isEmpty else { return }
    let unmet = expected.unmet
    if !isWhole {
      return Output.complain("\(expected.file): \(unmet.count) of \(expected.entries.count) lines are of other runs")
    }
    for entry in unmet.prefix(RunPrinter.unmetMaximum) {
      Output.complain("\(expected.file):\(entry.line): no run is this one: \(entry.scenario), \(entry.failure)")
    }
    if unmet.count > RunPrinter.unmetMaximum {
      Output.complain("\(expected.file): \(unmet.count - RunPrinter.unmetMaximum) lines more are of no run")
    }
  }

  private static let unmetMaximum = 10

  /// Writes the failures as a file of expected results, if all runs were done.
  func writeExpected(to path: String) throws {
    if account.interruptedOf != nil || unreadableCount > 0 {
      return Output.complain("\(path): not written, since not everything was run")
    }
    let lines = allFailures.lines
    let file = try Output(path: path)
    for line in lines { file.line(line) }
    try file.finish()
    let count = PlainWords.count(allFailures.count, "failure")
    Output.complain("\(path): \(count) written; read them before you commit them")
  }

  /// What the tool ends with; `nil`: all is well.
  var exitCode: ExitCode? {
    if account.interruptedOf != nil { return Exit.interrupted }
    if unreadableCount > 0 { return Exit.usage }
    switch account.outcome {
    case .passed: return nil
    case .failed, .vacuous: return Exit.expectationFailed
    case .budget: return Exit.budget
    case .error: return Exit.broken
    }
  }
}
