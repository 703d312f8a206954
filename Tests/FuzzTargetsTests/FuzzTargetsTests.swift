import Foundation
import RollcallExpectations
import RollcallFuzzTargets
import RollcallPrimitives
import Testing

@Suite("Fuzz targets")
struct FuzzTargetsTests {
  static let honest = allTargets.filter { $0.kind != .canary }.map(\.name)

  @Test("a target holds for its seeds, its corpus and hundreds of inputs made of them", arguments: honest)
  func holds(name: String) throws {
    var target = try #require(FuzzTarget.named(name))
    #expect(!target.seeds.isEmpty)
    target.seeds += Corpus.files(of: name)
    for (number, bytes) in target.seeds.enumerated() {
      do { try target.run(bytes) } catch { Issue.record("seed \(number), \(error.what): \(bytes)") }
    }
    var mutations = FuzzMutations(of: target, seed: Seed(7))
    // A machine does in one run what a reader does in a hundred; `make fuzz-smoke` gives both many more.
    mutations.byteCountMaximum = target.kind == .machine ? 60 : 600
    for number in 0..<(target.kind == .machine ? 250 : 1_000) {
      let bytes = mutations.next()
      do {
        try target.run(bytes)
      } catch {
        Issue.record("input \(number), \(error.what): \(bytes)")
        break
      }
    }
  }

  @Test("a target holds for no bytes, and for one byte of every value", arguments: honest)
  func smallest(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    try target.run([])
    for byte in UInt8.min...UInt8.max { try target.run([byte]) }
  }

  @Test("the canary is found among two thousand inputs, so the alarm rings")
  func canary() throws {
    let target = try #require(FuzzTarget.named("canary"))
    for bytes in target.seeds { try target.run(bytes) }
    var mutations = FuzzMutations(of: target, seed: Seed(7))
    var findings = 0
    for _ in 0..<2_000 {
      do { try target.run(mutations.next()) } catch { findings += 1 }
    }
    #expect(findings > 0)
  }

  @Test("the same seed gives the same inputs, another seed gives others")
  func repeatable() throws {
    let target = try #require(FuzzTarget.named("ssdp-lenient"))
    func inputs(_ seed: UInt64) -> [[UInt8]] {
      var mutations = FuzzMutations(of: target, seed: Seed(seed))
      return (0..<50).map { _ in mutations.next() }
    }
    expectEqual(inputs(1), inputs(1))
    #expect(inputs(1) != inputs(2))
    #expect(Set(inputs(1)).count > 40)
  }

  @Test("names are unique, and a dictionary is text that libFuzzer reads")
  func table() {
    expectEqual(Set(allTargets.map(\.name)).count, allTargets.count)
    #expect(FuzzTarget.named("nothing") == nil)
    for target in allTargets {
      // libFuzzer refuses an empty one.
      #expect(!target.dictionaryText.isEmpty, "\(target.name)")
      for line in target.dictionaryText.split(separator: "\n") {
        #expect(line.count > 2 && line.hasPrefix("\"") && line.hasSuffix("\""))
        #expect(!line.unicodeScalars.contains { $0.value < 32 })
      }
    }
  }

  @Test("every folder of the corpus belongs to a target, and together they are small")
  func corpus() {
    #expect(Set(Corpus.folders).isSubset(of: Set(Self.honest)))
    let byteCount = Corpus.folders.flatMap { Corpus.files(of: $0) }.reduce(0) { $0 + $1.count }
    #expect(byteCount > 0 && byteCount < 300_000)
  }
}

/// Inputs that are kept as files: cuts of the project's own captures, and everything that was ever found.
enum Corpus {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

  static var folders: [String] { names(in: root) }

  static func files(of target: String) -> [[UInt8]] {
    let folder = root.appending(path: target)
    return names(in: folder).compactMap { try? Array(Data(contentsOf: folder.appending(path: $0))) }
  }

  static func file(_ name: String, of target: String) throws -> [UInt8] {
    try Array(Data(contentsOf: root.appending(path: target).appending(path: name)))
  }

  private static func names(in folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { !$0.hasPrefix(".") }.sorted()
  }
}
