import Primitives
import Scenarios
import Wire

/// Runs as a JUnit document: a suite for each scenario, a case for each run; with planted faults a case for each
/// scenario, which fails if no run of it did.
package struct RunJUnit {
  /// When it began, as ISO 8601 has it; `nil`: not told.
  private let timestamp: String?
  private let bites: Bool
  private var suites = ""
  private var total = Counts()
  private var path = ""
  private var cases = ""
  private var current = Counts()

  private struct Counts {
    var tests = 0
    var failures = 0
    var errors = 0
    var skipped = 0
    var seconds = 0.0

    static func += (left: inout Counts, right: Counts) {
      left.tests += right.tests
      left.failures += right.failures
      left.errors += right.errors
      left.skipped += right.skipped
      left.seconds += right.seconds
    }

    /// - Parameter hasSkipped: `testsuites` has no such attribute.
    func attributes(hasSkipped: Bool) -> String {
      "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\""
        + (hasSkipped ? " skipped=\"\(skipped)\"" : "") + " time=\"\(RunJUnit.text(seconds))\""
    }
  }

  package init(timestamp: String? = nil, bites: Bool = false) { (self.timestamp, self.bites) = (timestamp, bites) }

  package mutating func add(_ run: SuiteRun) {
    if run.path != path { closeSuite(next: run.path) }
    current.seconds += run.seconds
    if bites, run.outcome != .error, run.outcome != .budget { return }
    let point = run.point.map { " \($0.path)=\($0.text)" }.joined()
    let bad = run.verdicts.filter(\.isBad)
    var content: String?
    switch run.outcome {
    case .passed: break
    case .failed, .vacuous:
      current.failures += 1
      let message = bad.first.map { "\($0.id): expected \($0.expected), found \($0.found)" } ?? run.message ?? ""
      content =
        "<failure message=\"\(XMLText.escaped(message))\" type=\"\(run.outcome.rawValue)\">"
        + XMLText.escaped(FailureText.lines(run).joined(separator: "\n")) + "</failure>"
    case .error, .budget:
      current.errors += 1
      let message = XMLText.escaped(run.message ?? run.outcome.rawValue)
      content = "<error message=\"\(message)\" type=\"\(run.outcome.rawValue)\"/>"
    }
    let line = bad.first { $0.place.line > 0 }?.place.line
    addCase("seed \(run.seed)" + point, line: line, seconds: run.seconds, content)
  }

  /// Whether a scenario noticed the fault that was planted: one case for all of its runs.
  package mutating func addBite(_ path: String, planted: String, isNoticed: Bool, again: String) {
    if path != self.path { closeSuite(next: path) }
    if !isNoticed { current.failures += 1 }
    let message = "passes with \(planted) planted: it proves nothing"
    addCase(
      "bites \(planted)", line: nil, seconds: current.seconds,
      isNoticed
        ? nil
        : "<failure message=\"\(XMLText.escaped(message))\" type=\"toothless\">"
          + XMLText.escaped("again: \(again)") + "</failure>")
  }

  /// A scenario that was not run.
  package mutating func skip(_ path: String, why: String) {
    if path != self.path { closeSuite(next: path) }
    current.skipped += 1
    addCase("all runs", line: nil, seconds: 0, "<skipped message=\"\(XMLText.escaped(why))\"/>")
  }

  private mutating func addCase(_ name: String, line: Int?, seconds: Double, _ content: String?) {
    current.tests += 1
    cases +=
      "    <testcase name=\"\(XMLText.escaped(name))\" classname=\"\(XMLText.escaped(path))\" "
      + "time=\"\(RunJUnit.text(seconds))\" file=\"\(XMLText.escaped(path))\""
    if let line { cases += " line=\"\(line)\"" }
    cases += content.map { ">\n      \($0)\n    </testcase>\n" } ?? "/>\n"
  }

  private mutating func closeSuite(next: String) {
    if current.tests > 0 {
      suites +=
        "  <testsuite name=\"\(XMLText.escaped(path))\" \(current.attributes(hasSkipped: true))"
        + (timestamp.map { " timestamp=\"\($0)\"" } ?? "") + ">\n" + cases + "  </testsuite>\n"
      total += current
    }
    (path, cases, current) = (next, "", Counts())
  }

  /// The document with everything that was added.
  package var document: String {
    var copy = self
    copy.closeSuite(next: "")
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(copy.total.attributes(hasSkipped: false))>\n"
      + copy.suites + "</testsuites>\n"
  }

  /// Seconds with three decimals.
  private static func text(_ seconds: Double) -> String {
    let milliseconds = Int64(max(0, min(seconds, 1e12)) * 1_000)
    let rest = "\(milliseconds % 1_000)"
    return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
