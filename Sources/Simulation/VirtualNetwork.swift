package import RollcallPrimitives

/// A virtual LAN in virtual time: hosts send, it says what arrives where and when.
///
/// It knows no machine: its driver asks for the next event, gives it to the machine, and hands back what the
/// machine sends. Switches deliver to those who joined a group, not to everybody: a multicast costs its receivers, a
/// unicast one probe. Every chance is drawn for one datagram on one link, so unrelated traffic changes nobody's luck.
package struct VirtualNetwork: ~Copyable {
  package let payloads: PayloadStore
  package private(set) var now = Instant.zero
  package internal(set) var statistics = NetworkStatistics()

  var queue = EventQueue()
  var hosts: Row<HostState>
  var ports: Row<PortState>
  /// Socket buffers of the hosts that read slowly.
  var buffers: [BufferState] = []
  var segments: [SegmentState] = []
  var addresses = AddressTable()
  var partitions: [Partition] = []

  // Datagrams under way, and who is still to get them.
  var grams = Row<Gram>()
  var freeGram: Int32 = -1
  var arrivals = Row<Arrival>()
  var freeArrival: Int32 = -1
  var errands: [Errand] = []
  var freeErrand: Int32 = -1
  private var errandCount = 0
  /// Released when the next event is asked for.
  private var held: Int32 = -1
  /// Who hears the multicast that is being delivered, where a rule had to sort them out.
  var chosen: [Receiver] = []

  var rules = RuleBook()
  var watchedHost = -1
  /// Where unicast to an address goes that nobody has, by segment; −1: nowhere. Empty: there is no way out at all.
  private var waysOut: [Int32] = []
  /// Multicast of everybody but the way out goes to the way out alone: for hosts that have no use for each other's.
  var isMulticastForWayOut = false
  package internal(set) var membershipFrames: [MembershipFrame] = []

  package var hostCount: Int { hosts.count }

  /// - Parameter seed: the one seed of the run; links have dice named `link/<host>/<interface>/out` and
  ///   `/in`, mixed with the luck of each datagram, which its sender draws from `link/<host>/luck`.
  package init(plan: NetworkPlan, seed: Seed, payloads: PayloadStore) {
    self.payloads = payloads
    segments = plan.segments.map { SegmentState(plan: $0) }
    hosts = Row(capacity: plan.hosts.count)
    ports = Row(capacity: plan.hosts.count)
    for host in plan.hosts {
      if let limits = host.receiveBuffer { buffers.append(BufferState(limits: limits)) }
      hosts.append(
        HostState(
          plan: host, firstPort: ports.count, buffer: host.receiveBuffer == nil ? -1 : buffers.count - 1,
          luck: seed.stream("link/\(host.name)/luck")))
      for (number, interface) in host.interfaces.enumerated() {
        let name = "link/\(host.name)/\(number)/"
        ports.append(
          PortState(
            plan: interface, host: hosts.count - 1, interface: InterfaceID(UInt16(number)),
            outbound: Link(rule: rules.compiled(interface.outbound), dice: seed.stream(name + "out")),
            inbound: Link(rule: rules.compiled(interface.inbound), dice: seed.stream(name + "in")),
            membershipStream: seed.stream(name + "membership")))
        for address in interface.addresses {
          addresses.insert(address.address, on: Int32(interface.segment), port: ports.count - 1)
        }
      }
    }
    for segment in segments.indices { startQuerier(segment) }
  }

  // MARK: - Driving

  /// The next event not later than `end`; `nil`: none. `now` moves to it, or to `end`.
  package mutating func nextEvent(until end: Instant) -> NetworkEvent? {
    if held >= 0 { releaseHeld() }
    while let time = queue.nextTime(), time <= end.nanoseconds {
      let entry = queue.pop()
      now = Instant(nanoseconds: entry.time)
      let index = Int(entry.value & EventKind.indexMask)
      switch entry.value &>> EventKind.shift {
      case EventKind.wake:
        if hosts[index].wakeAt == entry.time {
          hosts[index].wakeAt = .max
          return .wake(host: index)
        }
      case EventKind.arrival:
        if let event = arrive(index) { return event }
      case EventKind.fanOut:
        if let event = fanOut(index) { return event }
      default:
        if let event = run(errand: index) { return event }
      }
    }
    if now < end { now = end }
    return nil
  }

  /// Wakes the machine of `host` at `time`; an earlier wake that is already scheduled stands, since early is harmless.
  @inline(__always) package mutating func scheduleWake(host: Int, at time: Instant) {
    let time = max(time.nanoseconds, now.nanoseconds)
    if time < hosts[host].wakeAt {
      hosts[host].wakeAt = time
      queue.push(EventKind.wake &<< EventKind.shift | UInt32(truncatingIfNeeded: host), at: time)
    }
  }

  /// Gives `.appointment(number)` back at `time`.
  package mutating func schedule(_ number: Int, at time: Instant) { push(.appointment(number), at: time.nanoseconds) }

  /// When the next event comes; `nil`: none is pending.
  package mutating func nextEventTime() -> Instant? { queue.nextTime().map { Instant(nanoseconds: $0) } }

  /// Makes a host the way out: what is sent to an address that nobody has goes to it, on each segment where it is.
  /// - Parameter takesAllMulticast: whether it alone hears the multicast of the others.
  package mutating func setWayOut(host: Int, takesAllMulticast: Bool) {
    isMulticastForWayOut = takesAllMulticast
    waysOut = Array(repeating: -1, count: segments.count)
    for port in hosts[host].firstPort..<hosts[host].endPort { waysOut[Int(ports[Int(port)].segment)] = port }
  }

  func wayOut(of segment: Int32) -> Int? {
    guard !waysOut.isEmpty, waysOut[Int(segment)] >= 0 else { return nil }
    return Int(waysOut[Int(segment)])
  }

  /// Records the membership messages that `host` sends and hears.
  package mutating func watchMembership(of host: Int) { watchedHost = host }

  // MARK: - Sending

  /// A machine of `host` sends a datagram; the network takes over its hold on the payload.
  package mutating func transmit(_ datagram: Datagram, from host: Int) {
    let port = Int(hosts[host].firstPort) &+ Int(datagram.interface.number)
    guard port < Int(hosts[host].endPort), ports[port].isUp else {
      statistics.interfaceDown += 1
      payloads.release(datagram.payload)
      return
    }
    let isMulticast = datagram.destination.address.isMulticast || datagram.destination.address.isBroadcast
    if isMulticast, hosts[host].refusesMulticastSends {
      payloads.release(datagram.payload)
      let refusal = Refusal(
        deed: .send, interface: datagram.interface, address: datagram.destination.address, port: datagram.source.port)
      push(.refused(host, refusal), at: now.nanoseconds)
      return
    }
    statistics.transmitted &+= 1
    let luck = hosts[host].luck.next()
    let headerBytes = datagram.source.address.family == .v4 ? 20 : 40
    var overflow = false
    let passage = ports[port].outbound.pass(
      byteCount: Int(datagram.payload.count), isMulticast: isMulticast, headerBytes: headerBytes, luck: luck,
      at: now.nanoseconds, overflow: &overflow)
    guard let passage else {
      if overflow { statistics.queueOverflows += 1 } else { statistics.lost &+= 1 }
      payloads.release(datagram.payload)
      return
    }
    var sent = datagram
    if passage.isCorrupt { sent.payload = corrupted(sent.payload, by: port, inbound: false, luck: luck) }
    if passage.copyArrival >= 0 {
      statistics.duplicated += 1
      payloads.retain(sent.payload)
      dispatch(sent, from: port, isMulticast: isMulticast, luck: ~luck, at: passage.copyArrival)
    }
    dispatch(sent, from: port, isMulticast: isMulticast, luck: luck, at: passage.arrival)
  }

  @inline(__always)
  private mutating func dispatch(
    _ datagram: Datagram, from port: Int, isMulticast: Bool, luck: UInt64, at time: Int64
  ) {
    let gram = takeGram(Gram(datagram: datagram, luck: luck, fromPort: Int32(truncatingIfNeeded: port), pending: 1))
    // What is not delayed on its way out is at the switch already; a multicast waits its turn among what is due now.
    if !isMulticast, time == now.nanoseconds { return forward(gram) }
    queue.push(EventKind.fanOut &<< EventKind.shift | UInt32(truncatingIfNeeded: gram), at: time)
  }

  /// A unicast is at the switch: the port that has the address now, partitions and the inbound link of now apply.
  @inline(__always) mutating func forward(_ gram: Int) {
    let from = Int(grams[gram].fromPort)
    let segment = ports[from].segment
    let destination = grams[gram].datagram.destination.address
    if let target = addresses.port(of: destination, on: segment) ?? wayOut(of: segment) {
      if !partitions.isEmpty, isBlocked(from: Int(ports[from].host), to: Int(ports[target].host)) {
        statistics.partitioned += 1
      } else {
        enter(target, gram: gram, isMulticast: false, at: now.nanoseconds)
      }
    } else {
      statistics.unreachable += 1
    }
    settle(gram)
  }

  // MARK: - Bookkeeping

  @inline(__always) mutating func takeGram(_ gram: Gram) -> Int {
    if freeGram >= 0 {
      let index = Int(freeGram)
      freeGram = grams[index].fromPort
      grams[index] = gram
      return index
    }
    grams.append(gram)
    return grams.count &- 1
  }

  /// One holder of a gram is done with it; the last one lets the payload go.
  @inline(__always) mutating func settle(_ index: Int) {
    grams[index].pending &-= 1
    if grams[index].pending == 0 {
      payloads.release(grams[index].datagram.payload)
      grams[index].fromPort = freeGram
      freeGram = Int32(truncatingIfNeeded: index)
    }
  }

  private mutating func releaseHeld() {
    settle(Int(held))
    held = -1
  }

  /// Keeps a gram alive until the next event is asked for.
  @inline(__always) mutating func hold(_ gram: Int) { held = Int32(truncatingIfNeeded: gram) }

  mutating func push(_ errand: Errand, at time: Int64) {
    let index: Int
    errandCount += 1
    if freeErrand >= 0, case .free(let next) = errands[Int(freeErrand)] {
      index = Int(freeErrand)
      freeErrand = next
      errands[index] = errand
    } else {
      index = errands.count
      errands.append(errand)
    }
    queue.push(EventKind.errand &<< EventKind.shift | UInt32(index), at: max(time, now.nanoseconds))
  }

  mutating func takeErrand(_ index: Int) -> Errand {
    let errand = errands[index]
    errands[index] = .free(next: freeErrand)
    freeErrand = Int32(index)
    errandCount -= 1
    // A large network has hundreds of thousands of them while its hosts join, and then none for long.
    if errandCount == 0, errands.count > 4_096 { (errands, freeErrand) = ([], -1) }
    return errand
  }
}

/// The six high bits of a queue value say what the rest numbers.
enum EventKind {
  static let shift: UInt32 = 26
  static let indexMask: UInt32 = 1 << 26 - 1
  static let wake: UInt32 = 0
  static let arrival: UInt32 = 1
  static let fanOut: UInt32 = 2
  static let errand: UInt32 = 3
}
