import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallRunning
import Testing

/// What a story tells together, what a probe takes for known, and what is counted because it did not fit.
@Suite("What a story counts")
struct StoryCountTests {
  private static let lamp = "192.168.1.20"

  private static func service(_ number: Int) -> String { "urn:x-y:service:s\(number):1" }

  @Test("searches that are alike are told together only where nothing came of them: no answer, no late or other one")
  func alike() throws {
    var capture = TinyCapture()
    for number in 0..<5 {
      capture.add(number == 4 ? 0.1 : 0, "192.168.1.9:5000\(number)", TinyCapture.search("x:1"))
    }
    capture.add(0.5, Self.lamp, "192.168.1.9:50001", TinyCapture.answer("lamp", "x:1"))
    capture.add(0.6, Self.lamp, "192.168.1.9:50003", TinyCapture.answer("gate", "y:1"))
    capture.add(1.5, Self.lamp, "192.168.1.9:50002", TinyCapture.answer("door", "x:1"))
    capture.add(3, "192.168.1.9:50005", TinyCapture.search("x:1"))
    let text = StoryLifeTests.text(try capture.story())
    let start = try #require(text.firstRange(of: "\nSearches\n"))
    let end = try #require(text.firstRange(of: "\nDatagrams that made no device\n"))
    expectEqual(
      String(text[start.upperBound..<end.lowerBound]),
      """
      +0.000 frames 1…5 2 searches for x:1 from 192.168.1.9, MX 1 s: nobody answered; the last is over at +1.200
      +0.000 frame 2 search 2 for x:1 from 192.168.1.9:50001, 1 copy, MX 1 s: 1 service of 1 device; over at +1.100
      +0.000 frame 3 search 3 for x:1 from 192.168.1.9:50002, 1 copy, MX 1 s: no answer; over at +1.100; 1 answer \
      too late, by 0.4 s (frame 8)
      +0.000 frame 4 search 4 for x:1 from 192.168.1.9:50003, 1 copy, MX 1 s: no answer; over at +1.100; 1 answer \
      with another target
      +3.000 frame 9 search 6 for x:1 from 192.168.1.9:50005, 1 copy, MX 1 s: no answer; still open at the end of \
      the capture, until +4.100
      """)
  }

  @Test("a promise that ends when the probe begins is not known, and an announcement at its very end is heard")
  func probe() throws {
    func story(_ maxAge: Int) throws -> Story {
      var capture = TinyCapture()
      capture.add(0, Self.lamp, TinyCapture.alive("lamp", maxAge: maxAge))
      capture.add(1, Self.lamp, TinyCapture.alive("lamp", Self.service(1), maxAge: 100))
      for (seconds, last) in [(14.1, 21), (14.101, 22)] {
        capture.add(
          seconds, "192.168.1.\(last)", TinyCapture.alive("d\(last)", location: "http://192.168.1.\(last)/"))
      }
      return try capture.story(
        probe: Probe(target: "upnp:rootdevice", at: .seconds(10), maximumWaitSeconds: 2, broadcasts: 2))
    }
    func lines(_ maxAge: Int) throws -> [String] {
      StoryLifeTests.lines(try story(maxAge), about: "probe")
    }
    let heard =
      "time:1014.100000000,device:uuid:d21,usn:uuid:d21::upnp:rootdevice,target:upnp:rootdevice,how:announced,frame:3"
    func end(_ services: Int) -> String {
      "time:1010,target:upnp:rootdevice,end:1014.100000000,services:\(services),captureEnd:1014.101000000,text:Answers "
        + "to a search that nobody sent are not in the file: a device that only answers cannot be seen here."
    }
    let known = "time:1000,usn:uuid:lamp::upnp:rootdevice,target:upnp:rootdevice,how:known,frame:1"
    try expectEqual(lines(10), [heard, end(1)])
    try expectEqual(lines(11), [known, heard, end(2)])
    // What did not fit is counted, in both forms.
    var cut = try story(10)
    cut.probe?.cut = 2
    expectEqual(StoryLifeTests.lines(cut, about: "probe").last, end(3))
    let heading = "Had the engine searched for upnp:rootdevice at +10.000 (2 copies, MX 2 s, listening until +14.100)"
    let row = "\nupnp:rootdevice of uuid:d21: announced in that time, frame 3 at +14.100\n"
    let caveat =
      "Answers to a search that nobody sent are not in the file: a device that only answers cannot be seen here."
    #expect(StoryLifeTests.text(cut).hasSuffix("\n" + heading + row + "… and 2 more\n" + caveat))
    #expect(StoryLifeTests.text(try story(10)).hasSuffix("\n" + heading + row + caveat))
  }

  @Test("each kind of what was cut is counted for itself, and a device says how many of its events are missing")
  func cuts() throws {
    var capture = TinyCapture()
    for (number, text) in [
      TinyCapture.alive("d0"), TinyCapture.alive("d1"), TinyCapture.byebye("x0"), TinyCapture.alive("d2"),
      TinyCapture.byebye("x1"), TinyCapture.byebye("x2"), TinyCapture.alive("d3"),
    ].enumerated() { capture.add(Double(number), "192.168.1.\(20 + number)", text) }
    var bounds = StoryTeller.Bounds()
    (bounds.devices, bounds.groups) = (1, 1)
    let story = try capture.story(bounds: bounds)
    #expect(
      StoryLifeTests.text(story).hasSuffix(
        "\nNot kept, since there was too much\ndevices: 3\nkinds of datagrams that made no device: 2"))
    expectEqual(
      StoryLifeTests.lines(story, about: "end"),
      [
        "capture:x,start:1000,end:1006,frames:7,messages:7,devices:1,"
          + "cut:{devices:3,kinds of datagrams that made no device:2}"
      ])
    var foreign = TinyCapture()
    foreign.add(0, Self.lamp, TinyCapture.alive("lamp"))
    for number in 1...4 { foreign.add(Double(number), "192.168.1.\(60 + number)", TinyCapture.byebye("lamp")) }
    bounds = StoryTeller.Bounds()
    bounds.eventsPerDevice = 3
    let text = StoryLifeTests.text(try foreign.story(bounds: bounds))
    #expect(text.contains("\n… 2 events more are not kept\n+4.000 here at the end, with 1796 s left of its leases\n"))
    #expect(text.hasSuffix("\nNot kept, since there was too much\nevents of a device: 2"))
  }

  @Test("promises that were ended, ran out, or fell with a reboot make room for others, as many as they were")
  func promises() throws {
    let (root, part) = (TinyCapture.alive("lamp", maxAge: 5), TinyCapture.alive("lamp", Self.service(1), maxAge: 5))
    func boot(_ uuid: String, _ number: Int, _ target: String = "upnp:rootdevice") -> String {
      TinyCapture.alive(uuid, target, maxAge: 100, more: "BOOTID.UPNP.ORG: \(number)\n")
    }
    func long(_ number: Int) -> String { TinyCapture.alive("lamp", Self.service(number), maxAge: 100) }
    // The last message of each is one promise too many.
    let cases: [(name: String, settings: [String], messages: [(Double, String)])] = [
      ("byebye", [], [(0, root), (1, part), (3, TinyCapture.byebye("lamp")), (20, root), (21, part), (22, long(2))]),
      ("expired", [], [(0, root), (1, part), (20, root), (21, part), (22, long(2))]),
      (
        "reboot", [],
        [
          (0, boot("lamp", 1)), (1, boot("lamp", 1, Self.service(1))), (10, boot("lamp", 2)),
          (11, boot("lamp", 2, Self.service(1))), (12, boot("lamp", 2, Self.service(2))),
        ]
      ),
      (
        "part ended", ["byebye=each-part"],
        [
          (0, boot("lamp", 1)), (1, long(1)), (10, TinyCapture.byebye("lamp", Self.service(1))), (20, long(2)),
          (21, long(3)),
        ]
      ),
      (
        "part reborn", [],
        [
          (0, boot("lamp", 1)), (1, boot("part", 1, Self.service(1))), (5, boot("part", 2)),
          (6, boot("part", 2, Self.service(2))),
        ]
      ),
      (
        "none ended", [],
        [(0, boot("lamp", 1)), (5, boot("part", 1, Self.service(1))), (6, boot("lamp", 1, Self.service(2)))]
      ),
    ]
    for (name, settings, messages) in cases {
      func cuts(_ count: Int) throws -> [String] {
        var capture = TinyCapture()
        for (seconds, text) in messages.prefix(count) { capture.add(seconds, Self.lamp, text) }
        var bounds = StoryTeller.Bounds()
        bounds.promises = 2
        return try capture.story(settings: settings, bounds: bounds).cuts.map { "\($0.what): \($0.count)" }
      }
      try expectEqual(cuts(messages.count - 1), [], "\(name)")
      let one = "promises: the last one of a device that expired may be missing: 1"
      try expectEqual(cuts(messages.count), [one], "\(name)")
    }
  }
}
