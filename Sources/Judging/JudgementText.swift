package import RollcallConformance
package import RollcallPrimitives
package import RollcallReporting
import RollcallRunning

/// A judgement for people: a matrix of clauses and parties, then what was found.
package struct JudgementText {
  /// More parties than these share the last column; more rows than these are counted in one line.
  package static let columnsMaximum = 16
  package static let rowsMaximum = 32

  private let judgement: Judgement
  private let isTrace: Bool
  private let times: TimeStyle
  private let start: Instant?

  /// - Parameters:
  ///   - times: how times of a capture are written; those of a trace count from its start.
  ///   - start: of the capture; `nil`: nobody knows.
  package init(
    _ judgement: Judgement, isTrace: Bool, times: TimeStyle = .epoch, start: Instant? = nil
  ) {
    (self.judgement, self.isTrace) = (judgement, isTrace)
    (self.times, self.start) = (isTrace ? .epoch : times, start)
  }

  /// Parties with something to say first, each with a letter.
  private var columns: [Int] {
    let weights = judgement.parties.indices.map { party in
      judgement.judged.reduce(0) { $0 + Int(judgement.tally($1, party: party).violated) }
    }
    return judgement.parties.indices.sorted { (weights[$1], $0) < (weights[$0], $1) }
      .prefix(JudgementText.columnsMaximum).map { $0 }
  }

  private static func letter(_ column: Int) -> String { String(UnicodeScalar(UInt8(65 + column))) }

  package var lines: [String] {
    let columns = columns
    var lines = matrix(columns)
    lines += legend(columns)
    lines += findings(columns)
    lines.append(lastLine)
    return lines
  }

  // MARK: - The matrix

  private func matrix(_ columns: [Int]) -> [String] {
    let rows = judgement.judged.filter { judgement.total($0).violated + judgement.total($0).inconclusive > 0 }
      .sorted { ($0.clause.rank, $0.rawValue) < ($1.clause.rank, $1.rawValue) }
    let held = judgement.judged.filter {
      let total = judgement.total($0)
      return total.held > 0 && total.violated + total.inconclusive == 0
    }
    var lines: [String] = []
    if !rows.isEmpty {
      let head = columns.indices.map { JudgementText.letter($0) }.joined(separator: " ")
      lines.append("  " + "clause".padded(to: 26) + "level".padded(to: 11) + head)
      for clause in rows.prefix(JudgementText.rowsMaximum) {
        let cells = columns.map { JudgementText.mark(judgement.verdict(clause, party: $0)) }.joined(separator: " ")
        let level = clause.clause.isFromMemory ? "(memory)" : clause.clause.levelText
        lines.append("  " + clause.clause.id.padded(to: 26) + level.padded(to: 11) + cells)
      }
      if rows.count > JudgementText.rowsMaximum {
        lines.append("  and \(rows.count - JudgementText.rowsMaximum) clauses more")
      }
    }
    let silent = judgement.judged.count - rows.count - held.count
    lines.append(
      "  \(held.count) clauses held by everybody, \(silent) not exercised"
        + (rows.isEmpty ? "" : "   ✘ violated  ? inconclusive  ✓ held  · not exercised"))
    return lines
  }

  private static func mark(_ verdict: Judgement.Verdict) -> String {
    switch verdict {
    case .held: "✓"
    case .violated: "✘"
    case .inconclusive: "?"
    case .notExercised: "·"
    }
  }

  private func legend(_ columns: [Int]) -> [String] {
    var lines = columns.enumerated().map { column, number -> String in
      let party = judgement.parties[number]
      let role = ClauseText.role(of: party)
      return "  \(JudgementText.letter(column)) \(party.name) \(role), \(party.messageCount) messages"
        + (party.product.map { ": \($0)" } ?? "")
    }
    if judgement.parties.count > columns.count {
      lines.append("  and \(judgement.parties.count - columns.count) parties more")
    }
    return lines
  }

  // MARK: - Findings

  private func findings(_ columns: [Int]) -> [String] {
    // Once is enough for what a clause asks for and what to do about it.
    var told: Set<ClauseID> = []
    return judgement.rows.flatMap { row -> [String] in
      let finding = row.finding
      let party = columns.firstIndex(of: Int(finding.party.number)).map { JudgementText.letter($0) } ?? row.party.name
      let place = finding.position > 0 ? (isTrace ? "entry " : "frame ") + "\(finding.position)" : "at the end"
      let often =
        finding.count > 1 ? ", \(finding.count) times, last \(isTrace ? "entry" : "frame") \(finding.lastPosition)" : ""
      var lines = [
        "\(finding.ruling == .violated ? "✘" : "?") \(row.clause.id) (\(row.clause.levelText)) \(party)  "
          + "\(place) at \(times.text(finding.time, since: start))\(often)" + (row.device.map { "  \($0)" } ?? "")
      ]
      let isFirst = told.insert(finding.clause).inserted
      if isFirst { lines.append(ClauseText.reference(to: row.clause)) }
      if finding.ruling == .violated {
        lines.append("    expected  \(finding.expected)")
        lines.append("    found     \(finding.found)")
        if isFirst { lines.append(ClauseText.advice(on: row.clause)) }
      } else {
        lines.append("    unsure    \(finding.expected)")
      }
      return lines
    }
  }

  private var lastLine: String {
    let must = judgement.violations(.must)
    let should = judgement.violations(.should)
    let other = judgement.judged.reduce(0) { $0 + judgement.total($1).violated } - must - should
    return "\(judgement.messageCount) messages of \(judgement.parties.count) parties: "
      + "\(must) breaches of a must, \(should) of a should, \(other) other"
  }
}
