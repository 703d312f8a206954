import Foundation

/// What a page names in the column `where` of a table of steps or means exists: each file, and each name in its file.
enum TourRule {
  /// - Parameter sources: paths from the root on, and the words of each file.
  static func offences(in page: String, path: String, sources: [(path: String, words: Set<String>)]) -> [Offence] {
    var offences: [Offence] = []
    var isTour = false
    for (number, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if !line.hasPrefix("|") { isTour = false }
      let columns = line.split(separator: "|", omittingEmptySubsequences: false)
      guard columns.count > 2, !isTour || line.hasPrefix("| ") else { continue }
      if columns[2] == " where " {
        isTour = true
        continue
      }
      guard isTour else { continue }
      var files: [Int] = []
      for name in quoted(columns[2]) {
        let named = paths(name, sources)
        if name.hasSuffix(".swift") {
          files = named
          if files.isEmpty { offences.append(Offence(path: path, line: number + 1, what: "there is no file \(name)")) }
          continue
        }
        let words = name.prefix { $0 != "(" }.split(separator: ".").map(String.init)
        let indices = files.isEmpty ? Array(sources.indices) : files
        if !indices.contains(where: { index in words.allSatisfy(sources[index].words.contains) }) {
          let places = files.isEmpty ? "the sources" : files.map { sources[$0].path }.joined(separator: ", ")
          offences.append(Offence(path: path, line: number + 1, what: "\(name) is not in \(places)"))
        }
      }
    }
    return offences
  }

  /// The words between backticks.
  private static func quoted(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { number, part in
      number % 2 == 1 ? String(part) : nil
    }
  }

  /// The files that a name stands for: a path below `Sources`, or the end of one; `…` and `*` for any letters.
  private static func paths(_ name: String, _ sources: [(path: String, words: Set<String>)]) -> [Int] {
    let parts = name.split(separator: name.contains("…") ? "…" : "*", omittingEmptySubsequences: false).map(String.init)
    return sources.indices.filter { index in
      var rest = Substring(sources[index].path)
      guard let last = parts.last, rest.hasSuffix(last), let found = rest.range(of: "/" + parts[0]) else {
        return false
      }
      if parts.count == 1 { return sources[index].path.hasSuffix("/" + name) }
      rest = rest[found.upperBound...]
      return !rest.dropLast(last.count).contains("/")
    }
  }
}
