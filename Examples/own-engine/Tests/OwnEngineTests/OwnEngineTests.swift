import Foundation
import OwnEngine
import RollcallTesting
import Testing

/// The engine of this package in the virtual networks of Rollcall's scenarios.
@Suite("An engine of another package") struct OwnEngineTests {
  private static func scenario(_ name: String) throws -> ScenarioTest {
    let example = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let path = example.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try ScenarioTest(path.appendingPathComponent("Scenarios/ssdp/\(name).yaml").path)
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
    #expect(throws: ScenarioTestError.self) { try ScenarioTest("nowhere.yaml") }
  }
}
