import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// What changes while a multicast is between the switch and its members. Whether one event serves them all is nobody's
/// business: each hears what it would hear if each were served by itself.
@Suite("A multicast under way")
struct UnderWayTests {
  let slow = LinkRule(latency: .constant(.milliseconds(100)))
  let bytes = Array("x".utf8)
  let link = InterfaceID(0)

  /// What arrives of one multicast that host 0 sends at 5 s, where `change` happens 50 ms later.
  private func heard(
    hosts: Int = 3, segment: SegmentPlan = SegmentPlan(name: "lan"), outbound: LinkRule = LinkRule(),
    edit: (inout NetworkPlan) -> Void = { _ in }, before: (NetworkRig) -> Void = { _ in },
    _ change: (NetworkRig) -> Void
  ) -> [String] {
    let rig = NetworkRig(hosts: hosts, segment: segment, outbound: outbound, inbound: slow, edit: edit)
    rig.joinAll()
    before(rig)
    _ = rig.arrivals(until: .milliseconds(5_000))
    rig.send(bytes, from: 0, to: NetworkRig.group)
    var lines = rig.arrivals(until: .milliseconds(5_050))
    change(rig)
    lines += rig.arrivals(until: .milliseconds(10_000))
    expectEqual(rig.payloads.liveCount, 0)
    return lines.filter { $0.hasSuffix(" x") }
  }

  private let both = ["1@5100000000 x", "2@5100000000 x"]

  @Test("takes its latency once, whatever becomes of another host's link meanwhile")
  func latencyOnce() {
    let rules = [
      LinkRule(latency: .constant(.milliseconds(300))), LinkRule(latency: .constant(.zero)),
      LinkRule(latency: .uniform(.zero ... .milliseconds(9))), LinkRule(loss: .uniform(.always)),
      LinkRule(latency: .constant(.milliseconds(100)), duplicate: .always),
      LinkRule(latency: .constant(.milliseconds(100)), bandwidth: 1_000),
      LinkRule(multicastLoss: .gilbertElliott(goodToBad: .always, badToGood: .never, inGood: .never, inBad: .always)),
    ]
    for rule in rules {
      for host in [1, 2] {
        let lines = heard { $0.network.apply(.link(host: host, interface: link, outbound: false, rule: rule)) }
        expectEqual(lines, both, "\(rule)")
      }
    }
    expectEqual(heard { $0.network.apply(.link(host: 0, interface: link, outbound: true, rule: rules[0])) }, both)
    // All links change at once: what comes after is faster, and overtakes.
    let overtaken = heard {
      for host in 0..<3 {
        $0.network.apply(.link(host: host, interface: link, outbound: false, rule: LinkRule()))
      }
      $0.send(bytes, from: 2, to: NetworkRig.group)
    }
    expectEqual(overtaken, ["0@5050000000 x", "1@5050000000 x"] + both)
  }

  @Test("is lost by the rule of the moment when it left the switch")
  func loss() {
    let lossy = LinkRule(latency: .constant(.milliseconds(100)), loss: .uniform(.always))
    func lines(_ first: LinkRule, _ then: LinkRule) -> [String] {
      heard(edit: { $0.hosts[1].interfaces[0].inbound = first }) {
        $0.network.apply(.link(host: 1, interface: link, outbound: false, rule: then))
      }
    }
    expectEqual(lines(lossy, slow), ["2@5100000000 x"])
    expectEqual(lines(slow, lossy), both)
    expectEqual(
      heard(edit: { $0.hosts[1].interfaces[0].inbound = lossy }) { $0.network.apply(.healEverything) },
      ["2@5100000000 x"])
  }

  @Test("passes a partition that begins behind it, and is stopped by one that ends behind it")
  func partition() {
    let wall = Fault.partition(number: 1, from: [0], to: [1])
    expectEqual(heard { $0.network.apply(wall) }, both)
    expectEqual(
      heard(before: { $0.network.apply(wall) }) { $0.network.apply(.healPartition(number: 1)) }, ["2@5100000000 x"])
    expectEqual(heard(before: { $0.network.apply(wall) }) { $0.network.apply(.healEverything) }, ["2@5100000000 x"])
  }

  @Test("is heard by who was a member when it left the switch and still is")
  func members() {
    let group = NetworkRig.group
    expectEqual(heard { $0.network.leave(group, host: 1, interface: link) }, ["2@5100000000 x"])
    expectEqual(
      heard {
        $0.network.leave(group, host: 1, interface: link)
        $0.network.join(group, host: 1, interface: link)
      }, ["2@5100000000 x"])
    expectEqual(
      heard(before: { $0.network.leave(group, host: 1, interface: link) }) {
        $0.network.join(group, host: 1, interface: link)
      }, ["2@5100000000 x"])
    expectEqual(
      heard {
        $0.network.apply(.interfaceDown(host: 1, interface: link))
        $0.network.apply(.interfaceUp(host: 1, interface: link))
        $0.network.join(group, host: 1, interface: link)
      }, ["2@5100000000 x"])
    expectEqual(heard { $0.network.apply(.interfaceDown(host: 2, interface: link)) }, ["1@5100000000 x"])
    // Its sender goes, or takes another address: it is under way all the same.
    expectEqual(heard { $0.network.apply(.interfaceDown(host: 0, interface: link)) }, both)
    expectEqual(heard { $0.network.leave(group, host: 0, interface: link) }, both)
    expectEqual(heard { $0.network.readdress(IPAddress(10, 0, 0, 99), host: 1, interface: link) }, both)
    // The sender was no member when it sent, and becomes one: it does not hear itself.
    expectEqual(
      heard(before: { $0.network.leave(group, host: 0, interface: link) }) {
        $0.network.join(group, host: 0, interface: link)
      }, both)
    expectEqual(heard { for host in [1, 2] { $0.network.leave(group, host: host, interface: link) } }, [])
  }

  @Test("a member that leaves and a rule of its own: the datagram that is on its way to it alone is not heard either")
  func membersApart() {
    let group = NetworkRig.group
    func lines(_ change: (NetworkRig) -> Void) -> [String] {
      heard(edit: { $0.hosts[2].interfaces[0].inbound.latency = .constant(.milliseconds(101)) }, change)
    }
    let apart = ["1@5100000000 x", "2@5101000000 x"]
    expectEqual(lines { _ in }, apart)
    expectEqual(lines { $0.network.leave(group, host: 1, interface: link) }, [apart[1]])
    expectEqual(
      lines {
        $0.network.leave(group, host: 2, interface: link)
        $0.network.join(group, host: 2, interface: link)
      }, [apart[0]])
    expectEqual(
      lines {
        $0.network.apply(.interfaceDown(host: 2, interface: link))
        $0.network.apply(.interfaceUp(host: 2, interface: link))
        $0.network.join(group, host: 2, interface: link)
      }, [apart[0]])
  }

  @Test("a snooping switch decides by the reports that it had when the datagram came")
  func snooping() {
    let segment = SegmentPlan(name: "lan", snooping: true, membershipTimeout: .milliseconds(4_950))
    // The reports of the start have run out by 5 s unless somebody repeats his.
    func lines(_ change: (NetworkRig) -> Void) -> [String] {
      let rig = NetworkRig(hosts: 3, segment: segment, inbound: slow)
      rig.joinAll()
      var heard = rig.arrivals(until: .milliseconds(30_000))
      rig.network.leave(NetworkRig.group, host: 2, interface: link)
      heard += rig.arrivals(until: .milliseconds(30_500))
      rig.network.join(NetworkRig.group, host: 2, interface: link)
      heard += rig.arrivals(until: .milliseconds(30_600))
      rig.send(bytes, from: 0, to: NetworkRig.group)
      heard += rig.arrivals(until: .milliseconds(30_650))
      change(rig)
      heard += rig.arrivals(until: .milliseconds(40_000))
      return heard
    }
    expectEqual(lines { _ in }, ["2@30700000000 x"])
    // Host 1's report comes while the datagram is under way: too late for this one.
    expectEqual(lines { $0.network.sendReport(port: 1, group: NetworkRig.group) }, ["2@30700000000 x"])
    expectEqual(lines { $0.network.leave(NetworkRig.group, host: 2, interface: link) }, [])
  }

  @Test("one member whose link is different changes nothing for the others, whatever happens", arguments: 1...60)
  func oddMember(seed: UInt64) {
    expectEqual(history(seed: seed, withOddMember: true), history(seed: seed, withOddMember: false))
  }

  /// Two hundred random deeds, moments apart, among five hosts; with a sixth that makes the group uneven, or without.
  private func history(seed: UInt64, withOddMember isOdd: Bool) -> [String] {
    let segment = SegmentPlan(
      name: "lan", snooping: seed % 3 == 0, querierInterval: seed % 6 == 0 ? .seconds(1) : nil,
      membershipTimeout: .seconds(2))
    let rig = NetworkRig(hosts: isOdd ? 6 : 5, segment: segment, inbound: slow, seed: seed) {
      if isOdd { $0.hosts[5].interfaces[0].inbound = LinkRule(latency: .uniform(.zero ... .milliseconds(150))) }
    }
    rig.joinAll()
    var linkKey = Seed(seed).stream("deeds")
    var lines: [String] = []
    var now: Int64 = 0
    for deed in 0..<200 {
      now += Int64(linkKey.below(40))
      lines += rig.arrivals(until: .milliseconds(now))
      let (host, other) = (Int(linkKey.below(5)), Int(linkKey.below(5)))
      switch linkKey.below(16) {
      case 0: rig.network.join(NetworkRig.group, host: host, interface: link)
      case 1: rig.network.leave(NetworkRig.group, host: host, interface: link)
      case 2: rig.network.apply(.interfaceDown(host: host, interface: link))
      case 3:
        rig.network.apply(.interfaceUp(host: host, interface: link))
        rig.network.join(NetworkRig.group, host: host, interface: link)
      case 4: rig.network.apply(.partition(number: deed, from: [host], to: [other]))
      case 5: for number in 0..<deed { rig.network.apply(.healPartition(number: number)) }
      case 6:
        let latency = Delay.constant(.milliseconds(Int64(linkKey.below(3)) * 50))
        let loss = Loss.uniform(.percent(linkKey.below(3) * 30))
        rig.network.apply(
          .link(host: host, interface: link, outbound: false, rule: LinkRule(latency: latency, loss: loss)))
      case 7: for host in 0..<5 { rig.network.apply(.link(host: host, interface: link, outbound: false, rule: nil)) }
      default: rig.send(Array("\(deed)".utf8), from: host, to: NetworkRig.group)
      }
    }
    lines += rig.arrivals(until: .milliseconds(now + 1_000))
    expectEqual(rig.payloads.liveCount, 0)
    return lines.filter { !$0.hasPrefix("5@") }
  }
}
