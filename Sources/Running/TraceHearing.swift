package import RollcallConformance
package import RollcallPrimitives
package import RollcallTrace
import RollcallWire

/// Lets a judge hear the trace of a run: what each host sent, what it was told to do, what became of its interfaces.
///
/// What was received is not judged again, since in a trace nothing that was sent is missing; it shows what a host knew.
package struct TraceHearing: ~Copyable {
  private var sockets = SearchSockets()
  private var last = Instant.zero
  private let payloads = PayloadStore()

  private init() {}

  /// What the hosts of a run sent, judged by clause.
  /// - Parameters:
  ///   - entries: of all hosts.
  ///   - numbers: what findings call the entries; `nil`: by their place, from 1.
  ///   - hosts: the names of the stations of the entries, by number.
  ///   - end: of the run; `nil`: the last entry.
  ///   - wanted: which clauses are judged.
  package static func judgement(
    _ entries: [TraceEntry], numbers: [Int]? = nil, hosts: [String], end: Instant? = nil,
    wanted: (Clause) -> Bool = { _ in true }
  ) -> Judgement {
    var judge = ClauseJudge(Circumstances(isComplete: true, hosts: hosts), wanted: wanted)
    var hearing = TraceHearing()
    hearing.run(entries, numbers: numbers, end: end, judge: &judge)
    return Judgement(judge, wanted: wanted)
  }

  /// Lets a judge hear the entries of a run, whose stations are hosts by number.
  private mutating func run(_ entries: [TraceEntry], numbers: [Int]?, end: Instant?, judge: inout ClauseJudge) {
    let engines = TraceHearing.engines(entries)
    for (place, entry) in entries.enumerated() {
      let host = Int32(entry.station)
      let number = numbers?[place] ?? place + 1
      func tell(_ content: TraceEvent.Content) { note(content, host, entry.time, number, &judge) }
      switch entry.content {
      case .sent(let datagram): hear(datagram, host, entry.time, number, &judge)
      case .received(let datagram):
        guard engines.contains(entry.station) || datagram.destination.port == Endpoint.mdnsPort else { continue }
        // What it refuses it says at once.
        if place + 1 < entries.count, case .effect(.application(.rejected)) = entries[place + 1].content { continue }
        overhear(datagram, host, entry.time, number, &judge)
      case .signal(.host(.interface(let change))): tell(.interface(change))
      case .signal(.application(.act(let act))): if let deed = TraceEvent.Deed(act) { tell(.deed(deed)) }
      case .signal(.application(.search(let search))): tell(.asked(search: search.id.number))
      case .signal(.application(.browse)), .signal(.application(.stopBrowsing)), .signal(.application(.stop)):
        tell(.browsed)
      case .signal(.application(.reconfirm)): tell(.doubted)
      case .signal(.application(.hold(let device))): tell(.holds(device: device))
      case .signal(.application(.release(let device))): tell(.lets(device: device))
      case .effect(.radio(.advertise(_, _, let pdu, let response))):
        // What a controller sends from now on, once.
        last = max(last, entry.time)
        for bytes in [pdu, response] where !bytes.isEmpty {
          let packet = RadioPDU(
            channel: nil, strength: nil, accessAddress: AirFrame.advertisingAddress, bytes: bytes)
          judge.hear(HeardPacket(time: last, position: number, host: host, packet: packet))
        }
      case .effect(.radio(.resend(let packet))):
        last = max(last, entry.time)
        judge.hear(HeardPacket(time: last, position: number, host: host, packet: packet))
      case .effect(.application(.rejected)): break
      case .effect(.application(.description(let fetch))):
        if let heard = HeardDescription(fetch, at: entry.time) { tell(.described(heard)) }
      case .effect(.application(let report)):
        if case .managed(let managed) = report, managed.event.isUnanswered { tell(.doubted) }
        tell(.told(report))
      case .signal, .effect, .woken: last = max(last, entry.time)
      }
    }
    judge.close(at: end ?? last)
  }

  /// Stations of control points that report: what they hear is worth knowing.
  private static func engines(_ entries: [TraceEntry]) -> Set<UInt32> {
    var engines: Set<UInt32> = []
    for entry in entries {
      switch entry.content {
      case .effect(.application), .signal(.application(.search)): engines.insert(entry.station)
      default: break
      }
    }
    return engines
  }

  private mutating func note(
    _ content: TraceEvent.Content, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    last = max(last, time)
    judge.note(TraceEvent(time: last, position: number, host: host, content))
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
        interface: datagram.interface, host: host, hopLimit: datagram.hopLimit,
        place: datagram.destination.port == Endpoint.mdnsPort ? .port5353 : .port1900,
        bytes: payloads.bytes(of: payload)))
  }

  private mutating func hear(
    _ datagram: RecordedDatagram, _ host: Int32, _ time: Instant, _ number: Int, _ judge: inout ClauseJudge
  ) {
    // Clocks of hosts may drift apart; the judge's does not go back.
    last = max(last, time)
    let isMulticastDNS = datagram.source.port == Endpoint.mdnsPort || datagram.destination.port == Endpoint.mdnsPort
    let search = sockets.place(from: datagram.source, to: datagram.destination)
    guard let place = search ?? (isMulticastDNS ? .port5353 : nil) else { return }
    let payload = payloads.store(datagram.bytes)
    defer { payloads.release(payload) }
    let observation = Observation(
      time: last, position: number, source: datagram.source, destination: datagram.destination,
      interface: datagram.interface, host: host, hopLimit: datagram.hopLimit, place: place,
      bytes: payloads.bytes(of: payload))
    if place == .port5353 { return judge.hear(multicastDNS: observation) }
    sockets.learn(judge.hear(observation), from: datagram.source)
  }
}

extension HeardDescription {
  /// What an engine reports that it fetched; `nil`: there is no document.
  package init?(_ fetch: DescriptionFetch, at time: Instant) {
    guard case .fetched(let document) = fetch.outcome, let location = fetch.location else { return nil }
    self.init(location: location, askedAt: time - fetch.duration, body: document.body)
  }
}

extension TraceEvent.Deed {
  /// `nil`: no clause asks about it.
  init?(_ act: Act) { self.init(rawValue: act.name) }
}
