import RollcallExaminers
import RollcallPrimitives
import RollcallTrace
import RollcallWire

/// An examiner and an examinee in virtual time, through the examiner's ports: datagrams, streams and a process.
struct ExaminerBench: ~Copyable, Driver {
  var gate: Gate
  var outbox = Outbox(payloads: PayloadStore())
  let recorder = Recorder()
  private let machine: UnsafeMutablePointer<ControlPointExaminer>
  private var examinee: (any Examinee)?
  private let make: () -> any Examinee
  /// What the examiner is given next.
  private var given: [SignalValue] = []
  private var said: [UInt32: [UInt8]] = [:]
  private var lastStream = UInt32.max
  /// Ports that somebody else has.
  private let takenPorts: Set<UInt16>
  /// What the system says of the command; `nil`: it starts.
  private let startError: Int32?
  /// Whether the command goes on after it was asked to end.
  private let isStubborn: Bool

  private init(
    _ setting: ControlPointExamination.Setting, takenPorts: Set<UInt16>, startError: Int32?, isStubborn: Bool,
    _ make: @escaping () -> any Examinee
  ) {
    gate = Gate(recorder: recorder)
    machine = .allocate(capacity: 1)
    machine.initialize(to: ControlPointExaminer(setting, command: setting.hasCommand ? ["toy", "-i", "a b"] : nil))
    (self.takenPorts, self.startError, self.isStubborn, self.make) = (takenPorts, startError, isStubborn, make)
    if !setting.hasCommand { examinee = make() }
  }

  deinit { machine.deinitialize(count: 1).deallocate() }

  static let change = InterfaceChange(
    interface: InterfaceID(0), isUp: true, addresses: [InterfaceAddress(Examined.device, prefixBits: 24)])

  /// Runs it to its end, or until it is told to stop.
  static func run(
    _ setting: ControlPointExamination.Setting, takenPorts: Set<UInt16> = [], startError: Int32? = nil,
    isStubborn: Bool = false, change: InterfaceChange = ExaminerBench.change, stop: Interval? = nil,
    told: (after: Interval, signal: SignalValue)? = nil,
    _ make: @escaping () -> any Examinee = { ToyControlPoint() }
  ) -> (machine: ControlPointExaminer, trace: [TraceEntry]) {
    var bench = ExaminerBench(
      setting, takenPorts: takenPorts, startError: startError, isStubborn: isStubborn, make)
    var now = Instant.zero
    bench.give(.interface(change), to: bench.machine, station: 0, at: now)
    bench.examinee?.start(at: now)
    var told = told ?? stop.map { ($0, .command(.stop)) }
    for _ in 0..<2_000_000 where !bench.machine.pointee.isOver {
      bench.carry(at: now)
      if !bench.given.isEmpty {
        bench.give(bench.given.removeFirst(), to: bench.machine, station: 0, at: now)
        continue
      }
      let next = min(
        bench.machine.pointee.deadline ?? .never,
        min(bench.examinee?.deadline ?? .never, told.map { .zero + $0.after } ?? .never))
      if next == .never { break }
      now = max(now, next)
      if let one = told, .zero + one.after <= now {
        told = nil
        bench.give(one.signal, to: bench.machine, station: 0, at: now)
      }
      if let deadline = bench.examinee?.deadline, deadline <= now { bench.examinee?.wake(at: now) }
      bench.carry(at: now)
      bench.wakeIfDue(bench.machine, station: 0, at: now)
    }
    return (bench.machine.pointee, bench.recorder.entries)
  }

  /// What the examinee did becomes signals; datagrams are given at once.
  private mutating func carry(at now: Instant) {
    guard examinee != nil else { return }
    let (sent, printed, fetches) = (examinee?.sent ?? [], examinee?.printed ?? [], examinee?.fetches ?? [])
    examinee?.sent = []
    examinee?.printed = []
    examinee?.fetches = []
    for one in sent {
      let payload = outbox.payloads.store(one.bytes)
      let datagram = Datagram(
        source: one.from, destination: one.to, interface: InterfaceID(0), hopLimit: 2, payload: payload)
      give(datagram, mark: Gate.mark(of: datagram, in: outbox.payloads), to: machine, station: 0, at: now)
      outbox.payloads.release(payload)
    }
    given += printed.map { .process(.line(Array($0.utf8), isError: false)) }
    for path in fetches {
      // What no request line can hold is never asked for.
      let path = path.prefix { ("!"..."~").contains($0) }
      let stream = StreamID(lastStream)
      lastStream -= 1
      let remote = Endpoint(Examined.control, port: 41_000)
      given += [
        .streams(.accepted(stream, listener: StreamID(1), local: Endpoint(Examined.device, port: 1), remote: remote)),
        .streams(.room(stream, byteCount: 65_536)),
        .streams(.bytes(stream, Array("GET \(path) HTTP/1.1\r\nHOST: x\r\n\r\n".utf8))),
      ]
    }
    if let end = examinee?.end, machine.pointee.command != nil {
      examinee = nil
      switch end {
      case .exited(let code): given.append(.process(.ended(.exit(code: code))))
      case .signalled(let number): given.append(.process(.ended(.signal(number))))
      case .stopped: break
      }
    }
  }

  mutating func settle(station: UInt32, at now: Instant) {
    for position in 0..<outbox.count {
      let effect = outbox[position]
      if case .transmit(let datagram) = effect {
        gate.sent(datagram, station: station, at: now, in: outbox.payloads)
        examinee?.hear(
          outbox.payloads.array(of: datagram.payload), from: datagram.source, to: datagram.destination, at: now)
        outbox.payloads.release(datagram.payload)
        continue
      }
      gate.wanted(effect, station: station, at: now)
      switch effect {
      case .process(.start):
        if let startError {
          given.append(.process(.ended(.notStarted(errno: startError))))
          continue
        }
        examinee = make()
        examinee?.start(at: now)
      case .process(.signal(let number)):
        if isStubborn, number == 15 { continue }
        examinee = nil
        given.append(.process(.ended(.signal(number))))
      case .streams(.listen(let stream, let local, _)):
        if takenPorts.contains(local.port) { given.append(.streams(.ended(stream, .refused))) }
      case .streams(.write(let stream, let bytes)):
        let count = (said[stream.number]?.count ?? 0) + bytes.count
        said[stream.number, default: []] += bytes.prefix(4_096)
        if count <= 65_536 || examinee?.takesHugePages == true {
          given.append(.streams(.room(stream, byteCount: UInt32(bytes.count))))
        }
        if count > 4_096, examinee?.takesHugePages != true { given.append(.streams(.ended(stream, .reset))) }
      case .streams(.finish(let stream)):
        given.append(.streams(.ended(stream, .finished)))
        let text = String(decoding: said[stream.number] ?? [], as: UTF8.self)
        if let line = text.split(separator: "\r\n").first(where: { $0.hasPrefix("LOCATION: ") }) {
          examinee?.redirected(to: String(line.dropFirst(10)))
        }
      default: break
      }
    }
    outbox.removeAll()
  }
}
