package import RollcallPrimitives

/// Gathers lines in one piece of memory, and hands them over many at a time.
///
/// Reports are written there straight, as `ReportLine` writes them: where every one of them is wanted, whatever is
/// copied or made twice shows.
package final class LineWriter {
  private let lines: UnsafeMutablePointer<JSONLine>
  /// Few enough to stay near the processor beside the file that is being read; a write of as many costs little.
  private let bytesKept: Int
  private let sink: (UnsafeRawBufferPointer) -> Void

  /// - Parameter sink: takes whole lines, each with its end; the bytes are valid during the call.
  package init(bytesKept: Int = 16 << 10, sink: @escaping (UnsafeRawBufferPointer) -> Void) {
    self.bytesKept = bytesKept
    self.sink = sink
    lines = .allocate(capacity: 1)
    lines.initialize(to: JSONLine(linesOf: bytesKept + 4_096))
  }

  deinit { lines.deinitialize(count: 1).deallocate() }

  /// Writes a line; `text` is without its end.
  package func line(_ text: String) {
    lines.pointee.append(line: text)
    flushIfMany()
  }

  /// Writes a JSON line; `write` leaves its end to this.
  package func line(_ write: (inout JSONLine) -> Void) {
    write(&lines.pointee)
    lines.pointee.end()
    flushIfMany()
  }

  /// Writes a report as a JSON line.
  package func line(_ report: borrowing Report, time: Instant, frame: Int?) {
    lines.pointee.begin(reportAt: time, frame: frame)
    ReportLine.add(report, to: &lines.pointee)
    lines.pointee.end()
    flushIfMany()
  }

  private func flushIfMany() { if lines.pointee.byteCount > bytesKept { flush() } }

  package func flush() { if lines.pointee.byteCount > 0 { lines.pointee.take(sink) } }
}
