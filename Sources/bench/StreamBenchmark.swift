import Foundation
import RollcallPrimitives
import RollcallSimulation
import RollcallTrace

/// Bytes through one stream of a virtual LAN, and what a stream that nobody uses takes.
enum StreamBenchmark {
  private static let chunkBytes = StreamSize.bufferBytes

  static func run(_ options: Options, _ report: Report) -> UInt64 {
    report.note("streams: one sender writes as much as it has room for; the anchor copies chunks of the same size")
    // Before anything else, so that no memory is used again that was given back.
    let count = options.size(10_000, smoke: 10)
    let (world, bytes) = idleStreams(count)
    let megabytes = options.size(1_024, smoke: 1)
    let contest = Contest(
      [
        Contender("stream") { { (megabytes, throughOneStream(megabytes: megabytes)) } },
        Contender("copy") { { (megabytes, copied(megabytes: megabytes)) } },
      ], passes: options.passes(3))
    report.add(
      Figure(
        name: "a stream, for each MB", value: contest.median(0) / 1_000, unit: "us",
        anchor: ("memcpy of the chunks", contest.median(1) / 1_000), ratio: contest.ratio(0, to: 1),
        target: .atMost(2_500), aimsAtValue: true))
    report.add(
      Figure(name: "memory of an idle stream of \(count)", value: bytes, unit: "B", target: .atMost(2_048)))
    return Proof.fold(contest.proof, world)
  }

  /// Sends so many megabytes; the sum of what came.
  private static func throughOneStream(megabytes: Int) -> UInt64 {
    var world = world(sender: StreamSender(bytesLeft: megabytes << 20))
    world.start()
    world.run(until: .zero + .seconds(1_000_000))
    let heard = world.machine(ofHost: 1, as: StreamSink.self)?.byteCount ?? 0
    precondition(heard == megabytes << 20, "all of it arrives")
    return world.gate.digest.state
  }

  private static func copied(megabytes: Int) -> UInt64 {
    let source = [UInt8](repeating: 7, count: chunkBytes)
    var target = [UInt8](repeating: 0, count: chunkBytes)
    var sum: UInt64 = 0
    for _ in 0..<(megabytes << 20) / chunkBytes {
      target.withUnsafeMutableBytes { to in source.withUnsafeBytes { to.copyMemory(from: $0) } }
      sum = Proof.fold(sum, UInt64(target[chunkBytes / 2]))
    }
    return sum
  }

  /// The digest of a world with so many streams, and the memory that each takes while they stand.
  private static func idleStreams(_ count: Int) -> (digest: UInt64, bytes: Double) {
    let before = ResidentMemory.now ?? 0
    var world = world(sender: StreamSender(bytesLeft: 0, streamCount: count))
    world.start()
    world.run(until: .zero + .seconds(10))
    let open = world.machine(ofHost: 1, as: StreamSink.self)?.acceptedCount ?? 0
    precondition(open == count, "all of them stand")
    let bytes = Double((ResidentMemory.now ?? 0) - before) / Double(count)
    return (world.gate.digest.state, bytes)
  }

  private static func world(sender: StreamSender) -> World {
    let hosts = (0..<2).map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(
            segment: 0, addresses: [InterfaceAddress(IPAddress(10, 0, 0, UInt8(number + 1)), prefixBits: 24)],
            outbound: LinkRule(latency: .constant(.microseconds(100))))
        ])
    }
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(1), seed: Seed(1))
    plan.media = [StreamMedium(hostNames: ["h0", "h1"], seed: Seed(1))]
    plan.machines.append(sender)
    plan.machines.append(StreamSink())
    return World(plan: plan)
  }
}

private struct StreamSender: Machine {
  static let chunk = [UInt8](repeating: 7, count: StreamSize.bufferBytes)
  var bytesLeft: Int
  var streamCount = 1
  var hasBegun = false
  var deadline: Instant? { hasBegun ? nil : .zero + .seconds(1) }

  init(bytesLeft: Int, streamCount: Int = 1) { (self.bytesLeft, self.streamCount) = (bytesLeft, streamCount) }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal, case .streams(.room(let stream, let room)) = outbox.values[id], bytesLeft > 0
    else { return }
    let count = min(Int(room), bytesLeft)
    bytesLeft -= count
    let bytes = count == StreamSender.chunk.count ? StreamSender.chunk : Array(StreamSender.chunk.prefix(count))
    outbox.want(StreamEffect.write(stream, bytes))
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    guard !hasBegun, now >= .zero + .seconds(1) else { return }
    hasBegun = true
    for number in 1...streamCount {
      let server = Endpoint(IPAddress(10, 0, 0, 2), port: 80)
      outbox.want(StreamEffect.connect(StreamID(UInt32(number)), to: server, InterfaceID(0)))
    }
  }
}

private struct StreamSink: Machine {
  private(set) var byteCount = 0
  private(set) var acceptedCount = 0
  var deadline: Instant? { nil }

  init() {}

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal else { return }
    switch outbox.values[id] {
    case .host(.interface):
      outbox.want(StreamEffect.listen(StreamID(1), at: Endpoint(IPAddress(v4: 0), port: 80), InterfaceID(0)))
    case .streams(.bytes(_, let bytes)): byteCount += bytes.count
    case .streams(.accepted): acceptedCount += 1
    default: break
    }
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}
