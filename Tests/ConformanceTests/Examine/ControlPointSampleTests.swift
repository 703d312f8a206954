import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

/// A run of an examination, made by hand: devices that were sent in a row, and what a control point showed of them.
struct ControlPointRound {
  typealias Kind = ControlPointBait.Mark.Kind

  static let type = "urn:schemas-upnp-org:device:Basic:1"
  static let asker = Endpoint(Examined.control, port: 4_000)
  var examination: ControlPointExamination
  var run: ControlPointRun

  init(
    _ way: ControlPointProbe.Way, _ probes: [ControlPointProbe], attempt: Int = 1,
    company: ControlPointRun.Company = .good, hasCommand: Bool = true
  ) {
    var setting = Examined.setting(probes)
    setting.hasCommand = hasCommand
    examination = ControlPointExamination(setting)
    examination.queue = []
    run = ControlPointRun(way: way, probes: probes, attempt: attempt, company: company)
    run.target = ControlPointRound.type
    run.asker = way == .answer || way == .flood ? ControlPointRound.asker : nil
  }

  /// Adds a device; its marks are called `m1.0`, `m1.1`, … after its number.
  mutating func add(
    _ probe: ControlPointProbe, _ role: ControlPointBait.Role = .probe, variant: Int = 0, isSent: Bool = true,
    marks: [Kind] = []
  ) {
    let number = examination.baits.count
    var bait = ControlPointBait(
      number: number, probe: probe, role: role, way: run.way, variant: variant, uuid: "\(number)")
    if isSent { bait.sentAt = .zero }
    bait.marks = marks.enumerated().map {
      ControlPointBait.Mark(kind: $0.element, time: .zero, text: "m\(number).\($0.offset)")
    }
    examination.baits.append(bait)
    run.baits.append(number)
  }

  /// The examination after this run was judged five seconds after its begin.
  func evaluated() -> ControlPointExamination {
    var examination = self.examination
    (examination.run, examination.phase) = (run, .settling)
    examination.evaluate(at: .zero + .seconds(5))
    return examination
  }

  /// The last verdict of this run.
  func sample() -> String { evaluated().samples.last.map(ControlPointRound.text) ?? "none" }

  static func text(_ sample: ControlPointSample) -> String {
    let doubt = sample.isDefinite ? "" : ", to be put again"
    let bait = sample.bait.map { "\($0)" } ?? "-"
    return "\(sample.outcome): \(sample.text)\(doubt) [\(bait) \(sample.mark?.text ?? "-")]"
  }
}

@Suite("The verdict of one probe in one run of an examination")
struct ControlPointSampleTests {
  private typealias Kind = ControlPointBait.Mark.Kind

  /// The verdict of a device between two good ones that are taken.
  private func sample(
    _ probe: ControlPointProbe, _ marks: [[Kind]] = [[]], way: ControlPointProbe.Way = .answer,
    companion: [Kind]? = [.told(nil)], isSent: Bool = true, company: ControlPointRun.Company = .good,
    hasCommand: Bool = true, _ change: (inout ControlPointRound) -> Void = { _ in }
  ) -> String {
    var round = ControlPointRound(way, [probe], company: company, hasCommand: hasCommand)
    if company != .none { round.add(.byebye, .control, marks: [.told(nil)]) }
    for (variant, marks) in marks.enumerated() { round.add(probe, variant: variant, isSent: isSent, marks: marks) }
    if company != .none { round.add(probe, .companion, isSent: companion != nil, marks: companion ?? []) }
    change(&round)
    return round.sample()
  }

  @Test("a device is to be taken, to be dropped, or either, and the next good one is to be taken in any case")
  func wanted() {
    let told: [Kind] = [.told(nil)]
    expectEqual(sample(.nameCase, [told]), "held: taken [1 m1.0]")
    expectEqual(sample(.nameCase, [[.told(.own), .fetched(.own)]]), "held: taken [1 m1.1]")
    let missed = "violated: not taken, though good baits are, to be put again"
    expectEqual(sample(.nameCase), "\(missed) [1 -]")
    expectEqual(sample(.nameCase, [[.gone, .mentioned(.own), .told(.trap)]]), "\(missed) [1 -]")
    expectEqual(sample(.nameCase, companion: []), "\(missed) [1 -]")
    expectEqual(
      sample(.nameCase, company: .none), "violated: not taken, though a good bait alone is, to be put again [0 -]")
    expectEqual(sample(.nameCase, isSent: false), "unseen: it ended before this was sent [- -]")
    expectEqual(sample(.noUSN, [told]), "violated: taken [1 m1.0]")
    expectEqual(sample(.noUSN), "held: dropped [1 -]")
    expectEqual(sample(.noUSN, companion: nil), "held: dropped [1 -]")
    let deaf = "violated: no good bait is taken any more after it, to be put again [1 -]"
    expectEqual(sample(.noUSN, companion: []), deaf)
    expectEqual(sample(.noServer, companion: []), deaf)
    expectEqual(sample(.noServer), "held: dropped [1 -]")
    expectEqual(sample(.noServer, [told]), "held: taken [1 -]")
    // Of several devices any one shows it, but the last one counts where the last moment does.
    expectEqual(sample(.wrongST, [[], told]), "violated: taken [2 m2.0]")
    expectEqual(sample(.late, [told, []]), "held: taken [1 -]")
    expectEqual(sample(.lastMoment, [told, []]), "\(missed) [2 -]")
    expectEqual(sample(.lastMoment, [[], told]), "held: taken [2 m2.0]")
  }

  @Test("where a probe cannot be put, or no good device is shown, nothing is seen")
  func unseen() {
    func silent(_ probe: ControlPointProbe, _ way: ControlPointProbe.Way, hasCommand: Bool, isHeard: Bool) -> String {
      var round = ControlPointRound(way, [probe], hasCommand: hasCommand)
      if !isHeard { (round.run.asker, round.run.target) = (nil, "") }
      round.add(.byebye, .control)
      round.add(probe, marks: [.told(nil)])
      return round.sample()
    }
    for (way, hasCommand, isHeard, text) in [
      (.answer, true, false, "it did not search"), (.answer, false, false, "it did not search while it was waited for"),
      (.answer, true, true, "a good answer is not shown: it neither prints nor fetches"),
      (.answer, false, true, "a good answer is not shown: it fetches none; with --command its output is read"),
      (
        .announcement, true, true,
        "a good announcement is not shown: it listens to answers only, or is silent about the rest"
      ),
      (
        .announcement, false, true,
        "a good announcement is not shown: it fetches none; with --command its output is read"
      ),
    ] as [(ControlPointProbe.Way, Bool, Bool, String)] {
      expectEqual(silent(.nameCase, way, hasCommand: hasCommand, isHeard: isHeard), "unseen: \(text) [- -]")
    }
    // Of one that did not search it is no matter that its target is not known.
    expectEqual(silent(.higherST, .answer, hasCommand: true, isHeard: false), "unseen: it did not search [- -]")
    expectEqual(
      sample(.higherVersion, way: .announcement), "unseen: what it searches for was not heard [- -]")
    for (probe, target, text) in [
      (.wrongST, "ssdp:all", "it searches for ssdp:all, and any ST answers that"),
      (.valueCase, "ssdp:all", "it searches for ssdp:all, and any ST answers that"),
      (.higherST, "ssdp:all", "it searches for ssdp:all, and any version answers that"),
      (.higherVersion, "uuid:a", "it searches for uuid:a, which has no version"),
    ] as [(ControlPointProbe, String, String)] {
      expectEqual(sample(probe) { $0.run.target = target }, "unseen: \(text) [- -]")
    }
  }

  @Test("a folded line, a doubled field and a LOCATION off the subnet have rules of their own")
  func locations() {
    expectEqual(
      sample(.folded, [[.told(nil), .told(.trap)]]), "violated: the folded line was read as LOCATION [1 m1.1]")
    expectEqual(sample(.folded, [[.told(nil)]]), "held: taken with the right LOCATION [1 -]")
    expectEqual(sample(.folded), "held: dropped [1 -]")
    expectEqual(sample(.doubledField, [[.fetched(.second), .fetched(.own)]]), "violated: rule: both [1 m1.1]")
    expectEqual(sample(.doubledField, [[.fetched(.own)]]), "held: rule: first [1 m1.0]")
    expectEqual(sample(.doubledField, [[.told(.second)]]), "held: rule: last [1 m1.0]")
    expectEqual(sample(.doubledField), "held: rule: drop [1 -]")
    expectEqual(sample(.doubledField, [[.told(nil)]]), "held: taken without a LOCATION [1 m1.0]")
    func offSubnet(_ marks: [Kind], isWatched: Bool) -> String {
      var round = ControlPointRound(.answer, [.offSubnet])
      var setting = round.examination.setting
      setting.isOffSubnetWatched = isWatched
      round.examination = ControlPointExamination(setting)
      round.examination.queue = []
      round.add(.byebye, .control, marks: [.told(nil)])
      round.add(.offSubnet, marks: marks)
      round.add(.offSubnet, .companion, marks: [.told(nil)])
      return round.sample()
    }
    for isWatched in [false, true] {
      let fetched = "violated: it was fetched from 203.0.113.66"
      expectEqual(offSubnet([.fetched(.trap)], isWatched: isWatched), "\(fetched) [1 m1.0]")
      expectEqual(offSubnet([.told(.trap), .fetched(.trap)], isWatched: isWatched), "\(fetched) [1 m1.1]")
      expectEqual(
        offSubnet([.told(nil)], isWatched: isWatched),
        "held: the device is taken, its LOCATION is not handed on [1 -]")
      expectEqual(
        offSubnet([.told(.trap)], isWatched: isWatched),
        "unsure: it is handed on in its output; "
          + (isWatched ? "it is not fetched" : "whether it is fetched cannot be seen") + " [1 m1.0]")
      expectEqual(
        offSubnet([], isWatched: isWatched),
        isWatched
          ? "held: not followed [1 -]"
          : "unseen: nothing of it is shown, and whether it is fetched cannot be seen [1 -]")
    }
  }

  @Test("a page that redirects is judged by the count of its requests, and a huge one by its end")
  func pages() {
    for (count, text) in [
      (0, "unseen: it fetches no description [1 -]"), (1, "held: asked 1 time [1 m1.0]"),
      (2, "held: asked 2 times [1 m1.0]"), (20, "held: asked 20 times [1 m1.0]"),
      (21, "violated: asked 21 times for the same page [1 m1.0]"),
    ] {
      let found = sample(.redirects, [[.fetched(.own)]]) { round in
        if count > 0 { round.examination.redirectCounts[1] = count }
      }
      expectEqual(found, text)
    }
    expectEqual(
      sample(.hugePage, [[.fetched(.own)]]), "unseen: it was still reading when the run was over [1 -]")
    expectEqual(sample(.hugePage, [[.told(.own)]]), "unseen: it fetches no description [1 -]")
    for (isWhole, text) in [(true, "violated: all of it was read [1 m1.0]"), (false, "held: it was given up [1 m1.0]")]
    {
      expectEqual(sample(.hugePage, [[.fetched(.own)]]) { $0.examination.pagesTaken[1] = isWhole }, text)
    }
  }

  @Test("an ST in other case is judged beside one that nobody asked for, or after it where each is put alone")
  func valueCase() {
    let told: [Kind] = [.told(nil)]
    expectEqual(sample(.valueCase, [[], []]), "held: dropped [2 -]")
    expectEqual(sample(.valueCase, [told, []]), "violated: taken [2 m1.0]")
    expectEqual(sample(.valueCase, [[], told]), "unseen: it does not compare ST at all [2 -]")
    expectEqual(sample(.valueCase, [told, told]), "unseen: it does not compare ST at all [2 -]")
    func alone(_ outcome: ControlPointSample.Outcome?, _ marks: [Kind] = []) -> String {
      sample(.valueCase, [marks, []], company: .none) { round in
        var samples: [ControlPointSample] = []
        if let outcome {
          samples.append(ControlPointSample(probe: .wrongST, way: .answer, attempt: 2, outcome: outcome, text: ""))
        }
        for (probe, way) in [(.wrongST, .announcement), (.nameCase, .answer)]
          as [(ControlPointProbe, ControlPointProbe.Way)]
        {
          let other: ControlPointSample.Outcome = outcome == .held ? .violated : .held
          samples.append(ControlPointSample(probe: probe, way: way, attempt: 2, outcome: other, text: ""))
        }
        round.examination.samples = samples
      }
    }
    expectEqual(alone(.held), "held: dropped [1 -]")
    expectEqual(alone(.held, told), "violated: taken [1 m0.0]")
    expectEqual(alone(.violated, told), "unseen: it does not compare ST at all [1 -]")
    for outcome in [.unsure, .unseen, nil] as [ControlPointSample.Outcome?] {
      expectEqual(
        alone(outcome, told), "unseen: it shows one device at a time, and wrong-st was not put [1 -]")
    }
  }

  @Test("of copies of a search those from the same socket to the group, for the same target and in this run count")
  func copies() {
    let type = ControlPointRound.type
    func search(_ target: String) -> [UInt8] {
      Array("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: 1\r\nST: \(target)\r\n\r\n".utf8)
    }
    func sample(_ times: [Int64]) -> String {
      var round = ControlPointRound(.answer, [.copies])
      round.run.startedAt = .zero + .milliseconds(1_000)
      let group = Endpoint(.ssdpGroup4, port: 1_900)
      let (speaker, asker) = (round.examination.setting.speaker, ControlPointRound.asker)
      let others = Endpoint(Examined.control, port: 4_001)
      for (bytes, source, destination, isSent, time) in [
        (search(type), asker, group, false, 999), (search(type), asker, group, true, 1_000),
        (search(type), others, group, false, 1_000), (search("ssdp:all"), asker, group, false, 1_000),
        (search(type), asker, speaker, false, 1_000),
      ] as [([UInt8], Endpoint, Endpoint, Bool, Int64)] {
        round.examination.log.add(
          bytes, from: source, to: destination, hopLimit: 2, isSent: isSent, at: .zero + .milliseconds(time))
      }
      for time in times {
        round.examination.log.add(
          search(type), from: asker, to: group, hopLimit: 2, isSent: false, at: .zero + .milliseconds(time))
      }
      let place = round.evaluated().samples[0].position.map { "\($0)" } ?? "-"
      return "\(round.sample()) at \(place)"
    }
    expectEqual(sample([1_000, 1_250]), "held: 2 times for \(type) within 250 ms [- -] at 6")
    expectEqual(sample([1_000]), "violated: once for \(type), to be put again [- -] at 6")
    expectEqual(sample([]), "unseen: the time was over [- -] at -")
    let (nine, ten) = ([Int64](repeating: 1_100, count: 9), [Int64](repeating: 1_100, count: 10))
    let many = "violated: more than ten in 200 ms [- -] at 6"
    expectEqual(sample([1_000] + ten), many)
    expectEqual(sample([1_000] + nine + [1_200]), many)
    expectEqual(sample([1_000] + nine + [1_201]), "held: 11 times for \(type) within 201 ms [- -] at 6")
    expectEqual(sample([1_000] + nine + [1_201, 1_202]), many)
  }

  @Test("after a flood a good device is to be taken, of those that were sent")
  func flood() {
    func flooded(
      _ last: [Kind]?, end: ControlPointExamination.CommandEnd? = nil, isSingle: Bool = false, isShown: Bool = true
    ) -> String {
      var round = ControlPointRound(.flood, [.flood])
      round.add(.flood, .control, marks: isShown ? [.told(nil)] : [])
      round.add(.flood, .many, marks: isShown ? [.told(nil)] : [])
      round.add(.flood, .many, variant: 1)
      round.add(.flood, .many, isSent: false)
      round.add(.flood, .companion, isSent: last != nil, marks: last ?? [])
      round.run.end = end
      round.examination.singleWays = isSingle ? [.answer] : []
      return round.sample()
    }
    let found = "1 of 2 devices are shown"
    let (good, none) = ("and a good bait after them", "and no good bait after them, to be put again")
    let early = "unseen: it ended by itself before the flood was over; \(found) [- -]"
    expectEqual(flooded([.told(nil)]), "held: \(found), \(good) [4 -]")
    expectEqual(flooded([.told(nil)], end: .exited(0), isSingle: true), "held: \(found), \(good) [4 -]")
    expectEqual(flooded([]), "violated: \(found), \(none) [4 -]")
    expectEqual(flooded([], end: .exited(0)), "violated: \(found), \(none) [4 -]")
    expectEqual(flooded([], isSingle: true), "unseen: it shows one device at a time; \(found) [- -]")
    expectEqual(flooded(nil, end: .exited(0)), early)
    expectEqual(flooded(nil, end: .stopped), "violated: \(found), \(none) [4 -]")
    // The end of a flood that has no good device behind it.
    func cut(_ end: ControlPointExamination.CommandEnd?) -> String {
      var round = ControlPointRound(.flood, [.flood])
      round.add(.flood, .control, marks: [.told(nil)])
      round.run.end = end
      return round.sample()
    }
    let nothing = "0 of 0 devices are shown"
    expectEqual(cut(.exited(0)), "unseen: it ended by itself before the flood was over; \(nothing) [- -]")
    expectEqual(cut(nil), "violated: \(nothing), \(none) [- -]")
    let listens = "it listens to answers only, or is silent about the rest"
    let silent = "unseen: a good announcement is not shown: \(listens) [- -]"
    expectEqual(flooded([], isShown: false), silent)
    // Good devices were shown before, on ways on which those of the flood went, too.
    func before(_ way: ControlPointProbe.Way, _ role: ControlPointBait.Role, isAsked: Bool) -> String {
      var round = ControlPointRound(way, [.flood])
      round.add(.byebye, role, marks: [.told(nil)])
      (round.run.way, round.run.baits) = (.flood, [])
      round.run.asker = isAsked ? ControlPointRound.asker : nil
      round.add(.flood, .control)
      return round.sample()
    }
    func gone(_ way: String) -> String {
      "violated: no good \(way) is taken any more, as they were before, to be put again [- -]"
    }
    expectEqual(before(.answer, .control, isAsked: true), gone("answer"))
    expectEqual(before(.announcement, .companion, isAsked: true), gone("announcement"))
    expectEqual(before(.announcement, .control, isAsked: false), gone("announcement"))
    expectEqual(before(.answer, .control, isAsked: false), silent)
    expectEqual(before(.answer, .probe, isAsked: true), silent)
  }
}
