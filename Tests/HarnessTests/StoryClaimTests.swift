import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing
import RollcallWire

/// What a story claims, it knows: what a message ended or changed, who is gone or absent, and how often something was
/// said.
@Suite("Claims of a story")
struct StoryClaimTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  /// A LOCATION at the address that ends so.
  private static func place(_ last: Int) -> String { "http://192.168.1.\(last)/" }

  private static func update(_ uuid: String, from boot: Int, location: String = "http://192.168.1.20/d.xml") -> String {
    TinyCapture.alive(uuid, location: location).replacing(
      "NTS: ssdp:alive", with: "NTS: ssdp:update\nBOOTID.UPNP.ORG: \(boot)\nNEXTBOOTID.UPNP.ORG: \(boot + 1)")
  }

  /// The rows of a section, each on one line.
  private func rows(_ story: Story, _ section: String) -> String {
    let sections = ["Devices", "Searches", "Datagrams that made no device", "Not found"]
    let lines = StoryLifeTests.text(story).split(separator: "\n").drop { $0 != section }.dropFirst()
    return lines.prefix { !sections.contains(String($0)) }.joined(separator: "\n")
  }

  // MARK: What a message did

  @Test("an update that tells of a reboot which nobody heard is that reboot, and what was promised goes on")
  func rebootByUpdate() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 100, more: "BOOTID.UPNP.ORG: 7\n"))
    capture.add(10, Self.lamp, Self.update("lamp", from: 9))
    capture.add(20, Self.lamp, TinyCapture.alive("lamp", maxAge: 100, more: "BOOTID.UPNP.ORG: 10\n"))
    let story = try capture.story()
    expectEqual(
      rows(story, "Devices"),
      """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 100 s; http://192.168.1.20/d.xml
      +10.000 frame 2 rebooted, BOOTID 7 → 10: lost and found; http://192.168.1.20/d.xml
      +20.000 frame 3 renewed by 1 message; at the tightest 80 s left of 100 s (frame 3)
      +20.000 here at the end, with 100 s left of its leases
      """)
    #expect(story.unmade.isEmpty)
    try expectEqual(
      capture.story("uuid:lamp").datagrams.map(\.made), [.found(100), .changed, .renewed(margin: .seconds(80))])
  }

  @Test("a byebye or an update that says nothing is told so, even if another device is lost or changes at that instant")
  func nothingAtAnInstant() throws {
    let (hall, door) = ("192.168.1.21", "192.168.1.22")
    for (source, text, party, reason) in [
      (hall, TinyCapture.byebye("hall", Self.service(1)), "uuid:hall", .byebyeOfNothing),
      (hall, Self.update("hall", from: 1, location: Self.place(21)), "uuid:hall", .updateOfNothing),
      (door, TinyCapture.byebye("door"), "uuid:door", .byebyeOfNothing),
    ] as [(String, String, String, UnmadeReason)] {
      var capture = TinyCapture()
      capture.interfaces = ["eth0", "eth1"]
      capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
      capture.add(
        1, Self.lamp, TinyCapture.alive("lamp", location: "http://192.168.1.20/e", maxAge: 100), interface: 1)
      capture.add(2, door, TinyCapture.alive("door", location: Self.place(22), maxAge: 18))
      capture.add(
        3, hall, TinyCapture.alive("hall", location: Self.place(21), maxAge: 18, more: "BOOTID.UPNP.ORG: 2\n"))
      capture.add(20, source, text)
      let story = try capture.story()
      expectEqual(story.unmade.map(\.reason), [reason], "\(text)")
      try expectEqual(capture.story(party).datagrams.map(\.made), [.found(18), .nothing(reason)], "\(text)")
      let events = story.devices.map { device in
        device.events.map { event in String(String(describing: event.what).prefix { $0 != "(" }) }
      }
      let last = party == "uuid:hall" ? ["found", "ignored"] : ["found"]
      expectEqual(events, [["found", "leases", "changed"], ["found", "lost"], last], "\(text)")
    }
  }

  @Test("by a path that is known by answers alone, a byebye of anything ends what came so, unless each part goes alone")
  func answersAlone() throws {
    var capture = TinyCapture()
    capture.interfaces = ["eth0", "eth1"]
    capture.add(0, Self.phone, TinyCapture.search("ssdp:all", mx: 3))
    capture.add(0.5, Self.lamp, Self.phone, TinyCapture.answer("lamp", maxAge: 300))
    capture.add(1, Self.lamp, TinyCapture.alive("lamp", maxAge: 100), interface: 1)
    for seconds in [40.0, 41] { capture.add(seconds, Self.lamp, TinyCapture.byebye("lamp", Self.service(1))) }
    capture.add(42, Self.lamp, TinyCapture.alive("lamp", maxAge: 100), interface: 1)
    let whole = try capture.story()
    expectEqual(
      rows(whole, "Devices"),
      """
      uuid:lamp
      +0.500 frame 2 first heard: response upnp:rootdevice from 192.168.1.20, 300 s; http://192.168.1.20/d.xml
      +0.500 frame 2 answered search 1: 1 service
      +1.000 frame 3 1 more lease of 100 s: upnp:rootdevice
      +40.000 frame 4 byebye urn:x-y:service:s1:1 from 192.168.1.20: ends that; other leases keep the device
      +41.000 frame 5 byebye from 192.168.1.20: no event, since nothing that stood was announced so
      +42.000 frame 6 renewed by 1 message; at the tightest 59 s left of 100 s (frame 6)
      +42.000 here at the end, with 100 s left of its leases
      """)
    let parts = try capture.story(settings: ["byebye=each-part"])
    expectEqual([whole, parts].map { $0.unmade.map(\.count) }, [[1, 1], [1, 2]])
    #expect(rows(parts, "Devices").hasSuffix("here at the end, with 258.5 s left of its leases"))
  }

  @Test("a byebye from where the device was until a moment ago ends nothing of what it says where it is")
  func overtaken() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 100))
    capture.add(20, "192.168.1.21", TinyCapture.alive("lamp", location: Self.place(21), maxAge: 100))
    capture.add(20.1, Self.lamp, TinyCapture.byebye("lamp"))
    capture.add(30, "192.168.1.21", TinyCapture.alive("lamp", location: Self.place(21), maxAge: 100))
    let story = try capture.story()
    expectEqual(
      rows(story, "Devices"),
      """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 100 s; http://192.168.1.20/d.xml
      +20.000 frame 2 renewed by 1 message; at the tightest 80 s left of 100 s (frame 2)
      +20.000 frame 2 LOCATION: http://192.168.1.20/d.xml → http://192.168.1.21/
      +20.100 frame 3 byebye from 192.168.1.20: no event, since the device has left the address that it comes from
      +30.000 frame 4 renewed by 1 message; at the tightest 90 s left of 100 s (frame 4)
      +30.000 here at the end, with 100 s left of its leases
      """)
    expectEqual(
      StoryLifeTests.lines(story, about: "datagrams"),
      [
        "time:1020.100000000,reason:byebyeOvertaken,type:notify-byebye,source:192.168.1.20,uuid:uuid:lamp,count:1,"
          + "frames:[3],lastTime:1020.100000000,text:no event, since the device has left the address that it comes from"
      ])
  }

  // MARK: Findings

  @Test("a finding counts messages that are alike, over all their senders, and tells others besides")
  func alike() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.byebye("lamp"))
    capture.add(1, Self.lamp, Self.update("lamp", from: 1))
    capture.add(2, "192.168.1.21", TinyCapture.byebye("lamp", Self.service(1)))
    for (seconds, path) in [(3.0, ""), (4.0, "door")] {
      let alive = TinyCapture.alive("door", location: Self.place(22) + path)
      capture.add(seconds, "192.168.1.22", alive.replacing("NT: upnp:rootdevice\n", with: ""))
    }
    let answer = TinyCapture.answer("gate", location: Self.place(23))
    capture.add(10, Self.phone, TinyCapture.search("upnp:rootdevice"))
    capture.add(11.4, "192.168.1.23", Self.phone, answer)
    capture.add(12, Self.phone, TinyCapture.search("upnp:rootdevice"))
    for seconds in [13.2, 13.4] { capture.add(seconds, "192.168.1.23", Self.phone, answer) }
    expectEqual(
      rows(try capture.story(), "Not found"),
      """
      uuid:lamp (192.168.1.20): never announced: it said byebye (2 byebyes); besides, no event, since the device is \
      not known or the BOOTID is not new (frames 1…3).
      uuid:door (192.168.1.22): is refused: 2 alives, missingField at bytes 195 to 199: a field that this kind of \
      message must have is missing (frames 4–5).
      uuid:gate (192.168.1.23): answered too late: 1 answer 0.3 s after search 1 for upnp:rootdevice ended; besides, \
      too late for search 2, by 0.1 s to 0.3 s: nobody listened any more (frame 7).
      192.168.1.9: only searched (2 times) and announced nothing (frames 6…8).
      """)
  }

  @Test("of an address or a UUID it is said what it is: a device's, of the engine's host, a stranger's, unseen")
  func conclusions() throws {
    var capture = TinyCapture()
    capture.add(0, Self.phone, TinyCapture.search("ssdp:all"))
    for number in 0..<9 {
      let alive = TinyCapture.alive("lamp", Self.service(number), location: Self.place(20))
      capture.add(Double(number) + 1, "192.168.1.\(20 + number)", alive)
    }
    for seconds in [10.0, 11] {
      capture.add(seconds, "192.168.1.9", TinyCapture.alive("own", location: Self.place(9)))
    }
    capture.add(12, "192.168.1.30", TinyCapture.alive("door", location: Self.place(30)))
    capture.add(13, "192.168.1.66", TinyCapture.byebye("door"))
    capture.add(14, "192.168.1.8:5000", TinyCapture.search("roku:ecp"))
    func conclusion(_ party: String, devices: Int = 100, parties: Int = 100) throws -> String {
      var bounds = StoryTeller.Bounds()
      (bounds.devices, bounds.parties) = (devices, parties)
      let story = try capture.story(
        party, as: .host("192.168.1.9"), settings: ["byebye-source=any-address"], bounds: bounds)
      return story.findings.map { finding in
        ([finding.kind.rawValue] + finding.frames.texts()).joined(separator: " ") + ": " + finding.text
      }.joined(separator: "\n")
    }
    let own = "own 11-12: is on the engine's own host, which does not hear itself (2 alives)"
    let stranger = "neverAnnounced 14: never announced: of 1 message none made a device known"
    try expectEqual(conclusion("192.168.1.28"), "found 2: is found (uuid:lamp) from +1.000 on")
    try expectEqual(conclusion("192.168.1.9"), own)
    try expectEqual(conclusion("uuid:own"), own)
    try expectEqual(conclusion("192.168.1.66"), stranger)
    try expectEqual(
      conclusion("192.168.1.30"), "found 13: is found (uuid:door) from +12.000 on, and is gone since +13.000")
    try expectEqual(conclusion("192.168.1.8"), "searchesOnly 15: only searched (1 time) and announced nothing")
    #expect(try conclusion("192.168.1.77").hasPrefix("notOnNetwork: no frame of the capture comes from it"))
    // Where not all is kept, the one who was asked about is.
    try expectEqual(conclusion("192.168.1.66", parties: 1), stranger)
    try expectEqual(
      conclusion("192.168.1.30", devices: 1),
      "found 13: is found, but there are more devices than are kept, and its life is not told")
    // Where nobody was asked about, the engine's own host need not find itself.
    try expectEqual(capture.story(as: .host("192.168.1.9")).findings.map(\.party), ["192.168.1.8"])
  }

  @Test("a part is there while its root is, and an address while one of its devices is")
  func present() throws {
    func conclusions(_ party: String, _ messages: [(Double, String)]) throws -> [String] {
      try (2...messages.count).map { count in
        var capture = TinyCapture()
        for (seconds, text) in messages.prefix(count) { capture.add(seconds, Self.lamp, text) }
        return try capture.story(party).findings.map(\.text).joined()
      }
    }
    let part = TinyCapture.alive("part", Self.service(1))
    let root = "is found (uuid:root) from +0.000 on"
    try expectEqual(
      conclusions("uuid:part", [(0, part), (2, TinyCapture.alive("root")), (20, TinyCapture.byebye("root"))]),
      [root, root + ", and is gone since +20.000"])
    let hall = TinyCapture.alive("hall", location: "http://192.168.1.20/e")
    let both = "is found, as 2 devices (uuid:lamp, uuid:hall) from +0.000 on"
    try expectEqual(
      conclusions(
        Self.lamp, [(0, TinyCapture.alive("lamp", maxAge: 3)), (2, hall), (5, hall), (6, TinyCapture.byebye("hall"))]),
      [both, both, both + ", and is gone since +6.000"])
  }

  // MARK: Frames that are not looked into

  private func presence(_ frames: [[UInt8]], _ linkType: UInt32) throws -> Story {
    var writer = CaptureWriter(section: CaptureSection())
    let interface = writer.interface(name: "eth0", linkType: linkType)
    for (number, frame) in frames.enumerated() {
      writer.frame(interface: interface, time: .zero + .seconds(Int64(number)), frame)
    }
    writer.finish()
    let teller = StoryTeller(party: StoryParty(Self.lamp), configuration: EngineConfiguration())
    var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
    var reader = try TinyCapture.reader(writer.bytes)
    replay.run(&reader)
    return teller.finished(frames: replay.summary.frames)
  }

  @Test("where there are frames of links or tunnels that are not looked into, nobody is said to be absent")
  func unread() throws {
    let link = LinkAddresses(
      source: MACAddress(2, 0, 0, 0, 0, 1), destination: MACAddress(1, 0, 0x5E, 0, 0, 1))
    func ip(_ number: UInt8, _ source: IPAddress, _ destination: IPAddress) throws -> [UInt8] {
      try #require(
        FrameWriter.frame(
          link, from: source, to: destination, protocolNumber: IPProtocol(rawValue: number),
          ipPayload: [UInt8](repeating: 0, count: 8), hasRouterAlert: false))
    }
    let (one, other) = (IPAddress(192, 168, 1, 9), IPAddress(192, 168, 1, 8))
    let (one6, other6) = (try #require(IPAddress("fe80::9")), try #require(IPAddress("fe80::8")))
    let plain = try ip(6, one, other)
    var tunnels = [try ip(4, one, other), try ip(41, one, other), try ip(47, one, other), try ip(47, one6, other6)]
    for type: [UInt8] in [[0x88, 0x64], [0x88, 0x47], [0x88, 0x48], [0x88, 0xE7]] {
      tunnels.append(Array(plain[..<12]) + type + Array(plain[14...]))
    }
    func finding(_ frames: [[UInt8]], _ linkType: UInt32 = LinkType.ethernet) throws -> String {
      try presence(frames, linkType).findings.map { "\($0.kind.rawValue): \($0.text)" }.joined(separator: "\n")
    }
    let absent = "notOnNetwork: no frame of the capture comes from it or goes to it"
    let unknown =
      "neverAnnounced: never announced: no SSDP message of the capture comes from it; whether it is on the network is "
      + "not known, since there are frames (1) of links or tunnels in which no addresses are looked for"
    #expect(try finding([plain, try ip(6, one6, other6)]).hasPrefix(absent))
    for tunnel in tunnels { try expectEqual(finding([plain, tunnel]), unknown, "\(tunnel)") }
    let read = [
      LinkType.ethernet, LinkType.linuxCooked, LinkType.linuxCooked2, LinkType.raw, 12, 14, LinkType.ipv4,
      LinkType.ipv6,
    ]
    for type in LinkType.supported where !read.contains(type) {
      try expectEqual(finding([plain], type), unknown, "\(type)")
    }
    let story = try presence([plain], LinkType.ppp)
    #expect(
      StoryLifeTests.text(story).contains(
        "\nframes: 0 from it, 0 to it; 1 of links or tunnels in which no addresses are looked for"))
    expectEqual(
      StoryLifeTests.lines(story, about: "presence"),
      ["party:192.168.1.20,sent:0,received:0,unread:1,joins:[],leaves:[]"])
  }

  @Test("frames that are joined reach from the first to the latest, whichever were noted first")
  func joinedFrames() {
    var frames = FrameRanges(1)
    frames.add(5)
    frames.add(FrameRanges(3))
    expectEqual(frames.short(), "frames 1…5")
    frames.add(FrameRanges(7))
    expectEqual(frames.short(), "frames 1…7")
    var one = FrameRanges(4)
    one.add(FrameRanges())
    expectEqual(one.short(), "frame 4")
  }
}
