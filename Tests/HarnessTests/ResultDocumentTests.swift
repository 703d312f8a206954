import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
import RollcallRunning
import Testing

/// Documents of results: what each format makes of the one model.
@Suite("Documents of results")
struct ResultDocumentTests {
  @Test("TAP has a line for each case, a known failure is TODO, and what more is known stands in YAML")
  func tap() {
    expectEqual(
      ResultFormat.tap.text(ResultSamples.plain, version: "1"),
      """
      TAP version 14
      1..6
      ok 1 - Scenarios/a.yaml: seed 1
        ---
        duration_ms: 1250
        ...
      not ok 2 - Scenarios/a.yaml: seed 2 network.link.loss=10%
        ---
        message: "e1: expected \\"lost\\""
        severity: fail
        type: "failed"
        text: "one\\ntwo"
        duration_ms: 250
        file: "Scenarios/a.yaml"
        line: 7
        findings:
          - rule: "expectation-violated"
            level: error
            file: "Scenarios/a.yaml"
            line: 7
            column: 5
            message: "e1 {lost: tv}: expected it, found nothing"
        ...
      not ok 3 - Scenarios/a.yaml: seed 3
        ---
        message: "e1: again"
        severity: fail
        type: "failed"
        file: "Scenarios/a.yaml"
        findings:
          - rule: "expectation-violated"
            level: error
            file: "Scenarios/a.yaml"
            line: 7
            column: 5
            message: "e1: again"
        ...
      not ok 4 - Scenarios/a.yaml: seed 4 # TODO known by expected.jsonl:2: failed by e2
        ---
        file: "Scenarios/a.yaml"
        findings:
          - rule: "expectation-violated"
            level: error
            file: "Scenarios/a.yaml"
            line: 8
            column: 5
            message: "e2 {found: tv}: not found"
        ...
      not ok 5 - b.yaml: read
        ---
        message: "no such file"
        severity: error
        type: "unreadable"
        file: "b.yaml"
        ...
      ok 6 - c.yaml: all runs # SKIP no bites

      """)
    expectEqual(ResultFormat.tap.text([], version: "1"), "TAP version 14\n1..0 # SKIP there is nothing to tell\n")
  }

  @Test("annotations name file, line and column, once however often; what is known is left out")
  func annotations() {
    expectEqual(
      ResultFormat.github.text(ResultSamples.plain, version: "1"),
      """
      ::error file=Scenarios/a.yaml,line=7,col=5,title=expectation-violated%3A An expectation does not hold::\
      e1 {lost: tv}: expected it, found nothing (2 times)
      ::error file=b.yaml::no such file
      6 cases: 1 passed, 2 failed, 1 errors, 1 skipped, 1 known

      """)
    var note = ResultSamples.finding("100 %\n\rof it", line: 1)
    (note.level, note.place) = (.note, ResultPlace("a:b,c.yaml"))
    let suite = ResultSuite("x", cases: [ResultCase("y", findings: [note])])
    expectEqual(
      ResultFormat.github.text([suite], version: "1"),
      """
      ::notice file=a%3Ab%2Cc.yaml,title=expectation-violated%3A An expectation does not hold::100 %25%0A%0Dof it
      1 cases: 1 passed, 0 failed

      """)
  }

  @Test("SARIF has a rule once, a result for each finding with its place, and says which are known")
  func sarif() {
    let rule: String =
      #"{"id":"expectation-violated","shortDescription":{"text":"An expectation does not hold"},"#
      + #""defaultConfiguration":{"level":"error"},"fullDescription":{"text":"Not as it is expected."},"#
      + #""help":{"text":"Look at it."},"properties":{"weight":3}}"#
    let head = #"{"ruleId":"expectation-violated","ruleIndex":0,"level":"error","message":{"text":""#
    func place(_ line: Int) -> String {
      #""},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"Scenarios/a.yaml"},"region":{"startLine":"#
        + #"\#(line),"startColumn":5}}}]"#
    }
    var (first, second) = (Digest(), Digest())
    for part in ["a", "7"] { first.combine(part) }
    for part in ["a", "8"] { second.combine(part) }
    let parts: [String] = [
      #"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"#,
      #""name":"rollcall","version":"1","rules":["#, rule, #"]}},"columnKind":"unicodeCodePoints","results":["#,
      head, "e1 {lost: tv}: expected it, found nothing (2 times)", place(7),
      #","occurrenceCount":2,"partialFingerprints":{"finding/1":"\#(first)"},"suppressions":[],"#,
      #""properties":{"seed":"2"}},"#,
      head, "e2 {found: tv}: not found", place(8), #","partialFingerprints":{"finding/1":"\#(second)"},"#,
      #""suppressions":[{"kind":"external","justification":"expected.jsonl:2"}],"properties":{"seed":"2"}}"#,
      #"],"invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":"#,
      #"{"text":"b.yaml: no such file"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"b.yaml"}}}]}]"#,
      "}]}]}\n",
    ]
    expectEqual(ResultFormat.sarif.text(ResultSamples.plain, version: "1"), parts.joined())
  }

  @Test("a known failure is skipped in JUnit, and an interrupted run is no success in any format")
  func known() {
    let text = ResultFormat.junit.text(ResultSamples.plain, version: "1")
    #expect(text.contains(#"<testsuites tests="6" failures="2" errors="1" time="2.000">"#))
    #expect(text.contains(#"<skipped message="known by expected.jsonl:2: failed by e2"/>"#))
    #expect(text.contains(#"tests="4" failures="2" errors="0" skipped="1" time="2.000""#))
    var results = RunResults()
    results.interrupt(done: 3, of: 20)
    expectEqual(
      ResultFormat.github.text(results.all, version: "1"),
      "::error file=rollcall run::interrupted: 3 of 20 runs were done\n1 cases: 0 passed, 0 failed, 1 errors\n")
  }

  @Test("what names and messages say begins no line, field, command or directive, and nothing hidden is in a document")
  func hostile() {
    for format in ResultFormat.allCases {
      let lines = format.text(ResultSamples.hostile, version: "1").split(separator: "\n").map(String.init)
      #expect(lines.allSatisfy { PlainText.shown($0) == $0 }, "\(format)")
      let starts: [String]
      switch format {
      case .junit: starts = ["<"]
      case .tap: starts = ["TAP version 14", "1..5", "ok ", "not ok ", "  "]
      case .sarif: starts = ["{"]
      case .github: starts = ["::warning file=", "::error file=", "5 cases: "]
      }
      let odd = lines.filter { line in !starts.contains { line.drop { $0 == " " && format == .junit }.hasPrefix($0) } }
      expectEqual(odd, [], "\(format)")
    }
    let tap = ResultFormat.tap.text(ResultSamples.hostile, version: "1").split(separator: "\n")
    let results = tap.filter { $0.contains("ok ") && !$0.hasPrefix(" ") }
    expectEqual(results.map { $0.split(separator: "#").count }, [1, 1, 1, 2, 2])
    let commands = ResultFormat.github.text(ResultSamples.hostile, version: "1").split(separator: "\n").dropLast()
    expectEqual(commands.count, 2)
    // Two colons end the properties, and nothing in them has one.
    #expect(commands.allSatisfy { $0.dropFirst(2).components(separatedBy: "::")[0].contains(":") == false })
  }
}
