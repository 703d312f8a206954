import RollcallCapture
import RollcallConformance
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import Testing

@testable import RollcallPicturing

/// Bars, folds, texts and tables of a picture at their bounds.
@Suite("Pictures at their bounds") struct PictureBoundTests {
  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  /// Bars of a picture of nine seconds, and what was cut of them.
  private func bars(_ lives: DeviceLives) -> [String] {
    var draft = PictureDraft()
    draft.stretch(to: at(9))
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: .zero, lives: [lives])
    let bars = picture.devices.map { device -> String in
      let spans = device.spans.map { "\($0.from)-\($0.to) \($0.state.rawValue)" }
      return ([device.name] + spans).joined(separator: " ")
    }
    return bars + picture.leftOut.map { "\($0.count) \($0.what)" }
  }

  private func reports(_ seconds: [Int64], bound: Int) -> DeviceLives {
    var bounds = PictureBounds()
    bounds.spansPerDevice = bound
    var lives = DeviceLives(knowsTruth: false, bounds: bounds)
    for (place, second) in seconds.enumerated() {
      lives.report("d", isFound: place % 2 == 0, at: at(second), mark: -1, name: "d")
    }
    return lives
  }

  @Test("what comes true at the instant of its report is known at once; a device with too many changes ends there")
  func ties() {
    var lives = DeviceLives(knowsTruth: true)
    lives.truth("d", isThere: true, at: at(1), name: "d")
    lives.report("d", isFound: true, at: at(1), mark: -1, name: "d")
    lives.truth("d", isThere: false, at: at(4), name: "d")
    lives.report("d", isFound: false, at: at(4), mark: -1, name: "d")
    // Never there, and never reported but for a moment.
    lives.report("e", isFound: true, at: at(2), mark: -1, name: "e")
    lives.report("e", isFound: false, at: at(2), mark: -1, name: "e")
    lives.truth("f", isThere: true, at: at(9), name: "f")
    expectEqual(bars(lives), ["d 1s-4s known", "e", "f"])
    // One with as many changes as are kept is whole, and one with more ends where the next one comes.
    expectEqual(bars(reports([1, 2, 3], bound: 3)), ["d 1s-2s known 3s-9s known"])
    let cut = "1 devices with more than 2 changes, cut there"
    expectEqual(bars(reports([1, 2, 3], bound: 2)), ["d 1s-2s known", cut])
    expectEqual(bars(reports([1, 2, 3, 4], bound: 3)).first, "d 1s-2s known 3s-4s known")
    expectEqual(bars(reports([1, 5], bound: 1)), ["d 1s-5s known", "1 devices with more than 1 changes, cut there"])
  }

  @Test("of two sides A stands first, and what touches is not in common")
  func sides() {
    func compared(_ left: [Int64], _ right: [Int64]) -> [String] {
      var lives = DeviceLives(knowsTruth: false, isComparison: true)
      for (side, seconds) in [(1, right), (0, left)] {
        for (place, second) in seconds.enumerated() {
          lives.report(
            "d", isFound: place % 2 == 0, at: at(second), mark: -1, side: side, name: side == 0 ? "A" : "B")
        }
      }
      return bars(lives)
    }
    expectEqual(compared([1, 4], [4, 6]), ["A 1s-4s differs", "B 4s-6s differs"])
    expectEqual(compared([1, 4], [1, 4]), ["A 1s-4s known", "B 1s-4s known"])
    expectEqual(compared([1, 4], [3, 6]), ["A 1s-3s differs 3s-4s known", "B 3s-4s known 4s-6s differs"])
    expectEqual(
      compared([1, 6], [2, 3, 4, 5]),
      ["A 1s-2s differs 2s-3s known 3s-4s differs 4s-5s known 5s-6s differs", "B 2s-3s known 4s-5s known"])
  }

  // MARK: - Folds

  @Test("a stretch is folded where it is more than three times as wide, while folds take a third at most")
  func folds() {
    /// Ten stretches of so many nanoseconds, or one, and one of ninety seconds behind them.
    func folded(_ count: Int, _ nanoseconds: Int64, most: Int = 500) -> (folds: [Picture.Fold], width: Interval) {
      let times = (1...count).map { Interval.nanoseconds(Int64($0) * nanoseconds) }
      let end = times[count - 1] + .seconds(90)
      return PictureFolds.folds(times, span: end, countMaximum: most)
    }
    let short = folded(10, 1_500_000_000)
    expectEqual(short.width, .milliseconds(500))
    expectEqual(short.folds, [Picture.Fold(from: .seconds(15), to: .seconds(105))])
    // A nanosecond more, and half a second is too little for those ten.
    expectEqual(folded(10, 1_500_000_001).width, .seconds(1))
    // Five seconds of fifteen are a third.
    expectEqual(folded(1, 10_000_000_000).width, .seconds(5))
    let none = folded(1, 9_999_999_999)
    expectEqual(none.width, .zero)
    expectEqual(none.folds, [])
    expectEqual(folded(10, 1_500_000_000, most: 1).folds.count, 1)
    expectEqual(folded(10, 1_500_000_000, most: 0).folds.count, 0)
    // All stretches alike: to fold them would leave nothing.
    expectEqual(PictureFolds.folds([.seconds(10)], span: .seconds(20), countMaximum: 500).folds, [])
  }

  @Test("folds are 1, 2 or 5 wide, of a microsecond up to 5000 seconds")
  func widths() {
    var steps: [Int64] = []
    var unit: Int64 = 100
    while unit <= 10_000_000_000_000 {
      steps += [unit, unit * 2, unit * 5]
      unit *= 10
    }
    // Beside a stretch of twice its width, a width folds one that is a nanosecond longer than three times as long, and
    // is a third of both. A narrower one folds both, and a wider one none.
    let found = steps.filter { width in
      let end = Interval.nanoseconds(width * 5 + 1)
      let folded = PictureFolds.folds([.nanoseconds(width * 2)], span: end, countMaximum: 500)
      if folded.width == .zero { return false }
      expectEqual(folded.width, .nanoseconds(width))
      expectEqual(folded.folds, [Picture.Fold(from: .nanoseconds(width * 2), to: end)])
      return true
    }
    expectEqual(found, Array(steps.dropFirst(3).dropLast(3)))
    expectEqual([steps[3], steps[32]], [1_000, 5_000_000_000_000])
  }

  // MARK: - Texts

  @Test("texts are cut behind their last character, and bytes are text where they are printable and four at least")
  func texts() {
    for character in ["a", "é"] {
      let whole = String(repeating: character, count: 400)
      expectEqual(PictureText.shown(whole), whole)
      expectEqual(PictureText.shown(whole + character), whole + "…")
    }
    expectEqual(PictureText.shown("abc", scalarsMaximum: 3), "abc")
    expectEqual(PictureText.shown("ab\u{202E}d", scalarsMaximum: 3), "ab\\u{202e}…")
    func line(_ text: String) -> String { PictureText.line(of: Array(text.utf8)) }
    expectEqual(["abcd", "abc", "a", ""].map(line), ["abcd", "3 bytes", "1 byte", "0 bytes"])
    expectEqual(["abcd\rx", "abcd\nx", "abc\r\nx"].map(line), ["abcd", "abcd", "6 bytes"])
    expectEqual([" ab~", "abc\u{7F}", "abc\u{1F}"].map(line), [" ab~", "4 bytes", "4 bytes"])
    let long = String(repeating: "x", count: 121)
    expectEqual(line(long), String(long.dropLast()))
  }

  @Test("with as many fields as there may be none is left out; a lane is described once, and losses have an order")
  func draft() {
    var bounds = PictureBounds()
    (bounds.fieldsPerMessage, bounds.lanes, bounds.strings) = (2, 1, 4)
    var draft = PictureDraft(bounds: bounds)
    let engine = draft.lane("engine", .engine)
    // The lane of an engine or of the network has room in any case.
    let network = draft.lane("network", .network)
    let others = [draft.lane("a", .host), draft.lane("b", .host)]
    expectEqual([engine, network] + others, [0, 1, 2, 2])
    draft.describe(lane: engine, "first")
    draft.describe(lane: engine, "second")
    draft.describe(lane: 2, "of all")
    let full = draft.say("t", [Picture.Fact("t", "1"), Picture.Fact("2", "1")])
    expectEqual(draft.say("t", [Picture.Fact("t", "1"), Picture.Fact("2", "1")]), full)
    let more = draft.say("t", [Picture.Fact("t", "1"), Picture.Fact("2", "1"), Picture.Fact("t", "1")])
    // Two at one instant stand as they were put, and what was before the origin stands at it.
    let marks = [2, 1, 1].map { draft.mark(.sent, lane: 0, at: at($0), number: Int($0), saying: full) }
    draft.mark(.heard, lane: 1, at: at(0), number: 9, saying: full, cause: marks[0])
    draft.lose(marks[0], lane: 1)
    draft.lose(marks[0], lane: 0)
    draft.lose(marks[2], lane: 2)
    draft.turn(99, into: .refused, saying: more)
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: at(1), lives: [])
    expectEqual(picture.lanes.map(\.detail), ["first", "", ""])
    expectEqual(picture.sayings[full].fields.count, 2)
    expectEqual(picture.sayings[more].fields.count, 3)
    expectEqual(picture.strings, ["t", "1", "2", "1 more", "…"])
    expectEqual(picture.marks.map(\.number), [9, 1, 1, 2])
    expectEqual(picture.marks.map(\.time), [.zero, .zero, .zero, .seconds(1)])
    expectEqual(picture.marks.map(\.cause), [3, -1, -1, -1])
    expectEqual(picture.losses.map { [$0.mark, $0.lane] }, [[2, 2], [3, 0], [3, 1]])
    expectEqual(picture.span, .seconds(1))
  }

  // MARK: - Bytes of Perfetto

  @Test("numbers have seven bits to a byte, lowest first, and texts and messages their length before them")
  func protobuf() {
    func bytes(_ write: (inout ProtobufWriter) -> Void) -> [UInt8] {
      var writer = ProtobufWriter()
      write(&writer)
      return writer.bytes
    }
    expectEqual(bytes { $0.number(1, 0) }, [0x08, 0x00])
    expectEqual(bytes { $0.number(1, 127) }, [0x08, 0x7F])
    expectEqual(bytes { $0.number(1, 128) }, [0x08, 0x80, 0x01])
    expectEqual(bytes { $0.number(15, 16_383) }, [0x78, 0xFF, 0x7F])
    expectEqual(bytes { $0.number(16, 16_384) }, [0x80, 0x01, 0x80, 0x80, 0x01])
    expectEqual(bytes { $0.number(1, .max) }, [0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01])
    expectEqual(bytes { $0.fixed(1, 0x0102_0304_0506_0708) }, [0x09, 8, 7, 6, 5, 4, 3, 2, 1])
    expectEqual(bytes { $0.text(2, "é") }, [0x12, 0x02, 0xC3, 0xA9])
    let long = bytes { $0.text(2, String(repeating: "a", count: 128)) }
    expectEqual(Array(long.prefix(4)), [0x12, 0x80, 0x01, 0x61])
    expectEqual(long.count, 131)
    expectEqual(bytes { $0.message(3) { $0.number(1, 1) } }, [0x1A, 0x02, 0x08, 0x01])
  }

  // MARK: - Clauses

  @Test("who broke most stands first, breaches before doubts and these before the rest, with first findings")
  func matrix() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive("quiet"))
    for second in 1...6 { capture.add(Double(second), "192.168.1.21", TinyCapture.alive("loud", location: nil)) }
    var reader = try capture.reader()
    let judgement = try JudgeInput.judge(&reader, path: "x").judgement
    var leftOut: [Picture.LeftOut] = []
    let matrix = PictureMatrix(judgement, bounds: PictureBounds(), leftOut: &leftOut)
    expectEqual(leftOut, [])
    expectEqual(matrix.parties.count, judgement.parties.count)
    expectEqual(matrix.findings.count, judgement.rows.count)
    expectEqual(matrix.notExercisedCount, judgement.judged.count - matrix.rows.count)
    #expect(matrix.parties.first?.name.contains("192.168.1.21") == true, "\(matrix.parties)")
    let weights = matrix.parties.indices.map { column -> Int in
      let broken = matrix.rows.map { $0.cells[column] }.filter { $0.mark == .violated }
      return broken.reduce(0) { $0 + $1.count }
    }
    expectEqual(weights, weights.sorted(by: >))
    #expect(weights.first ?? 0 > 0)
    let ranks = matrix.rows.map { row -> Int in
      let marks = row.cells.map(\.mark)
      return marks.contains(.violated) ? 0 : marks.contains(.inconclusive) ? 1 : 2
    }
    expectEqual(ranks, ranks.sorted())
    #expect(!matrix.rows.contains { row in row.cells.allSatisfy { $0.mark == .notExercised } })
    for row in matrix.rows {
      for (party, cell) in zip(matrix.parties, row.cells) {
        let found = matrix.findings.filter { $0.clause == row.clause && $0.party == party.name }
        switch cell.mark {
        case .violated, .inconclusive: expectEqual(cell.number, found.first?.number ?? 0, "\(row.clause)")
        case .held, .notExercised: expectEqual(cell.number, 0, "\(row.clause)")
        }
      }
    }
    // With room for less, the rest is counted.
    var bounds = PictureBounds()
    (bounds.parties, bounds.findings) = (1, 1)
    let small = PictureMatrix(judgement, bounds: bounds, leftOut: &leftOut)
    expectEqual(small.parties, Array(matrix.parties.prefix(1)))
    expectEqual(small.findings, Array(matrix.findings.prefix(1)))
    expectEqual(
      leftOut.map(\.count), [judgement.parties.count - 1, judgement.rows.count - 1].filter { $0 > 0 })
  }

  @Test("the page counts clauses that were broken and held, and names where and how often")
  func tables() {
    typealias Cell = PictureMatrix.Cell
    func row(_ clause: String, _ cell: Cell) -> PictureMatrix.Row {
      PictureMatrix.Row(clause: clause, gist: "g", level: "must", cells: [cell])
    }
    func finding(_ number: Int, _ count: Int) -> PictureMatrix.Finding {
      PictureMatrix.Finding(
        clause: "A-1", level: "must", isBreach: true, party: "tv", device: "", number: number, count: count,
        expected: "e", found: "f", remedy: "r")
    }
    var picture = PictureDraft().finished(verb: "", title: "", unit: .frame, origin: nil, lives: [])
    picture.matrix = PictureMatrix(
      parties: [PictureMatrix.Party(name: "tv", role: "device", detail: "")],
      rows: [
        row("A-1", Cell(mark: .violated, count: 3, number: 5)),
        row("A-2", Cell(mark: .inconclusive, count: 1, number: 0)),
        row("A-3", Cell(mark: .held, count: 2, number: 0)),
      ],
      findings: [finding(5, 1), finding(0, 2)], notExercisedCount: 7)
    let body = PictureTablesHTML.body(picture)
    #expect(body.contains("1 held wherever they were exercised, 2 broken or in doubt, 7 not exercised."))
    #expect(body.contains("<details><summary>1 clauses that were held</summary>"))
    #expect(body.contains("<span class=\"jump\" data-number=\"5\">✘ 3</span>"))
    #expect(body.contains("<span class=\"jump problem\" data-number=\"5\">frame 5</span>"))
    #expect(body.contains("at the end<br><small>2 times</small>"))
    #expect(!body.contains("1 times"))
  }

  @Test("a comparison has a row for each report, which leads to its mark, and the datagram that made the difference")
  func comparison() {
    typealias Entry = PictureComparison.Entry
    typealias Row = PictureComparison.Row
    var picture = PictureDraft().finished(verb: "", title: "", unit: .frame, origin: nil, lives: [])
    /// The end of the page, as long as what is expected there.
    func expectEnd(_ expected: [String]) {
      let expected = (expected + ["</section>", "</main>", ""]).joined(separator: "\n")
      expectEqual(String(PictureTablesHTML.body(picture).suffix(expected.count)), expected)
    }
    let head = ["<section id=\"differences\">", "<h2>Differences</h2>"]
    picture.comparison = PictureComparison(titleA: "left", titleB: "<right>", rows: [])
    expectEnd(head + ["<p class=\"note\">No report differs.</p>"])
    picture.comparison?.rows = [
      Row(mark: .equal, a: Entry(time: "1.000", mark: 0, text: "x"), b: Entry(time: "1.500", mark: -1, text: "x")),
      Row(mark: .changed, a: Entry(time: "2.000", mark: 3, text: "y"), b: Entry(time: "2.000", mark: 4, text: "<z>")),
      Row(mark: .onlyA, a: Entry(time: "3.000", mark: -1, text: "p"), b: nil),
      Row(mark: .onlyB, a: nil, b: Entry(time: "4.000", mark: 5, text: "q")),
    ]
    picture.comparison?.datagram = PictureComparison.Datagram(
      title: "datagram & more", fields: [Picture.Fact("NT", "y")], madeA: ["one", "two"], madeB: [])
    /// A cell that leads to a mark; `nil`: to none.
    func cell(_ mark: Int?, _ time: String, _ text: String, _ style: String = "jump") -> String {
      let time = mark.map { "<span class=\"\(style)\" data-mark=\"\($0)\">\(time) s</span>" } ?? "\(time) s"
      return "<td>\(time)<br><span class=\"mono\">\(text)</span></td>"
    }
    let open = "<div class=\"wide\" tabindex=\"0\"><table>"
    let close = ["</tbody>", "</table></div>"]
    let titles = "<th scope=\"col\">A: left</th><th scope=\"col\">B: &lt;right&gt;</th>"
    let rows: [String] = [
      "<td>equal</td>\(cell(0, "1.000", "x"))\(cell(nil, "1.500", "x"))",
      "<td class=\"bad\">changed</td>\(cell(3, "2.000", "y", "jump problem"))\(cell(4, "2.000", "&lt;z&gt;"))",
      "<td class=\"bad\">only A</td>\(cell(nil, "3.000", "p"))<td></td>",
      "<td class=\"bad\">only B</td><td></td>\(cell(5, "4.000", "q", "jump problem"))",
    ]
    var expected: [String] = head
    expected += [open, "<thead><tr><th scope=\"col\"></th>\(titles)</tr></thead>", "<tbody>"]
    expected += rows.map { "<tr>\($0)</tr>" }
    expected += close
    expected += ["<h3>What made the difference: datagram &amp; more</h3>", open]
    expected += ["<thead><tr><th scope=\"col\"></th><th scope=\"col\"></th></tr></thead>", "<tbody>"]
    expected += [
      "<tr><th scope=\"row\">NT</th><td>y</td></tr>",
      "<tr><th scope=\"row\">A made of it</th><td>one<br>two</td></tr>",
      "<tr><th scope=\"row\">B made of it</th><td></td></tr>",
    ]
    expectEnd(expected + close)
  }
}
