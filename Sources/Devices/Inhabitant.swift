package import Primitives

/// Whoever lives on the virtual network beside the engine under test.
///
/// Made by the static functions that are named like the kinds. It looks like an enum and is none: a payload of an enum
/// is taken out and put back at each call, while nearly all inhabitants of a large run are root devices that have to be
/// changed in place.
package struct Inhabitant: Machine, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case rootDevice, controlPointDecoy, reflector, flooder, byebyeSpoofer, responder, script, recorded
  }

  enum Other: Sendable {
    case controlPointDecoy(ControlPointDecoy)
    case reflector(Reflector)
    case flooder(Flooder)
    case byebyeSpoofer(ByebyeSpoofer)
    case responder(Responder)
    case script(Script)
    case recorded(Recorded)
    /// While one of the others is being called.
    case vacant
  }

  /// A device that nobody wakes, where `other` has the say.
  private var device: RootDevice
  /// One element, or none for a root device.
  private var other: [Other]
  package let kind: Kind

  private static let vacantDevice = RootDevice(
    DeviceDescription(root: DevicePart(type: "urn:rollcall-example:device:None:1")), seed: Seed(0), name: "")

  private init(_ other: Other, _ kind: Kind) {
    self.other = [other]
    self.kind = kind
    device = Inhabitant.vacantDevice
  }

  private init(_ device: RootDevice) {
    self.device = device
    other = []
    kind = .rootDevice
  }

  package static func rootDevice(_ device: RootDevice) -> Inhabitant { Inhabitant(device) }
  package static func controlPointDecoy(_ decoy: ControlPointDecoy) -> Inhabitant {
    Inhabitant(.controlPointDecoy(decoy), .controlPointDecoy)
  }
  package static func reflector(_ reflector: Reflector) -> Inhabitant { Inhabitant(.reflector(reflector), .reflector) }
  package static func flooder(_ flooder: Flooder) -> Inhabitant { Inhabitant(.flooder(flooder), .flooder) }
  package static func byebyeSpoofer(_ spoofer: ByebyeSpoofer) -> Inhabitant {
    Inhabitant(.byebyeSpoofer(spoofer), .byebyeSpoofer)
  }
  package static func responder(_ responder: Responder) -> Inhabitant { Inhabitant(.responder(responder), .responder) }
  package static func script(_ script: Script) -> Inhabitant { Inhabitant(.script(script), .script) }
  package static func recorded(_ recorded: Recorded) -> Inhabitant { Inhabitant(.recorded(recorded), .recorded) }

  /// The root device, if it is one.
  package var rootDevice: RootDevice? { other.isEmpty ? device : nil }
  package var controlPointDecoy: ControlPointDecoy? {
    if case .controlPointDecoy(let decoy)? = other.first { decoy } else { nil }
  }

  package var deadline: Instant? {
    if other.isEmpty { return device.deadline }
    switch other[0] {
    case .controlPointDecoy(let machine): return machine.deadline
    case .reflector(let machine): return machine.deadline
    case .flooder(let machine): return machine.deadline
    case .byebyeSpoofer(let machine): return machine.deadline
    case .responder(let machine): return machine.deadline
    case .script(let machine): return machine.deadline
    case .recorded(let machine): return machine.deadline
    case .vacant: return nil
    }
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    if other.isEmpty {
      device.receive(signal, at: now, into: &outbox)
    } else {
      other[0].call(signal, at: now, into: &outbox)
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if other.isEmpty {
      device.wake(at: now, into: &outbox)
    } else {
      other[0].call(nil, at: now, into: &outbox)
    }
  }
}

extension Inhabitant.Other {
  /// Hands over a signal, or wakes for `nil`. The machine is taken out first, so that its arrays are not copied.
  mutating func call(_ signal: Signal?, at now: Instant, into outbox: inout Outbox) {
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
