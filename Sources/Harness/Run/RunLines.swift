import Primitives
import Scenarios

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
    var document = JUnitDocument()
    for run in runs {
      if document.suites.last?.name != run.path {
        document.suites.append(JUnitDocument.Suite(run.path, file: run.path))
      }
      document.suites[document.suites.count - 1].cases.append(junitCase(run))
    }
    return document.text
  }

  private static func junitCase(_ run: SuiteRun) -> JUnitDocument.Case {
    var one = JUnitDocument.Case("seed \(run.seed)" + run.point.map { " \($0.path)=\($0.text)" }.joined())
    switch run.outcome {
    case .passed: break
    case .failed, .vacuous:
      let bad = run.verdicts.filter { $0.outcome == .violated || $0.outcome == .vacuous }
      one.outcome = .failed(
        message: bad.first.map { "\($0.id): expected \($0.expected), found \($0.found)" } ?? "",
        type: run.outcome.rawValue, text: FailureText.lines(run).joined(separator: "\n"))
    case .error, .budget:
      one.outcome = .error(message: run.message ?? run.outcome.rawValue, type: run.outcome.rawValue)
    }
    return one
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
