import Foundation
import RollcallCapture
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing

@testable import RollcallReducing

/// Comparisons of sides that are made by hand: of each kind, damaged on one side or both, and with datagrams that are
/// nearly the same.
@Suite("Edges of diff")
struct DiffEdgeTests {
  private static func found(_ name: String, _ location: String? = nil) -> Report {
    .found(
      DeviceSighting(
        device: name, location: location, source: IPAddress(192, 168, 1, 2), interface: InterfaceID(0), bootID: nil))
  }

  private static func at(_ seconds: Int64, _ report: Report, place: Int? = nil) -> WrittenReport {
    WrittenReport(report, time: .zero + .seconds(seconds), place: place)
  }

  private static func side(
    _ kind: DiffSide.Kind, _ reports: [WrittenReport] = [], base: Instant? = .zero, path: String = "one"
  ) -> DiffSide {
    var side = DiffSide(kind: kind, title: path, path: path, base: base)
    side.reports = reports
    side.frames = reports.map { $0.place ?? 0 }
    side.inputs = reports.map { _ in nil }
    return side
  }

  /// A capture of three announcements, the second of which claims to be longer than it can be.
  private static func damaged(path: String) throws -> DiffSide {
    var capture = TinyCapture()
    for number in 1...3 { capture.add(Double(number), "192.168.1.20", TinyCapture.alive("lamp-\(number)")) }
    var bytes = capture.bytes
    func word(_ at: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) } }
    var (offset, blocks) = (0, 0)
    while true {
      if word(offset) == 6 { blocks += 1 }
      if blocks == 2 { break }
      offset += word(offset + 4)
    }
    bytes[offset + 7] = 0x7F
    let made = bytes
    return try DiffInput(path: path).captureSide { try TinyCapture.reader(made) }
  }

  private static func whole(path: String) throws -> DiffSide {
    var capture = TinyCapture()
    capture.add(1, "192.168.1.20", TinyCapture.alive("lamp-1"))
    let made = capture
    return try DiffInput(path: path).captureSide { try made.reader() }
  }

  private func summary(_ diff: ReportDiff) throws -> [String: Any] {
    let line = try #require(DiffText.json(diff).first)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test("a damaged side, either of the two, is told, and the sides are neither equal nor different for it")
  func damage() throws {
    let (bad, good) = (try Self.damaged(path: "bad"), try Self.whole(path: "good"))
    #expect(bad.problems.isIncomplete && !good.problems.isIncomplete && bad.reports.count == 1)
    for (a, b, keys) in [(bad, good, ["damageA"]), (good, bad, ["damageB"]), (bad, bad, ["damageA", "damageB"])] {
      let diff = ReportDiff(a, b)
      #expect(diff.isIncomplete && diff.isEqual)
      let object = try summary(diff)
      #expect(object["equal"] is NSNull)
      expectEqual(object.keys.filter { $0.hasPrefix("damage") }.sorted(), keys)
      let lines = DiffText.lines(diff)
      expectEqual(lines.last, "no difference in what was read; nobody knows about the rest")
      expectEqual(lines.count { $0.contains("not read whole") }, keys.count)
      expectEqual(lines.contains { $0.hasPrefix("A  not read whole") }, keys.contains("damageA"))
      expectEqual(lines.contains { $0.hasPrefix("B  not read whole") }, keys.contains("damageB"))
    }
    let whole = ReportDiff(good, good)
    let object = try summary(whole)
    #expect(!whole.isIncomplete && object["equal"] as? Bool == true && object["first"] is NSNull)
    #expect(object.keys.contains { $0.hasPrefix("damage") } == false && DiffText.lines(whole).last == "equal")
    // What differs differs, whatever was not read.
    var other = bad
    other.reports = []
    other.frames = []
    let different = ReportDiff(bad, other)
    #expect(try summary(different)["equal"] as? Bool == false && different.first == 0)
  }

  @Test("without a datagram, files of reports are told to name the capture, and all others that time did it")
  func noDatagram() {
    let one = [Self.at(1, .lost(device: "uuid:a", cause: .expired))]
    let files = "Which datagram or packet made the difference is not in files of reports: name the capture."
    let time = "No datagram and no packet made the difference: time alone caused the report."
    let kinds: [DiffSide.Kind] = [.reports, .scenario]
    for a in kinds {
      for b in kinds {
        let diff = ReportDiff(Self.side(a, one), Self.side(b))
        expectEqual(DiffText.lines(diff).last, (a == .reports && b == .reports ? files : time), "\(a) \(b)")
      }
    }
  }

  @Test("what changed is told with what it was, in words and in numbers, or that there was nothing")
  func changes() {
    guard case .found(let sighting) = Self.found("uuid:a", "http://x/") else { return }
    func words(_ change: Change) -> String { DiffText.words(.changed(sighting, change)) }
    expectEqual(words(.attribute(.bootID, from: .number(7))), "changed uuid:a bootID 7 http://x/ 192.168.1.2")
    expectEqual(words(.attribute(.bootID, from: nil)), "changed uuid:a bootID no from http://x/ 192.168.1.2")
    let moved = words(.attribute(.location, from: .text("http://y/")))
    expectEqual(moved, "changed uuid:a location http://y/ http://x/ 192.168.1.2")
    expectEqual(words(.united(part: "uuid:b")), "changed uuid:a united uuid:b http://x/ 192.168.1.2")
  }

  @Test("places are compared in two files of reports or of one file, and never with a run")
  func places() {
    let (three, four) = ([Self.at(1, Self.found("uuid:a"), place: 3)], [Self.at(1, Self.found("uuid:a"), place: 4)])
    let cases: [(a: DiffSide.Kind, b: DiffSide.Kind, isOneFile: Bool, isEqual: Bool)] = [
      (.reports, .reports, true, false), (.reports, .reports, false, false), (.reports, .capture, false, false),
      (.capture, .reports, false, false), (.capture, .capture, true, false), (.capture, .capture, false, true),
      (.scenario, .reports, true, true), (.reports, .scenario, true, true), (.scenario, .scenario, true, true),
      (.scenario, .capture, true, true), (.capture, .scenario, true, true),
    ]
    for one in cases {
      let diff = ReportDiff(Self.side(one.a, three), Self.side(one.b, four, path: one.isOneFile ? "one" : "two"))
      expectEqual(diff.isEqual, one.isEqual, "\(one)")
    }
  }

  @Test("times count from the start that either side knows, and from each one's own where they differ")
  func clocks() {
    let five = Instant.zero + .seconds(5)
    let report = Self.at(7, Self.found("uuid:a"))
    func since(_ a: Instant?, _ b: Instant?) -> [Interval] {
      let diff = ReportDiff(Self.side(.reports, [report], base: a), Self.side(.reports, [report], base: b))
      return [diff.since(report, diff.a), diff.since(report, diff.b)]
    }
    #expect(since(five, nil) == [.seconds(2), .seconds(2)] && since(nil, five) == [.seconds(2), .seconds(2)])
    #expect(since(five, five) == [.seconds(2), .seconds(2)] && since(.zero, five) == [.seconds(7), .seconds(2)])
    expectEqual(since(nil, nil), [.zero, .zero])
  }

  @Test("reports that come back within 32 on either side are found again, and none behind that")
  func reach() {
    func reports(_ names: [Int]) -> [WrittenReport] { names.map { Self.at(1, Self.found("uuid:\($0)")) } }
    for (missing, only) in [(1, 1), (31, 31), (32, 32)] {
      let (a, b) = (Array(0...40), [0] + Array((1 + missing)...40))
      let diff = ReportDiff(Self.side(.reports, reports(a)), Self.side(.reports, reports(b)))
      #expect((diff.onlyACount, diff.onlyBCount, diff.changedCount) == (only, 0, 0), "\(missing)")
    }
    // As many of both sides: the furthest that is found again.
    let left = Array(0..<32) + [999, 1_000]
    let right = Array(100..<132) + [999, 1_000]
    let both = ReportDiff(Self.side(.reports, reports(left)), Self.side(.reports, reports(right)))
    #expect((both.onlyACount, both.onlyBCount, both.changedCount) == (32, 32, 0))
    expectEqual(both.rows.count, 12)
  }

  @Test("what caused a report of a run is looked for on the other side, alike in all but what it caused")
  func inputs() throws {
    let source = try #require(Endpoint("192.168.1.2:1900")), other = try #require(Endpoint("192.168.1.3:1900"))
    let datagram = DiffDatagram(
      frame: nil, time: .zero, source: source, destination: other, type: "search", fields: [])
    var a = Self.side(.scenario, [Self.at(1, Self.found("uuid:a"))])
    a.inputs = [datagram]
    func made(_ change: (inout DiffDatagram) -> Void) -> ReportDiff {
      var b = Self.side(.scenario, [Self.at(1, Self.found("uuid:b"))], path: "two")
      var input = datagram
      change(&input)
      b.inputs = [input]
      return ReportDiff(a, b)
    }
    let same = made { _ in }
    #expect(same.datagram == datagram && same.madeA == ["caused the report"] && same.madeB == ["caused another report"])
    let changes: [(inout DiffDatagram) -> Void] = [
      { $0.source = other }, { $0.destination = source }, { $0.time = .zero + .seconds(1) },
      { $0.fields = [DiffField(name: "MX", value: "1")] },
    ]
    for change in changes { expectEqual(made(change).madeB, ["caused no report"]) }
    // Without a datagram behind the report there is nothing to say.
    a.inputs = [nil]
    let none = made { _ in }
    #expect(none.datagram == nil && none.madeA == [] && none.madeB == [])
  }

  @Test("frames that one side made nothing of are passed over, on either side, when the datagram is looked for")
  func fates() throws {
    let tv = DiffEdgeTests.tv
    var capture = TinyCapture()
    let silent = TinyCapture.alive(tv).replacing("CACHE-CONTROL: max-age=1800\n", with: "")
    capture.add(0, "192.168.1.20", TinyCapture.alive(tv, maxAge: 20))
    capture.add(10, "192.168.1.20", silent)
    capture.add(11, "192.168.1.30", TinyCapture.alive("other", location: "http://192.168.1.30/"))
    capture.add(50, "192.168.1.20", TinyCapture.byebye(tv))
    let made = capture
    func side(_ settings: [String]) throws -> DiffSide {
      try DiffInput(path: "one.pcapng", settings: settings).captureSide { try made.reader() }
    }
    let (a, b) = (try side([]), try side(["default-lease=15s"]))
    #expect(a.fates.map(\.frame) == [1, 2, 3, 4] && b.fates.map(\.frame) == [1, 2, 3, 4])
    for dropped in [[], [0], [2], [3], [0, 2]] as [[Int]] {
      func without(_ side: DiffSide) -> DiffSide {
        var side = side
        for place in dropped.reversed() { side.fates.remove(at: place) }
        return side
      }
      for (one, other) in [(without(a), b), (a, without(b)), (without(a), without(b))] {
        let diff = ReportDiff(one, other)
        expectEqual(diff.datagram?.frame, 2, "\(dropped)")
        expectEqual(diff.madeA, ["renewed for 1800 s, with 10 s left"])
        expectEqual(diff.madeB, ["renewed for 15 s, with 10 s left"])
      }
    }
    // What is known of another device makes no difference to this one.
    var foreign = a
    foreign.fates[2].code ^= 1
    expectEqual(ReportDiff(foreign, b).datagram?.frame, 2)
    // Two files: a frame of the one is none of the other.
    var elsewhere = b
    elsewhere.path = "two.pcapng"
    #expect(ReportDiff(a, elsewhere).datagram?.frame != 2)
  }

  private static let tv = "00000000-0000-4000-8000-000000000001"
}
