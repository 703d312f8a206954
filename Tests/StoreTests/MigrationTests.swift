import Foundation
import GRDB
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallStore

@Suite("A store of another version") struct MigrationTests {
  /// Makes a file as the first version did, in its SQL, with these rows.
  private func makeFirst(_ path: String, _ rows: [(id: String, uuid: String?, record: [UInt8])]) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          PRAGMA application_id = \(0x5243_6473);
          CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
          INSERT INTO grdb_migrations VALUES ('1');
          CREATE TABLE device (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            last_seen_unix_seconds INTEGER,
            last_connected_unix_seconds INTEGER,
            record BLOB NOT NULL
          );
          CREATE TABLE service_uuid (
            uuid TEXT NOT NULL PRIMARY KEY,
            device INTEGER NOT NULL REFERENCES device (number) ON DELETE CASCADE
          ) WITHOUT ROWID;
          CREATE INDEX service_uuid_by_device ON service_uuid (device);
          """)
      for row in rows {
        try db.execute(
          sql: "INSERT INTO device (id, last_seen_unix_seconds, record) VALUES (?, 258, ?)",
          arguments: [row.id, Data(row.record)])
        guard let uuid = row.uuid else { continue }
        try db.execute(
          sql: "INSERT INTO service_uuid (uuid, device) VALUES (?, ?)", arguments: [uuid, db.lastInsertedRowID])
      }
    }
    try queue.close()
  }

  private let television = StoredDevice(
    id: "tv", friendlyName: "TV", addresses: ["tv"], lastSeenUnixSeconds: 258,
    services: [StoredService(uuid: "u", serviceID: "TV", config: ["k": "u"], pairingKey: [9])])

  /// The versions that a file has, in order.
  private func versions(_ path: String) throws -> [String] {
    let queue = try DatabaseQueue(path: path)
    defer { try? queue.close() }
    return try queue.read { try String.fetchAll($0, sql: "SELECT identifier FROM grdb_migrations ORDER BY identifier") }
  }

  @Test("a file of version 1 is read, keeps its devices with their keys, and is of version 2 from then on")
  func first() throws {
    try withStorePath { path in
      try makeFirst(path, [("tv", "u", FirstForm.television), ("old", nil, FirstForm.emptied)])
      expectEqual(try versions(path), ["1"])
      for _ in 0..<2 {
        let store = try DeviceDatabase(path: path)
        // Nobody could be found again by the other one.
        expectEqual(try store.load(), [television])
        expectEqual(try store.load(uuids: ["U"]), [television])
        expectEqual(try store.load(id: "old"), nil)
        expectEqual(store.keptFiles, [])
        store.close()
        expectEqual(try versions(path), ["1", "2"])
      }
      expectEqual(try mode(of: path), 0o600)
      // What is learnt from now on has a place.
      let store = try DeviceDatabase(path: path)
      var newer = television
      newer.put(StoredService(uuid: "u", serviceID: "TV", lastSeenUnixSeconds: 300))
      let expected = television.merging(newer)
      expectEqual(try store.merge(newer), expected)
      expectEqual(try store.load(), [expected])
      expectEqual(expected.services.first?.pairingKey, [9])
    }
  }

  @Test("a damaged device in a file of version 1 is found, and the file is put away")
  func damaged() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      var record = FirstForm.television
      record[5] ^= 1
      try makeFirst(path, [("tv", "u", record)])
      let store = try DeviceDatabase(path: path)
      let trouble = failure { _ = try store.load() }
      guard case .damaged(let found)? = trouble else {
        Issue.record("found \(String(describing: trouble)), expected damage")
        return
      }
      expectEqual(found.keptAs, path + ".damaged-1")
      // It was closed before, so that all of its journal is in the file, and no journal is left.
      expectEqual(store.keptFiles, [path + ".damaged-1"])
      expectEqual(failure { _ = try store.load() }, .closed(path: path))
      expectEqual(try DeviceDatabase(path: path).load(), [])
    }
  }

  @Test("a new file says in its header that its journal is a write-ahead log, and that it is a store")
  func header() throws {
    let bytes = try StoreSchema.emptyFile()
    expectEqual(Array(bytes[18...19]), [2, 2])
    expectEqual(Array(bytes[68...71]), Array("RCds".utf8))
  }

  @Test("a file that a later version changed while it was open here is refused, and stays where it is")
  func later() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television)
      var record = FirstForm.television.dropLast(8)
      record[0] = 3
      let next = Data(FirstForm.sealed(Array(record)))
      try change(path) { db in
        try db.execute(sql: "INSERT INTO grdb_migrations VALUES ('3')")
        try db.execute(sql: "UPDATE device SET record = ?", arguments: [next])
      }
      // Whoever is at work on it at the moment writes no more.
      let queue = try store.perform { $0 }
      expectEqual(failure { _ = try store.load() }, .newer(path: path, found: 3, known: 2))
      let refusal = #expect(throws: DatabaseError.self) { try queue.inDatabase { try $0.execute(sql: "SELECT 1") } }
      expectEqual(refusal?.resultCode, ResultCode.SQLITE_MISUSE)
      expectEqual(store.keptFiles, [])
      expectEqual(failure { _ = try store.load() }, .closed(path: path))
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .newer(path: path, found: 3, known: 2))
      expectEqual(try versions(path), ["1", "2", "3"])
    }
  }
}
