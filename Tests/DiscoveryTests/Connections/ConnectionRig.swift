import RollcallPrimitives
import RollcallWire

@testable import RollcallDiscovery

/// Connections as a value: each call answers with all that they sent and told, as lines.
struct ConnectionRig {
  static let tv = IPAddress(10, 0, 0, 9)
  static let apps = "http://10.0.0.9:8060/apps"
  static let interface = InterfaceID(0)

  var connections: DeviceConnections
  var outbox = Outbox(payloads: PayloadStore())
  var seconds = 0.0
  /// What was sent first on each stream.
  private var requests: [UInt32: [UInt8]] = [:]
  private var now: Instant { .zero + .milliseconds(Int64(seconds * 1_000)) }

  init(user: TypingUser? = nil, faults: ConnectionFaults = []) {
    connections = DeviceConnections(userAgent: "x/1", user: user, faults: faults)
    connections.take(
      InterfaceChange(
        interface: ConnectionRig.interface, isUp: true,
        addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)]))
  }

  /// A service that launches apps.
  static func dial(_ owner: String = "uuid:a", apps: String? = apps) -> ReachableService {
    ReachableService(
      id: "DIAL", owner: owner, pairing: .none, control: .dial, source: tv, interface: interface,
      applicationURL: apps)
  }
  /// A service that shows a number.
  static func netcast(_ owner: String = "uuid:b") -> ReachableService {
    ReachableService(
      id: "Netcast TV", owner: owner, pairing: .pin, control: nil, source: tv, interface: interface,
      applicationURL: nil)
  }

  /// A television that is controlled over a WebSocket; with `prompt` it asks its user.
  static func webOS(_ pairing: PairingKind = .prompt, _ owner: String = "uuid:c") -> ReachableService {
    ReachableService(
      id: "webOS TV", owner: owner, pairing: pairing, control: .webOS, source: tv, interface: interface,
      applicationURL: nil)
  }

  mutating func ask(
    _ command: DeviceCommand, _ services: [ReachableService]? = [dial()], of id: String = "1", at seconds: Double? = nil
  ) -> [String] {
    self.seconds = seconds ?? self.seconds
    connections.take(command, of: id, services, at: now, into: &outbox)
    return lines()
  }

  mutating func ask(
    _ deed: AppRequest.Deed, number: UInt32 = 7, _ services: [ReachableService] = [dial()], of id: String = "1"
  ) -> [String] {
    ask(.app(AppRequest(number, deed)), services, of: id)
  }

  /// The stream of this number opens and brings a whole response, which its server ends.
  mutating func respond(_ stream: UInt32, _ head: String, _ body: String = "", at seconds: Double? = nil) -> [String] {
    self.seconds = seconds ?? self.seconds
    let id = StreamID(DeviceConnections.firstStream + stream)
    let local = Endpoint(IPAddress(10, 0, 0, 1), port: 50_000)
    let bytes = Array("HTTP/1.1 \(head)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    var all: [String] = []
    for signal in [
      StreamSignal.opened(id, local: local), .room(id, byteCount: 65_536), .bytes(id, bytes), .ended(id, .finished),
    ] {
      all += give(signal)
    }
    return all
  }

  /// The stream of this number opens and becomes a WebSocket.
  mutating func upgrade(_ stream: UInt32, room: UInt32 = 65_536) -> [String] {
    let id = StreamID(DeviceConnections.firstStream + stream)
    let lines = open(stream, room: room)
    let answer = answer(of: stream)
    return answer.isEmpty ? lines + ["no request for a WebSocket"] : lines + give(.bytes(id, answer))
  }

  private mutating func open(_ stream: UInt32, room: UInt32) -> [String] {
    let id = StreamID(DeviceConnections.firstStream + stream)
    return give(.opened(id, local: Endpoint(IPAddress(10, 0, 0, 1), port: 50_000))) + give(.room(id, byteCount: room))
  }

  /// The stream of this number opens; how a server answers its request for a WebSocket.
  mutating func answer(_ stream: UInt32) -> [UInt8] {
    _ = open(stream, room: 65_536)
    return answer(of: stream)
  }

  private func answer(of stream: UInt32) -> [UInt8] {
    guard let request = requests[stream], case .head(let head) = HTTPRequestHead.read(request),
      case .upgrade(let answer) = WebSocketHandshake.answer(to: head)
    else { return [] }
    return answer
  }

  /// The television says something over the WebSocket of this number.
  mutating func say(_ stream: UInt32, _ message: SSAPMessage, at seconds: Double? = nil) -> [String] {
    send(stream, .text(message.text), at: seconds)
  }

  mutating func send(_ stream: UInt32, _ message: WebSocketMessage, at seconds: Double? = nil) -> [String] {
    self.seconds = seconds ?? self.seconds
    return give(.bytes(StreamID(DeviceConnections.firstStream + stream), message.frame(mask: nil)))
  }

  mutating func end(_ stream: UInt32, _ end: StreamEnd) -> [String] {
    give(.ended(StreamID(DeviceConnections.firstStream + stream), end))
  }

  mutating func give(_ signal: StreamSignal) -> [String] {
    connections.receive(signal, at: now, into: &outbox)
    return lines()
  }

  mutating func run(to seconds: Double) -> [String] {
    self.seconds = seconds
    connections.advance(to: now, into: &outbox)
    return lines()
  }

  mutating func lose(_ id: String = "1") -> [String] {
    connections.lose(id, at: now, into: &outbox)
    return lines()
  }

  /// `1 connect 10.0.0.9:8060`, `1 POST /apps/x [body]`, `1 finish`; what is told: `#1 ready`.
  private mutating func lines() -> [String] {
    defer { outbox.removeAll() }
    let wants = outbox.effects.map { effect -> String in
      guard case .streams(let effect) = effect else { return "something else" }
      func number(_ stream: StreamID) -> UInt32 { stream.number - DeviceConnections.firstStream }
      switch effect {
      case .connect(let stream, let to, _): return "\(number(stream)) connect \(to)"
      case .write(let stream, let bytes):
        if requests[number(stream)] != nil { return "\(number(stream)) \(messages(bytes))" }
        requests[number(stream)] = bytes
        let text = String(decoding: bytes, as: UTF8.self)
        let body = text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first.map { " [\(summary($0))]" } ?? ""
        return "\(number(stream)) \(text.prefix { $0 != "\r\n" }.replacing(" HTTP/1.1", with: ""))\(body)"
      case .finish(let stream): return "\(number(stream)) finish"
      case .reset(let stream): return "\(number(stream)) reset"
      default: return "something else"
      }
    }
    return wants
      + connections.takeNews().map { news in
        let report = ManagerReport(news.id, news.event, ManagerReport.State())
        if case .app(let app) = news.event { return "#\(news.id) \(app.request): \(report.text)" }
        return "#\(news.id) \(report.text)"
      }
  }

  /// What stands in frames of a client: the texts of messages, without the manifest of a registration.
  private func messages(_ bytes: [UInt8]) -> String {
    var reader = WebSocketReader(of: .client, byteCountMaximum: 65_536)
    reader.take(bytes)
    var texts: [String] = []
    while let message = reader.next() {
      switch message {
      case .text(let text):
        guard let message = SSAPMessage.read(text) else { return "something else" }
        switch message.kind {
        case .register: texts.append("register \(message.access) \(message.clientKey ?? "without a key")")
        case .peer: texts.append("to \(message.to ?? "nobody") \(message.payload.line)")
        case .unsubscribe: texts.append("unsubscribe \(message.id)")
        default: texts.append("\(message.uri ?? "") \(message.payload.line)")
        }
      case .close(let status, _): texts.append("close \(status.map { String($0) } ?? "")")
      case .pong(let bytes): texts.append("pong \(bytes)")
      case .ping, .binary: texts.append("something else")
      }
    }
    return texts.joined(separator: ", ")
  }

  /// The values of the elements of a body of XML, or the body.
  private func summary(_ body: Substring) -> String {
    guard let message = NetcastPairing.read(Array(body.utf8)) else { return String(body) }
    return switch message {
    case .showKey: "show the key"
    case .hello(let key, _): "key \(key)"
    case .cancel: "cancel"
    case .leave: "byebye"
    }
  }

  /// A rig whose device is ready.
  static func ready(_ services: [ReachableService] = [dial()], faults: ConnectionFaults = []) -> ConnectionRig {
    var rig = ConnectionRig(faults: faults)
    _ = rig.ask(.connect, services)
    return rig
  }
}
