import RollcallExpectations
import RollcallPrimitives
import RollcallWire
import Testing

@testable import RollcallConformance

@Suite("Hosts of a trace and their interfaces")
struct MulticastHostsTests {
  private let first = IPAddress(10, 0, 0, 1)
  private let second = IPAddress(10, 0, 0, 2)
  private let local = IPAddress(v6High: 0xFE80 << 48, low: 1)
  private let never = Instant(nanoseconds: .min)

  private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

  private func seen(host: Int32 = 0, interface: UInt16 = 0, from source: IPAddress? = nil) -> Observation {
    Observation(
      time: .zero, position: 1, source: Endpoint(source ?? first, port: 5_353), destination: .mdns(.v4),
      interface: InterfaceID(interface), host: host, place: .port5353,
      bytes: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  private func note(
    _ hosts: inout MulticastHosts, _ content: TraceEvent.Content, at seconds: Int64, host: Int32 = 0
  ) {
    hosts.note(TraceEvent(time: at(seconds), position: 1, host: host, content))
  }

  private func change(_ addresses: [(IPAddress, Int)], isUp: Bool = true, interface: UInt16 = 0) -> TraceEvent.Content {
    .interface(
      InterfaceChange(
        interface: InterfaceID(interface), isUp: isUp,
        addresses: addresses.map { InterfaceAddress($0.0, prefixBits: $0.1) }))
  }

  /// Host 0 with one interface, which comes up at 5 s.
  private func up(_ addresses: [(IPAddress, Int)]) -> MulticastHosts {
    var hosts = MulticastHosts()
    note(&hosts, change(addresses), at: 5)
    return hosts
  }

  @Test("a host begins when its interface came up, or its application began to look for services, whichever is later")
  func beginning() {
    var hosts = up([(first, 24)])
    expectEqual(hosts.beginning(at: seen()), at(5))
    expectEqual(hosts.beginning(at: seen(host: 1)), nil)
    expectEqual(hosts.beginning(at: seen(interface: 1)), nil)
    // What is up stays up.
    note(&hosts, change([(first, 16)]), at: 6)
    expectEqual(hosts.beginning(at: seen()), at(5))
    note(&hosts, .browsed, at: 4)
    expectEqual(hosts.beginning(at: seen()), at(5))
    note(&hosts, .browsed, at: 9)
    expectEqual(hosts.beginning(at: seen()), at(9))
    note(&hosts, .browsed, at: 20, host: 1)
    expectEqual(hosts.beginning(at: seen()), at(9))
  }

  @Test("a host begins anew when it was off by a deed, when its interface was down, and doubts when it is told so")
  func restart() {
    var hosts = up([(first, 24)])
    func expect(_ off: Instant, _ upAgain: Instant, _ comment: String) {
      let restart = hosts.restart(at: seen())
      expectEqual([restart.off, restart.upAgain], [off, upAgain], "\(comment)")
    }
    expect(never, never, "once up")
    note(&hosts, change([], isUp: false), at: 6)
    expect(never, never, "down")
    note(&hosts, change([(first, 24)]), at: 7)
    expect(never, at(7), "up again")
    expectEqual(hosts.beginning(at: seen()), at(7))
    note(&hosts, change([(first, 24)]), at: 8)
    expect(never, at(7), "still up")
    for (number, deed) in TraceEvent.Deed.allCases.enumerated() {
      var off = hosts
      note(&off, .deed(deed), at: 10 + Int64(number))
      let isOff = [.leave, .vanish, .crash, .reboot].contains(deed)
      expectEqual(off.restart(at: seen()).off, isOff ? at(10 + Int64(number)) : never, "\(deed)")
      expectEqual(off.restart(at: seen(host: 1)).off, never, "\(deed)")
    }
    // An interface that was never up before is not up again.
    var late = MulticastHosts()
    note(&late, change([], isUp: false), at: 1)
    note(&late, change([(first, 24)]), at: 2)
    expectEqual(late.restart(at: seen()).upAgain, never)
    expectEqual(late.beginning(at: seen()), at(2))
    expectEqual(hosts.doubt(at: seen()), never)
    note(&hosts, .doubted, at: 11)
    expectEqual(hosts.doubt(at: seen()), at(11))
    expectEqual(hosts.doubt(at: seen(host: 1)), never)
  }

  @Test("hosts of one network are on one link: the prefix of the first address that is not link-local in IPv6")
  func links() {
    func link(_ addresses: [(IPAddress, Int)]) -> UInt64 { up(addresses).link(of: seen()).number }
    let whole = link([(first, 24)])
    #expect(whole != 0)
    expectEqual(link([(IPAddress(10, 0, 0, 254), 24)]), whole)
    expectEqual(link([(local, 64), (first, 24)]), whole)
    expectEqual(link([(first, 24), (IPAddress(192, 168, 0, 1), 24)]), whole)
    #expect(link([(IPAddress(10, 0, 1, 1), 24)]) != whole)
    // Bits of the third byte.
    expectEqual(link([(IPAddress(10, 0, 31, 1), 20)]), link([(IPAddress(10, 0, 16, 9), 20)]))
    #expect(link([(IPAddress(10, 0, 15, 1), 20)]) != link([(IPAddress(10, 0, 16, 1), 20)]))
    expectEqual(link([(IPAddress(10, 0, 31, 1), 19)]), link([(IPAddress(10, 0, 0, 1), 19)]))
    #expect(link([(first, 32)]) != link([(second, 32)]))
    // Link-local addresses of IPv4 are a network, those of IPv6 may be of any.
    expectEqual(link([(IPAddress(169, 254, 1, 1), 16)]), link([(IPAddress(169, 254, 7, 7), 16)]))
    #expect(link([(IPAddress(169, 254, 1, 1), 16)]) != 0)
    expectEqual(link([(local, 64)]), 0)
    let hosts = up([(first, 24)])
    expectEqual(hosts.link(of: seen()), LinkKey(number: whole, family: .v4))
    expectEqual(hosts.link(of: seen(from: local)), LinkKey(number: whole, family: .v6))
    expectEqual(hosts.link(of: seen(host: 1)), LinkKey(number: 0, family: .v4))
    expectEqual(hosts.link(of: seen(interface: 1)), LinkKey(number: 0, family: .v4))
    // In a capture a link is an interface.
    expectEqual(hosts.link(of: seen(host: -1, interface: 7)), LinkKey(number: 7, family: .v4))
  }

  @Test("an address is on a link by its prefix or link-local, where the host has one of that family")
  func onLink() {
    let four = up([(first, 24)])
    expectEqual(four.isOnLink(IPAddress(10, 0, 0, 254), at: seen()), true)
    expectEqual(four.isOnLink(IPAddress(10, 0, 1, 2), at: seen()), false)
    expectEqual(four.isOnLink(IPAddress(169, 254, 9, 9), at: seen()), true)
    expectEqual(four.isOnLink(local, at: seen()), nil)
    expectEqual(four.isOnLink(first, at: seen(host: 1)), nil)
    expectEqual(four.isOnLink(first, at: seen(interface: 1)), nil)
    let both = up([(local, 64), (first, 24)])
    expectEqual(both.isOnLink(IPAddress(v6High: 0xFE80 << 48, low: 9), at: seen()), true)
    expectEqual(both.isOnLink(IPAddress(v6High: 0x2001_0DB8 << 32, low: 9), at: seen()), false)
  }

  @Test("an address is of the host that said it last, until that host changes its own or moves")
  func owners() {
    var hosts = up([(first, 24), (local, 64)])
    note(&hosts, change([(IPAddress(10, 0, 9, 1), 24)], interface: 1), at: 5)
    expectEqual(hosts.addresses(at: seen()), [first, local])
    expectEqual(hosts.addresses(at: seen(interface: 1)), [IPAddress(10, 0, 9, 1)])
    expectEqual(hosts.addresses(at: seen(interface: 2)), nil)
    expectEqual(hosts.speaker(of: first), Speaker(host: 0, first))
    expectEqual(hosts.speaker(of: second), Speaker(host: -1, second))
    // Another host takes it, and keeps it when the first one gets another.
    note(&hosts, change([(first, 24)]), at: 6, host: 1)
    note(&hosts, change([(second, 24)]), at: 7)
    expectEqual(hosts.speaker(of: first), Speaker(host: 1, first))
    expectEqual(hosts.speaker(of: second), Speaker(host: 0, first))
    expectEqual(hosts.speaker(of: local), Speaker(host: -1, local))
    expectEqual(hosts.addresses(at: seen()), [second])
    expectEqual(hosts.addresses(at: seen(interface: 1)), [IPAddress(10, 0, 9, 1)])
    // Which addresses a host has that moved is not known.
    note(&hosts, .deed(.leave), at: 8)
    expectEqual(hosts.addresses(at: seen()), [second])
    note(&hosts, .deed(.move), at: 9)
    expectEqual(hosts.addresses(at: seen()), nil)
    expectEqual(hosts.addresses(at: seen(interface: 1)), nil)
    expectEqual(hosts.speaker(of: second), Speaker(host: -1, second))
    expectEqual(hosts.speaker(of: first), Speaker(host: 1, first))
  }

  @Test("a speaker of a trace is its host at all addresses, one of a capture its address")
  func speakers() {
    for host in [0, 1] as [Int32] {
      expectEqual(Speaker(host: host, first), Speaker(host: host, second))
      expectEqual(Speaker(seen(host: host, from: second)), Speaker(host: host, first))
    }
    #expect(Speaker(host: 0, first) != Speaker(host: 1, first))
    #expect(Speaker(host: -1, first) != Speaker(host: -1, second))
    expectEqual(Speaker(seen(host: -1, from: second)), Speaker(host: -1, second))
  }
}
