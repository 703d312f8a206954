import RollcallConformance
import RollcallExaminers
import Foundation
import RollcallExpectations
import Testing

/// The reviewed table of suspicions about control points, as text; the live scenes compare it with real programs.
@Suite("The table of suspicions about control points") struct ControlPointSuspicionTests {
  private static let rows: [[String]] = {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Suspicions-control-points.md")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| # ") }.map { line in
      line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }()

  @Test("each row has a number of its own, a program with its version, a probe or clause, what it shows, and what came")
  func rows() {
    let rows = ControlPointSuspicionTests.rows
    #expect(rows.count > 40)
    expectEqual(Set(rows.map(\.[0])).count, rows.count)
    let verdicts = ControlPointRow.Verdict.allCases.map(\.rawValue) + ["notExercised"]
    for row in rows {
      expectEqual(row.count, 8, "\(row)")
      guard row.count == 8 else { continue }
      let asked = row[4].replacing("`", with: "")
      #expect(ControlPointProbe(rawValue: asked) != nil || Clause.named(asked) != nil, "\(row[0]): \(asked)")
      #expect(verdicts.contains(row[5]), "\(row[0]): \(row[5])")
      #expect(row[1].contains(/^[a-z-]+ [0-9]+\.[0-9.]+$/), "\(row[0]): \(row[1])")
      #expect(!row[6].isEmpty && !row[7].isEmpty, "\(row[0])")
      // What is said to be confirmed is not what examine could not see, absences of the program's own aside.
      if row[6].hasPrefix("**not reachable**") { #expect(["notObservable", "notBound"].contains(row[5]), "\(row[0])") }
    }
  }

  @Test("a program is asked of by a scene, and every program of the scenes has rows")
  func programs() throws {
    let scenes = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Tools/live/examine-point.sh"), encoding: .utf8)
    var asked: [String] = []
    for line in scenes.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 3, words[0] == "as_reviewed" { asked.append(words[1]) }
    }
    let listed = ControlPointSuspicionTests.rows.map { String($0[1].split(separator: " ")[0]) }
    expectEqual(asked.sorted(), Set(listed).sorted())
  }
}
