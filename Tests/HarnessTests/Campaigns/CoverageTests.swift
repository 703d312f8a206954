import Foundation
import RollcallCampaigns
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

@Suite("What happened in a run")
struct CoverageTests {
  /// What happens in the last point of a scenario's sweep, under its first seed.
  private func facts(of yaml: String, _ name: String) throws -> Facts {
    let scenario = try Scenario(yaml: yaml, file: name)
    let resolved = try #require(try scenario.points(file: name).last).scenario.resolved()
    let result = Run.perform(
      resolved, seed: Seed(scenario.seeds.lowerBound), options: RunOptions(recordedHosts: [0]))
    return FactFinder.facts(of: result, in: resolved)
  }

  private static let head = "scenario: S\nduration: 90s\n"
  /// Scenarios in which a fact happens: a file below Scenarios, or what stands below a title.
  private static let happening: [(fact: Fact, scenario: String)] = [
    (.foundAgain, "ssdp/tombstone-is-one-second.yaml"), (.lostByGoodbye, "ssdp/tombstone-is-one-second.yaml"),
    (.lostByExpiry, "ssdp/default-lease.yaml"), (.lostByRestart, "ssdp/boot-id-starts-over.yaml"),
    (.lostByInterface, "ssdp/wifi-toggle.yaml"), (.lostBehindPartition, "ssdp/partition-outlasts-leases.yaml"),
    (.movedWithoutLoss, "mdns/address-moves.yaml"), (.partsUnited, "ssdp/embedded-device-heard-first.yaml"),
    (.threeProtocols, "manager/cast-by-three-protocols.yaml"),
    (.lateMessageRefused, "ssdp/late-alive-after-byebye.yaml"), (.forgeryRefused, "ssdp/forged-byebye.yaml"),
    (.lateAnswerRefused, "ssdp/late-answers-are-refused.yaml"), (.searchWithoutInterface, "ssdp/wifi-toggle.yaml"),
    (.joinRefused, "ssdp/joins-refused.yaml"),
    (.descriptionFetched, "descriptions/description-fetched.yaml"),
    (.descriptionFailed, "descriptions/description-that-is-not-there.yaml"),
    (.serviceLostByGoodbye, "mdns/goodbye.yaml"), (.peersConnected, "peers/mesh-of-three.yaml"),
    (.peersParted, "peers/vanished-without-goodbye.yaml"),
    (.attributesDiscovered, "bluetooth/extended-lock-is-connected.yaml"),
    (.connectionLost, "bluetooth/refuses-once.yaml"), (.queueOverflows, "ssdp/slow-link-drops-bursts.yaml"),
    (.segmentLost, "descriptions/description-over-lossy-wifi.yaml"),
    (
      .goodbyeAfterExpiry,
      """
      inhabitants: {tv: {kind: root-device, max-age: 30s}}
      timeline: [{at: 60100ms, leave: tv}]
      faults: [{at: 5s, until: 60s, partition: {from: [tv], to: [engine], both: false}}]
      """
    ),
    (
      .lifeNumberWraps,
      "inhabitants: {tv: {kind: root-device, boot-id: 2147483647}}\ntimeline: [{at: 10s, reboot: tv}]"
    ),
    (
      .partitionDuringSearch,
      """
      inhabitants: {tv: {kind: root-device}}
      timeline: [{at: 5s, search: {}}]
      faults: [{at: 6s, until: 7s, partition: {from: [tv], to: [engine]}}]
      """
    ),
    (.searchUnanswered, "timeline: [{at: 5s, search: {}}]"),
    (.messageGarbled, "network: {link: {corrupt: 50%}}\ninhabitants: {tv: {kind: root-device}}"),
    (.messageDoubled, "network: {link: {duplicate: 50%}}\ninhabitants: {tv: {kind: root-device}}"),
  ]

  @Test("each fact happens in its scenario", arguments: Fact.allCases)
  func happens(fact: Fact) throws {
    let text = try #require(CoverageTests.happening.first { $0.fact == fact }, "no scenario for it").scenario
    let yaml =
      text.hasSuffix(".yaml")
      ? try String(contentsOf: Places.root.appendingPathComponent("Scenarios/" + text), encoding: .utf8)
      : CoverageTests.head + text
    let found = try facts(of: yaml, "\(fact.rawValue).yaml")
    #expect(found.contains(fact), "\(found.list)")
  }

  @Test("in a quiet run none of them happens, and each is missing where its cause is")
  func quiet() throws {
    let tv = "inhabitants: {tv: {kind: root-device, boot-id: 2147483646}}\n"
    for rest in [
      tv, tv + "timeline: [{at: 5s, search: {}}]",
      // The partition begins when the search is over.
      tv + "timeline: [{at: 5s, search: {mx: 1s, broadcasts: 1}}]\n"
        + "faults: [{at: 7s, until: 8s, partition: {from: [tv], to: [engine]}}]",
    ] {
      try expectEqual(facts(of: CoverageTests.head + rest, "quiet.yaml").list, [], "\(rest)")
    }
    // A byebye in time, and the largest BOOTID but one.
    try expectEqual(
      facts(of: CoverageTests.head + tv + "timeline: [{at: 10s, reboot: tv}]", "reboot.yaml").list,
      [.foundAgain, .lostByGoodbye])
    // The partition is over when the lease ends, and two protocols are not three.
    let healed =
      "inhabitants: {tv: {kind: root-device, max-age: 30s}}\ntimeline: [{at: 10s, vanish: tv}]\n"
      + "faults: [{at: 5s, until: 7s, partition: {from: [tv], to: [engine]}}]"
    let silent = try facts(of: CoverageTests.head + healed, "healed.yaml")
    #expect(silent.contains(.lostByExpiry) && !silent.contains(.lostBehindPartition), "\(silent.list)")
    let two =
      "engine: {browse: [_ipp._tcp]}\ninhabitants:\n  tv: {kind: root-device}\n"
      + "  desk: {kind: mdns-responder, services: [{type: _ipp._tcp, name: Desk, port: 631}]}"
    let both = try facts(of: CoverageTests.head + two, "two.yaml")
    #expect(!both.contains(.threeProtocols), "\(both.list)")
  }

  @Test("facts are kept as bits")
  func bits() {
    let facts: Facts = [.foundAgain, .segmentLost]
    expectEqual(Facts(bits: facts.bits).list, [.foundAgain, .segmentLost])
    expectEqual(Facts().list, [])
    expectEqual(Facts(bits: .max).list, Fact.allCases)
  }
}
