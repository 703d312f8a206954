import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

/// Numbers of radios and peripherals exactly at their bounds and one beyond, and what happens at one instant.
@Suite("Radios of scenarios at their bounds") struct RadioBoundTests {
  /// Where a value stands, what may stand there, and what is said of what may not.
  private struct Row {
    var keys: [String]
    var good: [String]
    var bad: [String] = []
    var form = ""
    var large: [String] = []
    var bound = ""

    var isOfAir: Bool { keys[0] == "network" }
    var before: String {
      (isOfAir ? "" : "inhabitants: {x: {kind: peripheral, ") + keys.map { $0 + ": " }.joined(separator: "{")
    }
    var after: String { String(repeating: "}", count: keys.count - 1) + (isOfAir ? "" : "}}") }
    var path: String { (isOfAir ? "" : "inhabitants.x.") + keys.joined(separator: ".") }
  }

  @Test("powers, places, shares of the air and sizes are taken up to their bounds and no farther")
  func numbers() {
    let power = "a power such as -95dBm or 4dBm"
    let powers = "a power goes up to 30dBm, down to -127dBm"
    let whole = "a whole number from"
    let rows: [Row] = [
      Row(
        keys: ["radio", "transmit-power"], good: ["-127dBm", "-1dBm", "0dBm", "30dBm"],
        bad: ["1.5dBm", "dBm", "--1dBm", "+1dBm"], form: power, large: ["31dBm", "-128dBm", "1001dBm", "-1001dBm"],
        bound: powers),
      Row(keys: ["radio", "sensitivity"], good: ["-127dBm", "30dBm"], large: ["-128dBm", "31dBm"], bound: powers),
      Row(
        keys: ["radio", "position", "east"],
        good: ["100km", "-100km", "0m", "1mm", "-1mm", "100000000mm", "-0.001m"],
        bad: ["0.5mm", "+1m", "--1m", "1.0000000001m"], form: "a length such as 3m, -50cm or 1.5m",
        large: ["100000001mm", "-100000001mm", "100.000001km"], bound: "a length goes up to 100km either way"),
      Row(
        keys: ["network", "air", "capture"], good: ["0dB", "100dB"], bad: ["1.5dB"],
        form: "a ratio of powers such as 21dB", large: ["101dB", "-1dB"],
        bound: "a ratio of powers goes up to 100dB, down to 0dB"),
      Row(
        keys: ["network", "air", "shadowing"], good: ["0dB", "0.001dB", "30dB"], bad: ["0.0001dB", "-1dB"],
        form: "a deviation such as 4dB or 2.5dB", large: ["30.001dB", "31dB"], bound: "a deviation goes up to 30dB"),
      Row(
        keys: ["network", "air", "path-loss-exponent"], good: ["1", "1.0", "2.5", "6", "6.0"],
        bad: ["0.9", "6.1", "2.55", "0", "7", "-2"], form: "an exponent from 1 to 6 such as 2 or 2.5"),
      Row(keys: ["mtu"], good: ["23", "517"], bad: ["22", "518"], form: "\(whole) 23 to 517 such as 23"),
      Row(keys: ["connections"], good: ["1", "8"], bad: ["0", "9"], form: "\(whole) 1 to 8 such as 3"),
      Row(keys: ["appearance"], good: ["0", "65535"], bad: ["65536", "-1"], form: "\(whole) 0 to 65535 such as 3"),
      Row(
        keys: ["flags"], good: ["0", "255", "none"], bad: ["-1", "0x06"], form: "flags such as 6 or none",
        large: ["256"], bound: "flags goes up to 255"),
    ]
    for row in rows {
      for value in row.good {
        expectEqual(errorsOfDocument(row.before + value + row.after), "none", "\(row.before)\(value)")
      }
      let said = row.bad.map { ($0, "is not \(row.form)") } + row.large.map { ($0, "is too large: \(row.bound)") }
      for (value, words) in said {
        expectEqual(
          errorsOfDocument(row.before + value + row.after),
          "x.yaml:2:\(row.before.utf8.count + 1): error: '\(value)' \(words) (at \(row.path))")
      }
    }
  }

  @Test("times of advertising, of private addresses and of scanning are taken at both of their bounds")
  func times() {
    func peripheral(_ keys: String) -> String { errorsOfDocument("inhabitants: {x: {kind: peripheral, \(keys)}}") }
    func scan(_ keys: String) -> String { errorsOfDocument("engine: {scan: {\(keys)}}") }
    for good in ["20ms", "10240ms"] {
      expectEqual(peripheral("interval: \(good)"), "none")
      expectEqual(peripheral("fast: {interval: \(good), for: 0s}"), "none")
    }
    for bad in ["19999999ns", "10240000001ns"] {
      let said = "error: \(bad) is not from 20ms to 10240ms (at inhabitants.x.interval)"
      #expect(peripheral("interval: \(bad)").hasSuffix(said))
    }
    expectEqual(peripheral("rotates: 1s"), "none")
    #expect(peripheral("rotates: 999999999ns").contains("an address is kept for at least 1s"))
    for (window, interval) in [("2500us", "2500us"), ("10240ms", "10240ms"), ("3ms", "4ms")] {
      expectEqual(scan("window: \(window), interval: \(interval)"), "none")
    }
    #expect(scan("window: 2499999ns").contains("2499999ns is not from 2500us to 10240ms (at engine.scan.window)"))
    #expect(scan("interval: 10240000001ns").contains("is not from 2500us to 10240ms (at engine.scan.interval)"))
    #expect(
      scan("window: 4000001ns, interval: 4ms").contains("a window of 4000001ns does not fit into an interval of 4ms"))
  }

  private func radio(_ yaml: String) throws -> RadioHostPlan {
    let text = "scenario: a\nduration: 20s\ninhabitants: {tag: {kind: peripheral}, other: {kind: peripheral}}\n" + yaml
    return try #require(try Scenario(yaml: text, file: "x.yaml").resolved().radio?.radios[1])
  }

  @Test("a radio is off as long as one fault keeps it off, and one that begins where another ends goes on with it")
  func switches() throws {
    func switched(_ faults: [(at: String, until: String?)], _ rest: String = "") throws -> String {
      let lines = faults.map { fault in
        "  - {at: \(fault.at), radio-off: tag" + (fault.until.map { ", until: \($0)" } ?? "") + "}\n"
      }
      // What is done to somebody else's radio is nothing to this one.
      let other = "  - {at: 1s, until: 19s, radio-off: other}\n"
      return try radio("faults:\n\(lines.joined())\(other)\(rest)").switches
        .map { "\($0.isOn ? "on" : "off") \(($0.at - Instant.zero).description)" }.joined(separator: ", ")
    }
    try expectEqual(switched([]), "")
    try expectEqual(switched([("1s", "2s")]), "off 1s, on 2s")
    try expectEqual(switched([("1s", nil)]), "off 1s")
    for order in [[0, 1], [1, 0]] {
      let meeting: [(at: String, until: String?)] = [("1s", "2s"), ("2s", "3s")]
      try expectEqual(switched(order.map { meeting[$0] }), "off 1s, on 3s")
      let apart: [(at: String, until: String?)] = [("1s", "2s"), ("2000000001ns", "3s")]
      try expectEqual(switched(order.map { apart[$0] }), "off 1s, on 2s, off 2000000001ns, on 3s")
      let within: [(at: String, until: String?)] = [("1s", "5s"), ("2s", "3s")]
      try expectEqual(switched(order.map { within[$0] }), "off 1s, on 5s")
      let together: [(at: String, until: String?)] = [("1s", "2s"), ("1s", "3s")]
      try expectEqual(switched(order.map { together[$0] }), "off 1s, on 3s")
    }
    // What has no end heals.
    try expectEqual(switched([("1s", nil), ("2s", "4s")], "heal: 19s\n"), "off 1s, on 19s")
  }

  @Test("walks come in order of time, at one instant in that of the timeline, and nobody is on two at a time")
  func walks() throws {
    func walked(_ entries: [String]) throws -> [String] {
      try radio("timeline:\n" + entries.map { "  - {\($0)}\n" }.joined()).walks.map { walk in
        "\((walk.start - Instant.zero).description) for \(walk.duration) to \(walk.to.x)"
      }
    }
    func walk(_ at: String, _ east: Int, over: String = "0s", who: String = "tag") -> String {
      "at: \(at), walk: {who: \(who), to: {east: \(east)mm}, over: \(over)}"
    }
    try expectEqual(
      walked([
        walk("5s", 1), walk("2s", 2, over: "3s"), walk("5s", 3), walk("1s", 4, over: "1s"), walk("5s", 9, who: "other"),
      ]),
      ["1s for 1s to 4", "2s for 3s to 2", "5s for 0s to 1", "5s for 0s to 3"])
    func refused(_ entries: [String]) -> String {
      var text = "none"
      do { _ = try walked(entries) } catch { text = "\(error)" }
      return text
    }
    // Whichever stands first in the document.
    let (long, late) = (walk("1s", 1, over: "4000000001ns"), walk("5s", 2))
    #expect(refused([long, late]).contains("'tag' is still walking then, until 5000000001ns (at timeline[1].walk)"))
    #expect(refused([late, long]).contains("'tag' is still walking then, until 5000000001ns (at timeline[0].walk)"))
    // Of two that begin together the second one is in the way where the first takes time.
    let (first, second) = (walk("1s", 1, over: "1ns"), walk("1s", 2))
    #expect(refused([first, second]).contains("until 1000000001ns (at timeline[1].walk)"))
    expectEqual(refused([second, first]), "none")
    expectEqual(refused([long, walk("5s", 2, who: "other")]), "none")
  }
}
