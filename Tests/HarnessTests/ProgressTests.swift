import Foundation
import RollcallExpectations
@testable import RollcallLive
import RollcallReporting
import Testing

/// How far something long is: the line, when it is drawn, and what of it a terminal shows in the end.
@Suite("Progress")
struct ProgressTests {
  @Test(
    "the line has a rate and what is left, where that is known",
    arguments: [
      (
        .counted(done: 500, of: 1_000, what: "a.yaml"), 20,
        "████████████░░░░░░░░░░░░ 500/1000  25/s, 20 s left  a.yaml"
      ),
      (
        .counted(done: 1, of: 1_000, what: "a.yaml"), 4,
        "░░░░░░░░░░░░░░░░░░░░░░░░ 1/1000  0.2/s, 1 h 6 min left  a.yaml"
      ),
      (
        .counted(done: 1_000, of: 1_000, what: "a.yaml"), 300,
        "████████████████████████ 1000/1000  3.3/s  a.yaml"
      ),
      (.counted(done: 0, of: 9, what: "a.yaml"), 0, "░░░░░░░░░░░░░░░░░░░░░░░░ 0/9  a.yaml"),
      (.reading("judging", bytes: 25_000_000, of: 100_000_000), 2.5, "judging: 25 % of 100 MB, 10 MB/s, 8 s left"),
      (.reading("judging", bytes: 25_000_000, of: 0), 10, "judging: 25 MB, 2.5 MB/s"),
      (
        .trying("shrinking", count: 340, things: "replays tried", left: "12 frames left", secondsMaximum: 60), 10,
        "shrinking: 340 replays tried, 34/s, at most 50 s left; 12 frames left"
      ),
      // A rate is known behind the first moment, and not at it.
      (.reading("reading", bytes: 0, of: 0), 0.5, "reading: 0.0 MB, 0.0 MB/s"),
      (.reading("reading", bytes: 1, of: 1), 0, "reading: 100 % of 0 MB"),
      (
        .trying("shrinking", count: 5, things: "replays tried", left: "a frame left", secondsMaximum: 60), 0,
        "shrinking: 5 replays tried, at most 1 min 0 s left; a frame left"
      ),
      (
        .trying("shrinking", count: 5, things: "replays tried", left: "a frame left", secondsMaximum: 59), 0.5,
        "shrinking: 5 replays tried, 10/s, at most 59 s left; a frame left"
      ),
      (.busy("comparing"), 61.9, "comparing: 1 min 1 s"),
    ] as [(ProgressWork, Double, String)])
  func lines(work: ProgressWork, seconds: Double, line: String) {
    expectEqual(ProgressText.line(work, seconds: seconds, width: 100), line)
    for width in [0, 1, 40] {
      expectEqual(ProgressText.line(work, seconds: seconds, width: width), String(line.prefix(width)))
    }
  }

  @Test("numbers that nobody meant trap nowhere")
  func odd() {
    let works: [ProgressWork] = [
      .counted(done: -1, of: 0, what: ""), .counted(done: 9, of: 3, what: ""), .reading("", bytes: 0, of: 1),
      .trying("", count: 0, things: "", left: "", secondsMaximum: -.infinity), .busy(""),
    ]
    for work in works {
      for seconds: Double in [-1, 0, 1e-300, 1e300, .infinity] {
        #expect(ProgressText.line(work, seconds: seconds, width: 60).count <= 60)
      }
    }
  }

  @Test("what is over within two seconds has no line; what will take longer has one as soon as that shows")
  func pace() {
    func drawn(_ moments: [(Double, Double?)]) -> [Double] {
      var pace = ProgressPace()
      return moments.filter { pace.isDue(at: $0.0, rest: $0.1) }.map(\.0)
    }
    expectEqual(drawn([(0.1, 1.8), (0.6, 1.3), (1.2, 0.7), (1.9, 0)]), [])
    expectEqual(drawn([(0.1, 60), (0.4, 60), (0.5, 60), (0.55, 60), (0.61, 60)]), [0.5, 0.61])
    expectEqual(drawn([(0.6, nil), (1.9, nil), (2, nil), (2.05, nil), (2.2, 0)]), [2, 2.2])
  }

  /// A run of the tool whose standard error is a terminal, ended by Ctrl-C as soon as `isSeen` says so.
  private static func terminal(
    _ words: [String], in folder: URL, until isSeen: (String) -> Bool
  ) throws -> (shown: String, exitCode: Int32) {
    let terminal = try PseudoTerminal()
    let process = Process()
    process.executableURL = ToolRun.url
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(fileDescriptor: terminal.inner, closeOnDealloc: false)
    try process.run()
    close(terminal.inner)
    let guardian = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60), execute: guardian)
    var (bytes, buffer, hasEnded) = ([UInt8](), [UInt8](repeating: 0, count: 4_096), false)
    while true {
      let count = read(terminal.outer, &buffer, buffer.count)
      // The other side was closed.
      if count <= 0 { break }
      bytes += buffer[..<count]
      if !hasEnded, isSeen(String(decoding: bytes, as: UTF8.self)) {
        hasEnded = true
        process.interrupt()
      }
    }
    process.waitUntilExit()
    guardian.cancel()
    terminal.stop()
    terminal.read { _ in }
    return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
  }

  /// What stands on the terminal in the end: each line behind what erases it last.
  private static func lines(_ shown: String) -> [String] {
    shown.components(separatedBy: "\n").map { line in
      line.components(separatedBy: "\r\u{1B}[K").last?.replacing("\r", with: "") ?? ""
    }
  }

  private static func slow(_ folder: URL) throws {
    try Data(WritingVerb.scenario.utf8).write(to: folder.appendingPathComponent("slow.yaml"))
  }

  @Test("on a terminal a long run has one line with rate and estimate, and nothing of it is left behind", .withTool)
  func drawn() throws {
    try Places.withTemporaryFolder { folder in
      try Self.slow(folder)
      let run = try Self.terminal(["run", "slow.yaml", "--seeds", "1..1000000"], in: folder) { $0.contains("/s, ") }
      expectEqual(run.exitCode, 130)
      #expect(run.shown.contains(/░ [0-9]+\/1000000  [0-9.]+\/s, [0-9 a-z]+ left  slow\.yaml/), "\(run.shown)")
      expectEqual(
        Self.lines(run.shown).filter { !$0.isEmpty },
        ["interrupted: the runs under way are finished; once more ends at once"])
    }
  }

  @Test("what is over at once draws nothing on a terminal", .withTool)
  func notDrawn() throws {
    try Places.withTemporaryFolder { folder in
      try Self.slow(folder)
      for words in [
        ["run", "slow.yaml"], ["diff", "slow.yaml"], ["shrink", "none.yaml"],
        ["fuzz", "ssdp-lenient", "--runs", "100"],
      ] {
        let run = try Self.terminal(words, in: folder) { _ in false }
        #expect(!run.shown.contains("\u{1B}"), "\(words): \(run.shown)")
      }
    }
  }
}
