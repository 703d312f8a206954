import RollcallPrimitives
import RollcallWire

/// A stream or resource that comes from a peer.
struct IncomingChannel: Sendable {
  let kind: SessionPieceKind
  let number: UInt32
  /// What its sender may still send of a stream.
  var credit: Int
  /// What the owner has taken and the sender was not told of.
  var consumed = 0
  var total: Int?
  var received = 0
  /// We cancelled it; the sender does not know yet.
  var isIgnored = false
}

// Streams and resources: what the other side says of them.
extension SessionMachine {
  mutating func take(_ control: SessionControl, channelsOf index: Int) throws(SessionRejection) {
    guard links[index].stage == .connected else { throw .wrongOrder }
    let peer = links[index].peer
    switch control {
    case .streamOpen(let number, let name):
      try open(IncomingChannel(kind: .stream, number: number, credit: policy.streamBytesMaximum), index)
      tell(.streamOpened(SessionChannelID(peer: peer, number: number, isIncoming: true), name: name))
    case .resourceOpen(let number, let total, let name, let fileName):
      try open(IncomingChannel(kind: .resource, number: number, credit: 0, total: total), index)
      let id = SessionChannelID(peer: peer, number: number, isIncoming: true)
      tell(.resourceStarted(id, name: name, fileName: fileName, byteCount: total))
    case .streamCredit(let number, let count):
      guard let place = links[index].transport?.sender.channels.firstIndex(where: { $0.number == number }) else {
        return
      }
      let credit = (links[index].transport?.sender.channels[place].credit ?? 0) &+ Int(count)
      guard credit <= policy.streamBytesMaximum else { throw .wrongOrder }
      links[index].transport?.sender.channels[place].credit = credit
    case .streamEnd(let number, let side): endedEarly(number, side, .cancelled, index)
    case .resourceEnd(let number, let side, .complete):
      let found = links[index].transport?.sender.channels.first { $0.number == number }
      guard side == .receiver, found.map({ $0.kind == .resource && $0.isSent }) ?? true else { throw .wrongOrder }
      guard let channel = remove(number, index) else { return }
      let id = SessionChannelID(peer: peer, number: number, isIncoming: false)
      tell(.progress(id, bytes: channel.sentBytes))
      tell(.ended(id, nil))
    case .resourceEnd(let number, let side, let outcome): endedEarly(number, side, outcome, index)
    default: throw .wrongOrder
    }
  }

  /// The other side ends a stream or resource before its end.
  private mutating func endedEarly(
    _ number: UInt32, _ side: SessionControl.Side, _ outcome: SessionControl.Outcome, _ index: Int
  ) {
    let error = outcome == .failed ? SessionError.failed : .cancelled
    if side == .sender {
      guard let place = links[index].incoming.firstIndex(where: { $0.number == number }) else { return }
      let channel = links[index].incoming.remove(at: place)
      if !channel.isIgnored {
        tell(.ended(SessionChannelID(peer: links[index].peer, number: number, isIncoming: true), error))
      }
      return
    }
    guard let channel = remove(number, index) else { return }
    sayEnd(of: channel.kind, number, .sender, outcome, index)
    tell(.ended(SessionChannelID(peer: links[index].peer, number: number, isIncoming: false), error))
  }

  /// Numbers rise, so that none is used for two things.
  private mutating func open(_ channel: IncomingChannel, _ index: Int) throws(SessionRejection) {
    guard channel.number > links[index].highestIncoming, links[index].incoming.count < policy.channelsMaximum else {
      throw .wrongOrder
    }
    links[index].highestIncoming = channel.number
    links[index].incoming.append(channel)
  }

  mutating func take(
    _ kind: SessionPieceKind, _ number: UInt32, _ bytes: [UInt8], isLast: Bool, channelsOf index: Int
  ) throws(SessionRejection) {
    guard let place = links[index].incoming.firstIndex(where: { $0.number == number && $0.kind == kind }) else {
      throw .wrongOrder
    }
    var channel = links[index].incoming[place]
    channel.received &+= bytes.count
    if kind == .stream {
      channel.credit &-= bytes.count
      guard channel.credit >= 0 else { throw .wrongOrder }
    } else if let total = channel.total {
      guard isLast ? channel.received == total : channel.received <= total else { throw .wrongOrder }
    }
    links[index].incoming[place] = channel
    if isLast { links[index].incoming.remove(at: place) }
    guard !channel.isIgnored else { return }
    let id = SessionChannelID(peer: links[index].peer, number: number, isIncoming: true)
    if !bytes.isEmpty { tell(kind == .stream ? .streamBytes(id, bytes) : .resourceBytes(id, bytes)) }
    if kind == .resource, isLast || channel.received < channel.total ?? .max, !bytes.isEmpty || isLast {
      tell(.progress(id, bytes: channel.received))
    }
    guard isLast else { return }
    if kind == .resource { say(.resourceEnd(channel: number, .receiver, .complete), index) }
    tell(.ended(id, nil))
  }

  /// After something was sent: asks sources for more, tells of room, and ends streams that are sent.
  mutating func settleChannels(_ index: Int) {
    guard let channels = links[index].transport?.sender.channels, !channels.isEmpty else { return }
    let peer = links[index].peer
    for (place, channel) in channels.enumerated() {
      let id = SessionChannelID(peer: peer, number: channel.number, isIncoming: false)
      let queued = channel.queue.byteCount
      if channel.kind == .stream {
        if channel.isSent { tell(.ended(id, nil)) }
        if channel.isFull, !channel.isEnding, queued <= policy.streamBytesMaximum / 2 {
          links[index].transport?.sender.channels[place].isFull = false
          tell(.streamRoom(id, bytes: policy.streamBytesMaximum - queued))
        }
      } else if !channel.isEnding, channel.askedBytes == 0, queued < policy.resourceChunkBytes {
        let left = (channel.total ?? .max) &- channel.takenBytes
        let count = min(policy.resourceChunkBytes, left)
        // Nothing is left, and the source has not said so yet: it is asked for the end.
        guard count > 0 || channel.takenBytes == 0 else { continue }
        links[index].transport?.sender.channels[place].askedBytes = max(count, 1)
        if channel.sentBytes > 0 { tell(.progress(id, bytes: channel.sentBytes)) }
        tell(.resourceWanted(id, bytes: count))
      }
    }
    links[index].transport?.sender.channels.removeAll { $0.kind == .stream && $0.isSent }
  }

  /// The connection is over, and everything on it.
  mutating func failChannels(_ index: Int) {
    let peer = links[index].peer
    for channel in links[index].incoming where !channel.isIgnored {
      tell(.ended(SessionChannelID(peer: peer, number: channel.number, isIncoming: true), .notConnected))
    }
    for channel in links[index].transport?.sender.channels ?? [] {
      tell(.ended(SessionChannelID(peer: peer, number: channel.number, isIncoming: false), .notConnected))
    }
    links[index].incoming = []
    links[index].transport?.sender.channels = []
  }
}
