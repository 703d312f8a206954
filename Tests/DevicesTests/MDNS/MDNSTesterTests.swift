import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("A tester of responders")
struct MDNSTesterTests {
  private static func question(_ name: String, _ type: DNSType = .a) -> DNSQuestion {
    DNSQuestion(DNSName(name)!, type)
  }

  private func host(_ lines: [MDNSTester.Line], _ addresses: [SignalValue] = [up(0, "192.168.1.66")])
    -> Bench<MDNSTester>
  {
    var host = Bench(MDNSTester(lines))
    for signal in addresses { host.receive(signal) }
    return host
  }

  private func hear(
    _ host: inout Bench<MDNSTester>, _ message: DNSMessage,
    from source: Endpoint = Endpoint(IPAddress(192, 168, 1, 9), port: 5_353), port: UInt16 = 5_353
  ) {
    let payload = host.outbox.payloads.store(message.bytes)
    let datagram = Datagram(
      source: source, destination: Endpoint(.mdnsGroup4, port: port), interface: InterfaceID(0), hopLimit: 255,
      payload: payload)
    host.machine.receive(.datagram(datagram), at: host.now, into: &host.outbox)
    host.collect()
    host.outbox.payloads.release(payload)
  }

  private func read(_ bytes: [UInt8]) -> DNSMessage? {
    let reading = bytes.withUnsafeBytes { try? DNSReader.read($0) }
    return reading?.message
  }

  /// `milliseconds entries` of each message.
  private func said(_ host: Bench<MDNSTester>) -> [String] {
    host.sent.map { one in
      let entries = read(one.bytes)?.entries.joined(separator: ", ") ?? "unreadable"
      return "\(one.at.nanoseconds / 1_000_000) \(entries)"
    }
  }

  @Test("a timed line is sent so often, in the order of time and then of the plan, and anew when it joins again")
  func times() {
    let lines = [
      MDNSTester.Line(
        .at(.milliseconds(10), every: .milliseconds(5), times: 3), questions: [Self.question("a.local")]),
      MDNSTester.Line(.at(.milliseconds(10), every: .zero, times: 9), questions: [Self.question("b.local")]),
      MDNSTester.Line(.at(.milliseconds(2), every: .seconds(1), times: 1), questions: [Self.question("c.local")]),
    ]
    var tester = host(lines)
    expectEqual(tester.machine.deadline, nil)
    tester.act(.appear)
    expectEqual(tester.others.map(\.effect), [.join(.mdns(.v4), InterfaceID(0))])
    tester.run(for: .seconds(1))
    expectEqual(
      said(tester), ["2 ? c.local A", "10 ? a.local A", "10 ? b.local A", "15 ? a.local A", "20 ? a.local A"])
    expectEqual(tester.machine.deadline, nil)
    for (end, begin) in [(Act.leave, 1_000), (.vanish, 2_000)] as [(Act, Int)] {
      tester.sent = []
      tester.act(end)
      tester.act(.appear)
      tester.run(for: .milliseconds(16))
      tester.act(end)
      expectEqual(tester.machine.deadline, nil)
      tester.run(for: .milliseconds(984))
      let times = [(2, "c"), (10, "a"), (10, "b"), (15, "a")] as [(Int, String)]
      expectEqual(said(tester), times.map { "\(begin + $0.0) ? \($0.1).local A" })
    }
  }

  @Test("a probe or a query for a name that begins so is answered so often, by the name that it asked for")
  func triggers() {
    let label = Array("shop".utf8)
    let answer = DNSRecord(MDNSTester.anyName, .address(IPAddress(192, 168, 1, 9)), ttlSeconds: 120)
    let lines = [
      MDNSTester.Line(.probe(label: label, after: .milliseconds(5), times: 2), records: [answer], isResponse: true),
      MDNSTester.Line(
        .query(label: label, after: .zero, times: 1), questions: [DNSQuestion(MDNSTester.anyName, .srv)],
        proposed: [answer]),
    ]
    var tester = host(lines)
    let probe = DNSMessage(
      flags: .query, questions: [Self.question("box.local", .any), Self.question("shop-1.local", .any)],
      authorities: [a("shop-1.local", "192.168.1.20", flush: false)])
    let query = DNSMessage(flags: .query, questions: [Self.question("shopping.local")])
    hear(&tester, probe)
    tester.act(.appear)
    // Its own, to another port, of another name, and no query at all.
    hear(&tester, query, from: Endpoint(IPAddress(192, 168, 1, 66), port: 5_353))
    hear(&tester, query, port: 5_354)
    hear(&tester, DNSMessage(flags: .query, questions: [Self.question("sho.local")]))
    hear(&tester, DNSMessage(flags: .response, questions: query.questions))
    expectEqual(tester.sent.count, 0)
    expectEqual(tester.machine.deadline, nil)
    for _ in 0..<3 { hear(&tester, probe) }
    for _ in 0..<2 { hear(&tester, query) }
    tester.run(for: .seconds(1))
    let answered = "5 an shop-1.local 120 A 192.168.1.9"
    expectEqual(
      said(tester),
      ["0 ? shopping.local SRV, ns shopping.local 120 A 192.168.1.9", answered, answered])
    expectEqual(tester.sent.compactMap { read($0.bytes)?.flags }, [.query, .response, .response])
  }

  @Test("a timed line takes no notice of queries and probes")
  func timedAlone() {
    var tester = host([
      MDNSTester.Line(.at(.milliseconds(10), every: .zero, times: 2), questions: [Self.question("a.local")])
    ])
    tester.act(.appear)
    hear(&tester, DNSMessage(flags: .query, questions: [Self.question("shop.local")]))
    hear(
      &tester,
      DNSMessage(
        flags: .query, questions: [Self.question("shop.local", .any)], authorities: [a("shop.local", "192.168.1.20")]))
    tester.run(for: .seconds(1))
    expectEqual(said(tester), ["10 ? a.local A"])
  }

  @Test("after it left or vanished, a tester takes no notice of a query")
  func gone() {
    for end in [Act.leave, .vanish] {
      var tester = host([MDNSTester.Line(.query(label: [], after: .zero, times: 2))])
      let query = DNSMessage(flags: .query, questions: [Self.question("shop.local")])
      tester.act(.appear)
      hear(&tester, query)
      expectEqual(tester.sent.count, 1)
      tester.act(end)
      hear(&tester, query)
      expectEqual(tester.sent.count, 1)
      expectEqual(tester.machine.deadline, nil)
    }
  }

  @Test("1024 messages wait to be sent, and a question beyond them is not answered")
  func bound() {
    for (count, seconds) in [(1_023, 1), (1_024, 2)] as [(Int, Int64)] {
      let later = MDNSTester.Line(.query(label: [], after: .seconds(2), times: 1))
      let sooner = MDNSTester.Line(.query(label: [], after: .seconds(1), times: 1))
      var tester = host(Array(repeating: later, count: count) + [sooner])
      tester.act(.appear)
      hear(&tester, DNSMessage(flags: .query, questions: [Self.question("shop.local")]))
      expectEqual(tester.machine.deadline, Instant.zero + .seconds(seconds))
    }
  }

  @Test("a link that comes later is joined, has its last addresses, and is one of sixteen at most")
  func links() {
    let line = MDNSTester.Line(
      .at(.seconds(1), every: .zero, times: 1), questions: [Self.question("a.local")])
    var tester = host([line], [])
    tester.act(.appear)
    expectEqual(tester.others.count, 0)
    for address in ["192.168.1.66", "192.168.1.67"] { tester.receive(up(0, address)) }
    expectEqual(
      tester.others.map(\.effect), Array(repeating: .join(.mdns(.v4), InterfaceID(0)), count: 2))
    tester.run(for: .seconds(2))
    expectEqual(tester.sent.map { "\($0.source)" }, ["192.168.1.67:5353"])
    var many = host([line], (0..<17).map { up($0, "10.0.\($0).1") })
    many.act(.appear)
    many.run(for: .seconds(2))
    expectEqual(many.sent.map(\.interface.number), Array(0..<16))
  }

  @Test("a line goes to the groups of every link and family that is up, or to one host in its family")
  func ways() {
    let both = [up(0, "192.168.1.66", "fe80::66"), up(1, "10.0.0.7"), up(2, "10.1.0.7"), down(2)]
    func ways(to destination: String?) -> [String] {
      var line = MDNSTester.Line(.at(.zero, every: .zero, times: 1), questions: [Self.question("a.local")])
      (line.isTruncated, line.sourcePort, line.destination) = (true, 7, destination.flatMap { IPAddress($0) })
      var tester = host([line], both)
      tester.act(.appear)
      #expect(tester.sent.allSatisfy { read($0.bytes)?.flags.isTruncated == true })
      return tester.sent.map { "\($0.interface.number) \($0.source) \($0.destination) \($0.hopLimit)" }
    }
    let group = "224.0.0.251:5353 255"
    expectEqual(
      ways(to: nil), ["0 192.168.1.66:7 \(group)", "0 [fe80::66]:7 [ff02::fb]:5353 255", "1 10.0.0.7:7 \(group)"])
    expectEqual(
      ways(to: "192.168.1.9"), ["0 192.168.1.66:7 192.168.1.9:5353 255", "1 10.0.0.7:7 192.168.1.9:5353 255"])
    expectEqual(ways(to: "fe80::9"), ["0 [fe80::66]:7 [fe80::9]:5353 255"])
  }
}
