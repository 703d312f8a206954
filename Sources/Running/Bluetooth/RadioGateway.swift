package import RollcallPrimitives

/// A radio whose host is outside the world: everything that it hears is handed on. Without anybody there it is silent.
package struct RadioGateway: Machine {
  /// Where it hands it on to.
  package final class Uplink {
    /// What the radio hears, and what becomes of its connections.
    package var heard: (RadioSignal) -> Void = { _ in }
    /// The devices that the host outside makes present, by the names that an engine ought to report.
    package var presentDevices: () -> [String] = { [] }
    package init() {}
  }

  let uplink: Uplink
  package init(_ uplink: Uplink) { self.uplink = uplink }

  package var deadline: Instant? { nil }
  package var presentDevices: [String] { uplink.presentDevices() }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal, case .radio(let signal) = outbox.values[id] else { return }
    uplink.heard(signal)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {}
}
