package import RollcallConformance
package import RollcallPrimitives

/// What asking showed of one clause, with the evidence.
package struct ExamRuling: Hashable, Sendable {
  package var probe: DeviceProbe
  package var clause: ClauseID
  package var verdict: ProbeVerdict
  /// What the clause asks for; for an inconclusive one, why it is.
  package var expected: String
  /// What came instead; empty unless violated.
  package var found: String
  package var evidence: [ProbeMessage]

  /// Datagrams that are shown for one ruling.
  static let evidenceMaximum = 8
}

/// What came of one probe.
package struct ExamRow: Hashable, Sendable {
  package enum Mark: String, Hashable, Sendable { case held, violated, inconclusive, noted, notAsked }

  package var probe: DeviceProbe
  /// Searches sent, and those among them that the device answered.
  package var askedCount: Int
  package var answeredCount: Int
  package var answerCount: Int
  /// The shortest and the longest wait for an answer.
  package var waits: ClosedRange<Interval>?
  package var mark: Mark
  /// What is to be said about it, where the clauses do not say it.
  package var remark: String?
}

/// What came of an examination.
package struct ExamReport: Sendable {
  package var subject: ExamSubject
  package var rows: [ExamRow]
  package var rulings: [ExamRuling]
  package var packetCount: Int
  package var duration: Interval
  package var presence: ExamPresence
}
