package import Conformance
package import Primitives
package import Trace
import Wire

/// Lets a judge hear the trace of a run: what each host sent, what it was told to do, what became of its interfaces.
///
/// What was received is not heard again: in a trace nothing that was sent is missing.
package struct TraceHearing: ~Copyable {
  private var sockets = SearchSockets()
  private var last = Instant.zero
  private var numbers: [String: Int32]
  private let engines: Set<String>
  private let payloads = PayloadStore()

  /// - Parameters:
  ///   - hosts: names of the stations, by number.
  ///   - engines: of a trace in text, the stations of control points that report.
  package init(hosts: [String], engines: Set<String> = []) {
    self.engines = engines
    numbers = Dictionary(zip(hosts, 0...), uniquingKeysWith: { first, _ in first })
  }

  /// A judge of a trace in which every host is told.
  package static func judge(hosts: [String], wanted: (Clause) -> Bool = { _ in true }) -> ClauseJudge {
    ClauseJudge(Circumstances(isComplete: true, knowsStarts: true, hosts: hosts), wanted: wanted)
  }

  /// Lets a judge hear the entries of a run, whose stations are hosts by number.
  package mutating func run(_ entries: [TraceEntry], end: Instant? = nil, judge: inout ClauseJudge) {
    let engines = TraceHearing.engines(entries)
    for (number, entry) in entries.enumerated() {
      let host = Int32(entry.station)
      func tell(_ content: Occurrence.Content) { note(content, host, entry.time, number + 1, &judge) }
      switch entry.content {
      case .sent(let datagram): hear(datagram, host, entry.time, number + 1, &judge)
      case .received(let datagram):
        guard engines.contains(entry.station) else { continue }
        // What it refuses it says at once.
        if number + 1 < entries.count, case .effect(.report(.rejected)) = entries[number + 1].content { continue }
        overhear(datagram, host, entry.time, number + 1, &judge)
      case .signal(.interface(let change)): tell(.interface(change))
      case .signal(.command(.act(let act))): if let deed = Occurrence.Deed(act) { tell(.deed(deed)) }
      case .signal(.command(.search(let search))): tell(.asked(search: search.id.number))
      case .signal(.command(.hold(let device))): tell(.holds(device: device))
      case .signal(.command(.release(let device))): tell(.lets(device: device))
      case .effect(.report(.rejected)): break
      case .effect(.report(let report)): tell(.told(report))
      case .signal, .effect, .woken: break
      }
    }
    judge.close(at: end ?? last)
  }

  /// Stations of control points that report: what they hear is worth knowing.
  private static func engines(_ entries: [TraceEntry]) -> Set<UInt32> {
    var engines: Set<UInt32> = []
    for entry in entries {
      switch entry.content {
      case .effect(.report), .signal(.command(.search)): engines.insert(entry.station)
      default: break
      }
    }
    return engines
  }

  /// Lets a judge hear one line of a trace in text.
  ///
  /// - Parameter isRefused: whether the next line is the refusal of what this one gives to a control point.
  package mutating func hear(_ line: TraceTextLine, number: Int, isRefused: Bool, judge: inout ClauseJudge) {
    let host = numbers[line.station] ?? -1
    func tell(_ content: Occurrence.Content) { note(content, host, line.time, number, &judge) }
    switch line.content {
    case .sent(let datagram): hear(datagram, host, line.time, number, &judge)
    case .received(let datagram):
      if engines.contains(line.station), !isRefused { overhear(datagram, host, line.time, number, &judge) }
    case .interface(let change): tell(.interface(change))
    case .act(let act): if let deed = Occurrence.Deed(rawValue: act) { tell(.deed(deed)) }
    case .search(let search): tell(.asked(search: search))
    case .hold(let device): tell(.holds(device: device))
    case .release(let device): tell(.lets(device: device))
    case .report(.rejected): break
    case .report(let report): tell(.told(report))
    case .other: last = max(last, line.time)
    }
  }

  package func close(_ judge: inout ClauseJudge) { judge.close(at: last) }

  private mutating func note(
    _ content: Occurrence.Content, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    last = max(last, time)
    judge.note(Occurrence(time: last, position: number, host: host, content))
  }

  private mutating func overhear(
    _ datagram: RecordedDatagram, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    last = max(last, time)
    let payload = payloads.store(datagram.bytes)
    defer { payloads.release(payload) }
    judge.overhear(
      Observation(
        time: last, position: number, source: datagram.source, destination: datagram.destination,
        interface: datagram.interface, host: host, hopLimit: datagram.hopLimit, bytes: payloads.bytes(of: payload)))
  }

  private mutating func hear(
    _ datagram: RecordedDatagram, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    // Clocks of hosts may drift apart; the judge's does not go back.
    last = max(last, time)
    guard let place = sockets.place(from: datagram.source, to: datagram.destination) else { return }
    let payload = payloads.store(datagram.bytes)
    defer { payloads.release(payload) }
    let heard = judge.hear(
      Observation(
        time: last, position: number, source: datagram.source, destination: datagram.destination,
        interface: datagram.interface, host: host, hopLimit: datagram.hopLimit, place: place,
        bytes: payloads.bytes(of: payload)))
    sockets.learn(heard, from: datagram.source)
  }
}

extension Occurrence.Deed {
  init?(_ act: Act) {
    switch act {
    case .appear: self = .appear
    case .leave: self = .leave
    case .vanish: self = .vanish
    case .crash: self = .crash
    case .reboot: self = .reboot
    case .move: self = .move
    case .relocate: self = .relocate
    case .update: self = .update
    case .reconfigure: self = .reconfigure
    case .send: self = .send
    }
  }
}
