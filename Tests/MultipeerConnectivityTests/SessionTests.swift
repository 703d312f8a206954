import MultipeerConnectivity
import RollcallExpectations
import Testing

@Suite struct SessionTests {
  @Test func `a session without more has no identity and optional encryption`() {
    let bench = Bench()
    expectEqual(bench.session.encryptionPreference, .optional)
    #expect(bench.session.securityIdentity == nil)
    #expect(bench.session.myPeerID === bench.peer)
    expectEqual(
      bench.device.roles.first,
      .session(SessionSetup(peer: bench.peer.key, certificates: nil, encryption: .optional)))
  }

  @Test func `the identity's certificate goes to the device first, then the chain`() {
    let device = ScriptedDevice()
    let session = on(device) {
      MCSession(
        peer: MCPeerID(displayName: "a"), securityIdentity: [Data([1]), Data([2, 3]), "no certificate"],
        encryptionPreference: .required)
    }
    guard case .session(let setup)? = device.roles.first else { return #expect(Bool(false), "no session") }
    expectEqual(setup.certificates, [[1], [2, 3]])
    expectEqual(setup.encryption, .required)
    expectEqual(session.securityIdentity?.count, 3)
    expectEqual(session.encryptionPreference, .required)
  }

  // MARK: States

  @Test func `a peer is among the connected ones when the delegate hears of it, and no longer when it has gone`() {
    let bench = Bench()
    bench.device.push(.state(.other(1), .connecting), .state(.other(1), .connected))
    expectEqual(bench.session.connectedPeers.map(\.displayName), ["peer 1"])
    bench.device.push(.state(.other(1), .notConnected))
    expectEqual(
      bench.recorder.lines, ["peer 1 connecting of 0", "peer 1 connected of 1", "peer 1 notConnected of 0"])
    expectEqual(bench.session.connectedPeers, [])
  }

  @Test func `a step that a device leaves out is told, and one back or a repetition is not`() {
    let bench = Bench()
    let peer = PeerKey.other(1)
    bench.device.push(
      .state(peer, .connected), .state(peer, .connected), .state(peer, .connecting), .state(peer, .notConnected),
      .state(peer, .connecting), .state(peer, .connecting), .state(peer, .notConnected))
    expectEqual(
      bench.recorder.lines,
      [
        "peer 1 connecting of 0", "peer 1 connected of 1", "peer 1 notConnected of 0", "peer 1 connecting of 0",
        "peer 1 notConnected of 0",
      ])
  }

  @Test func `connected peers are in the order of connection, without the local one`() {
    let bench = Bench()
    bench.device.push(
      .state(.other(1), .connecting), .state(.other(2), .connected), .state(.other(1), .connected),
      .state(bench.peer.key, .connected))
    expectEqual(bench.session.connectedPeers.map(\.displayName), ["peer 2", "peer 1"])
  }

  /// MP-27 and the ends of MP-40.
  @Test func `each member of a mesh comes and goes by itself`() {
    let bench = Bench()
    for number in 1...7 { bench.device.push(.state(.other(UInt8(number)), .connected)) }
    expectEqual(bench.session.connectedPeers.count, 7)
    bench.device.push(.state(.other(3), .notConnected))
    expectEqual(bench.session.connectedPeers.count, 6)
    #expect(!bench.session.connectedPeers.map(\.displayName).contains("peer 3"))
  }

  @Test func `callbacks are made on the device's queue, not on that of the caller`() throws {
    let bench = Bench()
    bench.device.callbacks.setSpecific(key: Recorder.key, value: true)
    let peer = try bench.connected()
    bench.device.push(.data([1], from: .other(1)))
    bench.session.sendResource(at: URL(string: "ftp://a/b")!, withName: "r", toPeer: peer) { _ in
      bench.recorder.write("done")
    }
    bench.session.disconnect()
    bench.device.settle()
    expectEqual(bench.recorder.lines.count, 3)
    #expect(bench.recorder.queues.allSatisfy { $0 })
  }

  @Test func `the delegate is weak, and a session without one goes on`() throws {
    let bench = Bench()
    bench.session.delegate = nil
    bench.device.push(
      .state(.other(1), .connected), .data([1], from: .other(1)), .certificate(1, chain: nil, from: .other(2)))
    expectEqual(bench.session.connectedPeers.count, 1)
    expectEqual(bench.device.sessionRequests, [.answerCertificate(1, accepts: true)])
    var short: Recorder? = Recorder()
    bench.session.delegate = short
    #expect(bench.session.delegate === short)
    short = nil
    #expect(bench.session.delegate == nil)
  }

  @Test func `a peer is known by its identity, whatever name a device says`() throws {
    let bench = Bench()
    let renamed = PeerKey.other(1, "another name")
    bench.browser.startBrowsingForPeers()
    bench.device.push(.browser(.found(run: 1, .other(1), nil)), .browser(.lost(run: 1, renamed)))
    expectEqual(bench.recorder.lines, ["found peer 1 nil", "lost another name"])
    let peer = try bench.connected()
    try bench.session.send(Data([1]), toPeers: [peer, .of(renamed)], with: .reliable)
    expectEqual(bench.device.sessionRequests, [.send([1], to: [.other(1)], .reliable)])
    bench.device.push(.data([1], from: renamed), .state(renamed, .notConnected))
    expectEqual(bench.recorder.lines, ["data [1] from peer 1", "peer 1 notConnected of 0"])
    bench.session.connectPeer(peer, withNearbyConnectionData: Data())
    bench.device.callbacks.suspend()
    bench.device.pushOnly(.session(.state(renamed, .connected)))
    bench.session.cancelConnectPeer(peer)
    bench.device.callbacks.resume()
    bench.device.settle()
    expectEqual(bench.session.connectedPeers, [])
  }

  // MARK: Messages

  @Test func `a message goes once to each peer that is meant, in the mode that is meant`() throws {
    let bench = Bench()
    let first = try bench.connected(1)
    let second = try bench.connected(2)
    try bench.session.send(Data([1, 2]), toPeers: [second, first, second], with: .reliable)
    try bench.session.send(Data([3]), toPeers: [first], with: .unreliable)
    expectEqual(
      bench.device.sessionRequests,
      [.send([1, 2], to: [.other(2), .other(1)], .reliable), .send([3], to: [.other(1)], .unreliable)])
  }

  @Test func `a peer that has gone, or was never there, is not connected`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    bench.device.push(.state(.other(1), .notConnected), .state(.other(2), .connecting))
    for target in [peer, MCPeerID.of(.other(2)), MCPeerID.of(.other(3)), bench.peer] {
      #expect(throws: MCError(.notConnected)) {
        try bench.session.send(Data([1]), toPeers: [target], with: .reliable)
      }
    }
    expectEqual(bench.device.sessionRequests, [])
  }

  @Test func `each message is one callback with all its bytes, of members only`() throws {
    let bench = Bench()
    try bench.connected()
    bench.device.push(
      .data([1, 2], from: .other(1)), .data([], from: .other(1)), .data([3], from: .other(9)),
      .data([4], from: .other(1)))
    expectEqual(bench.recorder.lines, ["data [1, 2] from peer 1", "data [] from peer 1", "data [4] from peer 1"])
  }

  // MARK: Certificates

  @Test func `a certificate is shown as data, and the first answer counts`() throws {
    let bench = Bench()
    bench.device.push(
      .certificate(5, chain: [[1], [2]], from: .other(1)), .certificate(6, chain: nil, from: .other(2)))
    expectEqual(bench.recorder.lines, ["certificate [[1], [2]]", "certificate nil"])
    bench.recorder.certificateHandlers[1](false)
    bench.recorder.certificateHandlers[0](true)
    bench.recorder.certificateHandlers[0](false)
    expectEqual(
      bench.device.sessionRequests, [.answerCertificate(6, accepts: false), .answerCertificate(5, accepts: true)])
  }

  /// The methods that Apple's protocols require, and no other.
  private final class Minimal: NSObject, MCSessionDelegate, MCNearbyServiceBrowserDelegate,
    MCNearbyServiceAdvertiserDelegate, MCAdvertiserAssistantDelegate, MCBrowserViewControllerDelegate
  {
    func session(_ session: MCSession, peer peerID: MCPeerID, didChange state: MCSessionState) {}
    func session(_ session: MCSession, didReceive data: Data, fromPeer peerID: MCPeerID) {}
    func session(
      _ session: MCSession, didReceive stream: InputStream, withName streamName: String, fromPeer peerID: MCPeerID
    ) {}
    func session(
      _ session: MCSession, didStartReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
      with progress: Progress
    ) {}
    func session(
      _ session: MCSession, didFinishReceivingResourceWithName resourceName: String, fromPeer peerID: MCPeerID,
      at localURL: URL?, withError error: (any Error)?
    ) {}
    func browser(
      _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
    ) {}
    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {}
    func advertiser(
      _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
      withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
    ) {}
    func browserViewControllerDidFinish(_ browserViewController: MCBrowserViewController) {}
    func browserViewControllerWasCancelled(_ browserViewController: MCBrowserViewController) {}
  }

  @Test(arguments: PeerPolicies.CertificateWithoutCallback.allCases)
  func `a delegate with the required methods alone bears every event, and accepts certificates if that is the policy`(
    choice: PeerPolicies.CertificateWithoutCallback
  ) {
    var policies = PeerPolicies()
    expectEqual(policies.certificateWithoutCallback, .isAccepted)
    policies.certificateWithoutCallback = choice
    let bench = Bench(policies)
    let minimal = Minimal()
    for delegate in [minimal, nil] {
      bench.session.delegate = delegate
      bench.browser.delegate = delegate
      bench.advertiser.delegate = delegate
      bench.device.push(.certificate(1, chain: nil, from: .other(1)))
    }
    bench.session.delegate = minimal
    bench.browser.startBrowsingForPeers()
    bench.advertiser.startAdvertisingPeer()
    bench.device.push(
      .browser(.failed(run: 1, .multipeer(.unknown))), .advertiser(.failed(run: 1, .multipeer(.unknown))))
    let isAccepted = choice == .isAccepted
    expectEqual(
      bench.device.sessionRequests,
      Array(repeating: .answerCertificate(1, accepts: true), count: isAccepted ? 2 : 0))
  }

  // MARK: Leaving

  @Test func `a session that was left sends nothing, hears nothing of before, and is used again`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    bench.device.callbacks.suspend()
    bench.device.pushOnly(.session(.data([1], from: .other(1))))
    bench.device.pushOnly(.session(.state(.other(2), .connected)))
    bench.session.disconnect()
    bench.device.callbacks.resume()
    expectEqual(bench.session.connectedPeers, [])
    bench.device.settle()
    expectEqual(bench.device.sessionRequests, [.disconnect])
    #expect(throws: MCError(.notConnected)) {
      try bench.session.send(Data([1]), toPeers: [peer], with: .reliable)
    }
    expectEqual(bench.recorder.lines, ["peer 1 notConnected of 0"])
    bench.device.push(.state(.other(1), .connected), .data([2], from: .other(1)))
    expectEqual(
      bench.recorder.lines.suffix(3), ["peer 1 connecting of 0", "peer 1 connected of 1", "data [2] from peer 1"])
    try bench.session.send(Data([1]), toPeers: [peer], with: .reliable)
  }

  @Test func `what begins after a disconnect is not ended by it`() throws {
    let bench = Bench()
    let recorder = bench.recorder
    let peer = try bench.connected()
    bench.session.nearbyConnectionData(forPeer: peer) { _, error in recorder.write("first \(Recorder.words(error))") }
    bench.device.callbacks.suspend()
    bench.session.disconnect()
    bench.session.nearbyConnectionData(forPeer: peer) { _, error in recorder.write("second \(Recorder.words(error))") }
    bench.session.sendResource(at: URL(string: "ftp://a/b")!, withName: "r", toPeer: peer) { error in
      recorder.write("sent \(Recorder.words(error))")
    }
    bench.device.callbacks.resume()
    bench.device.settle()
    expectEqual(recorder.lines, ["peer 1 notConnected of 0", "sent unsupported", "first notConnected"])
    bench.device.push(.connectionData(2, .success([1])))
    expectEqual(recorder.lines.last, "second nil")
  }

  /// MX-8: a device may leave a torn-down session in connecting; a session of its own is free of that.
  @Test func `a session that stays in connecting does not touch another one`() throws {
    let bench = Bench()
    try bench.connected()
    bench.session.disconnect()
    bench.device.push(.state(.other(1), .connecting))
    expectEqual(bench.session.connectedPeers, [])
    let fresh = on(bench.device) { MCSession(peer: bench.peer) }
    bench.device.push(.state(.other(1), .connected))
    expectEqual(fresh.connectedPeers.count, 1)
    expectEqual(bench.session.connectedPeers, [])
  }

  @Test func `a session that is gone is detached, and what was under way for it ends`() throws {
    let device = ScriptedDevice()
    let recorder = Recorder()
    var session: MCSession? = on(device) { MCSession(peer: MCPeerID(displayName: "a")) }
    session?.delegate = recorder
    session?.nearbyConnectionData(forPeer: .of(.other(1))) { data, error in
      recorder.write("data \(data == nil ? "nil" : "some") \(Recorder.words(error))")
    }
    session = nil
    device.settle()
    expectEqual(device.detached, [NearbyNumber(1)])
    expectEqual(recorder.lines, ["data nil notConnected"])
  }

  // MARK: Peers by hand

  @Test func `connection data is given for the peer that it was asked for, once`() async throws {
    let bench = Bench()
    let recorder = bench.recorder
    for number in [1, 2] as [UInt8] {
      bench.session.nearbyConnectionData(forPeer: .of(.other(number))) { data, error in
        recorder.write("\(number): \(data.map { Array($0).description } ?? "nil") \(Recorder.words(error))")
      }
    }
    expectEqual(bench.device.sessionRequests, [.connectionData(1, for: .other(1)), .connectionData(2, for: .other(2))])
    bench.device.push(
      .connectionData(2, .success([9])), .connectionData(1, .failure(.multipeer(.timedOut))),
      .connectionData(2, .success([8])))
    expectEqual(recorder.lines, ["2: [9] nil", "1: nil timedOut"])
  }

  @Test func `connection data can be awaited`() async throws {
    let bench = Bench()
    let device = bench.device
    let session = bench.session
    async let answer = session.nearbyConnectionData(forPeer: .of(.other(1)))
    while device.sessionRequests.isEmpty { await Task.yield() }
    device.pushOnly(.session(.connectionData(1, .success([7]))))
    try await expectEqual(Array(answer), [7])
    let failure = Task { try await session.nearbyConnectionData(forPeer: .of(.other(1))) }
    while device.sessionRequests.count < 2 { await Task.yield() }
    device.pushOnly(.session(.connectionData(2, .failure(.multipeer(.unavailable)))))
    await #expect(throws: MCError(.unavailable)) { try await failure.value }
  }

  @Test func `connecting by hand hands the data over`() {
    let bench = Bench()
    bench.session.connectPeer(.of(.other(1)), withNearbyConnectionData: Data([1, 2]))
    bench.session.connectPeer(bench.peer, withNearbyConnectionData: Data([1, 2]))
    let recorder = bench.recorder
    bench.session.nearbyConnectionData(forPeer: bench.peer) { _, error in recorder.write(Recorder.words(error)) }
    bench.device.settle()
    expectEqual(recorder.lines, ["invalidParameter"])
    expectEqual(bench.device.sessionRequests, [.connect(.other(1), connectionData: [1, 2])])
    expectEqual(bench.device.misuses, [.ownPeer, .ownPeer])
  }

  @Test func `a cancelled attempt never connects, until there is another one`() throws {
    let bench = Bench()
    let recorder = bench.recorder
    let peer = MCPeerID.of(.other(1))
    bench.session.nearbyConnectionData(forPeer: peer) { _, error in recorder.write("data \(Recorder.words(error))") }
    bench.session.nearbyConnectionData(forPeer: .of(.other(3))) { _, _ in recorder.write("another peer's data") }
    bench.session.connectPeer(peer, withNearbyConnectionData: Data([1]))
    bench.device.callbacks.suspend()
    bench.device.pushOnly(.session(.state(.other(2), .connected)))
    bench.device.pushOnly(.session(.state(.other(1), .connecting)))
    bench.device.pushOnly(.session(.state(.other(1), .connected)))
    bench.session.cancelConnectPeer(peer)
    bench.device.callbacks.resume()
    bench.device.settle()
    bench.device.push(.connectionData(1, .success([1])))
    expectEqual(recorder.lines, ["peer 2 connecting of 0", "peer 2 connected of 1", "data cancelled"])
    expectEqual(bench.device.sessionRequests.last, .cancelConnect(.other(1)))
    bench.session.connectPeer(peer, withNearbyConnectionData: Data([1]))
    bench.device.push(.state(.other(1), .connected))
    expectEqual(bench.session.connectedPeers.count, 2)
  }

  // MARK: Two of everything

  @Test func `a peer that is in or on its way counts once, and can be invited into a full session`() throws {
    let bench = Bench()
    for number in 1...5 as ClosedRange<UInt8> { try bench.connected(number) }
    func invite(_ number: UInt8) -> Int {
      bench.browser.invitePeer(.of(.other(number)), to: bench.session, withContext: nil, timeout: 0)
      return bench.device.requests.count
    }
    expectEqual(invite(6), 1)
    // Invited and connecting is one peer.
    bench.device.push(.state(.other(6), .connecting))
    expectEqual(invite(7), 2)
    expectEqual(bench.device.misuses, [])
    expectEqual(invite(8), 2)
    // Seven others are in or on their way, and this is one of them.
    expectEqual(invite(1), 3)
    expectEqual(bench.device.misuses, [.fullSession])
  }

  @Test func `an invitation is over when its peer is connected, cancelled or left; a connection by hand is none`() {
    let bench = Bench()
    let peer = MCPeerID.of(.other(1))
    func invite() { bench.browser.invitePeer(peer, to: bench.session, withContext: nil, timeout: 0) }
    invite()
    bench.device.push(.state(.other(1), .connected))
    invite()
    bench.session.disconnect()
    invite()
    bench.session.cancelConnectPeer(peer)
    invite()
    bench.device.settle()
    bench.session.connectPeer(peer, withNearbyConnectionData: Data())
    expectEqual(bench.device.misuses, [])
    invite()
    expectEqual(bench.device.misuses, [.repeatedInvitation])
    expectEqual(bench.device.requests.filter { if case .browser = $0 { true } else { false } }.count, 4)
  }

  @Test func `what goes on with one peer stays when another one leaves`() throws {
    let bench = Bench()
    let recorder = bench.recorder
    let first = try bench.connected(1)
    try bench.connected(2)
    let output = try bench.session.startStream(withName: "s", toPeer: first)
    output.open()
    bench.device.push(
      .streamOffered(1, name: "a", from: .other(1)),
      .resourceOffered(ResourceOffer(number: 1, name: "r", fileName: "r", byteCount: 1), from: .other(1)),
      .resourceOffered(ResourceOffer(number: 2, name: "q", fileName: "q", byteCount: 1), from: .other(2)))
    let input = try #require(recorder.inputs.first)
    input.open()
    bench.session.nearbyConnectionData(forPeer: .of(.other(2))) { _, error in
      recorder.write("data \(Recorder.words(error))")
    }
    recorder.clear()
    bench.device.push(.state(.other(2), .notConnected))
    expectEqual(recorder.lines, ["peer 2 notConnected of 1", "received q: nothing, notConnected"])
    expectEqual(output.write([1], maxLength: 1), 1)
    bench.device.push(.streamBytes(1, [7]), .resourceBytes(1, [9]), .resourceReceived(1, nil))
    var buffer: [UInt8] = [0]
    expectEqual(input.read(&buffer, maxLength: 1), 1)
    expectEqual(buffer, [7])
    expectEqual(recorder.lines.last, "received r: 1 bytes, nil")
    // What was asked for it stays until it is answered: the second thing that this session began.
    bench.device.push(.connectionData(2, .success([1])))
    expectEqual(recorder.lines.last, "data nil")
  }
}
