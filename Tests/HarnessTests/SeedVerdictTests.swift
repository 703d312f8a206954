import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Synchronization
import Testing
import RollcallTrace

/// What is judged over the runs of several seeds, at its bounds, and how runs are counted.
@Suite("Verdicts over seeds")
struct SeedVerdictTests {
  private static func resolved(_ text: String) throws -> Resolved {
    try Scenario(yaml: text, file: "seeds.yaml").resolved()
  }

  private static func answer(_ verdict: Verdict) -> String {
    verdict.outcome.rawValue + (verdict.isBad ? " " + verdict.found : "")
  }

  // MARK: Shares

  /// How it goes with a device: it leaves at the end of its window, after it, or the run ends before the window does.
  private enum Course { case yes, no, open }

  /// A device whose window is the 5 s after it was found.
  private static func device(_ name: String, _ course: Course) -> (inhabitant: String, deed: String) {
    let appear = course == .open ? 16 : 2
    let deed = course == .open ? "" : "  - {at: \(course == .yes ? 7 : 8)s, leave: \(name)}\n"
    return ("  \(name): {kind: root-device, appear: \(appear)s, start-jitter: 0s}\n", deed)
  }

  private static func world(_ television: Course, _ lamp: Course, _ expectations: [String], more: String) -> String {
    let devices = [device("tv", television), device("lamp", lamp)]
    let deeds = devices.map(\.deed).joined()
    return "scenario: Two devices that may leave\nduration: 20s\ninhabitants:\n"
      + devices.map(\.inhabitant).joined() + (deeds.isEmpty ? "" : "timeline:\n" + deeds) + "expect:\n"
      + expectations.map { "  - \($0)\n" }.joined() + more
  }

  /// The verdicts on runs of these courses, each so often.
  private func verdicts(
    _ runs: [(television: Course, lamp: Course, count: Int)], _ expectations: [String], more: String = ""
  ) throws -> [Verdict] {
    var tally: SeedTally?
    for run in runs {
      let resolved = try Self.resolved(Self.world(run.television, run.lamp, expectations, more: more))
      let contribution = Run.perform(resolved, seed: Seed(1)).contribution
      var all = tally ?? SeedTally(resolved.expectations)
      for _ in 0..<run.count { all.add(contribution) }
      tally = all
    }
    return tally?.verdicts ?? []
  }

  private static let shares: [(bounds: String, yes: Int, no: Int, open: Int, answer: String)] = [
    ("at-least: 1/3", 1, 2, 0, "held"), ("at-least: 1/3", 1, 3, 0, "violated 1 of 4 tv"),
    ("at-least: 33.3%", 333, 667, 0, "held"), ("at-least: 33.3%", 332, 668, 0, "violated 332 of 1000 tv"),
    ("at-least: 100%", 3, 0, 0, "held"), ("at-least: 100%", 2, 1, 0, "violated 2 of 3 tv"),
    ("at-most: 1/3", 1, 2, 0, "held"), ("at-most: 1/3", 2, 3, 0, "violated 2 of 5 tv"),
    ("at-most: 0%", 0, 3, 0, "held"), ("at-most: 0%", 1, 99, 0, "violated 1 of 100 tv"),
    ("at-least: 20%, at-most: 50%", 1, 4, 0, "held"), ("at-least: 20%, at-most: 50%", 1, 1, 0, "held"),
    ("at-least: 20%, at-most: 50%", 1, 5, 0, "violated 1 of 6 tv"),
    ("at-least: 20%, at-most: 50%", 3, 2, 0, "violated 3 of 5 tv"),
    // Seeds under which the window was cut off say nothing.
    ("at-least: 100%", 2, 0, 5, "held"), ("at-most: 0%", 0, 1, 5, "held"), ("at-least: 50%", 1, 1, 9, "held"),
    ("at-least: 50%", 1, 2, 9, "violated 1 of 3 tv"),
    ("at-least: 50%", 0, 0, 3, "vacuous the run of every seed ended before the window did"),
    ("at-most: 50%", 0, 0, 3, "vacuous the run of every seed ended before the window did"),
    // Products beyond 64 bits: the bound is a little above two thirds.
    ("at-least: 12345678901234567890/18446744073709551615", 2, 1, 0, "violated 2 of 3 tv"),
    ("at-least: 12345678901234567890/18446744073709551615", 3, 1, 0, "held"),
    ("at-most: 12345678901234567890/18446744073709551615", 2, 1, 0, "held"),
    ("at-most: 12345678901234567890/18446744073709551615", 3, 1, 0, "violated 3 of 4 tv"),
  ]

  @Test("a share belongs to its bounds, one seed beyond breaks them, and seeds with a window cut off are left out")
  func share() throws {
    for row in Self.shares {
      let expectation = "{share: {lost: tv, \(row.bounds)}, after: {found: tv, within: 5s}}"
      let runs: [(television: Course, lamp: Course, count: Int)] = [
        (.yes, .no, row.yes), (.no, .no, row.no), (.open, .no, row.open),
      ]
      let verdicts = try verdicts(runs.filter { $0.count > 0 }, [expectation])
      expectEqual(verdicts.map(Self.answer), [row.answer], "\(row)")
    }
  }

  @Test("each device has a share of its own, the first that breaks a bound is told, and shares are not mixed up")
  func sharesOfEach() throws {
    let expectations = [
      "{share: {lost: each, at-least: 50%}, after: {found: each, within: 5s}}", "{found: any}",
      "{share: {lost: lamp, at-most: 30%}, after: {found: lamp, within: 5s}}", "{share: {found: any, at-least: 100%}}",
    ]
    func answers(_ runs: [(Course, Course, Int)]) throws -> [String] {
      try verdicts(runs.map { (television: $0.0, lamp: $0.1, count: $0.2) }, expectations).map(Self.answer)
    }
    try expectEqual(answers([(.yes, .no, 3), (.no, .yes, 1)]), ["violated 1 of 4 lamp", "held", "held"])
    try expectEqual(answers([(.yes, .no, 1), (.no, .yes, 3)]), ["violated 1 of 4 tv", "violated 3 of 4 lamp", "held"])
    try expectEqual(answers([(.yes, .yes, 2)]), ["held", "violated 2 of 2 lamp", "held"])
    try expectEqual(answers([(.no, .no, 3)]), ["violated 0 of 3 tv", "held", "held"])
    // One that no seed tells of leaves it open, unless the other breaks it.
    let open = "vacuous the run of every seed ended before the window did"
    try expectEqual(answers([(.open, .yes, 2)]), [open, "violated 2 of 2 lamp", "held"])
    try expectEqual(answers([(.yes, .open, 2)]), [open, open, "held"])
    try expectEqual(answers([(.open, .no, 2)]), ["violated 0 of 2 lamp", "held", "held"])
    try expectEqual(answers([(.no, .open, 2)]), ["violated 0 of 2 tv", open, "held"])
    let waived = try verdicts([(.open, .open, 2)], expectations, more: "vacuous-ok: [e1, e3]")
    expectEqual(waived.map(\.outcome), [.waived, .waived, .held])
    let kept = try verdicts([(.no, .yes, 1)], expectations, more: "vacuous-ok: [e1, e3]")
    expectEqual(kept.map(\.outcome), [.violated, .violated, .held])
    expectEqual(kept.map(\.expected), ["in at least 50% of the seeds", "in at most 30% of the seeds", ""])
  }

  @Test("a share says nothing without a device to look at, in runs without reports, and with nothing to count from")
  func sharesOfNothing() throws {
    func script(_ leave: String) -> String {
      "inhabitants: {tv: {kind: root-device, start-jitter: 0s}}\ntimeline: [{at: \(leave), leave: tv}]\n"
    }
    let worlds = [
      "none": "", "junk": "inhabitants: {app: {kind: script, lines: [{at: 1s, text: x}]}}\n", "left": script("2s"),
      "late": script("5500ms"),
    ]
    let after = "after: {lost: any, within: 1s}"
    let (silent, cut) = (
      "vacuous nothing was ever reported", "vacuous the run of every seed ended before the window did"
    )
    let never = "vacuous it never happened, which breaks no upper bound"
    let table: [(worlds: [String], expectation: String, answer: String)] = [
      (["none"], "{share: {found: each, at-least: 50%}}", silent),
      (["junk"], "{share: {found: each, at-least: 50%}}", silent),
      (["none"], "{share: {found: each, at-most: 50%}}", silent),
      (["junk"], "{share: {lost: each, at-most: 0%}}", silent),
      (["none", "none"], "{share: {found: any, at-most: 50%}}", silent),
      (["none"], "{share: {rejected: any, at-most: 0%}}", silent),
      (["none"], "{share: {found: any, at-least: 0%, at-most: 1%}}", silent),
      (["none"], "{share: {found: any, at-least: 1%}}", "violated 0 of 1"),
      // One seed under which something is said is enough.
      (["junk", "none"], "{share: {found: any, at-most: 50%}}", "held"),
      (["none", "junk"], "{share: {found: any, at-most: 50%}}", "held"),
      (["none", "junk"], "{share: {rejected: any, at-most: 50%}}", "held"),
      (["junk", "none", "junk"], "{share: {rejected: any, at-most: 50%}}", "violated 2 of 3"),
      (["junk", "junk"], "{share: {found: any, at-most: 0%}, \(after)}", never),
      (["none"], "{share: {found: any, at-most: 0%}, \(after)}", never),
      (["junk", "junk"], "{share: {found: any, at-least: 1%}, \(after)}", "violated 0 of 2"),
      (["junk", "left"], "{share: {found: any, at-most: 0%}, \(after)}", "held"),
      (["left", "junk"], "{share: {found: any, at-most: 0%}, \(after)}", "held"),
      (["late", "junk"], "{share: {found: any, at-most: 0%}, \(after)}", never),
      (["late"], "{share: {found: any, at-most: 0%}, \(after)}", cut),
    ]
    for row in table {
      for more in ["", "vacuous-ok: [e1]"] {
        let contributions = try row.worlds.map { name in
          let text = "scenario: a\nduration: 6s\n\(worlds[name] ?? "")expect: [\(row.expectation)]\n\(more)"
          let resolved = try Self.resolved(text)
          return (resolved.expectations, Run.perform(resolved, seed: Seed(1)).contribution)
        }
        var tally = SeedTally(contributions[0].0)
        for contribution in contributions { tally.add(contribution.1) }
        let isWaived = !more.isEmpty && row.answer.hasPrefix("vacuous")
        expectEqual(tally.verdicts.map(Self.answer), [isWaived ? "waived" : row.answer], "\(row)")
      }
    }
  }

  // MARK: Distributions

  /// A device that announces itself anew after each of these intervals, and never else.
  ///
  /// - Parameter tail: how long the run goes on after the last of them.
  private func renewals(_ seeds: [[Int64]], _ rest: String, tail: Int64 = 60_000_000_000) throws -> [Verdict] {
    var tally: SeedTally?
    for intervals in seeds {
      var (now, deeds) = (Int64(0), "")
      for interval in intervals {
        now += interval
        deeds += "  - {at: \(now)ns, vanish: tv}\n  - {at: \(now)ns, appear: tv}\n"
      }
      let resolved = try Self.resolved(
        """
        scenario: A device that announces itself at given instants
        duration: \(now + tail)ns
        inhabitants:
          tv: {kind: root-device, profile: basic, start-jitter: 0s, quirks: [noRenewal, dropsRepeats, rootOnly]}
        timeline:
        \(deeds)
        expect:
          - {distribution: {of: renewal-interval, from: tv, \(rest)}}
        """)
      var all = tally ?? SeedTally(resolved.expectations)
      all.add(Run.perform(resolved, seed: Seed(1)).contribution)
      tally = all
    }
    return tally?.verdicts ?? []
  }

  private static let second: Int64 = 1_000_000_000

  @Test("measured times belong to both ends of their range; the first outside is told, of whichever seed")
  func range() throws {
    let second = Self.second
    func answer(_ seeds: [[Int64]], _ rest: String) throws -> [String] { try renewals(seeds, rest).map(Self.answer) }
    let ten = "range: 10s..20s, minimum-samples: 2"
    try expectEqual(answer([[10 * second, 20 * second]], ten), ["held"])
    try expectEqual(answer([[10 * second, 20 * second + 1]], ten), ["violated 20.000000001 s"])
    try expectEqual(answer([[10 * second - 1, 20 * second + 1]], ten), ["violated 9.999999999 s"])
    try expectEqual(answer([[10 * second, 25 * second], [9 * second]], ten), ["violated 25.000000000 s"])
    try expectEqual(answer([[11 * second], [9 * second, 25 * second]], ten), ["violated 9.000000000 s"])
    // What follows within five seconds is a repetition. Samples of all seeds count.
    let few = [5 * second, 5 * second + 1, 7 * second]
    try expectEqual(answer([few], "range: 5s..7s, minimum-samples: 2"), ["held"])
    try expectEqual(answer([few], "range: 5s..7s, minimum-samples: 3"), ["vacuous 2 samples of 3"])
    try expectEqual(answer([few, few], "range: 5s..7s, minimum-samples: 4"), ["held"])
    try expectEqual(answer([few, few], "range: 5s..7s, minimum-samples: 5"), ["vacuous 4 samples of 5"])
  }

  @Test("what begins so late that its longest time would end after the run is no part of the sample")
  func lateBeginning() throws {
    let second = Self.second
    // The last interval begins 15 s before the end of its run, and the one before it 25 s.
    func answer(_ range: String, _ minimum: Int, tail: Int64) throws -> [String] {
      try renewals(
        [[10 * second, 10 * second, 10 * second]], "range: 5s..\(range), minimum-samples: \(minimum)", tail: tail
      )
      .map(Self.answer)
    }
    try expectEqual(answer("15s", 3, tail: 5 * second), ["held"])
    try expectEqual(answer("15s", 3, tail: 5 * second - 1), ["vacuous 2 samples of 3"])
    try expectEqual(answer("15000000001ns", 3, tail: 5 * second), ["vacuous 2 samples of 3"])
    try expectEqual(answer("25s", 2, tail: 5 * second), ["held"])
    try expectEqual(answer("25s", 2, tail: 5 * second - 1), ["vacuous 1 samples of 2"])
    // Where it begins early enough, one that is too long is seen.
    try expectEqual(answer("9s", 2, tail: 5 * second), ["violated 10.000000000 s"])
  }

  @Test("a sample is uneven where chance makes such a one more seldom than alpha, by Pearson's chi-square of ten bins")
  func uneven() throws {
    let second = Self.second
    func outcome(_ values: [[Int64]], _ alpha: String) throws -> Verdict.Outcome? {
      try renewals(values, "range: 10s..20s, minimum-samples: 10, alpha: \(alpha)").first?.outcome
    }
    func filled(_ counts: [Int]) -> [Int64] {
      counts.enumerated().flatMap { bin, count in
        Array(repeating: Int64(bin) * second + 10_500_000_000, count: count)
      }
    }
    // One in each bin is as even as can be: p is 1. The lower end of a bin belongs to it, the upper one to the next,
    // and the very end to the last.
    let lower = (0..<10).map { (10 + Int64($0)) * second }
    for even in [lower, Array(lower.dropLast()) + [20 * second], lower.map { $0 + second - 1 }] {
      try expectEqual(outcome([even], "100%"), .held)
    }
    try expectEqual(outcome([Array(lower.dropLast()) + [18 * second]], "100%"), .violated)
    // The chances of 2, 4, 8 (by the series), 15 and 30 (by the continued fraction) with nine degrees of freedom.
    for (counts, below, above) in [
      ([3, 3, 2, 2, 2, 2, 2, 2, 1, 1], "991467606/1000000000", "991467607/1000000000"),
      ([4, 0, 2, 2, 2, 2, 2, 2, 2, 2], "911412526/1000000000", "911412527/1000000000"),
      ([4, 4, 2, 2, 2, 2, 2, 2, 0, 0], "534146216/1000000000", "534146217/1000000000"),
      ([6, 4, 2, 2, 2, 2, 1, 1, 0, 0], "90935976/1000000000", "90935977/1000000000"),
      ([5, 5, 5, 5, 0, 0, 0, 0, 0, 0], "438721/1000000000", "438722/1000000000"),
    ] {
      try expectEqual(outcome([filled(counts)], below), .held, "\(counts)")
      try expectEqual(outcome([filled(counts)], above), .violated, "\(counts)")
    }
    // All in one bin: 180, whose chance is 5e-34. The seeds of a point make one sample.
    try expectEqual(outcome([filled([20])], "1/18446744073709551615"), .violated)
    try expectEqual(outcome([filled([1, 1, 1, 1, 1]), filled([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])], "100%"), .held)
    let reason = try renewals([filled([20])], "range: 10s..20s, minimum-samples: 20").first
    expectEqual(reason?.expected, "renewal-interval uniform, alpha 0.001")
    expectEqual(reason?.found.hasPrefix("20 samples with p = 5.06"), true)
  }

  @Test(
    "the delay of an answer counts from the newest search of its socket, for the device and the target that are meant")
  func delays() throws {
    let world = """
      scenario: Devices that answer at once
      duration: 30s
      inhabitants:
        tv: {kind: root-device, profile: basic, start-jitter: 0s, quirks: [answersImmediately, rootOnly]}
        pair: {kind: root-device, count: 2, profile: basic, start-jitter: 0s, quirks: [answersImmediately, rootOnly]}
      timeline:
        - {at: 5s, search: {id: 1, target: upnp:rootdevice, mx: 1s, broadcasts: 1}}
        - {at: 10s, search: {id: 2, target: ssdp:all, mx: 2s, broadcasts: 2, spacing: 500ms}}
        - {at: 10200ms, search: {id: 3, target: roku:ecp, mx: 1s, broadcasts: 1}}
      expect:

      """
    let table = [
      ("from: tv, search: 2, range: 0s..400ms, minimum-samples: 2", "held"),
      ("from: tv, range: 0s..400ms, minimum-samples: 4", "vacuous 3 samples of 4"),
      ("from: tv, search: 1, range: 0s..400ms, minimum-samples: 2", "vacuous 1 samples of 2"),
      ("from: tv, search: 3, range: 0s..400ms, minimum-samples: 1", "vacuous 0 samples of 1"),
      ("from: pair, range: 0s..400ms, minimum-samples: 7", "vacuous 6 samples of 7"),
      ("from: tv, range: 1ns..400ms, minimum-samples: 1", "violated 0.000000000 s"),
    ]
    let expectations = table.map { "  - {distribution: {of: response-delay, \($0.0)}}\n" }.joined()
    let resolved = try Self.resolved(world + expectations)
    var tally = SeedTally(resolved.expectations)
    tally.add(Run.perform(resolved, seed: Seed(1)).contribution)
    expectEqual(tally.verdicts.map(Self.answer), table.map { $0.1 })
  }

  @Test("the narrowest range has an instant in each of ten parts; a narrower one is an error")
  func narrowRange() throws {
    let ten: Int64 = 10 * Self.second
    let verdicts = try renewals(
      [(0..<10).map { ten + $0 }], "range: 10s..10000000010ns, minimum-samples: 10, alpha: 100%")
    expectEqual(verdicts.map(Self.answer), ["held"])
    #expect(throws: ScenarioErrors.self) { try renewals([[ten]], "range: 10s..10000000009ns, minimum-samples: 1") }
  }

  /// Three searches for the same target at a time, one to a host, and three of a program that has one socket for them.
  private static func searchers(_ expectations: [String]) throws -> Resolved {
    func says(_ at: String, _ target: String) -> String {
      """
            - at: [\(at)]
              source-port: 40000
              lines:
                - M-SEARCH * HTTP/1.1
                - "HOST: 239.255.255.250:1900"
                - 'MAN: "ssdp:discover"'
                - "MX: 1"
                - "ST: \(target)"

      """
    }
    return try resolved(
      """
      scenario: Searches for one target side by side
      duration: 30s
      inhabitants:
        tv: {kind: root-device, profile: basic, start-jitter: 0s, quirks: [answersImmediately, rootOnly]}
        app:
          kind: recorded
          beside-engine: true
          says:
      \(says("12s, 20s", "upnp:rootdevice"))\(says("12500ms", "ssdp:all"))
        other: {kind: control-point, target: "upnp:rootdevice", mx: 1s, appear: 25s, every: 1s, searches: 1}
      timeline:
        - {at: 5s, search: {id: 11, target: "upnp:rootdevice", mx: 1s, broadcasts: 3, spacing: 1s}}
        - {at: 5s, search: {id: 12, target: "upnp:rootdevice", mx: 1s, broadcasts: 2, spacing: 1s}}
        - {at: 6s, search: {id: 13, target: "upnp:rootdevice", mx: 1s, broadcasts: 1}}
        - {at: 8s, search: {id: 14, target: "upnp:rootdevice", host: tv, mx: 1s, broadcasts: 1}}
      expect:
      """ + "\n" + expectations.map { "  - \($0)\n" }.joined())
  }

  @Test("answers to a search are those to its copies, among searches for the same target and from the same socket")
  func answersToOneSearch() throws {
    // The program's searches are numbered in the order in which they begin.
    let counts: [(search: String, count: Int)] = [
      ("search: 11, ", 3), ("search: 12, ", 2), ("search: 13, ", 1), ("search: 14, ", 1), ("search: 1, ", 1),
      ("search: 2, ", 1), ("search: 3, ", 1), ("search: 4, ", 0), ("", 11),
    ]
    let resolved = try Self.searchers(
      counts.map {
        "{distribution: {of: response-delay, from: tv, \($0.search)range: 0s..400ms, minimum-samples: 100}}"
      })
    var tally = SeedTally(resolved.expectations)
    tally.add(Run.perform(resolved, seed: Seed(1)).contribution)
    expectEqual(tally.verdicts.map(Self.answer), counts.map { "vacuous \($0.count) samples of 100" })
  }

  @Test("the trace of a run holds the hosts that were asked for, whatever else was recorded to be measured")
  func traceOfAFew() throws {
    let resolved = try Self.searchers(
      ["{distribution: {of: response-delay, from: tv, search: 11, range: 0s..400ms}}"])
    let all = Run.perform(
      resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
    expectEqual(UInt64(all.trace.count), all.entries)
    for hosts in [[], [0], [1], [2], [0, 1], [1, 2]] {
      let some = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: hosts))
      let places = all.trace.indices.filter { hosts.contains(Int(all.trace[$0].station)) }
      #expect(some.trace == places.map { all.trace[$0] } && some.traceNumbers == places.map { $0 + 1 }, "\(hosts)")
    }
    #expect(Run.perform(resolved, seed: Seed(1)).trace.isEmpty)
  }

  // MARK: Counting runs

  @Test("seeds in a row are one range; what stands still, goes back or wraps around begins another")
  func seedRanges() {
    func text(_ seeds: [UInt64]) -> String {
      var ranges = SeedRanges()
      for seed in seeds { ranges.add(seed) }
      return "\(ranges.count) \(ranges)"
    }
    #expect(text([]) == "0 " && SeedRanges().isEmpty)
    expectEqual(text([3]), "1 3")
    expectEqual(text([3, 4]), "2 3..4")
    expectEqual(text([3, 4, 5, 7, 8, 10]), "6 3..5 7..8 10")
    expectEqual(text([3, 3, 4]), "3 3 3..4")
    expectEqual(text([4, 3]), "2 4 3")
    expectEqual(text([.max - 1, .max, 0, 1]), "4 18446744073709551614..18446744073709551615 0..1")
    // Behind the last seed there is none that could go on with it.
    expectEqual(
      text([.max - 1, .max, .max]), "3 18446744073709551614..18446744073709551615 18446744073709551615")
  }

  private final class Gathered: Sendable { let runs = Mutex<[SuiteRun]>([]) }

  private func runs(_ files: [(path: String, text: String)]) throws -> [SuiteRun] {
    let gathered = Gathered()
    let scenarios = try files.map {
      ScenarioFile(path: $0.path, scenario: try Scenario(yaml: $0.text, file: $0.path))
    }
    try Suite(files: scenarios, options: Suite.Options()).run { run in gathered.runs.withLock { $0.append(run) } }
    return gathered.runs.withLock { $0 }
  }

  private static func file(_ path: String, _ head: String, _ expect: String) -> (path: String, text: String) {
    let device = "inhabitants: {tv: {kind: root-device, start-jitter: 0s}}"
    return (path, "scenario: \(path)\nduration: 2s\n\(head)\n\(device)\n\(expect)")
  }

  @Test("scenarios are counted one by one: runs, outcomes, the first three that are not good, and seeds point by point")
  func account() throws {
    let files = [
      Self.file("good.yaml", "seeds: 1..2", "expect: [{found: tv}]"),
      Self.file("bad.yaml", "seeds: 1..4\nsweep: {duration: [2s, 3s]}", "expect: [{lost: tv}, {found: tv}]"),
      Self.file("share.yaml", "seeds: 5..7", "expect: [{share: {lost: tv, at-least: 1%}}]"),
      Self.file("none.yaml", "seeds: 8..9", "expect: []"),
    ]
    let runs = try runs(files)
    func told(_ group: RunAccount.Group) -> String {
      let failures = group.failures.map { "\($0.point.map(\.text)) \($0.seeds)" }.joined(separator: ", ")
      return "\(group.path): \(group.runCount) runs, \(group.checkCount) checks, \(group.virtualTime); passed "
        + "\(group.count(.passed)), failed \(group.count(.failed)), vacuous \(group.count(.vacuous)); shown "
        + "\(group.shown.map(\.seed)); \(failures)"
    }
    var account = RunAccount()
    var groups = runs.compactMap { account.add($0) }
    if let last = account.close() { groups.append(last) }
    #expect(
      groups.map(told) == [
        "good.yaml: 2 runs, 2 checks, 4s; passed 2, failed 0, vacuous 0; shown []; ",
        "bad.yaml: 8 runs, 16 checks, 20s; passed 0, failed 8, vacuous 0; shown [1, 2, 3]; "
          + #"["2s"] 1..4, ["3s"] 1..4"#,
        // A share is judged with the last seed, and fails that run alone.
        "share.yaml: 3 runs, 1 checks, 6s; passed 2, failed 1, vacuous 0; shown [7]; [] 7",
        "none.yaml: 2 runs, 0 checks, 4s; passed 0, failed 0, vacuous 2; shown [8, 9]; [] 8..9",
      ])
    expectEqual(groups.map(\.isOnlyVacuous), [false, false, false, true])
    #expect(groups.map(\.failureCount) == [0, 8, 1, 2] && groups.map(account.isGood) == [true, false, false, false])
    #expect((account.runCount, account.goodCount, account.vacuousCount) == (15, 4, 2))
    #expect((account.scenarioCount, account.badScenarioCount) == (4, 3))
    expectEqual(
      account.failures.map { "\($0.path) \($0.seeds)" },
      [
        "bad.yaml 1..4", "bad.yaml 1..4", "share.yaml 7", "none.yaml 8..9",
      ])
    let again = account.close()
    #expect(account.outcome == .failed && again.map(\.path) == nil)

    // Recorded only: a run without expectations is good where the caller says so.
    var recorded = RunAccount(allowsNoExpectations: true)
    var isRecordedOnly: [Bool] = []
    for run in runs where run.path == "good.yaml" || run.path == "none.yaml" {
      if let group = recorded.add(run) { isRecordedOnly.append(group.isRecordedOnly) }
    }
    if let last = recorded.close() { isRecordedOnly.append(last.isRecordedOnly) }
    #expect(isRecordedOnly == [false, true] && recorded.outcome == .passed && recorded.goodCount == 4)

    // The worst of all: vacuous before failed, whichever comes first.
    for order in [["none.yaml", "bad.yaml"], ["bad.yaml", "none.yaml"], ["none.yaml", "good.yaml"]] {
      var account = RunAccount()
      for path in order { for run in runs where run.path == path { account.add(run) } }
      _ = account.close()
      expectEqual(account.outcome, (order.contains("bad.yaml") ? .failed : .vacuous))
    }
  }
}
