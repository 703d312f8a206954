import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("What a session does where the documentation leaves it open")
struct PolicyTests {
  private func invitations(_ host: SessionHost) -> Int {
    host.log.count { if case .invited = $0.event { true } else { false } }
  }

  @Test(
    "a peer that is invited or connected is invited again: an error, or nothing",
    arguments: SessionPolicy.SecondInvitation.allCases)
  func secondInvitation(policy: SessionPolicy.SecondInvitation) {
    var rig = SessionRig(2) { $0.secondInvitation = policy }
    for time in [10, 11, 1_000] as [Int64] { rig.invite(time, 0, 1) }
    let hosts = rig.run(seconds: 8)
    expectEqual(hosts[0].errors, policy == .refused ? [.invalidParameter, .invalidParameter] : [])
    expectEqual(hosts[0].states(of: 1), whole)
    expectEqual(hosts[1].states(of: 0), whole)
    expectEqual(invitations(hosts[1]), 1)
    expectEqual(hosts.map(\.session.linkCount), [1, 1])
  }

  /// Two members, and a third host with the ID of the second one: it, started afresh elsewhere, or a stranger.
  private func again(_ policy: SessionPolicy.SecondConnection, key: UInt8) -> [SessionHost] {
    var rig = SessionRig(3) { $0.secondConnection = policy }
    let cipher = TestCipher(seed: key)
    let card = SessionCard(id: SessionRig.id(1), name: "again", key: cipher.identityKey)
    rig.hosts[2].session = SessionMachine(
      card: card, policy: rig.hosts[2].session.policy, cipher: cipher, at: SessionRig.place(2),
      interface: InterfaceID(0), seed: Seed(8))
    rig.invite(10, 0, 1)
    rig.invite(1_000, 2, 0, seconds: 3)
    rig.at(5_000, 0, .send([4], [SessionRig.id(1)]))
    return rig.run(seconds: 8)
  }

  @Test(
    "a member invites from another place: with its key it takes its own place, or is refused; without it is refused",
    arguments: SessionPolicy.SecondConnection.allCases)
  func secondConnection(policy: SessionPolicy.SecondConnection) {
    for (key, isItself) in [(2, true), (9, false)] as [(UInt8, Bool)] {
      let hosts = again(policy, key: key)
      let replaces = policy == .replaces && isItself
      expectEqual(hosts[0].states(of: 1), replaces ? whole + [.notConnected] + whole : whole)
      expectEqual(hosts[1].states(of: 0), replaces ? whole + [.notConnected] : whole)
      expectEqual(hosts[2].states(of: 0), replaces ? whole : [.connecting, .notConnected])
      // Exactly one of the two gets what is sent later.
      expectEqual(hosts[1].messages(from: 0), replaces ? [] : [[4]])
      expectEqual(hosts[2].messages(from: 0), replaces ? [[4]] : [])
      expectEqual(hosts.map(\.session.linkCount), replaces ? [1, 0, 1] : [1, 1, 0])
    }
  }

  @Test("one's own disconnect is reported peer by peer, or not at all", arguments: SessionPolicy.OwnDisconnect.allCases)
  func ownDisconnect(policy: SessionPolicy.OwnDisconnect) {
    var rig = SessionRig(4) { $0.ownDisconnect = policy }
    rig.invite(10, 0, 1)
    rig.invite(500, 0, 2)
    rig.invite(1_000, 0, 9)
    rig.at(2_000, 0, .disconnect)
    let hosts = rig.run(seconds: 8)
    let end: [PeerState] = policy == .reported ? [.notConnected] : []
    expectEqual(hosts[0].states(of: 1), whole + end)
    expectEqual(hosts[0].states(of: 2), whole + end)
    // An attempt too.
    expectEqual(hosts[0].states(of: 9), [.connecting] + end)
    for host in 1...2 { expectEqual(hosts[host].states(of: 0), whole + [.notConnected]) }
    expectEqual(hosts.map(\.session.linkCount), [0, 1, 1, 0])
    expectEqual(hosts[0].session.connectedPeers, [])
    for peer in [1, 2, 9] { expectEqual(hosts[0].session.state(of: SessionRig.id(peer)), .notConnected) }
  }

  @Test(
    "a session is used again after its disconnect: it works, or sticks (MX-8)", arguments: SessionPolicy.Reuse.allCases)
  func reuse(policy: SessionPolicy.Reuse) {
    var rig = SessionRig(3) { $0.reuse = policy }
    rig.invite(10, 0, 1)
    rig.at(1_000, 0, .disconnect)
    rig.invite(2_000, 0, 1, seconds: 5)
    // On the way in it is the same.
    rig.invite(3_000, 2, 0, seconds: 5)
    let hosts = rig.run(seconds: 12)
    let works = policy == .works
    expectEqual(hosts[0].states(of: 1), whole + [.notConnected] + (works ? whole : [.connecting, .notConnected]))
    expectEqual(hosts[1].states(of: 0), whole + [.notConnected] + (works ? whole : []))
    expectEqual(hosts[2].states(of: 0), works ? whole : [.connecting, .notConnected])
    expectEqual(hosts[0].states(of: 2), works ? whole : [])
  }

  @Test("a disconnect drops what still waits, and nothing of it comes later")
  func disconnectDrops() {
    var rig = SessionRig(2)
    rig.link.bandwidth = 10_000_000
    rig.invite(10, 0, 1)
    rig.at(1_000, 0, .send([1], [SessionRig.id(1)]))
    rig.at(1_500, 0, .send([UInt8](repeating: 2, count: 3_000_000), [SessionRig.id(1)]))
    rig.at(1_600, 0, .send([3], [SessionRig.id(1)]))
    rig.at(1_700, 0, .disconnect)
    rig.invite(4_000, 0, 1)
    rig.at(5_000, 0, .send([4], [SessionRig.id(1)]))
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts[1].messages(from: 0), [[1], [4]])
    expectEqual(hosts[0].session.queuedBytes(to: SessionRig.id(1)), 0)
    expectEqual(hosts[1].states(of: 0), whole + [.notConnected] + whole)
    expectEqual(hosts[0].errors, [])
  }
}
