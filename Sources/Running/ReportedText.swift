import RollcallPrimitives
import RollcallReporting
package import RollcallScenarios
import RollcallTrace

/// What an engine reported in a run, for a person: of an engine that is not Rollcall's there is no other story.
package enum ReportedText {
  private static let reportsMaximum = 1_000

  package static func lines(_ result: RunResult, _ resolved: Resolved) -> [String] {
    let reports = result.evidence.reports.filter { if case .rejected = $0.report { false } else { true } }
    if reports.isEmpty { return ["", "The engine reported nothing."] }
    let names = resolved.peerNames
    var lines = ["", "What the engine reported:"]
    for one in reports.prefix(reportsMaximum) {
      lines.append("  \(one.time) \(ReportText.line(one.report, names: names))")
    }
    let rest = reports.count - reportsMaximum
    if rest > 0 { lines.append("  … and \(rest) more") }
    return lines
  }
}
