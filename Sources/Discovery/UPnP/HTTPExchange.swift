import RollcallPrimitives
import RollcallWire

/// One request and its response on a stream of its own.
struct HTTPExchange: Sendable {
  let stream: StreamID
  let endpoint: Endpoint
  /// What is sent as soon as the stream stands; empty: it was sent.
  private var question: [UInt8]
  private(set) var reader: HTTPResponseReader
  /// How the other side, or the network, ended the stream; `nil`: it did not.
  private(set) var end: StreamEnd?

  /// - Parameter bodyBytesMaximum: a longer response is refused.
  init(
    _ stream: StreamID, to endpoint: Endpoint, on interface: InterfaceID, _ request: HTTPRequest,
    bodyBytesMaximum: Int, into outbox: inout Outbox
  ) {
    (self.stream, self.endpoint, question) = (stream, endpoint, request.bytes)
    reader = HTTPResponseReader(limits: .init(bodyBytesMaximum: bodyBytesMaximum))
    outbox.want(StreamEffect.connect(stream, to: endpoint, interface))
  }

  /// Takes what became of its stream.
  mutating func receive(_ signal: StreamSignal, into outbox: inout Outbox) {
    switch signal {
    // The first room follows upon `opened`.
    case .room:
      if !question.isEmpty { outbox.want(StreamEffect.write(stream, question)) }
      question = []
    case .bytes(_, let bytes): reader.take(bytes)
    case .ended(_, let end):
      self.end = end
      // Then both have ended it.
      if end == .finished { outbox.want(StreamEffect.finish(stream)) }
      if end == .finished || end == .reset { reader.close() }
    case .opened, .accepted: break
    }
  }
}

/// Streams that this side has ended, and the other side has not yet: it is given some time for that.
struct ClosingStreams: Sendable {
  private let countMaximum: Int
  private let patience: Interval
  /// The oldest first.
  private var streams: [(stream: StreamID, until: Instant)] = []

  init(countMaximum: Int, patience: Interval) { (self.countMaximum, self.patience) = (countMaximum, patience) }

  var deadline: Instant { streams.first?.until ?? .never }

  /// The stream of an exchange is of no use any more. One on which everything came is closed as HTTP closes it.
  mutating func end(_ exchange: HTTPExchange, isWhole: Bool, at now: Instant, into outbox: inout Outbox) {
    if exchange.end != nil { return }
    guard isWhole, streams.count < countMaximum else { return outbox.want(StreamEffect.reset(exchange.stream)) }
    outbox.want(StreamEffect.finish(exchange.stream))
    add(exchange.stream, at: now, into: &outbox)
  }

  /// This side has ended a stream.
  mutating func add(_ stream: StreamID, at now: Instant, into outbox: inout Outbox) {
    guard streams.count < countMaximum else { return outbox.want(StreamEffect.reset(stream)) }
    streams.append((stream, now + patience))
  }

  /// The other side has ended it, too.
  mutating func remove(_ stream: StreamID) { streams.removeAll { $0.stream == stream } }

  mutating func advance(to now: Instant, into outbox: inout Outbox) {
    while let first = streams.first, first.until <= now {
      outbox.want(StreamEffect.reset(first.stream))
      streams.removeFirst()
    }
  }
}

/// The interfaces of this host as they were told last, in the order in which they were told first.
struct HostInterfaces: Sendable {
  private(set) var all: [InterfaceChange] = []

  mutating func take(_ change: InterfaceChange) {
    if let index = all.firstIndex(where: { $0.interface == change.interface }) {
      all[index] = change
    } else {
      all.append(change)
    }
  }

  func addresses(of interface: InterfaceID) -> [InterfaceAddress] {
    all.first { $0.interface == interface }?.addresses ?? []
  }
}
