import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// Cases of a responder in which two rules meet.
@Suite("A responder where rules meet")
struct MDNSEdgeTests: ShopLines {
  private let client = Endpoint(IPAddress(192, 168, 1, 9), port: 40_000)

  private func question(_ name: String, _ type: DNSType, wantsUnicast: Bool = false) -> DNSQuestion {
    DNSQuestion(DNSName(name)!, type, wantsUnicast: wantsUnicast)
  }

  @Test("a service without room for its name in a long domain is called x, and without room for that as its type")
  func longDomains() throws {
    /// The labels of a service in a domain for which its type has so many bytes, with its first names.
    func names(_ typeBytes: Int) throws -> [String] {
      let x = String(repeating: "x", count: 63)
      // Three labels of 64 bytes, `_http` and `_tcp` of 11, and the root.
      let domain = DNSName(labels: [String(repeating: "y", count: typeBytes - 205), x, x, x])!
      let service = MDNSService(try ServiceType("http", .tcp, domain: domain), "A shop of many words", port: 80)
      var entity = MDNSEntity(service, host: .local, MDNSTiming())
      var names: [String] = []
      for _ in 0..<2 {
        names.append(String(decoding: entity.name.firstLabel, as: UTF8.self))
        entity.rename()
      }
      return names
    }
    expectEqual(try names(230), ["A shop of many words", "A shop of many words (2)"])
    expectEqual(try names(234), ["A shop of many words", "x (2)"])
    expectEqual(try names(235), ["x", "x (2)"])
    expectEqual(try names(249), ["x", "x (2)"])
    expectEqual(try names(250), ["x", "_http"])
    expectEqual(try names(253), ["x", "_http"])
    expectEqual(try names(254), ["_http", "_http"])
  }

  @Test("records of a query behind its known answers are none of them (MD-24)")
  func additionalsOfQueries() {
    let own = a("shop.local", "192.168.1.20")
    for (answers, additionals, isSilent) in [
      ([ptr("_http._tcp.local", shop)], [own], false), ([], [own], false),
      ([own], [ptr("_http._tcp.local", shop)], true),
    ] as [([DNSRecord], [DNSRecord], Bool)] {
      var bench = MDNSBench.settled(shopPlan)
      bench.hear(
        DNSMessage(
          flags: .query, questions: [question("shop.local", .a)], answers: answers, additionals: additionals))
      expectEqual(bench.said(), isSilent ? [] : ["10000" + head, "  an \(address)", "  ar \(absence)"])
    }
  }

  @Test("an answer waits for another answer that is about to go out, and for no announcement (MD-20)")
  func besideAnnouncements() {
    var plan = shopPlan
    plan.changes = [.setTXT(instance: "Shop", [3] + Array("a=2".utf8))]
    var bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    expectEqual(bench.said(), ["10000" + head, "  an \(shop) 4500 flush TXT a=2"])
    bench.ask("_http._tcp.local", .ptr)
    bench.run(120)
    // The TXT record was just multicast.
    expectEqual(
      Array(bench.said().dropFirst()),
      ["  an \(pointer)", "  ar \(shop) 120 flush SRV 0 0 80 shop.local", "  ar \(address)", "  ar \(absence)"])
    bench.run(until: .zero + .seconds(12))
    expectEqual(bench.said(), ["11000" + head, "  an \(shop) 4500 flush TXT a=2"])
  }

  @Test("an answer goes with one that is due 20 ms from now or later, and not with a sooner one (MD-20)")
  func besideAnswers() throws {
    var plan = shopPlan
    plan.services.append(MDNSService(try ServiceType("ipp", .tcp), "Printer", port: 631))
    for (late, counts) in [(Interval.zero, [2]), (.nanoseconds(1), [1, 1])] {
      var bench = MDNSBench.settled(plan)
      bench.ask("_http._tcp.local", .ptr)
      let due = bench.machine.links[0].pending[0].due
      bench.run(until: due - .milliseconds(20) + late)
      bench.ask("_ipp._tcp.local", .ptr)
      bench.run(500)
      expectEqual(bench.times.first, due)
      expectEqual(bench.messages.map(\.answers.count), counts)
    }
  }

  @Test("known answers put off the answer while more of them are to come, and the last ones do not (MD-15)")
  func putOff() {
    var plan = shopPlan
    plan.timing.truncatedDelay = .milliseconds(400) ... .milliseconds(400)
    var bench = MDNSBench.settled(plan)
    bench.ask([question("_http._tcp.local", .ptr)], isTruncated: true)
    expectEqual(bench.machine.deadline, Instant.zero + .milliseconds(10_400))
    for isTruncated in [true, false] {
      bench.run(100)
      bench.ask([], known: [ptr("_http._tcp.local", "Other._http._tcp.local")], isTruncated: isTruncated)
      expectEqual(bench.machine.deadline, Instant.zero + .milliseconds(10_500))
    }
    bench.run(1_000)
    expectEqual(
      bench.said(),
      ["10500" + head, "  an \(pointer)", "  ar \(service)", "  ar \(text)", "  ar \(address)", "  ar \(absence)"])
  }

  @Test("announcements that are still to come go on, whatever TTL somebody else gives the record (MD-22)")
  func rescuedAnnouncement() {
    var plan = shopPlan
    plan.timing.announceCount = 3
    plan.changes = [.setTXT(instance: "Shop", [3] + Array("a=2".utf8))]
    var bench = MDNSBench(plan)
    bench.up()
    bench.act(.appear)
    bench.run(20_000)
    _ = bench.said()
    bench.act(.reconfigure)
    bench.run(500)
    bench.tell([txt(shop, "a=2", ttl: 10)])
    bench.run(10_000)
    let line = "  an \(shop) 4500 flush TXT a=2"
    expectEqual(bench.said(), ["20000" + head, line, "21000" + head, line, "23000" + head, line])
  }

  @Test("of several answers that wait the one that somebody else gives is taken back alone (MD-28)")
  func oneOfSeveral() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask([question(listing, .ptr), question("_http._tcp.local", .ptr)])
    bench.run(10)
    bench.tell([ptr("_http._tcp.local", shop)])
    bench.run(120)
    expectEqual(Array(bench.said().dropFirst()), ["  an \(listing) 4500 PTR _http._tcp.local"])
  }

  @Test("an answer that waits is not given when its record is gone, and one beside it is")
  func goneMeanwhile() {
    var bench = MDNSBench(shopPlan)
    bench.up(0, "192.168.1.20", "192.168.1.21")
    bench.act(.appear)
    bench.run(10_000)
    _ = bench.said()
    bench.ask([question("shop.local", .aaaa), question("_http._tcp.local", .ptr)])
    bench.up()
    expectEqual(bench.said(), ["10000" + head, "  an \(address)", "  ar \(absence)"])
    bench.run(120)
    expectEqual(Array(bench.said().dropFirst()), ["  an \(pointer)", "  ar \(service)", "  ar \(text)"])
  }

  @Test("a conflict takes back the answers that wait with the name itself, and no others (MD-39)")
  func conflictBeforeAnswer() {
    var plan = shopPlan
    plan.timing.sharedDelay = .seconds(3) ... .seconds(3)
    var bench = MDNSBench.settled(plan)
    bench.ask([question("shop.local", .a), question("_http._tcp.local", .ptr)])
    bench.tell([a("shop.local", "192.168.1.9")])
    bench.run(2_999)
    expectEqual(bench.said().filter { $0.contains("?") }, Array(repeating: "  ? shop.local ANY QU", count: 3))
    bench.run(1)
    expectEqual(
      bench.said(),
      ["13000" + head, "  an \(pointer)", "  ar \(service)", "  ar \(text)", "  ar \(address)", "  ar \(absence)"])
  }

  @Test("an answer that waits tells the new name of a host that has lost its own (MD-31)")
  func renamedBeforeAnswer() {
    var bench = MDNSBench.settled(shopPlan)
    bench.tell([a("shop.local", "192.168.1.9")])
    bench.ask("_http._tcp.local", .ptr)
    bench.tell([a("shop.local", "192.168.1.9")])
    expectEqual(bench.machine.hostName, "shop-2.local")
    bench.run(120)
    expectEqual(
      bench.messages.filter(\.flags.isResponse).map(\.entries),
      [["an \(pointer)", "ar \(shop) 120 flush SRV 0 0 80 shop-2.local", "ar \(text)"]])
  }

  @Test("a type is listed once where an answer about one service meets the announcement of another (MD-63)")
  func listedOnce() {
    var plan = shopPlan
    plan.services.append(MDNSService(web, "Second", port: 81))
    plan.changes = [.remove(instance: "Shop"), .add(MDNSService(web, "New", port: 82))]
    plan.timing.sharedDelay = .milliseconds(50) ... .milliseconds(50)
    var bench = MDNSBench.settled(plan)
    for _ in plan.changes { bench.act(.reconfigure) }
    // Three probes, 250 ms apart, and the name is owned.
    let owned = bench.machine.links[0].claims[1].due + .milliseconds(750)
    bench.run(until: owned - .milliseconds(50))
    _ = bench.said()
    bench.ask(listing, .ptr)
    bench.run(50)
    let new = "New._http._tcp.local"
    expectEqual(
      Array(bench.said().dropFirst()),
      [
        "  an \(listing) 4500 PTR _http._tcp.local", "  an _http._tcp.local 4500 PTR \(new)",
        "  an \(new) 120 flush SRV 0 0 82 shop.local", "  an \(new) 4500 flush TXT -", "  ar \(address)",
        "  ar \(absence)",
      ])
  }

  @Test("a type is listed beside a service that has the name of the type for its own (MD-63)")
  func namedAsType() throws {
    let inner = try ServiceType("http", .tcp, domain: DNSName("_tcp.local")!)
    var plan = shopPlan
    plan.services = [
      MDNSService(try ServiceType("tcp", .tcp), "_http", port: 80), MDNSService(inner, "Shop", port: 81),
    ]
    expectEqual(inner.domainName, DNSName("_http._tcp._tcp.local")!)
    var bench = MDNSBench(plan)
    bench.up()
    bench.act(.appear)
    bench.run(10_000)
    let types = ["_tcp._tcp.local", "_http._tcp._tcp.local"].map { "  an \(listing) 4500 PTR \($0)" }
    // Announced twice.
    expectEqual(bench.said().filter { $0.hasPrefix("  an \(listing) ") }, types + types)
  }

  @Test("a plain DNS client is not answered where there is nothing to say, and told of a type once (MD-23) (MD-63)")
  func legacy() {
    var plan = shopPlan
    plan.services.append(MDNSService(web, "Second", port: 81))
    var bench = MDNSBench.settled(plan)
    bench.ask([question("_http._tcp.local", .srv)], from: client, id: 7)
    expectEqual(bench.said(), [])
    bench.ask([question("shop.local", .a)], known: [a("shop.local", "192.168.1.20")], from: client, id: 7)
    expectEqual(bench.said(), [])
    bench.ask([question(listing, .ptr)], from: client, id: 7)
    expectEqual(
      bench.said(),
      [
        "10000 if0 192.168.1.20:5353 > 192.168.1.9:40000 ttl255 id 7 response", "  ? \(listing) PTR",
        "  an \(listing) 10 PTR _http._tcp.local",
      ])
    bench.ask([question(listing, .ptr, wantsUnicast: true)])
    bench.run(120)
    expectEqual(Array(bench.said().dropFirst()), ["  an \(listing) 4500 PTR _http._tcp.local"])
  }

  @Test("a query that goes on keeps 1024 known answers, of its own messages and of others' responses (MD-15)")
  func keptAnswers() {
    var bench = MDNSBench.settled(shopPlan)
    let old = ptr("_http._tcp.local", shop, ttl: 0)
    bench.ask([question("_http._tcp.local", .ptr)], isTruncated: true)
    for (more, count) in [(500, 500), (523, 1_023), (2, 1_024), (2, 1_024)] {
      bench.ask([], known: Array(repeating: old, count: more), isTruncated: true)
      expectEqual(bench.machine.links[0].asked.map(\.known.count), [count])
    }
    bench.tell([ptr("_http._tcp.local", shop)])
    expectEqual(bench.machine.links[0].asked.map(\.known.count), [1_024])
    bench.run(500)
    expectEqual(bench.said().filter { $0.contains(" an ") }, ["  an \(pointer)"])
  }

  @Test("with an address of another family its group is joined, also where the system says the address (MD-38)")
  func anotherFamily() {
    var bench = MDNSBench.settled(shopPlan)
    bench.up(0, "192.168.1.20", "fe80::20")
    bench.run(3_000)
    let join = "join 224.0.0.251:5353 if0"
    expectEqual(bench.others, [join, join, "join [ff02::fb]:5353 if0"])
    let head6 = " if0 [fe80::20]:5353 > [ff02::fb]:5353 ttl255 response"
    var wanted: [String] = []
    for first in ["10000\(head)", "10000\(head6)", "11000\(head)", "11000\(head6)"] {
      wanted += [first, "  an \(address)", "  an shop.local 120 flush AAAA fe80::20"]
    }
    expectEqual(bench.said(), wanted)
  }

  @Test("an address that it takes has the prefix that is usual in its family, or that of the address before it")
  func prefixes() {
    let rows: [(first: String, taken: String, prefixes: [Int])] = [
      ("192.168.1.20", "fe80::99", [24, 64]), ("fe80::20", "192.168.1.33", [64, 24]),
      ("192.168.1.20", "192.168.1.33", [24]), ("fe80::20", "fe80::99", [64]),
    ]
    for row in rows {
      var bench = MDNSBench(shopPlan)
      bench.up(0, row.first)
      bench.act(.appear)
      bench.act(.move(interface: InterfaceID(0), to: IPAddress(row.taken)!))
      expectEqual(bench.machine.links[0].addresses.map(\.prefixBits), row.prefixes)
      expectEqual(bench.machine.links[0].addresses.last?.address, IPAddress(row.taken)!)
    }
  }
}
