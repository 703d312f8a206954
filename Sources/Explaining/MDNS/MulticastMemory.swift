import RollcallPrimitives
import RollcallWire

/// What was said by multicast DNS so far, as much of it as the next message is compared with.
///
/// It goes by bytes and times alone and asks no engine. Bounded: what comes beyond is told as new.
struct MulticastMemory: Sendable {
  static let recordsMaximum = 16_384
  static let queriesMaximum = 128
  static let probesMaximum = 4_096
  /// Records of one message that are looked at.
  static let recordsOfMessageMaximum = 64
  /// An answer that comes later is to no query any more: 500 ms of waiting for known answers (RFC 6762 §7.2), as much
  /// for a response that is put together (§6.4), and the network.
  static let answerWindow = Interval.seconds(3)
  /// Said again within so long it is a repetition, and after a goodbye or a flush so long a record is kept (§10.1).
  static let moment = Interval.seconds(1)

  private struct RecordKey: Hashable {
    var interface: InterfaceID
    var name: DNSName
    var type: DNSType
    var recordClass: DNSClass
    var data: [UInt8]
  }
  private struct SetKey: Hashable {
    var interface: InterfaceID
    var name: DNSName
    var type: DNSType
    var recordClass: DNSClass
  }
  private struct Known {
    var frame: Int
    var time: Instant
    /// The goodbye since then.
    var goodbye: (frame: Int, time: Instant)?
    var ttlSeconds: UInt32
    var ends: Instant
    var isFlush: Bool
    /// Who said it last, by family.
    var source4: IPAddress?
    var source6: IPAddress?

    func source(_ family: IPAddress.Family) -> IPAddress? { family == .v4 ? source4 : source6 }

    /// What a record is that is said again.
    func said(again now: Instant) -> MulticastRecord.Said {
      if let goodbye { return .afterGoodbye(frame: frame, goodbye: goodbye.frame, ago: now - goodbye.time) }
      return ends > now
        ? .again(frame: frame, left: ends - now, ofSeconds: ttlSeconds) : .returned(frame: frame, ago: now - ends)
    }
  }
  private struct Query {
    var frame: Int
    var time: Instant
    var source: Endpoint
    var interface: InterfaceID
    var questions: [DNSQuestion]
    /// What a probe wants to have; of another query nothing.
    var proposed: [DNSRecord]
    /// What it need not be told, as many as of one message are looked at.
    var known: [DNSRecord]
    var isProbe: Bool { !proposed.isEmpty }
    /// Who answered it, and when first; at most eight.
    var answered: [(by: IPAddress, time: Instant)] = []
  }
  private struct ProbeKey: Hashable {
    var interface: InterfaceID
    var source: IPAddress
    var name: DNSName
  }
  /// A name where hosts that probe for it hear each other.
  private struct ProbedName: Hashable {
    var interface: InterfaceID
    var family: IPAddress.Family
    var name: DNSName
  }
  private struct Probed {
    var frame: Int
    var time: Instant
    var records: [DNSRecord]
    var announced: (frame: Int, time: Instant)?
  }

  private var known: [RecordKey: Known] = [:]
  private var sets: [SetKey: [RecordKey]] = [:]
  /// The latest ones.
  private var queries: [Query] = []
  private var probes: [ProbeKey: Probed] = [:]
  /// Who probed for a name last.
  private var probers: [ProbedName: ProbeKey] = [:]

  /// A datagram as the memory takes it.
  struct Heard {
    var frame: Int
    var time: Instant
    var source: Endpoint
    var destination: Endpoint
    var interface: InterfaceID
  }

  mutating func hear(_ bytes: UnsafeRawBufferPointer, _ heard: Heard) -> MulticastStory.What {
    let reading: DNSReader.Reading
    do throws(DNSFault) { reading = try DNSReader.read(bytes) } catch { return .ignored(.malformed(error)) }
    let message = reading.message
    // RFC 6762 §18.3, §18.11.
    if message.flags.opcode != 0 { return .ignored(.opcode(message.flags.opcode)) }
    if message.flags.responseCode != 0 { return .ignored(.responseCode(message.flags.responseCode)) }
    if !message.flags.isResponse { return .query(hear(query: message, heard)) }
    if heard.source.port != Endpoint.mdnsPort { return .ignored(.responseFromPort(heard.source.port)) }
    var response = hear(response: message, heard)
    response.faults = reading.faults
    return .response(response)
  }

  // MARK: - Queries

  private mutating func hear(query message: DNSMessage, _ heard: Heard) -> MulticastQuery {
    let questions = Array(message.questions.prefix(MulticastMemory.recordsOfMessageMaximum))
    let proposed = Array(message.authorities.prefix(MulticastMemory.recordsOfMessageMaximum))
    var query = MulticastQuery(
      questions: questions, knownCount: message.answers.count, proposed: proposed,
      isSameData: false, isTruncated: message.flags.isTruncated, isLegacy: heard.source.port != Endpoint.mdnsPort)
    let before = queries.last {
      $0.source == heard.source && $0.interface == heard.interface && $0.isProbe == !proposed.isEmpty
        && (questions.isEmpty || $0.questions == questions)
    }
    query.again = before.map { MulticastEarlier(frame: $0.frame, gap: heard.time - $0.time) }
    query.isSameData = before.map { $0.proposed == proposed } ?? false
    if !proposed.isEmpty { query.tie = probe(questions, proposed, heard) }
    // More known answers ask for nothing.
    if questions.isEmpty {
      if let place = queries.lastIndex(where: { $0.frame == before?.frame }) {
        queries[place].known += message.answers
          .prefix(MulticastMemory.recordsOfMessageMaximum - queries[place].known.count)
      }
      return query
    }
    if queries.count >= MulticastMemory.queriesMaximum { queries.removeFirst() }
    queries.append(
      Query(
        frame: heard.frame, time: heard.time, source: heard.source, interface: heard.interface, questions: questions,
        proposed: proposed, known: Array(message.answers.prefix(MulticastMemory.recordsOfMessageMaximum))))
    return query
  }

  private mutating func probe(
    _ questions: [DNSQuestion], _ proposed: [DNSRecord], _ heard: Heard
  ) -> MulticastTie? {
    var tie: MulticastTie?
    for question in questions {
      let records = proposed.filter { $0.name == question.name }
      if records.isEmpty { continue }
      let key = ProbeKey(interface: heard.interface, source: heard.source.address, name: question.name)
      let place = ProbedName(interface: heard.interface, family: key.source.family, name: question.name)
      if let other = probers[place], other.source != key.source, let rival = probes[other],
        heard.time - rival.time <= MulticastMemory.moment, rival.announced == nil
      {
        tie = MulticastTie(
          frame: rival.frame, other: other.source, winner: MulticastMemory.winner(records, rival.records))
      }
      guard probes[key] != nil || probes.count < MulticastMemory.probesMaximum else { continue }
      probes[key] = Probed(frame: heard.frame, time: heard.time, records: records)
      probers[place] = key
    }
    return tie
  }

  /// Record by record in their order, the later one wins; where one list ends, the longer one (RFC 6762 §8.2.1).
  private static func winner(_ sender: [DNSRecord], _ other: [DNSRecord]) -> MulticastTie.Winner {
    let (left, right) = (
      sender.sorted { $0.precedesInTieBreak($1) }, other.sorted { $0.precedesInTieBreak($1) }
    )
    for (one, two) in zip(left, right) where !one.isTied(with: two) {
      return one.precedesInTieBreak(two) ? .other : .sender
    }
    return left.count == right.count ? .both : left.count < right.count ? .other : .sender
  }

  // MARK: - Responses

  private mutating func hear(response message: DNSMessage, _ heard: Heard) -> MulticastResponse {
    let answers = message.answers.prefix(MulticastMemory.recordsOfMessageMaximum)
    let additionals = message.additionals.filter { $0.type != .opt }
      .prefix(MulticastMemory.recordsOfMessageMaximum - answers.count)
    let role = role(of: Array(answers), heard)
    return MulticastResponse(
      role: role, records: (answers + additionals).map { MulticastRecord(record: $0, said: say($0, heard)) },
      answerCount: answers.count,
      uncountedCount: message.answers.count + message.additionals.count { $0.type != .opt } - answers.count
        - additionals.count,
      faults: [])
  }

  private mutating func role(of answers: [DNSRecord], _ heard: Heard) -> MulticastResponse.Role {
    func earlier(_ frame: Int, _ time: Instant) -> MulticastEarlier {
      MulticastEarlier(frame: frame, gap: heard.time - time)
    }
    if !answers.isEmpty, answers.allSatisfy({ $0.ttlSeconds == 0 }) { return .goodbye }
    var (probed, announced): (Probed?, (frame: Int, time: Instant)?)
    if heard.destination.address.isMulticast {
      for answer in answers {
        let key = ProbeKey(interface: heard.interface, source: heard.source.address, name: answer.name)
        guard let one = probes[key] else { continue }
        if one.announced == nil { probed = one } else if announced == nil { announced = one.announced }
        probes[key]?.announced = (heard.frame, heard.time)
      }
    }
    let asked = queries.indices.filter { isAsked(answers, by: queries[$0], heard) }
    // A second announcement has what somebody asked for and knew.
    let cause = asked.last { place in
      !isDone(queries[place], heard) && (announced == nil || !knows(answers, queries[place]))
    }
    // An announcement answers what was asked before it, too: what comes later is no answer to that.
    for place in asked where queries[place].answered.count < 8 {
      if queries[place].answered.contains(where: { $0.by == heard.source.address }) { continue }
      queries[place].answered.append((heard.source.address, heard.time))
    }
    if let probed { return .announcement(earlier(probed.frame, probed.time)) }
    if let cause {
      let before = earlier(queries[cause].frame, queries[cause].time)
      return queries[cause].isProbe ? .defence(before) : .answer(before)
    }
    return announced.map { .announcedAgain(earlier($0.frame, $0.time)) } ?? .unasked
  }

  /// Whether somebody else asked for one of the records not long ago.
  private func isAsked(_ answers: [DNSRecord], by query: Query, _ heard: Heard) -> Bool {
    // Who probes is answered at once (RFC 6762 §6).
    let window = query.isProbe ? MulticastMemory.moment : MulticastMemory.answerWindow
    guard heard.time - query.time <= window, query.interface == heard.interface,
      heard.destination.address.isMulticast ? query.source != heard.source : query.source == heard.destination
    else { return false }
    return answers.contains { $0.answers(query.questions) }
  }

  /// Whether the sender has answered it; what does not fit into one message comes in several at once.
  private func isDone(_ query: Query, _ heard: Heard) -> Bool {
    let done = query.answered.first { $0.by == heard.source.address }
    return done.map { heard.time - $0.time > .milliseconds(100) } ?? false
  }

  /// Whether the asker knew every record that answers it, with half of its TTL or more.
  private func knows(_ answers: [DNSRecord], _ query: Query) -> Bool {
    answers.allSatisfy { answer in
      !answer.answers(query.questions)
        || query.known.contains {
          UInt64($0.ttlSeconds) * 2 >= UInt64(answer.ttlSeconds) && $0.name == answer.name && $0.isTied(with: answer)
        }
    }
  }

  private mutating func say(_ record: DNSRecord, _ heard: Heard) -> MulticastRecord.Said {
    let set = SetKey(
      interface: heard.interface, name: record.name, type: record.type, recordClass: record.recordClass)
    let key = RecordKey(
      interface: heard.interface, name: record.name, type: record.type, recordClass: record.recordClass,
      data: record.data.bytes)
    let (now, family) = (heard.time, heard.source.address.family)
    let before = known[key]
    // A plain DNS client is told short TTLs, and nobody else hears of them.
    if !heard.destination.address.isMulticast, heard.destination.port != Endpoint.mdnsPort {
      guard let before, before.goodbye != nil || before.ends > now else { return .new }
      return before.said(again: now)
    }
    if record.ttlSeconds == 0 {
      guard var one = before else { return .endedUnknown }
      if let goodbye = one.goodbye {
        if goodbye.frame == heard.frame { return .twice }
        return now - goodbye.time <= MulticastMemory.moment ? .same(frame: goodbye.frame) : .endedUnknown
      }
      guard one.ends > now else { return .endedUnknown }
      one.goodbye = (heard.frame, now)
      one.ends = min(one.ends, now + MulticastMemory.moment)
      known[key] = one
      return .ended(frame: one.frame)
    }
    var said = MulticastRecord.Said.new
    if let before {
      if before.goodbye == nil, before.frame == heard.frame {
        said = .twice
      } else if before.goodbye == nil, now - before.time < MulticastMemory.moment {
        said = .same(frame: before.frame)
      } else {
        said = before.said(again: now)
      }
    }
    if record.isCacheFlush {
      for other in sets[set] ?? [] where other != key {
        guard let one = known[other], one.ends > now, one.goodbye == nil, one.isFlush else { continue }
        // What was said in the last second belongs to the same set (RFC 6762 §10.2).
        let isOwn = one.source(family).map { $0 == heard.source.address }
        if isOwn == false {
          if before == nil { said = .conflicting(frame: one.frame, other: one.source(family)!) }
        } else if now - one.time > MulticastMemory.moment {
          known[other]?.ends = min(one.ends, now + MulticastMemory.moment)
          if before == nil { said = .changed(frame: one.frame) }
        }
      }
    }
    guard before != nil || known.count < MulticastMemory.recordsMaximum else { return said }
    if before == nil { sets[set, default: []].append(key) }
    var new = Known(
      frame: heard.frame, time: now, ttlSeconds: record.ttlSeconds,
      ends: now + .seconds(Int64(record.ttlSeconds)), isFlush: record.isCacheFlush, source4: before?.source4,
      source6: before?.source6)
    if family == .v4 { new.source4 = heard.source.address } else { new.source6 = heard.source.address }
    known[key] = new
    return said
  }
}

extension DNSRecord {
  /// Whether it answers one of the questions; NSEC says that there is nothing.
  fileprivate func answers(_ questions: [DNSQuestion]) -> Bool {
    questions.contains { $0.name == name && ($0.type == type || $0.type == .any || type == .nsec) }
  }
}
