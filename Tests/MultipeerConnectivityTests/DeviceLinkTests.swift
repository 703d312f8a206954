import MultipeerConnectivity
import RollcallDoors
import RollcallExpectations
import Testing

/// A device that has no more than the protocol asks for.
private final class PlainDevice: VirtualNearbyDevice {
  let queues = DoorQueues()
  let callbacks = DispatchQueue(label: "callbacks of a plain device")
  func makeIdentity() -> [UInt8] { [1] }
  func attach(_ door: any NearbyDoor, as role: NearbyRole) -> NearbyNumber { NearbyNumber(1) }
  func detach(_ object: NearbyNumber) {}
  func perform(_ request: NearbyRequest, for object: NearbyNumber) {}
}

@Suite(.serialized) struct DeviceLinkTests {
  @Test func `without a device nothing is near, and each object says so in one line`() throws {
    let lines = Guarded<[PeerMisuse]>([])
    let before = PeerMisuse.handler
    PeerMisuse.handler = { misuse in lines.withLock { $0.append(misuse) } }
    defer { PeerMisuse.handler = before }
    let recorder = Recorder()
    let told = DispatchSemaphore(value: 0)
    recorder.react { _ in told.signal() }
    let peer = MCPeerID(displayName: "alone")
    expectEqual(peer.key.identity.count, 16)
    let session = MCSession(peer: peer)
    let advertiser = MCNearbyServiceAdvertiser(peer: peer, discoveryInfo: nil, serviceType: "abc")
    let browser = MCNearbyServiceBrowser(peer: peer, serviceType: "abc")
    (advertiser.delegate, browser.delegate, session.delegate) = (recorder, recorder, recorder)
    advertiser.startAdvertisingPeer()
    told.wait()
    browser.startBrowsingForPeers()
    told.wait()
    session.nearbyConnectionData(forPeer: .of(.other(1))) { _, error in recorder.write(Recorder.words(error)) }
    told.wait()
    #expect(throws: MCError(.notConnected)) { try session.send(Data([1]), toPeers: [.of(.other(1))], with: .reliable) }
    session.disconnect()
    advertiser.stopAdvertisingPeer()
    expectEqual(recorder.lines, ["not advertising unavailable", "not browsing unavailable", "unavailable"])
    expectEqual(lines.current.map(\.kind), [.noDevice, .noDevice, .noDevice])
    expectEqual(lines.current.first?.description.split(separator: "\n").count, 1)
    // What a device leaves out: it fetches nothing, and leaves misuses to the process.
    let plain = PlainDevice()
    plain.fetch(URL(string: "http://host/page")!) { result in
      if case .failure(let error) = result { recorder.write("fetched \(Recorder.words(error))") }
    }
    expectEqual(recorder.lines.last, "fetched unavailable")
    let misuse = PeerMisuse(.ownPeer, in: "connectPeer(_:withNearbyConnectionData:)", "the peer is the session's own")
    plain.heard(misuse)
    expectEqual(lines.current.dropFirst(3), [misuse])
  }

  @Test func `the device of the process is taken where no task says another`() {
    let standard = ScriptedDevice()
    let other = ScriptedDevice()
    NearbyLink.standard = standard
    defer { NearbyLink.standard = nil }
    let first = MCSession(peer: MCPeerID(displayName: "a"))
    let second = on(other) { MCSession(peer: MCPeerID(displayName: "b")) }
    expectEqual(standard.roles.count, 1)
    expectEqual(other.roles.count, 1)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `an object that is made in a callback is one of the same device`() throws {
    let bench = Bench()
    let made = Guarded<Carried<MCSession>?>(nil)
    bench.recorder.react { line in
      if line.hasPrefix("data") { made.withLock { $0 = Carried(MCSession(peer: MCPeerID(displayName: "b"))) } }
    }
    try bench.connected()
    bench.device.push(.data([1], from: .other(1)))
    expectEqual(bench.device.roles.count, 4)
    bench.recorder.react { _ in }
    made.withLock { $0 = nil }
  }

  @Test func `a device may push before the object has its number, and the callback can make requests`() {
    let device = ScriptedDevice(firstEvents: [.session(.certificate(1, chain: nil, from: .other(1)))])
    let session = on(device) { MCSession(peer: MCPeerID(displayName: "a")) }
    device.settle()
    expectEqual(device.sessionRequests, [.answerCertificate(1, accepts: true)])
    withExtendedLifetime(session) {}
  }

  @Test func `objects that are gone are detached, and nobody is called any more`() {
    let device = ScriptedDevice()
    let recorder = Recorder()
    on(device) {
      let session = MCSession(peer: MCPeerID(displayName: "a"))
      let browser = MCNearbyServiceBrowser(peer: session.myPeerID, serviceType: "abc")
      browser.delegate = recorder
      browser.startBrowsingForPeers()
      let assistant = MCAdvertiserAssistant(serviceType: "abc", discoveryInfo: nil, session: session)
      let controller = MCBrowserViewController(serviceType: "abc", session: session)
      withExtendedLifetime((assistant, controller)) {}
    }
    device.settle()
    device.push(.browser(.found(run: 1, .other(1), nil)), .session(.state(.other(1), .connected)))
    // A session, a browser, the advertiser of the assistant, the assistant, the browser of the view, the view.
    expectEqual(device.detached.map(\.value).sorted(), Array(1...6))
    expectEqual(recorder.lines, [])
    // Nor is their queue waited for any more.
    expectEqual(device.queues.count, 0)
  }

  @Test func `a world that asks is told of calls that it cannot place, and of none in a callback`() throws {
    let bench = Bench()
    let peer = try bench.connected()
    let calls = Guarded<[String]>([])
    let watch = CallWatch { call in calls.withLock { $0.append(call.call) } }
    bench.device.queues.watch(watch)
    let session = bench.session
    bench.recorder.react { _ in
      session.cancelConnectPeer(peer)
      session.sendResource(at: URL(string: "ftp://a/b")!, withName: "r", toPeer: peer)
      _ = MCSession(peer: peer)
    }
    watch.begin(.running)
    bench.device.push(.data([1], from: .other(1)))
    bench.recorder.react { _ in }
    expectEqual(calls.current, [])
    try session.send(Data([1]), toPeers: [peer], with: .reliable)
    session.sendResource(at: URL(string: "ftp://a/b")!, withName: "r", toPeer: peer)
    session.sendResource(at: URL(string: "http://a/b")!, withName: "r", toPeer: peer)
    bench.browser.startBrowsingForPeers()
    expectEqual(calls.current.count, 4)
    #expect(calls.current.first?.hasSuffix(".send") == true)
    bench.device.settle()
    watch.begin(.still)
    session.disconnect()
    expectEqual(calls.current.count, 4)
  }

  @Test func `subclasses of the classes are such`() throws {
    final class Mine: MCSession, @unchecked Sendable {
      override var connectedPeers: [MCPeerID] { super.connectedPeers.reversed() }
    }
    let device = ScriptedDevice()
    let session = on(device) { Mine(peer: MCPeerID(displayName: "a")) }
    device.push(.state(.other(1), .connected), .state(.other(2), .connected))
    expectEqual(session.connectedPeers.map(\.displayName), ["peer 2", "peer 1"])
  }
}
