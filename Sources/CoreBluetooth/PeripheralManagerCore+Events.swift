import RollcallDoors

// What the phone tells of the peripheral role, on the manager's queue.
extension PeripheralManagerCore {
  func handle(_ event: PeripheralRoleEvent, for manager: CBPeripheralManager) {
    switch event {
    case .state(let state): enter(state, manager)
    case .willRestore(let services, let advertised): restored(services, advertised, manager)
    case .published(let handle, let error):
      guard let service = memory.withLock({ $0.services.first { $0.handle == handle } }) else { return }
      manager.delegate?.peripheralManager(manager, didAdd: service, error: error?.asError)
    case .advertising(let error):
      memory.withLock { memory in
        memory.isAdvertising = error == nil && memory.wantsToAdvertise
        memory.wantsToAdvertise = memory.isAdvertising
      }
      manager.delegate?.peripheralManagerDidStartAdvertising(manager, error: error?.asError)
    case .subscribed(let known, let handle): subscribed(known, handle, manager)
    case .unsubscribed(let known, let handle): unsubscribed(known, handle, manager)
    case .read(let number, let known, let handle, let offset):
      guard let characteristic = characteristic(handle) else { return }
      manager.delegate?.peripheralManager(
        manager,
        didReceiveRead: CBATTRequest(
          number: number, central: central(known), characteristic: characteristic, offset: offset, value: nil))
    case .write(let number, let known, let parts): written(number, known, parts, manager)
    case .readyToUpdate: manager.delegate?.peripheralManagerIsReady(toUpdateSubscribers: manager)
    }
  }

  private func characteristic(_ handle: UInt16) -> CBMutableCharacteristic? {
    memory.withLock { $0.characteristics[handle] }
  }

  private func enter(_ state: CBManagerState, _ manager: CBPeripheralManager) {
    let isSaid = memory.withLock { memory in
      defer { memory.hasSaidState = true }
      return memory.hasSaidState
    }
    if isSaid, link.state == state { return }
    link.state = state
    if state != .poweredOn {
      memory.withLock { memory in
        memory.isAdvertising = false
        memory.wantsToAdvertise = false
        memory.centrals = [:]
        for characteristic in memory.characteristics.values { characteristic.offer.withLock { $0.subscribers = [] } }
      }
      // Below off what was published is gone as well.
      if state.rawValue < CBManagerState.poweredOff.rawValue { forgetAll() }
    }
    manager.delegate?.peripheralManagerDidUpdateState(manager)
  }

  private func restored(
    _ services: [PublishedService], _ advertised: AdvertisedIdentity?, _ manager: CBPeripheralManager
  ) {
    guard restoreIdentifier != nil, !memory.withLock({ $0.hasSaidState }) else {
      link.misused(
        .restoration, in: "peripheralManager(_:willRestoreState:)",
        "state is restored only before the first callback, for a manager with a restore identifier")
      return
    }
    var dict: [String: Any] = [:]
    let objects = restore(services)
    if !objects.isEmpty { dict[CBPeripheralManagerRestoredStateServicesKey] = objects }
    if let advertised {
      memory.withLock { memory in
        memory.isAdvertising = true
        memory.wantsToAdvertise = true
      }
      var data: [String: Any] = [:]
      data[CBAdvertisementDataLocalNameKey] = advertised.localName
      if !advertised.services.isEmpty {
        data[CBAdvertisementDataServiceUUIDsKey] = advertised.services.map(CBUUID.init)
      }
      dict[CBPeripheralManagerRestoredStateAdvertisementDataKey] = data
    }
    manager.delegate?.peripheralManager(manager, willRestoreState: dict)
  }

  private func subscribed(_ known: ConnectedCentral, _ handle: UInt16, _ manager: CBPeripheralManager) {
    guard let characteristic = characteristic(handle) else { return }
    let central = central(known)
    characteristic.offer.withLock { offer in
      guard offer.subscribers?.contains(where: { $0 === central }) != true else { return }
      offer.subscribers = (offer.subscribers ?? []) + [central]
    }
    manager.delegate?.peripheralManager(manager, central: central, didSubscribeTo: characteristic)
  }

  private func unsubscribed(_ known: ConnectedCentral, _ handle: UInt16, _ manager: CBPeripheralManager) {
    guard let characteristic = characteristic(handle) else { return }
    let central = central(known)
    characteristic.offer.withLock { $0.subscribers?.removeAll { $0 === central } }
    manager.delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
  }

  private func written(
    _ number: Int, _ known: ConnectedCentral, _ parts: [WrittenPart], _ manager: CBPeripheralManager
  ) {
    let central = central(known)
    var requests: [CBATTRequest] = []
    for part in parts {
      guard let characteristic = characteristic(part.characteristic) else { continue }
      requests.append(
        CBATTRequest(
          number: requests.isEmpty ? number : nil, central: central, characteristic: characteristic,
          offset: part.offset, value: Data(part.bytes)))
    }
    if !requests.isEmpty { manager.delegate?.peripheralManager(manager, didReceiveWrite: requests) }
  }
}
