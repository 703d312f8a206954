import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("A correct device announces itself") struct AdvertisementTests {
  let targets = [
    "upnp:rootdevice", "uuid:\(rootUUID)", "urn:schemas-upnp-org:device:MediaServer:2",
    "urn:schemas-upnp-org:service:ContentDirectory:3", "urn:schemas-upnp-org:service:ConnectionManager:1",
    "uuid:\(rootUUID.derived(1))", "urn:schemas-upnp-org:device:MediaRenderer:1",
    "urn:schemas-upnp-org:service:ConnectionManager:1", "urn:example-org:service:Lamp:10",
  ]

  @Test("with 3 + 2d + k messages in each of two sets, each with the USN of its owner")
  func wholeSet() {
    var bench = bench()
    bench.act(.appear)
    bench.run(until: .zero + .seconds(5))
    expectEqual(bench.sent.map { $0.field("NT")! }, targets + targets)
    let usns = bench.sent.prefix(treeCount).map { $0.field("USN")! }
    let embedded = "uuid:\(rootUUID.derived(1))"
    expectEqual(
      usns,
      [
        "uuid:\(rootUUID)::upnp:rootdevice", "uuid:\(rootUUID)",
        "uuid:\(rootUUID)::urn:schemas-upnp-org:device:MediaServer:2",
        "uuid:\(rootUUID)::urn:schemas-upnp-org:service:ContentDirectory:3",
        "uuid:\(rootUUID)::urn:schemas-upnp-org:service:ConnectionManager:1",
        embedded, "\(embedded)::urn:schemas-upnp-org:device:MediaRenderer:1",
        "\(embedded)::urn:schemas-upnp-org:service:ConnectionManager:1", "\(embedded)::urn:example-org:service:Lamp:10",
      ])
    #expect(bench.sent.allSatisfy { $0.nts == "ssdp:alive" && $0.hopLimit == 2 })
    #expect(bench.sent.allSatisfy { $0.destination == Endpoint(.ssdpGroup4, port: 1_900) })
  }

  @Test("with every byte as UDA 2.0 has it")
  func bytesOfAlive() {
    var bench = bench()
    bench.act(.appear)
    bench.run(until: .zero + .seconds(1))
    expectEqual(
      bench.sent[2].text,
      """
      NOTIFY * HTTP/1.1\r
      HOST: 239.255.255.250:1900\r
      CACHE-CONTROL: max-age=1800\r
      LOCATION: http://192.168.1.20:49152/description.xml\r
      NT: urn:schemas-upnp-org:device:MediaServer:2\r
      NTS: ssdp:alive\r
      SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r
      USN: uuid:2fac1234-31f8-11b4-a222-08002b34c003::urn:schemas-upnp-org:device:MediaServer:2\r
      BOOTID.UPNP.ORG: 1\r
      CONFIGID.UPNP.ORG: 1\r
      \r

      """)
  }

  @Test("without BOOTID under UDA 1.0, and at TTL 4")
  func oldVersion() {
    var bench = bench(treeDescription(.uda10))
    bench.act(.appear)
    bench.run(until: .zero + .seconds(1))
    expectEqual(bench.sent.count, 2 * treeCount)
    #expect(bench.sent.allSatisfy { $0.field("BOOTID.UPNP.ORG") == nil && $0.field("CONFIGID.UPNP.ORG") == nil })
    #expect(bench.sent.allSatisfy { $0.hopLimit == 4 })
  }

  @Test("over IPv4 and IPv6 on every interface, each LOCATION with the address of its own")
  func everyInterface() {
    var bench = bench(addresses: [up(0, "192.168.1.20", "2001:db8::5", "fe80::1"), up(1, "10.0.0.7"), down(2)])
    bench.act(.appear)
    bench.run(until: .zero + .seconds(1))
    let roots = bench.sent.filter { $0.field("NT") == "upnp:rootdevice" }.prefix(3)
    expectEqual(
      roots.map { $0.field("LOCATION")! },
      [
        "http://192.168.1.20:49152/description.xml", "http://[fe80::1]:49152/description.xml",
        "http://10.0.0.7:49152/description.xml",
      ])
    expectEqual(roots.map { $0.field("HOST")! }, ["239.255.255.250:1900", "[FF02::C]:1900", "239.255.255.250:1900"])
    expectEqual(
      roots.map(\.destination.description), ["239.255.255.250:1900", "[ff02::c]:1900", "239.255.255.250:1900"])
    expectEqual(roots.map { $0.field("01-NLS") }, [nil, "1", nil])
    expectEqual(
      bench.others.map(\.effect),
      [
        .join(.ssdp(.v4), InterfaceID(0)), .join(.ssdp(.v6), InterfaceID(0)), .join(.ssdp(.v4), InterfaceID(1)),
      ])
  }

  @Test("after a random wait of up to 100 ms, messages 1 to 2 ms apart, the repetition 200 to 400 ms later")
  func timing() {
    var firsts: [Int64] = []
    for seed in 1...60 {
      var bench = bench(seed: UInt64(seed))
      bench.act(.appear)
      bench.run(until: .zero + .seconds(5))
      let times = bench.sent.map(\.at.nanoseconds)
      firsts.append(times[0])
      for index in 1..<times.count where index != treeCount {
        #expect((1_000_000...2_000_000).contains(times[index] - times[index - 1]))
      }
      #expect((200_000_000...400_000_000).contains(times[treeCount] - times[treeCount - 1]))
    }
    #expect(firsts.allSatisfy { (0...100_000_000).contains($0) })
    // Uniform: each quarter of the range has its share of sixty starts.
    for quarter in 0..<4 {
      let count = firsts.filter { $0 / 25_000_001 == Int64(quarter) }.count
      #expect((5...27).contains(count), "quarter \(quarter) has \(count) of 60")
    }
  }

  @Test("and renews at random moments below half of max-age, for hours")
  func renewal() {
    var bench = bench()
    bench.act(.appear)
    bench.run(until: .zero + .hours(12))
    let roots = bench.sent.filter { $0.field("NT") == "upnp:rootdevice" }.map(\.at.nanoseconds)
    let starts = roots.indices.filter { $0 % 2 == 0 }.map { roots[$0] }
    let gaps = zip(starts.dropFirst(), starts).map { ($0 - $1) / 1_000_000_000 }
    #expect(gaps.count > 48)
    #expect(gaps.allSatisfy { (449...883).contains($0) })
    #expect(Set(gaps).count > gaps.count / 2)
  }

  @Test("in messages that the strict reader accepts, whatever UDA version it claims", arguments: UDAVersion.allCases)
  func strictReader(_ uda: UDAVersion) {
    var description = treeDescription(uda)
    (description.searchPort, description.securePort) = (49_200, 49_153)
    var bench = bench(description, addresses: [up(0, "192.168.1.20", "fe80::1")])
    bench.act(.appear)
    bench.run(for: .seconds(2))
    bench.hear(search("ssdp:all"))
    bench.run(for: .seconds(6))
    bench.receive(up(1, "10.0.0.7"))
    bench.run(for: .seconds(2))
    bench.act(.reboot)
    bench.run(for: .seconds(3))
    let kinds = bench.sent.map { sent -> SSDPKind? in
      let payload = bench.outbox.payloads.store(sent.bytes)
      guard case .message(let message) = SSDPReader.reading(of: payload, in: bench.outbox.payloads, mode: .strict)
      else { return nil }
      return message.check(.strict) == nil ? message.kind : nil
    }
    #expect(!kinds.contains(nil))
    var expected: Set<SSDPKind> = [.notifyAlive, .notifyByebye, .response]
    if uda != .uda10 { expected.insert(.notifyUpdate) }
    expectEqual(Set(kinds.compactMap { $0 }), expected)
  }

  @Test("the same way at every run, however often it is woken")
  func deterministic() {
    func run(_ step: Interval?) -> [Bench<RootDevice>.Sent] {
      var bench = bench()
      bench.act(.appear)
      bench.hear(search("ssdp:all"))
      let end = Instant.zero + .seconds(3)
      while bench.now < end {
        let deadline = bench.machine.deadline ?? end
        bench.now = min(step.map { min(bench.now + $0, deadline) } ?? deadline, end)
        for _ in 0..<(step == nil ? 1 : 3) {
          bench.machine.wake(at: bench.now, into: &bench.outbox)
          bench.collect()
        }
      }
      return bench.sent
    }
    expectEqual(run(nil).count, 3 * treeCount)
    expectEqual(run(nil), run(.milliseconds(1)))
  }

  @Test("with draws for announcing, answering and renewing that do not touch each other")
  func independentStreams() {
    func answers(_ quirks: [Quirk], searchFirst: Bool = false) -> [Interval] {
      var bench = bench(treeDescription(), quirks)
      bench.act(.appear)
      bench.run(until: .zero + .seconds(2_000))
      let asked = bench.now
      bench.sent = []
      bench.hear(search("ssdp:all"))
      bench.run(for: .seconds(5))
      return bench.sent.filter { $0.startLine.hasPrefix("HTTP") }.map { $0.at - asked }
    }
    let plain = answers([])
    expectEqual(plain.count, treeCount)
    expectEqual(answers([.renewsOften(.seconds(5))]), plain)
    expectEqual(answers([.noJitter, .dropsRepeats, .noServer]), plain)
  }

  @Test("and one of a hundred thousand takes little room")
  func size() {
    #expect(MemoryLayout<RootDevice>.size <= 256)
    #expect(MemoryLayout<PendingAnswer>.stride <= 40)
  }
}
