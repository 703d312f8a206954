import Foundation
import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallRunning
import RollcallScenarios
import Testing

/// The names of the Bonjour Conformance Test, each a scenario: our responder passes, and three that are wrong are caught.
@Suite("Bonjour Conformance Test") struct BonjourTests {
  struct Case: CustomTestStringConvertible {
    var file: String
    var quirks: [MDNSQuirk]
    var testDescription: String { file }

    init(_ file: String, _ quirks: MDNSQuirk...) { (self.file, self.quirks) = (file, quirks) }
  }

  static let cases: [Case] = [
    Case("initial-probing", .noProbing, .probesForA, .probesFast),
    Case("simultaneous-probe-conflict", .noTieBreak, .shortDeferral, .earlierWins),
    Case("probing-rate-limiting", .noConflictPause, .ignoresDenials, .noProbing),
    Case("probe-denials", .ignoresDenials, .noProbing, .announcesOnce),
    Case("winning-simultaneous-probes", .announcesOnce, .probesFast, .noFlushBit),
    Case("srv-probing", .noProbing, .noText, .announcesOnce),
    Case("subsequent-conflict-announcements", .ignoresConflicts, .announcesOnce, .renamesAtOnce),
    Case("subsequent-conflict-a", .ignoresConflicts, .noProbing, .renamesAtOnce),
    Case("subsequent-conflict-srv", .ignoresConflicts, .noProbing, .renamesAtOnce),
    Case("simple-reply-response-time", .answersLate, .answersNothing, .answersTwice),
    Case("simple-reply-verification", .wrongTTL, .noAuthority, .questionsInResponses),
    Case("shared-reply-timing", .answersAtOnce, .sameDelay, .shortDelays),
    Case("duplicate-suppression", .ignoresKnownAnswers, .answersNothing, .answersAtOnce),
    Case("distributed-duplicate-suppression", .repeatsOthers, .answersAtOnce, .answersTwice),
    Case("multiple-questions-shared-reply-timing", .answersAtOnce, .sameDelay, .shortDelays),
    Case("multiple-questions-duplicate-suppression", .ignoresKnownAnswers, .answersNothing, .noAggregation),
    Case("multiple-questions-distributed-duplicate-suppression", .repeatsOthers, .answersAtOnce, .noAggregation),
    Case("reply-aggregation", .noAggregation, .answersTwice, .answersNothing),
    Case("manual-name-change", .announcesOnce, .probesFast, .noFlushBit),
    Case("hot-plugging-initial-probing", .noProbing, .announcesOnce, .probesForA),
    Case("hot-plugging-simultaneous-probe-conflict", .noTieBreak, .shortDeferral, .earlierWins),
    Case("hot-plugging-probing-rate-limiting", .noConflictPause, .ignoresDenials, .noProbing),
    Case("hot-plugging-probe-denials", .ignoresDenials, .noProbing, .announcesOnce),
    Case("hot-plugging-winning-simultaneous-probes", .announcesOnce, .probesFast, .noFlushBit),
    Case("hot-plugging-srv-probing", .noProbing, .noText, .announcesOnce),
    Case("hot-plugging-subsequent-conflict-announcements", .ignoresConflicts, .announcesOnce, .renamesAtOnce),
    Case("hot-plugging-subsequent-conflict-a", .ignoresConflicts, .noProbing, .renamesAtOnce),
    Case("hot-plugging-subsequent-conflict-srv", .ignoresConflicts, .noProbing, .renamesAtOnce),
    Case("no-duplicate-records", .duplicateRecords, .answersNothing, .answersTwice),
    Case("required-additional-records", .noAdditions, .noText, .answersNothing),
    Case("legal-characters", .badHostName, .controlInHostName, .foreignAddress),
    Case("flush-bit-in-non-shared", .noFlushBit, .flushBitInShared, .flushBitInProbes),
    Case("flush-bit-not-in-probes", .flushBitInProbes, .noProbing, .probesForA),
    Case("flush-bit-not-in-unicast", .flushBitInLegacy, .noQuestionInLegacy, .noLegacy),
    Case("unicast-interoperability", .noLegacy, .compressedLegacy, .noQuestionInLegacy),
    Case("chattiness", .announcesAlways, .announcesFast, .doubledProbes),
    Case("ip-ttl-check", .lowHopLimit, .otherPort, .answersNothing),
    Case("duplicate-records-check", .duplicateRecords, .announcesFast, .answersTwice),
    Case("additional-records-check", .noAdditions, .noText, .answersNothing),
  ]

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Scenarios/bonjour")

  private static func scenario(_ file: String) throws -> Scenario {
    try ScenarioFile.read(folder.appendingPathComponent(file + ".yaml").path).scenario
  }

  private static func run(_ scenario: Scenario) throws -> (outcome: RunOutcome, why: [String]) {
    let result = Run.perform(try scenario.resolved(), seed: Seed(1))
    return (result.outcome, result.verdicts.map { "\($0.expected): \($0.found)" })
  }

  @Test("our responder passes, and each of three wrong ones is caught", arguments: cases)
  func caught(_ one: Case) throws {
    let scenario = try BonjourTests.scenario(one.file)
    let own = try BonjourTests.run(scenario)
    #expect(own.outcome == .passed, "\(own.why)")
    #expect(Set(one.quirks).count == 3)
    for quirk in one.quirks {
      var wrong = scenario
      wrong.bites = .responder("box", quirk)
      let found = try BonjourTests.run(try #require(wrong.bitten))
      #expect(found.outcome == .failed, "\(quirk): \(found.why)")
    }
  }

  /// Quirks that no name of the test is about: in a world of their own, and the clause that it has to show.
  private static let others: [(quirk: MDNSQuirk, clause: String, lines: String, changes: String)] = [
    (.unicastAlways, "MD-13", "{at: 10s, ask: [{name: box.local, type: A}]}", "[]"),
    (.emptyText, "MD-56", "{at: 10s, ask: [{name: box.local, type: A}]}", "[]"),
    (.absenceOfNothing, "MD-18", "{at: 10s, ask: [{name: box.local, type: A}]}", "[]"),
    (.ignoresTruncation, "MD-15", "{at: 10s, ask: [{name: _x._tcp.local, type: PTR}], truncated: true}", "[]"),
    (.ignoresLowTTL, "MD-22", "{at: 10s, say: [{name: _x._tcp.local, ttl: 100s, ptr: Box._x._tcp.local}]}", "[]"),
    (.changesOnce, "MD-38", "{at: 9s, ask: [{name: box.local, type: A}]}", "[{txt: {of: Box, strings: [a=c]}}]"),
  ]

  @Test("every quirk is caught by some scenario")
  func quirks() throws {
    for other in BonjourTests.others {
      let yaml = """
        scenario: \(other.quirk)
        duration: 30s
        inhabitants:
          box:
            kind: mdns-responder
            services: [{type: _x._tcp, name: Box, port: 80, txt: [a=b]}]
            changes: \(other.changes)
          tester: {kind: mdns-tester, lines: [\(other.lines)]}
        timeline:
          - {at: 15s, reconfigure: box}
        expect:
          - conforms: {who: box, keeps: [\(other.clause)]}
        """
      var scenario = try Scenario(yaml: yaml, file: "x.yaml")
      let own = try BonjourTests.run(scenario)
      #expect(own.outcome == .passed, "\(other.quirk): \(own.why)")
      scenario.bites = .responder("box", other.quirk)
      let found = try BonjourTests.run(try #require(scenario.bitten))
      #expect(found.outcome == .failed, "\(other.quirk): \(found.why)")
    }
    let caught = BonjourTests.cases.flatMap(\.quirks) + BonjourTests.others.map(\.quirk)
    expectEqual(MDNSQuirk.allCases.filter { !caught.contains($0) }, [])
  }

  @Test("every scenario is a case, and bites with the first of its quirks")
  func complete() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: BonjourTests.folder.path)
      .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }
    expectEqual(names.sorted(), BonjourTests.cases.map(\.file).sorted())
    for one in BonjourTests.cases {
      expectEqual(try BonjourTests.scenario(one.file).bites, .responder("box", one.quirks[0]))
    }
  }
}
