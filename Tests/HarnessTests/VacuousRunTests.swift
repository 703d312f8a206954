import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

/// Green means that something was checked.
@Suite("Runs that prove nothing")
struct VacuousRunTests {
  /// A television is there from 10 s on and leaves at 15 s; the run is 20 s long.
  private func run(_ expect: String, more: String = "", leave: String = "15s") throws -> RunResult {
    let text = """
      scenario: A television comes and goes
      duration: 20s
      inhabitants:
        tv: {kind: root-device, appear: 10s, start-jitter: 0s}
      timeline:
        - {at: \(leave), leave: tv}
      \(more)
      expect:\(expect)
      """
    return Run.perform(try Scenario(yaml: text, file: "x.yaml").resolved(), seed: Seed(1))
  }

  private func outcome(_ expectation: String, leave: String = "15s") throws -> Verdict.Outcome? {
    try run("\n  - \(expectation)", leave: leave).verdicts.first?.outcome
  }

  @Test("without expectations the outcome is vacuous, whether the list is empty or not there")
  func none() throws {
    try expectEqual(run(" []").outcome, .vacuous)
    expectEqual(
      Run.perform(try Scenario(yaml: "scenario: a\nduration: 1s", file: "x.yaml").resolved(), seed: Seed(1)).outcome,
      .vacuous)
    try expectEqual(run("\n  - {found: tv}").outcome, .passed)
  }

  @Test("a window that the run ends before or in was not tested: it is vacuous, and not cut short in silence")
  func cutWindow() throws {
    let held = try run("\n  - {never: {found: any}, after: {lost: tv, within: 5s}}")
    expectEqual(held.verdicts.map(\.outcome), [.held])
    let cut = try run("\n  - {never: {found: any}, after: {lost: tv, within: 5001ms}}")
    expectEqual(cut.outcome, .vacuous)
    expectEqual(cut.verdicts.map(\.untestedWindows), [1])
    expectEqual(cut.verdicts.first?.found, "the run ended before its window did")
    let beyond = try run("\n  - {never: {found: any}, after: {lost: tv, within: 6s..8s}}")
    expectEqual(beyond.outcome, .vacuous)
    try expectEqual(outcome("{found: any, after: {lost: tv, within: 6s}}"), .vacuous)
    try expectEqual(outcome("{found: any, after: {lost: tv, within: 5s}}"), .violated)
  }

  @Test("what a window that is cut off has seen already counts: one too many, and enough")
  func seenInCutWindow() throws {
    try expectEqual(outcome("{never: {lost: any}, after: {found: tv, within: 15s}}"), .violated)
    try expectEqual(outcome("{lost: tv, after: {found: tv, within: 15s}}"), .held)
    try expectEqual(outcome("{lost: tv, times: 0, after: {found: tv, within: 15s}}"), .violated)
    // It may happen a second time: nobody knows.
    try expectEqual(outcome("{lost: tv, times: 1, after: {found: tv, within: 15s}}"), .vacuous)
  }

  @Test("each device that is meant on its own has to be tested")
  func eachDevice() throws {
    let more = "faults: []"
    let text = """

        - {never: {found: each}, after: {lost: each, within: 3s}}
      """
    try expectEqual(run(text, more: more).outcome, .passed)
    let two = """
      scenario: Two, and one goes
      duration: 20s
      inhabitants:
        tv: {kind: root-device, start-jitter: 0s}
        lamp: {kind: root-device, start-jitter: 0s}
      timeline:
        - {at: 5s, leave: tv}
      expect:
        - {never: {found: each}, after: {lost: each, within: 3s}}
      """
    let result = Run.perform(try Scenario(yaml: two, file: "x.yaml").resolved(), seed: Seed(1))
    expectEqual(result.outcome, .vacuous)
    expectEqual(result.verdicts.first?.found, "what it counts from never happened")
  }

  @Test("a count from 0 says nothing where nothing happened; times 0 is a never")
  func zero() throws {
    try expectEqual(outcome("{rejected: any, times: 0..5}"), .vacuous)
    try expectEqual(outcome("{lost: tv, times: 0..5}"), .held)
    try expectEqual(outcome("{lost: tv, times: 0..1, within: 0s..9s}"), .vacuous)
    try expectEqual(outcome("{rejected: any, times: 0}"), .held)
  }

  @Test("in a run in which the engine says nothing, no bound and no absence is put to the test")
  func silence() throws {
    let expectations = [
      "{never: {lost: any}}", "{lost: any, times: 0}", "{present: {at: 1s, devices: []}}",
      "{present: {at: 1s, count: 0..3}}", "{always: {devices-at-most: 3}}",
    ]
    for one in expectations {
      let text = "scenario: Nobody\nduration: 5s\nexpect: [\(one)]"
      let result = Run.perform(try Scenario(yaml: text, file: "x.yaml").resolved(), seed: Seed(1))
      expectEqual(result.verdicts.map(\.outcome), [.vacuous], "\(one)")
      try expectEqual(outcome(one.replacing("lost", with: "failed")), .held, "\(one)")
    }
  }

  @Test("a share of seeds leaves out those whose window was cut off, and says nothing where all are")
  func share() throws {
    func outcome(_ expectation: String) throws -> Verdict.Outcome? {
      let text = """
        scenario: A television
        duration: 20s
        inhabitants: {tv: {kind: root-device, start-jitter: 0s}}
        timeline: [{at: 15s, leave: tv}]
        expect: [\(expectation)]
        """
      let resolved = try Scenario(yaml: text, file: "x.yaml").resolved()
      var tally = SeedTally(resolved.expectations)
      for seed: UInt64 in 1...3 { tally.add(Run.perform(resolved, seed: Seed(seed)).contribution) }
      return tally.verdicts.first?.outcome
    }
    try expectEqual(outcome("{share: {lost: tv, at-most: 100%, at-least: 10%}}"), .held)
    try expectEqual(outcome("{share: {failed: any, at-most: 50%}}"), .held)
    try expectEqual(outcome("{share: {failed: any, at-most: 0%}}"), .held)
    try expectEqual(outcome("{share: {lost: tv, at-most: 0%}}"), .violated)
    try expectEqual(outcome("{share: {failed: any, at-least: 10%}}"), .violated)
    // Under every seed the window was cut off: no seed speaks.
    try expectEqual(outcome("{share: {found: tv, at-least: 10%}, after: {lost: tv, within: 6s}}"), .vacuous)
  }
}
