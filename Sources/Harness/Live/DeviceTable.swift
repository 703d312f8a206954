package import Primitives
import Trace

/// Who is there now, as a table for a terminal.
package struct DeviceTable {
  /// So many of the latest reports stand below the table.
  static let recentMaximum = 5

  private struct Row {
    var device: String
    var location: String
    var source: String
    var since: Instant
    var services = 0
  }
  private var rows: [Row] = []
  private var recent: [String] = []
  private var everCount = 0

  package init() {}

  package mutating func take(_ report: Report, at time: Instant) {
    switch report {
    case .found(let device):
      everCount += 1
      rows.append(
        Row(
          device: device.device, location: device.location ?? "-", source: device.source.description, since: time))
    case .changed(let device, _):
      if let index = rows.firstIndex(where: { $0.device == device.device }) {
        (rows[index].location, rows[index].source) = (device.location ?? "-", device.source.description)
      }
    case .lost(let device, _): rows.removeAll { $0.device == device }
    case .service(let service):
      if let index = rows.firstIndex(where: { $0.device == service.device }) { rows[index].services += 1 }
      return
    case .rejected: return
    case .searchEnded, .failed: break
    }
    recent.append("\(time)  \(ReportText.line(report))")
    if recent.count > DeviceTable.recentMaximum { recent.removeFirst() }
  }

  /// At most `rows` lines of at most `columns` characters.
  package func lines(at now: Instant, title: String, rows rowsMaximum: Int, columns: Int) -> [String] {
    let seconds = now.nanoseconds / 1_000_000_000
    var lines = ["\(title)  \(seconds) s  \(rows.count) present, \(everCount) ever   Ctrl-C ends"]
    lines.append("")
    let width = max(20, rows.map(\.device.count).max() ?? 0)
    let sourceWidth = max(15, rows.map(\.source.count).max() ?? 0)
    lines.append(pad("DEVICE", width) + "  " + pad("SOURCE", sourceWidth) + "  ANSWERS    FOR  LOCATION")
    let room = max(1, rowsMaximum - lines.count - recent.count - 2)
    for row in rows.prefix(room) {
      let age = (now.nanoseconds - row.since.nanoseconds) / 1_000_000_000
      lines.append(
        pad(row.device, width) + "  " + pad(row.source, sourceWidth) + "  " + pad("\(row.services)", 7) + "  "
          + pad("\(age) s", 6) + "  \(row.location)")
    }
    if rows.count > room { lines.append("... and \(rows.count - room) more") }
    if !recent.isEmpty { lines += [""] + recent }
    return lines.prefix(max(1, rowsMaximum)).map { line in
      // What a device calls itself must not move the cursor.
      String(String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
        .prefix(columns).description
    }
  }

  private func pad(_ text: String, _ width: Int) -> String {
    text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
  }
}
