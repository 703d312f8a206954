import ArgumentParser
import RollcallConformance
import RollcallJudging
import RollcallReporting

struct ClausesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clauses", abstract: "List the clauses that judge knows, or explain one.",
    discussion: """
      A clause without a check says what it would take. What rests on memory is not normative.

      CB and AD are the ledger of Bluetooth: each rule of the contract of a central and of malformed advertising data,
      with the test that holds it, or what it waits for.

      MD are the clauses of multicast DNS, each with the test that holds it in Rollcall's own hosts.

      MP and MX are the ledger of MultipeerConnectivity: what an application may rely on, and what real devices do wrong.

      rollcall clauses UDA-1.2.2-RENEW
      rollcall clauses CB AD
      rollcall clauses MD
      rollcall clauses --format json
      """)

  @Argument(help: "The id of a clause, as in UDA-1.1-GENERIC, or CB, AD or rows of theirs, or MD.")
  var ids: [String] = []

  @OptionGroup var output: OutputOptions

  func run() throws {
    try output.format.checkLines("clauses")
    let out = try Output(path: output.output)
    let rows = LedgerRow.rows(named: ids)
    if !rows.isEmpty {
      if let other = ids.first(where: { LedgerRow.rows(named: [$0]).isEmpty }) {
        throw Complaint("'\(other)' is no row of a ledger: CB, AD, MP, MX, CB-14, …")
      }
      for row in rows {
        if output.format == .json {
          out.line(JudgementLines.json(row))
        } else {
          Terminal.fitted(ClauseText.line(row), to: output.output).forEach { out.line($0) }
        }
      }
      if output.format == .text { out.line(ClauseText.summary(of: rows)) }
    } else if let id = ids.first, Clause.list(beginning: id).isEmpty {
      if ids.count > 1 { throw Complaint("one clause at a time: '\(id)' or '\(ids[1])'") }
      guard let clause = Clause.named(id) else {
        throw Complaint("'\(id)' is no clause; the nearest are \(Clause.nearest(to: id).joined(separator: ", "))")
      }
      if output.format == .json {
        out.line(JudgementLines.json(clause))
      } else {
        for line in ClauseText.explanation(of: clause) {
          Terminal.fitted(line, to: output.output).forEach { out.line($0) }
        }
      }
    } else {
      if ids.count > 1 { throw Complaint("one list at a time: '\(ids[0])' or '\(ids[1])'") }
      let list = ids.first.map { Clause.list(beginning: $0) } ?? Clause.catalogue
      for clause in list {
        if output.format == .json {
          out.line(JudgementLines.json(clause))
        } else {
          Terminal.fitted(ClauseText.line(clause), to: output.output).forEach { out.line($0) }
          guard !ids.isEmpty, let row = LedgerRow.row(of: clause) else { continue }
          for line in [row.stateText] + ClauseText.whyNotInCaptures(clause) {
            Terminal.fitted("       " + line, to: output.output).forEach { out.line($0) }
          }
        }
      }
      let rows = list.compactMap { LedgerRow.row(of: $0) }
      if output.format == .text, !ids.isEmpty { out.line(ClauseText.summary(of: rows)) }
      if output.format == .text, ids.isEmpty { ClauseText.summary.forEach { out.line($0) } }
    }
    out.flush()
  }
}
