package import RollcallPrimitives
import RollcallReporting
import RollcallTrace

/// Who is there now, as a table for a terminal.
package struct DeviceTable {
  /// The number of latest reports below the table.
  static let recentMaximum = 5

  private struct Row {
    var device: String
    var location: String
    var source: String
    var since: Instant
    var services = 0
    /// What came of its description; empty while it is under way.
    var description = ""
  }
  private var rows: [Row] = []
  private var recent: [String] = []
  private var everCount = 0

  private let showsDescriptions: Bool
  private let interfaces: [String]

  /// - Parameters:
  ///   - showsDescriptions: there is a column for what came of each device's description.
  ///   - interfaces: what interfaces are called, by their numbers.
  package init(showsDescriptions: Bool = false, interfaces: [String] = []) {
    (self.showsDescriptions, self.interfaces) = (showsDescriptions, interfaces)
  }

  private mutating func note(_ line: String) {
    recent.append(line)
    if recent.count > DeviceTable.recentMaximum { recent.removeFirst() }
  }

  package mutating func take(_ report: Report, at time: Instant) {
    switch report {
    case .found(let device):
      everCount += 1
      rows.append(
        Row(
          device: device.device, location: DeviceTable.location(of: device), source: device.source.description,
          since: time))
    case .changed(let device, let change):
      // What stood for itself is a part of this one from now on; no loss is reported of it.
      if case .united(let part) = change { rows.removeAll { $0.device == part } }
      if let index = rows.firstIndex(where: { $0.device == device.device }) {
        (rows[index].location, rows[index].source) = (DeviceTable.location(of: device), device.source.description)
      }
    case .lost(let device, _): rows.removeAll { $0.device == device }
    case .service(let service):
      let name = service.device
      if let index = rows.firstIndex(where: { $0.device == name }) { rows[index].services += 1 }
      return
    case .description(let fetch):
      if let index = rows.firstIndex(where: { $0.device == fetch.device }) {
        rows[index].description = DescriptionLine.short(fetch)
      }
    case .rejected: return
    default: break
    }
    note("\(time)  \(ReportText.line(report, interfaces: interfaces))")
  }

  /// LOCATION of a root device; host, port and text of a service.
  private static func location(of device: DeviceSighting) -> String {
    guard device.provider == .peers, let host = device[.host]?.text, let port = device[.port]?.number else {
      return device.location ?? "-"
    }
    return "\(host):\(port)" + (device[.txt]?.text.map { "  \($0)" } ?? "")
  }

  /// At most `rows` lines of at most `columns` characters.
  package func lines(at now: Instant, title: String, rows rowsMaximum: Int, columns: Int) -> [String] {
    let seconds = now.nanoseconds / 1_000_000_000
    var lines = ["\(title)  \(seconds) s  \(rows.count) present, \(everCount) ever   Ctrl-C ends"]
    lines.append("")
    let width = rows.map(\.device.count).reduce(20, max)
    let sourceWidth = rows.map(\.source.count).reduce(15, max)
    let documentWidth = rows.map(\.description.count).reduce(11, max)
    let heading = showsDescriptions ? "DESCRIPTION".padded(to: documentWidth) + "  " : ""
    lines.append(
      "DEVICE".padded(to: width) + "  " + "SOURCE".padded(to: sourceWidth) + "  ANSWERS    FOR  \(heading)LOCATION")
    let room = max(1, rowsMaximum - lines.count - recent.count - 2)
    for row in rows.prefix(room) {
      let document = showsDescriptions ? row.description.padded(to: documentWidth) + "  " : ""
      let age = (now.nanoseconds - row.since.nanoseconds) / 1_000_000_000
      lines.append(
        row.device.padded(to: width) + "  " + row.source.padded(to: sourceWidth) + "  "
          + ("\(row.services)").padded(to: 7) + "  "
          + ("\(age) s").padded(to: 6) + "  \(document)\(row.location)")
    }
    if rows.count > room { lines.append("... and \(rows.count - room) more") }
    if !recent.isEmpty { lines += [""] + recent }
    return lines.prefix(max(1, rowsMaximum)).map { line in
      // Shown already here, so that what is cut to the width is what will stand there.
      PlainText.shown(line).prefix(columns).description
    }
  }
}
