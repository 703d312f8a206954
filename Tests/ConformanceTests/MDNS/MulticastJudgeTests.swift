import RollcallCaptureSupport
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance
@testable import RollcallJudging

/// A clause of multicast DNS, and messages that keep and break it; times in milliseconds.
struct MulticastFixture: CustomTestStringConvertible {
  var clause: String
  var holds: [Packet]
  var breaks: [Packet]
  /// What the broken messages break as well.
  var besides: [String] = []
  /// How often the clause is broken; `nil`: by each of the messages.
  var breachCount: Int?
  /// Whether all that was sent is known, as in a trace.
  var isComplete = false
  var testDescription: String { clause }

  struct Packet {
    var milliseconds: Int64 = 0
    var message: DNSMessage
    var source = Endpoint(IPAddress(10, 0, 0, 1), port: 5_353)
    var destination = Endpoint(IPAddress(224, 0, 0, 251), port: 5_353)
    var interface: UInt16 = 0
    var hopLimit: UInt8 = 255
    /// Zero bytes behind the message.
    var paddingBytes = 0
    var compression = DNSCompression.multicast
    /// −1: not known, as in a capture.
    var host: Int32 = -1
    /// Something that a trace tells of the host, in place of the message.
    var event: TraceEvent.Content?
    /// The host of a trace that hears the message, which is not judged then.
    var heardBy: Int32?
  }

  /// - Parameter end: when the recording ends; `nil`: 10 s behind the last packet, or with it where no end is known.
  static func judged(
    _ packets: [Packet], end: Int64? = nil, isEndKnown: Bool = true, isComplete: Bool = false
  ) -> Judgement {
    var judge = ClauseJudge(Circumstances(isComplete: isComplete))
    for (number, packet) in packets.enumerated() {
      let time = Instant.zero + .milliseconds(packet.milliseconds)
      if let event = packet.event {
        judge.note(TraceEvent(time: time, position: number + 1, host: packet.host, event))
        continue
      }
      let bytes =
        packet.message.written(compression: packet.compression).bytes
        + [UInt8](repeating: 0, count: packet.paddingBytes)
      bytes.withUnsafeBytes { raw in
        let observation = Observation(
          time: time, position: number + 1, source: packet.source, destination: packet.destination,
          interface: InterfaceID(packet.interface), host: packet.heardBy ?? packet.host, hopLimit: packet.hopLimit,
          place: .port5353, bytes: raw)
        if packet.heardBy == nil { judge.hear(multicastDNS: observation) } else { judge.overhear(observation) }
      }
    }
    let last = Instant.zero + .milliseconds(end ?? (packets.last?.milliseconds ?? 0) + 10_000)
    judge.close(at: isEndKnown ? last : nil)
    return Judgement(judge)
  }

  static let type = DNSName("_x._tcp.local")!
  static let instance = type.adding("Lamp")!
  static let host = DNSName("h.local")!

  static func response(
    _ answers: [DNSRecord], at milliseconds: Int64 = 0, flags: DNSFlags = .response, id: UInt16 = 0,
    questions: [DNSQuestion] = []
  ) -> Packet {
    Packet(
      milliseconds: milliseconds, message: DNSMessage(id: id, flags: flags, questions: questions, answers: answers))
  }
  static func query(_ type: DNSType = .ptr, flags: DNSFlags = .query, answers: [DNSRecord] = []) -> Packet {
    Packet(message: DNSMessage(flags: flags, questions: [DNSQuestion(Self.type, type)], answers: answers))
  }
  static func probe(
    at milliseconds: Int64 = 0, _ type: DNSType = .any, isFlush: Bool = false
  ) -> Packet {
    Packet(
      milliseconds: milliseconds,
      message: DNSMessage(
        flags: .query, questions: [DNSQuestion(host, type, wantsUnicast: true)],
        authorities: [address(isFlush: isFlush)]))
  }
  static func address(_ seconds: UInt32 = 120, isFlush: Bool = true) -> DNSRecord {
    DNSRecord(host, .address(IPAddress(10, 0, 0, 1)), ttlSeconds: seconds, isCacheFlush: isFlush)
  }
  static func pointer(
    _ type: DNSName = Self.type, _ target: DNSName = instance, _ seconds: UInt32 = 4_500, isFlush: Bool = false
  ) -> DNSRecord {
    DNSRecord(type, .ptr(target), ttlSeconds: seconds, isCacheFlush: isFlush)
  }
  static func text(_ bytes: [UInt8], _ name: DNSName = instance) -> DNSRecord {
    DNSRecord(name, .txt(bytes), ttlSeconds: 4_500, isCacheFlush: true)
  }
  static func with(_ packet: Packet, _ change: (inout Packet) -> Void) -> Packet {
    var packet = packet
    change(&packet)
    return packet
  }
  static func flags(_ change: (inout DNSFlags) -> Void, _ start: DNSFlags = .response) -> DNSFlags {
    var flags = start
    change(&flags)
    return flags
  }

  static let all =
    single + sequences + traced + [
      MulticastFixture(
        clause: "H-MD-TWICE", holds: [response([pointer()])], breaks: [response([pointer(), pointer()])])
    ]

  private static let single: [MulticastFixture] = [
    MulticastFixture(
      clause: "MD-01",
      holds: [
        query(), response([address()]),
        with(query()) { $0.destination.address = IPAddress(v6High: 0xFF02 << 48, low: 0xFB) },
      ],
      breaks: [
        with(query()) { $0.destination.address = IPAddress(224, 0, 0, 252) },
        with(response([address()])) { $0.source.port = 5_354 },
        with(response([address(0)])) { ($0.source.port, $0.destination.address) = (5_354, IPAddress(10, 0, 0, 2)) },
      ]),
    MulticastFixture(
      clause: "MD-02", holds: [response([address()]), with(query()) { $0.hopLimit = 1 }],
      breaks: [with(response([address()])) { $0.hopLimit = 254 }, with(response([text([0])])) { $0.hopLimit = 1 }]),
    MulticastFixture(
      clause: "MD-12", holds: [response([pointer()])],
      breaks: [response([pointer()], questions: [DNSQuestion(type, .ptr)])]),
    MulticastFixture(
      clause: "MD-16",
      holds: [
        response([pointer()]), response([pointer()], at: 950), response([pointer()], at: 955),
        response([address(0)], at: 960), response([address(0)], at: 980), response([address()], at: 1_000),
        probe(at: 1_100), response([address()], at: 1_250), response([pointer(), address()], at: 2_300),
      ],
      breaks: [response([pointer()]), response([pointer()], at: 949)]),
    MulticastFixture(
      clause: "MD-23",
      holds: [
        with(response([address(10, isFlush: false)], id: 7, questions: [DNSQuestion(host, .a)])) {
          $0.destination = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000)
        }
      ],
      breaks: [
        with(response([address(10, isFlush: true)], questions: [DNSQuestion(host, .a)])) {
          $0.destination = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000)
        },
        with(response([address(10, isFlush: false)])) {
          $0.destination = Endpoint(IPAddress(10, 0, 0, 2), port: 40_000)
        },
      ]),
    MulticastFixture(
      clause: "MD-29", holds: [probe(), probe(at: 5), probe(at: 200), probe(at: 450)],
      breaks: [probe(), probe(at: 199), probe(at: 5_000, .a)]),
    MulticastFixture(
      clause: "MD-30", holds: [probe(), query(answers: [pointer()])],
      breaks: [probe(isFlush: true)]),
    MulticastFixture(
      clause: "MD-37",
      holds: [
        response([pointer(), pointer(DNSName("1.0.0.10.in-addr.arpa")!, host, 120, isFlush: true)]),
        response([address()], at: 5_000),
      ],
      breaks: [
        response([pointer(isFlush: true)]),
        response([pointer(DNSName("_a._sub._x._tcp.local")!, instance, 4_500, isFlush: true)]),
        response([pointer(ServiceType.enumerationName, type, 4_500, isFlush: true)]),
        query(answers: [pointer(isFlush: true)]),
      ]),
    MulticastFixture(
      clause: "MD-41", holds: [response([pointer(), address(), text([0])]), response([address(0)])],
      breaks: [
        response([address(4_500)]), response([pointer(type, instance, 120)]),
        response([pointer(DNSName("_y._tcp.local")!, instance, 4_499)]),
      ]),
    MulticastFixture(
      clause: "MD-50", holds: [with(query()) { $0.paddingBytes = 9_000 - 28 - $0.message.bytes.count }],
      breaks: [with(query()) { $0.paddingBytes = 9_001 - 28 - $0.message.bytes.count }]),
    MulticastFixture(
      clause: "MD-51",
      holds: [
        query(), response([address()]), query(flags: flags({ $0.isTruncated = true }, .query)),
        Packet(message: DNSMessage(flags: .query, answers: [pointer()])),
      ],
      breaks: [
        response([address()], id: 1), response([pointer()], flags: flags { $0.isAuthoritative = false }),
        query(flags: flags({ $0.isAuthoritative = true }, .query)),
        response([text([0])], flags: flags { $0.opcode = 1 }),
        query(flags: flags({ $0.responseCode = 3 }, .query)),
        query(flags: flags({ $0.recursionAvailable = true }, .query)),
        query(flags: flags({ $0.isReservedBitSet = true }, .query)),
        query(flags: flags({ $0.isAuthenticData = true }, .query)),
        query(flags: flags({ $0.isCheckingDisabled = true }, .query)),
        response([text([1, 97])], flags: flags { $0.isTruncated = true }),
      ], besides: ["MD-38"]),
    MulticastFixture(
      clause: "MD-54", holds: [response([pointer()]), response([pointer(ServiceType.enumerationName, type)])],
      breaks: [
        response([pointer(type, type.adding([0x1F])!)]), response([pointer(type, type.adding([0xFF])!)]),
        response([pointer(DNSName("_a._sub._x._tcp.local")!, type.adding([0x7F])!)]),
      ]),
    MulticastFixture(clause: "MD-57", holds: [response([text([0])])], breaks: [response([text([])])]),
    MulticastFixture(
      clause: "MD-58", holds: [response([text(Array(repeatElement([1, 97], count: 650).joined()))])],
      breaks: [response([text(Array(repeatElement([1, 97], count: 650).joined()) + [0])])]),
    MulticastFixture(
      clause: "MD-59",
      holds: [response([text([2, 97, 61, 1, 98, 0])]), response([text([1, 61], DNSName("x.device-info.local")!)])],
      breaks: [response([text([2, 61, 97])]), response([text([2, 0x7F, 61])]), response([text([1, 97, 1, 0xC3])])],
      besides: ["MD-38"]),
    MulticastFixture(
      clause: "MD-61",
      holds: [
        response([pointer()]), response([pointer(DNSName("_abcdefghijklmno._udp.local")!, instance)]),
        response([pointer(DNSName("_a_b._sub._x._tcp.local")!, instance)]),
      ],
      breaks: [
        response([pointer(DNSName("_abcdefghijklmnop._udp.local")!, instance)]),
        response([pointer(DNSName("_a--b._tcp.local")!, instance)]),
        response([pointer(DNSName("_z._sub._a_b._tcp.local")!, instance)]),
      ],
      // The instance is of another type.
      besides: ["MD-62"]),
  ]

  static let announced = [probe(), probe(at: 250), probe(at: 500), response([address()], at: 750)]
  static let announcedAgain = announced + [response([address()], at: 1_700)]
}

@Suite struct MulticastJudgeTests {
  @Test("Messages that keep a clause are held", arguments: MulticastFixture.all)
  func holds(_ fixture: MulticastFixture) throws {
    let judgement = MulticastFixture.judged(fixture.holds, isComplete: fixture.isComplete)
    expectEqual(judgement.rows.map { "\($0.clause.id) \($0.finding.found)" }, [])
    let clause = try #require(Clause.named(fixture.clause)).number
    #expect(judgement.total(clause).held > 0)
  }

  @Test("Messages that break a clause are found, each of them", arguments: MulticastFixture.all)
  func breaks(_ fixture: MulticastFixture) throws {
    let judgement = MulticastFixture.judged(fixture.breaks, isComplete: fixture.isComplete)
    expectEqual(Set(judgement.rows.map(\.clause.id)), Set([fixture.clause] + fixture.besides))
    let clause = try #require(Clause.named(fixture.clause)).number
    // Of the messages about time the first is no breach.
    let times = ["MD-16", "MD-29"].contains(fixture.clause) ? 1 : 0
    expectEqual(Int(judgement.total(clause).violated), fixture.breachCount ?? fixture.breaks.count - times)
    guard fixture.isComplete else { return }
    // A capture may lack what explains it.
    let capture = MulticastFixture.judged(fixture.breaks).total(clause)
    #expect(capture.violated == 0, "\(capture)")
  }

  @Test("Announcing once after probes is a breach where all is known, and open in a capture")
  func announcements() {
    let clause = ClauseID.announcements
    let once = MulticastFixture.judged(MulticastFixture.announced).total(clause)
    expectEqual([once.held, once.violated, once.inconclusive], [0, 0, 1])
    let known = MulticastFixture.judged(MulticastFixture.announced, isComplete: true).total(clause)
    expectEqual([known.held, known.violated, known.inconclusive], [0, 1, 0])
    let short = MulticastFixture.judged(MulticastFixture.announced, end: 3_750).total(clause)
    expectEqual([short.held, short.violated, short.inconclusive], [0, 0, 0])
    let twice = MulticastFixture.judged(MulticastFixture.announcedAgain, isComplete: true).total(clause)
    expectEqual([twice.held, twice.violated, twice.inconclusive], [1, 0, 0])
  }

  @Test(
    "Delays of shared answers are spread over 20 to 120 ms, or are found where all is known", arguments: [true, false])
  func delays(isComplete: Bool) {
    var packets: [MulticastFixture.Packet] = []
    func talk(_ delay: (Int64) -> Int64) -> Judgement.Total {
      packets = (Int64(0)..<40).flatMap { number in
        var query = MulticastFixture.query()
        query.source.address = IPAddress(10, 0, 0, 2)
        query.milliseconds = number * 5_000
        return [query, MulticastFixture.response([MulticastFixture.pointer()], at: number * 5_000 + delay(number))]
      }
      return MulticastFixture.judged(packets, isComplete: isComplete).total(.sharedDelay)
    }
    expectEqual(talk { 20 + $0 * 37 % 100 }.held, 41)
    let same = talk { _ in 70 }
    expectEqual([same.held, same.violated, same.inconclusive], [40, isComplete ? 1 : 0, isComplete ? 0 : 1])
  }

  @Test("What was probed for has the cache-flush bit in every record (MD-37)")
  func probedFor() {
    var packets = MulticastFixture.announcedAgain
    expectEqual(MulticastFixture.judged(packets).total(.flushBits).violated, 0)
    packets.append(MulticastFixture.response([MulticastFixture.address(isFlush: false)], at: 6_000))
    expectEqual(MulticastFixture.judged(packets).total(.flushBits).violated, 1)
  }

  @Test("Who announces without a probe is found where all is known (MD-29)")
  func unprobed() {
    let packets = [MulticastFixture.response([MulticastFixture.address()])]
    expectEqual(MulticastFixture.judged(packets).total(.probes).violated, 0)
    expectEqual(MulticastFixture.judged(packets, isComplete: true).total(.probes).violated, 1)
  }

  @Test("a host that has left does not probe for its name when another host has it (MD-39)", arguments: [true, false])
  func left(hasLeft: Bool) {
    let judgement = MulticastFixture.judged(MulticastFixture.takenOver(hasLeft), isComplete: true)
    expectEqual(judgement.total(.laterConflict).violated, hasLeft ? 0 : 1)
  }

  @Test("Every clause that is judged has a fixture")
  func fixtures() {
    let found = MulticastFixture.all.map(\.clause) + ["MD-36"]
    expectEqual(found.sorted(), MulticastJudge.clauses.map(\.clause.id).sorted())
    expectEqual(Set(found).count, found.count)
  }

  @Test("A querier and a responder at one address are two parties, and a plain DNS client is not judged")
  func parties() {
    var packets = [MulticastFixture.all[0].holds[0], MulticastFixture.all[0].holds[1]]
    let judgement = MulticastFixture.judged(packets)
    expectEqual(judgement.parties.map(\.role), [.controlPoint, .device])
    expectEqual(judgement.parties.map { ClauseText.role(of: $0) }, ["querier, RFC 6762", "responder, RFC 6762"])
    packets = [packets[0]]
    packets[0].source.port = 40_000
    packets[0].hopLimit = 1
    #expect(MulticastFixture.judged(packets).isVacuous)
    (packets[0].source.port, packets[0].destination.port) = (5_353, 53)
    #expect(MulticastFixture.judged(packets).isVacuous)
    // A multicast response to another port is none of multicast DNS.
    packets = [MulticastFixture.all[0].holds[1]]
    packets[0].destination.port = 53
    #expect(MulticastFixture.judged(packets).isVacuous)
  }

  @Test("a host that speaks SSDP and multicast DNS is a party of each")
  func standards() {
    var judge = ClauseJudge(.capture)
    let (payloads, alive, address) = (PayloadStore(), Said.alive(), IPAddress(10, 0, 0, 1))
    let payload = payloads.store(Array(alive.text.utf8))
    judge.hear(
      Observation(
        time: .zero, position: 1, source: Endpoint(address, port: 1_900), destination: alive.to,
        bytes: payloads.bytes(of: payload)))
    payloads.release(payload)
    MulticastFixture.response([MulticastFixture.pointer()]).message.bytes.withUnsafeBytes { raw in
      judge.hear(
        multicastDNS: Observation(
          time: .zero, position: 2, source: Endpoint(address, port: 5_353), destination: .mdns(.v4), place: .port5353,
          bytes: raw))
    }
    expectEqual(judge.partyList.map(\.address), [.ip(address), .ip(address)])
    expectEqual(judge.partyList.map(\.claim.standard), [.uda, .multicastDNS])
  }

  @Test("Every message that is cut anywhere is judged or passed over")
  func hostile() {
    for fixture in MulticastFixture.all where fixture.breaks[0].event == nil {
      let bytes = fixture.breaks[0].message.bytes
      var judge = ClauseJudge(.capture)
      for end in 0...bytes.count {
        Array(bytes[..<end]).withUnsafeBytes { raw in
          judge.hear(
            multicastDNS: Observation(
              time: .zero, position: end + 1, source: fixture.breaks[0].source,
              destination: fixture.breaks[0].destination, place: .port5353, bytes: raw))
        }
      }
      #expect(judge.books.unreadableCount > 0 && judge.books.multicastCount > 0)
    }
  }
}
