import Foundation
import GRDB  // the trait Store
package import RollcallPrimitives

/// What becomes of a service whose UUID belongs to another device already.
package enum TakenServices: Hashable, Sendable {
  /// Nothing is stored (`DeviceStoreError.taken`).
  case refused
  /// It moves to the device that is stored, with its keys and its config, and with when the other device was connected
  /// last: an application connected to this service, too. The other device stays without it, or is forgotten where it was
  /// the last one: then the service knows which device it was (`StoredService.formerDeviceID`).
  case moved
}

extension DeviceDatabase {
  /// Stores what was learnt about a device; nothing that was known before is forgotten (`StoredDevice.merging`).
  ///
  /// The device is the one with this id, or else the one that has services of the same UUIDs and of no other: it keeps its
  /// own id.
  /// - Returns: the device as it is stored now; `nil`: the policy does not take it in.
  @discardableResult package func merge(
    _ device: StoredDevice, takenServices: TakenServices = .refused
  ) throws(DeviceStoreError) -> StoredDevice? {
    try check(device)
    return try saving(takenServices) { saving in
      var old = try StoredRow.find(id: device.id, saving.db)
      var isAdmitted = options.policy.admits(device)
      if old == nil {
        let uuids = device.uuids
        for uuid in uuids where old == nil {
          guard let row = try StoredRow.find(uuid: uuid, saving.db) else { continue }
          // A part of a device that is kept is kept as a device of its own, too.
          if takenServices == .moved, options.policy.admits(row.device) { isAdmitted = true }
          // A device with some of the UUIDs of a row was a part of it, and is a device of its own now.
          if row.device.uuids.allSatisfy({ uuids.contains($0) }) { old = row }
        }
      }
      if let old { return try saving.put(old.device.merging(device), in: old, keepsMoved: true) }
      return isAdmitted ? try saving.put(device, in: nil, keepsMoved: true) : nil
    }
  }

  /// Stores a device in the place of the one with its id: services that it does not have are removed.
  /// - Returns: the device as it is stored now; `nil`: the policy does not take it in.
  @discardableResult package func replace(
    _ device: StoredDevice, takenServices: TakenServices = .refused
  ) throws(DeviceStoreError) -> StoredDevice? {
    try check(device)
    return try saving(takenServices) { saving in
      let old = try StoredRow.find(id: device.id, saving.db)
      guard old != nil || options.policy.admits(device) else { return nil }
      return try saving.put(device, in: old, keepsMoved: false)
    }
  }

  /// Changes the device with an id. Nobody else writes between what `change` is given and what it leaves.
  /// - Parameter change: may not change the id; it is called twice where a secret changes.
  /// - Returns: the device as it is stored now; `nil`: there is none with this id.
  @discardableResult package func update(
    id: String, takenServices: TakenServices = .refused, _ change: (inout StoredDevice) -> Void
  ) throws(DeviceStoreError) -> StoredDevice? {
    try saving(takenServices) { saving in
      guard let old = try StoredRow.find(id: id, saving.db) else { return nil }
      var device = old.device
      change(&device)
      device.id = old.device.id
      return try saving.put(device, in: old, keepsMoved: false)
    }
  }

  /// Forgets a device; what was written of it is overwritten in the file and the journal.
  /// - Returns: whether there was one.
  @discardableResult package func remove(id: String) throws(DeviceStoreError) -> Bool {
    try perform { queue in
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "DELETE FROM device WHERE id = ?", arguments: [id])
        let isRemoved = db.changesCount > 0
        if isRemoved { try emptyJournal(db) }
        return isRemoved
      }
    }
  }

  /// Forgets every device; what was written of them is overwritten in the file and the journal, and the file is small
  /// again. Damaged files that were put away are not touched.
  /// - Returns: those files (`keptFiles`).
  /// - Throws: `busy` where all is forgotten, and another process still reads the journal: it is overwritten by another call.
  @discardableResult package func removeAll() throws(DeviceStoreError) -> [String] {
    try perform { queue in
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "DELETE FROM device")
        // First of all what is private; then the room.
        try emptyJournal(db)
        try db.execute(sql: "VACUUM")
        try emptyJournal(db)
      }
    }
    return keptFiles
  }

  /// Forgets the devices that were never connected, and last seen more than three days ago.
  /// - Returns: their ids, in order.
  @discardableResult package func prune(nowUnixSeconds now: Int64) throws(DeviceStoreError) -> [String] {
    let isStale = "last_connected_unix_seconds IS NULL AND coalesce(last_seen_unix_seconds < ?, TRUE)"
    let limit = StoredDevice.staleBeforeUnixSeconds(now: now)
    return try perform { queue in
      try queue.write { db in
        let ids = try String.fetchAll(
          db, sql: "SELECT id FROM device WHERE \(isStale) ORDER BY id", arguments: [limit])
        if !ids.isEmpty { try db.execute(sql: "DELETE FROM device WHERE \(isStale)", arguments: [limit]) }
        return ids
      }
    }
  }

  // MARK: - Steps

  private func check(_ device: StoredDevice) throws(DeviceStoreError) {
    if let fault = device.fault { throw .unfit(id: device.id, fault) }
  }

  /// Stores a device in one transaction. Where a secret of it changes, that is done once more from its beginning, as a
  /// transaction that is on the disk when it ends: how one ends has to be said before it begins.
  private func saving(
    _ takenServices: TakenServices, _ body: (inout DeviceSaving) throws -> StoredDevice?
  ) throws(DeviceStoreError) -> StoredDevice? {
    try perform { queue in
      try queue.writeWithoutTransaction { db in
        for isDurable in [false, true] {
          if isDurable { try db.execute(sql: "PRAGMA synchronous = FULL") }
          defer { if isDurable { try? db.execute(sql: "PRAGMA synchronous = NORMAL") } }
          var stored: StoredDevice?
          var isDone = true
          try db.inTransaction(.immediate) {
            var saving = DeviceSaving(db, takenServices)
            stored = try body(&saving)
            isDone = isDurable || !saving.isSecretChanged
            return isDone ? .commit : .rollback
          }
          if isDone { return stored }
        }
        return nil
      }
    }
  }

  /// Copies the journal into the file and empties it, after something was deleted that nobody should find there.
  private func emptyJournal(_ db: Database) throws {
    var waits = 0
    while true {
      do {
        try db.checkpoint(.truncate)
        return
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        // SQLite waits for readers, but not for another process that copies the journal at the moment.
        if waits * 10 >= options.patienceMilliseconds { throw error }
        waits += 1
        usleep(10_000)
      }
    }
  }
}
