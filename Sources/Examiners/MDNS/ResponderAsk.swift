package import RollcallConformance
package import RollcallPrimitives
package import RollcallWire

/// A message that an examination sent, and how long it waited for what came of it.
package struct ResponderAsk: Hashable, Sendable {
  package enum Expectation: Hashable, Sendable {
    /// Records that answer the questions.
    case answer
    case silence
    /// It says something and asks nothing.
    case nothing
  }
  /// `nil`: it finds out who is there, or whether the responder still is.
  package var probe: ResponderProbe?
  package var message: DNSMessage
  package var expects: Expectation
  package var time: Instant
  package var source: Endpoint
  package var destination: Endpoint
  package var window: Interval
  package var bytes: [UInt8]
  /// The system did not send it.
  package var wasRefused = false

  /// What an answer has to be about; of a message that asks nothing, the records in it.
  var questions: [DNSQuestion] {
    if message.questions.isEmpty { return message.answers.map { DNSQuestion($0.name, $0.type) } }
    guard probe == .escapes else { return message.questions }
    // A responder that compares the text of names answers with the other name of the same text.
    return message.questions
      + message.questions.compactMap { one in one.name.withFirstLabelParted.map { DNSQuestion($0, one.type) } }
  }

  package var record: ProbeMessage {
    ProbeMessage(time: time, isSent: true, peer: destination, port: source.port, bytes: bytes)
  }
}

/// A response that was heard.
package struct HeardResponse: Hashable, Sendable {
  /// The most that are kept.
  static let countMaximum = 8_192

  package var time: Instant
  package var source: Endpoint
  package var destination: Endpoint
  package var message: DNSMessage
  package var bytes: [UInt8]

  package var isMulticast: Bool { destination.address.isMulticast }
  package var records: [DNSRecord] { message.answers + message.additionals }

  package var record: ProbeMessage {
    ProbeMessage(time: time, isSent: false, peer: source, port: destination.port, bytes: bytes)
  }
}

extension DNSName {
  /// The name whose first two labels are the parts of this one's first label around its last dot; `nil`: it has none.
  fileprivate var withFirstLabelParted: DNSName? {
    let labels = self.labels
    guard let first = labels.first, let dot = first.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return DNSName(labels: [Array(first[..<dot]), Array(first[(dot + 1)...])] + labels.dropFirst())
  }
}

extension DNSQuestion {
  /// Whether a record answers it; NSEC of the name says that there is nothing.
  func isAnswered(by record: DNSRecord) -> Bool {
    name == record.name && (type == record.type || type == .any || record.type == .nsec)
  }
}
