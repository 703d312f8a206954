package import RollcallPrimitives
import RollcallWire

/// A Bluetooth LE peripheral: advertises, answers scanners, changes its address and what it says, and falls silent.
///
/// It has no word for leaving: `leave`, `vanish` and a crash look alike on the air. All chance is the air's; its private
/// addresses follow from its name, so that a scenario can name them before the run.
package struct Peripheral: Machine, Sendable {
  package let plan: PeripheralPlan
  private let name: String
  /// Whether it is there and has not left.
  private var isPresent = false
  private var isPowered = true
  private var saysOther = false
  /// Whether it has advertised before: the first start takes the first address.
  private var hasStarted = false
  /// How many private addresses it has had.
  private var rotations: UInt32 = 0
  private var rotatesAt = Instant.never
  private var slowsAt = Instant.never
  private var restartsAt = Instant.never

  /// The one set that it advertises with.
  private static let set: UInt8 = 0

  package init(_ plan: PeripheralPlan, name: String) { (self.plan, self.name) = (plan, name) }

  /// The private address number `number`, from 0, of a peripheral of this name: non-resolvable, so its two highest bits
  /// are 0.
  package static func privateAddress(_ number: UInt32, of name: String) -> RadioAddress {
    var digest = Digest()
    digest.combine(name)
    digest.combine(UInt64(number), 0xAD)
    return RadioAddress(bits: digest.state & 0x3FFF_FFFF_FFFF, isRandom: true)
  }

  package var address: RadioAddress {
    switch plan.address {
    case .fixed(let address): address
    case .rotating: Peripheral.privateAddress(rotations, of: name)
    }
  }

  private var isAdvertising: Bool { isPresent && isPowered && restartsAt == .never }

  package var presentDevices: [String] { isAdvertising ? [address.deviceName] : [] }

  package var deadline: Instant? {
    let next = min(rotatesAt, slowsAt, restartsAt)
    return next == .never ? nil : next
  }

  package mutating func receive(_ signal: Signal, at now: Instant, into outbox: inout Outbox) {
    guard case .value(let id) = signal else { return }
    switch outbox.values[id] {
    case .application(.act(let act)): perform(act, at: now, into: &outbox)
    case .host(.power(let state)): take(state == .on, at: now, into: &outbox)
    default: break
    }
  }

  package mutating func wake(at now: Instant, into outbox: inout Outbox) {
    if restartsAt <= now { begin(at: now, into: &outbox) }
    if slowsAt <= now {
      slowsAt = .never
      advertise(at: now, into: &outbox)
    }
    if rotatesAt <= now {
      rotate(at: now)
      advertise(at: now, into: &outbox)
    }
  }

  private mutating func perform(_ act: Act, at now: Instant, into outbox: inout Outbox) {
    switch act {
    case .appear:
      guard !isPresent || restartsAt != .never else { return }
      isPresent = true
      begin(at: now, into: &outbox)
    case .leave, .vanish:
      isPresent = false
      restartsAt = .never
      end(into: &outbox)
    case .crash(let downFor, _):
      guard isPresent else { return }
      end(into: &outbox)
      restartsAt = now + max(downFor, .zero)
    case .reboot: if isAdvertising { begin(at: now, into: &outbox) }
    case .reconfigure:
      saysOther.toggle()
      if isAdvertising { speed(at: now, into: &outbox) }
    case .move, .relocate, .update, .send: break
    }
  }

  private mutating func take(_ isPowered: Bool, at now: Instant, into outbox: inout Outbox) {
    guard isPowered != self.isPowered else { return }
    self.isPowered = isPowered
    if !isPowered {
      (rotatesAt, slowsAt) = (.never, .never)
    } else if isPresent, restartsAt == .never {
      begin(at: now, into: &outbox)
    }
  }

  /// Begins to advertise, under a fresh address where it has private ones.
  private mutating func begin(at now: Instant, into outbox: inout Outbox) {
    restartsAt = .never
    guard isPowered else { return }
    if case .rotating(let interval) = plan.address {
      if hasStarted { rotations &+= 1 }
      rotatesAt = now + interval
    }
    hasStarted = true
    speed(at: now, into: &outbox)
  }

  private mutating func speed(at now: Instant, into outbox: inout Outbox) {
    slowsAt = plan.fast.map { now + $0.duration } ?? .never
    advertise(at: now, into: &outbox)
  }

  private mutating func rotate(at now: Instant) {
    guard case .rotating(let interval) = plan.address else { return }
    rotations &+= 1
    rotatesAt = now + interval
  }

  private mutating func end(into outbox: inout Outbox) {
    (rotatesAt, slowsAt) = (.never, .never)
    outbox.want(RadioEffect.stopAdvertising(set: Peripheral.set))
  }

  private func advertise(at now: Instant, into outbox: inout Outbox) {
    let saying = saysOther ? plan.otherSaying ?? plan.saying : plan.saying
    let kind: AdvertisingPDU.Kind =
      switch plan.kind {
      case .connectable: .connectable
      case .scannable: .scannable
      case .nonConnectable: .nonconnectable
      }
    let response = PeripheralQuirk.bytes(of: saying.responded, [])
    outbox.want(
      RadioEffect.advertise(
        set: Peripheral.set, every: slowsAt == .never ? plan.interval : plan.fast?.interval ?? plan.interval,
        pdu: AdvertisingPDU.bytes(
          kind, from: address, data: PeripheralQuirk.bytes(of: saying.advertised, plan.quirks)),
        response: response.isEmpty ? [] : AdvertisingPDU.bytes(.scanResponse, from: address, data: response)))
  }
}
