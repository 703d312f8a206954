import RollcallDoors
public import RollcallPrimitives

/// One thing that a person can use, with all services by which an application can: one object for as long as its manager
/// knows it, with an id that stays the same when it comes back.
///
/// Its properties are what was told last; they change on the queue of the manager, before the delegate is called.
public final class ConnectableDevice: Identifiable, Hashable, Sendable {
  /// Given by the manager. It is the same for the same UUIDs, also after the application was started anew, if the manager
  /// has a store.
  public let id: String
  private let state: Guarded<ManagerReport.State>

  init(_ id: String, _ state: ManagerReport.State) { (self.id, self.state) = (id, Guarded(state)) }

  func update(_ new: ManagerReport.State) { state.withLock { $0 = new } }

  /// What people call it; `nil`: it did not say.
  public var friendlyName: String? { state.current.name }
  public var modelName: String? { state.current.model }
  public var manufacturer: String? { state.current.manufacturer }
  /// Where it is reached now, as text: `192.168.1.20`, or the address of its Bluetooth radio.
  public var address: String? { state.current.address?.description }
  /// The names of the services that it has, each once, in the order in which they came.
  public var serviceNames: [String] {
    var names: [String] = []
    for service in state.current.services where !names.contains(service.id) { names.append(service.id) }
    return names
  }
  public var services: [DeviceService] {
    state.current.services.map { DeviceService(name: $0.id, uuid: $0.owner) }
  }
  /// Everything that it can do by any of them, ordered by name.
  public var capabilities: [Capability] { state.current.capabilities }
  /// Why several devices of the network are this one, for a person who wonders.
  public var evidence: [String] { state.current.evidence }

  /// The service of this name; the first of several.
  public func service(named name: String) -> DeviceService? { services.first { $0.name == name } }

  /// Whether it can do this; `Any` forms are met by any capability of their group.
  public func hasCapability(_ capability: Capability) -> Bool {
    capabilities.contains { capability.isMet(by: $0) }
  }
  public func hasCapabilities(_ capabilities: [Capability]) -> Bool { capabilities.allSatisfy(hasCapability) }
  public func hasAnyCapability(of capabilities: [Capability]) -> Bool { capabilities.contains(where: hasCapability) }

  /// As a store keeps it.
  func stored(nowUnixSeconds now: Int64) -> StoredDevice {
    let state = state.current
    return StoredDevice(
      id: id, friendlyName: state.name, modelName: state.model, manufacturer: state.manufacturer,
      addresses: state.address.map { [$0.description] } ?? [], lastSeenUnixSeconds: now,
      services: state.services.map { StoredService(uuid: $0.owner, serviceID: $0.id) })
  }

  public static func == (left: ConnectableDevice, right: ConnectableDevice) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// One service of a device.
public struct DeviceService: Hashable, Sendable {
  /// Under which it was registered: `DLNA`.
  public var name: String
  /// Of the device or the part of it that offers the service, as the network has it: `uuid:…`, `ble:…`, `peer:…`.
  public var uuid: String
}
