import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@Suite("What a hostile peer may send, to the bounds and one beyond")
struct HostileTests {
  private func connected(_ change: (inout SessionPolicy) -> Void = { _ in }) throws -> HostilePeer {
    var peer = HostilePeer(change)
    try peer.connect()
    try #require(peer.session.connectedPeers == [SessionRig.id(1)])
    return peer
  }
  /// Whether the connection has ended for this.
  private func isOver(_ peer: HostilePeer) -> Bool { peer.session.connectedPeers.isEmpty }

  @Test("an acknowledgement names packets and pieces that were sent, and none beyond")
  func acknowledgements() throws {
    for beyond in [0, 1] {
      for what in ["packet", "piece", "bit"] {
        var peer = try connected()
        // Three pieces that nobody has acknowledged.
        let first = peer.sentPieces
        peer.acknowledge(packet: peer.sentPackets - 1, next: first)
        for name in ["a", "b", "c"] { _ = try peer.open(name) }
        expectEqual(peer.sentPieces, first + 3)
        let (packet, next) = (peer.sentPackets - 1, peer.sentPieces)
        switch what {
        case "packet": peer.acknowledge(packet: packet + beyond, next: first)
        case "piece": peer.acknowledge(packet: packet, next: next + beyond)
        // Bit n is the piece `first` + 1 + n.
        default: peer.acknowledge(packet: packet, next: first, bits: [beyond == 0 ? 0b10 : 0b100])
        }
        expectEqual(isOver(peer), beyond == 1, "\(what), \(beyond) beyond")
        expectEqual(peer.rejections().count, beyond)
      }
    }
  }

  @Test("ready and an invitation are said once")
  func twice() throws {
    var peer = try connected()
    peer.control(.ready)
    #expect(isOver(peer))
    expectEqual(peer.rejections(), [.wrongOrder])
    // Before the answer of the session's owner too.
    for isSecond in [false, true] {
      var other = HostilePeer { $0.certificateDecision = .asked }
      other.hello(1)
      let invitation = SessionControl.invitation(timeoutMilliseconds: 9, context: nil, certificates: [])
      other.control(invitation)
      if isSecond { other.control(invitation) }
      expectEqual(other.rejections(), isSecond ? [.wrongOrder] : [])
    }
  }

  @Test("ready is said once, also while the owner still looks at the certificates")
  func readyTwice() throws {
    var peer = HostilePeer { $0.certificateDecision = .asked }
    try peer.connect()
    expectEqual(peer.rejections(), [])
    peer.control(.ready)
    expectEqual(peer.rejections(), [.wrongOrder])
  }

  @Test("64 channels at once and no more, and each number once, rising")
  func channels() throws {
    var peer = try connected()
    for number in 1...64 as ClosedRange<UInt32> { peer.control(.streamOpen(channel: number, name: "s")) }
    #expect(!isOver(peer))
    peer.control(.streamOpen(channel: 65, name: "s"))
    #expect(isOver(peer))
    for number in [4, 5] as [UInt32] {
      var peer = try connected()
      peer.control(.streamOpen(channel: 5, name: "s"))
      peer.control(.streamEnd(channel: 5, .sender))
      peer.control(.streamOpen(channel: number, name: "s"))
      #expect(isOver(peer), "\(number) after 5")
    }
  }

  @Test("a stream brings what it has credit for, and its reader gives no more credit than was used")
  func credit() throws {
    for beyond in [0, 1] {
      var peer = try connected { $0.streamBytesMaximum = 2_000 }
      peer.control(.streamOpen(channel: 1, name: "s"))
      peer.piece(.stream, 1, [UInt8](repeating: 1, count: 1_000), isLast: false)
      peer.piece(.stream, 1, [UInt8](repeating: 1, count: 1_000 + beyond), isLast: false)
      expectEqual(isOver(peer), beyond == 1)
    }
    var peer = try connected()
    let stream = try peer.open("s")
    peer.control(.streamCredit(channel: stream.number, bytes: 1))
    #expect(isOver(peer))
  }

  @Test("the longest message and control message are taken, and one byte more ends the connection")
  func lengths() throws {
    for beyond in [0, 1] {
      var peer = try connected { $0.messageBytesMaximum = 3_000 }
      peer.piece(.message, 0, [UInt8](repeating: 1, count: 1_400), isLast: false)
      peer.piece(.message, 0, [UInt8](repeating: 1, count: 1_600 + beyond), isLast: true)
      expectEqual(isOver(peer), beyond == 1, "message, \(beyond) beyond")
      var other = try connected()
      for _ in 0..<127 { other.piece(.control, 0, [UInt8](repeating: 1, count: 1_024), isLast: false) }
      other.piece(.control, 0, [UInt8](repeating: 1, count: 1_024 + beyond), isLast: false)
      expectEqual(isOver(other), beyond == 1, "control message, \(beyond) beyond")
    }
  }

  @Test("16 may ask at once and no more, and 16 ends are said again and no more")
  func openings() {
    var peer = HostilePeer()
    for number in 0..<16 { peer.hello(number) }
    expectEqual(peer.rejections(), [])
    peer.hello(16)
    expectEqual(peer.rejections(), [.tooManyOpenings])
    expectEqual(peer.session.linkCount, 16)
    for number in 0..<16 { peer.control(.decline, from: number) }
    expectEqual(peer.session.linkCount, 16)
    peer.hello(17)
    expectEqual(peer.session.linkCount, 17)
    peer.control(.decline, from: 17)
    peer.wake()
    expectEqual(peer.session.linkCount, 16)
  }

  @Test("64 peers have connection data at once and no more; who has some gets other data")
  func tokens() throws {
    var peer = HostilePeer()
    for number in 0..<64 { try peer.data(for: number) }
    #expect(throws: SessionError.unavailable) { try peer.data(for: 64) }
    try peer.data(for: 63)
    expectEqual(peer.session.waitingCount, 64)
  }

  @Test("16 peers are expected at once and no more, by their IDs and keys")
  func introductions() throws {
    var peer = try connected { $0.peersMaximum = 100 }
    let before = peer.session.waitingCount
    for number in 10..<26 { peer.control(.members([.init(HostilePeer.card(number), at: SessionRig.place(number))])) }
    expectEqual(peer.session.waitingCount, before + 16)
    peer.control(.members([.init(HostilePeer.card(26), at: SessionRig.place(26))]))
    expectEqual(peer.session.waitingCount, before + 16)
    expectEqual(peer.rejections(), [])
    peer.hello(26, .introduction)
    peer.hello(10, .introduction, key: 11)
    expectEqual(peer.rejections(), [.notExpected, .notExpected])
    peer.hello(10, .introduction)
    expectEqual(peer.session.takeEvents(), [.state(SessionRig.id(10), .connecting)])
    expectEqual(peer.session.linkCount, 2)
    // Who is introduced again is expected once.
    var other = try connected()
    for _ in 0..<2 { other.control(.members([.init(HostilePeer.card(10), at: SessionRig.place(10))])) }
    expectEqual(other.session.waitingCount, 2)
  }

  @Test("an end is over when it was acknowledged itself, not what was sent before it")
  func acknowledgedEnd() throws {
    for early in [1, 0] {
      var peer = try connected()
      peer.control(.ready)
      expectEqual(peer.session.linkCount, 1)
      peer.acknowledge(packet: peer.sentPackets - 1 - early, next: 0)
      expectEqual(peer.session.linkCount, early)
    }
  }

  @Test("a source gives as much as it was asked for, to the end that it said")
  func supply() throws {
    var peer = try connected()
    let resource = try peer.sendResource(byteCount: 100_000)
    #expect(throws: SessionError.invalidParameter) { try peer.supply(65_537, isLast: false, to: resource) }
    #expect(throws: SessionError.invalidParameter) { try peer.supply(65_536, isLast: true, to: resource) }
    try peer.supply(65_536, isLast: false, to: resource)
    // 34 464 bytes are left: no more, and the end with no fewer.
    #expect(throws: SessionError.invalidParameter) { try peer.supply(34_465, isLast: true, to: resource) }
    #expect(throws: SessionError.invalidParameter) { try peer.supply(34_463, isLast: true, to: resource) }
    try peer.supply(34_464, isLast: true, to: resource)
    #expect(throws: SessionError.invalidParameter) { try peer.supply(0, isLast: true, to: resource) }
  }

  @Test("a reader that says it took more than came gives no more credit than that")
  func consumed() throws {
    for beyond in [0, 1] {
      var peer = try connected { $0.streamBytesMaximum = 1_200 }
      peer.control(.streamOpen(channel: 1, name: "s"))
      peer.piece(.stream, 1, [UInt8](repeating: 1, count: 600), isLast: false)
      // At first less than a quarter, of which its writer does not hear yet.
      for count in [100, 5_000] {
        peer.consumed(count, of: SessionChannelID(peer: SessionRig.id(1), number: 1, isIncoming: true))
      }
      peer.piece(.stream, 1, [UInt8](repeating: 1, count: 1_200 + beyond), isLast: false)
      expectEqual(isOver(peer), beyond == 1)
    }
  }

  @Test("who was introduced with one key is not connected with another")
  func introducedKey() throws {
    for (key, found) in [(11, [.badSignature]), (10, [])] as [(Int, [SessionRejection])] {
      var peer = HostilePeer(high: 0)
      try peer.connect()
      peer.control(.members([.init(HostilePeer.card(10), at: SessionRig.place(10))]))
      _ = peer.session.takeEvents()
      peer.welcome(10, key: key)
      expectEqual(peer.rejections(), found)
      // The right one is still awaited, or was greeted.
      expectEqual(peer.session.linkCount, 2)
    }
  }
}
