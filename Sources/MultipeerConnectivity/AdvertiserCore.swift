import RollcallDoors

/// What is behind one advertiser: its runs, and the door that the device pushes into.
final class AdvertiserCore: NearbyDoor, @unchecked Sendable {
  private struct Memory {
    /// The run that goes on.
    var run: Int?
    var runs = 0
  }

  let link = ObjectLink()
  let setup: AdvertiserSetup
  private let infoFault: PeerRules.Fault?
  private let memory = Guarded(Memory())
  /// Set once, by the initialiser of the advertiser.
  weak var advertiser: MCNearbyServiceAdvertiser?

  init(_ setup: AdvertiserSetup, infoFault: PeerRules.Fault?) {
    self.setup = setup
    self.infoFault = infoFault
  }

  func start() {
    let started = memory.withLock { memory -> Int? in
      guard memory.run == nil else { return nil }
      memory.runs += 1
      memory.run = memory.runs
      return memory.runs
    }
    guard let run = started else { return }
    if let infoFault {
      link.misused(.discoveryInfo, in: "startAdvertisingPeer()", "\(infoFault)")
      push(.advertiser(.failed(run: run, .multipeer(.invalidParameter))))
    } else if !link.request(.advertiser(.start(run: run))) {
      push(.advertiser(.failed(run: run, .multipeer(.unavailable))))
    }
  }

  func stop() {
    let run = memory.withLock { memory in
      defer { memory.run = nil }
      return memory.run
    }
    if let run { link.request(.advertiser(.stop(run: run))) }
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
      let isCurrent = memory.withLock { memory in
        guard memory.run == run else { return false }
        memory.run = nil
        return true
      }
      if isCurrent { advertiser.delegate?.advertiser(advertiser, didNotStartAdvertisingPeer: error.asError) }
    case .invited(let run, let number, let peer, let context):
      guard memory.withLock({ $0.run }) == run else { return }
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
    let isRepeated = hasAnswered.withLock { hasAnswered in
      defer { hasAnswered = true }
      return hasAnswered
    }
    if isRepeated {
      link.misused(.repeatedAnswer, in: call, "the handler has been called before")
      guard policies.secondAnswer == .isGiven else { return }
    }
    guard memory.withLock({ $0.run }) == run || policies.answerAfterStop == .isGiven else { return }
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
