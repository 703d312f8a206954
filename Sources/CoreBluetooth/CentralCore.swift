import RollcallDoors

/// What is behind one central manager: its peripherals, its scan, and the door that the phone pushes into.
final class CentralCore: PhoneDoor, @unchecked Sendable {
  struct Memory {
    /// The number of the scan that goes on.
    var scan: Int?
    var scans = 0
    var links = 0
    /// How often all peripherals became invalid.
    var epoch = 0
    /// One object for each identifier, as long as the application holds it.
    var peripherals: [UUID: Weakly<CBPeripheral>] = [:]
    var hasSaidState = false
  }

  let link: ManagerLink
  let memory = Guarded(Memory())
  let restoreIdentifier: String?
  /// Set once, by the initialiser of the manager. The application owns the manager, nobody else.
  weak var manager: CBCentralManager?

  init(phone: (any VirtualPhone)?, queue: DispatchQueue?, restoreIdentifier: String?) {
    link = ManagerLink(phone: phone, queue: queue)
    self.restoreIdentifier = restoreIdentifier
  }

  func begin(_ setup: ManagerSetup) {
    guard let phone = link.phone else {
      link.misused(.noPhone, in: "CBCentralManager.init(delegate:queue:options:)", "no virtual phone is attached")
      link.begin(nil)
      push(.state(.unsupported))
      return
    }
    link.begin(phone.attach(self, as: setup))
  }

  func push(_ event: PhoneEvent) {
    link.run { [self] in
      if let manager { handle(event, for: manager) }
    }
  }

  /// An answer that needs no phone, in the order of the others.
  func later(_ body: @escaping @Sendable (CBCentralManager) -> Void) {
    link.answer { [self] in
      if let manager { body(manager) }
    }
  }

  func request(_ request: PhoneRequest) {
    guard let (phone, number) = link.reach() else { return }
    phone.perform(request, for: number)
  }

  // MARK: Peripherals

  /// The object for an identifier, if the application holds one.
  func held(_ identifier: UUID) -> CBPeripheral? {
    memory.withLock { $0.peripherals[identifier]?.object }
  }

  func peripheral(_ known: KnownPeripheral) -> CBPeripheral {
    memory.withLock { memory in
      if let held = memory.peripherals[known.identifier]?.object { return held }
      let peripheral = CBPeripheral(core: self, epoch: memory.epoch, known: known)
      memory.peripherals[known.identifier] = Weakly(peripheral)
      return peripheral
    }
  }

  /// All that the application holds, in an order that does not depend on hashes.
  var allHeld: [CBPeripheral] {
    let entries = memory.withLock { $0.peripherals }
    return entries.sorted { $0.key.uuidString < $1.key.uuidString }.compactMap(\.value.object)
  }

  /// Whether the peripheral is one of this manager's, and still valid.
  func accepts(_ peripheral: CBPeripheral, in call: String) -> Bool {
    guard peripheral.core === self else {
      link.misused(.foreignPeripheral, in: call, "the peripheral belongs to another manager")
      return false
    }
    guard peripheral.epoch == memory.withLock({ $0.epoch }) else {
      link.misused(.invalidPeripheral, in: call, "the peripheral has to be retrieved or discovered again")
      return false
    }
    return true
  }

  /// The last reference has gone: what was under way for it ends.
  func dropped(_ identifier: UUID, epoch: Int, state: CBPeripheralState, link number: Int) {
    _ = memory.withLock { $0.peripherals.removeGone(identifier) }
    guard memory.withLock({ $0.epoch == epoch }), link.state == .poweredOn, link.number != nil else { return }
    guard state == .connecting || state == .connected else { return }
    link.misused(.unusedPeripheral, in: "CBPeripheral.deinit", "nobody holds it, so its connection is cancelled")
    request(.cancelConnection(identifier, link: number))
  }

  // MARK: Scans

  func startScan(services: [CBUUID]?, options: [String: Any]?) {
    let number = memory.withLock { memory in
      memory.scans += 1
      memory.scan = memory.scans
      return memory.scans
    }
    let services = services?.map(\.attribute) ?? []
    let solicited = options?[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] as? [CBUUID] ?? []
    request(
      .startScan(
        ScanRequest(
          number: number, services: services.isEmpty ? nil : services, solicited: solicited.map(\.attribute),
          allowsDuplicates: isSet(CBCentralManagerScanOptionAllowDuplicatesKey, in: options))))
  }

  func stopScan() {
    let number = memory.withLock { memory in
      defer { memory.scan = nil }
      return memory.scan
    }
    if let number { request(.stopScan(number)) }
  }

  // MARK: Connections

  func connect(_ peripheral: CBPeripheral, options: [String: Any]?) {
    let number = memory.withLock { memory in
      memory.links += 1
      return memory.links
    }
    let before = peripheral.inner.withLock { inner in
      let before = inner.state
      if before == .disconnected || before == .disconnecting {
        inner.state = .connecting
        inner.link = number
      }
      return before
    }
    switch before {
    case .disconnected, .disconnecting:
      request(.connect(peripheral.identifier, link: number, Self.connectOptions(options)))
    case .connecting:
      // The attempt that is under way goes on.
      break
    case .connected:
      let carried = Carried(peripheral)
      later { manager in
        guard carried.value.state == .connected else { return }
        manager.delegate?.centralManager(manager, didConnect: carried.value)
      }
    }
  }

  func cancel(_ peripheral: CBPeripheral) {
    let link: Int? = peripheral.inner.withLock { inner in
      guard inner.state == .connecting || inner.state == .connected else { return nil }
      inner.state = .disconnecting
      inner.cancelled.append(inner.link)
      return inner.link
    }
    if let link { request(.cancelConnection(peripheral.identifier, link: link)) }
  }

  private static func connectOptions(_ options: [String: Any]?) -> ConnectOptions {
    var made = ConnectOptions()
    made.startDelay = (options?[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    made.reconnects = isSet(CBConnectPeripheralOptionEnableAutoReconnect, in: options)
    made.requiresANCS = isSet(CBConnectPeripheralOptionRequiresANCS, in: options)
    made.bridgesTransports = isSet(CBConnectPeripheralOptionEnableTransportBridgingKey, in: options)
    made.tellsOfConnection = isSet(CBConnectPeripheralOptionNotifyOnConnectionKey, in: options)
    made.tellsOfDisconnection = isSet(CBConnectPeripheralOptionNotifyOnDisconnectionKey, in: options)
    made.tellsOfNotifications = isSet(CBConnectPeripheralOptionNotifyOnNotificationKey, in: options)
    return made
  }
}

/// Whether an option is there and true.
func isSet(_ key: String, in options: [String: Any]?, otherwise: Bool = false) -> Bool {
  (options?[key] as? NSNumber)?.boolValue ?? otherwise
}
