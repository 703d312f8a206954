import RollcallCaptureSupport
import RollcallConformance
import Foundation
import RollcallExpectations
import Testing

/// The table of all breaches of a MUST in the public captures, each read in the bytes, against what the judge finds.
@Suite("Breaches of a MUST in the field")
struct MustFindingsTests {
  /// One line of the table without what is there for people only.
  struct Line: Hashable, Comparable, CustomStringConvertible {
    var capture, frames, times, clause, party, found: String
    var description: String { "| \(capture) | \(frames) | \(times) | \(clause) | \(party) | `\(found)` |" }
    static func < (left: Line, right: Line) -> Bool { left.description < right.description }
  }

  private func reviewed() throws -> [Line] {
    try MarkdownTable.rows(of: "MustFindings.md").map { cells in
      try #require(cells.count == 8, "\(cells)")
      for cell in cells { #expect(!cell.isEmpty, "\(cells)") }
      let found = cells[5].trimmingCharacters(in: ["`"])
      return Line(
        capture: cells[0], frames: cells[1], times: cells[2], clause: cells[3], party: cells[4], found: found)
    }
  }

  @Test("are the lines of the reviewed table: none is new, none is missing")
  func same() throws {
    guard CaptureFolder.url != nil else { return CaptureFolder.skipped("breaches of a MUST") }
    var found: [Line] = []
    for capture in JudgedCaptures.all {
      // What is no capture at all is refused with its reason, which CaptureSetTests holds.
      guard case .success(let judgement) = capture.outcome else { continue }
      for row in judgement.rows
      where row.clause.level == .must && !row.clause.isFromMemory && row.finding.ruling == .violated {
        found.append(
          Line(
            capture: capture.path, frames: MarkdownTable.frames(row.finding), times: String(row.finding.count),
            clause: row.clause.id, party: row.party.name, found: row.finding.found))
      }
      CaptureFolder.checked(capture.url)
    }
    let reviewed = try reviewed()
    expectEqual(Set(reviewed).count, reviewed.count, "a line stands twice")
    let (new, missing) = (Set(found).subtracting(reviewed), Set(reviewed).subtracting(found))
    expectEqual(new.sorted(), [], "new findings: read the bytes, then add the line or mend the check")
    expectEqual(missing.sorted(), [], "findings of the table that the judge has no more")
    expectEqual(found.count, reviewed.count)
  }
}

/// Tables in Markdown that tests read and people, too.
enum MarkdownTable {
  /// The cells of the lines of one table of a file of this folder, without its head.
  static func rows(of file: String, table number: Int = 0) throws -> [[String]] {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(file)
    var tables: [[[String]]] = []
    var isInside = false
    for line in try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n") {
      guard line.hasPrefix("| ") || line.hasPrefix("|--") else {
        isInside = false
        continue
      }
      // The head opens a table; the line of dashes below it is none of its rows.
      if !isInside {
        tables.append([])
        isInside = true
      } else if line.hasPrefix("| ") {
        let cells = line.components(separatedBy: "|").dropFirst().dropLast()
        tables[tables.count - 1].append(cells.map { $0.trimmingCharacters(in: .whitespaces) })
      }
    }
    return number < tables.count ? tables[number] : []
  }

  /// `45`, or `45…1563` where it was found more than once.
  static func frames(_ finding: Finding) -> String {
    finding.count > 1 ? "\(finding.position)…\(finding.lastPosition)" : "\(finding.position)"
  }
}
