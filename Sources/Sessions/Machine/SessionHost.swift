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
  }
  package var session: SessionMachine
  /// What to do when, earliest first.
  package var script: [(at: Instant, step: Step)]
  /// Answers every invitation at once like this; `nil`: the script answers, or nobody.
  package var accepts: Bool?
  package private(set) var log: [(at: Instant, event: SessionEvent)] = []
  package private(set) var errors: [SessionError] = []
  /// Whether events are kept; without, a long run keeps nothing.
  package var isLogging = true

  package init(_ session: SessionMachine, accepts: Bool? = true, script: [(at: Instant, step: Step)] = []) {
    (self.session, self.accepts, self.script) = (session, accepts, script)
  }

  package var deadline: Instant? {
    guard let first = script.first?.at else { return session.deadline }
    return min(first, session.deadline ?? .never)
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .datagram(let datagram) = signal, datagram.destination.port == session.endpoint.port else { return }
    session.receive(datagram, at: now, into: &outbox)
    take(at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    session.wake(at: now, into: &outbox)
    while let first = script.first, first.at <= now {
      script.removeFirst()
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
    case .cancelConnect(let peer): session.cancelConnect(peer, at: now, into: &outbox)
    }
  }

  private mutating func take(at now: Instant, into outbox: inout Outbox) {
    for event in session.takeEvents() {
      if isLogging { log.append((now, event)) }
      guard case .invited(let number, _, _) = event, let accepts else { continue }
      do throws(SessionError) { try session.answer(number, accepts: accepts, at: now, into: &outbox) } catch {
        errors.append(error)
      }
    }
    // Answers have events of their own.
    for event in session.takeEvents() where isLogging { log.append((now, event)) }
  }
}
