package import RollcallDiscovery
import RollcallPrimitives
import RollcallWire

extension FuzzTarget {
  /// Connections to devices: bytes choose what the application asks, what devices answer, when they are lost and how time
  /// goes. Each request about an app has one answer; a device is ready, disconnected or not connected in the order in which
  /// that can be; a web app says something and ends only while it is joined; nothing is written to a stream that is not open; in
  /// the end nothing is waited for.
  package static let connections = connections(planting: [])

  /// The same with faults in the connections, which it has to notice.
  package static func connections(planting faults: ConnectionFaults) -> FuzzTarget {
    FuzzTarget(
      name: "connections", kind: .machine, dictionary: ["\u{3}\u{0}\u{0}", "\u{0}\u{0}\u{1}"],
      seeds: ConnectionScript.seeds
    ) {
      (bytes: [UInt8]) throws(FuzzFinding) in
      var script = ConnectionScript(bytes, planting: faults)
      try script.run()
    }
  }
}

private struct ConnectionScript {
  static let seeds: [[UInt8]] = [
    // A number is asked for, typed and right.
    [0, 0, 1, 3, 0, 0, 0, 2, 0, 1, 3, 1, 0, 0],
    // A number that is wrong, and a device that is lost while another one is to be typed.
    [0, 0, 1, 3, 0, 0, 0, 2, 0, 1, 3, 1, 2, 0, 0, 0, 1, 3, 2, 0, 0, 6, 1],
    // An app is launched, joined and closed.
    [0, 0, 0, 4, 0, 0, 0, 0, 3, 0, 1, 0, 4, 0, 0, 2, 0, 3, 1, 4, 0, 4, 0, 0, 4, 0, 3, 2, 0, 0],
    // A WebSocket stands, the user agrees, a web app is launched and the connection ends.
    [1, 3, 3, 0, 0, 0, 3, 0, 1, 0, 3, 0, 2, 0, 4, 0, 0, 1, 3, 3, 0, 4, 1, 3, 0, 9, 1],
    // Nobody answers; then nobody types.
    [0, 0, 1, 5, 11, 0, 0, 1, 3, 0, 0, 0, 5, 61],
  ]

  /// The first launches apps, the second shows a number, the third does both, the fourth is controlled over a WebSocket.
  private static let uuids = (0..<4).map { "uuid:00000000-0000-4000-8000-00000000000\($0)" }
  private static let pin = "urn:x:service:remote:1"
  private static let apps = ["a", "b", "", "a/b"]

  private enum Stage { case none, connecting, ready }
  private enum Stream { case asked, open, ended }

  private var choices: ByteChoices
  private var manager: DeviceManager
  private var outbox = Outbox(payloads: PayloadStore())
  private var now = Instant.zero
  private var stages: [String: Stage] = [:]
  private var isPresent = [false, false, false, false]
  private var streams: [StreamID: Stream] = [:]
  /// What was sent first on streams to the port of webOS; `nil`: nothing yet.
  private var greetings: [StreamID: [UInt8]?] = [:]
  /// The last of them, and the device that it leads to.
  private var lastLink: StreamID?
  private var linkedID: String?
  /// Streams that may be answered, in the order in which they were opened.
  private var open: [StreamID] = []
  /// Numbers of requests that are not answered yet.
  private var asked: [UInt32] = []
  private var requestTotal: UInt32 = 0
  /// Web apps that are joined, by the ids of their devices.
  private var joined: [(id: String, session: LaunchSession)] = []
  /// Whether what came last was the answer that the user's number is right, or that the user agrees.
  private var isRight = false

  init(_ bytes: [UInt8], planting faults: ConnectionFaults) {
    choices = ByteChoices(bytes)
    var setup = DiscoverySetup()
    setup.registrations = [
      .dial, .webOS,
      ServiceRegistration("Remote", filter: ConnectionScript.pin, capabilities: ["Key.One"], pairing: .pin),
    ]
    (setup.searches, setup.pairingLevel) = (false, .on)
    var configuration = ManagerConfiguration(setup)
    configuration.connectionFaults = faults
    manager = DeviceManager(configuration, awaitsDescriptions: true)
    let address = InterfaceAddress(IPAddress(10, 0, 0, 100), prefixBits: 24)
    manager.take(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address]), at: now)
  }

  mutating func run() throws(FuzzFinding) {
    for number in 0..<4 { find(number) }
    try settle()
    while !choices.isOver {
      try step()
      try settle()
    }
    // Whatever was begun ends by itself.
    for _ in 0..<256 {
      guard manager.deadline != .never else { break }
      now = max(now, manager.deadline)
      manager.advanceConnections(to: now, into: &outbox)
      try settle()
    }
    try expect(manager.deadline == .never, "something is due again and again")
    try expect(asked.isEmpty, "requests \(asked) have no answer")
    for (id, stage) in stages.sorted(by: { $0.key < $1.key }) {
      try expect(stage != .connecting, "\(id) is being connected for ever")
    }
  }

  // MARK: - What happens

  private mutating func step() throws(FuzzFinding) {
    isRight = false
    switch choices.below(8) {
    case 0: ask(choices.pick([.connect, .disconnect, .cancelPairing]))
    case 1: ask(.connect)
    case 2: ask(.pair(key: choices.pick(["1", "", String(repeating: "9", count: 65)])))
    case 3: try answer()
    case 4: ask(app())
    case 5:
      now += .seconds(Int64(choices.byte()))
      manager.advanceConnections(to: now, into: &outbox)
    case 6:
      let number = choices.below(4)
      if isPresent[number] { lose(number) } else { find(number) }
    default: manager.take(choices.bool() ? .stop : .start, at: now, into: &outbox)
    }
  }

  private mutating func ask(_ command: DeviceCommand) {
    let name = choices.pick(ConnectionScript.uuids + ["nobody"])
    if case .connect = command, let id = manager.id(of: name), stages[id, default: .none] == .none {
      stages[id] = .connecting
    }
    manager.take(.device(name, command), at: now, into: &outbox)
  }

  private mutating func app() -> DeviceCommand {
    requestTotal += 1
    asked.append(requestTotal)
    let app = choices.pick(ConnectionScript.apps)
    let session = LaunchSession(
      appID: app, sessionID: choices.pick(["http://10.0.0.1/apps/a/run", "http://9.9.9.9/x", "x"]), serviceID: "DIAL")
    let web = LaunchSession(appID: app, sessionID: "s", serviceID: "webOS TV", kind: .webApp)
    let deeds: [AppRequest.Deed] = [
      .launch(app: app, content: "c"), .launchWebApp(app: app, content: nil), .joinWebApp(app: app),
      .join(.known(web)), .close(.known(web)), .state(app: app), .join(.latest(app: app)), .join(.known(session)),
      .close(.latest(app: app)), .close(.known(session)), .send(.known(web), .text("t")),
      .send(.latest(app: app), .json("{}")), .send(.known(web), .json("{")), .leave(.known(web)),
    ]
    return .app(AppRequest(requestTotal, choices.pick(deeds)))
  }

  /// A device answers on one of the open streams, or ends it.
  private mutating func answer() throws(FuzzFinding) {
    guard !open.isEmpty else { return }
    let stream = open[choices.below(min(open.count, 256))]
    if streams[stream] == .asked {
      let local = Endpoint(IPAddress(10, 0, 0, 100), port: 50_000)
      streams[stream] = .open
      manager.receive(.opened(stream, local: local), at: now, into: &outbox)
      manager.receive(.room(stream, byteCount: 65_536), at: now, into: &outbox)
      // What was sent is looked at before the stream may end.
      try settle()
    }
    let form = choices.below(10)
    if let greeting = greetings[stream], form < 8 {
      let bytes = webSocket(form, greeting ?? [])
      manager.receive(.bytes(stream, bytes), at: now, into: &outbox)
      return
    }
    if form >= 8 {
      open.removeAll { $0 == stream }
      let end = choices.pick(StreamEnd.allCases)
      manager.receive(.ended(stream, end), at: now, into: &outbox)
      // Then this side still may end it.
      streams[stream] = end == .finished ? .open : .ended
      guard stream == lastLink else { return }
      try settle()
      for (id, stage) in stages.sorted(by: { $0.key < $1.key }) where id == linkedID {
        try expect(stage != .ready, "\(id) is ready and its connection has ended")
      }
      return
    }
    let app = DIALApp(name: "a", state: choices.pick(["running", "stopped"]), instance: "run").bytes
    let heads: [(head: String, body: [UInt8])] = [
      ("200 OK", []), ("201 Created\r\nLocation: /apps/a/run", []), ("401 No", []), ("404 No", []), ("200 OK", app),
      ("201 Created\r\nLocation: http://9.9.9.9/", []), ("500 No", []),
    ]
    guard form < heads.count else {
      manager.receive(.bytes(stream, [choices.byte()] + choices.take(8)), at: now, into: &outbox)
      return
    }
    isRight = heads[form].head.hasPrefix("200")
    let (head, body) = heads[form]
    let bytes = Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    manager.receive(.bytes(stream, bytes), at: now, into: &outbox)
  }

  /// What a television says over a WebSocket.
  private mutating func webSocket(_ form: Int, _ greeting: [UInt8]) -> [UInt8] {
    let id = String(1 + choices.below(4))
    let yes: [JSONValue.Member] = [
      .init("sessionId", .string("s")), .init("running", .bool(true)), .init("state", .string("CONNECTED")),
    ]
    let message: SSAPMessage
    switch form {
    case 0:
      guard case .head(let head) = HTTPRequestHead.read(greeting),
        case .upgrade(let bytes) = WebSocketHandshake.answer(to: head)
      else { return [0] }
      return bytes
    case 1: message = SSAPMessage(.response, id: "1", payload: .members(("pairingType", .string("PROMPT"))))
    case 2:
      isRight = true
      message = SSAPMessage(.registered, id: "1", payload: .members(("client-key", .string(id))))
    case 3: message = SSAPMessage(.error, id: id, error: choices.pick(["403 no", "404 no", "x"]))
    case 4: message = SSAPMessage(.response, id: id, payload: .object(yes))
    case 5: message = SSAPMessage(.response, id: id)
    case 6:
      let others: [WebSocketMessage] = [
        .ping([1]), .close(status: nil, reason: ""), .text("x"), .binary([1]),
        .text(SSAPMessage.peer(from: "a", .string("x")).text),
      ]
      return choices.pick(others).frame(mask: nil)
    default: return [choices.byte()] + choices.take(8)
    }
    return WebSocketMessage.text(message.text).frame(mask: nil)
  }

  private mutating func find(_ number: Int) {
    isPresent[number] = true
    let host = IPAddress(10, 0, 0, UInt8(number + 1))
    let name = ConnectionScript.uuids[number]
    let sighting = DeviceSighting(
      device: name, location: "http://\(host)/d", source: host, interface: InterfaceID(0), bootID: nil)
    manager.take(.found(sighting), at: now)
    let types = [
      [ServiceRegistration.dial.filter], [ConnectionScript.pin],
      [ServiceRegistration.dial.filter, ConnectionScript.pin], [ServiceRegistration.webOS.filter],
    ]
    manager.note(name, announces: types[number].map { (name, $0) })
    let device = DescriptionDocument.Device(
      type: "urn:x:device:d:1", friendlyName: "n\(number)", manufacturer: "m", modelName: "m", udn: name)
    let bytes = DescriptionDocument(major: 1, minor: 0, configID: nil, root: device).bytes
    let document = DescriptionFetch.Document(
      status: 200, body: bytes, contentType: nil, applicationURL: "http://\(host)/apps")
    manager.take(
      .description(
        DescriptionFetch(
          device: name, location: "http://\(host)/d", cause: .found, interface: InterfaceID(0), duration: .zero,
          outcome: .fetched(document))), at: now)
  }

  private mutating func lose(_ number: Int) {
    isPresent[number] = false
    manager.take(.lost(device: ConnectionScript.uuids[number], cause: .expired), at: now)
  }

  // MARK: - What has to hold

  private mutating func settle() throws(FuzzFinding) {
    manager.settle(at: now, into: &outbox)
    var lost: [String] = []
    for effect in outbox.effects {
      switch effect {
      case .streams(let effect): try check(effect)
      case .application(.managed(let report)):
        if case .lost = report.event { lost.append(report.id) }
        try check(report)
      default: throw FuzzFinding("something else is wanted")
      }
    }
    for id in lost { try expect(stages[id, default: .none] == .none, "\(id) is lost and still connected") }
    outbox.removeAll()
  }

  private mutating func check(_ effect: StreamEffect) throws(FuzzFinding) {
    switch effect {
    case .connect(let stream, let to, _):
      try expect(streams[stream] == nil, "stream \(stream.number) is opened twice")
      try expect(to.address.sharesPrefix(24, with: IPAddress(10, 0, 0, 0)), "somebody is asked at \(to)")
      streams[stream] = .asked
      open.append(stream)
      if to.port == SSAPMessage.port {
        (lastLink, linkedID) = (stream, manager.id(of: ConnectionScript.uuids[3]))
        greetings.updateValue(nil, forKey: stream)
      }
    case .write(let stream, let bytes):
      if let greeting = greetings[stream], greeting == nil { greetings.updateValue(bytes, forKey: stream) }
      try expect(streams[stream] == .open, "stream \(stream.number) is not open to write")
    case .finish(let stream), .reset(let stream):
      try expect(streams[stream] == .open || streams[stream] == .asked, "stream \(stream.number) is ended twice")
      if case .reset = effect {
        streams[stream] = .ended
        open.removeAll { $0 == stream }
      }
    default: throw FuzzFinding("something else is wanted of a stream")
    }
  }

  private func isJoined(_ session: LaunchSession, of id: String) -> Bool {
    joined.contains { $0.id == id && $0.session == session }
  }

  private mutating func check(_ report: ManagerReport) throws(FuzzFinding) {
    let stage = stages[report.id, default: .none]
    switch report.event {
    case .found, .updated, .lost, .remembered, .capabilities: break
    case .app(let app):
      try expect(asked.contains(app.request), "request \(app.request) is answered and was not open")
      asked.removeAll { $0 == app.request }
      if case .joined(let session) = app.outcome, session.kind == .webApp, !isJoined(session, of: report.id) {
        joined.append((report.id, session))
      }
    case .webApp(let webApp):
      try expect(isJoined(webApp.session, of: report.id), "\(webApp.session.appID) is not joined, and \(webApp.event)")
      if webApp.event == .ended { joined.removeAll { $0.id == report.id && $0.session == webApp.session } }
    case .connection(.ready):
      try expect(stage == .connecting, "\(report.id) is ready from \(stage)")
      stages[report.id] = .ready
    case .connection(.failed(let failure)):
      // Of one that is not there nothing is kept.
      try expect(stage == .connecting || failure.reason == .noDevice, "\(report.id) has failed from \(stage)")
      stages[report.id] = Stage.none
    case .connection(.disconnected(let end)):
      try expect(
        stage == .ready || stage == .connecting && end == .asked, "\(report.id) is disconnected from \(stage)")
      try expect(!joined.contains { $0.id == report.id }, "web apps of \(report.id) have not ended")
      stages[report.id] = Stage.none
    case .connection(.pairingRequired):
      try expect(stage == .connecting, "the user of \(report.id) is asked in \(stage)")
    case .connection(.paired):
      try expect(stage == .connecting && isRight, "\(report.id) is paired though nobody agreed")
    }
  }
}
