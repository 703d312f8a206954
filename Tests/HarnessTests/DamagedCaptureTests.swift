import RollcallCapture
import Foundation
import RollcallExpectations
import Testing

/// What every verb makes of a capture that is damaged in its middle: exit code 2, and how much of it was read.
@Suite("Damaged captures in every verb", .enabled(if: ToolRun.isBuilt))
struct DamagedCaptureTests {
  /// A capture with 60 frames and more, its 20th with a length that no frame has.
  private static func damaged() throws -> (bytes: Data, offset: Int) {
    let path = Places.root.appendingPathComponent("Captures/gssdp-update-bootid/capture.pcapng")
    var bytes = try Data(contentsOf: path)
    var (offset, blocks) = (0, 0)
    while true {
      func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
      if word(offset) == 6 { blocks += 1 }
      if blocks == 20 { break }
      offset += word(offset + 4)
    }
    bytes[offset + 7] = 0x7F
    return (bytes, offset)
  }

  private static func withDamaged(_ body: (URL, String, Int, Int) throws -> Void) throws {
    try Places.withTemporaryFolder { folder in
      let (bytes, offset) = try damaged()
      try bytes.write(to: folder.appendingPathComponent("bad.pcapng"))
      try body(folder, "bad.pcapng", offset, bytes.count)
    }
  }

  private static func sentence(_ offset: Int, _ total: Int) -> String {
    "\(offset) of \(total) bytes (\(offset * 100 / total) %) and 19 frames were read, and nothing behind that"
  }

  @Test("replay, with and without --explain, gives what stands before the damage, exit code 2, and how much that was")
  func replay() throws {
    try Self.withDamaged { folder, bad, offset, total in
      for more in [[], ["--explain"], ["--quiet"], ["--explain", "--format", "json"]] {
        let run = try ToolRun(["replay", bad] + more, in: folder)
        expectEqual(run.exitCode, 2, "\(more)")
        #expect(run.errors.contains("bad.pcapng: frame 20 claims "), "\(more): \(run.errors)")
        #expect(run.errors.contains(Self.sentence(offset, total)), "\(more): \(run.errors)")
      }
      let summary = try #require(try ToolRun("replay", bad, "--format", "json", in: folder).objects("summary").last)
      #expect(summary["frames"] as? Int == 19)
      let damage = try #require((summary["damage"] as? [[String: Any]])?.first)
      #expect(damage["beforeEnd"] as? Bool == true && damage["framesRead"] as? Int == 19)
      #expect(damage["bytesRead"] as? Int == offset && damage["bytes"] as? Int == total)
      #expect(damage["percentRead"] as? Int == offset * 100 / total)
      #expect((summary["problems"] as? [[String: Any]])?.first?["frame"] as? Int == 20)
    }
  }

  @Test("a replay of a damaged capture is neither recorded nor as expected, and merged with another it is damaged, too")
  func comparisons() throws {
    try Self.withDamaged { folder, bad, _, _ in
      let recorded = try ToolRun("replay", bad, "--record", "reports.jsonl", in: folder)
      #expect(recorded.exitCode == 2 && recorded.errors.contains("reports.jsonl: not written"))
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("reports.jsonl").path))
      // What it reports is exactly what is expected, and still nobody knows the rest.
      let reports = try ToolRun("replay", bad, "--format", "json", in: folder).lines.filter {
        $0.contains("\"kind\":\"report\"")
      }
      let expected = folder.appendingPathComponent("expected.jsonl")
      try Data((reports.joined(separator: "\n") + "\n").utf8).write(to: expected)
      let run = try ToolRun("replay", bad, "--expect", "expected.jsonl", in: folder)
      #expect(run.exitCode == 2 && run.text.contains(": 0 as expected, 0 differ, 1 damaged"))
      let junit = try ToolRun("replay", bad, "--expect", "expected.jsonl", "--format", "junit", in: folder)
      #expect(junit.exitCode == 2 && junit.text.contains("errors=\"1\""), "\(junit.text)")
      let good = Places.root.appendingPathComponent("Captures/gssdp-address-change/capture.pcapng").path
      let merged = try ToolRun("replay", "--merge", good, bad, in: folder)
      #expect(merged.exitCode == 2 && merged.errors.contains("bad.pcapng: frame 20 claims "))
    }
  }

  @Test("of a folder, the others are done, and the damaged one makes it exit code 2")
  func folder() throws {
    try Places.withTemporaryFolder { folder in
      for (name, source) in [("a", "gssdp-update-bootid"), ("b", "gssdp-update-bootid"), ("c", "gssdp-address-change")]
      {
        let place = folder.appendingPathComponent("all/\(name)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for file in ["capture.pcapng", "expected.jsonl"] {
          try FileManager.default.copyItem(
            at: Places.root.appendingPathComponent("Captures/\(source)/\(file)"), to: place.appendingPathComponent(file)
          )
        }
      }
      let whole = try ToolRun("replay", "all", in: folder)
      #expect(whole.exitCode == 0 && whole.lines.last?.hasSuffix("3 as expected, 0 differ") == true)
      try Self.damaged().bytes.write(to: folder.appendingPathComponent("all/b/capture.pcapng"))
      let run = try ToolRun("replay", "all", in: folder)
      expectEqual(run.exitCode, 2)
      expectEqual(run.lines.map { $0.prefix(11) }, ["as expected", "DAMAGED    ", "as expected", "3 captures,"])
      expectEqual(run.lines.last?.hasSuffix("2 as expected, 0 differ, 1 damaged"), true)
      #expect(run.errors.contains("all/b/capture.pcapng: frame 20 claims "))
    }
  }

  @Test("judge says in every format that a capture was not read whole")
  func judge() throws {
    try Self.withDamaged { folder, bad, offset, total in
      let good = Places.root.appendingPathComponent("Captures/gssdp-address-change/capture.pcapng").path
      let text = try ToolRun("judge", bad, good, in: folder)
      #expect(text.exitCode == 2 && text.text.contains("  problem: frame 20 claims "))
      #expect(text.text.contains(good), "the other one is judged")
      #expect(text.errors.contains(Self.sentence(offset, total)))
      let json = try ToolRun("judge", bad, good, "--format", "json", in: folder).objects("summary")
      expectEqual(json.count, 2)
      #expect((json[0]["problems"] as? [[String: Any]])?.first?["frame"] as? Int == 20)
      #expect((json[0]["damage"] as? [[String: Any]])?.first?["bytesRead"] as? Int == offset)
      #expect((json[1]["problems"] as? [[String: Any]])?.isEmpty == true && json[1]["damage"] == nil)
      let junit = try ToolRun("judge", bad, "--format", "junit", in: folder)
      #expect(junit.exitCode == 2 && junit.text.contains("errors=\"1\"") && junit.text.contains("<error message="))
      let sarif = try ToolRun("judge", bad, "--format", "sarif", in: folder)
      #expect(sarif.exitCode == 2 && sarif.text.contains("\"executionSuccessful\":false"))
      let recorded = try ToolRun("judge", bad, "--record", "breaches", in: folder)
      #expect(recorded.exitCode == 2 && recorded.errors.contains("breaches: not written"))
    }
  }

  @Test("diff calls nothing equal that was not read")
  func diff() throws {
    try Self.withDamaged { folder, bad, offset, total in
      let text = try ToolRun("diff", bad, bad, in: folder)
      #expect(text.exitCode == 2 && !text.lines.contains("equal"))
      #expect(text.text.contains("A  not read whole: frame 20 claims ") && text.text.contains("B  not read whole"))
      #expect(text.errors.contains(Self.sentence(offset, total)))
      let json = try #require(try ToolRun("diff", bad, "--format", "json", in: folder).objects("diff").first)
      #expect(json["equal"] is NSNull)
      #expect((json["damageA"] as? [[String: Any]])?.first?["bytesRead"] as? Int == offset)
      #expect((json["damageB"] as? [[String: Any]])?.first?["bytesRead"] as? Int == offset)
      let good = Places.root.appendingPathComponent("Captures/gssdp-update-bootid/capture.pcapng").path
      let other = try ToolRun("diff", good, bad, "--format", "json", in: folder)
      let line = try #require(try other.objects("diff").first)
      #expect(other.exitCode == 2 && line["equal"] as? Bool == false && line["damageA"] == nil)
    }
  }

  @Test("reproduce and shrink write nothing; reproduce --check goes on with the others")
  func writers() throws {
    try Self.withDamaged { folder, bad, offset, total in
      let reproduced = try ToolRun("reproduce", bad, "-o", "out.yaml", in: folder)
      #expect(reproduced.exitCode == 2 && reproduced.errors.contains(Self.sentence(offset, total)))
      let shrunk = try ToolRun("shrink", bad, "--report", "found", "-o", "out.pcapng", in: folder)
      #expect(shrunk.exitCode == 2 && shrunk.errors.contains(Self.sentence(offset, total)))
      for file in ["out.yaml", "out.pcapng"] {
        #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path))
      }
      let good = Places.root.appendingPathComponent("Captures/gssdp-address-change/capture.pcapng").path
      let check = try ToolRun("reproduce", "--check", bad, good, in: folder)
      #expect(check.exitCode == 2 && check.text.contains("1 of 1 match report for report, 1 could not be reproduced"))
    }
  }

  @Test("a file that merely ends inside a packet keeps everything before the cut, with exit code 0, in every verb")
  func cut() throws {
    try Places.withTemporaryFolder { folder in
      let whole = try Data(
        contentsOf: Places.root.appendingPathComponent("Captures/gssdp-update-bootid/capture.pcapng"))
      try whole.dropLast(30).write(to: folder.appendingPathComponent("cut.pcapng"))
      let verbs = [
        ["replay", "cut.pcapng"], ["replay", "cut.pcapng", "--explain"], ["judge", "cut.pcapng"],
        ["diff", "cut.pcapng"],
        ["reproduce", "cut.pcapng", "-o", "cut.yaml"], ["shrink", "cut.pcapng", "--report", "found", "-o", "s.pcapng"],
      ]
      for verb in verbs {
        let run = try ToolRun(verb, in: folder)
        // The device of that capture breaks musts, with and without its last frame.
        expectEqual(run.exitCode, (verb[0] == "judge" ? 1 : 0), "\(verb): \(run.errors)")
        if verb[0] != "shrink" { #expect(run.errors.contains("cut.pcapng: the file ends inside frame"), "\(verb)") }
      }
      let summary = try #require(
        try ToolRun("replay", "cut.pcapng", "--format", "json", in: folder).objects("summary").last)
      #expect((summary["damage"] as? [[String: Any]])?.first?["beforeEnd"] as? Bool == false)
    }
  }
}
