import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallSessions

@Suite("What is left of a session behind an end, and what faults change of ends and agreements")
struct LeftoverTests {
  private let one = SessionRig.id(1)

  @Test("a disconnect leaves nobody who is expected, no data by hand, and no more ends than may be said again")
  func disconnected() throws {
    var peer = HostilePeer { $0.openingsMaximum = 1 }
    try peer.connect()
    peer.hello(2)
    peer.control(.invitation(timeoutMilliseconds: 30_000, context: nil, certificates: []), from: 2)
    try peer.answer(2)
    peer.control(.ready, from: 2)
    try peer.data(for: 3)
    peer.control(.members([.init(HostilePeer.card(10), at: SessionRig.place(10))]))
    _ = peer.session.takeEvents()
    // Two connections, one who is expected, and one token.
    expectEqual(peer.session.waitingCount, 4)
    var outbox = Outbox(payloads: PayloadStore())
    peer.session.disconnect(at: .zero, into: &outbox)
    expectEqual(outbox.count, 2)
    expectEqual(peer.session.takeEvents(), [2, 1].map { SessionEvent.state(SessionRig.id($0), .notConnected) })
    expectEqual(peer.session.waitingCount, 1)
    expectEqual(peer.session.linkCount, 1)
  }

  @Test("a session whose process is gone tells nothing, and is one that begins")
  func vanished() throws {
    var peer = HostilePeer {
      $0.rejectionsMaximum = 1
      $0.reuse = .stuckInConnecting
    }
    peer.hello(2, forges: true)
    expectEqual(peer.rejections(), [.badSignature])
    try peer.connect()
    peer.hello(2, forges: true)
    var outbox = Outbox(payloads: PayloadStore())
    peer.session.disconnect(at: .zero, into: &outbox)
    expectEqual(peer.session.waitingCount, 3)
    peer.session.vanish()
    expectEqual(peer.session.waitingCount, 0)
    expectEqual(peer.session.presentPeers, [])
    peer.hello(2, forges: true)
    expectEqual(peer.rejections(), [.badSignature])
    peer.hello(2)
    expectEqual(peer.rejections(), [])
    expectEqual(peer.session.linkCount, 1)
  }

  @Test("where large unreliable messages are refused, small ones and large reliable ones are sent")
  func largeRefused() throws {
    var peer = HostilePeer { $0.largeUnreliable = .refused }
    try peer.connect()
    var outbox = Outbox(payloads: PayloadStore())
    let large = [UInt8](repeating: 1, count: 1_417)
    try peer.session.send([1], to: [one], reliably: false, at: .zero, into: &outbox)
    expectEqual(outbox.count, 1)
    // Cut into two pieces.
    try peer.session.send(large, to: [one], at: .zero, into: &outbox)
    expectEqual(outbox.count, 3)
    #expect(throws: SessionError.invalidParameter) {
      try peer.session.send(large, to: [one], reliably: false, at: .zero, into: &outbox)
    }
    expectEqual(outbox.count, 3)
  }

  @Test("a decline that is not taken leaves the connection, and any other end counts")
  func declineIgnored() throws {
    for (end, isOver) in [(SessionEnd.left, true), (.replaced, true), (.declined, !PeerFaults.areBuiltIn)] {
      var peer = HostilePeer { $0.faults = PeerFaults([.declineIgnored]) }
      try peer.connect()
      peer.frames([5, end.rawValue])
      expectEqual(peer.session.connectedPeers, isOver ? [] : [one], "\(end)")
    }
  }

  @Test("where encryption is not looked at, who agrees is sealed as before, and who does not is plain")
  func encryptionIgnored() throws {
    var pair = SessionPair(.required) { $0.faults = PeerFaults([.encryptionIgnored]) }
    try pair.connect()
    expectEqual(pair.sessions.map(\.connectedPeers.count), [1, 1])
    expectEqual(Set(pair.sent.map { $0.bytes[0] }.filter { $0 > 3 }), [5])
    var rig = SessionRig(2, preferences: [.required, .none]) { $0.faults = PeerFaults([.encryptionIgnored]) }
    rig.invite(10, 0, 1)
    var kinds: Set<UInt8> = []
    let hosts = rig.run(seconds: 1) { _, bytes in if bytes[0] > 3 { kinds.insert(bytes[0]) } }
    expectEqual(kinds, PeerFaults.areBuiltIn ? [4] : [])
    expectEqual(hosts[0].states(of: 1), PeerFaults.areBuiltIn ? whole : [.connecting, .notConnected])
  }

  @Test("an invitation that never ends waits for 1 000 hours, with any time limit of its own")
  func neverEnds() throws {
    var peer = HostilePeer { $0.faults = PeerFaults([.invitationNeverEnds]) }
    try peer.invite(1, timeout: .seconds(5))
    let time: Interval = PeerFaults.areBuiltIn ? .hours(1_000) : .seconds(5)
    expectEqual(peer.session.links[0].deadline, Instant.zero + time)
  }
}
