import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation

extension FuzzTarget {
  /// A scenario in YAML: decoding never traps; what is refused is refused at a place in the text, at most so often as
  /// declared; what is taken prints as YAML that reads back equal, and is resolved or refused without a trap.
  package static let scenario = FuzzTarget(name: "scenario", dictionary: words, seeds: seeds) {
    (bytes: [UInt8]) throws(FuzzFinding) in
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.utf8.reduce(1) { $0 + ($1 == 0x0A || $1 == 0x0D ? 1 : 0) } + text.unicodeScalars.count(of: ends)
    let scenario: Scenario
    do throws(ScenarioErrors) {
      scenario = try Scenario(yaml: text, file: "fuzz.yaml")
    } catch {
      try expect((1...ScenarioErrors.countMaximum).contains(error.errors.count), "\(error.errors.count) errors")
      var last = (0, 0)
      for one in error.errors {
        try expect((0...(lines + 1)).contains(one.line), "line \(one.line) of \(lines): \(one)")
        try expect(!one.message.isEmpty && one.file == "fuzz.yaml", "an error without a message or file")
        try expect((one.line, one.column) >= last, "errors out of order: \(error)")
        last = (one.line, one.column)
      }
      return
    }
    try again(scenario)
  }

  private static func again(_ scenario: Scenario) throws(FuzzFinding) {
    let printed = scenario.yaml
    let second: Scenario
    do throws(ScenarioErrors) {
      second = try Scenario(yaml: printed, file: "printed.yaml")
    } catch {
      throw FuzzFinding("printed, it is refused: \(error)\n\(printed)")
    }
    try expect(second == scenario, "printed, it reads differently:\n\(printed)")
    try expect(second.yaml == printed, "printed twice, it is another text:\n\(printed)")
    do throws(ScenarioErrors) {
      let resolved = try scenario.resolved()
      try found(resolved.hosts.count == resolved.plan.hosts.count, "hosts and their plans differ in number")
    } catch {
      throw FuzzFinding("what was checked cannot be resolved: \(error)")
    }
  }

  private static func found(_ condition: Bool, _ what: String) throws(ScenarioErrors) {
    if condition { return }
    throw ScenarioErrors([ScenarioError(file: "", line: 0, column: 0, message: what)])
  }

  /// Line ends of YAML that are no ASCII.
  private static let ends: [Unicode.Scalar] = ["\u{85}", "\u{2028}", "\u{2029}"]

  private static let words = [
    "scenario: ", "why: ", "tags: [", "bites: ", "seed: ", "seeds: 1..4", "duration: ", "network:", "segments:",
    "engine:", "inhabitants:", "timeline:", "faults:", "heal: ", "converge: ", "expect:", "vacuous-ok:", "sweep:",
    "budget:", "\n  ", "\n- ", ": ", "{", "}", "[", "]", ", ", "kind: root-device", "profile: tv",
    "quirks: [", "count: ", "at: ", "10s", "100ms", "1%", "found: ", "lost: ", "within: ", "never: ", "present: ",
    "leave", "search: ", "rejected: any", "times: ",
    "'", "\"", "&a", "*a", "!!str", "|", ">", "#", "---", "null", "~", "<<", "é", "\t", "loss: ", "latency: ",
  ]

  private static let seeds = [
    "scenario: nothing\n",
    """
    scenario: A TV that leaves is lost
    why: >-
      because
      it does
    tags: [teaches, ssdp]
    bites: engine.byebyeIgnored
    seeds: 1..3
    duration: 30s
    inhabitants:
      tv: {kind: root-device, profile: tv}
      second: {kind: root-device, quirks: [noJitter]}
    timeline:
      - {at: 10s, tv: leave}
      - {at: 5s, search: {id: 1, mx: 2s, broadcasts: 1, host: tv}}
    expect:
      - {lost: tv, at: 10s}
      - {found: each, times: 1}
      - {never: {rejected: any}}

    """,
    "scenario: x\nnetwork: {link: {loss: 10%, latency: 1ms..5ms}}\nsweep: {network.link.loss: [0%, 5%]}\n",
    "scenario: 'a\n  b'\nwhy: |\n  one\n  two\n", "a: &x 1\nb: *x\n", "{", "- 1\n- 2\n",
  ].map { Array($0.utf8) }
}

extension String.UnicodeScalarView {
  fileprivate func count(of wanted: [Unicode.Scalar]) -> Int { reduce(0) { $0 + (wanted.contains($1) ? 1 : 0) } }
}
