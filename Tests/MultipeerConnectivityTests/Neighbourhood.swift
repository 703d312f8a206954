import MultipeerConnectivity
import RollcallDoors

/// Devices in one room, joined in memory: what one of them asks for is told to the others at once. Nothing is lost, and
/// no time passes; `letTimeRunOut` ends the invitations that wait.
final class Neighbourhood: @unchecked Sendable {
  struct Place: Hashable {
    var device: Int
    var object: NearbyNumber
  }

  private struct Waiting {
    var number: Int
    var inviter: Place
    var invited: Place
  }

  /// One side has asked the other one for its certificate, or both have answered.
  private struct Handshake {
    var sides: [Place]
    var accepted: [Place] = []
    var asked: [Int: Place] = [:]
  }

  private struct Link {
    var from: Place
    var number: Int
    var to: Place
    var incoming: Int
    var left = 0
    var taken = 0
  }

  private struct State {
    var devices: [LoopbackDevice] = []
    var advertising: [(place: Place, run: Int, setup: AdvertiserSetup)] = []
    var browsing: [(place: Place, run: Int, setup: BrowserSetup)] = []
    var waiting: [Waiting] = []
    var handshakes: [Handshake] = []
    /// Pairs of sessions that are connected, both ways.
    var pairs: [(Place, Place)] = []
    var streams: [Link] = []
    var resources: [Link] = []
    var calls: [(from: Place, peer: PeerKey)] = []
    var numbers = 0

    mutating func next() -> Int {
      numbers += 1
      return numbers
    }
  }

  private let lock = NSRecursiveLock()
  private var state = State()

  func device(policies: PeerPolicies = PeerPolicies()) -> LoopbackDevice {
    lock.withLock {
      let device = LoopbackDevice(self, number: state.devices.count, policies: policies)
      state.devices.append(device)
      return device
    }
  }

  /// The device that was made as the first, second, … one.
  func device(_ index: Int) -> LoopbackDevice { lock.withLock { state.devices[index] } }

  /// Until nobody has anything more to do.
  func settle() {
    var before = -1
    while before != lock.withLock({ state.numbers }) {
      before = lock.withLock { state.numbers }
      for device in lock.withLock({ state.devices }) { device.queues.drain() }
    }
  }

  func letTimeRunOut() {
    lock.withLock {
      let waiting = state.waiting
      state.waiting = []
      for invitation in waiting { part(invitation.inviter, peer(of: invitation.invited)) }
    }
    settle()
  }

  // MARK: Telling

  private func tell(_ place: Place, _ event: NearbyEvent) {
    state.numbers += 1
    state.devices[place.device].push(event, to: place.object)
  }

  private func tell(_ place: Place, _ event: SessionEvent) { tell(place, .session(event)) }

  private func part(_ place: Place, _ peer: PeerKey) { tell(place, .state(peer, .notConnected)) }

  private func peer(of place: Place) -> PeerKey {
    switch state.devices[place.device].role(place.object) {
    case .session(let setup): setup.peer
    case .advertiser(let setup): setup.peer
    case .browser(let setup): setup.peer
    case .assistant(let peer), .browserView(let peer): peer
    }
  }

  private func members(of place: Place) -> [Place] {
    state.pairs.compactMap { $0.0 == place ? $0.1 : $0.1 == place ? $0.0 : nil }
  }

  private func member(_ peer: PeerKey, of place: Place) -> Place? {
    members(of: place).first { self.peer(of: $0).identity == peer.identity }
  }

  // MARK: What objects ask

  func perform(_ request: NearbyRequest, at place: Place) {
    lock.withLock {
      switch request {
      case .advertiser(let request): perform(request, at: place)
      case .browser(let request): perform(request, at: place)
      case .session(let request): perform(request, at: place)
      case .assistant, .browserView: for event in state.devices[place.device].person(request) { tell(place, event) }
      }
    }
  }

  func detach(_ place: Place) {
    lock.withLock {
      perform(.session(.disconnect), at: place)
      for entry in state.advertising where entry.place == place { withdraw(entry.place) }
      state.browsing.removeAll { $0.place == place }
    }
  }

  private func perform(_ request: AdvertiserRequest, at place: Place) {
    switch request {
    case .start(let run):
      guard case .advertiser(let setup) = state.devices[place.device].role(place.object) else { return }
      state.advertising.append((place, run, setup))
      for browser in state.browsing where browser.setup.serviceType == setup.serviceType {
        tell(browser.place, .browser(.found(run: browser.run, setup.peer, setup.info)))
      }
    case .stop: withdraw(place)
    case .answer(let number, let session):
      guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return }
      let invitation = state.waiting.remove(at: index)
      guard let session else { return part(invitation.inviter, peer(of: place)) }
      let joining = Place(device: place.device, object: session)
      for member in [invitation.inviter] + members(of: invitation.inviter) where member != joining {
        shakeHands(member, joining)
      }
    }
  }

  private func withdraw(_ place: Place) {
    guard let index = state.advertising.firstIndex(where: { $0.place == place }) else { return }
    let gone = state.advertising.remove(at: index)
    for browser in state.browsing where browser.setup.serviceType == gone.setup.serviceType {
      tell(browser.place, .browser(.lost(run: browser.run, gone.setup.peer)))
    }
  }

  private func perform(_ request: BrowserRequest, at place: Place) {
    switch request {
    case .start(let run):
      guard case .browser(let setup) = state.devices[place.device].role(place.object) else { return }
      state.browsing.append((place, run, setup))
      for entry in state.advertising where entry.setup.serviceType == setup.serviceType {
        tell(place, .browser(.found(run: run, entry.setup.peer, entry.setup.info)))
      }
    case .stop: state.browsing.removeAll { $0.place == place }
    case .invite(let invitation):
      let session = Place(device: place.device, object: invitation.session)
      guard case .browser(let setup) = state.devices[place.device].role(place.object),
        let target = state.advertising.first(where: {
          $0.setup.peer.identity == invitation.peer.identity && $0.setup.serviceType == setup.serviceType
        })
      else { return part(session, invitation.peer) }
      let number = state.next()
      state.waiting.append(Waiting(number: number, inviter: session, invited: target.place))
      tell(
        target.place,
        .advertiser(
          .invited(run: target.run, invitation: number, from: peer(of: session), context: invitation.context)))
    }
  }

  // MARK: Connecting

  private func shakeHands(_ one: Place, _ other: Place) {
    guard !members(of: one).contains(other), case .session(let mine) = state.devices[one.device].role(one.object),
      case .session(let theirs) = state.devices[other.device].role(other.object)
    else { return }
    tell(one, .state(theirs.peer, .connecting))
    tell(other, .state(mine.peer, .connecting))
    if [mine.encryption, theirs.encryption].contains(.required), [mine.encryption, theirs.encryption].contains(.none) {
      part(one, theirs.peer)
      return part(other, mine.peer)
    }
    var handshake = Handshake(sides: [one, other])
    let numbers = (state.next(), state.next())
    handshake.asked = [numbers.0: one, numbers.1: other]
    state.handshakes.append(handshake)
    tell(one, .certificate(numbers.0, chain: theirs.certificates, from: theirs.peer))
    tell(other, .certificate(numbers.1, chain: mine.certificates, from: mine.peer))
  }

  private func decided(_ number: Int, _ accepts: Bool) {
    guard let index = state.handshakes.firstIndex(where: { $0.asked[number] != nil }) else { return }
    let sides = state.handshakes[index].sides
    guard accepts else {
      state.handshakes.remove(at: index)
      part(sides[0], peer(of: sides[1]))
      return part(sides[1], peer(of: sides[0]))
    }
    if let side = state.handshakes[index].asked[number] { state.handshakes[index].accepted.append(side) }
    guard state.handshakes[index].accepted.count == 2 else { return }
    state.handshakes.remove(at: index)
    state.pairs.append((sides[0], sides[1]))
    tell(sides[0], .state(peer(of: sides[1]), .connected))
    tell(sides[1], .state(peer(of: sides[0]), .connected))
  }

  // MARK: Sessions

  private func perform(_ request: SessionRequest, at place: Place) {
    switch request {
    case .disconnect:
      for member in members(of: place) { part(member, peer(of: place)) }
      state.pairs.removeAll { $0.0 == place || $0.1 == place }
      state.streams.removeAll { $0.from == place || $0.to == place }
      state.resources.removeAll { $0.from == place || $0.to == place }
    case .send(let bytes, let peers, _):
      for target in peers.compactMap({ member($0, of: place) }) { tell(target, .data(bytes, from: peer(of: place))) }
    case .answerCertificate(let number, let accepts): decided(number, accepts)
    case .connectionData(let number, let peer):
      tell(place, .connectionData(number, .success(self.peer(of: place).identity + peer.identity)))
    case .connect(let peer, let data):
      tell(place, .state(peer, .connecting))
      guard data == peer.identity + self.peer(of: place).identity else { return part(place, peer) }
      let mine = self.peer(of: place)
      guard let index = state.calls.firstIndex(where: { $0.peer == mine && self.peer(of: $0.from) == peer }) else {
        return state.calls.append((place, peer))
      }
      shakeHands(place, state.calls.remove(at: index).from)
    case .cancelConnect(let peer):
      let before = state.calls.count
      state.calls.removeAll { $0.from == place && $0.peer == peer }
      if state.calls.count < before { part(place, peer) }
    case .openStream, .write, .closeStream, .read, .closeIncomingStream: move(request, at: place)
    case .startResource, .resourceBytes, .cancelResource, .cancelIncomingResource: carry(request, at: place)
    }
  }

  private func move(_ request: SessionRequest, at place: Place) {
    switch request {
    case .openStream(let number, let name, let peer):
      guard let target = member(peer, of: place) else { return }
      let incoming = state.next()
      state.streams.append(Link(from: place, number: number, to: target, incoming: incoming))
      tell(target, .streamOffered(incoming, name: name, from: self.peer(of: place)))
    case .write(let number, let bytes):
      guard let link = state.streams.first(where: { $0.from == place && $0.number == number }) else { return }
      tell(link.to, .streamBytes(link.incoming, bytes))
    case .closeStream(let number):
      guard let link = state.streams.first(where: { $0.from == place && $0.number == number }) else { return }
      tell(link.to, .incomingStreamEnded(link.incoming, nil))
    case .read(let incoming, let byteCount):
      guard let link = state.streams.first(where: { $0.to == place && $0.incoming == incoming }) else { return }
      tell(link.from, .streamTaken(link.number, byteCount: byteCount))
    case .closeIncomingStream(let incoming):
      guard let index = state.streams.firstIndex(where: { $0.to == place && $0.incoming == incoming }) else { return }
      let link = state.streams.remove(at: index)
      tell(link.from, .streamEnded(link.number, nil))
    default: break
    }
  }

  private func carry(_ request: SessionRequest, at place: Place) {
    switch request {
    case .startResource(let offer, let peer):
      guard let target = member(peer, of: place) else {
        return tell(place, .resourceSent(offer.number, .multipeer(.notConnected)))
      }
      var incoming = offer
      incoming.number = state.next()
      let link = Link(
        from: place, number: offer.number, to: target, incoming: incoming.number, left: offer.byteCount)
      tell(target, .resourceOffered(incoming, from: self.peer(of: place)))
      state.resources.append(link)
      tell(place, .resourceWanted(offer.number, byteCount: offer.byteCount))
      if link.left == 0 { finish(state.resources.count - 1) }
    case .resourceBytes(let number, let bytes):
      guard let index = state.resources.firstIndex(where: { $0.from == place && $0.number == number }) else { return }
      state.resources[index].left -= bytes.count
      state.resources[index].taken += bytes.count
      let link = state.resources[index]
      tell(link.to, .resourceBytes(link.incoming, bytes))
      tell(place, .resourceTaken(number, byteCount: link.taken))
      if link.left == 0 { finish(index) }
    case .cancelResource(let number):
      guard let index = state.resources.firstIndex(where: { $0.from == place && $0.number == number }) else { return }
      let link = state.resources.remove(at: index)
      tell(link.to, .resourceReceived(link.incoming, .multipeer(.cancelled)))
    case .cancelIncomingResource(let number):
      guard let index = state.resources.firstIndex(where: { $0.to == place && $0.incoming == number }) else { return }
      let link = state.resources.remove(at: index)
      tell(link.from, .resourceSent(link.number, .multipeer(.cancelled)))
    default: break
    }
  }

  private func finish(_ index: Int) {
    let link = state.resources.remove(at: index)
    tell(link.to, .resourceReceived(link.incoming, nil))
    tell(link.from, .resourceSent(link.number, nil))
  }
}

/// One device of a neighbourhood.
final class LoopbackDevice: VirtualNearbyDevice, @unchecked Sendable {
  let queues = DoorQueues()
  let callbacks: DispatchQueue
  let policies: PeerPolicies
  private weak let neighbourhood: Neighbourhood?
  private let number: Int
  private let objects = Guarded<[(door: (any NearbyDoor)?, role: NearbyRole)]>([])
  private let identities = Guarded<UInt8>(0)
  private let script = Guarded<@Sendable (NearbyRequest) -> [NearbyEvent]>({ _ in [] })

  init(_ neighbourhood: Neighbourhood, number: Int, policies: PeerPolicies) {
    self.neighbourhood = neighbourhood
    self.number = number
    self.policies = policies
    callbacks = DispatchQueue(label: "callbacks of device \(number)")
  }

  /// What the person does when something is shown.
  func person(does script: @escaping @Sendable (NearbyRequest) -> [NearbyEvent]) {
    self.script.withLock { $0 = script }
  }

  func person(_ request: NearbyRequest) -> [NearbyEvent] { script.current(request) }

  func makeIdentity() -> [UInt8] {
    identities.withLock { identities in
      identities += 1
      return [UInt8(number), identities] + Array(repeating: 0, count: 14)
    }
  }

  func attach(_ door: any NearbyDoor, as role: NearbyRole) -> NearbyNumber {
    objects.withLock { objects in
      objects.append((door, role))
      return NearbyNumber(objects.count - 1)
    }
  }

  func detach(_ object: NearbyNumber) {
    let door = objects.withLock { objects in
      defer { objects[object.value].door = nil }
      return objects[object.value].door
    }
    neighbourhood?.detach(Neighbourhood.Place(device: number, object: object))
    withExtendedLifetime(door) {}
  }

  func perform(_ request: NearbyRequest, for object: NearbyNumber) {
    neighbourhood?.perform(request, at: Neighbourhood.Place(device: number, object: object))
  }

  func role(_ object: NearbyNumber) -> NearbyRole { objects.current[object.value].role }
  func push(_ event: NearbyEvent, to object: NearbyNumber) { objects.current[object.value].door?.push(event) }
}
