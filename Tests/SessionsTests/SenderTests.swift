import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("The sending half of a connection")
struct SenderTests {
  private func acknowledge(_ sender: inout ReliableSender, next: Int, bits: [UInt8], packet: Int) -> Bool {
    bits.withUnsafeBytes { sender.acknowledged(next: next, bits: $0, packet: packet, nextPacket: 10_000) }
  }

  @Test("a piece is lost when a packet three later was heard, not two")
  func reordering() {
    for (packet, lost) in [(2, 0), (3, 1), (4, 2)] {
      var sender = ReliableSender()
      for number in 0..<6 {
        sender.messages.append([1])
        expectEqual(sender.take(room: 100, maximum: 100, packet: number), number)
      }
      // Nothing but the piece in that packet was heard.
      #expect(acknowledge(&sender, next: 0, bits: [1 << UInt8(packet - 1)], packet: packet))
      expectEqual(sender.lostCount, lost, "packet \(packet)")
      expectEqual(sender.flyingCount, 5 - lost)
    }
  }

  @Test("1 024 pieces behind the first that is not acknowledged may be sent, and no more")
  func window() {
    var sender = ReliableSender()
    sender.messages.append([UInt8](repeating: 1, count: 3_000))
    for _ in 0..<40 {
      while sender.take(room: 1, maximum: 1, packet: 0) != nil {}
      let heard = sender.next - 1
      var bits = [UInt8](repeating: 255, count: heard / 8)
      if heard % 8 > 0 { bits.append(UInt8(1 << (heard % 8) - 1)) }
      #expect(acknowledge(&sender, next: 0, bits: bits, packet: 0))
    }
    expectEqual(sender.next, 1_024)
    #expect(!sender.hasWork)
    #expect(acknowledge(&sender, next: 1, bits: [], packet: 0))
    expectEqual(sender.base, 1)
    #expect(sender.hasWork)
    expectEqual(sender.take(room: 1, maximum: 1, packet: 0), 1_024)
    expectEqual(sender.take(room: 1, maximum: 1, packet: 0), nil)
    #expect(!sender.hasWork)
  }

  @Test("channels take turns, piece by piece")
  func turns() {
    var sender = ReliableSender()
    for number in 1...3 as ClosedRange<UInt32> {
      var channel = OutgoingChannel(kind: .resource, number: number, credit: 0)
      channel.queue.append([UInt8](repeating: 1, count: 8))
      sender.channels.append(channel)
    }
    var found: [UInt32] = []
    while let sequence = sender.take(room: 100, maximum: 4, packet: 0) { found.append(sender.piece(sequence).channel) }
    expectEqual(found, [1, 2, 3, 1, 2, 3])
  }

  @Test("eight packets are acknowledged at once, fewer after 10 ms")
  func acknowledging() throws {
    var pair = SessionPair()
    try pair.connect()
    pair.pass(.milliseconds(500))
    for (count, wait) in [(8, 0), (7, 10)] as [(Int, Int64)] {
      let before = pair.sent.count { $0.from == 1 }
      func answers() -> Int { pair.sent.count { $0.from == 1 } - before }
      for number in 1...count {
        expectEqual(answers(), 0, "before message \(number)")
        try pair.send([1], from: 0)
      }
      if wait > 0 {
        pair.pass(.milliseconds(wait - 1))
        expectEqual(answers(), 0)
        pair.pass(.milliseconds(1))
      }
      expectEqual(answers(), 1, "\(count) packets")
      pair.pass(.milliseconds(100))
    }
  }

  @Test("what may wait for a peer, and one byte more")
  func queued() throws {
    var pair = SessionPair { $0.queueBytesMaximum = 1_000 }
    try pair.connect()
    try pair.send([UInt8](repeating: 1, count: 1_000), from: 0)
    #expect(throws: SessionError.unavailable) { try pair.send([UInt8](repeating: 1, count: 1_001), from: 0) }
  }

  @Test("what waits for a peer counts towards what may wait, and one that is full keeps a message from all receivers")
  func queuedBehind() throws {
    var peer = HostilePeer { $0.queueBytesMaximum = 1_000 }
    var outbox = Outbox(payloads: PayloadStore())
    let (one, two) = (SessionRig.id(1), SessionRig.id(2))
    try peer.connect()
    peer.hello(2)
    peer.control(.invitation(timeoutMilliseconds: 30_000, context: nil, certificates: []), from: 2)
    try peer.session.answer(2, accepts: true, at: .zero, into: &outbox)
    peer.control(.ready, from: 2)
    expectEqual(peer.session.connectedPeers, [one, two])
    // Nobody acknowledges: 32 pieces are under way, the others wait.
    for _ in 0..<40 { try peer.session.send([1], to: [one], at: .zero, into: &outbox) }
    let waiting = peer.session.queuedBytes(to: one)
    #expect((9...40).contains(waiting), "\(waiting)")
    let sent = outbox.count
    let (most, more) = ([UInt8](repeating: 2, count: 1_000 - waiting), [UInt8](repeating: 2, count: 1_001 - waiting))
    #expect(throws: SessionError.unavailable) {
      try peer.session.send(more, to: [two, one], at: .zero, into: &outbox)
    }
    expectEqual(outbox.count, sent)
    try peer.session.send(most, to: [one], at: .zero, into: &outbox)
    expectEqual(peer.session.queuedBytes(to: one), 1_000)
    expectEqual(peer.session.queuedBytes(to: two), 0)
    #expect(throws: SessionError.unavailable) { try peer.session.send([3], to: [one], at: .zero, into: &outbox) }
    // What is sent once, now, waits for nothing.
    try peer.session.send([3], to: [one], reliably: false, at: .zero, into: &outbox)
    expectEqual(outbox.count, sent + 1)
  }

  @Test("messages are cut in their order, and what is left of them is counted")
  func pieces() {
    var queue = PieceQueue()
    for bytes in [[1, 2, 3], [], [4]] as [[UInt8]] { queue.append(bytes) }
    var found: [String] = []
    while !queue.isEmpty {
      let piece = queue.next(2)
      found.append("\(Array(piece.bytes[piece.place])) \(piece.isLast) \(queue.byteCount)")
    }
    expectEqual(found, ["[1, 2] false 2", "[3] true 1", "[] true 1", "[4] true 0"])
    // More than are kept behind the first one that waits.
    for number in 0..<600 { queue.append([UInt8(truncatingIfNeeded: number)]) }
    for number in 0..<600 {
      let piece = queue.next(1)
      if Array(piece.bytes[piece.place]) != [UInt8(truncatingIfNeeded: number)] { Issue.record("message \(number)") }
      expectEqual(queue.isEmpty, number == 599)
    }
    expectEqual(queue.byteCount, 0)
  }

  @Test("a piece that does not fill the rest of a packet needs 64 bytes there, and one that is sent again its length")
  func room() {
    for (room, sequence) in [(63, nil), (64, 0)] as [(Int, Int?)] {
      var sender = ReliableSender()
      sender.messages.append([UInt8](repeating: 1, count: 200))
      expectEqual(sender.take(room: room, maximum: 100, packet: 0), sequence, "\(room) bytes")
    }
    var sender = ReliableSender()
    sender.messages.append([1, 2, 3, 4])
    expectEqual(sender.take(room: 50, maximum: 50, packet: 0), 0)
    sender.loseAll(nextPacket: 1)
    expectEqual(sender.lostCount, 1)
    expectEqual(sender.take(room: 3, maximum: 50, packet: 1), nil)
    expectEqual(sender.take(room: 4, maximum: 50, packet: 1), 0)
    expectEqual(sender.lostCount, 0)
    expectEqual(sender.flyingCount, 1)
    expectEqual(sender.piece(0).packet, 1)
  }

  @Test("messages of the session go first, then those of the application, then a stream as far as its credit goes")
  func order() {
    var sender = ReliableSender()
    var stream = OutgoingChannel(kind: .stream, number: 7, credit: 3)
    stream.queue.append([1, 2, 3, 4, 5])
    sender.channels = [stream]
    sender.messages.append([6])
    sender.control.append([7])
    func all() -> [String] {
      var found: [String] = []
      while let sequence = sender.take(room: 100, maximum: 100, packet: 0) {
        let piece = sender.piece(sequence)
        found.append("\(piece.kind) \(Array(piece.bytes[piece.place])) \(piece.isLast)")
      }
      return found
    }
    expectEqual(all(), ["control [7] true", "message [6] true", "stream [1, 2, 3] false"])
    #expect(!sender.hasWork)
    sender.channels[0].credit = 2
    sender.channels[0].isEnding = true
    expectEqual(all(), ["stream [4, 5] true"])
    #expect(sender.channels[0].isSent && !sender.hasWork)
    expectEqual(sender.channels[0].sentBytes, 5)
    // An end without a byte needs no credit.
    sender.channels = [OutgoingChannel(kind: .stream, number: 8, credit: 0)]
    expectEqual(all(), [])
    sender.channels[0].isEnding = true
    expectEqual(all(), ["stream [] true"])
    #expect(!sender.hasWork)
  }

  @Test("an acknowledgement that was overtaken says nothing new, and one without bits shows a loss as well")
  func overtaken() {
    func six() -> ReliableSender {
      var sender = ReliableSender()
      for number in 0..<6 {
        sender.messages.append([1])
        expectEqual(sender.take(room: 100, maximum: 100, packet: number), number)
      }
      return sender
    }
    var sender = six()
    #expect(acknowledge(&sender, next: 4, bits: [], packet: 3))
    expectEqual([sender.base, sender.flyingCount], [4, 2])
    // Bit 2 behind piece 2 is piece 5.
    #expect(acknowledge(&sender, next: 2, bits: [0b100], packet: 3))
    expectEqual([sender.base, sender.flyingCount, sender.lostCount], [4, 2, 0])
    #expect(acknowledge(&sender, next: 4, bits: [0b1], packet: 5))
    expectEqual([sender.base, sender.flyingCount, sender.lostCount], [4, 1, 0])
    #expect(acknowledge(&sender, next: 6, bits: [], packet: 5))
    expectEqual([sender.base, sender.flyingCount, sender.lostCount], [6, 0, 0])
    for (packet, lost) in [(2, 0), (3, 1), (4, 2)] {
      var other = six()
      #expect(acknowledge(&other, next: 0, bits: [], packet: packet))
      expectEqual([other.flyingCount, other.lostCount], [6 - lost, lost], "packet \(packet)")
    }
  }

  @Test("an end that nobody acknowledges is said again after 100 ms, then twice as late each time, for 5 s")
  func endAgain() throws {
    var peer = HostilePeer()
    try peer.connect()
    var outbox = Outbox(payloads: PayloadStore())
    peer.session.disconnect(at: .zero, into: &outbox)
    expectEqual(outbox.count, 1)
    var (times, packets): ([Int64], [Int]) = ([], [])
    while let next = peer.session.deadline, times.count < 20 {
      outbox.removeAll()
      peer.session.wake(at: next, into: &outbox)
      times.append(next.nanoseconds / 1_000_000)
      packets.append(outbox.count)
    }
    // At 10 ms what the peer said before is acknowledged.
    expectEqual(times, [10, 100, 300, 700, 1_500, 3_100, 5_000])
    expectEqual(packets, [1, 1, 1, 1, 1, 1, 0])
    expectEqual(peer.session.linkCount, 0)
  }

  @Test("a peer is gone when nothing was heard of it for 20 s, and not a nanosecond before")
  func silence() throws {
    var peer = HostilePeer()
    try peer.connect()
    for (nanoseconds, events) in [
      (19_999_999_999, []), (20_000_000_000, [.state(SessionRig.id(1), .notConnected)]),
    ] as [(Int64, [SessionEvent])] {
      peer.now = Instant(nanoseconds: nanoseconds)
      peer.wake()
      expectEqual(peer.session.takeEvents(), events)
    }
    expectEqual(peer.session.linkCount, 0)
  }

  @Test("a hello that nobody answers comes again after 200 ms, then twice as late each time, up to a second")
  func helloAgain() throws {
    var peer = HostilePeer()
    var outbox = Outbox(payloads: PayloadStore())
    try peer.session.invite(
      SessionRig.id(5), at: SessionRig.place(5), timeout: .seconds(5), at: .zero, into: &outbox)
    expectEqual(outbox.count, 1)
    expectEqual(outbox.datagram(at: 0)?.hopLimit, 64)
    var (times, packets): ([Int64], [Int]) = ([], [])
    while let next = peer.session.deadline, times.count < 20 {
      outbox.removeAll()
      peer.session.wake(at: next, into: &outbox)
      times.append(next.nanoseconds / 1_000_000)
      packets.append(outbox.count)
    }
    expectEqual(times, [200, 600, 1_400, 2_400, 3_400, 4_400, 5_000])
    expectEqual(packets, [1, 1, 1, 1, 1, 1, 0])
  }

  @Test("where nothing else is set 64 MiB wait for a peer, it is asked every 2 s, and a piece fills a packet")
  func limits() {
    let policy = SessionPolicy()
    expectEqual(policy.queueBytesMaximum, 67_108_864)
    expectEqual(policy.keepAliveInterval, .seconds(2))
    // 1 452 bytes without two headers of 17 and a tag of 16.
    expectEqual(policy.pieceBytesMaximum, 1_402)
  }
}
