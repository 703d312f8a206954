@testable import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@Suite("A responder claims its names")
struct MDNSClaimTests {
  private func starting(_ plan: MDNSPlan = shopPlan, seed: UInt64 = 1) -> MDNSBench {
    var bench = MDNSBench(plan, seed: seed)
    bench.up()
    bench.act(.appear)
    return bench
  }

  @Test("three probes 250 ms apart, then two announcements 1 s apart, then silence (MD-29) (MD-30) (MD-36) (MD-37)")
  func wholeStart() {
    var bench = starting()
    bench.run(10_000)
    let first = bench.times[0]
    #expect(first >= .zero && first <= .zero + .milliseconds(250))
    expectEqual(
      bench.times.map { ($0 - first).nanoseconds / 1_000_000 }, [0, 250, 500, 750, 1_750])
    let lines = bench.said()
    let probe = [
      "  ? shop.local ANY QU", "  ? Shop._http._tcp.local ANY QU", "  ns shop.local 120 A 192.168.1.20",
      "  ns Shop._http._tcp.local 120 SRV 0 0 80 shop.local", "  ns Shop._http._tcp.local 4500 TXT a=1",
    ]
    let announcement = [
      "  an shop.local 120 flush A 192.168.1.20", "  an _http._tcp.local 4500 PTR Shop._http._tcp.local",
      "  an Shop._http._tcp.local 120 flush SRV 0 0 80 shop.local", "  an Shop._http._tcp.local 4500 flush TXT a=1",
      "  an _services._dns-sd._udp.local 4500 PTR _http._tcp.local", "  ar shop.local 120 flush NSEC A",
    ]
    // The time of the first one is drawn.
    let start = first.nanoseconds / 1_000_000
    func head(_ after: Int64, _ kind: String) -> String {
      "\((first + .milliseconds(after)).nanoseconds / 1_000_000) if0 192.168.1.20:5353 > 224.0.0.251:5353 ttl255 \(kind)"
    }
    #expect(start <= 250)
    expectEqual(
      lines,
      [head(0, "query")] + probe + [head(250, "query")] + probe + [head(500, "query")] + probe
        + [head(750, "response")] + announcement + [head(1_750, "response")] + announcement)
    expectEqual(bench.machine.presentDevices, ["peer:Shop._http._tcp.local"])
    #expect(bench.machine.deadline == nil)
  }

  @Test("the first probe comes after a time that differs from host to host, within 250 ms (MD-29)")
  func jitter() {
    var times: [Int64] = []
    for seed in 0..<200 {
      var bench = starting(seed: UInt64(seed))
      bench.run(300)
      times.append(bench.times[0].nanoseconds / 1_000_000)
    }
    #expect(times.allSatisfy { (0...250).contains($0) })
    #expect(times.min()! < 15 && times.max()! > 235)
    #expect(Set(times).count > 90)
  }

  @Test("nothing is answered while a name is probed for")
  func silentWhileProbing() {
    var bench = starting()
    bench.run(600)
    _ = bench.said()
    bench.ask("shop.local", .a)
    bench.run(50)
    expectEqual(bench.said().filter { $0.hasSuffix("response") }, [])
  }

  @Test("an answer of another type with a probed name is a conflict, and so is one of the same type (MD-31)")
  func conflictWhileProbing() {
    let records = [
      a("shop.local", "192.168.1.9"), txt("shop.local", "x"), a("shop.local", "192.168.1.9", ttl: 1),
    ]
    for record in records {
      var bench = starting()
      bench.run(300)
      bench.tell([record])
      expectEqual(bench.machine.hostName, "shop-2.local")
      _ = bench.said()
      bench.run(3_000)
      let lines = bench.said()
      #expect(lines.contains("  ? shop-2.local ANY QU"))
      #expect(lines.contains("  an Shop._http._tcp.local 120 flush SRV 0 0 80 shop-2.local"))
      #expect(!lines.contains { $0.contains(" shop.local") })
    }
  }

  @Test("the second name of a service is `Shop (2)`, the third `Shop (3)` (MD-31)")
  func serviceNames() {
    var bench = starting()
    bench.run(300)
    bench.tell([srv("Shop._http._tcp.local", 1, "other.local")])
    bench.tell([srv("SHOP (2)._http._tcp.local", 1, "other.local")])
    bench.run(3_000)
    expectEqual(bench.machine.presentDevices, ["peer:Shop (3)._http._tcp.local"])
    expectEqual(bench.machine.hostName, "shop.local")
  }

  @Test("a name of 63 bytes stays within them, and no character is cut in two (MD-31)")
  func longNames() {
    var plan = shopPlan
    plan.services[0].instance = Array((String(repeating: "x", count: 58) + "é€").utf8)
    expectEqual(plan.services[0].instance.count, 63)
    var bench = starting(plan)
    bench.run(300)
    bench.tell([srv(String(repeating: "x", count: 58) + "é€._http._tcp.local", 1, "other.local")])
    bench.run(3_000)
    expectEqual(
      bench.machine.presentDevices, ["peer:" + String(repeating: "x", count: 58) + " (2)._http._tcp.local"])
  }

  @Test("without probing no name is probed for, whether it is there from the start, added, deferred or chosen anew")
  func noProbing() {
    var plan = shopPlan
    (plan.quirks, plan.changes) = ([.noProbing], [.add(MDNSService(web, "New", port: 81))])
    var (deferred, added) = (starting(plan), starting(plan))
    // Before the host has its name, and later than its own proposal.
    deferred.probe([a("shop.local", "192.168.1.21", flush: false)])
    deferred.run(3_000)
    added.run(3_000)
    added.act(.reconfigure)
    added.run(3_000)
    var renamed = added
    // A conflict over a name that it has is looked into by a probe; the answer to it takes the name.
    renamed.tell([a("shop.local", "192.168.1.9")])
    renamed.run(300)
    expectEqual(deferred.said().filter { $0.contains("?") }, [])
    expectEqual(added.said().filter { $0.contains("?") }, [])
    #expect(added.machine.presentDevices.contains("peer:New._http._tcp.local"))
    expectEqual(deferred.machine.hostName, "shop.local")
    #expect(renamed.said().contains("  ? shop.local ANY QU"))
    renamed.tell([a("shop.local", "192.168.1.9")])
    expectEqual(renamed.machine.hostName, "shop-2.local")
    renamed.run(3_000)
    let lines = renamed.said()
    expectEqual(lines.filter { $0.contains("?") }, [])
    #expect(lines.contains("  an shop-2.local 120 flush A 192.168.1.20"))
  }

  @Test("equal data is no conflict, nor is a goodbye (MD-34)")
  func equalData() {
    var bench = starting()
    bench.run(300)
    bench.tell([a("shop.local", "192.168.1.20"), a("shop.local", "192.168.1.9", ttl: 0)])
    bench.run(5_000)
    expectEqual(bench.machine.hostName, "shop.local")
  }

  @Test("what another responder at the same address says is a conflict (MD-48)")
  func sharedAddress() {
    var bench = starting()
    bench.run(300)
    bench.tell([a("shop.local", "192.168.1.9")], from: Endpoint(MDNSBench.own, port: 5_353))
    expectEqual(bench.machine.hostName, "shop-2.local")
  }

  @Test("own messages that come back as they were sent are no conflict (MD-40)")
  func ownMessages() {
    var bench = starting()
    bench.run(300)
    // Over a bridge, as if from elsewhere, and later than the machine has the name.
    let probe = bench.messages[0].bytes
    bench.hear(probe)
    bench.run(5_000)
    bench.down()
    bench.up(0, "192.168.1.21")
    bench.run(300)
    _ = bench.said()
    bench.hear(probe)
    bench.run(5_000)
    expectEqual(bench.machine.hostName, "shop.local")
  }

  @Test("the 15th conflict within 10 s makes the next attempt wait 5 s, the 14th does not (MD-32)")
  func conflictLimit() {
    for (count, isLimited) in [(14, false), (15, true)] {
      var bench = starting()
      bench.run(300)
      for number in 1...count { bench.tell([a(number == 1 ? "shop.local" : "shop-\(number).local", "192.168.1.9")]) }
      expectEqual(bench.machine.hostName, "shop-\(count + 1).local")
      let start = bench.now
      _ = bench.said()
      // The service goes on, under its own name.
      func wait() -> Interval? {
        zip(bench.messages, bench.times).first { $0.0.entries[0] == "? shop-\(count + 1).local ANY QU" }.map {
          $0.1 - start
        }
      }
      bench.run(4_999)
      expectEqual(wait() == nil, isLimited)
      bench.run(1)
      expectEqual(wait() == .seconds(5), isLimited)
      // Each further attempt waits as long, until a name is owned.
      bench.tell([a("shop-\(count + 1).local", "192.168.1.9")])
      guard isLimited else { continue }
      _ = bench.said()
      bench.run(4_999)
      expectEqual(bench.said().filter { $0.contains("? shop-17") }, [])
      bench.run(2_000)
      expectEqual(bench.machine.hostName, "shop-17.local")
      bench.run(1_000)
      bench.tell([a("shop-17.local", "192.168.1.9")])
      _ = bench.said()
      bench.run(300)
      expectEqual(bench.said().filter { $0.contains("? shop-17") }.isEmpty, false)
    }
  }

  @Test("with a limit of one conflict, or of none, each one makes the next attempt wait 5 s (MD-32)")
  func eachConflict() {
    for count in [0, 1] {
      var plan = shopPlan
      plan.timing.conflictCount = count
      var bench = starting(plan)
      bench.run(300)
      bench.tell([a("shop.local", "192.168.1.9")])
      expectEqual(bench.machine.hostName, "shop-2.local")
      expectEqual(bench.machine.links[0].claims[0].due, bench.now + .seconds(5))
      bench.run(7_000)
      expectEqual(bench.machine.links[0].claims[0].phase, .owned)
      bench.tell([a("shop-2.local", "192.168.1.9")])
      expectEqual(bench.machine.links[0].claims[0].phase, .probing(sent: 0, due: bench.now + .seconds(5)))
    }
  }

  @Test("conflicts are rare enough again when the first of 15 is more than 10 s old (MD-32)")
  func conflictWindow() {
    for (last, pause) in [(10_000, true), (10_001, false)] as [(Int64, Bool)] {
      var bench = starting()
      bench.run(300)
      let first = bench.now
      bench.tell([a("shop.local", "192.168.1.9")])
      // Each comes while the name before is probed for: at most 999 ms after the last one.
      var number = 2
      while number <= 15 {
        let at = first + .milliseconds(last * Int64(number - 1) / 14)
        bench.run(until: number == 15 ? first + .milliseconds(last) : at)
        bench.tell([a("shop-\(number).local", "192.168.1.9")])
        number += 1
      }
      expectEqual(bench.machine.hostName, "shop-16.local")
      let start = bench.now
      let sent = bench.times.count
      bench.run(6_000)
      let wait = bench.times.dropFirst(sent).first { _ in true }.map { $0 - start } ?? .zero
      expectEqual(wait >= .seconds(5), pause, "waited \(wait)")
      expectEqual(wait <= .milliseconds(250), !pause)
    }
  }

  @Test("of two that probe at once the later data wins; the loser waits 1 s and probes again (MD-33)")
  func tie() {
    // 192.168.1.20 against .19: ours is later.
    var winner = starting()
    winner.run(300)
    var alone = winner
    winner.probe([a("shop.local", "192.168.1.19", flush: false)])
    winner.run(2_000)
    alone.run(2_000)
    expectEqual(winner.said(), alone.said())

    var loser = starting()
    loser.run(300)
    _ = loser.said()
    loser.probe([a("shop.local", "192.168.1.21", flush: false)])
    loser.run(999)
    // The service goes on.
    #expect(loser.said().allSatisfy { !$0.contains("? shop.local") })
    loser.run(1)
    expectEqual(loser.said().filter { $0.contains("?") }, ["  ? shop.local ANY QU"])
    loser.run(3_000)
    expectEqual(loser.said().filter { $0.contains("? shop.local") }.count, 2)
    expectEqual(loser.machine.hostName, "shop.local")
  }

  @Test("equal proposals are no tie, whatever their letter case in the name (MD-34)")
  func equalProposals() {
    var bench = starting()
    bench.run(300)
    var alone = bench
    bench.probe([a("SHOP.local", "192.168.1.20", flush: false)])
    bench.run(2_000)
    alone.run(2_000)
    expectEqual(bench.said(), alone.said())
  }

  @Test("lists are compared record by record in their order; of equal beginnings the longer one wins (MD-35)")
  func lists() {
    let (one, two) = (a("h.local", "10.0.0.1"), a("h.local", "10.0.0.2"))
    let late = txt("h.local", "z")
    let rows: [([DNSRecord], [DNSRecord], Bool)] = [
      ([one], [two], true), ([two], [one], false), ([one], [one], false), ([one], [one, two], true),
      ([one, two], [one], false), ([two, one], [one, two], false), ([one, late], [two], true),
      ([two], [one, late], false), ([late], [one], false), ([one], [late], true), ([], [one], true),
    ]
    for (number, row) in rows.enumerated() {
      expectEqual(MDNSResponder.loses(row.0, to: row.1), row.2, "row \(number)")
    }
  }

  @Test("with a name that is owned, other data of its type lets it probe again, and only then rename (MD-39)")
  func laterConflict() {
    var bench = MDNSBench.settled(shopPlan)
    bench.tell([a("shop.local", "192.168.1.9")])
    expectEqual(bench.machine.hostName, "shop.local")
    bench.run(300)
    expectEqual(bench.said().filter { $0.contains("?") }.first, "  ? shop.local ANY QU")
    var silent = bench
    silent.run(3_000)
    expectEqual(silent.machine.hostName, "shop.local")
    #expect(silent.said().contains("  an shop.local 120 flush A 192.168.1.20"))
    bench.tell([a("shop.local", "192.168.1.9")])
    expectEqual(bench.machine.hostName, "shop-2.local")
  }

  @Test("with a name that is owned, another type or a goodbye is no conflict (MD-39)")
  func noLaterConflict() {
    var bench = MDNSBench.settled(shopPlan)
    bench.tell([
      DNSRecord(DNSName("shop.local")!, .address(IPAddress("fe80::1")!), ttlSeconds: 120),
      a("shop.local", "192.168.1.9", ttl: 0),
    ])
    bench.run(3_000)
    expectEqual(bench.said(), [])
  }

  @Test("a name that is lost is taken back where nobody else has it, and its services tell the new one (MD-39) (MD-38)")
  func renamedOnTwoLinks() {
    var bench = MDNSBench(shopPlan)
    bench.up()
    bench.up(1, "10.0.0.5")
    bench.act(.appear)
    bench.run(10_000)
    bench.tell([a("shop.local", "192.168.1.9")])
    bench.run(300)
    _ = bench.said()
    bench.tell([a("shop.local", "192.168.1.9")])
    expectEqual(bench.machine.hostName, "shop-2.local")
    expectEqual(
      bench.said(),
      ["10300 if1 10.0.0.5:5353 > 224.0.0.251:5353 ttl255 response", "  an shop.local 0 flush A 10.0.0.5"])
    bench.run(5_000)
    let service = "  an Shop._http._tcp.local 120 flush SRV 0 0 80 shop-2.local"
    expectEqual(bench.said().filter { $0 == service }.count, 4)
  }

  @Test("an NSEC record of somebody else for a name that is owned is no conflict (MD-39)")
  func foreignAbsence() {
    var bench = MDNSBench.settled(shopPlan)
    let name = DNSName("shop.local")!
    bench.tell([DNSRecord(name, .nsec(next: name, types: [.aaaa]), ttlSeconds: 120)])
    bench.run(3_000)
    expectEqual(bench.said(), [])
  }

  @Test("a link that comes is probed anew, for itself (MD-44) (MD-47)")
  func linkChange() {
    var bench = MDNSBench.settled(shopPlan)
    bench.up(1, "10.0.0.5", "fe80::5")
    bench.run(3_000)
    let lines = bench.said()
    #expect(lines.filter { !$0.hasPrefix("  ") }.allSatisfy { $0.contains("if1") })
    // Both families, each three probes and two announcements.
    expectEqual(lines.filter { $0.contains("> 224.0.0.251:5353") }.count, 5)
    expectEqual(lines.filter { $0.contains("[fe80::5]:5353 > [ff02::fb]:5353") }.count, 5)
    #expect(lines.contains("  ns shop.local 120 AAAA fe80::5"))
    #expect(!lines.contains { $0.contains("192.168.1.20") && $0.hasPrefix("  ") })
    bench.down(0)
    bench.up(0)
    bench.run(300)
    #expect(bench.said().contains("  ? shop.local ANY QU"))
  }

  @Test("goodbye takes back with TTL 0 what was announced, and the groups are left")
  func goodbye() {
    var bench = MDNSBench.settled(shopPlan)
    bench.act(.leave)
    expectEqual(
      bench.said(),
      [
        "10000 if0 192.168.1.20:5353 > 224.0.0.251:5353 ttl255 response", "  an shop.local 0 flush A 192.168.1.20",
        "  an _http._tcp.local 0 PTR Shop._http._tcp.local",
        "  an Shop._http._tcp.local 0 flush SRV 0 0 80 shop.local", "  an Shop._http._tcp.local 0 flush TXT a=1",
      ])
    expectEqual(bench.others, ["join 224.0.0.251:5353 if0", "leave 224.0.0.251:5353 if0"])
    expectEqual(bench.machine.presentDevices, [])
    bench.ask("shop.local", .a)
    bench.run(5_000)
    expectEqual(bench.said(), [])
  }

  @Test("who vanishes, or was never announced, says nothing")
  func noGoodbye() {
    var bench = MDNSBench.settled(shopPlan)
    bench.act(.vanish)
    var early = starting()
    early.run(300)
    _ = early.said()
    early.act(.leave)
    for var silent in [bench, early] {
      silent.run(5_000)
      expectEqual(silent.said(), [])
      expectEqual(silent.machine.presentDevices, [])
    }
  }

  @Test("after a crash and after a reboot it probes again")
  func comesBack() {
    var bench = MDNSBench.settled(shopPlan)
    bench.act(.crash(downFor: .seconds(3), keepsState: true))
    bench.run(2_999)
    expectEqual(bench.said(), [])
    bench.run(5_000)
    expectEqual(bench.said().filter { $0.hasSuffix("query") }.count, 3)
    bench.act(.reboot)
    bench.run(5_000)
    let heads = bench.said().filter { !$0.hasPrefix("  ") }.map { $0.split(separator: " ").last! }
    expectEqual(heads, ["response", "query", "query", "query", "response", "response"])
  }
}
