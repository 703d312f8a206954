package import RollcallDiscovery
import RollcallPrimitives
package import RollcallRunning
package import RollcallScenarios

/// Every fault that can be planted into the engine against all scenarios: who catches it, and how small it gets.
package enum ShrinkCheck {
  /// The most scenarios that are shrunk for one fault, the largest first.
  package static let catchersMaximum = 3

  /// A scenario at one of its points under one seed, ready to be run with many faults.
  package struct Candidate: Sendable {
    package var path: String
    package var scenario: Scenario
    package var point: [Point.Value]
    package var seed: UInt64
    package var size: ScenarioSize
    /// Those expectations hold without a fault.
    var holds: [String]
    package var entries: UInt64
  }

  /// The first point and seed of each scenario that passes.
  package static func candidates(_ files: [ScenarioFile]) -> [Candidate] {
    files.compactMap { file in
      guard let point = try? file.scenario.points(file: file.path).first, let resolved = try? point.scenario.resolved()
      else { return nil }
      var scenario = point.scenario
      let seed = scenario.seeds.lowerBound
      scenario.seeds = seed...seed
      let result = Run.perform(resolved, seed: Seed(seed))
      return Candidate(
        path: file.path, scenario: scenario, point: point.values, seed: seed, size: ScenarioSize(scenario),
        holds: result.verdicts.filter { $0.outcome == .held }.map(\.id), entries: result.entries)
    }
  }

  /// Those that fail with the fault, the largest first.
  package static func catchers(_ candidates: [Candidate], of fault: EngineSwitch) -> [Candidate] {
    let failing = candidates.filter { candidate in
      guard let resolved = try? candidate.scenario.resolved() else { return false }
      let result = Run.perform(resolved, seed: Seed(candidate.seed), options: RunOptions(switches: [fault]))
      return result.verdicts.contains { $0.outcome == .violated && candidate.holds.contains($0.id) }
    }
    return failing.enumerated().sorted { left, right in
      let (a, b) = (left.element.size, right.element.size)
      return (b.nodes, left.offset) < (a.nodes, right.offset)
    }.map(\.element)
  }
}
