import RollcallDiscovery
package import RollcallPrimitives
import RollcallWire

// The lives of devices: found, leases, renewals, changes, losses.
extension StoryTeller {
  private func life(_ name: String) -> Int? { lifeByName[name] }

  func announcement(_ hearing: Hearing) -> Announcement {
    Announcement(
      type: hearing.type, target: hearing.targetText, source: hearing.source, frame: hearing.frame, time: hearing.time,
      identification: hearing.identification)
  }

  private func key(_ hearing: Hearing) -> PromiseKey {
    PromiseKey(
      usn: hearing.usn, target: hearing.target, family: hearing.source.address.family, interface: hearing.interface)
  }

  // MARK: Messages

  /// An alive or a response that the engine took.
  func announced(_ hearing: Hearing, _ reports: [(Instant, Report)], _ engine: borrowing DiscoveryEngine) {
    let after = engine.standing(
      usn: hearing.usn, target: hearing.target, hearing.source.address.family, on: hearing.interface)
    guard let name = after.device else { return }
    made(hearing)
    var hearing = hearing
    hearing.verdict = engine.verdict(
      onLocation: hearing.location, from: hearing.source.address, on: hearing.interface)
    var announcement = announcement(hearing)
    if let end = after.leaseEnd {
      announcement.leaseSeconds = Int((end - hearing.time).nanoseconds / 1_000_000_000)
      announcement.isLeaseByDefault = hearing.maximumAgeSeconds < 0
      announcement.isLeaseCut = hearing.maximumAgeSeconds > announcement.leaseSeconds
    }
    hearing.leaseSeconds = announcement.leaseSeconds
    current = hearing
    let isFound = reports.contains { if case .found(let device) = $0.1 { device.device == name } else { false } }
    if isFound {
      // Lost by the same message, and by no reboot, it comes back.
      for case (let time, .lost(name, let cause)) in reports where cause != .rebooted {
        lost(name, cause, at: time, frame: hearing.frame)
      }
      let root = formerRoot(hearing, name)
      begin(name, announcement, hearing, partOf: root.map { lives[$0].story.device })
      if let root { part(hearing, name, from: root, engine) }
      told(hearing, .found(announcement.leaseSeconds))
    }
    guard let index = life(name) else { return }
    if let party = partyByName[.uuid(hearing.uuid)] { parties[party].life = index }
    probe(name, hearing, announcement)
    if isOfParty(hearing) { (lives[index].isAsked, lives[index].isLeft) = (true, false) }
    let key = key(hearing)
    let previous = lives[index].promises[key]
    if lives[index].promises[key] != nil || promiseCount < bounds.promises {
      if lives[index].promises.updateValue(announcement, forKey: key) == nil { promiseCount += 1 }
    } else {
      cut("promises: the last one of a device that expired may be missing")
    }
    if !isFound {
      if let end = hearing.before.leaseEnd, hearing.before.device == name {
        renewed(index, announcement, margin: end - hearing.time, previous: previous)
      } else {
        leased(index, announcement)
        told(hearing, .leased(announcement.leaseSeconds))
      }
    }
    let verdict = hearing.verdict
    // Many a service message has no LOCATION; that matters only where the device never had one.
    let isMissed = verdict == .absent && !lives[index].story.hadLocation && !isFound
    if verdict != .usable, verdict != .absent || isMissed || isFound {
      locationRefused(index, hearing.hasLocation ? Hearing.text(hearing.location) : nil, verdict, hearing)
    }
  }

  /// A byebye that the engine took: it ended the device, leases of it, or nothing.
  func revoked(_ hearing: Hearing, _ reports: [(Instant, Report)], _ engine: borrowing DiscoveryEngine) {
    let name = hearing.before.device
    let isLost = reports.contains { if case .lost(let device, .byebye) = $0.1 { device == name } else { false } }
    if isLost { return told(hearing, .ended) }
    let own = key(hearing)
    let known = name.flatMap { life($0) }
    let wasPromised = hearing.before.isPresent && hearing.before.leaseEnd != nil
    let isEnded = wasPromised ? !stands(own, engine) : hasEndedPath(of: known, hearing, engine)
    guard isEnded else { return unmade(wasPromised ? .byebyeOvertaken : .byebyeOfNothing, hearing) }
    told(hearing, .ended)
    guard let index = known else { return }
    let isWhole = configuration.byebyePolicy == .anyPart
    // ordered: taken out one by one, and nothing is told of the order
    let gone = lives[index].promises.filter { promise, _ in isWhole ? promise.isOnPath(of: own) : promise == own }
    promiseCount -= gone.count
    // ordered: as above
    for (promise, _) in gone { lives[index].promises[promise] = nil }
    add(index, .partEnded(announcement(hearing)), hearing.time, hearing.frame)
  }

  /// Whether a byebye of something that was not promised ended what else came by its path: of a device that is known by
  /// answers alone any byebye counts.
  private func hasEndedPath(of index: Int?, _ hearing: Hearing, _ engine: borrowing DiscoveryEngine) -> Bool {
    guard let index, configuration.byebyePolicy == .anyPart, engine.counters.openLeases < hearing.openLeases else {
      return false
    }
    let own = key(hearing)
    // ordered: any of them says it
    for (promise, announcement) in lives[index].promises where promise.isOnPath(of: own) {
      // What ran out by itself was ended by nobody.
      if announcement.end > hearing.time, !stands(promise, engine) { return true }
    }
    return false
  }

  private func stands(_ key: PromiseKey, _ engine: borrowing DiscoveryEngine) -> Bool {
    engine.standing(usn: key.usn, target: key.target, key.family, on: key.interface).leaseEnd != nil
  }

  /// An ssdp:update that the engine took: it told the next BOOTID, a reboot that nobody heard, or nothing.
  func updated(_ hearing: Hearing, _ reports: [(Instant, Report)]) {
    let isNews = reports.contains {
      switch $0.1 {
      case .changed, .found: true
      default: false
      }
    }
    if isNews { return told(hearing, .changed) }
    unmade(.updateOfNothing, hearing)
  }

  // MARK: Reports

  func found(_ sighting: DeviceSighting, at time: Instant) {
    guard let index = life(sighting.device) else { return }
    lives[index].story.isPresent = true
    lives[index].story.source = sighting.source
    lives[index].story.interface = sighting.interface
    lives[index].story.location = sighting.location
    if sighting.location != nil { lives[index].story.hadLocation = true }
    lives[index].bootID = sighting.bootID
    if let last = lives[index].story.events.indices.last {
      switch lives[index].story.events[last].what {
      case .found(let by, _, let isReturn, let partOf):
        lives[index].story.events[last].what = .found(
          by, location: sighting.location, isReturn: isReturn, partOf: partOf)
      case .rebooted(let from, _, _):
        lives[index].story.events[last].what = .rebooted(from: from, to: sighting.bootID, location: sighting.location)
      default: break
      }
    }
  }

  /// A device is there from this message on.
  private func begin(_ name: String, _ announcement: Announcement, _ hearing: Hearing, partOf root: String?) {
    if let index = life(name) {
      // Lost and found at one instant with another BOOTID is a reboot, which `lost` tells of.
      let isReboot = lives[index].story.isPresent
      lives[index].goneAt = nil
      lives[index].isUnited = false
      forgetPromises(index)
      if !isReboot {
        add(index, .found(announcement, location: nil, isReturn: true, partOf: root), hearing.time, hearing.frame)
      }
      return
    }
    guard lives.count < bounds.devices else { return cut("devices") }
    lifeByName[name] = lives.count
    var story = DeviceStory(
      device: name, source: hearing.source.address, interface: hearing.interface, location: nil)
    story.events = [
      StoryEvent(
        what: .found(announcement, location: nil, isReturn: false, partOf: root), time: hearing.time,
        lastTime: hearing.time, frames: FrameRanges(hearing.frame), count: 1)
    ]
    lives.append(Life(story: story))
  }

  /// The life of the device that the UUID of a message belonged to before, where it is found as one of its own now.
  private func formerRoot(_ hearing: Hearing, _ name: String) -> Int? {
    guard name.lowercased() == "uuid:" + hearing.uuid, let party = partyByName[.uuid(hearing.uuid)],
      let index = parties[party].life, lives[index].story.device != name
    else { return nil }
    return index
  }

  /// A UUID that was a part of `root` is a device of its own: what it promised, and what of that still stands, is its own.
  private func part(_ hearing: Hearing, _ name: String, from root: Int, _ engine: borrowing DiscoveryEngine) {
    if lives[root].story.isPresent { add(root, .parted(name), hearing.time, hearing.frame) }
    if case .uuid = party, isOfParty(hearing) { lives[root].isLeft = true }
    let index = life(name)
    // ordered: put in under their own keys, and nothing is told of the order
    for (key, promise) in lives[root].promises where Hearing.uuid(of: key.usn) == hearing.uuid {
      lives[root].promises[key] = nil
      if let index, stands(key, engine) { lives[index].promises[key] = promise } else { promiseCount -= 1 }
    }
  }

  func changed(_ sighting: DeviceSighting, _ change: Change, at time: Instant, frame: Int?) {
    if case .united(let part) = change, let other = life(part), part != sighting.device {
      add(other, .changed(change, sighting), time, frame)
      lives[other].story.isPresent = false
      lives[other].isUnited = true
      // What the part promised, the device that it belongs to promises.
      if let index = life(sighting.device) {
        let promises = lives[other].promises
        lives[other].promises = [:]
        // ordered: put in under their own keys, and nothing is told of the order
        for (key, promise) in promises {
          if lives[index].promises.updateValue(promise, forKey: key) != nil { promiseCount -= 1 }
        }
        if lives[other].isAsked { (lives[index].isAsked, lives[index].isLeft) = (true, false) }
        if let known = partyByName[.uuid(part.dropFirst(5).lowercased())] { parties[known].life = index }
      }
    }
    guard let index = life(sighting.device) else { return }
    lives[index].story.location = sighting.location
    lives[index].story.source = sighting.source
    lives[index].bootID = sighting.bootID
    if sighting.location != nil { lives[index].story.hadLocation = true }
    add(index, .changed(change, sighting), time, frame)
  }

  func lost(_ device: String, _ cause: LossCause, at time: Instant, frame: Int?) {
    guard let index = life(device), lives[index].story.isPresent else { return }
    if cause == .rebooted {
      // `found` follows at the same instant and says the rest.
      return add(index, .rebooted(from: lives[index].bootID, to: nil, location: nil), time, frame)
    }
    var by: Announcement?
    switch cause {
    case .expired: by = lastPromise(index, endingBy: time)
    case .byebye: by = current.map { announcement($0) }
    case .interface, .evicted, .stopped, .rebooted: break
    }
    add(index, .lost(cause, by), time, frame)
    probeLost(device, at: time)
    lives[index].story.isPresent = false
    lives[index].goneAt = time
    forgetPromises(index)
  }

  func served(_ service: ServiceSighting, at time: Instant, frame: Int?) {
    guard let search = searchByID[service.search.number] else { return }
    story.searches[search].services += 1
    if story.searches[search].services >= configuration.limits.servicesPerSearch {
      story.searches[search].isFull = true
    }
    if !story.searches[search].deviceNames.contains(service.device) {
      story.searches[search].devices += 1
      if story.searches[search].deviceNames.count < 256 { story.searches[search].deviceNames.append(service.device) }
    }
    guard let index = life(service.device) else { return }
    let number = Int(service.search.number)
    for position in lives[index].story.events.indices.suffix(4).reversed() {
      if case .answered(number, let services) = lives[index].story.events[position].what {
        lives[index].story.events[position].what = .answered(search: number, services: services + 1)
        extend(index, position, time, frame)
        return
      }
    }
    add(index, .answered(search: number, services: 1), time, frame)
  }

  // MARK: Promises

  private func forgetPromises(_ index: Int) {
    promiseCount -= lives[index].promises.count
    lives[index].promises = [:]
  }

  /// The promise that ran out last.
  private func lastPromise(_ index: Int, endingBy time: Instant) -> Announcement? {
    // ordered: the largest by end and frame, whatever comes first
    let all = lives[index].promises.values
    return all.filter { $0.end <= time }.max { ($0.end, $0.frame) < ($1.end, $1.frame) }
  }
}

extension StoryTeller.PromiseKey {
  /// Whether both came by one interface and family.
  func isOnPath(of other: Self) -> Bool { family == other.family && interface == other.interface }
}

extension Announcement {
  /// When its promise runs out.
  package var end: Instant { time + .seconds(Int64(max(0, leaseSeconds))) }
}
