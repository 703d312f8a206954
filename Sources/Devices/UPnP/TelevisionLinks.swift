import RollcallPrimitives
import RollcallWire

/// The side of a webOS television that is controlled over WebSockets: it lets applications in, asks the person in front of
/// it where they want much, and does what they ask. Each of its web apps says what it is told to the application that told it.
struct TelevisionLinks: Sendable {
  /// Connections at a time; more are reset.
  static let countMaximum = 16
  /// One that is not a WebSocket by then is reset, and so is one that was closed and does not end.
  static let patience = Interval.seconds(30)
  /// What may wait to be written; beyond it the other side takes nothing, and is reset.
  static let waitingBytesMaximum = 65_536
  /// Applications that are known at a time; beyond it the first one is forgotten.
  static let keysMaximum = 64
  /// Web apps that one application is connected to; beyond it the first one is forgotten.
  static let channelsMaximum = 16

  private struct Link: Sendable {
    /// A web app that the application is connected to, until that instance ends.
    struct Channel: Sendable {
      /// Of the message that asked for it.
      var id: String
      var app: String
      var instance: String
    }
    enum Stage: Sendable {
      /// What has come of the request to become a WebSocket.
      case handshake([UInt8])
      case open
      case closing
    }
    /// What the screen asks.
    struct Question: Sendable {
      var id: String
      var access: SSAPMessage.Access
      var answeredAt: Instant
    }
    var stream: StreamID
    var stage = Stage.handshake([])
    var reader = WebSocketReader(of: .client, byteCountMaximum: SSAPMessage.byteCountMaximum)
    /// When it is reset.
    var limit: Instant
    var question: Question?
    var isLetIn = false
    var channels: [Channel] = []
    var waiting: [UInt8] = []
    var roomBytes = 0
    var hasFinished = false
    var heardFinish = false
    var isClosing: Bool { if case .closing = stage { true } else { false } }
  }

  private let plan: WebOSPlan
  private var links: [Link] = []
  /// The applications that were let in, with what they may do.
  private var keys: [(key: String, access: SSAPMessage.Access)] = []
  private var keyTotal: UInt32 = 0

  init(_ plan: WebOSPlan) { self.plan = plan }

  var deadline: Instant { links.reduce(.never) { min($0, $1.limit, $1.question?.answeredAt ?? .never) } }

  func owns(_ stream: StreamID) -> Bool { links.contains { $0.stream == stream } }

  mutating func reset(into outbox: inout Outbox) {
    for link in links { outbox.want(StreamEffect.reset(link.stream)) }
    links = []
  }

  /// The stream is gone.
  mutating func remove(_ stream: StreamID) { links.removeAll { $0.stream == stream } }

  /// Every application has to be let in anew.
  mutating func forget() { keys = [] }

  mutating func accept(_ stream: StreamID, at now: Instant, into outbox: inout Outbox) {
    guard links.count < TelevisionLinks.countMaximum else { return outbox.want(StreamEffect.reset(stream)) }
    links.append(Link(stream: stream, limit: now + TelevisionLinks.patience))
  }

  /// Takes what became of a stream of its own.
  mutating func receive(
    _ signal: StreamSignal, at now: Instant, _ television: inout Television, into outbox: inout Outbox
  ) {
    switch signal {
    case .room(let stream, let count):
      guard let index = index(of: stream) else { return }
      links[index].roomBytes += Int(count)
      write(index, into: &outbox)
    case .bytes(let stream, let bytes):
      guard let index = index(of: stream) else { return }
      if case .handshake(let before) = links[index].stage {
        upgrade(index, before + bytes, at: now, into: &outbox)
      } else if !links[index].isClosing {
        // Behind the end nothing is read, so nothing is kept.
        links[index].reader.take(bytes)
      }
      while let index = self.index(of: stream), case .open = links[index].stage,
        let message = links[index].reader.next()
      {
        take(message, index, at: now, &television, into: &outbox)
      }
      if let index = self.index(of: stream), case .open = links[index].stage, let fault = links[index].reader.fault {
        close(index, fault.status, at: now, into: &outbox)
      }
      tellEnds(television, into: &outbox)
    case .ended(let stream, .finished):
      guard let index = index(of: stream) else { return }
      links[index].heardFinish = true
      if links[index].hasFinished {
        links.remove(at: index)
      } else if !links[index].isClosing {
        // Nobody would read an answer.
        outbox.want(StreamEffect.finish(stream))
        links.remove(at: index)
      }
    case .ended(let stream, _): remove(stream)
    case .opened, .accepted: break
    }
  }

  mutating func advance(to now: Instant, into outbox: inout Outbox) {
    while let index = links.firstIndex(where: { $0.limit <= now }) {
      outbox.want(StreamEffect.reset(links.remove(at: index).stream))
    }
    while let index = links.firstIndex(where: { $0.question.map { $0.answeredAt <= now } ?? false }) {
      guard let question = links[index].question else { return }
      links[index].question = nil
      if plan.answer == .accept {
        admit(index, question.id, question.access, into: &outbox)
      } else {
        send(SSAPMessage(.error, id: question.id, error: "403 User denied access"), index, into: &outbox)
      }
    }
  }

  private func index(of stream: StreamID) -> Int? { links.firstIndex { $0.stream == stream } }

  // MARK: - The WebSocket

  private mutating func upgrade(_ index: Int, _ bytes: [UInt8], at now: Instant, into outbox: inout Outbox) {
    switch HTTPRequestHead.read(bytes) {
    case .incomplete: links[index].stage = .handshake(bytes)
    case .refused(let status): end(index, with: HTTPResponse.refusal(status).bytes(), at: now, into: &outbox)
    case .head(let head) where head.path != SSAPMessage.path:
      end(index, with: HTTPResponse.refusal(404).bytes(), at: now, into: &outbox)
    case .head(let head):
      switch WebSocketHandshake.answer(to: head) {
      case .refusal(_, let bytes): end(index, with: bytes, at: now, into: &outbox)
      case .upgrade(let answer):
        links[index].stage = .open
        links[index].limit = .never
        links[index].reader.take(bytes[head.byteCount...])
        send(answer, index, into: &outbox)
      }
    }
  }

  private mutating func take(
    _ message: WebSocketMessage, _ index: Int, at now: Instant, _ television: inout Television,
    into outbox: inout Outbox
  ) {
    switch message {
    case .text(let text):
      guard let message = SSAPMessage.read(text) else { return close(index, 1_008, at: now, into: &outbox) }
      answer(message, index, at: now, &television, into: &outbox)
    case .binary: close(index, 1_003, at: now, into: &outbox)
    case .ping(let bytes): send(WebSocketMessage.pong(bytes).frame(mask: nil), index, into: &outbox)
    case .pong: break
    case .close: close(index, 1_000, at: now, into: &outbox)
    }
  }

  /// Sends a close, and ends the stream behind it.
  private mutating func close(_ index: Int, _ status: UInt16, at now: Instant, into outbox: inout Outbox) {
    end(
      index, with: WebSocketMessage.close(status: status, reason: "").frame(mask: nil), at: now, into: &outbox)
  }

  /// Sends the last bytes, and ends the stream behind them.
  private mutating func end(_ index: Int, with bytes: [UInt8], at now: Instant, into outbox: inout Outbox) {
    links[index].stage = .closing
    links[index].question = nil
    links[index].channels = []
    links[index].limit = now + TelevisionLinks.patience
    send(bytes, index, into: &outbox)
  }

  private mutating func send(_ message: SSAPMessage, _ index: Int, into outbox: inout Outbox) {
    send(WebSocketMessage.text(message.text).frame(mask: nil), index, into: &outbox)
  }

  private mutating func send(_ bytes: [UInt8], _ index: Int, into outbox: inout Outbox) {
    links[index].waiting += bytes
    write(index, into: &outbox)
    // Writing removes no link here: that needs one which was closing already, and to those nothing is sent.
    if links[index].waiting.count > TelevisionLinks.waitingBytesMaximum {
      outbox.want(StreamEffect.reset(links.remove(at: index).stream))
    }
  }

  /// Writes what may be written.
  private mutating func write(_ index: Int, into outbox: inout Outbox) {
    let part = links[index].waiting.prefix(links[index].roomBytes)
    if !part.isEmpty {
      outbox.want(StreamEffect.write(links[index].stream, Array(part)))
      links[index].waiting.removeFirst(part.count)
      links[index].roomBytes -= part.count
    }
    guard links[index].isClosing, links[index].waiting.isEmpty, !links[index].hasFinished else { return }
    outbox.want(StreamEffect.finish(links[index].stream))
    links[index].hasFinished = true
    if links[index].heardFinish { links.remove(at: index) }
  }

  // MARK: - What applications say

  private mutating func answer(
    _ message: SSAPMessage, _ index: Int, at now: Instant, _ television: inout Television, into outbox: inout Outbox
  ) {
    switch message.kind {
    case .register: return register(message, index, at: now, into: &outbox)
    case .peer: return pass(message, index, into: &outbox)
    case .unsubscribe: return links[index].channels.removeAll { $0.id == message.id }
    case .other: return
    case .hello:
      let payload = JSONValue.members(("pairingTypes", .array([.string("PROMPT")])), ("deviceOS", .string("webOS")))
      return send(SSAPMessage(.hello, id: message.id, payload: payload), index, into: &outbox)
    case .registered, .request, .subscribe, .response, .error: break
    }
    let reply: SSAPMessage
    if !links[index].isLetIn {
      reply = SSAPMessage(.error, id: message.id, error: "401 not registered")
    } else if let request = SSAPRequest(message) {
      reply = television.answer(request, id: message.id)
      if message.kind == .subscribe { connect(request, reply, index, television) }
    } else {
      reply = SSAPMessage(.error, id: message.id, error: "404 no such service or method")
    }
    send(reply, index, into: &outbox)
  }

  // MARK: - Web apps

  /// An application wants to hear a web app from now on.
  private mutating func connect(
    _ request: SSAPRequest, _ reply: SSAPMessage, _ index: Int, _ television: Television
  ) {
    guard case .connectToApp(let app, _) = request, reply.payload["state"]?.string == "CONNECTED",
      let instance = television.instance(ofWebApp: app)
    else { return }
    if links[index].channels.count >= TelevisionLinks.channelsMaximum { links[index].channels.removeFirst() }
    links[index].channels.append(Link.Channel(id: reply.id, app: app, instance: instance))
  }

  /// A web app is told something, and says the same.
  private mutating func pass(_ message: SSAPMessage, _ index: Int, into outbox: inout Outbox) {
    guard let app = message.to, links[index].channels.contains(where: { Television.fullName(ofWebApp: $0.app) == app })
    else { return }
    send(SSAPMessage.peer(from: app, message.payload), index, into: &outbox)
  }

  /// Applications hear of web apps that run no more.
  mutating func tellEnds(_ television: Television, into outbox: inout Outbox) {
    for stream in links.map(\.stream) {
      guard let place = index(of: stream) else { continue }
      let ended = links[place].channels.filter { television.instance(ofWebApp: $0.app) != $0.instance }
      links[place].channels.removeAll { channel in ended.contains { $0.id == channel.id } }
      for channel in ended {
        // One that takes nothing is reset.
        guard let place = index(of: stream) else { break }
        let payload = JSONValue.members(("returnValue", .bool(true)), ("state", .string("WAITING_FOR_APP")))
        send(SSAPMessage(.response, id: channel.id, payload: payload), place, into: &outbox)
      }
    }
  }

  // MARK: - Registering

  private mutating func register(_ message: SSAPMessage, _ index: Int, at now: Instant, into outbox: inout Outbox) {
    let known = keys.last { $0.key == message.clientKey }
    if message.access == .open || known?.access == .full {
      return admit(index, message.id, .open, key: known?.key, into: &outbox)
    }
    links[index].question = Link.Question(
      id: message.id, access: message.access,
      answeredAt: plan.answer == .ignore ? .never : now + plan.answerDelay)
    let asks = JSONValue.members(("pairingType", .string("PROMPT")), ("returnValue", .bool(true)))
    send(SSAPMessage(.response, id: message.id, payload: asks), index, into: &outbox)
  }

  /// Lets an application in.
  /// - Parameters:
  ///   - access: of a new key.
  ///   - key: what it has from an earlier time; `nil`: it is given a new one.
  private mutating func admit(
    _ index: Int, _ id: String, _ access: SSAPMessage.Access, key known: String? = nil, into outbox: inout Outbox
  ) {
    links[index].isLetIn = true
    let key: String
    if let known {
      key = known
    } else {
      keyTotal &+= 1
      key = "client-\(keyTotal)"
      if keys.count >= TelevisionLinks.keysMaximum { keys.removeFirst() }
      keys.append((key, access))
    }
    send(
      SSAPMessage(.registered, id: id, payload: .members(("client-key", .string(key)))), index, into: &outbox)
  }
}
