import RollcallPrimitives
import RollcallWire

/// One connection below the session: packets with numbers, acknowledgements, and what is sent again.
struct LinkTransport: Sendable {
  let remote: UInt64
  var here: Endpoint
  let there: Endpoint
  let interface: InterfaceID
  let channel: (any SealedChannel)?
  let policy: SessionPolicy
  var sender = ReliableSender()
  var receiver = ReliableReceiver()
  private var heard = HeardPackets()
  private var roundTrip = RoundTrip()
  private var nextPacket = 0
  /// When packets were sent, in a ring: for the time of a round trip.
  private var sentAt = Array(repeating: Instant.zero, count: 1_024)
  private var waitingSince: Instant?
  private var lastAsked: Instant
  private(set) var lastHeard: Instant
  private var highestHeardAt = Instant.zero
  private var unacknowledged = 0
  private var acknowledgeAt = Instant.never
  private var pingsNow = false
  /// Why we end, when it is said again, and when we give up saying it.
  private(set) var closing: (end: SessionEnd?, packet: Int, next: Instant, wait: Interval, until: Instant)?

  init(
    remote: UInt64, here: Endpoint, there: Endpoint, interface: InterfaceID, channel: (any SealedChannel)?,
    policy: SessionPolicy, at now: Instant
  ) {
    self.policy = policy
    (self.remote, self.here, self.there, self.interface) = (remote, here, there, interface)
    (self.channel, lastAsked, lastHeard) = (channel, now, now)
    sender.forgetsLoss = policy.faults.contains(.lossForgotten)
  }

  var isOver: Bool { closing.map { $0.until == .zero } ?? false }
  var queuedBytes: Int { sender.control.byteCount &+ sender.messages.byteCount }

  // MARK: Receiving

  /// Takes a packet; what it delivered before a fault in it counts.
  mutating func receive(
    _ packet: UnsafeRawBufferPointer, header: SessionHeader, at now: Instant,
    into deliveries: inout [Delivery]
  ) throws(SessionRejection) {
    guard header.isSealed == (channel != nil) else { throw .notSealedAsAgreed }
    guard heard.isNew(header.number) else { throw .packetAgain }
    guard let channel else {
      heard(header.number, at: now)
      return try walk(packet, now, &deliveries)
    }
    let count = packet.count &- SessionHeader.tagBytes
    var result: Result<Void, SessionRejection> = .success(())
    withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { room in
      guard channel.open(packet, headerBytes: SessionHeader.byteCount, number: header.number, into: room) else {
        result = .failure(.badSeal)
        return
      }
      heard(header.number, at: now)
      do throws(SessionRejection) { try walk(UnsafeRawBufferPointer(room), now, &deliveries) } catch {
        result = .failure(error)
      }
    }
    try result.get()
  }

  private mutating func heard(_ number: Int, at now: Instant) {
    if number > heard.highest { highestHeardAt = now }
    heard.insert(number)
    lastHeard = now
  }

  private mutating func walk(
    _ packet: UnsafeRawBufferPointer, _ now: Instant, _ deliveries: inout [Delivery]
  ) throws(SessionRejection) {
    if closing != nil { acknowledgeAt = now }
    var frames = SessionFrames(packet)
    var asks = false
    let held = receiver.keptCount
    do throws(SessionFault) {
      while let frame = try frames.next() {
        switch frame {
        case .acknowledgement(let one):
          guard one.packet < nextPacket else { throw SessionFault(.badValue, at: SessionHeader.byteCount) }
          if let closing {
            // The end itself was heard, not something before it.
            if closing.end != nil, one.packet >= closing.packet { self.closing?.until = .zero }
            continue
          }
          if nextPacket &- one.packet <= sentAt.count {
            roundTrip.take(now - sentAt[one.packet & (sentAt.count &- 1)] - .microseconds(Int64(one.delayMicroseconds)))
          }
          let bits = UnsafeRawBufferPointer(rebasing: packet[one.bits])
          guard sender.acknowledged(next: one.next, bits: bits, packet: one.packet, nextPacket: nextPacket) else {
            throw SessionFault(.badValue, at: one.bits.lowerBound)
          }
          waitingSince = sender.flyingCount > 0 ? now : nil
        case .piece(let piece):
          asks = true
          if closing != nil { continue }
          guard receiver.take(piece, in: packet, policy: policy, into: &deliveries) else {
            throw SessionFault(.overLimit, at: piece.bytes.lowerBound)
          }
        case .unreliable(let place):
          if closing == nil { deliveries.append(.message(Array(packet[place]), isReliable: false)) }
        case .ping: asks = true
        case .close(let end):
          asks = true
          if closing == nil { deliveries.append(.close(end)) }
        }
      }
    } catch { throw .malformed(error) }
    guard asks else { return }
    unacknowledged &+= 1
    let isUneven = receiver.keptCount > 0 || held > 0
    acknowledgeAt = min(
      acknowledgeAt, isUneven || unacknowledged >= Acknowledging.packets ? now : now + Acknowledging.delayMaximum)
  }

  // MARK: Time

  mutating func close(_ end: SessionEnd?, at now: Instant) {
    sender.removeAll()
    receiver = ReliableReceiver()
    closing = (end, nextPacket, end == nil ? .never : now, .milliseconds(100), now + policy.lingerTime)
  }

  func deadline() -> Instant {
    if let closing { return min(min(closing.next, closing.until), acknowledgeAt) }
    var next = acknowledgeAt
    if !policy.faults.contains(.silenceNeverEnds) { next = min(next, lastHeard + policy.silenceMaximum) }
    next = min(next, lastAsked + policy.keepAliveInterval)
    if let waitingSince { next = min(next, waitingSince + roundTrip.timeout) }
    return next
  }

  func isGone(at now: Instant) -> Bool {
    closing == nil && lastHeard + policy.silenceMaximum <= now && !policy.faults.contains(.silenceNeverEnds)
  }

  mutating func wake(at now: Instant) {
    if let closing, closing.until <= now { return self.closing!.until = .zero }
    if let since = waitingSince, since + roundTrip.timeout <= now {
      roundTrip.timedOut()
      sender.loseAll(nextPacket: nextPacket)
      waitingSince = nil
    }
    if closing == nil, lastAsked + policy.keepAliveInterval <= now { pingsNow = true }
  }

  // MARK: Sending

  /// Sends everything that can be sent now.
  mutating func flush(at now: Instant, into outbox: inout Outbox) {
    if closing != nil { return flushClosing(now, &outbox) }
    while sender.hasWork || acknowledgeAt <= now || pingsNow {
      let before = nextPacket
      send(now, &outbox) { transport, buffer, offset, end in
        while let sequence = transport.sender.take(
          room: end &- offset &- SessionFrame.Piece.headerBytes, maximum: transport.policy.pieceBytesMaximum,
          packet: before)
        {
          let piece = transport.sender.piece(sequence)
          SessionFrame.Piece(
            sequence: sequence, kind: piece.kind, channel: piece.channel, isLast: piece.isLast, bytes: 0..<0
          ).write(to: buffer, at: offset, count: piece.place.count)
          offset &+= SessionFrame.Piece.headerBytes
          piece.bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(
              from: UnsafeRawBufferPointer(rebasing: $0[piece.place]))
          }
          offset &+= piece.place.count
          transport.lastAsked = now
          // A piece asks for an acknowledgement as well.
          transport.pingsNow = false
          if transport.waitingSince == nil { transport.waitingSince = now }
        }
        if transport.pingsNow {
          transport.pingsNow = false
          transport.lastAsked = now
          SessionFrame.writePing(to: buffer, at: offset)
          offset &+= SessionFrame.pingBytes
        }
      }
    }
  }

  /// Sends a message once, now, whatever waits.
  mutating func sendUnreliable(
    _ bytes: [UInt8], at now: Instant, into outbox: inout Outbox
  ) {
    let ack = acknowledgeAt
    acknowledgeAt = .never
    send(now, &outbox) { _, buffer, offset, _ in
      SessionFrame.writeUnreliableHeader(to: buffer, at: offset, count: bytes.count)
      offset &+= SessionFrame.unreliableHeaderBytes
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: $0) }
      offset &+= bytes.count
    }
    acknowledgeAt = ack
  }

  private mutating func flushClosing(_ now: Instant, _ outbox: inout Outbox) {
    guard let state = closing, state.next <= now || acknowledgeAt <= now, state.until > now else { return }
    if state.next <= now {
      closing?.next = now + state.wait
      closing?.wait = state.wait * 2
    }
    send(now, &outbox) { _, buffer, offset, _ in
      guard let end = state.end, state.next <= now else { return }
      SessionFrame.writeClose(end, to: buffer, at: offset)
      offset &+= SessionFrame.closeBytes
    }
  }

  /// One packet: an acknowledgement if one is due, and what `fill` writes; the caller has at least one of the two.
  private mutating func send(
    _ now: Instant, _ outbox: inout Outbox,
    _ fill: (inout LinkTransport, UnsafeMutableRawBufferPointer, inout Int, Int) -> Void
  ) {
    let number = nextPacket
    let payload = outbox.payloads.write(byteCountMaximum: policy.packetBytesMaximum) { buffer in
      SessionHeader(isSealed: channel != nil, link: remote, number: number).write(to: buffer)
      var offset = SessionHeader.byteCount
      if acknowledgeAt <= now {
        writeAcknowledgement(to: buffer, at: &offset, now)
        acknowledgeAt = .never
      }
      fill(&self, buffer, &offset, policy.packetBytesMaximum &- SessionHeader.tagBytes)
      guard let channel else { return offset }
      channel.seal(
        buffer, headerBytes: SessionHeader.byteCount, count: offset &- SessionHeader.byteCount, number: number)
      return offset &+ SessionHeader.tagBytes
    }
    sentAt[number & (sentAt.count &- 1)] = now
    nextPacket &+= 1
    outbox.transmit(
      Datagram(source: here, destination: there, interface: interface, hopLimit: 64, payload: payload))
  }

  private mutating func writeAcknowledgement(
    to buffer: UnsafeMutableRawBufferPointer, at offset: inout Int, _ now: Instant
  ) {
    let bits = receiver.bitBytes
    let delay = UInt32(clamping: (now - highestHeardAt).nanoseconds / 1_000)
    SessionFrame.Acknowledgement(packet: heard.highest, delayMicroseconds: delay, next: receiver.next, bits: 0..<0)
      .write(to: buffer, at: offset, count: bits)
    receiver.writeBits(to: buffer, at: offset &+ SessionFrame.acknowledgementBytes)
    offset &+= SessionFrame.acknowledgementBytes &+ bits
    unacknowledged = 0
  }
}
