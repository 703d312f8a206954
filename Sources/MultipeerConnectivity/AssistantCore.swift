import RollcallDoors

/// What is behind one advertiser assistant: the invitations that wait for the person, shown one after the other.
final class AssistantCore: NearbyDoor, MCNearbyServiceAdvertiserDelegate, @unchecked Sendable {
  private struct Waiting {
    var number: Int
    var peer: PeerKey
    var context: [UInt8]?
    var answer: (Bool, MCSession?) -> Void
  }

  private struct Memory {
    var numbers = 0
    /// The first one is shown.
    var waiting: [Waiting] = []
  }

  let link = ObjectLink()
  let advertiser: MCNearbyServiceAdvertiser
  let session: MCSession
  private let memory = Guarded(Memory())
  /// Set once, by the initialiser of the assistant.
  weak var assistant: MCAdvertiserAssistant?

  init(_ advertiser: MCNearbyServiceAdvertiser, _ session: MCSession) {
    self.advertiser = advertiser
    self.session = session
  }

  func begin() {
    advertiser.delegate = self
    link.begin(
      self, as: .assistant(session.myPeerID.key), in: "MCAdvertiserAssistant.init(serviceType:discoveryInfo:session:)")
  }

  /// The answers go out before the advertisement ends, so that no inviter waits for its time to run out.
  func stop() {
    let waiting = memory.withLock { memory in
      defer { memory.waiting = [] }
      return memory.waiting
    }
    for waiting in waiting { waiting.answer(false, nil) }
    advertiser.stopAdvertisingPeer()
    guard let shown = waiting.first else { return }
    link.request(.assistant(.dismiss(shown.number)))
    link.run { [self] in dismissed() }
  }

  /// On the queue of callbacks.
  private func dismissed() {
    if let assistant { assistant.delegate?.advertiserAssistantDidDismissInvitation(assistant) }
  }

  // MARK: Invitations

  func advertiser(
    _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
    withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
  ) {
    let isFirst = memory.withLock { memory in
      memory.numbers += 1
      memory.waiting.append(
        Waiting(
          number: memory.numbers, peer: peerID.key, context: context.map { Array($0) }, answer: invitationHandler))
      return memory.waiting.count == 1
    }
    if isFirst { present() }
  }

  /// On the queue of callbacks.
  private func present() {
    guard let assistant, let next = memory.withLock({ $0.waiting.first }) else { return }
    assistant.delegate?.advertiserAssistantWillPresentInvitation(assistant)
    // The delegate may have stopped the assistant.
    guard memory.withLock({ $0.waiting.first?.number }) == next.number else { return }
    link.request(.assistant(.present(next.number, from: next.peer, context: next.context)))
  }

  func push(_ event: NearbyEvent) {
    guard case .assistant(let event) = event else { return }
    link.run { [self] in handle(event) }
  }

  private func handle(_ event: AssistantEvent) {
    switch event {
    case .answered(let number, let accepts):
      guard let answered = remove(number) else { return }
      answered.answer(accepts, accepts ? session : nil)
      next()
    case .withdrawn(let number):
      guard remove(number) != nil else { return }
      link.request(.assistant(.dismiss(number)))
      next()
    }
  }

  private func remove(_ number: Int) -> Waiting? {
    memory.withLock { memory in
      guard memory.waiting.first?.number == number else { return nil }
      return memory.waiting.removeFirst()
    }
  }

  private func next() {
    dismissed()
    present()
  }
}
