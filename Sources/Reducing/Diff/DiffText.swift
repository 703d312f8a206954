import RollcallCapture
import RollcallPrimitives
import RollcallReplaying
package import RollcallReporting

/// A comparison for people, side by side, and as JSON lines.
package enum DiffText {
  /// - Parameters:
  ///   - width: columns of the terminal.
  ///   - times: how times of captures are written; those of runs count from their start.
  package static func lines(_ diff: ReportDiff, width: Int = 100, times: TimeStyle = .relative) -> [String] {
    let width = max(60, width)
    var lines = ["A  \(diff.a.title): \(PlainWords.count(diff.a.reports.count, "report"))"]
    lines.append("B  \(diff.b.title): \(PlainWords.count(diff.b.reports.count, "report"))")
    for (name, side) in [("A", diff.a), ("B", diff.b)] where side.problems.isIncomplete {
      lines += side.problems.damaged.map { "\(name)  not read whole: \($0.damage.sentence("replayed"))" }
    }
    guard let first = diff.first else {
      if diff.isIncomplete { return lines + ["no difference in what was read; nobody knows about the rest"] }
      let isEmpty = diff.a.reports.isEmpty && diff.b.reports.isEmpty
      return lines + [isEmpty ? "nothing to compare: neither side has a report" : "equal"]
    }
    lines.append("")
    lines.append("They differ from report \(first + 1) on:")
    let column = (width - 5) / 2
    for row in diff.rows {
      let left = wrapped(row.a.map { text($0, diff.a, diff, times) } ?? "", column)
      let right = wrapped(row.b.map { text($0, diff.b, diff, times) } ?? "", column)
      for index in 0..<max(left.count, right.count) {
        let cell = index < left.count ? left[index] : ""
        let other = index < right.count ? right[index] : ""
        let mark = index == 0 ? sign(row.mark) : " "
        let line = "  " + cell + String(repeating: " ", count: max(0, column - cell.count)) + " \(mark) " + other
        lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
      }
    }
    let shown = diff.rows.count { $0.mark != .equal }
    let all = diff.changedCount + diff.onlyACount + diff.onlyBCount
    if all > shown { lines.append("  … and \(all - shown) more that differ") }
    lines.append(
      "\(diff.changedCount) changed (|), \(diff.onlyACount) only in A (<), \(diff.onlyBCount) only in B (>)")
    return lines + datagram(diff, width)
  }

  private static func sign(_ mark: ReportDiff.Mark) -> String {
    switch mark {
    case .equal: " "
    case .changed: "|"
    case .onlyA: "<"
    case .onlyB: ">"
    }
  }

  private static func datagram(_ diff: ReportDiff, _ width: Int) -> [String] {
    guard let datagram = diff.datagram else { return ["", noDatagram(diff)] }
    var lines = ["", "The \(datagram.noun) that made the difference:"]
    let place = datagram.frame.map { "frame \($0), " } ?? ""
    var between = datagram.advertiser.map { " \($0)" } ?? ""
    if let source = datagram.source, let destination = datagram.destination {
      between = " \(source) → \(destination)"
    }
    lines.append("  \(place)\(datagram.time) \(datagram.type)\(between)")
    for field in datagram.fields { lines.append("    \(field.name): \(field.value)") }
    for (name, made) in [("A", diff.madeA), ("B", diff.madeB)] where !made.isEmpty {
      for (index, line) in wrapped(made.joined(separator: "; "), width - 5).enumerated() {
        lines.append((index == 0 ? "  \(name)  " : "     ") + line)
      }
    }
    return lines
  }

  private static func noDatagram(_ diff: ReportDiff) -> String {
    diff.a.kind == .reports && diff.b.kind == .reports
      ? "Which datagram or packet made the difference is not in files of reports: name the capture."
      : "No datagram and no packet made the difference: time alone caused the report."
  }

  /// `+6.465 frame 23 lost uuid:… rebooted`
  private static func text(
    _ report: WrittenReport, _ side: DiffSide, _ diff: ReportDiff, _ times: TimeStyle
  ) -> String {
    let isPlain = times == .relative || side.kind == .scenario
    let when =
      isPlain ? PlainWords.since(.zero, .zero + diff.since(report, side)) : times.text(report.time, since: side.base)
    let word = side.kind == .scenario ? "entry" : "frame"
    let place = report.place.map { " \(word) \($0)" } ?? ""
    return when + place + " " + words(report.report, interfaces: report.interfaces)
  }

  /// The values of a report in one order; a service names its search, a search how many services it had.
  /// - Parameter interfaces: what interfaces are called, by their numbers; one without a name has its number.
  static func words(_ report: Report, interfaces: [String] = []) -> String {
    func place(_ location: String?) -> String { location ?? "no location" }
    func device(_ sighting: DeviceSighting) -> [String] {
      // Devices of UPnP alone have a LOCATION, and the name of a peripheral is its address.
      (sighting.provider.expectsLocation ? [place(sighting.location)] : [])
        + (sighting.provider == .bluetooth ? [] : [sighting.locator.address.description])
        + sighting.attributes.filter { $0.name != .location }.map { "\($0.name.rawValue) \(self.words($0.value))" }
    }
    let words: [String]
    switch report {
    case .found(let sighting): words = ["found", sighting.device] + device(sighting)
    case .changed(let sighting, let change):
      words = ["changed", sighting.device] + self.words(change) + device(sighting)
    case .lost(let device, let cause): words = ["lost", device, cause.rawValue]
    case .service(let service):
      words = [
        "service", service.device, "search \(service.search.number)", service.target, service.name,
        place(service.location),
      ]
    case .searchEnded(let outcome):
      words =
        ["search-ended"] + (outcome.wasStopped ? ["stopped"] : [])
        + ["search \(outcome.search.number)", outcome.target, PlainWords.count(outcome.services.count, "service")]
    case .failed(let failure):
      let number = failure.interface.map { Int($0.number) }
      let interface = number.map { interfaces.indices.contains($0) ? interfaces[$0] : "\($0)" }
      words =
        ["failed", failure.reason.rawValue] + (failure.search.map { ["search \($0.number)"] } ?? [])
        + (interface.map { [$0] } ?? []) + [failure.explanation]
    case .nearby(let told): words = [told.sentence]
    default: words = [ReportText.line(report)]
    }
    return words.joined(separator: " ")
  }

  private static func words(_ change: Change) -> [String] {
    switch change {
    case .address(let former): ["address", former.description]
    case .attribute(let name, let former): [name.rawValue, former.map { words($0) } ?? "no from"]
    case .united(let part): ["united", part]
    }
  }

  private static func words(_ value: DeviceAttribute.Value) -> String {
    switch value {
    case .text(let text): text
    case .number(let number): "\(number)"
    }
  }

  private static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ").map(String.init) {
      var word = word
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      // A column is a column: a long name goes on in the next line.
      while line.isEmpty, word.count > width {
        lines.append(String(word.prefix(width)))
        word = String(word.dropFirst(width))
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
  }

  // MARK: JSON

  /// One line for the whole, one for each row, and one for the datagram.
  package static func json(_ diff: ReportDiff) -> [String] {
    var line = JSONLine(kind: "diff")
    line.add("a", diff.a.title)
    line.add("b", diff.b.title)
    // Neither true nor false where nobody knows the rest.
    if diff.isIncomplete, diff.isEqual { line.addNull("equal") } else { line.add("equal", diff.isEqual) }
    line.add("reportsA", diff.a.reports.count)
    line.add("reportsB", diff.b.reports.count)
    line.add("first", diff.first.map { $0 + 1 })
    line.add("changed", diff.changedCount)
    line.add("onlyA", diff.onlyACount)
    line.add("onlyB", diff.onlyBCount)
    diff.a.problems.addDamage("damageA", to: &line)
    diff.b.problems.addDamage("damageB", to: &line)
    var lines = [line.closed]
    for row in diff.rows {
      var line = JSONLine(kind: "diffRow")
      line.add("mark", row.mark.rawValue)
      add("a", row.a, to: &line)
      add("b", row.b, to: &line)
      lines.append(line.closed)
    }
    if let datagram = diff.datagram {
      var line = JSONLine(kind: datagram.source == nil ? "diffPacket" : "diffDatagram")
      line.add("frame", datagram.frame)
      line.add("time", datagram.time.description)
      if let source = datagram.source { line.add("source", source.description) }
      if let destination = datagram.destination { line.add("destination", destination.description) }
      if let advertiser = datagram.advertiser { line.add("address", advertiser.description) }
      line.add("type", datagram.type)
      line.add("headers", object: datagram.fields.map { ($0.name, $0.value) })
      line.add("madeA", diff.madeA)
      line.add("madeB", diff.madeB)
      lines.append(line.closed)
    }
    return lines
  }

  private static func add(_ key: StaticString, _ report: WrittenReport?, to line: inout JSONLine) {
    guard let report else { return line.addNull(key) }
    var object = JSONLine()
    object.add("time", report.time.description)
    object.add("frame", report.place)
    object.add("report", raw: ReportLine.object(report.report, interfaces: report.interfaces))
    line.add(key, raw: object.closed)
  }
}
