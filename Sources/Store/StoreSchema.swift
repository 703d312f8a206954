import GRDB  // the trait Store
import GRDBSQLite  // the trait Store

/// The tables of the store and their versions.
///
/// The table of versions is GRDB's `grdb_migrations`: a row for each version, which is a number. A version is never
/// changed once it was released; a new one is one more row here.
enum StoreSchema {
  /// In the header of the file (`PRAGMA application_id`): "RCds".
  static let applicationID: Int32 = 0x5243_6473
  static let version = 2

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { db in
      // `record` is all of a device; the other columns are what is looked up. An AUTOINCREMENT would cost a table.
      try db.execute(
        sql: """
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
    }
    // Records of form 2, which a program of version 1 cannot read; those of form 1 stay until their devices change. A device
    // all of whose services went to another one has nothing to be known by, and is kept no more.
    migrator.registerMigration("2") { db in
      try db.execute(sql: "DELETE FROM device WHERE number NOT IN (SELECT device FROM service_uuid)")
    }
    return migrator
  }

  /// The highest version in the table; 0: there is none.
  static func version(of db: Database) throws -> Int {
    guard try db.tableExists("grdb_migrations") else { return 0 }
    return try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations").map { Int($0) ?? .max }.max() ?? 0
  }

  /// A store without devices as the bytes of its file, with WAL as its journal: so a file is there as a whole or not
  /// at all, and no journal of another kind is ever needed.
  static func emptyFile() throws -> [UInt8] {
    let queue = try DatabaseQueue()
    try migrator.migrate(queue)
    var bytes: [UInt8] = try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA application_id = \(applicationID)")
      var count: sqlite3_int64 = 0
      guard let start = sqlite3_serialize(db.sqliteConnection, "main", &count, 0) else {
        throw DatabaseError(resultCode: .SQLITE_NOMEM)
      }
      defer { sqlite3_free(start) }
      return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }
    // The versions that a reader and a writer need: 2 is WAL (https://www.sqlite.org/fileformat.html, section 1.3).
    bytes[18] = 2
    bytes[19] = 2
    return bytes
  }
}
