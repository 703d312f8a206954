import RollcallPrimitives
import RollcallWire

/// The side of a WebSocket that opened it, on a stream of its own.
struct WebSocketClient {
  enum Event {
    case opened
    case text(String)
    /// Nothing comes behind it.
    case ended(ConnectionFailure)
  }

  private enum Stage { case connecting, handshake, open, ended }

  let stream: StreamID
  let endpoint: Endpoint
  private let key: [UInt8]
  private var dice: RandomStream
  private var stage = Stage.connecting
  private var head: HTTPResponseReader
  private var reader: WebSocketReader
  /// What is to be written and may not be yet.
  private var waiting: [UInt8]
  private var roomBytes = 0

  /// - Parameters:
  ///   - dice: of this WebSocket alone, for its key and its masks.
  ///   - byteCountMaximum: a longer message ends it.
  init(
    _ stream: StreamID, to target: DescriptionTarget, on interface: InterfaceID, userAgent: String,
    byteCountMaximum: Int, dice: RandomStream, into outbox: inout Outbox
  ) {
    var dice = dice
    key = (0..<WebSocketHandshake.keyByteCount).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
    (self.stream, endpoint, self.dice) = (stream, target.endpoint, dice)
    waiting = WebSocketHandshake.request(
      path: target.path, authority: target.authority, userAgent: userAgent, key: key)
    var limits = HTTPResponseReader.Limits(bodyBytesMaximum: 0)
    limits.allowsUpgrade = true
    head = HTTPResponseReader(limits: limits)
    reader = WebSocketReader(of: .server, byteCountMaximum: byteCountMaximum)
    outbox.want(StreamEffect.connect(stream, to: endpoint, interface))
  }

  /// The other side takes nothing, and what waits is as much as may wait.
  var isFull: Bool { waiting.count >= WebSocketClient.waitingBytesMaximum }
  private static let waitingBytesMaximum = 65_536

  /// Whether this side has ended the stream in good order, and the other side has not yet.
  private(set) var awaitsEnd = false

  mutating func send(_ text: String, into outbox: inout Outbox) { send(.text(text), into: &outbox) }

  private mutating func send(_ message: WebSocketMessage, into outbox: inout Outbox) {
    waiting += message.frame(mask: UInt32(truncatingIfNeeded: dice.next()))
    write(into: &outbox)
  }

  private mutating func write(into outbox: inout Outbox) {
    let part = waiting.prefix(roomBytes)
    if part.isEmpty { return }
    outbox.want(StreamEffect.write(stream, Array(part)))
    waiting.removeFirst(part.count)
    roomBytes -= part.count
  }

  /// Sends a close; a stream that cannot take it at once is reset.
  mutating func close(into outbox: inout Outbox) {
    guard stage == .open else { return reset(into: &outbox) }
    send(.close(status: 1_000, reason: ""), into: &outbox)
    guard waiting.isEmpty else { return reset(into: &outbox) }
    (stage, awaitsEnd) = (.ended, true)
    outbox.want(StreamEffect.finish(stream))
  }

  mutating func reset(into outbox: inout Outbox) {
    if stage == .ended { return }
    stage = .ended
    outbox.want(StreamEffect.reset(stream))
  }

  /// Takes what became of its stream.
  mutating func receive(_ signal: StreamSignal, into outbox: inout Outbox) -> [Event] {
    switch signal {
    case .room(_, let count):
      roomBytes += Int(count)
      if stage == .connecting { stage = .handshake }
      write(into: &outbox)
    case .bytes(_, let bytes):
      return take(bytes, into: &outbox)
    case .ended(_, .finished):
      // The device ended the stream without a close.
      outbox.want(StreamEffect.finish(stream))
      return end(.unreachable, "the device ended the connection")
    case .ended(_, let end):
      return self.end(.unreachable, "expected somebody to answer at \(endpoint), the connection was \(end.word)")
    case .opened, .accepted: break
    }
    return []
  }

  private mutating func take(_ bytes: [UInt8], into outbox: inout Outbox) -> [Event] {
    var events: [Event] = []
    if stage == .handshake {
      let before = head.byteCount
      switch head.take(bytes) {
      case .needsMore: return []
      case .refused(let refusal): return refuse("\(refusal.reason.rawValue) at byte \(refusal.offset)", into: &outbox)
      case .complete: break
      }
      guard let answer = head.head else { return [] }
      if let complaint = WebSocketHandshake.complaint(of: answer, key: key) {
        reset(into: &outbox)
        let explanation = "\(complaint) as the answer of \(endpoint)"
        return [.ended(ConnectionFailure(.badResponse, status: answer.status, explanation))]
      }
      stage = .open
      events.append(.opened)
      reader.take(bytes.dropFirst(head.byteCount - before))
    } else {
      reader.take(bytes)
    }
    while stage == .open, let message = reader.next() {
      switch message {
      case .text(let text): events.append(.text(text))
      // The last one alone has to be answered (RFC 6455, section 5.5.3): a device that takes nothing is told one thing.
      case .ping(let bytes): if waiting.isEmpty { send(.pong(bytes), into: &outbox) }
      case .pong, .binary: break
      case .close:
        close(into: &outbox)
        return events + end(.unreachable, "the device ended the connection")
      }
    }
    if stage == .open, let fault = reader.fault {
      send(.close(status: fault.status, reason: ""), into: &outbox)
      return events + refuse("\(fault.reason.rawValue) at byte \(fault.offset) behind its head", into: &outbox)
    }
    return events
  }

  private mutating func refuse(_ what: String, into outbox: inout Outbox) -> [Event] {
    reset(into: &outbox)
    return [
      .ended(ConnectionFailure(.badResponse, "expected a WebSocket from \(endpoint), found \(what)"))
    ]
  }

  private mutating func end(_ reason: ConnectionFailure.Reason, _ explanation: String) -> [Event] {
    stage = .ended
    return [.ended(ConnectionFailure(reason, explanation))]
  }
}
