/// Devices that an application remembers, in memory: the rules of a store without a file.
///
/// What a file does with the same calls (`DefaultConnectableDeviceStore`) comes to the same, which a test compares.
package struct DeviceShelf: Hashable, Sendable {
  /// The most that are kept; beyond it the one gives way that was never connected and was seen longest ago.
  package static let countMaximum = 256

  package let policy: DeviceStorePolicy
  /// Ordered by the bytes of their ids.
  package private(set) var devices: [StoredDevice] = []

  package init(_ policy: DeviceStorePolicy) { self.policy = policy }

  /// - Parameter devices: in any order; of two with one id the later one counts.
  package init(_ policy: DeviceStorePolicy, _ devices: [StoredDevice]) {
    self.init(policy)
    for device in devices { put(device) }
  }

  /// Keeps a device, or merges it with what is kept of it; a UUID that belonged to another one moves here.
  /// - Returns: why it is not kept; `nil`: it is, or the policy does not take it in.
  package mutating func save(_ device: StoredDevice) -> StoredFault? {
    if let fault = device.fault { return fault }
    let old = index(of: device)
    // A part of a device that is kept is kept as a device of its own, too.
    guard old != nil || policy.admits(device) || owners(of: device).contains(where: { policy.admits(devices[$0]) })
    else { return nil }
    var merged = old.map { devices[$0].merging(device) } ?? device
    let known = old.map { devices[$0].uuids } ?? []
    let id = merged.id
    let new = merged.uuids.filter { !known.contains($0) }
    let before = devices
    for uuid in new {
      guard let owner = devices.firstIndex(where: { $0.id != id && $0.uuids.contains(uuid) }) else { continue }
      merged = devices[owner].handOver(uuid, to: id, taking: new).merging(merged)
      // Nothing is left to know it by.
      if devices[owner].services.isEmpty { devices.remove(at: owner) }
    }
    if let fault = merged.fault {
      devices = before
      return fault
    }
    put(merged)
    makeRoom(besides: id)
    return nil
  }

  /// The device with this id, or else one that has no other UUIDs than those of this device: it was a part of it.
  private func index(of device: StoredDevice) -> Int? {
    if let index = devices.firstIndex(where: { $0.id == device.id }) { return index }
    let uuids = device.uuids
    for uuid in uuids {
      let owner = devices.firstIndex { $0.uuids.contains(uuid) }
      if let owner, devices[owner].uuids.allSatisfy({ uuids.contains($0) }) { return owner }
    }
    return nil
  }

  /// The devices that have UUIDs of this one.
  private func owners(of device: StoredDevice) -> [Int] {
    device.uuids.compactMap { uuid in devices.firstIndex { $0.uuids.contains(uuid) } }
  }

  private mutating func put(_ device: StoredDevice) {
    let place = devices.firstIndex { !$0.id.utf8.lexicographicallyPrecedes(device.id.utf8) } ?? devices.endIndex
    if place < devices.endIndex, devices[place].id == device.id {
      devices[place] = device
    } else {
      devices.insert(device, at: place)
    }
  }

  private mutating func makeRoom(besides id: String) {
    guard devices.count > DeviceShelf.countMaximum else { return }
    func rank(_ device: StoredDevice) -> (Int, Int64) {
      (device.lastConnectedUnixSeconds == nil ? 0 : 1, device.lastSeenUnixSeconds ?? .min)
    }
    let places = devices.indices.filter { devices[$0].id != id }
    if let place = places.min(by: { rank(devices[$0]) < rank(devices[$1]) }) { devices.remove(at: place) }
  }

  /// These are there, or were until now. What is not kept is not kept afterwards either.
  package mutating func noteSeen(ids: [String], nowUnixSeconds now: Int64) {
    for place in devices.indices where ids.contains(devices[place].id) {
      devices[place].lastSeenUnixSeconds = max(devices[place].lastSeenUnixSeconds ?? now, now)
    }
  }

  package mutating func remove(id: String) { devices.removeAll { $0.id == id } }
  package mutating func removeAll() { devices = [] }

  /// Forgets those that were never connected, and last seen more than three days ago.
  package mutating func prune(nowUnixSeconds now: Int64) { devices.removeAll { $0.isStale(nowUnixSeconds: now) } }
}
