import RollcallExpectations
import RollcallWire
import Testing

@Suite("What a DIAL server says of an app") struct DIALAppTests {
  @Test("what is written is read again, and hidden characters stand as numbers")
  func roundTrip() {
    for app in [
      DIALApp(name: "You & <Tube>", state: "running", instance: "run?a=\"b\""),
      DIALApp(name: "x\u{202E}", state: "stopped", allowsStop: false),
    ] {
      expectEqual(DIALApp.read(app.bytes), app)
      #expect(app.bytes.allSatisfy { $0 < 128 || app.name.utf8.contains($0) })
    }
    expectEqual(
      String(decoding: DIALApp(name: "YouTube", state: "running", instance: "run").bytes, as: UTF8.self),
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <service xmlns="urn:dial-multiscreen-org:schemas:dial" dialVer="2.2">
        <name>YouTube</name>
        <options allowStop="true"/>
        <state>running</state>
        <link rel="run" href="run"/>
      </service>

      """)
  }

  @Test("elements in any order, of two the first, deeper ones not at all; blanks around a text are left out")
  func forgiving() {
    let text = """
      <service><link rel="other" href="no"/><x><state>no</state></x><link rel="run" href="a"/><link rel="run" href="b"/>
      <state>
       running </state><state>stopped</state><options allowStop="false"/><options allowStop="true"/>
      <name> N </name></service>
      """
    expectEqual(
      DIALApp.read(Array(text.utf8)), DIALApp(name: "N", state: "running", allowsStop: false, instance: "a"))
  }

  @Test(
    "what is none is told from one",
    arguments: [
      "", "<a><state>running</state></a>", "<service/>", "<service><state>", "x", "<service><state/></service>",
    ])
  func refused(text: String) {
    expectEqual(DIALApp.read(Array(text.utf8)), nil)
  }

  @Test("64 KiB are read, and not a byte more")
  func long() {
    let document = DIALApp(name: "a", state: "running").bytes
    let blanks = [UInt8](repeating: 32, count: DIALApp.byteCountMaximum - document.count)
    #expect(DIALApp.read(document + blanks) != nil)
    #expect(DIALApp.read(document + blanks + [32]) == nil)
  }

  @Test(
    "a name is one segment of a path",
    arguments: [
      ("YouTube", "YouTube"), ("a/b?c", "a%2Fb%3Fc"), ("é~-._", "%C3%A9~-._"), ("\u{1} ", "%01%20"), ("..", "%2E%2E"),
      (".", "%2E"), ("...", "..."),
    ])
  func segments(name: String, segment: String) { expectEqual(DIALApp.segment(name), segment) }
}

@Suite("What pairs with a Netcast television") struct NetcastPairingTests {
  @Test("each message is read as it was written")
  func roundTrip() {
    for message in [
      NetcastPairing.showKey, .hello(key: "3<1>4", port: 8_080), .cancel, .leave(port: 65_535),
    ] {
      expectEqual(NetcastPairing.read(message.bytes), message)
    }
    expectEqual(
      String(decoding: NetcastPairing.hello(key: "314159", port: 8_080).bytes, as: UTF8.self),
      """
      <?xml version="1.0" encoding="utf-8"?>
      <envelope>
        <api type="pairing">
          <name>hello</name>
          <value>314159</value>
          <port>8080</port>
        </api>
      </envelope>

      """)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", "<envelope><api type=\"pairing\"/></envelope>",
      "<envelope><api type=\"event\"><name>showKey</name></api></envelope>",
      "<envelope><api type=\"pairing\"><name>hello</name><value>1</value></api></envelope>",
      "<envelope><api type=\"pairing\"><name>hello</name><value>1</value><port>65536</port></api></envelope>",
      "<envelope><api type=\"pairing\"><name>showKey</name><value>1</value></api></envelope>",
      "<envelope><api type=\"pairing\"><name>showKey</name><name>showKey</name></api></envelope>",
      "<envelope><api type=\"pairing\"><name>showkey</name></api></envelope>",
      "<envelope><a><name>showKey</name></a></envelope>",
      "<letter><api type=\"pairing\"><name>showKey</name></api></letter>",
      "<envelope><api type=\"pairing\"><name>showKey</name><port>x</port></api></envelope>",
      "<envelope><api type=\"pairing\"><name>byebye</name><port>+8080</port></api></envelope>",
    ])
  func refused(text: String) { expectEqual(NetcastPairing.read(Array(text.utf8)), nil) }

  @Test("a key of 64 bytes is one, and a longer one is none")
  func longKey() {
    let key = String(repeating: "1", count: NetcastPairing.keyByteCountMaximum)
    expectEqual(NetcastPairing.read(NetcastPairing.hello(key: key, port: 1).bytes), .hello(key: key, port: 1))
    expectEqual(NetcastPairing.read(NetcastPairing.hello(key: key + "1", port: 1).bytes), nil)
  }
}
