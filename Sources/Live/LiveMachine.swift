package import RollcallPrimitives
package import RollcallTrace

/// Drives any machine on real sockets, through the gate, with a record that can be judged afterwards.
///
/// A timer that is late changes nothing for the machine: it is woken at the time it asked for.
package class LiveMachine<Subject: Machine>: LiveParty {
  /// The station number of the machine in traces.
  package static var station: UInt32 { 0 }

  /// Whether what the machine sends to a group comes back to it, as the system has it.
  package var hearsItself = true
  /// What the machine is asked for when the run begins.
  package var firstCommands: [Command] = []
  package weak var outlet: (any LiveOutlet)?
  /// Whether anything came that others sent, as far as addresses and ports tell.
  package private(set) var hasHeardOthers = false
  private var core: Core
  /// Called on the event loop after each call to the machine.
  package var onTurn: ((Subject, Instant) -> Void)?
  /// Called on the event loop with what the machine reports, in order.
  var onReport: ((Report, Instant) -> Void)? {
    get { core.onReport }
    set { core.onReport = newValue }
  }

  package init(_ machine: Subject, recorder: Recorder? = nil) { core = Core(machine, recorder) }

  package var machine: Subject { core.machine.pointee }
  package var deadline: Instant? { core.machine.pointee.deadline }
  /// The time up to which the machine was moved.
  var now: Instant { core.now }

  package func begin(at now: Instant) {
    for command in firstCommands { give(.command(command), at: now) }
  }
  /// Tells the machine to stop, as it may not have finished.
  package func end(at now: Instant) { give(.command(.stop), at: now) }
  package func take(_ change: InterfaceChange, at now: Instant) { give(.interface(change), at: now) }
  package func take(_ refusal: Refusal, at now: Instant) { give(.refused(refusal), at: now) }
  package func take(_ signal: StreamSignal, at now: Instant) { give(.streams(signal), at: now) }
  package func take(_ signal: ProcessSignal, at now: Instant) { give(.process(signal), at: now) }

  package func advance(to now: Instant) {
    core.outlet = outlet
    core.move(to: now)
    core.wakeIfDue(core.machine, station: Self.station, at: core.now)
    onTurn?(core.machine.pointee, core.now)
  }

  package func hear(_ heard: HeardDatagram, at now: Instant) {
    if !hearsItself || !hasHeardOthers {
      let isOwn = outlet?.isOwn(heard.source, on: heard.interface) == true
      if isOwn, !hearsItself { return }
      hasHeardOthers = hasHeardOthers || !isOwn
    }
    core.outlet = outlet
    core.move(to: now)
    let payload = core.outbox.payloads.store(heard.bytes)
    let datagram = Datagram(
      source: heard.source, destination: heard.destination, interface: heard.interface,
      hopLimit: heard.hopLimit, payload: payload)
    let mark = Gate.mark(of: datagram, in: core.outbox.payloads)
    core.give(datagram, mark: mark, to: core.machine, station: Self.station, at: core.now)
    core.outbox.payloads.release(payload)
    onTurn?(core.machine.pointee, core.now)
  }

  package func give(_ signal: SignalValue, at now: Instant) {
    core.outlet = outlet
    core.move(to: now)
    core.give(signal, to: core.machine, station: Self.station, at: core.now)
    onTurn?(core.machine.pointee, core.now)
  }

  private struct Core: ~Copyable, Driver {
    var gate: Gate
    var outbox = Outbox(payloads: PayloadStore())
    let machine: UnsafeMutablePointer<Subject>
    var now = Instant.zero
    weak var outlet: (any LiveOutlet)?
    var onReport: ((Report, Instant) -> Void)?

    init(_ machine: Subject, _ recorder: Recorder?) {
      gate = Gate(recorder: recorder)
      self.machine = .allocate(capacity: 1)
      self.machine.initialize(to: machine)
    }

    deinit { machine.deinitialize(count: 1).deallocate() }

    mutating func move(to time: Instant) {
      var clock = now
      advance(machine, station: LiveMachine.station, to: max(time, now), from: &clock)
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
          onReport?(report, now)
          continue
        }
        let effect = outbox[position]
        gate.wanted(effect, station: station, at: now)
        switch effect {
        case .lan(.join(let group, let interface)): outlet?.join(group, on: interface)
        case .lan(.leave(let group, let interface)): outlet?.leave(group, on: interface)
        case .streams(let effect): outlet?.want(effect)
        case .process(let effect): outlet?.want(effect)
        case .transmit, .lan(.readdress), .application, .radio, .store, .other: break
        }
      }
      outbox.removeAll()
    }
  }
}
