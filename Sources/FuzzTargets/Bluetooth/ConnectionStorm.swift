import RollcallDevices
package import RollcallDiscovery
package import RollcallPrimitives
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// A central that connects to peripherals and disconnects from them at random, for two virtual minutes, while packets
/// are lost, radios are switched off and peripherals have bad habits, come and go.
///
/// Each attempt to connect ends once, each connection that stands ends once, and so does each request; what is kept is
/// bounded, and nothing of it is left in the end.
package struct ConnectionStorm: ~Copyable {
  /// What happened; the same for the same seed.
  package struct Outcome: Equatable, Sendable {
    /// Attempts to connect, those among them that led to a connection, and those that failed or were given up.
    package var attempts = 0
    package var connected = 0
    package var unconnected = 0
    /// Ends of connections.
    package var disconnected = 0
    /// The most connections that the air kept at a time, those included that one side alone believed in.
    package var linksMaximum = 0
    package var digest: UInt64 = 0

    package init() {}

    package static func += (left: inout Outcome, right: Outcome) {
      left.attempts += right.attempts
      left.connected += right.connected
      left.unconnected += right.unconnected
      left.disconnected += right.disconnected
      left.linksMaximum = max(left.linksMaximum, right.linksMaximum)
      left.digest = left.digest &* 31 &+ right.digest
    }
  }

  static let peripherals = 6
  /// Each radio has room for 16 connections, and each of them is kept while one of its two sides attends.
  static let linksMaximum = 16 + 2 * peripherals

  private var dice: RandomStream
  private var world: World
  private let medium: RadioMedium
  private var stories: [ClientStory] = []
  private var reportCount = 0
  private var outcome = Outcome()

  package static func run(seed: Seed, planting switches: EngineSwitches = []) throws(FuzzFinding) -> Outcome {
    var storm = ConnectionStorm(seed: seed, switches)
    return try storm.run()
  }

  private init(seed: Seed, _ switches: EngineSwitches) {
    var dice = seed.stream("storm")
    let names = (0...ConnectionStorm.peripherals).map { "r\($0)" }
    medium = RadioMedium(
      RadioPlan(
        radios: names.enumerated().map { ConnectionStorm.radio($1, isCentral: $0 == 0, &dice) },
        air: AirPlan(shadowingMillidecibels: 3_000)), seed: seed)
    var plan = WorldPlan(
      network: NetworkPlan(
        segments: [SegmentPlan(name: "lan")], hosts: names.map { HostPlan(name: $0, interfaces: []) }),
      duration: .seconds(1), seed: seed)
    plan.media = [medium]
    var configuration = EngineConfiguration()
    configuration.switches = switches
    configuration.scan = dice.below(2) == 0 ? nil : ScanPolicy(.active)
    plan.machines.append(DiscoveryEngine(configuration))
    for number in 1...ConnectionStorm.peripherals {
      let quirks = PeripheralQuirk.allCases.filter { _ in dice.below(8) == 0 }
      var device = AttributeParts.plan(
        mtu: UInt16(23 + dice.below(225)), quirks: quirks, connections: 1 + Int(dice.below(2)))
      device.address = .fixed(ConnectionStorm.address(number))
      device.interval = .milliseconds(20 + Int64(dice.below(200)))
      plan.machines.append(Peripheral(device, name: names[number]))
      plan.commands.append((time: .zero, host: number, command: .act(.appear)))
    }
    world = World(plan: plan)
    stories = (1...ConnectionStorm.peripherals).map { _ in ClientStory(asksAll: true) }
    self.dice = dice
  }

  private static func address(_ number: Int) -> RadioAddress {
    RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(number), isRandom: true)
  }

  /// Some are at the edge of what the central hears; one in three is switched off for a while, now and then.
  private static func radio(_ name: String, isCentral: Bool, _ dice: inout RandomStream) -> RadioHostPlan {
    var radio = RadioHostPlan(
      name: name, position: isCentral ? Position() : Position(x: Int64(dice.below(300_000)), y: 1_000),
      loss: .uniform(.percent(dice.below(40))))
    guard dice.below(3) == 0 else { return radio }
    var time = Instant.zero
    for _ in 0..<3 {
      time += .milliseconds(500) + dice.interval(in: .zero ... .seconds(30))
      radio.switches.append(RadioSwitch(at: time, isOn: false))
      time += .milliseconds(1) + dice.interval(in: .zero ... .seconds(8))
      radio.switches.append(RadioSwitch(at: time, isOn: true))
    }
    return radio
  }

  private mutating func run() throws(FuzzFinding) -> Outcome {
    world.start()
    for _ in 0..<300 {
      world.run(until: world.now + dice.interval(in: .zero ... .milliseconds(800)))
      try read()
      let number = 1 + Int(dice.below(UInt64(ConnectionStorm.peripherals)))
      switch dice.below(16) {
      case 0: world.ask(.act(act()), ofHost: number)
      case 1...7: try ask(.connect, of: number)
      case 8...10: try ask(.disconnect, of: number)
      case 11, 12: try ask(.discover, of: number)
      case 13: try ask(.read(.handle(UInt16(1 + dice.below(30)))), of: number)
      case 14: try ask(.notify(.handle(UInt16(1 + dice.below(30))), dice.below(2) == 0), of: number)
      default:
        let value = [UInt8](repeating: 7, count: Int(dice.below(400)))
        try ask(.write(.handle(19), value, withResponse: true), of: number)
      }
    }
    return try finish()
  }

  private mutating func act() -> Act {
    switch dice.below(7) {
    case 0: .leave
    case 1: .vanish
    case 2: .crash(downFor: dice.interval(in: .zero ... .seconds(5)), keepsState: false)
    case 3: .reboot
    case 4: .reconfigure
    default: .appear
    }
  }

  private mutating func ask(_ request: CentralCommand.Request, of number: Int) throws(FuzzFinding) {
    let attempt = stories[number - 1].attempt
    let failures = stories[number - 1].asked(request, isEnding: false)
    world.ask(.peripheral(CentralCommand(ConnectionStorm.address(number), request)), ofHost: 0)
    try read()
    let told = stories[number - 1].connectFailures
    stories[number - 1].connectFailures = 0
    // The engine may be about to end a connection whose server does not answer as it should.
    let mayFail = request == .disconnect && attempt != .none
    try expect(told == failures || mayFail && told == 1, "\(request): \(told) failures to connect, not \(failures)")
    if request == .connect, attempt == .none { outcome.attempts += 1 }
  }

  /// What was reported since the last time.
  private mutating func read() throws(FuzzFinding) {
    while reportCount < world.reports.count {
      let report = world.reports[reportCount].report
      reportCount += 1
      guard let number = (1...ConnectionStorm.peripherals).first(where: { isAbout($0, report) }) else { continue }
      let before = stories[number - 1].attempt
      if case .peripheral(let one) = report, case .connectionFailed(let end) = one.event {
        stories[number - 1].controllerEnd = end
        try expect(end != .notEstablished, "an attempt that was not heard is not made again")
      }
      // Who is lost because the radio is off may be told so before the end of the connection is.
      if case .lost(_, .interface) = report { continue }
      try stories[number - 1].tell(report)
      switch (before, stories[number - 1].attempt) {
      case (.pending, .connected): outcome.connected += 1
      case (.pending, .none): outcome.unconnected += 1
      case (.connected, .none): outcome.disconnected += 1
      default: break
      }
    }
    outcome.linksMaximum = max(outcome.linksMaximum, medium.linkCount)
    try expect(medium.linkCount <= ConnectionStorm.linksMaximum, "\(medium.linkCount) connections are kept")
    let broken = world.machine(ofHost: 0, as: DiscoveryEngine.self)?.brokenInvariants ?? []
    try expect(broken.isEmpty, broken.joined(separator: "; "))
  }

  private func isAbout(_ number: Int, _ report: Report) -> Bool {
    report.device == ConnectionStorm.address(number).deviceName
  }

  /// All is given up, and there is time for whoever waits for somebody who is gone.
  private mutating func finish() throws(FuzzFinding) -> Outcome {
    for number in 1...ConnectionStorm.peripherals where stories[number - 1].attempt != .none {
      try ask(.disconnect, of: number)
    }
    world.run(until: world.now + .seconds(40))
    try read()
    for number in 1...ConnectionStorm.peripherals {
      try expect(stories[number - 1].attempt == .none, "peripheral \(number) was given up, and nothing was told of it")
      try expect(stories[number - 1].isQuiet, "peripheral \(number): something that was asked has no end")
    }
    try expect(medium.linkCount == 0, "\(medium.linkCount) connections are left")
    try expect(world.reachedBudget == nil, "it goes on for ever")
    try expect(outcome.connected == outcome.disconnected, "a connection has no end")
    try expect(outcome.attempts == outcome.connected + outcome.unconnected, "an attempt has no end")
    outcome.digest = world.gate.digest.state
    return outcome
  }
}
