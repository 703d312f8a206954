package import Discovery
package import Primitives
package import Trace

/// The live driver: the engine of the simulations, on a real network.
///
/// A timer that is late changes nothing for the engine: it is woken at the time it asked for, as everywhere, and only
/// what it sends is late. So a trace of a live run replays entry for entry.
package final class LiveEngine: LiveParty {
  /// The station number of the engine in traces of live runs.
  package static let station: UInt32 = 0

  package weak var outlet: (any LiveOutlet)?
  private var core: Core
  private let searches: [Search]
  private var began = Instant.zero
  package private(set) var ended = Instant.zero

  /// - Parameters:
  ///   - searches: given when the run begins.
  ///   - onReport: called on the event loop, in order.
  package init(
    _ configuration: EngineConfiguration, searches: [Search], recorder: Recorder? = nil,
    onReport: @escaping (Report, Instant) -> Void
  ) {
    self.searches = searches
    core = Core(configuration, recorder, onReport)
  }

  package var engine: DiscoveryEngine { core.engine.pointee }
  package var deadline: Instant? { core.engine.pointee.deadline }

  package func begin(at now: Instant) { for search in searches { give(.command(.search(search)), at: now) } }

  /// Searches that are still open end as stopped; devices stay what they are.
  package func end(at now: Instant) {
    for search in searches { give(.command(.stopSearch(search.id)), at: now) }
    ended = core.now
  }

  package func take(_ change: InterfaceChange, at now: Instant) { give(.interface(change), at: now) }
  package func take(_ refusal: Refusal, at now: Instant) { give(.refused(refusal), at: now) }

  package func advance(to now: Instant) {
    core.outlet = outlet
    core.move(to: now)
    core.wakeIfDue(core.engine, station: LiveEngine.station, at: core.now)
  }

  package func hear(_ heard: HeardDatagram, at now: Instant) {
    core.outlet = outlet
    core.move(to: now)
    let payload = core.outbox.payloads.recall(heard.bytes)
    let datagram = Datagram(
      source: heard.source, destination: heard.destination, interface: heard.interface,
      hopLimit: heard.hopLimit, payload: payload)
    let mark = Gate.mark(of: datagram, in: core.outbox.payloads)
    core.give(datagram, mark: mark, to: core.engine, station: LiveEngine.station, at: core.now)
    core.outbox.payloads.release(payload)
  }

  private func give(_ signal: Signal, at now: Instant) {
    core.outlet = outlet
    core.move(to: now)
    core.give(signal, to: core.engine, station: LiveEngine.station, at: core.now)
  }

  /// The gate, the outbox and the engine itself.
  private struct Core: ~Copyable, Driver {
    var gate: Gate
    var outbox: Outbox
    let engine: UnsafeMutablePointer<DiscoveryEngine>
    var now = Instant.zero
    weak var outlet: (any LiveOutlet)?
    private let onReport: (Report, Instant) -> Void

    init(
      _ configuration: EngineConfiguration, _ recorder: Recorder?, _ onReport: @escaping (Report, Instant) -> Void
    ) {
      gate = Gate(recorder: recorder)
      outbox = Outbox(payloads: PayloadStore())
      self.onReport = onReport
      engine = .allocate(capacity: 1)
      engine.initialize(to: DiscoveryEngine(configuration))
    }

    deinit { engine.deinitialize(count: 1).deallocate() }

    mutating func move(to time: Instant) {
      var clock = now
      advance(engine, station: LiveEngine.station, to: max(time, now), from: &clock)
      now = clock
    }

    mutating func settle(station: UInt32, at now: Instant) {
      var position = 0
      while position < outbox.count {
        defer { position += 1 }
        if let datagram = outbox.datagram(at: position) {
          gate.sent(datagram, station: station, at: now, in: outbox.payloads)
          outlet?.send(datagram, outbox.payloads.bytes(of: datagram.payload))
          outbox.payloads.release(datagram.payload)
          continue
        }
        if let report = outbox.takeReport(at: position) {
          gate.reported(report, station: station, at: now)
          onReport(report, now)
          continue
        }
        let effect = outbox[position]
        gate.wanted(effect, station: station, at: now)
        switch effect {
        case .transmit, .report, .readdress: break
        case .join(let group, let interface): outlet?.join(group, on: interface)
        case .leave(let group, let interface): outlet?.leave(group, on: interface)
        }
      }
      outbox.removeAll()
    }
  }
}
