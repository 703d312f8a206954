import RollcallDevices
import RollcallDiscovery
package import RollcallPrimitives
import RollcallTrace
package import RollcallWire
import Synchronization

/// A phone whose radio is the controller at the other end of a stream of HCI (H4): the engine and the peripheral side of
/// a phone in a world, above a host that speaks to that controller.
///
/// It has no clock and no socket: bytes and times go in, bytes come out. It is called by one thread at a time;
/// applications ask the phone from any.
package final class HostedPhone {
  package var phone: SimulatedPhone { driven.phone }
  /// Bytes for the controller, in order.
  package var send: ([UInt8]) -> Void = { _ in }
  /// Why the radio cannot be used; the state of managers is `poweredOff` then.
  package private(set) var failure: String?
  private(set) var driven: DrivenPhone
  private var core: Core

  /// - Parameters:
  ///   - address: a random address to be found under; `nil`: the public one of the controller.
  ///   - whenAsked: called on threads of applications when there is something to do: `advance` is to be called soon.
  package init(
    _ phone: SimulatedPhone, address: RadioAddress? = nil, whenAsked: (@Sendable () -> Void)? = nil
  ) {
    driven = DrivenPhone(phone, host: 0)
    core = Core(PhoneMachine(EngineConfiguration(), heard: driven.heard), HCIHost(address: address))
    phone.state.withLock { $0.whenAsked = whenAsked }
  }

  /// The controller is there.
  package func begin(at now: Instant) {
    core.host.begin()
    turn(at: now)
  }

  package var deadline: Instant? { core.machine.pointee.deadline }

  package func advance(to now: Instant) { turn(at: now) }

  /// Bytes of the controller, cut anywhere.
  /// - Throws: where they are no packets; nothing that comes behind them can be read.
  package func receive(_ bytes: some Collection<UInt8>, at now: Instant) throws(RadioFault) {
    do throws(RadioFault) { try core.host.receive(bytes) } catch {
      end("no packet of HCI at byte \(error.offset): \(error.reason.rawValue)", at: now)
      throw error
    }
    turn(at: now)
  }

  /// The controller is gone, or cannot be used: the radio is off from now on.
  package func end(_ reason: String, at now: Instant) {
    core.move(to: now)
    fail(reason)
    turn(at: now)
  }

  private func fail(_ reason: String) {
    if failure == nil { failure = reason }
    core.give(.host(.power(.off)), to: core.machine, station: 0, at: core.now)
  }

  /// The same, and nobody is told any more when applications ask something.
  package func stop(at now: Instant) {
    end("it was closed", at: now)
    phone.state.withLock { $0.whenAsked = nil }
  }

  /// What the controller said that made no sense.
  package var rejections: [(reason: String, count: Int, offset: Int)] {
    core.host.rejections.map { ($0.reason, $0.count, $0.offset) }
  }

  /// The engine, the doors and the host hand on what they have, until nothing is left.
  private func turn(at now: Instant) {
    core.move(to: now)
    core.wakeIfDue(core.machine, station: 0, at: core.now)
    var isBusy = true
    while isBusy {
      isBusy = handOn()
      driven.tell(at: core.now)
      for (report, time) in core.takeReports() { phone.take(report, at: time) }
      phone.look(at: core.machine.pointee.engine.links)
      let work = driven.takeWork(whileEngineScans: core.machine.pointee.engine.radioScan)
      if let permission = work.permission {
        core.give(.host(.permission(.bluetooth, permission)), to: core.machine, station: 0, at: core.now)
      }
      // Without a radio there is nobody to ask.
      guard failure == nil else { return }
      for command in work.commands {
        core.give(.application(.peripheral(command)), to: core.machine, station: 0, at: core.now)
      }
      for effect in work.effects { core.host.want(effect) }
      if work.isBusy || !work.effects.isEmpty { isBusy = true }
    }
  }

  /// What the host has for the controller and for the machine; whether there was anything.
  private func handOn() -> Bool {
    var isBusy = false
    while true {
      let output = core.host.take()
      if output.isEmpty { return isBusy }
      isBusy = true
      for one in output {
        switch one {
        case .packet(let packet): if failure == nil { send(packet) }
        case .radio(let signal): core.give(.radio(signal), to: core.machine, station: 0, at: core.now)
        case .ready: core.give(.host(.power(.on)), to: core.machine, station: 0, at: core.now)
        case .failed(let reason): fail(reason)
        }
      }
    }
  }

  private struct Core: ~Copyable, Driver {
    var gate = Gate()
    var outbox = Outbox(payloads: PayloadStore())
    let machine: UnsafeMutablePointer<PhoneMachine>
    var host: HCIHost
    var now = Instant.zero
    private var reports: [(report: Report, time: Instant)] = []

    init(_ machine: PhoneMachine, _ host: HCIHost) {
      self.machine = .allocate(capacity: 1)
      self.machine.initialize(to: machine)
      self.host = host
    }

    deinit { machine.deinitialize(count: 1).deallocate() }

    mutating func move(to time: Instant) {
      var clock = now
      advance(machine, station: 0, to: max(time, now), from: &clock)
      now = clock
    }

    mutating func takeReports() -> [(report: Report, time: Instant)] {
      defer { reports = [] }
      return reports
    }

    mutating func settle(station: UInt32, at now: Instant) {
      var position = 0
      while position < outbox.count {
        defer { position += 1 }
        if let report = outbox.takeReport(at: position) {
          gate.reported(report, station: station, at: now)
          reports.append((report, now))
        } else {
          // A phone has no network: there are no datagrams.
          let effect = outbox[position]
          gate.wanted(effect, station: station, at: now)
          if case .radio(let effect) = effect { host.want(effect) }
        }
      }
      outbox.removeAll()
    }
  }
}
