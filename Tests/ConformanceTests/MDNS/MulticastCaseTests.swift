import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// What explains a message, or does not: one thing that differs in each row.
@Suite("Reasons for messages of multicast DNS") struct MulticastCaseTests {
  private typealias Fixture = MulticastFixture
  private typealias Talk = LinkTalk

  private func inOrder(_ packets: [Talk.Packet]) -> [Talk.Packet] {
    packets.sorted { $0.milliseconds < $1.milliseconds }
  }

  // MARK: - Names

  @Test("another name with the same type and data gives a name up, and each round of probes counts once (MD-34)")
  func equalData() {
    let own = Talk.said([Fixture.address(isFlush: false)], at: 260, by: 2)
    let probed = [Talk.probed(at: 0), Talk.probed(at: 250), own]
    Talk.check(.equalData, [(1, "0 1 0"), (9, "0 0 0")]) {
      probed + [Talk.probed(DNSName("h-2.local")!, UInt8($0), at: 1_000)]
    }
    // One that is announced is kept, whatever else is probed for, and so is one that is probed for anew.
    Talk.check(.equalData, [(500, "1 0 0")]) {
      probed + [Talk.said([Fixture.address()], at: $0), Talk.probed(DNSName("h-2.local")!, at: 1_000)]
    }
    Talk.check(.equalData, [(5_000, "1 0 0")]) {
      probed + [
        Talk.said([Fixture.address()], at: 500), Talk.probed(at: $0), Talk.probed(at: $0 + 250),
        Talk.said([Fixture.address()], at: $0 + 500),
      ]
    }
    let renamed = Talk.probed(DNSName("h-2.local")!, at: 1_000)
    Talk.check(.equalData, [(1_500, "0 1 0")]) { probed + [renamed, Talk.probed(DNSName("h-3.local")!, at: $0)] }
    // The name itself that is probed for anew is kept, and a name of another link has nothing to do with it.
    Talk.check(.equalData, [(1_000, "0 0 0")]) { probed + [Talk.probed(at: $0)] }
    Talk.check(.equalData, [(0, "0 1 0"), (1, "0 0 0")]) { link in
      probed + [Fixture.with(renamed) { $0.interface = UInt16(link) }]
    }
    twoNames()
  }

  /// Of two names with equal data one is announced, and the other one is given up (MD-34).
  private func twoNames() {
    let second = DNSName("g.local")!
    let given = [
      Fixture.address(isFlush: false), DNSRecord(second, .address(IPAddress(10, 0, 0, 2)), ttlSeconds: 120),
    ]
    Talk.check(.equalData, [(1, "1 0 0"), (2, "1 1 0")]) {
      [
        Talk.probed(at: 0), Talk.probed(second, 2, at: 20), Talk.said(given, at: 100, by: 2),
        Talk.said([Fixture.address()], at: 500), Talk.probed(DNSName("h-2.local")!, UInt8($0), at: 1_000),
      ]
    }
  }

  @Test("what is announced without probes counts once for each name of a message (MD-29)")
  func unprobed() {
    Talk.check(.probes, [(0, "0 2 0")]) {
      [Talk.said([Talk.address(1), Talk.address(9), Talk.service()], at: $0)]
    }
  }

  @Test("what was probed for has the flush bit except in a goodbye, and a pointer of a service never has it (MD-37)")
  func flushBits() {
    Talk.check(.flushBits, [(0, "0 0 0"), (1, "0 1 0")]) {
      [Talk.probed(at: 0), Talk.said([Fixture.address(UInt32($0), isFlush: false)], at: 750)]
    }
    let probe = Fixture.with(Talk.probed(Fixture.type, at: 0)) { $0.message.authorities = [Fixture.pointer()] }
    Talk.check(.flushBits, [(750, "1 0 0")]) { [probe, Talk.said([Fixture.pointer()], at: $0)] }
  }

  @Test("an answer for a name that is announced already is no conflict with its probes (MD-31)")
  func announced() {
    Talk.check(.probeConflict, [(300, "0 0 0"), (450, "0 1 0")]) {
      inOrder([
        Talk.probed(at: 0), Talk.probed(at: 250), Talk.said([Talk.machine()], at: 400, by: 2),
        Talk.said([Fixture.address()], at: $0),
      ])
    }
    // A host that meets a conflict and announces nothing has held the clause.
    Talk.check(.probeConflict, [(400, "1 0 0"), (501, "0 0 0")]) {
      [Talk.probed(at: 0), Talk.probed(at: 250), Talk.said([Talk.machine()], at: $0, by: 2)]
    }
  }

  // MARK: - Data

  @Test("data that its owner takes back need not be announced again, and other data after it is no change (MD-38)")
  func takenBack() {
    func gone(_ bytes: [UInt8]) -> DNSRecord {
      DNSRecord(Fixture.instance, .txt(bytes), ttlSeconds: 0, isCacheFlush: true)
    }
    let changed = [Talk.said([Fixture.text([0])], at: 0), Talk.said([Fixture.text([1, 97])], at: 5_000)]
    Talk.check(.changedData, [(1, "0 0 0"), (2, "0 1 0")]) {
      changed + [Talk.said([gone([1, 97])], at: 5_500, by: UInt8($0))]
    }
    Talk.check(.changedData, [(3_000, "0 0 0"), (5_000, "0 0 0")]) {
      [
        Talk.said([Fixture.text([0])], at: 0), Talk.said([gone([0])], at: 3_000),
        Talk.said([Fixture.text([1, 97])], at: $0),
      ]
    }
    // To the end of its TTL data is changed, beyond it is new.
    Talk.check(.changedData, [(120_000, "0 1 0"), (120_001, "0 0 0")]) {
      [Talk.said([Talk.address(1)], at: 0), Talk.said([Talk.address(9)], at: $0)]
    }
  }

  // MARK: - Questions

  @Test("a question is asked again at once behind an answer, or to keep a record fresh that fades or ends (MD-05)")
  func queryIntervals() {
    Talk.check(.queryIntervals, [(999, "0 1 0"), (1_000, "0 0 0")]) {
      [Talk.said([Fixture.pointer()], at: $0), Talk.asked(at: 1_000), Talk.asked(at: 1_100)]
    }
    let (host, said) = (Fixture.host, Talk.said([Fixture.address()], at: 0))
    // From 80 % of the TTL on, and to its end.
    Talk.check(.queryIntervals, [(95_949, "0 1 0"), (95_950, "0 0 0")]) {
      [said, Talk.asked(at: 95_900, host, .a), Talk.asked(at: $0, host, .a)]
    }
    Talk.check(.queryIntervals, [(120_050, "0 0 0"), (120_051, "0 1 0")]) {
      [said, Talk.asked(at: $0, host, .a), Talk.asked(at: $0 + 100, host, .a)]
    }
    // From a second behind its goodbye.
    let goodbye = Talk.said([Fixture.address(0)], at: 50_000)
    Talk.check(.queryIntervals, [(50_949, "0 1 0"), (50_950, "0 0 0")]) {
      [said, goodbye, Talk.asked(at: 50_500, host, .a), Talk.asked(at: $0, host, .a)]
    }
    Talk.check(.queryIntervals, [(51_050, "0 0 0"), (51_051, "0 1 0")]) {
      [said, goodbye, Talk.asked(at: $0, host, .a), Talk.asked(at: $0 + 100, host, .a)]
    }
  }

  // MARK: - Answers

  @Test("an answer that its sender gave last is not another host's, and one that it gave earlier is (MD-28)")
  func othersAnswers() {
    let listing = ServiceType.enumerationName
    let list = Fixture.pointer(listing, Fixture.type)
    Talk.check(.duplicateAnswer, [(60, "0 0 0")]) {
      [Talk.asked(at: 0, listing, by: 3), Talk.said([list], at: 30), Talk.said([list], at: $0)]
    }
    Talk.check(.duplicateAnswer, [(5_050, "1 0 0"), (5_051, "0 1 0")]) {
      [
        Talk.said([list], at: 0), Talk.asked(at: 5_000, listing, by: 3), Talk.said([list], at: 5_030, by: 2),
        Talk.said([list], at: $0),
      ]
    }
  }

  @Test("of two questions the first one gives the shortest wait of an answer, and the last one the longest (MD-14)")
  func twoQuestions() {
    Talk.check(.sharedDelay, [(15, "1 0 0"), (29, "1 0 0")]) {
      [Talk.asked(at: 0), Talk.asked(at: $0, by: 3), Talk.said([Fixture.pointer()], at: 30)]
    }
    Talk.check(.sharedDelay, [(29, "0 1 0"), (30, "1 0 0")]) {
      [Talk.asked(at: 0), Talk.asked(at: $0, by: 3), Talk.said([Fixture.pointer()], at: 700)]
    }
    // What was never said before is free to be said at once.
    Talk.check(.promptAnswer, [(30, "1 0 0"), (31, "0 1 0")]) {
      [Talk.asked(at: 0, Fixture.host, .a), Talk.said([Fixture.address()], at: $0)]
    }
  }

  // MARK: - What hosts of a run heard

  /// A question of host 1, and an answer as it comes to it.
  private func asks(
    at milliseconds: Int64, _ name: DNSName = Fixture.type, _ type: DNSType = .ptr
  ) -> Talk.Packet {
    Talk.sent(Talk.asked(at: milliseconds, name, type), by: 1)
  }
  private func hears(_ records: [DNSRecord], at milliseconds: Int64) -> Talk.Packet {
    Talk.came(Talk.said(records, at: milliseconds), to: 1)
  }

  @Test("a host keeps earlier records when it hears more, and a copy of its own question is none (MD-06) (MD-07)")
  func heard() {
    let short = Fixture.pointer(Fixture.type, Fixture.instance, 100)
    let other = Fixture.pointer(Fixture.type, Fixture.type.adding("B")!)
    // 80 % of its TTL and 50 ms less.
    Talk.check(.refreshQueries, [(79_979, "0 0 0"), (79_980, "1 0 0")]) {
      [asks(at: 0), hears([short], at: 30), hears([other], at: 5_000), asks(at: $0)]
    }
    Talk.check(.uniqueAnswerEnds, [(9, "0 1 0"), (10, "0 0 0")]) {
      [
        asks(at: 0, Fixture.host, .a), asks(at: $0, Fixture.host, .a), hears([Fixture.address()], at: 15),
        asks(at: 1_000, Fixture.host, .a),
      ]
    }
  }

  @Test("a host takes its own response for another's where it probes for that name, and no conflict came (MD-40)")
  func returned() {
    let first = [Talk.probed(at: 0), Talk.probed(at: 250), Talk.probed(at: 500)]
    let said = [Talk.said([Fixture.address()], at: 750), Talk.said([Fixture.address()], at: 1_750)]
    let course = [Talk.up] + (first + said).map { Talk.sent($0, by: 0) }
    let probe = Talk.sent(Talk.probed(at: 1_900), by: 0)
    // A goodbye that comes back is none that it could take for another's.
    Talk.check(.ownPackets, [(0, "0 0 0"), (1, "0 1 0")]) {
      course + [Talk.came(Talk.said([Fixture.address(UInt32($0))], at: 1_751), to: 0), probe]
    }
    // What another host says of the name may be a conflict, of another name not.
    Talk.check(.ownPackets, [(0, "0 0 0"), (1, "0 1 0")]) { number in
      let name = number == 0 ? Fixture.host : Fixture.instance
      return course + [
        Talk.came(said[1], to: 0), Talk.came(Talk.said([Talk.machine(name)], at: 1_800, by: 2), to: 0), probe,
      ]
    }
    // A second name that it said.
    let service = Talk.said([Talk.service()], at: 1_760)
    Talk.check(.ownPackets, [(1_761, "0 1 0")]) {
      course + [
        Talk.sent(service, by: 0), Talk.came(Talk.by(1, at: $0, service), to: 0),
        Talk.sent(Talk.probed(Fixture.instance, at: 1_900), by: 0),
      ]
    }
  }

  // MARK: - Bounds of what is kept

  @Test("probes for a name are known on 16 links (MD-16)")
  func kept() {
    let probes = (0..<17).map { link in
      Fixture.with(Talk.probed(at: Int64(link), by: 2)) { $0.interface = UInt16(link) }
    }
    Talk.check(.oncePerSecond, [(0, "0 0 0"), (15, "0 0 0"), (16, "0 1 0")]) { link in
      probes
        + [100, 500].map { time in
          Fixture.with(Talk.said([Fixture.address()], at: time)) { $0.interface = UInt16(link) }
        }
    }
  }

  @Test("256 queries with TC wait for the rest of their known answers, and no more (MD-26)")
  func waiting() {
    func broken(_ count: Int) -> UInt32 {
      let scene = FindingCollector.Scene(party: PartyID(0), claim: .rfc6762, time: .zero, position: 1)
      let message = DNSMessage(flags: Fixture.flags({ $0.isTruncated = true }, .query))
      var queries = MulticastQueries()
      var collector = FindingCollector(wanted: { _ in true })
      for number in 0..<count {
        let source = Endpoint(IPAddress(10, 0, UInt8(number / 256), UInt8(number % 256)), port: 5_353)
        let observation = Observation(
          time: .zero, position: 1, source: source, destination: .mdns(.v4), place: .port5353,
          bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        let heard = HeardMessage(
          message: message, observation: observation, scene: scene, speaker: Speaker(observation),
          link: LinkKey(number: 0, family: .v4), isComplete: true)
        queries.hear(
          heard, MulticastSaid(), MulticastEnds(), restart: Instant(nanoseconds: .min), beginning: nil, &collector)
      }
      queries.close(at: .zero + .seconds(1), &collector)
      return collector.tally(.knownAnswerParts, PartyID(0)).violated
    }
    expectEqual([256, 257].map(broken), [256, 256])
  }

  // MARK: - Ends of judgements

  @Test("a judgement whose end is not told ends with the last message that was sent or came to a host (MD-36)")
  func lastMessage() {
    for (time, tally) in [(3_750, "0 0 0"), (3_751, "0 1 0")] as [(Int64, String)] {
      let talks: [[Talk.Packet]] = [
        Fixture.announced + [Talk.asked(at: time, by: 3)],
        [asks(at: 0)] + Fixture.announced + [hears([Fixture.pointer()], at: time)],
      ]
      let sums = talks.map { Fixture.judged($0, isEndKnown: false, isComplete: true).sum(.announcements) }
      expectEqual(sums, [tally, tally], "\(time)")
    }
  }

  // MARK: - Single messages

  @Test("a breach of one message names the first thing that is wrong")
  func found() {
    func found(_ clause: ClauseID, _ packet: Talk.Packet) -> String? {
      Fixture.judged([packet]).rows.first { $0.finding.clause == clause }?.finding.found
    }
    let questions = [DNSQuestion(Fixture.type, .ptr), DNSQuestion(Fixture.host, .a)]
    expectEqual(found(.noQuestions, Fixture.response([Fixture.pointer()], questions: questions)), "PTR _x._tcp.local")
    let keys: [UInt8] = [1, 97, 2, 61, 97, 1, 61]
    expectEqual(found(.textKeys, Fixture.response([Fixture.text(keys)])), "=a")
    expectEqual(found(.emptyText, Fixture.response([Fixture.text([])])), "none in TXT of Lamp._x._tcp.local")
    expectEqual(
      found(.flushBits, Fixture.query(answers: [Fixture.pointer(isFlush: true)])), "PTR of _x._tcp.local with it")
    expectEqual(found(.probeFlush, Fixture.probe(isFlush: true)), "A of h.local with it")
    expectEqual(
      found(.flushBits, Fixture.response([Fixture.pointer(isFlush: true)])), "PTR of _x._tcp.local with it")
    expectEqual(found(.recommendedTTL, Fixture.response([Fixture.address(121)])), "121 s")
    expectEqual(
      found(.recordTwice, Fixture.response([Fixture.pointer(), Fixture.address(), Fixture.address()])), "A of h.local")
    func reply(_ packet: Talk.Packet) -> Talk.Packet {
      Fixture.with(packet) { $0.destination = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000) }
    }
    expectEqual(
      found(.legacyReply, reply(Fixture.response([Fixture.address(10)], questions: questions))),
      "A of h.local with the bit")
    expectEqual(found(.legacyReply, reply(Fixture.response([Fixture.address(10, isFlush: false)]))), "no question")
  }

  @Test("SRV records of a reply to a plain DNS client have their data in full, wherever they stand (MD-53)")
  func compression() {
    func judged(_ compression: DNSCompression) -> Judgement {
      let names = ["Lamp", "B", "C"].map { Fixture.type.adding($0)! }
      var packet = Fixture.response(
        [Fixture.address(10, isFlush: false), Talk.service(names[0], 10), Fixture.text([0])], id: 7,
        questions: [DNSQuestion(names[0], .any), DNSQuestion(Fixture.host, .a)])
      packet.message.authorities = [Talk.service(names[1], 10)]
      packet.message.additionals = [Fixture.pointer(), Talk.service(names[2], 10)]
      packet.destination = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000)
      packet.compression = compression
      return Fixture.judged([packet])
    }
    expectEqual(judged(.legacy).sum(.compression), "1 0 0")
    expectEqual(judged(.none).sum(.compression), "1 0 0")
    let short = judged(.multicast)
    expectEqual(short.sum(.compression), "0 1 0")
    expectEqual(
      short.rows.first { $0.finding.clause == .compression }?.finding.found,
      "data of 8, 8, 8 bytes in place of 15, 15, 15")
  }

  @Test("an unreadable message and a cut one are counted once each and judged by nothing")
  func unread() {
    var judge = ClauseJudge(.capture)
    let bytes = Fixture.query().message.bytes
    for (count, isCut) in [(5, false), (bytes.count, true), (7, false), (bytes.count, false)] {
      Array(bytes.prefix(count)).withUnsafeBytes { raw in
        judge.hear(
          multicastDNS: Observation(
            time: .zero, position: 1, source: Endpoint(IPAddress(10, 0, 0, 2), port: 5_353), destination: .mdns(.v4),
            isCut: isCut, place: .port5353, bytes: raw))
      }
    }
    expectEqual([judge.books.unreadableCount, judge.books.cutCount, judge.books.multicastCount], [2, 1, 1])
  }
}
