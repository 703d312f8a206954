import RollcallDiscovery
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation

/// What the mathematics of one search says about when all devices are found: for scenarios in which nothing else matters.
///
/// The engine multicasts a search some times. Each copy leaves it or is lost for everybody; what left it reaches each
/// device or not; each device that heard a copy answers it once, after a time that is drawn uniformly from 0 to MX; each
/// answer reaches the engine or not. All of these are independent. So all devices are found by a time t with the chance
///
///     Σ P(M) · Π (1 − Π (1 − s · u(c, t)))
///
/// where M are the copies that left the engine, the first product runs over devices and the second over the copies c in
/// M, s is the chance that such a copy reaches the device and its answer the engine, and u that the answer is there by t.
struct SearchTheory {
  static let copiesMaximum = 10

  private let copies: Int
  private let spacing: Interval
  private let wait: Interval
  /// From the engine to a device and back.
  private let latency: Interval
  /// The chance that a copy leaves the engine's link.
  private let leaves: Double
  /// Chances of a round trip behind that link, and how many devices have each.
  private let trips: [(chance: Double, count: Int)]

  /// `nil`: something else matters, too.
  init?(_ resolved: Resolved) {
    let scenario = resolved.scenario
    guard resolved.commands.count == 1, case .search(let search) = resolved.commands[0].command,
      resolved.commands[0].host == 0, search.host == nil, search.interface == nil, resolved.faults.isEmpty,
      search.target == "upnp:rootdevice", (1...5).contains(search.maximumWaitSeconds),
      (1...SearchTheory.copiesMaximum).contains(search.broadcasts), SearchTheory.isPlain(scenario)
    else { return nil }
    let hosts = resolved.plan.hosts
    guard let engine = hosts.first?.interfaces.first, let engineLinks = Links(engine),
      hosts.allSatisfy({ $0.receiveBuffer == nil && !$0.refusesJoins && $0.interfaces.count == 1 })
    else { return nil }
    var trips: [(chance: Double, count: Int)] = []
    var latencies: [Interval] = []
    for (host, plan) in zip(resolved.hosts, hosts).dropFirst() {
      guard case .root(let device) = host.role, case .root(let kind, _) = resolved.devices[device].kind,
        resolved.deviceKinds[kind].quirks.isEmpty, let links = Links(plan.interfaces[0]),
        // Nobody hears it announce itself.
        links.outbound.multicast == 1, SearchTheory.isThere(host.appear, before: resolved.commands[0].at)
      else { return nil }
      let chance = (1 - links.inbound.multicast) * (1 - links.outbound.unicast) * (1 - engineLinks.inbound.unicast)
      latencies.append(links.latency)
      if let place = trips.firstIndex(where: { $0.chance == chance }) {
        trips[place].count += 1
      } else {
        trips.append((chance, 1))
      }
    }
    guard let first = latencies.first, latencies.allSatisfy({ $0 == first }) else { return nil }
    (copies, wait) = (search.broadcasts, .seconds(Int64(search.maximumWaitSeconds)))
    spacing = search.spacing ?? wait
    latency = first + engineLinks.latency
    leaves = 1 - engineLinks.outbound.multicast
    self.trips = trips
    // Later answers are refused, and what the run ends before does not happen.
    let last = resolved.commands[0].at + spacing * Int64(copies - 1) + wait + latency
    guard latency <= .milliseconds(100), spacing <= wait, last <= resolved.end else { return nil }
  }

  /// Nothing but one segment, and an engine that only searches.
  private static func isPlain(_ scenario: Scenario) -> Bool {
    let engine = scenario.engine.configuration
    return scenario.network.segments.count == 1 && !scenario.network.segments[0].snooping
      && !engine.switches.namesAny && engine.manager == nil && engine.mode == .lenient
  }

  private static func isThere(_ appearance: Appearance, before search: Instant) -> Bool {
    switch appearance {
    case .at(let instant): instant < search
    case .within(let range): range.upperBound < search
    case .never: false
    }
  }

  /// The chance that all devices are found so long after the search began.
  /// - Parameter time: `nil`: whenever.
  func chance(after time: Interval?) -> Double {
    let arrived = (0..<copies).map { copy -> Double in
      guard let time else { return 1 }
      let rest = (time - latency - spacing * Int64(copy)).nanoseconds
      return min(1, max(0, Double(rest) / Double(wait.nanoseconds)))
    }
    var sum = 0.0
    // Where no copy left the engine, nobody answers.
    for sent in 1..<(1 << copies) {
      var chance = 1.0
      for copy in 0..<copies { chance *= sent >> copy & 1 == 1 ? leaves : 1 - leaves }
      for trip in trips {
        var missed = 1.0
        for copy in 0..<copies where sent >> copy & 1 == 1 { missed *= 1 - trip.chance * arrived[copy] }
        chance *= SearchTheory.power(1 - missed, trip.count)
      }
      sum += chance
    }
    return sum
  }

  /// By when all devices are found in such a share of all runs; `nil`: never.
  func quantile(_ share: Double) -> Interval? {
    guard chance(after: nil) >= share else { return nil }
    var (low, high) = (Int64(0), (spacing * Int64(copies - 1) + wait + latency).nanoseconds)
    while high - low > 1_000 {
      let middle = (low + high) / 2
      if chance(after: .nanoseconds(middle)) >= share { high = middle } else { low = middle }
    }
    return .nanoseconds(high)
  }

  /// By squares, since libm differs between machines.
  private static func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, square, rest) = (1.0, base, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result *= square }
      square *= square
      rest >>= 1
    }
    return result
  }

  /// Both directions of a link that does nothing but lose datagrams, and takes always as long.
  private struct Links {
    var outbound: (unicast: Double, multicast: Double)
    var inbound: (unicast: Double, multicast: Double)
    /// Of both directions together.
    var latency: Interval

    init?(_ plan: InterfacePlan) {
      guard plan.isUpAtStart, plan.addresses.count == 1, let outbound = Links.losses(plan.outbound),
        let inbound = Links.losses(plan.inbound), case .constant(let there) = plan.outbound.latency,
        case .constant(let back) = plan.inbound.latency
      else { return nil }
      (self.outbound, self.inbound, latency) = (outbound, inbound, there + back)
    }

    private static func losses(_ rule: LinkRule) -> (unicast: Double, multicast: Double)? {
      guard rule.duplicate.isZero, rule.reorder.isZero, rule.corrupt.isZero, rule.bandwidth == nil, rule.mtu >= 1_500,
        let unicast = share(rule.loss), let multicast = share(rule.multicastLoss ?? rule.loss)
      else { return nil }
      return (unicast, multicast)
    }

    private static func share(_ loss: Loss) -> Double? {
      switch loss {
      case .none: 0
      case .uniform(let ratio): Double(ratio.numerator) / Double(ratio.denominator)
      case .gilbertElliott: nil
      }
    }
  }
}
