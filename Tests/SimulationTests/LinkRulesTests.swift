import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// Rules of links at their ends: the slowest and the fastest link, small packets, channels that remember.
@Suite("Rules of links")
struct LinkRulesTests {
  private let link = InterfaceID(0)

  @Test("a link takes for each datagram the time of all its bits, and its queue holds just what its rule says")
  func timesOnTheLink() {
    // A byte of payload takes 29 bytes with the headers of UDP and IPv4, a hundred bytes take 128 in one packet.
    let fast: Int64 = 8_000_000_000
    var cases: [(rule: LinkRule, size: Int, times: [Int64], overflows: Int)] = [
      (LinkRule(bandwidth: 1), 1, [232_000_000_000], 0), (LinkRule(bandwidth: 0), 1, [0, 0], 0),
      (LinkRule(bandwidth: fast, queueBytesMaximum: 28), 1, [], 2),
      (LinkRule(bandwidth: fast, queueBytesMaximum: 29), 1, [29], 1),
      (LinkRule(bandwidth: fast, queueBytesMaximum: 58), 1, [29, 58], 2),
    ]
    // A fragment holds a multiple of eight bytes, and never less than eight: 14 fragments, 7, 2 and 1.
    let sizes: [(mtu: Int, bytes: Int64)] = [
      (0, 388), (20, 388), (28, 388), (35, 388), (36, 248), (43, 248), (127, 148), (128, 128),
    ]
    for (mtu, bytes) in sizes {
      cases.append((LinkRule(bandwidth: 8_000_000, mtu: mtu), 100, [bytes * 1_000], 0))
    }
    for (rule, size, times, overflows) in cases {
      for isOutbound in [true, false] {
        let rig = NetworkRig(
          hosts: 2, outbound: isOutbound ? rule : LinkRule(), inbound: isOutbound ? LinkRule() : rule)
        let bytes: [UInt8] = Array(repeating: 120, count: size)
        for _ in 0..<times.count + overflows { rig.send(bytes, from: 0, to: NetworkRig.address(1)) }
        let text = String(repeating: "x", count: size)
        expectEqual(rig.arrivals(until: .seconds(300)), times.map { "1@\($0) \(text)" }, "\(rule)")
        var counts = NetworkStatistics()
        (counts.transmitted, counts.delivered) = (times.count + overflows, times.count)
        counts.queueOverflows = overflows
        expectEqual(rig.network.statistics, counts, "\(rule)")
        expectEqual(rig.payloads.liveCount, 0)
      }
    }
  }

  @Test("a channel that loses nothing in either of its states draws nothing, whichever way it changes between them")
  func harmlessChannel() {
    let latency = LinkRule(latency: .uniform(.zero ... .milliseconds(9)))
    let harmless = Loss.gilbertElliott(
      goodToBad: .percent(50), badToGood: .percent(50), inGood: .never, inBad: .never)
    func run(_ rule: LinkRule) -> [String] {
      let rig = NetworkRig(hosts: 4, inbound: rule)
      rig.joinAll()
      for number in 0..<20 {
        rig.send(Array("\(number)".utf8), from: 0, to: NetworkRig.group)
        rig.send(Array("\(number)".utf8), from: 0, to: NetworkRig.address(1))
      }
      let lines = rig.arrivals()
      #expect(lines.count == 80 && rig.network.statistics.lost == 0)
      return lines
    }
    let expected = run(latency)
    for (loss, multicastLoss) in [(harmless, nil), (.none, harmless), (harmless, Loss.none)] as [(Loss, Loss?)] {
      var rule = latency
      (rule.loss, rule.multicastLoss) = (loss, multicastLoss)
      expectEqual(run(rule), expected, "\(loss), \(String(describing: multicastLoss))")
    }
  }

  @Test("a channel that remembers is changed by each datagram when it comes from the switch, not when it arrives")
  func orderInTheChannel() {
    // Bad for the first datagram, good for the second, bad for the third.
    let turns = Loss.gilbertElliott(goodToBad: .always, badToGood: .always, inGood: .never, inBad: .always)
    let late = Delay.constant(.milliseconds(100))
    let second = IPAddress(239, 1, 1, 1)
    let cases: [(rule: LinkRule, target: IPAddress)] = [
      (LinkRule(latency: late, multicastLoss: turns), second), (LinkRule(latency: late, loss: turns), second),
      (LinkRule(latency: late, loss: turns, multicastLoss: turns), second),
      (LinkRule(latency: late, loss: turns), NetworkRig.address(1)),
    ]
    for (rule, target) in cases {
      let rig = NetworkRig(hosts: 3) {
        $0.hosts[1].interfaces[0].inbound = rule
        // The members of the second group hear at different moments.
        $0.hosts[2].interfaces[0].inbound.latency = .constant(.milliseconds(200))
      }
      rig.network.join(NetworkRig.group, host: 1, interface: link)
      for host in [1, 2] { rig.network.join(second, host: host, interface: link) }
      rig.send(Array("a".utf8), from: 0, to: NetworkRig.group)
      var lines = rig.arrivals(until: .milliseconds(50))
      rig.send(Array("b".utf8), from: 0, to: target)
      lines += rig.arrivals(until: .milliseconds(60))
      rig.send(Array("c".utf8), from: 0, to: NetworkRig.group)
      lines += rig.arrivals()
      let others = target == second ? ["2@250000000 b"] : []
      expectEqual(lines, ["1@150000000 b"] + others, "\(rule)")
      expectEqual(rig.network.statistics.lost, 2, "\(rule)")
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("plans are equal when the rules of their links are, and differ with one number of one rule")
  func equalPlans() {
    func plan(_ edit: (inout InterfacePlan) -> Void = { _ in }) -> NetworkPlan {
      var interface = InterfacePlan(
        segment: 0, addresses: [InterfaceAddress(NetworkRig.address(0), prefixBits: 24)],
        outbound: LinkRule(latency: .constant(.milliseconds(1))), inbound: LinkRule(mtu: 1_400))
      edit(&interface)
      return NetworkPlan(
        segments: [SegmentPlan(name: "lan")], hosts: [HostPlan(name: "h", interfaces: [interface])])
    }
    let plans = [
      plan(), plan { $0.outbound.mtu = 1_400 }, plan { $0.inbound.mtu = 1_500 },
      plan { $0.inbound.loss = .uniform(.percent(1)) },
      plan { ($0.outbound, $0.inbound) = ($0.inbound, $0.outbound) },
    ]
    for (number, one) in plans.enumerated() {
      for (other, another) in plans.enumerated() {
        expectEqual((one == another), (number == other), "\(number) and \(other)")
      }
    }
    let again = plan {
      $0.outbound.mtu = 1_400
      $0.outbound.mtu = 1_500
    }
    expectEqual(again, plans[0])
    expectEqual(Set(plans + plans + [again]).count, plans.count)
  }

  @Test("a link that was slow a moment ago counts what waits as too much for its queue, at any speed of today")
  func fasterAtOnce() {
    for (speed, heard) in [(1, 0), (1_000_000, 1), (Int64.max, 0)] as [(Int64, Int)] {
      let rig = NetworkRig(hosts: 2, outbound: LinkRule(bandwidth: 1, queueBytesMaximum: 1_000_000))
      rig.joinAll()
      rig.send(Array(repeating: 65, count: 100), from: 0, to: NetworkRig.group)
      let fast = LinkRule(bandwidth: speed, queueBytesMaximum: speed == 1 ? 128 : 1_000_000_000)
      rig.network.apply(.link(host: 0, interface: link, outbound: true, rule: fast))
      rig.send([66], from: 0, to: NetworkRig.group)
      expectEqual(rig.arrivals(until: .hours(9)).count { $0.hasSuffix(" B") }, heard, "\(speed)")
      expectEqual(rig.network.statistics.queueOverflows, 1 - heard, "\(speed)")
    }
  }
}
