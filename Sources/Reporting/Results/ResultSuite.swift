package import RollcallPrimitives

/// What was looked at, such as a scenario or a capture, and what became of each thing that was asked of it.
///
/// The one model of results: JUnit, TAP, SARIF and the annotations of GitHub are all written from it (`ResultFormat`).
package struct ResultSuite: Hashable, Sendable {
  /// The name of the suite, and the class name of its cases in JUnit.
  package var name: String
  /// The file that it is about; `nil`: none.
  package var file: String?
  /// When it was begun, as `JUnitDocument.timestamp(of:)` writes it; `nil`: nobody noted it.
  package var timestamp: String?
  /// How long it took; `nil`: as long as its cases together.
  package var duration: Interval?
  package var cases: [ResultCase]

  package init(
    _ name: String, file: String? = nil, timestamp: String? = nil, duration: Interval? = nil, cases: [ResultCase] = []
  ) {
    (self.name, self.file, self.timestamp) = (name, file, timestamp)
    (self.duration, self.cases) = (duration, cases)
  }
}

extension Interval {
  /// What a clock on the wall measured: not below zero, and at most some 31 years.
  package init(measuredSeconds seconds: Double) {
    self.init(nanoseconds: Int64(max(0, min(seconds.isFinite ? seconds : 0, 1e9)) * 1e9))
  }
}

/// One thing that was asked, such as a run of a scenario.
package struct ResultCase: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case passed
    /// With the reason.
    case skipped(String)
    /// It is not as it ought to be, and is written down as known; with the reason. No failure.
    case known(String)
    /// What was looked at is not as it ought to be. `type` is the kind of it, in a word; `text` may have many lines.
    case failed(message: String, type: String, text: String = "")
    /// It could not be looked at.
    case error(message: String, type: String, text: String = "")
  }

  package var name: String
  /// The file that a person opens for it; `nil`: that of the suite.
  package var file: String?
  /// From 1; `nil`: no line of the file is meant.
  package var line: Int?
  /// How long it took; `nil`: it was not measured.
  package var duration: Interval?
  package var outcome: Outcome
  /// What is worth reading though nothing failed.
  package var output: String?
  /// Each thing that is not as it ought to be, whether the case fails by it or not.
  package var findings: [ResultFinding]

  package init(
    _ name: String, file: String? = nil, line: Int? = nil, duration: Interval? = nil, outcome: Outcome = .passed,
    output: String? = nil, findings: [ResultFinding] = []
  ) {
    (self.name, self.file, self.line) = (name, file, line)
    (self.duration, self.outcome, self.output) = (duration, outcome, output)
    self.findings = findings
  }
}

/// One thing that is not as it ought to be, and where.
package struct ResultFinding: Hashable, Sendable {
  /// As SARIF grades it.
  package enum Level: String, Hashable, Sendable { case error, warning, note }

  package var rule: ResultRule
  package var level: Level
  package var place: ResultPlace
  package var message: String
  /// What tells it from others of its rule: the same in a later run.
  package var identity: [String]
  /// How often it was found.
  package var count: Int
  /// What else is known of it.
  package var facts: [ResultFact]
  /// Why it is no failure, though it is not as it ought to be; `nil`: it is one.
  package var knownBy: String?

  package init(
    _ rule: ResultRule, _ level: Level = .error, at place: ResultPlace, _ message: String, identity: [String],
    count: Int = 1, facts: [ResultFact] = [], knownBy: String? = nil
  ) {
    (self.rule, self.level, self.place, self.message) = (rule, level, place, message)
    (self.identity, self.count, self.facts, self.knownBy) = (identity, count, facts, knownBy)
  }

  /// The message, and how often it was found.
  package var text: String { count > 1 ? "\(message) (\(count) times)" : message }
}

/// Where something is: a file, and a place in it where it has lines.
package struct ResultPlace: Hashable, Sendable {
  package var file: String
  /// Both from 1; `nil`: not known, or the file has none.
  package var line: Int?
  package var column: Int?

  package init(_ file: String, line: Int? = nil, column: Int? = nil) {
    (self.file, self.line, self.column) = (file, line, column)
  }
}

/// What a finding breaks.
package struct ResultRule: Hashable, Sendable {
  package var id: String
  /// What ought to be, in a few words.
  package var title: String
  package var explanation: String
  /// What to do where it is broken.
  package var help: String
  package var level: ResultFinding.Level
  package var facts: [ResultFact]

  package init(
    _ id: String, title: String, explanation: String, help: String, level: ResultFinding.Level = .error,
    facts: [ResultFact] = []
  ) {
    (self.id, self.title, self.explanation) = (id, title, explanation)
    (self.help, self.level, self.facts) = (help, level, facts)
  }
}

/// A name and a value, for readers that want to know more.
package struct ResultFact: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case text(String)
    case number(Int)
  }
  package var name: String
  package var value: Value

  package init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }
  package init(_ name: String, _ number: Int) { (self.name, value) = (name, .number(number)) }
}

/// How many cases came to what.
package struct ResultCounts: Hashable, Sendable {
  package private(set) var all = 0
  package private(set) var passed = 0
  package private(set) var failed = 0
  package private(set) var errors = 0
  package private(set) var skipped = 0
  package private(set) var known = 0

  package init(_ cases: some Sequence<ResultCase>) {
    for one in cases {
      all += 1
      switch one.outcome {
      case .passed: passed += 1
      case .failed: failed += 1
      case .error: errors += 1
      case .skipped: skipped += 1
      case .known: known += 1
      }
    }
  }
}

/// Findings with the same of these are one.
private struct FindingKey: Hashable {
  var rule: String
  var place: ResultPlace
  var identity: [String]
  var isKnown: Bool
}

extension Array where Element == ResultSuite {
  /// Every finding once, in the order in which they came first, with how often it was found in all.
  package var findings: [ResultFinding] {
    var findings: [ResultFinding] = []
    var places: [FindingKey: Int] = [:]
    for suite in self {
      for one in suite.cases {
        for finding in one.findings {
          let key = FindingKey(
            rule: finding.rule.id, place: finding.place, identity: finding.identity, isKnown: finding.knownBy != nil)
          if let place = places[key] {
            findings[place].count += finding.count
          } else {
            places[key] = findings.count
            findings.append(finding)
          }
        }
      }
    }
    return findings
  }

  /// What could not be looked at, and what failed without a finding that says so: the file, and why.
  package var problems: [(file: String, message: String)] {
    flatMap { suite in
      suite.cases.compactMap { one -> (file: String, message: String)? in
        guard one.findings.isEmpty else { return nil }
        switch one.outcome {
        case .failed(let message, _, _), .error(let message, _, _):
          return (one.file ?? suite.file ?? suite.name, message)
        case .passed, .skipped, .known: return nil
        }
      }
    }
  }
}
