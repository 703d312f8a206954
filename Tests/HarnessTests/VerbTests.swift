import Foundation
import RollcallExpectations
import Testing

/// The tool as a user runs it: what its verbs have in common.
@Suite("Verbs of the tool", .enabled(if: ToolRun.isBuilt))
struct VerbTests {
  private let capture = Places.root.appendingPathComponent("Captures/gssdp-renewal-lost/capture.pcapng")

  /// A folder with a capture, its reviewed reports, a file that is no capture, and a capture that has none.
  private func withInputs<Result>(_ body: (URL) throws -> Result) throws -> Result {
    try Places.withTemporaryFolder { folder in
      for name in ["a", "c"] {
        try FileManager.default.copyItem(
          at: capture.deletingLastPathComponent(), to: folder.appendingPathComponent(name))
      }
      try Data("nothing\n".utf8).write(to: folder.appendingPathComponent("b.pcap"))
      return try body(folder)
    }
  }

  @Test("one capture of a folder that cannot be read is told, the others are replayed, and the exit code is 2")
  func unreadableReplay() throws {
    try withInputs { folder in
      let text = try ToolRun("replay", ".", in: folder)
      expectEqual(text.exitCode, 2)
      expectEqual(
        text.lines.map { $0.split(separator: "  ")[0] },
        [
          "as expected", "UNREADABLE", "as expected", "2 captures, 88 messages: 2 as expected, 0 differ, 1 unreadable",
        ])
      #expect(text.errors.hasPrefix("./b.pcap: not a pcap or pcapng capture: "))
      let json = try ToolRun("replay", ".", "nothing.pcap", "--format", "json", in: folder)
      expectEqual(json.exitCode, 2)
      try expectEqual(json.objects("error").map { $0["input"] as? String }, ["./b.pcap", "nothing.pcap"])
      try expectEqual(json.objects("summary").count, 2)
      let junit = try ToolRun("replay", ".", "--format", "junit", in: folder)
      expectEqual(junit.exitCode, 2)
      let document = try XMLElementTree(junit.text).root
      #expect(document.attributes["tests"] == "3" && document.attributes["errors"] == "1")
      expectEqual(
        document.children.map { $0.attributes["file"] }, ["./a/capture.pcapng", "./b.pcap", "./c/capture.pcapng"])
      expectEqual(document.children[0].attributes["timestamp"]?.count, 19)
    }
  }

  @Test("one scenario of a folder that cannot be read is told, the others are run, and the exit code is 2")
  func unreadableScenario() throws {
    try Places.withTemporaryFolder { folder in
      try Data("\u{FEFF}\(WritingVerb.scenario)".utf8).write(to: folder.appendingPathComponent("a.yaml"))
      try Data("scenario: x\nduratoin: 3s\n".utf8).write(to: folder.appendingPathComponent("b.yaml"))
      try Data(WritingVerb.scenario.utf8).write(to: folder.appendingPathComponent("c.yml"))
      let text = try ToolRun("run", ".", in: folder)
      expectEqual(text.exitCode, 2)
      expectEqual(
        text.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }.prefix(2),
        [
          "passed ./a.yaml", "passed ./c.yml",
        ])
      expectEqual(text.lines.last?.hasPrefix("2 scenarios, 2 runs: 2 passed, 0 failed, in "), true)
      expectEqual(text.lines.last?.hasSuffix("; 1 unreadable"), true)
      #expect(text.errors.hasPrefix("./b.yaml:2:1: error: unknown key 'duratoin', did you mean 'duration'?"))
      let json = try ToolRun("run", ".", "nothing.yaml", "--format", "json", in: folder)
      expectEqual(json.exitCode, 2)
      try expectEqual(json.objects("error").map { $0["input"] as? String }, ["./b.yaml", "nothing.yaml"])
      try expectEqual(json.objects("run").count, 2)
      for (words, errors) in [([".", "nothing.yaml"], "2"), (["b.yaml"], "1")] {
        let junit = try ToolRun(["run"] + words + ["--format", "junit"], in: folder)
        expectEqual(junit.exitCode, 2)
        try expectEqual(XMLElementTree(junit.text).root.attributes["errors"], errors)
      }
      let alone = try ToolRun("run", "b.yaml", in: folder)
      #expect(alone.exitCode == 2 && alone.text.isEmpty)
    }
  }

  @Test("a scenario comes by standard input and by a pipe as well as from a file")
  func scenarioByPipe() throws {
    try WritingVerb.withInputs { folder in
      let input = try ToolRun(["run", "-"], in: folder, shell: "exec \"$0\" \"$@\" <in.yaml")
      let pipe = try ToolRun(["run", "/dev/stdin"], in: folder, shell: "cat in.yaml | \"$0\" \"$@\"")
      for run in [input, pipe] {
        expectEqual(run.exitCode, 0, "\(run.errors)")
        expectEqual(run.lines.last?.hasPrefix("1 scenarios, 1 runs: 1 passed, 0 failed"), true)
      }
    }
  }

  @Test("a capture that differs from its reviewed reports fails in JUnit, with the file and the line that differ")
  func differingReplay() throws {
    try withInputs { folder in
      let reviewed = folder.appendingPathComponent("c/expected.jsonl")
      let lines = try String(contentsOf: reviewed, encoding: .utf8).split(separator: "\n").dropLast()
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: reviewed)
      let junit = try ToolRun("replay", "c", "--format", "junit", in: folder)
      expectEqual(junit.exitCode, 1)
      let one = try XMLElementTree(junit.text).root.children[0].children[0]
      expectEqual(one.attributes["file"], "c/expected.jsonl")
      expectEqual(one.attributes["line"], "\(lines.count + 1)")
      expectEqual(one.children.first?.name, "failure")
      // The file that is named counts, and not the one beside the capture.
      try expectEqual(ToolRun("replay", "a", "--expect", "c/expected.jsonl", in: folder).exitCode, 1)
    }
  }

  @Test("a reviewed file beside a capture that cannot be read is told, and the capture has no verdict")
  func unreadableReview() throws {
    try Places.withTemporaryFolder { folder in
      let place = folder.appendingPathComponent("a")
      try FileManager.default.createDirectory(
        at: place.appendingPathComponent("expected.jsonl"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: capture, to: place.appendingPathComponent("capture.pcapng"))
      let run = try ToolRun("replay", "a", in: folder)
      expectEqual(run.exitCode, 2)
      expectEqual(run.lines.last, "0 captures, 0 messages: 0 as expected, 0 differ, 1 unreadable")
      #expect(run.errors.hasPrefix("a/capture.pcapng: a/expected.jsonl: "), "\(run.errors)")
    }
  }

  @Test("a reviewed file asks for the options that it was recorded with, also where its lines end in CR LF")
  func reviewedOptions() throws {
    try withInputs { folder in
      let reviewed = folder.appendingPathComponent("c/expected.jsonl")
      try FileManager.default.removeItem(at: reviewed)
      let recorded = try ToolRun(
        "replay", "c", "--until", "+30m", "--strict", "--record", "c/expected.jsonl", in: folder)
      expectEqual(recorded.exitCode, 0, "\(recorded.errors)")
      let text = try String(contentsOf: reviewed, encoding: .utf8)
      #expect(text.hasPrefix("# replay: --until +30m --strict\n"), "\(text.prefix(80))")
      try Data(text.replacing("\n", with: "\r\n").utf8).write(to: reviewed)
      let run = try ToolRun("replay", "c", in: folder)
      expectEqual(run.exitCode, 0, "\(run.errors)")
    }
  }

  @Test("one input that cannot be read is told in every report of judge, the others are judged, and the exit code is 2")
  func unreadableJudge() throws {
    try withInputs { folder in
      let json = try ToolRun("judge", ".", "--format", "json", in: folder)
      expectEqual(json.exitCode, 2)
      try expectEqual(json.objects("error").map { $0["input"] as? String }, ["./b.pcap"])
      try expectEqual(json.objects("summary").count, 2)
      let junit = try ToolRun("judge", ".", "--format", "junit", in: folder)
      expectEqual(junit.exitCode, 2)
      try expectEqual(XMLElementTree(junit.text).root.attributes["errors"], "1")
      let sarif = try ToolRun("judge", ".", "--format", "sarif", in: folder)
      expectEqual(sarif.exitCode, 2)
      #expect(sarif.text.contains(#""executionSuccessful":false"#))
      #expect(sarif.text.contains(#""uri":"./b.pcap""#))
      let text = try ToolRun("judge", ".", in: folder)
      expectEqual(text.exitCode, 2)
      #expect(text.errors.hasPrefix("./b.pcap: not a pcap or pcapng capture: "))
      expectEqual(text.lines.filter { $0.hasPrefix("./") }, ["./a/capture.pcapng", "./c/capture.pcapng"])
    }
  }

  @Test("datagrams are shown in text, too, and times as they are asked for")
  func datagrams() throws {
    try withInputs { folder in
      let text = try ToolRun("replay", "a/capture.pcapng", "--datagrams", "--time", "utc", in: folder)
      expectEqual(text.lines.count { $0.contains("  datagram ") }, 44)
      #expect(text.lines[1].hasPrefix("  2026-11-21 10:14:17."))
      let story = try ToolRun("replay", "a/capture.pcapng", "--explain", "--time", "utc", in: folder)
      #expect(story.lines.contains { $0.hasPrefix("    2026-11-21 10:14:38.5") })
      let judged = try ToolRun("judge", "a/capture.pcapng", "--time", "relative", in: folder)
      #expect(judged.lines.contains { $0.contains("  frame 3 at +0.020, ") })
      let diff = try ToolRun(
        "diff", "a/capture.pcapng", "c/capture.pcapng", "--b-switch", "neverExpires", "--time", "utc", in: folder)
      #expect(diff.lines.contains { $0.contains("2026-11-21 10:14:38.5") })
    }
  }

  @Test("events are found by either of their names")
  func eventNames() throws {
    try withInputs { folder in
      for name in ["lost", "LOST"] {
        let run = try ToolRun("shrink", "a/capture.pcapng", "--report", name, "-o", "out.pcapng", in: folder)
        expectEqual(run.exitCode, (name == "lost" ? 0 : 2))
      }
      let run = try ToolRun("shrink", "a/capture.pcapng", "--report", "LOST", in: folder)
      #expect(run.errors.contains("found, changed, lost, service, search-ended, failed"))
    }
  }

  @Test(
    "a number out of range is refused before anything is done",
    arguments: [
      ["discover", "--mx", "9"], ["discover", "--mx", "0"], ["discover", "--broadcasts", "11"],
      ["discover", "--search", ""], ["discover", "--search", "a b"], ["discover", "--search", "foo"],
      ["discover", "--search", "uuid:"], ["discover", "--search", "ssdp:every"],
      ["discover", "--search", "upnp:device"], ["discover", "--search", ":x"],
      ["discover", "--search", "urn:schemas-upnp-org:device:MediaServer"],
      ["discover", "--search", "urn:schemas-upnp-org:thing:MediaServer:1"],
      ["discover", "--search", "urn:" + String(repeating: "x", count: 253)],
      ["examine", "device", "-i", "lo", "--target", "a b"], ["examine", "device", "-i", "lo", "--target", "uuid:"],
      ["examine", "device", "-i", "lo", "--target", "uuid:1::upnp:rootdevice"],
      ["examine", "responder", "-i", "lo", "--target", "a..b"], ["examine", "responder", "-i", "lo", "--type", "http"],
      ["record", "-i", "lo", "-o", "x", "--count", "0"],
      ["record", "-i", "lo", "-o", "x", "--snap-length", "0"], ["fuzz", "ssdp-lenient", "--runs", "0"],
      ["diff", "a", "--rows", "0"], ["serve", "x.yaml", "-i", "lo", "--speed", "0"],
    ])
  func numbers(words: [String]) throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun(words, in: folder)
      expectEqual(run.exitCode, 2)
      #expect(run.text.isEmpty)
      #expect(run.errors.contains(words.first { $0.hasPrefix("--") } ?? ""), "\(run.errors)")
    }
  }

  @Test(
    "an option that would be dropped is refused at once, by its name",
    arguments: [
      ["diff", "a.pcap", "--seed", "7"], ["diff", "a.yaml", "b.pcap", "--b-seed", "7"],
      ["diff", "a.pcap", "--no-times", "--within", "20ms"],
      ["replay", "a.pcap", "--at", "12s"],
      ["shrink", "a.yaml", "--switch", "neverExpires", "--bite"], ["shrink", "a.yaml", "--bite", "--until", "+30m"],
      ["shrink", "a.pcap", "--keep", "lost", "--report", "lost"],
      ["shrink", "a.pcap", "--report", "lost", "--seed", "7"], ["shrink", "a.yaml", "--check", "--expectation", "e1"],
      ["examine", "device", "--seed", "7", "--replay", "a.trace"],
      ["examine", "responder", "--seed", "7", "--replay", "a.trace"],
      ["run", "a.yaml", "--bites", "--check-determinism"], ["run", "a.yaml", "--trace", "t", "--check-determinism"],
    ] as [[String]])
  func dropped(words: [String]) throws {
    try Places.withTemporaryFolder { folder in
      let run = try ToolRun(words, in: folder)
      expectEqual(run.exitCode, 2)
      #expect(run.text.isEmpty)
      #expect(run.errors.contains(words.last { $0.hasPrefix("--") } ?? ""), "\(run.errors)")
    }
  }

  @Test("what is wrong with an option beside --check-determinism is said in its words")
  func determinismOptions() throws {
    try WritingVerb.withInputs { folder in
      let run = try ToolRun("run", "in.yaml", "--check-determinism", "--seeds", "1-5", in: folder)
      expectEqual(run.exitCode, 2)
      #expect(run.errors.hasPrefix("--seeds takes "), "\(run.errors)")
      let input = try ToolRun(
        ["run", "-", "--check-determinism"], in: folder, shell: "exec \"$0\" \"$@\" <in.yaml")
      expectEqual(input.exitCode, 2)
      #expect(input.errors.hasPrefix("--check-determinism reads its scenarios twice"), "\(input.errors)")
    }
  }

  @Test("where no capture is compared, reproduce --check is no success")
  func nothingCompared() throws {
    try WritingVerb.withInputs { folder in
      let run = try ToolRun("reproduce", "in.pcapng", "--check", in: folder)
      expectEqual(run.exitCode, 1)
      expectEqual(run.errors, "nothing was compared: no capture has more than ten messages or packets\n")
    }
  }

  @Test("the help of every verb has an example of it")
  func examples() throws {
    try Places.withTemporaryFolder { folder in
      let help = try ToolRun("help", in: folder)
      let verbs = help.text.components(separatedBy: "SUBCOMMANDS:").last?.split(separator: "\n").compactMap {
        $0.hasPrefix("  ") && !$0.hasPrefix("   ") ? $0.split(separator: " ").first.map(String.init) : nil
      }
      #expect((verbs ?? []).filter { $0 != "See" }.count >= 13)
      for verb in (verbs ?? []) where verb != "See" && verb != "examine" {
        let help = try ToolRun("help", verb, in: folder)
        let lines = help.text.split(separator: "\n").prefix { !$0.hasPrefix("USAGE:") }
        #expect(lines.contains { $0.contains("rollcall \(verb)") }, "\(verb)")
      }
      for verb in ["device", "control-point", "responder"] {
        #expect(try ToolRun("help", "examine", verb, in: folder).text.contains("rollcall examine \(verb) -i eth0"))
      }
    }
  }
}
