package import RollcallPrimitives
package import RollcallWire

// What is asked, and what others ask.

extension ServiceBrowser {
  /// A question that goes out now.
  struct Asked: Hashable, Sendable {
    var key: RecordCache.Key
    var wantsUnicast: Bool
  }

  /// A query of a series: the first one of a browse asks for unicast (RFC 6762 §5.4), and each waits twice as long as
  /// the one before.
  mutating func ask(_ slot: Int, at now: Instant, _ questions: inout [[Asked]]) {
    guard let one = series[slot] else { return }
    add(one.key, wantsUnicast: one.wantsUnicast, &questions)
    if faults.contains(.askedOnce) { return series.remove(one.key) }
    advance(slot, at: now, wasPostponed: false)
  }

  private mutating func advance(_ slot: Int, at now: Instant, wasPostponed: Bool) {
    let longest = policy.queryIntervalMaximum
    series.update(slot) { one in
      one.due = now + one.interval
      one.interval = min(one.interval * 2, longest)
      (one.wantsUnicast, one.wasPostponed) = (false, wasPostponed)
    }
  }

  func add(_ key: RecordCache.Key, wantsUnicast: Bool, _ questions: inout [[Asked]]) {
    if let twin = questions[key.link].firstIndex(where: { $0.key == key }) {
      if !wantsUnicast { questions[key.link][twin].wantsUnicast = false }
    } else {
      questions[key.link].append(Asked(key: key, wantsUnicast: wantsUnicast))
    }
  }

  /// As many questions as fit in a message, then what is known to answer them, in as many as it takes
  /// (RFC 6762 §7.1, §7.2).
  mutating func send(_ questions: [Asked], on link: Int, at now: Instant, into outbox: inout Outbox) {
    var rest = questions[...]
    while !rest.isEmpty {
      var writer = DNSWriter(flags: .query, limitBytes: policy.packetBytes)
      var known: [DNSRecord] = []
      while let one = rest.first {
        let question = DNSQuestion(one.key.name, one.key.type, wantsUnicast: one.wantsUnicast)
        guard writer.add(question) || writer.isEmpty else { break }
        known += knownAnswers(one.key, at: now)
        rest.removeFirst()
      }
      for record in known where !writer.add(record, to: .answers) {
        writer.setTruncated()
        multicast(writer.bytes, on: link, into: &outbox)
        writer = DNSWriter(flags: .query, limitBytes: policy.packetBytes)
        writer.add(record, to: .answers)
      }
      multicast(writer.bytes, on: link, into: &outbox)
    }
  }

  /// Those with more than half of their TTL left, and with what is left of it.
  func knownAnswers(_ key: RecordCache.Key, at now: Instant) -> [DNSRecord] {
    guard key.type == .ptr else { return [] }
    return cache.records(key).compactMap { entry in
      let left = entry.expiresAt - now
      guard left * 2 > .seconds(Int64(entry.record.ttlSeconds)), entry.reconfirmsLeft == 0,
        Int(entry.unansweredCount) < policy.unansweredCount
      else { return nil }
      var record = entry.record
      record.ttlSeconds = UInt32(clamping: left.nanoseconds / 1_000_000_000)
      record.isCacheFlush = false
      return record
    }
  }

  /// To the group of every family that has an address here, with the TTL of RFC 6762 §11.
  private func multicast(_ bytes: [UInt8], on link: Int, into outbox: inout Outbox) {
    for family in [IPAddress.Family.v4, .v6] {
      guard let source = links[link].addresses.source(family) else { continue }
      outbox.transmit(
        Datagram(
          source: Endpoint(source, port: Endpoint.mdnsPort), destination: .mdns(family),
          interface: links[link].interface, hopLimit: 255, payload: outbox.payloads.store(bytes)))
    }
  }

  // MARK: - What others ask

  /// A question that somebody else asks need not be asked (RFC 6762 §7.3); an answer that nobody gives is gone
  /// (RFC 6762 §10.5).
  mutating func hearQuery(_ hearing: DNSHearing, from asker: IPAddress, on link: Int, at now: Instant) {
    // What is known to the asker is not complete, or the answers go to the asker alone.
    if hearing.flags.isTruncated { return }
    let isCopy = isCopy(hearing.hash, asker.family, on: link, at: now)
    var keys: Set<RecordCache.Key> = []
    for question in hearing.questions() where !question.wantsUnicast && question.questionClass == .internet {
      let key = RecordCache.Key(link: link, name: question.name, type: question.type)
      // What is asked twice in one message is asked once.
      guard hearing.questionCount == 1 || keys.insert(key).inserted else { continue }
      let theirs = hearing.answers(key.name, key.type)
      postpone(key, theirs, at: now)
      if isCopy || !policy.asks || faults.contains(.unansweredIgnored) { continue }
      for slot in cache.slots(key) {
        guard let entry = cache[slot], !theirs.contains(where: { $0.data == entry.record.data }),
          now - entry.receivedAt >= policy.repeatTime, !isOwner(asker, of: entry)
        else { continue }
        let end = now + policy.unansweredTime
        cache.update(slot) { entry in
          if entry.unansweredCount < .max { entry.unansweredCount += 1 }
          // Nothing is asked: the others were not answered either, and every browser that heard them would ask at once.
          guard Int(entry.unansweredCount) == policy.unansweredCount, entry.expiresAt > end else { return }
          (entry.expiresAt, entry.refreshAt) = (end, .never)
        }
      }
    }
  }

  /// Whether this query came just now by the other family: then it is no second one.
  private mutating func isCopy(_ hash: UInt64, _ family: IPAddress.Family, on link: Int, at now: Instant) -> Bool {
    links[link].queries.removeAll { now - $0.at >= RecentQuery.copyTime }
    if links[link].queries.contains(where: { $0.hash == hash && $0.family != family }) { return true }
    if links[link].queries.count < RecentQuery.countMaximum {
      links[link].queries.append(RecentQuery(hash: hash, family: family, at: now))
    }
    return false
  }

  /// Whether a host asks for a record of its own, by whichever of its addresses: it does not answer itself.
  private func isOwner(_ asker: IPAddress, of entry: CachedRecord) -> Bool {
    if entry.sender == asker { return true }
    var host = entry.record.name
    switch entry.record.data {
    case .ptr(let name): host = target(name, on: entry.link)?.host ?? name
    case .srv(_, _, _, let name): host = name
    case .txt: host = target(host, on: entry.link)?.host ?? host
    default: break
    }
    let address = DNSRecord(host, .address(asker), ttlSeconds: 0)
    return cache.slot(entry.link, address) != nil
  }

  private mutating func postpone(_ key: RecordCache.Key, _ theirs: [DNSRecord], at now: Instant) {
    guard let slot = series.slot(key), let one = series[slot], !one.wasPostponed,
      one.due - now <= policy.duplicateQuestionTime
    else { return }
    let ours = knownAnswers(key, at: now)
    // What they know and we do not they will not be told, and we would not hear.
    guard theirs.allSatisfy({ record in ours.contains { $0.data == record.data } }) else { return }
    advance(slot, at: now, wasPostponed: true)
  }

  // MARK: - Doubt

  /// The application could not reach the service: what is not said again within 10 s is gone (RFC 6762 §10.4).
  package mutating func reconfirm(_ name: ServiceInstanceName, at now: Instant) {
    if faults.contains(.hintsIgnored) { return }
    for link in links.indices {
      var slots = cache.slots(RecordCache.Key(link: link, name: name.domainName, type: .srv))
      for slot in slots {
        guard case .srv(_, _, _, let host)? = cache[slot]?.record.data else { continue }
        for type in [DNSType.a, .aaaa] { slots += cache.slots(RecordCache.Key(link: link, name: host, type: type)) }
      }
      for owner in browses.names(ofType: name.type.domainName) {
        let pointer = DNSRecord(owner, .ptr(name.domainName), ttlSeconds: 0)
        if let slot = cache.slot(link, pointer) { slots.append(slot) }
      }
      for slot in slots { doubt(slot, at: now) }
    }
  }

  private mutating func doubt(_ slot: Int, at now: Instant) {
    guard policy.asks, let entry = cache[slot], entry.reconfirmsLeft == 0,
      entry.expiresAt > now + policy.reconfirmTime
    else { return }
    let due = now + draws.interval(in: policy.queryDelay)
    let (end, count) = (now + policy.reconfirmTime, policy.reconfirmCount)
    cache.update(slot) { entry in
      entry.reconfirmsLeft = UInt8(clamping: count)
      entry.expiresAt = end
      entry.refreshAt = due
    }
  }
}
