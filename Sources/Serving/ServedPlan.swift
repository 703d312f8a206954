import RollcallDevices
import RollcallPeers
package import RollcallPrimitives
import RollcallRunning
package import RollcallScenarios
import RollcallSimulation
import RollcallWire

/// A scenario, made ready for real interfaces: who has which address, which sockets are needed, and what cannot be.
package struct ServedPlan: Sendable {
  /// A root device that is served.
  package struct Device: Hashable, Sendable {
    package var name: String
    /// Index of its host.
    package var host: Int
    package var identity: String
    /// As LOCATION has them.
    package var port: UInt16
    package var path: String
    package var scheme: String
    /// On real interfaces; empty where it cannot be reached.
    package var endpoints: [Endpoint]
    /// The ports that it serves its description on in the course of the scenario.
    package var ports: [UInt16]
  }

  /// A socket that has to be there before anything is sent from it.
  package struct Listener: Hashable, Sendable {
    package var endpoint: Endpoint
    package var interface: InterfaceID
  }

  package private(set) var devices: [Device] = []
  /// UDP sockets for unicast searches.
  package private(set) var searchListeners: [Listener] = []
  /// TCP sockets for descriptions.
  package private(set) var pageListeners: [Listener] = []
  /// Addresses that the interfaces have to have beside their own.
  package private(set) var wantedAddresses: [Listener] = []
  /// What cannot be served, in sentences.
  package private(set) var notes: [String] = []
  /// Groups to join, by interface.
  package private(set) var groups: [(group: Endpoint, interface: InterfaceID)] = []
  /// What the scenario calls everybody, the engine too: outside these are somebody else's, or nobody's.
  let planned: Set<IPAddress>

  private var resolved: Resolved
  private let hasOwnAddresses: Bool
  /// The served interface of a segment; `nil`: it has none.
  private let places: [Int?]
  private let real: [[InterfaceAddress]]
  private var served: [[IPAddress]]
  private var aliasLists: [[IPAddress]]
  private var pages: [PageKey: Int] = [:]
  private var leftOutCount = 0

  private struct PageKey: Hashable {
    /// `nil`: all devices have one address.
    var address: IPAddress?
    var port: UInt16
    var path: String
  }

  /// - Parameters:
  ///   - interfaces: the addresses of the real interfaces; number n stands for interface n of the scenario's engine.
  ///   - hasOwnAddresses: whether the addresses of the scenario are on the interfaces; else everybody has the
  ///     interface's own.
  package init(_ resolved: Resolved, interfaces: [[InterfaceAddress]], hasOwnAddresses: Bool) {
    let engine = resolved.plan.hosts[0]
    self.hasOwnAddresses = hasOwnAddresses
    real = interfaces
    places = resolved.plan.segments.indices.map { segment in
      engine.interfaces.prefix(interfaces.count).firstIndex { $0.segment == segment }
    }
    planned = Set(
      resolved.plan.hosts.flatMap { host in host.interfaces.flatMap { $0.addresses.map(\.address) } })
    served = interfaces.map { _ in [] }
    aliasLists = interfaces.map { _ in [] }
    self.resolved = resolved
    leaveOut()
    placeHosts()
    filterTimeline()
    placeDevices()
    listPages()
    note()
  }

  package var inhabitantCount: Int { resolved.hosts.count - 1 - leftOutCount }

  /// Interfaces that stand for one of the scenario's engine.
  var interfaces: [InterfaceID] {
    served.indices.prefix(resolved.plan.hosts[0].interfaces.count).map { InterfaceID(UInt16($0)) }
  }

  func served(on interface: InterfaceID) -> [IPAddress] {
    Int(interface.number) < served.count ? served[Int(interface.number)] : []
  }

  /// The prefix of the subnet of a served address; `nil`: it is none on this interface.
  func prefixBits(ofServed address: IPAddress, on interface: InterfaceID) -> Int? {
    guard served(on: interface).contains(address) else { return nil }
    return real[Int(interface.number)].first { $0.address == address }?.prefixBits
      ?? (address.family == .v4 ? 32 : 128)
  }

  func aliases(on interface: InterfaceID, _ family: IPAddress.Family) -> [IPAddress] {
    guard Int(interface.number) < aliasLists.count else { return [] }
    return aliasLists[Int(interface.number)].filter { $0.family == family }
  }

  /// The device whose description or service has this path; another path goes to the first device there, which answers
  /// it.
  func device(at listener: Endpoint, path: String?) -> Device? {
    if let path {
      let key = PageKey(address: hasOwnAddresses ? listener.address : nil, port: listener.port, path: path)
      if let number = pages[key] { return devices[number] }
    }
    let there = devices.filter { device in
      device.ports.contains(listener.port) && device.endpoints.contains { $0.address == listener.address }
    }
    return there.first { path?.hasPrefix($0.servicesPath) ?? false } ?? there.first
  }

  /// Where a device that is reached at `listener` has its port inside, and the gateway's interface to it.
  func wayIn(to device: Device, at listener: Endpoint) -> (endpoint: Endpoint, interface: InterfaceID)? {
    for interface in resolved.plan.hosts[device.host].interfaces {
      guard let place = places[interface.segment], served[place].contains(listener.address) else { continue }
      let inner = interface.addresses.first { one in
        hasOwnAddresses
          ? one.address == listener.address
          : one.address.family == listener.address.family && aliasLists[place].contains(one.address)
      }
      if let inner {
        return (Endpoint(inner.address, port: listener.port), InterfaceID(UInt16(place)))
      }
    }
    return nil
  }

  /// The hosts that answer by multicast DNS.
  var responders: [Int] {
    resolved.hosts.indices.filter { host in
      switch resolved.hosts[host].role {
      case .other(.mdnsResponder): true
      case .other(.nearbyPeer): hasOwnAddresses
      default: false
      }
    }
  }

  var hasMDNS: Bool { !responders.isEmpty }

  /// Whether nobody inside has any use for what the others say to the groups, and no link remembers what passed it.
  ///
  /// Then a message to the group is one for the outside alone: with ten thousand inhabitants that is what makes real
  /// time possible.
  var isQuietInside: Bool {
    let areDevices = resolved.hosts.dropFirst().allSatisfy { host in
      switch host.role {
      case .root, .peripheral: true
      case .engine, .other: false
      }
    }
    let listens = resolved.deviceKinds.contains {
      $0.quirks.contains(.reanswersOwnMulticast) || $0.quirks.contains(.answersNotify)
    }
    return areDevices && !listens
      && resolved.plan.hosts.dropFirst().allSatisfy { host in
        host.receiveBuffer == nil && host.interfaces.allSatisfy { !ServedPlan.remembers($0.inbound) }
      }
  }

  private static func remembers(_ rule: LinkRule) -> Bool {
    if rule.bandwidth != nil { return true }
    return [rule.loss, rule.multicastLoss ?? .none].contains { if case .gilbertElliott = $0 { true } else { false } }
  }

  /// The world with a gateway in the engine's place.
  func world(seed: Seed, gateway: Gateway) -> WorldPlan {
    var plan = Stage.plan(resolved, seed: seed, isServed: true) { $0.append(gateway) }
    // Nobody counts here: it runs until it is stopped.
    (plan.entriesMaximum, plan.eventsMaximum) = (.max, .max)
    return plan
  }

  // MARK: Addresses

  /// Everybody gets an address that the real network knows, and behind a shared one an alias of his own inside.
  private mutating func placeHosts() {
    for host in resolved.plan.hosts.indices.dropFirst() {
      for number in resolved.plan.hosts[host].interfaces.indices {
        let interface = resolved.plan.hosts[host].interfaces[number]
        guard let place = places[interface.segment] else { continue }
        if hasOwnAddresses {
          for address in interface.addresses {
            ServedPlan.add(address.address, to: &served[place])
            want(address.address, place)
          }
          continue
        }
        var addresses: [InterfaceAddress] = []
        var aliases: [InterfaceAddress] = []
        for planned in interface.addresses {
          guard let own = own(planned.address.family, place) else { continue }
          addresses.append(own)
          ServedPlan.add(own.address, to: &served[place])
          // Addresses that no network has: reserved for ever (RFC 1112), and for discarding (RFC 6666).
          let id = UInt64(host) << 3 | UInt64(number & 7)
          let alias =
            own.address.family == .v4
            ? IPAddress(v4: 0xF000_0000 | UInt32(truncatingIfNeeded: id) & 0x0FFF_FFFF)
            : IPAddress(v6High: 0x0100_0000_0000_0000, low: id)
          aliases.append(InterfaceAddress(alias, prefixBits: alias.family == .v4 ? 32 : 128))
          aliasLists[place].append(alias)
        }
        // Inhabitants go on speaking to each other by their names, where those cannot be somebody outside.
        let inner = interface.addresses.filter { planned in
          !real[place].contains { $0.address.sharesPrefix($0.prefixBits, with: planned.address) }
        }
        resolved.plan.hosts[host].interfaces[number].addresses = addresses + aliases + (addresses.isEmpty ? [] : inner)
      }
    }
    let hasMDNS = hasMDNS
    for place in served.indices {
      let families = Set(served[place].map(\.family))
      let interface = InterfaceID(UInt16(place))
      for family in [IPAddress.Family.v4, .v6] where families.contains(family) {
        groups.append((ServedPlan.deviceGroup(family), interface))
        if hasMDNS { groups.append((.mdns(family), interface)) }
      }
    }
    for host in responders {
      guard case .other(.mdnsResponder(var responder)) = resolved.hosts[host].role else { continue }
      // Aliases and addresses of the scenario reach nobody outside.
      let own = resolved.plan.hosts[host].interfaces.flatMap { interface in
        interface.addresses.map(\.address).filter { address in
          places[interface.segment].map { served[$0].contains(address) } ?? false
        }
      }
      responder.announcedAddresses = own
      resolved.hosts[host].role = .other(.mdnsResponder(responder))
    }
  }

  private static func add(_ address: IPAddress, to list: inout [IPAddress]) {
    if !list.contains(address) { list.append(address) }
  }

  private mutating func want(_ address: IPAddress, _ place: Int) {
    let wanted = Listener(endpoint: Endpoint(address, port: 0), interface: InterfaceID(UInt16(place)))
    let isThere = real[place].contains { $0.address == address }
    if !isThere, !wantedAddresses.contains(wanted) { wantedAddresses.append(wanted) }
  }

  private func own(_ family: IPAddress.Family, _ place: Int) -> InterfaceAddress? {
    let fitting = real[place].filter { $0.address.family == family }
    return fitting.first { family == .v6 && $0.address.isLinkLocal } ?? fitting.first
  }

  // MARK: What happens

  /// Who cannot be served stays away.
  private mutating func leaveOut() {
    let phones = resolved.hosts.indices.filter {
      if case .other(.phone) = resolved.hosts[$0].role { true } else { false }
    }
    if !phones.isEmpty { notes.append("phones are left out: they are there for applications of a test") }
    // Behind one address a session has no way to the right one of them.
    let peers = hasOwnAddresses ? [] : resolved.nearbyPeers
    if !peers.isEmpty { notes.append("nearby peers are left out: each needs an address of its own (--add-addresses)") }
    for host in phones + peers { resolved.hosts[host].appear = .never }
    leftOutCount = (phones + peers).count
    resolved.commands.removeAll { command in (phones + peers).contains(command.host) }
  }

  /// Leaves out what is the engine's, and what needs an address that nobody has.
  private mutating func filterTimeline() {
    let all = resolved.commands
    resolved.commands = all.filter { $0.host != 0 }
    // Its host is the gateway here, and stays where it is.
    let plannedFaults = resolved.faults.count
    resolved.faults.removeAll { if case .readdress(let host, _, _) = $0.fault { host == 0 } else { false } }
    if resolved.commands.count < all.count || resolved.faults.count < plannedFaults {
      notes.append("what the timeline asks of the engine is left out: the programs that search here are outside")
    }
    for command in resolved.commands {
      guard case .act(.move(let interface, let address)) = command.command else { continue }
      let interfaces = resolved.plan.hosts[command.host].interfaces
      guard Int(interface.number) < interfaces.count, let place = places[interfaces[Int(interface.number)].segment]
      else { continue }
      if hasOwnAddresses {
        ServedPlan.add(address, to: &served[place])
        want(address, place)
      }
    }
    if !hasOwnAddresses {
      let before = resolved.commands.count
      resolved.commands.removeAll { if case .act(.move) = $0.command { true } else { false } }
      if resolved.commands.count < before {
        notes.append("nobody moves to another address: all have the interface's (--add-addresses gives each his own)")
      }
    }
    let faults = resolved.faults.count
    resolved.faults.removeAll { entry in
      switch entry.fault {
      case .refuseJoins(let host, _), .refuseMulticastSends(let host, _): host == 0
      default: false
      }
    }
    if resolved.faults.count < faults {
      notes.append("refusals of the engine's own system are left out: the system of a real control point is its own")
    }
  }

  // MARK: Devices

  /// Behind one address two devices with the same port and path would be one: then paths begin with their names.
  private mutating func placeDevices() {
    let all = resolved.deviceKinds.map { $0.description.altered(by: $0.quirks) }
    var counts: [UInt16: Int] = [:]
    for device in resolved.devices {
      if case .root(let kind, _) = device.kind { counts[all[kind].port, default: 0] += 1 }
    }
    for number in resolved.devices.indices {
      let device = resolved.devices[number]
      guard case .root(let kindNumber, let uuid) = device.kind else { continue }
      var kind = resolved.deviceKinds[kindNumber]
      var description = all[kindNumber]
      if !hasOwnAddresses, counts[description.port] ?? 0 > 1 {
        kind.description.path = "/\(device.name)\(description.path.hasPrefix("/") ? "" : "/")\(description.path)"
        description = kind.description.altered(by: kind.quirks)
        resolved.devices[number].kind = .root(resolved.deviceKinds.count, uuid)
        resolved.deviceKinds.append(kind)
      }
      var ports = [description.port]
      if kind.quirks.contains(.twoLocations) { ports.append(description.port &+ 1) }
      for port in description.television.ports where !ports.contains(port) { ports.append(port) }
      for command in resolved.commands where command.host == device.host {
        if case .act(.relocate(let port)) = command.command, !ports.contains(port) { ports.append(port) }
      }
      let addresses = resolved.plan.hosts[device.host].interfaces.flatMap { interface in
        places[interface.segment].map { place in
          interface.addresses.map(\.address).filter { served[place].contains($0) }
        } ?? []
      }
      devices.append(
        Device(
          name: device.name, host: device.host, identity: device.identity, port: description.port,
          path: description.path, scheme: description.scheme,
          endpoints: addresses.map { Endpoint($0, port: description.port) }, ports: ports))
      if let port = description.searchPort { listen(device.host, port) }
    }
    for host in resolved.hosts.indices.dropFirst() { listen(host, 1_900) }
    for host in responders { listen(host, Endpoint.mdnsPort) }
    if hasOwnAddresses { for host in resolved.nearbyPeers { listen(host, PeerPlan.usualPort) } }
  }

  private mutating func listen(_ host: Int, _ port: UInt16) {
    for interface in resolved.plan.hosts[host].interfaces {
      guard let place = places[interface.segment] else { continue }
      for address in interface.addresses where served[place].contains(address.address) {
        let listener = Listener(
          endpoint: Endpoint(address.address, port: port), interface: InterfaceID(UInt16(place)))
        if hasOwnAddresses || !searchListeners.contains(listener) { searchListeners.append(listener) }
      }
    }
  }

  private mutating func listPages() {
    var known: Set<Listener> = []
    for (number, device) in devices.enumerated() {
      for port in device.ports {
        for (place, addresses) in served.enumerated() {
          for address in addresses where device.endpoints.contains(where: { $0.address == address }) {
            let listener = Listener(endpoint: Endpoint(address, port: port), interface: InterfaceID(UInt16(place)))
            if known.insert(listener).inserted { pageListeners.append(listener) }
            pages[
              PageKey(
                address: hasOwnAddresses ? address : nil, port: port, path: String(device.path.prefix { $0 != "?" }))] =
              number
          }
        }
      }
    }
  }

  private mutating func note() {
    let away = devices.filter(\.endpoints.isEmpty).map(\.name)
    if !away.isEmpty {
      let names = away.prefix(8).joined(separator: ", ") + (away.count > 8 ? " and \(away.count - 8) more" : "")
      notes.append("not reachable, since no -i stands for their segment or has an address of their family: \(names)")
    }
    if resolved.radio != nil { notes.append("peripherals are left out: no Bluetooth radio is served") }
    if devices.contains(where: { $0.scheme == "https" }) {
      notes.append("descriptions under https are not served")
    }
    if !resolved.expectations.isEmpty { notes.append("expectations are not judged: the engine is somebody else's") }
    if resolved.plan.hosts[0].interfaces.count < real.count {
      notes.append(
        "the scenario's engine has \(resolved.plan.hosts[0].interfaces.count) interfaces; further -i are idle")
    }
  }
}
