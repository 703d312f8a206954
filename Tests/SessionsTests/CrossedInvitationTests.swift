import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

/// Attempts on a peer that has one of its own under way, and what is left of attempts of each kind.
@Suite("Invitations that cross, and attempts that are given up") struct CrossedInvitationTests {
  private let invitation = SessionControl.invitation(timeoutMilliseconds: 30_000, context: nil, certificates: [])
  private let one = SessionRig.id(1)

  /// A session that peer 1 has invited, and has not answered.
  private func invited(high: UInt64) -> HostilePeer {
    var peer = HostilePeer(high: high)
    peer.hello(1)
    peer.control(invitation)
    expectEqual(peer.session.takeEvents(), [.invited(number: 1, HostilePeer.card(1), context: nil)])
    return peer
  }

  @Test("who invites a lower peer that waits for an answer sends nothing, and that invitation ends with both times")
  func lowerWaits() throws {
    for (seconds, end) in [(10, 10_000), (20, 20_000), (60, 30_000)] as [(Int64, Int64)] {
      var peer = invited(high: 1)
      try peer.invite(1, timeout: .seconds(seconds))
      expectEqual(peer.session.takeEvents(), [.state(one, .connecting)])
      expectEqual(peer.session.linkCount, 1)
      // It is heard of in between, and so does not fall silent.
      for second in 1..<(end / 1_000) {
        peer.now = SessionRig.time(second * 1_000)
        peer.frames([4])
        peer.wake()
      }
      peer.now = SessionRig.time(end - 1)
      peer.wake()
      expectEqual(peer.session.takeEvents(), [], "\(seconds)")
      peer.now = SessionRig.time(end)
      peer.wake()
      expectEqual(
        peer.session.takeEvents(), [.invitationEnded(number: 1), .state(one, .notConnected)], "\(seconds)")
    }
  }

  @Test("a lower peer that we invite too, and that invites anew, keeps us connecting and has one invitation")
  func lowerInvitesAnew() throws {
    var peer = invited(high: 1)
    try peer.invite(1)
    peer.hello(1, link: 2_000)
    peer.control(invitation)
    expectEqual(
      peer.session.takeEvents(),
      [
        .state(one, .connecting), .invitationEnded(number: 1),
        .invited(number: 2, HostilePeer.card(1), context: nil),
      ])
    expectEqual(peer.refusals, [])
  }

  @Test("who invites a higher peer that waits for an answer ends that invitation without a report of the peer")
  func higherWaits() throws {
    var peer = invited(high: 0)
    try peer.invite(1)
    expectEqual(peer.session.takeEvents(), [.state(one, .connecting), .invitationEnded(number: 1)])
    expectEqual(peer.session.state(of: one), .connecting)
  }

  @Test("a hello of a higher peer that we invite is not answered, and one of a lower peer ends our invitation")
  func helloAfterOurs() throws {
    var lower = HostilePeer(high: 0)
    try lower.invite(1)
    lower.hello(1)
    lower.control(invitation)
    expectEqual(
      lower.session.takeEvents(),
      [.state(one, .connecting), .rejected(.unknownConnection, from: SessionRig.place(1))])
    expectEqual(lower.session.linkCount, 1)
    expectEqual(lower.refusals, [])
    // Before the welcome, and behind it.
    for isWelcomed in [false, true] {
      var higher = HostilePeer(high: 1)
      try higher.invite(1)
      if isWelcomed { higher.welcome(1, key: 1) }
      higher.hello(1)
      higher.control(invitation)
      expectEqual(
        higher.session.takeEvents(),
        [.state(one, .connecting), .invited(number: 1, HostilePeer.card(1), context: nil)], "\(isWelcomed)")
      if !isWelcomed { expectEqual(higher.session.linkCount, 1) }
      expectEqual(higher.refusals, [])
    }
  }

  /// Peer 1 is connected, 2 is expected by hand, and 3 is invited.
  private func three() throws -> HostilePeer {
    var peer = HostilePeer()
    try peer.connect()
    _ = try peer.session.connectionData(for: SessionRig.id(2))
    var data = ConnectionData(
      maker: HostilePeer.card(2), reader: peer.session.card.id, endpoint: SessionRig.place(2),
      token: [UInt8](repeating: 3, count: ConnectionData.tokenBytes))
    data.signature = TestCipher(seed: 2).signature(of: data.signedBytes)
    var outbox = Outbox(payloads: PayloadStore())
    try peer.session.connect(SessionRig.id(2), with: data.bytes, at: .zero, into: &outbox)
    try peer.invite(3)
    expectEqual(
      peer.session.takeEvents(), [.state(SessionRig.id(2), .connecting), .state(SessionRig.id(3), .connecting)])
    return peer
  }

  @Test("to cancel by hand ends neither a connection nor an invitation")
  func cancelled() throws {
    var peer = try three()
    var outbox = Outbox(payloads: PayloadStore())
    for other in [1, 3] {
      peer.session.cancelConnect(SessionRig.id(other), at: .zero, into: &outbox)
      expectEqual(peer.session.takeEvents(), [], "\(other)")
    }
    peer.session.cancelConnect(SessionRig.id(2), at: .zero, into: &outbox)
    expectEqual(peer.session.takeEvents(), [.state(SessionRig.id(2), .notConnected)])
    expectEqual(peer.session.presentPeers, [one, SessionRig.id(3)])
  }

  @Test("a disconnect is reported of connections, of attempts, and of peers that are expected")
  func disconnected() throws {
    var peer = try three()
    var outbox = Outbox(payloads: PayloadStore())
    peer.session.disconnect(at: .zero, into: &outbox)
    expectEqual(
      peer.session.takeEvents(), [3, 1, 2].map { SessionEvent.state(SessionRig.id($0), .notConnected) })
    expectEqual(peer.session.presentPeers, [])
    expectEqual([1, 9].map { peer.session.queuedBytes(to: SessionRig.id($0)) }, [0, 0])
  }

  @Test("peers that are expected are so once each, and one that is met twice is asked once")
  func expectedOnce() throws {
    var peer = HostilePeer()
    let end = SessionRig.time(5_000)
    for other in [1, 2, 1] { peer.session.expect(HostilePeer.card(other), until: end) }
    expectEqual(peer.session.takeEvents(), [1, 2].map { SessionEvent.state(SessionRig.id($0), .connecting) })
    expectEqual(peer.session.waitingCount, 2)
    var outbox = Outbox(payloads: PayloadStore())
    let hasYielded = peer.session.yield(to: HostilePeer.card(3), at: .zero, into: &outbox)
    expectEqual(hasYielded, false)
    expectEqual(peer.session.waitingCount, 2)

    var asker = HostilePeer(high: 0)
    let member = SessionControl.Member(HostilePeer.card(1), at: SessionRig.place(1))
    for _ in 0..<2 {
      try asker.session.meet(member, on: InterfaceID(0), within: .seconds(5), at: .zero, into: &outbox)
    }
    expectEqual(asker.session.takeEvents(), [.state(one, .connecting)])
    expectEqual(asker.session.linkCount, 1)
  }

  @Test("a message for nobody that is ignored may be as long as it likes")
  func nobody() throws {
    var peer = HostilePeer {
      $0.emptyTargets = .ignored
      $0.messageBytesMaximum = 3
    }
    var outbox = Outbox(payloads: PayloadStore())
    try peer.session.send([1, 2, 3, 4], to: [], at: .zero, into: &outbox)
    expectEqual(outbox.count, 0)
    #expect(throws: SessionError.invalidParameter) {
      try peer.session.send([1, 2, 3, 4], to: [one], at: .zero, into: &outbox)
    }
  }

  @Test("a set of faults holds those that it was made of")
  func faults() {
    let some: [PeerFault] = [.infoDropped, .streamCut]
    var faults = PeerFaults()
    for fault in some { faults.insert(fault) }
    expectEqual(PeerFaults(some), faults)
    #expect(PeerFaults(some) != PeerFaults() && PeerFaults([.infoDropped]) != faults)
    expectEqual(faults.contains(.streamCut), PeerFaults.areBuiltIn)
    expectEqual(faults.contains(.lossForgotten), false)
  }
}
