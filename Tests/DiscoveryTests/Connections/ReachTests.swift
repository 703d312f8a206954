import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDiscovery

/// Where requests go, what stands in them, and how their streams end.
@Suite("How connections reach a device") struct ReachTests {
  private static let local = Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)

  /// The bytes that are written to the first stream of a rig after it opened.
  private static func written(_ rig: inout ConnectionRig, _ stream: UInt32 = 1) -> String {
    let id = StreamID(DeviceConnections.firstStream + stream)
    rig.connections.receive(.opened(id, local: local), at: .zero, into: &rig.outbox)
    rig.connections.receive(.room(id, byteCount: 65_536), at: .zero, into: &rig.outbox)
    defer { rig.outbox.removeAll() }
    return rig.outbox.effects.compactMap { effect in
      guard case .streams(.write(_, let bytes)) = effect else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }.joined()
  }

  @Test("requests say who asks and what they bring")
  func requests() {
    var rig = ConnectionRig.ready()
    _ = rig.ask(.launch(app: "a", content: "hi"))
    expectEqual(
      ReachTests.written(&rig),
      "POST /apps/a HTTP/1.1\r\nHOST: 10.0.0.9:8060\r\nUSER-AGENT: x/1\r\nACCEPT: text/xml, */*\r\n"
        + "ACCEPT-ENCODING: identity\r\nCONTENT-TYPE: text/plain; charset=utf-8\r\nCONTENT-LENGTH: 2\r\n"
        + "CONNECTION: close\r\n\r\nhi")
    rig = ConnectionRig()
    _ = rig.ask(.connect, [ConnectionRig.netcast()])
    let text = ReachTests.written(&rig)
    for field in [
      "HOST: 10.0.0.9:8080\r\n", "USER-AGENT: UDAP/2.0\r\n", "CONTENT-TYPE: text/xml; charset=utf-8\r\n",
    ] { #expect(text.contains(field)) }
  }

  @Test("the URL of the apps may end with a slash, and of two services the one of the session is asked")
  func services() {
    var rig = ConnectionRig.ready()
    let two = [
      ConnectionRig.dial(apps: ConnectionRig.apps + "/"), ConnectionRig.dial(apps: "http://10.0.0.9:81/other"),
    ]
    _ = rig.ask(.state(app: "a"), two)
    #expect(ReachTests.written(&rig).hasPrefix("GET /apps/a HTTP/1.1\r\n"))
    var second = two[1]
    second.id = "Other"
    let session = LaunchSession(appID: "a", sessionID: "http://10.0.0.9:81/other/a/run", serviceID: "Other")
    expectEqual(rig.ask(.join(.known(session)), [two[0], second]), ["2 connect 10.0.0.9:81"])
    #expect(ReachTests.written(&rig, 2).hasPrefix("GET /other/a HTTP/1.1\r\n"))
  }

  @Test("a device is asked by the interface that heard it, as long as that has an address on its link")
  func interfaces() {
    var rig = ConnectionRig.ready()
    let other = InterfaceID(1)
    var service = ConnectionRig.dial()
    service.interface = other
    func refused(_ lines: [String]) -> Bool { lines.last?.contains("there is none") == true }
    #expect(refused(rig.ask(.state(app: "a"), [service])))
    let addresses = [InterfaceAddress(IPAddress(10, 0, 0, 2), prefixBits: 24)]
    rig.connections.take(InterfaceChange(interface: other, isUp: true, addresses: addresses))
    rig.connections.take(
      .app(AppRequest(1, .state(app: "a"))), of: "1", [service], at: .zero, into: &rig.outbox)
    expectEqual(
      rig.outbox.effects,
      [
        .streams(
          .connect(
            StreamID(DeviceConnections.firstStream + 1), to: Endpoint(ConnectionRig.tv, port: 8_060), other))
      ])
    rig.outbox.removeAll()
    rig.connections.take(InterfaceChange(interface: other, isUp: false, addresses: []))
    #expect(refused(rig.ask(.state(app: "a"), [service])))
    expectEqual(rig.ask(.state(app: "a")), ["2 connect 10.0.0.9:8060"])
  }

  @Test("a device that another host announced is asked itself, if it is on the link of that host")
  func announced() {
    // On the link, somewhere else, and our own.
    let hosts = [IPAddress(10, 0, 0, 7), IPAddress(203, 0, 113, 7), IPAddress(10, 0, 0, 1)]
    for (host, isAsked) in zip(hosts, [true, false, false]) {
      var rig = ConnectionRig()
      var (netcast, webOS) = (ConnectionRig.netcast(), ConnectionRig.webOS())
      (netcast.announcedHost, webOS.announcedHost) = (host, host)
      expectEqual(rig.ask(.connect, [netcast]).contains("1 connect \(host):8080"), isAsked)
      rig = ConnectionRig()
      expectEqual(rig.ask(.connect, [webOS]).contains("1 connect \(host):3000"), isAsked)
    }
  }

  @Test("the loopback is asked only where that is allowed")
  func loopback() {
    for allows in [true, false] {
      var connections = DeviceConnections(userAgent: "x", allowsLoopback: allows)
      var outbox = Outbox(payloads: PayloadStore())
      let host = IPAddress(127, 0, 0, 1)
      connections.take(
        InterfaceChange(
          interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(host, prefixBits: 8)]))
      let service = ReachableService(
        id: "DIAL", owner: "uuid:a", pairing: .none, control: .dial, source: host, interface: InterfaceID(0),
        applicationURL: "http://127.0.0.1:80/apps")
      connections.take(.connect, of: "1", [service], at: .zero, into: &outbox)
      connections.take(.app(AppRequest(1, .state(app: "a"))), of: "1", [service], at: .zero, into: &outbox)
      expectEqual(outbox.count, allows ? 1 : 0)
    }
  }

  @Test("16 streams wait for their servers to end them, and more are reset at once")
  func closing() {
    var rig = ConnectionRig.ready()
    var ends: [String] = []
    for number in 1...17 {
      _ = rig.ask(.state(app: "a"))
      let id = StreamID(DeviceConnections.firstStream + UInt32(number))
      _ = rig.give(.room(id, byteCount: 65_536))
      ends += rig.give(.bytes(id, Array("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".utf8))).prefix(1)
    }
    expectEqual(ends, (1...16).map { "\($0) finish" } + ["17 reset"])
    // A server that ends one of them makes room for another one.
    _ = rig.give(.ended(StreamID(DeviceConnections.firstStream + 3), .finished))
    _ = rig.ask(.state(app: "a"))
    let id = StreamID(DeviceConnections.firstStream + 18)
    _ = rig.give(.room(id, byteCount: 65_536))
    expectEqual(rig.give(.bytes(id, Array("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".utf8))).first, "18 finish")
  }

  @Test("streams of others are none of theirs")
  func others() {
    var rig = ConnectionRig.ready()
    _ = rig.ask(.state(app: "a"))
    for stream in [StreamID(1), StreamID(DeviceConnections.firstStream), StreamID(DeviceConnections.firstStream + 2)] {
      expectEqual(rig.give(.room(stream, byteCount: 1)), [])
      expectEqual(rig.give(.ended(stream, .reset)), [])
    }
    expectEqual(
      rig.give(.accepted(StreamID(.max), listener: StreamID(1), local: ReachTests.local, remote: ReachTests.local)), [])
    expectEqual(rig.connections.pending.count, 1)
  }
}
