import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Bounds of what is kept of the hosts of a link: what comes beyond is not followed, what is kept goes on.
@Suite("Room for the records of a link") struct MulticastRoomTests {
  private let link = LinkKey(number: 0, family: .v4)

  /// A record of the type of that number.
  private func record(_ type: UInt16, _ bytes: [UInt8] = [0], ttl: UInt32 = 120, isFlush: Bool = false) -> DNSRecord {
    DNSRecord(.local, .other(DNSType(rawValue: type), bytes), ttlSeconds: ttl, isCacheFlush: isFlush)
  }

  /// A multicast of a host, which is the party of the same number.
  private func heard(
    _ records: [DNSRecord], flags: DNSFlags = .response, by last: UInt8 = 1, at milliseconds: Int64 = 0
  ) -> HeardMessage {
    let time = Instant.zero + .milliseconds(milliseconds)
    let observation = Observation(
      time: time, position: 1, source: Endpoint(IPAddress(10, 0, 0, last), port: 5_353), destination: .mdns(.v4),
      place: .port5353, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    let scene = FindingCollector.Scene(party: PartyID(Int32(last)), claim: .rfc6762, time: time, position: 1)
    return HeardMessage(
      message: DNSMessage(flags: flags, answers: records), observation: observation, scene: scene,
      speaker: Speaker(observation), link: link, isComplete: true)
  }

  @Test("a link has room for 16384 records and 1024 duties, and 256 records have one name and type")
  func maxima() {
    let duties = MulticastDuties()
    expectEqual(
      [MulticastSaid().placesMaximum, MulticastEnds().placesMaximum, duties.placesMaximum, duties.dutiesMaximum],
      [16_384, 16_384, 16_384, 1_024])
    expectEqual([MulticastTimes().placesMaximum, MulticastTalk().placesMaximum], [16_384, 16_384])
    func many(_ seconds: UInt32) -> [DNSRecord] {
      (0..<257).map { record(1_000, [UInt8($0 / 256), UInt8($0 % 256)], ttl: seconds) }
    }
    var ends = MulticastEnds()
    var collector = FindingCollector { _ in true }
    ends.answer(heard(many(120)))
    ends.answer(heard(many(0), at: 5_000))
    ends.ask(heard(many(120), flags: .query, by: 2, at: 7_000), &collector)
    expectEqual(collector.tally(.goodbye, PartyID(2)), Tally(violated: 256))
  }

  @Test("without room on a link a known record is still followed, and a new one is not")
  func records() {
    var said = MulticastSaid()
    // A record takes two places: as its host says it, and as anybody does.
    said.placesMaximum = 4
    said.note(heard([record(1_000), record(1_001)]))
    said.note(heard([record(1_000), record(1_002)], at: 5_000))
    let types: [UInt16] = [1_000, 1_001, 1_002]
    let times: [Instant?] = types.map { said.last(record($0), PartyID(1), link)?.time }
    expectEqual(times, [Instant.zero + .seconds(5), Instant.zero, nil])

    var ends = MulticastEnds()
    ends.placesMaximum = 2
    ends.answer(heard(types.map { record($0) }))
    expectEqual(
      types.map { ends.knows(DNSQuestion(.local, DNSType(rawValue: $0)), heard([])) }, [true, true, false])
  }

  @Test("without room a new record and a new name that is probed for have no times, and known ones have")
  func times() {
    let (never, all) = (Tally(), FindingCollector { _ in true })
    let names = ["a.local", "b.local", "c.local"].map { DNSName($0)! }
    func tally(_ clause: ClauseID, _ messages: [HeardMessage]) -> Tally {
      var (times, collector) = (MulticastTimes(), all)
      times.placesMaximum = 2
      for message in messages { times.judge(message, &collector) }
      return collector.tally(clause, PartyID(1))
    }
    let records = ([1_000, 1_001, 1_002] as [UInt16]).map { record($0) }
    expectEqual(tally(.oncePerSecond, [heard(records), heard(records, at: 500)]), Tally(violated: 2))
    expectEqual(tally(.oncePerSecond, [heard(records)]), never)
    func probes(at milliseconds: Int64) -> HeardMessage {
      var probe = heard([], flags: .query, at: milliseconds)
      probe.message.questions = names.map { DNSQuestion($0, .any) }
      probe.message.authorities = names.map { LinkTalk.machine($0) }
      return probe
    }
    // Each probe of a name that is followed is of type ANY, and the second one is too early.
    expectEqual(tally(.probes, [probes(at: 0), probes(at: 100)]), Tally(held: 4, violated: 2))
  }

  @Test("records that nobody asked for are followed while there is room for one more")
  func unasked() {
    func brokenCount(_ room: Int) -> UInt32 {
      var (talk, collector) = (MulticastTalk(), FindingCollector { _ in true })
      talk.placesMaximum = room
      for time in [0, 1_000, 2_000] as [Int64] {
        talk.answer(
          heard([record(1_000)], at: time), restart: Instant(nanoseconds: .min), MulticastSaid(), &collector)
      }
      return collector.tally(.announcements, PartyID(1)).violated
    }
    expectEqual([0, 1, 2].map(brokenCount), [0, 0, 1])
  }

  @Test("without room a name that is probed for gets another link, and a new name none")
  func probedLinks() {
    let names = ["a.local", "b.local"].map { DNSName($0)! }
    var times = MulticastTimes()
    var collector = FindingCollector { _ in true }
    func at(_ number: UInt64, _ message: HeardMessage) -> HeardMessage {
      var message = message
      message.link.number = number
      return message
    }
    times.placesMaximum = 1
    for (name, number) in [(names[0], 1), (names[0], 2), (names[1], 1)] as [(DNSName, UInt64)] {
      var probe = heard([], flags: .query, by: 2)
      probe.message.questions = [DNSQuestion(name, .any)]
      probe.message.authorities = [LinkTalk.machine(name)]
      times.judge(at(number, probe), &collector)
    }
    times.placesMaximum = MulticastTimes.placesMaximum
    /// Whether a record of this name may be said twice in half a second, since somebody probed for it on the link.
    func isProbed(_ name: DNSName, on number: UInt64) -> Bool {
      var (copy, rulings) = (times, FindingCollector { _ in true })
      for time in [100, 500] as [Int64] { copy.judge(at(number, heard([LinkTalk.machine(name)], at: time)), &rulings) }
      return rulings.tally(.oncePerSecond, PartyID(1)).violated == 0
    }
    expectEqual(
      [isProbed(names[0], on: 1), isProbed(names[0], on: 2), isProbed(names[0], on: 3)], [true, true, false])
    expectEqual(isProbed(names[1], on: 1), false)
  }

  @Test("a link of a trace that tells no network may be any link, and one of a capture is the one that it is (MD-16)")
  func unknownLinks() {
    /// Whether a probe on one link is a reason to say a record again on another one.
    func isReason(_ probed: UInt64, _ said: UInt64, host: Int32 = 0) -> Bool {
      var (times, collector) = (MulticastTimes(), FindingCollector { _ in true })
      func judge(_ message: HeardMessage, _ number: UInt64) {
        var message = message
        (message.link.number, message.observation.host) = (number, host)
        times.judge(message, &collector)
      }
      var probe = heard([], flags: .query, by: 2)
      probe.message.questions = [DNSQuestion(MulticastFixture.host, .any)]
      probe.message.authorities = [LinkTalk.machine()]
      judge(probe, probed)
      for time in [100, 500] as [Int64] { judge(heard([LinkTalk.machine()], at: time), said) }
      return collector.tally(.oncePerSecond, PartyID(1)).violated == 0
    }
    expectEqual([isReason(7, 7), isReason(7, 8), isReason(0, 7), isReason(7, 0)], [true, false, true, true])
    expectEqual([isReason(0, 0, host: -1), isReason(0, 7, host: -1), isReason(7, 0, host: -1)], [true, false, false])
  }

  @Test("without room a known owner takes new data, and new records and instances are left out")
  func owners() {
    var duties = MulticastDuties()
    var collector = FindingCollector { _ in true }
    duties.placesMaximum = 2
    duties.answer(heard([record(1_000, isFlush: true), record(1_001, isFlush: true)]), MulticastSaid(), &collector)
    let later = [record(1_000, [5], isFlush: true), record(1_002, isFlush: true)]
    duties.answer(heard(later, at: 1_000), MulticastSaid(), &collector)
    /// Conflicts of the first host with another one that says this.
    func conflictCount(_ type: UInt16, _ byte: UInt8) -> UInt32 {
      var (copy, rulings) = (duties, FindingCollector { _ in true })
      copy.answer(heard([record(type, [byte], isFlush: true)], by: 2, at: 2_000), MulticastSaid(), &rulings)
      copy.close(at: .zero + .seconds(60), &rulings)
      return rulings.tally(.laterConflict, PartyID(1)).violated
    }
    expectEqual([conflictCount(1_000, 5), conflictCount(1_001, 9), conflictCount(1_002, 9)], [0, 1, 0])

    let services = ["A", "B", "C"].map { LinkTalk.service(MulticastFixture.type.adding($0)!) }
    duties.answer(heard(services, at: 2_000), MulticastSaid(), &collector)
    duties.close(at: .zero + .seconds(60), &collector)
    expectEqual(collector.tally(.serviceRecords, PartyID(1)), Tally(violated: 2))
  }

  @Test("of three duties the first two are followed where there is room for two")
  func dutiesFollowed() {
    var (said, duties) = (MulticastSaid(), MulticastDuties())
    var collector = FindingCollector { _ in true }
    duties.dutiesMaximum = 2
    let types: [UInt16] = [1_000, 1_001, 1_002]
    said.note(heard(types.map { record($0) }))
    duties.answer(heard(types.map { record($0, ttl: 10) }, by: 2, at: 1_000), said, &collector)
    duties.close(at: .zero + .seconds(60), &collector)
    expectEqual(collector.tally(.lowTTLOfOthers, PartyID(1)), Tally(violated: 2))
  }
}
