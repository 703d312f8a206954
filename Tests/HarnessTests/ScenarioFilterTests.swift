import Foundation
import RollcallExpectations
import RollcallRunning
import Testing

/// Which scenarios `--tag`, `--skip-tag`, `--only` and `--skip` leave.
@Suite("Filters of scenarios")
struct ScenarioFilterTests {
  @Test(
    "a pattern fits a path that has its names in a row",
    arguments: [
      ("ssdp", true), ("Scenarios", true), ("Scenarios/ssdp", true), ("ssdp/lamp-*", true), ("lamp-bridge.yaml", true),
      ("lamp-bridge", true), ("./Scenarios/./ssdp/", true), ("lamp-*", true), ("*-bridge", true), ("lamp?bridge", true),
      ("**", true), ("Scenarios/**/lamp-*", true), ("Scenarios/**/ssdp", true), ("**/ssdp/**", true),
      ("Scenarios/lamp-*", false), ("sdp", false), ("lamp", false), ("ssdp/*/lamp-*", false), ("lamp??bridge", false),
      ("SSDP", false), ("lamp-bridge/**/x", false), ("ssdp/Scenarios", false), ("Scenarios.yaml", false),
    ] as [(String, Bool)])
  func patterns(text: String, fits: Bool) throws {
    let pattern = try #require(PathPattern(text))
    expectEqual(pattern.fits("./Scenarios/ssdp/lamp-bridge.yaml"), fits)
  }

  @Test("many stars take no longer than the path is long, and a pattern without a name is none")
  func stars() throws {
    let (inName, inPath) = (String(repeating: "*a", count: 200), String(repeating: "/**", count: 200))
    let stars = try #require(PathPattern(inName + inPath + "/b"))
    expectEqual(stars.fits(String(repeating: "a", count: 400) + String(repeating: "/c", count: 200)), false)
    expectEqual(["", "/", ".", "./"].map { PathPattern($0) == nil }, [true, true, true, true])
  }

  @Test("of tags one has to be there and none of those that are skipped; paths likewise")
  func filters() throws {
    func pattern(_ text: String) throws -> PathPattern { try #require(PathPattern(text)) }
    let filter = ScenarioFilter(
      tags: ["attack", "flood"], skippedTags: ["slow"], paths: [try pattern("ssdp")],
      skippedPaths: [try pattern("forged-*")])
    expectEqual(
      [["attack"], ["flood", "x"], ["x"], [], ["attack", "slow"]].map { filter.takes(tags: $0) },
      [true, true, false, false, false])
    expectEqual(
      ["a/ssdp/b.yaml", "a/mdns/b.yaml", "a/ssdp/forged-b.yaml"].map { filter.takes(path: $0) }, [true, false, false])
    let open = ScenarioFilter(skippedTags: ["slow"])
    #expect(open.takes(path: "x") && open.takes(tags: []) && !open.takes(tags: ["slow"]))
  }

  @Test("what is left is run, what a path leaves out is not read, and where nothing is left that is said", .withTool)
  func verb() throws {
    try Places.withTemporaryFolder { folder in
      try Data(WritingVerb.scenario.utf8).write(to: folder.appendingPathComponent("one.yaml"))
      let tagged = WritingVerb.scenario.replacing("seeds: 1..1", with: "seeds: 1..1\ntags: [slow]")
      try Data(tagged.utf8).write(to: folder.appendingPathComponent("two.yaml"))
      try Data("no scenario".utf8).write(to: folder.appendingPathComponent("three.yaml"))
      func paths(_ words: String...) throws -> [String] {
        let run = try ToolRun(["run", ".", "--format", "json"] + words, in: folder)
        expectEqual(run.exitCode, 0, "\(run.errors)")
        return try run.objects("run").compactMap { $0["scenario"] as? String }
      }
      try expectEqual(paths("--skip", "three"), ["./one.yaml", "./two.yaml"])
      try expectEqual(paths("--only", "t?o", "--only", "one"), ["./one.yaml", "./two.yaml"])
      try expectEqual(paths("--skip", "three", "--tag", "slow"), ["./two.yaml"])
      try expectEqual(paths("--skip", "three", "--skip-tag", "slow"), ["./one.yaml"])
      let none = try ToolRun("run", ".", "--only", "four", "--skip-tag", "x", in: folder)
      expectEqual(none.exitCode, 2)
      expectEqual(none.errors, "nothing to run: --skip-tag x --only four leaves no scenario\n")
      let empty = try ToolRun("run", ".", "--only", "/", in: folder)
      expectEqual(empty.exitCode, 2)
      expectEqual(
        empty.errors, "--only takes names of a path with bars between them, as in ssdp/lamp-*, and not '/'\n")
    }
  }
}
