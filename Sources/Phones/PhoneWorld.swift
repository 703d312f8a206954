public import CoreBluetooth
import Foundation
import RollcallDiscovery
import MultipeerConnectivity
import RollcallConnect
import RollcallDoors
import RollcallPeers
public import RollcallPrimitives
import RollcallReporting
import RollcallRunning
package import RollcallScenarios
package import RollcallSessions
import RollcallSimulation
import RollcallTrace
import Synchronization

/// A scenario whose engine is a phone, with others beside it: its inhabitants of the kind `phone`, and those that code
/// adds. Applications that are written for CoreBluetooth and MultipeerConnectivity run there.
///
///     let world = try PhoneWorld("lamp.yaml")
///     let app = world.enter { LampApp() }
///     world.run(for: .seconds(10))
///
/// Managers and nearby objects that are made inside `enter` attach to the phone. Callbacks run on the queues of their
/// managers, those of nearby objects on one of the phone; before virtual time moves, the world waits until these queues
/// are empty. It is used from one thread.
public final class PhoneWorld {
  private var phones: [DrivenPhone]
  var world: World
  private let end: Instant
  /// How many reports of the engines the phones have taken.
  private var takenReports = 0
  private let calls: OutsideCalls
  private let watch: CallWatch
  /// Phones that are out of reach.
  var unreachable: [Int] = []

  /// The phone in the place of the engine.
  package var phone: SimulatedPhone { phones[0].phone }

  /// Reads a scenario file; its timeline runs as it stands.
  /// - Parameters:
  ///   - others: phones beside that in the place of the engine and those of the scenario.
  ///   - crashes: when the Bluetooth of the phone in the place of the engine crashes; it comes back by itself.
  ///   - nearby: how the nearby sides of all phones behave that say nothing else.
  /// - Throws: an error with the place of each mistake, or why the file cannot be read.
  public convenience init(
    _ path: String, seed: UInt64 = 1, others: [OtherPhone] = [], crashes: [Interval] = [],
    nearby: NearbySettings = NearbySettings()
  ) throws {
    let file = try ScenarioFile.read(path)
    guard let point = try file.scenario.points().first else { throw PhoneWorldError("\(path): no point to run") }
    let resolved = try point.scenario.resolved()
    let names = resolved.hosts.map(\.name) + others.map(\.name)
    if Set(names).count < names.count { throw PhoneWorldError("\(path): two hosts or phones have one name") }
    self.init(resolved, seed: Seed(seed), others: others, crashes: crashes, nearby: nearby)
  }

  /// - Parameter cipher: the cryptography of sessions; that of the room `Sealing` is not built with the others.
  package init(
    _ resolved: Resolved, seed: Seed, others: [OtherPhone] = [], crashes: [Interval] = [],
    nearby: NearbySettings = NearbySettings(),
    cipher: @escaping @Sendable ([UInt8]) -> any SessionCipher = { StandInCipher(seed: $0) }
  ) {
    var resolved = resolved
    if resolved.radio == nil { resolved.radio = RadioPlan(radios: resolved.hosts.map { _ in nil }) }
    if resolved.radio?.radios[0] == nil { resolved.radio?.radios[0] = RadioHostPlan(name: resolved.hosts[0].name) }
    var times = seed.stream("engine/crash")
    let resets = crashes.map { Instant.zero + $0 }
    for reset in resets {
      let back = reset + times.interval(in: PhoneWorld.crashTimes)
      resolved.radio?.radios[0]?.switches += [RadioSwitch(at: reset, isOn: false), RadioSwitch(at: back, isOn: true)]
    }
    resolved.radio?.radios[0]?.switches.sort { $0.at < $1.at }
    let phone = SimulatedPhone(name: resolved.hosts[0].name, resets: resets)
    var phones = [PhoneWorld.driven(phone, host: 0, seed, nearby, resolved.scenario.engine.user)]
    var settings = [nearby]
    for (host, resident) in resolved.hosts.enumerated() {
      guard case .other(.phone(let user)) = resident.role else { continue }
      phones.append(PhoneWorld.driven(SimulatedPhone(name: resident.name, host: host), host: host, seed, nearby, user))
      settings.append(nearby)
      (resolved.hosts[host].role, resolved.hosts[host].appear) = (.engine, .never)
    }
    for other in others {
      let host = resolved.hosts.count
      settings.append(other.nearby ?? nearby)
      phones.append(
        PhoneWorld.driven(SimulatedPhone(name: other.name, host: host), host: host, seed, other.nearby ?? nearby))
      var body = resolved.hosts[0]
      (body.name, body.appear) = (other.name, .never)
      resolved.hosts.append(body)
      resolved.plan.hosts.append(resolved.plan.host(beside: 0, named: other.name))
      resolved.radio?.radios.append(
        RadioHostPlan(name: other.name, position: Position(x: other.eastMillimetres, y: other.northMillimetres)))
    }
    let configuration = resolved.scenario.engine.configurationWithUser
    var number = 0
    let plan = Stage.plan(
      resolved, seed: seed,
      engine: { machines in
        let driven = phones[number]
        var dice = seed.stream("phone/\(driven.phone.name)")
        var configuration = configuration
        configuration.querySeed = Seed(dice.next())
        let plan = settings[number].plan(host: "phone-\(driven.host)", cipher)
        let device = PeerDevice(plan, seed: seed, name: "nearby/\(driven.phone.name)")
        machines.append(
          PhoneMachine(
            configuration, heard: driven.heard, nearby: (device, driven.box), engineHearsNetwork: number == 0))
        number += 1
      })
    let calls = OutsideCalls()
    (self.phones, end, self.calls) = (phones, resolved.end, calls)
    watch = CallWatch { calls.add($0) }
    world = World(plan: plan)
    for driven in phones { driven.phone.queues.watch(watch) }
    world.beforeTimeMoves = { [unowned self] world in self.settle(&world) }
    world.start()
  }

  private static func driven(
    _ phone: SimulatedPhone, host: Int, _ seed: Seed, _ settings: NearbySettings, _ user: PhoneUser = PhoneUser()
  ) -> DrivenPhone {
    DrivenPhone(
      phone, host: host,
      nearby: SimulatedNearbyDevice(
        name: phone.name, seed: seed, queues: phone.queues, policies: settings.doorPolicies, user: user))
  }

  /// How long a phone's Bluetooth is away after a crash.
  private static let crashTimes = Interval.milliseconds(200)...Interval.seconds(2)

  /// Runs code of an application on the phone in the place of the engine, or on another one.
  /// - Precondition: there is a phone of that name.
  public func enter<Result>(_ other: String? = nil, _ body: () throws -> Result) rethrows -> Result {
    watch.begin(.still)
    let driven = driven(other)
    return try PhoneLink.$current.withValue(driven.phone) {
      try NearbyLink.$current.withValue(driven.nearby) {
        try DiscoveryLink.$current.withValue(driven.discovery) { try body() }
      }
    }
  }

  /// Takes a queue of an application into the waiting, besides those of its managers: calls from there are made at an
  /// instant that the world knows.
  public func wait(for queue: DispatchQueue, on other: String? = nil) { phone(other).queues.add(queue) }

  /// What applications called from outside: on a task, a timer, or a queue that the world does not wait for. Each took
  /// effect at the instant that the world had reached by chance, so the run may not be the same another time.
  public var outsideCalls: [OutsideInput] { calls.all }

  /// Whether the same applications and seed give the same run: nothing was called from outside.
  public var isReproducible: Bool { calls.all.isEmpty }

  package func phone(_ other: String?) -> SimulatedPhone { driven(other).phone }

  func driven(_ other: String?) -> DrivenPhone {
    guard let other else { return phones[0] }
    guard let driven = phones.first(where: { $0.phone.name == other }) else {
      preconditionFailure("there is no phone \(other)")
    }
    return driven
  }

  /// What the person allows applications on a phone.
  public func authorize(_ authorization: CBManagerAuthorization, on other: String? = nil) {
    phone(other).authorize(authorization)
  }

  /// Applications of a phone go to the background, or come back.
  public func setBackground(_ isInBackground: Bool, on other: String? = nil) {
    phone(other).setBackground(isInBackground)
    driven(other).nearby?.setBackground(isInBackground)
  }

  /// The system ends the applications of a phone: what they still hold is of no use. Managers that are made after that
  /// with the restore identifiers of before are given what was kept.
  public func endApplications(on other: String? = nil) {
    phone(other).endApplications()
    driven(other).nearby?.endApplications()
  }

  /// The present instant of the virtual world.
  public var now: Instant { world.now }

  /// Lets virtual time run on, not beyond the end of the scenario.
  public func run(for duration: Interval) {
    let until = min(world.now + duration, end)
    watch.begin(.running)
    defer { watch.begin(.still) }
    world.run(until: until)
    // What was pushed at the last instant is done before this returns.
    while settle(&world) {}
  }

  /// The sum over everything that happened so far: the same applications and seed give the same.
  public var digest: Digest { world.gate.digest }

  // MARK: - Between two instants

  /// Tells the doors what happened, waits for the applications, and does what they asked; whether they asked anything.
  private func settle(_ world: inout World) -> Bool {
    calls.now = world.now
    // From here on: a callback may run as soon as it is put on its queue.
    watch.begin(.waiting)
    for driven in phones { driven.tell(at: world.now) }
    tellReports(world)
    for driven in phones { driven.phone.queues.drain() }
    watch.begin(.running)
    var isBusy = false
    for place in phones.indices where perform(place, &world) { isBusy = true }
    return isBusy
  }

  private func tellReports(_ world: borrowing World) {
    for (place, driven) in phones.enumerated() {
      guard let changes = world.all(PhoneMachine.self)[place].engine.managedChanges,
        driven.discovery.wantsDevices(afterChanges: changes)
      else { continue }
      let devices = world.all(PhoneMachine.self)[place].engine.managedDevices
      driven.discovery.show(devices.map { PresentDevice(id: $0.id, state: $0.state) })
    }
    while takenReports < world.reports.count {
      let report = world.reports[takenReports]
      takenReports += 1
      if let driven = phones.first(where: { $0.host == Int(report.station) }) {
        driven.phone.take(report.report, at: report.time)
        driven.discovery.take(report.report)
      }
    }
    for (place, driven) in phones.enumerated() {
      // In place: the machine is large.
      driven.phone.look(at: world.all(PhoneMachine.self)[place].engine.links)
    }
  }

  /// Does what the applications of a phone asked; whether they asked anything.
  private func perform(_ place: Int, _ world: inout World) -> Bool {
    let host = phones[place].host
    let work = phones[place].takeWork(whileEngineScans: world.all(PhoneMachine.self)[place].engine.radioScan)
    if let permission = work.permission {
      world.give(.host(.permission(.bluetooth, permission)), toHost: host)
    }
    for command in work.commands { world.ask(.peripheral(command), ofHost: host) }
    for effect in work.effects { world.want(effect, ofHost: host) }
    let asked = phones[place].discovery.takeCommands()
    for command in asked { world.ask(command, ofHost: host) }
    if work.isEarlier { world.look(atHost: host) }
    return work.isBusy || !asked.isEmpty
  }
}

/// A phone beside that in the place of the engine.
public struct OtherPhone: Sendable {
  /// What its applications are entered by, and its name for who connects to it.
  public var name: String
  /// Where it is; the middle of the world is at zero.
  public var eastMillimetres: Int64
  public var northMillimetres: Int64
  /// How its nearby side behaves; `nil`: as that of the world's phones.
  public var nearby: NearbySettings?

  public init(
    _ name: String, eastMillimetres: Int64 = 0, northMillimetres: Int64 = 0, nearby: NearbySettings? = nil
  ) {
    self.name = name
    self.nearby = nearby
    self.eastMillimetres = eastMillimetres
    self.northMillimetres = northMillimetres
  }
}

/// Why a scenario cannot be run on a phone.
public struct PhoneWorldError: Error, CustomStringConvertible {
  public let description: String
  init(_ description: String) { self.description = description }
}
