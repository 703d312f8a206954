import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReporting
import RollcallRunning
import Testing

/// What a comparison of reports looks at: one thing that is other is enough for a no, and each row is where it belongs.
@Suite("Fields of a comparison")
struct DiffFieldTests {
  // MARK: Reports that differ in one thing

  private static func device(
    _ name: String = "uuid:a", _ location: String? = "http://x/", _ source: IPAddress = IPAddress(192, 168, 1, 2),
    bootID: UInt32? = 7
  ) -> DeviceSighting {
    DeviceSighting(device: name, location: location, source: source, interface: InterfaceID(0), bootID: bootID)
  }

  private static func service(
    _ search: UInt32 = 1, _ device: String = "uuid:a", _ usn: String = "uuid:a::t", _ target: String = "t",
    _ location: String? = "http://x/"
  ) -> ServiceSighting {
    ServiceSighting(search: SearchID(search), device: device, usn: usn, target: target, location: location)
  }

  private static func ended(
    _ search: UInt32 = 1, _ target: String = "t", _ usns: [String] = ["uuid:a::t", "uuid:b::t"],
    wasStopped: Bool = false
  ) -> Report {
    .searchEnded(
      SearchOutcome(
        search: SearchID(search), target: target, services: usns.map { service(search, "uuid:a", $0, target) },
        wasStopped: wasStopped))
  }

  private static func failed(
    _ reason: Failure.Reason = .cannotSend, _ search: UInt32? = 1, _ interface: UInt16? = 0, _ text: String = "ask"
  ) -> Report {
    .failed(
      Failure(
        reason: reason, search: search.map { SearchID($0) }, interface: interface.map { InterfaceID($0) },
        explanation: text))
  }

  private static let other = IPAddress(192, 168, 1, 3)

  typealias Pair = (what: String, left: Report, right: Report)

  static let devices: [Pair] = [
    ("the device", .found(device()), .found(device("uuid:b"))),
    ("the case of the device", .found(device()), .found(device("uuid:A"))),
    ("the LOCATION", .found(device()), .found(device("uuid:a", "http://y/"))),
    ("no LOCATION", .found(device()), .found(device("uuid:a", nil))),
    ("the address", .found(device()), .found(device("uuid:a", "http://x/", other))),
    ("the BOOTID", .found(device()), .found(device(bootID: 8))),
    ("BOOTID 0 and none", .found(device(bootID: 0)), .found(device(bootID: nil))),
    ("found and changed", .found(device()), .changed(device(), .address(from: other))),
    ("found and lost", .found(device()), .lost(device: "uuid:a", cause: .byebye)),
    ("what changed", .changed(device(), .bootID(from: 1)), .changed(device(), .configID(from: 1))),
    ("the BOOTID before", .changed(device(), .bootID(from: 1)), .changed(device(), .bootID(from: 2))),
    ("no BOOTID before", .changed(device(), .bootID(from: 1)), .changed(device(), .bootID(from: nil))),
    ("the CONFIGID before", .changed(device(), .configID(from: 1)), .changed(device(), .configID(from: nil))),
    ("the place before", .changed(device(), .location(from: "http://v/")), .changed(device(), .location(from: nil))),
    (
      "the address before", .changed(device(), .address(from: IPAddress(192, 168, 1, 9))),
      .changed(device(), .address(from: other))
    ),
    ("the part", .changed(device(), .united(part: "uuid:b")), .changed(device(), .united(part: "uuid:c"))),
    (
      "the device that changed", .changed(device(), .united(part: "uuid:b")),
      .changed(device("uuid:d"), .united(part: "uuid:b"))
    ),
    ("who is lost", .lost(device: "uuid:a", cause: .byebye), .lost(device: "uuid:b", cause: .byebye)),
  ]

  static let searches: [Pair] = [
    ("the search of a service", .service(service()), .service(service(2))),
    ("the device of a service", .service(service()), .service(service(1, "uuid:b"))),
    ("the USN", .service(service()), .service(service(1, "uuid:a", "uuid:a::u"))),
    ("the ST", .service(service()), .service(service(1, "uuid:a", "uuid:a::t", "u"))),
    ("the place of a service", .service(service()), .service(service(1, "uuid:a", "uuid:a::t", "t", nil))),
    ("the number of the search", ended(), ended(2)),
    ("what was searched", ended(), ended(1, "u")),
    ("who ended the search", ended(), ended(wasStopped: true)),
    ("one service less", ended(), ended(1, "t", ["uuid:a::t"])),
    ("another service", ended(), ended(1, "t", ["uuid:a::t", "uuid:c::t"])),
    ("services in another order", ended(), ended(1, "t", ["uuid:b::t", "uuid:a::t"])),
    ("why it failed", failed(), failed(.cannotJoin)),
    ("which search failed", failed(), failed(.cannotSend, 2)),
    ("no search that failed", failed(), failed(.cannotSend, nil)),
    ("which interface failed", failed(), failed(.cannotSend, 1, 1)),
    ("what can be done", failed(), failed(.cannotSend, 1, 0, "wait")),
    ("why it was refused", .rejected(Rejection(.badMX, at: 3)), .rejected(Rejection(.badNTS, at: 3))),
    ("at which byte", .rejected(Rejection(.badMX, at: 3)), .rejected(Rejection(.badMX, at: 4))),
  ]

  static let causes: [Pair] = zip(LossCause.allCases, LossCause.allCases.dropFirst()).map { left, right in
    ("\(left) and \(right)", .lost(device: "uuid:a", cause: left), .lost(device: "uuid:a", cause: right))
  }

  private func line(_ report: Report, _ nanoseconds: Int64, _ frame: Int? = nil) -> String {
    ReportLine.json(report, time: Instant(nanoseconds: nanoseconds).description, frame: frame)
  }

  private func lost(_ name: String) -> Report { .lost(device: "uuid:" + name, cause: .expired) }

  private func side(_ lines: [String], path: String = "one.jsonl") throws -> DiffSide {
    try DiffInput(path: path).reportsSide(lines.joined(separator: "\n"))
  }

  private func side(_ list: [(Int64, String)]) throws -> DiffSide { try side(list.map { line(lost($1), $0) }) }

  @Test("reports that differ in one thing are not the same, whatever it is, with and without their times")
  func fields() throws {
    var timeless = ReportDiff.Options()
    timeless.comparesTimes = false
    let (before, after) = (lost("y"), lost("z"))
    for (what, left, right) in Self.devices + Self.causes + Self.searches {
      for (one, two) in [(left, right), (right, left), (left, left), (right, right)] {
        let (a, b) = (
          try side([line(before, 1), line(one, 5), line(after, 9)]),
          try side([line(before, 1), line(two, 5), line(after, 9)])
        )
        let comparison = ReportComparison(
          expected: [before, one, after].map { TapedReport(time: .zero, report: $0) },
          found: [before, two, after].map { TapedReport(time: .zero, report: $0) }, offset: .zero)
        expectEqual(comparison.isEqual, (one == two), "\(what)")
        if one != two { expectEqual(comparison.difference?.hasPrefix("report 2 is "), true, "\(what)") }
        for options in [ReportDiff.Options(), timeless] {
          let diff = ReportDiff(a, b, options: options)
          expectEqual(diff.first, (one == two ? nil : 1), "\(what)")
          let counts = [diff.changedCount, diff.onlyACount, diff.onlyBCount]
          expectEqual(counts, (one == two ? [0, 0, 0] : [0, 1, 1]), "\(what)")
        }
      }
    }
  }

  @Test("a line of a report is read back with all that it tells, whatever the order of its fields")
  func reading() throws {
    let reports = (Self.devices + Self.causes + Self.searches).flatMap { [$0.left, $0.right] }
    for (number, report) in reports.enumerated() {
      let frame = number % 3 == 0 ? nil : number
      let text = line(report, Int64(number), frame)
      let written = WrittenReport(report, time: Instant(nanoseconds: Int64(number)), place: frame)
      expectEqual(WrittenReport(line: text), written, "\(text)")
      expectEqual(WrittenReport.kind(ofLine: text), "report")
      expectEqual(ReportLine.json(written.report, time: written.time.description, frame: frame), text)
    }
    let moved = #"{"event":"lost","cause":"expired","device":"uuid:a","layer":"ssdp","frame":3,"time":"12.5","#
    let text = moved + #""kind":"report","schema":"rollcall/1"}"#
    expectEqual(
      WrittenReport(line: text), WrittenReport(lost("a"), time: Instant(nanoseconds: 12_500_000_000), place: 3))
    for wrong in [
      text.replacing("rollcall/1", with: "rollcall/2"), text.replacing("report", with: "message"),
      text.replacing("12.5", with: "noon"), text.replacing("layer", with: "level"), text.replacing("ssdp", with: "ble"),
      text.replacing("time", with: "when"), text.replacing("expired", with: "gone"), String(text.dropLast()),
      text.replacing("\"lost\"", with: "\"found\""), text.replacing(":3", with: ":\"3\""), "",
    ] { expectEqual(WrittenReport(line: wrong), nil, "\(wrong)") }
    // Names are told, not how a line has to write them.
    let odd = Report.lost(device: "uuid:\"a\\b\u{202e}", cause: .expired)
    expectEqual(WrittenReport(line: line(odd, 1))?.report, odd)
  }

  @Test("an interface that a line calls by a name is read back by it, and another name or a number is another report")
  func interfaceNames() throws {
    func text(_ names: [String]) -> String {
      ReportLine.json(Self.failed(.cannotSend, 1, 1), time: "0.000000005", frame: nil, interfaces: names)
    }
    let wired = text(["lo", "eth0"])
    #expect(wired.contains(#""interface":"eth0""#))
    let written = try #require(WrittenReport(line: wired))
    expectEqual(
      ReportLine.json(written.report, time: "0.000000005", frame: nil, interfaces: written.interfaces), wired)
    let a = try side([wired])
    #expect(ReportDiff(a, try side([wired])).isEqual)
    for other in [text(["lo", "eth1"]), text(["lo"])] {
      expectEqual(ReportDiff(a, try side([other])).first, 0, "\(other)")
    }
    let shown = DiffText.lines(ReportDiff(a, try side(["# none"])), width: 200)
    #expect(shown.contains { $0.contains("failed cannotSend search 1 eth0 ask") })
    for wrong in ["65536", "-1", "1.5", "[]"] {
      expectEqual(WrittenReport(line: wired.replacing("\"eth0\"", with: wrong)), nil, "\(wrong)")
    }
  }

  @Test("times of files count from one clock: what is later by the same amount everywhere is not the same")
  func clock() throws {
    let (early, late) = (try side([(100, "a"), (200, "b")]), try side([(150, "a"), (250, "b")]))
    var options = ReportDiff.Options()
    #expect(ReportDiff(early, late).first == 0 && ReportDiff(early, late).changedCount == 2)
    options.within = .nanoseconds(50)
    #expect(ReportDiff(early, late, options: options).isEqual && ReportDiff(late, early, options: options).isEqual)
    options.within = .nanoseconds(49)
    expectEqual(ReportDiff(early, late, options: options).first, 0)
    // Less than nothing is nothing.
    options.within = .nanoseconds(-50)
    #expect(ReportDiff(early, early, options: options).isEqual && !ReportDiff(early, late, options: options).isEqual)
    options.comparesTimes = false
    #expect(ReportDiff(early, late, options: options).isEqual)
  }

  // MARK: Frames

  @Test("the frame of a report counts for files and for one and the same capture, and not between two captures")
  func frames() throws {
    var timeless = ReportDiff.Options()
    timeless.comparesTimes = false
    for (left, right) in [(908, 909), (nil, 909), (90, 9)] as [(Int?, Int?)] {
      let (a, b) = (
        try side([line(lost("y"), 1, 1), line(lost("a"), 5, left)]),
        try side([line(lost("y"), 1, 1), line(lost("a"), 5, right)], path: "two.jsonl")
      )
      for options in [ReportDiff.Options(), timeless] {
        let diff = ReportDiff(a, b, options: options)
        #expect(diff.first == 1 && diff.changedCount == 1 && diff.onlyACount + diff.onlyBCount == 0)
        #expect(ReportDiff(a, a, options: options).isEqual)
      }
    }
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive("lamp"))
    var later = TinyCapture()
    later.add(0, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    later.lines += capture.lines
    func replayed(_ capture: TinyCapture, _ path: String) throws -> DiffSide {
      try DiffInput(path: path).captureSide { try capture.reader() }
    }
    let (one, moved) = (try replayed(capture, "one.pcapng"), try replayed(later, "one.pcapng"))
    expectEqual((one.reports + moved.reports).map { $0.place ?? 0 }, [1, 2])
    #expect(ReportDiff(one, moved).changedCount == 1 && ReportDiff(moved, one).first == 0)
    #expect(ReportDiff(one, try replayed(later, "two.pcapng")).isEqual)
    // Recorded reports are of the capture that they are compared with.
    let lines = one.reports.map { ReportLine.json($0.report, time: $0.time.description, frame: 1) }
    let recorded = try side(lines)
    #expect(ReportDiff(one, recorded).isEqual && ReportDiff(recorded, one).isEqual)
    #expect(ReportDiff(moved, recorded).first == 0 && ReportDiff(recorded, moved).first == 0)
  }

  // MARK: Rows

  private func shown(_ diff: ReportDiff) -> [String] {
    func name(_ report: WrittenReport?) -> String {
      report.map { "\(($0.device ?? "").dropFirst(5))@\($0.time.nanoseconds)" } ?? "."
    }
    return diff.rows.map { "\($0.mark.rawValue) \(name($0.a)) \(name($0.b))" }
  }

  @Test("rows stand in order of time, A before B where they tie; what says the same is paired once, first with first")
  func stretches() throws {
    let cases: [(a: [(Int64, String)], b: [(Int64, String)], rows: [String])] = [
      (
        [(1, "a"), (2, "b"), (2, "c"), (3, "d")], [(1, "a"), (2, "c"), (2, "b"), (3, "d")],
        ["equal a@1 a@1", "onlyB . c@2", "equal b@2 b@2", "onlyA c@2 .", "equal d@3 d@3"]
      ),
      // One of two that say the same moves: the one that did not is found again.
      (
        [(10, "x"), (20, "x"), (30, "z")], [(10, "x"), (25, "x"), (30, "z")],
        ["equal x@10 x@10", "changed x@20 x@25", "equal z@30 z@30"]
      ),
      (
        [(10, "x"), (20, "x"), (30, "z")], [(15, "x"), (20, "x"), (30, "z")],
        ["changed x@10 x@15", "equal x@20 x@20", "equal z@30 z@30"]
      ),
      ([(10, "x"), (20, "x")], [(20, "x"), (30, "x")], ["onlyA x@10 .", "equal x@20 x@20", "onlyB . x@30"]),
      ([(10, "b")], [(11, "b"), (12, "b")], ["changed b@10 b@11", "onlyB . b@12"]),
      ([(11, "b"), (12, "b")], [(10, "b")], ["changed b@11 b@10", "onlyA b@12 ."]),
      (
        [(5, "x"), (7, "y")], [(5, "u"), (6, "v")], ["onlyA x@5 .", "onlyB . u@5", "onlyB . v@6", "onlyA y@7 ."]
      ),
      (
        [(5, "u"), (6, "v")], [(5, "x"), (7, "y")], ["onlyA u@5 .", "onlyB . x@5", "onlyA v@6 .", "onlyB . y@7"]
      ),
      (
        [(1, "p"), (10, "t"), (12, "q")], [(0, "r"), (11, "t"), (13, "s")],
        ["onlyB . r@0", "onlyA p@1 .", "changed t@10 t@11", "onlyA q@12 .", "onlyB . s@13"]
      ),
      (
        [(1, "p"), (10, "t"), (12, "q")], [(2, "r"), (11, "t"), (11, "s")],
        ["onlyA p@1 .", "onlyB . r@2", "changed t@10 t@11", "onlyB . s@11", "onlyA q@12 ."]
      ),
      // Two that changed places and times: one pair, and two that stand alone.
      (
        [(10, "t"), (20, "u")], [(11, "u"), (21, "t")], ["onlyB . u@11", "changed t@10 t@21", "onlyA u@20 ."]
      ),
      ([], [(1, "a")], ["onlyB . a@1"]), ([(1, "a")], [], ["onlyA a@1 ."]),
    ]
    for one in cases {
      let diff = ReportDiff(try side(one.a), try side(one.b))
      expectEqual(shown(diff), one.rows)
      let counts = [diff.changedCount, diff.onlyACount, diff.onlyBCount]
      expectEqual(counts, ["changed", "onlyA", "onlyB"].map { mark in one.rows.count { $0.hasPrefix(mark + " ") } })
      expectEqual(diff.first, one.rows.firstIndex { !$0.hasPrefix("equal") })
    }
  }

  @Test("32 reports that only one side has are gone over, on either side and on both; with 33 a stretch is compared")
  func reach() throws {
    let end = (0..<50).map { (Int64(1_000 + $0), "e\($0)") }
    for (a, b, onlyA, onlyB) in [
      (32, 0, 32, 0), (0, 32, 0, 32), (32, 32, 32, 32), (33, 0, 83, 50), (0, 33, 50, 83),
    ] {
      let (left, right) = ((0..<a).map { (Int64(2 + $0), "x\($0)") }, (0..<b).map { (Int64(2 + $0), "y\($0)") })
      let diff = ReportDiff(try side([(1, "a")] + left + end), try side([(1, "a")] + right + end))
      #expect(diff.first == 1 && diff.changedCount == 0, "\(a) \(b)")
      expectEqual([diff.onlyACount, diff.onlyBCount], [onlyA, onlyB], "\(a) \(b)")
    }
  }

  @Test("equal reports before the first difference are shown as far as there are some, and do not count as rows")
  func context() throws {
    for (first, context, before) in [(0, 2, 0), (1, 2, 1), (2, 2, 2), (3, 2, 2), (3, 0, 0), (1, 5, 1)] {
      var options = ReportDiff.Options()
      (options.rows, options.context) = (3, context)
      let start = (0..<first).map { (Int64($0), "s\($0)") }
      let diff = ReportDiff(
        try side(start + (0..<7).map { (Int64(100 + $0), "l\($0)") }), try side(start), options: options)
      expectEqual(
        shown(diff),
        start.suffix(before).map { "equal \($1)@\($0) \($1)@\($0)" }
          + ["onlyA l0@100 .", "onlyA l1@101 .", "onlyA l2@102 ."], "\(first) \(context)")
      #expect(diff.onlyACount == 7 && DiffText.lines(diff).contains("  … and 4 more that differ"))
    }
    var options = ReportDiff.Options()
    options.rows = 2
    let more = ReportDiff(
      try side([(1, "x"), (5, "e"), (6, "f")]), try side([(5, "e"), (6, "f")]), options: options)
    expectEqual(shown(more), ["onlyA x@1 .", "equal e@5 e@5"])
    #expect(!DiffText.lines(more).contains { $0.contains("more that differ") })
  }
}
