import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace

/// What a run leaves to be looked at.
public struct ScenarioRecord: Sendable {
  /// What failed, what the engine reported, and, of Rollcall's own engine, what it heard and made of that.
  public let timeline: String
  /// Each entry of each machine, a line each, as `rollcall run --trace` writes it; `nil`: there are too many.
  public let trace: String?
  /// What the host of the engine sent and heard, as `rollcall run --pcapng` writes it; `nil`: there is too much.
  public let pcapng: [UInt8]?

  /// Runs with more entries than these are not performed again.
  static let entriesMaximum: UInt64 = 100_000
  static let columns = 100

  /// As files: a name for each, and its bytes.
  package func files(named name: String) -> [(name: String, bytes: [UInt8])] {
    var files: [(name: String, bytes: [UInt8])] = [("\(name).timeline.txt", Array(timeline.utf8))]
    if let trace { files.append(("\(name).trace", Array(trace.utf8))) }
    if let pcapng { files.append(("\(name).pcapng", pcapng)) }
    return files
  }
}

extension ScenarioResult {
  /// Performs a run once more, with everything kept.
  /// - Parameter run: one of this result.
  public func record(_ run: ScenarioRun) -> ScenarioRecord {
    record(run, entriesMaximum: ScenarioRecord.entriesMaximum)
  }

  package func record(_ run: ScenarioRun, entriesMaximum: UInt64) -> ScenarioRecord {
    var lines = ["\(run)", ""] + FailureText.lines(run.run)
    guard let resolved = resolved(run) else {
      return ScenarioRecord(timeline: ScenarioResult.text(lines), trace: nil, pcapng: nil)
    }
    guard run.run.entries <= entriesMaximum else {
      lines.append("\(run.run.entries) entries are too many to be kept here: the command above writes them to files")
      return ScenarioRecord(timeline: ScenarioResult.text(lines), trace: nil, pcapng: nil)
    }
    let options = RunOptions(
      recordedHosts: Array(resolved.hosts.indices), watchedHost: 0, engine: engine.map { RunEngine(adding: $0) })
    let result = Run.perform(resolved, seed: Seed(run.seed), options: options)
    lines += ReportedText.lines(result, resolved)
    // A story is told by Rollcall's engine, which knows nothing of what another one thought.
    if engine == nil {
      lines += RunStory.tell(resolved, seed: run.seed, scenario: path).textLines(width: ScenarioRecord.columns)
    }
    let entries = result.trace.map { entry in TraceText.line(entry) { resolved.hosts[Int($0)].name } }
    return ScenarioRecord(
      timeline: ScenarioResult.text(lines), trace: ScenarioResult.text(entries),
      pcapng: CaptureExport.write(result, of: resolved, host: 0, scenario: path, seed: run.seed))
  }

  /// The point of the run, worked out; `nil`: it cannot be, and the run says why.
  private func resolved(_ run: ScenarioRun) -> Resolved? {
    let points = try? file.scenario.points(file: path)
    return try? points?.first { $0.values == run.run.point }?.scenario.resolved()
  }

  /// As people may see it: what a line quotes may come from a network.
  private static func text(_ lines: [String]) -> String {
    lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { PlainText.shown(String($0)) + "\n" }.joined()
  }
}
