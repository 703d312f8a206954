import RollcallPrimitives
import RollcallTrace

extension VirtualNetwork {
  /// A packet enters the link towards `port` at `time`; the caller still holds it.
  @inline(__always) mutating func enter(_ port: Int, packet: Int, isMulticast: Bool, at time: Int64) {
    let payload = packets[packet].datagram.payload
    let draw = packets[packet].draw
    let headerBytes = packets[packet].datagram.source.address.family == .v4 ? 20 : 40
    var overflow = false
    let passage = ports[port].inbound.pass(
      byteCount: Int(payload.count), isMulticast: isMulticast, headerBytes: headerBytes, draw: draw,
      at: time, overflow: &overflow)
    guard let passage else {
      if overflow { statistics.queueOverflows += 1 } else { statistics.lost &+= 1 }
      return
    }
    let target = passage.isCorrupt ? damaged(packet, by: port) : packet
    if passage.copyArrival >= 0 {
      statistics.duplicated += 1
      pushArrival(target, port, at: passage.copyArrival)
    }
    pushArrival(target, port, at: passage.arrival)
  }

  /// A copy of a packet with one byte changed by the link towards `port`; nobody holds it yet.
  @inline(never) private mutating func damaged(_ packet: Int, by port: Int) -> Int {
    var copy = packets[packet]
    payloads.retain(copy.datagram.payload)
    copy.datagram.payload = corrupted(copy.datagram.payload, by: port, inbound: true, draw: copy.draw)
    copy.mark = Gate.mark(of: copy.datagram, in: payloads)
    copy.pending = 0
    let place = takePacket()
    packets[place] = copy
    return place
  }

  @inline(__always) private mutating func pushArrival(_ packet: Int, _ port: Int, at time: Int64) {
    packets[packet].pending &+= 1
    let arrival = Arrival(packet: Int32(truncatingIfNeeded: packet), port: Int32(truncatingIfNeeded: port))
    let index: Int
    if freeArrival >= 0 {
      index = Int(freeArrival)
      freeArrival = arrivals[index].port
      arrivals[index] = arrival
    } else {
      index = arrivals.count
      arrivals.append(arrival)
    }
    schedule.arrival(index, at: time)
  }

  /// A datagram is at the interface of a host; whether it is given to the machine now.
  @inline(__always) package mutating func arrive(_ index: Int, _ delivery: inout Delivery) -> Bool {
    let arrival = arrivals[index]
    let port = Int(arrival.port)
    let host = Int(ports[port].host)
    let packet = Int(arrival.packet)
    guard ports[port].isUp else {
      statistics.interfaceDown += 1
      freeArrival(index)
      settle(packet)
      return false
    }
    // Who left the group while it was under way hears nothing, even if it has joined anew.
    let limit = packets[packet].memberLimit
    if limit != .max, packets[packet].leaveCount != leaveCount, !arrival.isServed,
      !isMember(port, of: packets[packet].datagram.destination, before: limit)
    {
      freeArrival(index)
      settle(packet)
      return false
    }
    if !arrival.isServed, hosts[host].buffer >= 0 {
      wait(index, inBufferOf: host)
      return false
    }
    freeArrival(index)
    hold(packet)
    statistics.delivered &+= 1
    single.pointee = Receiver(host: UInt32(truncatingIfNeeded: host), interface: ports[port].interface)
    delivery.datagram = packets[packet].datagram
    delivery.mark = packets[packet].mark
    delivery.receivers = UnsafeBufferPointer(start: single, count: 1)
    delivery.sender = .nobody
    return true
  }

  /// A datagram waits until the process of a host reads it, or is dropped where the buffer is full.
  @inline(never) private mutating func wait(_ index: Int, inBufferOf host: Int) {
    let packet = Int(arrivals[index].packet)
    let byteCount = Int(packets[packet].datagram.payload.count)
    guard let done = buffers[Int(hosts[host].buffer)].accept(byteCount, at: now.nanoseconds) else {
      statistics.bufferOverflows += 1
      freeArrival(index)
      settle(packet)
      return
    }
    arrivals[index].isServed = true
    schedule.arrival(index, at: done)
  }

  @inline(__always) private mutating func freeArrival(_ index: Int) {
    arrivals[index].port = freeArrival
    freeArrival = Int32(truncatingIfNeeded: index)
  }

  /// A datagram is at the switch, or — a multicast that all members hear at the same moment — at its members.
  /// Whether machines are given it now.
  @inline(__always) package mutating func fanOut(_ packet: Int, _ delivery: inout Delivery) -> Bool {
    if packets[packet].isMulticast || hasUnicastGroups { return fanOutToGroup(packet, &delivery) }
    forward(packet)
    return false
  }

  /// Apart from the above, so that a unicast, which is what most are, does not pay for it.
  @inline(never) private mutating func fanOutToGroup(_ packet: Int, _ delivery: inout Delivery) -> Bool {
    let from = Int(packets[packet].fromPort)
    let segment = Int(ports[from].segment)
    guard let group = groupIndex(packets[packet].datagram.destination, on: segment) else {
      if packets[packet].isMulticast { settle(packet) } else { forward(packet) }
      return false
    }
    if packets[packet].isAtMembers {
      return deliverTogether(packet, segment: segment, group: group, from: from, &delivery)
    }
    packets[packet].memberLimit = segments[segment].groups[group].joinCount
    packets[packet].leaveCount = leaveCount
    if isMulticastForWayOut, let way = wayOut(of: Int32(truncatingIfNeeded: segment)), way != from {
      let members = segments[segment].groups[group].members
      if let member = members.first(where: { $0.port == way }),
        isForwarded(to: member, segment: segment, from: from, at: now.nanoseconds)
      {
        enter(way, packet: packet, isMulticast: true, at: now.nanoseconds)
      }
      settle(packet)
      return false
    }
    if segments[segment].groups[group].isUniform {
      let latency = segments[segment].groups[group].uniformLatency
      if latency == 0 { return deliverTogether(packet, segment: segment, group: group, from: from, &delivery) }
      segments[segment].groups[group].underWay.append(packet, leftAt: now.nanoseconds)
      packets[packet].isAtMembers = true
      schedule.fanOut(packet, at: now.nanoseconds &+ latency)
      return false
    }
    let members = segments[segment].groups[group].members
    let time = now.nanoseconds
    var position = 0
    while position < members.count {
      let member = members[position]
      if isForwarded(to: member, segment: segment, from: from, at: time) {
        enter(Int(member.port), packet: packet, isMulticast: true, at: time)
      }
      position &+= 1
    }
    settle(packet)
    return false
  }

  /// One event for all members: no queue entry, no reference counting a receiver.
  private mutating func deliverTogether(
    _ packet: Int, segment: Int, group: Int, from: Int, _ delivery: inout Delivery
  ) -> Bool {
    let sender = Receiver(host: UInt32(bitPattern: ports[from].host), interface: ports[from].interface)
    var underWay = UnderWay(packet: Int32(truncatingIfNeeded: packet), leftAt: now.nanoseconds)
    if let waited = segments[segment].groups[group].underWay.take(packet) { underWay = waited }
    let endpoint = segments[segment].groups[group].endpoint
    let limit = packets[packet].memberLimit
    if underWay.ports == nil, segments[segment].groups[group].losesNothing, !segments[segment].snooping,
      partitions.isEmpty
    {
      refreshReceivers(segment: segment, group: group)
      // Who joined after it had left the switch stands at the end.
      var heardBy = segments[segment].groups[group].members.count
      while heardBy > 0, segments[segment].groups[group].members[heardBy &- 1].number >= limit { heardBy &-= 1 }
      let count = heardBy - (isMember(from, of: endpoint, before: limit) ? 1 : 0)
      // Only what is handed out is held: here one packet can follow upon another.
      if count <= 0 {
        settle(packet)
        return false
      }
      hold(packet)
      statistics.delivered &+= count
      // The list is not touched before the next event, so its storage stays where it is.
      let list = segments[segment].groups[group].receivers.withUnsafeBufferPointer { $0 }
      delivery.datagram = packets[packet].datagram
      delivery.mark = packets[packet].mark
      delivery.receivers = UnsafeBufferPointer(rebasing: list[..<heardBy])
      delivery.sender = sender
      return true
    }
    // Something can go wrong for some of them, or has changed: sort out who hears it.
    chosen.removeAll(keepingCapacity: true)
    let reached = underWay.ports == nil ? reached(by: underWay, segment: segment, group: group) : underWay.ports
    for number in reached ?? [] {
      let port = Int(number)
      // Who left the group meanwhile hears nothing, though the switch sent it.
      guard isMember(port, of: endpoint, before: limit) else { continue }
      chosen.append(Receiver(host: UInt32(bitPattern: ports[port].host), interface: ports[port].interface))
    }
    if chosen.isEmpty {
      settle(packet)
      return false
    }
    hold(packet)
    statistics.delivered &+= chosen.count
    delivery.datagram = packets[packet].datagram
    delivery.mark = packets[packet].mark
    delivery.receivers = chosen.withUnsafeBufferPointer { $0 }
    delivery.sender = sender
    return true
  }

  /// The ports that a datagram goes to which left the switch at `underWay.leftAt`, each with the linkKey of its own link.
  private mutating func reached(by underWay: UnderWay, segment: Int, group: Int) -> [Int32] {
    let packet = Int(underWay.packet)
    let from = Int(packets[packet].fromPort)
    let byteCount = Int(packets[packet].datagram.payload.count)
    let draw = packets[packet].draw
    let headerBytes = packets[packet].datagram.source.address.family == .v4 ? 20 : 40
    var reached: [Int32] = []
    for member in segments[segment].groups[group].members where member.number < packets[packet].memberLimit {
      guard isForwarded(to: member, segment: segment, from: from, at: underWay.leftAt) else { continue }
      let port = Int(member.port)
      if ports[port].inbound.loses(byteCount: byteCount, isMulticast: true, headerBytes: headerBytes, draw: draw) {
        statistics.lost &+= 1
      } else {
        reached.append(member.port)
      }
    }
    return reached
  }

  /// Something is about to change that says who hears a datagram: what has left the switch goes to whom it went.
  mutating func settleUnderWay(segment: Int, group: Int) {
    for underWay in segments[segment].groups[group].underWay.open {
      let ports = reached(by: underWay, segment: segment, group: group)
      segments[segment].groups[group].underWay.settle(underWay.packet, to: ports)
    }
  }

  private mutating func refreshReceivers(segment: Int, group: Int) {
    guard !segments[segment].groups[group].receiversAreCurrent else { return }
    let members = segments[segment].groups[group].members
    var receivers: [Receiver] = []
    receivers.reserveCapacity(members.count)
    for member in members {
      let port = Int(member.port)
      receivers.append(Receiver(host: UInt32(bitPattern: ports[port].host), interface: ports[port].interface))
    }
    segments[segment].groups[group].receivers = receivers
    segments[segment].groups[group].receiversAreCurrent = true
  }

  /// Whether the switch passes a multicast that came to it at `time` from one port on to a member.
  @inline(__always)
  private mutating func isForwarded(to member: Member, segment: Int, from: Int, at time: Int64) -> Bool {
    let port = Int(member.port)
    if port == from || !ports[port].isUp { return false }
    if segments[segment].snooping, member.forwardUntil < time {
      statistics.notForwarded += 1
      return false
    }
    if !partitions.isEmpty, isBlocked(from: Int(ports[from].host), to: Int(ports[port].host)) {
      statistics.partitioned += 1
      return false
    }
    return true
  }

  @inline(never) func isBlocked(from: Int, to: Int) -> Bool {
    partitions.contains { $0.from[from] && $0.to[to] }
  }

  /// A copy with one byte changed, in place of the payload, whose hold it takes over. Of no bytes none can change.
  mutating func corrupted(_ payload: Payload, by port: Int, inbound: Bool, draw: UInt64) -> Payload {
    if payload.count == 0 { return payload }
    statistics.corrupted += 1
    var bytes = payloads.array(of: payload)
    payloads.release(payload)
    // Dice of their own: where the damage sits must not depend on how the chance of it was drawn.
    var stream = (inbound ? ports[port].inbound : ports[port].outbound).stream(draw: draw &+ 1)
    let position = Int(stream.below(UInt64(bytes.count)))
    bytes[position] ^= UInt8(1 + stream.below(255))
    return payloads.store(bytes)
  }
}
