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
  }
}
