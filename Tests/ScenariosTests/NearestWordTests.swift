import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// How a slip in a word is recognised, and what an error says of it.
@Suite("Nearest words of scenario errors") struct NearestWordTests {
  @Test("insertions, deletions, substitutions and swaps of neighbours cost one each")
  func distances() {
    let rows: [(left: String, right: String, distance: Int)] = [
      ("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("a", "", 1), ("a", "ab", 1), ("ab", "a", 1),
      ("a", "b", 1), ("ab", "ba", 1), ("abc", "bac", 1), ("abc", "acb", 1), ("ca", "abc", 3), ("kitten", "sitting", 3),
    ]
    for (left, right, distance) in rows {
      expectEqual(editDistance(Array(left.utf8), Array(right.utf8)), distance, "\(left) \(right)")
    }
  }

  @Test("a word is near within one slip of a short one and more of a long one, if something of it is left")
  func nearness() {
    let rows: [(written: String, known: [String], near: String?)] = [
      ("", ["a"], nil), ("a", ["b"], nil), ("a", ["a"], "a"), ("ab", ["ac"], "ac"), ("ab", ["a"], nil),
      ("a", ["ab"], nil), ("abc", ["abd"], "abd"), ("abc", ["ade"], nil), ("abcd", ["abef"], "abef"),
      ("abcd", ["aefg"], nil), ("mode", ["mo"], nil), ("mode", ["mod"], "mod"),
      ("mode", ["code", "modes", "mode"], "mode"), ("mode", ["code", "modes"], "code"),
    ]
    for (written, known, near) in rows { expectEqual(nearest(to: written, of: known), near, "\(written) \(known)") }
  }

  @Test("the first 64 bytes of two words are compared")
  func longWords() {
    let alike = String(repeating: "a", count: 64)
    let other = String(repeating: "a", count: 42) + String(repeating: "b", count: 22)
    // A third of the length and one more may differ.
    expectEqual(nearest(to: alike, of: [other]), other)
    expectEqual(nearest(to: alike + "x", of: [other]), other)
    expectEqual(nearest(to: alike, of: [other + "x"]), other + "x")
    expectEqual(nearest(to: alike, of: [String(other.dropFirst()) + "b"]), nil)
  }

  @Test("an error lists the known words where none is near, unless there are more than 24 of them")
  func suggestions() {
    let words = (1...25).map { "w\($0)" }
    expectEqual(suggestion(for: "w1", of: words), ", did you mean 'w1'?")
    expectEqual(suggestion(for: "zzzzzz", of: []), "")
    expectEqual(suggestion(for: "zzzzzz", of: ["a", "b"]), "; known are a, b")
    expectEqual(
      suggestion(for: "zzzzzz", of: Array(words.prefix(24))), "; known are " + words.prefix(24).joined(separator: ", "))
    expectEqual(suggestion(for: "zzzzzz", of: words), "")
  }

  @Test("an error names line and column where it has them")
  func places() {
    let placed = ScenarioError(file: "x.yaml", line: 1, column: 2, message: "m")
    expectEqual(placed.description, "x.yaml:1:2: error: m")
    expectEqual(ScenarioError(file: "x.yaml", line: 0, column: 0, message: "m").description, "x.yaml: error: m")
  }
}
