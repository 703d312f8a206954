package import RollcallPrimitives
import RollcallWire

/// Multicast groups: hosts join with IGMP or MLD bytes, a snooping switch reads them, a querier keeps them fresh.
extension VirtualNetwork {
  /// The machine of `host` joins a group on an interface; its stack says so with a membership report, once for all
  /// sockets in a group.
  package mutating func join(_ group: Endpoint, host: Int, interface: InterfaceID) {
    guard let port = portIndex(host, interface), ports[port].isUp, !isMember(port, of: group, before: .max) else {
      return
    }
    if hosts[host].refusesJoins {
      let refusal = Refusal(deed: .join, interface: interface, address: group.address, port: group.port)
      schedule.deliver(.refused(refusal), to: host, at: now)
      return
    }
    let segment = Int(ports[port].segment)
    let index = groupIndex(group, on: segment) ?? segments[segment].groups.count
    if index == segments[segment].groups.count { segments[segment].groups.append(GroupState(endpoint: group)) }
    if !group.address.isMulticast, !group.address.isBroadcast { hasUnicastGroups = true }
    let number = segments[segment].groups[index].joinCount
    segments[segment].groups[index].joinCount += 1
    let other = ports[port].groups.first { $0.group.address == group.address }
    // The switch knows addresses, not ports: where it passes one on, it passes all on.
    let forwardUntil = other.flatMap { member(port, of: $0.group)?.forwardUntil } ?? -1
    ports[port].groups.append(Membership(group: group, number: number))
    segments[segment].groups[index].members.append(
      Member(port: Int32(port), number: number, forwardUntil: forwardUntil))
    segments[segment].groups[index].receiversAreCurrent = false
    // One more member can only make the group less uniform; everything else asks for a full look.
    let isFirst = segments[segment].groups[index].members.count == 1
    refreshUniformity(segment: segment, group: index, considering: isFirst ? nil : port)
    if other != nil { return }
    // Unsolicited reports are sent twice, since the first may be lost.
    sendReport(port: port, group: group.address)
    let again = ports[port].membershipStream.interval(in: .zero ... .seconds(10))
    push(.report(port: port, group: group.address), at: now + again)
  }

  private func member(_ port: Int, of group: Endpoint) -> Member? {
    let segment = Int(ports[port].segment)
    guard let index = groupIndex(group, on: segment) else { return nil }
    return segments[segment].groups[index].members.first { Int($0.port) == port }
  }

  /// The machine of `host` leaves a group, with the leave message of its family where no other socket is in it.
  package mutating func leave(_ group: Endpoint, host: Int, interface: InterfaceID) {
    guard let port = portIndex(host, interface),
      let index = ports[port].groups.firstIndex(where: { $0.group == group })
    else { return }
    ports[port].groups.remove(at: index)
    removeMember(port, group)
    if !ports[port].isMember(of: group.address) { send(.leave(group.address), from: port) }
  }

  /// The machine of `host` takes another address of the same family on an interface, and with it all programs of that
  /// host, which hear of it.
  package mutating func readdress(_ address: IPAddress, host: Int, interface: InterfaceID) {
    guard let port = portIndex(host, interface) else { return }
    let segment = ports[port].segment
    // Another port may have taken the old address meanwhile; then it stays that port's.
    if let old = ports[port].address(of: address.family), addresses.port(of: old, on: segment) == port {
      addresses.remove(old, on: segment)
    }
    setAddress(address, of: port)
    for other in companions[port, default: []] {
      setAddress(address, of: other)
      // Of an interface that is down the host hears when it comes up.
      if ports[other].isUp { schedule.deliver(.interface(change(of: other)), to: Int(ports[other].host), at: now) }
    }
    addresses.insert(address, on: segment, port: port)
  }

  private mutating func setAddress(_ address: IPAddress, of port: Int) {
    if let index = ports[port].addresses.firstIndex(where: { $0.address.family == address.family }) {
      ports[port].addresses[index].address = address
    } else {
      ports[port].addresses.append(InterfaceAddress(address, prefixBits: address.family == .v4 ? 24 : 64))
    }
  }

  /// The hosts that stand for other programs of this one.
  func hostsBeside(_ host: Int, on interface: InterfaceID) -> [Int] {
    guard let port = portIndex(host, interface) else { return [] }
    var found: [Int] = []
    for other in companions[port, default: []] { found.append(Int(ports[other].host)) }
    return found
  }

  // Both look at groups in place: a segment or a port as a value of its own would be copied, with the arrays that it
  // counts, for every datagram.

  /// Whether a port joined a group as one of the first `limit` who ever did, and is in it still.
  @inline(__always) func isMember(_ port: Int, of group: Endpoint, before limit: UInt32) -> Bool {
    var place = 0
    while place < ports[port].groups.count {
      if ports[port].groups[place].group == group, ports[port].groups[place].number < limit { return true }
      place &+= 1
    }
    return false
  }

  /// The place of a group among those of a segment; `nil`: nobody has joined it there.
  @inline(__always) func groupIndex(_ endpoint: Endpoint, on segment: Int) -> Int? {
    var index = 0
    while index < segments[segment].groups.count {
      if segments[segment].groups[index].endpoint == endpoint { return index }
      index &+= 1
    }
    return nil
  }

  func portIndex(_ host: Int, _ interface: InterfaceID) -> Int? {
    let port = Int(hosts[host].firstPort) + Int(interface.number)
    return port < Int(hosts[host].endPort) ? port : nil
  }

  mutating func removeMember(_ port: Int, _ group: Endpoint) {
    leaveCount &+= 1
    let segment = Int(ports[port].segment)
    guard let index = groupIndex(group, on: segment) else { return }
    // What the switch has sent is counted as the links let it through, who leaves meanwhile included.
    settleUnderWay(segment: segment, group: index)
    segments[segment].groups[index].members.removeAll { Int($0.port) == port }
    segments[segment].groups[index].receiversAreCurrent = false
    refreshUniformity(segment: segment, group: index, considering: nil)
  }

  /// Works out whether one event can serve all members; with a port, only what that port changes.
  mutating func refreshUniformity(segment: Int, group: Int, considering added: Int?) {
    if let added {
      guard segments[segment].groups[group].isUniform else { return }
      let link = ports[added].inbound
      if !link.canDeliverTogether || hosts[Int(ports[added].host)].buffer >= 0
        || link.constantLatency != segments[segment].groups[group].uniformLatency
      {
        segments[segment].groups[group].isUniform = false
      }
      if !link.losesNothing { segments[segment].groups[group].losesNothing = false }
      return
    }
    var isUniform = true
    var losesNothing = true
    var latency: Int64 = -1
    for member in segments[segment].groups[group].members {
      let port = Int(member.port)
      let link = ports[port].inbound
      if latency < 0 { latency = link.constantLatency }
      if !link.canDeliverTogether || link.constantLatency != latency || hosts[Int(ports[port].host)].buffer >= 0 {
        isUniform = false
      }
      if !link.losesNothing { losesNothing = false }
    }
    segments[segment].groups[group].isUniform = isUniform
    segments[segment].groups[group].losesNothing = losesNothing
    segments[segment].groups[group].uniformLatency = max(0, latency)
  }

  // MARK: - Membership on the wire

  mutating func sendReport(port: Int, group: IPAddress) { send(.join(group), from: port) }

  /// A host's stack sends a membership message: bytes over the outbound link, with its losses.
  private mutating func send(_ message: GroupMessage, from port: Int) {
    let destination: IPAddress
    let family: IPAddress.Family
    switch message {
    case .join(let group, _): (destination, family) = (message.destination(family: group.family), group.family)
    case .leave(let group): (destination, family) = (message.destination(family: group.family), group.family)
    case .query, .report: return
    }
    guard ports[port].isUp, let source = ports[port].address(of: family) else { return }
    let bytes = encode(message, source: source, destination: destination)
    record(bytes, source: source, destination: destination, port: port)
    var overflow = false
    let passage = ports[port].outbound.pass(
      byteCount: bytes.count, isMulticast: true, headerBytes: family == .v4 ? 24 : 48,
      draw: ports[port].membershipStream.next(), at: now.nanoseconds, overflow: &overflow)
    guard let passage else { return }
    push(
      .membership(port: port, message: bytes, source: source, destination: destination),
      at: Instant(nanoseconds: passage.arrival))
  }

  private func encode(_ message: GroupMessage, source: IPAddress, destination: IPAddress) -> [UInt8] {
    destination.family == .v4
      ? message.igmpBytes() : message.mldBytes(source: source, destination: destination)
  }

  private mutating func record(_ bytes: [UInt8], source: IPAddress, destination: IPAddress, port: Int) {
    guard Int(ports[port].host) == watchedHost else { return }
    membershipFrames.append(
      MembershipFrame(
        time: now, interface: ports[port].interface, source: source, destination: destination, message: bytes))
  }

  /// A membership message is at the switch: a snooping one reads it.
  mutating func snoop(port: Int, message: [UInt8], source: IPAddress, destination: IPAddress) {
    let segment = Int(ports[port].segment)
    guard segments[segment].snooping else { return }
    let heard = message.withUnsafeBytes { bytes in
      destination.family == .v4
        ? GroupMessage.read(igmp: bytes) : GroupMessage.read(mld: bytes, source: source, destination: destination)
    }
    switch heard {
    case .join(let group, _): setForwarding(port, group, until: now + segments[segment].membershipTimeout)
    case .leave(let group): setForwarding(port, group, until: Instant(nanoseconds: -1))
    // Hosts here speak IGMPv2 and MLDv1: no report has records.
    case .query, .report, nil: break
    }
  }

  private mutating func setForwarding(_ port: Int, _ group: IPAddress, until end: Instant) {
    let segment = Int(ports[port].segment)
    for index in segments[segment].groups.indices where segments[segment].groups[index].endpoint.address == group {
      setForwarding(port, segment: segment, group: index, until: end)
    }
  }

  private mutating func setForwarding(_ port: Int, segment: Int, group index: Int, until end: Instant) {
    guard let position = segments[segment].groups[index].members.firstIndex(where: { Int($0.port) == port }) else {
      return
    }
    // A renewal changes nothing for what is under way; a report that opens the port, or a leave, would. A leave after the
    // port's time is over changes what was open when an earlier datagram left the switch.
    let isOpen = segments[segment].groups[index].members[position].forwardUntil >= now.nanoseconds
    if !isOpen || end < now { settleUnderWay(segment: segment, group: index) }
    segments[segment].groups[index].members[position].forwardUntil = end.nanoseconds
  }

  // MARK: - The querier

  mutating func startQuerier(_ segment: Int) {
    segments[segment].querierGeneration += 1
    guard segments[segment].querierInterval != nil else { return }
    push(.query(segment: segment, generation: segments[segment].querierGeneration), at: now)
  }

  /// The querier asks everybody; hosts answer within ten seconds, each at its own moment.
  mutating func query(segment: Int, generation: Int) {
    guard generation == segments[segment].querierGeneration, let interval = segments[segment].querierInterval else {
      return
    }
    push(.query(segment: segment, generation: generation), at: now + interval)
    let message = GroupMessage.query(GroupQuery(generation: .second))
    let families: [(IPAddress.Family, IPAddress)] = [
      (.v4, IPAddress(v4: 0)), (.v6, IPAddress(v6High: 0xFE80 << 48, low: 1)),
    ]
    for (family, source) in families {
      let destination = message.destination(family: family)
      let bytes = encode(message, source: source, destination: destination)
      for port in ports.indices where Int(ports[port].segment) == segment && ports[port].isUp {
        var groups: [IPAddress] = []
        for group in ports[port].groups.map(\.group.address) where group.family == family && !groups.contains(group) {
          groups.append(group)
        }
        if groups.isEmpty { continue }
        let draw = ports[port].membershipStream.next()
        let headerBytes = family == .v4 ? 24 : 48
        if ports[port].inbound.loses(byteCount: bytes.count, isMulticast: true, headerBytes: headerBytes, draw: draw) {
          continue
        }
        record(bytes, source: source, destination: destination, port: port)
        for group in groups {
          let delay = ports[port].membershipStream.interval(in: .zero ... .seconds(10))
          push(.report(port: port, group: group), at: now + delay)
        }
      }
    }
  }
}
