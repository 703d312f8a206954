import RollcallDiscovery
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation

/// A scenario while it is drawn.
struct Sketch {
  let seed: Seed
  let traits: Traits
  var scenario: Scenario
  /// When all that is broken mends, in seconds.
  let heal: Int
  /// How long the slowest protocol needs from then on to agree with the truth, in seconds.
  var patience = 0
  /// What can be found on the LAN, and on the air.
  var lanNames: [String] = []
  var airNames: [String] = []
  /// Those that say goodbye when they leave.
  var polite: [String] = []
  /// So long before the end one of them may leave, in seconds: by then the engine knows.
  var farewell = 5
  /// So many UUIDs can be taken for devices at a time; `nil`: others invent some.
  var devicesMaximum: Int? = 0
  private var moveCount: UInt8 = 0

  init(_ drawn: DrawnSeed) {
    (seed, traits) = (drawn.seed, drawn.traits)
    var dice = Dice(seed, "heal")
    heal = dice.number(30...120)
    scenario = Scenario("Drawn from the seed \(drawn.value)")
    scenario.tags = ["swarm"]
    scenario.seeds = drawn.value...drawn.value
  }

  func has(_ trait: Trait) -> Bool { traits.contains(trait) }

  mutating func wait(atLeast seconds: Int) { patience = max(patience, seconds) }

  // MARK: - The network and the engine

  private var segmentNames: [String] { has(.twoSegments) ? ["lan", "attic"] : ["lan"] }

  mutating func drawNetwork() {
    var dice = Dice(seed, "network")
    scenario.network.segments = segmentNames.map { name in
      SegmentSection(
        name: name, snooping: has(.snooping), querier: has(.snooping) ? .seconds(20) : nil, ipv6: has(.bothFamilies))
    }
    var rule = LinkPatch()
    if has(.delay) {
      switch dice.number(0...2) {
      case 0:
        let low = Int64(dice.number(0...5))
        rule.latency = .uniform(.milliseconds(low) ... .milliseconds(low + Int64(dice.number(1...75))))
      case 1: rule.latency = .exponential(minimum: .milliseconds(1), mean: .milliseconds(Int64(dice.number(1...20))))
      default: rule.latency = .normal(mean: .milliseconds(5), deviation: .milliseconds(3))
      }
    }
    if has(.bursts) {
      rule.multicastLoss = .gilbertElliott(
        goodToBad: .percent(UInt64(dice.number(2...15))), badToGood: .percent(30), inGood: .never, inBad: .percent(90))
    }
    if has(.loss) { rule.loss = .uniform(.percent(dice.pick([1, 5, 10, 20, 40]))) }
    if has(.duplicates) { rule.duplicate = .percent(dice.pick([1, 5, 20])) }
    if has(.reordering) { rule.reorder = .percent(dice.pick([1, 5, 20])) }
    let rates: [Int64] = [1_000_000, 2_000_000, 10_000_000]
    if has(.slowLinks) { rule.bandwidth = dice.pick(rates) }
    let sizes: [Int] = [576, 800, 1_280]
    if has(.smallPackets) { rule.mtu = dice.pick(sizes) }
    scenario.network.link = LinkSection(rule)
  }

  mutating func drawEngine() {
    var dice = Dice(seed, "engine")
    if has(.twoSegments) {
      scenario.engine.host.interfaces = segmentNames.map { InterfaceSection(segment: $0) }
    }
    if has(.drift) { scenario.engine.host.clockDriftMillionths = dice.pick([-200, 50, 200]) }
    if has(.peripherals) {
      scenario.engine.configuration.scan = ScanPolicy(dice.pick([.active, .passive]))
      if has(.loss) { scenario.engine.host.radio.loss = .uniform(.percent(dice.pick([10, 30, 50]))) }
    }
    if has(.services), dice.happens(percent: 40) {
      scenario.engine.configuration.browse = [.everything]
    } else {
      if has(.services) { scenario.engine.configuration.browse = Sketch.serviceTypes.map { .type($0) } }
      if has(.peers) { scenario.engine.configuration.browse.append(.type("_nearby._udp")) }
    }
    if has(.lanDevices) { setPolicies() }
  }

  static let serviceTypes = ["_ipp._tcp", "_raop._tcp"]

  // MARK: - Inhabitants

  /// A host somewhere on the LAN.
  func drawHost(_ dice: inout Dice) -> HostSection {
    var host = HostSection()
    if has(.twoSegments) { host.segment = dice.pick(segmentNames) }
    if has(.drift), dice.happens(percent: 50) { host.clockDriftMillionths = dice.pick([-200, 200]) }
    return host
  }

  func drawAppearance(_ dice: inout Dice) -> Appearance {
    has(.lateArrival) && dice.happens(percent: 50) ? .at(dice.instant(seconds: 0...heal - 5)) : .at(.zero)
  }

  mutating func add(_ entry: InhabitantEntry) { scenario.inhabitants.append(entry) }

  // MARK: - What is done

  mutating func at(_ instant: Instant, _ deed: TimelineEntry.Deed) {
    scenario.timeline.append(TimelineEntry(at: instant, deed))
  }

  /// Some instant before the network heals.
  func instant(_ dice: inout Dice, before margin: Int = 1) -> Instant { dice.instant(seconds: 1...heal - margin) }

  /// Acts that everybody can do, each perhaps.
  mutating func drawActs(of name: String, _ dice: inout Dice) {
    let acts: [(trait: Trait, act: Act, percent: UInt64)] = [
      (.leaving, .leave, 30), (.vanishing, .vanish, 30), (.reboot, .reboot, 40),
    ]
    for one in acts where has(one.trait) && dice.happens(percent: one.percent) {
      at(instant(&dice), .act(who: name, one.act))
    }
    if has(.crash), dice.happens(percent: 40) {
      let keepsState = dice.happens(percent: 50)
      let pause = dice.interval(seconds: 1...10)
      at(instant(&dice, before: 12), .act(who: name, .crash(downFor: pause, keepsState: keepsState)))
    }
  }

  /// Perhaps it takes another address.
  mutating func drawMove(of name: String, _ dice: inout Dice) {
    guard has(.move), !has(.twoSegments), dice.happens(percent: 40) else { return }
    // No name that is drawn is given one of these.
    let address = IPAddress(192, 168, 1, 10 + moveCount)
    moveCount += 1
    at(instant(&dice), .act(who: name, .move(interface: InterfaceID(0), to: address)))
  }

  // MARK: - What breaks

  mutating func drawFaults() {
    var dice = Dice(seed, "faults")
    if !lanNames.isEmpty {
      if has(.partition) {
        for _ in 0..<dice.number(1...2) { drawPartition(&dice) }
      }
      if has(.interfaceDown) {
        breaks(.interfaceDown(who: dice.pick(["engine"] + lanNames), interface: 0), &dice)
      }
      if has(.badLink) {
        let losses: [Ratio] = [.percent(30), .percent(60), .always]
        let loss = dice.pick(losses)
        let direction = dice.pick(FaultEntry.Direction.allCases)
        let who = dice.pick(["engine", "each"] + lanNames)
        breaks(.link(who: who, interface: 0, direction: direction, rule: LinkPatch(loss: .uniform(loss))), &dice)
      }
      if has(.slowLinks) { drawCrowdedLink() }
      if has(.refusals) {
        breaks(.refuseMulticastSends(dice.pick(["engine"] + lanNames)), &dice)
        drawRefusedJoins()
      }
      if has(.snooping), has(.querierGone) { breaks(.querierGone(segment: "lan"), &dice) }
    }
    if !airNames.isEmpty, has(.radioOff) { breaks(.radioOff(dice.pick(["engine"] + airNames)), &dice) }
  }

  private mutating func drawPartition(_ dice: inout Dice) {
    let others = dice.happens(percent: 50) ? ["each"] : [dice.pick(lanNames)]
    let isHeard = dice.happens(percent: 40)
    let isBoth = dice.happens(percent: 40)
    breaks(
      isHeard
        ? .partition(from: others, to: ["engine"], isBoth: false)
        : .partition(from: ["engine"], to: others, isBoth: isBoth), &dice)
  }

  /// Perhaps an interface comes back while its host may join no group. A host that the system refused
  /// asks again with the next change of the interface, not before: it goes down once more, and is back when the network heals.
  private mutating func drawRefusedJoins() {
    var dice = Dice(seed, "refused-joins")
    guard dice.happens(percent: 50) else { return }
    let who = dice.pick(["engine"] + lanNames)
    let start = dice.instant(seconds: 1...heal - 20)
    let down = start + dice.interval(seconds: 1...3)
    let up = down + dice.interval(seconds: 1...5)
    let again = up + dice.interval(seconds: 1...8)
    scenario.faults.append(FaultEntry(at: start, .refuseJoins(who)))
    scenario.faults.append(FaultEntry(at: down, until: up, .interfaceDown(who: who, interface: 0)))
    scenario.faults.append(FaultEntry(at: again, .interfaceDown(who: who, interface: 0)))
  }

  /// Perhaps a link is so slow for a while that more waits for it than it has room for, as behind a repeater.
  private mutating func drawCrowdedLink() {
    var dice = Dice(seed, "crowded-link")
    guard dice.happens(percent: 60) else { return }
    let rates: [Int64] = [64_000, 256_000]
    let rooms: [Int] = [1_024, 2_048]
    let rule = LinkPatch(bandwidth: dice.pick(rates), queue: dice.pick(rooms))
    let direction = dice.pick(FaultEntry.Direction.allCases)
    breaks(.link(who: dice.pick(["engine", "each"]), interface: 0, direction: direction, rule: rule), &dice)
  }

  /// For a while, or until everything mends.
  private mutating func breaks(_ kind: FaultEntry.Kind, _ dice: inout Dice) {
    let start = dice.instant(seconds: 1...heal - 2)
    let isLasting = dice.happens(percent: 40)
    let end = min(Instant.zero + .seconds(Int64(heal)), start + dice.interval(seconds: 1...30))
    scenario.faults.append(FaultEntry(at: start, until: isLasting ? nil : end, kind))
  }

  // MARK: - The end, and what has to come of it

  mutating func drawEnd() {
    var dice = Dice(seed, "end")
    let goodbye = Int64(heal + patience + dice.number(5...35))
    let end = goodbye + Int64(farewell)
    if has(.departure), !polite.isEmpty {
      at(Instant.zero + .seconds(goodbye), .act(who: dice.pick(polite), .leave))
    }
    scenario.duration = .seconds(end)
    scenario.heal = Instant.zero + .seconds(Int64(heal))
    scenario.converge = .seconds(Int64(patience))
    let deeds = scenario.timeline.enumerated()
    scenario.timeline = deeds.sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    expect("converged", .converged)
    if has(.lanDevices) {
      if has(.neverThere) { expect("never-there", .never(.init(.found(.each(["ghost"]))))) }
      if let devicesMaximum { expect("no-more", .always(Always(devicesAtMost: devicesMaximum))) }
    }
    if has(.peers) { expect("order", .never(.init(.nearby(NearbyPattern(.disorder, of: .anyone))))) }
    // A device that a partition cuts off all the time says nothing, and that is no failure.
    scenario.vacuousOK = scenario.expectations.compactMap(\.id)
  }

  private mutating func expect(_ id: String, _ kind: Expectation.Kind) {
    scenario.expectations.append(Expectation(id: id, kind))
  }
}
