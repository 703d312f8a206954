import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// Many multicasts between the switch and the members of one group, while rules change: who hears each of them is
/// settled when it leaves the switch, however many are under way and in whichever order they arrive.
@Suite("Multicasts that overtake others")
struct OvertakenMulticastTests {
  private let link = InterfaceID(0)

  private func send(_ texts: [String], _ rig: NetworkRig) {
    for text in texts { rig.send(Array(text.utf8), from: 0, to: NetworkRig.group) }
  }

  private func setRule(_ rule: LinkRule, of hosts: [Int], _ rig: NetworkRig) {
    for host in hosts { rig.network.apply(.link(host: host, interface: link, outbound: false, rule: rule)) }
  }

  @Test("what is overtaken is heard by whom it left for, and what overtook it is over: the next ones are heard by all")
  func overtaken() {
    for (slow, faster) in [(1, 1), (1, 2), (1, 5), (2, 1), (2, 3), (3, 1), (3, 4)] {
      let rig = NetworkRig(hosts: 3, inbound: LinkRule(latency: .constant(.milliseconds(100))))
      rig.joinAll()
      let first = (0..<slow).map { "slow \($0)" }
      send(first, rig)
      var lines = rig.arrivals(until: .milliseconds(10))
      // From now on all hear after 10 ms, and host 2 hears nothing.
      let soon = Delay.constant(.milliseconds(10))
      setRule(LinkRule(latency: soon), of: [0, 1], rig)
      setRule(LinkRule(latency: soon, loss: .uniform(.always)), of: [2], rig)
      let fast = (0..<faster).map { "fast \($0)" }
      send(fast, rig)
      lines += rig.arrivals(until: .milliseconds(200))
      var expected = fast.map { "1@20000000 \($0)" }
      for text in first { expected += ["1@100000000 \(text)", "2@100000000 \(text)"] }
      // Nothing is under way: a change that comes now loses nothing more.
      setRule(LinkRule(latency: soon), of: [2], rig)
      let next = (0..<slow + faster + 3).map { "next \($0)" }
      send(next, rig)
      lines += rig.arrivals()
      for text in next { expected += ["1@210000000 \(text)", "2@210000000 \(text)"] }
      expectEqual(lines, expected, "\(faster) overtake \(slow)")
      var counts = NetworkStatistics()
      counts.transmitted = slow + faster + next.count
      counts.delivered = 2 * slow + faster + 2 * next.count
      counts.lost = faster
      expectEqual(rig.network.statistics, counts, "\(faster) overtake \(slow)")
      expectEqual(rig.payloads.liveCount, 0)
    }
  }

  @Test("of many that are under way each is heard by whom it left for, though a rule changed behind it")
  func many() {
    // A hundred of them are under way at once, and the rule changes while the first arrive.
    for (count, change) in [(150, 120), (200, 101), (300, 299)] {
      let late = Delay.constant(.milliseconds(100))
      let rig = NetworkRig(hosts: 3, inbound: LinkRule(latency: late))
      rig.joinAll()
      var lines: [String] = []
      for number in 0..<count {
        lines += rig.arrivals(until: .milliseconds(Int64(number)))
        if number == change { setRule(LinkRule(latency: late, loss: .uniform(.always)), of: [2], rig) }
        send(["\(number)"], rig)
      }
      lines += rig.arrivals()
      var expected: [String] = []
      for number in 0..<count {
        let time = (number + 100) * 1_000_000
        expected.append("1@\(time) \(number)")
        if number < change { expected.append("2@\(time) \(number)") }
      }
      setRule(LinkRule(latency: late), of: [2], rig)
      let next = (0..<10).map { "next \($0)" }
      send(next, rig)
      lines += rig.arrivals(until: .seconds(2))
      for text in next { expected += ["1@1100000000 \(text)", "2@1100000000 \(text)"] }
      let place = zip(lines, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      #expect(place == nil && lines.count == expected.count, "\(count), changed at \(change)")
      var counts = NetworkStatistics()
      (counts.transmitted, counts.delivered) = (count + 10, expected.count)
      counts.lost = count - change
      expectEqual(rig.network.statistics, counts, "\(count), changed at \(change)")
      expectEqual(rig.payloads.liveCount, 0)
    }
  }
}
