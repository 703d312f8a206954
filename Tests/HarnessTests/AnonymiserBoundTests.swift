import RollcallCapture
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallRunning
import Testing

/// Where names begin and end, and what stands in for them where others of their form run short.
@Suite("Names at their bounds")
struct AnonymiserBoundTests {
  @Test("what is no name by one character stays or is taken word by word; what is one by one character is replaced")
  func nearly() {
    let lines = [
      ("NOTIFY http://anna-nas/x HTTP/1.1", "NOTIFY http://amhf-ldr/t HTTP/1.1"),
      (
        "X-Hex: 2fac123g-31f8-11b4-a222-08002b34c003 0g:17:88:0a:1b:2c {kino} kino[ `kino`",
        "X-Hex: 9eca337k-75a7-38f7-d229-06569c94b729 0i:17:88:0c:3f:1f {xgwh} xgwh[ `xgwh`"
      ),
      (
        "NT: urn:x-y:device:abg123:ab123:abcd12:wohnung123:1",
        "NT: urn:x-y:device:abg123:ab123:fbac52:wohnung123:1"
      ),
      (
        "X-Url: http://1.2.3/ http://anna!nas:80/ http://local/ http://nas.local/ http://nas@local:80/",
        "X-Url: http://1.2.3/ http://amhf!ldr:80/ http://host1/ http://ldr.local/ http://ldr@host1:80/"
      ),
      (
        "X-Pub: deviceName deviceAnna deviceNameKey nameKeyAnna DEVICENAME nameKey12 nameKey1234",
        "X-Pub: deviceName acqyacDorb deviceNameKey maiaTclAgjc AAHREESBTE nameKey12 udjaGan9732"
      ),
      // One of them would be the loopback address, which moves it and others on by one.
      (
        "X-Six: [::2] [::3] [::4] [::5] [::6] [::7] [::8] [::9] [::1]",
        "X-Six: [::9] [::6] [::2] [::7] [::3] [::8] [::4] [::5] [::1]"
      ),
      ("X-Name-Of: ida jo", "X-Name-Of: tae so"),
      (
        "USER-AGENT: Ida/1 Jo/1 abcdefabcd12/1 abcdefabcde1/1 abcdefabc12/1 Otto/ /otto (ida) [Jo] Emma; ida/",
        "USER-AGENT: Tae/1 Jo/1 dbbaefeedb04/1 abcdefabcde1/1 abcdefabc12/1 Lyiu/ /lyiu (tae) [So] Alhd; tae/"
      ),
    ]
    var anonymiser = Anonymiser()
    let before = lines.map { $0.0 + "\r\n" }.joined()
    for _ in 0..<2 {
      let after = anonymiser.text(before).split(separator: "\r\n").map(String.init)
      expectEqual(after, lines.map(\.1))
    }
  }

  @Test("a message that ends without an end of line is read up to its last character, and not beyond")
  func lastLine() {
    let replaced = [
      "X-A: 2fac1234-31f8-11b4-a222-08002b34c003", "X-A: uuid:lamp", "X-A: uuid:lamp::", "USN: uuid:lamp::anna",
      "X-A: 00:17:88:0a:1b:2c", "X-A: [2001:db8::1]", "X-A: [fe80::1%eth0]", "X-A: 9.8.7.6", "X-A: 9.8.7.6.",
      "X-A: http://anna", "X-A: http://anna@", "X-A: http://anna:80", "HOST: anna", "X-A: %a", "X-A: anna",
      "X-A: kü", "X-A: 1234567", "SERVER: Anna", "SERVER: Kino/", "SERVER: (kino)", "SERVER: kü",
      "CPFN.UPNP.ORG: Anna", "NT: urn:x-y:device:ab12c3", " anna", "anna",
    ]
    let kept = [
      "X-A: 1.2.3.", "X-A: 1.2.3.4.5", "X-A: [", "X-A: http://", "X-A: %20", "X-A: %2", "X-A: %", "X-A: uuid:",
      "NT: uuid:", "NT: upnp:rootdevice", "X-A: age", "X-A:", "HOST:", "NT:", "SERVER:", "SERVER: upnp/",
      "SERVER: Kino/1",
    ]
    for line in replaced + kept {
      let message = "NOTIFY * HTTP/1.1\r\n" + line
      var (bare, ended) = (Anonymiser(), Anonymiser())
      let result = bare.text(message)
      expectEqual((result == message), kept.contains(line), "\(result)")
      expectEqual(result + "\r\n", ended.text(message + "\r\n"))
    }
  }

  @Test("in a line that is no text a run is replaced like the same run elsewhere, and every other byte stays")
  func noText() {
    var anonymiser = Anonymiser()
    let words = ["a0", "z9", "Az", "ZA1"].map { word in
      String(anonymiser.text("M\r\nX-A: " + word).dropFirst("M\r\nX-A: ".count))
    }
    #expect(Set(words).count == 4 && words.map(\.utf8.count) == [2, 2, 2, 3])
    func line(_ words: [String]) -> [UInt8] {
      Array("M\r\nX-B: ".utf8) + [0xFF]
        + Array("/\(words[0]):@\(words[1])[`\(words[2]){\(words[3])}upnp\r\n".utf8)
    }
    expectEqual(anonymiser.payload(line(["a0", "z9", "Az", "ZA1"])), line(words))
  }

  @Test("figures become figures, a to f those, other letters others, capitals capitals: all of them, and no other")
  func forms() {
    let word = String(repeating: "A", count: 200) + String(repeating: "Z", count: 200) + "FG"
    var anonymiser = Anonymiser()
    for field in ["X-A: ", "USN: uuid:"] {
      let capitals = String(anonymiser.text("M\r\n" + field + word).dropFirst(2 + field.count))
      let small = String(anonymiser.text("M\r\n" + field + word.lowercased()).dropFirst(2 + field.count))
      #expect(capitals.allSatisfy { $0.isUppercase } && small == capitals.lowercased())
      expectEqual(Set(small.prefix(200)), Set("abcdef"))
      expectEqual(Set(small.dropFirst(200).prefix(200)), Set("ghijklmnopqrstuvwxyz"))
      let last = Array(small.suffix(2))
      #expect(last.count == 2 && "abcdef".contains(last[0]) && "ghijklmnopqrstuvwxyz".contains(last[1]))
    }
    let figures = anonymiser.text("M\r\nX-A: " + String(repeating: "9", count: 300)).dropFirst(7)
    #expect(figures.count == 300 && Set(figures) == Set("0123456789"))
  }

  @Test("octets are given out in their order from the second on, the first last, and then those of other lengths")
  func octets() {
    var anonymiser = Anonymiser()
    let given = (1...254).map { anonymiser.address(IPAddress(192, 168, 1, UInt8($0))).description }
    let ones = Array(2...9) + [1]
    let tens = Array(20...99) + Array(10...19)
    let hundreds = Array(110...254) + Array(100...109)
    expectEqual(given, (ones + tens + hundreds).map { "192.168.2.\($0)" })
    // Of first octets none that has a meaning, as long as there are others.
    var firsts = Anonymiser()
    let asked = (100...223).filter { $0 != 127 }
    let free = (Array(138...191) + Array(128...137) + Array(1...126)).filter {
      ![10, 169, 172, 192, 198, 203].contains($0)
    }
    let results = asked.map { firsts.address(IPAddress(UInt8($0), 0, 0, 7)).description }
    expectEqual(results, free.prefix(asked.count).map { "\($0).0.0.2" })
    var small = Anonymiser()
    let one = small.address(IPAddress(1, 1, 1, 1)).description
    expectEqual(one, "2.2.2.2")
  }

  @Test("a letter becomes another of as many bytes, while there are any; no private character stays")
  func letters() {
    var anonymiser = Anonymiser()
    let before =
      "M\r\nX-A: \u{E000} \u{F8FF} \u{F900} \u{100}\u{101}\u{103} \u{623F}\u{53A8}\u{4E00} "
      + "\u{20000}\u{10330}"
    let expected =
      "M\r\nX-A: \u{FFFD} \u{FFFD} \u{4E00} \u{101}\u{100}\u{102} \u{4E01}\u{4E02}\u{4E03} "
      + "\u{20001}\u{20000}"
    let after = anonymiser.text(before)
    expectEqual(Array(after.unicodeScalars), Array(expected.unicodeScalars))
    // As many as there are of two bytes.
    let range: ClosedRange<UInt32> = 0xAA...0x7FF
    let all = range.compactMap { Unicode.Scalar($0) }.filter { $0.properties.isAlphabetic }
    var other = Anonymiser()
    let result = other.text("M\r\nX-A: " + String(String.UnicodeScalarView(all)))
    let scalars = Array(result.unicodeScalars.dropFirst(8))
    #expect(scalars.count == all.count && Set(scalars).count == all.count)
    #expect(scalars.allSatisfy { range.contains($0.value) })
  }

  @Test("of a field 6399 names are replaced, and what is a name beyond that is left out")
  func many() {
    var anonymiser = Anonymiser()
    let result = anonymiser.text("M\r\nX-ALL: " + Array(repeating: "9.9.9.9", count: 6_500).joined(separator: " "))
    let words = result.split(separator: " ").dropFirst()
    #expect(words.count == 6_399 && words.allSatisfy { $0 == "2.2.2.2" })
  }

  @Test("of several names that became one each is told with the first of them")
  func became() throws {
    var capture = TinyCapture()
    for last in 20..<23 { capture.add(0, "192.168.1.\(last)", TinyCapture.alive("lamp-\(last)")) }
    let before = try CaptureTape.read(as: .everybody) { try capture.reader() }
    var after = before
    for place in 1..<3 { after.messages[place].source.address = before.messages[0].source.address }
    let told = [21, 22].map { "address 192.168.1.\($0) and 192.168.1.20 became one" }
    expectEqual(Anonymiser.ambiguities(before, after), told)
  }
}
