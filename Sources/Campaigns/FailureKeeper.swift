import Foundation
import RollcallPrimitives
import RollcallReducing
package import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace

/// Keeps failures of a campaign so that each can be looked at without it: in a folder of its own, the scenario as it was
/// run and as small as the failure allows, the capture and the trace of the small one, and the command that repeats it.
///
/// Which ones are kept, and what is in their files, follows from the results alone: the first runs of each failure. So it
/// makes no difference in how many parts the campaign was run.
package struct FailureKeeper {
  /// Failures that differ, and runs of each.
  package static let failuresMaximum = 20
  package static let runsOfEach = 2
  /// Smaller scenarios that are tried for one failure: a number, not a time, so that the smallest is always the same.
  private static let candidatesMaximum = 2_000

  private let campaign: Campaign
  private let folder: String

  /// - Parameter folder: of the campaign.
  package init(_ campaign: Campaign, in folder: String) {
    (self.campaign, self.folder) = (campaign, folder + (folder.hasSuffix("/") ? "" : "/"))
  }

  /// The runs to keep.
  /// - Parameter records: in the order of their keys.
  package static func chosen(_ records: [RunRecord]) -> [RunRecord] {
    var counts: [(failure: String, count: Int)] = []
    return records.filter { record in
      guard let failure = record.failure else { return false }
      if let place = counts.firstIndex(where: { $0.failure == failure }) {
        counts[place].count += 1
        return place < failuresMaximum && counts[place].count <= runsOfEach
      }
      counts.append((failure, 1))
      return counts.count <= failuresMaximum
    }
  }

  /// The name of the folder of a run.
  package static func name(of key: RunRecord.Key, isSwarm: Bool) -> String {
    isSwarm ? "seed-\(key.seed)" : "point-\(key.point)-seed-\(key.seed)"
  }

  /// The same with its place in the folder of the campaign.
  package static func folder(of key: RunRecord.Key, isSwarm: Bool) -> String {
    "failures/" + name(of: key, isSwarm: isSwarm)
  }

  /// Keeps what is to be kept and is not there yet.
  /// - Parameters:
  ///   - progress: called before each, with its number from 1 on and how many there are.
  ///   - isOver: asked before each.
  package func keep(
    _ records: [RunRecord], isOver: () -> Bool, progress: (Int, Int) -> Void
  ) throws(OutputFailure) {
    let chosen = FailureKeeper.chosen(records)
    for (number, record) in chosen.enumerated() {
      if isOver() { return }
      progress(number + 1, chosen.count)
      try keep(record)
    }
  }

  private func keep(_ record: RunRecord) throws(OutputFailure) {
    let key = record.key
    let place = folder + FailureKeeper.folder(of: key, isSwarm: campaign.isSwarm) + "/"
    // Written last of all: where it is, everything is.
    let command = place + "command"
    guard !FileManager.default.fileExists(atPath: command), var scenario = campaign.scenario(of: key) else { return }
    try Output.makeFolder(place)
    scenario.seeds = key.seed...key.seed
    try write(ScenarioPrinter().text(of: scenario), to: place + "as-run.yaml")
    let small = smallest(scenario, key.seed)
    try write(small.yaml, to: place + "scenario.yaml")
    if let resolved = try? small.scenario.resolved() {
      let options = RunOptions(recordedHosts: Array(resolved.hosts.indices), watchedHost: 0)
      let result = Run.perform(resolved, seed: Seed(key.seed), options: options)
      let capture = try Output(path: place + "run.pcapng")
      capture.bytes(CaptureExport.write(result, of: resolved, host: 0, scenario: "scenario.yaml", seed: key.seed))
      try capture.finish()
      let trace = try Output(path: place + "run.trace")
      for entry in result.trace { trace.line(TraceText.line(entry) { resolved.hosts[Int($0)].name }) }
      try trace.finish()
    }
    let found = PlainText.shown(record.failure ?? "")
    try write("# \(found)\nrollcall run scenario.yaml --seed \(key.seed)\n", to: command)
  }

  /// The scenario as small as the failure allows, and as a file; as it was run where it cannot be made smaller.
  private func smallest(_ scenario: Scenario, _ seed: UInt64) -> (scenario: Scenario, yaml: String) {
    var options = Shrinker.Options(seed: seed)
    options.candidatesMaximum = FailureKeeper.candidatesMaximum
    do throws(Shrinker.Problem) {
      var shrinker = try Shrinker(scenario, options: options)
      let outcome = shrinker.shrink()
      return (outcome.scenario, ShrinkText.yaml(outcome, of: "as-run.yaml", seed: seed))
    } catch {
      let printer = ScenarioPrinter(header: ["Not made smaller: \(error)."])
      return (scenario, printer.text(of: scenario))
    }
  }

  private func write(_ text: String, to path: String) throws(OutputFailure) {
    let file = try Output(path: path)
    file.document(text)
    try file.finish()
  }
}
