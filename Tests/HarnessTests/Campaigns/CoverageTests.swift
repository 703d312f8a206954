import Foundation
import RollcallCampaigns
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import RollcallSimulation
import RollcallTrace
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

  /// A run in which the engine was given and reported this alone, one after the other, a second apart.
  private static func names(
    _ contents: [TraceEntry.Content], _ faults: [ResolvedFault] = [],
    _ statistics: NetworkStatistics = NetworkStatistics()
  ) throws -> String {
    var resolved = try Scenario(yaml: head, file: "hand.yaml").resolved()
    var result = Run.perform(resolved, seed: Seed(1), options: RunOptions(recordedHosts: [0]))
    result.trace = contents.enumerated().map { number, content -> TraceEntry in
      TraceEntry(time: Instant.zero + Interval.seconds(Int64(number + 1)), station: 0, content: content)
    }
    (resolved.faults, result.statistics) = (faults, statistics)
    return FactFinder.facts(of: result, in: resolved).list.map(\.rawValue).joined(separator: " ")
  }

  @Test("facts follow from what the engine was given and reported, at their bounds")
  func bounds() throws {
    func report(_ report: Report) -> TraceEntry.Content { .effect(.application(report)) }
    func search(_ number: UInt32) -> TraceEntry.Content {
      .signal(.application(.search(Search(id: SearchID(number), target: "ssdp:all"))))
    }
    func ended(_ number: UInt32) -> TraceEntry.Content {
      report(.searchEnded(SearchOutcome(search: SearchID(number), target: "", services: [], wasStopped: true)))
    }
    func failed(_ number: UInt32) -> TraceEntry.Content {
      report(.failed(Failure(reason: .cannotSend, search: SearchID(number), explanation: "")))
    }
    func tv(_ bootID: UInt32? = nil) -> DeviceSighting {
      DeviceSighting(
        device: "uuid:tv", location: nil, source: IPAddress(10, 0, 0, 2), interface: InterfaceID(0), bootID: bootID)
    }
    func other(_ device: String, _ provider: ProviderID) -> TraceEntry.Content {
      report(.found(DeviceSighting(device: device, provider: provider, locator: Locator(.peer(1)))))
    }
    func lost(_ device: String, _ cause: LossCause) -> TraceEntry.Content {
      report(.lost(device: device, cause: cause))
    }
    func begins(_ number: Int, _ second: Int64) -> ResolvedFault {
      ResolvedFault(
        id: "f", at: Instant.zero + Interval.seconds(second), fault: .partition(number: number, from: [0], to: [1]))
    }
    func parted(_ end: LinkEnd) -> TraceEntry.Content {
      report(.peripheral(PeripheralReport("ble:a", .disconnected(end))))
    }
    let byebye = [
      "NOTIFY * HTTP/1.1", "HOST: 239.255.255.250:1900", "NT: upnp:rootdevice", "NTS: ssdp:byebye",
      "USN: uuid:tv::upnp:rootdevice", "", "",
    ].joined(separator: "\r\n")
    let goodbye = TraceEntry.Content.received(
      RecordedDatagram(
        source: Endpoint(IPAddress(10, 0, 0, 2), port: 1_900),
        destination: Endpoint(IPAddress(239, 255, 255, 250), port: 1_900), interface: InterfaceID(0), hopLimit: 2,
        bytes: Array(byebye.utf8)))
    let (found, last) = (report(.found(tv())), report(.found(tv(0x7FFF_FFFF))))
    let second = begins(1, 2)
    let third = Instant.zero + Interval.seconds(3)
    let mended = ResolvedFault(id: "f", at: third, fault: .healPartition(number: 9))
    let refused = ResolvedFault(id: "f", at: third, fault: .refuseJoins(host: 0, true))
    let cases: [(contents: [TraceEntry.Content], faults: [ResolvedFault], facts: String)] = [
      // A partition, at the instant of an entry, while a search is open, and of two searches another one.
      ([search(1), .woken], [second], "partition-during-search"),
      ([search(1), search(2), ended(1), .woken], [begins(1, 4)], "partition-during-search"),
      ([search(1), search(2), failed(1), .woken], [begins(1, 4)], "partition-during-search"),
      ([search(1), ended(1), .woken], [begins(1, 3)], ""), ([search(1), failed(1), .woken], [begins(1, 3)], ""),
      // A second one beside it; no news of any.
      ([.woken, search(1), .woken], [begins(1, 1), begins(2, 3)], "partition-during-search"),
      ([.woken, search(1), .woken], [begins(1, 1), mended], ""),
      ([.woken, search(1), .woken], [begins(1, 1), refused], ""),
      ([.woken, lost("uuid:tv", .expired)], [begins(1, 1)], "lost-by-expiry lost-behind-partition"),
      // A byebye of a device whose lease has ended, and of one that was found again.
      ([lost("uuid:tv", .expired), goodbye], [], "lost-by-expiry byebye-after-expiry"),
      ([lost("uuid:tv", .expired), found, goodbye], [], "found-again lost-by-expiry"),
      // BOOTID goes on, stays, and begins again; a change says so, too.
      ([last, last], [], ""), ([report(.found(tv(0x7FFF_FFFE))), last], [], ""),
      ([last, report(.found(tv(1)))], [], "bootid-wraps"),
      ([last, report(.changed(tv(1), .bootID(from: 0x7FFF_FFFF)))], [], "bootid-wraps"),
      ([report(.changed(tv(0x7FFF_FFFF), .bootID(from: 1))), report(.found(tv(1)))], [], "bootid-wraps"),
      // Three protocols, unless what was of one is lost, or a part of another device.
      ([found, other("ble:a", .bluetooth), other("peer:a", .peers)], [], "three-protocols-at-a-time"),
      ([other("ble:a", .bluetooth), other("peer:a", .peers), lost("peer:a", .evicted), found], [], ""),
      (
        [other("ble:a", .bluetooth), other("peer:a", .peers), report(.changed(tv(), .united(part: "peer:a"))), found],
        [], "parts-united"
      ),
      ([parted(.closed)], [], ""), ([parted(.closedByPeer)], [], "connection-lost"),
    ]
    for (number, one) in cases.enumerated() {
      expectEqual(try Self.names(one.contents, one.faults), one.facts, "case \(number)")
    }
    var statistics = NetworkStatistics()
    (statistics.corrupted, statistics.duplicated) = (1, 1)
    (statistics.queueOverflows, statistics.streamSegmentsLost) = (1, 1)
    expectEqual(
      try Self.names([], [], statistics), "message-garbled message-doubled queue-overflows stream-segment-lost")
  }

  @Test("facts are kept as bits")
  func bits() {
    let facts: Facts = [.foundAgain, .segmentLost]
    expectEqual(Facts(bits: facts.bits).list, [.foundAgain, .segmentLost])
    expectEqual(Facts().list, [])
    expectEqual(Facts(bits: .max).list, Fact.allCases)
    // A bit each, as files of results have them.
    expectEqual(Fact.allCases.map { ([$0] as Facts).bits }, Fact.allCases.indices.map { 1 << UInt64($0) })
  }
}
