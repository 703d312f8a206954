import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Messages and marks of the baits of an examined control point")
struct ControlPointBaitMessageTests {
  private static let basic = "urn:schemas-upnp-org:device:Basic:1"
  private static let uuid = "b4170000-0000-4000-8000-000000000005"
  private static let names = ControlPointBaitNames(
    address: Examined.device, pagePort: 50_900, offSubnet: Endpoint(IPAddress(203, 0, 113, 66), port: 50_901), salt: 0)

  private static let answer = [
    "HTTP/1.1 200 OK", "CACHE-CONTROL: max-age=1800", "EXT:", "LOCATION: http://10.77.1.10:50900/b/000000000005.xml",
    "SERVER: Linux/6.1 UPnP/1.1 Lamp/1.0", "ST: \(basic)", "USN: uuid:\(uuid)::\(basic)", "BOOTID.UPNP.ORG: 1",
    "CONFIGID.UPNP.ORG: 1",
  ]
  private static let alive = [
    "NOTIFY * HTTP/1.1", "HOST: 239.255.255.250:1900", "CACHE-CONTROL: max-age=1800",
    "LOCATION: http://10.77.1.10:50900/b/000000000005.xml", "NT: \(basic)", "NTS: ssdp:alive",
    "SERVER: Linux/6.1 UPnP/1.1 Lamp/1.0", "USN: uuid:\(uuid)::\(basic)", "BOOTID.UPNP.ORG: 1", "CONFIGID.UPNP.ORG: 1",
  ]

  private func bait(
    _ probe: ControlPointProbe, _ way: ControlPointProbe.Way, _ variant: Int, _ role: ControlPointBait.Role
  ) -> ControlPointBait {
    ControlPointBait(number: 5, probe: probe, role: role, way: way, variant: variant, uuid: Self.uuid)
  }

  /// The lines of a message, each byte a scalar of its own; what stands behind the blank line is the last.
  private func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 10, omittingEmptySubsequences: false).map { line in
      var text = String.UnicodeScalarView()
      for byte in line { text.append(Unicode.Scalar(byte)) }
      return String(text)
    }
  }

  private func sent(
    _ probe: ControlPointProbe, _ way: ControlPointProbe.Way, variant: Int = 0, role: ControlPointBait.Role = .probe,
    searched: String = ControlPointBaitMessageTests.basic
  ) -> [String] {
    lines(
      ControlPointBaitMessage.bytes(
        of: bait(probe, way, variant, role), Self.names, searched: searched, PayloadStore()))
  }

  /// How such lines look as bytes.
  private func whole(_ lines: [String]) -> [String] { lines.map { "\($0)\r" } + ["\r", ""] }

  /// The lines of a good message with some of them replaced, by none, one or several.
  private func changed(_ good: [String], _ changes: [Int: [String]]) -> [String] {
    whole(good.indices.flatMap { changes[$0] ?? [good[$0]] })
  }

  /// What a probe makes of an answer and of an announcement; what goes with it is good.
  private func check(_ probe: ControlPointProbe, _ answer: [Int: [String]], _ alive: [Int: [String]]) {
    expectEqual(sent(probe, .answer), changed(Self.answer, answer), "\(probe)")
    expectEqual(sent(probe, .announcement), changed(Self.alive, alive), "\(probe)")
    expectEqual(sent(probe, .answer, role: .companion), whole(Self.answer), "\(probe)")
    expectEqual(sent(probe, .announcement, role: .control), whole(Self.alive), "\(probe)")
  }

  @Test("a probe changes lines of its own, in an answer and in an announcement, and no other byte")
  func forms() {
    let location = Self.answer[3]
    let config = Self.answer[8]
    let on = "LAMP.EXAMPLE.COM: on"
    let vendor = "X-Anything: \"a:b\", c;d"
    let end = "01-NLS: 7"
    check(
      .unknownFields, [1: [on, Self.answer[1]], 6: [vendor, Self.answer[6]], 8: [config, end]],
      [1: [on, Self.alive[1]], 7: [vendor, Self.alive[7]], 9: [config, end]])
    check(.anyUUID, [:], [:])
    check(.byebye, [:], [:])
    let minor = "SERVER: Linux/6.1 UPnP/1.9 Lamp/1.0"
    check(.higherMinor, [4: [minor]], [6: [minor]])
    let directives = "CACHE-CONTROL: no-cache=\"Ext\", max-age=1800, must-revalidate"
    check(.moreDirectives, [1: [directives]], [2: [directives]])
    check(.hostWithoutPort, [:], [1: ["HOST: 239.255.255.250"]])
    let eightBit = "SERVER: Linux/6.1 UPnP/1.1 L\u{E4}\u{FF}\u{C3}mp/1.0"
    check(.eightBit, [4: [eightBit]], [6: [eightBit]])
    check(.noServer, [4: []], [6: []])
    check(.brokenStart, [0: ["HTP/1.1200OK"]], [0: ["NOTIFY*HTTP"]])
    check(.otherStart, [0: ["HTTP/1.1 404 Not Found"]], [0: ["notify * HTTP/1.1"]])
    check(.noUSN, [6: []], [7: []])
    check(.noTarget, [5: []], [4: []])
    check(.noLocation, [3: []], [3: []])
    let bare = "This line is no field"
    check(.noColon, [1: [bare, Self.answer[1]]], [1: [bare, Self.alive[1]]])
    let folded = " LOCATION: http://10.77.1.10:50900/t/000000000005.xml"
    check(
      .folded, [3: [], 4: [Self.answer[4], folded], 8: [location, config]],
      [3: [], 6: [Self.alive[6], folded], 9: [location, config]])
    let (nul, nulLocation) = ("SERVER: Linux/6.1 UPnP/1.1 La\u{0}mp/1.0", location + "\u{0}/x")
    check(.nul, [3: [nulLocation], 4: [nul]], [3: [nulLocation], 6: [nul]])
    let second = "LOCATION: http://10.77.1.10:50900/s/000000000005.xml"
    check(.doubledField, [3: [location, second]], [3: [location, second]])
    let long = "X-LONG.EXAMPLE.COM: " + String(repeating: "rollcall ", count: 6_666)
    check(.oversized, [8: [config, long]], [9: [config, long]])
    let many: [String] = [config] + (0..<1_500).map { "X-\($0).EXAMPLE.COM: \($0)" }
    check(.manyFields, [8: many], [9: many])
    let far = "LOCATION: http://203.0.113.66:50901/t/000000000005.xml"
    check(.offSubnet, [3: [far]], [3: [far]])
  }

  @Test("names have capitals and small letters in turn, values have no blank or several, and fields are turned round")
  func orders() {
    func value(_ line: String) -> String { String(line.drop { $0 != ":" }) }
    let names = ["CaChE-cOnTrOl", "ExT", "LoCaTiOn", "SeRvEr", "St", "UsN", "BoOtId.UpNp.OrG", "CoNfIgId.UpNp.OrG"]
    let mixed: [String] = zip(names, Self.answer.dropFirst()).map { "\($0)\(value($1))" }
    expectEqual(sent(.nameCase, .answer), whole([Self.answer[0]] + mixed))
    let blanks = [
      Self.answer[0], "CACHE-CONTROL:max-age=1800", "EXT: \t  \t",
      "LOCATION:http://10.77.1.10:50900/b/000000000005.xml", "SERVER: \t Linux/6.1 UPnP/1.1 Lamp/1.0 \t",
      "ST:\(Self.basic)", "USN: \t uuid:\(Self.uuid)::\(Self.basic) \t", "BOOTID.UPNP.ORG:1",
      "CONFIGID.UPNP.ORG: \t 1 \t",
    ]
    expectEqual(sent(.blanks, .answer), whole(blanks))
    expectEqual(sent(.fieldOrder, .answer), whole([Self.answer[0]] + Self.answer.dropFirst().reversed()))
    expectEqual(sent(.fieldOrder, .announcement), whole([Self.alive[0]] + Self.alive.dropFirst().reversed()))
  }

  @Test("ST, NT and USN name the type of a probe of types, and a root device for a search for everything")
  func targets() {
    let (higher, swapped) = ("urn:schemas-upnp-org:device:Basic:2", "URN:SCHEMAS-UPNP-ORG:DEVICE:bASIC:1")
    let other = "urn:schemas-upnp-org:device:NobodyAsked:1"
    func answer(_ target: String, _ named: String) -> [String] {
      changed(Self.answer, [5: ["ST: \(target)"], 6: ["USN: uuid:\(Self.uuid)::\(named)"]])
    }
    expectEqual(sent(.higherVersion, .answer), answer(Self.basic, higher))
    expectEqual(
      sent(.higherVersion, .announcement),
      changed(Self.alive, [4: ["NT: \(higher)"], 7: ["USN: uuid:\(Self.uuid)::\(higher)"]]))
    expectEqual(sent(.higherST, .answer), answer(higher, higher))
    expectEqual(sent(.valueCase, .answer, variant: 0), answer(swapped, swapped))
    expectEqual(sent(.valueCase, .answer, variant: 1), answer(other, other))
    expectEqual(sent(.wrongST, .answer, variant: 0), answer(other, other))
    expectEqual(sent(.wrongST, .answer, variant: 1), answer("x" + Self.basic, "x" + Self.basic))
    // An answer that goes to the group.
    expectEqual(sent(.unsolicited, .announcement), whole(Self.answer))
    expectEqual(sent(.unsolicited, .announcement, role: .companion), whole(Self.alive))
    for (searched, target) in [
      ("ssdp:all", "upnp:rootdevice"), ("uuid:x", "upnp:rootdevice"), ("upnp:rootdevice", "upnp:rootdevice"),
      ("x", "x"), (Self.basic, Self.basic),
    ] {
      expectEqual(ControlPointBaitMessage.target(searched), target)
      expectEqual(sent(.byebye, .answer, searched: searched), answer(target, target), "\(searched)")
    }
  }

  @Test("letters are a to z in both cases and nothing beside them")
  func letters() {
    expectEqual(ControlPointBaitMessage.otherCase("azAZmN@[`{09-:\u{E9}"), "AZazMn@[`{09-:\u{E9}")
    let words = ControlPointBaitMessage.Words(target: "t", usn: "u", location: "l")
    var message = ControlPointBaitMessage(.byebye, words, PayloadStore())
    message.insertFirst("a@b[c`d{eAzZyY: aB")
    message.mixCase()
    expectEqual(
      lines(message.bytes),
      whole([
        "NOTIFY * HTTP/1.1", "A@b[C`d{EaZzYy: aB", "HoSt: 239.255.255.250:1900", "Nt: t", "NtS: ssdp:byebye", "UsN: u",
        "BoOtId.UpNp.OrG: 1", "CoNfIgId.UpNp.OrG: 1",
      ]))
  }

  @Test("a message of each kind has its fields, and fields that it has not are neither changed nor removed")
  func kinds() {
    let store = PayloadStore()
    let words = ControlPointBaitMessage.Words(target: "t", usn: "u", location: "l")
    let (start, host, numbers) = (
      "NOTIFY * HTTP/1.1", "HOST: 239.255.255.250:1900", ["BOOTID.UPNP.ORG: 1", "CONFIGID.UPNP.ORG: 1"]
    )
    let (age, location, server) = ("CACHE-CONTROL: max-age=1800", "LOCATION: l", "SERVER: Linux/6.1 UPnP/1.1 Lamp/1.0")
    func check(_ kind: ControlPointBaitMessage.Kind, _ wanted: [String]) {
      var message = ControlPointBaitMessage(kind, words, store)
      expectEqual(store.liveCount, 0, "\(kind)")
      expectEqual(lines(message.bytes), whole(wanted), "\(kind)")
      message.set("DATE", "x")
      message.remove("DATE")
      message.insert("x", before: "DATE")
      message.insert("x", after: "DATE")
      expectEqual(lines(message.bytes), whole(wanted), "\(kind)")
    }
    check(.answer, ["HTTP/1.1 200 OK", age, "EXT:", location, server, "ST: t", "USN: u"] + numbers)
    check(.alive, [start, host, age, location, "NT: t", "NTS: ssdp:alive", server, "USN: u"] + numbers)
    check(.byebye, [start, host, "NT: t", "NTS: ssdp:byebye", "USN: u"] + numbers)
    let update = [start, host, location, "NT: t", "NTS: ssdp:update", "USN: u"] + numbers
    check(.update, update + ["NEXTBOOTID.UPNP.ORG: 0"])
  }

  @Test("names of baits carry the salt of their examination, and a name of another one is nobody's")
  func names() throws {
    var names = Self.names
    names.salt = 0xAB_CDEF
    names.address = try #require(IPAddress("fe80::1"))
    let number = 0x12_3456
    expectEqual(names.uuid(number, probe: .byebye), "b4170000-0000-4000-8000-abcdef123456")
    expectEqual(names.uuid(number, probe: .anyUUID), "rollcall_bait.abcdef123456")
    expectEqual(names.location(number, .second), "http://[fe80::1]:50900/s/abcdef123456.xml")
    expectEqual(names.locationOffSubnet(number), "http://203.0.113.66:50901/t/abcdef123456.xml")
    expectEqual(names.services(number), "/service/abcdef123456/")
    expectEqual(names.subscription(0xFF12_3456), "uuid:b4170000-0000-4001-8000-abcdef123456")
    let pages: [(page: String, path: ControlPointPath?)] = [
      ("/b/abcdef123456.xml", .own), ("/s/abcdef123456.xml", .second), ("/t/abcdef123456.xml?x", .trap),
      ("/x/abcdef123456.xml", nil), ("xb/abcdef123456.xml", nil), ("/bxabcdef123456.xml", nil),
      ("/b/abcdef12345.xml", nil), ("/b/abcdef123456xxml", nil), ("/b/abcdee123456.xml", nil),
      ("/b/abcdff123456.xml", nil), ("/b/abcdef12345g.xml", nil), ("", nil),
    ]
    for (page, path) in pages {
      let found = names.bait(of: page)
      expectEqual(found?.path, path, "\(page)")
      expectEqual(found?.number, path.map { _ in number }, "\(page)")
    }
    for path in ["/service/abcdef123456/1/scpd.xml", "/service/abcdef123456", "/service/abcdef123456/"] {
      expectEqual(names.bait(ofService: path), number, "\(path)")
    }
    for path in ["/servicf/abcdef123456/", "/service/abcdef12345/", "/service/abcdee123456/", "/service/", "/b/"] {
      expectEqual(names.bait(ofService: path), nil, "\(path)")
    }
  }

  private typealias Mark = ControlPointBait.Mark

  /// A bait with marks, a second between them, whose texts are their places.
  private func marked(_ marks: [(kind: Mark.Kind, hasCapitals: Bool?)]) -> ControlPointBait {
    var bait = bait(.byebye, .answer, 0, .probe)
    for (place, mark) in marks.enumerated() {
      bait.marks.append(
        Mark(
          kind: mark.kind, time: .zero + .seconds(Int64(place)), text: "\(place)", hasCapitals: mark.hasCapitals))
    }
    return bait
  }

  @Test("a device is believed in where it is fetched or told, but not from a trap; a fetch proves more than a line")
  func marks() {
    let rows: [(kinds: [Mark.Kind], isTaken: Bool, proof: String?)] = [
      ([], false, nil), ([.fetched(.own)], true, "0"), ([.fetched(.trap)], false, "0"), ([.told(nil)], true, "0"),
      ([.told(.own)], true, "0"), ([.told(.trap)], false, "0"), ([.mentioned(.own)], false, nil), ([.gone], false, nil),
      ([.told(nil), .fetched(.trap)], true, "1"), ([.fetched(.trap), .told(.second)], true, "0"),
      ([.gone, .told(.second), .fetched(.second), .fetched(.own)], true, "2"),
    ]
    for (place, row) in rows.enumerated() {
      let bait = marked(row.kinds.map { (kind: $0, hasCapitals: nil) })
      expectEqual(bait.isTaken, row.isTaken, "\(place)")
      expectEqual(bait.proof?.text, row.proof, "\(place)")
    }
    let all = marked([
      (.mentioned(.own), nil), (.told(nil), nil), (.told(.own), nil), (.fetched(.own), nil), (.fetched(.second), nil),
      (.gone, nil),
    ])
    expectEqual(all.marks.map(\.evidence), [.mentioned, .listed, .listed, .fetched, .fetched, .listed])
    expectEqual([all.shows(.own), all.shows(.second), all.shows(.trap)].map { $0?.text ?? "-" }, ["2", "4", "-"])
    // No more than 64 are kept.
    var examination = ControlPointExamination(Examined.setting([]))
    _ = examination.bait(.byebye, .control, .answer)
    for number in 0..<65 { examination.mark(0, .gone, "\(number)", at: .zero) }
    expectEqual(examination.baits[0].marks.map(\.text), (0..<64).map { "\($0)" })
  }

  @Test("a device is gone where all that was told of it is gone, and an echo tells its end under another spelling")
  func ends() {
    let rows: [(marks: [(kind: Mark.Kind, hasCapitals: Bool?)], echo: String?)] = [
      ([(.told(nil), false), (.gone, true)], "1"), ([(.told(.own), true), (.gone, true), (.gone, false)], "2"),
      ([(.told(nil), false), (.gone, false)], nil), ([(.gone, true)], nil), ([(.told(nil), nil), (.gone, true)], nil),
      ([(.told(nil), false), (.told(nil), true), (.gone, true)], nil), ([(.told(nil), false), (.gone, nil)], nil),
      ([(.told(nil), false), (.mentioned(.own), true)], nil), ([(.fetched(.own), false), (.gone, true)], nil),
    ]
    for (place, row) in rows.enumerated() { expectEqual(marked(row.marks).echo?.text, row.echo, "\(place)") }
    let told: [(there: [Bool], isGone: Bool)] = [
      ([], false), ([false], true), ([true], false), ([false, true], false), ([true, false], false),
      ([false, false], true),
    ]
    for (there, isGone) in told {
      var bait = marked([(.gone, nil), (.told(nil), nil), (.gone, nil), (.mentioned(.own), nil)])
      bait.told = there.map { (usn: "", isThere: $0) }
      expectEqual(bait.isGone, isGone, "\(there)")
      let last: Instant? = isGone ? Instant.zero + .seconds(2) : nil
      expectEqual(bait.goneAt, last, "\(there)")
      bait.marks = []
      expectEqual(bait.goneAt, nil, "\(there)")
    }
  }
}
