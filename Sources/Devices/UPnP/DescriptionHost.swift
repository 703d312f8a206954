import RollcallPrimitives
import RollcallWire

/// The HTTP side of a root device: it listens where LOCATION leads, and answers requests for the description.
struct DescriptionHost: Sendable {
  /// Connections at a time; more are reset.
  static let connectionsMaximum = 64
  /// A connection that has not said what it wants by then is reset.
  static let patience = Interval.seconds(30)
  /// What an endless answer writes at a time.
  private static let endless = [UInt8](repeating: UInt8(ascii: " "), count: 4_096)

  /// Where the device listens, or ought to.
  struct Place: Hashable, Sendable {
    var interface: InterfaceID
    var port: UInt16
  }

  private struct Connection: Sendable {
    var stream: StreamID
    /// When it was accepted.
    var since: Instant
    /// What came so far; `nil`: it was answered.
    var request: [UInt8]? = []
    var answer: [UInt8] = []
    var sentBytes = 0
    var roomBytes = 0
    var due = Instant.never
    var hasFinished = false
    var heardFinish = false
  }

  /// A device that has vanished keeps its listeners and says nothing.
  var isMute = false
  private var listeners: [(place: Place, stream: StreamID)] = []
  private var connections: [Connection] = []
  private var lastStream: UInt32 = 0
  /// Since the start.
  private var requestCount = 0

  /// When the next thing is due.
  var deadline: Instant {
    if isMute { return .never }
    var next = Instant.never
    for connection in connections {
      next = min(next, connection.request == nil ? connection.due : connection.since + DescriptionHost.patience)
    }
    return next
  }

  /// The process begins anew.
  mutating func start() { (isMute, requestCount) = (false, 0) }

  /// Listens where it ought to, and nowhere else; a device that listens nowhere has no connections.
  mutating func listen(at wanted: [Place], into outbox: inout Outbox) {
    if isMute { return }
    for (index, entry) in listeners.enumerated().reversed() where !wanted.contains(entry.place) {
      outbox.want(StreamEffect.reset(entry.stream))
      listeners.remove(at: index)
    }
    if wanted.isEmpty {
      for connection in connections { outbox.want(StreamEffect.reset(connection.stream)) }
      connections = []
    }
    for place in wanted where !listeners.contains(where: { $0.place == place }) {
      lastStream += 1
      listeners.append((place, StreamID(lastStream)))
      let anywhere = Endpoint(IPAddress(v4: 0), port: place.port)
      outbox.want(StreamEffect.listen(StreamID(lastStream), at: anywhere, place.interface))
    }
  }

  /// - Parameter answer: the whole answer to a request, with how many came before it; `nil`: nothing is said.
  mutating func receive(
    _ signal: StreamSignal, habits: DescriptionHabits, at now: Instant, into outbox: inout Outbox,
    answer: (HTTPRequestHead, _ requests: Int) -> [UInt8]?
  ) {
    switch signal {
    case .accepted(let stream, _, _, _):
      if isMute { return }
      guard connections.count < DescriptionHost.connectionsMaximum else {
        return outbox.want(StreamEffect.reset(stream))
      }
      connections.append(Connection(stream: stream, since: now))
    case .room(let stream, let count):
      guard let index = index(of: stream) else { return }
      connections[index].roomBytes += Int(count)
      if !isMute { pump(index, habits, at: now, into: &outbox) }
    case .bytes(let stream, let bytes):
      guard let index = index(of: stream), !isMute, var request = connections[index].request else { return }
      request += bytes
      connections[index].request = request
      let reply: [UInt8]?
      switch HTTPRequestHead.read(request) {
      case .incomplete: return
      case .refused(let status): reply = HTTPResponse.refusal(status).bytes()
      case .head(let head): reply = answer(head, requestCount)
      }
      requestCount += 1
      connections[index].request = nil
      connections[index].answer = reply ?? []
      connections[index].due = now + habits.delay
      pump(index, habits, at: now, into: &outbox)
    case .ended(let stream, .finished):
      guard let index = index(of: stream) else { return }
      connections[index].heardFinish = true
      if connections[index].hasFinished { connections.remove(at: index) }
    case .ended(let stream, _): connections.removeAll { $0.stream == stream }
    case .opened: break
    }
  }

  mutating func advance(to now: Instant, habits: DescriptionHabits, into outbox: inout Outbox) {
    if isMute { return }
    var index = 0
    while index < connections.count {
      if connections[index].request != nil, connections[index].since + DescriptionHost.patience <= now {
        outbox.want(StreamEffect.reset(connections[index].stream))
        connections.remove(at: index)
        continue
      }
      let count = connections.count
      if connections[index].due <= now { pump(index, habits, at: now, into: &outbox) }
      if connections.count == count { index += 1 }
    }
  }

  private func index(of stream: StreamID) -> Int? { connections.firstIndex { $0.stream == stream } }

  /// Writes what may be written of an answer that is due.
  private mutating func pump(
    _ index: Int, _ habits: DescriptionHabits, at now: Instant, into outbox: inout Outbox
  ) {
    guard connections[index].request == nil, !connections[index].hasFinished else { return }
    if connections[index].due > now, connections[index].due != .never { return }
    connections[index].due = .never
    let stream = connections[index].stream
    let isEndless = habits.framing == .endless && !habits.saysNothing
    while connections[index].roomBytes > 0 {
      var rest = connections[index].answer[connections[index].sentBytes...]
      if rest.isEmpty, isEndless { rest = DescriptionHost.endless[...] }
      if rest.isEmpty { break }
      let part = rest.prefix(connections[index].roomBytes)
      outbox.want(StreamEffect.write(stream, Array(part)))
      connections[index].roomBytes -= part.count
      if connections[index].sentBytes < connections[index].answer.count { connections[index].sentBytes += part.count }
    }
    if isEndless || connections[index].sentBytes < connections[index].answer.count { return }
    outbox.want(StreamEffect.finish(stream))
    connections[index].hasFinished = true
    if connections[index].heardFinish { connections.remove(at: index) }
  }
}
