import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallRunning
import Testing

/// What is said again: by the network, by a device, by a search.
@Suite("What is said again, told")
struct StoryRepeatTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  /// The rows of a section, each on one line.
  private func rows(_ story: Story, _ section: String) -> String {
    let sections = ["Devices", "Searches", "Datagrams that made no device", "Not found"]
    let lines = StoryLifeTests.text(story).split(separator: "\n").drop { $0 != section }.dropFirst()
    return lines.prefix { !sections.contains(String($0)) }.joined(separator: "\n")
  }

  /// A datagram to the group, with what IPv4 numbers its packet with.
  private func line(
    _ seconds: Double, _ number: UInt32, _ text: String, from source: String = "192.168.1.20:1900"
  ) -> TinyCapture.Line {
    TinyCapture.Line(
      seconds: seconds, source: source, destination: TinyCapture.group, text: text, identification: number)
  }

  // MARK: Copies

  @Test("what the network copied is told with its frames alone, and what a device sent again at once as a copy")
  func networkCopies() throws {
    let alive = TinyCapture.alive("lamp", maxAge: 100)
    var capture = TinyCapture()
    // The same packet a millisecond later, two milliseconds later, and another packet.
    for (seconds, number) in [(0, 1), (0.001, 1), (0.003, 1), (0.004, 7), (20, 2), (20.001, 2), (20.003, 2)]
      as [(Double, UInt32)]
    { capture.lines.append(line(seconds, number, alive)) }
    // The same number from another port is another packet.
    capture.lines.append(line(40, 3, alive, from: "192.168.1.20:1901"))
    capture.lines.append(line(40.001, 3, alive))
    for (seconds, number) in [(60, 1), (60.001, 1), (60.002, 2)] as [(Double, Int)] {
      capture.lines.append(line(seconds, 4, TinyCapture.alive("lamp", Self.service(number), maxAge: 100)))
    }
    let story = try capture.story(Self.lamp)
    expectEqual(
      StoryLifeTests.lines(story, about: "device").joined(separator: "\n"),
      """
      time:1000,count:2,frames:[1-2],lastTime:1000.001000000,event:found,by:{type:notify-alive,\
      target:upnp:rootdevice,source:192.168.1.20:1900,frame:1,time:1000,leaseSeconds:100},\
      location:http://192.168.1.20/d.xml
      time:1000.003000000,count:2,frames:[3-4],lastTime:1000.004000000,event:leases,targets:[],leases:0,copies:2,\
      leaseSecondsLeast:100,leaseSecondsMost:100
      time:1020,count:5,frames:[5-9],lastTime:1040.001000000,event:renewed,messages:2,copies:2,answers:0,rounds:2,\
      gapLeast:20,gapMost:20,marginLeast:80.003000000,marginOfSeconds:100,frame:8
      time:1060,count:3,frames:[10-12],lastTime:1060.002000000,event:leases,\
      targets:[urn:x-y:service:s1:1,urn:x-y:service:s2:1],leases:2,copies:0,leaseSecondsLeast:100,\
      leaseSecondsMost:100
      """)
    let text = StoryLifeTests.text(story)
    let start = try #require(text.firstRange(of: "\nWhat the engine made of its datagrams\n"))
    expectEqual(
      String(text[start.upperBound...]),
      """
      +0.000 frame 1 alive upnp:rootdevice: made the device known, for 100 s
      +0.001 frames 2–4 3× alive upnp:rootdevice: a copy, which changes nothing
      +20.000 frame 5 alive upnp:rootdevice: renewed, with 80.004 s left
      +20.001 frames 6–7 2× alive upnp:rootdevice: a copy, which changes nothing
      +40.000 frame 8 alive upnp:rootdevice: renewed, with 80.003 s left
      +40.001 frame 9 alive upnp:rootdevice: a copy, which changes nothing
      +60.000 frame 10 alive urn:x-y:service:s1:1: a new lease of 100 s
      +60.001 frame 11 alive urn:x-y:service:s1:1: a copy, which changes nothing
      +60.002 frame 12 alive urn:x-y:service:s2:1: a new lease of 100 s
      """)
  }

  @Test("of equal margins the first is told, and a copy that comes before any renewal begins the first round")
  func margins() throws {
    var capture = TinyCapture()
    capture.add(0, Self.phone, TinyCapture.search("ssdp:all", mx: 3))
    capture.add(0.5, Self.lamp, Self.phone, TinyCapture.answer("lamp", maxAge: 50))
    for seconds in [1.0, 11, 21, 31] { capture.add(seconds, Self.lamp, TinyCapture.alive("lamp", maxAge: 50)) }
    expectEqual(
      rows(try capture.story(), "Devices"),
      """
      uuid:lamp
      +0.500 frame 2 first heard: response upnp:rootdevice from 192.168.1.20, 50 s; http://192.168.1.20/d.xml
      +0.500 frame 2 answered search 1: 1 service
      +1.000 frames 3–6 renewed by 3 messages and a copy in 4 rounds, 10 s apart; at the tightest 40 s left of 50 s \
      (frame 4)
      +31.000 here at the end, with 50 s left of its leases
      """)
  }

  @Test("copies of a search are those that were sent, each compared with the latest; it listens on after the latest")
  func searches() throws {
    let cases: [(sent: [(Double, UInt32)], copies: Int)] = [
      ([(0, 1)], 1), ([(0, 1), (0.001, 1), (0.002, 1)], 1), ([(0, 1), (0.5, 2), (0.501, 2)], 2),
      ([(0, 1), (0.5, 2), (0.501, 1)], 3), ([(0, 1), (0.5, 1), (1, 1)], 3),
    ]
    for (sent, copies) in cases {
      var capture = TinyCapture()
      for (seconds, number) in sent {
        capture.lines.append(line(seconds, number, TinyCapture.search("x:1"), from: Self.phone))
      }
      try expectEqual(capture.story().searches.map(\.copies), [copies], "\(sent)")
    }
    var capture = TinyCapture()
    for seconds in [0.0, 1] { capture.add(seconds, Self.phone, TinyCapture.search("x:1", mx: 5)) }
    capture.add(2, Self.lamp, Self.phone, TinyCapture.answer("lamp", "x:2"))
    let story = try capture.story()
    expectEqual(
      rows(story, "Searches"),
      "+0.000 frames 1–2 search 1 for x:1 from 192.168.1.9:40000, 2 copies, MX 5 s: no answer; still open at the "
        + "end of the capture, until +6.100; 1 answer with another target")
    expectEqual(
      StoryLifeTests.lines(story, about: "search"),
      [
        "time:1000,search:1,target:x:1,source:192.168.1.9:40000,destination:239.255.255.250:1900,copies:2,"
          + "maximumWaitSeconds:5,frames:[1-2],end:1006.100000000,ended:false,services:0,devices:0,late:0,"
          + "otherTargets:1"
      ])
  }

  @Test("a search that is stopped is over then, and one that a signal alone tells of went to the group of its family")
  func signals() throws {
    func tell(_ signals: [String], _ fill: (inout StationCapture) -> Void = { _ in }) throws -> Story {
      var capture = StationCapture()
      capture.comments = ["rollcall host: 192.168.1.9"] + signals.map { "rollcall signal: " + $0 }
      capture.addNothing(0)
      fill(&capture)
      capture.addNothing(12)
      let teller = StoryTeller(configuration: EngineConfiguration())
      let options = ReplayOptions(perspective: .host("192.168.1.9"), wantsMessages: false)
      var replay = Replay(options: options, teller: teller)
      var reader = try TinyCapture.reader(capture.bytes)
      replay.run(&reader)
      return teller.finished(frames: replay.summary.frames)
    }
    let socket = "192.168.1.9:49152"
    let commands = ["1000.0 interface 0 up 192.168.1.9/24", "1000.0 command search 5 upnp:rootdevice mx 1 x1"]
    for (more, end) in [([], "+1.100"), (["1000.3 command stop-search 5"], "+0.300")] as [([String], String)] {
      let story = try tell(commands + more) { capture in
        capture.add(
          0, socket, TinyCapture.group, TinyCapture.search("upnp:rootdevice"), .outbound,
          comments: ["rollcall search: 5 wait 1s"])
      }
      expectEqual(
        rows(story, "Searches"),
        "+0.000 frame 2 search 5 for upnp:rootdevice from 192.168.1.9:49152, 1 copy, MX 1 s: no answer; over at "
          + end)
    }
    let groups: [(socket: String, group: IPAddress)] = [
      ("192.168.1.9:50000", .ssdpGroup4), ("[fe80::9]:50000", .ssdpGroup6),
    ]
    for (socket, group) in groups {
      let searches = try tell(["1000.0 command adopt \(socket) search 3 ssdp:all mx 1 x1"]).searches
      let source = try #require(Endpoint(socket))
      expectEqual(searches.map(\.source), [source])
      expectEqual(searches.map(\.destination), [Endpoint(group, port: 1_900)])
    }
  }

  // MARK: Devices

  @Test("after a reboot only what was announced since counts")
  func reboots() throws {
    func alive(_ target: String, maxAge: Int, boot: Int) -> String {
      TinyCapture.alive("lamp", target, maxAge: maxAge, more: "BOOTID.UPNP.ORG: \(boot)\n")
    }
    var capture = TinyCapture()
    capture.add(0, Self.lamp, alive("upnp:rootdevice", maxAge: 100, boot: 1))
    capture.add(1, Self.lamp, alive(Self.service(1), maxAge: 500, boot: 1))
    capture.add(10, Self.lamp, alive("upnp:rootdevice", maxAge: 100, boot: 2))
    expectEqual(
      rows(try capture.story(), "Devices"),
      """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 100 s; http://192.168.1.20/d.xml
      +1.000 frame 2 1 more lease of 500 s: urn:x-y:service:s1:1
      +10.000 frame 3 rebooted, BOOTID 1 → 2: lost and found; http://192.168.1.20/d.xml
      +10.000 here at the end, with 100 s left of its leases
      """)
  }

  @Test("changes are told in words, and refused messages in a row of one sender as one with their number")
  func changes() throws {
    var capture = TinyCapture()
    func more(_ config: Int) -> String { "BOOTID.UPNP.ORG: 7\nCONFIGID.UPNP.ORG: \(config)\n" }
    for (seconds, last, config, host) in [(0, 20, 1, 20), (10, 20, 2, 20), (20, 21, 2, 20), (25, 21, 2, 21)]
      as [(Double, Int, Int, Int)]
    {
      capture.add(
        seconds, "192.168.1.\(last)",
        TinyCapture.alive("lamp", location: "http://192.168.1.\(host)/d", maxAge: 100, more: more(config)))
    }
    capture.add(
      30, "192.168.1.21",
      TinyCapture.alive("lamp", location: "http://192.168.1.21/d").replacing(
        "NTS: ssdp:alive",
        with: "NTS: ssdp:update\nBOOTID.UPNP.ORG: 7\nCONFIGID.UPNP.ORG: 2\nNEXTBOOTID.UPNP.ORG: 8"))
    for (seconds, last) in [(31, 66), (32, 66), (33, 67)] as [(Double, Int)] {
      capture.add(seconds, "192.168.1.\(last)", TinyCapture.byebye("lamp"))
    }
    let foreign = "refused, foreignByebye: a byebye from an address that never announced the device"
    let story = try capture.story(until: .minutes(5))
    expectEqual(
      rows(story, "Devices"),
      """
      uuid:lamp
      +0.000 frame 1 first heard: alive upnp:rootdevice from 192.168.1.20, 100 s; http://192.168.1.20/d
      +10.000 frame 2 renewed by 1 message; at the tightest 90 s left of 100 s (frame 2)
      +10.000 frame 2 CONFIGID changed, it was 1
      +20.000 frame 3 renewed by 1 message; at the tightest 90 s left of 100 s (frame 3)
      +20.000 frame 3 LOCATION not handed on: 'http://192.168.1.20/d' is out of scope: offLink, the host is neither \
      the sender nor on its link
      +25.000 frame 4 no renewal and a copy
      +25.000 frame 4 LOCATION: http://192.168.1.20/d → http://192.168.1.21/d
      +30.000 frame 5 announced the next BOOTID; it was 7
      +31.000 frames 6–7 2× byebye from 192.168.1.66: \(foreign)
      +33.000 frame 8 byebye from 192.168.1.67: \(foreign)
      +125.000 lost: expired. The last that it said is frame 4, alive upnp:rootdevice at +25.000, which promised \
      100 s
      """)
    let events = StoryLifeTests.lines(story, about: "device").suffix(3)
    expectEqual(
      events,
      [
        "time:1031,count:2,frames:[6-7],lastTime:1032,event:ignored,type:notify-byebye,source:192.168.1.66,"
          + "reason:refused,rejection:foreignByebye",
        "time:1033,count:1,frames:[8],event:ignored,type:notify-byebye,source:192.168.1.67,reason:refused,"
          + "rejection:foreignByebye",
        "time:1125,count:1,frames:[],event:lost,cause:expired,last:{type:notify-alive,target:upnp:rootdevice,"
          + "source:192.168.1.21:1900,frame:4,time:1025,leaseSeconds:100}",
      ])
  }
}
