import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing

/// What a story gathers, at the bounds of what it gathers: frames, copies, searches of one socket.
@Suite("Stories at their bounds")
struct StoryBoundTests {
  private static let lamp = "192.168.1.20"

  private func ranges(_ frames: [Int]) -> FrameRanges {
    var ranges = FrameRanges()
    for frame in frames { ranges.add(frame) }
    return ranges
  }

  private func told(_ ranges: FrameRanges) -> String {
    "\(ranges.texts().joined(separator: ",")) \(ranges.count) \(ranges.unlistedCount) \(ranges.short())"
  }

  @Test("frames in a row are a range, the same one again is none, and behind the twelfth range they are counted only")
  func frames() {
    expectEqual(told(ranges([])), " 0 0 ")
    #expect(told(ranges([7])) == "7 1 0 frame 7" && told(ranges([7, 7])) == "7 1 0 frame 7")
    #expect(told(ranges([7, 8, 9])) == "7-9 3 0 frames 7–9" && told(ranges([7, 9])) == "7,9 2 0 frames 7…9")
    expectEqual(told(ranges([7, 8, 7])), "7-8,7 3 0 frames 7…7")
    // Of two that it would go on behind, the later one.
    expectEqual(told(ranges([1, 2, 1, 2, 3])), "1-2,1-3 5 0 frames 1…3")
    let odd = (0..<12).map { $0 * 2 + 1 }
    let list = odd.map(String.init).joined(separator: ",")
    expectEqual(told(ranges(odd)), "\(list) 12 0 frames 1…23")
    expectEqual(told(ranges(odd + [24])), "\(list)-24 13 0 frames 1…24")
    expectEqual(told(ranges(odd + [25])), "\(list) 13 1 frames 1…25")
    expectEqual(told(ranges(odd + [25, 24])), "\(list) 14 2 frames 1…24")
    // Joined, what is listed nowhere stays counted, and the latest frame is the last one.
    var joined = ranges(odd + [25, 27])
    joined.add(ranges([24]))
    expectEqual(told(joined), "\(list) 15 3 frames 1…27")
    var small = ranges([2])
    small.add(ranges(odd + [25, 27]))
    #expect(small.count == 15 && small.unlistedCount == 2 && small.last == 27)
  }

  @Test("frames of four files that take turns are four ranges, those of five are told one by one")
  func files() {
    for (count, listed) in [(1, 1), (4, 4), (5, 10)] {
      let names = FrameNames(labels: (0..<count).map { "f\($0)" })
      var all = FrameRanges()
      for frame in 1...2 { for file in 0..<count { all.add(FrameNames.number(file: file, frame: frame)) } }
      #expect(all.ranges.count == listed && all.count == count * 2)
      expectEqual(all.texts(names).first, (count == 5 ? "f0:1" : "f0:1-2"))
    }
    // Of two files the last frame is that of the one that came last, and what is empty takes away none.
    let names = FrameNames(labels: ["a", "b"])
    var both = FrameRanges(FrameNames.number(file: 1, frame: 5))
    both.add(FrameRanges(FrameNames.number(file: 0, frame: 9)))
    expectEqual(both.short(names), "frames b:5…a:9")
    var one = ranges([FrameNames.number(file: 1, frame: 5), FrameNames.number(file: 1, frame: 6)])
    one.add(FrameRanges())
    expectEqual(one.short(names), "frames b:5–6")
  }

  @Test("frames that no range lists are counted in lines and in words")
  func unlisted() throws {
    var capture = TinyCapture()
    for round in 0..<14 {
      for (last, uuid) in [(20, "lamp"), (21, "hall")] {
        let alive = TinyCapture.alive(uuid, location: "http://192.168.1.\(last)/", maxAge: 100)
        capture.add(Double(round) * 20, "192.168.1.\(last)", alive)
      }
    }
    let story = try capture.story()
    let lines = StoryLifeTests.lines(story, about: "device").filter { $0.contains("event:renewed") }
    #expect(lines[0].contains("count:13,frames:[3,5,7,9,11,13,15,17,19,21,23,25],framesUnlisted:1,lastTime:1260,"))
    #expect(
      StoryLifeTests.text(story).contains("\n+20.000 frames 3…27 renewed by 13 messages in 13 rounds, 20 s apart; "))
  }

  @Test("the same message within a tenth of its lease, and within five seconds, is a copy; later it renews")
  func copies() throws {
    func rows(_ maxAge: Int, _ times: [Double]) throws -> [String] {
      var capture = TinyCapture()
      for seconds in times { capture.add(seconds, Self.lamp, TinyCapture.alive("lamp", maxAge: maxAge)) }
      return StoryLifeTests.text(try capture.story()).split(separator: "\n").map(String.init)
        .filter { $0.contains(" frame 2 ") || $0.contains(" frame 3 ") }
    }
    try expectEqual(
      rows(1_800, [0, 5, 10.001]),
      [
        "+5.000 frame 2 1 copy",
        "+10.001 frame 3 renewed by 1 message; at the tightest 1794.9 s left of 1800 s (frame 3)",
      ])
    try expectEqual(
      rows(30, [0, 3, 6.001]),
      [
        "+3.000 frame 2 1 copy",
        "+6.001 frame 3 renewed by 1 message; at the tightest 26.999 s left of 30 s (frame 3)",
      ])
  }

  @Test("a socket searches for 256 targets at a time; for one more the first is forgotten, and a copy of it is another")
  func sockets() throws {
    for (count, copies, searches) in [(256, 2, 256), (257, 1, 258)] {
      var capture = TinyCapture()
      for number in 0..<count { capture.add(0, "192.168.1.9:40000", TinyCapture.search("x:\(number)")) }
      capture.add(0.1, "192.168.1.9:40000", TinyCapture.search("x:0"))
      let story = try capture.story(settings: ["limits.searches-open=1000"])
      #expect(story.searches.count == searches && story.searches[0].copies == copies, "\(count)")
      expectEqual(story.searches.last?.target, (count == 256 ? "x:255" : "x:0"))
    }
  }

  @Test("a probe listens for its copies and MX, and a tenth of a second; its heading says what it would have sent")
  func probes() throws {
    var capture = TinyCapture()
    capture.add(0, Self.lamp, TinyCapture.alive("lamp"))
    let cases: [(probe: Probe, told: String)] = [
      (
        Probe(target: "x:1", at: .seconds(5), maximumWaitSeconds: 3, broadcasts: 1),
        "+5.000 (1 copy, MX 3 s, listening until +8.100)"
      ),
      (Probe(target: "x:1", at: .seconds(5)), "+5.000 (3 copies, MX 3 s, listening until +14.100)"),
      (
        Probe(
          target: "x:1", at: .milliseconds(1), maximumWaitSeconds: 2, broadcasts: 10, spacing: .milliseconds(500)),
        "+0.001 (10 copies, MX 2 s, listening until +6.601)"
      ),
      (
        Probe(target: "x:1", at: .zero, maximumWaitSeconds: 0, broadcasts: 2),
        "+0.000 (2 copies, MX 0 s, listening until +1.100)"
      ),
    ]
    for (probe, told) in cases {
      let story = try capture.story(until: .seconds(60), probe: probe)
      let lines = StoryLifeTests.text(story).split(separator: "\n").map(String.init)
      #expect(lines.contains("Had the engine searched for x:1 at " + told), "\(lines)")
    }
  }
}
