public import RollcallPrimitives

/// Gives a machine again what a recorded trace says it was given, and compares what it wants with what it wanted then.
///
/// Entry for entry both must be equal: it keeps the drivers honest, and it is what makes a recorded trace worth keeping.
public struct MachineReplay<Subject: Machine>: ~Copyable, Driver {
  public var gate: Gate
  public var outbox: Outbox
  private let recorder: Recorder
  private let machine: UnsafeMutablePointer<Subject>
  private let station: UInt32
  private var now = Instant.zero
  private var last = Instant.zero
  private let comparison: Comparison

  /// What came of a replay.
  public struct Outcome {
    /// The machine as it was at the end.
    public var machine: Subject
    /// The trace of the replay, where it was kept.
    public var entries: [TraceEntry]
    /// The digest of that trace.
    public var digest: Digest
    /// The first entry at which the replay differs from the trace; `nil`: none does.
    public var difference: TraceDifference?
  }

  /// Both traces, as far as they are not compared yet.
  private final class Comparison {
    var recorded: [TraceEntry] = []
    var replayed: [TraceEntry] = []
    private var count = 0
    private var difference: TraceDifference?

    func compare() {
      let pairs = min(recorded.count, replayed.count)
      if difference == nil, let place = (0..<pairs).first(where: { recorded[$0] != replayed[$0] }) {
        difference = TraceDifference(index: count + place, left: recorded[place], right: replayed[place])
      }
      count += pairs
      recorded.removeFirst(pairs)
      replayed.removeFirst(pairs)
    }

    func end() -> TraceDifference? {
      compare()
      let isEven = recorded.isEmpty && replayed.isEmpty
      return difference
        ?? (isEven ? nil : TraceDifference(index: count, left: recorded.first, right: replayed.first))
    }
  }

  /// - Parameters:
  ///   - subject: the machine as it was before the first entry.
  ///   - station: that of the entries.
  ///   - keepsEntries: whether the trace of the replay is kept.
  public init(of subject: Subject, station: UInt32, keepsEntries: Bool) {
    recorder = keepsEntries ? Recorder() : Recorder(entriesMaximum: 0)
    let comparison = Comparison()
    recorder.onEntry = { comparison.replayed.append($0) }
    self.comparison = comparison
    self.station = station
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
    var replay = MachineReplay(of: subject, station: station, keepsEntries: true)
    for entry in trace where entry.station == station { replay.take(entry) }
    return replay.finish(until: end)
  }

  /// Replays the next entry.
  public mutating func take(_ entry: TraceEntry) {
    comparison.recorded.append(entry)
    last = entry.time
    switch entry.content {
    case .received(let datagram):
      move(to: entry.time)
      let heard = datagram.datagram(in: outbox.payloads)
      let mark = Gate.mark(of: heard, in: outbox.payloads)
      give(heard, mark: mark, to: machine, station: station, at: entry.time)
      outbox.payloads.release(heard.payload)
    case .signal(let signal):
      move(to: entry.time)
      give(signal, to: machine, station: station, at: entry.time)
    case .woken, .sent, .effect: return
    }
    comparison.compare()
  }

  /// Ends the replay.
  /// - Parameter end: the time to which the machine is moved; `nil`: that of the last entry.
  public mutating func finish(until end: Instant? = nil) -> Outcome {
    let end = end ?? last
    move(to: end)
    wakeIfDue(machine, station: station, at: end)
    return Outcome(
      machine: machine.pointee, entries: recorder.entries, digest: gate.digest, difference: comparison.end())
  }

  private mutating func move(to time: Instant) {
    var clock = now
    advance(machine, station: station, to: time, from: &clock)
    now = clock
  }

  public mutating func settle(station: UInt32, at now: Instant) {
    for position in 0..<outbox.count {
      if let datagram = outbox.datagram(at: position) {
        gate.sent(datagram, station: station, at: now, in: outbox.payloads)
        outbox.payloads.release(datagram.payload)
      } else if let report = outbox.takeReport(at: position) {
        gate.reported(report, station: station, at: now)
      } else {
        gate.wanted(outbox[position], station: station, at: now)
      }
    }
    outbox.removeAll()
  }
}
