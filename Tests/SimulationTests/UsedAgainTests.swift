import RollcallPrimitives
import Testing

@testable import RollcallSimulation

/// What is kept of a datagram under way is given back when it is over, whatever becomes of it: a run is as large as what
/// is under way at a time, and not as long as it is.
@Suite("Places of datagrams are used again")
struct UsedAgainTests {
  private let wait = LinkRule(latency: .constant(.milliseconds(1)))

  /// Does something a hundred times, 10 ms apart, and says how many places it took.
  private func places(
    _ rig: NetworkRig, _ round: (NetworkRig) -> Void, after: ((NetworkRig) -> Void)? = nil
  ) -> (packets: Int, arrivals: Int, payloads: Int) {
    for number in 0..<100 {
      round(rig)
      if let after {
        _ = rig.arrivals(until: .milliseconds(Int64(number) * 10) + .microseconds(500))
        after(rig)
      }
      _ = rig.arrivals(until: .milliseconds(Int64(number + 1) * 10))
    }
    _ = rig.arrivals(until: .seconds(10))
    return (rig.network.packets.count, rig.network.arrivals.count, rig.payloads.liveCount)
  }

  @Test("one after the other, unicast and to a group, alike and with links that differ")
  func delivered() {
    for isUnicast in [true, false] {
      for jitter in [false, true] {
        var rule = wait
        if jitter { rule.latency = .uniform(.milliseconds(1) ... .milliseconds(2)) }
        let rig = NetworkRig(hosts: 3, inbound: rule)
        rig.joinAll()
        let found = places(
          rig, { $0.send([1], from: 0, to: isUnicast ? NetworkRig.address(1) : NetworkRig.group) })
        #expect(found.packets == 1 && found.arrivals <= 2 && found.payloads == 0, "\(isUnicast) \(jitter): \(found)")
      }
    }
  }

  @Test("three at a time take three places")
  func together() {
    let rig = NetworkRig(hosts: 2, inbound: wait)
    let found = places(rig, { for byte in UInt8(0)..<3 { $0.send([byte], from: 0, to: NetworkRig.address(1)) } })
    #expect(found == (packets: 3, arrivals: 3, payloads: 0))
  }

  @Test("on an interface that goes down, out of a group that is left, and in a buffer that is full")
  func lost() {
    let down = NetworkRig(hosts: 2, inbound: wait)
    let first = places(
      down, { $0.send([1], from: 0, to: NetworkRig.address(1)) },
      after: { rig in
        rig.network.apply(.interfaceDown(host: 1, interface: InterfaceID(0)))
        _ = rig.arrivals(until: .zero)
      })
    #expect(first == (packets: 1, arrivals: 1, payloads: 0))
    var jitter = wait
    jitter.latency = .uniform(.milliseconds(1) ... .milliseconds(2))
    let left = NetworkRig(hosts: 2, inbound: jitter)
    let second = places(
      left,
      { rig in
        rig.network.join(NetworkRig.group, host: 1, interface: InterfaceID(0))
        rig.send([1], from: 0, to: NetworkRig.group)
      }, after: { $0.network.leave(NetworkRig.group, host: 1, interface: InterfaceID(0)) })
    #expect(second == (packets: 1, arrivals: 1, payloads: 0))
    let full = NetworkRig(hosts: 2, inbound: wait) {
      $0.hosts[1].receiveBuffer = ReceiveBuffer(bytesMaximum: 1, serviceTime: .microseconds(100))
    }
    let third = places(full, { for byte in UInt8(0)..<3 { $0.send([byte], from: 0, to: NetworkRig.address(1)) } })
    #expect(third == (packets: 3, arrivals: 3, payloads: 0))
  }

  @Test("a partition and an address that nobody has give everything back as well")
  func nowhere() {
    let rig = NetworkRig(hosts: 2, outbound: wait)
    let nobody = places(rig, { $0.send([1], from: 0, to: IPAddress(10, 0, 0, 99)) })
    #expect(nobody == (packets: 1, arrivals: 0, payloads: 0))
    let parted = NetworkRig(hosts: 2, outbound: wait)
    parted.network.apply(.partition(number: 0, from: [0], to: [1]))
    let found = places(parted, { $0.send([1], from: 0, to: NetworkRig.address(1)) })
    #expect(found == (packets: 1, arrivals: 0, payloads: 0))
  }
}
