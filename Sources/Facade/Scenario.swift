public import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
public import RollcallSimulation

/// A scenario, against which any engine can be run: a `Machine` of your own, or Rollcall's.
///
///     let result = try Scenario(contentsOf: "quick-return.yaml").run(seeds: 1...200) { MyEngine() }
///     #expect(result.passed, "\(result)")
///
/// The engine takes the place of Rollcall's in the virtual network: it is given datagrams, commands and changes of its
/// interfaces, and its reports are compared with what the scenario expects.
public struct Scenario: Sendable {
  /// The file as it was given, or what the text is called.
  public let path: String
  private let file: ScenarioFile

  /// Reads and checks a scenario file.
  /// - Throws: `ScenarioError` with the place of each mistake, or why the file cannot be read.
  public init(contentsOf path: String) throws(ScenarioError) {
    self.path = path
    do { file = try ScenarioFile.read(path) } catch let errors as ScenarioErrors {
      throw ScenarioError(description: errors.description)
    } catch {
      throw ScenarioError(description: "\(path): \(error)")
    }
  }

  /// Reads and checks the text of a scenario.
  /// - Parameter path: what errors and findings call it.
  /// - Throws: `ScenarioError` with the place of each mistake.
  public init(yaml: String, path: String = "scenario.yaml") throws(ScenarioError) {
    self.path = path
    do {
      file = ScenarioFile(path: path, scenario: try RollcallScenarios.Scenario(yaml: yaml, file: path))
    } catch { throw ScenarioError(description: "\(error)") }
  }

  /// What the scenario is called.
  public var title: String { file.scenario.title }
  public var tags: [String] { file.scenario.tags }
  /// The seeds that it runs with unless others are given.
  public var seeds: ClosedRange<UInt64> { file.scenario.seeds }

  /// Runs each point of the scenario under each seed.
  /// - Parameters:
  ///   - seeds: `nil`: those of the scenario.
  ///   - jobs: runs at a time. Results do not depend on it.
  ///   - engine: makes an engine as it is before a run; called once for each run.
  /// - Throws: `ScenarioError` where the points of its sweep cannot be worked out.
  @inlinable public func run<Engine: Machine & SendableMetatype>(
    seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1, engine: @escaping @Sendable () -> Engine
  ) throws(ScenarioError) -> ScenarioResult {
    try run(seeds, jobs) { $0.append(engine()) }
  }

  /// The same with Rollcall's own engine, as the scenario configures it.
  public func run(seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1) throws(ScenarioError) -> ScenarioResult {
    try run(seeds, jobs, nil)
  }

  @usableFromInline func run(
    _ seeds: ClosedRange<UInt64>?, _ jobs: Int, _ engine: (@Sendable (inout Machines) -> Void)?
  ) throws(ScenarioError) -> ScenarioResult {
    var options = Suite.Options(seeds: seeds, jobs: jobs)
    options.engine = engine.map { RunEngine(adding: $0) }
    let runs = Runs()
    do {
      try Suite(files: [file], options: options).run { runs.list.append(ScenarioRun($0)) }
    } catch { throw ScenarioError(description: "\(error)") }
    return ScenarioResult(file: file, runs: runs.list, engine: engine)
  }

  /// A suite hands its runs over one at a time.
  private final class Runs: @unchecked Sendable {
    var list: [ScenarioRun] = []
  }
}

/// Why a scenario cannot be run: all that is wrong, a line each, with file, line and column where there is a place.
public struct ScenarioError: Error, CustomStringConvertible {
  public let description: String

  package init(description: String) { self.description = description }
}
