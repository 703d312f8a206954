import RollcallExpectations
import Testing

@testable import RollcallWire

@Suite("The edges of HTTP requests") struct RequestEdgeTests {
  private func read(_ text: String) -> HTTPRequestHead.Reading { HTTPRequestHead.read(Array(text.utf8)) }
  private func head(_ path: String, _ count: Int, minor: Int = 0, hasHost: Bool = false) -> HTTPRequestHead.Reading {
    .head(HTTPRequestHead(method: "GET", path: path, minorVersion: minor, hasHost: hasHost, byteCount: count))
  }

  @Test("a head ends behind its first blank line, whatever line ends stand before it and in it")
  func ends() {
    expectEqual(read("GET / HTTP/1.0\n\n"), head("/", 16))
    expectEqual(read("GET / HTTP/1.0\r\n\r\n"), head("/", 18))
    expectEqual(read("GET / HTTP/1.0\n\r\nrest"), head("/", 17))
    expectEqual(read("GET / HTTP/1.0\r\n\nrest"), head("/", 17))
    #expect(read("\r\nGET / HTTP/1.0\r\n\r\n") == head("/", 20) && read("\nGET / HTTP/1.0\n\n") == head("/", 17))
    // Two empty lines before a request are no head of their own, and one too many to be forgiven.
    expectEqual(read("\r\n\r\nGET / HTTP/1.0\r\n\r\n"), .refused(status: 400))
    expectEqual(read("\n\nGET / HTTP/1.0\n\n"), .refused(status: 400))
    for text in [
      "", "\r", "\n", "\r\n", "\r\n\r\n", "\n\n\n", "G", "GET / HTTP/1.0\n", "GET / HTTP/1.0\n\r", "\r\rG\n",
    ] {
      expectEqual(read(text), .incomplete, "\(text.debugDescription)")
    }
  }

  @Test("a request line has a method, a target and a version of three words; each has its bounds")
  func lines() {
    let rows: [(line: String, reading: HTTPRequestHead.Reading)] = [
      ("GET / HTTP/1.9", head("/", 31, minor: 1, hasHost: true)), ("GET / HTTP/0.9", .refused(status: 505)),
      ("GET / HTTP/2.0", .refused(status: 505)), ("GET / HTTP/9.9", .refused(status: 505)),
      ("GET / HTTP/:.0", .refused(status: 400)), ("GET / HTTP/1.:", .refused(status: 400)),
      ("GET / HTTP/1.0 ", .refused(status: 400)), ("GET  / HTTP/1.0", .refused(status: 400)),
      (" / HTTP/1.0", .refused(status: 400)), ("GET HTTP/1.0", .refused(status: 400)),
      ("GET / http/1.0", .refused(status: 400)), ("GET / HTTP/10.0", .refused(status: 400)),
      ("GET ~ HTTP/1.0", .refused(status: 400)), ("GET * HTTP/1.0", head("*", 31, hasHost: true)),
      ("GET http://h/a?b=/c HTTP/1.0", head("/a", 45, hasHost: true)),
      ("GET HTTP://h HTTP/1.0", head("/", 38, hasHost: true)),
      ("GET http://h?a/b HTTP/1.0", head("/", 42, hasHost: true)),
      ("GET /a?x#y HTTP/1.0", head("/a", 36, hasHost: true)), ("GET http:///a HTTP/1.0", head("/a", 39, hasHost: true)),
      ("GET /~! HTTP/1.0", head("/~!", 33, hasHost: true)),
    ]
    for row in rows { expectEqual(read("\(row.line)\r\nHost: x.y.z\r\n\r\n"), row.reading, "\(row.line)") }
  }

  @Test("what no request line can hold is written as %NN")
  func targets() {
    let path = "/" + String(decoding: [1, 15, 16, 31, 32, 33, 34, 126, 127] as [UInt8], as: UTF8.self)
    expectEqual(HTTPRequest.target(path), "/%01%0F%10%1F%20!\"~%7F")
    #expect(HTTPRequest.target("") == "/" && HTTPRequest.target("a") == "/a" && HTTPRequest.target("é") == "/%C3%A9")
  }

  @Test(
    "a reference with a scheme stands for itself; a scheme begins with a letter and has letters, digits, +, - and .")
  func schemes() {
    for scheme in ["a", "z", "A", "Z", "a0", "a9", "aZ", "Az", "a+", "a-", "a.", "http"] {
      expectEqual(URLReference.resolve("\(scheme):x", against: "http://h/d/e"), "\(scheme):x")
    }
    for text in ["0a:x", "+a:x", "@a:x", "[a:x", "`a:x", "{a:x", "a/:x", "a@:x", "a[:x", "a`:x", "a{:x", ":x", "a"] {
      expectEqual(URLReference.resolve(text, against: "http://h/d/e"), "http://h/d/\(text)", "\(text)")
    }
  }
}
