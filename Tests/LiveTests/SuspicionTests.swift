import RollcallConformance
import RollcallExaminers
import Foundation
import RollcallExpectations
import Testing

/// The reviewed table of suspicions, as text; what it says is compared with real programs by the live scenes.
@Suite("The table of suspicions about devices") struct SuspicionTests {
  private static let rows: [[String]] = {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Suspicions.md")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| # ") }.map { line in
      line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }()

  @Test("each row has a number of its own, a program with its version, a probe or clause, a verdict, and what came")
  func rows() {
    let rows = SuspicionTests.rows
    #expect(rows.count >= 25)
    expectEqual(Set(rows.map { $0[0] }).count, rows.count)
    // What the scene asks through a socket that is no network.
    let own = ["cache-tail", "cache-octal"]
    for row in rows {
      expectEqual(row.count, 8, "\(row[0])")
      guard row.count == 8 else { continue }
      let asked = row[4].replacing("`", with: "")
      #expect(
        DeviceProbe(rawValue: asked) != nil || Clause.named(asked) != nil || own.contains(asked), "\(row[0]): \(asked)")
      #expect(["held", "violated", "inconclusive", "noted"].contains(row[5]), "\(row[0]): \(row[5])")
      expectEqual(row[1].split(separator: " ").count, 2, "\(row[0])")
      #expect(!row[7].isEmpty, "\(row[0])")
    }
  }
}
