import RollcallPrimitives
package import RollcallReporting
import RollcallScenarios

/// Runs as a JUnit document: a suite for each scenario, a case for each run; with planted faults a case for each
/// scenario, which fails if no run of it did.
package struct RunJUnit {
  /// When it began, as `JUnitDocument.timestamp(of:)` writes it; `nil`: not told.
  private let timestamp: String?
  private let bites: Bool
  private var suites: [JUnitDocument.Suite] = []
  private var current: JUnitDocument.Suite?
  /// Of the runs of the suite that is open.
  private var seconds = 0.0

  package init(timestamp: String? = nil, bites: Bool = false) { (self.timestamp, self.bites) = (timestamp, bites) }

  package mutating func add(_ run: SuiteRun) {
    open(run.path)
    seconds += run.seconds
    if bites, run.outcome != .error, run.outcome != .budget { return }
    let bad = run.verdicts.filter(\.isBad)
    var one = JUnitDocument.Case(
      "seed \(run.seed)" + run.point.map { " \($0.path)=\($0.text)" }.joined(),
      line: bad.first { $0.place.line > 0 }?.place.line, duration: RunJUnit.interval(run.seconds))
    switch run.outcome {
    case .passed: break
    case .failed, .vacuous:
      let message = bad.first.map { "\($0.id): expected \($0.expected), found \($0.found)" } ?? run.message ?? ""
      one.outcome = .failed(
        message: message, type: run.outcome.rawValue, text: FailureText.lines(run).joined(separator: "\n"))
    case .error, .budget:
      one.outcome = .error(message: run.message ?? run.outcome.rawValue, type: run.outcome.rawValue)
    }
    current?.cases.append(one)
  }

  /// Whether a scenario noticed the fault that was planted: one case for all of its runs.
  package mutating func addBite(_ path: String, planted: String, isNoticed: Bool, again: String) {
    open(path)
    var one = JUnitDocument.Case("bites \(planted)", duration: RunJUnit.interval(seconds))
    if !isNoticed {
      one.outcome = .failed(
        message: "passes with \(planted) planted: it proves nothing", type: "toothless", text: "again: \(again)")
    }
    current?.cases.append(one)
  }

  /// A scenario that was not run.
  package mutating func skip(_ path: String, why: String) {
    open(path)
    current?.cases.append(JUnitDocument.Case("all runs", outcome: .skipped(why)))
  }

  /// A suite of something else, such as a file that cannot be read.
  package mutating func add(_ suite: JUnitDocument.Suite) {
    closeSuite()
    suites.append(suite)
  }

  private mutating func open(_ path: String) {
    if current?.name == path { return }
    closeSuite()
    current = JUnitDocument.Suite(path, file: path, timestamp: timestamp)
    seconds = 0
  }

  private mutating func closeSuite() {
    guard var suite = current, !suite.cases.isEmpty else { return }
    suite.duration = RunJUnit.interval(seconds)
    suites.append(suite)
    current = nil
  }

  /// The document with everything that was added.
  package var document: String {
    var copy = self
    copy.closeSuite()
    return JUnitDocument(copy.suites).text
  }

  private static func interval(_ seconds: Double) -> Interval {
    Interval(nanoseconds: Int64(max(0, min(seconds.isFinite ? seconds : 0, 1e9)) * 1e9))
  }
}
