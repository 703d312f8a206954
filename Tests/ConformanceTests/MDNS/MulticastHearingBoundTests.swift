import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// What hosts of a run heard and do all the same, and what one message shows, at the bounds and one beyond.
@Suite("Bounds of what hosts of a run heard") struct MulticastHearingBoundTests {
  private typealias Fixture = MulticastFixture
  private typealias Talk = LinkTalk

  /// A question of host 1.
  private func asks(
    at milliseconds: Int64, _ name: DNSName = Fixture.type, _ type: DNSType = .ptr, known: [DNSRecord] = []
  ) -> Talk.Packet {
    Talk.sent(Talk.asked(at: milliseconds, name, type, known: known), by: 1)
  }
  /// An answer as it comes to host 1.
  private func hears(_ records: [DNSRecord], at milliseconds: Int64) -> Talk.Packet {
    Talk.came(Talk.said(records, at: milliseconds), to: 1)
  }
  /// The question of another host as it comes to host 1.
  private func othersAsk(
    at milliseconds: Int64, _ name: DNSName = Fixture.type, _ type: DNSType = .ptr, known: [DNSRecord] = []
  ) -> Talk.Packet {
    Talk.came(Talk.asked(at: milliseconds, name, type, known: known, by: 3), to: 1)
  }

  @Test("a record is asked for from 80 % of its TTL to its end, and not before where it has one owner (MD-06) (MD-07)")
  func refreshed() {
    let rows: [(Int64, String)] = [
      (95_954, "0 0 0"), (95_955, "1 0 0"), (120_055, "1 0 0"), (120_056, "0 1 0"), (122_005, "0 1 0"),
      (122_006, "0 0 0"),
    ]
    Talk.check(.refreshQueries, rows) { time in
      [asks(at: 0, Fixture.host, .a), hears([Fixture.address()], at: 5), asks(at: time, Fixture.host, .a)]
    }
    // A life of less than 30 s has no room for four queries.
    Talk.check(.refreshQueries, [(29, "0 0 0"), (30, "0 1 0")]) { seconds in
      [
        asks(at: 0, Fixture.host, .a), hears([Fixture.address(UInt32(seconds))], at: 5),
        asks(at: seconds * 1_000 + 100, Fixture.host, .a),
      ]
    }
    // Another host's question stands for one of its own from 50 ms before 80 % of the TTL on.
    Talk.check(.refreshQueries, [(95_954, "0 1 0"), (95_955, "0 0 0")]) { time in
      [
        asks(at: 0, Fixture.host, .a), hears([Fixture.address()], at: 5),
        othersAsk(at: time, Fixture.host, .a, known: [Fixture.address()]), asks(at: 121_000, Fixture.host, .a),
      ]
    }
    unique()
  }

  /// What its one owner answered is not asked for by the next query of the series, until 80 % of its TTL (MD-07).
  private func unique() {
    let (name, address) = (Fixture.host, Fixture.address())
    let rows: [(Int64, String)] = [(1_500, "0 1 0"), (1_501, "0 0 0"), (95_954, "0 0 0"), (95_955, "1 0 0")]
    Talk.check(.uniqueAnswerEnds, rows) { time in
      [asks(at: 0, name, .a), hears([address], at: 5), asks(at: time, name, .a)]
    }
    // The next one of a series comes after twice the gap, a half of one more or less.
    let next: [(Int64, String)] = [(2_499, "0 0 0"), (2_500, "0 1 0"), (3_500, "0 1 0"), (3_501, "0 0 0")]
    Talk.check(.uniqueAnswerEnds, next) { time in
      [asks(at: 0, name, .a), asks(at: 1_000, name, .a), hears([address], at: 1_005), asks(at: time, name, .a)]
    }
  }

  @Test("an answer ends the questions where it is unique, not taken back, and came since the last one (MD-07)")
  func ends() {
    let (name, address) = (Fixture.host, Fixture.address())
    Talk.check(.uniqueAnswerEnds, [(1_000, "0 0 0")]) {
      [asks(at: 0), hears([Fixture.pointer()], at: 5), asks(at: $0)]
    }
    Talk.check(.uniqueAnswerEnds, [(120, "0 1 0"), (0, "0 0 0")]) { seconds in
      [
        asks(at: 0, name, .a), hears([address], at: 5), hears([Fixture.address(UInt32(seconds))], at: 15),
        asks(at: 1_000, name, .a),
      ]
    }
    // At the time of a question it is an answer to that one.
    Talk.check(.uniqueAnswerEnds, [(999, "0 1 0"), (1_000, "0 2 0")]) { time in
      [asks(at: 0, name, .a), hears([address], at: time), asks(at: 1_000, name, .a), asks(at: 3_000, name, .a)]
    }
    // Of two the first one counts.
    Talk.check(.uniqueAnswerEnds, [(23_954, "0 0 0"), (23_955, "1 0 0")]) { time in
      [asks(at: 0, name, .a), hears([Fixture.address(30), Talk.address(2)], at: 5), asks(at: time, name, .a)]
    }
    // The application lost something when the host asked, or a millisecond before.
    Talk.check(.uniqueAnswerEnds, [(999, "0 1 0"), (1_000, "0 0 0")]) { time in
      let lost = Fixture.with(asks(at: time)) { $0.event = .told(.lost(device: "peer:Lamp", cause: .expired)) }
      return [
        asks(at: 0, name, .a), lost, asks(at: 1_000, name, .a), hears([address], at: 1_005), asks(at: 3_000, name, .a),
      ]
    }
    // NSEC is not followed, even where it is asked for.
    let types = DNSRecord(name, .nsec(next: name, types: [.a]), ttlSeconds: 120, isCacheFlush: true)
    Talk.check(.uniqueAnswerEnds, [(1_000, "0 0 0")]) {
      [asks(at: 0, name, .nsec), hears([types], at: 5), asks(at: $0, name, .nsec)]
    }
  }

  @Test("a unique record ends others that are older than a second, and ended ones are kept for 5 s (MD-06) (MD-07)")
  func older() {
    let name = Fixture.host
    Talk.check(.refreshQueries, [(1_005, "1 0 0"), (1_006, "0 0 0")]) { time in
      [
        asks(at: 0, name, .a), hears([Fixture.address()], at: 5), hears([Talk.address(2)], at: time),
        asks(at: 95_955, name, .a),
      ]
    }
    // A goodbye ends its own record alone.
    Talk.check(.refreshQueries, [(0, "1 0 0"), (1, "0 0 0")]) { seconds in
      var last = Talk.address(2)
      last.ttlSeconds = UInt32(seconds)
      return [
        asks(at: 0, name, .a), hears([Fixture.address(), Talk.address(2)], at: 5), hears([last], at: 2_000),
        asks(at: 95_955, name, .a),
      ]
    }
    let shared = DNSRecord(name, .address(IPAddress(10, 0, 0, 9)), ttlSeconds: 120)
    Talk.check(.uniqueAnswerEnds, [(6_005, "1 0 0"), (6_006, "0 0 0")]) { time in
      [
        asks(at: 0, name, .a), hears([Fixture.address(1)], at: 5), hears([shared], at: time),
        asks(at: 10_000, name, .a),
      ]
    }
  }

  @Test("a host remembers 64 records of a name and type, and none from before its first query (MD-06)")
  func remembered() {
    Talk.check(.refreshQueries, [(63, "1 0 0"), (64, "0 0 0")]) { place in
      let records = (Int64(0)..<65).map { number in
        let seconds: UInt32 = number == place ? 100 : 4_500
        return Fixture.pointer(Fixture.type, Fixture.type.adding("P\(number)")!, seconds)
      }
      return [asks(at: 0), hears(records, at: 30), asks(at: 79_980)]
    }
    // A host that has only answered yet, and whose answer came back to it, listens for that name alone.
    let own = Talk.said([Fixture.address()], at: 0)
    let start = [Talk.up, Talk.sent(own, by: 0), Talk.came(Talk.by(1, at: 1, own), to: 0)]
    let short = Fixture.pointer(Fixture.type, Fixture.instance, 100)
    let rest = [
      Talk.came(Talk.said([short], at: 30, by: 2), to: 0), Talk.sent(Talk.asked(at: 79_980, by: 1), by: 0),
    ]
    Talk.check(.refreshQueries, [(0, "0 0 0"), (1, "1 0 0")]) { count in
      let asked = Talk.sent(Talk.asked(at: 10, Fixture.instance, .txt, by: 1), by: 0)
      return count == 0 ? start + rest : start + [asked] + rest
    }
  }

  @Test("a question that another host asked in the last half second is not asked, unless the two crossed (MD-27)")
  func duplicateQuestions() {
    let rows: [(Int64, String)] = [(720, "0 0 0"), (721, "0 1 0"), (1_200, "0 1 0"), (1_201, "1 0 0")]
    Talk.check(.duplicateQuestion, rows) { [asks(at: 0), othersAsk(at: 700), asks(at: $0)] }
    // The same 9 ms later came over the other family; 10 ms later it is another question, and two are no reason.
    Talk.check(.duplicateQuestion, [(709, "0 1 0"), (710, "0 0 0")]) {
      [asks(at: 0), othersAsk(at: 700), othersAsk(at: $0), asks(at: 1_000)]
    }
    // A question at the same instant is no earlier one.
    Talk.check(.duplicateQuestion, [(0, "0 0 0"), (1, "0 1 0")]) { [asks(at: 0), othersAsk(at: $0), asks(at: 400)] }
  }

  @Test("what two queries of others brought no answer for is no known answer ten seconds later (MD-46)")
  func failures() {
    let start = [asks(at: 0), hears([Fixture.pointer()], at: 30)]
    let vain = start + [othersAsk(at: 3_000), othersAsk(at: 6_000)]
    Talk.check(.passiveFailures, [(16_050, "0 0 0"), (16_051, "1 0 0")]) { vain + [asks(at: $0)] }
    Talk.check(.passiveFailures, [(16_050, "0 0 0"), (16_051, "0 1 0")]) {
      vain + [asks(at: $0, known: [Fixture.pointer()])]
    }
    // A record that is left out is forgotten, and counts once.
    Talk.check(.passiveFailures, [(40_000, "1 0 0")]) { vain + [asks(at: 16_051), asks(at: $0)] }
    // Who said it within the last second says it no more.
    Talk.check(.passiveFailures, [(1_029, "0 0 0"), (1_030, "1 0 0")]) {
      start + [othersAsk(at: $0), othersAsk(at: 6_000), asks(at: 30_000)]
    }
  }

  @Test("what a host of a run asks first, takes for another host and says of its addresses (MD-04) (MD-40) (MD-47)")
  func ownPackets() {
    let first = [Talk.probed(at: 0), Talk.probed(at: 250), Talk.probed(at: 500)]
    let said = [Talk.said([Fixture.address()], at: 750), Talk.said([Fixture.address()], at: 1_750)]
    let course = [Talk.up] + (first + said).map { Talk.sent($0, by: 0) }
    Talk.check(.ownPackets, [(3_751, "0 1 0"), (3_752, "1 0 0")]) {
      course + [
        Talk.came(Talk.said([Fixture.address()], at: 1_751), to: 0), Talk.sent(Talk.probed(at: $0), by: 0),
      ]
    }
    firstQuery()
    addresses()
  }

  @Test("a response that came back is settled after 2 s by the next message that the host hears or sends (MD-40)")
  func settled() {
    let own = Talk.said([Fixture.address()], at: 1_750)
    let course = [Talk.up, Talk.sent(own, by: 0), Talk.came(Talk.by(1, at: 1_751, own), to: 0)]
    // Till then another host's response for the name may be a conflict.
    let rows: [(Int64, String)] = [(3_751, "0 0 0"), (3_752, "1 0 0")]
    Talk.check(.ownPackets, rows) { course + [Talk.came(Talk.said([Talk.machine()], at: $0, by: 2), to: 0)] }
    // A browse begins anew with nothing.
    let browsed = Fixture.with(Fixture.query()) { ($0.milliseconds, $0.host, $0.event) = (6_000, 0, .browsed) }
    Talk.check(.ownPackets, rows) { course + [Talk.sent(Talk.said([Talk.service()], at: $0), by: 0), browsed] }
    // Each name is settled once, however often it came back.
    Talk.check(.ownPackets, [(1, "1 0 0"), (2, "2 0 0")]) { count in
      let both = Talk.said(Array([Fixture.address(), Talk.service()].prefix(Int(count))), at: 1_750)
      let back = ([1_751, 1_760] as [Int64]).map { Talk.came(Talk.by(1, at: $0, both), to: 0) }
      return [Talk.up, Talk.sent(both, by: 0)] + back
    }
  }

  @Test("a host says that it has 64 names, by unique records that are no NSEC and not taken back (MD-40)")
  func announcedNames() {
    func course(_ records: [DNSRecord], _ probed: DNSName = Fixture.host) -> [Talk.Packet] {
      let own = Talk.said(records, at: 0)
      return [
        Talk.up, Talk.sent(own, by: 0), Talk.came(Talk.by(1, at: 1, own), to: 0),
        Talk.sent(Talk.probed(probed, at: 150), by: 0),
      ]
    }
    Talk.check(.ownPackets, [(0, "0 0 0"), (1, "0 1 0")]) { course([Fixture.address(UInt32($0))]) }
    let types = DNSRecord(
      Fixture.host, .nsec(next: Fixture.host, types: [.a]), ttlSeconds: 120, isCacheFlush: true)
    Talk.check(.ownPackets, [(0, "0 0 0")]) { _ in course([Talk.machine(), types]) }
    let names = (0..<65).map { DNSName("h\($0).local")! }
    let records = names.map { DNSRecord($0, .address(IPAddress(10, 0, 0, 1)), ttlSeconds: 120, isCacheFlush: true) }
    Talk.check(.ownPackets, [(63, "63 1 0"), (64, "64 0 0")]) { course(records, names[Int($0)]) }
  }

  /// The first query comes 20 ms behind the interface, with a millisecond for clocks (MD-04).
  private func firstQuery() {
    Talk.check(.firstQueryDelay, [(18, "0 1 0"), (19, "1 0 0")]) {
      [Talk.up, Talk.sent(Talk.asked(at: $0, by: 1), by: 0)]
    }
  }

  /// An address that is taken back may be of any interface, one that is said is of its own (MD-47).
  private func addresses() {
    func tally(_ records: [DNSRecord]) -> String {
      Fixture.judged([Talk.up, Talk.sent(Talk.said(records, at: 0), by: 0)]).sum(.perInterface)
    }
    var gone = Talk.address(9)
    gone.ttlSeconds = 0
    expectEqual(tally([Fixture.address(), gone]), "1 0 0")
    expectEqual(tally([gone]), "0 0 0")
    expectEqual(tally([Fixture.address(), Talk.address(9)]), "0 1 0")
  }

  @Test("TTLs are 120 s of what has the name of a host and 4500 s of all else, to the second (MD-41)")
  func recommended() {
    func tally(_ record: DNSRecord) -> String { Fixture.judged([Talk.said([record], at: 0)]).sum(.recommendedTTL) }
    func text(_ seconds: UInt32) -> DNSRecord { DNSRecord(Fixture.instance, .txt([0]), ttlSeconds: seconds) }
    func wide(_ seconds: UInt32) -> DNSRecord {
      DNSRecord(Fixture.host, .address(IPAddress(v6High: 0xFE80 << 48, low: 1)), ttlSeconds: seconds)
    }
    let (held, broken, none) = ("1 0 0", "0 1 0", "0 0 0")
    let rows: [(DNSRecord, String)] = [
      (Talk.service(), held), (Talk.service(Fixture.instance, 119), broken),
      (Talk.service(Fixture.instance, 121), broken), (text(4_500), held), (text(4_499), broken), (text(120), broken),
      (wide(120), held), (wide(4_500), broken), (Fixture.address(0), none), (text(0), none), (Talk.machine(), none),
      (Fixture.pointer(DNSName("1.0.0.10.in-addr.arpa")!, Fixture.host, 60), none),
    ]
    for (record, expected) in rows { expectEqual(tally(record), expected, "\(record)") }
  }

  @Test("sizes, letters and header bits of one message at their bounds")
  func sizes() {
    var query = Fixture.query()
    query.source.address = IPAddress(v6High: 0xFE80 << 48, low: 2)
    query.destination.address = IPAddress(v6High: 0xFF02 << 48, low: 0xFB)
    for (count, tally) in [(8_952, "1 0 0"), (8_953, "0 1 0")] as [(Int, String)] {
      query.paddingBytes = count - query.message.bytes.count
      expectEqual(Fixture.judged([query]).sum(.packetSize), tally, "\(count)")
    }
    var whole = Talk.said([Fixture.pointer()], at: 0)
    whole.message.additionals = [Talk.service(), Fixture.text([0])]
    for (count, tally) in [(1_000, "1 1 0"), (1_001, "1 0 0")] as [(Int, String)] {
      var bare = Talk.said([Fixture.pointer()], at: 5_000)
      bare.paddingBytes = count - bare.message.bytes.count
      let judgement = Fixture.judged([whole, bare])
      expectEqual(judgement.sum(.additionalRecords), tally, "\(count)")
      let missing = judgement.rows.filter { $0.finding.clause == .additionalRecords }.map(\.finding.found)
      expectEqual(missing, count > 1_000 ? [] : ["no SRV of Lamp._x._tcp.local, no TXT of Lamp._x._tcp.local"])
    }
    letters()
  }

  /// Names of hosts and keys of texts have no control characters, and a header tells each of its wrong bits.
  private func letters() {
    func name(_ byte: UInt8) -> String {
      let record = DNSRecord(DNSName.local.adding([byte])!, .address(IPAddress(10, 0, 0, 1)), ttlSeconds: 120)
      return Fixture.judged([Talk.said([record], at: 0)]).sum(.nameBytes)
    }
    expectEqual([0x1F, 0x20, 0x7E, 0x7F].map(name), ["0 1 0", "1 0 0", "1 0 0", "0 1 0"])
    func key(_ byte: UInt8) -> String {
      Fixture.judged([Talk.said([Fixture.text([2, byte, 61])], at: 0)]).sum(.textKeys)
    }
    expectEqual([0x1F, 0x20, 0x7E, 0x7F].map(key), ["0 1 0", "1 0 0", "1 0 0", "0 1 0"])
    var response = Fixture.response([Fixture.pointer()], id: 1)
    response.message.flags.isAuthoritative = false
    response.message.flags.opcode = 1
    response.message.flags.responseCode = 2
    response.message.flags.isTruncated = true
    response.message.flags.recursionAvailable = true
    response.message.flags.isReservedBitSet = true
    response.message.flags.isAuthenticData = true
    response.message.flags.isCheckingDisabled = true
    let finding = Fixture.judged([response]).rows.first { $0.finding.clause == .headerBits }?.finding
    expectEqual(finding?.found, "id 1, no AA, opcode 1, rcode 2, TC, RA, Z, AD, CD")
    expectEqual(finding?.expected, "only QR and AA")
    // To one host an id and TC may stand.
    let reply = Talk.to(2, Fixture.response([Fixture.pointer()], flags: Fixture.flags { $0.isTruncated = true }, id: 1))
    expectEqual(Fixture.judged([reply]).sum(.headerBits), "1 0 0")
  }
}
