package import RollcallConformance
package import RollcallExaminers
import RollcallPrimitives
import RollcallReporting
import RollcallTrace

/// An examination as JSON lines: who, each probe, each finding with its evidence, the tallies.
package enum ExamLines {
  package static func lines(_ report: ExamReport, _ judgement: Judgement, input: String) -> [String] {
    [subject(report, input)] + report.rows.map { probe($0, input) }
      + judgement.rows.map { JudgementLines.json($0, input: input, isTrace: true) }
      + [JudgementLines.summary(judgement, input: input)]
  }

  private static func subject(_ report: ExamReport, _ input: String) -> String {
    let subject = report.subject
    var line = JSONLine(kind: "examined")
    line.add("input", input)
    line.add("device", subject.name)
    line.add("parts", subject.parts.map { "uuid:" + $0.uuid })
    line.add("source", subject.address.description)
    line.add("location", subject.root.location)
    if let server = subject.root.server { line.add("server", server) }
    line.add("uda", subject.claim.text)
    if subject.root.maxAgeSeconds >= 0 { line.add("maxAge", Int(subject.root.maxAgeSeconds)) }
    line.add("messages", subject.adverts.map(\.target))
    line.add("searches", report.packetCount)
    line.add("seconds", report.duration.decimal)
    line.add("presence", report.presence.word)
    if let text = report.presence.text { line.add("presenceText", text) }
    return line.closed
  }

  private static func probe(_ row: ExamRow, _ input: String) -> String {
    var line = JSONLine(kind: "probe")
    line.add("input", input)
    line.add("probe", row.probe.rawValue)
    line.add("verdict", row.mark.rawValue)
    line.add("clauses", row.probe.clauses.map(\.clause.id))
    line.add("asked", row.askedCount)
    line.add("answered", row.answeredCount)
    line.add("answers", row.answerCount)
    if let waits = row.waits {
      line.add("shortestWait", waits.lowerBound.decimal)
      line.add("longestWait", waits.upperBound.decimal)
    }
    if let remark = row.remark { line.add("remark", remark) }
    return line.closed
  }
}
