import RollcallPrimitives
import RollcallWire

// What is heard: queries, and responses of others.

extension MDNSResponder {
  /// More questions of one message are not looked at.
  static let questionCountMaximum = 256

  mutating func hear(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) {
    guard datagram.destination.port == Endpoint.mdnsPort,
      let index = links.firstIndex(where: { $0.interface == datagram.interface }), !links[index].addresses.isEmpty
    else { return }
    let isDirect = !datagram.destination.address.isMulticast
    // RFC 6762 §11: what comes straight from elsewhere is not of this link.
    if isDirect, !links[index].isOnLink(datagram.source.address) { return }
    let bytes = outbox.payloads.bytes(of: datagram.payload)
    if isOwn(datagram, bytes) { return }
    guard let reading = try? DNSReader.read(bytes) else { return }
    let message = reading.message
    guard message.flags.opcode == 0, message.flags.responseCode == 0 else { return }
    if message.flags.isResponse {
      guard datagram.source.port == Endpoint.mdnsPort else { return }
      hearResponse(message, isDirect: isDirect, on: index, at: now, into: &outbox)
    } else {
      hearQuery(message, from: datagram.source, isDirect: isDirect, on: index, at: now, into: &outbox)
    }
  }

  /// Whether it comes back to who sent it: with the bytes of a message just sent. The address says nothing, since several
  /// responders may be behind one (RFC 6762 §15).
  private func isOwn(_ datagram: Datagram, _ bytes: UnsafeRawBufferPointer) -> Bool {
    datagram.source.port == Endpoint.mdnsPort && ownSums.contains(Digest.hash(bytes))
  }

  // MARK: - Queries

  private mutating func hearQuery(
    _ message: DNSMessage, from asker: Endpoint, isDirect: Bool, on index: Int, at now: Instant,
    into outbox: inout Outbox
  ) {
    if !message.authorities.isEmpty { breakTies(message.authorities, on: index, at: now) }
    if message.questions.isEmpty { return addKnown(message, from: asker, on: index, at: now) }
    let isOnLink = links[index].isOnLink(asker.address)
    var query = MDNSAsked(
      asker: asker, questions: Array(message.questions.prefix(MDNSResponder.questionCountMaximum)),
      known: Array(message.answers.prefix(MDNSLink.knownCountMaximum)), isDirect: isDirect,
      isProbe: !message.authorities.isEmpty, isTruncated: message.flags.isTruncated, due: now)
    if asker.port != Endpoint.mdnsPort {
      if isOnLink { answerLegacy(query, id: message.id, on: index, into: &outbox) }
      return
    }
    if !isOnLink { for place in query.questions.indices { query.questions[place].wantsUnicast = false } }
    let places = answers(to: query, on: index)
    if places.isEmpty { return }
    if query.isTruncated {
      query.due = now + answerDraws.interval(in: plan.timing.truncatedDelay)
      return wait(query, on: index)
    }
    let isShared = places.contains { record($0, on: index)?.isCacheFlush == false }
    if isShared { query.due = now + answerDraws.interval(in: plan.timing.sharedDelay) }
    if isShared, isDirect || query.questions.contains(where: \.wantsUnicast) { return wait(query, on: index) }
    answer(query, at: now, on: index, into: &outbox)
  }

  private mutating func wait(_ query: MDNSAsked, on index: Int) {
    if links[index].asked.count < MDNSLink.askedCountMaximum { links[index].asked.append(query) }
  }

  /// More known answers of a query that was cut (RFC 6762 §7.2).
  private mutating func addKnown(_ message: DNSMessage, from asker: Endpoint, on index: Int, at now: Instant) {
    guard let place = links[index].asked.firstIndex(where: { $0.isTruncated && $0.asker == asker }) else { return }
    let room = MDNSLink.knownCountMaximum - links[index].asked[place].known.count
    links[index].asked[place].known += message.answers.prefix(max(0, room))
    if message.flags.isTruncated {
      links[index].asked[place].due = now + answerDraws.interval(in: plan.timing.truncatedDelay)
    }
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
        guard let record = record(place, on: index) else { continue }
        let age = now - links[index].claims[place.entity].lastSent(place.record)
        // RFC 6762 §5.4: others need the record, too, when it was not multicast for long.
        if query.isDirect || question.wantsUnicast, age <= .seconds(Int64(record.ttlSeconds)) / 4 {
          if !direct.contains(place) { direct.append(place) }
        } else {
          links[index].add(MDNSPending(place: place, due: due, cause: query.isProbe ? .defence : .answer))
        }
      }
    }
    if direct.isEmpty { return }
    for bytes in messages(direct, on: index, at: nil) {
      unicast(bytes, to: query.asker, on: index, into: &outbox)
    }
  }

  private func answerLegacy(_ query: MDNSAsked, id: UInt16, on index: Int, into outbox: inout Outbox) {
    let places = answers(to: query, on: index)
    if places.isEmpty { return }
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
    guard let own = record(place, on: index) else { return true }
    return known.contains {
      UInt64($0.ttlSeconds) * 2 >= UInt64(own.ttlSeconds) && $0.name == own.name && $0.isTied(with: own)
    }
  }

  // MARK: - Responses

  private mutating func hearResponse(
    _ message: DNSMessage, isDirect: Bool, on index: Int, at now: Instant, into outbox: inout Outbox
  ) {
    let records = message.answers + message.additionals
    if !isDirect { for record in records { hear(record, on: index, at: now) } }
    findConflicts(records, on: index, at: now, into: &outbox)
  }

  /// Somebody else says what we could say (RFC 6762 §6.6, §7.4).
  private mutating func hear(_ heard: DNSRecord, on index: Int, at now: Instant) {
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
          links[index].pending.removeAll { $0.place == place && $0.cause == .answer }
        } else if UInt64(heard.ttlSeconds) * 2 < UInt64(records[number].ttlSeconds) {
          let isAnnounced = links[index].pending.contains { $0.place == place && $0.isAnnouncement }
          if isAnnounced { continue }
          links[index].add(
            MDNSPending(place: place, due: now, cause: .announcement(left: 0, gap: plan.timing.announceGap)))
        }
      }
    }
  }
}
