package import RollcallPrimitives

/// A machine on the virtual network beside the engine under test and the root devices.
package enum Inhabitant: Machine, Sendable {
  case controlPointDecoy(ControlPointDecoy)
  case reflector(Reflector)
  case flooder(Flooder)
  case byebyeSpoofer(ByebyeSpoofer)
  case responder(Responder)
  case script(Script)
  case recorded(Recorded)
  /// While one of the others is being called.
  case vacant

  package var deadline: Instant? {
    switch self {
    case .controlPointDecoy(let machine): machine.deadline
    case .reflector(let machine): machine.deadline
    case .flooder(let machine): machine.deadline
    case .byebyeSpoofer(let machine): machine.deadline
    case .responder(let machine): machine.deadline
    case .script(let machine): machine.deadline
    case .recorded(let machine): machine.deadline
    case .vacant: nil
    }
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    call(signal, at: now, into: &outbox)
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) { call(nil, at: now, into: &outbox) }

  /// Hands over a signal, or wakes for `nil`. The machine is taken out first, so that its arrays are not copied.
  private mutating func call(_ signal: Signal?, at now: Instant, into outbox: inout Outbox) {
    func run(_ machine: inout some Machine) {
      if let signal {
        machine.receive(signal, at: now, into: &outbox)
      } else {
        machine.wake(at: now, into: &outbox)
      }
    }
    let taken = self
    self = .vacant
    switch consume taken {
    case .controlPointDecoy(var machine):
      run(&machine)
      self = .controlPointDecoy(machine)
    case .reflector(var machine):
      run(&machine)
      self = .reflector(machine)
    case .flooder(var machine):
      run(&machine)
      self = .flooder(machine)
    case .byebyeSpoofer(var machine):
      run(&machine)
      self = .byebyeSpoofer(machine)
    case .responder(var machine):
      run(&machine)
      self = .responder(machine)
    case .script(var machine):
      run(&machine)
      self = .script(machine)
    case .recorded(var machine):
      run(&machine)
      self = .recorded(machine)
    case .vacant: break
    }
  }
}
