import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("One connection, packet by packet")
struct LinkTransportTests {
  /// A connection that began after a second, and packets of its other side in the order in which they are given.
  private struct Side {
    var transport = LinkTransport(
      remote: 9, here: SessionRig.place(0), there: SessionRig.place(1), interface: InterfaceID(3), channel: nil,
      policy: SessionPolicy(), at: SessionRig.time(1_000))
    private var outbox = Outbox(payloads: PayloadStore())
    private var given = 0

    /// In milliseconds.
    var deadline: Int64 { transport.deadline().nanoseconds / 1_000_000 }
    var counts: [Int] { [transport.sender.base, transport.sender.next, transport.sender.flyingCount] }

    mutating func append(_ messages: [UInt8]...) {
      for bytes in messages { transport.sender.messages.append(bytes) }
    }
    /// Does what is due at a time in milliseconds: the packets that are sent.
    mutating func wake(_ milliseconds: Int64) -> [String] {
      transport.wake(at: SessionRig.time(milliseconds))
      return flush(milliseconds)
    }
    mutating func flush(_ milliseconds: Int64) -> [String] {
      transport.flush(at: SessionRig.time(milliseconds), into: &outbox)
      return sent()
    }
    mutating func sendUnreliable(_ bytes: [UInt8], _ milliseconds: Int64) -> [String] {
      transport.sendUnreliable(bytes, at: SessionRig.time(milliseconds), into: &outbox)
      return sent()
    }
    /// Gives it a packet with these frames: what it delivers.
    mutating func give(_ frames: [UInt8], _ milliseconds: Int64) throws(SessionRejection) -> [String] {
      let header = SessionHeader(isSealed: false, link: 1, number: given)
      given += 1
      let payload = outbox.payloads.store([UInt8](repeating: 0, count: SessionHeader.byteCount) + frames)
      defer { outbox.payloads.release(payload) }
      var deliveries: [Delivery] = []
      try transport.receive(
        outbox.payloads.bytes(of: payload), header: header, at: SessionRig.time(milliseconds), into: &deliveries)
      return deliveries.map { delivery in
        switch delivery {
        case .control(let bytes): "control \(bytes)"
        case .message(let bytes, isReliable: let isReliable): "\(isReliable ? "reliable" : "unreliable") \(bytes)"
        case .channel(_, let number, let bytes, isLast: _): "channel \(number) \(bytes)"
        case .close(let end): "close \(end)"
        }
      }
    }

    private mutating func sent() -> [String] {
      var found: [String] = []
      for position in 0..<outbox.count {
        guard let datagram = outbox.datagram(at: position) else { continue }
        found.append(Side.words(outbox.payloads.bytes(of: datagram.payload)))
        expectEqual(
          datagram,
          Datagram(
            source: SessionRig.place(0), destination: SessionRig.place(1), interface: InterfaceID(3), hopLimit: 64,
            payload: datagram.payload))
        outbox.payloads.release(datagram.payload)
      }
      outbox.removeAll()
      return found
    }
    /// The number of a packet and its frames.
    private static func words(_ bytes: UnsafeRawBufferPointer) -> String {
      do {
        let header = try SessionHeader(bytes)
        expectEqual(header, SessionHeader(isSealed: false, link: 9, number: header.number))
        var words: [String] = []
        var frames = SessionFrames(bytes)
        while let frame = try frames.next() {
          switch frame {
          case .acknowledgement(let one):
            words.append("heard \(one.packet) + \(one.delayMicroseconds), next \(one.next) \(Array(bytes[one.bits]))")
          case .piece(let piece): words.append("piece \(piece.sequence) \(Array(bytes[piece.bytes]))")
          case .unreliable(let place): words.append("unreliable \(Array(bytes[place]))")
          case .ping: words.append("ping")
          case .close(let end): words.append("close \(end)")
          }
        }
        return "\(header.number): " + words.joined(separator: "; ")
      } catch { return "\(error)" }
    }
  }

  private let ping: [UInt8] = [4]
  private func piece(_ sequence: Int, _ byte: UInt8) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: SessionFrame.Piece.headerBytes)
    let piece = SessionFrame.Piece(sequence: sequence, kind: .message, channel: 0, isLast: true, bytes: 0..<0)
    frame.withUnsafeMutableBytes { piece.write(to: $0, at: 0, count: 1) }
    return frame + [byte]
  }
  private func heard(_ packet: Int, next: Int, bits: [UInt8] = [], delay: UInt32 = 0) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: SessionFrame.acknowledgementBytes)
    let one = SessionFrame.Acknowledgement(packet: packet, delayMicroseconds: delay, next: next, bits: 0..<0)
    frame.withUnsafeMutableBytes { one.write(to: $0, at: 0, count: bits.count) }
    return frame + bits
  }

  @Test("a piece is sent again after a time that doubles, and a peer to which nothing was sent for 2 s is asked")
  func again() throws {
    var side = Side()
    expectEqual(side.flush(1_000), [])
    expectEqual(side.deadline, 3_000)
    side.append([1, 2])
    expectEqual(side.flush(1_100), ["0: piece 0 [1, 2]"])
    expectEqual(side.deadline, 1_400)
    expectEqual(side.wake(1_399), [])
    expectEqual(side.wake(1_400), ["1: piece 0 [1, 2]"])
    expectEqual(side.deadline, 2_000)
    expectEqual(side.wake(2_000), ["2: piece 0 [1, 2]"])
    expectEqual(side.deadline, 3_200)
    expectEqual(try side.give(heard(2, next: 1), 2_500), [])
    expectEqual(side.deadline, 4_000)
    // A piece asks as well as a ping does: 500 ms there and back, four times 250 ms, and 10 ms.
    side.append([3])
    expectEqual(side.wake(4_000), ["3: piece 1 [3]"])
    expectEqual(side.deadline, 5_510)
    expectEqual(try side.give(heard(3, next: 2), 4_500), [])
    expectEqual(side.deadline, 6_000)
    expectEqual(side.wake(5_999), [])
    expectEqual(side.wake(6_000), ["4: ping"])
    expectEqual(side.deadline, 8_000)
    expectEqual(side.wake(6_000), [])
  }

  @Test("an acknowledgement is waited for from the last one on, as long as a piece is under way")
  func waiting() throws {
    var side = Side()
    side.append([1], [2])
    expectEqual(side.flush(1_000), ["0: piece 0 [1]; piece 1 [2]"])
    expectEqual(side.deadline, 1_300)
    // A sample of 100 ms: 310 ms.
    expectEqual(try side.give(heard(0, next: 1), 1_100), [])
    expectEqual(side.counts, [1, 2, 1])
    expectEqual(side.deadline, 1_410)
    expectEqual(try side.give(heard(0, next: 2), 1_150), [])
    expectEqual(side.counts, [2, 2, 0])
    expectEqual(side.deadline, 3_000)
  }

  @Test("a round trip is that of the packet that was heard, without the time that the peer let pass")
  func sample() throws {
    var side = Side()
    for (number, time) in [1_000, 1_010, 1_025, 1_045].enumerated() {
      let byte = UInt8(number)
      expectEqual(side.sendUnreliable([byte], Int64(time)), ["\(number): unreliable [\(byte)]"])
    }
    side.append([1])
    expectEqual(side.flush(1_050), ["4: piece 0 [1]"])
    // 1 100 − 1 025 − 5 = 70 ms: 220 ms.
    expectEqual(try side.give(heard(2, next: 0, delay: 5_000), 1_100), [])
    expectEqual(side.deadline, 1_320)
  }

  @Test("1 024 packets back is a round trip, 1 025 is none")
  func oldSample() throws {
    var side = Side()
    for number in 0..<1_023 { _ = side.sendUnreliable([0], number == 0 ? 1_000 : 1_050) }
    side.append([1])
    expectEqual(side.flush(1_060), ["1023: piece 0 [1]"])
    expectEqual(try side.give(heard(0, next: 0), 1_100), [])
    expectEqual(side.deadline, 1_410)
    expectEqual(side.sendUnreliable([0], 1_110), ["1024: unreliable [0]"])
    expectEqual(try side.give(heard(0, next: 0), 1_120), [])
    expectEqual(side.deadline, 1_430)
    // A sample of 20 ms after one of 100 ms: 90 ms, four times 57.5 ms, and 10 ms.
    expectEqual(try side.give(heard(1_024, next: 0), 1_130), [])
    expectEqual(side.deadline, 1_460)
  }

  @Test("what asks is acknowledged after 10 ms, or at once where it is the eighth packet")
  func asked() throws {
    var side = Side()
    for number in 0..<8 {
      expectEqual(side.deadline, number == 0 ? 3_000 : 1_010, "before packet \(number)")
      expectEqual(try side.give(ping, 1_000), [])
    }
    expectEqual(side.deadline, 1_000)
    // An unreliable message waits for nothing and takes nothing along.
    expectEqual(side.sendUnreliable([7, 8], 1_000), ["0: unreliable [7, 8]"])
    expectEqual(side.deadline, 1_000)
    expectEqual(side.flush(1_000), ["1: heard 7 + 0, next 0 []"])
    expectEqual(side.deadline, 3_000)
    expectEqual(try side.give(ping, 1_100), [])
    expectEqual(side.flush(1_109), [])
    expectEqual(side.flush(1_110), ["2: heard 8 + 10000, next 0 []"])
    expectEqual(try side.give([5, SessionEnd.left.rawValue], 1_200), ["close left"])
    expectEqual(side.deadline, 1_210)
  }

  @Test("a piece behind a gap, and the one that closes it, are acknowledged at once; one out of the window is refused")
  func gap() throws {
    var side = Side()
    expectEqual(try side.give(piece(0, 10), 1_000), ["reliable [10]"])
    expectEqual(side.deadline, 1_010)
    expectEqual(try side.give(piece(2, 12), 1_002), [])
    expectEqual(side.deadline, 1_002)
    expectEqual(side.flush(1_002), ["0: heard 1 + 0, next 1 [1]"])
    expectEqual(try side.give(piece(1, 11), 1_005), ["reliable [11]", "reliable [12]"])
    expectEqual(side.deadline, 1_005)
    expectEqual(side.flush(1_005), ["1: heard 2 + 0, next 3 []"])
    expectEqual(try side.give(piece(3, 13), 1_008), ["reliable [13]"])
    expectEqual(side.deadline, 1_018)
    expectEqual(try side.give(piece(1_027, 14), 1_009), [])
    #expect(throws: SessionRejection.malformed(SessionFault(.overLimit, at: 34))) {
      try side.give(piece(1_028, 15), 1_009)
    }
  }

  @Test("an acknowledgement of what was never sent is refused, at the place where it says so")
  func neverSent() throws {
    var side = Side()
    side.append([1])
    expectEqual(side.flush(1_000), ["0: piece 0 [1]"])
    for (frame, place) in [(heard(1, next: 0), 17), (heard(0, next: 2), 39), (heard(0, next: 0, bits: [1]), 39)] {
      #expect(throws: SessionRejection.malformed(SessionFault(.badValue, at: place))) { try side.give(frame, 1_000) }
    }
    expectEqual(side.counts, [0, 1, 1])
  }

  @Test("who ends forgets what waits and what came, takes nothing more, and acknowledges at once that it was heard")
  func closing() throws {
    var side = Side()
    side.append([1])
    expectEqual(side.flush(1_000), ["0: piece 0 [1]"])
    expectEqual(try side.give(piece(0, 10), 1_000), ["reliable [10]"])
    expectEqual(try side.give(piece(2, 12), 1_000), [])
    side.append([2, 3])
    expectEqual(side.transport.queuedBytes, 2)
    side.transport.close(.left, at: SessionRig.time(1_000))
    expectEqual(side.transport.queuedBytes, 0)
    expectEqual(side.counts, [0, 0, 0])
    expectEqual(side.flush(1_000), ["1: heard 1 + 0, next 0 []; close left"])
    expectEqual(side.deadline, 1_100)
    for (number, frame) in [heard(0, next: 1), piece(0, 5), [3, 0, 1, 6], ping, [5, 1]].enumerated() {
      let time = 1_010 + Int64(number) * 10
      expectEqual(try side.give(frame, time), [], "packet \(number)")
      expectEqual(side.deadline, time)
      expectEqual(side.flush(time), ["\(2 + number): heard \(2 + number) + 0, next 0 []"])
      #expect(!side.transport.isOver)
    }
    expectEqual(side.deadline, 1_100)
    var other = side
    expectEqual(try other.give(heard(1, next: 0), 1_090), [])
    #expect(other.transport.isOver)
    // After 5 s nothing is said any more.
    expectEqual(side.flush(6_000), [])
    #expect(!side.transport.isOver)
    expectEqual(side.wake(6_000), [])
    #expect(side.transport.isOver)
  }

  @Test("who heard an end says none, and acknowledges for 5 s what comes")
  func ended() throws {
    var side = Side()
    side.transport.close(nil, at: SessionRig.time(1_000))
    expectEqual(side.flush(1_000), [])
    expectEqual(side.deadline, 6_000)
    expectEqual(try side.give([5, 1], 1_500), [])
    expectEqual(side.deadline, 1_500)
    expectEqual(side.flush(1_500), ["0: heard 0 + 0, next 0 []"])
    expectEqual(side.deadline, 6_000)
  }
}
