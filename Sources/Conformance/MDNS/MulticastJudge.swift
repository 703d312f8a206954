import RollcallPrimitives
import RollcallWire

/// Judges datagrams of port 5353, sender by sender.
///
/// Who responds or probes is a responder, who only asks a querier. What is no DNS message is judged by nothing: other
/// protocols use the port, too.
struct MulticastJudge: ProtocolJudge {
  static let clauses: [ClauseID] = [
    .multicastAddress, .multicastHopLimit, .queryIntervals, .unicastWish, .unicastAnswer, .noQuestions,
    .promptAnswer, .sharedDelay, .truncatedWait, .oncePerSecond, .negativeAnswers, .otherFamily, .lowTTLOfOthers,
    .legacyReply, .knownAnswers, .knownAnswerAge, .knownAnswerParts, .probes, .probeFlush, .probeConflict, .probeRate,
    .tieBreak, .tieBreakLists, .aggregation, .duplicateAnswer, .announcements, .flushBits, .changedData, .laterConflict,
    .recommendedTTL, .linkChange, .directQuery, .equalData, .goodbye, .flushOlder, .perInterface, .nameBytes,
    .packetSize, .headerBits, .compression, .instanceNames, .serviceRecords, .emptyText,
    .textSize, .textKeys, .typeNames, .additionalRecords, .recordTwice, .offLinkIgnored, .firstQueryDelay,
    .refreshQueries, .uniqueAnswerEnds, .duplicateQuestion, .ownPackets, .passiveFailures, .subtypes,
  ]

  private let circumstances: Circumstances
  private var hosts = MulticastHosts()
  private var said = MulticastSaid()
  private var times = MulticastTimes()
  private var talk = MulticastTalk()
  private var queries = MulticastQueries()
  private var claims = MulticastClaims()
  private var duties = MulticastDuties()
  private var ends = MulticastEnds()
  private var knowledge = MulticastKnowledge()

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
    let heard = HeardMessage(
      message: message, observation: observation, scene: scene, speaker: Speaker(observation),
      link: hosts.link(of: observation), isComplete: circumstances.isComplete)
    if isLegacy { return }
    MulticastChecks.judge(heard, &books.collector)
    RecordChecks.judge(heard, said, &books.collector)
    times.judge(heard, &books.collector)
    let restart = hosts.restart(at: observation)
    if message.flags.isResponse {
      ServiceChecks.judge(heard, &books.collector)
      RecordChecks.judgeAddresses(heard, hosts.addresses(at: observation), &books.collector)
      MulticastChecks.judgeReach(
        heard, isOnLink: hosts.isOnLink(observation.destination.address, at: observation), &books.collector)
      talk.answer(heard, restart: max(restart.off, restart.upAgain), said, &books.collector)
      claims.answer(heard, restart: restart, said, &books.collector)
      duties.answer(heard, said, &books.collector)
      queries.answer(heard)
      ends.answer(heard)
      said.note(heard)
      knowledge.answer(heard, &books.collector)
    } else {
      talk.ask(heard)
      claims.probe(heard, &books.collector)
      duties.probe(heard, &books.collector)
      ends.ask(heard, &books.collector)
      queries.hear(
        heard, said, ends, restart: max(restart.off, restart.upAgain, hosts.doubt(at: observation)),
        beginning: hosts.beginning(at: observation), &books.collector)
      knowledge.ask(heard, &books.collector)
    }
  }

  mutating func overhear(_ observation: Observation, _ books: inout Books) {
    let sender = hosts.speaker(of: observation.source.address)
    guard knowledge.listens(observation.host, isOwn: sender.host == observation.host), !observation.isCut,
      let message = try? DNSReader.read(observation.bytes).message
    else { return }
    books.last = max(books.last, observation.time)
    knowledge.overhear(message, from: sender, observation, &books.collector)
  }

  mutating func note(_ event: TraceEvent, _ books: inout Books) {
    hosts.note(event)
    knowledge.note(event)
    if case .deed(let deed) = event.content, deed != .appear, deed != .reconfigure {
      duties.dismiss(event.host, at: event.time)
    }
  }

  mutating func close(at end: Instant, _ books: inout Books) {
    let isComplete = circumstances.isComplete
    times.close(at: end, isComplete: isComplete, &books.collector)
    talk.close(isComplete: isComplete, &books.collector)
    queries.close(at: end, &books.collector)
    claims.close(&books.collector)
    duties.close(at: end, &books.collector)
    knowledge.close(at: end, &books.collector)
  }

  func device(_ number: Int32) -> String? { nil }
}
