import RollcallDoors
public import RollcallPrimitives

/// Finds devices by a protocol of the application's own, beside those that the engine speaks.
///
/// Its devices offer what is registered under the provider `application`, are one with others by UUID, or by name and address, and
/// are filtered, told, remembered and connected as all others are.
public protocol DiscoveryProvider: AnyObject, Sendable {
  /// The manager starts: what is found is reported to `sink`, until `stopDiscovery`.
  func startDiscovery(reportingTo sink: DiscoveryProviderSink)
  /// The manager stops; what was reported is gone.
  func stopDiscovery()
  /// The application wants it to look again at once.
  func rescan()
}

extension DiscoveryProvider {
  public func rescan() {}
}

/// Where a provider reports what it finds, from any thread; in a virtual world from the queue of the manager.
public final class DiscoveryProviderSink: Sendable {
  private struct Memory {
    weak var manager: DiscoveryManager?
    /// Ids of devices that were reported and are not gone, in order.
    var ids: [String] = []
    var isClosed = false
  }
  private let memory: Guarded<Memory>

  init(_ manager: DiscoveryManager) { memory = Guarded(Memory(manager: manager)) }

  /// A device is there, or is as it says now.
  /// - Returns: `false`: it breaks a bound of `ProvidedDevice`, and the manager tells its delegate which one.
  @discardableResult public func found(_ device: ProvidedDevice) -> Bool {
    let manager = memory.withLock { memory -> DiscoveryManager? in
      guard !memory.isClosed else { return nil }
      let isKnown = memory.ids.contains { isSameDevice($0, device.id) }
      if device.complaint == nil, !isKnown { memory.ids.append(device.id) }
      return memory.manager
    }
    if let complaint = device.complaint {
      manager?.failLater(DiscoveryError(.provider, complaint))
      return false
    }
    manager?.ask(.provide(device))
    return true
  }

  /// A device is gone.
  public func lost(id: String) {
    let manager = memory.withLock { memory -> DiscoveryManager? in
      guard !memory.isClosed, memory.ids.contains(where: { isSameDevice($0, id) }) else { return nil }
      memory.ids.removeAll { isSameDevice($0, id) }
      return memory.manager
    }
    manager?.ask(.withdraw(id))
  }

  /// The provider cannot do what it should; the delegate is told.
  public func failed(_ explanation: String) {
    memory.withLock { $0.isClosed ? nil : $0.manager }?.failLater(DiscoveryError(.provider, explanation))
  }

  /// Nothing is reported any more.
  /// - Returns: the devices that are there.
  func close() -> [String] {
    memory.withLock { memory in
      memory.isClosed = true
      defer { memory.ids = [] }
      return memory.ids
    }
  }
}
