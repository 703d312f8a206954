package import Foundation
package import RollcallPrimitives
import RollcallWire

/// A JUnit document: the one writer that all verbs share.
///
/// A suite is what was looked at, such as a scenario or a capture; a case is one thing that was asked of it. Counts of
/// suites and of the document are those of their cases.
package struct JUnitDocument: Sendable {
  package enum Outcome: Hashable, Sendable {
    case passed
    /// With the reason.
    case skipped(String)
    /// What was looked at is not as it ought to be. `type` is the kind of it, in a word; `text` may have many lines.
    case failed(message: String, type: String, text: String = "")
    /// It could not be looked at.
    case error(message: String, type: String, text: String = "")
  }

  package struct Case: Hashable, Sendable {
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

    package init(
      _ name: String, file: String? = nil, line: Int? = nil, duration: Interval? = nil, outcome: Outcome = .passed,
      output: String? = nil
    ) {
      (self.name, self.file, self.line) = (name, file, line)
      (self.duration, self.outcome, self.output) = (duration, outcome, output)
    }
  }

  package struct Suite: Hashable, Sendable {
    /// The name of the suite, and the class name of its cases.
    package var name: String
    /// The file that it is about; `nil`: none.
    package var file: String?
    /// When it was begun, as `JUnitDocument.timestamp(of:)` writes it; `nil`: nobody noted it.
    package var timestamp: String?
    /// How long it took; `nil`: as long as its cases together.
    package var duration: Interval?
    package var cases: [Case]

    package init(
      _ name: String, file: String? = nil, timestamp: String? = nil, duration: Interval? = nil, cases: [Case] = []
    ) {
      (self.name, self.file, self.timestamp) = (name, file, timestamp)
      (self.duration, self.cases) = (duration, cases)
    }
  }

  package var suites: [Suite]

  package init(_ suites: [Suite] = []) { self.suites = suites }

  /// `2026-11-22T08:00:00`, in UTC and without a zone, as the format has it.
  package static func timestamp(of date: Date) -> String {
    String(date.ISO8601Format().prefix(19))
  }

  /// The whole document, which ends with a line end.
  package var text: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let all = suites.flatMap(\.cases)
    text += "<testsuites tests=\"\(all.count)\" failures=\"\(all.count(where: \.isFailure))\" "
    text += "errors=\"\(all.count(where: \.isError))\" time=\"\(Self.seconds(suites.map(\.seconds)))\">\n"
    for suite in suites { text += Self.text(of: suite) }
    return text + "</testsuites>\n"
  }

  private static func text(of suite: Suite) -> String {
    let cases = suite.cases
    var text = "  <testsuite" + attribute("name", suite.name)
    text += " tests=\"\(cases.count)\" failures=\"\(cases.count(where: \.isFailure))\" "
    text += "errors=\"\(cases.count(where: \.isError))\" skipped=\"\(cases.count(where: \.isSkipped))\" "
    text += "time=\"\(seconds([suite.seconds]))\""
    text += attribute("timestamp", suite.timestamp) + attribute("file", suite.file) + ">\n"
    for one in cases {
      text += "    <testcase" + attribute("name", one.name) + attribute("classname", suite.name)
      text += " time=\"\(seconds([one.duration ?? .zero]))\""
      text += attribute("file", one.file ?? suite.file) + attribute("line", one.line.map(String.init))
      let content = content(of: one)
      text += content.isEmpty ? "/>\n" : ">\n" + content.map { "      \($0)\n" }.joined() + "    </testcase>\n"
    }
    return text + "  </testsuite>\n"
  }

  private static func content(of one: Case) -> [String] {
    var content: [String] = []
    switch one.outcome {
    case .passed: break
    case .skipped(let reason): content.append("<skipped" + attribute("message", reason) + "/>")
    case .failed(let message, let type, let text): content.append(element("failure", message, type, text))
    case .error(let message, let type, let text): content.append(element("error", message, type, text))
    }
    if let output = one.output { content.append("<system-out>\(XMLText.escaped(output))</system-out>") }
    return content
  }

  private static func element(_ name: String, _ message: String, _ type: String, _ text: String) -> String {
    let head = "<\(name)" + attribute("message", message) + attribute("type", type)
    return text.isEmpty ? head + "/>" : head + ">\(XMLText.escaped(text))</\(name)>"
  }

  private static func attribute(_ name: String, _ value: String?) -> String {
    value.map { " \(name)=\"\(XMLText.escaped($0))\"" } ?? ""
  }

  /// Decimal seconds to the millisecond, of a sum.
  private static func seconds(_ parts: [Interval]) -> String {
    let milliseconds = parts.reduce(0) { $0 + max(0, $1.nanoseconds) / 1_000_000 }
    return Interval.milliseconds(milliseconds).seconds(decimals: 3)
  }
}

extension JUnitDocument.Suite {
  fileprivate var seconds: Interval {
    duration ?? cases.reduce(Interval.zero) { $0 + ($1.duration ?? .zero) }
  }
}

extension JUnitDocument.Case {
  fileprivate var isFailure: Bool { if case .failed = outcome { true } else { false } }
  fileprivate var isError: Bool { if case .error = outcome { true } else { false } }
  fileprivate var isSkipped: Bool { if case .skipped = outcome { true } else { false } }
}
