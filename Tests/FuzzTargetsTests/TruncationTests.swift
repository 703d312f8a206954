import RollcallFuzzTargets
import Testing

/// A datagram, a frame and a file may end at any byte; `make fuzz-smoke` does the same to every file of the corpus.
@Suite("Truncation")
struct TruncationTests {
  private static let readers = allTargets.filter { $0.kind == .reader }.map(\.name)

  @Test("a reader holds for every beginning of every small sample", arguments: readers)
  func sweep(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    var runs = 0
    let least = target.seeds.map(\.count).min()
    for seed in target.seeds where seed.count <= 120 || seed.count == least {
      for end in 0...seed.count {
        runs += 1
        do { try target.run(Array(seed[..<end])) } catch { Issue.record("cut at \(end), \(error.what): \(seed)") }
      }
    }
    #expect(runs > 20)
  }
}
