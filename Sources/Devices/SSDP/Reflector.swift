package import RollcallPrimitives

/// A host that sends back what it hears: a loop on the network, or a victim of one (D68).
package struct Reflector: Machine, Sendable {
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// To the group again, under its own address.
    case multicast
    /// To the sender.
    case answer
  }

  package struct Plan: Hashable, Sendable {
    package var mode = Mode.multicast
    /// Datagrams that it sends back in a second; more are let go, so that two reflectors do not fill a run.
    package var countPerSecondMaximum = 100
    /// Whether it reflects what it sent itself and heard again.
    package var reflectsOwn = false
    package var hopLimit: UInt8 = 2
    package init(mode: Mode = .multicast) { self.mode = mode }
  }

  package let plan: Plan
  package private(set) var reflectedCount = 0
  private var attachments: [Attachment] = []
  private var isOn = false
  private var secondEnds = Instant.zero
  private var countInSecond = 0

  package init(_ plan: Plan = Plan()) { self.plan = plan }

  package var deadline: Instant? { nil }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    switch signal {
    case .datagram(let datagram): reflect(datagram, at: now, into: &outbox)
    case .value(let id): take(outbox.values[id], at: now, into: &outbox)
    }
  }

  private mutating func take(_ value: SignalValue, at now: Instant, into outbox: inout Outbox) {
    switch value {
    case .host(.interface(let change)):
      attachments.take(change)
      if isOn { attachments.join(into: &outbox) }
    case .application(.act(.appear)):
      isOn = true
      attachments.join(into: &outbox)
    case .application(.act(.leave)), .application(.act(.vanish)): isOn = false
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {}

  private mutating func reflect(_ datagram: Datagram, at now: Instant, into outbox: inout Outbox) {
    let isV6 = datagram.source.address.family == .v6
    guard isOn, datagram.destination.address.isMulticast, datagram.destination.port == RootDevice.ssdpPort,
      let index = attachments.index(of: datagram.interface), let own = attachments[index].address(isV6),
      plan.reflectsOwn || own != datagram.source.address
    else { return }
    if now >= secondEnds { (secondEnds, countInSecond) = (now + .seconds(1), 0) }
    guard countInSecond < plan.countPerSecondMaximum else { return }
    countInSecond += 1
    reflectedCount += 1
    outbox.payloads.retain(datagram.payload)
    outbox.transmit(
      Datagram(
        source: Endpoint(own, port: RootDevice.ssdpPort),
        destination: plan.mode == .answer ? datagram.source : datagram.destination,
        interface: datagram.interface, hopLimit: plan.hopLimit, payload: datagram.payload))
  }
}
