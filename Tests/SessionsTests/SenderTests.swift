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
}
