import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Names and records that hosts of a link have, want, change and take back, at the bounds and a millisecond beyond.
@Suite("Bounds of names and records on a link") struct MulticastClaimBoundTests {
  private typealias Fixture = MulticastFixture
  private typealias Talk = LinkTalk

  @Test("an answer up to 250 ms behind a probe is a conflict, and fifteen ask for a pause (MD-31) (MD-32)")
  func probeConflicts() {
    let probes = [Talk.probed(at: 0), Talk.probed(at: 250)]
    Talk.check(.probeConflict, [(500, "0 1 0"), (501, "0 0 0")]) {
      probes + [Talk.said([Talk.machine()], at: $0, by: 2), Talk.said([Fixture.address()], at: 750)]
    }
    Talk.check(.probeConflict, [(10_260, "0 1 0"), (10_261, "1 0 0")]) {
      probes + [Talk.said([Talk.machine()], at: 260, by: 2), Talk.said([Fixture.address()], at: $0)]
    }
    // An answer for another name, and one of its own, are none.
    Talk.check(.probeConflict, [(260, "0 0 0")]) {
      probes + [
        Talk.said([Talk.machine(Fixture.instance)], at: $0, by: 2), Talk.said([Talk.machine()], at: $0),
        Talk.said([Fixture.address()], at: 750),
      ]
    }
    probeRate()
  }

  /// Fifteen conflicts within ten seconds ask for five seconds of silence, fourteen do not (MD-32).
  private func probeRate() {
    /// Names that another host has, one at each of the times, and one more at the end.
    func losing(at times: [Int64], then last: Int64) -> [Talk.Packet] {
      let names: [DNSName] = (0...times.count).map { DNSName("h\($0).local")! }
      let lost = times.indices.flatMap { number -> [Talk.Packet] in
        let (name, time) = (names[number], times[number])
        return [Talk.probed(name, at: time), Talk.said([Talk.machine(name)], at: time + 5, by: 2)]
      }
      return lost + [Talk.probed(names[times.count], at: last)]
    }
    /// So many names, one every `step`.
    func talk(_ count: Int64, every step: Int64, then last: Int64) -> [Talk.Packet] {
      losing(at: (0..<count).map { $0 * step }, then: last)
    }
    Talk.check(.probeRate, [(6_354, "0 1 0"), (6_355, "1 0 0")]) { talk(15, every: 100, then: $0) }
    Talk.check(.probeRate, [(714, "0 1 0"), (715, "0 0 0")]) { talk(15, every: $0, then: 14 * $0 + 1_005) }
    Talk.check(.probeRate, [(14, "0 0 0"), (16, "0 2 0")]) { talk($0, every: 100, then: 2_000) }
    // From the first conflict to the last there are ten seconds to the millisecond.
    let fourteen = (0..<14).map { Int64($0) * 100 }
    Talk.check(.probeRate, [(10_000, "0 1 0"), (10_001, "0 0 0")]) {
      losing(at: fourteen + [$0], then: 11_000)
    }
  }

  @Test("two probes up to 300 ms apart meet: the earlier data waits a second, the same data loses nothing (MD-33)")
  func tieBreak() {
    Talk.check(.tieBreak, [(300, "0 1 0"), (301, "0 0 0")]) {
      [Talk.probed(at: 0), Talk.probed(Fixture.host, 2, at: $0, by: 2), Talk.probed(at: $0 + 250)]
    }
    Talk.check(.tieBreak, [(120, "0 0 0"), (121, "0 1 0"), (1_049, "0 1 0"), (1_050, "1 0 0")]) {
      [Talk.probed(at: 0), Talk.probed(Fixture.host, 2, at: 100, by: 2), Talk.probed(at: $0)]
    }
    // The data of the second host: the same, and earlier.
    Talk.check(.tieBreak, [(1, "0 0 0"), (0, "0 0 0"), (2, "0 1 0")]) {
      [Talk.probed(at: 0), Talk.probed(Fixture.host, UInt8($0), at: 100, by: 2), Talk.probed(at: 250)]
    }
    lists()
    equalData()
  }

  /// Where all records of a list begin another one, the longer one wins (MD-35).
  private func lists() {
    func proposes(_ count: Int64, at milliseconds: Int64, by last: UInt8) -> Talk.Packet {
      Fixture.with(Talk.probed(at: milliseconds, by: last)) { packet in
        packet.message.authorities = (1...UInt8(count)).map { number in
          DNSRecord(Fixture.host, .address(IPAddress(10, 0, 0, number)), ttlSeconds: 120)
        }
      }
    }
    Talk.check(.tieBreakLists, [(1, "0 1 0"), (2, "0 0 0")]) {
      [proposes($0, at: 0, by: 1), proposes(3 - $0, at: 100, by: 2), proposes($0, at: 250, by: 1)]
    }
  }

  /// Who probes for another name up to two seconds behind its own data gave a name up for nothing (MD-34).
  private func equalData() {
    Talk.check(.equalData, [(2_260, "0 1 0"), (2_261, "0 0 0")]) {
      [
        Talk.probed(at: 0), Talk.probed(at: 250), Talk.said([Fixture.address(isFlush: false)], at: 260, by: 2),
        Talk.probed(DNSName("h-2.local")!, at: $0),
      ]
    }
  }

  @Test("changed data is announced again 1 to 3 s behind the first time, 50 ms less at the least (MD-38)")
  func changedData() {
    let rows: [(Int64, String)] = [(5_949, "0 1 0"), (5_950, "1 0 0"), (8_000, "1 0 0"), (8_001, "0 1 0")]
    let changed = [Talk.said([Fixture.text([0])], at: 0), Talk.said([Fixture.text([1, 97])], at: 5_000)]
    Talk.check(.changedData, rows) { changed + [Talk.said([Fixture.text([1, 97])], at: $0)] }
    // Of what changes together each record is announced again: of two names, and of one name and type.
    let two = [Fixture.text([1, 97]), Talk.address(9)]
    Talk.check(.changedData, [(0, "0 2 0"), (1, "1 1 0"), (2, "2 0 0")]) { count in
      [
        Talk.said([Fixture.text([0]), Talk.address(1)], at: 0), Talk.said(two, at: 5_000),
        Talk.said(Array(two.prefix(Int(count))), at: 6_000),
      ]
    }
    let same = [Talk.address(8), Talk.address(9)]
    Talk.check(.changedData, [(1, "1 1 0"), (2, "2 0 0")]) { count in
      [
        Talk.said([Talk.address(1)], at: 0), Talk.said(same, at: 5_000),
        Talk.said(Array(same.suffix(Int(count))), at: 6_000),
      ]
    }
    // What changes again meanwhile is announced with its last data.
    Talk.check(.changedData, [(5_500, "1 0 0")]) { time in
      changed + [time, time + 1_000].map { Talk.said([Fixture.text([1, 98])], at: $0) }
    }
    // The data of another host is no change of one's own.
    Talk.check(.changedData, [(1, "0 1 0"), (2, "0 0 0")]) {
      [Talk.said([Fixture.text([0])], at: 0), Talk.said([Fixture.text([1, 97])], at: 5_000, by: UInt8($0))]
    }
  }

  @Test("what another host says of an owned record is answered in time, by a probe or the record (MD-39) (MD-22)")
  func laterConflict() {
    let own = Talk.said([Fixture.address()], at: 0)
    Talk.check(.laterConflict, [(11_000, "1 0 0"), (11_001, "0 1 0")]) {
      [own, Talk.said([Talk.address(9)], at: 5_000, by: 2), Talk.probed(at: $0)]
    }
    Talk.check(.laterConflict, [(120_000, "0 1 0"), (120_001, "0 0 0")]) {
      [own, Talk.said([Talk.address(9)], at: $0, by: 2)]
    }
    // The same data, and what is shared.
    Talk.check(.laterConflict, [(1, "0 0 0"), (9, "0 1 0")]) {
      [own, Talk.said([Talk.address(UInt8($0))], at: 5_000, by: 2)]
    }
    let shared = DNSRecord(Fixture.host, .address(IPAddress(10, 0, 0, 9)), ttlSeconds: 120)
    Talk.check(.laterConflict, [(5_000, "0 0 0")]) { [own, Talk.said([shared], at: $0, by: 2)] }
    // Other data that its host takes back at once.
    Talk.check(.laterConflict, [(0, "0 0 0"), (1, "0 1 0")]) { seconds in
      var other = Talk.address(9)
      other.ttlSeconds = UInt32(seconds)
      return [own, Talk.said([other], at: 5_000, by: 2)]
    }
    // An owner that probes for the name has the record no more, one that probes for another name has.
    Talk.check(.laterConflict, [(0, "0 0 0"), (1, "0 1 0")]) { number in
      [
        own, Talk.probed(number == 0 ? Fixture.host : Fixture.instance, at: 3_000),
        Talk.said([Talk.address(9)], at: 5_000, by: 2),
      ]
    }
    // Sixteen owners of one record are known.
    Talk.check(.laterConflict, [(15, "0 15 0"), (16, "0 16 0"), (17, "0 16 0")]) { count in
      let owners: [Talk.Packet] = (1...count).map { Talk.said([Talk.address(1)], at: $0, by: UInt8($0)) }
      return owners + [Talk.said([Talk.address(99)], at: 5_000, by: 99)]
    }
    lowTTL()
  }

  @Test("a host that leaves has nothing to answer, unless it speaks again behind that (MD-39) (MD-22)")
  func leaving() {
    func leaves(_ host: Int32, at milliseconds: Int64) -> Talk.Packet {
      Fixture.with(Fixture.query()) { ($0.milliseconds, $0.host, $0.event) = (milliseconds, host, .deed(.vanish)) }
    }
    let own = Talk.sent(Talk.said([Fixture.address()], at: 1_000), by: 0)
    let other = Talk.sent(Talk.said([Talk.address(9)], at: 5_000, by: 2), by: 1)
    Talk.check(.laterConflict, [(999, "0 1 0"), (1_000, "0 0 0")]) { [leaves(0, at: $0), own, other] }
    Talk.check(.laterConflict, [(0, "0 0 0"), (1, "0 1 0")]) { [own, other, leaves(Int32($0), at: 6_000)] }
    let said = Talk.sent(Talk.said([Fixture.pointer()], at: 1_000), by: 0)
    func low(by host: Int32) -> Talk.Packet {
      Talk.sent(Talk.said([Fixture.pointer(Fixture.type, Fixture.instance, 0)], at: 5_000, by: 2), by: host)
    }
    Talk.check(.lowTTLOfOthers, [(999, "0 1 0"), (1_000, "0 0 0")]) { [leaves(0, at: $0), said, low(by: 1)] }
    Talk.check(.lowTTLOfOthers, [(0, "0 0 0"), (1, "0 1 0")]) { [said, low(by: 1), leaves(Int32($0), at: 6_000)] }
  }

  @Test("a host answers nothing that it says itself with another of its addresses (MD-39) (MD-22)")
  func ownAddresses() {
    func up(_ host: Int32, _ last: [UInt8]) -> Talk.Packet {
      let addresses = last.map { InterfaceAddress(IPAddress(10, 0, 0, $0), prefixBits: 24) }
      let change = InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: addresses)
      return Fixture.with(Talk.up) { ($0.host, $0.event) = (host, .interface(change)) }
    }
    let hosts = [up(0, [1, 2]), up(1, [3])]
    let own = Talk.sent(Talk.said([Fixture.address(), Fixture.pointer()], at: 1_000), by: 0)
    func other(_ record: DNSRecord, by host: Int64) -> Talk.Packet {
      Talk.sent(Talk.said([record], at: 5_000, by: host == 0 ? 2 : 3), by: Int32(host))
    }
    Talk.check(.laterConflict, [(0, "0 0 0"), (1, "0 1 0")]) { hosts + [own, other(Talk.address(9), by: $0)] }
    Talk.check(.lowTTLOfOthers, [(0, "0 0 0"), (1, "0 1 0")]) {
      hosts + [own, other(Fixture.pointer(Fixture.type, Fixture.instance, 0), by: $0)]
    }
  }

  /// A record that another host gives less than half its TTL is said again within two seconds (MD-22).
  private func lowTTL() {
    func low(_ seconds: UInt32) -> [Talk.Packet] {
      [
        Talk.said([Fixture.pointer()], at: 0),
        Talk.said([Fixture.pointer(Fixture.type, Fixture.instance, seconds)], at: 5_000, by: 2),
      ]
    }
    Talk.check(.lowTTLOfOthers, [(7_000, "1 0 0"), (7_001, "0 1 0")]) {
      low(2_249) + [Talk.said([Fixture.pointer()], at: $0)]
    }
    Talk.check(.lowTTLOfOthers, [(2_249, "0 1 0"), (2_250, "0 0 0")]) { low(UInt32($0)) }
    // The same again within those two seconds asks for nothing more.
    Talk.check(.lowTTLOfOthers, [(7_000, "0 1 0"), (7_001, "0 2 0")]) { time in
      low(2_000) + [Talk.said([Fixture.pointer(Fixture.type, Fixture.instance, 2_000)], at: time, by: 2)]
    }
    // A record is kept alive to its end.
    let (own, others) = (
      Fixture.pointer(Fixture.type, Fixture.instance, 100), Fixture.pointer(Fixture.type, Fixture.instance, 49)
    )
    Talk.check(.lowTTLOfOthers, [(100_000, "0 1 0"), (100_001, "0 0 0")]) {
      [Talk.said([own], at: 0), Talk.said([others], at: $0, by: 2)]
    }
    // Sixteen hosts that say one record are known.
    Talk.check(.lowTTLOfOthers, [(15, "0 15 0"), (16, "0 16 0"), (17, "0 16 0")]) { count in
      let sayers: [Talk.Packet] = (1...count).map { Talk.said([own], at: $0, by: UInt8($0)) }
      return sayers + [Talk.said([others], at: 5_000, by: 99)]
    }
  }

  @Test("an instance with SRV has TXT in three seconds, a record ends a second behind its goodbye (MD-56) (MD-42)")
  func serviceRecords() {
    let other = Fixture.type.adding("B")!
    for (end, tally) in [(3_000, "0 0 0"), (3_001, "0 1 0")] as [(Int64, String)] {
      let judgement = Fixture.judged([Talk.said([Talk.service()], at: 0)], end: end, isComplete: true)
      expectEqual(judgement.sum(.serviceRecords), tally, "\(end)")
    }
    Talk.check(.serviceRecords, [(3_500, "1 1 0")]) {
      [Talk.said([Talk.service(), Talk.service(other)], at: 0), Talk.said([Fixture.text([0], other)], at: $0)]
    }
    ends()
  }

  /// A record ends a second behind its goodbye, or behind other data with the flush bit if it is older (MD-42).
  private func ends() {
    let known = [Fixture.pointer()]
    Talk.check(.goodbye, [(6_050, "0 0 0"), (6_051, "0 1 0")]) {
      [
        Talk.said(known, at: 0), Talk.asked(at: 3_000, known: known),
        Talk.said([Fixture.pointer(Fixture.type, Fixture.instance, 0)], at: 5_000), Talk.asked(at: $0, known: known),
      ]
    }
    var old = Fixture.text([0])
    old.isCacheFlush = false
    Talk.check(.flushOlder, [(1_000, "0 0 0"), (1_001, "0 1 0")]) {
      [
        Talk.said([Fixture.text([0])], at: 0), Talk.said([Fixture.text([1, 97])], at: $0),
        Talk.asked(at: 10_000, Fixture.instance, .txt, known: [old]),
      ]
    }
  }

  private var known: [DNSRecord] { [Fixture.pointer()] }
  /// The known record ends.
  private var gone: Talk.Packet { Talk.said([Fixture.pointer(Fixture.type, Fixture.instance, 0)], at: 5_000) }

  @Test("a record that ended holds again when its host says so, and it ends alone (MD-42)")
  func goodbyes() {
    let ended = [Talk.said(known, at: 0), gone]
    // What goes to a plain DNS client is said to nobody else, what goes to a host of multicast DNS is.
    Talk.check(.goodbye, [(5_353, "0 0 0"), (40_000, "0 1 0")]) { port in
      let again = Fixture.with(Talk.said(known, at: 5_500)) { packet in
        packet.destination = Endpoint(IPAddress(10, 0, 0, 2), port: UInt16(port))
      }
      return ended + [again, Talk.asked(at: 7_000, known: known)]
    }
    // A probe lists nothing.
    Talk.check(.goodbye, [(0, "0 1 0"), (1, "0 0 0")]) { count in
      let query = Fixture.with(Talk.asked(at: 7_000, known: known)) { packet in
        packet.message.authorities = count == 0 ? [] : [Talk.machine()]
      }
      return ended + [query]
    }
    let both = known + [Fixture.pointer(Fixture.type, Fixture.type.adding("B")!)]
    Talk.check(.goodbye, [(0, "0 1 0"), (1, "0 0 0")]) { number in
      [Talk.said(both, at: 0), gone, Talk.asked(at: 7_000, known: [both[Int(number)]])]
    }
  }

  @Test("of the queriers that listed a record sixteen are noted to leave it out behind its end, once each (MD-42)")
  func leftOut() {
    let start = [Talk.said(known, at: 0), Talk.asked(at: 3_000, known: known)]
    // More of the list may follow TC.
    Talk.check(.goodbye, [(0, "1 0 0"), (1, "0 0 0")]) { start + [gone, Talk.asked(at: 7_000, isTruncated: $0 == 1)] }
    Talk.check(.goodbye, [(2, "1 0 0"), (3, "2 0 0")]) { last in
      start + [
        Talk.asked(at: 3_100, known: known, by: 3), gone, Talk.asked(at: 7_000), Talk.asked(at: 9_000, by: UInt8(last)),
      ]
    }
    Talk.check(.goodbye, [(15, "15 0 0"), (16, "16 0 0"), (17, "16 0 0")]) { count in
      let hosts = (0..<UInt8(count)).map { $0 + 2 }
      let listing: [Talk.Packet] = hosts.map { Talk.asked(at: 3_000, known: known, by: $0) }
      let asking: [Talk.Packet] = hosts.map { Talk.asked(at: 7_000, by: $0) }
      return [Talk.said(known, at: 0)] + listing + [gone] + asking
    }
  }

  @Test("other data with the cache-flush bit ends a record that was last said more than a second ago (MD-43)")
  func flushes() {
    let own = Talk.said([Fixture.text([0])], at: 0)
    var old = Fixture.text([0])
    old.isCacheFlush = false
    let listing = Talk.asked(at: 10_000, Fixture.instance, .txt, known: [old])
    // Other data that ends itself ends nothing else.
    Talk.check(.flushOlder, [(0, "0 0 0"), (1, "0 1 0")]) { seconds in
      var new = Fixture.text([1, 97])
      new.ttlSeconds = UInt32(seconds)
      return [own, Talk.said([new], at: 5_000), listing]
    }
    Talk.check(.flushOlder, [(5_500, "0 0 0"), (5_501, "0 1 0")]) {
      [own, Talk.said([Fixture.text([0])], at: 4_500), Talk.said([Fixture.text([1, 97])], at: $0), listing]
    }
    // The TTL that a record was last given tells when it fades.
    Talk.check(.queryIntervals, [(100_949, "0 1 0"), (100_950, "0 0 0")]) {
      [
        Talk.said([Fixture.address(10)], at: 0), Talk.said([Fixture.address()], at: 5_000),
        Talk.asked(at: 100_900, Fixture.host, .a), Talk.asked(at: $0, Fixture.host, .a),
      ]
    }
    func found(_ clause: ClauseID, _ packets: [Talk.Packet]) -> [String] {
      Fixture.judged(packets, isComplete: true).rows.filter { $0.finding.clause == clause }.map(\.finding.found)
    }
    expectEqual(
      found(.flushOlder, [own, Talk.said([Fixture.text([1, 97])], at: 5_000), listing]),
      ["TXT of Lamp._x._tcp.local, after other data with the cache-flush bit"])
    expectEqual(
      found(.goodbye, [Talk.said(known, at: 0), gone, Talk.asked(at: 7_000, known: known)]),
      ["PTR of _x._tcp.local, after its goodbye"])
  }
}
