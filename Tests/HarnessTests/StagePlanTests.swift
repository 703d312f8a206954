import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import Synchronization
import Testing

/// What a world is made of for a run, before anything happens.
@Suite("The plan of a run") struct StagePlanTests {
  private static func resolved() throws -> Resolved {
    let text = """
      scenario: A crowd
      duration: 5s
      inhabitants:
        tv: {kind: root-device}
        crowd: {kind: responder, answers-per-search: 2}
        flooder: {kind: flooder, appear: 1s, rate: 200/s, for: 2s}
      """
    return try Scenario(yaml: text, file: "x.yaml").resolved()
  }

  @Test("each host has one machine, and there is a keeper of values where the scenario has a store")
  func parts() throws {
    var resolved = try Self.resolved()
    for (store, media) in [(nil, []), (StorePlan(), ["StoreMedium"])] as [(StorePlan?, [String])] {
      resolved.store = store
      let plan = Stage.plan(resolved, seed: Seed(1))
      expectEqual(plan.machines.count, 4)
      expectEqual(plan.media.map { String(describing: type(of: $0)) }, media)
    }
  }

  @Test("the budget is that of the scenario, and a negative one is 0")
  func budgets() throws {
    var resolved = try Self.resolved()
    for (given, expected) in [(-1, 0), (0, 0), (1, 1), (1_000, 1_000)] as [(Int, UInt64)] {
      resolved.scenario.budget = Budget(events: given, entries: given + 1)
      let plan = Stage.plan(resolved, seed: Seed(1))
      expectEqual(plan.eventsMaximum, expected)
      expectEqual(plan.entriesMaximum, UInt64(given + 1))
    }
    resolved.scenario.budget = Budget(events: 7, entries: -5)
    let plan = Stage.plan(resolved, seed: Seed(1))
    expectEqual(plan.entriesMaximum, 0)
  }

  @Test("the engine draws from the seed of its run, and has the faults that are planted")
  func configuration() throws {
    let resolved = try Self.resolved()
    for seed: UInt64 in [0, 7] {
      let configuration = Stage.configuration(of: resolved, seed: Seed(seed), switches: [.recordsNotRefreshed])
      expectEqual(configuration.querySeed, Seed(seed))
      #expect(configuration.switches.contains(.recordsNotRefreshed))
    }
  }

  private final class Seen: Sendable { let numbers = Mutex<[Int]>([]) }

  @Test("tasks come in their order on very many threads")
  func manyJobs() {
    let seen = Seen()
    OrderedTasks<Int>.run(
      200, jobs: 65, isOver: { false }, worker: { { number in number } },
      each: { done in seen.numbers.withLock { $0.append(done) } })
    expectEqual(seen.numbers.withLock { $0 }, Array(0..<200))
  }
}
