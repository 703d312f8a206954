import Foundation
import GRDB  // the trait Store
import RollcallPrimitives
import RollcallRunning

/// The results of a campaign, in one file of SQLite in its folder.
///
/// What was added is there though the process is killed right afterwards. Several processes may add at a time. The runs
/// decide the contents, never the order in which they come: parts that are put together give the same as the whole.
package final class CampaignStore: Sendable {
  package static let fileName = "results.sqlite"
  /// In the header of the file (`PRAGMA application_id`): "RCcp".
  private static let applicationID: Int32 = 0x5243_6370
  private static let version = 1
  private static let patienceSeconds = 30.0

  package let path: String
  private let queue: DatabaseQueue

  // MARK: - Opening

  private init(path: String, _ queue: DatabaseQueue) { (self.path, self.queue) = (path, queue) }

  private static func path(in folder: String) -> String {
    (folder.hasSuffix("/") ? folder : folder + "/") + fileName
  }

  /// Opens the results of this campaign, and begins them where there are none. The folder has to be there.
  package static func open(
    in folder: String, of identity: CampaignIdentity
  ) throws(CampaignStoreError) -> CampaignStore {
    let path = path(in: folder)
    do {
      if FileManager.default.fileExists(atPath: path) { try look(at: path) }
      var configuration = Configuration()
      configuration.busyMode = .timeout(patienceSeconds)
      configuration.prepareDatabase { db in
        // Enough for a process that is killed; what a loss of power takes is performed once more.
        try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF")
      }
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.write { db in
        if try db.tableExists("campaign") {
          if let difference = identity.difference(from: try fields(db)) {
            throw CampaignStoreError.otherCampaign(path: path, difference: difference)
          }
        } else {
          try begin(identity, db)
        }
      }
      return CampaignStore(path: path, queue)
    } catch { throw CampaignStoreError(error, path: path) }
  }

  /// Opens results that are there, to read them.
  package static func read(in folder: String) throws(CampaignStoreError) -> CampaignStore {
    let path = path(in: folder)
    guard FileManager.default.fileExists(atPath: path) else { throw .missing(path: path) }
    do {
      return CampaignStore(path: path, try look(at: path))
    } catch { throw CampaignStoreError(error, path: path) }
  }

  /// A connection that changes nothing, after a look at what the file is. An empty one is what a killed process left.
  @discardableResult private static func look(at path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(patienceSeconds)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.read { db in
      let id = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
      let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
      if id == 0, tables == 0 { return }
      guard id == applicationID else {
        throw CampaignStoreError.foreign(path: path, found: "another database of SQLite")
      }
      let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      guard found == version else {
        throw CampaignStoreError.foreign(path: path, found: "results of version \(found), and not \(version)")
      }
    }
    return queue
  }

  private static func begin(_ identity: CampaignIdentity, _ db: Database) throws {
    try db.execute(
      sql: """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        CREATE TABLE campaign (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE run (
          point INTEGER NOT NULL,
          seed INTEGER NOT NULL,
          outcome TEXT NOT NULL,
          digest INTEGER NOT NULL,
          entries INTEGER NOT NULL,
          facts INTEGER NOT NULL,
          sought INTEGER NOT NULL,
          found INTEGER NOT NULL,
          found_after_nanoseconds INTEGER,
          failure TEXT,
          PRIMARY KEY (point, seed)
        ) WITHOUT ROWID;
        """)
    for (key, value) in identity.fields {
      try db.execute(sql: "INSERT INTO campaign (key, value) VALUES (?, ?)", arguments: [key, value])
    }
  }

  private static func fields(_ db: Database) throws -> [String: String] {
    guard try db.tableExists("campaign") else { return [:] }
    var table: [String: String] = [:]
    for row in try Row.fetchAll(db, sql: "SELECT key, value FROM campaign") {
      let (key, value): (DatabaseValue, DatabaseValue) = (row[0], row[1])
      if let key = String.fromDatabaseValue(key) { table[key] = String.fromDatabaseValue(value) }
    }
    return table
  }

  // MARK: - Reading

  /// What campaign it is.
  package func identity() throws(CampaignStoreError) -> CampaignIdentity {
    let table = try perform { queue in try queue.read { try CampaignStore.fields($0) } }
    guard let identity = CampaignIdentity(stored: table) else {
      throw .foreign(path: path, found: "results that do not say what they are of")
    }
    if let difference = identity.difference(from: table) { throw .otherCampaign(path: path, difference: difference) }
    return identity
  }

  /// All runs, in the order of their keys.
  package func records() throws(CampaignStoreError) -> [RunRecord] {
    try perform { queue in
      try queue.read { db in
        var records: [RunRecord] = []
        let rows = try Row.fetchCursor(
          db, sql: "SELECT \(CampaignStore.columns) FROM run ORDER BY point, seed")
        while let row = try rows.next() { records.append(try CampaignStore.record(row, path: path)) }
        return records
      }
    }
  }

  private static let columns =
    "point, seed, outcome, digest, entries, facts, sought, found, found_after_nanoseconds, failure"

  /// Whatever stands there: a file may hold anything.
  private static func record(_ row: Row, path: String) throws -> RunRecord {
    func damage(_ found: String) -> CampaignStoreError { .damaged(path: path, found: found) }
    func number(_ column: Int) throws -> Int64 {
      let value: DatabaseValue = row[column]
      guard let number = Int64.fromDatabaseValue(value) else { throw damage("a run without a number in it") }
      return number
    }
    func count(_ column: Int) throws -> Int {
      guard let count = Int(exactly: try number(column)), count >= 0 else { throw damage("a count below zero") }
      return count
    }
    func text(_ column: Int) -> String? {
      let value: DatabaseValue = row[column]
      return String.fromDatabaseValue(value)
    }
    guard let outcome = text(2).flatMap({ RunOutcome(rawValue: $0) }) else { throw damage("an unknown outcome") }
    let key = RunRecord.Key(point: try count(0), seed: seed(stored: try number(1)))
    var record = RunRecord(
      key: key, outcome: outcome, digest: Digest(), entries: UInt64(bitPattern: try number(4)))
    record.digest.state = UInt64(bitPattern: try number(3))
    record.facts = Facts(bits: UInt64(bitPattern: try number(5)))
    (record.sought, record.found) = (try count(6), try count(7))
    let after: DatabaseValue = row[8]
    record.foundAfter = Int64.fromDatabaseValue(after).map { Interval(nanoseconds: $0) }
    record.failure = text(9)
    return record
  }

  // Integers of SQLite have a sign: the order stays that of the seeds.
  private static func seed(stored: Int64) -> UInt64 { UInt64(bitPattern: stored) ^ 1 &<< 63 }
  private static func stored(seed: UInt64) -> Int64 { Int64(bitPattern: seed ^ 1 &<< 63) }

  // MARK: - Adding

  /// Adds runs, all or none of them. A run that is there already has to be the same.
  package func add(_ records: [RunRecord]) throws(CampaignStoreError) {
    if records.isEmpty { return }
    try perform { queue in
      try queue.write { db in
        let insertion = try db.cachedStatement(
          sql: "INSERT OR IGNORE INTO run (\(CampaignStore.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for record in records {
          try insertion.execute(arguments: CampaignStore.arguments(record))
          if db.changesCount == 0 { try compare(record, db) }
        }
      }
    }
  }

  private static func arguments(_ record: RunRecord) -> StatementArguments {
    [
      record.key.point, stored(seed: record.key.seed), record.outcome.rawValue,
      Int64(bitPattern: record.digest.state), Int64(bitPattern: record.entries), Int64(bitPattern: record.facts.bits),
      record.sought, record.found, record.foundAfter?.nanoseconds, record.failure,
    ]
  }

  private func compare(_ record: RunRecord, _ db: Database) throws {
    let row = try Row.fetchOne(
      db, sql: "SELECT \(CampaignStore.columns) FROM run WHERE point = ? AND seed = ?",
      arguments: [record.key.point, CampaignStore.stored(seed: record.key.seed)])
    guard let row, try CampaignStore.record(row, path: path) == record else {
      throw CampaignStoreError.contradiction(path: path, point: record.key.point, seed: record.key.seed)
    }
  }

  private func perform<Value>(_ body: (DatabaseQueue) throws -> Value) throws(CampaignStoreError) -> Value {
    do { return try body(queue) } catch { throw CampaignStoreError(error, path: path) }
  }
}
