import RollcallExpectations
import Testing
import RollcallWire

@Suite("HTTP at its bounds") struct HTTPBoundTests {
  /// What a response comes to: status, body and the bytes that were read, or the reason and the offset.
  private func read(_ bytes: [UInt8], body: Int = 64, head: Int = 512, fields: Int = 6) -> String {
    let outcome = HTTPResponseTests.outcome([bytes], HTTPResponseTests.reader(body: body, head: head, fields: fields))
    switch outcome.state {
    case .needsMore: return "open"
    case .complete:
      return "\(outcome.head?.status ?? 0) '\(String(decoding: outcome.body, as: UTF8.self))' \(outcome.byteCount)"
    case .refused(let refusal): return "\(refusal.reason) \(refusal.offset)"
    }
  }

  private func read(_ text: String, body: Int = 64, head: Int = 512, fields: Int = 6) -> String {
    read(Array(text.utf8), body: body, head: head, fields: fields)
  }

  private static let ok = "HTTP/1.1 200 OK\r\n"
  /// 47 bytes.
  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let token = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  // MARK: Responses

  @Test("a head has as many bytes and fields as its budget, interim responses included, and not one more")
  func headBudget() {
    for text in ["HTTP/1.1 204 \r\nA: b\r\n\r\n", "HTTP/1.1 100 \r\nA: b\r\n\r\nHTTP/1.1 204 \r\n\n"] {
      let count = text.utf8.count
      expectEqual(read(text, head: count), "204 '' \(count)")
      expectEqual(read(text, head: count - 1), "headTooLong \(count - 1)")
    }
    let none = "HTTP/1.1 204 \r\n"
    expectEqual(read(none + "A:\r\n x\r\nB:\r\n x\r\n\r\n", fields: 2), "204 '' 33")
    expectEqual(read(none + "A:\r\nB:\r\nC:\r\n\r\n", fields: 2), "tooManyFields 23")
    expectEqual(read("HTTP/1.1 199 \r\nA:\r\nB:\r\n\r\n" + none + "C:\r\nD:\r\n\r\n", fields: 2), "204 '' 50")
    expectEqual(read(Self.chunked + "0\r\nA:\r\nB:\r\n\r\n", fields: 2), "200 '' 60")
    expectEqual(read(Self.chunked + "0\r\nA:\r\nB:\r\nC:\r\n\r\n", fields: 2), "tooManyFields 58")
  }

  @Test("a body has as many bytes as its budget, however it comes, and not one more")
  func bodyBudget() {
    let cases: [(text: String, outcome: String)] = [
      (Self.ok + "Content-Length: 4\r\n\r\nabcd", "200 'abcd' 42"),
      (Self.ok + "Content-Length: 5\r\n\r\n", "bodyTooLong 33"),
      (Self.ok + "\r\nabcd", "200 'abcd' 23"), (Self.ok + "\r\nabcde", "bodyTooLong 23"),
      (Self.ok + "\r\n", "200 '' 19"), (Self.ok + "Content-Length: 0\r\n\r\nabc", "200 '' 38"),
      (Self.chunked + "4\r\nabcd\r\n0\r\n\r\n", "200 'abcd' 61"), (Self.chunked + "5\r\na", "bodyTooLong 47"),
      (Self.chunked + "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n", "200 'abcd' 66"),
      (Self.chunked + "3\r\nabc\r\n2\r\nd", "bodyTooLong 55"), (Self.chunked + "0\r\n\r\nabcde", "200 '' 52"),
      (Self.chunked + "4\r\nabcd\r\n1\r\n", "bodyTooLong 56"), (Self.chunked + "4\r\nabc", "cutShort 53"),
      (Self.chunked + "4\r\nabcd", "cutShort 54"), (Self.chunked + "4\r\nabcd\r\n", "cutShort 56"),
      (Self.chunked + "4\r\nabcd\r\n0\r", "cutShort 58"), (Self.chunked + "4\r\nabcd\r\n0\r\n", "200 'abcd' 59"),
      (Self.chunked + "4\r\nabcd\r\n0\r\nA", "200 'abcd' 60"),
      (Self.ok + "Content-Length: 4\r\n\r\nabc", "cutShort 41"),
    ]
    for (text, outcome) in cases { expectEqual(read(text, body: 4), outcome, "\(text)") }
    expectEqual(read(Self.ok + "\r\n", body: 0), "200 '' 19")
    expectEqual(read(Self.ok + "\r\na", body: 0), "bodyTooLong 19")
  }

  @Test("lines about chunks may have as many bytes as a head, and eight more for each byte of the body")
  func framingBudget() {
    func text(_ first: String, _ padding: Int) -> String {
      Self.chunked + first + "0;" + String(repeating: "a", count: padding) + "\r\n\r\n"
    }
    expectEqual(read(text("", 58), head: 64), "200 '' 111")
    expectEqual(read(text("", 59), head: 64), "tooMuchFraming 111")
    expectEqual(read(text("1\r\nx\r\n", 61), head: 64), "200 'x' 120")
    expectEqual(read(text("1\r\nx\r\n", 62), head: 64), "tooMuchFraming 120")
  }

  @Test("each byte of a chunk's size is a hexadecimal digit, and no number of them wraps")
  func chunkSizes() {
    for byte in 0x21...0x7E as ClosedRange<UInt8> {
      let size = Character(Unicode.Scalar(byte)).hexDigitValue
      let body = String(repeating: "x", count: size ?? 0)
      let found = read(Array(Self.chunked.utf8) + [byte] + Array("\r\n\(body)\r\n0\r\n\r\n".utf8))
      let end = size == 0 ? 52 : 57 + body.utf8.count
      expectEqual(found, (size == nil ? "chunkSize 47" : "200 '\(body)' \(end)"), "\(byte)")
    }
    let four = "\r\nabcd\r\n0\r\n\r\n"
    for line in ["4 ", "4\t", "4 \t;a=\"b\"", "4;", "04", "00000000000000000000000000000004", "4;;\t"] {
      #expect(read(Self.chunked + line + four).hasPrefix("200 'abcd'"), "\(line)")
    }
    let refusals: [(line: String, outcome: String)] = [
      ("", "chunkSize 47"), (" 4", "chunkSize 47"), (";4", "chunkSize 47"), ("-4", "chunkSize 47"),
      ("+4", "chunkSize 47"),
      ("4 4", "chunkSize 49"), ("4,", "chunkSize 48"), ("0x4", "chunkSize 48"), ("4g", "chunkSize 48"),
      ("4 \t:", "chunkSize 50"), ("4\u{7F}", "controlByte 48"), ("4\u{1F}", "controlByte 48"), ("41", "bodyTooLong 47"),
      ("7fffffff", "bodyTooLong 47"), ("80000000", "bodyTooLong 47"), ("ffffffff", "bodyTooLong 47"),
      ("100000004", "bodyTooLong 47"), ("10000000000000004", "bodyTooLong 47"),
      ("ffffffffffffffffffffffff", "bodyTooLong 47"), ("10000000000000000000", "bodyTooLong 47"),
    ]
    for (line, outcome) in refusals { expectEqual(read(Self.chunked + line + four), outcome, "\(line)") }
    #expect(read(Self.chunked + "40\r\n" + String(repeating: "y", count: 64) + "\r\n0\r\n\r\n").hasSuffix(" 122"))
  }

  @Test("of all statuses 100 ... 599 are taken, but for 101; below 200 another one follows; 204 and 304 have no body")
  func statuses() {
    for status in 0...999 {
      let text = "HTTP/1.1 \(String(1_000 + status).dropFirst()) \r\nContent-Length: 1\r\n\r\nx"
      let count = text.utf8.count
      let expected: String
      switch status {
      case ..<100, 101, 600...: expected = "status 9"
      case 100..<200: expected = "cutShort \(count)"
      case 204, 304: expected = "\(status) '' \(count - 1)"
      default: expected = "\(status) 'x' \(count)"
      }
      let found = read(text)
      if found != expected { Issue.record("\(status): \(found)") }
    }
  }

  @Test("a status line is refused at its first wrong byte, also behind an interim response")
  func statusLines() {
    let whole = "HTTP/1.1 200"
    for lead in ["", "HTTP/1.1 102 \r\n\r\n"] {
      let start = lead.utf8.count
      for count in 0..<12 {
        expectEqual(read("\(lead)\(whole.prefix(count))\r\n"), "statusLine \(start + count)")
        for odd in [0x2F, 0x3A, 0x68] as [UInt8] where Array(whole.utf8)[count] != odd {
          var bytes = Array((lead + whole + " \r\n\r\n").utf8)
          bytes[start + count] = odd
          expectEqual(read(bytes), "statusLine \(start + count)", "\(odd) at \(count)")
        }
      }
      for end in ["0", "/", "\t", "a"] {
        expectEqual(read(lead + whole + end + "\r\n\r\n"), "statusLine \(start + 12)")
      }
      for major in ["0", "2", "9"] { expectEqual(read(lead + "HTTP/\(major).1 200\r\n\r\n"), "version \(start + 5)") }
      expectEqual(read(lead + "HTTP/1.10 200\r\n\r\n"), "statusLine \(start + 8)")
    }
    for minor in 0...9 {
      let outcome = HTTPResponseTests.outcome([Array("HTTP/1.\(minor) 200\n\n".utf8)])
      #expect(outcome.head == HTTPResponseHead(status: 200, minorVersion: minor) && outcome.state == .complete)
    }
  }

  @Test("of all bytes a field's name holds those of a token, its value all but control bytes")
  func fieldBytes() {
    typealias Field = HTTPResponseHead.Field
    for byte in UInt8.min...UInt8.max where byte != 10 {
      let isControl = byte < 32 && byte != 9 || byte == 127
      let refusal = byte == 13 ? "lineEnd" : "controlByte"
      let withValue = Array("\(Self.ok)A: x".utf8) + [byte] + Array("z\r\n\r\n".utf8)
      let withName = Array("\(Self.ok)x".utf8) + [byte] + Array("z: c\r\n\r\n".utf8)
      if isControl {
        #expect(read(withValue) == "\(refusal) 21" && read(withName) == "\(refusal) 18", "\(byte)")
        continue
      }
      let value = HTTPResponseTests.outcome([withValue])
      let name = HTTPResponseTests.outcome([withName])
      expectEqual(value.head?.fields, [Field("A", String(decoding: [0x78, byte, 0x7A], as: UTF8.self))], "\(byte)")
      if byte == 58 {
        expectEqual(name.head?.fields, [Field("x", "z: c")])
      } else if Self.token.contains(byte) {
        expectEqual(name.head?.fields, [Field(String(decoding: [0x78, byte, 0x7A], as: UTF8.self), "c")], "\(byte)")
      } else {
        expectEqual(read(withName), "nameBytes 18", "\(byte)")
      }
    }
    let twice = HTTPResponseHead(status: 200, fields: [Field("a", "1"), Field("A", "2")])
    expectEqual(["A", "a", "aa", ""].map { twice.value(of: $0) }, ["1", "1", nil, nil])
  }

  @Test("a line ends with LF or with one CR and LF, wherever it stands")
  func lineEnds() {
    let cases: [(text: String, outcome: String)] = [
      ("HTTP/1.1 200 OK\n\r\nx", "200 'x' 19"), ("HTTP/1.1 200 OK\r\r\n", "lineEnd 15"),
      ("HTTP/1.1 200 OK\r", "cutShort 16"),
      (Self.ok + "A: b\n\nx", "200 'x' 24"), (Self.ok + "A: b\r\r\n", "lineEnd 21"), (Self.ok + "\r\r\n", "lineEnd 17"),
      (Self.ok + "\rA", "lineEnd 17"), (Self.chunked + "1\nx\n0\n\n", "200 'x' 54"),
      (Self.chunked + "1\r\nx\r\r\n", "lineEnd 51"),
      (Self.chunked + "1\r\nx\rz", "lineEnd 51"), (Self.chunked + "1\r\nxz", "chunkEnd 51"),
      (Self.chunked + "1\r\nx\t\r\n", "chunkEnd 51"), (Self.chunked + "1\r\r\n", "lineEnd 48"),
      (Self.chunked + "0\r\n b\r\n\r\n", "foldedLine 50"), (Self.chunked + "0\r\nA\r\n\r\n", "noColon 50"),
      (Self.chunked + "0\r\nA: b\r\n c\r\n\r\n", "200 '' 62"), (Self.ok + "A\t: b\r\n", "whitespaceBeforeColon 18"),
      (Self.ok + "A  : b\r\n", "whitespaceBeforeColon 19"), (Self.ok + "\tA: b\r\n", "foldedLine 17"),
    ]
    for (text, outcome) in cases { expectEqual(read(text), outcome, "\(text)") }
  }

  @Test("the length of a body is one number of at most 18 digits, told once or the same each time")
  func framing() {
    let refused = [
      "", ",", "2,", ",2", "2,,2", "2, 3", "02, 2", "+2", "-2", "2 2", "2;2", "0x2", "2.", "/2", "2:",
      "0000000000000000002",
    ]
    for value in refused {
      expectEqual(read(Self.ok + "Content-Length: \(value)\r\n\r\nab"), "contentLength 33", "\(value)")
    }
    for value in ["2", "2,\t2 , 2", "002", "000000000000000002", "2\r\ncontent-length:2", "2 \t", "\r\n 2", "2\r\n \t"]
    {
      #expect(read(Self.ok + "CONTENT-Length: \(value)\r\n\r\nabc").hasPrefix("200 'ab' "), "\(value)")
    }
    let cases: [(fields: String, outcome: String)] = [
      ("Content-Length: 999999999999999999\r\n", "bodyTooLong 33"), ("Content-Length: 1\r\n 2\r\n", "contentLength 33"),
      ("Content-Length: 2\r\nX: y\r\nContent-Length: 3\r\n", "contentLength 58"),
      ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "ambiguousLength 55"),
      ("Content-Length: x\r\nTransfer-Encoding: gzip\r\n", "ambiguousLength 55"),
      ("Transfer-Encoding: chunked, chunked\r\n", "transferCoding 36"),
      ("Transfer-Encoding: chunked,\r\n", "transferCoding 36"),
      ("Transfer-Encoding:\r\n", "transferCoding 35"), ("Transfer-Encoding: chunke\r\n", "transferCoding 36"),
      ("Transfer-Encoding: chunkedx\r\n", "transferCoding 36"),
      ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "transferCoding 36"),
      ("Transfer-Encoding:\t Chunked \r\n", "200 'ab' 61"),
    ]
    for (fields, outcome) in cases {
      expectEqual(read(Self.ok + fields + "\r\n2\r\nab\r\n0\r\n\r\n"), outcome, "\(fields)")
    }
    for status in [204, 304] {
      let text = "HTTP/1.0 \(status)\r\nTransfer-Encoding: gzip\r\nContent-Length: x\r\n\r\n"
      expectEqual(read(text + "x"), "\(status) '' \(text.utf8.count)")
    }
  }

  // MARK: Requests

  private func request(_ text: String) -> HTTPRequestHead.Reading { HTTPRequestHead.read(Array(text.utf8)) }

  /// What an old GET without `Host` is read as.
  private func head(_ path: String, _ count: Int) -> HTTPRequestHead.Reading {
    .head(HTTPRequestHead(method: "GET", path: path, minorVersion: 0, hasHost: false, byteCount: count))
  }

  @Test("the head of a request has at most 8192 bytes and 64 fields")
  func requestBudget() {
    func text(_ count: Int) -> String {
      "GET / HTTP/1.0\r\nA: " + String(repeating: "a", count: count - 23) + "\r\n\r\n"
    }
    expectEqual(request(text(8_192)), head("/", 8_192))
    expectEqual(request(text(8_192) + "more"), head("/", 8_192))
    expectEqual(request(text(8_193)), .refused(status: 431))
    expectEqual(HTTPRequestHead.read(Array(text(9_000).utf8.prefix(8_191))), .incomplete)
    expectEqual(HTTPRequestHead.read(Array(text(9_000).utf8.prefix(8_192))), .refused(status: 431))
    for (count, isWell) in [(63, true), (64, true), (65, false)] {
      let fields = "GET / HTTP/1.0\r\n" + String(repeating: "A:\r\n", count: count) + "\r\n"
      expectEqual(request(fields), (isWell ? head("/", fields.utf8.count) : .refused(status: 431)))
    }
  }

  @Test("of all bytes a method holds those of a token, a target those that are seen, a field's name those of a token")
  func requestBytes() {
    for byte in UInt8.min...UInt8.max where byte != 10 {
      let text = String(decoding: [byte], as: UTF8.self)
      let target = HTTPRequestHead.read(Array("GET /a".utf8) + [byte] + Array("b HTTP/1.0\r\n\r\n".utf8))
      let path = byte == 0x3F || byte == 0x23 ? "/a" : "/a\(text)b"
      let isSeen = (0x21...0x7E).contains(byte)
      expectEqual(target, (isSeen ? head(path, 21) : .refused(status: 400)), "\(byte)")
      let method = HTTPRequestHead.read(Array("G".utf8) + [byte] + Array("T / HTTP/1.0\r\n\r\n".utf8))
      let isToken = Self.token.contains(byte)
      let whole = HTTPRequestHead(method: "G\(text)T", path: "/", minorVersion: 0, hasHost: false, byteCount: 18)
      expectEqual(method, (isToken ? .head(whole) : .refused(status: 400)), "\(byte)")
      let field = HTTPRequestHead.read(Array("GET / HTTP/1.0\r\nA".utf8) + [byte] + Array("B: c\r\n\r\n".utf8))
      expectEqual(field, (isToken || byte == 58 ? head("/", 26) : .refused(status: 400)), "\(byte)")
    }
  }

  @Test(
    "a target is a path or an absolute URL of http, a version is 1 and one digit, a line ends as it may",
    arguments: [
      ("GET * HTTP/1.0\r\n\r\n", "* 0"), ("GET ** HTTP/1.0\r\n\r\n", "400"), ("GET //x HTTP/1.0\r\n\r\n", "//x 0"),
      ("GET /?x HTTP/1.0\r\n\r\n", "/ 0"), ("GET ?x HTTP/1.0\r\n\r\n", "400"), ("GET  HTTP/1.0\r\n\r\n", "400"),
      ("GET HTTP://a/b?c HTTP/1.0\r\n\r\n", "/b 0"), ("GET http://a/b#c HTTP/1.0\r\n\r\n", "/b 0"),
      // A slash behind a question mark or a hash is no path.
      ("GET http://a?x=/y HTTP/1.0\r\n\r\n", "/ 0"), ("GET http://a#/y HTTP/1.0\r\n\r\n", "/ 0"),
      ("GET http://a/?x=/y HTTP/1.0\r\n\r\n", "/ 0"), ("GET http://?/y HTTP/1.0\r\n\r\n", "/ 0"),
      ("GET http:?//a/y HTTP/1.0\r\n\r\n", "400"), ("GET *?/y HTTP/1.0\r\n\r\n", "400"),
      ("GET http://a HTTP/1.0\r\n\r\n", "/ 0"), ("GET http:// HTTP/1.0\r\n\r\n", "/ 0"),
      ("GET http:/a HTTP/1.0\r\n\r\n", "400"), ("GET https://a/b HTTP/1.0\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "/ 1"), ("GET / HTTP/1.9\r\nhOsT: x\r\n\r\n", "/ 1"),
      ("GET / HTTP/1.1\r\nHosts: x\r\n\r\n", "400"), ("GET / HTTP/1.2\r\nHos: x\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "/ 1"), ("GET / HTTP/0.9\r\n\r\n", "505"),
      ("GET / HTTP/2.0\r\nbad\r\n\r\n", "505"), ("GET / HTTP/9.9\r\n\r\n", "505"), ("GET / HTTP//.0\r\n\r\n", "400"),
      ("GET / HTTP/:.0\r\n\r\n", "400"), ("GET / HTTP/1./\r\n\r\n", "400"), ("GET / HTTP/1.:\r\n\r\n", "400"),
      ("GET / HTTP/1,0\r\n\r\n", "400"), ("GET / HTTP/1.\r\n\r\n", "400"), ("GET / HTTP/1.00\r\n\r\n", "400"),
      ("GET / http/1.0\r\n\r\n", "400"), ("GET / HTTP/1.0 \r\n\r\n", "400"), ("GET / HTTP/1.0\r\n: x\r\n\r\n", "400"),
      ("\nGET / HTTP/1.0\n\n", "/ 0"), ("\r\nGET / HTTP/1.0\n\r\n", "/ 0"), ("GET / HTTP/1.0\r\n\n", "/ 0"),
      ("\n\nGET / HTTP/1.0\r\n\r\n", "400"), ("\rGET / HTTP/1.0\r\n\r\n", "400"),
      ("GET / HTTP/1.0\r\r\n\r\n", "400"), ("GET / HTTP/1.0\r\n\r\r\n\n", "400"),
      ("GET / HTTP/1.0\r\n\r", "incomplete"),
    ])
  func requestLines(text: String, outcome: String) {
    switch request(text) {
    case .head(let found):
      #expect("\(found.path) \(found.minorVersion)" == outcome && found.method == "GET")
      #expect(found.byteCount == text.utf8.count && found.hasHost == (found.minorVersion == 1))
    case .incomplete: expectEqual(outcome, "incomplete")
    case .refused(let status): expectEqual("\(status)", outcome)
    }
  }
}
