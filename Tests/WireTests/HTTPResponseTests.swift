import RollcallExpectations
import Testing
import RollcallWire

@Suite("HTTP responses") struct HTTPResponseTests {
  /// What a reader made of a response and of the end of its connection.
  struct Outcome: Hashable {
    var state: HTTPResponseReader.State
    var head: HTTPResponseHead?
    var body: [UInt8]
    var byteCount: Int
  }

  static func reader(body: Int = 64, head: Int = 512, fields: Int = 6) -> HTTPResponseReader {
    var limits = HTTPResponseReader.Limits(bodyBytesMaximum: body)
    (limits.headBytesMaximum, limits.fieldsMaximum) = (head, fields)
    return HTTPResponseReader(limits: limits)
  }

  static func outcome(_ pieces: [[UInt8]], _ fresh: HTTPResponseReader = reader()) -> Outcome {
    var reader = fresh
    for piece in pieces { reader.take(piece) }
    reader.close()
    return Outcome(state: reader.state, head: reader.head, body: reader.body, byteCount: reader.byteCount)
  }

  private func text(_ text: String) -> Outcome { HTTPResponseTests.outcome([Array(text.utf8)]) }

  private func refusal(_ text: String) -> HTTPResponseRefusal? {
    if case .refused(let refusal) = self.text(text).state { refusal } else { nil }
  }

  static let samples: [String] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nServer: x\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more",
    "HTTP/1.0 200\nserver:x\n\nto the end",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA ; a=b\r\n, chunked!\r\n0\r\nX: y\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno",
    "HTTP/1.1 302 Found\r\nLOCATION: /d.xml\r\nX: a\r\n  b\r\n\t\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n" + String(repeating: "x", count: 70),
    "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 70),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n" + String(repeating: "x", count: 64)
      + "\r\n1\r\nx\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\rc: d\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: " + String(repeating: "y", count: 600),
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + String(repeating: "y", count: 600),
  ]

  @Test("a body has the length that its head promises, is chunked, or goes on to the close")
  func bodies() {
    let sized = text(HTTPResponseTests.samples[0])
    expectEqual(
      sized,
      Outcome(
        state: .complete,
        head: HTTPResponseHead(status: 200, fields: [.init("Content-Length", "5"), .init("Server", "x")]),
        body: Array("hello".utf8), byteCount: HTTPResponseTests.samples[0].utf8.count))
    expectEqual(text(HTTPResponseTests.samples[1]).body, Array("hello".utf8))
    let old = text(HTTPResponseTests.samples[2])
    expectEqual(old.head, HTTPResponseHead(status: 200, minorVersion: 0, fields: [.init("server", "x")]))
    #expect(old.body == Array("to the end".utf8) && old.state == .complete)
    let chunked = text(HTTPResponseTests.samples[3])
    expectEqual(String(decoding: chunked.body, as: UTF8.self), "hello, chunked!")
    #expect(chunked.state == .complete && chunked.byteCount == HTTPResponseTests.samples[3].utf8.count)
  }

  @Test("interim responses are passed over; folded fields are joined; 204 has no body")
  func heads() {
    let late = text(HTTPResponseTests.samples[4])
    #expect(late.head?.status == 404 && late.body == Array("no".utf8) && late.state == .complete)
    let moved = text(HTTPResponseTests.samples[5])
    expectEqual(moved.head?.value(of: "location"), "/d.xml")
    expectEqual(moved.head?.value(of: "x"), "a b")
    #expect(moved.state == .complete && moved.body.isEmpty)
    expectEqual(text(HTTPResponseTests.samples[6]).state, .complete)
    expectEqual(text("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\ncontent-length: 2\r\n\r\nab").body, Array("ab".utf8))
    expectEqual(text("HTTP/1.1 200 \r\nA:\r\nContent-Length: 0\r\n\r\n").head?.value(of: "A"), "")
  }

  @Test("wherever a response is cut, it is read the same", arguments: samples)
  func splits(sample: String) {
    let bytes = Array(sample.utf8)
    let whole = HTTPResponseTests.outcome([bytes])
    for first in 0...bytes.count {
      let two = HTTPResponseTests.outcome([Array(bytes[..<first]), Array(bytes[first...])])
      expectEqual(two, whole, "cut at \(first)")
    }
    expectEqual(HTTPResponseTests.outcome(bytes.map { [$0] }), whole, "byte for byte")
  }

  @Test("a response that ends too early says where, at every byte", arguments: samples[..<7])
  func prefixes(sample: String) {
    let bytes = Array(sample.utf8)
    let whole = HTTPResponseTests.outcome([bytes])
    for count in 0..<whole.byteCount {
      let cut = HTTPResponseTests.outcome([Array(bytes[..<count])])
      switch cut.state {
      case .refused(let refusal):
        expectEqual(refusal, HTTPResponseRefusal(count == 0 ? .noResponse : .cutShort, at: count))
      case .complete:
        // Without a length the close is the end; behind the last chunk only trailers are missing.
        #expect(cut.head != nil && whole.body.starts(with: cut.body), "\(count) bytes")
        #expect(sample.contains("chunked") ? cut.body == whole.body : sample.hasPrefix("HTTP/1.0"), "\(count) bytes")
      case .needsMore: Issue.record("still open after its close")
      }
    }
  }

  @Test(
    "what is no response is refused at its byte",
    arguments: [
      ("HTTPS/1.1 200 OK\r\n", .statusLine, 4), ("http/1.1 200 OK\r\n", .statusLine, 0), ("\r\n", .statusLine, 0),
      ("HTTP/2.0 200 OK\r\n", .version, 5), ("HTTP/1 200 OK\r\n", .statusLine, 6),
      ("HTTP/1.1 20 OK\r\n", .statusLine, 11),
      ("HTTP/1.1 2000 OK\r\n", .statusLine, 12), ("HTTP/1.1 099 OK\r\n", .status, 9),
      ("HTTP/1.1 600 OK\r\n", .status, 9), ("HTTP/1.1 101 Yes\r\n", .status, 9),
      ("HTTP/1.1 200 O\0K\r\n", .controlByte, 14), ("HTTP/1.1 200 OK\rX", .lineEnd, 15),
      ("HTTP/1.1 200 OK\r\n folded\r\n", .foldedLine, 17), ("HTTP/1.1 200 OK\r\nfield\r\n", .noColon, 17),
      ("HTTP/1.1 200 OK\r\n: x\r\n", .emptyName, 17), ("HTTP/1.1 200 OK\r\nA : x\r\n", .whitespaceBeforeColon, 18),
      ("HTTP/1.1 200 OK\r\nA(: x\r\n", .nameBytes, 18),
      ("HTTP/1.1 200 OK\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\n", .tooManyFields, 41),
      ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .contentLength, 33),
      ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", .contentLength, 32),
      ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .contentLength, 33),
      ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .contentLength, 52),
      ("HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\n", .bodyTooLong, 33),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .transferCoding, 36),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferCoding, 36),
      ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .transferCoding, 36),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", .ambiguousLength, 61),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .chunkSize, 47),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 1\r\n", .chunkSize, 49),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n", .bodyTooLong, 47),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab", .chunkEnd, 51),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n: x\r\n", .emptyName, 50),
    ] as [(String, HTTPResponseRefusal.Reason, Int)])
  func refusals(text: String, reason: HTTPResponseRefusal.Reason, offset: Int) {
    expectEqual(refusal(text), HTTPResponseRefusal(reason, at: offset))
  }

  @Test("a server that never ends is refused where its budget ends, whatever it sends")
  func budgets() {
    func end(_ head: String, _ endless: String) -> HTTPResponseRefusal? {
      var reader = HTTPResponseTests.reader()
      reader.take(Array(head.utf8))
      let piece = Array(endless.utf8)
      for _ in 0..<2_000 where reader.state == .needsMore { reader.take(piece) }
      #expect(reader.body.count <= 64)
      if case .refused(let refusal) = reader.state { return refusal }
      return nil
    }
    expectEqual(end("", "HTTP/1.1 100 Continue\r\n\r\n"), HTTPResponseRefusal(.headTooLong, at: 512))
    expectEqual(end("HTTP/1.1 200 OK\r\n", "A: b\r\n\t\r\n")?.reason, .tooManyFields)
    expectEqual(end("HTTP/1.1 200 OK\r\nA: b\r\n", " c\r\n"), HTTPResponseRefusal(.headTooLong, at: 512))
    expectEqual(end("HTTP/1.1 200 OK\r\n\r\n", "x"), HTTPResponseRefusal(.bodyTooLong, at: 19 + 64))
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    expectEqual(end(chunked, "1\r\nx\r\n"), HTTPResponseRefusal(.bodyTooLong, at: 47 + 64 * 6))
    expectEqual(end(chunked, "1;" + String(repeating: "a", count: 30) + "\r\nx\r\n")?.reason, .tooMuchFraming)
    expectEqual(end(chunked, "000000000000000000")?.reason, .tooMuchFraming)
    expectEqual(end(chunked + "0\r\n", "a: b\r\n")?.reason, .tooManyFields)
  }

  @Test("a request names its host and asks for the end of the connection; what no line can hold is escaped")
  func request() {
    let request = HTTPRequest(path: "/d é.xml?a=b", authority: "[fe80::1]:80", userAgent: "x/1")
    expectEqual(
      String(decoding: request.bytes, as: UTF8.self),
      "GET /d%20%C3%A9.xml?a=b HTTP/1.1\r\nHOST: [fe80::1]:80\r\nUSER-AGENT: x/1\r\nACCEPT: text/xml, */*\r\n"
        + "ACCEPT-ENCODING: identity\r\nCONNECTION: close\r\n\r\n")
    guard case .head(let head) = HTTPRequestHead.read(request.bytes) else {
      Issue.record("our own reader refuses it")
      return
    }
    #expect(head.path == "/d%20%C3%A9.xml" && head.hasHost)
    var post = HTTPRequest(path: "/p", authority: "h", userAgent: "x")
    (post.method, post.contentType, post.body) = ("POST", "text/plain", Array("hi".utf8))
    expectEqual(
      String(decoding: post.bytes, as: UTF8.self),
      "POST /p HTTP/1.1\r\nHOST: h\r\nUSER-AGENT: x\r\nACCEPT: text/xml, */*\r\nACCEPT-ENCODING: identity\r\n"
        + "CONTENT-TYPE: text/plain\r\nCONTENT-LENGTH: 2\r\nCONNECTION: close\r\n\r\nhi")
    post.body = []
    #expect(String(decoding: post.bytes, as: UTF8.self).contains("CONTENT-LENGTH: 0\r\n"), "a POST says its length")
    let root = HTTPRequest(path: "", authority: "h", userAgent: "x")
    #expect(String(decoding: root.bytes, as: UTF8.self).hasPrefix("GET / HTTP/1.1\r\n"))
    let query = HTTPRequest(path: "?a\r\nb", authority: "h", userAgent: "x")
    #expect(String(decoding: query.bytes, as: UTF8.self).hasPrefix("GET /?a%0D%0Ab HTTP/1.1\r\n"))
  }

  // The first ten are RFC 3986's own, section 5.4.
  @Test(
    "a redirect leads where RFC 3986 says",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g"), ("?y", "http://a/b/c/d?y"), ("g?y#s", "http://a/b/c/g?y"), ("..", "http://a/b/"),
      ("../../../g", "http://a/g"), ("", "http://a/b/c/d?q"), ("https://h/x", "https://h/x"),
      ("/a/./b/../c?x/../y", "http://a/a/c?x/../y"), ("ftp:x", "ftp:x"), ("a:b", "a:b"), ("1:b", "http://a/b/c/1:b"),
    ])
  func redirects(reference: String, expected: String) {
    expectEqual(URLReference.resolve(reference, against: "http://a/b/c/d?q#f"), expected)
  }

  @Test("a base without a path has the root for one")
  func bareBase() {
    expectEqual(URLReference.resolve("d.xml", against: "http://10.0.0.1:80"), "http://10.0.0.1:80/d.xml")
    expectEqual(URLReference.resolve("?a", against: "http://h?b"), "http://h?a")
  }
}
