import Foundation
import RollcallExpectations
import Testing

/// Writes that fail: one sentence and exit code 2, or a quiet end where nobody reads.
@Suite("Writes that fail", .withTool) struct WriteFailureTests {
  /// Verbs whose words go to standard output.
  static let printing: [[String]] = [
    ["run", "in.yaml"], ["run", "in.yaml", "--format", "json"], ["run", "in.yaml", "--check-determinism"],
    ["replay", "in.pcapng"], ["replay", "in.pcapng", "--format", "json"], ["replay", "in.pcapng", "--explain"],
    ["judge", "in.pcapng"], ["judge", "in.pcapng", "--format", "sarif"], ["diff", "in.pcapng"], ["clauses"],
    ["reproduce", "in.pcapng"], ["reproduce", "in.pcapng", "--check"],
    ["shrink", "in.yaml", "--bite", "--budget-seconds", "0"], ["shrink", "in.pcapng", "--report", "found"],
    ["explain", "in.yaml"], ["explain", "--schema"], ["explain", "--quirks"], ["fuzz"], ["--help"], ["--version"],
    ["help", "run"], ["examine", "device", "-i", "lo", "--dry-run"],
    ["examine", "control-point", "-i", "lo", "--dry-run"],
  ]

  @Test("Standard output that is full or closed is said in one sentence", arguments: printing)
  func standardOutput(words: [String]) throws {
    try WritingVerb.withInputs { folder in
      for (shell, why) in [(">/dev/full", "No space left on device"), (">&-", "it is closed")] {
        let run = try ToolRun(words, in: folder, shell: "exec \"$0\" \"$@\" \(shell)")
        expectEqual(run.exitCode, 2, "\(shell)")
        expectEqual(
          run.errors.split(separator: "\n").last.map(String.init), "standard output: cannot be written: \(why)",
          "\(run.errors)")
      }
    }
  }

  @Test("Nothing but a trace is in the file of the trace where standard output was closed at the start")
  func closedAtTheStart() throws {
    try WritingVerb.withInputs { folder in
      let words = ["run", "in.yaml", "--trace"]
      try expectEqual(ToolRun(words + ["open"], in: folder).exitCode, 0)
      let run = try ToolRun(words + ["closed"], in: folder, shell: "exec \"$0\" \"$@\" >&-")
      #expect(run.exitCode == 2 && run.errors == "standard output: cannot be written: it is closed\n")
      let files = try FolderState(folder).files
      expectEqual(files["closed"], files["open"])
    }
  }

  @Test("A pipe that nobody reads ends the tool quietly, by the signal for it", arguments: printing)
  func closedPipe(words: [String]) throws {
    try WritingVerb.withInputs { folder in
      // The reader is gone before anything is written.
      let run = try ToolRun(
        words, in: folder,
        shell: "mkfifo gone go; { exec 3> gone; read x < go; \"$0\" \"$@\" >&3; echo $? > code; } & "
          + "exec 4< gone; exec 4<&-; echo > go; wait")
      expectEqual(run.exitCode, 0)
      let code = try String(contentsOf: folder.appendingPathComponent("code"), encoding: .utf8)
      expectEqual(code, "141\n", "\(run.errors)")
      #expect(!run.errors.contains("cannot be written"))
    }
  }

  @Test(
    "A file for which there is no room leaves the one of before, and none where none was", arguments: WritingVerb.all)
  func noRoom(verb: WritingVerb) throws {
    try WritingVerb.withInputs { folder in
      try Data("before".utf8).write(to: folder.appendingPathComponent("old"))
      let before = try FolderState(folder)
      for path in ["old", "new"] {
        // No file of this process may have a byte; standard output is none, but a pipe.
        let run = try ToolRun(
          verb.arguments(writing: path), in: folder,
          shell: "{ (ulimit -f 0; exec \"$0\" \"$@\") 2>&1; echo \"$?\"; } | cat")
        let lines = run.text.split(separator: "\n").map(String.init)
        #expect(lines.last == "2" && lines.dropLast().last == "\(path): cannot be written: File too large", "\(lines)")
        try expectEqual(FolderState(folder), before)
      }
      let full = try ToolRun(verb.arguments(writing: "/dev/full"), in: folder)
      expectEqual(full.exitCode, 2)
      expectEqual(
        full.errors.split(separator: "\n").last.map(String.init),
        "/dev/full: cannot be written: No space left on device")
    }
  }

  @Test("A complaint that cannot be said changes nothing", arguments: [">/dev/full", ">&-"])
  func standardError(redirection: String) throws {
    try WritingVerb.withInputs { folder in
      let shell = "exec \"$0\" \"$@\" 2\(redirection)"
      try expectEqual(ToolRun(["judge", "none.pcapng"], in: folder, shell: shell).exitCode, 2)
      try expectEqual(ToolRun(["run", "--no-such-option"], in: folder, shell: shell).exitCode, 2)
      let reproduced = try ToolRun(["reproduce", "in.pcapng", "-o", "out.yaml"], in: folder, shell: shell)
      expectEqual(reproduced.exitCode, 0)
      let text = try String(contentsOf: folder.appendingPathComponent("out.yaml"), encoding: .utf8)
      #expect(text.hasPrefix("# Made by rollcall reproduce") && !text.contains("messages: "))
    }
  }

  @Test(
    "Numbers that nobody meant are refused or bounded, and trap nowhere",
    arguments: [
      (["shrink", "in.yaml", "--budget-seconds=nan"], [2]), (["shrink", "in.yaml", "--budget-seconds=inf"], [2]),
      (["shrink", "in.yaml", "--budget-seconds=-inf"], [2]), (["shrink", "in.yaml", "--budget-seconds=-1"], [2]),
      (["shrink", "in.yaml", "--budget-seconds=1e300"], [2]),
      (["shrink", "in.pcapng", "--report", "found", "-o", "/dev/null", "--budget-seconds=1e8"], [0]),
      (["run", "in.yaml", "--jobs=-9223372036854775808"], [2]),
      (["run", "in.yaml", "--jobs=9223372036854775807"], [2]),
      (["run", "in.yaml", "--seed=18446744073709551615"], [0]), (["run", "in.yaml", "--seed=-1"], [2]),
      (["run", "in.yaml", "--shard=0/0"], [2]), (["run", "in.yaml", "--shard=1/9223372036854775807"], [0]),
      (["run", "in.yaml", "--shard=+1/1"], [2]), (["run", "in.yaml", "--shard=1//1"], [2]),
      (["run", "in.yaml", "--seeds=9..1"], [2]),
      (["run", "in.yaml", "--seeds=18446744073709551615..18446744073709551615"], [0, 2]),
      (["diff", "in.pcapng", "--rows=-9223372036854775808"], [2]),
      (["diff", "in.pcapng", "--rows=9223372036854775807"], [2]),
      (["diff", "in.pcapng", "--within=9223372036854775807h"], [0]), (["diff", "in.pcapng", "--within=nan"], [2]),
      (["diff", "in.pcapng", "--a-mx=9223372036854775807"], [2]),
      (["replay", "in.pcapng", "--until=+9223372036854775807h"], [0]),
      (["replay", "in.pcapng", "--until=٣s"], [2]), (["replay", "in.pcapng", "--mx=9223372036854775807"], [2]),
      (["replay", "in.pcapng", "--broadcasts=-1", "--spacing=9223372036854775807h"], [2]),
      (
        ["replay", "in.pcapng", "--search=a:x", "--at=9223372036854775807h", "--spacing=9223372036854775807h"], [0, 2]
      ),
      (["replay", "in.pcapng", "--set", "limits.entries-per-source=99999999999999999999"], [2]),
      (["fuzz", "--runs=-9223372036854775808"], [0]), (["fuzz", "ssdp", "--runs=-9223372036854775808"], [0, 2]),
      (["serve", "in.yaml", "-i", "lo", "--speed=9223372036854775807"], [2]),
      (["record", "-i", "lo", "-o", "f", "--count=-1"], [2]),
      (["record", "-i", "lo", "-o", "f", "--snap-length=-9223372036854775808"], [2]),
      (["examine", "control-point", "-i", "lo", "--runs=9223372036854775807"], [2]),
      (["examine", "device", "-i", "lo", "--dry-run", "--patience=9223372036854775807h"], [0]),
      (["examine", "device", "-i", "lo", "--dry-run", "--until-byebye=9223372036854775807h"], [0]),
    ] as [([String], [Int32])])
  func numbers(words: [String], codes: [Int32]) throws {
    try WritingVerb.withInputs { folder in
      for columns in ["100", "-9223372036854775808", "9223372036854775807", "1e300"] {
        let run = try ToolRun(words, in: folder, environment: ["COLUMNS": columns])
        #expect(codes.contains(run.exitCode), "\(run.exitCode): \(run.errors)")
        if words.first != "diff" { break }
      }
    }
  }

  @Test("No verb prints, writes or trusts but in the one place for it")
  func onePlace() throws {
    let forbidden = [" print(", "FileHandle.standard", ".write(to:", "createFile(", "fputs(", "putchar(", "try!"]
    for room in ["rollcall", "Harness"] {
      let folder = Places.root.appendingPathComponent("Sources/\(room)")
      let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
      for name in names.sorted() where name.hasSuffix(".swift") && !name.hasPrefix("Output/") {
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
          for word in forbidden where line.firstRange(of: word) != nil {
            Issue.record("\(room)/\(name):\(number + 1) has \(word)")
          }
        }
      }
    }
  }
}
