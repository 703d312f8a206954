import RollcallDoors

/// What is behind one peripheral manager: its services with their handles, the centrals, and the door.
final class PeripheralManagerCore: PeripheralRoleDoor, @unchecked Sendable {
  struct Memory {
    var isAdvertising = false
    var wantsToAdvertise = false
    var services: [CBMutableService] = []
    var characteristics: [UInt16: CBMutableCharacteristic] = [:]
    var centrals: [UUID: CBCentral] = [:]
    /// The first that no published service has.
    var freeHandle = 1
    var hasSaidState = false
  }

  let link: ManagerLink
  let memory = Guarded(Memory())
  let restoreIdentifier: String?
  /// Set once, by the initialiser of the manager. The application owns the manager, nobody else.
  weak var manager: CBPeripheralManager?

  private var phone: (any PeripheralRolePhone)? { link.phone as? any PeripheralRolePhone }

  init(phone: (any VirtualPhone)?, queue: DispatchQueue?, restoreIdentifier: String?) {
    link = ManagerLink(phone: phone, queue: queue)
    self.restoreIdentifier = restoreIdentifier
  }

  func begin(_ setup: ManagerSetup) {
    if let phone { return link.begin(phone.attach(self, as: setup)) }
    if link.phone == nil {
      link.misused(.noPhone, in: "CBPeripheralManager.init(delegate:queue:options:)", "no virtual phone is attached")
    }
    link.begin(nil)
    push(.state(.unsupported))
  }

  func push(_ event: PeripheralRoleEvent) {
    link.run { [self] in
      if let manager { handle(event, for: manager) }
    }
  }

  /// An answer that needs no phone, in the order of the others.
  func later(_ body: @escaping @Sendable (CBPeripheralManager) -> Void) {
    link.answer { [self] in
      if let manager { body(manager) }
    }
  }

  func request(_ request: PeripheralRoleRequest) {
    guard let phone, let (_, number) = link.reach() else { return }
    phone.perform(request, for: number)
  }

  func update(_ characteristic: UInt16, _ bytes: [UInt8], to centrals: [UUID]?) -> Bool {
    guard let phone, let (_, number) = link.reach() else { return false }
    return phone.update(characteristic, bytes, to: centrals, for: number)
  }

  // MARK: Advertising

  func startAdvertising(_ data: [String: Any]) {
    let call = "startAdvertising(_:)"
    let allowed = [CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey]
    for key in data.keys.sorted() where !allowed.contains(key) {
      link.misused(.notPublishable, in: call, "\(key) is not advertised")
    }
    let isUnderWay = memory.withLock { memory in
      defer { memory.wantsToAdvertise = true }
      return memory.wantsToAdvertise
    }
    if isUnderWay {
      return later { manager in
        let error = PhoneError.bluetooth(.alreadyAdvertising).asError
        manager.delegate?.peripheralManagerDidStartAdvertising(manager, error: error)
      }
    }
    let services = data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] ?? []
    request(
      .advertise(
        AdvertisedIdentity(
          localName: data[CBAdvertisementDataLocalNameKey] as? String, services: services.map(\.attribute))))
  }

  // MARK: Services

  func add(_ service: CBMutableService) {
    guard service.handle == nil else {
      return link.misused(.notPublishable, in: "add(_:)", "\(service.uuid) is published already")
    }
    for characteristic in service.characteristics ?? []
    where characteristic.value != nil && characteristic.properties != .read {
      return link.misused(
        .notPublishable, in: "add(_:)", "\(characteristic.uuid) has a value of its own, so it can only be read")
    }
    let published: PublishedService? = memory.withLock { memory in
      let next = memory.freeHandle + PublishedService.handleCount(of: service)
      guard next <= 0x1_0000, let first = UInt16(exactly: memory.freeHandle) else { return nil }
      let published = PublishedService(service, from: first)
      memory.freeHandle = next
      keep(service, published, in: &memory)
      return published
    }
    if let published { return request(.publish(published)) }
    let carried = Carried(service)
    later { manager in
      let error = PhoneError.bluetooth(.outOfSpace).asError
      manager.delegate?.peripheralManager(manager, didAdd: carried.value, error: error)
    }
  }

  /// Puts the handles into the objects, and the objects where events find them.
  private func keep(_ service: CBMutableService, _ published: PublishedService, in memory: inout Memory) {
    service.place.withLock { $0 = CBAttribute.Place(handle: published.handles.lowerBound) }
    memory.services.append(service)
    for (object, found) in zip(service.characteristics ?? [], published.characteristics) {
      object.place.withLock { $0 = CBAttribute.Place(handle: found.handle) }
      guard let object = object as? CBMutableCharacteristic else { continue }
      object.offer.withLock { $0.subscribers = [] }
      memory.characteristics[found.handle] = object
    }
  }

  func remove(_ service: CBMutableService) {
    guard let handle = service.handle, memory.withLock({ $0.services.contains { $0 === service } }) else {
      return link.misused(.invalidAttribute, in: "remove(_:)", "\(service.uuid) is not published")
    }
    memory.withLock { forget(service, in: &$0) }
    request(.withdraw(handle))
  }

  func removeAll() {
    forgetAll()
    request(.withdrawAll)
  }

  func forgetAll() {
    memory.withLock { memory in
      for service in memory.services { forget(service, in: &memory) }
    }
  }

  private func forget(_ service: CBMutableService, in memory: inout Memory) {
    memory.services.removeAll { $0 === service }
    service.place.withLock { $0 = CBAttribute.Place() }
    for characteristic in service.characteristics ?? [] {
      if let handle = characteristic.handle { memory.characteristics[handle] = nil }
      characteristic.place.withLock { $0 = CBAttribute.Place() }
      (characteristic as? CBMutableCharacteristic)?.offer.withLock { $0.subscribers = nil }
    }
  }

  func restore(_ published: [PublishedService]) -> [CBMutableService] {
    memory.withLock { memory in
      published.map { found in
        let service = CBMutableService(found)
        keep(service, found, in: &memory)
        memory.freeHandle = max(memory.freeHandle, Int(found.handles.upperBound) + 1)
        return service
      }
    }
  }

  func central(_ known: ConnectedCentral) -> CBCentral {
    memory.withLock { memory in
      if let central = memory.centrals[known.identifier] {
        central.grow(to: known.maximumUpdateLength)
        return central
      }
      let central = CBCentral(identifier: known.identifier, maximumUpdateValueLength: known.maximumUpdateLength)
      memory.centrals[known.identifier] = central
      return central
    }
  }
}
