import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Other inhabitants") struct OthersTests {
  func on<Subject: Machine>(_ machine: Subject, _ addresses: SignalValue...) -> Bench<Subject> {
    var bench = Bench(machine)
    for signal in addresses.isEmpty ? [up(0, "192.168.1.66")] : addresses { bench.receive(signal) }
    bench.act(.appear)
    return bench
  }
  let alive =
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nNT: upnp:rootdevice\r\nUSN: uuid:1::upnp:rootdevice\r\nBOOTID.UPNP.ORG: 4\r\n\r\n"

  @Test("a control point searches at its interval, in copies, and counts what it gets")
  func decoy() {
    var plan = ControlPointDecoy.Plan(target: "upnp:rootdevice")
    (plan.copies, plan.searchCountMaximum) = (3, 2)
    var bench = on(ControlPointDecoy(plan, seed: Seed(1), name: "cp"))
    bench.run(for: .seconds(60))
    expectEqual(bench.sent.map { $0.at.nanoseconds / 1_000_000 }, [10_000, 10_200, 10_400, 20_000, 20_200, 20_400])
    expectEqual(bench.sent[0].text, search("upnp:rootdevice"))
    let own = Endpoint(IPAddress(192, 168, 1, 66), port: 50_000)
    let answer = "HTTP/1.1 200 OK\r\nST: upnp:rootdevice\r\nUSN: uuid:1::upnp:rootdevice\r\n\r\n"
    bench.hear(answer, to: own)
    bench.hear(alive)
    #expect(bench.machine.answerCount == 1 && bench.machine.answerByteCount == answer.utf8.count)
    expectEqual(bench.machine.deadline, nil)
  }

  @Test("a control point searches oddly", arguments: ControlPointDecoy.Oddity.allCases)
  func oddities(_ oddity: ControlPointDecoy.Oddity) {
    var plan = ControlPointDecoy.Plan()
    plan.oddities = [oddity]
    let plain = search("ssdp:all")
    let odd = String(decoding: ControlPointDecoy.search(plan, isV6: false), as: UTF8.self)
    let expected =
      switch oddity {
      case .noMX: search("ssdp:all", mx: nil)
      case .noMAN: search("ssdp:all", man: nil)
      case .unquotedMAN: search("ssdp:all", man: "ssdp:discover")
      case .hostUnspecified: plain.replacing("239.255.255.250", with: "0.0.0.0")
      case .noHost: plain.replacing("HOST: 239.255.255.250:1900\r\n", with: "")
      case .hostWithoutPort: plain.replacing("250:1900", with: "250")
      case .nulAfterBlankLine: plain + "\0"
      case .contentLength: plain.replacing("all\r\n", with: "all\r\nCONTENT-LENGTH: 0\r\n")
      case .titleCaseNames:
        plain.replacing("HOST", with: "Host").replacing("MAN:", with: "Man:").replacing("MX:", with: "Mx:")
      case .lfOnly: plain.replacing("\r\n", with: "\n")
      case .lowerCaseMethod: plain.replacing("M-SEARCH", with: "m-search")
      case .noBlankLine: String(plain.replacing("all\r\n\r\n", with: "all\r\n"))
      }
    expectEqual(odd, expected)
    #expect(odd != plain)
  }

  @Test("a reflector sends back what it hears, so often in a second, and never its own by default")
  func reflector() {
    var plan = Reflector.Plan()
    plan.countPerSecondMaximum = 3
    var bench = on(Reflector(plan))
    for _ in 0..<10 { bench.hear(alive) }
    bench.hear(alive, from: Endpoint(IPAddress(192, 168, 1, 66), port: 1_900))
    expectEqual(bench.sent.count, 3)
    #expect(bench.sent.allSatisfy { $0.text == alive && $0.destination == Endpoint(.ssdpGroup4, port: 1_900) })
    expectEqual(bench.sent[0].source, Endpoint(IPAddress(192, 168, 1, 66), port: 1_900))
    bench.run(for: .seconds(1))
    bench.hear(alive)
    expectEqual(bench.sent.count, 4)
    expectEqual(bench.outbox.payloads.liveCount, 0)
    plan.mode = .answer
    var answering = on(Reflector(plan))
    answering.hear(alive)
    expectEqual(answering.sent.map(\.destination), [Endpoint(IPAddress(192, 168, 1, 9), port: 50_000)])
  }

  @Test("a flooder keeps its rate, with a new device in each message")
  func flooder() {
    for rate in [7, 1_000, 20_000] {
      var plan = Flooder.Plan()
      (plan.perSecond, plan.duration, plan.inventsAddresses) = (rate, .seconds(1), true)
      var bench = on(Flooder(plan, seed: Seed(5), name: "flood"))
      bench.run(for: .seconds(10))
      #expect(abs(bench.sent.count - rate) <= max(1, rate / 500), "\(bench.sent.count) for \(rate)")
      expectEqual(Set(bench.sent.map { $0.field("USN")! }).count, bench.sent.count)
      expectEqual(bench.machine.deadline, nil)
      #expect(bench.sent.allSatisfy { IPAddress(192, 168, 1, 0).sharesPrefix(24, with: $0.source.address) })
      #expect(bench.sent.allSatisfy { $0.source.address != IPAddress(192, 168, 1, 66) })
    }
    var plan = Flooder.Plan()
    (plan.perSecond, plan.duration, plan.deviceCount) = (100, .seconds(1), 5)
    var bench = on(Flooder(plan, seed: Seed(5), name: "flood"))
    bench.run(for: .seconds(2))
    expectEqual(Set(bench.sent.map { $0.field("USN")!.prefix(41) }).count, 5)
    plan.message = .response
    plan.responsesTo = Endpoint(IPAddress(192, 168, 1, 9), port: 50_000)
    var answering = on(Flooder(plan, seed: Seed(5), name: "flood"))
    answering.run(for: .milliseconds(100))
    #expect(answering.sent.allSatisfy { $0.summary.hasPrefix("200") && $0.destination.port == 50_000 })
  }

  @Test("a spoofer says byebye for what it overhears, as if it were the other")
  func spoofer() {
    var plan = ByebyeSpoofer.Plan()
    (plan.overhears, plan.impersonates) = (true, true)
    var bench = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
    bench.hear(alive)
    bench.hear(alive.replacing("alive", with: "byebye"))
    for _ in 0..<300 { bench.hear(alive) }
    bench.run(for: .milliseconds(100))
    expectEqual(bench.sent.count, 256)
    expectEqual(bench.sent[0].source, Endpoint(IPAddress(192, 168, 1, 9), port: 1_900))
    expectEqual(
      bench.sent[0].text,
      """
      NOTIFY * HTTP/1.1\r
      HOST: 239.255.255.250:1900\r
      NTS: ssdp:byebye\r
      NT: upnp:rootdevice\r
      USN: uuid:1::upnp:rootdevice\r
      BOOTID.UPNP.ORG: 4\r
      \r

      """)
  }

  @Test("a spoofer announces a device elsewhere, at its interval and when asked")
  func spoofedAlive() {
    var plan = ByebyeSpoofer.Plan()
    plan.message = .alive(location: "http://203.0.113.9/\r\nX: y")
    plan.victims = [.init(uuid: "2fac1234")]
    var bench = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
    bench.run(for: .seconds(30))
    bench.act(.send(script: 0))
    bench.act(.send(script: 1))
    expectEqual(bench.sent.map { $0.at.nanoseconds / 1_000_000_000 }, [10, 20, 30, 30])
    expectEqual(bench.sent[0].field("USN"), "uuid:2fac1234::upnp:rootdevice")
    expectEqual(bench.sent[0].field("LOCATION"), "http://203.0.113.9/X: y")
  }

  @Test("a responder answers everything, and searches that nobody made")
  func responder() {
    var plan = Responder.Plan()
    plan.answersPerSearch = 2
    plan.unsolicited = [
      .init(to: Endpoint(IPAddress(192, 168, 1, 9), port: 1_900), target: "x:y", interval: .seconds(5))
    ]
    var bench = on(Responder(plan, seed: Seed(1), name: "liar"))
    bench.hear(search("urn:no:such:thing", mx: nil, man: nil))
    bench.run(for: .seconds(12))
    expectEqual(bench.sent.map(\.summary), ["200 urn:no:such:thing", "200 urn:no:such:thing", "200 x:y", "200 x:y"])
    expectEqual(Set(bench.sent.map { $0.field("USN")! }).count, 3)
    #expect(bench.sent[0].at <= .zero + .milliseconds(50))
  }

  @Test("a script sends its lines in the order of their times, and when asked")
  func script() {
    let group6 = Endpoint(.ssdpGroup6, port: 1_900)
    var bench = on(
      Script([
        .init(at: .seconds(2), payload: [2]), .init(at: .seconds(1), payload: []), .init(payload: [3], sourcePort: 9),
        .init(at: .seconds(1), payload: [1], to: group6),
        .init(at: .seconds(1), payload: [4], sourceAddress: IPAddress(9, 9, 9, 9)),
      ]))
    bench.run(for: .seconds(1))
    bench.act(.send(script: 2))
    bench.act(.send(script: 99))
    bench.run(for: .seconds(5))
    // The line to the IPv6 group has no address to come from.
    expectEqual(bench.sent.map(\.bytes), [[], [4], [3], [2]])
    expectEqual(bench.sent[1].source.address, IPAddress(9, 9, 9, 9))
    expectEqual(bench.sent[2].source.port, 9)
  }
}
