import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import Testing

@Suite struct DiscoveryTests {
  @Test("a peer that advertises is found with its information, and lost when it stops")
  func foundAndLost() {
    var rig = PeerRig(3)
    rig.advertise(1_000, 0, info: [PeerInfo("room", "12"), PeerInfo("_d", "x"), PeerInfo("empty", "")])
    rig.browse(0, 1)
    rig.at(0, 2, .browse(1, PeerRig.name(2), type: "game"))
    rig.at(9_500, 0, .stopAdvertising(1))
    let devices = rig.run(seconds: 20)
    expectEqual(devices[0].lines, [])
    expectEqual(devices[1].lines, ["2 s browser 1 found peer 0 room=12 _d=x empty=", "10 s browser 1 lost peer 0"])
    expectEqual(devices[2].lines, [])
  }
}
