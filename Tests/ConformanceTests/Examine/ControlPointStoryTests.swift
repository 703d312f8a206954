import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("Stories of an examined control point, at their bounds")
struct ControlPointStoryTests {
  private typealias Kind = ControlPointBait.Mark.Kind

  /// An examination with devices whose stories were told, and what a control point showed of them.
  private struct Telling {
    var examination = ControlPointExamination(ControlPointExamination.Setting(address: IPAddress(10, 77, 1, 10)))
    var run = ControlPointRun(way: .story, probes: [])

    /// A device whose steps were sent at these milliseconds, shown at 100 ms, and with these marks later.
    mutating func add(
      _ probe: ControlPointProbe, steps: [Int64] = [0, 800, 2_000, 2_200], isGone: Bool = false,
      marks: [(kind: Kind, time: Interval)] = []
    ) {
      let number = examination.baits.count
      var bait = ControlPointBait(
        number: number, probe: probe, role: .probe, way: .story, variant: 0, uuid: "\(number)")
      bait.sentAt = .zero
      bait.steps = steps.map { Instant.zero + .milliseconds($0) }
      bait.told = [(usn: "", isThere: !isGone)]
      let shown: [(kind: Kind, time: Interval)] = [(.told(nil), .milliseconds(100))]
      bait.marks = (shown + marks).map { ControlPointBait.Mark(kind: $0.kind, time: Instant.zero + $0.time, text: "") }
      examination.baits.append(bait)
      run.baits.append(number)
    }

    func verdict(_ probe: ControlPointProbe) -> String {
      let sample = examination.storySample(probe, run)
      return "\(sample.outcome) \(sample.text)"
    }
  }

  private let nanosecond = Interval.nanoseconds(1)
  private func ms(_ milliseconds: Int64) -> Interval { .milliseconds(milliseconds) }

  /// The verdict of a device that is told to be gone at a time; `nil`: it is not.
  private func verdict(
    _ probe: ControlPointProbe, steps: [Int64] = [0, 800, 2_000, 2_200], goneAt: Interval?, showsLosses: Bool = true
  ) -> String {
    var telling = Telling()
    var marks: [(kind: Kind, time: Interval)] = []
    if let goneAt { marks.append((kind: .gone, time: goneAt)) }
    telling.add(probe, steps: steps, isGone: goneAt != nil, marks: marks)
    if showsLosses { telling.add(.setOrder, isGone: true, marks: [(kind: .gone, time: ms(9_000))]) }
    return telling.verdict(probe)
  }

  @Test("a loss is told when a lease is over, 300 ms before that at the earliest and two seconds later at the latest")
  func leases() {
    // The lease of three seconds begins with the second copy.
    func expiry(_ goneAt: Interval?, showsLosses: Bool = true) -> String {
      verdict(.expiry, steps: [0, 300], goneAt: goneAt, showsLosses: showsLosses)
    }
    expectEqual(expiry(ms(3_000)), "held gone 0.00 s after its max-age was over")
    expectEqual(expiry(ms(3_000) - nanosecond), "violated gone 0.30 s before its max-age was over")
    expectEqual(expiry(ms(5_300)), "held gone 2.00 s after its max-age was over")
    expectEqual(expiry(ms(5_300) + nanosecond), "violated gone more than two seconds after its max-age was over")
    expectEqual(expiry(nil), "violated still there two seconds after its max-age was over")
    expectEqual(expiry(nil, showsLosses: false), "unseen it never tells of a loss")
    // Renewed for one part at five seconds.
    let steps: [Int64] = [0, 300, 2_000, 3_500, 5_000]
    expectEqual(verdict(.keptByPart, steps: steps, goneAt: ms(7_700)), "held it stays")
    expectEqual(
      verdict(.keptByPart, steps: steps, goneAt: ms(7_700) - nanosecond), "violated gone though one message is valid")
    expectEqual(verdict(.keptByPart, steps: steps, goneAt: nil), "held it stays")
  }

  @Test("what is told at the turn of a story comes of the turn, and what is told before it does not")
  func turns() {
    let before = ms(2_000) - nanosecond
    expectEqual(verdict(.byebye, goneAt: ms(2_000)), "held gone 0.00 s after its byebye")
    expectEqual(verdict(.byebye, goneAt: before), "violated told to be gone before it said byebye")
    expectEqual(verdict(.byebye, goneAt: nil), "violated still there after its byebyes")
    expectEqual(verdict(.byebye, goneAt: nil, showsLosses: false), "unseen it never tells of a loss")
    expectEqual(verdict(.update, goneAt: ms(2_000)), "violated told to be gone")
    expectEqual(verdict(.update, goneAt: before), "unseen it does not look at BOOTIDs")
    func told(_ probe: ControlPointProbe, _ kind: Kind, at time: Interval) -> String {
      var telling = Telling()
      telling.add(probe, marks: [(kind: kind, time: time)])
      telling.examination.samples = [
        ControlPointSample(probe: .reboot, way: .story, attempt: 1, outcome: .held, text: "")
      ]
      return telling.verdict(probe)
    }
    expectEqual(told(.update, .fetched(.own), at: ms(2_000)), "held no loss is told")
    expectEqual(told(.bootZeros, .fetched(.own), at: ms(2_000)), "violated 007 counts as another BOOTID than 7")
    expectEqual(told(.bootZeros, .fetched(.own), at: before), "held 007 is 7")
    expectEqual(told(.newConfig, .fetched(.own), at: ms(2_000)), "held fetched again")
    expectEqual(
      told(.newConfig, .fetched(.own), at: before),
      "violated the document under the old CONFIGID serves for the new one")
    expectEqual(told(.newLocation, .fetched(.second), at: ms(2_000)), "held told")
    expectEqual(told(.newLocation, .fetched(.own), at: ms(2_000)), "violated it goes on with the old LOCATION")
    expectEqual(told(.newLocation, .fetched(.second), at: before), "unseen it shows no LOCATION")
    // A program that tells of nine in ten of the devices that it knows again keeps none.
    for (again, count, time, isTold) in [
      (9, 10, ms(800), true), (8, 10, ms(800), false), (2, 2, ms(800), true), (1, 1, ms(800), false),
      (2, 2, ms(1_800) - nanosecond, true), (2, 2, ms(1_800), false),
    ] as [(Int, Int, Interval, Bool)] {
      var telling = Telling()
      let marks: [(kind: Kind, time: Interval)] = [(kind: .told(nil), time: time)]
      for number in 0..<count { telling.add(.byebye, marks: number < again ? marks : []) }
      let found = telling.verdict(.byebye)
      expectEqual(found.hasPrefix("unseen it tells of every message"), isTold, "\(again) of \(count) at \(time)")
    }
  }

  @Test("eleven copies of a search within 200 ms are too many, ten are not, and 20 redirects are followed at most")
  func counts() {
    let control = IPAddress(10, 77, 1, 20)
    func begun(_ probe: ControlPointProbe) -> ControlPointExamination {
      var setting = ControlPointExamination.Setting(address: IPAddress(10, 77, 1, 10))
      setting.probes = [probe]
      var examination = ControlPointExamination(setting)
      examination.begin(at: .zero)
      return examination
    }
    func search(_ examination: inout ControlPointExamination, at time: Interval) {
      let text = "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: ssdp:all\r\n\r\n"
      examination.hear(
        Array(text.utf8), from: Endpoint(control, port: 4_000), to: Endpoint(.ssdpGroup4, port: 1_900),
        at: .zero + time)
    }
    func result(_ over: ControlPointExamination) -> String {
      var examination = over
      while let deadline = examination.deadline { examination.advance(to: deadline) }
      let row = examination.result().rows[0]
      return "\(row.verdict.rawValue) \(row.found)"
    }
    for (count, last, expected) in [
      (10, ms(200), "held 10 times for ssdp:all within 200 ms (answer)"),
      (11, ms(200), "violated more than ten in 200 ms (answer)"),
      (11, ms(200) + nanosecond, "held 11 times for ssdp:all within 200 ms (answer)"),
    ] as [(Int, Interval, String)] {
      var examination = begun(.copies)
      for number in 1..<count { search(&examination, at: ms(Int64(number) - 1)) }
      search(&examination, at: last)
      expectEqual(result(examination), expected)
    }
    for (count, expected) in [
      (1, "held asked 1 time (answer)"), (20, "held asked 20 times (answer)"),
      (21, "violated asked 21 times for the same page (answer)"),
    ] {
      var examination = begun(.redirects)
      search(&examination, at: .zero)
      // A good bait, the one that redirects, and two good ones behind it.
      for number in [0, 2, 3] + [Int](repeating: 1, count: count) {
        examination.advance(to: .zero + .seconds(1))
        let path = "/b/00000000000\(number).xml"
        _ = examination.fetched(path, at: examination.setting.speaker, from: control, at: .zero + .seconds(1))
      }
      expectEqual(result(examination), expected)
    }
  }
}
