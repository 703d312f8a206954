import RollcallExpectations
import RollcallWire
import Testing

@Suite("Requests about events") struct EventRequestTests {
  private static func request(_ method: String, _ fields: [String]) -> EventRequest? {
    let text = "\(method) /event HTTP/1.1\r\nHOST: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    guard case .head(let head) = HTTPRequestHead.read(Array(text.utf8)) else { return nil }
    return EventRequest(head)
  }

  @Test("a subscription, a renewal and its end are told apart by their fields")
  func forms() {
    let ask = EventRequestTests.request
    expectEqual(
      ask(
        "SUBSCRIBE",
        ["CALLBACK: <http://10.0.0.2:80/a><http://10.0.0.2:81/b>", "NT: upnp:event", "TIMEOUT: Second-300"]),
      .subscribe(callbacks: ["http://10.0.0.2:80/a", "http://10.0.0.2:81/b"], timeoutSeconds: 300))
    expectEqual(
      ask("SUBSCRIBE", ["callback: <http://a/>", "nt: upnp:event"]),
      .subscribe(callbacks: ["http://a/"], timeoutSeconds: nil))
    expectEqual(ask("SUBSCRIBE", ["SID: uuid:1", "TIMEOUT: second-9"]), .renew(sid: "uuid:1", timeoutSeconds: 9))
    expectEqual(ask("UNSUBSCRIBE", ["SID: uuid:1"]), .unsubscribe(sid: "uuid:1"))
    expectEqual(ask("GET", ["SID: uuid:1"]), nil)
  }

  @Test("fields that exclude each other are 400, fields that are missing or wrong 412")
  func refusals() {
    let ask = EventRequestTests.request
    expectEqual(ask("SUBSCRIBE", ["SID: uuid:1", "NT: upnp:event"]), .refused(status: 400))
    expectEqual(ask("UNSUBSCRIBE", ["SID: uuid:1", "CALLBACK: <http://a/>"]), .refused(status: 400))
    expectEqual(ask("SUBSCRIBE", ["NT: upnp:event"]), .refused(status: 412))
    expectEqual(ask("SUBSCRIBE", ["NT: upnp:event", "CALLBACK: http://a/"]), .refused(status: 412))
    expectEqual(ask("SUBSCRIBE", ["NT: upnp:event", "CALLBACK: http://a/>"]), .refused(status: 412))
    expectEqual(ask("SUBSCRIBE", ["NT: upnp:event", "CALLBACK: <>"]), .refused(status: 412))
    expectEqual(ask("SUBSCRIBE", ["NT: other", "CALLBACK: <http://a/>"]), .refused(status: 412))
    expectEqual(ask("SUBSCRIBE", ["CALLBACK: <http://a/>"]), .refused(status: 412))
    expectEqual(ask("UNSUBSCRIBE", []), .refused(status: 412))
  }

  @Test("a time is a number of seconds of 32 bits at most; anything else is no number")
  func times() {
    for (text, seconds) in [
      ("Second-0", 0 as UInt32?), ("Second-1800", 1_800), ("Second-4294967295", .max), ("Second-4294967296", .max),
      ("Second-99999999999", .max), ("Second-infinite", nil), ("Second-", nil), ("Second--1", nil), ("1800", nil),
    ] {
      expectEqual(
        EventRequestTests.request("SUBSCRIBE", ["SID: a", "TIMEOUT: \(text)"]),
        .renew(sid: "a", timeoutSeconds: seconds),
        "\(text)")
    }
  }

  @Test("of nine URLs eight are read")
  func bounds() {
    let urls = (1...9).map { "http://10.0.0.\($0)/" }
    expectEqual(
      EventRequestTests.request("SUBSCRIBE", ["NT: upnp:event", "CALLBACK: " + urls.map { "<\($0)>" }.joined()]),
      .subscribe(callbacks: Array(urls.prefix(8)), timeoutSeconds: nil))
  }

  @Test("a message to a subscriber is what UDA has")
  func message() {
    let message = EventMessage(sid: "uuid:1", sequence: 0, properties: [.init("Status", "1")])
    expectEqual(
      String(decoding: message.bytes(path: "/e?x", authority: "10.0.0.2:80", userAgent: "a UPnP/1.0 b"), as: UTF8.self)
        .replacing("\r\n", with: "\n"),
      """
      NOTIFY /e?x HTTP/1.1
      HOST: 10.0.0.2:80
      USER-AGENT: a UPnP/1.0 b
      ACCEPT: text/xml, */*
      ACCEPT-ENCODING: identity
      CONTENT-TYPE: text/xml; charset="utf-8"
      CONTENT-LENGTH: 167
      NT: upnp:event
      NTS: upnp:propchange
      SID: uuid:1
      SEQ: 0
      CONNECTION: close

      <?xml version="1.0" encoding="utf-8"?>
      <e:propertyset xmlns:e="urn:schemas-upnp-org:event-1-0">
        <e:property>
          <Status>1</Status>
        </e:property>
      </e:propertyset>

      """)
  }
}
