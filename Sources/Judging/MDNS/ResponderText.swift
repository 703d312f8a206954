package import RollcallConformance
package import RollcallExaminers
package import RollcallPrimitives
import RollcallReporting
import RollcallTrace
import RollcallWire

/// What came of an examination of a responder, for people.
package enum ResponderText {
  package static func lines(_ report: ResponderReport, _ judgement: Judgement, interface: String) -> [String] {
    head(report, interface) + [""] + table(report) + ExamText.findings(judgement) { text(of: $0) } + [""]
      + ExamText.closing(judgement, sent: "\(report.packetCount) messages", report.duration)
  }

  private static func head(_ report: ResponderReport, _ interface: String) -> [String] {
    let subject = report.subject
    var lines = ["\(subject.host?.description ?? "no name of the host")  \(subject.address) on \(interface)"]
    let services = subject.services.prefix(8).map { $0.name.domainName.description }
    let rest = subject.services.count - services.count
    let list = services.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    lines.append("  " + (list.isEmpty ? "no service" : list))
    if let presence = report.presence.text { lines.append("✘ \(presence); what was asked after that is not judged") }
    return lines
  }

  private static func table(_ report: ResponderReport) -> [String] {
    var lines = [
      "  " + "probe".padded(to: 18) + "asked  answers  " + "waits".padded(to: 20) + "what ought to come"
    ]
    for row in report.rows {
      let waits = row.waits.map { waits in
        let (low, high) = (waits.lowerBound.seconds(decimals: 3), waits.upperBound.seconds(decimals: 3))
        return low == high ? low + " s" : "\(low) to \(high) s"
      }
      lines.append(
        "\(mark(row.mark)) " + row.probe.rawValue.padded(to: 18) + String(row.askedCount).rightAligned(to: 5)
          + String(row.answerCount).rightAligned(to: 9) + "  " + (waits ?? "").padded(to: 20, gap: 1) + row.probe.gist
          + (row.remark.map { " — " + $0 } ?? ""))
    }
    return lines
  }

  private static func mark(_ mark: ResponderRow.Mark) -> String {
    switch mark {
    case .held: "✓"
    case .violated: "✘"
    case .inconclusive: "?"
    case .notObservable: "·"
    }
  }

  /// What a message of the evidence says: its questions, or its answers.
  static func text(of record: ProbeMessage) -> String {
    guard let message = record.bytes.withUnsafeBytes({ try? DNSReader.read($0).message }) else {
      return "\(record.bytes.count) bytes that are no DNS message"
    }
    var parts: [String] = []
    if message.flags.opcode != 0 { parts.append("opcode \(message.flags.opcode)") }
    if message.flags.responseCode != 0 { parts.append("response code \(message.flags.responseCode)") }
    if message.flags.isTruncated { parts.append("TC") }
    for question in message.questions.prefix(4) {
      parts.append("\(question.type) \(question.name)?\(question.wantsUnicast ? " QU" : "")")
    }
    for record in message.answers.prefix(4) { parts.append("\(record.type) \(record.name) \(record.ttlSeconds) s") }
    if !message.additionals.isEmpty {
      parts.append("beside it \(message.additionals.prefix(8).map(\.type.description).joined(separator: " "))")
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

/// What an examination of a responder will send, before it sends anything.
package enum ResponderPlanText {
  package static func lines(_ plan: ResponderExamPlan, interface: String, address: IPAddress?) -> [String] {
    let who = plan.target ?? "the only responder there"
    return [
      "examine: \(who), on \(interface)" + (address.map { " from \($0)" } ?? "") + " and nowhere else",
      "  at most \(plan.packetsMaximum) messages, to \(Endpoint.mdns(plan.family)) and to the responder's own address, "
        + "each below 1500 bytes, TTL 255",
      "  it asks, says again what the responder said, and announces \(ResponderExam.strangerText) for a moment",
    ]
  }

  /// The probes, one a line.
  package static func list(_ plan: ResponderExamPlan) -> [String] {
    plan.probes.map { probe in
      probe.rawValue.padded(to: 18) + String(probe.packetsMaximum).rightAligned(to: 3) + " messages at most  "
        + probe.gist + " (" + probe.clauses.map(\.clause.id).joined(separator: ", ") + ")"
    }
  }
}

/// An examination of a responder as JSON lines: who, each probe, each finding with its evidence, the tallies.
package enum ResponderLines {
  package static func lines(_ report: ResponderReport, _ judgement: Judgement, input: String) -> [String] {
    [subject(report, input)] + report.rows.map { probe($0, report, input) }
      + judgement.rows.map { JudgementLines.json($0, input: input, isTrace: true) }
      + [JudgementLines.summary(judgement, input: input)]
  }

  private static func subject(_ report: ResponderReport, _ input: String) -> String {
    var line = JSONLine(kind: "examined")
    line.add("input", input)
    line.add("device", report.subject.host?.description ?? "")
    line.add("source", report.subject.address.description)
    line.add("services", report.subject.services.map { $0.name.domainName.description })
    line.add("messages", report.packetCount)
    line.add("seconds", report.duration.decimal)
    line.add("presence", report.presence.word)
    if let text = report.presence.text { line.add("presenceText", text) }
    return line.closed
  }

  private static func probe(_ row: ResponderRow, _ report: ResponderReport, _ input: String) -> String {
    var line = JSONLine(kind: "probe")
    line.add("input", input)
    line.add("probe", row.probe.rawValue)
    line.add("verdict", row.mark.rawValue)
    line.add("clauses", row.probe.clauses.map(\.clause.id))
    line.add("asked", row.askedCount)
    line.add("answers", row.answerCount)
    if let waits = row.waits {
      line.add("shortestWait", waits.lowerBound.decimal)
      line.add("longestWait", waits.upperBound.decimal)
    }
    if let remark = row.remark { line.add("remark", remark) }
    let rulings = report.rulings.filter { $0.probe == row.probe.rawValue }.map { ruling -> String in
      var object = JSONLine()
      object.add("clause", ruling.clause.clause.id)
      object.add("verdict", ruling.verdict.rawValue)
      if !ruling.expected.isEmpty { object.add("expected", ruling.expected) }
      if !ruling.found.isEmpty { object.add("found", ruling.found) }
      object.add("evidence", raw: JudgementLines.evidence(ruling))
      return object.closed
    }
    line.add("rulings", raw: "[" + rulings.joined(separator: ",") + "]")
    return line.closed
  }
}
