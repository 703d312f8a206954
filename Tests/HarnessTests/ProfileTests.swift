import Foundation
import RollcallDiscovery
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

/// The table of docs/manager.md that compares managers: what stands there is what the scenarios come to.
@Suite("Managers beside the Connect SDK") struct ProfileTests {
  private struct Row {
    /// The number of a fact, or the letter of a difference.
    var fact: String
    var scenario: String
    var results: [String]
  }

  private static func rows() throws -> [Row] {
    let page = try String(contentsOf: Places.root.appendingPathComponent("docs/manager.md"), encoding: .utf8)
    let table = page.split(separator: "\n").drop { $0 != "## Beside the Connect SDK" }.prefix {
      $0 != "## In scenarios"
    }
    return table.filter { $0.hasPrefix("| ") }.compactMap { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard cells.count == 8, !cells[1].isEmpty, !cells[1].hasPrefix("-") else { return nil }
      return Row(
        fact: cells[1], scenario: cells[4].replacingOccurrences(of: "`", with: ""), results: [cells[5], cells[6]])
    }
  }

  @Test("has a row for each of the twelve facts and each difference of Android, and each names something that is there")
  func complete() throws {
    let rows = try ProfileTests.rows()
    expectEqual(Set(rows.compactMap { Int($0.fact) }).sorted(), Array(1...12))
    expectEqual(rows.map(\.fact).filter { Int($0) == nil }, ["a", "b", "c", "c", "d", "e", "f", "g", "h"])
    for row in rows where row.scenario.contains("/") {
      let path = Places.root.appendingPathComponent(row.scenario).path
      #expect(FileManager.default.fileExists(atPath: path), "\(row.scenario)")
      expectEqual(row.results, ["", ""])
    }
  }

  @Test("each scenario holds with ours, and comes to what the table says with theirs")
  func results() throws {
    for row in try ProfileTests.rows() where !row.scenario.contains("/") {
      let file = "Scenarios/manager/\(row.scenario).yaml"
      let scenario = try ScenarioFile.read(Places.root.appendingPathComponent(file).path).scenario
      func result(_ profile: ManagerProfile?) throws -> String {
        var copy = scenario
        copy.engine.configuration.manager?.profile = profile
        let resolved = try #require(try copy.points(file: file).first).scenario.resolved()
        return Run.perform(resolved, seed: Seed(scenario.seeds.lowerBound)).outcome == .passed ? "holds" : "fails"
      }
      expectEqual(try result(nil), "holds", "\(row.scenario)")
      expectEqual(
        try [ManagerProfile.connectSDKiOS, .connectSDKAndroid].map { try result($0) }, row.results, "\(row.scenario)")
    }
  }

  @Test("a profile is read, printed, and refused where there is no manager")
  func form() throws {
    func text(_ engine: String, bites: String = "manager.connect-sdk-ios") -> String {
      "scenario: s\nbites: \(bites)\nduration: 1s\nengine: \(engine)\ninhabitants: {tv: {kind: root-device}}\nexpect: []\n"
    }
    let scenario = try Scenario(yaml: text("{manager: {profile: connect-sdk-android}}"), file: "s.yaml")
    expectEqual(scenario.engine.configuration.manager?.profile, .connectSDKAndroid)
    expectEqual(scenario.bites, .manager(.connectSDKiOS))
    expectEqual(scenario.bitten?.engine.configuration.manager?.profile, .connectSDKiOS)
    expectEqual(BiteText.name(.manager(.connectSDKiOS)), "manager.connect-sdk-ios")
    let slips = [
      ("{manager: {profile: connect-sdk}}", "engine.noBounds"), ("{}", "manager.connect-sdk-ios"),
      ("{manager: {}}", "manager.connect-sdk"),
    ]
    for (engine, bites) in slips {
      #expect(throws: (any Error).self, "\(engine) \(bites)") {
        try Scenario(yaml: text(engine, bites: bites), file: "s.yaml").resolved()
      }
    }
  }

  @Test("a profile is what it says: its faults, and its settings where the scenario has others")
  func configuration() {
    var configuration = EngineConfiguration()
    configuration.manager = ManagerConfiguration()
    configuration.leaseMaximumSeconds = 30
    let ios = ManagerProfile.connectSDKiOS.applied(to: configuration)
    expectEqual(ios.manager?.merging, .address)
    expectEqual(ios.manager?.addressing, .announced)
    expectEqual(ios.leaseMaximumSeconds, 30)
    let android = ManagerProfile.connectSDKAndroid.applied(to: configuration)
    expectEqual(android.manager?.merging, .addressAndName)
    expectEqual(android.manager?.addressing, .heard)
    expectEqual(android.leaseMaximumSeconds, 30)
    for manager in [ios.manager, android.manager] {
      expectEqual(manager?.maximumWaitSeconds, 5)
      expectEqual(manager?.broadcasts, 3)
      expectEqual(manager?.spacing, .seconds(1))
      expectEqual(manager?.rescan, .seconds(10))
    }
    configuration.leaseMaximumSeconds = 1_800
    expectEqual(ManagerProfile.connectSDKAndroid.applied(to: configuration).leaseMaximumSeconds, 60)
    expectEqual(android.switches.all, [.readsOneKilobyte, .requirementsIgnored, .serviceIsDevice])
    expectEqual(ios.manager?.store, nil)
    configuration.manager?.store = .keepsDiscovered
    for profile in ManagerProfile.allCases {
      expectEqual(profile.applied(to: configuration).manager?.store, .connectedOnly)
    }
    for profile in ManagerProfile.allCases { #expect(profile.explanation.hasPrefix("The Connect SDK for ")) }
  }
}
