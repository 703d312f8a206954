import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("How long a search listens") struct SearchWindowTests {
  @Test("a search listens for MX, a second at least, and a tenth of a second more")
  func listening() {
    let waits = [-1, 0, 1, 2, 5, 120].map { Search.listening(waitSeconds: $0) }
    expectEqual(waits, [1_100, 1_100, 1_100, 2_100, 5_100, 120_100].map { .milliseconds($0) })
  }

  @Test("MX of a captured search counts from 1 to 120 s")
  func captured() {
    expectEqual(
      [Int.min, 0, 1, 119, 120, 121, .max].map { Search.capturedWaitSeconds($0) }, [1, 1, 1, 119, 120, 120, 120])
    let searches = [0, 3, 500].map { Search(id: SearchID(1), target: "t", maximumWaitSeconds: $0) }
    expectEqual(searches.map(\.capturedListening), [1_100, 3_100, 120_100].map { .milliseconds($0) })
  }
}
