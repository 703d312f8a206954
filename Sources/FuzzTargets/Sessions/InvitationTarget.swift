import RollcallPrimitives
package import RollcallSessions
import RollcallWire

extension FuzzTarget {
  /// A session and a hostile peer that has opened a connection to it: bytes choose its control messages, pieces and
  /// frames. States stay in their order, what is kept stays within its bounds, and in the end nothing is left.
  package static let invitationContext = invitationContext(planting: PeerFaults())

  /// The same with faults in the session, which it has to notice.
  package static func invitationContext(planting faults: PeerFaults) -> FuzzTarget {
    FuzzTarget(
      name: "invitation-context", kind: .machine, dictionary: ["\u{1}\u{0}", "\u{2}", "\u{5}"],
      seeds: InvitationScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = InvitationScript(bytes, planting: faults)
      try script.run()
    }
  }
}

/// No cryptography: the connection is plain.
private struct OpenCipher: SessionCipher {
  var identityKey: [UInt8]
  func signature(of bytes: [UInt8]) -> [UInt8] { Array(repeating: 0, count: 64) }
  func isSignature(_ signature: [UInt8], of bytes: [UInt8], by key: [UInt8]) -> Bool { true }
  func agreementKey(_ number: UInt64) -> [UInt8] { Array(repeating: 0, count: 32) }
  func channel(_ number: UInt64, with remote: [UInt8], transcript: [UInt8], isAsker: Bool) -> (any SealedChannel)? {
    nil
  }
}

private struct InvitationScript {
  static let seeds: [[UInt8]] = {
    let invitation = SessionControl.invitation(timeoutMilliseconds: 9_000, context: [1, 2, 3], certificates: []).bytes
    func whole(_ bytes: [UInt8]) -> [UInt8] { [0, UInt8(bytes.count)] + bytes }
    let begin = whole(invitation) + [5] + whole(SessionControl.ready.bytes)
    return [
      begin, begin + whole(SessionControl.streamOpen(channel: 1, name: "s").bytes) + [2, 1, 0, 2, 8, 9],
      begin + whole(SessionControl.resourceOpen(channel: 2, byteCount: 3, name: "r", fileName: "f").bytes) + [
        3, 2, 1, 3, 7, 8, 9,
      ],
      begin + [1, 1, 2, 4, 4, 6, 4],
    ]
  }()

  private var choices: ByteChoices
  private var session: SessionMachine
  private var outbox = Outbox(payloads: PayloadStore())
  private var now = Instant.zero
  private var state = PeerState.notConnected
  private let here = Endpoint(IPAddress(10, 0, 0, 1), port: 4_000)
  private let there = Endpoint(IPAddress(10, 0, 0, 2), port: 4_000)
  private let peer = SessionPeerID(high: 0, low: 2)
  private var link: UInt64 = 0
  private var packet = 0
  private var piece = 0

  init(_ bytes: [UInt8], planting faults: PeerFaults) {
    choices = ByteChoices(bytes)
    var policy = SessionPolicy()
    policy.faults = faults
    let cipher = OpenCipher(identityKey: [UInt8](repeating: 1, count: 32))
    session = SessionMachine(
      card: SessionCard(id: SessionPeerID(high: 0, low: 1), name: "victim", key: cipher.identityKey), preference: .none,
      policy: policy, cipher: cipher, at: here, interface: InterfaceID(0), seed: Seed(1))
  }

  mutating func run() throws(FuzzFinding) {
    var hello = SessionOpening.Hello(
      link: 77, target: session.card.id, purpose: .invitation, preference: .none,
      card: SessionCard(id: peer, name: "guest", key: [UInt8](repeating: 2, count: 32)),
      agreement: [UInt8](repeating: 0, count: 32))
    hello.signature = [UInt8](repeating: 0, count: 64)
    try give(SessionOpening.hello(hello).bytes)
    try expect(link != 0, "a right hello has no welcome")
    var steps = 0
    while !choices.isOver, steps < 200 {
      steps += 1
      switch choices.byte() {
      case 0: try send(.control, 0, choices.take(Int(choices.byte())), isLast: true)
      case 1: try send(.message, 0, choices.take(Int(choices.byte())), isLast: choices.bool())
      case 2: try send(.stream, UInt32(choices.byte()) | 1, choices.take(choices.below(9)), isLast: choices.bool())
      case 3: try send(.resource, UInt32(choices.byte()) | 2, choices.take(choices.below(9)), isLast: choices.bool())
      case 4: try pass(.milliseconds(Int64(choices.byte()) * 50))
      case 5:
        var error: SessionError?
        do { try session.answer(1, accepts: true, at: now, into: &outbox) } catch let found { error = found }
        try expect(error == nil, "an answer is refused")
        try settle()
      case 6: piece += choices.below(1_100)
      case 7: try send(.control, 0, choices.take(Int(choices.byte())), isLast: false)
      default: try frames(choices.take(choices.below(60)))
      }
      try expect(session.linkCount <= 1, "one peer has \(session.linkCount) connections")
    }
    // Nothing is heard of it any more.
    for _ in 0..<5_000 {
      guard let next = session.deadline else { break }
      now = max(now, next)
      session.wake(at: now, into: &outbox)
      try settle()
    }
    try expect(session.linkCount == 0 && session.connectedPeers.isEmpty, "a peer that is gone is kept")
    try expect(session.waitingCount == 0, "\(session.waitingCount) things are left")
  }

  private mutating func pass(_ time: Interval) throws(FuzzFinding) {
    let end = now + time
    while let next = session.deadline, next <= end {
      now = max(now, next)
      session.wake(at: now, into: &outbox)
      try settle()
    }
    now = end
  }

  private mutating func send(_ kind: SessionPieceKind, _ channel: UInt32, _ bytes: [UInt8], isLast: Bool)
    throws(FuzzFinding)
  {
    var frame = [UInt8](repeating: 0, count: SessionFrame.Piece.headerBytes)
    let header = SessionFrame.Piece(sequence: piece, kind: kind, channel: channel, isLast: isLast, bytes: 0..<0)
    frame.withUnsafeMutableBytes { header.write(to: $0, at: 0, count: bytes.count) }
    piece += 1
    try frames(frame + bytes)
  }

  private mutating func frames(_ bytes: [UInt8]) throws(FuzzFinding) {
    var packetBytes = [UInt8](repeating: 0, count: SessionHeader.byteCount)
    let header = SessionHeader(isSealed: false, link: link, number: packet)
    packetBytes.withUnsafeMutableBytes { header.write(to: $0) }
    packet += 1
    try give(packetBytes + bytes)
  }

  private mutating func give(_ bytes: [UInt8]) throws(FuzzFinding) {
    let payload = outbox.payloads.store(bytes)
    session.receive(
      Datagram(source: there, destination: here, interface: InterfaceID(0), hopLimit: 1, payload: payload), at: now,
      into: &outbox)
    outbox.payloads.release(payload)
    try settle()
  }

  /// Looks at what the session says and sends.
  private mutating func settle() throws(FuzzFinding) {
    for position in 0..<outbox.count {
      guard let datagram = outbox.datagram(at: position) else { continue }
      let bytes = outbox.payloads.bytes(of: datagram.payload)
      if link == 0, case .welcome(let welcome)? = try? SessionOpening(bytes) { link = welcome.link }
      let count = bytes.count
      outbox.payloads.release(datagram.payload)
      try expect(count <= session.policy.packetBytesMaximum, "a packet of \(count) bytes")
    }
    outbox.removeAll()
    for event in session.takeEvents() {
      if case .state(_, let next) = event {
        let isRight = next == .notConnected ? state != .notConnected : next.rawValue == state.rawValue + 1
        try expect(isRight, "\(state) to \(next)")
        state = next
      }
      if case .message = event { try expect(state == .connected, "a message of a peer that is not connected") }
      if case .invited(_, _, let context) = event {
        try expect(context?.count ?? 0 <= SessionControl.contextBytesMaximum, "a context above its limit")
      }
    }
  }
}
