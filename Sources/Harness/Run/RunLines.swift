import Primitives
import Scenarios
import Wire

/// Runs as JSON lines and as JUnit XML.
package enum RunLines {
  /// `{"kind":"run",…}` of `rollcall run --format json`.
  package static func json(_ run: SuiteRun) -> String {
    var line = JSONLine(kind: "run")
    line.add("scenario", run.path)
    line.add("point", object: run.point.map { ($0.path, $0.text) })
    line.add("seed", run.seed)
    line.add("outcome", run.outcome.rawValue)
    line.add("digest", run.digest.description)
    line.add("entries", run.entries)
    line.add("virtualSeconds", raw: trimmed(run.virtualTime.decimal))
    if let planted = run.planted { line.add("planted", planted) }
    if let message = run.message { line.add("message", message) }
    line.add("expectations", raw: "[" + run.verdicts.map(json).joined(separator: ",") + "]")
    return line.closed
  }

  private static func json(_ verdict: Verdict) -> String {
    var object = JSONLine()
    object.add("id", verdict.id)
    object.add("outcome", verdict.outcome.rawValue)
    if verdict.outcome == .violated {
      object.add("expected", verdict.expected)
      object.add("found", verdict.found)
      if let time = verdict.time { object.add("time", time.description) }
    }
    return object.closed
  }

  /// Decimal seconds without the zeros that say nothing; always a number that JSON knows.
  private static func trimmed(_ decimal: String) -> String {
    var text = decimal
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  package static func summary(runs: Int, passed: Int, scenarios: Int) -> String {
    var line = JSONLine(kind: "summary")
    line.add("runs", runs)
    line.add("passed", passed)
    line.add("failed", runs - passed)
    line.add("scenarios", scenarios)
    return line.closed
  }

  /// A JUnit document: a suite for each scenario, a case for each run.
  package static func junit(_ runs: [SuiteRun]) -> String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let failed = runs.count { $0.outcome == .failed || $0.outcome == .vacuous }
    let broken = runs.count { $0.outcome == .error || $0.outcome == .budget }
    text += "<testsuites tests=\"\(runs.count)\" failures=\"\(failed)\" errors=\"\(broken)\">\n"
    var start = 0
    while start < runs.count {
      let end = runs[start...].firstIndex { $0.path != runs[start].path } ?? runs.count
      text += suite(runs[start..<end])
      start = end
    }
    return text + "</testsuites>\n"
  }

  private static func suite(_ runs: ArraySlice<SuiteRun>) -> String {
    guard let first = runs.first else { return "" }
    let failed = runs.count { $0.outcome == .failed || $0.outcome == .vacuous }
    let broken = runs.count { $0.outcome == .error || $0.outcome == .budget }
    var text =
      "  <testsuite name=\"\(XMLText.escaped(first.path))\" tests=\"\(runs.count)\" failures=\"\(failed)\" errors=\"\(broken)\" "
      + "skipped=\"0\">\n"
    for run in runs {
      let point = run.point.map { " \($0.path)=\($0.text)" }.joined()
      text +=
        "    <testcase name=\"\(XMLText.escaped("seed \(run.seed)" + point))\" classname=\"\(XMLText.escaped(run.path))\""
      switch run.outcome {
      case .passed: text += "/>\n"
      case .failed, .vacuous:
        let bad = run.verdicts.filter { $0.outcome == .violated || $0.outcome == .vacuous }
        let message = bad.first.map { "\($0.id): expected \($0.expected), found \($0.found)" } ?? ""
        text += ">\n      <failure message=\"\(XMLText.escaped(message))\" type=\"\(run.outcome.rawValue)\">"
        text += XMLText.escaped(FailureText.lines(run).joined(separator: "\n")) + "</failure>\n    </testcase>\n"
      case .error, .budget:
        text +=
          ">\n      <error message=\"\(XMLText.escaped(run.message ?? run.outcome.rawValue))\" type=\"\(run.outcome.rawValue)\"/>\n"
        text += "    </testcase>\n"
      }
    }
    return text + "  </testsuite>\n"
  }
}

/// A failed run, told to a person.
package enum FailureText {
  /// What was expected, what was found, when, and the one command that repeats it.
  package static func lines(_ run: SuiteRun) -> [String] {
    var lines: [String] = []
    if let message = run.message { lines.append(message) }
    for verdict in run.verdicts where verdict.outcome == .violated || verdict.outcome == .vacuous {
      lines.append("\(verdict.id)  \(verdict.text)")
      if verdict.outcome == .vacuous {
        lines.append("    held only because nothing happened\(verdict.found.isEmpty ? "" : ": " + verdict.found)")
        continue
      }
      lines.append("    expected  \(verdict.expected)")
      lines.append("    found     \(verdict.found)")
      if let time = verdict.time { lines.append("    when      \(time) s") }
    }
    lines.append("again: \(command(run))")
    return lines
  }

  package static func command(_ run: SuiteRun) -> String {
    var words = ["rollcall", "run", run.path, "--seed", "\(run.seed)"]
    for value in run.point { words += ["--set", "'\(value.path)=\(value.text)'"] }
    if run.planted != nil { words.append("--bites") }
    return words.joined(separator: " ")
  }
}
