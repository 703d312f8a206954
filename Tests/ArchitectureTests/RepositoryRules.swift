/// Rules that look at lines and words, not at code.
enum RepositoryRules {
  static let linesMaximum = 500
  /// Files that may be longer, by path. None may.
  static let longFiles: [String] = []

  static func lengthOffence(path: String, text: String) -> Offence? {
    // A newline at the very end closes the last line and begins no other.
    let count = text.utf8.reduce(text.hasSuffix("\n") || text.isEmpty ? 0 : 1) { $0 + ($1 == 10 ? 1 : 0) }
    guard count > linesMaximum, !longFiles.contains(path) else { return nil }
    return Offence(path: path, line: linesMaximum + 1, what: "\(count) lines, at most \(linesMaximum)")
  }

  /// Traces of the machine and the place where something was written; put together here so that this file holds none.
  static let foreignWords = ["/wo" + "rk/", "/tmp/" + "bash", "cla" + "ude", "anth" + "ropic"]

  static func wordOffences(path: String, text: String) -> [Offence] {
    let small = text.lowercased()
    guard foreignWords.contains(where: { small.contains($0) }) else { return [] }
    var offences: [Offence] = []
    for (number, line) in small.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      for word in foreignWords where line.contains(word) {
        offences.append(Offence(path: path, line: number + 1, what: "\(word) has no business here"))
      }
    }
    return offences
  }
}
