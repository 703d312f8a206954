// What a manager tells of a device, as a store keeps it, and what it takes from there.
extension StoredDevice {
  /// A device as it is now.
  /// - Parameters:
  ///   - keys: what its user typed; of two for one service the later one counts.
  ///   - isReady: whether the application has just been connected to it.
  package init(
    id: String, _ state: ManagerReport.State, keys: [RememberedKey] = [], nowUnixSeconds now: Int64,
    isReady: Bool = false
  ) {
    self.init(
      id: id, friendlyName: state.name, modelName: state.model, manufacturer: state.manufacturer,
      addresses: state.address.map { [$0.description] } ?? [], lastSeenUnixSeconds: now,
      lastConnectedUnixSeconds: isReady ? now : nil,
      services: state.services.map { service in
        let key = keys.last { $0.owner == service.owner && $0.service == service.id }
        return StoredService(
          uuid: service.owner, serviceID: service.id, pairingKey: key.map { Array($0.key.utf8) })
      })
  }

  /// By what it is known again, and with which keys.
  package var remembered: RememberedDevice {
    RememberedDevice(
      id: id, owners: services.map(\.uuid),
      keys: services.compactMap { service in
        guard let key = service.pairingKey.flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
        return RememberedKey(owner: service.uuid, service: service.serviceID, key: key)
      })
  }

  /// What is known of it before it is found.
  package var state: ManagerReport.State {
    var owners: [String] = []
    for service in services where owners.last != service.uuid { owners.append(service.uuid) }
    return ManagerReport.State(
      name: friendlyName, model: modelName, manufacturer: manufacturer,
      address: addresses.first.flatMap { DeviceAddress($0) },
      services: services.map { ManagerReport.Service(id: $0.serviceID, owner: $0.uuid) }, members: owners)
  }
}
