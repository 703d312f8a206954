public import Foundation
public import Rollcall
public import Testing

/// Runs a scenario with Rollcall's own engine, and records an issue where a run does not pass: what the trait
/// `.scenario` does, as a call.
///
///     let result = try expectScenario("quick-return.yaml", seeds: 1...200)
///
/// What the first failed run leaves is attached: its timeline, its trace and its pcapng. Parameters are those of the
/// trait.
/// - Throws: `ScenarioError`: where the scenario cannot be found, read or worked out.
@discardableResult public func expectScenario(
  _ path: String, seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1, in bundle: Bundle? = nil,
  filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
) throws(ScenarioError) -> ScenarioResult {
  try checkScenario(path, bundle, filePath, sourceLocation) { scenario throws(ScenarioError) in
    try scenario.run(seeds: seeds, jobs: jobs)
  }
}

/// The same with an engine of another kind.
/// - Parameter engine: makes an engine as it is before a run; called once for each run.
@inlinable @discardableResult public func expectScenario<Engine: Machine & SendableMetatype>(
  _ path: String, seeds: ClosedRange<UInt64>? = nil, jobs: Int = 1, in bundle: Bundle? = nil,
  filePath: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation,
  engine: @escaping @Sendable () -> Engine
) throws(ScenarioError) -> ScenarioResult {
  try checkScenario(path, bundle, filePath, sourceLocation) { scenario throws(ScenarioError) in
    try scenario.run(seeds: seeds, jobs: jobs, engine: engine)
  }
}

@usableFromInline func checkScenario(
  _ path: String, _ bundle: Bundle?, _ filePath: String, _ sourceLocation: SourceLocation,
  _ run: @escaping @Sendable (Scenario) throws(ScenarioError) -> ScenarioResult
) throws(ScenarioError) -> ScenarioResult {
  try ScenarioCheck(name: path, folder: bundle.map(ScenarioPlace.folder(of:)), filePath: filePath, perform: run)
    .run(at: sourceLocation)
}

/// A scenario that a test runs.
struct ScenarioCheck: Sendable {
  /// As the test has it.
  var name: String
  /// Where the test says that it is; `nil`: nowhere.
  var folder: String?
  /// Of the test.
  var filePath: String
  var perform: @Sendable (Scenario) throws(ScenarioError) -> ScenarioResult

  /// Finds the scenario, runs it, and records an issue where a run does not pass.
  func run(at location: SourceLocation) throws(ScenarioError) -> ScenarioResult {
    let place = ScenarioPlace(name: name, folder: folder, filePath: filePath, module: location.moduleName)
    let result = try perform(Scenario(contentsOf: place.path()))
    guard !result.passed else { return result }
    for file in ScenarioCheck.files(of: result) {
      Attachment.record(file.bytes, named: file.name, sourceLocation: location)
    }
    Issue.record(Comment(rawValue: result.description), sourceLocation: location)
    return result
  }

  /// What is attached: the record of the first run that did not pass.
  static func files(of result: ScenarioResult) -> [(name: String, bytes: [UInt8])] {
    guard let run = result.failures.first else { return [] }
    let name = URL(fileURLWithPath: result.path).deletingPathExtension().lastPathComponent
    return result.record(run).files(named: "\(name)-seed-\(run.seed)")
  }
}
