import RollcallExpectations
import Testing
import RollcallWire

@Suite("HTTP for descriptions") struct HTTPTests {
  private func read(_ text: String) -> HTTPRequestHead.Reading { HTTPRequestHead.read(Array(text.utf8)) }

  @Test("a request is read up to its blank line")
  func requests() {
    let text = "GET /description.xml?x=1 HTTP/1.1\r\nHost: 10.0.0.1\r\nUser-Agent: x\r\n\r\n"
    expectEqual(
      read(text + "more"),
      .head(
        HTTPRequestHead(
          method: "GET", path: "/description.xml", minorVersion: 1, hasHost: true, byteCount: text.utf8.count)))
    for count in 0..<text.utf8.count {
      expectEqual(HTTPRequestHead.read(Array(text.utf8.prefix(count))), .incomplete, "\(count) bytes")
    }
  }

  @Test("old clients, proxies' URLs, lone line feeds and an empty first line are understood")
  func lenience() {
    func path(_ text: String) -> String? {
      if case .head(let head) = read(text) { head.path } else { nil }
    }
    expectEqual(path("GET /a HTTP/1.0\r\n\r\n"), "/a")
    expectEqual(path("GET http://10.0.0.1:80/b HTTP/1.1\r\nHOST:\r\n\r\n"), "/b")
    expectEqual(path("GET http://10.0.0.1 HTTP/1.1\r\nHOST: x\r\n\r\n"), "/")
    expectEqual(path("GET /c HTTP/1.1\nhost: x\n\n"), "/c")
    expectEqual(path("\r\nGET /d HTTP/1.1\r\nhost: x\r\n\r\n"), "/d")
  }

  @Test(
    "what is no request is refused",
    arguments: [
      ("GET /a HTTP/1.1\r\n\r\n", 400), ("GET  /a HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /a\r\n\r\n", 400),
      ("GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /\u{7F} HTTP/1.1\r\nHost: x\r\n\r\n", 400),
      ("GET /a HTTP/1.1\r\nHost x\r\n\r\n", 400), ("GET /a HTTP/1.1\r\nHo st: x\r\n\r\n", 400),
      ("GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505), ("\r\n\r\n\r\nx\r\n\r\n", 400),
      ("G\0T /a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ])
  func refusals(text: String, status: Int) {
    expectEqual(read(text), .refused(status: status))
  }

  @Test("the length of a body is read once, up to 64 KiB; what has no length is refused")
  func bodies() {
    func read(_ fields: String) -> Int? {
      let text = "POST /a HTTP/1.0\r\n\(fields)\r\n"
      switch self.read(text) {
      case .head(let head): return head.bodyByteCount
      case .refused(let status): return -status
      case .incomplete: return nil
      }
    }
    expectEqual(read(""), 0)
    for (value, count) in [
      ("0", 0), ("5", 5), (" \t007 \t", 7), ("65536", 65_536), ("65537", -413), ("99999999999999999999999", -413),
      ("", -400), ("-1", -400), ("5 5", -400), ("0x5", -400), ("5,5", -400),
    ] {
      expectEqual(read("Content-Length:\(value)\r\n"), count, "\(value)")
    }
    expectEqual(read("content-length: 5\r\nCONTENT-LENGTH: 5\r\n"), -400)
    expectEqual(read("Transfer-Encoding: chunked\r\n"), -411)
    expectEqual(read("Content-Lengths: x\r\n"), 0)
  }

  @Test("heads have bounds")
  func bounds() {
    let long = "GET /" + String(repeating: "a", count: 9_000)
    expectEqual(read(long), .refused(status: 431))
    expectEqual(read(long + " HTTP/1.1\r\nHost: x\r\n\r\n"), .refused(status: 431))
    let many = "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 64)
    expectEqual(read(many + "\r\n"), .refused(status: 431))
  }

  @Test("a response has the length of its body, and none of it for HEAD")
  func responses() {
    let response = HTTPResponse(status: 200, fields: [("CONTENT-TYPE", "text/xml\r\nX: y")], body: [65, 66])
    let head = "HTTP/1.1 200 OK\r\nCONTENT-TYPE: text/xmlX: y\r\nCONTENT-LENGTH: 2\r\nCONNECTION: close\r\n\r\n"
    expectEqual(String(decoding: response.bytes(), as: UTF8.self), head + "AB")
    expectEqual(String(decoding: response.bytes(isHead: true), as: UTF8.self), head)
    expectEqual(
      String(decoding: HTTPResponse.refusal(404).bytes(), as: UTF8.self),
      "HTTP/1.1 404 Not Found\r\nCONTENT-TYPE: text/plain\r\nCONTENT-LENGTH: 15\r\nCONNECTION: close\r\n\r\n"
        + "404 Not Found\r\n")
  }

  @Test("a description has its elements in the order of UDA, escaped")
  func description() {
    let service = DescriptionDocument.Service(
      type: "urn:schemas-upnp-org:service:AVTransport:1", number: 1, below: "/tv/")
    let part = DescriptionDocument.Device(
      type: "urn:x:device:B:1", friendlyName: "b", manufacturer: "m", modelName: "n", udn: "uuid:2")
    let root = DescriptionDocument.Device(
      type: "urn:schemas-upnp-org:device:MediaRenderer:1", friendlyName: "<TV> & \u{1}'\"", manufacturer: "m",
      modelName: String(repeating: "n", count: 40), udn: "uuid:1", services: [service], embedded: [part])
    let document = DescriptionDocument(major: 1, minor: 1, configID: 7, root: root)
    expectEqual(
      String(decoding: document.bytes, as: UTF8.self),
      """
      <?xml version="1.0" encoding="utf-8"?>
      <root xmlns="urn:schemas-upnp-org:device-1-0" configId="7">
        <specVersion>
          <major>1</major>
          <minor>1</minor>
        </specVersion>
        <device>
          <deviceType>urn:schemas-upnp-org:device:MediaRenderer:1</deviceType>
          <friendlyName>&lt;TV&gt; &amp; ?&apos;&quot;</friendlyName>
          <manufacturer>m</manufacturer>
          <modelName>nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn</modelName>
          <UDN>uuid:1</UDN>
          <serviceList>
            <service>
              <serviceType>urn:schemas-upnp-org:service:AVTransport:1</serviceType>
              <serviceId>urn:upnp-org:serviceId:AVTransport</serviceId>
              <SCPDURL>/tv/1/scpd.xml</SCPDURL>
              <controlURL>/tv/1/control</controlURL>
              <eventSubURL>/tv/1/event</eventSubURL>
            </service>
          </serviceList>
          <deviceList>
            <device>
              <deviceType>urn:x:device:B:1</deviceType>
              <friendlyName>b</friendlyName>
              <manufacturer>m</manufacturer>
              <modelName>n</modelName>
              <UDN>uuid:2</UDN>
            </device>
          </deviceList>
        </device>
      </root>

      """)
  }
}
