package import RollcallConformance
import RollcallReporting

/// Breaches that somebody has looked at: a file that `judge --record` writes and `judge --expect` reads back.
///
/// One JSON object a line; empty lines and lines that begin with `#` are skipped. A breach is known by its clause, its
/// party, the party's role and what was found; how often it occurs is for the reader.
package struct ExpectedFindings {
  /// What differs from the file.
  package enum Difference: Hashable, Sendable {
    /// A breach that the file does not have, as the line that the file would have.
    case unexpected(String)
    /// A line of the file that nothing breaks any more: an unexpected pass, as wrong as an unexpected breach.
    case passed(line: Int, String)

    package var text: String {
      switch self {
      case .unexpected(let line): "not expected: \(line)"
      case .passed(let number, let line): "line \(number) expects a breach that does not occur: \(line)"
      }
    }
  }

  package typealias Failure = ExpectedBreach.Failure

  private typealias Key = ExpectedBreach.Key
  private let entries: [ExpectedBreach]

  /// The lines of a judgement: its breaches, in the order in which they were found.
  package static func lines(_ judgement: Judgement) -> [String] {
    judgement.rows.filter { $0.finding.ruling == .violated }.map(line)
  }

  /// The line that the file would have for a breach.
  static func line(_ row: Judgement.Row) -> String {
    let key = key(row)
    var line = JSONLine()
    line.add("clause", key.clause)
    line.add("party", key.party)
    line.add("role", key.role)
    line.add("found", key.found)
    line.add("count", row.finding.count)
    line.add("at", row.finding.position)
    return line.closed
  }

  private static func key(_ row: Judgement.Row) -> Key {
    Key(
      clause: row.clause.id, party: row.party.name, role: row.party.role == .device ? "device" : "controlPoint",
      found: row.finding.found)
  }

  /// Reads a file.
  package init(_ text: String) throws(Failure) { entries = try ExpectedBreach.read(InputFiles.withoutMark(text)) }

  /// What is in one and not in the other: first what was not expected, then what did not occur.
  ///
  /// - Parameter wanted: which clauses were to be judged: lines about others are left out. A line about a wanted clause
  ///   that nothing came by for, as of a protocol that nobody spoke, did not occur.
  package func differences(_ judgement: Judgement, wanted: (Clause) -> Bool = { _ in true }) -> [Difference] {
    let rows = judgement.rows.filter { $0.finding.ruling == .violated }
    let expected = Set(entries.map(\.key))
    let found = Set(rows.map(ExpectedFindings.key))
    let missing = entries.filter { !found.contains($0.key) && Clause.named($0.key.clause).map(wanted) == true }
    return rows.filter { !expected.contains(ExpectedFindings.key($0)) }.map { .unexpected(ExpectedFindings.line($0)) }
      + missing.map { .passed(line: $0.line, $0.text) }
  }
}
