import RollcallDiscovery
package import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
package import RollcallScenarios
import RollcallTrace

/// Report for report: what the engine says of a scenario against what it says of the capture.
package struct ReportComparison: Sendable {
  /// Times may differ by this much.
  package static let tolerance = Interval.milliseconds(20)

  package var expectedCount: Int
  package var foundCount: Int
  /// The first report that differs, in words; `nil`: none does.
  package var difference: String?
  /// The largest difference of times among the reports that match.
  package var worst = Interval.zero

  package var isEqual: Bool { difference == nil }

  /// - Parameters:
  ///   - offset: what has to be added to a time of `found` to compare it with one of `expected`.
  package init(expected: [TapedReport], found: [TapedReport], offset: Interval) {
    expectedCount = expected.count
    foundCount = found.count
    for index in 0..<max(expected.count, found.count) {
      guard index < expected.count else {
        difference = "report \(index + 1) is one too many: \(ReportText.line(found[index].report))"
        return
      }
      guard index < found.count else {
        difference = "report \(index + 1) is missing: \(ReportText.line(expected[index].report))"
        return
      }
      let off = found[index].time + offset - expected[index].time
      if expected[index].written != found[index].written {
        difference =
          "report \(index + 1) is \(ReportText.line(found[index].report)), and was \(ReportText.line(expected[index].report))"
        return
      }
      worst = max(worst, max(off, .zero - off))
      if worst > ReportComparison.tolerance {
        difference =
          "report \(index + 1) comes \(off.decimal) s off its time: \(ReportText.line(expected[index].report))"
        return
      }
    }
  }
}

/// What the engine says in a scenario.
package struct ScenarioReports: Sendable {
  package var reports: [TapedReport]
  /// What it heard and sent, as a capture.
  package var pcapng: [UInt8]
  /// The engine that it ran with.
  var engine: EngineConfiguration

  /// Runs a scenario under its first seed and records it.
  package static func run(_ scenario: Scenario) throws -> ScenarioReports {
    let resolved = try scenario.resolved()
    let seed = scenario.seeds.lowerBound
    // Messages of membership give the file frames where nothing else does.
    let result = Run.perform(resolved, seed: Seed(seed), options: RunOptions(recordedHosts: [0], watchedHost: 0))
    let reports = result.evidence.reports.compactMap { entry -> TapedReport? in
      if case .rejected = entry.report { return nil }
      return TapedReport(time: entry.time, report: entry.report)
    }
    let bytes = CaptureExport.write(result, of: resolved, host: 0, scenario: scenario.title, seed: seed)
    return ScenarioReports(reports: reports, pcapng: bytes, engine: scenario.engine.configuration)
  }

  /// What a replay of the recorded run says: it has to be the same again.
  package func replayed() -> [TapedReport] {
    guard var reader = CaptureBytes.reader(pcapng) else { return [] }
    var list: [TapedReport] = []
    var options = ReplayOptions(perspective: .host("engine"), wantsMessages: false)
    options.engine.browse = engine.browse
    options.engine.asksForServices = engine.asksForServices
    var replay = Replay(options: options) { event in
      if case .report(let report, let time, _) = event { list.append(TapedReport(time: time, report: report)) }
    }
    replay.run(&reader)
    return list
  }
}
