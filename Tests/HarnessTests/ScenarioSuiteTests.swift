import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import RollcallSessions
import RollcallSimulation
import Testing
import RollcallTrace

/// Every committed scenario: it passes, it bites, and both replays of what its engine heard are equal to the run.
@Suite("The committed scenarios")
struct ScenarioSuiteTests {
  static let files: [String] = (ScenarioFile.paths(at: Places.root.appendingPathComponent("Scenarios").path) ?? [])
    .map { String($0.dropFirst(Places.root.path.count + 1)) }

  @Test("there are at least 40, each says why it exists and names the fault that it bites")
  func inventory() throws {
    #expect(ScenarioSuiteTests.files.count >= 40)
    for file in ScenarioSuiteTests.files {
      let scenario = try read(file)
      #expect(scenario.why.count > 40, "\(file) says why it exists")
      #expect(scenario.bites != nil, "\(file) names what it bites")
    }
    let titles = try ScenarioSuiteTests.files.map { try read($0).title }
    expectEqual(Set(titles).count, titles.count)
  }

  @Test("every switch of the engine is bitten by some scenario")
  func everySwitch() throws {
    var bitten: [EngineSwitch] = []
    for file in ScenarioSuiteTests.files { if case .engine(let one)? = try read(file).bites { bitten.append(one) } }
    expectEqual(EngineSwitch.allCases.filter { !bitten.contains($0) }, [])
  }

  @Test("every fault of nearby peers is bitten by some scenario")
  func everyPeerFault() throws {
    var bitten: [PeerFault] = []
    for file in ScenarioSuiteTests.files { if case .peers(let one)? = try read(file).bites { bitten.append(one) } }
    expectEqual(PeerFault.allCases.filter { !bitten.contains($0) }, [])
  }

  @Test("passes, bites, and replays to the same entries and the same reports", arguments: files)
  func scenario(file: String) throws {
    let scenario = try read(file)
    let points = try scenario.points(file: file)
    // The whole range of seeds and points is run in release by `make scenarios`; here the first of each.
    let point = try #require(points.first)
    let resolved = try point.scenario.resolved()
    let seed = Seed(scenario.seeds.lowerBound)
    let result = Run.perform(resolved, seed: seed, options: RunOptions(recordedHosts: [0], watchedHost: 0))
    expectEqual(result.outcome, .passed, "\(result.verdicts.filter { $0.outcome != .held && $0.outcome != .waived })")
    let configuration = Stage.configuration(of: resolved, seed: seed)
    let replay = MachineReplay.run(
      result.trace, station: 0, in: DiscoveryEngine(configuration), until: drifted(resolved))
    expectEqual(replay.difference, nil)
    try expectSameReports(result, resolved, configuration, file, scenario.seeds.lowerBound)
  }

  @Test("fails with the fault that it names", arguments: files)
  func bites(file: String) throws {
    let scenario = try read(file)
    let bitten = try #require(scenario.bitten)
    // One seed of one point that fails is a bite.
    for point in try bitten.points(file: file) {
      let resolved = try point.scenario.resolved()
      var tally = SeedTally(resolved.expectations)
      for seed in point.scenario.seeds {
        let result = Run.perform(resolved, seed: Seed(seed))
        if result.outcome == .failed { return }
        tally.add(result.contribution)
      }
      if tally.verdicts.contains(where: { $0.outcome == .violated }) { return }
    }
    Issue.record("\(file) passes with its fault planted: it proves nothing")
  }

  // MARK: - Replays of the capture

  private func expectSameReports(
    _ result: RunResult, _ resolved: Resolved, _ configuration: EngineConfiguration, _ file: String, _ seed: UInt64
  ) throws {
    let bytes = CaptureExport.write(result, of: resolved, host: 0, scenario: file, seed: seed)
    guard CaptureBytes.reader(bytes) != nil else {
      // A host that heard and sent nothing has an empty capture, and had nothing to report but failures.
      #expect(!result.trace.contains { if case .received = $0.content { true } else { false } })
      return
    }
    // By its name, and by one of its addresses, from file to file another one: it is the same host.
    let addresses = resolved.plan.hosts[0].interfaces.flatMap(\.addresses).map(\.address.description)
    let turn = ScenarioSuiteTests.files.firstIndex(of: file) ?? 0
    for host in [resolved.hosts[0].name] + (addresses.isEmpty ? [] : [addresses[turn % addresses.count]]) {
      try expectSameReports(result, as: host, bytes, configuration, file)
    }
  }

  private func expectSameReports(
    _ result: RunResult, as host: String, _ bytes: [UInt8], _ configuration: EngineConfiguration, _ file: String
  ) throws {
    var reader = try TinyCapture.reader(bytes)
    var replayed: [Seen] = []
    var options = ReplayOptions(perspective: .host(host), engine: configuration)
    options.wantsMessages = false
    var replay = Replay(options: options) { event in
      if case .report(let report, let time, _) = event { replayed.append(Seen(time: time, report: report)) }
    }
    replay.run(&reader)
    let original = result.evidence.reports.compactMap { entry -> Seen? in
      if case .rejected = entry.report { return nil }
      // What nearby peers were told is not in what the engine heard.
      if case .nearby = entry.report { return nil }
      return Seen(time: entry.time, report: entry.report)
    }
    let (left, right) = (Seen.numbered(original), Seen.numbered(replayed))
    let first = (0..<max(left.count, right.count)).first { index in
      index >= left.count || index >= right.count || left[index] != right[index]
    }
    if let first {
      let expected = first < left.count ? left[first] : "(the end)"
      let found = first < right.count ? right[first] : "(the end)"
      Issue.record("\(file) as \(host): report \(first) of the run is \(expected), of the replay \(found)")
    }
    expectEqual(
      result.rejections.map { "\($0.reason) \($0.count)" },
      replay.summary.rejections.byReason.map { "\($0.reason) \($0.count)" })
  }

  /// A report with its time; searches are numbered in the order of their appearance, since a capture does not show
  /// which number an application gave them.
  private struct Seen {
    var time: Instant
    var report: Report

    static func numbered(_ list: [Seen]) -> [String] {
      var numbers: [UInt32] = []
      func number(_ id: SearchID) -> SearchID {
        if !numbers.contains(id.number) { numbers.append(id.number) }
        return SearchID(UInt32(numbers.firstIndex(of: id.number)! + 1))
      }
      return list.map { seen in
        var report = seen.report
        switch report {
        case .service(var service):
          service.search = number(service.search)
          report = .service(service)
        case .searchEnded(var outcome):
          outcome.search = number(outcome.search)
          for index in outcome.services.indices { outcome.services[index].search = outcome.search }
          report = .searchEnded(outcome)
        default: break
        }
        return "\(seen.time) \(ReportText.line(report))"
      }
    }
  }

  // MARK: - Looking things up

  /// Each file once, for all tests of the suite.
  private static let scenarios = Dictionary(
    uniqueKeysWithValues: files.map { file in
      (file, Result { try ScenarioFile.read(Places.root.appendingPathComponent(file).path).scenario })
    })

  private func read(_ file: String) throws -> Scenario { try #require(Self.scenarios[file]).get() }

  /// The end of the run by the engine's own clock.
  private func drifted(_ resolved: Resolved) -> Instant {
    let drift = resolved.plan.hosts[0].clockDriftMillionths
    return Instant(nanoseconds: resolved.end.nanoseconds + resolved.end.nanoseconds / 1_000_000 * drift)
  }
}
