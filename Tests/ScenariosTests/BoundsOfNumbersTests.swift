import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

/// Every number of the language exactly at its bound, and one beyond it.
@Suite("Bounds of the scenario language") struct BoundsOfNumbersTests {
  /// A place for a value on line 2, what may stand there, what may not, and what is said then; and the same for what
  /// is too large.
  private struct Row {
    var before: String
    var after = ""
    var good: [String]
    var bad: [String]
    var message: String
    var large: [String] = []
    var bound = ""
  }

  private func check(_ rows: [Row]) {
    for row in rows {
      for value in row.good {
        expectEqual(errorsOfDocument(row.before + value + row.after), "none", "\(row.before)\(value)")
      }
      for (value, said) in row.bad.map({ ($0, "is not \(row.message)") })
        + row.large.map({ ($0, "is too large: \(row.bound)") })
      {
        expectEqual(
          errorsOfDocument(row.before + value + row.after),
          "x.yaml:2:\(row.before.utf8.count + 1): error: '\(value)' \(said)")
      }
    }
  }

  @Test("a quantity is read with its unit up to its bound, exact to the smallest unit")
  func quantities() {
    let longest = "9223372036854775807ns"
    check([
      Row(
        before: "duration: ",
        good: [
          "1ns", "0.000000001s", "1.5us", "9223372036854775807ns", "9223372036854775807.000000000ns",
          "9223372036.854775807s", "18446744.074s", "2562047.788015215h",
        ], bad: ["0.5ns", "0.0000000001s", "01s", "1.s", ".5s", "1d", "1S", "-1s", "1.2.3s", "s"],
        message: "a duration such as 250ms or 3s (at duration)",
        large: [
          "9223372036854775808ns", "18446744073709551616ns", "9223372036854775807.5ns", "9223372036.854775808s",
          "2562047.788015216h", "999999999999999999999999h",
        ], bound: "a duration goes up to \(longest) (at duration)"),
      Row(
        before: "heal: ", good: ["0s", "1m"], bad: ["soon"],
        message: "an instant of the run such as 250ms or 3s (at heal)", large: ["9223372036854775808ns"],
        bound: "an instant of the run goes up to \(longest) (at heal)"),
      Row(
        before: "inhabitants: {x: {kind: reflector, appear: ", after: "}}", good: ["0s", "0s..1s", "never"],
        bad: ["1s..0s", "ever"], message: "an appearance such as 0s, 1s..3s or never (at inhabitants.x.appear)",
        large: ["9223372036854775808ns", "0s..9223372036854775808ns"],
        bound: "an appearance goes up to \(longest) (at inhabitants.x.appear)"),
      Row(
        before: "expect: [{found: any, after: {found: any, within: ", after: "}}]", good: ["0s", "1m", "1s..1m"],
        bad: ["1s..0s"], message: "a range of durations such as 3s or 1s..3s (at expect[0].after.within)",
        large: ["9223372036854775808ns"],
        bound: "a range of durations goes up to \(longest) (at expect[0].after.within)"),
      Row(
        before: "network: {link: {loss: ", after: "}}", good: ["0%", "100%", "0.000001%", "0/1", "3/3"],
        bad: ["101%", "100.000001%", "0.0000001%", "4/3", "0/0", "1/2/3", "-1%"],
        message: "a share such as 10%, 0.5% or 1/3 (at network.link.loss)"),
      Row(
        before: "network: {link: {queue: ", after: "}}",
        good: ["1024GiB", "1099511627776B", "1099511627776.000000000B", "0.5KiB", "1kB", "1MB"],
        bad: ["0.3B", "1KB"], message: "a size such as 512B or 64KiB (at network.link.queue)",
        large: ["1025GiB", "1099511627777B", "1024.000000001GiB"],
        bound: "a size goes up to 1024GiB (at network.link.queue)"),
      Row(
        before: "network: {link: {bandwidth: ", after: "}}",
        good: ["1bit/s", "0.001kbit/s", "9223372036854775807bit/s", "9223372036.854775807Gbit/s"],
        bad: ["0bit/s", "0.5bit/s", "1Mbit"], message: "a bandwidth such as 10Mbit/s (at network.link.bandwidth)",
        large: ["9223372036854775808bit/s", "9223372036.854775808Gbit/s"],
        bound: "a bandwidth goes up to 9223372036854775807bit/s (at network.link.bandwidth)"),
      Row(
        before: "network: {link: {latency: ", after: "}}", good: ["1ms", "1ms..1ms", "0s..1ms"],
        bad: ["2ms..1ms", "1ms..", "..1ms", "1..2ms", "1ms...2ms", "x..9223372036854775808ns"],
        message: "a range of durations such as 200us..1ms (at network.link.latency)",
        large: ["1ms..9223372036854775808ns", "9223372036854775808ns", "9223372036854775808ns..99999999999999s"],
        bound: "a range of durations goes up to \(longest) (at network.link.latency)"),
      Row(
        before: "network: {segments: {lan: {subnet: ", after: "}}}", good: ["10.0.0.0/8", "10.0.0.4/30"],
        bad: ["10.0.0.0/7", "10.0.0.0/31", "10.0.0.2/30", "10.0.0.0/024"],
        message: "a subnet such as 192.168.1.0/24 (at network.segments.lan.subnet)"),
      Row(
        before: "engine: {clock-drift: ", after: "}", good: ["500000ppm", "-500000ppm", "0ppm"],
        bad: ["1.5ppm", "ppm", "--1ppm", "+1ppm"],
        message: "a drift such as 100ppm or -50ppm (at engine.clock-drift)", large: ["500001ppm", "-500001ppm"],
        bound: "a drift goes up to 500000ppm either way (at engine.clock-drift)"),
      Row(
        before: "engine: {default-lease: ", after: "}", good: ["0s", "2147483647s", "1m"],
        bad: ["2147483648s", "1500ms"],
        message: "whole seconds from 0s to 2147483647s such as 3s (at engine.default-lease)"),
      Row(
        before: "timeline: [{at: 1s, search: {mx: ", after: "}}]", good: ["0s", "3600s", "1h"],
        bad: ["3601s", "500ms"], message: "whole seconds from 0s to 3600s such as 3s (at timeline[0].search.mx)"),
      Row(
        before: "inhabitants: {x: {kind: reflector, rate: ", after: "}}", good: ["0/s", "10000000/s"],
        bad: ["1/m", "0.5/s", "/s"], message: "a rate such as 100/s (at inhabitants.x.rate)", large: ["10000001/s"],
        bound: "a rate goes up to 10000000/s (at inhabitants.x.rate)"),
      Row(
        before: "expect: [{found: any, times: ", after: "}]",
        good: ["0", "1000000000", "1..1000000000", "3..3", "1..", "1000000000.."],
        bad: ["3..2", "..3", "..", "-1", "1.5", "x..1000000001"],
        message: "a count such as 12, 10..12 or 3.. (at expect[0].times)",
        large: ["1000000001", "1..1000000001", "1000000001..", "18446744073709551616"],
        bound: "a count goes up to 1000000000 (at expect[0].times)"),
      Row(
        before: "seeds: ", good: ["0..999999", "1..1000000", "18446744073709551615"], bad: ["2..1", "1..", "1.5"],
        message: "a range of seeds such as 1..200 (at seeds)",
        large: ["1..18446744073709551616", "18446744073709551616"],
        bound: "a range of seeds goes up to 18446744073709551615 (at seeds)"),
      Row(
        before: "seed: ", good: ["0", "18446744073709551615"], bad: ["-1", "007", "1.0"],
        message: "a seed such as 7 (at seed)", large: ["18446744073709551616"],
        bound: "a seed goes up to 18446744073709551615 (at seed)"),
    ])
  }

  @Test("a whole number is read at both ends of its range, and no farther")
  func wholeNumbers() {
    func row(_ before: String, _ after: String, _ range: ClosedRange<Int>, _ path: String) -> Row {
      let example = min(max(3, range.lowerBound), range.upperBound)
      return Row(
        before: before, after: after, good: ["\(range.lowerBound)", "\(range.upperBound)"],
        bad: ["\(range.lowerBound - 1)", "\(range.upperBound + 1)"],
        message: "a whole number from \(range.lowerBound) to \(range.upperBound) such as \(example) (at \(path))")
    }
    func device(_ key: String, _ range: ClosedRange<Int>) -> Row {
      row("inhabitants: {x: {kind: root-device, \(key): ", "}}", range, "inhabitants.x.\(key)")
    }
    check([
      row("network: {link: {mtu: ", "}}", 68...65_535, "network.link.mtu"),
      row("engine: {limits: {parts: ", "}}", 0...100_000_000, "engine.limits.parts"),
      device("boot-id", 0...4_294_967_295), device("port", 0...65_535), device("ttl", 0...255),
      device("repeats", 0...100), device("renewal-repeats", 0...100), device("byebye-repeats", 0...100),
      row("inhabitants: {x: {kind: flooder, devices: ", "}}", 1...100_000_000, "inhabitants.x.devices"),
      row(
        "inhabitants: {x: {kind: responder, answers-per-search: ", "}}", 0...10_000,
        "inhabitants.x.answers-per-search"),
      row("timeline: [{at: 1s, search: {broadcasts: ", "}}]", 0...1_000, "timeline[0].search.broadcasts"),
      row("expect: [{always: {devices-at-most: ", "}}]", 0...10_000_000, "expect[0].always.devices-at-most"),
      row("budget: {events: ", "}", 1...1_000_000_000, "budget.events"),
    ])
  }

  @Test("a number alone lacks its unit where there is one, and is no word where there is none")
  func bareNumbers() {
    let lacking: [(before: String, value: String, after: String, said: String)] = [
      ("duration: ", "3", "", "a duration is written such as 250ms or 3s (at duration)"),
      ("heal: ", "0.5", "", "an instant of the run is written such as 250ms or 3s (at heal)"),
      (
        "network: {link: {latency: ", "3", "}}",
        "a range of durations is written such as 200us..1ms (at network.link.latency)"
      ),
      ("network: {link: {loss: ", "3", "}}", "a share is written such as 10%, 0.5% or 1/3 (at network.link.loss)"),
      ("network: {link: {queue: ", "3", "}}", "a size is written such as 512B or 64KiB (at network.link.queue)"),
      (
        "network: {link: {bandwidth: ", "3", "}}",
        "a bandwidth is written such as 10Mbit/s (at network.link.bandwidth)"
      ),
      ("engine: {clock-drift: ", "3", "}", "a drift is written such as 100ppm or -50ppm (at engine.clock-drift)"),
      (
        "engine: {default-lease: ", "3", "}",
        "whole seconds from 0s to 2147483647s is written such as 3s (at engine.default-lease)"
      ),
      (
        "inhabitants: {x: {kind: reflector, rate: ", "3", "}}",
        "a rate is written such as 100/s (at inhabitants.x.rate)"
      ),
      (
        "inhabitants: {x: {kind: nearby-peer, data-path: ", "3", "}}",
        "a duration or none is written such as 10s or none (at inhabitants.x.data-path)"
      ),
      (
        "inhabitants: {x: {kind: reflector, appear: ", "3", "}}",
        "an appearance is written such as 0s, 1s..3s or never (at inhabitants.x.appear)"
      ),
      (
        "expect: [{found: any, after: {found: any, within: ", "3", "}}]",
        "a range of durations is written such as 3s or 1s..3s (at expect[0].after.within)"
      ),
    ]
    for (before, value, after, said) in lacking {
      expectEqual(
        errorsOfDocument(before + value + after),
        "x.yaml:2:\(before.utf8.count + 1): error: '\(value)' has no unit: \(said)")
    }
    check([
      Row(
        before: "timeline: [{at: 1s, leave: ", after: "}]", good: [], bad: ["5"],
        message: "the name of an inhabitant such as tv (at timeline[0].leave)"),
      Row(before: "tags: [", after: "]", good: [], bad: ["5"], message: "a tag such as teaches (at tags[0])"),
      Row(
        before: "expect: [{found: ", after: "}]", good: [], bad: ["5"],
        message: "a device such as tv, each, any or uuid:… (at expect[0].found)"),
      Row(
        before: "engine: {address: ", after: "}", good: [], bad: ["5"],
        message: "an address such as 192.168.1.20 or fe80::20 (at engine.address)"),
      Row(
        before: "engine: {refuses-joins: ", after: "}", good: [], bad: ["1"],
        message: "true or false such as true (at engine.refuses-joins)"),
      Row(
        before: "network: {segments: {lan: {subnet: ", after: "}}}", good: [], bad: ["10.0"],
        message: "a subnet such as 192.168.1.0/24 (at network.segments.lan.subnet)"),
      Row(
        before: "inhabitants: {x: {kind: script, lines: [{hex: ", after: "}]}}", good: ["1234"], bad: ["123"],
        message: "a payload such as 4d2d53 (at inhabitants.x.lines[0].hex)"),
      Row(
        before: "inhabitants: {x: {kind: root-device, uuid: ", after: "}}", good: [], bad: ["5"],
        message: "a UUID such as 2fac1234-31f8-41b4-a222-08002b34c003 (at inhabitants.x.uuid)"),
    ])
  }

  @Test("each unit is worth what its name says")
  func units() throws {
    for (text, nanoseconds) in [
      ("7ns", 7), ("7us", 7_000), ("7ms", 7_000_000), ("7s", 7_000_000_000), ("7m", 420_000_000_000),
      ("7h", 25_200_000_000_000), ("0.25s", 250_000_000), ("1.5m", 90_000_000_000),
      ("18446744.074s", 18_446_744_074_000_000), ("9223372036.854775807s", 9_223_372_036_854_775_807),
      ("153722867.280912930m", 9_223_372_036_854_775_800), ("2562047.788015215h", 9_223_372_036_854_774_000),
    ] as [(String, Int64)] {
      let scenario = try Scenario(yaml: "scenario: a\nduration: \(text)", file: "x")
      expectEqual(scenario.duration, .nanoseconds(nanoseconds), "\(text)")
    }
    for (text, bytes) in [
      ("7B", 7), ("7KiB", 7_168), ("7MiB", 7_340_032), ("7GiB", 7_516_192_768), ("7kB", 7_000), ("7MB", 7_000_000),
    ] {
      let scenario = try Scenario(
        yaml: "scenario: a\nengine: {receive-buffer: {bytes: \(text), per-datagram: 0s}}", file: "x")
      expectEqual(scenario.engine.host.receiveBuffer?.bytesMaximum, bytes, "\(text)")
    }
    for (text, rate) in [("7bit/s", 7), ("7kbit/s", 7_000), ("7Mbit/s", 7_000_000), ("7Gbit/s", 7_000_000_000)]
      as [(String, Int64)]
    {
      let scenario = try Scenario(yaml: "scenario: a\nnetwork: {link: {bandwidth: \(text)}}", file: "x")
      expectEqual(scenario.network.link.both.bandwidth, rate, "\(text)")
    }
    #expect(Scenario.seeds("5") == 5...5 && Scenario.seeds("1..1000000") == 1...1_000_000)
    #expect(Scenario.seeds("0..1000000") == nil && Scenario.seeds("2..1") == nil)
  }

  @Test("lists, names and lines are as long as is allowed, and no longer")
  func lengths() {
    func many(_ count: Int, _ word: (Int) -> String) -> String { (1...count).map(word).joined(separator: ", ") }
    func tags(_ count: Int) -> String { many(count) { "t\($0)" } }
    expectEqual(errorsOfDocument("tags: [\(tags(32))]"), "none")
    expectEqual(
      errorsOfDocument("tags: [\(tags(33))]"), "x.yaml:2:7: error: a list of 33, at most 32 are allowed (at tags)")
    func segments(_ count: Int) -> String { many(count) { "s\($0): {}" } }
    expectEqual(errorsOfDocument("network: {segments: {\(segments(64))}}"), "none")
    expectEqual(
      errorsOfDocument("network: {segments: {\(segments(65))}}"),
      "x.yaml:2:21: error: a network has at most 64 segments (at network.segments)")
    let name = String(repeating: "n", count: 64)
    expectEqual(errorsOfDocument("inhabitants: {\(name): {kind: reflector}}"), "none")
    expectEqual(
      errorsOfDocument("inhabitants: {\(name)n: {kind: reflector}}"),
      "x.yaml:2:15: error: '\(name.prefix(40))…' is no name: letters, digits, '-' and '_', a letter first, at "
        + "most 64 (at inhabitants)")
    check([
      Row(
        before: "inhabitants: {r: {kind: recorded, says: [{at: [0s], lines: [], line-end: ", after: "}]}}",
        good: ["abcdefgh"], bad: ["abcdefghi"],
        message: "a line end such as any of at most 8 bytes (at inhabitants.r.says[0].line-end)")
    ])
    let reason = String(repeating: "w", count: 65_536)
    expectEqual(errorsOfDocument("why: \(reason)"), "none")
    expectEqual(
      errorsOfDocument("why: \(reason)w"),
      "x.yaml:2:6: error: '\(reason.prefix(40))…' is not a text such as any of at most 65536 bytes (at why)")
    let agent = String(repeating: "a", count: 1_000)
    expectEqual(errorsOfDocument("engine: {user-agent: \(agent)}"), "none")
    expectEqual(
      errorsOfDocument("engine: {user-agent: \(agent)a}"),
      "x.yaml:2:22: error: '\(agent.prefix(40))…' is not a USER-AGENT value such as Linux/6.6 UPnP/2.0 App/1.0 "
        + "(at engine.user-agent)")
    let seeds = "error: at most 1000000 seeds (at seeds)"
    expectEqual(errorsOfDocument("seeds: 1..1000001"), "x.yaml:2:8: \(seeds)")
    expectEqual(errorsOfDocument("seeds: 0..18446744073709551615"), "x.yaml:2:8: \(seeds)")
    // Another error spares the building of so many hosts.
    let short = "x.yaml:2:11: error: a run takes longer than 0s (at duration)"
    func crowd(_ count: Int) -> String {
      errorsOfDocument("duration: 0s\ninhabitants: {x: {kind: reflector, count: \(count)}}")
    }
    expectEqual(crowd(19_999), short)
    expectEqual(crowd(20_000), short + "\nx.yaml:3:18: error: more than 20000 hosts in all (at inhabitants.x)")
  }

  @Test("what is to happen may happen at the very end of the run or at healing, and not a nanosecond later")
  func windows() {
    let over = "after the end of the run (20s)"
    let rows: [(before: String, good: String, bad: String, after: String, message: String)] = [
      ("timeline: [{at: ", "20s", "20000000001ns", ", stop: engine}]", "\(over) (at timeline[0].at)"),
      ("faults: [{at: ", "20s", "20000000001ns", ", refuse-joins: engine}]", "\(over) (at faults[0].at)"),
      ("heal: ", "20s", "20000000001ns", "", "heal comes after the end of the run (20s) (at heal)"),
      ("present: {at: ", "20s", "20000000001ns", ", count: 0}", "\(over) (at expect[0].present.at)"),
      ("found: any, at: ", "20s", "20000000001ns", "", "\(over) (at expect[0].at)"),
      ("found: any, within: ", "1s..20s", "1s..20000000001ns", "", "\(over) (at expect[0].within)"),
      (
        "inhabitants: {x: {kind: reflector, appear: ", "20s", "20000000001ns", "}}",
        "after the end of the run (at inhabitants.x.appear)"
      ),
      (
        "inhabitants: {x: {kind: reflector, appear: ", "1s..20s", "1s..20000000001ns", "}}",
        "after the end of the run (at inhabitants.x.appear)"
      ),
      (
        "faults: [{at: 2s, until: ", "2000000001ns", "2s", ", refuse-joins: engine}]",
        "not after 'at' (at faults[0].until)"
      ),
    ]
    for row in rows {
      let isExpectation = row.before.hasPrefix("present") || row.before.hasPrefix("found")
      let (before, after) = isExpectation ? ("expect: [{" + row.before, row.after + "}]") : (row.before, row.after)
      expectEqual(errorsOfDocument("\(before)\(row.good)\(after)\nduration: 20s"), "none", "\(before)")
      expectEqual(
        errorsOfDocument("\(before)\(row.bad)\(after)\nduration: 20s"),
        "x.yaml:2:\(before.utf8.count + 1): error: \(row.message)"
      )
    }
    let healed = "heal: 10s\nconverge: 50s\nfaults: [{at: 1s, until: "
    expectEqual(errorsOfDocument(healed + "10s, refuse-joins: engine}]"), "none")
    expectEqual(
      errorsOfDocument(healed + "10000000001ns, refuse-joins: engine}]"),
      "x.yaml:4:26: error: after heal (10s): the second act has no faults (at faults[0].until)")
    expectEqual(
      errorsOfDocument("converge: 1s"),
      "x.yaml:2:11: error: converge counts from heal, and there is no heal (at converge)")
    let after =
      "duration: 20s\ntimeline: [{at: 15s, id: go, stop: engine}]\n"
      + "expect: [{never: {found: any}, after: {timeline: go, within: "
    expectEqual(errorsOfDocument(after + "5s}}]"), "none")
    let beyond = "error: 6s after 'go' is beyond the end of the run (20s)"
    expectEqual(errorsOfDocument(after + "5s..6s}}]"), "x.yaml:4:62: \(beyond) (at expect[0].after.within)")
    expectEqual(
      errorsOfDocument(after + "5000000001ns..6s}}]"),
      "x.yaml:4:62: \(beyond), and so is all of this window: it can never be reached (at expect[0].after.within)")
    // What happens at the very end has no room behind it.
    let last = after.replacing("15s", with: "20s")
    expectEqual(errorsOfDocument(last + "0s}}]"), "none")
    expectEqual(
      errorsOfDocument(last + "1ns}}]"),
      "x.yaml:4:62: error: 1ns after 'go' is beyond the end of the run (20s) (at expect[0].after.within)")
  }

  @Test("the nearest word is proposed up to so many slips, the first of two that are as near")
  func nearest() {
    let keys = [
      "scenario", "version", "why", "tags", "bites", "seed", "seeds", "duration", "network", "engine", "inhabitants",
      "timeline",
      "faults", "heal", "converge", "expect", "vacuous-ok", "sweep", "budget",
    ]
    let known = "; known are " + keys.joined(separator: ", ")
    let table: [(written: String, near: String?)] = [
      ("wyh", "why"), ("wxy", "why"), ("wxx", nil), ("hael", "heal"), ("hexx", "heal"), ("hxxx", nil),
      ("durxxxon", "duration"), ("duxxxxon", nil), ("seedz", "seed"), ("w", nil), ("Heal", "heal"),
      ("engxxx", "engine"), ("enxxxx", nil), ("vacuxxxxok", "vacuous-ok"), ("vacxxxxxok", nil),
    ]
    for (written, near) in table {
      expectEqual(
        errorsOfDocument("\(written): 1"),
        "x.yaml:2:1: error: unknown key '\(written)'" + (near.map { ", did you mean '\($0)'?" } ?? known))
    }
  }
}
