import Foundation
import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import Testing

/// What a picture keeps, and how it is written.
@Suite("Pictures in the making") struct PictureDraftTests {
  private static func instant(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  @Test("marks stand in order of time, and causes, losses and bars go with them; a text stands once, and escaped")
  func json() {
    var draft = PictureDraft()
    let engine = draft.lane("engine", .engine)
    let tv = draft.lane("tv", .host, detail: "192.168.1.20")
    let hello = draft.say("notify-alive", [Picture.Fact("NT", "<b>&c")])
    let sent = draft.mark(.sent, lane: tv, at: Self.instant(2_000), number: 3, saying: hello)
    let heard = draft.mark(.heard, lane: engine, at: Self.instant(2_001), number: 4, saying: hello, cause: sent)
    let appear = draft.say("appear")
    draft.mark(.asked, lane: tv, at: Self.instant(1_000), number: 1, saying: appear)
    draft.lose(sent, lane: engine)
    draft.stretch(to: Self.instant(4_000))
    var lives = DeviceLives(knowsTruth: true)
    lives.truth("uuid:a", isThere: true, at: Self.instant(1_000), name: "tv", detail: "uuid:a")
    lives.report("uuid:A", isFound: true, at: Self.instant(2_001), mark: heard, name: "another name")
    let picture = draft.finished(
      verb: "rollcall run", title: "A title", unit: .entry, origin: .zero, lives: [lives])
    let expected = #"""
      {
      "version":1,
      "unit":"entry",
      "origin":"0.000000000",
      "span":4000000000,
      "fold":500000000,
      "kinds":[
      "sent",
      "heard",
      "refused",
      "aimed",
      "asked",
      "host",
      "note",
      "found",
      "changed",
      "lost",
      "report",
      "fault"],
      "states":[
      "known",
      "stale",
      "missing",
      "differs"],
      "lanes":[
      ["engine","engine",""],
      ["tv","host","192.168.1.20"]],
      "strings":[
      "notify-alive",
      "NT",
      "\u003cb\u003e\u0026c",
      "appear"],
      "said":[
      [0,1,2],
      [3]],
      "marks":[
      [1000000000,1,4,1,1,-1],
      [1000000000,1,0,3,0,-1],
      [1000000,0,1,4,0,1]],
      "lost":[
      [1,0]],
      "devices":[
      ["tv","uuid:a",[[1000000000,2001000000,2,-1,2],[2001000000,4000000000,0,2,-1]]]],
      "folds":[
      [2001000000,4000000000]]
      }
      """#
    expectEqual(String(decoding: PictureJSON.bytes(picture), as: UTF8.self), expected)
  }

  @Test("what has no room is counted: messages, reports, lanes, losses, texts, fields and devices")
  func bounds() {
    var bounds = PictureBounds()
    (bounds.marks, bounds.reports, bounds.lanes, bounds.losses) = (3, 2, 2, 1)
    (bounds.strings, bounds.fieldsPerMessage, bounds.devices, bounds.scalarsPerText) = (4, 1, 1, 8)
    var draft = PictureDraft(bounds: bounds)
    let lanes = ["a", "b", "c", "d"].map { draft.lane($0, .host) }
    expectEqual(lanes, [0, 1, 2, 2])
    let saying = draft.say("a long title", [Picture.Fact("x", "1"), Picture.Fact("y", "2")])
    let marks = (0..<5).map { draft.mark(.sent, lane: 0, at: .zero, number: $0, saying: saying) }
    expectEqual(marks, [0, 1, 2, -1, -1])
    let reports = (0..<3).map { draft.mark(.found, lane: 0, at: .zero, number: $0, saying: saying) }
    expectEqual(reports, [3, 4, -1])
    for mark in marks { draft.lose(mark, lane: 1) }
    let other = draft.say("other", [Picture.Fact("z", "3")])
    var lives = DeviceLives(knowsTruth: false, bounds: bounds)
    for name in ["one", "two"] { lives.report(name, isFound: true, at: .zero, mark: -1, name: name) }
    let picture = draft.finished(verb: "", title: "", unit: .frame, origin: nil, lives: [lives])
    expectEqual(picture.lanes.map(\.name), ["a", "b", "all others"])
    expectEqual(picture.strings.prefix(4), ["a long t…", "x", "1", "1 more"])
    expectEqual(picture.strings[picture.sayings[other].title], "…")
    expectEqual(picture.sayings[other].fields, [])
    expectEqual(picture.marks.count, 5)
    expectEqual(
      picture.leftOut.map { "\($0.count) \($0.what)" },
      [
        "2 hosts without a lane of their own", "2 texts, shown as …", "2 messages and notes behind the first 3",
        "1 reports behind the first 2", "2 losses behind the first 1", "1 changes of devices behind the first 1",
      ])
  }

  @Test("texts have room up to the last byte of all")
  func textBytes() {
    var bounds = PictureBounds()
    bounds.textBytes = 6
    var draft = PictureDraft(bounds: bounds)
    let sayings = ["abc", "\u{E9}d", "e", "abc"].map { draft.say($0) }
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: nil, lives: [])
    expectEqual(sayings, [0, 1, 2, 0])
    expectEqual(picture.strings, ["abc", "\u{E9}d", "…"])
    expectEqual(picture.leftOut.map { "\($0.count) \($0.what)" }, ["1 texts, shown as …"])
  }

  @Test("a page has the bounds of its documentation, and an arrow ends at a mark of kind heard, refused or aimed")
  func constants() {
    let bounds = PictureBounds()
    expectEqual(
      [bounds.marks, bounds.reports, bounds.lanes, bounds.losses, bounds.devices, bounds.spansPerDevice],
      [100_000, 20_000, 128, 20_000, 500, 400])
    expectEqual(
      [bounds.folds, bounds.strings, bounds.textBytes, bounds.scalarsPerText, bounds.fieldsPerMessage],
      [500, 100_000, 8_388_608, 400, 48])
    expectEqual([bounds.parties, bounds.findings, bounds.rows], [24, 1_000, 500])
    expectEqual(Picture.Mark.Kind.allCases.filter { $0.endsArrow }, [.heard, .refused, .aimed])
  }

  @Test("a bar is known, stale or missing as report and truth say, and of two sides each shows what only it has")
  func bars() {
    var lives = DeviceLives(knowsTruth: true)
    for (second, isReport, value) in [
      (1, false, true), (2, true, true), (3, false, false), (5, true, false), (6, false, true), (7, false, false),
    ] {
      let time = Self.instant(Int64(second) * 1_000)
      if isReport {
        lives.report("d", isFound: value, at: time, mark: -1, name: "d")
      } else {
        lives.truth("d", isThere: value, at: time, name: "d")
      }
    }
    expectEqual(Self.bars(lives), ["d 1-2 missing, 2-3 known, 3-5 stale, 6-7 missing"])
    var sides = DeviceLives(knowsTruth: false, isComparison: true)
    for (side, found, lost) in [(0, 1, 6), (1, 2, 4)] {
      let name = side == 0 ? "A" : "B"
      sides.report("d", isFound: true, at: Self.instant(Int64(found) * 1_000), mark: -1, side: side, name: name)
      sides.report("d", isFound: false, at: Self.instant(Int64(lost) * 1_000), mark: -1, side: side, name: name)
    }
    sides.report("e", isFound: true, at: Self.instant(3_000), mark: -1, side: 1, name: "B e")
    expectEqual(Self.bars(sides), ["A 1-2 differs, 2-4 known, 4-6 differs", "B 2-4 known", "B e 3-9 differs"])
  }

  /// Of a picture that ends at nine seconds.
  private static func bars(_ lives: DeviceLives) -> [String] {
    var draft = PictureDraft()
    draft.stretch(to: instant(9_000))
    let picture = draft.finished(verb: "", title: "", unit: .entry, origin: .zero, lives: [lives])
    return picture.devices.map { device in
      let spans = device.spans.map { span in
        let (from, to) = (span.from.nanoseconds / 1_000_000_000, span.to.nanoseconds / 1_000_000_000)
        return "\(from)-\(to) \(span.state.rawValue)"
      }
      return "\(device.name) \(spans.joined(separator: ", "))"
    }
  }

  @Test("quiet stretches between bursts are folded, and a steady beat is not")
  func folds() {
    func picture(_ milliseconds: [Int64]) -> Picture {
      var draft = PictureDraft()
      let (lane, saying) = (draft.lane("a", .host), draft.say("x"))
      for time in milliseconds { draft.mark(.note, lane: lane, at: Self.instant(time), number: 0, saying: saying) }
      return draft.finished(verb: "", title: "", unit: .entry, origin: .zero, lives: [])
    }
    // Ten bursts of ten marks, a minute apart.
    var bursts: [Int64] = []
    for burst in 0..<10 { for mark in 0..<10 { bursts.append(Int64(burst * 60_000 + mark * 10)) } }
    let folded = picture(bursts)
    expectEqual(folded.folds.count, 9)
    #expect(folded.foldedWidth < .milliseconds(90), "\(folded.foldedWidth)")
    let beat: [Int64] = (0..<100).map { $0 * 1_000 }
    expectEqual(picture(beat).folds, [])
    expectEqual(picture([]).folds, [])
  }
}
