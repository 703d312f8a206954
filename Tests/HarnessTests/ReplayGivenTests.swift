import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallTrace
import RollcallWire
import Testing

/// Datagrams and packets that stand in no file, and what is wrong with files, each thing once and twice.
@Suite("Datagrams and packets without a file")
struct ReplayGivenTests {
  private static let lamp = Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
  private static let ssdp = Endpoint(.ssdpGroup4, port: 1_900)
  private static let mdns = Endpoint(IPAddress(224, 0, 0, 251), port: 5_353)

  private static func given(
    _ seconds: Int64, _ payload: [UInt8], to destination: Endpoint = ssdp, isOwn: Bool = false
  ) -> Replay.Given {
    Replay.Given(
      time: .zero + .seconds(seconds), interface: 0, source: Endpoint(lamp.address, port: destination.port),
      destination: destination, hopLimit: 2, payload: payload, isOwn: isOwn)
  }

  private static func packet(_ seconds: Int64, before: Int, _ bytes: [UInt8] = advertisement) -> Replay.GivenPacket {
    Replay.GivenPacket(
      time: .zero + .seconds(seconds), datagramsBefore: before,
      packet: RadioPDU(channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: bytes))
  }

  /// ADV_NONCONN_IND of a device that says nothing of itself.
  private static let advertisement: [UInt8] = [0x42, 6, 1, 2, 3, 4, 5, 0xC6]

  private struct Outcome {
    /// `message 2`, `packet 1`, and of the lamp `5.000 time lost`.
    var lines: [String] = []
    var summary = ReplaySummary()
    /// Payloads that are kept at the end.
    var payloads = 0

    var messages: [String] { summary.messages.map { "\($0.name) \($0.count)" } }
    var rejections: [String] { summary.rejections.byReason.map { "\($0.reason.rawValue) \($0.count)" } }
  }

  private static func replay(
    _ datagrams: [Replay.Given], _ packets: [Replay.GivenPacket] = [], until seconds: Int64,
    _ options: ReplayOptions = ReplayOptions()
  ) -> Outcome {
    var outcome = Outcome()
    var lines: [String] = []
    var replay = Replay(options: options) { event in
      switch event {
      case .message(let message): lines.append("message \(message.frame)")
      case .packet(_, let time, let frame): lines.append("packet \(frame) at \(time.description.dropLast(6))")
      case .report(let report, let time, let frame):
        guard report.device == "uuid:lamp" else { return }
        lines.append("\(time.description.dropLast(6)) \(frame.map { "frame \($0)" } ?? "time") \(report.name)")
      case .datagram: lines.append("datagram")
      }
    }
    replay.run(datagrams, packets: packets, until: .zero + .seconds(seconds))
    outcome.lines = lines
    outcome.summary = replay.summary
    outcome.payloads = replay.outbox.payloads.liveCount
    return outcome
  }

  @Test("they are numbered in the order in which they come, and what falls due at the very end still counts")
  func order() {
    let alive = TinyCapture.octets(TinyCapture.alive("lamp", maxAge: 5))
    let datagrams = [Self.given(1, alive), Self.given(2, TinyCapture.octets("hello"))]
    let packets = [
      Self.packet(0, before: 0), Self.packet(2, before: 1), Self.packet(2, before: 2, [0x42]),
      Self.packet(3, before: 2, [0x42]),
    ]
    var options = ReplayOptions()
    options.wantsPackets = true
    let all = Self.replay(datagrams, packets, until: 6, options)
    expectEqual(
      all.lines,
      [
        "packet 1 at 0.000", "message 2", "1.000 frame 2 found", "packet 3 at 2.000", "message 4", "packet 5 at 2.000",
        "packet 6 at 3.000", "6.000 time lost",
      ])
    expectEqual(all.messages, ["notify-alive 1", "unknown 1", "advertisement 4"])
    expectEqual(all.summary.rejections.count(of: .badPacket), 2)
    expectEqual(all.summary.problems, [])
    // An end before the last of them is a time that goes back.
    let early = Self.replay(datagrams, packets, until: 1)
    expectEqual(early.lines, ["message 2", "1.000 frame 2 found", "message 4"])
    expectEqual(early.summary.problems.map { "\($0.what) \($0.frame ?? 0) \($0.count)" }, ["time goes back 7 1"])
    // Who wants reports alone is shown no message.
    let quiet = Self.replay(datagrams, until: 6, ReplayOptions(wantsMessages: false))
    expectEqual(quiet.lines, ["1.000 frame 1 found", "6.000 time lost"])
    expectEqual(quiet.messages, ["notify-alive 1", "unknown 1"])
    expectEqual(quiet.rejections, ["startLine 1"])
    #expect(quiet.summary.devicesEver == 1 && quiet.summary.devicesPresent == 0 && quiet.summary.reports == 2)
    #expect(quiet.summary.entries > 0 && quiet.summary.digest != ReplaySummary().digest)
  }

  @Test("messages of multicast DNS count for those who look for services, as what they are, and where they are heard")
  func services() {
    let response: [UInt8] = [0, 0, 0x80]
    let datagrams = [
      Self.given(0, [0, 0], to: Self.mdns), Self.given(0, [0, 0, 1], to: Self.mdns),
      Self.given(0, response, to: Self.mdns),
    ]
    var options = ReplayOptions()
    expectEqual(Self.replay(datagrams, until: 1, options).messages, [])
    options.wantsServices = true
    let all = Self.replay(datagrams, until: 1, options)
    expectEqual(all.messages, ["mdnsQuery 2", "mdnsResponse 1"])
    expectEqual(all.payloads, 0)
    // A host hears neither itself nor what another is told.
    options.perspective = .host("192.168.1.9")
    for (destination, isOwn, messages) in [
      (Self.mdns, false, ["mdnsResponse 1"]), (Self.mdns, true, []),
      (Endpoint(IPAddress(192, 168, 1, 9), port: 5_353), false, ["mdnsResponse 1"]),
      (Endpoint(IPAddress(192, 168, 1, 7), port: 5_353), false, []),
    ] {
      let heard = Self.replay([Self.given(0, response, to: destination, isOwn: isOwn)], until: 1, options)
      expectEqual(heard.messages, messages, "\(destination) \(isOwn)")
    }
  }

  @Test("nothing of a message is kept that the engine has no use for")
  func payloads() {
    let outcome = Self.replay(
      (0..<10).map { Self.given($0, [45]) } + [Self.given(11, TinyCapture.octets(TinyCapture.search("ssdp:all")))],
      until: 20)
    expectEqual(outcome.payloads, 0)
    // Nor of datagrams to another host, which only a story has.
    let teller = StoryTeller(configuration: EngineConfiguration())
    var replay = Replay(options: ReplayOptions(perspective: .host("192.168.1.9")), teller: teller)
    let other = Endpoint(IPAddress(192, 168, 1, 7), port: 1_900)
    replay.run([Self.given(0, TinyCapture.octets(TinyCapture.alive("lamp")), to: other)], until: .zero + .seconds(1))
    expectEqual(replay.outbox.payloads.liveCount, 0)
    expectEqual(
      teller.finished(frames: 1).unmade.map { "\($0.reason.name) \($0.type) \($0.uuid) \($0.count)" },
      ["notHeard notify-alive lamp 1"])
  }

  @Test("each problem of frames is counted from the first of its kind on", arguments: [1, 2])
  func problems(count: Int) throws {
    var writer = CaptureWriter(section: CaptureSection())
    let ethernet = writer.interface(name: "eth0")
    let arcnet = writer.interface(name: "arc0", linkType: 7)
    let wireless = writer.interface(name: "wlan0", linkType: LinkType.wireless)
    let radio = writer.interface(name: "ble0", linkType: LinkType.bluetoothLE)
    let wrapped = writer.interface(name: "ppi0", linkType: LinkType.ppi)
    // IP of a version that the type before it does not announce.
    var header = [UInt8](repeating: 0, count: 42)
    (header[12], header[14], header[23]) = (8, 0x55, 17)
    for number in 0..<count {
      var long = TinyCapture()
      long.add(0, "192.168.1.2\(number)", String(repeating: "x", count: 2_000))
      let frames: [(interface: Int, bytes: [UInt8])] = [
        (ethernet, header), (arcnet, [1, 0, 0xD4, 1, 0, 1]),
        (wireless, [0x08, 0x40] + [UInt8](repeating: 0, count: 30)), (ethernet, long.pieces(mtuBytes: 1_500)[0]),
        (radio, AirFrame.bytes(pdu: Self.advertisement, crc: 0)), (radio, [1, 2, 3, 4, 5]),
        (radio, AirFrame.bytes(pdu: Self.advertisement)),
        // A header of eight bytes says that HCI follows, of which nothing is read there.
        (wrapped, [0, 0, 8, 0, 187, 0, 0, 0, 1, 2, 3, 4]),
      ]
      for frame in frames { writer.frame(interface: frame.interface, time: .zero + .seconds(1), frame.bytes) }
    }
    writer.finish()
    var packets = 0
    var replay = Replay(options: ReplayOptions()) { if case .packet = $0 { packets += 1 } }
    var reader = try TinyCapture.reader(writer.bytes)
    replay.run(&reader)
    expectEqual(packets, 0)
    let summary = replay.summary
    expectEqual(summary.messages.map { "\($0.name) \($0.count)" }, ["advertisement \(count)"])
    expectEqual(
      summary.problems.map { "\($0.what) \($0.frame ?? 0) \($0.count)" },
      [
        "link type 187 (Bluetooth HCI H4) inside another is not read 0 \(count)",
        "malformed IP or UDP header 0 \(count)", "encrypted 802.11 frames 0 \(count)",
        "802.11 or ARCNET frames with parts of packets or several 0 \(count)",
        "fragments that never made a datagram 0 \(count)",
        "packets of Bluetooth LE with a wrong CRC 0 \(count)", "malformed packets of Bluetooth LE 6 \(count)",
      ])
  }
}
