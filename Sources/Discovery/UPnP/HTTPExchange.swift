import RollcallPrimitives
import RollcallWire

/// One request and its response on a stream of its own.
struct HTTPExchange {
  enum Result {
    /// The whole response is there.
    case response(HTTPResponseHead, body: [UInt8])
    case failed(ConnectionFailure)
  }

  let stream: StreamID
  let endpoint: Endpoint
  /// What is sent as soon as the stream stands; empty: it was sent.
  private var question: [UInt8]
  private var reader: HTTPResponseReader
  /// Whether the other side may still end the stream in good order.
  private(set) var isOpen = true

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
  /// - Returns: how the exchange ended; `nil`: it goes on.
  mutating func receive(_ signal: StreamSignal, into outbox: inout Outbox) -> Result? {
    switch signal {
    // The first room follows upon `opened`.
    case .room:
      if !question.isEmpty { outbox.want(StreamEffect.write(stream, question)) }
      question = []
    case .bytes(_, let bytes): reader.take(bytes)
    case .ended(_, .finished):
      // Then both have ended it.
      outbox.want(StreamEffect.finish(stream))
      isOpen = false
      reader.close()
    case .ended(_, let end):
      isOpen = false
      guard end == .reset else {
        return .failed(
          ConnectionFailure(
            .unreachable, "expected somebody to answer at \(endpoint), the connection was \(end.word)"))
      }
      reader.close()
    case .opened, .accepted: break
    }
    return result
  }

  private var result: Result? {
    switch reader.state {
    case .needsMore: return nil
    case .complete: return reader.head.map { .response($0, body: reader.body) }
    case .refused(let refusal):
      return .failed(
        ConnectionFailure(
          .badResponse, status: reader.head?.status,
          "expected a response of HTTP from \(endpoint), found \(refusal.reason.rawValue) at byte \(refusal.offset)"))
    }
  }
}

extension StreamEnd {
  /// What became of a connection, for people.
  var word: String {
    switch self {
    case .refused: "refused"
    case .timedOut: "not answered"
    case .unreachable: "not possible: nobody has the address"
    case .finished, .reset: "ended"
    }
  }
}
