import RollcallExaminers
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

/// Clauses that show beside what a trace tells of its hosts: where they are, and what came to them.
///
/// Host 0 is 10.0.0.1, which has the lamp; host 1 is 10.0.0.2, which asks; 10.0.0.3 asks, too.
extension MulticastFixture {
  private static let up = Packet(
    message: DNSMessage(flags: .query), host: 0,
    event: .interface(
      InterfaceChange(
        interface: InterfaceID(0), isUp: true,
        addresses: [InterfaceAddress(IPAddress(10, 0, 0, 1), prefixBits: 24)])))

  private static func sent(by host: Int32, _ packet: Packet) -> Packet { with(packet) { $0.host = host } }
  private static func came(to host: Int32, _ packet: Packet) -> Packet { with(packet) { $0.heardBy = host } }

  /// A question of host 1.
  private static func asked(
    at milliseconds: Int64, _ name: DNSName = type, _ type: DNSType = .ptr, known: [DNSRecord] = []
  ) -> Packet {
    var packet = Packet(
      milliseconds: milliseconds,
      message: DNSMessage(flags: .query, questions: [DNSQuestion(name, type)], answers: known), host: 1)
    packet.source.address = IPAddress(10, 0, 0, 2)
    return packet
  }
  /// The same question of the third host, as host 1 hears it.
  private static func othersAsk(at milliseconds: Int64) -> Packet {
    with(asked(at: milliseconds)) { packet in
      packet.source.address = IPAddress(10, 0, 0, 3)
      (packet.host, packet.heardBy) = (-1, 1)
    }
  }
  private static func answered(at milliseconds: Int64) -> Packet {
    came(to: 1, response([address()], at: milliseconds))
  }

  /// The host tells a plain DNS client its address.
  private static func reply(to address: IPAddress) -> Packet {
    sent(
      by: 0,
      with(response([Self.address(10, isFlush: false)], at: 1_000, id: 7, questions: [DNSQuestion(host, .a)])) {
        $0.destination = Endpoint(address, port: 40_000)
      })
  }
  /// Probes, two announcements, and the second one as it comes back to its sender.
  private static let returned: [Packet] = [
    up, sent(by: 0, probe()), sent(by: 0, probe(at: 250)), sent(by: 0, probe(at: 500)),
    sent(by: 0, response([address()], at: 750)), sent(by: 0, response([address()], at: 1_750)),
    came(to: 0, response([address()], at: 1_751)),
  ]
  /// Found 30 ms after the question, and then asked for twice in vain by another host.
  private static let silent: [Packet] = [
    asked(at: 0), came(to: 1, response([pointer()], at: 30)), othersAsk(at: 3_000), othersAsk(at: 6_000),
  ]
  private static let subtype = DNSName("_a._sub._x._tcp.local")!

  static let traced: [MulticastFixture] = [
    MulticastFixture(
      clause: "MD-03", holds: [up, reply(to: IPAddress(10, 0, 0, 254))],
      breaks: [up, reply(to: IPAddress(10, 0, 1, 2))], breachCount: 1),
    MulticastFixture(
      clause: "MD-04", holds: [up, sent(by: 0, asked(at: 20))], breaks: [up, sent(by: 0, asked(at: 18))],
      breachCount: 1),
    MulticastFixture(
      clause: "MD-06", holds: [asked(at: 0, host, .a), answered(at: 5), asked(at: 96_100, host, .a)],
      breaks: [asked(at: 0, host, .a), answered(at: 5), asked(at: 120_500, host, .a)], breachCount: 1),
    MulticastFixture(
      clause: "MD-07", holds: [asked(at: 0, host, .a), answered(at: 5), asked(at: 96_000, host, .a)],
      breaks: [asked(at: 0, host, .a), answered(at: 5), asked(at: 1_000, host, .a)], breachCount: 1),
    MulticastFixture(
      clause: "MD-27", holds: [asked(at: 0), othersAsk(at: 600), asked(at: 3_000)],
      breaks: [asked(at: 0), othersAsk(at: 700), asked(at: 1_000)], breachCount: 1),
    MulticastFixture(
      clause: "MD-40", holds: returned, breaks: returned + [sent(by: 0, probe(at: 1_900))], breachCount: 1),
    MulticastFixture(
      clause: "MD-46", holds: silent + [asked(at: 20_000)], breaks: silent + [asked(at: 20_000, known: [pointer()])],
      breachCount: 1),
    MulticastFixture(
      clause: "MD-62", holds: [response([pointer(subtype)])],
      breaks: [response([pointer(subtype, subtype.adding("A")!)])]),
  ]
}

@Suite struct MulticastTraceTests {
  @Test("What no message shows has neither judge nor probe, with the reason; all other clauses have one")
  func notObservable() {
    let seen = Set(MulticastJudge.clauses + ResponderProbe.allClauses)
    let rest = Catalogue.multicastDNS.clauses.filter { !seen.contains($0.number) }
    expectEqual(
      rest.map { "\($0.id) \($0.status): \($0.unchecked?.reason ?? "")" },
      [
        "MD-45 untestable: Which records an application complains of is in no message.",
        "MD-48 untestable: Which sockets a host has is in no message.",
        "MD-60 untestable: What a reader makes of a value is in no message.",
      ])
  }

  @Test("What is judged in runs alone is what docs/mdns.md names, and so is what only asking shows")
  func documented() {
    let clauses = Catalogue.multicastDNS.clauses
    let judged = Set(MulticastJudge.clauses)
    expectEqual(
      clauses.filter { judged.contains($0.number) && $0.means == [.simulation] }.map(\.id).joined(separator: ", "),
      "MD-03, MD-04, MD-06, MD-07, MD-27, MD-40, MD-44, MD-46, MD-47")
    let asked = Set(ResponderProbe.allClauses).subtracting(judged)
    expectEqual(
      clauses.filter { asked.contains($0.number) }.map(\.id).joined(separator: ", "),
      "MD-11, MD-19, MD-21, MD-52, MD-55, MD-63")
  }

  @Test("In a capture nobody knows what a host heard, and nothing is said of that")
  func unknown() {
    for fixture in MulticastFixture.traced where fixture.clause != "MD-62" {
      let packets = fixture.breaks.filter { $0.heardBy == nil && $0.event == nil }.map { packet in
        MulticastFixture.with(packet) { $0.host = -1 }
      }
      expectEqual(MulticastFixture.judged(packets).rows.map(\.clause.id), [], "\(fixture.clause)")
    }
  }

  @Test("A browse that begins again, or a service that is gone, gives reason to ask anew (MD-07)")
  func anew() throws {
    let fixture = try #require(MulticastFixture.traced.first { $0.clause == "MD-07" })
    for event in [TraceEvent.Content.browsed, .told(.lost(device: "peer:Lamp", cause: .expired))] {
      var packets = fixture.breaks
      packets.insert(MulticastFixture.with(packets[1]) { ($0.heardBy, $0.host, $0.event) = (nil, 1, event) }, at: 2)
      expectEqual(MulticastFixture.judged(packets).total(.uniqueAnswerEnds).violated, 0, "\(event)")
    }
  }
}
