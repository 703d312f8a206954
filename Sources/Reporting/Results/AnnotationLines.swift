import RollcallPrimitives

/// Results as workflow commands of GitHub Actions, which shows them beside the lines that they name.
///
/// `::error file=a.yaml,line=7,col=5,title=…::message` for each finding, once however often it was found; a known one is
/// left out. The last line is for people, and no command.
package enum AnnotationLines {
  package static func text(_ suites: [ResultSuite]) -> String {
    var lines = suites.findings.filter { $0.knownBy == nil }.map(line)
    lines += suites.problems.map { command("error", [("file", $0.file)], $0.message) }
    let counts = ResultCounts(suites.lazy.flatMap(\.cases))
    var end = "\(counts.all) cases: \(counts.passed) passed, \(counts.failed) failed"
    for (count, word) in [(counts.errors, "errors"), (counts.skipped, "skipped"), (counts.known, "known")]
    where count > 0 {
      end += ", \(count) \(word)"
    }
    return (lines + [end]).joined(separator: "\n") + "\n"
  }

  private static func line(_ finding: ResultFinding) -> String {
    var properties: [(String, String)] = [("file", finding.place.file)]
    if let line = finding.place.line { properties.append(("line", "\(line)")) }
    if let column = finding.place.column { properties.append(("col", "\(column)")) }
    properties.append(("title", "\(finding.rule.id): \(finding.rule.title)"))
    let level = finding.level == .note ? "notice" : finding.level.rawValue
    return command(level, properties, finding.text)
  }

  private static func command(_ name: String, _ properties: [(String, String)], _ message: String) -> String {
    let list = properties.map { "\($0.0)=\(escaped($0.1, isProperty: true))" }.joined(separator: ",")
    return "::\(name) \(list)::\(escaped(message, isProperty: false))"
  }

  /// What would end a command or one of its properties is written with its number; what else is hidden is shown.
  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      case ":" where isProperty: escaped += "%3A"
      case "," where isProperty: escaped += "%2C"
      default: escaped += PlainText.shown(String(scalar))
      }
    }
    return escaped
  }
}
