import RollcallExpectations
import Testing
import RollcallWire

@Suite("What is written for HTTP, and limits that nobody chose") struct DescriptionTextTests {
  @Test("a request's path keeps the bytes that are seen, and has all others as two hexadecimal digits")
  func paths() {
    let cases = [
      ("", "/"), ("a", "/a"), ("/!~", "/!~"), ("/ ", "/%20"), ("/\u{7F}", "/%7F"), ("/\u{0}\u{9}\u{F}", "/%00%09%0F"),
      ("/\u{10}\u{1F}", "/%10%1F"), ("/\u{FF}", "/%C3%BF"), ("//x", "//x"),
    ]
    for (path, target) in cases {
      let request = HTTPRequest(path: path, authority: "h:1", userAgent: "u")
      let text =
        "GET \(target) HTTP/1.1\r\nHOST: h:1\r\nUSER-AGENT: u\r\nACCEPT: text/xml, */*\r\n"
        + "ACCEPT-ENCODING: identity\r\nCONNECTION: close\r\n\r\n"
      expectEqual(String(decoding: request.bytes, as: UTF8.self), text)
    }
  }

  @Test(
    "a scheme begins with a letter and holds letters, digits, plus, minus and point; all else is a path",
    arguments: [
      ("a0:b", "a0:b"), ("a9:b", "a9:b"), ("A:b", "A:b"), ("Z:b", "Z:b"), ("z:1", "z:1"), ("xA:1", "xA:1"),
      ("xZ:1", "xZ:1"), ("xa:1", "xa:1"), ("xz:1", "xz:1"), ("x+:1", "x+:1"), ("x-:1", "x-:1"), ("x.:1", "x.:1"),
      ("a[:b", "http://a/b/c/a[:b"), ("a{:b", "http://a/b/c/a{:b"), ("a@:b", "http://a/b/c/a@:b"),
      ("a`:b", "http://a/b/c/a`:b"), ("a/:b", "http://a/b/c/a/:b"), ("[:b", "http://a/b/c/[:b"),
      ("{:b", "http://a/b/c/{:b"), ("@:b", "http://a/b/c/@:b"), ("`:b", "http://a/b/c/`:b"),
      ("+x:b", "http://a/b/c/+x:b"), (":b", "http://a/b/c/:b"), ("0a:b", "http://a/b/c/0a:b"),
      ("a//b", "http://a/b/c/a//b"), ("a/../b", "http://a/b/c/b"), ("a/..", "http://a/b/c/"),
      ("a/.", "http://a/b/c/a/"),
      (".", "http://a/b/c/"), ("...", "http://a/b/c/..."), (".x", "http://a/b/c/.x"), ("../..", "http://a/"),
      ("/..", "http://a/"), ("/.?..", "http://a/?.."), ("#x", "http://a/b/c/d?q"),
    ])
  func references(reference: String, expected: String) {
    expectEqual(URLReference.resolve(reference, against: "http://a/b/c/d?q#f"), expected)
  }

  @Test("a response's value loses its control bytes and nothing else; each status has its words")
  func responses() {
    func text(_ response: HTTPResponse) -> String { String(decoding: response.bytes(), as: UTF8.self) }
    let value = "\u{0}a\tb\u{1F}c d~\u{7F}e\u{80}\u{E9}\r\nf"
    let end = "CONTENT-LENGTH: 1\r\nCONNECTION: close\r\n\r\nx"
    let response = HTTPResponse(status: 200, fields: [("A", value), ("A", "")], body: [120])
    expectEqual(text(response), "HTTP/1.1 200 OK\r\nA: abc d~e\u{80}\u{E9}f\r\nA: \r\n" + end)
    let words = [
      (200, "OK"), (201, "Created"), (400, "Bad Request"), (401, "Unauthorized"), (404, "Not Found"),
      (405, "Method Not Allowed"), (408, "Request Timeout"), (411, "Length Required"),
      (412, "Precondition Failed"), (413, "Content Too Large"), (500, "Internal Server Error"),
      (431, "Request Header Fields Too Large"), (503, "Service Unavailable"), (505, "HTTP Version Not Supported"),
      (202, "Status 202"), (501, "Status 501"),
    ]
    for (status, word) in words {
      let line = "\(status) \(word)\r\n"
      expectEqual(text(HTTPResponse(status: status, body: [120])), "HTTP/1.1 \(line)" + end)
      let refusal = HTTPResponse.refusal(status)
      let head = "HTTP/1.1 \(line)CONTENT-TYPE: text/plain\r\nCONTENT-LENGTH: \(line.utf8.count)\r\n"
      expectEqual(text(refusal), head + "CONNECTION: close\r\n\r\n" + line)
    }
    let others = [
      HTTPResponse(status: 404, fields: response.fields, body: [120]), HTTPResponse(status: 200, body: [120]),
      HTTPResponse(status: 200, fields: response.fields), HTTPResponse(status: 200, fields: [("B", "")], body: [120]),
    ]
    expectEqual(Set(others + others + [response]).count, 5)
    #expect(others.allSatisfy { $0 != response } && response == response)
  }

  @Test("a service has its id from the fourth part of its type and the second, where there are so many")
  func services() {
    let cases = [
      ("urn:x:service:A:1", "urn:x:serviceId:A"), ("urn:x:service:A", "urn:x:serviceId:A"),
      ("urn:schemas-upnp-org:service:A:1", "urn:upnp-org:serviceId:A"),
      ("urn:schemas-upnp-org:service", "urn:upnp-org:serviceId:Service"),
      ("urn:x:service", "urn:upnp-org:serviceId:Service"), ("urn:x:service::1", "urn:x:serviceId:Service"),
      ("urn:x:service:", "urn:x:serviceId:Service"), ("::::", "urn::serviceId:Service"),
      ("", "urn:upnp-org:serviceId:Service"), ("a:b:c:d:e:f", "urn:b:serviceId:d"),
    ]
    typealias Service = DescriptionDocument.Service
    for (type, id) in cases {
      let expected = Service(
        type: type, id: id, descriptionPath: "/p/12/scpd.xml", controlPath: "/p/12/control", eventPath: "/p/12/event")
      expectEqual(Service(type: type, number: 12, below: "/p/"), expected, "\(type)")
    }
  }

  @Test("names in a description are cut to 63, 63 and 31 characters; without CONFIGID the root has no attribute for it")
  func lengths() {
    for (count, name, model) in [(30, 30, 30), (31, 31, 31), (32, 32, 31), (63, 63, 31), (64, 63, 31), (65, 63, 31)] {
      func letters(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }
      let device = DescriptionDocument.Device(
        type: "t", friendlyName: letters("é", count), manufacturer: letters("m", count),
        modelName: letters("n", count), udn: "u")
      let text = """
        <?xml version="1.0" encoding="utf-8"?>
        <root xmlns="urn:schemas-upnp-org:device-1-0">
          <specVersion>
            <major>2</major>
            <minor>0</minor>
          </specVersion>
          <device>
            <deviceType>t</deviceType>
            <friendlyName>\(letters("é", name))</friendlyName>
            <manufacturer>\(letters("m", name))</manufacturer>
            <modelName>\(letters("n", model))</modelName>
            <UDN>u</UDN>
          </device>
        </root>

        """
      let document = DescriptionDocument(major: 2, minor: 0, configID: nil, root: device)
      expectEqual(String(decoding: document.bytes, as: UTF8.self), text, "\(count)")
    }
  }

  @Test("in XML five signs have names, hidden characters and line ends numbers; what it cannot hold is a question mark")
  func xml() {
    let named: [Unicode.Scalar: String] = [
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&apos;", "\t": "&#9;", "\n": "&#10;",
      "\r": "&#13;", "\u{7F}": "&#127;", "\u{80}": "&#128;", "\u{9F}": "&#159;", "\u{AD}": "&#173;",
      "\u{200B}": "&#8203;", "\u{202E}": "&#8238;", "\u{FEFF}": "&#65279;", "\u{FFF0}": "&#65520;", "\u{FFFE}": "?",
      "\u{FFFF}": "?", "\u{E0001}": "&#917505;",
    ]
    let plain: [Unicode.Scalar] = ["\u{A0}", "\u{E9}", "\u{2027}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{1F600}"]
    let ascii = (UInt8(0)..<0x80).map { byte -> Unicode.Scalar in Unicode.Scalar(byte) }
    for scalar in ascii + Array(named.keys) + plain {
      let expected = named[scalar] ?? (scalar.value < 0x20 ? "?" : String(scalar))
      expectEqual(XMLText.escaped("a" + String(scalar) + "b"), "a" + expected + "b", "\(scalar.value)")
    }
    #expect(XMLText.escaped("\r\n") == "&#13;&#10;" && XMLText.escaped("") == "")
  }

  @Test("without limits of its own a reader takes heads of 16384 bytes and 128 fields")
  func defaults() {
    func read(_ text: String) -> HTTPResponseTests.Outcome {
      let limits = HTTPResponseReader.Limits(bodyBytesMaximum: 64)
      return HTTPResponseTests.outcome([Array(text.utf8)], HTTPResponseReader(limits: limits))
    }
    func refusal(_ text: String) -> HTTPResponseRefusal? {
      if case .refused(let refusal) = read(text).state { refusal } else { nil }
    }
    let start = "HTTP/1.1 204 \r\n"
    func long(_ count: Int) -> String { start + "A: " + String(repeating: "a", count: count - 22) + "\r\n\r\n" }
    #expect(read(long(16_384)).state == .complete && read(long(16_384)).byteCount == 16_384)
    expectEqual(refusal(long(16_385)), HTTPResponseRefusal(.headTooLong, at: 16_384))
    func fields(_ count: Int) -> String { start + String(repeating: "A:\r\n", count: count) + "\r\n" }
    #expect(read(fields(128)).state == .complete && read(fields(128)).head?.fields.count == 128)
    expectEqual(refusal(fields(129)), HTTPResponseRefusal(.tooManyFields, at: 15 + 128 * 4))
    // Of lengths that are told twice the first one is refused.
    let ok = "HTTP/1.1 200 OK\r\n"
    let twice = "Content-Length: 65\r\nContent-Length: 65\r\n"
    expectEqual(refusal(ok + twice + "\r\n"), HTTPResponseRefusal(.bodyTooLong, at: 33))
    let coding = "Transfer-Encoding: chunked\r\n"
    expectEqual(refusal(ok + coding + twice + "\r\n"), HTTPResponseRefusal(.ambiguousLength, at: 61))
  }

  @Test("a writer turns control bytes of a value into blanks, has no room once it is closed, and may have no memory")
  func writer() {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 140, alignment: 1)
    defer { memory.deallocate() }
    var writer = ByteWriter(memory)
    let all = Array(UInt8(0)..<0x80)
    writer.append(value: String(decoding: all, as: UTF8.self) + "é")
    let kept = all.map { byte -> UInt8 in byte == 9 || (0x20..<0x7F).contains(byte) ? byte : 0x20 }
    let expected = kept + Array("é".utf8)
    #expect(Array(memory[..<writer.count]) == expected && writer.room == 10 && !writer.overflowed)
    writer.append([UInt8](repeating: 1, count: 11))
    writer.append(value: "")
    writer.append(byte: 1)
    #expect(writer.room == 0 && writer.overflowed && writer.count == 130)

    var none = ByteWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    none.append(value: "")
    #expect(!none.overflowed && none.count == 0 && none.room == 0)
    none.append(byte: 1)
    #expect(none.overflowed && none.count == 0)

    let fill: (Int, inout ByteWriter) -> Void = { $1.append(byte: UInt8($0) + 65) }
    expectEqual(SSDPTemplate([.text("a")]).bytes(fill), [97])
    expectEqual(SSDPTemplate([.text("a"), .hole(7), .text("b")]).bytes(fill), [97, 72, 98])
    expectEqual(SSDPTemplate([.hole(0)]).bytes(fill), [65])
  }
}
