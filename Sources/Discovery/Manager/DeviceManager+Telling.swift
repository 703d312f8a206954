package import RollcallPrimitives

// What the application is told.
extension DeviceManager {
  /// What devices with the same services have in common.
  struct Combination {
    var capabilities: [Capability]
    var isSuitable: Bool
  }

  /// Devices that suit the application, in the order in which they were made.
  package var compatibleDevices: [(id: String, state: ManagerReport.State)] {
    all.filter(\.isTold).map { ($0.id, $0.state) }
  }
  /// All that were made of what is found, in that order.
  package var allDevices: [(id: String, state: ManagerReport.State)] { all.map { ($0.id, $0.state) } }

  private var all: [ManagedDevice] { devices.compactMap { $0 }.sorted { $0.number < $1.number } }

  /// How the device of these members is now, and whether one that can do that suits the application.
  mutating func state(of component: Component) -> (ManagerReport.State, isSuitable: Bool) {
    var state = ManagerReport.State()
    for place in component.members {
      // A part that two members describe is one.
      for var service in members[Int(place)].services
      where component.stands(for: service)
        && !state.services.contains(where: { $0.id == service.id && isSameDevice($0.owner, service.owner) })
      {
        service.part = state.members.count
        state.services.append(service)
      }
      let part = members[Int(place)].part
      state.members.append(members[Int(place)].name)
      state.parts.append(part)
      if state.name == nil { state.name = part.name }
      if state.model == nil { state.model = part.model }
      if state.manufacturer == nil { state.manufacturer = part.manufacturer }
      guard let address = part.address else { continue }
      // One of the network tells a person more than that of a radio.
      if state.address == nil || address.isOfNetwork && state.address?.isOfNetwork == false { state.address = address }
    }
    let combined = combination(state.services.map(\.id))
    (state.capabilities, state.evidence) = (combined.capabilities, component.evidence)
    return (state, combined.isSuitable)
  }

  private mutating func combination(_ ids: [String]) -> Combination {
    if let known = combinations[ids] { return known }
    var capabilities: [Capability] = []
    for id in ids {
      guard let registration = configuration.registrations.first(where: { $0.id == id }) else { continue }
      capabilities += registration.capabilities(at: configuration.pairingLevel)
    }
    capabilities.sort()
    var distinct: [Capability] = []
    for capability in capabilities where capability != distinct.last { distinct.append(capability) }
    let made = Combination(capabilities: distinct, isSuitable: isSuitable(distinct))
    // As many as there are kinds of devices; somebody who forges more of them is paid in time.
    if combinations.count < 1_024 { combinations[ids] = made }
    return made
  }

  private func isSuitable(_ capabilities: [Capability]) -> Bool {
    let filters = configuration.filters
    if filters.isEmpty { return true }
    if isOn(.allFiltersNeeded) { return filters.allSatisfy { $0.isMet(by: capabilities) } }
    if isOn(.oneCapabilitySuffices) {
      return filters.contains { filter in
        filter.capabilities.contains { CapabilityFilter([$0]).isMet(by: capabilities) }
      }
    }
    return filters.contains { $0.isMet(by: capabilities) }
  }

  /// A device is like this now.
  /// - Parameter isSuitable: whether one that can do that suits the application.
  mutating func show(
    _ device: UInt32, _ state: ManagerReport.State, isSuitable: Bool, at now: Instant, into outbox: inout Outbox
  ) {
    guard let before = devices[Int(device)] else { return }
    devices[Int(device)]?.state = state
    let isChanged = before.state != state
    if isChanged { changeCount &+= 1 }
    let isShown = isSuitable && (isRunning || isOn(.toldInBackground))
    switch (before.isTold, isShown) {
    case (false, false):
      guard isOn(.unfoundLost), isRunning, !before.state.members.isEmpty, isChanged else { break }
      outbox.report(.managed(ManagerReport(before.id, .lost, state)))
    case (false, true):
      devices[Int(device)]?.isTold = true
      devices[Int(device)]?.isKnown = true
      outbox.report(.managed(ManagerReport(before.id, .found(isKnown: before.isKnown), state)))
    case (true, false):
      if isOn(.unsuitableKept), isRunning { return }
      devices[Int(device)]?.isTold = false
      outbox.report(.managed(ManagerReport(before.id, .lost, state)))
      endConnection(of: before, at: now, into: &outbox)
    case (true, true):
      if !isChanged { return }
      if before.state.capabilities != state.capabilities {
        let (old, new) = (before.state.capabilities, state.capabilities)
        let event = ManagerReport.Event.capabilities(
          added: DeviceManager.difference(new, old), removed: DeviceManager.difference(old, new))
        outbox.report(.managed(ManagerReport(before.id, event, state)))
      }
      outbox.report(.managed(ManagerReport(before.id, .updated, state)))
    }
  }

  /// Those of the first that are not among the others; both are in order.
  private static func difference(_ some: [Capability], _ others: [Capability]) -> [Capability] {
    var place = 0
    return some.filter { one in
      while place < others.count, others[place] < one { place += 1 }
      return place == others.count || others[place] != one
    }
  }

  /// Nothing is left of a device.
  mutating func remove(_ device: UInt32, at now: Instant, into outbox: inout Outbox) {
    guard let gone = devices[Int(device)] else { return }
    devices[Int(device)] = nil
    freeDevices.append(device)
    idsInUse.remove(gone.id)
    changeCount &+= 1
    guard gone.isTold else { return }
    let event: ManagerReport.Event = isOn(.lastServiceKept) ? .updated : .lost
    outbox.report(.managed(ManagerReport(gone.id, event, gone.state)))
    endConnection(of: gone, at: now, into: &outbox)
  }

  /// What is different for each device under other filters: losses first.
  mutating func tellAll(at now: Instant, into outbox: inout Outbox) {
    let order = devices.indices.filter { devices[$0] != nil }
      .sorted { (devices[$0]?.number ?? 0) < (devices[$1]?.number ?? 0) }
    var gained: [(index: Int, state: ManagerReport.State)] = []
    for index in order {
      guard var state = devices[index]?.state else { continue }
      let combined = combination(state.services.map(\.id))
      state.capabilities = combined.capabilities
      if isRunning && combined.isSuitable && devices[index]?.isTold == false {
        gained.append((index, state))
      } else {
        show(UInt32(index), state, isSuitable: combined.isSuitable, at: now, into: &outbox)
      }
    }
    for (index, state) in gained { show(UInt32(index), state, isSuitable: true, at: now, into: &outbox) }
  }
}

extension DeviceAddress {
  fileprivate var isOfNetwork: Bool { if case .ip = self { true } else { false } }
}
