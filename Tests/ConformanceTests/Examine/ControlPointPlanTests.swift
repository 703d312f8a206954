import RollcallConformance
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallExaminers

@Suite("The plan of an examination of a control point, and its log")
struct ControlPointPlanTests {
  private func line(_ text: String, _ packets: Int, _ seconds: Int) -> ControlPointPlan.Line {
    ControlPointPlan.Line(text: text, packets: packets, seconds: seconds)
  }

  /// Packets and seconds, at most and without repetitions.
  private func sums(_ plan: ControlPointPlan) -> [Int] {
    [plan.packets, plan.seconds, plan.packetsOnce, plan.secondsOnce]
  }

  @Test("a plan has a line for each run, and its sums have each probe once more for each repetition, bound by its time")
  func plans() {
    let probes: [ControlPointProbe] = [.nameCase, .wrongST, .byebye, .flood]
    let (answers, announcements, stories) = (
      "answers to its search: ", "announcements: ", "stories of several announcements: "
    )
    // With a command that is started for each run.
    let started = ControlPointPlan(Examined.setting(probes))
    expectEqual(
      started.lines,
      [
        line(answers + "1 probe", 32, 56), line(answers + "1 probe", 36, 56), line(announcements + "1 probe", 15, 21),
        line(stories + "1 probe", 27, 24), line("a flood of 200 devices", 408, 31),
      ])
    expectEqual(sums(started), [1_073, 453, 518, 188])
    // With a control point that runs anyway, for which is waited.
    let waiting = ControlPointPlan(Examined.setting(probes) { ($0.hasCommand, $0.repeats) = (false, 2) })
    expectEqual(
      waiting.lines,
      [
        line(answers + "2 probes", 40, 60), line(announcements + "1 probe", 15, 5), line(stories + "1 probe", 27, 8),
        line("a flood of 200 devices", 408, 35),
      ])
    expectEqual(sums(waiting), [1_563, 509, 490, 108])
    // A third of the time is for the search.
    let bounded = ControlPointPlan(Examined.setting(probes) { ($0.hasCommand, $0.duration) = (false, .seconds(9)) })
    expectEqual(bounded.lines.map(\.seconds), [43, 5, 8, 18])
    expectEqual([bounded.seconds, bounded.secondsOnce], [9, 9])
    // One way alone: good baits are counted on that way.
    let one = ControlPointPlan(Examined.setting([.hostWithoutPort]) { $0.hasCommand = false })
    expectEqual(one.lines, [line(announcements + "1 probe", 15, 5)])
    expectEqual(sums(one), [39, 15, 15, 5])
    let none = ControlPointPlan(Examined.setting([]))
    expectEqual(none.lines, [])
    expectEqual(sums(none), [0, 0, 0, 0])
  }

  @Test("a search is waited for six seconds with a command, a third of the time else, and twenty seconds at any time")
  func patience() {
    func patience(_ change: (inout ControlPointExamination.Setting) -> Void) -> Interval {
      ControlPointPlan.patience(Examined.setting([], change))
    }
    expectEqual(patience { $0.duration = .seconds(60) }, .seconds(6))
    expectEqual(patience { ($0.hasCommand, $0.duration) = (false, .seconds(60)) }, .seconds(20))
    expectEqual(patience { ($0.hasCommand, $0.duration) = (false, .seconds(9)) }, .seconds(3))
    expectEqual(patience { $0.hasCommand = false }, .seconds(20))
  }

  @Test("answers and announcements are split among the starts of a command as evenly as they can be, stories are not")
  func runs() {
    func runs(_ probes: [ControlPointProbe], _ count: Int, hasCommand: Bool = true) -> [String] {
      let setting = Examined.setting(probes) { ($0.hasCommand, $0.runs) = (hasCommand, count) }
      return ControlPointPlan.runs(setting).map { run in
        "\(run.way.rawValue) \(run.attempt) \(run.company) " + run.probes.map(\.rawValue).joined(separator: " ")
      }
    }
    let seven = Array(ControlPointProbe.allCases.prefix(7))
    let all = "name-case blanks field-order unknown-fields any-uuid higher-minor more-directives"
    let parts = ["name-case blanks", "field-order unknown-fields", "any-uuid higher-minor more-directives"]
    let answers: [String] = parts.map { "answer 1 good \($0)" }
    let announcements: [String] = parts.map { "announcement 1 good \($0)" }
    expectEqual(runs(seven, 3), answers + announcements)
    let whole = ["answer 1 good \(all)", "announcement 1 good \(all)"]
    for count in [-1, 0, 1] { expectEqual(runs(seven, count), whole, "\(count)") }
    expectEqual(runs(seven, 3, hasCommand: false), whole)
    expectEqual(
      runs([.blanks, .late, .byebye, .update, .flood], 9),
      [
        "answer 1 good blanks", "answer 1 good late", "announcement 1 good blanks", "story 1 good byebye update",
        "flood 1 good flood",
      ])
  }

  @Test("a probe has one bait, several where it has several forms, and the copies of a search have none")
  func variants() {
    var found: [Int: [ControlPointProbe]] = [:]
    for probe in ControlPointProbe.allCases { found[ControlPointPlan.variants(of: probe), default: []].append(probe) }
    expectEqual(found.keys.sorted(), [0, 1, 2, 3, 4])
    expectEqual(found[0] ?? [], [.copies])
    expectEqual(found[2] ?? [], [.wrongST, .valueCase, .byebyePart, .reboot, .uuidCase])
    expectEqual(found[3] ?? [], [.setOrder])
    expectEqual(found[4] ?? [], [.oddMaxAge])
  }

  @Test("a log keeps 20,000 datagrams and 32 MiB of them, and counts the others")
  func log() {
    let (one, other) = (Endpoint(Examined.device, port: 1), Endpoint(Examined.control, port: 2))
    func add(_ bytes: [UInt8], to log: inout ControlPointLog) -> Int {
      log.add(bytes, from: one, to: other, hopLimit: 3, isSent: true, at: .zero + .seconds(4))
    }
    var large = ControlPointLog()
    expectEqual(large.droppedCount, 0)
    expectEqual(add([UInt8](repeating: 7, count: 33_554_430), to: &large), 1)
    expectEqual([add([1, 2, 3], to: &large), add([1, 2], to: &large), add([1], to: &large)], [0, 2, 0])
    expectEqual(add([], to: &large), 3)
    expectEqual(large.droppedCount, 2)
    expectEqual(large.entries.map(\.bytes.count), [33_554_430, 2, 0])
    expectEqual(
      large.entries[1],
      .init(time: .zero + .seconds(4), isSent: true, source: one, destination: other, hopLimit: 3, bytes: [1, 2]))
    var long = ControlPointLog()
    var places: [Int] = []
    for _ in 0..<20_001 { places.append(add([], to: &long)) }
    expectEqual(places, Array(1...20_000) + [0])
    expectEqual(long.entries.count, 20_000)
    expectEqual(long.droppedCount, 1)
  }

  @Test("a search has an ST of 512 bytes at most, and an MX of 1 to 120 seconds")
  func searches() {
    func search(_ target: String, _ lines: String = "MX: 3\r\n") -> ControlPointSearch? {
      ControlPointSearch(
        Array("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\n\(lines)ST: \(target)\r\n\r\n".utf8))
    }
    let longest = String(repeating: "a", count: 512)
    expectEqual(search(longest)?.target, longest)
    expectEqual(search(longest + "a"), nil)
    let waits: [(lines: String, seconds: Int64)] = [
      ("MX: 3\r\n", 3), ("MX: 120\r\n", 120), ("MX: 121\r\n", 120), ("MX: 1\r\n", 1), ("MX: 0\r\n", 1), ("", 1),
    ]
    for (lines, seconds) in waits {
      let found = search("ssdp:all", lines)
      expectEqual(found?.target, "ssdp:all", "\(lines)")
      expectEqual(found?.maximumWaitSeconds, seconds, "\(lines)")
    }
    expectEqual(ControlPointSearch(Array("NOTIFY * HTTP/1.1\r\nNT: a\r\nNTS: ssdp:alive\r\n\r\n".utf8)), nil)
  }

  @Test("probes differ in their gist, their clauses are in the order of the catalogue, and names are found")
  func probes() {
    let gists = Set(ControlPointProbe.allCases.map(\.facts.gist))
    expectEqual(gists.count, ControlPointProbe.allCases.count)
    let facts = ControlPointProbe.allCases.map(\.facts)
    #expect(facts.allSatisfy { $0.clauses.count <= 1 && $0.ways.count <= 2 })
    let named = facts.flatMap(\.clauses)
    expectEqual(ControlPointProbe.clauses.map(\.rawValue), Set(named.map(\.rawValue)).sorted())
    #expect(ControlPointProbe.clauses.allSatisfy { $0.clause.until == nil })
    expectEqual(ControlPointProbe.nearest(to: "BLANK"), ["blanks", "late", "flood"])
    let alike = ["name-case", "value-case", "odd-max-age"]
    expectEqual(ControlPointProbe.nearest(to: String(repeating: "a", count: 40)), alike)
    // Forty bytes of a text count, and no name has a q.
    let far = String(repeating: "q", count: 40) + "d"
    expectEqual(ControlPointProbe.nearest(to: far), ["name-case", "blanks", "field-order"])
  }
}
