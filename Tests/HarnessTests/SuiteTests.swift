import RollcallEngines
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallScenarios
import Synchronization
import Testing
import RollcallTrace

@testable import RollcallRunning

/// Many runs: their order, what is judged over all of them, and how they end early.
@Suite("Suites of runs")
struct SuiteTests {
  private static func file(_ expect: String, seeds: String = "1..40", more: String = "") throws -> ScenarioFile {
    let text = """
      scenario: A television comes
      duration: 5s
      seeds: \(seeds)
      \(more)
      inhabitants:
        tv: {kind: root-device, appear: 1s..3s, start-jitter: 0s}
      expect:
        - \(expect)
      """
    return ScenarioFile(path: "tv.yaml", scenario: try Scenario(yaml: text, file: "tv.yaml"))
  }

  /// Gathers what a suite hands over.
  private final class Gathered: Sendable { let runs = Mutex<[SuiteRun]>([]) }

  private static func runs(_ files: [ScenarioFile], _ options: Suite.Options) throws -> [SuiteRun] {
    let gathered = Gathered()
    try Suite(files: files, options: options).run { run in gathered.runs.withLock { $0.append(run) } }
    return gathered.runs.withLock { $0 }
  }

  @Test("runs come in their order and say the same, however many go at a time", arguments: [1, 3, 8])
  func order(jobs: Int) throws {
    let files = [
      try SuiteTests.file("{share: {found: tv, at-least: 20%, at-most: 80%}, within: 0s..2s}", more: "tags: [a]"),
      try SuiteTests.file("{found: tv}", seeds: "5..7", more: "sweep: {duration: [4s, 5s]}"),
    ]
    let runs = try SuiteTests.runs(files, Suite.Options(jobs: jobs))
    expectEqual(runs.map(\.seed), Array(1...40) + [5, 6, 7, 5, 6, 7])
    expectEqual(runs.map(\.outcome), Array(repeating: .passed, count: 46))
    // What is judged over the seeds stands in the last run of its point, and nowhere else.
    expectEqual(runs.indices.filter { runs[$0].verdicts.count == 1 }, [39, 40, 41, 42, 43, 44, 45])
    let alone = try SuiteTests.runs(files, Suite.Options(jobs: 1))
    expectEqual(runs.map(\.digest), alone.map(\.digest))
    expectEqual(runs.map(\.verdicts), alone.map(\.verdicts))
  }

  @Test("once somebody ends it no run is begun, and those that were done are the first ones")
  func interrupted() throws {
    let gathered = Gathered()
    let options = Suite.Options(
      seeds: 1...1_000_000, jobs: 4, isOver: { gathered.runs.withLock { $0.count >= 10 } })
    try Suite(files: [try SuiteTests.file("{found: tv}")], options: options).run { run in
      gathered.runs.withLock { $0.append(run) }
    }
    let seeds = gathered.runs.withLock { $0.map(\.seed) }
    #expect(seeds.count >= 10 && seeds.count < 1_000)
    expectEqual(seeds, Array(1...UInt64(seeds.count)))
  }

  @Test("seeds on the command line are what the file takes: one, or a range of at most a million")
  func seeds() {
    expectEqual(Scenario.seeds("7"), 7...7)
    expectEqual(Scenario.seeds("1..200"), 1...200)
    expectEqual(Scenario.seeds("1..1000000")?.count, 1_000_000)
    for text in ["1..1000001", "0..18446744073709551615", "9..3", "1..", "..3", "-1", "", "1-3", "1..2..3"] {
      expectEqual(Scenario.seeds(text), nil, "\(text)")
    }
  }

  @Test("scenarios that name no fault are set aside where faults are planted")
  func toothless() throws {
    let files = [
      try SuiteTests.file("{found: tv}"),
      try SuiteTests.file("{never: {lost: tv}}", more: "bites: engine.byebyeIgnored"),
    ]
    let suite = try Suite(files: files, options: Suite.Options(bites: true))
    expectEqual(suite.files.map { $0.scenario.bites == nil }, [false])
    expectEqual(suite.toothless.map { $0.scenario.bites == nil }, [true])
    let bitten = try #require(files[1].scenario.bitten)
    #expect(bitten != files[1].scenario)
    let points = try bitten.points(file: "tv.yaml")
    expectEqual(suite.points.flatMap { $0 }.map(\.scenario), points.map(\.scenario))
    expectEqual(suite.unaskedCount, 0)
    expectEqual(suite.taskCount, 40)
    #expect(try Suite(files: files, options: Suite.Options()).toothless.isEmpty)
  }

  @Test("a scenario is run if both its path and its tags are wanted")
  func filtered() throws {
    let tagged = try SuiteTests.file("{found: tv}", more: "tags: [a]")
    var elsewhere = tagged
    elsewhere.path = "lamp.yaml"
    let files = [try SuiteTests.file("{found: tv}"), elsewhere, tagged]
    let pattern = try #require(PathPattern("tv.yaml"))
    let filter = ScenarioFilter(tags: ["a"], paths: [pattern])
    let suite = try Suite(files: files, options: Suite.Options(filter: filter))
    expectEqual(suite.files.map { "\($0.path) \($0.scenario.tags)" }, [#"tv.yaml ["a"]"#])
  }

  @Test("reports are kept of the runs that were asked for")
  func reports() throws {
    func counts(_ reports: Suite.Options.Reports, _ expect: String) throws -> [Int?] {
      let file = try SuiteTests.file(expect, seeds: "1..2")
      return try SuiteTests.runs([file], Suite.Options(reports: reports)).map { $0.reports?.count }
    }
    try expectEqual(counts(.none, "{lost: tv}"), [nil, nil])
    try expectEqual(counts(.failed, "{found: tv}"), [nil, nil])
    try expectEqual(counts(.failed, "{lost: tv}"), [1, 1])
    try expectEqual(counts(.all, "{found: tv}"), [1, 1])
  }

  @Test("a failure names its place in the file, also where a value of the scenario was replaced")
  func places() throws {
    let file = try SuiteTests.file("{lost: tv}", seeds: "1..1", more: "sweep: {duration: [4s]}")
    let runs = try SuiteTests.runs([file], Suite.Options())
    expectEqual(runs.first?.verdicts.map { $0.place.text(in: "tv.yaml") }, ["tv.yaml:8:5"])
  }

  @Test("a failure tells the nearest reports of the device, and the entries and frames that made them")
  func nearby() throws {
    let text = """
      scenario: A television goes too late
      duration: 40s
      inhabitants:
        tv: {kind: root-device, address: 192.168.1.20, start-jitter: 0s}
        lamp: {kind: root-device, start-jitter: 0s}
      timeline:
        - {at: 10s, leave: lamp}
        - {at: 20s, leave: tv}
        - {at: 30s, appear: tv}
      expect:
        - {lost: tv, within: 5s..15s}
      """
    let file = ScenarioFile(path: "late.yaml", scenario: try Scenario(yaml: text, file: "late.yaml"))
    let run = try #require(try SuiteTests.runs([file], Suite.Options()).first)
    let device = "uuid:ff349908-4c0f-4cda-b7bd-1dcd8bd8a7ea"
    let place = "http://192.168.1.20:49152/description.xml 192.168.1.20 if0"
    expectEqual(
      FailureText.lines(run),
      [
        "late.yaml:11:5: e1  {lost: tv, within: 5s..15s}",
        "    expected  lost of tv, 1..×, from 5.000000000 to 15.000000000",
        "    found     only 5.000000000 s after: 20.000000000 lost \(device) byebye",
        "    when      15.000000000 s",
        "    before    0.000000000 found \(device) \(place) boot 1",
        "              by entry 11, frame 1: notify-alive upnp:rootdevice from 192.168.1.20:1900 (tv)",
        "    after     20.000000000 lost \(device) byebye",
        "              by entry 93, frame 23: notify-byebye upnp:rootdevice from 192.168.1.20:1900 (tv)",
        "    after     30.000000000 found \(device) \(place) boot 2",
        "              by entry 108, frame 27: notify-alive upnp:rootdevice from 192.168.1.20:1900 (tv)",
        "again: rollcall run late.yaml --seed 1",
      ])
    // The numbers are those of the trace and of the capture that the same run writes.
    let resolved = try file.scenario.resolved()
    let whole = Run.perform(
      resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices), watchedHost: 0))
    let nearby = try #require(run.nearby.first?.reports)
    for one in nearby {
      let entry = whole.trace[one.cause.entry - 1]
      #expect(entry.time == one.time && entry.station == 0 && entry.isInput)
    }
  }
  @Test("the story of a run is that of its capture, with times of the run")
  func story() throws {
    let text = """
      scenario: A television goes
      duration: 40s
      inhabitants:
        tv: {kind: root-device, profile: basic, address: 192.168.1.20, appear: 5s, start-jitter: 0s}
      timeline:
        - {at: 20s, leave: tv}
      """
    let resolved = try Scenario(yaml: text, file: "tv.yaml").resolved()
    let story = RunStory.tell(resolved, seed: 1, scenario: "tv.yaml").textLines(width: 100)
    #expect(
      story.contains { $0.hasPrefix("    +5.000     frame 3") && $0.contains("first heard: alive upnp:rootdevice") })
    #expect(story.contains { $0.hasPrefix("    +20.000    frame ") && $0.contains("lost: byebye upnp:rootdevice") })
    let silent = try Scenario(yaml: "scenario: Nobody\nduration: 1s", file: "x.yaml").resolved()
    #expect(RunStory.tell(silent, seed: 1, scenario: "x.yaml").textLines(width: 100).count >= 3)
    // A foreign engine has its reports, and the reason why it failed.
    let nobody = RunEngine(command: "none") { () throws(EngineFailure) -> any EngineChannel in
      throw EngineFailure("nobody is there")
    }
    let failed = RunStory.tell(resolved, seed: 1, scenario: "tv.yaml", engine: nobody).textLines(width: 100)
    expectEqual(
      Array(failed.suffix(6)),
      ["", "The engine reported nothing.", "", "What the engine said:", "  the engine failed: nobody is there", ""])
  }
}
