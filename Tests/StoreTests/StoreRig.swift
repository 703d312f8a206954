import Foundation
import RollcallPrimitives
import RollcallStore
import Testing

/// A folder of its own for a test, removed afterwards.
func withFolder<Result>(
  in parent: URL = FileManager.default.temporaryDirectory, _ body: (URL) throws -> Result
) throws -> Result {
  let folder = parent.appendingPathComponent("rollcall-store-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}

/// The same with the path of a store in it, which is not there yet.
func withStorePath<Result>(_ body: (String) throws -> Result) throws -> Result {
  try withFolder { try body($0.appendingPathComponent("devices.sqlite").path) }
}

/// Names and bytes of all regular files of a folder.
func contents(of folder: URL) throws -> [String: [UInt8]] {
  var files: [String: [UInt8]] = [:]
  for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
    files[name] = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }
  return files
}

/// The permissions of a file: 0o600.
func mode(of path: String) throws -> Int {
  try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
}

/// What a call threw.
func failure(_ body: () throws -> Void) -> DeviceStoreError? {
  do { try body() } catch { return error as? DeviceStoreError }
  return nil
}

/// A small device with one service.
func television(
  _ id: String = "tv", uuid: String = "2fac1234-31f8-11b4-a222-08002b34c003", seen: Int64? = nil,
  connected: Int64? = nil
) -> StoredDevice {
  StoredDevice(
    id: id, friendlyName: "Television", addresses: ["192.168.1.20"], lastSeenUnixSeconds: seen,
    lastConnectedUnixSeconds: connected, services: [StoredService(uuid: uuid, serviceID: "DLNA")])
}

/// `rollcall-store-sample` in a process of its own.
struct SampleProcess {
  static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("rollcall-store-sample").path

  private let process = Process()
  private let reader: FileHandle
  private var text: [UInt8] = []

  /// - Parameter shell: a script that a shell runs with the program and its words as `"$@"`.
  init(_ words: [String], shell: String? = nil) throws {
    let pipe = Pipe()
    reader = pipe.fileHandleForReading
    process.executableURL = URL(fileURLWithPath: shell == nil ? SampleProcess.path : "/bin/sh")
    process.arguments = (shell.map { ["-c", $0, "sh", SampleProcess.path] } ?? []) + words
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    try? pipe.fileHandleForWriting.close()
  }

  /// Lines that are whole.
  var lines: [String] {
    String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }

  /// Waits for so many lines, or for the end.
  mutating func read(lines count: Int) {
    while lines.count < count {
      let more = reader.availableData
      if more.isEmpty { return }
      text += more
    }
  }

  /// Ends it as `kill -9` does, and reads what it had printed until then.
  mutating func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    finish()
  }

  /// Waits for its end.
  @discardableResult mutating func finish() -> Int32 {
    read(lines: .max)
    process.waitUntilExit()
    return process.terminationStatus
  }
}
