import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import Testing

@testable import RollcallPicturing
@testable import RollcallReducing

/// The picture of a comparison of two runs, and of a run and a capture.
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

  // MARK: - All of a picture

  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  private static func lost(_ device: String, _ cause: LossCause, _ time: Int64, _ place: Int?) -> WrittenReport {
    WrittenReport(.lost(device: device, cause: cause), time: at(time), place: place)
  }

  private static let sender = Endpoint(IPAddress(10, 0, 0, 5), port: 1900)
  private static let group = Endpoint(IPAddress(239, 255, 255, 250), port: 1900)

  private static func byebye(_ time: Int64) -> DiffDatagram {
    DiffDatagram(
      frame: 8, time: at(time), source: sender, destination: group, type: "notify-byebye",
      fields: [DiffField(name: "NT", value: "x")])
  }

  /// A run with five reports, of which the first two are alike, and a capture with four.
  private static func diff() throws -> ReportDiff {
    let pdu: [UInt8] = [0x42, 9] + [UInt8](repeating: 0xC1, count: 6) + [2, 1, 6]
    let packet = RadioPDU(channel: 37, strength: -60, accessAddress: 0x8E89_BED6, bytes: pdu)
    let (first, second) = (lost("uuid:x", .byebye, 1_000, 4), lost("uuid:y", .expired, 2_000, nil))
    var left = DiffSide(kind: .scenario, title: "left", path: "left.yaml", base: .zero)
    left.reports = [first, first, second, lost("uuid:z", .byebye, 3_000, 9), lost("uuid:w", .byebye, 4_000, nil)]
    left.inputs = [
      byebye(1_000), byebye(1_000), byebye(2_000), DiffDatagram(packet, frame: nil, at: at(3_000)),
      DiffDatagram(time: at(4_000), type: "packet", fields: []),
    ]
    let failure = Failure(reason: .cannotSend, search: nil, interface: InterfaceID(0), explanation: "why")
    let line = ReportLine.json(.failed(failure), time: "3.500000000", frame: 6, interfaces: ["wlan0"])
    var right = DiffSide(kind: .capture, title: "right", path: "right.pcapng", base: .zero)
    right.reports = [first, first, lost("uuid:y", .expired, 2_500, nil), try #require(WrittenReport(line: line))]
    return ReportDiff(left, right)
  }

  @Test("each side has its lane, each report its mark and its row, and the cause of the difference its parts in order")
  func whole() throws {
    typealias Entry = PictureComparison.Entry
    typealias Row = PictureComparison.Row
    let picture = DiffPicture.picture(of: try Self.diff())
    let radio = "c1:c1:c1:c1:c1:c1/random"
    expectEqual(
      picture.lanes.map { "\($0.name) \($0.role.rawValue) \($0.detail)" },
      ["A engine left", "B engine right", "10.0.0.5 host ", "\(radio) host ", "unknown sender host "])
    let marks = picture.marks.map { mark in
      let cause = mark.cause < 0 ? "" : " by \(mark.cause)"
      return "\(mark.time) \(mark.kind.rawValue) \(picture.lanes[mark.lane].name) \(mark.number)\(cause)"
    }
    expectEqual(
      marks,
      [
        "1s sent 10.0.0.5 0", "1s heard A 4 by 0", "1s lost A 4 by 1", "1s lost A 4 by 1", "1s lost B 4", "1s lost B 4",
        "2s sent 10.0.0.5 0", "2s heard A 0 by 6", "2s lost A 0 by 7", "\(Interval.milliseconds(2_500)) lost B 0",
        "3s sent \(radio) 0", "3s heard A 9 by 10", "3s lost A 9 by 11",
        "\(Interval.milliseconds(3_500)) report B 6",
        "4s sent unknown sender 0", "4s heard A 0 by 14", "4s lost A 0 by 15",
      ])
    let (first, second) = ("lost uuid:x byebye", "lost uuid:y expired")
    let failed = "failed \(Failure.Reason.cannotSend.rawValue) wlan0"
    let rows = [
      Row(mark: .equal, a: Entry(time: "1.000", mark: 2, text: first), b: Entry(time: "1.000", mark: 4, text: first)),
      Row(mark: .equal, a: Entry(time: "1.000", mark: 3, text: first), b: Entry(time: "1.000", mark: 5, text: first)),
      Row(
        mark: .changed, a: Entry(time: "2.000", mark: 8, text: second), b: Entry(time: "2.500", mark: 9, text: second)),
      Row(mark: .onlyA, a: Entry(time: "3.000", mark: 12, text: "lost uuid:z byebye"), b: nil),
      Row(mark: .onlyB, a: nil, b: Entry(time: "3.500", mark: 13, text: failed)),
      Row(mark: .onlyA, a: Entry(time: "4.000", mark: 16, text: "lost uuid:w byebye"), b: nil),
    ]
    expectEqual(
      picture.comparison,
      PictureComparison(
        titleA: "left", titleB: "right", rows: rows,
        datagram: PictureComparison.Datagram(
          title: "datagram notify-byebye, frame 8",
          fields: [
            Picture.Fact("from", "10.0.0.5:1900"), Picture.Fact("to", "239.255.255.250:1900"), Picture.Fact("NT", "x"),
          ], madeA: ["caused the report"], madeB: ["caused no report"])))
    expectEqual(
      picture.facts,
      [
        Picture.Fact("A", "left"), Picture.Fact("B", "right"), Picture.Fact("reports", "5 of A, 4 of B"),
        Picture.Fact("differ", "1 changed, 2 only A, 1 only B"),
      ])
    expectEqual([picture.verb, picture.title], ["rollcall diff", "Two sides, report by report"])
    expectEqual(picture.outcome, Picture.Outcome("different", .bad))
    expectEqual(picture.unit, .frame)
    expectEqual(picture.leftOut, [])
  }

  @Test("bounds hold for the rows, the messages and the devices of both sides")
  func bounds() throws {
    var bounds = PictureBounds()
    (bounds.rows, bounds.marks, bounds.devices) = (3, 0, 1)
    let picture = DiffPicture.picture(of: try Self.diff(), bounds: bounds)
    expectEqual(picture.comparison?.rows.map(\.mark), [.equal, .equal, .changed])
    expectEqual(picture.devices.map(\.name), ["A uuid:x"])
    expectEqual(
      picture.leftOut,
      [
        Picture.LeftOut(what: "messages and notes behind the first 0", count: 8),
        Picture.LeftOut(what: "changes of devices behind the first 1", count: 6),
      ])
  }
}
