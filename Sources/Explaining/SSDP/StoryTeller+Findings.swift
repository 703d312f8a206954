import RollcallDiscovery
import RollcallPrimitives
package import RollcallReporting

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
    let own = lives.indices.filter { lives[$0].isAsked }
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
    case .name(let name):
      (told.unmade, told.searches) = ([], [])
      told.findings = [conclusion(about: name, told)]
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
      // The host that the replay is need not find itself.
      if let finding = finding(party, groups: byUUID[uuid] ?? []), finding.kind != .own {
        findings.append(finding)
        answered.insert(party.source)
      }
    }
    for party in parties where !party.madeDevice {
      guard case .source(let address) = party.key, !answered.contains(address) else { continue }
      let groups = bySource[address] ?? []
      if party.others == 0 {
        findings.append(searchesOnly(party))
      } else if let finding = finding(party, groups: groups), finding.kind != .own {
        findings.append(finding)
      }
    }
    return findings
  }

  /// The reason that explains most, of all reasons why messages of a party made no device; like messages of all senders
  /// are counted together. The other reasons are named behind it.
  private func finding(_ party: Party, groups: [Unmade]) -> StoryFinding? {
    guard let first = groups.min(by: { StoryTeller.rank($0.reason) < StoryTeller.rank($1.reason) }) else { return nil }
    var whole = first
    (whole.frames, whole.count) = (FrameRanges(), 0)
    var besides: [String] = []
    for group in groups {
      if group.reason == first.reason, group.type == first.type {
        whole.frames.add(group.frames)
        whole.count += group.count
        whole.offsets = StoryTeller.both(whole.offsets, group.offsets)
        whole.lateness = StoryTeller.both(whole.lateness, group.lateness)
      } else if besides.count < 3 {
        let clause = StoryWords.reason(group.reason, group)
        if !besides.contains(clause) { besides.append(clause) }
      }
    }
    var text = StoryWords.finding(whole, searches: story.searches)
    if !besides.isEmpty { text += "; besides, " + besides.joined(separator: ", ") }
    return StoryFinding(
      kind: StoryTeller.kind(first.reason), party: party.name, source: party.source, text: text, frames: whole.frames)
  }

  private static func both<Bound: Comparable>(
    _ left: ClosedRange<Bound>?, _ right: ClosedRange<Bound>?
  ) -> ClosedRange<Bound>? {
    guard let left, let right else { return left ?? right }
    return min(left.lowerBound, right.lowerBound)...max(left.upperBound, right.upperBound)
  }

  private func searchesOnly(_ party: Party) -> StoryFinding {
    StoryFinding(
      kind: .searchesOnly, party: party.name, source: party.source,
      text: "only searched (\(PlainWords.count(party.searches, "time"))) and announced nothing", frames: party.frames)
  }

  private static func kind(_ reason: UnmadeReason) -> StoryFinding.Kind {
    switch reason {
    case .late: .late
    case .wrongTarget: .wrongTarget
    case .nobodyAsked: .nobodyAsked
    case .bound: .bound
    case .refused: .refused
    case .notHeard: .notHeard
    case .byebyeOfNothing, .byebyeOvertaken, .updateOfNothing: .byebyeOnly
    case .own: .own
    case .otherSearch: .searchesOnly
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
    case .byebyeOfNothing, .byebyeOvertaken: 6
    case .updateOfNothing: 7
    case .own, .otherSearch: 8
    }
  }

  // MARK: One party

  private func conclusion(about uuid: String, _ own: [Int], _ told: Story) -> StoryFinding {
    let name = "uuid:" + uuid
    if let found = foundConclusion(name, own, told) { return found }
    if let index = partyByName[.uuid(uuid)] {
      return conclusion(about: parties[index], groups: story.unmade.filter { $0.uuid == uuid })
    }
    return StoryFinding(
      kind: .neverAnnounced, party: name, text: "never announced: no SSDP message of the capture names this UUID",
      frames: FrameRanges())
  }

  private func conclusion(about address: IPAddress, _ own: [Int], _ told: Story) -> StoryFinding {
    let name = address.description
    if let found = foundConclusion(name, own, told) { return found }
    if let index = partyByName[.source(address)] {
      var finding = conclusion(about: parties[index], groups: story.unmade.filter { $0.source == address })
      if let count = told.presence?.multicast, count > 0, [.searchesOnly, .neverAnnounced].contains(finding.kind) {
        finding.text = "speaks multicast DNS (\(PlainWords.count(count, "message"))); by SSDP: " + finding.text
      }
      return finding
    }
    let presence = told.presence ?? Presence()
    let kind: StoryFinding.Kind
    let text: String
    if presence.multicast > 0 {
      kind = .multicastOnly
      text =
        "speaks multicast DNS (\(PlainWords.count(presence.multicast, "message"))), and none of its frames holds an "
        + "SSDP message" + StoryWords.membership(presence, told.names)
    } else if presence.sent > 0 || presence.received > 0 {
      kind = .neverAnnounced
      text =
        "never announced: it is on the network (\(PlainWords.count(presence.sent, "frame")) from it, "
        + "\(presence.received) to it), but none of its frames holds an SSDP message"
        + StoryWords.membership(presence, told.names)
    } else if presence.unread > 0 {
      kind = .neverAnnounced
      text =
        "never announced: no SSDP message of the capture comes from it; whether it is on the network is not known, "
        + "since there are frames (\(presence.unread)) \(StoryWords.notLookedInto)"
    } else {
      kind = .notOnNetwork
      text =
        "no frame of the capture comes from it or goes to it: it was not on this network, or its traffic does not pass "
        + "where the capture was taken"
    }
    return StoryFinding(kind: kind, party: name, source: address, text: text, frames: FrameRanges())
  }

  private func conclusion(about name: MulticastName, _ told: Story) -> StoryFinding {
    var frames = FrameRanges()
    for message in told.multicast { frames.add(message.frame) }
    let first = told.multicast.first { name.isAnnounced(by: $0.what) }
    let text =
      if let first {
        "is announced by multicast DNS, from \(PlainWords.since(told.start, first.time)) on"
      } else if told.multicast.isEmpty {
        "no message of multicast DNS in the capture names it"
      } else { "never announced: it is asked or probed for, and no response says that it is there" }
    return StoryFinding(
      kind: first == nil ? .neverAnnounced : .found, party: name.description, source: first?.source.address, text: text,
      frames: frames)
  }

  /// Of a party that sent messages, and that no device whose life is kept belongs to.
  private func conclusion(about party: Party, groups: [Unmade]) -> StoryFinding {
    if party.madeDevice {
      return StoryFinding(
        kind: .found, party: party.name, source: party.source,
        text: "is found, but there are more devices than are kept, and its life is not told", frames: party.frames)
    }
    if let finding = finding(party, groups: groups.filter { $0.type != "search" }) { return finding }
    if party.others == 0 { return searchesOnly(party) }
    let messages = PlainWords.count(party.others, "message")
    return StoryFinding(
      kind: .neverAnnounced, party: party.name, source: party.source,
      text: "never announced: of \(messages) none made a device known", frames: party.frames)
  }

  private func foundConclusion(_ name: String, _ own: [Int], _ told: Story) -> StoryFinding? {
    guard let first = own.first.map({ lives[$0].story }) else { return nil }
    // What turned out to be a part goes on in its root, and what became a device of its own leaves it.
    let roots = own.filter { !lives[$0].isUnited && !lives[$0].isLeft }
    let devices = (roots.isEmpty ? own : roots).map { lives[$0] }
    let present = devices.filter(\.story.isPresent)
    let others = devices.map(\.story.device).filter { $0 != name }
    var text = devices.count == 1 ? "is found" : "is found, as \(devices.count) devices"
    if !others.isEmpty {
      let more = others.count > 3 ? " and \(others.count - 3) more" : ""
      text += " (" + others.prefix(3).joined(separator: ", ") + more + ")"
    }
    text += " from " + (first.events.first.map { PlainWords.since(told.start, $0.time) } ?? "") + " on"
    if present.isEmpty {
      if let gone = devices.compactMap(\.goneAt).max() {
        text += ", and is gone since \(PlainWords.since(told.start, gone))"
      }
    } else if !present.contains(where: \.story.hadLocation) {
      text += ", but without a LOCATION that may be used"
    }
    let isUsable = (present.isEmpty ? devices : present).contains(where: \.story.hadLocation)
    return StoryFinding(
      kind: isUsable ? .found : .unusableLocation, party: name, source: first.source, text: text,
      frames: first.events.first?.frames ?? FrameRanges())
  }
}

extension StoryTeller.Party {
  /// A UUID with its scheme, or an address.
  var name: String {
    switch key {
    case .uuid(let uuid): "uuid:" + uuid
    case .source(let address): address.description
    }
  }
}
