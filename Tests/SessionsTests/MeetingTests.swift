import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("Invitations that one session takes and another answers, and who is asked, told and expected")
struct MeetingTests {
  private let one = SessionRig.id(1)
  private let two = SessionRig.id(2)

  private func invitation(seconds: UInt32 = 30, certificates: [[UInt8]] = []) -> SessionControl {
    .invitation(timeoutMilliseconds: seconds * 1_000, context: nil, certificates: certificates)
  }
  private func member(_ number: Int) -> SessionControl.Member {
    SessionControl.Member(HostilePeer.card(number), at: SessionRig.place(number))
  }
  /// A session that peer 1 has invited.
  private func invited(
    seconds: UInt32 = 30, certificates: [[UInt8]] = [], _ change: (inout SessionPolicy) -> Void = { _ in }
  ) -> HostilePeer {
    var peer = HostilePeer(change)
    peer.hello(1)
    peer.control(invitation(seconds: seconds, certificates: certificates))
    expectEqual(peer.session.takeEvents(), [.invited(number: 1, HostilePeer.card(1), context: nil)])
    return peer
  }
  /// The next one that asks a session is connected, too.
  private func join(_ number: Int, _ peer: inout HostilePeer, invitation count: Int) throws {
    peer.hello(number)
    peer.control(invitation(), from: number)
    try peer.answer(count)
    peer.control(.ready, from: number)
  }
  private func expected(_ peer: HostilePeer) -> [SessionPeerID] { peer.session.expected.map(\.card.id) }
  private func state(_ number: Int, _ state: PeerState) -> SessionEvent { .state(SessionRig.id(number), state) }

  // MARK: The session that takes invitations

  @Test("who hands an invitation over tells its sender, knows it no longer, and waits 30 s at most for its end")
  func handedOver() {
    for (seconds, end) in [(10, 10), (60, 30)] as [(UInt32, Int64)] {
      var peer = invited(seconds: seconds)
      var outbox = Outbox(payloads: PayloadStore())
      let found = peer.session.handOver(1, at: .zero, into: &outbox)
      expectEqual(found?.inviter, member(1))
      expectEqual(found?.interface, InterfaceID(0))
      expectEqual(found?.time, Interval.seconds(Int64(seconds)))
      expectEqual(outbox.count, 1)
      expectEqual(peer.session.links[0].deadline, SessionRig.time(end * 1_000))
      let again = peer.session.handOver(1, at: .zero, into: &outbox)
      expectEqual(again?.inviter, nil)
      expectEqual(peer.session.takeEvents(), [])
    }
    // One that was withdrawn.
    var peer = invited()
    peer.control(.decline)
    expectEqual(peer.session.takeEvents(), [.invitationEnded(number: 1)])
    expectEqual(peer.session.linkCount, 1)
    var outbox = Outbox(payloads: PayloadStore())
    let gone = peer.session.handOver(1, at: .zero, into: &outbox)
    expectEqual(gone?.inviter, nil)
  }

  @Test("an invitation that is forgotten is gone, and nobody hears of it")
  func forgotten() throws {
    var peer = invited()
    try peer.invite(1)
    expectEqual(peer.session.takeEvents(), [state(1, .connecting)])
    peer.session.forget(1)
    expectEqual(peer.session.takeEvents(), [])
    expectEqual(peer.session.state(of: one), .connecting)
    expectEqual(peer.session.linkCount, 0)
  }

  @Test("who declines silently knows the invitation no longer, and says nothing")
  func declinedSilently() throws {
    var peer = invited { $0.declining = .silent }
    try peer.answer(1, accepts: false)
    expectEqual(peer.session.linkCount, 0)
    expectEqual(peer.said[1], nil)
  }

  @Test("an invitation of one peer does not stand for our own to another one")
  func others() throws {
    var peer = HostilePeer()
    peer.hello(2)
    peer.control(invitation(), from: 2)
    _ = peer.session.takeEvents()
    try peer.invite(1)
    expectEqual(peer.session.takeEvents(), [state(1, .connecting)])
    expectEqual(peer.session.links.map(\.peer), [two, one])
    expectEqual(peer.session.links.map(\.stage), [.asking, .opening])
  }

  // MARK: Certificates and members

  @Test("certificates of an invitation are kept until its answer, and a decision is told at once")
  func decided() throws {
    var peer = invited(certificates: [[1], [2]]) { $0.certificateDecision = .asked }
    expectEqual(peer.session.links[0].pendingCertificates, [[1], [2]])
    try peer.answer(1)
    expectEqual(peer.session.takeEvents(), [state(1, .connecting), .certificate(one, chain: [[1], [2]])])
    expectEqual(peer.session.links[0].pendingCertificates, [])
    expectEqual(peer.said[1], [.accept(certificates: [])])
    peer.decide(1, accepts: true)
    expectEqual(peer.said[1], [.accept(certificates: []), .ready])
    expectEqual(peer.session.takeEvents(), [])
  }

  @Test("a new member is told of the others, and they are told of it at once; who only asks is told of nobody")
  func introduced() throws {
    var peer = HostilePeer()
    try peer.connect()
    peer.hello(3)
    peer.control(invitation(), from: 3)
    try join(2, &peer, invitation: 3)
    let greeted: [SessionControl] = [.accept(certificates: []), .ready]
    expectEqual(peer.said, [1: greeted + [.members([member(2)])], 2: greeted + [.members([member(1)])]])
  }

  @Test("nobody is introduced to oneself")
  func oneself() {
    var peer = HostilePeer()
    var outbox = Outbox(payloads: PayloadStore())
    peer.session.introduce(peer.session.card, at: SessionRig.place(1), on: nil, at: .zero, into: &outbox)
    expectEqual(outbox.count, 0)
    expectEqual(peer.session.waitingCount, 0)
  }

  @Test("what is said with an invitation is kept until the other side has answered")
  func context() throws {
    var peer = HostilePeer()
    try peer.invite(1, context: [7])
    expectEqual(peer.session.links[0].context, [7])
    peer.welcome(1, key: 1)
    expectEqual(peer.said[1], [.invitation(timeoutMilliseconds: 30_000, context: [7], certificates: [])])
    expectEqual(peer.session.links[0].context, nil)
  }

  @Test("connections have odd numbers, so that none is 0")
  func numbers() throws {
    var peer = HostilePeer {
      $0.peersMaximum = 100
      $0.openingsMaximum = 100
    }
    for number in 1...20 {
      peer.hello(number)
      try peer.invite(number + 20)
    }
    expectEqual(peer.session.linkCount, 40)
    #expect(peer.session.links.allSatisfy { $0.number % 2 == 1 })
  }

  // MARK: The sessions of the application

  /// Invitations of both sides end each other.
  private func bothFail(high: UInt64) -> HostilePeer { HostilePeer(high: high) { $0.mutualInvitations = .bothFail } }
  private func meet(_ number: Int, _ peer: inout HostilePeer, seconds: Int64 = 5) throws {
    var outbox = Outbox(payloads: PayloadStore())
    try peer.session.meet(member(number), on: InterfaceID(0), within: .seconds(seconds), at: .zero, into: &outbox)
  }

  @Test("there is room for who is connected, and for others as long as the session is not full")
  func room() throws {
    for (count, hasRoom) in [(2, false), (3, true)] {
      var peer = HostilePeer { $0.peersMaximum = count }
      try peer.connect()
      expectEqual([1, 2].map { peer.session.hasRoom(for: SessionRig.id($0)) }, [true, hasRoom])
      if hasRoom { continue }
      #expect(throws: SessionError.unavailable) { try meet(2, &peer) }
      expectEqual(peer.session.takeEvents(), [])
    }
  }

  @Test("a member makes way for itself, by its key, and for nobody else")
  func madeWay() throws {
    var peer = HostilePeer()
    try peer.connect()
    var outbox = Outbox(payloads: PayloadStore())
    let cases: [(Int, Int, Bool, [SessionEvent])] = [
      (1, 9, false, []), (5, 5, true, []), (1, 1, true, [state(1, .notConnected)]),
    ]
    for (number, key, makesWay, events) in cases {
      let found = peer.session.makeWay(for: HostilePeer.card(number, key: key), at: .zero, into: &outbox)
      expectEqual(found, makesWay, "\(number), key \(key)")
      expectEqual(peer.session.takeEvents(), events, "\(number), key \(key)")
    }
  }

  @Test("a hello is taken that was answered already, by its sender and its number")
  func taken() {
    var peer = HostilePeer()
    peer.hello(1)
    for (sender, link, isTaken) in [(1, 1_001, true), (2, 1_001, false), (1, 1_002, false)] as [(Int, UInt64, Bool)] {
      let hello = SessionOpening.Hello(
        link: link, target: peer.session.card.id, purpose: .introduction, preference: .none,
        card: HostilePeer.card(sender), agreement: [])
      expectEqual(peer.session.takes(hello), isTaken, "\(sender) \(link)")
    }
  }

  @Test("an invitation of ours is one until its answer, and neither another attempt nor that of the other side is")
  func inviting() throws {
    var peer = HostilePeer(high: 0)
    try peer.connect()
    try peer.invite(3)
    try meet(6, &peer)
    expectEqual([1, 3, 6, 9].filter { peer.session.isInviting(SessionRig.id($0)) }, [3])
    peer.welcome(3, key: 3)
    expectEqual([1, 3, 6, 9].filter { peer.session.isInviting(SessionRig.id($0)) }, [3])
  }

  @Test("where the invitation of the other side stands ours ends without a report, and its time is that of the peer")
  func yielded() throws {
    var peer = HostilePeer()
    try peer.invite(1)
    var outbox = Outbox(payloads: PayloadStore())
    let hasYielded = peer.session.yield(to: HostilePeer.card(1), at: .zero, into: &outbox)
    expectEqual(hasYielded, true)
    expectEqual(peer.session.takeEvents(), [state(1, .connecting)])
    expectEqual(peer.session.linkCount, 0)
    expectEqual(expected(peer), [one])
    expectEqual(peer.session.expected.map(\.until), [SessionRig.time(30_000)])
    // Met, it is expected once, for the time that is left.
    try meet(1, &peer)
    expectEqual(peer.session.takeEvents(), [])
    expectEqual(expected(peer), [one])
    expectEqual(peer.session.expected.map(\.until), [SessionRig.time(5_000)])
  }

  @Test("who was invited is given up, and nobody else: not who was introduced, nor who has another key")
  func givenUp() throws {
    var peer = HostilePeer()
    try peer.connect()
    peer.control(.members([member(10)]))
    for number in [2, 3] { peer.session.expect(HostilePeer.card(number), until: SessionRig.time(9_000)) }
    _ = peer.session.takeEvents()
    let all = [10, 2, 3].map { SessionRig.id($0) }
    peer.session.giveUp(SessionRig.id(10))
    peer.session.giveUp(expecting: HostilePeer.card(2, key: 9))
    peer.session.giveUp(expecting: HostilePeer.card(9, key: 2))
    expectEqual(expected(peer), all)
    expectEqual(peer.session.takeEvents(), [])
    peer.session.giveUp(two)
    expectEqual(expected(peer), [all[0], all[2]])
    expectEqual(peer.session.takeEvents(), [state(2, .notConnected)])
  }

  @Test("a second meeting ends the first one where both fail, and leaves others as they are")
  func metTwice() throws {
    var peer = bothFail(high: 0)
    for number in [6, 7] { try meet(number, &peer) }
    for number in [2, 3] { peer.session.expect(HostilePeer.card(number), until: SessionRig.time(9_000)) }
    // Invited by us, and not met yet.
    try peer.invite(8)
    try meet(8, &peer)
    expectEqual(peer.session.takeEvents(), [6, 7, 2, 3, 8].map { state($0, .connecting) })
    expectEqual(peer.session.links.map(\.peer), [6, 7, 8, 8].map { SessionRig.id($0) })
    expectEqual(peer.session.links.map(\.card), [member(6).card, member(7).card, nil, member(8).card])
    expectEqual(expected(peer), [two, SessionRig.id(3)])
    try meet(6, &peer)
    expectEqual(peer.session.takeEvents(), [state(6, .notConnected)])
    expectEqual(peer.session.links.map(\.peer), [7, 8, 8].map { SessionRig.id($0) })
    try meet(2, &peer)
    expectEqual(peer.session.takeEvents(), [state(2, .notConnected)])
    expectEqual(expected(peer), [SessionRig.id(3)])
    expectEqual(peer.session.linkCount, 3)
  }

  @Test("where both fail, who was introduced or is connected is met as well, beside attempts with others")
  func metBeside() throws {
    var peer = bothFail(high: 1)
    try peer.connect()
    peer.control(.members([member(10)]))
    for number in [2, 10] {
      peer.session.expect(HostilePeer.card(5), until: SessionRig.time(9_000))
      try meet(number, &peer)
    }
    expectEqual(peer.session.takeEvents(), [5, 2, 10].map { state($0, .connecting) })
    expectEqual(expected(peer), [2, 5, 10].map { SessionRig.id($0) })
    expectEqual(peer.session.connectedPeers, [one])
  }
}
