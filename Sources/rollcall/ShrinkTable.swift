import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallReducing
import RollcallReporting
import RollcallRunning
import RollcallScenarios

/// `shrink --check`: a table of every fault that can be planted into the engine.
struct ShrinkTable {
  let command: ShrinkCommand

  func run() throws {
    let files = try Inputs.scenarios(command.paths)
    let candidates = ShrinkCheck.candidates(files)
    let faults = try command.fault.map { name -> [EngineSwitch] in
      guard let one = EngineSwitch(rawValue: name) else { throw Complaint("there is no switch '\(name)'") }
      return [one]
    }
    let written = faults ?? EngineSwitch.allCases
    try OutputClash.check(
      inputs: files.map(\.path),
      outputs: command.output.map { folder in
        (["SHRINKS.md"] + written.map { "\($0.rawValue).yaml" }).map { ("--output", folder + "/" + $0) }
      } ?? [])
    var lines = [
      "| fault | caught by | shrunk from | inhabitants | timeline | datagrams | nodes | seconds |",
      "|---|---|---|---|---|---|---|---|",
    ]
    let table = try Output(path: nil)
    for line in lines { table.line(line) }
    let progress = Progress("shrinking", inputs: written.count)
    defer { progress.end() }
    var small = 0
    for fault in written {
      progress.begin(fault.rawValue)
      let row = try shrink(fault, candidates)
      if row.isSmall { small += 1 }
      lines.append(row.line)
      table.line(row.line)
      table.flush()
    }
    table.line("\(small) of \(written.count) at most 10 inhabitants and 5 deeds")
    if let folder = command.output {
      let file = try Output(path: folder + "/SHRINKS.md")
      for line in lines { file.line(line) }
      try file.finish()
    }
  }

  private func shrink(_ fault: EngineSwitch, _ candidates: [ShrinkCheck.Candidate]) throws -> (
    line: String, isSmall: Bool
  ) {
    let catchers = ShrinkCheck.catchers(candidates, of: fault)
    // The largest ones, and of what is left of them the smallest.
    var best: (chosen: ShrinkCheck.Candidate, outcome: Shrinker.Outcome, took: Duration)?
    for chosen in catchers.prefix(ShrinkCheck.catchersMaximum) {
      let options = Shrinker.Options(
        seed: chosen.seed, fault: .engine(fault), isOver: ShrinkCommand.timer(command.budgetSeconds))
      let started = ContinuousClock.now
      guard var shrinker = try? Shrinker(chosen.scenario, options: options) else { continue }
      let outcome = shrinker.shrink()
      if best.map({ outcome.after.nodes < $0.outcome.after.nodes }) ?? true {
        best = (chosen, outcome, ContinuousClock.now - started)
      }
    }
    if let (chosen, outcome, took) = best {
      if let folder = command.output {
        let text = ShrinkText.yaml(outcome, of: chosen.path, seed: chosen.seed, point: chosen.point)
        let file = try Output(path: "\(folder)/\(fault.rawValue).yaml")
        file.document(text)
        try file.finish()
      }
      let seconds = String(format: "%.1f", took.seconds)
      let (before, after) = (outcome.before, outcome.after)
      let name = URL(fileURLWithPath: chosen.path).deletingPathExtension().lastPathComponent
      let deeds = "\(before.timeline) → \(after.timeline) | \(before.datagrams) → \(after.datagrams)"
      let line =
        "| \(fault.rawValue) | \(catchers.count) | \(name) | \(before.inhabitants) → \(after.inhabitants) | \(deeds) "
        + "| \(before.nodes) → \(after.nodes) | \(seconds)\(outcome.wasCut ? " (cut)" : "") |"
      return (line, after.inhabitants <= 10 && after.timeline <= 5)
    }
    return ("| \(fault.rawValue) | 0 | – | – | – | – | – | – |", false)
  }
}
