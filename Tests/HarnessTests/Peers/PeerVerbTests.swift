import Foundation
import RollcallExpectations
import RollcallReducing
import Testing

/// The tool with runs of nearby peers, as a user runs it.
@Suite("Verbs of the tool with nearby peers", .withTool) struct PeerVerbTests {
  private static func scenario(_ name: String) -> String {
    Places.root.appendingPathComponent("Scenarios/peers/\(name).yaml").path
  }

  private static func told(_ run: ToolRun) -> [String] {
    run.lines.drop { $0 != "  What nearby peers were told:" }.dropFirst().prefix { $0.hasPrefix("    ") }.map {
      $0.split(separator: " ").dropFirst().joined(separator: " ")
    }
  }

  @Test("--explain of a run says what each peer was told, by the names of the scenario")
  func explained() throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun("run", Self.scenario("declined"), "--seed", "1", "--explain", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
      #expect(run.lines.contains("What the engine heard; frames are those of --pcapng, times those of the run:"))
      expectEqual(
        Self.told(run),
        ["phone: tv found", "phone: tv connecting", "tv: phone invites", "phone: tv not connected"])
      let json = try ToolRun(
        "run", Self.scenario("declined"), "--seed", "1", "--explain", "--format", "json", in: folder)
      let lines = try json.objects("story")
      expectEqual(lines.last?["about"] as? String, "end")
      let peers = lines.filter { $0["about"] as? String == "peer" }
      expectEqual(
        peers.map { "\($0["host"] ?? "") \($0["peer"] ?? "") \($0["event"] ?? "") \($0["text"] ?? "")" },
        [
          "phone tv found found", "phone tv connecting connecting", "tv phone invited invites",
          "phone tv notConnected not connected",
        ])
      // Seconds with nine digits, as in all lines.
      #expect(peers.allSatisfy { ($0["time"] as? String)?.hasSuffix(".") == false })
    }
  }

  @Test("--at has the story of another host: what it heard")
  func explainedAtAHost() throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun("run", Self.scenario("declined"), "--seed", "1", "--explain", "--at", "phone", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
      #expect(run.lines.contains("What phone heard; frames are those of --pcapng, times those of the run:"))
      #expect(run.lines.contains { $0.contains("probes for tv.local") }, "\(run.text)")
      expectEqual(Self.told(run).count, 4)
      let nobody = try ToolRun(
        "run", Self.scenario("declined"), "--seed", "1", "--explain", "--at", "nobody", in: folder)
      expectEqual(nobody.exitCode, 2)
      #expect(nobody.errors.contains("--at nobody: there is no such host; there are engine, "), "\(nobody.errors)")
    }
  }

  @Test("a story of many reports shows a hundred and counts the others")
  func long() throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun("run", Self.scenario("mesh-of-eight"), "--seed", "1", "--explain", in: folder)
      let told = Self.told(run)
      expectEqual(told.count, 101)
      let json = try ToolRun(
        "run", Self.scenario("mesh-of-eight"), "--seed", "1", "--explain", "--format", "json", in: folder)
      let all = try json.objects("story").count { $0["about"] as? String == "peer" }
      expectEqual(told.last, "and \(all - 100) more; --format json has all")
    }
  }

  @Test("diff compares what the peers of two runs were told, by names, whatever the seed")
  func compared() throws {
    try Places.withTemporaryFolder { folder in
      let same = try ToolRun("diff", Self.scenario("declined"), in: folder)
      expectEqual(same.exitCode, 0, "\(same.errors)")
      expectEqual(same.lines.last, "equal")
      let seeds = try ToolRun("diff", Self.scenario("declined"), "--b-seed", "7", "--no-times", in: folder)
      expectEqual(seeds.exitCode, 0, "\(seeds.text)")
      let other = try ToolRun("diff", Self.scenario("declined"), Self.scenario("never-answered"), in: folder)
      expectEqual(other.exitCode, 1)
      let fault = try ToolRun("diff", Self.scenario("declined"), "--b-switch", "peers.decline-ignored", in: folder)
      expectEqual(fault.exitCode, 1)
      #expect(fault.lines.contains { $0.contains("phone: tv not connected") && $0.contains("|") }, "\(fault.text)")
      #expect(fault.lines.contains { $0.contains(" packet of a session ") }, "\(fault.text)")
    }
  }

  @Test("shrink takes a fault of peers, and what is left fails with it")
  func shrunk() throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun(
        "shrink", Self.scenario("declined"), "--switch", "peers.decline-ignored", "-o", "small.yaml", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
      let text = try String(contentsOf: folder.appendingPathComponent("small.yaml"), encoding: .utf8)
      #expect(text.contains("bites: peers.decline-ignored"), "\(text)")
      let bitten = try ToolRun("run", "small.yaml", "--bites", in: folder)
      expectEqual(bitten.exitCode, 0, "\(bitten.text)")
      let none = try ToolRun("shrink", Self.scenario("declined"), "--switch", "peers.nonsense", in: folder)
      expectEqual(none.exitCode, 2)
      #expect(none.errors.contains("peers.nonsense: there is no such fault of nearby peers"), "\(none.errors)")
    }
  }

  @Test("a fault that is none, or that a capture cannot have, and sides without a report are said so")
  func refused() throws {
    try Places.withTemporaryFolder { folder in
      let none = try ToolRun("diff", Self.scenario("declined"), "--b-switch", "peers.nonsense", in: folder)
      expectEqual(none.exitCode, 2)
      #expect(none.errors.contains("peers.nonsense: there is no such fault of nearby peers"), "\(none.errors)")
      let capture = Places.root.appendingPathComponent("Captures/gssdp-ipv6/capture.pcapng").path
      let misplaced = try ToolRun("diff", capture, "--b-switch", "peers.decline-ignored", in: folder)
      expectEqual(misplaced.exitCode, 2)
      #expect(misplaced.errors.contains("is a fault of nearby peers, which scenarios have"), "\(misplaced.errors)")
      let lines = DiffText.lines(
        ReportDiff(try DiffInput(path: "a.jsonl").reportsSide(""), try DiffInput(path: "b.jsonl").reportsSide("")))
      expectEqual(lines.last, "nothing to compare: neither side has a report")
    }
  }
}
