import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallDevices

/// The state behind a change: the messages that are still to come, and the time of the next deed.
@Suite("A responder with a change of its services or interfaces")
struct MDNSChangeTests: ShopLines {
  private let second = MDNSService(web, "Second", port: 81)
  private let change = MDNSChange.setTXT(instance: "Shop", [3] + Array("a=2".utf8))
  private var changedText: String { "\(shop) 4500 flush TXT a=2" }

  // MARK: - Services

  @Test("a change is for the service of its name alone, not for the one before it nor for a host of the same name")
  func named() {
    var plan = MDNSPlan(host: "shop", services: [MDNSService(web, "shop", port: 80), second])
    plan.changes = [.setTXT(instance: "Second", [3] + Array("a=2".utf8)), .remove(instance: "shop")]
    var bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    bench.run(2_000)
    let line = "  an Second._http._tcp.local 4500 flush TXT a=2"
    expectEqual(bench.said(), ["10000" + head, line, "11000" + head, line])
    bench.act(.reconfigure)
    let name = "shop._http._tcp.local"
    expectEqual(
      bench.said(),
      [
        "12000" + head, "  an _http._tcp.local 0 PTR \(name)", "  an \(name) 0 flush SRV 0 0 80 shop.local",
        "  an \(name) 0 flush TXT -",
      ])
    expectEqual(bench.machine.presentDevices, ["peer:Second._http._tcp.local"])
  }

  @Test("a service that goes while its name is probed for leaves the probes and announcements of the others")
  func removedWhileProbing() {
    var plan = shopPlan
    (plan.services, plan.changes) = (plan.services + [second], [.remove(instance: "Second")])
    var (bench, alone) = (MDNSBench(plan), MDNSBench(shopPlan))
    bench.up()
    alone.up()
    bench.act(.appear)
    alone.act(.appear)
    bench.run(300)
    alone.run(300)
    _ = bench.said()
    _ = alone.said()
    bench.act(.reconfigure)
    expectEqual(bench.said(), [])
    bench.run(5_000)
    alone.run(5_000)
    expectEqual(bench.said(), alone.said())
  }

  @Test("with a service its announcements go that are still to come, and those of another service stay")
  func removedWhileAnnounced() {
    var plan = shopPlan
    (plan.services, plan.changes) = (
      plan.services + [second],
      [change, .setTXT(instance: "Second", [3] + Array("b=1".utf8)), .remove(instance: "Second")]
    )
    var bench = MDNSBench.settled(plan)
    for _ in 0..<3 {
      _ = bench.said()
      bench.act(.reconfigure)
    }
    let name = "Second._http._tcp.local"
    expectEqual(
      bench.said(),
      [
        "10000" + head, "  an _http._tcp.local 0 PTR \(name)", "  an \(name) 0 flush SRV 0 0 81 shop.local",
        "  an \(name) 0 flush TXT b=1",
      ])
    bench.run(3_000)
    expectEqual(bench.said(), ["11000" + head, "  an \(changedText)"])
    // With nothing else to announce there is nothing to come back for.
    plan = shopPlan
    plan.changes = [change, .remove(instance: "Shop")]
    bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    expectEqual(bench.machine.deadline, Instant.zero + .seconds(11))
    bench.act(.reconfigure)
    expectEqual(bench.machine.deadline, nil)
  }

  @Test("a known answer that names a service that is gone is none of the responder's")
  func knownAnswerOfRemoved() {
    var plan = shopPlan
    (plan.services, plan.changes) = (plan.services + [second], [.remove(instance: "Second")])
    var bench = MDNSBench.settled(plan)
    let question = [DNSQuestion(DNSName("_http._tcp.local")!, .ptr)]
    let known = [ptr("_http._tcp.local", "Second._http._tcp.local", ttl: 1)]
    bench.ask(question, known: known, isTruncated: true)
    bench.act(.reconfigure)
    bench.ask(question, known: known, isTruncated: true)
    expectEqual(bench.machine.links[0].asked.map(\.known.count), [1, 0])
  }

  @Test("for an owner without a timeline each change is made at once, and the time of the next deed follows")
  func owner() {
    var plan = shopPlan
    plan.changes = [change]
    var bench = MDNSBench.settled(plan)
    bench.machine.act(.reconfigure, at: bench.now, into: &bench.outbox)
    // A question for nobody here, after which the bench takes the messages.
    bench.ask("nobody.local", .a)
    expectEqual(bench.said(), ["10000" + head, "  an \(changedText)"])
    expectEqual(bench.machine.deadline, Instant.zero + .seconds(11))
    bench.machine.withdraw("Shop", web, at: bench.now, into: &bench.outbox)
    expectEqual(bench.machine.deadline, nil)
    bench.ask("nobody.local", .a)
    expectEqual(
      bench.said(),
      [
        "10000" + head, "  an _http._tcp.local 0 PTR \(shop)", "  an \(shop) 0 flush SRV 0 0 80 shop.local",
        "  an \(shop) 0 flush TXT a=2",
      ])
  }

  @Test("a TXT record without a byte is one empty string, from the start and after a change (MD-57)")
  func emptyText() {
    expectEqual(MDNSService(web, "Shop", port: 80).txt, [0])
    expectEqual(MDNSService(web, "Shop", port: 80, txt: []).txt, [0])
    expectEqual(MDNSService(web, "Shop", port: 80, txt: [1, 0x61]).txt, [1, 0x61])
    var plan = shopPlan
    plan.changes = [.setTXT(instance: "Shop", [])]
    var bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    expectEqual(bench.said(), ["10000" + head, "  an \(shop) 4500 flush TXT -"])
  }

  // MARK: - Interfaces

  @Test("a responder that is cut off has no name and nothing to come back for, and later starts from the beginning")
  func cutOff() {
    for isDown in [true, false] {
      var plan = shopPlan
      plan.changes = [change]
      var bench = MDNSBench.settled(plan)
      bench.act(.reconfigure)
      bench.ask([DNSQuestion(DNSName("_http._tcp.local")!, .ptr)], isTruncated: true)
      expectEqual(bench.said(), ["10000" + head, "  an \(changedText)"])
      expectEqual([bench.machine.links[0].pending.count, bench.machine.links[0].asked.count], [1, 1])
      if isDown { bench.down() } else { bench.act(.vanish) }
      expectEqual(bench.machine.presentDevices, [])
      expectEqual(bench.machine.deadline, nil)
      expectEqual(bench.machine.links[0].claims, [MDNSClaim(), MDNSClaim()])
      if isDown { bench.up() } else { bench.act(.appear) }
      bench.run(3_000)
      let first = bench.times[0]
      expectEqual(bench.times.map { ($0 - first).nanoseconds / 1_000_000 }, [0, 250, 500, 750, 1_750])
      expectEqual(bench.messages.map(\.flags.isResponse), [false, false, false, true, true])
    }
  }

  @Test("a new address is announced at once, also where the old one was just said (MD-38)")
  func addressJustSaid() {
    var bench = MDNSBench.settled(shopPlan)
    bench.ask("shop.local", .a)
    expectEqual(bench.said(), ["10000" + head, "  an \(address)", "  ar \(absence)"])
    bench.run(500)
    bench.act(.move(interface: InterfaceID(0), to: IPAddress(192, 168, 1, 33)))
    bench.run(3_000)
    let moved = " if0 192.168.1.33:5353 > 224.0.0.251:5353 ttl255 response"
    let records = ["  an shop.local 120 flush A 192.168.1.33", "  ar \(absence)"]
    expectEqual(bench.said(), ["10500" + moved] + records + ["11500" + moved] + records)
  }
}
