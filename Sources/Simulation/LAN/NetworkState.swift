import RollcallPrimitives

/// A host while a run goes on.
struct HostState {
  var firstPort: Int32
  var endPort: Int32
  var refusesJoins: Bool
  var refusesMulticastSends: Bool
  /// Its socket buffer among `buffers`; −1: it reads at once.
  var buffer: Int32
  /// A word for each datagram that the host sends, which every link mixes with its own linkKey.
  var draw: RandomStream

  init(plan: HostPlan, firstPort: Int, buffer: Int, draw: RandomStream) {
    (self.firstPort, self.buffer) = (Int32(firstPort), Int32(buffer))
    self.draw = draw
    endPort = self.firstPort + Int32(plan.interfaces.count)
    refusesJoins = plan.refusesJoins
    refusesMulticastSends = plan.refusesMulticastSends
  }
}

/// The socket buffer of a host that reads slowly.
struct BufferState {
  var limits: ReceiveBuffer
  var busyUntil: Int64 = 0
  /// What waits: when the process will have read it, and how large it is. First in, first out.
  var waiting: [(done: Int64, byteCount: Int)] = []
  var first = 0
  var byteCount = 0

  init(limits: ReceiveBuffer) { self.limits = limits }

  /// When the process gets to read `byteCount` bytes that arrive at `now`; `nil`: the buffer is full.
  mutating func accept(_ byteCount: Int, at now: Int64) -> Int64? {
    while first < waiting.count, waiting[first].done <= now {
      self.byteCount -= waiting[first].byteCount
      first += 1
    }
    if first > 64, first * 2 > waiting.count {
      waiting.removeFirst(first)
      first = 0
    }
    guard self.byteCount + byteCount <= limits.bytesMaximum else { return nil }
    busyUntil = (Instant(nanoseconds: max(busyUntil, now)) + limits.serviceTime).nanoseconds
    self.byteCount += byteCount
    waiting.append((busyUntil, byteCount))
    return busyUntil
  }
}

/// An interface of a host on its segment, with both directions of its link.
struct PortState {
  var host: Int32
  var interface: InterfaceID
  var segment: Int32
  var isUp: Bool
  let isUpAtStart: Bool
  var addresses: [InterfaceAddress]
  var outbound: Link
  var inbound: Link
  var membershipStream: RandomStream
  /// Groups that the host joined here, in the order of joining.
  var groups: [Membership] = []

  init(
    plan: InterfacePlan, host: Int, interface: InterfaceID, outbound: Link, inbound: Link,
    membershipStream: RandomStream
  ) {
    self.host = Int32(host)
    self.interface = interface
    segment = Int32(plan.segment)
    isUp = plan.isUpAtStart
    isUpAtStart = plan.isUpAtStart
    // An array of its own, so that the whole plan can go.
    addresses = plan.addresses.map { $0 }
    self.outbound = outbound
    self.inbound = inbound
    self.membershipStream = membershipStream
  }

  func address(of family: IPAddress.Family) -> IPAddress? {
    addresses.first { $0.address.family == family }?.address
  }

  /// Whether any socket here is in a group, whatever its port.
  func isMember(of group: IPAddress) -> Bool { groups.contains { $0.group.address == group } }
}

/// A group that a port is in, with the UDP port of the socket.
struct Membership {
  var group: Endpoint
  /// How many had joined the group on the segment before.
  var number: UInt32
}

/// A switch.
struct SegmentState {
  var name: String
  var snooping: Bool
  var querierInterval: Interval?
  let querierPlanned: Interval?
  var membershipTimeout: Interval
  /// Grows when the querier's rhythm changes, so that a query of the old one is known for one.
  var querierGeneration = 0
  /// Groups with members, in the order in which they were first joined.
  var groups: [GroupState] = []

  init(plan: SegmentPlan) {
    name = plan.name
    snooping = plan.snooping
    querierInterval = plan.querierInterval
    querierPlanned = plan.querierInterval
    membershipTimeout = plan.membershipTimeout
  }
}

/// Who joined a group on a segment, and until when a snooping switch believes it.
struct GroupState {
  var endpoint: Endpoint
  var members: [Member] = []
  /// All members hear at the same moment after the switch, so one event serves them all.
  var isUniform = true
  /// That moment, in nanoseconds after the switch.
  var uniformLatency: Int64 = 0
  /// No member's link can lose anything.
  var losesNothing = true
  /// The members as receivers, while `receiversAreCurrent`.
  var receivers: [Receiver] = []
  var receiversAreCurrent = false
  /// How often somebody joined: the number of the next member.
  var joinCount: UInt32 = 0
  /// Datagrams that have left the switch and reach all members with one event, in the order in which they left it.
  var underWay = UnderWayList()
}

/// A datagram between the switch and all members of its group.
///
/// Who hears it is settled when it leaves the switch, as for a datagram that goes to each member by itself. As long as
/// nothing changes that can be worked out when it arrives; whatever is about to change it calls `settleUnderWay` first.
struct UnderWay {
  var packet: Int32
  /// When it left the switch.
  var leftAt: Int64
  /// The ports that it goes to, where that had to be settled before it arrived.
  var ports: [Int32]?
}

/// Datagrams under way to one group, the first to arrive in front.
struct UnderWayList {
  private var entries: [UnderWay] = []
  private var head = 0

  mutating func append(_ packet: Int, leftAt time: Int64) {
    entries.append(UnderWay(packet: Int32(truncatingIfNeeded: packet), leftAt: time))
  }

  /// Takes the one that arrives; it is the first, unless the latency became shorter while it was under way.
  mutating func take(_ packet: Int) -> UnderWay? {
    var place = head
    while place < entries.count, Int(entries[place].packet) != packet { place &+= 1 }
    guard place < entries.count else { return nil }
    let taken = entries[place]
    if place != head {
      entries.remove(at: place)
      return taken
    }
    entries[head].ports = nil
    head &+= 1
    if head == entries.count {
      entries.removeAll(keepingCapacity: head < 1_024)
      head = 0
    } else if head > 64, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return taken
  }

  /// Those of which nobody has worked out yet whom they reach.
  var open: [UnderWay] { entries[head...].filter { $0.ports == nil } }

  mutating func settle(_ packet: Int32, to ports: [Int32]) {
    guard let place = entries[head...].firstIndex(where: { $0.packet == packet }) else { return }
    entries[place].ports = ports
  }
}

struct Member {
  var port: Int32
  /// How many had joined before; members stand in this order.
  var number: UInt32
  /// When a snooping switch forgets this port; a report renews it.
  var forwardUntil: Int64
}

/// A datagram under way.
struct Packet {
  var datagram: Datagram
  /// What the links' linkKey are mixed with.
  var draw: UInt64
  /// `Gate.mark` of the datagram.
  var mark: UInt64
  /// The sender's port; while the packet is free, the next free one.
  var fromPort: Int32
  var pending: Int32
  /// Sent to a multicast group or to all, and not to a host.
  let isMulticast: Bool
  /// A fan-out in its second half: it has left the switch and arrives at all members.
  var isAtMembers = false
  /// Who had joined the group when it left the switch: members with a lower number; `UInt32.max` for a unicast.
  var memberLimit = UInt32.max
  /// `VirtualNetwork.leaveCount` when it left the switch.
  var leaveCount: UInt64 = 0
}

/// One datagram on its way to one port.
struct Arrival {
  var packet: Int32
  /// While the arrival is free, the next free one.
  var port: Int32
  /// It has been in the host's buffer already.
  var isServed = false
}

struct Partition {
  var number: Int
  var from: [Bool]
  var to: [Bool]
}
