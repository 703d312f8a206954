import RollcallDevices
import RollcallDiscovery
package import RollcallPrimitives
import RollcallWire

extension WorldBuilder {
  /// The services that a host has from the start, as an engine reports them as long as nobody else has their names.
  func services(_ section: MDNSResponderSection, named name: String, host: Int) -> [ResolvedDevice] {
    section.services.compactMap { service in
      guard let found = try? ServiceInstanceName(service.instance, service.type) else { return nil }
      return ResolvedDevice(
        name: section.services.count == 1 ? name : "\(name) \(found.instance)", host: host, kind: .service(service),
        identity: "peer:\(found.domainName)")
    }
  }
}

extension Resolved {
  /// Those of the devices that an engine is to find at this time: of services only those that it browses.
  ///
  /// A service that had to take another name is not known to have a subtype.
  package func sought(_ devices: [String], at time: Instant) -> [String] {
    guard devices.contains(where: { ProviderID(ofDevice: $0) == .peers }) else { return devices }
    let browses = browses(at: time)
    return devices.filter { ProviderID(ofDevice: $0) != .peers || isSought($0, browses) }
  }

  /// What the engine browses, by its configuration and the timeline.
  private func browses(at time: Instant) -> [ServiceBrowse] {
    var browses = scenario.engine.configuration.browse
    for command in commands where command.host == 0 && command.at <= time {
      switch command.command {
      case .browse(let browse): browses.append(browse)
      case .stopBrowsing(let browse): browses.removeAll { $0 == browse }
      default: break
      }
    }
    return browses
  }

  private func isSought(_ identity: String, _ browses: [ServiceBrowse]) -> Bool {
    guard let domainName = DNSName(String(identity.dropFirst(5))), let name = try? ServiceInstanceName(domainName)
    else { return false }
    return browses.contains { browse in
      guard case .type(let text) = browse else { return true }
      guard let browsed = BrowsedType(text), browsed.type == name.type.domainName else { return false }
      if browsed.name == browsed.type { return true }
      return devices.contains { device in
        guard case .service(let service) = device.kind, isSameDevice(device.identity, identity) else { return false }
        return service.subtypes.contains { (try? service.type.name(ofSubtype: $0)) == browsed.name }
      }
    }
  }
}
