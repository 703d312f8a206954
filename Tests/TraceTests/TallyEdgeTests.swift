import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

/// Tallies of refused datagrams.
@Suite("Edges of tallies") struct TallyEdgeTests {
  @Test("two tallies are one if they count the same reasons, whatever they list")
  func equality() {
    func tally(_ reasons: [RejectionReason], _ seconds: Int64 = 1) -> RejectionTally {
      var tally = RejectionTally()
      for reason in reasons { tally.add(Rejection(reason, at: 3), at: .zero + .seconds(seconds)) }
      return tally
    }
    let reasons = RejectionReason.allCases
    #expect(tally([reasons[0]]) == tally([reasons[0]], 2) && tally([reasons[0]]) != tally([reasons[1]]))
    #expect(tally([]) != tally([reasons[0]]))
    let all = tally(reasons + [reasons[2]])
    expectEqual(all.byReason.map(\.reason), reasons)
    expectEqual(all.byReason.map(\.count), reasons.indices.map { $0 == 2 ? 2 : 1 })
    #expect(all.count(of: reasons[0]) == 1 && all.count(of: reasons[2]) == 2 && all.total == reasons.count + 1)
  }
}
