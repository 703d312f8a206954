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
    self.init(id: id, state, nowUnixSeconds: now, isReady: isReady) { service in
      let key = keys.last { $0.owner == service.owner && $0.service == service.id }
      var stored = StoredService(
        uuid: service.owner, serviceID: service.id, pairingKey: key.map { Array($0.key.utf8) })
      if state.parts.indices.contains(service.part) {
        stored.description[StoredService.uuidKey] = state.parts[service.part].uuid
      }
      return stored
    }
  }

  /// The same with other things that are to be kept of its services.
  ///
  /// What a device says of itself must not keep it from being kept: texts that are too long are left out, and so are
  /// services beyond the most that are kept. By what it is known again has to fit (`fault`).
  package init(
    id: String, _ state: ManagerReport.State, nowUnixSeconds now: Int64, isReady: Bool,
    stored: (ManagerReport.Service) -> StoredService
  ) {
    func fits(_ text: String) -> Bool { text.utf8.count <= StoredBounds.nameBytes }
    func fitting(_ text: String?) -> String? { text.flatMap { fits($0) ? $0 : nil } }
    let services = state.services.prefix(StoredBounds.services).map { offered in
      var service = stored(offered)
      service.description = StoredPairs(unique: service.description.elements.filter { fits($0.value) })
      return service
    }
    self.init(
      id: id, friendlyName: fitting(state.name), modelName: fitting(state.model),
      manufacturer: fitting(state.manufacturer), addresses: state.address.map { [$0.description] } ?? [],
      lastSeenUnixSeconds: now, lastConnectedUnixSeconds: isReady ? now : nil, services: services)
  }

  /// What a manager takes from a store: first which devices there were before some of them became one, so that what is
  /// said next counts.
  package static func remembered(_ devices: [StoredDevice]) -> [RememberedDevice] {
    let former = devices.flatMap { device in
      device.services.compactMap { service in
        service.formerDeviceID.map { RememberedDevice(id: $0, owners: service.owners) }
      }
    }
    return former + devices.map(\.remembered)
  }

  /// By what it is known again, and with which keys.
  private var remembered: RememberedDevice {
    RememberedDevice(
      id: id, owners: services.flatMap(\.owners),
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

extension StoredService {
  /// Under which its description has the UUID that it says of itself.
  package static let uuidKey = "UUID"

  /// Under which names it is known: its own, and the UUID that it says of itself.
  fileprivate var owners: [String] {
    guard let said = description[StoredService.uuidKey], said != uuid, uuid.uuidOfName == nil else { return [uuid] }
    return [uuid, "uuid:" + said]
  }
}
