import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing

/// Whole lines of a story: reasons, findings and a party.
@Suite("Lines of a story")
struct StoryLineTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  private static func update(_ uuid: String) -> String {
    TinyCapture.alive(uuid).replacing(
      "NTS: ssdp:alive", with: "NTS: ssdp:update\nBOOTID.UPNP.ORG: 1\nNEXTBOOTID.UPNP.ORG: 2")
  }

  private func lines(_ story: Story, _ about: String) -> String {
    StoryLifeTests.lines(story, about: about).joined(separator: "\n")
  }

  /// What is said of why something is not found: of each finding its kind, its frames and its sentence.
  private func findings(_ story: Story) -> [String] {
    story.findings.map { finding in
      "\(finding.kind.rawValue) \(finding.party) \(finding.frames.texts().joined(separator: ",")): \(finding.text)"
    }
  }

  // MARK: Reasons

  @Test("each reason has its own fields in lines, and each finding names its party, its sender and its frames")
  func reasons() throws {
    var capture = TinyCapture()
    capture.add(0, Self.phone, TinyCapture.search("x:1", mx: 5))
    for seconds in [0.5, 0.6] { capture.add(seconds, Self.lamp, Self.phone, TinyCapture.answer("a", "x:2")) }
    capture.add(0.7, "192.168.1.21", Self.phone, TinyCapture.answer("b", "x:3"))
    capture.add(1, Self.lamp, "192.168.1.8:1900", TinyCapture.alive("c"))
    capture.add(3, Self.lamp, TinyCapture.byebye("f"))
    capture.add(4, Self.lamp, Self.update("g"))
    capture.add(4.5, "192.168.1.7:5000", TinyCapture.search("y:1"))
    let story = try capture.story(as: .host("192.168.1.9"))
    expectEqual(
      lines(story, "datagrams"),
      """
      time:1000,reason:own,type:search,source:192.168.1.9,count:1,frames:[1],lastTime:1000,text:sent by the engine's \
      own host, which does not hear itself
      time:1000.500000000,reason:wrongTarget,asked:[x:1],answered:x:2,type:response,source:192.168.1.20,uuid:uuid:a,\
      count:2,frames:[2-3],lastTime:1000.600000000,offset:129,text:wrong target: asked for x:1, answered x:2
      time:1000.700000000,reason:wrongTarget,asked:[x:1],answered:x:3,type:response,source:192.168.1.21,uuid:uuid:b,\
      count:1,frames:[4],lastTime:1000.700000000,offset:129,text:wrong target: asked for x:1, answered x:3
      time:1001,reason:notHeard,destination:192.168.1.8,type:notify-alive,source:192.168.1.20,uuid:uuid:c,count:1,\
      frames:[5],lastTime:1001,text:went to 192.168.1.8, so the host of this replay did not hear it
      time:1003,reason:byebyeOfNothing,type:notify-byebye,source:192.168.1.20,uuid:uuid:f,count:1,frames:[6],\
      lastTime:1003,text:no event, since nothing that stood was announced so
      time:1004,reason:updateOfNothing,type:notify-update,source:192.168.1.20,uuid:uuid:g,count:1,frames:[7],\
      lastTime:1004,text:no event, since the device is not known or the BOOTID is not new
      time:1004.500000000,reason:otherSearch,type:search,source:192.168.1.7,count:1,frames:[8],\
      lastTime:1004.500000000,text:a search: it asks, and announces nothing
      """)
    expectEqual(
      lines(story, "finding"),
      """
      finding:wrongTarget,party:uuid:a,source:192.168.1.20,frames:[2-3],text:answered another target: asked for x:1, \
      answered x:2 (2 answers)
      finding:wrongTarget,party:uuid:b,source:192.168.1.21,frames:[4],text:answered another target: asked for x:1, \
      answered x:3 (1 answer)
      finding:notHeard,party:uuid:c,source:192.168.1.20,frames:[5],text:sent to 192.168.1.8, which the host of this \
      replay does not hear (1 alive)
      finding:byebyeOnly,party:uuid:f,source:192.168.1.20,frames:[6],text:never announced: it said byebye (1 byebye)
      finding:byebyeOnly,party:uuid:g,source:192.168.1.20,frames:[7],text:never announced: it sent ssdp:update \
      (1 update)
      finding:searchesOnly,party:192.168.1.9,source:192.168.1.9,frames:[1],text:only searched (1 time) and announced \
      nothing
      finding:searchesOnly,party:192.168.1.7,source:192.168.1.7,frames:[8],text:only searched (1 time) and announced \
      nothing
      """)
    expectEqual(lines(story, "end"), "capture:x,start:1000,end:1004.500000000,frames:8,messages:8,devices:0,cut:{}")
    expectEqual(
      lines(try capture.story(Self.lamp, as: .host("192.168.1.9")), "party"),
      """
      time:1000.500000000,type:response,target:x:2,source:192.168.1.20:1900,destination:192.168.1.9:40000,count:2,\
      frames:[2-3],made:nothing,reason:wrongTarget,asked:[x:1],answered:x:2,offset:129
      time:1001,type:notify-alive,target:upnp:rootdevice,source:192.168.1.20:1900,destination:192.168.1.8:1900,\
      count:1,frames:[5],made:nothing,reason:notHeard,destination:192.168.1.8
      time:1003,type:notify-byebye,target:upnp:rootdevice,source:192.168.1.20:1900,destination:239.255.255.250:1900,\
      count:1,frames:[6],made:nothing,reason:byebyeOfNothing
      time:1004,type:notify-update,target:upnp:rootdevice,source:192.168.1.20:1900,destination:239.255.255.250:1900,\
      count:1,frames:[7],made:nothing,reason:updateOfNothing
      """)
  }

  @Test("a bound of the engine is named in the lines of the device, of the datagrams and of the search that it ended")
  func bounds() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    capture.add(1, Self.lamp, TinyCapture.alive("lamp", Self.service(1)))
    capture.add(2, Self.phone, TinyCapture.search("x:1"))
    capture.add(2.1, Self.phone, TinyCapture.search("x:2", mx: 2))
    capture.add(2.2, "192.168.1.21", Self.phone, TinyCapture.answer("hall", "x:2"))
    let story = try capture.story(settings: ["limits.entries-per-source=1", "limits.searches-open=1"])
    expectEqual(
      StoryLifeTests.lines(story, about: "device").last,
      "time:1001,count:1,frames:[2],event:ignored,type:notify-alive,source:192.168.1.20,reason:bound,"
        + "bound:entries-per-source")
    expectEqual(
      StoryLifeTests.lines(story, about: "search").last,
      "time:1002.100000000,search:2,target:x:2,source:192.168.1.9:40000,destination:239.255.255.250:1900,"
        + "copies:1,maximumWaitSeconds:2,frames:[4],end:1002.100000000,ended:true,services:0,devices:0,late:0,"
        + "otherTargets:0,failure:1 searches are open, no more fit: stop one or wait for one to end.")
    expectEqual(
      lines(story, "datagrams"),
      """
      time:1001,reason:bound,bound:entries-per-source,type:notify-alive,source:192.168.1.20,uuid:uuid:lamp,count:1,\
      frames:[2],lastTime:1001,offset:196,text:dropped by the bound 'entries-per-source' of the engine
      time:1002,reason:otherSearch,type:search,source:192.168.1.9,count:2,frames:[3-4],lastTime:1002.100000000,\
      text:a search: it asks, and announces nothing
      time:1002.200000000,reason:bound,bound:searches-open,type:response,source:192.168.1.21,uuid:uuid:hall,count:1,\
      frames:[5],lastTime:1002.200000000,offset:129,text:dropped by the bound 'searches-open' of the engine
      """)
    // A name is kept up to 512 bytes.
    for (count, rest) in [(512, ""), (513, "…")] {
      var long = TinyCapture()
      let target = "x:" + String(repeating: "y", count: count - 2)
      long.add(0, Self.lamp, TinyCapture.byebye("lamp", target))
      try expectEqual(long.story(Self.lamp).datagrams.map(\.target), [String(target.prefix(512)) + rest])
      let uuid = String(repeating: "u", count: count)
      var other = TinyCapture()
      other.add(0, Self.lamp, TinyCapture.byebye(uuid))
      try expectEqual(other.story().unmade.map(\.uuid), [String(uuid.prefix(512)) + rest])
    }
  }

  // MARK: Findings

  @Test("of LOCATIONs that may not be used the first that a message had is told, with the rule that it breaks")
  func locations() throws {
    let (first, second) = ("http://192.168.7.1/", "http://192.168.7.2/")
    let scope = "is out of scope: offLink, the host is neither the sender nor on its link"
    let cases: [(locations: [String?], frames: String, told: String)] = [
      ([nil, first, second], "2", "'\(first)' \(scope)"), ([first, nil], "1", "'\(first)' \(scope)"),
      ([first, second, first], "1,3", "'\(first)' \(scope)"), ([nil, nil], "1-2", "no LOCATION field"),
      (["", "*"], "2", "'*' is no URL to fetch from: it is an asterisk at its byte 0"),
    ]
    for (locations, frames, told) in cases {
      var capture = TinyCapture()
      for (number, location) in locations.enumerated() {
        capture.add(Double(number), Self.lamp, TinyCapture.alive("lamp", location: location))
      }
      expectEqual(
        findings(try capture.story()),
        [
          "unusableLocation uuid:lamp \(frames): is found, but an application gets no LOCATION of it: \(told)"
        ], "\(locations)")
    }
    var capture = TinyCapture()
    for (seconds, location) in [(0, ""), (1, "*"), (2, "http://192.168.1.20/d.xml")] as [(Double, String)] {
      capture.add(seconds, Self.lamp, TinyCapture.alive("lamp", location: location))
    }
    let refused = StoryLifeTests.lines(try capture.story(settings: ["limits.location-bytes=24"]), about: "device")
      .filter { $0.contains("event:locationRefused") }
    expectEqual(
      refused,
      [
        "time:1000,count:1,frames:[1],event:locationRefused,location:,rule:absent,text:LOCATION is empty",
        "time:1001,count:1,frames:[2],event:locationRefused,location:*,rule:asterisk,text:'*' is no URL to fetch from: "
          + "it is an asterisk at its byte 0",
        "time:1002,count:1,frames:[3],event:locationRefused,location:http://192.168.1.20/d.xml,rule:tooLong,"
          + "text:'http://192.168.1.20/d.xml' has 25 bytes, more than 'location-bytes' allows",
      ])
  }

  @Test("a byebye explains more than an update, and both more than what the engine's own host sent")
  func ranks() throws {
    let (byebye, update) = ("never announced: it said byebye (1 byebye)", "never announced: it sent ssdp:update")
    let own = "sent by the engine's own host, which does not hear itself"
    let nothing = "no event, since the device is not known or the BOOTID is not new"
    let cases: [(messages: [(String, String)], told: String)] = [
      ([(Self.lamp, Self.update("x")), (Self.lamp, TinyCapture.byebye("x"))], "2: \(byebye); besides, \(nothing)"),
      (
        [("192.168.1.9", TinyCapture.alive("x")), (Self.lamp, Self.update("x"))],
        "2: \(update) (1 update); besides, \(own)"
      ),
      (
        [("192.168.1.9", TinyCapture.alive("x")), (Self.lamp, TinyCapture.byebye("x"))],
        "2: \(byebye); besides, \(own)"
      ),
    ]
    for (messages, told) in cases {
      var capture = TinyCapture()
      for (number, message) in messages.enumerated() { capture.add(Double(number), message.0, message.1) }
      expectEqual(findings(try capture.story(as: .host("192.168.1.9"))), ["byebyeOnly uuid:x \(told)"])
    }
  }

  @Test("of an address the first three devices are named, and it is said whether one that is there can be used")
  func addresses() throws {
    for (count, named) in [
      (2, "uuid:d0, uuid:d1"), (3, "uuid:d0, uuid:d1, uuid:d2"), (4, "uuid:d0, uuid:d1, uuid:d2 and 1 more"),
      (6, "uuid:d0, uuid:d1, uuid:d2 and 3 more"),
    ] {
      var capture = TinyCapture()
      for number in 0..<count {
        let alive = TinyCapture.alive("d\(number)", location: "http://192.168.1.20/\(number)")
        capture.add(Double(number), Self.lamp, alive)
      }
      expectEqual(
        findings(try capture.story(Self.lamp)),
        ["found 192.168.1.20 1: is found, as \(count) devices (\(named)) from +0.000 on"])
    }
    let messages = [
      (0, TinyCapture.alive("lamp", location: nil)), (1, TinyCapture.alive("hall")), (5, TinyCapture.byebye("hall")),
      (6, TinyCapture.byebye("lamp")),
    ]
    let both = "192.168.1.20 1: is found, as 2 devices (uuid:lamp, uuid:hall) from +0.000 on"
    let useless = ", but without a LOCATION that may be used"
    let told = [
      "unusableLocation 192.168.1.20 1: is found (uuid:lamp) from +0.000 on" + useless, "found " + both,
      "unusableLocation " + both + useless, "found " + both + ", and is gone since +6.000",
    ]
    for count in 1...messages.count {
      var capture = TinyCapture()
      for (seconds, text) in messages.prefix(count) { capture.add(Double(seconds), Self.lamp, text) }
      expectEqual(findings(try capture.story(Self.lamp)), [told[count - 1]])
    }
    var other = TinyCapture()
    other.add(0, "192.168.1.20:5000", "192.168.1.9:53", "no discovery")
    expectEqual(
      findings(try other.story("192.168.1.9")),
      [
        "neverAnnounced 192.168.1.9 : never announced: it is on the network (0 frames from it, 1 to it), but none of "
          + "its frames holds an SSDP message, nor a join of the SSDP group"
      ])
  }

  @Test("the story of a party holds its own searches and datagrams, and no others")
  func party() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 100))
    capture.add(1, "192.168.1.66", TinyCapture.byebye("lamp"))
    capture.add(2, "192.168.1.66", TinyCapture.byebye("hall"))
    capture.add(3, Self.lamp, TinyCapture.byebye("hall"))
    capture.add(4, Self.phone, TinyCapture.search("x:1"))
    capture.add(4.1, "192.168.1.20:5000", TinyCapture.search("x:2"))
    capture.add(5, "192.168.1.9", TinyCapture.alive("phone", location: "http://192.168.1.9/"))
    let cases: [(party: String, devices: [String], searches: [UInt32], unmade: [[String]], finding: String)] = [
      (Self.lamp, ["uuid:lamp"], [2], [["4"], ["6"]], "found 192.168.1.20 1: is found (uuid:lamp) from +0.000 on"),
      ("uuid:lamp", ["uuid:lamp"], [], [["2"]], "found uuid:lamp 1: is found from +0.000 on"),
      ("192.168.1.9", ["uuid:phone"], [1], [["5"]], "found 192.168.1.9 7: is found (uuid:phone) from +5.000 on"),
      ("uuid:hall", [], [], [["3"], ["4"]], "byebyeOnly uuid:hall 3-4: never announced: it said byebye (2 byebyes)"),
    ]
    for (party, devices, searches, unmade, finding) in cases {
      let story = try capture.story(party)
      expectEqual(story.devices.map(\.device), devices, "\(party)")
      expectEqual(story.searches.map(\.id), searches, "\(party)")
      expectEqual(story.unmade.map { $0.frames.texts() }, unmade, "\(party)")
      expectEqual(findings(story), [finding])
    }
    // Two senders of one UUID are two rows, even if the same became of both.
    try expectEqual(capture.story("uuid:hall").datagrams.map { $0.frames.texts() }, [["3"], ["4"]])
    var story = try capture.story(Self.lamp)
    let frames = "\nframes: 3 from it, 0 to it; "
    let messages = "announcements and answers: 2; searches: 1\n"
    #expect(StoryLifeTests.text(story).contains(frames + messages))
    story.presence?.joins = FrameRanges(3)
    story.presence?.leaves = FrameRanges(4)
    #expect(
      StoryLifeTests.text(story).contains(frames + "joins of the SSDP group: frame 3; leaves: frame 4; " + messages))
  }
}
