import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

@testable import RollcallCampaigns

/// What a campaign counts, keeps and says, at its bounds.
@Suite("Campaigns at their bounds")
struct CampaignBoundTests {
  private func record(_ seed: UInt64, point: Int = 0) -> RunRecord {
    RunRecord(key: RunRecord.Key(point: point, seed: seed), outcome: .passed, digest: Digest(), entries: 1)
  }

  /// Blanks between columns are one.
  private func words(_ line: String) -> String { line.split(separator: " ").joined(separator: " ") }

  // MARK: - Records

  @Test("the digest of results is another where anything of a run is, or their order; points stand before seeds")
  func digests() {
    var base = record(2, point: 1)
    (base.sought, base.found, base.foundAfter) = (4, 5, .seconds(6))
    let changes: [(inout RunRecord) -> Void] = [
      { $0.key.point = 2 }, { $0.key.seed = 3 }, { $0.outcome = .failed }, { $0.digest.combine(1) },
      { $0.entries = 2 }, { $0.sought = 5 }, { $0.found = 4 }, { $0.foundAfter = nil }, { $0.foundAfter = .zero },
      { $0.facts = [.foundAgain] }, { $0.failure = "x" }, { $0.failure = "y" },
    ]
    var states: Set<UInt64> = [RunRecord.digest(of: [base]).state, RunRecord.digest(of: [RunRecord]()).state]
    for change in changes {
      var other = base
      change(&other)
      states.insert(RunRecord.digest(of: [other]).state)
    }
    let next = record(3)
    for list in [[base, next], [next, base], [base, base]] { states.insert(RunRecord.digest(of: list).state) }
    expectEqual(states.count, changes.count + 5)
    let keys: [RunRecord.Key] = [
      RunRecord.Key(point: 1, seed: 0), RunRecord.Key(point: 0, seed: .max), RunRecord.Key(point: 0, seed: 9),
      RunRecord.Key(point: 1, seed: 10),
    ]
    expectEqual(keys.sorted().map { "\($0.point) \($0.seed)" }, ["0 9", "0 \(UInt64.max)", "1 0", "1 10"])
    expectEqual(keys[0] < keys[0], false)
    expectEqual(record(1).sought, 0)
  }

  // MARK: - The report

  /// Each of so many seeds failed in a way of its own, two in the first way, too, and one passed.
  private func report(_ failures: UInt64) -> CampaignReport {
    var records = (1...failures + 3).map { record($0) }
    for place in records.indices.dropLast() {
      records[place].failure = place < Int(failures) ? "f\(place + 1)" : "f1"
      records[place].outcome = .failed
    }
    records[1].facts = [.foundAgain]
    records[4].facts = [.foundAgain, .segmentLost]
    return CampaignReport(Campaign(swarm: 1...30, version: "test"), records)
  }

  @Test("twenty failures are shown and kept, two runs of each, in the order of their first runs; the rest is counted")
  func failures() {
    let report = report(22)
    expectEqual(
      Array(report.textLines.prefix(2)),
      ["campaign  swarm, seeds 1..30", "runs      1 passed, 24 failed, 5 of 30 are missing"])
    expectEqual([report.failedCount, report.missingCount, report.runCount], [24, 5, 25])
    let shown = report.textLines.drop { $0 != "failures" }
    expectEqual(shown.count, 22)
    expectEqual(
      Array(shown.prefix(3)), ["failures", "  f1: 3 runs, first seed-1", "  f2: 1 run, first seed-2"])
    expectEqual(Array(shown.suffix(2)), ["  f20: 1 run, first seed-20", "  and 2 others"])
    expectEqual(self.report(21).textLines.last, "  and 1 other")
    expectEqual(self.report(20).textLines.last, "  f20: 1 run, first seed-20")
    expectEqual(report.failures.map(\.count), [3] + [Int](repeating: 1, count: 21))
    expectEqual(report.failures[0].kept.map(\.seed), [1, 23])
    expectEqual(report.failures.map(\.kept.count), [2] + [Int](repeating: 1, count: 19) + [0, 0])
    expectEqual(self.report(26).countsText, "1 passed, 28 failed, 1 of 30 are missing")
    // The second run of the twentieth failure is kept, its third is not, and none of the one behind it.
    let names: [String] = (1...21).map { "f\($0)" } + ["f20", "f21", "f20"]
    let records = names.enumerated().map { number, name -> RunRecord in
      var one = record(UInt64(number + 1))
      one.failure = name
      return one
    }
    let kept: [UInt64] = Array(1...20) + [22]
    expectEqual(FailureKeeper.chosen(records).map(\.key.seed), kept)
    let key = RunRecord.Key(point: 3, seed: 5)
    expectEqual(FailureKeeper.folder(of: key, isSwarm: false), "failures/point-3-seed-5")
    expectEqual(FailureKeeper.folder(of: key, isSwarm: true), "failures/seed-5")
  }

  @Test("each fact has its count, its share and its first run, and lines of JSON say the same")
  func facts() {
    let report = report(22)
    let lines = report.textLines.map { words($0) }
    #expect(lines.contains("found-again 2 8.0 % a device that was lost is found again"))
    #expect(lines.contains("stream-segment-lost 1 4.0 % a segment of a stream is lost, and sent again"))
    #expect(lines.contains("lost-by-goodbye never a device says goodbye, and is lost"))
    let json = report.jsonLines
    expectEqual(json.count, 1 + Fact.allCases.count + 22)
    #expect(json[0].contains(#""runs":25,"planned":30,"failed":24,"#), "\(json[0])")
    let about = Fact.foundAgain.about
    expectEqual(
      json[1],
      #"{"schema":"rollcall/1","kind":"fact","fact":"found-again","about":"\#(about)","runs":2,"point":{},"seed":2}"#)
    #expect(json[2].hasSuffix(#""runs":0}"#), "\(json[2])")
    let first = 1 + Fact.allCases.count
    let start = #"{"schema":"rollcall/1","kind":"failure","failure":"#
    expectEqual(json[first], start + #""f1","runs":3,"point":{},"seed":1,"kept":"seed-1"}"#)
    expectEqual(json[first + 20], start + #""f21","runs":1,"point":{},"seed":21}"#)
  }

  // MARK: - Curves

  /// Ten runs of the first point found the device after one to ten seconds, those of the second never.
  private func curves() throws -> CurveSet {
    let plan = try Scenario(yaml: CurveTests.plan, file: "plan.yaml")
    let campaign = try Campaign(plan: plan, file: "plan.yaml", seeds: 1...10, version: "test")
    var records: [RunRecord] = []
    for point in 0...1 {
      for seed in UInt64(1)...10 {
        var one = record(seed, point: point)
        (one.sought, one.found) = (1, 1 - point)
        if point == 0 { one.foundAfter = .seconds(Int64(seed)) }
        records.append(one)
      }
    }
    return CurveSet(campaign.title, campaign.points, records)
  }

  @Test("a row has the share, when half and nine in ten were found, each with its interval, and theory beside it")
  func rows() throws {
    let source = try curves()
    let rows = CurveWords.rows(source)
    expectEqual(rows.map(\.count), [8, 1, 8, 8, 8, 1, 8, 8, 8])
    expectEqual(
      rows[0],
      [
        "network.link.loss", "runs", "all found (95 %)", "theory", "half of the runs by", "theory", "nine in ten by",
        "theory",
      ])
    expectEqual(
      rows[2],
      [
        "0%", "10", "100.0 % (72.2 to 100.0)", "100.0 %", "5.00 s (2.00 to 9.00)", "1.50 s", "9.00 s (7.00 to ?)",
        "2.70 s",
      ])
    expectEqual(rows[3], ["20%", "10", "0.0 % (0.0 to 27.8)", "41.0 %", "never", "never", "never", "never"])
    expectEqual(rows[4], ["40%", "0", "-", "13.0 %", "never", "never", "never", "never"])
    // Of the first places, so many; no curve without one.
    expectEqual(
      [0, 3, 4, 6, 7].map { source.first($0).curves.map(\.places.count) }, [[], [3], [3, 1], [3, 3], [3, 3]])
    // What stands for a number, and what does not.
    let numbers = ["5", "-3", "10%", "1.5%", "250ms", "3s", "500us", "x", "%", ""].map { text -> String in
      AxisNumber(text).map { Decimals.text($0.value, 4) + $0.unit } ?? "-"
    }
    expectEqual(
      numbers, ["5.0000", "-3.0000", "10.0000%", "1.5000%", "0.2500s", "3.0000s", "0.0005s", "-", "-", "-"])
    // Values of one unit stand on the axis where their numbers are, others side by side.
    let scenario = try Scenario(yaml: "scenario: S\nduration: 1s", file: "s.yaml")
    let sweeps: [[String]] = [["10%", "5%"], ["3s", "250ms"], ["2", "1"], ["10%", "5"], ["10%", "x"], []]
    let axes = sweeps.map { texts -> String in
      let points = texts.map { Point(values: [Point.Value(path: "why", text: $0)], scenario: scenario) }
      let set = CurveSet("", points, [])
      return "\(set.axis) \(set.unit) \(set.curves.flatMap { $0.places.map(\.x) })"
    }
    expectEqual(
      axes,
      [
        "why % [10.0, 5.0]", "why s [3.0, 0.25]", "why  [2.0, 1.0]", "why  [0.0, 1.0]", "why  [0.0, 1.0]", "  []",
      ])
    expectEqual(
      [Decimals.text(1.05, 2), Decimals.text(-2.5, 0), Decimals.text(-1e12, 1), Decimals.text(999_999_999_999, 0)],
      ["1.05", "-3", "-∞", "999999999999"])
  }

  private func theory(_ changes: (String, String)...) throws -> SearchTheory? {
    var yaml = """
      scenario: S
      duration: 60s
      network: {link: {latency: 1ms, loss: 0%}}
      inhabitants: {tv: {kind: root-device, count: 1, link: {outbound: {multicast-loss: 100%}}}}
      timeline: [{at: 1s, search: {target: "upnp:rootdevice", mx: 3s, broadcasts: 1}}]
      """
    for (text, other) in changes {
      #expect(yaml.contains(text), "\(text)")
      yaml = yaml.replacing(text, with: other)
    }
    return SearchTheory(try Scenario(yaml: yaml, file: "s.yaml").resolved())
  }

  @Test("theory: chances of several devices and copies, when a share is reached, and up to which bounds there is one")
  func theories() throws {
    func share(_ changes: (String, String)...) throws -> String? {
      var one: SearchTheory?
      switch changes.count {
      case 1: one = try theory(changes[0])
      default: one = try theory(changes[0], changes[1])
      }
      return one.map { Decimals.text($0.chance(after: nil), 4) }
    }
    let loss = ("loss: 0%}}", "loss: 20%}}")
    // 0.8 · 0.512, and of more devices 0.8 · 0.512², 0.8 · 0.512³; of three copies 1 − (0.2 + 0.8 · 0.488)³.
    expectEqual(try share(loss), "0.4096")
    expectEqual(try share(loss, ("count: 1", "count: 2")), "0.2097")
    expectEqual(try share(loss, ("count: 1", "count: 3")), "0.1074")
    expectEqual(try share(loss, ("broadcasts: 1", "broadcasts: 3")), "0.7942")
    // Uniform from 0 to MX, behind four ways over a link.
    let plain = try #require(try theory())
    for (quantile, milliseconds) in [(0.5, 1_504), (0.9, 2_704), (1, 3_004)] as [(Double, Int64)] {
      let found = try #require(plain.quantile(quantile)).nanoseconds
      let exact = milliseconds * 1_000_000
      #expect((exact - 1...exact + 1_001).contains(found), "\(quantile): \(found)")
    }
    expectEqual(plain.chance(after: .milliseconds(4)), 0)
    expectEqual(plain.chance(after: .milliseconds(3_004)), 1)
    let lossy = try #require(try theory(loss))
    #expect(lossy.quantile(0.41) == nil && lossy.quantile(0.409) != nil)
    let bounds: [(text: String, last: String, beyond: String)] = [
      ("duration: 60s", "duration: 4004ms", "duration: 4003ms"), ("broadcasts: 1", "broadcasts: 10", "broadcasts: 11"),
      ("latency: 1ms", "latency: 25ms", "latency: 26ms"),
      ("latency: 1ms", "latency: 1ms, mtu: 1500", "latency: 1ms, mtu: 1499"),
    ]
    for one in bounds {
      let (last, beyond) = (try theory((one.text, one.last)), try theory((one.text, one.beyond)))
      expectEqual(last == nil, false, "\(one.last)")
      expectEqual(beyond == nil, true, "\(one.beyond)")
    }
  }

  @Test("theory: each thing that leaves none, alone, and how the chances of several copies and devices grow")
  func theoryParts() throws {
    // Where something more stands in the scenario, and what there leaves a theory, and what none.
    let places: [(text: String, other: String, with: [String], without: [String])] = [
      (
        "duration: 60s", "duration: 60s\n+", [],
        [
          "engine: {mode: strict}", "engine: {manager: {}}", "engine: {switches: [neverExpires]}", "heal: 50s",
          "engine: {receive-buffer: {bytes: 64KiB, per-datagram: 1ms}}", "engine: {refuses-joins: true}",
          "engine: {interfaces: [{segment: lan}, {segment: lan}]}",
        ]
      ),
      (
        "link: {latency: 1ms, loss: 0%}", "+, link: {latency: 1ms, loss: 0%}", [],
        ["segments: {lan: {snooping: true}}", "segments: {lan: {}, wifi: {}}", "segments: {lan: {ipv6: true}}"]
      ),
      (
        "kind: root-device,", "kind: root-device, +,", ["appear: 999ms", "appear: 0s..999ms"],
        [
          "appear: 1s", "appear: 0s..1s", "appear: 500ms..2s", "appear: never", "refuses-joins: true",
          "receive-buffer: {bytes: 64KiB, per-datagram: 1ms}", "interfaces: [{segment: lan}, {segment: lan}]",
        ]
      ),
    ]
    for place in places {
      for added in place.with + place.without {
        let found = try theory((place.text, place.other.replacing("+", with: added)))
        expectEqual(found != nil, place.with.contains(added), "\(added)")
      }
    }
    let waits = ["1s", "5s", "6s"].map { ("mx: 3s", "mx: \($0)") }
    expectEqual(try waits.map { try theory($0) != nil }, [true, true, false])
    // 4 · 25 ms is the longest latency, and one way is longer by 1 ms here.
    let longer = ("link: {outbound: {", "link: {outbound: {latency: 26ms, ")
    expectEqual(try theory(("latency: 1ms", "latency: 25ms"), longer) == nil, true)
    // Devices behind different links: 1 · 0.5³.
    let half = "link: {outbound: {multicast-loss: 100%, loss: 50%}}"
    let others = "tw: {kind: root-device, count: 2, \(half)}, tx: {kind: root-device, \(half)}, tv: {"
    expectEqual(try theory(("tv: {", others)).map { Decimals.text($0.chance(after: nil), 4) }, "0.1250")
    // Three copies, 1 s apart, of which each leaves with 0.8 and comes back with 0.512.
    let three = try #require(
      try theory(("loss: 0%}}", "loss: 20%}}"), ("broadcasts: 1", "broadcasts: 3, spacing: 1s")))
    let times: [Int64] = [4, 500, 1_000, 1_500, 2_004, 3_000, 4_500, 5_004, 10_000]
    expectEqual(
      times.map { Decimals.text(three.chance(after: .milliseconds($0)), 6) },
      [
        "0.000000", "0.067721", "0.135987", "0.258142", "0.372317", "0.628560", "0.770217", "0.794203", "0.794203",
      ])
    // By halves of the whole time, down to 1 us: times whose halves come to 1000 ns and to 1001 ns.
    let quantiles: [(latency: String, wait: String, share: Double, nanoseconds: Int64)] = [
      ("0ms", "3s", 0.5, 1_500_000_000), ("1ms", "3s", 0.0003, 4_900_302),
      ("12144us", "1s", 0.1234562, 172_033_000), ("12406144ns", "1s", 0.1234558, 173_080_407),
    ]
    for one in quantiles {
      let found = try theory(("latency: 1ms", "latency: \(one.latency)"), ("mx: 3s", "mx: \(one.wait)"))
      expectEqual(found?.quantile(one.share)?.nanoseconds, one.nanoseconds, "\(one.latency)")
    }
  }

  // MARK: - Steering

  @Test("a fact is rare where a tenth of the pilot has it or less, and the fourth drawing of a seed is the last")
  func steering() {
    func weight(_ count: Int, of total: Int) -> Int {
      let pilot = (0..<total).map { number -> Facts in number < count ? [.foundAgain] : [] }
      return Steering(pilot: pilot).weights[0]
    }
    expectEqual([0, 1, 10, 11, 100].map { weight($0, of: 100) }, [11, 10, 1, 0, 0])
    expectEqual([0, 9, 10].map { weight($0, of: 99) }, [10, 1, 0])
    expectEqual([weight(0, of: 0), weight(0, of: 9), weight(1, of: 9)], [1, 1, 0])
    expectEqual([2_047, 2_048, 2_052].map { Steering.pilotCount(of: $0) }, [511, 512, 512])
    // Where one fact alone is rare, each of the four drawings is the best one of some seed.
    var common = Facts()
    for fact in Fact.allCases where fact != .lifeNumberWraps { common.insert(fact) }
    let steering = Steering(pilot: [Facts](repeating: common, count: 10))
    expectEqual(steering.score([]), 0)
    let drawings = (UInt64(0)..<150).map { steering.drawing(of: 2 * $0 + 1).value >> DrawnSeed.countBits }
    expectEqual(Set(drawings), [0, 1, 2, 3])
    // Of drawings that are worth the same the first.
    for number in UInt64(0)..<60 {
      let count = 2 * number + 1
      let scores = (UInt64(0)...3).map { steering.score(DrawnSeed(count, drawing: $0).traits) }
      let best = scores.max().flatMap { most in scores.firstIndex { $0 == most } } ?? 0
      expectEqual(drawings[Int(number)], UInt64(best), "seed \(count)")
    }
  }

  // MARK: - The file

  @Test("a file of another version, or another program's, is refused by what its header says, and not changed")
  func headers() throws {
    try Places.withTemporaryFolder { folder in
      let identity = Campaign(swarm: 1...2, version: "test").identity
      _ = try CampaignStore.open(in: folder.path, of: identity)
      let file = folder.appendingPathComponent("results.sqlite")
      let whole = try Data(contentsOf: file)
      // What reads it and what writes it are a journal ahead (WAL).
      expectEqual([whole[18], whole[19]], [2, 2])
      // user_version stands at byte 60, application_id at 68, each with its highest byte first; tables behind 100.
      let malformed = CampaignStoreError.damaged(path: file.path, found: "database disk image is malformed")
      for (place, value, found) in [
        (63..<64, 2, "results of version 2, and not 1"), (63..<64, 0, "results of version 0, and not 1"),
        (71..<72, 0x71, "another database of SQLite"), (68..<72, 0, "another database of SQLite"),
        (100..<4_096, 0xFF, nil),
      ] as [(Range<Int>, UInt8, String?)] {
        var bytes = [UInt8](whole)
        for byte in place { bytes[byte] = value }
        try Data(bytes).write(to: file)
        let refusal = found.map { CampaignStoreError.foreign(path: file.path, found: $0) } ?? malformed
        #expect(throws: refusal) { try CampaignStore.read(in: folder.path) }
        #expect(throws: refusal) { try CampaignStore.open(in: folder.path, of: identity) }
        let after = try Data(contentsOf: file)
        expectEqual([UInt8](after), bytes)
      }
      try whole.write(to: file)
      let store = try CampaignStore.read(in: folder.path)
      expectEqual(try store.identity(), identity)
      // What was opened to be read takes no runs.
      let one = record(1)
      #expect(throws: CampaignStoreError.self) { try store.add([one]) }
      expectEqual(try store.records(), [])
    }
  }
}
