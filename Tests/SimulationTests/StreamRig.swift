import RollcallPrimitives
import RollcallTrace

@testable import RollcallSimulation

/// What reached the machines of a test, as lines: `120 a 1 opened 10.0.0.1:49152`.
final class StreamLog {
  var lines: [String] = []
  /// Every byte that a machine was given, by `a 1`.
  var heard: [String: [UInt8]] = [:]
  var wasWritten: [String: [UInt8]] = [:]
  /// How the streams ended that did not only finish.
  var broken: [String: StreamEnd] = [:]
}

/// A machine that does what its plan says, and answers what it is given.
struct Talker: Machine {
  var name: String
  var log: StreamLog
  var plan: [(at: Int64, effect: StreamEffect)] = []
  var address: (at: Int64, IPAddress)?
  var answer: ((StreamSignal) -> [StreamEffect])?
  /// Whether bytes and room are lines of the log.
  var isVerbose = true

  var deadline: Instant? {
    let times = [plan.first?.at, address?.at].compactMap { $0 }
    return times.min().map { .zero + .milliseconds($0) }
  }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal, case .streams(let signal) = outbox.values[id] else { return }
    let time = now.nanoseconds / 1_000_000
    switch signal {
    case .bytes(let stream, let bytes):
      log.heard["\(name) \(stream.number)", default: []] += bytes
      if isVerbose { log.lines.append("\(time) \(name) \(stream.number) bytes \(bytes.count)") }
    case .room(let stream, let count):
      if isVerbose { log.lines.append("\(time) \(name) \(stream.number) room \(count)") }
    case .ended(let stream, let end) where end != .finished:
      log.broken["\(name) \(stream.number)"] = end
      log.lines.append("\(time) \(name) \(stream.number) \(end.rawValue)")
    default: log.lines.append("\(time) \(name) " + signal.text.dropFirst("stream ".count))
    }
    for effect in answer?(signal) ?? [] { want(effect, &outbox) }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if let (at, address) = address, Instant.zero + .milliseconds(at) <= now {
      self.address = nil
      outbox.readdress(address, on: InterfaceID(0))
    }
    while let next = plan.first, Instant.zero + .milliseconds(next.at) <= now {
      plan.removeFirst()
      want(next.effect, &outbox)
    }
  }

  private func want(_ effect: StreamEffect, _ outbox: inout Outbox) {
    if case .write(let stream, let bytes) = effect { log.wasWritten["\(name) \(stream.number)", default: []] += bytes }
    outbox.want(effect)
  }
}

/// A LAN with hosts `a`, `b`, … at 10.0.0.1, 10.0.0.2, …, and streams between them.
struct StreamRig {
  var log = StreamLog()
  var rule = LinkRule(latency: .constant(.milliseconds(5)))
  /// From the switch to a host, where it differs.
  var inbound: LinkRule?
  var configure: (StreamMedium) -> Void = { _ in }
  var talkers: [Talker]
  var faults: [(time: Instant, fault: Fault)] = []
  var seed: UInt64 = 1
  var isUp = true

  static func address(_ host: Int) -> IPAddress { IPAddress(10, 0, 0, UInt8(host + 1)) }
  static let v6: [IPAddress] = (1...2).map { IPAddress(v6High: 0xFE80 << 48, low: $0) }
  static let global: [IPAddress] = (1...2).map { IPAddress(v6High: 0x2001_0DB8 << 32, low: $0) }
  static let interface = InterfaceID(0)

  init(_ plans: [[(at: Int64, effect: StreamEffect)]]) {
    talkers = []
    for (number, plan) in plans.enumerated() {
      talkers.append(Talker(name: ["a", "b", "c", "d"][number], log: log, plan: plan))
    }
  }

  var plan: WorldPlan {
    let hosts = talkers.enumerated().map { number, talker in
      var addresses = [InterfaceAddress(StreamRig.address(number), prefixBits: 24)]
      if number < 2 {
        addresses.append(InterfaceAddress(StreamRig.global[number], prefixBits: 64))
        addresses.append(InterfaceAddress(StreamRig.v6[number], prefixBits: 64))
      }
      return HostPlan(
        name: talker.name,
        interfaces: [
          InterfacePlan(segment: 0, addresses: addresses, outbound: rule, inbound: inbound ?? rule, isUpAtStart: isUp)
        ])
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(1), seed: Seed(seed))
    for talker in talkers { plan.machines.append(talker) }
    plan.faults = faults
    return plan
  }

  /// Runs, and says how many streams are not over.
  @discardableResult func run(
    seconds: Int64 = 200, recorder: Recorder? = nil
  ) -> (open: Int, digest: UInt64, lost: Int) {
    let medium = StreamMedium(hostNames: talkers.map(\.name), seed: Seed(seed))
    configure(medium)
    var plan = plan
    plan.media = [medium]
    // Machines that have no plan of their own are woken by their first signal.
    var world = World(plan: plan, recorder: recorder)
    world.start()
    world.run(until: .zero + .seconds(seconds))
    return (medium.streamCount, world.gate.digest.state, world.network.statistics.streamSegmentsLost)
  }

  func lines(seconds: Int64 = 200) -> [String] {
    run(seconds: seconds)
    return log.lines
  }
}

/// Bytes that say where they stand.
func numbered(_ count: Int, from start: Int = 0) -> [UInt8] {
  (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }
}
