package import RollcallPeers
package import RollcallPrimitives
import RollcallSessions
import RollcallWire
import Synchronization

/// What goes between the nearby side of a phone and its machine: steps in, while time stands still, and what came of them
/// out.
package final class NearbyBox: Sendable {
  package enum Step: Hashable, Sendable {
    case command(PeerCommand)
    /// The phone comes to the network, or goes.
    case act(Act)
  }

  /// Something that the device tells, with the name of the peer that it is about where the event has none.
  package struct Told: Sendable {
    package var event: PeerEvent
    package var name: String?
  }

  struct State {
    var steps: [Step] = []
    var told: [Told] = []
  }
  let state = Mutex(State())

  package init() {}

  package func add(_ steps: [Step]) { state.withLock { $0.steps += steps } }
  /// Whether the machine has something to do at once.
  package var isWaiting: Bool { state.withLock { !$0.steps.isEmpty } }

  package func takeTold() -> [Told] {
    state.withLock { state in
      defer { state.told = [] }
      return state.told
    }
  }

  /// Has a device do what waits; to be called when it is woken.
  package func perform(on device: inout PeerDevice, at now: Instant, into outbox: inout Outbox) {
    let steps = state.withLock { state in
      defer { state.steps = [] }
      return state.steps
    }
    for step in steps {
      switch step {
      case .command(let command): device.perform(command, at: now, into: &outbox)
      case .act(let act): device.perform(act, at: now, into: &outbox)
      }
    }
  }

  /// Takes what a device has to tell.
  package func take(from device: inout PeerDevice) {
    let told = device.takeEvents().map { Told(event: $0, name: $0.peer.flatMap(device.name)) }
    state.withLock { $0.told += told }
  }
}

extension PeerEvent {
  /// The peer that it is about, where it does not say its name.
  fileprivate var peer: SessionPeerID? {
    guard case .session(_, let event) = self else { return nil }
    switch event {
    case .state(let peer, _), .certificate(let peer, _), .message(let peer, _, _): return peer
    case .streamOpened(let id, _), .resourceStarted(let id, _, _, _): return id.peer
    default: return nil
    }
  }
}
