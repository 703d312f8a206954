import RollcallExpectations
import RollcallPrimitives
import RollcallScenarios
import RollcallSimulation
import Testing

@Suite("Sweeps") struct PointTests {
  @Test("a sweep unfolds to its cartesian product, the last axis fastest")
  func product() throws {
    let points = try Scenario(yaml: Samples.television, file: "x").points()
    expectEqual(
      points.map { $0.values.map(\.text).joined(separator: " ") },
      [
        "0% 1s", "0% 5s", "10% 1s", "10% 5s", "30% 1s", "30% 5s",
      ])
    expectEqual(points[3].values.map(\.path), ["network.link.loss", "timeline[0].search.mx"])
    expectEqual(points[3].scenario.network.link.both.loss, .uniform(.percent(10)))
    guard case .search(let search) = points[3].scenario.timeline[0].deed else {
      Issue.record("no search")
      return
    }
    expectEqual(search.waitSeconds, 5)
    #expect(points.allSatisfy { $0.scenario.sweep.isEmpty })
  }

  @Test("a scenario without sweep is its only point")
  func none() throws {
    let scenario = Scenario("one")
    try expectEqual(scenario.points(), [Point(values: [], scenario: scenario)])
  }

  @Test("a sweep reaches what the document left out, and takes lists and mappings too")
  func leftOut() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: a
        inhabitants: {tv: {kind: root-device}}
        sweep:
          inhabitants.tv.quirks: [[], [noBlankLine]]
          engine.receive-buffer: [{bytes: 1KiB, per-datagram: 1ms}]
          network.segments.lan.snooping: [true]
          duration: [1m, 2m]
        """, file: "x")
    let points = try scenario.points()
    expectEqual(points.count, 4)
    expectEqual(points[3].values.map(\.text), ["[noBlankLine]", "{bytes: 1KiB, per-datagram: 1ms}", "true", "2m"])
    expectEqual(points[3].scenario.duration, .minutes(2))
    #expect(points[3].scenario.network.segments[0].snooping)
    expectEqual(points[3].scenario.engine.host.receiveBuffer?.bytesMaximum, 1_024)
  }

  @Test("a sweep made in Swift unfolds alike, and a wrong value is an error")
  func swift() throws {
    var scenario = Scenario("a", sweep: [Sweep("network.link.loss", ["0%", "50%"])].compactMap { $0 })
    try expectEqual(scenario.points().count, 2)
    scenario.sweep = [Sweep("network.link.loss", ["0"])].compactMap { $0 }
    #expect(throws: ScenarioErrors.self) { try scenario.points() }
  }

  @Test("an expectation of a point stands where the file has it, also where the sweep leaves fewer")
  func places() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: a
        expect:
          - {found: any}
          - {lost: any}
        sweep:
          expect: [[{found: any}, {lost: any}], [{lost: any}]]
        """, file: "x")
    let points = try scenario.points()
    expectEqual(
      points.map { $0.scenario.expectations.map { "\($0.place.line):\($0.place.column)" } },
      [["3:5", "4:5"], ["3:5"]])
  }

  @Test("a sweep may have as many points as are allowed, and not one axis more")
  func many() {
    func axis(_ path: String, _ unit: String) -> String {
      "  \(path): [" + (1...10).map { "\($0)\(unit)" }.joined(separator: ", ") + "]\n"
    }
    let axes = [
      axis("budget.events", ""), axis("budget.entries", ""), axis("duration", "s"), axis("network.link.loss", "%"),
    ]
    expectEqual(errorsOfDocument("sweep:\n" + axes.joined()), "none")
    expectEqual(
      errorsOfDocument("sweep:\n" + axes.joined() + "  network.link.mtu: [1000, 1001]\n"),
      "x.yaml:2:1: error: a sweep has at most 10000 points (at sweep)")
  }

  @Test("of a value that is wrong in several ways the first is told, where it stands in the sweep")
  func first() {
    expectEqual(
      errorsOfDocument("sweep: {network.link: [{losx: 1, latencx: 2}]}"),
      "x.yaml:2:25: error: with network.link = {losx: 1, latencx: 2}: unknown key 'losx', did you mean 'loss'? (at "
        + "network.link)")
    expectEqual(
      errorsOfDocument("sweep: [1]"),
      "x.yaml:2:8: error: expected a mapping from places such as network.link.loss to lists of values, found a list "
        + "(at sweep)")
  }
}
