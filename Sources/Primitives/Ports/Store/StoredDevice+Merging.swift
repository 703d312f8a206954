/// Which devices are stored at all.
public enum DeviceStorePolicy: String, Hashable, Sendable, CaseIterable {
  /// Every device that was discovered, as the documentation of Connect SDK has it: "stores references to all discovered
  /// devices".
  case keepsDiscovered
  /// A device from its first connection on, as the code of Connect SDK for iOS does it.
  case connectedOnly

  /// Whether a device is taken in that is not stored yet.
  public func admits(_ device: StoredDevice) -> Bool {
    switch self {
    case .keepsDiscovered: true
    case .connectedOnly: device.lastConnectedUnixSeconds != nil
    }
  }
}

extension StoredDevice {
  /// Gives the services of a UUID to another device.
  /// - Parameters:
  ///   - id: of the other one.
  ///   - all: the UUIDs that it takes. Where nothing is left of this device in the end, its services know which one it was
  ///     (`StoredService.formerDeviceID`).
  /// - Returns: those services as a device of the other id: the application was connected to them when it was connected to
  ///   the whole.
  package mutating func handOver(_ uuid: StoredUUID, to id: String, taking all: [StoredUUID]) -> StoredDevice {
    let isWhole = uuids.allSatisfy { all.contains($0) }
    var moved = removeServices(uuid: uuid.text)
    for place in moved.indices {
      let former = moved[place].formerDeviceID ?? self.id
      moved[place].formerDeviceID = isWhole && former != id ? former : nil
    }
    return StoredDevice(id: id, lastConnectedUnixSeconds: lastConnectedUnixSeconds, services: moved)
  }

  /// How long a device is remembered that was never connected: three days, as in Connect SDK.
  public static let neverConnectedSecondsMaximum: Int64 = 3 * 86_400

  /// This device after `newer` was learnt about it. Nothing is forgotten: what `newer` does not say stays, services and
  /// keys of pairs too; the later of two times counts. The id stays.
  public func merging(_ newer: StoredDevice) -> StoredDevice {
    var merged = self
    if let name = newer.friendlyName { merged.friendlyName = name }
    if let name = newer.modelName { merged.modelName = name }
    if let name = newer.manufacturer { merged.manufacturer = name }
    let others = addresses.filter { !newer.addresses.contains($0) }
    merged.addresses = Array((newer.addresses + others).prefix(StoredBounds.addresses))
    merged.lastSeenUnixSeconds = later(lastSeenUnixSeconds, newer.lastSeenUnixSeconds)
    merged.lastConnectedUnixSeconds = later(lastConnectedUnixSeconds, newer.lastConnectedUnixSeconds)
    for service in newer.services {
      let old = services.first { !$0.precedes(service) && !service.precedes($0) }
      merged.put(old?.merging(service) ?? service)
    }
    return merged
  }

  /// Whether it was never connected, and was last seen more than three days ago, or nobody knows when.
  public func isStale(nowUnixSeconds now: Int64) -> Bool {
    guard lastConnectedUnixSeconds == nil else { return false }
    guard let seen = lastSeenUnixSeconds else { return true }
    return seen < StoredDevice.staleBeforeUnixSeconds(now: now)
  }

  /// A device that was never connected is forgotten where it was last seen before this time.
  public static func staleBeforeUnixSeconds(now: Int64) -> Int64 {
    let (limit, overflow) = now.subtractingReportingOverflow(neverConnectedSecondsMaximum)
    return overflow ? .min : limit
  }
}

extension StoredService {
  /// This service after `newer` was learnt about it.
  fileprivate func merging(_ newer: StoredService) -> StoredService {
    var merged = self
    merged.uuid = newer.uuid
    if let type = newer.serviceType { merged.serviceType = type }
    merged.description.merge(newer.description)
    merged.config.merge(newer.config)
    if let key = newer.pairingKey { merged.pairingKey = key }
    if let certificate = newer.certificate { merged.certificate = certificate }
    merged.lastSeenUnixSeconds = later(lastSeenUnixSeconds, newer.lastSeenUnixSeconds)
    if let id = newer.formerDeviceID { merged.formerDeviceID = id }
    return merged
  }
}

private func later(_ one: Int64?, _ other: Int64?) -> Int64? {
  guard let one, let other else { return one ?? other }
  return max(one, other)
}
