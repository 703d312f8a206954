import RollcallPrimitives
import RollcallWire

// What is heard, how long it holds, and what it makes of services.

extension ServiceBrowser {
  /// - Returns: why the datagram, or a part of it, was not taken.
  mutating func hear(_ datagram: Datagram, at now: Instant, _ payloads: PayloadStore) -> Rejection? {
    guard datagram.destination.port == Endpoint.mdnsPort, !browses.isEmpty, let place = place(of: datagram.interface),
      links[place].isUp
    else { return nil }
    let source = datagram.source
    let addresses = links[place].addresses
    let link = faults.contains(.interfacesMixed) ? 0 : place
    if !datagram.destination.address.isMulticast, !addresses.isEmpty,
      !addresses.contains(where: { $0.address.sharesPrefix($0.prefixBits, with: source.address) })
    {
      return Rejection(.wrongInterface, at: 0)
    }
    do throws(DNSFault) {
      let hearing = try DNSReader.hearing(of: datagram.payload, in: payloads)
      let flags = hearing.flags
      guard flags.opcode == 0, flags.responseCode == 0 else { return nil }
      var rejection: Rejection?
      if !flags.isResponse {
        // An answer to another port is not multicast (§6.7).
        if source.port == Endpoint.mdnsPort, !addresses.contains(where: { $0.address == source.address }) {
          hearQuery(hearing, from: source.address, on: link, at: now)
        }
      } else if source.port == Endpoint.mdnsPort {
        rejection = hearResponse(hearing.records, from: source.address, on: link, at: now)
      }
      return rejection ?? hearing.faults.first.map { Rejection(.badPacket, at: $0.offset) }
    } catch {
      return Rejection(.badPacket, at: error.offset)
    }
  }

  /// Pointers first, then what they point to, then hosts: in a message they stand in any order.
  private mutating func hearResponse(
    _ records: [DNSRecord], from sender: IPAddress, on link: Int, at now: Instant
  ) -> Rejection? {
    var rejection: Rejection?
    var touched = TouchedServices()
    if browses.includesEverything {
      for record in records where record.recordClass == .internet {
        learnType(record, from: sender, on: link, at: now, &rejection)
      }
    }
    for record in records where record.recordClass == .internet {
      guard case .ptr(let target) = record.data, let browse = browses[record.name] else { continue }
      if faults.contains(.caseMatters), !browse.name.isIdentical(to: record.name) { continue }
      guard let name = try? ServiceInstanceName(target), name.type.domainName == browse.type else {
        rejection = rejection ?? Rejection(.badTarget, at: 0)
        retire(record.name)
        continue
      }
      guard store(record, from: sender, on: link, at: now, &rejection) else {
        retire(record.name)
        continue
      }
      services.insert(name)
      touched.add(target, .expired)
    }
    for record in records where record.recordClass == .internet {
      guard record.type == .srv || record.type == .txt, services[record.name] != nil else { continue }
      if store(record, from: sender, on: link, at: now, &rejection) { touched.add(record.name, .expired) }
    }
    for service in touched.all { updateHosts(service.name) }
    for record in records where record.recordClass == .internet {
      guard case .address(let address) = record.data, services.isHost(record.name) else { continue }
      if address.isMulticast || address.isUnspecified {
        rejection = rejection ?? Rejection(.badLocation, at: 0)
        continue
      }
      guard store(record, from: sender, on: link, at: now, &rejection) else { continue }
      for name in services.services(on: record.name) { touched.add(name, .expired) }
    }
    evaluate(touched, at: now)
    return rejection
  }

  /// Every type is browsed: one that is listed (RFC 6763 §9), and one of which somebody has an instance.
  private mutating func learnType(
    _ record: DNSRecord, from sender: IPAddress, on link: Int, at now: Instant, _ rejection: inout Rejection?
  ) {
    guard case .ptr(let target) = record.data else { return }
    let isListed = record.name == ServiceType.enumerationName
    if !isListed, record.ttlSeconds == 0 || browses[record.name] != nil { return }
    guard let type = try? ServiceType(isListed ? target : record.name), type.domain == .local else {
      if isListed { rejection = rejection ?? Rejection(.badTarget, at: 0) }
      return
    }
    if isListed {
      if faults.contains(.listIgnored) || !store(record, from: sender, on: link, at: now, &rejection) { return }
      if record.ttlSeconds == 0 { return }
    } else if (try? ServiceInstanceName(target))?.type != type {
      return
    }
    if !discover(type, at: now) { rejection = rejection ?? Rejection(.overTotal, at: 0) }
  }

  /// - Parameter rejection: why the first record that is refused is.
  /// - Returns: whether the record is in the cache: not where it is refused, nor for a goodbye to what was not known.
  private mutating func store(
    _ record: DNSRecord, from sender: IPAddress, on link: Int, at now: Instant, _ rejection: inout Rejection?
  ) -> Bool {
    func refused(_ reason: RejectionReason) -> Bool {
      rejection = rejection ?? Rejection(reason, at: 0)
      return false
    }
    let key = RecordCache.Key(link: link, name: record.name, type: record.type)
    // Pointers are shared: no host may end those of others.
    if record.isCacheFlush, record.ttlSeconds > 0, record.type != .ptr, !faults.contains(.flushIgnored) {
      flush(key, but: record, at: now)
    }
    let known = cache.slot(link, record)
    if record.ttlSeconds == 0 {
      guard let known, !faults.contains(.goodbyeIgnored) else { return false }
      let end = now + policy.goodbyeDelay
      cache.update(known) { entry in
        entry.expiresAt = min(entry.expiresAt, end)
        (entry.refreshAt, entry.reconfirmsLeft, entry.cause) = (.never, 0, .goodbye)
      }
      return true
    }
    var entry = CachedRecord(record: record, sender: sender, link: link, receivedAt: now, expiresAt: now)
    entry.record.ttlSeconds = min(record.ttlSeconds, policy.ttlSecondsMaximum)
    entry.expiresAt =
      faults.contains(.neverExpires) ? .never : now + .seconds(Int64(entry.record.ttlSeconds))
    entry.refreshAt = refreshTime(entry)
    if let known {
      cache.update(known) { old in
        entry.place = old.place
        old = entry
      }
      return true
    }
    if cache.count >= policy.recordsMaximum { return refused(.overTotal) }
    if cache.count(from: sender) >= policy.recordsPerSender { return refused(.overSource) }
    if record.type != .ptr, cache.slots(key).count >= policy.recordsPerName { return refused(.overDevice) }
    cache.insert(entry)
    return true
  }

  /// RFC 6762 §10.2: what is more than a second old has been replaced.
  private mutating func flush(_ key: RecordCache.Key, but record: DNSRecord, at now: Instant) {
    let end = now + policy.goodbyeDelay
    for slot in cache.slots(key) {
      guard let entry = cache[slot], entry.record.data != record.data, now - entry.receivedAt > policy.goodbyeDelay
      else { continue }
      cache.update(slot) { entry in
        entry.expiresAt = min(entry.expiresAt, end)
        (entry.refreshAt, entry.reconfirmsLeft) = (.never, 0)
      }
    }
  }

  /// When a record is to be asked for the next time (RFC 6762 §5.2).
  private mutating func refreshTime(_ entry: CachedRecord) -> Instant {
    guard policy.asks, Int(entry.refreshCount) < policy.refreshPercents.count, !faults.contains(.notRefreshed) else {
      return .never
    }
    let hundredth = Interval.seconds(Int64(entry.record.ttlSeconds)) / 100
    let jitter = draws.interval(in: .zero...hundredth * policy.refreshJitterPercent)
    return entry.receivedAt + hundredth * policy.refreshPercents[Int(entry.refreshCount)] + jitter
  }

  /// The deadline of a record: it ends, or is asked for.
  mutating func age(
    _ slot: Int, at now: Instant, _ questions: inout [[Asked]], _ touched: inout TouchedServices
  ) {
    guard var entry = cache[slot] else { return }
    if entry.expiresAt <= now { return remove(slot, entry.cause, &touched) }
    add(entry.key, wantsUnicast: false, &questions)
    if entry.reconfirmsLeft > 0 {
      entry.reconfirmsLeft -= 1
      entry.refreshAt = entry.reconfirmsLeft > 0 ? now + policy.reconfirmGap : .never
      // What goes on asking for the same waits, so that its gaps grow behind this one too (RFC 6762 §5.2).
      if let slot = series.slot(entry.key) {
        let gap = policy.reconfirmGap
        series.update(slot) { one in
          (one.due, one.interval) = (max(one.due, now + gap * 2), max(one.interval, gap * 4))
        }
      }
    } else {
      entry.refreshCount += 1
      entry.refreshAt = refreshTime(entry)
    }
    cache.update(slot) { $0 = entry }
  }

  /// A record is gone: with it may go a service.
  mutating func drop(_ slot: Int, _ cause: LossCause, at now: Instant) {
    var touched = TouchedServices()
    remove(slot, cause, &touched)
    evaluate(touched, at: now)
  }

  private mutating func remove(_ slot: Int, _ cause: LossCause, _ touched: inout TouchedServices) {
    guard let entry = cache[slot] else { return }
    cache.remove(slot)
    switch entry.record.data {
    case .ptr(let target):
      if entry.record.name == ServiceType.enumerationName { return retire(target) }
      touched.add(target, cause)
      retire(entry.record.name)
    case .address: for name in services.services(on: entry.record.name) { touched.add(name, cause) }
    default: touched.add(entry.record.name, cause)
    }
  }

  // MARK: - Services

  private func isPointed(_ name: ServiceInstanceName, on link: Int) -> Bool {
    browses.names(ofType: name.type.domainName).contains { owner in
      cache.slot(link, DNSRecord(owner, .ptr(name.domainName), ttlSeconds: 0)) != nil
    }
  }

  func target(_ name: DNSName, on link: Int) -> (host: DNSName, port: UInt16)? {
    let record = cache.newest(RecordCache.Key(link: link, name: name, type: .srv))
    guard case .srv(_, _, let port, let host)? = record?.record.data else { return nil }
    return (host, port)
  }

  /// Keeps the list of hosts as the SRV records have it; what is known of other hosts is of no use.
  private mutating func updateHosts(_ name: DNSName) {
    guard let service = services[name] else { return }
    var hosts: [DNSName] = []
    for link in links.indices where isPointed(service.name, on: link) {
      if let host = target(name, on: link)?.host, !hosts.contains(host) { hosts.append(host) }
    }
    for host in services.setHosts(name, hosts) {
      for link in links.indices { forget(host, [.a, .aaaa], on: link) }
    }
  }

  private mutating func forget(_ name: DNSName, _ types: [DNSType], on link: Int) {
    for type in types {
      let key = RecordCache.Key(link: link, name: name, type: type)
      series.remove(key)
      for slot in cache.slots(key) { cache.remove(slot) }
    }
  }

  mutating func evaluate(_ touched: TouchedServices, at now: Instant) {
    for service in touched.all { evaluate(service.name, service.cause, at: now) }
  }

  /// Finds out what a service is now, asks for what is missing and tells what is new.
  private mutating func evaluate(_ name: DNSName, _ cause: LossCause, at now: Instant) {
    guard let service = services[name] else { return }
    updateHosts(name)
    var (found, hasPointer): (FoundService?, Bool) = (nil, false)
    var missing: [RecordCache.Key] = []
    for link in links.indices {
      func key(_ type: DNSType, of owner: DNSName) -> RecordCache.Key {
        RecordCache.Key(link: link, name: owner, type: type)
      }
      guard isPointed(service.name, on: link) else {
        forget(name, [.srv, .txt], on: link)
        continue
      }
      hasPointer = true
      let (target, text) = (target(name, on: link), cache.newest(key(.txt, of: name)))
      if target == nil { missing.append(key(.srv, of: name)) } else { series.remove(key(.srv, of: name)) }
      if text == nil { missing.append(key(.txt, of: name)) } else { series.remove(key(.txt, of: name)) }
      guard let target else { continue }
      let keys = [key(.a, of: target.host), key(.aaaa, of: target.host)]
      let addresses = keys.flatMap { cache.records($0) }.compactMap(\.address).sorted()
      if addresses.isEmpty { missing += keys } else { for key in keys { series.remove(key) } }
      guard case .txt(let txt)? = text?.record.data, !addresses.isEmpty else { continue }
      let locators = addresses.map { Locator(.ip($0), on: links[link].interface) }
      if found == nil {
        found = FoundService(name: service.name, host: target.host, port: target.port, txt: txt, locators: [])
      }
      found?.locators += locators
    }
    missing.removeAll { links[$0.link].addresses.isEmpty }
    if policy.asks, !missing.isEmpty {
      let due = now + draws.interval(in: policy.queryDelay)
      for key in missing {
        series.insert(QuerySeries(key: key, due: due, interval: policy.queryInterval, wantsUnicast: false))
      }
    }
    tell(service, found, cause)
    if !hasPointer { services.remove(name) }
  }

  private mutating func tell(_ service: ServiceTable.Service, _ found: FoundService?, _ cause: LossCause) {
    switch (service.told, found) {
    case (nil, nil): return
    case (nil, let found?): events.append(.found(found))
    case (let told?, nil): events.append(.lost(told, cause))
    case (let told?, let found?):
      if told == found { return }
      events.append(.changed(found, from: told))
    }
    services.tell(service.name.domainName, found)
  }
}

extension CachedRecord {
  fileprivate var address: IPAddress? { if case .address(let address) = record.data { address } else { nil } }
}
