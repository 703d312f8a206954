import MultipeerConnectivity
import RollcallExpectations
import Testing

@Suite struct DiscoveryTests {
  // MARK: Advertising

  @Test func `an advertiser says what it was made with, and cannot be changed`() {
    let bench = Bench()
    #expect(bench.advertiser.myPeerID === bench.peer)
    expectEqual(bench.advertiser.discoveryInfo, ["a": "1"])
    expectEqual(bench.advertiser.serviceType, "abc-txtchat")
    expectEqual(
      bench.device.roles.last,
      .advertiser(
        AdvertiserSetup(
          peer: bench.peer.key, serviceType: "abc-txtchat", info: [InfoPair(key: "a", value: "1")])))
  }

  @Test func `an illegal service type ends the program`() async {
    await #expect(processExitsWith: .failure) {
      _ = MCNearbyServiceAdvertiser(peer: MCPeerID(displayName: "a"), discoveryInfo: nil, serviceType: "Abc")
    }
    await #expect(processExitsWith: .failure) {
      _ = MCNearbyServiceBrowser(peer: MCPeerID(displayName: "a"), serviceType: "")
    }
    await #expect(processExitsWith: .failure) {
      let session = MCSession(peer: MCPeerID(displayName: "a"))
      _ = MCAdvertiserAssistant(serviceType: "-", discoveryInfo: nil, session: session)
    }
    await #expect(processExitsWith: .failure) {
      _ = MCBrowserViewController(serviceType: "a--b", session: MCSession(peer: MCPeerID(displayName: "a")))
    }
  }

  @Test func `each start of an advertiser is a run of its own, and a second start within one is none`() {
    let bench = Bench()
    bench.advertiser.stopAdvertisingPeer()
    bench.advertiser.startAdvertisingPeer()
    bench.advertiser.startAdvertisingPeer()
    bench.advertiser.stopAdvertisingPeer()
    bench.advertiser.stopAdvertisingPeer()
    bench.advertiser.startAdvertisingPeer()
    expectEqual(
      bench.device.requests,
      [.advertiser(.start(run: 1)), .advertiser(.stop(run: 1)), .advertiser(.start(run: 2))])
  }

  @Test func `a failed start is told once, and the advertiser can start again`() {
    let bench = Bench()
    bench.advertiser.startAdvertisingPeer()
    bench.device.push(
      .advertiser(.failed(run: 1, .multipeer(.unavailable))), .advertiser(.failed(run: 1, .multipeer(.unknown))))
    bench.advertiser.startAdvertisingPeer()
    bench.device.push(.advertiser(.failed(run: 1, .multipeer(.unknown))))
    expectEqual(bench.recorder.lines, ["not advertising unavailable"])
    expectEqual(bench.device.requests, [.advertiser(.start(run: 1)), .advertiser(.start(run: 2))])
  }

  @Test func `information that no TXT record takes fails at the start, and is a misuse`() {
    let device = ScriptedDevice()
    let recorder = Recorder()
    let advertiser = on(device) {
      MCNearbyServiceAdvertiser(
        peer: MCPeerID(displayName: "a"), discoveryInfo: ["a=b": "c"], serviceType: "abc")
    }
    advertiser.delegate = recorder
    advertiser.startAdvertisingPeer()
    device.settle()
    expectEqual(recorder.lines, ["not advertising invalidParameter"])
    expectEqual(device.misuses, [.discoveryInfo])
    expectEqual(device.requests, [])
  }

  // MARK: Invitations

  @Test(arguments: [nil, [], [1, 2, 255]] as [[UInt8]?])
  func `an invitation brings the peer and its context as it was sent`(context: [UInt8]?) {
    let bench = Bench()
    bench.advertiser.startAdvertisingPeer()
    bench.device.push(.advertiser(.invited(run: 1, invitation: 7, from: .other(1), context: context)))
    expectEqual(bench.recorder.lines, ["invited by peer 1 with \(context.map { $0.description } ?? "nil")"])
  }

  @Test func `an answer goes to the device with the number of the session, or without one`() throws {
    let accepting = Bench()
    try accepting.invited(3)(true, accepting.session)
    expectEqual(
      accepting.device.requests, [.advertiser(.answer(invitation: 3, session: accepting.sessionNumber))])
    for session in [accepting.session, nil] {
      let declining = Bench()
      try declining.invited(4)(false, session)
      expectEqual(declining.device.requests, [.advertiser(.answer(invitation: 4, session: nil))])
      #expect(declining.device.misuses.isEmpty)
    }
  }

  @Test func `a handler is called late, from any queue`() throws {
    let bench = Bench()
    nonisolated(unsafe) let handler = try bench.invited()
    bench.device.settle()
    DispatchQueue(label: "another").sync { handler(true, bench.session) }
    expectEqual(bench.device.requests, [.advertiser(.answer(invitation: 1, session: bench.sessionNumber))])
  }

  @Test func `a handler that outlives its advertiser does nothing`() throws {
    let device = ScriptedDevice()
    let recorder = Recorder()
    var advertiser: MCNearbyServiceAdvertiser? = on(device) {
      MCNearbyServiceAdvertiser(peer: MCPeerID(displayName: "a"), discoveryInfo: nil, serviceType: "abc")
    }
    advertiser?.delegate = recorder
    advertiser?.startAdvertisingPeer()
    device.push(.advertiser(.invited(run: 1, invitation: 1, from: .other(1), context: nil)))
    advertiser = nil
    device.settle()
    expectEqual(device.detached, [NearbyNumber(1)])
    device.forgetRequests()
    let handler = try #require(recorder.handlers.first)
    handler(false, nil)
    expectEqual(device.requests, [])
  }

  @Test func `an invitation after the end of its run is not told`() {
    let bench = Bench()
    bench.advertiser.startAdvertisingPeer()
    bench.advertiser.stopAdvertisingPeer()
    bench.device.push(.advertiser(.invited(run: 1, invitation: 1, from: .other(1), context: nil)))
    bench.advertiser.startAdvertisingPeer()
    bench.device.push(.advertiser(.invited(run: 1, invitation: 1, from: .other(1), context: nil)))
    expectEqual(bench.recorder.lines, [])
    bench.device.push(.advertiser(.invited(run: 2, invitation: 1, from: .other(1), context: nil)))
    expectEqual(bench.recorder.lines, ["invited by peer 1 with nil"])
  }

  @Test func `a session of another device declines, and is a misuse`() throws {
    let bench = Bench()
    let other = Bench()
    try bench.invited()(true, other.session)
    expectEqual(bench.device.requests, [.advertiser(.answer(invitation: 1, session: nil))])
    expectEqual(bench.device.misuses, [.foreignSession])
  }

  // MARK: Browsing

  @Test func `a browser tells of peers between start and stop only, and of all of them after a new start`() {
    let bench = Bench()
    bench.browser.startBrowsingForPeers()
    bench.browser.startBrowsingForPeers()
    let info = [InfoPair(key: "k", value: "v")]
    bench.device.push(.browser(.found(run: 1, .other(1), info)), .browser(.found(run: 1, .other(2), nil)))
    bench.device.push(.browser(.lost(run: 1, .other(2))), .browser(.lost(run: 1, .other(3))))
    bench.browser.stopBrowsingForPeers()
    bench.device.push(.browser(.lost(run: 1, .other(1))), .browser(.found(run: 1, .other(4), nil)))
    bench.browser.startBrowsingForPeers()
    bench.device.push(.browser(.lost(run: 2, .other(1))))
    bench.device.push(.browser(.found(run: 1, .other(5), nil)), .browser(.found(run: 2, .other(1), [])))
    expectEqual(bench.recorder.lines, ["found peer 1 k=v", "found peer 2 nil", "lost peer 2", "found peer 1 "])
    expectEqual(
      bench.device.requests, [.browser(.start(run: 1)), .browser(.stop(run: 1)), .browser(.start(run: 2))])
  }

  @Test func `what waits in the queue when a browser stops is not told`() {
    let bench = Bench()
    bench.browser.startBrowsingForPeers()
    bench.device.callbacks.suspend()
    bench.device.pushOnly(.browser(.found(run: 1, .other(1), nil)))
    bench.browser.stopBrowsingForPeers()
    bench.device.callbacks.resume()
    bench.device.settle()
    expectEqual(bench.recorder.lines, [])
  }

  @Test func `a failed start of a browser is told once`() {
    let bench = Bench()
    bench.browser.startBrowsingForPeers()
    let error = NearbyEvent.browser(.failed(run: 1, .lower(domain: "NSNetServicesErrorDomain", code: -72008)))
    bench.device.push(error, error)
    bench.browser.startBrowsingForPeers()
    bench.device.push(error)
    expectEqual(bench.recorder.lines, ["not browsing NSNetServicesErrorDomain -72008"])
  }

  /// MX-4: the storm after a return to the foreground is the device's, and every one of it is told.
  @Test func `the same peer found again is told again`() {
    let bench = Bench()
    bench.browser.startBrowsingForPeers()
    for _ in 0..<3 { bench.device.push(.browser(.found(run: 1, .other(1), nil))) }
    expectEqual(bench.recorder.lines, Array(repeating: "found peer 1 nil", count: 3))
    #expect(bench.recorder.peers.allSatisfy { $0 === bench.recorder.peers.first })
  }

  /// MX-10: an advertiser that stops and starts comes back as the same peer, with nothing between.
  @Test func `an advertiser that starts again is the same peer to a browser that lost nothing`() {
    let bench = Bench()
    bench.browser.startBrowsingForPeers()
    bench.device.push(.browser(.found(run: 1, .other(1), [])), .browser(.found(run: 1, .other(1), [])))
    bench.device.push(.browser(.lost(run: 1, .other(1))))
    expectEqual(bench.recorder.lines, ["found peer 1 ", "found peer 1 ", "lost peer 1"])
    bench.advertiser.startAdvertisingPeer()
    bench.advertiser.stopAdvertisingPeer()
    bench.advertiser.startAdvertisingPeer()
    let setups = bench.device.roles.filter { if case .advertiser = $0 { true } else { false } }
    expectEqual(setups.count, 1)
  }

  // MARK: Inviting

  @Test func `an invitation goes to the device with context and time-out`() throws {
    let bench = Bench()
    let peer = try bench.found()
    bench.browser.invitePeer(peer, to: bench.session, withContext: Data([1, 2]), timeout: 5)
    bench.device.push(.state(.other(1), .notConnected))
    bench.browser.invitePeer(peer, to: bench.session, withContext: nil, timeout: .infinity)
    bench.device.push(.state(.other(1), .notConnected))
    bench.browser.invitePeer(peer, to: bench.session, withContext: Data(), timeout: -1)
    let number = bench.sessionNumber
    expectEqual(
      bench.device.requests,
      [
        .browser(
          .invite(Invitation(peer: .other(1), session: number, context: [1, 2], timeoutNanoseconds: 5_000_000_000))),
        .browser(.invite(Invitation(peer: .other(1), session: number, context: nil, timeoutNanoseconds: nil))),
        .browser(
          .invite(Invitation(peer: .other(1), session: number, context: [], timeoutNanoseconds: 30_000_000_000))),
      ])
  }

  @Test func `an invitation that is declined, or not answered in time, ends in not connected`() throws {
    let bench = Bench()
    let peer = try bench.found()
    bench.browser.invitePeer(peer, to: bench.session, withContext: nil, timeout: 0)
    bench.device.push(.state(.other(1), .notConnected))
    expectEqual(bench.recorder.lines, ["peer 1 notConnected of 0"])
  }

  /// MP-04: the device is asked for the identity, which is another one.
  @Test func `a peer of the application's own making is not the one with that name`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let imitation = on(bench.device) { MCPeerID(displayName: peer.displayName) }
    #expect(throws: MCError(.notConnected)) {
      try bench.session.send(Data([1]), toPeers: [imitation], with: .reliable)
    }
    expectEqual(bench.device.requests, [])
  }

  @Test func `an invitation of oneself, or into a session of another device, is a misuse`() throws {
    let bench = Bench()
    let other = Bench()
    bench.browser.invitePeer(bench.peer, to: bench.session, withContext: nil, timeout: 0)
    bench.browser.invitePeer(try bench.found(), to: other.session, withContext: nil, timeout: 0)
    expectEqual(bench.device.misuses, [.ownPeer, .foreignSession])
    expectEqual(bench.device.requests, [])
  }

}
