import Foundation
import RollcallExpectations
import Testing

@Suite("rollcall campaign", .withTool)
struct CampaignVerbTests {
  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("a swarm, its shards merged, and one that was ended by its budget print the same")
  func swarm() throws {
    try Places.withTemporaryFolder { folder in
      let words = ["campaign", "swarm", "--seeds", "1..16"]
      func page(_ name: String) throws -> String {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      }
      let whole = try ToolRun(words + ["-o", "whole", "--html", "whole.html"], in: folder)
      expectEqual(whole.exitCode, 0, "\(whole.text) \(whole.errors)")
      #expect(whole.lines.prefix(2).elementsEqual(["campaign  swarm, seeds 1..16", "runs      16 passed, 0 failed"]))
      for index in 1...2 {
        let shard = try ToolRun(words + ["-o", "shard-\(index)", "--shard", "\(index)/2", "--jobs", "1"], in: folder)
        expectEqual(shard.exitCode, 0, "\(shard.errors)")
      }
      let merging = ["campaign", "merge", "shard-2", "shard-1", "-o", "merged", "--html", "merged.html"]
      let merged = try ToolRun(merging, in: folder)
      expectEqual(merged.exitCode, 0, "\(merged.errors)")
      expectEqual(merged.text, whole.text)
      #expect(try page("merged.html") == page("whole.html"))
      let part = try ToolRun(words + ["-o", "part", "--budget", "6", "--html", "part.html"], in: folder)
      expectEqual(part.exitCode, 5)
      #expect(part.text.contains("10 of 16 are missing"))
      #expect(try page("part.html").contains("10 of 16 runs are missing"))
      expectEqual(try ToolRun(words + ["-o", "part", "--html", "part.html"], in: folder).text, whole.text)
      #expect(try page("part.html") == page("whole.html"))
      let report = try ToolRun("campaign", "report", "part", "--format", "json", in: folder)
      expectEqual(try report.objects("campaign").map { $0["runs"] as? Int }, [16])
      expectEqual(try report.objects("fact").count, 29)
      // One shard alone is not the whole.
      expectEqual(try ToolRun("campaign", "merge", "shard-1", "-o", "half", in: folder).exitCode, 5)
    }
  }

  @Test("a drawn seed is a scenario that runs")
  func draw() throws {
    try Places.withTemporaryFolder { folder in
      let drawn = try ToolRun("campaign", "draw", "4711", in: folder)
      expectEqual(drawn.exitCode, 0)
      expectEqual(try ToolRun("campaign", "draw", "4711", "-o", "drawn.yaml", in: folder).exitCode, 0)
      expectEqual(try String(contentsOf: folder.appendingPathComponent("drawn.yaml"), encoding: .utf8), drawn.text)
      let run = try ToolRun("run", "drawn.yaml", in: folder)
      expectEqual(run.exitCode, 0, "\(run.text)")
    }
  }

  private static let plan = """
    scenario: A television is found by search alone
    duration: 12s
    network: {link: {latency: 1ms, loss: 20%}}
    inhabitants: {tv: {kind: root-device, link: {outbound: {multicast-loss: 100%}}}}
    timeline: [{at: 1s, search: {target: "upnp:rootdevice", mx: 3s, broadcasts: 2}}]
    expect:
      - {id: found, found: tv}
    sweep: {network.link.loss: [0%, 50%]}
    """

  @Test("a sweep has curves, and its failures are kept as scenario, capture, trace and command")
  func plan() throws {
    try Places.withTemporaryFolder { folder in
      try Data(CampaignVerbTests.plan.utf8).write(to: folder.appendingPathComponent("plan.yaml"))
      let run = try ToolRun("campaign", "run", "plan.yaml", "--seeds", "1..12", "-o", "out", in: folder)
      expectEqual(run.exitCode, 1, "\(run.errors)")
      let failure = try #require(run.lines.first { $0.contains("first point-1-seed-") }, "\(run.text)")
      #expect(failure.hasPrefix("  found: it never happened: "))
      let name = try #require(failure.split(separator: " ").last)
      let kept = folder.appendingPathComponent("out/failures/\(name)")
      expectEqual(try names(kept), ["as-run.yaml", "command", "run.pcapng", "run.trace", "scenario.yaml"])
      let command = try String(contentsOf: kept.appendingPathComponent("command"), encoding: .utf8)
      let line = try #require(command.split(separator: "\n").last)
      let words = line.split(separator: " ").dropFirst().map(String.init)
      expectEqual(try ToolRun(words, in: kept).exitCode, 1)
      let report = try ToolRun("campaign", "report", "out", "--svg", "curves.svg", in: folder)
      expectEqual(report.text, run.text)
      let svg = try String(contentsOf: folder.appendingPathComponent("curves.svg"), encoding: .utf8)
      expectEqual(try XMLElementTree(svg).root.name, "svg")
    }
  }

  @Test("mistakes are told before anything is done")
  func mistakes() throws {
    try Places.withTemporaryFolder { folder in
      func complaint(_ words: String...) throws -> String {
        let run = try ToolRun(["campaign"] + words, in: folder)
        expectEqual(run.exitCode, 2, "\(words)")
        return run.errors
      }
      #expect(try complaint("swarm", "--seeds", "2..1", "-o", "a").hasPrefix("--seeds takes what 'seeds:' takes"))
      #expect(try complaint("swarm", "--seeds", "1..9", "-o", "a", "--shard", "3/2").hasPrefix("--shard takes I/K"))
      #expect(
        try complaint("swarm", "--seeds", "1..9", "-o", "a", "--budget", "0").hasPrefix("--budget takes a number"))
      #expect(
        try complaint("swarm", "--seeds", "281474976710656", "-o", "a").hasPrefix(
          "--seeds of a swarm goes up to 281474976710655"))
      #expect(try complaint("report", "nowhere").contains("nowhere/results.sqlite: there are no results of a campaign"))
      expectEqual(try names(folder), [])
      expectEqual(try ToolRun("campaign", "swarm", "--seeds", "1..2", "-o", "a", in: folder).exitCode, 0)
      #expect(try complaint("swarm", "--seeds", "1..3", "-o", "a").contains("expected seeds 1..3, found 1..2"))
      #expect(try complaint("report", "a", "--svg", "a.svg").contains("a swarm has no curves"))
      #expect(
        try complaint("swarm", "--seeds", "1..2", "-o", "a", "--html", "a/results.sqlite").contains(
          "--html a/results.sqlite is the input a/results.sqlite"))
    }
  }

  /// Runs the tool where a small file system in memory is mounted, for this process alone.
  private static func mounting(_ options: String, at folder: String) -> String {
    "exec unshare -m sh -c 'mount -t tmpfs -o \(options) none \(folder) && exec \"$0\" \"$@\"' \"$0\" \"$@\" 2>&1"
  }

  static let canMount: Bool = {
    let code = try? Places.withTemporaryFolder { folder in
      try ToolRun(["--version"], in: folder, shell: CampaignVerbTests.mounting("size=64k", at: folder.path)).exitCode
    }
    return code == 0
  }()

  @Test(
    "a disk without room is no mistake: the exit code asks for another try",
    .enabled(if: CampaignVerbTests.canMount, "it needs root and a mount namespace"))
  func fullDisk() throws {
    try Places.withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("full"), withIntermediateDirectories: false)
      let words = ["campaign", "swarm", "--seeds", "1..16", "-o", "full", "--quiet"]
      let run = try ToolRun(words, in: folder, shell: CampaignVerbTests.mounting("size=16k", at: "full"))
      expectEqual(run.exitCode, 75)
      expectEqual(
        run.lines,
        [
          "full/results.sqlite: there is no room for more results; those that were kept are there: free some space, "
            + "and run the same command to go on"
        ])
    }
  }

  @Test("docs/campaigns.md: the plan that it shows is a campaign, and its commands run")
  func page() throws {
    let page = try String(contentsOf: Places.root.appendingPathComponent("docs/campaigns.md"), encoding: .utf8)
    let yaml = try #require(page.components(separatedBy: "```yaml\n").last?.components(separatedBy: "```").first)
    let commands = ShownCommands(page).commands.map(\.text).filter { $0.hasPrefix("rollcall campaign") }
    #expect(commands.count >= 7)
    try Places.withTemporaryFolder { folder in
      let plan = yaml.replacing("seeds: 1..400", with: "seeds: 1..4")
      #expect(plan != yaml)
      try Data(plan.utf8).write(to: folder.appendingPathComponent("plan.yaml"))
      for command in commands {
        let words = command.replacing("1..1000", with: "1..8").split(separator: " ").dropFirst().map(String.init)
        let run = try ToolRun(words, in: folder)
        expectEqual(run.exitCode, 0, "\(command): \(run.errors)")
      }
      expectEqual(
        try names(folder),
        ["curves", "curves.html", "curves.svg", "drawn.yaml", "nightly", "plan.yaml", "shard-1", "shard-2", "whole"])
    }
  }
}
