package import RollcallPrimitives
import RollcallReporting

/// The devices that an application could use now, as a table: for a terminal, and behind the lines of a run that ended.
package struct ManagedTable {
  /// The number of latest reports below the table.
  static let recentMaximum = 5

  private struct Row {
    var id: String
    var state: ManagerReport.State
    var since: Instant
  }
  private var rows: [Row] = []
  private var recent: [String] = []
  /// How many were ever found, each id once.
  private var ids: Set<String> = []

  package init() {}

  package var presentCount: Int { rows.count }
  package var everCount: Int { ids.count }

  package mutating func take(_ report: ManagerReport, at time: Instant) {
    if ids.count < 1 << 20 { ids.insert(report.id) }
    switch report.event {
    case .found: rows.append(Row(id: report.id, state: report.state, since: time))
    case .updated, .capabilities:
      if let index = rows.firstIndex(where: { $0.id == report.id }) { rows[index].state = report.state }
    case .lost: rows.removeAll { $0.id == report.id }
    case .connection, .app: break
    }
    // What a device can do is told with the update.
    if case .capabilities = report.event { return }
    recent.append("\(time)  \(ManagedTable.name(report.state)) \(report.text)")
    if recent.count > ManagedTable.recentMaximum { recent.removeFirst() }
  }

  private static func name(_ state: ManagerReport.State) -> String {
    state.name ?? state.members.first ?? "a device without a name"
  }

  /// `MediaPlayer, VolumeControl`: the groups of what it can do, in order.
  private static func groups(_ state: ManagerReport.State) -> String {
    var groups: [String] = []
    for capability in state.capabilities where capability.group != groups.last { groups.append(capability.group) }
    return groups.joined(separator: ", ")
  }

  /// At most `rows` lines of at most `columns` characters; the name first.
  package func lines(at now: Instant, title: String, rows rowsMaximum: Int, columns: Int) -> [String] {
    let seconds = now.nanoseconds / 1_000_000_000
    var lines = ["\(title)  \(seconds) s  \(rows.count) devices, \(ids.count) ever   Ctrl-C ends", ""]
    let room = max(1, rowsMaximum - lines.count - 1 - recent.count - 2)
    lines += table(at: now, columns: columns, rowsMaximum: room)
    if !recent.isEmpty { lines += [""] + recent }
    return lines.prefix(max(1, rowsMaximum)).map { String(PlainText.shown($0).prefix(columns)) }
  }

  /// The table alone, with its heading; each line at most `columns` characters.
  package func table(at now: Instant, columns: Int, rowsMaximum: Int = .max) -> [String] {
    let cells = rows.map { row -> [String] in
      let age = (now.nanoseconds - row.since.nanoseconds) / 1_000_000_000
      return [
        ManagedTable.name(row.state), row.state.address.map { "\($0)" } ?? "-", "\(age) s",
        row.state.services.map(\.id).joined(separator: ", "), ManagedTable.groups(row.state),
      ].map { PlainText.shown($0) }
    }
    let heading = ["NAME", "ADDRESS", "FOR", "SERVICES", "CAN"]
    // A long name leaves room for what the device can do.
    let widest = [max(12, columns / 3), max(15, columns / 4), 8, max(12, columns / 4)]
    let widths = widest.indices.map { column in
      min(widest[column], max(heading[column].count, cells.map { $0[column].count }.max() ?? 0))
    }
    func line(_ cells: [String]) -> String {
      let head = widths.indices.map { String(cells[$0].prefix(widths[$0])).padded(to: widths[$0]) }
      return String((head + [cells[4]]).joined(separator: "  ").prefix(columns))
    }
    var lines = [line(heading)] + cells.prefix(rowsMaximum).map(line)
    if rows.count > rowsMaximum { lines.append("... and \(rows.count - rowsMaximum) more") }
    return lines
  }
}
