import RollcallPrimitives
import RollcallWire

/// A line of a file of breaches that somebody has looked at.
///
/// One JSON object a line; empty lines and lines that begin with `#` are skipped. A breach is known by its clause, its
/// party, the party's role and what was found; other fields are for the reader.
package struct ExpectedBreach: Hashable, Sendable {
  package struct Key: Hashable, Sendable {
    package var clause, party, role, found: String
    package init(clause: String, party: String, role: String, found: String) {
      (self.clause, self.party, self.role, self.found) = (clause, party, role, found)
    }
  }

  package struct Failure: Error, Hashable, Sendable {
    /// Count from 1; columns in bytes.
    package var line, column: Int
    package var expected: String
    package init(line: Int, column: Int = 1, expected: String) {
      (self.line, self.column, self.expected) = (line, column, expected)
    }
  }

  /// Counts from 1.
  package var line: Int
  package var text: String
  package var key: Key

  /// A line has a finding, which may quote a message.
  private static let lineBytesMaximum = 1 << 20

  /// Reads a file; the first line that is none is refused.
  package static func read(_ text: String) throws(Failure) -> [ExpectedBreach] {
    var breaches: [ExpectedBreach] = []
    var number = 0
    for line in PlainText.lines(of: text) {
      number += 1
      if line.isEmpty || line.utf8.first == UInt8(ascii: "#") { continue }
      let fields = try object(line, number)
      guard let clause = fields["clause"]?.string, let party = fields["party"]?.string,
        let role = fields["role"]?.string, let found = fields["found"]?.string
      else { throw Failure(line: number, expected: "the fields clause, party, role and found") }
      guard Clause.named(clause) != nil else {
        throw Failure(
          line: number, expected: "a clause; the nearest to \(clause) is \(Clause.nearest(to: clause, count: 1)[0])")
      }
      breaches.append(
        ExpectedBreach(
          line: number, text: String(line), key: Key(clause: clause, party: party, role: role, found: found)))
    }
    return breaches
  }

  private static func object(_ line: Substring, _ number: Int) throws(Failure) -> JSONValue {
    var (limits, column) = (JSONReader.Limits(), 1)
    limits.byteCountMaximum = lineBytesMaximum
    do throws(JSONFault) {
      let value = try JSONReader.read(Array(line.utf8), limits: limits)
      if case .object = value { return value }
    } catch { column = error.offset + 1 }
    throw Failure(line: number, column: column, expected: "one JSON object with clause, party, role and found")
  }
}
