package import Foundation
import RollcallPrimitives
import RollcallWire

/// Results as a JUnit document.
///
/// Counts of suites and of the document are those of their cases. A known failure is skipped, with its reason.
package struct JUnitDocument: Sendable {
  package var suites: [ResultSuite]

  package init(_ suites: [ResultSuite] = []) { self.suites = suites }

  /// `2026-11-22T08:00:00`, in UTC and without a zone, as the format has it.
  package static func timestamp(of date: Date) -> String {
    String(date.ISO8601Format().prefix(19))
  }

  /// The whole document, which ends with a line end.
  package var text: String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    let counts = ResultCounts(suites.lazy.flatMap(\.cases))
    text += "<testsuites tests=\"\(counts.all)\" failures=\"\(counts.failed)\" "
    text += "errors=\"\(counts.errors)\" time=\"\(Self.seconds(suites.map(\.seconds)))\">\n"
    for suite in suites { text += Self.text(of: suite) }
    return text + "</testsuites>\n"
  }

  private static func text(of suite: ResultSuite) -> String {
    let counts = ResultCounts(suite.cases)
    var text = "  <testsuite" + attribute("name", suite.name)
    text += " tests=\"\(counts.all)\" failures=\"\(counts.failed)\" "
    text += "errors=\"\(counts.errors)\" skipped=\"\(counts.skipped + counts.known)\" "
    text += "time=\"\(seconds([suite.seconds]))\""
    text += attribute("timestamp", suite.timestamp) + attribute("file", suite.file) + ">\n"
    for one in suite.cases {
      text += "    <testcase" + attribute("name", one.name) + attribute("classname", suite.name)
      text += " time=\"\(seconds([one.duration ?? .zero]))\""
      text += attribute("file", one.file ?? suite.file) + attribute("line", one.line.map(String.init))
      let content = content(of: one)
      text += content.isEmpty ? "/>\n" : ">\n" + content.map { "      \($0)\n" }.joined() + "    </testcase>\n"
    }
    return text + "  </testsuite>\n"
  }

  private static func content(of one: ResultCase) -> [String] {
    var content: [String] = []
    switch one.outcome {
    case .passed: break
    case .skipped(let reason), .known(let reason):
      content.append("<skipped" + attribute("message", reason) + "/>")
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

extension ResultSuite {
  fileprivate var seconds: Interval {
    duration ?? cases.reduce(Interval.zero) { $0 + ($1.duration ?? .zero) }
  }
}
