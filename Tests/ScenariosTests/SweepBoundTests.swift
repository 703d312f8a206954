import RollcallExpectations
import RollcallScenarios
import Testing

@Suite("Sweeps made in Swift, and their bounds") struct SweepBoundTests {
  private func swept(_ axes: [(path: String, values: [String])]) -> Scenario {
    Scenario("a", sweep: axes.compactMap { Sweep($0.path, $0.values) })
  }

  @Test("each point has its values by path, its settings and no sweep")
  func points() throws {
    let points = try swept([("budget.events", ["1", "2"]), ("budget.entries", ["3", "4", "5"])]).points()
    let pairs = [(1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]
    expectEqual(
      points.map(\.values),
      pairs.map { pair in
        [
          Point.Value(path: "budget.events", text: "\(pair.0)"), Point.Value(path: "budget.entries", text: "\(pair.1)"),
        ]
      })
    expectEqual(points.map(\.scenario.budget), pairs.map { Budget(events: $0.0, entries: $0.1) })
    expectEqual(points.map(\.scenario.sweep), pairs.map { _ in [] })
  }

  @Test("a sweep of an unknown inhabitant and one of too many points are refused, at no line")
  func refused() {
    func error(_ message: String) -> ScenarioErrors {
      ScenarioErrors([ScenarioError(file: "x", line: 0, column: 0, message: message)])
    }
    #expect(throws: error("there is no 'inhabitants.tv.count' in the document")) {
      try swept([("inhabitants.tv.count", ["1"])]).points(file: "x")
    }
    #expect(throws: error("a sweep has at most 10000 points")) {
      try swept([("budget.events", (1...10_001).map { "\($0)" })]).points(file: "x")
    }
  }

  @Test("a document that sweeps its sweep, or an unknown inhabitant, is refused once, at the key")
  func documents() {
    expectEqual(
      errorsOfDocument("sweep: {sweep.a: [1]}"),
      "x.yaml:2:9: error: a sweep cannot sweep itself (at sweep.sweep.a)")
    expectEqual(
      errorsOfDocument("sweep: {inhabitants.tv.count: [1, 2]}"),
      "x.yaml:2:9: error: there is no 'inhabitants.tv.count' in the document (at sweep.inhabitants.tv.count)")
  }
}
