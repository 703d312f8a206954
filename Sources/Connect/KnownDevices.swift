import RollcallDoors
import RollcallPrimitives

/// What a manager knows of its devices beyond the network: what it looks for them by, what the store kept of them, and what
/// was learnt since of those that the application connected to or keeps something of.
final class KnownDevices: Sendable {
  private struct Memory {
    var registrations: [ServiceRegistration] = []
    /// By id.
    var known: [String: StoredDevice] = [:]
    /// What the application keeps of devices that it was not connected to since, by id: a store of connected devices takes one
    /// in with its first connection, and its user agrees before that.
    var waiting: [String: StoredDevice] = [:]
  }
  let store: (any ConnectableDeviceStore)?
  private let memory = Guarded(Memory())

  init(_ store: (any ConnectableDeviceStore)?) { self.store = store }

  /// A manager starts with this setup.
  /// - Returns: what it remembers of earlier launches, or where nothing is kept of this one; and why the store cannot say it.
  func begin(
    _ setup: DiscoverySetup, nowUnixSeconds now: Int64
  ) -> (remembered: [RememberedDevice], trouble: DeviceStoreTrouble?) {
    var kept: [StoredDevice]?
    var trouble: DeviceStoreTrouble?
    do throws(DeviceStoreTrouble) { kept = try store?.devices(nowUnixSeconds: now) } catch { trouble = error }
    let devices = memory.withLock { memory -> [StoredDevice] in
      memory.registrations = setup.registrations
      if let kept {
        memory.known.removeAll()
        for device in kept { memory.known[device.id] = device }
      }
      return memory.known.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
    return (StoredDevice.remembered(devices), trouble)
  }

  /// What a service is found by; `nil`: it was not looked for.
  func filter(of service: String) -> String? {
    memory.withLock { memory in memory.registrations.first { $0.id == service }?.filter }
  }

  /// What is kept under an id; `nil`: nothing.
  func device(_ id: String) -> StoredDevice? { memory.withLock { $0.known[id] } }

  /// Whether `save` takes each state of the device with this id; of others it takes only those that the application connected
  /// to or keeps something of.
  func keepsStates(of id: String) -> Bool { store != nil || device(id) != nil }

  func save(_ device: StoredDevice) throws(DeviceStoreTrouble) {
    let isConnected = device.lastConnectedUnixSeconds != nil
    let whole = memory.withLock { memory -> StoredDevice in
      // Others come from the network as they like.
      guard memory.known[device.id] != nil || device.hasOfApplication else { return device }
      memory.known[device.id] = memory.known[device.id]?.merging(device) ?? device
      let waiting = memory.waiting[device.id]
      if isConnected { return waiting?.limited(to: device).merging(device) ?? device }
      if device.hasOfApplication { memory.waiting[device.id] = waiting?.merging(device) ?? device }
      return device
    }
    try store?.save(whole)
    if isConnected { memory.withLock { $0.waiting[device.id] = nil } }
  }

  func noteSeen(_ ids: [String], nowUnixSeconds now: Int64) throws(DeviceStoreTrouble) {
    try store?.noteSeen(ids: ids, nowUnixSeconds: now)
  }
}

extension StoredDevice {
  /// Without the services that this other state of the device does not have.
  fileprivate func limited(to other: StoredDevice) -> StoredDevice {
    StoredDevice(
      id: id, services: services.filter { one in other.services.contains { !$0.precedes(one) && !one.precedes($0) } })
  }

  /// Whether the application connected to it, or keeps something of it.
  fileprivate var hasOfApplication: Bool {
    lastConnectedUnixSeconds != nil
      || services.contains { $0.pairingKey != nil || $0.certificate != nil || !$0.config.elements.isEmpty }
  }
}
