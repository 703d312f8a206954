import Foundation
import GRDB
import RollcallExpectations
import RollcallPrimitives
import RollcallStore
import Testing
import rollcall_store_sample

@Suite("What a store forgets") struct PrivacyTests {
  private let secret = Array("a pairing key that nobody may find".utf8)

  private func device(_ number: Int, name: String = "Television") -> StoredDevice {
    StoredDevice(
      id: "device-\(number)", friendlyName: name, lastConnectedUnixSeconds: 1,
      services: [
        StoredService(
          uuid: "uuid-\(number)", serviceID: "DLNA", pairingKey: secret,
          certificate: Array(repeating: secret, count: number % 7 * 40).flatMap { $0 })
      ])
  }

  /// The names of files of a folder in which the secret, or a word, stands.
  private func places(of word: [UInt8], in folder: URL) throws -> [String] {
    try contents(of: folder).filter { Data($0.value).range(of: Data(word)) != nil }.keys.sorted()
  }

  @Test("after removeAll no pairing key stands in the file or its journal, and the file is small again")
  func removeAll() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      var options = DeviceDatabase.Options()
      options.checkpointPages = 20
      let store = try DeviceDatabase(path: path, options: options)
      for number in 0..<60 { try store.merge(device(number)) }
      for number in 0..<60 { try store.merge(device(number, name: "changed")) }
      expectEqual(try places(of: secret, in: folder), ["devices.sqlite", "devices.sqlite-wal"])
      expectEqual(try store.removeAll(), [])
      expectEqual(try places(of: secret, in: folder), [])
      expectEqual(try places(of: Array("uuid-".utf8), in: folder), [])
      expectEqual(try places(of: Array("device-".utf8), in: folder), [])
      expectEqual(try contents(of: folder)["devices.sqlite-wal"], [])
      #expect(try contents(of: folder)["devices.sqlite"]?.count ?? .max <= 8 * 4_096)
      expectEqual(try store.load(), [])
      try store.merge(device(1))
      expectEqual(try store.load(), [device(1)])
    }
  }

  @Test("after one device was removed nothing of it stands in the file or its journal")
  func remove() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let store = try DeviceDatabase(path: path)
      for number in 0..<60 { try store.merge(television("tv-\(number)", uuid: "tv-\(number)")) }
      try store.merge(device(6))
      #expect(try !places(of: secret, in: folder).isEmpty)
      expectEqual(try store.remove(id: "device-6"), true)
      expectEqual(try places(of: secret, in: folder), [])
      expectEqual(try places(of: Array("device-6".utf8), in: folder), [])
      expectEqual(try store.load().count, 60)
    }
  }

  @Test("removeAll names damaged files that are kept, and leaves them")
  func kept() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      try Data(secret).write(to: URL(fileURLWithPath: path))
      #expect(failure { _ = try DeviceDatabase(path: path) } != nil)
      // The first one may be gone; a number has as many digits as it likes; a file of another name is no such file.
      for name in [".damaged-10", ".damaged-9-wal", ".damaged-x", ".damaged-2.txt", "2.damaged-1"] {
        try Data().write(to: URL(fileURLWithPath: path + name))
      }
      let kept = [".damaged-1", ".damaged-9-wal", ".damaged-10"].map { path + $0 }
      expectEqual(try DeviceDatabase(path: path).removeAll(), kept)
      expectEqual(try places(of: secret, in: folder), ["devices.sqlite.damaged-1"])
    }
  }

  @Test("while another one reads, removeAll says that it is busy; all is forgotten, and the next call overwrites it")
  func reader() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      var options = DeviceDatabase.Options()
      options.patienceMilliseconds = 20
      let store = try DeviceDatabase(path: path, options: options)
      // Its certificate takes pages of its own.
      try store.merge(device(6))
      let other = try DatabaseQueue(path: path)
      try other.inDatabase { db in
        try db.execute(sql: "BEGIN")
        _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM device")
        expectEqual(failure { try store.removeAll() }, .busy(path: path))
        expectEqual(try store.load(), [])
        try db.execute(sql: "COMMIT")
        // What is private comes first: the file is not made smaller before.
        let free = try #require(try Int.fetchOne(db, sql: "PRAGMA freelist_count"))
        #expect(free > 0)
      }
      expectEqual(try store.removeAll(), [])
      expectEqual(try places(of: secret, in: folder), [])
    }
  }

  #if os(Linux)
    /// Takes or leaves, for an open file, the lock of the process that copies the journal: a byte of the journal's index
    /// (https://www.sqlite.org/walformat.html).
    private static func lockCopying(_ index: CInt, _ kind: CInt) -> Bool {
      var lock = flock()
      lock.l_type = Int16(kind)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = 121
      lock.l_len = 1
      // F_OFD_SETLK: a lock of this open file, which the rest of the process does not share.
      return fcntl(index, 37, &lock) == 0
    }

    @Test("a removal waits, with pauses, while another process copies the journal, and then overwrites all")
    func copying() throws {
      try withFolder { folder in
        let path = folder.appendingPathComponent("devices.sqlite").path
        let store = try DeviceDatabase(path: path)
        try store.merge(device(1))
        let holder = open(path + "-shm", O_RDWR)
        let asker = open(path + "-shm", O_RDWR)
        try #require(holder >= 0 && asker >= 0)
        try #require(PrivacyTests.lockCopying(holder, CInt(F_WRLCK)))
        let isOver = DispatchSemaphore(value: 0)
        // A store tries five hundred times: without pauses it would give up before as many tries as these are over.
        Thread.detachNewThread {
          for _ in 0..<50_000 { _ = PrivacyTests.lockCopying(asker, CInt(F_WRLCK)) }
          _ = PrivacyTests.lockCopying(holder, CInt(F_UNLCK))
          isOver.signal()
        }
        expectEqual(failure { expectEqual(try store.remove(id: "device-1"), true) }, nil)
        isOver.wait()
        expectEqual(try places(of: secret, in: folder), [])
        expectEqual(try contents(of: folder)["devices.sqlite-wal"], [])
        // Where a file is closed, the locks of its process go, those of SQLite too.
        store.close()
        close(holder)
        close(asker)
      }
    }
  #endif

  @Test("texts of errors are for people: what was expected, found, where, what to do; no hidden character, no secret")
  func texts() {
    let errors: [(DeviceStoreError, String)] = [
      (
        .damaged(DamagedStore(path: "a", found: "no database", keptAs: "a.damaged-1")),
        "a: a device store was expected, found no database; it is kept as a.damaged-1, the next opening makes a new store"
      ),
      (
        .newer(path: "a", found: 7, known: 1),
        "a: a device store of version 1 or below was expected, found version 7; it was not changed: update this program,"
          + " or name another file"
      ),
      (
        .notAFile(path: "a\u{1b}", found: "a folder"),
        "a\\x1b: a regular file was expected, found a folder; name another file"
      ),
      (
        .full(path: "a"), "a: there is no room for more; what was stored before is kept: free some space"
      ),
      (.busy(path: "a"), "a: another process is at work on the device store; try again"),
      (
        .unfit(id: String(repeating: "x", count: 65), .tooMuch(field: "services", found: 65, maximum: 64)),
        "device \(String(repeating: "x", count: 60))…: at most 64 were expected in services, found 65; it was not stored"
      ),
      (
        .unfit(id: "a\u{0}", .notAName(field: "id")),
        "device a\\x00: id is empty or has a control character; it was not stored"
      ),
      (
        .taken(uuid: "u", owner: "b", id: "a"),
        "device a: the service u belongs to device b; nothing was stored: say that it moves, or store it there"
      ), (.closed(path: "a"), "a: the device store is closed; open it again"),
    ]
    for (error, text) in errors { expectEqual(error.description, text) }
    expectEqual(
      errors.map(\.0.failure), [.damaged, .damaged, .denied, .full, .denied, .full, .full, .denied, .denied])
  }

  @Test(
    "a name of 64 bytes or 60 characters is whole in an error; what the system refuses has its words and what to do")
  func otherTexts() {
    let long = String(repeating: "x", count: 64)
    let wide = String(repeating: "ö", count: 60)
    let errors: [(DeviceStoreError, String)] = [
      (
        .taken(uuid: long, owner: long + "x", id: "a"),
        "device a: the service \(long) belongs to device \(long.prefix(60))…; nothing was stored: say that it moves, or"
          + " store it there"
      ),
      (
        .taken(uuid: wide, owner: wide + "ö", id: "a"),
        "device a: the service \(wide) belongs to device \(wide)…; nothing was stored: say that it moves, or store it"
          + " there"
      ),
      (
        .damaged(DamagedStore(path: "a", found: "no database", keptAs: nil)),
        "a: a device store was expected, found no database; another process has put it away, the next opening makes a"
          + " new store"
      ),
      (
        .denied(path: "a", reason: "it is locked"),
        "a: the device store cannot be written: it is locked; check who may write the file and its folder"
      ), (.failed(path: "a", reason: "disk I/O error"), "a: disk I/O error"),
    ]
    for (error, text) in errors { expectEqual(error.description, text) }
    expectEqual(errors.map(\.0.failure), [.denied, .denied, .damaged, .denied, .denied])
  }
}
