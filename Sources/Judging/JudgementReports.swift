import RollcallCapture
package import RollcallConformance
package import RollcallPrimitives
package import RollcallReplaying
package import RollcallReporting
package import RollcallRunning

/// One judged input, for reports over several.
package struct JudgedInput: Sendable {
  package var path: String
  package var judgement: Judgement
  package var isTrace: Bool
  /// What is wrong with a capture.
  package var problems: CaptureProblems
  /// What differs from the file of expected findings; `nil`: there is none.
  package var differences: [ExpectedFindings.Difference]?
  /// When judging it began, as JUnit writes it, and how long it took.
  package var timestamp: String?
  package var duration: Interval?

  package init(
    path: String, judgement: Judgement, isTrace: Bool, problems: CaptureProblems = CaptureProblems(),
    differences: [ExpectedFindings.Difference]? = nil
  ) {
    (self.path, self.judgement, self.isTrace, self.differences) = (path, judgement, isTrace, differences)
    self.problems = problems
  }

  /// Whether it fails: by the file of expected findings where there is one, else by broken musts, and shoulds if strict.
  package func isBroken(isStrict: Bool) -> Bool { outcome(isStrict: isStrict) != .passed }

  /// Where nothing was looked at, nothing was judged: that is no success.
  package func outcome(isStrict: Bool) -> RunOutcome {
    if let differences, !differences.isEmpty { return .failed }
    if judgement.isVacuous { return .vacuous }
    if differences != nil { return .passed }
    return judgement.violations(.must) > 0 || isStrict && judgement.violations(.should) > 0 ? .failed : .passed
  }

  /// Why nothing was judged; `nil`: something was.
  package var vacuity: String? {
    if !judgement.isVacuous { return nil }
    return judgement.messageCount + judgement.unreadableCount == 0
      ? "nothing was judged: no message came by"
      : "nothing was judged: no clause applies to any message"
  }

  fileprivate func place(_ finding: Finding) -> String {
    finding.position > 0 ? (isTrace ? "entry " : "frame ") + "\(finding.position)" : "the end"
  }

  fileprivate func message(_ row: Judgement.Row) -> String {
    message(row, row.finding.count > 1 ? " (\(row.finding.count) times)" : "")
  }

  /// - Parameter often: how often it was found, in words.
  fileprivate func message(_ row: Judgement.Row, _ often: String) -> String {
    let head = "\(row.party.name), \(row.party.role.name), at \(place(row.finding))\(often): "
    return row.finding.ruling == .violated
      ? head + "expected \(row.finding.expected); found \(row.finding.found)" : head + row.finding.expected
  }
}

/// Judgements as results: a suite for each input, a case for each clause that was judged, a finding for each breach.
package enum JudgementResults {
  /// - Parameter others: suites of inputs that could not be judged.
  package static func suites(
    _ inputs: [JudgedInput], isStrict: Bool, others: [ResultSuite] = []
  ) -> [ResultSuite] {
    inputs.map { suite($0, isStrict) } + others
  }

  private static func suite(_ input: JudgedInput, _ isStrict: Bool) -> ResultSuite {
    var suite = ResultSuite(
      input.path, file: input.path, timestamp: input.timestamp, duration: input.duration)
    // Where there is a reviewed file, what is in it is known, and what is not is told behind the clauses.
    let unexpected = (input.differences ?? []).compactMap { difference -> String? in
      if case .unexpected(let line) = difference { return line }
      return nil
    }
    func isUnexpected(_ row: Judgement.Row) -> Bool { unexpected.contains(ExpectedFindings.line(row)) }
    for clause in input.judgement.judged.map(\.clause) {
      let rows = input.judgement.rows.filter { $0.finding.clause == clause.number }
      let breaches = rows.filter { $0.finding.ruling == .violated }
      let messages = breaches.map { input.message($0) }
      let isSevere = !clause.isFromMemory && (clause.level == .must || isStrict && clause.level == .should)
      var one = ResultCase("\(clause.id) \(clause.gist)")
      one.findings = breaches.filter { !isUnexpected($0) }.map { finding($0, input, isStrict) }
      if input.differences != nil {
        for place in one.findings.indices { one.findings[place].knownBy = "the reviewed file has it" }
      }
      if input.isTrace, let first = breaches.first, first.finding.position > 0 { one.line = first.finding.position }
      if !breaches.isEmpty, isSevere, input.differences == nil {
        one.outcome = .failed(
          message: messages[0], type: clause.levelText, text: messages.joined(separator: "\n"))
      } else if input.judgement.total(clause.number).held == 0, breaches.isEmpty {
        one.outcome = .skipped(rows.isEmpty ? "not exercised" : "inconclusive")
      } else if !breaches.isEmpty {
        one.output = messages.joined(separator: "\n")
      }
      suite.cases.append(one)
    }
    if let vacuity = input.vacuity {
      suite.cases.append(ResultCase("something is judged", outcome: .failed(message: vacuity, type: "vacuous")))
    }
    for one in input.problems.damaged where one.damage.isBeforeEnd {
      suite.cases.append(
        ResultCase(
          "the capture can be read", outcome: .error(message: one.damage.sentence("judged"), type: "damaged capture")))
    }
    for difference in input.differences ?? [] {
      var one = ResultCase("expected findings", outcome: .failed(message: difference.text, type: "expected findings"))
      switch difference {
      case .unexpected(let line):
        let row = input.judgement.rows.first { $0.finding.ruling == .violated && ExpectedFindings.line($0) == line }
        one.findings = row.map { [finding($0, input, isStrict)] } ?? []
      case .passed(_, let line):
        one.findings = [
          ResultFinding(missing, at: ResultPlace(input.path), difference.text, identity: [input.path, line])
        ]
      }
      suite.cases.append(one)
    }
    return suite
  }

  private static let missing = ResultRule(
    "expected-breach-missing", title: "A breach that is expected does not occur",
    explanation: "The reviewed file of --expect has a breach that nobody commits any more.",
    help: "Take the line out of the file, or write the file anew with --record.")

  private static func finding(_ row: Judgement.Row, _ input: JudgedInput, _ isStrict: Bool) -> ResultFinding {
    let clause = row.clause
    let level = ResultFinding.Level(rawValue: clause.grade(isStrict: isStrict).rawValue) ?? .note
    let rule = ResultRule(
      clause.id, title: clause.gist, explanation: "\(clause.gist) (\(clause.place))", help: clause.remedy, level: level,
      facts: [
        ResultFact("severity", clause.severity.rawValue), ResultFact("strength", clause.levelText),
        ResultFact("costs", clause.severity.explanation), ResultFact("place", clause.place),
      ])
    // A trace is text, an entry a line; a capture has frames and no lines.
    let line = input.isTrace && row.finding.position > 0 ? row.finding.position : nil
    return ResultFinding(
      rule, level, at: ResultPlace(input.path, line: line), input.message(row, ""),
      identity: [clause.id, row.party.name, row.party.role.name, row.finding.found], count: row.finding.count,
      facts: [
        ResultFact("party", row.party.name), ResultFact(input.isTrace ? "entry" : "frame", row.finding.position),
        ResultFact("time", row.finding.time.description), ResultFact("count", row.finding.count),
      ])
  }
}
