package import RollcallPrimitives
package import RollcallWire

/// A request of a capture and what came back.
package struct HTTPExchange: Hashable, Sendable {
  package var opener: Endpoint
  package var server: Endpoint
  package var method: String
  /// Path and query, as sent.
  package var target: String
  /// The frames that completed the request and the response.
  package var requestFrame: Int
  package var responseFrame: Int
  package var head: HTTPResponseHead
  /// Codings taken off.
  package var body: [UInt8]
  /// The response as it came, head and codings included.
  package var bytes: [UInt8]
  /// Why the response is not whole; `nil`: it is.
  package var problem: String?
}

/// Finds the HTTP exchanges in the streams of a capture, one after the other on each connection.
package struct HTTPExchanges {
  package struct Limits: Hashable, Sendable {
    package var bodyBytesMaximum = 1 << 20
    /// Requests of one connection that wait for their answers.
    package var requestsMaximum = 32
    package var headBytesMaximum = 65_536
    package init() {}
  }

  private struct Request {
    var method: String
    var target: String
    var frame: Int
  }

  private struct Conversation {
    /// What came of the next request.
    var pending: [UInt8] = []
    /// What of a request's body is still to come.
    var rest = RequestBody.bytes(0)
    var requests: [Request] = []
    var reader: HTTPResponseReader
    /// What came of the present response.
    var answer: [UInt8] = []
    var isOver = false
  }

  private let limits: Limits
  private var assembler: StreamAssembler
  private var conversations: [Int: Conversation] = [:]
  /// Connections on which the two sides do not speak HTTP, or of which bytes are missing.
  package private(set) var unreadCount = 0

  package init(limits: Limits = Limits(), streams: StreamAssembler.Limits = StreamAssembler.Limits()) {
    self.limits = limits
    assembler = StreamAssembler(limits: streams)
  }

  /// Takes the next segment of the capture; gives the exchanges that it completes.
  package mutating func take(_ segment: ExtractedSegment, frame: Int) -> [HTTPExchange] {
    var found: [HTTPExchange] = []
    let outcomes = assembler.take(segment, frame: frame)
    for number in assembler.forgotten { conversations[number] = nil }
    for outcome in outcomes {
      let number = outcome.connection.number
      // One that is over is remembered as long as the assembler knows it, since bytes may still come.
      var conversation = conversations.removeValue(forKey: number) ?? Conversation(reader: reader())
      if !conversation.isOver { take(outcome, frame, &conversation, &found) }
      conversations[number] = conversation
    }
    return found
  }

  private func reader() -> HTTPResponseReader {
    HTTPResponseReader(limits: .init(bodyBytesMaximum: limits.bodyBytesMaximum))
  }

  private mutating func take(
    _ outcome: StreamAssembler.Outcome, _ frame: Int, _ conversation: inout Conversation, _ found: inout [HTTPExchange]
  ) {
    let connection = outcome.connection
    switch (outcome.event, outcome.isFromOpener) {
    case (.bytes(let bytes), true): ask(bytes, frame, &conversation)
    case (.bytes(let bytes), false): answer(bytes, connection, frame, &conversation, &found)
    case (.finished, true): break
    case (.finished, false), (.reset, _):
      conversation.reader.close()
      conclude(
        connection, frame, &conversation, &found, problem: outcome.event == .reset ? "the connection was reset" : nil)
      end(&conversation)
    case (.gap(let gap), _):
      conclude(connection, frame, &conversation, &found, problem: "bytes are not in the capture (\(gap.rawValue))")
      end(&conversation)
      unreadCount += 1
    }
  }

  private func end(_ conversation: inout Conversation) {
    (conversation.isOver, conversation.pending, conversation.answer, conversation.requests) = (true, [], [], [])
  }

  private mutating func ask(_ bytes: [UInt8], _ frame: Int, _ conversation: inout Conversation) {
    conversation.pending += bytes
    while !conversation.pending.isEmpty {
      guard conversation.rest.skip(&conversation.pending) else {
        if conversation.pending.count > limits.headBytesMaximum { giveUp(&conversation) }
        return
      }
      if conversation.pending.isEmpty { return }
      guard let end = HTTPRequestHead.endOfHead(conversation.pending) else {
        if conversation.pending.count > limits.headBytesMaximum { giveUp(&conversation) }
        return
      }
      let text = String(decoding: conversation.pending[..<end], as: UTF8.self)
      guard conversation.requests.count < limits.requestsMaximum, let request = HTTPExchanges.request(text) else {
        return giveUp(&conversation)
      }
      conversation.requests.append(Request(method: request.method, target: request.target, frame: frame))
      conversation.pending.removeFirst(end)
      conversation.rest = request.body
    }
  }

  private mutating func giveUp(_ conversation: inout Conversation) {
    end(&conversation)
    unreadCount += 1
  }

  /// What a head asks for. It is the client's business whether the server takes it, so nothing is judged here but what
  /// has to be known: that it is a request, and where its body ends.
  private static func request(_ head: String) -> (method: String, target: String, body: RequestBody)? {
    let lines = head.split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 3, words[words.count - 1].hasPrefix("HTTP/1.") else { return nil }
    var body = RequestBody.bytes(0)
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      switch parts[0].lowercased() {
      case "content-length":
        guard let count = Int(parts[1].filter { $0 != " " && $0 != "\t" }), count >= 0 else { return nil }
        if case .bytes = body { body = .bytes(count) }
      case "transfer-encoding":
        guard parts[1].lowercased().contains("chunked") else { return nil }
        body = .chunkSize
      default: break
      }
    }
    return (String(words[0]), words[1..<words.count - 1].joined(separator: " "), body)
  }

  private mutating func answer(
    _ bytes: [UInt8], _ connection: StreamAssembler.Connection, _ frame: Int, _ conversation: inout Conversation,
    _ found: inout [HTTPExchange]
  ) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // Nobody asked: the capture began later, or it is no HTTP.
      guard !conversation.requests.isEmpty else { return giveUp(&conversation) }
      // An answer to HEAD ends with its head, whatever that says of a body: no byte behind it is read for it.
      let isHead = conversation.requests[0].method == "HEAD"
      let before = conversation.reader.byteCount
      _ = rest.prefix(isHead ? 1 : rest.count).withUnsafeBytes { conversation.reader.take($0) }
      let taken = min(rest.count, conversation.reader.byteCount - before)
      conversation.answer += rest.prefix(taken)
      rest = rest.dropFirst(taken)
      switch conversation.reader.state {
      case .needsMore:
        if isHead, conversation.reader.head != nil {
          conclude(connection, frame, &conversation, &found, problem: nil)
        }
      case .complete: conclude(connection, frame, &conversation, &found, problem: nil)
      case .refused(let refusal):
        conclude(
          connection, frame, &conversation, &found, problem: "\(refusal.reason.rawValue) at byte \(refusal.offset)")
        end(&conversation)
        return
      }
    }
  }

  /// The present response is over.
  private func conclude(
    _ connection: StreamAssembler.Connection, _ frame: Int, _ conversation: inout Conversation,
    _ found: inout [HTTPExchange],
    problem: String?
  ) {
    guard let request = conversation.requests.first, let head = conversation.reader.head else { return }
    conversation.requests.removeFirst()
    var problem = problem
    if problem == nil, case .refused(let refusal) = conversation.reader.state {
      problem = "\(refusal.reason.rawValue) at byte \(refusal.offset)"
    }
    found.append(
      HTTPExchange(
        opener: connection.opener, server: connection.server, method: request.method, target: request.target,
        requestFrame: request.frame, responseFrame: frame, head: head, body: conversation.reader.body,
        bytes: conversation.answer,
        problem: conversation.reader.state == .complete ? nil : problem))
    (conversation.reader, conversation.answer) = (reader(), [])
  }
}

/// Where the body of a request ends: it is skipped.
private enum RequestBody {
  case bytes(Int)
  case chunkSize
  /// Bytes of a chunk with the line end behind it.
  case chunk(Int)
  case trailers

  /// Takes from the front what belongs to the body; whether the body is over. A line that is not whole stays.
  mutating func skip(_ bytes: inout [UInt8]) -> Bool {
    while true {
      switch self {
      case .bytes(let count), .chunk(let count):
        let skipped = min(count, bytes.count)
        bytes.removeFirst(skipped)
        let isChunk = if case .chunk = self { true } else { false }
        if skipped < count {
          self = isChunk ? .chunk(count - skipped) : .bytes(count - skipped)
          return false
        }
        self = isChunk ? .chunkSize : .bytes(0)
        if !isChunk { return true }
      case .chunkSize:
        guard let line = RequestBody.line(&bytes) else { return false }
        let digits = line.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || 65...70 ~= $0 & 0xDF }
        // What is no size ends the body: what follows is no request then.
        guard let count = Int(String(decoding: digits.prefix(8), as: UTF8.self), radix: 16) else {
          self = .bytes(0)
          return true
        }
        self = count == 0 ? .trailers : .chunk(count + 2)
      case .trailers:
        guard let line = RequestBody.line(&bytes) else { return false }
        if line.isEmpty {
          self = .bytes(0)
          return true
        }
      }
    }
  }

  /// Takes a line from the front, without its end; `nil`: it is not whole.
  private static func line(_ bytes: inout [UInt8]) -> [UInt8]? {
    guard let end = bytes.firstIndex(of: 10) else { return nil }
    var line = Array(bytes[..<end])
    if line.last == 13 { line.removeLast() }
    bytes.removeFirst(end + 1)
    return line
  }
}
