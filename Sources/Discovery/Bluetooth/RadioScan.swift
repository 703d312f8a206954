package import RollcallPrimitives
import RollcallWire

/// When the radio listens for peripherals, and which of them count.
///
/// It listens while it is on and the user allows it: always where the owner of the engine wants that, else while
/// services are sought. Then only peripherals count that advertise one of them: a controller cannot choose by that.
struct RadioScan: Sendable {
  /// As the owner of the engine has it, whatever is sought; `nil`: it does not listen for that owner.
  private let always: ScanPolicy?
  private let faults: BluetoothFaults
  /// Those that are sought, each once.
  private var services: [BluetoothUUID] = []
  /// Whether peripherals may be asked for more while services are sought.
  private var asks = true
  private var power = PowerState.unknown
  private var permission = PermissionState.allowed
  /// How it listens now; `nil`: it does not.
  private(set) var current: ScanPolicy?
  /// Why nothing is found now, as it was told last.
  private var told: Failure.Reason?

  init(_ always: ScanPolicy?, faults: BluetoothFaults) { (self.always, self.faults) = (always, faults) }

  /// Whether it listens for the sake of services alone.
  var isSelective: Bool { always == nil && !services.isEmpty && !faults.contains(.unsoughtFound) }

  /// Whether a peripheral that says this counts.
  func wants(_ fields: AdvertisedFields) -> Bool {
    !isSelective || fields.services.contains { services.contains($0) }
  }

  /// Seeks these from the start; before the first signal.
  mutating func begin(seeking services: [BluetoothUUID], asks: Bool) {
    self.services = []
    for service in services where !self.services.contains(service) { self.services.append(service) }
    self.asks = asks
  }

  /// Seeks these from now on, and no others.
  mutating func seek(_ services: [BluetoothUUID], asks: Bool, into outbox: inout Outbox) {
    begin(seeking: services, asks: asks)
    update(into: &outbox)
  }

  mutating func take(_ power: PowerState, into outbox: inout Outbox) {
    self.power = power
    // A scan ends with the radio (CB-04).
    current = nil
    update(into: &outbox)
  }

  mutating func take(_ permission: PermissionState, into outbox: inout Outbox) {
    self.permission = permission
    update(into: &outbox)
  }

  /// It listens no more.
  mutating func stop(into outbox: inout Outbox) {
    if always != nil || current != nil { outbox.want(RadioEffect.stopScan) }
    (services, current, told) = ([], nil, nil)
  }

  private mutating func update(into outbox: inout Outbox) {
    let isUsable = power == .on && permission == .allowed
    let sought = services.isEmpty ? nil : ScanPolicy(asks ? .active : .passive)
    let wanted = isUsable ? always ?? sought : nil
    if wanted != current {
      current = wanted
      let effect: RadioEffect = wanted?.effect ?? .stopScan
      outbox.want(effect)
    }
    let obstacle = services.isEmpty ? nil : self.obstacle
    if obstacle?.reason == told { return }
    told = obstacle?.reason
    if let obstacle, !faults.contains(.failureSilent) { outbox.report(.failed(obstacle)) }
  }

  /// Why no peripheral can be found; `nil`: nothing is known that stands in the way.
  private var obstacle: Failure? {
    let sought = "services are looked for over Bluetooth, "
    if power == .unsupported {
      return Failure(
        reason: .noBluetooth,
        explanation: sought + "and this host has no radio for it: what other protocols find is told as before")
    }
    switch permission {
    case .allowed: break
    case .denied, .restricted:
      return Failure(
        reason: .bluetoothNotAllowed,
        explanation: sought + "and this application may not use it: its user can allow that in the system's settings")
    case .undetermined:
      return Failure(
        reason: .bluetoothNotAllowed,
        explanation: sought + "and the user was not asked yet whether this application may use it")
    }
    guard power == .off else { return nil }
    return Failure(
      reason: .bluetoothOff,
      explanation: sought + "and it is switched off: peripherals are found when it is switched on")
  }
}

extension ScanPolicy {
  /// What a machine wants of its radio.
  package var effect: RadioEffect { .scan(window: window, interval: interval, isActive: mode == .active) }
}
