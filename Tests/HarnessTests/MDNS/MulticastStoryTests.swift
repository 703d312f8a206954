import Foundation
import RollcallCapture
import RollcallCaptureSupport
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallWire
import Testing

/// What `--explain` tells of multicast DNS: one row for each message.
@Suite("The story of multicast DNS") struct MulticastStoryTests {
  private static let type = DNSName("_x._tcp.local")!
  private static let lamp = DNSName("Lamp._x._tcp.local")!
  private static let host = DNSName("h.local")!
  private static let (owner, rival, asker) = ("10.0.0.5", "10.0.0.6", "10.0.0.9")

  private static func address(_ last: UInt8, ttl: UInt32 = 120) -> DNSRecord {
    DNSRecord(host, .address(IPAddress(10, 0, 0, last)), ttlSeconds: ttl, isCacheFlush: true)
  }
  private static func text(_ string: String) -> DNSRecord {
    DNSRecord(lamp, .txt([UInt8(string.utf8.count)] + string.utf8), ttlSeconds: 4_500, isCacheFlush: true)
  }
  private static func pointer(ttl: UInt32 = 4_500) -> DNSRecord { DNSRecord(type, .ptr(lamp), ttlSeconds: ttl) }
  private static let service = DNSRecord(
    lamp, .srv(priority: 0, weight: 0, port: 80, target: host), ttlSeconds: 120, isCacheFlush: true)

  private static func probe(_ last: UInt8) -> [UInt8] {
    var record = address(last)
    record.isCacheFlush = false
    return DNSMessage(
      flags: .query, questions: [DNSQuestion(host, .any, wantsUnicast: true)], authorities: [record]
    ).bytes
  }
  private static func query(
    _ name: DNSName, _ type: DNSType, known: [DNSRecord] = [], isTruncated: Bool = false
  ) -> [UInt8] {
    var flags = DNSFlags.query
    flags.isTruncated = isTruncated
    return DNSMessage(flags: flags, questions: [DNSQuestion(name, type)], answers: known).bytes
  }
  private static func response(_ answers: [DNSRecord], _ more: [DNSRecord] = []) -> [UInt8] {
    DNSMessage(flags: .response, answers: answers, additionals: more).bytes
  }

  /// Rows behind the heading, without times and frames.
  private static func rows(_ capture: TinyCapture, _ party: String? = nil) throws -> [String] {
    var lines = StoryText.lines(try capture.story(party), width: 10_000)
    lines = Array(lines.drop { $0 != "  Multicast DNS" }.dropFirst())
    return lines.map { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      return ([fields[2]] + fields.dropFirst(3)).joined(separator: " ")
    }
  }

  @Test("probes, announcements, questions, answers, changes, conflicts and goodbyes are told for what they are")
  func course() throws {
    var capture = TinyCapture()
    capture.add(0, Self.owner, payload: Self.probe(5))
    capture.add(0.1, Self.rival, payload: Self.probe(6))
    capture.add(0.25, Self.owner, payload: Self.probe(5))
    capture.add(
      0.5, Self.owner, payload: Self.response([Self.address(5), Self.pointer(), Self.service, Self.text("a=1")]))
    capture.add(1.5, Self.owner, payload: Self.response([Self.address(5), Self.pointer()]))
    capture.add(10, Self.asker, payload: Self.query(Self.type, .ptr))
    capture.add(10.08, Self.owner, payload: Self.response([Self.pointer()], [Self.service]))
    capture.add(11, Self.asker, payload: Self.query(Self.type, .ptr, known: [Self.pointer()], isTruncated: true))
    capture.add(11.01, Self.asker, payload: DNSMessage(flags: .query, answers: [Self.pointer()]).bytes)
    capture.add(12, Self.asker + ":40000", payload: Self.query(Self.host, .a))
    capture.add(12.001, Self.owner, to: Self.asker + ":40000", payload: Self.response([Self.address(5, ttl: 10)]))
    capture.add(20, Self.rival, payload: Self.probe(6))
    capture.add(20.001, Self.owner, payload: Self.response([Self.address(5)]))
    capture.add(30, Self.rival, payload: Self.response([Self.address(6)]))
    capture.add(31, Self.owner, payload: Self.response([Self.text("a=2")]))
    capture.add(300, Self.owner, payload: Self.response([Self.service, Self.pointer()]))
    capture.add(301, Self.owner, payload: Self.response([Self.pointer(ttl: 0)]))
    capture.add(301, Self.owner, payload: Self.response([Self.pointer(ttl: 0)]))
    capture.add(303, Self.rival, payload: Self.response([Self.pointer(ttl: 0)]))
    expectEqual(
      try Self.rows(capture),
      [
        "1 10.0.0.5 probes for h.local with A h.local → 10.0.0.5",
        "2 10.0.0.6 probes for h.local with A h.local → 10.0.0.6. 10.0.0.5 probes for it at the same time (frame 1), "
          + "with data that is earlier: this one keeps the name",
        "3 10.0.0.5 probes for h.local with the same data, again after 0.25 s (frame 1). 10.0.0.6 probes for it at the "
          + "same time (frame 2), with data that is later: the other keeps the name",
        "4 10.0.0.5 announces, 0.25 s after its last probe (frame 3): new: A h.local → 10.0.0.5 (120 s, flush), "
          + "PTR _x._tcp.local → Lamp._x._tcp.local (4500 s), SRV Lamp._x._tcp.local → h.local:80 (120 s, flush), "
          + "TXT Lamp._x._tcp.local \"a=1\" (4500 s, flush)",
        "5 10.0.0.5 announces again, 1 s after frame 4: as in frame 4, with 119 s of 120 s left: A h.local → 10.0.0.5; "
          + "as in frame 4, with 4499 s of 4500 s left: PTR _x._tcp.local → Lamp._x._tcp.local",
        "6 10.0.0.9 asks for PTR _x._tcp.local",
        "7 10.0.0.5 answers frame 6 after 0.08 s: as in frame 5, with 4491.4 s of 4500 s left: PTR _x._tcp.local → "
          + "Lamp._x._tcp.local; as in frame 4, with 110.4 s of 120 s left: SRV Lamp._x._tcp.local → h.local:80",
        "8 10.0.0.9 asks for PTR _x._tcp.local, again after 1 s (frame 6); knows 1 answer; more known answers follow",
        "9 10.0.0.9 goes on with known answers of frame 8; knows 1 answer",
        "10 10.0.0.9 asks as a plain DNS client for A h.local",
        "11 10.0.0.5 answers frame 10 after 0.001 s, to 10.0.0.9:40000 alone: as in frame 5, with 109.4 s of 120 s "
          + "left: A h.local → 10.0.0.5",
        "12 10.0.0.6 probes for h.local with the same data, again after 19.9 s (frame 2)",
        "13 10.0.0.5 answers the probe of frame 12 after 0.001 s, the name is taken: as in frame 5, with 101.4 s of "
          + "120 s left: A h.local → 10.0.0.5",
        "14 10.0.0.6 announces, 10 s after its last probe (frame 12): in conflict with 10.0.0.5 (frame 13): "
          + "A h.local → 10.0.0.6 (120 s, flush)",
        "15 10.0.0.5 says unasked: other data than in frame 4: TXT Lamp._x._tcp.local \"a=2\" (4500 s, flush)",
        "16 10.0.0.5 says unasked: as in frame 7, which was over for 169.9 s: SRV Lamp._x._tcp.local → h.local:80 "
          + "(120 s, flush); as in frame 7, with 4210 s of 4500 s left: PTR _x._tcp.local → Lamp._x._tcp.local",
        "17 10.0.0.5 says goodbye: ends what frame 16 said: PTR _x._tcp.local → Lamp._x._tcp.local",
        "18 10.0.0.5 says goodbye: the same as frame 17: PTR _x._tcp.local → Lamp._x._tcp.local",
        "19 10.0.0.6 says goodbye: ends what nobody said here: PTR _x._tcp.local → Lamp._x._tcp.local",
      ])
  }

  @Test(
    "what a goodbye ended is told with the frame that said it, and what stands twice in a message is told once more")
  func goodbyes() throws {
    var capture = TinyCapture()
    capture.add(0, Self.owner, payload: Self.response([Self.pointer(), Self.service]))
    capture.add(10, Self.owner, payload: Self.response([Self.pointer(ttl: 0), Self.pointer(ttl: 0)]))
    capture.add(10.5, Self.owner, payload: Self.response([Self.pointer(), Self.pointer()]))
    capture.add(20, Self.owner, payload: Self.response([Self.pointer(ttl: 0)]))
    capture.add(23.5, Self.owner, payload: Self.response([Self.pointer()]))
    expectEqual(
      try Self.rows(capture),
      [
        "1 10.0.0.5 says unasked: new: PTR _x._tcp.local → Lamp._x._tcp.local (4500 s), "
          + "SRV Lamp._x._tcp.local → h.local:80 (120 s, flush)",
        "2 10.0.0.5 says goodbye: ends what frame 1 said: PTR _x._tcp.local → Lamp._x._tcp.local; once more in this "
          + "message: PTR _x._tcp.local → Lamp._x._tcp.local",
        "3 10.0.0.5 says unasked: as in frame 1, which the goodbye of frame 2 ended 0.5 s before: PTR _x._tcp.local → "
          + "Lamp._x._tcp.local (4500 s); once more in this message: PTR _x._tcp.local → Lamp._x._tcp.local",
        "4 10.0.0.5 says goodbye: ends what frame 3 said: PTR _x._tcp.local → Lamp._x._tcp.local",
        "5 10.0.0.5 says unasked: as in frame 3, which the goodbye of frame 4 ended 3.5 s before: PTR _x._tcp.local → "
          + "Lamp._x._tcp.local (4500 s)",
      ])
    let lines = StoryLines.json(try capture.story(), capture: "c")
    let object = #""said":"afterGoodbye","frame":1,"goodbyeFrame":2,"overFor":"0.500000000"}"#
    #expect(lines[2].contains(object), "\(lines[2])")
    #expect(lines[2].contains(#""said":"twice"}"#), "\(lines[2])")
  }

  @Test("hosts probe for one name at the same time on one interface and by one version of IP")
  func rivals() throws {
    var capture = TinyCapture()
    capture.interfaces = ["eth0", "wlan0"]
    capture.add(0, Self.owner, payload: Self.probe(5))
    capture.add(0.01, "[fe80::5]:5353", to: "[ff02::fb]:5353", payload: Self.probe(5))
    capture.add(0.1, Self.rival, payload: Self.probe(6))
    capture.add(0.2, "10.1.0.7", payload: Self.probe(7))
    capture.lines[3].interface = 1
    expectEqual(
      try Self.rows(capture),
      [
        "1 10.0.0.5 probes for h.local with A h.local → 10.0.0.5",
        "2 fe80::5 probes for h.local with A h.local → 10.0.0.5",
        "3 10.0.0.6 probes for h.local with A h.local → 10.0.0.6. 10.0.0.5 probes for it at the same time (frame 1), "
          + "with data that is earlier: this one keeps the name",
        "4 10.1.0.7 probes for h.local with A h.local → 10.0.0.7",
      ])
  }

  @Test("frames that a line of JSON refers to are numbers, as its own is")
  func numbers() throws {
    var capture = TinyCapture()
    capture.add(0, Self.owner, payload: Self.probe(5))
    capture.add(0.1, Self.rival, payload: Self.probe(6))
    capture.add(0.5, Self.owner, payload: Self.response([Self.address(5)]))
    capture.add(3, Self.owner, payload: Self.response([Self.address(5)]))
    let lines = StoryLines.json(try capture.story(), capture: "c")
    #expect(lines[1].contains(#""tieFrame":1,"#), "\(lines[1])")
    #expect(lines[2].contains(#""role":"announcement","earlierFrame":1,"#), "\(lines[2])")
    #expect(lines[3].contains(#""said":"again","frame":3,"#), "\(lines[3])")
  }

  @Test("a host that speaks multicast DNS is not said to be silent, whether it searches by SSDP or not")
  func speakers() throws {
    var capture = TinyCapture()
    capture.add(0, Self.owner, payload: Self.response([Self.pointer(), Self.service]))
    let story = try capture.story(Self.owner)
    expectEqual(story.findings.map(\.kind), [.multicastOnly])
    let text = StoryText.lines(story, width: 1_000)
    #expect(
      text.contains(
        "    10.0.0.5: speaks multicast DNS (1 message), and none of its frames holds an SSDP message, nor a join of the "
          + "SSDP group."), "\(text)")
    #expect(text.contains("    frames: 1 from it, 0 to it; messages of multicast DNS: 1"), "\(text)")
    capture.add(1, Self.owner, TinyCapture.search("ssdp:all"))
    let searching = try capture.story(Self.owner).findings
    expectEqual(
      searching.map(\.text),
      ["speaks multicast DNS (1 message); by SSDP: only searched (1 time) and announced nothing"])
    capture.add(2, Self.asker, payload: [1])
    expectEqual(try capture.story(Self.asker).findings.map(\.kind), [.neverAnnounced])
  }

  @Test(
    "a name tells of its host or service alone: whole, without local, as its first label, or as reports call it",
    arguments: [
      ("h.local", [1, 2, 3, 4, 7]), ("H", [1, 2, 3, 4, 7]), ("Lamp._x._tcp.local", [3, 7]),
      ("lamp._x._tcp", [3, 7]), ("Lamp", [3, 7]), ("peer:Lamp._x._tcp.local", [3, 7]), ("_x._tcp", [3, 6, 7, 8]),
      ("Dr. No", [8]), ("local", []), ("_tcp", []), ("10", []), ("x", []),
    ])
  func names(_ name: String, _ frames: [Int]) throws {
    var capture = TinyCapture()
    capture.add(0, Self.owner, payload: Self.probe(5))
    capture.add(0.25, Self.owner, payload: Self.response([Self.address(5)]))
    capture.add(1, Self.owner, payload: Self.response([Self.service, Self.pointer()]))
    capture.add(2, Self.asker, payload: Self.query(Self.host, .a))
    capture.add(3, Self.asker, payload: Self.query(DNSName("other.local")!, .a))
    capture.add(4, Self.asker, payload: Self.query(Self.type, .ptr))
    capture.add(5, Self.owner, payload: Self.response([Self.pointer(ttl: 0), Self.service]))
    let doctor = DNSRecord(Self.type, .ptr(Self.type.adding("Dr. No")!), ttlSeconds: 4_500)
    capture.add(6, Self.rival, payload: Self.response([doctor]))
    capture.add(7, Self.owner, TinyCapture.alive("lamp"))
    let story = try capture.story(name)
    expectEqual(story.multicast.map(\.frame), frames)
    expectEqual(story.devices.count, 0)
    expectEqual(story.findings.count, 1)
  }

  @Test("of a name it is said whether it is announced, asked for only, or not named at all")
  func named() throws {
    var capture = TinyCapture()
    capture.add(0, Self.asker, payload: Self.query(DNSName("other.local")!, .a))
    capture.add(1.5, Self.owner, payload: Self.response([Self.address(5)]))
    func told(_ name: String) throws -> [String] { try capture.story(name).findings.map { "\($0.kind) \($0.text)" } }
    try expectEqual(told("h"), ["found is announced by multicast DNS, from +1.500 on"])
    try expectEqual(
      told("other"),
      ["neverAnnounced never announced: it is asked or probed for, and no response says that it is there"])
    try expectEqual(told("nobody"), ["neverAnnounced no message of multicast DNS in the capture names it"])
  }

  @Test("what is no message, and what multicast DNS has no meaning for, is ignored with the reason")
  func ignored() throws {
    var capture = TinyCapture()
    var flags = DNSFlags.query
    flags.opcode = 4
    capture.add(0, Self.owner, payload: [0, 0, 0x84, 0, 0, 0, 0, 1])
    capture.add(1, Self.owner, payload: DNSMessage(flags: flags).bytes)
    flags = .response
    flags.responseCode = 3
    capture.add(2, Self.owner, payload: DNSMessage(flags: flags).bytes)
    capture.add(3, Self.owner + ":4000", payload: Self.response([Self.address(5)]))
    capture.add(4, Self.owner, payload: Self.response([Self.address(5)]) + [1, 2])
    capture.add(5, Self.owner, payload: Self.response([]))
    var pointer = Self.query(Self.type, .ptr)
    pointer[12] = 0xC0
    capture.add(6, Self.owner, payload: pointer)
    expectEqual(
      try Self.rows(capture),
      [
        "1 10.0.0.5 ignored: no DNS message, byte 8: a header of 12 bytes was expected, found 8 bytes",
        "2 10.0.0.5 ignored: opcode 4, and multicast DNS has only 0",
        "3 10.0.0.5 ignored: response code 3, and multicast DNS has only 0",
        "4 10.0.0.5 ignored: a response from port 4000, and not from 5353",
        "5 10.0.0.5 says unasked: new: A h.local → 10.0.0.5 (120 s, flush). Left out: byte 35: the end of the message "
          + "was expected, found 2 bytes", "6 10.0.0.5 says unasked: nothing",
        "7 10.0.0.5 ignored: no DNS message, byte 12: a pointer to a byte before 12 was expected, found one to 95",
      ])
  }

  @Test("who is asked about alone is told of, and a host hears what is sent to it or to the group")
  func parties() throws {
    var capture = TinyCapture()
    capture.add(0, Self.asker, payload: Self.query(Self.host, .a))
    capture.add(0.1, Self.owner, to: Self.asker + ":5353", payload: Self.response([Self.address(5)]))
    expectEqual(
      try Self.rows(capture, Self.owner),
      ["2 10.0.0.5 answers frame 1 after 0.1 s, to 10.0.0.9:5353 alone: new: A h.local → 10.0.0.5 (120 s, flush)"])
    expectEqual(try Self.rows(capture, Self.rival), [])
    expectEqual(
      StoryLines.json(try capture.story(as: .host(Self.rival)), capture: "c").dropLast().map { $0 },
      [
        #"{"schema":"rollcall/1","kind":"story","about":"multicast","time":"1000.000000000","frame":1,"source":"10.0.0.9:5353","destination":"224.0.0.251:5353","message":"query","questions":["A h.local"],"known":0,"text":"asks for A h.local"}"#,
        #"{"schema":"rollcall/1","kind":"story","about":"multicast","time":"1000.100000000","frame":2,"source":"10.0.0.5:5353","destination":"10.0.0.9:5353","message":"ignored","reason":"notHeard","text":"ignored: it went to 10.0.0.9, so the host of this replay did not hear it"}"#,
      ])
  }

  /// Read from the frames with tshark.
  static let facts: [(capture: String, sentences: [String])] = [
    (
      "iot-lightify-c16.pcap",
      [
        "frame 13 10.10.10.114 probes for Lightify-017b5f6b.local, 114.10.10.10.in-addr.arpa, "
          + "Lightify-017b5f6b._http._tcp.local with the same data, again after 0.248 s (frame 11)",
        "frame 15 10.10.10.114 announces, 0.249 s after its last probe (frame 14): new: A Lightify-017b5f6b.local → "
          + "10.10.10.114 (255 s, flush)",
        "frame 176 10.10.10.114 says goodbye: ends what frame 15 said: A Lightify-017b5f6b.local → 10.10.10.114",
        "frame 186 10.10.10.114 announces, 0.249 s after its last probe (frame 185): as in frame 15, which the "
          + "goodbye of frame 176 ended 2.055 s before:",
        "once more in this message: SRV Lightify-017b5f6b._http._tcp.local → Lightify-017b5f6b.local:80, PTR",
      ]
    ),
    (
      "tls-cert-too-long.pcap",
      [
        "frame 18 192.168.1.139 asks for PTR _companion-link._tcp.local (QU), PTR _homekit._tcp.local (QU)",
        "frame 20 192.168.1.121 answers frame 18 after 0.022 s, to 192.168.1.139:5353 alone: new: PTR "
          + "_companion-link._tcp.local → MBPro._companion-link._tcp.local (4500 s)",
        "frame 37 192.168.1.139 asks for PTR _companion-link._tcp.local, PTR _homekit._tcp.local; knows 1 answer",
      ]
    ),
  ]

  @Test("what the frames of real captures show stands in the story", arguments: facts.indices)
  func field(_ number: Int) throws {
    let fact = Self.facts[number]
    guard let file = CaptureFolder.capture("mdns/" + fact.capture, for: "stories of multicast DNS") else { return }
    let teller = StoryTeller(configuration: EngineConfiguration())
    var reader = try CaptureReader(path: file.path)
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
    replay.run(&reader)
    let text = StoryText.lines(teller.finished(frames: replay.summary.frames)).joined(separator: " ")
      .split(separator: " ").joined(separator: " ")
    for sentence in fact.sentences { #expect(text.contains(sentence), "\(sentence)") }
    CaptureFolder.checked(file)
  }
}
