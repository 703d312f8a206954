import RollcallPrimitives
import RollcallWire

// What is heard: queries, and responses of others.

extension MDNSResponder {
  /// More questions of one message are not looked at.
  static let questionCountMaximum = 256

  /// - Returns: whether anything may have changed that is due.
  mutating func hear(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) -> Bool {
    guard datagram.destination.port == Endpoint.mdnsPort,
      let index = links.firstIndex(where: { $0.interface == datagram.interface }), !links[index].addresses.isEmpty
    else { return false }
    let isDirect = !datagram.destination.address.isMulticast
    // RFC 6762 §11: what comes straight from elsewhere is not of this link.
    if isDirect, !links[index].isOnLink(datagram.source.address) { return false }
    guard let hearing = try? DNSReader.hearing(of: datagram.payload, in: outbox.payloads) else { return false }
    let isOwn = isOwn(datagram, hearing)
    let flags = hearing.flags
    guard flags.opcode == 0, flags.responseCode == 0 else { return false }
    if flags.isResponse {
      guard datagram.source.port == Endpoint.mdnsPort else { return false }
      return hearResponse(hearing, isDirect: isDirect, isOwn: isOwn, on: index, at: now, into: &outbox)
    }
    if isOwn { return false }
    return hearQuery(hearing, from: datagram.source, isDirect: isDirect, on: index, at: now, into: &outbox)
  }

  /// Whether it comes back to who sent it: with the bytes of a message just sent. The address says nothing, since several
  /// responders may be behind one (RFC 6762 §15).
  private func isOwn(_ datagram: Datagram, _ hearing: DNSHearing) -> Bool {
    datagram.source.port == Endpoint.mdnsPort && ownSums.contains(hearing.hash)
  }

  // MARK: - Queries

  private mutating func hearQuery(
    _ hearing: DNSHearing, from asker: Endpoint, isDirect: Bool, on index: Int, at now: Instant,
    into outbox: inout Outbox
  ) -> Bool {
    let isProbe = hearing.authorityCount > 0
    var isNews = false
    if isProbe, hearing.proposes(interest.own) {
      breakTies(hearing.authorities, on: index, at: now)
      isNews = true
    }
    if hearing.questionCount == 0 { return addKnown(hearing, from: asker, on: index, at: now) || isNews }
    guard hearing.asks(for: interest.asked) else { return isNews }
    let isOnLink = links[index].isOnLink(asker.address)
    var query = MDNSAsked(
      asker: asker, questions: hearing.questions(atMost: MDNSResponder.questionCountMaximum),
      known: known(hearing), isDirect: isDirect, isProbe: isProbe, isTruncated: hearing.flags.isTruncated, due: now)
    if asker.port != Endpoint.mdnsPort {
      if isOnLink { answerLegacy(query, id: hearing.id, on: index, into: &outbox) }
      return isNews
    }
    if !isOnLink { for place in query.questions.indices { query.questions[place].wantsUnicast = false } }
    if plan.has(.ignoresKnownAnswers) { query.known = [] }
    let places = answers(to: query, on: index)
    if places.isEmpty || plan.has(.answersNothing) { return isNews }
    if query.isTruncated, !plan.has(.ignoresTruncation) {
      query.due = now + answerDraws.interval(in: plan.timing.truncatedDelay)
      wait(query, on: index)
      return true
    }
    let isShared = places.contains { record($0, on: index)?.isCacheFlush == false }
    if isShared { query.due = now + answerDraws.interval(in: plan.timing.sharedDelay) }
    if plan.has(.answersLate) { query.due = query.due + .milliseconds(200) }
    if plan.has(.unicastAlways) { query.isDirect = true }
    if isShared, isDirect || query.questions.contains(where: \.wantsUnicast) {
      wait(query, on: index)
    } else {
      answer(query, at: now, on: index, into: &outbox)
    }
    return true
  }

  /// The answers of a query that this host could give: nobody asks it for the others.
  private func known(_ hearing: DNSHearing) -> [DNSRecord] {
    let count = hearing.answerCount
    if count == 0 { return [] }
    let places = hearing.places(of: interest.heard).prefix(MDNSLink.knownCountMaximum)
    return places.filter { $0 < count }.map(hearing.record)
  }

  private mutating func wait(_ query: MDNSAsked, on index: Int) {
    if links[index].asked.count < MDNSLink.askedCountMaximum { links[index].asked.append(query) }
  }

  /// More known answers of a query that was cut (RFC 6762 §7.2).
  private mutating func addKnown(_ hearing: DNSHearing, from asker: Endpoint, on index: Int, at now: Instant) -> Bool {
    guard let place = links[index].asked.firstIndex(where: { $0.isTruncated && $0.asker == asker }) else {
      return false
    }
    let room = MDNSLink.knownCountMaximum - links[index].asked[place].known.count
    links[index].asked[place].known += known(hearing).prefix(max(0, room))
    if hearing.flags.isTruncated {
      links[index].asked[place].due = now + answerDraws.interval(in: plan.timing.truncatedDelay)
    }
    return true
  }

  mutating func answerAsked(on index: Int, at now: Instant, into outbox: inout Outbox) {
    while let place = links[index].asked.firstIndex(where: { $0.due <= now }) {
      answer(links[index].asked.remove(at: place), at: now, on: index, into: &outbox)
    }
  }

  /// What is not sent by unicast waits for `due` of the query, or for a message that is about to go out before the
  /// asker could be impatient (RFC 6762 §6.4).
  private mutating func answer(_ query: MDNSAsked, at now: Instant, on index: Int, into outbox: inout Outbox) {
    var direct: [MDNSPlace] = []
    var due = max(query.due, now)
    if due > now {
      let soonest = now + plan.timing.sharedDelay.lowerBound
      let waiting = links[index].pending.filter { !$0.isAnnouncement && $0.due >= soonest }.map(\.due).min()
      due = waiting ?? due
    }
    for question in query.questions {
      for place in matches(question, on: index) where !isKnown(place, query.known, on: index) {
        let record = records(place.entity, on: index)[place.record]
        let age = now - links[index].claims[place.entity].lastSent(place.record)
        // RFC 6762 §5.4: others need the record, too, when it was not multicast for long.
        if query.isDirect || question.wantsUnicast,
          plan.has(.unicastAlways) || age <= .seconds(Int64(record.ttlSeconds)) / 4
        {
          if !direct.contains(place) { direct.append(place) }
        } else {
          links[index].add(MDNSPending(place: place, due: due, cause: query.isProbe ? .defence : .answer))
        }
      }
    }
    for bytes in messages(direct, on: index, at: nil) {
      unicast(bytes, to: query.asker, on: index, into: &outbox)
    }
  }

  private func answerLegacy(_ query: MDNSAsked, id: UInt16, on index: Int, into outbox: inout Outbox) {
    let places = answers(to: query, on: index)
    if places.isEmpty || plan.has(.noLegacy) { return }
    let bytes = legacyMessage(places, id: id, query.questions, on: index)
    unicast(bytes, to: query.asker, on: index, into: &outbox)
  }

  /// What answers the questions and is not known to the asker, nothing twice.
  private func answers(to query: MDNSAsked, on index: Int) -> [MDNSPlace] {
    var places: [MDNSPlace] = []
    for question in query.questions {
      for place in matches(question, on: index) where !places.contains(place) {
        if !isKnown(place, query.known, on: index) { places.append(place) }
      }
    }
    return places
  }

  /// The records that a question asks for; where the name is ours and has none of the type, the one that says so
  /// (RFC 6762 §6.1).
  func matches(_ question: DNSQuestion, on index: Int) -> [MDNSPlace] {
    guard question.questionClass == .internet || question.questionClass == .any else { return [] }
    var found: [MDNSPlace] = []
    for entity in entities.indices where links[index].claims[entity].phase == .owned {
      let records = records(entity, on: index)
      let before = found.count
      for record in records.indices where records[record].name == question.name {
        let type = records[record].type
        guard question.type == type || question.type == .any && type != .nsec else { continue }
        if isListed(MDNSPlace(entity: entity, record: record), found, on: index) { continue }
        found.append(MDNSPlace(entity: entity, record: record))
      }
      guard found.count == before, question.type != .any, entities[entity].name == question.name else { continue }
      if let absence = records.firstIndex(where: { $0.type == .nsec }) {
        found.append(MDNSPlace(entity: entity, record: absence))
      }
    }
    return found
  }

  /// Whether another service of the same type stands for the type already.
  func isListed(_ place: MDNSPlace, _ others: [MDNSPlace], on index: Int) -> Bool {
    guard place.entity > 0, place.record == MDNSEntity.Place.listing else { return false }
    return others.contains {
      $0.entity > 0 && $0.record == place.record && record($0, on: index)?.data == record(place, on: index)?.data
    }
  }

  /// RFC 6762 §7.1: with less than half of its time left it is to be renewed.
  private func isKnown(_ place: MDNSPlace, _ known: [DNSRecord], on index: Int) -> Bool {
    let own = records(place.entity, on: index)[place.record]
    return known.contains {
      UInt64($0.ttlSeconds) * 2 >= UInt64(own.ttlSeconds) && $0.name == own.name
        && $0.isTied(with: own)
    }
  }

  // MARK: - Responses

  private mutating func hearResponse(
    _ hearing: DNSHearing, isDirect: Bool, isOwn: Bool, on index: Int, at now: Instant, into outbox: inout Outbox
  ) -> Bool {
    let places = hearing.places(of: interest.heard)
    if places.isEmpty { return false }
    var isNews = false
    if !isDirect {
      for place in places where hear(hearing.record(at: place), isOwn: isOwn, on: index, at: now) { isNews = true }
    }
    if isOwn { return isNews }
    let conflicts = findConflicts(places.map(hearing.record), on: index, at: now, into: &outbox)
    return isNews || conflicts
  }

  /// Somebody else says what we could say (RFC 6762 §6.6, §7.4).
  ///
  /// - Parameter isOwn: it has the bytes of a message of ours. It may be another host's all the same, which answers with
  ///   the same shared record; an answer is then not given again, and nothing else follows.
  private mutating func hear(_ heard: DNSRecord, isOwn: Bool, on index: Int, at now: Instant) -> Bool {
    var isNews = false
    for place in links[index].asked.indices where links[index].asked[place].isTruncated {
      let query = links[index].asked[place]
      if !query.isDirect, query.known.count < MDNSLink.knownCountMaximum {
        links[index].asked[place].known.append(heard)
      }
    }
    for entity in entities.indices where links[index].claims[entity].phase == .owned {
      let records = records(entity, on: index)
      for number in records.indices where records[number].name == heard.name && records[number].isTied(with: heard) {
        let place = MDNSPlace(entity: entity, record: number)
        if heard.ttlSeconds >= records[number].ttlSeconds {
          if plan.has(.repeatsOthers) { continue }
          if !links[index].pending.contains(where: { $0.place == place && $0.cause == .answer }) { continue }
          links[index].pending.removeAll { $0.place == place && $0.cause == .answer }
        } else if !isOwn, !plan.has(.ignoresLowTTL), UInt64(heard.ttlSeconds) * 2 < UInt64(records[number].ttlSeconds) {
          let isAnnounced = links[index].pending.contains { $0.place == place && $0.isAnnouncement }
          if isAnnounced { continue }
          links[index].add(
            MDNSPending(place: place, due: now, cause: .announcement(left: 0, gap: plan.timing.announceGap)))
        } else {
          continue
        }
        isNews = true
      }
    }
    return isNews
  }
}
