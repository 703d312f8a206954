import RollcallExpectations
import RollcallPrimitives
import RollcallTrace
import Testing

@testable import RollcallSimulation

@Suite("The virtual network")
struct NetworkTests {
  let bytes = Array("x".utf8)

  @Test("a multicast reaches those who joined, and not its sender")
  func multicast() {
    let rig = NetworkRig(hosts: 4)
    for host in [0, 1, 3] { rig.network.join(NetworkRig.group, host: host, interface: InterfaceID(0)) }
    rig.send(bytes, from: 0, to: NetworkRig.group)
    expectEqual(rig.arrivals(), ["1@0 x", "3@0 x"])
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("a unicast reaches its address, after both links' latency, and needs no membership")
  func unicast() {
    let rig = NetworkRig(
      hosts: 3, outbound: LinkRule(latency: .constant(.microseconds(3))),
      inbound: LinkRule(latency: .constant(.microseconds(4))))
    rig.send(bytes, from: 0, to: NetworkRig.address(2))
    rig.send(bytes, from: 0, to: IPAddress(10, 9, 9, 9))
    expectEqual(rig.arrivals(), ["2@7000 x"])
    expectEqual(rig.network.statistics.unreachable, 1)
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("members with equal constant latency hear at once, members with jitter each at their own moment")
  func jitter() {
    let even = NetworkRig(hosts: 4, inbound: LinkRule(latency: .constant(.microseconds(9))))
    even.joinAll()
    even.send(bytes, from: 0, to: NetworkRig.group)
    expectEqual(even.arrivals(), ["1@9000 x", "2@9000 x", "3@9000 x"])
    let uneven = NetworkRig(hosts: 4, inbound: LinkRule(latency: .uniform(.zero ... .milliseconds(9))))
    uneven.joinAll()
    uneven.send(bytes, from: 0, to: NetworkRig.group)
    let times = uneven.arrivals().map { $0.split(separator: "@")[1] }
    expectEqual(Set(times).count, 3)
    expectEqual(uneven.payloads.liveCount, 0)
  }

  @Test("a fault with chance 0 draws nothing: the run is the run without it")
  func nothing() {
    let latency = LinkRule(latency: .uniform(.zero ... .milliseconds(9)))
    var none = latency
    none.loss = .uniform(.never)
    none.multicastLoss = .gilbertElliott(goodToBad: .never, badToGood: .always, inGood: .never, inBad: .always)
    none.duplicate = .never
    none.corrupt = Ratio(0, in: 7)
    func run(_ rule: LinkRule) -> [String] {
      let rig = NetworkRig(hosts: 5, inbound: rule)
      rig.joinAll()
      for _ in 0..<20 { rig.send(bytes, from: 0, to: NetworkRig.group) }
      return rig.arrivals()
    }
    expectEqual(run(latency), run(none))
  }

  @Test("a newcomer changes nobody's draw")
  func newcomer() {
    func run(_ hosts: Int) -> [String] {
      let rig = NetworkRig(
        hosts: hosts, inbound: LinkRule(latency: .uniform(.zero ... .milliseconds(9)), loss: .uniform(.percent(30))))
      rig.joinAll()
      for _ in 0..<20 { rig.send(bytes, from: 0, to: NetworkRig.group) }
      return rig.arrivals().filter { !$0.hasPrefix("4@") }
    }
    expectEqual(run(4), run(5))
  }

  @Test("a one-way partition stops one way, and heals")
  func partition() {
    let rig = NetworkRig(hosts: 3)
    rig.joinAll()
    rig.network.apply(.partition(number: 1, from: [0], to: [1]))
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    rig.send(bytes, from: 1, to: NetworkRig.address(0))
    expectEqual(rig.arrivals(), ["2@0 x", "0@0 x"])
    rig.network.apply(.healPartition(number: 1))
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    expectEqual(rig.arrivals(until: .seconds(2)), ["1@1000000000 x"])
  }

  @Test("an interface that is down neither sends nor hears, and forgets its groups")
  func interfaceDown() {
    let rig = NetworkRig(hosts: 2)
    rig.joinAll()
    rig.network.apply(.interfaceDown(host: 1, interface: InterfaceID(0)))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    rig.send(bytes, from: 1, to: NetworkRig.address(0))
    expectEqual(rig.arrivals(), ["1@0 interface down"])
    rig.network.apply(.interfaceUp(host: 1, interface: InterfaceID(0)))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    expectEqual(rig.arrivals(until: .seconds(2)), ["1@1000000000 interface up", "1@1000000000 x"])
  }

  @Test("a host with another address is told of it, is reached there alone, and stays in its groups")
  func readdressed() {
    let rig = NetworkRig(hosts: 2)
    let (link, other) = (InterfaceID(0), IPAddress(10, 9, 0, 7))
    rig.joinAll()
    rig.network.apply(.readdress(host: 1, interface: link, address: other))
    for address in [NetworkRig.address(1), other, NetworkRig.group] { rig.send(bytes, from: 0, to: address) }
    expectEqual(rig.arrivals(), ["1@0 interface up", "1@0 x", "1@0 x"])
    expectEqual(
      rig.network.interfaces(of: 1),
      [InterfaceChange(interface: link, isUp: true, addresses: [InterfaceAddress(other, prefixBits: 24)])])
    // One that is down is told when it comes up, and one that is not there is nobody's.
    rig.network.apply(.interfaceDown(host: 1, interface: link))
    rig.network.apply(.readdress(host: 1, interface: link, address: NetworkRig.address(1)))
    rig.network.apply(.readdress(host: 1, interface: InterfaceID(9), address: other))
    expectEqual(rig.arrivals(until: .seconds(2)), ["1@1000000000 interface down"])
    rig.network.apply(.interfaceUp(host: 1, interface: link))
    for address in [NetworkRig.address(1), other] { rig.send(bytes, from: 0, to: address) }
    expectEqual(rig.arrivals(until: .seconds(3)), ["1@2000000000 interface up", "1@2000000000 x"])
    // Another program of the host has the address of that one.
    let both = NetworkRig(hosts: 3) { plan in
      plan.hosts[2].interfaces = plan.hosts[1].interfaces
      plan.hosts[2].beside = 1
    }
    both.network.readdress(other, host: 1, interface: link)
    expectEqual(both.arrivals(), ["2@0 interface up"])
    expectEqual(
      both.network.interfaces(of: 2),
      [InterfaceChange(interface: link, isUp: true, addresses: [InterfaceAddress(other, prefixBits: 24)])])
    expectEqual(both.network.hostsBeside(1, on: link), [2])
  }

  @Test("a refused join and a refused send come back as refusals")
  func refusals() {
    let rig = NetworkRig(hosts: 2) {
      $0.hosts[0].refusesJoins = true
      $0.hosts[0].refusesMulticastSends = true
    }
    rig.joinAll()
    rig.send(bytes, from: 0, to: NetworkRig.group)
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    expectEqual(rig.arrivals(), ["0@0 refused join", "0@0 refused send", "1@0 x"])
  }

  @Test("a slow link queues, and drops what does not fit in its queue")
  func bandwidth() {
    // 100 bytes of payload are 128 on the wire: 1.024 ms at 1 Mbit/s.
    let slow = LinkRule(bandwidth: 1_000_000, queueBytesMaximum: 300)
    let rig = NetworkRig(hosts: 2, outbound: slow)
    for _ in 0..<4 { rig.send(Array(repeating: 65, count: 100), from: 0, to: NetworkRig.address(1)) }
    let times = rig.arrivals().map { $0.split(separator: " ")[0] }
    expectEqual(times, ["1@1024000", "1@2048000"])
    expectEqual(rig.network.statistics.queueOverflows, 2)
  }

  @Test("a receive buffer overflows when too much comes at once, and delivers the rest as fast as it is read")
  func receiveBuffer() {
    let rig = NetworkRig(hosts: 2) {
      $0.hosts[1].receiveBuffer = ReceiveBuffer(bytesMaximum: 3, serviceTime: .milliseconds(1))
    }
    for _ in 0..<5 { rig.send(bytes, from: 0, to: NetworkRig.address(1)) }
    expectEqual(rig.arrivals(), ["1@1000000 x", "1@2000000 x", "1@3000000 x"])
    expectEqual(rig.network.statistics.bufferOverflows, 2)
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("each fragment of a large datagram can be lost")
  func fragments() {
    func arrived(_ size: Int) -> Int {
      let rig = NetworkRig(hosts: 2, outbound: LinkRule(loss: .uniform(.percent(20)), mtu: 500))
      for _ in 0..<1_000 { rig.send(Array(repeating: 65, count: size), from: 0, to: NetworkRig.address(1)) }
      return rig.arrivals().count
    }
    let (whole, threeParts) = (arrived(300), arrived(1_200))
    // 0.8 and 0.8³, with four standard deviations of room.
    #expect((749...851).contains(whole) && (448...576).contains(threeParts))
  }

  @Test("a corrupted datagram arrives with exactly one byte changed")
  func corruption() {
    let rig = NetworkRig(hosts: 2, inbound: LinkRule(corrupt: .always))
    rig.send(Array("abcdef".utf8), from: 0, to: NetworkRig.address(1))
    var bytes: [UInt8] = []
    while let event = rig.nextEvent(until: .zero) {
      if case .datagram(let datagram, _) = event { bytes = rig.payloads.array(of: datagram.payload) }
    }
    expectEqual(zip(bytes, "abcdef".utf8).filter { $0 != $1 }.count, 1)
    expectEqual(rig.arrivals(), [])
    expectEqual(rig.payloads.liveCount, 0)
  }

  @Test("a host hears its own multicast on its other interface, and not on the one that sent it")
  func otherInterface() {
    let rig = NetworkRig(hosts: 2) { plan in
      var second = plan.hosts[0].interfaces[0]
      second.addresses = [InterfaceAddress(NetworkRig.address(9), prefixBits: 24)]
      plan.hosts[0].interfaces.append(second)
    }
    rig.joinAll()
    rig.network.join(NetworkRig.group, host: 0, interface: InterfaceID(1))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    expectEqual(rig.arrivals(until: .zero).sorted(), ["0@0 x", "1@0 x"])
    expectEqual(rig.network.statistics.delivered, 2)
  }

  @Test("a datagram keeps the mark that it was sent with, and has that of its own bytes where a link changed one")
  func marks() {
    for (outbound, inbound) in [(false, false), (true, false), (false, true)] {
      for isMulticast in [false, true] {
        let rig = NetworkRig(
          hosts: 3, outbound: LinkRule(duplicate: .always, corrupt: outbound ? .always : .never),
          inbound: LinkRule(duplicate: inbound ? .always : .never, corrupt: inbound ? .always : .never))
        rig.joinAll()
        rig.send(Array("abcdef".utf8), from: 0, to: isMulticast ? NetworkRig.group : NetworkRig.address(1))
        var found: [UInt64] = []
        var expected: [UInt64] = []
        while rig.nextEvent(until: .zero) != nil {
          found.append(rig.delivery.mark)
          // The rig sends with the mark 0.
          expected.append(outbound || inbound ? Gate.mark(of: rig.delivery.datagram, in: rig.payloads) : 0)
        }
        expectEqual(found, expected, "\(outbound) \(inbound) \(isMulticast)")
        // Two copies; where they come to each receiver by itself, two of each.
        expectEqual(found.count, inbound ? isMulticast ? 8 : 4 : 2, "\(outbound) \(inbound) \(isMulticast)")
      }
    }
  }

  @Test("what would arrive beyond the end of all time never arrives, and no clock goes back for it")
  func endless() {
    let forever = Interval(nanoseconds: .max)
    let (constant, drawn) = (LinkRule(latency: .constant(forever)), LinkRule(latency: .uniform(forever...forever)))
    let cases: [(outbound: LinkRule, inbound: LinkRule, service: Interval?)] = [
      (constant, LinkRule(), nil), (LinkRule(), constant, nil), (drawn, LinkRule(), nil), (LinkRule(), drawn, nil),
      (LinkRule(), LinkRule(), forever),
    ]
    for one in cases {
      let rig = NetworkRig(hosts: 2, outbound: one.outbound, inbound: one.inbound) { plan in
        if let time = one.service {
          plan.hosts[1].receiveBuffer = ReceiveBuffer(bytesMaximum: 9, serviceTime: time)
        }
      }
      rig.joinAll()
      expectEqual(rig.arrivals(until: .seconds(1)), [])
      for destination in [NetworkRig.address(1), NetworkRig.group] { rig.send(bytes, from: 0, to: destination) }
      expectEqual(rig.arrivals(until: .seconds(20)), [])
      expectEqual(rig.schedule.now, Instant.zero + .seconds(20))
    }
  }

  @Test("a snooping switch without a querier forgets its members: multicast dies while unicast lives")
  func snooping() {
    let segment = SegmentPlan(name: "lan", snooping: true, querierInterval: .seconds(125))
    let rig = NetworkRig(hosts: 2, segment: segment)
    rig.joinAll()
    _ = rig.arrivals(until: .seconds(1_000))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    expectEqual(rig.arrivals(until: .seconds(1_001)).map { $0.hasSuffix("x") }, [true])
    rig.network.apply(.querier(segment: 0, interval: nil))
    _ = rig.arrivals(until: .seconds(1_400))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    expectEqual(rig.arrivals(until: .seconds(1_401)), ["1@1400000000000 x"])
    expectEqual(rig.network.statistics.notForwarded, 1)
  }

  @Test("the second act heals everything")
  func heal() {
    let rig = NetworkRig(hosts: 2, outbound: LinkRule(loss: .uniform(.always)))
    rig.network.apply(.interfaceDown(host: 1, interface: InterfaceID(0)))
    rig.network.apply(.partition(number: 3, from: [0], to: [1]))
    _ = rig.arrivals()
    rig.network.apply(.healEverything)
    rig.send(bytes, from: 0, to: NetworkRig.address(1))
    expectEqual(rig.arrivals(until: .seconds(2)), ["1@1000000000 interface up", "1@1000000000 x"])
  }
}
