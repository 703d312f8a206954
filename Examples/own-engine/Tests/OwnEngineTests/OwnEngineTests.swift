import Foundation
import OwnEngine
import RollcallTesting
import Testing

/// What stands behind it has to fail, and does so without making the test fail.
private struct Fails: TestTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await withKnownIssue { try await function() }
  }
}

/// The engine of this package in the virtual networks of Rollcall's scenarios.
@Suite("An engine of another package") struct OwnEngineTests {
  /// The folder of Rollcall, five levels up from this file.
  private static let rollcall = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }

  private static func scenario(_ name: String) throws -> Scenario {
    try Scenario(contentsOf: rollcall.appendingPathComponent("Scenarios/ssdp/\(name).yaml").path)
  }

  // One line for a scenario; this one is found in the bundle of the tests.
  @Test(.scenario("lamp-leaves.yaml", seeds: 1...20) { OwnEngine() }) func lampLeaves() {}

  // What it leaves is attached: Tools/example.sh looks for the files.
  @Test(
    "one that does not understand byebye fails in the one line as well", Fails(),
    .scenario("lamp-leaves.yaml") { OwnEngine(hearsByebye: false) })
  func attached() {
    #expect(ScenarioTrait.result?.failures.count == 5)
  }

  @Test("the same as a call")
  func call() throws {
    let result = try expectScenario("lamp-leaves.yaml", in: .module) { OwnEngine() }
    #expect(result.runs.count == 5)
  }

  @Test(
    "it sees devices come, go and come back, under twenty seeds",
    arguments: ["byebye-ends-one-device", "silent-departure", "quick-return"])
  func passes(name: String) throws {
    let test = try OwnEngineTests.scenario(name)
    let result = try test.run(seeds: 1...20) { OwnEngine() }
    #expect(result.runs.count == 20)
    #expect(result.passed, "\(result)")
    #expect(try test.run(seeds: 1...20) { OwnEngine() }.runs.map(\.digest) == result.runs.map(\.digest))
  }

  @Test("one that does not understand byebye fails, with the line of the scenario and what was expected and found")
  func fails() throws {
    let result = try OwnEngineTests.scenario("byebye-ends-one-device").run(seeds: 1...2) {
      OwnEngine(hearsByebye: false)
    }
    #expect(!result.passed)
    #expect(result.runs.map(\.outcome) == [.failed, .failed])
    let finding = try #require(result.runs[0].findings.first)
    #expect(finding.line == 17)
    #expect(finding.text.contains("cause: byebye"))
    #expect(finding.expected.hasPrefix("lost"))
    #expect(finding.found == "it never happened")
  }

  @Test("Rollcall's own engine is run in the same way, and a file that is not there is an error")
  func ownEngine() throws {
    #expect(try OwnEngineTests.scenario("quick-return").run().passed)
    #expect(throws: ScenarioError.self) { try Scenario(contentsOf: "nowhere.yaml") }
  }

  // A package that uses Rollcall has an engine without planted faults; Rollcall's own tools have them built in.
  @Test("without planted faults every scenario has the digest that it has with them, and asking for one is refused")
  func withoutFaults() throws {
    let folder = OwnEngineTests.rollcall.appendingPathComponent("Scenarios")
    let recorded = try String(contentsOf: folder.appendingPathComponent("digests.txt"), encoding: .utf8)
    let lines = recorded.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.count > 100)
    for line in lines {
      let path = OwnEngineTests.rollcall.appendingPathComponent(String(line[0])).path
      #expect(try "\(Scenario(contentsOf: path).run(jobs: 2).digest)" == line[1], "\(line[0])")
    }
    let planted = FileManager.default.temporaryDirectory.appendingPathComponent("planted-\(UUID()).yaml")
    defer { try? FileManager.default.removeItem(at: planted) }
    let text = try String(contentsOf: folder.appendingPathComponent("ssdp/quick-return.yaml"), encoding: .utf8)
    try Data((text + "engine: {switches: [neverExpires]}\n").utf8).write(to: planted)
    let error = #expect(throws: ScenarioError.self) { try Scenario(contentsOf: planted.path) }
    #expect(error?.description.contains("the trait PlantedFaults of the package Rollcall is off") == true)
  }
}
