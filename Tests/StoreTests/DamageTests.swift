import Foundation
import GRDB
import RollcallExpectations
import RollcallPrimitives
import RollcallStore
import Testing
import rollcall_store_sample

@Suite("A file that is no store") struct DamageTests {
  /// Writes bytes as the file, opens it, and expects that they are kept under the first free number.
  private func expectPutAway(_ bytes: [UInt8], _ found: String) throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      try Data("a neighbour".utf8).write(to: folder.appendingPathComponent("devices.sqlite.damaged-1"))
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let damage = DamagedStore(path: path, found: found, keptAs: path + ".damaged-2")
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .damaged(damage))
      expectEqual(
        try contents(of: folder).filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") },
        ["devices.sqlite.damaged-1": Array("a neighbour".utf8), "devices.sqlite.damaged-2": bytes])

      let store = try DeviceDatabase(path: path)
      expectEqual(try store.load(), [])
      try store.merge(television())
      store.close()
      expectEqual(try DeviceDatabase(path: path).load(), [television()])
      let journals = store.keptFiles.filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }
      expectEqual(
        store.keptFiles.filter { !journals.contains($0) }, [path + ".damaged-1", path + ".damaged-2"])
      expectEqual(try contents(of: folder)["devices.sqlite.damaged-2"], bytes)
    }
  }

  /// The bytes of a store with a hundred devices.
  private func store() throws -> [UInt8] {
    try withStorePath { path in
      do {
        let store = try DeviceDatabase(path: path)
        for number in 0..<100 { try store.merge(SampleDevices.device(number, at: number)) }
      }
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
  }

  @Test("bytes by chance, an empty file and a text are put away")
  func noDatabase() throws {
    var random = RandomStream(mixing: 3, 4)
    try expectPutAway((0..<20_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }, "no database")
    try expectPutAway([], "an empty file")
    try expectPutAway(Array("devices: none\n".utf8), "no database")
  }

  @Test("another database of SQLite is put away, as it was")
  func otherDatabase() throws {
    let bytes = try withStorePath { path in
      try change(path) { try $0.execute(sql: "CREATE TABLE photos (id INTEGER PRIMARY KEY)") }
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    try expectPutAway(bytes, "another database of SQLite")
  }

  @Test("a store that was cut at any page is put away as it was")
  func truncated() throws {
    let bytes = try store()
    let inside = [1, 15, 99, 100, 512, 4_095, 6_000, bytes.count / 2 + 7]
    for count in inside + stride(from: 4_096, to: bytes.count, by: 4_096) {
      try withStorePath { path in
        try Data(bytes.prefix(count)).write(to: URL(fileURLWithPath: path))
        guard case .damaged(let damage) = failure({ _ = try DeviceDatabase(path: path) }) else {
          Issue.record("\(count) bytes are a store")
          return
        }
        expectEqual(damage.keptAs, path + ".damaged-1")
        let kept = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".damaged-1")))
        expectEqual(kept, Array(bytes.prefix(count)))
        expectEqual(try DeviceDatabase(path: path).load(), [])
      }
    }
  }

  @Test("where the last page was cut, no device is read that is not whole")
  func lastPage() throws {
    let bytes = try store()
    let expected = (0..<100).map { SampleDevices.device($0, at: $0) }
    for count in [1, 2, 100, 2_000, 4_095] {
      try withStorePath { path in
        try Data(bytes.dropLast(count)).write(to: URL(fileURLWithPath: path))
        do {
          expectEqual(Set(try DeviceDatabase(path: path).load()), Set(expected), "\(count) bytes less")
        } catch {
          guard case .damaged(let damage) = error as? DeviceStoreError else { throw error }
          expectEqual(damage.keptAs, path + ".damaged-1")
        }
      }
    }
  }

  @Test("a page of which a part was overwritten is found, whichever page it is, and never read as something else")
  func pages() throws {
    let bytes = try store()
    var random = RandomStream(mixing: 5, 6)
    let expected = try withStorePath { path in
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return try DeviceDatabase(path: path).load()
    }
    var atOpening = 0
    var atLoading = 0
    for page in 0..<bytes.count / 4_096 {
      try withStorePath { path in
        var changed = bytes
        let start = page * 4_096 + Int(random.below(3_000))
        for place in start..<start + 1_000 { changed[place] = UInt8(truncatingIfNeeded: random.next()) }
        try Data(changed).write(to: URL(fileURLWithPath: path))
        var error: DeviceStoreError?
        do {
          let store = try DeviceDatabase(path: path)
          error = failure {
            // What lies between the devices may be anything.
            expectEqual(try store.load(), expected, "page \(page)")
          }
          if error != nil {
            atLoading += 1
            expectEqual(failure { _ = try store.load() }, .closed(path: path))
          }
        } catch {
          guard case .damaged = error as? DeviceStoreError else { throw error }
          atOpening += 1
          expectEqual([UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".damaged-1"))), changed)
          return
        }
        guard let error else { return }
        expectEqual(
          error,
          .damaged(
            DamagedStore(path: path, found: "a device whose checksum is wrong", keptAs: path + ".damaged-1")))
        expectEqual([UInt8](try Data(contentsOf: URL(fileURLWithPath: path + ".damaged-1"))), changed)
        expectEqual(try DeviceDatabase(path: path).load(), [])
      }
    }
    #expect(atOpening > 5 && atLoading > 5, "\(atOpening) at opening, \(atLoading) at loading")
  }

  @Test("a journal that was left without its file is put away, and not applied to a new one")
  func journalAlone() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      var process = try SampleProcess(["write", path, "0", "100000"])
      process.read(lines: 12)
      process.kill()
      let journal = try #require(try contents(of: folder)["devices.sqlite-wal"])
      try #require(journal.count > 4_096)
      try FileManager.default.removeItem(atPath: path)
      let damage = DamagedStore(
        path: path, found: "the journal of a store without its file", keptAs: path + ".damaged-1")
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .damaged(damage))
      expectEqual(try contents(of: folder)["devices.sqlite.damaged-1-wal"], journal)
      expectEqual(try DeviceDatabase(path: path).load(), [])
      expectEqual(
        try DeviceDatabase(path: path).keptFiles, [path + ".damaged-1-shm", path + ".damaged-1-wal"])
    }
  }

  @Test("the journal of a damaged store is kept beside it; one that is whole repairs the file, and nothing is lost")
  func journalKept() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      func damage(_ path: String) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[0] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
      }
      // Copies, as of a process that ended at this moment: all is in the journal still.
      let source = try DeviceDatabase(path: folder.appendingPathComponent("source.sqlite").path)
      let devices = (0..<5).map { SampleDevices.device($0, at: $0) }
      for device in devices { try source.merge(device) }
      func copy() throws {
        for ending in ["", "-wal"] {
          try FileManager.default.copyItem(atPath: source.path + ending, toPath: path + ending)
        }
      }
      try copy()
      try damage(path)
      expectEqual(try DeviceDatabase(path: path).load(), devices)
      try FileManager.default.removeItem(atPath: path)

      try copy()
      try damage(path)
      try damage(path + "-wal")
      let before = try contents(of: folder)
      let kept = DamagedStore(path: path, found: "no database", keptAs: path + ".damaged-1")
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .damaged(kept))
      for ending in ["", "-wal"] {
        expectEqual(try contents(of: folder)["devices.sqlite.damaged-1" + ending], before["devices.sqlite" + ending])
      }
    }
  }

  @Test("a store that another process has put away meanwhile is not put away again")
  func putAwayElsewhere() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let store = try DeviceDatabase(path: path)
      try store.merge(television())
      try change(path) { try $0.execute(sql: "UPDATE device SET record = x'01'") }
      try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
      for ending in ["-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + ending) }
      try DeviceDatabase(path: path).merge(television("other"))
      expectEqual(
        failure { _ = try store.load() },
        .damaged(DamagedStore(path: path, found: "a device whose checksum is wrong", keptAs: nil)))
      expectEqual(try DeviceDatabase(path: path).load(), [television("other")])
    }
  }

  @Test("a number that a journal of another damaged store has is not free; a journal of any kind alone is put away")
  func takenByJournal() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      for name in [".damaged-1-wal", ".damaged-2-shm", ".damaged-3-journal"] {
        try Data().write(to: URL(fileURLWithPath: path + name))
      }
      try Data("devices: none\n".utf8).write(to: URL(fileURLWithPath: path))
      let damage = DamagedStore(path: path, found: "no database", keptAs: path + ".damaged-4")
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .damaged(damage))
      try Data("a journal".utf8).write(to: URL(fileURLWithPath: path + "-journal"))
      let alone = DamagedStore(
        path: path, found: "the journal of a store without its file", keptAs: path + ".damaged-5")
      expectEqual(failure { _ = try DeviceDatabase(path: path) }, .damaged(alone))
      expectEqual(try contents(of: folder)["devices.sqlite.damaged-5-journal"], Array("a journal".utf8))
      expectEqual(try contents(of: folder)["devices.sqlite-journal"], nil)
    }
  }

  /// Whether a process can be started here that must not give a second name to a file of somebody else.
  static let canForbidNames: Bool = {
    let isProtected = "test \"$(cat /proc/sys/fs/protected_hardlinks)\" = 1"
    var probe = try? SampleProcess(
      [], shell: "{ \(isProtected) && setpriv --bounding-set=-all test -x \"$1\" && echo yes; } 2>/dev/null")
    probe?.finish()
    return probe?.lines == ["yes"]
  }()

  /// What a process without root's capabilities says of a store.
  private func shownWithoutRights(_ path: String) throws -> [String] {
    var process = try SampleProcess(["show", path], shell: "exec setpriv --bounding-set=-all \"$@\"")
    process.finish()
    return process.lines
  }

  @Test(
    "where a file cannot have two names it gets another one instead",
    .enabled(if: DamageTests.canForbidNames, "it needs root, setpriv and protected_hardlinks"))
  func renamed() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      try Data("a journal".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
      try #require(chown(path + "-wal", 65_534, 65_534) == 0)
      let damage = DamagedStore(
        path: path, found: "the journal of a store without its file", keptAs: path + ".damaged-1")
      try expectEqual(shownWithoutRights(path), ["failed: \(DeviceStoreError.damaged(damage))"])
      expectEqual(try contents(of: folder), ["devices.sqlite.damaged-1-wal": Array("a journal".utf8)])
    }
  }

  @Test(
    "where a file keeps its old name, since only its owner may remove it, the error says so, and nothing is lost",
    .enabled(if: DamageTests.canForbidNames, "it needs root, setpriv and protected_hardlinks"))
  func notRemoved() throws {
    try withFolder { folder in
      let path = folder.appendingPathComponent("devices.sqlite").path
      let journal = Array("a journal".utf8)
      try Data(journal).write(to: URL(fileURLWithPath: path + "-wal"))
      try #require(chmod(path + "-wal", 0o666) == 0 && chown(path + "-wal", 65_534, 65_534) == 0)
      try #require(chown(folder.path, 65_534, 65_534) == 0 && chmod(folder.path, 0o1777) == 0)
      let refusal = DeviceStoreError.denied(path: path, reason: "Operation not permitted")
      try expectEqual(shownWithoutRights(path), ["failed: \(refusal)"])
      expectEqual(
        try contents(of: folder), ["devices.sqlite-wal": journal, "devices.sqlite.damaged-1-wal": journal])
    }
  }
}
