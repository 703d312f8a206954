import Foundation
import Harness
import Primitives

/// Shows a live discovery: a table on a terminal, else a line for each report as soon as it is made.
final class DiscoverPrinter {
  private let output: Output
  private let format: Format
  private let title: String
  private let isTable: Bool
  private var table = DeviceTable()
  private(set) var rejections = RejectionTally()
  /// Searches that ended as failures.
  private(set) var failedSearches: Set<SearchID> = []
  private var last = Instant.zero

  init(format: Format, title: String) throws {
    (self.format, self.title) = (format, title)
    output = try Output(path: nil)
    isTable = format == .text && Output.isTerminal
  }

  func show(_ report: Report, at time: Instant) {
    last = max(last, time)
    switch report {
    case .rejected(let rejection): return rejections.add(rejection, at: time)
    case .searchEnded: break
    case .failed(let failure):
      if let search = failure.search, failure.interface == nil || failure.reason != .cannotSend {
        failedSearches.insert(search)
      }
      // The table has no room for what a person can do about it.
      if format == .text { Output.complain("\(time)  failed \(failure.reason.rawValue): \(failure.explanation)") }
    default: break
    }
    if isTable {
      table.take(report, at: time)
      redraw(at: time)
    } else {
      output.line(
        format == .json
          ? ReportLine.json(report, time: time.description, frame: nil) : "\(time)  \(ReportText.line(report))")
      output.flush()
    }
  }

  func redraw(at time: Instant) {
    guard isTable else { return }
    last = max(last, time)
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
    let (rows, columns) = isKnown ? (Int(size.ws_row) - 1, Int(size.ws_col)) : (24, 80)
    output.line(
      "\u{1B}[H\u{1B}[J" + table.lines(at: last, title: title, rows: rows, columns: columns).joined(separator: "\n"))
    output.flush()
  }

  func end(_ summary: DiscoverSummary) {
    if isTable { redraw(at: last) }
    if format == .json { output.line(summary.json) } else { summary.text.forEach { output.line($0) } }
    output.flush()
  }
}
