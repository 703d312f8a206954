import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@Suite("What opens a connection, what is refused, and what is dropped")
struct OpeningTests {
  private let invitation = SessionControl.invitation(timeoutMilliseconds: 30_000, context: nil, certificates: [])

  /// A session that a member has told of peer 10, and that has asked that peer.
  private func asking() throws -> HostilePeer {
    var peer = HostilePeer(high: 0)
    try peer.connect()
    peer.control(.members([.init(HostilePeer.card(10), at: SessionRig.place(10))]))
    expectEqual(peer.session.takeEvents(), [.state(SessionRig.id(10), .connecting)])
    return peer
  }

  @Test("hello and welcome count with the signature of their sender, and a welcome with the ID that was asked")
  func signatures() throws {
    var peer = HostilePeer()
    peer.hello(1, forges: true)
    expectEqual(peer.rejections(), [.badSignature])
    expectEqual(peer.session.linkCount, 0)
    peer.hello(1)
    expectEqual(peer.rejections(), [])
    expectEqual(peer.session.linkCount, 1)
    for (other, forges, isTaken) in [(10, true, false), (11, false, false), (10, false, true)] {
      var asked = try asking()
      asked.welcome(10, key: 10, as: other, forges: forges)
      expectEqual(asked.rejections(), isTaken ? [] : [.badSignature], "as \(other)")
      expectEqual(asked.session.linkCount, 2)
    }
  }

  @Test("a hello is refused with its reason: another target, no room, connected already, or another attempt under way")
  func refusals() throws {
    var other = HostilePeer()
    other.hello(1, target: SessionRig.id(7))
    expectEqual(other.refusals, [.wrongPeer])
    var full = HostilePeer { $0.peersMaximum = 2 }
    try full.connect()
    full.hello(2)
    expectEqual(full.refusals, [.full])
    // A member, where its place is not given away; and somebody else with its ID.
    var kept = HostilePeer { $0.secondConnection = .refused }
    try kept.connect()
    kept.hello(1, link: 2_000)
    expectEqual(kept.refusals, [.connectedAlready])
    var stranger = HostilePeer()
    try stranger.connect()
    stranger.hello(1, key: 9, link: 2_000)
    expectEqual(stranger.refusals, [.connectedAlready])
    // Its invitation has not come yet, or its certificates are looked at.
    var early = HostilePeer()
    early.hello(1)
    early.hello(1, link: 2_000)
    expectEqual(early.refusals, [.busy])
    var deciding = HostilePeer { $0.certificateDecision = .asked }
    try deciding.connect()
    deciding.hello(1, link: 2_000)
    expectEqual(deciding.refusals, [.busy])
    for (peer, links) in [(other, 0), (full, 1), (kept, 1), (stranger, 1), (early, 1), (deciding, 1)] {
      var peer = peer
      expectEqual(peer.rejections(), [])
      expectEqual(peer.session.linkCount, links)
    }
  }

  @Test("a hello that comes again is answered again and opens nothing more")
  func again() {
    var peer = HostilePeer()
    for _ in 0..<3 { peer.hello(1) }
    expectEqual(peer.session.linkCount, 1)
    expectEqual(peer.refusals, [])
    expectEqual(peer.rejections(), [])
  }

  @Test("a peer that invites anew before the answer has one invitation, the new one, and the old one has ended")
  func invitedAnew() throws {
    var peer = HostilePeer()
    peer.hello(1)
    peer.control(invitation)
    peer.hello(1, link: 2_000)
    peer.control(invitation)
    let card = HostilePeer.card(1)
    expectEqual(
      peer.session.takeEvents(),
      [
        .invited(number: 1, card, context: nil), .invitationEnded(number: 1),
        .invited(number: 2, card, context: nil),
      ])
    var outbox = Outbox(payloads: PayloadStore())
    try peer.session.answer(1, accepts: true, at: .zero, into: &outbox)
    expectEqual(peer.session.state(of: SessionRig.id(1)), .notConnected)
    expectEqual(outbox.count, 0)
    try peer.session.answer(2, accepts: true, at: .zero, into: &outbox)
    expectEqual(peer.session.state(of: SessionRig.id(1)), .connecting)
  }

  @Test("connections that others ask for count towards the limit of connections, too (MX-13)")
  func counted() throws {
    var peer = HostilePeer { $0.connectionsMaximum = 2 }
    for number in 1...2 { peer.hello(number) }
    expectEqual(peer.rejections(), [])
    peer.hello(3)
    expectEqual(peer.rejections(), [.tooManyOpenings])
    expectEqual(peer.session.linkCount, 2)
    var asker = HostilePeer { $0.connectionsMaximum = 1 }
    try asker.invite(1)
    asker.hello(3)
    expectEqual(asker.rejections(), [.tooManyOpenings])
  }

  @Test("a packet counts from the place, on the connection and in the form that were agreed; others end nothing")
  func strays() throws {
    let ping: [UInt8] = [4]
    var peer = HostilePeer()
    try peer.connect()
    peer.isElsewhere = true
    peer.frames(ping)
    peer.hello(1)
    expectEqual(peer.rejections(), [.wrongSource, .wrongSource])
    peer.isElsewhere = false
    peer.frames(ping, from: 5)
    expectEqual(peer.rejections(), [.unknownConnection])
    peer.frames(ping + [UInt8](repeating: 0, count: 16), isSealed: true)
    expectEqual(peer.rejections(), [.notSealedAsAgreed])
    peer.frames(ping)
    expectEqual(peer.rejections(), [])
    expectEqual(peer.session.connectedPeers, [SessionRig.id(1)])
    var asked = try asking()
    asked.isElsewhere = true
    asked.welcome(10, key: 10)
    asked.isElsewhere = false
    asked.welcome(10, key: 10)
    expectEqual(asked.rejections(), [.wrongSource])
  }

  @Test("plain frames on a sealed connection are dropped, whoever wrote them")
  func plainOnSealed() throws {
    var pair = SessionPair(.required)
    try pair.connect()
    try pair.send([1], from: 0)
    var bytes = try #require(pair.sent.last { $0.from == 0 && $0.bytes[0] == 5 }).bytes
    bytes[0] = 4
    _ = pair.sessions[1].takeEvents()
    pair.give(bytes, to: 1)
    expectEqual(pair.sessions[1].takeEvents(), [.rejected(.notSealedAsAgreed, from: SessionRig.place(0))])
    expectEqual(pair.sessions.map(\.connectedPeers.count), [1, 1])
  }

  /// The number that the asker gave a connection.
  private func link(of hello: UnsafeRawBufferPointer) -> UInt64? {
    if case .hello(let hello)? = try? SessionOpening(hello) { hello.link } else { nil }
  }

  @Test("a refusal ends an attempt from the place that was asked, and no connection that was welcomed")
  func refused() throws {
    var pair = SessionPair()
    var outbox = Outbox(payloads: PayloadStore())
    try pair.sessions[0].invite(SessionRig.id(1), at: SessionRig.place(1), at: .zero, into: &outbox)
    let hello = try #require(outbox.datagram(at: 0))
    let own: UInt64? = link(of: outbox.payloads.bytes(of: hello.payload))
    let asked = try #require(own)
    _ = pair.sessions[0].takeEvents()
    let refusal = SessionOpening.refusal(link: asked, .busy).bytes
    let (right, wrong) = (SessionRig.place(1), SessionRig.place(7))
    pair.give(refusal, to: 0, from: wrong)
    expectEqual(pair.sessions[0].takeEvents(), [.rejected(.wrongSource, from: wrong)])
    pair.give(SessionOpening.refusal(link: asked &+ 2, .busy).bytes, to: 0)
    expectEqual(pair.sessions[0].takeEvents(), [.rejected(.unknownConnection, from: right)])
    expectEqual(pair.sessions[0].state(of: SessionRig.id(1)), .connecting)
    for events in [[.state(SessionRig.id(1), .notConnected)], [.rejected(.unknownConnection, from: right)]]
      as [[SessionEvent]]
    {
      pair.give(refusal, to: 0)
      expectEqual(pair.sessions[0].takeEvents(), events)
    }
    var other = SessionPair()
    try other.connect()
    let sent = try #require(other.sent.first { $0.bytes[0] == 1 }).bytes
    let read: UInt64? = sent.withUnsafeBytes { link(of: $0) }
    let number = try #require(read)
    _ = other.sessions[0].takeEvents()
    other.give(SessionOpening.refusal(link: number, .busy).bytes, to: 0)
    expectEqual(other.sessions[0].takeEvents(), [.rejected(.unknownConnection, from: right)])
    expectEqual(other.sessions.map(\.connectedPeers.count), [1, 1])
  }

  @Test("a member that was introduced is expected for 30 s, and is gone from then on without a report")
  func expectedTime() throws {
    var peer = HostilePeer()
    try peer.connect()
    peer.control(.members([.init(HostilePeer.card(10), at: SessionRig.place(10))]))
    let hello = SessionOpening.Hello(
      link: 5, target: peer.session.card.id, purpose: .introduction, preference: .none, card: HostilePeer.card(10),
      agreement: [])
    peer.now = SessionRig.time(29_999)
    peer.wake()
    #expect(peer.session.takes(hello))
    expectEqual(peer.session.deadline, SessionRig.time(30_000))
    peer.now = SessionRig.time(30_000)
    peer.wake()
    #expect(!peer.session.takes(hello))
    expectEqual(peer.session.takeEvents(), [.state(SessionRig.id(1), .notConnected)])
    expectEqual(peer.session.waitingCount, 0)
  }

  @Test("by hand connects the peer, the key and the token of the data that was handed out, and uses the token up")
  func byHand() throws {
    var peer = HostilePeer()
    let data = try peer.session.connectionData(for: SessionRig.id(1))
    let own = try data.withUnsafeBytes { try ConnectionData($0) }.token
    var theirs = ConnectionData(
      maker: HostilePeer.card(1), reader: peer.session.card.id, endpoint: SessionRig.place(1),
      token: [UInt8](repeating: 3, count: ConnectionData.tokenBytes))
    theirs.signature = TestCipher(seed: 1).signature(of: theirs.signedBytes)
    var outbox = Outbox(payloads: PayloadStore())
    try peer.session.connect(SessionRig.id(1), with: theirs.bytes, at: .zero, into: &outbox)
    expectEqual(outbox.count, 0)
    peer.hello(1, .manual, token: theirs.token)
    peer.hello(1, .introduction)
    peer.hello(1, .manual, key: 9, token: own)
    peer.hello(2, .manual, token: own)
    expectEqual(peer.rejections(), [.notExpected, .notExpected, .notExpected, .notExpected])
    peer.hello(1, .manual, token: own)
    expectEqual(peer.rejections(), [])
    expectEqual(peer.session.linkCount, 1)
    // Neither an expected peer nor a token is left.
    expectEqual(peer.session.waitingCount, 1)
  }
}
