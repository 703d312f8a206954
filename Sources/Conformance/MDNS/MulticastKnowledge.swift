import RollcallPrimitives
import RollcallWire

/// What the hosts of a trace heard, and what they ask and probe all the same.
///
/// A trace alone shows what came to a host: of a capture nothing is said. What is known of a host is forgotten with a
/// deed, a change of an interface, and when its application begins or ends to look for services, or could not reach a
/// device: then it may ask anew.
/// Bounded: topics beyond `topicsMaximum` are not followed, nor records beyond `recordsOfTopicMaximum`.
struct MulticastKnowledge {
  private struct Topic: Hashable {
    var interface: InterfaceID
    var key: UInt64

    init(_ interface: InterfaceID, _ name: DNSName, _ type: DNSType) {
      (self.interface, key) = (interface, MulticastKey.name(name, type))
    }
  }
  private struct Record {
    var key: UInt64
    var heard: Instant
    var ttlSeconds: UInt32
    var isUnique: Bool
    var sender: Speaker
    /// It was taken back, or other data took its place.
    var isOver = false
    /// Queries of others since then that it would have answered, and when the second of them came.
    var unansweredCount = 0
    var failed = Instant.never

    private var life: Interval { .seconds(Int64(ttlSeconds)) }
    /// When it is asked for again.
    var fading: Instant { heard + life * 4 / 5 }
    var end: Instant { heard + life }
    /// With half of its TTL left or more it is listed as a known answer.
    func isFresh(at now: Instant) -> Bool { now - heard < life / 2 }
    func isFading(at now: Instant) -> Bool {
      !isOver && fading <= now + MulticastTimes.slack && now <= end + MulticastTimes.slack
    }
    func hasFailed(at now: Instant) -> Bool {
      unansweredCount >= 2 && failed < now - .seconds(10) - MulticastTimes.slack
    }
  }
  private struct Known {
    var records: [Record] = []
    /// When the host asked last, and how long after the time before.
    var asked: Instant?
    var gap: Interval?
    /// Queries of others since then, when the last one came, and what it says that it knows.
    var othersCount = 0
    var otherAsked: Instant?
    var otherKnown: [UInt64] = []
  }
  /// A response of the host that came back to it: one for each name that it said it has at most.
  private struct Returned {
    var name: UInt64
    var time: Instant
    var scene: FindingCollector.Scene
  }
  private struct Host {
    var isQuerier = false
    var topics: [Topic: Known] = [:]
    /// Names that it said it has.
    var announced: [UInt64: FindingCollector.Scene] = [:]
    var returned: [Returned] = []
    /// When it last told its application that something is gone: what it knew of that it may have dropped.
    var dropped = Instant(nanoseconds: .min)
  }

  private let topicsMaximum: Int
  private var hosts: [Int32: Host] = [:]
  private var topicCount = 0

  static let recordsOfTopicMaximum = 64
  /// A host that takes its own message for another's probes again so soon.
  static let reaction = Interval.seconds(2)
  /// A question that another host asked so shortly before need not be asked.
  static let justAsked = Interval.milliseconds(500)
  /// Two questions that cross on their way are that close.
  static let crossing = Interval.milliseconds(20)
  /// Shorter lives have no room for four queries.
  static let ttlSecondsMinimum: UInt32 = 30

  /// - Parameter topicsMaximum: topics beyond so many are not followed.
  init(topicsMaximum: Int = MulticastSaid.placesMaximum) { self.topicsMaximum = topicsMaximum }

  mutating func note(_ event: TraceEvent) {
    switch event.content {
    case .interface, .deed, .browsed, .doubted:
      topicCount -= hosts[event.host]?.topics.count ?? 0
      hosts[event.host] = nil
    case .told(.lost): hosts[event.host]?.dropped = event.time
    default: break
    }
  }

  // MARK: - What came

  /// Whether anything comes of a message that a host hears.
  func listens(_ host: Int32, isOwn: Bool) -> Bool {
    guard let host = hosts[host] else { return false }
    return isOwn ? !host.announced.isEmpty : host.isQuerier || !host.returned.isEmpty
  }

  mutating func overhear(
    _ message: DNSMessage, from sender: Speaker, _ observation: Observation, _ collector: inout FindingCollector
  ) {
    let host = observation.host
    settle(host, at: observation.time, &collector)
    if sender.host == host { return takeBack(message, host, observation.time) }
    guard message.flags.isResponse else { return ask(message, by: sender, observation) }
    let records = message.answers + message.additionals
    // What another host says of a name may be a conflict.
    if hosts[host]?.returned.isEmpty == false {
      let names = records.map { MulticastKey.name($0.name) }
      hosts[host]?.returned.removeAll { names.contains($0.name) }
    }
    if hosts[host]?.isQuerier != true { return }
    for record in records where record.type != .nsec && record.type != .opt { learn(record, sender, observation) }
  }

  private mutating func learn(_ record: DNSRecord, _ sender: Speaker, _ observation: Observation) {
    let (host, now) = (observation.host, observation.time)
    let topic = Topic(observation.interface, record.name, record.type)
    let key = MulticastKey.record(record)
    reserve(topic, host)
    update(topic, host) { known in
      known.records.removeAll { $0.end + .seconds(5) < now }
      if record.isCacheFlush, record.ttlSeconds != 0 {
        for place in known.records.indices where now - known.records[place].heard > .seconds(1) {
          known.records[place].isOver = true
        }
      }
      let place = known.records.firstIndex { $0.key == key }
      if record.ttlSeconds == 0 {
        if let place { known.records[place].isOver = true }
        return
      }
      let heard = Record(
        key: key, heard: now, ttlSeconds: record.ttlSeconds, isUnique: record.isCacheFlush, sender: sender)
      if let place { return known.records[place] = heard }
      if known.records.count < MulticastKnowledge.recordsOfTopicMaximum { known.records.append(heard) }
    }
  }

  /// Another host's query. What goes on knows more than is said here, and an answer by unicast goes to that host alone.
  private mutating func ask(_ message: DNSMessage, by asker: Speaker, _ observation: Observation) {
    guard message.flags.opcode == 0, !message.flags.isTruncated, message.authorities.isEmpty,
      observation.destination.address.isMulticast
    else { return }
    let now = observation.time
    let listed = message.answers.map(MulticastKey.record)
    for question in message.questions where !question.wantsUnicast {
      update(Topic(observation.interface, question.name, question.type), observation.host) { known in
        // The same over the other family.
        if let last = known.otherAsked, now - last < MulticastTimes.copyMaximum { return }
        (known.otherAsked, known.otherKnown) = (now, listed)
        known.othersCount += 1
        for place in known.records.indices {
          let record = known.records[place]
          // A host that asks for its own record does not answer itself.
          guard !record.isOver, record.sender != asker, !listed.contains(record.key), now - record.heard >= .seconds(1)
          else { continue }
          known.records[place].unansweredCount += 1
          if record.unansweredCount == 1 { known.records[place].failed = now }
        }
      }
    }
  }

  // MARK: - Its own messages

  /// A message of the host that came back to it.
  private mutating func takeBack(_ message: DNSMessage, _ host: Int32, _ now: Instant) {
    guard message.flags.isResponse else { return }
    for record in message.answers where record.isCacheFlush && record.ttlSeconds != 0 {
      let name = MulticastKey.name(record.name)
      guard let entry = hosts[host], let scene = entry.announced[name],
        !entry.returned.contains(where: { $0.name == name })
      else { continue }
      hosts[host]?.returned.append(Returned(name: name, time: now, scene: scene))
    }
  }

  /// A response that the host sends.
  mutating func answer(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let host = heard.observation.host
    guard host >= 0, heard.isMulticast else { return }
    settle(host, at: heard.time, &collector)
    for record in heard.message.answers where record.isCacheFlush && record.ttlSeconds != 0 && record.type != .nsec {
      let name = MulticastKey.name(record.name)
      guard let entry = hosts[host] else {
        hosts[host] = Host(announced: [name: heard.scene])
        continue
      }
      if entry.announced.count < MulticastKnowledge.recordsOfTopicMaximum {
        hosts[host]?.announced[name] = heard.scene
      }
    }
  }

  /// A query or a probe that the host sends.
  mutating func ask(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let host = heard.observation.host
    guard host >= 0, heard.isMulticast else { return }
    settle(host, at: heard.time, &collector)
    if heard.isProbe { return judgeReturned(heard, &collector) }
    hosts[host, default: Host()].isQuerier = true
    judgeListed(heard, &collector)
    for question in heard.message.questions where question.type != .any {
      let topic = Topic(heard.observation.interface, question.name, question.type)
      reserve(topic, host)
      guard let known = hosts[host]?.topics[topic] else { continue }
      // The same over the other family.
      if let asked = known.asked, heard.time - asked < MulticastTimes.copyMaximum { continue }
      judgeRefresh(question, known, heard, &collector)
      judgeEnd(question, known, heard, &collector)
      judgeDuplicate(question, known, heard, &collector)
      let failed = judgeFailed(known, heard, &collector)
      update(topic, host) { known in
        known.records.removeAll { failed.contains($0.key) }
        (known.gap, known.asked, known.othersCount) = (known.asked.map { heard.time - $0 }, heard.time, 0)
      }
    }
  }

  // MARK: - Rules

  /// A record that is of interest is asked for before it ends (RFC 6762 §5.2).
  private func judgeRefresh(
    _ question: DNSQuestion, _ known: Known, _ heard: HeardMessage, _ collector: inout FindingCollector
  ) {
    let now = heard.time
    let isFading = known.records.contains { $0.isFading(at: now) }
    if isFading { return collector.held(.refreshQueries, at: heard.scene) }
    let wasForgotten = known.records.contains { record in
      guard !record.isOver, record.unansweredCount == 0, record.ttlSeconds >= MulticastKnowledge.ttlSecondsMinimum,
        now > record.end, now - record.end <= .seconds(2)
      else { return false }
      // Another host's question stands for one of its own (§7.3).
      return [known.asked, known.otherAsked].allSatisfy { $0.map { $0 + MulticastTimes.slack < record.fading } ?? true }
    }
    if wasForgotten {
      collector.rule(
        .refreshQueries, false, at: heard.scene, expected: "a query at 80 % of the TTL of a record that is of interest",
        found: "none before it ended, \(question.type) of \(question.name)")
    }
  }

  /// What was asked for and answered by its one owner is not asked for again, until it has to be kept fresh. A query that
  /// is no next one of a series, which comes after a second and then after twice the gap, may have a reason of its own.
  private func judgeEnd(
    _ question: DNSQuestion, _ known: Known, _ heard: HeardMessage, _ collector: inout FindingCollector
  ) {
    guard let asked = known.asked, let host = hosts[heard.observation.host], asked > host.dropped else { return }
    let answers = known.records.filter { $0.isUnique && !$0.isOver && $0.unansweredCount == 0 && $0.heard >= asked }
    guard let answer = answers.first else { return }
    let isDue = heard.time + MulticastTimes.slack >= answer.fading
    let gap = heard.time - asked
    let isNext = known.gap.map { gap >= $0 * 3 / 2 && gap <= $0 * 5 / 2 } ?? (gap <= .milliseconds(1_500))
    guard isDue || isNext else { return }
    collector.rule(
      .uniqueAnswerEnds, isDue, at: heard.scene,
      expected: "no query for what one host alone has and answered, until 80 % of its TTL",
      found: "\(question.type) of \(question.name), \((heard.time - answer.heard).secondsText) behind the answer")
  }

  /// What another host has just asked, and knows no more of, need not be asked (RFC 6762 §7.3).
  private func judgeDuplicate(
    _ question: DNSQuestion, _ known: Known, _ heard: HeardMessage, _ collector: inout FindingCollector
  ) {
    guard question.type == .ptr, !question.wantsUnicast, !heard.message.flags.isTruncated, let asked = known.asked,
      let other = known.otherAsked, other > asked, known.othersCount == 1,
      !known.records.contains(where: { $0.isFading(at: heard.time) })
    else { return }
    let listed = heard.message.answers.map(MulticastKey.record)
    let gap = heard.time - other
    guard gap > MulticastKnowledge.crossing, known.otherKnown.allSatisfy(listed.contains) else { return }
    collector.rule(
      .duplicateQuestion, gap > MulticastKnowledge.justAsked, at: heard.scene,
      expected: "no question that another host just asked", found: "\(question.name) \(gap.secondsText) behind it")
  }

  /// A record that two queries of others brought no answer to is gone 10 s later (RFC 6762 §10.5).
  private func judgeListed(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    for record in heard.message.answers {
      let topic = Topic(heard.observation.interface, record.name, record.type)
      let key = MulticastKey.record(record)
      let known = hosts[heard.observation.host]?.topics[topic]?.records ?? []
      guard known.contains(where: { $0.key == key && $0.hasFailed(at: heard.time) }) else { continue }
      collector.rule(
        .passiveFailures, false, at: heard.scene,
        expected: "no known answer that two queries of others got no answer for, 10 s ago",
        found: "\(record.type) of \(record.name)")
    }
  }

  /// - Returns: the records that it leaves out for that reason.
  private func judgeFailed(_ known: Known, _ heard: HeardMessage, _ collector: inout FindingCollector) -> [UInt64] {
    // More of the list may follow.
    if heard.message.flags.isTruncated { return [] }
    let listed = heard.message.answers.map(MulticastKey.record)
    let failed = known.records.filter { record in
      record.hasFailed(at: heard.time) && record.isFresh(at: heard.time) && !record.isOver
        && !listed.contains(record.key)
    }
    if !failed.isEmpty { collector.held(.passiveFailures, at: heard.scene) }
    return failed.map(\.key)
  }

  private mutating func judgeReturned(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let host = heard.observation.host
    for name in heard.probedNames {
      let key = MulticastKey.name(name)
      guard let place = hosts[host]?.returned.firstIndex(where: { $0.name == key }) else { continue }
      hosts[host]?.returned.remove(at: place)
      collector.rule(
        .ownPackets, false, at: heard.scene, expected: "no probe for a name because its own response came back",
        found: "one for \(name)")
    }
  }

  /// What came back and led to nothing.
  private mutating func settle(_ host: Int32, at now: Instant, _ collector: inout FindingCollector) {
    guard let entry = hosts[host], !entry.returned.isEmpty else { return }
    for one in entry.returned where now - one.time > MulticastKnowledge.reaction {
      collector.held(.ownPackets, at: one.scene)
    }
    hosts[host]?.returned.removeAll { now - $0.time > MulticastKnowledge.reaction }
  }

  mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    for host in hosts.keys.sorted() { settle(host, at: end, &collector) }
  }

  // MARK: - Room

  /// Makes a place for what a host knows of a topic, where there is none yet and room for one.
  private mutating func reserve(_ topic: Topic, _ host: Int32) {
    guard hosts[host] != nil, hosts[host]?.topics[topic] == nil, topicCount < topicsMaximum else { return }
    topicCount += 1
    hosts[host]?.topics[topic] = Known()
  }

  private mutating func update(_ topic: Topic, _ host: Int32, _ change: (inout Known) -> Void) {
    guard var known = hosts[host]?.topics[topic] else { return }
    // So that the lists in it are not copied.
    hosts[host]?.topics[topic] = Known()
    change(&known)
    hosts[host]?.topics[topic] = known
  }
}
