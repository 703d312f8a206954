import RollcallDiscovery
import Foundation
import RollcallPrimitives
import RollcallReporting
import RollcallServing
import RollcallTrace

/// Shows a live discovery: a table on a terminal, else a line for each report as soon as it is made.
final class DiscoverPrinter {
  private let output: Output
  private let format: Format
  private let interfaces: [String]
  private let isTable: Bool
  private var table: DeviceTable
  private let fetchesDescriptions: Bool
  private let showsDevices: Bool
  private var managed = ManagedTable()
  private var descriptions = (fetched: 0, failed: 0)
  private var services: Set<String> = []
  private var servicesEver: Set<String> = []
  private(set) var rejections = RejectionTally()
  /// Searches that ended as failures.
  private(set) var failedSearches: Set<SearchID> = []
  private var last = Instant.zero

  /// - Parameter interfaces: names, by number.
  /// - Parameter showsDevices: devices for the application are shown, and not all that was found.
  init(format: Format, interfaces: [String], fetchesDescriptions: Bool, showsDevices: Bool) throws {
    (self.format, self.interfaces, self.fetchesDescriptions) = (format, interfaces, fetchesDescriptions)
    self.showsDevices = showsDevices
    table = DeviceTable(showsDescriptions: fetchesDescriptions)
    output = try Output(path: nil)
    isTable = format == .text && Terminal.manners.drawsOutput
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
    case .found(let device) where device.provider == .peers:
      services.insert(device.device)
      if servicesEver.count < 1 << 20 { servicesEver.insert(device.device) }
    case .lost(let device, _): services.remove(device)
    case .description(let fetch):
      if fetch.failure == nil { descriptions.fetched += 1 } else { descriptions.failed += 1 }
    case .managed(let report): managed.take(report, at: time)
    default: break
    }
    if showsDevices, !ofDevices(report) { return }
    if isTable {
      table.take(report, at: time)
      redraw(at: time)
    } else {
      output.line(format == .json ? json(report, at: time) : "\(time)  \(ReportText.line(report))")
      output.flush()
    }
  }

  /// Whether a report is shown where only devices for the application are.
  private func ofDevices(_ report: Report) -> Bool {
    switch report {
    case .managed, .failed: true
    default: false
    }
  }

  /// Devices for the application that were found, and those that are there; `nil`: none were asked for.
  var managedCounts: (ever: Int, present: Int)? {
    showsDevices ? (managed.everCount, managed.presentCount) : nil
  }

  /// What came of a description; `nil`: none were asked for.
  var descriptionCounts: (fetched: Int, failed: Int)? { fetchesDescriptions ? descriptions : nil }

  /// Services that were found, and those that are there.
  var serviceCounts: (ever: Int, present: Int) { (servicesEver.count, services.count) }

  private func json(_ report: Report, at time: Instant) -> String {
    if case .description(let fetch) = report {
      return DescriptionLine.json(fetch, at: time, interfaces: interfaces)
    }
    return ReportLine.json(report, time: time.description, frame: nil)
  }

  func redraw(at time: Instant) {
    guard isTable else { return }
    last = max(last, time)
    var size = winsize()
    let title = interfaces.joined(separator: " ")
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
    let (rows, columns) = isKnown ? (Int(size.ws_row) - 1, Int(size.ws_col)) : (24, 80)
    output.screen(
      showsDevices
        ? managed.lines(at: last, title: title, rows: rows, columns: columns)
        : table.lines(at: last, title: title, rows: rows, columns: columns))
    output.flush()
  }

  func end(_ summary: DiscoverSummary) {
    if isTable { redraw(at: last) }
    if showsDevices, !isTable, format == .text {
      managed.table(at: last, columns: Terminal.manners.columns ?? .max).forEach { output.line($0) }
    }
    if format == .json { output.line(summary.json) } else { summary.text.forEach { output.line($0) } }
    output.flush()
  }
}
