import ArgumentParser
import RollcallConformance
import RollcallJudging
import RollcallReporting

struct ClausesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clauses", abstract: "List the clauses that judge knows, or explain one.",
    discussion: """
      A clause without a check says what it would take. What rests on memory is not normative.

      rollcall clauses UDA-1.2.2-RENEW
      rollcall clauses --format json
      """)

  @Argument(help: "The id of a clause, as in UDA-1.1-GENERIC.")
  var id: String?

  @OptionGroup var output: OutputOptions

  func run() throws {
    if output.format == .junit { throw Complaint("clauses prints text or json") }
    let out = try Output(path: output.output)
    if let id {
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
      for clause in Clause.catalogue {
        if output.format == .json {
          out.line(JudgementLines.json(clause))
        } else {
          Terminal.fitted(ClauseText.line(clause), to: output.output).forEach { out.line($0) }
        }
      }
      if output.format == .text { ClauseText.summary.forEach { out.line($0) } }
    }
    out.flush()
  }
}
