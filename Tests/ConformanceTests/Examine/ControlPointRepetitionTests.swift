import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("The course of an examination of a control point after a run")
struct ControlPointRepetitionTests {
  private typealias Kind = ControlPointBait.Mark.Kind
  private typealias Way = ControlPointProbe.Way

  private func text(_ run: ControlPointRun) -> String {
    let probes = run.probes.isEmpty ? "-" : run.probes.map(\.rawValue).joined(separator: ",")
    return "\(run.way) \(probes) \(run.attempt) \(run.company)"
  }

  /// The run that is begun, and those behind it.
  private func runs(_ examination: ControlPointExamination) -> [String] {
    ((examination.run.map { [$0] } ?? []) + examination.queue).map(text)
  }

  private func samples(_ examination: ControlPointExamination) -> [String] {
    examination.samples.map { "\($0.way) \($0.probe.rawValue) \($0.attempt) \($0.outcome)" }
  }

  /// A run with a device between two good ones.
  private func round(
    _ way: Way, _ probe: ControlPointProbe, _ marks: [Kind] = [], attempt: Int = 1,
    company: ControlPointRun.Company = .good, good: [Kind] = [.told(nil)]
  ) -> ControlPointRound {
    var round = ControlPointRound(way, [probe], attempt: attempt, company: company)
    round.add(.byebye, .control, marks: good)
    round.add(probe, marks: marks)
    round.add(probe, .companion, marks: good)
    return round
  }

  @Test("a breach that may be chance is put again alone, behind other repetitions, and good devices are counted once")
  func repetitions() {
    var dead = ControlPointRound(.answer, [.wrongST])
    dead.add(.byebye, .control, marks: [.told(nil)])
    dead.add(.wrongST)
    dead.add(.wrongST, variant: 1)
    dead.add(.wrongST, .companion, marks: [.told(nil)])
    dead.run.end = .signalled(11)
    dead.examination.queue = [
      ControlPointRun(way: .answer, probes: [.blanks], attempt: 2), ControlPointRun(way: .story, probes: [.byebye]),
    ]
    let behind = ["answer blanks 2 good", "answer wrong-st 2 good", "story byebye 1 good"]
    expectEqual(dead.sample(), "violated: it was ended by signal 11, to be put again [1 -]")
    expectEqual(runs(dead.evaluated()), ["answer - 1 only"] + behind)
    expectEqual(dead.evaluated().countedWays, [.answer])
    dead.examination.countedWays = [.answer]
    expectEqual(runs(dead.evaluated()), behind)
    // What is certain stays as it is, and what was not put is no breach.
    var certain = round(.answer, .noUSN, [.told(nil)])
    certain.run.end = .signalled(11)
    expectEqual(certain.sample(), "violated: taken [1 m1.0]")
    expectEqual(runs(certain.evaluated()), [])
    var unsent = ControlPointRound(.answer, [.noUSN])
    unsent.run.end = .signalled(11)
    expectEqual(unsent.sample(), "unseen: it was ended by signal 11 before anything was sent to it [- -]")
    var early = round(.answer, .nameCase, good: [])
    early.run.end = .signalled(11)
    expectEqual(early.sample(), "violated: it was ended by signal 11, to be put again [1 -]")
    expectEqual(runs(early.evaluated()), ["answer name-case 2 good"])
    expectEqual(early.evaluated().countedWays, [])
  }

  @Test("a breach is put again as often as asked for, while there is time, and good devices are counted on two ways")
  func repetitionBounds() {
    let again = ["answer - 1 only", "answer name-case 2 good"]
    expectEqual(runs(round(.answer, .nameCase).evaluated()), again)
    expectEqual(
      runs(round(.announcement, .nameCase).evaluated()), ["announcement - 1 only", "announcement name-case 2 good"])
    expectEqual(runs(round(.answer, .nameCase, attempt: 2).evaluated()), [])
    expectEqual(
      runs(round(.answer, .nameCase, company: .none).evaluated()), ["answer - 1 only", "answer name-case 2 none"])
    expectEqual(runs(round(.answer, .nameCase, [.told(nil)]).evaluated()), [])
    var bounded = round(.answer, .nameCase)
    bounded.examination.limit = Instant.zero + .seconds(5) + .nanoseconds(1)
    expectEqual(runs(bounded.evaluated()), again)
    bounded.examination.limit = .zero + .seconds(5)
    expectEqual(runs(bounded.evaluated()), [])
    expectEqual(bounded.evaluated().countedWays, [])
    var two = ControlPointRound(.answer, [.nameCase, .blanks])
    two.add(.byebye, .control, marks: [.told(nil)])
    two.add(.nameCase)
    two.add(.blanks)
    two.add(.blanks, .companion, marks: [.told(nil)])
    expectEqual(runs(two.evaluated()), again + ["answer blanks 2 good"])
    var flood = ControlPointRound(.flood, [.flood])
    flood.add(.flood, .control, marks: [.told(nil)])
    flood.add(.flood, .companion)
    expectEqual(runs(flood.evaluated()), ["flood flood 2 good"])
    // Searches are counted without any device.
    var copies = round(.answer, .copies)
    let lines = ["M-SEARCH * HTTP/1.1", "MAN: \"ssdp:discover\"", "MX: 1", "ST: \(ControlPointRound.type)", "", ""]
    copies.examination.log.add(
      Array(lines.joined(separator: "\r\n").utf8), from: ControlPointRound.asker,
      to: Endpoint(.ssdpGroup4, port: 1_900), hopLimit: 2, isSent: false, at: .zero)
    expectEqual(samples(copies.evaluated()), ["answer copies 1 violated"])
    expectEqual(runs(copies.evaluated()), ["answer copies 2 good"])
    var refused = round(.answer, .nameCase, attempt: 2)
    refused.run.isRefused = true
    expectEqual(refused.sample(), "unseen: the system did not send all that was put [- -]")
    expectEqual(samples(refused.evaluated()), ["answer name-case 2 unseen"])
  }

  @Test("where one of several good devices is shown, all that was put on that way is put anew, each alone")
  func oneAtATime() {
    func counted(_ shown: [Bool?]) -> ControlPointExamination {
      var round = ControlPointRound(.answer, [], company: .only)
      for isTaken in shown {
        round.add(.byebye, .control, isSent: isTaken != nil, marks: isTaken == true ? [.told(nil)] : [])
      }
      round.examination.samples = [
        ControlPointSample(probe: .nameCase, way: .answer, attempt: 1, outcome: .violated, text: ""),
        ControlPointSample(probe: .copies, way: .answer, attempt: 1, outcome: .held, text: ""),
        ControlPointSample(probe: .nameCase, way: .announcement, attempt: 1, outcome: .held, text: ""),
        ControlPointSample(probe: .nameCase, way: .answer, attempt: 2, outcome: .violated, text: ""),
      ]
      round.examination.queue = [
        ControlPointRun(way: .answer, probes: [.blanks, .nameCase]),
        ControlPointRun(way: .announcement, probes: [.fieldOrder]),
      ]
      return round.evaluated()
    }
    for shown in [[true, false, false], [false, true], [true, false, nil]] as [[Bool?]] {
      let single = counted(shown)
      expectEqual(single.singleWays, [.answer], "\(shown)")
      expectEqual(samples(single), ["answer copies 1 held", "announcement name-case 1 held"], "\(shown)")
      expectEqual(
        runs(single), ["answer name-case 2 none", "answer blanks 2 none", "announcement field-order 1 good"], "\(shown)"
      )
    }
    for shown in [[true, true, false], [false, false], [true, nil], [true]] as [[Bool?]] {
      let several = counted(shown)
      expectEqual(several.singleWays, [], "\(shown)")
      expectEqual(several.samples.count, 4, "\(shown)")
      expectEqual(
        runs(several), ["answer blanks,name-case 1 good", "announcement field-order 1 good"], "\(shown)")
    }
  }

  @Test("where no good announcement is shown, further announcements and stories are not put")
  func hopeless() {
    func judged(
      _ way: Way, attempt: Int = 1, company: ControlPointRun.Company = .good, good: [Kind] = []
    ) -> ControlPointExamination {
      var round = self.round(way, .noServer, attempt: attempt, company: company, good: good)
      round.examination.queue = [
        ControlPointRun(way: .answer, probes: [.blanks]),
        ControlPointRun(way: .announcement, probes: [.fieldOrder, .blanks], attempt: 2),
        ControlPointRun(way: .story, probes: [.byebye]), ControlPointRun(way: .flood, probes: [.flood]),
      ]
      return round.evaluated()
    }
    let dropped = judged(.announcement)
    expectEqual(
      samples(dropped),
      [
        "announcement no-server 1 unseen", "announcement field-order 2 unseen", "announcement blanks 2 unseen",
        "story byebye 1 unseen",
      ])
    expectEqual(
      Set(dropped.samples.map(\.text)),
      ["a good announcement is not shown: it listens to answers only, or is silent about the rest"])
    expectEqual(runs(dropped), ["answer blanks 1 good", "flood flood 1 good"])
    for kept in [
      judged(.answer), judged(.announcement, attempt: 2), judged(.announcement, company: .only),
      judged(.announcement, good: [.told(nil)]),
    ] {
      expectEqual(kept.samples.count, 1)
      expectEqual(
        runs(kept),
        [
          "answer blanks 1 good", "announcement field-order,blanks 2 good", "story byebye 1 good", "flood flood 1 good",
        ])
    }
  }

  @Test("of a device 64 marks of 300 letters and 32 names are kept, each name with whether it is still there")
  func marks() {
    var many = ControlPointRound(.answer, [.nameCase])
    many.add(.nameCase)
    for number in 0..<66 as Range<Int64> {
      many.examination.mark(0, .gone, String(repeating: "x", count: 301), at: .zero + .seconds(number))
    }
    let times = (0..<64 as Range<Int64>).map { Instant.zero + .seconds($0) }
    expectEqual(many.examination.baits[0].marks.map(\.time), times)
    expectEqual(many.examination.baits[0].marks[0].text, String(repeating: "x", count: 300))
    let uuid = "b4170000-0000-4000-8000-00000000000a"
    func read(_ lines: [String]) -> ControlPointBait {
      var round = ControlPointRound(.answer, [.nameCase])
      round.add(.nameCase)
      round.examination.byUUID[uuid] = 0
      for line in lines { round.examination.read(line, at: .zero) }
      return round.examination.baits[0]
    }
    func names(_ bait: ControlPointBait) -> [String] { bait.told.map { "\($0.usn) \($0.isThere)" } }
    let found: [String] = (0..<33).map { "found uuid:\(uuid)::n\($0)" }
    expectEqual(names(read(found)), (0..<32).map { "n\($0) true" })
    expectEqual(names(read(found + ["lost uuid:\(uuid)::n5"])), (0..<32).map { "n\($0) \($0 != 5)" })
    let whole = "{\"event\":\"lost\",\"device\":\"uuid:\(uuid)\"}"
    expectEqual(names(read(found + [whole])), (0..<32).map { "n\($0) false" })
    let two = [found[0], found[1], "lost uuid:\(uuid)::n0"]
    expectEqual(names(read(two)), ["n0 false", "n1 true"])
    expectEqual(names(read(two + [found[0]])), ["n0 true", "n1 true"])
    // A line without a LOCATION is shown with the name that was told last.
    var shown = ControlPointRound(.answer, [.nameCase])
    shown.add(.nameCase)
    shown.examination.byUUID[uuid] = 0
    for line in found.prefix(2) { shown.examination.read(line, at: .zero) }
    expectEqual(shown.examination.shown(uuid), ["told n1", "told n1"])
    // Whether the name has capitals is known of a mark that names it.
    let spelled = read([found[0], "found uuid:\(uuid.uppercased())::n0"])
    expectEqual(spelled.marks.map(\.hasCapitals), [false, true])
    expectEqual(spelled.marks.map(\.kind), [.told(nil), .told(nil)])
  }

  @Test("records of a finding are the first message, that of the turn in a story, and the line that shows it")
  func records() {
    func records(_ steps: [Int], isSent: Bool = true, heard: Int? = nil) -> [String] {
      var round = ControlPointRound(.story, [.byebye])
      let (speaker, group) = (round.examination.setting.speaker, Endpoint(.ssdpGroup4, port: 1_900))
      for number in 1...5 as ClosedRange<UInt8> {
        round.examination.log.add(
          [64 + number], from: speaker, to: group, hopLimit: 2, isSent: true, at: .zero + .seconds(Int64(number)))
      }
      round.add(.byebye, isSent: isSent, marks: [.gone])
      round.examination.baits[0].marks[0].text = " \tgone "
      (round.examination.baits[0].position, round.examination.baits[0].stepPositions) = (1, steps)
      var sample = ControlPointSample(probe: .byebye, way: .story, attempt: 1, outcome: .violated, text: "t")
      (sample.bait, sample.mark, sample.position) = (0, round.examination.baits[0].marks[0], heard)
      round.examination.samples = [sample]
      return round.examination.result().rows[0].records.map {
        "\($0.time - Instant.zero) \($0.position) \($0.what): \($0.text)"
      }
    }
    let way = "10.77.1.10:50902 -> 239.255.255.250:1900"
    let (first, line) = ("1s 1 sent \(way): A", "0s 0 output: gone ")
    expectEqual(records([1, 2, 4, 5]), [first, "4s 4 sent \(way): D", line])
    expectEqual(records([1, 2, 5]), [first, "5s 5 sent \(way): E", line])
    expectEqual(records([1, 2, 6]), [first, line])
    expectEqual(records([1, 2, 0]), [first, line])
    expectEqual(records([1, 2]), [first, line])
    expectEqual(records([1, 2, 4], isSent: false), [])
    expectEqual(records([1, 2, 4], heard: 3), ["3s 3 heard \(way): C"])
  }
}
