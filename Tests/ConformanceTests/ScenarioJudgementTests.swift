import Conformance
import Devices
import Foundation
import Harness
import Primitives
import Scenarios
import Testing
import Wire

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

  @Test("where all parties are correct there is no breach, whatever the network does to them")
  func correct() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let paths = try #require(ScenarioFile.paths(at: root.appendingPathComponent("Scenarios").path))
    var judged: [String] = []
    var breaches: [String] = []
    for path in paths {
      let file = try ScenarioFile.read(path)
      guard let point = try file.scenario.points(file: path).first else { continue }
      let resolved = try point.scenario.resolved()
      // A crowd says nothing that a few do not.
      guard ScenarioJudgementTests.isCorrect(resolved), resolved.hosts.count <= 40 else { continue }
      let result = Run.perform(
        resolved, seed: Seed(1), options: RunOptions(recordedHosts: Array(resolved.hosts.indices)))
      let hosts = resolved.hosts.map(\.name)
      var judge = TraceHearing.judge(hosts: hosts)
      var hearing = TraceHearing(hosts: hosts)
      hearing.run(result.trace, end: resolved.end, judge: &judge)
      let judgement = Judgement(judge)
      let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
      judged.append(name)
      breaches += judgement.rows.filter { $0.finding.ruling == .violated }.map {
        name + ": " + JudgementLines.json($0, input: name, isTrace: true)
      }
    }
    print("scenarios of correct parties: \(judged.count)")
    #expect(breaches == [])
    #expect(judged.count >= 20, "\(judged)")
  }
}

extension SearchTarget {
  /// Whether it is one of the forms that UDA has.
  fileprivate var isForm: Bool { if case .other = self { false } else { true } }
}
