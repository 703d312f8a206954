import RollcallPrimitives
import RollcallTrace
import RollcallWire

@testable import RollcallSimulation

/// What a radio of a test heard.
struct HeardPacket: Equatable {
  var time: Instant
  var kind: AdvertisingPDU.Kind
  var sender: RadioAddress
  var channel: UInt8?
  var strength: Int8?
}

/// What a radio of a test was told of a connection.
struct LinkNote: Equatable {
  var time: Instant
  var number: LinkID
  var signal: LinkSignal
}

/// Wants what its plan says at its times, and keeps what it is given.
struct ScriptedRadio: Machine {
  var plan: [(at: Instant, effect: RadioEffect)] = []
  var heard: [HeardPacket] = []
  var power: [String] = []
  var links: [LinkNote] = []
  /// What it says on each connection that somebody else opened, as soon as it stands.
  var greeting: [LinkEffect] = []
  /// It sends every frame back.
  var echoes = false

  /// The signals alone.
  var linkSignals: [LinkSignal] { links.map(\.signal) }
  /// The frames that came, one behind the other.
  var frames: [[UInt8]] {
    linkSignals.compactMap { signal in
      if case .frame(let bytes) = signal { return bytes }
      return nil
    }
  }

  var deadline: Instant? { plan.first?.at }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal else { return }
    switch outbox.values[id] {
    case .radio(.heard(let packet)):
      guard let pdu = packet.bytes.withUnsafeBytes({ try? AdvertisingPDU($0) }), let sender = pdu.sender else { return }
      heard.append(
        HeardPacket(time: now, kind: pdu.kind, sender: sender, channel: packet.channel, strength: packet.strength))
    case .radio(.link(let number, let signal)):
      links.append(LinkNote(time: now, number: number, signal: signal))
      switch signal {
      case .connected(.peripheral, _, _, _): for effect in greeting { outbox.want(RadioEffect.link(number, effect)) }
      case .frame(let bytes) where echoes: outbox.want(RadioEffect.link(number, .send(bytes)))
      default: break
      }
    case .host(.power(let state)): power.append("\(state) at \(now - Instant.zero)")
    default: break
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    while let next = plan.first, next.at <= now {
      plan.removeFirst()
      outbox.want(next.effect)
    }
  }
}

/// Radios in a world of their own, on no LAN.
struct RadioRig {
  var radios: [RadioHostPlan] = []
  var machines: [ScriptedRadio] = []
  var air = AirPlan()
  var heal: Instant?
  var seed = Seed(1)
  /// Shown every packet that goes on the air.
  var tap: RadioMedium.Tap?

  @discardableResult mutating func add(
    x: Int64 = 0, y: Int64 = 0, _ change: (inout RadioHostPlan) -> Void = { _ in }, wants: [(Instant, RadioEffect)] = []
  ) -> Int {
    var plan = RadioHostPlan(name: "r\(radios.count)", position: Position(x: x, y: y))
    change(&plan)
    radios.append(plan)
    machines.append(ScriptedRadio(plan: wants.map { (at: $0.0, effect: $0.1) }))
    return radios.count - 1
  }

  /// A radio that advertises `byteCount` bytes of data from `at` on.
  @discardableResult mutating func addAdvertiser(
    x: Int64 = 1_000, y: Int64 = 0, kind: AdvertisingPDU.Kind = .nonconnectable, every: Interval = .milliseconds(100),
    byteCount: Int = 0, response: [UInt8]? = nil, at: Instant = .zero,
    _ change: (inout RadioHostPlan) -> Void = { _ in }
  ) -> Int {
    let address = RadioRig.address(radios.count)
    let pdu = AdvertisingPDU.bytes(kind, from: address, data: [UInt8](repeating: 0, count: byteCount))
    let answer = response.map { AdvertisingPDU.bytes(.scanResponse, from: address, data: $0) } ?? []
    return add(
      x: x, y: y, change, wants: [(at, .advertise(set: 0, every: every, pdu: pdu, response: answer))])
  }

  /// A radio that listens all the time.
  @discardableResult mutating func addScanner(
    x: Int64 = 0, window: Interval = .milliseconds(30), interval: Interval = .milliseconds(30), isActive: Bool = false,
    at: Instant = .zero, _ change: (inout RadioHostPlan) -> Void = { _ in }
  ) -> Int {
    add(x: x, change, wants: [(at, .scan(window: window, interval: interval, isActive: isActive))])
  }

  static func address(_ radio: Int) -> RadioAddress {
    RadioAddress(bits: 0xC0FF_EE00_0000 | UInt64(radio), isRandom: true)
  }

  /// Runs all of it, and gives the machines back as they are then.
  func run(for duration: Interval) -> (machines: [ScriptedRadio], medium: RadioMedium, digest: UInt64) {
    let hosts = radios.map { HostPlan(name: $0.name, interfaces: []) }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: duration, seed: seed)
    for machine in machines { plan.machines.append(machine) }
    let medium = RadioMedium(RadioPlan(radios: radios, air: air, heal: heal), seed: seed)
    medium.tap = tap
    plan.media = [medium]
    var world = World(plan: plan)
    world.start()
    world.run(until: .zero + duration)
    return (Array(world.all(ScriptedRadio.self)), medium, world.gate.digest.state)
  }
}
