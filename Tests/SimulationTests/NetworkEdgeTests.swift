import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// Edges of the network that no scenario comes to: times that lie close together or far apart, many of everything, two
/// of everything, and moments that are met exactly.
@Suite("Edges of the virtual network")
struct NetworkEdgeTests {
  private let link = InterfaceID(0)

  private func send(_ text: String, from host: Int, interface: UInt16 = 0, to address: IPAddress, _ rig: NetworkRig) {
    rig.network.transmit(
      Datagram(
        source: Endpoint(NetworkRig.address(host), port: 1_900), destination: Endpoint(address, port: 1_900),
        interface: InterfaceID(interface), hopLimit: 2, payload: rig.payloads.store(Array(text.utf8))),
      mark: 0, from: host)
  }

  /// Who hears what until `end`, without the times: `1 x`.
  private func heard(_ rig: NetworkRig, until end: Interval = .seconds(1)) -> [String] {
    rig.arrivals(until: end).map { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return "\(parts[0].prefix { $0 != "@" }) \(parts[1])"
    }
  }

  @Test("what is planned comes by time, and at one instant in the order of the plan, however close, far or many")
  func agenda() {
    let crowd = (0..<5_000).map { 3_000_000 + Int64($0 * 7_919 % 2_500) }
    let rows = (0..<3_000).map { Int64(3_000 - $0) << 18 }
    // Powers of two and their multiples, where one part of a calendar may end and the next begin.
    var powers: [Int64] = []
    for shift in (10...42).reversed() { for offset in [1, 0, -1, 0] as [Int64] { powers.append(1 << shift + offset) } }
    var multiples: [Int64] = []
    for turn in (0...4).reversed() as [Int64] {
      for offset in [0, 1 << 18, 1 << 31, (1 << 32) - 1] as [Int64] { multiples.append(turn << 32 + offset) }
    }
    let cases: [(times: [Int64], starts: [Int64])] = [
      (crowd, [0, 3_000_000_000]), (rows, [0, 3_000_000_000]),
      (powers, [0, 3_000_000_000, (5 << 32) - 1, 5 << 32, 7_777_777_777_777]),
      (multiples, [0, 1, (1 << 18) - 1, 1 << 18]),
    ]
    for (times, starts) in cases {
      let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
      for start in starts {
        let rig = NetworkRig(hosts: 0)
        var base = start
        // Twice, since what was freed is used again.
        for _ in 0..<2 {
          _ = rig.arrivals(until: Interval(nanoseconds: base))
          for (number, time) in times.enumerated() {
            rig.schedule.planned(number, at: Instant(nanoseconds: base + time))
          }
          let end = base + (times.max() ?? 0)
          let lines = rig.arrivals(until: Interval(nanoseconds: end))
          expectEqual(lines, order.map { "\(base + times[$0]) planned \($0)" }, "from \(base)")
          expectEqual(rig.schedule.nextTime, nil)
          base = end
        }
      }
    }
  }

  @Test("a host is woken at the earliest moment that it asked for, once, and nothing happens in the past")
  func wakes() {
    let rig = NetworkRig(hosts: 2)
    func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
    for (host, time) in [(0, 9), (0, 5), (0, 7), (1, 9)] as [(Int, Int64)] {
      rig.schedule.wake(host: host, at: at(time))
    }
    rig.schedule.planned(1, at: at(5))
    expectEqual(rig.schedule.nextTime, at(5))
    expectEqual(rig.arrivals(until: .milliseconds(5)), ["0@5000000 wake", "5000000 planned 1"])
    rig.schedule.wake(host: 0, at: at(9))
    rig.schedule.planned(2, at: .zero)
    expectEqual(
      rig.arrivals(until: .milliseconds(9)), ["5000000 planned 2", "0@9000000 wake", "1@9000000 wake"])
    rig.schedule.wake(host: 1, at: at(3))
    expectEqual(rig.arrivals(), ["1@9000000 wake"])
  }

  @Test("a host hears the groups that it is in, each once, and leaves one without the other")
  func groups() {
    let (first, second) = (NetworkRig.group, IPAddress(239, 1, 1, 1))
    let rig = NetworkRig(hosts: 4)
    var step: Int64 = 0
    func said() -> [String] {
      send("a", from: 0, to: first, rig)
      send("b", from: 0, to: second, rig)
      send("c", from: 0, to: IPAddress(239, 1, 1, 2), rig)
      step += 1
      return heard(rig, until: .milliseconds(step))
    }
    expectEqual(said(), [])
    for (host, group) in [(1, first), (1, first), (2, second), (3, first), (3, second)] {
      rig.network.join(group, host: host, interface: link)
    }
    rig.network.join(second, host: 1, interface: InterfaceID(1))
    expectEqual(said(), ["1 a", "3 a", "2 b", "3 b"])
    rig.network.leave(first, host: 2, interface: link)
    rig.network.leave(first, host: 3, interface: link)
    expectEqual(said(), ["1 a", "2 b", "3 b"])
    rig.network.join(first, host: 3, interface: link)
    rig.network.leave(second, host: 3, interface: link)
    expectEqual(said(), ["1 a", "3 a", "2 b"])
    rig.network.join(second, host: 3, interface: link)
    rig.network.apply(.interfaceDown(host: 3, interface: link))
    rig.network.apply(.interfaceDown(host: 3, interface: link))
    rig.network.apply(.interfaceUp(host: 3, interface: link))
    rig.network.apply(.interfaceUp(host: 3, interface: InterfaceID(1)))
    expectEqual(said(), ["3 interface down", "3 interface up", "1 a", "2 b"])
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("one address on two segments is two, and nothing goes from one segment to the other")
  func segments() {
    let rig = NetworkRig(hosts: 4) {
      $0.segments.append(SegmentPlan(name: "west"))
      for host in 0..<2 {
        let address = InterfaceAddress(NetworkRig.address(host), prefixBits: 24)
        $0.hosts[host].interfaces.append(InterfacePlan(segment: 1, addresses: [address]))
      }
      $0.hosts[3].interfaces = [
        InterfacePlan(segment: 1, addresses: [InterfaceAddress(NetworkRig.address(2), prefixBits: 24)])
      ]
    }
    rig.joinAll()
    for interface in [0, 1] as [UInt16] {
      send("group \(interface)", from: 0, interface: interface, to: NetworkRig.group, rig)
      send("two \(interface)", from: 0, interface: interface, to: NetworkRig.address(2), rig)
      send("one \(interface)", from: 0, interface: interface, to: NetworkRig.address(1), rig)
      send("three \(interface)", from: 0, interface: interface, to: NetworkRig.address(3), rig)
    }
    send("no interface", from: 0, interface: 2, to: NetworkRig.group, rig)
    send("no interface", from: 2, interface: 1, to: NetworkRig.group, rig)
    expectEqual(
      heard(rig), ["1 group 0", "2 group 0", "2 two 0", "1 one 0", "3 group 1", "3 two 1", "1 one 1"])
    var counts = NetworkStatistics()
    (counts.transmitted, counts.delivered, counts.unreachable, counts.interfaceDown) = (8, 7, 2, 2)
    expectEqual(rig.network.statistics, counts)
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("a datagram finds its address among many, and nobody is found where he was before he moved")
  func addresses() throws {
    let rig = NetworkRig(hosts: 100)
    func address(_ round: Int, _ host: Int) -> IPAddress {
      round == 0 ? NetworkRig.address(host) : IPAddress(10, UInt8(round), 0, UInt8(host))
    }
    for round in 0..<2 {
      for host in 1..<100 where round > 0 {
        rig.network.readdress(address(round, host), host: host, interface: link)
        send("old", from: 0, to: address(round - 1, host), rig)
      }
      for host in 1..<100 { send("x", from: 0, to: address(round, host), rig) }
      expectEqual(heard(rig, until: .milliseconds(Int64(round) + 1)), (1..<100).map { "\($0) x" })
    }
    expectEqual(rig.network.statistics.unreachable, 99)
    // The last one who takes an address has it; an address of the other family comes beside the first.
    let six = try #require(IPAddress("fe80::7"))
    rig.network.readdress(address(1, 2), host: 1, interface: link)
    rig.network.readdress(six, host: 3, interface: link)
    for target in [address(1, 2), address(1, 1), six, address(1, 3)] { send("y", from: 0, to: target, rig) }
    expectEqual(heard(rig), ["1 y", "3 y", "3 y"])
    expectEqual(
      rig.network.interfaces(of: 3).map(\.addresses),
      [
        [InterfaceAddress(address(1, 3), prefixBits: 24), InterfaceAddress(six, prefixBits: 64)]
      ])
  }

  @Test("the way out gets what is for nobody here, and all multicast of the others where it takes all")
  func wayOut() {
    let rig = NetworkRig(hosts: 4)
    rig.joinAll()
    var step: Int64 = 0
    func said() -> [String] {
      send("in", from: 1, to: NetworkRig.group, rig)
      send("out", from: 0, to: NetworkRig.group, rig)
      send("far", from: 1, to: IPAddress(10, 9, 9, 9), rig)
      send("near", from: 1, to: NetworkRig.address(2), rig)
      step += 1
      return heard(rig, until: .milliseconds(step)).sorted()
    }
    let near = ["1 out", "2 near", "2 out", "3 out"]
    expectEqual(said(), (near + ["0 in", "2 in", "3 in"]).sorted())
    rig.network.setWayOut(host: 0, takesAllMulticast: false)
    expectEqual(said(), (near + ["0 in", "2 in", "3 in", "0 far"]).sorted())
    rig.network.setWayOut(host: 0, takesAllMulticast: true)
    expectEqual(said(), ["0 far", "0 in"] + near)
    rig.network.apply(.partition(number: 1, from: [1], to: [0]))
    expectEqual(said(), near)
    rig.network.apply(.healPartition(number: 1))
    rig.network.leave(NetworkRig.group, host: 0, interface: link)
    expectEqual(said(), ["0 far"] + near)
    let counts = rig.network.statistics
    expectEqual([counts.unreachable, counts.partitioned, counts.transmitted, counts.delivered], [1, 2, 20, 30])
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("hundreds of datagrams under way to one group arrive once each, and faster ones overtake them")
  func manyUnderWay() {
    let rig = NetworkRig(hosts: 3, inbound: LinkRule(latency: .constant(.milliseconds(100))))
    rig.joinAll()
    var lines: [String] = []
    for number in 0..<300 {
      lines += rig.arrivals(until: .milliseconds(Int64(number)))
      if number == 150 {
        let faster = LinkRule(latency: .constant(.milliseconds(10)))
        for host in 0..<3 { rig.network.apply(.link(host: host, interface: link, outbound: false, rule: faster)) }
      }
      send("\(number)", from: 0, to: NetworkRig.group, rig)
    }
    lines += rig.arrivals()
    let order = (0..<300).map { (time: $0 + ($0 < 150 ? 100 : 10), number: $0) }
      .sorted { ($0.time, $0.number) < ($1.time, $1.number) }
    expectEqual(lines, order.flatMap { one in [1, 2].map { "\($0)@\(one.time * 1_000_000) \(one.number)" } })
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("what waits in a socket buffer is read, though the host has left the group meanwhile")
  func buffered() {
    let rig = NetworkRig(hosts: 2) {
      $0.hosts[1].receiveBuffer = ReceiveBuffer(bytesMaximum: 2, serviceTime: .milliseconds(10))
    }
    rig.joinAll()
    for text in ["a", "b", "c"] { send(text, from: 0, to: NetworkRig.group, rig) }
    expectEqual(rig.arrivals(until: .milliseconds(5)), [])
    rig.network.leave(NetworkRig.group, host: 1, interface: link)
    send("d", from: 0, to: NetworkRig.group, rig)
    expectEqual(rig.arrivals(), ["1@10000000 a", "1@20000000 b"])
    expectEqual(rig.network.statistics.bufferOverflows, 1)
  }

  // MARK: - Memberships

  /// `nanoseconds source > destination type`, as a watched host sends and hears them.
  private func frames(_ rig: NetworkRig) -> [String] {
    rig.network.membershipFrames.map { "\($0.time.nanoseconds) \($0.source) > \($0.destination) \($0.message[0])" }
  }

  @Test("a host reports each group twice and whenever it is asked, leaves with a word, and speaks from its address")
  func reports() throws {
    let (own, new) = (try #require(IPAddress("fe80::1:1")), try #require(IPAddress("fe80::2:2")))
    let rig = NetworkRig(hosts: 2, segment: SegmentPlan(name: "lan", querierInterval: .seconds(100))) {
      $0.hosts[0].interfaces[0].addresses.append(InterfaceAddress(own, prefixBits: 64))
    }
    rig.network.watchMembership(of: 0)
    rig.joinAll()
    rig.network.join(.ssdpGroup6, host: 0, interface: link)
    expectEqual(rig.arrivals(until: .seconds(150)), [])
    rig.network.leave(NetworkRig.group, host: 0, interface: link)
    expectEqual(rig.arrivals(until: .seconds(160)), [])
    rig.network.readdress(new, host: 0, interface: link)
    expectEqual(rig.arrivals(until: .seconds(215)), [])
    expectEqual(
      frames(rig),
      [
        "0 10.0.0.1 > 239.255.255.250 22", "0 fe80::1:1 > ff02::c 131", "0 0.0.0.0 > 224.0.0.1 17",
        "0 fe80::1 > ff02::1 130", "3968020198 10.0.0.1 > 239.255.255.250 22",
        "6790395181 10.0.0.1 > 239.255.255.250 22", "7516005553 fe80::1:1 > ff02::c 131",
        "8622294219 fe80::1:1 > ff02::c 131", "100000000000 0.0.0.0 > 224.0.0.1 17",
        "100000000000 fe80::1 > ff02::1 130", "101053082613 fe80::1:1 > ff02::c 131",
        "107871125868 10.0.0.1 > 239.255.255.250 22", "150000000000 10.0.0.1 > 224.0.0.2 23",
        "200000000000 fe80::1 > ff02::1 130", "203127253556 fe80::2:2 > ff02::c 131",
      ])
  }

  @Test("a querier that changes its rhythm begins it at once, forgets the former, and comes back when all is mended")
  func querier() {
    let rig = NetworkRig(hosts: 1, segment: SegmentPlan(name: "lan", querierInterval: .seconds(100)))
    rig.network.watchMembership(of: 0)
    rig.joinAll()
    func run(to seconds: Int64, then fault: Fault?) {
      _ = rig.arrivals(until: .seconds(seconds))
      if let fault { rig.network.apply(fault) }
    }
    run(to: 30, then: .querier(segment: 0, interval: .seconds(50)))
    run(to: 140, then: .querier(segment: 0, interval: nil))
    run(to: 200, then: .querier(segment: 0, interval: .seconds(60)))
    run(to: 290, then: .querier(segment: 0, interval: nil))
    run(to: 320, then: .healEverything)
    run(to: 450, then: .healEverything)
    run(to: 530, then: nil)
    let asked = rig.network.membershipFrames.filter { $0.message[0] == 17 }.map { $0.time.nanoseconds / 1_000_000_000 }
    expectEqual(asked, [0, 30, 80, 130, 200, 260, 320, 420, 520])
  }

  @Test("a snooping switch forwards from the report on that it heard, up to the last nanosecond of its time")
  func snooping() throws {
    let segment = SegmentPlan(name: "lan", snooping: true, membershipTimeout: .seconds(20))
    let rig = NetworkRig(hosts: 3, segment: segment) {
      $0.hosts[1].interfaces[0].outbound.latency = .constant(.seconds(1))
      $0.hosts[2].interfaces[0].outbound.loss = .uniform(.always)
    }
    rig.network.watchMembership(of: 1)
    for host in [1, 2] { rig.network.join(NetworkRig.group, host: host, interface: link) }
    /// Sends at this moment; who hears it before the next.
    func said(at time: Interval) -> [String] {
      var lines = rig.arrivals(until: time)
      send("x", from: 0, to: NetworkRig.group, rig)
      lines += rig.arrivals(until: time)
      return lines.map { String($0.prefix { $0 != "@" }) }
    }
    expectEqual(said(at: .nanoseconds(999_999_999)), [])
    expectEqual(said(at: .seconds(1)), ["1"])
    _ = rig.arrivals(until: .seconds(12))
    let last = try #require(rig.network.membershipFrames.last).time.nanoseconds
    expectEqual(rig.network.membershipFrames.count, 2)
    let end = Interval(nanoseconds: last) + .seconds(21)
    expectEqual(said(at: end), ["1"])
    expectEqual(said(at: end + .nanoseconds(1)), [])
    // It leaves and joins: the leave is heard before the report, and both a second later.
    _ = rig.arrivals(until: .seconds(40))
    rig.network.leave(NetworkRig.group, host: 1, interface: link)
    rig.network.join(NetworkRig.group, host: 1, interface: link)
    expectEqual(said(at: .milliseconds(40_500)), [])
    expectEqual(said(at: .seconds(41)), ["1"])
    expectEqual(rig.network.statistics.notForwarded, 9)
    expectEqual(rig.payloads.liveCount, 0)
  }
}
