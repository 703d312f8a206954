import Foundation
import Rollcall
import RollcallExpectations
import RollcallPrimitives
import Testing

/// Scenarios of these tests.
enum Texts {
  static func lamp(expecting event: String) -> String {
    """
    scenario: A lamp leaves
    duration: 60s
    seeds: 1..2
    inhabitants:
      lamp: {kind: root-device}
    timeline:
      - {at: 20s, leave: lamp}
    expect:
      - {\(event), times: 1}
    """
  }
  static let right = lamp(expecting: "lost: lamp, cause: byebye, at: 20s")
  static let wrong = lamp(expecting: "lost: lamp, cause: expired, within: 20s..30s")
}

@Suite("A scenario of the module Rollcall") struct ScenarioRunTests {
  /// An engine that never reports anything.
  private struct Silent: Machine {
    var deadline: Instant? { nil }
    mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {}
    mutating func wake(at now: Instant, into outbox: inout Outbox) {}
  }

  @Test("text is run under its own seeds, or under others, and gives the same each time")
  func passes() throws {
    let scenario = try Scenario(yaml: Texts.right)
    expectEqual(scenario.title, "A lamp leaves")
    expectEqual(scenario.seeds, 1...2)
    let result = try scenario.run()
    expectEqual(result.passed, true, "\(result)")
    expectEqual(result.runs.map(\.seed), [1, 2])
    expectEqual(result.description, "scenario.yaml: all of 2 runs passed")
    try expectEqual(scenario.run(seeds: 7...9, jobs: 2).runs.map(\.seed), [7, 8, 9])
    try expectEqual(scenario.run().digest, result.digest)
    // Of one run it is that run's own, of several one of all.
    let single = try scenario.run(seeds: 2...2)
    expectEqual(single.digest, single.runs[0].digest)
    expectEqual(single.digest, result.runs[1].digest)
    expectEqual(Set([result.digest] + result.runs.map(\.digest)).count, 3)
  }

  @Test("what does not hold is found with its place, what was expected and what was there")
  func fails() throws {
    let result = try Scenario(yaml: Texts.wrong, path: "lamp.yaml").run()
    expectEqual(result.runs.map(\.outcome), [.failed, .failed])
    let finding = try #require(result.failures.first?.findings.first)
    expectEqual(
      finding.description,
      "lamp.yaml:9:5: expected lost (expired) of lamp, 1×, from 20.000000000 to 30.000000000, found it never happened")
    expectEqual(finding.isVacuous, false)
    expectEqual(
      result.description,
      "lamp.yaml: 2 of 2 runs did not pass\nseed 1: failed\n  lamp.yaml:9:5: expected lost (expired) of lamp, 1×, "
        + "from 20.000000000 to 30.000000000, found it never happened")
    // What nothing could break does not pass either.
    let empty = Texts.wrong.replacingOccurrences(
      of: "{lost: lamp, cause: expired, within: 20s..30s, times: 1}", with: "{changed: lamp, times: 0..3}")
    let vacuous = try Scenario(yaml: empty).run(seeds: 1...1)
    expectEqual(vacuous.runs.map(\.outcome), [.vacuous])
    expectEqual(vacuous.runs[0].findings.map(\.isVacuous), [true])
    expectEqual(vacuous.runs[0].findings.map(\.found), ["it never happened, which breaks no upper bound"])
  }

  @Test("a failed run leaves its timeline, a line for each entry, and a capture that gives the same reports")
  func record() throws {
    let result = try Scenario(yaml: Texts.wrong, path: "lamp.yaml").run(seeds: 1...1)
    let record = result.record(try #require(result.failures.first))
    for line in [
      "    expected  lost (expired) of lamp, 1×, from 20.000000000 to 30.000000000",
      "again: rollcall run lamp.yaml --seed 1", "What the engine reported:", "  Devices",
    ] {
      #expect(record.timeline.split(separator: "\n").contains(Substring(line)), "\(line)\n\(record.timeline)")
    }
    // What stands in it is parted by empty lines.
    let parts = record.timeline.split(separator: "\n\n").map { $0.prefix { $0 != "\n" } }
    expectEqual(
      parts,
      [
        "seed 1: failed", "lamp.yaml:9:5: e1  {lost: lamp, cause: expired, within: 20s..30s, times: 1}",
        "What the engine reported:", "What the engine heard; frames are those of --pcapng, times those of the run:",
        "  Devices", "  Datagrams that made no device",
      ])
    let trace = try #require(record.trace)
    #expect(trace.hasPrefix("0.000000000 engine < interface 0 up "))
    expectEqual(trace.split(separator: "\n").count, 44)
    // As many entries are kept as may be, and of one more none.
    expectEqual(result.record(result.runs[0], entriesMaximum: 44).trace, trace)
    let short = result.record(result.runs[0], entriesMaximum: 43)
    expectEqual(short.trace, nil)
    expectEqual(short.pcapng, nil)
    expectEqual(
      short.timeline,
      record.timeline.components(separatedBy: "\n\nWhat the engine reported:")[0]
        + "\n44 entries are too many to be kept here: the command above writes them to files\n")
    // The capture is that of the engine's host, what it says to join groups included.
    let packed = try #require(record.pcapng)
    expectEqual(packed.count, 5_412)
    #expect(String(decoding: packed, as: UTF8.self).contains("rollcall host: engine"))
    let capture = try Capture(bytes: try #require(record.pcapng), path: "lamp.pcapng")
    let reports = try capture.replay(as: "engine").reports.map(\.report)
    expectEqual(reports.count, 2)
    guard case .lost(_, .byebye)? = reports.last else {
      Issue.record("the last report is \(reports.last.map { "\($0)" } ?? "none")")
      return
    }
  }

  @Test("another engine runs in the place of Rollcall's; its record tells no story of what Rollcall's would have made")
  func otherEngine() throws {
    let result = try Scenario(yaml: Texts.right).run(seeds: 1...1) { Silent() }
    expectEqual(result.runs.map(\.outcome), [.failed])
    let record = result.record(result.runs[0])
    #expect(record.timeline.contains("The engine reported nothing."))
    #expect(!record.timeline.contains("What the engine heard"))
    #expect(record.trace?.contains(" engine < ") == true)
  }

  @Test("a mistake in the text has its place, a file that is not there its name")
  func mistakes() throws {
    let misspelt = Texts.right.replacingOccurrences(of: "duration", with: "duratoin")
    let error = #expect(throws: ScenarioError.self) { try Scenario(yaml: misspelt, path: "bad.yaml") }
    expectEqual(error?.description, "bad.yaml:2:1: error: unknown key 'duratoin', did you mean 'duration'?")
    let missing = #expect(throws: ScenarioError.self) { try Scenario(contentsOf: "/nowhere/lamp.yaml") }
    expectEqual(missing?.description, "/nowhere/lamp.yaml: cannot be read: No such file or directory")
  }
}
