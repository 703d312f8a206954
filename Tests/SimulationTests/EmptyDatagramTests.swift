import RollcallExpectations
import RollcallPrimitives
import Testing

@testable import RollcallSimulation

@Suite("Datagrams without a byte")
struct EmptyDatagramTests {
  @Test("nothing can change in a datagram without a byte: where all are damaged it passes, and counts as whole")
  func corruption() {
    for (outbound, inbound) in [(false, false), (true, false), (false, true), (true, true)] {
      let rig = NetworkRig(
        hosts: 2, outbound: LinkRule(corrupt: outbound ? .always : .never),
        inbound: LinkRule(corrupt: inbound ? .always : .never))
      for bytes in [[], [65], []] as [[UInt8]] { rig.send(bytes, from: 0, to: NetworkRig.address(1)) }
      let lines = rig.arrivals()
      #expect(lines.count == 3 && lines.first == "1@0 " && lines.last == "1@0 ")
      var counts = NetworkStatistics()
      (counts.transmitted, counts.delivered) = (3, 3)
      counts.corrupted = (outbound ? 1 : 0) + (inbound ? 1 : 0)
      expectEqual(rig.network.statistics, counts)
      expectEqual(rig.payloads.liveCount, 0)
    }
  }
}
