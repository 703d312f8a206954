import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Search targets and locations that are nearly what they look like.
@Suite("Edges of targets and locations") struct TargetEdgeTests {
  private func refusal(_ text: String) -> LocationRefusal? {
    if case .refused(let refusal) = LocationURL.check(text) { refusal } else { nil }
  }

  @Test("a LOCATION is refused for the first reason, at the byte where that stands")
  func locations() {
    let cases: [(text: String, reason: LocationRefusal.Reason, offset: Int)] = [
      // Only its last byte says that this is no address without brackets.
      ("http://a:b:z/", .port, 9), ("http://a:b:c/", .bracket, 7), ("http://a:1:2/", .bracket, 7),
      ("http://[fe80::1%a!]/", .zone, 17), ("http://[fe80::1%!a]/", .zone, 16), ("http://[fe80::1%]/", .zone, 15),
      ("http://[]/", .bracket, 7), ("http://[%25a]/", .bracket, 7), ("http://[::1", .bracket, 7),
      ("http://[::1]x/", .bracket, 12), ("http://[::1/]", .bracket, 7),
      // A scheme begins with a letter and may go on with a digit.
      ("h1ttp://x/", .scheme, 0), ("1http://x/", .relative, 0), ("a://x/", .scheme, 0), ("http", .relative, 0),
      ("http:", .relative, 5), ("http:/", .relative, 6), ("http:/x", .relative, 6),
      ("http://1.2.3.4.5/", .numericHost, 7), ("http://1.2.3/", .numericHost, 7), ("http://x:65536/", .port, 9),
      ("http://x:0/", .port, 9), ("http://./", .hostByte, 7), ("http://x:/", .port, 8),
    ]
    for (text, reason, offset) in cases {
      expectEqual(refusal(text), LocationRefusal(reason, at: offset), "\(text)")
    }
    #expect(refusal("http://[fe80::1%a.b~]:65535/") == nil && refusal("http://x./") == nil)
  }

  @Test("a type whose domain is empty or begins with a colon or a blank is opaque")
  func domains() {
    for text in [
      "urn::x:device:b:1", "urn: x:device:b:1", "urn::device:b:1", "urn:", "urn:x", "urn:x:device:b:",
      "urn:x:device::1",
    ] {
      expectEqual(SearchTarget(text), .other(text))
    }
    expectEqual(SearchTarget("urn:x:device:b:1"), .device(domain: "x", type: "b", version: 1))
  }

  @Test("what has no parts is one whole text, from its first byte on")
  func wholes() {
    func parts(_ text: String) -> SearchTarget.Parts {
      Array(text.utf8).withUnsafeBytes { SearchTarget.parse($0) }
    }
    func whole(_ form: SearchTarget.Form, _ range: Range<Int>) -> SearchTarget.Parts {
      SearchTarget.Parts(form: form, domain: 0..<0, type: range, version: 0, isCanonicalVersion: false)
    }
    expectEqual(parts("x"), whole(.opaque, 0..<1))
    expectEqual(parts("ssdp:all"), whole(.all, 0..<8))
    expectEqual(parts("upnp:rootdevice"), whole(.rootDevice, 0..<15))
    expectEqual(parts("uuid:a"), whole(.uuid, 5..<6))
    expectEqual(parts("urn:x:device:b:1.0"), whole(.opaque, 0..<18))
  }

  @Test("two answers of HTTP are one if their bytes are, and DEL is no part of a field")
  func answers() {
    let (one, other) = (HTTPResponse(status: 404), HTTPResponse(status: 404))
    #expect(one == other && one.hashValue == other.hashValue && one != HTTPResponse(status: 503))
    expectEqual(Set([one, other, HTTPResponse(status: 503)]).count, 2)
  }
}
