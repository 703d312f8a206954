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
    let often = row.finding.count > 1 ? " (\(row.finding.count) times)" : ""
    let head = "\(row.party.name), \(row.party.role.name), at \(place(row.finding))\(often): "
    return row.finding.ruling == .violated
      ? head + "expected \(row.finding.expected); found \(row.finding.found)" : head + row.finding.expected
  }
}

/// Judgements as a JUnit document: a suite for each input, a case for each clause that was judged.
package enum JudgementJUnit {
  /// - Parameter others: suites of inputs that could not be judged.
  package static func document(
    _ inputs: [JudgedInput], isStrict: Bool, others: [JUnitDocument.Suite] = []
  ) -> String {
    String(JUnitDocument(inputs.map { suite($0, isStrict) } + others).text.dropLast())
  }

  private static func suite(_ input: JudgedInput, _ isStrict: Bool) -> JUnitDocument.Suite {
    var suite = JUnitDocument.Suite(
      input.path, file: input.path, timestamp: input.timestamp, duration: input.duration)
    for clause in input.judgement.judged.map(\.clause) {
      let rows = input.judgement.rows.filter { $0.finding.clause == clause.number }
      let breaches = rows.filter { $0.finding.ruling == .violated }
      let messages = breaches.map(input.message)
      let isSevere = !clause.isFromMemory && (clause.level == .must || isStrict && clause.level == .should)
      var one = JUnitDocument.Case("\(clause.id) \(clause.gist)")
      // A trace is text, an entry a line; a capture has no lines.
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
      suite.cases.append(
        JUnitDocument.Case("something is judged", outcome: .failed(message: vacuity, type: "vacuous")))
    }
    for one in input.problems.damaged where one.damage.isBeforeEnd {
      suite.cases.append(
        JUnitDocument.Case(
          "the capture can be read", outcome: .error(message: one.damage.sentence("judged"), type: "damaged capture")))
    }
    for difference in input.differences ?? [] {
      suite.cases.append(
        JUnitDocument.Case(
          "expected findings", outcome: .failed(message: difference.text, type: "expected findings")))
    }
    return suite
  }
}

/// Judgements as SARIF 2.1.0: clauses are rules, breaches are results.
package enum JudgementSARIF {
  /// - Parameter failures: inputs that could not be read; they are told as notifications of the tool.
  package static func document(
    _ inputs: [JudgedInput], isStrict: Bool, version: String, failures: [(path: String, message: String)] = []
  ) -> String {
    var used: [ClauseID] = []
    for input in inputs {
      for row in input.judgement.rows where row.finding.ruling == .violated && !used.contains(row.finding.clause) {
        used.append(row.finding.clause)
      }
    }
    used.sort { $0.rawValue < $1.rawValue }
    var driver = JSONLine()
    driver.add("name", "rollcall")
    driver.add("version", version)
    driver.add("rules", raw: "[" + used.map { rule($0.clause, isStrict) }.joined(separator: ",") + "]")
    let results = inputs.flatMap { input in
      input.judgement.rows.filter { $0.finding.ruling == .violated }.map { result($0, input, used, isStrict) }
    }
    var document = JSONLine()
    document.add("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
    document.add("version", "2.1.0")
    document.add(
      "runs",
      raw: "[{\"tool\":{\"driver\":\(driver.closed)},\"columnKind\":\"utf16CodeUnits\",\"results\":["
        + results.joined(separator: ",") + "]" + invocations(inputs, failures) + "}]")
    return document.closed
  }

  /// Inputs that could not be read or not whole, and inputs of which nothing was judged: no result would say so.
  private static func invocations(
    _ inputs: [JudgedInput], _ failures: [(path: String, message: String)]
  ) -> String {
    var said = failures
    for input in inputs {
      for one in input.problems.damaged where one.damage.isBeforeEnd {
        said.append((input.path, one.damage.sentence("judged")))
      }
      if let vacuity = input.vacuity { said.append((input.path, vacuity)) }
    }
    if said.isEmpty { return "" }
    let notes = said.map { failure -> String in
      var note = JSONLine()
      note.add("level", "error")
      note.add("message", raw: text("\(failure.path): \(failure.message)"))
      let place = "{\"artifactLocation\":{\"uri\":\(JSONLine.quoted(uri(failure.path)))}}"
      note.add("locations", raw: "[{\"physicalLocation\":\(place)}]")
      return note.closed
    }
    return ",\"invocations\":[{\"executionSuccessful\":false,\"toolExecutionNotifications\":["
      + notes.joined(separator: ",") + "]}]"
  }

  private static func rule(_ clause: Clause, _ isStrict: Bool) -> String {
    var rule = JSONLine()
    rule.add("id", clause.id)
    rule.add("shortDescription", raw: text(clause.gist))
    rule.add("defaultConfiguration", raw: "{\"level\":\"\(clause.grade(isStrict: isStrict).rawValue)\"}")
    rule.add("fullDescription", raw: text("\(clause.gist) (\(clause.place))"))
    rule.add("help", raw: text(clause.remedy))
    var more = JSONLine()
    more.add("severity", clause.severity.rawValue)
    more.add("strength", clause.levelText)
    more.add("costs", clause.severity.explanation)
    more.add("place", clause.place)
    rule.add("properties", raw: more.closed)
    return rule.closed
  }

  private static func result(
    _ row: Judgement.Row, _ input: JudgedInput, _ used: [ClauseID], _ isStrict: Bool
  ) -> String {
    var result = JSONLine()
    result.add("ruleId", row.clause.id)
    result.add("ruleIndex", used.firstIndex(of: row.finding.clause) ?? 0)
    result.add("level", row.clause.grade(isStrict: isStrict).rawValue)
    result.add("message", raw: text(input.message(row)))
    var location = JSONLine()
    location.add("artifactLocation", raw: "{\"uri\":\(JSONLine.quoted(uri(input.path)))}")
    // A trace is text, an entry a line; a capture has frames and no lines.
    if input.isTrace, row.finding.position > 0 {
      location.add("region", raw: "{\"startLine\":\(row.finding.position)}")
    }
    result.add("locations", raw: "[{\"physicalLocation\":\(location.closed)}]")
    var print = Digest()
    for part in [row.clause.id, row.party.name, row.party.role.name, row.finding.found] { print.combine(part) }
    result.add("partialFingerprints", raw: "{\"finding/1\":\"\(print)\"}")
    var more = JSONLine()
    more.add("party", row.party.name)
    more.add(input.isTrace ? "entry" : "frame", row.finding.position)
    more.add("time", row.finding.time.description)
    more.add("count", row.finding.count)
    result.add("properties", raw: more.closed)
    return result.closed
  }

  private static func text(_ text: String) -> String { "{\"text\":\(JSONLine.quoted(text))}" }

  /// A path as a URI reference: what no path segment of a URI may hold is escaped.
  private static func uri(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, 45, 46, 47, 95, 126: text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
