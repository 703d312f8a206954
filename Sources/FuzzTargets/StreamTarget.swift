import RollcallPrimitives
import RollcallSimulation
import RollcallTrace

extension FuzzTarget {
  /// Bytes choose what two hosts do with their streams, and what the network between them does. The reference of each
  /// direction is a queue of bytes: what arrives is the beginning of what was written, in order, and all of it in the
  /// end, where nobody broke the stream.
  package static let streams = FuzzTarget(name: "streams", kind: .machine, dictionary: streamWords, seeds: streamSeeds)
  {
    (bytes: [UInt8]) throws(FuzzFinding) in
    let schedule = StreamSchedule(bytes)
    let first = try schedule.run()
    try expect(first == (try StreamSchedule(bytes).run()), "the same input has two digests")
  }

  /// Connect; wait; write; finish; reset; pause.
  private static let streamWords = [
    "\u{0}\u{0}", "\u{1}\u{63}", "\u{2}\u{0}\u{7F}", "\u{3}\u{0}", "\u{4}\u{0}", "\u{5}\u{10}",
  ]

  /// Connect, write, wait, finish on both sides; the same with loss; a reset in the middle; a pause.
  private static let streamSeeds: [[UInt8]] = [
    [0, 0, 0, 1, 40, 2, 0, 9, 1, 40, 3, 0, 1, 40, 10, 0, 1, 40], [8, 0, 0, 1, 99, 2, 0, 200, 1, 99, 3, 0, 1, 99],
    [0, 0, 0, 1, 40, 2, 0, 255, 4, 0, 1, 40], [4, 0, 0, 1, 40, 5, 16, 2, 0, 255, 1, 99, 6, 16, 1, 99],
    [0, 0, 0, 1, 40, 7, 0, 2, 0, 40, 1, 60, 8, 1, 99], [0, 0, 0, 0, 1, 0, 2, 1, 40, 2, 0, 9, 2, 1, 9, 9, 0, 1, 40],
  ]
}

/// What a host wants next, and what became of its streams so far.
private final class PeerRecord {
  /// One side of a stream as the reference has it.
  struct Side {
    var written: [UInt8] = []
    var heard: [UInt8] = []
    var roomBytes = 0
    var isOpen = false
    var hasFinished = false
    var heardFinish = false
    /// It was reset here, or the host was told that it is over.
    var isBroken = false
    /// Who is at the other end.
    var local: Endpoint?
    var remote: Endpoint?
  }
  var pending: [StreamEffect] = []
  var addresses: [IPAddress] = []
  /// By number; in the order in which they began.
  var sides: [(id: StreamID, side: Side)] = []
  var finding: String?

  func update(_ id: StreamID, _ body: (inout Side) -> Void) {
    guard let index = sides.firstIndex(where: { $0.id == id }) else {
      finding = finding ?? "a signal for stream \(id.number), which was never there"
      return
    }
    body(&sides[index].side)
  }

  func take(_ signal: StreamSignal) {
    switch signal {
    case .opened(let id, let local):
      update(id) {
        if $0.isOpen { finding = "stream \(id.number) opens twice" }
        ($0.isOpen, $0.local) = (true, local)
      }
    case .accepted(let id, _, let local, let remote):
      if sides.contains(where: { $0.id == id }) { finding = "stream \(id.number) is accepted twice" }
      var side = Side()
      (side.isOpen, side.local, side.remote) = (true, local, remote)
      sides.append((id, side))
    case .bytes(let id, let bytes):
      update(id) {
        if bytes.isEmpty { finding = "no bytes are given" }
        // What was on its way to the machine when it broke the stream may still come.
        if $0.heardFinish { finding = "bytes behind the end of stream \(id.number)" }
        $0.heard += bytes
      }
    case .room(let id, let count): update(id) { $0.roomBytes += Int(count) }
    case .ended(let id, .finished):
      update(id) {
        if $0.heardFinish { finding = "stream \(id.number) ends twice" }
        $0.heardFinish = true
      }
    case .ended(let id, _): update(id) { $0.isBroken = true }
    }
  }
}

private struct ScriptedPeer: Machine {
  let record: PeerRecord
  var deadline: Instant? { nil }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    if case .value(let id) = signal, case .streams(let signal) = outbox.values[id] { record.take(signal) }
    for effect in record.pending { outbox.want(effect) }
    record.pending = []
    for address in record.addresses { outbox.readdress(address, on: InterfaceID(0)) }
    record.addresses = []
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}

private struct StreamSchedule {
  private static let port: UInt16 = 80
  private static let steps: [Interval] = [
    .zero, .microseconds(100), .milliseconds(1), .milliseconds(5), .milliseconds(30), .milliseconds(300), .seconds(2),
    .seconds(20),
  ]
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = Array(bytes.prefix(512)) }

  private static func address(_ host: Int) -> IPAddress { IPAddress(10, 0, 0, UInt8(host + 1)) }

  func run() throws(FuzzFinding) -> UInt64 {
    var choices = ByteChoices(bytes)
    let way = choices.byte()
    var rule = LinkRule(latency: way & 1 == 0 ? .constant(.milliseconds(1)) : .uniform(.zero ... .milliseconds(9)))
    if way & 2 != 0 { rule.bandwidth = 1_000_000 }
    if way & 12 != 0 { rule.loss = .uniform(.percent(UInt64(way >> 2 & 3) * 10)) }
    if way & 16 != 0 { rule.mtu = 576 }
    let records = [PeerRecord(), PeerRecord()]
    let hosts = (0..<2).map { number in
      HostPlan(
        name: "h\(number)",
        interfaces: [
          InterfacePlan(
            segment: 0, addresses: [InterfaceAddress(StreamSchedule.address(number), prefixBits: 24)], outbound: rule,
            inbound: rule)
        ])
    }
    let medium = StreamMedium(hostNames: ["h0", "h1"], seed: Seed(UInt64(choices.byte())))
    var plan = WorldPlan(
      network: NetworkPlan(segments: [SegmentPlan(name: "lan")], hosts: hosts), duration: .seconds(1), seed: Seed(1))
    plan.media = [medium]
    for record in records { plan.machines.append(ScriptedPeer(record: record)) }
    plan.eventsMaximum = 200_000
    var world = World(plan: plan)
    world.start()
    for host in 0..<2 {
      records[host].pending = [
        .listen(StreamID(1_000), at: Endpoint(IPAddress(v4: 0), port: StreamSchedule.port), InterfaceID(0))
      ]
      world.ask(.act(.send(script: 0)), ofHost: host)
    }
    var nextID: UInt32 = 1
    var hasMoved = false
    while !choices.isOver, records.allSatisfy({ $0.finding == nil }) {
      let (deed, which) = (choices.below(12), Int(choices.byte()))
      let host = which & 1
      let record = records[host]
      switch deed {
      case 0:
        let remote = Endpoint(
          StreamSchedule.address(which >> 1 & 1), port: StreamSchedule.port + UInt16(which >> 2 & 1))
        var side = PeerRecord.Side()
        side.remote = remote
        record.sides.append((StreamID(nextID), side))
        record.pending.append(.connect(StreamID(nextID), to: remote, InterfaceID(0)))
        nextID += 1
      case 1:
        world.run(until: world.now + StreamSchedule.steps[which >> 5])
        continue
      case 2, 9, 3, 10, 4, 5, 6:
        guard !record.sides.isEmpty else { continue }
        let id = record.sides[(which >> 1) % record.sides.count].id
        perform(deed, id, record, &choices)
      case 7: world.apply(.partition(number: 0, from: [host], to: [1 - host]))
      case 8: world.apply(.healPartition(number: 0))
      default:
        if deed == 11, which > 250, !hasMoved {
          hasMoved = true
          record.addresses = [IPAddress(10, 0, 0, 99)]
        }
      }
      world.ask(.act(.send(script: 0)), ofHost: host)
    }
    // Everything heals, everybody reads, and there is time for whatever is still to come.
    world.apply(.healEverything)
    for (host, record) in records.enumerated() {
      for (id, _) in record.sides { record.pending.append(.resume(id)) }
      world.ask(.act(.send(script: 0)), ofHost: host)
    }
    world.run(until: world.now + .seconds(200))
    for record in records { if let finding = record.finding { throw FuzzFinding(finding) } }
    try expect(world.reachedBudget == nil, "it goes on for ever")
    try check(records)
    return world.gate.digest.state
  }

  private func perform(_ deed: Int, _ id: StreamID, _ record: PeerRecord, _ choices: inout ByteChoices) {
    record.update(id) { side in
      switch deed {
      case 2, 9:
        let count = (Int(choices.byte()) + 1) * (deed == 2 ? 1 : 251)
        guard side.isOpen, !side.isBroken, !side.hasFinished, count <= side.roomBytes else { return }
        let start = side.written.count
        let part = (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ Int(id.number)) }
        side.written += part
        side.roomBytes -= count
        record.pending.append(.write(id, part))
      case 3, 10:
        guard side.isOpen, !side.isBroken else { return }
        side.hasFinished = true
        record.pending.append(.finish(id))
      case 4:
        side.isBroken = true
        record.pending.append(.reset(id))
      case 5: record.pending.append(.pause(id))
      default: record.pending.append(.resume(id))
      }
    }
  }

  /// Compares every side with the other end of its stream.
  private func check(_ records: [PeerRecord]) throws(FuzzFinding) {
    for (host, record) in records.enumerated() {
      for (id, side) in record.sides {
        // A stream that was opened here and accepted there has the same two endpoints.
        guard let local = side.local, let remote = side.remote else { continue }
        var other: PeerRecord.Side?
        for one in records {
          for (otherID, candidate) in one.sides where candidate.local == remote && candidate.remote == local {
            if one !== record || otherID != id { other = candidate }
          }
        }
        guard let other else {
          try expect(side.heard.isEmpty, "host \(host) stream \(id.number): bytes from nobody")
          continue
        }
        try expect(
          other.written.starts(with: side.heard), "host \(host) stream \(id.number): other bytes than were written")
        if side.isBroken || other.isBroken { continue }
        try expect(
          side.heard == other.written,
          "host \(host) stream \(id.number): \(side.heard.count) bytes of \(other.written.count)")
        try expect(side.heardFinish == other.hasFinished, "host \(host) stream \(id.number): the end is not told")
        try expect(
          side.hasFinished || side.roomBytes == StreamSize.bufferBytes,
          "host \(host) stream \(id.number): room for \(side.roomBytes) bytes in the end")
      }
    }
  }
}
