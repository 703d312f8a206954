package import RollcallConformance
package import RollcallPrimitives

/// A search as an examiner words it, in good form or with one thing wrong.
package struct ExamQuestion: Hashable, Sendable {
  package enum Wording: Hashable, Sendable {
    case plain
    /// All field names in small letters.
    case smallNames
    /// With fields that nobody knows.
    case unknownFields
    /// ST first, HOST last.
    case reversed
    /// No blank after the colons, two at the ends.
    case oddBlanks
    /// With another start line.
    case startLine(String)
    /// Bytes that are no message.
    case noise
  }

  /// ST; `nil`: none.
  package var target: String?
  /// MX as it is written; `nil`: none.
  package var mx: String?
  /// MAN as it is written; `nil`: none.
  package var man: String?
  package var isMulticast: Bool
  package var wording: Wording

  package init(
    _ target: String?, mx: String? = "1", man: String? = ExamQuestion.discover, isMulticast: Bool = true,
    wording: Wording = .plain
  ) {
    (self.target, self.mx, self.man) = (target, mx, man)
    (self.isMulticast, self.wording) = (isMulticast, wording)
  }

  package static let discover = "\"ssdp:discover\""
  /// MX that is no integer.
  package static let badMX = ["soon", "", "-1", "1.5"]

  /// MX in seconds, where a device may take it as it stands.
  package var maximumWaitSeconds: Int64? { mx.flatMap { Int64(digits: $0) }.flatMap { $0 >= 1 ? $0 : nil } }

  /// Whether the ST of an answer is the one that was asked.
  func isMatched(by answer: ExamAnswer) -> Bool {
    guard let target, target != "ssdp:all", answer.isResponse, let said = answer.target else { return true }
    return said == target || ExamTarget(target).form == .uuid && ExamRoll.isSame(said, target)
  }

  /// Whether a device that matches has to answer.
  var isInGoodForm: Bool {
    switch wording {
    case .startLine, .noise: return false
    case .plain, .smallNames, .unknownFields, .reversed, .oddBlanks: break
    }
    return target != nil && man == ExamQuestion.discover && (!isMulticast || maximumWaitSeconds != nil)
  }

  /// The datagram.
  /// - Parameters:
  ///   - host: where it goes; HOST says the same.
  ///   - agent: USER-AGENT.
  package func bytes(to host: Endpoint, agent: String) -> [UInt8] {
    if wording == .noise { return Array("\u{0}\u{1}M-SEARCH\r\nST\r\n:\r\n".utf8) }
    var fields = [("HOST", host.description)]
    if let man { fields.append(("MAN", man)) }
    if let mx { fields.append(("MX", mx)) }
    if let target { fields.append(("ST", target)) }
    fields.append(("USER-AGENT", agent))
    if isMulticast { fields.append(("CPFN.UPNP.ORG", "Rollcall")) }
    var separator = ": "
    var end = "\r\n"
    var start = "M-SEARCH * HTTP/1.1"
    switch wording {
    case .plain, .noise: break
    case .smallNames: fields = fields.map { ($0.0.lowercased(), $0.1) }
    case .unknownFields:
      fields.insert(("TEST.ROLLCALL-EXAMPLE", "one"), at: 0)
      fields.insert(("STX", "ssdp:none"), at: 2)
      fields.append(("TEST.ROLLCALL-EXAMPLE", "two"))
    case .reversed: fields.reverse()
    case .oddBlanks: (separator, end) = (":", "  \r\n")
    case .startLine(let line): start = line
    }
    return Array((start + "\r\n" + fields.map { $0.0 + separator + $0.1 + end }.joined() + "\r\n").utf8)
  }

  /// In a few words: `ST ssdp:all MX 2`.
  package var text: String {
    if wording == .noise { return "bytes that are no message" }
    var words: [String] = []
    if case .startLine(let line) = wording { words.append(line) }
    words.append(target.map { "ST: \($0)" } ?? "no ST")
    if let mx { words.append(mx.isEmpty ? "MX: (empty)" : "MX: \(mx)") } else if isMulticast { words.append("no MX") }
    if man != ExamQuestion.discover { words.append(man.map { "MAN: \($0)" } ?? "no MAN") }
    switch wording {
    case .smallNames: words.append("names in small letters")
    case .unknownFields: words.append("unknown fields")
    case .reversed: words.append("fields reversed")
    case .oddBlanks: words.append("odd blanks")
    case .plain, .startLine, .noise: break
    }
    return words.joined(separator: ", ")
  }
}

extension ExamQuestion {
  /// What is said beside another question of its kind: the field that differs.
  func difference(to other: ExamQuestion) -> String {
    if target != other.target { return target.map { "ST: \($0)" } ?? "no ST" }
    if mx != other.mx { return mx.map { "MX: " + ($0.isEmpty ? "(empty)" : $0) } ?? "no MX" }
    if man != other.man { return man.map { "MAN: \($0)" } ?? "no MAN" }
    return text
  }
}

/// A question that was asked, and what came of it.
package struct ExamAsk: Hashable, Sendable {
  /// Answers that are kept for one question; more are counted.
  static let answersMaximum = 512

  package var probe: DeviceProbe
  package var question: ExamQuestion
  package var time: Instant
  /// Its own socket, and where it went.
  package var source: Endpoint
  package var destination: Endpoint
  package var bytes: [UInt8]
  package var answers: [ExamAnswer] = []
  package var droppedCount = 0
  /// The system did not send it.
  package var wasRefused = false

  /// How long an answer may take.
  package var window: Interval { question.isMulticast ? .seconds(question.maximumWaitSeconds ?? 1) : .seconds(1) }

  package var record: ProbeMessage {
    ProbeMessage(time: time, isSent: true, peer: destination, port: source.port, bytes: bytes)
  }
}

/// What came to the socket of a question.
package struct ExamAnswer: Hashable, Sendable {
  /// Bytes that are kept of one.
  package static let bytesMaximum = 1_500

  package var time: Instant
  package var source: Endpoint
  package var port: UInt16
  /// Whether it is a 200 OK that can be read.
  package var isResponse: Bool
  /// Whether it begins like an HTTP status line that refuses: 3xx or more.
  package var isError: Bool
  /// ST as it stands there.
  package var target: String?
  /// The UUID of USN without its scheme, as it stands there; `nil`: none that can be read.
  package var uuid: String?
  package var usn: String?
  package var bootID: Int64
  package var configID: Int64
  package var bytes: [UInt8]

  package var record: ProbeMessage {
    ProbeMessage(time: time, isSent: false, peer: source, port: port, bytes: bytes)
  }
}
