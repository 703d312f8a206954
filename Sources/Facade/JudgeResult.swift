import RollcallConformance
import RollcallJudging
public import RollcallPrimitives
import RollcallReplaying

/// What judging a capture showed.
public struct JudgeResult: Sendable, CustomStringConvertible {
  private let input: JudgedInput

  init(_ input: JudgedInput) { self.input = input }

  public var path: String { input.path }
  /// Breaches and doubts, in the order in which they were first seen.
  public var findings: [JudgeFinding] { input.judgement.rows.map { JudgeFinding($0) } }
  /// Messages that were judged.
  public var messageCount: Int { input.judgement.messageCount }
  /// What is wrong with the file, where it was not read to its end.
  public var complaints: [String] { input.problems.complaints(path: path, "judged") }

  /// Whether something was judged, and no party broke a must.
  /// - Parameter isStrict: no party broke a should either.
  public func passes(isStrict: Bool = false) -> Bool { !input.isBroken(isStrict: isStrict) }

  /// The matrix of clauses and parties, and all findings, as `rollcall judge` prints them.
  public var description: String {
    let lines = input.vacuity.map { [$0] } ?? JudgementText(input.judgement, isTrace: input.isTrace).lines
    return (complaints + lines).map(PlainText.shown).joined(separator: "\n")
  }
}

/// A clause that somebody broke, or may have broken.
public struct JudgeFinding: Sendable, CustomStringConvertible {
  /// The id of the clause: `UDA-1.2.2-A-CC-1800`.
  public let clause: String
  /// `must`, `must not`, `should`, … as the standard has it.
  public let level: String
  /// Whether the clause is broken; else it may be, and `expected` says why that cannot be known.
  public let isBreach: Bool
  /// Who: an address, or what the file calls it.
  public let party: String
  /// The device that the message was about; `nil`: none.
  public let device: String?
  /// The frame that shows it first, from 1; `nil`: the end of the file does.
  public let frame: Int?
  /// Since 1970.
  public let time: Instant
  /// How often.
  public let count: Int
  public let expected: String
  public let found: String
  /// What to do about it.
  public let remedy: String

  init(_ row: Judgement.Row) {
    let finding = row.finding
    (clause, level, remedy) = (row.clause.id, row.clause.levelText, row.clause.remedy)
    (isBreach, party, device) = (finding.ruling == .violated, row.party.name, row.device)
    (frame, time, count) = (finding.position > 0 ? finding.position : nil, finding.time, finding.count)
    (expected, found) = (finding.expected, finding.found)
  }

  public var description: String {
    let place = frame.map { "frame \($0)" } ?? "at the end"
    let what = isBreach ? "expected \(expected), found \(found)" : "unsure: \(expected)"
    return PlainText.shown("\(clause) (\(level)) \(party), \(place), \(count)×: \(what)")
  }
}
