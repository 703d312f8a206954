import RollcallConformance
import RollcallExaminers
import RollcallDevices
import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// A device and its examiner on one link, in virtual time and without sockets.
///
/// What is sent arrives a millisecond later; unicast only at ports that the examiner has sent from.
struct ExamBench {
  static let device = IPAddress(192, 168, 1, 10)
  static let examiner = IPAddress(192, 168, 1, 20)
  private static let latency = Interval.milliseconds(1)

  var plan = DeviceExamPlan(patience: .zero)
  var description = ExamBench.tree()
  var quirks: [Quirk] = []
  /// What the device is told to do; the examiner begins at 20 s, when the first announcements are long over.
  var acts: [(at: Interval, act: Act)] = [(.zero, .appear)]
  var begin = Interval.seconds(20)
  /// When the examiner is told to stop.
  var stop: Interval?
  /// When the examiner is told that its interface is down; nothing leaves from a second before that.
  var down: Interval?
  /// From when on the device hears nothing.
  var deaf: Interval?
  var seed: UInt64 = 1
  /// Changes or drops what reaches the device.
  var alter: @Sendable (_ bytes: [UInt8], _ number: Int) -> [UInt8]? = { bytes, _ in bytes }
  /// Changes what reaches the examiner.
  var garble: @Sendable (_ bytes: [UInt8], _ number: Int) -> [UInt8] = { bytes, _ in bytes }
  /// Drops answers by their number.
  var loses: @Sendable (_ number: Int) -> Bool = { _ in false }
  var neighbours: [DeviceDescription] = []
  /// How the device answers who connects to it for its description.
  var server = Server.whole

  enum Server { case whole, status(Int), silent, refuses }

  /// A root device with an embedded one, and types of versions above 1.
  static func tree(_ uda: UDAVersion = .uda20) -> DeviceDescription {
    var description = DeviceDescription(
      uda: uda,
      root: DevicePart(
        type: "urn:schemas-upnp-org:device:MediaServer:2",
        services: [
          "urn:schemas-upnp-org:service:ContentDirectory:3", "urn:schemas-upnp-org:service:ConnectionManager:1",
        ]
      ),
      embedded: [
        DevicePart(
          type: "urn:schemas-upnp-org:device:MediaRenderer:1",
          services: ["urn:schemas-upnp-org:service:ConnectionManager:1"])
      ])
    description.product = "Test/1.0"
    return description
  }

  struct Result {
    var exam: DeviceExam
    var entries: [TraceEntry]

    var report: ExamReport? { exam.report }
    func violated(_ isBinding: Bool = true) -> [String] {
      guard let report else { return ["no report: \(exam.outcome.map { "\($0)" } ?? "not over")"] }
      var ids: [String] = []
      for ruling in report.rulings where ruling.verdict == .violated {
        if isBinding, ruling.clause.clause.since > report.subject.claim { continue }
        if !ids.contains(ruling.clause.clause.id) { ids.append(ruling.clause.clause.id) }
      }
      return ids.sorted()
    }
    var judgement: Judgement? {
      report.map { ExamJudgement.judgement(of: exam, $0, trace: entries) }
    }
    /// `search-all held 3/3`
    var marks: [String] { report?.rows.map { "\($0.probe.rawValue) \($0.mark.rawValue)" } ?? [] }
  }

  private struct Passing {
    var time: Instant
    var to: Int
    var datagram: RecordedDatagram
  }

  func run() -> Result {
    let store = PayloadStore()
    var outbox = Outbox(payloads: store)
    var exam = DeviceExam(plan)
    var devices = [RootDevice(description, quirks: quirks, seed: Seed(seed), name: "device")]
    for (number, one) in neighbours.enumerated() {
      devices.append(RootDevice(one, seed: Seed(seed), name: "neighbour\(number)"))
    }
    var addresses = [ExamBench.examiner, ExamBench.device]
    for number in neighbours.indices { addresses.append(IPAddress(192, 168, 1, UInt8(30 + number))) }
    var entries: [TraceEntry] = []
    var passing: [Passing] = []
    var open: Set<UInt16> = []
    var signals: [(time: Instant, signal: StreamSignal)] = []
    var now = Instant.zero
    var counts = (heard: 0, lost: 0, garbled: 0)
    var deeds = acts.map { (time: Instant.zero + $0.at, act: $0.act) }
    var hasBegun = false
    var isDown = false

    func settle(_ host: Int, _ exam: inout DeviceExam) {
      for effect in outbox.effects {
        if case .streams(let wanted) = effect, host == 0 {
          signals += serve(wanted, devices[0]).map { (now + ExamBench.latency, $0) }
        }
        guard case .transmit(let datagram) = effect else { continue }
        let recorded = RecordedDatagram(datagram, in: store)
        store.release(datagram.payload)
        if host == 0 {
          open.insert(datagram.source.port)
          entries.append(TraceEntry(time: now, station: 0, content: .sent(recorded)))
        }
        if let down, now > .zero + down - .seconds(1) { continue }
        for other in addresses.indices where other != host {
          let isForHim = datagram.destination.address.isMulticast || datagram.destination.address == addresses[other]
          let isOpen = other > 0 || datagram.destination.port == 1_900 || open.contains(datagram.destination.port)
          guard isForHim, isOpen else { continue }
          if other == 0, !datagram.destination.address.isMulticast, datagram.destination.port == 1_900,
            !open.contains(1_900)
          {
            continue
          }
          passing.append(Passing(time: now + ExamBench.latency, to: other, datagram: recorded))
        }
      }
      outbox.removeAll()
    }
    func interface(_ host: Int) -> SignalValue {
      .interface(
        InterfaceChange(
          interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(addresses[host], prefixBits: 24)]))
    }
    func give(_ value: SignalValue, to host: Int) {
      let id = outbox.values.put(value)
      give(.value(id), to: host)
      outbox.values.remove(id)
    }
    func give(_ signal: Signal?, to host: Int) {
      if host == 0 {
        if let signal { exam.receive(signal, at: now, into: &outbox) } else { exam.wake(at: now, into: &outbox) }
      } else if let signal {
        devices[host - 1].receive(signal, at: now, into: &outbox)
      } else {
        devices[host - 1].wake(at: now, into: &outbox)
      }
      settle(host, &exam)
    }
    for host in 1..<addresses.count {
      give(interface(host), to: host)
      if host > 1 { give(.command(.act(.appear)), to: host) }
    }

    var turns = 0
    while !exam.isOver, turns < 200_000 {
      turns += 1
      if let first = signals.first, first.time <= now {
        signals.removeFirst()
        give(.streams(first.signal), to: 0)
        continue
      }
      var next = min(passing.map(\.time).min() ?? .never, signals.first?.time ?? .never)
      var host = -1
      for number in devices.indices {
        if let due = devices[number].deadline, due < next { (next, host) = (due, number + 1) }
      }
      if let due = exam.deadline, due < next { (next, host) = (due, 0) }
      if let deed = deeds.first, deed.time < next, hasBegun || deed.time < .zero + begin {
        now = max(now, deed.time)
        deeds.removeFirst()
        give(.command(.act(deed.act)), to: 1)
        continue
      }
      if !hasBegun, .zero + begin < next {
        hasBegun = true
        now = .zero + begin
        give(interface(0), to: 0)
        continue
      }
      if let down, !isDown, hasBegun, .zero + down < next {
        (isDown, now) = (true, max(now, .zero + down))
        give(.interface(InterfaceChange(interface: InterfaceID(0), isUp: false, addresses: [])), to: 0)
        continue
      }
      if next == .never { break }
      now = max(now, next)
      if host < 0, let first = signals.first, first.time <= now { continue }
      if host >= 0 {
        give(nil, to: host)
        continue
      }
      if let stop, now >= .zero + stop { give(.command(.stop), to: 0) }
      let place = passing.indices.min { (passing[$0].time, $0) < (passing[$1].time, $1) } ?? 0
      var one = passing.remove(at: place)
      if one.to > 0 {
        counts.heard += 1
        if let deaf, now >= .zero + deaf { continue }
        guard let altered = alter(one.datagram.bytes, counts.heard) else { continue }
        one.datagram.bytes = altered
      } else {
        if !one.datagram.destination.address.isMulticast {
          counts.lost += 1
          if loses(counts.lost) { continue }
        }
        counts.garbled += 1
        one.datagram.bytes = garble(one.datagram.bytes, counts.garbled)
        one.datagram.hopLimit = 0
        if hasBegun { entries.append(TraceEntry(time: now, station: 0, content: .received(one.datagram))) }
      }
      let datagram = one.datagram.datagram(in: store)
      give(.datagram(datagram), to: one.to)
      store.release(datagram.payload)
    }
    return Result(exam: exam, entries: entries)
  }

  /// What becomes of a stream to the device: all of its description at once, if it serves one.
  private func serve(_ wanted: StreamEffect, _ device: RootDevice) -> [StreamSignal] {
    switch (wanted, server) {
    case (.connect(let stream, _, _), .refuses): return [.ended(stream, .refused)]
    case (.connect(let stream, _, _), _):
      let local = Endpoint(ExamBench.examiner, port: 40_000)
      return [.opened(stream, local: local), .room(stream, byteCount: 65_536)]
    case (.write(let stream, _), .whole):
      return [.bytes(stream, HTTPResponse.description(device.document().bytes).bytes()), .ended(stream, .finished)]
    case (.write(let stream, _), .status(let status)):
      return [.bytes(stream, HTTPResponse.refusal(status).bytes()), .ended(stream, .finished)]
    default: return []
    }
  }
}
