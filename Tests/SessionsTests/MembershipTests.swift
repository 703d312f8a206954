import RollcallExpectations
import RollcallPrimitives
import RollcallSessions
import RollcallSimulation
import RollcallWire
import Testing

@Suite("Who becomes a member of a session, and in which states")
struct MembershipTests {
  @Test("an accepted invitation connects both, context unchanged", arguments: [nil, [], [1, 2, 3]] as [[UInt8]?])
  func accepted(context: [UInt8]?) {
    var rig = SessionRig(2)
    rig.invite(10, 0, 1, context: context)
    let hosts = rig.run(seconds: 5)
    expectEqual(hosts[0].states(of: 1), whole)
    expectEqual(hosts[1].states(of: 0), whole)
    expectEqual(hosts[0].session.connectedPeers, [SessionRig.id(1)])
    let invitations = hosts[1].log.compactMap { entry -> [UInt8]?? in
      if case .invited(1, _, let context) = entry.event { return .some(context) }
      return nil
    }
    expectEqual(invitations, [context])
    expectEqual(hosts[1].rejections, [])
  }

  @Test("the largest context arrives, and one byte more is refused where it is given")
  func largeContext() {
    var rig = SessionRig(3)
    let largest = [UInt8](repeating: 9, count: SessionControl.contextBytesMaximum)
    rig.invite(10, 0, 1, context: largest)
    rig.invite(20, 0, 2, context: largest + [1])
    let hosts = rig.run(seconds: 5)
    expectEqual(hosts[1].states(of: 0), whole)
    expectEqual(hosts[0].errors, [.invalidParameter])
    expectEqual(hosts[2].log.count, 0)
  }

  @Test("who declines is told of no state, and its inviter hears that it is not connected")
  func declined() {
    var rig = SessionRig(2)
    rig.hosts[1].accepts = false
    rig.invite(10, 0, 1)
    let hosts = rig.run(seconds: 5)
    expectEqual(hosts[0].states(of: 1), [.connecting, .notConnected])
    expectEqual(hosts[1].states(of: 0), [])
  }

  @Test("a silent refusal looks like no answer: the inviter waits for its timeout")
  func declinedSilently() {
    var rig = SessionRig(2) { $0.declining = .silent }
    rig.hosts[1].accepts = false
    rig.invite(10, 0, 1, seconds: 4)
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts[0].log.last?.at, SessionRig.time(4_010))
    expectEqual(hosts[0].states(of: 1), [.connecting, .notConnected])
  }

  @Test("an invitation that nobody answers ends at its timeout, 30 s where none is given, and leaves nothing")
  func unanswered() {
    for (seconds, end) in [(5, 5_010), (0, 30_010), (-1, 30_010)] as [(Int64, Int64)] {
      var rig = SessionRig(2)
      rig.hosts[1].accepts = nil
      rig.invite(10, 0, 1, seconds: seconds)
      rig.at(40_000, 1, .answer(1, true))
      let hosts = rig.run(seconds: 60)
      expectEqual(hosts[0].states(of: 1), [.connecting, .notConnected])
      let ended = hosts[0].log.last { if case .state = $0.event { true } else { false } }
      expectEqual(ended?.at, SessionRig.time(end))
      expectEqual(hosts[1].states(of: 0), [])
      expectEqual(hosts.map(\.session.linkCount), [0, 0])
      expectEqual(hosts[1].errors, [])
    }
  }

  @Test("a peer that vanished is waited for as long as the invitation lasts")
  func vanished() {
    var rig = SessionRig(1)
    rig.invite(10, 0, 7, seconds: 12)
    let hosts = rig.run(seconds: 20)
    expectEqual(hosts[0].states(of: 7), [.connecting, .notConnected])
    expectEqual(hosts[0].log.last?.at, SessionRig.time(12_010))
  }

  @Test("a second answer changes nothing, or is an error", arguments: SessionPolicy.SecondAnswer.allCases)
  func secondAnswer(policy: SessionPolicy.SecondAnswer) {
    var rig = SessionRig(2) { $0.secondAnswer = policy }
    rig.invite(10, 0, 1)
    rig.at(1_000, 1, .answer(1, false))
    let hosts = rig.run(seconds: 5)
    expectEqual(hosts[1].states(of: 0), whole)
    expectEqual(hosts[1].errors, policy == .refused ? [.invalidParameter] : [])
  }

  @Test("mutual invitations at one moment: the lower one stands, or both fail as in the field (MX-1)")
  func mutual() {
    for gap in [0, 1, 3, 5, 8, 11] as [Int64] {
      for first in [0, 1] {
        var rig = SessionRig(2)
        rig.invite(10, first, 1 - first)
        rig.invite(10 + gap, 1 - first, first)
        // Ends that nobody acknowledges are said for 5 s.
        let hosts = rig.run(seconds: 8)
        expectEqual(hosts.map(\.session.connectedPeers.count), [1, 1], "\(gap) ms, \(first) first")
        expectEqual(hosts[0].session.linkCount, 1, "\(gap) ms, \(first) first")
      }
    }
    var rig = SessionRig(2) { $0.mutualInvitations = .bothFail }
    rig.invite(10, 0, 1)
    rig.invite(10, 1, 0)
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts.map(\.session.connectedPeers.count), [0, 0])
    expectEqual(hosts[0].states(of: 1), [.connecting, .connected, .notConnected])
  }

  @Test("a third member is introduced to the second one, whoever invites")
  func mesh() {
    for (from, to) in [(0, 2), (2, 0), (1, 2), (2, 1)] {
      var rig = SessionRig(3)
      rig.invite(10, 0, 1)
      rig.invite(1_000, from, to)
      let hosts = rig.run(seconds: 5)
      expectEqual(hosts.map(\.session.connectedPeers.count), [2, 2, 2], "\(from) invites \(to)")
      for host in 0..<3 { for peer in 0..<3 where peer != host { expectEqual(hosts[host].states(of: peer), whole) } }
    }
  }

  @Test("eight are a session, and the ninth is refused on both ways in")
  func ninth() {
    var rig = SessionRig(10)
    for other in 1..<8 { rig.invite(Int64(other) * 500, 0, other) }
    rig.invite(6_000, 0, 8)
    rig.invite(7_000, 9, 3)
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts.map(\.session.connectedPeers.count), [7, 7, 7, 7, 7, 7, 7, 7, 0, 0])
    expectEqual(hosts[0].errors, [.unavailable])
    expectEqual(hosts[9].states(of: 3), [.connecting, .notConnected])
  }

  @Test("who leaves is reported by every other member, cannot send, and can come back")
  func disconnect() {
    var rig = SessionRig(3)
    rig.invite(10, 0, 1)
    rig.invite(500, 0, 2)
    rig.at(2_000, 2, .disconnect)
    rig.at(2_001, 2, .send([1], [SessionRig.id(0)]))
    rig.invite(4_000, 2, 1)
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts[2].errors, [.notConnected])
    for host in 0..<2 { expectEqual(hosts[host].states(of: 2), whole + [.notConnected] + whole) }
    expectEqual(hosts[2].states(of: 0), whole + [.notConnected] + whole)
    expectEqual(hosts.map(\.session.linkCount), [2, 2, 2])
  }

  @Test("one's own disconnect is reported peer by peer, or not at all; reuse works, or sticks (MX-8)")
  func ownDisconnect() {
    var rig = SessionRig(2) {
      $0.ownDisconnect = .silent
      $0.reuse = .stuckInConnecting
    }
    rig.invite(10, 0, 1)
    rig.at(1_000, 0, .disconnect)
    rig.invite(2_000, 0, 1, seconds: 5)
    let hosts = rig.run(seconds: 10)
    expectEqual(hosts[0].states(of: 1), whole + [.connecting, .notConnected])
    expectEqual(hosts[1].states(of: 0), whole + [.notConnected])
  }

  @Test("connections beyond a planted limit fail (MX-13)")
  func linksRunOut() {
    var rig = SessionRig(2) { $0.connectionsMaximum = 2 }
    for round in 0..<3 as Range<Int64> {
      rig.invite(10 + round * 8_000, 0, 1, seconds: 3)
      rig.at(4_000 + round * 8_000, 0, .disconnect)
    }
    let hosts = rig.run(seconds: 40)
    expectEqual(hosts[0].states(of: 1).count { $0 == .connected }, 2)
  }

  @Test("a peer that falls silent is gone after 20 s, and not before")
  func gone() {
    var rig = SessionRig(2)
    rig.invite(10, 0, 1)
    let fault = Fault.partition(number: 1, from: [1], to: [0])
    let hosts = rig.run(seconds: 60, faults: [(SessionRig.time(5_000), fault)])
    expectEqual(hosts[0].states(of: 1), whole + [.notConnected])
    let end = hosts[0].log.last!.at
    #expect(end > SessionRig.time(22_000) && end <= SessionRig.time(25_000))
  }

  @Test("all nine pairs of encryption preferences connect as the matrix says")
  func matrix() {
    let outcomes: [Bool?] = [true, true, false, true, true, nil, false, nil, false]
    var place = 0
    for one in EncryptionPreference.allCases {
      for other in EncryptionPreference.allCases {
        var rig = SessionRig(2, preferences: [one, other])
        rig.invite(10, 0, 1)
        var kinds: Set<UInt8> = []
        let hosts = rig.run(seconds: 3) { _, bytes in if bytes[0] > 3 { kinds.insert(bytes[0]) } }
        let outcome = outcomes[place]
        expectEqual(hosts[0].states(of: 1), outcome == nil ? [.connecting, .notConnected] : whole, "\(one) \(other)")
        expectEqual(kinds, outcome.map { [$0 ? 5 : 4] } ?? [], "\(one) \(other)")
        place += 1
      }
    }
  }

  @Test("certificates are shown where the owner decides; a no ends both sides, no answer lasts until the timeout")
  func certificates() {
    for answer in [true, false, nil] {
      var rig = SessionRig(2, certificates: [[1, 2], [3]]) { $0.certificateDecision = .asked }
      rig.invite(10, 0, 1, seconds: 5)
      rig.at(1_000, 0, .decide(SessionRig.id(1), true))
      if let answer { rig.at(1_000, 1, .decide(SessionRig.id(0), answer)) }
      let hosts = rig.run(seconds: 8)
      let end: [PeerState] = answer == true ? whole : [.connecting, .notConnected]
      expectEqual(hosts[0].states(of: 1), end)
      expectEqual(hosts[1].states(of: 0), end)
      #expect(hosts[1].log.contains { $0.event == .certificate(SessionRig.id(0), chain: [[1, 2], [3]]) })
    }
  }

  @Test("the last place is for the invitation that is accepted first: the other one cannot be, and its sender hears it")
  func lastPlace() {
    var rig = SessionRig(3) { $0.peersMaximum = 2 }
    rig.hosts[0].accepts = nil
    for other in 1...2 {
      rig.invite(Int64(other) * 10, other, 0)
      rig.at(1_000, 0, .answer(other, true))
    }
    // Host 2 answers ends that come again for 5 s.
    let hosts = rig.run(seconds: 8)
    expectEqual(hosts[0].errors, [.unavailable])
    expectEqual(hosts[0].states(of: 1), whole)
    expectEqual(hosts[0].states(of: 2), [])
    expectEqual(hosts[1].states(of: 0), whole)
    expectEqual(hosts[2].states(of: 0), [.connecting, .notConnected])
    expectEqual(hosts.map(\.session.linkCount), [1, 1, 0])
  }

  @Test("a decision counts once, and nobody connects with oneself")
  func decidedTwice() {
    var rig = SessionRig(2, certificates: [[1]]) { $0.certificateDecision = .asked }
    rig.invite(5, 0, 0)
    rig.invite(10, 0, 1)
    for answer in [true, true, false] { rig.at(1_000, 0, .decide(SessionRig.id(1), answer)) }
    rig.at(2_000, 1, .decide(SessionRig.id(0), true))
    var hosts = rig.run(seconds: 5)
    expectEqual(hosts[0].errors, [.invalidParameter])
    expectEqual(hosts[0].states(of: 0), [])
    expectEqual(hosts[0].states(of: 1), whole)
    expectEqual(hosts[1].states(of: 0), whole)
    expectEqual(hosts.flatMap(\.rejections), [])
    #expect(throws: SessionError.invalidParameter) { try hosts[0].session.connectionData(for: SessionRig.id(0)) }
  }
}
