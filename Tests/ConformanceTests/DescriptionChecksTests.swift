import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// Descriptions beside messages: what is a breach, what stays open, and what nothing is said of.
@Suite("Descriptions beside messages")
struct DescriptionChecksTests {
  private static let clauses = [
    "UDA-1.2.2-SVC-PERDEV", "UDA-1.2.2-USN-OWNER", "UDA-1.2.2-USN-UDN", "UDA-1.2.2-CFG-CHANGE",
  ]
  private static let run = Circumstances(isComplete: true)

  /// `clause: held violated inconclusive` of the four clauses, where there is anything.
  private func counts(_ talk: [Said], _ circumstances: Circumstances = .capture) -> [String] {
    let judgement = Said.judged(talk, circumstances)
    return DescriptionChecksTests.clauses.compactMap { id in
      guard let total = Clause.named(id).map({ judgement.total($0.number) }) else { return id }
      if total.held == 0, total.violated == 0, total.inconclusive == 0 { return nil }
      return "\(id.dropFirst(10)): \(total.held) \(total.violated) \(total.inconclusive)"
    }
  }

  /// The findings of the four clauses: ruling, and what was found or why it is open.
  private func findings(_ talk: [Said], _ circumstances: Circumstances = .capture) -> [String] {
    Said.judged(talk, circumstances).rows.filter { DescriptionChecksTests.clauses.contains($0.clause.id) }.map { row in
      let isBroken = row.finding.ruling == .violated
      return "\(row.clause.id.dropFirst(10)) \(row.finding.ruling.rawValue) \(row.finding.count): "
        + (isBroken ? row.finding.found : row.finding.expected)
    }
  }

  private let other = Said.document(udn: "uuid:" + Said.otherUUID)
  private let otherText =
    "another UUID than the description, which has uuid:\(Said.otherUUID)"

  // MARK: - UDN and owners

  @Test("each message is compared with a document once, however often both come")
  func once() {
    let talk =
      Said.sets(at: .zero) + [.fetched(Said.document(), at: .seconds(5))] + Said.sets(at: .seconds(20))
      + [.fetched(Said.document(), at: .seconds(25))] + Said.sets(at: .seconds(40))
    // The root, the UUID, the type, the service; of the last two it is known who has them.
    expectEqual(counts(talk), ["SVC-PERDEV: 1 0 0", "USN-OWNER: 2 0 0", "USN-UDN: 4 0 0", "CFG-CHANGE: 3 0 0"])
  }

  @Test("without a document, or with one that nobody announced, nothing is said")
  func silent() {
    expectEqual(counts(Said.sets(at: .zero)), [])
    let elsewhere = Said.fetched(other, at: .seconds(5), from: "http://192.168.1.10:49153/description.xml")
    expectEqual(counts(Said.sets(at: .zero) + [elsewhere] + Said.sets(at: .seconds(20))), [])
    // One that is announced later, at the soonest when the document is there.
    expectEqual(counts([.fetched(other, at: .zero)] + Said.sets(at: .seconds(2))), [])
  }

  @Test(
    "a document that cannot be read breaks nothing, and is told",
    arguments: ["", "<html/>", "<root><device>", "no document"])
  func unreadable(text: String) {
    let broken = Said.fetched(Array(text.utf8), at: .seconds(5))
    let found = findings(Said.sets(at: .zero) + [broken] + Said.sets(at: .seconds(20)))
    #expect(
      found.count == 1 && found[0].hasPrefix("USN-UDN inconclusive 1: the description cannot be read: line 1, column "),
      "\(found)")
  }

  @Test("a flaw behind those that are kept may hide a device")
  func uncounted() throws {
    let text = String(decoding: Said.document().bytes, as: UTF8.self)
    func isWhole(_ inside: String) throws -> Bool {
      let text = text.replacing("<device>", with: "<device>" + inside, maxReplacements: 1)
      return ReadDescription.isWhole(try DescriptionReader.read(Array(text.utf8), mode: .lenient))
    }
    let unknown = "<a/>"
    try expectEqual(isWhole(String(repeating: unknown, count: 60)), true, "nothing is hidden")
    try expectEqual(isWhole("x"), false, "what the text may have been")
    let many = String(repeating: unknown, count: XMLReader.flawsMaximum) + "x"
    try expectEqual(isWhole(many), false, "the same behind 64 others")
  }

  @Test("a UUID that the description lacks is a breach only between two messages; one before it stays open")
  func sandwich() {
    let before = Said.sets(at: .zero) + [Said.fetched(other, at: .seconds(10))]
    let open = "USN-UDN inconclusive 4: \(otherText); the two may not belong together"
    expectEqual(findings(before), [open])
    expectEqual(findings(before + Said.set(at: .seconds(60))), ["USN-UDN violated 4: \(otherText)"])
    // In a run nothing is missing: what stands announced at the end is enough.
    expectEqual(
      findings(before + [.silence(until: .seconds(100))], DescriptionChecksTests.run),
      [
        "USN-UDN violated 4: \(otherText)"
      ])
  }

  @Test("a UDN is told up to its eightieth character")
  func longNames() {
    let udn = "uuid:" + String(repeating: "a", count: 90)
    let text = "another UUID than the description, which has \(udn.prefix(80)); the two may not belong together"
    let found = findings(Said.sets(at: .zero) + [.fetched(Said.document(udn: udn), at: .seconds(10))])
    expectEqual(found, ["USN-UDN inconclusive 4: \(text)"])
  }

  @Test("a message that comes for the first time counts up to five seconds behind the document, and no later")
  func late() {
    func talk(_ wait: Interval) -> [Said] {
      [
        .part("alive", "upnp:rootdevice", at: .zero),
        .fetched(Said.document(services: [], embedded: [part]), at: .seconds(20)),
      ]
        + [.part("alive", Said.service, at: .seconds(20) + wait)]
    }
    let text = "the UUID of another device; in the description uuid:\(Said.otherUUID) has it"
    expectEqual(findings(talk(.seconds(5))), ["USN-OWNER violated 1: \(text)"])
    expectEqual(
      findings(talk(.seconds(5) + .nanoseconds(1))),
      [
        "USN-OWNER inconclusive 1: \(text); the two may not belong together"
      ])
  }

  private let part = Said.device(
    type: "urn:schemas-upnp-org:device:MediaServer:1", udn: "uuid:" + Said.otherUUID, services: [Said.service])

  @Test("what was announced, and has expired when the document is asked for, is not compared")
  func expired() {
    func talk(_ wait: Interval, lease: String = "30") -> [Said] {
      let short: KeyValuePairs<String, String?> = ["CACHE-CONTROL": "max-age=\(lease)"]
      // Asked for ten milliseconds before it is there.
      return [.part("alive", "upnp:rootdevice", at: .zero, short), .fetched(other, at: .milliseconds(10) + wait)]
    }
    expectEqual(findings(talk(.seconds(30))), [])
    expectEqual(findings(talk(.seconds(30) - .nanoseconds(1))).count, 1)
    // A lease of no seconds is none, and what has none stands for half an hour.
    for (lease, seconds) in [("1", 1), ("0", 1_800), ("", 1_800)] as [(String, Int64)] {
      expectEqual(findings(talk(.seconds(seconds), lease: lease)), [], "\(lease)")
      expectEqual(findings(talk(.seconds(seconds) - .nanoseconds(1), lease: lease)).count, 1, "\(lease)")
    }
  }

  @Test("a byebye between message and document, or between document and message, leaves nothing to compare")
  func byebye() {
    let gone = Said.set("byebye", at: .seconds(10))
    expectEqual(
      findings(Said.sets(at: .zero) + gone + [.fetched(other, at: .seconds(11))] + Said.sets(at: .seconds(20))).filter {
        $0.contains("violated")
      }, [])
    expectEqual(
      findings(Said.sets(at: .zero) + [.fetched(other, at: .seconds(5))] + gone + Said.sets(at: .seconds(20))).filter {
        $0.contains("violated")
      }, [])
  }

  @Test("capitals do not make another UUID, and a UDN without its scheme is still one")
  func spelling() {
    for udn in ["uuid:" + Said.uuid.uppercased(), "UUID:" + Said.uuid, Said.uuid] {
      let talk =
        Said.sets(at: .zero) + [.fetched(Said.document(udn: udn), at: .seconds(5))] + Said.sets(at: .seconds(20))
      expectEqual(counts(talk).filter { $0.hasPrefix("USN-UDN") }, ["USN-UDN: 4 0 0"], "\(udn)")
    }
  }

  @Test("upnp:rootdevice belongs to the root: under the UUID of an embedded device it is a breach")
  func root() {
    let document = Said.document(
      udn: "uuid:" + Said.otherUUID, services: [],
      embedded: [Said.device(type: Said.type, udn: "uuid:" + Said.uuid, services: [Said.service])])
    let talk = Said.sets(at: .zero) + [.fetched(document, at: .seconds(5))] + Said.sets(at: .seconds(20))
    expectEqual(
      findings(talk),
      [
        "USN-UDN violated 1: the UUID of an embedded device; the root device of the description has uuid:\(Said.otherUUID)"
      ])
  }

  @Test("a type that no device of the description has is told as an open question (D52)")
  func unknownType() {
    let document = Said.document(type: "urn:schemas-upnp-org:device:Other:1", services: [])
    let talk = Said.sets(at: .zero) + [.fetched(document, at: .seconds(5))] + Said.sets(at: .seconds(20))
    expectEqual(
      findings(talk),
      [
        "USN-OWNER inconclusive 2: no device of the description is of this type, or has a service of it"
      ])
  }

  @Test("a lower version than that of the description is the device's, a higher one is not")
  func versions() {
    func talk(_ version: Int) -> [Said] {
      let type = "urn:schemas-upnp-org:device:Basic:\(version)"
      return Said.sets(at: .zero) + [.fetched(Said.document(type: type), at: .seconds(5))] + Said.sets(at: .seconds(20))
    }
    expectEqual(counts(talk(2)).filter { $0.hasPrefix("USN-OWNER") }, ["USN-OWNER: 2 0 0"])
    expectEqual(counts(talk(0)).filter { $0.hasPrefix("USN-OWNER") }, ["USN-OWNER: 1 0 1"])
  }

  @Test("a description in which something may have been left out breaks nothing")
  func unsound() {
    let text = String(decoding: other.bytes, as: UTF8.self)
    let twice = text.replacing("</UDN>", with: "</UDN><UDN>uuid:\(Said.uuid)</UDN>")
    let none = text.replacing("<UDN>uuid:\(Said.otherUUID)</UDN>", with: "")
    for text in [twice, none] {
      let talk = Said.sets(at: .zero) + [.fetched(Array(text.utf8), at: .seconds(5))] + Said.sets(at: .seconds(20))
      expectEqual(findings(talk).filter { $0.contains("violated") }, [])
      #expect(counts(talk).contains { $0.hasPrefix("USN-UDN: 0 0 ") }, "\(counts(talk))")
    }
  }

  @Test("answers are compared as announcements are")
  func answers() {
    func answer(_ time: Interval) -> [Said] {
      [Said.search().later(time), Said.answer().later(time + .milliseconds(100))]
    }
    let talk = answer(.zero) + [.fetched(other, at: .seconds(5))] + answer(.seconds(20))
    expectEqual(findings(talk), ["USN-UDN violated 1: \(otherText)"])
  }

  // MARK: - Services

  @Test("a service that is not announced is a breach in a run and open in a capture, once the set was heard to its end")
  func services() {
    func talk(_ end: Interval) -> [Said] {
      Said.sets(at: .zero, without: [Said.service]) + [
        .fetched(Said.document(), at: .seconds(5)), .silence(until: end),
      ]
    }
    // The last of the set comes at 306 ms; a burst is over when nothing follows for more than 15 s.
    let over = Interval.milliseconds(15_306)
    expectEqual(findings(talk(over), DescriptionChecksTests.run).filter { $0.hasPrefix("SVC") }, [])
    expectEqual(
      findings(talk(over + .nanoseconds(1)), DescriptionChecksTests.run).filter { $0.hasPrefix("SVC") },
      [
        "SVC-PERDEV violated 1: none of \(Said.service)"
      ])
    // Three of them are told, each up to its eightieth character.
    let types = (1...4).map { "urn:rollcall-example:service:\(String(repeating: "s", count: 60))\($0):1" }
    let many =
      Said.sets(at: .zero) + [
        .fetched(Said.document(services: types), at: .seconds(5)), .silence(until: .seconds(60)),
      ]
    let told = types.prefix(3).map { $0.prefix(80) }.joined(separator: ", ")
    expectEqual(
      findings(many, DescriptionChecksTests.run).filter { $0.hasPrefix("SVC") },
      [
        "SVC-PERDEV violated 1: none of \(told)"
      ])
  }

  // MARK: - CONFIGID

  private func numbered(
    _ first: DescriptionDocument, _ number: String, _ second: DescriptionDocument, _ next: String
  ) -> [Said] {
    Said.sets(at: .zero, ["CONFIGID.UPNP.ORG": number]) + [.fetched(first, at: .seconds(5))]
      + Said.sets(at: .seconds(20), ["CONFIGID.UPNP.ORG": number])
      + Said.sets(at: .seconds(40), ["CONFIGID.UPNP.ORG": next]) + [.fetched(second, at: .seconds(45))]
      + Said.sets(at: .seconds(60), ["CONFIGID.UPNP.ORG": next])
  }

  @Test("another document under another CONFIGID is right; the same one is open, since a service's may be another")
  func changes() {
    let plain = Said.document()
    let renamed = Said.document(name: "Lantern", configID: 2)
    func found(_ talk: [Said]) -> [String] { counts(talk).filter { $0.hasPrefix("CFG") } }
    // Twice the configId is right, and once the change.
    expectEqual(found(numbered(plain, "1", renamed, "2")), ["CFG-CHANGE: 3 0 0"])
    expectEqual(found(numbered(plain, "1", Said.document(configID: 2), "2")), ["CFG-CHANGE: 2 0 1"])
    expectEqual(found(numbered(plain, "1", plain, "1")), ["CFG-CHANGE: 3 0 0"])
    expectEqual(
      findings(numbered(plain, "1", Said.document(name: "Lantern"), "1")),
      [
        "CFG-CHANGE violated 1: two descriptions under CONFIGID 1"
      ])
  }

  @Test("configId in the document is CONFIGID of the messages; a document without one says nothing of it")
  func attribute() {
    let around = { (document: DescriptionDocument) in
      Said.sets(at: .zero) + [.fetched(document, at: .seconds(5))] + Said.sets(at: .seconds(20))
    }
    expectEqual(
      findings(around(Said.document(configID: 2))),
      [
        "CFG-CHANGE violated 1: CONFIGID.UPNP.ORG 1, configId 2"
      ])
    expectEqual(counts(around(Said.document(configID: nil))).filter { $0.hasPrefix("CFG") }, [])
    // A number of 0 is one as any other.
    expectEqual(
      findings(around(Said.document(configID: 0))),
      [
        "CFG-CHANGE violated 1: CONFIGID.UPNP.ORG 1, configId 0"
      ])
    let zero: KeyValuePairs<String, String?> = ["CONFIGID.UPNP.ORG": "0"]
    let numbered =
      Said.sets(at: .zero, zero) + [.fetched(Said.document(configID: 2), at: .seconds(5))]
      + Said.sets(at: .seconds(20), zero)
    expectEqual(
      findings(numbered),
      [
        "CFG-CHANGE violated 1: CONFIGID.UPNP.ORG 0, configId 2"
      ])
  }

  @Test("CONFIGID counts where it stays the same from before the request to two seconds behind the document")
  func settled() {
    func talk(_ wait: Interval, _ next: String = "1") -> [String] {
      let document = Said.fetched(Said.document(configID: 2), at: .seconds(5))
      let later = Said.part("alive", "upnp:rootdevice", at: .seconds(5) + wait, ["CONFIGID.UPNP.ORG": next])
      return findings([.part("alive", "upnp:rootdevice", at: .zero), document, later]).filter { $0.hasPrefix("CFG") }
    }
    expectEqual(talk(.seconds(2)).count, 1)
    expectEqual(talk(.seconds(2) - .nanoseconds(1)), [])
    expectEqual(talk(.seconds(2), "2"), [])
    // Heard for the first time when the document was on its way.
    let asked = Said.part("alive", "upnp:rootdevice", at: .milliseconds(4_991))
    expectEqual(
      findings([
        asked, .fetched(Said.document(configID: 2), at: .seconds(5)),
        .part("alive", "upnp:rootdevice", at: .seconds(20)),
      ]).filter { $0.hasPrefix("CFG") }, [])
  }

  @Test("a root that is heard in updates and byebyes alone has a CONFIGID as well")
  func quietRoot() {
    let location = Said.part("alive", "uuid:" + Said.uuid, at: .zero)
    func quiet(_ nts: String, _ time: Interval) -> Said {
      Said.notify(
        nts, ["NT": "upnp:rootdevice", "USN": "uuid:\(Said.otherUUID)::upnp:rootdevice", "CONFIGID.UPNP.ORG": "1"]
      ).later(time)
    }
    let document = Said.document(
      udn: "uuid:" + Said.otherUUID, configID: 2, services: [],
      embedded: [Said.device(type: Said.type, udn: "uuid:" + Said.uuid)])
    let talk = [quiet("update", .zero), location, .fetched(document, at: .seconds(5)), .silence(until: .seconds(60))]
    expectEqual(
      findings(talk, DescriptionChecksTests.run).filter { $0.hasPrefix("CFG") },
      [
        "CFG-CHANGE violated 1: CONFIGID.UPNP.ORG 1, configId 2"
      ])
    #expect(!counts([quiet("byebye", .zero), location, .fetched(document, at: .seconds(5))]).isEmpty)
  }

  @Test("what UDA does not know of may differ under one CONFIGID")
  func extensions() throws {
    var noted = Said.document()
    let note = try #require(DescriptionDocument.Extension(namespace: "urn:rollcall-example", name: "note", text: "1"))
    noted.root.extensions = [note]
    let open = "CFG-CHANGE inconclusive 1: under one CONFIGID the description differs in what is not of UDA"
    expectEqual(findings(numbered(Said.document(), "1", noted, "1")), [open])
    let whole = Said.document(embedded: [part])
    var inside = whole
    inside.root.embedded[0].extensions = [note]
    expectEqual(findings(numbered(whole, "1", inside, "1")), [open])
  }

  @Test("who claims UDA 1.0 has no CONFIGID")
  func oldEdition() {
    let edits: KeyValuePairs<String, String?> = ["SERVER": "Linux/6.6 UPnP/1.0 Product/1.0"]
    let talk =
      Said.sets(at: .zero, edits) + [.fetched(Said.document(configID: 2), at: .seconds(5))]
      + Said.sets(at: .seconds(20), edits)
    expectEqual(counts(talk).filter { $0.hasPrefix("CFG") }, [])
  }

  // MARK: - Deeds

  @Test("a document says nothing of messages behind a deed of its host, and one behind a change nothing of CONFIGID")
  func deeds() {
    func root(_ time: Interval) -> Course.Step { Said.part("alive", "upnp:rootdevice", at: time).sent() }
    func fetched(_ document: DescriptionDocument) -> Course.Step {
      // The time of a course begins at a thousand seconds.
      let heard = HeardDescription(
        location: Said.location, askedAt: .zero + .seconds(1_004), body: document.bytes)
      return Course.note(.described(heard), at: .seconds(5))
    }
    let (before, after) = ([root(.zero), fetched(other)], [root(.seconds(20))])
    Course.expect(.usnUDN, "0 1 0", before, after)
    for deed in TraceEvent.Deed.allCases {
      let tally = [.appear, .update, .send].contains(deed) ? "0 1 0" : "0 0 1"
      let told = Course.deed(deed, at: .seconds(10))
      Course.expect(.usnUDN, tally, before, [told], after)
      var elsewhere = told
      elsewhere.host = 1
      Course.expect(.usnUDN, "0 1 0", before, [elsewhere], after)
    }
    Course.expect(.usnUDN, "0 0 1", before, [Course.up(0, "192.168.1.10/24", at: .seconds(10))], after)
    // A device that changes shows its CONFIGID in its next message.
    for deed in TraceEvent.Deed.allCases {
      let tally = [.reconfigure, .rename].contains(deed) ? "0 0 0" : "0 1 0"
      let told = Course.deed(deed, at: .seconds(3))
      Course.expect(.configIDChange, tally, [root(.zero), told, fetched(Said.document(configID: 2))], after)
    }
  }

  // MARK: - Bounds

  @Test("messages of one LOCATION are compared up to 128, and none behind them")
  func bounds() {
    func talk(_ count: Int) -> [Said] {
      let parts = (1...count).map { number in
        Said.part("alive", "urn:rollcall-example:service:S\(number):1", at: .milliseconds(Int64(number)))
      }
      return parts + [.fetched(other, at: .seconds(5))]
    }
    expectEqual(counts(talk(128)), ["USN-UDN: 0 0 128"])
    expectEqual(counts(talk(129)), ["USN-UDN: 0 0 128"])
  }

  @Test("a place is an address, a port and a path, however it is spelled, in up to 512 bytes and eight of a device")
  func places() {
    func compared(_ location: String, with fetched: String) -> [String] {
      let root = Said.part("alive", "upnp:rootdevice", at: .zero, ["LOCATION": location])
      return counts([root, .fetched(other, at: .seconds(5), from: fetched)])
    }
    let one = ["USN-UDN: 0 0 1"]
    let server = "http://192.168.1.10:49152"
    let alike: [(String, String)] = [
      (server, server + "/"), (server + "/d", "HTTP://192.168.1.10:49152/d"), (server + "/d#a", server + "/d"),
      (server + "?a", server + "/?a"), ("http://192.168.1.10/d", "http://192.168.1.10:80/d"),
    ]
    for (first, second) in alike {
      expectEqual(compared(first, with: second), one, "\(first)")
      expectEqual(compared(second, with: first), one, "\(second)")
    }
    let unlike: [String] = [
      server, server + "/D", server + "/d/", server + "/d?a", "http://192.168.1.11:49152/d",
      "http://192.168.1.10:49153/d", "http://192.168.1.10:49408/d", "https://192.168.1.10:49152/d",
      "http://tv.local:49152/d",
    ]
    for place in unlike {
      expectEqual(compared(server + "/d", with: place), [], "\(place)")
      expectEqual(compared(place, with: server + "/d"), [], "\(place)")
    }
    func long(_ count: Int) -> String { server + "/" + String(repeating: "a", count: count - server.utf8.count - 1) }
    expectEqual(compared(long(512), with: long(512)), one)
    expectEqual(compared(long(513), with: long(513)), [])
    let parts = (1...9).map { number in
      Said.part(
        "alive", "urn:rollcall-example:service:S\(number):1", at: .milliseconds(Int64(number)),
        ["LOCATION": "\(server)/\(number)"])
    }
    let rows: [(number: Int, counts: [String])] = [(1, one), (8, one), (9, [])]
    for row in rows {
      let fetched = Said.fetched(other, at: .seconds(5), from: "\(server)/\(row.number)")
      expectEqual(counts(parts + [fetched]), row.counts, "\(row.number)")
    }
  }
}
