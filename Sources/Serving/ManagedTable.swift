import RollcallConnect
package import RollcallPrimitives
import RollcallReporting

/// The devices that an application could use now, as a table: for a terminal, and behind the lines of a run that ended. What
/// `DevicePicker` is for an application: the same list, sorted in the same way, and the same selection.
package struct ManagedTable {
  /// The number of latest reports below the table.
  static let recentMaximum = 5
  /// Devices that are given a number; more have 0.
  package static let numbersMaximum = 1 << 20

  /// What a person typed to pick a device.
  package enum Pick: Hashable, Sendable {
    /// One of the list: `picked`.
    case device
    /// They want none.
    case none
    /// What they typed is no number of a device that is there; for people.
    case refused(String)
  }

  private struct Row: PickableDevice {
    /// In front of its line, from 1 on: the same for as long as the table is shown, so that it does not change under the finger.
    var number: Int
    var id: String
    var state: ManagerReport.State
    var since: Instant
    // A terminal connects to none.
    var isConnecting: Bool { false }
    var isConnected: Bool { false }
  }
  private var list = PickerList<Row>()
  private var recent: [String] = []
  /// The numbers of all that were ever found, by id.
  private var numbers: [String: Int] = [:]
  private let showsNumbers: Bool
  private let numbersMaximum: Int

  /// - Parameters:
  ///   - showsNumbers: whether a person may pick one by its number.
  ///   - numbersMaximum: how many devices are given a number.
  package init(showsNumbers: Bool = false, numbersMaximum: Int = ManagedTable.numbersMaximum) {
    (self.showsNumbers, self.numbersMaximum) = (showsNumbers, numbersMaximum)
  }

  package var presentCount: Int { list.count }
  package var everCount: Int { numbers.count }

  package mutating func take(_ report: ManagerReport, at time: Instant) {
    if numbers[report.id] == nil, numbers.count < numbersMaximum { numbers[report.id] = numbers.count + 1 }
    switch report.event {
    case .found:
      list.put(Row(number: numbers[report.id] ?? 0, id: report.id, state: report.state, since: time))
    case .updated, .capabilities:
      if var row = list.device(withID: report.id) {
        row.state = report.state
        list.put(row)
      }
    case .lost: list.remove(id: report.id)
    case .remembered, .connection, .app, .webApp: break
    }
    // What a device can do is told with the update.
    if case .capabilities = report.event { return }
    recent.append("\(time)  \(ManagedTable.name(report.state)) \(report.text)")
    if recent.count > ManagedTable.recentMaximum { recent.removeFirst() }
  }

  /// Takes a line that a person typed.
  package mutating func pick(_ line: String) -> Pick {
    let word = line.split(separator: " ").joined(separator: " ")
    if word == "q" { return .none }
    let row = list.devices.first { String($0.number) == word }
    if let row, list.select(id: row.id) { return .device }
    let there = list.count == 0 ? "there is no device yet" : "type the number in front of a name"
    return .refused("expected a number of the list or q, found '\(PlainText.shown(String(word.prefix(20))))': \(there)")
  }

  /// The device that was picked; `nil`: none was, or it is gone.
  package var picked: (id: String, state: ManagerReport.State)? { list.selected.map { ($0.id, $0.state) } }

  /// The number of a device that is there.
  package func number(of id: String) -> Int? { list.device(withID: id)?.number }

  private static func name(_ state: ManagerReport.State) -> String {
    state.name ?? state.members.first ?? "a device without a name"
  }

  /// `DIAL, DLNA`: what it offers.
  package static func services(_ state: ManagerReport.State) -> String {
    state.services.map(\.id).joined(separator: ", ")
  }

  /// `MediaPlayer, VolumeControl`: the groups of what it can do, in order.
  private static func groups(_ state: ManagerReport.State) -> String {
    var groups: [String] = []
    for capability in state.capabilities where capability.group != groups.last { groups.append(capability.group) }
    return groups.joined(separator: ", ")
  }

  private var ending: String { showsNumbers ? "number and Enter picks, q and Enter ends" : "Ctrl-C ends" }

  /// At most `rows` lines of at most `columns` characters; the name first.
  package func lines(at now: Instant, title: String, rows rowsMaximum: Int, columns: Int) -> [String] {
    let seconds = now.nanoseconds / 1_000_000_000
    var lines = ["\(title)  \(seconds) s  \(list.count) devices, \(numbers.count) ever   \(ending)", ""]
    let room = max(1, rowsMaximum - lines.count - 1 - recent.count - 2)
    lines += table(at: now, columns: columns, rowsMaximum: room)
    if !recent.isEmpty { lines += [""] + recent }
    return lines.prefix(max(1, rowsMaximum)).map { String(PlainText.shown($0).prefix(columns)) }
  }

  /// The table alone, with its heading; each line at most `columns` characters.
  package func table(at now: Instant, columns: Int, rowsMaximum: Int = .max) -> [String] {
    let cells = list.devices.map { row -> [String] in
      let age = (now.nanoseconds - row.since.nanoseconds) / 1_000_000_000
      return (showsNumbers ? ["\(row.number)"] : [])
        + [
          ManagedTable.name(row.state), row.state.address.map { "\($0)" } ?? "-", "\(age) s",
          ManagedTable.services(row.state), ManagedTable.groups(row.state),
        ].map { PlainText.shown($0) }
    }
    let heading = (showsNumbers ? ["#"] : []) + ["NAME", "ADDRESS", "FOR", "SERVICES", "CAN"]
    // A long name leaves room for what the device can do.
    let widest = (showsNumbers ? [4] : []) + [max(12, columns / 3), max(15, columns / 4), 8, max(12, columns / 4)]
    let widths = widest.indices.map { column in
      min(widest[column], cells.map { $0[column].count }.reduce(heading[column].count, max))
    }
    func line(_ cells: [String]) -> String {
      let head = widths.indices.map { String(cells[$0].prefix(widths[$0])).padded(to: widths[$0]) }
      return String((head + [cells[widths.count]]).joined(separator: "  ").prefix(columns))
    }
    var lines = [line(heading)] + cells.prefix(rowsMaximum).map(line)
    if list.count > rowsMaximum { lines.append("... and \(list.count - rowsMaximum) more") }
    return lines
  }
}
