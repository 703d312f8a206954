package import RollcallPrimitives
package import RollcallWire

/// One side of a session: invitations, members, and what they send each other. Both sides are the same machine.
///
/// A value without socket, clock or chance of its own: commands, datagrams and time in; datagrams into the outbox and
/// `events` out, in order.
package struct SessionMachine: Sendable {
  package let card: SessionCard
  package let policy: SessionPolicy
  package let preference: EncryptionPreference
  /// The identity's certificate first, then its chain; none: no identity.
  package let certificates: [[UInt8]]
  /// Where others reach us.
  package var endpoint: Endpoint { places[0].endpoint }
  /// One for each interface and family, at least one; the first is where it is where nothing else decides.
  package private(set) var places: [SessionPlace]
  /// What the owner is to be told.
  package private(set) var events: [SessionEvent] = []
  /// Packets that were dropped.
  package private(set) var rejectedCount = 0
  /// Those of them that the owner was not told of, because `rejectionsMaximum` others waited.
  package private(set) var untoldRejectionCount = 0
  private var waitingRejectionCount = 0

  let cipher: any SessionCipher
  var draws: RandomStream
  var links: [PeerLink] = []
  /// Peers that are not `notConnected`, in the order in which they came.
  var states: [(peer: SessionPeerID, state: PeerState)] = []
  /// Peers that others introduced or that are connected by hand, from whom a hello may come.
  var expected: [ExpectedPeer] = []
  /// Tokens of connection data that was handed out.
  var tokens: [(peer: SessionPeerID, token: [UInt8])] = []
  private var invitationCount = 0
  var connectionCount = 0
  private var isStuck = false

  struct ExpectedPeer: Sendable {
    var card: SessionCard
    /// `nil`: introduced. Else the token that its hello must have.
    var token: [UInt8]?
    /// An invitation led to it: the owner was told that we connect, and hears if nothing comes of it.
    var isInvited = false
    var until: Instant
  }

  package init(
    card: SessionCard, certificates: [[UInt8]] = [], preference: EncryptionPreference = .optional,
    policy: SessionPolicy = SessionPolicy(), cipher: any SessionCipher, at endpoint: Endpoint, interface: InterfaceID,
    seed: Seed
  ) {
    (self.card, self.certificates, self.preference) = (card, certificates, preference)
    (self.policy, self.cipher, places) = (policy, cipher, [SessionPlace(endpoint, on: interface)])
    draws = seed.stream("session/\(card.id.high)/\(card.id.low)")
  }

  // MARK: State

  package func state(of peer: SessionPeerID) -> PeerState {
    states.first { $0.peer == peer }?.state ?? .notConnected
  }
  /// Where the connection with a peer is.
  func connected(_ peer: SessionPeerID) -> Int? { links.firstIndex { $0.peer == peer && $0.stage == .connected } }
  /// Without oneself, lowest ID first.
  package var connectedPeers: [SessionPeerID] { states.filter { $0.state == .connected }.map(\.peer).sorted() }
  /// Peers that are connecting or connected, in the order in which they came.
  package var presentPeers: [SessionPeerID] { states.map(\.peer) }
  /// Connections that are open, being opened or still saying that they end: bounded.
  package var linkCount: Int { links.count }
  package var waitingCount: Int { links.count &+ expected.count &+ tokens.count &+ events.count }
  /// Hands over what the owner has to be told.
  package mutating func takeEvents() -> [SessionEvent] {
    defer { (events, waitingRejectionCount) = ([], 0) }
    return events
  }
  mutating func tell(_ event: SessionEvent) { events.append(event) }
  /// A packet was dropped. Anybody can send packets that are: they must not fill the memory of an owner that is slow.
  mutating func reject(_ rejection: SessionRejection, from source: Endpoint) {
    rejectedCount &+= 1
    guard waitingRejectionCount < policy.rejectionsMaximum else { return untoldRejectionCount &+= 1 }
    waitingRejectionCount &+= 1
    tell(.rejected(rejection, from: source))
  }

  /// The one place where states change, in the order of MP-24.
  mutating func set(_ peer: SessionPeerID, _ state: PeerState) {
    let index = states.firstIndex { $0.peer == peer }
    let old = index.map { states[$0].state } ?? .notConnected
    guard old != state, !(old == .connected && state == .connecting) else { return }
    if old == .notConnected, state == .connected { set(peer, .connecting) }
    states.removeAll { $0.peer == peer }
    if state != .notConnected { states.append((peer, state)) }
    tell(.state(peer, state))
  }

  var isFull: Bool {
    states.count &+ 1 >= policy.peersMaximum && !policy.faults.contains(.ninthAdmitted)
  }

  // MARK: Commands

  /// Invites a peer. A `timeout` of zero or less is 30 s (MP-15).
  /// - Parameter interface: where the peer was found; `nil`: its address decides.
  package mutating func invite(
    _ peer: SessionPeerID, at place: Endpoint, on interface: InterfaceID? = nil, context: [UInt8]? = nil,
    timeout: Interval = .zero, at now: Instant,
    into outbox: inout Outbox
  ) throws(SessionError) {
    guard peer != card.id, context?.count ?? 0 <= SessionControl.contextBytesMaximum else { throw .invalidParameter }
    guard state(of: peer) == .notConnected else {
      if policy.secondInvitation == .refused { throw .invalidParameter }
      return
    }
    guard !isFull else { throw .unavailable }
    var time = timeout > .zero ? timeout : policy.openingTimeout
    if policy.faults.contains(.invitationNeverEnds) { time = .hours(1_000) }
    set(peer, .connecting)
    // The other one asks us already, and its invitation stands.
    let waiting = links.firstIndex { $0.peer == peer && $0.stage == .asking && $0.invitation != nil }
    if let waiting, policy.takesMutualInvitationsInTurn {
      if peer < card.id {
        links[waiting].deadline = min(links[waiting].deadline, now + time)
        return
      }
      end(waiting, .replaced, at: now, into: &outbox, isReported: false)
    }
    open(
      peer, at: place, from: here(toward: place, on: interface), .invitation, context: context, timeout: time, at: now,
      into: &outbox)
  }

  /// Answers an invitation. One that has ended is answered without effect.
  package mutating func answer(_ invitation: Int, accepts: Bool, at now: Instant, into outbox: inout Outbox)
    throws(SessionError)
  {
    guard let index = links.firstIndex(where: { $0.invitation == invitation && $0.stage == .asking }) else {
      if policy.secondAnswer == .refused { throw .invalidParameter }
      return
    }
    links[index].invitation = nil
    let peer = links[index].peer
    guard accepts else {
      if policy.declining == .told {
        end(index, .declined, at: now, into: &outbox)
      } else {
        drop(index)
      }
      return
    }
    if state(of: peer) == .notConnected, isFull {
      end(index, .full, at: now, into: &outbox)
      throw .unavailable
    }
    set(peer, .connecting)
    say(.accept(certificates: certificates), index)
    // Its certificates came with the invitation, and were kept there.
    let chain = links[index].pendingCertificates
    ask(index, chain)
    flush(index, at: now, into: &outbox)
  }

  /// Answers `certificate`.
  package mutating func decide(_ peer: SessionPeerID, accepts: Bool, at now: Instant, into outbox: inout Outbox) {
    guard let index = links.firstIndex(where: { $0.peer == peer && $0.stage == .deciding && !$0.isReady }) else {
      return
    }
    guard accepts else { return end(index, .certificate, at: now, into: &outbox) }
    links[index].isReady = true
    say(.ready, index)
    connectIfReady(index, at: now, into: &outbox)
    flushAll(at: now, into: &outbox)
  }

  /// Sends a message to connected peers; it returns when the message is queued (MP-29).
  package mutating func send(
    _ bytes: [UInt8], to peers: [SessionPeerID], reliably: Bool = true, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    if peers.isEmpty {
      if policy.emptyTargets == .refused { throw .invalidParameter }
      return
    }
    let isLarge = bytes.count > policy.unreliableBytesMaximum
    guard bytes.count <= policy.messageBytesMaximum, !bytes.isEmpty || policy.emptyMessage == .sent,
      reliably || !isLarge || policy.largeUnreliable == .sentReliably
    else { throw .invalidParameter }
    let found = peers.map(connected)
    if found.contains(nil), policy.missingTarget == .nothingSent { throw .notConnected }
    for case let index? in found {
      if reliably || isLarge {
        let queued = links[index].transport?.queuedBytes ?? 0
        guard queued &+ bytes.count <= policy.queueBytesMaximum else { throw .unavailable }
      }
    }
    for case let index? in found {
      if reliably || isLarge {
        links[index].transport?.sender.messages.append(bytes)
        flush(index, at: now, into: &outbox)
      } else {
        links[index].transport?.sendUnreliable(bytes, at: now, into: &outbox)
      }
    }
    if found.contains(nil) { throw .notConnected }
  }

  /// What waits to be sent reliably to a peer, in bytes.
  package func queuedBytes(to peer: SessionPeerID) -> Int {
    connected(peer).flatMap { links[$0].transport?.queuedBytes } ?? 0
  }

  /// Leaves: every member is told, and every attempt ends. What still waits to be sent, or is not acknowledged, is
  /// dropped. The session can be used again.
  package mutating func disconnect(at now: Instant, into outbox: inout Outbox) {
    (expected, tokens) = ([], [])
    for index in links.indices.reversed() where links[index].stage != .closing {
      end(index, .left, at: now, into: &outbox, isReported: policy.ownDisconnect == .reported)
    }
    if policy.ownDisconnect == .reported {
      for one in states { set(one.peer, .notConnected) }
    } else {
      states = []
    }
    isStuck = policy.reuse == .stuckInConnecting && !policy.faults.contains(.leftWorks)
    removeOver()
  }

  /// Ends the connection with one peer.
  package mutating func part(from peer: SessionPeerID, at now: Instant, into outbox: inout Outbox) {
    if let index = connected(peer) { end(index, .left, at: now, into: &outbox) }
  }

  /// The host has these places from now on. What is connected over an interface sends from its new address; the other
  /// sides do not take that: see docs/sessions.md.
  package mutating func settle(in places: [SessionPlace]) {
    guard !places.isEmpty, places != self.places else { return }
    self.places = places
    for index in links.indices {
      let old = links[index].here
      let found = places.first {
        $0.interface == old.interface && $0.endpoint.address.family == old.endpoint.address.family
      }
      guard let found else { continue }
      links[index].here = found
      links[index].transport?.here = found.endpoint
    }
  }

  /// From where we send to a place: on an interface, or on the one whose network it is in.
  func here(toward place: Endpoint, on interface: InterfaceID?) -> SessionPlace {
    let same = places.filter { $0.endpoint.address.family == place.address.family }
    return same.first { $0.interface == interface }
      ?? same.first { $0.prefixBits > 0 && $0.endpoint.address.sharesPrefix($0.prefixBits, with: place.address) }
      ?? same.first ?? places[0]
  }

  /// Whether its address alone says on which interface a place is. Networks of two interfaces may be the same, as those
  /// of link-local addresses are; and a place may be in none of them.
  func isOnOneInterface(_ place: Endpoint) -> Bool {
    let same = places.filter { $0.endpoint.address.family == place.address.family && $0.prefixBits > 0 }
    return same.isEmpty || same.count { $0.endpoint.address.sharesPrefix($0.prefixBits, with: place.address) } == 1
  }

  /// The process is gone: nothing is said, and nobody hears of it.
  package mutating func vanish() {
    (links, expected, tokens, states) = ([], [], [], [])
    (events, waitingRejectionCount, isStuck) = ([], 0, false)
  }

  var canOpen: Bool {
    !isStuck
      && (connectionCount < policy.connectionsMaximum ?? .max || policy.faults.contains(.connectionsUncounted))
  }

  /// A message of the session waits to be sent on a connection.
  mutating func say(_ control: SessionControl, _ index: Int) {
    links[index].transport?.sender.control.append(control.bytes)
  }

  // MARK: Invitations that came

  mutating func invited(_ index: Int, context: [UInt8]?) {
    invitationCount &+= 1
    links[index].invitation = invitationCount
    if let card = links[index].card { tell(.invited(number: invitationCount, card, context: context)) }
  }
}
