import Foundation
import RollcallExpectations
import Testing

/// The table of docs/multipeerconnectivity.md against the sources and the tests.
@Suite struct TableTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  private func texts(in folder: String) throws -> [String] {
    let path = Self.root.appendingPathComponent(folder).path
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }
    return try names.sorted().map { try text("\(folder)/\($0)") }
  }

  /// The cells of each row.
  private func rows() throws -> [[Substring]] {
    let page = try text("docs/multipeerconnectivity.md")
    let start = try #require(page.range(of: "## Declarations")?.upperBound)
    let end = try #require(page.range(of: "## A device below it")?.lowerBound)
    let lines = page[start..<end].split(separator: "\n").filter { $0.hasPrefix("| ") }
    return lines.dropFirst().map { $0.split(separator: "|").map { $0.trimmingPrefix(" ") } }
  }

  /// What stands between backquotes.
  private func quoted(_ text: Substring) -> [Substring] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map(
      \.element)
  }

  @Test func `each row names suites that there are`() throws {
    let sources = try ["Tests/MultipeerConnectivityTests", "Tests/PhonesTests"].flatMap { try texts(in: $0) }.joined()
    let rows = try rows()
    expectEqual(rows.count, 28)
    for row in rows {
      expectEqual(row.count, 4)
      let suites = quoted(row[3])
      #expect(!suites.isEmpty)
      for suite in suites {
        #expect(sources.contains(" struct \(suite) {") || sources.contains("\nstruct \(suite) {"), "\(suite)")
      }
    }
  }

  @Test func `each public declaration of the module is on the page`() throws {
    let page = try text("docs/multipeerconnectivity.md")
    /// What Foundation's own protocols ask for.
    let foundation = [
      "copy", "supportsSecureCoding", "encode", "_nsError", "_nsErrorDomain", "errorDomain", "_ErrorType",
    ]
    /// Told of by words like "its three methods".
    let summed = ["advertiser", "session", "browserViewController"]
    let counted = try texts(in: "Sources/MultipeerConnectivity").map { source in
      var names: [String] = []
      for line in source.split(separator: "\n") where !line.contains("override ") {
        let words = line.split(whereSeparator: { " (:<=".contains($0) })
        guard let first = words.first, first == "public" || first == "open" else { continue }
        let kinds = ["func", "var", "let", "class", "protocol", "enum", "struct"]
        guard let index = words.lastIndex(where: { kinds.contains(String($0)) }), index + 1 < words.count else {
          continue
        }
        names.append(String(words[index + 1]))
      }
      for name in names where !foundation.contains(name) && !summed.contains(name) {
        expectEqual(page.contains(name) ? nil : name, nil)
      }
      return names.count
    }
    #expect(counted.reduce(0, +) > 80)
  }
}
