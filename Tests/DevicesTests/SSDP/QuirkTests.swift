import Foundation
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("Quirks") struct QuirkTests {
  @Test("stand in the catalogue one by one, under the names that the enum gives them")
  func complete() throws {
    let names = Quirk.catalogue.map(\.name)
    expectEqual(Set(names).count, names.count)
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Devices/SSDP/Quirk.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let body = source[..<source.range(of: "extension Quirk {")!.lowerBound]
    var declared: [String] = []
    for line in body.split(separator: "\n") where line.hasPrefix("  case ") {
      declared += line.dropFirst(7).split(separator: ",").map { name in
        String(name.trimmed.prefix { $0.isLetter || $0.isNumber })
      }
    }
    expectEqual(declared.sorted(), names.sorted())
    #expect(Quirk.catalogue.allSatisfy { !$0.references.isEmpty && !$0.explanation.isEmpty })
  }

  @Test("are read from a name and an argument")
  func parsing() throws {
    for entry in Quirk.catalogue { try expectEqual(Quirk.parse(name: entry.name), entry.example) }
    let longest = String(repeating: "x", count: 200)
    let table: [(String, String, Quirk)] = [
      ("maxAge", "0", .maxAge(0)), ("maxAge", "-5", .maxAge(-5)), ("ttl", "255", .ttl(255)),
      ("answersLate", "20us", .answersLate(.microseconds(20))),
      ("answersLate", "9223372036s", .answersLate(.seconds(9_223_372_036))),
      ("renewsOften", "6s", .renewsOften(.seconds(6))),
      ("spuriousByebye", "1h", .spuriousByebye(.hours(1))), ("opaqueTarget", "a:b", .opaqueTarget("a:b")),
      ("unicastNotify", "172.16.0.9", .unicastNotify(IPAddress(172, 16, 0, 9))), ("truncated", "9", .truncated(9)),
      ("foreignNT", "BasicDevice1", .foreignNT("BasicDevice1")), ("manyAnswers", "3", .manyAnswers(3)),
      ("manyRepeats", "100", .manyRepeats(100)), ("answersOnlySome", "x", .answersOnlySome("x")),
      ("descriptionOnOtherHost", "10.0.0.9", .descriptionOnOtherHost(IPAddress(10, 0, 0, 9))),
      ("descriptionSlow", "3s", .descriptionSlow(.seconds(3))),
      ("truncated", "0", .truncated(0)), ("truncated", "65507", .truncated(65_507)),
      ("manyRepeats", "1", .manyRepeats(1)), ("manyAnswers", "1", .manyAnswers(1)),
      ("manyAnswers", "1000", .manyAnswers(1_000)), ("opaqueTarget", "!~", .opaqueTarget("!~")),
      ("foreignNT", longest, .foreignNT(longest)),
    ]
    for (name, argument, quirk) in table { try expectEqual(Quirk.parse(name: name, argument: argument), quirk) }
    expectEqual(Set(table.map(\.0)), Set(Quirk.catalogue.filter { $0.argument != .none }.map(\.name)))
  }

  @Test("are refused with the reason")
  func refusals() {
    #expect(throws: QuirkProblem.unknownName("noBlankline")) { try Quirk.parse(name: "noBlankline") }
    #expect(throws: QuirkProblem.argumentNotAllowed(name: "lfOnly")) { try Quirk.parse(name: "lfOnly", argument: "1") }
    for (name, argument, expected) in [
      ("maxAge", "soon", .seconds), ("answersLate", "5", .duration), ("answersLate", "0s", .duration),
      ("answersLate", "-1s", .duration), ("answersLate", "9223372037s", .duration),
      ("renewsOften", "9223372036854775807us", .duration), ("spuriousByebye", "2562048h", .duration),
      ("renewsOften", "9223372036854775808us", .duration), ("ttl", "256", .count), ("manyAnswers", "0", .count),
      ("maxAge", "+5", .seconds), ("ttl", "+5", .count), ("ttl", "-0", .count), ("manyAnswers", "+3", .count),
      ("truncated", "+9", .count), ("answersLate", "+5s", .duration), ("opaqueTarget", "a\r\nb", .text),
      ("opaqueTarget", "", .text), ("unicastNotify", "home", .address), ("truncated", "65508", .count),
      ("manyRepeats", "0", .count), ("manyRepeats", "101", .count), ("manyAnswers", "1001", .count),
      ("opaqueTarget", "a b", .text), ("opaqueTarget", "a\u{7F}", .text),
      ("foreignNT", String(repeating: "x", count: 201), .text),
    ] as [(String, String, QuirkEntry.Argument)] {
      #expect(throws: QuirkProblem.argumentInvalid(name: name, expected: expected, found: argument)) {
        try Quirk.parse(name: name, argument: argument)
      }
    }
  }

  @Test("do their work in one place and leave all others as they are", arguments: Quirk.catalogue)
  func place(_ entry: QuirkEntry) {
    let plain = treeDescription()
    var changed: [Quirk.Place] = []
    var description = plain
    entry.example.alter(&description)
    if description != plain { changed.append(.description) }
    var set = AdvertSet(plain)
    entry.example.alter(&set)
    if set != AdvertSet(plain) { changed.append(.set) }
    let isMessage = AdvertSet(plain).adverts.contains { advert in
      DeviceMessageKind.allCases.contains { kind in
        DeviceBlueprint.draft(kind, advert, of: plain, [entry.example]) != MessageDraft(kind, advert, of: plain)
      }
    }
    if isMessage { changed.append(.message) }
    var timing = DeviceTiming()
    entry.example.alter(&timing)
    if timing != DeviceTiming() { changed.append(.timing) }
    var behaviour = DeviceBehaviour()
    entry.example.alter(&behaviour)
    if behaviour != DeviceBehaviour() { changed.append(.behaviour) }
    var habits = DescriptionHabits()
    entry.example.alter(&habits)
    // A second LOCATION is of use only where somebody listens.
    if habits != DescriptionHabits(), entry.example != .twoLocations { changed.append(.serving) }
    expectEqual(changed, [entry.place])
  }

  @Test("of behaviour that are a plain yes have a habit each, share it with no other, and leave no bit between unused")
  func habits() {
    var all: DeviceBehaviour.Habits = []
    var count = 0
    for entry in Quirk.catalogue {
      var behaviour = DeviceBehaviour()
      entry.example.alter(&behaviour)
      if behaviour.habits.isEmpty { continue }
      #expect(behaviour.habits.isDisjoint(with: all), "\(entry.name)")
      #expect(behaviour.habits.rawValue.nonzeroBitCount == 1, "\(entry.name)")
      all.formUnion(behaviour.habits)
      count += 1
    }
    expectEqual(count, all.rawValue.nonzeroBitCount)
    expectEqual(count, 31)
    expectEqual(all.rawValue, (1 << 31) - 1)
  }

  @Test("of types change the parts between the colons, however many there are")
  func types() {
    func stems(_ quirk: Quirk, _ type: String) -> [String] {
      var set = AdvertSet(DeviceDescription(root: DevicePart(type: type, services: ["urn:s-t:service:S-T:1"])))
      quirk.alter(&set)
      return set.adverts.dropFirst(2).map { "\($0.stem) \($0.version ?? "-")" }
    }
    expectEqual(
      stems(.dottedVendorDomain, "urn:a-b-c:device:D-E:2"), ["urn:a.b.c:device:D-E 2", "urn:s.t:service:S-T 1"])
    expectEqual(stems(.dottedVendorDomain, "urn::device:D-E:2"), ["urn::device:D-E 2", "urn:s.t:service:S-T 1"])
    expectEqual(stems(.dottedVendorDomain, "a-b:c-d:2"), ["a-b:c.d 2", "urn:s.t:service:S-T 1"])
    expectEqual(stems(.dottedVendorDomain, "D-E"), ["D-E -", "urn:s.t:service:S-T 1"])
    expectEqual(stems(.versionNotInteger, "urn:A:device:D"), ["urn:A:device D.0", "urn:s-t:service:S-T 1.0"])
    expectEqual(stems(.versionNotInteger, "D"), ["D -", "urn:s-t:service:S-T 1.0"])
    expectEqual(stems(.typeLetterCase, "urn:A:device:D:B"), ["urn:a:device:d B", "urn:s-t:service:s-t 1"])
  }

  /// What a set announces, first pass only.
  func announced(_ quirks: [Quirk]) -> [Bench<RootDevice>.Sent] {
    var bench = bench(treeDescription(), quirks + [.dropsRepeats])
    bench.act(.appear)
    bench.run(for: .seconds(2))
    return bench.sent
  }

  @Test("of the set change what is announced")
  func sets() {
    let plain = AdvertisementTests().targets
    func targets(_ quirk: Quirk) -> [String] { announced([quirk]).map { $0.field("NT")! } }
    expectEqual(targets(.foreignNT("hnap:X")), plain + ["hnap:X"])
    expectEqual(targets(.opaqueTarget("roku:ecp")), plain + ["roku:ecp"])
    expectEqual(targets(.incompleteSet), plain.filter { !$0.hasPrefix("uuid:") })
    expectEqual(targets(.rootOnly), ["upnp:rootdevice"])
    expectEqual(targets(.doubledUUIDMessage), Array(plain[...1]) + Array(plain[1...]))
    expectEqual(targets(.doubledMessages), plain.flatMap { [$0, $0] })
    expectEqual(targets(.dottedVendorDomain)[2], "urn:schemas.upnp.org:device:MediaServer:2")
    expectEqual(targets(.versionNotInteger)[2], "urn:schemas-upnp-org:device:MediaServer:2.0")
    expectEqual(targets(.typeLetterCase)[2], "urn:schemas-upnp-org:device:mediaserver:2")
    expectEqual(
      targets(.lowerVersionsToo).dropFirst(9).prefix(3),
      [
        "urn:schemas-upnp-org:device:MediaServer:1", "urn:schemas-upnp-org:service:ContentDirectory:1",
        "urn:schemas-upnp-org:service:ContentDirectory:2",
      ])
    // Each service once, whoever has it, under the UUID of the root.
    let moved = announced([.servicesUnderRoot]).filter { $0.field("NT")!.contains(":service:") }
    let types = announced([]).map { $0.field("NT")! }.filter { $0.contains(":service:") }
    #expect(moved.allSatisfy { $0.field("USN") == "uuid:\(rootUUID)::\($0.field("NT")!)" })
    expectEqual(moved.map { $0.field("NT")! }.sorted(), Set(types).sorted())
    let last = announced([.otherLocationUnderUSN]).last!
    #expect(last.field("NT") == "hnap:NetworkCamera" && last.field("USN") == "uuid:\(rootUUID)::upnp:rootdevice")
    expectEqual(last.field("LOCATION"), "http://192.168.1.20:49152/HNAP1/")
  }

  @Test("of the description change what every message says")
  func descriptions() {
    #expect(announced([.maxAge(60)]).allSatisfy { $0.field("CACHE-CONTROL") == "max-age=60" })
    #expect(
      announced([.locationHttps]).allSatisfy { $0.field("LOCATION") == "https://192.168.1.20:49152/description.xml" })
    expectEqual(announced([.nonHexUUID])[1].field("USN"), "uuid:RINCON_08002B34C00301400")
    expectEqual(announced([.upperCaseUUID])[1].field("USN"), "uuid:" + "\(rootUUID)".uppercased())
    #expect(announced([.ttl(64)]).allSatisfy { $0.hopLimit == 64 })
    #expect(announced([.oldSpecification]).allSatisfy { $0.field("BOOTID.UPNP.ORG") == nil })
  }

  @Test("of the UUID do not hide the device from a search for that UUID")
  func searchableUUIDs() {
    for quirk in [Quirk.nonHexUUID, .upperCaseUUID] {
      var bench = bench(treeDescription(), [quirk])
      bench.act(.appear)
      bench.run(for: .seconds(2))
      let own = bench.sent[1].field("NT")!
      bench.sent = []
      bench.hear(search(own))
      bench.run(for: .seconds(4))
      expectEqual(bench.sent.map { $0.field("ST") }, [own])
    }
  }
}
