import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

/// Lives that show the faults of connections to devices.
extension SwitchTests {
  private static let uuid = "uuid:a"
  private static let pin = ServiceRegistration("A", filter: "urn:x:service:a:1", pairing: .pin)
  private static let dial = ServiceRegistration.dial

  private static func device(_ command: DeviceCommand, at seconds: Double) -> EngineStep {
    .command(.manager(.device(uuid, command)), at: seconds)
  }

  private static func app(_ deed: AppRequest.Deed, at seconds: Double) -> EngineStep {
    device(.app(AppRequest(1, deed)), at: seconds)
  }

  /// What the stream of this number, of those that connections open or of all others, brings.
  private static func answered(
    _ number: UInt32, _ head: String, _ body: [UInt8] = [], ofConnections: Bool = true, at seconds: Double
  ) -> [EngineStep] {
    let stream = StreamID(ofConnections ? 0x4000_0000 + number : number)
    let bytes = Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    let signals: [StreamSignal] = [
      .opened(stream, local: Endpoint(EngineRig.ours, port: 50_000)), .room(stream, byteCount: 65_536),
      .bytes(stream, bytes), .ended(stream, .finished),
    ]
    return signals.map { .signal(.streams($0), at: seconds) }
  }

  /// A device of this registration is there and is to be connected.
  private static func connected(_ registration: ServiceRegistration) -> [EngineStep] {
    let location = "http://\(EngineRig.tv):80/a"
    let device = DescriptionDocument.Device(
      type: "urn:x:device:d:1", friendlyName: "n", manufacturer: "m", modelName: "m", udn: uuid)
    let document = DescriptionDocument(major: 1, minor: 0, configID: nil, root: device).bytes
    return [.hear(alive("a", registration.filter, location: location), from: EngineRig.tv, at: 1)]
      + answered(
        1, "200 OK\r\nApplication-URL: http://\(EngineRig.tv):80/apps", document, ofConnections: false, at: 2)
      + [self.device(.connect, at: 3)]
  }

  private func managed(
    _ registration: ServiceRegistration, _ level: PairingLevel = .on, keeps: DeviceStorePolicy? = nil
  ) -> EngineConfigure {
    { configuration in
      var setup = DiscoverySetup()
      (setup.registrations, setup.searches, setup.pairingLevel) = ([registration], false, level)
      configuration.manager = ManagerConfiguration(setup)
      configuration.manager?.store = keeps
      configuration.descriptions = .fetch
    }
  }

  /// How a server answers the first request for a WebSocket of connections with the seed 0.
  private static var upgraded: [UInt8] {
    var dice = Seed(0).stream("manager/web-sockets")
    var own = RandomStream(mixing: dice.next(), dice.next())
    let key = (0..<16).map { _ in UInt8(truncatingIfNeeded: own.next()) }
    let request = WebSocketHandshake.request(path: "/", authority: "x", userAgent: "x", key: key)
    guard case .head(let head) = HTTPRequestHead.read(request),
      case .upgrade(let bytes) = WebSocketHandshake.answer(to: head)
    else { return [] }
    return bytes
  }

  /// A webOS television is there and ready, over this stream; then these signals come.
  private static let link = StreamID(0x4000_0001)
  private static func linked(_ signals: [StreamSignal] = []) -> [EngineStep] {
    let key = SSAPMessage(.registered, id: "1", payload: .members(("client-key", .string("k"))))
    let opened: [StreamSignal] = [
      .opened(link, local: Endpoint(EngineRig.ours, port: 50_000)), .room(link, byteCount: 65_536),
      .bytes(link, upgraded + frame(key)),
    ]
    return connected(.webOS) + (opened + signals).map { .signal(.streams($0), at: 5) }
  }
  private static func frame(_ message: SSAPMessage) -> [UInt8] { WebSocketMessage.text(message.text).frame(mask: nil) }

  func connectionLife(of fault: EngineSwitch) -> ([EngineStep], EngineConfigure) {
    let asked = SwitchTests.connected(SwitchTests.pin) + SwitchTests.answered(1, "200 OK", at: 4)
    let ready = SwitchTests.connected(SwitchTests.dial)
    switch fault {
    case .readyUnpaired: return (SwitchTests.connected(SwitchTests.pin), managed(SwitchTests.pin))
    case .pairsUnasked: return (SwitchTests.connected(SwitchTests.pin), managed(SwitchTests.pin, .off))
    case .wrongKeyTaken:
      return (
        asked + [SwitchTests.device(.pair(key: "1"), at: 5)] + SwitchTests.answered(2, "401 No", at: 6),
        managed(SwitchTests.pin)
      )
    case .keysNotKept:
      return (
        [.signal(.store(.value(key: "devices", nil)), at: 0)] + asked + [SwitchTests.device(.pair(key: "1"), at: 5)]
          + SwitchTests.answered(2, "200 OK", at: 6), managed(SwitchTests.pin, keeps: .keepsDiscovered)
      )
    case .typingAwaitedForEver: return (asked + [.run(until: 90)], managed(SwitchTests.pin))
    case .connectionOutlivesDevice:
      return (ready + [.hear(byebye("a", SwitchTests.dial.filter), at: 5)], managed(SwitchTests.dial))
    case .goneSessionJoined:
      let session = LaunchSession(
        appID: "x", sessionID: "http://\(EngineRig.tv):80/apps/x/run-1", serviceID: "DIAL")
      let document = DIALApp(name: "x", state: "running", instance: "run-2").bytes
      return (
        ready + [SwitchTests.app(.join(.known(session)), at: 5)] + SwitchTests.answered(1, "200 OK", document, at: 6),
        managed(SwitchTests.dial)
      )
    case .appAnswersAwaitedForEver:
      return (ready + [SwitchTests.app(.state(app: "x"), at: 5), .run(until: 60)], managed(SwitchTests.dial))
    case .keysForgotten:
      let paired =
        asked + [SwitchTests.device(.pair(key: "1"), at: 5)] + SwitchTests.answered(2, "200 OK", at: 6)
        + [SwitchTests.device(.disconnect, at: 7)] + SwitchTests.answered(3, "200 OK", at: 8)
      return (
        paired + [SwitchTests.device(.connect, at: 9)] + SwitchTests.answered(4, "200 OK", at: 10),
        managed(SwitchTests.pin)
      )
    case .linkLossIgnored:
      return (SwitchTests.linked([.ended(SwitchTests.link, .reset)]), managed(.webOS, .off))
    case .webAppsUnheard, .webAppEndsUnnoticed:
      let joined = JSONValue.members(
        ("state", .string("CONNECTED")), ("sessionId", .string("s")), ("appId", .string("host-quiz")))
      let over = JSONValue.members(("state", .string("WAITING_FOR_APP")))
      let said: [SSAPMessage] = [
        SSAPMessage(.response, id: "2", payload: joined), .peer(from: "host-quiz", .string("hello")),
        SSAPMessage(.response, id: "2", payload: over),
      ]
      let bytes = said.flatMap { SwitchTests.frame($0) }
      return (
        SwitchTests.linked() + [
          SwitchTests.app(.joinWebApp(app: "quiz"), at: 6),
          .signal(.streams(.bytes(SwitchTests.link, bytes)), at: 7),
        ], managed(.webOS, .off)
      )
    default: preconditionFailure("\(fault) has no life")
    }
  }
}
