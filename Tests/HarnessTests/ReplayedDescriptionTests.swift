import RollcallCapture
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallWire
import Testing

@testable import RollcallReplaying

@Suite("Descriptions of a capture")
struct ReplayedDescriptionTests {
  private func reports(_ folder: String, _ perspective: ReplayOptions.Perspective = .everybody) throws -> [String] {
    try reports(perspective) { try capture(folder) }
  }

  private func capture(_ folder: String) throws -> CaptureReader {
    try CaptureReader(path: Places.root.appendingPathComponent("Captures/\(folder)/capture.pcapng").path)
  }

  /// - Parameter isMerged: whether a file without discovery stands beside it.
  private func reports(
    _ perspective: ReplayOptions.Perspective = .everybody, isMerged: Bool = false, of open: () throws -> CaptureReader
  ) throws -> [String] {
    var options = ReplayOptions(perspective: perspective, wantsMessages: false)
    options.engine.descriptions = .fetch
    var lines: [String] = []
    var replay = Replay(options: options) { event in
      guard case .report(let report, _, let frame) = event, case .description = report else { return }
      lines.append("\(frame ?? 0) " + ReportText.line(report).replacing(#/ in [0-9]+ ms/#, with: ""))
    }
    if isMerged {
      var other = TinyCapture()
      other.add(0, "10.0.0.1:5000", "10.0.0.2:53", "no discovery")
      replay.run(merging: [
        CaptureSource(path: "a", reader: try open()), CaptureSource(path: "b", reader: try other.reader()),
      ])
    } else {
      var reader = try open()
      replay.run(&reader)
    }
    return lines
  }

  @Test("several files give the engine the same signals as one, at the same frames")
  func merged() throws {
    let fetched: () throws -> CaptureReader = { try capture("miniupnpd-upnpc-and-byebye") }
    let wanted = try reports(of: fetched)
    expectEqual(wanted.count, 1)
    try expectEqual(reports(isMerged: true, of: fetched), wanted)

    // A program has the description, and then the device announces itself.
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "eth0")
    let link = LinkAddresses(source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(2, 0, 0, 0, 0, 2))
    let (client, lamp) = (IPAddress(192, 168, 1, 9), IPAddress(192, 168, 1, 20))
    let (asking, asked) = (Endpoint(client, port: 50_000), Endpoint(lamp, port: 80))
    for (source, destination, text) in [
      (asking, asked, "GET /d.xml HTTP/1.1\r\nHost: x\r\n\r\n"),
      (asked, asking, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
    ] {
      let segment = TCPSegment(from: source, to: destination, sequence: 1, flags: .ack, payload: Array(text.utf8))
      writer.frame(interface: interface, time: .zero + .seconds(1), try #require(FrameWriter.tcp(link, segment)))
    }
    var alive = TinyCapture()
    alive.add(0, "192.168.1.20", TinyCapture.alive("lamp"))
    writer.frame(interface: interface, time: .zero + .seconds(2), alive.pieces(mtuBytes: 1_500)[0])
    writer.finish()
    let bytes = writer.bytes
    let alone = try reports { try TinyCapture.reader(bytes) }
    expectEqual(alone.map { String($0.prefix(23)) }, ["3 description uuid:lamp"])
    try expectEqual(reports(isMerged: true) { try TinyCapture.reader(bytes) }, alone)
  }

  @Test("what a program of the capture fetched the engine is given when the program had it, with its frame")
  func fetched() throws {
    try expectEqual(
      reports("miniupnpd-upnpc-and-byebye"),
      [
        "42 description uuid:00000000-0000-4000-8000-000000007701 http://192.168.77.1:5000/rootDesc.xml 200 3086 bytes"
      ])
  }

  @Test("as a host that fetched nothing there is no description, and no word of one")
  func byNobody() throws {
    try expectEqual(reports("miniupnpd-upnpc-and-byebye", .host("192.168.77.99")), [])
    try expectEqual(reports("gssdp-update-bootid"), [])
  }

  @Test("what stands beside a frame is given at the frame's time, whatever it claims, and is about streams alone")
  func claims() throws {
    var section = CaptureSection()
    section.comments = ["rollcall host: phone"]
    var writer = CaptureWriter(section: section)
    _ = writer.interface(name: "if0")
    let (tv, phone) = (IPAddress(192, 168, 1, 20), IPAddress(192, 168, 1, 2))
    writer.names([CaptureName(address: phone, name: "phone")])
    let link = LinkAddresses(source: MACAddress(2, 0, 0, 0, 0, 1), group: .ssdpGroup4)!
    for number in Int64(1)...2 {
      let frames = FrameWriter.udp(
        link, from: Endpoint(tv, port: 1_900), to: Endpoint(.ssdpGroup4, port: 1_900), hopLimit: 2,
        payload: TinyCapture.octets(TinyCapture.alive("\(number)")))
      writer.frame(
        interface: 0, time: .zero + .seconds(number), frames[0], direction: .inbound,
        comments: ["rollcall signal: 999999.000000000 stream 1 finished", "rollcall signal: 1.5 command stop"])
    }
    writer.finish()
    var reader = try TinyCapture.reader(writer.bytes)
    var lines: [String] = []
    var replay = Replay(options: ReplayOptions(perspective: .host("phone"), wantsMessages: false)) { event in
      guard case .report(let report, let time, _) = event else { return }
      lines.append("\(time) \(report.name) \(report.device ?? "-")")
    }
    replay.run(&reader)
    expectEqual(lines, ["1.000000000 found uuid:1", "2.000000000 found uuid:2"])
  }

  // MARK: - The streams alone

  private let server = Endpoint(IPAddress(10, 0, 0, 2), port: 80)
  private final class Count { var number: UInt16 = 0 }
  private let exchanges = Count()

  /// Gives an exchange of the client to the streams, as segments.
  private func exchange(_ target: String, _ answer: String, _ streams: inout ReplayedStreams, method: String = "GET") {
    exchanges.number += 1
    let client = Endpoint(IPAddress(10, 0, 0, 1), port: 50_000 + exchanges.number)
    var frame = 0
    func send(_ text: String, isAnswer: Bool) {
      frame += 1
      let (source, destination) = isAnswer ? (server, client) : (client, server)
      let segment = TCPSegment(
        from: source, to: destination, sequence: 1, flags: .ack, payload: Array(text.utf8))
      var bytes = FrameWriter.tcp(
        LinkAddresses(source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(2, 0, 0, 0, 0, 2)), segment)!
      bytes += [UInt8](repeating: 0, count: CaptureFrame.paddingBytes)
      bytes.withUnsafeBytes { buffer in
        var captured = CaptureFrame()
        (captured.bytes, captured.capturedCount) = (buffer.baseAddress!, buffer.count - CaptureFrame.paddingBytes)
        captured.linkType = LinkType.ethernet
        var extractor = DatagramExtractor(readsSegments: true)
        var datagram = ExtractedDatagram()
        #expect(!extractor.extract(captured, into: &datagram))
        streams.take(extractor.segment!, frame: frame) { $0 == client.address }
      }
    }
    let request = "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n"
    send(request, isAnswer: false)
    send(answer, isAnswer: true)
  }

  private func signals(_ streams: inout ReplayedStreams) -> [String] {
    var texts: [String] = []
    while let signal = streams.next() { texts.append(signal.text) }
    return texts
  }

  @Test(
    "an answer that was there before is given at once, one that comes later when it comes, and none to another question"
  )
  func order() {
    var streams = ReplayedStreams()
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
    exchange("/a", answer + "a", &streams)
    func ask(_ stream: UInt32, _ target: String, to server: Endpoint) {
      streams.want(.connect(StreamID(stream), to: server, InterfaceID(0)))
      streams.want(.write(StreamID(stream), Array("GET \(target) HTTP/1.1\r\n\r\n".utf8)))
    }
    func opened(_ stream: UInt32) -> [String] {
      ["stream \(stream) opened 0.0.0.0:0", "stream \(stream) room 65536"]
    }
    let text = "HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\n\\r\\n"
    ask(1, "/a", to: server)
    expectEqual(signals(&streams), opened(1) + ["stream 1 bytes \(text)a", "stream 1 finished"])
    ask(2, "/b", to: server)
    ask(3, "/b", to: server)
    ask(4, "/b", to: Endpoint(server.address, port: 81))
    ask(5, "/b", to: server)
    streams.want(.reset(StreamID(5)))
    expectEqual(signals(&streams), opened(2) + opened(3) + opened(4) + opened(5))
    exchange("/c", answer + "c", &streams)
    exchange("/b", answer + "p", &streams, method: "POST")
    expectEqual(signals(&streams), [])
    exchange("/b", answer + "b", &streams)
    expectEqual(
      signals(&streams),
      [
        "stream 2 bytes \(text)b", "stream 2 finished", "stream 3 bytes \(text)b", "stream 3 finished",
      ])
  }

  @Test("a stream has a local address of the family of its server")
  func families() {
    for (address, local) in [
      (IPAddress(10, 0, 0, 2), "0.0.0.0:0"), (IPAddress(v6High: 0xFE80 << 48, low: 2), "[::]:0"),
    ] {
      var streams = ReplayedStreams()
      streams.want(.connect(StreamID(1), to: Endpoint(address, port: 80), InterfaceID(0)))
      expectEqual(signals(&streams), ["stream 1 opened \(local)", "stream 1 room 65536"])
    }
  }

  @Test("the latest answer is given, 256 are kept, and one that was given or was given up waits for nothing more")
  func answers() {
    var streams = ReplayedStreams()
    func answer(_ text: String) -> String { "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)" }
    var number: UInt32 = 0
    /// What the engine is given for a question, behind the signals that open its stream.
    func asked(_ target: String) -> [String] {
      number += 1
      streams.want(.connect(StreamID(number), to: server, InterfaceID(0)))
      streams.want(.write(StreamID(number), Array("GET \(target) HTTP/1.1\r\n\r\n".utf8)))
      return Array(signals(&streams).dropFirst(2))
    }
    func given(_ text: String) -> [String] {
      let head = "HTTP/1.1 200 OK\\r\\nContent-Length: \(text.utf8.count)\\r\\n\\r\\n"
      return ["stream \(number) bytes \(head)\(text)", "stream \(number) finished"]
    }
    for place in 0..<255 { exchange("/\(place)", answer("\(place)"), &streams) }
    exchange("/0", answer("again"), &streams)
    expectEqual(streams.exchangeCount, 256)
    expectEqual(asked("/0"), given("again"))
    expectEqual(asked("/1"), given("1"))
    // The first of all goes, which nobody is given any more; then the second.
    exchange("/a", answer("a"), &streams)
    expectEqual(asked("/1"), given("1"))
    exchange("/b", answer("b"), &streams)
    expectEqual(asked("/1"), [])
    expectEqual(asked("/0"), given("again"))
    expectEqual(asked("/2"), given("2"))
    // That question waits, and is answered once; whoever writes again asks nothing new.
    let waiting = StreamID(number - 2)
    streams.want(.write(waiting, Array("GET /b HTTP/1.1\r\n\r\n".utf8)))
    expectEqual(signals(&streams), [])
    exchange("/1", answer("1"), &streams)
    expectEqual(signals(&streams).count, 2)
    exchange("/1", answer("1"), &streams)
    expectEqual(signals(&streams), [])
  }

  @Test("a request is for its second word, however its line ends, and for the root where it has none")
  func targets() {
    for (request, target) in [
      ("GET /a\r\nHost: x\r\n\r\n", "/a"), ("GET /a HTTP/1.1\r\n\r\n", "/a"), ("GET\r\n\r\n", "/"), ("GET /a", "/a"),
    ] {
      var streams = ReplayedStreams()
      streams.want(.connect(StreamID(1), to: server, InterfaceID(0)))
      streams.want(.write(StreamID(1), Array(request.utf8)))
      exchange("/b", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", &streams)
      expectEqual(signals(&streams).count, 2, "\(request)")
      exchange(target, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", &streams)
      expectEqual(
        signals(&streams),
        [#"stream 1 bytes HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"#, "stream 1 finished"], "\(request)")
    }
  }
}
