/// Links of a page of Markdown that lead nowhere: to no file, or to a heading that the page does not have.
enum LinkRule {
  /// - Parameter text: that of the file at a path from the root on, an empty one for a folder; `nil`: there is none.
  static func offences(path: String, page: String, text: (String) -> String?) -> [Offence] {
    var offences: [Offence] = []
    var headings: [String: Set<String>] = [:]
    // Most lines have none, and a regular expression takes its time.
    for (number, line) in prose(of: page) where line.utf8.contains(UInt8(ascii: "]")) && !line.hasPrefix("    ") {
      for match in uncoded(line).matches(of: /\]\(([^)\s]+)\)/) {
        let link = String(match.output.1)
        guard !link.contains(":") else { continue }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let target = parts[0].isEmpty ? path : resolved(parts[0], beside: path)
        guard let found = target == path ? page : text(target) else {
          offences.append(Offence(path: path, line: number, what: "\(link): there is no \(target)"))
          continue
        }
        guard parts.count == 2 else { continue }
        let known = headings[target] ?? Set(anchors(of: found))
        headings[target] = known
        if !known.contains(parts[1]) {
          offences.append(Offence(path: path, line: number, what: "\(link): no such heading"))
        }
      }
    }
    return offences
  }

  /// Lines outside of fenced blocks, with their numbers from 1.
  private static func prose(of page: String) -> [(number: Int, line: String)] {
    var lines: [(number: Int, line: String)] = []
    var isFenced = false
    for (place, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.hasPrefix("```") {
        isFenced.toggle()
      } else if !isFenced {
        lines.append((number: place + 1, line: String(line)))
      }
    }
    return lines
  }

  /// A line without what stands between marks of code.
  private static func uncoded(_ line: String) -> String {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined(separator: " ")
  }

  private static func resolved(_ link: String, beside path: String) -> String {
    var folders = path.split(separator: "/").dropLast().map(String.init)
    for part in link.split(separator: "/") where part != "." {
      if part == "..", !folders.isEmpty { folders.removeLast() } else { folders.append(String(part)) }
    }
    return folders.joined(separator: "/")
  }

  /// The names that headings have in links: small letters, digits, `_` and `-`, each blank a hyphen.
  private static func anchors(of page: String) -> [String] {
    prose(of: page).filter { $0.line.hasPrefix("#") }.map { _, line in
      let title = line.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
      return String(
        title.compactMap { (letter: Character) -> Character? in
          if letter == " " { return "-" }
          return letter.isLetter || letter.isNumber || letter == "-" || letter == "_" ? letter : nil
        })
    }
  }
}
