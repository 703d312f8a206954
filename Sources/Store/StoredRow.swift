import Foundation
import GRDB  // the trait Store
import RollcallPrimitives

/// A device with the number of its row.
struct StoredRow {
  var number: Int64
  var device: StoredDevice
  /// As it stands in the file.
  var record: Data

  private init(_ row: Row) throws {
    number = row[0]
    record = row[1]
    device = try StoredRow.device(row, 1)
  }

  static func find(id: String, _ db: Database) throws -> StoredRow? {
    let statement = try db.cachedStatement(sql: "SELECT number, record FROM device WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map(StoredRow.init)
  }

  static func find(uuid: StoredUUID, _ db: Database) throws -> StoredRow? {
    let statement = try db.cachedStatement(
      sql: "SELECT number, record FROM device WHERE number = (SELECT device FROM service_uuid WHERE uuid = ?)")
    return try Row.fetchOne(statement, arguments: [uuid.text]).map(StoredRow.init)
  }

  /// The device of a record, which is not copied before.
  static func device(_ row: Row, _ column: Int) throws -> StoredDevice {
    let device = try row.withUnsafeData(atIndex: column) { data in
      data.flatMap { $0.withUnsafeBytes(DeviceRecord.device(in:)) }
    }
    guard let device else { throw FoundDamage("a device whose checksum is wrong") }
    return device
  }
}

/// A device on its way into the file, within a transaction.
struct DeviceSaving {
  let db: Database
  let takenServices: TakenServices
  /// Whether a pairing key or a certificate is not what it was.
  private(set) var isSecretChanged = false

  init(_ db: Database, _ takenServices: TakenServices) { (self.db, self.takenServices) = (db, takenServices) }

  /// Puts a device into its row, or into a new one, and its UUIDs beside it.
  /// - Parameter keepsMoved: what is known of a service that moves here is kept.
  /// - Returns: the device as it is stored.
  mutating func put(_ given: StoredDevice, in old: StoredRow?, keepsMoved: Bool) throws -> StoredDevice {
    let known = old?.device.uuids ?? []
    var device = given
    let new = given.uuids.filter { !known.contains($0) }
    for uuid in new {
      guard var owner = try StoredRow.find(uuid: uuid, db), owner.number != old?.number else { continue }
      guard takenServices == .moved else {
        throw DeviceStoreError.taken(uuid: uuid.text, owner: owner.device.id, id: given.id)
      }
      let part = owner.device.handOver(uuid, to: device.id, taking: new)
      try remove(uuid)
      if owner.device.services.isEmpty {
        // Nothing is left to know it by.
        try db.cachedStatement(sql: "DELETE FROM device WHERE number = ?").execute(arguments: [owner.number])
      } else {
        try write(owner.device, number: owner.number)
      }
      if keepsMoved { device = part.merging(device) }
    }
    if let fault = device.fault { throw DeviceStoreError.unfit(id: device.id, fault) }
    let secrets = old?.device.services.map(\.secrets) ?? []
    isSecretChanged = device.services.contains { $0.hasSecret && !secrets.contains($0.secrets) }

    let number = try write(device, number: old?.number, instead: old?.record)
    let uuids = device.uuids
    for uuid in known where !uuids.contains(uuid) { try remove(uuid) }
    for uuid in uuids where !known.contains(uuid) {
      try db.cachedStatement(sql: "INSERT INTO service_uuid (uuid, device) VALUES (?, ?)")
        .execute(arguments: [uuid.text, number])
    }
    return device
  }

  private func remove(_ uuid: StoredUUID) throws {
    try db.cachedStatement(sql: "DELETE FROM service_uuid WHERE uuid = ?").execute(arguments: [uuid.text])
  }

  /// - Returns: the number of the row.
  @discardableResult private func write(
    _ device: StoredDevice, number: Int64?, instead old: Data? = nil
  ) throws -> Int64 {
    let record = Data(DeviceRecord.bytes(of: device))
    if record.count > StoredBounds.recordBytes {
      throw DeviceStoreError.unfit(
        id: device.id,
        .tooMuch(field: "all bytes of the device", found: record.count, maximum: StoredBounds.recordBytes))
    }
    if let number {
      if record == old { return number }
      try db.cachedStatement(
        sql: """
          UPDATE device SET last_seen_unix_seconds = ?, last_connected_unix_seconds = ?, record = ? WHERE number = ?
          """
      ).execute(arguments: [device.lastSeenUnixSeconds, device.lastConnectedUnixSeconds, record, number])
      return number
    }
    try db.cachedStatement(
      sql: """
        INSERT INTO device (id, last_seen_unix_seconds, last_connected_unix_seconds, record) VALUES (?, ?, ?, ?)
        """
    ).execute(arguments: [device.id, device.lastSeenUnixSeconds, device.lastConnectedUnixSeconds, record])
    return db.lastInsertedRowID
  }
}

extension StoredService {
  fileprivate var hasSecret: Bool { pairingKey != nil || certificate != nil }
  /// What has to be on the disk before a call returns, and for which service.
  fileprivate var secrets: StoredService {
    StoredService(
      uuid: StoredUUID(uuid).text, serviceID: serviceID, pairingKey: pairingKey, certificate: certificate)
  }
}
