import RollcallPrimitives
import RollcallWire

/// What several messages of one sender show: how often it says a thing, how it probes and announces.
struct MulticastTimes {
  /// Where one sender says one thing.
  private struct Place: Hashable {
    var party: PartyID
    var interface: InterfaceID
    var family: IPAddress.Family
    /// Of the record, or of the name.
    var digest: UInt64
  }
  private struct Probing {
    var last: Instant
    var announced: Instant?
    var scene: FindingCollector.Scene
    /// An announcement came a second or more after the first.
    var isAnnounced = false
  }

  private struct Probed {
    /// `nil`: not known.
    var link: UInt64?
    var time: Instant
  }

  private var records: [Place: Instant] = [:]
  /// When each name was last probed for, link by link.
  private var probed: [UInt64: [Probed]] = [:]
  private var probings: [Place: Probing] = [:]
  /// Places in the order in which they came.
  private var order: [Place] = []

  /// What comes beyond so many is not followed.
  static let placesMaximum = 16_384
  var placesMaximum = MulticastTimes.placesMaximum
  static let linksMaximum = 16
  /// The same again within so long is a copy of the recorder. A rule of its own beside `NetworkCopy`: a record or a
  /// name that comes again may stand in another message, so no packets are there whose identifications are compared.
  static let copyMaximum = Interval.milliseconds(10)
  /// Timers and clocks are that far off.
  static let slack = Interval.milliseconds(50)

  mutating func judge(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    let time = heard.observation.time
    func place(_ digest: UInt64) -> Place {
      Place(
        party: heard.scene.party, interface: heard.observation.interface,
        family: heard.observation.source.address.family, digest: digest)
    }
    if !heard.message.flags.isResponse {
      guard !heard.message.authorities.isEmpty else { return }
      for question in heard.message.questions
      where heard.message.authorities.contains(where: { $0.name == question.name }) {
        probe(question, place(MulticastKey.name(question.name)), heard, &collector)
      }
      return
    }
    guard heard.isMulticast else { return }
    judgeDuplicates(heard, &collector)
    for record in heard.message.answers where record.ttlSeconds != 0 {
      let name = MulticastKey.name(record.name)
      say(
        record, place(MulticastKey.record(record)), name, heard,
        &collector)
      if var probing = probings[place(name)] {
        let first = probing.announced ?? time
        probing.announced = first
        // What comes much later is an answer to somebody.
        let gap = time - first
        if gap + MulticastTimes.slack >= .seconds(1), gap <= .seconds(3) { probing.isAnnounced = true }
        probings[place(name)] = probing
      }
    }
  }

  private func judgeDuplicates(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    var keys: Set<UInt64> = []
    let twice = (heard.message.answers + heard.message.additionals).first { record in
      record.type != .opt && !keys.insert(MulticastKey.record(record)).inserted
    }
    collector.rule(
      .recordTwice, twice == nil, at: heard.scene, expected: "each record once in a message",
      found: twice.map { "\($0.type) of \($0.name)" } ?? "")
  }

  private mutating func say(
    _ record: DNSRecord, _ place: Place, _ name: UInt64, _ heard: HeardMessage, _ collector: inout FindingCollector
  ) {
    let time = heard.observation.time
    guard let last = records[place] else {
      if records.count < placesMaximum { records[place] = time }
      return
    }
    let gap = time - last
    if gap < MulticastTimes.copyMaximum { return }
    records[place] = time
    // A probe for the name is answered at once.
    if isProbed(name, heard) { return }
    collector.rule(
      .oncePerSecond, gap + MulticastTimes.slack >= .seconds(1), at: heard.scene,
      expected: "a second from one record's multicast to the next",
      found: "less, \(record.type) of \(record.name)")
  }

  private mutating func probe(
    _ question: DNSQuestion, _ place: Place, _ heard: HeardMessage, _ collector: inout FindingCollector
  ) {
    let time = heard.observation.time
    noteProbe(place.digest, heard)
    guard var probing = probings[place] else {
      guard probings.count < placesMaximum else { return }
      probings[place] = Probing(last: time, scene: heard.scene)
      order.append(place)
      judgeType(question, heard, &collector)
      return
    }
    let gap = time - probing.last
    if gap < MulticastTimes.copyMaximum { return }
    judgeType(question, heard, &collector)
    if gap <= .seconds(1) {
      collector.rule(
        .probes, gap + MulticastTimes.slack >= .milliseconds(250), at: heard.scene,
        expected: "250 ms from one probe to the next", found: "\(gap.nanoseconds / 1_000_000) ms, \(question.name)")
    }
    (probing.last, probing.announced, probing.isAnnounced) = (time, nil, false)
    probings[place] = probing
  }

  /// On which link something is said, whatever its family; `nil`: a trace does not tell.
  private static func link(of heard: HeardMessage) -> UInt64? {
    heard.observation.host >= 0 && heard.link.number == 0 ? nil : heard.link.number
  }

  private mutating func noteProbe(_ name: UInt64, _ heard: HeardMessage) {
    let link = MulticastTimes.link(of: heard)
    var list = probed[name] ?? []
    if let place = list.firstIndex(where: { $0.link == link }) {
      list[place].time = heard.time
    } else if list.count < MulticastTimes.linksMaximum, !list.isEmpty || probed.count < placesMaximum {
      list.append(Probed(link: link, time: heard.time))
    }
    probed[name] = list.isEmpty ? nil : list
  }

  /// Whether somebody probed for a name in the last second, on the link where it is said or on one that is not known.
  private func isProbed(_ name: UInt64, _ heard: HeardMessage) -> Bool {
    let link = MulticastTimes.link(of: heard)
    return (probed[name] ?? []).contains { one in
      (one.link == nil || link == nil || one.link == link) && heard.time - one.time <= .seconds(1)
    }
  }

  /// In a trace it is known whether anybody probed for what is announced.
  static func rule(
    isProbed: Bool, _ record: DNSRecord, _ heard: HeardMessage, _ collector: inout FindingCollector
  ) {
    collector.rule(
      .probes, isProbed, at: heard.scene, expected: "probes before \(record.type) is announced",
      found: "none for \(record.name)")
  }

  /// What nobody asked for was said again so long after a time that was so long.
  static func rule(
    unasked record: DNSRecord, _ gap: Interval, after before: Interval, _ heard: HeardMessage,
    _ collector: inout FindingCollector
  ) {
    collector.rule(
      .announcements, false, isSure: heard.isComplete, at: heard.scene,
      expected: "announcements that stop, or whose gaps double",
      found: "\(record.type) of \(record.name) \(gap.nanoseconds / 1_000_000) ms after a gap of "
        + "\(before.nanoseconds / 1_000_000) ms",
      doubt: "a question or a change may be missing")
  }

  private func judgeType(_ question: DNSQuestion, _ heard: HeardMessage, _ collector: inout FindingCollector) {
    collector.rule(
      .probes, question.type == .any, at: heard.scene, expected: "a probe of type ANY",
      found: "\(question.type) \(question.name)")
  }

  /// What was announced once, after probes, should have been announced again.
  mutating func close(at end: Instant, isComplete: Bool, _ collector: inout FindingCollector) {
    for place in order {
      guard let probing = probings[place], let announced = probing.announced else { continue }
      if probing.isAnnounced {
        collector.held(.announcements, at: probing.scene)
      } else if end - announced > .seconds(3) {
        // A capture may have lost the second one.
        if isComplete {
          collector.violated(
            .announcements, at: probing.scene, expected: "a second announcement, a second after the first",
            found: .absent)
        } else {
          collector.inconclusive(.announcements, at: probing.scene, why: "one announcement after the probes was heard")
        }
      }
    }
  }
}
