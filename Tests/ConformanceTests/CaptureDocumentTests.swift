import RollcallCapture
import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallJudging

/// Which answers of a capture are documents, and when they were asked for.
@Suite("Documents of a capture") struct CaptureDocumentTests {
  private struct Fetches {
    private static let client = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000)
    private static let server = Endpoint(IPAddress(10, 0, 0, 1), port: 8_080)

    var documents = CaptureDocuments()
    var frame = 0
    /// The next bytes of the client and of the server.
    var (asked, answered): (UInt32, UInt32) = (1, 1)

    mutating func ask(_ text: String, at seconds: Int64) -> [String] { send(text, isRequest: true, at: seconds) }
    mutating func answer(_ text: String, at seconds: Int64) -> [String] { send(text, isRequest: false, at: seconds) }

    private mutating func send(_ text: String, isRequest: Bool, at seconds: Int64) -> [String] {
      frame += 1
      let (source, destination) = isRequest ? (Fetches.client, Fetches.server) : (Fetches.server, Fetches.client)
      let segment = TCPSegment(
        from: source, to: destination, sequence: isRequest ? asked : answered,
        acknowledgment: isRequest ? answered : asked, flags: .ack, payload: Array(text.utf8))
      if isRequest { asked += UInt32(text.utf8.count) } else { answered += UInt32(text.utf8.count) }
      let found = segment.bytes.withUnsafeBytes { bytes -> [HeardDescription] in
        guard let one = ExtractedSegment(bytes, source.address, destination.address, isWhole: true) else { return [] }
        return documents.take(one, frame: frame, at: .zero + .seconds(seconds))
      }
      return found.map { "\($0.location) \($0.askedAt) \(String(decoding: $0.body, as: UTF8.self))" }
    }
  }

  private func answer(_ status: String, _ body: String) -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test("a document is the whole body of an answer with status 200 to a GET of a path")
  func documents() {
    var fetches = Fetches()
    func fetch(_ request: String, _ answer: String) -> [String] {
      let early = fetches.ask(request + " HTTP/1.1\r\n\r\n", at: 1)
      return early + fetches.answer(answer, at: 2)
    }
    let place = "http://10.0.0.1:8080/d.xml"
    expectEqual(fetch("GET /d.xml", answer("200 OK", "ab")), ["\(place) 1.000000000 ab"])
    let others: [(String, String, String)] = [
      ("POST /d.xml", "200 OK", "ab"), ("GET http://10.0.0.1/d.xml", "200 OK", "ab"), ("GET /d.xml", "200 OK", ""),
      ("GET /d.xml", "201 Created", "ab"), ("GET /d.xml", "404 Not Found", "ab"),
    ]
    for (request, status, body) in others {
      expectEqual(fetch(request, answer(status, body)), [], "\(request) \(status) \(body)")
    }
    expectEqual(fetch("GET /d.xml?a=b", answer("200 OK", "c")), ["\(place)?a=b 1.000000000 c"])
  }

  @Test("each of several documents was asked for when its own request came by")
  func moments() {
    var fetches = Fetches()
    for number in 1...5 as ClosedRange<Int64> {
      expectEqual(fetches.ask("GET /\(number) HTTP/1.1\r\n\r\n", at: number * 10), [])
    }
    let answers: [String] = (1...5).map { answer("200 OK", "\($0)") }
    let found = fetches.answer(answers.joined(), at: 90)
    expectEqual(found, (1...5).map { "http://10.0.0.1:8080/\($0) \($0)0.000000000 \($0)" })
    // Where more frames came by than are remembered, the older half is forgotten: its requests count as the next one.
    expectEqual(CaptureDocuments.framesMaximum, 16_384)
    let rows: [(maximum: Int, moments: [Int])] = [(4, [30, 30, 30, 40]), (5, [10, 20, 30, 40])]
    for row in rows {
      fetches = Fetches()
      fetches.documents = CaptureDocuments(framesMaximum: row.maximum)
      for number in 1...4 as ClosedRange<Int64> { _ = fetches.ask("GET /\(number) HTTP/1.1\r\n\r\n", at: number * 10) }
      let found = fetches.answer(answers.prefix(4).joined(), at: 90)
      let expected: [String] = row.moments.enumerated().map { place, moment in
        "http://10.0.0.1:8080/\(place + 1) \(moment).000000000 \(place + 1)"
      }
      expectEqual(found, expected, "\(row.maximum)")
    }
  }
}
