import Foundation
import RollcallCampaigns
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import Testing

@Suite("Scenarios that are drawn from seeds")
struct SwarmTests {
  static let seeds: [DrawnSeed] = (1...40).map { DrawnSeed($0) } + [DrawnSeed(5, drawing: 3)]

  @Test("a drawn scenario is printed as a file that reads back as the same, and the seed draws it again")
  func printed() throws {
    for seed in SwarmTests.seeds {
      let scenario = Swarm.scenario(seed)
      try expectEqual(Scenario(yaml: Swarm.yaml(seed), file: "\(seed.value).yaml"), scenario, "seed \(seed.value)")
      #expect(Swarm.scenario(seed) == scenario)
      expectEqual(scenario.seeds, seed.value...seed.value)
    }
  }

  /// Seeds that draw a number at the edge of a chance: where it is larger by one percent, they draw something else.
  /// Some have what few have: an address that changes, and a device that says byebye when it starts.
  private static let edges: [UInt64] = [
    402, 10_071, 16_208, 26_018, 28_841, 82_614, 136_693, 145_346, 293_870, 373_041, 615_392, 2_403_005,
  ]

  @Test("the seeds 1 to 60, and some others, draw what is recorded, to the letter (RECORD=1 writes it and fails)")
  func drawing() throws {
    let file = Places.root.appendingPathComponent("Tests/HarnessTests/Campaigns/swarm.txt")
    let head = "# seed: length, when the network heals | inhabitants | faults | acts | digest of the YAML"
    let found =
      [head] + (UInt64(1)...60).map { SwarmTests.line(DrawnSeed($0)) }
      + SwarmTests.edges.map { "\($0): \(SwarmTests.digest(DrawnSeed($0)))" }
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try (found.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
      Issue.record("recorded \(file.lastPathComponent): read the diff, then run without RECORD")
      return
    }
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let recorded = text.split(separator: "\n").map(String.init)
    expectEqual(
      found.filter { !recorded.contains($0) }, [], "swarm.txt is out of date: RECORD=1 swift test --filter SwarmTests")
    expectEqual(recorded.count, found.count, "lines of swarm.txt")
  }

  /// What a seed draws, for a person who reads a difference; the digest stands for all that the words leave out.
  private static func line(_ seed: DrawnSeed) -> String {
    let scenario = Swarm.scenario(seed)
    let heal = scenario.heal.map { "\($0 - Instant.zero)" } ?? "never"
    let parts: [String] = [
      "\(scenario.duration), \(heal)",
      counted(scenario.inhabitants.map { ($0.kind.name, $0.count) }),
      counted(scenario.faults.map { (caseName($0.kind), 1) }),
      counted(scenario.timeline.map { (actName($0.deed), 1) }),
      "\(digest(seed))",
    ]
    return "\(seed.value): " + parts.joined(separator: " | ")
  }

  private static func digest(_ seed: DrawnSeed) -> Digest {
    var digest = Digest()
    digest.combine(Swarm.yaml(seed))
    return digest
  }

  /// Each name once, in alphabetical order, and how often where that is more than once.
  private static func counted(_ names: [(name: String, count: Int)]) -> String {
    var counts: [String: Int] = [:]
    for (name, count) in names { counts[name, default: 0] += count }
    let sorted = counts.sorted { $0.key < $1.key }
    let words = sorted.map { $0.value == 1 ? $0.key : "\($0.key) \($0.value)" }
    return words.isEmpty ? "none" : words.joined(separator: ", ")
  }

  private static func actName(_ deed: TimelineEntry.Deed) -> String {
    switch deed {
    case .act(_, let act): act.name
    case .peripheral(let deed): caseName(deed.request)
    default: caseName(deed)
    }
  }

  /// The name of a case, without what belongs to it.
  private static func caseName(_ value: Any) -> String { Mirror(reflecting: value).children.first?.label ?? "\(value)" }

  @Test("every drawn scenario holds")
  func holds() throws {
    for seed in SwarmTests.seeds {
      let result = Run.perform(try Swarm.scenario(seed).resolved(), seed: seed.seed)
      let bad = result.verdicts.filter(\.isBad).map { "\($0.id): \($0.found)" }
      expectEqual(bad, [], "seed \(seed.value)")
      expectEqual(result.outcome, .passed, "seed \(seed.value)")
    }
  }

  @Test(
    "the swarm fails where a fault is planted",
    arguments: [
      EngineSwitch.neverExpires, .byebyeIgnored, .expiryOnFirstMessage, .servicesAskedOnce, .peripheralsNeverLost,
    ])
  func bites(fault: EngineSwitch) throws {
    let failing = try (UInt64(1)...80).first { number in
      let seed = DrawnSeed(number)
      let resolved = try Swarm.scenario(seed).resolved()
      return Run.perform(resolved, seed: seed.seed, options: RunOptions(switches: [fault])).outcome == .failed
    }
    #expect(failing != nil, "no seed notices \(fault)")
  }

  @Test("of the links that are made slow some have no room for what waits")
  func crowded() throws {
    let crowded = (UInt64(1)...600).map { DrawnSeed($0) }.filter { seed in
      seed.traits.contains(.slowLinks)
        && Swarm.scenario(seed).faults.contains { entry in
          if case .link(_, _, _, let rule) = entry.kind { rule.queue != nil } else { false }
        }
    }
    let overflowing = try crowded.prefix(20).first { seed in
      let resolved = try Swarm.scenario(seed).resolved()
      let result = Run.perform(resolved, seed: seed.seed, options: RunOptions(recordedHosts: [0]))
      return FactFinder.facts(of: result, in: resolved).contains(.queueOverflows)
    }
    #expect(overflowing != nil, "\(crowded.count) seeds have such a link")
  }

  @Test("every trait is drawn by some seeds and not by others, and somebody is always there")
  func traits() {
    let drawn = (1...400).map { DrawnSeed($0).traits }
    for trait in Trait.allCases {
      let count = drawn.count { $0.contains(trait) }
      #expect(count > 0 && count < 400, "\(trait.name): \(count)")
    }
    for traits in drawn {
      #expect([Trait.lanDevices, .peripherals, .services, .peers].contains { traits.contains($0) })
    }
  }

  @Test("nobody moves to an address that somebody has")
  func moves() throws {
    for number: UInt64 in 1...150 {
      let seed = DrawnSeed(number)
      guard seed.traits.contains(.move) else { continue }
      let resolved = try Swarm.scenario(seed).resolved()
      var taken = resolved.plan.hosts.flatMap { $0.interfaces.flatMap(\.addresses).map(\.address) }
      for command in resolved.commands {
        guard case .act(.move(_, let address)) = command.command else { continue }
        #expect(!taken.contains(address), "seed \(number): \(address)")
        taken.append(address)
      }
    }
  }

  @Test("the seed of another drawing says which seed of the campaign it is of")
  func drawings() {
    let seed = DrawnSeed(7, drawing: 2)
    expectEqual(seed.value, 7 + 2 << 48)
    expectEqual(DrawnSeed(seed.value).count, 7)
    expectEqual([DrawnSeed(8), seed, DrawnSeed(7)].sorted().map(\.value), [7, seed.value, 8])
    expectEqual([DrawnSeed(8) < DrawnSeed(8), DrawnSeed(7) < seed, seed < DrawnSeed(7)], [false, true, false])
  }
}
