import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import Testing

@Suite("The digest of a scenario")
struct ScenarioDigestTests {
  private func digest(_ states: [UInt64]) -> String {
    var digest = ScenarioDigest()
    for state in states {
      var run = Digest()
      run.combine(state)
      digest.add(run)
    }
    return digest.digest.description
  }

  @Test("is the run's own where there is one run, and else of all runs in their order")
  func definition() {
    var one = Digest()
    one.combine(7)
    expectEqual(digest([7]), one.description)
    #expect(digest([7, 8]) != digest([8, 7]))
    #expect(digest([7, 7]) != digest([7]))
    #expect(digest([7, 8]) != digest([7]))
  }

  @Test(
    "is the same in text, in JSON and in Scenarios/digests.txt", .enabled(if: ToolRun.isBuilt),
    arguments: ["Scenarios/field/renewal-lost.yaml", "Scenarios/ssdp/quick-return.yaml"])
  func everywhere(path: String) throws {
    let file = try String(contentsOf: Places.root.appendingPathComponent("Scenarios/digests.txt"), encoding: .utf8)
    let recorded = try #require(file.split(separator: "\n").first { $0.hasPrefix(path + " ") }).split(separator: " ")[1]
    try Places.withTemporaryFolder { folder in
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("Scenarios"),
        withDestinationURL: Places.root.appendingPathComponent("Scenarios"))
      let text = try ToolRun("run", path, in: folder)
      expectEqual(text.lines.first?.hasSuffix(" \(recorded)"), true, "\(text.text)")
      let json = try ToolRun("run", path, "--format", "json", in: folder)
      let scenarios = try json.objects("scenario")
      expectEqual(scenarios.map { $0["digest"] as? String }, [String(recorded)])
      let runs = try json.objects("run")
      expectEqual(scenarios.map { $0["runs"] as? Int }, [runs.count])
      if runs.count == 1 { #expect(runs[0]["digest"] as? String == String(recorded)) }
    }
  }
}
