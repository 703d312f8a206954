import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Times between messages of multicast DNS, at their bounds and a millisecond beyond.
@Suite("Bounds of multicast DNS") struct MulticastBoundTests {
  private typealias Fixture = MulticastFixture
  private typealias Talk = LinkTalk

  @Test("queries come a second apart and then after twice the gap, within 50 ms, and after an hour at most (MD-05)")
  func queryIntervals() {
    // Up to 10 ms behind the first it is a copy of the recorder.
    Talk.check(.queryIntervals, [(9, "0 0 0"), (10, "0 1 0"), (949, "0 1 0"), (950, "1 0 0")]) {
      [Talk.asked(at: 0), Talk.asked(at: $0)]
    }
    Talk.check(.queryIntervals, [(2_949, "1 1 0"), (2_950, "2 0 0")]) {
      [Talk.asked(at: 0), Talk.asked(at: 1_000), Talk.asked(at: $0)]
    }
    Talk.check(.queryIntervals, [(5_599_949, "1 1 0"), (5_599_950, "2 0 0")]) {
      [Talk.asked(at: 0), Talk.asked(at: 2_000_000), Talk.asked(at: $0)]
    }
    // Two hosts, two names and two types are three series more.
    let others = [
      Talk.asked(at: 100, by: 3), Talk.asked(at: 200, Fixture.host), Talk.asked(at: 300, Fixture.type, .txt),
    ]
    Talk.check(.queryIntervals, [(0, "0 0 0")]) { [Talk.asked(at: $0)] + others }
    let late = Fixture.judged([Talk.asked(at: 0), Talk.asked(at: 1_000), Talk.asked(at: 2_949)], isComplete: true)
    expectEqual(
      late.rows.filter { $0.finding.clause == .queryIntervals }.map(\.finding.found),
      ["1949 ms after 1000 ms, _x._tcp.local"])
    failedSeries()
    newSeries()
  }

  /// A host that leaves right behind its question goes on with the series, and begins another one where it left later.
  private func newSeries() {
    Talk.check(.queryIntervals, [(0, "0 1 0"), (1, "0 0 0")]) { time in
      let left = Fixture.with(Talk.up) { packet in
        (packet.milliseconds, packet.host, packet.event) = (time, 1, .deed(.vanish))
      }
      return [Talk.sent(Talk.asked(at: 0), by: 1), left, Talk.sent(Talk.asked(at: 500), by: 1)]
    }
  }

  /// A record that was asked for in vain is asked for anew 10 s after the first time, half a second more or less.
  private func failedSeries() {
    let rows: [(Int64, String)] = [
      (109_499, "3 1 0"), (109_500, "3 0 0"), (110_500, "3 0 0"), (110_501, "3 1 0"),
    ]
    let asked: [Int64] = [100_000, 101_000, 103_000, 107_000]
    Talk.check(.queryIntervals, rows) { time in
      [Talk.said([Fixture.pointer()], at: 0)] + (asked + [time]).map { Talk.asked(at: $0) }
    }
    // What was asked for once alone has not failed.
    Talk.check(.queryIntervals, [(110_000, "1 0 0")]) {
      [Talk.said([Fixture.pointer()], at: 0), Talk.asked(at: 100_000), Talk.asked(at: $0)]
    }
    // Of what nobody ever said nothing can have failed.
    Talk.check(.queryIntervals, [(110_000, "3 1 0")]) { time in (asked + [time]).map { Talk.asked(at: $0) } }
  }

  @Test("a question with QU is sent again without it for 10 s (MD-08)")
  func unicastWish() {
    let rows: [(Int64, String)] = [(9, "0 0 0"), (10, "0 1 0"), (10_000, "0 1 0"), (10_001, "0 0 0")]
    Talk.check(.unicastWish, rows) {
      [Talk.asked(at: 0, wantsUnicast: true), Talk.asked(at: $0, wantsUnicast: true)]
    }
    Talk.check(.unicastWish, [(10_000, "1 0 0"), (10_001, "0 0 0")]) {
      [Talk.asked(at: 0, wantsUnicast: true), Talk.asked(at: $0)]
    }
    // A question without it in between makes no difference.
    Talk.check(.unicastWish, [(10_000, "1 1 0"), (10_001, "1 0 0")]) {
      [Talk.asked(at: 0, wantsUnicast: true), Talk.asked(at: 1_000), Talk.asked(at: $0, wantsUnicast: true)]
    }
  }

  @Test("a record whose TTL is a second at most is a known answer at any age (MD-25)")
  func knownAnswerAge() {
    Talk.check(.knownAnswerAge, [(1, "0 0 0"), (2, "1 0 0")]) { seconds in
      let record = Fixture.pointer(Fixture.type, Fixture.instance, UInt32(seconds))
      return [Talk.said([record], at: 0), Talk.asked(at: 500, known: [record])]
    }
  }

  @Test("known answers go on by sender, and a query with TC waits for them half a second to the end (MD-26)")
  func knownAnswerParts() {
    func more(at time: Int64, by last: UInt8) -> Talk.Packet {
      Talk.by(last, at: time, Talk.Packet(message: DNSMessage(flags: .query, answers: [Fixture.pointer()])))
    }
    Talk.check(.knownAnswerParts, [(2, "2 0 0"), (500, "2 0 0"), (501, "1 1 0")]) {
      [
        Talk.asked(at: 0, isTruncated: true), Talk.asked(at: 1, isTruncated: true, by: 3), more(at: 2, by: 3),
        more(at: $0, by: 2),
      ]
    }
    for (end, tally) in [(500, "0 0 0"), (501, "0 1 0")] as [(Int64, String)] {
      let judgement = Fixture.judged([Talk.asked(at: 0, isTruncated: true)], end: end, isComplete: true)
      expectEqual(judgement.sum(.knownAnswerParts), tally, "\(end)")
    }
  }

  /// Probes are 250 ms apart, within 50 ms; what is asked a second later probes anew (MD-29).
  private func probes() {
    let rows: [(Int64, String)] = [
      (9, "1 0 0"), (10, "2 1 0"), (199, "2 1 0"), (200, "3 0 0"), (1_000, "3 0 0"), (1_001, "2 0 0"),
    ]
    Talk.check(.probes, rows) { [Talk.probed(at: 0), Talk.probed(at: $0)] }
    // Two names in a row are no two probes for one.
    Talk.check(.probes, [(100, "2 0 0")]) { [Talk.probed(at: 0), Talk.probed(Fixture.instance, at: $0)] }
  }

  @Test("probes are 250 ms apart, and two announcements 1 to 3 s, within 50 ms (MD-29) (MD-36)")
  func announcements() {
    let rows: [(Int64, String)] = [(1_699, "0 1 0"), (1_700, "1 0 0"), (3_750, "1 0 0"), (3_751, "0 1 0")]
    Talk.check(.announcements, rows) { Fixture.announced + [Talk.said([Fixture.address()], at: $0)] }
    for (end, tally) in [(3_750, "0 0 0"), (3_751, "0 1 0")] as [(Int64, String)] {
      let judgement = Fixture.judged(Fixture.announced, end: end, isComplete: true)
      expectEqual(judgement.sum(.announcements), tally, "\(end)")
    }
    // What nobody asked for comes again after twice the gap; a question of the last second asks for it.
    let twice = [Talk.said([Fixture.address()], at: 0), Talk.said([Fixture.address()], at: 1_000)]
    Talk.check(.announcements, [(1_009, "0 0 0"), (1_010, "0 1 0"), (2_949, "0 1 0"), (2_950, "0 0 0")]) {
      twice + [Talk.said([Fixture.address()], at: $0)]
    }
    Talk.check(.announcements, [(2_000, "0 0 0"), (2_001, "0 1 0")]) {
      twice + [Talk.asked(at: 1_000, Fixture.host, .a), Talk.said([Fixture.address()], at: $0)]
    }
    probes()
  }

  @Test("a record is multicast once a second in each family, unless a probe came in the last second (MD-16)")
  func oncePerSecond() {
    Talk.check(.oncePerSecond, [(9, "0 0 0"), (10, "0 1 0"), (949, "0 1 0"), (950, "1 0 0")]) {
      [Talk.said([Fixture.pointer()], at: 0), Talk.said([Fixture.pointer()], at: $0)]
    }
    Talk.check(.oncePerSecond, [(1_000, "0 0 0"), (1_001, "0 1 0")]) {
      [Talk.probed(at: 0, by: 2), Talk.said([Fixture.address()], at: 100), Talk.said([Fixture.address()], at: $0)]
    }
    // A probe on another link is no reason.
    Talk.check(.oncePerSecond, [(0, "0 0 0"), (1, "0 1 0")]) { link in
      var probe = Talk.probed(at: 0, by: 2)
      probe.interface = UInt16(link)
      return [probe, Talk.said([Fixture.address()], at: 100), Talk.said([Fixture.address()], at: 500)]
    }
    func both(_ isOther: Bool) -> [Talk.Packet] {
      var second = Talk.said([Fixture.pointer()], at: 100)
      if isOther {
        second.source.address = IPAddress(v6High: 0xFE80 << 48, low: 1)
        second.destination.address = IPAddress(v6High: 0xFF02 << 48, low: 0xFB)
      }
      return [Talk.said([Fixture.pointer()], at: 0), second].map { Talk.sent($0, by: 0) }
    }
    Talk.check(.oncePerSecond, [(0, "0 1 0"), (1, "0 0 0")]) { both($0 == 1) }
  }

  @Test("a shared answer waits 20 to 620 ms, an answer to TC 400 ms, a unique one 10 ms, each with what a link takes")
  func waits() {
    let shared: [(Int64, String)] = [
      (18, "0 1 0"), (19, "1 0 0"), (670, "1 0 0"), (671, "0 1 0"), (1_000, "0 1 0"), (1_001, "0 0 0"),
    ]
    Talk.check(.sharedDelay, shared) { [Talk.asked(at: 0), Talk.said([Fixture.pointer()], at: $0)] }
    Talk.check(.truncatedWait, [(397, "0 1 0"), (398, "1 0 0")]) {
      [Talk.asked(at: 0, isTruncated: true), Talk.said([Fixture.pointer()], at: $0)]
    }
    Talk.check(.promptAnswer, [(10_030, "1 0 0"), (10_031, "0 1 0")]) {
      Fixture.announcedAgain + [Talk.asked(at: 10_000, Fixture.host, .a), Talk.said([Fixture.address()], at: $0)]
    }
    // Who said it in the second before the question has to wait.
    Talk.check(.promptAnswer, [(8_999, "0 1 0"), (9_000, "0 0 0")]) {
      Fixture.announcedAgain + [
        Talk.said([Fixture.address()], at: $0), Talk.asked(at: 10_000, Fixture.host, .a),
        Talk.said([Fixture.address()], at: 10_035),
      ]
    }
    delays()
  }

  /// Delays of shared answers are tested from thirty on, and those of up to 120 ms alone (MD-14).
  private func delays() {
    func talk(_ count: Int, _ delay: Int64) -> [Talk.Packet] {
      (0..<Int64(count)).flatMap { number -> [Talk.Packet] in
        [Talk.asked(at: number * 5_000), Talk.said([Fixture.pointer()], at: number * 5_000 + delay)]
      }
    }
    Talk.check(.sharedDelay, [(29, "29 0 0"), (30, "30 1 0")]) { talk(Int($0), 70) }
    Talk.check(.sharedDelay, [(120, "30 1 0"), (121, "30 0 0")]) { talk(30, $0) }
  }

  @Test("answers to one question come within half a second in one message, and not again behind another host (MD-20)")
  func together() {
    let listing = ServiceType.enumerationName
    let list = Fixture.pointer(listing, Fixture.type)
    Talk.check(.aggregation, [(530, "1 1 0"), (531, "2 0 0")]) { time in
      var both = Talk.asked(at: 0)
      both.message.questions.append(DNSQuestion(listing, .ptr))
      return [both, Talk.said([Fixture.pointer()], at: 30), Talk.said([list], at: time)]
    }
    Talk.check(.duplicateAnswer, [(50, "1 0 0"), (51, "0 1 0")]) {
      [Talk.asked(at: 0, listing, by: 3), Talk.said([list], at: 30, by: 2), Talk.said([list], at: $0)]
    }
  }

  @Test("an answer goes by unicast to who just asked for one, by multicast a quarter of its TTL later (MD-09) (MD-10)")
  func quarters() {
    let first = Talk.said([Fixture.pointer()], at: 0)
    Talk.check(.directQuery, [(1_124_949, "0 1 0"), (1_124_950, "0 0 0")]) {
      [first, Talk.to(1, Talk.asked(at: 1_124_900)), Talk.said([Fixture.pointer()], at: $0)]
    }
    Talk.check(.unicastAnswer, [(1_125_050, "1 0 0"), (1_125_051, "0 1 0")]) {
      [first, Talk.asked(at: 1_125_000, wantsUnicast: true), Talk.to(2, Talk.said([Fixture.pointer()], at: $0))]
    }
    wishes()
  }

  /// An answer by unicast goes to who asked for one in the last two seconds (MD-09).
  private func wishes() {
    let first = Talk.said([Fixture.pointer()], at: 0)
    // Whether another host asks in between makes no difference.
    for others in [[], [Talk.asked(at: 2_990, Fixture.host, .a, by: 3)]] as [[Talk.Packet]] {
      Talk.check(.unicastAnswer, [(3_000, "1 0 0"), (3_001, "0 1 0")]) {
        [first, Talk.asked(at: 1_000, wantsUnicast: true)] + others
          + [Talk.to(2, Talk.said([Fixture.pointer()], at: $0))]
      }
    }
    Talk.check(.unicastAnswer, [(2, "1 0 0"), (3, "0 1 0")]) {
      [
        first, Talk.asked(at: 1_000, wantsUnicast: true, by: UInt8($0)),
        Talk.to(2, Talk.said([Fixture.pointer()], at: 1_030)),
      ]
    }
  }
}
