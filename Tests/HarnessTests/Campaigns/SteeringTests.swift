import RollcallExpectations
import Testing

@testable import RollcallCampaigns

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

  @Test("each fact is looked for where a drawn scenario has what it needs")
  func needs() {
    let needs = Fact.allCases.map { fact in
      "\(fact.rawValue): " + fact.helps.list.map(\.name).joined(separator: " ")
    }
    expectEqual(needs.joined(separator: "\n"), SteeringTests.needed)
  }

  private static let needed = """
    found-again: crash
    lost-by-goodbye: lanDevices departure
    lost-by-expiry: vanishing
    lost-by-restart: lanDevices crash
    lost-by-interface: interfaceDown
    lost-behind-partition: partition
    moved-without-loss: move
    parts-united: lanDevices reordering
    three-protocols-at-a-time: lanDevices peripherals services
    byebye-after-expiry: lanDevices partition leaving
    bootid-wraps: lanDevices reboot lastLife
    late-message-refused: lanDevices reordering reboot
    forgery-refused: lanDevices forger
    late-answer-refused: lanDevices quirks searches
    partition-during-search: partition searches
    search-unanswered: partition searches
    search-without-interface: interfaceDown searches
    join-refused: lanDevices refusals
    description-fetched: lanDevices descriptions
    description-failed: lanDevices partition descriptions
    service-lost-by-goodbye: services leaving
    peers-connected: peers
    peers-parted: peers interfaceDown
    attributes-discovered: peripherals connections
    connection-lost: peripherals radioOff connections
    message-garbled: lanDevices corruption
    message-doubled: duplicates
    queue-overflows: lanDevices slowLinks
    stream-segment-lost: lanDevices loss descriptions
    """

  @Test("the pilot is a quarter of a campaign, and not more than its maximum")
  func pilots() {
    expectEqual([0, 3, 4, 400, 100_000].map { Steering.pilotCount(of: $0) }, [0, 0, 1, 100, 512])
  }
}
