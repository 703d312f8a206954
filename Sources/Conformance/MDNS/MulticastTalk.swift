import RollcallPrimitives
import RollcallWire

/// What answers show beside the questions before them.
struct MulticastTalk {
  /// A query that may still be answered.
  private struct Asked {
    var heard: HeardSummary
    var questions: [DNSQuestion]
    var known: [DNSRecord]
    var isTruncated: Bool
    /// When its known answers last went on.
    var continued: Instant
    /// Who multicast an answer to it, and when first.
    var answered: [(party: PartyID, time: Instant)] = []
  }
  private struct Place: Hashable {
    var party: PartyID
    var link: LinkKey
    var record: UInt64
  }
  /// What was multicast without a question: when last, and how long after the time before.
  private struct Unasked {
    var last: Instant
    var gap: Interval?
  }
  private struct HeardSummary {
    var time: Instant
    var link: LinkKey
    var speaker: Speaker
    var source: Endpoint
    var isDirect: Bool
    var isProbe: Bool
  }
  private struct Delays {
    var scene: FindingCollector.Scene
    var sample: [Int64] = []
  }

  private var asked: [Asked] = []
  private var delays: [Delays] = []
  private var delayNumbers: [PartyID: Int] = [:]
  private var unasked: [Place: Unasked] = [:]
  /// When a sender last probed: what it says soon after is announced and not asked for.
  private var probed: [PartyID: Instant] = [:]

  static let askedMaximum = 256
  /// What is multicast without a question beyond so many is not followed.
  var placesMaximum = MulticastSaid.placesMaximum
  /// A query is answered within that time, or not at all.
  static let patience = Interval.seconds(1)
  /// A querier takes answers by unicast for so long (RFC 6762 §6).
  static let unicastPatience = Interval.seconds(2)
  /// What a name that was probed for is announced in.
  static let announcing = Interval.seconds(5)
  /// A link and a clock take that long.
  static let slack = Interval.milliseconds(20)

  mutating func ask(_ heard: HeardMessage) {
    let time = heard.time
    asked.removeAll { time - $0.heard.time > MulticastTalk.unicastPatience }
    if heard.isProbe { probed[heard.scene.party] = time }
    if heard.message.questions.isEmpty {
      let place = asked.lastIndex { $0.isTruncated && $0.heard.source == heard.observation.source }
      guard let place, asked[place].known.count < 1_024 else { return }
      asked[place].known += heard.message.answers
      asked[place].continued = time
      return
    }
    guard asked.count < MulticastTalk.askedMaximum else { return }
    asked.append(
      Asked(
        heard: HeardSummary(
          time: time, link: heard.link, speaker: heard.speaker, source: heard.observation.source,
          isDirect: !heard.isMulticast, isProbe: heard.isProbe),
        questions: heard.message.questions, known: heard.message.answers,
        isTruncated: heard.message.flags.isTruncated, continued: time))
  }

  /// - Parameter restart: when the sender last began anew.
  mutating func answer(
    _ heard: HeardMessage, restart: Instant, _ said: MulticastSaid, _ collector: inout FindingCollector
  ) {
    let answers = heard.message.answers.filter { $0.ttlSeconds != 0 }
    if heard.isLegacyReply || answers.isEmpty { return }
    if !heard.isMulticast { judgeUnicast(heard, answers, said, &collector) }
    let places = asked.indices.filter { place in
      let query = asked[place].heard
      return heard.time - query.time <= MulticastTalk.patience && query.link == heard.link
        && query.speaker != heard.speaker && (heard.isMulticast || query.source == heard.observation.destination)
        && answers.contains { MulticastTalk.answers($0, asked[place].questions) }
    }
    judgeUnasked(heard, answers, isAsked: !places.isEmpty, restart, said, &collector)
    // What is announced is not an answer for certain.
    if let last = probed[heard.scene.party], heard.time - last <= MulticastTalk.announcing { return }
    let causes = places.map { asked[$0] }
    if causes.isEmpty { return }
    judgeDirect(heard, answers, causes, said, &collector)
    judgeKnown(heard, answers, causes, said, &collector)
    judgeParts(heard, places, &collector)
    judgeTimes(heard, answers, causes, said, &collector)
  }

  private static func answers(_ record: DNSRecord, _ questions: [DNSQuestion]) -> Bool {
    questions.contains { ($0.type == record.type || $0.type == .any) && $0.name == record.name }
  }

  // MARK: - Ways

  private func judgeUnicast(
    _ heard: HeardMessage, _ answers: [DNSRecord], _ said: MulticastSaid, _ collector: inout FindingCollector
  ) {
    let wished = asked.contains { query in
      query.heard.source == heard.observation.destination
        && heard.time - query.heard.time <= MulticastTalk.unicastPatience
        && (query.heard.isDirect || query.questions.contains { $0.wantsUnicast })
    }
    guard wished else {
      return collector.rule(
        .unicastAnswer, false, isSure: heard.isComplete, at: heard.scene,
        expected: "an answer by unicast to who asked for one", found: "one to \(heard.observation.destination)",
        doubt: "no question that asks for an answer by unicast was heard")
    }
    let old = answers.first { record in
      guard let last = said.last(record, of: heard) else { return heard.isComplete }
      return heard.time - last.time > .seconds(Int64(record.ttlSeconds)) / 4 + MulticastTimes.slack
    }
    collector.rule(
      .unicastAnswer, old == nil, isSure: heard.isComplete, at: heard.scene,
      expected: "multicast of what was not multicast within a quarter of its TTL",
      found: old.map { "\($0.type) of \($0.name) by unicast alone" } ?? "",
      doubt: "when the record was last multicast is not known")
  }

  /// A query that came by unicast is answered by unicast, unless multicast of the record is due (RFC 6762 §5.5).
  private func judgeDirect(
    _ heard: HeardMessage, _ answers: [DNSRecord], _ causes: [Asked], _ said: MulticastSaid,
    _ collector: inout FindingCollector
  ) {
    guard causes.count == 1, causes[0].heard.isDirect else { return }
    let isDue = answers.contains { record in
      guard let last = said.last(record, of: heard) else { return true }
      return heard.time - last.time + MulticastTimes.slack >= .seconds(Int64(record.ttlSeconds)) / 4
    }
    if heard.isMulticast, isDue { return }
    collector.rule(
      .directQuery, !heard.isMulticast, isSure: heard.isComplete, at: heard.scene,
      expected: "an answer by unicast to a query by unicast", found: "one by multicast",
      doubt: "another question may have been lost")
  }

  /// What nobody asked for is said again after twice the time at least (RFC 6762 §8.3).
  private mutating func judgeUnasked(
    _ heard: HeardMessage, _ answers: [DNSRecord], isAsked: Bool, _ restart: Instant, _ said: MulticastSaid,
    _ collector: inout FindingCollector
  ) {
    guard heard.isMulticast, unasked.count < placesMaximum else { return }
    var wrong: (record: DNSRecord, gap: Interval, before: Interval)?
    for record in answers {
      let place = Place(party: heard.scene.party, link: heard.link, record: MulticastKey.record(record))
      let (own, any) = (said.last(record, of: heard), said.anybodys(record, on: heard.link))
      let isOthers = any.map { any in own.map { $0.time < any.time } ?? true } ?? false
      let probe = max(restart, probed[heard.scene.party] ?? restart)
      guard let before = unasked[place], before.last > probe, !isAsked, !isOthers else {
        unasked[place] = isAsked ? nil : Unasked(last: heard.time)
        continue
      }
      let gap = heard.time - before.last
      if gap < MulticastTimes.copyMaximum { continue }
      if let least = before.gap, gap + MulticastTimes.slack < least * 2, wrong == nil { wrong = (record, gap, least) }
      unasked[place] = Unasked(last: heard.time, gap: gap)
    }
    if let wrong { MulticastTimes.rule(unasked: wrong.record, wrong.gap, after: wrong.before, heard, &collector) }
  }

  /// Answers to one question go together in as few messages as there can be.
  private mutating func judgeParts(_ heard: HeardMessage, _ places: [Int], _ collector: inout FindingCollector) {
    guard heard.isMulticast, places.count == 1 else { return }
    let place = places[0]
    let earlier = asked[place].answered.first { $0.party == heard.scene.party }
    if earlier == nil { asked[place].answered.append((heard.scene.party, heard.time)) }
    if heard.observation.bytes.count > RecordChecks.fullBytes { return }
    collector.rule(
      .aggregation, earlier.map { heard.time - $0.time > .milliseconds(500) } ?? true, isSure: heard.isComplete,
      at: heard.scene, expected: "all answers to a query in one message", found: "another one",
      doubt: "another question may have been lost")
  }

  // MARK: - Known answers

  private func judgeKnown(
    _ heard: HeardMessage, _ answers: [DNSRecord], _ causes: [Asked], _ said: MulticastSaid,
    _ collector: inout FindingCollector
  ) {
    guard causes.contains(where: { !$0.known.isEmpty }) else { return }
    let needless = answers.first { record in
      let askers = causes.filter { MulticastTalk.answers(record, $0.questions) }
      return !askers.isEmpty
        && askers.allSatisfy { query in
          query.known.contains {
            UInt64($0.ttlSeconds) * 2 >= UInt64(record.ttlSeconds) && $0.name == record.name && $0.isTied(with: record)
          }
        }
    }
    collector.rule(
      .knownAnswers, needless == nil, isSure: heard.isComplete, at: heard.scene,
      expected: "no answer that everybody who asked knows", found: needless.map { "\($0.type) of \($0.name)" } ?? "",
      doubt: "another question may have been lost")
  }

  /// What another host just answered is not answered again (RFC 6762 §7.4).
  private func judgeOthers(
    _ heard: HeardMessage, _ answers: [DNSRecord], since first: Instant, _ said: MulticastSaid,
    _ collector: inout FindingCollector
  ) {
    guard heard.isMulticast else { return }
    var needless: DNSRecord?
    var isShown = false
    for record in answers {
      guard let any = said.anybodys(record, on: heard.link), any.time >= first, any.ttlSeconds >= record.ttlSeconds,
        said.last(record, of: heard).map({ $0.time < any.time }) ?? true
      else { continue }
      isShown = true
      if heard.time - any.time > MulticastTalk.slack, needless == nil { needless = record }
    }
    // Whoever left such a record out shows it, too: another one of the message was not said.
    if !isShown, answers.allSatisfy({ said.sayers(of: $0, on: heard.link).count < 2 }) { return }
    collector.rule(
      .duplicateAnswer, needless == nil, isSure: heard.isComplete, at: heard.scene,
      expected: "no answer that another host gave", found: needless.map { "\($0.type) of \($0.name)" } ?? "",
      doubt: "the other answer may not have come")
  }

  // MARK: - Times

  private mutating func judgeTimes(
    _ heard: HeardMessage, _ answers: [DNSRecord], _ causes: [Asked], _ said: MulticastSaid,
    _ collector: inout FindingCollector
  ) {
    guard let first = causes.first, let last = causes.last else { return }
    let milliseconds = { (gap: Interval) in "\(gap.nanoseconds / 1_000_000) ms" }
    if first.isTruncated, causes.count == 1 {
      let wait = heard.time - first.continued
      return collector.rule(
        .truncatedWait, wait + .milliseconds(2) >= .milliseconds(400), at: heard.scene,
        expected: "400 ms or more after a query with TC", found: milliseconds(wait))
    }
    if causes.contains(where: { $0.isTruncated || $0.heard.isProbe }) { return }
    judgeOthers(heard, answers, since: first.heard.time, said, &collector)
    let early = heard.time - first.heard.time
    let late = heard.time - last.heard.time
    if answers.contains(where: { !$0.isCacheFlush && ServiceChecks.isShared($0.name) }) {
      // Up to 500 ms more where that puts responses together (§6.4).
      let isInTime =
        early + .milliseconds(1) >= .milliseconds(20) && late <= .milliseconds(620) + MulticastTimes.slack
      collector.rule(
        .sharedDelay, isInTime, at: heard.scene, expected: "20 ms or more before an answer that is shared",
        found: milliseconds(early))
      // Where others answer with the same record, who is late is silent: such delays are not spread evenly.
      let isAlone = answers.allSatisfy { said.sayers(of: $0, on: heard.link).count <= 1 }
      if causes.count == 1, isInTime, early <= .milliseconds(120), isAlone { count(early, heard) }
      return
    }
    // Whoever said it within a second has to wait, and who has several questions may.
    let isFree = answers.allSatisfy { record in
      record.isCacheFlush && said.last(record, of: heard).map { last.heard.time - $0.time > .seconds(1) } ?? true
    }
    guard causes.count == 1, first.questions.count == 1, isFree else { return }
    collector.rule(
      .promptAnswer, late <= .milliseconds(10) + MulticastTalk.slack, isSure: heard.isComplete, at: heard.scene,
      expected: "unique answers within 10 ms", found: milliseconds(late),
      doubt: "when the responder heard the question is not known")
  }

  private mutating func count(_ delay: Interval, _ heard: HeardMessage) {
    if delayNumbers[heard.scene.party] == nil {
      delayNumbers[heard.scene.party] = delays.count
      delays.append(Delays(scene: heard.scene))
    }
    guard let number = delayNumbers[heard.scene.party], delays[number].sample.count < Distribution.sampleCountMaximum
    else { return }
    delays[number].sample.append(delay.nanoseconds)
  }

  /// Delays of shared answers are spread evenly over 20 to 120 ms.
  mutating func close(isComplete: Bool, _ collector: inout FindingCollector) {
    for entry in delays where entry.sample.count >= Distribution.delayCountMinimum {
      let isUneven = Distribution.isUneven(entry.sample, from: 20_000_000, to: 120_000_000)
      collector.rule(
        .sharedDelay, !isUneven, isSure: isComplete, at: entry.scene,
        expected: "delays that are spread evenly over 20 to 120 ms",
        found: "\(entry.sample.count) delays that are not", doubt: "the way to the recorder may change delays")
    }
  }
}
