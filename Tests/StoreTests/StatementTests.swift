import Foundation
import GRDB
import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallStore

@Suite("Statements of a store, as SQLite is given them") struct StatementTests {
  /// Statements in their order: settings whole, of all others but questions the first word.
  private final class Log {
    var lines: [String] = []

    func note(_ sql: String) {
      let word = String(sql.prefix { $0.isLetter })
      if word == "PRAGMA" { lines.append(sql) } else if !["", "SELECT"].contains(word) { lines.append(word) }
    }
  }

  private func statements(_ store: DeviceDatabase, _ call: () throws -> Void) throws -> [String] {
    let log = Log()
    try store.perform { queue in queue.inDatabase { db in db.trace { event in log.note("\(event)") } } }
    try call()
    try store.perform { queue in queue.inDatabase { db in db.trace(nil) } }
    return log.lines
  }

  @Test("what is stored is on the disk at once only where a secret changes; what is as it was is not written")
  func transactions() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let device = television(uuid: "u")
      expectEqual(try statements(store) { try store.merge(device) }, ["BEGIN", "INSERT", "INSERT", "COMMIT"])
      expectEqual(try statements(store) { try store.merge(device) }, ["BEGIN", "COMMIT"])
      expectEqual(try statements(store) { try store.replace(device) }, ["BEGIN", "COMMIT"])
      let keyed = StoredService(uuid: "u", serviceID: "DLNA", pairingKey: [1])
      expectEqual(
        try statements(store) { try store.update(id: "tv") { $0.put(keyed) } },
        [
          "BEGIN", "UPDATE", "ROLLBACK", "PRAGMA synchronous = FULL", "BEGIN", "UPDATE", "COMMIT",
          "PRAGMA synchronous = NORMAL",
        ])
      expectEqual(
        try statements(store) { try store.update(id: "tv") { $0.friendlyName = "Den" } }, ["BEGIN", "UPDATE", "COMMIT"])
      // There is nobody of this name.
      expectEqual(try statements(store) { try store.update(id: "other") { $0.put(keyed) } }, ["BEGIN", "COMMIT"])
    }
  }

  @Test("a store waits five seconds for others, copies its journal after 1 000 pages, and overwrites what is deleted")
  func settings() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      let names = [
        "busy_timeout", "wal_autocheckpoint", "synchronous", "secure_delete", "temp_store", "trusted_schema",
        "cell_size_check",
      ]
      let found = try store.perform { queue in
        try queue.inDatabase { db in try names.map { try Int.fetchOne(db, sql: "PRAGMA \($0)") } }
      }
      expectEqual(found, [5_000, 1_000, 1, 1, 2, 0, 1])
      // The lock of the folder is waited for as long.
      expectEqual(store.options.patienceHundredths, 500)
    }
  }

  @Test("a file that another connection has for itself is waited for before it is looked at")
  func exclusive() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television())
      store.close()
      let holder = try DatabaseQueue(path: path)
      try holder.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
      }
      let isOver = DispatchSemaphore(value: 0)
      // A store that does not wait has failed before as many others have.
      Thread.detachNewThread {
        for _ in 0..<100 { _ = try? DatabaseQueue(path: path) }
        try? holder.close()
        isOver.signal()
      }
      expectEqual(failure { expectEqual(try DeviceDatabase(path: path).load(), [television()]) }, nil)
      isOver.wait()
    }
  }
}
