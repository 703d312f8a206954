import Foundation
import RollcallExpectations
import Testing
import RollcallWire

@Suite("SSDP form, by recorded cases")
struct SSDPGoldenTests {
  @Test("every recorded case still has its outcome in both modes")
  func everyCase() throws {
    let golden = try SSDPGolden()
    #expect(golden.cases.count >= 80)
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try golden.record()
      Issue.record("outcomes were rewritten: read the difference, then run without RECORD")
      return
    }
    for `case` in golden.cases {
      expectEqual(SSDPGolden.outcome(`case`.input, .lenient), `case`.lenient, "\(`case`.name), lenient")
      expectEqual(SSDPGolden.outcome(`case`.input, .strict), `case`.strict, "\(`case`.name), strict")
    }
  }

  @Test("no two cases have the same name, and every case has an outcome for both modes")
  func wellFormed() throws {
    let cases = try SSDPGolden().cases
    expectEqual(Set(cases.map(\.name)).count, cases.count)
    #expect(cases.allSatisfy { !$0.lenient.isEmpty && !$0.strict.isEmpty })
  }
}
