import Foundation
import RollcallEngines
import RollcallExpectations
import RollcallPrimitives
@testable import RollcallScenarios
@testable import RollcallReplaying
@testable import RollcallReporting
@testable import RollcallRunning
import RollcallTrace
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
        id: "e1", text: "{lost: tv, at: 2s}", place: Place(line: 7, column: 5), outcome: .violated,
        reason: .count(
          VerdictReason.CountMiss(
            event: EventMatch(.lost(nil)), label: "tv", times: .exactly(1),
            window: .zero...Instant(nanoseconds: 2_000_000_000), found: [],
            nearest: TimedReport(
              time: Instant(nanoseconds: 3_000_000_000), station: 0,
              report: .lost(device: "uuid:<\"&\">", cause: .expired)))))
    ], message: nil, planted: nil,
    nearby: [
      (
        "e1",
        [
          NearbyReport(
            side: .after, time: Instant(nanoseconds: 3_000_000_000),
            report: .lost(device: "uuid:<\"&\">", cause: .expired),
            cause: ReportCause(entry: 12, frame: nil, text: "its own clock"))
        ]
      )
    ], reports: nil, seconds: 0.25)
  let broken = SuiteRun(
    path: "Scenarios/b.yaml", title: "B", point: [], seed: 3, outcome: .budget, digest: Digest(), entries: 9,
    virtualTime: .zero, verdicts: [], message: "more than 8 trace entries", planted: nil)

  @Test("a run is one compact JSON object with the fields of the contract")
  func json() {
    expectEqual(
      RunLines.json(passed),
      #"{"schema":"rollcall/1","kind":"run","scenario":"Scenarios/a.yaml","point":{},"seed":1,"outcome":"passed","#
        + #""digest":"a0761d6478bd642f","entries":12,"virtualSeconds":1.5,"#
        + #""expectations":[{"id":"e1","outcome":"held"}]}"#)
    expectEqual(
      RunLines.json(failed),
      #"{"schema":"rollcall/1","kind":"run","scenario":"Scenarios/b.yaml","point":{"network.link.loss":"10%"},"#
        + #""seed":2,"outcome":"failed","digest":"a0761d6478bd642f","entries":3,"virtualSeconds":2,"#
        + #""expectations":[{"id":"e1","line":7,"outcome":"violated","#
        + #""expected":"lost of tv, 1×, from 0.000000000 to 2.000000000","#
        + #""found":"only 1.000000000 s after: 3.000000000 lost uuid:<\"&\"> expired","time":"2.000000000","#
        + #""nearby":[{"side":"after","entry":12,"frame":null,"cause":"its own clock","#
        + #""report":{"time":"3.000000000","layer":"ssdp","event":"lost","device":"uuid:<\"&\">","#
        + #""cause":"expired"}}]}]}"#)
  }

  @Test("the summary counts and names every seed that failed, and says when somebody ended the runs")
  func summary() {
    var account = RunAccount()
    for run in [passed, failed, broken] { account.add(run) }
    var seeds = failed
    for seed: UInt64 in [4, 5, 6, 9] {
      (seeds.seed, seeds.outcome) = (seed, .vacuous)
      account.add(seeds)
    }
    _ = account.close()
    account.interruptedOf = 20
    expectEqual(
      RunLines.summary(account),
      #"{"schema":"rollcall/1","kind":"summary","runs":7,"passed":1,"failed":6,"scenarios":2,"failures":["#
        + #"{"scenario":"Scenarios/b.yaml","point":{"network.link.loss":"10%"},"count":1,"seeds":["2"]},"#
        + #"{"scenario":"Scenarios/b.yaml","point":{},"count":1,"seeds":["3"]},"#
        + #"{"scenario":"Scenarios/b.yaml","point":{"network.link.loss":"10%"},"count":4,"seeds":["4..6","9"]}],"#
        + #""interrupted":true,"planned":20}"#)
    expectEqual(account.outcome, .budget)
  }

  @Test("with planted faults one run that fails is enough, in every format, and a run that cannot be is no bite")
  func bites() {
    func outcome(_ outcomes: [RunOutcome]) -> RunOutcome {
      var account = RunAccount(bites: true)
      for one in outcomes {
        var run = failed
        (run.outcome, run.planted) = (one, "engine.byebyeIgnored")
        account.add(run)
      }
      _ = account.close()
      return account.outcome
    }
    expectEqual(outcome([.passed, .failed, .passed]), .passed)
    expectEqual(outcome([.passed, .passed]), .failed)
    expectEqual(outcome([.passed, .vacuous]), .vacuous)
    expectEqual(outcome([.failed, .error]), .error)
  }

  @Test(
    "a failure tells where it is written, what was expected, what was found, what happened instead, and the command")
  func failure() {
    expectEqual(
      FailureText.lines(failed),
      [
        "Scenarios/b.yaml:7:5: e1  {lost: tv, at: 2s}",
        "    expected  lost of tv, 1×, from 0.000000000 to 2.000000000",
        "    found     only 1.000000000 s after: 3.000000000 lost uuid:<\"&\"> expired",
        "    when      2.000000000 s",
        "    after     3.000000000 lost uuid:<\"&\"> expired",
        "              by entry 12: its own clock",
        "again: rollcall run Scenarios/b.yaml --seed 2 --set 'network.link.loss=10%'",
      ])
  }

  @Test("the command that repeats a run is one for a shell, whatever stands in its path and its values")
  func quotedCommand() {
    func command(_ path: String, _ text: String, engine: String? = nil) -> String {
      FailureText.command(
        path: path, seed: 7, point: [Point.Value(path: "inhabitants.tv.model", text: text)], bites: true, engine: engine
      )
    }
    expectEqual(
      command("a b/it's $x.yaml", "\"Ben's\"", engine: "sh -c 'a'"),
      #"rollcall run 'a b/it'\''s $x.yaml' --seed 7 --set 'inhabitants.tv.model="Ben'\''s"' --bites "#
        + #"--engine 'sh -c '\''a'\'''"#)
    let plain = "./Büro/x-1_2+3,4:5=6@7%8.yaml"
    expectEqual(command(plain, "1"), "rollcall run \(plain) --seed 7 --set 'inhabitants.tv.model=1' --bites")
    for mark in ["(", "*", "?", "!", "~", "&", ";", "\"", "`", "|", "<", ">", "#", "\\", "{", "["] {
      expectEqual(
        command("a\(mark).yaml", "1"), "rollcall run 'a\(mark).yaml' --seed 7 --set 'inhabitants.tv.model=1' --bites")
    }
  }

  /// The schema that CI servers share, as a list of what may stand where.
  private static let allowed: [String: (attributes: [String], required: [String], children: [String])] = [
    "testsuites": (["name", "time", "tests", "failures", "errors", "disabled"], [], ["testsuite"]),
    "testsuite": (
      [
        "name", "tests", "failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package",
        "file",
      ],
      ["name", "tests"], ["properties", "testcase", "system-out", "system-err"]
    ),
    "testcase": (
      ["name", "assertions", "time", "classname", "status", "file", "line"], ["name"],
      ["skipped", "error", "failure", "system-out", "system-err"]
    ),
    "skipped": (["message"], [], []),
    "failure": (["message", "type"], [], []),
    "system-out": ([], [], []),
    "error": (["message", "type"], [], []),
  ]

  private func junit(_ runs: [SuiteRun]) -> String {
    var results = RunResults(timestamp: "2026-11-22T08:00:00Z")
    for run in runs { results.add(run) }
    return JUnitDocument(results.all).text
  }

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
    let text = junit([passed, failed, broken])
    try expectEqual(problems(in: text), [])
    let suites = try XMLElementTree(text).root.children
    expectEqual(suites.map { $0.attributes["tests"] }, ["1", "2"])
    expectEqual(suites.map { $0.attributes["timestamp"] }, ["2026-11-22T08:00:00Z", "2026-11-22T08:00:00Z"])
    expectEqual(suites.map { $0.attributes["time"] }, ["0.000", "0.250"])
    let cases = suites[1].children
    expectEqual(cases.map { $0.attributes["file"] }, ["Scenarios/b.yaml", "Scenarios/b.yaml"])
    expectEqual(cases.map { $0.attributes["line"] }, ["7", nil])
    expectEqual(cases.map { $0.attributes["time"] }, ["0.250", "0.000"])
    #expect(try problems(in: text.replacing("<testcase name", with: "<testcase title")) != [])
    #expect(try problems(in: text.replacing("failures=\"1\"", with: "failures=\"2\"", maxReplacements: 1)) != [])
    #expect(try problems(in: text.replacing("tests=\"2\" failures=\"1\"", with: "tests=\"2\" failures=\"0\"")) != [])
  }

  @Test("with planted faults JUnit has a case for each scenario, and one that was left out is skipped")
  func junitBites() throws {
    var results = RunResults(bites: true)
    results.skip("Scenarios/0.yaml", why: "no bites")
    results.add(passed)
    results.addBite("Scenarios/a.yaml", planted: "engine.byebyeIgnored", isNoticed: false, again: "rollcall run")
    results.add(failed)
    results.addBite("Scenarios/b.yaml", planted: "engine.byebyeIgnored", isNoticed: true, again: "rollcall run")
    let junit = JUnitDocument(results.all).text
    let root = try XMLElementTree(junit).root
    try expectEqual(problems(in: junit), [])
    expectEqual(root.children.map { $0.attributes["failures"] }, ["0", "1", "0"])
    expectEqual(root.children.map { $0.attributes["skipped"] }, ["1", "0", "0"])
    expectEqual(root.children.flatMap(\.children).map { $0.children.map(\.name) }, [["skipped"], ["failure"], []])
  }

  @Test("a scenario that notices no planted fault has a finding with its command; each case lasts as long as its runs")
  func biteFindings() throws {
    var results = RunResults(bites: true)
    results.add(failed)
    results.addBite("Scenarios/b.yaml", planted: "engine.x", isNoticed: false, again: "rollcall run b")
    // No run of it was done.
    results.addBite("Scenarios/c.yaml", planted: "engine.y", isNoticed: true, again: "rollcall run c")
    let rule = try #require(results.all.first?.cases.first?.findings.first).rule
    expectEqual(rule.id, "toothless")
    let message = "passes with engine.x planted: it proves nothing"
    let (time, finding) = (
      Interval.milliseconds(250),
      ResultFinding(
        rule, at: ResultPlace("Scenarios/b.yaml"), message, identity: ["Scenarios/b.yaml", "engine.x"],
        facts: [ResultFact("again", "rollcall run b")])
    )
    let toothless = ResultCase(
      "bites engine.x", duration: time,
      outcome: .failed(message: message, type: "toothless", text: "again: rollcall run b"), findings: [finding])
    expectEqual(
      results.all,
      [
        ResultSuite("Scenarios/b.yaml", file: "Scenarios/b.yaml", duration: time, cases: [toothless]),
        ResultSuite(
          "Scenarios/c.yaml", file: "Scenarios/c.yaml", duration: .zero,
          cases: [ResultCase("bites engine.y", duration: .zero)]),
      ])
  }

  @Test("a run that fails as it is known to, or passes though it should not, names the line that says so")
  func standings() throws {
    let place = ResultPlace("known.jsonl", line: 3)
    var (passing, known) = (passed, failed)
    passing.standing = RunStanding(.unexpectedPass, place: place, expected: RunFailure(.failed, ["e1"]))
    known.standing = RunStanding(.known, place: place, expected: RunFailure(.failed, ["e1"]))
    var empty = SuiteRun(
      path: "Scenarios/c.yaml", title: "C", point: [], seed: 4, outcome: .vacuous, digest: Digest(), entries: 3,
      virtualTime: .seconds(2), verdicts: [], message: "it expects nothing", planted: nil)
    var results = RunResults()
    for run in [passing, known, empty] { results.add(run) }
    empty.standing = RunStanding(.known, place: place, expected: RunFailure(.vacuous))
    results.add(empty)
    let found = results.all.flatMap(\.cases).flatMap(\.findings)
    let rules = found.map(\.rule)
    expectEqual(
      rules.map(\.id), ["unexpected-pass", "expectation-violated", "expectation-vacuous", "expectation-vacuous"])
    try #require(rules.count == 4)
    let (passes, fails) = (
      "it passes, and known.jsonl:3 says that it fails: failed by e1", "known by known.jsonl:3: failed by e1"
    )
    let vacuous = "known by known.jsonl:3: vacuous"
    let commands = [
      "rollcall run Scenarios/a.yaml --seed 1",
      "rollcall run Scenarios/b.yaml --seed 2 --set 'network.link.loss=10%'",
      "rollcall run Scenarios/c.yaml --seed 4",
    ]
    func facts(_ run: Int, _ seed: String) -> [ResultFact] {
      [ResultFact("seed", seed), ResultFact("again", commands[run])]
    }
    let miss = "lost of tv, 1×, from 0.000000000 to 2.000000000"
    let nearest = "only 1.000000000 s after: 3.000000000 lost uuid:<\"&\"> expired"
    expectEqual(
      found,
      [
        ResultFinding(
          rules[0], at: place, "Scenarios/a.yaml: " + passes, identity: ["Scenarios/a.yaml"], facts: facts(0, "1")),
        ResultFinding(
          rules[1], at: ResultPlace("Scenarios/b.yaml", line: 7, column: 5),
          "e1 {lost: tv, at: 2s}: expected \(miss), found \(nearest)",
          identity: ["Scenarios/b.yaml", "network.link.loss=10%", "e1"],
          facts: facts(1, "2") + [ResultFact("time", "2.000000000")], knownBy: fails),
        ResultFinding(
          rules[2], at: ResultPlace("Scenarios/c.yaml"), "it expects nothing", identity: ["Scenarios/c.yaml"],
          facts: facts(2, "4")),
        ResultFinding(
          rules[3], at: ResultPlace("Scenarios/c.yaml"), "it expects nothing", identity: ["Scenarios/c.yaml"],
          facts: facts(2, "4"), knownBy: vacuous),
      ])
    expectEqual(
      results.all.flatMap(\.cases).map(\.outcome),
      [
        .failed(message: passes, type: "unexpected-pass", text: passes + "\nagain: " + commands[0]), .known(fails),
        .failed(
          message: "it expects nothing", type: "vacuous", text: "it expects nothing\nagain: " + commands[2]),
        .known(vacuous),
      ])
    expectEqual(results.all.flatMap(\.cases).map(\.line), [nil, 7, nil, nil])
  }

  @Test("a run that fails tells of its first expectation that is bad, and what its standing says before that")
  func outcomes() throws {
    var several = failed
    let held = Verdict(id: "e0", text: "{found: tv}", place: Place(line: 6, column: 5), outcome: .held)
    let quiet = Verdict(id: "e2", text: "{found: any}", outcome: .vacuous, reason: .nothingHappened)
    several.verdicts = [held] + failed.verdicts + [quiet]
    several.standing = RunStanding(
      .otherFailure, place: ResultPlace("known.jsonl", line: 3), expected: RunFailure(.failed, ["e2"]))
    var silent = broken
    (silent.message, silent.engine) = (nil, "./engine -v")
    var results = RunResults(timestamp: "then")
    for run in [several, broken, silent, passed] { results.add(run) }
    results.interrupt(done: 4, of: 20)
    let rules = results.all.flatMap(\.cases).flatMap(\.findings).map(\.rule)
    expectEqual(rules.map(\.id), ["expectation-violated", "expectation-vacuous"])
    try #require(rules.count == 2)
    let miss = "lost of tv, 1×, from 0.000000000 to 2.000000000"
    let nearest = "only 1.000000000 s after: 3.000000000 lost uuid:<\"&\"> expired"
    let otherwise = "known.jsonl:3 says that it fails otherwise: failed by e2"
    let again = "rollcall run Scenarios/b.yaml --seed 2 --set 'network.link.loss=10%'"
    let facts = [ResultFact("seed", "2"), ResultFact("again", again)]
    let identity = ["Scenarios/b.yaml", "network.link.loss=10%"]
    let text: [String] = [
      otherwise, "Scenarios/b.yaml:7:5: e1  {lost: tv, at: 2s}", "    expected  " + miss, "    found     " + nearest,
      "    when      2.000000000 s", "    after     3.000000000 lost uuid:<\"&\"> expired",
      "              by entry 12: its own clock", "e2  {found: any}", "    not tested: nothing was ever reported",
      "again: " + again,
    ]
    expectEqual(FailureText.lines(several), text)
    let third = "again: rollcall run Scenarios/b.yaml --seed 3"
    expectEqual(FailureText.lines(broken), ["more than 8 trace entries", third])
    expectEqual(FailureText.lines(silent), [third + " --engine './engine -v'"])
    let worst = ResultCase(
      "seed 2 network.link.loss=10%", line: 7, duration: .milliseconds(250),
      outcome: .failed(
        message: "\(otherwise). e1: expected \(miss), found \(nearest)", type: "failed",
        text: text.joined(separator: "\n")),
      findings: [
        ResultFinding(
          rules[0], at: ResultPlace("Scenarios/b.yaml", line: 7, column: 5),
          "e1 {lost: tv, at: 2s}: expected \(miss), found \(nearest)", identity: identity + ["e1"],
          facts: facts + [ResultFact("time", "2.000000000")]),
        ResultFinding(
          rules[1], at: ResultPlace("Scenarios/b.yaml"), "e2 {found: any}: not tested: nothing was ever reported",
          identity: identity + ["e2"], facts: facts),
      ])
    let interrupted = ResultCase(
      "every run is done",
      outcome: .error(message: "interrupted: 4 of 20 runs were done", type: "interrupted"))
    expectEqual(
      results.all,
      [
        ResultSuite(
          "Scenarios/b.yaml", file: "Scenarios/b.yaml", timestamp: "then", duration: .milliseconds(250),
          cases: [
            worst,
            ResultCase(
              "seed 3", duration: .zero, outcome: .error(message: "more than 8 trace entries", type: "budget")),
            ResultCase("seed 3", duration: .zero, outcome: .error(message: "budget", type: "budget")),
          ]),
        ResultSuite(
          "Scenarios/a.yaml", file: "Scenarios/a.yaml", timestamp: "then", duration: .zero,
          cases: [ResultCase("seed 1", duration: .zero)]),
        ResultSuite("rollcall run", timestamp: "then", cases: [interrupted]),
      ])
  }

  @Test("scenarios that are not run, and what another engine is not asked, stand in lines of their own")
  func leftOut() throws {
    expectEqual(
      RunLines.skipped("a.yaml", why: "no bites"),
      #"{"schema":"rollcall/1","kind":"skipped","scenario":"a.yaml","reason":"no bites"}"#)
    func file(_ path: String, _ lines: String) throws -> ScenarioFile {
      ScenarioFile(path: path, scenario: try Scenario(yaml: "scenario: a\nduration: 2s\n" + lines, file: path))
    }
    let files = [
      try file("fit.yaml", "expect: [{found: any}, {rejected: any}, {never: {rejected: any}}]\n"),
      try file("unfit.yaml", "engine: {descriptions: fetch}\nexpect: [{found: any}]\n"),
    ]
    var options = Suite.Options()
    let head = #"{"schema":"rollcall/1","kind":"summary","runs":0,"passed":0,"failed":0,"scenarios":0"#
    try expectEqual(RunLines.summary(RunAccount(), suite: Suite(files: files, options: options)), head + "}")
    options.engine = RunEngine(command: "none") { () throws(EngineFailure) -> any EngineChannel in
      throw EngineFailure("none")
    }
    let suite = try Suite(files: files, options: options)
    expectEqual(suite.unfit.map { "\($0.file.path): \($0.why)" }, ["unfit.yaml: its engine fetches descriptions"])
    expectEqual(suite.files.map(\.path), ["fit.yaml"])
    expectEqual(RunLines.summary(RunAccount(), suite: suite), head + #","notForEngine":1,"notAsked":2}"#)
  }

  @Test("a JUnit document says of each suite and case how long it took, when it began, and which file and line to open")
  func junitPlaces() {
    let began = Date(timeIntervalSince1970: 1_795_256_057.9)
    let document = JUnitDocument([
      ResultSuite(
        "a.pcap", file: "a.pcap", timestamp: JUnitDocument.timestamp(of: began), duration: .milliseconds(1_250),
        cases: [
          ResultCase("one"),
          ResultCase(
            "two", file: "a.jsonl", line: 7, duration: .microseconds(3_999),
            outcome: .failed(message: "1 < 2", type: "differs", text: "a\nb")),
        ]),
      ResultSuite(
        "b.pcap",
        cases: [
          ResultCase("three", duration: .seconds(2), outcome: .skipped("nothing there")),
          ResultCase("four", duration: .seconds(1), outcome: .error(message: "no file", type: "unreadable")),
          ResultCase("five", output: "said & done"),
        ]),
    ])
    expectEqual(
      document.text,
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites tests="5" failures="1" errors="1" time="4.250">
        <testsuite name="a.pcap" tests="2" failures="1" errors="0" skipped="0" time="1.250" \
      timestamp="2026-11-21T10:14:17" file="a.pcap">
          <testcase name="one" classname="a.pcap" time="0.000" file="a.pcap"/>
          <testcase name="two" classname="a.pcap" time="0.003" file="a.jsonl" line="7">
            <failure message="1 &lt; 2" type="differs">a&#10;b</failure>
          </testcase>
        </testsuite>
        <testsuite name="b.pcap" tests="3" failures="0" errors="1" skipped="1" time="3.000">
          <testcase name="three" classname="b.pcap" time="2.000">
            <skipped message="nothing there"/>
          </testcase>
          <testcase name="four" classname="b.pcap" time="1.000">
            <error message="no file" type="unreadable"/>
          </testcase>
          <testcase name="five" classname="b.pcap" time="0.000">
            <system-out>said &amp; done</system-out>
          </testcase>
        </testsuite>
      </testsuites>

      """)
  }

  @Test("JUnit brings back whatever a path says, and a mark for what XML cannot hold")
  func junitText() throws {
    for odd in [
      "<&>\"'", "a\tb", "line\nline\r", "ü\u{1F4FA}", "]]>", "\u{7F}\u{85}\u{9B}\u{202E}\u{2028}\u{E0041}",
      "\u{0}\u{1F}\u{FFFE}\u{FFFF}",
    ] {
      var run = failed
      (run.path, run.message) = ("Scenarios/\(odd).yaml", odd)
      let suite = try #require(try XMLElementTree(junit([run])).root.children.first)
      let wanted = String(
        String.UnicodeScalarView(
          run.path.unicodeScalars.map { [0, 0x1F, 0xFFFE, 0xFFFF].contains($0.value) ? "?" : $0 }))
      expectEqual(suite.attributes["name"], wanted)
      expectEqual(suite.children.first?.attributes["classname"], wanted)
    }
  }

  @Test("reviewed reports are compared in order; the first difference has its line")
  func expected() {
    let reviewed = "# made by hand\n{\"a\":1}\n\n{\"a\":2}\n"
    expectEqual(ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}", "{\"a\":2}"]), nil)
    expectEqual(
      ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}", "{\"a\":3}"]),
      ExpectedReports.Difference(line: 4, expected: "{\"a\":2}", found: "{\"a\":3}"))
    expectEqual(
      ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}"]),
      ExpectedReports.Difference(line: 4, expected: "{\"a\":2}", found: nil))
    expectEqual(ExpectedReports.difference(reviewed: reviewed, found: ["{\"a\":1}", "{\"a\":2}", "x"])?.found, "x")
  }
}
