import RollcallExpectations
import Testing

@testable import RollcallScenarios

/// Sweeps at their largest, where what is wrong with one stands, and seeds and versions as they are written.
@Suite("Sweeps at their bounds, and their places") struct SweepPlaceTests {
  private func axis(_ path: String, _ count: Int) -> Sweep {
    let steps = path.split(separator: "/").map { TreePath.Step.key(String($0)) }
    return Sweep(TreePath(steps), Array(repeating: .scalar("1"), count: count))
  }
  private func said(_ scenario: Scenario, in tree: Tree? = nil) -> [String] {
    SweepChecks(scenario, in: tree ?? scenario.tree).complaints.map { complaint in
      "\(complaint.mark.line):\(complaint.mark.column): \(complaint.path): \(complaint.message)"
    }
  }

  @Test("a sweep has as many points as its axes multiply to, and no more than can be counted")
  func counts() {
    let table: [(axes: [Int], count: Int)] = [
      ([], 1), ([7], 7), ([2, 3, 4], 24), ([100, 100], 10_000), (Array(repeating: 2, count: 62), 1 << 62),
      (Array(repeating: 2, count: 63), .max), (Array(repeating: 2, count: 64), .max),
    ]
    for (axes, count) in table {
      let sweep = axes.map { axis("budget/events", $0) }
      expectEqual(Scenario("a", sweep: sweep).pointCount, count, "\(axes)")
    }
  }

  @Test("a sweep of 10000 points is unfolded: the first of them is what is wrong with it")
  func most() {
    let first = Sweep(TreePath([.key("budget"), .key("events")]), [.scalar("x")] + axis("x", 99).values)
    let scenario = Scenario("a", sweep: [first, axis("budget/entries", 100)])
    expectEqual(scenario.pointCount, 10_000)
    let message = "'x' is not a whole number from 1 to 1000000000 such as 3 (at budget.events)"
    let errors = ScenarioErrors([ScenarioError(file: "f", line: 0, column: 0, message: message)])
    #expect(throws: errors) { try scenario.points(file: "f") }
  }

  @Test("a sweep of more points has one message, whatever else is wrong with it")
  func tooMany() {
    expectEqual(
      said(Scenario("a", sweep: [axis("sweep", 73), axis("sweep", 137)])),
      ["0:0: sweep: a sweep has at most 10000 points"])
  }

  @Test("values of a sweep times nodes of the document are two millions at most")
  func work() throws {
    expectEqual(SweepChecks.workMaximum, 2_000_000)
    let missing = 2_000 - Scenario("a").fullTree.nodeCount
    try #require(missing >= 0)
    func said(_ tagCount: Int, _ counts: [Int]) -> [String] {
      let tags = Array(repeating: "t", count: tagCount)
      // Nothing of an axis that sweeps the sweep is read.
      let scenario = Scenario("a", tags: tags, sweep: counts.map { axis("sweep", $0) })
      return self.said(scenario)
    }
    let itself = "0:0: sweep.sweep: a sweep cannot sweep itself"
    let much = "0:0: sweep: too many values for a document of this size"
    expectEqual(said(missing, [1_000]), [itself])
    expectEqual(said(missing, [999, 1]), [itself, itself])
    expectEqual(said(missing, [1_001]), [much])
    expectEqual(said(missing, [1_000, 1]), [much])
    expectEqual(said(missing + 1, [1_000]), [much])
    expectEqual(said(missing + 1, [999]), [itself])
  }

  @Test("an error that a value causes is placed at the value, and an error inside it at its own place")
  func values() {
    expectEqual(
      errorsOfDocument("timeline: [{at: 30s, stop: engine}, {at: 40s, stop: engine}]\nsweep: {duration: [1m, 20s]}"),
      "x.yaml:3:24: error: with duration = 20s: after the end of the run (20s) (at timeline[0].at)")
    let line =
      "{scenario: a, timeline: [{at: 30s, stop: engine}], sweep: {duration: [20s], network.link: [{losx: 1}]}}"
    let errors = #expect(throws: ScenarioErrors.self) { try Scenario(yaml: line, file: "x.yaml") }
    expectEqual(
      errors?.description,
      """
      x.yaml:1:71: error: with duration = 20s: after the end of the run (20s) (at timeline[0].at)
      x.yaml:1:93: error: with network.link = {losx: 1}: unknown key 'losx', did you mean 'loss'? (at network.link)
      """)
  }

  @Test("an error of a value without a place is placed at the key of its axis, else at the key of the sweep")
  func marks() {
    let scenario = Scenario("a", sweep: [Sweep("duration", ["x"])].compactMap { $0 })
    let values = Tree.list([.scalar("x")])
    func tree(_ sweep: Tree) -> Tree {
      let title = Tree.Entry("scenario", .scalar("a"))
      let entry = Tree.Entry("sweep", sweep, keyMark: Tree.Mark(line: 2, column: 1))
      return Tree(.mapping([title, entry]))
    }
    let axis = Tree.Entry("duration", values, keyMark: Tree.Mark(line: 3, column: 5))
    let message = "duration: with duration = x: 'x' is not a duration such as 250ms or 3s"
    expectEqual(said(scenario, in: tree(Tree(.mapping([axis])))), ["3:5: \(message)"])
    expectEqual(said(scenario, in: tree(values)), ["2:1: \(message)"])
    expectEqual(said(scenario, in: Tree(.mapping([axis]))), [])
    expectEqual(said(Scenario("a"), in: tree(values)), [])
  }

  @Test("each axis without a place or a list of values is reported at its place")
  func axes() {
    expectEqual(
      errorsOfDocument("sweep: {\"a..b\": [1], duration: 3s, budget.events: []}"),
      """
      x.yaml:2:9: error: 'a..b' is no place such as network.link.loss or timeline[0].at (at sweep)
      x.yaml:2:32: error: expected a list of values, found '3s' (at sweep.duration)
      x.yaml:2:51: error: expected a list of values, found an empty list (at sweep.budget.events)
      """)
    #expect(Sweep("a..b", ["1"]) == nil && Sweep("", []) == nil)
    let made = Sweep(TreePath([.key("timeline"), .index(0), .key("at")]), [.scalar("1s"), .scalar("2s")])
    expectEqual(Sweep("timeline[0].at", ["1s", "2s"]), made)
  }

  // MARK: Seeds and versions

  @Test("one seed is written as such, several as a range, and the first seed not at all")
  func seeds() throws {
    let most = UInt64.max
    let table: [(seeds: ClosedRange<UInt64>, written: String)] = [
      (1...1, ""), (0...0, "seed: 0\n"), (2...2, "seed: 2\n"), (most...most, "seed: 18446744073709551615\n"),
      (1...2, "seeds: 1..2\n"), (0...1, "seeds: 0..1\n"), (2...5, "seeds: 2..5\n"),
    ]
    for (seeds, written) in table {
      let scenario = Scenario("a", seeds: seeds)
      expectEqual(scenario.yaml, "scenario: a\n" + written)
      try expectEqual(Scenario(yaml: scenario.yaml, file: "x").seeds, seeds)
    }
    // More than a run may have are written, too.
    expectEqual(Scenario("a", seeds: 0...most).yaml, "scenario: a\nseeds: 0..18446744073709551615\n")
    try expectEqual(Scenario(yaml: "scenario: a\nseeds: 5", file: "x").seeds, 5...5)
    expectEqual(
      errorsOfDocument("seed: 18446744073709551616"),
      "x.yaml:2:7: error: '18446744073709551616' is too large: a seed goes up to 18446744073709551615 (at seed)")
    expectEqual(errorsOfDocument("seed: -1"), "x.yaml:2:7: error: '-1' is not a seed such as 7 (at seed)")
  }

  @Test("the one version of the language is 1")
  func version() {
    expectEqual(FormBench.line(Form<Int>.languageVersion, "1"), "1 as 1")
    for text in ["0", "2", "01", "1.0", ""] {
      expectEqual(
        FormBench.line(Form<Int>.languageVersion, text),
        "'\(text)' is not a version of the scenario language that is read here, such as 1")
    }
  }
}
