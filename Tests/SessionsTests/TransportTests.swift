import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("Below a connection: times, windows and rings")
struct TransportTests {
  private func milliseconds(_ count: Int64) -> Interval { .milliseconds(count) }

  // MARK: Round trips

  @Test("before a sample 300 ms; then the round trip, four times its variation and the delay of acknowledgements")
  func samples() {
    var trip = RoundTrip()
    expectEqual(trip.timeout, milliseconds(300))
    trip.take(milliseconds(100))
    expectEqual(trip.smoothed, milliseconds(100))
    expectEqual(trip.timeout, milliseconds(310))
    // An error of 80 ms either way: the variation goes from 50 ms to 57.5 ms.
    for (sample, smoothed, timeout) in [(180, 110, 350), (20, 90, 330)] as [(Int64, Int64, Int64)] {
      var next = trip
      next.take(milliseconds(sample))
      expectEqual(next.smoothed, milliseconds(smoothed))
      expectEqual(next.timeout, milliseconds(timeout))
    }
  }

  @Test("timeouts stay between 30 ms and 2 s")
  func bounds() {
    // Three times the first sample and 10 ms.
    for (sample, timeout) in [(-5, 30), (0, 30), (6, 30), (7, 31), (663, 1_999), (664, 2_000), (9_000, 2_000)]
      as [(Int64, Int64)]
    {
      var trip = RoundTrip()
      trip.take(milliseconds(sample))
      expectEqual(trip.timeout, milliseconds(timeout), "\(sample) ms")
    }
  }

  @Test("the timeout doubles each time up to 2 s, and a sample takes that back")
  func backoff() {
    var trip = RoundTrip()
    trip.take(.zero)
    var found: [Interval] = []
    for _ in 0..<8 {
      trip.timedOut()
      found.append(trip.timeout)
    }
    expectEqual(found, [60, 120, 240, 480, 960, 1_920, 2_000, 2_000].map(milliseconds))
    for _ in 0..<200 { trip.timedOut() }
    expectEqual(trip.backoff, 8)
    expectEqual(trip.timeout, milliseconds(2_000))
    trip.take(.zero)
    expectEqual(trip.backoff, 0)
    expectEqual(trip.timeout, milliseconds(30))
  }

  // MARK: Congestion

  @Test("the window grows by what is acknowledged, up to 1 024 pieces")
  func slowStart() {
    var window = CongestionWindow()
    expectEqual(window.pieces, 32)
    for (count, pieces) in [(1, 33), (990, 1_023), (2, 1_024), (5_000, 1_024)] {
      window.acknowledged(count)
      expectEqual(window.pieces, pieces, "\(count) more")
    }
  }

  @Test("a loss halves the window once for all packets that were sent before it was seen, never below 16")
  func losses() {
    var window = CongestionWindow()
    window.acknowledged(68)
    for (packet, next, pieces) in [
      (5, 20, 50), (4, 30, 50), (19, 30, 50), (20, 40, 25), (40, 50, 16), (60, 70, 16),
    ] {
      window.lost(packet: packet, nextPacket: next)
      expectEqual(window.pieces, pieces, "packet \(packet)")
    }
  }

  @Test("after a loss the window grows by one each time that as many pieces as it holds were acknowledged")
  func avoidance() {
    var window = CongestionWindow()
    // What is more than a whole window counts for the next one; a loss begins the count again.
    for (packet, steps) in [
      (0, [(15, 16), (1, 17), (20, 18), (14, 18), (1, 19), (18, 19)]), (1, [(15, 16), (1, 17)]),
    ] {
      window.lost(packet: packet, nextPacket: packet + 1)
      expectEqual(window.pieces, 16, "packet \(packet)")
      for (count, pieces) in steps {
        window.acknowledged(count)
        expectEqual(window.pieces, pieces, "\(count) more after packet \(packet)")
      }
    }
  }

  // MARK: Packets

  @Test("4 096 packets back is too old, 4 095 is not")
  func windowEdge() {
    for (highest, number, isNew) in [
      (4_095, 0, true), (4_096, 0, false), (4_096, 1, true), (10_000, 5_904, false), (10_000, 5_905, true),
      (10_000, 10_000, false), (10_000, 10_001, true), (0, 0, false), (0, 1, true),
    ] {
      var heard = HeardPackets()
      #expect(heard.isNew(number))
      heard.insert(highest)
      expectEqual(heard.isNew(number), isNew, "\(number) below \(highest)")
    }
  }

  @Test("a jump clears what leaves the window and nothing else, also where it is as wide as the window")
  func jumps() {
    for jump in [1, 2, 63, 64, 65, 4_031, 4_095, 4_096, 4_097, 8_192, 1 << 40] {
      var heard = HeardPackets()
      for number in 0..<5_000 { heard.insert(number) }
      let top = 4_999 + jump
      heard.insert(top)
      expectEqual(heard.highest, top)
      let low = max(0, top - 4_095)
      for number in low...top {
        let isHeard = number <= 4_999 || number == top
        if heard.isNew(number) == isHeard { Issue.record("\(number) after a jump by \(jump)") }
      }
      #expect(!heard.isNew(low - 1))
    }
  }

  @Test("numbers that are skipped are new, also where others stood in their places before")
  func skipped() {
    let cases: [(heard: [Int], new: [Int])] = [
      // 4 296 has the place of 200.
      ([200, 4_295, 4_297], [4_296]), ([200, 4_290, 4_297], Array(4_291...4_296)), ([200, 8_300], [4_296, 8_299]),
      // 4 032 is 63 words behind 0.
      ([1, 4_032], [0, 2, 4_031]), ([3_000, 3_001], [0, 2_999]), ([4_096, 1], [2, 4_095]),
      ([64, 129], [0, 63, 65, 128]),
    ]
    for (numbers, new) in cases {
      var heard = HeardPackets()
      for number in numbers {
        #expect(heard.isNew(number))
        heard.insert(number)
      }
      for number in new where !heard.isNew(number) { Issue.record("\(number) after \(numbers)") }
      for number in numbers where heard.isNew(number) { Issue.record("\(number) after \(numbers) again") }
    }
  }

  @Test("the highest number of all is a number like others")
  func highestNumber() {
    let last = 1 << 62 - 1
    var heard = HeardPackets()
    heard.insert(3)
    heard.insert(last)
    #expect(!heard.isNew(last) && !heard.isNew(3) && !heard.isNew(last - 4_096))
    #expect(heard.isNew(last - 1) && heard.isNew(last - 4_095))
    heard.insert(last - 4_095)
    #expect(!heard.isNew(last - 4_095) && heard.isNew(last - 4_094))
  }

  @Test("numbers in any order are each taken once, as a list of all of them says")
  func anyOrder() {
    var draws = Seed(3).stream("heard")
    var heard = HeardPackets()
    var (all, highest): (Set<Int>, Int) = ([], -1)
    for step in 0..<40_000 {
      let reach: UInt64 = step % 500 == 0 ? 20_000 : 5_000
      let number = max(0, highest + 60 - Int(draws.below(reach)) + (step % 500 == 0 ? 10_000 : 0))
      let isNew = number > highest || (number > highest - 4_096 && !all.contains(number))
      guard heard.isNew(number) == isNew else {
        Issue.record("\(number), highest \(highest), step \(step)")
        return
      }
      guard isNew else { continue }
      heard.insert(number)
      all.insert(number)
      highest = max(highest, number)
    }
    expectEqual(heard.highest, highest)
    #expect(highest > 100_000)
  }

  // MARK: Pieces

  /// Takes a message of one byte; `nil`: refused.
  private func take(_ receiver: inout ReliableReceiver, _ sequence: Int, _ byte: UInt8 = 0) -> [UInt8]? {
    var deliveries: [Delivery] = []
    let piece = SessionFrame.Piece(sequence: sequence, kind: .message, channel: 0, isLast: true, bytes: 0..<1)
    let isRight = [byte].withUnsafeBytes {
      receiver.take(piece, in: $0, policy: SessionPolicy(), into: &deliveries)
    }
    guard isRight else { return nil }
    return deliveries.flatMap { delivery -> [UInt8] in
      if case .message(let bytes, isReliable: true) = delivery { bytes } else { [] }
    }
  }
  private func bits(_ receiver: ReliableReceiver) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xFF, count: receiver.bitBytes)
    bytes.withUnsafeMutableBytes { receiver.writeBits(to: $0, at: 0) }
    return bytes
  }

  @Test("pieces up to 1 023 behind the gap are kept, the next one is refused, wherever the ring begins")
  func pieceWindow() {
    for start in [0, 1, 500, 1_023, 1_024, 3_000] {
      var receiver = ReliableReceiver()
      for sequence in 0..<start { expectEqual(take(&receiver, sequence, 1), [1]) }
      expectEqual(take(&receiver, start + 1_024), nil)
      for back in 1...1_023 { expectEqual(take(&receiver, start + back, UInt8(truncatingIfNeeded: back)), []) }
      // Again, and with other bytes: the first one counts.
      expectEqual(take(&receiver, start + 9, 200), [])
      expectEqual(receiver.keptCount, 1_023)
      expectEqual(bits(receiver), [UInt8](repeating: 255, count: 127) + [127])
      expectEqual(take(&receiver, start, 0), (0...1_023).map { UInt8(truncatingIfNeeded: $0) })
      expectEqual(receiver.next, start + 1_024)
      expectEqual(receiver.keptCount, 0)
      expectEqual(take(&receiver, start + 5), [])
      expectEqual(bits(receiver), [])
    }
  }

  @Test("places of the ring are used again, and what came before is not handed over again")
  func ringAgain() {
    var receiver = ReliableReceiver()
    expectEqual(take(&receiver, 1, 11), [])
    expectEqual(take(&receiver, 1, 12), [])
    expectEqual(receiver.keptCount, 1)
    expectEqual(take(&receiver, 0, 10), [10, 11])
    expectEqual(take(&receiver, 1, 13), [])
    for sequence in 2..<1_024 where take(&receiver, sequence) != [0] { Issue.record("piece \(sequence)") }
    expectEqual(take(&receiver, 1_025, 21), [])
    expectEqual(receiver.keptCount, 1)
    expectEqual(bits(receiver), [1])
    expectEqual(take(&receiver, 1_024, 20), [20, 21])
    expectEqual(bits(receiver), [])
    expectEqual(take(&receiver, 2_050), nil)
    expectEqual(take(&receiver, 2_049), [])
  }

  @Test("a planted fault hands messages over that came before, and nothing else")
  func deliveredTwice() {
    var policy = SessionPolicy()
    policy.faults = PeerFaults([.deliveredTwice])
    var receiver = ReliableReceiver()
    var found: [String] = []
    for (sequence, kind) in [(0, .message), (1, .control), (0, .message), (1, .control)] as [(Int, SessionPieceKind)] {
      let piece = SessionFrame.Piece(sequence: sequence, kind: kind, channel: 0, isLast: true, bytes: 0..<1)
      var deliveries: [Delivery] = []
      let isRight = [UInt8(sequence)].withUnsafeBytes {
        receiver.take(piece, in: $0, policy: policy, into: &deliveries)
      }
      #expect(isRight)
      for delivery in deliveries {
        switch delivery {
        case .control(let bytes): found.append("control \(bytes)")
        case .message(let bytes, isReliable: _): found.append("message \(bytes)")
        case .channel, .close: Issue.record("neither was sent")
        }
      }
    }
    expectEqual(found, ["message [0]", "control [1]"] + (PeerFaults.areBuiltIn ? ["message [0]"] : []))
  }

  @Test("bits of an acknowledgement name the pieces behind the gap, and no more bytes than they need")
  func acknowledgedBits() {
    for (back, found) in [(1, [1]), (2, [2]), (8, [128]), (9, [0, 1]), (16, [0, 128]), (17, [0, 0, 1])]
      as [(_, [UInt8])]
    {
      var receiver = ReliableReceiver()
      expectEqual(take(&receiver, back), [])
      expectEqual(bits(receiver), found, "\(back) behind the gap")
    }
  }
}
