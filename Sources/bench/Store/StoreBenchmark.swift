import Foundation
import GRDBSQLite
import RollcallPrimitives
import RollcallStore

/// A store with many devices: all of them read, and one of them saved, beside what SQLite takes for the same bytes.
enum StoreBenchmark {
  private static let serviceCount = 6

  static func run(_ options: Options, _ report: Report) -> UInt64 {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rollcall-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      return try run(in: folder, options, report)
    } catch {
      report.note("store: left out: \(error)")
      return 0
    }
  }

  private static func run(in folder: URL, _ options: Options, _ report: Report) throws -> UInt64 {
    let count = options.size(10_000, smoke: 10)
    report.note(
      "store: \(count) devices with \(serviceCount) services each; the anchor is SQLite alone, with the same bytes and"
        + " settings")
    let store = try DeviceDatabase(path: folder.appending(path: "devices.sqlite").path)
    for number in 0..<count { try store.merge(device(number, at: 0)) }
    let bare = try BareTable(folder.appending(path: "bare.sqlite").path)
    for number in 0..<count { bare.put(number, DeviceRecord.bytes(of: device(number, at: 0))) }

    var devices: [StoredDevice] = []
    let load = Contest(
      [
        Contender("load") {
          // The devices of the last pass are released here, unmeasured.
          devices = []
          return {
            devices = (try? store.load()) ?? []
            return (1, UInt64(devices.count))
          }
        }, Contender("SQLite") { { (1, bare.sum()) } },
      ], passes: options.passes())
    precondition(devices.count == count, "all devices are read")
    report.add(
      Figure(
        name: "load all devices", value: load.median(0) / 1e6, unit: "ms",
        anchor: ("SQLite, records not looked at", load.median(1) / 1e6), ratio: load.ratio(0, to: 1),
        target: .atMost(100), aimsAtValue: true))

    let saves = options.size(1_000, smoke: 10)
    var step = 0
    func changed() -> [StoredDevice] {
      step += 1
      return (0..<saves).map { device($0 * 7 % count, at: step) }
    }
    let save = Contest(
      [
        Contender("save") {
          let devices = changed()
          return {
            for device in devices { _ = try? store.merge(device) }
            return (saves, UInt64(saves))
          }
        },
        Contender("SQLite") {
          let records = changed().enumerated().map { ($0 * 7 % count, DeviceRecord.bytes(of: $1)) }
          return {
            for (number, record) in records { bare.put(number, record) }
            return (saves, UInt64(saves))
          }
        },
      ], passes: options.passes())
    report.add(
      Figure(
        name: "save one changed device", value: save.median(0) / 1e3, unit: "us",
        anchor: ("SQLite, one bare insert", save.median(1) / 1e3), ratio: save.ratio(0, to: 1),
        target: .atMost(1_000), aimsAtValue: true))
    let first = try store.load(id: device(0, at: 0).id)
    precondition(first?.lastSeenUnixSeconds ?? 0 > 1_700_000_000, "what was changed is stored")
    return Proof.fold(load.proof, save.proof)
  }

  private static func device(_ number: Int, at step: Int) -> StoredDevice {
    // Ids by chance, as an application makes them.
    let word = UInt32(truncatingIfNeeded: number &* 2_654_435_761)
    let name = String(repeating: "0", count: 8 - String(word, radix: 16).count) + String(word, radix: 16)
    let address = "192.168.\(number / 250 % 250).\(number % 250)"
    return StoredDevice(
      id: "device-\(name)", friendlyName: "Living room television \(number)", modelName: "OLED55C\(number % 10)",
      manufacturer: "LG Electronics", addresses: [address, "fe80::1:\(name)"],
      lastSeenUnixSeconds: 1_700_000_000 + Int64(step), lastConnectedUnixSeconds: 1_700_000_000,
      services: (0..<serviceCount).map { place in
        StoredService(
          uuid: "2fac1234-31f8-11b4-a222-\(name)000\(place)", serviceID: ["DLNA", "DIAL", "Netcast TV"][place % 3],
          serviceType: "urn:schemas-upnp-org:device:MediaRenderer:\(place)",
          description: [
            "friendlyName": "Living room television \(number)", "modelName": "OLED55C\(number % 10)",
            "modelNumber": "1.\(place)", "manufacturer": "LG Electronics", "version": "3.1",
            "location": "http://\(address):\(1_900 + place)/description.xml",
          ], config: ["class": "DLNAService", "lastDetection": "\(1_700_000_000 + step)"])
      })
  }
}

/// A table of numbers and bytes, by SQLite's own interface: the least that a store of such bytes can cost.
private final class BareTable {
  private var database: OpaquePointer?
  private var insert: OpaquePointer?
  private var select: OpaquePointer?

  init(_ path: String) throws {
    let isOpen = sqlite3_open(path, &database) == SQLITE_OK
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;"
    let table = "CREATE TABLE record (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
    guard isOpen, sqlite3_exec(database, settings + table, nil, nil, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO record VALUES (?, ?)", -1, &insert, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, "SELECT bytes FROM record", -1, &select, nil) == SQLITE_OK
    else { throw AnchorAbsence(text: "SQLite cannot make \(path)") }
  }

  deinit {
    sqlite3_finalize(insert)
    sqlite3_finalize(select)
    sqlite3_close(database)
  }

  /// One transaction.
  func put(_ number: Int, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      sqlite3_bind_int64(insert, 1, Int64(number))
      sqlite3_bind_blob(insert, 2, bytes.baseAddress, Int32(bytes.count), nil)
      let result = sqlite3_step(insert)
      precondition(result == SQLITE_DONE, "SQLite inserts")
      sqlite3_reset(insert)
    }
  }

  /// The sum of the last bytes of all records, so that every page was read.
  func sum() -> UInt64 {
    var sum: UInt64 = 0
    while sqlite3_step(select) == SQLITE_ROW {
      let count = Int(sqlite3_column_bytes(select, 0))
      if let start = sqlite3_column_blob(select, 0), count > 0 {
        sum &+= UInt64(start.load(fromByteOffset: count - 1, as: UInt8.self))
      }
    }
    sqlite3_reset(select)
    return sum
  }
}
