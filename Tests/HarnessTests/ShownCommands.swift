import Foundation

/// The commands of a page of Markdown, the output that the page shows of them, and the files that they use.
struct ShownCommands {
  struct Command: Hashable {
    var text: String
    /// Of the page, from 1.
    var line: Int
    /// The fenced block behind it, before the next command; `nil`: the page shows none.
    var shown: [String]?
  }

  /// A fenced block with a name behind its language.
  struct File: Hashable {
    var name: String
    var text: String
  }

  private(set) var files: [File] = []
  /// In the order of the page. A command is a line of an indented block, or text between marks of code in prose, that
  /// begins with `rollcall`, `make` or an assignment before one of them.
  private(set) var commands: [Command] = []

  init(_ page: String) {
    var isFenced = false
    var language = ""
    var block: [String] = []
    for (number, line) in page.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        if isFenced {
          if language.isEmpty, let last = commands.indices.last, commands[last].shown == nil {
            commands[last].shown = block
          }
          let words = language.split(separator: " ")
          if words.count == 2 {
            files.append(File(name: String(words[1]), text: block.map { $0 + "\n" }.joined()))
          }
        } else {
          (language, block) = (String(line.dropFirst(3)), [])
        }
        isFenced.toggle()
      } else if isFenced {
        block.append(line)
      } else if line.hasPrefix("    ") {
        let words = line.dropFirst(4).components(separatedBy: "#")[0].trimmingCharacters(in: .whitespaces)
        add(words, line: number + 1)
      } else {
        // Every second part stands between marks.
        for (place, part) in line.components(separatedBy: "`").enumerated() where place % 2 == 1 {
          add(part, line: number + 1)
        }
      }
    }
  }

  private mutating func add(_ text: String, line: Int) {
    guard text.wholeMatch(of: /(?:[A-Z]+=\S+ )?(?:rollcall|make) \S.*/) != nil else { return }
    commands.append(Command(text: text, line: line, shown: nil))
  }

  /// What differs between what a page shows and what came, as a sentence; `nil`: nothing.
  ///
  /// A line that is `…`, blanks aside, stands for any number of lines, and `…` within a line for any characters. How
  /// long something took is not compared.
  static func difference(shown: [String], output: [String]) -> String? {
    var place = 0
    var isLoose = false
    for line in shown {
      if line.trimmingCharacters(in: .whitespaces) == "…" {
        isLoose = true
        continue
      }
      var next = place
      while isLoose, next < output.count, !matches(line, output[next]) { next += 1 }
      guard next < output.count, matches(line, output[next]) else {
        let found = isLoose ? "no such line behind it" : next < output.count ? output[next] : "the end"
        return "line \(place + 1) of the output\n  shown  \(line)\n  found  \(found)"
      }
      (place, isLoose) = (next + 1, false)
    }
    if !isLoose, place < output.count { return "the output goes on where the page ends: \(output[place])" }
    return nil
  }

  private static func matches(_ shown: String, _ found: String) -> Bool {
    func plain(_ text: String) -> String { text.replacing(/in [0-9]+\.[0-9] s$/, with: "in a while") }
    let parts = plain(shown).components(separatedBy: "…")
    var rest = Substring(plain(found))
    for (number, part) in parts.enumerated() {
      if number == 0 {
        guard rest.hasPrefix(part) else { return false }
        rest = rest.dropFirst(part.count)
      } else if number == parts.count - 1 {
        return rest.hasSuffix(part)
      } else {
        guard let range = rest.firstRange(of: part) else { return false }
        rest = rest[range.upperBound...]
      }
    }
    return rest.isEmpty
  }
}
