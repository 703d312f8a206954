import Foundation
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Synchronization

/// Performs the runs of a campaign that are missing, and adds them to its results.
package final class CampaignRunner: @unchecked Sendable {
  package struct Options: Sendable {
    /// Runs at a time.
    package var jobs = 1
    /// Shard `index` of `count`, from 1.
    package var shard: (index: Int, count: Int) = (1, 1)
    /// So many runs are performed at most; `nil`: all that are missing.
    package var budget: Int?
    /// Asked before each run: no more are begun once it says so.
    package var isOver: @Sendable () -> Bool = { false }
    /// The first of the runs that are added to the results together waits at most so long.
    var addsAfterNanoseconds: UInt64 = 1_000_000_000

    package init() {}
  }

  /// Runs that are added to the results together.
  private static let batchCount = 256

  private let campaign: Campaign
  private let store: CampaignStore
  private let options: Options
  private let progress: @Sendable (_ done: Int, _ total: Int) -> Void
  private let total: Int
  /// Runs of the shard that are there.
  package private(set) var doneCount = 0
  /// Whether nothing is missing of the shard.
  package var isDone: Bool { doneCount == total }
  /// What is there, by its key.
  private var known: [RunRecord.Key: RunRecord] = [:]
  private var budget: Int
  private var batch: [RunRecord] = []
  /// When runs were last added, and at first when it was made.
  private var addedAt = DispatchTime.now().uptimeNanoseconds
  private var failure: CampaignStoreError?
  private let hasFailed = Atomic(false)
  /// Those that this call performed.
  package private(set) var performedCount = 0

  /// - Parameter progress: called after each run, one at a time, with the runs of the shard that are done, and all of them.
  package init(
    _ campaign: Campaign, in store: CampaignStore, _ options: Options,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) {
    (self.campaign, self.store, self.options, self.progress) = (campaign, store, options, progress)
    total = campaign.runCount(ofShard: options.shard)
    budget = options.budget ?? .max
  }

  /// Returns when nothing is missing of the shard, the budget is used up, or `isOver` says so.
  /// - Throws: what keeps results from being added; `contradiction` where a run that is there comes to something else today.
  package func run() throws(CampaignStoreError) {
    let records = try store.records()
    for record in records { known[record.key] = record }
    if let first = records.first, worker([first.key])(0) != first {
      throw .contradiction(path: store.path, point: first.key.point, seed: first.key.seed)
    }
    let pilot = campaign.pilotKeys
    try perform(pilot)
    guard pilot.allSatisfy({ known[$0] != nil }) else { return }
    let steering = Steering(pilot: pilot.compactMap { known[$0]?.facts })
    try perform(campaign.keys(ofShard: options.shard, steering))
  }

  /// Performs those of these runs that are not there.
  private func perform(_ keys: [RunRecord.Key]) throws(CampaignStoreError) {
    let absent = keys.filter { known[$0] == nil }
    doneCount += keys.count - absent.count
    let missing = Array(absent.prefix(budget))
    budget -= missing.count
    OrderedTasks<RunRecord>.run(
      missing.count, jobs: options.jobs,
      isOver: { [self] in options.isOver() || hasFailed.load(ordering: .relaxed) },
      worker: { [self] in worker(missing) },
      each: { [self] in take($0) })
    addBatch()
    if let failure { throw failure }
  }

  /// What performs runs on one thread; a scenario is worked out once for all seeds that follow each other.
  private func worker(_ keys: [RunRecord.Key]) -> (Int) -> RunRecord {
    var prepared: (point: Int, run: CampaignRun)?
    return { [campaign] number in
      let key = keys[number]
      if !campaign.isSwarm, let prepared, prepared.point == key.point { return prepared.run.record(key) }
      guard let scenario = campaign.scenario(of: key) else {
        return CampaignRun.record(key, error: "the scenario has no such point")
      }
      do throws(ScenarioErrors) {
        let run = try CampaignRun(scenario)
        prepared = (key.point, run)
        return run.record(key)
      } catch {
        return CampaignRun.record(key, error: error.description)
      }
    }
  }

  private func take(_ record: RunRecord) {
    known[record.key] = record
    performedCount += 1
    doneCount += 1
    batch.append(record)
    let now = DispatchTime.now().uptimeNanoseconds
    if batch.count >= CampaignRunner.batchCount || now - addedAt > options.addsAfterNanoseconds { addBatch() }
    progress(doneCount, total)
  }

  /// Adds what is waiting. Once something could not be added, no more is.
  private func addBatch() {
    guard failure == nil else { return }
    do throws(CampaignStoreError) {
      try store.add(batch)
      batch = []
      addedAt = DispatchTime.now().uptimeNanoseconds
    } catch {
      failure = error
      hasFailed.store(true, ordering: .relaxed)
    }
  }
}
