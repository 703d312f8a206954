import RollcallExpectations
import RollcallPicturing
import RollcallPrimitives
import RollcallReporting
import Testing

@testable import RollcallReducing

/// The picture of a comparison of two runs.
@Suite("Pictures of comparisons") struct ComparisonPictureTests {
  @Test("reports that one packet caused come of one mark on each side, and a packet has the lane of its advertiser")
  func packets() {
    let pdu: [UInt8] = [0x42, 9] + [UInt8](repeating: 0xC1, count: 6) + [2, 1, 6]
    let packet = RadioPDU(channel: 37, strength: -60, accessAddress: 0x8E89_BED6, bytes: pdu)
    let second = Instant.zero + .seconds(1)
    let cause = DiffDatagram(packet, frame: nil, at: second)
    var side = DiffSide(kind: .scenario, title: "a run", path: "tv.yaml", base: .zero)
    side.reports = [
      WrittenReport(.lost(device: "uuid:a", cause: .byebye), time: second, place: nil),
      WrittenReport(.lost(device: "uuid:b", cause: .byebye), time: second, place: nil),
      WrittenReport(.lost(device: "uuid:c", cause: .expired), time: second + .seconds(1), place: 7),
    ]
    side.inputs = [cause, cause, nil]
    let picture = DiffPicture.picture(of: ReportDiff(side, side))
    let rows = picture.marks.map { mark in
      let cause = mark.cause < 0 ? "" : " by \(mark.cause)"
      return "\(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause)"
    }
    expectEqual(
      rows,
      [
        "sent c1:c1:c1:c1:c1:c1/random 0", "heard A 0 by 0", "lost A 0 by 1", "lost A 0 by 1",
        "sent c1:c1:c1:c1:c1:c1/random 0", "heard B 0 by 4", "lost B 0 by 5", "lost B 0 by 5",
        "lost A 7", "lost B 7",
      ])
    expectEqual(picture.unit, .entry)
    expectEqual(picture.outcome, Picture.Outcome("equal", .good))
  }
}
