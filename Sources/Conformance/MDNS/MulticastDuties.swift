import RollcallPrimitives
import RollcallWire

/// What a sender has to do soon because of what was said: its own change, or what somebody else says of its records.
struct MulticastDuties {
  private enum Deed: Hashable {
    /// Multicast this record.
    case say(UInt64)
    /// Probe for this name.
    case probe(UInt64)
  }
  private struct Duty {
    var clause: ClauseID
    var deed: Deed
    var link: LinkKey
    var scene: FindingCollector.Scene
    /// −1: in a capture.
    var host: Int32
    var since: Instant
    var until: Instant
    var isSure: Bool
    var what: String
    /// The name and type whose data changed; `nil`: it is another duty.
    var changed: UInt64?
  }
  private struct Place: Hashable {
    var party: PartyID
    var link: LinkKey
    var key: UInt64
  }
  /// The data that a sender has for a name and type.
  private struct Owned {
    var scene: FindingCollector.Scene
    var speaker: Speaker
    var data: [[UInt8]]
    var name: UInt64
    var said: Instant
    var until: Instant
  }
  private struct Instance {
    var scene: FindingCollector.Scene
    var hasText = false
    var isComplete: Bool
    var since: Instant
    var name: String
  }

  private var duties: [Duty] = []
  private var owned: [Place: Owned] = [:]
  /// Who has records of a name and type, by link.
  private var owners: [Place: [PartyID]] = [:]
  private var instances: [Place: Int] = [:]
  /// When each host of a trace last left.
  private var left: [Int32: Instant] = [:]
  private var instanceList: [Instance] = []

  /// What comes beyond so many is not followed.
  var dutiesMaximum = 1_024
  var placesMaximum = MulticastSaid.placesMaximum
  private static let nobody = PartyID(-1)

  // MARK: - What is done

  mutating func probe(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    expire(heard.time, &collector)
    for name in heard.probedNames {
      let key = MulticastKey.name(name)
      fulfil(.probe(key), heard, &collector)
      for record in heard.message.authorities where record.name == name {
        owned[Place(party: heard.scene.party, link: heard.link, key: MulticastKey.name(name, record.type))] = nil
      }
    }
  }

  mutating func answer(_ heard: HeardMessage, _ said: MulticastSaid, _ collector: inout FindingCollector) {
    expire(heard.time, &collector)
    guard heard.isMulticast else { return }
    let records = heard.message.answers + heard.message.additionals
    for record in records { fulfil(.say(MulticastKey.record(record)), heard, &collector) }
    for record in records where record.isCacheFlush && record.type != .nsec { own(record, heard) }
    for record in records { compare(record, heard, said) }
    followInstances(heard, &collector)
  }

  private mutating func fulfil(_ deed: Deed, _ heard: HeardMessage, _ collector: inout FindingCollector) {
    duties.removeAll { duty in
      guard duty.deed == deed, duty.scene.party == heard.scene.party, duty.link == heard.link,
        heard.time >= duty.since
      else { return false }
      collector.held(duty.clause, at: duty.scene)
      return true
    }
  }

  private mutating func expire(_ now: Instant, _ collector: inout FindingCollector) {
    duties.removeAll { duty in
      guard now > duty.until else { return false }
      collector.rule(
        duty.clause, false, isSure: duty.isSure, at: duty.scene, expected: duty.what, found: "nothing of the kind",
        doubt: "it may not have been heard, or not recorded")
      return true
    }
  }

  private mutating func add(_ duty: Duty) {
    guard duties.count < dutiesMaximum,
      !duties.contains(where: {
        $0.clause == duty.clause && $0.deed == duty.deed && $0.scene.party == duty.scene.party && $0.link == duty.link
      })
    else { return }
    duties.append(duty)
  }

  // MARK: - Data of one's own

  /// Keeps what the sender has for a name and type. Other data than before is announced twice (RFC 6762 §8.4).
  private mutating func own(_ record: DNSRecord, _ heard: HeardMessage) {
    let key = MulticastKey.name(record.name, record.type)
    let place = Place(party: heard.scene.party, link: heard.link, key: key)
    if record.ttlSeconds == 0 {
      owned[place] = nil
      duties.removeAll {
        $0.scene.party == heard.scene.party && $0.link == heard.link && $0.deed == .say(MulticastKey.record(record))
      }
      return
    }
    let all = (heard.message.answers + heard.message.additionals).filter {
      $0.name == record.name && $0.type == record.type && $0.ttlSeconds != 0
    }
    if let before = owned[place], heard.time <= before.until, !before.data.contains(record.data.bytes) {
      // What changes again before it was announced again is announced with its last data.
      duties.removeAll { $0.changed == key && $0.scene.party == heard.scene.party && $0.link == heard.link }
      for new in all where !before.data.contains(new.data.bytes) {
        add(
          Duty(
            clause: .changedData, deed: .say(MulticastKey.record(new)), link: heard.link, scene: heard.scene,
            host: heard.observation.host, since: heard.time + .seconds(1) - MulticastTimes.slack,
            until: heard.time + .seconds(3), isSure: heard.isComplete,
            what: "a second announcement of changed data, a second after the first", changed: key))
      }
    }
    guard owned[place] != nil || owned.count < placesMaximum else { return }
    owned[place] = Owned(
      scene: heard.scene, speaker: heard.speaker, data: all.map { $0.data.bytes }, name: MulticastKey.name(record.name),
      said: heard.time, until: heard.time + .seconds(Int64(record.ttlSeconds)))
    let every = Place(party: MulticastDuties.nobody, link: heard.link, key: key)
    if !owners[every, default: []].contains(heard.scene.party), owners[every, default: []].count < 16 {
      owners[every, default: []].append(heard.scene.party)
    }
  }

  // MARK: - What others say

  private mutating func compare(_ record: DNSRecord, _ heard: HeardMessage, _ said: MulticastSaid) {
    let every = Place(
      party: MulticastDuties.nobody, link: heard.link, key: MulticastKey.name(record.name, record.type))
    // Somebody else has other data for a name that is owned (§9).
    if record.isCacheFlush, record.ttlSeconds != 0 {
      for party in owners[every] ?? [] where party != heard.scene.party {
        guard let own = owned[Place(party: party, link: heard.link, key: every.key)],
          isAnother(heard.speaker, than: own.speaker, since: own.said), heard.time <= own.until,
          !own.data.contains(record.data.bytes)
        else { continue }
        add(
          Duty(
            clause: .laterConflict, deed: .probe(own.name), link: heard.link, scene: scene(own.scene, heard),
            host: own.speaker.host, since: heard.time, until: heard.time + .seconds(6), isSure: heard.isComplete,
            what: "a probe after a conflict over \(record.name)"))
      }
    }
    // Somebody else says the same with a TTL that is too low (§6.6).
    for party in said.sayers(of: record, on: heard.link) where party != heard.scene.party {
      guard let own = said.last(record, party, heard.link),
        isAnother(heard.speaker, than: own.speaker, since: own.time),
        heard.time - own.time <= .seconds(Int64(own.ttlSeconds)),
        UInt64(record.ttlSeconds) * 2 < UInt64(own.ttlSeconds)
      else { continue }
      let scene = FindingCollector.Scene(
        party: party, claim: heard.scene.claim, time: heard.time, position: heard.scene.position)
      add(
        Duty(
          clause: .lowTTLOfOthers, deed: .say(MulticastKey.record(record)), link: heard.link, scene: scene,
          host: own.speaker.host, since: heard.time, until: heard.time + .seconds(2), isSure: heard.isComplete,
          what: "\(record.type) of \(record.name) again, which another host gave a lower TTL"))
    }
  }

  /// Whether somebody else speaks, while the owner of a record is there, who said it at that time.
  private func isAnother(_ speaker: Speaker, than owner: Speaker, since said: Instant) -> Bool {
    speaker != owner && left[owner.host].map { $0 < said } ?? true
  }

  private func scene(_ scene: FindingCollector.Scene, _ heard: HeardMessage) -> FindingCollector.Scene {
    FindingCollector.Scene(
      party: scene.party, claim: scene.claim, time: heard.time, position: heard.scene.position)
  }

  /// Whoever leaves has no duty any more.
  mutating func dismiss(_ host: Int32, at now: Instant) {
    duties.removeAll { $0.host == host }
    left[host] = now
  }

  // MARK: - Instances

  /// Whoever has an SRV record of an instance has a TXT record of it (RFC 6763 §6).
  private mutating func followInstances(_ heard: HeardMessage, _ collector: inout FindingCollector) {
    for record in heard.message.answers + heard.message.additionals where record.ttlSeconds != 0 {
      let place = Place(party: heard.scene.party, link: heard.link, key: MulticastKey.name(record.name))
      switch record.data {
      case .srv:
        guard instances[place] == nil, instanceList.count < placesMaximum else { continue }
        instances[place] = instanceList.count
        instanceList.append(
          Instance(
            scene: heard.scene, isComplete: heard.isComplete, since: heard.time, name: record.name.description))
      case .nsec(_, let types) where types.contains(.srv) && !types.contains(.txt):
        collector.rule(
          .serviceRecords, false, at: heard.scene, expected: "TXT beside SRV",
          found: "NSEC of \(record.name) without TXT")
      default: continue
      }
    }
    for record in heard.message.answers + heard.message.additionals where record.type == .txt {
      let place = Place(party: heard.scene.party, link: heard.link, key: MulticastKey.name(record.name))
      if let number = instances[place] { instanceList[number].hasText = true }
    }
  }

  mutating func close(at end: Instant, _ collector: inout FindingCollector) {
    expire(end, &collector)
    for instance in instanceList {
      if instance.hasText {
        collector.held(.serviceRecords, at: instance.scene)
      } else if instance.isComplete, end - instance.since > .seconds(3) {
        collector.rule(
          .serviceRecords, false, at: instance.scene, expected: "TXT beside SRV", found: "no TXT of \(instance.name)")
      }
    }
  }
}
