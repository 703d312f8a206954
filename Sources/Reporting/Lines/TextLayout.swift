import RollcallPrimitives

/// Lines for a person, broken where the terminal would break them, but between words.
package enum TextLayout {
  /// - Parameter width: columns; `nil`: the line stays as it is.
  ///
  /// What goes on stands below the text of its line: behind the blanks at its start, and behind a label that two blanks
  /// or more part from the text. A word that is too long for a line is not cut, and neither is a command to copy.
  package static func wrapped(_ line: String, width: Int?) -> [String] {
    guard let width, width >= 20, columns(line[...]) > width else { return [line] }
    let indent = line.prefix { $0 == " " }.count
    let text = line.dropFirst(indent)
    if text.hasPrefix("again: ") { return [line] }
    let margin = String(repeating: " ", count: hanging(text, indent, width))
    var lines: [String] = []
    var current = String(repeating: " ", count: indent)
    var isEmpty = true
    // Blanks within a line keep their number, so that columns stay columns.
    var rest = text
    while !rest.isEmpty {
      let gap = rest.prefix { $0 == " " }
      rest = rest.dropFirst(gap.count)
      let word = rest.prefix { $0 != " " }
      rest = rest.dropFirst(word.count)
      if !isEmpty, columns(current[...]) + gap.count + columns(word) > width {
        lines.append(current)
        current = margin + word
      } else {
        current += gap + word
      }
      isEmpty = false
    }
    return lines + [current]
  }

  private static func hanging(_ text: Substring, _ indent: Int, _ width: Int) -> Int {
    let label = text.prefix { $0 != " " }
    let gap = text.dropFirst(label.count).prefix { $0 == " " }.count
    let place = gap >= 2 ? indent + columns(label) + gap : indent + 4
    return place <= width / 2 ? place : min(indent + 4, width / 2)
  }

  /// Characters that take a column: those of a colour take none.
  static func columns(_ text: Substring) -> Int {
    var count = 0
    var isColour = false
    for character in text {
      if character == "\u{1B}" {
        isColour = true
      } else if isColour {
        if character == "m" { isColour = false }
      } else {
        count += 1
      }
    }
    return count
  }
}

/// How a terminal is written to: what the environment asks for, and what is there.
package struct TerminalManners: Hashable, Sendable {
  /// Whether words are coloured.
  package var usesColour: Bool
  /// Whether standard output can be drawn on: a table that is renewed in place.
  package var drawsOutput: Bool
  /// Whether a bar is drawn on standard error.
  package var drawsProgress: Bool
  /// Columns of text that is laid out; `nil`: as long as it is.
  package var columns: Int?

  /// - Parameters:
  ///   - terminalColumns: what the terminal of standard output says; `nil`: it is none, or does not say.
  ///
  /// `NO_COLOR` asks for no colour and is stronger than `FORCE_COLOR` and `CLICOLOR_FORCE`, which ask for it wherever
  /// the output goes. A terminal of `TERM=dumb` gets neither colour nor drawing. `COLUMNS` counts where no terminal is.
  package init(
    environment: [String: String], isOutputTerminal: Bool, isErrorTerminal: Bool, terminalColumns: Int? = nil
  ) {
    func isOn(_ name: String) -> Bool { environment[name].map { !$0.isEmpty && $0 != "0" } ?? false }
    let isDumb = environment["TERM"] == "dumb"
    if !(environment["NO_COLOR"] ?? "").isEmpty || environment["FORCE_COLOR"] == "0" {
      usesColour = false
    } else if isOn("FORCE_COLOR") || isOn("CLICOLOR_FORCE") {
      usesColour = true
    } else {
      usesColour = isOutputTerminal && !isDumb && environment["CLICOLOR"] != "0"
    }
    drawsOutput = isOutputTerminal && !isDumb
    drawsProgress = isErrorTerminal && !isDumb
    let asked = environment["COLUMNS"].flatMap { Int(digits: $0) }.map { min(max($0, 40), 400) }
    columns = isOutputTerminal ? terminalColumns ?? asked : asked
  }
}
