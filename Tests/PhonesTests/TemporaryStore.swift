import Foundation
import RollcallConnect
import RollcallConnectStore

/// Stores for tests, in folders that are removed behind them.
enum TemporaryStore {
  /// Runs with the path of a store that is not there yet.
  static func withPath(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("devices.sqlite").path)
  }

  /// Runs with an empty store.
  static func with(
    policy: DefaultConnectableDeviceStore.Policy = .discovered, _ body: (any ConnectableDeviceStore) throws -> Void
  ) throws {
    try withPath { try body(try DefaultConnectableDeviceStore(path: $0, policy: policy)) }
  }
}
