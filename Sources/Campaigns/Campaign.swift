import RollcallPrimitives
package import RollcallScenarios

/// A campaign: many runs whose results are kept, so that it can be ended, resumed, and put together from parts.
package struct Campaign: Sendable {
  package let identity: CampaignIdentity
  /// Those of the sweep of its scenario; none where each seed draws a scenario of its own.
  package let points: [Point]
  /// What reports call it.
  package let title: String

  /// Scenarios that are drawn from their seeds.
  package init(swarm seeds: ClosedRange<UInt64>, version: String) {
    (identity, points, title) = (CampaignIdentity(.swarm, seeds: seeds, version: version), [], "swarm")
  }

  /// All points of a scenario under all seeds.
  /// - Parameters:
  ///   - file: stands in front of every error.
  ///   - seeds: `nil`: those of the scenario.
  package init(
    plan: Scenario, file: String, seeds: ClosedRange<UInt64>?, version: String
  ) throws(ScenarioErrors) {
    points = try plan.points(file: file)
    title = plan.title
    // The seeds are those of the campaign, whatever stands in the file.
    var named = plan
    named.seeds = 1...1
    identity = CampaignIdentity(.plan(yaml: named.yaml), seeds: seeds ?? plan.seeds, version: version)
  }

  /// The campaign that results are of.
  package init(_ identity: CampaignIdentity) throws(ScenarioErrors) {
    switch identity.kind {
    case .swarm: self.init(swarm: identity.seeds, version: identity.version)
    case .plan(let yaml):
      let file = "the scenario of the campaign"
      try self.init(
        plan: try Scenario(yaml: yaml, file: file), file: file, seeds: identity.seeds, version: identity.version)
    }
  }

  package var isSwarm: Bool { identity.kind == .swarm }
  package var seedCount: Int { identity.seeds.count }
  package var runCount: Int { max(1, points.count) * seedCount }
  /// So many of its first seeds are run as they are drawn, by every shard.
  var pilotCount: Int { isSwarm ? Int(Steering.pilotCount(of: UInt64(seedCount))) : 0 }

  /// So many runs a shard has, those of the pilot included.
  /// - Parameter shard: `index` from 1 to `count`.
  package func runCount(ofShard shard: (index: Int, count: Int)) -> Int { pilotCount + numbers(of: shard).count }

  /// Evenly dealt out, whatever the number of shards; all together are all.
  private func numbers(of shard: (index: Int, count: Int)) -> [Int] {
    stride(from: shard.index - 1, to: runCount, by: shard.count).filter { $0 >= pilotCount }
  }

  /// The runs of a shard beside those of the pilot, in their order.
  /// - Parameter steering: from the pilot; it says nothing where each point has all seeds.
  func keys(ofShard shard: (index: Int, count: Int), _ steering: Steering) -> [RunRecord.Key] {
    numbers(of: shard).map { number in
      let seed = identity.seeds.lowerBound + UInt64(number % seedCount)
      return isSwarm
        ? RunRecord.Key(point: 0, seed: steering.drawing(of: seed).value)
        : RunRecord.Key(point: number / seedCount, seed: seed)
    }
  }

  /// The runs of the pilot.
  var pilotKeys: [RunRecord.Key] {
    (0..<pilotCount).map { RunRecord.Key(point: 0, seed: identity.seeds.lowerBound + UInt64($0)) }
  }

  /// The scenario of a run.
  package func scenario(of key: RunRecord.Key) -> Scenario? {
    if isSwarm { return Swarm.scenario(DrawnSeed(key.seed)) }
    return points.indices.contains(key.point) ? points[key.point].scenario : nil
  }
}
