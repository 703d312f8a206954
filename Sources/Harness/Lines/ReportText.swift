package import Primitives
import Trace

/// A report in a line for people.
package enum ReportText {
  package static func line(_ report: Report) -> String { TraceText.text(of: report) }
}
