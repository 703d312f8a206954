import RollcallPeers
import RollcallPrimitives
package import RollcallSessions
import RollcallWire

extension FuzzTarget {
  /// Two devices with nearby peers, one beside the other: bytes choose their commands and acts, what of their datagrams is
  /// lost, doubled or changed, and datagrams that nobody sent. States stay in their order, what is kept stays within its
  /// bounds, no reliable message comes twice, and when nothing comes through any more nobody stays connected.
  package static let nearbyDevice = nearbyDevice(planting: PeerFaults())

  /// The same with faults in both devices, which it has to notice.
  package static func nearbyDevice(planting faults: PeerFaults) -> FuzzTarget {
    FuzzTarget(
      name: "nearby-device", kind: .machine, dictionary: ["\u{0}\u{40}", "\u{1}\u{0}", "\u{4}"],
      seeds: NearbyScript.seeds
    ) { (bytes: [UInt8]) throws(FuzzFinding) in
      var script = NearbyScript(bytes, planting: faults)
      try script.run()
    }
  }
}

private struct NearbyScript {
  /// Each begins with both devices on the network, peer 0 advertising and peer 1 browsing, each with a session.
  static let seeds: [[UInt8]] = {
    /// As `command` reads it: with session 1, about the peer of the other device.
    func command(_ device: UInt8, _ kind: UInt8, _ rest: UInt8...) -> [UInt8] {
      [1, device, 0, 1 - device, 1, kind] + rest
    }
    /// Steps of 40 ms.
    func pass(_ steps: UInt8) -> [UInt8] { [0, steps] }
    let invite = pass(90) + command(1, 5, 0, 1) + pass(20)
    let connect = invite + command(0, 2, 1, 1) + pass(20)
    let message = command(1, 9, 2, 7, 7, 1)
    let stream = command(1, 10) + pass(10) + command(1, 11, 1, 5, 1, 2, 3, 4, 5)
    return [
      invite, connect, connect + message + stream + pass(90), connect + [8, 0xFF] + message + pass(90),
      connect + [4, 0xAA] + message + message + [4, 0] + pass(200),
      // The message comes, its acknowledgement does not: it is sent again.
      connect + [4, 2] + message + pass(10) + [4, 0] + pass(90),
      invite + [5, 3, 0x40] + command(0, 2, 1, 1) + pass(20) + [6, 0, 2] + pass(255),
      [2, 12, 0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 3, 1, 30] + connect,
      connect + [7, 0] + pass(100) + [7, 0] + pass(100) + message + [6, 1, 1] + pass(60) + [6, 1, 0] + pass(60),
      connect + command(1, 13) + pass(20) + command(1, 5, 0, 0) + pass(20) + command(0, 2, 2, 1) + message + pass(90),
    ]
  }()

  private struct Flight {
    var datagram: Datagram
    var bytes: [UInt8]
    var sender: Int
  }
  private struct Standing {
    var device: Int
    var session: Int
    var peer: SessionPeerID
    var state: PeerState
  }

  private var choices: ByteChoices
  private var devices: [PeerDevice] = []
  private var outbox = Outbox(payloads: PayloadStore())
  private var now = Instant.zero
  private var flights: [Flight] = []
  private var standings: [Standing] = []
  /// One bit for each of the next datagrams: it is lost.
  private var losses: UInt8 = 0
  /// One bit for each of the next datagrams: it comes twice.
  private var doubles: UInt8 = 0
  /// Nothing comes through any more.
  private var isCut = false
  /// The number of each message that is sent, and of those that came.
  private var sentCount: UInt32 = 0
  private var heard: Set<UInt32> = []
  /// A byte of the next datagram that is changed.
  private var change: (place: Int, bits: UInt8)?
  private var isUp = [true, true]
  private var channels = 100

  private let faults: PeerFaults

  init(_ bytes: [UInt8], planting faults: PeerFaults) { (choices, self.faults) = (ByteChoices(bytes), faults) }

  private static func peer(_ number: Int) -> PeerName {
    PeerName(SessionPeerID(high: 0, low: UInt64(number % 4 + 1)), "peer \(number % 4)")
  }
  private static func address(_ number: Int) -> IPAddress { IPAddress(10, 0, 0, UInt8(number + 1)) }

  mutating func run() throws(FuzzFinding) {
    for number in 0..<2 {
      var plan = PeerPlan(host: "host\(number)") { StandInCipher(seed: $0) }
      plan.sessions.faults = faults
      devices.append(PeerDevice(plan, seed: Seed(9), name: "host\(number)"))
      try change(of: number)
      try call(number) { $0.perform(Act.appear, at: $1, into: &$2) }
      let name = NearbyScript.peer(number)
      try command(number, .openSession(1, PeerSessionSetup(name)))
      try command(number, number == 0 ? .advertise(1, name, type: "chat", info: nil) : .browse(1, name, type: "chat"))
    }
    var steps = 0
    while !choices.isOver, steps < 200 {
      steps += 1
      switch choices.below(9) {
      case 0: try pass(.milliseconds(Int64(choices.byte()) * 40))
      case 1: try command()
      case 2: try strange(to: .mdns(.v4), from: Endpoint.mdnsPort)
      case 3:
        let to = choices.below(2)
        try strange(to: Endpoint(NearbyScript.address(to), port: devices[to].plan.port), from: devices[to].plan.port)
      case 4: losses = choices.byte()
      case 5: change = (Int(choices.byte()), choices.byte())
      case 6:
        let (number, act) = (choices.below(2), [Act.appear, .vanish, .leave, .reboot][choices.below(4)])
        // A process that is gone tells nothing of its end.
        if act == .vanish { standings.removeAll { $0.device == number } }
        try call(number) { $0.perform(act, at: $1, into: &$2) }
      case 7:
        let number = choices.below(2)
        isUp[number].toggle()
        try change(of: number)
      default: doubles = choices.byte()
      }
    }
    try pass(.seconds(40))
    isCut = true
    try pass(.seconds(60))
    let kept = standings.filter { $0.state == .connected }
    try expect(kept.isEmpty, "\(kept.count) peers are connected that nothing was heard of for a minute")
  }

  private mutating func change(of number: Int) throws(FuzzFinding) {
    let addresses = isUp[number] ? [InterfaceAddress(NearbyScript.address(number), prefixBits: 24)] : []
    let change = InterfaceChange(interface: InterfaceID(0), isUp: isUp[number], addresses: addresses)
    try call(number) { $0.receive(.host(.interface(change)), at: $1, into: &$2) }
  }

  // MARK: Commands

  private mutating func command() throws(FuzzFinding) {
    let number = choices.below(2)
    let (one, other) = (NearbyScript.peer(choices.below(3)), NearbyScript.peer(choices.below(3)).id)
    let session = choices.below(3)
    let command: PeerCommand
    switch choices.below(14) {
    case 0: command = .advertise(choices.below(70), one, type: choices.bool() ? "chat" : "x-y", info: nil)
    case 1: command = .stopAdvertising(choices.below(3))
    case 2: command = .answer(invitation: choices.below(8), session: choices.bool() ? session : nil)
    case 3: command = .browse(choices.below(70), one, type: "chat")
    case 4: command = .stopBrowsing(choices.below(3))
    case 5:
      let context = choices.take(choices.below(20))
      command = .invite(other, session: session, context: context, time: choices.bool() ? .seconds(3) : nil)
    case 6: command = .openSession(session, PeerSessionSetup(one))
    case 7: command = .closeSession(session)
    case 8: command = .background(choices.bool())
    case 9:
      sentCount += 1
      let number = withUnsafeBytes(of: sentCount.bigEndian) { Array($0) }
      let bytes = number + choices.take(choices.below(40))
      command = .session(session, .send(bytes, to: [other], isReliable: choices.bool()))
    case 10:
      channels += 1
      command = .session(session, .openStream(channels, name: "s", to: other))
    case 11: command = .session(session, .write(100 + choices.below(9), choices.take(choices.below(60))))
    case 12:
      command = .session(session, choices.bool() ? .close(100 + choices.below(9)) : .cancel(100 + choices.below(9)))
    default: command = .session(session, .disconnect)
    }
    try self.command(number, command)
  }

  private mutating func command(_ number: Int, _ command: PeerCommand) throws(FuzzFinding) {
    // A session that is closed tells nothing more.
    if case .closeSession(let session) = command {
      standings.removeAll { $0.device == number && $0.session == session }
    }
    try call(number) { $0.perform(command, at: $1, into: &$2) }
  }

  // MARK: The network

  private mutating func strange(to destination: Endpoint, from port: UInt16) throws(FuzzFinding) {
    let bytes = choices.take(Int(choices.byte()))
    let source = Endpoint(IPAddress(10, 0, 0, UInt8(choices.below(4))), port: port)
    for number in devices.indices where isUp[number] {
      let address = NearbyScript.address(number)
      guard destination.address.isMulticast || destination.address == address else { continue }
      try give(bytes, from: source, to: destination, number)
    }
  }

  private mutating func give(
    _ bytes: [UInt8], from source: Endpoint, to destination: Endpoint, _ number: Int
  ) throws(FuzzFinding) {
    let payload = outbox.payloads.store(bytes)
    defer { outbox.payloads.release(payload) }
    let datagram = Datagram(
      source: source, destination: destination, interface: InterfaceID(0), hopLimit: 255, payload: payload)
    try call(number) { $0.receive(.datagram(datagram), at: $1, into: &$2) }
  }

  /// What is under way comes to the other device, as far as it is not lost.
  private mutating func deliver() throws(FuzzFinding) {
    var count = 0
    while !flights.isEmpty, count < 400 {
      count += 1
      var flight = flights.removeFirst()
      let isLost = losses & 1 != 0
      losses = losses >> 1 | (isLost ? 0x80 : 0)
      let other = 1 - flight.sender
      let destination = flight.datagram.destination
      guard !isLost, !isCut, isUp[0], isUp[1],
        destination.address.isMulticast || destination.address == NearbyScript.address(other)
      else { continue }
      if let found = change, !flight.bytes.isEmpty {
        flight.bytes[found.place % flight.bytes.count] ^= found.bits
        change = nil
      }
      let isDouble = doubles & 1 != 0
      doubles >>= 1
      for _ in 0..<(isDouble ? 2 : 1) {
        try give(flight.bytes, from: flight.datagram.source, to: destination, other)
      }
    }
    flights = []
  }

  private mutating func pass(_ time: Interval) throws(FuzzFinding) {
    let end = now + time
    for _ in 0..<300 {
      try deliver()
      let next = devices.compactMap(\.deadline).min() ?? .never
      guard next <= end else { break }
      now = max(now, next)
      for number in devices.indices where devices[number].deadline ?? .never <= now {
        try call(number) { $0.wake(at: $1, into: &$2) }
        try expect(devices[number].deadline.map { $0 > now } ?? true, "a device wants to be woken again at once")
      }
    }
    now = end
  }

  /// Calls a device, and looks at what it sends, tells and keeps.
  private mutating func call(
    _ number: Int, _ body: (inout PeerDevice, Instant, inout Outbox) -> Void
  ) throws(FuzzFinding) {
    body(&devices[number], now, &outbox)
    for position in 0..<outbox.count {
      guard let datagram = outbox.datagram(at: position) else { continue }
      let bytes = Array(outbox.payloads.bytes(of: datagram.payload))
      outbox.payloads.release(datagram.payload)
      try expect(bytes.count <= 1_472, "a datagram of \(bytes.count) bytes")
      flights.append(Flight(datagram: datagram, bytes: bytes, sender: number))
    }
    outbox.removeAll()
    for event in devices[number].takeEvents() {
      switch event {
      case .session(let session, .state(let peer, let next)): try note(number, session, peer, next)
      case .session(_, .message(_, let bytes, isReliable: true)):
        let count = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        try expect(heard.insert(count).inserted, "message \(count) came twice")
      default: break
      }
    }
    let broken = devices[number].brokenInvariants
    try expect(broken.isEmpty, broken.joined(separator: ", "))
  }

  private mutating func note(
    _ device: Int, _ session: Int, _ peer: SessionPeerID, _ next: PeerState
  ) throws(FuzzFinding) {
    let place = standings.firstIndex { $0.device == device && $0.session == session && $0.peer == peer }
    let old = place.map { standings[$0].state } ?? .notConnected
    let isRight = next == .notConnected ? old != .notConnected : next.rawValue == old.rawValue + 1
    // A process that is gone tells nothing of its end.
    try expect(isRight || next == .connecting, "\(old) to \(next)")
    if let place { standings.remove(at: place) }
    standings.append(Standing(device: device, session: session, peer: peer, state: next))
  }
}
