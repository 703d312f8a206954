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
  private let payloads = PayloadStore()

  /// - Parameter hosts: names of the stations, by number.
  package init(hosts: [String]) {
    numbers = Dictionary(zip(hosts, 0...), uniquingKeysWith: { first, _ in first })
  }

  /// A judge of a trace in which every host is told.
  package static func judge(hosts: [String], wanted: (Clause) -> Bool = { _ in true }) -> ClauseJudge {
    ClauseJudge(Circumstances(isComplete: true, knowsStarts: true, hosts: hosts), wanted: wanted)
  }

  /// Lets a judge hear the entries of a run, whose stations are hosts by number.
  package mutating func run(_ entries: [TraceEntry], end: Instant? = nil, judge: inout ClauseJudge) {
    for (number, entry) in entries.enumerated() {
      let host = Int32(entry.station)
      switch entry.content {
      case .sent(let datagram): hear(datagram, host, entry.time, number + 1, &judge)
      case .signal(.interface(let change)): note(.interface(change), host, entry.time, number + 1, &judge)
      case .signal(.command(.act(let act))):
        if let deed = Occurrence.Deed(act) { note(.deed(deed), host, entry.time, number + 1, &judge) }
      case .received, .signal, .effect, .woken: break
      }
    }
    judge.close(at: end ?? last)
  }

  /// Lets a judge hear one line of a trace in text.
  package mutating func hear(_ line: TraceTextLine, number: Int, judge: inout ClauseJudge) {
    let host = numbers[line.station] ?? -1
    switch line.content {
    case .sent(let datagram): hear(datagram, host, line.time, number, &judge)
    case .interface(let change): note(.interface(change), host, line.time, number, &judge)
    case .act(let act):
      if let deed = Occurrence.Deed(rawValue: act) { note(.deed(deed), host, line.time, number, &judge) }
    case .received, .other: last = max(last, line.time)
    }
  }

  package func close(_ judge: inout ClauseJudge) { judge.close(at: last) }

  private mutating func note(
    _ content: Occurrence.Content, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    last = max(last, time)
    judge.note(Occurrence(time: last, position: number, host: host, content))
  }

  private mutating func hear(
    _ datagram: RecordedDatagram, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    // Clocks of hosts may drift apart; the judge's does not go back.
    last = max(last, time)
    let place: Observation.Place
    if datagram.source.port == 1_900 || datagram.destination.port == 1_900 {
      place = .port1900
    } else if sockets.isSearcher(datagram.destination) {
      place = .searcher
    } else if sockets.isSearchPort(datagram.destination) {
      place = .searchPort
    } else {
      return
    }
    let payload = payloads.store(datagram.bytes)
    defer { payloads.release(payload) }
    let heard = judge.hear(
      Observation(
        time: last, position: number, source: datagram.source, destination: datagram.destination,
        interface: datagram.interface, host: host, hopLimit: datagram.hopLimit, place: place,
        bytes: payloads.bytes(of: payload)))
    if heard.kind == .search { sockets.learnSearcher(datagram.source) }
    if heard.searchPort > 0 { sockets.learnSearchPort(heard.searchPort, datagram.source) }
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
