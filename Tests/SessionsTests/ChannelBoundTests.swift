import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("Streams and resources at their bounds, on both sides")
struct ChannelBoundTests {
  private let peerID = SessionRig.id(1)
  private let incoming = SessionChannelID(peer: SessionRig.id(1), number: 1, isIncoming: true)

  private func connected(_ change: (inout SessionPolicy) -> Void = { _ in }) throws -> HostilePeer {
    var peer = HostilePeer(change)
    try peer.connect()
    return peer
  }
  private func isOver(_ peer: HostilePeer) -> Bool { peer.session.connectedPeers.isEmpty }

  @Test("a resource brings the bytes that it said, and its progress is whole at its end only")
  func resourceBytes() throws {
    let cases: [(pieces: [(Int, Bool)], progress: [Int]?)] = [
      ([(10, true)], [10]), ([(10, false), (0, true)], [10]), ([(4, false), (6, true)], [4, 10]),
      ([(9, true)], nil), ([(11, true)], nil), ([(11, false)], nil), ([(10, false), (1, false)], nil),
    ]
    for (pieces, progress) in cases {
      var peer = try connected()
      peer.control(.resourceOpen(channel: 1, byteCount: 10, name: "r", fileName: ""))
      for (count, isLast) in pieces { peer.piece(.resource, 1, [UInt8](repeating: 1, count: count), isLast: isLast) }
      let events = peer.session.takeEvents()
      expectEqual(isOver(peer), progress == nil, "\(pieces)")
      expectEqual(events.rejections, progress == nil ? [.wrongOrder] : [])
      expectEqual(events.contains(.ended(incoming, nil)), progress != nil)
      guard let progress else { continue }
      let found: [Int] = events.compactMap { if case .progress(_, let count) = $0 { count } else { nil } }
      expectEqual(found, progress, "\(pieces)")
    }
  }

  @Test("bytes come on a channel that is open, of its own kind, and none behind its end")
  func channels() throws {
    for (kind, number, isTaken) in [
      (.stream, 1, true), (.resource, 1, false), (.stream, 2, false), (.stream, 9, false),
    ]
      as [(SessionPieceKind, UInt32, Bool)]
    {
      var peer = try connected()
      peer.control(.streamOpen(channel: 1, name: "s"))
      peer.control(.resourceOpen(channel: 2, byteCount: nil, name: "r", fileName: ""))
      peer.piece(kind, number, [1], isLast: true)
      expectEqual(isOver(peer), !isTaken, "\(kind) \(number)")
      if isTaken {
        peer.piece(kind, number, [1], isLast: true)
        #expect(isOver(peer))
      }
    }
  }

  @Test("a reader says that a resource is whole when all of it was sent, and of nothing else")
  func complete() throws {
    for (isSupplied, side, isRight) in [(true, .receiver, true), (true, .sender, false), (false, .receiver, false)]
      as [(Bool, SessionControl.Side, Bool)]
    {
      var peer = try connected()
      let resource = try peer.sendResource(byteCount: 10)
      if isSupplied { try peer.supply(10, isLast: true, to: resource) }
      expectEqual(peer.session.takeEvents(), [.resourceWanted(resource, bytes: 10)])
      peer.control(.resourceEnd(channel: resource.number, side, .complete))
      expectEqual(isOver(peer), !isRight, "\(isSupplied) \(side)")
      if isRight {
        expectEqual(peer.session.takeEvents(), [.progress(resource, bytes: 10), .ended(resource, nil)])
        // One that is gone already, and one that never was.
        for number in [resource.number, 77] { peer.control(.resourceEnd(channel: number, .receiver, .complete)) }
        expectEqual(peer.session.takeEvents(), [])
      }
    }
    var peer = try connected()
    let stream = try peer.open("s")
    peer.control(.resourceEnd(channel: stream.number, .receiver, .complete))
    #expect(isOver(peer))
  }

  @Test("what is cancelled ends once, brings nothing more, and is gone when its sender has heard of it")
  func cancelled() throws {
    var peer = try connected()
    var outbox = Outbox(payloads: PayloadStore())
    peer.control(.streamOpen(channel: 1, name: "s"))
    _ = peer.session.takeEvents()
    for _ in 0..<2 { peer.session.cancel(incoming, at: .zero, into: &outbox) }
    peer.piece(.stream, 1, [1, 2], isLast: false)
    peer.control(.streamEnd(channel: 1, .sender))
    expectEqual(peer.session.takeEvents(), [.ended(incoming, .cancelled)])
    #expect(!isOver(peer))
    peer.piece(.stream, 1, [1, 2], isLast: false)
    #expect(isOver(peer))
  }

  @Test("a reader gives credit when it has taken a quarter, and all that it took at once")
  func creditGiven() throws {
    var peer = try connected { $0.streamBytesMaximum = 1_000 }
    peer.control(.streamOpen(channel: 1, name: "s"))
    peer.piece(.stream, 1, [UInt8](repeating: 1, count: 600), isLast: false)
    let before = peer.sentPieces
    for (count, said) in [(249, 0), (0, 0), (-5, 0), (1, 1), (249, 1), (101, 2), (1, 2)] {
      peer.consumed(count, of: incoming)
      expectEqual(peer.sentPieces - before, said, "\(count) taken")
    }
    // Of the other side's streams alone.
    peer.consumed(600, of: SessionChannelID(peer: peerID, number: 1, isIncoming: false))
    expectEqual(peer.sentPieces - before, 2)
    // 600 bytes were given back: 1 000 may come, and not one more.
    peer.piece(.stream, 1, [UInt8](repeating: 1, count: 1_000), isLast: false)
    #expect(!isOver(peer))
    peer.piece(.stream, 1, [1], isLast: false)
    #expect(isOver(peer))
  }

  @Test("a writer that was cut short hears of room when half of it is free, and is given as much as fits")
  func room() throws {
    var peer = try connected { $0.streamBytesMaximum = 1_000 }
    var outbox = Outbox(payloads: PayloadStore())
    let stream = try peer.open("s")
    func write(_ count: Int) throws -> Int {
      let bytes = [UInt8](repeating: 1, count: count)
      return try peer.session.write(bytes, to: stream, at: .zero, into: &outbox)
    }
    // As many are under way as may be, then as many wait.
    expectEqual(try write(1_000), 1_000)
    expectEqual(try write(1_000), 1_000)
    expectEqual(try write(1), 0)
    expectEqual(peer.session.takeEvents(), [])
    peer.control(.streamCredit(channel: stream.number, bytes: 499))
    expectEqual(peer.session.takeEvents(), [])
    peer.control(.streamCredit(channel: stream.number, bytes: 1))
    expectEqual(peer.session.takeEvents(), [.streamRoom(stream, bytes: 500)])
    // Once.
    peer.control(.streamCredit(channel: stream.number, bytes: 1))
    expectEqual(peer.session.takeEvents(), [])
    expectEqual(try write(502), 501)
    expectEqual(peer.session.takeEvents(), [])
  }

  @Test("names have 1 to 1 024 bytes, that of a file may be empty, and a resource has fewer than 2^62 bytes")
  func names() throws {
    var peer = try connected()
    var outbox = Outbox(payloads: PayloadStore())
    func stream(_ name: String) -> SessionError? {
      do throws(SessionError) {
        _ = try peer.session.openStream(name, to: peerID, at: .zero, into: &outbox)
        return nil
      } catch { return error }
    }
    func resource(_ name: String, _ fileName: String, _ byteCount: Int?) -> SessionError? {
      do throws(SessionError) {
        _ = try peer.session.sendResource(
          name, fileName: fileName, byteCount: byteCount, to: peerID, at: .zero, into: &outbox)
        return nil
      } catch { return error }
    }
    let (longest, wide) = (String(repeating: "n", count: 1_024), String(repeating: "é", count: 512))
    for name in ["n", longest, wide] {
      expectEqual(stream(name), nil)
      expectEqual(resource(name, name, 1), nil)
    }
    for name in ["", longest + "n", wide + "n"] {
      expectEqual(stream(name), .invalidParameter)
      expectEqual(resource(name, "f", 1), .invalidParameter)
    }
    expectEqual(resource("r", longest + "n", 1), .invalidParameter)
    let largest = 1 << 62 - 1
    for (byteCount, error) in [
      (-1, .invalidParameter), (0, nil), (largest, nil), (largest + 1, .invalidParameter), (nil, nil),
    ] as [(Int?, SessionError?)] {
      expectEqual(resource("r", "", byteCount), error, "\(byteCount ?? 0) bytes")
    }
  }

  @Test("the last number of a channel is used, and none after it")
  func lastNumber() throws {
    var peer = try connected()
    peer.session.links[0].lastChannel = UInt32.max - 1
    expectEqual(try peer.open("s").number, UInt32.max)
    #expect(throws: SessionError.unavailable) { try peer.open("s") }
  }

  @Test("a reader gives credit for the stream that it took from, and none for nothing")
  func creditNamed() throws {
    var peer = try connected { $0.streamBytesMaximum = 1_000 }
    for number in 1...2 as ClosedRange<UInt32> { peer.control(.streamOpen(channel: number, name: "s")) }
    peer.piece(.stream, 2, [UInt8](repeating: 1, count: 600), isLast: false)
    peer.consumed(600, of: SessionChannelID(peer: peerID, number: 2, isIncoming: true))
    expectEqual(peer.said[1]?.last, .streamCredit(channel: 2, bytes: 600))
    // Where any byte is a quarter.
    var small = try connected { $0.streamBytesMaximum = 3 }
    small.control(.streamOpen(channel: 1, name: "s"))
    let before = small.sentPieces
    small.consumed(0, of: incoming)
    expectEqual(small.sentPieces, before)
  }

  @Test("a writer gets back the credit that it used, and one byte more ends the connection")
  func creditReturned() throws {
    var peer = try connected { $0.streamBytesMaximum = 1_000 }
    var outbox = Outbox(payloads: PayloadStore())
    let stream = try peer.open("s")
    let count = try peer.session.write([UInt8](repeating: 1, count: 10), to: stream, at: .zero, into: &outbox)
    expectEqual(count, 10)
    peer.control(.streamCredit(channel: stream.number, bytes: 10))
    #expect(!isOver(peer))
    peer.control(.streamCredit(channel: stream.number, bytes: 1))
    #expect(isOver(peer))
  }

  @Test("a source is asked for a chunk where less than one waits and something is left, and for no more than that")
  func asked() throws {
    var peer = try connected { $0.resourceChunkBytes = 4 }
    let resource = try peer.sendResource(byteCount: 9)
    for (count, wanted) in [(4, 4), (4, 1)] {
      try peer.supply(count, isLast: false, to: resource)
      expectEqual(peer.session.takeEvents().last, .resourceWanted(resource, bytes: wanted))
    }
    // All of it came, and its end comes behind it.
    try peer.supply(1, isLast: false, to: resource)
    expectEqual(peer.session.takeEvents(), [])
    try peer.supply(0, isLast: true, to: resource)
    expectEqual(peer.session.takeEvents(), [])

    var single = try connected { $0.resourceChunkBytes = 1 }
    let other = try single.sendResource(byteCount: 3)
    #expect(throws: SessionError.invalidParameter) { try single.supply(2, isLast: false, to: other) }
    try single.supply(1, isLast: false, to: other)
    expectEqual(
      single.session.takeEvents(),
      [.resourceWanted(other, bytes: 1), .progress(other, bytes: 1), .resourceWanted(other, bytes: 1)])

    // Nobody acknowledges: 32 pieces are under way, and the chunk waits.
    var full = try connected { $0.resourceChunkBytes = 4 }
    var outbox = Outbox(payloads: PayloadStore())
    for _ in 0..<40 { try full.session.send([1], to: [peerID], at: .zero, into: &outbox) }
    let waiting = try full.sendResource(byteCount: 100)
    try full.supply(4, isLast: false, to: waiting)
    expectEqual(full.session.takeEvents(), [.resourceWanted(waiting, bytes: 4)])
  }

  @Test("with a connection end its streams, except who was cancelled, and nothing of them is kept while it says so")
  func connectionEnds() throws {
    var peer = try connected()
    var outbox = Outbox(payloads: PayloadStore())
    let stream = try peer.open("s")
    for number in 1...2 as ClosedRange<UInt32> { peer.control(.streamOpen(channel: number, name: "s")) }
    peer.session.cancel(incoming, at: .zero, into: &outbox)
    _ = peer.session.takeEvents()
    peer.session.disconnect(at: .zero, into: &outbox)
    let second = SessionChannelID(peer: peerID, number: 2, isIncoming: true)
    expectEqual(
      peer.session.takeEvents(),
      [.ended(second, .notConnected), .ended(stream, .notConnected), .state(peerID, .notConnected)])
    expectEqual(peer.session.linkCount, 1)
    expectEqual(peer.session.links[0].incoming.count, 0)
    expectEqual(peer.session.links[0].transport?.sender.channels.count, 0)
  }
}
