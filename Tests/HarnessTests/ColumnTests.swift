import RollcallExpectations
import RollcallReporting
import Testing

@Suite("Columns of text") struct ColumnTests {
  @Test("text is filled up to its width, and followed by a gap where it is longer")
  func padded() {
    expectEqual(["", "ab", "abc", "abcd"].map { $0.padded(to: 3) }, ["   ", "ab ", "abc", "abcd"])
    expectEqual(["ab", "abc", "abcd"].map { $0.padded(to: 3, gap: 1) }, ["ab ", "abc ", "abcd "])
  }

  @Test("numbers stand on the right, and are not cut")
  func right() { expectEqual(["", "7", "123", "1234"].map { $0.rightAligned(to: 3) }, ["   ", "  7", "123", "1234"]) }
}
