import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing

/// What frames, files and parties are called in a story, and how frames of several files are joined.
@Suite("Names of frames, files and parties")
struct StoryFrameTests {
  private static let lamp = "192.168.1.20"
  private static let phone = "192.168.1.9:40000"

  private func ranges(_ frames: [Int]) -> FrameRanges {
    var ranges = FrameRanges()
    for frame in frames { ranges.add(frame) }
    return ranges
  }

  private func told(_ ranges: FrameRanges, _ names: FrameNames = FrameNames()) -> String {
    "\(ranges.texts(names).joined(separator: ",")) \(ranges.count) \(ranges.unlistedCount) \(ranges.short(names))"
  }

  // MARK: Frames

  @Test("no frames have neither a first nor a last one, and two frames one behind the other are one range")
  func few() {
    let none = FrameRanges()
    expectEqual([none.first, none.last, none.count, none.unlistedCount], [0, 0, 0, 0])
    expectEqual(told(ranges([0])), "0 1 0 frame 0")
    expectEqual(told(ranges([1])), "1 1 0 frame 1")
    expectEqual(told(ranges([1, 2])), "1-2 2 0 frames 1–2")
    expectEqual(told(ranges([5, 4])), "5,4 2 0 frames 5…4")
    let some = ranges([3, 4, 9])
    expectEqual([some.first, some.last, some.count], [3, 9, 3])
  }

  @Test("of frames that are joined the last is the greater one of the latest file, and that of the other of two files")
  func joined() {
    let names = FrameNames(labels: ["a", "b"])
    func frames(_ places: [(Int, Int)]) -> FrameRanges {
      ranges(places.map { FrameNames.number(file: $0.0, frame: $0.1) })
    }
    let cases: [(one: [(Int, Int)], other: [(Int, Int)], told: String)] = [
      ([(0, 1)], [(0, 5), (0, 7)], "a:1,a:5,a:7 3 0 frames a:1…7"),
      ([(0, 9)], [(0, 5), (0, 7)], "a:9,a:5,a:7 3 0 frames a:9…9"),
      // What is joined comes from both files: its last frame tells which file was the latest.
      ([(1, 5)], [(1, 1), (0, 2)], "b:5,b:1,a:2 3 0 frames b:5…a:2"),
      ([(1, 5)], [(0, 2), (1, 1)], "b:5,a:2,b:1 3 0 frames b:5…5"),
      ([(1, 5)], [(0, 2), (1, 8)], "b:5,a:2,b:8 3 0 frames b:5…8"),
      ([(1, 5)], [(0, 9), (0, 10)], "b:5,a:9-10 3 0 frames b:5…a:10"),
      ([(0, 9)], [(1, 1), (1, 2), (1, 4)], "a:9,b:1-2,b:4 4 0 frames a:9…b:4"),
      ([], [(1, 3)], "b:3 1 0 frame b:3"), ([], [(0, 3), (0, 4)], "a:3-4 2 0 frames a:3–4"),
    ]
    for (one, other, text) in cases {
      var all = frames(one)
      all.add(frames(other))
      expectEqual(told(all, names), text, "\(one) \(other)")
    }
  }

  @Test("a frame's number holds its file and its own number, and is its own number in the first file")
  func numbers() {
    expectEqual(FrameNames.number(file: 0, frame: 12), 12)
    for (file, frame) in [(0, 1), (1, 0), (1, 1), (2, 7), (3, 1_000_001), (300, 2)] {
      let number = FrameNames.number(file: file, frame: frame)
      expectEqual([FrameNames.file(of: number), FrameNames.frame(of: number)], [file, frame])
    }
    let names = FrameNames(labels: ["a", "b"])
    let files = (0...2).map { names.file(of: FrameNames.number(file: $0, frame: 3)) }
    expectEqual(files, ["a", "b", nil])
    expectEqual((0...2).map { names.text(FrameNames.number(file: $0, frame: 3)) }, ["a:3", "b:3", "3"])
    expectEqual(FrameNames().file(of: 3), nil)
  }

  @Test("files are named by what is left of their paths where they differ, and never alike")
  func files() {
    let cases: [(paths: [String], labels: [String])] = [
      ([], []), (["r/one.pcap"], []),
      (["one.pcap", "two.pcap"], ["one", "two"]),
      (["r/s/one.pcap", "r/s/two.pcap"], ["one", "two"]),
      (["a/x/y.pcap", "b/x/y.pcap"], ["a", "b"]), (["r/a/x/y.pcap", "r/b/x/y.pcap"], ["a", "b"]),
      (["r/a/x/p.pcap", "r/b/x/q.pcap"], ["a/x/p", "b/x/q"]),
      // Of paths of different length the shorter one bounds what is common.
      (["r/a/b/y.pcap", "r/c/y.pcap"], ["a/b", "c"]), (["r/c/y.pcap", "r/a/b/y.pcap"], ["c", "a/b"]),
      (["r/y.pcap", "r/a/y.pcap"], ["y", "a/y"]), (["r/a/y.pcap", "r/y.pcap"], ["a/y", "y"]),
      (["r/r/y.pcap", "r/y.pcap"], ["r/y", "y"]),
      // An ending goes only where all have it.
      (["a.pcapng", "b.pcapng"], ["a", "b"]), (["a.pcap.gz", "b.pcap.gz"], ["a", "b"]),
      (["a.pcapng.gz", "b.pcapng.gz"], ["a", "b"]), (["a.pcap", "b.pcap.gz"], ["a.pcap", "b.pcap.gz"]),
      (["a.cap", "b.cap"], ["a.cap", "b.cap"]), ([".pcap", "a.pcap"], [".pcap", "a.pcap"]),
      (["r/a.pcap", "r/a.pcap", "r/a.pcap"], ["a", "a#2", "a#3"]),
      (["r/a.pcap", "r/b.pcap", "r/a.pcap"], ["a", "b", "a#3"]),
    ]
    for (paths, labels) in cases { expectEqual(FrameNames(paths: paths).labels, labels, "\(paths)") }
  }

  // MARK: Several files in lines

  @Test("in lines and in words of several files each frame is told with its file")
  func merged() throws {
    var first = TinyCapture()
    var second = TinyCapture()
    first.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
    second.add(0.5, "192.168.1.21", TinyCapture.alive("hall", location: "http://192.168.1.21/", maxAge: 10))
    first.add(1, Self.lamp, TinyCapture.alive("lamp", "urn:x-y:service:s1:1", maxAge: 10))
    first.add(15, Self.lamp, TinyCapture.alive("lamp", maxAge: 20))
    second.add(18, Self.phone, TinyCapture.search("upnp:rootdevice"))
    first.add(20, Self.lamp, Self.phone, TinyCapture.answer("gate"))
    second.add(20.3, Self.lamp, Self.phone, TinyCapture.answer("gate", maxAge: 60))
    func story(_ probe: Probe? = nil, until: Interval? = nil) throws -> Story {
      let teller = StoryTeller(configuration: EngineConfiguration(), probe: probe)
      var replay = Replay(options: ReplayOptions(until: until, wantsMessages: false), teller: teller)
      replay.run(merging: try [first, second].map { CaptureSource(path: "x", reader: try $0.reader()) })
      return teller.finished(frames: replay.summary.frames, names: FrameNames(labels: ["a", "b"]))
    }
    let whole = try story(until: .minutes(2))
    expectEqual(
      StoryLifeTests.lines(whole, about: "device").joined(separator: "\n"),
      """
      time:1000,count:1,frames:[a:1],event:found,by:{type:notify-alive,target:upnp:rootdevice,\
      source:192.168.1.20:1900,frame:1,file:a,time:1000,leaseSeconds:20},location:http://192.168.1.20/d.xml
      time:1001,count:1,frames:[a:2],event:leases,targets:[urn:x-y:service:s1:1],leases:1,copies:0,\
      leaseSecondsLeast:10,leaseSecondsMost:10
      time:1015,count:1,frames:[a:3],event:renewed,messages:1,copies:0,answers:0,rounds:1,marginLeast:5,\
      marginOfSeconds:20,frame:3,file:a
      time:1035,count:1,frames:[],event:lost,cause:expired,last:{type:notify-alive,target:upnp:rootdevice,\
      source:192.168.1.20:1900,frame:3,file:a,time:1015,leaseSeconds:20}
      time:1000.500000000,device:uuid:hall,count:1,frames:[b:1],event:found,by:{type:notify-alive,\
      target:upnp:rootdevice,source:192.168.1.21:1900,frame:1,file:b,time:1000.500000000,leaseSeconds:10},\
      location:http://192.168.1.21/
      time:1010.500000000,device:uuid:hall,count:1,frames:[],event:lost,cause:expired,last:{type:notify-alive,\
      target:upnp:rootdevice,source:192.168.1.21:1900,frame:1,file:b,time:1000.500000000,leaseSeconds:10}
      """)
    expectEqual(
      StoryLifeTests.lines(whole, about: "search"),
      [
        "time:1018,search:1,target:upnp:rootdevice,source:192.168.1.9:40000,destination:239.255.255.250:1900,copies:1,"
          + "maximumWaitSeconds:1,frames:[b:2],end:1019.100000000,ended:true,services:0,devices:0,late:2,"
          + "lateLeast:0.900000000,lateMost:1.200000000,lateFrames:[a:4,b:3],otherTargets:0"
      ])
    expectEqual(
      StoryLifeTests.lines(whole, about: "finding"),
      [
        "finding:late,party:uuid:gate,source:192.168.1.20,frames:[a:4,b:3],text:answered too late: 2 answers 0.9 s to "
          + "1.2 s after search 1 for upnp:rootdevice ended",
        "finding:searchesOnly,party:192.168.1.9,source:192.168.1.9,frames:[b:2],text:only searched (1 time) and "
          + "announced nothing",
      ])
    let text = StoryLifeTests.text(whole)
    #expect(text.contains("\n+15.000 frame a:3 renewed by 1 message; at the tightest 5 s left of 20 s (frame a:3)\n"))
    #expect(text.contains("; 2 answers too late, by 0.9 s to 1.2 s (frames a:4…b:3)\n"))
    #expect(text.contains("The last that it said is frame b:1, alive upnp:rootdevice at +0.500, which promised 10 s\n"))
    let probed = try story(Probe(target: "ssdp:all", at: .seconds(2), broadcasts: 1))
    expectEqual(
      StoryLifeTests.lines(probed, about: "probe").dropLast(),
      [
        "time:1000,usn:uuid:lamp::upnp:rootdevice,target:upnp:rootdevice,how:known,frame:1,file:a",
        "time:1001,usn:uuid:lamp::urn:x-y:service:s1:1,target:urn:x-y:service:s1:1,how:known,frame:2,file:a",
        "time:1000.500000000,device:uuid:hall,usn:uuid:hall::upnp:rootdevice,target:upnp:rootdevice,how:known,"
          + "frame:1,file:b",
      ])
    #expect(
      StoryLifeTests.text(probed).contains(
        "\nupnp:rootdevice of uuid:hall: known already, by frame b:1 at +0.500, for 10 s\n"))
  }

  // MARK: Parties

  @Test("a party is an address, a UUID with its scheme, or one of the standard form without; anything else is none")
  func parties() {
    let uuid = "2fac1234-31f8-11b4-a222-08002b34c003"
    let cases: [(text: String, party: String?)] = [
      ("192.168.1.20", "192.168.1.20"), ("fe80::1", "fe80::1"), ("uuid:a", "uuid:a"), ("UUID:Lamp", "uuid:lamp"),
      ("uuid:lamp::upnp:rootdevice", "uuid:lamp"), ("uuid:" + uuid, "uuid:" + uuid), (uuid, "uuid:" + uuid),
      (uuid.uppercased(), "uuid:" + uuid), ("uuid:", nil), ("", nil), ("lamp", nil), ("abc", nil), ("a-b-c-d-e", nil),
      (String(uuid.dropLast()), nil), (uuid + "0", nil), (String(uuid.dropLast()) + "g", nil), ("-" + uuid, nil),
      (uuid.replacing("-31f8", with: "--31f8"), nil), (uuid.replacing("-", with: ""), nil),
    ]
    for (text, party) in cases { expectEqual(StoryParty(text)?.description, party, "\(text)") }
  }
}
