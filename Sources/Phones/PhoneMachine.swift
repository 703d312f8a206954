package import RollcallDiscovery
package import RollcallPrimitives
import Synchronization

/// The machine of a phone: Rollcall's own engine, which connects and asks, and a record of what its radio hears, since an
/// application that scans is told of packets and not of devices.
package struct PhoneMachine: Machine, Sendable {
  private(set) var engine: DiscoveryEngine
  let heard: Heard

  /// What was heard since it was taken last.
  package final class Heard: Sendable {
    struct State {
      var packets: [(time: Instant, packet: RadioPDU)] = []
      /// Of connections that centrals have made.
      var links: [(time: Instant, number: LinkID, signal: LinkSignal)] = []
      /// What the radio said last.
      var power: (time: Instant, isOn: Bool)?
      /// When the phone wants time to stop for it.
      var alarm = Instant.never
    }
    let state = Mutex(State())
    package init() {}
  }

  package init(_ configuration: EngineConfiguration, heard: Heard) {
    engine = DiscoveryEngine(configuration)
    self.heard = heard
  }

  package var deadline: Instant? {
    mutating get {
      let next = min(engine.deadline ?? .never, heard.state.withLock { $0.alarm })
      return next == .never ? nil : next
    }
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    if case .value(let id) = signal {
      switch outbox.values[id] {
      case .radio(.heard(let packet)): heard.state.withLock { $0.packets.append((now, packet)) }
      // Those that this phone made itself are the engine's, which numbers them from below.
      case .radio(.link(let number, let signal)) where number.number > UInt32.max / 2:
        heard.state.withLock { $0.links.append((now, number, signal)) }
      case .host(.power(let power)): heard.state.withLock { $0.power = (now, power == .on) }
      default: break
      }
    }
    engine.receive(signal, at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    heard.state.withLock { if $0.alarm <= now { $0.alarm = .never } }
    engine.wake(at: now, into: &outbox)
  }
}
