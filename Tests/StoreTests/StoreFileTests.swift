import Foundation
import GRDB
import RollcallExpectations
import RollcallPrimitives
import RollcallStore
import Testing
import rollcall_store_sample

@Suite("The file of a store") struct StoreFileTests {
  @Test("the file and its journal are for the user alone, also where they were not before")
  func modes() throws {
    try withStorePath { path in
      do {
        let store = try DeviceDatabase(path: path)
        try store.merge(television())
        for ending in ["", "-wal", "-shm"] { expectEqual(try mode(of: path + ending), 0o600, "\(ending)") }
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let store = try DeviceDatabase(path: path)
      expectEqual(try store.load(), [television()])
      for ending in ["", "-wal", "-shm"] { expectEqual(try mode(of: path + ending), 0o600, "\(ending)") }
    }
  }

  @Test("folders that are missing are made for the user alone; those that are there stay as they are")
  func folders() throws {
    try withFolder { folder in
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      let path = folder.appendingPathComponent("a/b/devices.sqlite").path
      try DeviceDatabase(path: path).merge(television())
      expectEqual(try mode(of: folder.path), 0o755)
      expectEqual(try mode(of: folder.path + "/a"), 0o700)
      expectEqual(try mode(of: folder.path + "/a/b"), 0o700)
    }
  }

  @Test("the journal is a write-ahead log, and what is deleted is overwritten")
  func settings() throws {
    try withStorePath { path in
      try DeviceDatabase(path: path).merge(television())
      // The versions in the header: 2 is WAL.
      expectEqual(Array([UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))[18...19]), [2, 2])
    }
  }

  @Test("a link, a folder, a device, a pipe or no name is refused and not touched")
  func notFiles() throws {
    try withFolder { folder in
      let target = folder.appendingPathComponent("target").path
      try Data("mine".utf8).write(to: URL(fileURLWithPath: target))
      func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
      try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: target)
      try FileManager.default.createSymbolicLink(atPath: path("dangling"), withDestinationPath: path("nothing"))
      try FileManager.default.createDirectory(atPath: path("folder"), withIntermediateDirectories: false)
      try #require(mkfifo(path("pipe"), 0o600) == 0)
      try FileManager.default.createSymbolicLink(atPath: path("devices-wal"), withDestinationPath: target)
      let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      for (place, found) in [
        (path("link"), "a symbolic link"), (path("dangling"), "a symbolic link"), (path("folder"), "a folder"),
        (path("pipe"), "a pipe"), ("/dev/null", "a device"),
      ] {
        expectEqual(failure { _ = try DeviceDatabase(path: place) }, .notAFile(path: place, found: found))
      }
      expectEqual(
        failure { _ = try DeviceDatabase(path: path("devices")) },
        .notAFile(path: path("devices-wal"), found: "a symbolic link"))
      for name in ["", folder.path + "/", "a\u{0}b"] {
        expectEqual(
          failure { _ = try DeviceDatabase(path: name) }, .notAFile(path: name, found: "no name of a file"))
      }
      expectEqual(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(), before)
      expectEqual([UInt8](try Data(contentsOf: URL(fileURLWithPath: target))), Array("mine".utf8))
    }
  }

  @Test("a folder in which nothing can be made is an error that says so")
  func denied() throws {
    try withFolder { folder in
      let file = folder.appendingPathComponent("file").path
      try Data().write(to: URL(fileURLWithPath: file))
      expectEqual(
        failure { _ = try DeviceDatabase(path: file + "/devices.sqlite") },
        .denied(path: file, reason: "Not a directory"))
      // No process may make a file there, whoever it belongs to.
      #if os(Linux)
        expectEqual(
          failure { _ = try DeviceDatabase(path: "/proc/devices.sqlite") },
          .denied(path: "/proc/devices.sqlite", reason: "No such file or directory"))
      #endif
    }
  }

  @Test("a store of a later version is refused, and its file stays as it is")
  func newer() throws {
    try withStorePath { path in
      try DeviceDatabase(path: path).merge(television())
      try change(path) { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('7'); DROP TABLE service_uuid") }
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .newer(path: path, found: 7, known: 2))
      expectEqual(try Data(contentsOf: URL(fileURLWithPath: path)), before)
      // A version that is no number was not written by us, but by somebody after us.
      try change(path) { try $0.execute(sql: "UPDATE grdb_migrations SET identifier = 'x' WHERE identifier = '7'") }
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .newer(path: path, found: .max, known: 2))
    }
  }

  @Test("a store that has grown to its bound takes no more, and keeps what it has")
  func pageBound() throws {
    try withStorePath { path in
      var options = DeviceDatabase.Options()
      options.pagesMaximum = 40
      let store = try DeviceDatabase(path: path, options: options)
      var stored: [StoredDevice] = []
      var refusal: DeviceStoreError?
      for number in 0..<1_000 where refusal == nil {
        let device = SampleDevices.device(number, at: number)
        refusal = failure { try store.merge(device) }
        if refusal == nil { stored.append(device) }
      }
      expectEqual(refusal, .full(path: path))
      #expect(stored.count > 20)
      expectEqual(Set(try store.load()), Set(stored))
      // Devices that are removed leave room for others.
      for number in 0..<12 { try store.remove(id: "device-\(number)") }
      stored.removeFirst(12)
      stored.append(SampleDevices.device(0, at: 0))
      try store.merge(stored[stored.count - 1])
      store.close()
      expectEqual(Set(try DeviceDatabase(path: path).load()), Set(stored))
    }
  }

  @Test("a device for which there is no room within the bound is not stored, nor is a part of it; a smaller one is")
  func noRoom() throws {
    try withStorePath { path in
      var options = DeviceDatabase.Options()
      // A new store has seven pages, and a certificate of this size takes sixteen more.
      options.pagesMaximum = 20
      let store = try DeviceDatabase(path: path, options: options)
      let certificate = [UInt8](repeating: 7, count: 65_536)
      let large = StoredDevice(
        id: "large", services: [StoredService(uuid: "large", serviceID: "DLNA", certificate: certificate)])
      expectEqual(failure { try store.merge(large) }, .full(path: path))
      expectEqual(try store.load(), [])
      expectEqual(try store.merge(television()), television())
      expectEqual(try store.load(), [television()])
    }
  }

  /// Whether a file system can be mounted here, for this test alone.
  static let canMount: Bool = {
    var probe = try? SampleProcess([], shell: "unshare -m mount -t tmpfs none /mnt 2>/dev/null && echo yes")
    probe?.finish()
    return probe?.lines == ["yes"]
  }()

  /// Runs a script as root in a mount namespace of its own, with a file system in memory at the folder.
  private func lines(_ options: String, at folder: URL, _ script: String) throws -> [String] {
    let mount = "mount -t tmpfs -o \(options) none '\(folder.path)'"
    var process = try SampleProcess([], shell: "exec unshare -m sh -c \"\(mount) && \(script)\" sh \"$@\"")
    process.finish()
    return process.lines
  }

  @Test(
    "on a disk that is full a store says so, and what was stored before is there",
    .enabled(if: StoreFileTests.canMount, "it needs root and a mount namespace"))
  func fullDisk() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let script = "\\\"\\$1\\\" fill '\(path)' 2000; \\\"\\$1\\\" show '\(path)' | wc -l"
      let lines = try lines("size=600k", at: folder, script)
      expectEqual(lines.count, 3, "\(lines)")
      let stored = try #require(lines.first.flatMap { Int($0) })
      #expect(stored > 20 && stored < 2_000)
      expectEqual(Array(lines.dropFirst()), ["failed: \(DeviceStoreError.full(path: path))", String(stored)])
    }
  }

  @Test(
    "without room for a folder, or for a new store, the error names what could not be made, and nothing is left",
    .enabled(if: StoreFileTests.canMount, "it needs root and a mount namespace"))
  func noRoomToBegin() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      expectEqual(
        try lines("size=1m,nr_inodes=1", at: folder, "\\\"\\$1\\\" show '\(folder.path)/a/b/devices.sqlite'"),
        ["failed: \(DeviceStoreError.full(path: folder.path + "/a"))"])
      expectEqual(
        try lines("size=8k", at: folder, "\\\"\\$1\\\" show '\(path)'; ls -A '\(folder.path)'"),
        ["failed: \(DeviceStoreError.full(path: path))"])
    }
  }

  @Test(
    "where a file without a name cannot be had, a new store is made under another name, of which nothing is left",
    .enabled(if: StoreFileTests.canMount, "it needs root and a mount namespace"))
  func named() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let words = "exec \\\"\\$1\\\" fill \\\"\\$2\\\" 2"
      // A process for which its open files have no names.
      let fill = "sh -c 'mount -t tmpfs none /proc/\\$\\$/fd && \(words)' sh \\\"\\$1\\\" '\(path)'"
      let look = "ls -A '\(folder.path)'; stat -c %a '\(path)'; \\\"\\$1\\\" show '\(path)'"
      expectEqual(
        try lines("size=10m", at: folder, "\(fill); \(look)"),
        ["2", "devices.sqlite", "600", "device-0", "device-1"])
    }
  }

  @Test(
    "on a disk that cannot be written a store that is there, or is not, is an error that says so",
    .enabled(if: StoreFileTests.canMount, "it needs root and a mount namespace"))
  func readOnlyDisk() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let remount = "mount -o remount,ro none '\(folder.path)'"
      let show = "\\\"\\$1\\\" show"
      let script = "\\\"\\$1\\\" fill '\(path)' 2; \(remount); \(show) '\(path)'; \(show) '\(path)2'"
      func line(_ path: String) -> String {
        "failed: \(DeviceStoreError.denied(path: path, reason: "Read-only file system"))"
      }
      expectEqual(try lines("size=10m", at: folder, script), ["2", line(path), line(path + "2")])
    }
  }
}

/// Changes a store by other means.
func change(_ path: String, _ body: (Database) throws -> Void) throws {
  let queue = try DatabaseQueue(path: path)
  try queue.writeWithoutTransaction { db in
    try body(db)
    try db.checkpoint(.truncate)
  }
  try queue.close()
}
