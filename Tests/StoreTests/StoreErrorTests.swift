import Foundation
import GRDB
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallStore

@Suite("What SQLite and the system refuse, as errors of a store") struct StoreErrorTests {
  @Test("a code of SQLite is the error that says what to do; the words are SQLite's")
  func codes() {
    let (full, busy) = (DeviceStoreError.full(path: "p"), DeviceStoreError.busy(path: "p"))
    let denied = DeviceStoreError.denied(path: "p", reason: "words")
    let failed = DeviceStoreError.failed(path: "p", reason: "words")
    let errors: [(DatabaseError, DeviceStoreError)] = [
      (DatabaseError(resultCode: .SQLITE_FULL, message: "words"), full),
      (DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE, message: "words"), full),
      (DatabaseError(resultCode: .SQLITE_IOERR, message: "words"), failed),
      (DatabaseError(resultCode: .SQLITE_IOERR_WRITE, message: "words"), failed),
      (DatabaseError(resultCode: .SQLITE_BUSY, message: "words"), busy),
      (DatabaseError(resultCode: .SQLITE_BUSY_SNAPSHOT, message: "words"), busy),
      (DatabaseError(resultCode: .SQLITE_LOCKED, message: "words"), busy),
      (DatabaseError(resultCode: .SQLITE_READONLY, message: "words"), denied),
      (DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "words"), denied),
      (DatabaseError(resultCode: .SQLITE_PERM, message: "words"), denied),
      (DatabaseError(resultCode: .SQLITE_AUTH, message: "words"), denied),
      (DatabaseError(resultCode: .SQLITE_NOMEM, message: "words"), failed),
    ]
    for (error, expected) in errors { expectEqual(DeviceStoreError(error, path: "p"), expected, "\(error)") }
    // What was said before is not said anew.
    let own = DeviceStoreError.closed(path: "q")
    expectEqual(DeviceStoreError(own, path: "p"), own)
  }

  @Test("a file without a table of versions, or a row in it, is of version 0, any other of its highest")
  func versions() throws {
    let queue = try DatabaseQueue()
    func version() throws -> Int { try queue.read { try StoreSchema.version(of: $0) } }
    expectEqual(try version(), 0)
    try queue.write { try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)") }
    expectEqual(try version(), 0)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('9'), ('10'), ('2')") }
    expectEqual(try version(), 10)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('next')") }
    expectEqual(try version(), .max)
  }

  @Test("what the system says of a folder is in the error, with the folder that it says it of")
  func folders() throws {
    try withFolder { folder in
      let loop = folder.appendingPathComponent("loop").path
      try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
      expectEqual(
        failure { _ = try DeviceDatabase(path: loop + "/devices.sqlite") },
        .failed(path: loop, reason: "Too many levels of symbolic links"))
    }
    // No process may make a folder there; the first that is missing is named.
    #if os(Linux)
      expectEqual(
        failure { _ = try DeviceDatabase(path: "/proc/a/b/devices.sqlite") },
        .denied(path: "/proc/a", reason: "No such file or directory"))
    #endif
  }

  @Test("while somebody else has the folder nothing is made in it, and the store says that another one is at work")
  func locked() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY)
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      for patience in [0, 20] {
        var options = DeviceDatabase.Options()
        options.patienceMilliseconds = patience
        expectEqual(failure { _ = try DeviceDatabase(path: path, options: options) }, .busy(path: path))
      }
      expectEqual(try contents(of: folder), [:])
      flock(descriptor, LOCK_UN)
      expectEqual(try DeviceDatabase(path: path).load(), [])
    }
  }

  @Test("a store waits, with pauses, for a process that holds the lock of the folder, and is then made")
  func waits() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let holder = open(folder.path, O_RDONLY | O_DIRECTORY)
      let asker = open(folder.path, O_RDONLY | O_DIRECTORY)
      try #require(holder >= 0 && asker >= 0)
      try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
      let isOver = DispatchSemaphore(value: 0)
      // A store tries five hundred times: without pauses it would give up before as many tries as these are over.
      Thread.detachNewThread {
        for _ in 0..<20_000 { _ = flock(asker, LOCK_EX | LOCK_NB) }
        _ = flock(holder, LOCK_UN)
        isOver.signal()
      }
      expectEqual(failure { expectEqual(try DeviceDatabase(path: path).load(), []) }, nil)
      isOver.wait()
      close(holder)
      close(asker)
    }
  }

  @Test("a new file is not put in the place of one that somebody else has made meanwhile, and nothing is left of it")
  func faster() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      try Data("theirs".utf8).write(to: URL(fileURLWithPath: path))
      let place = try StorePlace(path)
      try place.locked(patience: 0) { folder throws(DeviceStoreError) in try place.make([1, 2, 3], in: folder) }
      expectEqual(try contents(of: folder), ["devices.sqlite": Array("theirs".utf8)])
    }
  }

  #if os(Linux)
    /// Whether a file without a name can be made among temporary files, and be named afterwards.
    static let canBeNameless: Bool = {
      let descriptor = open(FileManager.default.temporaryDirectory.path, O_RDWR | O_DIRECTORY | 0o20_000_000, 0o600)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return access("/proc/self/fd/\(descriptor)", F_OK) == 0
    }()

    /// The names, each of less than 200 bytes, that a watched folder got since the last call.
    private static func names(_ watch: CInt) -> [String] {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(watch, &bytes, bytes.count)
      var names: [String] = []
      var place = 0
      // Twelve bytes, the count of those of the name with zeros behind it, and the name (inotify(7)).
      while place + 16 <= count {
        let end = place + 16 + Int(bytes[place + 12])
        names.append(String(decoding: bytes[place + 16..<end].prefix { $0 != 0 }, as: UTF8.self))
        place = end
      }
      return names
    }

    @Test(
      "a new file, be it of one byte, has no other name before its own, and none of it stays open",
      .enabled(if: StoreErrorTests.canBeNameless, "it needs files without a name"))
    func nameless() throws {
      try withFolder { folder in
        let path = folder.appendingPathComponent("devices.sqlite").path
        let watch = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        try #require(watch >= 0)
        defer { close(watch) }
        try #require(inotify_add_watch(watch, folder.path, UInt32(IN_CREATE)) >= 0)
        let place = try StorePlace(path)
        try place.locked(patience: 0) { folder throws(DeviceStoreError) in try place.make([7], in: folder) }
        expectEqual(StoreErrorTests.names(watch), ["devices.sqlite"])
        expectEqual(try contents(of: folder), ["devices.sqlite": [7]])
        expectEqual(try mode(of: path), 0o600)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let opened = descriptors.compactMap {
          try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        expectEqual(opened.filter { $0.contains(folder.lastPathComponent) }, [])
      }
    }
  #endif

  @Test("files that are there become private without an error, whatever an earlier call left in errno")
  func modes() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let files = ["", "-wal", "-shm", "-journal"].map { path + $0 }
      for file in files {
        try Data().write(to: URL(fileURLWithPath: file))
        try #require(chmod(file, 0o644) == 0)
      }
      let place = try StorePlace(path)
      errno = 0
      try place.keepPrivate()
      expectEqual(try files.map(mode(of:)), [0o600, 0o600, 0o600, 0o600])
    }
  }

  @Test("a store is put away under one of 9 999 numbers")
  func numbers() throws {
    // In memory where that can be had: each number takes a name.
    let memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    try withFolder(in: URL(fileURLWithPath: memory)) { folder in
      let path = folder.appendingPathComponent("d").path
      try Data().write(to: URL(fileURLWithPath: path))
      let names = (1...9_999).map { "\(path).damaged-\($0)" }
      expectEqual(names.filter { link(path, $0) != 0 }, [])
      let place = try StorePlace(path)
      let refusal = DeviceStoreError.failed(
        path: path, reason: "10 000 damaged stores are kept beside it; move them elsewhere")
      expectEqual(failure { _ = try place.putAway() }, refusal)
      for name in names { unlink(name) }
      expectEqual(try contents(of: folder), ["d": []])
    }
  }
}
