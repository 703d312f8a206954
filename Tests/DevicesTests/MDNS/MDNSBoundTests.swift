import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

@Suite("A responder at its bounds")
struct MDNSBoundTests: ShopLines {
  // MARK: - Names

  @Test("a second name is as long as 63 bytes allow, whole characters alone; behind the last number comes 2 (MD-31)")
  func names() {
    func label(_ text: String, _ number: UInt32 = 1) -> String {
      var entity = MDNSEntity(host: Array(text.utf8))
      entity.number = number
      entity.rename()
      return String(decoding: entity.name.firstLabel, as: UTF8.self)
    }
    func x(_ count: Int) -> String { String(repeating: "x", count: count) }
    for (count, kept) in [(1, 1), (60, 60), (61, 61), (62, 61), (63, 61)] {
      expectEqual(label(x(count)), x(kept) + "-2", "\(count)")
    }
    expectEqual(label(x(60) + "é"), x(60) + "-2")
    expectEqual(label(x(59) + "éy"), x(59) + "é-2")
    expectEqual(label(x(59) + "é"), x(59) + "é-2")
    expectEqual(label(x(63), 9), x(60) + "-10")
    expectEqual(label(x(63), UInt32.max - 1), x(52) + "-4294967295")
    expectEqual(label("shop", UInt32.max), "shop-2")
    // Bytes that only go on with a character make none.
    var entity = MDNSEntity(host: [UInt8](repeating: 0x80, count: 63))
    entity.rename()
    expectEqual(Array(entity.name.firstLabel), Array("x-2".utf8))
  }

  @Test("two names that are lost in one message are both changed, also to a record that says what there is not (MD-31)")
  func conflicts() {
    var bench = MDNSBench(shopPlan)
    bench.up()
    bench.act(.appear)
    bench.run(300)
    var other = bench
    bench.tell([a("shop.local", "192.168.1.9"), srv(shop, 1, "other.local")])
    expectEqual(bench.machine.hostName, "shop-2.local")
    bench.run(3_000)
    expectEqual(bench.machine.presentDevices, ["peer:Shop (2)._http._tcp.local"])
    #expect(bench.said().contains("  an Shop (2)._http._tcp.local 120 flush SRV 0 0 80 shop-2.local"))
    let name = DNSName("shop.local")!
    other.tell([DNSRecord(name, .nsec(next: name, types: [.aaaa]), ttlSeconds: 120)])
    expectEqual(other.machine.hostName, "shop-2.local")
    // What is its own on another interface is no conflict, over a bridge (MD-40); what is nobody's is one.
    bench = MDNSBench(shopPlan)
    bench.up()
    bench.up(1, "10.0.0.5")
    bench.act(.appear)
    bench.run(10_000)
    _ = bench.said()
    bench.tell([a("shop.local", "10.0.0.5")])
    bench.run(3_000)
    expectEqual(bench.said(), [])
    bench.tell([a("shop.local", "10.0.0.6")])
    bench.run(300)
    #expect(bench.said().contains("  ? shop.local ANY QU"))
  }

  // MARK: - Messages

  @Test("one name more goes into a message that has room for it to the byte, and else into the next one (MD-50)")
  func exactRoom() {
    /// How many probes are sent at once, how many announcements, and the sizes of the first of each.
    func start(_ packetBytes: Int) -> (probes: Int, announcements: Int, sizes: [Int]) {
      var plan = shopPlan
      (plan.quirks, plan.packetBytes) = ([.noAdditions], packetBytes)
      var bench = MDNSBench(plan)
      bench.up()
      bench.act(.appear)
      bench.run(1_000)
      let probes = bench.times.count { $0 == bench.times[0] }
      let places = bench.messages.indices.filter { bench.messages[$0].flags.isResponse }
      return (probes, places.count, [bench.sizes[0], bench.sizes[places[0]]])
    }
    let whole = start(1_440)
    expectEqual([whole.probes, whole.announcements], [1, 1])
    let (probe, announcement) = (whole.sizes[0], whole.sizes[1])
    expectEqual(start(probe).probes, 1)
    expectEqual(start(probe - 1).probes, 2)
    expectEqual(start(announcement).announcements, 1)
    expectEqual(start(announcement - 1).announcements, 2)
  }

  @Test("probes and goodbyes of many services are filled up, each name and record once, a large one alone (MD-50)")
  func manyServices() {
    var bench = MDNSBench(crowdedPlan)
    bench.up()
    bench.act(.appear)
    bench.run(250)
    let probes = zip(bench.messages, bench.times).filter { $0.1 == bench.times[0] }.map { $0.0 }
    let names = probes.flatMap(\.questions).map(\.name)
    expectEqual(names, bench.machine.entities.map(\.name))
    expectEqual(probes.flatMap(\.authorities).count, 1 + 41 * 2)
    for (one, next) in zip(probes, probes.dropFirst()) {
      #expect(one.bytes.count <= 1_440)
      var longer = one
      longer.questions.append(next.questions[0])
      longer.authorities += next.authorities.prefix(2)
      #expect(longer.bytes.count > 1_440)
    }
    expectEqual(probes.last?.questions.count, 1)
    bench.run(10_000)
    _ = bench.said()
    bench.act(.leave)
    let records = bench.messages.flatMap(\.answers)
    // The address; PTR, SRV and TXT of each; and not the type, which others may have.
    expectEqual(records.count, 1 + 41 * 3)
    expectEqual(Set(records).count, records.count)
    #expect(records.allSatisfy { $0.ttlSeconds == 0 })
    let alone = bench.messages.indices.filter { bench.sizes[$0] > 1_440 }
    expectEqual(alone.map { bench.messages[$0].answers.count }, [1])
  }

  @Test("announcements come at gaps that double, and new data takes the place of what was to be said again (MD-36)")
  func announcements() {
    var plan = shopPlan
    plan.timing.announceCount = 4
    var bench = MDNSBench(plan)
    bench.up()
    bench.act(.appear)
    bench.run(30_000)
    let first = bench.times[0]
    expectEqual(
      bench.times.map { ($0 - first).nanoseconds / 1_000_000 }, [0, 250, 500, 750, 1_750, 3_750, 7_750])
    plan = shopPlan
    plan.changes = ["a=2", "a=3"].map { MDNSChange.setTXT(instance: "Shop", [3] + Array($0.utf8)) }
    bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    bench.run(500)
    bench.act(.reconfigure)
    bench.run(5_000)
    func line(_ value: Int) -> String { "  an \(shop) 4500 flush TXT a=\(value)" }
    expectEqual(
      bench.said(), ["10000" + head, line(2), "11000" + head, line(3), "12000" + head, line(3)])
  }

  @Test("an answer that waits is given at once where its name is probed for, and not a second time (MD-16)")
  func waitingDefence() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask("shop.local", .a)
    expectEqual(bench.said(), ["10000" + head, "  an \(address)", "  ar \(absence)"])
    bench.run(300)
    bench.ask([DNSQuestion(DNSName("shop.local")!, .a), DNSQuestion(DNSName("_http._tcp.local")!, .ptr)])
    bench.run(1)
    expectEqual(bench.said(), [])
    bench.hear(
      DNSMessage(
        flags: .query, questions: [DNSQuestion(DNSName("shop.local")!, .any)],
        authorities: [a("shop.local", "192.168.1.9", flush: false)]))
    expectEqual(bench.said(), ["10301" + head, "  an \(address)"])
    bench.run(500)
    expectEqual(
      Array(bench.said().dropFirst()),
      ["  an \(pointer)", "  ar \(shop) 120 flush SRV 0 0 80 shop.local", "  ar \(shop) 4500 flush TXT a=1"])
  }

  // MARK: - Questions

  @Test("256 questions of a message are looked at, and 32 queries wait")
  func counts() {
    let nobody = DNSQuestion(DNSName("nobody.local")!, .a)
    for (before, isSilent) in [(255, false), (256, true)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.ask(Array(repeating: nobody, count: before) + [DNSQuestion(DNSName("shop.local")!, .a)])
      expectEqual(bench.said().isEmpty, isSilent, "\(before)")
    }
    var bench = MDNSBench.settled(shopPlan)
    for (count, waiting) in [(31, 31), (1, 32), (1, 32)] {
      for _ in 0..<count { bench.ask([DNSQuestion(DNSName("_http._tcp.local")!, .ptr)], isTruncated: true) }
      expectEqual(bench.machine.links[0].asked.count, waiting)
    }
  }

  @Test("an answer by unicast takes back none that waits; one by multicast does, also to a query that goes on (MD-28)")
  func othersAnswers() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(listing, .ptr)
    bench.run(10)
    bench.tell([ptr(listing, "_http._tcp.local")], to: Endpoint(MDNSBench.own, port: 5_353))
    bench.run(200)
    expectEqual(bench.said().count, 2)
    bench = MDNSBench.settled(shopPlan)
    bench.ask([DNSQuestion(DNSName("_http._tcp.local")!, .ptr)], isTruncated: true)
    bench.run(100)
    bench.tell([ptr("_http._tcp.local", shop)])
    bench.run(1_000)
    expectEqual(bench.said(), [])
    // Who asks from off the link is answered by multicast, whatever he wishes.
    bench.ask(
      [DNSQuestion(DNSName("shop.local")!, .a, wantsUnicast: true)],
      from: Endpoint(IPAddress(192, 168, 2, 9), port: 5_353))
    expectEqual(bench.said().first, "11100" + head)
  }

  @Test("what answers two questions is said once; a plain DNS client is told 10 s, or less where there is less (MD-23)")
  func once() {
    let questions = [DNSQuestion(DNSName("shop.local")!, .a), DNSQuestion(DNSName("shop.local")!, .any)]
    var bench = MDNSBench.settled(shopPlan)
    bench.ask(questions)
    expectEqual(bench.said(), ["10000" + head, "  an \(address)", "  ar \(absence)"])
    for (seconds, told) in [(5, 5), (10, 10), (11, 10)] as [(UInt32, Int)] {
      var plan = shopPlan
      plan.timing.hostTTLSeconds = seconds
      var bench = MDNSBench.settled(plan)
      bench.ask(questions, from: Endpoint(IPAddress(192, 168, 1, 9), port: 40_000), id: 7)
      expectEqual(
        bench.said(),
        [
          "10000 if0 192.168.1.20:5353 > 192.168.1.9:40000 ttl255 id 7 response", "  ? shop.local A",
          "  ? shop.local ANY", "  an shop.local \(told) A 192.168.1.20", "  ar shop.local \(told) NSEC A",
        ])
    }
  }

  @Test("of its messages it knows the last eight where they come back, and takes an older one for somebody else's")
  func ownMessages() {
    for (count, isOwn) in [(6, true), (7, false)] {
      var bench = MDNSBench(shopPlan)
      bench.up()
      bench.act(.appear)
      bench.run(10_000)
      // A probe and an announcement, each several times.
      let probe = bench.messages[0].bytes
      let others: [(name: String, type: DNSType)] = [
        ("shop.local", .a), (shop, .srv), (shop, .txt), ("shop.local", .aaaa), (shop, .a), (shop, .any),
        (listing, .ptr),
      ]
      for other in others.prefix(count) {
        _ = bench.said()
        bench.ask(other.name, other.type)
        bench.run(1_200)
        expectEqual(bench.messages.count, 1, "\(other)")
      }
      _ = bench.said()
      bench.hear(probe)
      expectEqual(bench.said().isEmpty, isOwn, "\(count)")
    }
  }

  // MARK: - Interfaces

  @Test("sixteen interfaces are spoken on; each family from its first address, IPv6 from the link-local one (MD-44)")
  func interfaces() {
    var many = MDNSBench(shopPlan)
    for number: UInt16 in 0..<17 { many.up(number, "10.0.\(number).1") }
    expectEqual(many.machine.links.map(\.interface), (0..<16).map { InterfaceID($0) })
    var bench = MDNSBench(shopPlan)
    bench.up(0, "2001:db8::20", "fe80::20", "192.168.1.20", "192.168.1.21")
    bench.act(.appear)
    bench.run(10_000)
    _ = bench.said()
    bench.ask("shop.local", .a)
    let answer = [
      "  an \(address)", "  an shop.local 120 flush A 192.168.1.21", "  ar shop.local 120 flush AAAA 2001:db8::20",
      "  ar shop.local 120 flush AAAA fe80::20",
    ]
    let head6 = "10000 if0 [fe80::20]:5353 > [ff02::fb]:5353 ttl255 response"
    expectEqual(bench.said(), ["10000" + head] + answer + [head6] + answer)
    var single = MDNSBench(shopPlan)
    single.up(0, "fe80::20")
    single.act(.appear)
    single.run(10_000)
    _ = single.said()
    single.ask("shop.local", .a)
    expectEqual(
      single.said(), [head6, "  an shop.local 120 flush NSEC AAAA", "  ar shop.local 120 flush AAAA fe80::20"])
    // One of its addresses alone, where the plan says so; and none where there is not that one.
    var plan = shopPlan
    plan.announcedAddresses = [MDNSBench.own]
    var chosen = MDNSBench(plan)
    chosen.up(0, "192.168.1.21", "192.168.1.20")
    chosen.up(1, "10.0.0.5")
    chosen.act(.appear)
    chosen.run(10_000)
    #expect(!chosen.said().contains { $0.contains("if1") || $0.contains("192.168.1.21") })
    chosen.ask("shop.local", .a)
    expectEqual(chosen.said(), ["10000" + head, "  an \(address)", "  ar \(absence)"])
  }

  @Test("one address more is announced with those before it, and one of another family on both (MD-38)")
  func moreAddresses() {
    var bench = MDNSBench.settled(shopPlan)
    for _ in 0..<2 { bench.up(0, "192.168.1.20", "192.168.1.21") }
    bench.run(3_000)
    let both = ["  an \(address)", "  an shop.local 120 flush A 192.168.1.21", "  ar \(absence)"]
    expectEqual(bench.said(), ["10000" + head] + both + ["11000" + head] + both)
    bench = MDNSBench.settled(shopPlan)
    let next = IPAddress("fe80::99")!
    bench.act(.move(interface: InterfaceID(0), to: next))
    let records = ["  an \(address)", "  an shop.local 120 flush AAAA fe80::99"]
    let head6 = " if0 [fe80::99]:5353 > [ff02::fb]:5353 ttl255 response"
    expectEqual(bench.said(), ["10000" + head] + records + ["10000" + head6] + records)
    expectEqual(Array(bench.others.dropFirst()), ["readdress fe80::99 if0", "join [ff02::fb]:5353 if0"])
    bench.run(3_000)
    expectEqual(bench.said(), ["11000" + head] + records + ["11000" + head6] + records)
    // Where it is already nothing is news, and a group is no address.
    bench.act(.move(interface: InterfaceID(0), to: next))
    bench.act(.move(interface: InterfaceID(0), to: .mdnsGroup4))
    bench.run(3_000)
    expectEqual(bench.said(), [])
    expectEqual(bench.others.count, 4)
    expectEqual(bench.others.last, "readdress fe80::99 if0")
  }

  // MARK: - Coming and going

  @Test("two services of one name are told apart by their types, and a new one takes the place of one that is gone")
  func sameName() {
    let ipp = try! ServiceType("ipp", .tcp)
    var plan = shopPlan
    plan.services.append(MDNSService(ipp, "Shop", port: 631))
    plan.changes = [.add(MDNSService(web, "New", port: 81))]
    var bench = MDNSBench.settled(plan)
    bench.machine.withdraw("Shop", ipp, at: bench.now, into: &bench.outbox)
    bench.ask("nobody.local", .a)
    let printer = "Shop._ipp._tcp.local"
    expectEqual(
      bench.said(),
      [
        "10000" + head, "  an _ipp._tcp.local 0 PTR \(printer)", "  an \(printer) 0 flush SRV 0 0 631 shop.local",
        "  an \(printer) 0 flush TXT -",
      ])
    expectEqual(bench.machine.presentDevices, ["peer:\(shop)"])
    bench.machine.retext("Shop", ipp, [3] + Array("a=8".utf8), at: bench.now, into: &bench.outbox)
    bench.machine.retext("Shop", web, [3] + Array("a=9".utf8), at: bench.now, into: &bench.outbox)
    bench.ask("nobody.local", .a)
    expectEqual(bench.said(), ["10000" + head, "  an \(shop) 4500 flush TXT a=9"])
    bench.act(.reconfigure)
    bench.run(5_000)
    expectEqual(bench.said().filter { $0.contains("?") }, Array(repeating: "  ? New._http._tcp.local ANY QU", count: 3))
    expectEqual(bench.machine.entities.count, 3)
    expectEqual(bench.machine.presentDevices, ["peer:\(shop)", "peer:New._http._tcp.local"])
  }

  @Test("a reboot takes two seconds, and who leaves or vanishes meanwhile does not come back")
  func comesBack() {
    /// What is said after the last of these acts, within a time.
    func said(_ acts: [Act], within milliseconds: Int64) -> [String] {
      var bench = MDNSBench.settled(shopPlan)
      for act in acts {
        _ = bench.said()
        bench.act(act)
      }
      if acts.last == .reboot { _ = bench.said() }
      bench.run(milliseconds)
      return bench.said()
    }
    let probe = "  ? shop.local ANY QU"
    let crash = Act.crash(downFor: .seconds(3), keepsState: true)
    expectEqual(said([.reboot], within: 1_999), [])
    #expect(said([.reboot], within: 2_250).contains(probe))
    expectEqual(said([crash], within: 2_999), [])
    #expect(said([crash], within: 3_250).contains(probe))
    #expect(said([.crash(downFor: .seconds(-3), keepsState: true)], within: 250).contains(probe))
    let silent: [[Act]] = [[.appear], [.reboot, .leave], [.reboot, .vanish], [crash, .leave], [.vanish, .reboot]]
    for acts in silent { expectEqual(said(acts, within: 10_000), [], "\(acts)") }
    #expect(said([crash, .appear], within: 250).contains(probe))
    var bench = MDNSBench.settled(shopPlan)
    for _ in 0..<2 { bench.act(.leave) }
    expectEqual(bench.others, ["join 224.0.0.251:5353 if0", "leave 224.0.0.251:5353 if0"])
  }
}
