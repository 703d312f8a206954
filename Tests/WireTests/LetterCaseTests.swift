import RollcallExpectations
import Testing

@testable import RollcallWire

@Suite("The case of letters") struct LetterCaseTests {
  @Test("of all pairs of bytes only a letter and its other case count as one")
  func pairs() {
    let all = Array(UInt8.min...UInt8.max)
    all.withUnsafeBytes { buffer in
      let slices = all.indices.map { UnsafeRawBufferPointer(rebasing: buffer[$0..<($0 + 1)]) }
      for (left, one) in slices.enumerated() {
        let isLetter = (65...90).contains(left & ~32)
        var same: [Int] = []
        for (right, other) in slices.enumerated() where USN.areEqualUUIDs(one, other) { same.append(right) }
        expectEqual(same, (isLetter ? [left & ~32, left | 32] : [left]), "\(left)")
      }
      expectEqual(Set(slices.map { USN.hash(ofUUID: $0) }).count, 256 - 26)
    }
  }

  @Test("bytes begin with a prefix, or are a text, only if they have as many")
  func prefixes() {
    func begins(_ text: String, _ prefix: StaticString) -> Bool {
      Array(text.utf8).withUnsafeBytes { ASCIICase.hasPrefix($0, prefix) }
    }
    func isExactly(_ text: String, _ other: StaticString) -> Bool {
      Array(text.utf8).withUnsafeBytes { ASCIICase.isExactly($0, other) }
    }
    // Whether the text begins with `uuid:`, and whether it is that to the byte.
    let cases: [(text: String, isBegun: Bool, isExact: Bool)] = [
      ("", false, false), ("u", false, false), ("uu", false, false), ("uui", false, false), ("uuid", false, false),
      ("UUID", false, false), ("uuid:", true, true), ("UuiD:", true, false), ("uuid:x", true, false),
      ("uuid::", true, false), ("uuid;", false, false), ("xuuid:", false, false), ("uuidz", false, false),
      ("\u{15}uid:", false, false), ("uuid\u{1A}", false, false),
    ]
    for (text, isBegun, isExact) in cases {
      #expect(begins(text, "uuid:") == isBegun && isExactly(text, "uuid:") == isExact, "\(text)")
    }
    #expect(begins("", "") && begins("x", "") && isExactly("", "") && !isExactly("x", ""))
  }
}
