import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Clauses that several messages show: hosts 10.0.0.1, which has the lamp, and 10.0.0.2.
extension MulticastFixture {
  private static let other = IPAddress(10, 0, 0, 2)

  /// A message of the other host.
  private static func theirs(_ packet: Packet, at milliseconds: Int64 = 0, _ change: (inout Packet) -> Void = { _ in })
    -> Packet
  {
    var packet = packet
    (packet.source.address, packet.milliseconds) = (other, milliseconds)
    change(&packet)
    return packet
  }
  private static func asked(
    at milliseconds: Int64 = 0, _ name: DNSName = type, _ type: DNSType = .ptr, wantsUnicast: Bool = false,
    known: [DNSRecord] = [], isTruncated: Bool = false
  ) -> Packet {
    let question = DNSQuestion(name, type, wantsUnicast: wantsUnicast)
    let flags = flags({ $0.isTruncated = isTruncated }, .query)
    return theirs(
      Packet(message: DNSMessage(flags: flags, questions: [question], answers: known)), at: milliseconds)
  }
  /// More known answers.
  private static func more(at milliseconds: Int64) -> Packet {
    theirs(Packet(message: DNSMessage(flags: .query, answers: [pointer(type, type.adding("B")!)])), at: milliseconds)
  }
  private static func service(_ port: UInt16 = 80) -> DNSRecord {
    DNSRecord(
      instance, .srv(priority: 0, weight: 0, port: port, target: host), ttlSeconds: 120, isCacheFlush: true)
  }
  /// The lamp with all that goes with it.
  private static func found(at milliseconds: Int64, _ bytes: [UInt8] = [0], port: UInt16 = 80) -> Packet {
    var packet = response([pointer()], at: milliseconds)
    packet.message.additionals = [service(port), text(bytes)]
    return packet
  }
  private static func toOther(_ packet: Packet) -> Packet {
    with(packet) { $0.destination = Endpoint(other, port: 5_353) }
  }
  /// A record of another type and of no host alone.
  private static func machine(_ name: DNSName = host) -> DNSRecord {
    DNSRecord(name, .other(.hinfo, [1, 65, 1, 66]), ttlSeconds: 120)
  }
  private static func nsec(_ types: DNSTypeSet) -> DNSRecord {
    DNSRecord(host, .nsec(next: host, types: types), ttlSeconds: 120, isCacheFlush: true)
  }
  private static func denying(_ types: DNSTypeSet, at milliseconds: Int64 = 0) -> Packet {
    with(response([address()], at: milliseconds)) { $0.message.additionals = [nsec(types)] }
  }
  private static func proposing(_ last: UInt8, _ count: Int = 1, at milliseconds: Int64) -> Packet {
    var packet = probe(at: milliseconds)
    packet.message.authorities = (0..<count).map { number in
      DNSRecord(host, .address(IPAddress(10, 0, UInt8(number), last)), ttlSeconds: 120)
    }
    return last == 1 ? packet : theirs(packet, at: milliseconds)
  }
  private static func interface(_ isUp: Bool, at milliseconds: Int64) -> Packet {
    let addresses = isUp ? [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)] : []
    return Packet(
      milliseconds: milliseconds, message: DNSMessage(flags: .query), host: 0,
      event: .interface(InterfaceChange(interface: InterfaceID(0), isUp: isUp, addresses: addresses)))
  }
  private static func known(_ packets: [Packet]) -> [Packet] {
    packets.map { packet in with(packet) { $0.host = 0 } }
  }
  private static func announcing(from start: Int64, isProbed: Bool = true) -> [Packet] {
    let probes = isProbed ? [probe(at: start), probe(at: start + 250), probe(at: start + 500)] : []
    return known(probes + [response([address()], at: start + 750), response([address()], at: start + 1_750)])
  }
  /// Fifteen names in a row that somebody has, then another one.
  private static func conflicts(pause: Int64) -> [Packet] {
    var packets: [Packet] = []
    for number in 0...15 {
      let name = DNSName("h\(number).local")!
      let start = Int64(number) * 100 + (number == 15 ? pause : 0)
      packets.append(
        with(probe(at: start)) {
          $0.message.questions[0].name = name
          $0.message.authorities[0].name = name
        })
      if number < 15 { packets.append(theirs(response([machine(name)]), at: start + 5)) }
    }
    return packets
  }

  static let sequences: [MulticastFixture] = [
    MulticastFixture(
      clause: "MD-05",
      holds: [
        asked(), asked(at: 1_000), asked(at: 3_000), asked(at: 7_000), found(at: 7_050), asked(at: 7_900),
        asked(at: 2_400_000), asked(at: 3_607_001),
      ],
      breaks: [
        asked(), asked(at: 900), asked(at: 2_000), found(at: 2_050), asked(at: 3_000), asked(at: 2_403_000),
        asked(at: 3_601_999),
      ], breachCount: 3, isComplete: true),
    MulticastFixture(
      clause: "MD-08",
      holds: [asked(wantsUnicast: true), asked(at: 1_000), asked(at: 20_000, wantsUnicast: true)],
      breaks: [asked(wantsUnicast: true), asked(at: 1_000, wantsUnicast: true)], breachCount: 1),
    MulticastFixture(
      clause: "MD-09",
      holds: [found(at: 0), asked(at: 5_000, wantsUnicast: true), toOther(found(at: 5_030))],
      breaks: [
        found(at: 0), asked(at: 5_000), toOther(found(at: 5_030)), asked(at: 1_300_000, wantsUnicast: true),
        toOther(found(at: 1_300_030)),
      ], breachCount: 2, isComplete: true),
    MulticastFixture(
      clause: "MD-10", holds: [found(at: 0), toFirst(asked(at: 5_000)), toOther(found(at: 5_030))],
      breaks: [found(at: 0), toFirst(asked(at: 5_000)), found(at: 5_030)], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-13",
      holds: announcedAgain + [asked(at: 10_000, host, .a), response([address()], at: 10_005)],
      breaks: announcedAgain + [asked(at: 10_000, host, .a), response([address()], at: 10_031)], breachCount: 1,
      isComplete: true),
    MulticastFixture(
      clause: "MD-14",
      holds: [asked(), found(at: 20), asked(at: 5_000), found(at: 5_670)],
      breaks: [asked(), found(at: 18), asked(at: 5_000), found(at: 5_671)], breachCount: 2),
    MulticastFixture(
      clause: "MD-15", holds: [asked(isTruncated: true), more(at: 10), found(at: 410)],
      breaks: [asked(isTruncated: true), more(at: 10), found(at: 407)], breachCount: 1),
    MulticastFixture(
      clause: "MD-17", holds: [denying([.a])], breaks: [denying([.a, .nsec]), denying([.aaaa], at: 2_000)]),
    MulticastFixture(
      clause: "MD-18",
      holds: [denying([.a]), response([address()], at: 1_000), denying([.a], at: 4_000)],
      breaks: [denying([.a]), response([address()], at: 1_001)], breachCount: 1),
    MulticastFixture(
      clause: "MD-20", holds: [both(at: 0), found(at: 30), asked(at: 5_000), found(at: 5_030)],
      breaks: [both(at: 0), found(at: 30), response([pointer(listing, type)], at: 60)], breachCount: 1,
      isComplete: true),
    MulticastFixture(
      clause: "MD-28",
      holds: [
        third(asked(at: 0, listing)), theirs(response([pointer(listing, type)]), at: 30),
        response([pointer(listing, type)], at: 45),
      ],
      breaks: [
        third(asked(at: 0, listing)), theirs(response([pointer(listing, type)]), at: 30),
        response([pointer(listing, type)], at: 51),
      ],
      breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-22",
      holds: [found(at: 0), theirs(response([pointer(type, instance, 0)]), at: 5_000), found(at: 6_900)],
      breaks: [found(at: 0), theirs(response([pointer(type, instance, 0)]), at: 5_000)], breachCount: 1,
      isComplete: true),
    MulticastFixture(
      clause: "MD-24",
      holds: [
        asked(known: [pointer(type, type.adding("B")!)]), found(at: 30),
        asked(at: 5_000, known: [pointer(type, instance, 2_249)]), found(at: 5_030),
      ],
      breaks: [asked(known: [pointer(type, instance, 2_250)]), found(at: 30)], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-25", holds: [found(at: 0), asked(at: 3_000, known: [pointer(type, instance, 2_249)])],
      breaks: [found(at: 0), asked(at: 3_000, known: [pointer(type, instance, 2_248)])], breachCount: 1),
    MulticastFixture(
      clause: "MD-26", holds: [asked(isTruncated: true), more(at: 500)],
      breaks: [asked(isTruncated: true), more(at: 501), more(at: 5_000)], breachCount: 2, isComplete: true),
    MulticastFixture(
      clause: "MD-31", holds: [probe(), probe(at: 250), theirs(response([machine()]), at: 260)],
      breaks: [
        probe(), probe(at: 250), theirs(response([machine()]), at: 260), response([address()], at: 750),
        response([address()], at: 1_750),
      ], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-32", holds: conflicts(pause: 4_905), breaks: conflicts(pause: 4_850), breachCount: 1,
      isComplete: true),
    MulticastFixture(
      clause: "MD-33",
      holds: [
        proposing(1, at: 0), proposing(2, at: 100), proposing(2, at: 350), proposing(2, at: 600),
        proposing(1, at: 1_600),
      ],
      breaks: [proposing(1, at: 0), proposing(2, at: 100), proposing(1, at: 250)], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-34",
      holds: [
        probe(), probe(at: 250), theirs(response([address(isFlush: false)]), at: 260), probe(at: 500),
        response([address()], at: 750), response([address()], at: 1_750),
      ],
      breaks: [probe(), probe(at: 250), theirs(response([address(isFlush: false)]), at: 260), renamed(at: 520)],
      breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-35",
      holds: [proposing(1, 2, at: 0), proposing(2, 1, at: 100), proposing(1, 2, at: 1_100)],
      breaks: [
        proposing(1, 2, at: 0), proposing(2, 1, at: 100), proposing(1, 2, at: 250), proposing(1, 2, at: 10_000),
        proposing(2, 3, at: 10_100), proposing(1, 2, at: 10_250),
      ], breachCount: 2, isComplete: true),
    MulticastFixture(
      clause: "MD-38",
      holds: [
        found(at: 0), asked(at: 4_970), found(at: 5_000, [1, 97]), asked(at: 5_970), found(at: 6_000, [1, 97]),
      ],
      breaks: [found(at: 0), found(at: 5_000, [1, 97])], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-39",
      holds: [
        found(at: 0), theirs(found(at: 0, port: 81), at: 5_000),
        with(probe(at: 5_100)) {
          $0.message.questions[0].name = instance
          $0.message.authorities = [with(service()) { $0.isCacheFlush = false }]
        },
      ],
      breaks: [found(at: 0), theirs(found(at: 0, port: 81), at: 5_000)], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-42",
      holds: [
        found(at: 0), asked(at: 3_000, known: [pointer()]), response([pointer(type, instance, 0)], at: 5_000),
        asked(at: 6_040, known: [pointer()]), asked(at: 20_000),
      ],
      breaks: [
        found(at: 0), asked(at: 3_000, known: [pointer()]), response([pointer(type, instance, 0)], at: 5_000),
        asked(at: 6_060, known: [pointer()]),
      ], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-43", holds: changed + [askedText(at: 20_000)],
      breaks: changed + [askedText(at: 20_000, known: [0])], breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-44",
      holds: [interface(true, at: 0)] + announcing(from: 0) + [interface(false, at: 5_000)]
        + [interface(true, at: 6_000)] + announcing(from: 6_100),
      breaks: [interface(true, at: 0)] + announcing(from: 0) + [interface(false, at: 5_000)]
        + [interface(true, at: 6_000)] + announcing(from: 6_100, isProbed: false),
      breachCount: 1, isComplete: true),
    MulticastFixture(
      clause: "MD-47", holds: known([interface(true, at: 0), response([address()])]),
      breaks: known([
        interface(true, at: 0),
        response([DNSRecord(host, .address(IPAddress(10, 0, 1, 1)), ttlSeconds: 120, isCacheFlush: true)]),
      ]), breachCount: 1),
    MulticastFixture(
      clause: "MD-49", holds: [response([text([0], type.adding("Größe")!)])],
      breaks: [response([text([0], type.adding([0xFF])!)]), asked(at: 5_000, type.adding([0xC3])!)]),
    MulticastFixture(
      clause: "MD-53", holds: [legacy(.legacy)], breaks: [legacy(.multicast)]),
    MulticastFixture(
      clause: "MD-56", holds: [found(at: 0)],
      breaks: [with(response([machine(instance)])) { $0.message.additionals = [service()] }], breachCount: 1,
      isComplete: true),
    MulticastFixture(
      clause: "MD-64", holds: [found(at: 0), response([pointer()], at: 1_000), found(at: 3_000)],
      breaks: [found(at: 0), response([pointer()], at: 1_001)], breachCount: 1),
  ]

  /// Another host has the service of one that may have left.
  static func takenOver(_ hasLeft: Bool) -> [Packet] {
    known([found(at: 0)] + (hasLeft ? [with(query()) { ($0.milliseconds, $0.event) = (1_000, .deed(.vanish)) }] : []))
      + [with(theirs(found(at: 0, port: 81), at: 5_000)) { $0.host = 1 }]
  }
  /// The text of the lamp is known, and becomes another one.
  private static let changed = [
    found(at: 0), askedText(at: 3_000, known: [0]), asked(at: 4_970), found(at: 5_000, [1, 97]), asked(at: 5_970),
    found(at: 6_000, [1, 97]),
  ]
  private static func askedText(at milliseconds: Int64, known bytes: [UInt8]? = nil) -> Packet {
    asked(
      at: milliseconds, instance, .txt,
      known: bytes.map { bytes in [with(text(bytes)) { $0.isCacheFlush = false }] } ?? [])
  }
  private static func toFirst(_ packet: Packet) -> Packet {
    with(packet) { $0.destination = Endpoint(IPAddress(10, 0, 0, 1), port: 5_353) }
  }
  /// A probe for another name with the same address.
  private static func renamed(at milliseconds: Int64) -> Packet {
    with(probe(at: milliseconds)) { packet in
      packet.message.questions[0].name = DNSName("h-2.local")!
      packet.message.authorities[0].name = DNSName("h-2.local")!
    }
  }
  private static func third(_ packet: Packet) -> Packet {
    with(packet) { $0.source.address = IPAddress(10, 0, 0, 3) }
  }
  /// Two questions.
  private static func both(at milliseconds: Int64) -> Packet {
    with(asked(at: milliseconds)) { $0.message.questions.append(DNSQuestion(listing, .ptr)) }
  }
  private static let listing = ServiceType.enumerationName

  private static func legacy(_ compression: DNSCompression) -> Packet {
    var record = service()
    (record.isCacheFlush, record.ttlSeconds) = (false, 10)
    return with(response([record], id: 7, questions: [DNSQuestion(instance, .srv)])) {
      ($0.destination, $0.compression) = (Endpoint(other, port: 40_000), compression)
    }
  }
  private static func with(_ record: DNSRecord, _ change: (inout DNSRecord) -> Void) -> DNSRecord {
    var record = record
    change(&record)
    return record
  }
}
