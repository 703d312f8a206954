import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing
import RollcallTrace

/// What time does at the instant of a message is told before the message, and by no frame.
@Suite("At the instant of a message")
struct ReplayInstantTests {
  private static let lamp = "192.168.1.20"
  private static let hall = "192.168.1.30"
  private static let phone = "192.168.1.9:40000"

  private static func place(_ path: String) -> String { "http://192.168.1.30/" + path }

  /// At 20 s a lamp expires, a hall is left with its LOCATION on another interface, a search ends, and a message comes.
  private func capture(_ source: String, _ text: String, interface: Int = 0) -> TinyCapture {
    var capture = TinyCapture()
    capture.interfaces = ["eth0", "eth1"]
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
    capture.add(0, Self.hall, TinyCapture.alive("hall", location: Self.place("d"), maxAge: 20))
    capture.add(1, Self.hall, TinyCapture.alive("hall", location: Self.place("e"), maxAge: 100), interface: 1)
    capture.add(18.9, Self.phone, TinyCapture.search("ssdp:all"))
    capture.add(20, source, text, interface: interface)
    return capture
  }

  /// Messages with their frames, and of each report time, frame and two words.
  private func lines(
    _ capture: TinyCapture, as perspective: ReplayOptions.Perspective = .everybody
  ) throws -> [String] { try lines(capture.bytes, as: perspective) }

  private func lines(
    _ bytes: [UInt8], as perspective: ReplayOptions.Perspective = .everybody
  ) throws -> [String] {
    var lines: [String] = []
    var replay = Replay(options: ReplayOptions(perspective: perspective)) { event in
      switch event {
      case .message(let message): lines.append("message \(message.frame)")
      case .report(let report, let time, let frame):
        let words = ReportText.line(report).split(separator: " ").prefix(2).joined(separator: " ")
        lines.append("\(time.description.prefix(8)) \(frame.map { "frame \($0)" } ?? "time") \(words)")
      case .datagram, .packet: break
      }
    }
    var reader = try TinyCapture.reader(bytes)
    replay.run(&reader)
    return lines
  }

  @Test("whatever the message is, what time did at its instant comes before it and names no frame")
  func before() throws {
    let door = TinyCapture.alive("door", location: "http://192.168.1.40/")
    let due = ["1020.000 time changed uuid:hall", "1020.000 time lost uuid:lamp", "1020.000 time search-ended 1"]
    let cases: [(source: String, text: String, interface: Int, own: [String])] = [
      ("192.168.1.40", door, 0, ["1020.000 frame 5 found uuid:door"]),
      (Self.hall, TinyCapture.byebye("hall"), 1, ["1020.000 frame 5 lost uuid:hall"]),
      (Self.lamp, TinyCapture.alive("lamp"), 0, ["1020.000 frame 5 found uuid:lamp"]),
      (Self.lamp, TinyCapture.byebye("lamp"), 0, []), (Self.phone, TinyCapture.search("ssdp:all"), 0, []),
      (Self.lamp, "no discovery", 0, []),
    ]
    for (source, text, interface, own) in cases {
      let capture = capture(source, text, interface: interface)
      for host in [ReplayOptions.Perspective.everybody, .host("192.168.1.9")] {
        let all = try lines(capture, as: host)
        let start = try #require(all.firstIndex(of: "message 4")) + 1
        expectEqual(all[start...].prefix(3).sorted(), due, "\(text)")
        expectEqual(Array(all[(start + 3)...]), ["message 5"] + own, "\(text)")
      }
    }
  }

  @Test("in the story, what time changes or ends at the instant of a message has no frame, and what that does has its")
  func story() throws {
    let instant = Instant.zero + .seconds(1_020)
    func events(_ source: String, _ text: String, interface: Int = 0) throws -> [String] {
      let story = try capture(source, text, interface: interface).story()
      #expect(story.searches.first?.hasEnded == true && story.searches.first?.end == instant)
      return story.devices.flatMap { device in
        device.events.filter { $0.time == instant }.map { event in
          let kind = String(String(describing: event.what).prefix { $0 != "(" })
          return ([device.device, kind] + event.frames.texts()).joined(separator: " ")
        }
      }
    }
    let due = ["uuid:lamp lost", "uuid:hall changed"]
    try expectEqual(
      events("192.168.1.40", TinyCapture.alive("door", location: "http://192.168.1.40/")), due + ["uuid:door found 5"])
    try expectEqual(events(Self.hall, TinyCapture.byebye("hall"), interface: 1), due + ["uuid:hall lost 5"])
    try expectEqual(events(Self.lamp, TinyCapture.byebye("lamp")), due)
    try expectEqual(
      events(Self.lamp, TinyCapture.alive("lamp")), ["uuid:lamp lost", "uuid:lamp found 5", "uuid:hall changed"])
  }

  @Test("a device that one message ends and brings back, as a planted fault does, is told as both, in this order")
  func both() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    capture.add(10, Self.lamp, TinyCapture.alive("lamp", location: "http://192.168.1.20/e"))
    let story = try capture.story(settings: ["switches=locationChangeIsLostFound"])
    #expect(
      StoryLifeTests.text(story).hasSuffix(
        "\n+10.000 frame 2 lost: expired\n+10.000 frame 2 found again: alive upnp:rootdevice from 192.168.1.20, 1800 s; "
          + "http://192.168.1.20/e\n+10.000 here at the end, with 1800 s left of its leases"))
  }

  @Test("a lease of no time ends before the next message of its instant")
  func noTime() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 0))
    capture.add(0, Self.hall, TinyCapture.alive("hall", location: Self.place("d")))
    let expected = [
      "message 1", "1000.000 frame 1 found uuid:lamp", "1000.000 time lost uuid:lamp", "message 2",
      "1000.000 frame 2 found uuid:hall",
    ]
    try expectEqual(lines(capture), expected)
    // The same where the next frame has no time at all: a simple packet block.
    func word(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    var (lamp, hall) = (capture, capture)
    lamp.lines.removeLast()
    hall.lines.removeFirst()
    let frame = hall.pieces(mtuBytes: 1_500)[0]
    let padded = frame + [UInt8](repeating: 0, count: (4 - frame.count % 4) % 4)
    let total = word(16 + padded.count)
    try expectEqual(lines(lamp.bytes + word(3) + total + word(frame.count) + padded + total), expected)
  }
}
