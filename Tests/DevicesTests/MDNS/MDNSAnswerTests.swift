import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("A responder answers")
struct MDNSAnswerTests: ShopLines {
  @Test("who alone has the answer gives it at once, with what is needed next (MD-13) (MD-18) (MD-64) (MD-12)")
  func unique() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(shop, .srv)
    expectEqual(bench.said(), ["10000" + head, "  an \(service)", "  ar \(address)", "  ar \(absence)"])
    bench.run(1_000)
    bench.ask("SHOP.LOCAL", .a)
    expectEqual(bench.said(), ["11000" + head, "  an \(address)", "  ar \(absence)"])
    bench.run(1_000)
    bench.ask(shop, .txt)
    expectEqual(bench.said(), ["12000" + head, "  an \(text)"])
    bench.run(5_000)
    expectEqual(bench.said(), [])
  }

  @Test("what others may answer, too, waits 20 to 120 ms, at random (MD-14) (MD-54) (MD-64)")
  func shared() {
    var delays: [Int64] = []
    for seed in 0..<300 {
      var bench = MDNSBench.settled(shopPlan, seed: UInt64(seed))
      bench.ask("_http._tcp.local", .ptr)
      expectEqual(bench.said(), [])
      bench.run(120)
      delays.append(bench.times[0].nanoseconds - 10_000_000_000)
      expectEqual(
        Array(bench.said().dropFirst()),
        [
          "  an _http._tcp.local 4500 PTR \(shop)", "  ar \(service)", "  ar \(text)", "  ar \(address)",
          "  ar \(absence)",
        ])
    }
    #expect(delays.allSatisfy { (20_000_000...120_000_000).contains($0) })
    // Uniform: each fifth has its share.
    for fifth in 0..<5 {
      let lower = 20_000_000 + Int64(fifth) * 20_000_000
      let share = delays.count { $0 >= lower && $0 < lower + 20_000_000 }
      #expect((35...85).contains(share), "\(share) of 300")
    }
  }

  @Test("a message with several questions is answered in full, and late if one answer is shared (MD-19)")
  func severalQuestions() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask([
      DNSQuestion(DNSName("shop.local")!, .a), DNSQuestion(DNSName("_http._tcp.local")!, .ptr),
      DNSQuestion(DNSName("nobody.local")!, .a),
    ])
    expectEqual(bench.said(), [])
    bench.run(120)
    expectEqual(
      bench.said().filter { $0.contains(" an ") }, ["  an \(address)", "  an _http._tcp.local 4500 PTR \(shop)"])
  }

  @Test("ANY is every type of the name (MD-21)")
  func any() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(shop, .any)
    expectEqual(
      bench.said(), ["10000" + head, "  an \(service)", "  an \(text)", "  ar \(address)", "  ar \(absence)"])
  }

  @Test("of an owned name a type that there is not is denied with NSEC; other names are not answered (MD-17)")
  func negative() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask("shop.local", .aaaa)
    expectEqual(bench.said(), ["10000" + head, "  an \(absence)", "  ar \(address)"])
    bench.run(1_000)
    bench.ask(shop, .a)
    expectEqual(bench.said(), ["11000" + head, "  an \(shop) 120 flush NSEC TXT+SRV"])
    for (name, type) in [("other.local", DNSType.a), ("_http._tcp.local", .srv), ("Other._http._tcp.local", .srv)] {
      bench.ask(name, type)
    }
    bench.ask([DNSQuestion(DNSName("shop.local")!, .a, questionClass: DNSClass(rawValue: 3))])
    bench.run(2_000)
    expectEqual(bench.said(), [])
  }

  @Test("with both families an address brings those of the other one, and no NSEC (MD-18)")
  func bothFamilies() {
    var bench = MDNSBench(shopPlan)
    bench.up(0, "192.168.1.20", "fe80::20", "2001:db8::20")
    bench.act(.appear)
    bench.run(10_000)
    _ = bench.said()
    bench.ask("shop.local", .aaaa)
    let lines = bench.said()
    expectEqual(
      Array(lines.prefix(4).dropFirst()),
      [
        "  an shop.local 120 flush AAAA fe80::20", "  an shop.local 120 flush AAAA 2001:db8::20", "  ar \(address)",
      ])
    // The other family gets the same message.
    expectEqual(lines[4], "10000 if0 [fe80::20]:5353 > [ff02::fb]:5353 ttl255 response")
    expectEqual(lines[5...7], lines[1...3])
  }

  @Test("types are listed once, however many services have them (MD-63)")
  func listing() {
    var plan = shopPlan
    plan.services.append(MDNSService(web, "Second", port: 81))
    plan.services.append(MDNSService(try! ServiceType("ipp", .tcp), "Printer", port: 631))
    var bench = MDNSBench.settled(plan)
    bench.ask("_services._dns-sd._udp.local", .ptr)
    bench.run(120)
    expectEqual(
      Array(bench.said().dropFirst()),
      [
        "  an _services._dns-sd._udp.local 4500 PTR _http._tcp.local",
        "  an _services._dns-sd._udp.local 4500 PTR _ipp._tcp.local",
      ])
  }

  @Test("a subtype finds the services that have it, by their plain names (MD-62)")
  func subtypes() {
    var plan = shopPlan
    plan.services[0].subtypes = [Array("_color".utf8)]
    plan.services.append(MDNSService(web, "Second", port: 81))
    var bench = MDNSBench.settled(plan)
    bench.ask("_color._sub._http._tcp.local", .ptr)
    bench.run(120)
    expectEqual(bench.said().filter { $0.contains(" an ") }, ["  an _color._sub._http._tcp.local 4500 PTR \(shop)"])
  }

  @Test("a known answer with half of the TTL suppresses, with less it does not (MD-24)")
  func knownAnswers() {
    for (ttl, isSilent) in [(2_250, true), (2_249, false), (4_500, true), (0, false)] as [(UInt32, Bool)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.ask("_http._tcp.local", .ptr, known: [ptr("_HTTP._tcp.local", shop, ttl: ttl)])
      bench.run(200)
      expectEqual(bench.said().isEmpty, isSilent, "\(ttl)")
    }
    var bench = MDNSBench.settled(shopPlan)
    bench.ask("_http._tcp.local", .ptr, known: [ptr("_http._tcp.local", "Other._http._tcp.local")])
    bench.run(200)
    #expect(!bench.said().isEmpty)
  }

  @Test("a query that goes on is answered 400 to 500 ms later, less all its known answers (MD-15)")
  func truncated() {
    var plan = shopPlan
    plan.services.append(MDNSService(web, "Second", port: 81))
    let question = [DNSQuestion(DNSName("_http._tcp.local")!, .ptr)]
    for seed in 0..<20 {
      var bench = MDNSBench.settled(plan, seed: UInt64(seed))
      bench.ask(question, isTruncated: true)
      bench.run(399)
      expectEqual(bench.said(), [])
      bench.run(101)
      #expect(bench.times[0] >= .zero + .milliseconds(10_400))
      expectEqual(bench.said().filter { $0.contains(" an ") }.count, 2)
    }
    var bench = MDNSBench.settled(plan)
    bench.ask(question, isTruncated: true)
    bench.run(100)
    // The rest of somebody else's query, and the rest of this one.
    bench.ask(
      [], known: [ptr("_http._tcp.local", "Second._http._tcp.local")],
      from: Endpoint(IPAddress(192, 168, 1, 7), port: 5_353))
    bench.ask([], known: [ptr("_http._tcp.local", shop)])
    bench.run(500)
    expectEqual(
      bench.said().filter { $0.contains(" an ") }, ["  an _http._tcp.local 4500 PTR Second._http._tcp.local"])
  }

  @Test("a known answer behind more of others than are kept suppresses ours (MD-15)")
  func manyKnown() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask([DNSQuestion(DNSName("_http._tcp.local")!, .ptr)], isTruncated: true)
    for message in 0..<110 {
      let others = (0..<10).map { ptr("_http._tcp.local", "Other \(message) \($0)._http._tcp.local") }
      bench.ask([], known: others, isTruncated: true)
    }
    bench.ask([], known: [ptr("_http._tcp.local", "Shop._http._tcp.local")])
    bench.run(2_000)
    expectEqual(bench.said(), [])
  }

  @Test("an answer that somebody else gave with no smaller TTL is not given again (MD-28)")
  func duplicateAnswers() {
    let listing = "_services._dns-sd._udp.local"
    for (ttl, isSilent) in [(4_500, true), (4_501, true), (4_499, false)] as [(UInt32, Bool)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.ask(listing, .ptr)
      bench.run(10)
      bench.tell([ptr(listing, "_http._tcp.local", ttl: ttl)])
      bench.run(200)
      expectEqual(bench.said().isEmpty, isSilent, "\(ttl)")
    }
  }

  @Test("another host's answer with the very bytes of our last one counts as well (MD-28)")
  func sameBytes() {
    let listing = "_services._dns-sd._udp.local"
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(listing, .ptr)
    bench.run(2_000)
    expectEqual(bench.said().count, 2)
    bench.ask(listing, .ptr)
    bench.run(10)
    bench.tell([ptr(listing, "_http._tcp.local", ttl: 4_500)])
    bench.run(200)
    expectEqual(bench.said(), [])
  }

  @Test("our record from somebody else with less than half of its TTL is announced again (MD-22)")
  func rescuedRecord() {
    let listing = "_services._dns-sd._udp.local"
    for (ttl, isSilent) in [(2_250, true), (2_249, false), (0, false)] as [(UInt32, Bool)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.tell([ptr(listing, "_http._tcp.local", ttl: ttl)])
      expectEqual(bench.said(), isSilent ? [] : ["10000" + head, "  an \(listing) 4500 PTR _http._tcp.local"])
      bench.run(3_000)
      expectEqual(bench.said(), [])
    }
    // With an answer that waits it is announced at once all the same, and that answer is not given after it.
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(listing, .ptr)
    bench.run(10)
    bench.tell([ptr(listing, "_http._tcp.local", ttl: 2_249)])
    expectEqual(bench.said(), ["10010" + head, "  an \(listing) 4500 PTR _http._tcp.local"])
    bench.run(3_000)
    expectEqual(bench.said(), [])
  }

  @Test("a record is multicast once in a second, exactly 1 s later again (MD-16)")
  func oncePerSecond() {
    for (wait, isSilent) in [(999, true), (1_000, false)] as [(Int64, Bool)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.ask("shop.local", .a)
      bench.run(wait)
      _ = bench.said()
      bench.ask("shop.local", .a)
      expectEqual(bench.said().isEmpty, isSilent, "\(wait)")
    }
  }

  @Test("a name is defended against a probe at once, and again after 250 ms (MD-16)")
  func defence() {
    for (wait, isSilent) in [(249, true), (250, false)] as [(Int64, Bool)] {
      var bench = MDNSBench.settled(shopPlan)
      // For long nothing was multicast: the defence is.
      bench.run(100_000)
      bench.probe([a("shop.local", "192.168.1.9", flush: false)])
      expectEqual(bench.said(), ["110000" + head, "  an \(address)", "  ar \(absence)"])
      bench.run(wait)
      let question = DNSQuestion(DNSName("shop.local")!, .any)
      bench.hear(
        DNSMessage(flags: .query, questions: [question], authorities: [a("shop.local", "192.168.1.9", flush: false)]))
      expectEqual(bench.said().isEmpty, isSilent, "\(wait)")
    }
  }

  @Test("QU is answered by unicast within a quarter of the TTL since the last multicast, else by multicast (MD-09)")
  func unicastQuestion() {
    // The second announcement was the last multicast.
    var probe = MDNSBench(shopPlan)
    probe.up()
    probe.act(.appear)
    probe.run(10_000)
    let last = probe.times.last!
    let direct = " if0 192.168.1.20:5353 > 192.168.1.9:5353 ttl255 response"
    for (wait, isDirect) in [(Interval.seconds(30), true), (.seconds(30) + .nanoseconds(1), false)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.run(until: last + wait)
      bench.ask("shop.local", .a, wantsUnicast: true)
      #expect(bench.said()[0].hasSuffix(isDirect ? direct : head))
    }
    // A shared answer waits here, too (MD-14).
    var bench = MDNSBench.settled(shopPlan)
    bench.ask("_http._tcp.local", .ptr, wantsUnicast: true)
    bench.run(19)
    expectEqual(bench.said(), [])
    bench.run(101)
    let lines = bench.said()
    #expect(lines[0].hasSuffix(direct))
    expectEqual(lines.filter { $0.contains(" an ") }, ["  an _http._tcp.local 4500 PTR \(shop)"])
  }

  @Test("a query sent to the host alone is answered as QU; from off the link it is not (MD-10) (MD-03)")
  func directQuery() {
    let question = [DNSQuestion(DNSName("shop.local")!, .a)]
    let own = Endpoint(MDNSBench.own, port: 5_353)
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(question, to: own)
    #expect(bench.said()[0].contains("> 192.168.1.9:5353"))
    let stranger = Endpoint(IPAddress(192, 168, 2, 9), port: 5_353)
    bench.ask(question, from: stranger, to: own)
    bench.ask(question, from: Endpoint(stranger.address, port: 9_999))
    bench.run(500)
    expectEqual(bench.said(), [])
    bench.ask("shop.local", .a, wantsUnicast: true)
    #expect(bench.said()[0].contains("> 192.168.1.9:5353"))
  }

  @Test("a legacy query is answered by unicast with its id and question, no flush bit and at most 10 s (MD-23) (MD-53)")
  func legacy() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(
      [DNSQuestion(DNSName("_http._tcp.local")!, .ptr, wantsUnicast: true)],
      from: Endpoint(IPAddress(192, 168, 1, 9), port: 40_000), id: 77)
    expectEqual(
      bench.said(),
      [
        "10000 if0 192.168.1.20:5353 > 192.168.1.9:40000 ttl255 id 77 response", "  ? _http._tcp.local PTR",
        "  an _http._tcp.local 10 PTR \(shop)", "  ar \(shop) 10 SRV 0 0 80 shop.local", "  ar \(shop) 10 TXT a=1",
        "  ar shop.local 10 A 192.168.1.20", "  ar shop.local 10 NSEC A",
      ])
  }

  @Test("answers that come due within half a second of each other go in one message (MD-20)")
  func aggregation() {
    var plan = shopPlan
    plan.services.append(MDNSService(try! ServiceType("ipp", .tcp), "Printer", port: 631))
    var bench = MDNSBench.settled(plan, seed: 4)
    bench.ask("_http._tcp.local", .ptr)
    bench.ask("_ipp._tcp.local", .ptr)
    bench.run(500)
    expectEqual(bench.messages.count, 1)
    expectEqual(bench.said().filter { $0.contains(" an ") }.count, 2)
  }

  @Test("messages are filled up to 1440 bytes; a larger record is alone in its own (MD-50)")
  func packets() {
    var bench = MDNSBench(crowdedPlan)
    bench.up()
    bench.act(.appear)
    bench.run(10_000)
    let announcements = zip(bench.messages, bench.sizes).filter { $0.0.flags.isResponse }
    for (message, size) in announcements where size > 1_440 {
      expectEqual(message.entries.count, 1)
      #expect(message.entries[0].hasPrefix("an Large._http._tcp.local 4500 flush TXT"))
    }
    expectEqual(announcements.filter { $0.1 > 1_440 }.count, 2)
    let records = announcements.prefix(announcements.count / 2).flatMap { $0.0.answers }
    // Address, PTR, SRV and TXT of each, one type.
    expectEqual(records.count, 1 + 41 * 3 + 1)
    expectEqual(Set(records).count, records.count)
    // No message could take the first record of the next one.
    #expect(announcements.filter { $0.1 > 1_300 && $0.1 <= 1_440 }.count >= 4)
  }

  @Test("new TXT data is announced twice, the same data not at all (MD-38)")
  func changedText() {
    var plan = shopPlan
    plan.changes = [
      .setTXT(instance: "Shop", [3] + Array("a=1".utf8)), .setTXT(instance: "Shop", [3] + Array("a=2".utf8)),
    ]
    var bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    bench.run(1_000)
    expectEqual(bench.said(), [])
    bench.act(.reconfigure)
    bench.run(5_000)
    let line = "  an \(shop) 4500 flush TXT a=2"
    expectEqual(bench.said(), ["11000" + head, line, "12000" + head, line])
    bench.act(.reconfigure)
    expectEqual(bench.said(), [])
  }

  @Test("a service that comes is probed and announced, one that goes says goodbye")
  func serviceChanges() {
    var plan = shopPlan
    plan.changes = [.add(MDNSService(web, "New", port: 81)), .remove(instance: "Shop"), .remove(instance: "Shop")]
    var bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    bench.run(5_000)
    let lines = bench.said()
    expectEqual(lines.filter { $0.contains("?") }, Array(repeating: "  ? New._http._tcp.local ANY QU", count: 3))
    expectEqual(lines.filter { $0.contains("an New._http._tcp.local 120 flush SRV 0 0 81 shop.local") }.count, 2)
    expectEqual(bench.machine.presentDevices, ["peer:\(shop)", "peer:New._http._tcp.local"])
    bench.act(.reconfigure)
    expectEqual(
      bench.said(),
      [
        "15000" + head, "  an _http._tcp.local 0 PTR \(shop)", "  an \(shop) 0 flush SRV 0 0 80 shop.local",
        "  an \(shop) 0 flush TXT a=1",
      ])
    bench.ask(shop, .srv)
    bench.act(.reconfigure)
    bench.run(1_000)
    expectEqual(bench.said(), [])
    expectEqual(bench.machine.presentDevices, ["peer:New._http._tcp.local"])
  }

  @Test("a new address is announced (MD-38)")
  func newAddress() {
    var bench = MDNSBench.settled(shopPlan)
    bench.act(.move(interface: InterfaceID(0), to: IPAddress(192, 168, 1, 33)))
    bench.run(3_000)
    expectEqual(
      bench.said().filter { $0.contains(" an ") },
      Array(repeating: "  an shop.local 120 flush A 192.168.1.33", count: 2))
    expectEqual(bench.others.last, "readdress 192.168.1.33 if0")
  }

  @Test("an address that is taken while the interface is down is announced when it comes up")
  func newAddressWhileDown() {
    var bench = MDNSBench.settled(shopPlan)
    bench.down()
    bench.act(.move(interface: InterfaceID(0), to: IPAddress(192, 168, 1, 33)))
    bench.run(3_000)
    expectEqual(bench.said(), [])
    bench.up(0, "192.168.1.33")
    bench.run(3_000)
    expectEqual(
      bench.said().filter { $0.contains(" an ") && $0.contains(" A ") },
      Array(repeating: "  an shop.local 120 flush A 192.168.1.33", count: 2))
  }

  @Test("on another interface nothing is said of what was asked on one (MD-47)")
  func interfaces() {
    var bench = MDNSBench(shopPlan)
    bench.up()
    bench.up(1, "10.0.0.5")
    bench.act(.appear)
    bench.run(10_000)
    _ = bench.said()
    bench.ask([DNSQuestion(DNSName("shop.local")!, .a)], from: Endpoint(IPAddress(10, 0, 0, 9), port: 5_353), on: 1)
    expectEqual(
      bench.said(),
      [
        "10000 if1 10.0.0.5:5353 > 224.0.0.251:5353 ttl255 response", "  an shop.local 120 flush A 10.0.0.5",
        "  ar \(absence)",
      ])
    // The one second of the record counts on that interface only.
    bench.ask("shop.local", .a)
    expectEqual(bench.said(), ["10000" + head, "  an \(address)", "  ar \(absence)"])
  }

  @Test("what is no message, no query and no response of multicast DNS is ignored (MD-51)")
  func ignored() {
    var bench = MDNSBench.settled(shopPlan)
    let question = [DNSQuestion(DNSName("shop.local")!, .a)]
    for raw in [0x0800, 0x0001, 0x7800] as [UInt16] {
      bench.hear(DNSMessage(flags: DNSFlags(rawValue: raw), questions: question))
    }
    bench.hear([])
    bench.hear(Array(repeating: 0xFF, count: 40))
    bench.ask(question, to: Endpoint(.mdnsGroup4, port: 5_354))
    // A response from another port, and the questions of a response (MD-12).
    bench.tell([a("shop.local", "192.168.1.9")], from: Endpoint(IPAddress(192, 168, 1, 9), port: 40_000))
    bench.hear(DNSMessage(flags: .response, questions: question))
    bench.run(2_000)
    expectEqual(bench.said(), [])
    expectEqual(bench.machine.hostName, "shop.local")
  }

  @Test("a flood of queries that wait takes bounded memory")
  func flood() {
    var bench = MDNSBench.settled(shopPlan)
    for port in 0..<200 {
      bench.ask(
        [DNSQuestion(DNSName("_http._tcp.local")!, .ptr)], isTruncated: true,
        from: Endpoint(IPAddress(192, 168, 1, UInt8(port)), port: 5_353))
    }
    #expect(bench.machine.links[0].asked.count <= 32)
    bench.run(2_000)
    expectEqual(bench.messages.count, 1)
    expectEqual(bench.machine.links[0].asked.count, 0)
    expectEqual(bench.machine.links[0].pending.count, 0)
  }
}
