import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

/// What the stack of a host does, and what switch and querier make of it.
@Suite("Stack, switch and querier")
struct NetworkStackTests {
  private let link = InterfaceID(0)
  private let bytes = Array("x".utf8)

  @Test("a wake that was asked for twice comes once, one that is asked for anew comes last, and never is not at all")
  func wakes() {
    let rig = NetworkRig(hosts: 2)
    let moment = Instant.zero + .milliseconds(5)
    rig.schedule.wake(host: 0, at: .never)
    expectEqual(rig.schedule.nextTime, nil)
    rig.schedule.wake(host: 0, at: moment)
    rig.schedule.wake(host: 0, at: moment)
    rig.schedule.planned(1, at: moment)
    rig.schedule.wake(host: 1, at: moment)
    guard case .wake(let host)? = rig.nextEvent(until: moment) else {
      Issue.record("nobody was woken")
      return
    }
    expectEqual(host, 0)
    // It is woken, and wants to be woken at the same moment again: after all that was to come then.
    rig.schedule.wake(host: 0, at: moment)
    rig.schedule.planned(2, at: moment)
    expectEqual(
      rig.arrivals(),
      [
        "5000000 planned 1", "1@5000000 wake", "0@5000000 wake", "5000000 planned 2",
      ])
    expectEqual(rig.schedule.nextTime, nil)
  }

  @Test("a datagram that does not leave its host is let go, whatever stopped it, and counted where it was stopped")
  func unsent() {
    func outbound(_ rule: LinkRule) -> Fault { .link(host: 0, interface: link, outbound: true, rule: rule) }
    var (down, lost, overflow) = (NetworkStatistics(), NetworkStatistics(), NetworkStatistics())
    down.interfaceDown = 1
    (lost.transmitted, lost.lost) = (1, 1)
    (overflow.transmitted, overflow.queueOverflows) = (1, 1)
    let cases: [(fault: Fault, lines: [String], counts: NetworkStatistics)] = [
      (.refuseMulticastSends(host: 0, true), ["0@0 refused send"], NetworkStatistics()),
      (.interfaceDown(host: 0, interface: link), ["0@0 interface down"], down),
      (outbound(LinkRule(loss: .uniform(.always))), [], lost),
      (outbound(LinkRule(bandwidth: 1_000, queueBytesMaximum: 10)), [], overflow),
    ]
    for one in cases {
      let rig = NetworkRig(hosts: 2)
      rig.joinAll()
      rig.network.apply(one.fault)
      rig.send(bytes, from: 0, to: NetworkRig.group)
      expectEqual(rig.arrivals(), one.lines, "\(one.fault)")
      expectEqual(rig.network.statistics, one.counts, "\(one.fault)")
      expectEqual(rig.payloads.liveCount, 0, "\(one.fault)")
    }
  }

  @Test("a leave that the next join overtakes closes the port, but not for a multicast that has left the switch")
  func lateLeave() {
    let late = LinkRule(latency: .constant(.milliseconds(3)))
    for isSnooping in [true, false] {
      let rig = NetworkRig(
        hosts: 3, segment: SegmentPlan(name: "lan", snooping: isSnooping),
        inbound: LinkRule(latency: .constant(.milliseconds(10))))
      rig.joinAll()
      expectEqual(rig.arrivals(until: .milliseconds(20_000)), [])
      // The leave takes 3 ms; the report of the next join takes no time.
      rig.network.apply(.link(host: 1, interface: link, outbound: true, rule: late))
      rig.network.leave(NetworkRig.group, host: 1, interface: link)
      rig.network.apply(.link(host: 1, interface: link, outbound: true, rule: nil))
      rig.network.join(NetworkRig.group, host: 1, interface: link)
      var lines: [String] = []
      for (milliseconds, text) in [(20_001, "before"), (20_004, "after")] as [(Int64, String)] {
        lines += rig.arrivals(until: .milliseconds(milliseconds))
        rig.send(Array(text.utf8), from: 0, to: NetworkRig.group)
      }
      lines += rig.arrivals(until: .milliseconds(20_015))
      // All hear at the same moment, in whatever order.
      var expected = ["1@20011000000 before", "2@20011000000 before", "2@20014000000 after"]
      if !isSnooping { expected.append("1@20014000000 after") }
      expectEqual(lines.sorted(), expected.sorted())
      var counts = NetworkStatistics()
      (counts.transmitted, counts.delivered, counts.notForwarded) = (2, isSnooping ? 3 : 4, isSnooping ? 1 : 0)
      expectEqual(rig.network.statistics, counts)
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  /// What a host says and hears about its memberships, by the first byte of each message: 17 asks, 22 reports.
  private func messages(_ rig: NetworkRig) -> [UInt8] { rig.network.membershipFrames.map { $0.message[0] }.sorted() }

  @Test("a querier asks the hosts of its own segment, and not those of another")
  func queriersApart() {
    let asked = Array(repeating: UInt8(17), count: 3) + Array(repeating: 22, count: 5)
    for (watched, expected) in [(0, asked), (1, [22, 22])] as [(Int, [UInt8])] {
      let rig = NetworkRig(hosts: 2, segment: SegmentPlan(name: "lan", querierInterval: .seconds(100))) {
        $0.segments.append(SegmentPlan(name: "quiet"))
        $0.hosts[1].interfaces[0].segment = 1
      }
      rig.network.watchMembership(of: watched)
      rig.joinAll()
      expectEqual(rig.arrivals(until: .seconds(250)), [])
      expectEqual(messages(rig), expected, "host \(watched)")
    }
  }

  @Test("a query that fits into one packet is lost no more often where packets are small than where they are large")
  func queriesInOnePiece() {
    func frames(mtu: Int) -> [MembershipFrame] {
      let rig = NetworkRig(
        hosts: 1, segment: SegmentPlan(name: "lan", querierInterval: .seconds(100)),
        inbound: LinkRule(loss: .uniform(.percent(50)), mtu: mtu))
      rig.network.watchMembership(of: 0)
      rig.joinAll()
      expectEqual(rig.arrivals(until: .seconds(5_990)), [])
      return rig.network.membershipFrames
    }
    let plain = frames(mtu: 1_500)
    expectEqual(frames(mtu: 40), plain)
    // Sixty are asked; each that is heard is answered, beside the two reports unasked.
    let heard = plain.count { $0.message[0] == 17 }
    #expect((10...50).contains(heard) && plain.count == 2 * heard + 2)
  }

  @Test("an address of another family comes beside the first, with the prefix that its family has on a LAN")
  func anotherFamily() {
    let (four, six) = (IPAddress(10, 0, 0, 99), IPAddress(v6High: 0xFE80 << 48, low: 0x1_0001))
    let (entry4, entry6) = (InterfaceAddress(four, prefixBits: 24), InterfaceAddress(six, prefixBits: 64))
    let cases: [(planned: [InterfaceAddress], new: IPAddress, addresses: [InterfaceAddress])] = [
      ([entry6], four, [entry6, entry4]), ([entry4], six, [entry4, entry6]), ([], four, [entry4]), ([], six, [entry6]),
      ([InterfaceAddress(NetworkRig.address(0), prefixBits: 8)], four, [InterfaceAddress(four, prefixBits: 8)]),
    ]
    for one in cases {
      let rig = NetworkRig(hosts: 2) { $0.hosts[0].interfaces[0].addresses = one.planned }
      rig.network.readdress(one.new, host: 0, interface: link)
      let expected = [InterfaceChange(interface: link, isUp: true, addresses: one.addresses)]
      expectEqual(rig.network.interfaces(of: 0), expected)
      for address in one.addresses { rig.send(bytes, from: 1, to: address.address) }
      expectEqual(rig.arrivals(), one.addresses.map { _ in "0@0 x" })
    }
  }
}
