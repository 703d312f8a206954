import Foundation
import RollcallCampaigns
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

@Suite("Campaigns and their results")
struct CampaignTests {
  static func withStore(of campaign: Campaign, _ body: (CampaignStore) throws -> Void) throws {
    try Places.withTemporaryFolder { folder in
      try body(try CampaignStore.open(in: folder.path, of: campaign.identity))
    }
  }

  private func swarm(_ seeds: ClosedRange<UInt64>) -> Campaign { Campaign(swarm: seeds, version: "test") }

  private func perform(
    _ campaign: Campaign, in store: CampaignStore, shard: (index: Int, count: Int) = (1, 1), budget: Int? = nil
  ) throws -> CampaignRunner {
    var options = CampaignRunner.Options()
    (options.jobs, options.shard, options.budget) = (2, shard, budget)
    let runner = CampaignRunner(campaign, in: store, options)
    try runner.run()
    return runner
  }

  /// What all of it comes to.
  private func report(_ campaign: Campaign, _ store: CampaignStore) throws -> [String] {
    let report = CampaignReport(campaign, try store.records())
    return report.textLines + report.jsonLines
  }

  @Test("one process, three shards that are merged, and a campaign that was ended twice come to the same")
  func shards() throws {
    let campaign = swarm(101...124)
    var whole: [String] = []
    try CampaignTests.withStore(of: campaign) { store in
      expectEqual(try perform(campaign, in: store).performedCount, 24)
      whole = try report(campaign, store)
      #expect(whole[1] == "runs      24 passed, 0 failed", "\(whole)")
    }
    try CampaignTests.withStore(of: campaign) { merged in
      for index in [3, 1, 2] {
        try CampaignTests.withStore(of: campaign) { part in
          let runner = try perform(campaign, in: part, shard: (index, 3))
          // Each performs the pilot of six, and a third of the rest.
          expectEqual(runner.performedCount, 12)
          try merged.add(try part.records())
        }
      }
      try expectEqual(report(campaign, merged), whole)
    }
    try CampaignTests.withStore(of: campaign) { store in
      expectEqual(try perform(campaign, in: store, budget: 4).performedCount, 4)
      expectEqual(try perform(campaign, in: store, budget: 9).performedCount, 9)
      let last = try perform(campaign, in: store)
      expectEqual(last.performedCount, 11)
      expectEqual(last.doneCount, 24)
      try expectEqual(report(campaign, store), whole)
      // Nothing is left to do.
      expectEqual(try perform(campaign, in: store).performedCount, 0)
    }
  }

  @Test("shards of a sweep have every point and seed once between them")
  func sweepShards() throws {
    let plan = try Scenario(yaml: CurveTests.plan, file: "plan.yaml")
    let campaign = try Campaign(plan: plan, file: "plan.yaml", seeds: 1...5, version: "test")
    expectEqual(campaign.runCount, 30)
    expectEqual((1...4).map { campaign.runCount(ofShard: ($0, 4)) }, [8, 8, 7, 7])
    try CampaignTests.withStore(of: campaign) { store in
      for index in 1...4 { _ = try perform(campaign, in: store, shard: (index, 4)) }
      expectEqual(
        try store.records().map(\.key),
        (0..<6).flatMap { point in (1...5).map { RunRecord.Key(point: point, seed: $0) } })
    }
  }

  @Test("a record reads back as it was added, whatever its seed is")
  func records() throws {
    var first = RunRecord(key: RunRecord.Key(point: 2, seed: .max), outcome: .failed, digest: Digest(), entries: .max)
    first.facts = [.foundAgain, .segmentLost]
    (first.sought, first.found) = (3, 2)
    first.failure = "e1: too late 'x'"
    var second = RunRecord(key: RunRecord.Key(point: 2, seed: 0), outcome: .vacuous, digest: Digest(), entries: 0)
    second.foundAfter = .milliseconds(1_500)
    try CampaignTests.withStore(of: swarm(1...2)) { store in
      try store.add([first, second])
      try expectEqual(store.records(), [second, first])
      // The same once more is no news; something else is.
      try store.add([first])
      first.entries = 1
      let contradiction = CampaignStoreError.contradiction(path: store.path, point: 2, seed: .max)
      #expect(throws: contradiction) { try store.add([first]) }
      try expectEqual(store.records().count, 2)
    }
  }

  @Test("results say which campaign they are of, and take no others")
  func identities() throws {
    try Places.withTemporaryFolder { folder in
      let plan = try Scenario(yaml: CurveTests.plan, file: "plan.yaml")
      let campaign = try Campaign(plan: plan, file: "plan.yaml", seeds: nil, version: "test")
      _ = try CampaignStore.open(in: folder.path, of: campaign.identity)
      let identity = try CampaignStore.read(in: folder.path).identity()
      expectEqual(identity, campaign.identity)
      expectEqual(try Campaign(identity).points, campaign.points)
      func difference(_ other: Campaign) -> String {
        do {
          _ = try CampaignStore.open(in: folder.path, of: other.identity)
          return "none"
        } catch { return error.description.replacing(folder.path, with: "F") }
      }
      let start = "F/results.sqlite: results of another campaign: "
      let end = "; nothing was changed: name another folder"
      expectEqual(difference(swarm(1...1)), start + "expected kind swarm, found plan" + end)
      let more = try Campaign(plan: plan, file: "plan.yaml", seeds: 1...2, version: "test")
      expectEqual(difference(more), start + "expected seeds 1..2, found 1..1" + end)
      let louder = try Scenario(yaml: CurveTests.plan.replacing("12s", with: "13s"), file: "plan.yaml")
      let another = try Campaign(plan: louder, file: "plan.yaml", seeds: nil, version: "test")
      expectEqual(difference(another), start + "of another scenario" + end)
      let newer = try Campaign(plan: plan, file: "plan.yaml", seeds: nil, version: "next")
      expectEqual(difference(newer), start + "expected version next, found test" + end)
    }
  }

  @Test("what is no file of results is refused, and not changed")
  func foreign() throws {
    try Places.withTemporaryFolder { folder in
      #expect(throws: CampaignStoreError.missing(path: folder.path + "/results.sqlite")) {
        try CampaignStore.read(in: folder.path)
      }
      let file = folder.appendingPathComponent("results.sqlite")
      let bytes = Data(String(repeating: "no database at all\n", count: 300).utf8)
      try bytes.write(to: file)
      #expect(throws: CampaignStoreError.foreign(path: file.path, found: "no database")) {
        try CampaignStore.open(in: folder.path, of: swarm(1...1).identity)
      }
      try expectEqual(Data(contentsOf: file), bytes)
      // What a process left that was killed at its start.
      try Data().write(to: file)
      let store = try CampaignStore.open(in: folder.path, of: swarm(1...1).identity)
      try expectEqual(store.records(), [])
    }
  }

  @Test("a campaign does not go on where its first run comes to something else today")
  func probe() throws {
    let campaign = swarm(1...4)
    try CampaignTests.withStore(of: campaign) { store in
      try store.add([RunRecord(key: RunRecord.Key(point: 0, seed: 1), outcome: .passed, digest: Digest(), entries: 7)])
      #expect(throws: CampaignStoreError.contradiction(path: store.path, point: 0, seed: 1)) {
        _ = try perform(campaign, in: store)
      }
    }
  }

  @Test("of each failure the first runs are kept, and not more than there is room for")
  func chosen() {
    let records = (0..<200).map { number -> RunRecord in
      let key = RunRecord.Key(point: 0, seed: UInt64(number))
      var record = RunRecord(key: key, outcome: .failed, digest: Digest(), entries: 0)
      record.failure = number % 5 == 0 ? nil : number % 5 < 4 ? "often" : "rare \(number)"
      return record
    }
    let chosen = FailureKeeper.chosen(records)
    expectEqual(chosen.prefix(4).map(\.key.seed), [1, 2, 4, 9])
    expectEqual(Set(chosen.compactMap(\.failure)).count, FailureKeeper.failuresMaximum)
    // The same from any number of shards.
    let merged = (0..<7).flatMap { shard in FailureKeeper.chosen(records.filter { Int($0.key.seed) % 7 == shard }) }
    expectEqual(FailureKeeper.chosen(merged.sorted { $0.key < $1.key }), chosen)
  }
}
