import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Synchronization
import Testing

@testable import RollcallCampaigns

/// What becomes of the runs of a campaign: how each is performed, when they are added, and what is kept of failures.
@Suite("Runs of campaigns")
struct CampaignRunnerTests {
  /// What was seen while a campaign was run.
  private final class Seen: Sendable {
    let asked = Mutex(0)
    let counts = Mutex<[Int]>([])
    let progress = Mutex<[String]>([])

    /// The number of the run that it is asked for, from 1.
    func ask() -> Int {
      asked.withLock { count in
        count += 1
        return count
      }
    }
  }

  private func campaign(_ yaml: String, _ seeds: ClosedRange<UInt64>) throws -> Campaign {
    let plan = try Scenario(yaml: yaml, file: "plan.yaml")
    return try Campaign(plan: plan, file: "plan.yaml", seeds: seeds, version: "test")
  }

  /// Nobody is there: a run of it takes no time.
  private static let empty = "scenario: S\nduration: 1s\n"

  // MARK: - One run

  private static let runs: [(yaml: String, record: String)] = [
    // From the search on, and not from what comes before it; of two expectations the second fails.
    (
      """
      duration: 6s
      network: {link: {latency: 1ms}}
      inhabitants: {tv: {kind: root-device, link: {outbound: {multicast-loss: 100%}}}}
      timeline: [{at: 500ms, update: tv}, {at: 1s, search: {target: "upnp:rootdevice"}}]
      expect: [{id: first, found: tv}, {id: second, lost: tv}]
      """, "failed, 1 of 1 after 1.999494835, no facts, second: it never happened"
    ),
    // Found twice, it counts once.
    (
      "duration: 10s\ninhabitants: {tv: {kind: root-device}}\ntimeline: [{at: 5s, reboot: tv}]",
      "vacuous, 1 of 1 after 0.016081799, found-again lost-by-goodbye, no failure"
    ),
    // Of some of them there is no time.
    (
      "duration: 3s\ninhabitants: {tv: {kind: root-device}, lamp: {kind: root-device, appear: never}}",
      "vacuous, 1 of 2 after never, no facts, no failure"
    ),
    ("duration: 1s", "vacuous, 0 of 0 after never, no facts, no failure"),
  ]

  @Test("a record says how many devices were found and when the last one was, what happened, and what failed")
  func records() throws {
    func words(_ record: RunRecord) -> String {
      let facts = record.facts.list.map(\.rawValue).joined(separator: " ")
      return "\(record.outcome.rawValue), \(record.found) of \(record.sought) after "
        + "\(record.foundAfter?.decimal ?? "never"), \(facts.isEmpty ? "no facts" : facts), "
        + (record.failure ?? "no failure")
    }
    let key = RunRecord.Key(point: 0, seed: 7)
    for one in Self.runs {
      let scenario = try Scenario(yaml: "scenario: S\n" + one.yaml, file: "run.yaml")
      expectEqual(words(try CampaignRun(scenario).record(key)), one.record)
    }
    let error = CampaignRun.record(key, error: "no room")
    expectEqual(words(error), "error, 0 of 0 after never, no facts, no room")
    expectEqual([error.entries, error.digest.state], [0, Digest().state])
  }

  // MARK: - Which runs

  @Test("the pilot of a swarm are its first seeds, and shards take turns with the others")
  func keys() {
    let campaign = Campaign(swarm: 5...12, version: "test")
    // Nothing is rare: every seed stays as it is drawn.
    let steering = Steering(pilot: [Facts(bits: .max)])
    func words(_ keys: [RunRecord.Key]) -> String {
      keys.map { "\($0.point)/\($0.seed)" }.joined(separator: " ")
    }
    expectEqual(words(campaign.pilotKeys), "0/5 0/6")
    expectEqual(words(campaign.keys(ofShard: (1, 2), steering)), "0/7 0/9 0/11")
    expectEqual(words(campaign.keys(ofShard: (2, 2), steering)), "0/8 0/10 0/12")
    expectEqual(CampaignRunner.Options().jobs, 1)
  }

  // MARK: - Adding

  @Test("256 runs are added together; what cannot be added ends the campaign, and none of them is there")
  func batches() throws {
    let campaign = try campaign(Self.empty, 1...300)
    try CampaignTests.withStore(of: campaign) { store in
      let seen = Seen()
      var options = CampaignRunner.Options()
      options.addsAfterNanoseconds = .max
      options.isOver = {
        if [1, 2, 256, 257, 300].contains(seen.ask()) {
          let count = (try? store.records().count) ?? -1
          seen.counts.withLock { $0.append(count) }
        }
        return false
      }
      let runner = CampaignRunner(campaign, in: store, options) { done, total in
        seen.progress.withLock { $0.append("\(done) of \(total)") }
      }
      expectEqual(runner.isDone, false)
      try runner.run()
      expectEqual(seen.counts.withLock { $0 }, [0, 0, 0, 256, 256])
      expectEqual(seen.progress.withLock { $0 }, (1...300).map { "\($0) of 300" })
      expectEqual(try store.records().count, 300)
      expectEqual(runner.isDone, true)
    }
    try CampaignTests.withStore(of: campaign) { store in
      // Another process adds something else for a run that is done and waits.
      let key = RunRecord.Key(point: 0, seed: 5)
      let other = RunRecord(key: key, outcome: .failed, digest: Digest(), entries: 0)
      let seen = Seen()
      var options = CampaignRunner.Options()
      options.addsAfterNanoseconds = .max
      options.isOver = {
        if seen.ask() == 10 { try? store.add([other]) }
        return false
      }
      let runner = CampaignRunner(campaign, in: store, options)
      #expect(throws: CampaignStoreError.contradiction(path: store.path, point: 0, seed: 5)) { try runner.run() }
      expectEqual(runner.performedCount, 256)
      expectEqual(try store.records(), [other])
    }
  }

  @Test("a campaign that is over goes on later, unless its first run comes to something else today")
  func goesOn() throws {
    let campaign = try campaign(Self.empty, 1...5)
    func run(_ store: CampaignStore, _ options: CampaignRunner.Options = CampaignRunner.Options()) throws -> String {
      let runner = CampaignRunner(campaign, in: store, options)
      try runner.run()
      return "\(runner.performedCount) performed, \(runner.doneCount) done, \(runner.isDone)"
    }
    var records: [RunRecord] = []
    try CampaignTests.withStore(of: campaign) { store in
      let seen = Seen()
      var options = CampaignRunner.Options()
      options.isOver = { seen.ask() == 4 }
      expectEqual(try run(store, options), "3 performed, 3 done, false")
      expectEqual(try run(store), "2 performed, 5 done, true")
      records = try store.records()
    }
    expectEqual(records.map(\.key.seed), [1, 2, 3, 4, 5])
    var (first, last) = (records[0], records[4])
    first.entries += 1
    last.entries += 1
    try CampaignTests.withStore(of: campaign) { store in
      try store.add([records[0], last])
      expectEqual(try run(store), "3 performed, 5 done, true")
    }
    try CampaignTests.withStore(of: campaign) { store in
      try store.add([first, records[4]])
      #expect(throws: CampaignStoreError.contradiction(path: store.path, point: 0, seed: 1)) { _ = try run(store) }
    }
  }

  // MARK: - Failures

  @Test("a failure is kept with its scenario as run and as small as it is, its capture, its trace and its command")
  func keeps() throws {
    let campaign = try campaign(
      "scenario: S\nduration: 2s\ninhabitants: {tv: {kind: root-device}}\nexpect: [{id: gone, lost: tv}]\n", 7...8)
    let records = campaign.identity.seeds.map { seed -> RunRecord in
      let key = RunRecord.Key(point: 0, seed: seed)
      var record = RunRecord(key: key, outcome: .failed, digest: Digest(), entries: 1)
      record.failure = "gone: it never happened"
      return record
    }
    try Places.withTemporaryFolder { folder in
      func file(_ seed: UInt64, _ name: String) -> URL {
        folder.appendingPathComponent("failures/point-0-seed-\(seed)/\(name)")
      }
      func text(_ seed: UInt64, _ name: String) throws -> String {
        try String(contentsOf: file(seed, name), encoding: .utf8)
      }
      var progress: [String] = []
      // Over after the first, and then once more, in the same folder by its other name.
      var asked = 0
      try FailureKeeper(campaign, in: folder.path).keep(
        records,
        isOver: {
          asked += 1
          return asked > 1
        }, progress: { progress.append("\($0) of \($1)") })
      expectEqual(progress, ["1 of 2"])
      let scenario = """
        scenario: S
        seed: 7
        duration: 2s
        inhabitants:
          tv: {kind: root-device}

        """
      expectEqual(try text(7, "as-run.yaml"), scenario + "expect: [{id: gone, lost: tv}]\n")
      let small = try text(7, "scenario.yaml")
      expectEqual(
        small,
        "# Shrunk from as-run.yaml, seed 7.\n" + scenario
          + "# Fails: expected lost of tv, 1..×, from 0.000000000 to 2.000000000; found it never happened.\n"
          + "expect: [{lost: tv}]\n")
      expectEqual(
        try text(7, "command"), "# gone: it never happened\nrollcall run scenario.yaml --seed 7\n")
      let resolved = try Scenario(yaml: small, file: "scenario.yaml").resolved()
      let result = Run.perform(
        resolved, seed: Seed(7), options: RunOptions(recordedHosts: [0, 1], watchedHost: 0))
      let capture = CaptureExport.write(result, of: resolved, host: 0, scenario: "scenario.yaml", seed: 7)
      expectEqual([UInt8](try Data(contentsOf: file(7, "run.pcapng"))), capture)
      let lines = result.trace.map { entry in TraceText.line(entry) { resolved.hosts[Int($0)].name } }
      expectEqual(try text(7, "run.trace"), lines.map { $0 + "\n" }.joined())
      // What is there stays as it is.
      try Data("mine".utf8).write(to: file(7, "scenario.yaml"))
      try FailureKeeper(campaign, in: folder.path + "/").keep(
        records, isOver: { false }, progress: { progress.append("\($0) of \($1)") })
      expectEqual(progress, ["1 of 2", "1 of 2", "2 of 2"])
      expectEqual(try text(7, "scenario.yaml"), "mine")
      expectEqual(
        try text(8, "command"), "# gone: it never happened\nrollcall run scenario.yaml --seed 8\n")
    }
  }
}
