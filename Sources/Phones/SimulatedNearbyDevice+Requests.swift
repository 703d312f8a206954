import Foundation
import MultipeerConnectivity
import RollcallDoors
import RollcallPeers
import RollcallPrimitives
import RollcallSessions
import RollcallWire

// What doors ask, as commands to the device.
extension SimulatedNearbyDevice {
  /// The steps that come of everything that was asked since the last call, in that order, and whether anything was.
  package func takeSteps() -> (steps: [NearbyBox.Step], isBusy: Bool) {
    state.withLock { state in
      let wishes = state.wishes
      state.wishes = []
      var steps: [NearbyBox.Step] = []
      for wish in wishes {
        if !state.hasAppeared, case .attach = wish {
          state.hasAppeared = true
          if !state.isAway { steps.append(.act(.appear)) }
          if state.isInBackground { steps.append(.command(.background(true))) }
        }
        switch wish {
        case .step(let step): steps.append(step)
        case .attach(let object): steps += attached(object, &state).map { .command($0) }
        case .detach(let object): steps += detached(object, &state).map { .command($0) }
        case .perform(let request, let object):
          if let command = command(request, object, &state) { steps.append(.command(command)) }
        case .fetch(let url, let answer): fetch(url, answer, &state)
        }
      }
      let isDue = min(state.person.due, state.fetches.map(\.due).min() ?? .never) <= state.now
      return (steps, !wishes.isEmpty || isDue)
    }
  }

  private func attached(_ object: NearbyNumber, _ state: inout State) -> [PeerCommand] {
    guard case .session(let setup) = state.doors[object.value]?.role else { return [] }
    state.note(setup.peer)
    return [
      .openSession(
        object.value,
        PeerSessionSetup(
          PeerName(setup.peer), certificates: setup.certificates ?? [], preference: setup.encryption.preference,
          asksForCertificates: true))
    ]
  }

  /// Its door is gone already: whatever it was, it ends.
  private func detached(_ object: NearbyNumber, _ state: inout State) -> [PeerCommand] {
    state.invitations.removeAll { $0.advertiser == object }
    state.prompts.removeAll { $0.object == object }
    return [.stopAdvertising(object.value), .stopBrowsing(object.value), .closeSession(object.value)]
  }

  private func fetch(
    _ url: URL, _ answer: @escaping @Sendable (Result<[UInt8], any Error>) -> Void, _ state: inout State
  ) {
    let page = state.pages[url]
    let result = page?.bytes.map { Result<[UInt8], any Error>.success($0) } ?? .failure(URLError(.cannotFindHost))
    state.fetches.append(Fetch(due: state.now + (page?.delay ?? .zero), result: result, answer: answer))
  }

  private func command(_ request: NearbyRequest, _ object: NearbyNumber, _ state: inout State) -> PeerCommand? {
    switch request {
    case .advertiser(let request): command(request, object, &state)
    case .browser(let request): command(request, object, &state)
    case .session(let request):
      state.doors[object.value] == nil ? nil : command(request, object, &state).map { .session(object.value, $0) }
    case .assistant(let request): perform(request, object, &state)
    case .browserView(let request): perform(request, object, &state)
    }
  }

  private func command(_ request: AdvertiserRequest, _ object: NearbyNumber, _ state: inout State) -> PeerCommand? {
    switch request {
    case .start(let run):
      guard case .advertiser(let setup) = state.doors[object.value]?.role else { return nil }
      state.doors[object.value]?.run = run
      state.note(setup.peer)
      return .advertise(
        object.value, PeerName(setup.peer), type: setup.serviceType,
        info: setup.info?.map { PeerInfo($0.key, $0.value) })
    case .stop:
      state.doors[object.value]?.run = nil
      return .stopAdvertising(object.value)
    case .answer(let number, let session):
      state.invitations.removeAll { $0.number == number }
      return .answer(invitation: number, session: session?.value)
    }
  }

  private func command(_ request: BrowserRequest, _ object: NearbyNumber, _ state: inout State) -> PeerCommand? {
    switch request {
    case .start(let run):
      guard case .browser(let setup) = state.doors[object.value]?.role else { return nil }
      state.doors[object.value]?.run = run
      state.note(setup.peer)
      return .browse(object.value, PeerName(setup.peer), type: setup.serviceType)
    case .stop:
      state.doors[object.value]?.run = nil
      return .stopBrowsing(object.value)
    case .invite(let invitation):
      state.note(invitation.peer)
      return .invite(
        SessionPeerID(invitation.peer), session: invitation.session.value, context: invitation.context,
        time: invitation.timeoutNanoseconds.map { .nanoseconds($0) })
    }
  }

  private func command(
    _ request: SessionRequest, _ object: NearbyNumber, _ state: inout State
  ) -> PeerSessionCommand? {
    func incoming(_ number: Int) -> SessionChannelID? { state.doors[object.value]?.channels.incoming(number) }
    switch request {
    case .disconnect: return .disconnect
    case .send(let bytes, let peers, let mode):
      return .send(bytes, to: peers.map { SessionPeerID($0) }, isReliable: mode == .reliable)
    case .openStream(let number, let name, let peer):
      state.doors[object.value]?.channels.begin(number, isStream: true)
      return .openStream(number, name: name, to: SessionPeerID(peer))
    case .write(let number, let bytes): return .write(number, bytes)
    case .closeStream(let number): return .close(number)
    case .read(let number, let count): return incoming(number).map { .consumed($0, byteCount: count) }
    case .closeIncomingStream(let number), .cancelIncomingResource(let number):
      return incoming(number).map { .cancelIncoming($0) }
    case .startResource(let offer, let peer):
      state.doors[object.value]?.channels.begin(offer.number, isStream: false)
      return .openResource(
        offer.number, name: offer.name, fileName: offer.fileName, byteCount: offer.byteCount, to: SessionPeerID(peer))
    case .resourceBytes(let number, let bytes): return .supply(number, bytes)
    case .cancelResource(let number): return .cancel(number)
    case .connectionData(let number, let peer):
      state.note(peer)
      return .connectionData(number, for: SessionPeerID(peer))
    case .connect(let peer, let data):
      state.note(peer)
      return .connect(SessionPeerID(peer), data)
    case .cancelConnect(let peer): return .cancelConnect(SessionPeerID(peer))
    case .answerCertificate(let number, let accepts):
      return state.certificates.removeValue(forKey: number).map { .decide($0.peer, accepts: accepts) }
    }
  }

  // MARK: - What is shown to the person

  private func perform(_ request: AssistantRequest, _ object: NearbyNumber, _ state: inout State) -> PeerCommand? {
    switch request {
    case .present(let number, let from, _):
      state.prompts.append(Prompt(object: object, number: number, from: from))
      // It may have ended while others were shown.
      if state.invitations.contains(where: { $0.from.identity == from.identity }) {
        state.person.shown(number, by: object, at: state.now)
      } else {
        state.person.withdrawn(number, of: object, at: state.now)
      }
    case .dismiss(let number):
      state.prompts.removeAll { $0.object == object && $0.number == number }
      state.person.dismissed(number, by: object)
    }
    return nil
  }

  private func perform(_ request: BrowserViewRequest, _ object: NearbyNumber, _ state: inout State) -> PeerCommand? {
    switch request {
    case .present(let screen): state.person.shown(screen, by: object, at: state.now)
    case .dismiss: state.person.dismissedScreen(of: object)
    }
    return nil
  }
}

extension SimulatedNearbyDevice.State {
  mutating func note(_ key: PeerKey) { keys[SessionPeerID(key)] = key }

  /// The key of a peer, which may have told its name since.
  mutating func key(of peer: SessionPeerID, _ name: String?) -> PeerKey {
    if let name, keys[peer]?.name != name {
      keys[peer] = PeerKey(identity: keys[peer]?.identity ?? peer.bytes, name: name)
    }
    return keys[peer] ?? PeerKey(identity: peer.bytes, name: "peer")
  }
}

extension MCEncryptionPreference {
  var preference: EncryptionPreference {
    switch self {
    case .optional: .optional
    case .required: .required
    case .none: .none
    }
  }
}
