package import Conformance

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

  package struct Failure: Error, Hashable, Sendable {
    /// Counts from 1.
    package var line: Int
    package var expected: String
    package init(line: Int, expected: String) { (self.line, self.expected) = (line, expected) }
  }

  private struct Key: Hashable {
    var clause, party, role, found: String
  }
  private var entries: [(line: Int, text: String, key: Key)] = []

  /// The lines of a judgement: its breaches, in the order in which they were found.
  package static func lines(_ judgement: Judgement) -> [String] {
    judgement.rows.filter { $0.finding.ruling == .violated }.map(line)
  }

  private static func line(_ row: Judgement.Row) -> String {
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
  package init(_ text: String) throws(Failure) {
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let fields = FlatJSON.fields(line) else {
        throw Failure(line: number, expected: "one JSON object with clause, party, role and found")
      }
      guard let clause = fields["clause"], let party = fields["party"], let role = fields["role"],
        let found = fields["found"]
      else { throw Failure(line: number, expected: "the fields clause, party, role and found") }
      guard Clause.named(clause) != nil else {
        throw Failure(
          line: number, expected: "a clause; the nearest to \(clause) is \(Clause.nearest(to: clause, count: 1)[0])")
      }
      entries.append((number, String(line), Key(clause: clause, party: party, role: role, found: found)))
    }
  }

  /// What is in one and not in the other: first what was not expected, then what did not occur.
  ///
  /// Lines about clauses that were not judged are left out.
  package func differences(_ judgement: Judgement) -> [Difference] {
    let rows = judgement.rows.filter { $0.finding.ruling == .violated }
    let expected = Set(entries.map(\.key))
    let found = Set(rows.map(ExpectedFindings.key))
    let wanted = Set(judgement.judged.map(\.clause.id))
    return rows.filter { !expected.contains(ExpectedFindings.key($0)) }.map { .unexpected(ExpectedFindings.line($0)) }
      + entries.filter { wanted.contains($0.key.clause) && !found.contains($0.key) }
      .map { .passed(line: $0.line, $0.text) }
  }
}

/// Reads one flat JSON object of texts and numbers.
enum FlatJSON {
  static func fields(_ line: Substring) -> [String: String]? {
    var rest = line.unicodeScalars[...]
    var fields: [String: String] = [:]
    func skip() { while let first = rest.first, first == " " || first == "\t" || first == "\r" { rest.removeFirst() } }
    func take(_ scalar: Unicode.Scalar) -> Bool {
      skip()
      guard rest.first == scalar else { return false }
      rest.removeFirst()
      return true
    }
    guard take("{") else { return nil }
    skip()
    if rest.first != "}" {
      repeat {
        skip()
        guard let name = text(&rest), take(":") else { return nil }
        skip()
        if rest.first == "\"" {
          guard let value = text(&rest) else { return nil }
          fields[name] = value
        } else {
          let word = rest.prefix { $0 != "," && $0 != "}" && $0 != " " }
          guard !word.isEmpty else { return nil }
          fields[name] = String(String.UnicodeScalarView(word))
          rest = rest[word.endIndex...]
        }
      } while take(",")
    }
    guard take("}") else { return nil }
    skip()
    return rest.isEmpty ? fields : nil
  }

  private static func text(_ rest: inout Substring.UnicodeScalarView) -> String? {
    guard rest.popFirst() == "\"" else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return String(text) }
      if scalar != "\\" {
        text.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "n": text.append("\n")
      case "r": text.append("\r")
      case "t": text.append("\t")
      case "u":
        guard rest.count >= 4, let value = UInt32(String(rest.prefix(4)), radix: 16), let scalar = Unicode.Scalar(value)
        else { return nil }
        text.append(scalar)
        rest = rest.dropFirst(4)
      case .some(let other) where "\"\\/".unicodeScalars.contains(other): text.append(other)
      default: return nil
      }
    }
    return nil
  }
}
