import Foundation
import GRDB  // the trait Store
package import RollcallPrimitives
import Synchronization

/// The devices that an application met, in one file that outlives it.
///
/// Calls block while they read or write; they may come from any thread, and from several processes at once. What a call
/// stored is there though the process is killed right after it returned. After a loss of power the last calls may be
/// missing, never a part of one; a pairing key that changed is on the disk when the call returns.
package final class DeviceDatabase: Sendable {
  package struct Options: Hashable, Sendable {
    package var policy = DeviceStorePolicy.keepsDiscovered
    /// How long to wait for another process.
    package var patienceMilliseconds = 5_000
    /// The most that the file may take, in pages of 4 096 bytes; `nil`: as much as there is.
    package var pagesMaximum: Int?
    /// After how many pages of the journal SQLite copies them into the file.
    package var checkpointPages = 1_000

    package init() {}

    /// How long to wait for the lock of the folder, in hundredths of a second.
    var patienceHundredths: Int { patienceMilliseconds / 10 }
    /// How long SQLite waits.
    var busyMode: Database.BusyMode { .timeout(Double(patienceMilliseconds) / 1_000) }
  }

  package let path: String
  package let options: Options
  /// The file that was opened, so that another one of the same name is not taken for it.
  private let fileNumber: UInt64
  /// `nil`: closed.
  private let connection: Mutex<DatabaseQueue?>

  // MARK: - Opening

  /// Opens the store, and makes it where there is nothing. Missing folders are made too, for the user alone (mode 0700).
  ///
  /// - Throws: `damaged` where the file is no store, after it was put away: a second opening makes a new one.
  package init(path: String, options: Options = Options()) throws(DeviceStoreError) {
    let place = try StorePlace(path)
    try place.makeFolder()
    (self.path, self.options) = (path, options)
    let (queue, number) = try place.locked(patience: options.patienceHundredths) {
      folder throws(DeviceStoreError) in
      try DeviceDatabase.openedOrMade(at: place, in: folder, options)
    }
    fileNumber = number
    connection = Mutex(queue)
  }

  /// The open file and its number, under the lock of the folder.
  private static func openedOrMade(
    at place: StorePlace, in folder: CInt, _ options: Options
  ) throws(DeviceStoreError) -> (DatabaseQueue, UInt64) {
    do {
      switch try place.state() {
      case .file: break
      case .nothing: try place.make(StoreSchema.emptyFile(), in: folder)
      // It would be applied to the new file.
      case .journalAlone: throw FoundDamage("the journal of a store without its file")
      }
      try place.keepPrivate()
      try look(at: place, options)
      return (try opened(place.path, options), try place.file()?.number ?? 0)
    } catch let damage as FoundDamage {
      throw .damaged(DamagedStore(path: place.path, found: damage.found, keptAs: try place.putAway()))
    } catch {
      throw DeviceStoreError(error, path: place.path)
    }
  }

  /// Ends the use of the file. Calls that follow fail with `closed`.
  package func close() { connection.withLock { $0 = nil } }

  /// Looks at the file without a change to it: is it a store, is it whole, is its version known?
  private static func look(at place: StorePlace, _ options: Options) throws {
    if try place.file()?.size == 0 { throw FoundDamage("an empty file") }
    do {
      var configuration = Configuration()
      configuration.readonly = true
      configuration.busyMode = options.busyMode
      let queue = try DatabaseQueue(path: place.path, configuration: configuration)
      defer { try? queue.close() }
      try queue.read { db in
        guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == StoreSchema.applicationID else {
          throw FoundDamage("another database of SQLite")
        }
        let version = try StoreSchema.version(of: db)
        if version > StoreSchema.version {
          throw DeviceStoreError.newer(path: place.path, found: version, known: StoreSchema.version)
        }
        if let line = try String.fetchOne(db, sql: "PRAGMA quick_check(1)"), line != "ok" { throw FoundDamage(line) }
      }
    } catch let error as DatabaseError where FoundDamage.isMeant(by: error) {
      throw FoundDamage(error)
    }
  }

  private static func opened(_ path: String, _ options: Options) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = options.busyMode
    configuration.prepareDatabase { db in
      // NORMAL is enough for a process that is killed: what was written is with the system. FULL would wait for the disk
      // at every sighting, some milliseconds each; what waits is a pairing key that changed (`commit`).
      // What is deleted is overwritten. No temporary file, which would hold what is private.
      try db.execute(
        sql: """
          PRAGMA journal_mode = WAL;
          PRAGMA synchronous = NORMAL;
          PRAGMA secure_delete = ON;
          PRAGMA temp_store = MEMORY;
          PRAGMA trusted_schema = OFF;
          PRAGMA cell_size_check = ON;
          PRAGMA wal_autocheckpoint = \(max(1, options.checkpointPages));
          """)
      if let pages = options.pagesMaximum { try db.execute(sql: "PRAGMA max_page_count = \(pages)") }
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try StoreSchema.migrator.migrate(queue)
    return queue
  }

  // MARK: - Reading

  /// All devices, ordered by the bytes of their ids.
  package func load() throws(DeviceStoreError) -> [StoredDevice] {
    var devices = try perform { queue in
      try queue.read { db in
        var devices: [StoredDevice] = []
        devices.reserveCapacity(try Int.fetchOne(db, sql: "SELECT count(*) FROM device") ?? 0)
        // In the order of the file, and sorted afterwards: an index would lead to one page after another at random.
        let rows = try Row.fetchCursor(db, sql: "SELECT record FROM device")
        while let row = try rows.next() { devices.append(try StoredRow.device(row, 0)) }
        return devices
      }
    }
    devices.sort { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    return devices
  }

  package func load(id: String) throws(DeviceStoreError) -> StoredDevice? {
    try perform { queue in try queue.read { db in try StoredRow.find(id: id, db)?.device } }
  }

  /// The devices that have a service with one of these UUIDs, each once, ordered by id.
  package func load(uuids: [String]) throws(DeviceStoreError) -> [StoredDevice] {
    var devices = try perform { queue in
      try queue.read { db in
        var rows: [StoredRow] = []
        for uuid in uuids {
          guard let row = try StoredRow.find(uuid: StoredUUID(uuid), db) else { continue }
          if !rows.contains(where: { $0.number == row.number }) { rows.append(row) }
        }
        return rows.map(\.device)
      }
    }
    devices.sort { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    return devices
  }

  /// Files of this store that were found damaged and are kept, and those of their journals, by number. They may hold
  /// pairing keys.
  package var keptFiles: [String] { (try? StorePlace(path))?.keptFiles() ?? [] }

  // MARK: - Failures

  /// Does something with the open file. Where it turns out to be damaged, it is closed and put away.
  func perform<Value>(_ body: (DatabaseQueue) throws -> Value) throws(DeviceStoreError) -> Value {
    guard let queue = connection.withLock({ $0 }) else { throw .closed(path: path) }
    do {
      return try body(queue)
    } catch let damage as FoundDamage {
      // A later version of this program may have come to it while it was open here.
      if let version = try? queue.read({ try StoreSchema.version(of: $0) }), version > StoreSchema.version {
        close()
        try? queue.close()
        throw .newer(path: path, found: version, known: StoreSchema.version)
      }
      throw try putAway(queue, damage.found)
    } catch let error as DatabaseError where FoundDamage.isMeant(by: error) {
      throw try putAway(queue, FoundDamage(error).found)
    } catch {
      throw DeviceStoreError(error, path: path)
    }
  }

  private func putAway(_ queue: DatabaseQueue, _ found: String) throws(DeviceStoreError) -> DeviceStoreError {
    close()
    try? queue.close()
    let place = try StorePlace(path)
    return try place.locked(patience: options.patienceHundredths) { _ throws(DeviceStoreError) in
      let isOurs = try place.file()?.number == fileNumber
      return .damaged(DamagedStore(path: path, found: found, keptAs: isOurs ? try place.putAway() : nil))
    }
  }
}

/// The file is no store, or not whole.
struct FoundDamage: Error {
  var found: String

  init(_ found: String) { self.found = found }

  init(_ error: DatabaseError) {
    found = error.resultCode == .SQLITE_NOTADB ? "no database" : "damage: \(error.message ?? "no words for it")"
  }

  static func isMeant(by error: DatabaseError) -> Bool {
    error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
  }
}

extension DeviceStoreError {
  init(_ error: any Error, path: String) {
    switch error {
    case let error as DeviceStoreError: self = error
    case let error as DatabaseError:
      let words = error.message ?? "no words for it"
      switch error.resultCode {
      case .SQLITE_FULL: self = .full(path: path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
        self = .denied(path: path, reason: words)
      // The index of the journal could not grow: SQLite has no other word for a full disk there.
      case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full(path: path)
      default: self = .failed(path: path, reason: words)
      }
    default: self = .failed(path: path, reason: "\(error)")
    }
  }
}
