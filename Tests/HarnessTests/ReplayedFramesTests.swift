import RollcallCapture
import RollcallCaptureSupport
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing
import RollcallWire

/// A capture written by a test, and what a replay makes of it.
struct MadeCapture {
  static let announced = "uuid:2fac1234-31f8-41b4-a222-08002b34c003"
  static let link = LinkAddresses(
    source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(1, 0, 0x5E, 0x7F, 0xFF, 0xFA))
  static let epoch: Int64 = 1_700_000_000

  var writer = CaptureWriter(section: CaptureSection())
  let interface: Int

  init(linkType: UInt32 = LinkType.ethernet) { interface = writer.interface(name: "x", linkType: linkType) }

  /// - Parameters:
  ///   - seconds: since `epoch`.
  ///   - kept: bytes of the frame that the file keeps; `nil`: all.
  mutating func add(_ frame: [UInt8], at seconds: Int64, kept: Int? = nil) {
    writer.frame(
      interface: interface, time: .zero + .seconds(MadeCapture.epoch + seconds), Array(frame.prefix(kept ?? .max)),
      originalCount: frame.count)
  }

  /// An announcement in Ethernet frames, more than one where it is longer than the MTU.
  static func alive(_ usn: String = announced, isV6: Bool = false, padding: Int = 0) -> [[UInt8]] {
    let host = isV6 ? "[fe80::20]" : "192.168.1.20"
    let text = """
      NOTIFY * HTTP/1.1|HOST: \(isV6 ? "[FF02::C]" : "239.255.255.250"):1900|CACHE-CONTROL: max-age=1800|\
      LOCATION: http://\(host):80/d.xml|NT: upnp:rootdevice|NTS: ssdp:alive|SERVER: \
      \(String(repeating: "A", count: padding))/1 UPnP/1.1 B/1|USN: \(usn)::upnp:rootdevice||
      """
    let source =
      isV6
      ? Endpoint(IPAddress(v6High: 0xFE80 << 48, low: 0x20), port: 1_900)
      : Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
    return FrameWriter.udp(
      link, from: source, to: .ssdp(isV6: isV6), hopLimit: 2,
      payload: text.utf8.flatMap { $0 == UInt8(ascii: "|") ? [13, 10] : [$0] }, identification: 9)
  }

  struct Outcome {
    /// `found 1700000000.000000000 1`: event, time and frame.
    var reports: [String] = []
    var messages: [ReplayEvent.Message] = []
    var summary = ReplaySummary()
  }

  func replayed() throws -> Outcome { try MadeCapture.replay(writer.bytes) }

  static func replay(_ bytes: [UInt8]) throws -> Outcome {
    var outcome = Outcome()
    var offset = 0
    var reader = try CaptureReader { room in
      let count = min(room.count, bytes.count - offset)
      room.copyBytes(from: bytes[offset..<(offset + count)])
      offset += count
      return count
    }
    var replay = Replay(options: ReplayOptions()) { event in
      switch event {
      case .report(let report, let time, let frame):
        outcome.reports.append(ReportLine.json(report, time: time.description, frame: frame))
      case .message(let message): outcome.messages.append(message)
      case .datagram, .packet: break
      }
    }
    replay.run(&reader)
    outcome.summary = replay.summary
    return outcome
  }
}

extension MadeCapture.Outcome {
  /// Event, time and frame of each report.
  func events() throws -> [String] {
    try reports.map { line in
      let fields = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let words = ["event", "cause", "time", "frame"].compactMap { key in fields[key].map { "\($0)" } }
      return words.filter { $0 != "<null>" }.joined(separator: " ")
    }
  }
}

@Suite("Frames of every kind, replayed")
struct ReplayedFramesTests {
  @Test("SSDP gives the same reports on every link layer and in every tunnel", arguments: Encapsulation.all.indices)
  func everyLink(number: Int) throws {
    let link = Encapsulation.all[number]
    // Both families and every kind of report on each link; the rest of the captures in turn.
    let whole = ["gssdp-ipv6", "gssdp-killed-lease-expires", "gssdp-update-bootid"]
    let others = OwnCapture.all.map(\.name).filter { !whole.contains($0) }
    var compared = 0
    for name in whole + [others[number % others.count]] {
      let capture = try #require(OwnCapture.all.first { $0.name == name })
      guard let made = try Self.capture(capture, on: link) else { continue }
      let expected = try capture.replay()
      let found = try made.replayed()
      expectEqual(found.reports, expected.reports, "\(name) as \(link)")
      expectEqual(found.messages.map(\.frame), expected.messages.map(\.frame), "\(name) as \(link)")
      compared += found.reports.count
    }
    #expect(compared > 3)
  }

  /// The capture on another link, frame for frame; `nil` where the link cannot carry all of its SSDP, or where the
  /// capture has several interfaces or another link than Ethernet.
  private static func capture(_ own: OwnCapture, on link: Encapsulation) throws -> MadeCapture? {
    var made = MadeCapture(linkType: link.linkType)
    var reader = try CaptureReader(path: own.path)
    var frame = CaptureFrame()
    while reader.next(&frame) {
      guard frame.linkType == LinkType.ethernet, frame.interface == 0, let base = frame.content.baseAddress,
        let payload = EtherPayload(base, count: frame.content.count, typeOffset: 12)
      else { return nil }
      var bytes: [UInt8] = []
      if payload.etherType == .ipv4 || payload.etherType == .ipv6 {
        let packet = Array(frame.content[payload.offset...])
        guard link.versions.contains(packet[0] >> 4) else { return nil }
        bytes = link.wrap(packet)
      }
      made.writer.frame(interface: made.interface, time: frame.time, bytes)
    }
    return made
  }

  @Test("a message in fragments is heard once, at its last fragment", arguments: [false, true])
  func fragments(isV6: Bool) throws {
    var made = MadeCapture()
    let frames = MadeCapture.alive(isV6: isV6, padding: 4_000)
    expectEqual(frames.count, 3)
    for (index, frame) in frames.enumerated() { made.add(frame, at: Int64(index)) }
    let outcome = try made.replayed()
    #expect(outcome.messages.map(\.frame) == [3] && outcome.messages[0].fields.contains { $0.value.utf8.count > 4_000 })
    let events = try outcome.events()
    expectEqual(events, ["found 1700000002.000000000 3"])
    expectEqual(outcome.summary.problems, [])
  }

  @Test("of a message that the snap length cut, whole lines are believed and half a UUID is not")
  func snapLength() throws {
    let frame = MadeCapture.alive()[0]
    let text = String(decoding: frame, as: UTF8.self)
    // The USN is the last line: cut in its middle, behind its UUID, and before its line end.
    for kept in [frame.count - 30, frame.count - 19, frame.count - 4] {
      var made = MadeCapture()
      made.add(frame, at: 0, kept: kept)
      let outcome = try made.replayed()
      expectEqual(outcome.reports, [], "\(text.utf8.count) to \(kept)")
      let verdicts = outcome.messages.map { "\($0.type) \($0.rejection?.reason.rawValue ?? "")" }
      expectEqual(verdicts, ["notify-alive missingField"])
      #expect(!outcome.messages[0].fields.contains { $0.name == "USN" })
      expectEqual(
        outcome.summary.problems.map { "\($0.what) \($0.frame ?? 0)" },
        ["messages that the file holds in part, read up to their last whole line 1"])
    }
    // With the line, all is there that counts.
    var made = MadeCapture()
    made.add(frame, at: 0, kept: frame.count - 2)
    let events = try made.replayed().events()
    expectEqual(events, ["found 1700000000.000000000 1"])
  }

  @Test("a whole line may end without CR, and where no line is whole nothing is left of the message")
  func cutLines() throws {
    func replayed(_ text: String) throws -> [String] {
      let frame = FrameWriter.udp(
        MadeCapture.link, from: Endpoint(IPAddress(192, 168, 1, 20), port: 1_900), to: .ssdp(isV6: false), hopLimit: 2,
        payload: Array(text.utf8), identification: 9)[0]
      var made = MadeCapture()
      made.add(frame, at: 0, kept: frame.count - 3)
      return try made.replayed().messages.map { message in
        let fields = message.fields.map { " \($0.name)=\($0.value)" }.joined()
        return "\(message.type)\(fields) \(message.rejection?.reason.rawValue ?? "-")"
      }
    }
    try expectEqual(
      replayed("NOTIFY * HTTP/1.1\nNTS: ssdp:byebye\nNT: upnp:rootdevice\nUSN: uuid:lamp"),
      ["notify-byebye NTS=ssdp:byebye NT=upnp:rootdevice missingField"])
    try expectEqual(replayed(String(repeating: "x", count: 60)), ["unknown empty"])
  }

  @Test("where times go back, the engine's clock stands still and messages keep the time of the file")
  func backwards() throws {
    var made = MadeCapture()
    made.add(MadeCapture.alive()[0], at: 100)
    made.add(MadeCapture.alive("uuid:2fac1234-31f8-41b4-a222-08002b34c004")[0], at: 40)
    made.add(MadeCapture.alive()[0], at: 41)
    // An hour behind the standing clock: both leases count from there.
    made.add(MadeCapture.alive("uuid:2fac1234-31f8-41b4-a222-08002b34c005")[0], at: 3_700)
    let outcome = try made.replayed()
    expectEqual(
      outcome.messages.map(\.time), ["1700000100", "1700000040", "1700000041", "1700003700"].map { $0 + ".000000000" })
    let events = try outcome.events()
    expectEqual(
      events,
      [
        "found 1700000100.000000000 1", "found 1700000100.000000000 2", "lost expired 1700001900.000000000",
        "lost expired 1700001900.000000000", "found 1700003700.000000000 4",
      ])
    expectEqual(outcome.summary.problems.map { "\($0.what) \($0.frame ?? 0) \($0.count)" }, ["time goes back 2 2"])
  }

  @Test("over a jump of six years a lease ends at its own instant")
  func jump() throws {
    var made = MadeCapture()
    made.add(MadeCapture.alive()[0], at: 0)
    made.add(MadeCapture.alive()[0], at: 6 * 31_557_600)
    let outcome = try made.replayed()
    let events = try outcome.events()
    expectEqual(
      events,
      [
        "found 1700000000.000000000 1", "lost expired 1700001800.000000000", "found 1889345600.000000000 2",
      ])
    expectEqual(outcome.summary.problems, [])
  }
}
