import Foundation
import RollcallExpectations
import RollcallRunning
import Testing

/// `run --watch`: what is run for what was changed.
@Suite("Scenarios that are watched")
struct WatchTests {
  private typealias Mark = WatchedFiles.Mark

  private static func change(
    _ old: [String: Mark], _ new: [String: Mark], others: ([String: Mark], [String: Mark]) = ([:], [:])
  ) -> WatchChange {
    WatchChange(
      from: WatchedFiles(scenarios: old, others: others.0), to: WatchedFiles(scenarios: new, others: others.1))
  }

  @Test("what was changed and what is new is run, what is gone is told, and a file for all runs all")
  func decision() {
    let (one, two) = (Mark(seconds: 1), Mark(seconds: 2))
    let same = Self.change(["a": one, "b": two], ["b": two, "a": one])
    #expect(same.isEmpty && same.wanted == .nothing)
    expectEqual(same.text, "")

    let mixed = Self.change(["a": one, "c": one, "d": one], ["a": two, "b": one, "d": one])
    expectEqual([mixed.changed, mixed.added, mixed.removed], [["a"], ["b"], ["c"]])
    expectEqual(mixed.wanted, .these(["a", "b"]))
    expectEqual(mixed.text, "changed: a; new: b; removed: c")

    let gone = Self.change(["a": one], [:])
    #expect(!gone.isEmpty && gone.wanted == .nothing)

    let known = Self.change(["a": one], ["a": one], others: (["known": one], ["known": two]))
    expectEqual(known.wanted, .everything)
    expectEqual(known.text, "changed: known")
    expectEqual(Self.change([:], [:], others: (["known": one], [:])).wanted, .everything)
  }

  @Test("a file of the same length is another one when it was written, replaced or touched at another moment")
  func marks() {
    let mark = Mark(seconds: 1, nanoseconds: 5, size: 7, number: 3)
    let others = [
      Mark(seconds: 2, nanoseconds: 5, size: 7, number: 3), Mark(seconds: 1, nanoseconds: 6, size: 7, number: 3),
      Mark(seconds: 1, nanoseconds: 5, size: 8, number: 3), Mark(seconds: 1, nanoseconds: 5, size: 7, number: 4),
    ]
    for other in others { expectEqual(Self.change(["a": mark], ["a": other]).wanted, .these(["a"])) }
  }

  @Test("of nothing no path is run, of everything each, and of some those")
  func wanted() {
    let all: [WatchChange.Wanted] = [.nothing, .everything, .these(["b", "a"]), .these([])]
    expectEqual(all.map { $0.takes("a") }, [false, true, true, false])
    expectEqual(all.map { $0.takes("c") }, [false, true, false, false])
  }

  @Test("many paths are told by the first of them")
  func many() {
    let files = Dictionary(uniqueKeysWithValues: (10..<30).map { ("\($0)", Mark(seconds: 1)) })
    expectEqual(Self.change([:], files).text, "new: 10 11 12 13 14 15 16 17 and 12 more")
    expectEqual(Self.change([:], files).wanted, .these((10..<30).map(String.init)))
    for (count, more) in [(8, ""), (9, " and 1 more")] {
      let few = Dictionary(uniqueKeysWithValues: (10..<10 + count).map { ("\($0)", Mark(seconds: 1)) })
      expectEqual(Self.change(few, [:]).text, "removed: 10 11 12 13 14 15 16 17" + more)
    }
  }

  @Test("files are looked at where they are: below folders, through links, and only those that the filter leaves")
  func look() throws {
    try Places.withTemporaryFolder { folder in
      for name in ["a.yaml", "b.yml", "c.txt", ".d.yaml"] {
        try Data("x".utf8).write(to: folder.appendingPathComponent(name))
      }
      try FileManager.default.createSymbolicLink(
        atPath: folder.appendingPathComponent("e.yaml").path, withDestinationPath: "c.txt")
      func look() -> WatchedFiles {
        let skipped = [PathPattern("b")].compactMap { $0 }
        return WatchedFiles(
          [folder.path, "/nothing/there"], filter: ScenarioFilter(skippedPaths: skipped),
          beside: [folder.path + "/c.txt", folder.path + "/none"])
      }
      let before = look()
      expectEqual(before.scenarios.keys.sorted(), [folder.path + "/a.yaml", folder.path + "/e.yaml"])
      expectEqual(before.others.keys.sorted(), [folder.path + "/c.txt"])
      #expect(WatchChange(from: before, to: look()).isEmpty)
      try Data("xy".utf8).write(to: folder.appendingPathComponent("c.txt"))
      let change = WatchChange(from: before, to: look())
      expectEqual(change.changed, [folder.path + "/e.yaml"])
      expectEqual(change.others, [folder.path + "/c.txt"])
    }
  }

  @Test("what shows one run is refused, and nothing is written", .withTool)
  func oneRun() throws {
    try WritingVerb.withInputs { folder in
      let before = try FolderState(folder)
      for option in ["--pcapng", "--trace", "--html", "--perfetto"] {
        let run = try ToolRun("run", "in.yaml", "--watch", option, "out", in: folder)
        expectEqual(run.exitCode, 2, "\(option)")
        expectEqual(
          run.errors,
          "--watch runs again and again: not with --check-determinism, --write-expected, or what tells of one run\n",
          "\(option)")
      }
      try expectEqual(FolderState(folder), before)
    }
  }

  @Test("the tool runs what was changed, goes on where a file is broken, and ends by Ctrl-C with 130", .withTool)
  func tool() throws {
    try Places.withTemporaryFolder { folder in
      for name in ["one.yaml", "two.yaml"] {
        try Data(WritingVerb.scenario.utf8).write(to: folder.appendingPathComponent(name))
      }
      let process = Process()
      process.executableURL = ToolRun.url
      process.arguments = ["run", ".", "--watch"]
      process.currentDirectoryURL = folder
      process.standardInput = FileHandle.nullDevice
      let pipe = Pipe()
      (process.standardOutput, process.standardError) = (pipe, pipe)
      try process.run()
      let guardian = DispatchWorkItem { process.terminate() }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60), execute: guardian)
      // Each time that it waits the next thing is done to it.
      let contents = [
        "scenario: broken\nduratoin: 3s\n",
        WritingVerb.scenario.replacing("cause: byebye", with: "cause: expired"),
      ]
      var (text, waits) = ("", 0)
      while true {
        let data = pipe.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
        while text.components(separatedBy: "watching 2 scenarios; Ctrl-C ends\n").count - 1 > waits {
          if waits < contents.count {
            try Data(contents[waits].utf8).write(to: folder.appendingPathComponent("two.yaml"), options: .atomic)
          } else {
            process.interrupt()
          }
          waits += 1
        }
      }
      process.waitUntilExit()
      guardian.cancel()
      expectEqual(process.terminationStatus, 130)
      let lines = text.components(separatedBy: "\n").filter { !$0.isEmpty }
      let kinds = lines.map { line in line.split(separator: " ").prefix(2).joined(separator: " ") }
      expectEqual(kinds.prefix(4), ["passed ./one.yaml", "passed ./two.yaml", "2 scenarios,", "watching 2"])
      #expect(lines.count > 7 && lines[4].hasPrefix("--- ") && lines[4].hasSuffix(" changed: ./two.yaml"), "\(text)")
      #expect(lines.dropFirst(5).first?.hasPrefix("./two.yaml:2:1: error: unknown key 'duratoin'") == true, "\(text)")
      expectEqual(kinds.count { $0 == "FAILED ./two.yaml" }, 1, "\(text)")
      expectEqual(kinds.count { $0 == "passed ./one.yaml" }, 1, "\(text)")
      expectEqual(lines.last, "interrupted")
    }
  }
}
