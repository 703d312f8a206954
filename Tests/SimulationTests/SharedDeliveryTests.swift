import RollcallExpectations
import RollcallPrimitives
import RollcallSimulation
import Testing

/// A multicast to a group: one event for all members that hear at the same moment, or one for each. What is heard and
/// what is counted is the same.
@Suite("One event for many members, and one for each")
struct SharedDeliveryTests {
  private let link = InterfaceID(0)
  private let bytes = Array("x".utf8)
  /// By then all that hosts say about their memberships unasked is said.
  private let start = Interval.seconds(20)
  private let even = LinkRule(latency: .constant(.milliseconds(10)))

  private func join(_ hosts: [Int], _ rig: NetworkRig) {
    for host in hosts { rig.network.join(NetworkRig.group, host: host, interface: link) }
  }

  private func leave(_ hosts: [Int], _ rig: NetworkRig) {
    for host in hosts { rig.network.leave(NetworkRig.group, host: host, interface: link) }
  }

  /// The events until `end`, a line each: whom it serves, `alone` or `together`.
  private func events(_ rig: NetworkRig, until end: Interval) -> [String] {
    var lines: [String] = []
    while let event = rig.nextEvent(until: .zero + end) {
      switch event {
      case .datagram(_, let host): lines.append("alone \(host)")
      case .multicast(_, let receivers, let sender):
        let hosts = receivers.filter { $0 != sender }.map { " \($0.host)" }
        lines.append("together" + hosts.joined())
      default: lines.append("something else")
      }
    }
    return lines
  }

  @Test("one event serves members that hear at the same moment, be it one or many, also when one unlike them has left")
  func together() {
    let each = [1, 2, 3, 4].map { "alone \($0)" }
    let steps: [(joins: [Int], leaves: [Int], events: [String])] = [
      ([], [], []), ([1], [], ["together 1"]), ([2, 3], [], ["together 1 2 3"]), ([4], [], each),
      ([], [4], ["together 1 2 3"]), ([0], [], ["together 1 2 3"]), ([4], [], each), ([], [4, 1, 2, 3], []),
      ([], [0], []), ([2], [], ["together 2"]), ([0], [2], []), ([3], [], ["together 3"]),
    ]
    for latency in [0, 10] as [Int64] {
      let rig = NetworkRig(hosts: 5, inbound: LinkRule(latency: .constant(.milliseconds(latency)))) {
        $0.hosts[4].interfaces[0].inbound.latency = .constant(.milliseconds(latency + 1))
      }
      var delivered = 0
      for (number, step) in steps.enumerated() {
        join(step.joins, rig)
        leave(step.leaves, rig)
        let now = start * Int64(number + 1)
        expectEqual(events(rig, until: now), [])
        rig.send(bytes, from: 0, to: NetworkRig.group)
        expectEqual(events(rig, until: now + .seconds(1)), step.events, "step \(number), latency \(latency)")
        for event in step.events { delivered += event.split(separator: " ").count - 1 }
      }
      var counts = NetworkStatistics()
      (counts.transmitted, counts.delivered) = (steps.count, delivered)
      expectEqual(rig.network.statistics, counts)
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("what is sent to a group that all have left is gone at the switch, and nothing is to come")
  func everybodyLeft() {
    for members in [[1], [1, 2], [0, 1, 2]] {
      let rig = NetworkRig(hosts: 3, inbound: even)
      join(members, rig)
      expectEqual(events(rig, until: start), [])
      leave(members, rig)
      expectEqual(events(rig, until: start), [])
      rig.send(bytes, from: 0, to: NetworkRig.group)
      expectEqual(events(rig, until: start), [])
      expectEqual(rig.schedule.nextTime, nil)
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("who joins while a multicast is under way does not hear it, though all who were to hear it have left")
  func onlyNewcomers() {
    for joining in [[2], [1], [0], [2, 3, 0], [0, 1]] {
      let rig = NetworkRig(hosts: 4, inbound: even)
      join([1], rig)
      expectEqual(events(rig, until: start), [])
      rig.send(bytes, from: 0, to: NetworkRig.group)
      expectEqual(events(rig, until: start + .milliseconds(1)), [])
      leave([1], rig)
      join(joining, rig)
      expectEqual(events(rig, until: start + .seconds(1)), [], "\(joining)")
      var counts = NetworkStatistics()
      counts.transmitted = 1
      expectEqual(rig.network.statistics, counts)
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("who joins while a multicast is under way is not counted among those whom it did not reach")
  func newcomersAreNotCounted() {
    let wall = Fault.partition(number: 1, from: [0], to: [2])
    let lossy = LinkRule(latency: .constant(.milliseconds(10)), loss: .uniform(.always))
    let deaf = Fault.link(host: 2, interface: link, outbound: false, rule: lossy)
    let cases: [(snooping: Bool, fault: Fault?)] = [
      (false, nil), (true, nil), (false, wall), (true, wall), (false, deaf), (true, deaf),
    ]
    for one in cases {
      let rig = NetworkRig(hosts: 3, segment: SegmentPlan(name: "lan", snooping: one.snooping), inbound: even)
      if let fault = one.fault { rig.network.apply(fault) }
      join([1], rig)
      expectEqual(rig.arrivals(until: start), [])
      rig.send(bytes, from: 0, to: NetworkRig.group)
      expectEqual(rig.arrivals(until: start + .milliseconds(1)), [])
      join([2], rig)
      expectEqual(rig.arrivals(until: start + .seconds(1)), ["1@20010000000 x"], "\(one)")
      var counts = NetworkStatistics()
      (counts.transmitted, counts.delivered) = (1, 1)
      expectEqual(rig.network.statistics, counts, "\(one)")
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("a member whose link loses all multicast hears none, whether it joined the group first or last")
  func lossyMember() {
    for latency in [0, 10] as [Int64] {
      for order in [[1, 2], [2, 1], [1, 3, 2], [1, 2, 3], [2, 3, 1]] {
        let rig = NetworkRig(hosts: 4, inbound: LinkRule(latency: .constant(.milliseconds(latency)))) {
          $0.hosts[2].interfaces[0].inbound.multicastLoss = .uniform(.always)
        }
        join(order, rig)
        expectEqual(rig.arrivals(until: start), [])
        rig.send(bytes, from: 0, to: NetworkRig.group)
        let expected = order.filter { $0 != 2 }.map { "\($0)@\((20_000 + latency) * 1_000_000) x" }
        expectEqual(rig.arrivals(until: start + .seconds(1)), expected, "\(order), latency \(latency)")
        var counts = NetworkStatistics()
        (counts.transmitted, counts.delivered, counts.lost) = (1, order.count - 1, 1)
        expectEqual(rig.network.statistics, counts)
        expectEqual(rig.payloads.liveCount, 0)
      }
    }
  }

  @Test("a link loses multicast by the rule for multicast: of the way out, of members that are alike, of others")
  func multicastLoss() {
    let always = Loss.uniform(.always)
    let cases: [(rule: LinkRule, heard: [String])] = [
      (LinkRule(), ["m", "u"]), (LinkRule(loss: always), []), (LinkRule(multicastLoss: always), ["u"]),
      (LinkRule(loss: always, multicastLoss: Loss.none), ["m"]),
    ]
    for one in cases {
      for kind in ["way out", "alike", "unlike"] {
        let rig = NetworkRig(hosts: 3) {
          $0.hosts[0].interfaces[0].inbound = one.rule
          if kind == "unlike" { $0.hosts[2].interfaces[0].inbound.latency = .constant(.milliseconds(1)) }
        }
        if kind == "way out" { rig.network.setWayOut(host: 0, takesAllMulticast: true) }
        rig.joinAll()
        rig.send(Array("m".utf8), from: 1, to: NetworkRig.group)
        rig.send(Array("u".utf8), from: 1, to: NetworkRig.address(0))
        let others = kind == "way out" ? 0 : 1
        let lines = rig.arrivals()
        expectEqual(lines.filter { $0.hasPrefix("0@") }.sorted(), one.heard.map { "0@0 \($0)" }, "\(kind): \(one.rule)")
        var counts = NetworkStatistics()
        (counts.transmitted, counts.delivered) = (2, one.heard.count + others)
        counts.lost = 2 - one.heard.count
        expectEqual(rig.network.statistics, counts, "\(kind): \(one.rule)")
        expectEqual(rig.payloads.liveCount, 0)
      }
    }
  }

  @Test("a multicast that fills a packet to its last byte is lost as often as a short one, a longer one more often")
  func fullPackets() {
    let own = IPAddress(v6High: 0xFE80 << 48, low: 0x1_0001)
    let families: [(source: IPAddress, group: IPAddress, room: Int)] = [
      (NetworkRig.address(0), .ssdpGroup4, 1_472), (own, .ssdpGroup6, 1_452),
    ]
    for family in families {
      for isEven in [true, false] {
        /// Who hears which of forty datagrams.
        func heard(_ byteCount: Int) -> [String] {
          let rig = NetworkRig(hosts: 4, inbound: LinkRule(loss: .uniform(.percent(50)))) {
            if !isEven { $0.hosts[3].interfaces[0].inbound.latency = .constant(.milliseconds(1)) }
          }
          for host in 0..<4 { rig.network.join(family.group, host: host, interface: link) }
          for number in 0..<40 as Range<UInt8> {
            let bytes = [65 + number] + Array(repeating: UInt8(ascii: "."), count: byteCount - 1)
            rig.network.transmit(
              Datagram(
                source: Endpoint(family.source, port: 1_900), destination: Endpoint(family.group, port: 1_900),
                interface: link, hopLimit: 2, payload: rig.payloads.store(bytes)), mark: 0, from: 0)
          }
          return rig.arrivals().map { line in String(line.prefix { $0 != "." }) }
        }
        let short = heard(1)
        expectEqual(heard(family.room), short, "\(family.group), even: \(isEven)")
        #expect(Set(heard(family.room + 1)).isStrictSubset(of: Set(short)), "\(family.group), even: \(isEven)")
      }
    }
  }

  @Test("after all is mended a group hears by the links as they were planned, whatever faults had made of them")
  func mended() {
    let rules = [
      even, LinkRule(latency: .uniform(.zero ... .milliseconds(9))), LinkRule(),
      LinkRule(latency: .constant(.milliseconds(10)), loss: .uniform(.always)),
    ]
    for planned in [[100, 100], [100, 101], [0, 0], [0, 1]] as [[Int64]] {
      for rule in rules {
        let rig = NetworkRig(hosts: 3) {
          for host in 1...2 {
            $0.hosts[host].interfaces[0].inbound = LinkRule(
              latency: .constant(.milliseconds(planned[host - 1])), loss: .uniform(.percent(50)), duplicate: .always)
          }
        }
        join([1, 2], rig)
        for host in 1...2 {
          rig.network.apply(.link(host: host, interface: link, outbound: false, rule: rule))
        }
        expectEqual(rig.arrivals(until: start), [])
        rig.network.apply(.healEverything)
        rig.send(bytes, from: 0, to: NetworkRig.group)
        let expected = (1...2).map { "\($0)@\((20_000 + planned[$0 - 1]) * 1_000_000) x" }
        expectEqual(rig.arrivals(until: start + .seconds(1)), expected, "\(planned), \(rule)")
        var counts = NetworkStatistics()
        (counts.transmitted, counts.delivered) = (1, 2)
        expectEqual(rig.network.statistics, counts)
        expectEqual(rig.payloads.liveCount, 0)
      }
    }
  }
}
