import Foundation
import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallReporting

/// Words, numbers, documents and inputs that all verbs share, at their bounds.
@Suite("Parts of reports") struct ReportPartTests {
  // MARK: Words

  @Test("a duration is told in the unit that suits it, cut off and never rounded up")
  func durations() {
    let rows: [(interval: Interval, text: String)] = [
      (.zero, "0 us"), (.nanoseconds(999), "0 us"), (.microseconds(43), "43 us"), (.nanoseconds(999_999), "999 us"),
      (.milliseconds(1), "0.001 s"), (.nanoseconds(1_999_999), "0.001 s"), (.milliseconds(14_300), "14.3 s"),
      (.nanoseconds(99_999_999_999), "99.999 s"), (.seconds(100), "100 s"), (.milliseconds(100_990), "100.9 s"),
      (.microseconds(-43), "-43 us"), (.milliseconds(-1), "-0.001 s"), (.milliseconds(-100_990), "-100.9 s"),
    ]
    for row in rows { expectEqual(PlainWords.duration(row.interval), row.text) }
    expectEqual(PlainWords.lateness(nil), "")
    expectEqual(PlainWords.lateness(.milliseconds(1) ... .milliseconds(1)), "0.001 s")
    expectEqual(PlainWords.lateness(.microseconds(1) ... .seconds(2)), "1 us to 2 s")
    expectEqual([0, 1, 2].map { PlainWords.count($0, "frame") }, ["0 frames", "1 frame", "2 frames"])
    let start = Instant.zero + .seconds(5)
    expectEqual(PlainWords.since(start, start + .nanoseconds(1_999_999)), "+0.001")
  }

  @Test("what is left is rounded up to seconds; what a clock measured is a number from nothing to a billion seconds")
  func left() {
    let rows: [(seconds: Double, text: String)] = [
      (-1, "0 s"), (.nan, "0 s"), (0, "0 s"), (0.001, "1 s"), (1, "1 s"), (58.1, "59 s"), (59, "59 s"),
      (59.1, "1 min 0 s"), (60, "1 min 0 s"), (61, "1 min 1 s"), (3_599, "59 min 59 s"), (3_599.1, "1 h 0 min"),
      (3_600, "1 h 0 min"), (3_659, "1 h 0 min"), (3_660, "1 h 1 min"), (7_260, "2 h 1 min"),
    ]
    for row in rows { expectEqual(ProgressText.duration(row.seconds), row.text, "\(row.seconds)") }
    func rest(_ done: Int, _ all: Int, _ seconds: Double) -> [Double?] {
      [
        ProgressWork.counted(done: done, of: all, what: "").rest(after: seconds),
        ProgressWork.reading("", bytes: done, of: all).rest(after: seconds),
      ]
    }
    expectEqual(rest(1, 4, 2), [6, 6])
    expectEqual(rest(4, 4, 2), [0, 0])
    expectEqual(rest(5, 4, 2), [0, 0])
    expectEqual(rest(0, 4, 2), [nil, nil])
    expectEqual(rest(1, 0, 2), [nil, nil])
    expectEqual(rest(1, 4, 0), [nil, nil])
    expectEqual(rest(1, 4, 1), [3, 3])
    expectEqual(rest(1, 4, 0.5), [1.5, 1.5])
    expectEqual(rest(1, 1, 2), [0, 0])
    expectEqual(ProgressWork.busy("").rest(after: 2), nil)
    let measured: [(seconds: Double, nanoseconds: Int64)] = [
      (1.5, 1_500_000_000), (0, 0), (-1, 0), (-.infinity, 0), (.infinity, 0), (.nan, 0),
      (1e9, 1_000_000_000_000_000_000), (1e300, 1_000_000_000_000_000_000),
    ]
    for row in measured {
      expectEqual(Interval(measuredSeconds: row.seconds).nanoseconds, row.nanoseconds, "\(row.seconds)")
    }
  }

  @Test("a line of progress has a rate as soon as something is done and time has passed")
  func progress() {
    func line(_ done: Int, _ all: Int, _ seconds: Double) -> String {
      ProgressText.line(.counted(done: done, of: all, what: "a"), seconds: seconds, width: 100)
    }
    func bar(_ filled: Int) -> String {
      String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
    }
    expectEqual(line(0, 1, 0), bar(0) + " 0/1  a")
    expectEqual(line(0, 9, 5), bar(0) + " 0/9  a")
    expectEqual(line(5, 10, 0), bar(12) + " 5/10  a")
    expectEqual(line(5, 10, 0.5), bar(12) + " 5/10  10/s, 1 s left  a")
    expectEqual(line(1, 4, 2), bar(6) + " 1/4  0.5/s, 6 s left  a")
    expectEqual(line(0, 0, 2), bar(24) + " 0/0  a")
  }

  @Test("a date has the time zone of the machine, or UTC, and milliseconds that are cut off")
  func dates() throws {
    let time = Instant(nanoseconds: 1_795_256_078_999_000_000)
    let zones: [(seconds: Int, text: String)] = [
      (0, "2026-11-21 10:14:38.999+00:00"), (3_600, "2026-11-21 11:14:38.999+01:00"),
      (19_800, "2026-11-21 15:44:38.999+05:30"), (-12_600, "2026-11-21 06:44:38.999-03:30"),
    ]
    for row in zones {
      let zone = try #require(TimeZone(secondsFromGMT: row.seconds))
      expectEqual(TimeStyle.local.text(time, since: nil, in: zone), row.text)
      expectEqual(TimeStyle.utc.text(time, since: nil, in: zone), "2026-11-21 10:14:38.999Z")
    }
  }

  @Test("a frame of several files is known by one number, with forty bits for the frame")
  func frames() {
    let names = FrameNames(labels: ["a", "b"])
    let number = FrameNames.number(file: 1, frame: 7)
    expectEqual(number, 1_099_511_627_783)
    expectEqual([number - 8, number].map { names.text($0) }, ["a:1099511627775", "b:7"])
  }

  @Test("a device that was found reads back from its line with all that is known of it")
  func sightings() {
    let device = DeviceSighting(
      device: "uuid:a", provider: .ssdp, locator: Locator(.ip(IPAddress(192, 168, 1, 20))),
      attributes: [
        DeviceAttribute(.location, .text("http://192.168.1.20/d.xml")), DeviceAttribute(.bootID, .number(7)),
        DeviceAttribute(.configID, .number(8)), DeviceAttribute(.name, .text("n")),
        DeviceAttribute(.services, .text("s")), DeviceAttribute(.host, .text("h")),
        DeviceAttribute(.port, .number(9)), DeviceAttribute(.txt, .text("t")),
      ])
    let line = ReportLine.json(.found(device), time: "12.500000000", frame: 3)
    let written = WrittenReport(.found(device), time: Instant(nanoseconds: 12_500_000_000), place: 3)
    expectEqual(WrittenReport(line: line), written, "\(line)")
  }

  @Test("a failure names its search and its interface: by the name that there is, else by the number")
  func failures() {
    func failure(_ interface: UInt16?, search: UInt32? = 7) -> Report {
      .failed(
        Failure(
          reason: .cannotSend, search: search.map { SearchID($0) }, interface: interface.map { InterfaceID($0) },
          explanation: "e"))
    }
    let names = ["eth0", "eth1"]
    expectEqual(ReportText.line(failure(1)), "failed cannotSend search 7 if1")
    expectEqual(ReportText.line(failure(1), interfaces: names), "failed cannotSend search 7 eth1")
    expectEqual(ReportText.line(failure(2), interfaces: names), "failed cannotSend search 7 if2")
    expectEqual(ReportText.line(failure(nil, search: nil), interfaces: names), "failed cannotSend")
    func object(_ report: Report) -> String { JSONLine.object { ReportLine.add(report, interfaces: names, to: &$0) } }
    #expect(object(failure(0)).hasSuffix(#""cause":"cannotSend","search":7,"interface":"eth0","explanation":"e"}"#))
    expectEqual(ReportLine.object(failure(0), interfaces: names), object(failure(0)))
    #expect(object(failure(2)).hasSuffix(#""search":7,"interface":2,"explanation":"e"}"#))
    #expect(object(failure(nil, search: nil)).hasSuffix(#""cause":"cannotSend","explanation":"e"}"#))
  }

  // MARK: Terminals

  @Test("lines are broken from a width of 20 on, and one that just fits is not")
  func widths() {
    let line = "one two three four five"
    expectEqual(TextLayout.wrapped(line, width: 19), [line])
    expectEqual(TextLayout.wrapped(line, width: 20), ["one two three four", "    five"])
    expectEqual(TextLayout.wrapped(line, width: 22), ["one two three four", "    five"])
    expectEqual(TextLayout.wrapped(line, width: 23), [line])
    // A label that takes half of the line or less has its text beside it.
    expectEqual(TextLayout.wrapped("expected  aa bb cc dd ee", width: 20), ["expected  aa bb cc", "          dd ee"])
    expectEqual(TextLayout.wrapped("expectedx  aa bb cc dd", width: 20), ["expectedx  aa bb cc", "    dd"])
    // Deep lines go on at half of the width.
    expectEqual(
      TextLayout.wrapped("        aaa bbb ccc ddd", width: 20), ["        aaa bbb ccc", "          ddd"])
    // Colours take no room.
    let red = "\u{1B}[31mone\u{1B}[0m two three fourty"
    expectEqual(TextLayout.wrapped(red, width: 20), [red])
    expectEqual(TextLayout.wrapped(red + "s", width: 20).count, 2)
    // A width is from 40 to 400 where the environment says it, and a terminal knows its own.
    func columns(_ text: String?, isTerminal: Bool = false, terminal: Int? = nil) -> Int? {
      TerminalManners(
        environment: text.map { ["COLUMNS": $0] } ?? [:], isOutputTerminal: isTerminal, isErrorTerminal: false,
        terminalColumns: terminal
      ).columns
    }
    expectEqual(["39", "40", "41", "399", "400", "401"].map { columns($0) }, [40, 40, 41, 399, 400, 400])
    expectEqual(["", "x"].map { columns($0) }, [nil, nil])
    expectEqual(columns("70", isTerminal: true), 70)
    expectEqual(columns("70", isTerminal: true, terminal: 90), 90)
    expectEqual(columns("70", terminal: 90), 70)
    expectEqual(columns(nil, terminal: 90), nil)
    let errors = TerminalManners(environment: [:], isOutputTerminal: false, isErrorTerminal: true)
    #expect(errors.drawsProgress && !errors.drawsOutput && !errors.usesColour)
  }

  // MARK: Documents

  @Test("a finding that comes again is told once, with how often; one that is known is another")
  func findings() {
    var twice = ResultSamples.finding("m", line: 1)
    twice.count = 2
    let (other, known) = (ResultSamples.finding("o", line: 2), ResultSamples.finding("m", line: 1, knownBy: "k"))
    let suites = [
      ResultSuite("a", cases: [ResultCase("1", findings: [twice]), ResultCase("2", findings: [other, twice])]),
      ResultSuite("b", cases: [ResultCase("3", findings: [known, ResultSamples.finding("later words", line: 1)])]),
    ]
    expectEqual(suites.findings.map(\.text), ["m (5 times)", "o", "m"])
    expectEqual(suites.findings.map(\.knownBy), [nil, nil, "k"])
    expectEqual([ResultSuite]().findings, [])
  }

  @Test("a failure without a finding stands at the file of its case, else of its suite, else at the suite's name")
  func problems() {
    let suites = [
      ResultSuite(
        "s", file: "f",
        cases: [
          ResultCase("1", file: "g", outcome: .error(message: "m1", type: "t")),
          ResultCase("2", outcome: .failed(message: "m2", type: "t")), ResultCase("passed", file: "h"),
        ]),
      ResultSuite("n", cases: [ResultCase("3", outcome: .error(message: "m3", type: "t"))]),
    ]
    expectEqual(suites.problems.map { "\($0.file): \($0.message)" }, ["g: m1", "f: m2", "n: m3"])
  }

  @Test("SARIF lists rules by their ids, each result with the number of its rule, and escapes what no URI holds")
  func sarif() throws {
    let (b, a) = (
      ResultRule("b-rule", title: "B", explanation: "eb", help: "hb", level: .warning),
      ResultRule("a-rule", title: "A", explanation: "ea", help: "ha")
    )
    let findings = [
      ResultFinding(b, .warning, at: ResultPlace("x y/ü%\t\u{F}\u{10}.yaml", line: 3), "mb", identity: ["1"]),
      ResultFinding(a, .note, at: ResultPlace("c~d-e_f.G"), "ma", identity: ["2"]),
    ]
    let failed = ResultCase("one", outcome: .failed(message: "m", type: "t"), findings: findings)
    let text = ResultFormat.sarif.text([ResultSuite("s", cases: [failed])], version: "1")
    let start = try #require(text.firstRange(of: #""id":"a-rule""#)).lowerBound
    let next = try #require(text.firstRange(of: #""id":"b-rule""#)).lowerBound
    #expect(start < next && text.contains(#""defaultConfiguration":{"level":"warning"}"#))
    let first =
      #""results":[{"ruleId":"b-rule","ruleIndex":1,"level":"warning","message":{"text":"mb"},"locations":"#
      + #"[{"physicalLocation":{"artifactLocation":{"uri":"x%20y/%C3%BC%25%09%0F%10.yaml"},"region":{"startLine":3}}}]"#
    let second =
      #"{"ruleId":"a-rule","ruleIndex":0,"level":"note","message":{"text":"ma"},"locations":"#
      + #"[{"physicalLocation":{"artifactLocation":{"uri":"c~d-e_f.G"}}}]"#
    #expect(text.contains(first) && text.contains(second), "\(text)")
    // Nothing is known, nothing was found twice, and everything could be looked at.
    for word in ["suppressions", "occurrenceCount", "invocations"] { #expect(!text.contains(word), "\(word)") }
    // An error that has findings needs no words of its own, and the run was no success all the same.
    let error = ResultCase("two", outcome: .error(message: "m", type: "t"), findings: findings)
    #expect(
      ResultFormat.sarif.text([ResultSuite("s", cases: [error])], version: "1").contains(
        #""invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[]}]"#))
  }

  @Test("a text of TAP is a scalar of YAML: what is hidden has four digits, or eight beyond the first plane")
  func tap() {
    let odd = "\u{E0041}\u{FFFF}\u{1F4FA}\u{202E}\"\\\u{7}\n"
    let suite = ResultSuite("s", cases: [ResultCase("c", outcome: .failed(message: odd, type: "t"))])
    let wanted = #"message: "\U000e0041\uffff"# + "\u{1F4FA}" + #"\u202e\"\\\u0007\n""#
    let text = ResultFormat.tap.text([suite], version: "1")
    #expect(text.contains(wanted), "\(text)")
    // What passed says how long it took, and no file.
    let passed = ResultSuite("p", file: "f", cases: [ResultCase("c", duration: .nanoseconds(1_999_999))])
    expectEqual(
      ResultFormat.tap.text([passed], version: "1"),
      "TAP version 14\n1..1\nok 1 - p: c\n  ---\n  duration_ms: 1\n  ...\n")
    // The file of a case goes before that of its suite.
    let told = ResultCase("c", file: "g", outcome: .failed(message: "m", type: "t"), output: "o\n")
    expectEqual(
      ResultFormat.tap.text([ResultSuite("p", file: "f", cases: [told])], version: "1"),
      """
      TAP version 14
      1..1
      not ok 1 - p: c
        ---
        message: "m"
        severity: fail
        type: "t"
        file: "g"
        output: "o\\n"
        ...

      """)
  }

  // MARK: Inputs

  @Test("an input is kept up to its bound; a trace is told by its first line, and a scenario by its name")
  func inputs() throws {
    try Places.withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("ten").path
      try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
      try expectEqual(InputFiles.bytes(at: path, bytesMaximum: 10).count, 10)
      #expect(throws: CaptureError.self) { try InputFiles.bytes(at: path, bytesMaximum: 9) }
      try Data().write(to: URL(fileURLWithPath: path))
      try expectEqual(InputFiles.bytes(at: path, bytesMaximum: 0), [])
      // What tells a trace are the first 256 bytes.
      for (count, isTrace) in [(255, false), (256, true)] {
        let text = "1" + String(repeating: "a", count: count - 1) + "\u{1}\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        expectEqual(OtherInput.isTrace(at: path), isTrace, "\(count)")
      }
    }
    for (text, isTrace) in [
      ("0.000000000 tv < wake\n", true), ("9", true), ("0 ~\n\u{0}", true), ("/1", false), (":1", false), ("", false),
      ("\n1", false), ("1\t", false), ("1\u{7F}", false), ("1\u{1F}", false), ("a1", false), ("1é", false),
      (" 1", false), ("0 ~\r\n\u{0}", true), ("\r\n1", false), ("1\r2", false),
    ] as [(String, Bool)] {
      let bytes = Array(text.utf8)
      expectEqual(OtherInput.isTrace(bytes[...]), isTrace, "\(text)")
    }
    expectEqual(InputFiles.keptBytesMaximum, 1_073_741_824)
    let finding = ResultSamples.finding("m", line: 1)
    let unreadable = ResultCase("read", outcome: .error(message: "m", type: "unreadable"), findings: [finding])
    expectEqual(
      InputFailureLines.suite(input: "a", message: "m", findings: [finding]),
      ResultSuite("a", file: "a", cases: [unreadable]))
    let none = CaptureError.notCapture("text")
    #expect(OtherInput.advice(on: "a.YAML", after: none).contains("'rollcall run a.YAML --trace run.trace'"))
    #expect(OtherInput.advice(on: "a.yml", after: none).hasPrefix("; a scenario has to be run first"))
    expectEqual(OtherInput.advice(on: "/nowhere/a.txt", after: none), "")
    expectEqual(OtherInput.advice(on: "a.yaml", after: CaptureError.noFrame(nil)), "")
  }
}
