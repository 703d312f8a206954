import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallRunning
import RollcallScenarios
import Testing

/// The shrinker against every fault of the engine that the scenarios catch; `make shrinks` writes the folder anew.
@Suite("Shrinking scenarios")
struct ShrinkTests {
  static let folder = Places.root.appendingPathComponent("Tests/HarnessTests/Shrinks")

  static func committed(_ fault: EngineSwitch) throws -> Scenario {
    try ScenarioFile.read(folder.appendingPathComponent("\(fault.rawValue).yaml").path).scenario
  }

  /// How the only expectation comes out with and without the fault.
  private func outcomes(_ scenario: Scenario, _ fault: EngineSwitch) throws -> (clean: RunOutcome, planted: RunOutcome)
  {
    let resolved = try scenario.resolved()
    let seed = Seed(scenario.seeds.lowerBound)
    return (
      Run.perform(resolved, seed: seed).outcome,
      Run.perform(resolved, seed: seed, options: RunOptions(switches: [fault])).outcome
    )
  }

  @Test(
    "what is left of the largest scenario that catches a fault still catches it, and is small",
    arguments: EngineSwitch.allCases)
  func committedShrinks(_ fault: EngineSwitch) throws {
    let scenario = try ShrinkTests.committed(fault)
    let outcome = try outcomes(scenario, fault)
    expectEqual(outcome.clean, .passed)
    expectEqual(outcome.planted, .failed)
    expectEqual(scenario.bites, .engine(fault))
    let size = ScenarioSize(scenario)
    #expect(size.inhabitants <= 10)
    #expect(size.timeline <= 5)
  }

  @Test("it is at most twice as large as what a person would write by hand")
  func againstMinima() throws {
    #expect(ShrinkMinima.all.count >= 20)
    for (fault, body) in ShrinkMinima.all {
      let minimum = try Scenario(yaml: "scenario: minimum\n" + body, file: fault.rawValue)
      let outcome = try outcomes(minimum, fault)
      expectEqual(outcome.clean, .passed, "\(fault) by hand")
      expectEqual(outcome.planted, .failed, "\(fault) by hand")
      let (least, shrunk) = (ScenarioSize(minimum).nodes, ScenarioSize(try ShrinkTests.committed(fault)).nodes)
      if let reason = ShrinkMinima.larger[fault] {
        #expect(shrunk > 2 * least, "\(fault) is small now; it was larger because \(reason)")
      } else {
        #expect(shrunk <= 2 * least, "\(fault): \(shrunk) nodes, by hand \(least)")
      }
    }
  }

  @Test(
    "a scenario shrinks to the committed text, byte for byte",
    arguments: [
      ("neighbours-leave-one-by-one", EngineSwitch.byebyeEndsNeighbour),
      ("/manager/both-families-one-device", .familyIsTwoDevices),
      ("forged-byebye", .foreignByebyeAccepted), ("two-interfaces", .interfaceDownIgnored),
      ("searches-that-cannot-be", .mxUnchecked),
    ])
  func reproducible(_ path: String, _ fault: EngineSwitch) throws {
    let file = path.hasPrefix("/") ? "Scenarios\(path).yaml" : "Scenarios/ssdp/\(path).yaml"
    let scenario = try ScenarioFile.read(Places.root.appendingPathComponent(file).path).scenario
    let point = try #require(try scenario.points(file: file).first)
    let seed = scenario.seeds.lowerBound
    var shrinker = try Shrinker(point.scenario, options: Shrinker.Options(seed: seed, fault: .engine(fault)))
    let outcome = shrinker.shrink()
    #expect(!outcome.wasCut)
    let text = ShrinkText.yaml(outcome, of: file, seed: seed, point: point.values)
    let committed = try String(
      contentsOf: ShrinkTests.folder.appendingPathComponent("\(fault.rawValue).yaml"), encoding: .utf8)
    expectEqual(text, committed)
    // Nothing that is left can go: another round keeps no step.
    var again = try Shrinker(outcome.scenario, options: Shrinker.Options(seed: seed, fault: .engine(fault)))
    expectEqual(again.shrink().scenario, outcome.scenario)
  }

  @Test("the table of the steps shows what was tried, what was kept and what is left")
  func table() throws {
    var shrinker = try Shrinker(
      try ShrinkTests.crowd(), options: Shrinker.Options(seed: 1, fault: .engine(.byebyeIgnored)))
    let outcome = shrinker.shrink()
    expectEqual(
      ShrinkText.table(outcome),
      [
        "step            tried   kept  left",
        "as given                      7 inhabitants, 3 deeds, 0 faults, 60 nodes",
        "inhabitants         4      2  1 inhabitants, 2 deeds, 0 faults, 34 nodes",
        "timeline            3      1  1 inhabitants, 1 deeds, 0 faults, 27 nodes",
        "time                5      1  1 inhabitants, 1 deeds, 0 faults, 29 nodes",
        "keys                2      1  1 inhabitants, 1 deeds, 0 faults, 26 nodes",
        "inhabitants         1      0  1 inhabitants, 1 deeds, 0 faults, 26 nodes",
        "timeline            1      0  1 inhabitants, 1 deeds, 0 faults, 26 nodes",
        "time                4      0  1 inhabitants, 1 deeds, 0 faults, 26 nodes",
      ])
    expectEqual(
      outcome.removed,
      [
        "3 of 4 inhabitants: lamp ×4, app, router", "1 of 2 expectations", "2 of 3 entries of the timeline",
        "50s of 1m",
      ])
  }

  static func crowd() throws -> Scenario {
    try Scenario(
      yaml: """
        scenario: A crowd
        inhabitants:
          lamp: {kind: root-device, count: 4}
          tv: {kind: root-device, quirks: [noServer]}
          app: {kind: control-point}
          router: {kind: root-device, profile: router}
        timeline:
          - {at: 5s, search: {mx: 1s}}
          - {at: 10s, leave: tv}
          - {at: 12s, leave: lamp-2}
        expect:
          - {lost: tv, cause: byebye, at: 10s, times: 1}
          - {never: {lost: router}}
        """, file: "crowd")
  }

  @Test("without a planted fault it keeps what the failing expectation speaks of, so that the failure stays the same")
  func withoutOracle() throws {
    var scenario = try ShrinkTests.crowd()
    // Nobody hears the byebye: the failure to find out about.
    scenario.faults = [FaultEntry(at: .zero + .seconds(9), .interfaceDown(who: "tv", interface: 0))]
    var shrinker = try Shrinker(scenario, options: Shrinker.Options(seed: 1))
    let outcome = shrinker.shrink()
    expectEqual(outcome.kind.manner, .never)
    expectEqual(outcome.scenario.inhabitants.map(\.name), ["tv"])
    expectEqual(outcome.scenario.timeline.map(\.deed), [.act(who: "tv", .leave)])
  }

  @Test("a count that is off by one stays off by one, however few are left")
  func distances() throws {
    var scenario = try ShrinkTests.crowd()
    scenario.timeline = []
    scenario.expectations = [Expectation(.present(Present(at: .zero + .seconds(50), count: .exactly(7))))]
    var shrinker = try Shrinker(scenario, options: Shrinker.Options(seed: 1))
    let outcome = shrinker.shrink()
    expectEqual(outcome.kind.manner, .tooFew)
    expectEqual(outcome.kind.distance, 1)
    expectEqual(outcome.scenario.inhabitants.reduce(0) { $0 + $1.count }, 6)
  }

  @Test("a run that passes, an expectation that is not there and a fault that does not matter are refused in words")
  func problems() throws {
    func problem(_ options: Shrinker.Options) throws -> Shrinker.Problem? {
      let crowd = try ShrinkTests.crowd()
      do throws(Shrinker.Problem) {
        _ = try Shrinker(crowd, options: options)
        return nil
      } catch { return error }
    }
    try expectEqual(problem(Shrinker.Options(seed: 1)), .passes(outcome: "passed"))
    try expectEqual(problem(Shrinker.Options(seed: 1, expectation: "e9")), .noSuchExpectation("e9"))
    try expectEqual(problem(Shrinker.Options(seed: 1, fault: .bite)), .broken("the scenario names no fault in 'bites'"))
  }

  @Test("when its time is up it ends with what is left by then")
  func budget() throws {
    var left = 3
    let options = Shrinker.Options(seed: 1, fault: .engine(.byebyeIgnored)) {
      left -= 1
      return left < 0
    }
    var shrinker = try Shrinker(try ShrinkTests.crowd(), options: options)
    let outcome = shrinker.shrink()
    #expect(outcome.wasCut)
    #expect(outcome.after.nodes < outcome.before.nodes)
  }
}
