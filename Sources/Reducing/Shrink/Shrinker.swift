import RollcallPrimitives
package import RollcallRunning
package import RollcallScenarios
import RollcallTrace

/// Takes a failing scenario apart until nothing can be left out without losing the failure.
///
/// Hierarchical delta debugging over the document: whole inhabitants first, then members, deeds, faults, datagrams,
/// time, and at last every key that is not needed. A step is kept if the same expectation fails in the same manner and,
/// where a fault was planted, holds without it. Named random streams make that work: an inhabitant that is taken
/// away changes no draw of the others.
package struct Shrinker {
  package struct Options {
    package var seed: UInt64
    package var fault: PlantedFault?
    /// Id of the expectation whose failure is kept; `nil`: the first that fails.
    package var expectation: String?
    /// More candidates are not tried.
    package var candidatesMaximum = 20_000
    /// Asked before each candidate: whether the time is up.
    package var isOver: () -> Bool
    /// Told before each candidate how many were tried.
    package var progress: (_ tried: Int) -> Void

    package init(
      seed: UInt64, fault: PlantedFault? = nil, expectation: String? = nil, isOver: @escaping () -> Bool = { false },
      progress: @escaping (_ tried: Int) -> Void = { _ in }
    ) {
      (self.seed, self.fault, self.expectation, self.isOver) = (seed, fault, expectation, isOver)
      self.progress = progress
    }
  }

  /// One kind of step, as the table shows it.
  package struct Pass: Hashable, Sendable {
    package var name: String
    package var tried = 0
    package var kept = 0
    /// After the pass.
    package var size: ScenarioSize
  }

  package struct Outcome {
    package var scenario: Scenario
    package var kind: FailureKind
    /// The verdict in the shrunk scenario.
    package var verdict: Verdict
    package var passes: [Pass]
    package var before: ScenarioSize
    package var after: ScenarioSize
    /// Whether a bound ended it before nothing was left to try.
    package var wasCut: Bool
    /// What was left out, a line each.
    package var removed: [String]
  }

  package enum Problem: Error, Hashable, CustomStringConvertible {
    case passes(outcome: String)
    case noSuchExpectation(String)
    case needsSeveralSeeds(String)
    case failsWithoutFault(String)
    case broken(String)

    package var description: String {
      switch self {
      case .passes(let outcome): "nothing to shrink: the run is \(outcome); --seed and --switch choose a run that fails"
      case .noSuchExpectation(let id): "there is no expectation '\(id)' that fails"
      case .needsSeveralSeeds(let id):
        "'\(id)' is judged over several seeds together: only what one run decides can be shrunk"
      case .failsWithoutFault(let id):
        "'\(id)' fails without the planted fault too: shrink it without --switch or --bite"
      case .broken(let message): message
      }
    }
  }

  let original: Scenario
  let options: Options
  /// The best so far.
  var best: Tree
  var kind: FailureKind
  var verdict: Verdict
  var passes: [Pass] = []
  var current = Pass(name: "", size: ScenarioSize())
  var candidates = 0
  /// Trees that were tried, by their text: a step that comes back is not run again.
  private var refused: Set<String> = []
  private let entriesMaximum: Int

  /// Runs the scenario, one point of it, and finds the failure that is to be kept.
  package init(_ scenario: Scenario, options: Options) throws(Problem) {
    var scenario = scenario
    scenario.seeds = options.seed...options.seed
    scenario.sweep = []
    original = scenario
    self.options = options
    let failing = try Shrinker.run(scenario, options.fault, options.seed)
    let clean = options.fault == nil ? nil : try Shrinker.run(scenario, nil, options.seed)
    let kinds = scenario.expectations.indices.compactMap { position -> FailureKind? in
      let id = scenario.id(ofExpectation: position)
      if let wanted = options.expectation, wanted != id { return nil }
      guard let verdict = failing.verdicts.first(where: { $0.id == id }) else { return nil }
      return FailureKind(verdict, scenario.expectations[position], position: position, failing.evidence)
    }
    // The first that the fault alone is to blame for.
    let blamed = kinds.first { kind in
      guard let clean else { return true }
      let id = scenario.id(ofExpectation: kind.expectation)
      return clean.verdicts.first { $0.id == id }?.outcome == .held
    }
    guard let kind = blamed else {
      if let first = kinds.first { throw .failsWithoutFault(scenario.id(ofExpectation: first.expectation)) }
      // What one run has no verdict on is judged when all seeds were run.
      let overSeeds = scenario.expectations.indices.map { scenario.id(ofExpectation: $0) }
        .filter { id in !failing.verdicts.contains { $0.id == id } }
      if let wanted = options.expectation {
        throw overSeeds.contains(wanted) ? Problem.needsSeveralSeeds(wanted) : Problem.noSuchExpectation(wanted)
      }
      if failing.outcome == .passed, let first = overSeeds.first { throw .needsSeveralSeeds(first) }
      throw .passes(outcome: failing.outcome.rawValue)
    }
    self.kind = kind
    var alone = scenario
    alone.expectations = [scenario.expectations[kind.expectation]]
    alone.expectations[0].id = nil
    alone.vacuousOK = []
    // A bite names an inhabitant that could not go then.
    if options.fault != .bite { alone.bites = nil }
    let id = scenario.id(ofExpectation: kind.expectation)
    verdict = failing.verdicts.first { $0.id == id } ?? Verdict(id: id, text: "", outcome: .violated)
    best = alone.document
    entriesMaximum = Int(clamping: failing.entries) * 2 + 10_000
    if options.fault == nil { self.kind.distance = kind.distance } else { self.kind.distance = nil }
  }

  private static func run(_ scenario: Scenario, _ fault: PlantedFault?, _ seed: UInt64) throws(Problem) -> RunResult {
    guard let planted = fault.map({ $0.plant(scenario) }) ?? scenario else {
      throw .broken("the scenario names no fault in 'bites'")
    }
    do { return Run.perform(try planted.resolved(), seed: Seed(seed)) } catch { throw .broken("\(error)") }
  }

  // MARK: Trying

  /// Tries a smaller document; the best so far becomes it if the failure is the same.
  @discardableResult
  mutating func attempt(_ tree: Tree) -> Bool {
    if isOver || tree == best { return false }
    let text = tree.flow
    guard refused.insert(text).inserted else { return false }
    options.progress(candidates)
    candidates += 1
    current.tried += 1
    guard let kept = judged(tree) else { return false }
    (best, verdict) = kept
    current.kept += 1
    return true
  }

  var isOver: Bool { candidates >= options.candidatesMaximum || options.isOver() }

  /// The document, with its counts corrected where the planted fault is the oracle, if it fails as it should.
  private func judged(_ tree: Tree) -> (Tree, Verdict)? {
    guard var scenario = try? Scenario.read(tree) else { return nil }
    scenario.budget.entries = min(scenario.budget.entries, entriesMaximum)
    guard let failing = run(scenario, options.fault) else { return nil }
    let verdict = failed(scenario, failing)
    guard options.fault != nil else { return verdict.map { (tree, $0) } }
    if verdict == nil, !isCounting(scenario) { return nil }
    guard let clean = run(scenario, nil) else { return nil }
    if clean.verdicts.first?.outcome == .held, let verdict { return (tree, verdict) }
    // The world got smaller: what the sound engine makes of it is the new count, and the fault has to miss that.
    guard let counted = recounted(scenario, clean), let again = run(counted, options.fault),
      let other = failed(counted, again), run(counted, nil)?.verdicts.first?.outcome == .held
    else { return nil }
    var document = counted
    document.budget = (try? Scenario.read(tree))?.budget ?? Budget()
    return (document.document, other)
  }

  private func run(_ scenario: Scenario, _ fault: PlantedFault?) -> RunResult? {
    guard let planted = fault.map({ $0.plant(scenario) }) ?? scenario, let resolved = try? planted.resolved() else {
      return nil
    }
    let result = Run.perform(resolved, seed: Seed(options.seed))
    return result.outcome == .budget ? nil : result
  }

  private func failed(_ scenario: Scenario, _ result: RunResult) -> Verdict? {
    guard let verdict = result.verdicts.first, let expectation = scenario.expectations.first,
      var found = FailureKind(verdict, expectation, position: kind.expectation, result.evidence)
    else { return nil }
    if options.fault != nil { found.distance = nil }
    return found == kind ? verdict : nil
  }

  /// Whether its expectation names a number that a smaller world may change.
  private func isCounting(_ scenario: Scenario) -> Bool {
    switch scenario.expectations.first?.kind {
    case .present(let present): return present.count != nil
    case .happens(let happens):
      if case .searchEnded(let ended) = happens.event, ended.services != nil { return true }
      return happens.times.minimum > 1
    case .always: return true
    default: return false
    }
  }

  /// The scenario with the count of its expectation as this run has it; `nil` where it counts nothing.
  private func recounted(_ scenario: Scenario, _ result: RunResult) -> Scenario? {
    var copy = scenario
    guard let expectation = scenario.expectations.first else { return nil }
    switch expectation.kind {
    case .present(var present):
      guard case .deviceCount(_, _, let found) = result.verdicts.first?.reason, !found.isEmpty else { return nil }
      present.count = .exactly(found.count)
      copy.expectations[0].kind = .present(present)
    case .happens(var happens):
      guard case .searchEnded(var ended) = happens.event, ended.services != nil else {
        guard happens.times.minimum > 1, case .count(let miss) = result.verdicts.first?.reason, miss.count > 0 else {
          return nil
        }
        happens.times = .exactly(miss.count)
        copy.expectations[0].kind = .happens(happens)
        return copy
      }
      guard
        let outcome = result.evidence.reports.compactMap({ entry -> SearchOutcome? in
          guard case .searchEnded(let outcome) = entry.report,
            (ended.search ?? outcome.search.number) == outcome.search.number
          else { return nil }
          return outcome
        }).first
      else { return nil }
      ended.services = .exactly(outcome.services.count)
      happens.event = .searchEnded(ended)
      copy.expectations[0].kind = .happens(happens)
    case .always(var always):
      if always.entriesAtMost != nil { always.entriesAtMost = result.evidence.entriesPeak }
      if always.devicesAtMost != nil { always.devicesAtMost = result.evidence.devicesPeak }
      copy.expectations[0].kind = .always(always)
    default: return nil
    }
    return copy
  }
}
