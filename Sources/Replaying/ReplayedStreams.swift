import RollcallCapture
import RollcallPrimitives

/// The streams of a replay: what the engine asks for over HTTP is answered with what the capture shows.
///
/// A replay sends nothing. A request of the engine is answered where some program asked for the same at the same
/// server, byte for byte, at the time at which that program had the answer; one that nobody made stays without answer.
struct ReplayedStreams {
  private struct Question {
    var stream: StreamID
    var server: Endpoint
    /// `nil`: it has not been asked yet.
    var target: String?
  }
  private struct Answer {
    var server: Endpoint
    var target: String
    var bytes: [UInt8]
  }

  /// What the engine may ask for at a time.
  static let questionsMaximum = 4_096
  /// Answers that were there before the engine asked.
  static let answersMaximum = 256
  static let answerBytesMaximum = 16 << 20

  private var exchanges = HTTPExchanges()
  private var questions: [Question] = []
  /// The latest last.
  private var answers: [Answer] = []
  private var answerBytes = 0
  private var signals: [StreamSignal] = []
  private(set) var exchangeCount = 0

  /// What the engine wants of streams.
  mutating func want(_ effect: StreamEffect) {
    switch effect {
    case .connect(let stream, let server, _):
      questions.append(Question(stream: stream, server: server))
      signals.append(.opened(stream, local: Endpoint(server.address.family == .v4 ? .anyV4 : .anyV6, port: 0)))
      signals.append(.room(stream, byteCount: UInt32(StreamSize.bufferBytes)))
    case .write(let stream, let bytes):
      guard let index = questions.firstIndex(where: { $0.stream == stream }), questions[index].target == nil else {
        return
      }
      let words = bytes.prefix { $0 != 13 }.split(separator: 32)
      let target = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : "/"
      questions[index].target = target
      let server = questions[index].server
      if let known = answers.last(where: { $0.server == server && $0.target == target }) {
        give(known.bytes, to: questions.remove(at: index).stream)
      }
    case .finish(let stream), .reset(let stream): questions.removeAll { $0.stream == stream }
    case .listen, .pause, .resume: break
    }
  }

  /// A segment of the capture.
  /// - Parameter isAsked: whether an exchange of this client counts.
  mutating func take(_ segment: ExtractedSegment, frame: Int, from isAsked: (IPAddress) -> Bool) {
    for exchange in exchanges.take(segment, frame: frame) where exchange.method == "GET" {
      guard isAsked(exchange.opener.address) else { continue }
      exchangeCount += 1
      let waiting = questions.filter { $0.server == exchange.server && $0.target == exchange.target }
      for question in waiting { give(exchange.bytes, to: question.stream) }
      questions.removeAll { question in waiting.contains { $0.stream == question.stream } }
      remember(Answer(server: exchange.server, target: exchange.target, bytes: exchange.bytes))
    }
  }

  private mutating func remember(_ answer: Answer) {
    answers.append(answer)
    answerBytes += answer.bytes.count
    while answers.count > ReplayedStreams.answersMaximum || answerBytes > ReplayedStreams.answerBytesMaximum {
      answerBytes -= answers.removeFirst().bytes.count
    }
  }

  private mutating func give(_ bytes: [UInt8], to stream: StreamID) {
    for piece in StreamSize.pieces(of: bytes) { signals.append(.bytes(stream, piece)) }
    signals.append(.ended(stream, .finished))
  }

  /// The next signal for the engine; to be given at once.
  mutating func next() -> StreamSignal? { signals.isEmpty ? nil : signals.removeFirst() }
}

extension IPAddress {
  fileprivate static var anyV4: IPAddress { IPAddress(v4: 0) }
  fileprivate static var anyV6: IPAddress { IPAddress(v6High: 0, low: 0) }
}
