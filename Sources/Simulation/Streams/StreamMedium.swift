package import RollcallPrimitives

/// Streams on the virtual LAN: what TCP gives to programs, in virtual time.
///
/// Segments take the links that datagrams take, with their latency, loss and bandwidth. A lost segment is sent again:
/// loss costs time and no data. A partition is silence until a time-out, a process that ends resets its streams, and so
/// does a host that takes another address. Acknowledgements are modelled: they need an open way back and are not lost.
package final class StreamMedium: Medium {
  /// Policies of every stream; a real stack has the like.
  package enum Policy {
    /// Segments that go out together (RFC 6928, the initial window).
    static let flightSegments = 10
    /// Between the attempts to connect: 1 s, doubled each time; that many, then it is a time-out.
    static let connectRetry = Interval.seconds(1)
    static let connectAttemptsMaximum = 6
    /// Attempts to find out who has an address, a second apart.
    static let resolveAttemptsMaximum = 3
    /// The first wait for an acknowledgement (RFC 6298 asks for 1 s, stacks take 200 ms), doubled up to the longest.
    static let retryMinimum = Interval.milliseconds(200)
    static let retryMaximum = Interval.seconds(5)
    /// Nothing got through for so long.
    static let patience = Interval.seconds(60)
  }

  struct Listener {
    var id: StreamID
    var local: Endpoint
    var interface: InterfaceID
  }

  struct HostStreams {
    var name: String
    var listeners: [Listener] = []
    /// Streams that were opened so far: the next port, and the name of the next random stream.
    var openedCount = 0
    var acceptedCount: UInt32 = 0
    var streamCount = 0
  }

  package let port = PortNumber.streams
  /// Of one host, the sides of its own that are not over; one more is refused.
  package var streamsPerHostMaximum = 16_384
  /// The ports of those who connect, used in order.
  package var ephemeralPorts: ClosedRange<UInt16> = 49_152...65_535
  let seed: Seed
  var hosts: [HostStreams]
  var sides: [StreamSide] = []
  /// Places of streams that are over; the last one is used next.
  var freeSides: [Int] = []
  /// The side of a host's stream.
  private var sideOf: [UInt64: Int32] = [:]

  /// - Parameter hostNames: of all hosts of the network, in order: a stream draws from `stream/<host>/<number>`.
  package init(hostNames: [String], seed: Seed) {
    self.seed = seed
    hosts = hostNames.map { HostStreams(name: $0) }
  }

  /// Streams of which at least one side is not over.
  package var streamCount: Int { sides.count / 2 - freeSides.count }

  // MARK: - What machines want

  package func want(_ value: any PortValue, from host: Int, schedule: MediumSchedule) {
    guard let effect = value as? StreamEffect else { return }
    switch effect {
    case .connect(let id, let remote, let interface): connect(id, to: remote, interface, host, schedule)
    case .listen(let id, let local, let interface): listen(id, at: local, interface, host, schedule)
    case .write(let id, let bytes): write(bytes, id, host, schedule)
    case .finish(let id):
      guard let side = side(id, host), sides[side].finish == .no else { return }
      sides[side].finish = .wanted
      pump(side, schedule)
    case .reset(let id):
      if let listener = hosts[host].listeners.firstIndex(where: { $0.id == id }) {
        hosts[host].listeners.remove(at: listener)
      } else if let side = side(id, host) {
        abandon(side, tells: true, schedule)
      }
    case .pause(let id):
      if let side = side(id, host) { sides[side].isPaused = true }
    case .resume(let id): if let side = side(id, host) { resume(side, schedule) }
    }
  }

  private func write(_ bytes: [UInt8], _ id: StreamID, _ host: Int, _ schedule: MediumSchedule) {
    guard let side = side(id, host), sides[side].finish == .no, !bytes.isEmpty else { return }
    let room = sides[side].stage == .open ? StreamSize.bufferBytes - sides[side].bufferedBytes : 0
    // The driver of real sockets cannot keep more either: who writes without room loses the stream.
    guard bytes.count <= room else { return breakOff(side, .reset, tells: true, schedule) }
    sides[side].enqueue(bytes)
    pump(side, schedule)
  }

  private func resume(_ side: Int, _ schedule: MediumSchedule) {
    guard sides[side].isPaused else { return }
    sides[side].isPaused = false
    let (held, heldBytes, holdsFinish) = (sides[side].held, sides[side].heldBytes, sides[side].holdsFinish)
    (sides[side].held, sides[side].heldBytes, sides[side].holdsFinish) = ([], 0, false)
    for bytes in held { deliver(.bytes(sides[side].id, bytes), to: side, schedule) }
    if holdsFinish { deliver(.ended(sides[side].id, .finished), to: side, schedule) }
    let other = side ^ 1
    if isFinished(side) { return free(side) }
    guard heldBytes > 0, sides[other].stage == .open else { return }
    let delay = schedule.lan.pointee.delay(from: sides[side].port, to: sides[other].port, draws: &sides[side].draws)
    push(.windowOpens, other, at: schedule.now + delay, schedule)
  }

  /// A host has another address: its stack ends what was bound to the old one.
  package func addressesChanged(of host: Int, schedule: MediumSchedule) {
    for side in sides.indices where sides[side].host == host {
      switch sides[side].stage {
      case .connecting, .open:
        let port = sides[side].port
        if !schedule.lan.pointee.holds(sides[side].local.address, port) {
          breakOff(side, .reset, tells: true, schedule)
        }
      case .free, .accepting, .gone: break
      }
    }
  }

  // MARK: - What is due

  package func due(_ token: UInt64, schedule: MediumSchedule) {
    guard let token = StreamToken(word: token), sides[token.side].generation & 0xFF_FFFF == token.generation else {
      return
    }
    let side = token.side
    switch token.kind {
    case .connect: tryConnect(side, schedule)
    case .connectArrives: connectArrived(side, schedule)
    case .accepted: connected(side, schedule)
    case .refused: if sides[side].stage == .connecting { breakOff(side, .refused, tells: false, schedule) }
    case .acceptArrives: accept(side, schedule)
    case .send: send(side, schedule)
    case .flightArrives: flightArrived(side, schedule)
    case .acknowledged: acknowledged(side, schedule)
    case .windowOpens: pump(side, schedule)
    case .resetArrives:
      switch sides[side].stage {
      case .open, .connecting: breakOff(side, .reset, tells: false, schedule)
      case .accepting, .free, .gone: break
      }
    }
  }

  func push(_ kind: StreamToken.Kind, _ side: Int, at time: Instant, _ schedule: MediumSchedule) {
    schedule.call(StreamToken(kind, side, generation: sides[side].generation).word, at: time)
  }

  func deliver(_ signal: StreamSignal, to side: Int, _ schedule: MediumSchedule) {
    schedule.deliver(signal, to: sides[side].host, at: schedule.now)
  }

  // MARK: - Places

  private func key(_ id: StreamID, _ host: Int) -> UInt64 { UInt64(host) &<< 32 | UInt64(id.number) }

  /// The side that a machine calls `id`.
  func side(_ id: StreamID, _ host: Int) -> Int? { sideOf[key(id, host)].map(Int.init) }

  func isUsed(_ id: StreamID, _ host: Int) -> Bool {
    sideOf[key(id, host)] != nil || hosts[host].listeners.contains { $0.id == id }
  }

  func name(_ side: Int, _ id: StreamID) {
    sides[side].id = id
    sideOf[key(id, sides[side].host)] = Int32(side)
    hosts[sides[side].host].streamCount += 1
  }

  private func unname(_ side: Int) {
    guard sideOf.removeValue(forKey: key(sides[side].id, sides[side].host)) != nil else { return }
    hosts[sides[side].host].streamCount -= 1
  }

  /// The place of a new stream: the side that opens it.
  func newSide() -> Int {
    if let side = freeSides.popLast() { return side }
    sides.append(StreamSide())
    sides.append(StreamSide())
    return sides.count - 2
  }

  /// A side ends, and its machine is told why.
  func breakOff(_ side: Int, _ end: StreamEnd, tells: Bool, _ schedule: MediumSchedule) {
    deliver(.ended(sides[side].id, end), to: side, schedule)
    abandon(side, tells: tells, schedule)
  }

  /// A side ends without a word to its machine.
  /// - Parameter tells: whether the other side is sent a reset, which may be lost.
  func abandon(_ side: Int, tells: Bool, _ schedule: MediumSchedule) {
    let wasConnecting = sides[side].stage == .connecting
    if sides[side].stage == .open || wasConnecting { unname(side) }
    sides[side].end()
    let other = side ^ 1
    switch sides[other].stage {
    case .open: if tells { sendReset(to: other, schedule) }
    // The machine of a side that was not accepted knows nothing of it.
    case .free, .gone, .accepting: free(side)
    case .connecting: break
    }
  }

  /// Whether both sides have sent their end, and have it.
  func isFinished(_ side: Int) -> Bool {
    let (one, other) = (sides[side], sides[side ^ 1])
    return one.finish == .acknowledged && other.finish == .acknowledged && !one.holdsFinish && !other.holdsFinish
  }

  /// Both sides are over.
  func free(_ side: Int) {
    let first = side & ~1
    for place in [first, first + 1] {
      if sides[place].stage == .open { unname(place) }
      var empty = StreamSide()
      empty.generation = sides[place].generation &+ 1
      sides[place] = empty
    }
    freeSides.append(first)
  }
}
