import RollcallPrimitives
import RollcallWire

/// What the queries of one sender show: how often it asks a thing, and what it says that it knows.
struct MulticastQueries {
  private struct Place: Hashable {
    var speaker: Speaker
    var link: LinkKey
    var key: UInt64
  }
  private struct Topic: Hashable {
    var link: LinkKey
    var key: UInt64
  }
  private struct Series {
    var last: Instant
    /// From the query before to the last one; `nil`: it asked once.
    var gap: Interval?
    var lastUnicast: Instant?
    /// When it began.
    var start: Instant
  }
  private struct Open {
    var source: Endpoint
    var link: LinkKey
    var time: Instant
    var scene: FindingCollector.Scene
    var isComplete: Bool
  }

  private var series: [Place: Series] = [:]
  /// When somebody last said anything of a name and type.
  private var lastSaid: [Topic: Instant] = [:]
  /// Queries with TC whose known answers have to go on.
  private var open: [Open] = []

  static let openMaximum = 256
  static let continuation = Interval.milliseconds(500)
  static let longest = Interval.minutes(60)

  mutating func hear(
    _ heard: HeardMessage, _ said: MulticastSaid, _ ends: MulticastEnds, restart: Instant, beginning: Instant?,
    _ collector: inout FindingCollector
  ) {
    judgeParts(heard, &collector)
    judgeAges(heard, said, &collector)
    if heard.isProbe || !heard.isMulticast { return }
    for question in heard.message.questions { judge(question, heard, ends, restart, beginning, &collector) }
  }

  mutating func answer(_ heard: HeardMessage) {
    guard lastSaid.count < MulticastSaid.placesMaximum else { return }
    for record in heard.message.answers + heard.message.additionals {
      lastSaid[Topic(link: heard.link, key: MulticastKey.name(record.name, record.type))] = heard.time
    }
  }

  private mutating func judge(
    _ question: DNSQuestion, _ heard: HeardMessage, _ ends: MulticastEnds, _ restart: Instant, _ beginning: Instant?,
    _ collector: inout FindingCollector
  ) {
    let place = Place(
      speaker: heard.speaker, link: heard.link, key: MulticastKey.name(question.name, question.type))
    var now = Series(last: heard.time, start: heard.time)
    if question.wantsUnicast { now.lastUnicast = heard.time }
    guard let before = series[place], before.last >= restart else {
      if series.count < MulticastSaid.placesMaximum { series[place] = now }
      if let beginning { judgeFirst(question, heard, beginning, &collector) }
      return
    }
    let gap = heard.time - before.last
    if gap < MulticastTimes.copyMaximum { return }
    if let last = before.lastUnicast, heard.time - last <= .seconds(10) {
      collector.rule(
        .unicastWish, !question.wantsUnicast, at: heard.scene, expected: "QM where a question is sent again",
        found: "QU for \(question.type) \(question.name)")
    }
    if now.lastUnicast == nil { now.lastUnicast = before.lastUnicast }
    // An answer ends the series: what follows keeps a record fresh, or is another one.
    let answer = lastSaid[Topic(link: heard.link, key: place.key)]
    if question.type == .any || answer.map({ $0 >= before.last }) == true
      || ends.explain(question, since: before.last, heard) || hasFailed(before, question, heard, ends)
    {
      series[place] = now
      return
    }
    (now.gap, now.start) = (gap, before.start)
    series[place] = now
    let least = max(.seconds(1), min(MulticastQueries.longest, (before.gap ?? .zero) * 2))
    collector.rule(
      .queryIntervals, gap + MulticastTimes.slack >= least, isSure: heard.isComplete, at: heard.scene,
      expected: "1 s or more between queries, each gap twice the one before",
      found:
        "\(gap.nanoseconds / 1_000_000) ms after \((before.gap ?? .zero).nanoseconds / 1_000_000) ms, \(question.name)",
      doubt: "another program of the host may have asked, or a query is missing")
  }

  /// Hosts that begin together do not ask at one moment. A host that asks later may have had no reason before.
  private func judgeFirst(
    _ question: DNSQuestion, _ heard: HeardMessage, _ beginning: Instant, _ collector: inout FindingCollector
  ) {
    let wait = heard.time - beginning
    collector.rule(
      .firstQueryDelay, wait + .milliseconds(1) >= .milliseconds(20), at: heard.scene,
      expected: "20 ms or more before the first query", found: "\(wait.secondsText), \(question.name)")
  }

  /// A record that was asked for twice in vain is flushed 10 s after the first time (RFC 6762 §10.4): then another
  /// series begins.
  private func hasFailed(
    _ series: Series, _ question: DNSQuestion, _ heard: HeardMessage, _ ends: MulticastEnds
  ) -> Bool {
    let late = heard.time - series.start - .seconds(10)
    return series.gap != nil && late >= .milliseconds(-500) && late <= .milliseconds(500)
      && ends.knows(question, heard)
  }

  // MARK: - Known answers

  /// A record of which less than half is left is no known answer.
  private func judgeAges(_ heard: HeardMessage, _ said: MulticastSaid, _ collector: inout FindingCollector) {
    for record in heard.message.answers {
      guard let whole = said.anybodys(record, on: heard.link), whole.ttlSeconds > 1 else { continue }
      // Seconds are rounded.
      collector.rule(
        .knownAnswerAge, UInt64(record.ttlSeconds) * 2 + 2 >= UInt64(whole.ttlSeconds), at: heard.scene,
        expected: "known answers with half their TTL or more",
        found: "\(record.type) of \(record.name) with \(record.ttlSeconds) of \(whole.ttlSeconds) s")
    }
  }

  /// What has TC goes on at once, and what has no question goes on with something.
  private mutating func judgeParts(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let isPart = heard.message.questions.isEmpty && !heard.message.answers.isEmpty && !heard.isProbe
    if let place = open.firstIndex(where: { $0.source == heard.observation.source && $0.link == heard.link }) {
      let before = open.remove(at: place)
      let isInTime = isPart && heard.time - before.time <= MulticastQueries.continuation
      rule(before, isInTime, &collector)
    } else if isPart {
      collector.rule(
        .knownAnswerParts, false, isSure: heard.isComplete, at: heard.scene,
        expected: "a query with TC before known answers without a question", found: "none",
        doubt: "the query before it may be missing")
    }
    guard heard.message.flags.isTruncated, open.count < MulticastQueries.openMaximum else { return }
    open.append(
      Open(
        source: heard.observation.source, link: heard.link, time: heard.time, scene: heard.scene,
        isComplete: heard.isComplete))
  }

  private func rule(_ query: Open, _ isHeld: Bool, _ collector: inout FindingCollector) {
    collector.rule(
      .knownAnswerParts, isHeld, isSure: query.isComplete, at: query.scene,
      expected: "known answers that go on at once behind TC", found: "none",
      doubt: "the packet behind it may be missing")
  }

  func close(at end: Instant, _ collector: inout FindingCollector) {
    for query in open where end - query.time > MulticastQueries.continuation { rule(query, false, &collector) }
  }
}
