import RollcallDevices
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

@Suite("Scenario YAML") struct RoundTripTests {
  @Test("a scenario reads back from its own YAML as the same value", arguments: [Samples.television, Samples.crowd])
  func roundTrip(_ text: String) throws {
    let scenario = try Scenario(yaml: text, file: "sample.yaml")
    let again = try Scenario(yaml: scenario.yaml, file: "again.yaml")
    expectEqual(again, scenario)
    expectEqual(again.yaml, scenario.yaml)
  }

  @Test("what a test writes in Swift is what the YAML says")
  func values() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: Found
        network: {link: {latency: 1ms, loss: 10%}}
        inhabitants:
          tv: {kind: root-device, profile: tv, max-age: 100s, quirks: [noBlankLine]}
        timeline:
          - {at: 1s, search: {target: "ssdp:all"}}
        faults:
          - {at: 3s, until: 4s, interface-down: {who: tv}}
        expect:
          - {found: tv, within: 0s..8s}
          - {never: {lost: any}}
        """, file: "x.yaml")
    var tv = RootDeviceSection(profile: .tv, quirks: [.noBlankLine])
    tv.maxAge = 100
    expectEqual(
      scenario,
      Scenario(
        "Found",
        network: NetworkSection(
          link: LinkSection(LinkPatch(latency: .constant(.milliseconds(1)), loss: .uniform(.percent(10))))),
        inhabitants: [InhabitantEntry("tv", .rootDevice(tv))],
        timeline: [TimelineEntry(at: .zero + .seconds(1), .search(SearchDeed(target: "ssdp:all")))],
        faults: [
          FaultEntry(
            at: .zero + .seconds(3), until: .zero + .seconds(4), .interfaceDown(who: "tv", interface: 0))
        ],
        expectations: [
          Expectation(.happens(Happens(.found(.each(["tv"])), .within(.zero...(.zero + .seconds(8)))))),
          Expectation(.never(Never(.lost(.anyone)))),
        ]))
  }

  @Test("every quirk reads back from its name and argument")
  func quirks() throws {
    for entry in Quirk.catalogue {
      let scenario = Scenario(
        "q", inhabitants: [InhabitantEntry("tv", .rootDevice(RootDeviceSection(quirks: [entry.example])))])
      try expectEqual(Scenario(yaml: scenario.yaml, file: "q"), scenario, "\(entry.name)")
    }
  }

  @Test("every switch of the engine can be planted and can be a bite")
  func switches() throws {
    for word in EngineSwitch.allCases {
      var scenario = Scenario("s", bites: .engine(word))
      try expectEqual(Scenario(yaml: scenario.yaml, file: "s"), scenario)
      scenario.engine.configuration.switches.insert(word)
      try expectEqual(Scenario(yaml: scenario.yaml, file: "s"), scenario)
      scenario.bites = nil
      expectEqual(Scenario("s", bites: .engine(word)).bitten?.engine.configuration.switches.all, [word])
    }
  }

  @Test("a new name of a device reads back as it was given")
  func rename() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: a
        inhabitants: {tv: {kind: root-device}}
        timeline: [{at: 1s, rename: {who: tv, to: New name}}]
        """, file: "x")
    expectEqual(
      scenario.timeline, [TimelineEntry(at: .zero + .seconds(1), .act(who: "tv", .rename(to: "New name")))])
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x"), scenario)
  }

  @Test("texts that YAML would take for something else survive")
  func texts() throws {
    for text in [
      "true", "0x10", "~", "a: b", "a #b", "- x", "\"", "'", "\\", "a\tb", "ä€😀", "[", "{", "*a", "&a", "!a", "%a", "@",
      "`", "a:", ":a", "a  b", "x\u{85}y", "x\u{2028}y", "x\u{A0}", "123", "1e3", ",", "?", "|", ">",
    ] {
      var scenario = Scenario(text.contains("\t") ? "t" : text)
      scenario.why = text
      try expectEqual(Scenario(yaml: scenario.yaml, file: "t"), scenario, "\(text)")
    }
    var scenario = Scenario("t", why: "two\nlines\n")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "t"), scenario)
    scenario.why = ""
    expectEqual(scenario.yaml, "scenario: t\n")
  }

  @Test("shares keep the integers that they were written with")
  func ratios() throws {
    for ratio in [Ratio(1, in: 3), Ratio(1, in: 10), .percent(10), Ratio(5, in: 1_000), .always, Ratio(100, in: 100)] {
      let scenario = Scenario("r", network: NetworkSection(link: LinkSection(LinkPatch(duplicate: ratio))))
      try expectEqual(Scenario(yaml: scenario.yaml, file: "r"), scenario, "\(ratio)")
    }
  }

  @Test("a scalar is read as written: no octal, no base 60, no float")
  func scalars() throws {
    func duration(_ text: String) -> Interval? {
      try? Scenario(yaml: "scenario: a\nduration: \(text)", file: "x").duration
    }
    expectEqual(duration("9.1s"), .milliseconds(9_100))
    expectEqual(duration("0.5ms"), .microseconds(500))
    expectEqual(duration("1.5ns"), nil)
    expectEqual(duration("12:30"), nil)
    expectEqual(duration("1_000s"), nil)
    expectEqual(duration("010s"), nil)
    expectEqual(duration("-3s"), nil)
    expectEqual(duration("99999999999h"), nil)
    expectEqual(duration("3 s"), nil)
  }
}
