import Foundation
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallTrace
import Testing

/// What a network with loss should do by theory, at alpha = 0.001 with fixed seeds.
@Suite("Runs against theory")
struct TheoryTests {
  /// Sends a search to 400 devices that never announce themselves, and counts how many are found.
  private func foundCount(loss: Int, broadcasts: Int, seed: UInt64) throws -> Int {
    let text = """
      scenario: Found by search alone
      duration: 40s
      network:
        segments: {lan: {subnet: 10.0.0.0/16}}
        link: {outbound: {loss: \(loss)%}, inbound: {loss: \(loss)%}}
      engine: {link: {outbound: {loss: 0%}}}
      inhabitants:
        device: {kind: root-device, profile: basic, count: 400, appear: 1s}
      timeline:
        - {at: 20s, search: {target: "upnp:rootdevice", mx: 3s, broadcasts: \(broadcasts)}}
      expect: [{found: any}]
      """
    let resolved = try Scenario(yaml: text, file: "theory.yaml").resolved()
    let result = Run.perform(resolved, seed: Seed(seed))
    var found = 0
    for entry in result.evidence.reports {
      if case .searchEnded(let outcome) = entry.report { found = outcome.services.count }
    }
    return found
  }

  @Test(
    "a device is found with chance 1 − (1 − q)^k, where q is the chance that search and answer both get through",
    arguments: [(10, 1), (30, 1), (30, 2), (30, 3), (50, 3)])
  func found(loss: Int, broadcasts: Int) throws {
    let found = try foundCount(loss: loss, broadcasts: broadcasts, seed: 11)
    // The searcher's own outbound link loses nothing: it would take a copy away from all devices at once. Three links
    // are left: into the device, out of it, and into the searcher.
    let through = pow(1 - Double(loss) / 100, 3)
    let chance = 1 - pow(1 - through, Double(broadcasts))
    let deviation = (400 * chance * (1 - chance)).squareRoot()
    #expect(
      abs(Double(found) - 400 * chance) <= 3.29 * deviation + 0.5,
      "\(found) of 400 at \(loss)% loss with \(broadcasts) copies; \(400 * chance) are expected")
  }

  @Test("a chi-square test accepts what is uniform and refuses what is not")
  func chiSquare() throws {
    let text = """
      scenario: Spread answers
      duration: 700s
      seeds: 1..2
      inhabitants:
        device: {kind: root-device, profile: basic, count: 40QUIRK}
      timeline:
        - {at: 20s, search: {target: "ssdp:all", mx: 3s, broadcasts: 3, spacing: 3s}}
      expect:
        - {distribution: {of: response-delay, from: device, range: 0s..3s, minimum-samples: 200}}
      """
    func outcome(_ quirk: String) throws -> Verdict.Outcome? {
      let resolved = try Scenario(yaml: text.replacing("QUIRK", with: quirk), file: "spread.yaml").resolved()
      var tally = SeedTally(resolved.expectations)
      for seed: UInt64 in [1, 2] { tally.add(Run.perform(resolved, seed: Seed(seed)).contribution) }
      return tally.verdicts.first?.outcome
    }
    try expectEqual(outcome(""), .held)
    try expectEqual(outcome(", quirks: [answersImmediately]"), .violated)
    try expectEqual(outcome(", quirks: [\"answersLate(1s)\"]"), .violated)
  }
}
