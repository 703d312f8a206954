import RollcallDoors

// What the phone tells of the manager and its links, on the manager's queue. Events of a scan or link that is over are
// dropped here: they were on their way when it ended.
extension CentralCore {
  func handle(_ event: PhoneEvent, for manager: CBCentralManager) {
    switch event {
    case .state(let state): enter(state, manager)
    case .willRestore(let restored): restore(restored, manager)
    case .discovered(let discovery): discovered(discovery, manager)
    case .connected(let identifier, let link): connected(identifier, link, manager)
    case .failedToConnect(let identifier, let link, let error): failed(identifier, link, error, manager)
    case .disconnected(let identifier, let link, let error, let timestamp, let isReconnecting):
      disconnected(
        identifier, link, End(error: error, timestamp: timestamp, isReconnecting: isReconnecting), manager)
    case .connectionEvent(let known, let isConnected):
      guard link.state == .poweredOn else { return }
      let event: CBConnectionEvent = isConnected ? .peerConnected : .peerDisconnected
      manager.delegate?.centralManager(manager, connectionEventDidOccur: event, for: peripheral(known))
    case .ancsAuthorization(let identifier, let isAuthorized):
      guard let peripheral = held(identifier), peripheral.state == .connected else { return }
      peripheral.inner.withLock { $0.isAuthorizedForANCS = isAuthorized }
      manager.delegate?.centralManager(manager, didUpdateANCSAuthorizationFor: peripheral)
    case .services(let identifier, _), .includedServices(let identifier, _, _),
      .characteristics(let identifier, _, _), .descriptors(let identifier, _, _), .value(let identifier, _, _),
      .written(let identifier, _, _), .notifying(let identifier, _, _, _), .strength(let identifier, _),
      .servicesModified(let identifier, _), .nameChanged(let identifier, _), .readyToWrite(let identifier):
      // After the end of a connection nothing more is told of the peripheral.
      guard let peripheral = held(identifier), peripheral.state == .connected else { return }
      peripheral.receive(event)
    }
  }

  // MARK: State

  private func enter(_ state: CBManagerState, _ manager: CBCentralManager) {
    let isSaid = memory.withLock { memory in
      defer { memory.hasSaidState = true }
      return memory.hasSaidState
    }
    if isSaid, link.state == state { return }
    link.state = state
    var lost: [CBPeripheral] = []
    if state != .poweredOn {
      let before = allHeld
      memory.withLock { memory in
        memory.scan = nil
        guard state.rawValue < CBManagerState.poweredOff.rawValue else { return }
        memory.epoch += 1
        memory.peripherals = [:]
      }
      lost = before.filter(Self.drop)
    }
    manager.delegate?.centralManagerDidUpdateState(manager)
    guard link.phone?.tellsOfLinksLostWithPower == true else { return }
    for peripheral in lost {
      manager.delegate?.centralManager(
        manager, didDisconnectPeripheral: peripheral, timestamp: 0, isReconnecting: false,
        error: PhoneError.bluetooth(.peripheralDisconnected).asError)
    }
  }

  /// Ends what is between the application and a peripheral, without a word. True if there was a connection.
  private static func drop(_ peripheral: CBPeripheral) -> Bool {
    let state = peripheral.inner.withLock { inner in
      defer {
        inner.state = .disconnected
        inner.cancelled = []
      }
      return inner.state
    }
    peripheral.invalidateServices()
    return state == .connected
  }

  private func restore(_ restored: RestoredCentral, _ manager: CBCentralManager) {
    let isFirst = memory.withLock { !$0.hasSaidState }
    guard isFirst, restoreIdentifier != nil else {
      link.misused(
        .restoration, in: "centralManager(_:willRestoreState:)",
        "state is restored only before the first callback, for a manager with a restore identifier")
      return
    }
    var dict: [String: Any] = [:]
    let back = restored.peripherals.map { saved in  // ordered: an array
      let peripheral = peripheral(saved.known)
      peripheral.inner.withLock { inner in
        inner.state = saved.isConnected ? .connected : .connecting
        inner.link = saved.link
      }
      if saved.isConnected { peripheral.restore(saved.services) }
      return peripheral
    }
    if !back.isEmpty { dict[CBCentralManagerRestoredStatePeripheralsKey] = back }
    if let scan = restored.scan {
      memory.withLock { $0.scan = scan.number }
      if let services = scan.services { dict[CBCentralManagerRestoredStateScanServicesKey] = services.map(CBUUID.init) }
      let options = Self.options(of: scan)
      if !options.isEmpty { dict[CBCentralManagerRestoredStateScanOptionsKey] = options }
    }
    manager.delegate?.centralManager(manager, willRestoreState: dict)
  }

  private static func options(of scan: ScanRequest) -> [String: Any] {
    var options: [String: Any] = [:]
    if scan.allowsDuplicates { options[CBCentralManagerScanOptionAllowDuplicatesKey] = NSNumber(value: true) }
    if !scan.solicited.isEmpty {
      options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = scan.solicited.map(CBUUID.init)
    }
    return options
  }

  // MARK: Scans

  private func discovered(_ discovery: Discovery, _ manager: CBCentralManager) {
    guard link.state == .poweredOn, memory.withLock({ $0.scan }) == discovery.scan else { return }
    let peripheral = peripheral(KnownPeripheral(identifier: discovery.identifier))
    if let name = discovery.name { peripheral.inner.withLock { $0.name = name } }
    manager.delegate?.centralManager(
      manager, didDiscover: peripheral, advertisementData: discovery.advertisement.dictionary,
      rssi: NSNumber(value: discovery.strength))
  }

  // MARK: Links

  private func connected(_ identifier: UUID, _ link: Int, _ manager: CBCentralManager) {
    guard let peripheral = held(identifier) else { return }
    let isAwaited = peripheral.inner.withLock { inner in
      guard inner.state == .connecting, inner.link == link else { return false }
      inner.state = .connected
      return true
    }
    if isAwaited { manager.delegate?.centralManager(manager, didConnect: peripheral) }
  }

  private func failed(_ identifier: UUID, _ link: Int, _ error: PhoneError, _ manager: CBCentralManager) {
    guard let peripheral = held(identifier) else { return }
    let isAwaited = peripheral.inner.withLock { inner in
      guard inner.state == .connecting, inner.link == link else { return false }
      inner.state = .disconnected
      return true
    }
    guard isAwaited else { return }
    manager.delegate?.centralManager(manager, didFailToConnect: peripheral, error: error.asError)
  }

  private struct End {
    var error: PhoneError?
    var timestamp: CFAbsoluteTime
    var isReconnecting: Bool
  }

  private func disconnected(_ identifier: UUID, _ link: Int, _ end: End, _ manager: CBCentralManager) {
    guard let peripheral = held(identifier) else { return }
    let told = peripheral.inner.withLock { inner -> (wasCancelled: Bool, endsServices: Bool)? in
      if let index = inner.cancelled.firstIndex(of: link) {
        inner.cancelled.remove(at: index)
        // The application may have asked for another link since; that one is under way.
        if inner.link == link { inner.state = .disconnected }
        return (true, inner.state != .connected)
      }
      guard inner.link == link, inner.state == .connected else { return nil }
      inner.state = end.isReconnecting ? .connecting : .disconnected
      return (false, true)
    }
    guard let (wasCancelled, endsServices) = told else { return }
    if endsServices { peripheral.invalidateServices() }
    // Only a connection that the application ended itself ends without an error.
    let error = wasCancelled ? nil : (end.error ?? .bluetooth(.peripheralDisconnected)).asError
    manager.delegate?.centralManager(
      manager, didDisconnectPeripheral: peripheral, timestamp: end.timestamp,
      isReconnecting: wasCancelled ? false : end.isReconnecting, error: error)
  }
}

extension AdvertisedFields {
  /// The dictionary of a delegate: a key for each field that was on the air, and no other.
  var dictionary: [String: Any] {
    var made: [String: Any] = [:]
    made[CBAdvertisementDataLocalNameKey] = localName
    made[CBAdvertisementDataManufacturerDataKey] = manufacturerData.map { Data($0) }
    if !serviceData.isEmpty {
      let pairs = serviceData.map { (CBUUID($0.key), Data($0.value)) }
      made[CBAdvertisementDataServiceDataKey] = Dictionary(uniqueKeysWithValues: pairs)
    }
    if !services.isEmpty { made[CBAdvertisementDataServiceUUIDsKey] = services.map(CBUUID.init) }
    if !overflowServices.isEmpty {
      made[CBAdvertisementDataOverflowServiceUUIDsKey] = overflowServices.map(CBUUID.init)
    }
    if !solicitedServices.isEmpty {
      made[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicitedServices.map(CBUUID.init)
    }
    made[CBAdvertisementDataTxPowerLevelKey] = transmitPower.map { NSNumber(value: $0) }
    made[CBAdvertisementDataIsConnectable] = isConnectable.map { NSNumber(value: $0) }
    return made
  }
}
