import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("Other inhabitants from their appearance to their end") struct OthersLifeTests {
  private let both = [up(0, "192.168.1.66", "fe80::66"), up(1, "10.0.0.7")]

  /// Before it appears.
  private func off<Subject: Machine>(_ machine: Subject, _ addresses: [SignalValue]? = nil) -> Bench<Subject> {
    var host = Bench(machine)
    for signal in addresses ?? [up(0, "192.168.1.66")] { host.receive(signal) }
    return host
  }
  private func on<Subject: Machine>(_ machine: Subject, _ addresses: [SignalValue]? = nil) -> Bench<Subject> {
    var host = off(machine, addresses)
    host.act(.appear)
    return host
  }
  /// `interface source destination hop limit` of each datagram.
  private func ways<Subject: Machine>(_ host: Bench<Subject>) -> [String] {
    host.sent.map { "\($0.interface.number) \($0.source) \($0.destination) \($0.hopLimit)" }
  }
  private func milliseconds<Subject: Machine>(_ host: Bench<Subject>) -> [Int64] {
    host.sent.map { $0.at.nanoseconds / 1_000_000 }
  }
  private let alive =
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nNT: n\r\nUSN: u\r\n\r\n"

  @Test("a forged announcement goes out on every link and family, victim by victim, in these bytes")
  func forgedAlive() {
    var plan = ByebyeSpoofer.Plan()
    plan.message = .alive(location: "http://203.0.113.9/")
    plan.victims = [ByebyeSpoofer.Victim(uuid: "a"), ByebyeSpoofer.Victim(nt: "n", usn: "u")]
    var evil = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"), both)
    #expect(evil.others.isEmpty)
    evil.run(for: .seconds(10))
    let group = "239.255.255.250:1900"
    let round = [
      "0 192.168.1.66:1900 \(group) 2", "0 [fe80::66]:1900 [ff02::c]:1900 2", "1 10.0.0.7:1900 \(group) 2",
    ]
    expectEqual(ways(evil), round + round)
    func texts(_ nt: String, _ usn: String) -> [String] {
      [group, "[FF02::C]:1900", group].map { host in
        "NOTIFY * HTTP/1.1\r\nHOST: \(host)\r\nCACHE-CONTROL: max-age=1800\r\nLOCATION: http://203.0.113.9/\r\n"
          + "NTS: ssdp:alive\r\nSERVER: Linux/6.6 UPnP/1.1 Other/1.0\r\nNT: \(nt)\r\nUSN: \(usn)\r\n\r\n"
      }
    }
    expectEqual(evil.sent.map(\.text), texts("upnp:rootdevice", "uuid:a::upnp:rootdevice") + texts("n", "u"))
    expectEqual(evil.machine.forgedCount, 6)
    evil.act(.leave)
    expectEqual(evil.machine.deadline, nil)
    plan.interval = .zero
    plan.victims.removeLast()
    var hasty = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
    hasty.run(for: .milliseconds(3))
    expectEqual(milliseconds(hasty), [0, 1, 2, 3])
    hasty.act(.vanish)
    expectEqual(hasty.machine.deadline, nil)
    plan.victims = []
    expectEqual(on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil")).machine.deadline, nil)
  }

  @Test("who overhears joins the groups, and forges in the family that it heard, while it is on")
  func overhearing() {
    var plan = ByebyeSpoofer.Plan()
    (plan.overhears, plan.delay) = (true, .milliseconds(20) ... .milliseconds(20))
    var evil = off(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"), both)
    func hear(_ evil: inout Bench<ByebyeSpoofer>) {
      evil.hear(alive, from: Endpoint(IPAddress("fe80::9")!, port: 5), to: Endpoint(.ssdpGroup6, port: 1_900))
      evil.hear(alive, from: Endpoint(IPAddress(10, 0, 0, 9), port: 5), on: 1)
    }
    hear(&evil)
    #expect(evil.others.isEmpty && evil.machine.deadline == nil)
    evil.act(.appear)
    expectEqual(
      evil.others.map(\.effect),
      [
        .join(.ssdp(.v4), InterfaceID(0)), .join(.ssdp(.v6), InterfaceID(0)), .join(.ssdp(.v4), InterfaceID(1)),
      ])
    hear(&evil)
    evil.run(for: .seconds(1))
    expectEqual(ways(evil), ["0 [fe80::66]:1900 [ff02::c]:1900 2", "1 10.0.0.7:1900 239.255.255.250:1900 2"])
    let texts = ["[FF02::C]:1900", "239.255.255.250:1900"].map { host in
      "NOTIFY * HTTP/1.1\r\nHOST: \(host)\r\nNTS: ssdp:byebye\r\nNT: n\r\nUSN: u\r\n\r\n"
    }
    expectEqual(evil.sent.map(\.text), texts)
    // Another link: the groups are asked for there, too, and not by a spoofer that does not listen.
    evil.others = []
    evil.receive(up(2, "10.0.1.7"))
    expectEqual(
      evil.others.map(\.effect),
      [
        .join(.ssdp(.v4), InterfaceID(0)), .join(.ssdp(.v6), InterfaceID(0)), .join(.ssdp(.v4), InterfaceID(1)),
        .join(.ssdp(.v4), InterfaceID(2)),
      ])
    plan.overhears = false
    var deaf = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
    deaf.receive(up(2, "10.0.1.7"))
    #expect(deaf.others.isEmpty)
  }

  @Test("a spoofer says no more than 512 characters of a place and 256 bytes of a target and of a name")
  func longForgeries() {
    let long = String(repeating: "x", count: 600)
    var plan = ByebyeSpoofer.Plan()
    plan.message = .alive(location: "\u{1F}\u{7F} " + long)
    plan.victims = [ByebyeSpoofer.Victim(nt: "n" + long, usn: "u" + long)]
    (plan.overhears, plan.delay) = (true, .milliseconds(20) ... .milliseconds(20))
    var evil = on(ByebyeSpoofer(plan, seed: Seed(1), name: "evil"))
    evil.hear(
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:alive\r\nNT: n\(long)\r\nUSN: u\(long)\r\n\r\n")
    evil.run(for: .seconds(10))
    let text =
      "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nCACHE-CONTROL: max-age=1800\r\n"
      + "LOCATION: \u{7F} \(long.prefix(510))\r\nNTS: ssdp:alive\r\nSERVER: Linux/6.6 UPnP/1.1 Other/1.0\r\n"
      + "NT: n\(long.prefix(255))\r\nUSN: u\(long.prefix(255))\r\n\r\n"
    expectEqual(evil.sent.map(\.text), [text, text])
    expectEqual(milliseconds(evil), [20, 10_000])
  }

  @Test("a responder answers in these bytes with another UUID each time, while it is on and has room")
  func responder() {
    var plan = Responder.Plan()
    (plan.answersPerSearch, plan.delay, plan.target) = (2, .seconds(5) ... .seconds(5), "x:y")
    let uuid = DeviceUUID(seed: Seed(1), name: "liar")
    var liar = off(Responder(plan, seed: Seed(1), name: "liar"), both)
    liar.hear(search("ssdp:all"))
    #expect(liar.machine.deadline == nil && liar.others.isEmpty)
    liar.act(.appear)
    expectEqual(liar.others.count, 3)
    // Another link: the groups are asked for there, too.
    liar.receive(up(2, "10.0.1.7"))
    expectEqual(
      liar.others.dropFirst(3).map(\.effect),
      [
        .join(.ssdp(.v4), InterfaceID(0)), .join(.ssdp(.v6), InterfaceID(0)), .join(.ssdp(.v4), InterfaceID(1)),
        .join(.ssdp(.v4), InterfaceID(2)),
      ])
    liar.hear(search("ssdp:all", mx: nil, man: nil), to: Endpoint(IPAddress(192, 168, 1, 66), port: 9))
    liar.hear(alive)
    liar.run(for: .seconds(9))
    let texts = [uuid, uuid.derived(1)].map { own in
      "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nDATE: Mon, 01 Jan 2024 00:00:05 GMT\r\nEXT:\r\n"
        + "LOCATION: http://192.168.1.66:49152/description.xml\r\nSERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\n"
        + "ST: x:y\r\nUSN: uuid:\(own)::x:y\r\nBOOTID.UPNP.ORG: 1\r\nCONFIGID.UPNP.ORG: 1\r\n\r\n"
    }
    expectEqual(liar.sent.map(\.text), texts)
    expectEqual(ways(liar), Array(repeating: "0 192.168.1.66:1900 192.168.1.9:50000 64", count: 2))
    expectEqual(milliseconds(liar), [5_000, 5_000])
    expectEqual(liar.machine.answeredCount, 2)
    liar.hear(search("ssdp:all"))
    liar.act(.vanish)
    expectEqual(liar.machine.deadline, nil)
    liar.hear(search("ssdp:all"))
    expectEqual(liar.machine.deadline, nil)
    for count in [-1, 0] {
      plan.answersPerSearch = count
      var idle = on(Responder(plan, seed: Seed(1), name: "liar"))
      idle.hear(search("ssdp:all"))
      expectEqual(idle.machine.deadline, nil)
    }
    plan.answersPerSearch = 600
    var eager = on(Responder(plan, seed: Seed(1), name: "liar"))
    for _ in 0..<2 { eager.hear(search("ssdp:all")) }
    eager.run(for: .seconds(6))
    expectEqual(eager.sent.count, 1_024)
    plan.answersSearches = false
    var mute = on(Responder(plan, seed: Seed(1), name: "liar"))
    mute.hear(search("ssdp:all"))
    expectEqual(mute.machine.deadline, nil)
  }

  @Test("answers to nobody's search are sent at their intervals and when asked, in the family of whom they go to")
  func unsolicited() {
    let (v4, v6) = (Endpoint(IPAddress(192, 168, 1, 9), port: 7), Endpoint(IPAddress("fe80::9")!, port: 8))
    var plan = Responder.Plan()
    plan.unsolicited = [
      Responder.Unsolicited(to: v4, target: "a", interval: .milliseconds(2)),
      Responder.Unsolicited(to: v6, target: "b", interval: .milliseconds(3)),
    ]
    var liar = on(Responder(plan, seed: Seed(1), name: "liar"), both)
    liar.run(for: .milliseconds(4))
    let (one, two) = ("0 192.168.1.66:1900 192.168.1.9:7 64", "1 10.0.0.7:1900 192.168.1.9:7 64")
    let other = "0 [fe80::66]:1900 [fe80::9]:8 64"
    expectEqual(ways(liar), [one, two, other, one, two])
    expectEqual(liar.sent.map { $0.field("ST") }, ["a", "a", "b", "a", "a"])
    let uuid = DeviceUUID(seed: Seed(1), name: "liar")
    expectEqual(liar.sent.compactMap { $0.field("USN") }, ["a", "a", "b", "a", "a"].map { "uuid:\(uuid)::\($0)" })
    expectEqual(milliseconds(liar), [2, 2, 3, 4, 4])
    liar.act(.leave)
    expectEqual(liar.machine.deadline, nil)
    liar.sent = []
    for script in [-1, 1, 2] { liar.act(.send(script: script)) }
    expectEqual(ways(liar), [other])
  }

  @Test("a responder says no more than 512 bytes of a target, and says it each millisecond where there is no interval")
  func longTargets() {
    let (long, kept) = (String(repeating: "x", count: 600), String(repeating: "x", count: 512))
    var plan = Responder.Plan()
    plan.delay = .seconds(5) ... .seconds(5)
    for (own, asked) in [(nil, long), (long, "ssdp:all")] as [(String?, String)] {
      plan.target = own
      var liar = on(Responder(plan, seed: Seed(1), name: "liar"))
      liar.hear(search(asked))
      liar.run(for: .seconds(5))
      expectEqual(liar.sent.compactMap { $0.field("ST") }, [kept])
    }
    let guest = Endpoint(IPAddress(192, 168, 1, 9), port: 7)
    plan.unsolicited = [Responder.Unsolicited(to: guest, target: long, interval: .zero)]
    var hasty = on(Responder(plan, seed: Seed(1), name: "liar"))
    hasty.run(for: .milliseconds(3))
    expectEqual(milliseconds(hasty), [0, 1, 2, 3])
    expectEqual(hasty.sent.compactMap { $0.field("ST") }, Array(repeating: kept, count: 4))
  }

  @Test("a control point asks one host in its family without MX, or the groups of every link, copies between searches")
  func decoy() {
    func text(_ host: String, _ more: String = "") -> String {
      "M-SEARCH * HTTP/1.1\r\nHOST: \(host)\r\nMAN: \"ssdp:discover\"\r\n\(more)ST: ssdp:all\r\nUSER-AGENT: A/1\r\n\r\n"
    }
    var plan = ControlPointDecoy.Plan()
    (plan.userAgent, plan.hopLimit, plan.copies, plan.searchCountMaximum) = ("A/1", 3, 0, 1)
    for (target, host, way) in [
      ("192.168.1.9:7", "192.168.1.9:7", ["0 192.168.1.66:50000 192.168.1.9:7 3", "1 10.0.0.7:50000 192.168.1.9:7 3"]),
      ("[fe80::9]:7", "[fe80::9]:7", ["0 [fe80::66]:50000 [fe80::9]:7 3"]),
    ] {
      plan.unicastTo = Endpoint(target)
      var phone = on(ControlPointDecoy(plan, seed: Seed(1), name: "phone"), both)
      phone.run(for: .seconds(60))
      #expect(ways(phone) == way && phone.sent.map(\.text) == way.map { _ in text(host) })
      expectEqual(phone.machine.sentByteCount, way.count * text(host).utf8.count)
    }
    plan.unicastTo = nil
    var phone = on(ControlPointDecoy(plan, seed: Seed(1), name: "phone"), both)
    phone.run(for: .seconds(60))
    let group = "239.255.255.250:1900"
    expectEqual(
      ways(phone),
      [
        "0 192.168.1.66:50000 \(group) 3", "0 [fe80::66]:50000 [ff02::c]:1900 3", "1 10.0.0.7:50000 \(group) 3",
      ])
    expectEqual(phone.sent.map(\.text), [group, "[FF02::C]:1900", group].map { text($0, "MX: 3\r\n") })
    plan.target = "a\r\n\u{7F}b" + String(repeating: "x", count: 2_000)
    let long = ControlPointDecoy.search(plan, isV6: false)
    #expect(long.count == 1_400 && String(decoding: long, as: UTF8.self).contains("\r\nST: abx"))
    (plan.searchCountMaximum, plan.target) = (0, "ssdp:all")
    var mute = on(ControlPointDecoy(plan, seed: Seed(1), name: "phone"))
    mute.run(for: .seconds(60))
    #expect(mute.sent.isEmpty && mute.machine.deadline == nil)
    // The third copy and the next search fall on one moment.
    (plan.searchCountMaximum, plan.copies, plan.interval) = (2, 3, .milliseconds(400) ... .milliseconds(400))
    var busy = on(ControlPointDecoy(plan, seed: Seed(1), name: "phone"))
    busy.run(for: .seconds(60))
    expectEqual(milliseconds(busy), [400, 600, 800, 800, 1_000, 1_200])
  }

  @Test("a reflector sends back what comes to port 1900 of a group, while it is on and has an address there")
  func reflector() {
    var plan = Reflector.Plan()
    plan.hopLimit = 9
    let group6 = Endpoint(.ssdpGroup6, port: 1_900)
    let guest6 = Endpoint(IPAddress("fe80::9")!, port: 5)
    for (mode, expected) in [
      (.multicast, ["0 192.168.1.66:1900 239.255.255.250:1900 9", "0 [fe80::66]:1900 [ff02::c]:1900 9"]),
      (.answer, ["0 192.168.1.66:1900 192.168.1.9:50000 9", "0 [fe80::66]:1900 [fe80::9]:5 9"]),
    ] as [(Reflector.Mode, [String])] {
      plan.mode = mode
      var echo = off(Reflector(plan), both)
      echo.hear("x")
      #expect(echo.sent.isEmpty && echo.others.isEmpty)
      echo.act(.appear)
      expectEqual(echo.others.count, 3)
      echo.hear("x")
      echo.hear("x", from: guest6, to: group6)
      echo.hear("x", to: Endpoint(.ssdpGroup4, port: 1_901))
      echo.hear("x", to: Endpoint(IPAddress(192, 168, 1, 66), port: 1_900))
      echo.hear("x", on: 2)
      echo.hear("x", from: guest6, to: group6, on: 1)
      echo.receive(down(1))
      echo.hear("x", on: 1)
      expectEqual(ways(echo), expected)
      echo.act(.leave)
      echo.hear("x")
      #expect(echo.sent.count == 2 && echo.machine.reflectedCount == 2)
    }
    plan.reflectsOwn = true
    var loop = on(Reflector(plan))
    loop.hear("x", from: Endpoint(IPAddress(192, 168, 1, 66), port: 1_900))
    expectEqual(loop.sent.count, 1)
  }

  @Test("a script's line leaves by its interface or by the first that is up in its family, at its time from the start")
  func script() {
    let group6 = Endpoint(.ssdpGroup6, port: 1_900)
    let lines = [
      Script.Line(at: .milliseconds(5), payload: [0]), Script.Line(at: .milliseconds(-5), payload: [1], hopLimit: 9),
      Script.Line(at: .milliseconds(5), payload: [2], interface: InterfaceID(1)),
      Script.Line(at: .milliseconds(5), payload: [3], to: group6),
      Script.Line(at: .milliseconds(5), payload: [4], to: group6, interface: InterfaceID(1)),
      Script.Line(at: .milliseconds(5), payload: [5], interface: InterfaceID(2)),
      Script.Line(
        at: .milliseconds(5), payload: [6], to: Endpoint(IPAddress(10, 0, 0, 1), port: 7),
        sourceAddress: IPAddress(9, 9, 9, 9), sourcePort: 8, interface: InterfaceID(2)),
      Script.Line(at: .milliseconds(9), payload: Array(repeating: 7, count: 65_508)),
    ]
    var puppet = on(Script(lines), [down(2)] + both)
    puppet.run(for: .milliseconds(5))
    let group = "239.255.255.250:1900"
    expectEqual(
      ways(puppet),
      [
        "0 192.168.1.66:1900 \(group) 9", "0 192.168.1.66:1900 \(group) 2", "1 10.0.0.7:1900 \(group) 2",
        "0 [fe80::66]:1900 [ff02::c]:1900 2", "2 9.9.9.9:8 10.0.0.1:7 2",
      ])
    expectEqual(puppet.sent.map { $0.bytes[0] }, [1, 0, 2, 3, 6])
    expectEqual(milliseconds(puppet), [0, 5, 5, 5, 5])
    puppet.act(.vanish)
    expectEqual(puppet.machine.deadline, nil)
    puppet.run(for: .seconds(1))
    puppet.sent = []
    puppet.act(.appear)
    puppet.run(for: .milliseconds(9))
    expectEqual(milliseconds(puppet), [1_005, 1_010, 1_010, 1_010, 1_010, 1_014])
    #expect(puppet.sent.last?.bytes.count == 65_507 && puppet.machine.deadline == nil)
  }
}
