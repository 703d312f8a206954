import Capture
package import Conformance
import Primitives
import Wire

/// One judged input, for reports over several.
package struct JudgedInput: Sendable {
  package var path: String
  package var judgement: Judgement
  package var isTrace: Bool
  /// What is wrong with a capture.
  package var problems: CaptureProblems
  /// What differs from the file of expected findings; `nil`: there is none.
  package var differences: [ExpectedFindings.Difference]?

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
  package static func document(_ inputs: [JudgedInput], isStrict: Bool) -> String {
    var body = ""
    var all = (tests: 0, failures: 0, errors: 0)
    for input in inputs {
      let suite = suite(input, isStrict)
      body += suite.text
      all.tests += suite.tests
      all.failures += suite.failures
      all.errors += suite.errors
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + "<testsuites tests=\"\(all.tests)\" failures=\"\(all.failures)\" errors=\"\(all.errors)\">\n" + body
      + "</testsuites>"
  }

  private static func suite(
    _ input: JudgedInput, _ isStrict: Bool
  ) -> (text: String, tests: Int, failures: Int, errors: Int) {
    var cases = ""
    var errors = 0
    var failures = 0
    var skipped = 0
    var tests = 0
    func add(_ name: String, _ content: String?) {
      tests += 1
      cases += "    <testcase name=\"\(XMLText.escaped(name))\" classname=\"\(XMLText.escaped(input.path))\""
      cases += content.map { ">\n      \($0)\n    </testcase>\n" } ?? "/>\n"
    }
    for clause in input.judgement.judged.map(\.clause) {
      let rows = input.judgement.rows.filter { $0.finding.clause == clause.number }
      let breaches = rows.filter { $0.finding.ruling == .violated }.map(input.message)
      let isSevere = !clause.isFromMemory && (clause.level == .must || isStrict && clause.level == .should)
      let name = "\(clause.id) \(clause.gist)"
      if !breaches.isEmpty, isSevere, input.differences == nil {
        failures += 1
        let message = "message=\"\(XMLText.escaped(breaches[0]))\" type=\"\(clause.levelText)\""
        add(name, "<failure \(message)>\(XMLText.escaped(breaches.joined(separator: "\n")))</failure>")
      } else if input.judgement.total(clause.number).held == 0, breaches.isEmpty {
        skipped += 1
        add(name, "<skipped message=\"\(rows.isEmpty ? "not exercised" : "inconclusive")\"/>")
      } else {
        add(
          name, breaches.isEmpty ? nil : "<system-out>\(XMLText.escaped(breaches.joined(separator: "\n")))</system-out>"
        )
      }
    }
    if let vacuity = input.vacuity {
      failures += 1
      add("something is judged", "<failure message=\"\(XMLText.escaped(vacuity))\" type=\"vacuous\"/>")
    }
    for one in input.problems.damaged where one.damage.isBeforeEnd {
      errors += 1
      add(
        "the capture can be read",
        "<error message=\"\(XMLText.escaped(one.damage.sentence("judged")))\" type=\"damaged capture\"/>")
    }
    for difference in input.differences ?? [] {
      failures += 1
      add("expected findings", "<failure message=\"\(XMLText.escaped(difference.text))\" type=\"expected findings\"/>")
    }
    let head =
      "  <testsuite name=\"\(XMLText.escaped(input.path))\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\" "
      + "skipped=\"\(skipped)\">\n"
    return (head + cases + "  </testsuite>\n", tests, failures, errors)
  }
}

/// Judgements as SARIF 2.1.0: clauses are rules, breaches are results.
package enum JudgementSARIF {
  package static func document(_ inputs: [JudgedInput], isStrict: Bool, version: String) -> String {
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
      raw: "[{\"tool\":{\"driver\":\(driver.closed)}," + invocations(inputs)
        + "\"columnKind\":\"utf16CodeUnits\",\"results\":[" + results.joined(separator: ",") + "]}]")
    return document.closed
  }

  /// Inputs of which nothing was judged, and captures of which not all was read: no result would say so.
  private static func invocations(_ inputs: [JudgedInput]) -> String {
    let notes = inputs.flatMap { input in
      let said = input.problems.damaged.filter(\.damage.isBeforeEnd).map { $0.damage.sentence("judged") }
      return (said + [input.vacuity].compactMap { $0 }).map {
        "{\"level\":\"error\",\"message\":\(text("\(input.path): \($0)"))}"
      }
    }
    if notes.isEmpty { return "" }
    return "\"invocations\":[{\"executionSuccessful\":false,\"toolExecutionNotifications\":["
      + notes.joined(separator: ",") + "]}],"
  }

  private static func level(_ clause: Clause, _ isStrict: Bool) -> String {
    if clause.isFromMemory { return "note" }
    switch clause.level {
    case .must: return "error"
    case .should: return isStrict ? "error" : "warning"
    case .may, .hardening: return "note"
    }
  }

  private static func rule(_ clause: Clause, _ isStrict: Bool) -> String {
    var rule = JSONLine()
    rule.add("id", clause.id)
    rule.add("shortDescription", raw: text(clause.gist))
    rule.add("defaultConfiguration", raw: "{\"level\":\"\(level(clause, isStrict))\"}")
    var more = JSONLine()
    more.add("severity", clause.severity.rawValue)
    more.add("strength", clause.levelText)
    rule.add("properties", raw: more.closed)
    return rule.closed
  }

  private static func result(
    _ row: Judgement.Row, _ input: JudgedInput, _ used: [ClauseID], _ isStrict: Bool
  ) -> String {
    var result = JSONLine()
    result.add("ruleId", row.clause.id)
    result.add("ruleIndex", used.firstIndex(of: row.finding.clause) ?? 0)
    result.add("level", level(row.clause, isStrict))
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
