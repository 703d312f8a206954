import RollcallPrimitives
import RollcallSealing
import RollcallSessions
import RollcallSimulation
import RollcallTrace
import RollcallWire

/// Reliable messages between two peers of one virtual LAN, plain and sealed.
enum SessionBenchmark {
  private static let messageBytes = 1 << 20

  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let count = options.size(1_024, smoke: 2)
    report.note("sessions: one peer sends \(count) messages of 1 MiB; datagrams of 1 452 bytes, 0.5 ms on the way")
    let contest = Contest(
      [
        Contender("plain") { { (count, moved(count, .none)) } },
        Contender("sealed") { { (count, moved(count, .required)) } },
      ], passes: options.passes(3))
    for (number, (name, target)) in [("plain", 200.0), ("sealed", 100.0)].enumerated() {
      // The contest has nanoseconds for each message.
      let megabytes = Double(messageBytes) / 1e6 / (contest.median(number) / 1e9)
      report.add(
        Figure(
          name: "reliable data, \(name)", value: megabytes, unit: "MB a CPU s", target: .atLeast(target)))
    }
    return contest.proof
  }

  private static func moved(_ count: Int, _ preference: EncryptionPreference) -> UInt64 {
    let (subnet, duration) = (Subnet(), Interval.seconds(3_600))
    let message = (0..<messageBytes).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var plan = WorldPlan(
      network: NetworkPlan(
        segments: [SegmentPlan(name: "lan")],
        hosts: (0..<2).map { subnet.host("peer-\($0)", $0 + 1, latency: .constant(.microseconds(500))) }),
      duration: duration, seed: Seed(1))
    func place(_ number: Int) -> Endpoint { Endpoint(subnet.address(number + 1), port: 4_000) }
    for number in 0..<2 {
      let cipher = SeededCipher(seed: [UInt8(number + 1)])
      let session = SessionMachine(
        card: SessionCard(id: id(number), name: "peer-\(number)", key: cipher.identityKey), preference: preference,
        policy: SessionPolicy(), cipher: cipher, at: place(number), interface: InterfaceID(0), seed: Seed(1))
      plan.machines.append(
        SessionEnd(
          session, message: message, messagesLeft: number == 0 ? count : 0,
          target: number == 0 ? (id(1), place(1)) : nil))
    }
    var world = World(plan: plan)
    world.start()
    world.run(until: .zero + duration)
    let heard = world.machine(ofHost: 1, as: SessionEnd.self)?.heardBytes ?? 0
    precondition(heard == count * messageBytes, "all of it arrives: \(heard)")
    return world.gate.digest.state
  }

  private static func id(_ number: Int) -> SessionPeerID { SessionPeerID(high: 0, low: UInt64(number + 1)) }
}

/// One end of a session: it invites a target and sends messages, two at a time; or it accepts and counts bytes.
struct SessionEnd: Machine {
  private(set) var heardBytes = 0
  private var session: SessionMachine
  private let message: [UInt8]
  private let target: (peer: SessionPeerID, place: Endpoint)?
  private var messagesLeft: Int
  private var hasInvited = false

  init(
    _ session: SessionMachine, message: [UInt8], messagesLeft: Int, target: (peer: SessionPeerID, place: Endpoint)?
  ) {
    (self.session, self.message, self.messagesLeft, self.target) = (session, message, messagesLeft, target)
  }

  var deadline: Instant? { target != nil && !hasInvited ? .zero : session.deadline }

  mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .datagram(let datagram) = signal, datagram.destination == session.endpoint else { return }
    session.receive(datagram, at: now, into: &outbox)
    go(at: now, into: &outbox)
  }

  mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if let target, !hasInvited {
      hasInvited = true
      try! session.invite(target.peer, at: target.place, at: now, into: &outbox)
    }
    session.wake(at: now, into: &outbox)
    go(at: now, into: &outbox)
  }

  private mutating func go(at now: Instant, into outbox: inout Outbox) {
    for event in session.takeEvents() {
      switch event {
      case .invited(let number, _, _): try! session.answer(number, accepts: true, at: now, into: &outbox)
      case .message(_, let bytes, _):
        precondition(bytes.count == message.count && bytes[bytes.count / 3] == message[bytes.count / 3])
        heardBytes += bytes.count
      default: break
      }
    }
    guard let target, session.state(of: target.peer) == .connected else { return }
    while messagesLeft > 0, session.queuedBytes(to: target.peer) < 2 * message.count {
      messagesLeft -= 1
      try! session.send(message, to: [target.peer], reliably: true, at: now, into: &outbox)
    }
  }
}
