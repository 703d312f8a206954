import ArgumentParser
import Foundation
import Harness
import Primitives

/// Prints runs as they come in: a line a scenario for people, lines of JSON or one JUnit document for machines.
final class RunPrinter: @unchecked Sendable {
  private let output: Output
  private let options: OutputOptions
  private let bar: ProgressBar
  private let bites: Bool
  private var all: [SuiteRun] = []
  private var done = 0
  private var current: Group?
  private(set) var exitCode: ExitCode?
  private var passed = 0
  private var failedScenarios = 0

  /// The runs of one scenario so far.
  private struct Group {
    var path: String
    var runs = 0
    var outcomes: [RunOutcome: Int] = [:]
    var expectations = 0
    var virtualTime = Interval.zero
    var failures: [SuiteRun] = []
    var digest = Digest()
  }

  init(options: OutputOptions, total: Int, bites: Bool) throws {
    self.options = options
    self.bites = bites
    output = try Output(path: options.output)
    bar = ProgressBar(total: total, isQuiet: options.quiet)
  }

  func show(_ run: SuiteRun) {
    done += 1
    note(run)
    switch options.format {
    case .json: output.line(RunLines.json(run))
    case .junit: all.append(run)
    case .text: showText(run)
    }
    bar.show(done, run.path)
  }

  /// With a planted fault a run has to fail, and one that passes is the failure.
  private func isGood(_ run: SuiteRun) -> Bool {
    run.planted == nil ? run.outcome == .passed : run.outcome == .failed
  }

  private func note(_ run: SuiteRun) {
    if isGood(run) {
      passed += 1
      return
    }
    let code: ExitCode
    switch run.outcome {
    case .passed, .failed, .vacuous: code = Exit.expectationFailed
    case .budget: code = Exit.budget
    case .error: code = Exit.broken
    }
    exitCode = max(exitCode?.rawValue ?? 0, code.rawValue) == code.rawValue ? code : exitCode
  }

  private func showText(_ run: SuiteRun) {
    if current?.path != run.path { closeGroup() }
    var group = current ?? Group(path: run.path)
    group.runs += 1
    group.outcomes[run.outcome, default: 0] += 1
    group.expectations += run.verdicts.count
    group.virtualTime = group.virtualTime + run.virtualTime
    group.digest.combine(run.digest.state)
    if !isGood(run), group.failures.count < 3 { group.failures.append(run) }
    current = group
  }

  private func closeGroup() {
    guard let group = current else { return }
    current = nil
    // With planted faults one failing seed is a bite; a scenario bites if any of its runs failed.
    let isGood =
      bites ? group.outcomes[.failed, default: 0] > 0 : group.outcomes[.passed, default: 0] == group.runs
    if !isGood { failedScenarios += 1 }
    if options.quiet, isGood { return }
    bar.clear()
    let word = bites ? (isGood ? "bites " : "TOOTHLESS") : (isGood ? "passed" : "FAILED")
    let seeds = "\(group.runs) run\(group.runs == 1 ? " " : "s")"
    let path = group.path.padding(toLength: max(54, group.path.count), withPad: " ", startingAt: 0)
    let checks = "\(group.expectations) checked"
    let seconds = "\(group.virtualTime.nanoseconds / 1_000_000_000) s virtual"
    output.line(
      painted: "\(Output.paint(word, isGood ? .green : .red))  \(path) \(pad(seeds, 8)) \(pad(checks, 12)) "
        + "\(Output.paint(pad(seconds, 16), .dim)) \(group.digest)")
    if !isGood {
      for run in group.failures {
        for line in bites
          ? ["with \(run.planted ?? "nothing planted") it still passes; again: \(FailureText.command(run))"]
          : FailureText.lines(run)
        {
          output.line("        " + line)
        }
      }
    }
    output.flush()
  }

  private func toothless(_ run: SuiteRun) -> [String] {
    [
      "with \(run.planted ?? "nothing") planted it still \(run.outcome == .passed ? "passes" : "ends as \(run.outcome)")",
      "again: \(FailureText.command(run))",
    ]
  }

  private func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  func finish(scenarios: Int, seconds: Double) {
    closeGroup()
    bar.clear()
    switch options.format {
    case .json: output.line(RunLines.summary(runs: done, passed: passed, scenarios: scenarios))
    case .junit: output.document(RunLines.junit(all))
    case .text:
      let took = String(format: "%.1f", seconds)
      if bites {
        if failedScenarios == 0 { exitCode = nil }
        output.line(
          "\(scenarios) scenarios with their fault planted: \(scenarios - failedScenarios) bite, \(failedScenarios) do not, in \(took) s"
        )
      } else {
        output.line("\(scenarios) scenarios, \(done) runs: \(passed) passed, \(done - passed) failed, in \(took) s")
      }
    }
    output.flush()
  }
}
