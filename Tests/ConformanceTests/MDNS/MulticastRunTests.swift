import Foundation
import RollcallConformance
import RollcallDiscovery
import RollcallExaminers
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

@Suite("Multicast DNS in runs, and what an examination of a responder prints") struct MulticastRunTests {
  @Test("a run with responders is judged as a capture is")
  func judged() throws {
    let scenario = try Scenario(
      yaml: """
        scenario: Two hosts offer a service
        duration: 10s
        inhabitants:
          printer: {kind: mdns-responder, services: [{type: _ipp._tcp, name: Office, port: 631}]}
          speaker: {kind: mdns-responder, services: [{type: _raop._tcp, name: Kitchen, port: 5000}], appear: 1s}
        timeline:
          - {at: 6s, leave: printer}
        expect:
          - {never: {found: any}}
        """, file: "judged.yaml")
    let resolved = try scenario.resolved()
    let result = Run.perform(
      resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
    let judgement = TraceHearing.judgement(result.trace, hosts: resolved.hosts.map(\.name), end: resolved.end)
    func ids(_ verdict: Judgement.Verdict, _ name: String) -> [String] {
      guard let party = judgement.parties.firstIndex(where: { $0.name == name }) else { return [] }
      return judgement.judged.filter { $0.clause.standard == .multicastDNS }
        .filter { judgement.verdict($0, party: party) == verdict }.map(\.clause.id)
    }
    for name in ["printer", "speaker"] {
      let held = ids(.held, name)
      for id in ["MD-01", "MD-02", "MD-12", "MD-29", "MD-30", "MD-36", "MD-37", "MD-41", "MD-51", "MD-54"] {
        #expect(held.contains(id), "\\(name) \\(id)")
      }
      expectEqual(ids(.violated, name), [])
    }
  }

  static let scenarios: [String] = {
    let folder = scenarioFolder.path
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".yaml") }
      .sorted()
  }()
  @Test("an engine that lets records end before it asks again is found, and the same without the fault is not (MD-06)")
  func notRefreshed() throws {
    let file = Self.scenarioFolder.appendingPathComponent("kept-by-refresh.yaml").path
    let resolved = try ScenarioFile.read(file).scenario.resolved()
    func broken(_ switches: [EngineSwitch]) -> Set<String> {
      let result = Run.perform(
        resolved, seed: Seed(1),
        options: RunOptions(recordedHosts: Array(resolved.hosts.indices), switches: switches))
      let judgement = TraceHearing.judgement(result.trace, hosts: resolved.hosts.map(\.name), end: resolved.end)
      return Set(
        judgement.rows.filter { $0.finding.ruling == .violated && $0.party.name == "engine" }.map(\.clause.id))
    }
    expectEqual(broken([]), [])
    expectEqual(broken([.recordsNotRefreshed]), ["MD-06"])
  }

  private static let scenarioFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scenarios/mdns")

  @Test("what our responders and our engine send in the scenarios breaks nothing", arguments: scenarios)
  func own(_ name: String) throws {
    let resolved = try ScenarioFile.read(Self.scenarioFolder.appendingPathComponent(name).path).scenario.resolved()
    for seed in [1, 2, 3] as [UInt64] {
      let result = Run.perform(
        resolved, seed: Seed(seed), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
      let judgement = TraceHearing.judgement(result.trace, hosts: resolved.hosts.map(\.name), end: resolved.end)
      let rows = judgement.rows.filter {
        $0.finding.ruling == .violated && $0.clause.standard == .multicastDNS
      }
      expectEqual(rows.map { "\($0.clause.id) \($0.party.name) \($0.finding.found)" }, [], "seed \(seed)")
    }
  }

  @Test("the record of an examination replays from its text, and says what was asked for")
  func record() throws {
    var bench = ResponderBench()
    bench.plan = ResponderExamPlan(
      target: "printer.local", probes: [.types, .legacy, .opcode], patience: .seconds(3), seed: Seed(7))
    let result = bench.run()
    let text =
      ([ExamRecord.line(bench.plan, interface: "eth0")] + result.entries.map { TraceText.line($0) { _ in "here" } })
      .joined(separator: "\n")
    let record = try ExamRecord.responder(text)
    expectEqual(record.plan, bench.plan)
    expectEqual(record.interface, "eth0")
    let replay = MachineReplay.run(record.entries, station: 0, in: ResponderExam(record.plan))
    #expect(replay.difference == nil)
    let report = try #require(replay.machine.report)
    expectEqual(report.rulings, result.exam.report?.rulings)
    expectEqual(report.rows, result.exam.report?.rows)
    #expect(throws: ExamRecord.Failure(line: 1, column: 26, expected: "ipv4 or ipv6")) {
      try ExamRecord.responder(text.replacing("eth0 ipv4", with: "eth0 ipv5"))
    }
  }

  @Test("for people and for programs: who, what was asked, what was found, and a last line")
  func printed() throws {
    var bench = ResponderBench(responders: [(ResponderBench.printer, .otherID)])
    bench.plan = ResponderExamPlan(probes: [.types, .legacy])
    let result = bench.run()
    let (report, judgement) = (try #require(result.exam.report), try #require(result.judgement))
    let lines = ResponderText.lines(report, judgement, interface: "eth0")
    expectEqual(Array(lines.prefix(3)), ["printer.local  10.0.0.1 on eth0", "  Office._ipp._tcp.local", ""])
    #expect(lines.contains { $0.hasPrefix("✓ types                 1        1  ") }, "\\(lines)")
    #expect(lines.contains { $0.hasPrefix("✘ legacy                1        1  ") }, "\\(lines)")
    #expect(lines.contains("    found     id 0, asked with 21059"), "\\(lines)")
    #expect(
      lines.contains { $0.hasSuffix("10.0.0.1:5353  A printer.local?, A printer.local 10 s, beside it AAAA") },
      "\\(lines)")
    let json = ResponderLines.lines(report, judgement, input: "e")
    #expect(json[0].contains(#""kind":"examined","input":"e","device":"printer.local","source":"10.0.0.1""#))
    #expect(json[2].contains(#""probe":"legacy","verdict":"violated","clauses":["MD-23"],"asked":1,"answers":1"#))
    #expect(
      json[2].contains(#"{"clause":"MD-23","verdict":"violated","expected":"#) && json[2].contains(#""evidence":[{"#))
  }
}
