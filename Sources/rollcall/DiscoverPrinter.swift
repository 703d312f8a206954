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
  private var managed: ManagedTable
  private let picks: Bool
  /// The device that a person picked.
  var picked: (id: String, state: ManagerReport.State)? { managed.picked }
  private var descriptions = (fetched: 0, failed: 0)
  private var services: Set<String> = []
  private var servicesEver: Set<String> = []
  private(set) var rejections = RejectionTally()
  /// Searches that ended as failures.
  private(set) var failedSearches: Set<SearchID> = []
  private var last = Instant.zero

  /// - Parameters:
  ///   - interfaces: names, by number.
  ///   - showsDevices: devices for the application are shown, and not all that was found.
  ///   - picks: a person may pick one of them.
  init(format: Format, interfaces: [String], fetchesDescriptions: Bool, showsDevices: Bool, picks: Bool) throws {
    (self.picks, managed) = (picks, ManagedTable(showsNumbers: picks))
    (self.format, self.interfaces, self.fetchesDescriptions) = (format, interfaces, fetchesDescriptions)
    self.showsDevices = showsDevices
    table = DeviceTable(showsDescriptions: fetchesDescriptions, interfaces: interfaces)
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
      if format == .text {
        Output.complain("\(time)  \(ReportText.line(report, interfaces: interfaces)): \(failure.explanation)")
      }
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
    } else if picks, format == .text, case .managed(let report) = report, let number = managed.number(of: report.id) {
      output.line("\(time)  \(number)  \(PlainText.shown(report.state.name ?? "-")) \(PlainText.shown(report.text))")
      output.flush()
    } else {
      output.line(
        format == .json ? json(report, at: time) : "\(time)  \(ReportText.line(report, interfaces: interfaces))")
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
    return ReportLine.json(report, time: time.description, frame: nil, interfaces: interfaces)
  }

  /// A person typed something.
  /// - Returns: whether that is the end.
  func take(typed line: String) -> Bool {
    switch managed.pick(line) {
    case .device, .none: return true
    case .refused(let text):
      Output.complain(text)
      return false
    }
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

  /// The last line: the device that was picked.
  func show(picked: (id: String, state: ManagerReport.State)) {
    if format == .json {
      output.line(
        JSONLine.object { line in
          line.add("kind", "picked")
          line.add("device", picked.id)
          ReportLine.add(picked.state, to: &line)
        })
    } else {
      let (state, offers) = (picked.state, ManagedTable.services(picked.state))
      output.line(
        "picked \(PlainText.shown(state.name ?? "-")) at \(state.address.map { "\($0)" } ?? "-") with \(offers), "
          + picked.id)
    }
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
