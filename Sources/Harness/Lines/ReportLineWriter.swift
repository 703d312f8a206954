package import Primitives

/// Writes reports as the JSON lines that `ReportLine` writes, where there are many: all of them in the same memory.
package final class ReportLineWriter {
  private var line = JSONLine()

  package init() {}

  /// Appends the line, without its end, to a buffer.
  package func append(_ report: Report, time: Instant, frame: Int?, to buffer: inout [UInt8]) {
    line.restart(reportAt: time, frame: frame)
    ReportLine.add(report, to: &line)
    line.close(into: &buffer)
  }
}
