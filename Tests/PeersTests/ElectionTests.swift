import Foundation
import RollcallExpectations
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

/// MX-1: who of two peers that find each other invites the other one.
@Suite struct ElectionTests {
  /// Seeds; a proof takes more (`ROLLCALL_ELECTION_SEEDS`), never fewer.
  static let seedCount = max(1_000, provedSeeds ?? 0)
  private static let provedSeeds = ProcessInfo.processInfo.environment["ROLLCALL_ELECTION_SEEDS"].flatMap { UInt64($0) }

  /// How many seeds lead to one connection that stands, where a peer invites those that `elects` says.
  private func connectedCount(
    _ elects: @escaping @Sendable (Seed, _ own: SessionPeerID, _ other: SessionPeerID) -> Bool
  )
    -> UInt64
  {
    var count: UInt64 = 0
    for number in 0..<ElectionTests.seedCount {
      var rig = PeerRig(2) { $0.sessions.mutualInvitations = .bothFail }
      rig.seed = Seed(number)
      // Far enough for two invitations to cross.
      rig.link.latency = .constant(.milliseconds(80))
      for device in 0..<2 {
        rig.advertise(0, device)
        rig.browse(0, device)
        rig.devices[device].acceptsInto = 1
        rig.devices[device].invitesInto = 1
        let own = PeerRig.name(device).id
        rig.devices[device].elects = { elects(Seed(number), own, $0) }
      }
      let devices = rig.run(seconds: 20)
      let expected = (0..<2).map { ["peer \(1 - $0) connecting", "peer \(1 - $0) connected"] }
      if devices.map(\.states) == expected { count += 1 }
    }
    return count
  }

  @Test("an election by the lower identity comes to one connection under every seed, one by a seeded hash does not")
  func elections() {
    let stable = connectedCount { $1 < $2 }
    expectEqual(stable, ElectionTests.seedCount)
    // Swift's hash values have a seed of the process: each side compares numbers of its own.
    let hashed = connectedCount { seed, own, other in
      func hash(_ peer: SessionPeerID) -> UInt64 {
        var stream = RandomStream(mixing: seed.value ^ own.low &<< 32, peer.low)
        return stream.next()
      }
      return hash(own) < hash(other)
    }
    if ElectionTests.provedSeeds != nil { print("elections: \(stable) by identity, \(hashed) by hash of \(stable)") }
    #expect(hashed < stable * 3 / 4 && hashed > stable / 4, "\(hashed) of \(stable)")
  }
}
