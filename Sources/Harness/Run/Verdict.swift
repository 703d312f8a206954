package import Primitives

/// What became of one expectation.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: String, Hashable, Sendable {
    case held, violated
    /// It held because nothing happened.
    case vacuous
    /// As `vacuous`, and the scenario says that this is all right.
    case waived
  }
  package var id: String
  /// The expectation as the scenario has it, on one line.
  package var text: String
  package var outcome: Outcome
  /// What was expected, in a few words; of the first check that was violated.
  package var expected: String
  /// What was found instead.
  package var found: String
  /// When; `nil` where no moment can be named.
  package var time: Instant?

  package init(
    id: String, text: String, outcome: Outcome, expected: String = "", found: String = "", time: Instant? = nil
  ) {
    self.id = id
    self.text = text
    self.outcome = outcome
    self.expected = expected
    self.found = found
    self.time = time
  }
}

/// What became of a run.
package enum RunOutcome: String, Hashable, Sendable, CaseIterable {
  case passed, failed, vacuous, budget, error
}
