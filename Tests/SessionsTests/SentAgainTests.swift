import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("What is under way, lost, and sent again")
struct SentAgainTests {
  /// Messages of one byte each, which is their number.
  private func sender(_ count: UInt8) -> ReliableSender {
    var sender = ReliableSender()
    for number in 0..<count { sender.messages.append([number]) }
    return sender
  }
  /// Sends what can be sent, one piece a packet: the numbers of the pieces.
  private func send(_ sender: inout ReliableSender, from packet: Int) -> [Int] {
    var found: [Int] = []
    while sender.hasWork, let sequence = sender.take(room: 100, maximum: 100, packet: packet + found.count) {
      found.append(sequence)
    }
    return found
  }
  /// Acknowledges the pieces before `next`, and some behind it.
  private func acknowledge(
    _ sender: inout ReliableSender, next: Int, behind: [Int] = [], packet: Int, nextPacket: Int
  ) -> [Int] {
    var bits: [UInt8] = []
    for sequence in behind {
      let place = sequence - next - 1
      while bits.count <= place / 8 { bits.append(0) }
      bits[place / 8] |= 1 << UInt8(place % 8)
    }
    let isRight = bits.withUnsafeBytes {
      sender.acknowledged(next: next, bits: $0, packet: packet, nextPacket: nextPacket)
    }
    #expect(isRight)
    return counts(sender)
  }
  /// The first piece that is not acknowledged, how many are under way and lost, and how many may be under way.
  private func counts(_ sender: ReliableSender) -> [Int] {
    [sender.base, sender.flyingCount, sender.lostCount, sender.congestion.pieces]
  }

  @Test("32 pieces are under way at first, and one more for each that is acknowledged for the first time")
  func windowGrows() {
    var sender = sender(60)
    expectEqual(send(&sender, from: 0), Array(0..<32))
    expectEqual(sender.take(room: 100, maximum: 100, packet: 32), nil)
    expectEqual(acknowledge(&sender, next: 10, packet: 9, nextPacket: 32), [10, 22, 0, 42])
    expectEqual(send(&sender, from: 32), Array(32..<52))
    for _ in 0..<2 {
      expectEqual(acknowledge(&sender, next: 10, packet: 9, nextPacket: 52), [10, 42, 0, 42])
    }
    for _ in 0..<2 {
      expectEqual(acknowledge(&sender, next: 10, behind: [12], packet: 12, nextPacket: 52), [10, 41, 0, 43])
    }
    expectEqual(send(&sender, from: 52), [52, 53])
  }

  @Test("what is lost is sent again first, in order, unless it was acknowledged meanwhile")
  func lost() {
    var sender = sender(6)
    expectEqual(send(&sender, from: 0), Array(0..<6))
    // Piece 3 was heard: packet 0 is lost, and the window halved, but not below 16.
    expectEqual(acknowledge(&sender, next: 0, behind: [3], packet: 3, nextPacket: 6), [0, 4, 1, 16])
    expectEqual(send(&sender, from: 6), [0])
    // Without a piece behind a gap only the first one is looked at, which was sent just now.
    expectEqual(acknowledge(&sender, next: 0, packet: 5, nextPacket: 7), [0, 5, 0, 16])
    expectEqual(acknowledge(&sender, next: 0, behind: [3, 5], packet: 5, nextPacket: 7), [0, 2, 2, 16])
    expectEqual(acknowledge(&sender, next: 0, behind: [1, 3, 5], packet: 5, nextPacket: 7), [0, 2, 1, 16])
    sender.loseAll(nextPacket: 7)
    expectEqual(counts(sender), [0, 0, 3, 16])
    expectEqual(send(&sender, from: 7), [0, 2, 4])
    expectEqual([0, 2, 4].map { sender.piece($0).packet }, [7, 8, 9])
    expectEqual([0, 2, 4].map { sender.piece($0).bytes }, [[0], [2], [4]])
    expectEqual(acknowledge(&sender, next: 6, packet: 9, nextPacket: 10), [6, 0, 0, 16])
    #expect(!sender.hasWork)
  }

  @Test("the only piece under way is lost as others are")
  func single() {
    var sender = sender(1)
    expectEqual(send(&sender, from: 0), [0])
    expectEqual(acknowledge(&sender, next: 0, packet: 2, nextPacket: 4), [0, 1, 0, 32])
    expectEqual(acknowledge(&sender, next: 0, packet: 3, nextPacket: 4), [0, 0, 1, 16])
    #expect(sender.hasWork)
    expectEqual(send(&sender, from: 4), [0])
  }

  @Test("an acknowledgement that says nothing new leaves the window as it is, also where it is about to grow")
  func nothingNew() {
    var sender = sender(40)
    expectEqual(send(&sender, from: 0).count, 32)
    expectEqual(acknowledge(&sender, next: 1, packet: 0, nextPacket: 32), [1, 31, 0, 33])
    expectEqual(send(&sender, from: 32), [32, 33])
    sender.loseAll(nextPacket: 34)
    expectEqual(counts(sender), [1, 0, 33, 16])
    // 33 pieces are once 16, and 17 towards the next.
    for _ in 0..<2 { expectEqual(acknowledge(&sender, next: 34, packet: 33, nextPacket: 34), [34, 0, 0, 17]) }
  }

  @Test("the first lost piece is found behind what was acknowledged, also where the ring begins anew")
  func firstLost() {
    var sender = sender(70)
    expectEqual(send(&sender, from: 0), Array(0..<32))
    expectEqual(acknowledge(&sender, next: 0, behind: [3], packet: 3, nextPacket: 32), [0, 30, 1, 16])
    expectEqual(acknowledge(&sender, next: 10, packet: 9, nextPacket: 32), [10, 22, 0, 16])
    // 9 and 22 pieces since the loss, then 17.
    expectEqual(acknowledge(&sender, next: 32, packet: 31, nextPacket: 32), [32, 0, 0, 17])
    expectEqual(send(&sender, from: 32), Array(32..<49))
    expectEqual(acknowledge(&sender, next: 49, packet: 48, nextPacket: 49), [49, 0, 0, 18])
    expectEqual(send(&sender, from: 49), Array(49..<67))
    sender.loseAll(nextPacket: 67)
    expectEqual(counts(sender), [49, 0, 18, 16])
    expectEqual(send(&sender, from: 67), Array(49..<65))
    expectEqual((49..<67).map { sender.piece($0).bytes }, (49..<67).map { [UInt8($0)] })
  }

  @Test("more pieces than the ring holds are kept, wherever it begins")
  func grows() {
    var sender = sender(120)
    var found: [Int] = []
    // All in the first packet, so that none is lost.
    func more() -> Int {
      let count = found.count
      while sender.hasWork, let sequence = sender.take(room: 100, maximum: 100, packet: 0) { found.append(sequence) }
      return found.count - count
    }
    expectEqual(more(), 32)
    expectEqual(acknowledge(&sender, next: 10, packet: 0, nextPacket: 1), [10, 22, 0, 42])
    expectEqual(more(), 20)
    expectEqual(acknowledge(&sender, next: 15, packet: 0, nextPacket: 1), [15, 37, 0, 47])
    expectEqual(more(), 10)
    expectEqual(acknowledge(&sender, next: 15, behind: Array(16...47), packet: 0, nextPacket: 1), [15, 15, 0, 79])
    expectEqual(more(), 58)
    expectEqual(found, Array(0..<120))
    expectEqual(counts(sender), [15, 73, 0, 79])
    let left = [15] + Array(48..<120)
    expectEqual(left.map { sender.piece($0).bytes }, left.map { [UInt8($0)] })
    sender.loseAll(nextPacket: 1)
    expectEqual(counts(sender), [15, 0, 73, 39])
    expectEqual(send(&sender, from: 1), Array(left.prefix(39)))
  }

  @Test("all is forgotten but the channels; a sender that forgets losses counts them as acknowledged")
  func forgotten() {
    var sender = sender(40)
    sender.control.append([1, 2])
    sender.channels = [OutgoingChannel(kind: .stream, number: 7, credit: 0)]
    expectEqual(send(&sender, from: 0).count, 32)
    expectEqual(acknowledge(&sender, next: 3, packet: 3, nextPacket: 32), [3, 29, 0, 35])
    sender.loseAll(nextPacket: 32)
    sender.removeAll()
    expectEqual(counts(sender), [0, 0, 0, 32])
    expectEqual([sender.next, sender.control.byteCount, sender.messages.byteCount], [0, 0, 0])
    expectEqual(sender.channels.map(\.number), [7])
    #expect(!sender.hasWork)

    var other = self.sender(6)
    other.forgetsLoss = true
    expectEqual(send(&other, from: 0).count, 6)
    other.loseAll(nextPacket: 6)
    expectEqual(counts(other), [0, 0, 0, 32])
    #expect(!other.hasWork)
  }
}
