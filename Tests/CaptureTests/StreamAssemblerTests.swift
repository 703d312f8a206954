import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallCapture

/// A conversation of two endpoints as segments, in the order in which a capture shows them.
struct Wire {
  static let opener = Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)
  static let server = Endpoint(IPAddress(10, 0, 0, 2), port: 80)
  var assembler: StreamAssembler
  var frame = 0
  var lines: [String] = []

  init(_ limits: StreamAssembler.Limits = .init()) { assembler = StreamAssembler(limits: limits) }

  /// - Parameter sequence: of the first byte; the first segment of each side has 0.
  mutating func send(
    _ text: String = "", at sequence: UInt32, _ flags: TCPFlags = .ack, isFromOpener: Bool = true, ack: UInt32 = 0,
    base: UInt32 = 0, from opener: Endpoint = Wire.opener, isCut: Bool = false
  ) {
    frame += 1
    let (source, destination) = isFromOpener ? (opener, Wire.server) : (Wire.server, opener)
    let segment = TCPSegment(
      from: source, to: destination, sequence: base &+ sequence, acknowledgment: base &+ ack, flags: flags,
      payload: Array(text.utf8))
    let outcomes = segment.bytes.withUnsafeBytes { bytes in
      assembler.take(
        ExtractedSegment(bytes, source.address, destination.address, isWhole: !isCut)!, frame: frame)
    }
    for outcome in outcomes {
      let what =
        switch outcome.event {
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        case .finished: "|finished"
        case .reset: "|reset"
        case .gap(let gap): "|" + gap.rawValue
        }
      let port = outcome.connection.opener.port == 50_000 ? "" : " of \(outcome.connection.opener.port)"
      lines.append("\(outcome.connection.number)\(outcome.isFromOpener ? ">" : "<") \(what)\(port)")
    }
  }

  mutating func open(base: UInt32 = 0) {
    send(at: 0, .syn, base: base)
    send(at: 0, [.syn, .ack], isFromOpener: false, ack: 1, base: base)
    send(at: 1, ack: 1, base: base)
  }
}

@Suite("TCP streams of a capture")
struct StreamAssemblerTests {
  @Test(
    "bytes come in order, in both directions, whatever the numbers begin with", arguments: [0, 0xFFFF_FFFE] as [UInt32])
  func inOrder(base: UInt32) {
    var wire = Wire()
    wire.open(base: base)
    wire.send("GET", at: 1, ack: 1, base: base)
    wire.send("200", at: 1, isFromOpener: false, ack: 4, base: base)
    wire.send(" /", at: 4, [.fin, .ack], ack: 4, base: base)
    wire.send("!", at: 4, [.fin, .ack], isFromOpener: false, ack: 7, base: base)
    expectEqual(wire.lines, ["0> GET", "0< 200", "0>  /", "0> |finished", "0< !", "0< |finished"])
  }

  @Test("segments that come early wait, those that come again count once, and of bytes that differ the first count")
  func order() {
    var wire = Wire()
    wire.open()
    wire.send("lo", at: 4, [.fin, .ack])
    wire.send("ello", at: 2)
    wire.send("H", at: 1)
    expectEqual(wire.lines, ["0> H", "0> ello", "0> |finished"])
    #expect(wire.assembler.earlyCount == 2 && wire.assembler.repeatedCount == 1)
    var other = Wire()
    other.open()
    other.send("abc", at: 1)
    other.send("abc", at: 1)
    other.send("XXXdef", at: 1)
    other.send("f", at: 6)
    expectEqual(other.lines, ["0> abc", "0> def"])
    expectEqual(other.assembler.repeatedCount, 2)
  }

  @Test("bytes that the other side has and no frame shows are a gap, behind which nothing comes")
  func missing() {
    var wire = Wire()
    wire.open()
    wire.send("ab", at: 1)
    wire.send("ef", at: 5)
    // It has what came first: nothing is known yet.
    wire.send(at: 1, isFromOpener: false, ack: 3)
    expectEqual(wire.lines, ["0> ab"])
    wire.send(at: 1, isFromOpener: false, ack: 7)
    wire.send("gh", at: 7)
    wire.send("ok", at: 1, isFromOpener: false, ack: 9)
    expectEqual(wire.lines, ["0> ab", "0> |missing", "0< ok"])
  }

  @Test("a frame that was cut is a gap behind what it shows, unless all of it had been there")
  func cut() {
    var wire = Wire()
    wire.open()
    wire.send("abc", at: 1, isCut: true)
    wire.send("def", at: 4)
    expectEqual(wire.lines, ["0> abc", "0> |cut"])
    var again = Wire()
    again.open()
    again.send("abcdef", at: 1)
    again.send("ab", at: 1, isCut: true)
    again.send("g", at: 7)
    expectEqual(again.lines, ["0> abcdef", "0> g"])
  }

  @Test("a bound holds what waits, and how many connections there are")
  func bounds() {
    var limits = StreamAssembler.Limits()
    (limits.bytesAheadMaximum, limits.connectionsMaximum) = (4, 2)
    var wire = Wire(limits)
    wire.open()
    wire.send("cd", at: 3)
    wire.send("ef", at: 5)
    wire.send("ab", at: 1)
    expectEqual(wire.lines, ["0> ab", "0> cd", "0> ef"])
    wire.send("cd", at: 9)
    wire.send("efg", at: 11)
    expectEqual(wire.lines.last, "0> |tooFarAhead")
    for port in UInt16(1)...3 {
      wire.send("x", at: 0, from: Endpoint(IPAddress(10, 0, 0, 1), port: 60_000 + port))
      #expect(wire.assembler.openCount <= 2)
    }
    expectEqual(wire.lines.suffix(3), ["1> x of 60001", "2> x of 60002", "3> x of 60003"])
  }

  @Test("the same ports again are another connection; the first segment once more is not")
  func again() {
    var wire = Wire()
    wire.open()
    wire.send("a", at: 1)
    wire.send(at: 0, .syn)
    wire.send("b", at: 2)
    wire.send(at: 3, [.rst, .ack])
    wire.send("late", at: 3)
    wire.open(base: 1_000)
    wire.send("c", at: 1, base: 1_000)
    expectEqual(wire.lines, ["0> a", "0> b", "0> |reset", "1> c"])
  }

  @Test("a connection that began before the capture is taken up where it is")
  func midway() {
    var wire = Wire()
    wire.send("late", at: 900)
    wire.send("answer", at: 77, isFromOpener: false, ack: 904)
    wire.send("r", at: 904)
    expectEqual(wire.lines, ["0> late", "0< answer", "0> r"])
  }
}

@Suite("HTTP exchanges of a capture")
struct HTTPExchangesTests {
  /// What came of a conversation: `2 GET /a 200 body`, or the problem.
  private func exchanges(_ parts: [(isFromOpener: Bool, text: String)], ends: TCPFlags = [.fin, .ack]) -> [String] {
    var exchanges = HTTPExchanges()
    var lines: [String] = []
    var (frame, sent) = (0, (UInt32(1), UInt32(1)))
    func take(_ isFromOpener: Bool, _ text: String, _ flags: TCPFlags) {
      frame += 1
      let (source, destination) = isFromOpener ? (Wire.opener, Wire.server) : (Wire.server, Wire.opener)
      let segment = TCPSegment(
        from: source, to: destination, sequence: isFromOpener ? sent.0 : sent.1, flags: flags,
        payload: Array(text.utf8))
      if isFromOpener { sent.0 += UInt32(text.utf8.count) } else { sent.1 += UInt32(text.utf8.count) }
      let found = segment.bytes.withUnsafeBytes {
        exchanges.take(ExtractedSegment($0, source.address, destination.address, isWhole: true)!, frame: frame)
      }
      for one in found {
        lines.append(
          "\(one.requestFrame)-\(one.responseFrame) \(one.method) \(one.target) \(one.head.status) "
            + (one.problem ?? String(decoding: one.body, as: UTF8.self)))
      }
    }
    for part in parts { take(part.isFromOpener, part.text, .ack) }
    take(false, "", ends)
    if exchanges.unreadCount > 0 { lines.append("unread \(exchanges.unreadCount)") }
    return lines
  }

  @Test("requests and answers are paired, in pieces, pipelined, with bodies and without")
  func pairs() {
    expectEqual(
      exchanges([
        (true, "GET /a?b HTTP/1.1\r\nHo"), (true, "st: x\r\n\r\n"),
        (false, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"),
        (false, "bc"),
      ]), ["2-4 GET /a?b 200 abc"])
    expectEqual(
      exchanges([
        (true, "POST /c HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo"),
        (true, "dyGET /d HTTP/1.0\r\n\r\nHEAD /e HTTP/1.0\r\n\r\nGET /f HTTP/1.0\r\n\r\n"),
        (
          false,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx"
        ),
        (false, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"), (false, "HTTP/1.1 200 OK\r\n\r\nto the end"),
      ]), ["1-3 POST /c 200 ok", "2-3 GET /d 404 x", "2-4 HEAD /e 200 ", "2-6 GET /f 200 to the end"])
    // What comes behind the head in one segment with it is the next answer, and no body.
    expectEqual(
      exchanges([
        (true, "HEAD /e HTTP/1.0\r\n\r\nGET /f HTTP/1.0\r\n\r\n"),
        (false, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\n\r\nto the end"),
      ]), ["1-2 HEAD /e 200 ", "1-3 GET /f 200 to the end"])
  }

  @Test("any number of connections one after the other is read, of those that speak something else as well")
  func manyConnections() {
    var streams = StreamAssembler.Limits()
    streams.connectionsMaximum = 16
    var exchanges = HTTPExchanges(streams: streams)
    var found = 0
    for number in UInt16(0)..<5_000 {
      let opener = Endpoint(IPAddress(10, 0, 0, 1), port: 50_000 + number)
      let texts =
        number % 2 == 0
        ? ["GET /a HTTP/1.1\r\n", "\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", "x"]
        : ["\u{16}\n\n", "?", "!", "!"]
      var sent = (UInt32(1), UInt32(1))
      for (index, text) in texts.enumerated() {
        let (source, destination) = index < 2 ? (opener, Wire.server) : (Wire.server, opener)
        let segment = TCPSegment(
          from: source, to: destination, sequence: index < 2 ? sent.0 : sent.1, flags: .ack,
          payload: Array(text.utf8))
        if index < 2 { sent.0 += UInt32(text.utf8.count) } else { sent.1 += UInt32(text.utf8.count) }
        found += segment.bytes.withUnsafeBytes {
          exchanges.take(ExtractedSegment($0, source.address, destination.address, isWhole: true)!, frame: index).count
        }
      }
    }
    expectEqual(found, 2_500)
    expectEqual(exchanges.unreadCount, 2_500)
  }

  @Test("a request's body in chunks is skipped, in whatever pieces it comes")
  func chunks() {
    let answers = (
      isFromOpener: false, text: String(repeating: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", count: 2)
    )
    let text =
      "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: t\r\n\r\nGET /b HTTP/1.1\r\n\r\n"
    expectEqual(exchanges([(true, text), answers]), ["1-2 PUT /a 200 x", "1-2 GET /b 200 x"])
    let pieces = text.unicodeScalars.map { (isFromOpener: true, text: String($0)) }
    expectEqual(
      exchanges(pieces + [answers]).map { $0.split(separator: " ").dropFirst().joined(separator: " ") },
      [
        "PUT /a 200 x", "GET /b 200 x",
      ])
  }

  @Test("what is not whole says why, and what is no HTTP is counted")
  func problems() {
    let request = (isFromOpener: true, text: "GET /a HTTP/1.0\r\n\r\n")
    let half = (isFromOpener: false, text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
    expectEqual(exchanges([request, half]), ["1-3 GET /a 200 cutShort at byte 41"])
    expectEqual(exchanges([request, half], ends: [.rst, .ack]), ["1-3 GET /a 200 the connection was reset"])
    expectEqual(exchanges([request, (false, "nonsense\r\n\r\n")]), [])
    expectEqual(exchanges([(true, "\u{16}\u{3}\u{1} hello\r\n\r\n")]), ["unread 1"])
    expectEqual(exchanges([half]), ["unread 1"])
    expectEqual(exchanges([(true, "PUT /a HTTP/1.0\r\nTransfer-Encoding: gzip\r\n\r\n"), half]), ["unread 1"])
  }
}
