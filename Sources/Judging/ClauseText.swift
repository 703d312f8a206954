package import RollcallConformance
import RollcallExaminers
import RollcallPrimitives
import RollcallReporting

/// Clauses for people.
package enum ClauseText {
  /// When something was sent or heard: `5.721 s`.
  static func seconds(_ time: Instant) -> String { (time - .zero).seconds(decimals: 3) + " s" }

  /// One line of the list.
  package static func line(_ clause: Clause) -> String {
    let level = clause.isFromMemory ? "(memory)" : clause.levelText
    return clause.id.padded(to: 25) + level.padded(to: 10, gap: 1)
      + (isOldest(clause) ? "" : clause.since.text + "+").padded(to: 5, gap: 1)
      + status(clause).padded(to: 18) + clause.gist
  }

  /// `by examine` for what no capture shows, and asking does.
  private static func status(_ clause: Clause) -> String {
    if case .needsProbe? = clause.unchecked, !clause.examiners.isEmpty { return "by examine" }
    return clause.status
  }

  /// Why no capture is judged by a clause, in one line; empty where captures are.
  package static func whyNotInCaptures(_ clause: Clause) -> [String] {
    clause.unchecked.map { ["not judged: " + $0.reason] } ?? []
  }

  package static func explanation(of clause: Clause) -> [String] {
    let who: String
    switch clause.binds {
    case .device: who = "a " + role(.device, clause.standard)
    case .controlPoint: who = "a " + role(.controlPoint, clause.standard)
    case .either: who = "a \(role(.device, clause.standard)) or \(role(.controlPoint, clause.standard))"
    }
    var versions =
      isOldest(clause) ? "every version of \(clause.since.standard.rawValue)" : "\(clause.since.name) and later"
    if let until = clause.until { versions += ", up to \(until.text)" }
    let evidence = clause.evidence.map { one -> String in
      switch one {
      case .memory: "from memory, not normative"
      case .ours: clause.ownRule
      default: one.rawValue
      }
    }
    var lines = [
      clause.id, "  \(clause.gist)",
      "  stands    \(clause.place)" + (clause.section.map { ": \($0.subject)" } ?? ""),
      "  binds     \(who), under \(versions)",
      "  level     \(clause.levelText); where it is broken, \(clause.severity.explanation)",
      "  evidence  \(evidence.joined(separator: ", "))",
      "  seen      \(clause.means.map { means($0) }.joined(separator: ", or "))",
    ]
    if let unchecked = clause.unchecked {
      lines.append("  status    \(unchecked.name): \(unchecked.reason)")
    } else {
      lines.append("  status    checked")
    }
    lines.append("  remedy    \(clause.remedy)")
    if let row = LedgerRow.row(of: clause) { lines.append("  own hosts \(row.stateText)") }
    for (examiner, probes) in clause.examinations {
      lines.append("  asked     rollcall examine \(examiner) -i IFACE" + probes.map { " --only " + $0 }.joined())
    }
    return lines
  }

  /// Whether it binds from the first edition of its standard on.
  private static func isOldest(_ clause: Clause) -> Bool {
    Catalogue.all.contains { $0.editions.first == clause.since }
  }

  /// The line of a finding that says what the clause asks for, and where.
  static func reference(to clause: Clause) -> String { "    clause    \(clause.gist) (\(clause.place))" }

  /// The line of a finding that says what to do.
  static func advice(on clause: Clause) -> String { "    remedy    \(clause.remedy)" }

  /// What the standard calls somebody in this role.
  private static func role(_ role: Party.Role, _ standard: Standard) -> String {
    switch standard {
    case .uda: role.name
    case .bluetooth: "peripheral"
    case .multicastDNS: role == .device ? "responder" : "querier"
    }
  }

  /// `device, UDA 1.1`.
  package static func role(of party: Party) -> String {
    let name = role(party.role, party.claim.standard)
    return party.claim.standard == .bluetooth ? name : "\(name), \(party.claim.name)"
  }

  private static func means(_ means: Clause.Means) -> String {
    switch means {
    case .passive: "in a capture"
    case .probe: "by an active probe"
    case .simulation: "in the trace of a run"
    case .description: "with the description document"
    }
  }

  /// A row of the ledger of Bluetooth.
  package static func line(_ row: LedgerRow) -> String {
    row.id.padded(to: 7) + row.gist + " — " + row.stateText
  }

  package static func summary(of rows: [LedgerRow]) -> String {
    let met = rows.count { if case .met = $0.state { true } else { false } }
    let open = rows.count { if case .policy = $0.state { true } else { false } }
    let rest = rows.count - met - open
    return "\(rows.count) rows: \(met) met" + (open > 0 ? ", \(open) by policy" : "")
      + (rest > 0 ? ", \(rest) not applicable" : "")
  }

  package static var summary: [String] {
    let names = ["checked", "by examine", "implied", "needs-probe", "untestable"]
    let counts = names.map { name in "\(Clause.catalogue.filter { status($0) == name }.count) \(name)" }
    return ["\(Clause.catalogue.count) clauses: \(counts.joined(separator: ", "))"]
  }
}
