package import RollcallPrimitives
package import RollcallWire

// Invitations that one session takes and another one answers. A host has one session that takes the invitations of a
// peer; the application says later into which of its own sessions they are accepted. Both sides then expect each other,
// as members that were introduced do, and the lower ID opens the connection.
extension SessionMachine {
  /// Whether a packet with this number is for a connection of ours.
  package func owns(_ link: UInt64) -> Bool { links.contains { $0.number == link } }

  /// Whether a hello is for a connection that we expect, or have answered already.
  package func takes(_ hello: SessionOpening.Hello) -> Bool {
    guard card.id == hello.target else { return false }
    let peer = hello.card.id
    return expected.contains { $0.card.id == peer }
      || links.contains { !$0.isAsker && $0.askedLink == hello.link && $0.peer == peer }
  }

  /// Whether a peer can be connected with beside those that are.
  package func hasRoom(for peer: SessionPeerID) -> Bool { state(of: peer) != .notConnected || !isFull }

  /// Whether an invitation of ours to this peer waits for its answer.
  package func isInviting(_ peer: SessionPeerID) -> Bool { ownInvitation(to: peer) != nil }

  /// What a peer said of itself; `nil`: there is no connection with it, and none is expected.
  package func card(of peer: SessionPeerID) -> SessionCard? {
    links.first { $0.peer == peer && $0.card != nil }?.card ?? expected.first { $0.card.id == peer }?.card
  }

  private func ownInvitation(to peer: SessionPeerID) -> Int? {
    links.firstIndex {
      $0.peer == peer && $0.purpose == .invitation && $0.isAsker && ($0.stage == .opening || $0.stage == .asking)
    }
  }

  // MARK: The session that takes invitations

  /// Accepts an invitation for another session of this host, which has to `meet` the inviter.
  /// - Returns: the inviter and what is left of its time; `nil`: the invitation has ended.
  package mutating func handOver(_ invitation: Int, at now: Instant, into outbox: inout Outbox) -> (
    inviter: SessionControl.Member, interface: InterfaceID, time: Interval
  )? {
    guard let index = links.firstIndex(where: { $0.invitation == invitation }), let card = links[index].card else {
      return nil
    }
    let left = links[index].deadline - now
    links[index].invitation = nil
    // The inviter ends it, as soon as the answer has come, however often that is lost.
    links[index].deadline = min(links[index].deadline, now + policy.openingTimeout)
    say(.elsewhere, index)
    flush(index, at: now, into: &outbox)
    return (SessionControl.Member(card, at: links[index].endpoint), links[index].here.interface, max(left, .zero))
  }

  /// Knows an invitation no longer; its sender is not told.
  package mutating func forget(_ invitation: Int) {
    guard let index = links.firstIndex(where: { $0.invitation == invitation }) else { return }
    links[index].invitation = nil
    drop(index, isReported: false)
  }

  // MARK: The sessions of the application

  /// Our invitation was accepted: the connection that it went over has no more to do.
  mutating func acceptedElsewhere(_ index: Int, at now: Instant, into outbox: inout Outbox) {
    guard let card = links[index].card else { return }
    let (member, left) = (SessionControl.Member(card, at: links[index].endpoint), links[index].deadline - now)
    let interface = links[index].here.interface
    end(index, .replaced, at: now, into: &outbox, isReported: false)
    do throws(SessionError) { try meet(member, on: interface, within: left, at: now, into: &outbox) } catch {
      set(member.card.id, .notConnected)
    }
  }

  /// A member invites anew: it has lost its connection, which still lasts here (MX-5). The new one takes its place, and
  /// the end of the old one is told.
  /// - Returns: `false`: the old connection lasts, and the invitation is to be declined.
  package mutating func makeWay(for card: SessionCard, at now: Instant, into outbox: inout Outbox) -> Bool {
    guard let index = connected(card.id) else { return true }
    guard policy.replacesConnections, links[index].card?.key == card.key else { return false }
    end(index, .replaced, at: now, into: &outbox)
    return true
  }

  /// Connects with a peer that does the same: an invitation of one to the other was accepted.
  /// - Throws: `unavailable` where the session is full.
  package mutating func meet(
    _ member: SessionControl.Member, on interface: InterfaceID, within time: Interval, at now: Instant,
    into outbox: inout Outbox
  ) throws(SessionError) {
    let peer = member.card.id
    guard peer != card.id else { throw .invalidParameter }
    let isUnderWay =
      expected.contains { $0.card.id == peer && $0.isInvited }
      || links.contains { $0.peer == peer && $0.purpose != .invitation && $0.stage != .closing }
    if isUnderWay, !policy.takesMutualInvitationsInTurn { return fail(peer, at: now, into: &outbox) }
    let isMeeting = links.contains { $0.peer == peer && $0.purpose != .invitation && $0.stage != .closing }
    if isMeeting { return }
    guard state(of: peer) != .notConnected || !isFull else { throw .unavailable }
    set(peer, .connecting)
    expected.removeAll { $0.card.id == peer }
    if card.id < peer {
      open(
        peer, at: member.endpoint, from: here(toward: member.endpoint, on: interface), .introduction,
        card: member.card, timeout: time, at: now, into: &outbox)
    } else {
      expected.append(ExpectedPeer(card: member.card, token: nil, isInvited: true, until: now + time))
    }
  }

  /// The invitation of the other side stands, and ours is given up without a report: its connection is expected until
  /// our time is over.
  /// - Returns: whether there was one of ours.
  package mutating func yield(to other: SessionCard, at now: Instant, into outbox: inout Outbox) -> Bool {
    guard let index = ownInvitation(to: other.id) else { return false }
    let until = links[index].deadline
    end(index, .replaced, at: now, into: &outbox, isReported: false)
    expect(other, until: until)
    return true
  }

  /// The other side invites us already, and its invitation stands in the place of the one that we were to send.
  package mutating func expect(_ other: SessionCard, until: Instant) {
    set(other.id, .connecting)
    expected.removeAll { $0.card.id == other.id }
    expected.append(ExpectedPeer(card: other, token: nil, isInvited: true, until: until))
  }

  /// The invitation of the other side, which stood for ours, is declined.
  package mutating func giveUp(_ peer: SessionPeerID) {
    guard expected.contains(where: { $0.card.id == peer && $0.isInvited }) else { return }
    expected.removeAll { $0.card.id == peer }
    set(peer, .notConnected)
  }

  /// A peer that an invitation led to cannot be connected with.
  mutating func giveUp(expecting other: SessionCard) {
    if expected.contains(where: { $0.card.id == other.id && $0.card.key == other.key }) { giveUp(other.id) }
  }

  /// Both invitations were accepted, and each ends the other.
  private mutating func fail(_ peer: SessionPeerID, at now: Instant, into outbox: inout Outbox) {
    expected.removeAll { $0.card.id == peer }
    for index in links.indices.reversed() where links[index].peer == peer && links[index].stage != .closing {
      end(index, .replaced, at: now, into: &outbox)
    }
    set(peer, .notConnected)
  }
}
