import RollcallConformance
import Foundation
import RollcallExpectations
import Testing

/// Scenarios say in `why:` what they are for: complaints (A…), deviations (D…) and clauses.
@Suite("What scenarios cite")
struct CitationTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Places.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Text of all scenarios, by path.
  private func scenarios() throws -> [(path: String, text: String)] {
    let folder = Places.root.appendingPathComponent("Scenarios")
    let below = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return try below.filter { $0.hasSuffix(".yaml") }.sorted().map { ($0, try text("Scenarios/" + $0)) }
  }

  private func rows(of page: String) throws -> [String] {
    try text(page).split(separator: "\n").compactMap { line in
      (line.prefixMatch(of: /\| ([AD][0-9]+) \|/)?.output.1).map(String.init)
    }
  }

  /// Citations that no list has, as `path: number`.
  private func unknown(in scenarios: [(path: String, text: String)]) throws -> [String] {
    let known = Set(try rows(of: "COMPLAINTS.md") + rows(of: "DEVIATIONS.md"))
    let clauses = Set(Clause.catalogue.map(\.id))
    return scenarios.flatMap { scenario in
      let numbers = scenario.text.matches(of: /\b[AD][0-9]{1,2}\b/).map { String($0.output) }
      let ids = scenario.text.matches(of: /\b(?:UDA|H)-[A-Z0-9.\/]+(?:-[A-Z0-9\/]+)*/).map { String($0.output) }
      return numbers.filter { !known.contains($0) }.map { "\(scenario.path): \($0)" }
        + ids.filter { !clauses.contains($0) }.map { "\(scenario.path): \($0)" }
    }
  }

  @Test("complaints and deviations are listed in the repository, each number once, and clauses are in the catalogue")
  func cited() throws {
    let complaints = try rows(of: "COMPLAINTS.md")
    expectEqual(complaints, (1...26).map { "A\($0)" })
    let scenarios = try scenarios()
    #expect(scenarios.count > 100)
    try expectEqual(unknown(in: scenarios), [])
  }

  @Test("a number that no list has is noticed")
  func notices() throws {
    try expectEqual(
      unknown(in: [("x.yaml", "why: A1, A27, D81, D99 and UDA-1.3.2-MAN, UDA-1.3.2-MEN.")]),
      [
        "x.yaml: A27", "x.yaml: D99", "x.yaml: UDA-1.3.2-MEN",
      ])
  }
}
