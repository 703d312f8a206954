import Foundation
package import Primitives
package import Scenarios

/// One scenario file, read and checked.
package struct ScenarioFile: Sendable {
  /// As given, or below the folder that was given.
  package var path: String
  package var scenario: Scenario

  package init(path: String, scenario: Scenario) { (self.path, self.scenario) = (path, scenario) }

  /// Reads one file.
  /// - Throws: `ScenarioErrors`, each with file, line and column; or the system's words where it cannot be read.
  package static func read(_ path: String) throws -> ScenarioFile {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return ScenarioFile(path: path, scenario: try Scenario(yaml: String(decoding: data, as: UTF8.self), file: path))
  }

  /// The scenario files that a path stands for: itself, or every `.yaml` below it, in order of their names.
  package static func paths(at path: String) -> [String]? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    guard isFolder.boolValue else { return [path] }
    let base = path.hasSuffix("/") ? String(path.dropLast()) : path
    let below = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return below.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted().map { base + "/" + $0 }
  }
}

/// One run that is to be done: a point of a scenario and a seed.
package struct SuiteTask: Sendable {
  package var file: Int
  package var point: Int
  package var seed: UInt64
  /// Whether it is the last seed of its point: then expectations over several seeds are judged.
  package var isLastOfPoint: Bool
}

/// What became of one task, ready to be printed.
package struct SuiteRun: Sendable {
  package var path: String
  package var title: String
  package var point: [Point.Value]
  package var seed: UInt64
  package var outcome: RunOutcome
  package var digest: Digest
  package var entries: UInt64
  package var virtualTime: Interval
  package var verdicts: [Verdict]
  /// What went wrong, for `error` and `budget`.
  package var message: String?
  /// Whether a planted fault was on, and which.
  package var planted: String?
}

/// Many scenarios, their points and seeds, on all cores; results come in the order of the tasks.
package struct Suite: Sendable {
  package struct Options: Sendable {
    package var seeds: ClosedRange<UInt64>?
    package var jobs: Int
    /// Shard `index` of `count`, from 1.
    package var shard: (index: Int, count: Int)
    package var tags: [String]
    /// Runs each scenario with the fault that it names in `bites`.
    package var bites: Bool
    /// Mixed into every seed: the alarm test of `--check-determinism`.
    package var seedNoise: UInt64

    package init(
      seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1, shard: (index: Int, count: Int) = (1, 1), tags: [String] = [],
      bites: Bool = false, seedNoise: UInt64 = 0
    ) {
      self.seeds = seeds
      self.jobs = jobs
      self.shard = shard
      self.tags = tags
      self.bites = bites
      self.seedNoise = seedNoise
    }
  }

  package let files: [ScenarioFile]
  package let options: Options
  private let points: [[Point]]
  package let tasks: [SuiteTask]

  package init(files: [ScenarioFile], options: Options) throws {
    self.options = options
    self.files = files.filter { file in
      options.tags.isEmpty || options.tags.contains { file.scenario.tags.contains($0) }
    }
    var points: [[Point]] = []
    var tasks: [SuiteTask] = []
    for (number, file) in self.files.enumerated() {
      let scenario = options.bites ? file.scenario.bitten ?? file.scenario : file.scenario
      let list = try scenario.points(file: file.path)
      points.append(list)
      for point in list.indices {
        let seeds = options.seeds ?? list[point].scenario.seeds
        for seed in seeds {
          tasks.append(SuiteTask(file: number, point: point, seed: seed, isLastOfPoint: seed == seeds.upperBound))
        }
      }
    }
    self.points = points
    let shard = options.shard
    if shard.count > 1 {
      // A point stays whole, so that what is judged over its seeds can be.
      var number = -1
      var last = (-1, -1)
      tasks = tasks.filter { task in
        if (task.file, task.point) != last {
          last = (task.file, task.point)
          number += 1
        }
        return number % shard.count == shard.index - 1
      }
    }
    self.tasks = tasks
  }

  /// Performs all tasks; `each` is called once for each, in their order, one at a time.
  package func run(_ each: @escaping @Sendable (SuiteRun) -> Void) {
    let groups = groupedTasks()
    let turnstile = Turnstile(count: groups.count, each: each)
    let next = Counter()
    let jobs = max(1, min(options.jobs, groups.count))
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while let group = next.take(below: groups.count) { turnstile.pass(group, perform(groups[group])) }
    }
  }

  /// Runs of a point that has to be judged as a whole stay together; all others go one by one.
  private func groupedTasks() -> [[SuiteTask]] {
    var groups: [[SuiteTask]] = []
    for task in tasks {
      let isWhole = points[task.file][task.point].scenario.expectations.contains {
        switch $0.kind {
        case .share, .distribution: true
        default: false
        }
      }
      if isWhole, let last = groups.last?.last, last.file == task.file, last.point == task.point {
        groups[groups.count - 1].append(task)
      } else {
        groups.append([task])
      }
    }
    return groups
  }

  private func perform(_ group: [SuiteTask]) -> [SuiteRun] {
    guard let first = group.first else { return [] }
    let point = points[first.file][first.point]
    let path = files[first.file].path
    let resolved: Resolved
    do {
      resolved = try point.scenario.resolved()
    } catch {
      return group.map { failed($0, path: path, point: point, message: "\(error)") }
    }
    var results: [RunResult] = []
    var runs: [SuiteRun] = []
    for task in group {
      let result = Run.perform(resolved, seed: Seed(task.seed ^ options.seedNoise))
      var run = SuiteRun(
        path: path, title: point.scenario.title, point: point.values, seed: task.seed, outcome: result.outcome,
        digest: result.digest, entries: result.entries, virtualTime: result.virtualTime, verdicts: result.verdicts,
        message: result.reachedBudget,
        planted: options.bites ? files[task.file].scenario.bites.map { BiteText.name($0) } : nil)
      results.append(result)
      if task.isLastOfPoint {
        let over = resolved.expectations.enumerated().compactMap {
          Judge.verdict(on: $0.element, number: $0.offset, over: results)
        }
        run.verdicts += over
        if run.outcome != .budget { run.outcome = Run.outcome(run.verdicts, reachedBudget: false) }
      }
      runs.append(run)
    }
    return runs
  }

  private func failed(_ task: SuiteTask, path: String, point: Point, message: String) -> SuiteRun {
    SuiteRun(
      path: path, title: point.scenario.title, point: point.values, seed: task.seed, outcome: .error, digest: Digest(),
      entries: 0, virtualTime: .zero, verdicts: [], message: message)
  }
}

/// Lets results through in their order, whatever order they come in.
private final class Turnstile: @unchecked Sendable {
  private let lock = NSLock()
  private var waiting: [[SuiteRun]?]
  private var next = 0
  private let each: @Sendable (SuiteRun) -> Void

  init(count: Int, each: @escaping @Sendable (SuiteRun) -> Void) {
    waiting = Array(repeating: nil, count: count)
    self.each = each
  }

  func pass(_ number: Int, _ runs: [SuiteRun]) {
    lock.lock()
    defer { lock.unlock() }
    waiting[number] = runs
    while next < waiting.count, let ready = waiting[next] {
      waiting[next] = []
      next += 1
      for run in ready { each(run) }
    }
  }
}

private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var value = 0
  func take(below bound: Int) -> Int? {
    lock.lock()
    defer { lock.unlock() }
    guard value < bound else { return nil }
    value += 1
    return value - 1
  }
}
