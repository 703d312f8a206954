import RollcallCampaigns
import RollcallExpectations
import Testing

@Suite("Where a swarm looks next")
struct SteeringTests {
  /// A pilot in which everything happens all the time, but for some facts.
  private func pilot(without rare: Set<Fact>) -> [Facts] {
    var facts = Facts()
    for fact in Fact.allCases where !rare.contains(fact) { facts.insert(fact) }
    return Array(repeating: facts, count: 100)
  }

  @Test("facts that the pilot saw often weigh nothing, and those that it never saw weigh most")
  func weights() {
    let weights = Steering(pilot: pilot(without: [.lifeNumberWraps])).weights
    expectEqual(zip(Fact.allCases, weights).filter { $0.1 > 0 }.map(\.0), [.lifeNumberWraps])
    expectEqual(weights.max(), 11)
  }

  @Test("every second seed is drawn again, for what rare facts need; the others stay as they are drawn")
  func drawings() {
    let wanted: Traits = [.lanDevices, .lastLife, .reboot]
    let steering = Steering(pilot: pilot(without: [.lifeNumberWraps]))
    func share(_ seeds: [DrawnSeed]) -> Int { seeds.count { $0.traits.isSuperset(of: wanted) } }
    let counts = Array(UInt64(1)...400)
    let odd = counts.filter { $0 % 2 == 1 }.map { steering.drawing(of: $0) }
    let even = counts.filter { $0 % 2 == 0 }.map { steering.drawing(of: $0) }
    expectEqual(even, counts.filter { $0 % 2 == 0 }.map { DrawnSeed($0) })
    expectEqual(odd.map(\.count), counts.filter { $0 % 2 == 1 })
    #expect(share(odd) > 2 * share(odd.map { DrawnSeed($0.count) }), "\(share(odd))")
  }

  @Test("where nothing is rare every seed stays as it is drawn")
  func nothingRare() {
    let steering = Steering(pilot: pilot(without: []))
    for count: UInt64 in 1...50 { expectEqual(steering.drawing(of: count), DrawnSeed(count)) }
  }

  @Test("the pilot is a quarter of a campaign, and not more than its maximum")
  func pilots() {
    expectEqual([0, 3, 4, 400, 100_000].map { Steering.pilotCount(of: $0) }, [0, 0, 1, 100, 512])
  }
}
