import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import Testing

/// What is read out of captured messages: names, which are taken out, and habits, which are told.
@Suite("Words of captured messages")
struct MessageWordsTests {
  private typealias Said = ReproduceOracleTests.Said

  private func anonymised(_ anonymiser: inout Anonymiser, _ lines: [String]) -> [String] {
    let text = "NOTIFY * HTTP/1.1\r\n" + lines.map { $0 + "\r\n" }.joined()
    let result = String(decoding: anonymiser.payload(Array(text.utf8)), as: UTF8.self)
    return result.split(separator: "\r\n").dropFirst().map(String.init)
  }

  // MARK: Names

  /// Lines of one message, and what becomes of them one after the other.
  private static let lines: [(before: String, after: String)] = [
    (
      "X-B: [2001:db8::1] [2001:db8::2] [2001:db9::1] [fe80::1] [::1] [ff02::c] [fd00:1:2:3:4:5:6:7] [FE80::AB]",
      "X-B: [2001:ec6::7] [2001:ec6::1] [2001:ac9::7] [fe80::7] [::1] [ff02::c] [fd00:7:1:8:5:2:9:3] [FE80::AC]"
    ),
    ("AL: http://www.igrs.org/a", "AL: http://www.igrs.org/b"),
    // A host name has numbers; its domain, what is public in a path, and short numbers stay.
    (
      "X-Url: http://Annas-NAS.fritz.box:8200/rootDesc.xml?id=123456&n=12345#end",
      "X-Url: http://host1xxxx.fritz.box:8200/rootDesc.xml?id=253204&l=12345#dyf"
    ),
    ("X-User: http://anna:geheim@nas/d", "X-User: http://aoqe:maiats@xcw/a"),
    (
      "X-Same: https://annas-nas/tv123/tv1234/rootFoo/rootDesc1",
      "X-Same: https://host1xxxx/tv123/zz5501/tkkvCsv/rootDesc1"
    ),
    ("X-V6: http://[fe80::21e:c2ff:fe1b:2a3%eth0]:80/", "X-V6: http://[fe80::88f:c1cd:ed5f:7a6%eth0]:80/"),
    // A UUID is whatever stands behind its scheme, and keeps its case.
    ("X-Uuid: UUID:Lamp-12/Kitchen uuid:lamp-12::x", "X-Uuid: UUID:Savp-49/Lyiegak uuid:savp-49::u"),
    (
      "X-Bare: 2FAC1234-31f8-11b4-a222-08002b34c003, 2fac1234-31f8-11b4-a222-08002b34c0034",
      "X-Bare: 3DEC5997-86e8-15b8-a751-06200d61e497, 3dec5997-86e8-45b8-a751-07086e52b0280"
    ),
    (
      "X-None: xuuid:lamp 1.2.3.4.5 1.2.3 1.2.3.4a 300.1.1.1 (1.2.3.4.)",
      "X-None: rrrub:savp 1.2.3.4.5 1.2.3 1.2.3.7c 300.1.1.1 (2.2.2.2.)"
    ),
    (
      "X-Mac: 00:17:88:0a:1b:2c 00-17-88-0A-1B-2C 00_17_88_0a_1b_2c",
      "X-Mac: 00:39:18:0c:6e:6f 00-39-18-0C-6E-6F 00_39_18_0c_6e_6f"
    ),
    ("X-Code: a%20b%C3%BC%zz 00 0012 cafe Kino kino", "X-Code: b%20c%C3%BC%ps 00 0012 eeab Wuwu wuwu"),
    ("X-Letter: Küche 厨房 😀", "X-Letter: YĀdoa 一丁 😀"),
    // Types are public but for what looks like a serial number; targets that are no types are not.
    (
      "USN: uuid:Lamp-7::urn:schemas-upnp-org:device:Basic:1", "USN: uuid:Savp-3::urn:schemas-upnp-org:device:Basic:1"
    ),
    ("NT: uuid:lamp-7/a,b", "NT: uuid:savp-3/b,c"),
    ("X-T: uuid:lamp-7;c uuid:lamp-8)d", "X-T: uuid:savp-3;d uuid:savp-7)a"),
    ("NT: urn:x-y:device:ab12c3:12345:1", "NT: urn:x-y:device:ae64e4:12345:1"),
    ("NT: urn:x-y:device:abcde1:ab1234x:1", "NT: urn:x-y:device:abcde1:ab1234x:1"),
    ("NT: urn:x-y:device:ab1234xy:1234567:1", "NT: urn:x-y:device:ea8325uu:6421415:1"),
    ("NT: upnp:rootdevice", "NT: upnp:rootdevice"), ("NT: annas-thing", "NT: fmvcr-rlhnr"),
    ("ST: ssdp:all", "ST: ssdp:all"), ("USN: uuid:lamp-7::annas-thing", "USN: uuid:savp-3::fmvcr-rlhnr"),
    ("HOST: 239.255.255.250:1900", "HOST: 239.255.255.250:1900"),
    ("HOST: 0017880a1b2c:1900", "HOST: host3xxxxxxx:1900"),
    ("SECURELOCATION.UPNP.ORG: https://10.1.1.1/annas-thing", "SECURELOCATION.UPNP.ORG: https://10.2.2.2/fmvcr-rlhnr"),
    // What is known from elsewhere is a name in a product, too.
    (
      "X-USER-AGENT: Linux/6.1 Kino UPnP/1.0 Kino/2 gssdp/1 Foobar/1 a1b2c3d4e5f6/1 Lamp/x Lamp/ (Anna; tv)",
      "X-USER-AGENT: Linux/6.1 Wuwu UPnP/1.0 Wuwu/2 gssdp/1 Foobar/1 a8a2e2e1e4d5/1 Savp/x Savp/ (Aoqe; tv)"
    ),
    ("CPFN.UPNP.ORG: Anna 2", "CPFN.UPNP.ORG: Nnnn 0"), ("FRIENDLYNAME: Otto", "FRIENDLYNAME: Nnnn"),
    ("MyFriendlyName: Emma", "MyFriendlyName: Cxia"), ("X-NAME: Ida", "X-NAME: Nnn"), ("X-Other: Ida", "X-Other: Sad"),
    // A line without a colon goes on where the one before it ended.
    (" of the annas 1234567", " ye poc fmvcr 6421415"),
  ]

  @Test("each name becomes another of its length and form, the same one wherever it stands; what is public stays")
  func names() {
    var anonymiser = Anonymiser()
    let after = Self.lines.map(\.after)
    expectEqual(anonymised(&anonymiser, Self.lines.map(\.before)), after)
    expectEqual(anonymised(&anonymiser, Self.lines.map(\.before)), after)
    #expect(Self.lines.allSatisfy { $0.before.utf8.count == $0.after.utf8.count })
  }

  @Test("HOST is a host, which has the same number there and in a URL; groups, ports and what is public stay")
  func hosts() {
    var anonymiser = Anonymiser()
    for (before, after) in [
      ("HOST: Annas-NAS:1900", "HOST: host1xxxx:1900"), ("HOST:annas-nas.local", "HOST:host1xxxx.local"),
      ("LOCATION: http://annas-nas:80/", "LOCATION: http://host1xxxx:80/"),
      ("HOST: kitchen-tv.fritz.box:1900", "HOST: host2xxxxx.fritz.box:1900"),
      ("HOST: Annas TV:1900", "HOST: host3 TV:1900"), ("HOST: http://annas-nas:1900", "HOST: http://host1xxxx:1900"),
      ("HOST: 192.168.1.20:1900", "HOST: 192.168.2.20:1900"), ("HOST: 192.168.1.20", "HOST: 192.168.2.20"),
    ] {
      expectEqual(anonymised(&anonymiser, [before]), [after])
    }
    for line in [
      "HOST: 239.255.255.250:1900", "HOST: 239.255.255.250", "HOST: 239.255.255.250:*", "HOST: [FF02::C]:1900",
      "HOST: www.igrs.org:1900", "HOST: *:1900", "HOST: :1900", "HOST:",
    ] { expectEqual(anonymised(&anonymiser, [line]), [line]) }
  }

  @Test("a line that goes on where the one before it ended is no field, even with a colon in it")
  func folded() {
    var anonymiser = Anonymiser()
    let lines = ["X-A: b", " Anna: Otto", "\tEmma:1", " DATE: Ida"]
    let after = anonymised(&anonymiser, lines)
    expectEqual(after.map(\.utf8.count), lines.map(\.utf8.count))
    for name in ["anna", "otto", "emma", "ida"] {
      #expect(!after.contains { $0.lowercased().contains(name) }, "\(after)")
    }
  }

  @Test("fields whose words are no names stay, names of people and products are told by their fields")
  func fields() {
    for field in [
      "CACHE-CONTROL", "BOOTID.UPNP.ORG", "CONFIGID.UPNP.ORG", "NEXTBOOTID.UPNP.ORG", "SEARCHPORT.UPNP.ORG", "DATE",
      "MX", "MAN", "NTS", "EXT", "CONTENT-LENGTH", "OPT",
    ] {
      var anonymiser = Anonymiser()
      for line in ["\(field): 1234567 wohnzimmer", "\(field.lowercased()) :1234567"] {
        expectEqual(anonymised(&anonymiser, [line]), [line])
        let other = anonymised(&anonymiser, ["X-" + line])
        #expect(other != ["X-" + line] && other.map(\.utf8.count) == [line.utf8.count + 2], "\(other)")
      }
    }
    for (field, isName) in [
      ("CPFN.UPNP.ORG", true), ("FRIENDLYNAME", true), ("FRIENDLY-NAME", true), ("X-FRIENDLY-NAME", true),
      ("X-NAME", true), ("X-HOSTNAME", true), ("device-friendlyName", true), ("NAME", false), ("X-NAMES", false),
    ] {
      var anonymiser = Anonymiser()
      expectEqual((anonymised(&anonymiser, [field + ": Otto Zwei"]) == [field + ": Nnnn Nnnn"]), isName, "\(field)")
    }
    for (field, isProduct) in [("SERVER", true), ("USER-AGENT", true), ("X-USER-AGENT", true), ("X-SERVER", false)] {
      var anonymiser = Anonymiser()
      expectEqual((anonymised(&anonymiser, [field + ": Foobar/1"]) == [field + ": Foobar/1"]), isProduct, "\(field)")
    }
  }

  @Test("an octet becomes another of its length; what has a meaning of its own stays")
  func addresses() {
    var anonymiser = Anonymiser()
    for (before, after) in [
      ("192.168.1.20", "192.168.2.20"), ("10.0.0.1", "10.0.0.2"), ("10.255.255.254", "10.255.255.110"),
      // Where a private range begins and ends.
      ("172.15.0.1", "138.20.0.2"), ("172.16.0.1", "172.16.0.2"), ("172.31.9.9", "172.31.2.2"),
      ("172.32.0.1", "138.21.0.2"), ("192.167.1.1", "139.110.2.2"), ("192.168.0.1", "192.168.0.2"),
      ("192.168.9.100", "192.168.3.110"), ("192.168.10.99", "192.168.20.20"), ("192.168.99.10", "192.168.21.20"),
      ("192.169.1.1", "139.111.2.2"), ("169.253.1.1", "140.110.2.2"), ("169.254.1.1", "169.254.2.2"),
      ("9.9.9.9", "2.2.2.2"), ("10.9.9.9", "10.2.2.2"), ("99.99.99.99", "20.20.20.20"),
      ("100.100.100.100", "141.110.110.110"), ("0.1.2.3", "0.1.2.3"), ("127.9.9.9", "127.9.9.9"),
      ("224.0.0.9", "224.0.0.9"), ("239.1.1.1", "239.1.1.1"), ("240.1.1.1", "142.2.2.2"), ("223.1.1.1", "143.2.2.2"),
      ("198.51.100.7", "144.20.110.2"), ("255.255.255.255", "255.255.255.255"), ("192.168.1.20", "192.168.2.20"),
    ] {
      expectEqual(IPAddress(before).map { anonymiser.address($0).description }, after, "\(before)")
    }
  }

  private func tape(as perspective: ReplayOptions.Perspective = .everybody, _ texts: [String]) throws -> CaptureTape {
    var capture = TinyCapture()
    for (number, text) in texts.enumerated() { capture.add(Double(number), "192.168.1.\(number + 20)", text) }
    return try CaptureTape.read(as: perspective) { try capture.reader() }
  }

  @Test("two names that became one are told, field by field, ten of them at most; one name in two spellings is one")
  func ambiguities() throws {
    let texts = (0..<12).map { number in
      TinyCapture.alive("lamp-\(number)", "x-\(number % 2)", location: "http://192.168.1.\(number + 20)/")
    }
    let before = try tape(texts)
    expectEqual(Anonymiser.ambiguities(before, before), [])
    var spelled = before
    spelled.messages[1].payload = Array(String(decoding: before.messages[1].payload, as: UTF8.self).uppercased().utf8)
    #expect(Anonymiser.ambiguities(before, spelled) == [] && Anonymiser.ambiguities(spelled, before) == [])
    var merged = before
    merged.messages[1].source.address = before.messages[0].source.address
    expectEqual(Anonymiser.ambiguities(before, merged), ["address 192.168.1.21 and 192.168.1.20 became one"])
    merged = before
    merged.messages[3].destination.address = before.messages[0].source.address
    expectEqual(Anonymiser.ambiguities(before, merged), ["address 239.255.255.250 and 192.168.1.20 became one"])
    merged = before
    merged.messages[1].payload = before.messages[0].payload
    expectEqual(
      Anonymiser.ambiguities(before, merged),
      [
        "USN uuid:lamp-1::x-1 and uuid:lamp-0::x-0 became one", "NT x-1 and x-0 became one",
        "LOCATION http://192.168.1.21/ and http://192.168.1.20/ became one",
      ])
    for place in merged.messages.indices { merged.messages[place].source.address = IPAddress(10, 0, 0, 1) }
    expectEqual(Anonymiser.ambiguities(before, merged).count, 10)
  }

  @Test("a tape is anonymised whole: a word that names a device later is a name before that, and hosts are others, too")
  func tapes() throws {
    let first = TinyCapture.alive("a").replacing("tiny/1", with: "Kino/1")
    let before = try tape(as: .host("192.168.1.98,192.168.1.99"), [first, TinyCapture.alive("kino")])
    var anonymiser = Anonymiser()
    let after = anonymiser.anonymised(before)
    let texts = after.messages.map { String(decoding: $0.payload, as: UTF8.self).lowercased() }
    #expect(texts.count == 2 && texts.allSatisfy { !$0.contains("kino") && !$0.contains("192.168.1.") })
    expectEqual(after.messages.map(\.source.address.description), ["192.168.2.20", "192.168.2.21"])
    expectEqual(after.messages.map(\.destination), before.messages.map(\.destination))
    expectEqual(after.perspective, .host("192.168.2.22,192.168.2.23"))
    #expect(Anonymiser.ambiguities(before, after) == [] && after.end == before.end)
  }

  // MARK: Habits

  private static let target = "urn:schemas-upnp-org:device:Basic:1"

  private static func alive(_ number: Int) -> String {
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
      + "LOCATION: http://192.168.1.\(number)/d.xml\r\nNT: \(target)\r\nNTS: ssdp:alive\r\n"
      + "SERVER: Linux/6.1 UPnP/1.0 tiny/1\r\nUSN: uuid:00000000-0000-4000-8000-0000000000\(number)::\(target)\r\n\r\n"
  }

  private static func byebye(_ number: Int, _ more: String = "") -> String {
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNT: \(target)\r\nNTS: ssdp:byebye\r\n\(more)"
      + "USN: uuid:00000000-0000-4000-8000-0000000000\(number)::\(target)\r\n\r\n"
  }

  private static func answer(_ number: Int) -> String {
    "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nDATE: now\r\nEXT: \r\n"
      + "LOCATION: http://192.168.1.\(number)/d.xml\r\nSERVER: Linux/6.1 UPnP/1.0 tiny/1\r\nST: \(target)\r\n"
      + "USN: uuid:00000000-0000-4000-8000-0000000000\(number)::\(target)\r\n\r\n"
  }

  /// What is replaced in an alive, and the habit that shows.
  private static let changes: [(old: String, new: String, habit: String)] = [
    ("x", "x", ""), ("\r\n\r\n", "\r\n", "noBlankLine (D01, UDA-1.1-BLANKLINE)"),
    ("\r\n", "\n", "lfOnly (D02, UDA-1.1-GENERIC)"), ("\r\n\r\n", "\r\n\r\n\0", "nulAfterBlankLine (D03)"),
    ("HOST:", "Host:", "titleCaseNames (D16)"), ("SERVER", "Ext: \r\nOpt: a\r\nSERVER", ""),
    ("NT: ", "NT:", "noSpaceAfterColon (D17, UDA-1.1.2-OWS)"),
    ("CACHE-CONTROL: max-age=1800\r\n", "", "noCacheControl (D22, UDA-1.2.2-A-CC)"),
    ("SERVER: Linux/6.1 UPnP/1.0 tiny/1\r\n", "", "noServer (D22, D36)"),
    ("HOST: 239.255.255.250:1900\r\n", "", "noHost (UDA-1.2.2-A-HOST)"),
    ("250:1900", "250", "hostWithoutPort (UDA-1.2.2-A-HOST-NOPORT)"),
    ("::\(target)\r\n\r\n", "\r\n\r\n", "bareUUIDAsUSN (D23, UDA-1.2.2-USN-T1)"),
    ("USN: uuid:", "USN: ", "usnWithoutUUID (D29, UDA-1.2.2-USN-T1)"),
    ("USN: uuid:", "USN: UUID:", "upperCaseUUIDScheme (D28)"),
    ("SERVER", "DATE: now\r\nSERVER", "dateInNotify (D37, H-A-STRAY)"),
    ("SERVER", "MAN: \"ssdp:discover\"\r\nSERVER", "manInNotify (D14, H-A-STRAY)"),
    ("http:", "https:", "locationHttps (D48)"), ("max-age=1800", "max-age=1799", "maxAge(1799) (D20, D21)"),
    ("max-age=1800", "max-age = 60", "maxAge(60) (D20, D21)"),
    ("0000-4000", "000g-4000", "nonHexUUID (D27, UDA-1.1.4-UUID-FORM)"),
    ("SERVER", "X-A: b\r\nSERVER", "vendorFields (UDA-1.1.3-VENDORNAME)"),
    ("UPnP/1.0", "UPnP/1.1", "claims11WithoutBootID (D43, UDA-1.2.2-A-BOOTID)"),
    ("UPnP/1.0 tiny/1", "UPnP/1.1 tiny/1\r\nBOOTID.UPNP.ORG: 1", ""),
    ("UPnP/1.0", "UPnP/2.0", "claims11WithoutBootID (D43, UDA-1.2.2-A-BOOTID)"),
    ("NT: \(target)", "NT: tiny", "foreignNT(tiny) (D24, UDA-1.2.2-NT-ENUM)"),
    ("schemas-upnp-org", "schemas.upnp.org", "dottedVendorDomain (D26, UDA-1.2.2-NT-DOTS)"),
    (":Basic:1", ":Basic:1.0", "versionNotInteger (D26, UDA-1.2.2-NT-VER)"),
    (target, "upnp:rootdevice", "incompleteSet (D40, UDA-1.2.2-ROOT3)"),
  ]

  /// What a device says and when, in milliseconds, and the habit that shows.
  private static let talks: [(habit: String, said: @Sendable (Int) -> [(Int, String)])] = [
    ("locationInByebye (D38, UDA-1.2.3-BB-TEMPLATE)", { [(0, alive($0)), (1, byebye($0, "LOCATION: x\r\n"))] }),
    ("byebyeBeforeFirstAlive (D54)", { [(0, byebye($0)), (1, alive($0))] }),
    ("", { [(0, byebye($0)), (0, alive($0))] }), ("", { [(0, alive($0)), (1, byebye($0))] }),
    (
      "noLocation (UDA-1.2.2-A-LOC)",
      { [(0, alive($0).replacing("LOCATION: http://192.168.1.\($0)/d.xml\r\n", with: ""))] }
    ),
    (
      "bootIDMissingOnServices (D42, UDA-1.2.2-BOOT-ALLMSG)",
      { [(0, booted($0)), (1, alive($0).replacing(":device:", with: ":service:"))] }
    ),
    ("", { [(0, alive($0)), (1, alive($0).replacing(":device:", with: ":service:"))] }),
    ("", { [(0, booted($0)), (1, alive($0))] }), ("", { [(0, answer($0))] }),
    ("noExt (D36, UDA-1.3.3-FIELDS)", { [(0, answer($0).replacing("EXT: \r\n", with: ""))] }),
    ("noDate (D36)", { [(0, answer($0).replacing("DATE: now\r\n", with: ""))] }),
    ("hostInResponse (D37)", { [(0, answer($0).replacing("DATE", with: "HOST: x\r\nDATE"))] }),
    (
      "maxAge(30) (D20, D21)",
      { [(0, alive($0).replacing("1800\r\n", with: "30\r\n")), (1, alive($0).replacing("1800\r\n", with: "40\r\n"))] }
    ),
  ]

  private static func booted(_ number: Int) -> String {
    alive(number).replacing("SERVER", with: "BOOTID.UPNP.ORG: 1\r\nSERVER")
  }

  @Test("a host is named after what it announces, and its bad habits are told where its messages show them")
  func habits() throws {
    var said: [Said] = []
    var expected: [String] = []
    func device(_ habit: String, hops: UInt8 = 2, _ talk: (Int) -> [(Int, String)]) {
      let number = 10 + expected.count
      expected.append(habit)
      // Each message twice: what is said once is a datagram, and no behaviour.
      for round in [0, 10_000] {
        for (at, text) in talk(number) {
          said.append(
            Said(
              at: Int64(round + number * 10 + at) * 1_000_000, from: "192.168.1.\(number)", text: text,
              to: text.hasPrefix("HTTP") ? "192.168.1.9:50000" : TinyCapture.group, hops: hops))
        }
      }
    }
    for (old, new, habit) in Self.changes { device(habit) { [(0, Self.alive($0).replacing(old, with: new))] } }
    for talk in Self.talks { device(talk.habit, talk.said) }
    for (hops, habit) in [(1, "ttl(1)"), (2, ""), (3, "ttl(3)"), (4, ""), (5, "ttl(5)")] as [(UInt8, String)] {
      device(habit.isEmpty ? "" : habit + " (D67, UDA-1-TTL-DEFAULT)", hops: hops) { [(0, Self.alive($0))] }
    }
    device("") { [(0, Self.alive($0).replacing("Basic", with: "DimmableLight2"))] }
    // The product of that name tells, whatever its version is.
    let claims = "claims11WithoutBootID (D43, UDA-1.2.2-A-BOOTID)"
    for (product, habit) in [("XUPnP/1.1", ""), ("UPnP/1.2", claims), ("UPnP/10.0", claims)] {
      device(habit) { [(0, Self.alive($0).replacing("UPnP/1.0", with: product))] }
    }
    let sorted = said.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    let notes = try ReproduceOracleTests.reproduce(sorted, end: 30_000_000_000).reproduction.notes
    let habits = notes.map { note -> String in
      let line = note.lines.first { $0.hasPrefix("Habits: ") }
      return String((line ?? "").dropFirst("Habits: ".count))
    }
    expectEqual(habits, expected)
    expectEqual(notes.filter { $0.lines.first == "SERVER: Linux/6.1 UPnP/1.0 tiny/1" }.count, expected.count - 7)
    let basic = expected.indices.map { "basic-\($0 + 10)" }
    expectEqual(
      notes.map(\.name).filter { !basic.contains($0) }, ["device-34", "device-37", "dimmable-light2-56"])
  }
}
