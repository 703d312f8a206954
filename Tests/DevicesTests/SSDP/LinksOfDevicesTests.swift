import RollcallDevices
import RollcallExpectations
import RollcallPrimitives
import Testing
import RollcallWire

@Suite("A device among several addresses and interfaces") struct LinksOfDevicesTests {
  private typealias Sent = Bench<RootDevice>.Sent

  /// `interface kind BOOTID` of messages in a row, runs of the same told once with their number.
  private func runs(_ sent: [Sent]) -> [String] {
    var runs: [(text: String, count: Int)] = []
    for message in sent {
      let text = "\(message.interface.number) \(message.nts.dropFirst(5)) \(message.field("BOOTID.UPNP.ORG") ?? "-")"
      if runs.last?.text == text { runs[runs.count - 1].count += 1 } else { runs.append((text, 1)) }
    }
    return runs.map { "\($0.count) of \($0.text)" }
  }
  /// A device that has announced itself; nothing of that is left.
  private func announced(addresses: [SignalValue]) -> Bench<RootDevice> {
    var device = bench(treeDescription(), [.noRenewal, .dropsRepeats], addresses: addresses)
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    (device.sent, device.others) = ([], [])
    return device
  }

  @Test("the first address of a family speaks, a link-local one before all others of IPv6")
  func addresses() {
    for (signal, expected) in [
      (up(0, "10.0.0.1", "10.0.0.2"), ["10.0.0.1"]),
      (up(0, "2001:db8::1", "2001:db8::2"), ["2001:db8::1"]),
      (up(0, "2001:db8::1", "fe80::1", "fe80::2"), ["fe80::1"]),
      (up(0, "2001:db8::1", "10.0.0.2", "10.0.0.1"), ["10.0.0.2", "2001:db8::1"]),
    ] {
      var device = bench(treeDescription(), [.noJitter], addresses: [signal])
      device.act(.appear)
      expectEqual(device.sent.map(\.source.address.description), expected)
      // Without an address it is there, and silent.
      device.receive(down(0))
      device.run(for: .seconds(1))
      #expect(device.machine.isPresent && device.sent.count == expected.count)
    }
  }

  @Test("a byebye revokes nothing on an interface where nothing was announced yet")
  func newInterface() {
    var device = announced(addresses: [up(0, "192.168.1.20")])
    device.receive(up(1, "10.0.0.7", "fe80::7"))
    device.act(.leave)
    device.run(for: .seconds(5))
    expectEqual(runs(device.sent), ["1 of 0 update 1", "9 of 0 byebye 1"])
    expectEqual(
      device.others.map(\.effect),
      [
        .join(.ssdp(.v4), InterfaceID(1)), .join(.ssdp(.v6), InterfaceID(1)), .leave(.ssdp(.v4), InterfaceID(0)),
        .leave(.ssdp(.v4), InterfaceID(1)), .leave(.ssdp(.v6), InterfaceID(1)),
      ])
  }

  @Test("an update goes where something was announced that still stands, in either family")
  func announcedLanes() {
    for (own, other) in [("192.168.1.20", "fe80::7"), ("fe80::20", "10.0.0.7")] {
      var device = announced(addresses: [up(0, own)])
      device.receive(up(1, other))
      device.run(for: .seconds(5))
      expectEqual(runs(device.sent), ["9 of 0 update 1", "9 of 1 alive 2"], "\(own)")
      // Nothing stands after the only interface is gone, and nothing was said on the next one yet.
      device = announced(addresses: [up(0, "192.168.1.21")])
      device.receive(down(0))
      device.receive(up(1, own))
      device.receive(up(2, other))
      device.run(for: .seconds(5))
      expectEqual(Set(device.sent.map { "\($0.interface.number) \($0.nts)" }), ["1 ssdp:alive", "2 ssdp:alive"])
      #expect(device.sent.count == 18 && device.sent.allSatisfy { $0.field("BOOTID.UPNP.ORG") == "3" })
    }
  }

  @Test("announcements before the last start do not count in this one")
  func startsAnew() {
    var device = bench(treeDescription(), [.noRenewal, .dropsRepeats])
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    device.act(.vanish)
    device.sent = []
    device.act(.appear)
    device.receive(up(1, "10.0.0.7"))
    #expect(device.sent.isEmpty)
    device.run(for: .seconds(5))
    #expect(device.sent.count == 18 && device.sent.allSatisfy { $0.field("BOOTID.UPNP.ORG") == "2" })
    device.act(.vanish)
    (device.sent, device.others) = ([], [])
    device.act(.appear)
    device.act(.leave)
    #expect(device.sent.isEmpty && device.machine.deadline == nil)
    expectEqual(
      device.others.map(\.effect),
      [
        .join(.ssdp(.v4), InterfaceID(0)), .join(.ssdp(.v4), InterfaceID(1)), .leave(.ssdp(.v4), InterfaceID(0)),
        .leave(.ssdp(.v4), InterfaceID(1)),
      ])
  }

  @Test("leases of any length are renewed in time: as if they had a second at least, and 2147483648 at most")
  func leases() {
    let table: [(seconds: Int64, milliseconds: ClosedRange<Int64>)] = [
      (-5, 250...490), (0, 250...490), (1, 250...490), (2, 500...980),
      (2_147_483_648, 536_870_912_000...1_052_266_987_520),
      (2_147_483_649, 536_870_912_000...1_052_266_987_520), (.max, 536_870_912_000...1_052_266_987_520),
    ]
    for row in table {
      var device = bench(treeDescription(), [.maxAge(row.seconds), .noJitter, .dropsRepeats])
      device.act(.appear)
      device.run(until: .zero + .milliseconds(100))
      let due = device.machine.deadline?.nanoseconds ?? 0
      #expect(row.milliseconds.contains(due / 1_000_000), "\(row): \(due)")
    }
  }

  @Test("a device with two LOCATIONs says one in each set and each answer, the second one first")
  func twoLocations() {
    var device = bench(treeDescription(), [.twoLocations, .noJitter, .noRenewal, .answersImmediately])
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    let (first, second) = ("http://192.168.1.20:49152/description.xml", "http://192.168.1.20:49153/description.xml")
    expectEqual(
      device.takeSent().compactMap { $0.field("LOCATION") }, (0..<18).map { $0 < treeCount ? second : first })
    device.hear(search("ssdp:all"))
    expectEqual(
      device.takeSent().compactMap { $0.field("LOCATION") }, (0..<treeCount).map { $0 % 2 == 0 ? second : first })
  }

  @Test("a device that tells of its BOOTID too late does so 1.1 s after the change")
  func lateUpdate() {
    var device = bench(treeDescription(), [.updateAfterAlive, .noRenewal, .dropsRepeats])
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    device.sent = []
    device.receive(up(1, "10.0.0.7"))
    device.run(for: .seconds(5))
    expectEqual(runs(device.sent), ["9 of 1 alive 2", "9 of 0 update 1"])
    expectEqual(device.sent[9].at, Instant(nanoseconds: 6_100_000_000))
    expectEqual(device.sent[9].field("NEXTBOOTID.UPNP.ORG"), "2")
  }

  /// `interface source destination: message` of what was sent.
  private func ways(_ sent: [Sent]) -> [String] {
    sent.map { "\($0.interface.number) \($0.source) \($0.destination): \($0.summary)" }
  }
  private let notify =
    "NOTIFY * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nNTS: ssdp:byebye\r\nNT: x\r\nUSN: uuid:1::x\r\n\r\n"
  private let response = "HTTP/1.1 200 OK\r\nST: x\r\nUSN: uuid:1::x\r\n\r\n"
  private let both = [up(0, "192.168.1.20", "fe80::20"), up(1, "10.0.0.7")]

  @Test("a device that answers NOTIFYs by multicast announces its root on all links 5 ms later, once at a time")
  func reanswers() {
    var device = bench(
      treeDescription(), [.reanswersOwnMulticast, .noRenewal, .dropsRepeats], addresses: both)
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    device.sent = []
    device.hear(response)
    device.hear(notify, to: Endpoint(IPAddress(192, 168, 1, 20), port: 1_900))
    device.hear(notify, on: 2)
    device.run(for: .seconds(1))
    #expect(device.sent.isEmpty)
    let group = "239.255.255.250:1900: alive upnp:rootdevice"
    let expected = [
      "0 192.168.1.20:1900 \(group)", "0 [fe80::20]:1900 [ff02::c]:1900: alive upnp:rootdevice",
      "1 10.0.0.7:1900 \(group)",
    ]
    for _ in 1...2 {
      let moment = device.now
      for _ in 1...3 { device.hear(notify) }
      device.run(for: .seconds(1))
      #expect(device.sent.allSatisfy { $0.at == moment + .milliseconds(5) })
      expectEqual(ways(device.takeSent()), expected)
    }
  }

  @Test("a device that answers NOTIFYs answers those of others, at once and to where they came from")
  func answersNotify() {
    var device = bench(treeDescription(), [.answersNotify, .noRenewal, .dropsRepeats], addresses: both)
    device.act(.appear)
    device.run(until: .zero + .seconds(5))
    device.sent = []
    let (own, own6) = (
      Endpoint(IPAddress(192, 168, 1, 20), port: 1_900), Endpoint(IPAddress("fe80::20")!, port: 1_900)
    )
    device.hear(response)
    device.hear(notify, on: 2)
    device.hear(notify, from: own)
    device.hear(notify, from: own6, to: Endpoint(.ssdpGroup6, port: 1_900))
    device.hear(notify, from: Endpoint(IPAddress(10, 0, 0, 7), port: 1_900), on: 1)
    #expect(device.sent.isEmpty && device.machine.deadline == nil)
    device.hear(notify)
    device.hear(notify, to: own)
    device.hear(notify, from: Endpoint(IPAddress("fe80::9")!, port: 7), to: Endpoint(.ssdpGroup6, port: 1_900))
    device.hear(notify, from: own, on: 1)
    expectEqual(
      ways(device.sent),
      [
        "0 192.168.1.20:1900 192.168.1.9:50000: 200 upnp:rootdevice",
        "0 192.168.1.20:1900 192.168.1.9:50000: 200 upnp:rootdevice",
        "0 [fe80::20]:1900 [fe80::9]:7: 200 upnp:rootdevice", "1 10.0.0.7:1900 192.168.1.20:1900: 200 upnp:rootdevice",
      ])
  }

  @Test("answers that wait are lost with the family of the interface that they would leave by, and no others")
  func lostAnswers() {
    let (guest6, group6) = (Endpoint(IPAddress("fe80::9")!, port: 7), Endpoint(.ssdpGroup6, port: 1_900))
    let (one, two) = ("0 192.168.1.20:1900 192.168.1.9:50000", "0 [fe80::20]:1900 [fe80::9]:7")
    let three = "1 10.0.0.7:1900 192.168.1.9:50000"
    for (change, expected) in [
      (up(0, "192.168.1.20"), [one, three]), (up(0, "fe80::20"), [two, three]), (down(0), [three]),
      (down(1), [one, two]),
    ] {
      var device = bench(treeDescription(), [.noRenewal, .dropsRepeats], addresses: both)
      device.act(.appear)
      device.run(until: .zero + .seconds(5))
      device.sent = []
      device.hear(search("upnp:rootdevice"))
      device.hear(search("upnp:rootdevice"), from: guest6, to: group6)
      device.hear(search("upnp:rootdevice"), on: 1)
      // There is no such interface, and no such family on it.
      device.hear(search("upnp:rootdevice"), on: 2)
      device.hear(search("upnp:rootdevice"), from: guest6, to: group6, on: 1)
      expectEqual(device.machine.answers.count, 3)
      device.receive(change)
      device.run(for: .seconds(5))
      expectEqual(ways(device.sent).sorted(), expected.map { "\($0): 200 upnp:rootdevice" })
    }
  }
}
