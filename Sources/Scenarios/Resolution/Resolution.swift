import RollcallDiscovery
import RollcallDevices
import RollcallPrimitives
import RollcallSimulation

extension Scenario {
  /// Works the scenario out; the sweep is left aside.
  /// - Throws: `ScenarioErrors` for what `ScenarioChecks` refuses, and where a subnet has no room for its hosts.
  package func resolved() throws(ScenarioErrors) -> Resolved {
    let complaints = ScenarioChecks(self).complaints
    if !complaints.isEmpty { throw ScenarioErrors(complaints.map { error($0.path, $0.message) }) }
    var world = WorldBuilder(self)
    if let complaint = world.build() { throw ScenarioErrors([error(complaint.path, complaint.message)]) }
    return world.resolved
  }

  private func error(_ path: TreePath, _ message: String) -> ScenarioError {
    Complaint(path: path, mark: .none, message: message).error(in: title)
  }
}

/// Builds hosts and devices, then looks up the rest with their help.
struct WorldBuilder {
  let scenario: Scenario
  private let subnets: [InterfaceAddress]
  private var addresses: AddressPlan
  /// The first host of each inhabitant.
  private var firstHosts: [Int] = []
  /// Of hosts with services of multicast DNS, by the number of the host.
  private var serviceDevices: [Int: Range<Int>] = [:]
  private(set) var resolved: Resolved

  init(_ scenario: Scenario) {
    self.scenario = scenario
    subnets = scenario.network.subnets
    addresses = AddressPlan(scenario.network.segments.map(\.name), subnets)
    let end = Instant.zero + scenario.duration
    resolved = Resolved(
      scenario: scenario, plan: NetworkPlan(), hosts: [], deviceKinds: [], devices: [], radio: nil, store: nil,
      commands: [],
      faults: [],
      end: end, heal: scenario.heal,
      convergedFrom: scenario.heal.flatMap { heal in scenario.converge.map { heal + $0 } }, expectations: [])
    resolved.plan.segments = scenario.network.segments.map { segment in
      SegmentPlan(
        name: segment.name, snooping: segment.snooping, querierInterval: segment.querier,
        membershipTimeout: segment.membershipTimeout)
    }
  }

  /// `nil` when all went well.
  mutating func build() -> (path: TreePath, message: String)? {
    if let complaint = reserveAddresses() ?? buildHosts() { return complaint }
    buildCommands()
    buildFaults()
    resolved.radio = radioPlan()
    resolved.store = storePlan()
    resolved.expectations = scenario.expectations.indices.map { resolve(expectation: $0) }
    return nil
  }

  // MARK: Hosts

  private func segmentIndex(_ name: String?) -> Int {
    name.flatMap { name in scenario.network.segments.firstIndex { $0.name == name } } ?? 0
  }

  /// A name of the document, how many it stands for, and the interfaces of each.
  private struct Body {
    var path: TreePath
    var name: String
    var count: Int
    var host: HostSection
    var interfaces: [InterfaceSection]
  }

  private var everybody: [Body] {
    let inhabitants = TreePath().appending("inhabitants")
    let engine = scenario.engine.host
    return [
      Body(
        path: TreePath().appending("engine"), name: "engine", count: 1, host: engine,
        interfaces: engine.resolvedInterfaces)
    ]
      + scenario.inhabitants.map {
        Body(
          path: inhabitants.appending($0.name), name: $0.name, count: $0.count, host: $0.host,
          interfaces: $0.hasInterfaces ? $0.host.resolvedInterfaces : [])
      }
  }

  private mutating func reserveAddresses() -> (path: TreePath, message: String)? {
    for body in everybody {
      for (number, interface) in body.interfaces.enumerated() {
        guard let address = interface.address else { continue }
        let segment = segmentIndex(interface.segment)
        if let taken = addresses.reserve(address, count: body.count, segment: segment) {
          let place = body.host.interfaces.isEmpty ? body.path : body.path.appending("interfaces").appending(number)
          return (place.appending("address"), "\(taken) is already somebody's")
        }
      }
    }
    return nil
  }

  private mutating func buildHosts() -> (path: TreePath, message: String)? {
    for (number, body) in everybody.enumerated() {
      var firsts: [IPAddress?] = []
      if let name = body.host.beside {
        guard let other = everybody[..<number].firstIndex(where: { $0.name == name }), other > 0 else {
          return (body.path.appending("beside"), "expected an inhabitant that stands before it, found '\(name)'")
        }
        guard everybody[other].count == 1, body.count == 1, body.interfaces.count == 1 else {
          return (body.path.appending("beside"), "only one inhabitant can be beside one other")
        }
        if let first = everybody[other].host.beside {
          return (body.path.appending("beside"), "'\(name)' is a program of the host of '\(first)': name that one")
        }
      }
      for interface in body.interfaces where body.host.beside == nil {
        let segment = segmentIndex(interface.segment)
        if let address = interface.address {
          firsts.append(address)
        } else if let address = addresses.give(body.count, name: body.name, segment: segment) {
          firsts.append(address)
        } else {
          let subnet = subnets[segment]
          return (
            body.path, "no room for \(body.count) successive addresses in \(subnet.address)/\(subnet.prefixBits)"
          )
        }
      }
      firstHosts.append(resolved.hosts.count)
      if number == 0 {
        resolved.plan.hosts.append(
          plan(body.host, body.interfaces, name: "engine", member: 0, firsts: firsts))
        resolved.hosts.append(ResolvedHost(name: "engine", inhabitant: nil, role: .engine, appear: .at(.zero)))
      } else {
        addInhabitant(number - 1, body.interfaces, firsts: firsts)
      }
    }
    for index in resolved.hosts.indices {
      guard let inhabitant = resolved.hosts[index].inhabitant, case .other = resolved.hosts[index].role else {
        continue
      }
      resolved.hosts[index].role = .other(resolve(scenario.inhabitants[inhabitant].kind, host: index))
    }
    return nil
  }

  private mutating func addInhabitant(_ index: Int, _ interfaces: [InterfaceSection], firsts: [IPAddress?]) {
    let entry = scenario.inhabitants[index]
    let kind = deviceKind(of: entry, number: index)
    if let kind { resolved.deviceKinds.append(kind) }
    let style = kind?.printedStyle ?? .standard
    for (member, name) in entry.memberNames.enumerated() {
      let role: ResolvedHost.Role
      switch entry.kind {
      case .peripheral(let section):
        role = .peripheral(resolved.devices.count)
        resolved.devices.append(peripheral(section, named: name, host: resolved.hosts.count))
      case .hciHost(let section):
        let address = section.address(named: name)
        role = .peripheral(resolved.devices.count)
        resolved.devices.append(
          ResolvedDevice(
            name: name, host: resolved.hosts.count, kind: .hciHost(address), identity: address.deviceName))
      case .mdnsResponder(let section):
        let first = resolved.devices.count
        resolved.devices += services(section, named: name, host: resolved.hosts.count)
        serviceDevices[resolved.hosts.count] = first..<resolved.devices.count
        fallthrough
      default:
        if case .nearbyPeer(let plan) = entry.kind, let peer = peer(plan, named: name, host: resolved.hosts.count) {
          serviceDevices[resolved.hosts.count] = resolved.devices.count..<resolved.devices.count + 1
          resolved.devices.append(peer)
        }
        if let device = lanDevice(of: entry, named: name, style) {
          role = .root(resolved.devices.count)
          resolved.devices.append(device)
        } else {
          // Names are looked up once all hosts are there.
          role = .other(.reflector(Reflector.Plan()))
        }
      }
      resolved.plan.hosts.append(
        programPlan(entry.host, name: name)
          ?? plan(entry.host, interfaces, name: name, member: member, firsts: firsts))
      resolved.hosts.append(ResolvedHost(name: name, inhabitant: index, role: role, appear: entry.appear))
    }
  }

  private func plan(
    _ host: HostSection, _ sections: [InterfaceSection], name: String, member: Int, firsts: [IPAddress?]
  ) -> HostPlan {
    let network = scenario.network.link.applied(toOutbound: LinkRule(), inbound: LinkRule())
    let own = host.link.applied(toOutbound: network.outbound, inbound: network.inbound)
    let interfaces = zip(sections, firsts).enumerated().map { number, pair in
      let (interface, first) = pair
      let segment = segmentIndex(interface.segment)
      let section = scenario.network.segments[segment]
      var list: [InterfaceAddress] = []
      if let first {
        let bits = first.family == .v4 ? subnets[segment].prefixBits : 64
        list.append(InterfaceAddress(first.advanced(by: member), prefixBits: bits))
      }
      if host.ipv6 ?? section.ipv6, first?.family != .v6 {
        list.append(InterfaceAddress(addresses.linkLocal(name: name, interface: number), prefixBits: 64))
      }
      let rules = interface.link.applied(toOutbound: own.outbound, inbound: own.inbound)
      return InterfacePlan(
        segment: segment, addresses: list, outbound: rules.outbound, inbound: rules.inbound,
        isUpAtStart: interface.isUpAtStart)
    }
    return HostPlan(
      name: name, interfaces: interfaces, clockDriftMillionths: host.clockDriftMillionths,
      receiveBuffer: host.receiveBuffer, refusesJoins: host.refusesJoins,
      refusesMulticastSends: host.refusesMulticastSends)
  }

  /// Another program of a host: what the host has it has too, and a socket buffer of its own; what a system refuses, it
  /// refuses one program. `nil`: it is no such one.
  private func programPlan(_ host: HostSection, name: String) -> HostPlan? {
    guard let owner = host.beside.flatMap({ hosts(named: $0).first }) else { return nil }
    var plan = resolved.plan.hosts[owner]
    (plan.name, plan.receiveBuffer, plan.beside) = (name, host.receiveBuffer, owner)
    (plan.refusesJoins, plan.refusesMulticastSends) = (host.refusesJoins, host.refusesMulticastSends)
    return plan
  }

  // MARK: Names

  /// The hosts that a name stands for: the engine, an inhabitant with all its members, one member, or all inhabitants.
  func hosts(named name: String) -> [Int] {
    if name == "engine" { return [0] }
    if name == "each" { return Array(resolved.hosts.indices.dropFirst()) }
    guard let found = scenario.inhabitant(named: name) else { return [] }
    let first = firstHosts[found.index + 1]
    return found.members.map { first + $0 }
  }

  /// The hosts of a fault: those that a name stands for, each with all its programs.
  private func faultyHosts(named name: String) -> [Int] {
    let named = hosts(named: name)
    guard scenario.inhabitants.contains(where: { $0.host.beside != nil }) else { return named }
    func owner(_ host: Int) -> Int { resolved.plan.hosts[host].beside ?? host }
    let owners = Set(named.map { owner($0) })
    return resolved.plan.hosts.indices.filter { owners.contains(owner($0)) }
  }

  /// The devices that a name stands for, as indices into `resolved.devices`.
  func devices(named name: String) -> [Int] {
    hosts(named: name).flatMap { host -> [Int] in
      switch resolved.hosts[host].role {
      case .root(let device), .peripheral(let device): [device]
      case .engine, .other: serviceDevices[host].map { Array($0) } ?? []
      }
    }
  }

  /// The first IPv4 address of a host, else its first address.
  func address(of host: Int) -> IPAddress? {
    let all = resolved.plan.hosts[host].interfaces.flatMap(\.addresses).map(\.address)
    return all.first { $0.family == .v4 } ?? all.first
  }

  // MARK: Timeline

  private mutating func buildCommands() {
    var searches = scenario.searches[...]
    var commands: [ResolvedCommand] = []
    for (index, entry) in scenario.timeline.enumerated() {
      let id = entry.id ?? "t\(index + 1)"
      func add(_ hosts: [Int], _ command: Command) {
        commands += hosts.map { ResolvedCommand(id: id, at: entry.at, host: $0, command: command) }
      }
      func held(_ who: String, _ command: (String) -> Command) {
        for device in devices(named: who) { add([0], command(resolved.devices[device].identity)) }
      }
      switch entry.deed {
      case .search(let deed):
        let number = searches.popFirst() ?? 0
        add(
          [0],
          .search(
            Search(
              id: SearchID(number), target: deed.target, maximumWaitSeconds: deed.waitSeconds,
              broadcasts: deed.broadcasts,
              spacing: deed.spacing, host: deed.host.flatMap { endpoint($0, port: 0) },
              interface: deed.interface.map { InterfaceID(UInt16($0)) })))
      case .stopSearch(let number): add([0], .stopSearch(SearchID(number)))
      case .hold(let who): held(who) { .hold(device: $0) }
      case .release(let who): held(who) { .release(device: $0) }
      case .reconfirm(let who): held(who) { .reconfirm(device: $0) }
      case .stopEngine: add([0], .stop)
      // The network is told of it, and its system tells the engine.
      case .act(let who, .move) where who == "engine": break
      case .act(let who, let act): add(hosts(named: who), .act(act))
      // The air is told of it, not the machine.
      case .walk: break
      case .browse(let browse): add([0], .browse(browse))
      case .stopBrowsing(let browse): add([0], .stopBrowsing(browse))
      case .manager(let command): add([0], .manager(command))
      case .device(let deed): held(deed.who) { .manager(.device($0, deed.numbered(index + 1))) }
      case .peripheral(let deed):
        for device in devices(named: deed.who) {
          guard let address = resolved.devices[device].fixedAddress else { continue }
          for _ in 0..<deed.times { add([0], .peripheral(CentralCommand(address, deed.request))) }
        }
      }
    }
    resolved.commands = commands.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  // MARK: Faults

  private mutating func buildFaults() {
    var faults = FaultSchedule()
    for (index, entry) in scenario.faults.enumerated() {
      let id = entry.id ?? "f\(index + 1)"
      func add(_ breaks: Fault, _ mends: Fault) {
        faults.add(id: id, breaks: breaks, at: entry.at, mends: mends, until: entry.until)
      }
      switch entry.kind {
      case .partition(let from, let to, let isBoth):
        let (left, right) = (from.flatMap { faultyHosts(named: $0) }, to.flatMap { faultyHosts(named: $0) })
        add(.partition(number: 2 * index, from: left, to: right), .healPartition(number: 2 * index))
        if isBoth {
          add(.partition(number: 2 * index + 1, from: right, to: left), .healPartition(number: 2 * index + 1))
        }
      case .interfaceDown(let who, let interface):
        let number = InterfaceID(UInt16(interface))
        for host in faultyHosts(named: who) {
          add(.interfaceDown(host: host, interface: number), .interfaceUp(host: host, interface: number))
        }
      case .querierGone(let name):
        let segment = segmentIndex(name)
        add(
          .querier(segment: segment, interval: nil),
          .querier(segment: segment, interval: scenario.network.segments[segment].querier))
      case .link(let who, let interface, let direction, let patch):
        let number = InterfaceID(UInt16(interface))
        // What is on the air alone has no link.
        for host in faultyHosts(named: who) where resolved.plan.hosts[host].interfaces.indices.contains(interface) {
          let plan = resolved.plan.hosts[host].interfaces[interface]
          if direction != .inbound {
            add(
              .link(host: host, interface: number, outbound: true, rule: patch.applied(to: plan.outbound)),
              .link(host: host, interface: number, outbound: true, rule: nil))
          }
          if direction != .outbound {
            add(
              .link(host: host, interface: number, outbound: false, rule: patch.applied(to: plan.inbound)),
              .link(host: host, interface: number, outbound: false, rule: nil))
          }
        }
      case .refuseJoins(let who):
        for host in hosts(named: who) { add(.refuseJoins(host: host, true), .refuseJoins(host: host, false)) }
      case .refuseMulticastSends(let who):
        for host in hosts(named: who) {
          add(.refuseMulticastSends(host: host, true), .refuseMulticastSends(host: host, false))
        }
      // The air is told of it, or the store.
      case .radioOff, .store: break
      }
    }
    for (index, entry) in scenario.timeline.enumerated() {
      guard case .act(let who, .move(let interface, let address)) = entry.deed, who == "engine" else { continue }
      let change = Fault.readdress(host: 0, interface: interface, address: address)
      // It has no end, so nothing mends it.
      faults.add(id: entry.id ?? "t\(index + 1)", breaks: change, at: entry.at, mends: change, until: nil)
    }
    resolved.faults = faults.resolved(heal: scenario.heal)
  }

  /// What is wrong with the store of the engine's application, and when; `nil`: it keeps nothing.
  private func storePlan() -> StorePlan? {
    guard scenario.engine.configuration.manager?.store != nil else { return nil }
    var plan = StorePlan()
    for fault in scenario.faults {
      guard case .store(let failure) = fault.kind else { continue }
      plan.add(StorePlan.Trouble(host: 0, at: fault.at, until: fault.until ?? scenario.heal ?? .never, failure))
    }
    return plan
  }
}

extension IPAddress {
  /// The address so many further on.
  func advanced(by count: Int) -> IPAddress {
    var next = self
    next.low = family == .v4 ? UInt64(UInt32(truncatingIfNeeded: low &+ UInt64(count))) : low &+ UInt64(count)
    return next
  }
}
