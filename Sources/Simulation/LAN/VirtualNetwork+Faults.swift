package import RollcallPrimitives

/// What goes wrong with the network, and right again.
extension VirtualNetwork {
  package mutating func apply(_ fault: Fault) {
    switch fault {
    case .partition(let number, let from, let to):
      settleUnderWay()
      var partition = Partition(
        number: number, from: Array(repeating: false, count: hosts.count),
        to: Array(repeating: false, count: hosts.count))
      for host in from { partition.from[host] = true }
      for host in to { partition.to[host] = true }
      partitions.append(partition)
    case .healPartition(let number):
      settleUnderWay()
      partitions.removeAll { $0.number == number }
    case .interfaceDown(let host, let interface): setInterface(host, interface, up: false)
    case .interfaceUp(let host, let interface): setInterface(host, interface, up: true)
    case .querier(let segment, let interval):
      segments[segment].querierInterval = interval
      startQuerier(segment)
    case .link(let host, let interface, let outbound, let rule):
      guard let port = portIndex(host, interface) else { return }
      if outbound {
        ports[port].outbound.compiled = rule.map { rules.compiled($0) } ?? ports[port].outbound.planned
      } else {
        settleUnderWay(to: port)
        ports[port].inbound.compiled = rule.map { rules.compiled($0) } ?? ports[port].inbound.planned
        refreshGroups(of: port)
      }
    case .refuseJoins(let host, let refuses): hosts[host].refusesJoins = refuses
    case .refuseMulticastSends(let host, let refuses): hosts[host].refusesMulticastSends = refuses
    case .readdress(let host, let interface, let address):
      guard let port = portIndex(host, interface) else { return }
      readdress(address, host: host, interface: interface)
      // Of an interface that is down the host hears when it comes up.
      if ports[port].isUp { schedule.deliver(.interface(change(of: port)), to: host, at: now) }
    case .healEverything: healEverything()
    }
  }

  private mutating func setInterface(_ host: Int, _ interface: InterfaceID, up: Bool) {
    guard let port = portIndex(host, interface), ports[port].isUp != up else { return }
    ports[port].isUp = up
    if !up {
      // The stack forgets its memberships; a machine that wants them joins again when the interface is back.
      for membership in ports[port].groups { removeMember(port, membership.group) }
      ports[port].groups = []
    }
    schedule.deliver(.interface(change(of: port)), to: host, at: now)
  }

  func change(of port: Int) -> InterfaceChange {
    InterfaceChange(
      interface: ports[port].interface, isUp: ports[port].isUp, addresses: ports[port].isUp ? ports[port].addresses : []
    )
  }

  /// What a host's stack says about its interfaces when the host starts, in order.
  package func interfaces(of host: Int) -> [InterfaceChange] {
    (hosts[host].firstPort..<hosts[host].endPort).map { change(of: Int($0)) }
  }

  private mutating func refreshGroups(of port: Int) {
    let segment = Int(ports[port].segment)
    for membership in ports[port].groups {
      guard let index = groupIndex(membership.group, on: segment) else { continue }
      refreshUniformity(segment: segment, group: index, considering: nil)
    }
  }

  /// Settles who hears what is under way to the groups of a port.
  private mutating func settleUnderWay(to port: Int) {
    let segment = Int(ports[port].segment)
    for membership in ports[port].groups {
      if let index = groupIndex(membership.group, on: segment) { settleUnderWay(segment: segment, group: index) }
    }
  }

  private mutating func settleUnderWay() {
    for segment in segments.indices {
      for group in segments[segment].groups.indices { settleUnderWay(segment: segment, group: group) }
    }
  }

  private mutating func healEverything() {
    settleUnderWay()
    partitions = []
    for host in hosts.indices {
      hosts[host].refusesJoins = false
      hosts[host].refusesMulticastSends = false
      for port in Int(hosts[host].firstPort)..<Int(hosts[host].endPort) {
        ports[port].outbound.compiled = rules.compiled(ports[port].outbound.planned.pointee.rule.healed)
        ports[port].inbound.compiled = rules.compiled(ports[port].inbound.planned.pointee.rule.healed)
        setInterface(host, ports[port].interface, up: ports[port].isUpAtStart || ports[port].isUp)
      }
    }
    for segment in segments.indices {
      for group in segments[segment].groups.indices {
        refreshUniformity(segment: segment, group: group, considering: nil)
      }
      if segments[segment].querierInterval != segments[segment].querierPlanned {
        segments[segment].querierInterval = segments[segment].querierPlanned
        startQuerier(segment)
      }
    }
  }
}
