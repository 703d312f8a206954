import MultipeerConnectivity
import RollcallDoors
import RollcallPeers
package import RollcallPrimitives
import RollcallSessions
import RollcallWire

// What the device tells, as events of the doors.
extension SimulatedNearbyDevice {
  typealias Push = (object: NearbyNumber, event: NearbyEvent)

  /// Tells the doors what the machine told, and what the person does now.
  package func tell(_ told: [NearbyBox.Told], at now: Instant) {
    state.withLock { $0.now = now }
    for one in told {
      push(state.withLock { state in pushes(one.event, one.name, &state) })
    }
    let (deeds, fetches) = state.withLock { state in
      let fetches = state.fetches.filter { $0.due <= now }
      state.fetches.removeAll { $0.due <= now }
      return (state.person.takeDue(at: now), fetches)
    }
    push(deeds)
    for fetch in fetches { fetch.answer(fetch.result) }
  }

  private func pushes(_ event: PeerEvent, _ name: String?, _ state: inout State) -> [Push] {
    switch event {
    case .advertisingFailed(let number, let error):
      return run(number, &state) { .advertiser(.failed(run: $0, error.peerError)) }
    case .browsingFailed(let number, let error):
      return run(number, &state) { .browser(.failed(run: $0, error.peerError)) }
    case .found(let number, let peer, let info):
      let key = state.key(of: peer.id, peer.name)
      return run(number, &state) {
        .browser(.found(run: $0, key, info?.map { InfoPair(key: $0.key, value: $0.value) }))
      }
    case .lost(let number, let peer):
      let key = state.key(of: peer, nil)
      return run(number, &state) { .browser(.lost(run: $0, key)) }
    case .invited(let advertiser, let number, let from, let context):
      let key = state.key(of: from.id, from.name)
      state.invitations.append(OpenInvitation(number: number, advertiser: NearbyNumber(advertiser), from: key))
      return run(advertiser, &state) { .advertiser(.invited(run: $0, invitation: number, from: key, context: context)) }
    case .invitationEnded(_, let number): return ended(number, &state)
    case .session(let number, let event): return pushes(event, name, NearbyNumber(number), &state)
    case .opened(let session, let number, let id):
      state.doors[session]?.channels.opened(number, id)
      return []
    case .notOpened(let session, let number, let error):
      let isStream = state.doors[session]?.channels.isStream(number)
      state.doors[session]?.channels.notOpened(number)
      guard let isStream else { return [] }
      let event: MultipeerConnectivity.SessionEvent =
        isStream ? .streamEnded(number, error.peerError) : .resourceSent(number, error.peerError)
      return [(NearbyNumber(session), .session(event))]
    case .taken(let session, let number, let count):
      return [(NearbyNumber(session), .session(.streamTaken(number, byteCount: count)))]
    case .connectionData(let session, let number, let result):
      return [(NearbyNumber(session), .session(.connectionData(number, result.mapError(\.peerError))))]
    // The states of its peers say what the session of an application has to know.
    case .failed: return []
    }
  }

  /// The event of the run that goes on.
  private func run(_ number: Int, _ state: inout State, _ event: (Int) -> NearbyEvent) -> [Push] {
    guard let run = state.doors[number]?.run else { return [] }
    return [(NearbyNumber(number), event(run))]
  }

  /// An invitation is void: nobody need be asked any more.
  private func ended(_ number: Int, _ state: inout State) -> [Push] {
    guard let place = state.invitations.firstIndex(where: { $0.number == number }) else { return [] }
    let gone = state.invitations.remove(at: place)
    guard let prompt = state.prompts.first(where: { $0.from.identity == gone.from.identity }) else { return [] }
    return [(prompt.object, .assistant(.withdrawn(prompt.number)))]
  }

  // MARK: - Sessions

  private func pushes(
    _ event: RollcallSessions.SessionEvent, _ name: String?, _ object: NearbyNumber, _ state: inout State
  ) -> [Push] {
    guard state.doors[object.value] != nil else { return [] }
    func number(_ id: SessionChannelID) -> Int? { state.doors[object.value]?.channels.number(of: id) }
    let told: MultipeerConnectivity.SessionEvent?
    switch event {
    case .state(let peer, let peerState): told = .state(state.key(of: peer, name), peerState.sessionState)
    case .certificate(let peer, let chain):
      state.certificateCount += 1
      state.certificates[state.certificateCount] = (object, peer)
      told = .certificate(state.certificateCount, chain: chain, from: state.key(of: peer, name))
    case .message(let peer, let bytes, _): told = .data(bytes, from: state.key(of: peer, name))
    case .streamOpened(let id, let stream):
      let offered = state.doors[object.value]?.channels.offered(id, isStream: true) ?? 0
      told = .streamOffered(offered, name: stream, from: state.key(of: id.peer, name))
    case .streamBytes(let id, let bytes): told = number(id).map { .streamBytes($0, bytes) }
    case .resourceStarted(let id, let resource, let file, let count):
      // One of no known size never comes from a phone, and a door has no place for it.
      guard let count else {
        state.wishes.append(.step(.command(.session(object.value, .cancelIncoming(id)))))
        return []
      }
      let offered = state.doors[object.value]?.channels.offered(id, isStream: false) ?? 0
      told = .resourceOffered(
        ResourceOffer(number: offered, name: resource, fileName: file, byteCount: count),
        from: state.key(of: id.peer, name))
    case .resourceWanted(let id, let count):
      guard let number = number(id) else { return [] }
      if count == 0 {
        // Nothing is read of a file without a byte.
        state.wishes.append(.step(.command(.session(object.value, .supply(number, [])))))
        return []
      }
      told = .resourceWanted(number, byteCount: count)
    case .resourceBytes(let id, let bytes): told = number(id).map { .resourceBytes($0, bytes) }
    case .progress(let id, let bytes):
      told = id.isIncoming ? nil : number(id).map { .resourceTaken($0, byteCount: bytes) }
    case .ended(let id, let error): told = ended(id, error, object, &state)
    case .invited, .invitationEnded, .introduced, .streamRoom, .rejected: told = nil
    }
    return told.map { [(object, .session($0))] } ?? []
  }

  private func ended(
    _ id: SessionChannelID, _ error: SessionError?, _ object: NearbyNumber, _ state: inout State
  ) -> MultipeerConnectivity.SessionEvent? {
    guard let channels = state.doors[object.value]?.channels, let number = channels.number(of: id) else { return nil }
    state.doors[object.value]?.channels.ended(id)
    // A stream that its reader closes ends without an error.
    let streamError = error == .cancelled ? nil : error?.peerError
    if id.isIncoming {
      return channels.isIncomingStream(number)
        ? .incomingStreamEnded(number, streamError) : .resourceReceived(number, error?.peerError)
    }
    return channels.isStream(number) == true
      ? .streamEnded(number, streamError) : .resourceSent(number, error?.peerError)
  }
}

extension SessionError {
  var peerError: PeerError {
    switch self {
    case .notConnected: .multipeer(.notConnected)
    case .invalidParameter: .multipeer(.invalidParameter)
    case .timedOut: .multipeer(.timedOut)
    case .cancelled: .multipeer(.cancelled)
    case .unavailable: .multipeer(.unavailable)
    case .failed: .multipeer(.unknown)
    }
  }
}

extension PeerState {
  var sessionState: MCSessionState {
    switch self {
    case .notConnected: .notConnected
    case .connecting: .connecting
    case .connected: .connected
    }
  }
}
