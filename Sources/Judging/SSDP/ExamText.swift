import RollcallReporting
package import RollcallConformance
package import RollcallExaminers
package import RollcallPrimitives

/// What came of an examination, for people.
package struct ExamText {
  private let report: ExamReport
  private let judgement: Judgement
  private let interface: String
  /// Shown with every finding: how many datagrams of its evidence.
  private static let evidenceMaximum = 4

  package init(_ report: ExamReport, _ judgement: Judgement, interface: String) {
    (self.report, self.judgement, self.interface) = (report, judgement, interface)
  }

  package var lines: [String] {
    head + [""] + table + ExamText.findings(judgement) { $0.text } + [""]
      + ExamText.closing(judgement, sent: "\(report.packetCount) searches", report.duration)
  }

  // MARK: - Who

  private var head: [String] {
    let subject = report.subject
    let count = subject.adverts.count
    var lines = ["\(subject.name)  \(subject.address) on \(interface)"]
    lines.append("  \(subject.root.server ?? "no SERVER"), judged by UDA \(subject.claim.text)")
    var facts = ["\(count) message\(count == 1 ? "" : "s")"]
    if !subject.parts.isEmpty { facts.append("\(subject.parts.count) embedded") }
    if subject.root.maxAgeSeconds >= 0 { facts.append("max-age \(subject.root.maxAgeSeconds)") }
    if let port = subject.root.searchPort { facts.append("SEARCHPORT \(port)") }
    facts.append(subject.root.location.isEmpty ? "no LOCATION" : subject.root.location)
    lines.append("  " + facts.joined(separator: ", "))
    if let presence = report.presence.text { lines.append("✘ \(presence); what was asked after that is not judged") }
    return lines
  }

  // MARK: - What was asked

  private var table: [String] {
    var lines = [
      "  " + "probe".padded(to: 18) + "asked  answers  " + "waits".padded(to: 20) + "what ought to come"
    ]
    for row in report.rows where row.mark != .notAsked || row.remark != nil {
      let waits = row.waits.map { waits in
        let (low, high) = (waits.lowerBound.seconds(decimals: 3), waits.upperBound.seconds(decimals: 3))
        return low == high ? low + " s" : "\(low) to \(high) s"
      }
      let numbers =
        row.askedCount == 0
        ? "".padded(to: 16)
        : String(row.askedCount).rightAligned(to: 5) + String(row.answerCount).rightAligned(to: 9) + "  "
      var text = row.probe.gist
      if let remark = row.remark { text += " — " + remark }
      lines.append(
        "\(ExamText.mark(row.mark)) " + row.probe.rawValue.padded(to: 18) + numbers
          + (waits ?? "").padded(to: 20, gap: 1) + text)
    }
    let silent = report.rows.filter { $0.mark == .notAsked && $0.remark == nil && $0.probe != .answerPort }
    if !silent.isEmpty { lines.append("  not asked: " + silent.map(\.probe.rawValue).joined(separator: ", ")) }
    return lines
  }

  private static func mark(_ mark: ExamRow.Mark) -> String {
    switch mark {
    case .held: "✓"
    case .violated: "✘"
    case .inconclusive: "?"
    case .noted, .notAsked: "·"
    }
  }

  // MARK: - What was found

  /// - Parameter text: what a message of the evidence says, in a line.
  static func findings(_ judgement: Judgement, _ text: (ProbeMessage) -> String) -> [String] {
    let rows = judgement.rows.enumerated()
      .sorted { ($0.element.clause.rank, $0.offset) < ($1.element.clause.rank, $1.offset) }.map(\.element)
    let breaches = rows.filter { $0.finding.ruling == .violated }
    return (breaches + rows.filter { $0.finding.ruling != .violated }).flatMap { row -> [String] in
      let finding = row.finding
      // What the table says already.
      if finding.ruling == .inconclusive, row.probe?.probe == DeviceProbe.renewal.rawValue { return [] }
      let source = row.probe.map { "asked by \($0.probe)" } ?? "heard at \(ClauseText.seconds(finding.time))"
      let often = finding.count > 1 ? ", \(finding.count) times" : ""
      var lines = [
        "", "\(finding.ruling == .violated ? "✘" : "?") \(row.clause.id) (\(row.clause.levelText))  \(source)\(often)",
        ClauseText.reference(to: row.clause),
      ]
      if finding.ruling == .violated {
        lines += ["    expected  \(finding.expected)", "    found     \(finding.found)"]
        lines.append(ClauseText.advice(on: row.clause))
      } else {
        lines.append("    unsure    \(finding.expected)")
      }
      for record in row.probe?.evidence.prefix(ExamText.evidenceMaximum) ?? [] {
        lines.append(
          "  \(ClauseText.seconds(record.time).rightAligned(to: 10)) \(record.isSent ? ">" : "<") \(record.peer)  \(text(record))"
        )
      }
      return lines
    }
  }

  static func closing(_ judgement: Judgement, sent: String, _ duration: Interval) -> [String] {
    let held = judgement.judged.count {
      let total = judgement.total($0)
      return total.held > 0 && total.violated + total.inconclusive == 0
    }
    let open = judgement.judged.count { judgement.total($0).violated == 0 && judgement.total($0).inconclusive > 0 }
    let broken = judgement.judged.count { judgement.total($0).violated > 0 }
    let must = ExamText.broken(judgement, .must)
    let should = ExamText.broken(judgement, .should)
    return [
      "\(held) clauses held, \(broken) broken, \(open) open, \(judgement.judged.count - held - open - broken) not exercised",
      "\(sent) in \(duration.secondsText): "
        + "\(must) broken must\(must == 1 ? "" : "s"), \(should) broken should\(should == 1 ? "" : "s"), "
        + "\(broken - must - should) other",
    ]
  }

  private static func broken(_ judgement: Judgement, _ level: Clause.Level) -> Int {
    judgement.judged.count {
      $0.clause.level == level && !$0.clause.isFromMemory && judgement.total($0).violated > 0
    }
  }
}

/// What an examination will send, before it sends anything.
package enum ExamPlanText {
  package static func lines(_ plan: DeviceExamPlan, interface: String, address: IPAddress?) -> [String] {
    let group = plan.family == .v4 ? Endpoint(.ssdpGroup4, port: 1_900) : Endpoint(.ssdpGroup6, port: 1_900)
    let who = plan.target.map { "uuid:\($0)" } ?? "the only device there"
    var lines = [
      "examine: \(who), on \(interface)" + (address.map { " from \($0)" } ?? "") + " and nowhere else",
      "  at most \(plan.packetsMaximum) searches, to \(group) and to the device's own address, each below 400 bytes, TTL 2",
      "  at most \(whole(plan.durationMaximum)); a device that answers well takes about "
        + (plan.probes.count > 20 ? "45 s" : "15 s")
        + (plan.probes.contains(.renewal) ? ", and up to \(whole(plan.patience)) more until it renews" : ""),
    ]
    if plan.probes.contains(.description) {
      lines.insert("  one request for its description over HTTP, if LOCATION is at the device's own address", at: 2)
    }
    if let wait = plan.byebyeWait {
      lines.append("  at the end it says when to stop the device, and waits \(whole(wait)) for byebye")
    }
    return lines
  }

  /// The probes, one a line.
  package static func list(_ plan: DeviceExamPlan) -> [String] {
    plan.probes.map { probe in
      probe.rawValue.padded(to: 18) + String(probe.packetsMaximum).rightAligned(to: 3) + " searches at most  "
        + probe.gist
        + (probe.clauses.isEmpty ? "" : " (" + probe.clauses.map(\.clause.id).joined(separator: ", ") + ")")
    }
  }

  private static func whole(_ interval: Interval) -> String {
    let seconds = (interval + .nanoseconds(999_999_999)).nanoseconds / 1_000_000_000
    return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }
}
