import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("HTTP served on streams")
struct HTTPConnectionsTests {
  private let local = Endpoint(IPAddress(10, 0, 0, 1), port: 80)
  private let remote = Endpoint(IPAddress(10, 0, 0, 2), port: 4_000)
  private let request = Array("GET /a HTTP/1.1\r\nHOST: x\r\n\r\n".utf8)

  /// Connections and the lines of what they want and what became of answers.
  private struct Server {
    var connections = HTTPConnections()
    var outbox = Outbox(payloads: PayloadStore())
    var answer = HTTPConnections.Answer(Array("hello".utf8))
    var asked: [String] = []
    var taken: [HTTPConnections.Taken] = []

    mutating func give(_ signal: StreamSignal, at milliseconds: Int64 = 0) -> [String] {
      var asked = asked
      let answer = answer
      let one = connections.receive(signal, at: .zero + .milliseconds(milliseconds), into: &outbox) { request in
        switch request.reading {
        case .head(let head): asked.append("\(head.method) \(head.path) of \(request.remote) at \(request.local)")
        case .refused(let status): asked.append("\(status)")
        case .incomplete: asked.append("incomplete")
        }
        return answer
      }
      self.asked = asked
      if let one { taken.append(one) }
      return wants()
    }

    mutating func advance(to milliseconds: Int64) -> [String] {
      taken += connections.advance(to: .zero + .milliseconds(milliseconds), into: &outbox)
      return wants()
    }

    private mutating func wants() -> [String] {
      defer { outbox.removeAll() }
      return outbox.effects.map { effect in
        guard case .streams(let effect) = effect else { return "?" }
        if case .write(let stream, let bytes) = effect, bytes.count > 40 {
          return "\(stream.number) \(bytes.count) bytes"
        }
        return String(effect.text.dropFirst("stream ".count))
      }
    }
  }

  @Test("a request is answered when its body is there, as many bytes as its head says")
  func bodies() {
    var connections = HTTPConnections()
    var outbox = Outbox(payloads: PayloadStore())
    var bodies: [String] = []
    func give(_ signal: StreamSignal) -> [String] {
      bodies = []
      _ = connections.receive(signal, at: .zero, into: &outbox) { request in
        bodies.append(String(decoding: request.body, as: UTF8.self))
        return HTTPConnections.Answer(Array("x".utf8))
      }
      return bodies
    }
    _ = give(accepted(9))
    let text = "POST /a HTTP/1.1\r\nHOST: x\r\nCONTENT-LENGTH: 3\r\n\r\n"
    expectEqual(give(.bytes(StreamID(9), Array(text.utf8))), [])
    expectEqual(give(.bytes(StreamID(9), Array("ab".utf8))), [])
    expectEqual(give(.bytes(StreamID(9), Array("cd".utf8))), ["abc"])
    expectEqual(give(.bytes(StreamID(9), Array("e".utf8))), [])
    _ = give(accepted(8))
    expectEqual(give(.bytes(StreamID(8), request)), [""])
  }

  private func accepted(_ stream: UInt32) -> StreamSignal {
    .accepted(StreamID(stream), listener: StreamID(1), local: local, remote: remote)
  }

  @Test("a request is answered within the room that there is, then the stream is finished")
  func answered() {
    var server = Server()
    #expect(server.connections.isEmpty)
    expectEqual(server.give(accepted(9)), [])
    expectEqual(server.give(.room(StreamID(9), byteCount: 3)), [])
    expectEqual(server.give(.bytes(StreamID(9), Array(request.prefix(8)))), [])
    expectEqual(server.asked, [])
    expectEqual(server.give(.bytes(StreamID(9), Array(request.dropFirst(8)))), ["9 write hel"])
    expectEqual(server.asked, ["GET /a of 10.0.0.2:4000 at 10.0.0.1:80"])
    expectEqual(server.give(.bytes(StreamID(9), request)), [])
    expectEqual(server.give(.room(StreamID(9), byteCount: 1)), ["9 write l"])
    expectEqual(server.give(.room(StreamID(9), byteCount: 1)), ["9 write o", "9 finish"])
    #expect(!server.connections.isEmpty)
    expectEqual(server.give(.ended(StreamID(9), .finished)), [])
    #expect(server.connections.isEmpty)
    expectEqual(server.asked.count, 1)
    expectEqual(server.taken, [])
  }

  @Test("who has finished asking is answered all the same, and what is no request is told to the owner")
  func finished() {
    var server = Server()
    _ = server.give(accepted(1))
    _ = server.give(.bytes(StreamID(1), Array("nonsense\r\n\r\n".utf8)))
    expectEqual(server.asked, ["400"])
    expectEqual(server.give(.ended(StreamID(1), .finished)), [])
    expectEqual(server.give(.room(StreamID(1), byteCount: 99)), ["1 write hello", "1 finish"])
    #expect(server.connections.isEmpty)
    server.answer = HTTPConnections.Answer([])
    _ = server.give(accepted(2))
    expectEqual(server.give(.bytes(StreamID(2), request)), ["2 finish"])
    // Of other streams nothing is noticed.
    expectEqual(server.give(.bytes(StreamID(7), request)), [])
    expectEqual(server.give(.room(StreamID(7), byteCount: 9)), [])
    expectEqual(server.give(.ended(StreamID(7), .reset)), [])
    expectEqual(server.give(.opened(StreamID(2), local: local)), [])
  }

  @Test(
    "an answer with a number is told of: whole when all of it is written, not whole when the other side ends before")
  func taken() {
    var server = Server()
    server.answer.number = 4
    for (stream, room, end, whole) in [
      (1, 5, StreamEnd.finished, true), (2, 4, .reset, false), (3, 5, .reset, true), (4, 0, .timedOut, false),
    ] as [(UInt32, UInt32, StreamEnd, Bool)] {
      _ = server.give(accepted(stream))
      _ = server.give(.room(StreamID(stream), byteCount: room))
      _ = server.give(.bytes(StreamID(stream), request))
      _ = server.give(.ended(StreamID(stream), end))
      expectEqual(server.taken, [HTTPConnections.Taken(number: 4, isWhole: whole)], "\(stream)")
      #expect(server.connections.isEmpty)
      server.taken = []
    }
    // Who ends before the request is whole was given no answer.
    _ = server.give(accepted(5))
    _ = server.give(.ended(StreamID(5), .reset))
    expectEqual(server.taken, [])
  }

  @Test("an answer waits for its delay, and one without end fills the room again and again")
  func delayed() {
    var server = Server()
    server.answer.delay = .seconds(2)
    server.answer.number = 1
    _ = server.give(accepted(1))
    _ = server.give(.room(StreamID(1), byteCount: 5_000))
    expectEqual(server.give(.bytes(StreamID(1), request)), [])
    expectEqual(server.connections.deadline, .zero + .seconds(2))
    expectEqual(server.advance(to: 1_999), [])
    expectEqual(server.give(.room(StreamID(1), byteCount: 1), at: 1_999), [])
    expectEqual(server.advance(to: 2_000), ["1 write hello", "1 finish"])
    expectEqual(server.taken, [HTTPConnections.Taken(number: 1, isWhole: true)])
    server.answer.delay = .zero
    server.answer.isEndless = true
    _ = server.give(accepted(2), at: 3_000)
    _ = server.give(.room(StreamID(2), byteCount: 5_000), at: 3_000)
    expectEqual(server.give(.bytes(StreamID(2), request), at: 3_000), ["2 write hello", "2 4096 bytes", "2 899 bytes"])
    expectEqual(server.give(.room(StreamID(2), byteCount: 100), at: 3_000), ["2 100 bytes"])
  }

  @Test("who asks nothing for 30 s is reset, as is who does not take an answer for 60 s, and who never ends")
  func patience() {
    var server = Server()
    _ = server.give(accepted(1), at: 1_000)
    expectEqual(server.connections.deadline, .zero + .seconds(31))
    expectEqual(server.advance(to: 30_999), [])
    expectEqual(server.advance(to: 31_000), ["1 reset"])
    _ = server.give(accepted(2), at: 40_000)
    _ = server.give(accepted(3), at: 40_000)
    _ = server.give(.room(StreamID(3), byteCount: 9), at: 40_000)
    _ = server.give(.bytes(StreamID(2), request), at: 50_000)
    expectEqual(server.give(.bytes(StreamID(3), request), at: 50_000), ["3 write hello", "3 finish"])
    expectEqual(server.connections.deadline, .zero + .seconds(110))
    expectEqual(server.advance(to: 109_999), [])
    expectEqual(server.advance(to: 110_000), ["2 reset", "3 reset"])
    #expect(server.connections.isEmpty)
    expectEqual(server.connections.deadline, .never)
  }

  @Test("64 connections are there at once, the next is reset; a machine without power says and notices nothing")
  func bounds() {
    var server = Server()
    for stream in 1...64 as ClosedRange<UInt32> { expectEqual(server.give(accepted(stream)), []) }
    expectEqual(server.give(accepted(65)), ["65 reset"])
    server.connections.isMute = true
    expectEqual(server.give(accepted(66)), [])
    expectEqual(server.give(.bytes(StreamID(1), request)), [])
    expectEqual(server.give(.room(StreamID(1), byteCount: 2)), [])
    expectEqual(server.advance(to: 1_000_000), [])
    expectEqual(server.connections.deadline, .never)
    server.connections.isMute = false
    expectEqual(server.give(.bytes(StreamID(1), request)), ["1 write he"])
    var outbox = Outbox(payloads: PayloadStore())
    server.connections.reset(into: &outbox)
    expectEqual(outbox.count, 64)
    #expect(server.connections.isEmpty)
  }
}
