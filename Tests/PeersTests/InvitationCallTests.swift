import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Testing

@testable import RollcallPeers
@testable import RollcallSessions

@Suite("Invitations of a device, call by call") struct InvitationCallTests {
  private func state(_ session: Int, _ peer: Int, _ state: PeerState) -> PeerEvent {
    .session(session, .state(PeerRig.name(peer).id, state))
  }
  /// One that waits for its answer.
  private func waiting(_ number: Int, to: Int, inner: Int = 1, from inviter: Int = 5) -> PeerDevice.Invitation {
    let name = PeerRig.name(inviter)
    return PeerDevice.Invitation(
      number: number, advertiser: to, to: PeerRig.name(to).id, inner: inner,
      inviter: SessionCard(id: name.id, name: name.name, key: []), isOfMember: false)
  }
  private func open(_ number: Int, _ peer: Int) -> PeerCommand {
    .openSession(number, PeerSessionSetup(PeerRig.name(peer), preference: .none))
  }

  @Test("a device wakes when the time of an invitation that it has not answered is over")
  func deadline() throws {
    var rig = InvitationTests.rig()
    rig.at(3_000, 1, InvitationTests.invite(0))
    let asked = rig.run(seconds: 5)[0].device
    let due = try #require(asked.receptions[0].machine.deadline)
    var bench = DeviceBench()
    expectEqual(bench.device.deadline, nil)
    bench.device.receptions = asked.receptions
    expectEqual(bench.device.deadline, due)
  }

  @Test("an invitation of a higher ID that waits is withdrawn by one to it, and those of and to others stay")
  func withdrawn() {
    var rig = PeerRig(2)
    for number in 0..<2 {
      rig.advertise(0, number)
      rig.browse(0, number)
    }
    rig.at(3_000, 1, InvitationTests.invite(0))
    var bench = DeviceBench(rig.run(seconds: 4)[0].device)
    expectEqual(bench.device.receptions.map(\.machine.linkCount), [1])
    expectEqual(
      bench.ask(InvitationTests.invite(1), at: 4_000),
      [.invitationEnded(advertiser: 1, invitation: 1), state(1, 1, .connecting)])
    expectEqual(bench.device.receptions.map(\.machine.linkCount), [0])
    expectEqual(bench.device.invitations.count, 0)
    // One of another peer to us, and one of this peer to another one of us. Nobody has found it.
    for (to, inviter) in [(1, 5), (7, 0)] {
      bench = DeviceBench()
      expectEqual(bench.ask(open(1, 1)), [])
      bench.device.invitations = [waiting(1, to: to, from: inviter)]
      expectEqual(
        bench.ask(InvitationTests.invite(0)), [state(1, 0, .connecting), state(1, 0, .notConnected)])
      expectEqual(bench.device.invitations.map(\.number), [1])
    }
  }

  @Test("an invitation that ends is the one of that number to that peer")
  func ended() {
    var bench = DeviceBench()
    for number in 0..<2 {
      let command = PeerCommand.advertise(number, PeerRig.name(number), type: "chat", info: nil)
      expectEqual(bench.ask(command), [])
    }
    bench.device.invitations = [waiting(1, to: 0, inner: 2), waiting(2, to: 1, inner: 1), waiting(3, to: 1, inner: 2)]
    bench.device.receptions[1].machine.tell(.invitationEnded(number: 2))
    expectEqual(bench.collect(), [.invitationEnded(advertiser: 1, invitation: 3)])
    expectEqual(bench.device.invitations.map(\.number), [1, 2])
  }

  @Test("a member that invites anew takes the place of its old connection, and one that is none yet ends nothing")
  func member() {
    var rig = InvitationTests.rig()
    rig.at(3_000, 1, InvitationTests.invite(0))
    expectEqual(rig.run(seconds: 4)[0].device.invitations.map(\.isOfMember), [false])
    rig.at(4_000, 0, .answer(invitation: 1, session: 1))
    rig.at(5_000, 1, open(2, 1))
    rig.at(6_000, 1, .invite(PeerRig.name(0).id, session: 2, context: nil, time: .zero))
    expectEqual(rig.run(seconds: 7)[0].device.invitations.map(\.isOfMember), [true])
    rig.at(8_000, 0, .answer(invitation: 2, session: 1))
    let devices = rig.run(seconds: 15)
    expectEqual(
      devices[0].lines,
      [
        "3 s invitation 1 of peer 1", "4 s session 1: peer 1 connecting", "4 s session 1: peer 1 connected",
        "6 s invitation 2 of peer 1", "8 s session 1: peer 1 notConnected", "8 s session 1: peer 1 connecting",
        "8 s session 1: peer 1 connected",
      ])
    expectEqual(
      devices[1].lines,
      [
        "0 s browser 1 found peer 0", "3 s session 1: peer 0 connecting", "4 s session 1: peer 0 connected",
        "6 s session 2: peer 0 connecting", "8 s session 1: peer 0 notConnected", "8 s session 2: peer 0 connected",
      ])
  }

  @Test("nobody is accepted into a session of its own ID")
  func own() {
    var rig = InvitationTests.rig()
    rig.at(0, 0, open(2, 1))
    rig.at(3_000, 1, InvitationTests.invite(0))
    rig.at(4_000, 0, .answer(invitation: 1, session: 2))
    expectEqual(
      rig.run(seconds: 6)[0].log.map(\.event),
      [
        .invited(advertiser: 1, invitation: 1, from: PeerRig.name(1), context: nil),
        .failed(session: 2, .invalidParameter),
      ])
  }

  @Test("where a second connection ends the first, the end is told in the same call")
  func earlier() {
    var rig = InvitationTests.rig { $0.quirks.endsEarlierSession = true }
    rig.at(3_000, 1, InvitationTests.invite(0))
    rig.at(4_000, 0, .answer(invitation: 1, session: 1))
    var bench = DeviceBench(rig.run(seconds: 5)[0].device)
    expectEqual(bench.ask(open(2, 0), at: 5_000), [])
    bench.device.sessions[1].machine.set(PeerRig.name(1).id, .connected)
    expectEqual(
      bench.collect(at: 5_000), [state(2, 1, .connecting), state(2, 1, .connected), state(1, 1, .notConnected)])
  }
}
