import RollcallDevices
package import RollcallPrimitives
package import RollcallRunning
package import RollcallScenarios
import RollcallSimulation
import RollcallTrace
package import RollcallWire

/// The radios of a scenario in real time, for hosts outside that speak HCI.
///
/// Hosts have the radios of the scenario's `hci-host` inhabitants, in their order; where there are none, one host has
/// the radio of the engine, and is there in its place. Everybody else lives as in a simulation.
package final class ServedRadio {
  /// A radio that a host outside may have.
  package struct Place: Hashable, Sendable {
    package var name: String
    /// Its number among the hosts of the world.
    package var host: Int
    /// What Read BD_ADDR tells: of the block for documentation.
    package var publicAddress: RadioAddress
  }

  /// What came of a packet, and when, for a record of the traffic.
  package enum Direction: Hashable, Sendable { case toHost, toController }

  package let places: [Place]
  /// Whether the scenario's own engine is there, and its expectations are judged.
  package let hasEngine: Bool
  /// Packets for the host that has this place.
  package var send: (_ place: Int, _ packet: [UInt8]) -> Void = { _, _ in }
  /// Shown every whole packet, either way.
  package var tap: (_ place: Int, _ direction: Direction, _ packet: [UInt8], _ time: Instant) -> Void = { _, _, _, _ in
  }
  /// What the engine reports, in order.
  package var report: (Report, Instant) -> Void = { _, _ in }

  private let resolved: Resolved
  private var world: World
  private var controllers: [HCIController?]
  private var streams: [HCIStream?]
  private var reportedCount = 0
  /// What radios heard since the world was last looked at.
  private var heard: [(place: Int, signal: RadioSignal)] = []
  private var presentAtConvergence: [String] = []
  private var hasConverged = false
  /// Of hosts that are gone.
  private var refused: [(reason: String, count: Int)] = []

  /// - Returns: `nil` where the scenario has no radio at all.
  package init?(_ resolved: Resolved, seed: Seed) {
    guard resolved.radio != nil else { return nil }
    self.resolved = resolved
    var hosts = resolved.devices.compactMap { device -> (name: String, host: Int)? in
      if case .hciHost = device.kind { (device.name, device.host) } else { nil }
    }
    hasEngine = !hosts.isEmpty
    if hosts.isEmpty { hosts = [("engine", 0)] }
    places = hosts.map { host in
      Place(
        name: host.name, host: host.host,
        publicAddress: RadioAddress(bits: 0x0000_5E00_5300 | UInt64(host.host & 0xFF), isRandom: false))
    }
    controllers = places.map { _ in nil }
    streams = places.map { _ in nil }
    let uplinks = places.map { _ in RadioGateway.Uplink() }
    let named = Dictionary(zip(places.map(\.name), uplinks)) { first, _ in first }
    let (own, isEngine) = (uplinks[0], !hasEngine)
    var plan = Stage.plan(
      resolved, seed: seed, radios: named, engine: isEngine ? { $0.append(RadioGateway(own)) } : nil)
    // It runs until it is stopped.
    (plan.entriesMaximum, plan.eventsMaximum) = (.max, .max)
    world = World(plan: plan)
    for (place, uplink) in uplinks.enumerated() {
      uplink.heard = { [unowned self] in heard.append((place, $0)) }
      uplink.presentDevices = { [unowned self] in controllers[place]?.presentDevices ?? [] }
    }
  }

  // MARK: - Time

  package func begin() { world.start() }

  /// When something happens next.
  package var deadline: Instant? {
    let time = controllers.reduce(world.nextEventTime ?? .never) { min($0, $1?.deadline ?? .never) }
    return time == .never ? nil : time
  }

  /// Everything up to `now` happens, each at its instant.
  package func advance(to now: Instant) {
    while let next = deadline, next <= now {
      converge(before: next)
      world.run(until: max(next, world.now))
      for place in places.indices where (controllers[place]?.deadline ?? .never) <= world.now {
        controllers[place]?.wake(at: world.now)
      }
      handOn()
    }
    converge(before: now)
    world.run(until: max(now, world.now))
    handOn()
  }

  private func converge(before time: Instant) {
    guard !hasConverged, let converged = resolved.convergedFrom, converged <= time else { return }
    hasConverged = true
    world.run(until: max(converged, world.now))
    presentAtConvergence = resolved.sought(world.presentDevices, at: converged)
  }

  /// What the radios heard reaches the controllers, and what those want reaches the world, until nothing is left.
  private func handOn() {
    repeat {
      let signals = heard
      heard = []
      for (place, signal) in signals { controllers[place]?.hear(signal, at: world.now) }
      for place in places.indices { carryOut(place) }
      world.run(until: world.now)
    } while !heard.isEmpty
    while reportedCount < world.reports.count {
      let one = world.reports[reportedCount]
      reportedCount += 1
      report(one.report, one.time)
    }
  }

  private func carryOut(_ place: Int) {
    for output in controllers[place]?.take() ?? [] {
      switch output {
      case .packet(let packet):
        tap(place, .toHost, packet, world.now)
        send(place, packet)
      case .radio(let effect): world.want(effect, ofHost: places[place].host)
      }
    }
  }

  // MARK: - Hosts

  /// A host comes, and has the first radio that is free.
  /// - Returns: its place; `nil`: all are taken.
  package func attach(at now: Instant) -> Int? {
    advance(to: now)
    guard let place = controllers.firstIndex(where: { $0 == nil }) else { return nil }
    controllers[place] = HCIController(publicAddress: places[place].publicAddress)
    streams[place] = HCIStream(packetBytesMaximum: HCIController.packetBytesMaximum)
    return place
  }

  /// The host is gone: its radio is silent from now on.
  package func detach(_ place: Int, at now: Instant) {
    advance(to: now)
    ServedRadio.add(controllers[place]?.rejections ?? [], to: &refused)
    (controllers[place], streams[place]) = (nil, nil)
    world.want(RadioEffect.reset, ofHost: places[place].host)
    handOn()
  }

  /// Bytes of a host, cut anywhere.
  /// - Throws: where they are no packets; nothing that comes behind them can be read.
  package func receive(_ bytes: [UInt8], from place: Int, at now: Instant) throws(RadioFault) {
    advance(to: now)
    streams[place]?.append(bytes)
    while let packet = try streams[place]?.next() {
      tap(place, .toController, packet, world.now)
      controllers[place]?.receive(packet, at: world.now)
      handOn()
    }
  }

  private static func add(
    _ rejections: [(reason: String, count: Int)], to sum: inout [(reason: String, count: Int)]
  ) {
    for (reason, count) in rejections {
      if let known = sum.firstIndex(where: { $0.reason == reason }) {
        sum[known].count += count
      } else {
        sum.append((reason, count))
      }
    }
  }

  // MARK: - The end

  /// Packets of hosts that made no sense, by why: of those that are gone, then of those that are there.
  package func rejections() -> [(reason: String, count: Int)] {
    var sum = refused
    for place in places.indices { ServedRadio.add(controllers[place]?.rejections ?? [], to: &sum) }
    return sum
  }

  /// What the expectations of the scenario come to; none where the engine is somebody else's.
  package func verdicts() -> (verdicts: [Verdict], outcome: RunOutcome)? {
    guard hasEngine, !resolved.expectations.isEmpty else { return nil }
    let judge = Judge(Run.evidence(of: world, in: resolved, presentAtConvergence: presentAtConvergence))
    let verdicts = resolved.expectations.compactMap { judge.verdict(on: $0) }
    return (verdicts, Run.outcome(verdicts, hasExpectations: true, reachedBudget: false))
  }

  package var end: Instant { resolved.end }
}
