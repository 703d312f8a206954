import Foundation
@testable import Harness
import Primitives
@testable import Scenarios
import Testing

@Suite("What machines read")
struct OutputTests {
  let passed = SuiteRun(
    path: "Scenarios/a.yaml", title: "A", point: [], seed: 1, outcome: .passed, digest: Digest(), entries: 12,
    virtualTime: .milliseconds(1_500),
    verdicts: [Verdict(id: "e1", text: "{found: tv}", outcome: .held)], message: nil, planted: nil)
  let failed = SuiteRun(
    path: "Scenarios/b.yaml", title: "B", point: [Point.Value(path: "network.link.loss", text: "10%")], seed: 2,
    outcome: .failed, digest: Digest(), entries: 3, virtualTime: .seconds(2),
    verdicts: [
      Verdict(
        id: "e1", text: "{found: tv}", outcome: .violated, expected: "found <1×>",
        found: "it \"never\" happened & ended",
        time: Instant(nanoseconds: 2_000_000_000))
    ], message: nil, planted: nil)
  let broken = SuiteRun(
    path: "Scenarios/b.yaml", title: "B", point: [], seed: 3, outcome: .budget, digest: Digest(), entries: 9,
    virtualTime: .zero, verdicts: [], message: "more than 8 trace entries", planted: nil)

  @Test("a run is one compact JSON object with the fields of the contract")
  func json() throws {
    #expect(
      RunLines.json(passed)
        == #"{"schema":"rollcall/1","kind":"run","scenario":"Scenarios/a.yaml","point":{},"seed":1,"outcome":"passed","#
        + #""digest":"a0761d6478bd642f","entries":12,"virtualSeconds":1.5,"#
        + #""expectations":[{"id":"e1","outcome":"held"}]}"#)
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(RunLines.json(failed).utf8)) as? [String: Any])
    #expect(object["point"] as? [String: String] == ["network.link.loss": "10%"])
    #expect(
      RunLines.summary(runs: 3, passed: 1, scenarios: 2)
        == #"{"schema":"rollcall/1","kind":"summary","runs":3,"passed":1,"failed":2,"scenarios":2}"#)
  }

  @Test("a failure tells what was expected, what was found, when, and the one command that repeats it")
  func failure() {
    #expect(
      FailureText.lines(failed) == [
        "e1  {found: tv}", "    expected  found <1×>", "    found     it \"never\" happened & ended",
        "    when      2.000000000 s", "again: rollcall run Scenarios/b.yaml --seed 2 --set 'network.link.loss=10%'",
      ])
  }

  /// The schema that CI servers share, as a list of what may stand where.
  private static let allowed: [String: (attributes: [String], required: [String], children: [String])] = [
    "testsuites": (["name", "time", "tests", "failures", "errors", "disabled"], [], ["testsuite"]),
    "testsuite": (
      ["name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"],
      ["name", "tests"], ["properties", "testcase", "system-out", "system-err"]
    ),
    "testcase": (
      ["name", "assertions", "time", "classname", "status"], ["name"],
      ["skipped", "error", "failure", "system-out", "system-err"]
    ),
    "failure": (["message", "type"], [], []),
    "error": (["message", "type"], [], []),
  ]

  private func problems(in junit: String) throws -> [String] {
    let document = try XMLElementTree(junit)
    var problems: [String] = []
    func check(_ node: XMLElementTree.Node) {
      guard let rule = OutputTests.allowed[node.name] else { return problems.append("element \(node.name)") }
      for name in node.attributes.keys.sorted() where !rule.attributes.contains(name) {
        problems.append("\(node.name) has \(name)")
      }
      for name in rule.required where node.attributes[name] == nil { problems.append("\(node.name) lacks \(name)") }
      for child in node.children {
        if !rule.children.contains(child.name) { problems.append("\(child.name) in \(node.name)") }
        check(child)
      }
      if node.name == "testsuite" {
        for (count, element) in [("tests", "testcase"), ("failures", "failure"), ("errors", "error")] {
          let found = element == "testcase" ? node.children : node.children.flatMap(\.children)
          let number = found.count { $0.name == element }
          if node.attributes[count] != "\(number)" { problems.append("\(count) is not \(number)") }
        }
      }
    }
    check(document.root)
    for count in ["tests", "failures", "errors"] {
      let sum = document.root.children.reduce(0) { $0 + (Int($1.attributes[count] ?? "") ?? 0) }
      if document.root.attributes[count] != "\(sum)" { problems.append("\(count) of all is not \(sum)") }
    }
    return problems
  }

  @Test("JUnit has the elements, attributes and counts of the common schema, and the check can fail")
  func junit() throws {
    let text = RunLines.junit([passed, failed, broken])
    #expect(try problems(in: text) == [])
    #expect(try XMLElementTree(text).root.children.map { $0.attributes["tests"] } == ["1", "2"])
    #expect(try problems(in: text.replacing("<testcase name", with: "<testcase title")) != [])
    #expect(try problems(in: text.replacing("failures=\"1\"", with: "failures=\"2\"", maxReplacements: 1)) != [])
    #expect(try problems(in: text.replacing("tests=\"2\" failures=\"1\"", with: "tests=\"2\" failures=\"0\"")) != [])
  }

  @Test("JUnit brings back whatever a path says, and a mark for what XML cannot hold")
  func junitText() throws {
    for odd in [
      "<&>\"'", "a\tb", "line\nline\r", "ü\u{1F4FA}", "]]>", "\u{7F}\u{85}\u{9B}\u{202E}\u{2028}\u{E0041}",
      "\u{0}\u{1F}\u{FFFE}\u{FFFF}",
    ] {
      var run = failed
      (run.path, run.message) = ("Scenarios/\(odd).yaml", odd)
      let suite = try #require(try XMLElementTree(RunLines.junit([run])).root.children.first)
      let wanted = String(
        String.UnicodeScalarView(
          run.path.unicodeScalars.map { [0, 0x1F, 0xFFFE, 0xFFFF].contains($0.value) ? "?" : $0 }))
      #expect(suite.attributes["name"] == wanted)
      #expect(suite.children.first?.attributes["classname"] == wanted)
    }
  }

  @Test("reviewed reports are compared in order; the first difference has its line")
  func expected() {
    let reviewed = "# made by hand\n{\"a\":1}\n\n{\"a\":2}\n"
    #expect(ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}", "{\"a\":2}"]) == nil)
    #expect(
      ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}", "{\"a\":3}"])
        == ExpectedReports.Difference(line: 4, expected: "{\"a\":2}", found: "{\"a\":3}"))
    #expect(
      ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}"])
        == ExpectedReports.Difference(line: 4, expected: "{\"a\":2}", found: nil))
    #expect(ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}", "{\"a\":2}", "x"])?.found == "x")
  }
}
