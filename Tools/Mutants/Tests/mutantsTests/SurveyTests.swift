import Foundation
import Testing

@testable import mutants

@Suite("What a survey found before")
struct SurveyTests {
  private static let notes =
    "7\nWireTests.Names/reads()\t0.25\t1 4\nDNSTests.Names/reads()\t0.5\t\nWireTests.Texts/cuts()\t2\t7"

  private func recalled(_ notes: String = notes, count: Int = 7, compiled: Set<String> = []) -> [String] {
    Tests.recalled(from: notes, count: count, compiled: compiled).values.sorted { $0.id < $1.id }.map {
      "\($0.id) \($0.seconds) \($0.reached.sorted())"
    }
  }

  @Test("it stands for a test until its module is compiled, and for none once the mutants or other code are others")
  func recall() {
    let (names, texts) = ("WireTests.Names/reads() 0.25 [1, 4]", "WireTests.Texts/cuts() 2.0 [7]")
    #expect(recalled() == ["DNSTests.Names/reads() 0.5 []", names, texts])
    #expect(recalled(compiled: ["DNSTests"]) == [names, texts])
    #expect(recalled(compiled: ["WireTests"]) == ["DNSTests.Names/reads() 0.5 []"])
    #expect(recalled(compiled: ["RollcallWire"]) == [])
    #expect(recalled(count: 8) == [])
    #expect(recalled("") == [])
    #expect(recalled("7\nWireTests.Names/reads()\t0.25") == [])
  }

  @Test("a module was compiled when one of its objects is younger, and the list of the tests is none")
  func compiled() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mutants-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let now = Date(timeIntervalSinceReferenceDate: 1_000)
    for (path, seconds) in [
      ("WireTests.build/a.swift.o", 1_001.0), ("WireTests.build/b.swift.o", 999), ("DNSTests.build/a.swift.o", 1_000),
      ("DNSTests.build/a.d", 1_002), ("CMutants.build/CMutants.c.o", 999), ("Yams.build/deep/b.o", 1_003),
      ("RollcallPackageTests.build/runner.swift.o", 1_004), ("other/a.o", 1_005),
    ] {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }
    #expect(Tests.modules(compiledAfter: now, below: folder) == ["WireTests", "Yams"])
    #expect(Tests.modules(compiledAfter: now, below: folder.appendingPathComponent("nowhere")) == [])
  }
}
