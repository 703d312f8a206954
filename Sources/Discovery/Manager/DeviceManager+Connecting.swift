package import RollcallPrimitives

// Connections to devices, which are told as everything else is.
extension DeviceManager {
  /// The id of a device that the application was told of, by this id or a name that it has.
  package func id(of name: String) -> String? { device(called: name)?.id }

  private func device(called name: String) -> ManagedDevice? {
    devices.first { $0?.isTold == true && $0?.isCalled(name) == true } ?? nil
  }

  /// Does something with one device, by its id or a name that it has.
  mutating func take(_ command: DeviceCommand, of name: String, at now: Instant, into outbox: inout Outbox) {
    guard let one = device(called: name) else {
      connections.take(command, of: name, nil, at: now, into: &outbox)
      return tellConnections(into: &outbox)
    }
    connections.take(command, of: one.id, services(of: one), at: now, into: &outbox)
    tellConnections(into: &outbox)
  }

  package mutating func receive(_ signal: StreamSignal, at now: Instant, into outbox: inout Outbox) {
    connections.receive(signal, at: now, into: &outbox)
    tellConnections(into: &outbox)
  }

  package mutating func advanceConnections(to now: Instant, into outbox: inout Outbox) {
    if connections.deadline > now { return }
    connections.advance(to: now, into: &outbox)
    tellConnections(into: &outbox)
  }

  /// The application was told that a device is gone.
  mutating func endConnection(of device: ManagedDevice, at now: Instant, into outbox: inout Outbox) {
    connections.lose(device.id, at: now, into: &outbox)
    for news in connections.takeNews() {
      outbox.report(.managed(ManagerReport(news.id, news.event, device.state)))
    }
  }

  private mutating func tellConnections(into outbox: inout Outbox) {
    for news in connections.takeNews() {
      // One of which nothing is known has no other name than the one that was asked for.
      let state = devices.first { $0?.id == news.id }??.state ?? ManagerReport.State(members: [news.id])
      if news.event.isUnanswered { unreached += state.members }
      outbox.report(.managed(ManagerReport(news.id, news.event, state)))
    }
  }

  /// The devices of the directory that the application could not reach since the last call: all that are one with the
  /// device that it wanted.
  package mutating func takeUnreached() -> [String] {
    defer { unreached.removeAll() }
    return unreached
  }

  /// Its services, as a connection reaches them.
  private func services(of device: ManagedDevice) -> [ReachableService] {
    let level = configuration.connectionFaults.contains(.pairsUnasked) ? .on : configuration.pairingLevel
    return device.state.services.compactMap { service in
      guard let registration = configuration.registrations.first(where: { $0.id == service.id }) else { return nil }
      for place in device.members {
        let member = members[Int(place)]
        guard member.offers(service), let source = member.heardAddress,
          let interface = member.sighting.locator.interface
        else { continue }
        return ReachableService(
          id: service.id, owner: service.owner, pairing: registration.pairing(at: level),
          control: registration.control, source: source, interface: interface,
          applicationURL: member.described?.applicationURL, announcedHost: member.announcedHost)
      }
      return nil
    }
  }
}

extension ManagedDevice {
  /// Whether this is its id, or one of the names that it has in the directory.
  fileprivate func isCalled(_ name: String) -> Bool {
    id == name || state.members.contains { isSameDevice($0, name) }
      || state.services.contains { isSameDevice($0.owner, name) }
  }
}

extension ServiceRegistration {
  fileprivate var control: ServiceControl? {
    switch filter {
    case ServiceRegistration.dial.filter: .dial
    case ServiceRegistration.webOS.filter: .webOS
    default: nil
    }
  }

  /// How its user has to agree at this level.
  fileprivate func pairing(at level: PairingLevel) -> PairingKind {
    switch level {
    case .off: .none
    case .protected: capabilities.isEmpty ? pairing : .none
    case .on: pairing
    }
  }
}
