package import RollcallPrimitives
package import RollcallWire

// Datagrams and time, and what they do to connections and members.
extension SessionMachine {
  /// When the machine wants to be woken; `nil`: never.
  package var deadline: Instant? {
    var next = Instant.never
    for index in links.indices { next = min(next, links[index].next()) }
    for one in expected { next = min(next, one.until) }
    return next == .never ? nil : next
  }

  /// A datagram that was sent to our port.
  package mutating func receive(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) {
    let bytes = outbox.payloads.bytes(of: datagram.payload)
    do throws(SessionRejection) {
      if let first = bytes.first, first <= SessionPacketKind.refusal.rawValue {
        let opening: SessionOpening
        do { opening = try SessionOpening(bytes) } catch { throw .malformed(error) }
        let here = SessionPlace(datagram.destination, on: datagram.interface)
        try take(opening, Array(bytes), from: datagram.source, to: here, at: now, into: &outbox)
      } else {
        try takePacket(bytes, from: datagram.source, at: now, into: &outbox)
      }
    } catch {
      reject(error, from: datagram.source)
    }
  }

  private mutating func takePacket(
    _ bytes: UnsafeRawBufferPointer, from source: Endpoint, at now: Instant, into outbox: inout Outbox
  ) throws(SessionRejection) {
    let header: SessionHeader
    do { header = try SessionHeader(bytes) } catch { throw .malformed(error) }
    guard let index = links.firstIndex(where: { $0.number == header.link && $0.transport != nil }) else {
      throw .unknownConnection
    }
    guard links[index].endpoint == source else { throw .wrongSource }
    var deliveries: [Delivery] = []
    var fault: SessionRejection?
    do throws(SessionRejection) {
      try links[index].transport?.receive(bytes, header: header, at: now, into: &deliveries)
    } catch { fault = error }
    let number = header.link
    for delivery in deliveries {
      guard let index = links.firstIndex(where: { $0.number == number }), links[index].stage != .closing else { break }
      do throws(SessionRejection) { try take(delivery, index, at: now, into: &outbox) } catch { fault = error }
    }
    if let index = links.firstIndex(where: { $0.number == number }) {
      switch fault {
      case .malformed, .wrongOrder:
        if links[index].stage != .closing { end(index, .violation, at: now, into: &outbox) }
      default: flush(index, at: now, into: &outbox)
      }
    }
    removeOver()
    if let fault { throw fault }
  }

  private mutating func take(_ delivery: Delivery, _ index: Int, at now: Instant, into outbox: inout Outbox)
    throws(SessionRejection)
  {
    switch delivery {
    case .message(let bytes, let isReliable):
      // The other side is connected already; what overtook the message that says so is lost, as anything unreliable
      // may be.
      guard links[index].stage == .connected else {
        if isReliable { throw .wrongOrder }
        return
      }
      tell(.message(links[index].peer, bytes, isReliable: isReliable))
    case .channel(let kind, let number, let bytes, let isLast):
      try take(kind, number, bytes, isLast: isLast, channelsOf: index)
    case .close(let end):
      if end == .declined, policy.faults.contains(.declineIgnored) { return }
      links[index].transport?.close(nil, at: now)
      retire(index, isReported: true)
    case .control(let bytes):
      let control: SessionControl
      do { control = try SessionControl(bytes: bytes) } catch { throw .malformed(error) }
      try take(control, index, at: now, into: &outbox)
    }
  }

  private mutating func take(_ control: SessionControl, _ index: Int, at now: Instant, into outbox: inout Outbox)
    throws(SessionRejection)
  {
    let (stage, isAsker, purpose) = (links[index].stage, links[index].isAsker, links[index].purpose)
    switch control {
    case .invitation(let timeout, let context, let certificates):
      guard stage == .asking, !isAsker, purpose == .invitation, links[index].invitation == nil else {
        throw .wrongOrder
      }
      // Its hello alone ends nothing: that may have been recorded and sent again by anybody.
      for place in links.indices.reversed() where place != index && links[place].stage == .connected {
        if links[place].peer == links[index].peer { end(place, .replaced, at: now, into: &outbox) }
      }
      links[index].deadline = now + .milliseconds(Int64(timeout))
      links[index].pendingCertificates = certificates
      invited(index, context: context)
    case .accept(let certificates):
      guard stage == .asking, isAsker, purpose == .invitation else { throw .wrongOrder }
      ask(index, certificates)
    case .decline: end(index, .declined, at: now, into: &outbox)
    case .elsewhere:
      guard stage == .asking, isAsker, purpose == .invitation else { throw .wrongOrder }
      acceptedElsewhere(index, at: now, into: &outbox)
    case .greeting(let certificates):
      guard stage == .asking, purpose != .invitation else { throw .wrongOrder }
      ask(index, certificates)
    case .ready:
      guard stage == .deciding, !links[index].isOtherReady else { throw .wrongOrder }
      links[index].isOtherReady = true
      connectIfReady(index, at: now, into: &outbox)
    case .members(let members):
      guard stage == .connected else { throw .wrongOrder }
      for member in members { introduced(member, at: now, into: &outbox) }
    case .streamOpen, .streamCredit, .streamEnd, .resourceOpen, .resourceEnd:
      try take(control, channelsOf: index)
    }
  }

  /// The certificates of the other side are known: the owner is asked, if it wants to be.
  mutating func ask(_ index: Int, _ chain: [[UInt8]]) {
    links[index].stage = .deciding
    links[index].pendingCertificates = []
    if policy.certificateDecision == .asked {
      tell(.certificate(links[index].peer, chain: chain.isEmpty ? nil : chain))
    } else {
      // The other side is not ready yet: before this stage its `ready` is refused.
      links[index].isReady = true
      say(.ready, index)
    }
  }

  /// Both are ready: connected. Members are introduced to each other, except who came by hand.
  mutating func connectIfReady(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    guard links[index].isReady, links[index].isOtherReady, let card = links[index].card else { return }
    let peer = card.id
    // Both invitations were accepted, and each ends the other.
    let other = connected(peer)
    links[index].stage = .connected
    if let other {
      for place in [index, other].sorted(by: >) { end(place, .replaced, at: now, into: &outbox) }
      return
    }
    set(peer, .connected)
    guard links[index].purpose != .manual, !policy.faults.contains(.membersNotIntroduced) else { return }
    var members: [SessionControl.Member] = []
    let newcomer = SessionControl.Member(card, at: links[index].endpoint)
    for place in links.indices where place != index && links[place].stage == .connected {
      guard links[place].purpose != .manual, let card = links[place].card else { continue }
      members.append(SessionControl.Member(card, at: links[place].endpoint))
      say(.members([newcomer]), place)
      flush(place, at: now, into: &outbox)
    }
    if !members.isEmpty { say(.members(members), index) }
  }

  /// A member of the session that we do not know yet: the lower ID opens, the higher one expects it.
  private mutating func introduced(_ member: SessionControl.Member, at now: Instant, into outbox: inout Outbox) {
    let peer = member.card.id
    guard peer != card.id, state(of: peer) == .notConnected, !isFull, canOpen else { return }
    expected.removeAll { $0.card.id == peer }
    if peer < card.id {
      guard expected.count < policy.openingsMaximum else { return }
      expected.append(ExpectedPeer(card: member.card, token: nil, until: now + policy.openingTimeout))
    } else if isOnOneInterface(member.endpoint) {
      introduce(member.card, at: member.endpoint, on: nil, at: now, into: &outbox)
    } else {
      tell(.introduced(member.card, at: member.endpoint))
    }
  }

  /// Connects with a member that another one introduced.
  /// - Parameter interface: where the owner sees it; `nil`: its address decides.
  package mutating func introduce(
    _ other: SessionCard, at place: Endpoint, on interface: InterfaceID?, at now: Instant, into outbox: inout Outbox
  ) {
    guard other.id > card.id, state(of: other.id) == .notConnected, !isFull, canOpen else { return }
    set(other.id, .connecting)
    open(
      other.id, at: place, from: here(toward: place, on: interface), .introduction, card: other,
      timeout: policy.openingTimeout, at: now, into: &outbox)
  }

  /// Whether it helps to know where a peer is: it was introduced, has not answered, and its address does not say it.
  package func seeks(_ peer: SessionPeerID) -> Bool { unanswered(peer) != nil }

  private func unanswered(_ peer: SessionPeerID) -> Int? {
    links.firstIndex {
      $0.peer == peer && $0.purpose == .introduction && $0.stage == .opening && $0.isAsker
        && !isOnOneInterface($0.endpoint)
    }
  }

  /// The owner sees a peer that may have been introduced before: what has not been answered elsewhere is asked here.
  package mutating func see(_ peer: SessionPeerID, at place: Endpoint, on interface: InterfaceID, at now: Instant) {
    guard let index = unanswered(peer) else { return }
    let here = here(toward: place, on: interface)
    if links[index].endpoint == place, links[index].here == here { return }
    (links[index].endpoint, links[index].here, links[index].nextHello) = (place, here, now)
  }

  // MARK: Ends

  /// Ends a connection or attempt, and tells the other side.
  mutating func end(
    _ index: Int, _ end: SessionEnd, at now: Instant, into outbox: inout Outbox, isReported: Bool = true
  ) {
    guard links[index].transport != nil else { return drop(index, isReported: isReported) }
    links[index].transport?.close(end, at: now)
    links[index].transport?.flush(at: now, into: &outbox)
    retire(index, isReported: isReported)
  }

  /// The session knows the connection no longer; it may have to say its end again.
  private mutating func retire(_ index: Int, isReported: Bool) {
    let peer = links[index].peer
    failChannels(index)
    links[index].stage = .closing
    if let invitation = links[index].invitation { tell(.invitationEnded(number: invitation)) }
    links[index].invitation = nil
    // Another connection or attempt with the same peer keeps its state.
    let isOther = links.contains { $0.peer == peer && $0.stage != .closing && ($0.isAsker || $0.stage != .asking) }
    if isReported, !isOther { set(peer, .notConnected) }
  }

  /// Ends a connection or attempt. The other side is not told.
  mutating func drop(_ index: Int, isReported: Bool = true) {
    retire(index, isReported: isReported)
    links.remove(at: index)
  }

  mutating func flush(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    links[index].transport?.flush(at: now, into: &outbox)
    settleChannels(index)
  }
  mutating func flushAll(at now: Instant, into outbox: inout Outbox) {
    for index in links.indices { flush(index, at: now, into: &outbox) }
  }
  mutating func removeOver() {
    // What is over was closing. It is asked with every packet, and a look at the stages copies no connection.
    guard links.indices.contains(where: { links[$0].stage == .closing }) else { return }
    links.removeAll { $0.transport?.isOver ?? false }
    // An end that nobody acknowledges is said for some time, but not for everybody.
    while links.count(where: { $0.stage == .closing }) > policy.openingsMaximum,
      let first = links.firstIndex(where: { $0.stage == .closing })
    {
      links.remove(at: first)
    }
  }

  /// Time has come.
  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    for one in expected where one.until <= now && (one.token != nil || one.isInvited) {
      set(one.card.id, .notConnected)
    }
    expected.removeAll { $0.until <= now }
    for index in links.indices.reversed() where links.indices.contains(index) {
      let stage = links[index].stage
      if stage != .connected, stage != .closing, links[index].deadline <= now {
        end(index, .timedOut, at: now, into: &outbox)
      } else if links[index].transport?.isGone(at: now) ?? false {
        drop(index)
      } else {
        sayHello(index, at: now, into: &outbox)
        links[index].transport?.wake(at: now)
        flush(index, at: now, into: &outbox)
      }
    }
    removeOver()
  }
}
