import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Answers beside the questions before them, at the bounds and one beyond.
@Suite("Bounds of answers to questions") struct MulticastAnswerBoundTests {
  private typealias Fixture = MulticastFixture
  private typealias Talk = LinkTalk

  private let listing = ServiceType.enumerationName
  private var list: DNSRecord { Fixture.pointer(listing, Fixture.type) }
  private let never = Instant(nanoseconds: .min)

  /// A packet as the judge of a link takes it, of the party with the number of the last byte of its address.
  private func heard(_ packet: Talk.Packet, later nanoseconds: Int64 = 0) -> HeardMessage {
    let time = Instant.zero + .at(packet.milliseconds, nanoseconds)
    let observation = Observation(
      time: time, position: 1, source: packet.source, destination: packet.destination, place: .port5353,
      bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    let party = PartyID(Int32(packet.source.address.bytes.last ?? 0))
    return HeardMessage(
      message: packet.message, observation: observation,
      scene: FindingCollector.Scene(party: party, claim: .rfc6762, time: time, position: 1),
      speaker: Speaker(observation), link: LinkKey(number: 0, family: .v4), isComplete: true)
  }

  private func found(_ clause: ClauseID, _ packets: [Talk.Packet]) -> [String] {
    Fixture.judged(packets, isComplete: true).rows.filter { $0.finding.clause == clause }.map(\.finding.found)
  }

  // MARK: - Questions and their answers

  @Test("an answer up to 5 s behind a probe of its sender may be an announcement, and a later one is none (MD-14)")
  func announcing() {
    Talk.check(.sharedDelay, [(5_000, "0 0 0"), (5_001, "1 0 0")]) {
      [Talk.probed(at: 0), Talk.asked(at: 4_900), Talk.said([Fixture.pointer()], at: $0)]
    }
  }

  @Test("256 questions of two seconds are followed (MD-14)")
  func questions() {
    func heldCount(_ count: Int) -> UInt32 {
      var (talk, collector) = (MulticastTalk(), FindingCollector { _ in true })
      for _ in 0..<count { talk.ask(heard(Talk.asked(at: 0, Fixture.host, .a))) }
      talk.ask(heard(Talk.asked(at: 0)))
      talk.answer(
        heard(Talk.said([Fixture.pointer()], at: 30)), restart: never, MulticastSaid(), &collector)
      return collector.tally(.sharedDelay, PartyID(1)).held
    }
    expectEqual([255, 256].map(heldCount), [1, 0])
  }

  @Test("the wait behind TC begins anew with more known answers of the same querier, not of another one (MD-15)")
  func truncated() {
    for (last, start) in [(2, 10), (3, 0)] as [(UInt8, Int64)] {
      let more = Talk.by(last, at: 10, Talk.Packet(message: DNSMessage(flags: .query, answers: [Fixture.pointer()])))
      Talk.check(.truncatedWait, [(start + 397, "0 1 0"), (start + 398, "1 0 0")]) {
        [
          Talk.asked(at: 0, isTruncated: true), Talk.asked(at: 1, listing, isTruncated: true, by: 3), more,
          Talk.said([Fixture.pointer()], at: $0),
        ]
      }
    }
  }

  @Test("a query by unicast is answered by multicast where the record was never multicast (MD-10)")
  func direct() {
    let asked = Talk.to(1, Talk.asked(at: 5_000))
    Talk.check(.directQuery, [(1, "0 1 0"), (2, "0 0 0")]) {
      [Talk.said([Fixture.pointer()], at: 0, by: UInt8($0)), asked, Talk.said([Fixture.pointer()], at: 5_030)]
    }
  }

  @Test("an answer of more than 1000 bytes may be one of several (MD-20)")
  func parts() {
    Talk.check(.aggregation, [(1_000, "1 0 0"), (1_001, "0 0 0")]) { count in
      var said = Talk.said([Fixture.pointer()], at: 30)
      said.paddingBytes = Int(count) - said.message.bytes.count
      return [Talk.asked(at: 0), said]
    }
  }

  @Test("of shared and unique answers the shared ones wait, and none is judged behind a probe or TC (MD-13) (MD-14)")
  func kinds() {
    let unflushed = Fixture.address(isFlush: false)
    let talks: [[Talk.Packet]] = [
      [Talk.asked(at: 0), Talk.said([Fixture.pointer()], at: 30)],
      [Talk.asked(at: 0, Fixture.host, .a), Talk.said([Fixture.address()], at: 30)],
      // It is neither shared by its name nor unique by its bit.
      [Talk.asked(at: 0, Fixture.host, .a), Talk.said([unflushed], at: 30)],
      [Talk.asked(at: 0), Talk.asked(at: 5, isTruncated: true, by: 3), Talk.said([Fixture.pointer()], at: 30)],
      [Talk.probed(at: 0, by: 2), Talk.said([Fixture.address()], at: 30)],
    ]
    let sums = talks.map { talk in
      let judgement = Fixture.judged(talk, isComplete: true)
      return judgement.sum(.sharedDelay) + ", " + judgement.sum(.promptAnswer)
    }
    expectEqual(sums, ["1 0 0, 0 0 0", "0 0 0, 1 0 0", "0 0 0, 0 0 0", "0 0 0, 0 0 0", "0 0 0, 0 0 0"])
  }

  // MARK: - Answers of others

  @Test("another host's answer counts from the time of the question on, and so does a record of two hosts (MD-28)")
  func others() {
    let rest = [Talk.asked(at: 5_000, listing, by: 3), Talk.said([list], at: 5_030)]
    Talk.check(.duplicateAnswer, [(4_999, "0 0 0"), (5_000, "0 1 0")]) { [Talk.said([list], at: $0, by: 2)] + rest }
    Talk.check(.duplicateAnswer, [(1, "0 0 0"), (2, "1 0 0")]) {
      [Talk.said([list], at: 0), Talk.said([list], at: 100, by: UInt8($0))] + rest
    }
  }

  @Test("a needless answer is named by type and name (MD-24) (MD-28)")
  func needless() {
    expectEqual(
      found(
        .knownAnswers, [Talk.asked(at: 0, known: [Fixture.pointer()]), Talk.said([Fixture.pointer()], at: 30)]),
      ["PTR of _x._tcp.local"])
    expectEqual(
      found(
        .duplicateAnswer,
        [Talk.asked(at: 0, listing, by: 3), Talk.said([list], at: 30, by: 2), Talk.said([list], at: 60)]),
      ["PTR of _services._dns-sd._udp.local"])
  }

  // MARK: - Without a question

  @Test("a record without a question comes after twice the gap, unless another host said it last (MD-36)")
  func unasked() {
    let record = Fixture.pointer()
    func findings(_ said: MulticastSaid, _ times: [Int64] = [0, 1_000, 2_000], restart: Int64? = nil) -> [String] {
      var (talk, collector) = (MulticastTalk(), FindingCollector { _ in true })
      let restart = restart.map { Instant.zero + .milliseconds($0) } ?? never
      for time in times { talk.answer(heard(Talk.said([record], at: time)), restart: restart, said, &collector) }
      return collector.findings.map(\.found)
    }
    func saying(_ hosts: [UInt8]) -> MulticastSaid {
      var said = MulticastSaid()
      for (time, host) in hosts.enumerated() { said.note(heard(Talk.said([record], at: Int64(time), by: host))) }
      return said
    }
    let early = ["PTR of _x._tcp.local 1000 ms after a gap of 1000 ms"]
    expectEqual(([[], [2], [1, 2], [2, 1]] as [[UInt8]]).map { findings(saying($0)) }, [early, [], [], early])
    // The first of four times is before a restart at 999 ms, the second one before one at 1000 ms as well.
    let four: [Int64] = [0, 1_000, 2_000, 3_000]
    expectEqual(([999, 1_000] as [Int64]).map { findings(MulticastSaid(), four, restart: $0) }, [early, []])
  }

  // MARK: - Delays

  private func delays(_ nanoseconds: [Int64], _ said: MulticastSaid = MulticastSaid()) -> (Tally, [String]) {
    var (talk, collector) = (MulticastTalk(), FindingCollector { _ in true })
    for (number, delay) in nanoseconds.enumerated() {
      let start = Int64(number) * 5_000
      talk.ask(heard(Talk.asked(at: start)))
      let answer = heard(Talk.said([Fixture.pointer()], at: start), later: delay)
      talk.answer(answer, restart: never, said, &collector)
    }
    talk.close(isComplete: true, &collector)
    return (collector.tally(.sharedDelay, PartyID(1)), collector.findings.map(\.found))
  }

  @Test("delays from 20 to 120 ms are uneven from a distance of 1.9495 / √n on, and 512 are kept (MD-14)")
  func uneven() {
    // 21 of 30 delays are 0.355929 of the way, and 1.9495 / √30 is 0.355928 and a bit.
    for (first, isUneven) in [(55_592_899, false), (55_592_900, true)] as [(Int64, Bool)] {
      let delays = delays([Int64](repeating: first, count: 21) + [Int64](repeating: 100_000_000, count: 9))
      expectEqual(delays.0, isUneven ? Tally(held: 30, violated: 1) : Tally(held: 31), "\(first)")
      expectEqual(delays.1, isUneven ? ["30 delays that are not"] : [], "\(first)")
    }
    let many = delays([Int64](repeating: 70_000_000, count: 513))
    expectEqual(many.0, Tally(held: 513, violated: 1))
    expectEqual(many.1, ["512 delays that are not"])
  }

  @Test("delays of a record are tested where one host alone says it (MD-14)")
  func shared() {
    let same = [Int64](repeating: 70_000_000, count: 30)
    var said = MulticastSaid()
    var tallies: [Tally] = []
    for host in [1, 2] as [UInt8] {
      said.note(heard(Talk.said([Fixture.pointer()], at: 0, by: host)))
      tallies.append(delays(same, said).0)
    }
    expectEqual(tallies, [Tally(held: 30, violated: 1), Tally(held: 30)])
  }
}
