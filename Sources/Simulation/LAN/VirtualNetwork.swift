package import RollcallPrimitives
import RollcallTrace

/// A virtual LAN in virtual time: hosts send, it says what arrives where and when.
///
/// It knows no machine: it schedules what is to arrive, and says who is to be given it when it is due. Switches deliver to those who joined a group, not to everybody: a multicast costs its receivers, a
/// unicast one probe. Every chance is drawn for one datagram on one link, so unrelated traffic changes no draw.
package struct VirtualNetwork: ~Copyable {
  package let payloads: PayloadStore
  let schedule: Schedule
  package internal(set) var statistics = NetworkStatistics()

  var hosts: Row<HostState>
  var ports: Row<PortState>
  /// Socket buffers of the hosts that read slowly.
  var buffers: [BufferState] = []
  var segments: [SegmentState] = []
  var addresses = AddressTable()
  /// Whether anybody ever joined a group with the address of a host: then a unicast may go to a group.
  var hasUnicastGroups = false
  /// Ports that have the addresses of another one, since their machines are programs of its host: by that port.
  var companions: [Int: [Int]] = [:]
  var partitions: [Partition] = []
  /// How often a host left a group: what it was when a datagram left the switch says whether anybody did meanwhile.
  var leaveCount: UInt64 = 0

  // Datagrams under way, and who is still to get them.
  var packets = Row<Packet>()
  var freePacket: Int32 = -1
  var arrivals = Row<Arrival>()
  var freeArrival: Int32 = -1
  /// Whose turn it is where a datagram goes to one host.
  let single: UnsafeMutablePointer<Receiver>
  /// What is being delivered.
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
  var now: Instant {
    @inline(__always) get { schedule.now }
  }

  /// - Parameter seed: the one seed of the run; links have linkKey named `link/<host>/<interface>/out` and
  ///   `/in`, mixed with the draw of each datagram, which its sender draws from `link/<host>/luck`.
  package init(plan: NetworkPlan, seed: Seed, payloads: PayloadStore, schedule: Schedule) {
    (self.payloads, self.schedule) = (payloads, schedule)
    single = .allocate(capacity: 1)
    single.initialize(to: .nobody)
    segments = plan.segments.map { SegmentState(plan: $0) }
    hosts = Row(capacity: plan.hosts.count)
    ports = Row(capacity: plan.hosts.count)
    for host in plan.hosts {
      if let limits = host.receiveBuffer { buffers.append(BufferState(limits: limits)) }
      hosts.append(
        HostState(
          plan: host, firstPort: ports.count, buffer: host.receiveBuffer == nil ? -1 : buffers.count - 1,
          draw: seed.stream("link/\(host.name)/luck")))
      for (number, interface) in host.interfaces.enumerated() {
        let name = "link/\(host.name)/\(number)/"
        ports.append(
          PortState(
            plan: interface, host: hosts.count - 1, interface: InterfaceID(UInt16(number)),
            outbound: Link(rule: rules.compiled(interface.outbound), linkKey: seed.stream(name + "out")),
            inbound: Link(rule: rules.compiled(interface.inbound), linkKey: seed.stream(name + "in")),
            membershipStream: seed.stream(name + "membership")))
        let owner = host.beside.flatMap { portIndex($0, InterfaceID(UInt16(number))) }
        if let owner {
          companions[owner, default: []].append(ports.count - 1)
          continue
        }
        for address in interface.addresses {
          addresses.insert(address.address, on: Int32(interface.segment), port: ports.count - 1)
        }
      }
    }
    for segment in segments.indices { startQuerier(segment) }
  }

  deinit { single.deallocate() }

  // MARK: - What is due

  /// What the machines that a delivery went to may still have read is over.
  @inline(__always) package mutating func release() {
    if held >= 0 {
      settle(Int(held))
      held = -1
    }
  }

  package mutating func run(_ timer: LANTimer) {
    switch timer {
    case .membership(let port, let message, let source, let destination):
      snoop(port: port, message: message, source: source, destination: destination)
    case .report(let port, let group):
      if ports[port].isUp, ports[port].isMember(of: group) { sendReport(port: port, group: group) }
    case .query(let segment, let generation): query(segment: segment, generation: generation)
    }
  }

  // MARK: - Ways out

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
  /// - Parameter mark: `Gate.mark` of the datagram: it travels along, and is worked out anew where a byte changes.
  package mutating func transmit(_ datagram: Datagram, mark: UInt64, from host: Int) {
    let port = Int(hosts[host].firstPort) &+ Int(datagram.interface.number)
    guard port < Int(hosts[host].endPort), ports[port].isUp else {
      statistics.interfaceDown += 1
      payloads.release(datagram.payload)
      return
    }
    let isMulticast = datagram.destination.address.isMulticast || datagram.destination.address.isBroadcast
    if isMulticast, hosts[host].refusesMulticastSends { return refuse(datagram, from: host) }
    statistics.transmitted &+= 1
    let draw = hosts[host].draw.next()
    let headerBytes = datagram.source.address.family == .v4 ? 20 : 40
    var overflow = false
    let passage = ports[port].outbound.pass(
      byteCount: Int(datagram.payload.count), isMulticast: isMulticast, headerBytes: headerBytes, draw: draw,
      at: now.nanoseconds, overflow: &overflow)
    guard let passage else {
      if overflow { statistics.queueOverflows += 1 } else { statistics.lost &+= 1 }
      payloads.release(datagram.payload)
      return
    }
    let packet = takePacket()
    packets[packet] = Packet(
      datagram: datagram, draw: draw, mark: mark, fromPort: Int32(truncatingIfNeeded: port), pending: 1,
      isMulticast: isMulticast)
    if passage.isCorrupt { damage(packet, by: port) }
    if passage.copyArrival >= 0 { dispatchCopy(of: packet, at: passage.copyArrival) }
    dispatch(packet, isMulticast: isMulticast, at: passage.arrival)
  }

  /// One byte of a packet is changed by the link on which it leaves.
  @inline(never) private mutating func damage(_ packet: Int, by port: Int) {
    packets[packet].datagram.payload = corrupted(
      packets[packet].datagram.payload, by: port, inbound: false, draw: packets[packet].draw)
    packets[packet].mark = Gate.mark(of: packets[packet].datagram, in: payloads)
  }

  /// A packet leaves a second time.
  @inline(never) private mutating func dispatchCopy(of packet: Int, at time: Int64) {
    statistics.duplicated += 1
    var copy = packets[packet]
    payloads.retain(copy.datagram.payload)
    copy.draw = ~copy.draw
    let place = takePacket()
    packets[place] = copy
    dispatch(place, isMulticast: copy.isMulticast, at: time)
  }

  @inline(never) private mutating func refuse(_ datagram: Datagram, from host: Int) {
    payloads.release(datagram.payload)
    let refusal = Refusal(
      deed: .send, interface: datagram.interface, address: datagram.destination.address, port: datagram.source.port)
    schedule.deliver(.refused(refusal), to: host, at: now)
  }

  @inline(__always) private mutating func dispatch(_ packet: Int, isMulticast: Bool, at time: Int64) {
    // What is not delayed on its way out is at the switch already; a multicast waits its turn among what is due now.
    if !isMulticast, time == now.nanoseconds { return forward(packet) }
    schedule.fanOut(packet, at: time)
  }

  /// A unicast is at the switch: the port that has the address now, partitions and the inbound link of now apply.
  @inline(never) mutating func forward(_ packet: Int) {
    let from = Int(packets[packet].fromPort)
    let segment = ports[from].segment
    let destination = packets[packet].datagram.destination.address
    if let target = addresses.port(of: destination, on: segment) ?? wayOut(of: segment) {
      if !partitions.isEmpty, isBlocked(from: Int(ports[from].host), to: Int(ports[target].host)) {
        statistics.partitioned += 1
      } else {
        enter(target, packet: packet, isMulticast: false, at: now.nanoseconds)
      }
    } else {
      statistics.unreachable += 1
    }
    settle(packet)
  }

  // MARK: - Bookkeeping

  /// The place of a packet that is to be filled.
  @inline(__always) mutating func takePacket() -> Int {
    if freePacket < 0 { addPacket() }
    let index = Int(freePacket)
    freePacket = packets[index].fromPort
    return index
  }

  @inline(never) private mutating func addPacket() {
    packets.append(
      Packet(datagram: Delivery().datagram, draw: 0, mark: 0, fromPort: -1, pending: 0, isMulticast: false))
    freePacket = Int32(truncatingIfNeeded: packets.count &- 1)
  }

  /// One holder of a packet is done with it; the last one lets the payload go.
  @inline(__always) mutating func settle(_ index: Int) {
    packets[index].pending &-= 1
    if packets[index].pending == 0 {
      payloads.release(packets[index].datagram.payload)
      packets[index].fromPort = freePacket
      freePacket = Int32(truncatingIfNeeded: index)
    }
  }

  /// Keeps a packet alive until `release`.
  @inline(__always) mutating func hold(_ packet: Int) { held = Int32(truncatingIfNeeded: packet) }

  func push(_ timer: LANTimer, at time: Instant) { schedule.push(.lan(timer), at: time) }
}
