import RollcallCapture
import RollcallConformance
import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import RollcallTrace
import Testing

/// Pictures of captures and of comparisons.
@Suite("Pictures of captures") struct CapturePictureTests {
  private static let uuid = "00000000-0000-4000-8000-000000000001"

  private static func picture(
    _ capture: TinyCapture, as perspective: ReplayOptions.Perspective = .everybody,
    judgement: Judgement? = nil, bounds: PictureBounds = PictureBounds()
  ) throws -> Picture {
    var options = ReplayOptions(perspective: perspective)
    options.wantsServices = true
    let file = CapturePicture.Input.File(path: "folder/one.pcapng") { try capture.reader() }
    return try CapturePicture.picture(
      of: CapturePicture.Input([file]), verb: "rollcall replay", options: options, judgement: judgement, bounds: bounds)
  }

  private static func rows(_ picture: Picture) -> [String] {
    picture.marks.map { mark in
      let cause = mark.cause < 0 ? "" : " by \(mark.cause)"
      return "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause)"
    }
  }

  /// A search, the answer to it, a byebye, and something that is no discovery.
  private static func capture() -> TinyCapture {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.9:4000", TinyCapture.group, TinyCapture.search("ssdp:all"))
    capture.add(0.5, "192.168.1.20", "192.168.1.9:4000", TinyCapture.answer(uuid))
    capture.add(1, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    capture.add(5, "192.168.1.20", TinyCapture.byebye(uuid))
    return capture
  }

  @Test("what goes to the group is drawn to the engine, an answer to who asked, and a report has what caused it")
  func marks() throws {
    let picture = try Self.picture(Self.capture())
    let reports = Self.rows(picture).filter { $0.hasPrefix("found") || $0.hasPrefix("lost") }
    expectEqual(reports, ["found engine 2 by 3", "lost engine 4 by \(picture.marks.count - 2)"])
    expectEqual(
      Array(Self.rows(picture).prefix(4)),
      ["sent 192.168.1.9 1", "heard engine 1 by 0", "sent 192.168.1.20 2", "aimed 192.168.1.9 2 by 2"])
    expectEqual(picture.origin, .zero + .seconds(1_000))
    expectEqual(picture.devices.map { $0.spans.map(\.state) }, [[.known]])
    expectEqual(picture.leftOut.map { "\($0.count) \($0.what)" }, ["1 datagrams that are no discovery"])
    expectEqual(picture.title, "one.pcapng")
    #expect(picture.matrix?.parties.isEmpty == false)
  }

  @Test("facts have a time where the capture has a date, and messages and refusals where there are any")
  func facts() throws {
    func facts(
      _ capture: TinyCapture, as perspective: ReplayOptions.Perspective = .everybody
    ) throws -> [String] {
      try Self.picture(capture, as: perspective).facts.map { "\($0.name): \($0.value)" }
    }
    let begins = "begins: 1970-01-01 00:16:40.000Z"
    expectEqual(
      try facts(Self.capture()),
      [
        "capture: folder/one.pcapng", "frames: 4", begins, "duration: 5 s",
        "messages: 1 notify-byebye, 1 search, 1 response", "devices: 1, 0 present at the end",
      ])
    expectEqual(
      try Array(facts(Self.capture(), as: .host("192.168.1.9")).prefix(3)),
      ["capture: folder/one.pcapng", "as: 192.168.1.9", "frames: 4"])

    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(Self.uuid))
    expectEqual(
      try facts(capture),
      [
        "capture: folder/one.pcapng", "frames: 1", begins, "duration: 0 us", "messages: 1 notify-alive",
        "devices: 1, 1 present at the end",
      ])
    capture.lines[0].text = "NOTIFY * HTTP/1.1\nNT: a\nNTS: ssdp:alive\n\n"
    var replay = Replay(options: ReplayOptions())
    var reader = try capture.reader()
    replay.run(&reader)
    let reasons = replay.summary.rejections.byReason.map { "\($0.count) \($0.reason.rawValue)" }
    expectEqual(reasons.count, 1)
    expectEqual(
      try facts(capture).filter { $0.hasPrefix("refused") }, ["refused: " + reasons.joined(separator: ", ")])

    var silent = TinyCapture()
    silent.epochSeconds = 0
    silent.add(0, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    expectEqual(
      try facts(silent),
      ["capture: folder/one.pcapng", "frames: 1", "duration: 0 us", "devices: 0, 0 present at the end"])
  }

  @Test("a judgement that was made before is taken in place of one of all clauses, and bounds hold for its table")
  func judged() throws {
    let nothing = TraceHearing.judgement([], hosts: [])
    expectEqual(try Self.picture(Self.capture(), judgement: nothing).matrix, nil)
    var bounds = PictureBounds()
    bounds.parties = 0
    let picture = try Self.picture(Self.capture(), bounds: bounds)
    expectEqual(picture.matrix?.parties.count, 0)
    #expect(picture.leftOut.contains { $0.what == "parties in the table of clauses" })
  }

  @Test("as the host that searched, its search goes out from the engine, and the answer comes there")
  func host() throws {
    let picture = try Self.picture(Self.capture(), as: .host("192.168.1.9"))
    expectEqual(
      Array(Self.rows(picture).prefix(3)), ["sent engine 1", "sent 192.168.1.20 2", "heard engine 2 by 1"])
    expectEqual(picture.lanes.map(\.name), ["engine", "192.168.1.20"])
  }

  @Test("a refused message is refused by the engine, with the reason; past the bounds a report keeps its message")
  func refused() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", "NOTIFY * HTTP/1.1\nNT: a\nNTS: ssdp:alive\n\n")
    for second in 1...20 { capture.add(Double(second), "192.168.1.20", TinyCapture.byebye(Self.uuid)) }
    capture.add(30, "192.168.1.20", TinyCapture.alive(Self.uuid))
    var bounds = PictureBounds()
    bounds.marks = 6
    let picture = try Self.picture(capture, bounds: bounds)
    expectEqual(picture.marks[1].kind, .refused)
    let fields = picture.sayings[picture.marks[1].saying].fields
    expectEqual(picture.strings[fields[0].name], "refused")
    #expect(Self.rows(picture).contains { $0.hasPrefix("found engine 22 by ") })
    #expect(picture.leftOut.contains { $0.what == "messages and notes behind the first 6" })
  }

  @Test("a comparison has the reports of both sides, what only one of them knows, and the datagram between them")
  func comparison() throws {
    let capture = TinyCapture.forgedByebye(of: Self.uuid)
    let open = { try capture.reader() }
    let left = try DiffInput(path: "one.pcapng").captureSide(open)
    let right = try DiffInput(path: "one.pcapng", settings: ["byebye-source=any-address"]).captureSide(open)
    let picture = DiffPicture.picture(of: ReportDiff(left, right))
    expectEqual(picture.outcome, Picture.Outcome("different", .bad))
    let bars = picture.devices.map { device in
      device.name.prefix(2) + device.spans.map(\.state.rawValue).joined(separator: ", ")
    }
    expectEqual(bars, ["A known, differs", "B known"])
    let comparison = try #require(picture.comparison)
    let marks = comparison.rows.flatMap { [$0.a?.mark, $0.b?.mark] }.compactMap { $0 }
    #expect(!marks.isEmpty && marks.allSatisfy { picture.marks.indices.contains($0) })
    expectEqual(comparison.datagram?.fields.first, Picture.Fact("from", "192.168.1.66:1900"))
    let same = DiffPicture.picture(of: ReportDiff(left, left))
    expectEqual(same.outcome, Picture.Outcome("equal", .good))
    #expect(same.devices.allSatisfy { $0.spans.allSatisfy { $0.state == .known } })
  }
}
