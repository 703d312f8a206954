import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@testable import RollcallPeers

@Suite struct InvitationTests {
  static func invite(_ number: Int, context: [UInt8]? = nil, seconds: Int64 = 0) -> PeerCommand {
    .invite(PeerRig.name(number).id, session: 1, context: context, time: .seconds(seconds))
  }

  /// Device 0 advertises, and 1 browses.
  static func rig(_ count: Int = 2, _ change: (inout PeerPlan) -> Void = { _ in }) -> PeerRig {
    var rig = PeerRig(count, change)
    rig.advertise(0, 0)
    rig.browse(0, 1)
    return rig
  }

  @Test("an invitation that is accepted connects both sessions, whichever ID is lower, and messages go both ways")
  func accepted() {
    for inviter in 0..<2 {
      let other = 1 - inviter
      var rig = PeerRig(2)
      rig.advertise(0, other)
      rig.browse(0, inviter)
      rig.devices[other].acceptsInto = 1
      rig.at(3_000, inviter, InvitationTests.invite(other, context: [1, 2, 3]))
      rig.at(4_000, inviter, .session(1, .send([9], to: [PeerRig.name(other).id], isReliable: true)))
      rig.at(5_000, other, .session(1, .send([8, 8], to: [PeerRig.name(inviter).id], isReliable: false)))
      rig.at(6_000, other, .session(1, .disconnect))
      let devices = rig.run(seconds: 30)
      expectEqual(
        devices[inviter].lines,
        [
          "0 s browser 1 found peer \(other)", "3 s session 1: peer \(other) connecting",
          "3 s session 1: peer \(other) connected", "5 s session 1: 2 bytes of peer \(other), unreliable",
          "6 s session 1: peer \(other) notConnected",
        ])
      expectEqual(
        devices[other].lines,
        [
          "3 s invitation 1 of peer \(inviter) with 3 bytes", "3 s session 1: peer \(inviter) connecting",
          "3 s session 1: peer \(inviter) connected", "4 s session 1: 1 bytes of peer \(inviter)",
          "6 s session 1: peer \(inviter) notConnected",
        ])
    }
  }

  @Test("a member that is no longer found and is invited again stays a member, and nobody is told otherwise")
  func memberNotFound() {
    var rig = InvitationTests.rig()
    rig.devices[0].acceptsInto = 1
    rig.at(3_000, 1, InvitationTests.invite(0))
    rig.at(6_000, 0, .stopAdvertising(1))
    rig.at(9_000, 1, InvitationTests.invite(0))
    rig.at(12_000, 1, .session(1, .send([9], to: [PeerRig.name(0).id], isReliable: true)))
    let devices = rig.run(seconds: 15)
    expectEqual(
      devices[1].lines,
      [
        "0 s browser 1 found peer 0", "3 s session 1: peer 0 connecting", "3 s session 1: peer 0 connected",
        "7 s browser 1 lost peer 0",
      ])
    expectEqual(devices[0].lines.last, "12 s session 1: 1 bytes of peer 1")
  }

  @Test("an invitation that is declined ends at once, and one that nobody answers when its time is over")
  func declinedAndLate() {
    var rig = InvitationTests.rig()
    rig.devices[0].declines = true
    rig.at(3_000, 1, InvitationTests.invite(0))
    var devices = rig.run(seconds: 60)
    expectEqual(
      devices[1].lines,
      ["0 s browser 1 found peer 0", "3 s session 1: peer 0 connecting", "3 s session 1: peer 0 notConnected"])
    rig.devices[0].declines = false
    rig.at(40_000, 0, .answer(invitation: 1, session: 1))
    devices = rig.run(seconds: 60)
    expectEqual(
      devices[1].lines,
      ["0 s browser 1 found peer 0", "3 s session 1: peer 0 connecting", "33 s session 1: peer 0 notConnected"])
    expectEqual(devices[0].lines, ["3 s invitation 1 of peer 1", "33 s invitation 1 ended"])
    // Its own time, or that of the device where it is shorter.
    let attempts: [(seconds: Int64, maximum: Int64?, end: Int)] = [
      (0, nil, 33), (3, nil, 6), (0, 5, 8), (3, 5, 6), (10, 5, 8),
    ]
    for one in attempts {
      var rig = InvitationTests.rig { $0.quirks.attemptMaximum = one.maximum.map { Interval.seconds($0) } }
      rig.at(3_000, 1, InvitationTests.invite(0, seconds: one.seconds))
      expectEqual(rig.run(seconds: 40)[1].lines.last, "\(one.end) s session 1: peer 0 notConnected", "\(one)")
    }
  }

  @Test("an acceptance that gets through only after ten seconds still connects both")
  func lateAcceptance() {
    for inviter in 0..<2 {
      let other = 1 - inviter
      var rig = PeerRig(2)
      rig.advertise(0, other)
      rig.browse(0, inviter)
      rig.at(3_000, inviter, InvitationTests.invite(other))
      rig.at(4_000, other, .answer(invitation: 1, session: 1))
      rig.faults = [
        (PeerRig.time(3_500), .partition(number: 1, from: [other], to: [inviter])),
        (PeerRig.time(14_000), .healPartition(number: 1)),
      ]
      let devices = rig.run(seconds: 60)
      expectEqual(devices.map(\.states), (0..<2).map { ["peer \(1 - $0) connecting", "peer \(1 - $0) connected"] })
    }
  }

  @Test("of two that invite each other at once the invitation of the lower ID stands, and both are connected")
  func mutual() {
    for lead in [-1, 0, 1, 40, 400] {
      var rig = PeerRig(2)
      for number in 0..<2 {
        rig.advertise(0, number)
        rig.browse(0, number)
        rig.devices[number].acceptsInto = 1
        rig.at(5_000 + Int64(number) * Int64(lead), number, InvitationTests.invite(1 - number))
      }
      let devices = rig.run(seconds: 90)
      for number in 0..<2 {
        expectEqual(devices[number].states, ["peer \(1 - number) connecting", "peer \(1 - number) connected"])
      }
      // The other one is asked, and the lower ID is not told of an invitation that its own stands for.
      expectEqual(
        devices.map { $0.lines.filter { $0.contains("invitation") } }, [[], ["5 s invitation 1 of peer 0"]],
        "\(lead) ms")
    }
  }

  @Test("where both invitations go on, each ends the other")
  func mutualFails() {
    var rig = PeerRig(2) { $0.sessions.mutualInvitations = .bothFail }
    for number in 0..<2 {
      rig.advertise(0, number)
      rig.browse(0, number)
      rig.devices[number].acceptsInto = 1
      rig.at(5_000, number, InvitationTests.invite(1 - number))
    }
    let devices = rig.run(seconds: 90)
    for number in 0..<2 { expectEqual(devices[number].states.last, "peer \(1 - number) notConnected") }
  }

  @Test(
    "who invites the peer that invites it waits for its own answer to that invitation, if the other has the lower ID")
  func answersAndInvites() {
    var rig = PeerRig(2)
    for number in 0..<2 {
      rig.advertise(0, number)
      rig.browse(0, number)
    }
    rig.at(3_000, 0, InvitationTests.invite(1))
    rig.at(4_000, 1, InvitationTests.invite(0))
    rig.at(5_000, 1, .answer(invitation: 1, session: 1))
    var devices = rig.run(seconds: 60)
    expectEqual(devices[0].states, ["peer 1 connecting", "peer 1 connected"])
    expectEqual(devices[1].states, ["peer 0 connecting", "peer 0 connected"])
    // Declined instead.
    rig.devices[1].script.removeLast()
    rig.at(5_000, 1, .answer(invitation: 1, session: nil))
    devices = rig.run(seconds: 60)
    expectEqual(devices[0].states, ["peer 1 connecting", "peer 1 notConnected"])
    expectEqual(devices[1].states, ["peer 0 connecting", "peer 0 notConnected"])
    expectEqual(devices[1].lines.last, "5 s session 1: peer 0 notConnected")
    // Never answered: it waits as long as its own invitation would have.
    rig.devices[1].script.removeLast()
    for (seconds, end) in [(0, 34), (5, 9)] as [(Int64, Int)] {
      rig.devices[1].script.removeLast()
      rig.at(4_000, 1, InvitationTests.invite(0, seconds: seconds))
      devices = rig.run(seconds: 60)
      expectEqual(devices[1].states, ["peer 0 connecting", "peer 0 notConnected"])
      expectEqual(
        devices[1].lines.filter { $0.hasSuffix("notConnected") }, ["\(end) s session 1: peer 0 notConnected"])
    }
  }

  @Test("a third peer that one of two members invites is connected with both")
  func mesh() {
    var rig = PeerRig(3)
    for number in 0..<3 {
      rig.advertise(0, number)
      rig.browse(0, number)
      rig.devices[number].acceptsInto = 1
    }
    rig.at(3_000, 2, InvitationTests.invite(0))
    rig.at(5_000, 0, InvitationTests.invite(1))
    let devices = rig.run(seconds: 30)
    expectEqual(
      devices.map(\.states),
      [
        ["peer 2 connecting", "peer 2 connected", "peer 1 connecting", "peer 1 connected"],
        ["peer 0 connecting", "peer 0 connected", "peer 2 connecting", "peer 2 connected"],
        ["peer 0 connecting", "peer 0 connected", "peer 1 connecting", "peer 1 connected"],
      ])
    expectEqual(devices[2].device.name(of: PeerRig.name(1).id), "peer 1")
  }

  @Test("encryption that does not fit ends the attempt on both sides at once")
  func encryption() {
    var rig = PeerRig(2, preference: .none)
    rig.devices[0].script.removeAll { if case .command(.openSession) = $0.step { true } else { false } }
    rig.at(0, 0, .openSession(1, PeerSessionSetup(PeerRig.name(0), preference: .required)))
    rig.advertise(0, 0)
    rig.browse(0, 1)
    rig.devices[0].acceptsInto = 1
    rig.at(3_000, 1, InvitationTests.invite(0))
    let devices = rig.run(seconds: 10)
    expectEqual(devices[0].states, ["peer 1 connecting", "peer 1 notConnected"])
    expectEqual(devices[1].states, ["peer 0 connecting", "peer 0 notConnected"])
  }

  @Test("who advertises no longer is not asked, and the inviter waits for the end of its time")
  func vanished() {
    var rig = InvitationTests.rig()
    rig.at(3_000, 0, .act(.vanish))
    rig.at(4_000, 1, InvitationTests.invite(0))
    let devices = rig.run(seconds: 60)
    expectEqual(devices[1].states, ["peer 0 connecting", "peer 0 notConnected"])
    expectEqual(devices[1].lines.last, "34 s session 1: peer 0 notConnected")
    // One that was lost cannot be invited at all.
    rig.at(2_000, 0, .stopAdvertising(1))
    rig.devices[0].script.removeAll { if case .act(.vanish) = $0.step { true } else { false } }
    let lost = rig.run(seconds: 60)
    expectEqual(lost[1].lines.suffix(2), ["4 s session 1: peer 0 connecting", "4 s session 1: peer 0 notConnected"])
    forgotten()

    // After so many connections nothing opens another one, and what is open goes on (MX-13).
    var limited = InvitationTests.rig(3) { $0.quirks.connectionsMaximum = 1 }
    limited.devices[0].acceptsInto = 1
    limited.browse(0, 2)
    limited.at(3_000, 1, InvitationTests.invite(0))
    limited.at(4_000, 1, .session(1, .send([9], to: [PeerRig.name(0).id], isReliable: true)))
    limited.at(5_000, 2, InvitationTests.invite(0))
    let last = limited.run(seconds: 40)
    expectEqual(
      last[0].lines,
      [
        "3 s invitation 1 of peer 1", "3 s session 1: peer 1 connecting", "3 s session 1: peer 1 connected",
        "4 s session 1: 1 bytes of peer 1",
      ])
    expectEqual(last[2].lines.last, "35 s session 1: peer 0 notConnected")
  }

  /// What a device has of its sessions, and tells of them, at the instant at which it goes.
  private func forgotten() {
    for policy in SessionPolicy.OwnDisconnect.allCases {
      // Peer 1 is a member, with a stream; the invitation of peer 2 waits.
      var rig = InvitationTests.rig(3) { $0.sessions.ownDisconnect = policy }
      rig.browse(0, 2)
      rig.at(3_000, 1, InvitationTests.invite(0))
      rig.at(3_500, 0, .answer(invitation: 1, session: 1))
      rig.at(4_000, 2, InvitationTests.invite(0))
      rig.at(4_200, 0, .session(1, .openStream(7, name: "s", to: PeerRig.name(1).id)))
      let device = rig.run(seconds: 5)[0].device
      expectEqual(device.sessions[0].machine.presentPeers, [PeerRig.name(1).id])
      expectEqual(device.sessions[0].channels.map(\.number), [7])
      expectEqual(device.invitations.map(\.number), [2])
      for act in [Act.vanish, .crash(downFor: .seconds(9), keepsState: false)] {
        var bench = DeviceBench(device)
        expectEqual(bench.act(act, at: 5_000), [])
        expectEqual(bench.device.isOn, false)
        expectEqual(bench.device.sessions.map(\.machine.linkCount), [0])
        expectEqual(bench.device.receptions.map(\.machine.linkCount), [0])
        expectEqual(bench.device.sessions[0].channels.count, 0)
        expectEqual(bench.device.invitations.count, 0)
      }
      let stream = SessionChannelID(peer: PeerRig.name(1).id, number: 1, isIncoming: false)
      for act in [Act.leave, .reboot, .peer(.background)] {
        let told: [PeerEvent] = [
          .session(1, .ended(stream, .notConnected)), .session(1, .state(PeerRig.name(1).id, .notConnected)),
        ]
        var bench = DeviceBench(device)
        expectEqual(bench.act(act, at: 5_000), told, "\(act), \(policy)")
        expectEqual(bench.device.isOn, act == .peer(.background))
        bench = DeviceBench(device)
        expectEqual(bench.perform(act, at: 5_000), told, "\(act), \(policy)")
      }
    }
  }
}

extension ScriptedDevice {
  /// The states of the peers of its sessions, in order.
  var states: [String] {
    log.compactMap { entry in
      if case .session(_, .state(let peer, let state)) = entry.event { return "peer \(peer.low - 1) \(state)" }
      return nil
    }
  }
}
