import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import RollcallScenarios
import Testing

/// Lives of devices and searches as `--explain` tells them: each kind of event, in words and as JSON lines, and how
/// like follows like.
@Suite("Lives of devices, told")
struct StoryLifeTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  /// JSON lines about one thing, without what all of them begin with, quotes, and zeros that say nothing.
  static func lines(_ story: Story, about: String) -> [String] { lines(StoryLines.json(story, capture: "x"), about) }

  private static func lines(_ json: [String], _ about: String) -> [String] {
    let start = #"{"schema":"rollcall/1","kind":"story","about":""# + about + "\","
    return json.filter { $0.hasPrefix(start) }.map { line in
      String(line.dropFirst(start.count).dropLast()).replacing("\"", with: "").replacing(".000000000", with: "")
        .replacing("device:uuid:lamp,", with: "")
    }
  }

  /// The lines for people, each event on one, with single blanks.
  static func text(_ story: Story) -> String {
    StoryText.lines(story, width: 1_000).filter { !$0.isEmpty }
      .map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n")
  }

  /// Of those lines the lives of the devices.
  private func lives(_ story: Story) -> String {
    Self.text(story).split(separator: "\n").drop { $0 != "Devices" }.dropFirst().prefix { $0 != "Searches" }
      .joined(separator: "\n")
  }

  // MARK: Leases and renewals

  @Test(
    "leases are gathered with copies, lengths and the first six targets; one that was not asked for is told as such")
  func leases() throws {
    func ageless(_ text: String) -> String { text.replacing("CACHE-CONTROL: max-age=1800\n", with: "") }
    func alive(_ number: Int, maxAge: Int) -> String { TinyCapture.alive("lamp", Self.service(number), maxAge: maxAge) }
    func other(_ uuid: String, _ last: Int, maxAge: Int = 1_800) -> String {
      TinyCapture.alive(uuid, location: "http://192.168.1.\(last)/", maxAge: maxAge)
    }
    var capture = TinyCapture()
    for (seconds, text) in [
      (0, TinyCapture.alive("lamp", maxAge: 20)), (1, TinyCapture.alive("lamp", maxAge: 20)),
      (1.5, alive(1, maxAge: 40)),
      (2, alive(2, maxAge: 60)), (2.5, alive(3, maxAge: 61)), (3, alive(4, maxAge: 60)), (3.5, alive(5, maxAge: 60)),
      (4, alive(6, maxAge: 60)), (4.5, alive(7, maxAge: 60)), (5, ageless(alive(8, maxAge: 1_800))),
      (5.001, alive(1, maxAge: 40)),
    ] as [(Double, String)] { capture.add(seconds, Self.lamp, text) }
    capture.add(6, "192.168.1.21", ageless(other("hall", 21)))
    capture.add(7, "192.168.1.22", other("door", 22, maxAge: 61))
    for seconds in [8.0, 9.0] { capture.add(seconds, "192.168.1.23", other("gate", 23, maxAge: 60)) }
    let settings = ["maximum-lease=60s", "default-lease=50s"]
    let story = try capture.story(settings: settings, until: .seconds(120))
    expectEqual(
      lives(story),
      """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 20 s; http://192.168.1.20/d.xml
      +1.000 frames 2–11 8 more leases of 20 to 60 s, and 2 copies: urn:x-y:service:s1:1, urn:x-y:service:s2:1, \
      urn:x-y:service:s3:1, urn:x-y:service:s4:1, urn:x-y:service:s5:1, urn:x-y:service:s6:1 and 2 more
      +64.500 lost: expired. The last that it said is frame 9, alive urn:x-y:service:s7:1 at +4.500, which promised \
      60 s
      uuid:hall
      +6.000 frame 12 first heard: alive upnp:rootdevice from 192.168.1.21, 50 s (no max-age that can be read: the \
      engine's default); http://192.168.1.21/
      +56.000 lost: expired. The last that it said is frame 12, alive upnp:rootdevice at +6.000, which promised 50 s \
      (no max-age that can be read: the engine's default)
      uuid:door
      +7.000 frame 13 first heard: alive upnp:rootdevice from 192.168.1.22, 60 s (max-age is more: cut to the \
      engine's maximum); http://192.168.1.22/
      +67.000 lost: expired. The last that it said is frame 13, alive upnp:rootdevice at +7.000, which promised 60 s \
      (max-age is more: cut to the engine's maximum)
      uuid:gate
      +8.000 frame 14 first heard: alive upnp:rootdevice from 192.168.1.23, 60 s; http://192.168.1.23/
      +9.000 frame 15 1 copy
      +69.000 lost: expired. The last that it said is frame 15, alive upnp:rootdevice at +9.000, which promised 60 s
      """)
    let events = Self.lines(story, about: "device")
    let targets = (1...6).map { Self.service($0) }.joined(separator: ",")
    expectEqual(
      events[1],
      "time:1001,count:10,frames:[2-11],lastTime:1005.001000000,event:leases,"
        + "targets:[\(targets)],leases:8,copies:2,leaseSecondsLeast:20,leaseSecondsMost:60")
    // At the end of the capture the longest lease counts: 60 s from 4.5 s on.
    #expect(
      StoryText.lines(try capture.story(settings: settings)).contains { $0.hasSuffix("with 55.5 s left of its leases") }
    )
  }

  @Test("renewals are gathered into rounds, with copies, answers, the gaps between rounds and the tightest margin")
  func renewals() throws {
    func alive(_ target: String = "upnp:rootdevice", _ maxAge: Int = 20) -> String {
      TinyCapture.alive("lamp", target, maxAge: maxAge)
    }
    var capture = TinyCapture()
    capture.add(0, Self.phone, TinyCapture.search("ssdp:all", mx: 3))
    capture.add(0.5, Self.lamp, Self.phone, TinyCapture.answer("lamp", maxAge: 30))
    // A tenth of the lease behind the last message is the same round, a millisecond later another.
    for (seconds, text) in [
      (10, alive()), (12, alive()), (14, alive(Self.service(1))), (14.5, alive(Self.service(2), 40)), (25, alive()),
      (27, alive(Self.service(1))), (29.001, alive(Self.service(2))), (29.5, alive(Self.service(2))),
    ] as [(Double, String)] { capture.add(seconds, Self.lamp, text) }
    capture.add(35, Self.phone, TinyCapture.search("upnp:rootdevice", mx: 3))
    for seconds in [35.2, 35.4] { capture.add(seconds, Self.lamp, Self.phone, TinyCapture.answer("lamp", maxAge: 20)) }
    let story = try capture.story(until: .minutes(1))
    expectEqual(
      lives(story),
      """
      uuid:lamp
      +0.500 frame 2 first heard: response upnp:rootdevice from 192.168.1.20, 30 s; http://192.168.1.20/d.xml
      +0.500 frame 2 answered search 1: 1 service
      +10.000 frames 3–4 renewed by 1 message and a copy; at the tightest 20.5 s left of 30 s (frame 3)
      +14.000 frames 5–6 2 more leases of 20 to 40 s: urn:x-y:service:s1:1, urn:x-y:service:s2:1
      +25.000 frames 7…12 renewed by 4 messages and a copy in 3 rounds, 4.001 s to 6.199 s apart, 1 answer among \
      them; at the tightest 7 s left of 20 s (frame 7)
      +35.200 frame 12 answered search 2: 1 service
      +35.400 frame 13 no renewal and a copy, 1 answer among them
      +55.400 lost: expired. The last that it said is frame 13, response upnp:rootdevice at +35.400, which promised \
      20 s
      """)
    let events = Self.lines(story, about: "device")
    expectEqual(
      events[4],
      "time:1025,count:5,frames:[7-10,12],lastTime:1035.200000000,event:renewed,messages:4,copies:1,answers:1,"
        + "rounds:3,gapLeast:4.001000000,gapMost:6.199000000,marginLeast:7,marginOfSeconds:20,frame:7")
  }

  // MARK: Changes

  @Test("every change, refusal, reboot, loss and return is an event of its own, in the order in which it came")
  func changes() throws {
    var capture = TinyCapture()
    func add(_ seconds: Double, _ last: Int, _ path: String?, boot: Int, config: Int = 1, host: Int = 20) {
      capture.add(
        seconds, "192.168.1.\(last)",
        TinyCapture.alive(
          "lamp", location: path.map { "http://192.168.1.\(host)/" + $0 }, maxAge: 100,
          more: "BOOTID.UPNP.ORG: \(boot)\nCONFIGID.UPNP.ORG: \(config)\n"))
    }
    func update(_ seconds: Double, _ last: Int, _ boot: Int) {
      capture.add(
        seconds, "192.168.1.\(last)",
        "NOTIFY * HTTP/1.1\nHOST: 239.255.255.250:1900\nLOCATION: http://192.168.1.21/e\nNT: upnp:rootdevice\n"
          + "NTS: ssdp:update\nUSN: uuid:lamp::upnp:rootdevice\nBOOTID.UPNP.ORG: \(boot)\nCONFIGID.UPNP.ORG: 1\n"
          + "NEXTBOOTID.UPNP.ORG: \(boot + 1)\n\n")
    }
    add(0, 20, "d", boot: 7)
    add(10, 20, "e", boot: 7)
    add(20, 21, "e", boot: 7)
    add(30, 21, "e", boot: 7, config: 2, host: 21)
    update(40, 21, 7)
    update(41, 21, 7)
    update(42, 77, 8)
    add(50, 21, "e", boot: 8, config: 2, host: 21)
    add(60, 21, nil, boot: 9, config: 2)
    add(60.5, 21, "e", boot: 8, config: 2, host: 21)
    capture.add(70, "192.168.1.21", TinyCapture.byebye("lamp"))
    capture.add(70.2, "192.168.1.21", TinyCapture.byebye("lamp"))
    capture.add(71.5, "192.168.1.21", TinyCapture.alive("lamp", location: "http://192.168.1.21/e", maxAge: 100))
    let story = try capture.story()
    expectEqual(
      Self.lines(story, about: "device").joined(separator: "\n"),
      """
      time:1000,count:1,frames:[1],event:found,by:{type:notify-alive,target:upnp:rootdevice,source:192.168.1.20:1900,\
      frame:1,time:1000,leaseSeconds:100},location:http://192.168.1.20/d
      time:1010,count:1,frames:[2],event:renewed,messages:1,copies:0,answers:0,rounds:1,marginLeast:90,\
      marginOfSeconds:100,frame:2
      time:1010,count:1,frames:[2],event:changed,what:location,from:http://192.168.1.20/d,root:uuid:lamp,\
      location:http://192.168.1.20/e
      time:1020,count:1,frames:[3],event:renewed,messages:1,copies:0,answers:0,rounds:1,marginLeast:90,\
      marginOfSeconds:100,frame:3
      time:1020,count:1,frames:[3],event:locationRefused,location:http://192.168.1.20/e,rule:offLink,\
      text:'http://192.168.1.20/e' is out of scope: offLink, the host is neither the sender nor on its link
      time:1030,count:1,frames:[4],event:renewed,messages:1,copies:0,answers:0,rounds:1,marginLeast:90,\
      marginOfSeconds:100,frame:4
      time:1030,count:1,frames:[4],event:changed,what:location,from:http://192.168.1.20/e,root:uuid:lamp,\
      location:http://192.168.1.21/e
      time:1030,count:1,frames:[4],event:changed,what:configID,from:1,root:uuid:lamp,location:http://192.168.1.21/e
      time:1040,count:1,frames:[5],event:changed,what:bootID,from:7,root:uuid:lamp,location:http://192.168.1.21/e
      time:1041,count:1,frames:[6],event:ignored,type:notify-update,source:192.168.1.21,reason:updateOfNothing
      time:1042,count:1,frames:[7],event:ignored,type:notify-update,source:192.168.1.77,reason:refused,\
      rejection:foreignUpdate
      time:1050,count:1,frames:[8],event:renewed,messages:1,copies:0,answers:0,rounds:1,marginLeast:80,\
      marginOfSeconds:100,frame:8
      time:1060,count:1,frames:[9],event:locationRefused,location:null,rule:absent,text:no LOCATION field
      time:1060,count:1,frames:[9],event:rebooted,from:8,to:9,location:null
      time:1060.500000000,count:1,frames:[10],event:ignored,type:notify-alive,source:192.168.1.21,reason:refused,\
      rejection:staleBootID
      time:1070,count:1,frames:[11],event:lost,cause:byebye,by:{type:notify-byebye,target:upnp:rootdevice,\
      source:192.168.1.21:1900,frame:11,time:1070}
      time:1071.500000000,count:1,frames:[13],event:foundAgain,by:{type:notify-alive,target:upnp:rootdevice,\
      source:192.168.1.21:1900,frame:13,time:1071.500000000,leaseSeconds:100},location:http://192.168.1.21/e
      """)
  }

  // MARK: Paths, parts and returns

  @Test("heard on two interfaces, a byebye on one ends what was promised there, and the device is lost with the other")
  func twoInterfaces() throws {
    var capture = TinyCapture()
    capture.interfaces = ["eth0", "eth1"]
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 500))
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 100), interface: 1)
    capture.add(1, Self.lamp, TinyCapture.alive("lamp", Self.service(1), maxAge: 600))
    capture.add(1, Self.lamp, TinyCapture.alive("lamp", Self.service(1), maxAge: 300), interface: 1)
    capture.add(40, Self.lamp, TinyCapture.byebye("lamp"))
    capture.add(60, Self.lamp, TinyCapture.alive("lamp", maxAge: 100), interface: 1)
    let whole = """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 500 s; http://192.168.1.20/d.xml
      +0.000 frames 2–4 3 more leases of 100 to 600 s: upnp:rootdevice, urn:x-y:service:s1:1 and 1 more
      +40.000 frame 5 byebye upnp:rootdevice from 192.168.1.20: ends that; other leases keep the device
      +60.000 frame 6 renewed by 1 message; at the tightest 40 s left of 100 s (frame 6)
      +60.000 here at the end, with 241 s left of its leases
      """
    expectEqual(lives(try capture.story()), whole)
    // Where a byebye ends its own part only, the service's lease on the first interface stands.
    expectEqual(
      lives(try capture.story(settings: ["byebye=each-part"])), whole.replacing("241 s left", with: "541 s left"))
    capture.add(70, Self.lamp, TinyCapture.byebye("lamp", Self.service(1)), interface: 1)
    func last(_ settings: [String]) throws -> String? {
      Self.lines(try capture.story(settings: settings), about: "device").last
    }
    let by = "by:{type:notify-byebye,target:urn:x-y:service:s1:1,source:192.168.1.20:1900,frame:7,time:1070}"
    try expectEqual(last([]), "time:1070,count:1,frames:[7],event:lost,cause:byebye," + by)
    try expectEqual(last(["byebye=each-part"]), "time:1070,count:1,frames:[7],event:partEnded," + by)
  }

  @Test("a UUID that turns out to be a part goes on in its root, and what it promised keeps that")
  func union() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("part", Self.service(1), maxAge: 90))
    capture.add(1, Self.lamp, TinyCapture.alive("part", Self.service(2), maxAge: 50))
    capture.add(2, Self.lamp, TinyCapture.alive("root", maxAge: 60))
    capture.add(13, Self.lamp, TinyCapture.alive("part", Self.service(1), maxAge: 90))
    capture.add(30, Self.lamp, TinyCapture.alive("root", maxAge: 40))
    expectEqual(
      lives(try capture.story(until: .minutes(2))),
      """
      uuid:part
      +0.000 frame 1 first heard: alive urn:x-y:service:s1:1 from 192.168.1.20, 90 s; http://192.168.1.20/d.xml
      +1.000 frame 2 1 more lease of 50 s: urn:x-y:service:s2:1
      +2.000 frame 3 turned out to be a part of uuid:root
      uuid:root
      +2.000 frame 3 first heard: alive upnp:rootdevice from 192.168.1.20, 60 s; http://192.168.1.20/d.xml
      +2.000 frame 3 uuid:part turned out to be a part of it
      +13.000 frames 4–5 renewed by 2 messages in 2 rounds, 17 s apart; at the tightest 32 s left of 60 s (frame 5)
      +103.000 lost: expired. The last that it said is frame 4, alive urn:x-y:service:s1:1 at +13.000, which \
      promised 90 s
      """)
    // A question about the part is answered with both.
    try expectEqual(capture.story("uuid:part").devices.map(\.device), ["uuid:part", "uuid:root"])
    try expectEqual(capture.story("uuid:root").devices.map(\.device), ["uuid:root"])
  }

  @Test("lost at the instant of its next message it is found again, and of two promises that end then the last is told")
  func returns() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", Self.service(1), maxAge: 10))
    capture.add(10, Self.lamp, TinyCapture.alive("lamp", Self.service(1), maxAge: 10))
    capture.add(20, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
    capture.add(50, "192.168.1.21", TinyCapture.alive("lamp", location: nil, maxAge: 20))
    capture.add(51, "192.168.1.21", TinyCapture.alive("lamp", location: nil, maxAge: 20))
    expectEqual(
      lives(try capture.story(until: .minutes(1))),
      """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 20 s; http://192.168.1.20/d.xml
      +0.000 frames 2–3 2 more leases of 10 s: urn:x-y:service:s1:1 and 1 more
      +20.000 lost: expired. The last that it said is frame 3, alive urn:x-y:service:s1:1 at +10.000, which promised \
      10 s
      +20.000 frame 4 found again: alive upnp:rootdevice from 192.168.1.20, 20 s; http://192.168.1.20/d.xml
      +40.000 lost: expired. The last that it said is frame 4, alive upnp:rootdevice at +20.000, which promised 20 s
      +50.000 frame 5 found again: alive upnp:rootdevice from 192.168.1.21, 20 s; no LOCATION that may be used
      +50.000 frame 5 LOCATION not handed on: no LOCATION field
      +51.000 frame 6 no renewal and a copy
      +71.000 lost: expired. The last that it said is frame 6, alive upnp:rootdevice at +51.000, which promised 20 s
      """)
  }

  // MARK: At one instant

  @Test("what runs out at the instant of a message of another device, or of its own, is told once and by no frame")
  func expiryBeforeMessage() throws {
    let update = "NTS: ssdp:update\nBOOTID.UPNP.ORG: 1\nCONFIGID.UPNP.ORG: 1\nNEXTBOOTID.UPNP.ORG: 2"
    func events(_ source: String, _ text: String) throws -> [String] {
      var capture = TinyCapture()
      capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
      capture.add(
        1, "192.168.1.21",
        TinyCapture.alive("hall", location: "http://192.168.1.21/", maxAge: 100, more: "BOOTID.UPNP.ORG: 2\n"))
      capture.add(20, source, text)
      return try capture.story().devices.flatMap { device in
        device.events.map { event in
          let kind = String(String(describing: event.what).prefix { $0 != "(" })
          return ([device.device, kind] + event.frames.texts()).joined(separator: " ")
        }
      }
    }
    func updating(_ uuid: String) -> String {
      TinyCapture.alive(uuid, location: "http://192.168.1.21/").replacing("NTS: ssdp:alive", with: update)
    }
    let (gone, hall) = (["uuid:lamp found 1", "uuid:lamp lost"], "uuid:hall found 2")
    try expectEqual(events(Self.lamp, updating("lamp")), gone + [hall])
    try expectEqual(events("192.168.1.21", updating("hall")), gone + [hall, "uuid:hall ignored 3"])
    let renewed = TinyCapture.alive("hall", location: "http://192.168.1.21/", maxAge: 100)
    try expectEqual(events("192.168.1.21", renewed), gone + [hall, "uuid:hall renewed 3"])
    try expectEqual(events(Self.lamp, TinyCapture.alive("lamp")), gone + ["uuid:lamp found 3", hall])
  }

  @Test("services of one search are one event while it is among the last four of the device")
  func answered() throws {
    for between in 0...4 {
      var capture = TinyCapture()
      capture.add(0, Self.phone, TinyCapture.search("ssdp:all", mx: 5))
      capture.add(0.1, Self.lamp, Self.phone, TinyCapture.answer("lamp"))
      for number in 0..<between {
        capture.add(0.2 + Double(number) / 10, "192.168.1.\(60 + number)", TinyCapture.byebye("lamp"))
      }
      capture.add(2, Self.lamp, Self.phone, TinyCapture.answer("lamp", Self.service(1)))
      let counts = try capture.story().devices.flatMap(\.events).compactMap { event -> [Int]? in
        if case .answered(1, let services) = event.what { [services, event.count] } else { nil }
      }
      // The new lease of the second answer is an event, too.
      expectEqual(counts, (between <= 2 ? [[2, 2]] : [[1, 1], [1, 1]]), "\(between)")
    }
  }

  @Test("the first eight LOCATIONs that may not be used are events, and one that comes again extends its own")
  func manyLocations() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    for number in 1...9 {
      capture.add(Double(number), Self.lamp, TinyCapture.alive("lamp", location: "http://192.168.7.\(number)/"))
    }
    capture.add(30, Self.lamp, TinyCapture.alive("lamp", location: "http://192.168.7.1/"))
    let frames = try capture.story().devices.flatMap(\.events).compactMap { event -> [String]? in
      if case .locationRefused = event.what { event.frames.texts() } else { nil }
    }
    expectEqual(frames, [["2", "11"], ["3"], ["4"], ["5"], ["6"], ["7"], ["8"], ["9"]])
  }

  // MARK: Searches of one socket, or of two files

  @Test("an answer with another target names the last eight searches of its socket, each target once")
  func wrongTarget() throws {
    var capture = TinyCapture()
    for number in [1, 1, 2, 3, 4, 5, 6, 7, 8, 8] {
      capture.add(Double(capture.lines.count) * 2, Self.phone, TinyCapture.search("x:\(number)"))
    }
    capture.add(19, Self.lamp, Self.phone, TinyCapture.answer("lamp"))
    let story = try capture.story()
    expectEqual(story.unmade.last?.reason, .wrongTarget(asked: (2...8).map { "x:\($0)" }, answered: "upnp:rootdevice"))
    expectEqual(story.searches.map(\.otherTargetCount), [0, 0] + Array(repeating: 1, count: 8))
  }

  @Test("a copy of a search that two files show is one, by its packet's number or its time; two of one file are two")
  func mergedCopies() throws {
    // Of each copy the time, and what its packet is numbered with.
    func copies(_ copies: [(Double, UInt32)], _ other: [(Double, UInt32)]) throws -> [Int] {
      let captures = [copies, other].map { copies in
        var capture = TinyCapture()
        for (seconds, number) in copies {
          capture.lines.append(
            TinyCapture.Line(
              seconds: seconds, source: Self.phone, destination: TinyCapture.group,
              text: TinyCapture.search("ssdp:all"), identification: number))
        }
        capture.add(9, "10.0.0.1:5000", "10.0.0.2:53", "no discovery")
        return capture
      }
      let teller = StoryTeller(configuration: EngineConfiguration())
      var replay = Replay(options: ReplayOptions(wantsMessages: false), teller: teller)
      replay.run(merging: try captures.map { CaptureSource(path: "x", reader: try $0.reader()) })
      return teller.finished(frames: 0).searches.map(\.copies)
    }
    let cases: [(files: [[(Double, UInt32)]], copies: [Int])] = [
      ([[(0, 1)], [(0, 1)]], [1]), ([[(0, 1)], [(0.6, 1)]], [1]),
      ([[(0, 1), (0.5, 2)], [(0.01, 1), (0.51, 2)]], [2]),
      // Clocks that differ by more than the copies are apart, and a copy that one of the files has not.
      ([[(0, 1), (0.1, 2)], [(0.15, 1), (0.25, 2)]], [2]), ([[(0, 1), (0.08, 2)], [(0.04, 1)]], [2]),
      ([[(0, 1)], [(0.04, 1), (0.08, 2)]], [2]),
      // Another number, which something on the way may have given it: the time decides.
      ([[(0, 1)], [(0.049, 2)]], [1]), ([[(0, 1)], [(0.05, 2)]], [2]),
      // The network made a copy, or it was sent again, or later: one file is enough to tell.
      ([[(0, 1), (0.001, 1)], []], [1]), ([[(0, 1), (0.002, 1)], []], [2]), ([[(0, 1), (0.001, 2)], []], [2]),
      ([[(0, 1), (0.001, 1)], [(0.3, 1), (0.301, 1)]], [1]), ([[(0, 1), (0.01, 2)], [(5, 3)]], [2, 1]),
    ]
    for (files, count) in cases { try expectEqual(copies(files[0], files[1]), count, "\(files)") }
  }

  // MARK: Losses that no message made

  @Test("a device that makes room is lost by the message that needed it")
  func evicted() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    capture.add(1, "192.168.1.21", TinyCapture.alive("hall", location: "http://192.168.1.21/"))
    capture.add(2, Self.lamp, TinyCapture.alive("lamp"))
    capture.add(3, "192.168.1.22", TinyCapture.alive("door", location: "http://192.168.1.22/"))
    let story = try capture.story(settings: ["limits.entries-total=2"])
    expectEqual(story.devices.map(\.isPresent), [true, false, true])
    expectEqual(
      Self.lines(story, about: "device").filter { $0.contains("event:lost") },
      ["time:1003,device:uuid:hall,count:1,frames:[4],event:lost,cause:evicted"])
  }

  @Test("in the story of a run an interface that goes and an engine that stops end devices, and own searches are own")
  func runs() throws {
    let text = """
      scenario: An interface goes, and then the engine
      duration: 40s
      engine: {address: 192.168.1.9}
      inhabitants:
        tv: {kind: root-device, profile: basic, address: 192.168.1.20, appear: 5s, start-jitter: 0s, max-age: 100s,
          quirks: [answersImmediately, dropsRepeats, noRenewal, rootOnly]}
      timeline:
        - {at: 20s, vanish: tv}
        - {at: 24s, appear: tv}
        - {at: 26s, search: {target: upnp:rootdevice, mx: 1s, broadcasts: 2, spacing: 500ms}}
        - {at: 30s, stop: engine}
      faults:
        - {at: 10s, until: 12s, interface-down: {who: engine}}
      """
    let resolved = try Scenario(yaml: text, file: "x.yaml").resolved()
    let json = RunStory.tell(resolved, seed: 1, scenario: "x.yaml").jsonLines
    let by = "by:{type:notify-alive,target:upnp:rootdevice,source:192.168.1.20:1900"
    let place = "location:http://192.168.1.20:49152/description.xml"
    expectEqual(
      Self.lines(json, "device").map {
        $0.replacing("device:uuid:ff349908-4c0f-4cda-b7bd-1dcd8bd8a7ea,count:1,", with: "")
      },
      [
        "time:5,frames:[3],event:found,\(by),frame:3,time:5,leaseSeconds:100},\(place)",
        "time:10,frames:[],event:lost,cause:interface",
        "time:24,frames:[6],event:foundAgain,\(by),frame:6,time:24,leaseSeconds:100},\(place)",
        "time:26,frames:[8],event:leases,targets:[],leases:0,copies:1,leaseSecondsLeast:100,leaseSecondsMost:100",
        "time:26,frames:[8],event:answered,search:1,services:1",
        "time:26.500000000,frames:[10],event:renewed,messages:0,copies:1,answers:1,rounds:1",
        "time:30,frames:[],event:lost,cause:stopped",
      ])
    expectEqual(Self.lines(json, "datagrams").first?.hasPrefix("time:26,reason:own,type:search,"), true)
    expectEqual(Self.lines(json, "end"), ["capture:x.yaml,start:0,end:40,frames:11,messages:6,devices:1,cut:{}"])
    let mute = "scenario: Nobody\nduration: 5s\nengine: {refuses-joins: true}"
    let silent = RunStory.tell(try Scenario(yaml: mute, file: "x.yaml").resolved(), seed: 1, scenario: "x.yaml")
    #expect(silent.textLines(width: 100) == ["", "The engine sent and heard nothing.", ""] && silent.jsonLines == [])
  }
}
