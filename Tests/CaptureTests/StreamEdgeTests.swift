import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallCapture

/// The bounds of the stream assembler, its ties, and two of everything.
@Suite struct StreamEdgeTests {
  private static let bases: [UInt32] = [0, 0x7FFF_FFF9, 0xFFFF_FFFA]

  @Test func `early segments wait in the order of their numbers, across a wrap`() {
    for base in StreamEdgeTests.bases {
      var wire = Wire()
      wire.open(base: base)
      wire.send("gh", at: 7, base: base)
      wire.send("cd", at: 3, base: base)
      wire.send("ij", at: 9, base: base)
      wire.send("ef", at: 5, base: base)
      wire.send("ab", at: 1, base: base)
      expectEqual(wire.lines, ["0> ab", "0> cd", "0> ef", "0> gh", "0> ij"], "\(base)")
    }
  }

  @Test func `of two early segments with one number the first counts`() {
    var wire = Wire()
    wire.open()
    wire.send("cd", at: 3)
    wire.send("XY", at: 3)
    wire.send("ab", at: 1)
    expectEqual(wire.lines, ["0> ab", "0> cd"])
    expectEqual(wire.assembler.repeatedCount, 1)
  }

  @Test func `a gap of one byte holds back what is behind it, and one new byte of a segment is given`() {
    var wire = Wire()
    wire.open()
    wire.send("d", at: 4)
    wire.send("ab", at: 1)
    expectEqual(wire.lines, ["0> ab"])
    wire.send("c", at: 3)
    expectEqual(wire.lines, ["0> ab", "0> c", "0> d"])
    var overlapping = Wire()
    overlapping.open()
    overlapping.send("cd", at: 3)
    overlapping.send("abc", at: 1)
    expectEqual(overlapping.lines, ["0> abc", "0> d"])
  }

  @Test func `an acknowledgement is a gap one byte behind what waits, and not before`() {
    for base in StreamEdgeTests.bases {
      var wire = Wire()
      wire.open(base: base)
      wire.send("ab", at: 1, base: base)
      wire.send("ef", at: 5, base: base)
      wire.send("ij", at: 9, base: base)
      wire.send(at: 1, isFromOpener: false, ack: 5, base: base)
      expectEqual(wire.lines, ["0> ab"])
      var other = wire
      wire.send("cd", at: 3, base: base)
      expectEqual(wire.lines, ["0> ab", "0> cd", "0> ef"])
      other.send(at: 1, isFromOpener: false, ack: 6, base: base)
      expectEqual(other.lines, ["0> ab", "0> |missing"])
    }
  }

  @Test func `a gap in what the server sent is told once`() {
    var wire = Wire()
    wire.open()
    wire.send("ab", at: 1, isFromOpener: false)
    wire.send("ef", at: 5, isFromOpener: false)
    wire.send(at: 1, ack: 7)
    wire.send("gh", at: 9, isFromOpener: false)
    wire.send(at: 1, ack: 11)
    expectEqual(wire.lines, ["0< ab", "0< |missing"])
  }

  @Test func `bytes that were given make room for others that wait`() {
    var limits = StreamAssembler.Limits()
    limits.bytesAheadMaximum = 4
    var wire = Wire(limits)
    wire.open()
    wire.send("cd", at: 3)
    wire.send("ab", at: 1)
    wire.send("fghi", at: 6)
    wire.send("e", at: 5)
    expectEqual(wire.lines, ["0> ab", "0> cd", "0> e", "0> fghi"])
  }

  @Test func `a cut frame that ends where the bytes do is a gap, and an end is told once`() {
    var wire = Wire()
    wire.open()
    wire.send("abc", at: 1)
    wire.send("abc", at: 1, isCut: true)
    expectEqual(wire.lines, ["0> abc", "0> |cut"])
    var finished = Wire()
    finished.open()
    finished.send("a", at: 1, [.fin, .ack])
    finished.send("a", at: 1, [.fin, .ack])
    finished.send(at: 2, [.fin, .ack])
    expectEqual(finished.lines, ["0> a", "0> |finished"])
  }

  @Test func `the connection that was quiet longest makes room, and is another one when it comes again`() {
    func opener(_ port: UInt16) -> Endpoint { Endpoint(IPAddress(10, 0, 0, 1), port: port) }
    var limits = StreamAssembler.Limits()
    limits.connectionsMaximum = 2
    var wire = Wire(limits)
    wire.send("a", at: 1, from: opener(60_001))
    wire.send("b", at: 1, from: opener(60_002))
    wire.send("c", at: 2, from: opener(60_001))
    expectEqual(wire.assembler.forgotten, [])
    wire.send("d", at: 1, from: opener(60_003))
    expectEqual(wire.assembler.forgotten, [1])
    wire.send("e", at: 3, from: opener(60_001))
    expectEqual(wire.assembler.forgotten, [])
    wire.send("f", at: 2, from: opener(60_002))
    expectEqual(wire.assembler.forgotten, [2])
    expectEqual(
      wire.lines,
      [
        "0> a of 60001", "1> b of 60002", "0> c of 60001", "2> d of 60003", "0> e of 60001", "3> f of 60002",
      ])
    expectEqual(wire.assembler.openCount, 2)
  }

  @Test func `the same ports again leave one connection, and its first segment once more changes nothing`() {
    var wire = Wire()
    wire.open()
    wire.open(base: 1_000)
    expectEqual(wire.assembler.openCount, 1)
    wire.send(at: 0, .syn, base: 1_000)
    wire.send("a", at: 1, base: 1_000)
    expectEqual(wire.lines, ["1> a"])
  }

  @Test func `who opened a connection that began before the capture is told by the ports, unless a segment says it`() {
    func outcome(_ source: UInt16, _ destination: UInt16, _ flags: TCPFlags) -> StreamAssembler.Outcome? {
      var assembler = StreamAssembler()
      let (one, other) = (
        Endpoint(IPAddress(10, 0, 0, 1), port: source), Endpoint(IPAddress(10, 0, 0, 2), port: destination)
      )
      let segment = TCPSegment(from: one, to: other, sequence: 1, flags: flags, payload: [1])
      return segment.bytes.withUnsafeBytes {
        assembler.take(ExtractedSegment($0, one.address, other.address, isWhole: true)!, frame: 1)
      }.first
    }
    expectEqual(outcome(5_000, 80, .ack)?.isFromOpener, true)
    expectEqual(outcome(80, 5_000, .ack)?.isFromOpener, false)
    expectEqual(outcome(80, 80, .ack)?.isFromOpener, true)
    expectEqual(outcome(80, 5_000, .syn)?.isFromOpener, true)
    expectEqual(outcome(5_000, 80, [.syn, .ack])?.isFromOpener, false)
  }

  @Test func `the limits that nobody sets`() {
    expectEqual(StreamAssembler.Limits().connectionsMaximum, 1_024)
    expectEqual(StreamAssembler.Limits().bytesAheadMaximum, 1_048_576)
    expectEqual(HTTPExchanges.Limits().bodyBytesMaximum, 1_048_576)
    expectEqual(HTTPExchanges.Limits().headBytesMaximum, 65_536)
    expectEqual(HTTPExchanges.Limits().requestsMaximum, 32)
  }
}

/// The bounds of the reader of HTTP exchanges.
@Suite struct ExchangeEdgeTests {
  private struct Talk {
    var exchanges: HTTPExchanges
    var lines: [String] = []
    var frame = 0
    var next = (UInt32(1), UInt32(1))

    init(_ limits: HTTPExchanges.Limits = .init(), _ streams: StreamAssembler.Limits = .init()) {
      exchanges = HTTPExchanges(limits: limits, streams: streams)
    }

    mutating func ask(_ text: String) { send(text, true, .ack) }
    mutating func answer(_ text: String, _ flags: TCPFlags = .ack) { send(text, false, flags) }
    /// So many bytes of the server are in no frame.
    mutating func lose(_ count: UInt32) { next.1 += count }

    mutating func send(_ text: String, _ isFromOpener: Bool, _ flags: TCPFlags) {
      frame += 1
      let (source, destination) = isFromOpener ? (Wire.opener, Wire.server) : (Wire.server, Wire.opener)
      let segment = TCPSegment(
        from: source, to: destination, sequence: isFromOpener ? next.0 : next.1,
        acknowledgment: isFromOpener ? next.1 : next.0, flags: flags, payload: Array(text.utf8))
      if isFromOpener { next.0 += UInt32(text.utf8.count) } else { next.1 += UInt32(text.utf8.count) }
      let found = segment.bytes.withUnsafeBytes {
        exchanges.take(ExtractedSegment($0, source.address, destination.address, isWhole: true)!, frame: frame)
      }
      for one in found {
        lines.append("\(one.target) \(one.bytes.count) " + (one.problem ?? String(decoding: one.body, as: UTF8.self)))
      }
    }
  }

  @Test func `an answer that ends in the middle of a segment leaves the rest to the next one`() {
    var talk = Talk()
    talk.ask("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
    talk.answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab")
    talk.answer("cdHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    expectEqual(talk.lines, ["/a 42 abcd", "/b 39 x"])
  }

  @Test func `bytes that are missing end an exchange with its reason, and the connection is counted once`() {
    var talk = Talk()
    talk.ask("GET /a HTTP/1.1\r\n\r\n")
    talk.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
    talk.lose(2)
    talk.answer("ef")
    talk.ask("GET /b HTTP/1.1\r\n\r\n")
    expectEqual(talk.lines, ["/a 40 bytes are not in the capture (missing)"])
    expectEqual(talk.exchanges.unreadCount, 1)
    talk.ask("no HTTP at all\r\n\r\n")
    talk.answer("more")
    expectEqual(talk.lines.count, 1)
    expectEqual(talk.exchanges.unreadCount, 1)
  }

  @Test func `the limits of the streams are those that were asked for`() {
    var streams = StreamAssembler.Limits()
    streams.bytesAheadMaximum = 1
    var talk = Talk(.init(), streams)
    talk.ask("GET /a HTTP/1.1\r\n\r\n")
    talk.answer("H")
    talk.lose(1)
    talk.answer("TP")
    expectEqual(talk.exchanges.unreadCount, 1)
  }

  @Test func `what comes behind the server's end is ignored`() {
    var talk = Talk()
    talk.ask("GET /a HTTP/1.0\r\n\r\n")
    talk.answer("HTTP/1.0 200 OK\r\n\r\nab", [.fin, .ack])
    talk.ask("no HTTP at all\r\n\r\n")
    expectEqual(talk.lines, ["/a 21 ab"])
    expectEqual(talk.exchanges.unreadCount, 0)
  }

  @Test func `a refused answer is told with its place, and ends the connection`() {
    var talk = Talk()
    talk.ask("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
    talk.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
    expectEqual(talk.lines.count, 1)
    expectEqual(talk.lines.first?.hasPrefix("/a "), true)
    expectEqual(talk.lines.first?.contains(" at byte "), true)
    talk.answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    expectEqual(talk.lines.count, 1)
    expectEqual(talk.exchanges.unreadCount, 0)
  }

  @Test func `a head without an end is given up one byte beyond the bound, a line of a body too`() {
    var limits = HTTPExchanges.Limits()
    limits.headBytesMaximum = 64
    var talk = Talk(limits)
    talk.ask("GET /" + String(repeating: "a", count: 59))
    expectEqual(talk.exchanges.unreadCount, 0)
    talk.ask("a")
    expectEqual(talk.exchanges.unreadCount, 1)
    talk.ask(" HTTP/1.1\r\n\r\n")
    talk.answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    expectEqual(talk.lines, [])
    expectEqual(talk.exchanges.unreadCount, 1)

    var chunked = Talk(limits)
    chunked.ask("PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    chunked.ask(String(repeating: "0", count: 64))
    expectEqual(chunked.exchanges.unreadCount, 0)
    chunked.ask("0")
    expectEqual(chunked.exchanges.unreadCount, 1)
  }

  @Test func `as many requests may wait as the bound says`() {
    var limits = HTTPExchanges.Limits()
    limits.requestsMaximum = 2
    let request = "GET /a HTTP/1.1\r\n\r\n"
    var two = Talk(limits)
    two.ask(request + request)
    expectEqual(two.exchanges.unreadCount, 0)
    var three = Talk(limits)
    three.ask(request + request + request)
    expectEqual(three.exchanges.unreadCount, 1)
  }

  @Test func `sizes of chunks have all digits and no other letters`() {
    for size in ["9", "F", "f", "3g", "3G", "3:"] {
      let count = Int(size.prefix(1), radix: 16) ?? 0
      var talk = Talk()
      talk.ask(
        "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n" + String(repeating: "x", count: count)
          + "\r\n0\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
      talk.answer(String(repeating: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", count: 2))
      expectEqual(talk.lines, ["/a 39 x", "/b 39 x"], "\(size)")
      expectEqual(talk.exchanges.unreadCount, 0)
    }
  }
}
