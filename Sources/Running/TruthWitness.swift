import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import RollcallTrace

/// Watches which devices are there in truth while a world runs: event by event, which changes nothing of the run.
final class TruthWitness {
  private let resolved: Resolved
  private(set) var changes: [TrueDevice] = []
  private var present: [String] = []
  /// Whether a machine was given something since the last look that may make a device of it, or end one.
  private var isDue = true
  private var lookCount = 0

  private let looksMaximum: Int
  private let changesMaximum: Int

  /// - Parameters:
  ///   - looksMaximum: how many hosts are looked at in all; after that only the end is.
  ///   - changesMaximum: how many changes are kept.
  init(of resolved: Resolved, recorder: Recorder, looksMaximum: Int = 20_000_000, changesMaximum: Int = 100_000) {
    (self.resolved, self.looksMaximum, self.changesMaximum) = (resolved, looksMaximum, changesMaximum)
    recorder.onEntry = { [unowned self] in if TruthWitness.mayChange($0) { isDue = true } }
  }

  /// What is only heard makes no device, but where names of multicast DNS are fought for.
  private static func mayChange(_ entry: TraceEntry) -> Bool {
    switch entry.content {
    case .signal, .woken: true
    case .received(let datagram): datagram.destination.port == Endpoint.mdnsPort
    case .sent, .effect: false
    }
  }

  func run(_ world: inout World, until end: Instant) {
    // A world without budget goes on as it does without a witness.
    if world.reachedBudget != nil { return world.run(until: end) }
    look(world)
    while lookCount < looksMaximum, let next = world.nextEventTime, next <= end {
      world.run(until: next)
      if world.reachedBudget != nil { return }
      look(world)
    }
    world.run(until: end)
    isDue = true
    look(world)
  }

  private func look(_ world: borrowing World) {
    if !isDue { return }
    isDue = false
    lookCount += resolved.hosts.count
    let now = resolved.sought(world.presentDevices, at: world.now)
    if now == present { return }
    let (before, after) = (Set(present), Set(now))
    note(present.filter { !after.contains($0) }, isThere: false, at: world.now)
    note(now.filter { !before.contains($0) }, isThere: true, at: world.now)
    present = now
  }

  private func note(_ devices: [String], isThere: Bool, at time: Instant) {
    for device in devices where changes.count < changesMaximum {
      changes.append(TrueDevice(time: time, device: device, isThere: isThere))
    }
  }
}
