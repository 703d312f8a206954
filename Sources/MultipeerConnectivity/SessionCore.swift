import RollcallDoors

/// What is behind one session: its members, its transfers and streams, and the door that the device pushes into.
final class SessionCore: NearbyDoor, @unchecked Sendable {
  struct Member {
    var peer: MCPeerID
    /// `connecting` or `connected`.
    var state: MCSessionState
  }

  struct ConnectionDataCall {
    var number: Int
    var peer: PeerKey
    var answer: @Sendable (Data?, (any Error)?) -> Void
  }

  struct Memory {
    /// In the order in which they came.
    var members: [Member] = []
    /// Peers that were invited, or connected to without an invitation, and of which nothing was heard since.
    var attempts: [MCPeerID] = []
    /// Events are numbered as they are pushed, so that those of before a command are known.
    var pushes = 0
    /// Of `disconnect()`: earlier events are dropped.
    var floor = 0
    /// Of `cancelConnectPeer(_:)`, by identity: earlier events of a connection to this peer are dropped.
    var floors: [[UInt8]: Int] = [:]
    var numbers = 0
    var calls: [ConnectionDataCall] = []
    /// By number; in the order in which they began.
    var outputs: [(number: Int, peer: PeerKey, core: StreamCore, stream: PeerOutputStream)] = []
    var inputs: [(number: Int, peer: PeerKey, core: StreamCore, stream: PeerInputStream)] = []
    var outgoing: [OutgoingResource] = []
    var incoming: [IncomingResource] = []

    mutating func nextNumber() -> Int {
      numbers += 1
      return numbers
    }
  }

  let link = ObjectLink()
  let localPeer: MCPeerID
  let encryption: MCEncryptionPreference
  let memory = Guarded(Memory())
  /// Set once, by the initialiser of the session.
  weak var session: MCSession?
  /// Those who show the members, besides the delegate.
  let watchers = Guarded<[Weakly<BrowserViewCore>]>([])

  init(peer: MCPeerID, encryption: MCEncryptionPreference) {
    localPeer = peer
    self.encryption = encryption
  }

  func begin(_ identity: [Any]?) {
    let certificates = link.device.flatMap { device in identity.map { $0.compactMap { device.certificate(of: $0) } } }
    let setup = SessionSetup(peer: localPeer.key, certificates: certificates, encryption: encryption)
    link.begin(self, as: .session(setup), in: "MCSession.init(peer:securityIdentity:encryptionPreference:)")
  }

  /// The session object is gone.
  func end() {
    _ = leave()
    link.end()
    // Completion handlers are called on the queue of callbacks, as always.
    link.run { [self] in endEverything(with: nil, error: .multipeer(.notConnected)) }
  }

  func push(_ event: NearbyEvent) {
    guard case .session(let event) = event else { return }
    let number = memory.withLock { memory in
      memory.pushes += 1
      return memory.pushes
    }
    link.run { [self] in
      if let session, number > memory.withLock({ $0.floor }) { handle(event, number, for: session) }
    }
  }

  /// An answer that needs no device, in the order of the others.
  func later(_ body: @escaping @Sendable (MCSession) -> Void) {
    link.answer { [self] in
      if let session { body(session) }
    }
  }

  // MARK: Members

  var connectedPeers: [MCPeerID] {
    memory.withLock { $0.members.filter { $0.state == .connected }.map(\.peer) }
  }

  func state(of peer: PeerKey) -> MCSessionState {
    memory.withLock { memory in
      memory.members.first { $0.peer.key.identity == peer.identity }?.state ?? .notConnected
    }
  }

  func isConnected(_ peer: PeerKey) -> Bool { state(of: peer) == .connected }

  /// Whether one more peer fits in, or this one is in already.
  func hasRoom(for peer: PeerKey) -> Bool {
    memory.withLock { memory in
      let identities = (memory.members.map(\.peer) + memory.attempts).map(\.key.identity)
      return identities.contains(peer.identity)
        || Set(identities).count < kMCSessionMaximumNumberOfPeers - 1
    }
  }

  /// Whether an invitation, or a connection without one, can be tried. One that cannot is a misuse.
  func beginAttempt(_ peer: MCPeerID, isInvitation: Bool, in call: String) -> Bool {
    guard peer != localPeer else {
      link.misused(.ownPeer, in: call, "the peer is the session's own")
      return false
    }
    let policies = link.policies
    if policies.ninthPeer == .isRefused, !hasRoom(for: peer.key) {
      link.misused(.fullSession, in: call, "the session has \(kMCSessionMaximumNumberOfPeers) peers")
      let refused = Carried(peer)
      later { [self] session in tell(refused.value, .notConnected, session) }
      return false
    }
    let isRepeated = memory.withLock { memory in
      if memory.attempts.contains(peer) { return true }
      memory.attempts.append(peer)
      return false
    }
    guard isRepeated, isInvitation else { return true }
    link.misused(.repeatedInvitation, in: call, "an invitation of this peer is under way")
    return policies.repeatedInvitation == .isSent
  }

  /// Takes all members out.
  private func leave() -> [Member] {
    memory.withLock { memory in
      memory.floor = memory.pushes
      memory.attempts = []
      defer { memory.members = [] }
      return memory.members
    }
  }

  func disconnect() {
    let parted = Carried(leave())
    // What the application begins from now on is not of the session that it leaves.
    let last = memory.withLock { $0.numbers }
    link.request(.session(.disconnect))
    later { [self] session in
      if link.policies.tellsOfOwnDisconnect {
        for member in parted.value { tell(member.peer, .notConnected, session) }
      }
      endEverything(with: nil, upTo: last, error: .multipeer(.notConnected))
    }
  }

  /// Tells the delegate, and those who show the members.
  func tell(_ peer: MCPeerID, _ state: MCSessionState, _ session: MCSession) {
    session.delegate?.session(session, peer: peer, didChange: state)
    for watcher in watchers.current { watcher.object?.changed(peer, state) }
  }

  func watch(_ watcher: BrowserViewCore) {
    watchers.withLock { watchers in
      watchers.removeAll { $0.object == nil }
      watchers.append(Weakly(watcher))
    }
  }

  // MARK: Messages

  func send(_ data: Data, to peers: [MCPeerID], _ mode: MCSessionSendDataMode) throws {
    let policies = link.policies
    if data.isEmpty, policies.emptyMessage == .isInvalid { throw MCError(.invalidParameter) }
    if peers.isEmpty, policies.emptyReceivers == .isInvalid { throw MCError(.invalidParameter) }
    if let maximum = policies.messageBytesMaximum, data.count > maximum { throw MCError(.invalidParameter) }
    var receivers: [PeerKey] = []
    var areAllConnected = true
    for peer in peers where !receivers.contains(where: { $0.identity == peer.key.identity }) {
      if isConnected(peer.key) { receivers.append(peer.key) } else { areAllConnected = false }
    }
    let isSent = areAllConnected || policies.unknownReceiver == .isLeftOut
    if isSent, !receivers.isEmpty { link.request(.session(.send(Array(data), to: receivers, mode))) }
    if !areAllConnected { throw MCError(.notConnected) }
  }

  // MARK: Connecting without an invitation

  func connect(_ peer: MCPeerID, _ data: Data) {
    let call = "connectPeer(_:withNearbyConnectionData:)"
    guard beginAttempt(peer, isInvitation: false, in: call) else { return }
    link.request(.session(.connect(peer.key, connectionData: Array(data))))
  }

  func cancelConnect(_ peer: MCPeerID) {
    let calls = memory.withLock { memory in
      memory.attempts.removeAll { $0 == peer }
      memory.floors[peer.key.identity] = memory.pushes
      let calls = memory.calls.filter { $0.peer.identity == peer.key.identity }
      memory.calls.removeAll { $0.peer.identity == peer.key.identity }
      return calls
    }
    link.request(.session(.cancelConnect(peer.key)))
    for call in calls { link.run { call.answer(nil, MCError(.cancelled)) } }
  }

  func connectionData(for peer: MCPeerID, _ answer: @escaping @Sendable (Data?, (any Error)?) -> Void) {
    guard peer != localPeer else {
      link.misused(.ownPeer, in: "nearbyConnectionData(forPeer:)", "the peer is the session's own")
      return link.answer { answer(nil, MCError(.invalidParameter)) }
    }
    let number = memory.withLock { memory in
      let number = memory.nextNumber()
      memory.calls.append(ConnectionDataCall(number: number, peer: peer.key, answer: answer))
      return number
    }
    if !link.request(.session(.connectionData(number, for: peer.key))) {
      answered(number, .failure(.multipeer(.unavailable)))
    }
  }

  func answered(_ number: Int, _ result: Result<[UInt8], PeerError>) {
    let call = memory.withLock { memory -> ConnectionDataCall? in
      guard let index = memory.calls.firstIndex(where: { $0.number == number }) else { return nil }
      return memory.calls.remove(at: index)
    }
    guard let call else { return }
    link.run {
      switch result {
      case .success(let bytes): call.answer(Data(bytes), nil)
      case .failure(let error): call.answer(nil, error.asError)
      }
    }
  }
}
