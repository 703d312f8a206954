import RollcallConformance
import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallRunning
import RollcallTrace
import Testing

@testable import RollcallJudging

/// Pictures of a trace in a file, and of an examination, from their entries to the table of clauses.
@Suite("Pictures of traces alone") struct StationPictureTests {
  private static let alive =
    "192.168.1.20:1900 -> 239.255.255.250:1900 if0 ttl2 "
    + #"NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"#
    + #"LOCATION: http://192.168.1.20/d.xml\r\nNT: upnp:rootdevice\r\nNTS: ssdp:alive\r\n"#
    + #"SERVER: Linux/6.1 UPnP/1.0 tiny/1\r\nUSN: uuid:a::upnp:rootdevice\r\n\r\n"#

  private static let lines = [
    "0.000000000 tv < interface 0 up 192.168.1.20/24",
    "0.000000000 engine < interface 0 up 192.168.1.10/24",
    "1.000000000 tv > \(alive)",
    "1.001000000 engine < \(alive)",
    "1.001000000 engine > found uuid:a - 192.168.1.20 if0",
  ]

  private static func read() throws -> JudgeInput.ReadTrace {
    var trace = JudgeInput.ReadTrace()
    trace.hosts = ["engine", "tv"]
    trace.entries = try lines.map { line in
      try TraceText.read(Substring(line)) { name in name == "engine" ? 0 : 1 }
    }
    trace.numbers = [2, 4, 6, 8, 10]
    return trace
  }

  private static func judgement(_ trace: JudgeInput.ReadTrace) -> Judgement {
    TraceHearing.judgement(trace.entries, numbers: trace.numbers, hosts: trace.hosts)
  }

  /// With room for so many messages, and for no party in the table of clauses.
  private static func bounds(_ marks: Int) -> PictureBounds {
    var bounds = PictureBounds()
    (bounds.marks, bounds.parties) = (marks, 0)
    return bounds
  }

  /// Kind, lane and number of each mark, and the number of its cause.
  private static func rows(_ picture: Picture) -> [String] {
    picture.marks.map { mark in
      let cause = mark.cause < 0 ? "" : " by \(picture.marks[mark.cause].number)"
      return "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause)"
    }
  }

  private static func bars(_ picture: Picture) -> [String] {
    picture.devices.map { device in
      "\(device.name): \(device.spans.map(\.state.rawValue).joined(separator: ", "))"
    }
  }

  @Test("a trace has its hosts as lanes, its lines as numbers, and the table of clauses; bounds hold for all of it")
  func ofTrace() throws {
    let trace = try Self.read()
    let judgement = Self.judgement(trace)
    #expect(!judgement.isVacuous && !judgement.parties.isEmpty)
    let picture = StationPicture.picture(of: trace, judgement: judgement, path: "folder/one.trace")
    expectEqual(
      Self.rows(picture),
      ["host tv 2", "host engine 4", "sent tv 6 by 2", "heard engine 8 by 6", "found engine 10 by 8"])
    expectEqual(
      picture.lanes.map { "\($0.name) \($0.role.rawValue) \($0.detail)" },
      ["engine engine 192.168.1.10", "tv host 192.168.1.20"])
    // Found by the last entry: no time is left for a bar.
    expectEqual(Self.bars(picture), ["uuid:a: "])
    expectEqual([picture.verb, picture.title], ["rollcall judge", "one.trace"])
    expectEqual(
      picture.facts,
      [Picture.Fact("trace", "folder/one.trace"), Picture.Fact("entries", "5"), Picture.Fact("hosts", "2")])
    var cuts: [Picture.LeftOut] = []
    expectEqual(picture.matrix, PictureMatrix(judgement, bounds: PictureBounds(), leftOut: &cuts))
    expectEqual(picture.leftOut, cuts)

    let small = StationPicture.picture(of: trace, judgement: judgement, path: "", bounds: Self.bounds(2))
    expectEqual(Self.rows(small), ["host tv 2", "host engine 4", "heard engine 8", "found engine 10 by 8"])
    expectEqual(small.title, "")
    #expect(small.matrix?.parties.isEmpty == true)
    expectEqual(
      small.leftOut.map { "\($0.count) \($0.what)" },
      ["1 messages and notes behind the first 2", "\(judgement.parties.count) parties in the table of clauses"])
  }

  @Test("an examination has the numbers of its trace, or else the places of its entries")
  func ofExamination() throws {
    let trace = try Self.read()
    let judgement = Self.judgement(trace)
    let entries = trace.entries.filter { $0.station == 0 }
    func picture(_ numbers: [Int]?, _ bounds: PictureBounds = PictureBounds()) -> Picture {
      StationPicture.picture(
        ofExamination: "device", entries, numbers: numbers, judgement: judgement, interface: "eth0", bounds: bounds)
    }
    let placed = picture(nil)
    expectEqual(
      Self.rows(placed), ["host rollcall 1", "sent 192.168.1.20 0", "heard rollcall 2 by 0", "found rollcall 3 by 2"])
    expectEqual(placed.lanes.map(\.role), [.engine, .host])
    expectEqual(Self.bars(placed), ["uuid:a: "])
    expectEqual([placed.verb, placed.title], ["rollcall examine device", "Examination on eth0"])
    expectEqual(placed.facts, [Picture.Fact("interface", "eth0"), Picture.Fact("entries", "3")])
    var cuts: [Picture.LeftOut] = []
    expectEqual(placed.matrix, PictureMatrix(judgement, bounds: PictureBounds(), leftOut: &cuts))

    let small = picture([4, 6, 9], Self.bounds(1))
    expectEqual(Self.rows(small), ["host rollcall 4", "heard rollcall 6", "found rollcall 9 by 6"])
    #expect(small.matrix?.parties.isEmpty == true)
    expectEqual(small.leftOut.first?.what, "parties in the table of clauses")
  }

  @Test("a device that was found is known to the end, since a trace alone does not have the truth")
  func known() throws {
    var trace = try Self.read()
    let judgement = Self.judgement(trace)
    trace.entries.append(try TraceText.read("3.000000000 engine < wake") { _ in 0 })
    trace.numbers.append(12)
    let whole = StationPicture.picture(of: trace, judgement: judgement, path: "one.trace")
    expectEqual(Self.bars(whole), ["uuid:a: known"])
    expectEqual(whole.span, .seconds(3))
    let examined = StationPicture.picture(
      ofExamination: "device", trace.entries.filter { $0.station == 0 }, numbers: nil, judgement: judgement,
      interface: "eth0")
    expectEqual(Self.bars(examined), ["uuid:a: known"])
  }

  @Test("what a judgement came to: failed, passed, or nothing was judged, and then there is no table of clauses")
  func conclusion() throws {
    let trace = try Self.read()
    let judgement = Self.judgement(trace)
    let nothing = TraceHearing.judgement([], hosts: [])
    #expect(nothing.isVacuous)
    func outcome(_ isBroken: Bool, _ judgement: Judgement) -> Picture.Outcome? {
      var picture = StationPicture.picture(of: trace, judgement: judgement, path: "one.trace")
      expectEqual(picture.matrix == nil, judgement.isVacuous)
      picture.conclude(isBroken: isBroken, judgement: judgement)
      let (must, should) = (judgement.violations(.must), judgement.violations(.should))
      expectEqual(picture.facts.count, 4)
      expectEqual(picture.facts.last, Picture.Fact("breaches", "\(must) of a must, \(should) of a should"))
      return picture.outcome
    }
    expectEqual(outcome(true, judgement), Picture.Outcome("failed", .bad))
    expectEqual(outcome(false, judgement), Picture.Outcome("passed", .good))
    for isBroken in [true, false] {
      expectEqual(outcome(isBroken, nothing), Picture.Outcome("nothing was judged", .open))
    }
  }
}
