import CoreBluetooth
import Foundation
import RollcallDiscovery
public import RollcallPrimitives
import RollcallReporting
import RollcallRunning
package import RollcallScenarios
import RollcallSimulation
import RollcallTrace
import Synchronization

/// A scenario whose engine is a phone: an application that is written for CoreBluetooth runs on it.
///
///     let world = try PhoneWorld("lamp.yaml")
///     let app = world.enter { LampApp() }
///     world.run(for: .seconds(10))
///
/// Managers that are made inside `enter` attach to the phone. Callbacks run on the queues of their managers; before
/// virtual time moves, the world waits until these queues are empty. It is used from one thread.
public final class PhoneWorld {
  package let phone: SimulatedPhone
  private var world: World
  private let heard: PhoneMachine.Heard
  private let end: Instant
  /// How many reports of the engine the phone has taken.
  private var takenReports = 0
  /// Which scan the radio has been asked for.
  private var isScanning = false

  /// Reads a scenario file; its timeline runs as it stands.
  /// - Throws: an error with the place of each mistake, or why the file cannot be read.
  public convenience init(_ path: String, seed: UInt64 = 1) throws {
    let file = try ScenarioFile.read(path)
    guard let point = try file.scenario.points().first else { throw PhoneWorldError("\(path): no point to run") }
    self.init(try point.scenario.resolved(), seed: Seed(seed))
  }

  package init(_ resolved: Resolved, seed: Seed) {
    let phone = SimulatedPhone(name: resolved.hosts[0].name)
    let heard = PhoneMachine.Heard()
    var resolved = resolved
    if resolved.radio == nil { resolved.radio = RadioPlan(radios: resolved.hosts.map { _ in nil }) }
    if resolved.radio?.radios[0] == nil { resolved.radio?.radios[0] = RadioHostPlan(name: resolved.hosts[0].name) }
    let configuration = resolved.scenario.engine.configuration
    let plan = Stage.plan(resolved, seed: seed, engine: { $0.append(PhoneMachine(configuration, heard: heard)) })
    (self.phone, self.heard, end) = (phone, heard, resolved.end)
    world = World(plan: plan)
    world.beforeTimeMoves = { [unowned self] world in self.settle(&world) }
    world.start()
  }

  /// Runs code of an application on the phone.
  public func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
    try PhoneLink.$current.withValue(phone) { try body() }
  }

  /// The present instant of the virtual world.
  public var now: Instant { world.now }

  /// Lets virtual time run on, not beyond the end of the scenario.
  public func run(for duration: Interval) {
    let until = min(world.now + duration, end)
    world.run(until: until)
    // What was pushed at the last instant is done before this returns.
    while settle(&world) {}
  }

  /// The sum over everything that happened so far: the same application and seed give the same.
  public var digest: Digest { world.gate.digest }

  // MARK: - Between two instants

  /// Tells the doors what happened, waits for the application, and does what it asked; whether it asked anything.
  private func settle(_ world: inout World) -> Bool {
    let (packets, isOn) = heard.state.withLock { state in
      defer { state.packets.removeAll() }
      return (state.packets, state.isOn)
    }
    if let isOn {
      let before = phone.state.withLock { $0.isOn }
      phone.tellState(isOn: isOn, isChange: before != nil && before != isOn)
    }
    for entry in packets { phone.hear(entry.packet) }
    if takenReports < world.reports.count {
      // In place: the machine is large.
      let mtus = world.all(PhoneMachine.self)[0].engine.mtus
      phone.state.withLock { state in for entry in mtus { state.mtus[entry.peripheral] = entry.mtu } }
    }
    while takenReports < world.reports.count {
      let report = world.reports[takenReports]
      takenReports += 1
      if report.station == 0 { phone.take(report.report, at: report.time) }
    }
    phone.queues.drain()
    let asked = phone.takeRequests()
    for command in asked { world.ask(.peripheral(command), ofHost: 0) }
    let wants = phone.state.withLock { !$0.scans.isEmpty }
    if wants != isScanning {
      isScanning = wants
      let step = Interval.milliseconds(30)
      world.want(wants ? RadioEffect.scan(window: step, interval: step, isActive: true) : .stopScan, ofHost: 0)
    }
    return !asked.isEmpty || takenReports < world.reports.count
  }
}

/// Why a scenario cannot be run on a phone.
public struct PhoneWorldError: Error, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
