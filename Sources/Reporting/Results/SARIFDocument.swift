import RollcallPrimitives

/// Results as SARIF 2.1.0: what was broken is a rule, each finding a result, and a known one is suppressed.
///
/// What could not be looked at, and what failed without a finding, is a notification of the tool.
package enum SARIFDocument {
  /// - Parameter version: of the tool.
  package static func text(_ suites: [ResultSuite], version: String) -> String {
    let findings = suites.findings
    var rules: [ResultRule] = []
    var numbers: [String: Int] = [:]
    for rule in findings.map(\.rule) where numbers[rule.id] == nil {
      numbers[rule.id] = 0
      rules.append(rule)
    }
    rules.sort { $0.id < $1.id }
    for (number, rule) in rules.enumerated() { numbers[rule.id] = number }
    var driver = JSONLine()
    driver.add("name", "rollcall")
    driver.add("version", version)
    driver.add("rules", raw: "[" + rules.map { text($0) }.joined(separator: ",") + "]")
    // Where one result says whether it is suppressed, all do.
    let tellsKnown = findings.contains { $0.knownBy != nil }
    let results = findings.map { text($0, number: numbers[$0.rule.id] ?? 0, tellsKnown) }
    var run = JSONLine()
    run.add("tool", raw: "{\"driver\":\(driver.closed)}")
    run.add("columnKind", "unicodeCodePoints")
    run.add("results", raw: "[" + results.joined(separator: ",") + "]")
    if let invocation = invocation(suites) { run.add("invocations", raw: "[\(invocation)]") }
    var document = JSONLine()
    document.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
    document.add("version", "2.1.0")
    document.add("runs", raw: "[\(run.closed)]")
    return document.closed + "\n"
  }

  /// `nil`: everything could be looked at.
  private static func invocation(_ suites: [ResultSuite]) -> String? {
    let hasErrors = suites.contains { suite in
      suite.cases.contains { if case .error = $0.outcome { true } else { false } }
    }
    let problems = suites.problems
    if problems.isEmpty, !hasErrors { return nil }
    let notes = problems.map { problem -> String in
      var note = JSONLine()
      note.add("level", "error")
      note.add("message", raw: message("\(problem.file): \(problem.message)"))
      note.add("locations", raw: "[\(location(ResultPlace(problem.file)))]")
      return note.closed
    }
    return "{\"executionSuccessful\":false,\"toolExecutionNotifications\":[" + notes.joined(separator: ",") + "]}"
  }

  private static func text(_ rule: ResultRule) -> String {
    var line = JSONLine()
    line.add("id", rule.id)
    line.add("shortDescription", raw: message(rule.title))
    line.add("defaultConfiguration", raw: "{\"level\":\"\(rule.level.rawValue)\"}")
    line.add("fullDescription", raw: message(rule.explanation))
    line.add("help", raw: message(rule.help))
    if !rule.facts.isEmpty { line.add("properties", raw: object(rule.facts)) }
    return line.closed
  }

  private static func text(_ finding: ResultFinding, number: Int, _ tellsKnown: Bool) -> String {
    var line = JSONLine()
    line.add("ruleId", finding.rule.id)
    line.add("ruleIndex", number)
    line.add("level", finding.level.rawValue)
    line.add("message", raw: message(finding.text))
    line.add("locations", raw: "[\(location(finding.place))]")
    if finding.count > 1 { line.add("occurrenceCount", finding.count) }
    var print = Digest()
    for part in finding.identity { print.combine(part) }
    line.add("partialFingerprints", raw: "{\"finding/1\":\"\(print)\"}")
    if tellsKnown {
      let known = finding.knownBy.map { "{\"kind\":\"external\",\"justification\":\(JSONLine.quoted($0))}" }
      line.add("suppressions", raw: "[\(known ?? "")]")
    }
    if !finding.facts.isEmpty { line.add("properties", raw: object(finding.facts)) }
    return line.closed
  }

  private static func location(_ place: ResultPlace) -> String {
    var physical = JSONLine()
    physical.add("artifactLocation", raw: "{\"uri\":\(JSONLine.quoted(uri(place.file)))}")
    if let line = place.line {
      let column = place.column.map { ",\"startColumn\":\($0)" } ?? ""
      physical.add("region", raw: "{\"startLine\":\(line)\(column)}")
    }
    return "{\"physicalLocation\":\(physical.closed)}"
  }

  private static func message(_ text: String) -> String { "{\"text\":\(JSONLine.quoted(text))}" }

  private static func object(_ facts: [ResultFact]) -> String {
    let members = facts.map { fact -> String in
      let value =
        switch fact.value {
        case .text(let text): JSONLine.quoted(text)
        case .number(let number): "\(number)"
        }
      return JSONLine.quoted(fact.name) + ":" + value
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// A path as a URI reference: what no path segment of a URI may hold is escaped.
  private static func uri(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 47, 95, 126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
