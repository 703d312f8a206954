import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallWire
import Testing

@testable import RollcallPicturing

/// What a picture of captures has beside the messages of one file: packets, names, files, and what has no room.
@Suite("What is drawn of captures") struct CaptureDrawingTests {
  private static let uuid = "00000000-0000-4000-8000-000000000001"

  /// Kind, lane and number of each mark, and the lane of its cause.
  private func rows(_ picture: Picture) -> [String] {
    picture.marks.map { mark in
      let cause = mark.cause < 0 ? "" : " of \(picture.lanes[picture.marks[mark.cause].lane].name)"
      return "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause)"
    }
  }

  private func leftOut(_ picture: Picture) -> [String] { picture.leftOut.map { "\($0.count) \($0.what)" } }

  /// The fields of what a mark says.
  private func fields(_ picture: Picture, _ mark: Int) -> [String] {
    picture.sayings[picture.marks[mark].saying].fields.map {
      "\(picture.strings[$0.name]) \(picture.strings[$0.value])"
    }
  }

  @Test("of two files each message has its file; multicast DNS is drawn, and what the engine refuses of others it has")
  func twoFiles() throws {
    var (left, right) = (TinyCapture(), TinyCapture())
    left.add(0, "192.168.1.20", TinyCapture.alive(Self.uuid))
    left.add(3, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    right.add(1, "192.168.1.30", payload: [UInt8](repeating: 0, count: 12))
    right.add(2, "192.168.1.21", "192.168.1.9:1900", "garbage\n")
    let captures = [left, right]
    func picture(_ perspective: ReplayOptions.Perspective) throws -> Picture {
      let files = zip(["one.pcapng", "folder/two.pcapng"], captures).map { path, capture in
        CapturePicture.Input.File(path: path) { try capture.reader() }
      }
      return try CapturePicture.picture(
        of: CapturePicture.Input(files, names: FrameNames(labels: ["left", "right"])), verb: "rollcall replay",
        options: ReplayOptions(perspective: perspective))
    }
    let all = try picture(.everybody)
    expectEqual(
      rows(all),
      [
        "sent 192.168.1.20 1", "heard engine 1 of 192.168.1.20", "found engine 1 of engine",
        "sent 192.168.1.30 1", "heard engine 1 of 192.168.1.30",
        "sent 192.168.1.21 2", "aimed 192.168.1.9 2 of 192.168.1.21", "refused engine 2 of 192.168.1.21",
      ])
    expectEqual(leftOut(all), ["1 datagrams that are no discovery"])
    expectEqual([all.title, all.verb], ["one.pcapng, two.pcapng", "rollcall replay"])
    #expect(all.matrix == nil)
    expectEqual([0, 3, 5].map { fields(all, $0).last ?? "" }, ["file left", "file right", "file right"])
    #expect(fields(all, 7).first?.hasPrefix("refused ") == true)
    // As one host, what is sent to it is heard by the engine.
    let host = try picture(.host("192.168.1.9"))
    expectEqual(Array(rows(host).suffix(2)), ["sent 192.168.1.21 2", "refused engine 2 of 192.168.1.21"])
  }

  @Test("of two names for one address the first is that of its lane")
  func names() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(Self.uuid))
    let names = ["tv", "late"].map { CaptureName(address: IPAddress(192, 168, 1, 20), name: $0) }
    var options = ReplayOptions()
    (options.wantsDatagrams, options.wantsMessages, options.wantsPackets) = (true, true, true)
    var reader = try capture.reader()
    let drawing = CaptureDrawing(
      options, scene: CaptureScene(reader: reader, as: .everybody), names: names, fileNames: FrameNames(),
      bounds: PictureBounds())
    var replay = Replay(options: options, observe: { drawing.see($0) })
    replay.run(&reader)
    let picture = drawing.finish(verb: "", title: "")
    expectEqual(picture.lanes.map { "\($0.name) \($0.detail)" }, ["engine hears everything", "tv 192.168.1.20"])
  }

  @Test("a packet is drawn from its sender to the engine, and one that has no room is counted")
  func packets() throws {
    func picture(_ bounds: PictureBounds) throws -> Picture {
      var capture = TinyCapture()
      capture.add(0, "192.168.1.20", "not looked at\n")
      let reader = try capture.reader()
      let drawing = CaptureDrawing(
        ReplayOptions(), scene: CaptureScene(reader: reader, as: .everybody), names: [], fileNames: FrameNames(),
        bounds: bounds)
      for (frame, second) in zip([3, 4], [Int64(1), 3]) {
        let pdu: [UInt8] = [0x42, 9] + [UInt8](repeating: 0xC1, count: 6) + [2, 1, 6]
        let packet = RadioPDU(channel: 37, strength: -60, accessAddress: 0x8E89_BED6, bytes: pdu)
        drawing.see(.packet(packet, time: .zero + .seconds(second), frame: frame))
      }
      return drawing.finish(verb: "", title: "")
    }
    let drawn = try picture(PictureBounds())
    let sender = "c1:c1:c1:c1:c1:c1/random"
    expectEqual(
      rows(drawn),
      ["sent \(sender) 3", "heard engine 3 of \(sender)", "sent \(sender) 4", "heard engine 4 of \(sender)"])
    expectEqual(
      fields(drawn, 0), ["address \(sender)", "channel 37", "strength -60 dBm", "data 020106", "bytes 11"])
    var bounds = PictureBounds()
    bounds.marks = 0
    let full = try picture(bounds)
    expectEqual(rows(full), [])
    expectEqual(leftOut(full), ["2 messages and notes behind the first 0"])
    expectEqual(full.span, .seconds(2))
  }

  @Test("what is not read of a file is counted as often as it is there")
  func unread() throws {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "odd", linkType: 9_999)
    for second in 0..<3 {
      let time = Instant.zero + .seconds(1_000 + Int64(second))
      writer.frame(interface: interface, time: time, [UInt8](repeating: 0, count: 20))
    }
    writer.finish()
    let bytes = writer.bytes
    let file = CapturePicture.Input.File(path: "odd.pcapng") { try TinyCapture.reader(bytes) }
    let picture = try CapturePicture.picture(
      of: CapturePicture.Input([file]), verb: "rollcall replay", options: ReplayOptions())
    expectEqual(rows(picture), [])
    expectEqual(picture.leftOut.map(\.count), [3])
    #expect(picture.leftOut.first?.what.hasPrefix("link type 9999 ") == true)
  }

  // MARK: - Bounds

  private func picture(
    _ capture: TinyCapture, marks: Int = 1_000, as perspective: ReplayOptions.Perspective = .everybody
  ) throws -> Picture {
    var bounds = PictureBounds()
    bounds.marks = marks
    let file = CapturePicture.Input.File(path: "one.pcapng") { try capture.reader() }
    return try CapturePicture.picture(
      of: CapturePicture.Input([file]), verb: "", options: ReplayOptions(perspective: perspective), bounds: bounds)
  }

  @Test("a report at a time-out has no frame, and a picture reaches to the last frame of any kind")
  func expired() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(Self.uuid, maxAge: 60))
    capture.add(1_000, "192.168.1.9:4000", "192.168.1.8:4000", "no discovery\n")
    let drawn = try picture(capture)
    expectEqual(
      rows(drawn),
      [
        "sent 192.168.1.20 1", "heard engine 1 of 192.168.1.20", "found engine 1 of engine", "lost engine 0",
      ])
    expectEqual(drawn.span, .seconds(1_000))
  }

  @Test("a message without room is there for its report, else it is counted; the last with room is one alone")
  func held() throws {
    var capture = TinyCapture()
    capture.add(0, "192.168.1.20", TinyCapture.alive(Self.uuid))
    let last = try picture(capture, marks: 1)
    expectEqual(rows(last), ["sent 192.168.1.20 1", "found engine 1"])
    expectEqual(leftOut(last), ["1 messages and notes behind the first 1"])
    capture.add(5, "192.168.1.20", TinyCapture.byebye("other"))
    let none = try picture(capture, marks: 0)
    expectEqual(
      rows(none), ["sent 192.168.1.20 1", "heard engine 1 of 192.168.1.20", "found engine 1 of engine"])
    expectEqual(leftOut(none), ["1 messages and notes behind the first 0"])
  }

  @Test("as one host, a datagram to another host is drawn to that host, and a packet to the engine")
  func others() throws {
    var capture = TinyCapture()
    let message = [UInt8](repeating: 0, count: 12)
    capture.add(0, "192.168.1.30", to: "192.168.1.31:5353", payload: message)
    capture.add(1, "192.168.1.30", to: "192.168.1.9:5353", payload: message)
    expectEqual(
      rows(try picture(capture, as: .host("192.168.1.9"))),
      [
        "sent 192.168.1.30 1", "aimed 192.168.1.31 1 of 192.168.1.30", "sent 192.168.1.30 2",
        "heard engine 2 of 192.168.1.30",
      ])
    var writer = CaptureWriter(section: CaptureSection())
    let air = writer.interface(name: nil, linkType: LinkType.bluetoothLE)
    let pdu: [UInt8] = [0x42, 9] + [UInt8](repeating: 0xC1, count: 6) + [2, 1, 6]
    writer.frame(interface: air, time: .zero + .seconds(1_000), AirFrame.bytes(pdu: pdu))
    writer.finish()
    let bytes = writer.bytes
    let file = CapturePicture.Input.File(path: "air.pcapng") { try TinyCapture.reader(bytes) }
    let packets = try CapturePicture.picture(
      of: CapturePicture.Input([file]), verb: "", options: ReplayOptions())
    let sender = "c1:c1:c1:c1:c1:c1/random"
    expectEqual(Array(rows(packets).prefix(2)), ["sent \(sender) 1", "heard engine 1 of \(sender)"])
  }
}
