import RollcallExpectations
import Testing

@testable import RollcallConformance
@testable import RollcallJudging

@Suite("Lines of multicast DNS") struct MulticastLineTests {
  @Test("a finding and a clause name the one edition of their standard")
  func edition() throws {
    let fixture = try #require(MulticastFixture.all.first { $0.clause == "MD-12" })
    let rows = MulticastFixture.judged(fixture.breaks).rows
    let row = try #require(rows.first { $0.clause.id == "MD-12" })
    let line = JudgementLines.json(row, input: "a.pcap", isTrace: false)
    #expect(line.contains(#""role":"device","mdns":"RFC 6762","verdict":"violated""#), "\(line)")
    let clause = JudgementLines.json(row.clause)
    #expect(clause.contains(#""level":"must","prohibition":true,"since":"RFC 6762","observed""#), "\(clause)")
  }

  @Test("an edition is shown with its version where its standard has several")
  func names() {
    let shown = [Edition.rfc6762, .bluetooth40, Edition(.uda, number: 11)].map { "\($0.name), \($0.text)" }
    expectEqual(shown, ["RFC 6762, RFC 6762", "Bluetooth 4.0, 4.0", "UDA 1.1, 1.1"])
  }
}
