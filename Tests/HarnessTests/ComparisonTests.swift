import RollcallCapture
import RollcallDiscovery
import RollcallExpectations
import RollcallExplaining
import RollcallPrimitives
import RollcallReducing
import RollcallReplaying
import RollcallReporting
import RollcallRunning
import Testing

/// What certifies: comparisons at their bounds, with ties in both orders, and where they have to say no.
@Suite("Comparisons at their bounds")
struct ComparisonTests {
  private func report(_ nanoseconds: Int64, _ device: String) -> TapedReport {
    TapedReport(time: Instant(nanoseconds: nanoseconds), report: .lost(device: device, cause: .expired))
  }

  @Test("times differ by 20 ms and not by a nanosecond more, early and late, whatever the offset")
  func tolerance() {
    let expected = [report(1_000_000_000, "uuid:a"), report(2_000_000_000, "uuid:b")]
    for offset in [Interval.zero, .seconds(5), .zero - .seconds(5)] {
      func compared(_ first: Int64, _ second: Int64) -> ReportComparison {
        ReportComparison(
          expected: expected,
          found: [
            report(1_000_000_000 - offset.nanoseconds + first, "uuid:a"),
            report(2_000_000_000 - offset.nanoseconds + second, "uuid:b"),
          ], offset: offset)
      }
      #expect(compared(0, 0).isEqual && compared(0, 0).worst == .zero)
      #expect(compared(20_000_000, -20_000_000).isEqual)
      #expect(compared(-7, 3).worst == .nanoseconds(7) && compared(3, -7).worst == .nanoseconds(7))
      expectEqual(compared(7, -3).worst, .nanoseconds(7))
      expectEqual(compared(20_000_001, 0).difference?.hasPrefix("report 1 comes 0.020000001 s off its time"), true)
      expectEqual(compared(-20_000_001, 0).difference?.hasPrefix("report 1 comes -0.020000001 s off its time"), true)
      expectEqual(compared(0, 20_000_001).difference?.hasPrefix("report 2 comes "), true)
      expectEqual(compared(0, -20_000_001).difference?.hasPrefix("report 2 comes "), true)
    }
  }

  @Test("reports of one instant in another order are not the same, nor is one more or one less, first or last")
  func order() {
    let (a, b) = (report(5, "uuid:a"), report(5, "uuid:b"))
    func compared(_ expected: [TapedReport], _ found: [TapedReport]) -> ReportComparison {
      ReportComparison(expected: expected, found: found, offset: .zero)
    }
    #expect(compared([a, b], [a, b]).isEqual && compared([], []).isEqual)
    expectEqual(compared([a, b], [b, a]).difference?.hasPrefix("report 1 is "), true)
    expectEqual(compared([a, a], [a, b]).difference?.hasPrefix("report 2 is "), true)
    expectEqual(compared([a, b], [a]).difference?.hasPrefix("report 2 is missing"), true)
    expectEqual(compared([], [a]).difference?.hasPrefix("report 1 is one too many"), true)
    expectEqual(compared([a], [a, b]).difference?.hasPrefix("report 2 is one too many"), true)
    let counts = compared([a, b], [a])
    #expect((counts.expectedCount, counts.foundCount) == (2, 1))
    // The first that differs is the one that is told, even if a later one is worse.
    let late = ReportComparison(
      expected: [a, report(9, "uuid:c")], found: [report(5, "uuid:x"), report(90_000_000, "uuid:c")], offset: .zero)
    #expect(late.difference?.contains("uuid:x") == true && late.difference?.contains("uuid:a") == true)
  }

  // MARK: diff

  private func side(_ lines: [(Int64, String)], path: String = "one.jsonl") throws -> DiffSide {
    let text = lines.map { nanoseconds, device in
      ReportLine.json(
        .lost(device: device, cause: .expired), time: Instant(nanoseconds: nanoseconds).description, frame: nil)
    }.joined(separator: "\n")
    return try DiffInput(path: path).reportsSide(text)
  }

  @Test("diff: within is a bound that belongs to what is equal, in both directions")
  func within() throws {
    var options = ReportDiff.Options()
    options.within = .nanoseconds(10)
    func isEqual(_ left: Int64, _ right: Int64) throws -> Bool {
      ReportDiff(
        try side([(100, "uuid:a"), (left, "uuid:b")]), try side([(100, "uuid:a"), (right, "uuid:b")]), options: options
      ).isEqual
    }
    #expect(try isEqual(500, 510) && isEqual(510, 500) && isEqual(500, 500))
    #expect(try !isEqual(500, 511) && !isEqual(511, 500))
  }

  @Test("diff: ties in another order are told as such, once each, and everything behind them is found again")
  func ties() throws {
    let left = try side([(1, "uuid:a"), (2, "uuid:b"), (2, "uuid:c"), (3, "uuid:d")])
    let right = try side([(1, "uuid:a"), (2, "uuid:c"), (2, "uuid:b"), (3, "uuid:d")])
    for (one, other) in [(left, right), (right, left)] {
      let diff = ReportDiff(one, other)
      #expect(diff.first == 1 && !diff.isEqual)
      #expect((diff.changedCount, diff.onlyACount, diff.onlyBCount) == (0, 1, 1))
      #expect(
        diff.rows.map(\.mark) == [.equal, .onlyB, .equal, .onlyA, .equal]
          || diff.rows.map(\.mark) == [.equal, .onlyA, .equal, .onlyB, .equal])
    }
  }

  @Test("diff: one more at the start, in the middle or at the end stands alone on its own side")
  func surplus() throws {
    let all: [(Int64, String)] = [(1, "uuid:a"), (2, "uuid:b"), (3, "uuid:c")]
    for place in 0...3 {
      var more = all
      more.insert((Int64(place), "uuid:x"), at: place)
      let added = ReportDiff(try side(all), try side(more))
      expectEqual(added.first, place)
      #expect((added.changedCount, added.onlyACount, added.onlyBCount) == (0, 0, 1), "\(place)")
      let taken = ReportDiff(try side(more), try side(all))
      expectEqual(taken.first, place)
      #expect((taken.changedCount, taken.onlyACount, taken.onlyBCount) == (0, 1, 0), "\(place)")
    }
  }

  @Test("diff: the same at another time is one that changed; two of them are two")
  func changed() throws {
    let left = try side([(1, "uuid:a"), (10, "uuid:b"), (20, "uuid:b"), (30, "uuid:c")])
    let right = try side([(1, "uuid:a"), (11, "uuid:b"), (21, "uuid:b"), (30, "uuid:c")])
    let diff = ReportDiff(left, right)
    #expect((diff.changedCount, diff.onlyACount, diff.onlyBCount) == (2, 0, 0))
    expectEqual(diff.rows.map(\.mark), [.equal, .changed, .changed, .equal])
  }

  @Test("diff: a report that comes back within 32 is found again, one behind that is not")
  func reach() throws {
    func diff(_ gap: Int) throws -> ReportDiff {
      let start: [(Int64, String)] = [(1, "uuid:a")]
      let extra = (0..<gap).map { (Int64(2 + $0), "uuid:x\($0)") }
      let end = (0..<50).map { (Int64(1_000 + $0), "uuid:e\($0)") }
      return ReportDiff(try side(start + extra + end), try side(start + end))
    }
    let near = try diff(32)
    #expect((near.changedCount, near.onlyACount, near.onlyBCount) == (0, 32, 0))
    let far = try diff(33)
    #expect(far.onlyACount > 33 && far.onlyBCount > 0)
  }

  @Test("diff: so many rows are shown as asked for, two equal ones before them, and all are counted")
  func rows() throws {
    var options = ReportDiff.Options()
    options.rows = 3
    let start = (0..<5).map { (Int64($0), "uuid:s\($0)") }
    let left = try side(start + (0..<7).map { (Int64(100 + $0), "uuid:l\($0)") })
    let diff = ReportDiff(left, try side(start), options: options)
    #expect(diff.first == 5 && diff.onlyACount == 7)
    expectEqual(diff.rows.map(\.mark), [.equal, .equal, .onlyA, .onlyA, .onlyA])
    expectEqual(diff.rows.compactMap(\.a?.device), ["uuid:s3", "uuid:s4", "uuid:l0", "uuid:l1", "uuid:l2"])
    #expect(DiffText.lines(diff).contains("  … and 4 more that differ"))
  }

  // MARK: --explain

  private static let lamp = "lamp"

  private func device(_ capture: TinyCapture, until: Interval? = nil) throws -> DeviceStory {
    try #require(try capture.story(until: until).devices.first)
  }

  private func renewals(_ device: DeviceStory) -> Renewals? {
    for event in device.events { if case .renewed(let all) = event.what { return all } }
    return nil
  }

  @Test(
    "a message again within a tenth of its lease is a copy, a millisecond later it renews; five seconds are the most")
  func copies() throws {
    for (maxAge, moments) in [(20, 2.0), (1_800, 5.0), (50, 5.0), (40, 4.0)] {
      for (gap, isCopy) in [(moments, true), (moments + 0.001, false)] {
        var capture = TinyCapture()
        capture.add(0, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: maxAge))
        capture.add(gap, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: maxAge))
        let device = try device(capture)
        if isCopy {
          expectEqual(renewals(device), nil, "\(maxAge) \(gap)")
          guard case .leases(_, let count, let repeats, _) = device.events.last?.what else {
            Issue.record("no lease")
            continue
          }
          #expect((count, repeats) == (0, 1))
        } else {
          let all = try #require(renewals(device), "\(maxAge) \(gap)")
          #expect((all.rounds, all.messages, all.copies) == (1, 1, 0))
          expectEqual(all.marginLeast, .seconds(Int64(maxAge)) - .milliseconds(Int64((gap * 1_000).rounded())))
        }
      }
    }
  }

  @Test("the tightest renewal is the one that is told, whichever came first, and of two alike the first")
  func margins() throws {
    for (gaps, frame, left) in [
      ([10.0, 12.0, 11.0], 3, 8.0), ([12.0, 10.0, 11.0], 2, 8.0), ([10.0, 11.0, 12.0], 4, 8.0),
      ([12.0, 12.0, 10.0], 2, 8.0),
    ] {
      var capture = TinyCapture()
      var time = 0.0
      capture.add(time, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: 20))
      for gap in gaps {
        time += gap
        capture.add(time, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: 20))
      }
      let all = try #require(renewals(try device(capture)))
      #expect((all.marginFrame, all.marginLeast) == (frame, .seconds(Int64(left))), "\(gaps)")
      #expect((all.gapLeast, all.gapMost) == (.seconds(Int64(gaps[1...].min()!)), .seconds(Int64(gaps[1...].max()!))))
      #expect((all.rounds, all.messages) == (3, 3))
    }
  }

  @Test("a lease that ends at the very instant of the next message has ended; a millisecond before that it was renewed")
  func lastInstant() throws {
    for (seconds, isLost) in [(20.0, true), (19.999, false)] {
      var capture = TinyCapture()
      capture.add(0, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: 20))
      capture.add(seconds, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: 20))
      let device = try device(capture)
      expectEqual(device.events.contains { if case .lost(.expired, _) = $0.what { true } else { false } }, isLost)
      expectEqual((renewals(device) == nil), isLost)
    }
  }

  @Test("of several promises of one device the last that ran out is the one that its loss is put down to")
  func lastPromise() throws {
    for isTurned in [false, true] {
      var capture = TinyCapture()
      let both = [("upnp:rootdevice", 20), ("urn:x-y:service:z:1", 30)]
      for (number, (target, maxAge)) in (isTurned ? both.reversed() : both).enumerated() {
        capture.add(Double(number), "192.168.1.20", TinyCapture.alive(Self.lamp, target, maxAge: maxAge))
      }
      capture.add(60, "192.168.1.99", TinyCapture.search("ssdp:all"))
      let device = try device(capture)
      let by = device.events.compactMap { if case .lost(.expired, let by) = $0.what { by } else { nil } }
      expectEqual(by.map(\.target), ["urn:x-y:service:z:1"])
    }
  }

  @Test("an answer a tenth of a second behind MX is in time, and late a millisecond after that, by that much")
  func lateness() throws {
    for (seconds, late) in [(1.099, nil), (1.101, Interval.milliseconds(1))] as [(Double, Interval?)] {
      var capture = TinyCapture()
      capture.add(0, "192.168.1.9:50000", TinyCapture.search("upnp:rootdevice", mx: 1))
      capture.add(seconds, "192.168.1.20", "192.168.1.9:50000", TinyCapture.answer(Self.lamp))
      let story = try capture.story()
      let search = try #require(story.searches.first)
      #expect(search.lateCount == (late == nil ? 0 : 1) && search.services == (late == nil ? 1 : 0))
      expectEqual(story.unmade.compactMap(\.lateness).first?.upperBound, late)
    }
  }

  @Test("frames in a row are one range, a gap makes another, and beyond twelve they are counted")
  func ranges() {
    var frames = FrameRanges()
    for frame in [3, 4, 4, 5, 7, 9, 10] { frames.add(frame) }
    #expect(frames.ranges == [3...5, 7...7, 9...10] && frames.count == 6 && frames.last == 10)
    #expect(frames.short() == "frames 3…10" && frames.texts() == ["3-5", "7", "9-10"])
    var row = FrameRanges(8)
    row.add(9)
    #expect(row.short() == "frames 8–9" && FrameRanges(8).short() == "frame 8" && FrameRanges().short() == "")
    var many = FrameRanges()
    for number in 0..<12 { many.add(number * 2 + 1) }
    #expect(many.ranges.count == 12 && many.unlistedCount == 0)
    many.add(24)
    #expect(many.ranges.last == 23...24 && many.unlistedCount == 0)
    many.add(26)
    many.add(27)
    #expect(many.ranges.count == 12 && many.unlistedCount == 2 && many.count == 15 && many.last == 27)
    var all = FrameRanges(1)
    all.add(many)
    #expect(all.count == 15 && all.unlistedCount == 2 && all.last == 27)
  }

  @Test("a probe ends with its window: what is said at that instant counts, a millisecond later it does not")
  func probeWindow() throws {
    let probe = Probe(target: "upnp:rootdevice", at: .seconds(10), maximumWaitSeconds: 2, broadcasts: 2)
    expectEqual(probe.window, .milliseconds(4_100))
    expectEqual(Probe(target: "x", at: .zero, maximumWaitSeconds: 2, broadcasts: 1).window, .milliseconds(2_100))
    expectEqual(
      Probe(target: "x", at: .zero, maximumWaitSeconds: 2, broadcasts: 3, spacing: .milliseconds(250)).window,
      .milliseconds(2_600))
    for (seconds, count) in [(14.1, 1), (14.101, 0)] {
      var capture = TinyCapture()
      capture.add(0, "192.168.1.9", TinyCapture.search("ssdp:all"))
      capture.add(seconds, "192.168.1.20", TinyCapture.alive(Self.lamp))
      try expectEqual(capture.story(probe: probe).probe?.rows.count, count)
    }
    // A lease that ends as the search begins is over.
    for (maxAge, count) in [(10, 0), (11, 1)] {
      var capture = TinyCapture()
      capture.add(0, "192.168.1.20", TinyCapture.alive(Self.lamp, maxAge: maxAge))
      capture.add(30, "192.168.1.9", TinyCapture.search("ssdp:all"))
      let rows = try #require(try capture.story(probe: probe).probe?.rows)
      expectEqual(rows.map(\.source), Array(repeating: .known, count: count))
      expectEqual(rows.compactMap(\.gone).count, count, "it is gone before the search would have ended")
    }
  }

  // MARK: merging, fragments, links

  @Test("fragments of another VLAN, link, protocol or sender never complete a datagram, whichever comes first")
  func mixedFragments() throws {
    let text = TinyCapture.alive(Self.lamp, more: "X-LONG: " + String(repeating: "a", count: 700) + "\n")
    var made = TinyCapture()
    made.add(0, "192.168.1.20", text)
    // What the tool itself writes, cut in two.
    var writer = CaptureWriter(section: CaptureSection())
    _ = writer.interface(name: "eth0")
    _ = writer.interface(name: "eth1")
    let pieces = made.pieces(mtuBytes: 576)
    expectEqual(pieces.count, 2)
    func reports(_ frames: [(interface: Int, bytes: [UInt8])]) throws -> Int {
      var writer = writer
      for (number, frame) in frames.enumerated() {
        writer.frame(interface: frame.interface, time: .zero + .seconds(Int64(number + 1)), frame.bytes)
      }
      writer.finish()
      var count = 0
      var reader = try TinyCapture.reader(writer.bytes)
      var replay = Replay(options: ReplayOptions()) { if case .report = $0 { count += 1 } }
      replay.run(&reader)
      return count
    }
    func tagged(_ bytes: [UInt8], _ vlan: UInt8) -> [UInt8] { bytes[..<12] + [0x81, 0, 0, vlan] + bytes[12...] }
    let (first, second) = (pieces[0], pieces[1])
    for isTurned in [false, true] {
      func both(_ left: (Int, [UInt8]), _ right: (Int, [UInt8])) throws -> Int {
        let list = [(interface: left.0, bytes: left.1), (interface: right.0, bytes: right.1)]
        return try reports(isTurned ? list.reversed() : list)
      }
      try expectEqual(both((0, first), (0, second)), 1)
      try expectEqual(both((0, tagged(first, 7)), (0, tagged(second, 7))), 1)
      try expectEqual(both((0, first), (1, second)), 0)
      try expectEqual(both((0, tagged(first, 7)), (0, second)), 0)
      try expectEqual(both((0, tagged(first, 7)), (0, tagged(second, 8))), 0)
      var other = second
      other[14 + 15] ^= 1
      try expectEqual(both((0, first), (0, other)), 0, "another sender")
      other = second
      other[14 + 5] ^= 1
      try expectEqual(both((0, first), (0, other)), 0, "another identification")
    }
  }
}
