import RollcallExpectations
import RollcallPrimitives
import RollcallReducing
import RollcallReporting
import RollcallRunning
import RollcallScenarios
import Testing

/// What nearby peers were told, in JSON lines, in words and as expectations.
@Suite struct NearbyLineTests {
  private static let events: [PeerReport.Event] =
    [
      .lost, .invitationEnded, .connecting, .connected, .notConnected, .found(info: []), .found(info: ["a=1", ""]),
      .invited(contextByteCount: nil), .invited(contextByteCount: 0),
      .message(byteCount: 1, count: 2, total: 3, isReliable: true),
      .message(byteCount: 1, count: 2, total: 3, isReliable: false), .disorder(expected: 4, found: 5),
    ]
    + PeerReport.Ending.allCases.flatMap { ending in
      [true, false].flatMap { isIncoming in
        [
          .streamEnded(isIncoming: isIncoming, byteCount: 6, ending),
          .fileEnded(isIncoming: isIncoming, byteCount: 6, ending),
        ]
      }
    } + PeerReport.Refusal.allCases.map { .refused($0) }

  @Test func `every line is different and reads back as the same report`() throws {
    var lines: Set<String> = []
    for event in NearbyLineTests.events {
      let report = Report.nearby(PeerReport("peer:a", peer: "peer:b", named: "Ann \u{202E}\"", event))
      let line = ReportLine.json(report, time: "12.500000000", frame: 3)
      #expect(lines.insert(line).inserted, "twice: \(line)")
      let read = try #require(WrittenReport(line: line), "\(line)")
      expectEqual(read, WrittenReport(report, time: Instant(nanoseconds: 12_500_000_000), place: 3))
    }
  }

  @Test func `a line and its words say what people would look for`() {
    let report = Report.nearby(
      PeerReport("peer:a", peer: "peer:b", named: "Ann", .message(byteCount: 5, count: 2, total: 9, isReliable: false)))
    expectEqual(
      ReportLine.object(report),
      #"{"layer":"peers","event":"nearby","device":"peer:a","peer":"peer:b","name":"Ann","#
        + #""nearby":{"what":"message","bytes":5,"count":2,"total":9,"isReliable":false}}"#)
    expectEqual(
      ReportText.line(report), "nearby peer:a peer:b Ann: message 2 of 5 bytes, unreliable, 9 bytes in all")
  }

  @Test func `who has no name in a scenario has the one for people, or its own where it is told of itself`() {
    let names = ["peer:a": "phone", "peer:b": "tv"]
    func named(_ device: String, _ peer: String) -> PeerReport {
      PeerReport(device, peer: peer, named: "Ann", .connected).named(names)
    }
    expectEqual(named("peer:a", "peer:b"), PeerReport("phone", peer: "tv", named: "Ann", .connected))
    expectEqual(named("peer:a", "peer:c"), PeerReport("phone", peer: "Ann", named: "Ann", .connected))
    expectEqual(named("peer:c", "peer:a"), PeerReport("peer:c", peer: "phone", named: "Ann", .connected))
    expectEqual(named("peer:c", "peer:c"), PeerReport("peer:c", peer: "peer:c", named: "Ann", .connected))
    expectEqual(named("peer:a", "peer:a"), PeerReport("phone", peer: "phone", named: "Ann", .connected))
  }

  /// The verdicts of expectations on what two peers were told.
  @Test func `expectations name who was told, of whom, and how much`() throws {
    let yaml = """
      scenario: S
      duration: 20s
      inhabitants:
        lamp: {kind: nearby-peer, info: [room=12]}
        phone: {kind: nearby-peer, invites: [lamp], context: hello, sends: [{text: abc, times: 2}], sends-file: 1KiB}
      expect:
        - {peer-found: phone, peer: lamp, info: room=12, times: 1}
        - {peer-found: phone, info: room=13}
        - {peer-found: lamp, peer: phone, info: '', times: 1}
        - {peer-invited: lamp, bytes: 5, times: 1}
        - {peer-invited: lamp, bytes: 6}
        - {message: lamp, peer: phone, number: 2, total: 6, bytes: 3, times: 1}
        - {message: lamp, peer: lamp}
        - {message: phone}
        - {file-ended: lamp, ending: complete, bytes: 1024, times: 1}
        - {file-ended: lamp, ending: cancelled}
        - {peer-connected: each, within: 0s..5s, times: 1}
        - {peer-connected: phone, peer: {any-of: [lamp, phone]}, after: {peer-connecting: phone, within: 1s}, times: 1}
      """
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    try expectEqual(Scenario(yaml: scenario.yaml, file: "x.yaml"), scenario)
    let result = Run.perform(try scenario.resolved(), seed: Seed(1))
    expectEqual(
      result.verdicts.map(\.outcome),
      [
        .held, .violated, .held, .held, .violated, .held, .violated, .violated, .held, .violated, .held, .held,
      ])
  }

  @Test func `what is found of a peer is told with the names of the scenario, and so in a file that was shrunk`() throws
  {
    let yaml = """
      scenario: S
      duration: 20s
      inhabitants:
        tv: {kind: nearby-peer, answers: declines}
        phone: {kind: nearby-peer, invites: each, advertises: false}
      expect:
        - {never: {peer-not-connected: phone}}
        - {peer-connecting: phone, within: 10s..20s}
        - {message: any}
      """
    let scenario = try Scenario(yaml: yaml, file: "x.yaml")
    let found = Run.perform(try scenario.resolved(), seed: Seed(1)).verdicts.map(\.found)
    expectEqual(found[0], "phone: tv not connected")
    #expect(found[1].hasSuffix(" phone: tv connecting"), "\(found[1])")
    expectEqual(found[2], "it never happened")
    var shrinker = try Shrinker(scenario, options: Shrinker.Options(seed: 1))
    let shrunk = ShrinkText.yaml(shrinker.shrink(), of: "x.yaml", seed: 1)
      .split { $0 == "\n" || $0 == " " || $0 == "#" }.joined(separator: " ")
    #expect(shrunk.contains("found phone: tv not connected."), "\(shrunk)")
  }

  @Test(
    "a slip is refused where it stands",
    arguments: [
      ("expect: [{peer-found: lamp, number: 3}]", "'number' stands only beside 'message'"),
      ("expect: [{found: lamp, peer: lamp}]", "'peer' stands only beside 'peer-connected'"),
      ("expect: [{peer-found: tv}]", "unknown inhabitant 'tv'"),
      ("expect: [{peer-found: lamp, peer: tv}]", "unknown inhabitant 'tv'"),
      ("timeline: [{at: 1s, background: box}]", "it cannot background"),
      ("bites: peers.info", "unknown fault 'info'"),
    ])
  func slips(_ tail: String, _ wanted: String) {
    let yaml = """
      scenario: S
      inhabitants:
        lamp: {kind: nearby-peer}
        box: {kind: root-device}
      \(tail)
      """
    let message: String
    do {
      _ = try Scenario(yaml: yaml, file: "x.yaml").resolved()
      message = "no complaint"
    } catch { message = "\(error)" }
    #expect(message.contains(wanted), "\(message)")
  }
}
