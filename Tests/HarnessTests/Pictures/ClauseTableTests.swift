import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import Testing

@testable import RollcallConformance
@testable import RollcallPicturing

/// The table of clauses that a picture makes of a judgement, cell by cell.
@Suite("Tables of clauses") struct ClauseTableTests {
  private typealias Cell = PictureMatrix.Cell

  private static func party(
    _ name: String, _ role: Party.Role, _ claim: Edition, messages: Int, product: String? = nil
  ) -> Party {
    Party(
      address: .ip(IPAddress(10, 0, 0, 1)), host: -1, role: role, name: name, claim: claim, messageCount: messages,
      product: product)
  }

  private static let parties = [
    party("tv", .device, .uda20, messages: 3, product: "Tiny/1"), party("lamp", .device, .uda11, messages: 5),
    party("pc", .controlPoint, .uda10, messages: 1),
  ]

  private static func row(
    _ clause: ClauseID, _ party: Int, _ ruling: Ruling, _ position: Int, count: Int, _ expected: String,
    _ found: String, device: String? = nil
  ) -> Judgement.Row {
    let finding = Finding(
      clause: clause, party: PartyID(Int32(party)), ruling: ruling, time: .zero, position: position,
      lastPosition: position, count: count, expected: expected, found: found, device: -1)
    return Judgement.Row(finding: finding, party: parties[party], device: device)
  }

  /// The tv broke one clause and the pc one, without a finding and with one; the lamp broke two, three times in all.
  private static func judgement() -> Judgement {
    var judgement = TraceHearing.judgement([], hosts: [])
    judgement.parties = parties
    judgement.judged = [
      .group4, .ttlDefault, .ttlEscape, .noAnswer, .addressChangeRevoke, .sameFields, .locationReach,
    ]
    judgement.tallies = [Tally](repeating: Tally(), count: 3 * ClauseID.count)
    func tally(_ clause: ClauseID, _ party: Int, _ tally: Tally) {
      judgement.tallies[party * ClauseID.count + Int(clause.rawValue)] = tally
    }
    tally(.group4, 2, Tally(held: 1))
    tally(.ttlDefault, 0, Tally(held: 2))
    tally(.ttlDefault, 1, Tally(held: 6, inconclusive: 1))
    tally(.ttlEscape, 2, Tally(violated: 1))
    tally(.addressChangeRevoke, 1, Tally(violated: 1))
    tally(.sameFields, 0, Tally(held: 9, violated: 1))
    tally(.sameFields, 2, Tally(inconclusive: 4))
    tally(.locationReach, 1, Tally(violated: 2, inconclusive: 3))
    judgement.rows = [
      row(.ttlDefault, 1, .inconclusive, 3, count: 1, "TTL 2", "no TTL"),
      row(.ttlEscape, 2, .violated, 5, count: 1, "at most 4", "64"),
      row(.locationReach, 1, .violated, 7, count: 2, "a place in reach", "10.0.0.9", device: "uuid:lamp"),
      row(.locationReach, 1, .violated, 9, count: 1, "a place in reach", "10.0.0.8", device: "uuid:other"),
      row(.sameFields, 2, .inconclusive, 12, count: 4, "the same fields", "nothing"),
    ]
    return judgement
  }

  private static func line(_ clause: ClauseID, _ id: String, _ level: String, _ cells: [Cell]) -> PictureMatrix.Row {
    PictureMatrix.Row(clause: id, gist: clause.clause.gist, level: level, cells: cells)
  }

  @Test("parties stand in order of breaches, clauses in order of outcomes and of the catalogue, with all cells")
  func whole() {
    let none = Cell(mark: .notExercised, count: 0, number: 0)
    let reach = ClauseID.locationReach.clause.remedy
    let expected = PictureMatrix(
      parties: [
        PictureMatrix.Party(name: "lamp", role: "device, UDA 1.1", detail: "5 messages"),
        PictureMatrix.Party(name: "tv", role: "device, UDA 2.0", detail: "Tiny/1, 3 messages"),
        PictureMatrix.Party(name: "pc", role: "control point, UDA 1.0", detail: "1 messages"),
      ],
      rows: [
        Self.line(
          .sameFields, "UDA-1-MH-SAMEFIELDS", "must",
          [none, Cell(mark: .violated, count: 1, number: 0), Cell(mark: .inconclusive, count: 4, number: 12)]),
        Self.line(
          .locationReach, "UDA-1-MH-LOC-REACH", "must", [Cell(mark: .violated, count: 2, number: 7), none, none]),
        Self.line(
          .addressChangeRevoke, "UDA-1-IPCHANGE-REVOKE", "should",
          [Cell(mark: .violated, count: 1, number: 0), none, none]),
        Self.line(
          .ttlEscape, "H-TTL-ESCAPE", "hardening", [none, none, Cell(mark: .violated, count: 1, number: 5)]),
        Self.line(
          .ttlDefault, "UDA-1-TTL-DEFAULT", "should",
          [Cell(mark: .inconclusive, count: 1, number: 3), Cell(mark: .held, count: 2, number: 0), none]),
        Self.line(.group4, "UDA-1.2-GROUP4", "must", [none, none, Cell(mark: .held, count: 1, number: 0)]),
      ],
      findings: [
        PictureMatrix.Finding(
          clause: "UDA-1-TTL-DEFAULT", level: "should", isBreach: false, party: "lamp", device: "", number: 3, count: 1,
          expected: "TTL 2", found: "no TTL", remedy: ""),
        PictureMatrix.Finding(
          clause: "H-TTL-ESCAPE", level: "hardening", isBreach: true, party: "pc", device: "", number: 5, count: 1,
          expected: "at most 4", found: "64", remedy: ClauseID.ttlEscape.clause.remedy),
        PictureMatrix.Finding(
          clause: "UDA-1-MH-LOC-REACH", level: "must", isBreach: true, party: "lamp", device: "uuid:lamp", number: 7,
          count: 2, expected: "a place in reach", found: "10.0.0.9", remedy: reach),
        PictureMatrix.Finding(
          clause: "UDA-1-MH-LOC-REACH", level: "must", isBreach: true, party: "lamp", device: "uuid:other", number: 9,
          count: 1, expected: "a place in reach", found: "10.0.0.8", remedy: reach),
        PictureMatrix.Finding(
          clause: "UDA-1-MH-SAMEFIELDS", level: "must", isBreach: false, party: "pc", device: "", number: 12, count: 4,
          expected: "the same fields", found: "nothing", remedy: ""),
      ], notExercisedCount: 1)
    #expect(!reach.isEmpty)
    var leftOut: [Picture.LeftOut] = []
    expectEqual(PictureMatrix(Self.judgement(), bounds: PictureBounds(), leftOut: &leftOut), expected)
    expectEqual(leftOut, [])

    var bounds = PictureBounds()
    (bounds.parties, bounds.findings) = (2, 4)
    let small = PictureMatrix(Self.judgement(), bounds: bounds, leftOut: &leftOut)
    expectEqual(small.parties, Array(expected.parties.prefix(2)))
    expectEqual(small.rows.map(\.cells), expected.rows.map { Array($0.cells.prefix(2)) })
    expectEqual(small.findings, Array(expected.findings.prefix(4)))
    expectEqual(
      leftOut,
      [
        Picture.LeftOut(what: "parties in the table of clauses", count: 1),
        Picture.LeftOut(what: "findings behind the first 4", count: 1),
      ])
  }
}
