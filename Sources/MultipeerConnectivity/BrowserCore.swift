import RollcallDoors

/// What is behind one browser: its runs, what the present one has found, and the door that the device pushes into.
final class BrowserCore: NearbyDoor, @unchecked Sendable {
  private struct Memory {
    var runs = Runs()
    /// What was last told of each peer, by its identity.
    var found: [[UInt8]: [InfoPair]?] = [:]
  }

  let link = ObjectLink()
  let setup: BrowserSetup
  private let memory = Guarded(Memory())
  /// Set once, by the initialiser of the browser.
  weak var browser: MCNearbyServiceBrowser?

  init(_ setup: BrowserSetup) { self.setup = setup }

  var isBrowsing: Bool { memory.withLock { $0.runs.current != nil } }

  func start() {
    let started = memory.withLock { memory -> Int? in
      let run = memory.runs.begin()
      if run != nil { memory.found = [:] }
      return run
    }
    guard let run = started else { return }
    if !link.request(.browser(.start(run: run))) {
      push(.browser(.failed(run: run, .multipeer(.unavailable))))
    }
  }

  func stop() {
    if let run = memory.withLock({ $0.runs.end() }) { link.request(.browser(.stop(run: run))) }
  }

  func invite(_ peerID: MCPeerID, to session: MCSession, context: Data?, timeout: TimeInterval) {
    let call = "invitePeer(_:to:withContext:timeout:)"
    guard session.core.link.device === link.device else {
      return link.misused(.foreignSession, in: call, "the session belongs to another device")
    }
    guard let number = session.core.link.number, session.core.beginAttempt(peerID, isInvitation: true, in: call) else {
      return
    }
    link.request(
      .browser(
        .invite(
          Invitation(
            peer: peerID.key, session: number, context: context.map { Array($0) },
            timeoutNanoseconds: PeerRules.timeoutNanoseconds(timeout)))))
  }

  func push(_ event: NearbyEvent) {
    guard case .browser(let event) = event else { return }
    link.run { [self] in
      if let browser { handle(event, for: browser) }
    }
  }

  private func handle(_ event: BrowserEvent, for browser: MCNearbyServiceBrowser) {
    let policies = link.policies
    switch event {
    case .failed(let run, let error):
      if memory.withLock({ $0.runs.fail(run) }) {
        browser.delegate?.browser(browser, didNotStartBrowsingForPeers: error.asError)
      }
    case .found(let run, let peer, let info):
      let isOwn = peer.identity == setup.peer.identity
      guard !isOwn || policies.findsOwnAdvertisement else { return }
      let isTold = memory.withLock { memory in
        guard memory.runs.current == run else { return false }
        let before = memory.found.updateValue(info, forKey: peer.identity)
        // The same again is a matter of the device; only a change falls under the policy.
        return before == nil || before == info || policies.changedInfo == .isFoundAgain
      }
      guard isTold else { return }
      browser.delegate?.browser(
        browser, foundPeer: MCPeerID.of(peer), withDiscoveryInfo: InfoPair.dictionary(info))
    case .lost(let run, let peer):
      let isTold = memory.withLock { memory in
        guard memory.runs.current == run else { return false }
        return memory.found.removeValue(forKey: peer.identity) != nil
      }
      if isTold { browser.delegate?.browser(browser, lostPeer: MCPeerID.of(peer)) }
    }
  }
}
