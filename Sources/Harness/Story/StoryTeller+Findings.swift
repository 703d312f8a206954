import Discovery
import Primitives

// The end of the story: what was gathered, and an answer for each party that is no device.
extension StoryTeller {
  /// The story, once the replay is over.
  package func finished(frames: Int, names: FrameNames = FrameNames()) -> Story {
    var told = story
    told.frames = frames
    told.names = names
    told.party = party
    told.cuts = cuts
    told.devices = lives.map { life in
      var device = life.story
      // ordered: the largest, whatever comes first
      if device.isPresent { device.leaseEnd = life.promises.values.map(\.end).max() }
      return device
    }
    told.findings = deviceFindings(told.devices) + partyFindings()
    for position in told.searches.indices where !told.searches[position].hasEnded {
      told.searches[position].hasEnded = told.searches[position].end <= told.end
    }
    told.datagrams = datagrams
    if let party { keep(party, &told) }
    return told
  }

  /// Takes out what has nothing to do with the party.
  private func keep(_ party: StoryParty, _ told: inout Story) {
    func isOwn(_ index: Int) -> Bool {
      switch party {
      case .address(let address): lives[index].sources.contains(address)
      case .uuid(let uuid):
        lives[index].uuids.contains(uuid) || lives[index].story.device.lowercased() == "uuid:" + uuid
      }
    }
    let own = lives.indices.filter(isOwn)
    told.devices = own.map { told.devices[$0] }
    switch party {
    case .address(let address):
      told.unmade.removeAll { $0.source != address }
      told.searches.removeAll { $0.source.address != address }
      told.findings = [conclusion(about: address, own, told)]
      told.presence?.messages = messages(of: address)
    case .uuid(let uuid):
      told.unmade.removeAll { $0.uuid != uuid }
      told.searches = []
      told.findings = [conclusion(about: uuid, own, told)]
    }
  }

  private func messages(of address: IPAddress) -> [(name: String, count: Int)] {
    guard let index = partyByName[.source(address)] else { return [] }
    var list: [(name: String, count: Int)] = []
    if parties[index].others > 0 { list.append(("announcements and answers", parties[index].others)) }
    if parties[index].searches > 0 { list.append(("searches", parties[index].searches)) }
    return list
  }

  // MARK: Findings

  /// Devices that are found, and of no use all the same: nothing may be fetched from them.
  private func deviceFindings(_ devices: [DeviceStory]) -> [StoryFinding] {
    devices.compactMap { device in
      guard !device.hadLocation, !device.events.contains(where: { isUnion($0, of: device.device) }) else { return nil }
      var reason = "no message of it had a LOCATION"
      var frames = FrameRanges()
      for event in device.events {
        if case .locationRefused(let text, let verdict) = event.what {
          reason = StoryWords.location(text, verdict)
          frames = event.frames
          if verdict != .absent { break }
        }
      }
      return StoryFinding(
        kind: .unusableLocation, party: device.device, source: device.source,
        text: "is found, but an application gets no LOCATION of it: \(reason)", frames: frames)
    }
  }

  private func isUnion(_ event: StoryEvent, of device: String) -> Bool {
    if case .changed(.united(let part), _) = event.what { part == device } else { false }
  }

  private func partyFindings() -> [StoryFinding] {
    var findings: [StoryFinding] = []
    var answered: Set<IPAddress> = []
    // A flood has thousands of both; each group is looked up, not searched for.
    var byUUID: [String: [Unmade]] = [:]
    var bySource: [IPAddress: [Unmade]] = [:]
    for group in story.unmade where group.type != "search" {
      if group.uuid.isEmpty {
        bySource[group.source, default: []].append(group)
      } else {
        byUUID[group.uuid, default: []].append(group)
      }
    }
    for party in parties where !party.madeDevice {
      guard case .uuid(let uuid) = party.key else { continue }
      if let finding = finding(party, groups: byUUID[uuid] ?? []) {
        findings.append(finding)
        answered.insert(party.source)
      }
    }
    for party in parties where !party.madeDevice {
      guard case .source(let address) = party.key, !answered.contains(address) else { continue }
      let groups = bySource[address] ?? []
      if party.others == 0 {
        findings.append(
          StoryFinding(
            kind: .searchesOnly, party: address.description, source: address,
            text: "only searched (\(StoryWords.count(party.searches, "time"))) and announced nothing",
            frames: party.frames))
      } else if let finding = finding(party, groups: groups) {
        findings.append(finding)
      }
    }
    return findings
  }

  /// The reason that explains most, of all for which messages of a party were no device.
  private func finding(_ party: Party, groups: [Unmade]) -> StoryFinding? {
    let name: String
    switch party.key {
    case .uuid(let uuid): name = "uuid:" + uuid
    case .source(let address): name = address.description
    }
    guard let group = groups.min(by: { StoryTeller.rank($0.reason) < StoryTeller.rank($1.reason) }) else { return nil }
    // The host that the replay is need not find itself.
    if group.reason == .own { return nil }
    let alike = groups.filter { StoryTeller.kind($0.reason) == StoryTeller.kind(group.reason) }
    var frames = FrameRanges()
    for one in alike { frames.add(one.frames) }
    let others = groups.filter { StoryTeller.kind($0.reason) != StoryTeller.kind(group.reason) }
    var text = StoryWords.finding(group, searches: story.searches, count: alike.reduce(0) { $0 + $1.count })
    if !others.isEmpty {
      text += "; besides, " + others.prefix(3).map { StoryWords.reason($0.reason, $0) }.joined(separator: ", ")
    }
    return StoryFinding(
      kind: StoryTeller.kind(group.reason), party: name, source: party.source, text: text, frames: frames)
  }

  private static func kind(_ reason: UnmadeReason) -> StoryFinding.Kind {
    switch reason {
    case .late: .late
    case .wrongTarget: .wrongTarget
    case .nobodyAsked: .nobodyAsked
    case .bound: .bound
    case .refused: .refused
    case .notHeard: .notHeard
    case .byebyeOfNothing, .updateOfNothing: .byebyeOnly
    case .own, .otherSearch: .searchesOnly
    }
  }

  private static func rank(_ reason: UnmadeReason) -> Int {
    switch reason {
    case .bound: 0
    case .late: 1
    case .wrongTarget: 2
    case .refused: 3
    case .nobodyAsked: 4
    case .notHeard: 5
    case .byebyeOfNothing: 6
    case .updateOfNothing: 7
    case .own, .otherSearch: 8
    }
  }

  // MARK: One party

  private func conclusion(about uuid: String, _ own: [Int], _ told: Story) -> StoryFinding {
    if let found = foundConclusion("uuid:" + uuid, own, told) { return found }
    if let index = partyByName[.uuid(uuid)],
      let finding = finding(parties[index], groups: story.unmade.filter { $0.uuid == uuid })
    {
      return finding
    }
    return StoryFinding(
      kind: .neverAnnounced, party: "uuid:" + uuid,
      text: "never announced: no SSDP message of the capture names this UUID", frames: FrameRanges())
  }

  private func conclusion(about address: IPAddress, _ own: [Int], _ told: Story) -> StoryFinding {
    let name = address.description
    if let found = foundConclusion(name, own, told) { return found }
    guard let index = partyByName[.source(address)] else {
      let presence = told.presence ?? Presence()
      if presence.sent == 0, presence.received == 0 {
        return StoryFinding(
          kind: .notOnNetwork, party: name, source: address,
          text: "no frame of the capture comes from it or goes to it: it was not on this network, or its traffic does "
            + "not pass where the capture was taken", frames: FrameRanges())
      }
      let frames = StoryWords.count(presence.sent, "frame")
      return StoryFinding(
        kind: .neverAnnounced, party: name, source: address,
        text: "never announced: it is on the network (\(frames) from it, \(presence.received) to it), but none of its "
          + "frames holds an SSDP message" + StoryWords.membership(presence, told.names), frames: FrameRanges())
    }
    let groups = story.unmade.filter { $0.source == address && $0.type != "search" }
    if let finding = finding(parties[index], groups: groups) { return finding }
    return StoryFinding(
      kind: .searchesOnly, party: name, source: address,
      text: "only searched (\(StoryWords.count(parties[index].searches, "time"))) and announced nothing",
      frames: parties[index].frames)
  }

  private func foundConclusion(_ name: String, _ own: [Int], _ told: Story) -> StoryFinding? {
    guard let first = own.first else { return nil }
    let device = lives[first].story
    let when = device.events.first.map { StoryWords.since(told.start, $0.time) } ?? ""
    var text = own.count == 1 ? "is found" : "is found, as \(own.count) devices"
    if name != device.device { text += " (\(device.device))" }
    text += " from \(when) on"
    if !device.isPresent {
      if let last = device.events.last { text += ", and is gone since \(StoryWords.since(told.start, last.time))" }
    } else if !device.hadLocation {
      text += ", but without a LOCATION that may be used"
    }
    return StoryFinding(
      kind: device.hadLocation ? .found : .unusableLocation, party: name, source: device.source, text: text,
      frames: device.events.first?.frames ?? FrameRanges())
  }
}
