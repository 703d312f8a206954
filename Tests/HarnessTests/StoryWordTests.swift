import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing
import RollcallWire

/// The words of a story: what a refusal means, why a LOCATION is not handed on, how long something took, and how rows
/// are laid out.
@Suite("Words of a story")
struct StoryWordTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private static let alive = TinyCapture.alive("lamp")
  private static func with(_ line: String) -> String { alive.replacing("NTS:", with: "\(line)\nNTS:") }
  private static let longLine = "\(String(repeating: "x", count: 256)): 1"
  private static let manyLines = (1...26).map { "X\($0): 1" }.joined(separator: "\n")

  /// A capture of payloads that need not be text, a second apart.
  private func story(_ payloads: [[UInt8]], settings: [String] = []) throws -> Story {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "eth0")
    let link = LinkAddresses(source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(1, 0, 0x5E, 0, 0, 1))
    let (source, group) = (Endpoint(IPAddress(192, 168, 1, 20), port: 1_900), Endpoint(.ssdpGroup4, port: 1_900))
    for (number, payload) in payloads.enumerated() {
      for frame in FrameWriter.udp(link, from: source, to: group, hopLimit: 2, payload: payload) {
        writer.frame(interface: interface, time: .zero + .seconds(Int64(number)), frame)
      }
    }
    writer.finish()
    var engine = EngineConfiguration()
    try engine.apply(settings)
    let teller = StoryTeller(configuration: engine)
    var replay = Replay(options: ReplayOptions(engine: engine, wantsMessages: false), teller: teller)
    var reader = try TinyCapture.reader(writer.bytes)
    replay.run(&reader)
    return teller.finished(frames: replay.summary.frames)
  }

  // MARK: Refusals

  private static let refusals: [(reason: RejectionReason, text: String, why: String)] = [
    (.empty, "", "the datagram has no byte"),
    (.tooShort, "NOTIFY *", "it ends inside its start line"),
    (.tooLong, with(longLine), "a line or a name is longer than any that is needed"),
    (.startLine, "hello", "the start line is none of the three that SSDP has"),
    (.lineEnd, with("X: a\r"), "a line does not end with CR LF"),
    (.controlByte, with("X: a\u{1}b"), "a value holds a control byte"),
    (.noColon, with("no"), "a line has no colon"),
    (.emptyName, with(": 1"), "a field has no name"),
    (.nameBytes, with("X(: 1"), "a field name holds a byte that no name has"),
    (.whitespaceBeforeColon, with("X : 1"), "blanks stand before a colon"),
    (.foldedLine, with(" X: 1"), "a line begins with a blank"),
    (.tooManyFields, with(manyLines), "more than 32 fields"),
    (.duplicateField, with("SERVER: a/1 UPnP/1.0 b/1"), "a field occurs twice"),
    (.noBlankLine, String(alive.dropLast()), "no blank line at the end"),
    (.bytesAfterBlankLine, "\(alive)x", "bytes after the blank line"),
    (
      .missingField, TinyCapture.alive("lamp", location: nil), "a field that this kind of message must have is missing"
    ),
    (.emptyField, TinyCapture.alive("lamp", location: ""), "a field that must say something is empty"),
    (.badNTS, alive.replacing("ssdp:alive", with: "ssdp:here"), "NTS is none of alive, byebye and update"),
    (
      .badMAN, TinyCapture.search("ssdp:all").replacing(":discover", with: ":find"), "MAN is not \"ssdp:discover\""
    ),
    (.badMX, TinyCapture.search("ssdp:all", mx: 6), "MX is no number that may be"),
    (.badMaxAge, alive.replacing("max-age=1800", with: "max-age=x"), "max-age cannot be read"),
    (.badHost, alive.replacing("HOST: 239.255.255.250", with: "HOST: 239.255.255.251"), "HOST is not the group"),
    (.badUSN, alive.replacing("uuid:lamp", with: "lamp"), "the USN names no uuid"),
    (.badNumber, with("BOOTID.UPNP.ORG: x"), "a number cannot be read"),
  ]

  @Test("each refusal of a message that breaks the strict rules in one way is told with what it means")
  func refused() throws {
    for (reason, text, why) in Self.refusals {
      let story = try story([TinyCapture.octets(text)], settings: ["mode=strict"])
      expectEqual(story.unmade.map(\.reason), [.refused(reason)], "\(reason)")
      let rows = StoryLifeTests.text(story).split(separator: "\n").filter { $0.contains("refused, \(reason) at byte ") }
      #expect(rows.count == 1 && rows[0].hasSuffix(": " + why), "\(rows)")
    }
    let bytes = TinyCapture.octets(Self.with("X: a\u{1}b")).map { $0 == 1 ? 0xFF : $0 }
    let text = StoryLifeTests.text(try story([bytes], settings: ["mode=strict"]))
    #expect(text.contains("refused, notUTF8 at byte 138: a value is not UTF-8\n"), "\(text)")
    // Names that are too long for the engine are its bound; a line that is too long beside long names is none.
    let (long, longer) = ("urn:" + String(repeating: "x", count: 296), "urn:" + String(repeating: "x", count: 509))
    for (target, more, reason) in [
      (long, Self.longLine + "\n", .refused(.tooLong)), (longer, "", .bound("name-bytes")),
    ] as [(String, String, UnmadeReason)] {
      let alive = TinyCapture.octets(TinyCapture.alive("lamp", target, more: more))
      try expectEqual(story([alive], settings: ["mode=strict"]).unmade.map(\.reason), [reason])
    }
  }

  @Test("each refusal by what the engine knows is told with what it means")
  func refusedByState() throws {
    func boot(_ number: Int) -> String { TinyCapture.alive("lamp", more: "BOOTID.UPNP.ORG: \(number)\n") }
    let alive = TinyCapture.alive("lamp")
    let update = alive.replacing(
      "NTS: ssdp:alive", with: "NTS: ssdp:update\nBOOTID.UPNP.ORG: 1\nCONFIGID.UPNP.ORG: 1\nNEXTBOOTID.UPNP.ORG: 2")
    let cases: [(messages: [(Double, Int, String)], told: String)] = [
      (
        [(0, 20, alive), (1, 20, TinyCapture.byebye("lamp")), (1.5, 20, alive)],
        "+1.500 frame 3 1× alive from 192.168.1.20 uuid:lamp: refused, staleAfterByebye at byte 191: it comes on the "
          + "heels of a byebye of the same device, as a late copy would"
      ),
      (
        [(0, 20, boot(7)), (10, 20, boot(8)), (10.5, 20, boot(7))],
        "+10.500 frame 3 1× alive from 192.168.1.20 uuid:lamp: refused, staleBootID at byte 191: it has the BOOTID "
          + "from before the reboot that is known already"
      ),
      (
        [(0, 20, alive), (1, 66, TinyCapture.byebye("lamp"))],
        "+1.000 frame 2 1× byebye from 192.168.1.66 uuid:lamp: refused, foreignByebye at byte 91: a byebye from an "
          + "address that never announced the device"
      ),
      (
        [(0, 20, alive), (1, 66, update)],
        "+1.000 frame 2 1× update from 192.168.1.66 uuid:lamp: refused, foreignUpdate at byte 258: an update from an "
          + "address that never announced the device"
      ),
    ]
    for (messages, told) in cases {
      var capture = TinyCapture()
      for (seconds, last, text) in messages { capture.add(seconds, "192.168.1.\(last)", text) }
      let rows = StoryLifeTests.text(try capture.story()).split(separator: "\n").map(String.init)
        .drop { $0 != "Datagrams that made no device" }
      expectEqual(rows.dropFirst().first, told)
    }
  }

  // MARK: LOCATION

  @Test("each rule that a LOCATION breaks is told in words, with the byte where it does, and a long one is cut")
  func locations() throws {
    let long = "http://192.168.7.7/" + String(repeating: "d", count: 61)
    let cases: [(location: String, told: String)] = [
      ("*", "is no URL to fetch from: it is an asterisk at its byte 0"),
      ("http://a b/", "is no URL to fetch from: a blank at its byte 8"),
      ("http://a\u{1}b/", "is no URL to fetch from: a control byte at its byte 8"),
      ("d.xml", "is no URL to fetch from: no scheme and host at its byte 0"),
      ("ftp://a/", "is no URL to fetch from: a scheme other than http and https at its byte 0"),
      ("http://me@a/", "is no URL to fetch from: a user name before the host at its byte 9"),
      ("http:///d", "is no URL to fetch from: no host at its byte 7"),
      ("http://(null)/", "is no URL to fetch from: a byte that no host name has at its byte 7"),
      ("http://1.2.3.4.5/", "is no URL to fetch from: digits that are no dotted address at its byte 7"),
      ("http://[::1/", "is no URL to fetch from: brackets and IPv6 address do not go together at its byte 7"),
      ("http://[fe80::1%]/", "is no URL to fetch from: a zone that cannot be used at its byte 15"),
      ("http://a:0/", "is no URL to fetch from: a port that is none at its byte 9"),
      ("http://0.0.0.0/", "is out of scope: unspecified, the host is no address of anybody"),
      ("http://127.0.0.1/", "is out of scope: loopback, the host is the reader's own"),
      ("http://239.1.1.1/", "is out of scope: multicast, the host is a group"),
      ("http://255.255.255.255/", "is out of scope: broadcast, the host is everybody"),
      (
        "http://[fe80::1]/",
        "is out of scope: familyMismatch, the host is of the other IP version than the message"
      ), ("http://169.254.1.1/", "is out of scope: linkLocal, a link-local host from a sender that is not"),
      ("http://192.168.7.7/", "is out of scope: offLink, the host is neither the sender nor on its link"),
      (long, "is out of scope: offLink, the host is neither the sender nor on its link"),
    ]
    func told(_ location: String, _ settings: [String] = []) throws -> [String] {
      var capture = TinyCapture()
      capture.add(0, Self.lamp, TinyCapture.alive("lamp", location: location))
      return try capture.story(settings: settings).findings.map(\.text)
    }
    let start = "is found, but an application gets no LOCATION of it: "
    for (location, words) in cases { try expectEqual(told(location), [start + "'\(location)' " + words]) }
    try expectEqual(told(long + "d"), [start + "'\(long)…' " + (cases.last?.told ?? "")])
    let name = String(repeating: "a", count: 256)
    try expectEqual(
      told("http://\(name)/"),
      [
        start + "'http://\(name.prefix(73))…' is no URL to fetch from: a host name that is too long at its byte 262"
      ])
    let fits = "http://192.168.1.20/d"
    try expectEqual(told(fits, ["limits.location-bytes=21"]), [])
    try expectEqual(
      told(fits, ["limits.location-bytes=20"]), [start + "'\(fits)' has 21 bytes, more than 'location-bytes' allows"])
  }

  // MARK: Times

  @Test("a time that something took is told in as many digits as it is worth, rounded down")
  func durations() throws {
    let cases: [(nanoseconds: Int64, told: String)] = [
      (0, "0 us"), (999, "0 us"), (1_000, "1 us"), (999_999, "999 us"), (1_000_000, "0.001 s"),
      (1_999_999, "0.001 s"), (10_000_000, "0.01 s"), (1_500_000_000, "1.5 s"), (10_000_000_000, "10 s"),
      (99_999_999_999, "99.999 s"), (100_000_000_000, "100 s"), (100_099_999_999, "100 s"),
      (100_199_999_999, "100.1 s"), (3_600_000_000_000, "3600 s"),
    ]
    for (nanoseconds, told) in cases {
      var writer = CaptureWriter(section: CaptureSection())
      let interface = writer.interface(name: "eth0")
      for time in [0, nanoseconds] { writer.frame(interface: interface, time: Instant(nanoseconds: time), [0]) }
      writer.finish()
      let teller = StoryTeller(configuration: EngineConfiguration())
      var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
      var reader = try TinyCapture.reader(writer.bytes)
      replay.run(&reader)
      expectEqual(
        StoryText.lines(teller.finished(frames: replay.summary.frames)),
        [
          "  2 frames in \(told), 0 messages; times are seconds since 0.000000000", "", "  No device was found.",
        ])
    }
  }

  // MARK: Rows

  @Test("of the party that was asked about each datagram is told in words, with what became of it")
  func party() throws {
    let update = TinyCapture.alive("lamp").replacing(
      "NTS: ssdp:alive", with: "NTS: ssdp:update\nBOOTID.UPNP.ORG: 1\nCONFIGID.UPNP.ORG: 1\nNEXTBOOTID.UPNP.ORG: 2")
    var capture = TinyCapture()
    capture.add(0, Self.phone, TinyCapture.search("upnp:rootdevice"))
    capture.add(0.1, Self.lamp, Self.phone, TinyCapture.answer("lamp", maxAge: 100))
    for (seconds, text) in [
      (1, TinyCapture.alive("lamp", maxAge: 100)), (2, TinyCapture.alive("lamp", "x:1", maxAge: 100)),
      (20, TinyCapture.alive("lamp", maxAge: 100)), (20.5, TinyCapture.alive("lamp", "x:1", maxAge: 100)),
    ] as [(Double, String)] { capture.add(seconds, Self.lamp, text) }
    capture.add(30, Self.lamp, Self.phone, TinyCapture.answer("lamp", maxAge: 100))
    capture.add(31, Self.lamp, TinyCapture.alive("lamp").replacing("uuid:lamp", with: "lamp"))
    capture.add(32, Self.lamp, update)
    capture.add(40, Self.lamp, TinyCapture.byebye("lamp"))
    let text = StoryLifeTests.text(try capture.story(Self.lamp))
    let heading = "\nWhat the engine made of its datagrams\n"
    let start = try #require(text.firstRange(of: heading))
    expectEqual(
      String(text[start.upperBound...]),
      """
      +0.100 frame 2 response upnp:rootdevice: made the device known, for 100 s
      +1.000 frame 3 alive upnp:rootdevice: a copy, which changes nothing
      +2.000 frame 4 alive x:1: a new lease of 100 s
      +20.000 frames 5–6 2× alive: renewed, with 81 s left
      +30.000 frame 7 response upnp:rootdevice: too late for search 1: nobody listened any more (28.9 s late)
      +31.000 frame 8 alive upnp:rootdevice: refused, badUSN: the USN names no uuid (byte 191)
      +32.000 frame 9 update upnp:rootdevice: changed the device
      +40.000 frame 10 byebye upnp:rootdevice: ended it
      """)
    #expect(text.contains("\nframes: 9 from it, 0 to it; announcements and answers: 9\n"), "\(text)")
  }

  @Test("a row is broken where the terminal ends and not before, never below sixty columns; times are told as asked")
  func layout() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    let story = try capture.story()
    let row = try #require(StoryText.lines(story, width: 1_000).first { $0.contains("first heard") })
    #expect(StoryText.lines(story, width: row.count).contains(row))
    let short = StoryText.lines(story, width: row.count - 1)
    let place = "http://192.168.1.20/d.xml"
    #expect(short.contains(String(row.dropLast(place.count + 1))))
    #expect(short.contains(String(repeating: " ", count: 34) + place))
    expectEqual(StoryText.lines(story, width: 1), StoryText.lines(story, width: 60))
    #expect(StoryText.lines(story, width: 60).allSatisfy { $0.count <= 60 })
    #expect(
      StoryText.lines(story, width: 1_000, times: .epoch).contains {
        $0.hasPrefix("    1000.000000000 frame 1            first heard")
      })
  }

  @Test("more than eight kinds of one reason are one row, whatever they asked or where they went; others are not")
  func together() throws {
    func rows(_ lines: [(String, String, String)]) throws -> [String] {
      var capture = TinyCapture()
      capture.add(0, Self.phone, TinyCapture.search("x:1"))
      for (number, line) in lines.enumerated() { capture.add(5 + Double(number) / 10, line.0, line.1, line.2) }
      let all = StoryLifeTests.text(try capture.story()).split(separator: "\n").map(String.init)
      return all.drop { $0 != "Datagrams that made no device" }.dropFirst().prefix { $0 != "Not found" }
        .filter { !$0.contains(" search from ") && !$0.hasPrefix("there: ") }
    }
    func answer(_ number: Int) -> String { TinyCapture.answer("lamp-\(number)", "x:1") }
    let group = TinyCapture.group
    // One sender, nine UUIDs; nine sockets that nobody searched from; nine answers that came too late.
    let byebyes = (1...9).map { (Self.lamp + ":1900", group, TinyCapture.byebye("lamp-\($0)")) }
    try expectEqual(
      rows(byebyes),
      [
        "+5.000 frames 2–10 9× byebye from 192.168.1.20, 9 kinds; the first, from 192.168.1.20: no event, since "
          + "nothing that stood was announced so"
      ])
    let sockets = (1...9).map { ("192.168.1.\($0 + 20):1900", "192.168.1.9:5000\($0)", answer(0)) }
    try expectEqual(
      rows(sockets),
      [
        "+5.000 frames 2–10 9× response from 9 addresses, 9 kinds; the first, from 192.168.1.21: an answer to "
          + "192.168.1.9:50001, from where the capture shows no search"
      ])
    let late = (1...9).map { (Self.lamp + ":1900", Self.phone, answer($0)) }
    try expectEqual(
      rows(late),
      [
        "+5.000 frames 2–10 9× response from 192.168.1.20, 9 kinds; the first, from 192.168.1.20: too late for search "
          + "1, by 3.9 s: nobody listened any more"
      ])
    // Eight of one reason and one of another, or of another type.
    try expectEqual(rows(Array(byebyes.prefix(8)) + [(Self.lamp + ":1900", group, "hello")]).count, 9)
    try expectEqual(rows(Array(late.prefix(8)) + [sockets[0]]).count, 9)
  }
}
