import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallTrace
import Testing

@testable import RollcallReducing
@testable import RollcallScenarios

/// The document that a shrinker takes apart: which keys may go, and what goes along with them.
@Suite("Documents that are taken apart")
struct ShrinkDocumentTests {
  private static func tree(_ yaml: String) throws -> Tree {
    switch Composer.tree(of: yaml) {
    case .success(let tree): return tree
    case .failure: return try #require(nil, "this is no YAML: \(yaml)")
    }
  }

  private static func paths(_ paths: [TreePath]) -> [String] { paths.map(\.description) }

  // MARK: Keys

  @Test("lists of four and more are halved, but for those that have steps of their own")
  func longLists() throws {
    let document = try Self.tree(
      """
      network: {rules: [1, 2, 3, 4], few: [1, 2, 3]}
      engine: {lines: [1, 2, 3, 4], deep: {lists: [{a: [1, 2, 3, 4]}, 2, 3, 4]}}
      inhabitants:
        tv: {lines: [1, 2, 3, {quirks: [1, 2, 3, 4]}], says: [1, 2, 3, 4], answers: [1, 2, 3, 4], quirks: [1, 2, 3, 4]}
        says: {sets: {lines: [1, 2, 3, 4]}}
      timeline: [1, 2, 3, 4]
      """)
    expectEqual(
      Self.paths(Keys.longLists(document)),
      [
        "network.rules", "engine.lines", "engine.deep.lists[0].a", "engine.deep.lists",
        "inhabitants.tv.lines[3].quirks", "inhabitants.tv.quirks", "inhabitants.says.sets.lines",
      ])
    #expect(Keys.longLists(try Self.tree("scenario: a")).isEmpty)
  }

  @Test("keys may go from the outside in, but for those that make a thing what it is")
  func removable() throws {
    let document = try Self.tree(
      """
      scenario: a
      duration: 20s
      network: {loss: 1%}
      inhabitants:
        tv: {kind: root-device, max-age: 9s, quirks: [a, b]}
        box: {kind: script, lines: [{at: 1s, text: a, to: tv}], sets: {all: [{nt: x}]}}
      timeline: [{at: 1s, leave: tv}]
      faults: [{at: 1s, until: 2s, who: [tv]}]
      expect: [{lost: {any-of: [tv, box]}, at: 9s}, {lost: {any-of: [a, b]}}]
      """)
    expectEqual(
      Self.paths(Keys.removable(document)),
      [
        "network", "network.loss", "inhabitants.tv.max-age", "inhabitants.tv.quirks", "inhabitants.tv.quirks[0]",
        "inhabitants.tv.quirks[1]", "inhabitants.box.lines", "inhabitants.box.lines[0].to", "inhabitants.box.sets",
        "inhabitants.box.sets.all", "inhabitants.box.sets.all[0]", "inhabitants.box.sets.all[0].nt",
        "timeline[0].leave", "faults[0].until", "faults[0].who", "faults[0].who[0]", "expect[0].lost.any-of[0]",
        "expect[0].lost.any-of[1]",
      ])
  }

  @Test("names of an expectation may go one by one while there are two, wherever they stand")
  func names() throws {
    func names(_ expect: String) throws -> [String] { Self.paths(Keys.removable(try Self.tree("expect: [\(expect)]"))) }
    try expectEqual(
      names("{present: {at: 5s, devices: [a, b, c]}}"), (0..<3).map { "expect[0].present.devices[\($0)]" })
    try expectEqual(
      names("{found: {each-of: [a, b]}, times: [1, 2]}"), (0..<2).map { "expect[0].found.each-of[\($0)]" })
    #expect(try names("{found: {each-of: [a]}}").isEmpty && names("{found: each}").isEmpty && names("").isEmpty)
    try expectEqual(names("{never: {lost: {any-of: [a, b]}}}"), (0..<2).map { "expect[0].never.lost.any-of[\($0)]" })
  }

  // MARK: References

  private static func flow(_ tree: Tree) -> String { tree.flow }

  @Test("with an inhabitant goes what is said of it and of its members, and of nobody with a like name")
  func withoutInhabitants() throws {
    func left(_ range: Range<Int>, _ yaml: String) throws -> String {
      References.withoutInhabitants(try Self.tree(yaml), range).flow
    }
    let other = "timeline: [{at: 1s, leave: lamp-1}, {at: 1s, leave: lamp-2}, {at: 1s, leave: lamp-3}]"
    // Without a number it has no members, and one member has the bare name.
    for count in ["", ", count: 1"] {
      let before = "inhabitants: {lamp: {kind: a\(count)}, tv: {kind: a}}\n\(other)"
      try expectEqual(left(0..<1, before), Self.tree("inhabitants: {tv: {kind: a}}\n\(other)").flow)
    }
    let two = "inhabitants: {lamp: {kind: a, count: 2}, tv: {kind: a}}\n\(other)"
    let third = "inhabitants: {tv: {kind: a}}\ntimeline: [{at: 1s, leave: lamp-3}]"
    try expectEqual(left(0..<1, two), Self.tree(third).flow)
    try expectEqual(
      left(1..<2, "inhabitants: {lamp: {kind: a}, tv: {kind: a}}"), Self.tree("inhabitants: {lamp: {kind: a}}").flow)
    try expectEqual(left(0..<1, "inhabitants: {lamp: {kind: a}}\nduration: 1s"), Self.tree("duration: 1s").flow)
    try expectEqual(left(0..<1, "duration: 1s"), Self.tree("duration: 1s").flow)
  }

  @Test("a fault goes with the last name of a list, and one that never had a name stays")
  func prunedFaults() throws {
    let before = """
      inhabitants: {lamp: {kind: a}, tv: {kind: a}}
      faults: [{at: 1s, from: [lamp], to: [tv]}, {at: 2s, from: [lamp, tv], to: []}, {at: 3s, id: lamp, until: lamp}]
      """
    let after = """
      inhabitants: {tv: {kind: a}}
      faults: [{at: 2s, from: [tv], to: []}, {at: 3s, id: lamp, until: lamp}]
      """
    try expectEqual(References.withoutInhabitants(Self.tree(before), 0..<1).flow, Self.tree(after).flow)
  }

  @Test("messages to an inhabitant that goes go, and its name in lists; what it is called elsewhere stays")
  func prunedLists() throws {
    let before = """
      inhabitants:
        lamp: {kind: a}
        box: {lines: [{text: a, to: lamp}, {text: b, to: tv}, {text: lamp, host: lamp}, {text: lamp}, {to: {x: 1}}]}
        foe: {victims: [lamp, tv], name: lamp}
      expect: [{present: [lamp, tv], id: lamp}]
      """
    let after = """
      inhabitants:
        box: {lines: [{text: b, to: tv}, {text: lamp}, {to: {x: 1}}]}
        foe: {victims: [tv], name: lamp}
      expect: [{present: [tv], id: lamp}]
      """
    try expectEqual(References.withoutInhabitants(Self.tree(before), 0..<1).flow, Self.tree(after).flow)
  }

  @Test("what the timeline sends is numbered anew where messages in front of it go, and goes with its own")
  func withoutLines() throws {
    let path = try #require(TreePath("inhabitants.box.lines"))
    func left(_ range: Range<Int>, _ sends: String) throws -> String {
      let before = try Self.tree("inhabitants: {box: {lines: [a, b, c, d]}}\ntimeline: [\(sends)]")
      return References.withoutLines(before, of: "box", path, range)["timeline"]?.flow ?? "none"
    }
    func sends(_ scripts: [Int], _ who: String = "box") -> String {
      scripts.map { "{at: 1s, send: {who: \(who), script: \($0)}}" }.joined(separator: ", ")
    }
    func flow(_ text: String) throws -> String { try Self.tree("[\(text)]").flow }
    try expectEqual(left(1..<3, sends([0, 1, 2, 3])), flow(sends([0, 1])))
    try expectEqual(left(0..<1, sends([0, 1])), flow(sends([0])))
    try expectEqual(left(3..<4, sends([0, 1, 2, 3])), flow(sends([0, 1, 2])))
    try expectEqual(left(0..<4, sends([0, 3])), "none")
    try expectEqual(left(0..<2, sends([0, 3], "other")), flow(sends([0, 3], "other")))
    try expectEqual(
      left(0..<1, "{at: 1s, leave: box}, {at: 1s, send: {who: box}}"),
      flow("{at: 1s, leave: box}, {at: 1s, send: {who: box}}"))
    let document = try Self.tree("inhabitants: {box: {lines: [a, b, c, d]}}")
    try expectEqual(
      References.withoutLines(document, of: "box", path, 1..<3).flow,
      Self.tree("inhabitants: {box: {lines: [a, d]}}").flow)
    try expectEqual(
      References.withoutLines(document, of: "box", path, 0..<4).flow, Self.tree("inhabitants: {box: {}}").flow)
  }

  @Test("a host with one interface is spoken of without their numbers; a host that has one already is left alone")
  func withOneInterface() throws {
    let faults = "faults: [{at: 1s, down: {who: tv, interface: 1}}]"
    let both = try Self.tree("engine: {interfaces: [a, b]}\ninhabitants: {tv: {interfaces: [a, b], x: 1}}\n\(faults)")
    let without = "faults: [{at: 1s, down: {who: tv}}]"
    try expectEqual(
      References.withOneInterface(both, "engine").flow,
      Self.tree("engine: {}\ninhabitants: {tv: {interfaces: [a, b], x: 1}}\n\(without)").flow)
    try expectEqual(
      References.withOneInterface(both, "tv").flow,
      Self.tree("engine: {interfaces: [a, b]}\ninhabitants: {tv: {x: 1}}\n\(without)").flow)
    expectEqual(References.withOneInterface(both, "lamp").flow, both.flow)
  }

  @Test("of several members the last one has the bare name, and nothing else is renamed")
  func counted() throws {
    let before = try Self.tree(
      """
      inhabitants: {lamp: {kind: a, count: 3}, lamp-shade: {kind: a}}
      timeline: [{at: 1s, leave: lamp-3}, {at: 2s, leave: lamp-shade}, {at: 1000000, leave: lamp}, {at: 3s, who: lamp-}]
      expect: [{lost: lamp-2, times: 1000000}]
      """)
    try expectEqual(
      References.counted(before, "lamp", 1).flow,
      Self.tree(
        """
        inhabitants: {lamp: {kind: a}, lamp-shade: {kind: a}}
        timeline: [{at: 1s, leave: lamp}, {at: 2s, leave: lamp-shade}, {at: 1000000, leave: lamp}, {at: 3s, who: lamp-}]
        expect: [{lost: lamp, times: 1000000}]
        """
      ).flow)
    expectEqual(
      References.counted(before, "lamp", 2).flow, before.flow.replacingFirst("count: 3", with: "count: 2"))
  }

  // MARK: What an expectation speaks of

  @Test("deeds about what is expected are touched: searches, somebody by name or as a member, or everybody")
  func touches() throws {
    func touched(_ spoken: SpokenOf) throws -> [Bool] {
      try [
        "{at: 1s, search: {}}", "{at: 1s, stop-search: 1}", "{at: 1s, leave: lamp}", "{at: 1s, leave: lamp-2}",
        "{at: 1s, send: {who: lamp}}", "{at: 1s, leave: tv}", "{at: 1s, id: lamp, leave: tv}", "{lamp: lampion}",
      ].map { spoken.touches(try Self.tree($0)) }
    }
    try expectEqual(
      touched(SpokenOf(names: nil, isAboutSearches: false)), [false, false] + Array(repeating: true, count: 6))
    try expectEqual(touched(SpokenOf(names: nil, isAboutSearches: true)), Array(repeating: true, count: 8))
    try expectEqual(
      touched(SpokenOf(names: ["lamp"], isAboutSearches: true)), [true, true, true, true, true, false, false, false])
    try expectEqual(
      touched(SpokenOf(names: ["lamp-2"], isAboutSearches: false)),
      [false, false, true, true, true, false, false, false])
  }

  @Test("an expectation speaks of its names that are known, and of searches by what it asks")
  func spokenOf() throws {
    func spoken(_ expect: String) throws -> SpokenOf {
      let scenario = try Scenario(
        yaml: """
          scenario: Small
          duration: 20s
          inhabitants: {tv: {kind: root-device}, lamp: {kind: root-device, count: 2}}
          timeline: [{at: 2s, search: {mx: 1s}}]
          expect: [\(expect)]
          """, file: "a.yaml")
      return try Shrinker(scenario, options: Shrinker.Options(seed: 1)).spokenOf
    }
    func isAbout(_ expect: String, _ names: [String]?, searches: Bool = false) throws {
      let found = try spoken(expect)
      #expect(found.names == names && found.isAboutSearches == searches, "\(expect)")
    }
    try isAbout("{lost: tv}", ["tv"])
    try isAbout("{lost: lamp-2}", ["lamp-2"])
    try isAbout("{never: {found: any}}", nil)
    try isAbout("{never: {found: {any-of: [tv, lamp-1]}}}", ["tv", "lamp-1"])
    try isAbout("{present: {at: 9s, devices: []}}", nil)
    try isAbout("{search-ended: {services: 99}}", nil, searches: true)
    try isAbout("{service: {search: 1, of: tv}, times: 9}", ["tv"], searches: true)
    try isAbout("{rejected: searchOver}", nil, searches: true)
    try isAbout("{rejected: startLine}", nil)
  }

  // MARK: Size and text

  @Test("one spelled-out datagram is part of a size")
  func oneDatagram() {
    var size = ScenarioSize()
    size.datagrams = 1
    expectEqual(size.description, "0 inhabitants, 0 deeds, 0 faults, 1 datagrams, 0 nodes")
  }

  @Test("what was found is cut behind 120 characters")
  func longText() throws {
    let scenario = try Scenario(yaml: "scenario: Small\nduration: 20s\nexpect: [{never: {lost: any}}]", file: "a.yaml")
    var shrinker = try Shrinker(scenario, options: Shrinker.Options(seed: 1))
    var outcome = shrinker.shrink()
    func verdict(_ count: Int) -> Verdict {
      let surplus = ["uuid:" + String(repeating: "x", count: count)]
      let reason = VerdictReason.devices(at: .zero, wanted: [], missing: [], surplus: surplus, isConvergence: false)
      return Verdict(id: "e1", text: "t", outcome: .violated, reason: reason)
    }
    for count in [119, 120, 121] {
      outcome.verdict = verdict(count - verdict(0).found.count)
      let found = outcome.verdict.found
      expectEqual(found.count, count)
      let shown = found.prefix(120) + (count > 120 ? " …." : ".")
      // The printer breaks the comment into lines.
      let text = ShrinkText.yaml(outcome, of: "a.yaml", seed: 1).split { $0 == "\n" || $0 == " " || $0 == "#" }
      #expect(text.joined(separator: " ").contains(shown), "\(text)")
    }
    #expect(ShrinkCheck.catchersMaximum == 3 && Shrinker.Options(seed: 1).candidatesMaximum == 20_000)
  }

  @Test("of several that fail anyway, or that need several seeds, the first one is named")
  func firstNamed() throws {
    func problem(_ expect: String) throws -> Shrinker.Problem? {
      let scenario = try Scenario(
        yaml: "scenario: Small\nduration: 20s\ninhabitants: {tv: {kind: root-device}}\nexpect: [\(expect)]",
        file: "a.yaml")
      do throws(Shrinker.Problem) {
        _ = try Shrinker(scenario, options: Shrinker.Options(seed: 1, fault: .engine(.byebyeIgnored)))
      } catch { return error }
      return nil
    }
    try expectEqual(problem("{never: {found: tv}}, {id: b, never: {found: any}}"), .failsWithoutFault("e1"))
    let shares = "{id: a, share: {lost: tv, at-least: 90%}}, {id: b, share: {found: tv, at-least: 90%}}"
    try expectEqual(problem(shares), .needsSeveralSeeds("a"))
  }

  @Test("a sweep is looked at in its first point, under its first seed alone")
  func candidates() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: Small
        duration: 20s
        seeds: 5..9
        sweep: {inhabitants.tv.count: [2, 3]}
        inhabitants: {tv: {kind: root-device}}
        expect: [{found: any}]
        """, file: "a.yaml")
    let found = ShrinkCheck.candidates([ScenarioFile(path: "a", scenario: scenario)])
    #expect(found.map(\.size.inhabitants) == [2] && found.map(\.scenario.seeds) == [5...5])
  }
}

extension String {
  fileprivate func replacingFirst(_ old: String, with new: String) -> String {
    guard let range = firstRange(of: old) else { return self }
    return String(self[..<range.lowerBound]) + new + self[range.upperBound...]
  }
}
