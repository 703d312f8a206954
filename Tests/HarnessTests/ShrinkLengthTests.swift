import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallRunning
import RollcallScenarios
import Testing

/// How short a run gets and with how many tries, what its new end takes along, and which search a count is of.
@Suite("Lengths of shrunk runs")
struct ShrinkLengthTests {
  private static let tv = "inhabitants: {tv: {kind: root-device}}\n"

  private static func scenario(_ length: String, _ body: String) throws -> Scenario {
    try Scenario(yaml: "scenario: Small\nduration: \(length)\n" + body, file: "small.yaml")
  }

  private func shrunk(_ length: String, _ body: String, _ fault: EngineSwitch?) throws -> Shrinker.Outcome {
    let options = Shrinker.Options(seed: 1, fault: fault.map { .engine($0) })
    var shrinker = try Shrinker(try Self.scenario(length, body), options: options)
    return shrinker.shrink()
  }

  /// The first time that a step was taken: how often it was tried, and how often what it tried was kept.
  private func tries(_ name: String, _ outcome: Shrinker.Outcome) -> String {
    outcome.passes.first { $0.name == name }.map { "\($0.tried) \($0.kept)" } ?? "none"
  }

  @Test("the shortest of an eighth, a half, three quarters, nine tenths and a second behind the last deed is taken")
  func lengths() throws {
    // A run is as long as it has to be from its deed on: up to a tenth of a second, or a whole one from ten on.
    let cases: [(length: String, deed: String, left: Interval, tries: String)] = [
      ("83s", "80500ms", .seconds(82), "8 1"), ("10s", "1s", .seconds(1), "7 2"),
      ("20s", "5s", .milliseconds(5_400), "10 2"), ("40s", "5s", .seconds(5), "5 1"),
      ("43s", "21500ms", .seconds(22), "6 1"), ("100s", "10500ms", .seconds(11), "9 2"),
      ("8000000008ns", "1050ms", .milliseconds(1_100), "5 1"),
    ]
    for one in cases {
      let outcome = try shrunk(
        one.length, Self.tv + "timeline: [{at: \(one.deed), leave: tv}]\nexpect: [{lost: tv}]", .byebyeIgnored)
      expectEqual(outcome.scenario.duration, one.left, "\(one.length)")
      expectEqual(tries("time", outcome), one.tries, "\(one.length)")
    }
  }

  @Test("a run that fails at a moment is tried up to that moment, and never with no length at all")
  func moments() throws {
    let late = try shrunk(
      "20s", Self.tv + "timeline: [{at: 7250ms, leave: tv}]\nexpect: [{never: {lost: tv}}]", nil)
    #expect(late.scenario.duration == .milliseconds(7_300) && tries("time", late) == "6 1")
    let early = try shrunk(
      "20s", "inhabitants: {tv: {kind: root-device, start-jitter: 0s}}\nexpect: [{never: {found: tv}}]", nil)
    #expect(early.scenario.duration == .milliseconds(100) && tries("time", early) == "3 3")
  }

  @Test("what happens at the very end of a shorter run stays: a deed, a fault, and a window that begins there")
  func ends() throws {
    let leaves = "timeline: [{at: 5s, leave: tv}]\n"
    let deed = try shrunk("40s", Self.tv + leaves + "expect: [{lost: tv, within: 5s..9s}]", .byebyeIgnored)
    let fault = "faults: [{at: 9s, interface-down: {who: engine}}]\nexpect: [{lost: tv}]"
    let down = try shrunk("20s", Self.tv + fault, .interfaceDownIgnored)
    for (outcome, length, body, planted, tried) in [
      (deed, "5s", leaves + "expect: [{lost: tv, at: 5s}]", "byebyeIgnored", "5 1"),
      (down, "9s", fault, "interfaceDownIgnored", "10 2"),
    ] {
      let left = try Self.scenario(length, Self.tv + body + "\nbites: engine.\(planted)")
      expectEqual(outcome.scenario.document.flow, left.document.flow)
      expectEqual(tries("time", outcome), tried, "\(planted)")
    }
  }

  @Test("a list of four or more is thinned by halves before its items go one by one; a shorter one is not")
  func lists() throws {
    let habits = ["noExt", "noHost", "lfOnly", "titleCaseNames"]
    for (count, tried) in [(3, "4 2"), (4, "6 2"), (5, "7 3")] {
      let list = (habits.prefix(count - 1) + ["noServer"]).joined(separator: ", ")
      let outcome = try shrunk(
        "20s", "inhabitants: {tv: {kind: root-device, quirks: [\(list)]}}\nexpect: [{found: tv}]", .requiresServer)
      let left = try Self.scenario(
        "100ms",
        "inhabitants: {tv: {kind: root-device, quirks: [noServer]}}\nexpect: [{found: tv}]\n"
          + "bites: engine.requiresServer")
      expectEqual(outcome.scenario.document.flow, left.document.flow, "\(count)")
      expectEqual(tries("keys", outcome), tried, "\(count)")
    }
  }

  @Test("services are counted in the search that is asked for, or in the first that ends")
  func searches() throws {
    let three = "inhabitants: {tv: {kind: root-device, count: 3}}\n"
    let both =
      "timeline:\n  - {at: 1s, search: {id: 5, target: ssdp:all, mx: 1s}}\n"
      + "  - {at: 9s, search: {id: 6, target: upnp:rootdevice, mx: 1s}}\n"
    let cases: [(expect: String, kind: String, length: String, left: String)] = [
      (
        "expect: [{search-ended: {search: 6, services: 5}}]", "too few services, off by 2", "13s",
        "timeline: [{at: 1s, search: {}}, {at: 9s, search: {id: 6, target: upnp:rootdevice, mx: 1s}}]\n"
      ),
      (
        "expect: [{search-ended: {services: 5}}]", "too many services, off by 7", "4100ms",
        "timeline: [{at: 1s, search: {mx: 1s}}]\n"
      ),
    ]
    for one in cases {
      let outcome = try shrunk("20s", three + both + one.expect, nil)
      let left = try Self.scenario(one.length, three + one.left + one.expect)
      expectEqual(outcome.kind.description, one.kind)
      expectEqual(outcome.scenario.document.flow, left.document.flow, "\(one.kind)")
    }
  }

  @Test("a new count is of the same search, and a bound on the entries of a run stays as it was written")
  func recounted() throws {
    let odd = "odd: {kind: root-device, quirks: [opaqueTarget(abc), substringMatch]}"
    let asks = "{at: 9s, search: {id: 6, target: ab, mx: 1s}}"
    let leaves = "timeline: [{at: 5s, leave: tv-2}]\n"
    let cases: [(body: String, fault: EngineSwitch, length: String, left: String)] = [
      (
        "inhabitants:\n  good: {kind: root-device, count: 2, quirks: [opaqueTarget(ab)]}\n  \(odd)\n"
          + "timeline: [{at: 2s, search: {id: 5, target: upnp:rootdevice, mx: 1s}}, \(asks)]\n"
          + "expect: [{search-ended: {search: 6, services: 2}}]", .substringTarget, "13s",
        "inhabitants: {\(odd)}\ntimeline: [\(asks)]\nexpect: [{search-ended: {search: 6, services: 0}}]"
      ),
      (
        "budget: {entries: 5000}\ninhabitants: {tv: {kind: root-device, count: 3}}\n\(leaves)"
          + "expect: [{present: {at: 15s, count: 2}}]", .byebyeIgnored, "5400ms",
        "budget: {entries: 5000}\ninhabitants: {tv: {kind: root-device, count: 2}}\n\(leaves)"
          + "expect: [{present: {at: 5400ms, count: 1}}]"
      ),
    ]
    for one in cases {
      let outcome = try shrunk("20s", one.body, one.fault)
      let left = try Self.scenario(one.length, one.left + "\nbites: engine.\(one.fault.rawValue)")
      expectEqual(outcome.scenario.document.flow, left.document.flow, "\(one.fault)")
    }
  }

  @Test("a search without inhabitants is stopped as long as the failure is about searches")
  func stopped() throws {
    let outcome = try shrunk(
      "20s",
      Self.tv + "timeline: [{at: 5s, search: {id: 1, mx: 9s}}, {at: 6s, stop-search: 1}, {at: 7s, leave: tv}]\n"
        + "expect: [{search-ended: {stopped: false}}]", nil)
    let left = try Self.scenario(
      "20s",
      "timeline: [{at: 5s, search: {}}, {at: 6s, stop-search: 1}]\nexpect: [{search-ended: {stopped: false}}]")
    expectEqual(outcome.scenario.document.flow, left.document.flow)
    expectEqual(outcome.removed, ["1 of 1 inhabitants: tv", "1 of 3 entries of the timeline"])
  }
}
