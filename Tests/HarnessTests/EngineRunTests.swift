import Foundation
import RollcallEngines
import RollcallExpectations
import RollcallRunning
import RollcallScenarios
import Testing

/// Programs in the place of Rollcall's engine, as a user runs them.
@Suite("run --engine", .withTool)
struct EngineRunTests {
  static let hasPython = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .contains { FileManager.default.isExecutableFile(atPath: $0) }

  private static let minimal = "python3 Examples/engines/minimal.py"
  private static let quickReturn = "Scenarios/ssdp/quick-return.yaml"

  private func run(_ arguments: [String], engine: String) throws -> ToolRun {
    try ToolRun(["run"] + arguments + ["--seed", "1", "--engine", engine], in: Places.root)
  }

  @Test("an engine of a hundred lines of Python passes what it can", .enabled(if: hasPython))
  func passes() throws {
    let names = ["byebye-ends-one-device", "silent-departure", "quick-return"]
    let result = try run(names.map { "Scenarios/ssdp/\($0).yaml" }, engine: EngineRunTests.minimal)
    expectEqual(result.exitCode, 0, "\(result.text) \(result.errors)")
    expectEqual(result.lines.last?.hasPrefix("3 scenarios, 3 runs: 3 passed, 0 failed; 0 scenarios are not for"), true)
  }

  @Test(
    "one that does not understand byebye fails where byebye is expected, with the command that repeats it",
    .enabled(if: hasPython))
  func fails() throws {
    let result = try run([EngineRunTests.quickReturn], engine: EngineRunTests.minimal + " --deaf")
    expectEqual(result.exitCode, 1, "\(result.text) \(result.errors)")
    #expect(result.text.contains("e1  {lost: each, cause: byebye, at: 20s, times: 1}"))
    let again = "again: rollcall run \(EngineRunTests.quickReturn) --seed 1 --engine '\(EngineRunTests.minimal) --deaf'"
    #expect(result.text.contains(again))
  }

  @Test("it is deterministic, and its run can be looked at as every other", .enabled(if: hasPython))
  func looks() throws {
    let check = try run([EngineRunTests.quickReturn, "--check-determinism"], engine: EngineRunTests.minimal)
    expectEqual(check.exitCode, 0, "\(check.text) \(check.errors)")
    try Places.withTemporaryFolder { folder in
      let files = ["a.trace", "a.pcapng", "a.html"].map { folder.appendingPathComponent($0) }
      let outputs = ["--trace", files[0].path, "--pcapng", files[1].path, "--html", files[2].path]
      let result = try run([EngineRunTests.quickReturn, "--explain"] + outputs, engine: EngineRunTests.minimal)
      expectEqual(result.exitCode, 0, "\(result.text) \(result.errors)")
      #expect(result.text.contains("What the engine reported:"))
      #expect(result.text.contains("  protocol 1, seed 1"))
      for file in files { #expect(try Data(contentsOf: file).count > 1_000, "\(file.lastPathComponent)") }
      let judged = try ToolRun("judge", files[1].path, in: folder)
      #expect(judged.exitCode == 0 || judged.exitCode == 1, "\(judged.errors)")
    }
  }

  @Test("one that ends, is silent, or writes rubbish has failed: exit code 4, with what was wrong")
  func failures() throws {
    let cases: [(engine: String, text: String)] = [
      ("sh -c 'echo no luck >&2; exit 3'", "the engine failed: it ended with exit code 3"),
      ("sh -c 'echo no luck >&2; kill -9 $$'", "the engine failed: signal 9 ended it"),
      ("sleep 600", "the engine failed: it did not answer within 0.3 s"),
      (
        "sh -c 'echo rubbish; exec cat'",
        "the engine failed: its frame 1, byte 0, in answer to HELLO: expected a length"
      ),
      ("/nowhere/engine", "the engine failed: /nowhere/engine cannot be started: No such file or directory"),
    ]
    for one in cases {
      let result = try run([EngineRunTests.quickReturn, "--engine-limit", "0.3"], engine: one.engine)
      expectEqual(result.exitCode, 4, "\(one.engine)")
      #expect(result.text.contains(one.text), "\(one.engine): \(result.text)")
      if one.engine.contains("luck") { #expect(result.text.contains("    no luck"), "\(one.engine): \(result.text)") }
    }
  }

  @Test("planted faults are not for another engine, nor is its limit for Rollcall's")
  func usage() throws {
    let bites = try run([EngineRunTests.quickReturn, "--bites"], engine: "cat")
    expectEqual(bites.exitCode, 2)
    #expect(bites.errors.contains("--bites plants faults into Rollcall's engine, and --engine names another one"))
    let limit = try ToolRun("run", EngineRunTests.quickReturn, "--engine-limit", "3", in: Places.root)
    expectEqual(limit.exitCode, 2)
    expectEqual(try run([EngineRunTests.quickReturn], engine: "'cat").exitCode, 2)
  }

  @Test("scenarios that need more are listed and counted, and neither pass nor fail", .enabled(if: hasPython))
  func unfit() throws {
    try Places.withTemporaryFolder { folder in
      let unfit = "scenario: a\nengine: {descriptions: fetch}\nexpect: [{found: any}]\n"
      let path = folder.appendingPathComponent("a.yaml").path
      try Data(unfit.utf8).write(to: URL(fileURLWithPath: path))
      let result = try run(
        [EngineRunTests.quickReturn, path, "--format", "json"], engine: EngineRunTests.minimal)
      expectEqual(result.exitCode, 0, "\(result.text) \(result.errors)")
      try expectEqual(
        result.objects("skipped").map { $0["reason"] as? String },
        ["not for this engine: its engine fetches descriptions"])
      try expectEqual(result.objects("summary").map { $0["notForEngine"] as? Int }, [1])
      let alone = try run([path], engine: EngineRunTests.minimal)
      expectEqual(alone.exitCode, 2)
      #expect(alone.errors.contains("is not for another engine, since its engine fetches descriptions"))
    }
  }
}

@Suite("What another engine can be asked")
struct EngineFitTests {
  private func scenario(_ lines: String) throws -> Scenario {
    try Scenario(yaml: "scenario: a\nduration: 9s\n" + lines, file: "a.yaml")
  }

  @Test("datagrams and time are enough, or it is said what is missing")
  func obstacles() throws {
    let found = "expect: [{found: any}]\n"
    let rows: [(lines: String, obstacle: String?)] = [
      (found, nil),
      ("inhabitants: {tag: {kind: peripheral}}\n" + found, "it has Bluetooth"),
      ("inhabitants: {host: {kind: mdns-responder}}\n" + found, "it has services of multicast DNS"),
      ("inhabitants: {tag: {kind: peripheral}, host: {kind: mdns-responder}}\n" + found, "it has Bluetooth"),
      ("engine: {descriptions: fetch}\n" + found, "its engine fetches descriptions"),
      ("engine: {browse: all}\n" + found, "its engine looks for services"),
      ("timeline: [{at: 1s, browse: all}]\n" + found, "its engine looks for services"),
      ("timeline: [{at: 1s, stop-browsing: all}]\n" + found, "its engine looks for services"),
      ("engine: {scan: {}}\n" + found, "its engine scans for peripherals"),
      ("engine: {manager: {}}\n" + found, "its engine has a manager of devices"),
      ("inhabitants: {host: {kind: hci-host}}\n" + found, "it has Bluetooth"),
      ("inhabitants: {host: {kind: mdns-tester}}\n" + found, "it has services of multicast DNS"),
      ("inhabitants: {ann: {kind: nearby-peer}}\n" + found, "it has nearby peers"),
      ("inhabitants: {ann: {kind: phone}}\n" + found, "it has nearby peers"),
      ("inhabitants: {app: {kind: recorded, beside-engine: true}}\n" + found, "it has a program on the engine's host"),
      ("inhabitants: {app: {kind: recorded}}\n" + found, nil),
      ("inhabitants: {tv: {kind: root-device}}\ntimeline: [{at: 1s, hold: tv}, {at: 2s, release: tv}]\n" + found, nil),
      ("inhabitants: {tv: {kind: root-device}}\ntimeline: [{at: 1s, leave: tv}]\n" + found, nil),
      ("timeline: [{at: 1s, search: {id: 7}}, {at: 2s, stop-search: 7}]\n", nil),
      ("expect: [{share: {lost: any, at-least: 1%}}]\n", nil),
      (
        "expect: [{found: any, after: {rejected: any, within: 1s}}]\n",
        "it expects nothing that such an engine reports"
      ),
      ("expect: [{always: {entries-at-most: 3}}, {rejected: any}]\n", "it expects nothing that such an engine reports"),
    ]
    for row in rows { try expectEqual(EngineFit.obstacle(of: scenario(row.lines)), row.obstacle, "\(row.lines)") }
  }

  @Test("expectations that it cannot answer are left out, and the others keep their names")
  func unanswered() throws {
    let lines = """
      inhabitants: {tv: {kind: root-device}}
      expect:
        - {rejected: any}
        - {found: tv}
        - {id: bound, always: {entries-at-most: 3}}
        - {never: {rejected: any}}
        - {present: {at: 4s, devices: [tv]}}
      """
    let scenario = try scenario(lines)
    expectEqual(EngineFit.unanswered(in: scenario), ["e1", "bound", "e4"])
    let foreign = RunEngine(command: "none") { () throws(EngineFailure) -> any EngineChannel in
      throw EngineFailure("none")
    }
    try expectEqual(scenario.resolved().asked(of: foreign).expectations.map(\.id), ["e2", "e5"])
    try expectEqual(scenario.resolved().asked(of: nil).expectations.count, 5)
  }
}
