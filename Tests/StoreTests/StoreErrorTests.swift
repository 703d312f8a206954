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
}
