import RollcallPrimitives
import RollcallWire

/// What senders make of names: how they probe for them, lose them and keep them.
struct MulticastClaims {
  private struct Place: Hashable {
    var party: PartyID
    var link: LinkKey
    var name: UInt64
  }
  private struct Claim {
    var scene: FindingCollector.Scene
    var speaker: Speaker
    var address: IPAddress
    var isComplete: Bool
    var proposed: [DNSRecord] = []
    var lastProbe: Instant
    /// When somebody else answered a probe.
    var conflict: Instant?
    /// When somebody else answered a probe with the very data that it proposed.
    var equal: Instant?
    /// When a probe of somebody else won; whether lists of several records were compared.
    var lost: (time: Instant, isList: Bool)?
    var isAnnounced = false
  }
  private struct Name: Hashable {
    var link: LinkKey
    var name: UInt64
  }

  private var claims: [Place: Claim] = [:]
  /// In the order in which they were made.
  private var order: [Place] = []
  /// Who probed for a name.
  private var byName: [Name: [PartyID]] = [:]
  /// When each sender last met conflicts.
  private var conflicts: [PartyID: [Instant]] = [:]
  /// Where somebody else gave the data that a sender proposed.
  private var equals: [PartyID: [Place]] = [:]

  /// From one probe to the next, or to the end of probing behind the last.
  static let probeGap = Interval.milliseconds(250)
  static let slack = Interval.milliseconds(50)
  /// Two probes that cross on their way are that close.
  static let crossing = Interval.milliseconds(20)
  static let conflictCount = 15

  // MARK: - Probes

  mutating func probe(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    for name in heard.probedNames {
      let key = MulticastKey.name(name)
      let place = Place(party: heard.scene.party, link: heard.link, name: key)
      let proposed = heard.message.authorities.filter { $0.name == name }
      var claim =
        claims[place]
        ?? Claim(
          scene: heard.scene, speaker: heard.speaker, address: heard.observation.source.address,
          isComplete: heard.isComplete, lastProbe: Instant(nanoseconds: .min))
      let gap = heard.time - claim.lastProbe
      if claims[place] != nil, gap < MulticastTimes.copyMaximum { continue }
      if claims[place] == nil || gap > .milliseconds(600) {
        judgeRate(heard, &collector)
        judgeEqual(place, name, proposed, heard, &collector)
      }
      if let lost = claim.lost, heard.time - lost.time > MulticastClaims.crossing {
        let wait = heard.time - lost.time
        collector.rule(
          lost.isList ? .tieBreakLists : .tieBreak, wait + MulticastClaims.slack >= .seconds(1),
          isSure: heard.isComplete, at: heard.scene, expected: "1 s before the next probe of who lost",
          found: "\(wait.nanoseconds / 1_000_000) ms, \(name)", doubt: "the other probe may not have come")
        claim.lost = nil
      }
      (claim.proposed, claim.lastProbe, claim.conflict, claim.isAnnounced) = (proposed, heard.time, nil, false)
      claim.scene = heard.scene
      guard claims[place] != nil || claims.count < MulticastSaid.placesMaximum else { continue }
      if claims[place] == nil {
        order.append(place)
        byName[Name(link: heard.link, name: key), default: []].append(heard.scene.party)
      }
      claims[place] = claim
      breakTies(place, claim)
    }
  }

  /// Whoever probes for the name at this moment and has the earlier data has lost to this probe.
  private mutating func breakTies(_ place: Place, _ winner: Claim) {
    for party in byName[Name(link: place.link, name: place.name)] ?? [] where party != place.party {
      let other = Place(party: party, link: place.link, name: place.name)
      guard let claim = claims[other], claim.speaker != winner.speaker, !claim.isAnnounced, claim.conflict == nil,
        winner.lastProbe - claim.lastProbe <= MulticastClaims.probeGap + MulticastClaims.slack,
        MulticastClaims.loses(claim.proposed, to: winner.proposed)
      else { continue }
      claims[other]?.lost = (winner.lastProbe, max(claim.proposed.count, winner.proposed.count) > 1)
    }
  }

  /// Record by record in sorted order, then the shorter list is the earlier one (RFC 6762 §8.2.1).
  private static func loses(_ ours: [DNSRecord], to theirs: [DNSRecord]) -> Bool {
    let (ours, theirs) = (
      ours.sorted { $0.precedesInTieBreak($1) }, theirs.sorted { $0.precedesInTieBreak($1) }
    )
    for (own, other) in zip(ours, theirs) where !own.isTied(with: other) { return own.precedesInTieBreak(other) }
    return ours.count < theirs.count
  }

  /// Before another attempt there are 5 s where 15 conflicts came within 10 s.
  private func judgeRate(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    guard let recent = conflicts[heard.scene.party], recent.count == MulticastClaims.conflictCount,
      let (first, last) = recent.first.flatMap({ first in recent.last.map { (first, $0) } }),
      last - first <= .seconds(10)
    else { return }
    let wait = heard.time - last
    collector.rule(
      .probeRate, wait + MulticastClaims.slack >= .seconds(5), isSure: heard.isComplete, at: heard.scene,
      expected: "5 s after 15 conflicts in 10 s", found: "\(wait.nanoseconds / 1_000_000) ms",
      doubt: "the prober may not have heard every conflict")
  }

  /// A prober that turns to another name, though all answers had its own data, takes equal data for a conflict.
  private mutating func judgeEqual(
    _ place: Place, _ name: DNSName, _ proposed: [DNSRecord], _ heard: HeardMessage,
    _ collector: inout FindingCollector
  ) {
    for other in equals[place.party] ?? [] where other != place && other.link == place.link {
      guard let claim = claims[other], let equal = claim.equal, !claim.isAnnounced, claim.conflict == nil,
        claim.lost == nil, heard.time - equal <= .seconds(2),
        claim.proposed.contains(where: { own in proposed.contains { $0.type == own.type && $0.data == own.data } })
      else { continue }
      claims[other]?.equal = nil
      collector.rule(
        .equalData, false, isSure: heard.isComplete, at: heard.scene,
        expected: "the name kept, since the answer to its probe had its own data", found: "a probe for \(name)",
        doubt: "another answer may be missing")
    }
  }

  // MARK: - Responses

  mutating func answer(
    _ heard: HeardMessage, restart: (off: Instant, upAgain: Instant), _ said: MulticastSaid,
    _ collector: inout FindingCollector
  ) {
    findConflicts(heard)
    judgeFlushBits(heard, &collector)
    guard heard.isMulticast else { return }
    var names: [UInt64] = []
    for record in heard.message.answers where record.isCacheFlush && record.ttlSeconds != 0 && record.type != .nsec {
      let name = MulticastKey.name(record.name)
      if names.contains(name) { continue }
      names.append(name)
      announce(record, name, heard, restart, said, &collector)
    }
  }

  /// Who probed for a name has it alone, and says so with every record of it.
  private func judgeFlushBits(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    if heard.isLegacyReply { return }
    for record in heard.message.answers + heard.message.additionals where record.ttlSeconds != 0 {
      // Some probe for PTR of a type as well, which is shared all the same.
      if ServiceChecks.isShared(record.name) { continue }
      let place = Place(party: heard.scene.party, link: heard.link, name: MulticastKey.name(record.name))
      guard let claim = claims[place], claim.proposed.contains(where: { $0.type == record.type }) else { continue }
      MulticastChecks.rule(ownFlush: record, heard, &collector)
    }
  }

  /// Answers for a name that somebody else probes for right now.
  private mutating func findConflicts(_ heard: HeardMessage) {
    for record in heard.message.answers + heard.message.additionals where record.ttlSeconds != 0 {
      let name = MulticastKey.name(record.name)
      for party in byName[Name(link: heard.link, name: name)] ?? [] {
        let place = Place(party: party, link: heard.link, name: name)
        guard let claim = claims[place], claim.speaker != heard.speaker, claim.conflict == nil, !claim.isAnnounced,
          heard.time - claim.lastProbe <= MulticastClaims.probeGap,
          heard.isMulticast || heard.observation.destination.address == claim.address
        else { continue }
        if claim.proposed.contains(where: { $0.isTied(with: record) }) {
          claims[place]?.equal = heard.time
          if claim.equal == nil { equals[party, default: []].append(place) }
          continue
        }
        claims[place]?.conflict = heard.time
        conflicts[party, default: []].append(heard.time)
        if conflicts[party, default: []].count > MulticastClaims.conflictCount { conflicts[party]?.removeFirst() }
      }
    }
  }

  private mutating func announce(
    _ record: DNSRecord, _ name: UInt64, _ heard: HeardMessage, _ restart: (off: Instant, upAgain: Instant),
    _ said: MulticastSaid, _ collector: inout FindingCollector
  ) {
    let place = Place(party: heard.scene.party, link: heard.link, name: name)
    let claim = claims[place]
    if let claim, let conflict = claim.conflict, !claim.isAnnounced {
      collector.rule(
        .probeConflict, heard.time - conflict > .seconds(10), isSure: heard.isComplete, at: heard.scene,
        expected: "another name after an answer to a probe", found: "\(record.type) of \(record.name)",
        doubt: "the prober may not have heard the answer")
    } else if let claim, claim.equal != nil, !claim.isAnnounced {
      collector.held(.equalData, at: heard.scene)
    }
    claims[place]?.isAnnounced = true
    claims[place]?.equal = nil
    equals[heard.scene.party]?.removeAll { $0 == place }
    // Only a trace shows that nobody probed.
    guard heard.isComplete else { return }
    let before = said.last(record, of: heard)?.time ?? Instant(nanoseconds: .min)
    guard before <= max(restart.off, restart.upAgain) else { return }
    let probe = claim?.lastProbe ?? Instant(nanoseconds: .min)
    let isKnown = before > restart.off
    let isProbed = probe > max(restart.off, restart.upAgain)
    guard isKnown else { return MulticastTimes.rule(isProbed: isProbed, record, heard, &collector) }
    collector.rule(
      .linkChange, isProbed, at: heard.scene, expected: "probes on a link that came back",
      found: "none for \(record.name)")
  }

  mutating func close(_ collector: inout FindingCollector) {
    for place in order {
      guard let claim = claims[place], claim.conflict != nil, !claim.isAnnounced else { continue }
      collector.held(.probeConflict, at: claim.scene)
    }
  }
}
