import Foundation
public import RollcallConnect
public import RollcallPrimitives
import RollcallStore

/// Devices in one file of SQLite: what was found and connected before, with ids, names, addresses, and services by UUID, each
/// with its description and config, pairing key and certificate.
///
///     let store = try DefaultConnectableDeviceStore()
///     let manager = DiscoveryManager.shared(withDeviceStore: store)
///
/// The file has mode 0600. It survives the end of the process at any moment, and two processes may use it at once. One that is
/// damaged is put away beside it under a number, and a fresh one takes its place (`keptFiles`). One of an earlier version of
/// this module is brought to the present one when it is opened, one of a later version is refused and left as it is.
public final class DefaultConnectableDeviceStore: ConnectableDeviceStore {
  /// Which devices are kept.
  public enum Policy: String, Hashable, Sendable, CaseIterable {
    /// Every device that was found, for three days after it was seen last; one that was connected for ever.
    case discovered
    /// Those that were connected.
    case connected
  }

  private let database: DeviceDatabase
  public let path: String

  /// - Parameters:
  ///   - path: the file; it and its folder are made where they are missing.
  ///   - policy: `discovered` is what the documentation of the Connect SDK says, `connected` is what it does.
  /// - Throws: what is wrong with the place, for people.
  public init(path: String, policy: Policy = .discovered) throws(DeviceStoreTrouble) {
    var options = DeviceDatabase.Options()
    options.policy = policy == .discovered ? .keepsDiscovered : .connectedOnly
    self.path = path
    database = try DefaultConnectableDeviceStore.doing { () throws(DeviceStoreError) in
      try DeviceDatabase(path: path, options: options)
    }
  }

  /// In the folder for the data of this user's applications, under the name of the process.
  public convenience init(policy: Policy = .discovered) throws(DeviceStoreTrouble) {
    try self.init(path: DefaultConnectableDeviceStore.standardPath, policy: policy)
  }

  /// The file of an application that names none.
  package static var standardPath: String {
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    let folder = folders.first ?? URL(fileURLWithPath: NSHomeDirectory())
    return folder.appendingPathComponent(ProcessInfo.processInfo.processName)
      .appendingPathComponent("devices.sqlite").path
  }

  /// Damaged files that were put away.
  public var keptFiles: [String] { database.keptFiles }

  public func devices(nowUnixSeconds now: Int64) throws(DeviceStoreTrouble) -> [StoredDevice] {
    try DefaultConnectableDeviceStore.doing { () throws(DeviceStoreError) in
      try database.prune(nowUnixSeconds: now)
      return try database.load()
    }
  }

  public func save(_ device: StoredDevice) throws(DeviceStoreTrouble) {
    try DefaultConnectableDeviceStore.doing { () throws(DeviceStoreError) in
      // What the manager says is how it is now: two devices that it takes for one are one, with the services of both.
      _ = try database.merge(device, takenServices: .moved)
    }
  }

  public func noteSeen(ids: [String], nowUnixSeconds now: Int64) throws(DeviceStoreTrouble) {
    try DefaultConnectableDeviceStore.doing { () throws(DeviceStoreError) in
      for id in ids {
        try database.update(id: id) { device in
          device.lastSeenUnixSeconds = max(device.lastSeenUnixSeconds ?? now, now)
        }
      }
    }
  }

  public func remove(id: String) throws(DeviceStoreTrouble) {
    try DefaultConnectableDeviceStore.doing { () throws(DeviceStoreError) in _ = try database.remove(id: id) }
  }

  public func removeAll() throws(DeviceStoreTrouble) {
    try DefaultConnectableDeviceStore.doing { () throws(DeviceStoreError) in _ = try database.removeAll() }
  }

  private static func doing<Value>(
    _ deed: () throws(DeviceStoreError) -> Value
  ) throws(DeviceStoreTrouble) -> Value {
    do { return try deed() } catch { throw DeviceStoreTrouble(error.description) }
  }
}
