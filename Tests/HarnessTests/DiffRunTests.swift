import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing
import RollcallTrace

/// What a comparison says of runs, of files by their endings, and of long lists of rows.
@Suite("Comparisons of runs and long lists")
struct DiffRunTests {
  /// A television, and a script that announces a device and says goodbye for the television at one instant.
  private static let forged =
    "scenario: Two messages of one instant\nduration: 20s\ninhabitants:\n"
    + "  tv: {kind: root-device, profile: basic, address: 192.168.1.20, start-jitter: 0s}\n"
    + ExpectationBoundTests.script([
      ("5s", "192.168.1.66", TinyCapture.alive("lamp", location: "http://192.168.1.66/")),
      ("5s", "192.168.1.66", TinyCapture.byebye("ff349908-4c0f-4cda-b7bd-1dcd8bd8a7ea")),
    ]) + "expect: [{found: tv}]\n"

  private static func scenario(_ text: String) throws -> Scenario { try Scenario(yaml: text, file: "x.yaml") }

  @Test("the entry that caused a report of a run has the number that it has among all entries of the run")
  func entries() throws {
    let scenario = try Self.scenario(Self.forged)
    let side = try DiffInput(path: "x.yaml").scenarioSide(scenario)
    let resolved = try scenario.resolved()
    let whole = Run.perform(
      resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
    expectEqual(side.reports.map(\.time), [.zero, .zero + .seconds(5)])
    for report in side.reports {
      let place = try #require(report.place)
      let entry = whole.trace[place - 1]
      var isDatagram = false
      if case .received = entry.content { isDatagram = true }
      #expect(isDatagram && entry.station == 0 && entry.time == report.time)
      // The report is the next that the engine has to say.
      let next = whole.trace[place...].first { $0.station == 0 }
      guard case .effect(.application(let told))? = next?.content else {
        Issue.record("no report behind entry \(place)")
        continue
      }
      expectEqual(WrittenReport(told, time: report.time, place: report.place), report)
    }
  }

  @Test("another message of the same sender at the same instant is not the one that the other side heard")
  func alike() throws {
    let scenario = try Self.scenario(Self.forged)
    let sound = try DiffInput(path: "x.yaml").scenarioSide(scenario)
    let faulty = try DiffInput(path: "x.yaml", switches: [.foreignByebyeAccepted]).scenarioSide(scenario)
    let (one, two) = (ReportDiff(sound, faulty), ReportDiff(faulty, sound))
    for diff in [one, two] {
      #expect(diff.first == 2 && diff.onlyACount + diff.onlyBCount == 1 && diff.changedCount == 0)
      #expect(diff.datagram?.type == "notify-byebye" && diff.datagram?.time == Instant.zero + .seconds(5))
      expectEqual(diff.datagram?.source?.description, "192.168.1.66:1900")
    }
    #expect(one.madeA == ["caused no report"] && one.madeB == ["caused the report"])
    #expect(two.madeA == ["caused the report"] && two.madeB == ["caused no report"])
  }

  @Test("what a file is its ending says, and a folder with one capture is that capture")
  func endings() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive("tv"))
    let report = ReportLine.json(.lost(device: "uuid:tv", cause: .expired), time: "1.000000000", frame: 1)
    let yaml =
      "scenario: Small\nduration: 30s\ninhabitants: {tv: {kind: root-device, count: 3}}\nexpect: [{found: any}]\n"
    let files: [(name: String, bytes: [UInt8], kind: DiffSide.Kind, reports: Int)] = [
      ("a.jsonl", Array((report + "\n" + report).utf8), .reports, 2), ("a.json", Array(report.utf8), .reports, 1),
      ("a.yaml", Array(yaml.utf8), .scenario, 3), ("a.yml", Array(yaml.utf8), .scenario, 3),
      ("inner/a.pcapng", capture.bytes, .capture, 1), ("inner", [], .capture, 1),
    ]
    try Places.withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("inner"), withIntermediateDirectories: true)
      for one in files {
        let place = folder.appendingPathComponent(one.name)
        if !one.bytes.isEmpty { try Data(one.bytes).write(to: place) }
        let side = try DiffInput(path: place.path).side()
        #expect(side.kind == one.kind && side.reports.count == one.reports, "\(one.name)")
      }
    }
  }

  // MARK: Rows

  private func side(_ list: [(Int64, String)]) throws -> DiffSide {
    let lines = list.map { time, name in
      ReportLine.json(
        .lost(device: "uuid:" + name, cause: .expired), time: Instant(nanoseconds: time).description, frame: nil)
    }
    return try DiffInput(path: "one.jsonl").reportsSide(lines.joined(separator: "\n"))
  }

  @Test("twelve rows that differ are shown behind two equal ones; all others are counted, on whichever side they are")
  func many() throws {
    let start: [(Int64, String)] = (0..<3).map { (Int64($0), "s\($0)") }
    let end: [(Int64, String)] = [(900, "e")]
    func rows(_ mark: String, _ count: Int) -> [(Int64, String)] {
      (0..<count).map { (Int64(100 + $0), mark + "\($0)") }
    }
    let cases: [(a: [(Int64, String)], b: [(Int64, String)], shown: String, counts: String)] = [
      (rows("a", 15), [], "  … and 3 more that differ", "0 changed (|), 15 only in A (<), 0 only in B (>)"),
      ([], rows("b", 16), "  … and 4 more that differ", "0 changed (|), 0 only in A (<), 16 only in B (>)"),
      (
        rows("c", 17), rows("c", 17).map { ($0.0 + 50, $0.1) }, "  … and 5 more that differ",
        "17 changed (|), 0 only in A (<), 0 only in B (>)"
      ),
      (
        rows("a", 6) + [(200, "c")], rows("b", 7) + [(250, "c")], "  … and 2 more that differ",
        "1 changed (|), 6 only in A (<), 7 only in B (>)"
      ),
    ]
    for one in cases {
      let diff = ReportDiff(try side(start + one.a + end), try side(start + one.b + end))
      #expect(diff.first == 3 && diff.rows.count == 14, "\(one.counts)")
      expectEqual(diff.rows.prefix(2).compactMap(\.a?.device), ["uuid:s1", "uuid:s2"], "\(one.counts)")
      let lines = DiffText.lines(diff)
      let place = lines.firstIndex(of: one.shown)
      expectEqual(place.map { lines[$0 + 1] }, one.counts, "\(one.counts)")
      // Exactly as many as there are: none is left to be counted.
      var options = ReportDiff.Options()
      options.rows = diff.changedCount + diff.onlyACount + diff.onlyBCount
      let all = DiffText.lines(ReportDiff(diff.a, diff.b, options: options))
      #expect(all.contains(one.counts) && !all.contains { $0.contains("more that differ") }, "\(one.counts)")
    }
  }

  @Test("both columns share what the width leaves beside three signs and the margin, and lines of a datagram fill it")
  func widths() throws {
    let line = ReportLine.json(.lost(device: "uuid:xxx", cause: .expired), time: "1.000000000", frame: 3)
    let (one, none) = (
      try DiffInput(path: "a.jsonl").reportsSide(line), try DiffInput(path: "b.jsonl").reportsSide("")
    )
    let blank = String(repeating: " ", count: 8)
    for (width, first, second) in [
      (60, "  +0.000 frame 3 lost\(blank) <", "  uuid:xxx expired"),
      (61, "  +0.000 frame 3 lost uuid:xxx <", "  expired"), (62, "  +0.000 frame 3 lost uuid:xxx <", "  expired"),
    ] {
      expectEqual(Array(DiffText.lines(ReportDiff(one, none), width: width)[4..<6]), [first, second], "\(width)")
    }
    func made(_ width: Int) throws -> [String] {
      let capture = TinyCapture.forgedByebye(of: "tv")
      func side(_ settings: String...) throws -> DiffSide {
        try DiffInput(path: "one.pcapng", settings: settings).captureSide { try capture.reader() }
      }
      let lines = DiffText.lines(ReportDiff(try side(), try side("byebye-source=any-address")), width: width)
      return Array(lines.drop { !$0.hasPrefix("  A  ") })
    }
    let words = "refused, foreignByebye: a byebye from an address that never announced the device (byte"
    try expectEqual(made(words.count + 9), ["  A  " + words + " 91)", "  B  ended it"])
    try expectEqual(made(words.count + 8), ["  A  " + words, "     91)", "  B  ended it"])
  }
}
