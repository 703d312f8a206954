import MultipeerConnectivity
import RollcallExpectations
import Testing

/// What the documentation leaves open: each choice with both of its values, and which of them is the default.
@Suite struct PolicyTests {
  private func policies(_ change: (inout PeerPolicies) -> Void) -> PeerPolicies {
    var policies = PeerPolicies()
    change(&policies)
    return policies
  }

  @Test func `defaults`() {
    let policies = PeerPolicies()
    expectEqual(policies.acceptWithoutSession, .declines)
    expectEqual(policies.secondAnswer, .isIgnored)
    expectEqual(policies.answerAfterStop, .isGiven)
    expectEqual(policies.repeatedInvitation, .isIgnored)
    expectEqual(policies.emptyMessage, .isAllowed)
    expectEqual(policies.emptyReceivers, .isInvalid)
    expectEqual(policies.unknownReceiver, .stopsTheMessage)
    expectEqual(policies.ninthPeer, .isRefused)
    expectEqual(policies.changedInfo, .isFoundAgain)
    expectEqual(policies.certificateWithoutCallback, .isAccepted)
    expectEqual(policies.tellsOfOwnDisconnect, true)
    expectEqual(policies.findsOwnAdvertisement, false)
    expectEqual(policies.messageBytesMaximum, nil)
  }

  @Test(arguments: PeerPolicies.AcceptWithoutSession.allCases)
  func `accepting without a session`(choice: PeerPolicies.AcceptWithoutSession) throws {
    let bench = Bench(policies { $0.acceptWithoutSession = choice })
    try bench.invited()(true, nil)
    let isDeclined = choice == .declines
    expectEqual(bench.device.requests, isDeclined ? [.advertiser(.answer(invitation: 1, session: nil))] : [])
    expectEqual(bench.device.misuses, [.acceptedWithoutSession])
  }

  @Test(arguments: PeerPolicies.SecondAnswer.allCases)
  func `a second answer`(choice: PeerPolicies.SecondAnswer) throws {
    let bench = Bench(policies { $0.secondAnswer = choice })
    let handler = try bench.invited()
    handler(false, nil)
    handler(true, bench.session)
    let first = NearbyRequest.advertiser(.answer(invitation: 1, session: nil))
    let second = NearbyRequest.advertiser(.answer(invitation: 1, session: bench.sessionNumber))
    expectEqual(bench.device.requests, choice == .isGiven ? [first, second] : [first])
    expectEqual(bench.device.misuses, [.repeatedAnswer])
  }

  @Test(arguments: PeerPolicies.AnswerAfterStop.allCases)
  func `an answer after the advertiser has stopped`(choice: PeerPolicies.AnswerAfterStop) throws {
    let bench = Bench(policies { $0.answerAfterStop = choice })
    let handler = try bench.invited()
    bench.advertiser.stopAdvertisingPeer()
    handler(true, bench.session)
    let answer = NearbyRequest.advertiser(.answer(invitation: 1, session: bench.sessionNumber))
    expectEqual(bench.device.requests.dropFirst(), choice == .isGiven ? [answer] : [])
  }

  @Test(arguments: PeerPolicies.RepeatedInvitation.allCases)
  func `a second invitation while the first is under way`(choice: PeerPolicies.RepeatedInvitation) throws {
    let bench = Bench(policies { $0.repeatedInvitation = choice })
    let peer = try bench.found()
    for _ in 0..<2 { bench.browser.invitePeer(peer, to: bench.session, withContext: nil, timeout: 0) }
    expectEqual(bench.device.requests.count, choice == .isSent ? 2 : 1)
    expectEqual(bench.device.misuses, [.repeatedInvitation])
    // After its end there can be another one.
    bench.device.push(.state(.other(1), .notConnected))
    bench.browser.invitePeer(peer, to: bench.session, withContext: nil, timeout: 0)
    expectEqual(bench.device.requests.count, choice == .isSent ? 3 : 2)
    expectEqual(bench.device.misuses.count, 1)
  }

  @Test(arguments: PeerPolicies.Emptiness.allCases)
  func `an empty message`(choice: PeerPolicies.Emptiness) throws {
    let bench = Bench(policies { $0.emptyMessage = choice })
    let peer = try bench.connected()
    if choice == .isAllowed {
      try bench.session.send(Data(), toPeers: [peer], with: .reliable)
      expectEqual(bench.device.sessionRequests, [.send([], to: [.other(1)], .reliable)])
    } else {
      #expect(throws: MCError(.invalidParameter)) {
        try bench.session.send(Data(), toPeers: [peer], with: .reliable)
      }
      expectEqual(bench.device.sessionRequests, [])
    }
  }

  @Test(arguments: PeerPolicies.Emptiness.allCases)
  func `a message to nobody`(choice: PeerPolicies.Emptiness) throws {
    let bench = Bench(policies { $0.emptyReceivers = choice })
    if choice == .isAllowed {
      try bench.session.send(Data([1]), toPeers: [], with: .reliable)
    } else {
      #expect(throws: MCError(.invalidParameter)) {
        try bench.session.send(Data([1]), toPeers: [], with: .reliable)
      }
    }
    expectEqual(bench.device.sessionRequests, [])
  }

  @Test(arguments: PeerPolicies.UnknownReceiver.allCases)
  func `a message of which one receiver is not connected`(choice: PeerPolicies.UnknownReceiver) throws {
    let bench = Bench(policies { $0.unknownReceiver = choice })
    let peer = try bench.connected()
    #expect(throws: MCError(.notConnected)) {
      try bench.session.send(Data([1]), toPeers: [peer, .of(.other(2))], with: .reliable)
    }
    expectEqual(bench.device.sessionRequests, choice == .isLeftOut ? [.send([1], to: [.other(1)], .reliable)] : [])
  }

  @Test func `a message of more bytes than a device takes`() throws {
    let bench = Bench(policies { $0.messageBytesMaximum = 2 })
    let peer = try bench.connected()
    try bench.session.send(Data([1, 2]), toPeers: [peer], with: .reliable)
    #expect(throws: MCError(.invalidParameter)) {
      try bench.session.send(Data([1, 2, 3]), toPeers: [peer], with: .reliable)
    }
    let unlimited = Bench()
    let other = try unlimited.connected()
    try unlimited.session.send(Data(count: 1_000_000), toPeers: [other], with: .reliable)
    expectEqual(bench.device.sessionRequests.count, 1)
    expectEqual(unlimited.device.sessionRequests.count, 1)
  }

  @Test(arguments: PeerPolicies.NinthPeer.allCases)
  func `one peer more than a session holds`(choice: PeerPolicies.NinthPeer) throws {
    let bench = Bench(policies { $0.ninthPeer = choice })
    for number in 1...6 { try bench.connected(UInt8(number)) }
    let seventh = try bench.found(7)
    bench.browser.invitePeer(seventh, to: bench.session, withContext: nil, timeout: 0)
    expectEqual(bench.device.requests.count, 1)
    #expect(bench.device.misuses.isEmpty)
    // Seven others are in, or on their way.
    let handler = try bench.invited(9)
    bench.browser.invitePeer(.of(.other(8)), to: bench.session, withContext: nil, timeout: 0)
    handler(true, bench.session)
    bench.device.settle()
    let isRefused = choice == .isRefused
    expectEqual(bench.device.misuses, isRefused ? [.fullSession, .fullSession] : [])
    expectEqual(bench.recorder.lines, isRefused ? ["peer 8 notConnected of 6"] : [])
    expectEqual(
      bench.device.requests.last,
      .advertiser(.answer(invitation: 9, session: isRefused ? nil : bench.sessionNumber)))
    expectEqual(bench.device.requests.count, isRefused ? 1 : 2)
  }

  @Test(arguments: PeerPolicies.ChangedInfo.allCases)
  func `discovery information that changes`(choice: PeerPolicies.ChangedInfo) {
    let bench = Bench(policies { $0.changedInfo = choice })
    bench.browser.startBrowsingForPeers()
    let info = [InfoPair(key: "k", value: "2")]
    bench.device.push(
      .browser(.found(run: 1, .other(1), nil)), .browser(.found(run: 1, .other(1), info)),
      .browser(.lost(run: 1, .other(1))))
    expectEqual(
      bench.recorder.lines,
      choice == .isFoundAgain
        ? ["found peer 1 nil", "found peer 1 k=2", "lost peer 1"] : ["found peer 1 nil", "lost peer 1"])
  }

  @Test(arguments: [true, false])
  func `callbacks after one's own disconnect`(tells: Bool) throws {
    let bench = Bench(policies { $0.tellsOfOwnDisconnect = tells })
    try bench.connected(1)
    bench.device.push(.state(.other(2), .connecting))
    bench.recorder.clear()
    bench.session.disconnect()
    bench.device.settle()
    expectEqual(bench.recorder.lines, tells ? ["peer 1 notConnected of 0", "peer 2 notConnected of 0"] : [])
  }

  @Test(arguments: [true, false])
  func `one's own advertisement`(finds: Bool) {
    let bench = Bench(policies { $0.findsOwnAdvertisement = finds })
    bench.browser.startBrowsingForPeers()
    bench.device.push(.browser(.found(run: 1, bench.peer.key, nil)), .browser(.lost(run: 1, bench.peer.key)))
    expectEqual(bench.recorder.lines, finds ? ["found me nil", "lost me"] : [])
  }

  @Test func `a change in silence is no find, and the same find once more is one`() {
    let bench = Bench(policies { $0.changedInfo = .isSilent })
    bench.browser.startBrowsingForPeers()
    let info = [InfoPair(key: "k", value: "2")]
    for found in [nil, nil, info, info] as [[InfoPair]?] {
      bench.device.push(.browser(.found(run: 1, .other(1), found)))
    }
    expectEqual(bench.recorder.lines, ["found peer 1 nil", "found peer 1 nil", "found peer 1 k=2"])
  }
}
