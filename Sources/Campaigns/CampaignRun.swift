import RollcallPrimitives
import RollcallReducing
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import RollcallTrace

/// A scenario of a campaign, ready to be run under any seed.
struct CampaignRun {
  private let resolved: Resolved
  /// The number of a device, by each of its names.
  private var numbers: [DeviceName: Int] = [:]
  /// From when on the time to found counts.
  private let origin: Instant

  /// - Throws: `ScenarioErrors` where it cannot be worked out.
  init(_ scenario: Scenario) throws(ScenarioErrors) {
    resolved = try scenario.resolved()
    for (number, device) in resolved.devices.enumerated() {
      for identity in device.identities { numbers[DeviceName(identity)] = number }
    }
    let search = resolved.commands.first { command in
      if case .search = command.command { command.host == 0 } else { false }
    }
    origin = search?.at ?? .zero
  }

  /// Runs it, and finds out what is worth keeping.
  func record(_ key: RunRecord.Key) -> RunRecord {
    let result = Run.perform(resolved, seed: Seed(key.seed), options: RunOptions(recordedHosts: [0]))
    var record = RunRecord(key: key, outcome: result.outcome, digest: result.digest, entries: result.entries)
    record.facts = FactFinder.facts(of: result, in: resolved)
    record.failure = failure(of: result)
    record.sought = resolved.devices.count
    var isFound = [Bool](repeating: false, count: resolved.devices.count)
    for entry in result.evidence.reports where entry.station == 0 {
      guard case .found(let sighting) = entry.report, let number = numbers[DeviceName(sighting.device)],
        !isFound[number]
      else { continue }
      isFound[number] = true
      record.found += 1
      record.foundAfter = max(.zero, entry.time - origin)
    }
    // Of some of them it says nothing.
    if !record.hasFoundAll { record.foundAfter = nil }
    return record
  }

  /// What is not as it should be: the expectation and the manner in which it failed, the same for all runs in which the
  /// same went wrong.
  private func failure(of result: RunResult) -> String? {
    if let budget = result.reachedBudget { return budget }
    for (position, id) in resolved.expectations.map(\.id).enumerated() {
      guard let verdict = result.verdicts.first(where: { $0.id == id }), verdict.isBad else { continue }
      let expectation = resolved.scenario.expectations[position]
      let kind = FailureKind(verdict, expectation, position: position, result.evidence)
      return "\(id): \(kind?.manner.rawValue ?? verdict.outcome.rawValue)"
    }
    return nil
  }

  /// A run that could not be performed at all.
  static func record(_ key: RunRecord.Key, error: String) -> RunRecord {
    var record = RunRecord(key: key, outcome: .error, digest: Digest(), entries: 0)
    record.failure = error
    return record
  }
}
