package import RollcallPrimitives
package import RollcallWire

// Streams and resources: what the owner asks of them.
extension SessionMachine {
  /// Opens a stream of bytes to a connected peer.
  package mutating func openStream(
    _ name: String, to peer: SessionPeerID, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) -> SessionChannelID {
    try check(name, minimum: 1)
    return try open(.stream, nil, to: peer, at: now, into: &outbox) { .streamOpen(channel: $0, name: name) }
  }

  /// Sends a resource; its bytes are asked for by `resourceWanted`.
  /// - Parameters:
  ///   - fileName: of the file that it is at the sender; it may be empty.
  ///   - byteCount: `nil`: known at the end only.
  package mutating func sendResource(
    _ name: String, fileName: String = "", byteCount: Int?, to peer: SessionPeerID, at now: Instant,
    into outbox: inout Outbox
  ) throws(SessionError) -> SessionChannelID {
    guard byteCount ?? 0 >= 0, byteCount ?? 0 < 1 &<< 62 else { throw .invalidParameter }
    try check(name, minimum: 1)
    try check(fileName, minimum: 0)
    return try open(.resource, byteCount, to: peer, at: now, into: &outbox) {
      .resourceOpen(channel: $0, byteCount: byteCount, name: name, fileName: fileName)
    }
  }

  private func check(_ name: String, minimum: Int) throws(SessionError) {
    guard (minimum...SessionControl.nameBytesMaximum).contains(name.utf8.count) else { throw .invalidParameter }
  }

  private mutating func open(
    _ kind: SessionPieceKind, _ byteCount: Int?, to peer: SessionPeerID, at now: Instant, into outbox: inout Outbox,
    _ control: (UInt32) -> SessionControl
  ) throws(SessionError) -> SessionChannelID {
    guard let index = connected(peer) else { throw .notConnected }
    guard outgoingCount(index) < policy.channelsMaximum, links[index].lastChannel < .max else { throw .unavailable }
    links[index].lastChannel &+= 1
    let number = links[index].lastChannel
    var channel = OutgoingChannel(kind: kind, number: number, credit: policy.streamBytesMaximum)
    channel.total = byteCount
    say(control(number), index)
    links[index].transport?.sender.channels.append(channel)
    flush(index, at: now, into: &outbox)
    return SessionChannelID(peer: peer, number: number, isIncoming: false)
  }

  private func outgoingCount(_ index: Int) -> Int { links[index].transport?.sender.channels.count ?? 0 }

  /// Where an open channel of ours is.
  private func find(_ channel: SessionChannelID, _ kind: SessionPieceKind) throws(SessionError) -> (Int, Int) {
    guard let index = connected(channel.peer) else { throw .notConnected }
    guard !channel.isIncoming,
      let place = links[index].transport?.sender.channels.firstIndex(where: {
        $0.number == channel.number && $0.kind == kind && !$0.isEnding
      })
    else { throw .invalidParameter }
    return (index, place)
  }

  /// Writes to a stream; returns how many bytes were taken. Where it is fewer, `streamRoom` says when there is room.
  package mutating func write(
    _ bytes: [UInt8], to stream: SessionChannelID, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) -> Int {
    let (index, place) = try find(stream, .stream)
    let queued = links[index].transport?.sender.channels[place].queue.byteCount ?? 0
    let count = min(bytes.count, policy.streamBytesMaximum - queued)
    if count > 0 {
      links[index].transport?.sender.channels[place].queue.append(count == bytes.count ? bytes : Array(bytes[..<count]))
    }
    if count < bytes.count { links[index].transport?.sender.channels[place].isFull = true }
    flush(index, at: now, into: &outbox)
    return count
  }

  /// The reader hears of the end behind the last byte.
  package mutating func close(
    _ stream: SessionChannelID, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    let (index, place) = try find(stream, .stream)
    links[index].transport?.sender.channels[place].isEnding = true
    flush(index, at: now, into: &outbox)
  }

  /// The reader has taken so many bytes of a stream: the writer may send as many more.
  package mutating func consumed(
    _ count: Int, of stream: SessionChannelID, at now: Instant, into outbox: inout Outbox
  ) {
    guard let index = connected(stream.peer),
      let place = links[index].incoming.firstIndex(where: { $0.number == stream.number && $0.kind == .stream }),
      stream.isIncoming, count > 0
    else { return }
    // No more than came and was not told of yet.
    let open = policy.streamBytesMaximum - links[index].incoming[place].credit - links[index].incoming[place].consumed
    links[index].incoming[place].consumed &+= min(count, open)
    let consumed = links[index].incoming[place].consumed
    guard consumed >= policy.streamBytesMaximum / 4 else { return }
    links[index].incoming[place].consumed = 0
    links[index].incoming[place].credit &+= consumed
    say(.streamCredit(channel: stream.number, bytes: UInt32(consumed)), index)
    flush(index, at: now, into: &outbox)
  }

  /// Gives bytes of a resource, at most as many as were asked for at once.
  package mutating func supply(
    _ bytes: [UInt8], isLast: Bool, to resource: SessionChannelID, at now: Instant, into outbox: inout Outbox
  ) throws(SessionError) {
    let (index, place) = try find(resource, .resource)
    guard let channel = links[index].transport?.sender.channels[place] else { throw .notConnected }
    let taken = channel.takenBytes &+ bytes.count
    guard bytes.count <= channel.askedBytes, channel.total.map({ isLast ? taken == $0 : taken <= $0 }) ?? true else {
      throw .invalidParameter
    }
    links[index].transport?.sender.channels[place].askedBytes = 0
    links[index].transport?.sender.channels[place].isEnding = isLast
    if !bytes.isEmpty { links[index].transport?.sender.channels[place].queue.append(bytes) }
    flush(index, at: now, into: &outbox)
  }

  /// Ends a stream or resource early, from whichever side; the other side is told.
  package mutating func cancel(_ channel: SessionChannelID, at now: Instant, into outbox: inout Outbox) {
    endEarly(channel, .cancelled, at: now, into: &outbox)
  }

  /// Ends a resource early because its source, or what takes it, failed; the other side is told that. A stream has no
  /// reasons, and is cancelled.
  package mutating func fail(_ channel: SessionChannelID, at now: Instant, into outbox: inout Outbox) {
    endEarly(channel, .failed, at: now, into: &outbox)
  }

  private mutating func endEarly(
    _ channel: SessionChannelID, _ outcome: SessionControl.Outcome, at now: Instant, into outbox: inout Outbox
  ) {
    guard let index = connected(channel.peer) else { return }
    let kind: SessionPieceKind
    if channel.isIncoming {
      guard let place = links[index].incoming.firstIndex(where: { $0.number == channel.number && !$0.isIgnored }) else {
        return
      }
      kind = links[index].incoming[place].kind
      // Until the sender has heard of it, bytes may still come.
      links[index].incoming[place].isIgnored = true
    } else {
      guard let found = remove(channel.number, index) else { return }
      kind = found.kind
    }
    sayEnd(of: kind, channel.number, channel.isIncoming ? .receiver : .sender, outcome, index)
    tell(.ended(channel, kind == .resource && outcome == .failed ? .failed : .cancelled))
    flush(index, at: now, into: &outbox)
  }

  /// Says that a stream or resource ends early; a stream has no outcomes.
  mutating func sayEnd(
    of kind: SessionPieceKind, _ number: UInt32, _ side: SessionControl.Side, _ outcome: SessionControl.Outcome,
    _ index: Int
  ) {
    say(
      kind == .stream ? .streamEnd(channel: number, side) : .resourceEnd(channel: number, side, outcome), index)
  }

  /// Takes a channel of ours out.
  mutating func remove(_ number: UInt32, _ index: Int) -> OutgoingChannel? {
    guard let place = links[index].transport?.sender.channels.firstIndex(where: { $0.number == number }) else {
      return nil
    }
    return links[index].transport?.sender.channels.remove(at: place)
  }
}
