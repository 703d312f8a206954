import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("A correct device answers searches") struct AnsweringTests {
  /// A device that has announced itself and is quiet for minutes.
  func quiet(
    _ quirks: [Quirk] = [], description: DeviceDescription = treeDescription(), seed: UInt64 = 1
  ) -> Bench<RootDevice> {
    var bench = bench(
      description, quirks, seed: seed, addresses: [up(0, "192.168.1.20", "fe80::20"), up(1, "10.0.0.7")])
    bench.act(.appear)
    bench.run(until: .zero + .seconds(10))
    bench.sent = []
    return bench
  }

  func answers(to text: String, _ quirks: [Quirk] = []) -> [String] {
    var bench = quiet(quirks)
    bench.hear(text)
    bench.run(for: .seconds(10))
    return bench.sent.map(\.summary).sorted()
  }

  @Test("for every form of ST, with the version that was asked for")
  func targets() {
    let embedded = rootUUID.derived(1)
    let table: [(asked: String, answered: [String])] = [
      ("upnp:rootdevice", ["200 upnp:rootdevice"]),
      ("uuid:\(rootUUID)", ["200 uuid:\(rootUUID)"]),
      ("uuid:\("\(rootUUID)".uppercased())", ["200 uuid:\(rootUUID)"]),
      ("uuid:\(embedded)", ["200 uuid:\(embedded)"]),
      ("uuid:2fac1234-31f8-11b4-a222-08002b34c004", []),
      ("uuid:", []),
      ("urn:schemas-upnp-org:device:MediaServer:2", ["200 urn:schemas-upnp-org:device:MediaServer:2"]),
      ("urn:schemas-upnp-org:device:MediaServer:1", ["200 urn:schemas-upnp-org:device:MediaServer:1"]),
      ("urn:schemas-upnp-org:device:MediaServer:3", []),
      ("urn:schemas-upnp-org:device:MediaServer", []),
      ("urn:schemas-upnp-org:device:MediaServer:", []),
      ("urn:schemas-upnp-org:device:MediaServer:0", []),
      ("urn:schemas-upnp-org:device:MediaServer:01", []),
      ("urn:schemas-upnp-org:device:mediaserver:1", []),
      ("urn:schemas-upnp-org:service:MediaServer:1", []),
      ("urn:example-org:service:Lamp:1", ["200 urn:example-org:service:Lamp:1"]),
      ("urn:example-org:service:Lamp:10", ["200 urn:example-org:service:Lamp:10"]),
      ("urn:example-org:service:Lamp:11", []),
      ("urn:example-org:service:Lamp:99999999999999999999", []),
      ("urn:example-org:service:Lam:1", []),
      (
        "urn:schemas-upnp-org:service:ConnectionManager:1",
        [
          "200 urn:schemas-upnp-org:service:ConnectionManager:1",
          "200 urn:schemas-upnp-org:service:ConnectionManager:1",
        ]
      ),
      ("ssdp:ALL", []), ("roku:ecp", []), (":", []), (":1", []), ("1", []),
    ]
    for row in table { expectEqual(answers(to: search(row.asked)), row.answered, "\(row.asked)") }
    expectEqual(answers(to: search("ssdp:all")).count, treeCount)
  }

  @Test("exactly when Wire's rule for versions says so")
  func agreesWithWire() {
    let blueprint = DeviceBlueprint(treeDescription())
    let offers = AdvertisementTests().targets
    var asked = offers + ["ssdp:all", "upnp:rootDevice", "urn:example-org:service:Lamp2:1", "urn:x:service:Lamp:1"]
    for version in 1...12 { asked.append("urn:example-org:service:Lamp:\(version)") }
    for target in asked {
      let expected = offers.indices.reduce(UInt64(0)) { mask, index in
        SearchTarget(target).matches(offered: SearchTarget(offers[index])) ? mask | 1 << UInt64(index) : mask
      }
      let found = Array(target.utf8).withUnsafeBytes { blueprint.match($0, root: rootUUID).adverts }
      expectEqual(found, expected, "\(target)")
    }
  }

  @Test("with every byte as UDA 2.0 has it, from where the search came in to where it came from")
  func bytes() {
    var bench = quiet()
    bench.hear(search("urn:schemas-upnp-org:device:MediaServer:1", mx: "1"), on: 1)
    bench.run(for: .seconds(2))
    expectEqual(bench.sent.count, 1)
    expectEqual(bench.sent[0].interface, InterfaceID(1))
    expectEqual(bench.sent[0].source, Endpoint(IPAddress(10, 0, 0, 7), port: 1_900))
    expectEqual(bench.sent[0].destination, Endpoint(IPAddress(192, 168, 1, 9), port: 50_000))
    expectEqual(bench.sent[0].hopLimit, 64)
    // The device's clock shows 2024-01-01 00:00:00 at instant zero.
    let second = bench.sent[0].at.nanoseconds / 1_000_000_000
    expectEqual(
      bench.sent[0].text,
      """
      HTTP/1.1 200 OK\r
      CACHE-CONTROL: max-age=1800\r
      DATE: Mon, 01 Jan 2024 00:00:\(second) GMT\r
      EXT:\r
      LOCATION: http://10.0.0.7:49152/description.xml\r
      SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r
      ST: urn:schemas-upnp-org:device:MediaServer:1\r
      USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::urn:schemas-upnp-org:device:MediaServer:1\r
      BOOTID.UPNP.ORG: 1\r
      CONFIGID.UPNP.ORG: 1\r
      \r

      """)
  }

  @Test("of IPv6 over IPv6")
  func v6() {
    var bench = quiet()
    bench.hear(
      search("upnp:rootdevice"), from: Endpoint(IPAddress("fe80::9")!, port: 1_234),
      to: Endpoint(.ssdpGroup6, port: 1_900))
    bench.run(for: .seconds(4))
    expectEqual(bench.sent.map(\.destination.description), ["[fe80::9]:1234"])
    expectEqual(bench.sent.map { $0.field("LOCATION") }, ["http://[fe80::20]:49152/description.xml"])
  }

  @Test("but not those that UDA forbids to answer")
  func silence() {
    let silent = [
      search("ssdp:all", mx: nil), search("ssdp:all", mx: "0"), search("ssdp:all", mx: "-1"),
      search("ssdp:all", mx: ""), search("ssdp:all", mx: "abc"), search("ssdp:all", mx: "3s"),
      search("ssdp:all", man: nil), search("ssdp:all", man: "ssdp:discover"),
      search("ssdp:all", man: "\"ssdp:other\""), search("ssdp:all", man: ""),
      search(""), "M-SEARCH * HTTP/1.1\r\n\r\n", "", "M-SEARCH",
      search("ssdp:all").replacingStart("M-SEARCH * HTTP/1.0"),
      search("ssdp:all").replacingStart("m-search * HTTP/1.1"),
      search("ssdp:all").replacingStart("NOTIFY * HTTP/1.1"), search("ssdp:all").replacingStart("HTTP/1.1 200 OK"),
    ]
    for text in silent { expectEqual(answers(to: text), [], "\(text)") }
    expectEqual(answers(to: search("upnp:rootdevice")), ["200 upnp:rootdevice"])
  }

  @Test("at moments spread over MX, at most five seconds", arguments: [1, 2, 3, 5, 10, 120])
  func delays(_ mx: Int) {
    var delays: [Int64] = []
    for seed in 1...12 {
      var bench = quiet(seed: UInt64(seed))
      let asked = bench.now
      bench.hear(search("ssdp:all", mx: "\(mx)"))
      bench.run(for: .seconds(130))
      delays += bench.sent.filter { $0.startLine.hasPrefix("HTTP") }.map { ($0.at - asked).nanoseconds }
    }
    let most = Int64(min(mx, 5)) * 1_000_000_000
    expectEqual(delays.count, 12 * treeCount)
    #expect(delays.allSatisfy { (0...most).contains($0) })
    for third in 0..<3 {
      let count = delays.filter { min($0 * 3 / most, 2) == Int64(third) }.count
      #expect((20...52).contains(count), "third \(third) has \(count) of 108")
    }
  }

  @Test("by unicast within a second and without MX, on 1900 or the announced port")
  func unicast() {
    var description = treeDescription()
    let home = IPAddress(192, 168, 1, 20)
    for (searchPort, asked, count) in [(nil, 1_900, 1), (nil, 49_200, 0), (49_200, 49_200, 1), (49_200, 1_900, 0)]
      as [(UInt16?, UInt16, Int)]
    {
      description.searchPort = searchPort
      var bench = quiet(description: description)
      let before = bench.now
      bench.hear(search("upnp:rootdevice", mx: nil), to: Endpoint(home, port: asked))
      bench.run(for: .seconds(5))
      expectEqual(bench.sent.count, count)
      #expect(bench.sent.allSatisfy { $0.at - before <= .seconds(1) && $0.source == Endpoint(home, port: asked) })
    }
  }

  @Test("each copy once, and others meanwhile")
  func copiesAndOthers() {
    var bench = quiet()
    for port in [50_000, 50_000, 50_001] as [UInt16] {
      bench.hear(search("upnp:rootdevice", mx: "5"), from: Endpoint(IPAddress(192, 168, 1, 9), port: port))
      bench.run(for: .milliseconds(1))
    }
    bench.run(for: .seconds(6))
    expectEqual(bench.sent.map(\.destination.port).sorted(), [50_000, 50_000, 50_001])
  }

  @Test("a bounded number at a time, and gives the room back")
  func bounded() {
    var bench = quiet()
    for _ in 0..<1_000 { bench.hear(search("ssdp:all", mx: "1")) }
    expectEqual(bench.machine.answers.count, 256)
    bench.run(for: .seconds(2))
    expectEqual(bench.sent.count, 256)
    #expect(bench.machine.answers.isEmpty)
    expectEqual(bench.machine.answers.list.capacity, 0)
    expectEqual(bench.outbox.payloads.liveCount, 0)
  }

  @Test("not out of a family of an interface that went away before, even where it is back in time")
  func lostLinks() {
    var bench = quiet([.noRenewal])
    let text = search("upnp:rootdevice", mx: "5")
    bench.hear(text, from: Endpoint(IPAddress(192, 168, 1, 9), port: 50_001))
    bench.hear(
      text, from: Endpoint(IPAddress("fe80::9")!, port: 50_002), to: Endpoint(.ssdpGroup6, port: 1_900))
    bench.hear(text, from: Endpoint(IPAddress(10, 0, 0, 9), port: 50_003), on: 1)
    expectEqual(bench.machine.answers.list.map(\.port).sorted(), [50_001, 50_002, 50_003])
    let table: [(change: SignalValue, waiting: [UInt16])] = [
      (up(0, "fe80::20"), [50_002, 50_003]), (down(0), [50_003]), (down(1), []),
    ]
    for row in table {
      bench.receive(row.change)
      expectEqual(bench.machine.answers.list.map(\.port).sorted(), row.waiting)
    }
    expectEqual(bench.machine.answers.list.capacity, 0)
    bench.receive(up(0, "192.168.1.20", "fe80::20"))
    bench.receive(up(1, "10.0.0.7"))
    bench.run(for: .seconds(6))
    #expect(!bench.sent.isEmpty && !bench.sent.contains { $0.startLine.hasPrefix("HTTP") })
  }

  @Test("in the order of their moments, the earlier asked first")
  func momentOrder() {
    func answer(_ nanoseconds: Int64, _ sequence: UInt32) -> PendingAnswer {
      PendingAnswer(
        to: Endpoint(IPAddress(192, 168, 1, 9), port: 50_000), at: Instant(nanoseconds: nanoseconds),
        sequence: sequence, version: 0, attachment: 0)
    }
    var answers = PendingAnswers()
    var stream = Seed(3).stream("heap")
    for sequence in 0..<500 as Range<UInt32> { answers.push(answer(Int64(stream.below(40)), sequence)) }
    var popped: [(Int64, UInt32)] = []
    while let answer = answers.pop(at: .never) { popped.append((answer.due.nanoseconds, answer.sequence)) }
    expectEqual(popped.count, 500)
    #expect(zip(popped, popped.dropFirst()).allSatisfy { $0 < $1 })
    // The number of a search wraps.
    let last = UInt32.max
    for order in [[0, last, 1, last - 1], [last - 1, last, 0, 1], [1, 0, last, last - 1]] {
      for sequence in order { answers.push(answer(0, sequence)) }
      var sequences: [UInt32] = []
      while let answer = answers.pop(at: .zero) { sequences.append(answer.sequence) }
      expectEqual(sequences, [last - 1, last, 0, 1])
    }
    answers.push(answer(5, 0))
    expectEqual(answers.pop(at: Instant(nanoseconds: 4)), nil)
    expectEqual(answers.pop(at: Instant(nanoseconds: 5))?.due, Instant(nanoseconds: 5))
  }

  @Test("as often as asked before it is announced on, but never while it is off or leaving")
  func phases() {
    var bench = bench()
    bench.hear(search("upnp:rootdevice"))
    expectEqual(bench.machine.deadline, nil)
    bench.act(.appear)
    bench.run(for: .seconds(2))
    bench.hear(search("upnp:rootdevice", mx: "5"))
    bench.act(.leave)
    bench.hear(search("upnp:rootdevice"))
    bench.run(for: .seconds(20))
    #expect(!bench.sent.contains { $0.startLine.hasPrefix("HTTP") })
  }

  @Test("with dates that a calendar confirms")
  func dates() {
    let table: [(Int64, String)] = [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
      (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (1_735_689_600, "Wed, 01 Jan 2025 00:00:00 GMT"),
      (1_700_000_000, "Tue, 14 Nov 2023 22:13:20 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (7_692_000, "Tue, 31 Mar 1970 00:40:00 GMT"),
      (7_693_200, "Tue, 31 Mar 1970 01:00:00 GMT"), (1_056_153_600, "Sat, 21 Jun 2003 00:00:00 GMT"),
    ]
    let blueprint = DeviceBlueprint(treeDescription())
    for (seconds, text) in table {
      let fill = MessageFill(
        uuid: rootUUID, uuidStyle: .standard, host: IPAddress(192, 168, 1, 20), isV6: false, port: 80,
        alternatePort: 81, bootID: 7, nextBootID: 8, configID: 9, version: 1, clockSeconds: seconds)
      let message = String(decoding: blueprint.bytes(.response, advert: 0, fill), as: UTF8.self)
      #expect(message.contains("\r\nDATE: \(text)\r\n"), "\(seconds): \(message)")
    }
  }
}

extension String {
  func replacingStart(_ line: String) -> String { line + drop { $0 != "\r\n" } }
}
