import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallReporting
@testable import RollcallRunning
import RollcallScenarios
import Testing

/// Failures that are known: how the file is written and read, and how runs stand to it.
@Suite("Expected results of runs")
struct ExpectedRunsTests {
  private static func run(
    _ path: String, _ seed: UInt64, _ outcome: RunOutcome, bad ids: [String] = [], loss: String? = nil
  ) -> SuiteRun {
    SuiteRun(
      path: path, title: "", point: loss.map { [Point.Value(path: "network.link.loss", text: $0)] } ?? [], seed: seed,
      outcome: outcome, digest: Digest(), entries: 1, virtualTime: .zero,
      verdicts: [Verdict(id: "e9", text: "", outcome: .held)]
        + ids.map { Verdict(id: $0, text: "{lost: tv}", place: Place(line: 7, column: 5), outcome: .violated) })
  }

  private static let failures = [
    run("b.yaml", 1, .failed, bad: ["e2", "e1"]), run("b.yaml", 2, .passed), run("b.yaml", 3, .failed, bad: ["e1"]),
    run("b.yaml", 4, .failed, bad: ["e1", "e2"]), run("b.yaml", 5, .failed, bad: ["e1", "e2"]),
    run("a.yaml", 9, .budget), run("a.yaml", 1, .failed, bad: ["e1"], loss: "10%"),
    run("a.yaml", 1, .vacuous, loss: "5%"),
  ]

  private static let lines: [String] = [
    "# Runs that are known to fail, as rollcall run --write-expected wrote them.",
    #"{"scenario":"a.yaml","seeds":["9"],"outcome":"budget"}"#,
    #"{"scenario":"a.yaml","point":{"network.link.loss":"10%"},"seeds":["1"],"outcome":"failed","#
      + #""expectations":["e1"]}"#,
    #"{"scenario":"a.yaml","point":{"network.link.loss":"5%"},"seeds":["1"],"outcome":"vacuous"}"#,
    #"{"scenario":"b.yaml","seeds":["1","4..5"],"outcome":"failed","expectations":["e1","e2"]}"#,
    #"{"scenario":"b.yaml","seeds":["3"],"outcome":"failed","expectations":["e1"]}"#,
  ]

  private static func read(_ lines: [String]) throws -> ExpectedRuns {
    try ExpectedRuns(lines.joined(separator: "\n") + "\n", file: "known.jsonl")
  }

  @Test("failures are written in the order of their text, seeds as ranges, whatever the order of the runs")
  func written() {
    var (one, other) = (RunFailures(), RunFailures())
    for run in Self.failures { one.add(run) }
    // Within a scenario the seeds of a point come in their order.
    for run in Self.failures[5...] + Self.failures[..<5] { other.add(run) }
    expectEqual(one.lines, Self.lines)
    expectEqual(other.lines, Self.lines)
    expectEqual(one.count, 7)
    expectEqual(RunFailures().lines.count, 1)
  }

  @Test("many seeds that are no range are written on lines that are read back")
  func manySeeds() throws {
    var failures = RunFailures()
    for seed: UInt64 in 0..<1_200 { failures.add(Self.run("a.yaml", seed * 2, .failed)) }
    expectEqual(failures.lines.count, 4)
    var expected = try Self.read(failures.lines)
    expectEqual(expected.standing(of: Self.run("a.yaml", 2_398, .failed))?.kind, .known)
    expectEqual(expected.standing(of: Self.run("a.yaml", 2_397, .passed)), nil)
  }

  @Test("a run fails as it is known to, otherwise, or unexpectedly, or passes though it should not")
  func standings() throws {
    var expected = try Self.read(Self.lines)
    for run in Self.failures where run.outcome != .passed {
      expectEqual(expected.standing(of: run)?.kind, .known, "\(run.path) \(run.seed)")
    }
    expectEqual(expected.unmet, [])
    func told(_ run: SuiteRun) -> String? {
      expected.standing(of: run).map { "\($0.kind.rawValue): \($0.text ?? "-")" }
    }
    expectEqual(told(Self.run("./b.yaml", 2, .passed)), nil)
    expectEqual(told(Self.run("c.yaml", 1, .failed, bad: ["e1"])), "unexpectedFailure: -")
    expectEqual(
      told(Self.run(".//b.yaml", 4, .passed)),
      "unexpectedPass: it passes, and known.jsonl:5 says that it fails: failed by e1 and e2")
    expectEqual(
      told(Self.run("b.yaml", 3, .failed, bad: ["e2"])),
      "otherFailure: known.jsonl:6 says that it fails otherwise: failed by e1")
    expectEqual(
      told(Self.run("a.yaml", 9, .budget)), "known: known by known.jsonl:2: budget")
    // Another point of the sweep is another run.
    expectEqual(told(Self.run("a.yaml", 1, .failed, bad: ["e1"])), "unexpectedFailure: -")
    let fresh = try Self.read(Self.lines)
    expectEqual(fresh.unmet.map(\.line), [2, 3, 4, 5, 6])
  }

  @Test("known failures are good, and a pass that is not expected is not")
  func account() throws {
    var expected = try Self.read(Self.lines)
    func counted(_ runs: [SuiteRun]) -> RunAccount {
      var account = RunAccount()
      for run in runs {
        var run = run
        run.standing = expected.standing(of: run)
        account.add(run)
      }
      _ = account.close()
      return account
    }
    let known = counted(Self.failures)
    expectEqual([known.runCount, known.goodCount, known.knownCount, known.badScenarioCount], [8, 8, 7, 0])
    expectEqual(known.outcome, .passed)
    // Scenario by scenario, as they come.
    var (account, groups) = (RunAccount(), [RunAccount.Group]())
    for run in Self.failures {
      var run = run
      run.standing = expected.standing(of: run)
      if let group = account.add(run) { groups.append(group) }
    }
    if let last = account.close() { groups.append(last) }
    expectEqual(groups.map { "\($0.path) \($0.knownCount) of \($0.runCount)" }, ["b.yaml 4 of 5", "a.yaml 3 of 3"])
    expectEqual(groups.map(\.isOnlyVacuous), [false, false])
    expectEqual(
      RunLines.summary(account, expected: try Self.read(Self.lines)),
      #"{"schema":"rollcall/1","kind":"summary","runs":8,"passed":1,"failed":0,"known":7,"unmet":5,"scenarios":2}"#)
    let surprise = counted([Self.run("b.yaml", 1, .passed), Self.run("b.yaml", 2, .passed)])
    expectEqual([surprise.runCount, surprise.goodCount, surprise.knownCount, surprise.badScenarioCount], [2, 1, 0, 1])
    expectEqual(surprise.outcome, .failed)
    let mixed = counted([Self.run("a.yaml", 9, .budget), Self.run("a.yaml", 10, .vacuous)])
    expectEqual([mixed.goodCount, mixed.knownCount, mixed.vacuousCount], [1, 1, 1])
    expectEqual(mixed.outcome, .vacuous)
    // Scenario by scenario, the worst is told.
    let outcomes: [RunOutcome] = [.vacuous, .failed, .error, .budget]
    for (place, worst) in outcomes.enumerated() {
      let runs = outcomes[...place].enumerated().map { Self.run("c\($0.offset).yaml", 1, $0.element) }
      expectEqual(counted(runs).outcome, worst)
      expectEqual(counted(runs.reversed()).outcome, worst)
    }
    // A run that was to check nothing is good where that is allowed, if nothing went wrong.
    var recorded = RunAccount(allowsNoExpectations: true)
    for (outcome, goodCount) in [(.vacuous, 1), (.error, 1), (.passed, 2)] as [(RunOutcome, Int)] {
      var run = Self.run("r.yaml", 1, outcome)
      run.verdicts = []
      recorded.add(run)
      expectEqual(recorded.goodCount, goodCount)
    }
  }

  @Test(
    "a line that is none is refused with its place and what was expected",
    arguments: [
      ("x", "1 one JSON object with scenario, seeds and outcome"),
      (#"{"scenario":"a","scenario":"b"}"#, "17 one JSON object with scenario, seeds and outcome"),
      (#"{"seeds":["1"],"outcome":"failed"}"#, "1 the path of a scenario in 'scenario'"),
      (#"{"scenario":"a","seeds":[],"outcome":"failed"}"#, "1 a list of seeds in 'seeds'"),
      (
        #"{"scenario":"a","seeds":["5..2"],"outcome":"failed"}"#,
        #"1 seeds as --seeds takes them in 'seeds', as in "7" or "1..200""#
      ),
      (#"{"scenario":"a","seeds":["1"],"outcome":"passed"}"#, "1 one of failed, vacuous, budget, error in 'outcome'"),
      (#"{"scenario":"a","seeds":["1"],"outcome":"failed","point":[]}"#, "1 an object in 'point'"),
      (#"{"scenario":"a","seeds":["1"],"outcome":"failed","point":{"x":1}}"#, "1 texts in 'point'"),
      (#"{"scenario":"a","seeds":["1"],"outcome":"failed","expectations":"e1"}"#, "1 a list of ids in 'expectations'"),
      (
        #"{"scenario":"./a","seeds":["7"],"outcome":"failed"}"#,
        "1 each seed once; seed 7 of this scenario stands in line 1 as well"
      ),
      (
        #"{"scenario":"a","seeds":["8..12"],"outcome":"failed"}"#,
        "1 each seed once; seed 8 of this scenario stands in line 1 as well"
      ),
      (
        #"{"scenario":"a","seeds":["3..6"],"outcome":"failed"}"#,
        "1 each seed once; seed 5 of this scenario stands in line 1 as well"
      ),
    ])
  func refused(line: String, expected: String) {
    let first = #"{"scenario":"a","seeds":["5..8"],"outcome":"budget"}"#
    do {
      _ = try ExpectedRuns("\(first)\r\n\n# \(line)\n\(line)", file: "x")
      Issue.record("\(line) is taken")
    } catch {
      expectEqual(error.line, 4)
      expectEqual("\(error.column) \(error.expected)", expected)
    }
  }

  @Test("a file with the most runs is read, with comments and empty lines; one more is refused at its line")
  func tooMany() throws {
    let text = Self.lines.prefix(3).joined(separator: "\n\n") + "\n# the end\n"
    let expected = try ExpectedRuns(text, file: "x", linesMaximum: 2)
    expectEqual(expected.entries.map(\.line), [3, 5])
    do {
      _ = try ExpectedRuns(text + Self.lines[3], file: "x", linesMaximum: 2)
      Issue.record("a third one is taken")
    } catch {
      expectEqual(error, ExpectedRuns.Problem(line: 7, column: 1, expected: "at most 2 lines"))
    }
  }

  @Test("an unexpected pass is red and known failures are green, in the tool's text and in its results", .withTool)
  func verb() throws {
    try WritingVerb.withInputs { folder in
      let failing = WritingVerb.scenario.replacing("cause: byebye", with: "cause: expired")
      try Data(failing.utf8).write(to: folder.appendingPathComponent("bad.yaml"))
      let first = try ToolRun("run", ".", "--write-expected", "known.jsonl", in: folder)
      expectEqual(first.exitCode, 1)
      expectEqual(first.errors, "known.jsonl: 1 failure written; read them before you commit them\n")
      let text = try String(contentsOf: folder.appendingPathComponent("known.jsonl"), encoding: .utf8)
      expectEqual(
        text.split(separator: "\n").last.map(String.init),
        #"{"scenario":"./bad.yaml","seeds":["1"],"outcome":"failed","expectations":["e2"]}"#)

      let known = try ToolRun("run", "bad.yaml", "in.yaml", "--expected", "known.jsonl", in: folder)
      expectEqual(known.exitCode, 0, "\(known.errors)")
      expectEqual(
        known.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") },
        ["known bad.yaml", "1 of", "passed in.yaml", "2 scenarios,"])
      #expect(known.lines.last?.contains("2 runs: 1 passed, 0 failed, 1 known to fail, in ") == true)
      let json = try ToolRun("run", ".", "--expected", "known.jsonl", "--format", "json", in: folder)
      try expectEqual(json.objects("run").map { $0["standing"] as? String }, ["known", nil])
      try expectEqual(json.objects("summary").map { $0["known"] as? Int }, [1])

      try Data(WritingVerb.scenario.utf8).write(to: folder.appendingPathComponent("bad.yaml"))
      let passing = try ToolRun("run", ".", "--expected", "known.jsonl", in: folder)
      expectEqual(passing.exitCode, 1)
      #expect(passing.text.contains("it passes, and known.jsonl:2 says that it fails: failed by e2"))
      let annotated = try ToolRun("run", ".", "--expected", "known.jsonl", "--format", "github", in: folder)
      expectEqual(annotated.exitCode, 1)
      #expect(annotated.text.hasPrefix("::error file=known.jsonl,line=2,title=unexpected-pass%3A "))

      let unmet = try ToolRun("run", "in.yaml", "--expected", "known.jsonl", in: folder)
      expectEqual(unmet.exitCode, 0)
      expectEqual(unmet.errors, "known.jsonl:2: no run is this one: ./bad.yaml, failed by e2\n")
    }
  }

  @Test("the file is never an input, and one that cannot be read is told", .withTool)
  func files() throws {
    try WritingVerb.withInputs { folder in
      let before = try FolderState(folder)
      let input = try ToolRun("run", "in.yaml", "--write-expected", "in.yaml", in: folder)
      expectEqual(input.exitCode, 2)
      expectEqual(
        input.errors, "--write-expected in.yaml is the input in.yaml, which would be lost: write to another file\n")
      let missing = try ToolRun("run", "in.yaml", "--expected", "none", in: folder)
      #expect(missing.exitCode == 2 && missing.errors.hasPrefix("none: "))
      let broken = try ToolRun("run", "in.yaml", "--expected", "in.yaml", in: folder)
      expectEqual(broken.exitCode, 2)
      expectEqual(broken.errors, "in.yaml:1:1: expected one JSON object with scenario, seeds and outcome\n")
      let bites = try ToolRun("run", "in.yaml", "--expected", "in.yaml", "--bites", in: folder)
      expectEqual(bites.exitCode, 2)
      let unreadable = try ToolRun("run", ".", "none.yaml", "--write-expected", "new", in: folder)
      #expect(unreadable.exitCode == 2 && unreadable.errors.contains("new: not written, since not everything was run"))
      try expectEqual(FolderState(folder), before)
    }
  }
}
