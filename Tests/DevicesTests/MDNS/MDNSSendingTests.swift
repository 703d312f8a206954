import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

/// The messages of a responder: their times, their port, and each record once in them.
@Suite("A responder sends")
struct MDNSSendingTests: ShopLines {
  private var second: String { "Second._http._tcp.local" }

  @Test("the delays that are drawn are those of RFC 6762 (MD-14) (MD-15) (MD-29)")
  func delays() {
    let timing = MDNSTiming()
    let found: [ClosedRange<Interval>] = [timing.probeDelay, timing.sharedDelay, timing.truncatedDelay]
    let wanted: [ClosedRange<Interval>] = [
      Interval.zero ... .milliseconds(250), Interval.milliseconds(20) ... .milliseconds(120),
      Interval.milliseconds(400) ... .milliseconds(500),
    ]
    expectEqual(found, wanted)
  }

  @Test("an announcement that is still to come is made, although a question had the record meanwhile (MD-16) (MD-36)")
  func answeredMeanwhile() {
    var plan = shopPlan
    plan.timing.announceGap = .seconds(2)
    plan.changes = [.setTXT(instance: "Shop", [3] + Array("a=2".utf8))]
    var bench = MDNSBench.settled(plan)
    bench.act(.reconfigure)
    bench.run(1_000)
    bench.ask(shop, .txt)
    bench.run(5_000)
    let line = "  an \(shop) 4500 flush TXT a=2"
    expectEqual(bench.said(), ["10000" + head, line, "11000" + head, line, "12000" + head, line])
  }

  @Test("any message lets a responder do all that is due by then, and nothing that is due later")
  func anyMessage() {
    for (late, isSilent) in [(-1, true), (0, false), (1, false)] as [(Int64, Bool)] {
      var bench = MDNSBench(shopPlan)
      bench.up()
      bench.act(.appear)
      bench.run(300)
      _ = bench.said()
      bench.now = bench.machine.deadline! + .nanoseconds(late)
      bench.ask("nobody.local", .a)
      let probes = ["  ? shop.local ANY QU", "  ? \(shop) ANY QU"]
      expectEqual(bench.said().filter { $0.contains("?") }, isSilent ? [] : probes, "\(late)")
    }
  }

  @Test("records that several answers by unicast bring along are added once (MD-18)")
  func addedOnce() {
    var plan = shopPlan
    plan.services.append(MDNSService(web, "Second", port: 81))
    var bench = MDNSBench.settled(plan)
    bench.ask("_http._tcp.local", .ptr, wantsUnicast: true)
    bench.run(120)
    let lines = bench.said()
    #expect(lines.first?.hasSuffix(" if0 192.168.1.20:5353 > 192.168.1.9:5353 ttl255 response") == true)
    expectEqual(
      Array(lines.dropFirst()),
      [
        "  an \(pointer)", "  an _http._tcp.local 4500 PTR \(second)", "  ar \(service)", "  ar \(text)",
        "  ar \(address)", "  ar \(absence)", "  ar \(second) 120 flush SRV 0 0 81 shop.local",
        "  ar \(second) 4500 flush TXT -",
      ])
  }

  @Test("a response leaves from port 5354 where a quirk says so, with AA and without (MD-01) (MD-51)")
  func otherPort() {
    for quirks in [[.otherPort], [.otherPort, .noAuthority]] as [[MDNSQuirk]] {
      var plan = shopPlan
      plan.quirks = quirks
      var bench = MDNSBench.settled(plan)
      bench.ask(shop, .srv)
      expectEqual(
        bench.said(),
        [
          "10000 if0 192.168.1.20:5354 > 224.0.0.251:5353 ttl255 response", "  an \(service)", "  ar \(address)",
          "  ar \(absence)",
        ])
    }
  }

  @Test("every address of a host is taken back, however many it has")
  func manyAddresses() {
    var bench = MDNSBench(shopPlan)
    bench.up(0, "192.168.1.20", "192.168.1.21", "192.168.1.22", "192.168.1.23", "192.168.1.24")
    bench.act(.appear)
    bench.run(10_000)
    _ = bench.said()
    bench.act(.leave)
    let addresses = (20...24).map { "  an shop.local 0 flush A 192.168.1.\($0)" }
    let services = [
      "  an _http._tcp.local 0 PTR \(shop)", "  an \(shop) 0 flush SRV 0 0 80 shop.local",
      "  an \(shop) 0 flush TXT a=1",
    ]
    expectEqual(bench.said(), ["10000" + head] + addresses + services)
  }
}
