import RollcallPrimitives
import RollcallSessions
import RollcallWire

/// A stream or resource of this side: the number that the application's side gave, and the session's own.
struct OwnChannel: Sendable {
  var number: Int
  var id: SessionChannelID
  /// Of a resource; `nil`: it is a stream.
  var byteCount: Int?
  /// Of a resource: bytes that were supplied.
  var suppliedCount = 0
  /// Of a stream: bytes that the session has no room for yet.
  var waiting: [UInt8] = []
  var isClosing = false
}

// What applications ask of their sessions.
extension PeerDevice {
  mutating func perform(
    _ command: PeerSessionCommand, session number: Int, at now: Instant, into outbox: inout Outbox
  ) {
    guard let index = place(ofSession: number) else { return }
    do throws(SessionError) {
      switch command {
      case .disconnect: sessions[index].machine.disconnect(at: now, into: &outbox)
      case .send(let bytes, let peers, let isReliable):
        try sessions[index].machine.send(bytes, to: peers, reliably: isReliable, at: now, into: &outbox)
      case .decide(let peer, let accepts):
        sessions[index].machine.decide(peer, accepts: accepts, at: now, into: &outbox)
      case .write(let channel, let bytes):
        guard let place = channelPlace(channel, index) else { return }
        sessions[index].channels[place].waiting += bytes
        try push(channel, index, at: now, into: &outbox)
      case .close(let channel):
        guard let place = channelPlace(channel, index) else { return }
        sessions[index].channels[place].isClosing = true
        try push(channel, index, at: now, into: &outbox)
      case .consumed(let channel, let count):
        sessions[index].machine.consumed(count, of: channel, at: now, into: &outbox)
      case .supply(let channel, let bytes): try supply(channel, bytes, index, at: now, into: &outbox)
      case .cancel(let channel):
        guard let place = channelPlace(channel, index) else { return }
        sessions[index].machine.cancel(sessions[index].channels[place].id, at: now, into: &outbox)
      case .cancelIncoming(let channel): sessions[index].machine.cancel(channel, at: now, into: &outbox)
      case .connect(let peer, let data): try connect(peer, data, index, at: now, into: &outbox)
      case .cancelConnect(let peer): sessions[index].machine.cancelConnect(peer, at: now, into: &outbox)
      case .openStream, .openResource, .connectionData: answer(command, index, at: now, into: &outbox)
      }
    } catch {
      tell(.failed(session: number, error))
    }
  }

  private mutating func connect(
    _ peer: SessionPeerID, _ data: [UInt8], _ index: Int, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    do throws(SessionError) {
      try sessions[index].machine.connect(peer, with: data, at: now, into: &outbox)
    } catch {
      if sessions[index].machine.state(of: peer) == .notConnected { refuse(peer, session: sessions[index].number) }
      throw error
    }
  }

  /// What has an answer of its own.
  private mutating func answer(
    _ command: PeerSessionCommand, _ index: Int, at now: Instant, into outbox: inout Outbox
  ) {
    let session = sessions[index].number
    switch command {
    case .openStream(let number, let name, let peer):
      do throws(SessionError) {
        let id = try sessions[index].machine.openStream(name, to: peer, at: now, into: &outbox)
        sessions[index].channels.append(OwnChannel(number: number, id: id))
        tell(.opened(session: session, number, id))
      } catch {
        tell(.notOpened(session: session, number, error))
      }
    case .openResource(let number, let name, let fileName, let byteCount, let peer):
      do throws(SessionError) {
        let id = try sessions[index].machine.sendResource(
          name, fileName: fileName, byteCount: byteCount, to: peer, at: now, into: &outbox)
        sessions[index].channels.append(OwnChannel(number: number, id: id, byteCount: byteCount))
        tell(.opened(session: session, number, id))
      } catch {
        tell(.notOpened(session: session, number, error))
      }
    case .connectionData(let number, let peer):
      do throws(SessionError) {
        let data = try sessions[index].machine.connectionData(for: peer)
        tell(.connectionData(session: session, number, .success(data)))
      } catch {
        tell(.connectionData(session: session, number, .failure(error)))
      }
    default: break
    }
  }

  private func channelPlace(_ number: Int, _ index: Int) -> Int? {
    sessions[index].channels.firstIndex { $0.number == number }
  }

  /// Gives the session of a stream's bytes what it has room for.
  private mutating func push(
    _ number: Int, _ index: Int, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    guard let place = channelPlace(number, index), sessions[index].channels[place].byteCount == nil else { return }
    let channel = sessions[index].channels[place]
    if channel.isClosing, faults.contains(.streamCut) { sessions[index].channels[place].waiting = [] }
    if !sessions[index].channels[place].waiting.isEmpty {
      let count = try sessions[index].machine.write(channel.waiting, to: channel.id, at: now, into: &outbox)
      sessions[index].channels[place].waiting.removeFirst(count)
      if count > 0 { tell(.taken(session: sessions[index].number, number, byteCount: count)) }
    }
    if channel.isClosing, sessions[index].channels[place].waiting.isEmpty {
      try sessions[index].machine.close(channel.id, at: now, into: &outbox)
    }
  }

  private mutating func supply(
    _ number: Int, _ bytes: [UInt8], _ index: Int, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    guard let place = channelPlace(number, index), let total = sessions[index].channels[place].byteCount else { return }
    sessions[index].channels[place].suppliedCount += bytes.count
    let channel = sessions[index].channels[place]
    try sessions[index].machine.supply(
      bytes, isLast: channel.suppliedCount == total, to: channel.id, at: now, into: &outbox)
  }

  /// What a session tells.
  mutating func note(_ event: SessionEvent, session index: Int, at now: Instant, into outbox: inout Outbox) {
    let number = sessions[index].number
    switch event {
    case .streamRoom(let id, bytes: _):
      guard let channel = sessions[index].channels.first(where: { $0.id == id }) else { return }
      do throws(SessionError) { try push(channel.number, index, at: now, into: &outbox) } catch {
        tell(.failed(session: number, error))
      }
    case .ended(let id, _):
      tell(.session(number, event))
      if !id.isIncoming { sessions[index].channels.removeAll { $0.id == id } }
    case .state(let peer, .connected):
      connectionCount &+= 1
      tell(.session(number, event))
      if plan.quirks.endsEarlierSession { endEarlier(with: peer, than: index, at: now, into: &outbox) }
    case .introduced(let card, let place):
      let seen = whereIs(card.id)
      sessions[index].machine.introduce(
        card, at: seen?.endpoint ?? place, on: seen?.interface, at: now, into: &outbox)
    // Sessions of an application take no invitations: a reception does.
    case .invited, .invitationEnded: break
    default: tell(.session(number, event))
    }
  }

  /// Other sessions of the same peer of this device part from the one that a session has connected with.
  private mutating func endEarlier(
    with peer: SessionPeerID, than index: Int, at now: Instant, into outbox: inout Outbox
  ) {
    let own = sessions[index].machine.card.id
    for other in sessions.indices where other != index && sessions[other].machine.card.id == own {
      sessions[other].machine.part(from: peer, at: now, into: &outbox)
    }
  }
}
