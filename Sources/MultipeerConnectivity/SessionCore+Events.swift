import RollcallDoors

// What the device tells of a session, on the queue of callbacks.
extension SessionCore {
  func handle(_ event: SessionEvent, _ number: Int, for session: MCSession) {
    switch event {
    case .state(let peer, let state): enter(peer, state, number, session)
    case .data(let bytes, let peer):
      guard let member = member(peer) else { return }
      session.delegate?.session(session, didReceive: Data(bytes), fromPeer: member)
    case .certificate(let certificate, let chain, let peer): decide(certificate, chain, peer, session)
    case .streamTaken(let number, let byteCount): output(number)?.taken(byteCount)
    case .streamEnded(let number, let error): output(number)?.end(error?.asError)
    case .streamOffered(let number, let name, let peer): offered(stream: number, name, peer, session)
    case .streamBytes(let number, let bytes): input(number)?.received(bytes)
    case .incomingStreamEnded(let number, let error): input(number)?.end(error?.asError)
    case .resourceWanted(let number, let byteCount): wanted(number, byteCount)
    case .resourceTaken(let number, let byteCount): outgoing(number)?.taken(byteCount)
    case .resourceSent(let number, let error): finishOutgoing(number, error?.asError)
    case .resourceOffered(let offer, let peer): offered(offer, peer, session)
    case .resourceBytes(let number, let bytes): received(number, bytes, session)
    case .resourceReceived(let number, let error): finishIncoming(number, error?.asError, session)
    case .connectionData(let number, let result): answered(number, result)
    }
  }

  /// The object of a peer that is connected.
  func member(_ peer: PeerKey) -> MCPeerID? {
    memory.withLock { memory in
      memory.members.first { $0.state == .connected && $0.peer.key.identity == peer.identity }?.peer
    }
  }

  // MARK: States

  /// A peer goes from not connected to connecting, to connected, and back. A device that leaves out a step is
  /// completed, and one that goes back a step is dropped.
  private func enter(_ key: PeerKey, _ state: MCSessionState, _ number: Int, _ session: MCSession) {
    guard key.identity != localPeer.key.identity else { return }
    if state == .connected, self.state(of: key) == .notConnected { enter(key, .connecting, number, session) }
    let (isTold, peer) = memory.withLock { memory -> (Bool, MCPeerID) in
      let index = memory.members.firstIndex { $0.peer.key.identity == key.identity }
      let peer = index.map { memory.members[$0].peer } ?? MCPeerID.of(key)
      let before = index.map { memory.members[$0].state } ?? .notConnected
      let isCancelled = number <= memory.floors[key.identity] ?? 0
      switch state {
      case .notConnected:
        memory.attempts.removeAll { $0.key.identity == key.identity }
        if let index { memory.members.remove(at: index) }
        return (true, peer)
      case .connecting:
        guard before == .notConnected, !isCancelled else { return (false, peer) }
        memory.members.append(Member(peer: peer, state: .connecting))
        return (true, peer)
      case .connected:
        guard before == .connecting, !isCancelled else { return (false, peer) }
        memory.attempts.removeAll { $0.key.identity == key.identity }
        // `connectedPeers` is in the order of connection.
        if let index { memory.members.remove(at: index) }
        memory.members.append(Member(peer: peer, state: .connected))
        return (true, peer)
      }
    }
    guard isTold else { return }
    tell(peer, state, session)
    if state == .notConnected { endEverything(with: key, error: .multipeer(.notConnected)) }
  }

  private func decide(_ certificate: Int, _ chain: [[UInt8]]?, _ peer: PeerKey, _ session: MCSession) {
    let hasAnswered = Guarded(false)
    let answer: (Bool) -> Void = { [link] accepts in
      if !hasAnswered.exchange(true) { link.request(.session(.answerCertificate(certificate, accepts: accepts))) }
    }
    guard let delegate = session.delegate else {
      if link.policies.certificateWithoutCallback == .isAccepted { answer(true) }
      return
    }
    delegate.session(
      session, didReceiveCertificate: chain.map { $0.map { Data($0) } }, fromPeer: MCPeerID.of(peer),
      certificateHandler: answer)
  }

  // MARK: Streams

  func startStream(_ name: String, to peer: MCPeerID) throws -> OutputStream {
    guard isConnected(peer.key) else { throw MCError(.notConnected) }
    let number = memory.withLock { $0.nextNumber() }
    let core = StreamCore(
      .output, link: link, moved: { [link] bytes, _ in link.request(.session(.write(stream: number, bytes))) },
      closed: { [weak self] in
        guard let self else { return }
        memory.withLock { $0.outputs.removeAll { $0.number == number } }
        link.request(.session(.closeStream(number)))
      })
    let stream = PeerOutputStream(core)
    memory.withLock { $0.outputs.append((number, peer.key, core, stream)) }
    link.request(.session(.openStream(number, name: name, to: peer.key)))
    return stream
  }

  private func offered(stream number: Int, _ name: String, _ peer: PeerKey, _ session: MCSession) {
    guard let member = member(peer), let delegate = session.delegate, input(number) == nil else {
      link.request(.session(.closeIncomingStream(number)))
      return
    }
    let core = StreamCore(
      .input, link: link,
      moved: { [link] _, byteCount in link.request(.session(.read(stream: number, byteCount: byteCount))) },
      closed: { [weak self] in
        guard let self else { return }
        memory.withLock { $0.inputs.removeAll { $0.number == number } }
        link.request(.session(.closeIncomingStream(number)))
      })
    let stream = PeerInputStream(core)
    memory.withLock { $0.inputs.append((number, peer, core, stream)) }
    delegate.session(session, didReceive: stream, withName: name, fromPeer: member)
  }

  private func output(_ number: Int) -> StreamCore? {
    memory.withLock { $0.outputs.first { $0.number == number }?.core }
  }

  private func input(_ number: Int) -> StreamCore? {
    memory.withLock { $0.inputs.first { $0.number == number }?.core }
  }

  // MARK: Ends

  /// Ends what is under way with one peer, or with all of them. Of what this side began, that up to a number.
  func endEverything(with peer: PeerKey?, upTo last: Int = .max, error: PeerError) {
    func isMeant(_ other: PeerKey) -> Bool { peer.map { $0.identity == other.identity } ?? true }
    let (streams, outgoing, incoming, calls) = memory.withLock { memory in
      let outputs = memory.outputs.filter { isMeant($0.peer) }
      let streams = outputs.map(\.core) + memory.inputs.filter { isMeant($0.peer) }.map(\.core)
      let outgoing = memory.outgoing.filter { $0.number <= last && isMeant($0.peer) }
      let incoming = memory.incoming.filter { isMeant($0.peer.key) }
      // What was asked for one peer's connection stays until it is answered.
      let calls = peer == nil ? memory.calls.filter { $0.number <= last } : []
      return (streams, outgoing, incoming, calls)
    }
    for stream in streams { stream.end(error.asError) }
    for resource in outgoing { finishOutgoing(resource.number, error.asError) }
    for resource in incoming { finishIncoming(resource.number, error.asError, session) }
    for call in calls { answered(call.number, .failure(error)) }
  }
}
