import RollcallPrimitives

/// Results in version 14 of the Test Anything Protocol: a line for each case, and a block of YAML behind those that
/// say more.
///
/// A known failure is `not ok` with the directive TODO, which is no failure there. The description has no `#`, which
/// older readers take for the start of a directive even behind a backslash: it is shown as `\x23`, as hidden characters
/// are.
package enum TAPDocument {
  package static func text(_ suites: [ResultSuite]) -> String {
    let count = suites.reduce(0) { $0 + $1.cases.count }
    var lines = ["TAP version 14", count == 0 ? "1..0 # SKIP there is nothing to tell" : "1..\(count)"]
    var number = 0
    for suite in suites {
      for one in suite.cases {
        number += 1
        lines.append(head(one, of: suite, number))
        lines += block(one, of: suite)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func head(_ one: ResultCase, of suite: ResultSuite, _ number: Int) -> String {
    let name = "\(number) - \(escaped("\(suite.name): \(one.name)"))"
    return switch one.outcome {
    case .passed: "ok \(name)"
    case .skipped(let reason): "ok \(name) # SKIP \(escaped(reason))"
    case .known(let reason): "not ok \(name) # TODO \(escaped(reason))"
    case .failed, .error: "not ok \(name)"
    }
  }

  /// Text of a line: nothing in it is hidden, a backslash stands for itself, and no directive begins.
  private static func escaped(_ text: String) -> String {
    PlainText.shown(text).replacing("\\", with: "\\\\").replacing("#", with: "\\\\x23")
  }

  private static func block(_ one: ResultCase, of suite: ResultSuite) -> [String] {
    var fields: [String] = []
    switch one.outcome {
    case .passed, .skipped, .known: break
    case .failed(let message, let type, let text): fields += told(message, "fail", type, text)
    case .error(let message, let type, let text): fields += told(message, "error", type, text)
    }
    if let duration = one.duration { fields.append("duration_ms: \(max(0, duration.nanoseconds) / 1_000_000)") }
    let isTold = !one.findings.isEmpty || fields.count > 1
    if isTold, let file = one.file ?? suite.file { fields.append("file: \(quoted(file))") }
    if isTold, let line = one.line { fields.append("line: \(line)") }
    if !one.findings.isEmpty {
      fields.append("findings:")
      for finding in one.findings { fields += listed(finding) }
    }
    if let output = one.output { fields.append("output: \(quoted(output))") }
    return fields.isEmpty ? [] : ["  ---"] + fields.map { "  " + $0 } + ["  ..."]
  }

  private static func told(_ message: String, _ severity: String, _ type: String, _ text: String) -> [String] {
    ["message: \(quoted(message))", "severity: \(severity)", "type: \(quoted(type))"]
      + (text.isEmpty ? [] : ["text: \(quoted(text))"])
  }

  private static func listed(_ finding: ResultFinding) -> [String] {
    var lines = ["  - rule: \(quoted(finding.rule.id))", "    level: \(finding.level.rawValue)"]
    lines.append("    file: \(quoted(finding.place.file))")
    if let line = finding.place.line { lines.append("    line: \(line)") }
    if let column = finding.place.column { lines.append("    column: \(column)") }
    lines.append("    message: \(quoted(finding.text))")
    return lines
  }

  /// A scalar of YAML between double quotes, all of it on one line.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if let escape = PlainText.jsonEscape(of: scalar) {
        // YAML has no halves of characters, but eight digits.
        quoted += scalar.value > 0xFFFF ? "\\U" + PlainText.padded(scalar.value, 8) : escape
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
