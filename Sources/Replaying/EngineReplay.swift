package import RollcallDiscovery
package import RollcallPrimitives
package import RollcallTrace

/// Gives an engine again what the simulator gave it, and compares what it wants with what it wanted then.
///
/// Entry for entry both must be equal: it keeps the drivers honest, and it is what makes a recorded trace worth keeping.
package struct EngineReplay: ~Copyable, Driver {
  package var gate: Gate
  package var outbox: Outbox
  private let recorder = Recorder()
  private let engine: UnsafeMutablePointer<DiscoveryEngine>

  private init(_ configuration: EngineConfiguration) {
    gate = Gate(recorder: recorder)
    outbox = Outbox(payloads: PayloadStore())
    engine = .allocate(capacity: 1)
    engine.initialize(to: DiscoveryEngine(configuration))
  }

  deinit { engine.deinitialize(count: 1).deallocate() }

  /// The first entry at which a replay of the inputs of `trace` parts from it; `nil`: none.
  package static func difference(
    _ trace: [TraceEntry], configuration: EngineConfiguration, station: UInt32, end: Instant
  ) -> TraceDifference? {
    var replay = EngineReplay(configuration)
    let recorded = trace.filter { $0.station == station }
    var now = Instant.zero
    for entry in recorded {
      switch entry.content {
      case .received(let datagram):
        replay.advance(replay.engine, station: station, to: entry.time, from: &now)
        let heard = datagram.datagram(in: replay.outbox.payloads)
        let mark = Gate.mark(of: heard, in: replay.outbox.payloads)
        replay.give(heard, mark: mark, to: replay.engine, station: station, at: entry.time)
        replay.outbox.payloads.release(heard.payload)
      case .signal(let signal):
        replay.advance(replay.engine, station: station, to: entry.time, from: &now)
        replay.give(signal, to: replay.engine, station: station, at: entry.time)
      case .woken, .sent, .effect: break
      }
    }
    replay.advance(replay.engine, station: station, to: end, from: &now)
    replay.wakeIfDue(replay.engine, station: station, at: end)
    return TraceDifference.first(between: recorded, and: replay.recorder.entries)
  }

  package mutating func settle(station: UInt32, at now: Instant) {
    for position in 0..<outbox.count {
      let effect = outbox[position]
      if case .transmit(let datagram) = effect {
        gate.sent(datagram, station: station, at: now, in: outbox.payloads)
        outbox.payloads.release(datagram.payload)
      } else {
        gate.wanted(effect, station: station, at: now)
      }
    }
    outbox.removeAll()
  }
}
