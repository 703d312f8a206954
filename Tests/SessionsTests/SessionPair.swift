import RollcallPrimitives
import RollcallSessions
import RollcallWire

/// Two sessions whose datagrams reach each other at once and in order, and are all kept: to be sent again by hand.
struct SessionPair {
  var sessions: [SessionMachine]
  var now = Instant.zero
  private(set) var sent: [(from: Int, bytes: [UInt8])] = []
  private var outbox = Outbox(payloads: PayloadStore())

  init(_ preference: EncryptionPreference = .none, _ change: (inout SessionPolicy) -> Void = { _ in }) {
    var policy = SessionPolicy()
    change(&policy)
    sessions = (0..<2).map { number in
      let cipher = TestCipher(seed: UInt8(number + 1))
      return SessionMachine(
        card: SessionCard(id: SessionRig.id(number), name: "peer \(number)", key: cipher.identityKey),
        preference: preference, policy: policy, cipher: cipher, at: SessionRig.place(number), interface: InterfaceID(0),
        seed: Seed(7))
    }
  }

  /// Session 0 invites 1, which accepts.
  mutating func connect() throws {
    try sessions[0].invite(SessionRig.id(1), at: SessionRig.place(1), at: now, into: &outbox)
    deliver(from: 0)
    for event in sessions[1].takeEvents() {
      if case .invited(let number, _, _) = event {
        try sessions[1].answer(number, accepts: true, at: now, into: &outbox)
        deliver(from: 1)
      }
    }
  }

  /// One of them does something, and what it sends is delivered.
  mutating func act<Result>(
    _ one: Int, _ body: (inout SessionMachine, Instant, inout Outbox) throws -> Result
  ) rethrows -> Result {
    let result = try body(&sessions[one], now, &outbox)
    deliver(from: one)
    return result
  }

  mutating func send(_ bytes: [UInt8], from one: Int, isReliable: Bool = true) throws {
    try sessions[one].send(bytes, to: [SessionRig.id(1 - one)], reliably: isReliable, at: now, into: &outbox)
    deliver(from: one)
  }
  mutating func disconnect(_ one: Int) {
    sessions[one].disconnect(at: now, into: &outbox)
    deliver(from: one)
  }

  /// Time passes, and both do what is due.
  mutating func pass(_ time: Interval) {
    let end = now + time
    while let next = sessions.compactMap(\.deadline).min(), next <= end {
      now = max(now, next)
      for one in 0..<2 where sessions[one].deadline ?? .never <= now {
        sessions[one].wake(at: now, into: &outbox)
        deliver(from: one)
      }
    }
    now = end
  }

  /// Gives bytes to a session as they may come from anywhere; what it answers goes to the other one.
  mutating func give(_ bytes: [UInt8], to one: Int, from source: Endpoint? = nil) {
    hand(bytes, to: one, from: source)
    deliver(from: one)
  }

  private mutating func hand(_ bytes: [UInt8], to one: Int, from source: Endpoint? = nil) {
    let payload = outbox.payloads.store(bytes)
    sessions[one].receive(
      Datagram(
        source: source ?? SessionRig.place(1 - one), destination: SessionRig.place(one), interface: InterfaceID(0),
        hopLimit: 1, payload: payload), at: now, into: &outbox)
    outbox.payloads.release(payload)
  }

  private mutating func deliver(from one: Int) {
    var from = one
    while !outbox.isEmpty {
      var packets: [[UInt8]] = []
      for position in 0..<outbox.count {
        guard let datagram = outbox.datagram(at: position) else { continue }
        let bytes = Array(outbox.payloads.bytes(of: datagram.payload))
        outbox.payloads.release(datagram.payload)
        sent.append((from, bytes))
        if datagram.destination == SessionRig.place(1 - from) { packets.append(bytes) }
      }
      outbox.removeAll()
      for bytes in packets { hand(bytes, to: 1 - from) }
      from = 1 - from
    }
  }
}
