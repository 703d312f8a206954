import RollcallPrimitives
import RollcallWire

// Opening a connection: hello, welcome, refusal.
extension SessionMachine {
  /// - Parameter known: the card of a peer that was introduced or handed out connection data.
  mutating func open(
    _ peer: SessionPeerID, at place: Endpoint, from here: SessionPlace, _ purpose: SessionOpening.Purpose,
    card known: SessionCard? = nil,
    token: [UInt8]? = nil, context: [UInt8]? = nil, timeout: Interval, at now: Instant, into outbox: inout Outbox
  ) {
    let (number, agreement) = (draws.next() | 1, draws.next())
    var hello = SessionOpening.Hello(
      link: number, target: peer, purpose: purpose, token: token, preference: preference, card: card,
      agreement: cipher.agreementKey(agreement))
    hello.signature = cipher.signature(of: SessionOpening.hello(hello).signedBytes)
    var link = PeerLink(
      number: number, isAsker: true, purpose: purpose, peer: peer, card: known, endpoint: place, here: here,
      stage: .opening,
      opening: SessionOpening.hello(hello).bytes, agreement: agreement, deadline: now + timeout)
    link.context = context
    link.nextHello = canOpen ? now : .never
    connectionCount &+= 1
    links.append(link)
    sayHello(links.count - 1, at: now, into: &outbox)
  }

  /// Sends the hello, and again later each time.
  mutating func sayHello(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    guard links[index].stage == .opening, links[index].nextHello <= now else { return }
    links[index].nextHello = policy.faults.contains(.helloOnce) ? .never : now + links[index].helloWait
    links[index].helloWait = min(links[index].helloWait * 2, .seconds(1))
    transmit(links[index].opening, to: links[index].endpoint, from: links[index].here, into: &outbox)
  }

  /// Whether a connection is sealed; `nil`: the two sides do not agree.
  private func isSealed(with other: EncryptionPreference) -> Bool? {
    let areOpen = preference == .optional && other == .optional
    if areOpen, policy.optionalEncryption == .plain, !policy.faults.contains(.optionalSealed) { return false }
    let agreed = preference.isSealed(with: other)
    return agreed == nil && policy.faults.contains(.encryptionIgnored) ? false : agreed
  }

  func transmit(_ bytes: [UInt8], to place: Endpoint, from here: SessionPlace, into outbox: inout Outbox) {
    outbox.transmit(
      Datagram(
        source: here.endpoint, destination: place, interface: here.interface, hopLimit: 64,
        payload: outbox.payloads.store(bytes))
    )
  }

  mutating func take(
    _ opening: SessionOpening, _ bytes: [UInt8], from source: Endpoint, to here: SessionPlace, at now: Instant,
    into outbox: inout Outbox
  ) throws(SessionRejection) {
    switch opening {
    case .hello(let hello):
      if let refusal = try take(hello, bytes, from: source, to: here, at: now, into: &outbox) {
        transmit(SessionOpening.refusal(link: hello.link, refusal).bytes, to: source, from: here, into: &outbox)
      }
    case .welcome(let welcome): try take(welcome, bytes, from: source, at: now, into: &outbox)
    case .refusal(let number, _):
      guard let index = links.firstIndex(where: { $0.number == number && $0.stage == .opening }) else {
        throw .unknownConnection
      }
      guard links[index].endpoint == source else { throw .wrongSource }
      drop(index)
    }
  }

  /// A refusal to be sent; `nil`: the hello was taken, or is left without an answer.
  private mutating func take(
    _ hello: SessionOpening.Hello, _ bytes: [UInt8], from source: Endpoint, to here: SessionPlace, at now: Instant,
    into outbox: inout Outbox
  ) throws(SessionRejection) -> SessionOpening.Refusal? {
    guard hello.target == card.id, hello.card.id != card.id else { return .wrongPeer }
    let peer = hello.card.id
    // The same hello again: the welcome was lost.
    if let index = links.firstIndex(where: { !$0.isAsker && $0.askedLink == hello.link && $0.peer == peer }) {
      guard links[index].endpoint == source else { throw .wrongSource }
      if links[index].stage == .asking { transmit(links[index].opening, to: source, from: here, into: &outbox) }
      return nil
    }
    let signed = Array(bytes.dropLast(SessionOpening.signatureBytes))
    guard cipher.isSignature(hello.signature, of: signed, by: hello.card.key) else { throw .badSignature }
    guard let isSealed = isSealed(with: hello.preference) else {
      giveUp(expecting: hello.card)
      return .encryption
    }
    switch hello.purpose {
    case .invitation:
      for index in links.indices.reversed() where links[index].peer == peer && links[index].stage != .closing {
        switch links[index].stage {
        case .connected:
          guard policy.replacesConnections, links[index].card?.key == hello.card.key else {
            return .connectedAlready
          }
        case .opening where links[index].purpose == .invitation,
          .asking where links[index].purpose == .invitation && links[index].isAsker:
          if !policy.takesMutualInvitationsInTurn { continue }
          // The invitation of the lower ID stands: ours, which the other side takes, or this one.
          if card.id < peer { return nil }
          end(index, .replaced, at: now, into: &outbox, isReported: false)
        case .asking where !links[index].isAsker && links[index].invitation != nil:
          end(index, .replaced, at: now, into: &outbox, isReported: false)
        default: return .busy
        }
      }
      if state(of: peer) == .notConnected, isFull { return .full }
    case .introduction, .manual:
      let found = expected.first { one in
        one.card.id == peer && one.card.key == hello.card.key
          && (hello.purpose == .manual ? one.token == hello.token : one.token == nil)
      }
      guard found != nil else { throw .notExpected }
    }
    guard links.count(where: { $0.stage == .asking && !$0.isAsker }) < policy.openingsMaximum, canOpen else {
      throw .tooManyOpenings
    }
    let (number, agreement) = (draws.next() | 1, draws.next())
    var welcome = SessionOpening.Welcome(
      askedLink: hello.link, link: number, preference: preference, card: card, agreement: cipher.agreementKey(agreement)
    )
    welcome.signature = cipher.signature(of: bytes + SessionOpening.welcome(welcome).signedBytes)
    let opening = SessionOpening.welcome(welcome).bytes
    let transport = try transport(
      to: hello.link, at: source, from: here, isSealed: isSealed, agreement, with: hello.agreement,
      transcript: bytes + opening,
      isAsker: false, at: now)
    if hello.purpose != .invitation {
      expected.removeAll { $0.card.id == peer }
      tokens.removeAll { $0.peer == peer }
      set(peer, .connecting)
    }
    var link = PeerLink(
      number: number, isAsker: false, purpose: hello.purpose, peer: peer, card: hello.card, endpoint: source,
      here: here, stage: .asking, opening: opening, agreement: agreement, deadline: now + policy.openingTimeout)
    link.askedLink = hello.link
    link.transport = transport
    connectionCount &+= 1
    links.append(link)
    if hello.purpose != .invitation { say(.greeting(certificates: certificates), links.count - 1) }
    transmit(opening, to: source, from: here, into: &outbox)
    return nil
  }

  private mutating func take(
    _ welcome: SessionOpening.Welcome, _ bytes: [UInt8], from source: Endpoint, at now: Instant,
    into outbox: inout Outbox
  ) throws(SessionRejection) {
    guard let index = links.firstIndex(where: { $0.number == welcome.askedLink && $0.stage == .opening }) else {
      throw .unknownConnection
    }
    guard links[index].endpoint == source else { throw .wrongSource }
    guard welcome.card.id == links[index].peer else { throw .badSignature }
    // Who was introduced or handed out connection data is known by its key.
    if let card = links[index].card, card.key != welcome.card.key { throw .badSignature }
    let signed = links[index].opening + bytes.dropLast(SessionOpening.signatureBytes)
    guard cipher.isSignature(welcome.signature, of: signed, by: welcome.card.key) else { throw .badSignature }
    guard let isSealed = isSealed(with: welcome.preference) else { return drop(index) }
    links[index].transport = try transport(
      to: welcome.link, at: source, from: links[index].here, isSealed: isSealed, links[index].agreement,
      with: welcome.agreement,
      transcript: links[index].opening + bytes, isAsker: true, at: now)
    links[index].card = welcome.card
    links[index].stage = .asking
    if links[index].purpose == .invitation {
      let left = (links[index].deadline - now).nanoseconds / 1_000_000
      say(
        .invitation(
          timeoutMilliseconds: UInt32(clamping: left), context: links[index].context, certificates: certificates), index
      )
      links[index].context = nil
    } else {
      say(.greeting(certificates: certificates), index)
    }
    flush(index, at: now, into: &outbox)
  }

  /// The transport of a connection on which both sides agree, to the other side's number and place.
  /// - Throws: `badSignature` where the connection is sealed and the other side's key is none.
  private func transport(
    to remote: UInt64, at place: Endpoint, from here: SessionPlace, isSealed: Bool, _ agreement: UInt64,
    with key: [UInt8], transcript: [UInt8],
    isAsker: Bool, at now: Instant
  ) throws(SessionRejection) -> LinkTransport {
    var channel: (any SealedChannel)?
    if isSealed {
      channel = cipher.channel(agreement, with: key, transcript: transcript, isAsker: isAsker)
      if channel == nil { throw .badSignature }
    }
    return LinkTransport(
      remote: remote, here: here.endpoint, there: place, interface: here.interface, channel: channel, policy: policy,
      at: now)
  }
}
