import RollcallCapture
import RollcallConformance
import Foundation
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing

@Suite("Inputs and what is told of them")
struct InputTests {
  private let capture = Places.root.appendingPathComponent("Captures/gssdp-renewal-lost/capture.pcapng")

  private func touch(_ names: [String], in folder: URL) throws {
    for name in names {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
  }

  @Test("a folder stands for what ends as its kind, however deep, in the order of paths; hidden files are left out")
  func folders() throws {
    try Places.withTemporaryFolder { folder in
      try touch(
        [
          "b/capture.pcapng", "a.PCAP", "a/x.cap", "a/x.pcap.gz", "a/notes.txt", "a/expected.jsonl", "z.yaml", "y.yml",
          ".git/c.pcap", "a/.hidden.pcap", "run.trace",
        ], in: folder)
      func names(_ endings: [String]) -> [String]? {
        InputFiles.paths(at: folder.path, endings: endings)?.map { String($0.dropFirst(folder.path.count + 1)) }
      }
      expectEqual(names(InputFiles.captures), ["a.PCAP", "a/x.cap", "a/x.pcap.gz", "b/capture.pcapng"])
      expectEqual(names(InputFiles.judged), ["a.PCAP", "a/x.cap", "a/x.pcap.gz", "b/capture.pcapng", "run.trace"])
      expectEqual(names(InputFiles.scenarios), ["y.yml", "z.yaml"])
      expectEqual(
        InputFiles.paths(at: folder.path + "/", endings: [".trace"]), [folder.path + "/run.trace"])
      expectEqual(
        InputFiles.paths(at: folder.path + "/a/notes.txt", endings: [".pcap"]), [folder.path + "/a/notes.txt"])
      expectEqual(InputFiles.paths(at: folder.path + "/nothing", endings: [".pcap"]), nil)
      expectEqual(InputFiles.paths(at: "-", endings: [".pcap"]), ["-"])
    }
  }

  @Test("what a pipe holds can be read as often as a file, and not more of it than is kept")
  func pipes() throws {
    try Places.withTemporaryFolder { folder in
      // A pipe for each reading: a writer whose reader gave up may still hold the other end for a moment.
      let pipes = try ["whole", "cut", "judged", "traced"].map { name in
        let path = folder.appendingPathComponent(name).path
        try #require(mkfifo(path, 0o600) == 0)
        return path
      }
      let pipe = pipes[0]
      #expect(!InputFiles.isRepeatable(pipe))
      #expect(!InputFiles.isRepeatable("-"))
      #expect(InputFiles.isRepeatable(capture.path))
      let bytes = try Data(contentsOf: capture)
      func feed(_ pipe: String, _ bytes: Data) {
        Thread.detachNewThread { FileHandle(forWritingAtPath: pipe)?.write(bytes) }
      }
      feed(pipe, bytes)
      let open = try InputFiles.opener(of: pipe)
      for _ in 0..<2 {
        var reader = try open()
        var frame = CaptureFrame()
        var count = 0
        while reader.next(&frame) { count += 1 }
        expectEqual(count, 48)
      }
      feed(pipes[1], bytes)
      #expect(throws: CaptureError.self) { try InputFiles.bytes(at: pipes[1], bytesMaximum: 100) }
      // Only what can be read again is opened from its start.
      var opened: [String] = []
      feed(pipes[2], bytes)
      for path in [pipes[2], capture.path] {
        let heard = try JudgeInput.judge(
          path,
          open: { name in
            opened.append(name)
            return try CaptureReader(path: name)
          })
        expectEqual(heard.judgement.messageCount, 44)
      }
      expectEqual(opened, [capture.path])
      // By its first 256 bytes it is a trace.
      let long = "1" + String(repeating: "a", count: 255) + "\u{1}\n"
      feed(pipes[3], Data(long.utf8))
      let failure = #expect(throws: JudgeInput.Failure.self) { try JudgeInput.judge(pipes[3]) }
      expectEqual(failure?.description, "\(pipes[3]):1:1: expected a time in seconds with nine decimals")
    }
  }

  @Test("a capture starts with its first frame that has a time; what is none, or can be read only once, has no start")
  func starts() throws {
    expectEqual(InputFiles.start(of: capture.path), Instant(nanoseconds: 1_795_256_057_410_510_164))
    try Places.withTemporaryFolder { folder in
      try touch(["empty.pcap"], in: folder)
      for name in ["empty.pcap", "none.pcap", ""] {
        expectEqual(InputFiles.start(of: folder.path + "/" + name), nil)
      }
    }
    expectEqual(InputFiles.start(of: "-"), nil)
  }

  @Test("the mark of byte order at the start of a text says nothing, there and nowhere else")
  func byteOrderMark() throws {
    expectEqual(InputFiles.withoutMark("\u{FEFF}a\u{FEFF}"), "a\u{FEFF}")
    expectEqual(
      ExpectedReports.difference(
        reviewed: "\u{FEFF}{\"a\":1}\r\n\r\n# x\r\n{\"a\":2}", found: ["{\"a\":1}", "{\"a\":2}"]), nil)
    let line =
      #"{"schema":"rollcall/1","kind":"report","time":"1.000000000","frame":3,"layer":"ssdp","event":"lost","#
      + #""device":"uuid:a","cause":"byebye"}"#
    let side = try DiffInput(path: "x.jsonl").reportsSide("\u{FEFF}" + line + "\r\n" + line)
    expectEqual(side.reports.count, 2)
  }

  @Test("an input that cannot be read is a JSON line of its own, and an error in JUnit")
  func failures() {
    expectEqual(
      InputFailureLines.json(input: "a \"b\"", message: "no such file"),
      #"{"schema":"rollcall/1","kind":"error","input":"a \"b\"","message":"no such file"}"#)
    #expect(
      JUnitDocument([InputFailureLines.suite(input: "a.pcap", message: "no such file")]).text.contains(
        #"<error message="no such file" type="unreadable"/>"#))
  }

  @Test("events have one name for people and one in JSON lines, and both are understood")
  func events() {
    expectEqual(
      EventName.all.map { EventName.json($0) }, ["found", "changed", "lost", "service", "searchEnded", "failed"])
    expectEqual(EventName.json("searchEnded"), "searchEnded")
    expectEqual(EventName.json("search-ended"), "searchEnded")
    expectEqual(EventName.json("searchended"), nil)
  }

  @Test("a time is told as the file has it, since the first frame, or as a date, rounded down")
  func times() {
    let start = Instant(nanoseconds: 1_795_256_057_431_246_051)
    let time = start + .milliseconds(21_094)
    expectEqual(TimeStyle.epoch.text(time, since: start), "1795256078.525246051")
    expectEqual(TimeStyle.relative.text(time, since: start), "+21.094")
    expectEqual(TimeStyle.relative.text(time, since: nil), "1795256078.525246051")
    expectEqual(TimeStyle.utc.text(time, since: start), "2026-11-21 10:14:38.525Z")
    expectEqual(TimeStyle.utc.text(Instant(nanoseconds: -1), since: nil), "1969-12-31 23:59:59.999Z")
    let local = TimeStyle.local.text(time, since: start)
    #expect(local.contains(/^2026-11-2[0-2] [0-9]{2}:[0-9]{2}:38\.525[+-][0-9]{2}:[0-9]{2}$/))
  }
}

@Suite("Lines on a terminal")
struct TextLayoutTests {
  @Test("a line is broken between words, and what goes on stands below its text")
  func wrapping() {
    expectEqual(
      TextLayout.wrapped("    expected  one two three four", width: 21),
      [
        "    expected  one two", "        three four",
      ])
    expectEqual(
      TextLayout.wrapped("    found     one two three four five", width: 34),
      [
        "    found     one two three four", "              five",
      ])
    expectEqual(TextLayout.wrapped("a  b", width: nil), ["a  b"])
    expectEqual(TextLayout.wrapped("short", width: 20), ["short"])
    expectEqual(
      TextLayout.wrapped("http://192.168.1.20:49152/description.xml", width: 20),
      [
        "http://192.168.1.20:49152/description.xml"
      ])
    expectEqual(
      TextLayout.wrapped("        again: rollcall run x --seed 1", width: 20),
      [
        "        again: rollcall run x --seed 1"
      ])
  }

  @Test("no line is wider than asked unless a word is, and no word is lost, whatever the width")
  func everyWidth() {
    let line =
      "  12.000000001  frame 3       found uuid:1 at \u{1B}[31mhttp://10.0.0.1/\u{1B}[0m by 10.0.0.1 boot 7 of  two"
    for width in 20...120 {
      let lines = TextLayout.wrapped(line, width: width)
      expectEqual(lines.flatMap { $0.split(separator: " ") }, line.split(separator: " "))
      for one in lines where one.replacing(/\u{1B}\[[0-9]+m/, with: "").count > width {
        expectEqual(one.split(separator: " ").count, 1, "\(width): \(one)")
      }
    }
  }

  private func manners(_ environment: [String: String], isTerminal: Bool = true) -> String {
    let manners = TerminalManners(
      environment: environment, isOutputTerminal: isTerminal, isErrorTerminal: isTerminal,
      terminalColumns: isTerminal ? 90 : nil)
    return (manners.usesColour ? "colour " : "") + (manners.drawsOutput ? "table " : "")
      + (manners.drawsProgress ? "bar " : "") + (manners.columns.map { "\($0)" } ?? "any")
  }

  @Test("colour, drawing and width follow what the environment asks for, and what is there")
  func environment() {
    expectEqual(manners([:]), "colour table bar 90")
    expectEqual(manners([:], isTerminal: false), "any")
    expectEqual(manners(["COLUMNS": "70"], isTerminal: false), "70")
    expectEqual(manners(["COLUMNS": "3"], isTerminal: false), "40")
    expectEqual(manners(["COLUMNS": "+70"], isTerminal: false), "any")
    expectEqual(manners(["COLUMNS": "-70"], isTerminal: false), "any")
    expectEqual(manners(["TERM": "dumb"]), "90")
    expectEqual(manners(["NO_COLOR": "1"]), "table bar 90")
    expectEqual(manners(["NO_COLOR": ""]), "colour table bar 90")
    expectEqual(manners(["CLICOLOR": "0"]), "table bar 90")
    expectEqual(manners(["FORCE_COLOR": "1"], isTerminal: false), "colour any")
    expectEqual(manners(["CLICOLOR_FORCE": "1"], isTerminal: false), "colour any")
    expectEqual(manners(["CLICOLOR_FORCE": "0"], isTerminal: false), "any")
    expectEqual(manners(["FORCE_COLOR": "0"]), "table bar 90")
    expectEqual(manners(["FORCE_COLOR": "1", "NO_COLOR": "1"], isTerminal: false), "any")
    expectEqual(manners(["FORCE_COLOR": "1", "TERM": "dumb"]), "colour 90")
  }

  @Test(
    "failures of a run and the lists of explain are broken where the terminal ends, but for a command to copy",
    .withTool,
    arguments: [(["run", "fails.yaml"], 1), (["explain", "--quirks"], 0), (["explain", "--switches"], 0)]
      as [([String], Int32)])
  func fitted(words: [String], code: Int32) throws {
    try WritingVerb.withInputs { folder in
      let fails = WritingVerb.scenario.replacing("at: 10s}", with: "at: 11s}")
      try Data(fails.utf8).write(to: folder.appendingPathComponent("fails.yaml"))
      let (wide, narrow) = (
        try ToolRun(words, in: folder), try ToolRun(words, in: folder, environment: ["COLUMNS": "72"])
      )
      #expect((wide.exitCode, narrow.exitCode) == (code, code))
      #expect(wide.lines.contains { $0.count > 72 && !$0.contains("again: ") })
      // The line of a scenario is a row of a table, which stays whole.
      let exempt = ["again: ", "FAILED", "scenarios,"]
      for line in narrow.lines where !exempt.contains(where: { line.contains($0) }) {
        #expect(line.count <= 72 || line.split(separator: " ").count == 1, "\(line)")
      }
    }
  }
}
