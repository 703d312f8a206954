import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

@testable import RollcallReducing

/// The parts of shrink by themselves: how a scenario is cut, how large it is, and how a run failed.
@Suite("Parts of shrink")
struct ReductionPartTests {
  private static func scenario(_ body: String) throws -> Scenario {
    let head = "scenario: Small\nduration: 20s\ninhabitants: {tv: {kind: root-device}}\n"
    return try Scenario(yaml: head + body, file: "a.yaml")
  }

  @Test("a cut leaves deeds and faults up to the new end, and ends windows, faults and moments there")
  func cut() throws {
    let before = try Self.scenario(
      """
      timeline: [{at: 5s, leave: tv}, {at: 5001ms, appear: tv}]
      faults:
        - {at: 5s, interface-down: {who: engine}}
        - {at: 5001ms, interface-down: {who: tv}}
        - {at: 1s, until: 5s, refuse-joins: engine}
        - {at: 2s, until: 5001ms, refuse-joins: tv}
      expect:
        - {found: tv, within: 1s..5s}
        - {found: tv, within: 5s..9s}
        - {never: {lost: tv}, within: 4s..9s}
        - {never: {lost: tv}, within: 5001ms..9s}
        - {present: {at: 9s, devices: [tv]}}
        - {present: {at: 5s, devices: [tv]}}
      """)
    let after = try Self.scenario(
      """
      timeline: [{at: 5s, leave: tv}]
      faults:
        - {at: 5s, interface-down: {who: engine}}
        - {at: 1s, until: 5s, refuse-joins: engine}
        - {at: 2s, refuse-joins: tv}
      expect:
        - {found: tv, within: 1s..5s}
        - {found: tv, within: 5s..5s}
        - {never: {lost: tv}, within: 4s..5s}
        - {never: {lost: tv}, within: 5001ms..9s}
        - {present: {at: 5s, devices: [tv]}}
        - {present: {at: 5s, devices: [tv]}}
      """)
    let cut = Durations.cut(before, .seconds(5))
    #expect(cut.duration == .seconds(5) && cut.timeline.map(\.at) == after.timeline.map(\.at))
    #expect(cut.faults.map(\.at) == after.faults.map(\.at) && cut.faults.map(\.until) == after.faults.map(\.until))
    expectEqual(cut.expectations.map(\.kind), after.expectations.map(\.kind))
    expectEqual(Durations.cut(before, .seconds(20)).expectations.map(\.kind), before.expectations.map(\.kind))
  }

  @Test("the lengths that are tried lie below the one of now, each once, rounded up")
  func candidates() throws {
    let scenario = try Self.scenario("timeline: [{at: 11500ms, leave: tv}]\n")
    func tried(_ seconds: Int64?, least: Interval = .zero) -> [Int64] {
      let reason = seconds.map {
        VerdictReason.forbidden(
          EventMatch(.found), Instant.zero...Instant.zero,
          TimedReport(time: .zero + .seconds($0), station: 0, report: .lost(device: "uuid:a", cause: .expired)))
      }
      let verdict = Verdict(id: "e1", text: "t", outcome: .violated, reason: reason)
      return Durations.candidates(scenario, verdict, least: least).map { $0.nanoseconds / 1_000_000 }
    }
    // An eighth, a half, behind the last deed, three quarters, nine tenths.
    expectEqual(tried(nil), [2_500, 10_000, 13_000, 15_000, 18_000])
    expectEqual(tried(nil, least: .seconds(13)), [13_000, 15_000, 18_000])
    expectEqual(tried(19), [2_500, 10_000, 13_000, 15_000, 18_000, 19_000])
    expectEqual(tried(10), [2_500, 10_000, 11_000, 13_000, 15_000, 18_000])
    #expect(tried(30) == tried(nil) && tried(0) == [1_000] + tried(nil))
  }

  @Test("a size counts members, deeds, faults, and what scripts and recorded hosts spell out")
  func sizes() throws {
    #expect(ScenarioSize() == ScenarioSize() && ScenarioSize().inhabitants == 0 && ScenarioSize().timeline == 0)
    #expect(ScenarioSize().faults == 0 && ScenarioSize().datagrams == 0 && ScenarioSize().nodes == 0)
    expectEqual(ScenarioSize().description, "0 inhabitants, 0 deeds, 0 faults, 0 nodes")
    let scenario = try Scenario(
      yaml: """
        scenario: Small
        duration: 20s
        inhabitants:
          lamp: {kind: root-device, count: 3}
          host:
            kind: recorded
            says:
              - {at: [1s], lines: ["M-SEARCH * HTTP/1.1", "MX: 2"]}
              - {at: [2s], lines: ["M-SEARCH * HTTP/1.1", "MX: 3"]}
              - {at: [3s], lines: ["M-SEARCH * HTTP/1.1", "MX: 4"]}
            answers:
              - {to: "upnp:rootdevice", lines: ["HTTP/1.1 200 OK"], replies: []}
        timeline: [{at: 5s, leave: lamp-1}]
        """, file: "a.yaml")
    let size = ScenarioSize(scenario)
    #expect(size.inhabitants == 4 && size.timeline == 1 && size.faults == 0 && size.datagrams == 4)
    expectEqual(size.description, "4 inhabitants, 1 deeds, 0 faults, 4 datagrams, \(size.nodes) nodes")
  }

  // MARK: How a run failed

  private func kind(
    _ reason: VerdictReason?, _ expect: String = "{found: tv}", reports: [TimedReport] = []
  ) throws -> String? {
    let scenario = try Self.scenario("expect: [\(expect)]\n")
    let expectation = try #require(scenario.expectations.first)
    let evidence = Judge.Evidence(
      reports: reports, entriesPeak: 0, devicesPeak: 0, presentAtConvergence: [], presentAtEnd: [], end: .zero)
    let verdict = Verdict(id: "e1", text: "t", outcome: .violated, reason: reason)
    return FailureKind(verdict, expectation, position: 0, evidence)?.description
  }

  private static func lost(_ seconds: Int64) -> TimedReport {
    TimedReport(time: .zero + .seconds(seconds), station: 0, report: .lost(device: "uuid:a", cause: .expired))
  }

  @Test("reports in a window are too few or too many, and without one it is early, late or never")
  func counts() throws {
    func miss(_ times: CountRange, found: Int, nearest: Int64? = nil) -> VerdictReason {
      .count(
        VerdictReason.CountMiss(
          event: EventMatch(.found), label: "tv", times: times,
          window: (.zero + .seconds(5))...(.zero + .seconds(9)), found: (0..<found).map { _ in Self.lost(6) },
          nearest: nearest.map { Self.lost($0) }))
    }
    try expectEqual(kind(miss(.exactly(2), found: 1)), "too few")
    try expectEqual(kind(miss(.exactly(2), found: 3)), "too many")
    // As many as the least, and still a miss, can only be too many.
    try expectEqual(kind(miss(CountRange(2, 1), found: 2)), "too many")
    try expectEqual(kind(miss(.exactly(1), found: 0)), "it never happened")
    try expectEqual(kind(miss(.exactly(1), found: 0, nearest: 4)), "it happened too early")
    try expectEqual(kind(miss(.exactly(1), found: 0, nearest: 10)), "it happened too late")
    // At the very start of the window it is not before it; inside of it neither.
    try expectEqual(kind(miss(.exactly(1), found: 0, nearest: 5)), "it happened too late")
    try expectEqual(kind(miss(.exactly(1), found: 0, nearest: 7)), "it happened too late")
  }

  @Test("devices are missing, there without need, or both; counted ones are off by a number")
  func devices() throws {
    func devices(_ missing: [String], _ surplus: [String]) -> VerdictReason {
      .devices(at: .zero, wanted: [], missing: missing, surplus: surplus, isConvergence: false)
    }
    try expectEqual(kind(devices(["a"], [])), "a device is missing")
    try expectEqual(kind(devices([], ["a"])), "a device is there that must not be")
    try expectEqual(kind(devices(["a"], ["b"])), "a device is missing and another there that must not be")
    func count(_ wanted: CountRange, _ present: Int) -> VerdictReason {
      .deviceCount(at: .zero, wanted: wanted, present: Array(repeating: "a", count: present))
    }
    try expectEqual(kind(count(.exactly(3), 1)), "too few, off by 2")
    try expectEqual(kind(count(.exactly(3), 5)), "too many, off by 2")
    try expectEqual(kind(count(CountRange(3, 2), 3)), "too many, off by 1")
    try expectEqual(kind(count(.atLeast(3), 5)), "too many, off by 0")
  }

  @Test("what is above its bound is too many, what tells nothing is vacuous, and what holds is no failure")
  func others() throws {
    try expectEqual(kind(.peak(of: .entries, bound: 1, found: 2)), "too many")
    let forbidden = VerdictReason.forbidden(EventMatch(.found), Instant.zero...Instant.zero, Self.lost(1))
    try expectEqual(kind(forbidden), "what must not be was")
    try expectEqual(kind(.changeAfterConvergence(from: .zero, Self.lost(1))), "what must not be was")
    for reason in [VerdictReason.nothingHappened, .neverHappened, .noSeedTells, .tooFewSamples(1, of: 2)] {
      try expectEqual(kind(reason), "nothing was put to the test")
    }
    try expectEqual(kind(nil), nil)
  }
}
