import RollcallExpectations
import Testing

@testable import RollcallDiscovery

/// The marks of which a search was told.
@Suite("Leases of which a search was told") struct ToldLeasesTests {
  /// Notes these marks, and compares what is held with a set, for the marks and those beside them.
  private func check(_ marks: [UInt32], _ name: String) {
    var told = ToldLeases()
    var known = Set<UInt32>()
    for mark in marks {
      told.note(mark)
      known.insert(mark)
    }
    for mark in marks {
      for other in [mark, mark &+ 1, mark &- 1, mark &+ 32, mark &- 32, mark ^ 1 << 31] {
        if told.holds(other) != known.contains(other) {
          expectEqual(told.holds(other), known.contains(other), "\(name): \(other)")
          return
        }
      }
    }
  }

  @Test("marks are held that were noted, and no others")
  func marks() {
    expectEqual(ToldLeases().holds(1), false)
    check([1], "one")
    check([.max, 0, 31, 32, 63, 64], "bounds of words")
    check(Array(1...5_000), "in a row")
    check((1...5_000).reversed(), "in a row, backwards")
    check((1...5_000).map { $0 * 2 }, "every other")
    check((1...5_000).map { $0 * 32 }, "one a word")
    check((0..<5_000).map { $0 &* 720_896 }, "far apart")
    check((0..<5_000).map { UInt32(truncatingIfNeeded: $0 &* 2_654_435_761) }, "in no order")
  }

  @Test("beyond its words it takes no mark of another word, and still those of the words that it has")
  func bound() {
    var told = ToldLeases()
    let maximum = UInt32(ToldLeases.wordCountMaximum)
    for number in 0...maximum { told.note(number * 32) }
    expectEqual(told.holds((maximum - 1) * 32), true)
    expectEqual(told.holds(maximum * 32), false)
    told.note(7)
    expectEqual(told.holds(7), true)
    told.note(maximum * 32 + 1)
    expectEqual(told.holds(maximum * 32 + 1), false)
    told.note((maximum - 1) * 32 + 31)
    expectEqual(told.holds((maximum - 1) * 32 + 31), true)
    expectEqual(told.holds((maximum - 1) * 32 + 30), false)
  }
}
