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
      _ probe: ControlPointProbe, variant: Int = 0, steps: [Int64] = [0, 800, 2_000, 2_200], isTaken: Bool = true,
      names: Int = 1, isGone: Bool = false, marks: [(kind: Kind, time: Interval)] = []
    ) {
      let number = examination.baits.count
      var bait = ControlPointBait(
        number: number, probe: probe, role: .probe, way: .story, variant: variant, uuid: "\(number)")
      bait.sentAt = .zero
      bait.steps = steps.map { Instant.zero + .milliseconds($0) }
      bait.told = (0..<names).map { (usn: "\($0)", isThere: !isGone) }
      let shown: [(kind: Kind, time: Interval)] = isTaken ? [(.told(nil), .milliseconds(100))] : []
      bait.marks = (shown + marks).map { ControlPointBait.Mark(kind: $0.kind, time: Instant.zero + $0.time, text: "") }
      examination.baits.append(bait)
      run.baits.append(number)
    }

    func verdict(_ probe: ControlPointProbe) -> String {
      let sample = examination.storySample(probe, run)
      return "\(sample.outcome) \(sample.text)"
    }

    /// The verdict with the number of the device, and the kind of the mark, that show it.
    func whole(_ probe: ControlPointProbe) -> String {
      let sample = examination.storySample(probe, run)
      let (bait, mark) = (sample.bait.map { "\($0)" } ?? "-", sample.mark.map { "\($0.kind)" } ?? "-")
      return "\(sample.outcome) \(sample.text)\(sample.isDefinite ? "" : ", to be put again") [\(bait) \(mark)]"
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
    var kept = Telling()
    kept.add(.keptByPart, steps: steps, isGone: true, marks: [(kind: .gone, time: ms(3_000))])
    expectEqual(kept.whole(.keptByPart), "violated gone though one message is valid [0 gone]")
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
      (2, 2, ms(1_800) - nanosecond, true), (2, 2, ms(1_800), false), (9, 11, ms(800), false),
    ] as [(Int, Int, Interval, Bool)] {
      var telling = Telling()
      let marks: [(kind: Kind, time: Interval)] = [(kind: .told(nil), time: time)]
      for number in 0..<count { telling.add(.byebye, marks: number < again ? marks : []) }
      let found = telling.verdict(.byebye)
      expectEqual(found.hasPrefix("unseen it tells of every message"), isTold, "\(again) of \(count) at \(time)")
    }
  }

  @Test("a device is told again where it was told before its second set, and again before its turn")
  func again() {
    for (steps, isTaken, time) in [([0, 800, 2_000, 2_200], false, 800), ([0, 800, 1_000, 2_200], true, 1_000)]
      as [([Int64], Bool, Int64)]
    {
      var telling = Telling()
      for _ in 0..<2 {
        telling.add(.byebye, steps: steps, isTaken: isTaken, marks: [(kind: .told(nil), time: ms(time))])
      }
      expectEqual(telling.verdict(.byebye), "unseen it never tells of a loss", "\(time)")
    }
    // A story of one device is judged by the first.
    var two = Telling()
    two.add(.byebye, isGone: true, marks: [(kind: .gone, time: ms(2_000))])
    two.add(.byebye)
    expectEqual(two.whole(.byebye), "held gone 0.00 s after its byebye [0 gone]")
  }

  @Test("messages of a story have the configuration of their step, and the type that is searched for or a plain one")
  func messages() {
    let bait = ControlPointBait(number: 0, probe: .newConfig, role: .probe, way: .story, variant: 0, uuid: "u")
    let names = ControlPointExamination(Examined.setting([.newConfig])).names
    let store = PayloadStore()
    func fields(_ searched: String) -> [String] {
      let step = ControlPointStory.Step(after: .zero, parts: [2], config: "2")
      let found = ControlPointStory.messages(step, of: bait, names, searched: searched, store)
      let lines = found.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\r\n").map(String.init) }
      return lines.filter { $0.hasPrefix("NT: ") || $0.hasPrefix("CONFIGID") }.sorted()
    }
    let lamp = "urn:schemas-upnp-org:device:Lamp:1"
    let rows: [(searched: String, type: String)] = [
      (lamp, lamp), ("ssdp:all", "urn:schemas-upnp-org:device:Basic:1"),
    ]
    for (searched, type) in rows {
      expectEqual(fields(searched), ["CONFIGID.UPNP.ORG: 2", "NT: \(type)"], "\(searched)")
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

  @Test("stories of several devices are judged by all of them, and a breach names the one that shows it")
  func several() {
    /// Devices that are gone or stay, and one more of which a loss is told.
    func ends(_ probe: ControlPointProbe, _ gone: [Bool]) -> String {
      var telling = Telling()
      for (variant, isGone) in gone.enumerated() { telling.add(probe, variant: variant, isGone: isGone) }
      telling.add(.byebye, isGone: true, marks: [(kind: .gone, time: ms(2_100))])
      return telling.whole(probe)
    }
    func broken(_ one: String, _ other: String) -> String {
      "violated a byebye with \(one) ends the device, one with \(other) does not, to be put again [0 -]"
    }
    expectEqual(ends(.byebyePart, [true, false]), broken("its UUID", "its type"))
    expectEqual(ends(.byebyePart, [false, true]), broken("its type", "its UUID"))
    expectEqual(ends(.byebyePart, [true, true]), "held policy: it ends the whole device [0 -]")
    expectEqual(ends(.byebyePart, [false, false]), "held policy: the device stays [0 -]")
    expectEqual(ends(.uuidCase, [true, false]), broken("capitals", "small letters"))
    expectEqual(ends(.uuidCase, [false, true]), broken("small letters", "capitals"))
    expectEqual(ends(.uuidCase, [true, true]), "held case does not matter [0 -]")
    expectEqual(ends(.uuidCase, [false, false]), "held case matters, both ways alike [0 -]")
    // A loss under another spelling than the one that was listed repeats the message.
    var echo = Telling()
    for isGone in [false, true] {
      echo.add(.uuidCase, isGone: isGone, marks: isGone ? [(kind: .gone, time: ms(2_000))] : [])
    }
    echo.examination.baits[1].marks[0].hasCapitals = false
    echo.examination.baits[1].marks[1].hasCapitals = true
    expectEqual(
      echo.whole(.uuidCase), "unseen its output repeats the byebye, and does not name what it ends [1 -]")
    func ordered(_ names: [Int?]) -> String {
      var telling = Telling()
      for (variant, count) in names.enumerated() {
        telling.add(.setOrder, variant: variant, isTaken: count != nil, names: count ?? 0)
      }
      telling.add(.byebye)
      return telling.whole(.setOrder)
    }
    func odd(_ one: String, _ other: String, _ number: Int) -> String {
      "violated one order makes \(one), another \(other), to be put again [\(number) -]"
    }
    expectEqual(ordered([1, 1, 1]), "held all alike [0 -]")
    expectEqual(ordered([1, 1, 2]), odd("a device of 1 names", "a device of 2 names", 2))
    expectEqual(ordered([3, 0, 0]), odd("a device of 3 names", "a device of 0 names", 1))
    expectEqual(ordered([1, nil, 1]), odd("a device of 1 names", "no device", 1))
    expectEqual(ordered([nil, 2, 2]), odd("no device", "a device of 2 names", 1))
    expectEqual(ordered([nil, nil, nil]), "unseen it shows none of them [0 -]")
    func stays(_ gone: [Bool]) -> String {
      var telling = Telling()
      for isGone in gone { telling.add(.neighbours, marks: isGone ? [(kind: .gone, time: ms(2_100))] : []) }
      telling.add(.byebye, marks: [(kind: .gone, time: ms(2_100))])
      return telling.whole(.neighbours)
    }
    expectEqual(stays([false, false]), "held it stays while others leave [0 -]")
    expectEqual(stays([false, true]), "violated told to be gone though it stays [1 gone]")
    func ages(taken: [Bool], gone: [Bool]) -> String {
      var telling = Telling()
      for variant in 0..<4 {
        let marks: [(kind: Kind, time: Interval)] = gone[variant] ? [(kind: .gone, time: ms(3_000))] : []
        telling.add(.oddMaxAge, variant: variant, isTaken: taken[variant], isGone: gone[variant], marks: marks)
      }
      telling.add(.expiry, marks: [(kind: .gone, time: ms(3_300))])
      return telling.whole(.oddMaxAge)
    }
    expectEqual(
      ages(taken: [false, true, true, true], gone: [false, true, false, false]),
      "held 0 not taken, -1 goes, 65539 stays, 4294967299 stays [0 -]")
    expectEqual(
      ages(taken: [true, true, true, true], gone: [true, false, true, true]),
      "violated max-age 65539 is over within seconds [2 gone]")
    expectEqual(
      ages(taken: [true, true, true, true], gone: [false, false, false, true]),
      "violated max-age 4294967299 is over within seconds [3 gone]")
  }

  @Test("another BOOTID is noticed where something is told at the turn, of both devices and not of every message")
  func reboots() {
    func reboot(_ first: [(kind: Kind, time: Interval)], _ second: [(kind: Kind, time: Interval)]) -> String {
      var telling = Telling()
      telling.add(.reboot, marks: first)
      telling.add(.reboot, variant: 1, marks: second)
      return telling.whole(.reboot)
    }
    let news: [(kind: Kind, time: Interval)] = [(kind: .told(nil), time: ms(2_000))]
    let loss: [(kind: Kind, time: Interval)] = [(kind: .gone, time: ms(2_000))]
    let before: [(kind: Kind, time: Interval)] = [(kind: .told(nil), time: ms(800) - nanosecond)]
    let fetch: [(kind: Kind, time: Interval)] = [(kind: .fetched(.own), time: ms(1_000))]
    let second: [(kind: Kind, time: Interval)] = [(kind: .told(nil), time: ms(800))]
    let late: [(kind: Kind, time: Interval)] = [(kind: .gone, time: ms(2_000) - nanosecond)]
    let all = "unseen it tells of every message, known or new [0 -]"
    func missed(_ how: String, _ number: Int) -> String {
      "violated a \(how) BOOTID changes nothing that it shows, to be put again [\(number) -]"
    }
    expectEqual(reboot(news, news), "held told anew [0 -]")
    expectEqual(reboot(loss, news), "held told as gone and found [0 -]")
    expectEqual(reboot(news, loss), "held told anew [0 -]")
    expectEqual(reboot(before + fetch + news, news), "held told anew [0 -]")
    expectEqual(reboot(second + news, news), all)
    expectEqual(reboot(news, late + news), all)
    expectEqual(reboot([], news), missed("higher", 0))
    expectEqual(reboot(news, []), missed("lower", 1))
    expectEqual(reboot(news, before + fetch), missed("lower", 1))
  }

  @Test("a story is judged where all of it was told, and where its device and something of BOOTIDs are shown")
  func conditions() {
    func judged(_ change: (inout Telling) -> Void) -> String {
      var telling = Telling()
      telling.add(.bootZeros)
      change(&telling)
      return telling.whole(.bootZeros)
    }
    let blind = "unseen it does not look at BOOTIDs [0 -]"
    expectEqual(judged { _ in }, blind)
    // Neither a breach nor another probe that is held shows that it looks at them.
    expectEqual(
      judged { telling in
        telling.examination.samples = [
          ControlPointSample(probe: .reboot, way: .story, attempt: 1, outcome: .violated, text: ""),
          ControlPointSample(probe: .byebye, way: .story, attempt: 1, outcome: .held, text: ""),
        ]
      }, blind)
    for (isRun, isTold, isSeen) in [(true, true, true), (true, false, false), (false, true, false)] {
      let found = judged { telling in
        telling.run.probes = isRun ? [.reboot, .bootZeros] : [.bootZeros]
        let marks: [(kind: Kind, time: Interval)] = isTold ? [(kind: .told(nil), time: ms(2_000))] : []
        telling.add(.reboot, marks: marks)
        telling.add(.reboot, variant: 1, marks: marks)
      }
      expectEqual(found, isSeen ? "held 007 is 7 [0 -]" : blind, "\(isRun) \(isTold)")
    }
    expectEqual(
      judged { $0.examination.baits[0].marks = [] }, "unseen it shows no announced device [0 -]")
    expectEqual(
      judged { telling in
        telling.add(.byebye)
        telling.examination.baits[0].marks = []
      }, "violated the device is not taken, to be put again [0 -]")
    let early = "unseen it ended before the story was told [0 -]"
    expectEqual(judged { $0.run.unsentAtEnd = 1 }, early)
    expectEqual(judged { $0.examination.baits[0].sentAt = .never }, early)
  }
}
