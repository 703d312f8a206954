import RollcallPrimitives
import RollcallWire

// What goes out.

extension MDNSResponder {
  /// Multicasts the records that are due, none of them too soon after the last time (RFC 6762 §6).
  mutating func flush(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    var places: [MDNSPlace] = []
    var kept: [MDNSPending] = []
    for var entry in links[index].pending {
      let place = entry.place
      guard entry.due <= now else {
        kept.append(entry)
        continue
      }
      guard links[index].claims[place.entity].phase == .owned, record(place, on: index) != nil else { continue }
      let last = links[index].claims[place.entity].lastSent(place.record)
      let gap = entry.cause == .defence ? plan.timing.defenceGap : plan.timing.recordGap
      if now - last < gap {
        // Whoever asked has heard it; what is announced has still to be said.
        guard entry.isAnnouncement else { continue }
        entry.due = last + gap
        kept.append(entry)
        continue
      }
      if !places.contains(place), !isListed(place, places, on: index) { places.append(place) }
      if plan.has(.answersTwice), entry.cause == .answer {
        kept.append(MDNSPending(place: place, due: now + .milliseconds(300), cause: .defence))
      }
      if case .announcement(let left, let gap) = entry.cause {
        links[index].claims[place.entity].isAnnounced = true
        if plan.has(.announcesAlways), left == 0 {
          (entry.due, entry.cause) = (now + .seconds(2), .announcement(left: 0, gap: gap))
          kept.append(entry)
        }
        guard left > 0 else { continue }
        entry.cause = .announcement(left: left - 1, gap: gap * 2)
        entry.due = now + gap
        kept.append(entry)
      }
    }
    links[index].pending = kept
    for bytes in messages(places, on: index, at: now) { multicast(bytes, on: index, into: &outbox) }
    for place in places { links[index].claims[place.entity].setSent(place.record, at: now) }
  }

  /// Messages with these answers and what a reader of them needs next, as few as there can be.
  ///
  /// - Parameter now: of a multicast, where a record that was just multicast is no addition, and an addition counts as
  ///   multicast; `nil` of a unicast.
  mutating func messages(_ places: [MDNSPlace], on index: Int, at now: Instant?) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var said = places
    var rest = places[...]
    while let first = rest.first {
      var writer = DNSWriter(flags: responseFlags, limitBytes: plan.packetBytes)
      var written: [MDNSPlace] = []
      if plan.has(.questionsInResponses), let record = record(first, on: index) {
        writer.add(DNSQuestion(record.name, record.type))
      }
      while let place = rest.first, let record = self.said(place, on: index), writer.add(record, to: .answers) {
        written.append(place)
        rest.removeFirst()
        if plan.has(.duplicateRecords), written.count == 1 { writer.add(record, to: .answers) }
        if plan.has(.noAggregation) { break }
      }
      if written.isEmpty {
        // RFC 6762 §17: a record that is too large for others is alone.
        writer = DNSWriter(flags: .response, limitBytes: DNSWriter.multicastLimitBytes)
        rest.removeFirst()
        guard let record = self.said(first, on: index), writer.add(record, to: .answers) else { continue }
      }
      for place in written.flatMap({ additions(to: $0, on: index) }) where !said.contains(place) {
        if let now, now - links[index].claims[place.entity].lastSent(place.record) < plan.timing.recordGap { continue }
        guard let record = self.said(place, on: index), writer.add(record, to: .additionals) else { continue }
        said.append(place)
        if let now { links[index].claims[place.entity].setSent(place.record, at: now) }
      }
      messages.append(writer.bytes)
    }
    return messages
  }

  /// RFC 6763 §12: of a pointer the service behind it, of a service its host; of an address those of the other family.
  func additions(to place: MDNSPlace, on index: Int) -> [MDNSPlace] {
    if plan.has(.noAdditions) { return [] }
    var host: [MDNSPlace] = []
    if links[index].claims[0].phase == .owned {
      let records = links[index].hostRecords
      let isBoth = Set(records.map(\.type)).count == 3
      host = records.indices.dropLast(isBoth ? 1 : 0).map { MDNSPlace(entity: 0, record: $0) }
    }
    if place.entity == 0 { return host }
    let own = [MDNSEntity.Place.service, MDNSEntity.Place.text].map { MDNSPlace(entity: place.entity, record: $0) }
    switch place.record {
    case MDNSEntity.Place.service: return host
    case MDNSEntity.Place.text, MDNSEntity.Place.absence, MDNSEntity.Place.listing: return []
    default: return own + host
    }
  }

  /// RFC 6762 §6.7: as a server of unicast DNS answers, id and questions as they came.
  func legacyMessage(
    _ places: [MDNSPlace], id: UInt16, _ questions: [DNSQuestion], on index: Int
  ) -> [UInt8] {
    var writer = DNSWriter(
      id: id, flags: responseFlags, limitBytes: plan.packetBytes,
      compression: plan.has(.compressedLegacy) ? .multicast : .legacy)
    for question in questions where !plan.has(.noQuestionInLegacy) {
      var question = question
      question.wantsUnicast = false
      writer.add(question)
    }
    var said: [MDNSPlace] = []
    func add(_ places: [MDNSPlace], _ section: DNSSection) {
      for place in places where !said.contains(place) {
        guard var record = record(place, on: index) else { continue }
        record.isCacheFlush = record.isCacheFlush && plan.has(.flushBitInLegacy)
        record.ttlSeconds = min(record.ttlSeconds, plan.timing.legacyTTLSeconds)
        if writer.add(record, to: section) { said.append(place) }
      }
    }
    add(places, .answers)
    add(places.flatMap { additions(to: $0, on: index) }, .additionals)
    return writer.bytes
  }

  /// Takes back what was announced of these names on an interface (RFC 6762 §10.1).
  ///
  /// The type in the list of types stays: other hosts may have it, too.
  mutating func sayGoodbye(_ names: [Int], on index: Int, into outbox: inout Outbox) {
    var rest: [DNSRecord] = []
    for entity in names where links[index].claims[entity].isAnnounced {
      let records = records(entity, on: index)
      for number in records.indices where records[number].type != .nsec {
        if entity > 0, number == MDNSEntity.Place.listing { continue }
        guard var record = said(MDNSPlace(entity: entity, record: number), on: index) else { continue }
        record.ttlSeconds = 0
        rest.append(record)
      }
    }
    while !rest.isEmpty {
      var writer = DNSWriter(flags: .response, limitBytes: plan.packetBytes)
      var count = 0
      while count < rest.count, writer.add(rest[count], to: .answers) { count += 1 }
      if count == 0 {
        writer = DNSWriter(flags: .response, limitBytes: DNSWriter.multicastLimitBytes)
        writer.add(rest[0], to: .answers)
        count = 1
      }
      rest.removeFirst(count)
      if !writer.isEmpty { multicast(writer.bytes, on: index, into: &outbox) }
    }
  }

  // MARK: - Datagrams

  /// To the group of every family that has an address here, with the TTL of RFC 6762 §11.
  mutating func multicast(_ bytes: [UInt8], on index: Int, into outbox: inout Outbox) {
    remember(bytes)
    for family in [IPAddress.Family.v4, .v6] {
      guard let source = links[index].source(family) else { continue }
      outbox.transmit(
        Datagram(
          source: Endpoint(source, port: port(of: bytes)), destination: .mdns(family),
          interface: links[index].interface, hopLimit: hopLimit, payload: outbox.payloads.store(bytes)))
    }
  }

  func unicast(_ bytes: [UInt8], to asker: Endpoint, on index: Int, into outbox: inout Outbox) {
    guard let source = links[index].source(asker.address.family) else { return }
    outbox.transmit(
      Datagram(
        source: Endpoint(source, port: port(of: bytes)), destination: asker,
        interface: links[index].interface, hopLimit: hopLimit, payload: outbox.payloads.store(bytes)))
  }

  private var hopLimit: UInt8 { plan.has(.lowHopLimit) ? 1 : 255 }

  /// A message that is no query is a response.
  private func port(of bytes: [UInt8]) -> UInt16 {
    plan.has(.otherPort) && bytes[2] >= 0x80 ? 5_354 : Endpoint.mdnsPort
  }

  private var responseFlags: DNSFlags {
    var flags = DNSFlags.response
    flags.isAuthoritative = !plan.has(.noAuthority)
    return flags
  }

  /// A record as it is multicast; `nil`: it is not.
  private func said(_ place: MDNSPlace, on index: Int) -> DNSRecord? {
    guard var record = record(place, on: index) else { return nil }
    if plan.has(.noFlushBit) { record.isCacheFlush = false }
    if plan.has(.flushBitInShared), record.type == .ptr { record.isCacheFlush = true }
    if plan.has(.noText), record.type == .txt { record.data = .other(.hinfo, [0, 0]) }
    if plan.has(.absenceOfNothing), case .nsec(let next, let types) = record.data {
      record.data = .nsec(next: next, types: DNSTypeSet(types + [.nsec]))
    }
    if plan.has(.foreignAddress), case .address(let address) = record.data, address.family == .v4 {
      record.data = .address(IPAddress(203, 0, 113, 9))
    }
    return record
  }

  private mutating func remember(_ bytes: [UInt8]) {
    let sum = bytes.withUnsafeBytes { Digest.hash($0) }
    if ownSums.contains(sum) { return }
    if ownSums.count >= MDNSResponder.ownSumCountMaximum { ownSums.removeFirst() }
    ownSums.append(sum)
  }
}
