package import RollcallPrimitives
package import RollcallWire

/// A host with one session and a script: so that sessions run in a world.
package struct SessionHost: Machine {
  package enum Step: Sendable {
    case invite(SessionPeerID, Endpoint, context: [UInt8]? = nil, timeout: Interval = .zero)
    case answer(Int, Bool)
    case decide(SessionPeerID, Bool)
    case send([UInt8], [SessionPeerID], isReliable: Bool = true)
    case disconnect
    case connect(SessionPeerID, [UInt8])
    case cancelConnect(SessionPeerID)
    case openStream(String, SessionPeerID)
    case write([UInt8], SessionChannelID)
    case close(SessionChannelID)
    case cancel(SessionChannelID)
    case fail(SessionChannelID)
    /// Bytes that the host gives as they are asked for.
    case sendResource(String, [UInt8], SessionPeerID, isSizeKnown: Bool = true)
  }
  package var session: SessionMachine
  /// What to do when, earliest first.
  package var script: [(at: Instant, step: Step)]
  /// How many steps are done.
  private var done = 0
  /// Answers every invitation at once like this; `nil`: the script answers, or nobody.
  package var accepts: Bool?
  package private(set) var log: [(at: Instant, event: SessionEvent)] = []
  package private(set) var errors: [SessionError] = []
  /// Whether it takes what streams bring.
  package var reads = true
  /// Bytes that streams took.
  package private(set) var writtenCount = 0
  private var sources: [(id: SessionChannelID, bytes: [UInt8], given: Int)] = []
  /// Whether events are kept; without, a long run keeps nothing.
  package var isLogging = true

  package init(_ session: SessionMachine, accepts: Bool? = true, script: [(at: Instant, step: Step)] = []) {
    (self.session, self.accepts, self.script) = (session, accepts, script)
  }

  package var deadline: Instant? {
    guard done < script.count else { return session.deadline }
    return min(script[done].at, session.deadline ?? .never)
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .datagram(let datagram) = signal, datagram.destination == session.endpoint else { return }
    session.receive(datagram, at: now, into: &outbox)
    take(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    session.wake(at: now, into: &outbox)
    while done < script.count, script[done].at <= now {
      let first = script[done]
      done &+= 1
      do throws(SessionError) { try perform(first.step, at: now, into: &outbox) } catch { errors.append(error) }
    }
    take(at: now, into: &outbox)
  }

  private mutating func perform(_ step: Step, at now: Instant, into outbox: inout Outbox) throws(SessionError) {
    switch step {
    case .invite(let peer, let place, let context, let timeout):
      try session.invite(peer, at: place, context: context, timeout: timeout, at: now, into: &outbox)
    case .answer(let number, let accepts): try session.answer(number, accepts: accepts, at: now, into: &outbox)
    case .decide(let peer, let accepts): session.decide(peer, accepts: accepts, at: now, into: &outbox)
    case .send(let bytes, let peers, let isReliable):
      try session.send(bytes, to: peers, reliably: isReliable, at: now, into: &outbox)
    case .disconnect: session.disconnect(at: now, into: &outbox)
    case .connect(let peer, let bytes): try session.connect(peer, with: bytes, at: now, into: &outbox)
    case .openStream(let name, let peer): _ = try session.openStream(name, to: peer, at: now, into: &outbox)
    case .write(let bytes, let stream): writtenCount += try session.write(bytes, to: stream, at: now, into: &outbox)
    case .close(let stream): try session.close(stream, at: now, into: &outbox)
    case .cancel(let channel): session.cancel(channel, at: now, into: &outbox)
    case .fail(let channel): session.fail(channel, at: now, into: &outbox)
    case .sendResource(let name, let bytes, let peer, let isSizeKnown):
      let count = isSizeKnown ? bytes.count : nil
      let id = try session.sendResource(name, byteCount: count, to: peer, at: now, into: &outbox)
      sources.append((id, bytes, 0))
    case .cancelConnect(let peer): session.cancelConnect(peer, at: now, into: &outbox)
    }
  }

  private mutating func take(at now: Instant, into outbox: inout Outbox) {
    // Answers have events of their own.
    while true {
      let events = session.takeEvents()
      if events.isEmpty { return }
      for event in events {
        if isLogging { log.append((now, event)) }
        do throws(SessionError) { try react(to: event, at: now, into: &outbox) } catch { errors.append(error) }
      }
    }
  }

  private mutating func react(to event: SessionEvent, at now: Instant, into outbox: inout Outbox) throws(SessionError) {
    switch event {
    case .invited(let number, _, _):
      if let accepts { try session.answer(number, accepts: accepts, at: now, into: &outbox) }
    case .streamBytes(let stream, let bytes):
      if reads { session.consumed(bytes.count, of: stream, at: now, into: &outbox) }
    case .resourceWanted(let resource, let count):
      guard let place = sources.firstIndex(where: { $0.id == resource }) else { return }
      let (bytes, start) = (sources[place].bytes, sources[place].given)
      let end = min(start + count, bytes.count)
      sources[place].given = end
      try session.supply(
        Array(bytes[start..<end]), isLast: end == bytes.count, to: resource, at: now, into: &outbox)
    case .introduced(let card, let place): session.introduce(card, at: place, on: nil, at: now, into: &outbox)
    case .ended(let channel, _): sources.removeAll { $0.id == channel }
    default: break
    }
  }
}
