package import RollcallConformance
import RollcallExaminers
import RollcallPrimitives
package import RollcallReplaying
import RollcallReporting
package import RollcallRunning

/// A judgement as JSON lines.
package enum JudgementLines {
  /// - Parameters:
  ///   - input: the path as it was given.
  ///   - isTrace: whether positions are entries of a trace and not frames of a capture.
  package static func json(_ row: Judgement.Row, input: String, isTrace: Bool) -> String {
    let finding = row.finding
    var line = JSONLine(kind: "finding")
    line.add("input", input)
    line.add("clause", row.clause.id)
    line.add("level", row.clause.isFromMemory ? Clause.Level.hardening.rawValue : row.clause.level.rawValue)
    line.add("severity", row.clause.severity.rawValue)
    line.add("party", row.party.name)
    line.add("role", row.party.role == .device ? "device" : "controlPoint")
    line.add(row.party.claim.standard.key, row.party.claim.text)
    if let device = row.device { line.add("device", device) }
    line.add("verdict", finding.ruling.rawValue)
    let place: StaticString = isTrace ? "entry" : "frame"
    if finding.position > 0 { line.add(place, finding.position) } else { line.addNull(place) }
    line.add("time", finding.time.description)
    if finding.count > 1 {
      line.add("count", finding.count)
      line.add(isTrace ? "lastEntry" : "lastFrame", finding.lastPosition)
    }
    line.add(finding.ruling == .violated ? "expected" : "why", finding.expected)
    if finding.ruling == .violated {
      line.add("found", finding.found)
      addAdvice(row.clause, to: &line)
    }
    if let ruling = row.probe {
      line.add("probe", ruling.probe)
      line.add("evidence", raw: evidence(ruling))
    }
    return line.closed
  }

  /// How much a breach weighs, in words that need no list, where the clause stands, and what to do.
  private static func addAdvice(_ clause: Clause, to line: inout JSONLine) {
    line.add("strength", clause.levelText)
    line.add("grade", clause.grade().rawValue)
    line.add("costs", clause.severity.explanation)
    line.add("place", clause.place)
    line.add("remedy", clause.remedy)
  }

  /// - Parameter outcome: what it came to; `nil`: the caller says that elsewhere.
  package static func summary(
    _ judgement: Judgement, input: String, outcome: RunOutcome? = nil, problems: CaptureProblems = CaptureProblems()
  ) -> String {
    var line = JSONLine(kind: "summary")
    line.add("input", input)
    if let outcome { line.add("outcome", outcome.rawValue) }
    line.add("messages", judgement.messageCount)
    line.add("unreadable", judgement.unreadableCount)
    line.add("cut", judgement.cutCount)
    line.add("parties", judgement.parties.count)
    line.add("clauses", raw: clauses(judgement))
    problems.add(to: &line)
    return line.closed
  }

  /// An object with the totals of each clause.
  static func clauses(_ judgement: Judgement) -> String {
    let clauses = judgement.judged.map { clause -> String in
      let total = judgement.total(clause)
      var object = JSONLine()
      object.add("held", total.held)
      object.add("violated", total.violated)
      object.add("inconclusive", total.inconclusive)
      object.add("notExercised", total.notExercised)
      return JSONLine.quoted(clause.clause.id) + ":" + object.closed
    }
    return "{" + clauses.joined(separator: ",") + "}"
  }

  /// A clause of the catalogue.
  package static func json(_ clause: Clause) -> String {
    var line = JSONLine(kind: "clause")
    line.add("id", clause.id)
    line.add("binds", clause.binds.rawValue)
    line.add("level", clause.isFromMemory ? Clause.Level.hardening.rawValue : clause.level.rawValue)
    if clause.isProhibition { line.add("prohibition", true) }
    line.add("since", clause.since.text)
    if let until = clause.until { line.add("until", until.text) }
    line.add("observed", clause.means.map(\.rawValue))
    line.add("severity", clause.severity.rawValue)
    line.add("evidence", clause.evidence.map(\.rawValue))
    if let row = LedgerRow.row(of: clause), case .met(let test) = row.state { line.add("test", test) }
    line.add("normative", !clause.isFromMemory && clause.level != .hardening)
    line.add("status", clause.status)
    if !clause.examiners.isEmpty { line.add("examine", clause.examiners) }
    if let unchecked = clause.unchecked { line.add("reason", unchecked.reason) }
    line.add("gist", clause.gist)
    line.add("document", clause.document)
    if let section = clause.section { line.add("section", section.number) } else { line.addNull("section") }
    addAdvice(clause, to: &line)
    return line.closed
  }

  /// A row of the ledger of Bluetooth.
  package static func json(_ row: LedgerRow) -> String {
    var line = JSONLine(kind: "ledger")
    line.add("id", row.id)
    line.add("gist", row.gist)
    switch row.state {
    case .met(let test):
      line.add("state", "met")
      line.add("test", test)
    case .policy(let name, let test):
      line.add("state", "policy")
      line.add("policy", name)
      line.add("test", test)
    case .notApplicable(let why):
      line.add("state", "not-applicable")
      line.add("reason", why)
    }
    return line.closed
  }

  /// The datagrams that show it.
  static func evidence(_ ruling: ProbeRuling) -> String {
    let items = ruling.evidence.map { record -> String in
      var item = JSONLine()
      item.add("time", record.time.description)
      item.add("direction", record.isSent ? "sent" : "heard")
      item.add("peer", record.peer.description)
      item.add("port", Int(record.port))
      item.add("bytes", WordWriter.escaped(record.bytes))
      return item.closed
    }
    return "[" + items.joined(separator: ",") + "]"
  }
}
