import RollcallDiscovery
package import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// What the engine made of the datagrams of one party, one after the other; equal ones in a row are one.
package struct PartyDatagrams: Sendable {
  package enum Made: Hashable, Sendable {
    /// With the lease in seconds.
    case found(Int)
    case leased(Int)
    case renewed(margin: Interval)
    /// The same message again within moments.
    case copied
    case changed, ended
    case nothing(UnmadeReason)
  }
  package var made: Made
  package var type: String
  package var target: String
  package var source: Endpoint
  package var destination: Endpoint
  package var frames: FrameRanges
  package var count: Int
  package var time: Instant
  package var offset: Int?
  package var lateness: Interval?
}

// Datagrams that made no device, and who sent them.
extension StoryTeller {
  /// The engine refused a message.
  func refused(_ hearing: Hearing, _ rejection: Rejection) {
    switch rejection.reason {
    case .noOpenSearch, .searchOver, .targetNotAsked: unasked(hearing)
    case .overTotal: unmade(.bound("entries-total"), hearing)
    case .overSource: unmade(.bound("entries-per-source"), hearing)
    case .overDevice: unmade(.bound("entries-per-device"), hearing)
    // A line that is too long the reader refuses; the engine a name.
    case .tooLong
    where hearing.kind != nil && max(hearing.usn.count, hearing.target.count) > configuration.limits.nameBytes:
      unmade(.bound("name-bytes"), hearing)
    default: unmade(.refused(rejection.reason), hearing)
    }
  }

  /// An answer that no open search of its socket asked for: what was asked there, and when?
  private func unasked(_ hearing: Hearing) {
    let searches = searchesBySocket[hearing.destination] ?? []
    guard !searches.isEmpty else { return unmade(.nobodyAsked(hearing.destination), hearing) }
    let asking = searches.last { index in matches(story.searches[index].target, hearing.target) }
    if let asking {
      if story.searches[asking].failure != nil { return unmade(.bound("searches-open"), hearing) }
      let lateness = hearing.time - story.searches[asking].end
      let isFirst = story.searches[asking].lateCount == 0
      story.searches[asking].lateCount += 1
      story.searches[asking].lateFrames.add(hearing.frame)
      story.searches[asking].lateLeast = isFirst ? lateness : min(story.searches[asking].lateLeast, lateness)
      story.searches[asking].lateMost = max(story.searches[asking].lateMost, lateness)
      return unmade(.late(search: story.searches[asking].id), hearing, lateness: lateness)
    }
    var asked: [String] = []
    for index in searches.suffix(8) {
      story.searches[index].otherTargetCount += 1
      if !asked.contains(story.searches[index].target) { asked.append(story.searches[index].target) }
    }
    unmade(.wrongTarget(asked: asked, answered: hearing.targetText), hearing)
  }

  func matches(_ asked: String, _ offered: [UInt8]) -> Bool {
    var asked = asked
    return asked.withUTF8 { asked in
      offered.withUnsafeBytes { SearchTarget.matches(asked: UnsafeRawBufferPointer(asked), offered: $0) }
    }
  }

  func unmade(_ reason: UnmadeReason, _ hearing: Hearing, lateness: Interval? = nil) {
    told(hearing, .nothing(reason), lateness: lateness)
    ignored(reason, hearing)
    if hearing.kind == .search, case .address(let address) = party, hearing.source.address != address { return }
    let key = GroupKey(reason: reason, type: hearing.type, source: hearing.source.address, uuid: hearing.uuid)
    let offset = hearing.rejection.map(\.offset)
    if let index = groupByKey[key] {
      story.unmade[index].count += 1
      story.unmade[index].frames.add(hearing.frame)
      story.unmade[index].lastTime = hearing.time
      if let offset, let range = story.unmade[index].offsets {
        story.unmade[index].offsets = min(range.lowerBound, offset)...max(range.upperBound, offset)
      }
      if let lateness, let range = story.unmade[index].lateness {
        story.unmade[index].lateness = min(range.lowerBound, lateness)...max(range.upperBound, lateness)
      }
      return
    }
    guard story.unmade.count < bounds.groups else { return cut("kinds of datagrams that made no device") }
    groupByKey[key] = story.unmade.count
    story.unmade.append(
      Unmade(
        reason: reason, type: hearing.type, source: hearing.source.address, uuid: hearing.uuid,
        frames: FrameRanges(hearing.frame), count: 1, time: hearing.time, lastTime: hearing.time,
        offsets: offset.map { $0...$0 }, excerpt: offset.flatMap { excerpt(hearing.payload, at: $0) },
        lateness: lateness.map { $0...$0 }))
  }

  /// Some bytes in front of an offset and behind it, with `»` where the reading stopped.
  private func excerpt(_ payload: [UInt8], at offset: Int) -> String? {
    guard !payload.isEmpty, offset <= payload.count else { return nil }
    let front = payload[max(0, offset - 20)..<offset]
    let behind = payload[offset..<min(payload.count, offset + 24)]
    return WordWriter.escaped(front) + "»" + WordWriter.escaped(behind)
  }

  // MARK: Parties

  /// Every UUID and every address that some message names, so that none is left without an answer.
  func note(_ hearing: Hearing) {
    let isSearch = hearing.kind == .search
    if !hearing.uuid.isEmpty { note(.uuid(hearing.uuid), hearing, isSearch) }
    note(.source(hearing.source.address), hearing, isSearch)
  }

  private func note(_ key: PartyKey, _ hearing: Hearing, _ isSearch: Bool) {
    let index: Int
    if let known = partyByName[key] {
      index = known
      parties[index].frames.add(hearing.frame)
    } else {
      // The party that was asked about is kept, however many parties there are.
      guard parties.count < bounds.parties || key == askedKey else { return cut("UUIDs and addresses") }
      index = parties.count
      partyByName[key] = index
      parties.append(Party(key: key, source: hearing.source.address, frames: FrameRanges(hearing.frame)))
    }
    if isSearch { parties[index].searches += 1 } else { parties[index].others += 1 }
  }

  /// The message made or kept a device.
  func made(_ hearing: Hearing) {
    for key in [PartyKey.uuid(hearing.uuid), .source(hearing.source.address)] {
      if let index = partyByName[key] { parties[index].madeDevice = true }
    }
  }

  // MARK: The party that was asked about

  func concerns(_ hearing: Hearing) -> Bool {
    switch party {
    case nil, .name: false
    case .address(let address): hearing.source.address == address || hearing.destination.address == address
    case .uuid(let uuid): hearing.uuid == uuid
    }
  }

  /// Whether it sent the message, or is what that names.
  func isOfParty(_ hearing: Hearing) -> Bool {
    switch party {
    case nil, .name: false
    case .address(let address): hearing.source.address == address
    case .uuid(let uuid): hearing.uuid == uuid
    }
  }

  private var askedKey: PartyKey? {
    switch party {
    case nil, .name: nil
    case .address(let address): .source(address)
    case .uuid(let uuid): .uuid(uuid)
    }
  }

  func told(_ hearing: Hearing, _ made: PartyDatagrams.Made, lateness: Interval? = nil) {
    if keepsFates { keepFate(hearing, made) }
    if hearing.frame == watchedFrame { watch(hearing, made, lateness) }
    guard concerns(hearing) else { return }
    if let last = datagrams.indices.last, isLike(datagrams[last], hearing, made) {
      datagrams[last].count += 1
      datagrams[last].frames.add(hearing.frame)
      if case .renewed(let margin) = made, case .renewed(let least) = datagrams[last].made {
        datagrams[last].made = .renewed(margin: min(margin, least))
      }
      if datagrams[last].target != hearing.targetText { datagrams[last].target = "" }
      return
    }
    guard datagrams.count < bounds.datagrams else { return cut("datagrams of the party") }
    datagrams.append(
      PartyDatagrams(
        made: made, type: hearing.type, target: hearing.targetText, source: hearing.source,
        destination: hearing.destination, frames: FrameRanges(hearing.frame), count: 1, time: hearing.time,
        offset: hearing.rejection?.offset, lateness: lateness))
  }

  private func keepFate(_ hearing: Hearing, _ made: PartyDatagrams.Made) {
    guard fates.count < bounds.fates else { return cut("datagrams to compare") }
    let device = hearing.before.device ?? ""
    fates.append(
      Fate(
        frame: hearing.frame, uuid: Fate.hash("uuid:" + hearing.uuid), device: Fate.hash(device),
        code: Fate.hash("\(made) \(hearing.leaseSeconds) \(hearing.verdict)")))
  }

  private func watch(_ hearing: Hearing, _ made: PartyDatagrams.Made, _ lateness: Interval?) {
    watchedMade.append(
      StoryWords.made(made, offset: hearing.rejection?.offset, lateness: lateness, hearing.leaseSeconds))
    if hearing.verdict != .usable, hearing.verdict != .absent {
      let location = Hearing.text(hearing.location)
      watchedMade.append("LOCATION not handed on: " + StoryWords.location(location, hearing.verdict))
    }
  }

  private func isLike(_ last: PartyDatagrams, _ hearing: Hearing, _ made: PartyDatagrams.Made) -> Bool {
    guard last.type == hearing.type, last.source.address == hearing.source.address,
      last.destination.address == hearing.destination.address
    else { return false }
    switch (last.made, made) {
    case (.renewed, .renewed): return true
    default: return last.made == made
    }
  }
}
