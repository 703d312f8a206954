import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// The first moment of a run, the first host of a plan, and questions that nobody hears.
@Suite("First and lost things of the network")
struct NetworkMomentsTests {
  private let link = InterfaceID(0)
  private let bytes = Array("x".utf8)

  @Test(
    "what a link doubles arrives twice on each link that doubles it, at the first moment of a run as at any other",
    arguments: [0, 1, 5_000] as [Int64])
  func copies(milliseconds: Int64) {
    let cases: [(outbound: Bool, inbound: Bool, unicast: [Int], multicast: [Int])] = [
      (false, false, [1], [1, 2]), (true, false, [1, 1], [1, 2, 1, 2]), (false, true, [1, 1], [1, 1, 2, 2]),
      (true, true, [1, 1, 1, 1], [1, 1, 2, 2, 1, 1, 2, 2]),
    ]
    for one in cases {
      for isMulticast in [false, true] {
        let rig = NetworkRig(
          hosts: 3, outbound: LinkRule(duplicate: one.outbound ? .always : .never),
          inbound: LinkRule(duplicate: one.inbound ? .always : .never))
        rig.joinAll()
        expectEqual(rig.arrivals(until: .milliseconds(milliseconds)), [])
        rig.send(bytes, from: 0, to: isMulticast ? NetworkRig.group : NetworkRig.address(1))
        let hosts = isMulticast ? one.multicast : one.unicast
        let lines = rig.arrivals(until: .milliseconds(milliseconds))
        expectEqual(lines, hosts.map { "\($0)@\(milliseconds * 1_000_000) x" }, "\(one)")
        var counts = NetworkStatistics()
        (counts.transmitted, counts.delivered) = (1, hosts.count)
        let receivers = isMulticast ? 2 : 1
        if one.outbound { counts.duplicated += 1 }
        if one.inbound { counts.duplicated += one.outbound ? 2 * receivers : receivers }
        expectEqual(rig.network.statistics, counts, "\(one)")
        expectEqual(rig.payloads.liveCount, 0)
      }
    }
  }

  @Test("a query that is lost on the way to a host is neither heard nor answered there; it is lost as multicast is")
  func lostQueries() {
    let cases: [(rule: LinkRule, heard: Int)] = [
      (LinkRule(), 3), (LinkRule(loss: .uniform(.always)), 0), (LinkRule(multicastLoss: .uniform(.always)), 0),
      (LinkRule(loss: .uniform(.always), multicastLoss: Loss.none), 3),
    ]
    for one in cases {
      let rig = NetworkRig(hosts: 2, segment: SegmentPlan(name: "lan", querierInterval: .seconds(100))) {
        let own = IPAddress(v6High: 0xFE80 << 48, low: 0x1_0001)
        $0.hosts[0].interfaces[0].addresses.append(InterfaceAddress(own, prefixBits: 64))
        $0.hosts[0].interfaces[0].inbound = one.rule
      }
      rig.network.watchMembership(of: 0)
      rig.joinAll()
      rig.network.join(.ssdpGroup6, host: 0, interface: link)
      expectEqual(rig.arrivals(until: .seconds(250)), [])
      // IGMP: 17 asks and 22 reports; MLD: 130 and 131. It reports each group twice unasked, and once for each query.
      var types: [UInt8] = []
      for (query, report) in [(17, 22), (130, 131)] as [(UInt8, UInt8)] {
        types += Array(repeating: query, count: one.heard) + Array(repeating: report, count: 2 + one.heard)
      }
      expectEqual(rig.network.membershipFrames.map { $0.message[0] }.sorted(), types.sorted(), "\(one.rule)")
    }
  }

  @Test("a snooping switch forgets a host that hears no query, and forwards to it again once one was answered")
  func forgotten() {
    for isLossy in [false, true] {
      let segment = SegmentPlan(
        name: "lan", snooping: true, querierInterval: .seconds(100), membershipTimeout: .seconds(150))
      let rig = NetworkRig(hosts: 2, segment: segment)
      if isLossy {
        let rule = LinkRule(multicastLoss: .uniform(.always))
        rig.network.apply(.link(host: 1, interface: link, outbound: false, rule: rule))
      }
      rig.network.join(NetworkRig.group, host: 1, interface: link)
      var lines = rig.arrivals(until: .seconds(310))
      rig.network.apply(.link(host: 1, interface: link, outbound: false, rule: nil))
      rig.send(bytes, from: 0, to: NetworkRig.group)
      lines += rig.arrivals(until: .seconds(411))
      rig.send(bytes, from: 0, to: NetworkRig.group)
      lines += rig.arrivals(until: .seconds(412))
      expectEqual(lines, (isLossy ? [] : ["1@310000000000 x"]) + ["1@411000000000 x"])
      expectEqual(rig.network.statistics.notForwarded, (isLossy ? 1 : 0))
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("a host that moves away from an address leaves it to the host that took it meanwhile")
  func taken() {
    let rig = NetworkRig(hosts: 3)
    let address = NetworkRig.address(0)
    rig.network.readdress(address, host: 2, interface: link)
    rig.network.readdress(IPAddress(10, 0, 0, 99), host: 0, interface: link)
    for target in [address, IPAddress(10, 0, 0, 99)] { rig.send(bytes, from: 1, to: target) }
    expectEqual(rig.arrivals(until: .milliseconds(1)).map { String($0.prefix(1)) }, ["2", "0"])
    expectEqual(rig.network.statistics.unreachable, 0)
  }

  @Test("the first host of a plan moves as any other does: nobody is found where it was until another comes there")
  func firstHost() {
    let rig = NetworkRig(hosts: 3)
    let (old, new, other) = (NetworkRig.address(0), IPAddress(10, 0, 0, 99), NetworkRig.address(2))
    var step: Int64 = 0
    /// Who hears what is sent to the three addresses.
    func found() -> [String] {
      for target in [old, new, other] { rig.send(bytes, from: 1, to: target) }
      step += 1
      return rig.arrivals(until: .milliseconds(step)).map { String($0.prefix(1)) }
    }
    expectEqual(found(), ["0", "2"])
    rig.network.readdress(new, host: 0, interface: link)
    expectEqual(found(), ["0", "2"])
    expectEqual(rig.network.statistics.unreachable, 2)
    rig.network.readdress(old, host: 2, interface: link)
    expectEqual(found(), ["2", "0"])
    rig.network.readdress(other, host: 0, interface: link)
    expectEqual(found(), ["2", "0"])
    rig.network.readdress(IPAddress(10, 0, 0, 98), host: 0, interface: link)
    expectEqual(found(), ["2"])
    expectEqual(rig.network.statistics.unreachable, 6)
  }

  @Test("addresses that share their bits, a half of them or their segment are found apart, and removed apart")
  func alike() {
    var table = AddressTable()
    var keys: [(address: IPAddress, segment: Int32)] = []
    for low in 0..<12 as Range<UInt64> {
      for segment in [0, 1, 32_767] as [Int32] {
        keys.append((IPAddress(v4: UInt32(low)), segment))
        for high in [0, 1, 0xFE80 << 48] as [UInt64] { keys.append((IPAddress(v6High: high, low: low), segment)) }
      }
    }
    var expected: [Int?] = []
    for (number, key) in keys.enumerated() {
      expectEqual(table.port(of: key.address, on: key.segment), nil)
      table.insert(key.address, on: key.segment, port: number)
      expected.append(number)
    }
    expectEqual(keys.map { table.port(of: $0.address, on: $0.segment) }, expected)
    // Every second one goes, with the owner that has the number 0; then every third has another owner.
    for number in stride(from: 0, to: keys.count, by: 2) {
      table.remove(keys[number].address, on: keys[number].segment)
      expected[number] = nil
    }
    expectEqual(keys.map { table.port(of: $0.address, on: $0.segment) }, expected)
    for number in stride(from: 0, to: keys.count, by: 3) {
      table.insert(keys[number].address, on: keys[number].segment, port: 1_000 + number)
      expected[number] = 1_000 + number
    }
    expectEqual(keys.map { table.port(of: $0.address, on: $0.segment) }, expected)
  }
}
