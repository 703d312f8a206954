public import Foundation
import RollcallDoors
public import RollcallPrimitives

/// One thing that a person can use, with all services by which an application can: one object for as long as its manager
/// knows it, with an id that stays the same when it comes back.
///
/// Its properties are what was told last; they change on the queue of the manager, before a delegate is called.
public final class ConnectableDevice: Identifiable, Hashable, PickableDevice, @unchecked Sendable {
  private enum Connection { case none, connecting, ready }
  private struct Memory {
    var state: ManagerReport.State
    var seenUnixSeconds: Int64
    var connection = Connection.none
    weak var manager: DiscoveryManager?
    weak var delegate: (any ConnectableDeviceDelegate)?
    /// What is to be kept of its services since it was found: what its user typed, and what the application says.
    var kept = StoredDevice(id: "")

    mutating func keep(_ service: StoredService) { kept = kept.merging(StoredDevice(id: "", services: [service])) }
  }

  /// Given by the manager. It is the same for the same UUIDs, also after the application was started anew, if the manager
  /// has a store.
  public let id: String
  private let keeper: KnownDevices
  private let memory: Guarded<Memory>

  init(_ id: String, _ state: ManagerReport.State, of manager: DiscoveryManager, nowUnixSeconds now: Int64) {
    (self.id, keeper) = (id, manager.keeper)
    memory = Guarded(Memory(state: state, seenUnixSeconds: now, manager: manager))
  }

  func update(_ new: ManagerReport.State) { memory.withLock { $0.state = new } }
  func noteSeen(atUnixSeconds now: Int64) { memory.withLock { $0.seenUnixSeconds = now } }
  /// What is known of it.
  package var state: ManagerReport.State { memory.withLock { $0.state } }

  /// What people call it; `nil`: it did not say.
  public var friendlyName: String? { state.name }
  public var modelName: String? { state.model }
  public var manufacturer: String? { state.manufacturer }
  /// Where it is reached now, as text: `192.168.1.20`, or the address of its Bluetooth radio.
  public var address: String? { state.address?.description }
  /// When it was there last, by the wall clock: noted when it is found, with each change, each hour while it is there, and when
  /// it is lost.
  public var lastSeen: Date { Date(timeIntervalSince1970: TimeInterval(memory.withLock { $0.seenUnixSeconds })) }
  /// The names of the services that it has, each once, in the order in which they came.
  public var serviceNames: [String] {
    var names: [String] = []
    for service in state.services where !names.contains(service.id) { names.append(service.id) }
    return names
  }
  /// All of them, each with what is known of it now.
  public var services: [DeviceService] {
    let memory = memory.current
    let known = keeper.device(id)
    return memory.state.services.map { service in
      let description = description(of: service, memory.state)
      var config = ServiceConfig(uuid: description.uuid)
      for kept in [known, memory.kept] { if let kept = kept?.service(service) { config.take(kept) } }
      config.isConnected = memory.connection == .ready
      config.wasConnected = config.isConnected || known?.lastConnectedUnixSeconds != nil
      config.lastDetection = Date(timeIntervalSince1970: TimeInterval(memory.seenUnixSeconds))
      return DeviceService(
        name: service.id, uuid: service.owner, serviceDescription: description, serviceConfig: config)
    }
  }

  private func description(of service: ManagerReport.Service, _ state: ManagerReport.State) -> ServiceDescription {
    let part = state.parts.indices.contains(service.part) ? state.parts[service.part] : ManagerReport.Part()
    return ServiceDescription(service, of: part, filter: keeper.filter(of: service.id))
  }

  /// Keeps what the application has to remember of a service: `pairingKey`, `certificate` and `values` of the config. What is
  /// `nil` there, and values that it does not have, stay as they were. With a store it is there in later launches as well; a
  /// service that the engine pairs has a key that is kept so with the next start of discovery.
  /// - Parameter service: one of `services`; for any other nothing is kept.
  public func keep(_ config: ServiceConfig, of service: DeviceService) {
    let manager = memory.withLock { memory -> DiscoveryManager? in
      let own = memory.state.services.first { $0.id == service.name && $0.owner == service.uuid }
      guard let own else { return nil }
      memory.keep(config.stored(own))
      return memory.manager
    }
    manager?.keepLater(self)
  }

  /// Everything that it can do by any of them, ordered by name.
  public var capabilities: [Capability] { state.capabilities }
  /// Why several devices of the network are this one, for a person who wonders.
  public var evidence: [String] { state.evidence }

  /// The service of this name; the first of several.
  public func service(named name: String) -> DeviceService? { services.first { $0.name == name } }

  /// Whether it can do this; `Any` forms are met by any capability of their group.
  public func hasCapability(_ capability: Capability) -> Bool {
    capabilities.contains { capability.isMet(by: $0) }
  }
  public func hasCapabilities(_ capabilities: [Capability]) -> Bool { capabilities.allSatisfy(hasCapability) }
  public func hasAnyCapability(of capabilities: [Capability]) -> Bool { capabilities.contains(where: hasCapability) }

  // MARK: - Connecting

  /// Hears what becomes of the connection.
  public weak var delegate: (any ConnectableDeviceDelegate)? {
    get { memory.withLock { $0.delegate } }
    set { memory.withLock { $0.delegate = newValue } }
  }

  /// It is ready: between `connectableDeviceReady` and `connectableDeviceDisconnected`.
  public var isConnected: Bool { memory.withLock { $0.connection } == .ready }
  /// `connect` was called, and it is neither ready yet nor has it failed.
  public var isConnecting: Bool { memory.withLock { $0.connection } == .connecting }

  /// Connects to its services; what comes of it is told to the delegate. Which capabilities can be used then follows from
  /// the pairing level of the manager: a device that can do too little is not the one to connect to.
  public func connect() {
    let isNew = memory.withLock { memory in
      defer { if memory.connection == .none { memory.connection = .connecting } }
      return memory.connection == .none
    }
    if isNew { ask(.connect) }
  }

  /// Ends the connection, or the attempt.
  public func disconnect() { ask(.disconnect) }
  /// What the user typed, as `pairingRequiredOfType` asked for it.
  public func sendPairingKey(_ key: String) { ask(.pair(key: key)) }
  /// The user does not agree: the connection fails.
  public func cancelPairing() { ask(.cancelPairing) }

  /// Launches apps; `nil`: it can launch none.
  public var launcher: Launcher? { hasCapability(.any("Launcher")) ? Launcher(device: self) : nil }

  /// Launches web apps; `nil`: it can launch none.
  public var webAppLauncher: WebAppLauncher? {
    hasCapability(.any("WebAppLauncher")) ? WebAppLauncher(device: self) : nil
  }

  private func ask(_ command: DeviceCommand) {
    guard let manager = memory.withLock({ $0.manager }) else { return memory.withLock { $0.connection = .none } }
    manager.ask(command, of: self)
  }

  /// Asks for something about an app; one of the two is called, once.
  func ask(
    _ deed: AppRequest.Deed, _ failure: @escaping @Sendable (ConnectionFailure) -> Void,
    _ success: @escaping @Sendable (AppReport.Outcome) -> Void
  ) {
    ask(deed) { outcome in
      if case .failed(let error) = outcome { failure(error) } else { success(outcome) }
    }
  }

  private func ask(_ deed: AppRequest.Deed, _ answer: @escaping @Sendable (AppReport.Outcome) -> Void) {
    guard let manager = memory.withLock({ $0.manager }) else {
      return answer(.failed(ConnectionFailure(.noDevice, "the manager that found the device is gone")))
    }
    manager.ask(deed, of: self, answer)
  }

  /// A web app was launched or joined on it.
  func note(_ session: WebAppSession) { memory.withLock { $0.manager }?.webApps.note(session) }

  /// Something cannot be asked at all; that is answered on the queue of the manager as everything else.
  func refuse(_ failure: ConnectionFailure, _ answer: @escaping @Sendable (ConnectionFailure) -> Void) {
    guard let manager = memory.withLock({ $0.manager }) else { return answer(failure) }
    manager.later { answer(failure) }
  }

  // MARK: - On the queue of the manager

  /// Notes what became of the connection.
  /// - Returns: what is told of it; `nil`: nothing, since it was told already or means nothing to an application.
  func take(_ report: ConnectionReport) -> DiscoveryEvent? {
    let before = memory.withLock { memory in
      defer {
        switch report {
        case .ready: memory.connection = .ready
        case .disconnected, .failed: memory.connection = .none
        case .paired(let key):
          memory.keep(StoredService(uuid: key.owner, serviceID: key.service, pairingKey: Array(key.key.utf8)))
        case .pairingRequired: break
        }
      }
      return memory.connection
    }
    switch report {
    case .ready: return .ready(self)
    case .disconnected(.asked): return .disconnected(self, nil)
    case .disconnected(.deviceLost):
      if before == .none { return nil }
      return .disconnected(
        self, ConnectionFailure(.deviceLost, "the device is gone, or suits the application no more"))
    case .disconnected(.linkLost):
      return .disconnected(self, ConnectionFailure(.unreachable, "the connection to the device has ended"))
    case .failed(let error): return .connectionFailed(self, error)
    case .pairingRequired(let name, let kind): return service(named: name).map { .pairingRequired(self, $0, kind) }
    case .paired: return nil
    }
  }

  /// Tells the delegate of its connection, and of what it can do.
  func tell(_ event: DiscoveryEvent) {
    let delegate = delegate
    switch event {
    case .ready: delegate?.connectableDeviceReady(self)
    case .disconnected(_, let error): delegate?.connectableDeviceDisconnected(self, withError: error)
    case .connectionFailed(_, let error): delegate?.connectableDevice(self, connectionFailedWithError: error)
    case .pairingRequired(_, let service, let kind):
      delegate?.connectableDevice(self, service: service, pairingRequiredOfType: kind)
    case .capabilitiesChanged(_, let added, let removed):
      delegate?.connectableDevice(self, capabilitiesAdded: added, removed: removed)
    case .found, .lost, .updated, .failed, .webAppMessage, .webAppDisconnected: break
    }
  }

  /// The manager hears nothing more of it.
  func loseConnection() -> DiscoveryEvent? {
    isConnecting
      ? take(.failed(ConnectionFailure(.deviceLost, "the discovery was stopped"))) : take(.disconnected(.deviceLost))
  }

  /// Whether something is to be kept of its services since it was found.
  var hasSomethingToKeep: Bool { memory.withLock { !$0.kept.services.isEmpty } }

  /// As a store keeps it: what is known of it now, and of its keys those that are new.
  /// - Parameter isReady: whether the application has just been connected to it.
  func stored(isReady: Bool = false) -> StoredDevice {
    let memory = memory.current
    let (state, seen) = (memory.state, memory.seenUnixSeconds)
    let present = StoredDevice(id: id, state, nowUnixSeconds: seen, isReady: isReady) { service in
      let description = description(of: service, state)
      return StoredService(
        uuid: service.owner, serviceID: service.id, serviceType: description.serviceFilter,
        description: description.stored, lastSeenUnixSeconds: seen)
    }
    let kept = state.services.compactMap { memory.kept.service($0) }
    return present.merging(StoredDevice(id: id, services: kept))
  }

  public static func == (left: ConnectableDevice, right: ConnectableDevice) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension StoredDevice {
  /// What is kept of a service; `nil`: nothing.
  fileprivate func service(_ service: ManagerReport.Service) -> StoredService? {
    let name = StoredUUID(service.owner)
    return services.first { $0.serviceID == service.id && StoredUUID($0.uuid) == name }
  }
}
