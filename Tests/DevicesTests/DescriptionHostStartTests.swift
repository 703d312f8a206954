import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("The HTTP side of a root device from start to start") struct DescriptionHostStartTests {
  /// A host by itself, of a webOS television with one service; it answers a request for its description with the
  /// number of requests before it.
  private struct Rig {
    var host: DescriptionHost
    var habits = DescriptionHabits()
    var outbox = Outbox(payloads: PayloadStore())
    var now = Instant.zero
    var lastAccepted: UInt32 = 1_000

    static let service = DescriptionDocument.Service(
      type: "urn:schemas-upnp-org:service:SwitchPower:1", number: 1, below: "/service/")
    static let document = DescriptionDocument(
      major: 2, minor: 0, configID: 1,
      root: DescriptionDocument.Device(
        type: "urn:schemas-upnp-org:device:Basic:1", friendlyName: "a", manufacturer: "b", modelName: "c",
        udn: "uuid:d", services: [Rig.service]))

    init() {
      var plan = TelevisionPlan()
      var webOS = WebOSPlan()
      webOS.webApps = ["quiz"]
      (plan.apps, plan.webOS) = (["YouTube"], webOS)
      host = DescriptionHost(plan)
    }

    mutating func give(_ signal: StreamSignal) -> [StreamEffect] {
      let delay = habits.delay
      let owner = DescriptionHost.Owner(
        habits: habits,
        publisher: EventPublisher.Publisher(
          sid: { "uuid:\($0)" }, product: "a UPnP/2.0 b", answerDelay: delay, interface: { _ in InterfaceID(0) }),
        own: { $0 }, servicesPath: "/service/", document: { Rig.document })
      host.receive(signal, of: owner, at: now, into: &outbox) { _, _, requests in Array("\(requests)".utf8) }
      return taken()
    }
    mutating func start(hasForgotten: Bool) -> [StreamEffect] {
      host.start(hasForgotten: hasForgotten, into: &outbox)
      return taken()
    }
    mutating func listen(at places: [DescriptionHost.Place]) -> [StreamEffect] {
      host.listen(at: places, into: &outbox)
      return taken()
    }
    mutating func run(to time: Interval) -> [StreamEffect] {
      now = .zero + time
      host.advance(to: now, into: &outbox)
      return taken()
    }
    mutating func taken() -> [StreamEffect] {
      defer { outbox.removeAll() }
      return outbox.effects.compactMap { if case .streams(let effect) = $0 { effect } else { nil } }
    }

    mutating func accept(port: UInt16) -> StreamID {
      lastAccepted += 1
      let stream = StreamID(lastAccepted)
      let local = Endpoint(IPAddress(10, 0, 0, 1), port: port)
      let remote = Endpoint(IPAddress(10, 0, 0, 2), port: 50_000)
      _ = give(.accepted(stream, listener: StreamID(1), local: local, remote: remote))
      _ = give(.room(stream, byteCount: 65_536))
      return stream
    }

    /// What is wanted upon a request on a connection of its own, which the other side ends behind it.
    mutating func exchange(_ line: String, _ fields: String = "") -> [StreamEffect] {
      let stream = accept(port: 49_152)
      let effects = give(.bytes(stream, Array("\(line) HTTP/1.1\r\nHOST: a\r\n\(fields)\r\n".utf8)))
      return effects + give(.ended(stream, .finished))
    }
    mutating func ask(_ line: String) -> String { Rig.text(exchange(line)) }

    static func text(_ effects: [StreamEffect]) -> String {
      effects.map { effect in
        switch effect {
        case .write(_, let bytes): String(decoding: bytes, as: UTF8.self)
        case .finish: "|finish"
        default: "|something else"
        }
      }.joined()
    }
    static func text(_ response: HTTPResponse, isHead: Bool = false) -> String {
      String(decoding: response.bytes(isHead: isHead), as: UTF8.self) + "|finish"
    }
    /// What is said of the app.
    static func app(_ state: String, _ instance: String? = nil) -> String {
      text(HTTPResponse.description(DIALApp(name: "YouTube", state: state, instance: instance).bytes))
    }

    /// A WebSocket.
    mutating func open() -> StreamID {
      let stream = accept(port: SSAPMessage.port)
      let request = WebSocketHandshake.request(
        path: "/", authority: "10.0.0.1:3000", userAgent: "x", key: [UInt8](repeating: 1, count: 16))
      _ = give(.bytes(stream, request))
      return stream
    }
    mutating func say(_ message: SSAPMessage, _ stream: StreamID) -> [StreamEffect] {
      give(.bytes(stream, WebSocketMessage.text(message.text).frame(mask: 1)))
    }
    static func said(_ message: SSAPMessage, _ stream: StreamID) -> StreamEffect {
      .write(stream, WebSocketMessage.text(message.text).frame(mask: nil))
    }
    static func registered(_ key: String, _ stream: StreamID) -> StreamEffect {
      said(SSAPMessage(.registered, id: "1", payload: .members(("client-key", .string(key)))), stream)
    }
  }

  @Test("requests are counted from each start, and a device that had vanished hears them again")
  func counts() {
    var rig = Rig()
    for number in 0...2 { expectEqual(rig.ask("GET /x"), "\(number)|finish") }
    rig.host.isMute = true
    expectEqual(rig.ask("GET /x"), "")
    expectEqual(rig.start(hasForgotten: false), [])
    for number in 0...1 { expectEqual(rig.ask("GET /x"), "\(number)|finish") }
  }

  @Test("a start ends the app on the screen and all WebSockets; keys of applications go where its memory is lost")
  func starts() {
    var rig = Rig()
    let first = rig.open()
    expectEqual(rig.say(.register(id: "1", key: nil, .open), first), [Rig.registered("client-1", first)])
    expectEqual(
      rig.ask("POST /apps/YouTube"),
      Rig.text(HTTPResponse(status: 201, fields: [("LOCATION", "http://10.0.0.1:49152/apps/YouTube/run-1")])))
    expectEqual(rig.ask("GET /apps/YouTube"), Rig.app("running", "run-1"))
    expectEqual(rig.start(hasForgotten: false), [.reset(first)])
    expectEqual(rig.ask("GET /apps/YouTube"), Rig.app("stopped"))
    expectEqual(rig.ask("HEAD /apps/YouTube"), Rig.text(.refusal(405), isHead: true))
    let second = rig.open()
    expectEqual(rig.say(.register(id: "1", key: "client-1", .open), second), [Rig.registered("client-1", second)])
    expectEqual(rig.start(hasForgotten: true), [.reset(second)])
    let third = rig.open()
    expectEqual(rig.say(.register(id: "1", key: "client-1", .open), third), [Rig.registered("client-2", third)])
  }

  @Test("an app that DIAL brings to the screen ends a web app, and the application on a WebSocket hears of it")
  func webApps() {
    var rig = Rig()
    let stream = rig.open()
    _ = rig.say(.register(id: "1", key: nil, .open), stream)
    _ = rig.say(SSAPRequest.launchWebApp("quiz", content: nil).message(id: "2"), stream)
    _ = rig.say(SSAPRequest.connectToApp("quiz", session: nil).message(id: "3"), stream)
    let waiting = JSONValue.members(("returnValue", .bool(true)), ("state", .string("WAITING_FOR_APP")))
    let effects = rig.exchange("POST /apps/YouTube")
    expectEqual(
      Rig.text(Array(effects.dropLast())),
      Rig.text(HTTPResponse(status: 201, fields: [("LOCATION", "http://10.0.0.1:49152/apps/YouTube/run-2")])))
    expectEqual(effects.last, Rig.said(SSAPMessage(.response, id: "3", payload: waiting), stream))
  }

  @Test("a connection for a WebSocket that says nothing is reset after 30 s, and the deadline says so before")
  func patience() {
    var rig = Rig()
    let stream = rig.accept(port: SSAPMessage.port)
    expectEqual(rig.host.deadline, .zero + .seconds(30))
    expectEqual(rig.run(to: .milliseconds(29_999)), [])
    expectEqual(rig.run(to: .seconds(30)), [.reset(stream)])
    expectEqual(rig.host.deadline, .never)
  }

  @Test("a slow device sends the description of a service as late as its own")
  func slow() {
    var rig = Rig()
    let line = "GET \(Rig.service.descriptionPath)"
    let prompt = rig.ask(line)
    #expect(prompt.hasPrefix("HTTP/1.1 200 OK\r\n") && prompt.hasSuffix("</scpd>\n|finish"), "\(prompt)")
    rig.habits.delay = .seconds(5)
    expectEqual(rig.ask(line), "")
    expectEqual(rig.host.deadline, .zero + .seconds(5))
    expectEqual(rig.run(to: .milliseconds(4_999)), [])
    expectEqual(Rig.text(rig.run(to: .seconds(5))), prompt)
  }

  @Test("the messages to subscribers end with the network, and with the next start of a device that had vanished")
  func events() {
    var rig = Rig()
    let fields = "NT: upnp:event\r\nCALLBACK: <http://10.0.0.2:80/>\r\n"
    let subscriber = Endpoint(IPAddress(10, 0, 0, 2), port: 80)
    func subscribe() -> String {
      String(Rig.text(rig.exchange("SUBSCRIBE \(Rig.service.eventPath)", fields)).prefix(15))
    }
    expectEqual(subscribe(), "HTTP/1.1 200 OK")
    expectEqual(rig.run(to: .milliseconds(100)), [.connect(StreamID(1), to: subscriber, InterfaceID(0))])
    expectEqual(rig.listen(at: []), [.reset(StreamID(1))])
    expectEqual(subscribe(), "HTTP/1.1 200 OK")
    expectEqual(rig.run(to: .milliseconds(200)), [.connect(StreamID(2), to: subscriber, InterfaceID(0))])
    rig.host.isMute = true
    expectEqual(rig.listen(at: []), [])
    expectEqual(rig.start(hasForgotten: false), [.reset(StreamID(2))])
    expectEqual(rig.host.deadline, .never)
  }
}
