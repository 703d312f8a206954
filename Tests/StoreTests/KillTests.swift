import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallStore
import Testing
import rollcall_store_sample

@Suite("A store whose process is killed") struct KillTests {
  /// Kills; a proof takes more (`ROLLCALL_STORE_KILLS`), never fewer.
  private static let killCount = max(30, provedKills ?? 0)
  private static let provedKills = ProcessInfo.processInfo.environment["ROLLCALL_STORE_KILLS"].flatMap { Int($0) }

  @Test("after each kill -9 the store has every step that was told, at most one more, and all of it whole")
  func kills() throws {
    try withFolder { folder in
      var random = RandomStream(mixing: 1, 9)
      var stepsTold = 0
      var inside = 0
      var expected: [StoredDevice] = []
      var next = 0
      for kill in 0..<KillTests.killCount {
        // A hundred kills on one file, so that it grows, and is opened after many kills; then a new one.
        let path = folder.appendingPathComponent("devices-\(kill / 100).sqlite").path
        if kill % 100 == 0 { (expected, next) = ([], 0) }
        var process = try SampleProcess(["write", path, String(next), "100000"])
        // 0: before it begins; 1: while it makes or opens the file; else after so many steps.
        process.read(lines: Int(random.below(24)))
        // And some of the next step: counting takes the place of a clock.
        var spins = random.below(300_000)
        while spins > 0 { spins &-= 1 }
        process.kill()
        let told = max(0, process.lines.count - 2)
        expectEqual(
          process.lines,
          Array((["begins", "open"] + (next..<next + told).map(String.init)).prefix(process.lines.count)))
        for step in next..<next + told { SampleDevices.Step(step).apply(to: &expected) }
        next += told
        stepsTold += told
        var oneMore = expected
        SampleDevices.Step(next).apply(to: &oneMore)

        let store = try DeviceDatabase(path: path)
        let found = try store.load()
        if found == byID(oneMore), found != byID(expected) {
          (expected, next) = (oneMore, next + 1)
          inside += 1
        }
        expectEqual(found, byID(expected), "kill \(kill) after step \(next)")
        for uuid in expected.first?.uuids ?? [] {
          expectEqual(try store.load(uuids: [uuid.text]).map(\.id), [expected[0].id])
        }
        try #require(found == byID(expected))
      }
      if KillTests.provedKills != nil {
        let kills = KillTests.killCount
        print("kills: \(kills), none lost of \(stepsTold) steps told; \(inside) kills between a commit and its word")
      }
      // No kill left anything beside the files of the stores.
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      expectEqual(names.filter { !$0.hasPrefix("devices-") || $0.contains("damaged") || $0.hasSuffix(".part") }, [])
    }
  }

  private func byID(_ devices: [StoredDevice]) -> [StoredDevice] {
    devices.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }

  @Test("of two processes that add to one number no addition is lost")
  func counting() throws {
    try withStorePath { path in
      let store = try DeviceDatabase(path: path)
      try store.merge(television())
      var processes = try (0..<2).map { _ in try SampleProcess(["count", path, "tv", "150"]) }
      for index in processes.indices { expectEqual(processes[index].finish(), 0, "\(processes[index].lines)") }
      expectEqual(try store.load(id: "tv")?.services.first?.config["count"], "300")
    }
  }

  @Test("two processes that make a store at once make one, with the devices of both")
  func making() throws {
    try withStorePath { path in
      var processes = try [0, 5].map { try SampleProcess(["write", path, String($0), "4"]) }
      for index in processes.indices { expectEqual(processes[index].finish(), 0, "\(processes[index].lines)") }
      var expected: [StoredDevice] = []
      for step in Array(0..<4) + Array(5..<9) { SampleDevices.Step(step).apply(to: &expected) }
      expectEqual(try DeviceDatabase(path: path).load(), byID(expected))
    }
  }
}
