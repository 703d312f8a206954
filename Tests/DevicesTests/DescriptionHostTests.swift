import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// A root device that is asked for its description by hand.
private struct Asked {
  var device: RootDevice
  var outbox = Outbox(payloads: PayloadStore())
  let stream = StreamID(.max)

  init(_ quirks: [Quirk] = [], services: [String] = [], television: TelevisionPlan = TelevisionPlan()) {
    var description = DeviceDescription(
      root: DevicePart(type: "urn:schemas-upnp-org:device:Basic:1", services: services))
    description.television = television
    let blueprint = DeviceBlueprint(description, quirks: quirks, servesDescriptions: true)
    device = RootDevice(blueprint, seed: Seed(1), name: "lamp")
  }

  /// What the device wants of streams after a signal.
  mutating func give(_ value: SignalValue, at seconds: Int64 = 0) -> [StreamEffect] {
    device.receive(value, at: .zero + .seconds(seconds), into: &outbox)
    return taken()
  }
  mutating func wake(at time: Instant) -> [StreamEffect] {
    device.wake(at: time, into: &outbox)
    return taken()
  }
  private mutating func taken() -> [StreamEffect] {
    defer { outbox.removeAll() }
    return outbox.effects.compactMap { if case .streams(let effect) = $0 { effect } else { nil } }
  }

  @discardableResult mutating func appear() -> [StreamEffect] {
    let address = InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)
    let change = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address])
    return give(.interface(change)) + give(.command(.act(.appear)))
  }

  mutating func accept(_ stream: StreamID? = nil, room: UInt32 = 65_536, at seconds: Int64 = 0) -> [StreamEffect] {
    let id = stream ?? self.stream
    let client = Endpoint(IPAddress(10, 0, 0, 2), port: 50_000)
    let local = Endpoint(IPAddress(10, 0, 0, 1), port: 49_152)
    return give(.streams(.accepted(id, listener: StreamID(1), local: local, remote: client)), at: seconds)
      + give(.streams(.room(id, byteCount: room)), at: seconds)
  }

  static func request(_ path: String = "/description.xml", method: String = "GET") -> [UInt8] {
    Array("\(method) \(path) HTTP/1.1\r\nHOST: 10.0.0.1\r\n\r\n".utf8)
  }

  /// The whole answer as text, up to its end.
  mutating func answer(_ request: [UInt8] = Asked.request()) -> String {
    _ = accept()
    return Asked.text(give(.streams(.bytes(stream, request))))
  }

  /// The same, in a conversation that ends, so that another can follow.
  mutating func conversation(_ request: [UInt8]) -> String {
    defer { _ = give(.streams(.ended(stream, .finished))) }
    return answer(request)
  }

  static func text(_ effects: [StreamEffect]) -> String {
    effects.map { effect in
      switch effect {
      case .write(_, let bytes): String(decoding: bytes, as: UTF8.self)
      case .finish: "|finish"
      case .reset: "|reset"
      default: "|\(effect.text)"
      }
    }.joined()
  }
}

@Suite("The description of a root device over HTTP")
struct DescriptionHostTests {
  @Test("it listens where LOCATION leads, while it is there")
  func listens() {
    var asked = Asked()
    let first = StreamEffect.listen(StreamID(1), at: Endpoint(IPAddress(v4: 0), port: 49_152), InterfaceID(0))
    expectEqual(asked.appear(), [first])
    // Another port: the old listener ends.
    let second = StreamEffect.listen(StreamID(2), at: Endpoint(IPAddress(v4: 0), port: 80), InterfaceID(0))
    expectEqual(asked.give(.command(.act(.relocate(port: 80)))), [.reset(StreamID(1)), second])
    _ = asked.accept()
    // A crash ends what was open.
    let crash = SignalValue.command(.act(.crash(downFor: .seconds(5), keepsState: true)))
    expectEqual(asked.give(crash, at: 1), [.reset(StreamID(2)), .reset(asked.stream)])
    let third = StreamEffect.listen(StreamID(3), at: Endpoint(IPAddress(v4: 0), port: 80), InterfaceID(0))
    expectEqual(asked.wake(at: .zero + .seconds(6)), [third])
    // What vanishes says nothing, not even that it is gone.
    expectEqual(asked.give(.command(.act(.vanish)), at: 7), [])
    expectEqual(asked.accept(StreamID(77), at: 8), [])
    expectEqual(asked.give(.streams(.bytes(StreamID(77), Asked.request())), at: 8), [])
  }

  @Test("a device that is renamed serves the new name at once, and one that leaves listens up to its last byebye")
  func renamesAndLeaves() {
    var asked = Asked()
    asked.appear()
    _ = asked.give(.command(.act(.rename(to: "Lantern"))))
    let document = String(decoding: asked.device.document(named: "Lantern").bytes, as: UTF8.self)
    #expect(document.contains("<friendlyName>Lantern</friendlyName>"))
    #expect(asked.conversation(Asked.request()).hasSuffix("\r\n\r\n" + document + "|finish"))
    // Its first messages go out.
    expectEqual(asked.wake(at: .zero + .seconds(1)), [])
    // A byebye set of three takes two more wakings.
    expectEqual(asked.give(.command(.act(.leave)), at: 1), [])
    expectEqual(asked.wake(at: .zero + .seconds(2)), [])
    expectEqual(asked.wake(at: .zero + .seconds(3)), [.reset(StreamID(1))])
  }

  @Test("a device that nobody asks for descriptions listens nowhere")
  func silent() {
    let blueprint = DeviceBlueprint(DeviceDescription(root: DevicePart(type: "urn:schemas-upnp-org:device:Basic:1")))
    var asked = Asked()
    asked.device = RootDevice(blueprint, seed: Seed(1), name: "lamp")
    expectEqual(asked.appear(), [])
  }

  @Test("GET and HEAD are answered, other methods and paths refused, and a request may come in pieces")
  func answers() throws {
    var asked = Asked()
    asked.appear()
    let document = String(decoding: asked.device.document().bytes, as: UTF8.self)
    let head =
      "HTTP/1.1 200 OK\r\nCONTENT-TYPE: text/xml; charset=\"utf-8\"\r\nCONTENT-LENGTH: \(document.utf8.count)\r\n"
      + "CONNECTION: close\r\n\r\n"
    expectEqual(asked.answer(), head + document + "|finish")
    // Both sides have ended it: the number is free.
    expectEqual(asked.give(.streams(.ended(asked.stream, .finished))), [])
    expectEqual(asked.answer(Asked.request(method: "HEAD")), head + "|finish")
    _ = asked.give(.streams(.ended(asked.stream, .finished)))
    #expect(asked.answer(Asked.request(method: "POST")).hasPrefix("HTTP/1.1 405 "))
    _ = asked.give(.streams(.ended(asked.stream, .finished)))
    #expect(asked.answer(Asked.request("/other.xml")).hasPrefix("HTTP/1.1 404 "))
    _ = asked.give(.streams(.ended(asked.stream, .finished)))
    #expect(asked.answer(Array("nonsense\r\n\r\n".utf8)).hasPrefix("HTTP/1.1 400 "))
    _ = asked.give(.streams(.ended(asked.stream, .finished)))
    _ = asked.accept()
    let request = Asked.request()
    for byte in request.dropLast() { expectEqual(asked.give(.streams(.bytes(asked.stream, [byte]))), []) }
    expectEqual(Asked.text(asked.give(.streams(.bytes(asked.stream, [request.last!])))), head + document + "|finish")
  }

  @Test("no more is written than there is room for")
  func room() {
    var asked = Asked()
    asked.appear()
    _ = asked.accept(room: 10)
    let first = asked.give(.streams(.bytes(asked.stream, Asked.request())))
    expectEqual(Asked.text(first), "HTTP/1.1 2")
    expectEqual(Asked.text(asked.give(.streams(.room(asked.stream, byteCount: 5)))), "00 OK")
    let rest = Asked.text(asked.give(.streams(.room(asked.stream, byteCount: 60_000))))
    #expect(rest.hasPrefix("\r\nCONTENT-TYPE") && rest.hasSuffix("</root>\n|finish"))
    expectEqual(asked.give(.streams(.room(asked.stream, byteCount: 60_000))), [])
  }

  @Test("who says nothing for 30 s is reset, and so is the 65th at a time")
  func bounds() {
    var asked = Asked()
    asked.appear()
    expectEqual(asked.accept(at: 1), [])
    #expect(asked.wake(at: .zero + .milliseconds(30_999)).isEmpty)
    expectEqual(asked.wake(at: .zero + .seconds(31)), [.reset(asked.stream)])
    for number in UInt32(1)...64 { expectEqual(asked.accept(StreamID(number + 100), at: 32), []) }
    expectEqual(asked.accept(StreamID(500), at: 32), [.reset(StreamID(500))])
  }

  @Test("each quirk of the server does what its row says")
  func quirks() {
    func answer(_ quirk: Quirk, _ request: [UInt8] = Asked.request()) -> String {
      var asked = Asked([quirk])
      asked.appear()
      return asked.answer(request)
    }
    var plain = Asked()
    plain.appear()
    let document = String(decoding: plain.device.document().bytes, as: UTF8.self)
    let count = document.utf8.count
    #expect(answer(.descriptionNotFound).hasPrefix("HTTP/1.1 404 "))
    #expect(answer(.descriptionFails).hasPrefix("HTTP/1.1 500 "))
    #expect(
      answer(.descriptionRedirects).contains("302")
        && answer(.descriptionRedirects).contains("LOCATION: /moved/description.xml\r\n"))
    #expect(answer(.descriptionRedirects, Asked.request("/moved/description.xml")).hasSuffix(document + "|finish"))
    #expect(answer(.descriptionRedirectLoop).contains("LOCATION: /description.xml\r\n"))
    #expect(
      answer(.descriptionOnOtherHost(IPAddress(203, 0, 113, 9))).contains(
        "LOCATION: http://203.0.113.9:49152/description.xml\r\n"))
    expectEqual(answer(.descriptionClosed), "|finish")
    #expect(answer(.descriptionWrongType).contains("CONTENT-TYPE: text/html\r\n"))
    let (head, close) = (
      "HTTP/1.1 200 OK\r\nCONTENT-TYPE: text/xml; charset=\"utf-8\"\r\n", "CONNECTION: close\r\n\r\n"
    )
    expectEqual(
      answer(.descriptionWrongLength), "\(head)CONTENT-LENGTH: \(count / 2)\r\n\(close)\(document)|finish")
    let half = String(decoding: document.utf8.prefix(count / 2), as: UTF8.self)
    expectEqual(answer(.descriptionTruncated), "\(head)CONTENT-LENGTH: \(count)\r\n\(close)\(half)|finish")
    let chunks = stride(from: 0, to: count, by: 100).map { start -> String in
      let chunk = document.utf8.dropFirst(start).prefix(100)
      return "\(String(chunk.count, radix: 16))\r\n\(String(decoding: chunk, as: UTF8.self))\r\n"
    }
    expectEqual(
      answer(.descriptionChunked),
      "\(head)TRANSFER-ENCODING: chunked\r\n\(close)\(chunks.joined())0\r\n\r\n|finish")
    for quirk in [Quirk.descriptionWrongLength, .descriptionTruncated, .descriptionChunked] {
      let asked = Asked.request(method: "HEAD")
      expectEqual(answer(quirk, asked), "\(head)CONTENT-LENGTH: \(count)\r\n\(close)|finish", "\(quirk)")
    }
    let endless = answer(.descriptionEndless)
    #expect(!endless.contains("CONTENT-LENGTH") && !endless.hasSuffix("|finish") && endless.utf8.count == 65_536)
  }

  @Test("a television names its apps beside its description, and its WebSockets end as it does")
  func television() {
    var plan = TelevisionPlan()
    (plan.apps, plan.webOS) = (["YouTube"], WebOSPlan())
    var asked = Asked(television: plan)
    func listening(_ first: UInt32) -> [StreamEffect] {
      let ports: [UInt16] = [49_152, 3_000]
      return ports.indices.map { index -> StreamEffect in
        let anywhere = Endpoint(IPAddress(v4: 0), port: ports[index])
        return .listen(StreamID(first + UInt32(index)), at: anywhere, InterfaceID(0))
      }
    }
    func open(_ stream: UInt32, at seconds: Int64) -> String {
      let (local, client) = (
        Endpoint(IPAddress(10, 0, 0, 1), port: 3_000), Endpoint(IPAddress(10, 0, 0, 2), port: 50_001)
      )
      let request = WebSocketHandshake.request(
        path: "/", authority: "10.0.0.1:3000", userAgent: "x", key: [UInt8](repeating: 1, count: 16))
      let id = StreamID(stream)
      let accepted = StreamSignal.accepted(id, listener: StreamID(2), local: local, remote: client)
      let effects =
        asked.give(.streams(accepted), at: seconds)
        + asked.give(.streams(.room(id, byteCount: 65_536)), at: seconds)
        + asked.give(.streams(.bytes(id, request)), at: seconds)
      return String(Asked.text(effects).prefix { $0 != "\r\n" })
    }
    expectEqual(asked.appear(), listening(1))
    let document = String(decoding: asked.device.document().bytes, as: UTF8.self)
    expectEqual(
      asked.conversation(Asked.request()),
      "HTTP/1.1 200 OK\r\nCONTENT-TYPE: text/xml; charset=\"utf-8\"\r\n"
        + "Application-URL: http://10.0.0.1:49152/apps/\r\nCONTENT-LENGTH: \(document.utf8.count)\r\n"
        + "CONNECTION: close\r\n\r\n\(document)|finish")
    expectEqual(open(90, at: 0), "HTTP/1.1 101 Switching Protocols")
    let crash = SignalValue.command(.act(.crash(downFor: .seconds(5), keepsState: true)))
    expectEqual(asked.give(crash, at: 1), [.reset(StreamID(2)), .reset(StreamID(1)), .reset(StreamID(90))])
    expectEqual(asked.wake(at: .zero + .seconds(6)), listening(3))
    for stream: UInt32 in [80, 81] { expectEqual(open(stream, at: 7), "HTTP/1.1 101 Switching Protocols") }
    // One that has vanished says nothing, and hears of what is gone.
    expectEqual(asked.give(.command(.act(.vanish)), at: 8), [])
    let ping = WebSocketMessage.ping([7]).frame(mask: 1)
    expectEqual(asked.give(.streams(.bytes(StreamID(80), ping)), at: 8), [])
    expectEqual(asked.give(.streams(.ended(StreamID(80), .reset)), at: 8), [])
    expectEqual(asked.give(.streams(.ended(StreamID(81), .finished)), at: 8), [])
    expectEqual(asked.give(.command(.act(.appear)), at: 9), [.reset(StreamID(81))])
  }

  @Test("a slow server answers when its time has come, one that is not ready answers the second request")
  func slowAndSecond() {
    var slow = Asked([.descriptionSlow(.seconds(5))])
    slow.appear()
    expectEqual(slow.answer(), "")
    #expect(slow.wake(at: .zero + .milliseconds(4_999)).isEmpty)
    #expect(Asked.text(slow.wake(at: .zero + .seconds(5))).hasPrefix("HTTP/1.1 200 "))
    var second = Asked([.descriptionSecondTime])
    second.appear()
    #expect(second.answer().hasPrefix("HTTP/1.1 503 "))
    _ = second.give(.streams(.ended(second.stream, .finished)))
    #expect(second.answer().hasPrefix("HTTP/1.1 200 "))
  }

  @Test("the document has the present CONFIGID, unless a quirk keeps the first")
  func configID() {
    for (quirks, expected) in [([], "configId=\"2\""), ([Quirk.descriptionKeepsConfigID], "configId=\"1\"")] {
      var asked = Asked(quirks)
      asked.appear()
      _ = asked.give(.command(.act(.reconfigure)))
      #expect(asked.answer().contains(expected))
    }
  }

  @Test("the document names the device, unless a quirk has it name another, or another type")
  func names() {
    func lines(_ quirks: [Quirk], _ element: String) -> [Substring] {
      var asked = Asked(quirks)
      asked.appear()
      return asked.answer().split(whereSeparator: \.isNewline).filter { $0.contains("<\(element)>") }
    }
    for (quirk, changed) in [(Quirk.descriptionOtherUDN, "UDN"), (.descriptionOtherType, "deviceType")] {
      for element in ["UDN", "deviceType", "serviceType", "friendlyName"] {
        expectEqual(lines([quirk], element) == lines([], element), element != changed, "\(quirk), \(element)")
      }
      #expect(!lines([], changed).isEmpty)
    }
  }

  @Test("everything that the description names is there: descriptions of services, their control and their events")
  func services() throws {
    let types = ["urn:schemas-upnp-org:service:SwitchPower:1", "urn:rollcall-example:service:Nothing:1"]
    var asked = Asked(services: types)
    asked.appear()
    let services = asked.device.document().root.services
    expectEqual(services.map(\.type), types)
    for service in services {
      let scpd = asked.conversation(Asked.request(service.descriptionPath))
      #expect(scpd.hasPrefix("HTTP/1.1 200 OK\r\nCONTENT-TYPE: text/xml"), "\(scpd)")
      #expect(scpd.contains("</scpd>"), "\(scpd)")
      #expect(!asked.conversation(Asked.request(service.descriptionPath, method: "HEAD")).contains("</scpd>"))
      for (path, method) in [
        (service.descriptionPath, "POST"), (service.controlPath, "GET"), (service.eventPath, "GET"),
      ] {
        #expect(asked.conversation(Asked.request(path, method: method)).hasPrefix("HTTP/1.1 405"), "\(method) \(path)")
      }
    }
    #expect(asked.conversation(Asked.request("/service/3/scpd.xml")).hasPrefix("HTTP/1.1 404"))
    let call = SOAPCall(serviceType: types[0], action: "GetTarget")
    let head =
      "POST \(services[0].controlPath) HTTP/1.1\r\nHOST: a\r\nSOAPACTION: \(call.actionField)\r\n"
      + "CONTENT-LENGTH: \(call.bytes.count)\r\n\r\n"
    let said = asked.conversation(Array(head.utf8) + call.bytes)
    #expect(said.hasPrefix("HTTP/1.1 200 OK\r\n") && said.contains("<RetTargetValue>0</RetTargetValue>"), "\(said)")
    #expect(said.contains("\r\nEXT: \r\nSERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\n"), "\(said)")
  }

  @Test("the first values go to a subscriber, while the device is there")
  func events() {
    var asked = Asked(services: ["urn:schemas-upnp-org:service:SwitchPower:1"])
    asked.appear()
    func subscription(_ callback: String) -> [UInt8] {
      let path = asked.device.document().root.services[0].eventPath
      return Array(
        "SUBSCRIBE \(path) HTTP/1.1\r\nHOST: a\r\nNT: upnp:event\r\nCALLBACK: <\(callback)>\r\n\r\n".utf8)
    }
    #expect(asked.conversation(subscription("http://10.0.1.2:80/")).hasPrefix("HTTP/1.1 412"))
    // An address of the device itself is on its subnet, too.
    for callback in ["http://10.0.0.2:80/", "http://10.0.0.1:81/"] {
      #expect(asked.conversation(subscription(callback)).contains("\r\nTIMEOUT: Second-1800\r\n"))
    }
    let opened = asked.wake(at: .zero + .milliseconds(100)).filter { if case .connect = $0 { true } else { false } }
    expectEqual(
      opened,
      [
        .connect(StreamID(2), to: Endpoint(IPAddress(10, 0, 0, 2), port: 80), InterfaceID(0)),
        .connect(StreamID(3), to: Endpoint(IPAddress(10, 0, 0, 1), port: 81), InterfaceID(0)),
      ])
    let written = Asked.text(asked.give(.streams(.room(StreamID(2), byteCount: 65_536))))
    #expect(written.hasPrefix("NOTIFY / HTTP/1.1\r\nHOST: 10.0.0.2:80\r\n"), "\(written)")
    #expect(written.contains("<Status>0</Status>"), "\(written)")
    let gone = asked.give(.command(.act(.vanish)))
    expectEqual(gone.filter { if case .reset = $0 { true } else { false } }, [])
    expectEqual(asked.give(.streams(.room(StreamID(3), byteCount: 65_536))), [])
  }
}
