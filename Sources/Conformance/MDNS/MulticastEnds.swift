import RollcallPrimitives
import RollcallWire

/// Records that ended for all hosts that heard it, and queriers that go on to list them as known answers.
///
/// A record ends a second after a goodbye (RFC 6762 §10.1), and a second after other data of its name and type came with
/// the cache-flush bit (§10.2). Bounded: records beyond `placesMaximum` are not followed.
struct MulticastEnds {
  private struct Topic: Hashable {
    /// Both families: a querier may hear of the end over one, and list over the other.
    var link: UInt64
    var key: UInt64
  }
  private struct Record {
    var key: UInt64
    var said: Instant
    var ttlSeconds: UInt32
    /// What ended it, and when that was said; `nil`: it holds.
    var end: (clause: ClauseID, time: Instant)?
    /// The queriers that listed it while it held.
    var listedBy: [Speaker] = []
  }

  private var records: [Topic: [Record]] = [:]
  private var count = 0
  var placesMaximum = MulticastSaid.placesMaximum

  /// A second from the message that ends it.
  static let grace = Interval.seconds(1) + MulticastTimes.slack
  static let recordsOfTopicMaximum = 256
  static let listersMaximum = 16

  private static func topic(_ name: DNSName, _ type: DNSType, _ heard: HeardMessage) -> Topic {
    Topic(link: heard.link.number, key: MulticastKey.name(name, type))
  }

  // MARK: - Responses

  mutating func answer(_ heard: HeardMessage) {
    if heard.isLegacyReply { return }
    let said = heard.message.answers + heard.message.additionals
    for record in said { note(record, heard) }
    // What goes to one host ends nothing for the others.
    guard heard.isMulticast else { return }
    for record in said where record.isCacheFlush && record.ttlSeconds != 0 {
      let topic = MulticastEnds.topic(record.name, record.type, heard)
      for place in records[topic, default: []].indices {
        let old = records[topic]?[place]
        guard let old, old.end == nil, heard.time - old.said > .seconds(1) else { continue }
        records[topic]?[place].end = (.flushOlder, heard.time)
      }
    }
  }

  private mutating func note(_ record: DNSRecord, _ heard: HeardMessage) {
    let (topic, key) = (
      MulticastEnds.topic(record.name, record.type, heard), MulticastKey.record(record)
    )
    let known = records[topic, default: []].firstIndex { $0.key == key }
    if known == nil {
      guard count < placesMaximum,
        records[topic, default: []].count < MulticastEnds.recordsOfTopicMaximum
      else { return }
      count += 1
      records[topic, default: []].append(Record(key: key, said: heard.time, ttlSeconds: record.ttlSeconds))
    }
    let place = known ?? records[topic, default: []].count - 1
    if record.ttlSeconds != 0 {
      records[topic]?[place].said = heard.time
      records[topic]?[place].ttlSeconds = record.ttlSeconds
      records[topic]?[place].end = nil
    } else if heard.isMulticast, records[topic]?[place].end == nil {
      records[topic]?[place].end = (.goodbye, heard.time)
    }
  }

  // MARK: - Queries

  /// Whether a record of what is asked for is about to end, or ended since the question was asked before: then the
  /// question keeps it fresh, or another series begins (RFC 6762 §5.2).
  func explain(_ question: DNSQuestion, since last: Instant, _ heard: HeardMessage) -> Bool {
    let slack = MulticastTimes.slack
    return records[MulticastEnds.topic(question.name, question.type, heard), default: []].contains { record in
      let life = Interval.seconds(Int64(record.ttlSeconds))
      let over = min(record.said + life, record.end.map { $0.time + .seconds(1) } ?? .never)
      let fading = min(record.said + life * 4 / 5, over)
      return heard.time + slack >= fading && last <= over + slack
    }
  }

  /// Whether anybody said anything of what is asked for.
  func knows(_ question: DNSQuestion, _ heard: HeardMessage) -> Bool {
    records[MulticastEnds.topic(question.name, question.type, heard)] != nil
  }

  mutating func ask(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    if heard.isProbe { return }
    for record in heard.message.answers { judge(record, heard, &collector) }
    // More of the list may follow.
    if heard.message.flags.isTruncated { return }
    for question in heard.message.questions { judge(question, heard, &collector) }
  }

  private mutating func judge(_ record: DNSRecord, _ heard: HeardMessage, _ collector: inout FindingCollector) {
    let topic = MulticastEnds.topic(record.name, record.type, heard)
    let key = MulticastKey.record(record)
    guard let place = records[topic]?.firstIndex(where: { $0.key == key }), let known = records[topic]?[place] else {
      return
    }
    guard let end = known.end, heard.time - end.time > MulticastEnds.grace else {
      if !known.listedBy.contains(heard.speaker), known.listedBy.count < MulticastEnds.listersMaximum {
        records[topic]?[place].listedBy.append(heard.speaker)
      }
      return
    }
    collector.rule(
      end.clause, false, isSure: heard.isComplete, at: heard.scene,
      expected: "no known answer that ended a second ago",
      found: "\(record.type) of \(record.name), "
        + (end.clause == .goodbye ? "after its goodbye" : "after other data with the cache-flush bit"),
      doubt: "what ended it may not have come to the querier")
  }

  /// A querier that listed a record before it ended asks again without it.
  private mutating func judge(_ question: DNSQuestion, _ heard: HeardMessage, _ collector: inout FindingCollector) {
    let topic = MulticastEnds.topic(question.name, question.type, heard)
    for place in records[topic, default: []].indices {
      guard let known = records[topic]?[place], let end = known.end, heard.time - end.time > MulticastEnds.grace,
        known.listedBy.contains(heard.speaker),
        !heard.message.answers.contains(where: { MulticastKey.record($0) == known.key })
      else { continue }
      records[topic]?[place].listedBy.removeAll { $0 == heard.speaker }
      collector.held(end.clause, at: heard.scene)
    }
  }
}
