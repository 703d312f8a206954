import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Descriptions beside messages, at the bounds of leases, bursts, changes and counts.
@Suite("Descriptions judged at their bounds")
struct DescriptionBoundTests {
  private static let run = Circumstances(isComplete: true)
  private static let root = "upnp:rootdevice"

  /// How often the clause was held, violated and left open; then a line for each finding.
  private func lines(_ clause: ClauseID, _ judgement: Judgement) -> [String] {
    let findings = judgement.rows.map(\.finding).filter { $0.clause == clause }
    return [judgement.sum(clause)] + findings.map { "\($0.position): \($0.expected) | \($0.found)" }
  }

  /// A UUID that ends with this digit; that of the device of the talks ends with 3.
  private func uuid(_ digit: Int) -> String { "\(Said.uuid.dropLast())\(digit)" }

  private func part(_ digit: Int) -> DescriptionDocument.Device {
    Said.device(type: "urn:schemas-upnp-org:device:MediaServer:1", udn: "uuid:" + uuid(digit))
  }

  private let other = Said.document(udn: "uuid:" + Said.otherUUID)

  /// Somebody has the document in a run, ten milliseconds after it was asked for.
  private func fetched(_ bytes: [UInt8], at time: Interval) -> Course.Step {
    // The time of a course begins at a thousand seconds.
    let now = Instant.zero + .seconds(1_000) + time
    let heard = HeardDescription(location: Said.location, askedAt: now - .milliseconds(10), body: bytes)
    return Course.note(.described(heard), at: time)
  }

  // MARK: - Embedded devices

  /// The findings on embedded devices, after the whole set of the root and a document.
  private func embedded(
    _ bytes: [UInt8], before: [Course.Step] = [], after: [Course.Step] = [], until end: Interval? = .seconds(100)
  ) -> [String] {
    let set = Said.sets(at: .zero).map { $0.sent() }
    let steps = before + set + [fetched(bytes, at: .seconds(5))] + after
    return lines(.embeddedTwo, Course.judged(steps, until: end))
  }

  @Test("embedded devices without any message are a breach once the set of their root was heard to its end")
  func silentParts() {
    let expected = "two messages of each embedded device that the description has: its uuid, its type"
    let one = Said.document(embedded: [part(4)]).bytes
    let told = "\(expected) | none of uuid:\(uuid(4))"
    expectEqual(embedded(one), ["0 1 0", "8: \(told)"])
    // The last of the set comes at 309 ms; a burst is over when nothing follows for more than 15 s.
    expectEqual(embedded(one, until: .at(15_309)), ["0 0 0"])
    expectEqual(embedded(one, until: .at(15_309, 1)), ["0 1 0", "8: \(told)"])
    // Another document comes in its place, which has no part: the first one is judged then.
    let next = fetched(Said.document(name: "Lantern").bytes, at: .seconds(20))
    expectEqual(embedded(one, after: [next], until: nil), ["0 1 0", "8: \(told)"])
    // A search names the UUID before anything else does, and is no message of the device.
    let named = Said.search(["USN": "uuid:" + uuid(4)]).sent(by: 1)
    expectEqual(embedded(one, before: [named]), ["0 1 0", "9: \(told)"])

    let two = Said.document(embedded: [part(4), part(5)]).bytes
    let both = "\(expected) | none of 2 embedded devices, the first of them uuid:\(uuid(4))"
    expectEqual(embedded(two), ["0 1 0", "8: \(both)"])
    // Stray text may have been a device.
    let text = String(decoding: two, as: UTF8.self)
    let unsound = text.replacing("<device>", with: "<device>x", maxReplacements: 1)
    let open = "no message of uuid:\(uuid(4)), which the description has; what was sent may be lost"
    expectEqual(embedded(Array(unsound.utf8)), ["0 0 1", "8: \(open) | "])
  }

  // MARK: - Services

  private func services(_ talk: [Said]) -> [String] {
    lines(.servicePerDevice, Said.judged(talk, DescriptionBoundTests.run))
  }

  private let silence = Said.silence(until: .seconds(60))

  @Test("services are judged when another document comes or the device goes, by the bursts that are over")
  func endedDocuments() {
    let set = Said.sets(at: .zero, without: [Said.service])
    let told = "a message of each type of service that the description has | none of \(Said.service)"
    let next = Said.fetched(Said.document(services: []), at: .seconds(20))
    expectEqual(services(set + [.fetched(Said.document(), at: .seconds(5)), next]), ["0 1 0", "6: \(told)"])
    let late = Said.set("byebye", at: .seconds(20))
    expectEqual(
      services(set + [.fetched(Said.document(), at: .seconds(5))] + late + [silence]), ["0 1 0", "8: \(told)"])
    // A departure behind the end of a burst, and one within it: the rest of that may never have been sent.
    let document = Said.fetched(Said.document(), at: .seconds(25))
    expectEqual(services(set + late + [document, silence]), ["0 1 0", "10: \(told)"])
    expectEqual(services(set + Said.set("byebye", at: .seconds(10)) + [document, silence]), ["0 0 0"])
  }

  @Test("a missing service is told of a device that announces up to 127 types, and of none that announces more")
  func manyServices() {
    func talk(_ count: Int) -> [Said] {
      let parts = (1...count).map { number in
        Said.part("alive", "urn:rollcall-example:service:S\(number):1", at: .milliseconds(Int64(number)))
      }
      return parts + [.fetched(Said.document(), at: .seconds(5)), silence]
    }
    let told = "a message of each type of service that the description has | none of \(Said.service)"
    expectEqual(services(talk(127)), ["0 1 0", "127: \(told)"])
    expectEqual(services(talk(128)), ["0 0 0"])
  }

  @Test("a type of service whose version is no number is announced as it is written")
  func oddServices() {
    let odd = "urn:rollcall-example:service:Presence:1.0"
    let talk: [Said] = [
      Said.part("alive", odd, at: .zero), .fetched(Said.document(services: [odd]), at: .seconds(5)), silence,
    ]
    expectEqual(services(talk), ["1 0 0"])
  }

  // MARK: - UDN and owners

  @Test("an announcement that stands beyond the end of a run is certain, and one that expires with it is not")
  func lastLeases() {
    let text = "another UUID than the description, which has uuid:\(Said.otherUUID)"
    func found(_ end: Interval) -> [String] {
      let root = Said.part("alive", DescriptionBoundTests.root, at: .zero, ["CACHE-CONTROL": "max-age=30"])
      let talk: [Said] = [root, .fetched(other, at: .seconds(5)), .silence(until: end)]
      return lines(.usnUDN, Said.judged(talk, DescriptionBoundTests.run))
    }
    expectEqual(found(.at(30_000, -1)), ["0 1 0", "1: a UUID that the description has as a UDN | \(text)"])
    expectEqual(found(.at(30_000)), ["0 0 1", "1: \(text); the two may not belong together | "])
  }

  @Test("three UDNs of a description are told, and a document that cannot be read at the first message of its LOCATION")
  func told() {
    let many = Said.document(udn: "uuid:" + uuid(4), embedded: [part(5), part(6), part(7)])
    let udns = (4...6).map { "uuid:\(uuid($0))" }.joined(separator: ", ")
    let root = Said.part("alive", DescriptionBoundTests.root, at: .zero)
    expectEqual(
      lines(.usnUDN, Said.judged([root, .fetched(many, at: .seconds(5))])),
      ["0 0 1", "1: another UUID than the description, which has \(udns); the two may not belong together | "])
    // The set is four messages, and the first of its repetition is the fifth.
    let unreadable = Said.sets(at: .zero) + [.fetched(Array("<html/>".utf8), at: .seconds(5))]
    let findings = Said.judged(unreadable).rows.map(\.finding).filter { $0.clause == .usnUDN }
    expectEqual(findings.map(\.position), [5])
  }

  @Test("a type has an owner only where USN goes with NT")
  func unpaired() {
    func found(_ usn: String) -> [String] {
      let part = Said.part("alive", Said.type, at: .zero, ["USN": usn])
      let judgement = Said.judged([part, .fetched(Said.document(), at: .seconds(5))])
      return [judgement.sum(.usnUDN), judgement.sum(.usnOwner)]
    }
    expectEqual(found("uuid:\(Said.uuid)::\(Said.type)"), ["1 0 0", "1 0 0"])
    expectEqual(found("uuid:\(Said.uuid)::\(Said.service)"), ["1 0 0", "0 0 0"])
  }

  @Test("deeds of hosts count up to a number of twenty bits")
  func distantHosts() {
    func found(_ host: Int32) -> String {
      func root(_ time: Interval) -> Course.Step {
        Said.part("alive", DescriptionBoundTests.root, at: time).sent(by: host)
      }
      var crash = Course.deed(.crash, at: .seconds(10))
      crash.host = host
      let steps = [root(.zero), fetched(other.bytes, at: .seconds(5)), crash, root(.seconds(20))]
      return Course.judged(steps, wanted: { $0.number == .usnUDN }).sum(.usnUDN)
    }
    expectEqual(found(0), "0 0 1")
    expectEqual(found(1 << 20), "0 1 0")
  }

  // MARK: - CONFIGID

  /// A CONFIGID, and the name in the description under it.
  private typealias Turn = (number: UInt32, name: String)

  /// The root, the document, and the root again, under one CONFIGID after the other.
  private func changes(_ turns: [Turn]) -> [String] {
    let talk = turns.enumerated().flatMap { place, turn -> [Said] in
      let start = Interval.seconds(Int64(place) * 20)
      func root(_ time: Interval) -> Said {
        Said.part("alive", DescriptionBoundTests.root, at: time, ["CONFIGID.UPNP.ORG": "\(turn.number)"])
      }
      let document = Said.document(name: turn.name, configID: turn.number)
      return [root(start), .fetched(document, at: start + .seconds(5)), root(start + .seconds(10))]
    }
    return lines(.configIDChange, Said.judged(talk))
  }

  @Test("a document is compared with the one before and with the one of its CONFIGID, of the last sixteen that differ")
  func versions() {
    func broken(_ position: Int) -> String {
      "\(position): another CONFIGID for another description | two descriptions under CONFIGID 1"
    }
    // Each configId is right, and each change but the last.
    func many(_ count: UInt32) -> [String] {
      var turns: [Turn] = (1...count).map { number in (number: number, name: "Lamp \(number)") }
      turns.append((number: 1, name: "Lantern"))
      return changes(turns)
    }
    expectEqual(many(16), ["32 1 0", broken(51)])
    expectEqual(many(17), ["35 0 0"])
    // One that comes again and again is kept once.
    var turns: [Turn] = [(number: 1, name: "A")]
    for _ in 1...16 { turns.append((number: 2, name: "B")) }
    turns.append((number: 1, name: "C"))
    expectEqual(changes(turns), ["34 1 0", broken(54)])
    expectEqual(changes([(number: 1, name: "A"), (number: 2, name: "B"), (number: 3, name: "A")]), ["5 0 0"])
  }

  @Test("a document says nothing of CONFIGID where that changed right behind it")
  func changedOnTheWay() {
    func found(_ number: String) -> [String] {
      let before = Said.part("alive", DescriptionBoundTests.root, at: .zero)
      let after = Said.part("alive", DescriptionBoundTests.root, at: .seconds(6), ["CONFIGID.UPNP.ORG": number])
      let talk: [Said] = [before, .fetched(Said.document(configID: 2), at: .seconds(5)), after, silence]
      return lines(.configIDChange, Said.judged(talk, DescriptionBoundTests.run))
    }
    let expected = "CONFIGID.UPNP.ORG as the configId of the description"
    expectEqual(found("1"), ["0 1 0", "3: \(expected) | CONFIGID.UPNP.ORG 1, configId 2"])
    expectEqual(found("2"), ["0 0 0"])
  }
}
