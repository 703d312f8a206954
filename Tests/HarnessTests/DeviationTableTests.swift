import RollcallDevices
import Foundation
import RollcallExpectations
import RollcallRunning
import RollcallScenarios
import Testing

/// The table of deviations seen in the field: each is a golden case, a quirk and a scenario, or says why not.
@Suite("The table of deviations")
struct DeviationTableTests {
  struct Row {
    var id, gist, golden, quirk, scenario, reason: String
  }

  static let folder = Places.root.appendingPathComponent("Tests/HarnessTests/Deviations")
  static let page = Places.root.appendingPathComponent("DEVIATIONS.md")

  private func rows() throws -> [Row] {
    let text = try String(
      contentsOf: DeviationTableTests.folder.appendingPathComponent("deviations.tsv"), encoding: .utf8)
    return try text.split(separator: "\n").dropFirst().map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      try #require(cells.count == 6, "\(line)")
      return Row(
        id: cells[0], gist: cells[1], golden: cells[2], quirk: cells[3], scenario: cells[4], reason: cells[5])
    }
  }

  @Test("has every number from D01 to D82 once, no empty cell, and a reason wherever something is missing")
  func complete() throws {
    let rows = try rows()
    expectEqual(rows.map(\.id), (1...82).map { String(format: "D%02d", $0) })
    for row in rows {
      for cell in [row.gist, row.golden, row.quirk, row.scenario, row.reason] { #expect(!cell.isEmpty, "\(row.id)") }
      // Where a deviation is shown nowhere, the reason has to carry it alone.
      if row.golden == "-", row.quirk == "-", row.scenario == "-" { #expect(row.reason.count > 10, "\(row.id)") }
    }
  }

  @Test("names quirks, golden cases and scenarios that exist")
  func names() throws {
    let golden = try String(
      contentsOf: Places.root.appendingPathComponent("Tests/WireTests/Golden/ssdp-form.md"), encoding: .utf8)
    let cases = golden.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
    func listed(_ cell: String) -> [String] {
      cell == "-" ? [] : cell.components(separatedBy: ", ").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    for row in try rows() {
      for name in row.golden == "-" ? [] : [row.golden] {
        #expect(cases.contains(name), "\(row.id): golden case \(name)")
      }
      for name in listed(row.quirk) {
        let bare = String(name.prefix { $0 != "(" })
        #expect(Quirk.catalogue.contains { $0.name == bare }, "\(row.id): quirk \(name)")
      }
      for name in listed(row.scenario) {
        let files = ["ssdp", "descriptions"].map { Places.root.appendingPathComponent("Scenarios/\($0)/\(name).yaml") }
        #expect(files.contains { FileManager.default.fileExists(atPath: $0.path) }, "\(row.id): scenario \(name)")
      }
    }
  }

  @Test("every deviation that a quirk claims to show is in the table with that quirk's number")
  func quirks() throws {
    let known = try rows().map(\.id)
    for entry in Quirk.catalogue {
      for reference in entry.references where reference.hasPrefix("D") && reference.count == 3 {
        #expect(known.contains(reference), "\(entry.name): \(reference)")
      }
    }
  }

  @Test("DEVIATIONS.md is what the table and the catalogue of quirks say (RECORD=1 writes it and fails)")
  func generated() throws {
    var text = """
      # Deviations seen in the field

      What real devices send that UDA does not foresee, and where Rollcall shows it: a golden case of the reader
      (`Tests/WireTests/Golden/ssdp-form.md`), a quirk that a simulated device can have (`rollcall explain --quirks`), and
      a scenario (`Scenarios/ssdp`). Generated from `Tests/HarnessTests/Deviations/deviations.tsv` and the catalogue of
      quirks; an empty cell or a name that does not exist fails the suite.

      | # | deviation | golden case | quirks | scenario | remark |
      |---|---|---|---|---|---|

      """
    for row in try rows() {
      let quirks = Quirk.catalogue.filter { $0.references.contains(row.id) }.map { "`\($0.name)`" }
      let all = quirks.isEmpty ? (row.quirk == "-" ? "–" : "`\(row.quirk)`") : quirks.joined(separator: " ")
      let golden = row.golden == "-" ? "–" : row.golden
      let scenario = row.scenario == "-" ? "–" : row.scenario
      text += "| \(row.id) | \(row.gist) | \(golden) | \(all) | \(scenario) | \(row.reason) |\n"
    }
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try text.write(to: DeviationTableTests.page, atomically: true, encoding: .utf8)
      Issue.record("DEVIATIONS.md was recorded; read the difference")
      return
    }
    let page = (try? String(contentsOf: DeviationTableTests.page, encoding: .utf8)) ?? ""
    expectEqual(page, text, "DEVIATIONS.md is out of date: RECORD=1 swift test --filter DeviationTable")
  }
}
