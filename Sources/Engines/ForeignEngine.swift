package import RollcallPrimitives

/// An engine in a process of its own, as a machine: what it is given goes out as a frame, and what it answers into the
/// outbox. It is a machine of one run, since a process is no value.
package struct ForeignEngine: Machine {
  private let link: EngineLink

  package init(_ link: EngineLink) { self.link = link }

  package var deadline: Instant? { link.deadline }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    let frame: HostFrame
    switch signal {
    case .datagram(let datagram): frame = .datagram(RecordedDatagram(datagram, in: outbox.payloads), at: now)
    case .value(let id): frame = HostFrame(outbox.values[id], at: now)
    }
    link.take(frame, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    // An early wake is no matter of the engine's.
    guard let deadline, deadline <= now else { return }
    link.take(.wake(at: now), into: &outbox)
  }
}
