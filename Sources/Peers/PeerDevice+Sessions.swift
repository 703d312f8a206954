import RollcallDiscovery
import RollcallPrimitives
import RollcallSessions
import RollcallWire

// Sessions and the invitations that lead to them.
extension PeerDevice {
  /// 50 years, longer than any run.
  private static let withoutEnd = Interval.hours(438_000)

  // MARK: Peers of this device

  /// The place of a peer of this device; `nil`: there are too many.
  private mutating func local(_ peer: PeerName) -> Int? {
    if let index = locals.firstIndex(where: { $0.peer == peer }) { return index }
    if locals.count >= PeerDevice.objectsMaximum { forgetUnused() }
    guard locals.count < PeerDevice.objectsMaximum else { return nil }
    // Bytes that are the peer's own in this run.
    var draws = seed.stream("peer/\(PeerRecord.instance(of: peer.id))")
    var bytes: [UInt8] = []
    for _ in 0..<4 {
      let word = draws.next()
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * shift))) }
    }
    let cipher = plan.cipher(bytes)
    locals.append(
      Local(
        peer: peer, card: SessionCard(id: peer.id, name: peer.name, key: cipher.identityKey), cipher: cipher))
    return locals.count - 1
  }

  /// Peers that nothing of the device is for any more.
  private mutating func forgetUnused() {
    receptions.removeAll { one in
      one.machine.linkCount == 0 && !advertisers.contains { $0.record.peer.id == one.peer }
    }
    locals.removeAll { one in
      !receptions.contains { $0.peer == one.peer.id } && !sessions.contains { $0.machine.card.id == one.peer.id }
    }
  }

  /// A session or reception with a random stream of this name; where there was one of the name before, of `name/2`,
  /// `name/3` … An agreement's number is used for one connection, and the other side still knows those of links.
  private mutating func machine(
    _ local: Local, _ stream: String, certificates: [[UInt8]], _ preference: EncryptionPreference, asks: Bool
  ) -> SessionMachine {
    var policy = plan.sessions
    policy.certificateDecision = asks ? .asked : .accepted
    // Where it stays as long as the device is nowhere.
    let nowhere = Endpoint(IPAddress(v4: 0), port: plan.port)
    let count = streamCounts[stream, default: 0] + 1
    streamCounts[stream] = count
    var draws = seed.stream(count == 1 ? stream : "\(stream)/\(count)")
    var machine = SessionMachine(
      card: local.card, certificates: certificates, preference: preference, policy: policy, cipher: local.cipher,
      at: nowhere, interface: InterfaceID(0), seed: Seed(draws.next()))
    machine.settle(in: places)
    return machine
  }

  /// Takes the invitations to a peer from now on; `false`: there are too many peers.
  mutating func makeReception(_ peer: PeerName) -> Bool {
    if receptions.contains(where: { $0.peer == peer.id }) { return true }
    guard let local = local(peer) else { return false }
    let machine = machine(
      locals[local], "reception/\(PeerRecord.instance(of: peer.id))", certificates: [], .optional, asks: false)
    receptions.append(Reception(peer: peer.id, machine: machine))
    return true
  }

  mutating func open(_ number: Int, _ setup: PeerSessionSetup) {
    guard sessions.count < PeerDevice.objectsMaximum, !sessions.contains(where: { $0.number == number }),
      let local = local(setup.peer)
    else { return tell(.failed(session: number, .unavailable)) }
    let machine = machine(
      locals[local], "session/\(number)", certificates: setup.certificates, setup.preference,
      asks: setup.asksForCertificates)
    sessions.append(Session(number: number, machine: machine))
  }

  mutating func close(_ number: Int, at now: Instant, into outbox: inout Outbox) {
    guard let index = place(ofSession: number) else { return }
    sessions[index].machine.disconnect(at: now, into: &outbox)
    sessions[index].isClosed = true
  }

  func place(ofSession number: Int) -> Int? { sessions.firstIndex { $0.number == number && !$0.isClosed } }

  // MARK: Invitations

  mutating func invite(
    _ peer: SessionPeerID, into number: Int, _ context: [UInt8]?, _ time: Interval?, at now: Instant,
    into outbox: inout Outbox
  ) {
    guard let index = place(ofSession: number) else {
      refuse(peer, session: number)
      return tell(.failed(session: number, .invalidParameter))
    }
    let own = sessions[index].machine.card.id
    var limit = time ?? PeerDevice.withoutEnd
    if let maximum = plan.quirks.attemptMaximum {
      limit = min(limit > .zero ? limit : sessions[index].machine.policy.openingTimeout, maximum)
    }
    // The peer invites us already.
    if sessions[index].machine.policy.takesMutualInvitationsInTurn,
      let waiting = invitations.firstIndex(where: { $0.to == own && $0.inviter.id == peer }),
      sessions[index].machine.state(of: peer) == .notConnected
    {
      if peer < own {
        sessions[index].machine.expect(
          invitations[waiting].inviter,
          until: now + (limit > .zero ? limit : sessions[index].machine.policy.openingTimeout))
        return
      }
      withdrawInvitation(waiting)
    }
    guard let place = whereIs(peer) else {
      // Nobody hears it; a peer that is a member, or asked already, stays what it is.
      if sessions[index].machine.state(of: peer) == .notConnected { refuse(peer, session: number) }
      return
    }
    do throws(SessionError) {
      try sessions[index].machine.invite(
        peer, at: place.endpoint, on: place.interface, context: context, timeout: limit, at: now, into: &outbox)
    } catch {
      if sessions[index].machine.state(of: peer) == .notConnected { refuse(peer, session: number) }
      tell(.failed(session: number, error))
    }
  }

  /// An attempt to connect ends before it has begun.
  mutating func refuse(_ peer: SessionPeerID, session number: Int) {
    tell(.session(number, .state(peer, .connecting)))
    tell(.session(number, .state(peer, .notConnected)))
  }

  /// All sessions leave, as their applications did not ask: those hear of it whatever the policy says of what they ask.
  mutating func leaveSessions(at now: Instant, into outbox: inout Outbox) {
    for index in sessions.indices {
      let parted = sessions[index].machine.presentPeers
      sessions[index].machine.disconnect(at: now, into: &outbox)
      guard sessions[index].machine.policy.ownDisconnect == .silent, !sessions[index].isClosed else { continue }
      for event in sessions[index].machine.takeEvents() { note(event, session: index, at: now, into: &outbox) }
      for peer in parted { tell(.session(sessions[index].number, .state(peer, .notConnected))) }
    }
  }

  /// Where a peer that was found takes invitations, on the first interface that both share.
  func whereIs(_ peer: SessionPeerID) -> (endpoint: Endpoint, interface: InterfaceID)? {
    let instance = PeerRecord.instance(of: peer)
    for service in browser.present where service.name.instance == instance {
      for place in faults.contains(.firstInterfaceOnly) ? Array(places.prefix(1)) : places {
        for locator in service.locators where locator.interface == nil || locator.interface == place.interface {
          guard case .ip(let address) = locator.address, address.family == place.endpoint.address.family else {
            continue
          }
          return (Endpoint(address, port: service.port), place.interface)
        }
      }
    }
    return nil
  }

  private mutating func withdrawInvitation(_ index: Int) {
    let gone = invitations.remove(at: index)
    if let reception = receptions.firstIndex(where: { $0.peer == gone.to }) {
      receptions[reception].machine.forget(gone.inner)
    }
    tell(.invitationEnded(advertiser: gone.advertiser, invitation: gone.number))
  }

  mutating func answer(_ number: Int, _ session: Int?, at now: Instant, into outbox: inout Outbox) {
    // One that has ended is answered without effect.
    guard let index = invitations.firstIndex(where: { $0.number == number }) else { return }
    let invitation = invitations.remove(at: index)
    guard let reception = receptions.firstIndex(where: { $0.peer == invitation.to }) else { return }
    let peer = invitation.inviter.id
    guard let session, let place = place(ofSession: session), sessions[place].machine.hasRoom(for: peer),
      !invitation.isOfMember || sessions[place].machine.makeWay(for: invitation.inviter, at: now, into: &outbox)
    else {
      if let session { tell(.failed(session: session, .unavailable)) }
      // An answer to an invitation that ended meanwhile has no effect.
      try? receptions[reception].machine.answer(invitation.inner, accepts: false, at: now, into: &outbox)
      for index in sessions.indices where sessions[index].machine.card.id == invitation.to {
        sessions[index].machine.giveUp(peer)
      }
      return
    }
    guard let met = receptions[reception].machine.handOver(invitation.inner, at: now, into: &outbox) else { return }
    do throws(SessionError) {
      try sessions[place].machine.meet(
        met.inviter, on: met.interface, within: met.time, at: now, into: &outbox)
    } catch {
      tell(.failed(session: sessions[place].number, error))
    }
  }

  /// An invitation came to a peer of this device.
  private mutating func invited(
    _ reception: Int, _ inner: Int, _ card: SessionCard, _ context: [UInt8]?, at now: Instant, into outbox: inout Outbox
  ) {
    let to = receptions[reception].peer
    guard let advertiser = advertisers.first(where: { $0.record.peer.id == to }), !isInBackground else {
      return receptions[reception].machine.forget(inner)
    }
    if plan.sessions.takesMutualInvitationsInTurn {
      for index in sessions.indices where sessions[index].machine.card.id == to {
        guard sessions[index].machine.isInviting(card.id) else { continue }
        // Ours stands, and the other side takes it.
        if to < card.id { return receptions[reception].machine.forget(inner) }
        _ = sessions[index].machine.yield(to: card, at: now, into: &outbox)
      }
    }
    invitationCount &+= 1
    // Where invitations are not taken in turn, another one may be on its way to a connection that the first one made.
    let isOfMember =
      plan.sessions.takesMutualInvitationsInTurn
      && sessions.contains { $0.machine.card.id == to && $0.machine.state(of: card.id) == .connected }
    invitations.append(
      Invitation(
        number: invitationCount, advertiser: advertiser.number, to: to, inner: inner, inviter: card,
        isOfMember: isOfMember))
    tell(
      .invited(
        advertiser: advertiser.number, invitation: invitationCount, from: PeerName(card.id, card.name), context: context
      ))
  }

  // MARK: Packets

  /// A packet to the port of the sessions goes to the one that it is for.
  mutating func route(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) {
    let bytes = outbox.payloads.bytes(of: datagram.payload)
    guard let first = bytes.first else { return stray() }
    if first > SessionPacketKind.refusal.rawValue {
      guard let header = try? SessionHeader(bytes) else { return stray() }
      return give(datagram, ofLink: header.link, at: now, into: &outbox)
    }
    guard let opening = try? SessionOpening(bytes) else { return stray() }
    switch opening {
    case .hello(let hello) where hello.purpose == .invitation:
      // A peer that is not advertised any more hears no invitation, and its inviter waits.
      guard let index = receptions.firstIndex(where: { $0.peer == hello.target }), !isInBackground,
        advertisers.contains(where: { $0.record.peer.id == hello.target })
      else { return stray() }
      receptions[index].machine.receive(datagram, at: now, into: &outbox)
    case .hello(let hello):
      guard let index = sessions.firstIndex(where: { $0.machine.takes(hello) }) else { return stray() }
      sessions[index].machine.receive(datagram, at: now, into: &outbox)
    case .welcome(let welcome): give(datagram, ofLink: welcome.askedLink, at: now, into: &outbox)
    case .refusal(let link, _): give(datagram, ofLink: link, at: now, into: &outbox)
    }
  }

  /// Whether a packet begins a connection, or lets one begin.
  func isOpening(_ datagram: Datagram, _ outbox: borrowing Outbox) -> Bool {
    outbox.payloads.bytes(of: datagram.payload).first.map { $0 <= SessionPacketKind.refusal.rawValue } ?? false
  }

  private mutating func give(_ datagram: Datagram, ofLink link: UInt64, at now: Instant, into outbox: inout Outbox) {
    if let index = sessions.firstIndex(where: { $0.machine.owns(link) }) {
      sessions[index].machine.receive(datagram, at: now, into: &outbox)
    } else if let index = receptions.firstIndex(where: { $0.machine.owns(link) }) {
      receptions[index].machine.receive(datagram, at: now, into: &outbox)
    } else {
      stray()
    }
  }

  // MARK: What sessions tell

  mutating func collect(at now: Instant, into outbox: inout Outbox) {
    for index in receptions.indices {
      for event in receptions[index].machine.takeEvents() {
        switch event {
        case .invited(let inner, let card, let context):
          invited(index, inner, card, context, at: now, into: &outbox)
        case .invitationEnded(let inner): ended(inner, atReception: index)
        default: break
        }
      }
    }
    // What is done about an event may make sessions tell more; receptions it leaves alone.
    var isBusy = true
    while isBusy {
      isBusy = false
      for index in sessions.indices {
        for event in sessions[index].machine.takeEvents() where !sessions[index].isClosed {
          isBusy = true
          note(event, session: index, at: now, into: &outbox)
        }
      }
    }
    sessions.removeAll { $0.isClosed && $0.machine.linkCount == 0 }
  }

  private mutating func ended(_ inner: Int, atReception index: Int) {
    let to = receptions[index].peer
    guard let place = invitations.firstIndex(where: { $0.to == to && $0.inner == inner }) else { return }
    let gone = invitations.remove(at: place)
    tell(.invitationEnded(advertiser: gone.advertiser, invitation: gone.number))
  }
}
