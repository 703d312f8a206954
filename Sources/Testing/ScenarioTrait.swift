public import Foundation
@_exported public import Rollcall
public import Testing

/// A trait that runs a scenario before the body of its test, and fails the test where a run does not pass.
///
///     @Test(.scenario("quick-return.yaml", seeds: 1...200)) func comesBack() {}
///     @Test(.scenario("quick-return.yaml") { MyEngine() }) func comesBackWithMyEngine() {}
///
/// What the first failed run leaves is attached: its timeline, its trace and its pcapng. The body runs either way, and
/// `ScenarioTrait.result` has what came of the scenario; a scenario that cannot be read ends the test.
public struct ScenarioTrait: TestTrait, TestScoping {
  /// What came of the scenario of the test that is running; `nil` where there is none.
  @TaskLocal public static var result: ScenarioResult?

  private let check: ScenarioCheck

  @usableFromInline init(
    _ path: String, in bundle: Bundle?, filePath: String,
    run: @escaping @Sendable (Scenario) throws(ScenarioError) -> ScenarioResult
  ) {
    check = ScenarioCheck(
      name: path, folder: bundle.map(ScenarioPlace.folder(of:)), filePath: filePath, perform: run)
  }

  /// Seeds as an attribute can have them: there Swift takes numbers for `Int`, whatever is asked for.
  @usableFromInline static func numbers(
    _ seeds: ClosedRange<Int>?
  ) throws(ScenarioError) -> ClosedRange<UInt64>? {
    guard let seeds else { return nil }
    guard seeds.lowerBound >= 0 else {
      throw ScenarioError(description: "seeds are numbers from 0 on, and these are \(seeds)")
    }
    return UInt64(seeds.lowerBound)...UInt64(seeds.upperBound)
  }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let result = try check.run(at: test.sourceLocation)
    try await ScenarioTrait.$result.withValue(result) { try await function() }
  }
}

extension Trait where Self == ScenarioTrait {
  /// Runs a scenario with Rollcall's own engine, as the scenario configures it.
  /// - Parameters:
  ///   - path: the file; where it is no absolute path, it is looked for in `bundle`, or else in the resources of the
  ///     test's target, beside the file of the test and in the working folder, each time also in a folder `Scenarios`.
  ///   - seeds: `nil`: those of the scenario.
  ///   - jobs: runs at a time. Results do not depend on it.
  ///   - bundle: as in `.module`; `nil`: it is found by the name of the test's module.
  public static func scenario(
    _ path: String, seeds: ClosedRange<Int>? = nil, jobs: Int = 1, in bundle: Bundle? = nil,
    filePath: String = #filePath
  ) -> ScenarioTrait {
    ScenarioTrait(path, in: bundle, filePath: filePath) { scenario throws(ScenarioError) in
      try scenario.run(seeds: ScenarioTrait.numbers(seeds), jobs: jobs)
    }
  }

  /// Runs a scenario with an engine of another kind.
  /// - Parameter engine: makes an engine as it is before a run; called once for each run.
  @inlinable public static func scenario<Engine: Machine & SendableMetatype>(
    _ path: String, seeds: ClosedRange<Int>? = nil, jobs: Int = 1, in bundle: Bundle? = nil,
    filePath: String = #filePath, engine: @escaping @Sendable () -> Engine
  ) -> ScenarioTrait {
    ScenarioTrait(path, in: bundle, filePath: filePath) { scenario throws(ScenarioError) in
      try scenario.run(seeds: ScenarioTrait.numbers(seeds), jobs: jobs, engine: engine)
    }
  }
}
