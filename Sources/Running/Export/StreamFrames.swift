import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// The streams of one host as the segments that it sent and heard, made from what its machine wanted and was given.
///
/// A stream has no bytes of its own on the virtual wire: here it gets the handshake, sequence numbers and acknowledgements
/// of a connection on which nothing was lost, at the times at which its machine acted and was told. So what was lost and
/// sent again is not there, only the time that it cost.
struct StreamFrames {
  struct Segment {
    var segment: TCPSegment
    var interface: InterfaceID
    var isOwn: Bool
  }

  /// One stream as its host sees it: what was sent and heard so far.
  private struct Conversation {
    var local: Endpoint
    var remote: Endpoint
    var interface: InterfaceID
    /// The next byte to send, and the next to hear.
    var sent: UInt32
    var heard: UInt32
    /// Of what was sent, up to where the other side said that it has it.
    var acknowledged: UInt32
    var hasFinished = false
    var heardFinish = false
    /// The host opened it; its first segment waits for the answer, since only that says the port.
    var askedAt: Instant?

    /// The segments of the handshake; everything that was sent was heard, and the other way round.
    mutating func handshake(isOwn: Bool) -> [Segment] {
      let size = UInt16(StreamFrames.segmentBytesMaximum(local.address))
      var first = isOwn ? own(.syn) : foreign(.syn)
      if isOwn { sent &+= 1 } else { heard &+= 1 }
      var second = isOwn ? foreign([.syn, .ack]) : own([.syn, .ack])
      second.segment.acknowledgment = isOwn ? sent : heard
      if isOwn { heard &+= 1 } else { sent &+= 1 }
      (first.segment.segmentBytesMaximum, second.segment.segmentBytesMaximum) = (size, size)
      acknowledged = sent
      return [first, second, isOwn ? own(.ack) : foreign(.ack)]
    }

    func own(_ flags: TCPFlags, _ payload: [UInt8] = []) -> Segment {
      let segment = TCPSegment(
        from: local, to: remote, sequence: sent, acknowledgment: heard, flags: flags, payload: payload)
      return Segment(segment: segment, interface: interface, isOwn: true)
    }

    func foreign(_ flags: TCPFlags, _ payload: [UInt8] = []) -> Segment {
      let segment = TCPSegment(
        from: remote, to: local, sequence: heard, acknowledgment: acknowledged, flags: flags, payload: payload)
      return Segment(segment: segment, interface: interface, isOwn: false)
    }

    mutating func write(_ bytes: [UInt8]) -> [Segment] {
      var segments: [Segment] = []
      for (piece, isLast) in StreamFrames.pieces(bytes, local.address) {
        segments.append(own(isLast ? [.psh, .ack] : .ack, piece))
        sent &+= UInt32(piece.count)
      }
      return segments
    }

    mutating func hear(_ bytes: [UInt8]) -> [Segment] {
      var segments: [Segment] = []
      for (piece, isLast) in StreamFrames.pieces(bytes, local.address) {
        segments.append(foreign(isLast ? [.psh, .ack] : .ack, piece))
        heard &+= UInt32(piece.count)
      }
      return segments + [own(.ack)]
    }

    /// What an acknowledgement of so many bytes shows; the first room of a stream is none.
    mutating func acknowledge(_ byteCount: UInt32) -> [Segment] {
      guard sent &- acknowledged > 0, byteCount <= sent &- acknowledged else { return [] }
      acknowledged &+= byteCount
      return [foreign(.ack)]
    }

    mutating func finish() -> [Segment] {
      if hasFinished || askedAt != nil { return [] }
      hasFinished = true
      let segment = own([.fin, .ack])
      sent &+= 1
      return [segment]
    }

    mutating func hearFinish() -> [Segment] {
      if heardFinish { return [] }
      heardFinish = true
      if hasFinished { acknowledged = sent }
      let segment = foreign([.fin, .ack])
      heard &+= 1
      return [segment, own(.ack)]
    }
  }

  /// What an Ethernet carries of a stream in a frame.
  private static func segmentBytesMaximum(_ address: IPAddress) -> Int { address.family == .v4 ? 1_460 : 1_440 }

  private var conversations: [StreamID: Conversation] = [:]
  private var listeners: [StreamID: InterfaceID] = [:]

  /// What an entry of the host shows, in order; a segment may belong to an earlier time.
  mutating func take(_ entry: TraceEntry) -> [(time: Instant, segment: Segment)] {
    switch entry.content {
    case .signal(.streams(let signal)): take(signal, at: entry.time)
    case .effect(.streams(let effect)): take(effect, at: entry.time)
    default: []
    }
  }

  private mutating func take(_ effect: StreamEffect, at time: Instant) -> [(Instant, Segment)] {
    switch effect {
    case .connect(let id, let remote, let interface):
      let start = StreamFrames.firstSequence(id, remote)
      conversations[id] = Conversation(
        local: Endpoint(remote.address, port: 0), remote: remote, interface: interface, sent: start, heard: ~start,
        acknowledged: start, askedAt: time)
      return []
    case .listen(let id, _, let interface):
      listeners[id] = interface
      return []
    case .write(let id, let bytes):
      guard conversations[id]?.askedAt == nil else { return [] }
      return update(id) { $0.write(bytes) }.map { (time, $0) }
    case .finish(let id): return update(id) { $0.finish() }.map { (time, $0) }
    case .reset(let id):
      listeners[id] = nil
      let segments = update(id) { $0.askedAt == nil ? [$0.own([.rst, .ack])] : [] }
      conversations[id] = nil
      return segments.map { (time, $0) }
    case .pause, .resume: return []
    }
  }

  private mutating func take(_ signal: StreamSignal, at time: Instant) -> [(Instant, Segment)] {
    switch signal {
    case .opened(let id, let local):
      guard var conversation = conversations[id], let askedAt = conversation.askedAt else { return [] }
      (conversation.local, conversation.askedAt) = (local, nil)
      let segments = conversation.handshake(isOwn: true)
      conversations[id] = conversation
      return [(askedAt, segments[0]), (time, segments[1]), (time, segments[2])]
    case .accepted(let id, let listener, let local, let remote):
      let start = StreamFrames.firstSequence(id, remote)
      var conversation = Conversation(
        local: local, remote: remote, interface: listeners[listener] ?? InterfaceID(0), sent: start, heard: ~start,
        acknowledged: start)
      let segments = conversation.handshake(isOwn: false)
      conversations[id] = conversation
      return segments.map { (time, $0) }
    case .bytes(let id, let bytes): return update(id) { $0.hear(bytes) }.map { (time, $0) }
    case .room(let id, let byteCount): return update(id) { $0.acknowledge(byteCount) }.map { (time, $0) }
    case .ended(let id, .finished): return update(id) { $0.hearFinish() }.map { (time, $0) }
    case .ended(let id, .reset):
      let segments = update(id) { [$0.foreign([.rst, .ack])] }
      conversations[id] = nil
      return segments.map { (time, $0) }
    case .ended(let id, _):
      conversations[id] = nil
      return []
    }
  }

  /// Begins somewhere else for every stream, the same in every run.
  private static func firstSequence(_ id: StreamID, _ remote: Endpoint) -> UInt32 {
    UInt32(truncatingIfNeeded: Digest.fold(UInt64(id.number) &+ 1, remote.address.low ^ UInt64(remote.port) &<< 40))
  }

  private mutating func update(_ id: StreamID, _ body: (inout Conversation) -> [Segment]) -> [Segment] {
    guard var conversation = conversations[id] else { return [] }
    let segments = body(&conversation)
    conversations[id] = conversation
    return segments
  }

  private static func pieces(_ bytes: [UInt8], _ address: IPAddress) -> [([UInt8], isLast: Bool)] {
    let size = segmentBytesMaximum(address)
    return stride(from: 0, to: bytes.count, by: size).map { offset in
      let end = min(offset + size, bytes.count)
      return (Array(bytes[offset..<end]), end == bytes.count)
    }
  }
}
