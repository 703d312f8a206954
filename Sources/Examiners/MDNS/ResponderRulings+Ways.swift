import RollcallConformance
import RollcallPrimitives
import RollcallWire

extension ResponderRulings {
  // MARK: - By unicast

  mutating func ruleUnicast() {
    for (probe, clause, what) in [
      (ResponderProbe.unicastWish, ClauseID.unicastAnswer, "a QU question"),
      (.direct, .directQuery, "a query by unicast"),
    ] {
      let asked = asked(probe).filter { !$0.ask.destination.address.isMulticast || $0.ask.questions[0].wantsUnicast }
      let expected = "an answer by unicast to \(what), for a record that was multicast just before"
      guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
        silence(probe, clause, expected, asked)
        // To the same question without the bit it does answer (RFC 6762 §18.12).
        if probe == .unicastWish { silence(probe, .topBit, "an answer to a question with the QU bit", asked) }
        continue
      }
      if probe == .unicastWish { rule(probe, .topBit, .held, "", answered.evidence) }
      let isUnicast = asked.contains { $0.answers.contains { !$0.isMulticast } }
      rule(probe, clause, isUnicast, expected, found: "one by multicast", answered.evidence)
    }
  }

  // MARK: - To a plain DNS client

  mutating func ruleLegacy() {
    ruleLegacyForm()
    ruleLegacyCompression()
  }

  private mutating func ruleLegacyForm() {
    let asked = asked(.legacy)
    guard let first = asked.first, let question = first.ask.questions.first else { return }
    let expected = "a reply with the id, the question, TTLs of at most 10 s and no cache-flush bit"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }), let reply = answered.answers.first else {
      return silence(.legacy, .legacyReply, expected, asked)
    }
    var wrong: [String] = []
    let message = reply.message
    if message.id != ResponderExam.legacyID { wrong.append("id \(message.id), asked with \(ResponderExam.legacyID)") }
    if message.questions.first.map({ $0.name == question.name && $0.type == question.type }) != true {
      wrong.append("no question")
    }
    if let record = reply.records.first(where: { $0.type != .opt && $0.ttlSeconds > 10 }) {
      wrong.append("\(record.type) with a TTL of \(record.ttlSeconds) s")
    }
    if let record = reply.records.first(where: \.isCacheFlush) {
      wrong.append("\(record.type) with the cache-flush bit")
    }
    rule(
      .legacy, .legacyReply, wrong.isEmpty, expected, found: wrong.joined(separator: "; "), answered.evidence)
  }

  private mutating func ruleLegacyCompression() {
    let asked = asked(.legacyService)
    let expected = "SRV with the whole name of the host"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }), let reply = answered.answers.first else {
      return silence(.legacyService, .compression, expected, asked)
    }
    guard let record = reply.message.answers.first(where: { $0.type == .srv }) else {
      return rule(
        .legacyService, .compression, .inconclusive, "a reply without SRV", answered.evidence)
    }
    guard let size = ResponderRulings.dataSize(of: record, in: reply.bytes) else {
      return rule(.legacyService, .compression, .inconclusive, "the reply is too long to be kept", answered.evidence)
    }
    rule(
      .legacyService, .compression, size == record.data.bytes.count, expected,
      found: "a name that is compressed: \(size) bytes of data in place of \(record.data.bytes.count)",
      answered.evidence)
  }

  /// The length that stands before the data of an SRV record; `nil`: it is not in these bytes.
  private static func dataSize(of record: DNSRecord, in bytes: [UInt8]) -> Int? {
    // Class and TTL stand between type and length; priority, weight and port behind it.
    let fields = record.data.bytes.prefix(6)
    let ttl = record.ttlSeconds
    let mark: [UInt8] =
      [0, 33, record.isCacheFlush ? 0x80 : 0, 1]
      + [UInt8(ttl >> 24 & 255), UInt8(ttl >> 16 & 255), UInt8(ttl >> 8 & 255), UInt8(ttl & 255)]
    guard bytes.count >= mark.count + 8 else { return nil }
    for place in 0...(bytes.count - mark.count - 8) where bytes[place...].starts(with: mark) {
      let size = place + mark.count
      if bytes[(size + 2)...].starts(with: fields) { return Int(bytes[size]) << 8 | Int(bytes[size + 1]) }
    }
    return nil
  }

  // MARK: - Silence

  mutating func ruleSilence() {
    quiet(.known, .knownAnswers, "silence, since the answer was known", asked(.known))
    ruleOldAnswer()
    quiet(.escapes, .escapes, "silence to a name that it has not", asked(.escapes))
    if let name = subject.service?.name.domainName, ResponderExam.joined(name) == nil {
      remark(.escapes, "the name of the service is too long to be asked for so")
    }
    quiet(.opcode, .headerBits, "silence to opcode 2", asked(.opcode))
    quiet(.responseCode, .headerBits, "silence to response code 3", asked(.responseCode))
    quiet(.responseQuestion, .noQuestions, "silence to a question in a response", asked(.responseQuestion))
    quiet(.learnt, .noLearntRecords, "silence about the record of another host", asked(.learnt))
    ruleDuplicate()
    ruleLowTTL()
  }

  /// What was given may be lost on its way to the responder: one answer is no breach yet, an answer each time is.
  private mutating func ruleDuplicate() {
    let given = asked(.duplicate).filter { $0.ask.expects == .silence }
    guard let first = given.first(where: { !$0.answers.isEmpty }) else {
      return quiet(.duplicate, .duplicateAnswer, "silence, since another host gave the answer", given)
    }
    let count = given.count { !$0.answers.isEmpty }
    if given.contains(where: { exam.isDisturbed($0.ask) }) {
      rule(.duplicate, .duplicateAnswer, .inconclusive, "somebody else asked at the same time", first.evidence)
    } else if count < given.count || mayBeLoss(count) {
      rule(
        .duplicate, .duplicateAnswer, .inconclusive,
        "an answer \(count) of \(given.count) times: what was given before it may have been lost", first.evidence)
    } else {
      rule(
        .duplicate, .duplicateAnswer, .violated, "silence, since another host gave the answer",
        found: "an answer each of \(count) times", first.evidence)
    }
  }

  private mutating func ruleOldAnswer() {
    let asked = asked(.knownOld)
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.knownOld, .knownAnswers, "an answer, since less than half of the TTL is left", asked)
    }
    rule(.knownOld, .knownAnswers, .held, "", answered.evidence)
  }

  private mutating func ruleLowTTL() {
    let asked = asked(.lowTTL)
    let expected = "the record again with its own TTL"
    guard let answered = asked.first(where: { !$0.answers.isEmpty }) else {
      return silence(.lowTTL, .lowTTLOfOthers, expected, asked)
    }
    rule(.lowTTL, .lowTTLOfOthers, .held, "", answered.evidence)
  }
}
