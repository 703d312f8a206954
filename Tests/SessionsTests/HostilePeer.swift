import RollcallPrimitives
import RollcallSessions
import RollcallWire

/// Peers that open plain connections to one session and send it whatever they like.
struct HostilePeer {
  var session: SessionMachine
  private var outbox = Outbox(payloads: PayloadStore())
  var now = Instant.zero
  /// What peers send comes from another place than theirs.
  var isElsewhere = false
  private let here = SessionRig.place(100)
  /// The session's number of the connection with each peer.
  private(set) var links: [Int: UInt64] = [:]
  private var packets: [Int: Int] = [:]
  private var pieces: [Int: Int] = [:]
  /// Packets with frames and pieces that the session has sent to peer 1.
  private(set) var sentPackets = 0
  private(set) var sentPieces = 0

  /// What the session has said to each peer, once each, in order.
  private(set) var said: [Int: [SessionControl]] = [:]
  private var heardPieces: [Int: Int] = [:]

  /// Why the session refused hellos, in order.
  private(set) var refusals: [SessionOpening.Refusal] = []

  /// What the session asked each peer by a hello.
  private var hellos: [Int: (bytes: [UInt8], link: UInt64)] = [:]

  /// - Parameter high: of the session's ID; the peers have 0, so that 1 is above them all.
  init(high: UInt64 = 1, _ change: (inout SessionPolicy) -> Void = { _ in }) {
    var policy = SessionPolicy()
    change(&policy)
    let cipher = TestCipher(seed: 200)
    session = SessionMachine(
      card: SessionCard(id: SessionPeerID(high: high, low: 0), name: "victim", key: cipher.identityKey),
      preference: .none,
      policy: policy, cipher: cipher, at: here, interface: InterfaceID(0), seed: Seed(1))
  }

  static func card(_ peer: Int, key: Int? = nil) -> SessionCard {
    SessionCard(
      id: SessionRig.id(peer), name: "guest", key: TestCipher(seed: UInt8(truncatingIfNeeded: key ?? peer)).identityKey
    )
  }

  /// A hello of a peer, signed rightly unless it forges one.
  mutating func hello(
    _ peer: Int, _ purpose: SessionOpening.Purpose = .invitation, key: Int? = nil, link: UInt64? = nil,
    token: [UInt8]? = nil, target: SessionPeerID? = nil, forges: Bool = false
  ) {
    var hello = SessionOpening.Hello(
      link: link ?? UInt64(1_000 + peer), target: target ?? session.card.id, purpose: purpose, token: token,
      preference: .none, card: HostilePeer.card(peer, key: key), agreement: [UInt8](repeating: 1, count: 32))
    let cipher = TestCipher(seed: UInt8(truncatingIfNeeded: key ?? peer))
    hello.signature = cipher.signature(of: SessionOpening.hello(hello).signedBytes)
    if forges { hello.signature[63] ^= 1 }
    give(SessionOpening.hello(hello).bytes, from: peer)
  }

  /// Peer 1 is connected.
  mutating func connect() throws {
    hello(1)
    control(.invitation(timeoutMilliseconds: 30_000, context: nil, certificates: []))
    try session.answer(1, accepts: true, at: now, into: &outbox)
    settle()
    control(.ready)
    _ = session.takeEvents()
  }

  /// The session invites a peer.
  mutating func invite(_ peer: Int, context: [UInt8]? = nil, timeout: Interval = .zero) throws {
    defer { settle() }
    try session.invite(
      SessionRig.id(peer), at: SessionRig.place(peer), context: context, timeout: timeout, at: now, into: &outbox)
  }

  mutating func control(_ control: SessionControl, from peer: Int = 1) {
    piece(.control, 0, control.bytes, isLast: true, from: peer)
  }
  mutating func piece(
    _ kind: SessionPieceKind, _ channel: UInt32, _ bytes: [UInt8], isLast: Bool, from peer: Int = 1
  ) {
    var frame = [UInt8](repeating: 0, count: SessionFrame.Piece.headerBytes)
    let sequence = pieces[peer, default: 0]
    pieces[peer] = sequence + 1
    let header = SessionFrame.Piece(sequence: sequence, kind: kind, channel: channel, isLast: isLast, bytes: 0..<0)
    frame.withUnsafeMutableBytes { header.write(to: $0, at: 0, count: bytes.count) }
    frames(frame + bytes, from: peer)
  }
  mutating func acknowledge(packet: Int, next: Int, bits: [UInt8] = []) {
    var frame: [UInt8] = [1]
    func append(_ value: UInt64, _ count: Int) {
      for byte in (0..<count).reversed() { frame.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))) }
    }
    append(UInt64(packet), 8)
    append(0, 4)
    append(UInt64(next), 8)
    append(UInt64(bits.count), 1)
    frames(frame + bits)
  }
  mutating func frames(_ bytes: [UInt8], from peer: Int = 1, isSealed: Bool = false) {
    var packet = [UInt8](repeating: 0, count: SessionHeader.byteCount)
    let header = SessionHeader(isSealed: isSealed, link: links[peer] ?? 0, number: packets[peer, default: 0])
    packets[peer, default: 0] += 1
    packet.withUnsafeMutableBytes { header.write(to: $0) }
    give(packet + bytes, from: peer)
  }

  private mutating func give(_ bytes: [UInt8], from peer: Int) {
    let payload = outbox.payloads.store(bytes)
    let source = SessionRig.place(isElsewhere ? peer + 50 : peer)
    session.receive(
      Datagram(source: source, destination: here, interface: InterfaceID(0), hopLimit: 1, payload: payload),
      at: now, into: &outbox)
    outbox.payloads.release(payload)
    settle()
  }

  mutating func open(_ name: String) throws -> SessionChannelID {
    defer { settle() }
    return try session.openStream(name, to: SessionRig.id(1), at: now, into: &outbox)
  }
  mutating func sendResource(byteCount: Int) throws -> SessionChannelID {
    defer { settle() }
    return try session.sendResource("r", byteCount: byteCount, to: SessionRig.id(1), at: now, into: &outbox)
  }
  mutating func supply(_ count: Int, isLast: Bool, to resource: SessionChannelID) throws {
    defer { settle() }
    let bytes = [UInt8](repeating: 1, count: count)
    try session.supply(bytes, isLast: isLast, to: resource, at: now, into: &outbox)
  }
  mutating func consumed(_ count: Int, of stream: SessionChannelID) {
    session.consumed(count, of: stream, at: now, into: &outbox)
    settle()
  }
  /// Answers the hello that a peer got.
  /// - Parameter other: whose ID it has; `nil`: its own.
  mutating func welcome(_ peer: Int, key: Int, as other: Int? = nil, forges: Bool = false) {
    guard let (bytes, link) = hellos[peer] else { return }
    let cipher = TestCipher(seed: UInt8(truncatingIfNeeded: key))
    var welcome = SessionOpening.Welcome(
      askedLink: link, link: 77, preference: .none, card: HostilePeer.card(other ?? peer, key: key),
      agreement: [UInt8](repeating: 1, count: 32))
    welcome.signature = cipher.signature(of: bytes + SessionOpening.welcome(welcome).signedBytes)
    if forges { welcome.signature[63] ^= 1 }
    give(SessionOpening.welcome(welcome).bytes, from: peer)
  }
  mutating func answer(_ invitation: Int, accepts: Bool = true) throws {
    defer { settle() }
    try session.answer(invitation, accepts: accepts, at: now, into: &outbox)
  }
  mutating func decide(_ peer: Int, accepts: Bool) {
    session.decide(SessionRig.id(peer), accepts: accepts, at: now, into: &outbox)
    settle()
  }
  mutating func wake() {
    session.wake(at: now, into: &outbox)
    settle()
  }
  mutating func data(for peer: Int) throws { _ = try session.connectionData(for: SessionRig.id(peer)) }

  /// What the session dropped since this was asked last.
  mutating func rejections() -> [SessionRejection] { session.takeEvents().rejections }

  private mutating func settle() {
    for position in 0..<outbox.count {
      guard let datagram = outbox.datagram(at: position) else { continue }
      let bytes = outbox.payloads.bytes(of: datagram.payload)
      let peer = Int(datagram.destination.address.low & 0xFF) - 1
      if case .welcome(let welcome)? = try? SessionOpening(bytes), links[peer] != welcome.link {
        links[peer] = welcome.link
        packets[peer] = 0
        pieces[peer] = 0
        heardPieces[peer] = 0
      }
      if case .refusal(_, let why)? = try? SessionOpening(bytes) { refusals.append(why) }
      if case .hello(let hello)? = try? SessionOpening(bytes) { hellos[peer] = (Array(bytes), hello.link) }
      if peer == 1, let header = try? SessionHeader(bytes) {
        sentPackets = max(sentPackets, header.number + 1)
        var frames = SessionFrames(bytes)
        while let frame = try? frames.next() {
          if case .piece(let piece) = frame { sentPieces = max(sentPieces, piece.sequence + 1) }
        }
      }
      hear(bytes, of: peer)
      outbox.payloads.release(datagram.payload)
    }
    outbox.removeAll()
  }

  /// Keeps what the session says to a peer in a packet.
  private mutating func hear(_ bytes: UnsafeRawBufferPointer, of peer: Int) {
    guard (try? SessionHeader(bytes)) != nil else { return }
    var frames = SessionFrames(bytes)
    while let frame = try? frames.next() {
      guard case .piece(let piece) = frame, piece.sequence >= heardPieces[peer, default: 0] else { continue }
      heardPieces[peer] = piece.sequence + 1
      if piece.kind == .control, let control = try? SessionControl(bytes: Array(bytes[piece.bytes])) {
        said[peer, default: []].append(control)
      }
    }
  }
}
