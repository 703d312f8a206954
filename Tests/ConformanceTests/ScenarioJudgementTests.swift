import RollcallConformance
import RollcallDevices
import RollcallDiscovery
import Foundation
import RollcallExpectations
import RollcallJudging
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing
import RollcallWire

/// Runs of the committed scenarios, judged.
@Suite("Scenarios, judged")
struct ScenarioJudgementTests {
  /// Whether nobody in the scenario has a bad habit, and nobody is asked to behave badly.
  private static func isCorrect(_ resolved: Resolved) -> Bool {
    let areDevicesCorrect = resolved.deviceKinds.allSatisfy { kind in
      kind.quirks.isEmpty && kind.description.maxAgeSeconds >= 1_800 && kind.description.server == nil
        && kind.description.uuidStyle == .standard
    }
    let areOthersAbsent = resolved.hosts.allSatisfy { if case .other = $0.role { false } else { true } }
    let areDeedsCorrect = resolved.commands.allSatisfy { command in
      switch command.command {
      case .search(let search): SearchTarget(search.target).isForm && search.maximumWaitSeconds <= 5
      // Without its state a device starts its BOOTID over, as no correct one may.
      case .act(.crash(_, let keepsState)): keepsState
      default: true
      }
    }
    return areDevicesCorrect && areOthersAbsent && areDeedsCorrect
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func resolved(_ name: String) throws -> Resolved {
    let path = root.appendingPathComponent("Scenarios/ssdp/\(name).yaml").path
    let file = try ScenarioFile.read(path)
    return try #require(try file.scenario.points(file: path).first).scenario.resolved()
  }

  private static func judged(_ resolved: Resolved, _ switches: [EngineSwitch] = []) -> Judgement {
    let result = Run.perform(
      resolved, seed: Seed(1),
      options: RunOptions(recordedHosts: Array(resolved.hosts.indices), switches: switches))
    return TraceHearing.judgement(result.trace, hosts: resolved.hosts.map(\.name), end: resolved.end)
  }

  @Test("where all parties are correct there is no breach, and the engine breaks nothing anywhere")
  func correct() throws {
    let folder = ScenarioJudgementTests.root.appendingPathComponent("Scenarios/ssdp")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
      .map { String($0.dropLast(5)) }.sorted()
    var quiet = 0
    var judged = 0
    var breaches: [String] = []
    for name in names {
      let resolved = try ScenarioJudgementTests.resolved(name)
      // Crowds and long days say nothing that a few minutes of a few do not.
      guard resolved.hosts.count <= 12, resolved.end <= .zero + .minutes(11) else { continue }
      let isCorrect = ScenarioJudgementTests.isCorrect(resolved)
      let judgement = ScenarioJudgementTests.judged(resolved)
      if isCorrect { quiet += 1 }
      judged += 1
      let duties = ControlPointChecks.clauses
      breaches += judgement.rows.filter { row in
        row.finding.ruling == .violated && (isCorrect || duties.contains(row.finding.clause))
      }.map { name + ": " + JudgementLines.json($0, input: name, isTrace: true) }
    }
    print("scenarios judged: \(judged), of correct parties \(quiet)")
    expectEqual(breaches, [])
    #expect(quiet >= 8 && judged >= 25, "\(quiet) of \(judged)")
  }

  /// A scenario in which a fault of the engine shows, and the clause that it breaks.
  static let faults: [(scenario: String, fault: EngineSwitch, clause: String)] = [
    ("silent-departure", .neverExpires, "UDA-1.2.2-CP-EXPIRE"),
    ("lease-lengths", .expiryIgnoresMaxAge, "UDA-1.2.2-CP-EXPIRE"),
    ("partition-outlasts-leases", .expiryOnFirstMessage, "UDA-1.2.2-CP-EXPIRE"),
    ("lease-kept-by-any-part", .partKeepsNothing, "UDA-1.2.2-CP-ANYALIVE"),
    ("update-announces-next-boot-id", .nextBootIDIgnored, "UDA-1.2.4-UPD-CP"),
    ("answers-not-asked", .acceptsUnsolicited, "H-CP-UNSOLICITED"),
    ("held-device-survives-flood", .evictsHeld, "H-CP-CACHE"),
    ("dual-stack-one-device", .familyIsTwoDevices, "H-DUAL-STACK"),
  ]

  @Test("an engine with a planted fault breaks the clause that asks for the rule", arguments: faults.indices)
  func planted(number: Int) throws {
    let row = ScenarioJudgementTests.faults[number]
    let resolved = try ScenarioJudgementTests.resolved(row.scenario)
    func broken(_ switches: [EngineSwitch]) -> [String] {
      let judgement = ScenarioJudgementTests.judged(resolved, switches)
      let duties = ControlPointChecks.clauses
      return judgement.judged.filter { duties.contains($0) && judgement.total($0).violated > 0 }.map(\.clause.id)
    }
    expectEqual(broken([]), [])
    expectEqual(broken([row.fault]), [row.clause], "\(row)")
  }
}

extension SearchTarget {
  /// Whether it is one of the forms that UDA has.
  fileprivate var isForm: Bool { if case .other = self { false } else { true } }
}
