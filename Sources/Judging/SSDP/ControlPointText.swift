import RollcallConformance
package import RollcallExaminers
import RollcallPrimitives
import RollcallReporting
import RollcallRunning

/// What came of examining a control point, for people.
package enum ControlPointText {
  /// What will be sent, before anything is.
  package static func plan(
    _ setting: ControlPointExamination.Setting, interface: String, command: String?
  ) -> [String] {
    let plan = ControlPointPlan(setting)
    var lines = [
      "sends at most \(plan.packetsOnce) packets in at most \(plan.secondsOnce) s, from \(setting.speaker) on \(interface), "
        + "to " + (setting.examined.map { "\($0)" } ?? "the first control point that searches")
        + " and to the group, TTL 2"
    ]
    for (number, line) in plan.lines.enumerated() {
      lines.append("  run \(number + 1)  at most \(line.packets) packets  \(line.text)")
    }
    if setting.repeats > 0 {
      lines.append(
        "  what fails is put \(setting.repeats == 1 ? "once more" : "\(setting.repeats) times more"), alone: if all of it "
          + "did, at most \(plan.packets) packets in \(plan.seconds) s")
    }
    lines.append("at the end every bait says byebye")
    lines.append("descriptions are served at \(setting.address):\(setting.pagePort)")
    if let command { lines.append("each run starts and ends: \(command)") }
    return lines
  }

  /// Every probe that would be put, for who asks before.
  package static func probes(_ setting: ControlPointExamination.Setting) -> [String] {
    setting.probes.map { probe in
      "  " + probe.rawValue.padded(to: 18)
        + (probe.facts.clauses.first?.clause.id ?? "-").padded(to: 26) + probe.facts.gist
    }
  }

  /// - Parameter isRecorded: whether there is a capture whose frames can be named.
  package static func lines(_ result: ControlPointResult, command: String?, isRecorded: Bool) -> [String] {
    head(result, command) + [""] + table(result) + findings(result, isRecorded) + listening(result, isRecorded)
      + ["", lastLine(result)]
  }

  private static func head(_ result: ControlPointResult, _ command: String?) -> [String] {
    guard let examined = result.examined else { return ["no control point was heard"] }
    let product = result.party.map { $0.product ?? "no USER-AGENT" } ?? "no search was heard"
    var lines = ["control point \(examined), \(product), claims UDA \((result.party?.claim ?? .uda10).text)"]
    for search in result.searches.prefix(12) {
      let ports = search.ports.count == 1 ? "port \(search.ports[0])" : "\(search.ports.count) ports"
      lines.append(
        "  searched for \(search.target), MX \(search.maximumWaitSeconds), \(search.copies) "
          + "datagram\(search.copies == 1 ? "" : "s") from \(ports)")
    }
    if result.searches.count > 12 { lines.append("  and for \(result.searches.count - 12) targets more") }
    if let command { lines.append("  \(result.starts) starts of \(command)") }
    if !result.others.isEmpty {
      lines.append(
        "  others searched and were not examined: \(result.others.prefix(8).map { "\($0)" }.joined(separator: ", "))")
    }
    return lines
  }

  package static func mark(_ verdict: ControlPointRow.Verdict) -> String {
    switch verdict {
    case .held: "✓"
    case .violated: "✘"
    case .inconclusive: "?"
    case .notObservable, .notBound: "·"
    }
  }

  private static func level(_ row: ControlPointRow) -> String {
    guard let clause = row.clause else { return "hardening" }
    return clause.isFromMemory ? "(memory)" : clause.levelText
  }

  private static func table(_ result: ControlPointResult) -> [String] {
    var lines: [String] = []
    for row in result.rows where row.verdict != .notObservable {
      lines.append(
        "  \(mark(row.verdict)) " + row.probe.rawValue.padded(to: 18)
          + (row.clause?.id ?? "-").padded(to: 26) + level(row).padded(to: 10)
          + row.found + (row.evidence.map { " [\($0.rawValue)]" } ?? ""))
    }
    // Probes that show nothing for one reason are one line.
    var reasons: [(text: String, probes: [String])] = []
    for row in result.rows where row.verdict == .notObservable {
      if let place = reasons.firstIndex(where: { $0.text == row.found }) {
        reasons[place].probes.append(row.probe.rawValue)
      } else {
        reasons.append((row.found, [row.probe.rawValue]))
      }
    }
    for reason in reasons {
      lines.append("  · not observable, since \(reason.text):")
      lines += wrapped(reason.probes, width: 96).map { "      " + $0 }
    }
    return lines
  }

  static func wrapped(_ words: [String], width: Int) -> [String] {
    var lines: [String] = []
    for word in words {
      if let last = lines.last, last.count + word.count + 2 <= width {
        lines[lines.count - 1] = last + ", " + word
      } else {
        if let last = lines.last { lines[lines.count - 1] = last + "," }
        lines.append(word)
      }
    }
    return lines
  }

  private static func findings(_ result: ControlPointResult, _ isRecorded: Bool) -> [String] {
    var lines: [String] = []
    for row in result.rows where row.verdict == .violated || row.verdict == .inconclusive {
      let often = row.asked == 1 ? "put once" : row.asked == 2 ? "put twice" : "put \(row.asked) times"
      lines.append("")
      lines.append(
        "\(mark(row.verdict)) \(row.clause?.id ?? "no clause") (\(level(row)))  \(row.probe.rawValue): "
          + "\(row.probe.facts.gist), \(often)")
      if let clause = row.clause { lines.append(ClauseText.reference(to: clause)) }
      lines.append("    expected  \(row.expected)")
      lines.append("    found     \(row.found)" + (row.evidence.map { " [\($0.rawValue)]" } ?? ""))
      if row.verdict == .violated, let clause = row.clause { lines.append(ClauseText.advice(on: clause)) }
      for record in row.records {
        let place = isRecorded && record.position > 0 ? ", frame \(record.position)" : ""
        lines.append("    \(ClauseText.seconds(record.time))  \(record.what)\(place)")
        lines += byLine(record.text).map { "        " + $0 }
      }
    }
    return lines
  }

  /// A message as it is read: a line for each of its lines, and `…` for those that are too many.
  private static func byLine(_ text: String) -> [String] {
    var lines: [String] = []
    var rest = Substring(text)
    while !rest.isEmpty {
      let end = rest.firstRange(of: "\\r\\n")
      let line = rest[..<(end?.lowerBound ?? rest.endIndex)]
      rest = rest[(end?.upperBound ?? rest.endIndex)...]
      if line.isEmpty { continue }
      if lines.count == messageLinesMaximum { return lines + ["…"] }
      lines.append(String(line))
    }
    return lines
  }

  private static let messageLinesMaximum = 12

  private static func listening(_ result: ControlPointResult, _ isRecorded: Bool) -> [String] {
    let judgement = result.listened
    let held = judgement.judged.filter { judgement.total($0).held > 0 && judgement.total($0).violated == 0 }
    var lines = ["", "by listening: \(judgement.messageCount) messages, \(held.count) clauses held"]
    for row in judgement.rows {
      let finding = row.finding
      let often = finding.count > 1 ? ", \(finding.count) times" : ""
      let place =
        isRecorded && finding.position > 0 ? "frame \(finding.position)" : "at \(ClauseText.seconds(finding.time))"
      lines.append(
        "\(finding.ruling == .violated ? "✘" : "?") \(row.clause.id) (\(row.clause.levelText))  \(place)\(often)")
      lines.append(ClauseText.reference(to: row.clause))
      if finding.ruling == .violated {
        lines.append("    expected  \(finding.expected)")
        lines.append("    found     \(finding.found)")
        lines.append(ClauseText.advice(on: row.clause))
      } else {
        lines.append("    unsure    \(finding.expected)")
      }
    }
    return lines
  }

  private static func lastLine(_ result: ControlPointResult) -> String {
    let counts = ControlPointRow.Verdict.allCases.map { verdict in (words(verdict), result.count(verdict)) }
    let text = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    let (must, should) = (result.violations(.must), result.violations(.should))
    return "\(result.rows.count) probes: \(text); with listening \(must) breach\(must == 1 ? "" : "es") of a must, "
      + "\(should) of a should"
  }

  private static func words(_ verdict: ControlPointRow.Verdict) -> String {
    switch verdict {
    case .held, .violated, .inconclusive: verdict.rawValue
    case .notObservable: "not observable"
    case .notBound: "not bound"
    }
  }
}

/// The same as JSON lines.
package enum ControlPointLines {
  package static func lines(_ result: ControlPointResult, input: String) -> [String] {
    [examined(result, input)] + result.rows.map { json($0, result, input) }
      + result.listened.rows.map { JudgementLines.json($0, input: input, isTrace: false) }
      + [summary(result, input)]
  }

  private static func examined(_ result: ControlPointResult, _ input: String) -> String {
    var line = JSONLine(kind: "examined")
    line.add("input", input)
    if let examined = result.examined { line.add("controlPoint", "\(examined)") } else { line.addNull("controlPoint") }
    if let product = result.party?.product { line.add("userAgent", product) }
    line.add("uda", (result.party?.claim ?? .uda10).text)
    line.add("searches", result.searches) { line, search in
      var object = JSONLine()
      object.add("target", search.target)
      object.add("mx", Int(search.maximumWaitSeconds))
      object.add("datagrams", search.copies)
      object.add("ports", search.ports.count)
      line.add(raw: object.closed)
    }
    line.add("others", result.others.map { "\($0)" })
    return line.closed
  }

  private static func json(_ row: ControlPointRow, _ result: ControlPointResult, _ input: String) -> String {
    var line = JSONLine(kind: "probe")
    line.add("input", input)
    line.add("probe", row.probe.rawValue)
    if let clause = row.clause { line.add("clause", clause.id) } else { line.addNull("clause") }
    let level = row.clause.map { $0.isFromMemory ? .hardening : $0.level } ?? Clause.Level.hardening
    line.add("level", level.rawValue)
    if let examined = result.examined { line.add("party", "\(examined)") }
    line.add("role", "controlPoint")
    line.add("verdict", row.verdict.rawValue)
    line.add("asked", row.asked)
    line.add("ways", row.ways.map(\.rawValue))
    line.add("expected", row.expected)
    line.add(row.verdict == .notObservable ? "why" : "found", row.found)
    if let evidence = row.evidence, row.verdict != .notObservable { line.add("shownBy", evidence.rawValue) }
    line.add("witnesses", row.records) { line, record in
      var object = JSONLine()
      object.add("time", record.time.description)
      if record.position > 0 { object.add("frame", record.position) }
      object.add("what", record.what)
      object.add("text", record.text)
      line.add(raw: object.closed)
    }
    return line.closed
  }

  private static func summary(_ result: ControlPointResult, _ input: String) -> String {
    var line = JSONLine(kind: "summary")
    line.add("input", input)
    if let examined = result.examined { line.add("party", "\(examined)") } else { line.addNull("party") }
    line.add("starts", result.starts)
    line.add("datagrams", object: [("sent", result.sentCount), ("heard", result.heardCount)])
    line.add("probes", object: ControlPointRow.Verdict.allCases.map { ($0.rawValue, result.count($0)) })
    line.add("clauses", raw: JudgementLines.clauses(result.judgement))
    line.add(
      "breaches",
      object: Clause.Level.allCases.map { ($0.rawValue, result.violations($0)) })
    return line.closed
  }
}
