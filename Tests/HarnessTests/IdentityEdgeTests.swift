import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallTrace
import RollcallWire
import Testing

@testable import RollcallReducing

/// What names somebody, at the edges of the forms that it has, and stand-ins that collide.
@Suite("Edges of names that are replaced")
struct IdentityEdgeTests {
  private static func rewritten(_ value: String, _ field: IdentityFinder.Field = .other) -> String {
    IdentityFinder.rewritten(value, field: field) { "<\($0.kind) \($0.text)>" }
  }

  private static let uuid = "2fac1234-31f8-41b4-a222-08002b34c003"

  @Test("a UUID ends at two colons, at the end, and outside of targets at a mark")
  func uuids() {
    expectEqual(Self.rewritten("uuid:abc", .target), "uuid:<uuid abc>")
    expectEqual(Self.rewritten("uuid:abc::", .target), "uuid:<uuid abc>::")
    expectEqual(Self.rewritten("uuid:", .target), "uuid:")
    expectEqual(Self.rewritten("uuid:::x", .target), "uuid:::<word x>")
    expectEqual(Self.rewritten("uuid:abc/tv", .target), "uuid:<uuid abc/tv>")
    expectEqual(Self.rewritten("uuid:abc/tv", .url), "uuid:<uuid abc>/tv")
    expectEqual(Self.rewritten("UUID:abc::urn:x", .target), "UUID:<uuid abc>::urn:x")
    // What goes on behind it with no type may be a name.
    expectEqual(Self.rewritten("uuid:a::b", .target), "uuid:<uuid a>::<word b>")
    expectEqual(Self.rewritten("uuid:a::zebra", .target), "uuid:<uuid a>::<word zebra>")
    expectEqual(Self.rewritten("uuid:a::urn:zebra", .target), "uuid:<uuid a>::urn:zebra")
    expectEqual(Self.rewritten(" uuid:a::upnp:zebra", .target), " uuid:<uuid a>::upnp:zebra")
  }

  @Test("the form of a UUID is found wherever it stands alone, and only that form")
  func standardForm() {
    let uuid = Self.uuid
    #expect(Self.rewritten(uuid) == "<uuid \(uuid)>" && Self.rewritten("/\(uuid)/") == "/<uuid \(uuid)>/")
    #expect(!Self.rewritten("g" + uuid.dropFirst()).contains("<uuid"))
    #expect(!Self.rewritten(uuid.dropLast() + "g").contains("<uuid"))
    #expect(!Self.rewritten(uuid + "0").contains("<uuid") && !Self.rewritten("0" + uuid).contains("<uuid"))
    #expect(!Self.rewritten(String(uuid.dropLast())).contains("<uuid"))
    expectEqual(Self.rewritten(uuid + "."), "<uuid \(uuid)>.")
  }

  @Test("an address stands in brackets with or without a zone, or in figures between marks")
  func addresses() {
    expectEqual(Self.rewritten("[fe80::1]:80"), "[<address fe80::1>]:80")
    expectEqual(Self.rewritten("[fe80::1%]"), "[<address fe80::1>%]")
    expectEqual(Self.rewritten("[fe80::1%x]"), "[<address fe80::1>%<word x>]")
    expectEqual(Self.rewritten("192.168.1.2"), "<address 192.168.1.2>")
    expectEqual(Self.rewritten("(192.168.1.2..)"), "(<address 192.168.1.2>..)")
    expectEqual(Self.rewritten("192.168.1.2x"), "192.168.1.<word 2x>")
    expectEqual(Self.rewritten("1.2.3/192.168.1.2"), "1.2.3/<address 192.168.1.2>")
  }

  @Test("six pairs with one mark are a serial number, and a character that is spelled out stays")
  func words() {
    expectEqual(Self.rewritten("00:11:22:33:44:55"), "<serial 00:11:22:33:44:55>")
    expectEqual(Self.rewritten("00-11-22-33-44-55-"), "<serial 00-11-22-33-44-55>-")
    #expect(!Self.rewritten("g0:11:22:33:44:55").contains("<serial"))
    #expect(!Self.rewritten("00:11:22:33:44:5g").contains("<serial"))
    #expect(!Self.rewritten("00:11:22:33:44-55").contains("<serial"))
    #expect(!Self.rewritten("00:11:22:33:44:556").contains("<serial"))
    #expect(Self.rewritten("%AB") == "%AB" && Self.rewritten("tv%CDtv") == "tv%CDtv")
    #expect(Self.rewritten("%AG") == "%<word AG>" && Self.rewritten("%A") == "%<word A>")
    expectEqual(Self.rewritten("tv%20Anna%20tv"), "tv%20<word Anna>%20tv")
    #expect(Self.rewritten(" ", .target) == " " && Self.rewritten("", .target) == "")
  }

  @Test("of a product the name with its version stays, what names nobody else too; letters of other scripts do not")
  func products() {
    expectEqual(Self.rewritten("zebra/1.0", .product), "<product zebra>/1.0")
    expectEqual(Self.rewritten("/zebra", .product), "/<word zebra>")
    expectEqual(Self.rewritten("zebra/", .product), "<word zebra>/")
    expectEqual(Self.rewritten("zebra/-1", .product), "<word zebra>/-1")
    expectEqual(Self.rewritten("Café®", .product), "<word Caf><letter é>®")
    expectEqual(Self.rewritten("é®/1", .product), "<letter é>®/1")
    expectEqual(Self.rewritten("é® tv"), "<letter é>® tv")
  }

  @Test("a field has as many names as there are private characters, and of more it has none")
  func manyNames() {
    let most = 0x18FF
    for count in [most - 1, most, most + 1] {
      let value = Array(repeating: "zq", count: count).joined(separator: " ")
      var asked = 0
      let text = IdentityFinder.rewritten(value, field: .other) { _ in
        asked += 1
        return "b"
      }
      expectEqual(asked, min(count, most))
      #expect(text.utf8.count { $0 == UInt8(ascii: "b") } == min(count, most) && !text.contains("z"))
    }
    // Private characters of its own are no names, the first and the last one neither.
    expectEqual(Self.rewritten("\u{E000}\u{E001}\u{F8FF}"), "\u{FFFD}\u{FFFD}\u{FFFD}")
  }

  // MARK: Stand-ins

  private static func line(_ text: String, _ anonymiser: inout Anonymiser) -> String {
    String(decoding: anonymiser.payload(Array("NOTIFY * HTTP/1.1\r\n\(text)\r\n".utf8)), as: UTF8.self)
      .split(separator: "\r\n").dropFirst().joined()
  }

  @Test("host names of two letters stay apart, and none becomes a domain that many have")
  func hostNames() {
    var anonymiser = Anonymiser()
    let letters = "abcdef".map(String.init)
    let labels = letters.flatMap { first in letters.map { first + $0 } }
    let found = labels.map { label in
      Self.line("LOCATION: http://\(label)/", &anonymiser).dropFirst("LOCATION: http://".count).dropLast()
    }
    expectEqual(Set(found).count, 36)
    #expect(!found.contains { PublicWords.domains.contains(String($0)) })
    // Asked again, each has the one that it had; the domain behind it stays, and so do marks that follow each other.
    let again = labels.map { Self.line("LOCATION: http://\($0).de/", &anonymiser) }
    expectEqual(again, found.map { "LOCATION: http://\($0).de/" })
    let dots = Self.line("LOCATION: http://zebra..lamp/", &anonymiser)
    #expect(dots.contains("..") && dots.split(separator: ".").count == 2)
  }

  @Test("names that somebody gave stay apart, though all letters of one case look the same")
  func phrases() {
    var anonymiser = Anonymiser()
    let letters = "ghijklmnopqrstuvwxyz".map(String.init)
    let names = letters.flatMap { first in letters.map { first + $0 } }
    let found = names.map { Self.line("FRIENDLYNAME:\($0)", &anonymiser) }
    #expect(Set(found).count == 400 && found[0] == "FRIENDLYNAME:nn")
    expectEqual(names.map { Self.line("FRIENDLYNAME:\($0)", &anonymiser) }, found)
  }

  @Test("the UUID of a LOCATION is the one of the USN; the middle of a card's address stays, and marks do")
  func serials() {
    var anonymiser = Anonymiser()
    let usn = Self.line("USN: uuid:\(Self.uuid)", &anonymiser).dropFirst("USN: uuid:".count)
    #expect(usn != Self.uuid && usn.count == 36)
    #expect(Self.line("LOCATION: http://tv/uuid:\(Self.uuid)/xml", &anonymiser).hasSuffix("/uuid:\(usn)/xml"))
    let card = Self.line("USN: uuid:ab12-fffe-cd34", &anonymiser)
    #expect(card.contains("-fffe-") && !card.contains("ab12") && !card.contains("cd34"))
    let marks = Self.line("USN: uuid:q[b{1", &anonymiser)
    #expect(marks.contains("[") && marks.contains("{") && !marks.contains("q"))
    expectEqual(Replacements.lowered(Array("@AZ[`az{".utf8)), Array("@az[`az{".utf8))
  }

  @Test("what a run is replaced by depends on its kind and on how many of the kind came before")
  func goldens() {
    var all = Replacements()
    let runs = ["abcg", "abcd", "abcdefghijkl", "abcdefghijklm", "a1", "zebra", "abcf", "ffff", "ghij"]
    let found = runs.map { all.replacement(for: $0) }
    expectEqual(
      found, ["aafl", "feca", "adadbbhyzrzt", "fdddcaptvozxw", "c8", "tefkb", "dacf", "dcda", "xgwh"])
    // Words and numbers are counted by themselves.
    for (kind, order) in [
      ("words", ["abcg", "abcdefghijklm", "zebra", "ghij"]), ("numbers", ["abcd", "abcdefghijkl"]),
    ] {
      var few = Replacements()
      for run in order { expectEqual(few.replacement(for: run), all.replacement(for: run), "\(kind): \(run)") }
    }
  }

  @Test("letters of two bytes have their stand-ins from one block and then from the next")
  func letters() throws {
    var replacements = Replacements()
    let asked = try (0x370...0x52F).map { try #require(Unicode.Scalar(UInt32($0))) }.filter(\.properties.isAlphabetic)
    let first = (0x100...0x24F).compactMap { Unicode.Scalar(UInt32($0)) }.filter(\.properties.isAlphabetic)
    let next = (0xAA...0xFF).compactMap { Unicode.Scalar(UInt32($0)) }.filter(\.properties.isAlphabetic)
    let found = asked.prefix(first.count + 20).map { replacements.replacement(for: $0) }
    #expect(asked.count > first.count + 20 && found == first + next.prefix(20))
    expectEqual(replacements.replacement(for: "\u{800}").utf8.count, 3)
    expectEqual(replacements.replacement(for: "\u{10000}").utf8.count, 4)
  }

  // MARK: Habits

  private static func habits(_ payload: String, _ kind: SSDPKind = .notifyAlive) -> [String] {
    let host = Endpoint(IPAddress(192, 168, 1, 20), port: 1_900)
    let message = TapedMessage(
      frame: 1, time: .zero, interface: 0, source: host, destination: Endpoint(.ssdpGroup4, port: 1_900), hopLimit: 2,
      payload: Array(payload.utf8), kind: kind, isOwn: false)
    return QuirkFinder.quirks(of: [message]).map { Vocabulary.text(of: $0.quirk) }
  }

  @Test("a colon is tight where a mark or a letter follows it, in a header line")
  func tightColons() {
    func isTight(_ text: String) -> Bool { Self.habits(text).contains("noSpaceAfterColon") }
    #expect(isTight("NOTIFY\r\nA:x\r\n\r\n") && isTight("NOTIFY\r\nA:!\r\n\r\n") && isTight("NOTIFY\r\nA: x\r\nB:y"))
    #expect(!isTight("NOTIFY\r\nA: x\r\n\r\n") && !isTight("NOTIFY\r\nA:\r\n\r\n") && !isTight("NOTIFY\r\nA:"))
    #expect(!isTight("NOTIFY:x\r\nA: x:y\r\n\r\n"))
  }

  @Test("a message ends with a blank line, of either line end")
  func blankLines() {
    func isOpen(_ text: String) -> Bool { Self.habits(text).contains("noBlankLine") }
    for text in ["", "\n", "a\n", "a\r\n", "a\r\nb\r\n", "a\n\r", "\r\n"] {
      #expect(isOpen(text), "\(text.utf8.count)")
    }
    for text in ["\n\n", "a\n\n", "a\n\r\n", "\n\r\n\r\n", "a\r\n\r\n", "a\nb\n\n"] {
      #expect(!isOpen(text), "\(Array(text.utf8))")
    }
  }

  @Test("a message without USN and LOCATION has no habit of theirs")
  func missing() {
    let habits = Self.habits("NOTIFY * HTTP/1.1\r\nNT: upnp:rootdevice\r\n\r\n")
    for name in ["bareUUIDAsUSN", "usnWithoutUUID", "upperCaseUUIDScheme", "locationHttps", "nonHexUUID"] {
      #expect(!habits.contains(name))
    }
    #expect(Self.habits("NOTIFY\r\nUSN: UUID:a\r\nLOCATION: https://a/\r\n\r\n").contains("upperCaseUUIDScheme"))
    #expect(Self.habits("NOTIFY\r\nUSN: UUID:a\r\nLOCATION: https://a/\r\n\r\n").contains("locationHttps"))
  }

  @Test("a field is found in the last line, though it has no end, and by its whole name")
  func fields() {
    func value(_ text: String) -> String? { FieldText.value("NT", of: Array(text.utf8)) }
    #expect(value("NT: a") == "a" && value("nt:\ta \r") == "a" && value("X: b\nNT: a") == "a" && value("NT:") == "")
    #expect(value("") == nil && value("\n") == nil && value("XNT: a\nNTS: b\n NT: c") == nil)
    expectEqual(value("NT: a\nNT: b"), "a")
  }
}
