import RollcallPrimitives
import RollcallWire

// Names: probing for them, losing and keeping them.

extension MDNSResponder {
  /// The records of an entity on an interface.
  func records(_ entity: Int, on index: Int) -> [DNSRecord] {
    entity == 0 ? links[index].hostRecords : entities[entity].records
  }

  func record(_ place: MDNSPlace, on index: Int) -> DNSRecord? {
    let records = records(place.entity, on: index)
    return place.record < records.count ? records[place.record] : nil
  }

  /// When the first probe of the next attempt goes out (RFC 6762 §8.1).
  mutating func nextAttempt(at now: Instant) -> Instant {
    isLimited ? now + plan.timing.conflictPause : now + probeDraws.interval(in: plan.timing.probeDelay)
  }

  /// A name that is to be claimed from `due` on.
  func claim(from due: Instant) -> MDNSClaim.Phase {
    .probing(sent: plan.has(.noProbing) ? plan.timing.probeCount : 0, due: due)
  }

  // MARK: - Probing

  /// Sends the probes that are due; who has sent all of them owns the name.
  mutating func probe(on index: Int, at now: Instant, into outbox: inout Outbox) {
    var probing: [Int] = []
    for entity in entities.indices {
      guard case .probing(let sent, let due) = links[index].claims[entity].phase, due <= now else { continue }
      if sent < plan.timing.probeCount {
        let isDoubled = plan.has(.doubledProbes) && !links[index].claims[entity].isRepeated
        links[index].claims[entity].isRepeated = isDoubled
        links[index].claims[entity].phase =
          isDoubled
          ? .probing(sent: sent, due: now + .milliseconds(50))
          : .probing(sent: sent + 1, due: now + plan.timing.probeGap)
        probing.append(entity)
      } else {
        own(entity, on: index, at: now)
      }
    }
    while let message = nextProbe(&probing, on: index) {
      multicast(message.written(limitBytes: DNSWriter.multicastLimitBytes).bytes, on: index, into: &outbox)
    }
  }

  /// One question and the records of each name, as many names as a message holds.
  private func nextProbe(_ probing: inout [Int], on index: Int) -> DNSMessage? {
    if probing.isEmpty { return nil }
    var message = DNSMessage(flags: .query)
    while let entity = probing.first {
      var longer = message
      longer.questions.append(
        DNSQuestion(entities[entity].name, plan.has(.probesForA) ? .a : .any, wantsUnicast: true))
      longer.authorities += proposed(entity, on: index)
      let isFirst = message.questions.isEmpty
      if !isFirst, longer.written().bytes.count > plan.packetBytes { break }
      message = longer
      probing.removeFirst()
    }
    return message
  }

  /// The records that only one host can have, without their flush bits (RFC 6762 §8.2, §10.2).
  func proposed(_ entity: Int, on index: Int) -> [DNSRecord] {
    records(entity, on: index).filter { $0.isCacheFlush && $0.type != .nsec }.map { record in
      var record = record
      record.isCacheFlush = plan.has(.flushBitInProbes)
      return record
    }
  }

  private mutating func own(_ entity: Int, on index: Int, at now: Instant) {
    links[index].claims[entity].phase = .owned
    isLimited = false
    let records = records(entity, on: index)
    announce(entity, records.indices.filter { records[$0].type != .nsec }, on: index, at: now)
    guard entity == 0 else { return }
    // Services that were announced under another host's name.
    for service in entities.indices.dropFirst() where links[index].claims[service].isAnnounced {
      announce(service, [MDNSEntity.Place.service], on: index, at: now)
    }
  }

  /// Multicasts records unasked, as often as it has to be (RFC 6762 §8.3).
  ///
  /// - Parameter times: `nil`: as often as the plan says.
  mutating func announce(_ entity: Int, _ records: [Int], times: Int? = nil, on index: Int, at now: Instant) {
    guard links[index].claims[entity].phase == .owned else { return }
    let count = max(1, times ?? plan.timing.announceCount)
    for record in records {
      links[index].add(
        MDNSPending(
          place: MDNSPlace(entity: entity, record: record), due: now,
          cause: .announcement(left: count - 1, gap: plan.timing.announceGap)))
    }
  }

  // MARK: - Conflicts

  /// Somebody else probes: where it is for one of our names and we probe, too, the later list of records has it.
  mutating func breakTies(_ theirs: [DNSRecord], on index: Int, at now: Instant) {
    if plan.has(.noTieBreak) { return }
    for entity in entities.indices {
      guard case .probing = links[index].claims[entity].phase else { continue }
      let name = entities[entity].name
      let others = theirs.filter { $0.name == name }
      let own = proposed(entity, on: index)
      let isLost =
        plan.has(.earlierWins) ? MDNSResponder.loses(others, to: own) : MDNSResponder.loses(own, to: others)
      guard !others.isEmpty, isLost else { continue }
      links[index].claims[entity].phase = claim(from: now + plan.timing.deferral)
    }
  }

  /// Whether the first list comes before the second: record by record in sorted order, then the shorter one
  /// (RFC 6762 §8.2.1).
  static func loses(_ ours: [DNSRecord], to theirs: [DNSRecord]) -> Bool {
    let (ours, theirs) = (
      ours.sorted { $0.precedesInTieBreak($1) }, theirs.sorted { $0.precedesInTieBreak($1) }
    )
    for (own, other) in zip(ours, theirs) where !own.isTied(with: other) { return own.precedesInTieBreak(other) }
    return ours.count < theirs.count
  }

  /// Looks for conflicts in the records of somebody else's response.
  ///
  /// - Returns: whether there is one.
  mutating func findConflicts(
    _ records: [DNSRecord], on index: Int, at now: Instant, into outbox: inout Outbox
  ) -> Bool {
    var isConflicted = false
    for entity in entities.indices where !entities[entity].isRemoved {
      let phase = links[index].claims[entity].phase
      if phase == .none { continue }
      let name = entities[entity].name
      let isConflict = records.contains { record in
        guard record.ttlSeconds > 0, record.name == name, !isOurs(record, entity) else { return false }
        if phase != .owned { return true }
        // A name that is owned may have records of other types elsewhere.
        return record.type != .nsec && record.recordClass == .internet
          && self.records(entity, on: index).contains { $0.isCacheFlush && $0.type == record.type }
      }
      guard isConflict, !plan.has(phase == .owned ? .ignoresConflicts : .ignoresDenials) else { continue }
      isConflicted = true
      countConflict(at: now)
      if phase == .owned, !plan.has(.renamesAtOnce) {
        // Who of the two keeps it is found out by probing (RFC 6762 §9).
        links[index].claims[entity].phase = .probing(sent: 0, due: nextAttempt(at: now))
        links[index].pending.removeAll { $0.place.entity == entity }
      } else {
        rename(entity, conflictOn: index, at: now, into: &outbox)
      }
    }
    return isConflicted
  }

  /// Whether the entity has this very record on any interface: then it is no conflict, even over a bridge.
  private func isOurs(_ record: DNSRecord, _ entity: Int) -> Bool {
    links.indices.contains { index in
      records(entity, on: index).contains { $0.name == record.name && $0.isTied(with: record) }
    }
  }

  private mutating func countConflict(at now: Instant) {
    let timing = plan.timing
    conflicts.append(now)
    if conflicts.count > max(1, timing.conflictCount) { conflicts.removeFirst() }
    if conflicts.count == max(1, timing.conflictCount), now - conflicts[0] <= timing.conflictWindow {
      isLimited = true
    }
  }

  private mutating func rename(
    _ entity: Int, conflictOn conflicted: Int, at now: Instant, into outbox: inout Outbox
  ) {
    // Elsewhere nobody else has the old name: what was said there under it is taken back.
    for index in links.indices where index != conflicted {
      sayGoodbye([entity], on: index, into: &outbox)
    }
    entities[entity].rename()
    if entity == 0 {
      for index in links.indices { makeHostRecords(index) }
      for service in entities.indices.dropFirst() where !entities[service].isRemoved {
        entities[service].makeRecords(host: entities[0].name, plan.timing)
      }
    } else {
      entities[entity].makeRecords(host: entities[0].name, plan.timing)
    }
    let due = nextAttempt(at: now)
    for index in links.indices {
      links[index].pending.removeAll { $0.place.entity == entity }
      if links[index].claims[entity].phase == .none { continue }
      links[index].claims[entity] = MDNSClaim()
      links[index].claims[entity].phase = claim(from: due)
    }
  }
}
