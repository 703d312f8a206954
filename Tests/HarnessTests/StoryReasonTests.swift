import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing
import RollcallWire

/// What `--explain` says of searches, of datagrams that made no device, of one party, of frames and of a probe.
@Suite("Reasons and searches, told")
struct StoryReasonTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  /// An announcement or an answer of somebody at the address that ends so.
  private static func place(_ last: Int) -> String { "http://192.168.1.\(last)/" }

  /// The rows of a section, each on one line.
  private func rows(_ story: Story, _ section: String) -> String {
    let sections = ["Devices", "Searches", "Datagrams that made no device", "Not found"]
    let lines = StoryLifeTests.text(story).split(separator: "\n").drop { $0 != section }.dropFirst()
    return lines.prefix { !sections.contains(String($0)) }.joined(separator: "\n")
  }

  private func json(_ story: Story, _ about: String) -> String {
    StoryLifeTests.lines(story, about: about).joined(separator: "\n")
      .replacing("source:192.168.1.20:1900,destination:239.255.255.250:1900,", with: "")
  }

  // MARK: Searches

  @Test("searches are told with copies, answers, late ones and other targets; those that nobody answered together")
  func searches() throws {
    var capture = TinyCapture()
    capture.add(0, Self.phone, TinyCapture.search("ssdp:all", mx: 0))
    capture.add(0.2, Self.lamp, Self.phone, TinyCapture.answer("lamp"))
    capture.add(0.3, Self.lamp, Self.phone, TinyCapture.answer("lamp", Self.service(1)))
    capture.add(0.4, "192.168.1.21", Self.phone, TinyCapture.answer("hall", location: Self.place(21)))
    capture.add(0.5, Self.phone, TinyCapture.search("ssdp:all", mx: 1))
    capture.add(0.6, Self.phone, TinyCapture.search("upnp:rootdevice", mx: 2))
    capture.add(0.7, Self.lamp, Self.phone, TinyCapture.answer("lamp"))
    capture.add(0.8, "192.168.1.22", Self.phone, TinyCapture.answer("door", Self.service(2), location: Self.place(22)))
    for seconds in [2.71, 2.75] {
      capture.add(seconds, "192.168.1.23", Self.phone, TinyCapture.answer("gate", location: Self.place(23)))
    }
    capture.add(2.76, "192.168.1.24", Self.phone, TinyCapture.answer("shed", Self.service(3), location: Self.place(24)))
    capture.add(3, "192.168.1.9:50001", "192.168.1.20:1900", TinyCapture.search("upnp:rootdevice", mx: 121))
    for (seconds, socket, target, mx) in [
      (4, "9:50002", "roku:ecp", 1), (4, "9:50003", "roku:ecp", 1), (6, "9:50004", "roku:ecp", 1),
      (6, "8:50004", "roku:ecp", 1), (6, "9:50005", "roku:ecp", 2), (6, "9:50006", "roku:ecps", 1),
      (6.1, "9:50006", "roku:ecps", 1),
    ] as [(Double, String, String, Int)] {
      capture.add(seconds, "192.168.1." + socket, TinyCapture.search(target, mx: mx))
    }
    capture.add(6.5, Self.lamp, "192.168.1.9:50006", TinyCapture.answer("lamp"))
    capture.add(9, "192.168.1.9:50007", TinyCapture.search("roku:ecp"))
    let story = try capture.story()
    expectEqual(
      rows(story, "Searches"),
      """
      +0.000 frames 1…5 search 1 for ssdp:all from 192.168.1.9:40000, 2 copies, MX 1 s: 4 services of 3 devices; \
      over at +1.600; 1 answer too late, by 1.16 s (frame 11)
      +0.600 frame 6 search 2 for upnp:rootdevice from 192.168.1.9:40000, 1 copy, MX 2 s: 1 service of 1 device; \
      over at +2.700; 2 answers too late, by 0.01 s to 0.05 s (frames 9–10)
      +3.000 frame 12 search 3 for upnp:rootdevice from 192.168.1.9:50001 to 192.168.1.20:1900, 1 copy, MX 120 s: no \
      answer; still open at the end of the capture, until +123.100
      +4.000 frames 13–15 3 searches for roku:ecp from 192.168.1.9, MX 1 s: nobody answered; the last is over at \
      +7.100
      +6.000 frame 16 search 7 for roku:ecp from 192.168.1.8:50004, 1 copy, MX 1 s: no answer; over at +7.100
      +6.000 frame 17 search 8 for roku:ecp from 192.168.1.9:50005, 1 copy, MX 2 s: no answer; over at +8.100
      +6.000 frames 18–19 search 9 for roku:ecps from 192.168.1.9:50006, 2 copies, MX 1 s: no answer; over at \
      +7.200; 1 answer with another target
      +9.000 frame 21 search 10 for roku:ecp from 192.168.1.9:50007, 1 copy, MX 1 s: no answer; still open at the \
      end of the capture, until +10.100
      """)
    expectEqual(
      rows(story, "Not found"),
      """
      uuid:gate (192.168.1.23): answered too late: 2 answers 0.01 s to 0.05 s after search 2 for upnp:rootdevice \
      ended (frames 9–10).
      uuid:shed (192.168.1.24): answered too late: 1 answer 1.16 s after search 1 for ssdp:all ended (frame 11).
      Control points that only searched: 192.168.1.9, 192.168.1.8
      """)
    expectEqual(
      StoryLifeTests.lines(story, about: "search").prefix(2).joined(separator: "\n"),
      """
      time:1000,search:1,target:ssdp:all,source:192.168.1.9:40000,destination:239.255.255.250:1900,copies:2,\
      maximumWaitSeconds:1,frames:[1,5],end:1001.600000000,ended:true,services:4,devices:3,late:1,\
      lateLeast:1.160000000,lateMost:1.160000000,lateFrames:[11],otherTargets:0
      time:1000.600000000,search:2,target:upnp:rootdevice,source:192.168.1.9:40000,destination:239.255.255.250:1900,\
      copies:1,maximumWaitSeconds:2,frames:[6],end:1002.700000000,ended:true,services:1,devices:1,late:2,\
      lateLeast:0.010000000,lateMost:0.050000000,lateFrames:[9-10],otherTargets:0
      """)
    expectEqual(
      StoryLifeTests.lines(story, about: "datagrams")[1],
      """
      time:1002.710000000,reason:late,search:2,type:response,source:192.168.1.23,uuid:uuid:gate,count:2,\
      frames:[9-10],lastTime:1002.750000000,offset:0,lateLeast:0.010000000,lateMost:0.050000000,text:too late for \
      search 2, by 0.01 s to 0.05 s: nobody listened any more
      """)
    // One search at a time, of two services: the second is not taken, and answers to it are dropped by that bound.
    let full = try capture.story(settings: ["limits.services-per-search=2", "limits.searches-open=1"])
    let told = rows(full, "Searches").split(separator: "\n")
    #expect(
      told[0].contains(": 2 services of 1 device, and no more by the bound 'services-per-search' of the engine; over"))
    #expect(told[1].hasSuffix("MX 2 s: 1 searches are open, no more fit: stop one or wait for one to end."))
    #expect(
      rows(full, "Not found").hasPrefix(
        "uuid:gate (192.168.1.23): is dropped by the bound 'searches-open' of the engine (2 answers) (frames 9–10).\n"))
  }

  // MARK: Datagrams that made no device

  private func reasons() -> TinyCapture {
    let alive = TinyCapture.alive("lamp", maxAge: 100)
    let broken = TinyCapture.alive("lamp").replacing("USN: uuid:lamp::", with: "USN: tv:")
    var capture = TinyCapture()
    for (seconds, text) in [
      (0, alive), (0.5, alive), (1, TinyCapture.alive("lamp", Self.service(1), maxAge: 100)), (20, alive),
      (21.5, TinyCapture.alive("lamp", Self.service(1), maxAge: 100)), (36, alive), (37, alive),
    ] as [(Double, String)] { capture.add(seconds, Self.lamp, text) }
    capture.add(38, Self.lamp, "192.168.1.9:1900", alive)
    capture.add(50, Self.lamp, broken)
    capture.add(51, Self.lamp, broken.replacing("NOTIFY * ", with: "NOTIFY *  "))
    capture.add(52, Self.lamp, Self.phone, TinyCapture.answer("lamp"))
    for (seconds, target) in [
      (53, Self.service(1)), (54, "upnp:rootdevice"), (55, "urn:x-y:service:long-name:1"),
    ] as [(Double, String)] { capture.add(seconds, "192.168.1.66", TinyCapture.byebye("lamp", target)) }
    capture.add(56, "192.168.1.9:1900", Self.lamp + ":53", "not discovery")
    capture.add(57, Self.lamp, TinyCapture.alive("lamp").replacing("NT: upnp:rootdevice\n", with: ""))
    capture.add(60, Self.lamp, TinyCapture.byebye("lamp", Self.service(7)))
    capture.add(61, Self.lamp, TinyCapture.byebye("lamp", Self.service(1)))
    return capture
  }

  @Test(
    "datagrams that made no device are gathered by reason, kind, sender and UUID, with the bytes at the first offset")
  func unmade() throws {
    let story = try reasons().story()
    expectEqual(
      rows(story, "Datagrams that made no device"),
      #"""
      +50.000 frame 9 1× alive from 192.168.1.20: refused, badUSN at byte 191: the USN names no uuid
      there: nP/1.0 tiny/1\r\nUSN: »tv:upnp:rootdevice\r\n\r\n
      +51.000 frame 10 1× unknown from 192.168.1.20: refused, startLine at byte 9: the start line is none of the \#
      three that SSDP has
      there: NOTIFY * » HTTP/1.1\r\nHOST: 239.255
      +52.000 frame 11 1× response from 192.168.1.20 uuid:lamp: an answer to 192.168.1.9:40000, from where the \#
      capture shows no search
      +53.000 frames 12–14 3× byebye from 192.168.1.66 uuid:lamp: refused, foreignByebye at bytes 91 to 103: a \#
      byebye from an address that never announced the device
      there: : ssdp:byebye\r\nUSN: »uuid:lamp::urn:x-y:servi
      +56.000 frame 15 1× unknown from 192.168.1.9: refused, startLine at byte 0: the start line is none of the \#
      three that SSDP has
      there: »not discovery
      +57.000 frame 16 1× alive from 192.168.1.20 uuid:lamp: refused, missingField at byte 200: a field that this \#
      kind of message must have is missing
      there: :upnp:rootdevice\r\n\r\n»
      +60.000 frame 17 1× byebye from 192.168.1.20 uuid:lamp: no event, since nothing that stood was announced so
      """#)
    expectEqual(
      StoryLifeTests.lines(story, about: "datagrams")[3],
      """
      time:1053,reason:refused,rejection:foreignByebye,type:notify-byebye,source:192.168.1.66,uuid:uuid:lamp,count:3,\
      frames:[12-14],lastTime:1055,offset:91,offsetMost:103,text:refused, foreignByebye at bytes 91 to 103: a byebye \
      from an address that never announced the device
      """)
  }

  @Test("of the party that was asked about each datagram is told with what became of it; like ones in a row are one")
  func party() throws {
    let story = try reasons().story(Self.lamp)
    expectEqual(
      json(story, "party"),
      """
      time:1000,type:notify-alive,target:upnp:rootdevice,count:1,frames:[1],made:found,leaseSeconds:100
      time:1000.500000000,type:notify-alive,target:upnp:rootdevice,count:1,frames:[2],made:copied
      time:1001,type:notify-alive,target:urn:x-y:service:s1:1,count:1,frames:[3],made:leased,leaseSeconds:100
      time:1020,type:notify-alive,target:,count:3,frames:[4-6],made:renewed,marginLeast:79.500000000
      time:1037,type:notify-alive,target:upnp:rootdevice,count:1,frames:[7],made:copied
      time:1038,type:notify-alive,target:upnp:rootdevice,source:192.168.1.20:1900,destination:192.168.1.9:1900,\
      count:1,frames:[8],made:copied
      time:1050,type:notify-alive,target:upnp:rootdevice,count:1,frames:[9],made:nothing,reason:refused,\
      rejection:badUSN,offset:191
      time:1051,type:unknown,target:,count:1,frames:[10],made:nothing,reason:refused,rejection:startLine,offset:9
      time:1052,type:response,target:upnp:rootdevice,source:192.168.1.20:1900,destination:192.168.1.9:40000,count:1,\
      frames:[11],made:nothing,reason:nobodyAsked,socket:192.168.1.9:40000,offset:0
      time:1056,type:unknown,target:,source:192.168.1.9:1900,destination:192.168.1.20:53,count:1,frames:[15],\
      made:nothing,reason:refused,rejection:startLine,offset:0
      time:1057,type:notify-alive,target:,count:1,frames:[16],made:nothing,reason:refused,rejection:missingField,\
      offset:200
      time:1060,type:notify-byebye,target:urn:x-y:service:s7:1,count:1,frames:[17],made:nothing,reason:byebyeOfNothing
      time:1061,type:notify-byebye,target:urn:x-y:service:s1:1,count:1,frames:[18],made:ended
      """)
    expectEqual(json(story, "presence"), "party:192.168.1.20,sent:14,received:1,joins:[],leaves:[]")
    expectEqual(story.findings.map(\.text), ["is found (uuid:lamp) from +0.000 on, and is gone since +61.000"])
    // Whom the datagrams went to is a party of them, too; a UUID is asked for in any case.
    let frames = { (party: String) in try reasons().story(party).datagrams.map { $0.frames.texts() } }
    #expect(try frames("192.168.1.9") == [["8"], ["11"], ["15"]] && frames("192.168.1.66") == [["12-14"]])
    try expectEqual(
      frames("uuid:LAMP"),
      [
        ["1"], ["2"], ["3"], ["4-6"], ["7"], ["8"], ["11"], ["12-14"], ["16"], ["17"], ["18"],
      ])
  }

  @Test("of several reasons the one that explains most is the finding, whichever came first; three others are named")
  func ranks() throws {
    let reasons = ["bound", "late", "wrongTarget", "refused", "nobodyAsked", "notHeard", "byebyeOnly"]
    let texts = [
      "is dropped by the bound 'entries-per-source' of the engine (1 alive)",
      "answered too late: 1 answer 2 s after search 1 for upnp:rootdevice ended",
      "answered another target: asked for roku:ecp, answered upnp:rootdevice (1 answer)",
      "is refused: 1 alive, missingField at byte 197: a field that this kind of message must have is missing",
      "answered 192.168.1.9:45000, from where the capture shows no search (1 answer)",
      "sent to 192.168.1.8, which the host of this replay does not hear (1 alive)",
      "never announced: it said byebye (1 byebye)",
    ]
    let others = [
      "no event, since nothing that stood was announced so",
      "went to 192.168.1.8, so the host of this replay did not hear it",
      "an answer to 192.168.1.9:45000, from where the capture shows no search",
    ]
    let sender = "192.168.1.50"
    let alive = TinyCapture.alive("x", location: Self.place(50))
    let answer = TinyCapture.answer("x", location: Self.place(50))
    for first in reasons.indices {
      var capture = TinyCapture()
      capture.add(0, sender, TinyCapture.alive("other", location: Self.place(50)))
      capture.add(0, "192.168.1.9:40000", TinyCapture.search("upnp:rootdevice"))
      capture.add(0, "192.168.1.9:40001", TinyCapture.search("roku:ecp", mx: 5))
      // The one that explains least comes first.
      for number in (first..<7).reversed() {
        let seconds = 3.1 - Double(number - 1) * 0.3
        switch reasons[number] {
        case "bound": capture.add(seconds, sender, alive)
        case "late": capture.add(seconds, sender, Self.phone, answer)
        case "wrongTarget": capture.add(seconds, sender, "192.168.1.9:40001", answer)
        case "refused":
          capture.add(seconds, sender, TinyCapture.alive("x").replacing("NT: upnp:rootdevice\n", with: ""))
        case "nobodyAsked": capture.add(seconds, sender, "192.168.1.9:45000", answer)
        case "notHeard": capture.add(seconds, sender, "192.168.1.8:1900", TinyCapture.alive("x"))
        default: capture.add(seconds, sender, TinyCapture.byebye("x"))
        }
      }
      let story = try capture.story(as: .host("192.168.1.9"), settings: ["limits.entries-per-source=1"])
      let finding = try #require(story.findings.first)
      let besides = others.prefix(6 - first).joined(separator: ", ")
      #expect(finding.kind.rawValue == reasons[first] && finding.party == "uuid:x")
      expectEqual(finding.text, texts[first] + (besides.isEmpty ? "" : "; besides, " + besides))
      expectEqual(finding.frames.texts(), ["\(10 - first)"])
      expectEqual(story.findings.map(\.kind).dropFirst(), [.searchesOnly])
    }
  }

  @Test("limits of the engine are named: names, and leases altogether, of a source and of a device")
  func limits() throws {
    for (setting, target) in [
      ("limits.name-bytes=25", "upnp:rootdevice"), ("limits.entries-total=0", "upnp:rootdevice"),
      ("limits.entries-per-source=0", "upnp:rootdevice"), ("limits.entries-per-device=1", "x:1"),
    ] {
      var capture = TinyCapture()
      if target == "x:1" { capture.add(0, Self.lamp, TinyCapture.alive("lamp")) }
      capture.add(1, Self.lamp, TinyCapture.alive("lamp", target))
      let limit = setting.dropFirst(7).prefix { $0 != "=" }
      try expectEqual(capture.story(settings: [setting]).unmade.map(\.reason), [.bound(String(limit))], "\(setting)")
    }
  }

  // MARK: Frames of an address

  private func presence(_ frames: [[UInt8]], _ linkType: UInt32, of party: String) throws -> Story {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "eth0", linkType: linkType)
    for (number, frame) in frames.enumerated() {
      writer.frame(interface: interface, time: .zero + .seconds(Int64(number)), frame)
    }
    writer.finish()
    let teller = StoryTeller(party: StoryParty(party), configuration: EngineConfiguration())
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
    var reader = try TinyCapture.reader(writer.bytes)
    replay.run(&reader)
    return teller.finished(frames: replay.summary.frames)
  }

  private static let link = LinkAddresses(
    source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(1, 0, 0x5E, 0, 0, 1))

  @Test("frames of an address are counted on Ethernet, in a VLAN, cooked and raw: IP, ARP, memberships of the group")
  func frames() throws {
    let (host, other, third) = (IPAddress(192, 168, 1, 20), IPAddress(192, 168, 1, 9), IPAddress(192, 168, 1, 8))
    let (group, names) = (IPAddress.ssdpGroup4, IPAddress(224, 0, 0, 251))
    func igmp(_ message: GroupMessage, from source: IPAddress) throws -> [UInt8] {
      try #require(
        FrameWriter.frame(
          Self.link, from: source, to: message.destination(family: .v4), protocolNumber: .igmp,
          ipPayload: message.igmpBytes()))
    }
    func arp(_ sender: IPAddress, _ target: IPAddress) -> [UInt8] {
      let head: [UInt8] = [1, 0, 0x5E, 0, 0, 1, 2, 0, 0, 0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1]
      return head + sender.bytes + [0, 0, 0, 0, 0, 0] + target.bytes
    }
    func tagged(_ frame: [UInt8]) -> [UInt8] { frame[..<12] + [0x81, 0, 0, 7] + frame[12...] }
    func cooked(_ frame: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 14) + frame[12...] }
    // Type, two bytes of nothing, interface, ARPHRD, packet type, length of the address, address.
    func cooked2(_ frame: [UInt8]) -> [UInt8] {
      Array(frame[12..<14]) + [0, 0, 0, 0, 8, 6, 0, 1, 4, 6, 2, 0, 0, 0, 8, 0, 0, 0] + Array(frame[14...])
    }
    let records = [GroupRecord(.toExclude, names), GroupRecord(.toExclude, group)]
    let packets = [
      try igmp(.join(group), from: host), try igmp(.join(group), from: other), try igmp(.join(names), from: host),
      try igmp(.leave(group), from: host), try igmp(.change(joining: group), from: host),
      try igmp(.change(leaving: group), from: host),
      try igmp(.report([GroupRecord(.toInclude, group, sources: [other])]), from: host),
      try igmp(.report([GroupRecord(.blockOld, group, sources: [other])]), from: host),
      try igmp(.report(records), from: host), try igmp(.query(GroupQuery(generation: .second)), from: host),
      FrameWriter.udp(
        Self.link, from: Endpoint(other, port: 5_000), to: Endpoint(host, port: 53), hopLimit: 2, payload: [1])[0],
    ]
    let onEthernet =
      packets + [arp(host, other), arp(other, host), arp(other, third), Array(arp(host, other).dropLast())]
    func told(_ frames: [[UInt8]], _ linkType: UInt32) throws -> String {
      json(try presence(frames, linkType, of: "192.168.1.20"), "presence")
    }
    let memberships = "joins:[1,5,7,9],leaves:[4,6]"
    let all = "party:192.168.1.20,sent:10,received:2," + memberships
    try expectEqual(told(onEthernet, LinkType.ethernet), all)
    try expectEqual(told(onEthernet.map(tagged), LinkType.ethernet), all)
    try expectEqual(told(onEthernet.map(cooked), LinkType.linuxCooked), all)
    try expectEqual(told(onEthernet.map(cooked2), LinkType.linuxCooked2), all)
    try expectEqual(told(onEthernet.map { cooked(tagged($0)) }, LinkType.linuxCooked), all)
    try expectEqual(told(onEthernet.map { cooked2(tagged($0)) }, LinkType.linuxCooked2), all)
    // A header that is cut, or that nothing follows, shows nobody.
    for count in [0, 1, 19, 20] {
      let short = Array(cooked2(packets[0]).prefix(count))
      try expectEqual(told([short], LinkType.linuxCooked2), "party:192.168.1.20,sent:0,received:0,joins:[],leaves:[]")
    }
    for type in [LinkType.raw, 12, 14, LinkType.ipv4] {
      let raw = packets.map { Array($0[14...]) }
      try expectEqual(told(raw, type), "party:192.168.1.20,sent:9,received:1," + memberships, "\(type)")
    }
    try expectEqual(
      told(onEthernet, LinkType.ppp), "party:192.168.1.20,sent:0,received:0,unread:15,joins:[],leaves:[]")
    let story = try presence(onEthernet, LinkType.ethernet, of: "192.168.1.20")
    expectEqual(
      story.findings.map(\.text),
      [
        "never announced: it is on the network (10 frames from it, 2 to it), but none of its frames holds an SSDP "
          + "message; it joined the SSDP group (frames 1…9), so it may hear searches"
      ])
  }

  @Test("memberships of both groups of IPv6 are told, in MLD of either generation")
  func frames6() throws {
    let host = try #require(IPAddress("fe80::20"))
    func mld(_ message: GroupMessage) throws -> [UInt8] {
      let destination = message.destination(family: .v6)
      return try #require(
        FrameWriter.frame(
          Self.link, from: host, to: destination, protocolNumber: .icmpV6,
          ipPayload: message.mldBytes(source: host, destination: destination)))
    }
    let other = try #require(IPAddress("ff02::fb"))
    let frames = [
      try mld(.join(.ssdpGroup6)), try mld(.join(.ssdpGroup6Site)), try mld(.join(other)), try mld(.leave(.ssdpGroup6)),
      try mld(.change(joining: .ssdpGroup6)), try mld(.change(leaving: .ssdpGroup6Site)),
    ]
    for (type, start) in [(LinkType.ethernet, 0), (LinkType.ipv6, 14)] {
      let story = try presence(frames.map { Array($0[start...]) }, type, of: "fe80::20")
      expectEqual(json(story, "presence"), "party:fe80::20,sent:6,received:0,joins:[1-2,5],leaves:[4,6]")
    }
  }

  // MARK: A probe

  @Test("a probe tells each service once while it is there, from when and how it was known, and when it went again")
  func probe() throws {
    let target = "urn:x-y:device:z:1"
    func scene(gone: Double) -> TinyCapture {
      let hall = TinyCapture.alive("hall", target, location: Self.place(21))
      var capture = TinyCapture()
      capture.add(0, Self.lamp, TinyCapture.alive("lamp", target, maxAge: 60))
      capture.add(1, "192.168.1.21", hall)
      capture.add(2, Self.lamp, TinyCapture.alive("lamp", target.replacing(":1", with: ":2"), maxAge: 60))
      capture.add(3, "192.168.1.22", TinyCapture.alive("door", "roku:ecp", location: Self.place(22)))
      capture.add(10, "192.168.1.23", TinyCapture.alive("gate", target, location: Self.place(23)))
      capture.add(10.5, Self.lamp, TinyCapture.alive("lamp", target, maxAge: 60))
      capture.add(11, "192.168.1.21", TinyCapture.byebye("hall", target))
      capture.add(12.5, "192.168.1.21", hall)
      capture.add(13, Self.phone, TinyCapture.search("ssdp:all"))
      capture.add(13.5, "192.168.1.24", Self.phone, TinyCapture.answer("shed", target, location: Self.place(24)))
      capture.add(gone, "192.168.1.23", TinyCapture.byebye("gate", target))
      return capture
    }
    let probe = Probe(target: target, at: .seconds(10), maximumWaitSeconds: 2, broadcasts: 2)
    var story = try scene(gone: 14.1).story(probe: probe)
    story.isProbeOnly = true
    let golden = """
      time:1000,usn:uuid:lamp::urn:x-y:device:z:1,target:urn:x-y:device:z:1,how:known,frame:1
      time:1002,usn:uuid:lamp::urn:x-y:device:z:2,target:urn:x-y:device:z:2,how:known,frame:3
      time:1001,device:uuid:hall,usn:uuid:hall::urn:x-y:device:z:1,target:urn:x-y:device:z:1,how:known,frame:2,gone:1011
      time:1010,device:uuid:gate,usn:uuid:gate::urn:x-y:device:z:1,target:urn:x-y:device:z:1,how:announced,frame:5,\
      gone:1014.100000000
      time:1012.500000000,device:uuid:hall,usn:uuid:hall::urn:x-y:device:z:1,target:urn:x-y:device:z:1,how:announced,\
      frame:8
      time:1013.500000000,device:uuid:shed,usn:uuid:shed::urn:x-y:device:z:1,target:urn:x-y:device:z:1,how:answered,\
      frame:10
      time:1010,target:urn:x-y:device:z:1,end:1014.100000000,services:6,captureEnd:1014.100000000,text:Answers to a \
      search that nobody sent are not in the file: a device that only answers cannot be seen here.
      """
    expectEqual(json(story, "probe"), golden)
    expectEqual(StoryLines.json(story, capture: "x").count, 7)
    let told = StoryLifeTests.text(story).split(separator: "\n")
    #expect(told.count == 9 && told[4].hasSuffix("by frame 2 at +1.000, for 1800 s, and gone again at +11.000"))
    // It went behind the last moment at which the search would have listened.
    let later = try scene(gone: 14.101).story(probe: probe)
    expectEqual(
      json(later, "probe"),
      golden.replacing("frame:5,gone:1014.100000000", with: "frame:5")
        .replacing("captureEnd:1014.100000000", with: "captureEnd:1014.101000000"))
    #expect(StoryLines.json(later, capture: "x").count > 20)
  }

  @Test("where the capture ends before the search began, or would have ended, the probe says so")
  func probeBeyond() throws {
    let probe = Probe(target: "upnp:rootdevice", at: .seconds(10), maximumWaitSeconds: 2, broadcasts: 2)
    let nothing = "Nothing that matches was known then, and nothing was announced or answered."
    let (known, caveat) = ("known already", "Answers to a search that nobody sent are not in the file")
    for (end, first, second) in [
      (9.999, "The capture ends before that moment, at +9.999.", nothing),
      (10, "The capture ends before the search would have, at +10.000.", known),
      (14.099, "The capture ends before the search would have, at +14.099.", known), (14.1, known, caveat),
      (14.101, known, caveat),
    ] as [(Double, String, String)] {
      var capture = TinyCapture()
      capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
      capture.add(end, "192.168.1.30", TinyCapture.search("ssdp:all"))
      var story = try capture.story(probe: probe)
      story.isProbeOnly = true
      let lines = StoryLifeTests.text(story).split(separator: "\n").dropFirst(2).map(String.init)
      #expect(lines[0].contains(first) && lines[1].contains(second), "\(end): \(lines)")
    }
  }

  // MARK: Bounds

  @Test("what is kept is kept up to its bound, and one more is counted under its name")
  func bounds() throws {
    let byebyes = { (number: Int) in TinyCapture.byebye("lamp-\(number)") }
    let services = { (number: Int) in TinyCapture.alive("lamp", Self.service(number)) }
    let foreign = { (number: Int) in number == 0 ? TinyCapture.alive("lamp") : TinyCapture.byebye("lamp") }
    let cases: [(WritableKeyPath<StoryTeller.Bounds, Int>, String, Bool, (Int) -> String)] = [
      (\.devices, "devices", true, { TinyCapture.alive("lamp-\($0)") }),
      (\.searches, "searches", true, { TinyCapture.search("x:\($0)") }),
      (\.groups, "kinds of datagrams that made no device", false, byebyes),
      (\.parties, "UUIDs and addresses", false, { byebyes(max($0 - 1, 0)) }),
      (\.promises, "promises: the last one of a device that expired may be missing", false, services),
      (\.datagrams, "datagrams of the party", false, { $0 == 1 ? byebyes($0) : services($0) }),
      (\.eventsPerDevice, "events of a device", true, foreign),
    ]
    for (path, name, isEachElsewhere, text) in cases {
      var capture = TinyCapture()
      for number in 0..<3 {
        capture.add(Double(number), "192.168.1.\(isEachElsewhere ? 20 + number : 20)", text(number))
      }
      func story(_ bound: Int) throws -> Story {
        var bounds = StoryTeller.Bounds()
        bounds[keyPath: path] = bound
        return try capture.story(name.hasSuffix("party") ? Self.lamp : nil, bounds: bounds)
      }
      #expect(try story(3).cuts.isEmpty, "\(name)")
      let cut = try story(2)
      expectEqual(cut.cuts.map { "\($0.what): \($0.count)" }, ["\(name): 1"])
      expectEqual(cut.devices.map(\.cut).contains(1), (name == "events of a device"))
      #expect(StoryLifeTests.text(cut).hasSuffix("Not kept, since there was too much\n\(name): 1"))
    }
  }

  @Test("a hundred rows of a section are told and the rest is counted; eight senders one by one, nine together")
  func manyRows() throws {
    func text(_ count: Int, _ line: (Int) -> (String, String)) throws -> String {
      var capture = TinyCapture()
      for number in 1...count {
        let (source, text) = line(number)
        capture.add(Double(number) / 100, source, text)
      }
      return StoryLifeTests.text(try capture.story())
    }
    func more(_ noun: String) -> String { "\n… and 1 more (\(noun)); --format json lists all that is kept" }
    let cases: [(String, (Int) -> (String, String))] = [
      ("device", { ("192.168.1.\($0)", TinyCapture.alive("lamp-\($0)", location: nil)) }),
      ("search", { (Self.phone, TinyCapture.search("x:\($0)")) }),
      ("UUID or address", { ("192.168.1.\($0)", TinyCapture.byebye("lamp-\($0)")) }),
    ]
    for (noun, line) in cases {
      #expect(try !text(100, line).contains(more(noun)) && text(101, line).contains(more(noun)), "\(noun)")
    }
    let byebye = { (number: Int) in ("192.168.1.\(number)", TinyCapture.byebye("lamp")) }
    let together = "9× byebye from 9 addresses, 9 kinds; the first, from 192.168.1.1: no event"
    #expect(try !text(8, byebye).contains("kinds") && text(9, byebye).contains(together))
    let search = { (number: Int) in ("192.168.1.\(number):4000", TinyCapture.search("x:1")) }
    #expect(try text(12, search).hasSuffix(", 192.168.1.11, 192.168.1.12"))
    #expect(try text(13, search).hasSuffix(", 192.168.1.11, 192.168.1.12 and 1 more"))
  }
}
