import FuzzTargets
import Primitives
import Testing

@Suite("Fuzz targets")
struct FuzzTargetsTests {
  private static let honest = allTargets.filter { $0.name != "canary" }.map(\.name)

  @Test("a target holds for its seeds and for two thousand inputs made of them", arguments: honest)
  func holds(name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    #expect(!target.seeds.isEmpty)
    for bytes in target.seeds { try target.run(bytes) }
    var mutations = FuzzMutations(of: target, seed: Seed(7))
    for number in 0..<2_000 {
      let bytes = mutations.next()
      do { try target.run(bytes) } catch { Issue.record("input \(number), \(error.what): \(bytes)") }
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
    #expect(inputs(1) == inputs(1))
    #expect(inputs(1) != inputs(2))
    #expect(Set(inputs(1)).count > 40)
  }

  @Test("names are unique, and a dictionary is text that libFuzzer reads")
  func table() {
    #expect(Set(allTargets.map(\.name)).count == allTargets.count)
    #expect(FuzzTarget.named("nothing") == nil)
    for target in allTargets {
      for line in target.dictionaryText.split(separator: "\n") {
        #expect(line.count > 2 && line.hasPrefix("\"") && line.hasSuffix("\""))
        #expect(!line.unicodeScalars.contains { $0.value < 32 })
      }
    }
  }
}
