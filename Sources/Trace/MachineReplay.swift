public import RollcallPrimitives

/// Gives a machine again what a recorded trace says it was given, and compares what it wants with what it wanted then.
///
/// Entry for entry both must be equal: it keeps the drivers honest, and it is what makes a recorded trace worth keeping.
public struct MachineReplay<Subject: Machine>: ~Copyable, Driver {
  public var gate: Gate
  public var outbox: Outbox
  private let recorder = Recorder()
  private let machine: UnsafeMutablePointer<Subject>

  /// What came of a replay.
  public struct Outcome {
    /// The machine as it was at the end.
    public var machine: Subject
    /// The trace of the replay.
    public var entries: [TraceEntry]
    /// The digest of that trace.
    public var digest: Digest
    /// The first entry at which the replay differs from the trace; `nil`: none does.
    public var difference: TraceDifference?
  }

  private init(_ subject: Subject) {
    gate = Gate(recorder: recorder)
    outbox = Outbox(payloads: PayloadStore())
    machine = .allocate(capacity: 1)
    machine.initialize(to: subject)
  }

  deinit { machine.deinitialize(count: 1).deallocate() }

  /// Replays the entries of `station`.
  /// - Parameters:
  ///   - subject: the machine as it was before the first entry.
  ///   - end: the time to which it is moved; `nil`: that of the last entry.
  public static func run(
    _ trace: [TraceEntry], station: UInt32, in subject: Subject, until end: Instant? = nil
  ) -> Outcome {
    var replay = MachineReplay(subject)
    let recorded = trace.filter { $0.station == station }
    var now = Instant.zero
    for entry in recorded {
      switch entry.content {
      case .received(let datagram):
        replay.advance(replay.machine, station: station, to: entry.time, from: &now)
        let heard = datagram.datagram(in: replay.outbox.payloads)
        let mark = Gate.mark(of: heard, in: replay.outbox.payloads)
        replay.give(heard, mark: mark, to: replay.machine, station: station, at: entry.time)
        replay.outbox.payloads.release(heard.payload)
      case .signal(let signal):
        replay.advance(replay.machine, station: station, to: entry.time, from: &now)
        replay.give(signal, to: replay.machine, station: station, at: entry.time)
      case .woken, .sent, .effect: break
      }
    }
    let end = end ?? recorded.last?.time ?? .zero
    replay.advance(replay.machine, station: station, to: end, from: &now)
    replay.wakeIfDue(replay.machine, station: station, at: end)
    return Outcome(
      machine: replay.machine.pointee, entries: replay.recorder.entries,
      digest: replay.gate.digest,
      difference: TraceDifference.first(between: recorded, and: replay.recorder.entries))
  }

  public mutating func settle(station: UInt32, at now: Instant) {
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
