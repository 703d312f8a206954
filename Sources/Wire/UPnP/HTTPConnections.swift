public import RollcallPrimitives

/// The server's side of HTTP on streams: one request, one answer and the end, for each of a bounded number of connections.
///
/// A memory beside `HTTPRequestHead`, owned by the machine that serves: it is given what becomes of the machine's
/// streams, and puts what it wants into the machine's outbox. What is answered is the owner's business.
public struct HTTPConnections: Sendable {
  /// Connections at a time; more are reset.
  public static let countMaximum = 64
  /// A connection that has not said what it wants by then is reset.
  public static let requestPatience = Interval.seconds(30)
  /// So is one that has not taken its answer by then, from the moment at which the answer was due.
  public static let answerPatience = Interval.seconds(60)
  /// What an endless answer writes at a time.
  private static let endless = [UInt8](repeating: UInt8(ascii: " "), count: 4_096)

  /// A request, or what came in place of one.
  public struct Request: Sendable {
    /// Never `incomplete`.
    public var reading: HTTPRequestHead.Reading
    /// As many bytes as the head says.
    public var body: [UInt8]
    /// Where it was asked, and who asked.
    public var local: Endpoint
    public var remote: Endpoint
  }

  /// What is said to a request.
  public struct Answer: Sendable {
    /// Head and body; empty: the connection is closed without a word.
    public var bytes: [UInt8]
    /// Blanks follow without end.
    public var isEndless = false
    public var delay = Interval.zero
    /// The owner's number of this answer, which `Taken` brings back.
    public var number: Int?

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
  }

  /// What became of an answer that has a number.
  public struct Taken: Hashable, Sendable {
    public var number: Int
    /// Whether all of it was written; `false`: the other side ended the connection before.
    public var isWhole: Bool

    public init(number: Int, isWhole: Bool) { (self.number, self.isWhole) = (number, isWhole) }
  }

  private struct Connection: Sendable {
    var stream: StreamID
    var local: Endpoint
    var remote: Endpoint
    /// When it is reset.
    var limit: Instant
    /// What came so far; `nil`: it was answered.
    var request: [UInt8]? = []
    var answer = Answer([])
    var sentByteCount = 0
    var roomBytes = 0
    /// When the answer begins; `never`: it has begun.
    var due = Instant.never
    var hasFinished = false
    var heardFinish = false
  }

  /// Nothing is said, and nothing is noticed, as when a machine has lost its power.
  public var isMute = false
  private var connections: [Connection] = []

  public init() {}

  public var isEmpty: Bool { connections.isEmpty }

  /// When the next thing is due.
  public var deadline: Instant {
    if isMute { return .never }
    return connections.reduce(.never) { min($0, $1.limit, $1.request == nil ? $1.due : .never) }
  }

  /// Resets all of them.
  public mutating func reset(into outbox: inout Outbox) {
    for connection in connections { outbox.want(StreamEffect.reset(connection.stream)) }
    connections = []
  }

  /// Takes what became of a stream; of other streams than its own nothing is noticed.
  /// - Parameter answer: asked once for each request.
  public mutating func receive(
    _ signal: StreamSignal, at now: Instant, into outbox: inout Outbox, answer: (Request) -> Answer
  ) -> Taken? {
    switch signal {
    case .accepted(let stream, _, let local, let remote):
      if isMute { return nil }
      guard connections.count < HTTPConnections.countMaximum else {
        outbox.want(StreamEffect.reset(stream))
        return nil
      }
      connections.append(
        Connection(
          stream: stream, local: local, remote: remote, limit: now + HTTPConnections.requestPatience))
    case .room(let stream, let count):
      guard let index = index(of: stream) else { return nil }
      connections[index].roomBytes += Int(count)
      if !isMute { return pump(index, at: now, into: &outbox) }
    case .bytes(let stream, let bytes):
      guard let index = index(of: stream), !isMute, connections[index].request != nil else { return nil }
      connections[index].request? += bytes
      let came = connections[index].request ?? []
      let reading = HTTPRequestHead.read(came)
      if reading == .incomplete { return nil }
      var body: [UInt8] = []
      if case .head(let head) = reading {
        if came.count - head.byteCount < head.bodyByteCount { return nil }
        body = Array(came[head.byteCount..<head.byteCount + head.bodyByteCount])
      }
      let connection = connections[index]
      let said = answer(Request(reading: reading, body: body, local: connection.local, remote: connection.remote))
      connections[index].request = nil
      connections[index].answer = said
      connections[index].due = now + said.delay
      connections[index].limit = now + said.delay + HTTPConnections.answerPatience
      return pump(index, at: now, into: &outbox)
    case .ended(let stream, .finished):
      guard let index = index(of: stream) else { return nil }
      connections[index].heardFinish = true
      if connections[index].hasFinished { return remove(index) }
    case .ended(let stream, _):
      guard let index = index(of: stream) else { return nil }
      return remove(index)
    case .opened: break
    }
    return nil
  }

  /// Does what is due.
  public mutating func advance(to now: Instant, into outbox: inout Outbox) -> [Taken] {
    if isMute { return [] }
    var taken: [Taken] = []
    for stream in connections.map(\.stream) {
      guard let index = index(of: stream) else { continue }
      if connections[index].limit <= now {
        outbox.want(StreamEffect.reset(stream))
        connections.remove(at: index)
      } else if connections[index].due <= now, let one = pump(index, at: now, into: &outbox) {
        taken.append(one)
      }
    }
    return taken
  }

  private func index(of stream: StreamID) -> Int? { connections.firstIndex { $0.stream == stream } }

  /// The connection is over; an answer that was not finished stays so.
  private mutating func remove(_ index: Int) -> Taken? {
    let connection = connections.remove(at: index)
    guard !connection.hasFinished, let number = connection.answer.number else { return nil }
    return Taken(number: number, isWhole: false)
  }

  /// Writes what may be written of an answer that is due.
  private mutating func pump(_ index: Int, at now: Instant, into outbox: inout Outbox) -> Taken? {
    guard connections[index].request == nil, !connections[index].hasFinished else { return nil }
    if connections[index].due > now, connections[index].due != .never { return nil }
    connections[index].due = .never
    let (stream, answer) = (connections[index].stream, connections[index].answer)
    while connections[index].roomBytes > 0 {
      var rest = answer.bytes[connections[index].sentByteCount...]
      if rest.isEmpty, answer.isEndless { rest = HTTPConnections.endless[...] }
      if rest.isEmpty { break }
      let part = rest.prefix(connections[index].roomBytes)
      outbox.want(StreamEffect.write(stream, Array(part)))
      connections[index].roomBytes -= part.count
      if connections[index].sentByteCount < answer.bytes.count { connections[index].sentByteCount += part.count }
    }
    if answer.isEndless || connections[index].sentByteCount < answer.bytes.count { return nil }
    outbox.want(StreamEffect.finish(stream))
    connections[index].hasFinished = true
    if connections[index].heardFinish { connections.remove(at: index) }
    return answer.number.map { Taken(number: $0, isWhole: true) }
  }
}
