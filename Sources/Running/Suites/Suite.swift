package import RollcallPrimitives
package import RollcallScenarios
package import RollcallTrace

/// One run that is to be done: a point of a scenario and a seed.
package struct SuiteTask: Sendable {
  package var file: Int
  package var point: Int
  package var seed: UInt64
  /// Whether it is the last run of its point here: then expectations over several seeds are judged. The runs of a
  /// point without such expectations may be in several parts, each with a last run.
  var isLastOfPoint: Bool
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
  /// What went wrong, for `error`, `budget`, and for `vacuous` where nothing is expected at all.
  package var message: String?
  /// Whether a planted fault was on, and which.
  package var planted: String?
  /// What happened around each verdict that is bad, by the verdict's id.
  package var nearby: [(id: String, reports: [NearbyReport])] = []
  /// The engine's reports, where they were asked for.
  package var reports: SuiteReports?
  /// The command that starts its engine; `nil`: it is one of this process.
  package var engine: String?
  /// What an engine that failed said last; hostile text.
  package var notes: [String] = []
  /// How long it took, in seconds of the clock on the wall.
  package var seconds = 0.0
  /// How it stands to the file of expected results; `nil`: there is none, or it passes and nothing else is expected.
  package var standing: RunStanding?
}

/// The reports of a run: the first of them.
package struct SuiteReports: Sendable {
  package var listed: [TimedReport]
  package var count: Int

  package static let listedMaximum = 1_000

  /// Refused datagrams are no reports: a flood has more of them than anybody reads.
  init(_ evidence: Judge.Evidence) {
    let reports = evidence.reports.filter { if case .rejected = $0.report { false } else { true } }
    (listed, count) = (Array(reports.prefix(SuiteReports.listedMaximum)), reports.count)
  }
}

/// Many scenarios, their points and seeds, on all cores; results come in the order of the tasks.
///
/// What it keeps does not grow with the seeds: runs are handed over one by one, and what is judged over all seeds of a
/// point is folded as they come.
package struct Suite: Sendable {
  package struct Options: Sendable {
    package enum Reports: Sendable { case none, failed, all }

    package var seeds: ClosedRange<UInt64>?
    package var jobs: Int
    /// Shard `index` of `count`, from 1: the runs that `ShardPlan` gives it.
    package var shard: (index: Int, count: Int)
    package var filter: ScenarioFilter
    /// Runs each scenario with the fault that it names in `bites`; those that name none are left out.
    package var bites: Bool
    /// Mixed into every seed: the alarm test of `--check-determinism`.
    package var seedNoise: UInt64
    /// Runs whose reports are kept.
    package var reports: Reports
    /// What takes the place of the engine in each run; `nil`: Rollcall's own is in it.
    package var engine: RunEngine?
    /// Asked before each run: no more are begun once it says so.
    package var isOver: @Sendable () -> Bool

    package init(
      seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1, shard: (index: Int, count: Int) = (1, 1),
      filter: ScenarioFilter = ScenarioFilter(), bites: Bool = false, seedNoise: UInt64 = 0,
      reports: Reports = .none, isOver: @escaping @Sendable () -> Bool = { false }
    ) {
      self.seeds = seeds
      self.jobs = jobs
      self.shard = shard
      self.filter = filter
      self.bites = bites
      self.seedNoise = seedNoise
      self.reports = reports
      self.isOver = isOver
    }
  }

  package let files: [ScenarioFile]
  /// Scenarios that name no fault, where each is to run with the one that it names.
  package let toothless: [ScenarioFile]
  /// Scenarios that are not for the engine in the place of Rollcall's, and why.
  package let unfit: [(file: ScenarioFile, why: String)]
  /// Expectations of the others that are not asked of it.
  package let unaskedCount: Int
  package let options: Options
  let points: [[Point]]
  private let legs: [Leg]
  package let taskCount: Int

  /// Runs of one point, their seeds a fixed distance apart.
  private struct Leg: Sendable {
    var file: Int
    var point: Int
    /// The first seed, the distance of one to the next, and how many there are.
    var seed: UInt64
    var stride: UInt64
    var count: Int
    /// The number of its first task.
    var first: Int
  }

  /// A point with its seeds, before shards are made.
  private struct Part {
    var file: Int
    var point: Int
    var seeds: ClosedRange<UInt64>
    /// Parts of one number have all of their runs in one shard; `nil`: its runs may be in any.
    var bundle: Int?
  }

  package init(files: [ScenarioFile], options: Options) throws {
    self.options = options
    let wanted = files.filter { options.filter.takes(path: $0.path) && options.filter.takes(tags: $0.scenario.tags) }
    let isForeign = options.engine?.isForeign == true
    var unfit: [(file: ScenarioFile, why: String)] = []
    var fit: [ScenarioFile] = []
    for file in wanted {
      let why = isForeign ? EngineFit.obstacle(of: file.scenario) : nil
      if let why { unfit.append((file, why)) } else { fit.append(file) }
    }
    self.unfit = unfit
    unaskedCount = isForeign ? fit.reduce(0) { $0 + EngineFit.unanswered(in: $1.scenario).count } : 0
    self.files = options.bites ? fit.filter { $0.scenario.bites != nil } : fit
    toothless = options.bites ? fit.filter { $0.scenario.bites == nil } : []
    var points: [[Point]] = []
    var parts: [Part] = []
    var weights: [Int] = []
    for (fileNumber, file) in self.files.enumerated() {
      let scenario = options.bites ? file.scenario.bitten ?? file.scenario : file.scenario
      let list = try scenario.points(file: file.path)
      points.append(list)
      for (number, point) in list.enumerated() {
        var part = Part(file: fileNumber, point: number, seeds: options.seeds ?? point.scenario.seeds)
        // Of a scenario with its fault planted one run has to fail, whichever it is.
        if options.bites {
          if number == 0 { weights.append(0) }
          part.bundle = weights.count - 1
        } else if point.scenario.expectations.contains(where: \.isOverSeeds) {
          part.bundle = weights.count
          weights.append(0)
        }
        if let bundle = part.bundle { weights[bundle] += part.seeds.count }
        parts.append(part)
      }
    }
    let singles = parts.reduce(0) { $0 + ($1.bundle == nil ? $1.seeds.count : 0) }
    let plan = ShardPlan(options.shard.index, of: options.shard.count, wholes: weights, singles: singles)
    let legs = Suite.legs(parts, plan)
    (self.points, self.legs, taskCount) = (points, legs, legs.reduce(0) { $0 + $1.count })
  }

  /// The runs of a shard, in the order of the parts.
  private static func legs(_ parts: [Part], _ plan: ShardPlan) -> [Leg] {
    var legs: [Leg] = []
    var (count, single) = (0, 0)
    func add(_ part: Part, _ deal: ShardPlan.Deal) {
      legs.append(
        Leg(
          file: part.file, point: part.point, seed: part.seeds.lowerBound + UInt64(deal.first),
          stride: UInt64(deal.stride), count: deal.count, first: count))
      count += deal.count
    }
    for part in parts {
      let size = part.seeds.count
      if let bundle = part.bundle {
        if plan.wholes.contains(bundle) { add(part, ShardPlan.Deal(first: 0, stride: 1, count: size)) }
        continue
      }
      for deal in plan.deals {
        guard var mine = deal.within(single..<(single + size)) else { continue }
        mine.first -= single
        add(part, mine)
      }
      single += size
    }
    return legs
  }

  /// The task with this number, from 0.
  package func task(_ number: Int) -> SuiteTask {
    var (low, high) = (0, legs.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if legs[middle].first <= number { low = middle } else { high = middle - 1 }
    }
    let leg = legs[low]
    let place = number - leg.first
    return SuiteTask(
      file: leg.file, point: leg.point, seed: leg.seed + UInt64(place) * leg.stride,
      isLastOfPoint: place == leg.count - 1)
  }

  /// Performs all tasks; `each` is called once for each, in their order, one at a time.
  package func run(_ each: @escaping @Sendable (SuiteRun) -> Void) {
    SuiteRunner(suite: self, each: each).run()
  }
}
