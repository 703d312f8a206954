import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing

@Suite("A flood of devices that are not there") struct FlooderTests {
  /// The flood of a plan, from one host with the addresses of `addresses`.
  private func flooding(
    _ addresses: [SignalValue] = [up(0, "192.168.1.66")], _ change: (inout Flooder.Plan) -> Void
  ) -> Bench<Flooder> {
    var plan = Flooder.Plan()
    change(&plan)
    var flood = Bench(Flooder(plan, seed: Seed(5), name: "flood"))
    for signal in addresses { flood.receive(signal) }
    flood.act(.appear)
    return flood
  }
  /// `moment in microseconds: messages` of the first moments and of the last one.
  private func moments(_ sent: [Bench<Flooder>.Sent]) -> [String] {
    var moments: [(at: Int64, count: Int)] = []
    for message in sent {
      let at = message.at.nanoseconds / 1_000
      if moments.last?.at == at { moments[moments.count - 1].count += 1 } else { moments.append((at, 1)) }
    }
    return (moments.prefix(4) + moments.dropFirst(4).suffix(1)).map { "\($0.at): \($0.count)" }
  }

  @Test("as many messages are sent as the rate says, to the last one, at most a thousand times a second")
  func rate() {
    let table: [(rate: Int, time: Interval, count: Int, moments: [String])] = [
      (7, .seconds(1), 7, ["0: 1", "142857: 1", "285714: 1", "428571: 1", "857142: 1"]),
      (600, .milliseconds(100), 60, ["0: 1", "1666: 1", "3333: 1", "4999: 1", "98333: 1"]),
      (1_000, .milliseconds(100), 100, ["0: 1", "1000: 1", "2000: 1", "3000: 1", "99000: 1"]),
      (1_001, .milliseconds(100), 101, ["0: 2", "1000: 1", "2000: 1", "3000: 1", "99000: 1"]),
      (1_500, .milliseconds(100), 150, ["0: 2", "1000: 1", "2000: 2", "3000: 1", "99000: 1"]),
      (20_000, .milliseconds(10), 200, ["0: 20", "1000: 20", "2000: 20", "3000: 20", "9000: 20"]),
      (20_000, .microseconds(2_500), 50, ["0: 20", "1000: 20", "2000: 10"]),
      (20_000, .microseconds(2_501), 51, ["0: 20", "1000: 20", "2000: 11"]),
      (1, .milliseconds(500), 1, ["0: 1"]), (1, .milliseconds(1_000), 1, ["0: 1"]),
      (1, .nanoseconds(1_000_000_001), 2, ["0: 1", "1000000: 1"]), (1_000, .zero, 0, []),
      // Ten million a second are the most.
      (20_000_000, .microseconds(1), 10, ["0: 10"]),
    ]
    for row in table {
      var flood = flooding { ($0.perSecond, $0.duration) = (row.rate, row.time) }
      flood.run(for: .seconds(10))
      #expect(flood.sent.count == row.count && moments(flood.sent) == row.moments, "\(row): \(moments(flood.sent))")
      #expect(flood.machine.sentCount == row.count && flood.machine.deadline == nil)
    }
  }

  @Test("invented devices speak in rounds, each with the message of the set that all have in that round")
  func rounds() {
    let targets = [
      "uuid", "urn:schemas-upnp-org:device:Basic:1", "urn:rollcall-example:service:Presence:1", "upnp:rootdevice",
    ]
    for (count, rounds) in [(1, 5), (3, 5), (nil, 1)] as [(Int?, Int)] {
      var flood = flooding { ($0.perSecond, $0.deviceCount) = (100, count) }
      flood.run(for: .milliseconds(Int64(10 * (count ?? 9) * rounds) - 1))
      let uuids = flood.sent.compactMap { $0.field("USN")?.dropFirst(5).prefix(36) }.map(String.init)
      let said = flood.sent.compactMap { $0.field("NT") }.map { $0.hasPrefix("uuid:") ? "uuid" : $0 }
      expectEqual(said.count, (count ?? 9) * rounds)
      guard let count else {
        // Each message is about another device, and the set goes on.
        expectEqual(Set(uuids).count, 9)
        expectEqual(said, (0..<9).map { targets[$0 % 4] })
        continue
      }
      let first = Array(uuids.prefix(count))
      expectEqual(Set(first).count, count)
      expectEqual(uuids, (0..<rounds).flatMap { _ in first })
      expectEqual(said, (0..<rounds).flatMap { round in first.map { _ in targets[round % 4] } })
    }
  }

  @Test("each kind of message goes where it belongs, of each family by itself, under an address of its own if asked")
  func kinds() {
    let both = [up(0, "192.168.1.66", "fe80::66"), up(1, "10.0.0.7")]
    let shown = { (flood: Bench<Flooder>) in
      flood.sent.map { "\($0.interface.number) \($0.summary) \($0.source) \($0.destination) \($0.hopLimit)" }
    }
    let basic = "urn:schemas-upnp-org:device:Basic:1"
    for (message, said) in [(.alive, "alive"), (.byebye, "byebye")] as [(Flooder.Message, String)] {
      var flood = flooding(both) { ($0.message, $0.duration) = (message, .milliseconds(2)) }
      flood.run(for: .milliseconds(1))
      expectEqual(
        shown(flood).suffix(3),
        [
          "0 \(said) \(basic) 192.168.1.66:1900 239.255.255.250:1900 2",
          "0 \(said) \(basic) [fe80::66]:1900 [ff02::c]:1900 2",
          "1 \(said) \(basic) 10.0.0.7:1900 239.255.255.250:1900 2",
        ])
    }
    for (target, said) in [
      (
        "192.168.1.9",
        ["0 200 \(basic) 192.168.1.66:1900 192.168.1.9:7 2", "1 200 \(basic) 10.0.0.7:1900 192.168.1.9:7 2"]
      ),
      ("fe80::9", ["0 200 \(basic) [fe80::66]:1900 [fe80::9]:7 2"]),
    ] {
      var flood = flooding(both) {
        ($0.message, $0.responsesTo) = (.response, IPAddress(target).map { Endpoint($0, port: 7) })
      }
      flood.run(for: .milliseconds(1))
      expectEqual(shown(flood).suffix(said.count), said[...])
    }
    var nowhere = flooding { $0.message = .response }
    nowhere.run(for: .seconds(1))
    #expect(nowhere.sent.isEmpty)
    var invented = flooding(both) { ($0.inventsAddresses, $0.duration) = (true, .milliseconds(2)) }
    invented.run(for: .seconds(1))
    expectEqual(
      invented.sent.map(\.source.address.description),
      [
        "192.168.1.1", "fe80::1:66", "10.0.0.1", "192.168.1.2", "fe80::2:66", "10.0.0.2",
      ])
    expectEqual(invented.sent.last?.field("NT"), basic)
  }

  @Test("a subnet has two hosts at least, of which one is another, and 24 bits for its hosts at most")
  func subnets() {
    func sources(_ own: IPAddress, _ prefixBits: Int) -> [IPAddress] {
      let address = InterfaceAddress(own, prefixBits: prefixBits)
      let subnet = SignalValue.interface(InterfaceChange(interface: InterfaceID(0), isUp: true, addresses: [address]))
      var flood = flooding([subnet]) { ($0.inventsAddresses, $0.duration) = (true, .milliseconds(4)) }
      flood.run(for: .seconds(1))
      return flood.sent.map(\.source.address)
    }
    for prefixBits in [30, 31, 32] {
      expectEqual(sources(IPAddress(10, 0, 0, 1), prefixBits), Array(repeating: IPAddress(10, 0, 0, 2), count: 4))
      expectEqual(sources(IPAddress(10, 0, 0, 2), prefixBits), Array(repeating: IPAddress(10, 0, 0, 1), count: 4))
    }
    for prefixBits in [7, 8] {
      expectEqual(sources(IPAddress(10, 200, 0, 7), prefixBits), (1...4).map { IPAddress(10, 0, 0, $0) })
    }
    expectEqual(sources(IPAddress(10, 200, 0, 7), 9), (1...4).map { IPAddress(10, 128, 0, $0) })
  }

  @Test("an invented device speaks in these bytes")
  func bytes() {
    let uuid = DeviceUUID(seed: Seed(5), name: "flood").derived(0)
    let usn = "uuid:\(uuid)::urn:schemas-upnp-org:device:Basic:1"
    let (location, server) = (
      "LOCATION: http://192.168.1.66:49152/description.xml\r\n", "SERVER: Linux/6.6 UPnP/2.0 Rollcall/1.0\r\n"
    )
    let end = "USN: \(usn)\r\nBOOTID.UPNP.ORG: 1\r\nCONFIGID.UPNP.ORG: 1\r\n\r\n"
    let group = "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\n"
    let type = "urn:schemas-upnp-org:device:Basic:1\r\n"
    let table: [(message: Flooder.Message, text: String)] = [
      (
        .alive, "\(group)CACHE-CONTROL: max-age=1800\r\n\(location)NT: \(type)NTS: ssdp:alive\r\n\(server)\(end)"
      ),
      (.byebye, "\(group)NT: \(type)NTS: ssdp:byebye\r\n\(end)"),
      (
        .response,
        "HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nDATE: Mon, 01 Jan 2024 00:00:01 GMT\r\nEXT:\r\n"
          + "\(location)\(server)ST: \(type)\(end)"
      ),
    ]
    for row in table {
      var flood = flooding {
        ($0.message, $0.perSecond, $0.deviceCount) = (row.message, 1, 1)
        $0.responsesTo = Endpoint(IPAddress(192, 168, 1, 9), port: 7)
      }
      flood.run(for: .milliseconds(1_500))
      expectEqual(flood.sent.count, 2)
      expectEqual(flood.sent.last?.text, row.text)
    }
  }

  @Test("it falls silent when it leaves, begins anew when it appears again, and sends once more when asked")
  func life() {
    var flood = flooding { ($0.perSecond, $0.duration) = (100, .milliseconds(50)) }
    flood.run(for: .milliseconds(15))
    for act in [Act.leave, .vanish] {
      flood.act(act)
      expectEqual(flood.machine.deadline, nil)
      flood.run(for: .seconds(1))
      flood.act(.appear)
      flood.run(for: .milliseconds(25))
    }
    flood.run(for: .seconds(1))
    expectEqual(
      flood.sent.map { $0.at.nanoseconds / 1_000_000 },
      [
        0, 10, 1_015, 1_025, 1_035, 2_040, 2_050, 2_060, 2_070, 2_080,
      ])
    flood.act(.send(script: 0))
    #expect(flood.sent.count == 11 && flood.machine.deadline == nil)
    // Each message was about another device, over all its appearances.
    expectEqual(Set(flood.sent.compactMap { $0.field("USN")?.prefix(41) }).count, 11)
  }
}
