import RollcallPrimitives

/// Prints a scenario for people: comments on top and before sections, long text folded, payloads a line each.
///
/// What it prints reads back as an equal value; a test holds it to that.
package struct ScenarioPrinter {
  /// Lines above everything, without `#`.
  package var header: [String] = []
  /// Lines above a section of the document, or above one inhabitant, without `#`.
  package var notes: [(path: TreePath, lines: [String])] = []

  package init(header: [String] = []) { self.header = header }

  package mutating func note(_ path: TreePath, _ lines: [String]) {
    if !lines.isEmpty { notes.append((path, lines)) }
  }

  private static let lineMaximum = 112

  package func text(of scenario: Scenario) -> String {
    var text = ScenarioPrinter.comments(header, indent: 0)
    for entry in scenario.document.keyed {
      let path = TreePath([.key(entry.key)])
      text += comments(at: path, indent: 0)
      if entry.key == "why", let why = entry.value.scalarText, why.utf8.count > 90, ScenarioPrinter.isFoldable(why) {
        text += "why: >-\n" + ScenarioPrinter.folded(why, width: 108).map { "  \($0)\n" }.joined()
      } else if entry.key == "inhabitants" {
        text += "inhabitants:\n"
        for inhabitant in entry.value.keyed {
          text += comments(at: path.adding(inhabitant.key), indent: 2)
          let body = Tree(.mapping([inhabitant])).yaml
          text += body.split(separator: "\n").map { ScenarioPrinter.broken("  " + $0) + "\n" }.joined()
        }
      } else {
        text += Tree(.mapping([entry])).yaml.split(separator: "\n").map { ScenarioPrinter.broken(String($0)) + "\n" }
          .joined()
      }
    }
    return text
  }

  private func comments(at path: TreePath, indent: Int) -> String {
    ScenarioPrinter.comments(notes.filter { $0.path == path }.flatMap(\.lines), indent: indent)
  }

  /// What a comment quotes may come from a network: a line end of any kind in it would end the comment.
  private static func comments(_ lines: [String], indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    return lines.flatMap { folded(PlainText.shown($0), width: lineMaximum - indent - 2) }
      .map { "\(margin)# \($0)\n" }.joined()
  }

  /// Words on lines of at most `width` bytes; a longer word has a line of its own.
  package static func folded(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    lines.append(line)
    return lines
  }

  /// Folding keeps single blanks between words and nothing else.
  private static func isFoldable(_ text: String) -> Bool {
    !text.contains("  ") && !text.hasPrefix(" ") && !text.hasSuffix(" ")
      && text.unicodeScalars.allSatisfy { $0.value < 0x2028 && $0.value != 0xA0 && !PlainText.isHidden($0) }
  }

  /// A long line with a quoted payload goes on in the next line after each `\r\n` of it: an escaped line end in double
  /// quotes joins the two again.
  static func broken(_ line: String) -> String {
    guard line.utf8.count > lineMaximum else { return line }
    if let folded = foldedValue(line) { return folded }
    guard line.hasSuffix("\""), quoteCount(line) == 2 else { return line }
    let margin = line.prefix { $0 == " " || $0 == "-" }.count + 2
    let indent = String(repeating: " ", count: margin)
    var text = ""
    var current = ""
    for piece in parts(of: line, behind: "\\r\\n") {
      // A blank at the start of a continued line would be lost: such a piece stays where it is.
      if !current.isEmpty, current.utf8.count + piece.utf8.count > lineMaximum - 4, piece.first != " ", piece != "\"",
        !piece.hasPrefix("\\r\\n")
      {
        text += (text.isEmpty ? "" : indent) + current + "\\\n"
        current = ""
      }
      current += piece
    }
    return text + (text.isEmpty ? "" : indent) + current
  }

  /// Many words behind a key, without quotes, go on in the next lines, deeper than the key; `nil`: the line is another one.
  private static func foldedValue(_ line: String) -> String? {
    guard let colon = line.firstRange(of: ": ") else { return nil }
    let value = String(line[colon.upperBound...])
    guard value.first.map({ $0.isASCII && ($0.isLetter || $0.isNumber) }) == true, isFoldable(value) else { return nil }
    let margin = line.prefix { $0 == " " || $0 == "-" }.count + 2
    let head = line[..<colon.upperBound]
    let lines = folded(value, width: lineMaximum - head.utf8.count)
    return head + lines.joined(separator: "\n" + String(repeating: " ", count: margin))
  }

  /// Quotes that no backslash stands before.
  private static func quoteCount(_ line: String) -> Int {
    var count = 0
    var isEscaped = false
    for byte in line.utf8 {
      if byte == UInt8(ascii: "\""), !isEscaped { count += 1 }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return count
  }

  private static func parts(of line: String, behind separator: String) -> [String] {
    var parts: [String] = []
    var rest = line[...]
    while let range = rest.firstRange(of: separator) {
      parts.append(String(rest[..<range.upperBound]))
      rest = rest[range.upperBound...]
    }
    parts.append(String(rest))
    return parts
  }
}
