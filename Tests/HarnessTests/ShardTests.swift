import RollcallExpectations
import RollcallRunning
import RollcallScenarios
import Synchronization
import Testing

/// Shards of a suite: which runs each of them performs.
@Suite("Shards of a suite")
struct ShardTests {
  /// Numbers of a deal, spelled out.
  private static func numbers(_ plan: ShardPlan) -> [Int] {
    plan.deals.flatMap { deal in (0..<deal.count).map { deal.first + $0 * deal.stride } }
  }

  @Test("every run is in one shard, and shards have equally many or one more, but for parts that stay whole")
  func even() {
    let wholes: [[Int]] = [[], [1], [5, 1], [2, 2, 2], [9, 1, 4, 4], [3, 0, 7, 1, 1, 1, 2]]
    for weights in wholes {
      for singles in [0, 1, 2, 7, 12, 40] {
        for count in 1...9 {
          var (taken, given): ([Int], [Int]) = ([], [])
          var sizes: [(all: Int, singly: Int)] = []
          for index in 1...count {
            let plan = ShardPlan(index, of: count, wholes: weights, singles: singles)
            let own = Self.numbers(plan)
            taken += own
            let parts = weights.indices.filter { plan.wholes.contains($0) }
            given += parts
            sizes.append((parts.reduce(0) { $0 + weights[$1] } + own.count, own.count))
          }
          let what = "\(weights) and \(singles) in \(count)"
          expectEqual(taken.sorted(), Array(0..<singles), "\(what)")
          expectEqual(given.sorted(), Array(weights.indices), "\(what)")
          let least = sizes.map(\.all).min() ?? 0
          #expect(sizes.allSatisfy { $0.singly == 0 || $0.all <= least + 1 }, "\(what): \(sizes)")
        }
      }
    }
  }

  @Test("runs are dealt in turn; who has a large part gets none until the others have as many")
  func dealt() {
    func plan(_ index: Int) -> ShardPlan { ShardPlan(index, of: 3, wholes: [5, 1], singles: 4) }
    expectEqual(plan(1).wholes, [0])
    expectEqual(Self.numbers(plan(1)), [])
    expectEqual(plan(2).wholes, [1])
    expectEqual(Self.numbers(plan(2)), [2])
    expectEqual(plan(3).wholes, [])
    expectEqual(Self.numbers(plan(3)), [0, 1, 3])
    // However many shards are asked for, the last of them is worked out at once.
    expectEqual(ShardPlan(.max, of: .max, wholes: [5, 1], singles: 4).deals, [])
    expectEqual(Self.numbers(ShardPlan(3, of: .max, wholes: [5, 1], singles: 4)), [0])
  }

  private static func file(_ path: String, _ expect: String, seeds: String, more: String = "") throws -> ScenarioFile {
    let text = """
      scenario: A television comes
      duration: 3s
      seeds: \(seeds)
      \(more)
      inhabitants:
        tv: {kind: root-device, appear: 1s..2s, start-jitter: 0s}
      expect:
        - \(expect)
      """
    return ScenarioFile(path: path, scenario: try Scenario(yaml: text, file: path))
  }

  private final class Gathered: Sendable { let runs = Mutex<[SuiteRun]>([]) }

  private static func runs(_ files: [ScenarioFile], _ options: Suite.Options) throws -> [SuiteRun] {
    let gathered = Gathered()
    try Suite(files: files, options: options).run { run in gathered.runs.withLock { $0.append(run) } }
    return gathered.runs.withLock { $0 }
  }

  private static func texts(_ runs: [SuiteRun]) -> [String] {
    runs.map { run in "\(run.path) \(run.point.map(\.text)) \(run.seed) \(run.outcome) \(run.verdicts.map(\.id))" }
  }

  @Test("a scenario's seeds are spread over shards; what is judged over seeds is judged as in the whole suite")
  func spread() throws {
    let files = [
      try Self.file("a.yaml", "{found: tv}", seeds: "1..5", more: "sweep: {duration: [3s, 4s]}"),
      try Self.file("b.yaml", "{share: {found: tv, at-least: 20%, at-most: 80%}, within: 0s..2s}", seeds: "1..4"),
      try Self.file("c.yaml", "{found: tv}", seeds: "7..9"),
    ]
    let whole = try Self.runs(files, Suite.Options())
    let parts = try (1...3).map { try Self.runs(files, Suite.Options(shard: ($0, 3))) }
    expectEqual(parts.map(\.count), [5, 6, 6])
    expectEqual(parts.flatMap(Self.texts).sorted(), Self.texts(whole).sorted())
    expectEqual(parts.map { $0.count { $0.path == "b.yaml" } }, [4, 0, 0])
    expectEqual(parts.map { $0.filter { $0.path == "c.yaml" }.map(\.seed) }, [[7], [8], [9]])
  }

  @Test("where faults are planted a scenario stays in one shard, for one of its runs has to fail")
  func bites() throws {
    let bites = "bites: engine.byebyeIgnored\nsweep: {duration: [3s, 4s]}"
    let files = [
      try Self.file("a.yaml", "{never: {lost: tv}}", seeds: "1..3", more: bites),
      try Self.file("b.yaml", "{never: {lost: tv}}", seeds: "1..2", more: "bites: engine.byebyeIgnored"),
    ]
    let counts = try (1...3).map { index -> [String] in
      let suite = try Suite(files: files, options: Suite.Options(shard: (index, 3), bites: true))
      return (0..<suite.taskCount).map { suite.files[suite.task($0).file].path }
    }
    expectEqual(counts, [Array(repeating: "a.yaml", count: 6), ["b.yaml", "b.yaml"], []])
    // Each weighs as much as it has runs: three small ones are beside a large one.
    let several = try ["1..3", "1..1", "1..1", "1..1"].enumerated().map { number, seeds in
      try Self.file("\(number).yaml", "{never: {lost: tv}}", seeds: seeds, more: "bites: engine.byebyeIgnored")
    }
    let taken = try (1...2).map { index in
      try Suite(files: several, options: Suite.Options(shard: (index, 2), bites: true)).taskCount
    }
    expectEqual(taken, [3, 3])
  }
}
