import RollcallPrimitives
import RollcallWire

/// Judges datagrams of port 5353, sender by sender.
///
/// Who responds or probes is a responder, who only asks a querier. What is no DNS message is judged by nothing: other
/// protocols use the port, too.
struct MulticastJudge: ProtocolJudge {
  static let clauses: [ClauseID] = [
    .multicastAddress, .multicastHopLimit, .noQuestions, .oncePerSecond, .legacyReply, .probes, .probeFlush,
    .announcements, .flushBits, .recommendedTTL, .packetSize, .headerBits, .instanceNames, .emptyText, .textSize,
    .textKeys, .typeNames,
  ]

  private let circumstances: Circumstances
  private var times = MulticastTimes()

  init(_ circumstances: Circumstances) { self.circumstances = circumstances }

  mutating func hear(_ observation: Observation, _ books: inout Books) {
    if observation.isCut {
      books.cutCount += 1
      return
    }
    guard let reading = try? DNSReader.read(observation.bytes) else {
      books.unreadableCount += 1
      return
    }
    let message = reading.message
    guard message.flags.isResponse || message.flags.opcode == 0 else { return }
    // To another port goes the reply to a plain DNS client, and nothing else that is multicast DNS.
    let isReply = message.flags.isResponse && !observation.destination.address.isMulticast
    guard observation.destination.port == Endpoint.mdnsPort || isReply else { return }
    // A query from another port is one of a plain DNS client, which is bound by little of this (RFC 6762 §5.1).
    let isLegacy = !message.flags.isResponse && observation.source.port != Endpoint.mdnsPort
    let isResponder = message.flags.isResponse || !message.authorities.isEmpty
    let party = books.parties.number(
      of: observation.source.address, host: observation.host, role: isResponder ? .device : .controlPoint,
      standard: .multicastDNS)
    books.parties.hear(party, claim: .rfc6762, product: nil)
    books.multicastCount += 1
    books.last = max(books.last, observation.time)
    let scene = FindingCollector.Scene(
      party: party, claim: .rfc6762, time: observation.time, position: observation.position)
    let heard = HeardMessage(message: message, observation: observation, scene: scene)
    if isLegacy { return }
    MulticastChecks.judge(heard, &books.collector)
    if message.flags.isResponse { ServiceChecks.judge(heard, &books.collector) }
    times.judge(heard, &books.collector)
  }

  mutating func overhear(_ observation: Observation, _ books: inout Books) {}
  mutating func note(_ event: TraceEvent, _ books: inout Books) {}

  mutating func close(at end: Instant, _ books: inout Books) {
    times.close(at: end, isComplete: circumstances.isComplete, &books.collector)
  }

  func device(_ number: Int32) -> String? { nil }
}

/// A message with its sender.
struct HeardMessage {
  var message: DNSMessage
  var observation: Observation
  var scene: FindingCollector.Scene

  var isMulticast: Bool { observation.destination.address.isMulticast }
  /// A reply to a client that does not use the port.
  var isLegacyReply: Bool {
    message.flags.isResponse && !isMulticast && observation.destination.port != Endpoint.mdnsPort
  }
  var records: [DNSRecord] { message.answers + message.authorities + message.additionals }
}
