import ArgumentParser
import RollcallReporting
import RollcallScenarios

/// One input that cannot be read: the others are looked at all the same.
struct UnreadableInput: Error {
  var path: String
  var message: String

  /// For a person, at once, whatever the format of the report.
  var text: String

  /// Each mistake with its place, where that is known.
  var findings: [ResultFinding] = []

  init(_ path: String, _ message: String) {
    (self.path, self.message, text) = (path, message, "\(path): \(message)")
  }

  /// A line for each mistake, which begins with file, line and column.
  init(_ path: String, _ errors: ScenarioErrors) {
    (self.path, message, text) = (path, errors.description, errors.description)
    findings = errors.errors.map { error in
      let hasPlace = error.line > 0
      return ResultFinding(
        .unreadableScenario,
        at: ResultPlace(path, line: hasPlace ? error.line : nil, column: hasPlace ? error.column : nil),
        error.message, identity: [path, error.message])
    }
  }

  /// In the place of all that would have been said of it.
  var suite: ResultSuite { InputFailureLines.suite(input: path, message: message, findings: findings) }
}

extension ResultRule {
  fileprivate static let unreadableScenario = ResultRule(
    "scenario-unreadable", title: "A scenario has a mistake",
    explanation: "The file is not what docs/scenarios.md describes, so that it is not run.",
    help: "rollcall explain --reference describes every key.")
}

extension TimeStyle: ExpressibleByArgument {}
