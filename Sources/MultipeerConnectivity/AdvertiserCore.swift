import RollcallDoors

/// What is behind one advertiser: its runs, and the door that the device pushes into.
final class AdvertiserCore: NearbyDoor, @unchecked Sendable {
  let link = ObjectLink()
  let setup: AdvertiserSetup
  private let runs = Guarded(Runs())
  /// Set once, by the initialiser of the advertiser.
  weak var advertiser: MCNearbyServiceAdvertiser?

  init(_ setup: AdvertiserSetup) { self.setup = setup }

  func start() {
    guard let run = runs.withLock({ $0.begin() }) else { return }
    if let fault = PeerRules.fault(discoveryInfo: setup.info) {
      link.misused(.discoveryInfo, in: "startAdvertisingPeer()", "\(fault)")
      push(.advertiser(.failed(run: run, .multipeer(.invalidParameter))))
    } else if !link.request(.advertiser(.start(run: run))) {
      push(.advertiser(.failed(run: run, .multipeer(.unavailable))))
    }
  }

  func stop() {
    if let run = runs.withLock({ $0.end() }) { link.request(.advertiser(.stop(run: run))) }
  }

  func push(_ event: NearbyEvent) {
    guard case .advertiser(let event) = event else { return }
    link.run { [self] in
      if let advertiser { handle(event, for: advertiser) }
    }
  }

  private func handle(_ event: AdvertiserEvent, for advertiser: MCNearbyServiceAdvertiser) {
    switch event {
    case .failed(let run, let error):
      if runs.withLock({ $0.fail(run) }) {
        advertiser.delegate?.advertiser(advertiser, didNotStartAdvertisingPeer: error.asError)
      }
    case .invited(let run, let number, let peer, let context):
      guard runs.current.current == run else { return }
      let hasAnswered = Guarded(false)
      advertiser.delegate?.advertiser(
        advertiser, didReceiveInvitationFromPeer: MCPeerID.of(peer), withContext: context.map { Data($0) }
      ) { [self] accepts, session in
        answer(number, run: run, from: peer, hasAnswered, accepts ? .some(session) : nil)
      }
    }
  }

  /// - Parameter accepted: nil: declined; else the session, which may be missing.
  private func answer(
    _ number: Int, run: Int, from peer: PeerKey, _ hasAnswered: Guarded<Bool>, _ accepted: MCSession??
  ) {
    let call = "invitationHandler"
    let policies = link.policies
    if hasAnswered.exchange(true) {
      link.misused(.repeatedAnswer, in: call, "the handler has been called before")
      guard policies.secondAnswer == .isGiven else { return }
    }
    guard runs.current.current == run || policies.answerAfterStop == .isGiven else { return }
    guard let accepted else { return decline(number) }
    guard let session = accepted else {
      link.misused(.acceptedWithoutSession, in: call, "there is no session for the inviter")
      if policies.acceptWithoutSession == .declines { decline(number) }
      return
    }
    guard session.core.link.device === link.device, let sessionNumber = session.core.link.number else {
      link.misused(.foreignSession, in: call, "the session belongs to another device")
      return decline(number)
    }
    guard session.core.hasRoom(for: peer) || policies.ninthPeer == .isLeftToTheDevice else {
      link.misused(.fullSession, in: call, "the session has \(kMCSessionMaximumNumberOfPeers) peers")
      return decline(number)
    }
    link.request(.advertiser(.answer(invitation: number, session: sessionNumber)))
  }

  private func decline(_ number: Int) { link.request(.advertiser(.answer(invitation: number, session: nil))) }
}
