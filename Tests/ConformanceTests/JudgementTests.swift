import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// What a judgement adds up, and what it becomes where probes and listening come together.
@Suite("Judgements") struct JudgementTests {
  private static let device = Said.device.address
  private static let other = IPAddress(192, 168, 1, 11)

  /// One search and its answer: how long answers wait stays open. Party 0 searches, party 1 is the device.
  private static var heard: Judgement { Said.judged([.search(), .answer()]) }

  private static func ruling(
    _ clause: ClauseID, _ verdict: ProbeVerdict, probe: String = "asked", found: String = "found"
  ) -> ProbeRuling {
    ProbeRuling(
      clause: clause, verdict: verdict, time: .zero + .seconds(5), position: 3, expected: "expected", found: found,
      probe: probe)
  }

  private func tally(_ judgement: Judgement, _ clause: ClauseID, _ party: Int) -> [UInt32] {
    let tally = judgement.tally(clause, party: party)
    return [tally.held, tally.violated, tally.inconclusive]
  }

  private func rows(_ judgement: Judgement, _ clause: ClauseID) -> [String] {
    judgement.rows.filter { $0.finding.clause == clause }.map { row in
      "\(row.finding.ruling) of \(row.finding.party.number) \(row.party.name): \(row.finding.expected) | "
        + "\(row.finding.found) | \(row.probe?.probe ?? "heard")"
    }
  }

  @Test("a clause is violated, open, held or not exercised by a party, in this order, and each party counts for itself")
  func verdicts() {
    let talk: [Said] = [
      Said.alive(), .alive(["HOST": nil]), Said.alive().by(JudgementTests.other), .search(), .search(["MX": "10"]),
    ]
    let judgement = Said.judged(talk)
    expectEqual(judgement.parties.map(\.name), ["192.168.1.10", "192.168.1.11", "192.168.1.20"])
    let verdicts = (0..<3).map { judgement.verdict(.aliveHost, party: $0) }
    expectEqual(verdicts, [.violated, .held, .notExercised])
    let total = judgement.total(.aliveHost)
    expectEqual([total.held, total.violated, total.inconclusive, total.notExercised], [2, 1, 0, 0])
    // Byebyes bind the two devices, and nobody said one.
    expectEqual(judgement.total(.byebyeFields).notExercised, 2)
    expectEqual(judgement.total(.unicastSearchHost).notExercised, 1)
    expectEqual([judgement.violations(.must), judgement.violations(.should)], [1, 1])
    expectEqual([judgement.violations(.may), judgement.violations(.hardening)], [0, 0])
    #expect(!judgement.isVacuous && Said.judged([]).isVacuous)
    expectEqual(JudgementTests.heard.verdict(.answerDelay, party: 1), .inconclusive)
    binds()
  }

  /// A clause binds by role, standard and edition: from its first to its last.
  private func binds() {
    func bound(_ clause: ClauseID, _ role: Party.Role) -> [Bool] {
      [Edition.uda10, .uda11, .uda20, .rfc6762].map { claim in
        var party = Party(address: .ip(JudgementTests.device), host: -1, role: role, name: "x")
        party.claim = claim
        return Judgement.binds(clause.clause, party)
      }
    }
    expectEqual(bound(.aliveHost, .device), [true, true, true, false])
    expectEqual(bound(.aliveHost, .controlPoint), [false, false, false, false])
    expectEqual(bound(.aliveBootID, .device), [false, true, true, false])
    expectEqual(bound(.networkSignature, .device), [false, true, false, false])
    expectEqual(bound(.searchMX, .controlPoint), [true, true, true, false])
    expectEqual(bound(.searchMX, .device), [false, false, false, false])
    for role in [Party.Role.device, .controlPoint] { expectEqual(bound(.generic, role), [true, true, true, false]) }
    expectEqual(bound(.announcements, .device), [false, false, false, true])
  }

  @Test("what is kept has its own numbers anew: parties, tallies and findings go together")
  func keep() {
    let talk: [Said] = [Said.search(["MX": "10"]), .alive(), Said.alive(["HOST": nil]).by(JudgementTests.other)]
    var judgement = Said.judged(talk)
    judgement.keep { $0.role == .device }
    expectEqual(judgement.parties.map(\.name), ["192.168.1.10", "192.168.1.11"])
    expectEqual(tally(judgement, .aliveHost, 0), [1, 0, 0])
    expectEqual(tally(judgement, .aliveHost, 1), [0, 1, 0])
    expectEqual(judgement.tallies.count, 2 * ClauseID.count)
    expectEqual(rows(judgement, .searchMXMaximum), [])
    expectEqual(judgement.total(.searchMXMaximum), Judgement.Total())
    let expected = "HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port"
    expectEqual(rows(judgement, .aliveHost), ["violated of 1 192.168.1.11: \(expected) | nothing | heard"])
    judgement.keep { _ in false }
    #expect(judgement.parties.isEmpty && judgement.rows.isEmpty && judgement.tallies.isEmpty && judgement.isVacuous)
    heldByHost()
  }

  /// A clause counts for a host of a run in both its roles.
  private func heldByHost() {
    let judgement = Course.judged([
      Said.alive().sent(by: 3), Said.search().sent(by: 3),
      Said.alive().later(.seconds(1)).by(JudgementTests.other).sent(by: 2),
    ])
    expectEqual((1...4).map { judgement.held(.generic, byHost: $0) }, [0, 1, 2, 0])
    expectEqual((1...4).map { judgement.held(.aliveHost, byHost: $0) }, [0, 1, 1, 0])
  }

  @Test("a doubt goes where asking decides, and a clause that was asked is judged")
  func decided() {
    let clause = ClauseID.answerDelay
    var judgement = JudgementTests.heard
    expectEqual(tally(judgement, clause, 1), [0, 0, 1])
    judgement.overrule([JudgementTests.ruling(clause, .held)], address: JudgementTests.device) { _ in true }
    expectEqual(tally(judgement, clause, 1), [1, 0, 0])
    expectEqual(rows(judgement, clause), [])
    // What is open after that adds nothing.
    judgement.overrule([JudgementTests.ruling(clause, .inconclusive)], address: JudgementTests.device) { _ in true }
    expectEqual(tally(judgement, clause, 1), [1, 0, 0])
    judgement.overrule([JudgementTests.ruling(clause, .violated)], address: JudgementTests.device) { _ in true }
    expectEqual(tally(judgement, clause, 1), [1, 1, 0])
    expectEqual(rows(judgement, clause), ["violated of 1 192.168.1.10: expected | found | asked"])
    // The same again is one finding, another one is another.
    let again = [JudgementTests.ruling(clause, .violated, probe: "again")]
    judgement.overrule(again, address: JudgementTests.device) { _ in true }
    let otherwise = [JudgementTests.ruling(clause, .violated, probe: "", found: "else")]
    judgement.overrule(otherwise, address: JudgementTests.device) { _ in true }
    expectEqual(
      rows(judgement, clause),
      [
        "violated of 1 192.168.1.10: expected | found | again", "violated of 1 192.168.1.10: expected | else | heard",
      ])
    var open = JudgementTests.heard
    open.overrule([JudgementTests.ruling(clause, .inconclusive)], address: JudgementTests.device) { _ in true }
    expectEqual(tally(open, clause, 1), [0, 0, 2])
    // A doubt that was heard and that of a probe are one, with the reason of the probe.
    expectEqual(rows(open, clause), ["inconclusive of 1 192.168.1.10: found |  | asked"])
    // Another reason is another doubt, and the same one stands there once.
    let doubts = ["found", "else"].map { JudgementTests.ruling(clause, .inconclusive, probe: "again", found: $0) }
    open.overrule(doubts, address: JudgementTests.device) { _ in true }
    expectEqual(
      rows(open, clause),
      ["inconclusive of 1 192.168.1.10: found |  | again", "inconclusive of 1 192.168.1.10: else |  | again"])
    unnamed()
    ordered()
    asked()
  }

  /// Doubts of probes without a name are two where their reasons are, and a breach that was heard stays beside them.
  private func unnamed() {
    let clause = ClauseID.listenMulticast
    var judgement = Said.judged([.search(), .alive(["HOST": nil]), .answer()])
    let doubts = ["found", "else"].map { JudgementTests.ruling(clause, .inconclusive, probe: "", found: $0) }
    judgement.overrule(doubts, address: JudgementTests.device) { _ in true }
    expectEqual(tally(judgement, clause, 1), [0, 0, 2])
    expectEqual(
      rows(judgement, clause),
      [
        "inconclusive of 1 192.168.1.10: found |  | heard", "inconclusive of 1 192.168.1.10: else |  | heard",
      ])
    judgement.overrule([JudgementTests.ruling(clause, .held)], address: JudgementTests.device) { _ in true }
    expectEqual(tally(judgement, clause, 1), [1, 0, 0])
    expectEqual(rows(judgement, clause), [])
    let host = "HOST: 239.255.255.250:1900, or the IPv6 group in brackets with its port"
    expectEqual(rows(judgement, .aliveHost), ["violated of 1 192.168.1.10: \(host) | nothing | heard"])
  }

  /// What a probe decides holds wherever it stands among the rulings.
  private func ordered() {
    let clause = ClauseID.answerDelay
    let open = JudgementTests.ruling(clause, .inconclusive)
    for decided in [JudgementTests.ruling(clause, .held), JudgementTests.ruling(clause, .violated)] {
      for rulings in [[open, decided], [decided, open]] {
        var judgement = JudgementTests.heard
        judgement.overrule(rulings, address: JudgementTests.device) { _ in true }
        let isHeld = decided.verdict == .held
        expectEqual(tally(judgement, clause, 1), isHeld ? [1, 0, 0] : [0, 1, 0])
        expectEqual(rows(judgement, clause).count, isHeld ? 0 : 1)
      }
    }
  }

  /// Asking a device counts for it alone, for clauses that are wanted and that bind devices under its edition.
  private func asked() {
    let probed: [ClauseID] = [.listenMulticast, .searchMX, .generic]
    let judged = JudgementTests.heard.judged
    func after(_ address: IPAddress, _ wanted: @escaping (Clause) -> Bool) -> Judgement {
      var judgement = JudgementTests.heard
      judgement.overrule(probed.map { JudgementTests.ruling($0, .violated) }, address: address, wanted: wanted)
      return judgement
    }
    let all = after(JudgementTests.device) { _ in true }
    expectEqual(all.judged, all.judged.sorted { $0.rawValue < $1.rawValue })
    expectEqual(Set(all.judged), Set(judged + probed))
    expectEqual(probed.map { tally(all, $0, 1)[1] }, [1, 0, 1])
    expectEqual(probed.map { tally(all, $0, 0)[1] }, [0, 0, 0])
    let one = after(JudgementTests.device) { $0.number == .generic }
    expectEqual(one.judged, judged)
    expectEqual(probed.map { tally(one, $0, 1)[1] }, [0, 0, 1])
    // Of who was not heard as a device nothing is said.
    for stranger in [JudgementTests.other, Said.searcher.address] {
      let none = after(stranger) { _ in true }
      expectEqual(none.parties.count, 2)
      expectEqual(none.rows.count, JudgementTests.heard.rows.count)
      expectEqual(Set(none.judged), Set(judged + probed))
    }
  }

  @Test("a protocol is judged from its first message on, and UDA where nobody spoke at all")
  func spoken() {
    let question = DNSMessage(flags: .query, questions: [DNSQuestion(MulticastFixture.type, .ptr)]).written().bytes
    let packet = AdvertisingPDU.bytes(.connectable, from: RadioAddress(bits: 1, isRandom: false))
    func standards(datagrams: Int, packets: Int, questions: Int) -> Set<Standard> {
      let payloads = PayloadStore()
      var judge = ClauseJudge(.capture)
      func observation(_ payload: Payload, _ group: IPAddress, _ port: UInt16) -> Observation {
        Observation(
          time: .zero, position: 1, source: Endpoint(JudgementTests.device, port: port),
          destination: Endpoint(group, port: port), bytes: payloads.bytes(of: payload))
      }
      for _ in 0..<datagrams {
        let payload = payloads.store(Array(Said.alive().text.utf8))
        judge.hear(observation(payload, .ssdpGroup4, 1_900))
        payloads.release(payload)
      }
      for _ in 0..<questions {
        let payload = payloads.store(question)
        judge.hear(multicastDNS: observation(payload, IPAddress(224, 0, 0, 251), 5_353))
        payloads.release(payload)
      }
      for _ in 0..<packets {
        let heard = RadioPDU(
          channel: 37, strength: -60, accessAddress: AirFrame.advertisingAddress, bytes: packet)
        judge.hear(HeardPacket(time: .zero, position: 1, packet: heard))
      }
      judge.close()
      let judgement = Judgement(judge)
      expectEqual(judgement.messageCount, datagrams + packets + questions)
      return Set(judgement.judged.map { $0.clause.standard })
    }
    expectEqual(standards(datagrams: 0, packets: 0, questions: 0), [.uda])
    expectEqual(standards(datagrams: 1, packets: 0, questions: 0), [.uda])
    expectEqual(standards(datagrams: 0, packets: 1, questions: 0), [.bluetooth])
    expectEqual(standards(datagrams: 0, packets: 0, questions: 1), [.multicastDNS])
    expectEqual(standards(datagrams: 0, packets: 1, questions: 1), [.bluetooth, .multicastDNS])
    expectEqual(standards(datagrams: 1, packets: 1, questions: 1), [.uda, .bluetooth, .multicastDNS])
  }

  @Test("what probes found of a party stands beside what was heard of it; a party that was not heard is a new one")
  func taken() {
    var judgement = JudgementTests.heard
    let rulings = [
      JudgementTests.ruling(.searchWait, .held), JudgementTests.ruling(.unsolicited, .violated),
      JudgementTests.ruling(.boundedCache, .inconclusive),
    ]
    let probed: [ClauseID] = [.searchWait, .unsolicited, .boundedCache, .dualStack]
    judgement.take(rulings, of: Said.searcher.address, .controlPoint, probed: probed)
    expectEqual(judgement.parties.count, 2)
    expectEqual(probed.map { tally(judgement, $0, 0) }, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
    #expect(probed.allSatisfy { judgement.judged.contains($0) })
    expectEqual(rows(judgement, .unsolicited), ["violated of 0 192.168.1.20: expected | found | asked"])
    expectEqual(rows(judgement, .boundedCache), ["inconclusive of 0 192.168.1.20: found |  | asked"])
    // The same address in its other role is another party.
    judgement.take(rulings, of: JudgementTests.device, .controlPoint, probed: probed)
    expectEqual(judgement.parties.map(\.name), ["192.168.1.20", "192.168.1.10", "192.168.1.10"])
    expectEqual(judgement.tallies.count, 3 * ClauseID.count)
    expectEqual(tally(judgement, .unsolicited, 2), [0, 1, 0])
    expectEqual(judgement.total(.unsolicited).violated, 2)
    // What listening found stays where a probe finds otherwise, and its doubt goes.
    var device = JudgementTests.heard
    device.take([JudgementTests.ruling(.answerDelay, .held)], of: JudgementTests.device, .device, probed: [])
    expectEqual(tally(device, .answerDelay, 1), [1, 0, 0])
    expectEqual(rows(device, .answerDelay), [])
  }
}
